//! The append-only list of nodes, which grows without moving what it holds.
//!
//! A kernel's terms may be a hundred million nodes. A vector that doubles holds up to twice what it needs,
//! and three times while it moves; in WebAssembly, where memory is never given back, that is what the tab
//! keeps. Here nodes are appended to one piece of 2^16, and a full piece is put away.
//!
//! It is put away in *runs*. A warp builds a node for each lane, and what its lanes read lies side by side:
//! from one node to the next every word grows by the same amount. Such a run is kept as its first node and
//! that amount, 28 bytes for up to 64 nodes, and a page says where its runs begin. A product of matrices takes one to
//! four bytes a node instead of 16. [`Cached`] unfolds pages, for those who read one node after the other.
//!
//! Guarantees: a node is found in constant time. A piece that runs would not halve stays as it is, so there are
//! never more than 16 bytes a node. Misses: lanes that take turns between two rows are runs of one.

use super::Term;
use std::collections::BTreeSet;

/// log₂ of the nodes in a piece.
pub(super) const BITS: u32 = 16;
const PIECE: usize = 1 << BITS;
/// Nodes of a page: a bit each in a word.
const PAGE: usize = 64;

/// 16 bytes: operation in the low byte of `head`, small operands above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub(super) struct Packed {
    pub(super) head: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
}

/// Nodes of one operation whose words rise evenly: what the first node of the page would be, were it one of them,
/// and by how much each word grows from one to the next.
#[derive(Clone, Copy)]
struct Run {
    head: u32,
    first: [u32; 3],
    rise: [u32; 3],
}

impl Run {
    /// Of nodes of which the first two are these, at a place of the page; of one alone, if there is no other or it
    /// is another operation.
    fn new(place: usize, node: Packed, next: Option<&Packed>) -> Run {
        let words = |node: Packed| [node.a, node.b, node.c];
        let next = next.filter(|next| next.head == node.head).copied().unwrap_or(node);
        let rise = std::array::from_fn(|word| words(next)[word].wrapping_sub(words(node)[word]));
        let first = std::array::from_fn(|word: usize| {
            words(node)[word].wrapping_sub(rise[word].wrapping_mul(place as u32))
        });
        Run { head: node.head, first, rise }
    }

    /// The node at a place of the page.
    #[inline]
    fn at(&self, place: usize) -> Packed {
        let word = |word: usize| self.first[word].wrapping_add(self.rise[word].wrapping_mul(place as u32));
        Packed { head: self.head, a: word(0), b: word(1), c: word(2) }
    }
}

/// Where the runs of 64 nodes are: the first one, and at which nodes they begin.
#[derive(Clone, Copy)]
struct Page {
    first: u32,
    starts: u64,
}

/// A full piece, as runs.
struct Runs {
    pages: Box<[Page]>,
    runs: Box<[Run]>,
}

impl Runs {
    /// The runs of a piece, if they take half of its room at most.
    fn of(nodes: &[Packed]) -> Option<Runs> {
        let most = (size_of_val(nodes) / 2 - nodes.len() / PAGE * size_of::<Page>()) / size_of::<Run>();
        let (mut pages, mut runs) = (Vec::with_capacity(nodes.len() / PAGE), Vec::new());
        for nodes in nodes.chunks(PAGE) {
            let mut page = Page { first: runs.len() as u32, starts: 0 };
            let mut at = 0;
            while at < nodes.len() {
                page.starts |= 1 << at;
                let run = Run::new(at, nodes[at], nodes.get(at + 1));
                at += 1;
                while at < nodes.len() && nodes[at] == run.at(at) {
                    at += 1;
                }
                runs.push(run);
            }
            if runs.len() > most {
                return None;
            }
            pages.push(page);
        }
        Some(Runs { pages: pages.into_boxed_slice(), runs: runs.into_boxed_slice() })
    }

    #[inline]
    fn at(&self, index: usize) -> Packed {
        let Page { first, starts } = self.pages[index / PAGE];
        let place = index % PAGE;
        let begun = (starts & (u64::MAX >> (PAGE - 1 - place))).count_ones();
        self.runs[(first + begun - 1) as usize].at(place)
    }

    /// All nodes of a page.
    fn unfold(&self, page: usize, nodes: &mut [Packed; PAGE]) {
        let Page { first, starts } = self.pages[page];
        let mut rest = starts;
        let mut run = first as usize;
        while rest != 0 {
            let from = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let to = (rest.trailing_zeros() as usize).min(PAGE);
            let own = self.runs[run];
            for (place, node) in nodes.iter_mut().enumerate().take(to).skip(from) {
                *node = own.at(place);
            }
            run += 1;
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.pages) + size_of_val(&*self.runs)
    }
}

enum Piece {
    Plain(Vec<Packed>),
    Runs(Runs),
}

/// Nodes in pieces of 2^16.
pub(super) struct Chunks {
    full: Vec<Piece>,
    /// For each full piece, in which pieces its nodes' operands are.
    needs: Vec<Box<[u32]>>,
    last: Vec<Packed>,
}

impl Chunks {
    pub(super) fn new() -> Self {
        Chunks { full: Vec::new(), needs: Vec::new(), last: Vec::new() }
    }

    /// For each piece, the last one that has an operand in it (itself, if there is none).
    pub(super) fn last_needed(&self) -> Vec<u32> {
        let mut last: Vec<u32> = (0..=self.full.len() as u32).collect();
        for (at, needs) in self.needs.iter().enumerate() {
            needs.iter().for_each(|needed| last[*needed as usize] = at as u32);
        }
        needs_of(&self.last).iter().for_each(|needed| last[*needed as usize] = self.full.len() as u32);
        last
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        (self.full.len() << BITS) + self.last.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let full = self.full.iter().map(|piece| match piece {
            Piece::Plain(nodes) => nodes.capacity() * size_of::<Packed>(),
            Piece::Runs(runs) => runs.bytes(),
        });
        (full.sum::<usize>() + self.last.capacity() * size_of::<Packed>()) as u64
    }

    /// The node with that number.
    #[inline]
    pub(super) fn at(&self, index: usize) -> Packed {
        match self.full.get(index >> BITS) {
            None => self.last[index & (PIECE - 1)],
            Some(Piece::Plain(nodes)) => nodes[index & (PIECE - 1)],
            Some(Piece::Runs(runs)) => runs.at(index & (PIECE - 1)),
        }
    }

    /// The same, if there is one.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<Packed> {
        (index < self.len()).then(|| self.at(index))
    }

    /// Appends a node.
    #[inline]
    pub(super) fn push(&mut self, node: Packed) {
        self.last.push(node);
        if self.last.len() == PIECE {
            self.put_away();
        }
    }

    #[cold]
    fn put_away(&mut self) {
        self.needs.push(needs_of(&self.last));
        let piece = match Runs::of(&self.last) {
            // The piece that is filled next is this one again, which is in the caches.
            Some(runs) => Piece::Runs(runs),
            None => Piece::Plain(std::mem::replace(&mut self.last, Vec::with_capacity(PIECE))),
        };
        self.full.push(piece);
        self.last.clear();
    }
}

/// Nodes read one after the other, through the page that was unfolded last.
pub(super) struct Cached<'a> {
    chunks: &'a Chunks,
    number: usize,
    page: [Packed; PAGE],
}

impl<'a> Cached<'a> {
    pub(super) fn new(chunks: &'a Chunks) -> Self {
        Cached { chunks, number: usize::MAX, page: [Packed { head: 0, a: 0, b: 0, c: 0 }; PAGE] }
    }

    #[inline]
    pub(super) fn at(&mut self, index: usize) -> Packed {
        match self.chunks.full.get(index >> BITS) {
            None => self.chunks.last[index & (PIECE - 1)],
            Some(Piece::Plain(nodes)) => nodes[index & (PIECE - 1)],
            Some(Piece::Runs(runs)) => {
                if self.number != index / PAGE {
                    self.number = index / PAGE;
                    runs.unfold(self.number % (PIECE / PAGE), &mut self.page);
                }
                self.page[index % PAGE]
            }
        }
    }
}

/// In which pieces the operands of nodes are, ascending.
fn needs_of(nodes: &[Packed]) -> Box<[u32]> {
    let (mut needs, mut lately) = (BTreeSet::new(), [u32::MAX; 3]);
    for node in nodes {
        for (operand, lately) in node.operands().iter().zip(&mut lately) {
            if operand >> BITS != *lately && Term(*operand).as_node().is_some() {
                *lately = operand >> BITS;
                needs.insert(*lately);
            }
        }
    }
    needs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(head: u32, a: u32, b: u32, c: u32) -> Packed {
        Packed { head, a, b, c }
    }

    /// What is appended is what is there, and how many bytes it takes.
    fn kept(count: usize, make: impl Fn(u32) -> Packed) -> u64 {
        let mut list = Chunks::new();
        for at in 0..count {
            assert_eq!(list.len(), at);
            list.push(make(at as u32));
        }
        assert_eq!(list.len(), count);
        for at in (0..count).rev() {
            assert_eq!(list.get(at), Some(make(at as u32)), "{at}");
        }
        assert_eq!(list.get(count), None);
        let mut cached = Cached::new(&list);
        assert!((0..count).rev().chain(0..count).all(|at| cached.at(at) == make(at as u32)));
        list.bytes()
    }

    fn random(at: u32) -> u32 {
        at.wrapping_mul(0x9e37_79b9) ^ (at >> 3).wrapping_mul(0x85eb_ca6b)
    }

    #[test]
    fn what_does_not_rise_evenly_takes_its_16_bytes() {
        assert_eq!(kept(3 * PIECE, |at| node(3, random(at), at, 1)), (4 * 16) << BITS);
        assert!(kept(1, |_| node(1, 2, 3, 4)) < 1 << 10);
    }

    #[test]
    fn lanes_that_read_side_by_side_are_runs() {
        // A row of the first matrix, columns of the second; falling words; runs across pages; a new operation.
        let lanes = |width: u32| {
            move |at: u32| {
                let (lane, step) = (at % width, at / width);
                node(3, 1000 + step, step * 77 + lane, at.wrapping_sub(width))
            }
        };
        let bytes = |width: u32| kept(8 * PIECE, lanes(width)) - (16 << BITS);
        assert!(bytes(32) < (8 * PIECE) as u64 * 3 / 2);
        assert!(bytes(48) < (8 * PIECE) as u64 * 2);
        assert!(bytes(8) < (8 * PIECE) as u64 * 5);
        assert_eq!(bytes(1), bytes(64));
        assert!(kept(4 * PIECE, |at| node(at / 40 % 3, u32::MAX - at, at << 20, 7)) < 3 << BITS << 4);
    }

    #[test]
    fn a_piece_is_needed_by_the_last_that_has_an_operand_in_it() {
        let mut list = Chunks::new();
        let far = |at: usize| if at == 4 * PIECE + 7 { PIECE as u32 } else { at.saturating_sub(1) as u32 };
        // Operands of additions; the third word is none.
        (0..5 * PIECE + 1).for_each(|at| list.push(node(0, far(at), 1 << 31 | 5, 3)));
        assert_eq!(list.last_needed(), [1, 4, 3, 4, 5, 5]);
    }

    #[test]
    fn runs_of_any_length_are_what_was_appended() {
        for length in 1..=70 {
            kept(PIECE + 10, |at| {
                let run = at / length;
                node(1, at.wrapping_mul(random(run) >> 3), random(run).wrapping_add(at % length * 5), 0)
            });
        }
        // Halves at random: some pieces are kept as runs, others are not.
        kept(6 * PIECE, |at| {
            let even = (at / PIECE as u32).is_multiple_of(2) || at % 64 > 20;
            node(2, if even { at } else { random(at) }, 5, random(at / 64))
        });
    }
}
