//! Floating-point arithmetic on bits, correctly rounded in every mode and format.
//!
//! A number is unpacked into sign, 128-bit significand and exponent; an operation is exact up to a
//! sticky bit that records whether anything non-zero lies below; one function rounds. Hardware
//! floats serve the common case (round to nearest in f32 and f64, see `half` and `rows::float`);
//! this serves directed rounding, half formats and conversions.
//!
//! Source: IEEE 754-2019, 4.3 and 6; NaN results are canonical (PTX ISA 9.0, 5.2.3).

use super::real::Mode;
use crate::base::Format;

/// Exponent and fraction digits, and the largest finite value's bits.
#[derive(Clone, Copy)]
struct Layout {
    exponent: u32,
    fraction: u32,
    max: u64,
    infinities: bool,
    /// What is no number; the largest number where there is nothing else.
    nan: u64,
}

const fn layout(format: Format) -> Layout {
    let (exponent, fraction) = match format {
        Format::F64 => (11, 52),
        Format::F16 => (5, 10),
        Format::Bf16 => (8, 7),
        Format::E4m3 => return Layout { exponent: 4, fraction: 3, max: 0x7e, infinities: false, nan: 0x7f },
        Format::E2m3 => return Layout { exponent: 2, fraction: 3, max: 0x1f, infinities: false, nan: 0x1f },
        Format::E3m2 => return Layout { exponent: 3, fraction: 2, max: 0x1f, infinities: false, nan: 0x1f },
        Format::E2m1 => return Layout { exponent: 2, fraction: 1, max: 0x7, infinities: false, nan: 0x7 },
        Format::E5m2 => (5, 2),
        _ => (8, 23),
    };
    let infinity = ((1u64 << exponent) - 1) << fraction;
    let nan = infinity | ((1 << fraction) - 1);
    Layout { exponent, fraction, max: infinity - 1, infinities: true, nan }
}

/// The canonical NaN.
pub(super) const fn nan(format: Format) -> u64 {
    layout(format).nan
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Nan,
    Infinite,
    /// Zero included.
    Finite,
}

/// `(-1)^negative · significand · 2^exponent`
#[derive(Clone, Copy)]
struct Unpacked {
    class: Class,
    negative: bool,
    significand: u128,
    exponent: i32,
}

fn unpack(format: Format, bits: u64) -> Unpacked {
    if format == Format::Ue8m0 {
        let class = if bits & 0xff == 0xff { Class::Nan } else { Class::Finite };
        return Unpacked { class, negative: false, significand: 1, exponent: (bits & 0xff) as i32 - 127 };
    }
    let Layout { exponent, fraction, infinities, nan, max } = layout(format);
    let negative = bits >> (exponent + fraction) & 1 == 1;
    let power = (bits >> fraction & ((1 << exponent) - 1)) as i32;
    let digits = bits & ((1 << fraction) - 1);
    let top = (1 << exponent) - 1;
    let bias = top >> 1;
    let class = if infinities && power == top {
        if digits == 0 { Class::Infinite } else { Class::Nan }
    } else if !infinities && nan > max && bits & nan == nan {
        Class::Nan
    } else {
        Class::Finite
    };
    let (significand, power) = if power == 0 { (digits, 1) } else { (digits | 1 << fraction, power) };
    Unpacked { class, negative, significand: significand.into(), exponent: power - bias - fraction as i32 }
}

impl Unpacked {
    fn is_zero(self) -> bool {
        self.class == Class::Finite && self.significand == 0
    }

    /// Shifts the highest one to bit 126.
    fn normalized(mut self) -> Self {
        if self.significand != 0 {
            let shift = self.significand.leading_zeros() as i32 - 1;
            self.significand = if shift >= 0 { self.significand << shift } else { self.significand >> 1 };
            self.exponent -= shift;
        }
        self
    }
}

fn sign_bit(format: Format, negative: bool) -> u64 {
    let Layout { exponent, fraction, .. } = layout(format);
    u64::from(negative) << (exponent + fraction)
}

fn zero(format: Format, negative: bool) -> u64 {
    sign_bit(format, negative)
}

fn infinity(format: Format, negative: bool) -> u64 {
    let layout = layout(format);
    match () {
        _ if layout.infinities => sign_bit(format, negative) | (layout.max + 1),
        _ if layout.nan == layout.max => sign_bit(format, negative) | layout.max,
        _ => layout.nan,
    }
}

/// Rounds `± (significand + something in (0, 1) if sticky) · 2^exponent`. With `sticky`, the
/// significand has at least two bits more than the format.
fn round(format: Format, negative: bool, significand: u128, exponent: i32, sticky: bool, mode: Mode) -> u64 {
    if significand == 0 && !sticky {
        return zero(format, negative);
    }
    let Layout { exponent: exponent_bits, fraction, max, .. } = layout(format);
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let lowest = 1 - bias - fraction as i32;
    let top = 127 - significand.leading_zeros() as i32;
    let unit = (exponent + top - fraction as i32).max(lowest);
    let shift = unit - exponent;
    let (kept, half, below) = match shift {
        ..=0 => (significand << -shift, false, sticky),
        1..=127 => {
            let dropped = significand & ((1 << shift) - 1);
            let half = dropped >> (shift - 1) & 1 == 1;
            (significand >> shift, half, sticky || dropped & ((1 << (shift - 1)) - 1) != 0)
        }
        128 => (0, significand >> 127 == 1, sticky || significand << 1 != 0),
        _ => (0, false, true),
    };
    let up = match mode {
        Mode::Nearest => half && (below || kept & 1 == 1),
        Mode::Zero => false,
        Mode::Down => negative && (half || below),
        Mode::Up => !negative && (half || below),
    };
    // A carry out of the fraction lands in the exponent field, where it belongs.
    let magnitude = (((unit - lowest) as u64) << fraction) + kept as u64 + u64::from(up);
    if magnitude > max {
        let infinite = match mode {
            Mode::Nearest => true,
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
        };
        return if infinite { infinity(format, negative) } else { sign_bit(format, negative) | max };
    }
    sign_bit(format, negative) | magnitude
}

/// `a · b + c`, rounded once.
#[inline(never)]
pub(super) fn fma(format: Format, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
    let (a, b, c) = (unpack(format, a), unpack(format, b), unpack(format, c));
    let negative = a.negative != b.negative;
    if [a, b, c].iter().any(|x| x.class == Class::Nan) {
        return nan(format);
    }
    if a.class == Class::Infinite || b.class == Class::Infinite {
        let clash = c.class == Class::Infinite && c.negative != negative;
        return if a.is_zero() || b.is_zero() || clash { nan(format) } else { infinity(format, negative) };
    }
    if c.class == Class::Infinite {
        return infinity(format, c.negative);
    }
    let product = Unpacked {
        class: Class::Finite,
        negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    };
    sum(format, product, c, mode)
}

/// The sum of two finite numbers.
fn sum(format: Format, x: Unpacked, y: Unpacked, mode: Mode) -> u64 {
    if x.is_zero() && y.is_zero() {
        let negative = if x.negative == y.negative { x.negative } else { mode == Mode::Down };
        return zero(format, negative);
    }
    if x.is_zero() {
        return round(format, y.negative, y.significand, y.exponent, false, mode);
    }
    if y.is_zero() {
        return round(format, x.negative, x.significand, x.exponent, false, mode);
    }
    // Highest ones at bit 126: a sum cannot overflow, and digits shifted out of the smaller number
    // matter only as a sticky bit, because then the difference loses at most one leading bit.
    let (x, y) = (x.normalized(), y.normalized());
    let (large, small) =
        if (x.exponent, x.significand) >= (y.exponent, y.significand) { (x, y) } else { (y, x) };
    let distance = (large.exponent - small.exponent) as u32;
    let (aligned, sticky) = if distance > 126 {
        (0, true)
    } else {
        (small.significand >> distance, small.significand & ((1 << distance) - 1) != 0)
    };
    if large.negative == small.negative {
        return round(format, large.negative, large.significand + aligned, large.exponent, sticky, mode);
    }
    let difference = large.significand - aligned - u128::from(sticky);
    if difference == 0 && !sticky {
        return zero(format, mode == Mode::Down);
    }
    round(format, large.negative, difference, large.exponent, sticky, mode)
}

/// `a + b`
#[inline(never)]
pub(super) fn add(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    let (a, b) = (unpack(format, a), unpack(format, b));
    match (a.class, b.class) {
        (Class::Nan, _) | (_, Class::Nan) => nan(format),
        (Class::Infinite, Class::Infinite) if a.negative != b.negative => nan(format),
        (Class::Infinite, _) => infinity(format, a.negative),
        (_, Class::Infinite) => infinity(format, b.negative),
        _ => sum(format, a, b, mode),
    }
}

/// `a · b`
#[inline(never)]
pub(super) fn mul(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    let (a, b) = (unpack(format, a), unpack(format, b));
    let negative = a.negative != b.negative;
    match (a.class, b.class) {
        (Class::Nan, _) | (_, Class::Nan) => nan(format),
        (Class::Infinite, _) | (_, Class::Infinite) => {
            if a.is_zero() || b.is_zero() {
                nan(format)
            } else {
                infinity(format, negative)
            }
        }
        _ => round(format, negative, a.significand * b.significand, a.exponent + b.exponent, false, mode),
    }
}

/// `a / b`
#[inline(never)]
pub(super) fn div(format: Format, a: u64, b: u64, mode: Mode) -> u64 {
    let (a, b) = (unpack(format, a), unpack(format, b));
    let negative = a.negative != b.negative;
    match (a.class, b.class) {
        (Class::Nan, _) | (_, Class::Nan) | (Class::Infinite, Class::Infinite) => return nan(format),
        (Class::Infinite, _) => return infinity(format, negative),
        (_, Class::Infinite) => return zero(format, negative),
        _ => {}
    }
    match (a.is_zero(), b.is_zero()) {
        (true, true) => return nan(format),
        (true, false) => return zero(format, negative),
        (false, true) => return infinity(format, negative),
        _ => {}
    }
    // At least 126 - 53 quotient bits: more than any format keeps.
    let a = a.normalized();
    let quotient = a.significand / b.significand;
    let sticky = a.significand % b.significand != 0;
    round(format, negative, quotient, a.exponent - b.exponent, sticky, mode)
}

/// `√a`
#[inline(never)]
pub(super) fn sqrt(format: Format, a: u64, mode: Mode) -> u64 {
    let x = unpack(format, a);
    if x.class == Class::Nan || x.negative && !x.is_zero() {
        return nan(format);
    }
    if x.class == Class::Infinite || x.is_zero() {
        return a;
    }
    let mut x = x.normalized();
    if x.exponent % 2 != 0 {
        x.significand >>= 1;
        x.exponent += 1;
    }
    // The significand has at least 126 bits and its lowest are zero, so nothing was lost.
    let root = x.significand.isqrt();
    round(format, false, root, x.exponent / 2, root * root != x.significand, mode)
}

/// The same number in another format.
#[inline(never)]
pub(super) fn convert(from: Format, bits: u64, to: Format, mode: Mode) -> u64 {
    let x = unpack(from, bits);
    match x.class {
        Class::Nan => nan(to),
        Class::Infinite => infinity(to, x.negative),
        Class::Finite => round(to, x.negative, x.significand, x.exponent, false, mode),
    }
}

/// The same, but what exceeds the largest finite number becomes it (`.satfinite`).
#[inline(never)]
pub(super) fn convert_finite(from: Format, bits: u64, to: Format, mode: Mode) -> u64 {
    let x = unpack(from, bits);
    if x.class == Class::Nan {
        return nan(to);
    }
    let converted = convert(from, bits, to, mode);
    let Layout { max, .. } = layout(to);
    let magnitude = converted & !sign_bit(to, true);
    if magnitude > max { sign_bit(to, x.negative) | max } else { converted }
}

/// The power of two for a scale (UE8M0) that a magnitude rounds to, down or up: none is less than 2⁻¹²⁷. What
/// exceeds 2¹²⁷ is no number, or 2¹²⁷ if `finite`.
#[inline(never)]
pub(super) fn to_scale(from: Format, bits: u64, up: bool, finite: bool) -> u64 {
    let x = unpack(from, bits).normalized();
    let power = match x.class {
        Class::Nan => return 0xff,
        Class::Infinite => i32::MAX,
        Class::Finite if x.is_zero() => i32::MIN,
        Class::Finite => x.exponent + 126 + i32::from(up && x.significand != 1 << 126),
    };
    if power > 127 {
        return if finite { 0xfe } else { 0xff };
    }
    (power.max(-127) + 127) as u64
}

/// An integer (two's complement of up to 64 bits as `i128`) as a float.
#[inline(never)]
pub(super) fn from_integer(value: i128, to: Format, mode: Mode) -> u64 {
    round(to, value < 0, value.unsigned_abs(), 0, false, mode)
}

/// A float as an integer, rounded and clamped to `low..=high`; NaN is `nan`.
#[inline(never)]
pub(super) fn to_integer(from: Format, bits: u64, mode: Mode, low: i128, high: i128, nan: i128) -> i128 {
    let x = unpack(from, bits);
    match x.class {
        Class::Nan => nan,
        Class::Infinite => {
            if x.negative {
                low
            } else {
                high
            }
        }
        Class::Finite => {
            let magnitude = round_to_whole(x, mode);
            let value = if x.negative { -magnitude } else { magnitude };
            value.clamp(low, high)
        }
    }
}

/// The magnitude rounded to an integer; what is far out of every integer format is only known to
/// be at least 2^70.
fn round_to_whole(x: Unpacked, mode: Mode) -> i128 {
    if x.significand == 0 {
        return 0;
    }
    if x.exponent >= 0 {
        return if x.exponent > 64 { 1 << 120 } else { (x.significand << x.exponent) as i128 };
    }
    let shift = -x.exponent;
    if shift > 60 {
        // Significands have at most 53 bits: the value is below one half.
        let up = matches!((mode, x.negative), (Mode::Down, true) | (Mode::Up, false));
        return i128::from(up);
    }
    let whole = x.significand >> shift;
    let dropped = x.significand & ((1 << shift) - 1);
    let half = 1u128 << (shift - 1);
    let up = match mode {
        Mode::Nearest => dropped > half || dropped == half && whole & 1 == 1,
        Mode::Zero => false,
        Mode::Down => x.negative && dropped != 0,
        Mode::Up => !x.negative && dropped != 0,
    };
    whole as i128 + i128::from(up)
}

/// A float rounded to an integral float of the same format.
#[inline(never)]
pub(super) fn round_integral(format: Format, bits: u64, mode: Mode) -> u64 {
    let x = unpack(format, bits);
    if x.class == Class::Nan {
        return nan(format);
    }
    if x.class == Class::Infinite || x.exponent >= 0 {
        return bits;
    }
    let whole = round_to_whole(x, mode);
    if whole == 0 {
        return zero(format, x.negative);
    }
    round(format, x.negative, whole as u128, 0, false, Mode::Nearest)
}

/// To TF32, ties away from zero (`cvt.rna.tf32.f32`): the low 13 bits become zero.
#[inline]
pub(super) fn to_tf32_away(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0x7f80_0000 {
        return if bits & 0x7f_ffff == 0 { bits } else { 0x7fff_ffff };
    }
    bits.wrapping_add(0x1000) & !0x1fff
}

/// To TF32, ties to even or towards zero.
#[inline]
pub(super) fn to_tf32(bits: u32, mode: Mode) -> u32 {
    if bits & 0x7f80_0000 == 0x7f80_0000 {
        return if bits & 0x7f_ffff == 0 { bits } else { 0x7fff_ffff };
    }
    match mode {
        Mode::Nearest => bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff,
        _ => bits & !0x1fff,
    }
}
