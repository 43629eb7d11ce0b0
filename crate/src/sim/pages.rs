//! Where the pages of a large region lie: a table from page numbers to slots.
//!
//! A region is as large as its tensor is declared, which says nothing about what a kernel touches. So
//! its contents are kept in pages that are there once they are touched. The table has two levels: one
//! entry for each 4 MiB of a region up to the farthest touched, and behind it one for each page.

/// log₂ of the bytes of a page.
pub(super) const PAGE: u32 = 10;
/// Bytes of a page. Accesses are aligned and smaller, so none lies in two pages.
pub(super) const PAGE_BYTES: u64 = 1 << PAGE;
const LEAF: u32 = 12;

/// Slots, by page; 0 for those that are not there.
type Leaf = Box<[u32; 1 << LEAF]>;

/// The table.
#[derive(Clone, Default)]
pub(super) struct Pages {
    leaves: Vec<Option<Leaf>>,
    /// The pages, by slot.
    numbers: Vec<u64>,
}

impl Pages {
    /// Whether the page of an offset is there.
    #[inline]
    pub(super) fn has(&self, offset: u64) -> bool {
        self.slot(offset) != 0
    }

    #[inline]
    fn slot(&self, offset: u64) -> u32 {
        match self.leaves.get((offset >> (PAGE + LEAF)) as usize) {
            Some(Some(leaf)) => leaf[(offset >> PAGE) as usize & ((1 << LEAF) - 1)],
            _ => 0,
        }
    }

    /// The place of an offset, whose page is there, among the bytes of all pages.
    #[inline]
    pub(super) fn place(&self, offset: u64) -> u64 {
        let slot = self.slot(offset);
        debug_assert!(slot != 0, "the page of {offset} was never touched");
        u64::from(slot.wrapping_sub(1)) << PAGE | offset & (PAGE_BYTES - 1)
    }

    /// Gives the page of an offset, which is not there yet, the next slot.
    pub(super) fn add(&mut self, offset: u64) {
        let at = (offset >> (PAGE + LEAF)) as usize;
        if at >= self.leaves.len() {
            self.leaves.resize(at + 1, None);
        }
        let leaf = self.leaves[at].get_or_insert_with(|| Box::new([0; 1 << LEAF]));
        self.numbers.push(offset >> PAGE);
        leaf[(offset >> PAGE) as usize & ((1 << LEAF) - 1)] = self.numbers.len() as u32;
    }

    /// The offsets at which pages begin, ascending.
    pub(super) fn starts(&self) -> Vec<u64> {
        let mut starts: Vec<u64> = self.numbers.iter().map(|page| page << PAGE).collect();
        starts.sort_unstable();
        starts
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> u64 {
        let leaves = self.leaves.iter().flatten().count() * size_of::<[u32; 1 << LEAF]>();
        (leaves + self.leaves.capacity() * 8 + self.numbers.capacity() * 8) as u64
    }
}
