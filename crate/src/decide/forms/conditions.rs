//! Conditions as numbers: 1 where they hold, 0 where they do not.
//!
//! `and` is a product, `or` is `a + b - ab`, `not` is `1 - a`, and `if c then a else b` is
//! `b + c·(a - b)`, so that booleans and choices share the polynomials' normal form (indicators
//! are idempotent). A comparison is an atom `[p > 0]` or `[p = 0]` with p scaled to a fixed size.
//!
//! Guarantees: identities of reals, also where the branch not taken is undefined (an undefined
//! monomial only occurs times the indicator that excludes it).
//! Misses: facts that relate indicators to each other and to p itself; case splits use those.

use super::{Forms, Kind, Poly, Product, Sign, Step};

impl Forms<'_> {
    /// `[poly > 0]`.
    pub(in crate::decide) fn positive(&mut self, poly: Poly) -> Step<Poly> {
        match self.sign(poly) {
            Sign::Positive => return Ok(Poly::ONE),
            Sign::Zero | Sign::NonPositive | Sign::Negative => return Ok(Poly::ZERO),
            Sign::NonNegative | Sign::Unknown => {}
        }
        let poly = self.without_size(poly, false)?;
        let atom = self.atom(Kind::Positive(poly));
        self.atom_poly(atom)
    }

    /// `[poly = 0]`.
    pub(in crate::decide) fn zero(&mut self, poly: Poly) -> Step<Poly> {
        match self.sign(poly) {
            Sign::Zero => return Ok(Poly::ONE),
            sign if sign.is_non_zero() => return Ok(Poly::ZERO),
            _ => {}
        }
        let poly = self.without_size(poly, true)?;
        let atom = self.atom(Kind::Zero(poly));
        self.atom_poly(atom)
    }

    /// `poly` divided by the size (and, if the sign does not matter, the sign) of its leading
    /// coefficient and by the exponential of its leading term.
    fn without_size(&mut self, poly: Poly, signed: bool) -> Step<Poly> {
        let lead = self.leading(poly);
        let mut coefficient = self.coefficient_at(poly, lead).clone();
        if !signed {
            coefficient = coefficient.magnitude();
        }
        let exponent = self.exponent(self.mono_at(poly, lead));
        let content = Product { coefficient, mono: self.exp_mono(exponent) };
        let inverse = self.inverse(&content)?;
        let poly = self.times_product(poly, &inverse)?;
        self.representative(poly)
    }

    /// `1 - condition`.
    pub(in crate::decide) fn not(&mut self, condition: Poly) -> Step<Poly> {
        self.minus(Poly::ONE, condition)
    }

    /// `a + b - a·b`.
    pub(in crate::decide) fn or(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        let both = self.times(a, b)?;
        let sum = self.plus(a, b)?;
        self.minus(sum, both)
    }

    /// `if condition then a else b`.
    pub(in crate::decide) fn choose(&mut self, condition: Poly, a: Poly, b: Poly) -> Step<Poly> {
        if a == b || condition == Poly::ONE {
            return Ok(a);
        }
        if condition == Poly::ZERO {
            return Ok(b);
        }
        let difference = self.minus(a, b)?;
        let gain = self.times(condition, difference)?;
        self.plus(b, gain)
    }
}
