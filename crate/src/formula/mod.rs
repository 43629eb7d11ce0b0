//! Formulas: programs over tensors in the words of NumPy and PyTorch, as references for kernels.
//!
//! ```text
//! s = Q @ K.T * scale + where(arange(M)[:, None] >= arange(N)[None, :], 0, -inf)
//! O = softmax(s, axis=-1) @ V
//! ```
//!
//! [`parse`] reads the text (`lex`, `parse`, `tree`), [`elaborate`] finds shapes and kinds and makes a graph of
//! arrays (`meaning`, `arrays`, `operators`, `graph`; functions are rows of `functions`), and [`Evaluation`]
//! gives elements as terms, each when it is asked for (`evaluate`): a kernel that writes one tile of a large
//! product costs one tile.
//!
//! Guaranteed: numbers are exact; what a function means over the reals is said in one place; a formula that does
//! not fit its tensors is a [`Problem`] with its place. Not modelled: rounding and the types of intermediate
//! values (`astype` to a float type changes nothing), infinities beyond -∞ and +∞ as constants.

mod arrays;
mod dialects;
mod evaluate;
mod functions;
mod graph;
mod lex;
mod meaning;
mod operators;
mod parse;
mod tree;
mod whole;
mod words;

pub use dialects::{Dialect, write};
pub use evaluate::{Evaluation, Stopped};
pub use functions::{FUNCTIONS, Function, Meaning};
pub use graph::{Fold, Function as Operation, Graph, Id, Kind, Number, Op};
pub use lex::decimal;
pub use meaning::{Assigned, Elaborated, Input, Value, elaborate};
pub use parse::{condition, looks_like_formula, parse, within_condition};
pub use tree::{Argument, Expression, Kind as Syntax, Operator, Program, Sign, Statement};
pub use whole::{Names, Whole};
pub use words::dtype_name;

use crate::base::Span;

/// What is wrong with a formula, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What, in one sentence without a full stop.
    pub message: String,
    /// What to do.
    pub notes: Vec<String>,
}

impl Problem {
    /// A problem at a place.
    #[cold]
    pub fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem { span, message: message.into(), notes: Vec::new() }
    }

    /// Adds what to do.
    #[cold]
    pub fn note(mut self, note: impl Into<String>) -> Problem {
        self.notes.push(note.into());
        self
    }
}
