//! Whether a constant divides an integer, in one form however it is asked.
//!
//! `x % d == 0` is `x - d·⌊x/d⌋ = 0`, with the sign of x around it where x has one. Compilers ask for
//! `x·m + a mod 2ⁿ ≤ l` instead, turned by k bits where d is even: for an odd m with the inverse e, the
//! numbers `x·m + a ≡ 2ᵏ·u` for u from 0 to l are `(2ᵏ·u - a)·e` modulo 2ⁿ. Where these and x lie within
//! one stretch of 2ⁿ integers, they are x itself: multiples of `2ᵏ·e`, offset by `a·e`, between two ends.
//!
//! Guarantees: the form equals the condition at all integers in range, whatever m, a, k and l are.
//! Source: Granlund, Montgomery: *Division by Invariant Integers using Multiplication*, 1994, section 9;
//! Warren: *Hacker's Delight*, 10-17.
//! Misses: remainders other than zero of numbers with a sign.

use super::quotients::{big, fraction};
use super::{PART, WRAP};
use crate::decide::forms::{Atom, Kind, Mono, Poly, Power, Step};
use crate::decide::normalize::Normalizer;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};

/// `x·m + a mod 2ⁿ`, turned to the right by `turned` bits.
struct Multiple {
    number: Poly,
    width: u32,
    factor: BigInt,
    addend: BigInt,
    turned: u32,
}

impl Normalizer<'_> {
    /// `[p > 0]` of a difference of integers.
    pub(in crate::decide) fn positive(&mut self, difference: Poly) -> Step<Poly> {
        if self.forms.len(difference) <= 2
            && let Some((atom, below, limit)) = self.compared_atom(difference)
            && let Some(multiple) = self.wrapped_multiple(atom)?
        {
            // [c - w > 0] is [w ≤ c - 1], and [w - c > 0] its contrary for c.
            let most = if below { limit - 1 } else { limit };
            if let Some(holds) = self.is_within(&multiple, &most)? {
                return if below { Ok(holds) } else { self.forms.not(holds) };
            }
        }
        self.forms.positive(difference)
    }

    /// `[p = 0]` of a difference of integers.
    pub(in crate::decide) fn zero(&mut self, difference: Poly) -> Step<Poly> {
        if let Some((number, divisor)) = self.signed_remainder(difference)?
            && let Some(holds) = self.divides(&divisor, number, &BigInt::zero())?
        {
            return Ok(holds);
        }
        self.forms.zero(difference)
    }

    /// x and d, if a form is `x - d·trunc(x/d)` or its opposite for an x that may be negative.
    pub(super) fn signed_remainder(&mut self, poly: Poly) -> Step<Option<(Poly, BigInt)>> {
        let Some((condition, [holds, fails])) = self.chosen_quotient(poly)? else { return Ok(None) };
        let mut quotients = self.quotients_in(fails);
        let (Some((atom, coefficient)), None) = (quotients.next(), quotients.next()) else { return Ok(None) };
        drop(quotients);
        let (name, parts) = self.forms.opaque_parts(atom);
        let Some((1, divisor)) = fraction(&name) else { return Ok(None) };
        let of = parts[0];
        let own = self.forms.atom_poly(atom)?;
        let own = self.forms.scaled(own, &coefficient)?;
        let rest = self.forms.minus(fails, own)?;
        if self.forms.minus(rest, own)? != holds {
            return Ok(None);
        }
        let divisor = BigInt::from(divisor);
        let number = if coefficient == big(-&divisor) {
            rest
        } else if coefficient == big(divisor.clone()) {
            self.forms.negated(rest)?
        } else {
            return Ok(None);
        };
        let is_its_sign = self.forms.magnitude(number)? == of && self.negative(number)? == condition;
        Ok(is_its_sign.then_some((number, divisor)))
    }

    /// `[d divides x + offset]`, if x has a range.
    fn divides(&mut self, divisor: &BigInt, number: Poly, offset: &BigInt) -> Step<Option<Poly>> {
        let Some((low, high)) = self.range_of_form(number) else { return Ok(None) };
        // What is added makes it positive.
        let least = BigInt::from((-low).max(0));
        let added = &least + (offset - &least).mod_floor(divisor);
        let Ok(most) = i128::try_from(BigInt::from(high) + &added) else { return Ok(None) };
        let added = self.forms.rational(big(added))?;
        let moved = self.forms.plus(number, added)?;
        let Some(quotient) = self.quotient(moved, (&BigInt::one(), divisor), most, false)? else {
            return Ok(None);
        };
        let multiple = self.forms.scaled(quotient, &big(divisor.clone()))?;
        let rest = self.forms.minus(moved, multiple)?;
        self.forms.zero(rest).map(Some)
    }

    /// Whether a multiple is at most `most`; `None` where that is not known to be about divisors.
    fn is_within(&mut self, multiple: &Multiple, most: &BigInt) -> Step<Option<Poly>> {
        let Multiple { number, width, factor, addend, turned } = multiple;
        let modulus = BigInt::one() << *width;
        if most.sign() == Sign::Minus || *most >= BigInt::one() << (width - turned) {
            return Ok(None);
        }
        let Some((low, high)) = self.range_of_form(*number) else { return Ok(None) };
        let (low, high) = (BigInt::from(low), BigInt::from(high));
        let inverse = symmetric(inverse_of(factor, *width), &modulus);
        let divisor = (&inverse << *turned).magnitude().clone().into();
        let addend = addend.mod_floor(&modulus);
        for addend in [addend.clone(), addend - &modulus] {
            let offset = &addend * &inverse;
            let (first, last) = (-&offset, (most << *turned) * &inverse - &offset);
            let (first, last) = if first <= last { (first, last) } else { (last, first) };
            if (&high).max(&last) - (&low).min(&first) >= modulus {
                continue;
            }
            let Some(mut holds) = self.divides(&divisor, *number, &offset)? else { return Ok(None) };
            // Each end, unless the next multiple beyond it is out of range.
            if low <= &first - &divisor {
                let end = self.forms.rational(big(first - 1))?;
                let above = self.forms.minus(*number, end)?;
                let above = self.forms.positive(above)?;
                holds = self.forms.times(holds, above)?;
            }
            if high >= &last + &divisor {
                let end = self.forms.rational(big(last))?;
                let beyond = self.forms.minus(*number, end)?;
                let beyond = self.forms.positive(beyond)?;
                let within = self.forms.not(beyond)?;
                holds = self.forms.times(holds, within)?;
            }
            return Ok(Some(holds));
        }
        Ok(None)
    }

    /// `(w, true, c)` for `c - w`, and with `false` for its opposite; w is one atom.
    fn compared_atom(&self, difference: Poly) -> Option<(Atom, bool, BigInt)> {
        let (mut found, mut offset) = (None, BigInt::zero());
        for at in 0..self.forms.len(difference) {
            let mono = self.forms.mono_at(difference, at);
            let value = self.forms.coefficient_at(difference, at);
            let value = value.is_integer().then(|| value.to_big().to_integer())?;
            if mono == Mono::ONE {
                offset = value;
                continue;
            }
            let atom = self.plain_atom(mono)?;
            (value.magnitude().is_one() && self.forms.kind(atom) == Kind::Opaque).then_some(())?;
            found = Some((atom, value.sign() == Sign::Minus));
        }
        let (atom, below) = found?;
        Some((atom, below, if below { offset } else { -offset }))
    }

    /// An atom that stands alone in a product.
    fn plain_atom(&self, mono: Mono) -> Option<Atom> {
        let plain = self.forms.factor_count(mono) == 1 && self.forms.exponent(mono) == Poly::ZERO;
        let (atom, power) = plain.then(|| self.forms.factor(mono, 0))?;
        (power == Power::ONE).then_some(atom)
    }

    /// What an atom says about a multiple of a number: the multiple itself modulo 2ⁿ, or its bits turned.
    fn wrapped_multiple(&mut self, atom: Atom) -> Step<Option<Multiple>> {
        let (name, parts) = self.forms.opaque_parts(atom);
        match name[..] {
            [WRAP, width, 0] => {
                let Some(inner) = self.part_in(parts[0]) else {
                    return Ok(self.multiple(parts[0], width, 0));
                };
                // x's upper bits, and its lower ones above them.
                let (inner_name, inner_parts) = self.forms.opaque_parts(inner);
                let [PART, turned, length] = inner_name[..] else { return Ok(None) };
                let fits = turned + length == width;
                self.turned(parts[0], inner, inner_parts[0], (length, width)).map(|same| {
                    if same && fits { self.multiple(inner_parts[0], width, turned) } else { None }
                })
            }
            // The upper half of the word beside itself.
            [PART, turned, width] => {
                let Some(inner) = self.part_in(parts[0]) else { return Ok(None) };
                let (inner_name, inner_parts) = self.forms.opaque_parts(inner);
                if inner_name[..] != [WRAP, width, 0] || turned >= width {
                    return Ok(None);
                }
                let same = self.turned(parts[0], inner, inner_parts[0], (width, width + turned))?;
                Ok(if same { self.multiple(inner_parts[0], width, turned) } else { None })
            }
            _ => Ok(None),
        }
    }

    /// The one remainder or part among the terms of a form, with nothing before it.
    fn part_in(&self, poly: Poly) -> Option<Atom> {
        let mut atoms = (0..self.forms.len(poly)).filter_map(|at| {
            let atom = self.plain_atom(self.forms.mono_at(poly, at))?;
            let is_part = self.forms.kind(atom) == Kind::Opaque
                && matches!(self.forms.opaque_parts(atom).0[0], WRAP | PART)
                && self.forms.coefficient_at(poly, at).to_big().is_one();
            is_part.then_some(atom)
        });
        let found = atoms.next()?;
        atoms.next().is_none().then_some(found)
    }

    /// Whether a form is `inner + 2^at·of` modulo 2ⁿ.
    fn turned(&mut self, poly: Poly, inner: Atom, of: Poly, (at, n): (u32, u32)) -> Step<bool> {
        let above = self.forms.scaled(of, &big(BigInt::one() << at))?;
        let inner = self.forms.atom_poly(inner)?;
        let whole = self.forms.plus(inner, above)?;
        Ok(self.reduced(whole, n)? == self.reduced(poly, n)?)
    }

    /// `x·m + a` for one atom x and an odd m.
    fn multiple(&mut self, poly: Poly, width: u32, turned: u32) -> Option<Multiple> {
        let (mut found, mut addend) = (None, BigInt::zero());
        if self.forms.len(poly) > 2 {
            return None;
        }
        for at in 0..self.forms.len(poly) {
            let mono = self.forms.mono_at(poly, at);
            let value = self.forms.coefficient_at(poly, at).to_big().to_integer();
            if mono == Mono::ONE {
                addend = value;
            } else if found.replace((self.plain_atom(mono)?, value)).is_some() {
                return None;
            }
        }
        let (atom, factor) = found.filter(|(_, factor)| factor.is_odd())?;
        let number = self.forms.atom_poly(atom).ok()?;
        Some(Multiple { number, width, factor, addend, turned })
    }
}

/// The inverse of an odd number modulo 2ⁿ: each step doubles the bits that are right.
fn inverse_of(factor: &BigInt, n: u32) -> BigInt {
    let modulus = BigInt::one() << n;
    let mut inverse = BigInt::one();
    for _ in 0..8 {
        inverse = (&inverse * (BigInt::from(2) - factor * &inverse)).mod_floor(&modulus);
    }
    inverse
}

/// The remainder of least size.
fn symmetric(value: BigInt, modulus: &BigInt) -> BigInt {
    if &value + &value > *modulus { value - modulus } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are() {
        for factor in [1i64, 3, -5, 7, 0xB6DB_6DB7] {
            let factor = BigInt::from(factor);
            assert_eq!(
                (inverse_of(&factor, 32) * &factor).mod_floor(&(BigInt::one() << 32u32)),
                BigInt::one()
            );
        }
    }
}
