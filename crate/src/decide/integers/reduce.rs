//! Polynomials over integers modulo 2ⁿ, and the ranges of integers.
//!
//! Guarantees: a reduced form is congruent to the form modulo 2ⁿ at all integers; two forms whose
//! polynomials in independent integers agree modulo 2ⁿ everywhere reduce to one. A range holds at all
//! inputs.
//! Source: Hungerbühler, Specker: *A generalization of the Smarandache function to several variables*,
//! 2006, for the basis of falling factorials.

use super::{DEEP, MOST_SPLIT, PART, QUOTIENT, Range, WRAP, range_of};
use crate::base::FormatClass;
use crate::decide::forms::{Accumulator, Atom, Kind, Mono, Poly, Power, Product, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use crate::term::Unary;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Powers beyond this are left as they are.
const HIGHEST: i16 = 40;
/// Terms of a polynomial whose range is looked at.
const LONGEST: usize = 1 << 14;
/// Indicators that are taken one way and the other when a range is looked for.
const SPLIT: usize = 3;

/// A product of falling factorials (or of powers), by atom.
type Factors = Vec<(Atom, i16)>;

impl Normalizer<'_> {
    /// Whether a form has integer coefficients and is made of integers.
    pub(super) fn is_integer(&self, poly: Poly) -> bool {
        let known = |poly: &Poly| self.integers.known.facts().integers.get(poly).copied();
        let mut open = vec![poly];
        while let Some(last) = open.last().copied() {
            let before = open.len();
            if known(&last).is_none() {
                open.extend(self.integers_within(last).into_iter().filter(|part| known(part).is_none()));
            }
            if open.len() == before {
                open.pop();
                if known(&last).is_none() {
                    let found = self.has_integers_only(last);
                    self.integers.known.facts().integers.insert(last, found);
                }
            }
        }
        known(&poly).unwrap_or(false)
    }

    /// The polynomials in one that have to be of integers for it to be of integers, and to have ranges for it
    /// to have one.
    fn integers_within(&self, poly: Poly) -> Vec<Poly> {
        let nested = |atom: Atom| match self.forms.kind(atom) {
            Kind::Sum(p) | Kind::Abs(p) => vec![p],
            Kind::Max | Kind::Contest => self.parts_of(atom),
            _ => Vec::new(),
        };
        self.atoms_in(poly).into_iter().flat_map(nested).collect()
    }

    fn has_integers_only(&self, poly: Poly) -> bool {
        (0..self.forms.len(poly)).all(|at| {
            let mono = self.forms.mono_at(poly, at);
            self.forms.coefficient_at(poly, at).is_integer()
                && self.forms.exponent(mono) == Poly::ZERO
                && (0..self.forms.factor_count(mono)).all(|at| {
                    let (atom, power) = self.forms.factor(mono, at);
                    power.below == 1 && power.above > 0 && self.is_integer_atom(atom)
                })
        })
    }

    pub(super) fn is_integer_atom(&self, atom: Atom) -> bool {
        match self.forms.kind(atom) {
            Kind::Element(element) => self.forms.integer_format(element).is_some(),
            Kind::Positive(_) | Kind::Zero(_) | Kind::Condition => true,
            Kind::Sum(p) | Kind::Abs(p) => self.is_integer(p),
            Kind::Function(function, _) => function.is_rounding(),
            Kind::Max => self.forms.max_arguments(atom).into_iter().all(|p| self.is_integer(p)),
            Kind::Contest => {
                self.forms.contest_candidates(atom).into_iter().all(|(_, payload)| self.is_integer(payload))
            }
            // Patterns and what they are read as; 0 is a rounding, 5 a function by name.
            Kind::Opaque => match self.forms.opaque_parts(atom).0[0] {
                4 => self.forms.opaque_parts(atom).0.len() == 3,
                name => !matches!(name, 0 | 5),
            },
            Kind::Pi | Kind::Ln10 | Kind::Prime(_) | Kind::Log(_) => false,
        }
    }

    /// The range of a form, if its integers have one.
    pub(super) fn range_of_form(&self, poly: Poly) -> Option<Range> {
        let range = self.ends_within(poly, &[]).filter(is_bounded);
        match (range, self.range_by_quotients(poly)) {
            (Some((low, high)), Some((least, most))) => Some((low.max(least), high.min(most))),
            (range, other) => range.or(other),
        }
    }

    /// The range of a product of integers.
    pub(super) fn range_of_mono(&self, mono: Mono) -> Option<Range> {
        if self.forms.exponent(mono) != Poly::ZERO {
            return None;
        }
        let (mut least, mut most) = (1i128, 1i128);
        for index in 0..self.forms.factor_count(mono) {
            let (atom, power) = self.forms.factor(mono, index);
            if power.below != 1 || power.above < 0 {
                return None;
            }
            let (a, b) = self.range_of_atom(atom)?;
            for _ in 0..power.above {
                let corners = [
                    least.checked_mul(a)?,
                    least.checked_mul(b)?,
                    most.checked_mul(a)?,
                    most.checked_mul(b)?,
                ];
                (least, most) = (*corners.iter().min()?, *corners.iter().max()?);
            }
        }
        Some((least, most))
    }

    /// Between what a form lies; [`FAR`] and beyond is no end.
    pub(super) fn ends_within(&self, poly: Poly, known: &[(Atom, Range)]) -> Option<Range> {
        if self.forms.len(poly) > LONGEST {
            return None;
        }
        if known.is_empty() || self.integers.known.facts().depth > DEEP {
            return self.range_by_itself(poly);
        }
        let asked = (poly, known.to_vec());
        if let Some(range) = self.integers.known.facts().split.get(&asked) {
            return *range;
        }
        self.integers.known.facts().depth += 1;
        let range = self.worked_out_range(poly, known);
        let mut facts = self.integers.known.facts();
        facts.depth -= 1;
        if facts.split.len() >= MOST_SPLIT {
            facts.split.clear();
        }
        facts.split.insert(asked, range);
        range
    }

    /// The range that holds whatever ranges atoms are taken to have: of what lies inside first.
    fn range_by_itself(&self, poly: Poly) -> Option<Range> {
        let known = |poly: &Poly| self.integers.known.facts().ranges.get(poly).copied();
        if let Some(range) = known(&poly) {
            return range;
        }
        let mut open = vec![poly];
        while let Some(last) = open.last().copied() {
            let before = open.len();
            if known(&last).is_none() && self.forms.len(last) <= LONGEST {
                open.extend(self.integers_within(last).into_iter().filter(|part| known(part).is_none()));
            }
            if open.len() == before {
                open.pop();
                if known(&last).is_none() {
                    let fits = self.forms.len(last) <= LONGEST;
                    let found = if fits { self.worked_out_range(last, &[]) } else { None };
                    self.integers.known.facts().ranges.insert(last, found);
                }
            }
        }
        known(&poly).flatten()
    }

    fn worked_out_range(&self, poly: Poly, known: &[(Atom, Range)]) -> Option<Range> {
        if known.len() < SPLIT
            && let Some((atom, inner, [holds, fails])) = self.indicator_to_split(poly, known)
        {
            let mut total: Option<Range> = None;
            for (value, range) in [(1, holds), (0, fails)] {
                let Some(range) = range else { continue };
                let known: Vec<(Atom, Range)> = [known, &[(atom, (value, value)), (inner, range)]].concat();
                let (low, high) = self.sum_within(poly, &known)?;
                total = Some(total.map_or((low, high), |(a, b): Range| (a.min(low), b.max(high))));
            }
            return total;
        }
        self.sum_within(poly, known)
    }

    fn sum_within(&self, poly: Poly, known: &[(Atom, Range)]) -> Option<Range> {
        // Where conditions are known, what they multiply may cancel.
        let mut products: Vec<(Vec<(Atom, Power)>, i128)> = Vec::with_capacity(self.forms.len(poly));
        for at in 0..self.forms.len(poly) {
            let mono = self.forms.mono_at(poly, at);
            let coefficient = self.forms.coefficient_at(poly, at);
            let mut coefficient =
                coefficient.is_integer().then(|| coefficient.to_big().to_integer().to_i128())??;
            if self.forms.exponent(mono) != Poly::ZERO {
                return None;
            }
            let mut factors = Vec::with_capacity(self.forms.factor_count(mono));
            for index in 0..self.forms.factor_count(mono) {
                let (atom, power) = self.forms.factor(mono, index);
                if power.below != 1 || power.above < 0 {
                    return None;
                }
                match known.iter().rev().find(|(other, _)| *other == atom) {
                    Some((_, (0, 0))) => coefficient = 0,
                    Some((_, (1, 1))) => {}
                    _ => factors.push((atom, power)),
                }
            }
            let same = (!known.is_empty()).then(|| products.iter().position(|(other, _)| *other == factors));
            match same.flatten() {
                Some(same) => products[same].1 = products[same].1.checked_add(coefficient)?,
                None => products.push((factors, coefficient)),
            }
        }
        let mut sum = (0i128, 0i128);
        for (factors, coefficient) in products.into_iter().filter(|(_, coefficient)| *coefficient != 0) {
            let mut product = ends(coefficient, coefficient)?;
            for (atom, power) in factors {
                let factor = self.ends_of_atom(atom, known)?;
                for _ in 0..power.above {
                    product = product_of_ends(product, factor)?;
                }
            }
            sum = sum_of_ends(sum, product)?;
        }
        Some(sum)
    }

    /// A rounding among the factors of a sum whose argument grows or falls with `p`, and its ranges where p is
    /// positive and where it is not.
    fn rounding_to_split(
        &self,
        poly: Poly,
        p: Poly,
        known: &[(Atom, Range)],
    ) -> Option<(Atom, [Option<Range>; 2])> {
        self.atoms_in(poly).into_iter().find_map(|atom| {
            let Kind::Function(function, argument) = self.forms.kind(atom) else { return None };
            let (scale, offset) = function.is_rounding().then(|| self.proportion(argument, p))??;
            let edge = round(function, &offset).to_i128().filter(|edge| edge.abs() < FAR)?;
            let (low, high) = self.ends_of_atom(atom, known).unwrap_or((-FAR, FAR));
            let (above, below) = (between(low.max(edge), high), between(low, high.min(edge)));
            Some((atom, if scale.is_positive() { [above, below] } else { [below, above] }))
        })
    }

    /// `(a, b)` for `q = a·p + b`, a not 0.
    pub(super) fn proportion(&self, q: Poly, p: Poly) -> Option<(BigRational, BigRational)> {
        let split = |poly: Poly| {
            let has_constant = self.forms.len(poly) > 0 && self.forms.mono_at(poly, 0) == Mono::ONE;
            let first = usize::from(has_constant);
            let constant = has_constant.then(|| self.forms.coefficient_at(poly, 0).to_big());
            (constant.unwrap_or_else(BigRational::zero), first..self.forms.len(poly))
        };
        let ((b, own), (d, others)) = (split(q), split(p));
        if own.len() != others.len() || own.is_empty() {
            return None;
        }
        let mut scale: Option<BigRational> = None;
        for (at, other) in own.zip(others) {
            if self.forms.mono_at(q, at) != self.forms.mono_at(p, other) {
                return None;
            }
            let ratio =
                self.forms.coefficient_at(q, at).to_big() / self.forms.coefficient_at(p, other).to_big();
            if scale.as_ref().is_some_and(|scale| *scale != ratio) {
                return None;
            }
            scale = Some(ratio);
        }
        let scale = scale?;
        let offset = b - &scale * d;
        Some((scale, offset))
    }

    /// Whether a comparison chooses between the terms of a form.
    pub(super) fn has_comparison(&self, poly: Poly) -> bool {
        self.forms.len(poly) <= 64
            && self.atoms_in(poly).into_iter().any(|atom| matches!(self.forms.kind(atom), Kind::Positive(_)))
    }

    /// The integer of so many bits that is congruent to a form, case by case: where a comparison holds and where
    /// not, a multiple of 2ⁿ of its own may bring the form into range. Compilers write -128 as 128.
    pub(super) fn fitted_by_cases(
        &mut self,
        (least, most): Range,
        n: u32,
        poly: Poly,
        known: &[(Atom, Range)],
    ) -> Step<Option<Poly>> {
        if let Some((low, high)) = self.ends_within(poly, known).filter(is_bounded) {
            let turn = Integer::div_ceil(&(least - low), &(1i128 << n)) << n;
            if low + turn >= least && high + turn <= most {
                let turn =
                    self.forms.rational(Rational::from_big(&BigRational::from_integer(turn.into())))?;
                return self.forms.plus(poly, turn).map(Some);
            }
        }
        // Each comparison is known by itself and by what it says.
        if known.len() >= 2 * SPLIT {
            return Ok(None);
        }
        let Some((atom, inner, ranges)) = self.indicator_to_split(poly, known) else { return Ok(None) };
        let mut cases = [Poly::ZERO; 2];
        for (holds, (case, range)) in cases.iter_mut().zip(ranges).enumerate() {
            let value = 1 - holds as i128;
            let Some(range) = range else { continue };
            let chosen = self.with_indicator(poly, atom, value == 1)?;
            let known = [known, &[(atom, (value, value)), (inner, range)]].concat();
            let Some(fitted) = self.fitted_by_cases((least, most), n, chosen, &known)? else {
                return Ok(None);
            };
            *case = fitted;
        }
        let condition = self.forms.atom_poly(atom)?;
        let gap = self.forms.minus(cases[0], cases[1])?;
        let moved = self.forms.times(condition, gap)?;
        self.forms.plus(cases[1], moved).map(Some)
    }

    /// A form where an indicator is 1, or 0.
    fn with_indicator(&mut self, poly: Poly, atom: Atom, holds: bool) -> Step<Poly> {
        let mut sum = Accumulator::default();
        for at in 0..self.forms.len(poly) {
            let term = self.forms.term(poly, at);
            let count = self.forms.factor_count(term.mono);
            if !(0..count).any(|index| self.forms.factor(term.mono, index).0 == atom) {
                sum.add(&term);
            } else if holds {
                let mut rest = Product { coefficient: term.coefficient.clone(), mono: Mono::ONE };
                for (other, power) in
                    (0..count).map(|index| self.forms.factor(term.mono, index)).collect::<Vec<_>>()
                {
                    if other != atom {
                        let factor = self.forms.atom_power(other, power)?;
                        rest = self.forms.product(&rest, &factor)?;
                    }
                }
                sum.add(&rest);
            }
        }
        self.forms.finish(sum)
    }

    /// An indicator that says on which side of a number an atom lies, and the atom's ranges there.
    fn indicator_to_split(
        &self,
        poly: Poly,
        known: &[(Atom, Range)],
    ) -> Option<(Atom, Atom, [Option<Range>; 2])> {
        if self.forms.len(poly) > 64 {
            return None;
        }
        let mut atoms = (0..self.forms.len(poly)).flat_map(|at| {
            let mono = self.forms.mono_at(poly, at);
            (0..self.forms.factor_count(mono)).map(move |at| (mono, at))
        });
        atoms.find_map(|(mono, at)| {
            let (atom, _) = self.forms.factor(mono, at);
            if known.iter().any(|(other, _)| *other == atom) {
                return None;
            }
            // The highest bit of an element of n bits, and comparisons with a constant.
            if self.forms.kind(atom) == Kind::Condition
                && let (name, _) = self.forms.opaque_parts(atom)
                && let [6, element, place, bits, 0] = name[..]
                && place + 1 == bits
            {
                let inner = self.forms.known_element(element)?;
                let (low, high) = self.ends_of_atom(inner, known)?;
                let signed = self.forms.integer_format(element)?.class() == FormatClass::Signed;
                let edge = 1i128 << place;
                return Some(match signed {
                    true => (atom, inner, [between(low, -1), between(0, high)]),
                    false => (atom, inner, [between(edge, high), between(low, edge - 1)]),
                });
            }
            let Kind::Positive(p) = self.forms.kind(atom) else { return None };
            let linear = self.linear(p).filter(|(inner, ..)| self.is_integer_atom(*inner));
            let Some((inner, scale, offset)) = linear else {
                let (inner, ranges) = self.rounding_to_split(poly, p, known)?;
                return Some((atom, inner, ranges));
            };
            let (low, high) = self.ends_of_atom(inner, known).unwrap_or((-FAR, FAR));
            // scale · x + offset > 0
            let edge = |value: i128| Integer::div_floor(&value, &scale);
            Some(match scale > 0 {
                true => {
                    let most_failing = edge(-offset);
                    (
                        atom,
                        inner,
                        [between(low.max(most_failing + 1), high), between(low, high.min(most_failing))],
                    )
                }
                false => {
                    let least_failing = Integer::div_ceil(&-offset, &scale);
                    (
                        atom,
                        inner,
                        [between(low, high.min(least_failing - 1)), between(low.max(least_failing), high)],
                    )
                }
            })
        })
    }

    /// `(x, a, b)` for `a·x + b`, integers, a not 0.
    fn linear(&self, poly: Poly) -> Option<(Atom, i128, i128)> {
        let (mut found, mut offset) = (None, 0);
        for at in 0..self.forms.len(poly) {
            let (mono, coefficient) = (self.forms.mono_at(poly, at), self.forms.coefficient_at(poly, at));
            let (value, 1) = coefficient.as_small()? else { return None };
            match self.forms.factor_count(mono) {
                0 if mono == Mono::ONE => offset = value.into(),
                1 if found.is_none() && self.forms.exponent(mono) == Poly::ZERO => {
                    let (atom, power) = self.forms.factor(mono, 0);
                    (power == Power::ONE).then_some(())?;
                    found = Some((atom, i128::from(value)));
                }
                _ => return None,
            }
        }
        found.map(|(atom, scale)| (atom, scale, offset))
    }

    /// The range of an integer, if it has one.
    pub(super) fn range_of_atom(&self, atom: Atom) -> Option<Range> {
        self.ends_of_atom(atom, &[]).filter(is_bounded)
    }

    /// Between what an atom lies. A maximum of what is not limited is limited on one side, so that a clamp of
    /// anything has a range.
    fn ends_of_atom(&self, atom: Atom, known: &[(Atom, Range)]) -> Option<Range> {
        if let Some((_, range)) = known.iter().rev().find(|(other, _)| *other == atom) {
            return Some(*range);
        }
        match self.forms.kind(atom) {
            Kind::Element(element) => {
                let format = self.forms.integer_format(element)?;
                Some(range_of(format.class() == FormatClass::Signed, format.bits()))
            }
            Kind::Positive(_) | Kind::Zero(_) | Kind::Condition => Some((0, 1)),
            Kind::Sum(p) => self.ends_within(p, known),
            Kind::Abs(p) => {
                let (low, high) = self.ends_within(p, known).unwrap_or((-FAR, FAR));
                ends(low.max(-high).max(0), high.max(-low))
            }
            Kind::Max => {
                let mut total: Option<Range> = None;
                for argument in self.forms.max_arguments(atom) {
                    let (low, high) = self.ends_within(argument, known).unwrap_or((-FAR, FAR));
                    total = Some(total.map_or((low, high), |(a, b)| (a.max(low), b.max(high))));
                }
                total.and_then(|(low, high)| ends(low, high))
            }
            Kind::Function(function, p) if function.is_rounding() => {
                let range = self.forms.range(p);
                ends(range.low().floor() as i128, range.high().ceil() as i128)
            }
            Kind::Contest => {
                let mut total: Option<Range> = None;
                for (_, payload) in self.forms.contest_candidates(atom) {
                    let (low, high) = self.ends_within(payload, known)?;
                    total = Some(total.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
                }
                total
            }
            Kind::Opaque => {
                let (name, _) = self.forms.opaque_parts(atom);
                match name[..] {
                    [WRAP, n, signed] => Some(range_of(signed != 0, n)),
                    [PART, _, length] if length < 120 => Some((0, (1 << length) - 1)),
                    [1, format] => Some((0, (1 << crate::base::Format::ALL[format as usize].bits()) - 1)),
                    [4, signed, n] => Some(range_of(signed != 0, n)),
                    [3, _, n] => Some((0, (1 << n) - 1)),
                    [QUOTIENT, ..] => self.integers.quotients.get(&atom).copied(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The form that stands for all that are congruent modulo 2ⁿ.
    pub(super) fn reduced(&mut self, poly: Poly, n: u32) -> Step<Poly> {
        if n > 128 || !self.is_integer(poly) {
            return Ok(poly);
        }
        let mut poly = poly;
        for _ in 0..64 {
            let opened = self.unwrapped(poly, n)?;
            if opened == poly {
                break;
            }
            poly = opened;
        }
        let high = |form: &Self, mono: Mono| {
            (0..form.forms.factor_count(mono))
                .map(|at| form.forms.factor(mono, at).1.above)
                .max()
                .unwrap_or(0)
        };
        let highest = (0..self.forms.len(poly)).map(|at| high(self, self.forms.mono_at(poly, at))).max();
        match highest {
            Some(2..=HIGHEST) => self.reduced_powers(poly, n),
            _ => self.reduced_coefficients(poly, n),
        }
    }

    fn reduced_coefficients(&mut self, poly: Poly, n: u32) -> Step<Poly> {
        let half = BigInt::one() << (n - 1);
        let fits = |value: &Rational| value.to_big().to_integer().magnitude() < half.magnitude();
        if (0..self.forms.len(poly)).all(|at| fits(self.forms.coefficient_at(poly, at))) {
            return Ok(poly);
        }
        let mut sum = Accumulator::default();
        for at in 0..self.forms.len(poly) {
            let Product { coefficient, mono } = self.forms.term(poly, at);
            let coefficient = symmetric(coefficient.to_big().to_integer(), n);
            sum.add(&Product { coefficient, mono });
        }
        self.forms.finish(sum)
    }

    /// What was left of a polynomial modulo 2ᵐ is that polynomial, where multiples of 2ᵐ do not count.
    fn unwrapped(&mut self, poly: Poly, n: u32) -> Step<Poly> {
        let mut sum = Accumulator::default();
        let mut changed = false;
        for at in 0..self.forms.len(poly) {
            let term = self.forms.term(poly, at);
            let zeros = term.coefficient.to_big().to_integer().trailing_zeros().unwrap_or(0);
            let wrap = (0..self.forms.factor_count(term.mono)).find_map(|index| {
                let (atom, power) = self.forms.factor(term.mono, index);
                (self.forms.kind(atom) == Kind::Opaque).then_some(())?;
                match self.forms.opaque_parts(atom) {
                    (name, parts) if name[0] == WRAP && u64::from(name[1]) + zeros >= n.into() => {
                        Some((index, power, parts[0]))
                    }
                    _ => None,
                }
            });
            let Some((index, power, inner)) = wrap else {
                sum.add(&term);
                continue;
            };
            changed = true;
            let mut rest = Product { coefficient: term.coefficient.clone(), mono: Mono::ONE };
            for other in (0..self.forms.factor_count(term.mono)).filter(|other| *other != index) {
                let (atom, power) = self.forms.factor(term.mono, other);
                let factor = self.forms.atom_power(atom, power)?;
                rest = self.forms.product(&rest, &factor)?;
            }
            let mut product = self.forms.poly(&rest)?;
            for _ in 0..power.above {
                product = self.forms.times(product, inner)?;
            }
            self.forms.accumulate(&mut sum, product, &Product::ONE)?;
        }
        if changed { self.forms.finish(sum) } else { Ok(poly) }
    }

    /// Coefficients of falling factorials, each modulo 2ⁿ over the powers of two in `Π k!`.
    fn reduced_powers(&mut self, poly: Poly, n: u32) -> Step<Poly> {
        let mut powers: BTreeMap<Factors, BigInt> = BTreeMap::new();
        for at in 0..self.forms.len(poly) {
            let Product { coefficient, mono } = self.forms.term(poly, at);
            let factors: Factors = (0..self.forms.factor_count(mono))
                .map(|at| self.forms.factor(mono, at))
                .map(|(atom, power)| (atom, power.above))
                .collect();
            powers.insert(factors, coefficient.to_big().to_integer());
        }
        let mut falling = BTreeMap::new();
        for (factors, coefficient) in &powers {
            self.forms.tick(spread_over(factors))?;
            spread(factors, coefficient, &mut falling, &STIRLING);
        }
        let mut reduced = BTreeMap::new();
        for (factors, coefficient) in &falling {
            let twos: u32 = factors.iter().map(|(_, k)| twos_in_factorial(*k as u32)).sum();
            let modulus = BigInt::one() << n.saturating_sub(twos);
            let coefficient = coefficient.mod_floor(&modulus);
            if !coefficient.is_zero() {
                self.forms.tick(spread_over(factors))?;
                spread(factors, &coefficient, &mut reduced, &SIGNED_STIRLING);
            }
        }
        let mut sum = Accumulator::default();
        for (factors, coefficient) in reduced {
            let coefficient = symmetric(coefficient, n);
            let mut product = Product { coefficient, mono: Mono::ONE };
            for (atom, power) in factors {
                let factor = self.forms.atom_power(atom, Power { above: power, below: 1 })?;
                product = self.forms.product(&product, &factor)?;
            }
            sum.add(&product);
        }
        self.forms.finish(sum)
    }
}

/// An end that lies so far out is none.
const FAR: i128 = 1 << 125;

pub(super) fn is_bounded((low, high): &Range) -> bool {
    *low > -FAR && *high < FAR
}

/// A range whose ends are cut at [`FAR`]; none if nothing is known.
fn ends(low: i128, high: i128) -> Option<Range> {
    let (low, high) = (low.max(-FAR), high.min(FAR));
    ((low, high) != (-FAR, FAR) && low < FAR && high > -FAR).then_some((low, high))
}

fn sum_of_ends((a, b): Range, (c, d): Range) -> Option<Range> {
    let low = if a == -FAR || c == -FAR { -FAR } else { a + c };
    let high = if b == FAR || d == FAR { FAR } else { b + d };
    ends(low, high)
}

fn product_of_ends((a, b): Range, (c, d): Range) -> Option<Range> {
    let far = |x: i128, y: i128| FAR * x.signum() * y.signum();
    let product = |x: i128, y: i128| match x.abs() == FAR || y.abs() == FAR {
        true => far(x, y),
        false => x.checked_mul(y).map_or(far(x, y), |product| product.clamp(-FAR, FAR)),
    };
    let corners = [product(a, c), product(a, d), product(b, c), product(b, d)];
    ends(*corners.iter().min()?, *corners.iter().max()?)
}

/// A number rounded as a function does.
fn round(function: Unary, value: &BigRational) -> BigInt {
    match function {
        Unary::Floor => value.floor().to_integer(),
        Unary::Ceil => value.ceil().to_integer(),
        Unary::Trunc => value.trunc().to_integer(),
        _ => {
            let half = BigRational::new(1.into(), 2.into());
            let (floor, rest) = (value.floor().to_integer(), value - value.floor());
            if rest > half || rest == half && floor.is_odd() { floor + 1 } else { floor }
        }
    }
}

fn between(low: i128, high: i128) -> Option<Range> {
    (low <= high).then_some((low, high))
}

/// The remainder modulo 2ⁿ of least size.
fn symmetric(value: BigInt, n: u32) -> Rational {
    let modulus = BigInt::one() << n;
    let mut rest = value.mod_floor(&modulus);
    if rest > (&modulus >> 1u32) {
        rest -= modulus;
    }
    Rational::from_big(&BigRational::from_integer(rest))
}

/// How often 2 divides k!.
fn twos_in_factorial(k: u32) -> u32 {
    k - k.count_ones()
}

/// Products that [`spread`] makes.
fn spread_over(factors: &[(Atom, i16)]) -> u64 {
    let all = factors.iter().fold(1u64, |all, (_, power)| all.saturating_mul(power.unsigned_abs().into()));
    all.min(1 << 40)
}

/// Adds a product, each factor replaced by a sum of others of its atom, to a sum.
fn spread(
    factors: &[(Atom, i16)],
    coefficient: &BigInt,
    sum: &mut BTreeMap<Factors, BigInt>,
    weights: &Triangle,
) {
    let mut parts: Vec<(Factors, BigInt)> = vec![(Vec::new(), coefficient.clone())];
    for (atom, power) in factors {
        let mut next = Vec::new();
        for (known, coefficient) in parts {
            for lower in 1..=*power {
                let factor = &weights[*power as usize][lower as usize];
                if !factor.is_zero() {
                    let mut factors = known.clone();
                    factors.push((*atom, lower));
                    next.push((factors, &coefficient * factor));
                }
            }
        }
        parts = next;
    }
    for (factors, coefficient) in parts {
        *sum.entry(factors).or_default() += coefficient;
    }
}

/// Numbers by k and j, up to [`HIGHEST`].
type Triangle = Vec<Vec<BigInt>>;

/// How many ways there are to put k things into j boxes, none empty: x^k = Σ S(k, j)·x(x-1)…(x-j+1).
static STIRLING: LazyLock<Triangle> = LazyLock::new(|| triangle(|_, at| BigInt::from(at)));

/// The coefficient of x^j in x(x-1)…(x-k+1).
static SIGNED_STIRLING: LazyLock<Triangle> = LazyLock::new(|| triangle(|step, _| -BigInt::from(step)));

/// Each number is the one before it in the row above, and the one above it times a factor of row and place.
fn triangle(factor: impl Fn(usize, usize) -> BigInt) -> Triangle {
    let mut rows = vec![vec![BigInt::one()]];
    for step in 0..HIGHEST as usize {
        let row = &rows[step];
        let mut next = vec![BigInt::zero(); row.len() + 1];
        for (at, value) in row.iter().enumerate() {
            next[at + 1] += value;
            next[at] += value * factor(step, at);
        }
        rows.push(next);
    }
    rows
}

impl Rational {
    /// Whether it is an integer.
    pub(in crate::decide) fn is_integer(&self) -> bool {
        match self {
            Rational::Small(_, below) => *below == 1,
            Rational::Big(value) => value.denom().is_one() && !value.numer().is_zero() || value.is_zero(),
        }
    }
}
