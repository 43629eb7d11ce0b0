//! Byte-addressed storage of concrete and symbolic values.
//!
//! Storage is an array of granules of 1, 2 or 4 bytes; a granule is one `u64`: its concrete
//! bits, or part `k` of a symbolic value that spans `n` granules, or bits of which some are missing
//! (`term/gap`; a granule that was never written is one of those). Granules start
//! as coarse as the region's element type allows and are split once when a narrower access
//! arrives, so an ordinary access moves one `u64`.
//!
//! Small runs of bytes are there from the beginning. Of large ones there are the pages that were
//! touched ([`Pages`]), one behind the other in the order in which they were; whoever reads or writes
//! has touched before.

use super::bits;
use super::pages::{PAGE_BYTES, Pages};
use super::race::lanes;
use crate::base::Format;
use crate::isa::Lanes;
use crate::term::{Gap, Symbol, Terms, Value};
use std::ops::Range;

const CONCRETE: u64 = 0;
const UNDEFINED: u64 = 1;
const SYMBOLIC: u64 = 2;

/// Bits of a granule that hold a symbol.
const SYMBOL: u64 = (1 << 40) - 1;
/// The other bits of a granule that holds all of one.
const WHOLE_SYMBOL: u64 = SYMBOLIC << 56 | 1 << 48;

/// One granule's contents: tag in bits 56.., part count in bits 48..56, part in bits 40..48, and
/// a symbol in bits 0..40, or concrete bits, or the number of a gap, in bits 0..32.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Granule(u64);

impl Granule {
    /// Never written: [`Gap::NEVER`].
    pub(super) const UNDEFINED: Granule = Granule(UNDEFINED << 56);

    #[inline]
    fn incomplete(gap: Gap) -> Granule {
        Granule(UNDEFINED << 56 | u64::from(gap.raw()))
    }

    #[inline]
    fn gap(self) -> Gap {
        Gap::from_raw(self.0 as u32)
    }

    #[inline]
    fn concrete(bits: u32) -> Granule {
        Granule(u64::from(bits))
    }

    #[inline]
    fn symbolic(symbol: Symbol, part: u32, parts: u32) -> Granule {
        Granule(SYMBOLIC << 56 | u64::from(parts) << 48 | u64::from(part) << 40 | symbol.encode())
    }

    #[inline]
    fn tag(self) -> u64 {
        self.0 >> 56
    }

    #[inline]
    fn part(self) -> u32 {
        (self.0 >> 40) as u32 & 0xff
    }

    #[inline]
    fn parts(self) -> u32 {
        (self.0 >> 48) as u32 & 0xff
    }

    #[inline]
    fn symbol(self) -> Symbol {
        Symbol::decode(self.0)
    }
}

/// Of a thread's own bytes, so many are there together.
const DENSE: u64 = 16 * PAGE_BYTES;

/// A run of bytes.
#[derive(Clone)]
pub(super) struct Cells {
    granules: Vec<Granule>,
    /// log2 of the granule size in bytes.
    shift: u32,
    /// Which bytes there are, and where; `None`: all, one after the other.
    pages: Option<Pages>,
}

impl Cells {
    /// `bytes` undefined bytes in granules of `granule` bytes (1, 2 or 4).
    pub(super) fn undefined(bytes: u64, granule: u32) -> Cells {
        let shift = granule.trailing_zeros();
        let granules = vec![Granule::UNDEFINED; bytes.div_ceil(1 << shift) as usize];
        Cells { granules, shift, pages: None }
    }

    /// Any number of bytes of which none is there yet.
    pub(super) fn paged(granule: u32) -> Cells {
        Cells { granules: Vec::new(), shift: granule.trailing_zeros(), pages: Some(Pages::default()) }
    }

    /// A thread's own bytes, of which none is there yet.
    pub(super) fn of_thread(bytes: u64) -> Cells {
        if bytes > DENSE { Cells::paged(4) } else { Cells::undefined(0, 4) }
    }

    /// Makes sure that the bytes of an access are there, if need be with all others of so many.
    pub(super) fn reach(&mut self, offset: u64, all: u64) {
        if !self.is_paged() {
            self.grow(all);
        } else if !self.has(offset) {
            self.add_page(offset & !(PAGE_BYTES - 1));
        }
    }

    /// Bytes that are there.
    pub(super) fn len(&self) -> u64 {
        (self.granules.len() as u64) << self.shift
    }

    /// How many granules are there.
    pub(super) fn granules(&self) -> usize {
        self.granules.len()
    }

    /// Where the granule of an offset lies among those that are there.
    #[inline]
    pub(super) fn place(&self, offset: u64) -> usize {
        match &self.pages {
            None => (offset >> self.shift) as usize,
            Some(pages) => (pages.place(offset) >> self.shift) as usize,
        }
    }

    /// Whether the bytes at an offset are there.
    #[inline]
    pub(super) fn has(&self, offset: u64) -> bool {
        match &self.pages {
            None => offset < self.len(),
            Some(pages) => pages.has(offset),
        }
    }

    /// Makes a page, undefined, whose first byte is at `start`.
    pub(super) fn add_page(&mut self, start: u64) {
        if let Some(pages) = &mut self.pages {
            pages.add(start);
            let more = (PAGE_BYTES >> self.shift) as usize;
            grow(&mut self.granules, more, Granule::UNDEFINED);
        }
    }

    /// Whether only what was touched is there.
    #[inline]
    pub(super) fn is_paged(&self) -> bool {
        self.pages.is_some()
    }

    /// The stretches of bytes that are there, ascending.
    pub(super) fn stretches(&self) -> Vec<Range<u64>> {
        match &self.pages {
            None => std::iter::once(0..self.len()).collect(),
            Some(pages) => pages.starts().into_iter().map(|at| at..at + PAGE_BYTES).collect(),
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> u64 {
        self.granules.capacity() as u64 * 8 + self.pages.as_ref().map_or(0, Pages::bytes)
    }

    /// Granule size in bytes.
    #[inline]
    pub(super) fn granule(&self) -> u32 {
        1 << self.shift
    }

    /// Grows to at least `bytes`, filling with what `fill` gives for each new granule's index.
    pub(super) fn grow(&mut self, bytes: u64) {
        let granules = bytes.div_ceil(1 << self.shift) as usize;
        if granules > self.granules.len() {
            self.granules.resize(granules, Granule::UNDEFINED);
        }
    }

    /// Makes granules no larger than `bytes`. Returns how many new granules one old one became.
    pub(super) fn refine(&mut self, terms: &mut Terms, bytes: u32) -> u32 {
        let shift = bytes.trailing_zeros();
        if shift >= self.shift {
            return 1;
        }
        let factor = 1u32 << (self.shift - shift);
        let old_bits = 8 << self.shift;
        let mut fine = Vec::with_capacity(self.granules.len() * factor as usize);
        for granule in &self.granules {
            match granule.tag() {
                CONCRETE => {
                    for part in 0..factor {
                        let bits = granule.0 as u32 >> (part * (8 << shift));
                        fine.push(Granule::concrete(bits & low_mask(8 << shift)));
                    }
                }
                SYMBOLIC if granule.parts() == 1 => {
                    let value = Value::Symbolic(granule.symbol());
                    let mut pieces = [Granule::UNDEFINED; 8];
                    split(terms, value, old_bits, &mut pieces[..factor as usize]);
                    fine.extend_from_slice(&pieces[..factor as usize]);
                }
                SYMBOLIC => {
                    for part in 0..factor {
                        let part = granule.part() * factor + part;
                        fine.push(Granule::symbolic(granule.symbol(), part, granule.parts() * factor));
                    }
                }
                _ => {
                    let mut pieces = [Granule::UNDEFINED; 8];
                    let value = Value::Undefined(granule.gap());
                    split(terms, value, old_bits, &mut pieces[..factor as usize]);
                    fine.extend_from_slice(&pieces[..factor as usize]);
                }
            }
        }
        self.granules = fine;
        self.shift = shift;
        factor
    }

    /// Reads `bytes` bytes at a multiple of the granule size, which must not exceed `bytes`.
    #[inline]
    pub(super) fn read(&self, terms: &mut Terms, offset: u64, bytes: u32) -> Value {
        let at = self.place(offset);
        if bytes == self.granule() {
            let granule = self.granules[at];
            match granule.tag() {
                CONCRETE => return Value::Concrete(granule.0),
                SYMBOLIC if granule.parts() == 1 => return Value::Symbolic(granule.symbol()),
                UNDEFINED => return Value::Undefined(granule.gap()),
                _ => {}
            }
        }
        join(terms, &self.granules[at..at + (bytes >> self.shift) as usize], self.granule())
    }

    /// Reads one granule for each lane of a mask. Whether all hold a whole symbol; then `codes` holds
    /// their encodings.
    #[inline]
    pub(super) fn symbols(&self, mask: u32, offsets: &Lanes, at: u64, codes: &mut Lanes) -> bool {
        let mut other = 0;
        for lane in lanes(mask) {
            let granule = self.granules[self.place(offsets[lane as usize] + at)];
            other |= granule.0 ^ WHOLE_SYMBOL;
            codes[lane as usize] = granule.0 & SYMBOL;
        }
        other & !SYMBOL == 0
    }

    /// Writes `bytes` bytes at a multiple of the granule size, which must not exceed `bytes`.
    /// Whether the contents changed (a wide value counts as changed).
    #[inline]
    pub(super) fn write(&mut self, terms: &mut Terms, offset: u64, bytes: u32, value: Value) -> bool {
        let at = self.place(offset);
        if bytes == self.granule() {
            let new = match value {
                Value::Concrete(bits) => Granule::concrete(bits as u32 & low_mask(bytes * 8)),
                Value::Symbolic(symbol) => Granule::symbolic(symbol, 0, 1),
                Value::Undefined(gap) => Granule::incomplete(gap),
            };
            return std::mem::replace(&mut self.granules[at], new) != new;
        }
        let count = (bytes >> self.shift) as usize;
        split(terms, value, bytes * 8, &mut self.granules[at..at + count]);
        true
    }
}

/// Lengthens a list by so many items, a quarter at a time: what doubles holds twice what it needs.
pub(super) fn grow<T: Copy>(list: &mut Vec<T>, more: usize, item: T) {
    let need = list.len() + more;
    if need > list.capacity() {
        list.reserve_exact(more.max(list.len() / 4));
    }
    list.resize(need, item);
}

fn low_mask(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

/// Distributes a value of `bits` bits over equal pieces, lowest first.
fn split(terms: &mut Terms, value: Value, bits: u32, pieces: &mut [Granule]) {
    let count = pieces.len() as u32;
    let piece_bits = bits / count;
    match value {
        Value::Concrete(word) => {
            for (at, piece) in pieces.iter_mut().enumerate() {
                // What an argument says is the low bytes of a parameter; the others are zero.
                let part = word.checked_shr(at as u32 * piece_bits).unwrap_or(0);
                *piece = Granule::concrete(part as u32 & low_mask(piece_bits));
            }
        }
        Value::NEVER => pieces.fill(Granule::UNDEFINED),
        Value::Undefined(gap) => match pieces {
            [piece] => *piece = Granule::incomplete(gap),
            _ => {
                let (first, second) = pieces.split_at_mut(count as usize / 2);
                let low = bits::slice(terms, value, bits, 0, bits / 2);
                let high = bits::slice(terms, value, bits, bits / 2, bits / 2);
                split(terms, low, bits / 2, first);
                split(terms, high, bits / 2, second);
            }
        },
        Value::Symbolic(symbol) => {
            if count.is_multiple_of(2)
                && let Some((low, high)) = bits::halves(terms, symbol, bits)
            {
                let (first, second) = pieces.split_at_mut(count as usize / 2);
                split(terms, low, bits / 2, first);
                split(terms, high, bits / 2, second);
                return;
            }
            for (at, piece) in pieces.iter_mut().enumerate() {
                *piece = Granule::symbolic(symbol, at as u32, count);
            }
        }
    }
}

/// Puts pieces of `granule` bytes together, lowest first.
fn join(terms: &mut Terms, pieces: &[Granule], granule: u32) -> Value {
    if pieces.iter().all(|piece| *piece == Granule::UNDEFINED) {
        return Value::NEVER;
    }
    if pieces.iter().all(|piece| piece.tag() == CONCRETE) {
        let joined = pieces.iter().rev().fold(0u64, |word, piece| word << (granule * 8) | piece.0);
        return Value::Concrete(joined);
    }
    let first = pieces[0];
    let whole = first.tag() == SYMBOLIC
        && first.parts() as usize == pieces.len()
        && pieces.iter().enumerate().all(|(at, piece)| {
            piece.tag() == SYMBOLIC
                && piece.part() as usize == at
                && piece.parts() == first.parts()
                && piece.symbol() == first.symbol()
        });
    if whole {
        return Value::Symbolic(first.symbol());
    }
    if let [piece] = pieces {
        return match piece.tag() {
            SYMBOLIC if piece.parts() == 1 => Value::Symbolic(piece.symbol()),
            SYMBOLIC => bits::slice(
                terms,
                Value::Symbolic(piece.symbol()),
                piece.parts() * granule * 8,
                piece.part() * granule * 8,
                granule * 8,
            ),
            UNDEFINED => Value::Undefined(piece.gap()),
            _ => Value::Concrete(piece.0),
        };
    }
    let (low, high) = pieces.split_at(pieces.len() / 2);
    let low = join(terms, low, granule);
    let high = join(terms, high, granule);
    bits::concat(terms, low, high, pieces.len() as u32 * granule * 8)
}

/// The granule size that suits elements of a format.
pub(super) fn granule_of(format: Format) -> u32 {
    format.bytes().min(4)
}
