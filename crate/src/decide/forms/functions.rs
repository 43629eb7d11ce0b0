//! exp, log, tanh and the functions that stay atoms.
//!
//! Constants leave exponents: `e^(q·ln n) = n^q`, and `e^(q·ln p) = p^q`. Logarithms split over
//! positive factors. tanh is written with exp. Odd and even functions take a canonical sign of
//! their argument.
//!
//! Guarantees: identities of reals where the argument is in range (noted when not evident).
//! Misses: addition theorems of sin and cos.

use super::{Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Sign, Step, unknown};
use crate::decide::integers::{PART, QUOTIENT, WRAP};
use crate::diag::Assumption;
use crate::term::Unary;

/// A closed-over exponent longer than this is compared with those seen before by value.
const LONG: usize = 16;
/// Maxima of more values than this are rounded as a whole.
const STEPPED: usize = 16;
/// Conditions that the argument of a rounding is taken apart by.
const CHOICES: usize = 4;
/// Sums longer than this are not looked at for a root.
const CONJUGATED: usize = 8;

impl Forms<'_> {
    /// `e^poly`.
    pub(in crate::decide) fn exp(&mut self, poly: Poly) -> Step<Product> {
        let mut result = Product::ONE;
        let mut taken = Poly::ZERO;
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            let Some((argument, power)) = self.scaled_logarithm(&term) else { continue };
            let factor = self.power_or_closed(argument, power)?;
            let term = self.poly(&term)?;
            taken = self.plus(taken, term)?;
            result = self.product(&result, &factor)?;
        }
        let rest = self.minus(poly, taken)?;
        let rest = self.canonical(rest)?;
        let factor = Product { coefficient: Rational::ONE, mono: self.exp_mono(rest) };
        self.product(&result, &factor)
    }

    /// `q·ln p` as `(p, q)`, when q is a small fraction.
    fn scaled_logarithm(&self, term: &Product) -> Option<(Poly, Power)> {
        if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
            return None;
        }
        let (atom, power) = self.factor(term.mono, 0);
        let Kind::Log(argument) = self.kind(atom) else { return None };
        let (above, below) = term.coefficient.as_small()?;
        let small = above.abs() <= 4096 && below <= 64;
        if power != Power::ONE || !small { None } else { Some((argument, Power::new(above, below)?)) }
    }

    /// The sum of two exponents.
    pub(super) fn exponent_sum(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        if a == Poly::ZERO {
            return Ok(b);
        }
        if b == Poly::ZERO {
            return Ok(a);
        }
        let sum = self.plus(a, b)?;
        self.canonical(sum)
    }

    /// For a root and what is added to it, whose squares differ by a number: what it is that number divided by,
    /// and the number, if that is simpler. `√(x² + 1) - x` is `1/(√(x² + 1) + x)`, and `x - √(x² - 1)` likewise.
    fn conjugate(&mut self, poly: Poly) -> Step<Option<(Poly, Rational)>> {
        if self.len(poly) > CONJUGATED {
            return Ok(None);
        }
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
                continue;
            }
            let (atom, power) = self.factor(term.mono, 0);
            let Kind::Sum(body) = self.kind(atom) else { continue };
            if power != Power::HALF {
                continue;
            }
            let root = self.poly(&term)?;
            let rest = self.minus(poly, root)?;
            if rest == Poly::ZERO {
                continue;
            }
            let (square, scale) = (self.times(rest, rest)?, term.coefficient.times(&term.coefficient));
            let body = self.scaled(body, &scale)?;
            let gap = self.minus(body, square)?;
            let Some(gap) = self.constant(gap).filter(|gap| !gap.is_zero()) else { continue };
            if gap.is_negative() && term.coefficient.is_negative() {
                return Ok(Some((self.minus(rest, root)?, gap.negated())));
            }
            let falls = self.coefficient_at(rest, 0).is_negative();
            if gap.is_positive() && falls && !term.coefficient.is_negative() {
                return Ok(Some((self.minus(root, rest)?, gap)));
            }
        }
        Ok(None)
    }

    /// The polynomial that stands for all equal ones in an argument position. Short ones without
    /// closed sums are unique as they stand.
    pub(in crate::decide) fn canonical(&mut self, poly: Poly) -> Step<Poly> {
        if self.len(poly) <= LONG && !self.mentions_closed(poly) {
            return Ok(poly);
        }
        self.representative(poly)
    }

    fn mentions_closed(&self, poly: Poly) -> bool {
        (0..self.len(poly)).any(|at| self.has_closed(self.mono_at(poly, at)))
    }

    /// `ln poly`.
    pub(in crate::decide) fn log(&mut self, poly: Poly) -> Step<Poly> {
        if let Some(value) = self.constant(poly) {
            if !value.is_positive() {
                return unknown("the logarithm of a number that is not positive");
            }
            return self.log_of_number(&value);
        }
        let sign = self.sign(poly);
        if sign != super::Sign::Positive {
            let text = self.render(poly);
            self.notes.insert(Assumption::ArgumentInRange(text));
        }
        if let Some((other, product)) = self.conjugate(poly)? {
            let (own, product) = (self.log(other)?, self.log_of_number(&product)?);
            return self.minus(product, own);
        }
        let product = match self.single(poly) {
            Some(product) => product,
            None => self.closed(poly)?,
        };
        // Split off what is positive.
        let mut sum = self.exponent(product.mono);
        let mut inner = Product { coefficient: Rational::ONE, mono: Mono::ONE };
        if product.coefficient.is_negative() {
            inner.coefficient = Rational::MINUS_ONE;
        }
        let number = self.log_of_number(&product.coefficient.magnitude())?;
        sum = self.plus(sum, number)?;
        for at in 0..self.factor_count(product.mono) {
            let (atom, power) = self.factor(product.mono, at);
            if self.atom_sign(atom) == super::Sign::Positive {
                let argument = match self.kind(atom) {
                    Kind::Sum(body) => body,
                    _ => self.atom_poly(atom)?,
                };
                let log = self.atom(Kind::Log(argument));
                let log = self.atom_poly(log)?;
                let log = self.scaled(log, &power.rational())?;
                sum = self.plus(sum, log)?;
            } else {
                let factor = self.atom_power(atom, power)?;
                inner = self.product(&inner, &factor)?;
            }
        }
        if inner == Product::ONE {
            return Ok(sum);
        }
        // One power of one atom: ln(a^q) = q·ln a only where a is positive, which an odd q says.
        let mut scale = Rational::ONE;
        if inner.coefficient.is_one() && self.factor_count(inner.mono) == 1 {
            let (atom, power) = self.factor(inner.mono, 0);
            if power.above % 2 != 0 {
                scale = power.rational();
                inner = self.atom_power(atom, Power::ONE)?;
            }
        }
        let argument = match self.lone_sum(&inner) {
            Some(body) => body,
            None => self.poly(&inner)?,
        };
        let log = self.atom(Kind::Log(argument));
        let log = self.atom_poly(log)?;
        let log = self.scaled(log, &scale)?;
        self.plus(sum, log)
    }

    fn lone_sum(&self, product: &Product) -> Option<Poly> {
        if !product.coefficient.is_one()
            || self.factor_count(product.mono) != 1
            || self.exponent(product.mono) != Poly::ZERO
        {
            return None;
        }
        let (atom, power) = self.factor(product.mono, 0);
        match self.kind(atom) {
            Kind::Sum(body) if power == Power::ONE => Some(body),
            _ => None,
        }
    }

    /// `ln q` over the logarithms of small primes.
    fn log_of_number(&mut self, value: &Rational) -> Step<Poly> {
        if value.is_one() {
            return Ok(Poly::ZERO);
        }
        let Some((above, below)) = value.as_small() else {
            let constant = self.rational(value.clone())?;
            let atom = self.atom(Kind::Log(constant));
            return self.atom_poly(atom);
        };
        let mut sum = Poly::ZERO;
        for (number, sign) in [(above, 1), (below, -1)] {
            for (prime, count) in factors(number) {
                let atom = self.ln_integer(prime)?;
                let log = self.atom_poly(atom)?;
                let log = self.scaled(log, &Rational::new(sign * count, 1))?;
                sum = self.plus(sum, log)?;
            }
        }
        Ok(sum)
    }

    /// `1 - 2 / (1 + e^(2·poly))`.
    fn tanh(&mut self, poly: Poly) -> Step<Poly> {
        let doubled = self.scaled(poly, &Rational::new(2, 1))?;
        let exp = self.exp(doubled)?;
        let exp = self.poly(&exp)?;
        let below = self.plus(Poly::ONE, exp)?;
        let inverse = self.reciprocal(below)?;
        let inverse = self.poly(&inverse)?;
        let taken = self.scaled(inverse, &Rational::new(2, 1))?;
        self.minus(Poly::ONE, taken)
    }

    /// A function of its own: most stay atoms.
    pub(in crate::decide) fn function(&mut self, function: Unary, poly: Poly) -> Step<Poly> {
        use Unary::*;
        if let Some(value) = self.constant(poly)
            && let Some(value) = fold(function, &value)
        {
            return self.rational(value);
        }
        if function == Tanh {
            return self.tanh(poly);
        }
        // Towards zero is down, or up, where the sign is known.
        let function = match function {
            Trunc if self.sign(poly).is_non_negative() => Floor,
            Trunc if matches!(self.sign(poly), Sign::Negative | Sign::NonPositive) => Ceil,
            _ => function,
        };
        if matches!(function, Floor | Ceil | Trunc) {
            // A range inside one step of the staircase.
            let range = self.range(poly);
            let step = |x: f64| match function {
                Floor => x.floor(),
                Ceil => x.ceil(),
                _ => x.trunc(),
            };
            if step(range.low()) == step(range.high()) && step(range.low()).abs() < 1e9 {
                return self.rational(Rational::new(step(range.low()) as i64, 1));
            }
        }
        let poly = if function == Floor { self.without_inner_floor(poly)? } else { poly };
        if matches!(function, Floor | Ceil | Trunc | RoundEven) {
            if let Some(step) = self.step_of_max(function, poly)? {
                return Ok(step);
            }
            if let Some(step) = self.step_of_choice(function, poly)? {
                return Ok(step);
            }
        }
        let mut negative = false;
        let mut argument = poly;
        let parity = match function {
            Sin | Erf | Atan | Trunc | RoundEven => Some(true),
            Cos => Some(false),
            Floor | Ceil => None,
            _ => unreachable!("{function:?} has a normal form of its own"),
        };
        if let Some(odd) = parity
            && self.coefficient_at(poly, self.leading(poly)).is_negative()
        {
            argument = self.negated(poly)?;
            negative = odd;
        }
        let mut function = function;
        if function == Ceil {
            function = Floor;
            argument = self.negated(poly)?;
            negative = true;
        }
        let moved = self.step_across(function, argument);
        let moved = self.rational(moved)?;
        let argument = self.minus(argument, moved)?;
        let argument = self.canonical(argument)?;
        let atom = self.atom(Kind::Function(function, argument));
        let value = self.atom_poly(atom)?;
        let value = self.plus(value, moved)?;
        if negative { self.negated(value) } else { Ok(value) }
    }

    /// `⌊(⌊q⌋ + m)/n⌋` is `⌊(q + m)/n⌋`: between two integers no multiple of n is passed.
    fn without_inner_floor(&mut self, poly: Poly) -> Step<Poly> {
        let has_constant = self.len(poly) > 0 && self.mono_at(poly, 0) == Mono::ONE;
        let first = usize::from(has_constant);
        if self.len(poly) != first + 1 {
            return Ok(poly);
        }
        let term = self.term(poly, first);
        let parts = term.coefficient.as_small();
        let Some((1, n)) = parts.filter(|_| self.factor_count(term.mono) == 1) else { return Ok(poly) };
        let (atom, power) = self.factor(term.mono, 0);
        let Kind::Function(Unary::Floor, inner) = self.kind(atom) else { return Ok(poly) };
        let offset = if has_constant { self.coefficient_at(poly, 0).clone() } else { Rational::ZERO };
        let whole = (offset.to_big() * num_bigint::BigInt::from(n)).is_integer();
        if power != Power::ONE || self.exponent(term.mono) != Poly::ZERO || !whole {
            return Ok(poly);
        }
        let own = self.poly(&term)?;
        let rest = self.minus(poly, own)?;
        let scaled = self.scaled(inner, &term.coefficient)?;
        self.plus(scaled, rest)
    }

    /// A rounding of a maximum (or of one with a minus sign, a minimum), to which a number may be added, is the
    /// maximum of the roundings: they are monotone. What is an integer stays what it is.
    fn step_of_max(&mut self, function: Unary, poly: Poly) -> Step<Option<Poly>> {
        if self.is_whole(poly) {
            return Ok(Some(poly));
        }
        let Some((term, atom)) = self.lone_maximum(poly) else { return Ok(None) };
        let own = self.poly(&term)?;
        let rest = self.minus(poly, own)?;
        let arguments = self.max_arguments(atom);
        if self.constant(rest).is_none() || arguments.len() > STEPPED {
            return Ok(None);
        }
        let mut steps = self.members(poly, &term, arguments)?;
        for step in &mut steps {
            *step = self.function(function, *step)?;
        }
        match term.coefficient.is_negative() {
            true => self.min_of(&steps).map(Some),
            false => self.max_of(&steps).map(Some),
        }
    }

    /// The part of an argument's constant that may stand behind the rounding as well: an integer where all steps
    /// are alike, an even one where ties go to even numbers.
    fn step_across(&self, function: Unary, argument: Poly) -> Rational {
        let period = match function {
            Unary::Floor => 1,
            Unary::RoundEven => 2,
            _ => return Rational::ZERO,
        };
        if self.len(argument) == 0 || self.mono_at(argument, 0) != Mono::ONE {
            return Rational::ZERO;
        }
        let period = num_rational::BigRational::from_integer(period.into());
        Rational::from_big(&((self.coefficient_at(argument, 0).to_big() / &period).floor() * period))
    }

    /// A rounding of what one of a few conditions chooses: `f(q + c·p)` is `f(q + p)` where c holds and `f(q)`
    /// elsewhere.
    fn step_of_choice(&mut self, function: Unary, poly: Poly) -> Step<Option<Poly>> {
        let mut conditions: Vec<Atom> = Vec::new();
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            for index in 0..self.factor_count(mono) {
                let (atom, _) = self.factor(mono, index);
                if self.is_indicator(atom) && !conditions.contains(&atom) {
                    conditions.push(atom);
                }
            }
            if conditions.len() > CHOICES {
                return Ok(None);
            }
        }
        let Some(first) = conditions.first().copied() else { return Ok(None) };
        let [mut holds, mut fails] = [Poly::ZERO; 2];
        for at in 0..self.len(poly) {
            let term = self.term(poly, at);
            let count = self.factor_count(term.mono);
            if !(0..count).any(|index| self.factor(term.mono, index).0 == first) {
                let own = self.poly(&term)?;
                (holds, fails) = (self.plus(holds, own)?, self.plus(fails, own)?);
                continue;
            }
            let exponent = self.exponent(term.mono);
            let mut rest = Product { coefficient: term.coefficient, mono: self.exp_mono(exponent) };
            for index in 0..count {
                let (atom, power) = self.factor(term.mono, index);
                if atom != first {
                    let base = self.atom_poly(atom)?;
                    let base = self.power(base, power)?;
                    rest = self.product(&rest, &base)?;
                }
            }
            let own = self.poly(&rest)?;
            holds = self.plus(holds, own)?;
        }
        let (holds, fails) = (self.function(function, holds)?, self.function(function, fails)?);
        let condition = self.atom_poly(first)?;
        self.choose(condition, holds, fails).map(Some)
    }

    /// Whether a sum is one of roundings, integers and conditions.
    pub(in crate::decide) fn is_whole(&self, poly: Poly) -> bool {
        (0..self.len(poly)).all(|at| {
            self.coefficient_at(poly, at).is_integer() && self.is_whole_mono(self.mono_at(poly, at))
        })
    }

    /// Whether a monomial is a product of roundings, integers and conditions.
    pub(in crate::decide) fn is_whole_mono(&self, mono: Mono) -> bool {
        let is_integer = |atom| match self.kind(atom) {
            Kind::Function(Unary::Floor | Unary::Trunc | Unary::RoundEven, _) => true,
            Kind::Positive(_) | Kind::Zero(_) | Kind::Condition => true,
            Kind::Element(element) => {
                self.element_format(element).is_some_and(|format| format.bits() <= 64 && !format.is_float())
            }
            // What is left of an integer.
            Kind::Opaque => matches!(self.opaque_parts(atom).0[0], WRAP | PART | QUOTIENT),
            _ => false,
        };
        self.exponent(mono) == Poly::ZERO
            && (0..self.factor_count(mono)).all(|at| {
                let (atom, power) = self.factor(mono, at);
                power.below == 1 && power.above > 0 && is_integer(atom)
            })
    }
}

/// Functions of rationals with rational values.
fn fold(function: Unary, value: &Rational) -> Option<Rational> {
    use Unary::*;
    let exact = value.to_big();
    let folded = match function {
        Floor => exact.floor(),
        Ceil => exact.ceil(),
        Trunc => exact.trunc(),
        RoundEven => {
            let floor = exact.floor();
            let rest = &exact - &floor;
            let half = num_rational::BigRational::new(1.into(), 2.into());
            let odd = num_integer::Integer::is_odd(floor.numer());
            if rest > half || (rest == half && odd) {
                floor + num_rational::BigRational::from_integer(1.into())
            } else {
                floor
            }
        }
        Sin | Tanh | Erf | Atan if value.is_zero() => exact,
        Cos if value.is_zero() => num_rational::BigRational::from_integer(1.into()),
        _ => return None,
    };
    Some(Rational::from_big(&folded))
}

/// Prime factors by trial division up to 2^12; what remains counts as a prime (its logarithm is
/// then a number of its own, which misses equalities but makes none).
fn factors(number: i64) -> Vec<(i64, i64)> {
    let mut rest = number;
    let mut found = Vec::new();
    let mut prime = 2;
    while prime * prime <= rest && prime < 1 << 12 {
        let mut count = 0;
        while rest % prime == 0 {
            rest /= prime;
            count += 1;
        }
        if count > 0 {
            found.push((prime, count));
        }
        prime += if prime == 2 { 1 } else { 2 };
    }
    if rest > 1 {
        found.push((rest, 1));
    }
    found
}
