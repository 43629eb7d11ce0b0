//! Budgets: how much a run may execute and hold, and how it is told to stop.
//!
//! Every loop whose length the user controls calls [`Budget::tick`] or checks its own share, so
//! that a run ends in a diagnostic instead of a hang. What can be counted is counted, so that the same
//! question ends at the same place everywhere: what one kernel executes, and the steps that its comparison
//! takes on all threads together ([`Budget::spend`]). Nothing here asks the system for memory or for the
//! time: a face that does says so by [`Budget::stop`], and the run ends as if it had been cancelled, with
//! another reason; one that cannot look beside a run hands its clock in ([`Budget::until`]). One budget is
//! shared by all threads of a run; `Clone` shares it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Why a run had to stop early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Exhausted {
    /// Someone asked it to stop.
    Cancelled,
    /// More instructions executed, or more steps of a comparison taken, than allowed.
    Fuel,
    /// More memory held than allowed.
    Memory,
    /// More time taken than allowed.
    Time,
}

impl Exhausted {
    /// What the flag holds that stops a run, as [`Budget::stop_flag`] says.
    fn of_flag(flag: u8) -> Option<Exhausted> {
        match flag {
            0 => None,
            2 => Some(Exhausted::Time),
            3 => Some(Exhausted::Memory),
            _ => Some(Exhausted::Cancelled),
        }
    }

    fn flag(self) -> u8 {
        match self {
            Exhausted::Cancelled | Exhausted::Fuel => 1,
            Exhausted::Time => 2,
            Exhausted::Memory => 3,
        }
    }
}

/// What a run is busy with, for progress displays; in the order it happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum Stage {
    /// Reading PTX and spec.
    Parse,
    /// Executing the kernels.
    Simulate,
    /// Comparing output elements.
    Decide,
    /// Re-checking certificates and witnesses.
    Check,
    /// Finished.
    Done,
}

/// Counters that another thread may read while the run goes on.
#[derive(Debug, Default)]
pub struct Progress {
    /// The current [`Stage`] as a number.
    pub stage: AtomicU32,
    /// Thread-instructions executed so far, both kernels together.
    pub executed: AtomicU64,
    /// Output elements decided so far.
    pub decided: AtomicU64,
    /// Output elements to decide.
    pub elements: AtomicU64,
}

#[derive(Debug, Default)]
struct Shared {
    stopped: AtomicU8,
    progress: Progress,
}

/// A clock in milliseconds, and when it is time to stop.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    now: fn() -> f64,
    at: f64,
}

/// Who is told when a stage begins.
type Observer = fn(Stage);

/// Limits of one run, shared by its threads.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Thread-instructions that one kernel may execute; an instruction of a warp counts for at least 32, and
    /// accesses, atomics, barriers and matrix instructions for more.
    pub fuel: u64,
    /// Bytes that one kernel's terms and memory may hold.
    pub memory: u64,
    /// Seconds after which the face stops the run, if it does: only to be named.
    pub seconds: Option<u64>,
    deadline: Option<Deadline>,
    /// Steps of the comparison so far.
    taken: Arc<AtomicU64>,
    observer: Option<Observer>,
    shared: Arc<Shared>,
    /// Several questions of which this is one: who stops them stops this.
    whole: Option<Arc<Shared>>,
}

impl Default for Budget {
    /// Two billion thread-instructions, ten times the largest tile of the paper, and 480 MiB a kernel: two
    /// kernels that use up all of it stay below 1 GiB, which a browser tab survives.
    fn default() -> Self {
        Budget::new(2_000_000_000, 480 << 20)
    }
}

impl Budget {
    /// What two kernels and the comparison may hold together, in shares of `memory`: at the default what
    /// WebAssembly can address.
    pub const SHARES: u64 = 8;
    /// Steps of a comparison for each thread-instruction that a kernel may execute.
    const STEPS: u64 = 2;

    /// A budget of `fuel` thread-instructions and `memory` bytes for each kernel.
    pub fn new(fuel: u64, memory: u64) -> Self {
        Budget {
            fuel,
            memory,
            seconds: None,
            deadline: None,
            taken: Arc::new(AtomicU64::new(0)),
            observer: None,
            shared: Arc::default(),
            whole: None,
        }
    }

    /// The same, telling `observer` of each stage as it begins.
    pub fn observed(self, observer: fn(Stage)) -> Self {
        Budget { observer: Some(observer), ..self }
    }

    /// The same, for a face that stops the run after so many seconds.
    pub fn within(self, seconds: u64) -> Self {
        Budget { seconds: Some(seconds), ..self }
    }

    /// The same, stopped once `now` (in milliseconds, the same on all threads) is so many seconds on: for a
    /// face that has no thread beside the run.
    pub fn until(self, now: fn() -> f64, seconds: u64) -> Self {
        let at = now() + seconds as f64 * 1000.0;
        Budget { deadline: Some(Deadline { now, at }), ..self.within(seconds) }
    }

    /// The same for work that is done ahead and may turn out not to be needed, which depends on the threads:
    /// its steps are counted apart, and are to be spent by whoever uses what came of it.
    pub fn apart(&self) -> Self {
        Budget { taken: Arc::new(AtomicU64::new(0)), ..self.clone() }
    }

    /// The same limits for one of several questions, with counters of its own: who stops this budget stops all
    /// that it was given to.
    pub fn for_part(&self) -> Self {
        Budget { whole: Some(self.shared.clone()), shared: Arc::default(), ..self.apart() }
    }

    /// Steps spent so far.
    pub fn spent(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Steps that a comparison may take on all threads together: most are a node of an expression looked at
    /// or a monomial touched, and take some nanoseconds, as an instruction of a thread does.
    pub fn steps(&self) -> u64 {
        self.fuel.saturating_mul(Self::STEPS)
    }

    /// Counts steps of a comparison; `Err` if they are too many, or someone asked to stop.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Exhausted> {
        let before = self.taken.fetch_add(steps, Ordering::Relaxed);
        let after = before.saturating_add(steps);
        if after > self.steps() {
            return Err(Exhausted::Fuel);
        }
        // Clocks are read now and then: that may take longer than a step.
        if before >> 14 != after >> 14 { self.poll() } else { self.stopped() }
    }

    /// Spends `each` for the next `block` of `count` things, of which `at` are done, or for what is left.
    #[inline]
    pub fn spend_block(&self, at: usize, count: usize, block: usize, each: u64) -> Result<(), Exhausted> {
        self.spend(each * (count - at).min(block) as u64)
    }

    /// The flag behind [`stop`](Self::stop), for those who can only write to memory: 0 while the run may go
    /// on, 1 once it was cancelled, 2 when its time is up, 3 when the process holds too much memory.
    pub fn stop_flag(&self) -> &AtomicU8 {
        &self.shared.stopped
    }

    /// Asks the run to stop; it does so within milliseconds.
    pub fn cancel(&self) {
        self.stop(Exhausted::Cancelled);
    }

    /// The same for another reason; the first one counts.
    pub fn stop(&self, why: Exhausted) {
        let _ = self.shared.stopped.compare_exchange(0, why.flag(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` once someone asked to stop, or it is time to.
    #[inline]
    pub fn poll(&self) -> Result<(), Exhausted> {
        if let Some(Deadline { now, at }) = self.deadline
            && now() >= at
        {
            self.stop(Exhausted::Time);
        }
        self.stopped()
    }

    #[inline]
    fn stopped(&self) -> Result<(), Exhausted> {
        let mut flag = self.shared.stopped.load(Ordering::Relaxed);
        if let Some(whole) = &self.whole
            && flag == 0
        {
            flag = whole.stopped.load(Ordering::Relaxed);
        }
        match Exhausted::of_flag(flag) {
            None => Ok(()),
            Some(why) => Err(why),
        }
    }

    /// The counters of this run.
    pub fn progress(&self) -> &Progress {
        &self.shared.progress
    }

    /// Announces the next stage.
    pub fn enter(&self, stage: Stage) {
        self.shared.progress.stage.store(stage as u32, Ordering::Relaxed);
        if let Some(observer) = self.observer {
            observer(stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        for why in [Exhausted::Cancelled, Exhausted::Time, Exhausted::Memory] {
            let budget = Budget::default();
            assert_eq!(budget.poll(), Ok(()));
            budget.clone().stop(why);
            budget.cancel();
            budget.stop(Exhausted::Time);
            assert_eq!(budget.poll(), Err(why));
        }
    }

    #[test]
    fn steps_are_counted_for_all_threads_together() {
        let budget = Budget::new(100, 0);
        let (other, ahead) = (budget.clone(), budget.apart());
        assert_eq!(budget.spend(budget.steps() - 1), Ok(()));
        assert_eq!(ahead.spend(budget.steps()), Ok(()));
        assert_eq!((ahead.spent(), budget.spent()), (budget.steps(), budget.steps() - 1));
        assert_eq!(other.spend(1), Ok(()));
        assert_eq!(budget.spend(1), Err(Exhausted::Fuel));
        assert_eq!(other.spend(0), Err(Exhausted::Fuel));
        // What executes kernels is not meant.
        assert_eq!(budget.poll(), Ok(()));
    }

    #[test]
    fn parts_count_for_themselves_and_end_together() {
        let whole = Budget::new(100, 0);
        let (one, two) = (whole.for_part(), whole.for_part());
        assert_eq!(one.spend(one.steps() + 1), Err(Exhausted::Fuel));
        assert_eq!(two.spend(two.steps()), Ok(()));
        one.progress().executed.store(7, Ordering::Relaxed);
        assert_eq!(two.progress().executed.load(Ordering::Relaxed), 0);
        one.cancel();
        assert_eq!((one.poll(), two.poll(), whole.poll()), (Err(Exhausted::Cancelled), Ok(()), Ok(())));
        whole.stop(Exhausted::Time);
        assert_eq!((one.poll(), two.poll()), (Err(Exhausted::Cancelled), Err(Exhausted::Time)));
    }

    #[test]
    fn a_clock_that_was_handed_in_stops_a_run() {
        static NOW: AtomicU32 = AtomicU32::new(5000);
        let budget = Budget::default().until(|| f64::from(NOW.load(Ordering::Relaxed)), 2);
        assert_eq!((budget.poll(), budget.seconds), (Ok(()), Some(2)));
        NOW.store(7000, Ordering::Relaxed);
        assert_eq!(budget.spend(1), Ok(()));
        assert_eq!(budget.spend(1 << 14), Err(Exhausted::Time));
        assert_eq!(budget.clone().poll(), Err(Exhausted::Time));
    }
}
