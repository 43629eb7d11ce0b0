//! `cvt` among integers and floats of every width (PTX ISA 9.0, 9.7.9.21).
//!
//! Between floats a rounding to nearest reads as the identity over the reals, a directed one stays
//! a [`Terms::round`]; `.satfinite` is a clamp to the range of the format. Float to integer rounds and clamps
//! to the range of the integer (NaN gives 0, for f32 to 64 bits and f64 the most negative or 2⁶³, as the
//! manual's table says); integer to integer wraps, or clamps under `.sat`.

use crate::base::Format;
use crate::isa::half::{Bf16, F16, Float};
use crate::isa::lanes::{Lane, lanes, lanewise, pure};
use crate::isa::real::{self, Function as Real, Mode};
use crate::isa::table::{Action, Arg, Row, Step, Support};
use crate::isa::{Effect, LaneFn, Lanes, Lanewise, Meaning, WARP, soft};
use crate::term::Unary;

const MODES: [Mode; 4] = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up];

fn mode_index(mode: Mode) -> usize {
    MODES.iter().position(|known| *known == mode).unwrap_or(0)
}

/// What a conversion does besides converting.
#[derive(Clone, Copy, Default)]
struct Extra {
    ftz: bool,
    sat: bool,
    relu: bool,
    finite: bool,
}

// ---- float to float ------------------------------------------------------------------------

/// One instance for each choice, so that each is a plain function; the work is shared.
fn float_to_float<const FROM: usize, const TO: usize, const M: usize, const E: u8>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    let extra = Extra { ftz: E & 1 != 0, sat: E & 2 != 0, relu: E & 4 != 0, finite: E & 8 != 0 };
    convert_floats(src[0], out, Format::ALL[FROM], Format::ALL[TO], MODES[M], extra);
}

#[inline(never)]
fn convert_floats(src: &Lanes, out: &mut Lanes, from: Format, to: Format, mode: Mode, extra: Extra) {
    for i in 0..WARP {
        let mut bits = low(src[i], from);
        if extra.ftz && from == Format::F32 {
            bits = f32::from_lane(bits).flushed().bits();
        }
        let mut value = if extra.finite {
            soft::convert_finite(from, bits, to, mode)
        } else {
            soft::convert(from, bits, to, mode)
        };
        if extra.ftz && to == Format::F32 {
            value = f32::from_lane(value).flushed().bits();
        }
        if extra.sat {
            value = saturated(to, value);
        }
        if extra.relu && (value >> (to.bits() - 1) & 1 == 1) && value != soft::nan(to) {
            value = 0;
        }
        out[i] = value;
    }
}

fn low(bits: u64, format: Format) -> u64 {
    if format.bits() == 64 { bits } else { bits & ((1 << format.bits()) - 1) }
}

fn saturated(format: Format, bits: u64) -> u64 {
    match format {
        Format::F64 => f64::from_lane(bits).saturated().to_lane(),
        Format::F16 => F16::from_lane(bits).saturated().to_lane(),
        Format::Bf16 => Bf16::from_lane(bits).saturated().to_lane(),
        _ => f32::from_lane(bits).saturated().to_lane(),
    }
}

/// The conversion between two float formats.
fn floats(from: Format, to: Format, mode: Mode, extra: Extra) -> Option<Lanewise> {
    macro_rules! with_extra {
        ($F:ident, $T:ident, $M:literal) => {
            match (extra.ftz, extra.sat, extra.relu, extra.finite) {
                (false, false, false, false) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 0> as LaneFn
                }
                (true, false, false, false) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 1>
                }
                (false, true, false, false) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 2>
                }
                (true, true, false, false) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 3>
                }
                (false, false, true, false) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 4>
                }
                (false, false, false, true) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 8>
                }
                (false, false, true, true) => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, $M, 12>
                }
                _ => return None,
            }
        };
    }
    macro_rules! with_mode {
        ($F:ident, $T:ident) => {
            match mode {
                Mode::Nearest => with_extra!($F, $T, 0),
                Mode::Zero => with_extra!($F, $T, 1),
                Mode::Down => with_extra!($F, $T, 2),
                Mode::Up => with_extra!($F, $T, 3),
            }
        };
    }
    macro_rules! exact {
        ($F:ident, $T:ident) => {
            with_extra!($F, $T, 0)
        };
    }
    let run = match (from, to) {
        (Format::F32, Format::F32) => lanes_f32_to_f32(extra)?,
        (Format::F64, Format::F64) if extra.sat => lanes!(|a: f64| -> f64 { a.saturated() }),
        (Format::F64, Format::F64) => lanes!(|a: f64| -> f64 { a }),
        (Format::F16, Format::F16) if extra.sat => lanes!(|a: F16| -> F16 { a.saturated() }),
        (Format::F16, Format::F16) => lanes!(|a: F16| -> F16 { a }),
        (Format::Bf16, Format::Bf16) if extra.sat => lanes!(|a: Bf16| -> Bf16 { a.saturated() }),
        (Format::Bf16, Format::Bf16) => lanes!(|a: Bf16| -> Bf16 { a }),
        (Format::F32, Format::F64) if !extra.sat && !extra.relu && !extra.finite => {
            if extra.ftz {
                lanes!(|a: f32| -> f64 { f64::from(a.flushed()) })
            } else {
                lanes!(|a: f32| -> f64 { f64::from(a) })
            }
        }
        (Format::F64, Format::F32)
            if matches!(mode, Mode::Nearest) && !extra.sat && !extra.relu && !extra.finite =>
        {
            if extra.ftz {
                lanes!(|a: f64| -> f32 { (a as f32).flushed() })
            } else {
                lanes!(|a: f64| -> f32 { a as f32 })
            }
        }
        (Format::F64, Format::F32) => with_mode!(F64, F32),
        (Format::F32, Format::F64) => exact!(F32, F64),
        (Format::F16, Format::F32) => exact!(F16, F32),
        (Format::F16, Format::F64) => exact!(F16, F64),
        (Format::Bf16, Format::F32) => exact!(Bf16, F32),
        (Format::Bf16, Format::F64) => exact!(Bf16, F64),
        (Format::F32, Format::F16) => with_mode!(F32, F16),
        (Format::F64, Format::F16) => with_mode!(F64, F16),
        (Format::F32, Format::Bf16) => with_mode!(F32, Bf16),
        (Format::F64, Format::Bf16) => with_mode!(F64, Bf16),
        (Format::F16, Format::Bf16) => with_mode!(F16, Bf16),
        (Format::Bf16, Format::F16) => with_mode!(Bf16, F16),
        _ => return None,
    };
    let narrows = to.bytes() < from.bytes()
        || matches!((from, to), (Format::F16, Format::Bf16) | (Format::Bf16, Format::F16));
    Some(lanewise(run, float_meaning(to, mode, narrows, extra)?, to, &[from]))
}

/// The conversions between a float and one of at most eight bits: into the narrow one to nearest and saturating.
fn narrow_floats(from: Format, to: Format, extra: Extra) -> Option<Lanewise> {
    macro_rules! pick {
        ($F:ident, $T:ident, $plain:literal, $relu:literal) => {
            match extra.relu {
                false => {
                    float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, 0, $plain> as LaneFn
                }
                true => float_to_float::<{ Format::$F as usize }, { Format::$T as usize }, 0, $relu>,
            }
        };
    }
    macro_rules! pairs {
        ($($wide:ident: $($narrow:ident)*;)*) => {
            match (from, to) {
                $($((Format::$wide, Format::$narrow) if extra.finite => pick!($wide, $narrow, 8, 12),)*)*
                $($((Format::$narrow, Format::$wide) if !extra.finite => pick!($narrow, $wide, 0, 4),)*)*
                _ => return None,
            }
        };
    }
    let run = pairs! {
        F32: E4m3 E5m2 E2m3 E3m2 E2m1;
        F16: E4m3 E5m2 E2m3 E3m2 E2m1;
        Bf16: E4m3 E5m2 E2m3 E3m2 E2m1;
    };
    Some(lanewise(run, float_meaning(to, Mode::Nearest, false, extra)?, to, &[from]))
}

/// What a float is as the scale of a block (UE8M0): a power of two.
fn to_scale<const F: usize, const UP: bool, const FINITE: bool>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    let from = Format::ALL[F];
    for i in 0..WARP {
        out[i] = soft::to_scale(from, low(src[0][i], from), UP, FINITE);
    }
}

fn scale_from_bytes(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
    convert_floats(src[0], out, Format::Ue8m0, Format::Bf16, Mode::Nearest, Extra::default());
}

/// The conversions from and to the scale of a block.
fn scales(from: Format, to: Format, mode: Mode, finite: bool) -> Option<Lanewise> {
    if from == Format::Ue8m0 {
        return (to == Format::Bf16).then(|| lanewise(scale_from_bytes, Meaning::Convert, to, &[from]));
    }
    macro_rules! pick {
        ($F:ident) => {
            match (mode, finite) {
                (Mode::Zero, false) => to_scale::<{ Format::$F as usize }, false, false> as LaneFn,
                (Mode::Zero, true) => to_scale::<{ Format::$F as usize }, false, true>,
                (_, false) => to_scale::<{ Format::$F as usize }, true, false>,
                (_, true) => to_scale::<{ Format::$F as usize }, true, true>,
            }
        };
    }
    let run = match from {
        Format::F32 => pick!(F32),
        Format::Bf16 => pick!(Bf16),
        _ => return None,
    };
    let meaning = match mode {
        Mode::Zero => real::scale::<false> as Real,
        Mode::Up => real::scale::<true>,
        Mode::Nearest | Mode::Down => return None,
    };
    Some(lanewise(run, Meaning::Real(meaning), to, &[from]))
}

fn lanes_f32_to_f32(extra: Extra) -> Option<LaneFn> {
    Some(match (extra.ftz, extra.sat, extra.relu) {
        (false, false, false) => lanes!(|a: f32| -> f32 { a }),
        (true, false, false) => lanes!(|a: f32| -> f32 { a.flushed() }),
        (false, true, false) => lanes!(|a: f32| -> f32 { a.saturated() }),
        (true, true, false) => lanes!(|a: f32| -> f32 { a.flushed().saturated() }),
        _ => return None,
    })
}

fn float_meaning(to: Format, mode: Mode, narrows: bool, extra: Extra) -> Option<Meaning> {
    if extra.sat {
        return Some(Meaning::Real(real::clamp01));
    }
    if extra.finite {
        macro_rules! saturating {
            ($($F:ident)*) => {
                match (to, mode, extra.relu) {
                    $((Format::$F, Mode::Nearest, false) => real::saturating::<{ Format::$F as usize }, false, false> as Real,
                    (Format::$F, Mode::Nearest, true) => real::saturating::<{ Format::$F as usize }, true, false>,
                    (Format::$F, Mode::Zero, false) => real::saturating::<{ Format::$F as usize }, false, true>,
                    (Format::$F, Mode::Zero, true) => real::saturating::<{ Format::$F as usize }, true, true>,)*
                    _ => return None,
                }
            };
        }
        return Some(Meaning::Real(saturating!(E4m3 E5m2 E2m3 E3m2 E2m1 F16 Bf16 Tf32)));
    }
    if extra.relu {
        return Some(Meaning::Real(real::relu));
    }
    if mode == Mode::Nearest || !narrows {
        return Some(Meaning::Convert);
    }
    macro_rules! directed {
        ($($F:ident)*) => {
            match (to, mode_index(mode)) {
                $((Format::$F, 1) => real::Float::<{ Format::$F as usize }, 1, false>::convert as Real,
                (Format::$F, 2) => real::Float::<{ Format::$F as usize }, 2, false>::convert,
                (Format::$F, 3) => real::Float::<{ Format::$F as usize }, 3, false>::convert,)*
                _ => return None,
            }
        };
    }
    Some(Meaning::Real(directed!(F32 F64 F16 Bf16 Tf32)))
}

/// A half widened to f32.
pub(super) fn widening(from: Format) -> Option<Lanewise> {
    let mut lanes = floats(from, Format::F32, Mode::Nearest, Extra::default())?;
    lanes.operation = 0x2000_0000 | from as u32;
    Some(lanes)
}

// ---- rounding to an integral float ---------------------------------------------------------

fn integral<const F: usize, const M: usize, const FTZ: bool>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    round_floats(src[0], out, Format::ALL[F], MODES[M], FTZ);
}

#[inline(never)]
fn round_floats(src: &Lanes, out: &mut Lanes, format: Format, mode: Mode, ftz: bool) {
    for i in 0..WARP {
        let mut bits = low(src[i], format);
        if ftz {
            bits = f32::from_lane(bits).flushed().bits();
        }
        out[i] = soft::round_integral(format, bits, mode);
    }
}

/// Floats rounded to an integral value of their own format.
fn integral_floats(format: Format, mode: Mode, extra: Extra) -> Option<Lanewise> {
    if extra.sat || extra.relu || extra.finite {
        return None;
    }
    macro_rules! pick {
        ($F:ident, $ftz:literal) => {
            match mode {
                Mode::Nearest => integral::<{ Format::$F as usize }, 0, $ftz> as LaneFn,
                Mode::Zero => integral::<{ Format::$F as usize }, 1, $ftz>,
                Mode::Down => integral::<{ Format::$F as usize }, 2, $ftz>,
                Mode::Up => integral::<{ Format::$F as usize }, 3, $ftz>,
            }
        };
    }
    let run = match (format, extra.ftz) {
        (Format::F32, false) => pick!(F32, false),
        (Format::F32, true) => pick!(F32, true),
        (Format::F64, _) => pick!(F64, false),
        (Format::F16, _) => pick!(F16, false),
        (Format::Bf16, _) => pick!(Bf16, false),
        _ => return None,
    };
    Some(lanewise(run, Meaning::Real(whole(mode)), format, &[format]))
}

/// Rounding to an integer over the reals.
fn whole(mode: Mode) -> Real {
    match mode {
        Mode::Nearest => real::unary::<{ Unary::RoundEven as usize }>,
        Mode::Zero => real::unary::<{ Unary::Trunc as usize }>,
        Mode::Down => real::unary::<{ Unary::Floor as usize }>,
        Mode::Up => real::unary::<{ Unary::Ceil as usize }>,
    }
}

// ---- float and integer ---------------------------------------------------------------------

fn float_to_int<const F: usize, const M: usize, const FTZ: bool, T: Integer>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    floats_to_ints(src[0], out, Format::ALL[F], T::FORMAT, MODES[M], FTZ);
}

#[inline(never)]
fn floats_to_ints(src: &Lanes, out: &mut Lanes, from: Format, to: Format, mode: Mode, ftz: bool) {
    let (least, greatest) = real::int_range(to);
    // NaN: zero, but from f64 and into 64 bits the integer with only its highest bit set.
    let nan = if from == Format::F64 || to.bits() == 64 { 1i128 << (to.bits() - 1) } else { 0 };
    for i in 0..WARP {
        let mut bits = low(src[i], from);
        if ftz {
            bits = f32::from_lane(bits).flushed().bits();
        }
        out[i] = low(soft::to_integer(from, bits, mode, least, greatest, nan) as u64, to);
    }
}

fn int_to_float<T: Integer, const F: usize, const M: usize>(
    src: &[&Lanes; 4],
    out: &mut Lanes,
    _: &mut Lanes,
) {
    ints_to_floats(src[0], out, T::widened, Format::ALL[F], MODES[M]);
}

#[inline(never)]
fn ints_to_floats(src: &Lanes, out: &mut Lanes, widened: fn(u64) -> i128, to: Format, mode: Mode) {
    for i in 0..WARP {
        out[i] = soft::from_integer(widened(src[i]), to, mode);
    }
}

#[inline(never)]
fn clamp_ints(src: &Lanes, out: &mut Lanes, widened: fn(u64) -> i128, to: Format) {
    let (least, greatest) = real::int_range(to);
    for i in 0..WARP {
        out[i] = low(widened(src[i]).clamp(least, greatest) as u64, to);
    }
}

/// An integer type of a lane.
trait Integer: Lane {
    const FORMAT: Format;
    fn widened(bits: u64) -> i128;
}

macro_rules! integers {
    ($($t:ident $f:ident)*) => {$(
        impl Integer for $t {
            const FORMAT: Format = Format::$f;
            #[inline(always)]
            fn widened(bits: u64) -> i128 {
                $t::from_lane(bits) as i128
            }
        }
    )*};
}
integers!(u8 U8 u16 U16 u32 U32 u64 U64 i8 S8 i16 S16 i32 S32 i64 S64);

macro_rules! by_integer {
    ($format:expr, $T:ident => $value:expr) => {
        match $format {
            Format::U8 => {
                type $T = u8;
                $value
            }
            Format::U16 => {
                type $T = u16;
                $value
            }
            Format::U32 => {
                type $T = u32;
                $value
            }
            Format::U64 => {
                type $T = u64;
                $value
            }
            Format::S8 => {
                type $T = i8;
                $value
            }
            Format::S16 => {
                type $T = i16;
                $value
            }
            Format::S32 => {
                type $T = i32;
                $value
            }
            Format::S64 => {
                type $T = i64;
                $value
            }
            _ => return None,
        }
    };
}

fn from_float(from: Format, to: Format, mode: Mode, ftz: bool) -> Option<Lanewise> {
    macro_rules! pick {
        ($F:ident, $ftz:literal) => {
            by_integer!(to, T => match mode {
                Mode::Nearest => float_to_int::<{ Format::$F as usize }, 0, $ftz, T> as LaneFn,
                Mode::Zero => float_to_int::<{ Format::$F as usize }, 1, $ftz, T>,
                Mode::Down => float_to_int::<{ Format::$F as usize }, 2, $ftz, T>,
                Mode::Up => float_to_int::<{ Format::$F as usize }, 3, $ftz, T>,
            })
        };
    }
    let run = match (from, ftz) {
        (Format::F32, false) => pick!(F32, false),
        (Format::F32, true) => pick!(F32, true),
        (Format::F64, _) => pick!(F64, false),
        (Format::F16, _) => pick!(F16, false),
        (Format::Bf16, _) => pick!(Bf16, false),
        _ => return None,
    };
    macro_rules! rounded {
        ($U:ident) => {
            by_integer!(to, T => real::to_integer::<{ Unary::$U as usize }, { T::FORMAT as usize }> as Real)
        };
    }
    let meaning = match mode {
        Mode::Nearest => rounded!(RoundEven),
        Mode::Zero => rounded!(Trunc),
        Mode::Down => rounded!(Floor),
        Mode::Up => rounded!(Ceil),
    };
    Some(lanewise(run, Meaning::Real(meaning), to, &[from]))
}

fn to_float(from: Format, to: Format, mode: Mode, extra: Extra) -> Option<Lanewise> {
    if extra.relu || extra.finite || extra.sat {
        return None;
    }
    macro_rules! pick {
        ($F:ident) => {
            by_integer!(from, T => match mode {
                Mode::Nearest => int_to_float::<T, { Format::$F as usize }, 0> as LaneFn,
                Mode::Zero => int_to_float::<T, { Format::$F as usize }, 1>,
                Mode::Down => int_to_float::<T, { Format::$F as usize }, 2>,
                Mode::Up => int_to_float::<T, { Format::$F as usize }, 3>,
            })
        };
    }
    // The common ones natively: the cast rounds to nearest even.
    let run = match (from, to, mode) {
        (Format::S32, Format::F32, Mode::Nearest) => lanes!(|a: i32| -> f32 { a as f32 }),
        (Format::U32, Format::F32, Mode::Nearest) => lanes!(|a: u32| -> f32 { a as f32 }),
        (Format::S32, Format::F64, Mode::Nearest) => lanes!(|a: i32| -> f64 { f64::from(a) }),
        (Format::U32, Format::F64, Mode::Nearest) => lanes!(|a: u32| -> f64 { f64::from(a) }),
        (_, Format::F32, _) => pick!(F32),
        (_, Format::F64, _) => pick!(F64),
        (_, Format::F16, _) => pick!(F16),
        (_, Format::Bf16, _) => pick!(Bf16),
        _ => return None,
    };
    let meaning = float_meaning(to, mode, true, extra)?;
    Some(lanewise(run, meaning, to, &[from]))
}

// ---- integer to integer --------------------------------------------------------------------

fn integer_to_integer(from: Format, to: Format, sat: bool) -> Option<Lanewise> {
    fn wrap<A: Integer, B: Integer>(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
        for i in 0..WARP {
            out[i] = low(A::widened(src[0][i]) as u64, B::FORMAT);
        }
    }
    fn clamp<A: Integer, B: Integer>(src: &[&Lanes; 4], out: &mut Lanes, _: &mut Lanes) {
        clamp_ints(src[0], out, A::widened, B::FORMAT);
    }
    if sat {
        let run = by_integer!(from, A => by_integer!(to, B => clamp::<A, B> as LaneFn));
        macro_rules! clamped {
            ($($F:ident)*) => {
                match to { $(Format::$F => real::clamp_int::<{ Format::$F as usize }> as Real,)* _ => return None }
            };
        }
        let meaning = clamped!(U8 U16 U32 U64 S8 S16 S32 S64);
        return Some(lanewise(run, Meaning::Real(meaning), to, &[from]));
    }
    let run = by_integer!(from, A => by_integer!(to, B => wrap::<A, B> as LaneFn));
    Some(Lanewise { moves: 1, ..lanewise(run, Meaning::Convert, to, &[from]) })
}

// ---- rows ----------------------------------------------------------------------------------

/// What a conversion gives, between 0 and 1 (`.sat`).
fn clamped(first: Lanewise, format: Format) -> Option<Action> {
    let mut clamp = floats(format, format, Mode::Nearest, Extra { sat: true, ..Extra::default() })?;
    clamp.operation = 0x3100_0000 | format as u32;
    let between = Arg::Temp(0, format.bits() as u8);
    let step = |lanes, to, from| Step { effect: Effect::Lanewise(lanes), dst: vec![to], src: vec![from] };
    Some(Action::Steps(vec![step(first, between, Arg::In(0)), step(clamp, Arg::Out(0), between)]))
}

/// A scalar conversion, as the manual's modifiers say it.
fn scalar(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let (to, from) = (m.format("dtype")?, m.format("atype")?);
    let rounding = m.get("irnd").or_else(|| m.get("frnd"));
    let mode = Mode::from_name(rounding)?;
    let extra =
        Extra { ftz: m.has("ftz"), sat: m.has("sat"), relu: m.has("relu"), finite: m.has("satfinite") };
    if m.has("irnd") && from == to && from.is_float() && extra.sat {
        let mut whole = integral_floats(from, mode, Extra { sat: false, ..extra })?;
        whole.operation = 0x3000_0000 | m.number();
        return clamped(whole, from);
    }
    if !from.is_float() && to.is_float() && extra.sat && !m.has("irnd") {
        let mut plain = to_float(from, to, mode, Extra { sat: false, ..extra })?;
        plain.operation = 0x3200_0000 | m.number();
        return clamped(plain, to);
    }
    let lanes = match (from.is_float(), to.is_float()) {
        (true, true) if m.has("irnd") && from == to => integral_floats(from, mode, extra),
        (true, true) if m.has("irnd") => None,
        (true, true) => floats(from, to, mode, extra),
        // A float becomes an integer only with an integer rounding.
        (true, false) if m.has("irnd") => from_float(from, to, mode, extra.ftz),
        (true, false) => None,
        (false, true) if m.has("irnd") => None,
        (false, true) => to_float(from, to, mode, extra),
        (false, false) => integer_to_integer(from, to, extra.sat),
    }?;
    Some(Action::Effect(Effect::Lanewise(lanes)))
}

/// The format of each half of a packed type.
fn half_of(packed: &str) -> Option<Format> {
    Some(match packed {
        "f16x2" => Format::F16,
        "bf16x2" => Format::Bf16,
        "e4m3x2" => Format::E4m3,
        "e5m2x2" => Format::E5m2,
        "e2m3x2" => Format::E2m3,
        "e3m2x2" => Format::E3m2,
        "e2m1x2" => Format::E2m1,
        "ue8m0x2" => Format::Ue8m0,
        _ => return None,
    })
}

/// Bits of each half of a packed type: six-bit floats have a byte each, with zeros above them.
fn half_bits(format: Format) -> u8 {
    if format.bits() == 6 { 8 } else { format.bits() as u8 }
}

/// The conversion of one half.
fn half(m: &crate::isa::form::Choice<'_>, from: Format, to: Format) -> Option<Lanewise> {
    let extra = Extra { relu: m.has("relu"), finite: m.has("satfinite"), ..Extra::default() };
    let mode = Mode::from_name(m.get("frnd"))?;
    let mut convert = match (from, to) {
        (Format::Ue8m0, _) | (_, Format::Ue8m0) => scales(from, to, mode, extra.finite),
        _ if from.bytes() == 1 || to.bytes() == 1 => narrow_floats(from, to, extra),
        _ => floats(from, to, mode, extra),
    }?;
    convert.operation = 0x1000_0000 | m.number();
    Some(convert)
}

/// Two f32 into the halves of a register: the first operand is the upper half.
fn pair(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let to = half_of(m.get("dtype")?)?;
    let convert = half(m, Format::F32, to)?;
    let bits = half_bits(to);
    let half = |source: u8| Step {
        effect: Effect::Lanewise(convert),
        dst: vec![Arg::Temp(source, bits)],
        src: vec![Arg::In(source)],
    };
    Some(Action::Steps(vec![
        half(0),
        half(1),
        Step {
            effect: Effect::Pack { bits: 2 * u32::from(bits) },
            dst: vec![Arg::Out(0)],
            src: vec![Arg::Temp(1, bits), Arg::Temp(0, bits)],
        },
    ]))
}

/// Both halves of a register into those of another.
fn packed(m: &crate::isa::form::Choice<'_>) -> Option<Action> {
    let (from, to) = (half_of(m.get("atype")?)?, half_of(m.get("dtype")?)?);
    let convert = half(m, from, to)?;
    let (wide, narrow) = (half_bits(from), half_bits(to));
    let half = |at: u8| Step {
        effect: Effect::Lanewise(convert),
        dst: vec![Arg::Temp(2 + at, narrow)],
        src: vec![Arg::Temp(at, wide)],
    };
    Some(Action::Steps(vec![
        Step {
            effect: Effect::Unpack { bits: 2 * u32::from(wide) },
            dst: vec![Arg::Temp(0, wide), Arg::Temp(1, wide)],
            src: vec![Arg::In(0)],
        },
        half(0),
        half(1),
        Step {
            effect: Effect::Pack { bits: 2 * u32::from(narrow) },
            dst: vec![Arg::Out(0)],
            src: vec![Arg::Temp(2, narrow), Arg::Temp(3, narrow)],
        },
    ]))
}

/// `.satfinite`: infinities become the largest TF32 number of their sign.
fn finite_tf32(a: u32) -> u32 {
    if a & 0x7fff_ffff == 0x7f80_0000 { a - 0x2000 } else { a }
}

/// `.relu`: what is below zero becomes zero; NaNs have no sign.
fn clipped(a: u32) -> u32 {
    if (0x8000_0000..=0xff80_0000).contains(&a) { 0 } else { a }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "cvt",
        forms: &[
            "cvt{.frnd}{.ftz}{.sat}.dtype.atype d, a; .frnd = .rn .rz .rm .rp; .dtype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .bf16 .f32 .f64; .atype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .bf16 .f32 .f64",
            "cvt.irnd{.ftz}{.sat}.dtype.atype d, a; .irnd = .rni .rzi .rmi .rpi; .dtype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .bf16 .f32 .f64; .atype = .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .bf16 .f32 .f64",
            "cvt.frnd{.relu}{.satfinite}.dtype.atype d, a; .frnd = .rn .rz; .dtype = .f16 .bf16; .atype = .f32",
        ],
        build: scalar,
        real: "the same number; into integers rounded",
        section: "9.7.9.21",
        summary: "Converts between number formats.",
        example: "cvt.rn.f32.s32 %f1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd{.relu}{.satfinite}.dtype.atype d, a, b; .frnd = .rn .rz; .dtype = .f16x2 .bf16x2; .atype = .f32",
        ],
        build: pair,
        real: "the same numbers",
        section: "9.7.9.21",
        summary: "Converts two f32 into a pair of halves, the first into the upper half.",
        example: "cvt.rn.f16x2.f32 %r1, %f2, %f3;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd.satfinite{.relu}.dtype.atype d, a, b; .frnd = .rn; .dtype = .e4m3x2 .e5m2x2; .atype = .f32",
        ],
        build: pair,
        real: "the same numbers, clamped to the range",
        section: "9.7.9.21",
        summary: "Converts two f32 into a pair of fp8, the first into the upper half.",
        example: "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd.satfinite{.relu}.dtype.atype d, a; .frnd = .rn; .dtype = .e4m3x2 .e5m2x2; .atype = .f16x2 .bf16x2",
            "cvt.frnd{.relu}.dtype.atype d, a; .frnd = .rn; .dtype = .f16x2 .bf16x2; .atype = .e4m3x2 .e5m2x2",
        ],
        build: packed,
        real: "the same numbers",
        section: "9.7.9.21",
        summary: "Converts between pairs of halves and pairs of fp8.",
        example: "cvt.rn.f16x2.e4m3x2 %r1, %rs2;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd.satfinite{.relu}.dtype.atype d, a, b; .frnd = .rn; .dtype = .e2m1x2 .e2m3x2 .e3m2x2; .atype = .f32",
        ],
        build: pair,
        real: "the same numbers, clamped to the range",
        section: "9.7.9.21",
        summary: "Converts two f32 into a pair of floats of four or six bits, the first into the upper half.",
        example: "cvt.rn.satfinite.e2m1x2.f32 %b1, %f2, %f3;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd.satfinite{.relu}.dtype.atype d, a; .frnd = .rn; .dtype = .e2m1x2 .e2m3x2 .e3m2x2; .atype = .f16x2 .bf16x2",
            "cvt.frnd{.relu}.dtype.atype d, a; .frnd = .rn; .dtype = .f16x2 .bf16x2; .atype = .e2m1x2 .e2m3x2 .e3m2x2",
        ],
        build: packed,
        real: "the same numbers",
        section: "9.7.9.21",
        summary: "Converts between pairs of halves and pairs of floats of four or six bits.",
        example: "cvt.rn.f16x2.e2m1x2 %r1, %b2;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd{.satfinite}.dtype.atype d, a, b; .frnd = .rz .rp; .dtype = .ue8m0x2; .atype = .f32",
        ],
        build: pair,
        real: "2^⌊log₂ |a|⌋ or 2^⌈log₂ |a|⌉, at least 2⁻¹²⁷",
        section: "9.7.9.21",
        summary: "Converts two f32 into a pair of scales, powers of two, the first into the upper half.",
        example: "cvt.rp.satfinite.ue8m0x2.f32 %rs1, %f2, %f3;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd{.satfinite}.dtype.atype d, a; .frnd = .rz .rp; .dtype = .ue8m0x2; .atype = .bf16x2",
            "cvt.frnd.dtype.atype d, a; .frnd = .rn; .dtype = .bf16x2; .atype = .ue8m0x2",
        ],
        build: packed,
        real: "the powers of two",
        section: "9.7.9.21",
        summary: "Converts between pairs of bf16 and pairs of scales.",
        example: "cvt.rn.bf16x2.ue8m0x2 %r1, %rs2;",
        support: Support::Full,
    },
    Row {
        name: "cvt",
        forms: &[
            "cvt.frnd{.satfinite}{.relu}.dtype.atype d, a; .frnd = .rna .rn .rz; .dtype = .tf32; .atype = .f32",
        ],
        build: |m| {
            if m.has("relu") {
                let run = match (m.get("frnd")?, m.has("satfinite")) {
                    ("rn", false) => lanes!(|a: u32| -> u32 { clipped(soft::to_tf32(a, Mode::Nearest)) }),
                    ("rz", false) => lanes!(|a: u32| -> u32 { clipped(soft::to_tf32(a, Mode::Zero)) }),
                    ("rn", true) => {
                        lanes!(|a: u32| -> u32 { clipped(finite_tf32(soft::to_tf32(a, Mode::Nearest))) })
                    }
                    ("rz", true) => {
                        lanes!(|a: u32| -> u32 { clipped(finite_tf32(soft::to_tf32(a, Mode::Zero))) })
                    }
                    _ => return None,
                };
                // A directed rounding would have to be kept.
                let meaning = match m.get("frnd")? {
                    "rn" => Meaning::Real(real::relu),
                    _ => Meaning::None,
                };
                return pure(run, meaning, Format::Tf32, &[Format::F32]);
            }
            let run = match (m.get("frnd")?, m.has("satfinite")) {
                ("rna", false) => lanes!(|a: u32| -> u32 { soft::to_tf32_away(a) }),
                ("rn", false) => lanes!(|a: u32| -> u32 { soft::to_tf32(a, Mode::Nearest) }),
                (_, false) => lanes!(|a: u32| -> u32 { soft::to_tf32(a, Mode::Zero) }),
                ("rna", true) => lanes!(|a: u32| -> u32 { finite_tf32(soft::to_tf32_away(a)) }),
                ("rn", true) => lanes!(|a: u32| -> u32 { finite_tf32(soft::to_tf32(a, Mode::Nearest)) }),
                (_, true) => lanes!(|a: u32| -> u32 { finite_tf32(soft::to_tf32(a, Mode::Zero)) }),
            };
            let mode = Mode::from_name(m.get("frnd"))?;
            let extra = Extra { finite: m.has("satfinite"), ..Extra::default() };
            let meaning = float_meaning(Format::Tf32, mode, true, extra)?;
            pure(run, meaning, Format::Tf32, &[Format::F32])
        },
        real: "the same number",
        section: "9.7.9.21",
        summary: "Rounds an f32 to the precision of TF32.",
        example: "cvt.rna.tf32.f32 %r1, %f2;",
        support: Support::Full,
    },
];
