//! Quotients of integers by constants, in one form however they are computed.
//!
//! `⌊x·a/b⌋` for 0 ≤ x ≤ R is the same for all fractions between one of a denominator of at most R and
//! the next of those: it depends on the largest such fraction that is at most a/b, and that one is the
//! form. Compilers write `x / 3` as `⌊x·0xAAAAAAAB / 2^33⌋`, and the largest fraction is 1/3. A number that
//! may be negative is its sign times its magnitude, and `⌊-z·a/b⌋ = -(⌊z·c⌋ + 1)` for z ≥ 1, where c is the
//! largest fraction *below* a/b.
//!
//! Guarantees: the form equals the quotient at all integers in range.
//! Source: Granlund, Montgomery: *Division by Invariant Integers using Multiplication*, 1994, for what is
//! computed; Farey sequences for the form.

use super::reduce::is_bounded;
use super::{QUOTIENT, Range};
use crate::decide::forms::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Quotients in quotients that are joined.
const DEEPEST: u32 = 64;
/// Terms of a form with quotients whose range is looked at closely.
const FEW: usize = 16;

/// The fraction in an atom's name.
pub(in crate::decide) fn fraction(name: &[u32]) -> Option<(u64, u64)> {
    let [QUOTIENT, a, b, c, d] = name[..] else { return None };
    Some((u64::from(a) << 32 | u64::from(b), u64::from(c) << 32 | u64::from(d)))
}

impl Normalizer<'_> {
    /// `a / b` rounded towards zero, for an integer a in a known range and a constant b.
    pub(in crate::decide) fn truncated_quotient(&mut self, a: Poly, b: Poly) -> Step<Option<Poly>> {
        let divisor = self.forms.constant(b).filter(|value| value.is_integer());
        let Some(divisor) = divisor.map(|value| value.to_big().to_integer()) else { return Ok(None) };
        if divisor.is_zero() || !self.is_integer(a) {
            return Ok(None);
        }
        let Some((low, high)) = self.range_of_form(a) else { return Ok(None) };
        let (one, size) = (BigInt::one(), divisor.abs());
        let quotient = if low >= 0 {
            let joined = match self.has_quotients(a) {
                true => self.floor_of(a, &size, DEEPEST)?,
                false => None,
            };
            match joined {
                Some(joined) => Some(joined),
                None => self.quotient(a, (&one, &size), high, false)?,
            }
        } else {
            let (magnitude, most) = (self.forms.magnitude(a)?, high.max(-low));
            let quotient = self.quotient(magnitude, (&one, &size), most, false)?;
            let Some(quotient) = quotient else { return Ok(None) };
            self.with_sign_of(a, quotient).map(Some)?
        };
        match quotient {
            Some(quotient) if divisor.is_negative() => self.forms.negated(quotient).map(Some),
            quotient => Ok(quotient),
        }
    }

    /// `⌊p⌋` of a sum of integers with fractions as their coefficients, in a known range.
    pub(in crate::decide) fn rounded_down(&mut self, poly: Poly) -> Step<Option<Poly>> {
        let mut unit = BigInt::one();
        for at in 0..self.forms.len(poly) {
            unit = unit.lcm(self.forms.coefficient_at(poly, at).to_big().denom());
        }
        let whole = self.forms.scaled(poly, &big(unit.clone()))?;
        if unit.is_one() || !self.is_integer(whole) || self.range_of_form(whole).is_none() {
            return Ok(None);
        }
        self.floor_of(whole, &unit, DEEPEST)
    }

    pub(super) fn negative(&mut self, a: Poly) -> Step<Poly> {
        let below = self.forms.negated(a)?;
        self.forms.positive(below)
    }

    fn with_sign_of(&mut self, a: Poly, magnitude: Poly) -> Step<Poly> {
        let negative = self.negative(a)?;
        let opposite = self.forms.negated(magnitude)?;
        self.forms.choose(negative, opposite, magnitude)
    }

    /// A form without its low bits, where quotients say what that is; `None` where bits say more.
    pub(super) fn without_low_bits(&mut self, poly: Poly, at: u32) -> Step<Option<Poly>> {
        if at == 0 || at > 64 || !self.is_integer(poly) || self.forms.constant(poly).is_some() {
            return Ok(None);
        }
        self.floor_of(poly, &(BigInt::one() << at), DEEPEST)
    }

    /// `⌊p / d⌋` of an integer form, as far as it is made of quotients.
    ///
    /// Choices come out (`⌊(if c then a else b)/d⌋`), multiples of d too, and `⌊(a + ⌊n/q⌋)/d⌋` is
    /// `⌊(a·q + n)/(q·d)⌋`.
    fn floor_of(&mut self, poly: Poly, divisor: &BigInt, left: u32) -> Step<Option<Poly>> {
        let Some(left) = left.checked_sub(1) else { return Ok(None) };
        self.forms.tick(self.forms.len(poly) as u64 + 1)?;
        if let Some((condition, [holds, fails])) = self.chosen_quotient(poly)? {
            let [holds, fails] =
                [self.by_magnitude(condition, holds, true)?, self.by_magnitude(condition, fails, false)?];
            let holds = self.floor_of(holds, divisor, left)?;
            let fails = if holds.is_some() { self.floor_of(fails, divisor, left)? } else { None };
            let (Some(holds), Some(fails)) = (holds, fails) else { return Ok(None) };
            return self.forms.choose(condition, holds, fails).map(Some);
        }
        if let Some(compared) = self.one_of_two(poly, divisor)? {
            return Ok(Some(compared));
        }
        let has_quotients = self.quotients_in(poly).next().is_some();
        let falls = (0..self.forms.len(poly)).all(|at| {
            self.forms.mono_at(poly, at) == Mono::ONE || self.forms.coefficient_at(poly, at).is_negative()
        });
        if has_quotients && falls {
            // ⌊-y / d⌋ = -⌊(y + d - 1) / d⌋
            let opposite = self.forms.negated(poly)?;
            let more = self.forms.rational(big(divisor - 1))?;
            let opposite = self.forms.plus(opposite, more)?;
            return match self.floor_of(opposite, divisor, left)? {
                Some(floor) => self.forms.negated(floor).map(Some),
                None => Ok(None),
            };
        }
        if let Some((of, factor, high)) = self.as_unit(poly)?
            && !by_powers(&factor, divisor)
        {
            let (above, below) = factor.div_mod_floor(divisor);
            let Some(floor) = self.quotient(of, (&below, divisor), high, false)? else { return Ok(None) };
            let above = self.forms.scaled(of, &big(above))?;
            return self.forms.plus(above, floor).map(Some);
        }
        let is_multiple = |this: &Self, at| {
            this.forms.coefficient_at(poly, at).to_big().to_integer().is_multiple_of(divisor)
        };
        let others = (0..self.forms.len(poly))
            .filter(|at| self.forms.mono_at(poly, *at) != Mono::ONE && !is_multiple(self, *at))
            .count();
        // Several numbers may have a factor in common, which remainders have not.
        let remainders = others == 1 || has_quotients;
        let (mut upper, mut rest) = (Accumulator::default(), Accumulator::default());
        for at in 0..self.forms.len(poly) {
            let Product { coefficient, mono } = self.forms.term(poly, at);
            if !remainders && !is_multiple(self, at) {
                rest.add(&Product { coefficient, mono });
                continue;
            }
            let (above, below) = coefficient.to_big().to_integer().div_mod_floor(divisor);
            upper.add(&Product { coefficient: big(above), mono });
            rest.add(&Product { coefficient: big(below), mono });
        }
        let (upper, rest) = (self.forms.finish(upper)?, self.forms.finish(rest)?);
        if let Some(floor) = self.floor_of_rest(rest, divisor, left)? {
            return self.forms.plus(upper, floor).map(Some);
        }
        // Beside a quotient, what has bits.
        let (Some((0.., high)), true) = (self.range_of_form(rest), has_quotients) else { return Ok(None) };
        if self.quotients_in(rest).next().is_some() || divisor.magnitude().count_ones() != 1 {
            return Ok(None);
        }
        let at = divisor.bits() as u32 - 1;
        let length = (128 - high.leading_zeros()).saturating_sub(at);
        let floor = if length == 0 { Poly::ZERO } else { self.part(rest, at, length)? };
        self.forms.plus(upper, floor).map(Some)
    }

    /// `⌊p / d⌋` of a form with quotients that has one of two values: a comparison says which.
    fn one_of_two(&mut self, poly: Poly, divisor: &BigInt) -> Step<Option<Poly>> {
        if self.quotients_in(poly).next().is_none() {
            return Ok(None);
        }
        let Some((low, high)) = self.range_of_form(poly) else { return Ok(None) };
        let [least, most] = [low, high].map(|end| BigInt::from(end).div_floor(divisor));
        if &most - &least > BigInt::one() {
            return Ok(None);
        }
        let base = self.forms.rational(big(least.clone()))?;
        if most == least {
            return Ok(Some(base));
        }
        // p ≥ d·(least + 1)
        let border = self.forms.rational(big((least + 1) * divisor - 1))?;
        let above = self.forms.minus(poly, border)?;
        let above = self.positive(above)?;
        self.forms.plus(base, above).map(Some)
    }

    /// A form where the sign of p, which a condition asks for, is known: p is written by its magnitude, of which
    /// quotients are.
    fn by_magnitude(&mut self, condition: Poly, poly: Poly, holds: bool) -> Step<Poly> {
        let Some((atom, true)) = self.forms.as_atom(condition) else { return Ok(poly) };
        let Kind::Positive(p) = self.forms.kind(atom) else { return Ok(poly) };
        if self.forms.len(p) == 0 || self.forms.mono_at(p, 0) == Mono::ONE || !self.is_integer(p) {
            return Ok(poly);
        }
        let mono = self.forms.mono_at(p, 0);
        let coefficient = |forms: &Forms<'_>, of: Poly| {
            let place = (0..forms.len(of)).find(|at| forms.mono_at(of, *at) == mono);
            place.map_or(Rational::ZERO, |at| forms.coefficient_at(of, at).clone())
        };
        let times = coefficient(&self.forms, poly).times(&coefficient(&self.forms, p).reciprocal());
        // What is divided has whole coefficients.
        if times.is_zero() || !times.is_integer() {
            return Ok(poly);
        }
        let part = self.forms.scaled(p, &times)?;
        let rest = self.forms.minus(poly, part)?;
        let size = self.forms.magnitude(p)?;
        let size = self.forms.scaled(size, &if holds { times } else { times.negated() })?;
        self.forms.plus(rest, size)
    }

    /// y, a factor and the greatest y, if a form is a multiple of a sum y that is not negative though a part of it
    /// may be: a word that is read without its sign, as `x + 2ⁿ·[x < 0]`.
    fn as_unit(&mut self, poly: Poly) -> Step<Option<(Poly, BigInt, i128)>> {
        let count = self.forms.len(poly);
        let alone = |at| self.range_of_mono(self.forms.mono_at(poly, at));
        let has_sign = (0..count).any(|at| alone(at).is_some_and(|(low, _)| low < 0));
        if !(2..=FEW).contains(&count) || !has_sign || self.quotients_in(poly).next().is_some() {
            return Ok(None);
        }
        let mut factor = BigInt::zero();
        for at in 0..count {
            factor = factor.gcd(&self.forms.coefficient_at(poly, at).to_big().to_integer());
        }
        for factor in [factor.clone(), -factor] {
            let of = self.forms.scaled(poly, &big(factor.clone()).reciprocal())?;
            if let Some((0.., high)) = self.range_of_form(of) {
                return Ok(Some((of, factor, high)));
            }
        }
        Ok(None)
    }

    /// The same without multiples of the divisor.
    fn floor_of_rest(&mut self, rest: Poly, divisor: &BigInt, left: u32) -> Step<Option<Poly>> {
        if rest == Poly::ZERO {
            return Ok(Some(Poly::ZERO));
        }
        // The quotient that was made last, once.
        let last = self.quotients_in(rest).filter(|(_, coefficient)| *coefficient == Rational::ONE);
        if let Some((atom, _)) = last.max_by_key(|(atom, _)| *atom) {
            let (name, parts) = self.forms.opaque_parts(atom);
            let Some((above, below)) = fraction(&name) else { return Ok(None) };
            let own = self.forms.atom_poly(atom)?;
            let others = self.forms.minus(rest, own)?;
            let others = self.forms.scaled(others, &big(below.into()))?;
            let inside = self.forms.scaled(parts[0], &big(above.into()))?;
            let inside = self.forms.plus(others, inside)?;
            return self.floor_of(inside, &(divisor * BigInt::from(below)), left);
        }
        let mut common = BigInt::default();
        for index in 0..self.forms.len(rest) {
            common = common.gcd(&self.forms.coefficient_at(rest, index).to_big().to_integer());
        }
        // By powers of two alone, the bits say more, unless they are those of quotients.
        if by_powers(&common, divisor) && self.quotients_in(rest).next().is_none() {
            return Ok(None);
        }
        let of = self.forms.scaled(rest, &big(common.clone()).reciprocal())?;
        let Some((low, high)) = self.range_of_form(of) else { return Ok(None) };
        if low >= 0 {
            return self.quotient(of, (&common, divisor), high, false);
        }
        if high <= 0 {
            // ⌊-y·a / d⌋ of a y that is not negative, by the remainder of -a.
            let of = self.forms.negated(of)?;
            let (above, below) = (-common).div_mod_floor(divisor);
            if by_powers(&below, divisor) && self.quotients_in(of).next().is_none() {
                return Ok(None);
            }
            let Some(floor) = self.quotient(of, (&below, divisor), -low, false)? else { return Ok(None) };
            let above = self.forms.scaled(of, &big(above))?;
            return self.forms.plus(above, floor).map(Some);
        }
        let magnitude = self.forms.magnitude(of)?;
        let up = self.quotient(magnitude, (&common, divisor), high.max(0), false)?;
        let down = self.quotient(magnitude, (&common, divisor), -low, true)?;
        let (Some(up), Some(down)) = (up, down) else { return Ok(None) };
        let negative = self.negative(of)?;
        let down = self.forms.plus(down, Poly::ONE)?;
        let down = self.forms.negated(down)?;
        self.forms.choose(negative, down, up).map(Some)
    }

    /// Whether a form has quotients, also multiplied with something.
    pub(in crate::decide) fn has_quotients(&self, poly: Poly) -> bool {
        !self.integers.quotients.is_empty()
            && self.atoms_in(poly).iter().any(|atom| self.integers.quotients.contains_key(atom))
    }

    /// The quotients that a form has as they are, with their coefficients.
    pub(super) fn quotients_in(&self, poly: Poly) -> impl Iterator<Item = (Atom, Rational)> + '_ {
        let count = if self.integers.quotients.is_empty() { 0 } else { self.forms.len(poly) };
        (0..count).filter_map(move |at| {
            let mono = self.forms.mono_at(poly, at);
            if self.forms.factor_count(mono) != 1 || self.forms.exponent(mono) != Poly::ZERO {
                return None;
            }
            let (atom, power) = self.forms.factor(mono, 0);
            let found = power == Power::ONE && self.integers.quotients.contains_key(&atom);
            found.then(|| (atom, self.forms.coefficient_at(poly, at).clone()))
        })
    }

    /// A form as a choice by the condition that a quotient in it is multiplied with, and both ways.
    pub(super) fn chosen_quotient(&mut self, poly: Poly) -> Step<Option<(Poly, [Poly; 2])>> {
        if self.integers.quotients.is_empty() {
            return Ok(None);
        }
        let is_condition = |this: &Self, atom| {
            matches!(this.forms.kind(atom), Kind::Positive(_) | Kind::Zero(_) | Kind::Condition)
        };
        let found = (0..self.forms.len(poly)).find_map(|at| {
            let mono = self.forms.mono_at(poly, at);
            let factors = || (0..self.forms.factor_count(mono)).map(|at| self.forms.factor(mono, at));
            let quotient = factors().any(|(atom, _)| self.integers.quotients.contains_key(&atom));
            let condition = factors().find(|(atom, power)| *power == Power::ONE && is_condition(self, *atom));
            condition.filter(|_| quotient).map(|(atom, _)| atom)
        });
        let Some(condition) = found else { return Ok(None) };
        let (mut with, mut without) = (Accumulator::default(), Accumulator::default());
        for at in 0..self.forms.len(poly) {
            let term = self.forms.term(poly, at);
            let count = self.forms.factor_count(term.mono);
            let place = (0..count).find(|at| self.forms.factor(term.mono, *at).0 == condition);
            let Some(place) = place else {
                without.add(&term);
                continue;
            };
            if self.forms.factor(term.mono, place).1 != Power::ONE
                || self.forms.exponent(term.mono) != Poly::ZERO
            {
                return Ok(None);
            }
            let mut rest = Product { coefficient: term.coefficient.clone(), mono: Mono::ONE };
            for other in (0..count).filter(|other| *other != place) {
                let (atom, power) = self.forms.factor(term.mono, other);
                let factor = self.forms.atom_power(atom, power)?;
                rest = self.forms.product(&rest, &factor)?;
            }
            with.add(&rest);
        }
        let (gain, fails) = (self.forms.finish(with)?, self.forms.finish(without)?);
        let holds = self.forms.plus(fails, gain)?;
        let condition = self.forms.atom_poly(condition)?;
        Ok(Some((condition, [holds, fails])))
    }

    /// The range of a form with quotients in it, each taken as the fraction that it rounds down: those of
    /// one number belong together (`x - ⌊x/7⌋·7` lies between 0 and 6).
    pub(super) fn range_by_quotients(&self, poly: Poly) -> Option<Range> {
        self.quotients_in(poly).next()?;
        let ratio = |above: u64, below: u64| BigRational::new(above.into(), below.into());
        let mut sum: Vec<(Mono, BigRational)> = Vec::new();
        let mut add = |mono: Mono, value: BigRational| match sum.iter_mut().find(|(own, _)| *own == mono) {
            Some((_, own)) => *own += value,
            None => sum.push((mono, value)),
        };
        let (mut low, mut high) = (BigRational::zero(), BigRational::zero());
        let mut insides: Vec<Poly> = Vec::new();
        if self.forms.len(poly) > FEW {
            return None;
        }
        for at in 0..self.forms.len(poly) {
            let mono = self.forms.mono_at(poly, at);
            let coefficient = self.forms.coefficient_at(poly, at).to_big();
            let quotient = match self.forms.factor_count(mono) {
                1 => Some(self.forms.factor(mono, 0)).filter(|(atom, power)| {
                    *power == Power::ONE && self.integers.quotients.contains_key(atom)
                }),
                _ => None,
            };
            let Some((atom, _)) = quotient else {
                add(mono, coefficient);
                continue;
            };
            let (name, parts) = self.forms.opaque_parts(atom);
            let (above, below) = fraction(&name)?;
            let slack = ratio(below - 1, below) * &coefficient;
            if coefficient > BigRational::zero() {
                low -= slack;
            } else {
                high -= slack;
            }
            if self.forms.len(parts[0]) > FEW {
                return None;
            }
            if self.forms.len(parts[0]) > 1 && !insides.contains(&parts[0]) {
                insides.push(parts[0]);
            }
            for inner in 0..self.forms.len(parts[0]) {
                let own = self.forms.coefficient_at(parts[0], inner).to_big();
                add(self.forms.mono_at(parts[0], inner), own * ratio(above, below) * &coefficient);
            }
        }
        // What is divided is known as a whole.
        for inside in insides {
            let first = self.forms.mono_at(inside, 0);
            let times = |mono: Mono, own: &BigRational| {
                let of = sum.iter().find(|(other, _)| *other == mono);
                of.map(|(_, coefficient)| coefficient / own)
            };
            let Some(scale) = times(first, &self.forms.coefficient_at(inside, 0).to_big()) else { continue };
            let alike = (0..self.forms.len(inside)).all(|at| {
                let own = self.forms.coefficient_at(inside, at).to_big();
                times(self.forms.mono_at(inside, at), &own).as_ref() == Some(&scale)
            });
            if alike && let Some((least, most)) = self.ends_within(inside, &[]).filter(is_bounded) {
                let [a, b] = [least, most].map(|value| BigRational::from_integer(value.into()) * &scale);
                low += a.clone().min(b.clone());
                high += a.max(b);
                let monos: Vec<Mono> =
                    (0..self.forms.len(inside)).map(|at| self.forms.mono_at(inside, at)).collect();
                sum.retain(|(mono, _)| !monos.contains(mono));
            }
        }
        for (mono, coefficient) in sum {
            let (least, most) = self.range_of_mono(mono)?;
            let [a, b] = [least, most].map(|value| BigRational::from_integer(value.into()) * &coefficient);
            low += a.clone().min(b.clone());
            high += a.max(b);
        }
        Some((low.ceil().to_integer().to_i128()?, high.floor().to_integer().to_i128()?))
    }

    /// `⌊x·a/b⌋` for an integer x from 0 to `most` (elsewhere, it may be anything); `strict`: of the largest
    /// fraction below a/b.
    pub(super) fn quotient(
        &mut self,
        x: Poly,
        (a, b): (&BigInt, &BigInt),
        most: i128,
        strict: bool,
    ) -> Step<Option<Poly>> {
        if !(0..1 << 64).contains(&most) {
            return Ok(None);
        }
        if most == 0 {
            return Ok(Some(Poly::ZERO));
        }
        // A multiple of the divisor.
        let common = a.gcd(b);
        let (a, b) = (a / &common, b / &common);
        let divides = |value: &Rational| value.to_big().to_integer().is_multiple_of(&b);
        if !strict && (0..self.forms.len(x)).all(|at| divides(self.forms.coefficient_at(x, at))) {
            let scale = Rational::from_big(&BigRational::new(a, b));
            return self.forms.scaled(x, &scale).map(Some);
        }
        let (mut whole, mut rest) = a.div_mod_floor(&b);
        if strict && rest.is_zero() {
            // Just below an integer.
            whole -= 1;
            rest = b.clone();
        }
        let (above, below) = largest_fraction(&rest, &b, &most.into(), strict);
        let (Some(above), Some(below)) = (above.to_u64(), below.to_u64()) else { return Ok(None) };
        let base = self.forms.scaled(x, &big(whole))?;
        let of_quotients = self.quotients_in(x).next().is_some();
        // ⌊⌊n/q⌋/d⌋ = ⌊n/(q·d)⌋
        let joins = above == 1 && self.quotients_in(x).any(|(_, coefficient)| coefficient == Rational::ONE);
        if joins && let Some(joined) = self.floor_of_rest(x, &below.into(), DEEPEST)? {
            return self.forms.plus(base, joined).map(Some);
        }
        let fraction = match (above, below) {
            (0, _) => Poly::ZERO,
            (_, 1) => self.forms.scaled(x, &big(above.into()))?,
            (1, _) if below.is_power_of_two() && !of_quotients => {
                let at = below.trailing_zeros();
                self.part(x, at, 64 - at)?
            }
            _ => {
                let words = [above >> 32, above & 0xffff_ffff, below >> 32, below & 0xffff_ffff];
                let [p, q, r, s] = words.map(|word| word as u32);
                let atom = self.forms.opaque(false, &[QUOTIENT, p, q, r, s], &[x]);
                // Of one number, some may be asked for in a part of its range.
                let high = self.range_of_form(x).map_or(most, |(_, high)| high.max(most));
                let end = (BigInt::from(high) * above / below).to_i128().unwrap_or(i128::MAX >> 2);
                let before = self.integers.quotients.insert(atom, (0, end));
                if before.is_some_and(|before| before != (0, end)) {
                    self.integers.known.forget_ranges();
                }
                self.forms.atom_poly(atom)?
            }
        };
        self.forms.plus(base, fraction).map(Some)
    }
}

/// Whether both are powers of two, but for their signs.
fn by_powers(factor: &BigInt, divisor: &BigInt) -> bool {
    factor.magnitude().count_ones() == 1 && divisor.magnitude().count_ones() == 1
}

pub(super) fn big(value: BigInt) -> Rational {
    Rational::from_big(&BigRational::from_integer(value))
}

/// The largest fraction with a denominator of at most `most` that is at most `a/b` (below it, if
/// `strict`), where 0 ≤ a/b ≤ 1: a walk down the tree of Stern and Brocot, many steps at once.
fn largest_fraction(a: &BigInt, b: &BigInt, most: &BigInt, strict: bool) -> (BigInt, BigInt) {
    let one = BigInt::one;
    if a == b && !strict {
        return (one(), one());
    }
    let (mut low, mut high) = ((BigInt::zero(), one()), (one(), one()));
    if a.is_zero() {
        return low;
    }
    loop {
        // low ≤ a/b < high, or low < a/b ≤ high.
        let to_high = &high.0 * b - a * &high.1;
        let to_low = a * &low.1 - &low.0 * b;
        let room: BigInt = (most - &low.1) / &high.1;
        let steps = match strict {
            _ if to_high.is_zero() => room,
            false => (&to_low / &to_high).min(room),
            true => ((&to_low - 1u32) / &to_high).min(room),
        };
        low = (&low.0 + &steps * &high.0, &low.1 + &steps * &high.1);
        let to_low = a * &low.1 - &low.0 * b;
        if to_low.is_zero() {
            return low;
        }
        let room: BigInt = (most - &high.1).max(BigInt::zero()) / &low.1;
        let closer = match strict {
            false => ((&to_high - 1u32) / &to_low).min(room),
            true => (&to_high / &to_low).min(room),
        };
        let closer = closer.max(BigInt::zero());
        high = (&high.0 + &closer * &low.0, &high.1 + &closer * &low.1);
        if steps.is_zero() && closer.is_zero() || &low.1 + &high.1 > *most {
            return low;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fraction with small parts, against all fractions below it.
    #[test]
    fn the_largest_fraction_is_found() {
        for b in 1..40u128 {
            for a in 0..=b {
                for most in 1..30u128 {
                    for strict in [false, true] {
                        let fits = |p: u128, q: u128| if strict { p * b < a * q } else { p * b <= a * q };
                        let mut best = None;
                        for q in 1..=most {
                            let Some(p) = (0..=q).rev().find(|p| fits(*p, q)) else { continue };
                            if best.is_none_or(|(x, y)| p * y > x * q) {
                                best = Some((p, q));
                            }
                        }
                        let Some((p, q)) = best else { continue };
                        let [a, b, most] = [a, b, most].map(BigInt::from);
                        let (x, y) = largest_fraction(&a, &b, &most, strict);
                        assert_eq!(
                            x.clone() * q,
                            y.clone() * p,
                            "{a}/{b} up to {most}, strict {strict}: {x}/{y}, not {p}/{q}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn multipliers_of_compilers_are_divisions() {
        let of = |a: u128, k: u32, most: u64| {
            let (above, below) = largest_fraction(&a.into(), &(BigInt::one() << k), &most.into(), false);
            (above.to_u64().unwrap(), below.to_u64().unwrap())
        };
        let most = u64::from(u32::MAX);
        assert_eq!(of(0xAAAA_AAAB, 33, most), (1, 3));
        assert_eq!(of(0xCCCC_CCCD, 35, most), (1, 10));
        assert_ne!(of(0xAAAA_AAAA, 33, most), (1, 3));
        assert_eq!(of(0xAAAA_AAAA_AAAA_AAAB, 65, u64::MAX), (1, 3));
        assert_ne!(of(0xAAAA_AAAA_AAAA_AAAA, 65, u64::MAX), (1, 3));
        // 7 takes one bit more than a word has.
        assert_eq!(of((1 << 64) + 0x2492_4924_9249_2493, 67, u64::MAX), (1, 7));
    }
}
