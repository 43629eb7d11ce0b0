//! What a term is worth at a point: exact while small rationals suffice, enclosed otherwise.
//!
//! Guarantees: the true value is the exact one, or lies in the interval. [`Quantity::NotANumber`] is what
//! infinities that a kernel wrote itself make of it; [`Quantity::Undefined`] means that the term has no real
//! value there for another reason, which the ledger excludes; [`Quantity::Unknown`] that this evaluation
//! cannot tell (a comparison of overlapping intervals, an uninterpreted function).

use super::Interval;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{CheckedAdd, CheckedMul, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A rational whose parts fit 64 bits.
pub type Small = Ratio<i64>;

/// The value of a term at a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// Exactly this.
    Exact(Small),
    /// Somewhere in here.
    Within(Interval),
    /// Somewhere in here, and the same number wherever it has this number: a rounded constant, or the opposite of
    /// the one with the opposite number. It less itself is 0, whatever it is.
    Fixed(i32, Interval),
    /// An integer that is not small: its remainder modulo 2⁶⁴, and where it lies. Only
    /// [`Quantity::large`] makes one.
    Large(u64, Interval),
    /// +∞.
    Infinity,
    /// -∞.
    MinusInfinity,
    /// Whether a condition holds.
    Condition(bool),
    /// A bit pattern.
    Bits(u64),
    /// ∞ or -∞, and which one hangs on the sign of a zero: what a machine makes of a number over zero. Only
    /// [`Machine`](super::Machine) makes one.
    Pole,
    /// ∞ - ∞, 0 · ∞ and what is made of them, as IEEE 754 has it.
    NotANumber,
    /// No value there, which is excluded: a divisor is zero, a logarithm's argument is negative.
    Undefined,
    /// Cannot tell.
    Unknown,
}

use Quantity::{Exact, Fixed, Infinity, Large, MinusInfinity, NotANumber, Pole, Undefined, Unknown, Within};

impl Quantity {
    /// 0.
    pub const ZERO: Quantity = Exact(Ratio::new_raw(0, 1));

    /// An integer.
    pub fn integer(value: i64) -> Quantity {
        Exact(Ratio::from_integer(value))
    }

    /// `above / 2^below`.
    pub fn dyadic(above: i64, below: u32) -> Quantity {
        dyadic(above.into(), below).map_or(Unknown, Exact)
    }

    /// A rational, exact if it is small.
    pub fn rational(value: &BigRational) -> Quantity {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            // The least integer has no negative; nothing exact is ever worth it.
            (Some(above), Some(below)) if above != i64::MIN => Exact(Ratio::new_raw(above, below)),
            _ if value.is_integer() => {
                let low = value.numer().mod_floor(&(BigInt::from(1) << 64)).to_u64();
                low.map_or(Unknown, |low| Quantity::large(low, Interval::of_rational(value)))
            }
            _ => Within(Interval::of_rational(value)),
        }
    }

    /// The integer in an interval with that remainder modulo 2⁶⁴: exact where it is small.
    fn large(low: u64, within: Interval) -> Quantity {
        const SMALL: f64 = (1u64 << 62) as f64;
        match within.low() > -SMALL && within.high() < SMALL {
            true => Quantity::integer(low as i64),
            false => Large(low, within),
        }
    }

    /// The remainder of an integer modulo 2⁶⁴.
    pub(super) fn low(self) -> Option<u64> {
        match self {
            Exact(value) if value.is_integer() => Some(*value.numer() as u64),
            Large(low, _) => Some(low),
            _ => None,
        }
    }

    /// A sum, product or the like of two values as an integer, if both are; otherwise where it lies.
    fn whole(self, other: Quantity, low: fn(u64, u64) -> u64, within: Interval) -> Quantity {
        match (self.low(), other.low()) {
            (Some(a), Some(b)) => Quantity::large(low(a, b), within),
            _ => Within(within),
        }
    }

    /// The interval of a finite value.
    pub fn interval(self) -> Option<Interval> {
        match self {
            Exact(value) => Some(Interval::of_ratio(value)),
            Within(interval) | Fixed(_, interval) | Large(_, interval) => Some(interval),
            _ => None,
        }
    }

    /// Whether it is a finite real.
    pub fn is_finite(self) -> bool {
        matches!(self, Exact(_) | Within(_) | Fixed(..) | Large(..))
    }

    /// Undefined wins over unknown: a value that is certainly missing stays missing. What is not a number stays so
    /// beside what has a value.
    fn gap(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Undefined, _) | (_, Undefined) => Undefined,
            (NotANumber, with) | (with, NotANumber) if with.is_on_line() || with == NotANumber => NotANumber,
            _ => Unknown,
        }
    }

    /// Whether it is a real, or ±∞.
    fn is_on_line(self) -> bool {
        self.is_finite() || matches!(self, Infinity | MinusInfinity | Pole)
    }

    /// The sign, if it is certain.
    fn sign(self) -> Option<Ordering> {
        match self {
            Exact(value) => Some(value.cmp(&Ratio::zero())),
            Within(interval) | Fixed(_, interval) | Large(_, interval) if interval.low() > 0.0 => {
                Some(Ordering::Greater)
            }
            Within(interval) | Fixed(_, interval) | Large(_, interval) if interval.high() < 0.0 => {
                Some(Ordering::Less)
            }
            Within(interval) if interval.as_point() == Some(0.0) => Some(Ordering::Equal),
            Infinity => Some(Ordering::Greater),
            MinusInfinity => Some(Ordering::Less),
            _ => None,
        }
    }

    /// `a + b`.
    pub fn plus(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Exact(a), Exact(b)) => {
                let sum = match (exponent(a), exponent(b)) {
                    (Some(i), Some(j)) => {
                        let most = i.max(j);
                        let part = |value: Small, own: u32| i128::from(*value.numer()) << (most - own);
                        dyadic(part(a, i) + part(b, j), most)
                    }
                    _ => a.checked_add(&b).filter(has_negative),
                };
                let within = || Interval::of_ratio(a).plus(Interval::of_ratio(b));
                sum.map_or_else(|| self.whole(other, u64::wrapping_add, within()), Exact)
            }
            (Fixed(a, _), Fixed(b, _)) if a == -b => Quantity::ZERO,
            (Infinity, MinusInfinity) | (MinusInfinity, Infinity) => NotANumber,
            (Pole, finite) | (finite, Pole) if finite.is_finite() => Pole,
            (infinite @ (Infinity | MinusInfinity), finite)
            | (finite, infinite @ (Infinity | MinusInfinity)) => {
                if finite.is_finite() || finite == infinite {
                    infinite
                } else {
                    self.gap(other)
                }
            }
            _ => match (self.interval(), other.interval()) {
                (Some(a), Some(b)) => self.whole(other, u64::wrapping_add, a.plus(b)),
                _ => self.gap(other),
            },
        }
    }

    /// `a · b`.
    pub fn times(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Exact(a), Exact(b)) => {
                let product = match (exponent(a), exponent(b)) {
                    (Some(i), Some(j)) => dyadic(i128::from(*a.numer()) * i128::from(*b.numer()), i + j),
                    _ => a.checked_mul(&b).filter(has_negative),
                };
                let within = || Interval::of_ratio(a).times(Interval::of_ratio(b));
                product.map_or_else(|| self.whole(other, u64::wrapping_mul, within()), Exact)
            }
            (Exact(zero), Within(_) | Fixed(..) | Large(..))
            | (Within(_) | Fixed(..) | Large(..), Exact(zero))
                if zero.is_zero() =>
            {
                Quantity::ZERO
            }
            (Pole, with) | (with, Pole) => match with.sign() {
                Some(Ordering::Equal) => NotANumber,
                Some(_) => Pole,
                None if with == Pole => Pole,
                None => self.gap(other),
            },
            (Infinity | MinusInfinity, with) | (with, Infinity | MinusInfinity) => {
                match (self.sign(), other.sign()) {
                    (Some(a), Some(b)) if a != Ordering::Equal && b != Ordering::Equal => {
                        if a == b {
                            Infinity
                        } else {
                            MinusInfinity
                        }
                    }
                    (Some(Ordering::Equal), _) | (_, Some(Ordering::Equal)) => NotANumber,
                    _ if with.is_finite() => Unknown,
                    _ => self.gap(other),
                }
            }
            _ => match (self.interval(), other.interval()) {
                (Some(a), Some(b)) => self.whole(other, u64::wrapping_mul, a.times(b)),
                _ => self.gap(other),
            },
        }
    }

    /// `-a`.
    pub fn negated(self) -> Quantity {
        match self {
            Exact(value) => Exact(-value),
            Within(interval) => Within(interval.negated()),
            Fixed(own, interval) => Fixed(-own, interval.negated()),
            Large(low, interval) => Quantity::large(low.wrapping_neg(), interval.negated()),
            Infinity => MinusInfinity,
            MinusInfinity => Infinity,
            Pole => Pole,
            _ => self.gap(self),
        }
    }

    /// `1 / a`.
    pub fn reciprocal(self) -> Quantity {
        match self {
            Exact(value) if value.is_zero() => Undefined,
            Exact(value) => Exact(value.recip()),
            Within(interval) | Fixed(_, interval) | Large(_, interval) => match interval.reciprocal() {
                Some(interval) => Within(interval),
                None if self.sign() == Some(Ordering::Equal) => Undefined,
                None => Unknown,
            },
            Infinity | MinusInfinity | Pole => Quantity::ZERO,
            _ => self.gap(self),
        }
    }

    /// √a.
    pub fn root(self) -> Quantity {
        match self {
            Exact(value) if value.is_negative() => Undefined,
            Exact(value) => {
                let (above, below) = (value.numer().isqrt(), value.denom().isqrt());
                if above * above == *value.numer() && below * below == *value.denom() {
                    Exact(Ratio::new_raw(above, below))
                } else {
                    Interval::of_ratio(value).sqrt().map_or(Unknown, Within)
                }
            }
            Within(interval) | Fixed(_, interval) | Large(_, interval) if interval.high() < 0.0 => Undefined,
            Within(interval) | Fixed(_, interval) | Large(_, interval) => {
                interval.sqrt().map_or(Unknown, Within)
            }
            Infinity => Infinity,
            MinusInfinity => NotANumber,
            _ => self.gap(self),
        }
    }

    /// Applies a function that is defined everywhere.
    pub(super) fn through(self, function: impl Fn(Interval) -> Interval) -> Quantity {
        match self.interval() {
            Some(interval) => Within(function(interval)),
            None if matches!(self, Undefined | NotANumber) => self,
            None => Unknown,
        }
    }

    /// |a|.
    pub fn abs(self) -> Quantity {
        match self {
            Exact(value) => Exact(value.abs()),
            Infinity | MinusInfinity | Pole => Infinity,
            Large(..) | Fixed(..) => match self.sign() {
                Some(Ordering::Less) => self.negated(),
                Some(_) => self,
                None => self.through(Interval::abs),
            },
            _ => self.through(Interval::abs),
        }
    }

    /// Rounds to an integer; both functions are the same one. What is not finite is a float that stays as it is, or
    /// an integer of which that is not followed.
    pub(super) fn to_integer(self, exact: fn(&Small) -> Small, float: fn(f64) -> f64) -> Quantity {
        match self {
            // Near the ends of the range the arithmetic inside would overflow.
            Exact(value) if value.numer().unsigned_abs() < 1 << 61 && *value.denom() < 1 << 61 => {
                Exact(exact(&value))
            }
            Exact(_) | Within(_) | Fixed(..) => {
                let whole = self.through(|interval| interval.monotone(float));
                match whole.interval().and_then(Interval::as_point) {
                    Some(point) if point.abs() < 9e15 => Quantity::integer(point as i64),
                    _ => whole,
                }
            }
            Large(..) => self,
            Undefined => Undefined,
            _ => Unknown,
        }
    }

    /// How two values compare, if that is certain; `Err` holds what the comparison is then. No comparison holds
    /// with what is not a number.
    pub fn order(self, other: Quantity) -> Result<Ordering, Quantity> {
        match (self, other) {
            (Exact(a), Exact(b)) => Ok(a.cmp(&b)),
            (Fixed(a, _), Fixed(b, _)) if a == b => Ok(Ordering::Equal),
            (Infinity, Infinity) | (MinusInfinity, MinusInfinity) => Ok(Ordering::Equal),
            (Infinity, b) if b.is_finite() || b == MinusInfinity => Ok(Ordering::Greater),
            (MinusInfinity, b) if b.is_finite() || b == Infinity => Ok(Ordering::Less),
            (a, Infinity) if a.is_finite() => Ok(Ordering::Less),
            (a, MinusInfinity) if a.is_finite() => Ok(Ordering::Greater),
            _ => match (self.interval(), other.interval()) {
                (Some(a), Some(b)) if a.high() < b.low() => Ok(Ordering::Less),
                (Some(a), Some(b)) if a.low() > b.high() => Ok(Ordering::Greater),
                (Some(a), Some(b)) if self.low().is_none() && a.as_point().is_some() && a == b => {
                    Ok(Ordering::Equal)
                }
                // Large integers next to each other.
                (Some(_), Some(_)) if self.low().is_some() && other.low().is_some() => {
                    match self.plus(other.negated()) {
                        Exact(difference) => Ok(difference.cmp(&Ratio::zero())),
                        _ => Err(self.gap(other)),
                    }
                }
                _ => match self.gap(other) {
                    NotANumber => Err(Quantity::Condition(false)),
                    gap => Err(gap),
                },
            },
        }
    }

    /// The larger (or the smaller); what is not a number loses.
    pub fn extreme(self, other: Quantity, larger: bool) -> Quantity {
        match (self, other) {
            (NotANumber, with) | (with, NotANumber) if with.is_on_line() || with == NotANumber => {
                return with;
            }
            _ => {}
        }
        match self.order(other) {
            Ok(order) => {
                if (order == Ordering::Less) == larger {
                    other
                } else {
                    self
                }
            }
            Err(gap) => match (self.interval(), other.interval()) {
                (Some(a), Some(b)) => Within(if larger { a.max(b) } else { a.min(b) }),
                _ => gap,
            },
        }
    }
}

/// k, if the denominator is 2^k. Nearly all of them are, and then nothing has to be divided.
#[inline]
fn exponent(value: Small) -> Option<u32> {
    let below = *value.denom();
    (below & (below - 1) == 0).then(|| below.trailing_zeros())
}

/// `above / 2^below` in lowest terms, if it is small.
#[inline]
fn dyadic(above: i128, below: u32) -> Option<Small> {
    let shift = above.trailing_zeros().min(below);
    let (above, below) = (above >> shift, below - shift);
    let above = i64::try_from(above).ok().filter(|above| *above != i64::MIN)?;
    (below < 63).then(|| Ratio::new_raw(above, 1 << below))
}

fn has_negative(value: &Small) -> bool {
    *value.numer() != i64::MIN
}
