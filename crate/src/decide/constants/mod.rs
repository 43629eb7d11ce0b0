//! What the constants of two kernels mean.

mod exact;

pub use exact::{Exact, Factor};
