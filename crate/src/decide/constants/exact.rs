//! Exact constants: a rational times powers of numbers that have a name.
//!
//! What a coefficient can be once rounded constants are read as what their author meant:
//! `rational · Π factorᵏ` with factors 2, 3, 5, … (for roots), π, ln 2, ln 10 and e. The form is
//! canonical: factors stand in order, primes carry exponents strictly between 0 and 1 (whole
//! powers live in the rational), the others any non-zero rational, and zero has no factors.
//!
//! Guarantees: equal forms are equal numbers, and forms that differ only in the rational and in
//! powers of primes are different numbers. Not guaranteed: that forms with different powers of π,
//! ln 2, ln 10 and e are different (nobody knows whether they are algebraically independent).

use crate::term::{Interval, Named};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt;

/// A number with a name, all positive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Factor {
    /// A prime, for roots: exponents between 0 and 1.
    Prime(u64),
    /// π.
    Pi,
    /// ln 2; log₂ e is its reciprocal.
    Ln2,
    /// ln 10.
    Ln10,
    /// e.
    E,
}

impl Factor {
    /// The factor to a power.
    pub fn to_the(self, power: i64) -> Option<Exact> {
        Exact::factor(self, Ratio::from_integer(power))
    }

    /// Rationals just below and above it, 10^-38 apart.
    pub fn bounds(self) -> (BigRational, BigRational) {
        let digits: u128 = match self {
            Factor::Pi => 314159265358979323846264338327950288419,
            Factor::Ln2 => 69314718055994530941723212145817656807,
            Factor::Ln10 => 230258509299404568401799145468436420760,
            Factor::E => 271828182845904523536028747135266249775,
            Factor::Prime(prime) => {
                let prime = BigRational::from_integer(prime.into());
                return (prime.clone(), prime);
            }
        };
        let unit = BigInt::from(10u8).pow(38u32);
        (BigRational::new(digits.into(), unit.clone()), BigRational::new((digits + 1).into(), unit))
    }
}

/// `rational · Π factorᵏ`, canonical.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Exact {
    rational: BigRational,
    factors: Vec<(Factor, Ratio<i64>)>,
}

/// Exponents beyond this are refused: no kernel means them, and they only cost memory.
const LARGEST_POWER: i64 = 4096;

impl Exact {
    /// A rational.
    pub fn rational(rational: BigRational) -> Exact {
        Exact { rational, factors: Vec::new() }
    }

    /// An integer.
    pub fn integer(value: i64) -> Exact {
        Exact::rational(BigRational::from_integer(value.into()))
    }

    /// One factor to a power; `None` if the power is absurd.
    pub fn factor(factor: Factor, power: Ratio<i64>) -> Option<Exact> {
        Exact::integer(1).times_power(factor, power)
    }

    /// A named real.
    pub fn named(named: Named) -> Exact {
        let (factor, power) = match named {
            Named::Pi => (Factor::Pi, 1),
            Named::Ln2 => (Factor::Ln2, 1),
            Named::Log2E => (Factor::Ln2, -1),
            Named::Ln10 => (Factor::Ln10, 1),
        };
        Exact { rational: One::one(), factors: vec![(factor, Ratio::from_integer(power))] }
    }

    /// The rational part.
    pub fn coefficient(&self) -> &BigRational {
        &self.rational
    }

    /// The factors with their exponents, in order.
    pub fn factors(&self) -> &[(Factor, Ratio<i64>)] {
        &self.factors
    }

    /// The value, if it is rational.
    pub fn as_rational(&self) -> Option<&BigRational> {
        self.factors.is_empty().then_some(&self.rational)
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.rational.is_zero()
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.factors.is_empty() && self.rational.is_one()
    }

    /// Whether it is below 0 (factors are positive).
    pub fn is_negative(&self) -> bool {
        self.rational.is_negative()
    }

    /// `-self`.
    pub fn negated(&self) -> Exact {
        Exact { rational: -&self.rational, factors: self.factors.clone() }
    }

    /// `self · other`; `None` if an exponent gets absurd.
    pub fn times(&self, other: &Exact) -> Option<Exact> {
        if self.is_zero() || other.is_zero() {
            return Some(Exact::integer(0));
        }
        let mut product = Exact { rational: &self.rational * &other.rational, factors: self.factors.clone() };
        for (factor, power) in &other.factors {
            product = product.times_power(*factor, *power)?;
        }
        Some(product)
    }

    /// `1 / self`; `None` for 0.
    pub fn reciprocal(&self) -> Option<Exact> {
        if self.is_zero() {
            return None;
        }
        let mut inverse = Exact::rational(self.rational.recip());
        for (factor, power) in &self.factors {
            inverse = inverse.times_power(*factor, -power)?;
        }
        Some(inverse)
    }

    /// `self + other`, if both have the same factors (or one is 0).
    pub fn plus(&self, other: &Exact) -> Option<Exact> {
        if self.is_zero() {
            return Some(other.clone());
        }
        if other.is_zero() {
            return Some(self.clone());
        }
        if self.factors != other.factors {
            return None;
        }
        let rational = &self.rational + &other.rational;
        let factors = if rational.is_zero() { Vec::new() } else { self.factors.clone() };
        Some(Exact { rational, factors })
    }

    /// `self` to a rational power; `None` where that is no real number, or where it would need to
    /// factor a large integer. Only whole powers of negative numbers are real here.
    pub fn power(&self, power: Ratio<i64>) -> Option<Exact> {
        if power.is_zero() {
            return Some(Exact::integer(1));
        }
        if power.numer().abs() > LARGEST_POWER || *power.denom() > LARGEST_POWER {
            return None;
        }
        if self.is_zero() {
            return power.is_positive().then(|| self.clone());
        }
        let mut result = if power.is_integer() {
            let exponent = i32::try_from(power.to_integer()).ok()?;
            if self.rational.numer().bits().max(self.rational.denom().bits())
                * u64::from(exponent.unsigned_abs())
                > 1 << 16
            {
                return None;
            }
            Exact::rational(num_traits::Pow::pow(&self.rational, exponent))
        } else {
            if self.rational.is_negative() {
                return None;
            }
            let above = radical(self.rational.numer().magnitude(), power)?;
            let below = radical(self.rational.denom().magnitude(), -power)?;
            above.times(&below)?
        };
        for (factor, exponent) in &self.factors {
            let exponent = Ratio::new(
                exponent.numer().checked_mul(*power.numer())?,
                exponent.denom().checked_mul(*power.denom())?,
            );
            result = result.times_power(*factor, exponent)?;
        }
        Some(result)
    }

    /// Multiplies by `factor^power`, keeping the form canonical.
    fn times_power(mut self, factor: Factor, power: Ratio<i64>) -> Option<Exact> {
        if self.is_zero() {
            return Some(self);
        }
        let at = self.factors.binary_search_by_key(&factor, |(known, _)| *known);
        let mut total = power;
        if let Ok(at) = at {
            total += self.factors[at].1;
        }
        if total.numer().abs() > LARGEST_POWER * 64 || *total.denom() > LARGEST_POWER * 64 {
            return None;
        }
        if let Factor::Prime(prime) = factor {
            let whole = total.floor();
            total -= whole;
            let exponent = i32::try_from(whole.to_integer()).ok()?;
            let base = BigRational::from_integer(prime.into());
            self.rational *= num_traits::Pow::pow(&base, exponent);
        }
        match at {
            Ok(at) if total.is_zero() => {
                self.factors.remove(at);
            }
            Ok(at) => self.factors[at].1 = total,
            Err(_) if total.is_zero() => {}
            Err(at) => self.factors.insert(at, (factor, total)),
        }
        Some(self)
    }

    /// Rationals below and above a positive value, about 30 digits apart; `None` if an exponent
    /// is not a half.
    pub fn bounds(&self) -> Option<(BigRational, BigRational)> {
        // The square has whole exponents; its root is taken in fixed point.
        let square = self.power(Ratio::from_integer(2))?;
        let (mut low, mut high) = (square.rational.clone(), square.rational.clone());
        for (factor, power) in &square.factors {
            let power = i32::try_from(power.is_integer().then(|| power.to_integer())?).ok()?;
            let (below, above) = factor.bounds();
            let (below, above) = if power > 0 { (below, above) } else { (above, below) };
            low *= num_traits::Pow::pow(&below, power);
            high *= num_traits::Pow::pow(&above, power);
        }
        // Scaled so that the integer root has at least 110 bits.
        let bits = low.denom().bits() as i64 - low.numer().bits() as i64;
        let unit = BigInt::one() << (110 + bits.max(0) / 2 + 1) as u64;
        let scale = BigRational::from_integer(&unit * &unit);
        let below = (low * &scale).floor().to_integer().sqrt();
        let above = (high * scale).ceil().to_integer().sqrt() + 1;
        Some((BigRational::new(below, unit.clone()), BigRational::new(above, unit)))
    }

    /// Two floats that the value lies between.
    pub fn enclosure(&self) -> Interval {
        let mut value = Interval::of_rational(&self.rational);
        for (factor, power) in &self.factors {
            let base = match factor {
                Factor::Prime(prime) => Interval::of_rational(&BigRational::from_integer((*prime).into())),
                Factor::Pi => Interval::PI,
                Factor::Ln2 => Interval::LN_2,
                Factor::Ln10 => Interval::LN_10,
                Factor::E => Interval::E,
            };
            value = value.times(base.power(*power));
        }
        value
    }
}

/// `n^power` for a fractional power, by trial division; `None` if `n` keeps a large composite part.
fn radical(n: &BigUint, power: Ratio<i64>) -> Option<Exact> {
    let mut result = Exact::integer(1);
    let mut rest = n.clone();
    if let Some(zeros) = rest.trailing_zeros().filter(|zeros| *zeros > 0) {
        rest >>= zeros;
        result = result.times_power(Factor::Prime(2), power * i64::try_from(zeros).ok()?)?;
    }
    let mut small = rest.to_u64();
    let mut prime = 3u64;
    while prime < 1 << 12 && !rest.is_one() {
        if small.is_some_and(|rest| prime * prime > rest) {
            break;
        }
        let mut count = 0i64;
        if let Some(value) = &mut small {
            while *value % prime == 0 {
                *value /= prime;
                count += 1;
            }
            if count > 0 {
                rest = BigUint::from(*value);
            }
        } else {
            loop {
                let (quotient, remainder) = rest.div_rem(&BigUint::from(prime));
                if !remainder.is_zero() {
                    break;
                }
                rest = quotient;
                count += 1;
            }
            small = rest.to_u64();
        }
        if count > 0 {
            result = result.times_power(Factor::Prime(prime), power * count)?;
        }
        prime += 2;
    }
    if rest.is_one() {
        return Some(result);
    }
    // What is left has no factor below the bound: prime if below its square, else perhaps a
    // perfect power of the root's degree.
    if let Some(rest) = rest.to_u64()
        && rest < 1 << 24
    {
        return result.times_power(Factor::Prime(rest), power);
    }
    let degree = u32::try_from(*power.denom()).ok()?;
    let root = rest.nth_root(degree);
    if num_traits::Pow::pow(&root, degree) != rest {
        return None;
    }
    let whole = i32::try_from(*power.numer()).ok()?;
    let base = BigRational::from_integer(BigInt::from(root));
    result.rational *= num_traits::Pow::pow(&base, whole);
    Some(result)
}

impl fmt::Display for Exact {
    /// `3/8·√2·log₂ e`: roots of one degree are joined, reciprocals of ln 2 read log₂ e.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        let (sign, magnitude) = (if self.is_negative() { "-" } else { "" }, self.rational.abs());
        let half = Ratio::new(1, 2);
        let mut under_root = BigInt::one();
        for (factor, power) in &self.factors {
            match factor {
                Factor::Prime(prime) if *power == half => under_root *= *prime,
                Factor::Prime(prime) => parts.push(format!("{prime}^({power})")),
                Factor::Ln2 if power.is_negative() => parts.push(powered("log₂ e", -power)),
                Factor::Ln2 => parts.push(powered("ln 2", *power)),
                Factor::Ln10 => parts.push(powered("ln 10", *power)),
                Factor::Pi => parts.push(powered("π", *power)),
                Factor::E => parts.push(powered("e", *power)),
            }
        }
        if !under_root.is_one() {
            parts.insert(0, format!("√{under_root}"));
        }
        let (above, below) = (magnitude.numer(), magnitude.denom());
        if !above.is_one() || parts.is_empty() {
            parts.insert(0, above.to_string());
        }
        write!(f, "{sign}{}", parts.join("·"))?;
        if below.is_one() { Ok(()) } else { write!(f, "/{below}") }
    }
}

fn powered(name: &str, power: Ratio<i64>) -> String {
    let wrapped = if name.contains(' ') { format!("({name})") } else { name.to_owned() };
    if power.is_one() {
        name.to_owned()
    } else if power.is_integer() {
        format!("{wrapped}^{power}")
    } else {
        format!("{wrapped}^({power})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Ratio<i64> {
        Ratio::new(1, 2)
    }

    #[test]
    fn roots_are_canonical() {
        let root = |n: i64| Exact::integer(n).power(half()).unwrap();
        assert_eq!(root(2).times(&root(2)), Some(Exact::integer(2)));
        assert_eq!(root(128).to_string(), "8·√2");
        assert_eq!(root(2).times(&root(3)), Some(root(6)));
        assert_eq!(root(128).reciprocal().unwrap().to_string(), "√2/16");
        assert_eq!(root(144), Exact::integer(12));
        assert_eq!(root(65537).factors(), &[(Factor::Prime(65537), half())]);
        assert_eq!(Exact::integer(-4).power(half()), None);
        assert_eq!(Exact::integer(-2).power(Ratio::from_integer(3)), Some(Exact::integer(-8)));
    }

    #[test]
    fn large_arguments_are_refused_or_perfect() {
        let big = BigInt::from(16_777_259u64); // a prime above 2^24
        let square = Exact::rational(BigRational::from_integer(&big * &big));
        assert_eq!(square.power(half()), Some(Exact::rational(BigRational::from_integer(big.clone()))));
        assert_eq!(Exact::rational(BigRational::from_integer(big)).power(half()), None);
    }

    #[test]
    fn named_numbers_multiply_out() {
        let log2e = Exact::named(Named::Log2E);
        assert_eq!(log2e.times(&Exact::named(Named::Ln2)), Some(Exact::integer(1)));
        assert_eq!(
            log2e.times(&Exact::integer(2).power(-half()).unwrap()).unwrap().to_string(),
            "√2·log₂ e/2"
        );
        let sum = log2e.plus(&log2e).unwrap();
        assert_eq!(sum.coefficient(), &BigRational::from_integer(2.into()));
        assert!(log2e.plus(&log2e.negated()).unwrap().is_zero());
        assert_eq!(log2e.plus(&Exact::integer(1)), None);
    }

    #[test]
    fn bounds_are_tight_and_agree_with_the_floats() {
        for value in [
            Exact::integer(2).power(half()).unwrap(),
            Factor::Pi.to_the(-1).unwrap().power(half()).unwrap(),
            Factor::E.to_the(3).unwrap(),
            Factor::Ln10.to_the(1).unwrap().times(&Exact::named(Named::Log2E)).unwrap(),
            Exact::rational(BigRational::new(1.into(), BigInt::one() << 200)),
        ] {
            let (low, high) = value.bounds().unwrap();
            assert!(low < high && (&high - &low) / &high < BigRational::new(1.into(), BigInt::one() << 100));
            let interval = value.enclosure();
            assert!(Interval::of_rational(&low).low() <= interval.high());
            assert!(interval.low() <= Interval::of_rational(&high).high());
        }
    }

    #[test]
    fn enclosures_hold_the_value() {
        let value = Exact::named(Named::Log2E).times(&Exact::integer(128).power(-half()).unwrap()).unwrap();
        let interval = value.enclosure();
        let about = std::f64::consts::LOG2_E / 128f64.sqrt();
        assert!(interval.low() <= about && about <= interval.high());
        assert!(interval.high() - interval.low() < 1e-14);
    }
}
