//! What integer instructions that look at bits mean: products' high halves, fields, permutations,
//! counts; functions from integers to an integer that rows name.
//!
//! Operands have a place in their formats; the result counts modulo 2ⁿ of the destination. Each is
//! written with the few bit operations that can be evaluated and decided, so that `mul.hi` meets the
//! upper half of a 64-bit product, and a field taken by `bfe` one taken by shifts.
//!
//! Fields, insertions and permutations whose place is data are shifts and masks by data: what is shifted beyond
//! a word is gone, so that no place needs a case of its own.
//!
//! Guarantees: a function that gives a term gives what the manual says on all operands.

use super::real::{add, clamp_int, mul};
use crate::base::{Format, FormatClass};
use crate::term::{BitOp, Relation, Term, Terms};
use num_traits::ToPrimitive;

fn is_signed(format: Format) -> bool {
    format.class() == FormatClass::Signed
}

/// An integer constant, as bits.
fn known(terms: &Terms, term: Term) -> Option<u64> {
    let value = terms.as_rational(term)?;
    value.is_integer().then(|| value.numer().to_i128()).flatten().map(|value| value as u64)
}

/// `op` with a constant second operand.
fn with(terms: &mut Terms, op: BitOp, width: u32, pattern: Term, constant: u32) -> Term {
    let constant = terms.bit_constant(constant.into());
    terms.bits(op, width as u8, pattern, constant, Term::ZERO)
}

fn slice(terms: &mut Terms, pattern: Term, at: u32, width: u32) -> Term {
    with(terms, BitOp::Slice, width, pattern, at)
}

/// The format of that sign and width.
fn of_width(signed: bool, bits: u32) -> Format {
    match (signed, bits) {
        (true, 8) => Format::S8,
        (true, 16) => Format::S16,
        (true, 32) => Format::S32,
        (true, _) => Format::S64,
        (false, 8) => Format::U8,
        (false, 16) => Format::U16,
        (false, 32) => Format::U32,
        (false, _) => Format::U64,
    }
}

/// Functions for a format, an index into [`Format::ALL`].
pub(super) struct Word<const F: usize>;

impl<const F: usize> Word<F> {
    const FORMAT: Format = Format::ALL[F];
    const BITS: u32 = Self::FORMAT.bits();

    /// The pattern of an integer.
    fn pattern(terms: &mut Terms, a: Term) -> Term {
        terms.bits_of(Self::FORMAT, a)
    }

    /// The integer of a pattern.
    fn number(terms: &mut Terms, pattern: Term) -> Term {
        terms.from_bits(Self::FORMAT, pattern)
    }

    /// The upper half of a product.
    pub(super) fn mul_hi(terms: &mut Terms, s: &[Term]) -> Term {
        if Self::BITS < 64 {
            let product = terms.mul(s[0], s[1]);
            let wide = of_width(is_signed(Self::FORMAT), 2 * Self::BITS);
            let product = terms.bits_of(wide, product);
            let high = slice(terms, product, Self::BITS, Self::BITS);
            return Self::number(terms, high);
        }
        let [a, b] = [s[0], s[1]].map(|operand| Self::pattern(terms, operand));
        let high = terms.bits(BitOp::MulHigh, 64, a, b, Term::ZERO);
        let high = terms.from_bits(Format::U64, high);
        if !is_signed(Self::FORMAT) {
            return high;
        }
        // -1 is 2⁶⁴ - 1 there: what is too much is the other factor.
        let mut result = high;
        for (factor, other) in [(s[0], s[1]), (s[1], s[0])] {
            let negative = terms.compare(Relation::Less, factor, Term::ZERO);
            let excess = terms.select(negative, other, Term::ZERO);
            result = terms.sub(result, excess);
        }
        result
    }

    /// The upper half of a product, plus a third.
    pub(super) fn mad_hi(terms: &mut Terms, s: &[Term]) -> Term {
        let high = Self::mul_hi(terms, s);
        terms.add(high, s[2])
    }

    pub(super) fn mad_hi_sat(terms: &mut Terms, s: &[Term]) -> Term {
        let sum = Self::mad_hi(terms, s);
        clamp_int::<F>(terms, &[sum])
    }

    pub(super) fn add_sat(terms: &mut Terms, s: &[Term]) -> Term {
        let sum = add(terms, s);
        clamp_int::<F>(terms, &[sum])
    }

    pub(super) fn sub_sat(terms: &mut Terms, s: &[Term]) -> Term {
        let difference = terms.sub(s[0], s[1]);
        clamp_int::<F>(terms, &[difference])
    }

    /// What is left of a number that is not negative modulo 2ⁿ, and whether that is less than all.
    fn carried(terms: &mut Terms, total: Term) -> (Term, Term) {
        let most = terms.integer((1i128 << Self::BITS) - 1);
        let above = terms.compare(Relation::Less, most, total);
        (total, terms.select(above, Term::ONE, Term::ZERO))
    }

    /// The sum of two or three words without a sign, and its carry.
    pub(super) fn add_carry(terms: &mut Terms, s: &[Term]) -> (Term, Term) {
        let total = s[1..].iter().fold(s[0], |sum, next| terms.add(sum, *next));
        Self::carried(terms, total)
    }

    /// The difference of two words without a sign, less a borrow if there is a third; and its borrow.
    pub(super) fn sub_borrow(terms: &mut Terms, s: &[Term]) -> (Term, Term) {
        let total = s[1..].iter().fold(s[0], |rest, next| terms.sub(rest, *next));
        let below = terms.compare(Relation::Less, total, Term::ZERO);
        (total, terms.select(below, Term::ONE, Term::ZERO))
    }

    /// The lower or upper half of a product, without a sign, plus the other sources; and the carry of that
    /// sum.
    fn mad_carry(terms: &mut Terms, half: Term, others: &[Term]) -> (Term, Term) {
        let half = terms.wrapped(of_width(false, Self::BITS), half);
        let total = others.iter().fold(half, |sum, next| terms.add(sum, *next));
        Self::carried(terms, total)
    }

    pub(super) fn mad_lo_carry(terms: &mut Terms, s: &[Term]) -> (Term, Term) {
        let product = terms.mul(s[0], s[1]);
        Self::mad_carry(terms, product, &s[2..])
    }

    pub(super) fn mad_hi_carry(terms: &mut Terms, s: &[Term]) -> (Term, Term) {
        let high = Self::mul_hi(terms, s);
        Self::mad_carry(terms, high, &s[2..])
    }

    /// 1 for 0, and 0 for all else.
    pub(super) fn is_zero(terms: &mut Terms, s: &[Term]) -> Term {
        let zero = terms.compare(Relation::Equal, s[0], Term::ZERO);
        terms.select(zero, Term::ONE, Term::ZERO)
    }

    /// The product of the low 24 bits.
    fn product24(terms: &mut Terms, s: &[Term]) -> Term {
        let op = if is_signed(Self::FORMAT) { BitOp::ExtendSigned } else { BitOp::Extend };
        let factors = [s[0], s[1]].map(|operand| {
            let pattern = Self::pattern(terms, operand);
            let low = with(terms, op, 32, pattern, 24);
            Self::number(terms, low)
        });
        mul(terms, &factors)
    }

    pub(super) fn mul24_lo(terms: &mut Terms, s: &[Term]) -> Term {
        Self::product24(terms, s)
    }

    pub(super) fn mul24_hi(terms: &mut Terms, s: &[Term]) -> Term {
        let product = Self::product24(terms, s);
        let product = terms.bits_of(of_width(is_signed(Self::FORMAT), 64), product);
        let high = slice(terms, product, 16, 32);
        Self::number(terms, high)
    }

    pub(super) fn mad24_lo(terms: &mut Terms, s: &[Term]) -> Term {
        let product = Self::mul24_lo(terms, s);
        terms.add(product, s[2])
    }

    pub(super) fn mad24_hi(terms: &mut Terms, s: &[Term]) -> Term {
        let product = Self::mul24_hi(terms, s);
        terms.add(product, s[2])
    }

    pub(super) fn mad24_hi_sat(terms: &mut Terms, s: &[Term]) -> Term {
        let sum = Self::mad24_hi(terms, s);
        clamp_int::<F>(terms, &[sum])
    }

    pub(super) fn min_relu(terms: &mut Terms, s: &[Term]) -> Term {
        let least = terms.min(s[0], s[1]);
        terms.max(least, Term::ZERO)
    }

    pub(super) fn max_relu(terms: &mut Terms, s: &[Term]) -> Term {
        let most = terms.max(s[0], s[1]);
        terms.max(most, Term::ZERO)
    }

    fn count(terms: &mut Terms, op: BitOp, a: Term) -> Term {
        let pattern = Self::pattern(terms, a);
        let count = terms.bits(op, Self::BITS as u8, pattern, Term::ZERO, Term::ZERO);
        terms.from_bits(of_width(false, Self::BITS), count)
    }

    pub(super) fn popc(terms: &mut Terms, s: &[Term]) -> Term {
        Self::count(terms, BitOp::PopCount, s[0])
    }

    pub(super) fn clz(terms: &mut Terms, s: &[Term]) -> Term {
        Self::count(terms, BitOp::LeadingZeros, s[0])
    }

    pub(super) fn brev(terms: &mut Terms, s: &[Term]) -> Term {
        let pattern = Self::pattern(terms, s[0]);
        let reversed = terms.bits(BitOp::Reverse, Self::BITS as u8, pattern, Term::ZERO, Term::ZERO);
        Self::number(terms, reversed)
    }

    /// The bits of a number that is not negative, or of those turned of one that is.
    fn magnitude_bits(terms: &mut Terms, a: Term) -> Term {
        if !is_signed(Self::FORMAT) {
            return a;
        }
        let negative = terms.compare(Relation::Less, a, Term::ZERO);
        let turned = terms.sub(Term::MINUS_ONE, a);
        terms.select(negative, turned, a)
    }

    /// The place of the highest bit that differs from the sign; all ones if there is none.
    pub(super) fn bfind(terms: &mut Terms, s: &[Term]) -> Term {
        let bits = Self::magnitude_bits(terms, s[0]);
        let zeros = Self::count(terms, BitOp::LeadingZeros, bits);
        let top = terms.integer(i128::from(Self::BITS) - 1);
        terms.sub(top, zeros)
    }

    /// How far it has to be shifted up.
    pub(super) fn bfind_shift(terms: &mut Terms, s: &[Term]) -> Term {
        let bits = Self::magnitude_bits(terms, s[0]);
        let zeros = Self::count(terms, BitOp::LeadingZeros, bits);
        let none = terms.compare(Relation::Equal, bits, Term::ZERO);
        terms.select(none, Term::MINUS_ONE, zeros)
    }

    /// A field of source 0: from bit source 1 on, source 2 bits.
    pub(super) fn bfe(terms: &mut Terms, s: &[Term]) -> Option<Term> {
        let (Some(at), Some(length)) = (known(terms, s[1]), known(terms, s[2])) else {
            return Some(Self::bfe_by(terms, s));
        };
        let (at, length) = (at as u32 & 0xff, length as u32 & 0xff);
        let signed = is_signed(Self::FORMAT);
        if length == 0 || !signed && at >= Self::BITS {
            return Some(Term::ZERO);
        }
        let pattern = Self::pattern(terms, s[0]);
        let shift = if signed { BitOp::ShiftRightSigned } else { BitOp::ShiftRight };
        let mut field = with(terms, shift, Self::BITS, pattern, at.min(Self::BITS - 1));
        if length < Self::BITS {
            let extend = if signed { BitOp::ExtendSigned } else { BitOp::Extend };
            field = with(terms, extend, Self::BITS, field, length);
        }
        Some(Self::number(terms, field))
    }

    /// An operation on two patterns of this width.
    fn both(terms: &mut Terms, op: BitOp, a: Term, b: Term) -> Term {
        terms.bits(op, Self::BITS as u8, a, b, Term::ZERO)
    }

    /// A place or a length, as a pattern of this width: only its low eight bits count.
    fn place(terms: &mut Terms, source: Term) -> Term {
        let pattern = terms.bits_of(Format::U32, source);
        let low = with(terms, BitOp::And, 32, pattern, 0xff);
        if Self::BITS == 32 { low } else { with(terms, BitOp::Extend, Self::BITS, low, 32) }
    }

    /// So many ones, lowest first; all of them from the width on.
    fn low_ones(terms: &mut Terms, length: Term) -> Term {
        let all = terms.bit_constant(u64::MAX >> (64 - Self::BITS));
        let above = Self::both(terms, BitOp::ShiftLeft, all, length);
        Self::both(terms, BitOp::Not, above, Term::ZERO)
    }

    /// The low bits of a pattern, as many as `length` says, extended as the format is. A signed field of no
    /// bits is 0: all of it is shifted out.
    fn field_by(terms: &mut Terms, pattern: Term, length: Term) -> Term {
        if !is_signed(Self::FORMAT) {
            let inside = Self::low_ones(terms, length);
            return Self::both(terms, BitOp::And, pattern, inside);
        }
        let whole = terms.bit_constant(Self::BITS.into());
        let length = Self::both(terms, BitOp::Min, length, whole);
        let above = Self::both(terms, BitOp::Sub, whole, length);
        let up = Self::both(terms, BitOp::ShiftLeft, pattern, above);
        Self::both(terms, BitOp::ShiftRightSigned, up, above)
    }

    /// The field, where place or length are data.
    fn bfe_by(terms: &mut Terms, s: &[Term]) -> Term {
        let pattern = Self::pattern(terms, s[0]);
        let [at, length] = [s[1], s[2]].map(|source| Self::place(terms, source));
        let shift = if is_signed(Self::FORMAT) { BitOp::ShiftRightSigned } else { BitOp::ShiftRight };
        let moved = Self::both(terms, shift, pattern, at);
        let field = Self::field_by(terms, moved, length);
        Self::number(terms, field)
    }

    /// The low bits of source 0 in the place of those of source 1: from bit source 2 on, source 3 bits.
    pub(super) fn bfi(terms: &mut Terms, s: &[Term]) -> Option<Term> {
        let (Some(at), Some(length)) = (known(terms, s[2]), known(terms, s[3])) else {
            return Some(Self::bfi_by(terms, s));
        };
        let (at, length) = (at as u32 & 0xff, length as u32 & 0xff);
        if at >= Self::BITS || length == 0 {
            return Some(s[1]);
        }
        let ones = u64::MAX >> (64 - Self::BITS);
        let field = (if length >= 64 { u64::MAX } else { (1 << length) - 1 }) << at & ones;
        let [a, b] = [s[0], s[1]].map(|operand| Self::pattern(terms, operand));
        let moved = with(terms, BitOp::ShiftLeft, Self::BITS, a, at);
        let inside = terms.bit_constant(field);
        let outside = terms.bit_constant(!field & ones);
        Some(Self::inserted(terms, moved, b, [inside, outside]))
    }

    /// The same, where place or length are data.
    fn bfi_by(terms: &mut Terms, s: &[Term]) -> Term {
        let [a, b] = [s[0], s[1]].map(|operand| Self::pattern(terms, operand));
        let [at, length] = [s[2], s[3]].map(|source| Self::place(terms, source));
        let low = Self::low_ones(terms, length);
        let inside = Self::both(terms, BitOp::ShiftLeft, low, at);
        let outside = Self::both(terms, BitOp::Not, inside, Term::ZERO);
        let moved = Self::both(terms, BitOp::ShiftLeft, a, at);
        Self::inserted(terms, moved, b, [inside, outside])
    }

    /// Bits of one pattern inside of a mask, and of another outside of it.
    fn inserted(terms: &mut Terms, new: Term, old: Term, [inside, outside]: [Term; 2]) -> Term {
        let new = Self::both(terms, BitOp::And, new, inside);
        let old = Self::both(terms, BitOp::And, old, outside);
        let joined = Self::both(terms, BitOp::Or, new, old);
        Self::number(terms, joined)
    }

    /// The low bits of source 0, as many as source 1 says, at most all.
    pub(super) fn szext_clamp(terms: &mut Terms, s: &[Term]) -> Option<Term> {
        Some(match known(terms, s[1]) {
            Some(length) => Self::low_bits(terms, s[0], length.min(32) as u32),
            None => Self::low_bits_by(terms, s, BitOp::Min, 32),
        })
    }

    /// The same, with the count modulo 32.
    pub(super) fn szext_wrap(terms: &mut Terms, s: &[Term]) -> Option<Term> {
        Some(match known(terms, s[1]) {
            Some(length) => Self::low_bits(terms, s[0], length as u32 & 31),
            None => Self::low_bits_by(terms, s, BitOp::And, 31),
        })
    }

    fn low_bits(terms: &mut Terms, a: Term, length: u32) -> Term {
        if length == 0 {
            return Term::ZERO;
        }
        let extend = if is_signed(Self::FORMAT) { BitOp::ExtendSigned } else { BitOp::Extend };
        let pattern = Self::pattern(terms, a);
        let low =
            if length < Self::BITS { with(terms, extend, Self::BITS, pattern, length) } else { pattern };
        Self::number(terms, low)
    }

    /// The same, where the count is data that is limited first.
    fn low_bits_by(terms: &mut Terms, s: &[Term], limit: BitOp, most: u32) -> Term {
        let pattern = Self::pattern(terms, s[0]);
        let length = terms.bits_of(Format::U32, s[1]);
        let length = with(terms, limit, 32, length, most);
        let field = Self::field_by(terms, pattern, length);
        Self::number(terms, field)
    }
}

/// `count` ones from bit `first` on: what is shifted beyond the word is gone.
fn ones(terms: &mut Terms, first: Term, count: Term) -> Term {
    let one = terms.bit_constant(1);
    let above = terms.bits(BitOp::ShiftLeft, 32, one, count, Term::ZERO);
    let low = terms.bits(BitOp::Sub, 32, above, one, Term::ZERO);
    let moved = terms.bits(BitOp::ShiftLeft, 32, low, first, Term::ZERO);
    terms.from_bits(Format::U32, moved)
}

pub(super) fn mask_clamp(terms: &mut Terms, s: &[Term]) -> Term {
    let [first, count] = [s[0], s[1]].map(|source| terms.bits_of(Format::U32, source));
    ones(terms, first, count)
}

pub(super) fn mask_wrap(terms: &mut Terms, s: &[Term]) -> Term {
    let low = terms.bit_constant(31);
    let [first, count] = [s[0], s[1]].map(|source| {
        let pattern = terms.bits_of(Format::U32, source);
        terms.bits(BitOp::And, 32, pattern, low, Term::ZERO)
    });
    ones(terms, first, count)
}

/// The 32 bits of a pair from a bit on; source 0 is the lower half.
fn funnel(terms: &mut Terms, s: &[Term], at: u32) -> Term {
    let [low, high] = [s[0], s[1]].map(|half| terms.bits_of(Format::U32, half));
    let pair = terms.bits(BitOp::Concat, 64, low, high, Term::ZERO);
    let part = slice(terms, pair, at, 32);
    terms.from_bits(Format::U32, part)
}

/// The same, with a count that is not known: what is shifted this way and what comes in from the other half,
/// each shift giving zeros from 32 on.
fn funnel_by(terms: &mut Terms, s: &[Term], left: bool, wraps: bool) -> Term {
    let [low, high, count] = [s[0], s[1], s[2]].map(|source| terms.bits_of(Format::U32, source));
    let count = match wraps {
        true => with(terms, BitOp::And, 32, count, 31),
        false => with(terms, BitOp::Min, 32, count, 32),
    };
    let whole = terms.bit_constant(32);
    let rest = terms.bits(BitOp::Sub, 32, whole, count, Term::ZERO);
    let (up, down) = if left { (count, rest) } else { (rest, count) };
    let up = terms.bits(BitOp::ShiftLeft, 32, high, up, Term::ZERO);
    let down = terms.bits(BitOp::ShiftRight, 32, low, down, Term::ZERO);
    let both = terms.bits(BitOp::Or, 32, up.min(down), up.max(down), Term::ZERO);
    terms.from_bits(Format::U32, both)
}

pub(super) fn funnel_left_clamp(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    Some(match known(terms, s[2]) {
        Some(by) => funnel(terms, s, 32 - (by as u32).min(32)),
        None => funnel_by(terms, s, true, false),
    })
}

pub(super) fn funnel_left_wrap(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    Some(match known(terms, s[2]) {
        Some(by) => funnel(terms, s, 32 - (by as u32 & 31)),
        None => funnel_by(terms, s, true, true),
    })
}

pub(super) fn funnel_right_clamp(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    Some(match known(terms, s[2]) {
        Some(by) => funnel(terms, s, (by as u32).min(32)),
        None => funnel_by(terms, s, false, false),
    })
}

pub(super) fn funnel_right_wrap(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    Some(match known(terms, s[2]) {
        Some(by) => funnel(terms, s, by as u32 & 31),
        None => funnel_by(terms, s, false, true),
    })
}

/// Bytes of sources 0 and 1, or their signs spread over a byte, as source 2 picks.
pub(super) fn permute(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    let Some(selector) = known(terms, s[2]) else {
        let control = terms.bits_of(Format::U32, s[2]);
        let bytes = [0, 1, 2, 3].map(|at| {
            let choice = with(terms, BitOp::ShiftRight, 32, control, 4 * at);
            let from = with(terms, BitOp::And, 32, choice, 7);
            let byte = picked(terms, s, from);
            // Its sign, spread over it, if the fourth bit says so: shifted by 7 or by 0.
            let spread = with(terms, BitOp::And, 32, choice, 8);
            let one = with(terms, BitOp::ShiftRight, 32, spread, 3);
            let by = terms.bits(BitOp::Sub, 32, spread, one, Term::ZERO);
            let by = slice(terms, by, 0, 8);
            terms.bits(BitOp::ShiftRightSigned, 8, byte, by, Term::ZERO)
        });
        return Some(joined(terms, bytes));
    };
    let sources = [s[0], s[1]].map(|source| terms.bits_of(Format::U32, source));
    let mut sum = Term::ZERO;
    for at in 0..4 {
        let choice = (selector >> (4 * at) & 0xf) as u32;
        let byte = slice(terms, sources[(choice >> 2 & 1) as usize], 8 * (choice & 3), 8);
        let byte = match choice & 8 {
            0 => byte,
            _ => {
                let extended = with(terms, BitOp::ExtendSigned, 16, byte, 8);
                slice(terms, extended, 8, 8)
            }
        };
        let byte = terms.from_bits(Format::U8, byte);
        let weight = terms.integer(1 << (8 * at));
        sum = terms.fma(byte, weight, sum);
    }
    Some(sum)
}

/// The byte of sources 0 and 1, as one word, of a number below 8.
fn picked(terms: &mut Terms, s: &[Term], number: Term) -> Term {
    let [low, high] = [s[0], s[1]].map(|source| terms.bits_of(Format::U32, source));
    let both = terms.bits(BitOp::Concat, 64, low, high, Term::ZERO);
    let by = with(terms, BitOp::ShiftLeft, 32, number, 3);
    let by = with(terms, BitOp::Extend, 64, by, 32);
    let moved = terms.bits(BitOp::ShiftRight, 64, both, by, Term::ZERO);
    slice(terms, moved, 0, 8)
}

/// Four bytes as one number.
fn joined(terms: &mut Terms, bytes: [Term; 4]) -> Term {
    let [low, high] = [[bytes[0], bytes[1]], [bytes[2], bytes[3]]]
        .map(|[low, high]| terms.bits(BitOp::Concat, 16, low, high, Term::ZERO));
    let word = terms.bits(BitOp::Concat, 32, low, high, Term::ZERO);
    terms.from_bits(Format::U32, word)
}

/// `prmt` in a mode (numbered as in `bits`), with a control that is data: each byte's number is a function of
/// the control's low two bits.
pub(super) fn permute_by_mode<const M: u8>(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    let control = terms.bits_of(Format::U32, s[2]);
    let way = with(terms, BitOp::And, 32, control, 3);
    let bytes = [0, 1, 2, 3].map(|at| {
        let number = match M {
            0 => with(terms, BitOp::Add, 32, way, at),
            1 => {
                let back = with(terms, BitOp::Add, 32, way, 8 - at);
                with(terms, BitOp::And, 32, back, 7)
            }
            2 => way,
            3 => with(terms, BitOp::Max, 32, way, at),
            4 => with(terms, BitOp::Min, 32, way, at),
            _ => {
                let half = with(terms, BitOp::And, 32, control, 1);
                let first = with(terms, BitOp::ShiftLeft, 32, half, 1);
                with(terms, BitOp::Add, 32, first, at & 1)
            }
        };
        picked(terms, s, number)
    });
    Some(joined(terms, bytes))
}

/// The dot product of two halfwords with two bytes of source 1, from byte `from` on, plus source 2.
fn dot2(terms: &mut Terms, s: &[Term], signed: [bool; 2], from: u32) -> Term {
    let sources = [s[0], s[1]].map(|source| terms.bits_of(Format::U32, source));
    let mut sum = s[2];
    for at in 0..2 {
        let half = slice(terms, sources[0], 16 * at, 16);
        let byte = slice(terms, sources[1], 8 * (from + at), 8);
        let half = terms.from_bits(of_width(signed[0], 16), half);
        let byte = terms.from_bits(of_width(signed[1], 8), byte);
        sum = terms.fma(half, byte, sum);
    }
    sum
}

/// `dp2a`: with or without signs, of the lower or the upper two bytes of source 1.
pub(super) fn dot2_of<const A: bool, const B: bool, const HIGH: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    dot2(terms, s, [A, B], if HIGH { 2 } else { 0 })
}
