//! What was built lately, so that it is not built again.
//!
//! Warps that compute the same sum build the same nodes one after the other. If a single node of a
//! chain is forgotten in between, everything above it is built anew, once for each warp; so nothing
//! may be forgotten that was used within the last [`GENERATION`] new nodes. [`Recent`] keeps two
//! exact tables for that: when the young one is full it becomes the old one, and what is found in
//! the old one moves to the young. [`Latest`] is the cheap kind, for nodes that rarely come again:
//! one place for each hash, the last comer stays.
//!
//! Guarantees: what they hold depends on the order of the questions alone. Misses: what was not
//! asked for that long is built twice.

/// log₂ of the places of [`Latest`].
const PLACES: u32 = 16;
/// Entries of one generation; half the places of its table.
const GENERATION: usize = 1 << 16;
const SMALLEST: usize = 1 << 7;

/// A node in a table: part of its hash, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry(u64);

impl Entry {
    const NONE: Entry = Entry(0);

    #[inline]
    fn new(hash: u64, id: usize) -> Entry {
        Entry(hash >> 32 << 32 | (id as u64 + 1))
    }

    #[inline]
    fn id(self) -> usize {
        (self.0 as u32).wrapping_sub(1) as usize
    }

    /// Whether this may be the node with that hash.
    #[inline]
    fn fits(self, hash: u64) -> bool {
        self.0 >> 32 == hash >> 32 && self != Entry::NONE
    }
}

/// The last node for each of 2^16 hashes.
pub(super) struct Latest {
    places: Vec<Entry>,
}

impl Latest {
    pub(super) fn new() -> Self {
        Latest { places: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.places.len() as u64 * size_of::<Entry>() as u64
    }

    /// The id of that hash for which `is_it` holds; otherwise remembers `next` for it.
    #[inline]
    pub(super) fn find_or_keep(
        &mut self,
        hash: u64,
        next: usize,
        is_it: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.places.is_empty() {
            self.places = vec![Entry::NONE; 1 << PLACES];
        }
        let place = &mut self.places[hash as usize & ((1 << PLACES) - 1)];
        let entry = *place;
        if entry.fits(hash) && is_it(entry.id()) {
            return Some(entry.id());
        }
        *place = Entry::new(hash, next);
        None
    }
}

/// All nodes of the last one to two generations.
pub(super) struct Recent {
    young: Table,
    old: Table,
}

impl Recent {
    pub(super) fn new() -> Self {
        Recent { young: Table::new(SMALLEST), old: Table::new(0) }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        ((self.young.places.len() + self.old.places.len()) * size_of::<Entry>()) as u64
    }

    /// The id of that hash for which `is_it` holds; otherwise remembers `next` for it. `hash_of`
    /// gives the hash of any id remembered before.
    #[inline]
    pub(super) fn find_or_keep(
        &mut self,
        hash: u64,
        next: usize,
        is_it: impl Fn(usize) -> bool,
        hash_of: impl Fn(usize) -> u64,
    ) -> Option<usize> {
        let place = match self.young.find(hash, &is_it) {
            Ok(id) => return Some(id),
            Err(place) => place,
        };
        let known = self.old.find(hash, &is_it).ok();
        self.young.places[place] = Entry::new(hash, known.unwrap_or(next));
        self.young.entries += 1;
        if self.young.entries * 2 >= self.young.places.len() {
            self.make_room(hash_of);
        }
        known
    }

    #[cold]
    fn make_room(&mut self, hash_of: impl Fn(usize) -> u64) {
        if self.young.entries < GENERATION {
            self.young = self.young.twice_as_large(hash_of);
            return;
        }
        std::mem::swap(&mut self.young, &mut self.old);
        if self.young.places.len() == self.old.places.len() {
            self.young.places.fill(Entry::NONE);
            self.young.entries = 0;
        } else {
            self.young = Table::new(self.old.places.len());
        }
    }
}

/// An exact table: open addressing, never more than half full.
struct Table {
    places: Vec<Entry>,
    entries: usize,
}

impl Table {
    /// With that many places, a power of two or none.
    fn new(places: usize) -> Self {
        Table { places: vec![Entry::NONE; places], entries: 0 }
    }

    /// The id, or the place where it belongs.
    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let Some(mask) = self.places.len().checked_sub(1) else { return Err(0) };
        let mut place = hash as usize & mask;
        loop {
            let entry = self.places[place];
            if entry == Entry::NONE {
                return Err(place);
            }
            if entry.fits(hash) && is_it(entry.id()) {
                return Ok(entry.id());
            }
            place = (place + 1) & mask;
        }
    }

    fn twice_as_large(&self, hash_of: impl Fn(usize) -> u64) -> Table {
        let mut table = Table::new(self.places.len() * 2);
        for entry in self.places.iter().filter(|entry| **entry != Entry::NONE) {
            if let Err(place) = table.find(hash_of(entry.id()), |_| false) {
                table.places[place] = *entry;
            }
        }
        table.entries = self.entries;
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finalizer, so that neighbouring ids fall into different places.
    fn hash(id: usize) -> u64 {
        let word = (id as u64 ^ 0x5bd1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn ask(recent: &mut Recent, id: usize) -> bool {
        recent.find_or_keep(hash(id), id, |found| found == id, hash).is_some()
    }

    #[test]
    fn nothing_is_forgotten_within_a_generation() {
        let mut recent = Recent::new();
        for _ in 0..3 {
            let known = (0..GENERATION).filter(|id| ask(&mut recent, *id)).count();
            assert!(known == 0 || known == GENERATION);
        }
        assert!(recent.old.entries > 0);
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut recent = Recent::new();
        assert!(!ask(&mut recent, 7));
        for id in 1000..1000 + 6 * GENERATION {
            assert!(!ask(&mut recent, id));
            assert!(!id.is_multiple_of(GENERATION / 2) || ask(&mut recent, 7));
        }
        assert!(!ask(&mut recent, 1000));
        assert_eq!(recent.bytes(), 2 * 2 * 8 * GENERATION as u64);
    }

    #[test]
    fn the_last_comer_stays() {
        let mut latest = Latest::new();
        let mut ask = |hash: u64, id| latest.find_or_keep(hash, id, |found| found == id);
        assert_eq!(ask(5, 1), None);
        assert_eq!(ask(5, 1), Some(1));
        assert_eq!(ask(1 << 32 | 5, 2), None);
        assert_eq!(ask(5, 1), None);
    }
}
