//! Through which formats numbers went, where those have no place for large ones.
//!
//! Over the reals a conversion is the number itself. On the machine, f16 has no number beyond 65504, and what a
//! float becomes as an integer is clamped. Inputs that are claimed to tell two kernels apart have to do so there
//! as well. So a store remembers which terms went through f16 or bf16 (one bit a node, once there is one), and which
//! are integers that floats became.
//!
//! Guarantees: none about terms that did not; a term that went through a format may also be used as it was before,
//! because both are one node. So who looks for inputs looks at both readings.
//! Misses: f32, f64 and tf32, whose largest numbers nobody's inputs come near; of bf16 only its precision counts.

use super::{Term, Terms};
use crate::base::Format;
use rustc_hash::FxHashSet;

/// Which terms went through a narrow format.
#[derive(Clone, Default)]
pub(super) struct Narrow {
    nodes: Vec<u64>,
    leaves: FxHashSet<Term>,
}

/// What a number went through, and what that does to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Through {
    /// f16 or bf16: it has few digits, and in f16 large ones are infinite.
    Float(Format),
    /// Integers: they are clamped.
    Integers(i128, i128),
}

/// The formats that are remembered.
const NARROW: [Format; 2] = [Format::F16, Format::Bf16];

impl Terms {
    /// Notes that a number went through a float format, if that is a narrow one.
    #[inline]
    pub fn note_float(&mut self, format: Format, term: Term) {
        let Some(which) = NARROW.iter().position(|narrow| *narrow == format) else { return };
        let narrow = &mut self.narrow[which];
        let Some(node) = term.as_node() else {
            if term.as_element().is_some() {
                narrow.leaves.insert(term);
            }
            return;
        };
        if narrow.nodes.len() <= node / 64 {
            narrow.nodes.resize(node / 64 + 1, 0);
        }
        narrow.nodes[node / 64] |= 1 << (node % 64);
    }

    /// Through which format a number went, if that may change it.
    pub fn through(&self, term: Term) -> Option<Through> {
        if let Some((least, most)) = self.converted.get(&term) {
            return Some(Through::Integers(*least, *most));
        }
        let went = |narrow: &Narrow| match term.as_node() {
            Some(node) => narrow.nodes.get(node / 64).is_some_and(|word| word >> (node % 64) & 1 == 1),
            None => narrow.leaves.contains(&term),
        };
        let which = self.narrow.iter().position(went)?;
        Some(Through::Float(NARROW[which]))
    }

    /// An empty store over the elements of another one.
    pub fn beside(other: &Terms) -> Terms {
        let mut new = Terms::new();
        for (first, format) in other.element_formats() {
            new.note_elements(first, format);
        }
        for (own, other) in new.narrow.iter_mut().zip(&other.narrow) {
            own.leaves.clone_from(&other.leaves);
        }
        new
    }

    /// Takes over from another store through what one of its terms went, which is `own` here.
    pub fn note_through(&mut self, own: Term, other: &Terms, term: Term) {
        match other.through(term) {
            Some(Through::Float(format)) => self.note_float(format, own),
            Some(Through::Integers(least, most)) if own.as_node().is_some() => {
                self.converted.insert(own, (least, most));
            }
            Some(Through::Integers(..)) | None => {}
        }
    }
}
