//! Symbolic values: real-valued terms, conditions over them, and opaque bit patterns.
//!
//! A [`Terms`] store holds the terms that one simulated kernel builds. A [`Term`] is a `u32`:
//! tensor elements and constants are numbers in reserved ranges (no allocation); everything else
//! is a 16-byte node that is appended and never changed (and put away in fewer: [`chunks`]). Appending is the hot path: one probe of
//! a small lossy cache finds a node that was just built (lanes of a warp repeat each other), and
//! nothing is normalized beyond neutral elements, because normal forms are `decide`'s business.
//!
//! Guarantees: equal ids mean equal values; a term's operands have smaller node ids than the term
//! (so one forward pass visits operands first). Not guaranteed: different ids say nothing.

mod beyond;
mod bounds;
mod chunks;
mod compared;
pub(crate) mod constant;
mod elements;
pub mod eval;
pub mod flatten;
mod gap;
pub mod inverse;
mod likeness;
mod node;
mod partial;
mod patterns;
pub mod print;
mod range;
mod recent;
mod replace;
mod store;
mod through;
mod value;

pub use bounds::never_negative;
pub use compared::carried;
pub use constant::{Constant, Named, Number};
pub(crate) use constant::{decode, slack};
pub use elements::{Block, Elements, Pages, coordinates, index_name};
pub use eval::Interval;
pub use gap::{Gap, Missing, Origin};
pub use likeness::Likeness;
pub use node::{BitOp, Node, Relation, Rounding, Unary};
pub use range::{Range, Ranges, integers};
pub use store::{Reader, Terms, TermsView};
pub use through::Through;
pub use value::{Symbol, SymbolKind, Value};

/// A real-valued term, a condition, or a bit pattern; which one its node says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

const ELEMENT: u32 = 1 << 31;
const CONSTANT: u32 = 1 << 30;

impl Term {
    /// The constant 0.
    pub const ZERO: Term = Term(CONSTANT);
    /// The constant 1.
    pub const ONE: Term = Term(CONSTANT | 1);
    /// The constant -1.
    pub const MINUS_ONE: Term = Term(CONSTANT | 2);
    /// +∞.
    pub const INFINITY: Term = Term(CONSTANT | 3);
    /// -∞.
    pub const MINUS_INFINITY: Term = Term(CONSTANT | 4);
    /// The condition that always holds.
    pub const TRUE: Term = Term(CONSTANT | 5);
    /// The condition that never holds.
    pub const FALSE: Term = Term(CONSTANT | 6);

    /// Tensor element `index` (< 2^31) of the flat numbering that both kernels of a pair share.
    #[inline]
    pub const fn element(index: u32) -> Term {
        debug_assert!(index < ELEMENT);
        Term(ELEMENT | index)
    }

    /// The element number, if this is a tensor element.
    #[inline]
    pub fn as_element(self) -> Option<u32> {
        (self.0 & ELEMENT != 0).then_some(self.0 & !ELEMENT)
    }

    #[inline]
    pub(crate) fn constant(index: usize) -> Term {
        debug_assert!(index < CONSTANT as usize);
        Term(CONSTANT | index as u32)
    }

    /// The index into the constant table, if this is a constant.
    #[inline]
    pub fn as_constant(self) -> Option<usize> {
        (self.0 & (ELEMENT | CONSTANT) == CONSTANT).then_some((self.0 & !CONSTANT) as usize)
    }

    /// The node index, if this is neither an element nor a constant.
    #[inline]
    pub fn as_node(self) -> Option<usize> {
        (self.0 & (ELEMENT | CONSTANT) == 0).then_some(self.0 as usize)
    }

    #[inline]
    pub(crate) fn from_node(index: usize) -> Term {
        debug_assert!(index < CONSTANT as usize);
        Term(index as u32)
    }

    /// The id as a number, for encodings.
    #[inline]
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The inverse of [`Term::raw`].
    #[inline]
    pub fn from_raw(raw: u32) -> Term {
        Term(raw)
    }
}

impl std::fmt::Debug for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(element) = self.as_element() {
            write!(f, "e{element}")
        } else if let Some(constant) = self.as_constant() {
            write!(f, "c{constant}")
        } else {
            write!(f, "t{}", self.0)
        }
    }
}
