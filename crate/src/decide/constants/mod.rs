//! What the constants of two kernels mean.
//!
//! Kernels are compared over the reals, but their constants are rounded: 0f3FB8AA3B is not log₂ e, only the closest
//! float. Read literally, hardly any two kernels agree; so a constant that is the rounding of a recognizably simple
//! number is read as that number, and the ledger says so.
//!
//! [`Exact`] is what a constant can mean, [`recovery`] finds the meaning of one constant, [`Meanings`] does so for
//! both kernels of a pair, and [`together`] finds other meanings for constants that still separate the two.

mod exact;
mod meanings;
mod recovery;
mod simplest;
mod together;

pub use exact::{Exact, Factor};
pub use meanings::{Computed, Meaning, Meanings, Spread};
pub(in crate::decide) use together::{Reread, together};
