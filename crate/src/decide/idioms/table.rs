//! THE table of math idioms: what compilers inline for library functions.
//!
//! To add one: let `tests/corpus/table/elementary.py` (in double precision `double.py`) compile the
//! function alone, add the row, and run `UPDATE_EXPECT=1 cargo test -p warpproof-tests --test idioms`,
//! which executes the kernels and writes what they compute to `shapes.txt`.
//!
//! A kernel belongs here only if what it computes *is* the function up to rounding, for every
//! argument in range: its polynomials and constants are those of the library, to the last bit.
//!
//! What needs no row: `__expf`, `exp10f` and `logf` of fast-math builds are `ex2(x·c)` and
//! `lg2(x)·c`, where reading the constant `c` suffices; divisions, square roots, reciprocals, floor
//! and ceiling are single instructions.

use crate::base::Format;
use crate::term::{Named, Relation, Term, Terms, Unary, inverse};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

/// Literal powers are multiplied out up to this one.
const MOST_FACTORS: i32 = 64;

/// One row.
pub struct Idiom {
    /// The library's name for it.
    pub name: &'static str,
    /// The kernels that compute it and nothing else, below `tests/corpus/kernels`. `@1` behind a
    /// name: the output that is parameter 1, where there are several. `#5` behind a name: this
    /// literal stands for any number, as a further input.
    pub kernels: &'static [&'static str],
    /// What it computes of its inputs.
    pub meaning: fn(&mut Terms, &[Term]) -> Term,
}

impl Idiom {
    /// Of a function in half precision, the format that its result is rounded to: elsewhere what it adds for that
    /// rounding is another program.
    pub(super) fn format(&self) -> Option<Format> {
        match self.kernels[0].split('/').next() {
            Some("half") => Some(Format::F16),
            Some("bfloat") => Some(Format::Bf16),
            _ => None,
        }
    }
}

/// The rows; the first that matches counts.
pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "expf",
        kernels: &["math/exp.precise", "elementary/exp.cuda13.precise", "triton/library.exp@1"],
        meaning: |terms, x| terms.unary(Unary::Exp, x[0]),
    },
    Idiom {
        name: "exp10f",
        kernels: &["math/exp10.precise", "elementary/exp10.cuda13.precise"],
        meaning: |terms, x| ten_to_the(terms, x[0]),
    },
    Idiom {
        name: "exp2f",
        kernels: &["handwritten/exp2_squared"],
        meaning: |terms, x| terms.unary(Unary::Exp2, x[0]),
    },
    Idiom {
        name: "expm1f",
        kernels: &[
            "elementary/expm1.precise",
            "elementary/expm1.cuda13.precise",
            "elementary/expm1.sm100.precise",
            "elementary/expm1.cuda13.sm100.precise",
            "triton/library.expm1@1",
        ],
        meaning: expm1,
    },
    Idiom {
        name: "sinhf",
        kernels: &[
            "elementary/sinh.precise",
            "elementary/sinh.cuda13.precise",
            "elementary/sinh.fast",
            "triton/library.sinh@1",
        ],
        meaning: sinh,
    },
    Idiom {
        name: "coshf",
        kernels: &[
            "elementary/cosh.precise",
            "elementary/cosh.cuda13.precise",
            "elementary/cosh.fast",
            "triton/library.cosh@1",
        ],
        meaning: cosh,
    },
    Idiom {
        name: "tanhf",
        kernels: &["math/tanh.precise", "elementary/tanh.cuda13.precise", "triton/library.tanh@1"],
        meaning: |terms, x| terms.unary(Unary::Tanh, x[0]),
    },
    Idiom {
        name: "logf",
        kernels: &[
            "math/log.precise",
            "elementary/log.cuda13.precise",
            "elementary/log.sm100.precise",
            "triton/library.log@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Log, x[0]),
    },
    Idiom {
        name: "log1pf",
        kernels: &[
            "elementary/log1p.precise",
            "elementary/log1p.cuda13.precise",
            "elementary/log1p.sm100.precise",
            "triton/library.log1p@1",
        ],
        meaning: log1p,
    },
    Idiom {
        name: "log10f",
        kernels: &[
            "math/log10.precise",
            "elementary/log10.cuda13.precise",
            "elementary/log10.sm100.precise",
            "triton/library.log10@1",
        ],
        meaning: |terms, x| log_10(terms, x[0]),
    },
    Idiom {
        name: "log2f",
        kernels: &[
            "math/log2.precise",
            "elementary/log2.cuda13.precise",
            "elementary/log2.sm100.precise",
            "triton/library.log2@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Log2, x[0]),
    },
    Idiom {
        name: "asinhf",
        kernels: &[
            "elementary/asinh.precise",
            "elementary/asinh.cuda13.precise",
            "elementary/asinh.fast",
            "elementary/asinh.sm100.precise",
            "elementary/asinh.cuda13.sm100.precise",
            "triton/library.asinh@1",
        ],
        meaning: |terms, x| inverse::asinh(terms, x[0]),
    },
    Idiom {
        name: "atanf",
        kernels: &[
            "elementary/atan.precise",
            "elementary/atan.cuda13.precise",
            "elementary/atan.sm100.precise",
            "elementary/atan.cuda13.sm100.precise",
        ],
        meaning: |terms, x| terms.unary(Unary::Atan, x[0]),
    },
    Idiom {
        name: "asinf",
        kernels: &[
            "elementary/asin.precise",
            "elementary/asin.cuda13.precise",
            "elementary/asin.sm100.precise",
            "elementary/asin.cuda13.sm100.precise",
        ],
        meaning: |terms, x| inverse::asin(terms, x[0]),
    },
    Idiom {
        name: "acosf",
        kernels: &[
            "elementary/acos.precise",
            "elementary/acos.cuda13.precise",
            "elementary/acos.sm100.precise",
            "elementary/acos.cuda13.sm100.precise",
        ],
        meaning: |terms, x| inverse::acos(terms, x[0]),
    },
    Idiom {
        name: "atanhf",
        kernels: &[
            "elementary/atanh.precise",
            "elementary/atanh.cuda13.precise",
            "elementary/atanh.sm100.precise",
            "elementary/atanh.cuda13.sm100.precise",
        ],
        meaning: |terms, x| inverse::atanh(terms, x[0]),
    },
    Idiom {
        name: "acoshf",
        kernels: &[
            "elementary/acosh.precise",
            "elementary/acosh.cuda13.precise",
            "elementary/acosh.sm100.precise",
            "elementary/acosh.cuda13.sm100.precise",
        ],
        meaning: |terms, x| inverse::acosh(terms, x[0]),
    },
    Idiom {
        name: "atan2f",
        kernels: &[
            "elementary/atan2.precise",
            "elementary/atan2.cuda13.precise",
            "elementary/atan2.sm100.precise",
            "elementary/atan2.cuda13.sm100.precise",
        ],
        meaning: |terms, x| inverse::atan2(terms, x[0], x[1]),
    },
    Idiom {
        name: "erff",
        kernels: &[
            "elementary/erf.precise",
            "elementary/erf.cuda13.precise",
            "elementary/erf.sm100.precise",
            "elementary/erf.cuda13.sm100.precise",
            "triton/library.erf@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Erf, x[0]),
    },
    Idiom {
        name: "erfcf",
        kernels: &[
            "elementary/erfc.precise",
            "elementary/erfc.cuda13.precise",
            "elementary/erfc.fast",
            "triton/library.erfc@1",
        ],
        meaning: erfc,
    },
    Idiom {
        name: "normcdff",
        kernels: &[
            "elementary/normcdf.precise",
            "elementary/normcdf.cuda13.precise",
            "elementary/normcdf.fast",
            "triton/library.normcdf@1",
        ],
        meaning: normcdf,
    },
    Idiom {
        name: "sinf",
        kernels: &[
            "elementary/sin.precise",
            "elementary/sin.cuda13.precise",
            "elementary/sin.sm100.precise",
            "elementary/sincos.precise@1",
            "triton/library.sin@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Sin, x[0]),
    },
    Idiom {
        name: "cosf",
        kernels: &[
            "elementary/cos.precise",
            "elementary/cos.cuda13.precise",
            "elementary/cos.sm100.precise",
            "elementary/sincos.precise@2",
            "triton/library.cos@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Cos, x[0]),
    },
    Idiom {
        name: "tanf",
        kernels: &["elementary/tan.precise", "elementary/tan.cuda13.precise", "triton/library.tan@1"],
        meaning: tan,
    },
    Idiom {
        name: "sinpif",
        kernels: &[
            "elementary/sinpi.precise",
            "elementary/sinpi.cuda13.precise",
            "elementary/sinpi.fast",
            "elementary/sinpi.sm90.precise",
            "elementary/sinpi.sm100.precise",
        ],
        meaning: |terms, x| {
            let angle = half_turns(terms, x[0]);
            terms.unary(Unary::Sin, angle)
        },
    },
    Idiom {
        name: "cospif",
        kernels: &[
            "elementary/cospi.precise",
            "elementary/cospi.cuda13.precise",
            "elementary/cospi.fast",
            "elementary/cospi.sm90.precise",
            "elementary/cospi.sm100.precise",
        ],
        meaning: |terms, x| {
            let angle = half_turns(terms, x[0]);
            terms.unary(Unary::Cos, angle)
        },
    },
    Idiom {
        name: "cbrtf",
        kernels: &[
            "elementary/cbrt.precise",
            "elementary/cbrt.cuda13.precise",
            "elementary/cbrt.fast",
            "elementary/cbrt.cuda13.sm100.precise",
            "triton/library.cbrt@1",
        ],
        meaning: |terms, x| terms.unary(Unary::Cbrt, x[0]),
    },
    Idiom {
        name: "rcbrtf",
        kernels: &[
            "elementary/rcbrt.precise",
            "elementary/rcbrt.cuda13.precise",
            "elementary/rcbrt.fast",
            "elementary/rcbrt.cuda13.sm100.precise",
            "triton/library.rcbrt@1",
        ],
        meaning: rcbrt,
    },
    Idiom {
        name: "powf",
        kernels: &[
            "elementary/pow.precise",
            "elementary/pow.cuda13.precise",
            "elementary/pow.sm100.precise",
            "triton/library.pow@2",
        ],
        meaning: |terms, x| power(terms, x[0], x[1]),
    },
    Idiom {
        // A literal exponent that is no integer: x < 0 has no power.
        name: "powf",
        kernels: &[
            "elementary/pow_fraction.precise#0.37",
            "elementary/pow_fraction.cuda13.precise#0.37",
            "elementary/pow_minus_fraction.precise#-0.37",
            "elementary/pow_minus_fraction.cuda13.precise#-0.37",
        ],
        meaning: |terms, x| power(terms, x[0], x[1]),
    },
    Idiom {
        // An even one: |x|^y.
        name: "powf",
        kernels: &[
            "elementary/pow_even.precise#6",
            "elementary/pow_even.cuda13.precise#6",
            "elementary/pow_minus_even.precise#-6",
            "elementary/pow_minus_even.cuda13.precise#-6",
        ],
        meaning: even_power,
    },
    Idiom {
        // An odd one: x·|x|^(y-1).
        name: "powf",
        kernels: &[
            "elementary/pow_odd.precise#5",
            "elementary/pow_odd.cuda13.precise#5",
            "elementary/pow_minus_odd.precise#-5",
            "elementary/pow_minus_odd.cuda13.precise#-5",
        ],
        meaning: odd_power,
    },
    Idiom {
        name: "powf",
        kernels: &["elementary/pow_minus_one.precise", "elementary/pow_minus_one.cuda13.precise"],
        meaning: |terms, x| terms.unary(Unary::Recip, x[0]),
    },
    Idiom {
        // A literal base: its logarithm is in the code.
        name: "powf",
        kernels: &["elementary/pow_of_two.precise", "elementary/pow_of_two.cuda13.precise"],
        meaning: |terms, x| terms.unary(Unary::Exp2, x[0]),
    },
    Idiom {
        name: "powf",
        kernels: &["elementary/pow_of_ten.precise", "elementary/pow_of_ten.cuda13.precise"],
        meaning: |terms, x| ten_to_the(terms, x[0]),
    },
    Idiom { name: "hexp", kernels: &["half/exp.precise"], meaning: |terms, x| terms.unary(Unary::Exp, x[0]) },
    Idiom {
        name: "hexp2",
        kernels: &["half/exp2.precise"],
        meaning: |terms, x| terms.unary(Unary::Exp2, x[0]),
    },
    Idiom { name: "hlog", kernels: &["half/log.precise"], meaning: |terms, x| terms.unary(Unary::Log, x[0]) },
    Idiom {
        name: "hlog2",
        kernels: &["half/log2.precise"],
        meaning: |terms, x| terms.unary(Unary::Log2, x[0]),
    },
    Idiom { name: "hsin", kernels: &["half/sin.precise"], meaning: |terms, x| terms.unary(Unary::Sin, x[0]) },
    Idiom { name: "hcos", kernels: &["half/cos.precise"], meaning: |terms, x| terms.unary(Unary::Cos, x[0]) },
    Idiom { name: "hexp10", kernels: &["half/exp10.precise"], meaning: |terms, x| ten_to_the(terms, x[0]) },
    Idiom { name: "hexp10", kernels: &["bfloat/exp10.precise"], meaning: |terms, x| ten_to_the(terms, x[0]) },
    Idiom { name: "hlog10", kernels: &["half/log10.precise"], meaning: |terms, x| log_10(terms, x[0]) },
    Idiom {
        // A float's word with half of a unit added, of which the upper half is taken.
        name: "rounding to bf16",
        kernels: &["rounded_word/even", "rounded_word/even_unless_nan", "rounded_word/up"],
        meaning: |_, x| x[0],
    },
    Idiom {
        name: "hypotf",
        kernels: &[
            "elementary/hypot.precise",
            "elementary/hypot.cuda13.precise",
            "elementary/hypot.fast",
            "triton/library.hypot@2",
        ],
        meaning: hypot,
    },
    Idiom {
        name: "fmodf",
        kernels: &[
            "elementary/fmod.precise",
            "elementary/fmod.cuda13.precise",
            "elementary/fmod.cuda13.sm100.precise",
            "triton/library.fmod@2",
        ],
        meaning: fmod,
    },
    Idiom {
        name: "roundf",
        kernels: &["elementary/round.precise", "elementary/round.cuda13.precise", "triton/library.round@1"],
        meaning: round,
    },
    double("exp", &["double/exp", "double/exp.cuda13"], |terms, x| terms.unary(Unary::Exp, x[0])),
    double("exp2", &["double/exp2", "double/exp2.cuda13"], |terms, x| terms.unary(Unary::Exp2, x[0])),
    double("exp10", &["double/exp10", "double/exp10.cuda13"], |terms, x| ten_to_the(terms, x[0])),
    double("expm1", &["double/expm1", "double/expm1.cuda13"], expm1),
    double("sinh", &["double/sinh", "double/sinh.cuda13"], sinh),
    double("cosh", &["double/cosh", "double/cosh.cuda13"], cosh),
    double("tanh", &["double/tanh", "double/tanh.cuda13"], |terms, x| terms.unary(Unary::Tanh, x[0])),
    double("log", &["double/log", "double/log.cuda13"], |terms, x| terms.unary(Unary::Log, x[0])),
    double("log1p", &["double/log1p", "double/log1p.cuda13"], log1p),
    double("log10", &["double/log10", "double/log10.cuda13"], |terms, x| log_10(terms, x[0])),
    double("log2", &["double/log2", "double/log2.cuda13"], |terms, x| terms.unary(Unary::Log2, x[0])),
    double("asinh", &["double/asinh", "double/asinh.cuda13"], |terms, x| inverse::asinh(terms, x[0])),
    double("acosh", &["double/acosh", "double/acosh.cuda13"], |terms, x| inverse::acosh(terms, x[0])),
    double("atanh", &["double/atanh", "double/atanh.cuda13"], |terms, x| inverse::atanh(terms, x[0])),
    double("atan", &["double/atan", "double/atan.cuda13"], |terms, x| terms.unary(Unary::Atan, x[0])),
    double("asin", &["double/asin", "double/asin.cuda13"], |terms, x| inverse::asin(terms, x[0])),
    double("acos", &["double/acos", "double/acos.cuda13"], |terms, x| inverse::acos(terms, x[0])),
    double("atan2", &["double/atan2", "double/atan2.cuda13"], |terms, x| inverse::atan2(terms, x[0], x[1])),
    double("erf", &["double/erf", "double/erf.cuda13"], |terms, x| terms.unary(Unary::Erf, x[0])),
    double("erfc", &["double/erfc", "double/erfc.cuda13"], erfc),
    double("normcdf", &["double/normcdf", "double/normcdf.cuda13"], normcdf),
    double("sin", &["double/sin", "double/sin.cuda13"], |terms, x| terms.unary(Unary::Sin, x[0])),
    double("cos", &["double/cos", "double/cos.cuda13"], |terms, x| terms.unary(Unary::Cos, x[0])),
    double("tan", &["double/tan", "double/tan.cuda13"], tan),
    double("cbrt", &["double/cbrt", "double/cbrt.cuda13"], |terms, x| terms.unary(Unary::Cbrt, x[0])),
    double("rcbrt", &["double/rcbrt", "double/rcbrt.cuda13"], rcbrt),
    double("pow", &["double/pow", "double/pow.cuda13"], |terms, x| power(terms, x[0], x[1])),
    double(
        "pow",
        &[
            "double/pow_fraction#0.37",
            "double/pow_fraction.cuda13#0.37",
            "double/pow_minus_fraction#-0.37",
            "double/pow_minus_fraction.cuda13#-0.37",
        ],
        |terms, x| power(terms, x[0], x[1]),
    ),
    double(
        "pow",
        &[
            "double/pow_even#6",
            "double/pow_even.cuda13#6",
            "double/pow_minus_even#-6",
            "double/pow_minus_even.cuda13#-6",
        ],
        even_power,
    ),
    double(
        "pow",
        &[
            "double/pow_odd#5",
            "double/pow_odd.cuda13#5",
            "double/pow_minus_odd#-5",
            "double/pow_minus_odd.cuda13#-5",
        ],
        odd_power,
    ),
    double("pow", &["double/pow_minus_one", "double/pow_minus_one.cuda13"], |terms, x| {
        terms.unary(Unary::Recip, x[0])
    }),
    double("hypot", &["double/hypot", "double/hypot.cuda13"], hypot),
    double("round", &["double/round", "double/round.cuda13"], round),
];

/// A row of double precision.
const fn double(
    name: &'static str,
    kernels: &'static [&'static str],
    meaning: fn(&mut Terms, &[Term]) -> Term,
) -> Idiom {
    Idiom { name, kernels, meaning }
}

fn expm1(terms: &mut Terms, x: &[Term]) -> Term {
    let exp = terms.unary(Unary::Exp, x[0]);
    terms.add(exp, Term::MINUS_ONE)
}

fn sinh(terms: &mut Terms, x: &[Term]) -> Term {
    let (up, down) = exponentials(terms, x[0]);
    let twice = terms.sub(up, down);
    halved(terms, twice)
}

fn cosh(terms: &mut Terms, x: &[Term]) -> Term {
    let (up, down) = exponentials(terms, x[0]);
    let twice = terms.add(up, down);
    halved(terms, twice)
}

fn log1p(terms: &mut Terms, x: &[Term]) -> Term {
    let sum = terms.add(x[0], Term::ONE);
    terms.unary(Unary::Log, sum)
}

fn erfc(terms: &mut Terms, x: &[Term]) -> Term {
    let erf = terms.unary(Unary::Erf, x[0]);
    terms.sub(Term::ONE, erf)
}

fn normcdf(terms: &mut Terms, x: &[Term]) -> Term {
    let two = terms.integer(2);
    let scale = terms.unary(Unary::Rsqrt, two);
    let scaled = terms.mul(x[0], scale);
    let erf = terms.unary(Unary::Erf, scaled);
    let twice = terms.add(erf, Term::ONE);
    halved(terms, twice)
}

fn tan(terms: &mut Terms, x: &[Term]) -> Term {
    let (sin, cos) = (terms.unary(Unary::Sin, x[0]), terms.unary(Unary::Cos, x[0]));
    terms.div(sin, cos)
}

fn rcbrt(terms: &mut Terms, x: &[Term]) -> Term {
    let root = terms.unary(Unary::Cbrt, x[0]);
    terms.unary(Unary::Recip, root)
}

fn even_power(terms: &mut Terms, x: &[Term]) -> Term {
    let magnitude = terms.unary(Unary::Abs, x[0]);
    power(terms, magnitude, x[1])
}

fn odd_power(terms: &mut Terms, x: &[Term]) -> Term {
    let magnitude = terms.unary(Unary::Abs, x[0]);
    let less = match terms.as_rational(x[1]).cloned() {
        Some(exponent) => terms.rational(exponent - BigRational::one()),
        None => terms.add(x[1], Term::MINUS_ONE),
    };
    let power = power(terms, magnitude, less);
    terms.mul(x[0], power)
}

fn hypot(terms: &mut Terms, x: &[Term]) -> Term {
    let square = terms.mul(x[0], x[0]);
    let squares = terms.fma(x[1], x[1], square);
    terms.unary(Unary::Sqrt, squares)
}

fn fmod(terms: &mut Terms, x: &[Term]) -> Term {
    let quotient = terms.div(x[0], x[1]);
    let whole = terms.unary(Unary::Trunc, quotient);
    let taken = terms.mul(whole, x[1]);
    terms.sub(x[0], taken)
}

fn round(terms: &mut Terms, x: &[Term]) -> Term {
    let half = terms.number(Format::F32, 0x3f00_0000);
    let minus_half = terms.neg(half);
    let below = terms.compare(Relation::Less, x[0], Term::ZERO);
    let step = terms.select(below, minus_half, half);
    let moved = terms.add(x[0], step);
    terms.unary(Unary::Trunc, moved)
}

/// `e^x` and `e^-x`.
fn exponentials(terms: &mut Terms, x: Term) -> (Term, Term) {
    let minus_x = terms.neg(x);
    (terms.unary(Unary::Exp, x), terms.unary(Unary::Exp, minus_x))
}

/// `x^y`, for positive `x` or integers `y`.
fn power(terms: &mut Terms, x: Term, y: Term) -> Term {
    let whole = terms.as_rational(y).filter(|y| y.is_integer()).and_then(|y| y.numer().to_i32());
    let Some(whole) = whole.filter(|whole| whole.abs() <= MOST_FACTORS) else {
        let log = terms.unary(Unary::Log, x);
        let exponent = terms.mul(y, log);
        return terms.unary(Unary::Exp, exponent);
    };
    let product = (0..whole.abs()).fold(Term::ONE, |product, _| terms.mul(product, x));
    if whole < 0 { terms.unary(Unary::Recip, product) } else { product }
}

fn ten_to_the(terms: &mut Terms, x: Term) -> Term {
    let ln_10 = terms.named(Named::Ln10);
    let exponent = terms.mul(x, ln_10);
    terms.unary(Unary::Exp, exponent)
}

fn log_10(terms: &mut Terms, x: Term) -> Term {
    let (log, ln_10) = (terms.unary(Unary::Log, x), terms.named(Named::Ln10));
    terms.div(log, ln_10)
}

/// Half of it.
fn halved(terms: &mut Terms, x: Term) -> Term {
    let half = terms.rational(BigRational::new(1.into(), 2.into()));
    terms.mul(x, half)
}

/// So many half turns, in radians.
fn half_turns(terms: &mut Terms, x: Term) -> Term {
    let pi = terms.named(Named::Pi);
    terms.mul(x, pi)
}
