//! Interned names: every identifier, opcode and string of a module, stored once.
//!
//! A million-line module mentions a few thousand distinct names, so the tree holds four-byte
//! [`Name`]s and comparing two names compares two numbers. Names are numbered in the order in which
//! the source first mentions them, which makes the numbering (and with it equality of trees)
//! independent of hashing. The table is open addressing over those numbers, with a fixed hash:
//! nothing random, nothing iterated.

use std::num::NonZeroU32;
use std::ops::Index;

/// One interned text of one module. `Option<Name>` is as small as `Name`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(NonZeroU32);

impl Name {
    /// The name's number in its module, counted from 0 in order of first mention; names are dense,
    /// so this may index a side table of [`Names::len`] entries.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// All names of one module.
#[derive(Clone, Default)]
pub struct Names {
    /// All texts, one after another.
    text: String,
    /// Where each name's text ends in `text`.
    ends: Vec<u32>,
    /// Open addressing over name numbers; the length is a power of two, at most half full.
    slots: Vec<Option<Name>>,
}

impl Names {
    /// How many distinct names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names in order of first mention.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &str)> {
        (0..self.len()).map(|at| {
            let name = name_at(at);
            (name, &self[name])
        })
    }

    /// The name with this text, if the module mentions it.
    pub fn get(&self, text: &str) -> Option<Name> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(text)]
    }

    /// The name with this text, new if the module does not mention it yet.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Name {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(text);
        if let Some(name) = self.slots[slot] {
            return name;
        }
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("a source text is at most 4 GiB"));
        let name = name_at(self.ends.len() - 1);
        self.slots[slot] = Some(name);
        name
    }

    /// The slot that holds `text`, or the empty one where it belongs.
    #[inline]
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash(text.as_bytes()) as usize & mask;
        while let Some(name) = self.slots[at] {
            if &self[name] == text {
                break;
            }
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(256);
        self.slots = vec![None; size];
        for at in 0..self.ends.len() {
            let name = name_at(at);
            let slot = self.slot(&self[name]);
            self.slots[slot] = Some(name);
        }
    }
}

fn name_at(index: usize) -> Name {
    let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
    Name(number.expect("a source text has fewer than 2³² names"))
}

/// FNV-1a over eight bytes at a time, finished by a multiply-shift: names are short and differ in
/// their last digits, which must reach the low bits.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("chunks of eight"));
        state = (state.rotate_left(23) ^ word).wrapping_mul(PRIME);
    }
    let tail = chunks.remainder().iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    state = (state.rotate_left(23) ^ tail).wrapping_mul(PRIME);
    state ^ state >> 32
}

impl Index<Name> for Names {
    type Output = str;

    /// The text of a name of this module.
    #[inline]
    fn index(&self, name: Name) -> &str {
        let at = name.index();
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[start..self.ends[at] as usize]
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|(_, text)| text)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name_numbered_by_first_mention() {
        let mut names = Names::default();
        let all: Vec<Name> = (0..5000).map(|at| names.intern(&format!("%r{at}"))).collect();
        for (at, name) in all.iter().enumerate() {
            assert_eq!(names.intern(&format!("%r{at}")), *name);
            assert_eq!(names.get(&format!("%r{at}")), Some(*name));
            assert_eq!(&names[*name], format!("%r{at}"));
            assert_eq!(name.index(), at);
        }
        assert_eq!(names.len(), 5000);
        assert_eq!(names.get("%r5000"), None);
        assert_eq!(Names::default().get(""), None);
    }
}
