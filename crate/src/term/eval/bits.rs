//! Bit patterns at a point: operations on concrete bits, and the way between bits and numbers.

use super::Interval;
use super::quantity::{Quantity, Small};
use crate::base::{Format, FormatClass};
use crate::term::constant::{Number, decode};
use crate::term::{BitOp, Rounding};
use num_rational::BigRational;

/// The bits that hold an exact number in a format, if it holds it exactly. 0 is +0.
pub(super) fn bits_of(format: Format, value: Quantity) -> Quantity {
    // Integers may be larger than their format: the bits are those of the remainder.
    if !format.is_float()
        && let Some(low) = value.low()
    {
        return Quantity::Bits(mask(low, format.bits()));
    }
    let exact = match value {
        Quantity::Exact(value) => value,
        Quantity::Undefined => return Quantity::Undefined,
        _ => return Quantity::Unknown,
    };
    let bits = match format.class() {
        FormatClass::Float => {
            let near = *exact.numer() as f64 / *exact.denom() as f64;
            match format {
                Format::F64 => near.to_bits(),
                Format::F32 | Format::Tf32 => u64::from((near as f32).to_bits()),
                Format::Ue8m0 => ((near.to_bits() >> 52) as i64 - 1023 + 127).clamp(0, 0xff) as u64,
                _ => match narrow_bits(format, near) {
                    Some(bits) => bits,
                    None => return Quantity::Unknown,
                },
            }
        }
        _ => return Quantity::Unknown,
    };
    // Whatever was lost on the way shows when the bits are read again.
    if from_bits(format, bits) == value { Quantity::Bits(bits) } else { Quantity::Unknown }
}

/// Digits of the exponent and of the fraction of a float format of at most 16 bits.
fn narrow(format: Format) -> Option<(i32, i32)> {
    match format {
        Format::F16 => Some((5, 10)),
        Format::Bf16 => Some((8, 7)),
        Format::E5m2 => Some((5, 2)),
        Format::E4m3 => Some((4, 3)),
        Format::E2m3 => Some((2, 3)),
        Format::E3m2 => Some((3, 2)),
        Format::E2m1 => Some((2, 1)),
        _ => None,
    }
}

/// The distance of neighbouring numbers of a narrow format around a number, and the exponent field
/// there.
fn spacing((exponent, fraction): (i32, i32), value: f64) -> (f64, i32) {
    let bias = (1 << (exponent - 1)) - 1;
    let power = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let power = power.max(1 - bias);
    (f64::from(power - fraction).exp2(), power + bias)
}

/// The bits of a number of a narrow float format; nonsense for numbers that have no place there.
fn narrow_bits(format: Format, value: f64) -> Option<u64> {
    let digits = narrow(format)?;
    let (step, field) = spacing(digits, value);
    let significand = value.abs() / step;
    let one = f64::from(1 << digits.1);
    if significand.fract() != 0.0 || significand >= 2.0 * one {
        return None;
    }
    // Numbers below the least normal one have the exponent field 0.
    let (field, rest) = if significand < one { (0, significand) } else { (field, significand - one) };
    if field >= 1 << digits.0 {
        return None;
    }
    let sign = u64::from(value < 0.0) << (digits.0 + digits.1);
    Some(sign | (field as u64) << digits.1 | rest as u64)
}

/// The number that bits hold in a format.
pub fn from_bits(format: Format, bits: u64) -> Quantity {
    match decode(format, bits) {
        Number::Rational(value) => Quantity::rational(&value),
        Number::Infinity => Quantity::Infinity,
        Number::MinusInfinity => Quantity::MinusInfinity,
        _ => Quantity::Undefined,
    }
}

/// A number rounded to a float format.
pub(super) fn round(mode: Rounding, format: Format, value: Quantity) -> Quantity {
    if format == Format::Ue8m0 && mode != Rounding::NearestEven {
        return power_of_two(mode, value);
    }
    let to_format: fn(f64) -> f64 = match format {
        Format::F64 => |x| x,
        Format::F32 | Format::Tf32 => |x| f64::from(x as f32),
        // Narrow formats round where authors mean nothing by it (100 is large for a bf16). What has
        // a place there stays what it is; of the rest nothing is said.
        _ if matches!(bits_of(format, value), Quantity::Bits(_)) => return value,
        _ => return if value == Quantity::Undefined { value } else { Quantity::Unknown },
    };
    let rounded = |x: f64| {
        let near = to_format(x);
        let towards = match mode {
            Rounding::NearestEven => return near,
            Rounding::Zero => x < 0.0,
            Rounding::Down => false,
            Rounding::Up => true,
        };
        // One float further where rounding to nearest went the wrong way.
        match (format, towards) {
            (Format::F64, _) => near,
            (_, true) if near < x => f64::from((near as f32).next_up()),
            (_, false) if near > x => f64::from((near as f32).next_down()),
            _ => near,
        }
    };
    // Rounding is monotone, so the ends of the interval round to ends; only for f64 itself may
    // the value have lain between two floats.
    let whole = match value.interval() {
        Some(interval) => interval.monotone(rounded),
        None => return value,
    };
    match whole.as_point() {
        Some(point) if format != Format::F64 || matches!(value, Quantity::Exact(v) if is_float(v)) => {
            exact_float(point)
        }
        _ => Quantity::Within(whole),
    }
}

/// A positive number rounded down or up to a power of two, as scales are.
fn power_of_two(mode: Rounding, value: Quantity) -> Quantity {
    let Some(interval) = value.interval() else { return value };
    let holds = |x: f64| (-1000f64).exp2() < x && x < 1000f64.exp2();
    if !holds(interval.low()) || !holds(interval.high()) {
        return Quantity::Unknown;
    }
    let whole = interval.monotone(|x: f64| {
        let below = f64::from_bits(x.to_bits() >> 52 << 52);
        if mode == Rounding::Up && below < x { 2.0 * below } else { below }
    });
    whole.as_point().map_or(Quantity::Within(whole), exact_float)
}

fn is_float(value: Small) -> bool {
    Interval::of_ratio(value).as_point().is_some()
}

fn exact_float(value: f64) -> Quantity {
    match BigRational::from_float(value) {
        Some(exact) => Quantity::rational(&exact),
        None => Quantity::Unknown,
    }
}

/// An operation on patterns of `width` bits. [`BitOp::Other`] means nothing here.
pub(super) fn operate(op: BitOp, width: u8, operands: [Quantity; 3]) -> Quantity {
    let two =
        !matches!(op, BitOp::Not | BitOp::Negate | BitOp::PopCount | BitOp::LeadingZeros | BitOp::Reverse);
    let (a, b) = match operands {
        [Quantity::Bits(a), Quantity::Bits(b), _] => (a, b),
        [Quantity::Bits(a), _, _] if !two => (a, 0),
        _ => {
            let lost = operands[0] == Quantity::Undefined || two && operands[1] == Quantity::Undefined;
            return if lost { Quantity::Undefined } else { Quantity::Unknown };
        }
    };
    let width = u32::from(width);
    let (a, b) = if matches!(op, BitOp::Slice) { (a, b) } else { (mask(a, width), mask(b, width)) };
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let shift = u32::try_from(b).unwrap_or(u32::MAX);
    let bits = match op {
        BitOp::And => a & b,
        BitOp::Or => a | b,
        BitOp::Xor => a ^ b,
        BitOp::Not => !a,
        BitOp::ShiftLeft => a.checked_shl(shift).filter(|_| shift < width).unwrap_or(0),
        BitOp::ShiftRight => a.checked_shr(shift).filter(|_| shift < width).unwrap_or(0),
        BitOp::ShiftRightSigned => (sa >> shift.min(width - 1).min(63)) as u64,
        BitOp::Add => a.wrapping_add(b),
        BitOp::Sub => a.wrapping_sub(b),
        BitOp::Mul => a.wrapping_mul(b),
        BitOp::MulHigh => ((u128::from(a) * u128::from(b)) >> width) as u64,
        BitOp::Min => a.min(b),
        BitOp::Max => a.max(b),
        BitOp::MinSigned => sa.min(sb) as u64,
        BitOp::MaxSigned => sa.max(sb) as u64,
        BitOp::Negate => a.wrapping_neg(),
        BitOp::Concat => mask(a, width / 2) | b << (width / 2),
        BitOp::Slice => a.checked_shr(shift).unwrap_or(0),
        BitOp::Extend => mask(a, shift),
        BitOp::ExtendSigned => sign_extend(mask(a, shift), shift) as u64,
        BitOp::PopCount => a.count_ones().into(),
        BitOp::LeadingZeros => (a.leading_zeros() + width).saturating_sub(64).into(),
        BitOp::Reverse => a.reverse_bits() >> (64 - width.clamp(1, 64)),
        BitOp::Equal => return Quantity::Condition(a == b),
        BitOp::Less => return Quantity::Condition(a < b),
        BitOp::LessSigned => return Quantity::Condition(sa < sb),
        BitOp::Other => return Quantity::Unknown,
    };
    Quantity::Bits(mask(bits, width))
}

fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    (bits << unused) as i64 >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::Ratio;

    #[test]
    fn bits_and_numbers_meet() {
        for value in [0.5f32, -3.25, 12_582_913.0, 0.0] {
            let quantity = exact_float(f64::from(value));
            assert_eq!(bits_of(Format::F32, quantity), Quantity::Bits(u64::from(value.to_bits())));
            assert_eq!(from_bits(Format::F32, u64::from(value.to_bits())), quantity);
        }
        assert_eq!(bits_of(Format::F32, Quantity::Exact(Ratio::new(1, 3))), Quantity::Unknown);
        assert_eq!(bits_of(Format::S32, Quantity::integer(-2)), Quantity::Bits(0xffff_fffe));
        assert_eq!(bits_of(Format::U8, Quantity::integer(257)), Quantity::Bits(1));
        assert_eq!(from_bits(Format::F32, 0x7fc0_0000), Quantity::Undefined);
        assert_eq!(bits_of(Format::F16, Quantity::integer(65_536)), Quantity::Unknown);
        assert_eq!(bits_of(Format::F16, Quantity::integer(2049)), Quantity::Unknown);
    }

    #[test]
    fn every_narrow_float_has_its_bits_and_is_its_own_rounding() {
        for format in Format::ALL.into_iter().filter(|format| format.is_float() && format.bytes() < 4) {
            for bits in 0..1u64 << (format.bits() - 1) {
                let quantity = from_bits(format, bits);
                // Numbers too small for a ratio of 64-bit integers have only an enclosure.
                if !matches!(quantity, Quantity::Exact(_)) {
                    continue;
                }
                assert_eq!(bits_of(format, quantity), Quantity::Bits(bits), "{format:?} {bits:x}");
                assert_eq!(round(Rounding::NearestEven, format, quantity), quantity);
            }
        }
    }

    #[test]
    fn directed_rounding_goes_its_way() {
        let third = Quantity::Exact(Ratio::new(1, 3));
        let float = |value: f32| exact_float(f64::from(value));
        let near = 1.0f32 / 3.0; // above 1/3
        assert_eq!(round(Rounding::NearestEven, Format::F32, third), float(near));
        assert_eq!(round(Rounding::Up, Format::F32, third), float(near));
        assert_eq!(round(Rounding::Down, Format::F32, third), float(near.next_down()));
        assert_eq!(round(Rounding::Zero, Format::F32, third.negated()), float(-near.next_down()));
        assert_eq!(round(Rounding::Down, Format::F32, third.negated()), float(-near));
        let half_way = Quantity::Exact(Ratio::new((1 << 25) + 1, 2));
        assert_eq!(round(Rounding::NearestEven, Format::F32, half_way), Quantity::integer(1 << 24));
    }

    #[test]
    fn operands_change_places_where_that_changes_nothing() {
        let words = [0, 1, 2, 5, 0x8000_0000, 0xffff_fffe, 0x1234_5678];
        let at = |op, a, b| operate(op, 32, [Quantity::Bits(a), Quantity::Bits(b), Quantity::ZERO]);
        let single = [BitOp::Not, BitOp::Negate, BitOp::Other];
        for op in BitOp::ALL.into_iter().filter(|op| !single.contains(op)) {
            let same = words.iter().all(|a| words.iter().all(|b| at(op, *a, *b) == at(op, *b, *a)));
            assert_eq!(op.commutes(), same, "{op:?}");
        }
    }

    #[test]
    fn patterns_wrap_at_their_width() {
        let bits = |value: u64| Quantity::Bits(value);
        let op = |op, width, a, b| operate(op, width, [bits(a), bits(b), Quantity::ZERO]);
        assert_eq!(op(BitOp::Add, 8, 200, 100), bits(44));
        assert_eq!(op(BitOp::Sub, 32, 0, 1), bits(0xffff_ffff));
        assert_eq!(op(BitOp::ShiftLeft, 32, 1, 32), bits(0));
        assert_eq!(op(BitOp::ShiftRightSigned, 16, 0x8000, 99), bits(0xffff));
        assert_eq!(op(BitOp::Concat, 32, 0x1234, 0x5678), bits(0x5678_1234));
        assert_eq!(op(BitOp::Slice, 16, 0x5678_1234, 16), bits(0x5678));
        assert_eq!(op(BitOp::LessSigned, 8, 0xff, 0), Quantity::Condition(true));
        assert_eq!(op(BitOp::MulHigh, 32, 1 << 31, 4), bits(2));
        assert_eq!(operate(BitOp::Not, 8, [bits(1), Quantity::ZERO, Quantity::ZERO]), bits(0xfe));
        assert_eq!(op(BitOp::Other, 8, 1, 1), Quantity::Unknown);
    }
}
