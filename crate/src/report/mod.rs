//! From texts to an answer: runs the stages in order and puts the outcome into words.
//!
//! [`check`] compares two kernels, [`analyze`] looks at one, [`infer`] says what a PTX file shows
//! before anything runs (the page calls it on every edit). The order of the stages: parse and lower
//! both kernels side by side (`front`); bind arguments (`arguments`, `launch`, `bind`); simulate
//! both side by side; faults (`faults`) decide the verdict if there are any; otherwise output
//! elements are paired (`compare`), decided, re-checked, and shown (`evidence`, `witness`).
//!
//! Guarantees: the same inputs and options give the same [`Report`], whatever the number of
//! threads; nothing here reads a clock (faces pass one in, if they want times); a verdict of
//! *equivalent* means that something was compared, every pair was proved equal, and `check`
//! confirmed each certificate.
//!
//! Which fault names the verdict when there are several: `faults::PRECEDENCE`.

mod arguments;
mod assumptions;
mod bind;
mod compare;
mod encode;
mod evidence;
mod expression;
mod faults;
mod front;
mod infer;
mod launch;
mod model;
mod pipeline;
mod texts;
mod timeline;
mod witness;

pub use infer::infer;
pub use model::*;
pub use pipeline::{analyze, check};
pub use timeline::FlatTimeline;

use crate::sim::Schedule;

/// The texts of a question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    /// The reference kernel's PTX; `None` to look at one kernel alone.
    pub reference: Option<&'a str>,
    /// The optimized kernel's PTX, or the only kernel's.
    pub optimized: &'a str,
    /// The spec file.
    pub spec: Option<&'a str>,
}

/// How to run.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Threads to use; `None` for the ambient pool.
    pub threads: Option<usize>,
    /// Timeline events to keep for each kernel; 0 for none.
    pub timeline_events: usize,
    /// The schedule of warps (verdicts do not depend on it; tests vary it).
    pub schedule: Schedule,
    /// Milliseconds since some moment, for times in the report; `None` leaves them out.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
}

/// What a run gives: the report, and the large arrays that stay out of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// One a kernel that ran.
    pub timelines: Vec<FlatTimeline>,
}
