//! Whether a polynomial is zero, opening closed sums only as far as needed.
//!
//! Terms that look alike have cancelled already. What is left is a polynomial in its youngest
//! closed sum A (a sum only mentions older ones): after multiplying by the power of A that clears
//! denominators, Horner's rule puts A's definition in from the highest power down, so that what
//! cancels does so before it is multiplied again (two-pass and one-pass variance need one product
//! of 1024 terms, not 1024²). Powers of A that differ by a fraction are separate questions.
//!
//! Guarantees: `true` only if the polynomial is zero wherever its closed sums' powers are defined.
//! `false` says nothing. Complete for rational functions of independent atoms with evident roots,
//! within the limit on sizes.
//! Source: DESIGN §5.1; common denominators instead of cross-multiplication.

use super::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Step};
use std::collections::BTreeMap;

/// Products with more terms than this are not multiplied out.
const LARGEST_PRODUCT: u64 = 20_000_000;

impl Forms<'_> {
    /// Whether a polynomial is provably zero.
    pub(in crate::decide) fn vanishes(&mut self, poly: Poly) -> Step<bool> {
        let value = self.valuation(poly)?;
        if value.faithful && value.main != 0 {
            return Ok(false);
        }
        let mut open = vec![poly];
        while let Some(poly) = open.pop() {
            if poly == Poly::ZERO {
                continue;
            }
            let Some((atom, body)) = self.youngest_sum(poly) else { return Ok(false) };
            if let Some(opened) = self.with_sums_opened(poly, false, LARGEST_PRODUCT)? {
                open.push(opened);
                continue;
            }
            for coefficients in self.by_power(poly, atom)? {
                match self.horner(coefficients, body)? {
                    Some(rest) => open.push(rest),
                    None => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// The polynomial with its closed sums put in, in one pass, if each term has at most one and
    /// only to the first power. With `alone`, opens those that stand beside nothing but an
    /// exponential and keeps the others; `None` if there are none.
    pub(super) fn with_sums_opened(&mut self, poly: Poly, alone: bool, most: u64) -> Step<Option<Poly>> {
        let mut size = 0u64;
        let mut plan: Vec<Option<(Atom, Poly)>> = Vec::with_capacity(self.len(poly));
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let mut found = None;
            let mut suits = true;
            for index in 0..self.factor_count(mono) {
                let (atom, power) = self.factor(mono, index);
                if let Kind::Sum(body) = self.kind(atom) {
                    suits &= power == Power::ONE && found.is_none();
                    found = Some((atom, body));
                } else {
                    suits &= !alone;
                }
            }
            if !suits && found.is_some() {
                if !alone {
                    return Ok(None);
                }
                found = None;
            }
            size += found.map_or(1, |(_, body)| self.len(body) as u64);
            plan.push(found);
        }
        if size > most || plan.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut sum = Accumulator::default();
        for (at, found) in plan.into_iter().enumerate() {
            let mut term = self.term(poly, at);
            match found {
                None => sum.add(&term),
                Some((atom, body)) => {
                    term.mono = self.without(term.mono, atom);
                    self.accumulate(&mut sum, body, &term)?;
                }
            }
        }
        self.finish(sum).map(Some)
    }

    /// The closed sum that was made last, among the factors.
    fn youngest_sum(&self, poly: Poly) -> Option<(Atom, Poly)> {
        let mut found: Option<(Atom, Poly)> = None;
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            for index in 0..self.factor_count(mono) {
                let (atom, _) = self.factor(mono, index);
                if found.is_none_or(|(known, _)| known < atom)
                    && let Kind::Sum(body) = self.kind(atom)
                {
                    found = Some((atom, body));
                }
            }
        }
        found
    }

    /// The coefficients of the powers of an atom, lowest first and without gaps, for each class
    /// of powers that differ by whole numbers.
    fn by_power(&mut self, poly: Poly, atom: Atom) -> Step<Vec<Vec<Poly>>> {
        let mut classes: BTreeMap<(i16, u16), BTreeMap<i16, Accumulator>> = BTreeMap::new();
        for at in 0..self.len(poly) {
            let mut term = self.term(poly, at);
            let power = self.power_of(term.mono, atom).unwrap_or(Power { above: 0, below: 1 });
            if power.above != 0 {
                term.mono = self.without(term.mono, atom);
            }
            let whole = power.floor();
            let class = (power.above - whole * power.below as i16, power.below);
            classes.entry(class).or_default().entry(whole).or_default().add(&term);
        }
        let mut result = Vec::with_capacity(classes.len());
        for (_, powers) in classes {
            let lowest = powers.keys().next().copied().unwrap_or(0);
            let mut coefficients = Vec::new();
            for (power, sum) in powers {
                coefficients.resize((power - lowest) as usize, Poly::ZERO);
                let sum = self.finish(sum)?;
                coefficients.push(sum);
            }
            result.push(coefficients);
        }
        Ok(result)
    }

    /// The monomial without an atom.
    pub(super) fn without(&mut self, mono: Mono, atom: Atom) -> Mono {
        let mut words = vec![self.exponent(mono).0];
        for at in 0..self.factor_count(mono) {
            let (other, power) = self.factor(mono, at);
            if other != atom {
                words.extend_from_slice(&[other.0, power.pack()]);
            }
        }
        Mono(self.monos.intern(&words))
    }

    /// `Σ coefficients[k]·body^k`, or nothing if that gets too large.
    fn horner(&mut self, coefficients: Vec<Poly>, body: Poly) -> Step<Option<Poly>> {
        let mut value = Poly::ZERO;
        for coefficient in coefficients.into_iter().rev() {
            if value != Poly::ZERO {
                if self.len(value) as u64 * self.len(body) as u64 > LARGEST_PRODUCT {
                    return Ok(None);
                }
                value = self.times(value, body)?;
            }
            let mut sum = Accumulator::default();
            let one = Product { coefficient: Rational::ONE, mono: Mono::ONE };
            self.accumulate(&mut sum, value, &one)?;
            self.accumulate(&mut sum, coefficient, &one)?;
            value = self.finish(sum)?;
        }
        Ok(Some(value))
    }
}
