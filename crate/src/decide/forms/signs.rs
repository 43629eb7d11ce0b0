//! Conditions by the signs of what cannot be taken apart further, and choices on one line.
//!
//! `x² > 4`, `|x| > 2` and `x > 2 or x < -2` are one condition. What is compared with zero is taken apart:
//! a product has the sign of its factors (common factors, and roots of what is of degree two in some
//! element), e^a - e^b that of a - b, ln u - h that of u - e^h, and p + q·s, with s a square root or a
//! magnitude, the sign that p, q and p² - q²·s² say. What remains are comparisons of irreducible polynomials.
//!
//! Those that differ by a constant only stand on one *line*: a Boolean function of them is a linear
//! combination of 1 and [p > c], [p < c], in one way only. So products of them are written as sums, and
//! what stands beside [p < c] is reduced modulo p - c: `g·[p < 0] = r·[p < 0] + (g - r)·(1 - [p > 0])` where r
//! is g with an element solved for, because (g - r)·[p = 0] is 0. So choices that differ in whom the border
//! belongs to, and meet there, have one form, whatever the number of summands.
//!
//! Guarantees: the result equals the polynomial wherever that is defined: in each cell of the conditions it is
//! the same sum of the same functions, and on a border what is added vanishes.
//! Not said: where the polynomial is defined. A guard at the border of that would be lost, so nobody asks where
//! an output rests on a divisor or a root being defined (`portion`).
//! Misses: factors of degree three and more in every element; conditions on several lines that exclude each
//! other (see `cases`).

use super::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Sign, Step, Stop};
use std::collections::BTreeSet;

/// Terms of what is taken apart.
const LONGEST: usize = 32;
/// Factors of one comparison.
const FACTORS: usize = 8;
/// How deep signs are made of signs.
const DEEPEST: usize = 8;
/// Numerators and denominators of roots that are looked for.
const DIVISORS: i64 = 128;
const SQUARE: Power = Power { above: 2, below: 1 };

/// What the sign of a divisor is where it is 0, and so the quotient undefined: as where it is negative, as
/// where it is positive, or neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::decide) enum Divisors {
    Above,
    Below,
    Apart,
}

/// Where something is positive, and where negative, as polynomials in conditions.
#[derive(Clone, Copy)]
struct Signs {
    above: Poly,
    below: Poly,
}

impl Signs {
    const POSITIVE: Signs = Signs { above: Poly::ONE, below: Poly::ZERO };

    fn negated(self) -> Signs {
        Signs { above: self.below, below: self.above }
    }
}

impl Forms<'_> {
    /// The polynomial with conditions and choices in that form; `None` if it has no comparison.
    pub(in crate::decide) fn by_signs(&mut self, poly: Poly, divisors: Divisors) -> Step<Option<Poly>> {
        self.divisors = divisors;
        let asks = |forms: &Self, atom: &Atom| {
            matches!(forms.kind(*atom), Kind::Positive(_) | Kind::Zero(_) | Kind::Abs(_))
                || forms.is_pair(*atom)
        };
        if !self.atoms_below(poly).iter().any(|atom| asks(self, atom)) {
            return Ok(None);
        }
        let poly = self.rewrite(poly, &mut |forms, atom| {
            let own = forms.atom_poly(atom)?;
            let new = match forms.kind(atom) {
                Kind::Positive(p) => forms.signs(p, DEEPEST)?.above,
                Kind::Zero(p) => {
                    let Signs { above, below } = forms.signs(p, DEEPEST)?;
                    let apart = forms.minus(Poly::ONE, above)?;
                    forms.minus(apart, below)?
                }
                Kind::Abs(p) => {
                    let Signs { above, below } = forms.signs(p, DEEPEST)?;
                    let side = forms.minus(above, below)?;
                    forms.times(side, p)?
                }
                Kind::Max if forms.is_pair(atom) => {
                    let candidates = forms.max_arguments(atom);
                    let gain = forms.minus(candidates[0], candidates[1])?;
                    let above = forms.signs(gain, DEEPEST)?.above;
                    let gain = forms.times(above, gain)?;
                    forms.plus(candidates[1], gain)?
                }
                _ => return Ok(None),
            };
            Ok((new != own).then_some(new))
        })?;
        self.on_lines(poly).map(Some)
    }

    fn is_pair(&self, atom: Atom) -> bool {
        matches!(self.kind(atom), Kind::Max) && self.max_arguments(atom).len() == 2
    }

    // ---- signs -----------------------------------------------------------------------------

    /// Where a polynomial is positive and where negative, by simpler ones.
    fn signs(&mut self, poly: Poly, deep: usize) -> Step<Signs> {
        match self.sign(poly) {
            Sign::Positive => return Ok(Signs::POSITIVE),
            Sign::Negative => return Ok(Signs::POSITIVE.negated()),
            Sign::Zero => return Ok(Signs { above: Poly::ZERO, below: Poly::ZERO }),
            _ => {}
        }
        if deep == 0 || self.len(poly) > LONGEST {
            return self.plain_signs(poly);
        }
        if let Some(condition) = self.condition_in(poly) {
            return self.signs_of_choice(poly, condition, deep - 1);
        }
        let content = self.common(poly)?;
        let inverse = self.inverse(&content)?;
        let rest = self.times_product(poly, &inverse)?;
        let mut signs = Signs::POSITIVE;
        if content.coefficient.is_negative() {
            signs = signs.negated();
        }
        for at in 0..self.factor_count(content.mono) {
            let (atom, power) = self.factor(content.mono, at);
            let own = self.atom_signs(atom, power, deep - 1)?;
            signs = self.signs_of_product(signs, own)?;
        }
        if self.constant(rest).is_none() {
            let own = self.signs_of_sum(rest, deep - 1)?;
            signs = self.signs_of_product(signs, own)?;
        }
        Ok(signs)
    }

    fn plain_signs(&mut self, poly: Poly) -> Step<Signs> {
        let below = self.negated(poly)?;
        Ok(Signs { above: self.positive(poly)?, below: self.positive(below)? })
    }

    fn signs_of_product(&mut self, a: Signs, b: Signs) -> Step<Signs> {
        let mut either = |[a, b]: [Poly; 2], [c, d]: [Poly; 2]| {
            let (one, two) = (self.times(a, b)?, self.times(c, d)?);
            let sum = self.plus(one, two)?;
            self.on_lines(sum)
        };
        let above = either([a.above, b.above], [a.below, b.below])?;
        let below = either([a.above, b.below], [a.below, b.above])?;
        Ok(Signs { above, below })
    }

    /// The signs of `atom^power`.
    fn atom_signs(&mut self, atom: Atom, power: Power, deep: usize) -> Step<Signs> {
        let inside = match self.kind(atom) {
            _ if self.atom_sign(atom) == Sign::Positive => return Ok(Signs::POSITIVE),
            Kind::Sum(p) => self.signs(p, deep)?,
            // ln u has the sign of u - 1.
            Kind::Log(p) => {
                let gap = self.minus(p, Poly::ONE)?;
                self.signs(gap, deep)?
            }
            Kind::Function(function, p) if rises_through_zero(function) => self.signs(p, deep)?,
            _ => {
                let own = self.atom_poly(atom)?;
                self.plain_signs(own)?
            }
        };
        // A divisor is not zero where the quotient is defined; elsewhere any sign is as good.
        if power.above < 0 && (power.below.is_multiple_of(2) || power.above % 2 == 0) {
            return Ok(Signs::POSITIVE);
        }
        if power.above < 0 {
            return match self.divisors {
                Divisors::Above => {
                    Ok(Signs { below: self.minus(Poly::ONE, inside.above)?, above: inside.above })
                }
                Divisors::Below => {
                    Ok(Signs { above: self.minus(Poly::ONE, inside.below)?, below: inside.below })
                }
                Divisors::Apart => Ok(inside),
            };
        }
        if power.below.is_multiple_of(2) {
            return Ok(Signs { below: Poly::ZERO, ..inside });
        }
        if power.above % 2 == 0 { self.signs_of_product(inside, inside) } else { Ok(inside) }
    }

    /// What all terms have in common: the lowest power of each atom, and the leading coefficient's sign;
    /// of exponentials that of the leading term.
    fn common(&mut self, poly: Poly) -> Step<Product> {
        let lead = self.leading(poly);
        let first = self.mono_at(poly, lead);
        let negative = self.coefficient_at(poly, lead).is_negative();
        let coefficient = if negative { Rational::MINUS_ONE } else { Rational::ONE };
        let exponent = self.exponent(first);
        let mut content = Product { coefficient, mono: self.exp_mono(exponent) };
        let mut atoms: BTreeSet<Atom> = BTreeSet::new();
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            atoms.extend((0..self.factor_count(mono)).map(|index| self.factor(mono, index).0));
        }
        for atom in atoms {
            let zero = Power { above: 0, below: 1 };
            let mut lowest = None;
            for at in 0..self.len(poly) {
                let power = self.power_of(self.mono_at(poly, at), atom).unwrap_or(zero);
                lowest =
                    Some(lowest.map_or(power, |known| if is_less(power, known) { power } else { known }));
            }
            let Some(power) = lowest.filter(|power| power.above != 0) else { continue };
            let factor = self.atom_power(atom, power)?;
            content = self.product(&content, &factor)?;
        }
        Ok(content)
    }

    fn condition_in(&self, poly: Poly) -> Option<Atom> {
        let monos = (0..self.len(poly)).map(|at| self.mono_at(poly, at));
        monos
            .flat_map(|mono| (0..self.factor_count(mono)).map(move |at| self.factor(mono, at).0))
            .find(|atom| self.is_indicator(*atom))
    }

    /// The signs of a choice: those of what is chosen.
    fn signs_of_choice(&mut self, poly: Poly, condition: Atom, deep: usize) -> Step<Signs> {
        let (mut then, mut other) = (Accumulator::default(), Accumulator::default());
        for at in 0..self.len(poly) {
            let mut term = self.term(poly, at);
            if self.power_of(term.mono, condition).is_none() {
                other.add(&term);
            } else {
                term.mono = self.without(term.mono, condition);
            }
            then.add(&term);
        }
        let (then, other) = (self.finish(then)?, self.finish(other)?);
        let (then, other) = (self.signs(then, deep)?, self.signs(other, deep)?);
        let holds = self.atom_poly(condition)?;
        let mut side = |then: Poly, other: Poly| {
            let chosen = self.choose(holds, then, other)?;
            self.on_lines(chosen)
        };
        Ok(Signs { above: side(then.above, other.above)?, below: side(then.below, other.below)? })
    }

    /// The signs of a sum that has no common factor.
    fn signs_of_sum(&mut self, poly: Poly, deep: usize) -> Step<Signs> {
        if self.len(poly) < 2 {
            return if self.constant(poly).is_some() { Ok(Signs::POSITIVE) } else { self.signs(poly, deep) };
        }
        if deep == 0 {
            return self.plain_signs(poly);
        }
        if let Some(opened) = self.with_sums_opened(poly, false, LONGEST as u64)? {
            return self.signs(opened, deep - 1);
        }
        if let Some(inside) = self.inside_of_powers(poly)? {
            return self.signs(inside, deep - 1);
        }
        if let Some(inside) = self.inside_of_logarithm(poly)? {
            return self.signs(inside, deep - 1);
        }
        if let Some(signs) = self.signs_by_root(poly, deep - 1)? {
            return Ok(signs);
        }
        if let Some((factors, negative)) = self.factors(poly)? {
            let mut signs = if negative { Signs::POSITIVE.negated() } else { Signs::POSITIVE };
            for factor in factors {
                let own = self.signs(factor, deep - 1)?;
                signs = self.signs_of_product(signs, own)?;
            }
            return Ok(signs);
        }
        self.plain_signs(poly)
    }

    /// a - b for e^a - e^b.
    fn inside_of_powers(&mut self, poly: Poly) -> Step<Option<Poly>> {
        if self.len(poly) != 2 {
            return Ok(None);
        }
        let terms = [self.term(poly, 0), self.term(poly, 1)];
        let [negative, other] = [0, 1].map(|at| terms[at].coefficient.is_negative());
        if negative == other || terms.iter().any(|term| self.mono_sign(term.mono) != Sign::Positive) {
            return Ok(None);
        }
        if terms.iter().all(|term| self.exponent(term.mono) == Poly::ZERO) {
            return Ok(None);
        }
        let mut sides = [Poly::ZERO; 2];
        for (side, term) in sides.iter_mut().zip(terms) {
            let size = Product { coefficient: term.coefficient.magnitude(), ..term };
            let size = self.poly(&size)?;
            *side = self.log(size)?;
        }
        if negative {
            sides.reverse();
        }
        self.minus(sides[0], sides[1]).map(Some)
    }

    /// u - e^-h for ln u + h, and its negative for h - ln u.
    fn inside_of_logarithm(&mut self, poly: Poly) -> Step<Option<Poly>> {
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
                continue;
            }
            let (atom, power) = self.factor(term.mono, 0);
            let Kind::Log(argument) = self.kind(atom) else { continue };
            if power != Power::ONE || self.constant(argument).is_some() {
                continue;
            }
            let own = self.poly(&term)?;
            let rest = self.minus(poly, own)?;
            let inverse = term.coefficient.reciprocal().negated();
            let exponent = self.scaled(rest, &inverse)?;
            let bound = self.exp(exponent)?;
            let bound = self.poly(&bound)?;
            let gap = self.minus(argument, bound)?;
            return if term.coefficient.is_negative() { self.negated(gap) } else { Ok(gap) }.map(Some);
        }
        Ok(None)
    }

    /// The signs of p + q·s where s is a square root.
    fn signs_by_root(&mut self, poly: Poly, deep: usize) -> Step<Option<Signs>> {
        let mut found = None;
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            for index in 0..self.factor_count(mono) {
                let (atom, power) = self.factor(mono, index);
                // Roots of numbers are numbers.
                if power.below == 2 && !matches!(self.kind(atom), Kind::Prime(_) | Kind::Pi | Kind::Ln10) {
                    found = Some(atom);
                }
            }
        }
        let Some(atom) = found else { return Ok(None) };
        let (mut plain, mut beside) = (Accumulator::default(), Accumulator::default());
        let root = self.atom_power(atom, Power::HALF)?;
        let over = self.inverse(&root)?;
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            match self.power_of(term.mono, atom) {
                Some(power) if power.below == 2 => {
                    let term = self.product(&term, &over)?;
                    beside.add(&term);
                }
                Some(power) if !power.is_integer() => return Ok(None),
                _ => plain.add(&term),
            }
        }
        let (plain, beside) = (self.finish(plain)?, self.finish(beside)?);
        let square = self.product(&root, &root)?;
        let first = self.times(plain, plain)?;
        let second = self.times(beside, beside)?;
        let second = self.times_product(second, &square)?;
        let gap = self.minus(first, second)?;
        let (p, q, gap) = (self.signs(plain, deep)?, self.signs(beside, deep)?, self.signs(gap, deep)?);
        let level = self.minus(Poly::ONE, gap.above)?;
        let level = self.minus(level, gap.below)?;
        let mut side = |p: Poly, q: Poly| {
            let (one, two) = (self.times(p, gap.above)?, self.times(q, gap.below)?);
            let both = self.times(p, q)?;
            let three = self.times(both, level)?;
            let sum = self.plus(one, two)?;
            let sum = self.plus(sum, three)?;
            self.on_lines(sum)
        };
        Ok(Some(Signs { above: side(p.above, q.above)?, below: side(p.below, q.below)? }))
    }

    /// Factors of a sum, and whether the sign turns: by an element in which it is linear or quadratic.
    fn factors(&mut self, poly: Poly) -> Step<Option<(Vec<Poly>, bool)>> {
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

    // ---- lines -----------------------------------------------------------------------------

    /// Conditions on one line as a linear combination, and what stands beside `[p < 0]` reduced modulo p.
    fn on_lines(&mut self, poly: Poly) -> Step<Poly> {
        let poly = self.with_one_each(poly)?;
        self.reduced(poly)
    }

    /// A term with two conditions on one line, as a sum of terms with one.
    fn joined(&mut self, term: &Product) -> Step<Option<Poly>> {
        let mut conditions: Vec<(Atom, Poly)> = Vec::new();
        for at in 0..self.factor_count(term.mono) {
            let (atom, _) = self.factor(term.mono, at);
            if let Kind::Positive(p) = self.kind(atom) {
                conditions.push((atom, p));
            }
        }
        for (at, (one, p)) in conditions.iter().enumerate() {
            for (two, q) in &conditions[at + 1..] {
                let difference = self.minus(*p, *q)?;
                let order = self.sign(difference);
                if order != Sign::Unknown {
                    // p > 0 follows from q > 0 where p ≥ q.
                    let weaker = if order.is_non_negative() { *one } else { *two };
                    let mono = self.without(term.mono, weaker);
                    return self.poly(&Product { mono, ..term.clone() }).map(Some);
                }
                let sum = self.plus(*p, *q)?;
                let sum = self.sign(sum);
                if matches!(sum, Sign::Zero | Sign::NonPositive | Sign::Negative) {
                    return Ok(Some(Poly::ZERO));
                }
                if sum == Sign::Positive {
                    // One of p > 0 and p < gap always holds.
                    let [without_one, without_two] = [*one, *two].map(|atom| self.without(term.mono, atom));
                    let neither = self.without(without_one, *two);
                    let mut parts = Vec::with_capacity(3);
                    for (mono, turned) in [(without_one, false), (without_two, false), (neither, true)] {
                        let coefficient =
                            if turned { term.coefficient.negated() } else { term.coefficient.clone() };
                        parts.push(Product { coefficient, mono });
                    }
                    return self.sum_of(&parts).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The same with what stands beside `[p < 0]` reduced modulo p, where p can be solved for an element.
    fn reduced(&mut self, poly: Poly) -> Step<Poly> {
        let mut poly = poly;
        let mut done: BTreeSet<Atom> = BTreeSet::new();
        loop {
            let mut next = None;
            for at in 0..self.len(poly) {
                let mono = self.mono_at(poly, at);
                for index in 0..self.factor_count(mono) {
                    let (atom, _) = self.factor(mono, index);
                    if let Kind::Positive(p) = self.kind(atom)
                        && !done.contains(&atom)
                        && next.is_none_or(|(known, _)| known < atom)
                    {
                        next = Some((atom, p));
                    }
                }
            }
            let Some((atom, p)) = next else { return Ok(poly) };
            done.insert(atom);
            self.tick(self.len(poly) as u64)?;
            let lead = self.leading(p);
            if !self.coefficient_at(p, lead).is_negative() {
                continue;
            }
            let Some((element, value)) = self.solved_for(p)? else { continue };
            let (mut with, mut others) = (Accumulator::default(), Accumulator::default());
            for at in 0..self.len(poly) {
                let mut term = self.term(poly, at);
                if self.power_of(term.mono, atom).is_some() {
                    term.mono = self.without(term.mono, atom);
                    with.add(&term);
                } else {
                    others.add(&term);
                }
            }
            let beside = self.finish(with)?;
            if !self.atoms_below(beside).contains(&element) {
                continue;
            }
            let put = self.rewrite(beside, &mut |_, other| Ok((other == element).then_some(value)));
            let at_border = match put {
                Err(Stop::Unknown(_)) => continue,
                put => put?,
            };
            if at_border == beside {
                continue;
            }
            let turned = self.negated(p)?;
            let above = self.positive(turned)?;
            let apart = self.minus(Poly::ONE, above)?;
            let gain = self.minus(beside, at_border)?;
            let gain = self.times(gain, apart)?;
            let own = self.atom_poly(atom)?;
            let kept = self.times(at_border, own)?;
            let others = self.finish(others)?;
            let sum = self.plus(others, gain)?;
            poly = self.plus(sum, kept)?;
            poly = self.with_one_each(poly)?;
        }
    }

    /// Terms with one condition on each line.
    fn with_one_each(&mut self, poly: Poly) -> Step<Poly> {
        let mut poly = poly;
        // Each round takes one condition out of each product.
        for _ in 0..LONGEST {
            self.tick(self.len(poly) as u64)?;
            let mut sum = Accumulator::default();
            let one = Product::ONE;
            let mut changed = false;
            for at in 0..self.len(poly) {
                let term = self.term(poly, at);
                match self.joined(&term)? {
                    Some(joined) => {
                        changed = true;
                        self.accumulate(&mut sum, joined, &one)?;
                    }
                    None => sum.add(&term),
                }
            }
            if !changed {
                break;
            }
            poly = self.finish(sum)?;
        }
        Ok(poly)
    }

    /// An element in which p is linear, and what it is where p is 0.
    pub(in crate::decide) fn solved_for(&mut self, p: Poly) -> Step<Option<(Atom, Poly)>> {
        for at in 0..self.len(p) {
            let term = self.term(p, at);
            if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
                continue;
            }
            let (atom, power) = self.factor(term.mono, 0);
            if power != Power::ONE || !matches!(self.kind(atom), Kind::Element(_)) {
                continue;
            }
            let own = self.poly(&term)?;
            let rest = self.minus(p, own)?;
            if self.atoms_below(rest).contains(&atom) {
                continue;
            }
            let value = self.scaled(rest, &term.coefficient.reciprocal().negated())?;
            return Ok(Some((atom, value)));
        }
        Ok(None)
    }
}

fn is_less(a: Power, b: Power) -> bool {
    i64::from(a.above) * i64::from(b.below) < i64::from(b.above) * i64::from(a.below)
}

fn rises_through_zero(function: crate::term::Unary) -> bool {
    use crate::term::Unary::*;
    matches!(function, Tanh | Erf | Cbrt)
}
