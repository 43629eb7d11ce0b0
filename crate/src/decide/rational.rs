//! Exact rational coefficients with a fast path for small ones.
//!
//! Nearly every coefficient of a kernel is 1, -1 or a short fraction, so a coefficient is a pair
//! of machine words until that overflows, and a big rational from then on.
//!
//! Guarantees: one representation for each number (reduced, positive denominator, small whenever
//! it fits), so derived equality and hashing are those of the numbers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use std::cmp::Ordering;

/// A rational number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rational {
    /// Numerator and positive denominator, reduced.
    Small(i64, i64),
    /// Whatever does not fit.
    Big(Box<BigRational>),
}

impl Rational {
    pub(super) const ZERO: Rational = Rational::Small(0, 1);
    pub(super) const ONE: Rational = Rational::Small(1, 1);
    pub(super) const MINUS_ONE: Rational = Rational::Small(-1, 1);

    /// `above / below`; `below` is not 0.
    pub(super) fn new(above: i64, below: i64) -> Rational {
        Rational::from_wide(above.into(), below.into())
    }

    fn from_wide(above: i128, below: i128) -> Rational {
        debug_assert!(below != 0);
        // Machine words divide many times faster than pairs of them.
        if let (Ok(above), Ok(below)) = (i64::try_from(above), i64::try_from(below))
            && above != i64::MIN
            && below > 0
        {
            let common = if below == 1 { 1 } else { above.gcd(&below).max(1) };
            return Rational::Small(above / common, below / common);
        }
        let common = if below == 1 { 1 } else { above.gcd(&below).max(1) };
        let sign = if below < 0 { -1 } else { 1 };
        let (above, below) = (sign * (above / common), sign * (below / common));
        match (i64::try_from(above), i64::try_from(below)) {
            (Ok(above), Ok(below)) => Rational::Small(above, below),
            _ => Rational::Big(Box::new(BigRational::new_raw(above.into(), below.into()))),
        }
    }

    pub(super) fn from_big(value: &BigRational) -> Rational {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(above), Some(below)) => Rational::Small(above, below),
            _ => Rational::Big(Box::new(value.clone())),
        }
    }

    pub(super) fn to_big(&self) -> BigRational {
        match self {
            Rational::Small(above, below) => BigRational::new_raw((*above).into(), (*below).into()),
            Rational::Big(value) => (**value).clone(),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Rational::Small(0, _))
    }

    pub(super) fn is_one(&self) -> bool {
        matches!(self, Rational::Small(1, 1))
    }

    /// Whether it is above 0.
    pub(super) fn is_positive(&self) -> bool {
        match self {
            Rational::Small(above, _) => *above > 0,
            Rational::Big(value) => value.is_positive(),
        }
    }

    /// Whether it is below 0.
    pub(super) fn is_negative(&self) -> bool {
        !self.is_zero() && !self.is_positive()
    }

    pub(super) fn plus(&self, other: &Rational) -> Rational {
        match (self, other) {
            (Rational::Small(a, 1), Rational::Small(b, 1)) if a.checked_add(*b).is_some() => {
                Rational::Small(a + b, 1)
            }
            (Rational::Small(a, b), Rational::Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                match (a * d).checked_add(c * b) {
                    Some(above) => Rational::from_wide(above, b * d),
                    None => Rational::from_big(&(self.to_big() + other.to_big())),
                }
            }
            _ => match self.both_whole(other) {
                Some((a, b)) => Rational::from_whole(a + b),
                None => Rational::from_big(&(self.to_big() + other.to_big())),
            },
        }
    }

    pub(super) fn times(&self, other: &Rational) -> Rational {
        match (self, other) {
            (Rational::Small(1, 1), _) => other.clone(),
            (_, Rational::Small(1, 1)) => self.clone(),
            (Rational::Small(a, b), Rational::Small(c, d)) => {
                Rational::from_wide(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => match self.both_whole(other) {
                Some((a, b)) => Rational::from_whole(a * b),
                None => Rational::from_big(&(self.to_big() * other.to_big())),
            },
        }
    }

    /// Both numerators, where both are integers: to reduce a fraction costs the square of its length, even
    /// over 1.
    fn both_whole(&self, other: &Rational) -> Option<(BigInt, BigInt)> {
        Some((self.whole()?, other.whole()?))
    }

    fn whole(&self) -> Option<BigInt> {
        match self {
            Rational::Small(above, below) => (*below == 1).then(|| (*above).into()),
            Rational::Big(value) => value.denom().is_one().then(|| value.numer().clone()),
        }
    }

    fn from_whole(value: BigInt) -> Rational {
        match value.to_i64() {
            Some(value) => Rational::Small(value, 1),
            None => Rational::Big(Box::new(BigRational::new_raw(value, 1.into()))),
        }
    }

    /// What computing with the number costs, in monomials: nothing much while it is small, and then the
    /// square of its length, because a fraction is reduced each time.
    pub(super) fn effort(&self) -> u64 {
        match self {
            Rational::Small(..) => 0,
            Rational::Big(value) => {
                let words = value.numer().bits().max(value.denom().bits()) / 64 + 1;
                if value.denom().is_one() { words } else { words * words * WORD_PAIRS }
            }
        }
    }

    pub(super) fn negated(&self) -> Rational {
        match self {
            Rational::Small(above, below) if *above != i64::MIN => Rational::Small(-above, *below),
            _ => Rational::from_big(&-self.to_big()),
        }
    }

    pub(super) fn magnitude(&self) -> Rational {
        if self.is_negative() { self.negated() } else { self.clone() }
    }

    /// `1 / self`; `self` is not 0.
    pub(super) fn reciprocal(&self) -> Rational {
        match self {
            Rational::Small(above, below) => Rational::from_wide((*below).into(), (*above).into()),
            Rational::Big(value) => Rational::from_big(&value.recip()),
        }
    }

    /// `self` to a whole power; `None` if that is absurdly large or 1/0.
    pub(super) fn power(&self, power: i32) -> Option<Rational> {
        if self.is_zero() {
            return (power > 0).then_some(Rational::ZERO);
        }
        if self.is_one() || power == 1 {
            return Some(self.clone());
        }
        if self.bits() * u64::from(power.unsigned_abs()) > LARGEST_BITS {
            return None;
        }
        Some(Rational::from_big(&num_traits::Pow::pow(&self.to_big(), power)))
    }

    /// Bits of numerator or denominator, the larger.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Rational::Small(above, below) => {
                u64::from(64 - above.unsigned_abs().max(below.unsigned_abs()).leading_zeros())
            }
            Rational::Big(value) => value.numer().bits().max(value.denom().bits()),
        }
    }

    /// Numerator and denominator, if small.
    pub(super) fn as_small(&self) -> Option<(i64, i64)> {
        match self {
            Rational::Small(above, below) => Some((*above, *below)),
            Rational::Big(_) => None,
        }
    }

    /// The remainder of the number modulo a prime below 2^62; `None` if it divides the denominator.
    pub(super) fn modulo(&self, prime: u64) -> Option<(u64, u64)> {
        let residue = |value: &BigInt| {
            let rest = value.mod_floor(&BigInt::from(prime));
            rest.to_u64().unwrap_or(0)
        };
        match self {
            Rational::Small(above, below) => {
                let above = i128::from(*above).rem_euclid(prime.into()) as u64;
                Some((above, (*below as u64) % prime)).filter(|(_, below)| *below != 0)
            }
            Rational::Big(value) => {
                Some((residue(value.numer()), residue(value.denom()))).filter(|(_, below)| *below != 0)
            }
        }
    }
}

/// Monomials that take as long as reducing a fraction does for each pair of its words.
const WORD_PAIRS: u64 = 16;

/// Coefficients longer than this stop the procedure instead of eating memory.
pub(super) const LARGEST_BITS: u64 = 1 << 16;

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (self, other) {
            (Rational::Small(a, b), Rational::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rational::Small(above, 1) => write!(f, "{above}"),
            Rational::Small(above, below) => write!(f, "{above}/{below}"),
            Rational::Big(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;

    #[test]
    fn overflow_goes_big_and_comes_back() {
        let large = Rational::new(i64::MAX, 1);
        let sum = large.plus(&large);
        assert!(matches!(sum, Rational::Big(_)));
        assert_eq!(sum.plus(&large.negated()), large);
        let square = large.times(&large);
        assert_eq!(square.times(&large.reciprocal()), large);
        assert_eq!(Rational::new(i64::MIN, 1).negated().negated(), Rational::new(i64::MIN, 1));
        assert_eq!(Rational::new(6, -4), Rational::Small(-3, 2));
        assert_eq!(Rational::from_big(&BigRational::one()), Rational::ONE);
        assert!(BigRational::zero() == Rational::ZERO.to_big());
    }

    #[test]
    fn sums_near_the_limits_are_exact() {
        let a = Rational::new(i64::MAX, i64::MAX - 1);
        let b = Rational::new(i64::MAX - 2, i64::MAX - 4);
        let expected = a.to_big() + b.to_big();
        assert_eq!(a.plus(&b).to_big(), expected);
        assert!(Rational::new(1, 3) < Rational::new(1, 2) && b > Rational::ONE);
    }

    #[test]
    fn long_integers_and_fractions_mix() {
        let long = Rational::new(i64::MAX, 1).times(&Rational::new(i64::MAX, 1));
        assert_eq!(long.plus(&Rational::new(1, 2)).to_big(), long.to_big() + Rational::new(1, 2).to_big());
        assert_eq!(long.times(&Rational::new(2, 7)).to_big(), long.to_big() * Rational::new(2, 7).to_big());
        assert_eq!(long.times(&long.negated()).to_big(), long.to_big() * -long.to_big());
        assert_eq!(long.plus(&long.negated()), Rational::ZERO);
        assert_eq!(Rational::new(5, 7).effort(), 0);
        assert!(long.effort() < long.times(&Rational::new(1, 11)).effort());
    }

    #[test]
    fn powers_are_bounded() {
        assert_eq!(Rational::new(2, 3).power(-2), Some(Rational::new(9, 4)));
        assert_eq!(Rational::new(2, 1).power(1 << 20), None);
        assert_eq!(Rational::ZERO.power(-1), None);
    }
}
