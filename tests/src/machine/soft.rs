//! Floating-point arithmetic on bits, as IEEE 754 and the PTX manual have it.
//!
//! Every rounded operation goes through `rustc_apfloat` (LLVM's soft floats), so that nothing here
//! rests on the host or on the tool's own `isa::soft`. Approximate instructions give the host's
//! f64 function, rounded once; a GPU may differ in the last bits. A NaN that an operation makes is
//! the canonical one of its format.
//!
//! Source: PTX ISA 9.0, 9.7.3 to 9.7.5 and 9.7.9.21 (`cvt`).

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Category, Float, FloatConvert, Round};
use warpproof::base::Format;

/// Runs an expression with `$T` as the soft float of a format.
macro_rules! with {
    ($format:expr, $T:ident => $body:expr) => {
        match $format {
            Format::F16 => {
                type $T = Half;
                $body
            }
            Format::Bf16 => {
                type $T = BFloat;
                $body
            }
            Format::F64 => {
                type $T = Double;
                $body
            }
            _ => {
                type $T = Single;
                $body
            }
        }
    };
}

/// The rounding that a suffix names; to nearest even without one.
pub fn rounding(name: &str) -> Option<Round> {
    Some(match name {
        "rn" | "rni" => Round::NearestTiesToEven,
        "rz" | "rzi" => Round::TowardZero,
        "rm" | "rmi" => Round::TowardNegative,
        "rp" | "rpi" => Round::TowardPositive,
        "rna" => Round::NearestTiesToAway,
        _ => return None,
    })
}

/// The NaN that an operation makes.
pub fn nan(format: Format) -> u64 {
    match format {
        Format::F64 => 0x7ff8_0000_0000_0000,
        Format::F16 | Format::Bf16 => 0x7fff,
        _ => 0x7fff_ffff,
    }
}

/// The bit of the sign.
pub fn sign(format: Format) -> u64 {
    1 << (format.bits() - 1)
}

/// The bits of +∞.
pub fn infinity(format: Format) -> u64 {
    match format {
        Format::F64 => 0x7ff0_0000_0000_0000,
        Format::F16 => 0x7c00,
        Format::Bf16 => 0x7f80,
        _ => 0x7f80_0000,
    }
}

/// The bits of 1.
pub fn one(format: Format) -> u64 {
    match format {
        Format::F64 => 0x3ff0_0000_0000_0000,
        Format::F16 => 0x3c00,
        Format::Bf16 => 0x3f80,
        _ => 0x3f80_0000,
    }
}

/// The smallest normal number.
fn normal(format: Format) -> u64 {
    match format {
        Format::F64 => 1 << 52,
        Format::F16 => 1 << 10,
        Format::Bf16 => 1 << 7,
        _ => 1 << 23,
    }
}

pub fn is_nan(format: Format, a: u64) -> bool {
    a & !sign(format) > infinity(format)
}

/// Subnormal and not zero.
pub fn is_subnormal(format: Format, a: u64) -> bool {
    let magnitude = a & !sign(format);
    magnitude != 0 && magnitude < normal(format)
}

/// `.ftz`: subnormals become zeros of their sign.
pub fn flush(format: Format, a: u64) -> u64 {
    if is_subnormal(format, a) { a & sign(format) } else { a }
}

/// `.sat`: clamped to [0, 1], NaN to 0.
pub fn saturate(format: Format, a: u64) -> u64 {
    if is_nan(format, a) || a & sign(format) != 0 { 0 } else { a.min(one(format)) }
}

/// `.relu`: negative numbers become 0, NaN the canonical one.
pub fn relu(format: Format, a: u64) -> u64 {
    match () {
        _ if is_nan(format, a) => nan(format),
        _ if a & sign(format) != 0 => 0,
        _ => a,
    }
}

fn canonical(format: Format, a: u64) -> u64 {
    if is_nan(format, a) { nan(format) } else { a }
}

pub fn add(format: Format, a: u64, b: u64, round: Round) -> u64 {
    let bits = with!(format, T => T::from_bits(a.into()).add_r(T::from_bits(b.into()), round).value.to_bits() as u64);
    canonical(format, bits)
}

pub fn mul(format: Format, a: u64, b: u64, round: Round) -> u64 {
    let bits = with!(format, T => T::from_bits(a.into()).mul_r(T::from_bits(b.into()), round).value.to_bits() as u64);
    canonical(format, bits)
}

pub fn div(format: Format, a: u64, b: u64, round: Round) -> u64 {
    let bits = with!(format, T => T::from_bits(a.into()).div_r(T::from_bits(b.into()), round).value.to_bits() as u64);
    canonical(format, bits)
}

pub fn fma(format: Format, a: u64, b: u64, c: u64, round: Round) -> u64 {
    let bits = with!(format, T => T::from_bits(a.into())
        .mul_add_r(T::from_bits(b.into()), T::from_bits(c.into()), round).value.to_bits() as u64);
    canonical(format, bits)
}

/// Square root: the host's (to nearest), moved by one float where the exact residual says so.
pub fn sqrt(format: Format, a: u64, round: Round) -> u64 {
    let negative = a & sign(format) != 0;
    if is_nan(format, a) || negative && a != sign(format) {
        return nan(format);
    }
    if a & !sign(format) == 0 || a == infinity(format) {
        return a;
    }
    let near = match format {
        Format::F64 => f64::from_bits(a).sqrt().to_bits(),
        _ => u64::from(f32::from_bits(a as u32).sqrt().to_bits()),
    };
    // near² - a, in a format wide enough to hold its sign: apfloat's fused multiply-add rounds once
    // and so keeps the sign, except where it underflows, which a scaled operand prevents.
    let (near_wide, a_wide) = match format {
        Format::F64 => (near, a),
        _ => {
            (f64::from(f32::from_bits(near as u32)).to_bits(), f64::from(f32::from_bits(a as u32)).to_bits())
        }
    };
    let scale = if format == Format::F64 && f64::from_bits(a_wide) < 1e-200 { 2f64.powi(300) } else { 1.0 };
    let n = (f64::from_bits(near_wide) * scale).to_bits();
    let scaled = (f64::from_bits(a_wide) * scale * scale).to_bits();
    let residual = f64::from_bits(fma(Format::F64, n, n, scaled ^ 1 << 63, Round::NearestTiesToEven));
    match round {
        Round::TowardZero | Round::TowardNegative if residual > 0.0 => near - 1,
        Round::TowardPositive if residual < 0.0 => near + 1,
        _ => near,
    }
}

/// A float as another float.
pub fn convert(from: Format, to: Format, a: u64, round: Round) -> u64 {
    if is_nan(from, a) {
        return nan(to);
    }
    macro_rules! to {
        ($x:expr, $T:ty) => {{
            let mut loses = false;
            let y: $T = $x.convert_r(round, &mut loses).value;
            y.to_bits() as u64
        }};
    }
    with!(from, T => {
        let x = T::from_bits(a.into());
        match to {
            Format::F16 => to!(x, Half),
            Format::Bf16 => to!(x, BFloat),
            Format::F64 => to!(x, Double),
            _ => to!(x, Single),
        }
    })
}

/// What a float of four or six bits is without its sign, exponent first (OCP MX 1.0, 5.3).
fn short_value(format: Format, a: u64) -> f64 {
    let (fraction, bias) = match format {
        Format::E2m1 => (1, 1),
        Format::E2m3 => (3, 1),
        _ => (2, 3),
    };
    let (power, digits) = ((a >> fraction) as i32, (a & ((1 << fraction) - 1)) as f64);
    let part = digits / f64::from(1 << fraction);
    if power == 0 { part * 2f64.powi(1 - bias) } else { (1.0 + part) * 2f64.powi(power - bias) }
}

/// The float of four or six bits that is nearest, of two the even one; the largest for what is larger, and for NaN.
fn to_short(format: Format, value: f64) -> u64 {
    let sign = sign(format);
    if value.is_nan() {
        return sign - 1;
    }
    let size = value.abs();
    let mut best = 0;
    for bits in 1..sign {
        let (far, near) = (size - short_value(format, best), short_value(format, bits) - size);
        if near < far || near == far && bits & 1 == 0 {
            best = bits;
        }
    }
    if value.is_sign_negative() { best | sign } else { best }
}

/// The scale (UE8M0) of a magnitude, rounded to a power of two.
pub fn to_scale(from: Format, a: u64, up: bool, finite: bool) -> u64 {
    if is_nan(from, a) {
        return 0xff;
    }
    let size = value(from, a).abs();
    let fits = |bits: &u64| {
        if up { value(Format::Ue8m0, *bits) >= size } else { value(Format::Ue8m0, *bits) <= size }
    };
    let found = if up { (0..0xff).find(fits) } else { (0..0xff).rev().find(fits).or(Some(0)) };
    match found {
        Some(bits) if size.is_finite() => bits,
        _ => {
            if finite {
                0xfe
            } else {
                0xff
            }
        }
    }
}

/// A float as an 8-bit float, or one of four or six bits, `.satfinite`.
pub fn to_byte(from: Format, to: Format, a: u64) -> u64 {
    if matches!(to, Format::E2m1 | Format::E2m3 | Format::E3m2) {
        return to_short(to, value(from, a));
    }
    if is_nan(from, a) {
        return 0x7f;
    }
    let value = value(from, a);
    let (most, top) = if to == Format::E4m3 { (448.0, 0x7e) } else { (57344.0, 0x7b) };
    let negative = if a & sign(from) != 0 { 0x80 } else { 0 };
    if value.abs() >= most {
        return negative | top;
    }
    let x = Double::from_bits(value.to_bits().into());
    let mut loses = false;
    let round = Round::NearestTiesToEven;
    let bits = match to {
        Format::E4m3 => {
            let y: Float8E4M3FN = x.convert_r(round, &mut loses).value;
            y.to_bits() as u64
        }
        _ => {
            let y: Float8E5M2 = x.convert_r(round, &mut loses).value;
            y.to_bits() as u64
        }
    };
    // Between the largest number and the next that would be: saturation again.
    if bits & 0x7f > top { negative | top } else { bits }
}

/// An 8-bit float as the double of the same value.
fn byte_value(format: Format, a: u64) -> f64 {
    let mut loses = false;
    let wide: Double = match format {
        Format::E4m3 => Float8E4M3FN::from_bits((a & 0xff).into()).convert(&mut loses).value,
        _ => Float8E5M2::from_bits((a & 0xff).into()).convert(&mut loses).value,
    };
    f64::from_bits(wide.to_bits() as u64)
}

/// tf32: eight bits of exponent and ten of mantissa, in the upper bits of an f32.
pub fn to_tf32(a: u64, round: Round) -> u64 {
    if is_nan(Format::F32, a) {
        return nan(Format::F32);
    }
    if a & 0x7fff_ffff == 0x7f80_0000 {
        return a;
    }
    let (kept, lost) = (a & !0x1fff, a & 0x1fff);
    let up = match round {
        Round::TowardZero => false,
        Round::NearestTiesToAway => lost >= 0x1000,
        _ => lost > 0x1000 || lost == 0x1000 && kept & 0x2000 != 0,
    };
    if up { kept + 0x2000 } else { kept }
}

/// The number that bits hold; exact for every format here.
pub fn value(format: Format, a: u64) -> f64 {
    match format {
        Format::F64 => f64::from_bits(a),
        Format::F32 => f64::from(f32::from_bits(a as u32)),
        Format::Tf32 => f64::from(f32::from_bits(a as u32 & !0x1fff)),
        Format::E4m3 | Format::E5m2 => byte_value(format, a),
        Format::E2m1 | Format::E2m3 | Format::E3m2 => {
            let size = short_value(format, a & (sign(format) - 1));
            if a & sign(format) != 0 { -size } else { size }
        }
        Format::Ue8m0 if a & 0xff == 0xff => f64::NAN,
        Format::Ue8m0 => 2f64.powi((a & 0xff) as i32 - 127),
        Format::F16 | Format::Bf16 => {
            f64::from_bits(convert(format, Format::F64, a & 0xffff, Round::NearestTiesToEven))
        }
        Format::S64 => a as i64 as f64,
        Format::S32 => f64::from(a as u32 as i32),
        Format::S16 => f64::from(a as u16 as i16),
        Format::S8 => f64::from(a as u8 as i8),
        _ => a as f64,
    }
}

/// A double rounded once into a format.
pub fn from_value(format: Format, value: f64, round: Round) -> u64 {
    match format {
        Format::Tf32 => to_tf32(convert(Format::F64, Format::F32, value.to_bits(), round), round),
        Format::E4m3 | Format::E5m2 => to_byte(Format::F64, format, value.to_bits()),
        Format::E2m1 | Format::E2m3 | Format::E3m2 => to_short(format, value),
        Format::Ue8m0 => to_scale(Format::F64, value.to_bits(), round == Round::TowardPositive, false),
        Format::F64 if value.is_nan() => nan(format),
        Format::F64 => value.to_bits(),
        _ => convert(Format::F64, format, value.to_bits(), round),
    }
}

/// To an integral number in the same format.
pub fn integral(format: Format, a: u64, round: Round) -> u64 {
    let bits = with!(format, T => T::from_bits(a.into()).round_to_integral(round).value.to_bits() as u64);
    canonical(format, bits)
}

/// An integer as a float.
pub fn from_integer(format: Format, value: i128, round: Round) -> u64 {
    with!(format, T => T::from_i128_r(value, round).value.to_bits() as u64)
}

/// A float as an integer of that width: clamped to its range; NaN as the manual says for the types.
pub fn to_integer(format: Format, a: u64, bits: u32, signed: bool, round: Round) -> u64 {
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    if is_nan(format, a) {
        return if format == Format::F64 || bits == 64 { 1 << (bits - 1) } else { 0 };
    }
    let (low, high) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let whole = integral(format, a, round);
    let x = with!(format, T => {
        let x = T::from_bits(whole.into());
        match x.category() {
            Category::Infinity => if x.is_negative() { low } else { high },
            _ => {
                let mut exact = false;
                x.to_i128_r(127, Round::TowardZero, &mut exact).value
            }
        }
    });
    x.clamp(low, high) as u64 & mask
}
