//! Values byte by byte: what permutes, shifts by whole bytes, masks and joins do to symbolic parts.
//!
//! Compilers pack four bytes or two halves into a register with `prmt`, `bfi`, shifts and ors, and
//! take them apart again. Where an instruction only moves whole bytes its result is put together
//! from the same parts: neighbouring bytes of one number are that number again.

use super::bits::{as_pattern, concat, mask, pattern_width, slice, value_of};
use crate::base::{Format, FormatClass};
use crate::isa::{Lanewise, Pick};
use crate::term::{BitOp, Node, Symbol, Term, Terms, Value, integers};

/// One byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Byte {
    Known(u8),
    /// Byte `at` of a pattern that is not put together from others.
    Of(Term, u8),
    /// The sign of a pattern, spread over a byte.
    Sign(Term),
}

/// The bytes of a defined value of `width` bits, lowest first.
fn bytes(terms: &mut Terms, value: Value, width: u32) -> Option<Vec<Byte>> {
    let count = (width / 8) as usize;
    if let Value::Concrete(bits) = value {
        return Some((0..count).map(|at| Byte::Known((bits >> (8 * at)) as u8)).collect());
    }
    let pattern = as_pattern(terms, value, width)?;
    let mut found = Vec::with_capacity(count);
    collect(terms, pattern, width, &mut found);
    Some(found)
}

fn collect(terms: &mut Terms, pattern: Term, width: u32, found: &mut Vec<Byte>) {
    let count = (width / 8) as u8;
    // Beyond a pattern there are zeros: several numbers that were loaded together into a wider register.
    if let Some(own) = pattern_width(terms, pattern).filter(|own| *own < width && own % 8 == 0) {
        collect(terms, pattern, own, found);
        found.extend(std::iter::repeat_n(Byte::Known(0), ((width - own) / 8) as usize));
        return;
    }
    match terms.node(pattern) {
        Node::BitConstant(bits) => {
            found.extend((0..count).map(|at| Byte::Known((bits >> (8 * u32::from(at))) as u8)));
        }
        Node::Bits(BitOp::Concat, wide, low, high, _) if u32::from(wide) == width => {
            collect(terms, low, width / 2, found);
            collect(terms, high, width / 2, found);
        }
        Node::Bits(BitOp::Slice, wide, whole, from, _) if u32::from(wide) == width => {
            match (terms.node(from), pattern_width(terms, whole)) {
                (Node::BitConstant(from), Some(of)) if from.is_multiple_of(8) && of % 8 == 0 => {
                    let mut all = Vec::with_capacity((of / 8) as usize);
                    collect(terms, whole, of, &mut all);
                    let from = from as usize / 8;
                    match all.get(from..from + usize::from(count)) {
                        Some(part) => found.extend_from_slice(part),
                        None => found.extend((0..count).map(|at| Byte::Of(pattern, at))),
                    }
                }
                _ => found.extend((0..count).map(|at| Byte::Of(pattern, at))),
            }
        }
        // A narrow number in a wide register, extended by its sign or by zeros.
        Node::Bits(how @ (BitOp::Extend | BitOp::ExtendSigned), wide, narrow, _, _)
            if u32::from(wide) == width =>
        {
            let of = pattern_width(terms, narrow).unwrap_or(width).min(width);
            collect(terms, narrow, of, found);
            let fill = if how == BitOp::Extend { Byte::Known(0) } else { Byte::Sign(narrow) };
            found.extend(std::iter::repeat_n(fill, ((width - of) / 8) as usize));
        }
        // A wide number that is seen to be a narrow one: clamped before it is packed.
        Node::BitsOf(format, number) if !format.is_float() && narrow(terms, format, number).is_some() => {
            let narrow = narrow(terms, format, number).unwrap_or(format);
            let pattern = terms.bits_of(narrow, number);
            found.extend((0..narrow.bytes() as u8).map(|at| Byte::Of(pattern, at)));
            let signed = narrow.class() == FormatClass::Signed;
            let fill = if signed { Byte::Sign(pattern) } else { Byte::Known(0) };
            found.extend(std::iter::repeat_n(fill, usize::from(count) - narrow.bytes() as usize));
        }
        _ => found.extend((0..count).map(|at| Byte::Of(pattern, at))),
    }
}

/// The narrowest format in which an integer is seen to lie, if that is narrower than its own.
fn narrow(terms: &Terms, format: Format, number: Term) -> Option<Format> {
    let formats = [Format::U8, Format::S8, Format::U16, Format::S16, Format::U32, Format::S32];
    let narrower = formats.into_iter().filter(|narrow| narrow.bits() < format.bits());
    narrower.into_iter().find(|narrow| {
        let (low, high) = integers(*narrow);
        terms.lies_between(number, low, high)
    })
}

/// The value that bytes make.
fn join(terms: &mut Terms, bytes: &[Byte]) -> Value {
    let known = bytes.iter().rev().try_fold(0u64, |word, byte| match byte {
        Byte::Known(byte) => Some(word << 8 | u64::from(*byte)),
        Byte::Of(..) | Byte::Sign(_) => None,
    });
    if let Some(word) = known {
        return Value::Concrete(word);
    }
    if let Some(value) = whole(terms, bytes) {
        return value;
    }
    match bytes {
        [Byte::Of(pattern, at)] => {
            let width = pattern_width(terms, *pattern).unwrap_or(64);
            slice(terms, Value::Symbolic(Symbol::bits(*pattern)), width, u32::from(*at) * 8, 8)
        }
        [Byte::Sign(pattern)] => {
            // Only as a part of something odd: the top byte, shifted by its sign alone.
            let width = pattern_width(terms, *pattern).unwrap_or(8);
            let seven = terms.bit_constant(u64::from(width) - 1);
            let spread = terms.bits(BitOp::ShiftRightSigned, width as u8, *pattern, seven, Term::ZERO);
            slice(terms, Value::Symbolic(Symbol::bits(spread)), width, 0, 8)
        }
        _ => {
            let (low, high) = bytes.split_at(bytes.len() / 2);
            let (low, high) = (join(terms, low), join(terms, high));
            concat(terms, low, high, bytes.len() as u32 * 8)
        }
    }
}

/// Bytes that are one pattern from end to end, alone or extended into a wider register.
fn whole(terms: &Terms, bytes: &[Byte]) -> Option<Value> {
    let Byte::Of(pattern, 0) = bytes[0] else { return None };
    let count = (pattern_width(terms, pattern)? / 8) as usize;
    if count > bytes.len() || !(0..count).all(|at| bytes[at] == Byte::Of(pattern, at as u8)) {
        return None;
    }
    let rest = &bytes[count..];
    if rest.is_empty() {
        return Some(value_of(terms, pattern));
    }
    let Node::BitsOf(format, number) = terms.node(pattern) else { return None };
    let signed = format.class() == FormatClass::Signed;
    let fill = if signed { Byte::Sign(pattern) } else { Byte::Known(0) };
    rest.iter().all(|byte| *byte == fill).then(|| Value::Symbolic(Symbol::number(format, number)))
}

/// One byte of a value of `width` bits.
pub(super) fn byte_of(terms: &mut Terms, value: Value, width: u32, at: usize) -> Value {
    match bytes(terms, value, width) {
        Some(bytes) => join(terms, &bytes[at..at + 1]),
        None => Value::NEVER,
    }
}

/// The bits of a complete value that are known to be zeros, and those known to be ones.
pub(super) fn known_bits(terms: &mut Terms, value: Value, width: u32) -> (u64, u64) {
    let Some(bytes) = bytes(terms, value, width) else { return (0, 0) };
    bytes.iter().enumerate().fold((0, 0), |(zeros, ones), (at, byte)| match byte {
        Byte::Known(byte) => (zeros | u64::from(!byte) << (8 * at), ones | u64::from(*byte) << (8 * at)),
        Byte::Of(..) | Byte::Sign(_) => (zeros, ones),
    })
}

/// The result of an instruction whose bytes come from its sources'.
pub(super) fn rearrange(terms: &mut Terms, picks: &[Pick; 8], values: &[Value], op: &Lanewise) -> Value {
    let mut sources: [Option<Vec<Byte>>; 4] = [None, None, None, None];
    let mut result = Vec::with_capacity(8);
    for pick in &picks[..op.dst.bytes() as usize] {
        let byte = match *pick {
            Pick::Known(byte) => Byte::Known(byte),
            Pick::Byte { source, at } => {
                let which = usize::from(source);
                if sources[which].is_none() {
                    sources[which] = bytes(terms, values[which], op.src[which].bits());
                }
                match &sources[which] {
                    // Beyond the register there are zeros, as for `bfe`.
                    Some(bytes) => bytes.get(usize::from(at)).copied().unwrap_or(Byte::Known(0)),
                    None => return Value::NEVER,
                }
            }
        };
        result.push(byte);
    }
    join(terms, &result)
}

/// Masks of whole bytes, shifts by whole bytes, and joins of values that do not overlap.
pub(super) fn bytewise(terms: &mut Terms, op: BitOp, width: u32, values: &[Value]) -> Option<Value> {
    if !width.is_multiple_of(8) || values.len() < 2 {
        return None;
    }
    match op {
        BitOp::And | BitOp::Or | BitOp::Xor | BitOp::Add => {
            let (a, b) = (bytes(terms, values[0], width)?, bytes(terms, values[1], width)?);
            let joined: Option<Vec<Byte>> = a.iter().zip(&b).map(|(a, b)| combine(op, *a, *b)).collect();
            Some(join(terms, &joined?))
        }
        BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => {
            let Value::Concrete(by) = values[1] else { return None };
            let by = mask(by, 32);
            if !by.is_multiple_of(8) || by >= u64::from(width) {
                return None;
            }
            let by = by as usize / 8;
            let mut moved = bytes(terms, values[0], width)?;
            let fill = match (op, moved.last()?) {
                (BitOp::ShiftRightSigned, Byte::Known(top)) => Byte::Known(if *top > 127 { 0xff } else { 0 }),
                (BitOp::ShiftRightSigned, Byte::Sign(pattern)) => Byte::Sign(*pattern),
                (BitOp::ShiftRightSigned, Byte::Of(pattern, at)) => {
                    // Only a number's own highest byte has its sign.
                    (pattern_width(terms, *pattern)? == 8 * (u32::from(*at) + 1)).then_some(())?;
                    Byte::Sign(*pattern)
                }
                _ => Byte::Known(0),
            };
            let filled = std::iter::repeat_n(fill, by);
            if op == BitOp::ShiftLeft {
                moved.truncate(moved.len() - by);
                moved.splice(0..0, filled);
            } else {
                moved.drain(..by);
                moved.extend(filled);
            }
            Some(join(terms, &moved))
        }
        _ => None,
    }
}

/// One byte of an operation, where it is one of the operands' bytes or known.
fn combine(op: BitOp, a: Byte, b: Byte) -> Option<Byte> {
    match (op, a, b) {
        (BitOp::And, Byte::Known(a), Byte::Known(b)) => Some(Byte::Known(a & b)),
        (BitOp::Or, Byte::Known(a), Byte::Known(b)) => Some(Byte::Known(a | b)),
        (BitOp::Xor, Byte::Known(a), Byte::Known(b)) => Some(Byte::Known(a ^ b)),
        (BitOp::And, Byte::Known(0), _) | (BitOp::And, _, Byte::Known(0)) => Some(Byte::Known(0)),
        (BitOp::And, Byte::Known(0xff), other) | (BitOp::And, other, Byte::Known(0xff)) => Some(other),
        (BitOp::And | BitOp::Or, a, b) if a == b => Some(a),
        // Without two bytes that are not zero nothing carries, so adding is joining.
        (BitOp::Or | BitOp::Xor | BitOp::Add, Byte::Known(0), other)
        | (BitOp::Or | BitOp::Xor | BitOp::Add, other, Byte::Known(0)) => Some(other),
        _ => None,
    }
}
