//! Integer, logic and bit-field instructions on bits, as the manual's pseudo-code has them.
//!
//! Wide arithmetic is done in 128 bits and cut at the end, so that no rule of the host's types
//! decides about wrapping. Division by zero, which the manual leaves open, gives `None`.
//!
//! Source: PTX ISA 9.0, 9.7.1, 9.7.2, 9.7.8 and 9.7.9.7 (`prmt`).

use super::op::{Class, Op, Type};

/// The low bits.
pub fn cut(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The number that bits hold in an integer type.
pub fn number(ty: Type, value: u64) -> i128 {
    let value = cut(value, ty.bits);
    match ty.class == Class::Signed && value >> (ty.bits - 1) & 1 == 1 {
        true => i128::from(value) - (1 << ty.bits),
        false => i128::from(value),
    }
}

/// Clamped to the type's range.
pub fn clamp(ty: Type, value: i128) -> u64 {
    let (low, high) = match ty.class {
        Class::Signed => (-(1i128 << (ty.bits - 1)), (1i128 << (ty.bits - 1)) - 1),
        _ => (0, (1i128 << ty.bits) - 1),
    };
    cut(value.clamp(low, high) as u64, ty.bits)
}

/// One result of integer sources; `carry` is the condition-code register.
pub fn run(op: &Op, ty: Type, s: &[u64], carry: &mut bool) -> Option<u64> {
    let n = |at: usize| number(ty, s[at]);
    let bits = ty.bits;
    let wide = |value: i128| cut(value as u64, bits);
    let out = |value: i128| if op.has("sat") { clamp(ty, value) } else { wide(value) };
    // The condition code is bit `bits` of the unsigned sum.
    let mut chain = |value: u128| {
        if op.has("cc") {
            *carry = value >> bits & 1 == 1;
        }
        cut(value as u64, bits)
    };
    let raw = |at: usize| u128::from(cut(s[at], bits));
    let carried = |carry: &bool| u128::from(*carry);
    Some(match op.base.as_str() {
        "add" if op.has("cc") => chain(raw(0) + raw(1)),
        "add" => out(n(0) + n(1)),
        "addc" => {
            let sum = raw(0) + raw(1) + carried(carry);
            if op.has("cc") {
                *carry = sum >> bits & 1 == 1;
            }
            cut(sum as u64, bits)
        }
        // The borrow is the condition code: a - b, negative or not.
        "sub" if op.has("cc") => {
            *carry = raw(0) < raw(1);
            wide(n(0) - n(1))
        }
        "sub" => out(n(0) - n(1)),
        "subc" => {
            let borrow = carried(carry);
            if op.has("cc") {
                *carry = raw(0) < raw(1) + borrow;
            }
            wide(n(0) - n(1) - borrow as i128)
        }
        "mul" | "mad" | "madc" => {
            // The product of two 64-bit numbers needs all 128 bits, unsigned.
            let product = n(0).wrapping_mul(n(1));
            let high = if n(0) > 0 && n(1) > 0 { (product as u128 >> bits) as i128 } else { product >> bits };
            if op.has("wide") {
                let double = Type { bits: 2 * bits, ..ty };
                let addend = if op.base == "mul" { 0 } else { number(double, s[2]) };
                return Some(cut((product + addend) as u64, 2 * bits));
            }
            let part = if op.has("hi") { high } else { product };
            match op.base.as_str() {
                "mul" => wide(part),
                "mad" if op.has("cc") => chain(u128::from(wide(part)) + raw(2)),
                "mad" if op.has("sat") => clamp(ty, part.wrapping_add(n(2))),
                "mad" => wide(part.wrapping_add(n(2))),
                _ => {
                    let sum = u128::from(wide(part)) + raw(2) + carried(carry);
                    if op.has("cc") {
                        *carry = sum >> bits & 1 == 1;
                    }
                    cut(sum as u64, bits)
                }
            }
        }
        "mul24" | "mad24" => {
            let narrow = Type { bits: 24, ..ty };
            let product = number(narrow, s[0]) * number(narrow, s[1]);
            let part = if op.has("hi") { product >> 16 } else { product };
            // 32 bits of the 48-bit product, before anything is added.
            let part = number(ty, part as u64);
            if op.base == "mul24" { wide(part) } else { out(part + n(2)) }
        }
        "sad" => wide(n(2) + (n(0) - n(1)).abs()),
        "div" => wide(n(0).checked_div(n(1))?),
        "rem" => wide(n(0).checked_rem(n(1))?),
        "abs" => wide(n(0).abs()),
        "neg" => wide(-n(0)),
        "min" | "max" => {
            let value = if op.base == "min" { n(0).min(n(1)) } else { n(0).max(n(1)) };
            wide(if op.has("relu") { value.max(0) } else { value })
        }
        "popc" => u64::from(cut(s[0], bits).count_ones()),
        "clz" => (0..bits).take_while(|at| s[0] >> (bits - 1 - at) & 1 == 0).count() as u64,
        "bfind" => {
            let a = if n(0) < 0 { !s[0] } else { s[0] };
            match (0..bits).rev().find(|at| a >> at & 1 == 1) {
                Some(at) => u64::from(if op.has("shiftamt") { bits - 1 - at } else { at }),
                None => 0xffff_ffff,
            }
        }
        "fns" => fns(s[0] as u32, s[1] as u32, s[2] as u32 as i32),
        "brev" => (0..bits).fold(0, |d, at| d | (s[0] >> at & 1) << (bits - 1 - at)),
        "bfe" => {
            let (pos, len) = ((s[1] & 0xff) as u32, (s[2] & 0xff) as u32);
            let top = bits - 1;
            let fill =
                if ty.class == Class::Signed && len > 0 { s[0] >> (pos + len - 1).min(top) & 1 } else { 0 };
            (0..bits).fold(0, |d, i| {
                let bit = if i < len && pos + i <= top { s[0] >> (pos + i) & 1 } else { fill };
                d | bit << i
            })
        }
        "bfi" => {
            let (pos, len) = ((s[2] & 0xff) as u32, (s[3] & 0xff) as u32);
            (0..len)
                .take_while(|i| pos + i < bits)
                .fold(cut(s[1], bits), |d, i| d & !(1 << (pos + i)) | (s[0] >> i & 1) << (pos + i))
        }
        "szext" => {
            let b = if op.has("clamp") { cut(s[1], 32).min(32) } else { s[1] & 31 } as u32;
            match (b, ty.class) {
                (0, _) => 0,
                (_, Class::Signed) => wide(number(Type { bits: b, ..ty }, s[0])),
                _ => cut(s[0], b),
            }
        }
        "bmsk" => {
            let bound = |x: u64| if op.has("clamp") { cut(x, 32).min(32) } else { x & 31 };
            let (from, count) = (bound(s[0]), bound(s[1]));
            (0..32).filter(|at| *at >= from && *at < from + count).fold(0, |d, at| d | 1 << at)
        }
        "dp4a" | "dp2a" => dot(op, s),
        "and" => cut(s[0] & s[1], bits),
        "or" => cut(s[0] | s[1], bits),
        "xor" => cut(s[0] ^ s[1], bits),
        "not" => cut(!s[0], bits),
        "cnot" => u64::from(cut(s[0], bits) == 0),
        "lop3" => (0..32).fold(0, |d, at| {
            let index = (s[0] >> at & 1) << 2 | (s[1] >> at & 1) << 1 | s[2] >> at & 1;
            d | (s[3] >> index & 1) << at
        }),
        "shl" => {
            let by = cut(s[1], 32);
            if by >= u64::from(bits) { 0 } else { cut(s[0] << by, bits) }
        }
        "shr" => {
            let by = cut(s[1], 32).min(u64::from(bits)) as u32;
            cut((number(ty, s[0]) >> by) as u64, bits)
        }
        "shf" => {
            let by = if op.has("clamp") { cut(s[2], 32).min(32) } else { s[2] & 31 };
            let both = u128::from(cut(s[1], 32)) << 32 | u128::from(cut(s[0], 32));
            cut(if op.has("l") { (both << by) >> 32 } else { both >> by } as u64, 32)
        }
        "prmt" => prmt(op, s),
        _ => return None,
    })
}

/// The position of the n-th set bit from a base on.
fn fns(mask: u32, base: u32, offset: i32) -> u64 {
    let set = |at: i64| (0..32).contains(&at) && mask >> at & 1 == 1;
    if offset == 0 {
        return if set(i64::from(base)) { u64::from(base) } else { 0xffff_ffff };
    }
    let (mut at, mut left) = (i64::from(base), i64::from(offset).abs() - 1);
    while (0..32).contains(&at) {
        if set(at) {
            if left == 0 {
                return at as u64;
            }
            left -= 1;
        }
        at += i64::from(offset.signum());
    }
    0xffff_ffff
}

fn dot(op: &Op, s: &[u64]) -> u64 {
    let ty = |at: usize, bits: u32| Type {
        class: if op.suffixes[op.suffixes.len() - 2 + at].starts_with('s') {
            Class::Signed
        } else {
            Class::Unsigned
        },
        bits,
    };
    let mut sum = number(Type { class: Class::Signed, bits: 32 }, s[2]);
    for at in 0..if op.base == "dp4a" { 4 } else { 2 } {
        sum += match op.base.as_str() {
            "dp4a" => number(ty(0, 8), s[0] >> (8 * at)) * number(ty(1, 8), s[1] >> (8 * at)),
            _ => {
                let byte = if op.has("hi") { at + 2 } else { at };
                number(ty(0, 16), s[0] >> (16 * at)) * number(ty(1, 8), s[1] >> (8 * byte))
            }
        };
    }
    cut(sum as u64, 32)
}

fn prmt(op: &Op, s: &[u64]) -> u64 {
    let both = cut(s[1], 32) << 32 | cut(s[0], 32);
    let byte = |at: u64| both >> (8 * (at & 7)) & 0xff;
    let way = s[2] & 3;
    let pick: [u64; 4] = match op.suffixes.last().map(String::as_str) {
        Some("f4e") => [way, way + 1, way + 2, way + 3],
        Some("b4e") => [way, way + 7, way + 6, way + 5],
        Some("rc8") => [way; 4],
        Some("ecl") => [0u64, 1, 2, 3].map(|at| at.max(way)),
        Some("ecr") => [0u64, 1, 2, 3].map(|at| at.min(way)),
        Some("rc16") => [2 * (way & 1), 2 * (way & 1) + 1, 2 * (way & 1), 2 * (way & 1) + 1],
        _ => {
            return (0..4).fold(0, |d, at| {
                let selector = s[2] >> (4 * at) & 15;
                let byte = byte(selector);
                let byte = if selector & 8 == 0 {
                    byte
                } else if byte & 0x80 != 0 {
                    0xff
                } else {
                    0
                };
                d | byte << (8 * at)
            });
        }
    };
    pick.iter().enumerate().fold(0, |d, (at, from)| d | byte(*from) << (8 * at))
}
