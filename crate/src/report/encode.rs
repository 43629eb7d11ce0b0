//! Numbers of a spec as the bits a kernel reads: round to nearest even, as a host would store them.

use crate::base::{Format, FormatClass};
use crate::spec::Literal;

/// The bits of a literal in a format; `None` if the format cannot hold it.
pub fn encode(literal: Literal, format: Format) -> Option<u64> {
    match (format.class(), literal) {
        (FormatClass::Float, Literal::Float(value)) => Some(float(value, format)),
        (FormatClass::Float, Literal::Integer(value)) => Some(float(value as f64, format)),
        (FormatClass::Signed | FormatClass::Unsigned | FormatClass::Bits, Literal::Integer(value)) => {
            integer(value, format)
        }
        // A float passed in a register of bits, as Triton declares its parameters.
        (FormatClass::Bits, Literal::Float(value)) => match format.bits() {
            64 => Some(value.to_bits()),
            32 => Some(u64::from((value as f32).to_bits())),
            _ => None,
        },
        (FormatClass::Signed | FormatClass::Unsigned, Literal::Float(_)) => None,
    }
}

/// Two's complement; a value fits if it is a signed or an unsigned number of that width.
fn integer(value: i64, format: Format) -> Option<u64> {
    let bits = format.bits();
    if bits == 64 {
        return Some(value as u64);
    }
    let low = match format.class() {
        FormatClass::Unsigned => 0,
        _ => -(1i64 << (bits - 1)),
    };
    let high = match format.class() {
        FormatClass::Signed => (1i64 << (bits - 1)) - 1,
        _ => (1i64 << bits) - 1,
    };
    (low..=high).contains(&value).then_some(value as u64 & ((1u64 << bits) - 1))
}

fn float(value: f64, format: Format) -> u64 {
    match format {
        Format::F64 => value.to_bits(),
        Format::F32 => u64::from((value as f32).to_bits()),
        // TF32 lives in the upper bits of an f32.
        Format::Tf32 => small(value, 8, 10) << 13,
        Format::F16 => small(value, 5, 10),
        Format::Bf16 => small(value, 8, 7),
        Format::E5m2 => small(value, 5, 2),
        Format::E4m3 => e4m3(value),
        Format::E2m3 => saturating(value, 2, 3),
        Format::E3m2 => saturating(value, 3, 2),
        Format::E2m1 => saturating(value, 2, 1),
        Format::Ue8m0 => (exponent_of(value.abs()).clamp(-127, 127) + 127) as u64,
        _ => unreachable!("integer formats are encoded as integers"),
    }
}

/// IEEE-style format with `exponent` and `mantissa` bits: rounds to nearest even, overflows to
/// infinity.
fn small(value: f64, exponent: u32, mantissa: u32) -> u64 {
    let bias = (1i32 << (exponent - 1)) - 1;
    let sign = u64::from(value.is_sign_negative()) << (exponent + mantissa);
    let special = ((1u64 << exponent) - 1) << mantissa;
    if value.is_nan() {
        return sign | special | 1 << (mantissa - 1);
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return sign;
    }
    // Units of the last place at this magnitude; scaling by powers of two is exact in f64.
    let power = if magnitude.is_infinite() { bias + 1 } else { exponent_of(magnitude).max(1 - bias) };
    if power > bias {
        return sign | special;
    }
    let units = (magnitude * 2f64.powi(mantissa as i32 - power)).round_ties_even() as u64;
    // `units` has the hidden bit for normal numbers; rounding up to the next power carries into
    // the exponent by itself, and past the largest finite number into infinity.
    sign | ((((power + bias - 1) as u64) << mantissa) + units)
}

/// E4M3 of the OCP FP8 specification: no infinity, NaN is all ones, the largest number is 448.
fn e4m3(value: f64) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << 7;
    if value.is_nan() {
        return sign | 0x7f;
    }
    let magnitude = value.abs().min(448.0);
    if magnitude == 0.0 {
        return sign;
    }
    let power = exponent_of(magnitude).max(-6);
    let units = (magnitude * 2f64.powi(3 - power)).round_ties_even() as u64;
    sign | ((((power + 6) as u64) << 3) + units)
}

/// A format of less than a byte: neither infinities nor NaN, the largest number instead.
fn saturating(value: f64, exponent: u32, mantissa: u32) -> u64 {
    let bias = (1i32 << (exponent - 1)) - 1;
    let most = (1 << (exponent + mantissa)) - 1;
    if value.is_nan() {
        return most;
    }
    let power = exponent_of(value.abs()).clamp(1 - bias, bias + 2);
    let units = (value.abs() * 2f64.powi(mantissa as i32 - power)).round_ties_even() as u64;
    let magnitude = (((power + bias - 1) as u64) << mantissa).saturating_add(units).min(most);
    u64::from(value.is_sign_negative()) << (exponent + mantissa) | magnitude
}

/// ⌊log₂⌋ of a finite positive number; subnormal doubles are far below every small format.
fn exponent_of(magnitude: f64) -> i32 {
    ((magnitude.to_bits() >> 52) as i32 & 0x7ff) - 1023
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_encodings() {
        let cases = [
            (1.0, Format::F16, 0x3c00),
            (-2.0, Format::F16, 0xc000),
            (65504.0, Format::F16, 0x7bff),
            (65520.0, Format::F16, 0x7c00),
            (5.960464477539063e-8, Format::F16, 0x0001),
            (0.1, Format::F16, 0x2e66),
            (6.103515625e-5, Format::F16, 0x0400),
            (1.0, Format::Bf16, 0x3f80),
            (3.140625, Format::Bf16, 0x4049),
            (f64::INFINITY, Format::Bf16, 0x7f80),
            (448.0, Format::E4m3, 0x7e),
            (1.0, Format::E4m3, 0x38),
            (0.001953125, Format::E4m3, 0x01),
            (1.0, Format::E5m2, 0x3c),
            (6.0, Format::E2m1, 0x7),
            (-1e9, Format::E2m1, 0xf),
            (0.25, Format::E2m1, 0x0),
            (0.5, Format::E2m1, 0x1),
            (7.5, Format::E2m3, 0x1f),
            (0.125, Format::E2m3, 0x01),
            (-28.0, Format::E3m2, 0x3f),
            (1.0, Format::Ue8m0, 127),
            (1.0, Format::Tf32, 0x3f80_0000),
            (1.0, Format::F32, 0x3f80_0000),
        ];
        for (value, format, bits) in cases {
            assert_eq!(encode(Literal::Float(value), format), Some(bits), "{value} as {format}");
        }
    }

    #[test]
    fn integers_fit_or_do_not() {
        assert_eq!(encode(Literal::Integer(-1), Format::S32), Some(0xffff_ffff));
        assert_eq!(encode(Literal::Integer(-1), Format::U32), None);
        assert_eq!(encode(Literal::Integer(255), Format::U8), Some(255));
        assert_eq!(encode(Literal::Integer(256), Format::B8), None);
        assert_eq!(encode(Literal::Integer(3), Format::F32), Some(0x4040_0000));
        assert_eq!(encode(Literal::Float(1.5), Format::S32), None);
        assert_eq!(encode(Literal::Float(0.5), Format::U32), None);
        assert_eq!(encode(Literal::Float(1.0), Format::B32), Some(0x3f80_0000));
    }
}
