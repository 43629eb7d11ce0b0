//! Values as numbers, as conditions and as bit patterns, and the ways between them.
//!
//! A register holds whatever a program moved there: a real's bits may be read as an integer and
//! back. What can be read through exactly (halves put together again, a sign bit flipped, a bf16
//! widened by a shift) is; everything else stays an opaque bit pattern, equal only to itself.

use super::gaps;
use crate::base::{Format, FormatClass};
use crate::term::{BitOp, Node, Relation, Symbol, SymbolKind, Term, Terms, Unary, Value};

/// The term of a value read as a bit pattern of `width` bits.
pub(super) fn as_bits(terms: &mut Terms, value: Value, width: u32) -> Option<Term> {
    match value {
        Value::Concrete(bits) => Some(terms.bit_constant(mask(bits, width))),
        Value::Undefined(_) => None,
        Value::Symbolic(symbol) => Some(match symbol.kind {
            SymbolKind::Bits => symbol.term,
            SymbolKind::Number(format) => {
                let pattern = terms.bits_of(format, symbol.term);
                if format.bits() >= width {
                    pattern
                } else {
                    // A narrow number in a wide register is zero-extended; signed ones were
                    // extended by whoever widened them, which only they can say.
                    let signed = format.class() == FormatClass::Signed;
                    terms.bits(BitOp::Other, width as u8, pattern, Term::ZERO, extension_code(signed))
                }
            }
            SymbolKind::Condition => {
                let one = terms.bit_constant(1);
                let zero = terms.bit_constant(0);
                terms.select(symbol.term, one, zero)
            }
        }),
    }
}

/// Operand `c` of [`BitOp::Other`] for widenings.
fn extension_code(signed: bool) -> Term {
    if signed { Term::MINUS_ONE } else { Term::ONE }
}

/// A bit pattern as a value: patterns of numbers become those numbers, constants concrete.
pub(super) fn value_of(terms: &Terms, pattern: Term) -> Value {
    match terms.node(pattern) {
        Node::BitsOf(format, number) => Value::Symbolic(Symbol::number(format, number)),
        Node::BitConstant(bits) => Value::Concrete(bits),
        _ => Value::Symbolic(Symbol::bits(pattern)),
    }
}

/// The low and high halves of a symbol of `width` bits, if it was put together from two.
pub(super) fn halves(terms: &Terms, symbol: Symbol, width: u32) -> Option<(Value, Value)> {
    if symbol.kind != SymbolKind::Bits {
        return None;
    }
    match terms.node(symbol.term) {
        Node::Bits(BitOp::Concat, wide, low, high, _) if u32::from(wide) == width => {
            Some((value_of(terms, low), value_of(terms, high)))
        }
        _ => None,
    }
}

/// Two values of half the width as one of `width` bits.
pub(super) fn concat(terms: &mut Terms, low: Value, high: Value, width: u32) -> Value {
    let half = width / 2;
    if let (Value::Concrete(low), Value::Concrete(high)) = (low, high) {
        return Value::Concrete(mask(low, half) | mask(high, half) << half);
    }
    let (Some(low), Some(high)) = (as_bits(terms, low, half), as_bits(terms, high, half)) else {
        return gaps::concat(terms, low, high, width);
    };
    if let (
        Node::Bits(BitOp::Slice, low_width, whole, low_at, _),
        Node::Bits(BitOp::Slice, high_width, other, high_at, _),
    ) = (terms.node(low), terms.node(high))
        && whole == other
        && u32::from(low_width) == half
        && low_width == high_width
        && let (Some(from), Some(next)) = (bit_number(terms, low_at), bit_number(terms, high_at))
        && next == from + u64::from(half)
    {
        // Neighbouring pieces of one pattern are a larger piece, or all of it.
        return match pattern_width(terms, whole) == Some(width) {
            true => value_of(terms, whole),
            false => Value::Symbolic(Symbol::bits(terms.bits(
                BitOp::Slice,
                width as u8,
                whole,
                low_at,
                Term::ZERO,
            ))),
        };
    }
    Value::Symbolic(Symbol::bits(terms.bits(BitOp::Concat, width as u8, low, high, Term::ZERO)))
}

/// `bits` bits of a value of `width` bits, from bit `at` on.
pub(super) fn slice(terms: &mut Terms, value: Value, width: u32, at: u32, bits: u32) -> Value {
    if at == 0 && bits == width {
        return value;
    }
    match value {
        Value::Undefined(_) => gaps::slice(terms, value, width, at, bits),
        Value::Concrete(word) => Value::Concrete(mask(word >> at, bits)),
        Value::Symbolic(symbol) => {
            if let Some((low, high)) = halves(terms, symbol, width) {
                let half = width / 2;
                if at + bits <= half {
                    return slice(terms, low, half, at, bits);
                }
                if at >= half {
                    return slice(terms, high, half, at - half, bits);
                }
            }
            if let SymbolKind::Number(format) = symbol.kind
                && at == 0
                && format.bits() == bits
            {
                return value; // a narrow number that sat in a wide register
            }
            let Some(pattern) = as_bits(terms, value, width) else { return Value::NEVER };
            let from = terms.bit_constant(u64::from(at));
            Value::Symbolic(Symbol::bits(terms.bits(BitOp::Slice, bits as u8, pattern, from, Term::ZERO)))
        }
    }
}

/// The term of a value read as a number in `format`; `None` if nothing was written.
#[inline]
pub(super) fn as_number(terms: &mut Terms, format: Format, value: Value) -> Option<Term> {
    match value {
        Value::Concrete(bits) => Some(terms.number(format, mask(bits, format.bits()))),
        Value::Undefined(_) => None,
        Value::Symbolic(symbol) => Some(match symbol.kind {
            SymbolKind::Number(held) if held == format => symbol.term,
            _ => reinterpret(terms, format, symbol),
        }),
    }
}

/// The term of an operand of an integer instruction. One that is the same for signed and unsigned
/// numbers names the bits only: its constants and patterns are then read as signed, so that adding
/// 0xffffffff takes one away, and sums stay small. What a symbolic number is, it knows itself.
#[inline]
pub(super) fn as_operand(terms: &mut Terms, format: Format, value: Value) -> Option<Term> {
    match (signed(format), value) {
        (Some(signed), Value::Concrete(_)) => as_number(terms, signed, value),
        (Some(signed), Value::Symbolic(symbol)) if is_ambiguous(terms, symbol) => {
            as_number(terms, signed, value)
        }
        _ => as_number(terms, format, value),
    }
}

/// The signed numbers of the width of plain bits.
pub(super) fn signed(format: Format) -> Option<Format> {
    match format {
        Format::B16 => Some(Format::S16),
        Format::B32 => Some(Format::S32),
        Format::B64 => Some(Format::S64),
        _ => None,
    }
}

/// Whether a symbol is a pattern that would be another number with a sign than without.
pub(super) fn is_ambiguous(terms: &Terms, symbol: Symbol) -> bool {
    symbol.kind == SymbolKind::Bits && !top_is_clear(terms, symbol.term, 8)
}

/// Whether the highest bit of a pattern is 0, as far as can be seen to a depth.
fn top_is_clear(terms: &Terms, pattern: Term, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let clear = |part: Term| top_is_clear(terms, part, depth);
    match terms.node(pattern) {
        // Constants have the width of what they stand in, at most 64 bits.
        Node::Bits(op, width, a, b, c) => {
            let known = |part: Term| bit_number(terms, part);
            let low = |part: Term| known(part).is_some_and(|bits| bits >> (width - 1) == 0);
            match op {
                BitOp::And => low(a) || low(b) || clear(a) || clear(b),
                BitOp::Or | BitOp::Xor => (low(a) || clear(a)) && (low(b) || clear(b)),
                BitOp::ShiftRight => known(b).is_some_and(|by| by > 0) || clear(a),
                BitOp::Concat => known(b).is_some_and(|bits| bits >> (width / 2 - 1) & 1 == 0) || clear(b),
                // An extension by zeros.
                BitOp::Other => b == Term::ZERO && c == Term::ONE,
                _ => false,
            }
        }
        _ => false,
    }
}

fn reinterpret(terms: &mut Terms, format: Format, symbol: Symbol) -> Term {
    match symbol.kind {
        SymbolKind::Number(held) => {
            let same_float =
                matches!((held, format), (Format::F32, Format::Tf32) | (Format::Tf32, Format::F32));
            let any_sign = format.class() == FormatClass::Bits || held.class() == FormatClass::Bits;
            let integers = !held.is_float() && !format.is_float();
            let fits = held.bits() == format.bits() && (any_sign || held.class() == format.class())
                || held.bits() < format.bits() && (any_sign || held.class() == format.class());
            if same_float || integers && fits {
                return symbol.term;
            }
            let pattern = terms.bits_of(held, symbol.term);
            let pattern = match held.bits().cmp(&format.bits()) {
                std::cmp::Ordering::Equal => pattern,
                std::cmp::Ordering::Greater => {
                    let zero = terms.bit_constant(0);
                    terms.bits(BitOp::Slice, format.bits() as u8, pattern, zero, Term::ZERO)
                }
                std::cmp::Ordering::Less => {
                    let signed = held.class() == FormatClass::Signed;
                    terms.bits(BitOp::Other, format.bits() as u8, pattern, Term::ZERO, extension_code(signed))
                }
            };
            terms.from_bits(format, pattern)
        }
        SymbolKind::Bits => number_of_pattern(terms, format, symbol.term),
        SymbolKind::Condition => terms.select(symbol.term, Term::ONE, Term::ZERO),
    }
}

/// The number that a pattern holds, looking through choices and bf16 widened to f32.
fn number_of_pattern(terms: &mut Terms, format: Format, pattern: Term) -> Term {
    match terms.node(pattern) {
        Node::Select(condition, a, b) if is_leaf(terms, a) && is_leaf(terms, b) => {
            let a = number_of_pattern(terms, format, a);
            let b = number_of_pattern(terms, format, b);
            terms.select(condition, a, b)
        }
        Node::Bits(BitOp::Concat, 32, low, high, _)
            if format == Format::F32 && bit_number(terms, low) == Some(0) =>
        {
            match terms.node(high) {
                Node::BitsOf(Format::Bf16, number) => number,
                _ => terms.from_bits(format, pattern),
            }
        }
        Node::BitsOf(held, number) if held != format => {
            reinterpret(terms, format, Symbol::number(held, number))
        }
        _ => terms.from_bits(format, pattern),
    }
}

fn is_leaf(terms: &Terms, pattern: Term) -> bool {
    match terms.node(pattern) {
        Node::BitConstant(_) | Node::BitsOf(..) => true,
        Node::Select(_, a, b) => {
            let leaf = |term| matches!(terms.node(term), Node::BitConstant(_) | Node::BitsOf(..));
            leaf(a) && leaf(b)
        }
        _ => false,
    }
}

/// A condition; concrete predicates are `TRUE` or `FALSE`.
pub(super) fn as_condition(terms: &mut Terms, value: Value) -> Option<Term> {
    match value {
        Value::Concrete(bits) => Some(if bits & 1 == 1 { Term::TRUE } else { Term::FALSE }),
        Value::Undefined(_) => None,
        Value::Symbolic(symbol) => Some(match symbol.kind {
            SymbolKind::Condition => symbol.term,
            _ => {
                let number = as_number(terms, Format::B32, value)?;
                let zero = terms.compare(Relation::Equal, number, Term::ZERO);
                terms.not(zero)
            }
        }),
    }
}

/// A condition as a predicate register's value.
pub(super) fn predicate(condition: Term) -> Value {
    match condition {
        Term::TRUE => Value::Concrete(1),
        Term::FALSE => Value::Concrete(0),
        _ => Value::Symbolic(Symbol::condition(condition)),
    }
}

/// `if condition then a else b` for values of `format`. Bits that one side lacks are missing where that
/// side is chosen.
pub(super) fn choose(terms: &mut Terms, condition: Term, a: Value, b: Value, format: Format) -> Value {
    if condition == Term::TRUE || a == b {
        return a;
    }
    if condition == Term::FALSE {
        return b;
    }
    let held = |value: Value| match value {
        Value::Symbolic(Symbol { kind: SymbolKind::Number(format), .. }) => Some(format),
        _ => None,
    };
    let conditions =
        |value: Value| matches!(value, Value::Symbolic(Symbol { kind: SymbolKind::Condition, .. }));
    if matches!(a, Value::Undefined(_)) || matches!(b, Value::Undefined(_)) {
        return gaps::choose(terms, condition, a, b, format);
    }
    if conditions(a) || conditions(b) {
        let (Some(a), Some(b)) = (as_condition(terms, a), as_condition(terms, b)) else {
            return Value::NEVER;
        };
        let both = terms.and(condition, a);
        let not = terms.not(condition);
        let other = terms.and(not, b);
        return predicate(terms.or(both, other));
    }
    let common = match (held(a), held(b)) {
        (Some(x), Some(y)) if x == y => Some(x),
        (Some(x), None) if matches!(b, Value::Concrete(_)) => Some(x),
        (None, Some(y)) if matches!(a, Value::Concrete(_)) => Some(y),
        (None, None) if format.class() != FormatClass::Bits => Some(format),
        _ => None,
    };
    if let Some(common) = common {
        let (Some(x), Some(y)) = (as_number(terms, common, a), as_number(terms, common, b)) else {
            return Value::NEVER;
        };
        return Value::Symbolic(Symbol::number(common, terms.select(condition, x, y)));
    }
    let (Some(x), Some(y)) = (as_bits(terms, a, format.bits()), as_bits(terms, b, format.bits())) else {
        return Value::NEVER;
    };
    Value::Symbolic(Symbol::bits(terms.select(condition, x, y)))
}

/// A bit operation on complete values of `width` bits, of which at least one is symbolic.
pub(super) fn operate(terms: &mut Terms, op: BitOp, width: u32, values: &[Value]) -> Value {
    if let Some(value) = shortcut(terms, op, width, values) {
        return value;
    }
    if let Some(value) = super::bytes::bytewise(terms, op, width, values) {
        return value;
    }
    let mut patterns = [Term::ZERO; 3];
    for (pattern, value) in patterns.iter_mut().zip(values) {
        *pattern = as_bits(terms, *value, width).unwrap_or(Term::ZERO);
    }
    let [mut a, mut b, c] = patterns;
    if op.commutes() && a > b {
        std::mem::swap(&mut a, &mut b);
    }
    let result = terms.bits(op, width as u8, a, b, c);
    if op.is_condition() { predicate(result) } else { Value::Symbolic(Symbol::bits(result)) }
}

/// Bit operations that have an exact reading: complements, sign bits, halves, choices of constants.
fn shortcut(terms: &mut Terms, op: BitOp, width: u32, values: &[Value]) -> Option<Value> {
    if let (BitOp::Not, [Value::Symbolic(symbol), ..]) = (op, values) {
        return complement(terms, *symbol, width);
    }
    let (symbol, constant, symbol_first) = match values {
        [Value::Symbolic(symbol), Value::Concrete(bits), ..] => (*symbol, mask(*bits, width), true),
        [Value::Concrete(bits), Value::Symbolic(symbol), ..] => (*symbol, mask(*bits, width), false),
        _ => return None,
    };
    let whole = Value::Symbolic(symbol);
    let ones = mask(u64::MAX, width);
    let sign = 1u64 << (width - 1);
    match (op, constant) {
        (BitOp::And, 0) | (BitOp::Mul, 0) => return Some(Value::Concrete(0)),
        (BitOp::Or | BitOp::Xor | BitOp::Add, 0) => return Some(whole),
        (BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned, 0) if symbol_first => {
            return Some(whole);
        }
        (BitOp::And, all) if all == ones => return Some(whole),
        _ => {}
    }
    if (op, constant) == (BitOp::Xor, ones)
        && let Some(value) = complement(terms, symbol, width)
    {
        return Some(value);
    }
    if let SymbolKind::Number(format) = symbol.kind
        && format.is_float()
        && format.bits() == width
    {
        let number = match (op, constant) {
            (BitOp::Xor, flip) if flip == sign => Some(terms.neg(symbol.term)),
            (BitOp::And, keep) if keep == sign - 1 => Some(terms.unary(Unary::Abs, symbol.term)),
            (BitOp::Or, set) if set == sign => {
                let abs = terms.unary(Unary::Abs, symbol.term);
                Some(terms.neg(abs))
            }
            _ => None,
        };
        if let Some(number) = number {
            return Some(Value::Symbolic(Symbol::number(format, number)));
        }
    }
    let half = width / 2;
    let low_half = mask(u64::MAX, half);
    if let Some((low, high)) = halves(terms, symbol, width) {
        let zero = Value::Concrete(0);
        match (op, constant) {
            (BitOp::And, keep) if keep == low_half => return Some(concat(terms, low, zero, width)),
            (BitOp::And, keep) if keep == low_half << half => return Some(concat(terms, zero, high, width)),
            (BitOp::ShiftRight, by) if symbol_first && by == u64::from(half) => {
                return Some(concat(terms, high, zero, width));
            }
            (BitOp::ShiftLeft, by) if symbol_first && by == u64::from(half) => {
                return Some(concat(terms, zero, low, width));
            }
            _ => {}
        }
    }
    if let SymbolKind::Number(format) = symbol.kind
        && format.bits() == half
        && symbol_first
        && (op, constant) == (BitOp::ShiftLeft, u64::from(half))
    {
        return Some(concat(terms, Value::Concrete(0), whole, width));
    }
    None
}

/// All bits of a signed number turned: -1 - x, which never overflows.
fn complement(terms: &mut Terms, symbol: Symbol, width: u32) -> Option<Value> {
    match symbol.kind {
        SymbolKind::Number(format) if format.class() == FormatClass::Signed && format.bits() == width => {
            Some(Value::Symbolic(Symbol::number(format, terms.sub(Term::MINUS_ONE, symbol.term))))
        }
        _ => None,
    }
}

fn bit_number(terms: &Terms, pattern: Term) -> Option<u64> {
    match terms.node(pattern) {
        Node::BitConstant(bits) => Some(bits),
        _ => None,
    }
}

pub(super) fn pattern_width(terms: &Terms, pattern: Term) -> Option<u32> {
    match terms.node(pattern) {
        Node::BitsOf(format, _) => Some(format.bits()),
        Node::Bits(_, width, ..) => Some(u32::from(width)),
        _ => None,
    }
}

/// The low `bits` bits.
#[inline]
pub(super) fn mask(word: u64, bits: u32) -> u64 {
    if bits >= 64 { word } else { word & ((1 << bits) - 1) }
}
