//! What a kernel wrote of a tensor: elements in logical order, each with its value and its writer.
//!
//! Only what was written is here, so that a comparison costs what kernels write, whatever they declare.

use crate::term::Term;

/// The written elements of a tensor.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Written {
    /// Where neighbouring elements begin: the first one's index in the tensor, and in the lists.
    runs: Vec<(u64, usize)>,
    terms: Vec<Term>,
    writers: Vec<u32>,
}

impl Written {
    /// Appends an element, behind all that are here, with the instruction that wrote it last
    /// (`u32::MAX` where none is known).
    pub fn push(&mut self, index: u64, term: Term, writer: u32) {
        let at = self.terms.len();
        if self.runs.last().is_none_or(|(first, from)| first + (at - from) as u64 != index) {
            self.runs.push((index, at));
        }
        self.terms.push(term);
        self.writers.push(writer);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value of an element and the instruction that wrote it, if it was written.
    pub fn get(&self, index: u64) -> Option<(Term, u32)> {
        let run = self.runs.partition_point(|(first, _)| *first <= index).checked_sub(1)?;
        let (first, from) = self.runs[run];
        let end = self.runs.get(run + 1).map_or(self.terms.len(), |(_, from)| *from);
        let at = usize::try_from(index - first).ok()?.checked_add(from).filter(|at| *at < end)?;
        Some((self.terms[at], self.writers[at]))
    }

    /// All, ascending: index, value, writer.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Term, u32)> {
        (0..self.runs.len()).flat_map(move |run| {
            let (first, from) = self.runs[run];
            let end = self.runs.get(run + 1).map_or(self.terms.len(), |(_, from)| *from);
            (from..end).map(move |at| (first + (at - from) as u64, self.terms[at], self.writers[at]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_their_index() {
        let mut written = Written::default();
        for index in [3, 4, 9, 1 << 40] {
            written.push(index, Term::element(index as u32 & 15), index as u32);
        }
        assert_eq!((written.len(), written.runs.len()), (4, 3));
        assert_eq!(written.get(4), Some((Term::element(4), 4)));
        assert_eq!(written.get(1 << 40), Some((Term::element(0), 0)));
        assert!([0, 5, 10].iter().all(|index| written.get(*index).is_none()));
        assert_eq!(written.iter().map(|(index, ..)| index).collect::<Vec<_>>(), [3, 4, 9, 1 << 40]);
    }
}
