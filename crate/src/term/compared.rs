//! Comparisons of floats: which instruction made them, and whether what they compare was rounded.
//!
//! Guarantees: a term that is not said to be rounded has, on a machine, the value that it has over the reals.
//! Misses: values that only their instruction rounds, where the term is an element (a conversion to half and back);
//! the ledger names those conversions.

use super::eval::operands;
use super::{Node, Term, Terms, Unary};
use rustc_hash::FxHashSet;

/// Nodes that are looked at before something counts as rounded.
const MOST: usize = 1 << 16;

/// The nodes from one number up to another, and the instruction that made them.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    first: u32,
    end: u32,
    instruction: u32,
}

impl Terms {
    /// An instruction that compares floats made all nodes from `first` on.
    pub fn note_comparison(&mut self, first: usize, instruction: u32) {
        let (first, end) = (first as u32, self.len() as u32);
        if first < end {
            self.comparisons.push(Comparison { first, end, instruction });
        }
    }

    /// Takes over which instructions made the comparisons of another store, whose nodes have these `places` here.
    pub fn note_comparisons(&mut self, other: &Terms, places: &[Term]) {
        let nodes = other.comparisons.iter().flat_map(|made| {
            (made.first..made.end).map(|node| (Term::from_node(node as usize), made.instruction))
        });
        let compares = nodes.filter(|(old, _)| matches!(other.node(*old), Node::Compare(..)));
        // Nearly all stand behind those before them.
        for (old, instruction) in compares {
            let place = old.as_node().and_then(|node| places.get(node)?.as_node());
            let Some(first) = place.map(|place| place as u32) else { continue };
            let at = self.comparisons.partition_point(|made| made.first < first);
            if self.comparisons.get(at).is_none_or(|made| made.first != first) {
                self.comparisons.insert(at, Comparison { first, end: first + 1, instruction });
            }
        }
    }

    /// Whether any comparison of floats is there.
    pub fn compares_floats(&self) -> bool {
        !self.comparisons.is_empty()
    }

    /// The instruction that made a comparison of floats.
    pub fn compared_by(&self, comparison: Term) -> Option<u32> {
        let node = comparison.as_node()? as u32;
        let next = self.comparisons.partition_point(|one| one.first <= node);
        let found = self.comparisons.get(next.checked_sub(1)?)?;
        (node < found.end).then_some(found.instruction)
    }

    /// Whether a machine may have rounded something on the way to a value.
    pub fn is_rounded(&self, term: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if term.as_node().is_none() || !seen.insert(term) {
                continue;
            }
            let node = self.node(term);
            if seen.len() > MOST || self.rounds(term, &node) {
                return true;
            }
            open.extend(carried(&node).into_iter().flatten());
        }
        false
    }

    /// Whether a step itself is one that machines round.
    pub fn rounds(&self, own: Term, node: &Node) -> bool {
        match node {
            Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Fma(..) | Node::Div(..) => {
                !self.is_integer(own)
            }
            Node::Unary(function, _) => {
                !matches!(function, Unary::Neg | Unary::Abs) && !function.is_rounding()
            }
            Node::Apply(..) => true,
            _ => false,
        }
    }
}

/// The operands whose values a step hands on, or makes something of.
pub fn carried(node: &Node) -> [Option<Term>; 3] {
    match *node {
        Node::Select(_, a, b) => [Some(a), Some(b), None],
        Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => [None; 3],
        _ => operands(node),
    }
}
