//! Floats that a kernel writes as bits: choices between constant words, and words with an exponent set by hand.
//!
//! Guarantees: a word that a constant below it may make infinite or not a number, as a float, is told.
//! Misses: arithmetic on the bits of data that happens to end there; data are finite, and so is what is made of their
//! bits, which the ledger states.

use super::Term;
use super::constant::{Number, decode};
use super::node::{BitOp, Node};
use super::store::Terms;
use crate::base::Format;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

/// So many steps of a word are looked at.
const MOST: u32 = 64;

impl Terms {
    /// A choice between constant integers, as the one between the floats that have their bits.
    pub(super) fn choice_of_numbers(&mut self, format: Format, word: Term) -> Option<Term> {
        let mut numbers: FxHashMap<Term, Term> = FxHashMap::default();
        let mut open = vec![word];
        // Tables have a choice for each of their entries, one below the other.
        while let Some(word) = open.last().copied() {
            if numbers.contains_key(&word) {
                open.pop();
                continue;
            }
            let number = if let Some(value) = self.as_rational(word) {
                let bits = value.to_integer().to_i128()?;
                self.number(format, bits as u64 & mask(format))
            } else {
                let Node::Select(condition, a, b) = self.node(word) else { return None };
                match (numbers.get(&a), numbers.get(&b)) {
                    (Some(a), Some(b)) => self.select(condition, *a, *b),
                    (None, _) => {
                        open.push(a);
                        continue;
                    }
                    (_, None) => {
                        open.push(b);
                        continue;
                    }
                }
            };
            numbers.insert(word, number);
            open.pop();
        }
        numbers.remove(&word)
    }

    /// Whether a constant below a word may make it infinite or not a number as a float; also where that is not seen.
    pub(super) fn writes_no_number(&self, format: Format, word: Term) -> bool {
        self.writes_at(format, (word, 0), &mut { MOST })
    }

    /// The same of a part of a word, from some bit on.
    fn writes_at(&self, format: Format, (word, from): (Term, u32), left: &mut u32) -> bool {
        let Some(rest) = left.checked_sub(1) else { return true };
        *left = rest;
        let is_none = |bits: u64| {
            let own = bits.checked_shr(from).unwrap_or(0) & mask(format);
            !matches!(decode(format, own), Number::Rational(_))
        };
        if let Some(value) = self.as_rational(word) {
            return value.to_integer().to_i128().is_none_or(|bits| is_none(bits as u64));
        }
        match self.node(word) {
            Node::BitConstant(bits) => is_none(bits),
            // `copysign(∞, x)`: an exponent of ones stays one whatever is beside it.
            Node::Select(_, a, b) | Node::Bits(BitOp::Or, _, a, b, _) => {
                self.writes_at(format, (a, from), left) || self.writes_at(format, (b, from), left)
            }
            Node::BitsOf(of, inner) => !of.is_float() && self.writes_at(format, (inner, from), left),
            Node::Bits(BitOp::Slice, _, a, first, _) => match self.node(first) {
                Node::BitConstant(first) => self.writes_at(format, (a, from + first as u32), left),
                _ => true,
            },
            Node::Bits(BitOp::Concat, width, low, high, _) => match from.checked_sub(u32::from(width) / 2) {
                Some(from) => self.writes_at(format, (high, from), left),
                None => self.writes_at(format, (low, from), left),
            },
            _ => false,
        }
    }
}

fn mask(format: Format) -> u64 {
    u64::MAX >> (64 - format.bits().min(64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many they are.
    #[test]
    fn a_table_of_words_is_one_of_numbers() {
        let mut terms = Terms::default();
        let index = Term::element(0);
        let (mut words, mut numbers) = (terms.integer(0), Term::ZERO);
        for entry in 1..2_000_u16 {
            let at = terms.integer(entry.into());
            let holds = terms.compare(crate::term::Relation::Equal, index, at);
            let word = terms.integer(f32::from(entry).to_bits().into());
            words = terms.select(holds, word, words);
            numbers = terms.select(holds, at, numbers);
        }
        let bits = terms.bits_of(Format::U32, words);
        assert_eq!(terms.from_bits(Format::F32, bits), numbers);
    }

    /// What branches and bits make infinite is not multiplied by 0 as a finite number is.
    #[test]
    fn infinities_written_as_words_are_seen() {
        const DOWN: i128 = 0xff80_0000;
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(Term::element);
        let holds = terms.compare(crate::term::Relation::Less, x, y);
        let float = |terms: &mut Terms, word: Term| {
            let bits = terms.bits_of(Format::U32, word);
            terms.from_bits(Format::F32, bits)
        };
        let [two, down] = [0x4000_0000, DOWN].map(|bits| terms.integer(bits));
        // A choice between words is one between numbers.
        let word = terms.select(holds, two, down);
        let [chosen, number] = [float(&mut terms, word), terms.integer(2)];
        assert_eq!(chosen, terms.select(holds, number, Term::MINUS_INFINITY));
        assert_ne!(terms.mul(Term::ZERO, chosen), Term::ZERO);
        // Of which one is data.
        let data = terms.select(holds, x, down);
        let mixed = float(&mut terms, data);
        assert_ne!(terms.mul(Term::ZERO, mixed), Term::ZERO);
        let data = terms.select(holds, x, two);
        let finite = float(&mut terms, data);
        assert_eq!(terms.mul(Term::ZERO, finite), Term::ZERO);
        // With the sign of another number.
        let [bits, sign, infinity] =
            [terms.bits_of(Format::F32, x), terms.bit_constant(1 << 31), terms.bit_constant(0x7f80_0000)];
        let sign = terms.bits(BitOp::And, 32, bits, sign, Term::ZERO);
        let word = terms.bits(BitOp::Or, 32, sign, infinity, Term::ZERO);
        let signed = terms.from_bits(Format::F32, word);
        assert_ne!(terms.mul(Term::ZERO, signed), Term::ZERO);
    }
}
