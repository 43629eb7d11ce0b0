//! Evaluation of terms.

mod cone;
mod interval;

pub use cone::{Cone, Reach, operands, with_operands};
pub use interval::Interval;
