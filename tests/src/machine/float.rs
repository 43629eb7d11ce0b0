//! Floating-point instructions, comparisons and conversions of one lane.
//!
//! Source: PTX ISA 9.0, 9.7.3 to 9.7.6 and 9.7.9.21.

use super::integer::{clamp, cut, number};
use super::op::{Class, Op, Type};
use super::soft;
use rustc_apfloat::Round;
use warpproof::base::Format;

/// The rounding that the suffixes say; to nearest even without one.
fn rounding(op: &Op) -> Round {
    op.suffixes.iter().find_map(|suffix| soft::rounding(suffix)).unwrap_or(Round::NearestTiesToEven)
}

/// The element format of a packed type.
fn packed(op: &Op) -> Option<Format> {
    op.suffixes.iter().find_map(|suffix| match suffix.as_str() {
        "f16x2" => Some(Format::F16),
        "bf16x2" => Some(Format::Bf16),
        "f32x2" => Some(Format::F32),
        _ => None,
    })
}

/// One result of float sources; `None` for what is no float instruction.
pub fn run(op: &Op, s: &[u64]) -> Option<u64> {
    if let Some(format) = packed(op) {
        let half = |at: u32| {
            let parts: Vec<u64> = s.iter().map(|value| cut(value >> at, format.bits())).collect();
            scalar(op, format, &parts)
        };
        return Some(half(0)? | half(format.bits())? << format.bits());
    }
    let format = op.float?;
    if let (Some(wide), "add" | "sub" | "fma") = (op.other.and_then(Type::float), op.base.as_str()) {
        // Halves widened into an f32 operation: exact, then one rounding.
        let mut s = s.to_vec();
        let halves = if op.base == "fma" { 2 } else { 1 };
        for value in &mut s[..halves] {
            *value = soft::convert(format, wide, *value, Round::NearestTiesToEven);
        }
        return scalar(op, wide, &s);
    }
    scalar(op, format, s)
}

fn scalar(op: &Op, format: Format, s: &[u64]) -> Option<u64> {
    let sign = soft::sign(format);
    let ftz = op.has("ftz");
    let mut s: Vec<u64> = s.iter().map(|value| cut(*value, format.bits())).collect();
    if ftz {
        s.iter_mut().for_each(|value| *value = soft::flush(format, *value));
    }
    let round = rounding(op);
    let approximate = |function: fn(f64) -> f64| {
        soft::from_value(format, function(soft::value(format, s[0])), Round::NearestTiesToEven)
    };
    let mut value = match op.base.as_str() {
        "add" => soft::add(format, s[0], s[1], round),
        "sub" => soft::add(format, s[0], s[1] ^ sign, round),
        "mul" => soft::mul(format, s[0], s[1], round),
        "fma" | "mad" => soft::fma(format, s[0], s[1], s[2], round),
        "div" => soft::div(format, s[0], s[1], round),
        "rcp" => soft::div(format, soft::one(format), s[0], round),
        "sqrt" => soft::sqrt(format, s[0], round),
        "neg" => s[0] ^ sign,
        "abs" => s[0] & !sign,
        "copysign" => s[0] & sign | s[1] & !sign,
        "min" | "max" => extreme(op, format, &s),
        "rsqrt" => approximate(|x| 1.0 / x.sqrt()),
        "sin" => approximate(f64::sin),
        "cos" => approximate(f64::cos),
        "lg2" => approximate(f64::log2),
        "ex2" => approximate(f64::exp2),
        "tanh" => approximate(f64::tanh),
        _ => return None,
    };
    if ftz {
        value = soft::flush(format, value);
    }
    if op.has("sat") {
        value = soft::saturate(format, value);
    }
    if op.has("relu") {
        value = soft::relu(format, value);
    }
    Some(value)
}

fn extreme(op: &Op, format: Format, s: &[u64]) -> u64 {
    let sign = soft::sign(format);
    let signs = s.iter().take(2).fold(0, |all, value| all ^ value & sign);
    let xor = op.has("xorsign");
    let s: Vec<u64> =
        s.iter().map(|value| if xor || op.has("abs") { value & !sign } else { *value }).collect();
    let is_nan = |value: &u64| soft::is_nan(format, *value);
    if op.has("NaN") && s.iter().any(is_nan) || s.iter().all(is_nan) {
        return soft::nan(format);
    }
    // -0 lies below +0: the order of sign and magnitude.
    let key = |value: u64| if value & sign != 0 { -((value & !sign) as i128) - 1 } else { i128::from(value) };
    let numbers = s.iter().copied().filter(|value| !is_nan(value));
    let value = match op.base.as_str() {
        "min" => numbers.min_by_key(|value| key(*value)),
        _ => numbers.max_by_key(|value| key(*value)),
    };
    let value = value.unwrap_or(soft::nan(format));
    if xor { value | signs } else { value }
}

/// Whether `a cmp b`, in any type.
pub fn compare(op: &Op, ty: Type, a: u64, b: u64, at: Option<Format>) -> Option<bool> {
    let names = [
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
        "num", "nan",
    ];
    let name = op.suffixes.iter().find(|suffix| names.contains(&suffix.as_str()))?.as_str();
    let Some(format) = at.or(ty.float()) else {
        let unsigned = Type { class: Class::Unsigned, ..ty };
        let ty = if ["lo", "ls", "hi", "hs"].contains(&name) { unsigned } else { ty };
        let (a, b) = (number(ty, a), number(ty, b));
        return Some(match name {
            "eq" => a == b,
            "ne" => a != b,
            "lt" | "lo" => a < b,
            "le" | "ls" => a <= b,
            "gt" | "hi" => a > b,
            "ge" | "hs" => a >= b,
            _ => return None,
        });
    };
    let read = |value: u64| {
        let value = cut(value, format.bits());
        soft::value(format, if op.has("ftz") { soft::flush(format, value) } else { value })
    };
    let (a, b) = (read(a), read(b));
    let unordered = a.is_nan() || b.is_nan();
    Some(match name {
        "num" => !unordered,
        "nan" => unordered,
        "eq" => a == b,
        "ne" => !unordered && a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        "equ" => unordered || a == b,
        "neu" => unordered || a != b,
        "ltu" => unordered || a < b,
        "leu" => unordered || a <= b,
        "gtu" => unordered || a > b,
        "geu" => unordered || a >= b,
        _ => return None,
    })
}

/// `and`, `or`, `xor` with a third predicate.
pub fn join(op: &Op, value: bool, third: Option<bool>) -> bool {
    match third {
        Some(third) if op.has("and") => value && third,
        Some(third) if op.has("or") => value || third,
        Some(third) => value != third,
        None => value,
    }
}

/// What `set` writes for true.
pub fn truth(ty: Type) -> u64 {
    match ty.float() {
        Some(format) => soft::one(format),
        None => cut(u64::MAX, ty.bits),
    }
}

/// `testp`
pub fn test(op: &Op, format: Format, a: u64) -> Option<bool> {
    let a = cut(a, format.bits());
    let magnitude = a & !soft::sign(format);
    let infinite = magnitude == soft::infinity(format);
    let nan = soft::is_nan(format, a);
    let subnormal = soft::is_subnormal(format, a);
    Some(match op.suffixes.first()?.as_str() {
        "finite" => !infinite && !nan,
        "infinite" => infinite,
        "number" => !nan,
        "notanumber" => nan,
        // Zeros are taken for normal numbers.
        "normal" => !infinite && !nan && !subnormal,
        "subnormal" => subnormal,
        _ => return None,
    })
}

/// `cvt` with one or two sources.
pub fn convert(op: &Op, s: &[u64]) -> Option<u64> {
    let [to, from] = op.suffixes.get(op.suffixes.len().checked_sub(2)?..)? else { return None };
    let (to, from) = (to.as_str(), from.as_str());
    let round = rounding(op);
    let small = |name: &str| match name {
        "e4m3x2" => Some(Format::E4m3),
        "e5m2x2" => Some(Format::E5m2),
        "e2m3x2" => Some(Format::E2m3),
        "e3m2x2" => Some(Format::E3m2),
        "e2m1x2" => Some(Format::E2m1),
        _ => None,
    };
    let half = |value: u64, format: Format| {
        let mut bits = soft::convert(Format::F32, format, cut(value, 32), round);
        if op.has("relu") {
            bits = soft::relu(format, bits);
        }
        if op.has("satfinite") && bits & 0x7fff == soft::infinity(format) {
            bits -= 1;
        }
        bits
    };
    if let Some(format) = small(to) {
        let relu =
            |format: Format, value: u64| if op.has("relu") { soft::relu(format, value) } else { value };
        let halves = if from == "bf16x2" { Format::Bf16 } else { Format::F16 };
        let [low, high] = match from {
            "f32" => [s[1], s[0]]
                .map(|value| soft::to_byte(Format::F32, format, relu(Format::F32, cut(value, 32)))),
            _ => [s[0] & 0xffff, s[0] >> 16 & 0xffff]
                .map(|value| soft::to_byte(halves, format, relu(halves, value))),
        };
        return Some(high << if format == Format::E2m1 { 4 } else { 8 } | low);
    }
    match (to, from) {
        ("ue8m0x2", _) => {
            let (up, finite) = (op.has("rp"), op.has("satfinite"));
            let [low, high] = match from {
                "f32" => [s[1], s[0]].map(|value| soft::to_scale(Format::F32, cut(value, 32), up, finite)),
                _ => [s[0] & 0xffff, s[0] >> 16 & 0xffff]
                    .map(|value| soft::to_scale(Format::Bf16, value, up, finite)),
            };
            return Some(high << 8 | low);
        }
        ("bf16x2", "ue8m0x2") => {
            let one = |byte: u64| {
                soft::from_value(Format::Bf16, soft::value(Format::Ue8m0, byte), Round::NearestTiesToEven)
            };
            return Some(one(s[0] >> 8 & 0xff) << 16 | one(s[0] & 0xff));
        }
        ("f16x2" | "bf16x2", "f32") => {
            let format = if to == "f16x2" { Format::F16 } else { Format::Bf16 };
            return Some(half(s[0], format) << 16 | half(s[1], format));
        }
        ("f16x2" | "bf16x2", _) => {
            let (format, wide) = (small(from)?, if to == "f16x2" { Format::F16 } else { Format::Bf16 });
            let one = |byte: u64| {
                let bits = soft::from_value(wide, soft::value(format, byte), Round::NearestTiesToEven);
                if op.has("relu") { soft::relu(wide, bits) } else { bits }
            };
            let each = if format == Format::E2m1 { 4 } else { 8 };
            return Some(one(cut(s[0] >> each, each)) << 16 | one(cut(s[0], each)));
        }
        ("tf32", _) => {
            let value = soft::to_tf32(cut(s[0], 32), round);
            let value = if op.has("relu") { soft::relu(Format::F32, value) } else { value };
            let full = op.has("satfinite") && value & 0x7fff_ffff == 0x7f80_0000;
            return Some(if full { value - 0x2000 } else { value });
        }
        _ => {}
    }
    let (to, from) = (Type::named(to)?, Type::named(from)?);
    let a = cut(s[0], from.bits);
    // `.ftz` is about f32 alone.
    let flush = |ty: Type, value: u64| {
        let f32 = ty.float() == Some(Format::F32) && op.has("ftz");
        if f32 { soft::flush(Format::F32, value) } else { value }
    };
    Some(match (from.float(), to.float()) {
        (None, None) => {
            let value = number(from, a);
            if op.has("sat") { clamp(to, value) } else { cut(value as u64, to.bits) }
        }
        (None, Some(format)) => {
            let value = soft::from_integer(format, number(from, a), round);
            if op.has("sat") { soft::saturate(format, value) } else { value }
        }
        (Some(format), None) => {
            let a = flush(from, a);
            soft::to_integer(format, a, to.bits, to.class == Class::Signed, round)
        }
        (Some(source), Some(_)) => {
            let a = flush(from, a);
            let (flushed, wide) = (|value| flush(to, value), source);
            let (from, to) = (wide, to.float()?);
            let whole = ["rni", "rzi", "rmi", "rpi"].iter().any(|name| op.has(name));
            let a = if whole { soft::integral(from, a, round) } else { a };
            let mut value = if from == to { a } else { soft::convert(from, to, a, round) };
            if soft::is_nan(from, a) {
                value = soft::nan(to);
            }
            value = flushed(value);
            if op.has("sat") {
                value = soft::saturate(to, value);
            }
            if op.has("relu") {
                value = soft::relu(to, value);
            }
            if op.has("satfinite") && value & !soft::sign(to) == soft::infinity(to) {
                value -= 1;
            }
            value
        }
    })
}
