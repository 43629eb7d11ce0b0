//! Values as numbers, as conditions and as bit patterns, and the ways between them.
//!
//! A register holds whatever a program moved there: a real's bits may be read as an integer and
//! back. What can be read through exactly (halves put together again, a sign bit flipped, a bf16
//! widened by a shift) is; everything else stays a bit pattern.
//!
//! A symbolic integer of a format of n bits is a term of any size; the register holds its remainder
//! modulo 2ⁿ, and above those bits, in a wider register, what the format's sign extends it by. Sums,
//! differences and products work on the terms as they are ([`as_operand`]); whoever looks at an
//! integer's size (an extension, a conversion to a float, a comparison, a quotient, a shift to the
//! right) reads the remainder, with a sign or without ([`as_number`]).

use super::gaps;
use crate::base::{Format, FormatClass};
use crate::term::{BitOp, Node, Relation, Symbol, SymbolKind, Term, Terms, Unary, Value};

/// The term of a value read as a bit pattern of `width` bits, all of them: a bf16 with zeros below it is that number's
/// as an f32.
pub(super) fn as_bits(terms: &mut Terms, value: Value, width: u32) -> Option<Term> {
    let pattern = as_pattern(terms, value, width)?;
    Some(match widened(terms, pattern) {
        Some(number) => terms.bits_of(Format::F32, number),
        None => pattern,
    })
}

/// The same, of which parts may be taken.
pub(super) fn as_pattern(terms: &mut Terms, value: Value, width: u32) -> Option<Term> {
    match value {
        Value::Concrete(bits) => Some(terms.bit_constant(mask(bits, width))),
        Value::Undefined(_) => None,
        Value::Symbolic(symbol) => Some(match symbol.kind {
            SymbolKind::Bits => symbol.term,
            SymbolKind::Number(format) => {
                let pattern = terms.bits_of(format, symbol.term);
                match format.bits() >= width {
                    true => pattern,
                    false => extended(terms, format, pattern, width),
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

/// The pattern of a narrow format in a wider register: signed integers repeat their highest bit.
fn extended(terms: &mut Terms, format: Format, pattern: Term, width: u32) -> Term {
    let signed = format.class() == FormatClass::Signed;
    let op = if signed { BitOp::ExtendSigned } else { BitOp::Extend };
    let narrow = terms.bit_constant(u64::from(format.bits()));
    terms.bits(op, width as u8, pattern, narrow, Term::ZERO)
}

/// A bit pattern as a value: patterns of numbers become those numbers, constants concrete.
pub(super) fn value_of(terms: &Terms, pattern: Term) -> Value {
    match terms.node(pattern) {
        Node::BitsOf(format, number) => Value::Symbolic(Symbol::number(format, number)),
        Node::BitConstant(bits) => Value::Concrete(bits),
        _ => Value::Symbolic(Symbol::bits(pattern)),
    }
}

/// The number that a pattern is as an f32, if it is a bf16 with zeros below it.
pub(super) fn widened(terms: &Terms, pattern: Term) -> Option<Term> {
    let Node::Bits(BitOp::Concat, 32, low, high, _) = terms.node(pattern) else { return None };
    match terms.node(high) {
        Node::BitsOf(Format::Bf16, number) if bit_number(terms, low) == Some(0) => Some(number),
        _ => None,
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

/// A value of `bits` bits with zeros above it.
pub(super) fn extended_to(terms: &mut Terms, value: Value, bits: u32, width: u32) -> Value {
    match value {
        Value::Symbolic(_) => match as_bits(terms, value, bits) {
            Some(pattern) => {
                let narrow = terms.bit_constant(bits.into());
                let wide = terms.bits(BitOp::Extend, width as u8, pattern, narrow, Term::ZERO);
                Value::Symbolic(Symbol::bits(wide))
            }
            None => value,
        },
        _ => value,
    }
}

/// Two values of half the width as one of `width` bits.
pub(super) fn concat(terms: &mut Terms, low: Value, high: Value, width: u32) -> Value {
    let half = width / 2;
    if let (Value::Concrete(low), Value::Concrete(high)) = (low, high) {
        return Value::Concrete(mask(low, half) | mask(high, half) << half);
    }
    let (Some(low), Some(high)) = (as_pattern(terms, low, half), as_pattern(terms, high, half)) else {
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
            {
                if format.bits() == bits {
                    return value; // a narrow number that sat in a wide register
                }
                if let Some(narrow) = resized(format, bits).filter(|narrow| narrow.bits() < format.bits()) {
                    return Value::Symbolic(Symbol::number(narrow, symbol.term));
                }
            }
            // Of what has zeros above it.
            if bits < 8
                && symbol.kind == SymbolKind::Bits
                && let Node::Bits(BitOp::Extend, _, inner, narrow, _) = terms.node(symbol.term)
                && let Some(narrow) = bit_number(terms, narrow)
                && u64::from(at + bits) <= narrow
            {
                let inner = value_of(terms, inner);
                return slice(terms, inner, narrow as u32, at, bits);
            }
            // Less than a byte of a pattern that was shifted to where a product wants it.
            if bits < 8
                && symbol.kind == SymbolKind::Bits
                && let Node::Bits(BitOp::ShiftLeft, held, inner, by, _) = terms.node(symbol.term)
                && let Some(by) = bit_number(terms, by)
                && let Some(from) = u64::from(at).checked_sub(by)
                && at + bits <= u32::from(held)
            {
                let inner = value_of(terms, inner);
                return slice(terms, inner, held.into(), from as u32, bits);
            }
            let Some(pattern) = as_pattern(terms, value, width) else { return Value::NEVER };
            let from = terms.bit_constant(u64::from(at));
            Value::Symbolic(Symbol::bits(terms.bits(BitOp::Slice, bits as u8, pattern, from, Term::ZERO)))
        }
    }
}

/// The integer format of the same class with so many bits.
pub(super) fn resized(format: Format, bits: u32) -> Option<Format> {
    let fits = |other: &Format| other.class() == format.class() && other.bits() == bits;
    Format::ALL.into_iter().filter(|_| !format.is_float()).find(fits)
}

/// The term of a value read as a number in `format`; `None` if nothing was written. An integer has a
/// place in the format.
#[inline]
pub(super) fn as_number(terms: &mut Terms, format: Format, value: Value) -> Option<Term> {
    match value {
        Value::Concrete(bits) => Some(terms.number(format, mask(bits, format.bits()))),
        Value::Undefined(_) => None,
        Value::Symbolic(symbol) => Some(match symbol.kind {
            SymbolKind::Number(held) if held == format && format.is_float() => symbol.term,
            _ => reinterpret(terms, format, symbol),
        }),
    }
}

/// The term of an operand of an instruction that only looks at remainders modulo 2ⁿ: sums, differences
/// and products of registers of a format without a sign. Constants and patterns are read as signed, so
/// that adding 0xffffffff takes one away, and sums stay small.
#[inline]
pub(super) fn as_operand(terms: &mut Terms, format: Format, value: Value) -> Option<Term> {
    let Some(signed) = signed(format) else { return as_number(terms, format, value) };
    match value {
        Value::Symbolic(Symbol { kind: SymbolKind::Number(held), term })
            if !held.is_float() && held.bits() >= format.bits() =>
        {
            Some(term)
        }
        Value::Symbolic(Symbol { kind: SymbolKind::Number(held), term }) if !held.is_float() => {
            Some(terms.wrapped(held, term))
        }
        _ => as_number(terms, signed, value),
    }
}

/// The signed numbers of the width of plain bits.
pub(super) fn signed(format: Format) -> Option<Format> {
    match format {
        Format::B8 => Some(Format::S8),
        Format::B16 => Some(Format::S16),
        Format::B32 => Some(Format::S32),
        Format::B64 => Some(Format::S64),
        _ => None,
    }
}

/// Plain bits of an integer format's width: what sums and products of it are read as.
pub(super) fn plain(format: Format) -> Format {
    match format {
        Format::U8 | Format::S8 => Format::B8,
        Format::U16 | Format::S16 => Format::B16,
        Format::U32 | Format::S32 => Format::B32,
        Format::U64 | Format::S64 => Format::B64,
        _ => format,
    }
}

fn reinterpret(terms: &mut Terms, format: Format, symbol: Symbol) -> Term {
    match symbol.kind {
        SymbolKind::Number(held) => {
            let same_float =
                matches!((held, format), (Format::F32, Format::Tf32) | (Format::Tf32, Format::F32));
            if same_float {
                return symbol.term;
            }
            if !held.is_float() && !format.is_float() {
                // What lies above a narrow integer is its own format's business.
                let number = match held.bits() < format.bits() {
                    true => terms.wrapped(held, symbol.term),
                    false => symbol.term,
                };
                return terms.wrapped(format, number);
            }
            let pattern = terms.bits_of(held, symbol.term);
            let pattern = match held.bits().cmp(&format.bits()) {
                std::cmp::Ordering::Equal => pattern,
                std::cmp::Ordering::Greater => {
                    let zero = terms.bit_constant(0);
                    terms.bits(BitOp::Slice, format.bits() as u8, pattern, zero, Term::ZERO)
                }
                std::cmp::Ordering::Less => extended(terms, held, pattern, format.bits()),
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
        Node::Bits(BitOp::Concat, 32, ..)
            if format.bits() == 32
                && let Some(number) = widened(terms, pattern) =>
        {
            if format == Format::F32 {
                return number;
            }
            let word = terms.bits_of(Format::F32, number);
            terms.from_bits(format, word)
        }
        Node::BitsOf(held, number) if held != format => {
            reinterpret(terms, format, Symbol::number(held, number))
        }
        // A float of less than a byte, with zeros above it.
        Node::Bits(BitOp::Extend, _, inner, width, _)
            if format.is_below_byte() && bit_number(terms, width) == Some(format.bits().into()) =>
        {
            number_of_pattern(terms, format, inner)
        }
        _ => match pattern_width(terms, pattern) {
            // The low bits of a wide register.
            Some(width) if width > format.bits() && (!format.is_float() || format.is_below_byte()) => {
                let zero = terms.bit_constant(0);
                let low = terms.bits(BitOp::Slice, format.bits() as u8, pattern, zero, Term::ZERO);
                terms.from_bits(format, low)
            }
            _ => terms.from_bits(format, pattern),
        },
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
    // A bf16 that was widened is a float like the other.
    let wide = |terms: &Terms, value: Value| match value {
        Value::Symbolic(Symbol { kind: SymbolKind::Bits, term }) => widened(terms, term).is_some(),
        _ => false,
    };
    let whole = |value: Value| match value {
        Value::Symbolic(_) => held(value).is_some_and(|format| !format.is_float()),
        _ => true,
    };
    let common = match (held(a), held(b)) {
        // Integers of the same width and extension: the sides may be of any size.
        (Some(x), Some(y)) if x == y => Some(if x.is_float() { x } else { plain(x) }),
        (Some(x), None) if x.is_float() && matches!(b, Value::Concrete(_)) => Some(x),
        (None, Some(y)) if y.is_float() && matches!(a, Value::Concrete(_)) => Some(y),
        (Some(Format::F32), None) if wide(terms, b) => Some(Format::F32),
        (None, Some(Format::F32)) if wide(terms, a) => Some(Format::F32),
        (None, None) if format.class() != FormatClass::Bits => Some(format),
        _ if whole(a) && whole(b) => Some(match format.bits() {
            8 => Format::B8,
            16 => Format::B16,
            32 => Format::B32,
            _ => Format::B64,
        }),
        _ => None,
    };
    if let Some(common) = common {
        let (Some(x), Some(y)) = (as_operand(terms, common, a), as_operand(terms, common, b)) else {
            return Value::NEVER;
        };
        let kept = held(a).filter(|kept| held(b) == Some(*kept)).unwrap_or(common);
        let kept = signed(kept).unwrap_or(kept);
        let chosen = terms.select(condition, x, y);
        return Value::Symbolic(Symbol::number(kept, terms.held(common, chosen)));
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
    if op == BitOp::Xor
        && let Some(rest) = cancelled(terms, width, a, b)
    {
        return rest;
    }
    if op.commutes() && a > b {
        std::mem::swap(&mut a, &mut b);
    }
    let result = terms.bits(op, width as u8, a, b, c);
    if op.is_condition() { predicate(result) } else { Value::Symbolic(Symbol::bits(result)) }
}

/// What is left of two words taken from each other bit by bit where a part is in both: programs that sort exchange
/// values so.
fn cancelled(terms: &mut Terms, width: u32, a: Term, b: Term) -> Option<Value> {
    let parts = |pattern: Term| match terms.node(pattern) {
        Node::Bits(BitOp::Xor, own, x, y, _) if u32::from(own) == width => [Some(x), Some(y)],
        _ => [Some(pattern), None],
    };
    let (mut one, mut two) = (parts(a), parts(b));
    let mut any = false;
    for part in &mut one {
        if let Some(other) = two.iter_mut().find(|other| part.is_some() && **other == *part) {
            (*part, *other, any) = (None, None, true);
        }
    }
    let left: Vec<Term> = one.into_iter().chain(two).flatten().collect();
    match left[..] {
        _ if !any => None,
        [] => Some(Value::Concrete(0)),
        [x] => Some(value_of(terms, x)),
        [x, y] => {
            let rest = terms.bits(BitOp::Xor, width as u8, x.min(y), x.max(y), Term::ZERO);
            Some(Value::Symbolic(Symbol::bits(rest)))
        }
        _ => None,
    }
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
    let wide = match symbol.kind {
        SymbolKind::Number(format) if format.is_float() && format.bits() == width => {
            Some((format, symbol.term))
        }
        SymbolKind::Bits => widened(terms, symbol.term).map(|number| (Format::F32, number)),
        _ => None,
    };
    if let Some((format, float)) = wide {
        let number = match (op, constant) {
            (BitOp::Xor, flip) if flip == sign => Some(terms.neg(float)),
            (BitOp::And, keep) if keep == sign - 1 => Some(terms.unary(Unary::Abs, float)),
            (BitOp::Or, set) if set == sign => {
                let abs = terms.unary(Unary::Abs, float);
                Some(terms.neg(abs))
            }
            _ => None,
        };
        if let Some(number) = number {
            return Some(Value::Symbolic(Symbol::number(format, number)));
        }
    }
    // What a mask leaves of a number that has no more bits.
    if let SymbolKind::Number(format) = symbol.kind
        && op == BitOp::And
        && !format.is_float()
        && (constant & (constant + 1)) == 0
        && terms.lies_between(symbol.term, 0, constant.into())
    {
        return Some(whole);
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

/// All bits of an integer turned: -1 - x.
fn complement(terms: &mut Terms, symbol: Symbol, width: u32) -> Option<Value> {
    match symbol.kind {
        SymbolKind::Number(format) if !format.is_float() && format.bits() == width => {
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
        Node::Select(_, a, b) => pattern_width(terms, a).or_else(|| pattern_width(terms, b)),
        _ => None,
    }
}

/// The low `bits` bits.
#[inline]
pub(super) fn mask(word: u64, bits: u32) -> u64 {
    if bits >= 64 { word } else { word & ((1 << bits) - 1) }
}
