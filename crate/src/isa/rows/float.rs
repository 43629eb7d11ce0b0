//! Floating-point arithmetic in f32, f64, f16 and bf16 (PTX ISA 9.0, 9.7.3 to 9.7.5).
//!
//! On bits: rounding to nearest is correct to the last bit, directed roundings too. Approximate
//! instructions (`ex2.approx`, `rcp.approx`, `div.full`, …) give the correctly rounded result,
//! computed in f64: hardware may differ in the last bits, which no verdict may depend on. `.ftz`
//! flushes subnormal inputs and results to zeros of their sign.
//!
//! Over the reals: the operation itself; see `real` for what is not ignored.

use crate::base::Format;
use crate::isa::half::{Bf16, F16, Float};
use crate::isa::lanes::{Lane, lanes, lanewise, packed, pure, typed};
use crate::isa::real::{self, Mode};
use crate::isa::table::{Action, Arg, Step};
use crate::isa::{Effect, LaneFn, Lanes, Lanewise, Meaning, WARP, soft};
use crate::term::{Term, Terms, Unary};

/// A function of a row's format, rounding, flushing and saturation.
trait Arithmetic {
    const SOURCES: usize;
    /// Tells the functions apart.
    const TAG: u32;
    /// To nearest.
    fn near<T: Float>(a: T, b: T, c: T) -> T;
    /// In a direction, on bits.
    fn directed(format: Format, s: [u64; 3], mode: Mode) -> u64;
    /// Over the reals.
    fn real<const F: usize, const M: usize, const SAT: bool>() -> fn(&mut Terms, &[Term]) -> Term;
}

macro_rules! arithmetic {
    ($name:ident, $tag:literal, $sources:literal, |$x:ident, $y:ident, $z:ident| $near:expr, |$f:ident, $b:ident, $mode:ident| $directed:expr, $real:ident) => {
        struct $name;
        impl Arithmetic for $name {
            const SOURCES: usize = $sources;
            const TAG: u32 = $tag;
            #[inline(always)]
            #[allow(unused_variables)]
            fn near<T: Float>($x: T, $y: T, $z: T) -> T {
                $near
            }
            fn directed($f: Format, $b: [u64; 3], $mode: Mode) -> u64 {
                $directed
            }
            fn real<const F: usize, const M: usize, const SAT: bool>() -> fn(&mut Terms, &[Term]) -> Term {
                real::Float::<F, M, SAT>::$real
            }
        }
    };
}
arithmetic!(Add, 0, 2, |a, b, c| a.sum(b), |f, b, mode| soft::add(f, b[0], b[1], mode), add);
arithmetic!(
    Sub,
    1,
    2,
    |a, b, c| a.sum(b.negated()),
    |f, b, mode| soft::add(f, b[0], b[1] ^ 1 << (f.bits() - 1), mode),
    sub
);
arithmetic!(Mul, 2, 2, |a, b, c| a.product(b), |f, b, mode| soft::mul(f, b[0], b[1], mode), mul);
arithmetic!(
    Fma,
    3,
    3,
    |a, b, c| a.multiply_add(b, c),
    |f, b, mode| soft::fma(f, b[0], b[1], b[2], mode),
    fma
);
arithmetic!(Div, 4, 2, |a, b, c| a.quotient(b), |f, b, mode| soft::div(f, b[0], b[1], mode), div);
arithmetic!(
    Recip,
    5,
    1,
    |a, b, c| T::from_f64(1.0).quotient(a),
    |f, b, mode| soft::div(f, soft::from_integer(1, f, Mode::Nearest), b[0], mode),
    recip
);
arithmetic!(Sqrt, 6, 1, |a, b, c| a.root(), |f, b, mode| soft::sqrt(f, b[0], mode), sqrt);

/// The loop for one type, rounding (index of [`Mode`]), flushing and saturation.
fn run<A: Arithmetic, T: Float, const M: usize, const FTZ: bool, const SAT: bool>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    if M != 0 {
        let mode = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up][M];
        return run_directed(src, out, A::directed, T::FORMAT, mode, FTZ, SAT);
    }
    let [a, b, c, _] = *src;
    for i in 0..WARP {
        // No arrays in here: they would keep the loop from being vectorised.
        let (mut x, mut y, mut z) = (T::from_lane(a[i]), T::from_lane(b[i]), T::from_lane(c[i]));
        if FTZ {
            (x, y, z) = (x.flushed(), y.flushed(), z.flushed());
        }
        let mut value = A::near(x, y, z);
        if FTZ {
            value = value.flushed();
        }
        if SAT {
            value = value.saturated();
        }
        out[i] = value.to_lane();
    }
}

/// Directed roundings, for all types alike.
#[inline(never)]
fn run_directed(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    directed: fn(Format, [u64; 3], Mode) -> u64,
    format: Format,
    mode: Mode,
    ftz: bool,
    sat: bool,
) {
    let flush = |bits: u64| if ftz { f32::from_lane(bits).flushed().bits() } else { bits };
    for i in 0..WARP {
        let s = [0, 1, 2]
            .map(|at| flush(if format == Format::F32 { src[at][i] & 0xffff_ffff } else { src[at][i] }));
        let mut value = flush(directed(format, s, mode));
        if sat {
            value = f32::from_lane(value).saturated().to_lane();
        }
        out[i] = value;
    }
}

/// The lane function and meaning for a choice of type, rounding, flushing and saturation.
fn arithmetic<A: Arithmetic>(format: Format, mode: Mode, ftz: bool, sat: bool) -> Option<Lanewise> {
    macro_rules! pick {
        ($T:ty, $F:ident, $M:literal, $ftz:literal, $sat:literal) => {
            (run::<A, $T, $M, $ftz, $sat> as LaneFn, A::real::<{ Format::$F as usize }, $M, $sat>())
        };
    }
    macro_rules! f32_mode {
        ($M:literal) => {
            match (ftz, sat) {
                (false, false) => pick!(f32, F32, $M, false, false),
                (false, true) => pick!(f32, F32, $M, false, true),
                (true, false) => pick!(f32, F32, $M, true, false),
                (true, true) => pick!(f32, F32, $M, true, true),
            }
        };
    }
    let (run, real) = match (format, mode) {
        (Format::F32, Mode::Nearest) => f32_mode!(0),
        (Format::F32, Mode::Zero) => f32_mode!(1),
        (Format::F32, Mode::Down) => f32_mode!(2),
        (Format::F32, Mode::Up) => f32_mode!(3),
        (Format::F64, Mode::Nearest) if !sat => pick!(f64, F64, 0, false, false),
        (Format::F64, Mode::Zero) if !sat => pick!(f64, F64, 1, false, false),
        (Format::F64, Mode::Down) if !sat => pick!(f64, F64, 2, false, false),
        (Format::F64, Mode::Up) if !sat => pick!(f64, F64, 3, false, false),
        (Format::F16, Mode::Nearest) => match (ftz, sat) {
            (false, false) => pick!(F16, F16, 0, false, false),
            (false, true) => pick!(F16, F16, 0, false, true),
            (true, false) => pick!(F16, F16, 0, true, false),
            (true, true) => pick!(F16, F16, 0, true, true),
        },
        (Format::Bf16, Mode::Nearest) if !sat => pick!(Bf16, Bf16, 0, false, false),
        _ => return None,
    };
    Some(lanewise(run, Meaning::Real(real), format, &[format; 3][..A::SOURCES]))
}

/// The same for the scalar forms of a row.
fn scalar<A: Arithmetic>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let mode = Mode::from_name(m.get("rnd"))?;
    let mut lanes = arithmetic::<A>(m.format("type")?, mode, m.has("ftz"), m.has("sat"))?;
    if m.has("relu") {
        lanes = with_relu(lanes, m.has("ftz"))?;
    }
    Some(Action::Effect(Effect::Lanewise(lanes)))
}

/// `fma.relu` on halves: negative results become 0.
fn with_relu(mut lanes: Lanewise, ftz: bool) -> Option<Lanewise> {
    lanes.concrete = match lanes.dst {
        Format::F16 if ftz => lanes!(|a: F16, b: F16, c: F16| -> F16 {
            clipped(a.flushed().multiply_add(b.flushed(), c.flushed()).flushed())
        }),
        Format::F16 => lanes!(|a: F16, b: F16, c: F16| -> F16 { clipped(a.multiply_add(b, c)) }),
        Format::Bf16 => lanes!(|a: Bf16, b: Bf16, c: Bf16| -> Bf16 { clipped(a.multiply_add(b, c)) }),
        _ => return None,
    };
    lanes.meaning = Meaning::Real(|terms, s| {
        let sum = terms.fma(s[0], s[1], s[2]);
        real::relu(terms, &[sum])
    });
    Some(lanes)
}

fn clipped<T: Float>(x: T) -> T {
    if x <= T::from_f64(0.0) { T::from_f64(0.0) } else { x }
}

/// The element format of a packed type.
fn half(m: &crate::isa::form::Choice<'_>) -> Option<Format> {
    match m.get("type")? {
        "f16x2" => Some(Format::F16),
        "bf16x2" => Some(Format::Bf16),
        "f32x2" => Some(Format::F32),
        _ => None,
    }
}

/// The packed form of a scalar function.
fn pairwise<A: Arithmetic>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let mode = Mode::from_name(m.get("rnd"))?;
    let mut lanes = arithmetic::<A>(half(m)?, mode, m.has("ftz"), m.has("sat"))?;
    if m.has("relu") {
        lanes = with_relu(lanes, m.has("ftz"))?;
    }
    Some(packed(&lanes, (0x10 + A::TAG) << 20 | m.number()))
}

/// Mixed precision: halves widened into an f32 operation.
fn mixed<A: Arithmetic>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let mode = Mode::from_name(m.get("rnd"))?;
    let mut wide = arithmetic::<A>(Format::F32, mode, false, m.has("sat"))?;
    wide.operation = 0x5000_0000 | A::TAG << 20 | m.number();
    let narrow = m.format("atype")?;
    let convert = super::convert::widening(narrow)?;
    let halves = if A::SOURCES == 3 { 2 } else { 1 };
    let mut steps: Vec<Step> = (0..halves)
        .map(|at| Step {
            effect: Effect::Lanewise(convert),
            dst: vec![Arg::Temp(at, 32)],
            src: vec![Arg::In(at)],
        })
        .collect();
    let sources = (0..A::SOURCES as u8).map(|at| if at < halves { Arg::Temp(at, 32) } else { Arg::In(at) });
    steps.push(Step { effect: Effect::Lanewise(wide), dst: vec![Arg::Out(0)], src: sources.collect() });
    Some(Action::Steps(steps))
}

// ---- minima, maxima, signs -----------------------------------------------------------------

/// The larger (or smaller) of two; a NaN loses, or wins if `NAN`; +0 is larger than -0.
#[inline(always)]
fn extreme<T: Float, const MAX: bool, const NAN: bool>(a: T, b: T) -> T {
    let a_negative = a.bits() & T::sign_mask() != 0;
    let ahead = if MAX { a > b } else { a < b };
    let a_wins = if a == b { a_negative != MAX } else { ahead };
    // Against a NaN, no comparison holds: b wins against a NaN a by itself.
    let value = if a_wins | b.is_nan() { a } else { b };
    if NAN & (a.is_nan() | b.is_nan()) { T::from_bits64(soft::nan(T::FORMAT)) } else { value }
}

fn run_extreme<T: Float, const MAX: bool, const NAN: bool, const FTZ: bool, const N: usize>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    let [a, b, c, _] = *src;
    for i in 0..WARP {
        let (mut x, mut y, mut z) = (T::from_lane(a[i]), T::from_lane(b[i]), T::from_lane(c[i]));
        if FTZ {
            (x, y, z) = (x.flushed(), y.flushed(), z.flushed());
        }
        let mut value = extreme::<T, MAX, NAN>(x, y);
        if N == 3 {
            value = extreme::<T, MAX, NAN>(value, z);
        }
        out[i] = value.to_lane();
    }
}

/// The sign is the exclusive or of the operands' signs, the magnitude the extreme of theirs.
fn run_xorsign<T: Float, const MAX: bool, const NAN: bool, const FTZ: bool>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    for i in 0..WARP {
        let (mut a, mut b) = (T::from_lane(src[0][i]), T::from_lane(src[1][i]));
        if FTZ {
            (a, b) = (a.flushed(), b.flushed());
        }
        let sign = (a.bits() ^ b.bits()) & T::sign_mask();
        let value = extreme::<T, MAX, NAN>(a.magnitude(), b.magnitude());
        let nan = value.is_nan();
        out[i] = T::from_bits64(if nan { value.bits() } else { value.bits() | sign }).to_lane();
    }
}

fn extreme_lanes<const MAX: bool, const N: usize>(
    format: Format,
    m: &crate::isa::form::Choice<'_>,
) -> Option<Lanewise> {
    let (nan, ftz) = (m.has("NaN"), m.has("ftz"));
    macro_rules! pick {
        ($T:ty) => {
            match (nan, ftz) {
                (false, false) => run_extreme::<$T, MAX, false, false, N> as LaneFn,
                (false, true) => run_extreme::<$T, MAX, false, true, N>,
                (true, false) => run_extreme::<$T, MAX, true, false, N>,
                (true, true) => run_extreme::<$T, MAX, true, true, N>,
            }
        };
    }
    macro_rules! pick_sign {
        ($T:ty) => {
            match (nan, ftz) {
                (false, false) => run_xorsign::<$T, MAX, false, false> as LaneFn,
                (false, true) => run_xorsign::<$T, MAX, false, true>,
                (true, false) => run_xorsign::<$T, MAX, true, false>,
                (true, true) => run_xorsign::<$T, MAX, true, true>,
            }
        };
    }
    if m.has("xorsign") {
        let run = match format {
            Format::F32 => pick_sign!(f32),
            Format::F16 => pick_sign!(F16),
            Format::Bf16 => pick_sign!(Bf16),
            _ => return None,
        };
        // The larger magnitude may have the sign of a zero, which has none here.
        let meaning = match (MAX, nan) {
            (false, false) => real::min_xorsign::<false>,
            (false, true) => real::min_xorsign::<true>,
            (true, _) => |_: &mut Terms, _: &[Term]| None,
        };
        return Some(lanewise(run, Meaning::Partial(meaning), format, &[format, format]));
    }
    let run = match format {
        Format::F32 => pick!(f32),
        Format::F64 => pick!(f64),
        Format::F16 => pick!(F16),
        Format::Bf16 => pick!(Bf16),
        _ => return None,
    };
    let meaning = match (MAX, N, nan) {
        (true, 3, false) => real::max3,
        (false, 3, false) => real::min3,
        (true, _, false) if format == Format::F64 => real::max_held::<true>,
        (false, _, false) if format == Format::F64 => real::min_held::<true>,
        (true, _, false) if format == Format::F32 => real::max_held::<false>,
        (false, _, false) if format == Format::F32 => real::min_held::<false>,
        (true, _, false) => real::max,
        (false, _, false) => real::min,
        (true, 3, true) => real::max3_nan,
        (false, 3, true) => real::min3_nan,
        (true, _, true) => real::max_nan,
        (false, _, true) => real::min_nan,
    };
    Some(lanewise(run, Meaning::Real(meaning), format, &[format; 3][..N]))
}

fn min_max<const MAX: bool, const N: usize>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    if m.has("abs") && !m.has("xorsign") {
        return magnitudes::<MAX, N>(m);
    }
    match half(m) {
        Some(format) => {
            let tag = if MAX { 0x20 } else { 0x21 };
            Some(packed(&extreme_lanes::<MAX, N>(format, m)?, tag << 20 | m.number()))
        }
        None => Some(Action::Effect(Effect::Lanewise(extreme_lanes::<MAX, N>(m.format("type")?, m)?))),
    }
}

/// The extreme of magnitudes (`.abs`).
fn magnitudes<const MAX: bool, const N: usize>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let lanes = |effect, dst, src| Step { effect: Effect::Lanewise(effect), dst: vec![dst], src };
    let (abs, mut suffixes) = (crate::isa::video::scalar("abs", &["f32"], 1)?, vec!["f32"]);
    suffixes.extend(["ftz", "NaN"].into_iter().filter(|name| m.has(name)));
    if m.format("type")? != Format::F32 {
        return None;
    }
    let extreme = crate::isa::video::scalar(if MAX { "max" } else { "min" }, &suffixes, N)?;
    let temps: Vec<Arg> = (0..N as u8).map(|at| Arg::Temp(at, 32)).collect();
    let mut steps: Vec<Step> =
        (0..N as u8).map(|at| lanes(abs, Arg::Temp(at, 32), vec![Arg::In(at)])).collect();
    steps.push(lanes(extreme, Arg::Out(0), temps));
    Some(Action::Steps(steps))
}

/// The negation or magnitude of a float, flushed if asked.
fn sign_change<const NEG: bool>(format: Format, ftz: bool) -> Option<Lanewise> {
    macro_rules! change {
        (|$a:ident| $value:expr) => {
            if ftz {
                typed!(format, [F32 F16], |a| {
                    let $a = a.flushed();
                    $value
                })
            } else {
                typed!(format, [F32 F64 F16 Bf16], |a| {
                    let $a = a;
                    $value
                })
            }
        };
    }
    let (run, real): (LaneFn, real::Function) = if NEG {
        (change!(|x| Float::negated(x)), real::neg)
    } else {
        (change!(|x| Float::magnitude(x)), real::unary::<{ Unary::Abs as usize }>)
    };
    Some(lanewise(run, Meaning::Real(real), format, &[format]))
}

fn sign_row<const NEG: bool>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    match half(m) {
        Some(format) => {
            let tag = if NEG { 0x22 } else { 0x23 };
            Some(packed(&sign_change::<NEG>(format, m.has("ftz"))?, tag << 20 | m.number()))
        }
        None => Some(Action::Effect(Effect::Lanewise(sign_change::<NEG>(m.format("type")?, m.has("ftz"))?))),
    }
}

// ---- elementary functions ------------------------------------------------------------------

/// An elementary function of one float, computed in f64 and rounded once.
fn elementary<const U: usize>(format: Format, ftz: bool) -> Option<Lanewise> {
    fn run<T: Float, const U: usize, const FTZ: bool>(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
        for i in 0..WARP {
            let mut x = T::from_lane(src[0][i]);
            if FTZ {
                x = x.flushed();
            }
            let mut value = T::from_f64(super::extern_math::evaluate(Unary::ALL[U], x.to_f64()));
            if FTZ {
                value = value.flushed();
            }
            out[i] = value.to_lane();
        }
    }
    let run = match (format, ftz) {
        (Format::F32, false) => run::<f32, U, false> as LaneFn,
        (Format::F32, true) => run::<f32, U, true>,
        (Format::F64, false) => run::<f64, U, false>,
        (Format::F64, true) => run::<f64, U, true>,
        (Format::F16, _) => run::<F16, U, false>,
        (Format::Bf16, false) => run::<Bf16, U, false>,
        (Format::Bf16, true) => run::<Bf16, U, true>,
        _ => return None,
    };
    Some(lanewise(run, Meaning::Real(real::unary::<U>), format, &[format]))
}

fn elementary_row<const U: usize>(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    match half(m) {
        Some(format) => {
            Some(packed(&elementary::<U>(format, m.has("ftz"))?, (0x30 + U as u32) << 20 | m.number()))
        }
        None => Some(Action::Effect(Effect::Lanewise(elementary::<U>(m.format("type")?, m.has("ftz"))?))),
    }
}

rows! {
    "copysign" "9.7.3.2" Full ["copysign.type d, a, b; .type = .f32 .f64"]
        |m| {
            let f = m.format("type")?;
            let run = typed!(f, [F32 F64], |a, b| b.copysign(a));
            pure(run, Meaning::Partial(real::copysign), f, &[f, f])
        },
        "|b| with the sign of a", "The magnitude of b with the sign of a.", "copysign.f32 %f1, %f2, %f3;";
    "add" "9.7.3.3" Full
        ["add{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32", "add{.rnd}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f64"]
        scalar::<Add>, "a + b", "Adds two floats.", "add.rn.ftz.f32 %f1, %f2, %f3;";
    "sub" "9.7.3.4" Full
        ["sub{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32", "sub{.rnd}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f64"]
        scalar::<Sub>, "a - b", "Subtracts two floats.", "sub.f32 %f1, %f2, %f3;";
    "mul" "9.7.3.5" Full
        ["mul{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32", "mul{.rnd}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f64"]
        scalar::<Mul>, "a · b", "Multiplies two floats.", "mul.f32 %f1, %f2, %f3;";
    "fma" "9.7.3.6" Full
        ["fma.rnd{.ftz}{.sat}.type d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f32", "fma.rnd.type d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f64"]
        scalar::<Fma>, "a · b + c", "Multiplies and adds with one rounding.", "fma.rn.f32 %f1, %f2, %f3, %f4;";
    "mad" "9.7.3.7" Full
        ["mad{.rnd}{.ftz}{.sat}.type d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f32", "mad.rnd.type d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f64"]
        scalar::<Fma>, "a · b + c", "The same as fma.", "mad.rn.f32 %f1, %f2, %f3, %f4;";
    "div" "9.7.3.8" Full
        ["div.rnd{.ftz}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32", "div.rnd.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f64", "div.how{.ftz}.type d, a, b; .how = .approx .full; .type = .f32"]
        scalar::<Div>, "a / b", "Divides two floats.", "div.rn.f32 %f1, %f2, %f3;";
    "abs" "9.7.3.9" Full
        ["abs{.ftz}.type d, a; .type = .f32 .f16 .f16x2", "abs.type d, a; .type = .f64 .bf16 .bf16x2"]
        sign_row::<false>, "|a|", "The magnitude of a float.", "abs.ftz.f32 %f1, %f2;";
    "neg" "9.7.3.10" Full
        ["neg{.ftz}.type d, a; .type = .f32 .f16 .f16x2", "neg.type d, a; .type = .f64 .bf16 .bf16x2"]
        sign_row::<true>, "-a", "Negates a float.", "neg.ftz.f32 %f1, %f2;";
    "min" "9.7.3.11" Full
        ["min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b; .type = .f32 .f16 .f16x2 .bf16 .bf16x2", "min.type d, a, b; .type = .f64"]
        min_max::<false, 2>, "min(a, b)", "The smaller of two floats; a NaN loses unless .NaN.", "min.f32 %f1, %f2, %f3;";
    "min" "9.7.3.11" Full
        ["min{.ftz}{.NaN}{.abs}.type d, a, b, c; .type = .f32"]
        min_max::<false, 3>, "min(a, b, c)", "The smallest of three floats.", "min.f32 %f1, %f2, %f3, %f4;";
    "max" "9.7.3.12" Full
        ["max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b; .type = .f32 .f16 .f16x2 .bf16 .bf16x2", "max.type d, a, b; .type = .f64"]
        min_max::<true, 2>, "max(a, b)", "The larger of two floats; a NaN loses unless .NaN.", "max.f32 %f1, %f2, %f3;";
    "max" "9.7.3.12" Full
        ["max{.ftz}{.NaN}{.abs}.type d, a, b, c; .type = .f32"]
        min_max::<true, 3>, "max(a, b, c)", "The largest of three floats.", "max.f32 %f1, %f2, %f3, %f4;";
    "rcp" "9.7.3.13" Full
        ["rcp.rnd{.ftz}.type d, a; .rnd = .rn .rz .rm .rp; .type = .f32", "rcp.rnd.type d, a; .rnd = .rn .rz .rm .rp; .type = .f64", "rcp.approx{.ftz}.type d, a; .type = .f32 .f64"]
        |m| if m.format("type") == Some(Format::F64) && m.has("approx") {
            let mut lanes = arithmetic::<Recip>(Format::F64, Mode::Nearest, false, false)?;
            if m.has("ftz") {
                lanes.concrete = run::<Recip, f64, 0, true, false>;
            }
            Some(Action::Effect(Effect::Lanewise(lanes)))
        } else { scalar::<Recip>(m) },
        "1 / a", "The reciprocal.", "rcp.rn.f32 %f1, %f2;";
    "sqrt" "9.7.3.15" Full
        ["sqrt.rnd{.ftz}.type d, a; .rnd = .rn .rz .rm .rp; .type = .f32", "sqrt.rnd.type d, a; .rnd = .rn .rz .rm .rp; .type = .f64", "sqrt.approx{.ftz}.type d, a; .type = .f32"]
        scalar::<Sqrt>, "√a", "The square root.", "sqrt.rn.f32 %f1, %f2;";
    "rsqrt" "9.7.3.16" Full ["rsqrt.approx{.ftz}.type d, a; .type = .f32 .f64"]
        elementary_row::<{ Unary::Rsqrt as usize }>, "1 / √a", "The reciprocal of the square root.", "rsqrt.approx.f32 %f1, %f2;";
    "sin" "9.7.3.18" Full ["sin.approx{.ftz}.type d, a; .type = .f32"]
        elementary_row::<{ Unary::Sin as usize }>, "sin a", "The sine.", "sin.approx.f32 %f1, %f2;";
    "cos" "9.7.3.19" Full ["cos.approx{.ftz}.type d, a; .type = .f32"]
        elementary_row::<{ Unary::Cos as usize }>, "cos a", "The cosine.", "cos.approx.f32 %f1, %f2;";
    "lg2" "9.7.3.20" Full ["lg2.approx{.ftz}.type d, a; .type = .f32"]
        elementary_row::<{ Unary::Log2 as usize }>, "log₂ a", "The logarithm to base 2.", "lg2.approx.f32 %f1, %f2;";
    "ex2" "9.7.3.21" Full ["ex2.approx{.ftz}.type d, a; .type = .f32 .f16 .f16x2 .bf16 .bf16x2"]
        elementary_row::<{ Unary::Exp2 as usize }>, "2^a", "The power of 2.", "ex2.approx.ftz.f32 %f1, %f2;";
    "tanh" "9.7.3.22" Full ["tanh.approx.type d, a; .type = .f32 .f16 .f16x2 .bf16 .bf16x2"]
        elementary_row::<{ Unary::Tanh as usize }>, "tanh a", "The hyperbolic tangent.", "tanh.approx.f32 %f1, %f2;";
    "add" "9.7.4.1" Full
        ["add{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16", "add{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16"]
        scalar::<Add>, "a + b", "Adds two halves.", "add.f16 %rs1, %rs2, %rs3;";
    "sub" "9.7.4.2" Full
        ["sub{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16", "sub{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16"]
        scalar::<Sub>, "a - b", "Subtracts two halves.", "sub.f16 %rs1, %rs2, %rs3;";
    "mul" "9.7.4.3" Full
        ["mul{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16", "mul{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16"]
        scalar::<Mul>, "a · b", "Multiplies two halves.", "mul.f16 %rs1, %rs2, %rs3;";
    "fma" "9.7.4.4" Full
        ["fma.rnd{.ftz}{.sat}.type d, a, b, c; .rnd = .rn; .type = .f16", "fma.rnd{.ftz}{.relu}.type d, a, b, c; .rnd = .rn; .type = .f16 .bf16"]
        scalar::<Fma>, "a · b + c", "Multiplies and adds halves with one rounding.", "fma.rn.f16 %rs1, %rs2, %rs3, %rs4;";
    "add" "9.7.4.1" Full ["add{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16x2", "add{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16x2"]
        pairwise::<Add>, "a + b in each half", "Adds two pairs of halves.", "add.f16x2 %r1, %r2, %r3;";
    "sub" "9.7.4.2" Full ["sub{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16x2", "sub{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16x2"]
        pairwise::<Sub>, "a - b in each half", "Subtracts two pairs of halves.", "sub.f16x2 %r1, %r2, %r3;";
    "mul" "9.7.4.3" Full ["mul{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = .rn; .type = .f16x2", "mul{.rnd}.type d, a, b; .rnd = .rn; .type = .bf16x2"]
        pairwise::<Mul>, "a · b in each half", "Multiplies two pairs of halves.", "mul.f16x2 %r1, %r2, %r3;";
    "fma" "9.7.4.4" Full ["fma.rnd{.ftz}{.sat}.type d, a, b, c; .rnd = .rn; .type = .f16x2", "fma.rnd{.ftz}{.relu}.type d, a, b, c; .rnd = .rn; .type = .f16x2 .bf16x2"]
        pairwise::<Fma>, "a · b + c in each half", "Multiplies and adds pairs of halves.", "fma.rn.f16x2 %r1, %r2, %r3, %r4;";
    "add" "9.7.3.3" Full ["add{.rnd}{.ftz}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32x2"]
        pairwise::<Add>, "a + b in each half", "Adds two pairs of f32.", "add.f32x2 %rd1, %rd2, %rd3;";
    "mul" "9.7.3.5" Full ["mul{.rnd}{.ftz}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32x2"]
        pairwise::<Mul>, "a · b in each half", "Multiplies two pairs of f32.", "mul.f32x2 %rd1, %rd2, %rd3;";
    "add" "9.7.5.1" Full ["add{.rnd}{.sat}.type.atype d, a, c; .rnd = .rn .rz .rm .rp; .type = .f32; .atype = .f16 .bf16"]
        mixed::<Add>, "a + c", "Adds a half to an f32.", "add.f32.f16 %f1, %rs2, %f3;";
    "sub" "9.7.3.4" Full ["sub{.rnd}{.ftz}.type d, a, b; .rnd = .rn .rz .rm .rp; .type = .f32x2"]
        pairwise::<Sub>, "a - b in each half", "Subtracts two pairs of f32.", "sub.f32x2 %rd1, %rd2, %rd3;";
    "sub" "9.7.5.2" Full ["sub{.rnd}{.sat}.type.atype d, a, c; .rnd = .rn .rz .rm .rp; .type = .f32; .atype = .f16 .bf16"]
        mixed::<Sub>, "a - c", "Subtracts an f32 from a half.", "sub.f32.f16 %f1, %rs2, %f3;";
    "fma" "9.7.3.6" Full ["fma.rnd{.ftz}.type d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f32x2"]
        pairwise::<Fma>, "a · b + c in each half", "Multiplies and adds pairs of f32.", "fma.rn.f32x2 %rd1, %rd2, %rd3, %rd4;";
    "fma" "9.7.5.3" Full ["fma.rnd{.sat}.type.atype d, a, b, c; .rnd = .rn .rz .rm .rp; .type = .f32; .atype = .f16 .bf16"]
        mixed::<Fma>, "a · b + c", "Multiplies halves into an f32 sum.", "fma.rn.f32.f16 %f1, %rs2, %rs3, %f4;";
}
