//! What instructions mean over the reals: functions from terms to terms that rows name.
//!
//! Rounding to nearest is ignored (the ledger says so), with one exception that keeps proofs
//! honest: adding a constant so large that the sum has no fraction bits left is the well-known way
//! to round to an integer, so such a sum stays an uninterpreted [`Terms::round`]. Directed
//! roundings are always kept: an author who writes one relies on it.

use crate::base::Format;
use crate::term::{Node, Number, Relation, Rounding, Term, Terms, Unary};
use num_rational::BigRational;

/// What [`Meaning::Real`](crate::isa::Meaning) holds.
pub(super) type Function = fn(&mut Terms, &[Term]) -> Term;

/// A rounding mode of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Mode {
    /// `rn`, `rz`, `rm`, `rp`; nothing is `rn`.
    pub(super) fn from_name(name: Option<&str>) -> Option<Mode> {
        Some(match name {
            None | Some("rn" | "rni" | "rna") => Mode::Nearest,
            Some("rz" | "rzi") => Mode::Zero,
            Some("rm" | "rmi") => Mode::Down,
            Some("rp" | "rpi") => Mode::Up,
            Some(_) => return None,
        })
    }
}

/// Digits of a format's fraction.
const fn fraction_bits(format: Format) -> u64 {
    match format {
        Format::F64 => 52,
        Format::F32 => 23,
        Format::F16 | Format::Tf32 => 10,
        Format::Bf16 => 7,
        _ => 0,
    }
}

/// Whether a constant is so large that adding it rounds to integers.
fn is_magic(terms: &Terms, term: Term, format: Format) -> bool {
    let Some(id) = term.as_constant() else { return false };
    let Number::Rational(value) = &terms.constant_at(id).number else { return false };
    // |n / d| ≥ 2^(f-1) if n has at least f more bits than d, or d is 1 and n has f bits.
    let (above, below) = (value.numer().bits(), value.denom().bits());
    let least = below + fraction_bits(format) - 1;
    above > least
        || above == least
            && (value.is_integer()
                || value.numer().magnitude() >= &(value.denom().magnitude() << (fraction_bits(format) - 1)))
}

/// A conversion with `.satfinite` into format `F` (an index into [`Format::ALL`]), and 0 for negative ones if
/// `RELU`, rounded to nearest or `TO_ZERO`: the clamp that the same code without `.satfinite` has to write,
/// unless the number is seen to lie in the format's range.
///
/// Into fp8 there is no other conversion, so that many kernels saturate that are not meant to, and the ranges of
/// bf16 and tf32 are nearly that of f32: there the limits are constants of their own, which can be left out as an
/// assumption.
pub(super) fn saturating<const F: usize, const RELU: bool, const TO_ZERO: bool>(
    terms: &mut Terms,
    s: &[Term],
) -> Term {
    saturated(terms, s[0], Format::ALL[F], RELU, TO_ZERO)
}

#[inline(never)]
fn saturated(terms: &mut Terms, number: Term, format: Format, relu: bool, to_zero: bool) -> Term {
    let number = if to_zero { terms.round(Rounding::Zero, format, number) } else { number };
    let number = if relu { self::relu(terms, &[number]) } else { number };
    if terms.lies_within(format, number) {
        return number;
    }
    let [low, high] = match format {
        Format::F16 => [-65_504f32, 65_504.0].map(|limit| terms.number(Format::F32, limit.to_bits().into())),
        _ => terms.limits(format),
    };
    let above = if relu { number } else { terms.max(number, low) };
    terms.min(above, high)
}

/// A magnitude as the scale of a block (UE8M0): rounded down, or `UP`, to a power of two of at least 2⁻¹²⁷. The
/// rounding is kept: what a block is divided by decides what its elements are.
pub(super) fn scale<const UP: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    let magnitude = terms.unary(Unary::Abs, s[0]);
    let least = terms.number(Format::Ue8m0, 0);
    let magnitude = terms.max(magnitude, least);
    terms.round(if UP { Rounding::Up } else { Rounding::Down }, Format::Ue8m0, magnitude)
}

/// Float arithmetic for format `F` (an index into [`Format::ALL`]) and rounding `M` (0 nearest,
/// 1 zero, 2 down, 3 up), saturating to [0, 1] if `SAT`.
pub(super) struct Float<const F: usize, const M: usize, const SAT: bool>;

impl<const F: usize, const M: usize, const SAT: bool> Float<F, M, SAT> {
    fn finish(terms: &mut Terms, exact: Term, magic: bool) -> Term {
        let format = Format::ALL[F];
        let rounded = match M {
            0 if magic => terms.round(Rounding::NearestEven, format, exact),
            0 => exact,
            1 => terms.round(Rounding::Zero, format, exact),
            2 => terms.round(Rounding::Down, format, exact),
            _ => terms.round(Rounding::Up, format, exact),
        };
        if SAT {
            return saturate(terms, rounded);
        }
        terms.note_float(format, rounded);
        rounded
    }

    pub(super) fn add(terms: &mut Terms, s: &[Term]) -> Term {
        let magic = is_magic(terms, s[0], Format::ALL[F]) || is_magic(terms, s[1], Format::ALL[F]);
        let exact = terms.add(s[0], s[1]);
        Self::finish(terms, exact, magic)
    }

    pub(super) fn sub(terms: &mut Terms, s: &[Term]) -> Term {
        let magic = is_magic(terms, s[0], Format::ALL[F]) || is_magic(terms, s[1], Format::ALL[F]);
        let exact = terms.sub(s[0], s[1]);
        Self::finish(terms, exact, magic)
    }

    pub(super) fn mul(terms: &mut Terms, s: &[Term]) -> Term {
        let exact = terms.mul(s[0], s[1]);
        Self::finish(terms, exact, false)
    }

    pub(super) fn fma(terms: &mut Terms, s: &[Term]) -> Term {
        let magic = is_magic(terms, s[2], Format::ALL[F]);
        let exact = terms.fma(s[0], s[1], s[2]);
        Self::finish(terms, exact, magic)
    }

    pub(super) fn div(terms: &mut Terms, s: &[Term]) -> Term {
        let exact = terms.div(s[0], s[1]);
        Self::finish(terms, exact, false)
    }

    pub(super) fn recip(terms: &mut Terms, s: &[Term]) -> Term {
        let exact = terms.unary(Unary::Recip, s[0]);
        Self::finish(terms, exact, false)
    }

    pub(super) fn sqrt(terms: &mut Terms, s: &[Term]) -> Term {
        let exact = terms.unary(Unary::Sqrt, s[0]);
        Self::finish(terms, exact, false)
    }

    /// A conversion that rounds in a direction.
    pub(super) fn convert(terms: &mut Terms, s: &[Term]) -> Term {
        Self::finish(terms, s[0], false)
    }
}

/// `min(max(x, 0), 1)`
pub(super) fn saturate(terms: &mut Terms, x: Term) -> Term {
    let low = terms.max(x, Term::ZERO);
    terms.min(low, Term::ONE)
}

/// A real function by its index in [`Unary::ALL`].
pub(super) fn unary<const U: usize>(terms: &mut Terms, s: &[Term]) -> Term {
    terms.unary(Unary::ALL[U], s[0])
}

/// The function a relu-modified conversion applies.
pub(super) fn relu(terms: &mut Terms, s: &[Term]) -> Term {
    terms.extreme_unless_undefined(s[0], Term::ZERO, true)
}

pub(super) fn clamp01(terms: &mut Terms, s: &[Term]) -> Term {
    saturate(terms, s[0])
}

pub(super) fn add(terms: &mut Terms, s: &[Term]) -> Term {
    terms.add(s[0], s[1])
}

pub(super) fn sub(terms: &mut Terms, s: &[Term]) -> Term {
    terms.sub(s[0], s[1])
}

pub(super) fn mul(terms: &mut Terms, s: &[Term]) -> Term {
    terms.mul(s[0], s[1])
}

pub(super) fn fma(terms: &mut Terms, s: &[Term]) -> Term {
    terms.fma(s[0], s[1], s[2])
}

pub(super) fn neg(terms: &mut Terms, s: &[Term]) -> Term {
    terms.neg(s[0])
}

pub(super) fn min(terms: &mut Terms, s: &[Term]) -> Term {
    terms.min(s[0], s[1])
}

pub(super) fn max(terms: &mut Terms, s: &[Term]) -> Term {
    terms.max(s[0], s[1])
}

/// The format of a register, for what a function makes of it.
const fn float<const WIDE: bool>() -> Format {
    if WIDE { Format::F64 } else { Format::F32 }
}

/// A minimum of floats of 32 or 64 bits, in a register.
pub(super) fn min_held<const WIDE: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    let found = terms.min(s[0], s[1]);
    terms.held(float::<WIDE>(), found)
}

pub(super) fn max_held<const WIDE: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    let found = terms.max(s[0], s[1]);
    terms.held(float::<WIDE>(), found)
}

/// `.NaN`: an operand that is undefined wins.
pub(super) fn min_nan(terms: &mut Terms, s: &[Term]) -> Term {
    terms.extreme_unless_undefined(s[0], s[1], false)
}

pub(super) fn max_nan(terms: &mut Terms, s: &[Term]) -> Term {
    terms.extreme_unless_undefined(s[0], s[1], true)
}

/// `min.xorsign.abs`: the smaller magnitude with the sign of the product; with a constant, a clamp between it and its
/// opposite. `NAN`: an operand that is undefined wins.
pub(super) fn min_xorsign<const NAN: bool>(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    let least = if NAN { min_nan } else { min };
    let largest = if NAN { max_nan } else { max };
    let negative = [s[0], s[1]].map(|operand| terms.compare(Relation::Less, operand, Term::ZERO));
    for (number, bound, below) in [(s[0], s[1], negative[1]), (s[1], s[0], negative[0])] {
        if below == Term::TRUE || below == Term::FALSE {
            let bound = if below == Term::TRUE { terms.neg(bound) } else { bound };
            let opposite = terms.neg(bound);
            let upper = least(terms, &[number, bound]);
            let clamped = largest(terms, &[upper, opposite]);
            return Some(if below == Term::TRUE { terms.neg(clamped) } else { clamped });
        }
    }
    let magnitudes = [s[0], s[1]].map(|operand| terms.unary(Unary::Abs, operand));
    let smaller = least(terms, &magnitudes);
    let opposite = terms.neg(smaller);
    let differ = exclusive(terms, negative[0], negative[1]);
    Some(terms.select(differ, opposite, smaller))
}

pub(super) fn min3_nan(terms: &mut Terms, s: &[Term]) -> Term {
    let ab = terms.extreme_unless_undefined(s[0], s[1], false);
    terms.extreme_unless_undefined(ab, s[2], false)
}

pub(super) fn max3_nan(terms: &mut Terms, s: &[Term]) -> Term {
    let ab = terms.extreme_unless_undefined(s[0], s[1], true);
    terms.extreme_unless_undefined(ab, s[2], true)
}

/// Of three floats of 32 bits.
pub(super) fn min3(terms: &mut Terms, s: &[Term]) -> Term {
    let ab = min_held::<false>(terms, s);
    min_held::<false>(terms, &[ab, s[2]])
}

pub(super) fn max3(terms: &mut Terms, s: &[Term]) -> Term {
    let ab = max_held::<false>(terms, s);
    max_held::<false>(terms, &[ab, s[2]])
}

/// Integer division truncates.
pub(super) fn int_div(terms: &mut Terms, s: &[Term]) -> Term {
    let quotient = terms.div(s[0], s[1]);
    terms.unary(Unary::Trunc, quotient)
}

/// `a - b·trunc(a/b)`
pub(super) fn int_rem(terms: &mut Terms, s: &[Term]) -> Term {
    let quotient = int_div(terms, s);
    let product = terms.mul(s[1], quotient);
    terms.sub(s[0], product)
}

/// `c + |a - b|`
pub(super) fn sad(terms: &mut Terms, s: &[Term]) -> Term {
    let difference = terms.sub(s[0], s[1]);
    let magnitude = terms.unary(Unary::Abs, difference);
    terms.add(magnitude, s[2])
}

/// `|a|` with the sign of `b`; PTX writes the sign's source first. A zero among the data counts as positive, one that
/// the kernel writes has its sign in its bits.
pub(super) fn copysign(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    if s[0] == Term::ZERO {
        return None;
    }
    let magnitude = terms.unary(Unary::Abs, s[1]);
    let negated = terms.neg(magnitude);
    let negative = terms.compare(Relation::Less, s[0], Term::ZERO);
    Some(terms.select(negative, negated, magnitude))
}

/// Float to an integer of format `F` (an index into [`Format::ALL`]): rounded, and what is negative becomes
/// 0 if the format has no sign. A clamp at the ends of the format's range, or beyond them, does nothing that the
/// conversion would not.
///
/// Into 8 and 16 bits it is the clamp that it is; into more, floats are taken to be in range.
pub(super) fn to_integer<const U: usize, const F: usize>(terms: &mut Terms, s: &[Term]) -> Term {
    let format = Format::ALL[F];
    let (low, high) = int_range(format);
    let mut inner = s[0];
    while let Some(next) = without_limit(terms, inner, low, high) {
        inner = next;
    }
    let whole = terms.unary(Unary::ALL[U], inner);
    let number = match low {
        _ if format.bits() <= 16 => terms.clamped(format, whole),
        0 => terms.max(whole, Term::ZERO),
        _ => whole,
    };
    terms.note_conversion(format, number, whole);
    number
}

/// What a maximum or a minimum limits, if the limit is an end of a range of integers or beyond it.
fn without_limit(terms: &Terms, term: Term, low: i128, high: i128) -> Option<Term> {
    let node @ (Node::Min(a, b) | Node::Max(a, b)) = terms.node(term) else { return None };
    let is_beyond = |term: Term| {
        let value = terms.as_rational(term)?;
        Some(match node {
            Node::Max(..) => *value <= BigRational::from_integer(low.into()),
            _ => *value >= BigRational::from_integer(high.into()),
        })
    };
    [(a, b), (b, a)].into_iter().find_map(|(at, inner)| is_beyond(at)?.then_some(inner))
}

/// Saturation to the range of an integer format (an index into [`Format::ALL`]).
pub(super) fn clamp_int<const F: usize>(terms: &mut Terms, s: &[Term]) -> Term {
    terms.clamped(Format::ALL[F], s[0])
}

/// Least and greatest value of an integer format.
pub(super) const fn int_range(format: Format) -> (i128, i128) {
    let bits = format.bits();
    match format {
        Format::S8 | Format::S16 | Format::S32 | Format::S64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

// ---- comparisons ---------------------------------------------------------------------------

/// A comparison operator of `setp`, `set`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Both operands are numbers.
    Num,
    /// One is not.
    Nan,
}

/// Both operands are numbers: always, unless a mask's infinity made one of them undefined.
fn both_numbers(terms: &mut Terms, s: &[Term]) -> Term {
    let [a, b] = [s[0], s[1]].map(|operand| terms.is_number(operand));
    terms.and(a, b)
}

/// How an operand compares with ±∞, where it may be infinite or undefined for having divided by zero: that is how
/// compilers ask for it. Unordered comparisons hold where it is no number.
fn beside_infinity<const C: u8, const UNORDERED: bool>(terms: &mut Terms, s: &[Term]) -> Option<Term> {
    let infinite = |term: Term| term == Term::INFINITY || term == Term::MINUS_INFINITY;
    let (operand, limit, turned) = match (infinite(s[0]), infinite(s[1])) {
        (false, true) => (s[0], s[1], false),
        (true, false) => (s[1], s[0], true),
        _ => return None,
    };
    if C > 5 || !terms.is_partial(operand) {
        return None;
    }
    let there = terms.asked_infinity(operand, limit);
    // As if the limit was +∞ and stood behind.
    let below = turned == (limit == Term::MINUS_INFINITY);
    let holds = match (C, below) {
        (0, _) => there,
        (1, _) => terms.not(there),
        (2, true) | (4, false) => terms.not(there),
        (3, true) | (5, false) => Term::TRUE,
        (2, false) | (4, true) => Term::FALSE,
        _ => there,
    };
    let number = terms.asked_number(operand);
    Some(if UNORDERED {
        let undefined = terms.not(number);
        terms.or(holds, undefined)
    } else {
        terms.and(holds, number)
    })
}

fn both_asked(terms: &mut Terms, s: &[Term]) -> Term {
    let [a, b] = [s[0], s[1]].map(|operand| terms.asked_number(operand));
    terms.and(a, b)
}

/// A comparison, which an operand that is undefined makes true if it is unordered, and false otherwise.
fn compare<const C: u8, const UNORDERED: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    if let Some(holds) = beside_infinity::<C, UNORDERED>(terms, s) {
        return holds;
    }
    let holds = match C {
        // As C asks whether something is a number.
        0 | 1 if s[0] == s[1] => {
            let number = terms.asked_number(s[0]);
            return if C == 0 && !UNORDERED {
                number
            } else if C == 1 && UNORDERED {
                terms.not(number)
            } else if C == 0 {
                Term::TRUE
            } else {
                Term::FALSE
            };
        }
        0 => terms.compare(Relation::Equal, s[0], s[1]),
        1 => {
            let equal = terms.compare(Relation::Equal, s[0], s[1]);
            terms.not(equal)
        }
        2 => terms.compare(Relation::Less, s[0], s[1]),
        3 => terms.compare(Relation::LessEqual, s[0], s[1]),
        4 => terms.compare(Relation::Less, s[1], s[0]),
        5 => terms.compare(Relation::LessEqual, s[1], s[0]),
        6 => return both_asked(terms, s),
        _ => {
            let numbers = both_asked(terms, s);
            return terms.not(numbers);
        }
    };
    let as_undefined = C == 1;
    if as_undefined == UNORDERED || terms.is_defined(s[0]) && terms.is_defined(s[1]) {
        return holds;
    }
    let numbers = both_numbers(terms, s);
    if as_undefined {
        return terms.and(holds, numbers);
    }
    let undefined = terms.not(numbers);
    terms.or(holds, undefined)
}

fn exclusive(terms: &mut Terms, a: Term, b: Term) -> Term {
    let not_b = terms.not(b);
    terms.select(a, not_b, b)
}

/// The same of registers of 32 or 64 bits: to be at most their largest number is to be less than infinite.
fn compare_held<const C: u8, const UNORDERED: bool, const WIDE: bool>(terms: &mut Terms, s: &[Term]) -> Term {
    let ends = [s[0], s[1]].map(|operand| terms.infinity_after(float::<WIDE>(), operand));
    let (end, behind) = match ends {
        [None, Some(end)] => (end, true),
        [Some(end), None] => (end, false),
        _ => return compare::<C, UNORDERED>(terms, s),
    };
    let beyond = if behind { [s[0], end] } else { [end, s[1]] };
    match (C, behind == (end == Term::INFINITY)) {
        (2, false) => compare::<3, UNORDERED>(terms, &beyond),
        (3, true) => compare::<2, UNORDERED>(terms, &beyond),
        (4, true) => compare::<5, UNORDERED>(terms, &beyond),
        (5, false) => compare::<4, UNORDERED>(terms, &beyond),
        _ => compare::<C, UNORDERED>(terms, s),
    }
}

/// The meaning of a comparison of floats in registers of 32 or 64 bits.
pub(super) fn comparison_held<const WIDE: bool>(
    cmp: Cmp,
    unordered: bool,
) -> fn(&mut Terms, &[Term]) -> Term {
    match (cmp, unordered) {
        (Cmp::Lt, false) => compare_held::<2, false, WIDE>,
        (Cmp::Le, false) => compare_held::<3, false, WIDE>,
        (Cmp::Gt, false) => compare_held::<4, false, WIDE>,
        (Cmp::Ge, false) => compare_held::<5, false, WIDE>,
        (Cmp::Lt, true) => compare_held::<2, true, WIDE>,
        (Cmp::Le, true) => compare_held::<3, true, WIDE>,
        (Cmp::Gt, true) => compare_held::<4, true, WIDE>,
        (Cmp::Ge, true) => compare_held::<5, true, WIDE>,
        _ => comparison(cmp, unordered),
    }
}

/// The meaning of a comparison.
pub(super) fn comparison(cmp: Cmp, unordered: bool) -> fn(&mut Terms, &[Term]) -> Term {
    match (cmp, unordered) {
        (Cmp::Eq, false) => compare::<0, false>,
        (Cmp::Ne, false) => compare::<1, false>,
        (Cmp::Lt, false) => compare::<2, false>,
        (Cmp::Le, false) => compare::<3, false>,
        (Cmp::Gt, false) => compare::<4, false>,
        (Cmp::Ge, false) => compare::<5, false>,
        (Cmp::Eq, true) => compare::<0, true>,
        (Cmp::Ne, true) => compare::<1, true>,
        (Cmp::Lt, true) => compare::<2, true>,
        (Cmp::Le, true) => compare::<3, true>,
        (Cmp::Gt, true) => compare::<4, true>,
        (Cmp::Ge, true) => compare::<5, true>,
        (Cmp::Num, _) => compare::<6, false>,
        (Cmp::Nan, _) => compare::<7, false>,
    }
}

pub(super) fn logic_and(terms: &mut Terms, s: &[Term]) -> Term {
    terms.and(s[0], s[1])
}

pub(super) fn logic_or(terms: &mut Terms, s: &[Term]) -> Term {
    terms.or(s[0], s[1])
}

pub(super) fn logic_xor(terms: &mut Terms, s: &[Term]) -> Term {
    exclusive(terms, s[0], s[1])
}

pub(super) fn logic_not(terms: &mut Terms, s: &[Term]) -> Term {
    terms.not(s[0])
}
