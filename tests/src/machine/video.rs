//! Video instructions, in integers of unlimited width, as the manual's pseudo-code has them.
//!
//! Source: PTX ISA 9.0, 9.7.18.

use super::integer::{clamp, cut, number};
use super::op::{Class, Op, Type};
use std::rc::Rc;

fn ty(signed: bool, bits: u32) -> Type {
    Type { class: if signed { Class::Signed } else { Class::Unsigned }, bits }
}

/// A source: a word, the part of it that a selector names, and whether it has a minus.
pub struct Source {
    pub word: u64,
    pub part: Option<Rc<str>>,
    pub minus: bool,
}

/// The part of a register that a selector names: place and width.
fn part(name: &str) -> Option<(u32, u32)> {
    let (bits, at) = (if name.starts_with('h') { 16 } else { 8 }, name[1..].parse::<u32>().ok()?);
    Some((at * bits, bits))
}

/// What two numbers make together.
fn combine(name: &str, op: &Op, a: i128, b: i128) -> Option<i128> {
    Some(match name {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => (a - b).abs(),
        "vmin" => a.min(b),
        "vmax" => a.max(b),
        "vavrg" => (a + b + i128::from(a + b >= 0)) >> 1,
        "vshl" => a << b,
        "vshr" => a >> b,
        "vset" => i128::from(
            match op.suffixes.iter().find_map(|name| match name.as_str() {
                "eq" | "ne" | "lt" | "le" | "gt" | "ge" => Some(name.as_str()),
                _ => None,
            })? {
                "eq" => a == b,
                "ne" => a != b,
                "lt" => a < b,
                "le" => a <= b,
                "gt" => a > b,
                _ => a >= b,
            },
        ),
        _ => return None,
    })
}

/// `vmad`, of two factors and whether they have a sign.
fn product(op: &Op, (x, of_x): (i128, bool), (y, of_y): (i128, bool), s: &[Source]) -> Option<u64> {
    let minus = s[0].minus != s[1].minus;
    let signed = ty(of_x || of_y || minus || s[2].minus, 32);
    let (mut product, mut word, mut one) = (x * y, s[2].word, 0);
    if op.has("po") {
        one = 1;
    } else if minus {
        (product, one) = (!product, 1);
    } else if s[2].minus {
        (word, one) = (!word, 1);
    }
    let sum = product + number(signed, cut(word, 32)) + one;
    let shift = match op.suffixes.iter().find(|name| name.starts_with("shr")) {
        Some(name) => name[3..].parse().ok()?,
        None => 0,
    };
    Some(if op.has("sat") { clamp(signed, sum >> shift) } else { cut((sum >> shift) as u64, 32) })
}

/// The result for sources with their selectors, and that of the result.
pub fn run(op: &Op, to: Option<&str>, s: &[Source]) -> Option<u64> {
    let types: Vec<bool> = op
        .suffixes
        .iter()
        .filter(|name| *name == "s32" || *name == "u32")
        .map(|name| name == "s32")
        .collect();
    // A comparison has no type of its own for its result, which has no sign.
    let sets = op.base.starts_with("vset");
    let (d, a, b) = if sets { (false, types[0], types[1]) } else { (types[0], types[1], types[2]) };
    let name = op.base.trim_end_matches(['2', '4']);
    if name != op.base {
        let count = if op.base.ends_with('2') { 2 } else { 4 };
        return parallel(op, name, count, (d, a, b), to, s);
    }
    let value = |at: usize, signed: bool| {
        Some(match &s[at].part {
            None => number(ty(signed, 32), s[at].word),
            Some(selector) => {
                let (from, bits) = part(selector)?;
                number(ty(signed, bits), cut(s[at].word, 32) >> from)
            }
        })
    };
    let x = value(0, a)?;
    let mut y = value(1, b)?;
    if op.has("clamp") {
        y = y.min(32);
    } else if op.has("wrap") {
        y &= 31;
    }
    if name == "vmad" {
        return product(op, (x, a), (y, b), s);
    }
    let mut result = combine(name, op, x, y)?;
    let place = match to {
        None => None,
        Some(selector) => Some(part(selector)?),
    };
    if op.has("sat") {
        let ty = ty(d, place.map_or(32, |(_, bits)| bits));
        result = number(ty, clamp(ty, result));
    }
    if let Some((at, bits)) = place {
        let mask = cut(u64::MAX, bits) << at;
        return Some(cut(s[2].word, 32) & !mask | (result as u64) << at & mask);
    }
    if let Some(c) = s.get(2) {
        let c = number(ty(d, 32), c.word);
        result = match () {
            _ if op.has("add") => result + c,
            _ if op.has("min") => result.min(c),
            _ => result.max(c),
        };
    }
    Some(cut(result as u64, 32))
}

fn parallel(
    op: &Op,
    name: &str,
    count: u32,
    (d, a, b): (bool, bool, bool),
    to: Option<&str>,
    s: &[Source],
) -> Option<u64> {
    let bits = 32 / count;
    let digits = |selector: Option<&str>, first: u32| -> Vec<u32> {
        match selector {
            Some(selector) => selector[1..].chars().rev().filter_map(|digit| digit.to_digit(10)).collect(),
            None => (first..first + count).collect(),
        }
    };
    let both = cut(s[1].word, 32) << 32 | cut(s[0].word, 32);
    let (of_a, of_b) = (digits(s[0].part.as_deref(), 0), digits(s[1].part.as_deref(), count));
    let mask = digits(to, 0);
    let c = cut(s[2].word, 32);
    let (mut merged, mut sum) = (0, i128::from(c));
    for at in 0..count {
        let own = cut(c >> (at * bits), bits);
        if !mask.contains(&at) {
            merged |= own << (at * bits);
            continue;
        }
        let x = number(ty(a, bits), both >> (of_a[at as usize] * bits));
        let y = number(ty(b, bits), both >> (of_b[at as usize] * bits));
        let mut result = combine(name, op, x, y)?;
        if op.has("sat") {
            result = number(ty(d, bits), clamp(ty(d, bits), result));
        }
        sum += result;
        merged |= cut(result as u64, bits) << (at * bits);
    }
    Some(if op.has("add") { cut(sum as u64, 32) } else { merged })
}

/// Two integers clamped and put side by side (`cvt.pack`).
pub fn pack(op: &Op, s: &[u64]) -> Option<u64> {
    let name = op.suffixes.get(2)?;
    let bits: u32 = name[1..].parse().ok()?;
    let to = ty(name.starts_with('s'), bits);
    let [high, low] = [s[0], s[1]].map(|value| clamp(to, number(ty(true, 32), value)));
    let both = high << bits | low;
    Some(match s.get(2) {
        Some(c) => cut(c << (2 * bits) | both, 32),
        None => both,
    })
}
