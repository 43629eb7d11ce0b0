//! THE table of math idioms: what compilers inline for library functions.
//!
//! To add one: compile the function alone (`tests/corpus/kernels/math`), write the shape down with
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
    /// The micro-kernel that shows it: an expression over `v` for `kernels/math/unary.cu`.
    pub kernel: &'static str,
}

/// The rows; the first that matches counts.
pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "expf",
        shape: |terms, x| scaled_exp2(terms, x[0], 0x3bbb_989d, 0x3fb8_aa3b, 0x32a5_7060),
        meaning: |terms, x| terms.unary(Unary::Exp, x[0]),
        kernel: "expf(v)",
    },
    Idiom {
        name: "exp10f",
        shape: |terms, x| scaled_exp2(terms, x[0], 0x3c57_fa62, 0x4054_9a78, 0x3397_9a37),
        meaning: |terms, x| {
            let ln_10 = terms.named(Named::Ln10);
            let exponent = terms.mul(x[0], ln_10);
            terms.unary(Unary::Exp, exponent)
        },
        kernel: "exp10f(v)",
    },
    Idiom {
        name: "exp2f",
        shape: squared_exp2,
        meaning: |terms, x| terms.unary(Unary::Exp2, x[0]),
        kernel: "exp2f(v)",
    },
    Idiom {
        name: "tanhf",
        shape: |terms, x| {
            // CUDA 12 takes the sign over with and/or.
            tanh(terms, x[0], |terms, x, magnitude| {
                let (x_bits, bits) = (terms.bits_of(Format::F32, x), terms.bits_of(Format::F32, magnitude));
                let mask = terms.bit_constant(0x8000_0000);
                let sign = terms.bits(BitOp::And, 32, x_bits, mask, Term::ZERO);
                let signed = terms.bits(BitOp::Or, 32, sign, bits, Term::ZERO);
                terms.from_bits(Format::F32, signed)
            })
        },
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
        kernel: "tanhf(v)",
    },
    Idiom {
        name: "tanhf",
        shape: |terms, x| {
            // CUDA 13 has an instruction for it.
            tanh(terms, x[0], |terms, x, magnitude| {
                let positive = terms.unary(Unary::Abs, magnitude);
                let negative = terms.neg(positive);
                let below = terms.compare(Relation::Less, x, Term::ZERO);
                terms.select(below, negative, positive)
            })
        },
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
        kernel: "tanhf(v)",
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

/// `1 - 2/(e^(2|x|) + 1)` with the sign of `x` from 0.6 on, an odd polynomial below.
fn tanh(terms: &mut Terms, x: Term, with_sign: fn(&mut Terms, Term, Term) -> Term) -> Term {
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
    let large = with_sign(terms, x, large);
    let square = terms.mul(x, x);
    let mut polynomial = f32(terms, 0x3c80_f082);
    for coefficient in [0xbd56_3cae, 0x3e08_5941, 0xbeaa_a9ed, 0] {
        let coefficient = f32(terms, coefficient);
        polynomial = terms.fma(polynomial, square, coefficient);
    }
    let small = terms.fma(polynomial, x, x);
    let boundary = terms.compare(Relation::LessEqual, boundary, magnitude);
    terms.select(boundary, large, small)
}
