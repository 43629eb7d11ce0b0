//! Which values may divide by zero, or take a root or logarithm of what has none: a bit for each node, set where the node
//! itself may or one of its operands does.
//!
//! Guarantees: no such node below a value goes unseen, however far below.
//! Misses: divisors and arguments that are never zero or negative, unless they are positive constants.

use super::Term;
use super::node::{Node, Unary};
use super::store::Terms;
use num_traits::{Signed, Zero};

/// The nodes that may have no value, and whether elements may have none.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    nodes: Vec<u64>,
    elements: bool,
}

impl Partial {
    /// Whether there is no such node.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && !self.elements
    }

    #[inline]
    fn has(&self, term: Term) -> bool {
        let Some(id) = term.as_node() else { return self.elements && term.as_element().is_some() };
        self.nodes.get(id / 64).is_some_and(|bits| bits >> (id % 64) & 1 == 1)
    }

    fn insert(&mut self, id: usize) {
        if self.nodes.len() <= id / 64 {
            self.nodes.resize(id / 64 + 1, 0);
        }
        self.nodes[id / 64] |= 1 << (id % 64);
    }
}

impl Terms {
    /// From now on elements stand for whatever a value may be.
    pub fn open_elements(&mut self) {
        self.partial.elements = true;
    }

    /// Whether a value may divide by zero, or take a root or logarithm of what has none.
    pub fn is_partial(&self, term: Term) -> bool {
        self.partial.has(term)
    }

    /// Notes of a new node whether it is partial.
    pub(super) fn note_partial(&mut self, id: usize, node: &Node) {
        let positive = |of: Term| self.as_rational(of).is_some_and(Signed::is_positive);
        let own = match *node {
            Node::Div(_, below) | Node::Unary(Unary::Recip, below) => {
                self.as_rational(below).is_none_or(Zero::is_zero)
            }
            Node::Unary(Unary::Sqrt | Unary::Rsqrt | Unary::Log | Unary::Log2, of) => !positive(of),
            _ => false,
        };
        if own || super::eval::operands(node).into_iter().flatten().any(|operand| self.partial.has(operand)) {
            self.partial.insert(id);
        }
    }
}
