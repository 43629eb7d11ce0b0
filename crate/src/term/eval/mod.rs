//! Evaluation of terms.

mod interval;

pub use interval::Interval;
