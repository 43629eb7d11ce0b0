//! Constants: exact numbers, and where they came from.

use super::node::Unary;
use crate::base::Format;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

/// A constant real number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// An exact rational.
    Rational(BigRational),
    /// A named real.
    Named(Named),
    /// +∞ (only meaningful in max, min, exp and comparisons).
    Infinity,
    /// -∞.
    MinusInfinity,
    /// Not a number, as floats have it.
    NotANumber,
    /// What was never written, on a way that no inputs take: nothing depends on it.
    Unwritten,
    /// The condition that always holds.
    True,
    /// The condition that never holds.
    False,
}

/// Reals with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Named {
    Pi,
    Ln2,
    Log2E,
    Ln10,
}

impl Named {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Named::Pi => "π",
            Named::Ln2 => "ln 2",
            Named::Log2E => "log₂ e",
            Named::Ln10 => "ln 10",
        }
    }
}

/// A number and the format whose rounding produced it, which bounds what its author meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// The exact value of the bits.
    pub number: Number,
    /// The float format it was rounded to; `None` for exact numbers.
    pub rounded: Option<Format>,
    /// The bits of [`Constant::error`].
    error: u64,
    /// Where a conversion saturates.
    limit: bool,
}

impl Constant {
    /// A number, and the float format it was rounded to.
    pub fn new(number: Number, rounded: Option<Format>) -> Constant {
        Constant { number, rounded, error: 0, limit: false }
    }

    /// The same, computed by a kernel from concrete numbers.
    pub(super) fn computed(self, error: f64) -> Constant {
        debug_assert!(error >= 0.0);
        Constant { error: error.to_bits(), ..self }
    }

    /// The largest number of a float format, or its negative, as the limit of a conversion that saturates: a
    /// constant of its own, because what a kernel is meant to compute may leave saturation out.
    pub(super) fn limit(format: Format, lower: bool) -> Constant {
        let largest = super::bounds::largest(format);
        let value = BigRational::from_float(if lower { -largest } else { largest });
        let number = value.map_or(Number::NotANumber, Number::Rational);
        Constant { limit: true, ..Constant::new(number, Some(Format::F32)) }
    }

    /// Whether it is the limit of a conversion that saturates.
    pub fn is_limit(&self) -> bool {
        self.limit
    }

    /// How far the real number that the kernel computed may at most be from this one: 0, unless it
    /// was computed from concrete numbers, as the hardware rounds them. No proof may use that.
    pub fn error(&self) -> f64 {
        f64::from_bits(self.error)
    }

    /// How far the number that its author meant may be from a constant that was rounded to a format:
    /// see [`slack`].
    pub fn slack(&self) -> f64 {
        match (&self.number, self.rounded) {
            (Number::Rational(value), Some(format)) => slack(value, format),
            _ => 0.0,
        }
    }

    /// The whole number that a rounding makes of it, where it makes that of every number that it may stand for.
    pub fn whole(&self, rounding: Unary) -> Option<BigRational> {
        let Number::Rational(value) = &self.number else { return None };
        let half = || BigRational::new(1.into(), 2.into());
        let round = |value: BigRational| match rounding {
            Unary::Floor => value.floor(),
            Unary::Ceil => value.ceil(),
            Unary::Trunc => value.trunc(),
            // Ties to even.
            _ => match (value.clone() + half()).floor() {
                up if &up - &value == half() && !(&up * half()).is_integer() => up - BigRational::one(),
                up => up,
            },
        };
        if !matches!(rounding, Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven) {
            return None;
        }
        let off = BigRational::from_float(self.slack() + self.error())?;
        let (low, high) = (round(value - &off), round(value + &off));
        (low == high).then_some(low)
    }

    /// What it is, however it came about.
    pub fn as_read(&self) -> (&Number, Option<Format>) {
        (&self.number, self.rounded)
    }
}

/// How far from a float constant the number may be that its author meant: one and a half units in its
/// last place, half for the rounding of the number itself and one because what compilers and people fold
/// in several steps ends at a neighbour (`sqrtf(2.0f / 3.14159265f)`).
///
/// 0 for whole numbers, and for those that need at most half of the format's digits: a rounded number
/// ends in so many zeros once in thousands, and people write 0.5, 0.375 and 1024 every day.
pub(crate) fn slack(value: &BigRational, format: Format) -> f64 {
    let (digits, smallest) = match format {
        Format::F64 => (53, -1074),
        Format::F32 | Format::Tf32 => (24, -149),
        Format::F16 => (11, -24),
        Format::Bf16 => (8, -133),
        // Eight bits hold what was chosen among few numbers, not what was written and rounded.
        _ => return 0.0,
    };
    if value.is_integer() {
        return 0.0;
    }
    let bits = |number: &BigInt| number.bits() as i64;
    let odd = bits(value.numer()) - value.numer().trailing_zeros().unwrap_or(0) as i64;
    if odd <= digits / 2 {
        return 0.0;
    }
    // The denominator is a power of two.
    let first = bits(value.numer()) - bits(value.denom());
    1.5 * f64::from((first - digits + 1).max(smallest) as i32).exp2()
}

/// The number that the low bits of `bits` hold in `format`.
pub(crate) fn decode(format: Format, bits: u64) -> Number {
    let integer = |value: i128| Number::Rational(BigRational::from_integer(value.into()));
    match format {
        Format::F64 => float(bits, 11, 52, true),
        Format::F32 | Format::Tf32 => float(bits & 0xffff_ffff, 8, 23, true),
        Format::F16 => float(bits & 0xffff, 5, 10, true),
        Format::Bf16 => float(bits & 0xffff, 8, 7, true),
        Format::E5m2 => float(bits & 0xff, 5, 2, true),
        Format::E4m3 => float(bits & 0xff, 4, 3, false),
        Format::E2m3 => short(bits, 2, 3),
        Format::E3m2 => short(bits, 3, 2),
        Format::E2m1 => short(bits, 2, 1),
        Format::Ue8m0 if bits & 0xff == 0xff => Number::NotANumber,
        Format::Ue8m0 => {
            let power = (bits & 0xff) as i64 - 127;
            let scale = BigRational::from_integer(BigInt::from(1u8) << power.unsigned_abs());
            Number::Rational(if power < 0 { scale.recip() } else { scale })
        }
        Format::S64 => integer((bits as i64).into()),
        Format::S32 => integer((bits as i32).into()),
        Format::S16 => integer((bits as i16).into()),
        Format::S8 => integer((bits as i8).into()),
        Format::U64 | Format::B64 => integer(bits.into()),
        Format::U32 | Format::B32 => integer((bits as u32).into()),
        Format::U16 | Format::B16 => integer((bits as u16).into()),
        Format::U8 | Format::B8 => integer((bits as u8).into()),
    }
}

/// IEEE-style bits: sign, `exponent` bits, `fraction` bits. Without infinities (E4M3), only the
/// all-ones pattern is no number.
fn float(bits: u64, exponent: u32, fraction: u32, infinities: bool) -> Number {
    let negative = bits >> (exponent + fraction) & 1 == 1;
    let power = (bits >> fraction & ((1 << exponent) - 1)) as i64;
    let digits = bits & ((1 << fraction) - 1);
    let top = (1i64 << exponent) - 1;
    if power == top && infinities {
        return match (digits, negative) {
            (0, false) => Number::Infinity,
            (0, true) => Number::MinusInfinity,
            _ => Number::NotANumber,
        };
    }
    if power == top && digits == (1 << fraction) - 1 {
        return Number::NotANumber;
    }
    Number::Rational(finite(bits, exponent, fraction))
}

/// A format of less than a byte, in which every pattern is a number.
fn short(bits: u64, exponent: u32, fraction: u32) -> Number {
    Number::Rational(finite(bits & ((2 << (exponent + fraction)) - 1), exponent, fraction))
}

/// The number of a pattern that is one.
fn finite(bits: u64, exponent: u32, fraction: u32) -> BigRational {
    let negative = bits >> (exponent + fraction) & 1 == 1;
    let power = (bits >> fraction & ((1 << exponent) - 1)) as i64;
    let digits = bits & ((1 << fraction) - 1);
    let bias = (1i64 << (exponent - 1)) - 1;
    let (significand, power) =
        if power == 0 { (digits, 1 - bias) } else { (digits | 1 << fraction, power - bias) };
    let power = power - i64::from(fraction);
    let mut value = BigRational::from_integer(BigInt::from(significand));
    let scale = BigRational::from_integer(BigInt::from(1u8) << power.unsigned_abs());
    value = if power < 0 { value / scale } else { value * scale };
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_may_be_a_neighbour_and_what_is_short_is_itself() {
        let of = |value: f32| {
            Constant::new(decode(Format::F32, value.to_bits().into()), Some(Format::F32)).slack()
        };
        for value in [0.5, -0.375, 1024.0, 3.0, 12_582_913.0, 1.0 / 4096.0, 0.0] {
            assert_eq!(of(value), 0.0, "{value}");
        }
        for value in [0.1f32, std::f32::consts::PI, -0.500_000_2, 1e-5, 1.0 / 3.0] {
            let unit = f64::from(value.abs().next_up()) - f64::from(value.abs());
            assert_eq!(of(value), 1.5 * unit, "{value}");
        }
        assert_eq!(Constant::new(decode(Format::F32, 0x3dcc_cccd), None).slack(), 0.0, "nothing was rounded");
    }
}
