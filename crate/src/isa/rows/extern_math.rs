//! Known math functions without a body: what a call of `expf` or `__nv_expf` computes.
//!
//! The names are those of CUDA's math library, of libdevice (`__nv_` in front), the intrinsics
//! (`__expf`), and `__symexpf` for hand-written specifications. A call is read as the real
//! function; on concrete bits it is computed in f64 and rounded once.
//!
//! Source: CUDA C++ Programming Guide, *Mathematical Functions*; libdevice user's guide.

use crate::base::Format;
use crate::isa::half::Float;
use crate::isa::lanes::lanewise;
use crate::isa::real;
use crate::isa::{LaneFn, Lanes, Lanewise, Meaning, WARP};
use crate::term::{Term, Terms, Unary, inverse};

/// A real function on an f64. NaN and infinities as IEEE 754 has them.
pub(in crate::isa) fn evaluate(function: Unary, x: f64) -> f64 {
    match function {
        Unary::Neg => -x,
        Unary::Recip => 1.0 / x,
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Exp => libm::exp(x),
        Unary::Exp2 => libm::exp2(x),
        Unary::Log => libm::log(x),
        Unary::Log2 => libm::log2(x),
        Unary::Sin => libm::sin(x),
        Unary::Cos => libm::cos(x),
        Unary::Tanh => libm::tanh(x),
        Unary::Erf => libm::erf(x),
        Unary::Atan => libm::atan(x),
        Unary::Cbrt => libm::cbrt(x),
        Unary::Abs => x.abs(),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Trunc => x.trunc(),
        Unary::RoundEven => x.round_ties_even(),
    }
}

/// What a known function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Function {
    One(Unary),
    Exp10,
    Log10,
    Exp1m,
    Log1p,
    Tan,
    Sinh,
    Cosh,
    Erfc,
    Asin,
    Acos,
    Atan2,
    Asinh,
    Acosh,
    Atanh,
    Saturate,
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Pow,
    Fma,
}

const NAMES: &[(&str, Function)] = &[
    ("exp", Function::One(Unary::Exp)),
    ("symexp", Function::One(Unary::Exp)),
    ("exp2", Function::One(Unary::Exp2)),
    ("exp10", Function::Exp10),
    ("expm1", Function::Exp1m),
    ("log", Function::One(Unary::Log)),
    ("log2", Function::One(Unary::Log2)),
    ("log10", Function::Log10),
    ("log1p", Function::Log1p),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("fsqrt_rn", Function::One(Unary::Sqrt)),
    ("dsqrt_rn", Function::One(Unary::Sqrt)),
    ("rsqrt", Function::One(Unary::Rsqrt)),
    ("frsqrt_rn", Function::One(Unary::Rsqrt)),
    ("frcp_rn", Function::One(Unary::Recip)),
    ("drcp_rn", Function::One(Unary::Recip)),
    ("cbrt", Function::One(Unary::Cbrt)),
    ("sin", Function::One(Unary::Sin)),
    ("cos", Function::One(Unary::Cos)),
    ("tan", Function::Tan),
    ("sinh", Function::Sinh),
    ("cosh", Function::Cosh),
    ("tanh", Function::One(Unary::Tanh)),
    ("erf", Function::One(Unary::Erf)),
    ("erfc", Function::Erfc),
    ("atan", Function::One(Unary::Atan)),
    ("asin", Function::Asin),
    ("acos", Function::Acos),
    ("atan2", Function::Atan2),
    ("asinh", Function::Asinh),
    ("acosh", Function::Acosh),
    ("atanh", Function::Atanh),
    ("fabs", Function::One(Unary::Abs)),
    ("floor", Function::One(Unary::Floor)),
    ("ceil", Function::One(Unary::Ceil)),
    ("trunc", Function::One(Unary::Trunc)),
    ("rint", Function::One(Unary::RoundEven)),
    ("nearbyint", Function::One(Unary::RoundEven)),
    ("saturate", Function::Saturate),
    ("fadd_rn", Function::Add),
    ("dadd_rn", Function::Add),
    ("fsub_rn", Function::Sub),
    ("dsub_rn", Function::Sub),
    ("fmul_rn", Function::Mul),
    ("dmul_rn", Function::Mul),
    ("fdiv_rn", Function::Div),
    ("ddiv_rn", Function::Div),
    ("fdivide", Function::Div),
    ("fmax", Function::Max),
    ("fmin", Function::Min),
    ("pow", Function::Pow),
    ("fma", Function::Fma),
    ("fmaf_rn", Function::Fma),
    ("fma_rn", Function::Fma),
];

/// The function that a symbol without a body names: its arithmetic, if it is known math.
pub fn known_function(symbol: &str) -> Option<Lanewise> {
    let (function, format) = split(symbol)?;
    let sources = match function {
        Function::Add | Function::Sub | Function::Mul | Function::Div => 2,
        Function::Max | Function::Min | Function::Pow | Function::Atan2 => 2,
        Function::Fma => 3,
        _ => 1,
    };
    let lanes = match format {
        Format::F32 => concrete::<f32>(function),
        _ => concrete::<f64>(function),
    };
    let mut lanes = lanewise(lanes, meaning(function), format, &[format; 3][..sources]);
    let index = NAMES.iter().position(|(_, known)| *known == function)? as u32;
    lanes.operation = 0x6000_0000 | index << 8 | format as u32;
    Some(lanes)
}

/// The names that a misspelt one may have meant.
pub fn known_function_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// `__nv_expf` → exp in f32; `fmaf` → fma in f32 (and not `fma` + `f` of something else).
fn split(symbol: &str) -> Option<(Function, Format)> {
    let bare = symbol.strip_prefix("__nv_").unwrap_or(symbol);
    let bare = bare.strip_prefix("fast_").unwrap_or(bare);
    let bare = bare.strip_prefix("__").unwrap_or(bare);
    let find = |name: &str| NAMES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function);
    // `fadd_rn`, `fmaf_rn`, `fdividef` carry their type in the name; `__fmul_rn` is f32, `__dmul_rn` f64.
    if let Some(function) = find(bare) {
        let single = bare.starts_with('f') && bare.ends_with("_rn") && bare != "fma_rn" || bare == "saturate";
        return Some((function, if single { Format::F32 } else { Format::F64 }));
    }
    find(bare.strip_suffix('f')?).map(|function| (function, Format::F32))
}

/// A lane function of `T` from a formula over f64.
macro_rules! through_f64 {
    ($n:literal, |$s:ident| $value:expr) => {{
        fn run<T: Float>(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
            for i in 0..WARP {
                let $s = [0, 1].map(|at| if at < $n { T::from_lane(src[at][i]).to_f64() } else { 0.0 });
                out[i] = T::from_f64($value).to_lane();
            }
        }
        run::<T> as LaneFn
    }};
}

fn concrete<T: Float>(function: Function) -> LaneFn {
    macro_rules! by_function {
        ($($u:ident)*) => {
            match function {
                $(Function::One(Unary::$u) => through_f64!(1, |s| evaluate(Unary::$u, s[0])),)*
                Function::Exp10 => through_f64!(1, |s| libm::exp10(s[0])),
                Function::Log10 => through_f64!(1, |s| libm::log10(s[0])),
                Function::Exp1m => through_f64!(1, |s| libm::expm1(s[0])),
                Function::Log1p => through_f64!(1, |s| libm::log1p(s[0])),
                Function::Tan => through_f64!(1, |s| libm::tan(s[0])),
                Function::Sinh => through_f64!(1, |s| libm::sinh(s[0])),
                Function::Cosh => through_f64!(1, |s| libm::cosh(s[0])),
                Function::Erfc => through_f64!(1, |s| libm::erfc(s[0])),
                Function::Asin => through_f64!(1, |s| libm::asin(s[0])),
                Function::Acos => through_f64!(1, |s| libm::acos(s[0])),
                Function::Atan2 => through_f64!(2, |s| libm::atan2(s[0], s[1])),
                Function::Asinh => through_f64!(1, |s| libm::asinh(s[0])),
                Function::Acosh => through_f64!(1, |s| libm::acosh(s[0])),
                Function::Atanh => through_f64!(1, |s| libm::atanh(s[0])),
                Function::Saturate => through_f64!(1, |s| if s[0] > 0.0 { s[0].min(1.0) } else { 0.0 }),
                Function::Add => through_f64!(2, |s| s[0] + s[1]),
                Function::Sub => through_f64!(2, |s| s[0] - s[1]),
                Function::Mul => through_f64!(2, |s| s[0] * s[1]),
                Function::Div => through_f64!(2, |s| s[0] / s[1]),
                Function::Max => through_f64!(2, |s| s[0].max(s[1])),
                Function::Min => through_f64!(2, |s| s[0].min(s[1])),
                Function::Pow => through_f64!(2, |s| libm::pow(s[0], s[1])),
                Function::Fma => fused::<T>,
            }
        };
    }
    by_function!(Neg Recip Sqrt Rsqrt Exp Exp2 Log Log2 Sin Cos Tanh Erf Atan Cbrt Abs Floor Ceil Trunc RoundEven)
}

fn fused<T: Float>(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
    for i in 0..WARP {
        let [a, b, c] = [0, 1, 2].map(|at| T::from_lane(src[at][i]));
        out[i] = a.multiply_add(b, c).to_lane();
    }
}

fn meaning(function: Function) -> Meaning {
    fn one<const U: usize>(terms: &mut Terms, s: &[Term]) -> Term {
        terms.unary(Unary::ALL[U], s[0])
    }
    macro_rules! unary {
        ($u:expr; $($name:ident)*) => {
            match $u { $(Unary::$name => one::<{ Unary::$name as usize }> as fn(&mut Terms, &[Term]) -> Term,)* }
        };
    }
    Meaning::Real(match function {
        Function::One(function) => unary!(function;
            Neg Recip Sqrt Rsqrt Exp Exp2 Log Log2 Sin Cos Tanh Erf Atan Cbrt Abs Floor Ceil Trunc RoundEven),
        Function::Exp10 => |terms, s| {
            let log = log2_of_10(terms);
            let power = terms.mul(s[0], log);
            terms.unary(Unary::Exp2, power)
        },
        Function::Log10 => |terms, s| {
            let log = log2_of_10(terms);
            let of_x = terms.unary(Unary::Log2, s[0]);
            terms.div(of_x, log)
        },
        Function::Exp1m => |terms, s| {
            let power = terms.unary(Unary::Exp, s[0]);
            terms.sub(power, Term::ONE)
        },
        Function::Log1p => |terms, s| {
            let sum = terms.add(s[0], Term::ONE);
            terms.unary(Unary::Log, sum)
        },
        Function::Tan => |terms, s| {
            let (sin, cos) = (terms.unary(Unary::Sin, s[0]), terms.unary(Unary::Cos, s[0]));
            terms.div(sin, cos)
        },
        Function::Sinh => |terms, s| {
            let (up, down) = powers(terms, s[0]);
            let difference = terms.sub(up, down);
            halved(terms, difference)
        },
        Function::Cosh => |terms, s| {
            let (up, down) = powers(terms, s[0]);
            let sum = terms.add(up, down);
            halved(terms, sum)
        },
        Function::Erfc => |terms, s| {
            let erf = terms.unary(Unary::Erf, s[0]);
            terms.sub(Term::ONE, erf)
        },
        Function::Asin => |terms, s| inverse::asin(terms, s[0]),
        Function::Acos => |terms, s| inverse::acos(terms, s[0]),
        Function::Atan2 => |terms, s| inverse::atan2(terms, s[0], s[1]),
        Function::Asinh => |terms, s| inverse::asinh(terms, s[0]),
        Function::Acosh => |terms, s| inverse::acosh(terms, s[0]),
        Function::Atanh => |terms, s| inverse::atanh(terms, s[0]),
        Function::Saturate => real::clamp01,
        Function::Add => real::add,
        Function::Sub => real::sub,
        Function::Mul => real::mul,
        Function::Div => |terms, s| terms.div(s[0], s[1]),
        Function::Max => real::max,
        Function::Min => real::min,
        Function::Pow => power,
        Function::Fma => real::fma,
    })
}

/// `x^y`: a product for small whole constants y, a root for ±½, else the named function (for
/// `2^(y·log₂ x)` is undefined where x is negative and y whole).
fn power(terms: &mut Terms, s: &[Term]) -> Term {
    let exponent = terms.as_rational(s[1]).map(|value| (value.numer().clone(), value.denom().clone()));
    let small = |number: &num_bigint::BigInt| i32::try_from(number).ok().filter(|n| n.abs() <= 64);
    let Some((Some(numer), Some(denom))) = exponent.map(|(n, d)| (small(&n), small(&d))) else {
        return terms.apply("pow", s[0], s[1]);
    };
    let base = match denom {
        1 => s[0],
        2 => terms.unary(Unary::Sqrt, s[0]),
        _ => return terms.apply("pow", s[0], s[1]),
    };
    let mut product = Term::ONE;
    for _ in 0..numer.unsigned_abs() {
        product = terms.mul(product, base);
    }
    if numer < 0 { terms.unary(Unary::Recip, product) } else { product }
}

fn log2_of_10(terms: &mut Terms) -> Term {
    let ten = terms.integer(10);
    terms.unary(Unary::Log2, ten)
}

fn powers(terms: &mut Terms, x: Term) -> (Term, Term) {
    let minus = terms.neg(x);
    (terms.unary(Unary::Exp, x), terms.unary(Unary::Exp, minus))
}

fn halved(terms: &mut Terms, x: Term) -> Term {
    let two = terms.integer(2);
    terms.div(x, two)
}
