//! An append-only list that grows without moving what it holds.
//!
//! A kernel's terms fill half a gigabyte. A vector that doubles holds up to twice that, and three
//! times while it moves; in WebAssembly, where memory is never given back, that is what the tab
//! keeps. Here growing costs one allocation of fixed size.

/// log₂ of the items in a piece.
const BITS: u32 = 16;
const MASK: usize = (1 << BITS) - 1;

/// Items in pieces of 2^16; all but the last are full.
pub(super) struct Chunks<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Chunks<T> {
    pub(super) fn new() -> Self {
        Chunks { pieces: Vec::new() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        match self.pieces.last() {
            Some(last) => ((self.pieces.len() - 1) << BITS) + last.len(),
            None => 0,
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| (piece.capacity() * size_of::<T>()) as u64).sum()
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.pieces.get(index >> BITS)?.get(index & MASK)
    }

    /// Appends an item.
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        match self.pieces.last_mut() {
            Some(last) if last.len() <= MASK => last.push(item),
            _ => self.push_piece(item),
        }
    }

    #[cold]
    fn push_piece(&mut self, item: T) {
        // The first one grows as needed: most stores are small.
        let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 0 } else { 1 << BITS });
        piece.push(item);
        self.pieces.push(piece);
    }
}

impl<T> std::ops::Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        &self.pieces[index >> BITS][index & MASK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_places_across_pieces() {
        let mut list = Chunks::new();
        assert_eq!(list.len(), 0);
        assert_eq!(list.get(0), None);
        let count = 3 << BITS;
        for item in 0..=count {
            assert_eq!(list.len(), item);
            list.push(item);
        }
        assert!([0, MASK, MASK + 1, count].iter().all(|at| list[*at] == *at && list.get(*at) == Some(at)));
        assert_eq!(list.get(count + 1), None);
        assert_eq!(list.bytes(), (4 * 8) << BITS);
        let mut short = Chunks::new();
        short.push(1u64);
        assert!(short.bytes() < 1 << 10);
    }
}
