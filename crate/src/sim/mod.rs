//! The CTA machine: executes a kernel symbolically under one schedule and reports what happened.
//!
//! (being written: the types of [`outcome`] are the interface)

mod outcome;
mod setup;

pub use outcome::{
    AccessKind, Cell, EventKind, Fault, FaultKind, Place, Race, RaceSide, Run, Segment, Site, Stats,
    TensorState, Thread, Timeline, TimelineAccess, WaitGroup, WaitKind,
};
pub use setup::{Binding, BoundParameter, Initial, Options, Schedule, Setup, TensorSetup};

use crate::base::Budget;
use crate::ir::Kernel;

/// Executes a kernel.
pub fn simulate(_options: &Options, _budget: &Budget, _kernel: &Kernel, _setup: &Setup) -> Run {
    unimplemented!("lands within the hour")
}
