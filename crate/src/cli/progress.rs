//! One line on standard error while a run takes long: the stage, and how far it is.

use crate::base::{Budget, Stage};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Runs that are over within this time show nothing.
const PATIENCE: Duration = Duration::from_millis(600);
const STEP: Duration = Duration::from_millis(100);

/// The display of one run.
pub struct Display {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Starts showing, if standard error is a terminal.
    pub fn start(budget: &Budget) -> Display {
        let over = Arc::new(AtomicBool::new(false));
        let thread = std::io::stderr().is_terminal().then(|| {
            let (over, budget) = (over.clone(), budget.clone());
            std::thread::spawn(move || show(&over, &budget))
        });
        Display { over, thread }
    }

    /// Takes the line away.
    pub fn stop(mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn show(over: &AtomicBool, budget: &Budget) {
    let mut shown = false;
    let mut waited = Duration::ZERO;
    while !over.load(Ordering::Relaxed) {
        std::thread::park_timeout(STEP);
        waited += STEP;
        if waited < PATIENCE || over.load(Ordering::Relaxed) {
            continue;
        }
        let progress = budget.progress();
        let stage = progress.stage.load(Ordering::Relaxed);
        let text = if stage == Stage::Simulate as u32 {
            format!(
                "simulating, {} million instructions",
                progress.executed.load(Ordering::Relaxed) / 1_000_000
            )
        } else if stage == Stage::Decide as u32 {
            format!(
                "deciding, {} of {} elements",
                progress.decided.load(Ordering::Relaxed),
                progress.elements.load(Ordering::Relaxed)
            )
        } else if stage == Stage::Check as u32 {
            "re-checking".to_owned()
        } else {
            "reading".to_owned()
        };
        let _ = write!(std::io::stderr(), "\r\x1b[2K{text} …");
        shown = true;
    }
    if shown {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
}
