//! What every layer shares: ids, source spans, scalar formats, budgets, near names.
//!
//! No knowledge of PTX, terms or verdicts lives here.

mod budget;
pub mod exact;
mod format;
mod ids;
mod lines;
mod mangling;
mod names;
mod omega;
mod signature;
mod span;
mod suggest;

pub use budget::{Budget, Exhausted, Progress, Stage};
pub use format::{Format, FormatClass};
pub(crate) use ids::id;
pub use lines::{LineIndex, Position};
pub use names::readable;
pub use omega::{Constraints, Linear, OutOfReach, Point};
pub use signature::{Declared, declared};
pub use span::{Source, Span};
pub use suggest::nearest;
