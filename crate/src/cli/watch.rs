//! Ends a question whose time is up, or whose process holds too much memory.
//!
//! A thread beside the run looks at the clock and, where the system says it (Linux), at the memory that the
//! process holds, and stops the run by its budget. Work that is counted ends by its count before that, at
//! the same place everywhere; this is for what nobody counts, so a report made here may differ from one
//! run to the next. A run that has not ended a while after it was stopped is given up: the report then
//! says only in which stage that was.

use crate::base::{Budget, Exhausted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, Thread};
use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(20);
/// How long a run may go on after it was stopped: a tenth of its time, and at least this.
const GRACE: Duration = Duration::from_secs(1);
/// Less than this is not worth a look: the program itself and its threads.
const LEAST_BYTES: u64 = 256 << 20;

/// The watch over one run; dropping it ends it.
pub(super) struct Watch {
    over: Arc<AtomicBool>,
    thread: Thread,
}

impl Watch {
    /// Starts watching; a run that does not end is reported by `give_up`, which ends the process.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        budget: &Budget,
        give_up: impl FnOnce(Exhausted) + Send + 'scope,
    ) -> Watch {
        let over = Arc::new(AtomicBool::new(false));
        let (seen, budget) = (over.clone(), budget.clone());
        let thread = scope.spawn(move || watch(&seen, &budget, give_up)).thread().clone();
        Watch { over, thread }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.over.swap(true, Ordering::Relaxed) {
            // The run was given up a moment ago, and the process is about to end.
            loop {
                std::thread::park();
            }
        }
        self.thread.unpark();
    }
}

fn watch(over: &AtomicBool, budget: &Budget, give_up: impl FnOnce(Exhausted)) {
    let started = Instant::now();
    let limit = budget.seconds.map(Duration::from_secs);
    let most = budget.memory.saturating_mul(Budget::SHARES).max(LEAST_BYTES);
    let mut stopped: Option<(Exhausted, Instant)> = None;
    while !over.load(Ordering::Relaxed) {
        std::thread::park_timeout(STEP);
        let held = held().unwrap_or(0);
        if stopped.is_none() {
            let why = if held > most {
                Some(Exhausted::Memory)
            } else {
                limit.is_some_and(|limit| started.elapsed() >= limit).then_some(Exhausted::Time)
            };
            if let Some(why) = why {
                budget.stop(why);
                stopped = Some((why, Instant::now()));
            }
        }
        let Some((why, since)) = stopped else { continue };
        let grace = limit.map_or(GRACE, |limit| GRACE.max(limit / 10));
        let (late, large) = (since.elapsed() > grace, held > most.saturating_add(most / 10));
        if (late || large) && !over.swap(true, Ordering::Relaxed) {
            give_up(if large { Exhausted::Memory } else { why });
            return;
        }
    }
}

/// Bytes of memory that the process holds, where the system says it.
pub(super) fn held() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Watches over something that goes on until it is given up.
    fn watched(budget: &Budget) -> (Option<Exhausted>, Duration) {
        let given_up = Mutex::new(None);
        let begun = Instant::now();
        watch(&AtomicBool::new(false), budget, |why| *given_up.lock().expect("nobody panics") = Some(why));
        (given_up.into_inner().expect("nobody panics"), begun.elapsed())
    }

    #[test]
    fn a_run_is_stopped_and_then_given_up() {
        let budget = Budget::default().within(1);
        let (why, took) = watched(&budget);
        assert_eq!((why, budget.poll()), (Some(Exhausted::Time), Err(Exhausted::Time)));
        assert!(took >= Duration::from_secs(1) + GRACE, "{took:?}");
    }

    #[test]
    fn what_the_process_holds_stops_a_run() {
        if held().is_none() {
            return;
        }
        let held_on = vec![1u8; LEAST_BYTES as usize * 5 / 4];
        let budget = Budget::new(u64::MAX, 1 << 20);
        assert_eq!(watched(&budget).0, Some(Exhausted::Memory));
        assert_eq!(budget.poll(), Err(Exhausted::Memory));
        assert_eq!(held_on.iter().filter(|byte| **byte == 1).count(), held_on.len());
    }

    #[test]
    fn a_run_that_ends_is_left_alone() {
        let budget = Budget::default().within(60);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let _watch = Watch::start(scope, &budget, |_| unreachable!("it ended"));
        });
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_eq!(budget.poll(), Ok(()));
    }
}
