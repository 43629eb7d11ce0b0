//! Budgets: how much a run may execute and hold, and how it is told to stop.
//!
//! Every loop whose length the user controls calls [`Budget::tick`] or checks its own share, so
//! that a run ends in a diagnostic instead of a hang. Nothing here reads a clock: times are the
//! faces' business. One budget is shared by all threads of a run; `Clone` shares it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Why a run had to stop early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// Someone asked it to stop.
    Cancelled,
    /// More instructions executed than allowed.
    Fuel,
    /// More memory held than allowed.
    Memory,
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

#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    progress: Progress,
}

/// Who is told when a stage begins.
type Observer = fn(Stage);

/// Limits of one run, shared by its threads.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Thread-instructions that one kernel may execute; an instruction of a warp counts for at least 8.
    pub fuel: u64,
    /// Bytes that one kernel's terms and memory may hold.
    pub memory: u64,
    observer: Option<Observer>,
    shared: Arc<Shared>,
}

impl Default for Budget {
    /// Two billion thread-instructions, ten times the largest tile of the paper, and 480 MiB a kernel: two
    /// kernels that use up all of it stay below 1 GiB, which a browser tab survives.
    fn default() -> Self {
        Budget::new(2_000_000_000, 480 << 20)
    }
}

impl Budget {
    /// A budget of `fuel` thread-instructions and `memory` bytes for each kernel.
    pub fn new(fuel: u64, memory: u64) -> Self {
        Budget {
            fuel,
            memory,
            observer: None,
            shared: Arc::new(Shared { cancelled: AtomicBool::new(false), progress: Progress::default() }),
        }
    }

    /// The same, telling `observer` of each stage as it begins.
    pub fn observed(self, observer: fn(Stage)) -> Self {
        Budget { observer: Some(observer), ..self }
    }

    /// The flag behind [`cancel`](Self::cancel), for those who can only write to memory.
    pub fn cancel_flag(&self) -> &AtomicBool {
        &self.shared.cancelled
    }

    /// Asks the run to stop; it does so within milliseconds.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// `Err(Cancelled)` once someone asked to stop.
    #[inline]
    pub fn poll(&self) -> Result<(), Exhausted> {
        if self.shared.cancelled.load(Ordering::Relaxed) { Err(Exhausted::Cancelled) } else { Ok(()) }
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
