//! Factors of what is compared with zero, each of which has a sign of its own.

use super::super::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Sign, Step};
use super::{FACTORS, LONGEST};
use std::collections::BTreeSet;

/// Numerators and denominators of roots that are looked for.
const DIVISORS: i64 = 128;
const SQUARE: Power = Power { above: 2, below: 1 };

impl Forms<'_> {
    /// Factors of a sum, and whether the sign turns: by an element in which it is linear or quadratic.
    pub(super) fn factors(&mut self, poly: Poly) -> Step<Option<(Vec<Poly>, bool)>> {
        let mut atoms: BTreeSet<Atom> = BTreeSet::new();
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            if self.exponent(mono) != Poly::ZERO {
                return Ok(None);
            }
            for index in 0..self.factor_count(mono) {
                let (atom, power) = self.factor(mono, index);
                if !power.is_integer() || power.above < 0 || self.is_indicator(atom) {
                    return Ok(None);
                }
                atoms.insert(atom);
            }
        }
        for atom in atoms.into_iter().take(FACTORS) {
            if !matches!(self.kind(atom), Kind::Element(_) | Kind::Opaque | Kind::Function(..)) {
                continue;
            }
            let own = self.atom_poly(atom)?;
            let Some([low, middle, high]) = self.coefficients_of(poly, atom)? else {
                if let Some(factors) = self.factors_of_higher(poly, atom)? {
                    return Ok(Some((factors, false)));
                }
                continue;
            };
            if high == Poly::ZERO {
                // a·x + b with b = a·c
                if self.constant(middle).is_some() {
                    continue;
                }
                let Some(rest) = self.divided(low, middle)? else { continue };
                let other = self.plus(own, rest)?;
                return Ok(Some((vec![middle, other], false)));
            }
            let Some(lead) = self.constant(high) else { continue };
            // (2a·x + b - r)·(2a·x + b + r) / 4a with r² = b² - 4ac
            let square = self.times(middle, middle)?;
            let four = self.scaled(low, &lead.times(&Rational::new(4, 1)))?;
            let inside = self.minus(square, four)?;
            if self.sign(inside) == Sign::Negative {
                return Ok(Some((Vec::new(), lead.is_negative())));
            }
            let twice = self.scaled(own, &lead.times(&Rational::new(2, 1)))?;
            let centre = self.plus(twice, middle)?;
            let Some(root) = self.root_of(inside)? else { continue };
            let factors = vec![self.minus(centre, root)?, self.plus(centre, root)?];
            return Ok(Some((factors, lead.is_negative())));
        }
        Ok(None)
    }

    /// A linear factor of a polynomial in one atom, and the rest.
    fn factors_of_higher(&mut self, poly: Poly, atom: Atom) -> Step<Option<Vec<Poly>>> {
        let (mut first, mut last) = (None, None);
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            match self.factor_count(term.mono) {
                0 => last = Some(term.coefficient),
                1 => match &first {
                    Some((power, _)) if *power >= self.factor(term.mono, 0).1.above => {}
                    _ => first = Some((self.factor(term.mono, 0).1.above, term.coefficient)),
                },
                _ => return Ok(None),
            }
        }
        let (Some((_, first)), Some(last)) = (first, last) else { return Ok(None) };
        let (Some((a, b)), Some((c, d))) = (first.as_small(), last.as_small()) else { return Ok(None) };
        // A root p/q has a p that divides the last coefficient and a q that divides the first, as integers.
        let (Some(top), Some(bottom)) = (c.checked_mul(b), a.checked_mul(d)) else { return Ok(None) };
        let own = self.atom_poly(atom)?;
        let divisors = |n: i64| (1..=DIVISORS).filter(move |by| n % by == 0);
        for above in divisors(top) {
            for below in divisors(bottom).filter(|below| num_integer::gcd(above, *below) == 1) {
                for sign in [1, -1] {
                    let root = self.rational(Rational::new(sign * above, below))?;
                    let factor = self.minus(own, root)?;
                    if let Some(rest) = self.divided(poly, factor)? {
                        return Ok(Some(vec![factor, rest]));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The coefficients of `atom^0`, `atom^1` and `atom^2`, if there are no others.
    fn coefficients_of(&mut self, poly: Poly, atom: Atom) -> Step<Option<[Poly; 3]>> {
        let mut sums: [Accumulator; 3] = Default::default();
        for at in 0..self.len(poly) {
            let mut term = self.term(poly, at);
            let place = match self.power_of(term.mono, atom) {
                None => 0,
                Some(Power::ONE) => 1,
                Some(SQUARE) => 2,
                Some(_) => return Ok(None),
            };
            term.mono = self.without(term.mono, atom);
            sums[place].add(&term);
        }
        let [low, middle, high] = sums;
        Ok(Some([self.finish(low)?, self.finish(middle)?, self.finish(high)?]))
    }

    /// A polynomial whose square is that.
    fn root_of(&mut self, poly: Poly) -> Step<Option<Poly>> {
        if poly == Poly::ZERO {
            return Ok(Some(poly));
        }
        let Some(single) = self.single(poly) else { return self.square_root(poly) };
        let even = |at: usize| {
            let (atom, power) = self.factor(single.mono, at);
            power.is_integer() && power.above % 2 == 0 || matches!(self.kind(atom), Kind::Prime(_))
        };
        if !single.coefficient.is_positive() || !(0..self.factor_count(single.mono)).all(even) {
            return Ok(None);
        }
        let number = Product { coefficient: single.coefficient.clone(), mono: Mono::ONE };
        let mut product = self.power_of_product(&number, Power::HALF)?;
        for at in 0..self.factor_count(single.mono) {
            let (atom, power) = self.factor(single.mono, at);
            let Some(half) = power.times(Power::HALF) else { return Ok(None) };
            let factor = self.atom_power(atom, half)?;
            product = self.product(&product, &factor)?;
        }
        self.poly(&product).map(Some)
    }

    /// `a / b`, if it is a polynomial.
    fn divided(&mut self, a: Poly, b: Poly) -> Step<Option<Poly>> {
        let lead = self.leading(b);
        let lead = self.term(b, lead);
        let over = self.inverse(&lead)?;
        let (mut rest, mut whole) = (a, Poly::ZERO);
        for _ in 0..LONGEST {
            if rest == Poly::ZERO {
                return Ok(Some(whole));
            }
            let next = self.leading(rest);
            let next = self.term(rest, next);
            let next = self.product(&next, &over)?;
            if (0..self.factor_count(next.mono)).any(|at| self.factor(next.mono, at).1.above < 0) {
                return Ok(None);
            }
            let taken = self.times_product(b, &next)?;
            rest = self.minus(rest, taken)?;
            let next = self.poly(&next)?;
            whole = self.plus(whole, next)?;
        }
        Ok(None)
    }
}
