//! THE table of math idioms: what compilers inline for library functions.
//!
//! To add one: compile the function alone (`tests/corpus/table/`), write the shape down with
//! the constructors below as its instructions stand, name the real function, and name the
//! micro-kernel. Constants are the bits in the compiled text.
//!
//! A shape belongs here only if it *is* the function up to rounding for every argument in range:
//! its polynomial and its constants are those of the library, to the last bit.
//!
//! What needs no row: `__expf`, `exp10f` and `logf` of fast-math builds are `ex2(x·c)` and
//! `lg2(x)·c`, where reading the constant `c` suffices; divisions, square roots and their
//! reciprocals are single instructions, precise or approximate, on every target since 2010.

use crate::base::Format;
use crate::term::{BitOp, Named, Relation, Rounding, Term, Terms, Unary};

/// One row.
pub struct Idiom {
    /// The library's name for it.
    pub name: &'static str,
    /// The code that compilers emit, over placeholders.
    pub shape: fn(&mut Terms, &[Term]) -> Term,
    /// What it computes, over the same.
    pub meaning: fn(&mut Terms, &[Term]) -> Term,
    /// The kernel that shows it, in `tests/corpus/kernels`; cases of the corpus run it.
    pub kernel: &'static str,
}

/// The rows; the first that matches counts.
pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "expf",
        shape: |terms, x| scaled_exp2(terms, x[0], 0x3bbb_989d, 0x3fb8_aa3b, 0x32a5_7060),
        meaning: |terms, x| terms.unary(Unary::Exp, x[0]),
        kernel: "math/exp.precise",
    },
    Idiom {
        name: "exp10f",
        shape: |terms, x| scaled_exp2(terms, x[0], 0x3c57_fa62, 0x4054_9a78, 0x3397_9a37),
        meaning: |terms, x| {
            let ln_10 = terms.named(Named::Ln10);
            let exponent = terms.mul(x[0], ln_10);
            terms.unary(Unary::Exp, exponent)
        },
        kernel: "math/exp10.precise",
    },
    Idiom {
        name: "exp2f",
        shape: squared_exp2,
        meaning: |terms, x| terms.unary(Unary::Exp2, x[0]),
        kernel: "handwritten/exp2_squared",
    },
    Idiom {
        name: "tanhf",
        shape: |terms, x| {
            // CUDA 12 takes the sign over with and/or; the number is made of bits before the choice,
            let (boundary, large, small) = tanh(terms, x[0]);
            let signed = with_sign_bit(terms, x[0], large);
            let signed = terms.from_bits(Format::F32, signed);
            terms.select(boundary, signed, small)
        },
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
        kernel: "math/tanh.precise",
    },
    Idiom {
        name: "tanhf",
        shape: |terms, x| {
            // or after it.
            let (boundary, large, small) = tanh(terms, x[0]);
            let signed = with_sign_bit(terms, x[0], large);
            let small = terms.bits_of(Format::F32, small);
            let chosen = terms.select(boundary, signed, small);
            terms.from_bits(Format::F32, chosen)
        },
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
        kernel: "math/tanh.precise",
    },
    Idiom {
        name: "tanhf",
        shape: |terms, x| {
            // CUDA 13 has an instruction for it.
            let (boundary, large, small) = tanh(terms, x[0]);
            let positive = terms.unary(Unary::Abs, large);
            let negative = terms.neg(positive);
            let below = terms.compare(Relation::Less, x[0], Term::ZERO);
            let signed = terms.select(below, negative, positive);
            terms.select(boundary, signed, small)
        },
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
        kernel: "math/tanh.cuda13.precise",
    },
    Idiom {
        name: "logf",
        shape: |terms, x| {
            let split = split_float(terms, x[0], -1_059_760_811);
            let value = natural_log(terms, &split);
            let value = or_infinite(terms, &split, value);
            or_minus_infinity(terms, &split, value)
        },
        meaning: |terms, x| terms.unary(Unary::Log, x[0]),
        kernel: "math/log.precise",
    },
    Idiom {
        name: "log10f",
        shape: |terms, x| {
            let split = split_float(terms, x[0], -1_059_760_811);
            let value = natural_log(terms, &split);
            let value = or_infinite(terms, &split, value);
            let scale = f32(terms, 0x3ede_5bd9);
            let value = terms.mul(value, scale);
            or_minus_infinity(terms, &split, value)
        },
        meaning: |terms, x| {
            let (log, ln_10) = (terms.unary(Unary::Log, x[0]), terms.named(Named::Ln10));
            terms.div(log, ln_10)
        },
        kernel: "math/log10.precise",
    },
    Idiom {
        name: "log2f",
        shape: |terms, x| {
            let split = split_float(terms, x[0], -1_060_439_283);
            let coefficients = [
                0x3dc6_b27f,
                0xbe2c_7f30,
                0x3e2f_cf2a,
                0xbe37_4e43,
                0x3e52_0bf4,
                0xbe76_3c8b,
                0x3e93_bf99,
                0xbeb8_aa49,
                0x3ef6_384a,
                0xbf38_aa3b,
            ];
            let value = polynomial(terms, split.fraction, &coefficients);
            let value = terms.mul(split.fraction, value);
            let value = terms.mul(split.fraction, value);
            let log2e = f32(terms, 0x3fb8_aa3b);
            let value = terms.fma(split.fraction, log2e, value);
            let value = terms.add(split.exponent, value);
            let value = or_infinite(terms, &split, value);
            or_minus_infinity(terms, &split, value)
        },
        meaning: |terms, x| terms.unary(Unary::Log2, x[0]),
        kernel: "math/log2.precise",
    },
];

/// A single-precision constant.
fn f32(terms: &mut Terms, bits: u32) -> Term {
    terms.number(Format::F32, u64::from(bits))
}

/// `2^(x·c)` by splitting off the integer part of `x·c`: adding 1.5·2^23 leaves it in the low bits
/// of the sum, from where a shift by 23 puts it into the exponent field. `slope` is `c/252`, since
/// a saturating multiply-add clamps the integer part to [-126, 126]; `high + low` is `c`.
fn scaled_exp2(terms: &mut Terms, x: Term, slope: u32, high: u32, low: u32) -> Term {
    let (slope, high, low) = (f32(terms, slope), f32(terms, high), f32(terms, low));
    let (half, range) = (f32(terms, 0x3f00_0000), f32(terms, 0x437c_0000));
    let (magic, unmagic) = (f32(terms, 0x4b40_0001), f32(terms, 0xcb40_007f));
    let position = terms.fma(x, slope, half);
    let position = terms.max(position, Term::ZERO);
    let position = terms.min(position, Term::ONE);
    let shifted = terms.fma(position, range, magic);
    let shifted = terms.round(Rounding::Down, Format::F32, shifted);
    let whole = terms.add(shifted, unmagic);
    let whole = terms.round(Rounding::NearestEven, Format::F32, whole);
    let minus_whole = terms.neg(whole);
    let fraction = terms.fma(x, high, minus_whole);
    let fraction = terms.fma(x, low, fraction);
    let fraction = terms.unary(Unary::Exp2, fraction);
    let bits = terms.bits_of(Format::F32, shifted);
    let by = terms.bit_constant(23);
    let bits = terms.bits(BitOp::ShiftLeft, 32, bits, by, Term::ZERO);
    let power = terms.from_bits(Format::F32, bits);
    terms.mul(fraction, power)
}

/// `2^x` with its argument halved, and the result squared, where it would be subnormal.
fn squared_exp2(terms: &mut Terms, x: &[Term]) -> Term {
    let (least, half) = (f32(terms, 0xc2fc_0000), f32(terms, 0x3f00_0000));
    let small = terms.compare(Relation::Less, x[0], least);
    let halved = terms.mul(x[0], half);
    let argument = terms.select(small, halved, x[0]);
    let power = terms.unary(Unary::Exp2, argument);
    let square = terms.mul(power, power);
    terms.select(small, square, power)
}

/// Horner's scheme.
fn polynomial(terms: &mut Terms, x: Term, coefficients: &[u32]) -> Term {
    let mut value = f32(terms, coefficients[0]);
    for coefficient in &coefficients[1..] {
        let coefficient = f32(terms, *coefficient);
        value = terms.fma(value, x, coefficient);
    }
    value
}

/// The pieces of tanh: whether |x| is at least 0.6; `1 - 2/(e^(2|x|) + 1)`, for then; an odd
/// polynomial, for below.
fn tanh(terms: &mut Terms, x: Term) -> (Term, Term, Term) {
    let magnitude = terms.unary(Unary::Abs, x);
    let (scale, minus_two) = (f32(terms, 0x4038_aa3b), f32(terms, 0xc000_0000));
    let power = terms.mul(magnitude, scale);
    let power = terms.unary(Unary::Exp2, power);
    let below = terms.add(power, Term::ONE);
    let below = terms.unary(Unary::Recip, below);
    let large = terms.fma(below, minus_two, Term::ONE);
    let (saturated, boundary) = (f32(terms, 0x4110_2cb4), f32(terms, 0x3f19_999a));
    let saturated = terms.compare(Relation::LessEqual, saturated, magnitude);
    let large = terms.select(saturated, Term::ONE, large);
    let square = terms.mul(x, x);
    let odd = polynomial(terms, square, &[0x3c80_f082, 0xbd56_3cae, 0x3e08_5941, 0xbeaa_a9ed, 0]);
    let small = terms.fma(odd, x, x);
    let boundary = terms.compare(Relation::LessEqual, boundary, magnitude);
    (boundary, large, small)
}

/// The bits of a magnitude with the sign bit of `x`.
fn with_sign_bit(terms: &mut Terms, x: Term, magnitude: Term) -> Term {
    let (x_bits, bits) = (terms.bits_of(Format::F32, x), terms.bits_of(Format::F32, magnitude));
    let mask = terms.bit_constant(0x8000_0000);
    let sign = terms.bits(BitOp::And, 32, x_bits, mask, Term::ZERO);
    terms.bits(BitOp::Or, 32, sign, bits, Term::ZERO)
}

/// `x = (1 + fraction) · 2^exponent`, the fraction around 0.
struct Split {
    /// `x`, scaled up by 2^23 if it is subnormal.
    normal: Term,
    fraction: Term,
    exponent: Term,
}

/// Takes a float's bits apart; `offset` moves the boundary between exponents to where the
/// polynomial wants it.
fn split_float(terms: &mut Terms, x: Term, offset: i32) -> Split {
    let (least, up, down) = (f32(terms, 0x0080_0000), f32(terms, 0x4b00_0000), f32(terms, 0xc1b8_0000));
    let subnormal = terms.compare(Relation::Less, x, least);
    let scaled = terms.mul(x, up);
    let normal = terms.select(subnormal, scaled, x);
    let correction = terms.select(subnormal, down, Term::ZERO);
    let bits = terms.bits_of(Format::F32, normal);
    let number = terms.from_bits(Format::B32, bits);
    let offset = terms.number(Format::B32, u64::from(offset as u32));
    let moved = terms.add(number, offset);
    let moved = terms.bits_of(Format::B32, moved);
    let mask = terms.bit_constant(0xff80_0000);
    let high = terms.bits(BitOp::And, 32, moved, mask, Term::ZERO);
    let high_number = terms.from_bits(Format::B32, high);
    let rest = terms.sub(number, high_number);
    let rest = terms.bits_of(Format::B32, rest);
    let significand = terms.from_bits(Format::F32, rest);
    let fraction = terms.add(significand, Term::MINUS_ONE);
    let steps = terms.from_bits(Format::S32, high);
    let unit = f32(terms, 0x3400_0000);
    let exponent = terms.fma(steps, unit, correction);
    Split { normal, fraction, exponent }
}

/// `ln x` of a float taken apart.
fn natural_log(terms: &mut Terms, split: &Split) -> Term {
    let coefficients = [
        0xbe05_5027,
        0x3e10_39f6,
        0xbdf8_cdcc,
        0x3e0f_2955,
        0xbe2a_d8b9,
        0x3e4c_ed0b,
        0xbe7f_ff22,
        0x3eaa_aa78,
        0xbf00_0000,
    ];
    let value = polynomial(terms, split.fraction, &coefficients);
    let value = terms.mul(split.fraction, value);
    let value = terms.fma(value, split.fraction, split.fraction);
    let ln_2 = f32(terms, 0x3f31_7218);
    terms.fma(split.exponent, ln_2, value)
}

/// A logarithm of ∞ and of what is no positive number, by the bits.
fn or_infinite(terms: &mut Terms, split: &Split, value: Term) -> Term {
    let bits = terms.bits_of(Format::F32, split.normal);
    let bits = terms.from_bits(Format::U32, bits);
    let infinity = terms.number(Format::U32, 0x7f80_0000);
    let finite = terms.compare(Relation::Less, bits, infinity);
    let otherwise = terms.fma(split.normal, Term::INFINITY, Term::INFINITY);
    terms.select(finite, value, otherwise)
}

/// The logarithm of 0.
fn or_minus_infinity(terms: &mut Terms, split: &Split, value: Term) -> Term {
    let zero = terms.compare(Relation::Equal, split.normal, Term::ZERO);
    terms.select(zero, Term::MINUS_INFINITY, value)
}
