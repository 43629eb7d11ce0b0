//! Through which formats numbers went, where those have no place for large ones.
//!
//! Over the reals a conversion is the number itself. On the machine, f16 has no number beyond 65504, and what a
//! float becomes as an integer is clamped. Inputs that are claimed to tell two kernels apart have to do so there
//! as well. So a store remembers which terms went through f16 (one bit a node, once there is one), and which
//! are integers that floats became.
//!
//! Guarantees: none about terms that did not; a term that went through a format may also be used as it was before,
//! because both are one node. So who looks for inputs looks at both readings.
//! Misses: f32 and f64, bf16 and tf32, whose largest numbers nobody's inputs come near.

use super::{Term, Terms};
use rustc_hash::FxHashSet;

/// Which terms went through f16.
#[derive(Clone, Default)]
pub(super) struct Halves {
    nodes: Vec<u64>,
    leaves: FxHashSet<Term>,
}

/// What a format does to large numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Through {
    /// f16: they are infinite.
    Half,
    /// Integers: they are clamped.
    Integers(i128, i128),
}

impl Terms {
    /// Notes that a number went through f16.
    #[inline]
    pub fn note_half(&mut self, term: Term) {
        let Some(node) = term.as_node() else {
            if term.as_element().is_some() {
                self.halves.leaves.insert(term);
            }
            return;
        };
        let nodes = &mut self.halves.nodes;
        if nodes.len() <= node / 64 {
            nodes.resize(node / 64 + 1, 0);
        }
        nodes[node / 64] |= 1 << (node % 64);
    }

    /// Through which format a number went, if one has no place for all of them.
    pub fn through(&self, term: Term) -> Option<Through> {
        if let Some((least, most)) = self.converted.get(&term) {
            return Some(Through::Integers(*least, *most));
        }
        let is_half = match term.as_node() {
            Some(node) => self.halves.nodes.get(node / 64).is_some_and(|word| word >> (node % 64) & 1 == 1),
            None => self.halves.leaves.contains(&term),
        };
        is_half.then_some(Through::Half)
    }

    /// An empty store over the elements of another one.
    pub fn beside(other: &Terms) -> Terms {
        let mut new = Terms::new();
        for (first, format) in other.element_formats() {
            new.note_elements(first, format);
        }
        new.halves.leaves.clone_from(&other.halves.leaves);
        new
    }

    /// Takes over from another store through what one of its terms went, which is `own` here.
    pub fn note_through(&mut self, own: Term, other: &Terms, term: Term) {
        match other.through(term) {
            Some(Through::Half) => self.note_half(own),
            Some(Through::Integers(least, most)) if own.as_node().is_some() => {
                self.converted.insert(own, (least, most));
            }
            Some(Through::Integers(..)) | None => {}
        }
    }
}
