//! Roots of sums: perfect squares, and products of roots that are equal once raised to a power.
//!
//! `√(x² - 2xy + y²)` is `|x - y|`: the terms of the root are found from the leading one down, in an
//! order of monomials that multiplication respects. `√p·√q = √(pq)` for non-negative p and q needs
//! no factors of `pq`: both sides are non-negative, so their squares decide.
//!
//! Guarantees: `Some(root)` only if `root² = poly`; `true` only if the polynomial is zero wherever
//! it is defined. Misses: roots of many terms; more than two terms with roots.

use super::{Forms, Mono, Poly, Power, Product, Rational, Step};
use num_rational::BigRational;
use std::cmp::Ordering;

/// A root of more terms is not looked for.
const LONGEST: usize = 12;
/// Two sides are raised to at most this power.
const HIGHEST: u16 = 16;

impl Forms<'_> {
    /// A polynomial whose square is `poly`.
    pub(super) fn square_root(&mut self, poly: Poly) -> Step<Option<Poly>> {
        if !(3..=LONGEST * (LONGEST + 1) / 2).contains(&self.len(poly)) {
            return Ok(None);
        }
        let lead = self.largest(poly);
        let Some(lead) = self.half(&lead)? else { return Ok(None) };
        let mut over = self.inverse(&lead)?;
        over.coefficient = over.coefficient.times(&Rational::new(1, 2));
        let mut root = self.poly(&lead)?;
        let square = self.times(root, root)?;
        let mut rest = self.minus(poly, square)?;
        for _ in 1..LONGEST {
            if rest == Poly::ZERO {
                break;
            }
            let next = self.largest(rest);
            let next = self.product(&next, &over)?;
            let next = self.poly(&next)?;
            let twice = self.scaled(root, &Rational::new(2, 1))?;
            let sum = self.plus(twice, next)?;
            let taken = self.times(sum, next)?;
            rest = self.minus(rest, taken)?;
            root = self.plus(root, next)?;
        }
        Ok((rest == Poly::ZERO).then_some(root))
    }

    /// The term whose monomial is the largest.
    fn largest(&self, poly: Poly) -> Product {
        let mut best = 0;
        for at in 1..self.len(poly) {
            if self.compare(self.mono_at(poly, at), self.mono_at(poly, best)) == Ordering::Greater {
                best = at;
            }
        }
        self.term(poly, best)
    }

    /// A product whose square is the given one.
    fn half(&mut self, product: &Product) -> Step<Option<Product>> {
        let value = product.coefficient.to_big();
        if value.numer().sign() != num_bigint::Sign::Plus {
            return Ok(None);
        }
        let root = BigRational::new(value.numer().sqrt(), value.denom().sqrt());
        if &root * &root != value {
            return Ok(None);
        }
        let exponent = self.exponent(product.mono);
        let exponent = self.scaled(exponent, &Rational::new(1, 2))?;
        let mut half = Product { coefficient: Rational::from_big(&root), mono: self.exp_mono(exponent) };
        for at in 0..self.factor_count(product.mono) {
            let (atom, power) = self.factor(product.mono, at);
            let even = power.below == 1 && power.above % 2 == 0;
            let Some(power) = power.times(Power::HALF) else { return Ok(None) };
            if self.is_indicator(atom) || !even {
                return Ok(None);
            }
            let factor = self.atom_power(atom, power)?;
            half = self.product(&half, &factor)?;
        }
        Ok(Some(half))
    }

    /// Whether a difference of two terms with roots vanishes: both are non-negative, and so are
    /// equal if a power of them is.
    pub(in crate::decide) fn vanishes_as_power(&mut self, difference: Poly) -> Step<bool> {
        if self.len(difference) != 2 {
            return Ok(false);
        }
        let mut sides = [self.term(difference, 0), self.term(difference, 1)];
        let mut least = 1u16;
        for side in &sides {
            if !self.mono_sign(side.mono).is_non_negative() {
                return Ok(false);
            }
            for at in 0..self.factor_count(side.mono) {
                least = num_integer::lcm(least, self.factor(side.mono, at).1.below);
                if least > HIGHEST {
                    return Ok(false);
                }
            }
        }
        if least == 1 || sides[0].coefficient.is_positive() == sides[1].coefficient.is_positive() {
            return Ok(false);
        }
        for side in &mut sides {
            side.coefficient = side.coefficient.magnitude();
            *side = self.power_of_product(side, Power { above: least as i16, below: 1 })?;
        }
        sides[1].coefficient = sides[1].coefficient.negated();
        if sides.iter().all(|side| side.mono == Mono::ONE) {
            return Ok(false);
        }
        let difference = self.sum_of(&sides)?;
        self.vanishes(difference)
    }
}
