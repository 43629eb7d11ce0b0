//! The float types that lanes are computed in: f32 and f64 natively, f16 and bf16 in software.
//!
//! Rounding to nearest is native where the machine's format is the instruction's. A fused f32
//! multiply-add goes through f64 without a branch: the product is exact there, and the sum is
//! rounded to odd, which makes the final rounding to f32 the only one that matters (Boldo and
//! Melquiond, *Emulation of FMA and correctly rounded sums*, 2008). Everything directed is `soft`.

use super::lanes::Lane;
use super::real::Mode;
use super::soft;
use crate::base::Format;

/// `p + c` in f64, rounded to odd: the last bit is one if anything was lost.
#[inline(always)]
pub(super) fn odd_sum(p: f64, c: f64) -> f64 {
    let sum = p + c;
    let of_c = sum - p;
    let error = (p - (sum - of_c)) + (c - of_c);
    let bits = sum.to_bits();
    // Nothing was lost if the error is zero, or NaN because the sum is infinite. An even sum moves
    // one step towards the error: up in magnitude if the signs agree.
    let lost = ((error > 0.0) | (error < 0.0)) as u64;
    let step = lost & !bits & 1;
    let inward = (error.to_bits() ^ bits) >> 63;
    f64::from_bits(bits.wrapping_add(step).wrapping_sub((step & inward) << 1))
}

/// A float type of a lane.
pub(super) trait Float: Lane + PartialOrd {
    const FORMAT: Format;
    fn bits(self) -> u64;
    fn from_bits64(bits: u64) -> Self;
    fn to_f64(self) -> f64;
    /// Rounds to nearest even.
    fn from_f64(value: f64) -> Self;
    fn sum(self, b: Self) -> Self;
    fn product(self, b: Self) -> Self;
    fn quotient(self, b: Self) -> Self;
    fn multiply_add(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;

    #[inline(always)]
    fn sign_mask() -> u64 {
        1 << (Self::FORMAT.bits() - 1)
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self::from_bits64(self.bits() ^ Self::sign_mask())
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        Self::from_bits64(self.bits() & !Self::sign_mask())
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.partial_cmp(&self).is_none()
    }

    /// A subnormal becomes a zero of its sign.
    #[inline(always)]
    fn flushed(self) -> Self {
        let exponent = match Self::FORMAT {
            Format::F64 => 0x7ffu64 << 52,
            Format::F16 => 0x1f << 10,
            Format::Bf16 => 0xff << 7,
            _ => 0xff << 23,
        };
        let bits = self.bits();
        Self::from_bits64(if bits & exponent == 0 { bits & Self::sign_mask() } else { bits })
    }

    /// To [0, 1]; NaN becomes 0.
    #[inline(always)]
    fn saturated(self) -> Self {
        let (zero, one) = (Self::from_f64(0.0), Self::from_f64(1.0));
        if self > zero { if self < one { self } else { one } } else { zero }
    }
}

macro_rules! native {
    ($t:ident, $u:ident, $format:ident) => {
        impl Float for $t {
            const FORMAT: Format = Format::$format;
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn from_bits64(bits: u64) -> Self {
                $t::from_bits(bits as $u)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn sum(self, b: Self) -> Self {
                self + b
            }
            #[inline(always)]
            fn product(self, b: Self) -> Self {
                self * b
            }
            #[inline(always)]
            fn quotient(self, b: Self) -> Self {
                self / b
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn multiply_add(self, b: Self, c: Self) -> Self {
                native!(@fma $t, self, b, c)
            }
        }
    };
    (@fma f32, $a:expr, $b:expr, $c:expr) => {
        odd_sum(f64::from($a) * f64::from($b), $c.into()) as f32
    };
    (@fma f64, $a:expr, $b:expr, $c:expr) => {
        $a.mul_add($b, $c)
    };
}
native!(f32, u32, F32);
native!(f64, u64, F64);

macro_rules! half {
    ($(#[$doc:meta])* $t:ident, $format:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $t(pub(crate) u16);

        impl Lane for $t {
            #[inline(always)]
            fn from_lane(bits: u64) -> Self {
                $t(bits as u16)
            }
            #[inline(always)]
            fn to_lane(self) -> u64 {
                if self.is_nan() { 0x7fff } else { self.0.into() }
            }
        }

        impl PartialEq for $t {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.to_f64() == other.to_f64()
            }
        }

        impl PartialOrd for $t {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.to_f64().partial_cmp(&other.to_f64())
            }
        }

        impl Float for $t {
            const FORMAT: Format = Format::$format;
            #[inline(always)]
            fn bits(self) -> u64 {
                self.0.into()
            }
            #[inline(always)]
            fn from_bits64(bits: u64) -> Self {
                $t(bits as u16)
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from_bits(soft::convert(Format::$format, self.0.into(), Format::F64, Mode::Nearest))
            }
            #[inline]
            fn from_f64(value: f64) -> Self {
                $t(soft::convert(Format::F64, value.to_bits(), Format::$format, Mode::Nearest) as u16)
            }
            #[inline]
            fn sum(self, b: Self) -> Self {
                Self::from_bits64(soft::add(Format::$format, self.bits(), b.bits(), Mode::Nearest))
            }
            #[inline]
            fn product(self, b: Self) -> Self {
                Self::from_bits64(soft::mul(Format::$format, self.bits(), b.bits(), Mode::Nearest))
            }
            #[inline]
            fn quotient(self, b: Self) -> Self {
                Self::from_bits64(soft::div(Format::$format, self.bits(), b.bits(), Mode::Nearest))
            }
            #[inline]
            fn root(self) -> Self {
                Self::from_bits64(soft::sqrt(Format::$format, self.bits(), Mode::Nearest))
            }
            #[inline]
            fn multiply_add(self, b: Self, c: Self) -> Self {
                Self::from_bits64(soft::fma(Format::$format, self.bits(), b.bits(), c.bits(), Mode::Nearest))
            }
        }
    };
}
half!(
    /// IEEE half precision.
    F16, F16
);
half!(
    /// The upper half of an f32.
    Bf16, Bf16
);
