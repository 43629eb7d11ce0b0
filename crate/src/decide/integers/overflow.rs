//! Sums of a number that was converted from a float: taken to have a place in the word that they are in.
//!
//! `min(max((int)x + 128, 0), 255)` is what `min(max(rint(x) + 128, 0), 255)` is but for an x near 2³¹, where
//! the first wraps around. That a float which is converted lies in the integers' range is assumed anyway; here
//! it is assumed of the sum as well, in the ledger, where that is what two kernels differ by.
//!
//! Guarantees: the assumption is never taken for what a kernel itself asks. The converted number is used in that
//! kernel in this sum alone, nothing else compares its argument with a number, and each comparison of the sum is
//! left open: what the assumption would decide (`s < 0` for an s that cannot be negative without a carry into
//! the sign) is how kernels ask whether a sum wrapped.
//! Misses: multiples of converted numbers, products, sums of two.

use super::{WRAP, range_of};
use crate::decide::forms::{Accumulator, Atom, Kind, Mono, Poly, Power, Product, Sign, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use crate::diag::Assumption;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

/// A word that is taken to hold its sum.
struct Taken {
    word: Atom,
    /// The number converted, and what was converted.
    rounded: Atom,
    argument: Poly,
    sum: Poly,
    bits: u32,
}

impl Normalizer<'_> {
    /// A form with the sums in it taken to have a place in their words, and what that assumes; nothing where
    /// there is no such sum, or the kernel asks for what would be assumed.
    pub(in crate::decide) fn without_overflow(
        &mut self,
        form: Poly,
    ) -> Step<Option<(Poly, Vec<Assumption>)>> {
        let atoms = self.forms.atoms_below(form);
        let mut taken: Vec<Taken> = Vec::new();
        for atom in &atoms {
            taken.extend(self.sum_in_word(*atom)?);
        }
        if taken.is_empty() {
            return Ok(None);
        }
        for at in 0..taken.len() {
            if taken[..at].iter().any(|other| other.rounded == taken[at].rounded) {
                return Ok(None);
            }
        }
        let is_word = |atom: Atom| taken.iter().any(|taken| taken.word == atom);
        for atom in &atoms {
            let mut apart = true;
            if !is_word(*atom) {
                self.forms.atom_parts(*atom, &mut |part| apart &= !self.uses_rounded(part, &taken));
            }
            if !apart || self.asks_about_argument(*atom, &taken)? {
                return Ok(None);
            }
        }
        if self.uses_rounded(form, &taken) {
            return Ok(None);
        }
        for atom in &atoms {
            if !self.stays_open(*atom, &taken)? {
                return Ok(None);
            }
        }
        let form = self.with_sums(form, &taken)?;
        let assumed =
            taken.iter().map(|taken| Assumption::WordInRange(self.forms.render(taken.sum), taken.bits));
        Ok(Some((form, assumed.collect())))
    }

    /// The sum that a word is what is left of, if it is one of a converted number and what has a range.
    fn sum_in_word(&mut self, word: Atom) -> Step<Option<Taken>> {
        if self.forms.kind(word) != Kind::Opaque {
            return Ok(None);
        }
        let (name, arguments) = self.forms.opaque_parts(word);
        let (&[WRAP, bits, signed], &[reduced]) = (&name[..], &arguments[..]) else { return Ok(None) };
        let half = BigInt::one() << (bits - 1);
        let mut found = None;
        let (mut sum, mut rest) = (Accumulator::default(), Accumulator::default());
        for at in 0..self.forms.len(reduced) {
            let Product { coefficient, mono } = self.forms.term(reduced, at);
            let mut whole = coefficient.to_big().to_integer();
            if whole >= half {
                whole -= &half << 1;
            }
            let coefficient = Rational::from_big(&BigRational::from_integer(whole));
            let term = Product { coefficient, mono };
            sum.add(&term);
            match self.converted(mono) {
                Some(converted) if found.is_none() && term.coefficient.magnitude().is_one() => {
                    found = Some(converted);
                }
                _ => rest.add(&term),
            }
        }
        let Some((rounded, argument)) = found else { return Ok(None) };
        let (sum, rest) = (self.forms.finish(sum)?, self.forms.finish(rest)?);
        let (least, most) = range_of(signed == 1, bits);
        let inside = |(low, high)| least <= low && high <= most;
        let has_place = self.range_of_form(rest).is_some_and(inside);
        Ok(has_place.then_some(Taken { word, rounded, argument, sum, bits }))
    }

    /// The rounding that a monomial is, and of what.
    fn converted(&self, mono: Mono) -> Option<(Atom, Poly)> {
        if self.forms.factor_count(mono) != 1 || self.forms.exponent(mono) != Poly::ZERO {
            return None;
        }
        let (atom, power) = self.forms.factor(mono, 0);
        match self.forms.kind(atom) {
            Kind::Function(function, argument) if function.is_rounding() && power == Power::ONE => {
                Some((atom, argument))
            }
            _ => None,
        }
    }

    fn uses_rounded(&self, poly: Poly, taken: &[Taken]) -> bool {
        self.atoms_in(poly).into_iter().any(|atom| taken.iter().any(|taken| taken.rounded == atom))
    }

    /// Whether an atom compares what was converted with a number.
    fn asks_about_argument(&mut self, atom: Atom, taken: &[Taken]) -> Step<bool> {
        let compared = self.rivals_of(atom)?;
        Ok(compared
            .into_iter()
            .any(|p| taken.iter().any(|taken| self.proportion(p, taken.argument).is_some())))
    }

    /// Whether each comparison is open with the sums put in, if it was open with the words.
    fn stays_open(&mut self, atom: Atom, taken: &[Taken]) -> Step<bool> {
        for difference in self.rivals_of(atom)? {
            let put_in = self.with_sums(difference, taken)?;
            if put_in != difference && self.forms.sign(put_in) != Sign::Unknown {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The differences of which an atom asks for the sign.
    fn rivals_of(&mut self, atom: Atom) -> Step<Vec<Poly>> {
        let candidates = match self.forms.kind(atom) {
            Kind::Positive(p) | Kind::Zero(p) | Kind::Abs(p) => return Ok(vec![p]),
            Kind::Max => self.forms.max_arguments(atom),
            Kind::Contest => {
                self.forms.contest_candidates(atom).into_iter().map(|(score, _)| score).collect()
            }
            _ => return Ok(Vec::new()),
        };
        let mut differences = Vec::new();
        for (at, a) in candidates.iter().enumerate() {
            for b in &candidates[..at] {
                differences.push(self.forms.minus(*a, *b)?);
            }
        }
        Ok(differences)
    }

    fn with_sums(&mut self, form: Poly, taken: &[Taken]) -> Step<Poly> {
        self.forms.rewrite(form, &mut |_, atom| {
            Ok(taken.iter().find(|taken| taken.word == atom).map(|taken| taken.sum))
        })
    }
}
