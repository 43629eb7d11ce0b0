//! Words taken together bit by bit: as sums where no bit is in both, as choices where one is a condition in all
//! places, as parts where one is a run of ones, and on decision diagrams otherwise.
//!
//! Guarantees: the form is congruent to the word modulo 2ⁿ at all inputs.
//! Misses: words whose bits have large diagrams.

use super::diagrams::{Bit, Word};
use super::{Range, power_of_two};
use crate::decide::forms::{Atom, Kind, Poly, Product, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use crate::term::BitOp;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

/// Conditions of which a mask may be made.
const CONDITIONS: usize = 6;

impl Normalizer<'_> {
    pub(super) fn bitwise(&mut self, op: BitOp, n: u32, a: Poly, b: Poly) -> Step<Option<Poly>> {
        // Words side by side stay what they are: their bits would be many, and have no range together.
        if self.are_apart(n, a, b)? || self.are_apart(n, b, a)? {
            let sum = if op == BitOp::And { Poly::ZERO } else { self.forms.plus(a, b)? };
            return self.reduced(sum, n).map(Some);
        }
        for (mask, number) in [(a, b), (b, a)] {
            let Some(condition) = self.mask_of_condition(n, mask)? else { continue };
            let all = self.forms.rational(Rational::MINUS_ONE)?;
            let (holds, fails) = match op {
                BitOp::And => (number, Poly::ZERO),
                BitOp::Or => (all, number),
                _ => (self.forms.minus(all, number)?, number),
            };
            let chosen = self.forms.choose(condition, holds, fails)?;
            return self.reduced(chosen, n).map(Some);
        }
        for (number, mask) in [(a, b), (b, a)] {
            if op == BitOp::And
                && let Some([at, length]) = self.run_of_ones(n, mask)
                && self.quotients_in(number).next().is_some()
            {
                let part = self.part(number, at, length)?;
                return self.forms.scaled(part, &power_of_two(at)).map(Some);
            }
        }
        if op == BitOp::Xor {
            for (number, bits) in [(a, b), (b, a)] {
                if let Some(turned) = self.sign_turned(n, number, bits)? {
                    return self.reduced(turned, n).map(Some);
                }
            }
        }
        let (Some(x), Some(y)) = (self.bits(a, n)?, self.bits(b, n)?) else { return Ok(None) };
        let all = &mut self.integers.diagrams;
        let joined: Option<Word> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| match op {
                BitOp::And => all.and(*x, *y),
                BitOp::Or => all.or(*x, *y),
                _ => all.xor(*x, *y),
            })
            .collect();
        match joined {
            Some(word) => self.of_bits(&word).map(Some),
            None => Ok(None),
        }
    }

    /// Where the ones of a constant begin and how many they are, if they stand together.
    pub(super) fn run_of_ones(&self, n: u32, mask: Poly) -> Option<[u32; 2]> {
        let word = self.forms.constant(mask)?.to_big().to_integer().mod_floor(&(BigInt::one() << n));
        let word = word.to_u128()?;
        let (at, length) = (word.trailing_zeros(), word.count_ones());
        (word != 0 && word >> at == (1 << length) - 1).then_some([at, length])
    }

    /// The condition that all bits of a word are: the sign of a number, moved to all places. Its form is made of
    /// conditions, and is 0 or -1 however they come out.
    pub(super) fn mask_of_condition(&mut self, n: u32, mask: Poly) -> Step<Option<Poly>> {
        let whole = power_of_two(n).plus(&Rational::MINUS_ONE);
        if self.forms.len(mask) == 1 && *self.forms.coefficient_at(mask, 0) == whole {
            let one = self.forms.scaled(mask, &whole.reciprocal().negated())?;
            return self.mask_of_condition(n, one);
        }
        let mut conditions: Vec<Atom> = Vec::new();
        let mut terms: Vec<(i64, u32)> = Vec::new();
        for at in 0..self.forms.len(mask) {
            let Product { coefficient, mono } = self.forms.term(mask, at);
            let Some((coefficient, 1)) = coefficient.as_small() else { return Ok(None) };
            let mut asked = 0;
            for index in 0..self.forms.factor_count(mono) {
                let (atom, _) = self.forms.factor(mono, index);
                let place = conditions.iter().position(|known| *known == atom).unwrap_or(conditions.len());
                if !self.forms.is_indicator(atom) || place >= CONDITIONS {
                    return Ok(None);
                }
                if place == conditions.len() {
                    conditions.push(atom);
                }
                asked |= 1 << place;
            }
            if self.forms.exponent(mono) != Poly::ZERO {
                return Ok(None);
            }
            terms.push((coefficient, asked));
        }
        let is_mask = |holds: u32| {
            let counts = terms.iter().filter(|(_, asked)| asked & !holds == 0);
            let sum = counts.fold(0i64, |sum, (coefficient, _)| sum.saturating_add(*coefficient));
            sum == 0 || sum == -1
        };
        match conditions.is_empty() || !(0..1 << conditions.len()).all(is_mask) {
            true => Ok(None),
            false => self.forms.negated(mask).map(Some),
        }
    }

    /// A number and a constant of one bit, or of all from one bit on, one of which is taken from the other bit by
    /// bit, where that is the highest bit or the number lies between -2ᵏ and 2ᵏ for this bit's place k:
    /// compilers add 128 to a byte so. What is chosen by a comparison stays a number; that of an element is
    /// known by its bits.
    pub(super) fn sign_turned(&mut self, n: u32, number: Poly, bits: Poly) -> Step<Option<Poly>> {
        let Some(bits) = self.forms.constant(bits) else { return Ok(None) };
        let word = BigInt::one() << n;
        let bits = bits.to_big().to_integer().mod_floor(&word);
        let place = bits.trailing_zeros().unwrap_or(0) as u32;
        let bit = BigInt::one() << place;
        let (alone, above) = (bits == bit, bits == &word - &bit);
        if n > 64 || place == 0 || !alone && !above {
            return Ok(None);
        }
        let own = self.forms.rational(power_of_two(place))?;
        if place + 1 == n {
            return self.forms.plus(number, own).map(Some);
        }
        let Some(number) = self.moved_into(true, n, number)? else { return Ok(None) };
        let inside = |(low, high): Range| low >= -(1 << place) && high < 1 << place;
        let chosen = self.atoms_in(number).into_iter().any(|atom| self.forms.kind(atom) == Kind::Max);
        if !chosen || !self.range_of_form(number).is_some_and(inside) {
            return Ok(None);
        }
        let below = self.forms.negated(number)?;
        let negative = self.positive(below)?;
        let turn = self.forms.scaled(negative, &power_of_two(place + 1))?;
        let change = self.forms.minus(own, turn)?;
        if alone { self.forms.plus(number, change) } else { self.forms.minus(number, change) }.map(Some)
    }

    /// Whether one lies below a power of two and the other, modulo 2ⁿ, is a multiple of it: no bit is in both.
    pub(super) fn are_apart(&mut self, n: u32, low: Poly, high: Poly) -> Step<bool> {
        let high = self.reduced(high, n)?;
        let twos = |at: usize| {
            let value = self.forms.coefficient_at(high, at).to_big();
            if value.is_integer() { value.numer().trailing_zeros().unwrap_or(0) } else { 0 }
        };
        let place = (0..self.forms.len(high)).map(twos).min().unwrap_or(0).min(u64::from(n));
        let inside = |(least, most): Range| least >= 0 && most < 1 << place.min(120);
        Ok(place > 0 && self.range_of_form(low).is_some_and(inside))
    }

    pub(super) fn counted(&mut self, op: BitOp, n: u32, a: Poly) -> Step<Option<Poly>> {
        let Some(mut word) = self.bits(a, n)? else { return Ok(None) };
        word.reverse();
        if op == BitOp::Reverse {
            return self.of_bits(&word).map(Some);
        }
        let mut sum = Poly::ZERO;
        let mut none = Bit::ONE;
        for bit in word {
            let mut counts = bit;
            if op == BitOp::LeadingZeros {
                let all = &mut self.integers.diagrams;
                let Some(still) = all.not(bit).and_then(|zero| all.and(none, zero)) else { return Ok(None) };
                none = still;
                counts = still;
            }
            let one = self.of_bit(counts)?;
            sum = self.forms.plus(sum, one)?;
        }
        Ok(Some(sum))
    }
}
