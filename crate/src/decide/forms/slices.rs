//! Interned sequences of words: equal sequences get equal numbers.
//!
//! Monomials, polynomials and atoms are all short sequences of `u32`; keeping them end to end in
//! one vector with an open-addressing table beside it costs one probe and no allocation each.

/// Sequences and their numbers, in order of first appearance.
#[derive(Clone)]
pub(super) struct Slices {
    words: Vec<u32>,
    ends: Vec<u32>,
    /// A hash, and below it the number plus one; 0 is empty. Its length is a power of two.
    table: Vec<u64>,
}

impl Slices {
    pub(super) fn new() -> Slices {
        Slices { words: Vec::new(), ends: Vec::new(), table: vec![0; 64] }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (self.words.capacity() + self.ends.capacity() + self.table.len() * 2) as u64 * 4
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] as usize };
        &self.words[start..self.ends[id as usize] as usize]
    }

    /// The number of a sequence that is known.
    pub(super) fn find(&self, slice: &[u32]) -> Option<u32> {
        let hash = hash(slice);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while self.table[at] != 0 {
            let id = self.table[at] as u32 - 1;
            if (self.table[at] >> 32) as u32 == hash && self.get(id) == slice {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// The number of a sequence, new or known.
    pub(super) fn intern(&mut self, slice: &[u32]) -> u32 {
        let hash = hash(slice);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.table[at] {
                0 => break,
                entry => {
                    let id = entry as u32 - 1;
                    if (entry >> 32) as u32 == hash && self.get(id) == slice {
                        return id;
                    }
                }
            }
            at = (at + 1) & mask;
        }
        let id = self.ends.len() as u32;
        self.words.extend_from_slice(slice);
        self.ends.push(self.words.len() as u32);
        self.table[at] = u64::from(hash) << 32 | u64::from(id + 1);
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let size = self.table.len() * 4;
        let mut table = vec![0; size];
        for entry in self.table.iter().filter(|entry| **entry != 0) {
            let mut at = (entry >> 32) as usize & (size - 1);
            while table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            table[at] = *entry;
        }
        self.table = table;
    }
}

fn hash(slice: &[u32]) -> u32 {
    let mut hash = 0x51_7c_c1_b7_27_22_0a_95u64 ^ slice.len() as u64;
    for word in slice {
        hash = (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as u32 ^ (hash >> 7) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sequences_share_a_number_through_growth() {
        let mut slices = Slices::new();
        let sequences: Vec<Vec<u32>> = (0..5000u32).map(|n| (0..n % 7).map(|k| n * k).collect()).collect();
        let ids: Vec<u32> = sequences.iter().map(|sequence| slices.intern(sequence)).collect();
        for (sequence, id) in sequences.iter().zip(&ids) {
            assert_eq!(slices.get(*id), &sequence[..]);
            assert_eq!(slices.intern(sequence), *id);
        }
        let mut distinct = sequences.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(slices.len(), distinct.len());
    }
}
