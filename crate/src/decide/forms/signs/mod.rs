//! Conditions written as signs of irreducible polynomials, and choices between values on one line.
//!
//! `x² > 4`, `|x| > 2` and `x > 2 or x < -2` are one condition. An expression that is compared with zero is
//! factored: a product has the sign of its factors (common factors, and roots of expressions of degree two in some
//! element), e^a - e^b has the sign of a - b, ln u - h that of u - e^h, and p + q·s, with s a square root or an
//! absolute value, the sign that follows from p, q and p² - q²·s². What remains are comparisons of irreducible
//! polynomials.
//!
//! Polynomials that differ only by a constant are on one *line*: a Boolean function of their comparisons is a
//! linear combination of 1 and [p > c], [p < c], in exactly one way. So products of them are written as sums, and
//! the factor of [p < c] is reduced modulo p - c: `g·[p < 0] = r·[p < 0] + (g - r)·(1 - [p > 0])`, where r is g
//! after one element was solved for, because (g - r)·[p = 0] is 0. So choices that assign the border to different
//! sides, but agree there, have the same form, whatever the number of summands.
//!
//! Guarantees: the result equals the polynomial wherever that is defined: in each cell of the conditions it is the
//! same sum of the same functions, and on a border the added terms vanish.
//! Not preserved: where the polynomial is defined. A guard at the border of its domain would be lost, so these
//! forms are not used where an output relies on a divisor or a root being defined (`portion`).
//! Misses: factors of degree three and more in every element; conditions on several lines that exclude each other
//! (see `cases`).

mod factors;
mod lines;

use super::{Accumulator, Atom, Forms, Kind, Poly, Power, Product, Rational, Sign, Step};
use std::collections::BTreeSet;

/// Terms of what is taken apart.
const LONGEST: usize = 32;
/// Factors of one comparison.
const FACTORS: usize = 8;
/// How deep signs are made of signs.
const DEEPEST: usize = 8;

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
        if let Some(roots) = self.odd_roots(poly)? {
            return self.signs(roots, deep - 1);
        }
        if let Some(signs) = self.signs_of_squares(poly, deep - 1)? {
            return Ok(signs);
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

    /// a - b for a³ - b³, and so on.
    fn odd_roots(&mut self, poly: Poly) -> Step<Option<Poly>> {
        let terms: Vec<Product> = (0..self.len(poly)).map(|at| self.term(poly, at)).collect();
        let mut degree = 0;
        for term in &terms {
            for at in 0..self.factor_count(term.mono) {
                let (_, power) = self.factor(term.mono, at);
                degree =
                    if power.is_integer() { num_integer::gcd(degree, power.above.unsigned_abs()) } else { 1 };
            }
        }
        let odd = if degree == 0 { 1 } else { degree >> degree.trailing_zeros() };
        if terms.len() != 2 || odd < 3 {
            return Ok(None);
        }
        let Some(root) = Power::new(1, odd.into()) else { return Ok(None) };
        let mut sum = Poly::ZERO;
        for term in terms {
            let own = self.power_of_product(&term, root)?;
            let own = self.poly(&own)?;
            sum = self.plus(sum, own)?;
        }
        Ok(Some(sum))
    }

    /// a² + b² is positive where a or b is not 0, and so is any sum of what is not negative.
    fn signs_of_squares(&mut self, poly: Poly, deep: usize) -> Step<Option<Signs>> {
        let terms: Vec<Product> = (0..self.len(poly)).map(|at| self.term(poly, at)).collect();
        let is_square =
            |term: &Product| !term.coefficient.is_negative() && self.mono_sign(term.mono).is_non_negative();
        if !terms.iter().all(is_square) {
            return Ok(None);
        }
        let mut above = Poly::ZERO;
        for term in terms {
            let own = self.poly(&term)?;
            let own = self.signs(own, deep)?.above;
            above = self.or(above, own)?;
            above = self.on_lines(above)?;
        }
        Ok(Some(Signs { above, below: Poly::ZERO }))
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
}

fn is_less(a: Power, b: Power) -> bool {
    i64::from(a.above) * i64::from(b.below) < i64::from(b.above) * i64::from(a.below)
}

fn rises_through_zero(function: crate::term::Unary) -> bool {
    use crate::term::Unary::*;
    matches!(function, Tanh | Erf | Atan | Cbrt)
}
