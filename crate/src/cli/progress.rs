//! One line on standard error while a run takes long: the stage, and how far it is.

use crate::base::{Budget, Stage};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, Scope, Thread};
use std::time::Duration;

/// Runs that are over within this time show nothing.
const PATIENCE: Duration = Duration::from_millis(600);
const STEP: Duration = Duration::from_millis(100);
/// A pace of comparing seen for less than this is none, nor is one over less than a thirtieth of the
/// elements.
const PACE: Duration = Duration::from_secs(1);

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

/// A line that somebody else words, while a sweep goes on; dropping it takes the line away.
pub struct Line {
    over: Arc<AtomicBool>,
    thread: Option<Thread>,
}

impl Line {
    /// Starts showing, if standard error is a terminal.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        words: impl Fn() -> String + Send + 'scope,
    ) -> Line {
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let show = move || {
            let mut waited = Duration::ZERO;
            while !seen.load(Ordering::Relaxed) {
                std::thread::park_timeout(STEP);
                waited += STEP;
                if waited >= PATIENCE && !seen.load(Ordering::Relaxed) {
                    let _ = write!(std::io::stderr(), "\r\x1b[2K{} …", words());
                }
            }
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        };
        let thread = std::io::stderr().is_terminal().then(|| scope.spawn(show).thread().clone());
        Line { over, thread }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

fn show(over: &AtomicBool, budget: &Budget) {
    let mut shown = false;
    let mut waited = Duration::ZERO;
    // When the first elements were decided, and how many: those built alike come all at once.
    let mut pace: Option<(Duration, u64)> = None;
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
            let decided = progress.decided.load(Ordering::Relaxed);
            let elements = progress.elements.load(Ordering::Relaxed);
            if decided > 0 {
                pace.get_or_insert((waited, decided));
            }
            let left = pace.and_then(|(since, first)| seconds_left(waited - since, first, decided, elements));
            let more = left.map_or(String::new(), |seconds| format!(", about {seconds} s more"));
            // Comparing begins only where both runs were clean.
            format!("no race, deadlock or bad access; deciding, {decided} of {elements} elements{more}")
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

/// Seconds that comparing will still take at the pace seen since the `first` elements were decided.
fn seconds_left(time: Duration, first: u64, decided: u64, elements: u64) -> Option<u64> {
    let done = decided.saturating_sub(first);
    if time < PACE || done == 0 || done * 30 < elements.saturating_sub(first) {
        return None;
    }
    let left = time.as_secs_f64() * elements.saturating_sub(decided) as f64 / done as f64;
    Some((left.round() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_needs_a_pace() {
        let seconds = Duration::from_secs;
        assert_eq!(seconds_left(Duration::from_millis(900), 100, 600, 1100), None);
        assert_eq!(seconds_left(seconds(2), 100, 100, 1100), None);
        assert_eq!(seconds_left(seconds(2), 100, 110, 1100), None);
        assert_eq!(seconds_left(seconds(2), 100, 350, 1100), Some(6));
        assert_eq!(seconds_left(seconds(9), 100, 1099, 1100), Some(1));
    }
}
