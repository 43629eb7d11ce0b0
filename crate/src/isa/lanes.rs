//! How a formula over one lane becomes a loop over a warp.
//!
//! Every concrete function is a plain loop over 32 lanes, made for one type by a macro and without
//! branches inside, so that LLVM turns it into vector instructions. Results are written where they
//! belong at once: `memory.copy` of a warp's lanes takes about 10 ns (Node 20), as long as a simple
//! loop over them.

use super::effect::{Effect, LaneFn, Lanewise, Meaning, Pattern};
use super::table::{Action, Arg, Step};
use crate::base::Format;

/// A value that lives in the low bits of a lane.
pub(super) trait Lane: Copy {
    /// Ignores higher bits.
    fn from_lane(bits: u64) -> Self;
    /// Zero-extends.
    fn to_lane(self) -> u64;
}

macro_rules! lane_ints {
    ($($t:ty as $u:ty),*) => {$(
        impl Lane for $t {
            #[inline(always)]
            fn from_lane(bits: u64) -> Self { bits as $t }
            #[inline(always)]
            fn to_lane(self) -> u64 { self as $u as u64 }
        }
    )*};
}
lane_ints!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64);

impl Lane for bool {
    #[inline(always)]
    fn from_lane(bits: u64) -> Self {
        bits & 1 != 0
    }
    #[inline(always)]
    fn to_lane(self) -> u64 {
        self as u64
    }
}

impl Lane for f32 {
    #[inline(always)]
    fn from_lane(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    /// NaN results are the canonical one (manual, 5.2.3: 0x7fffffff).
    #[inline(always)]
    fn to_lane(self) -> u64 {
        if self.is_nan() { 0x7fff_ffff } else { u64::from(self.to_bits()) }
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn from_lane(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    /// The manual leaves NaN payloads of f64 open; one of them keeps runs reproducible.
    #[inline(always)]
    fn to_lane(self) -> u64 {
        if self.is_nan() { 0x7fff_ffff_ffff_ffff } else { self.to_bits() }
    }
}

/// The Rust type of a format.
macro_rules! rust {
    (U8) => {
        u8
    };
    (U16) => {
        u16
    };
    (U32) => {
        u32
    };
    (U64) => {
        u64
    };
    (S8) => {
        i8
    };
    (S16) => {
        i16
    };
    (S32) => {
        i32
    };
    (S64) => {
        i64
    };
    (B8) => {
        u8
    };
    (B16) => {
        u16
    };
    (B32) => {
        u32
    };
    (B64) => {
        u64
    };
    (F32) => {
        f32
    };
    (F64) => {
        f64
    };
    (F16) => {
        crate::isa::half::F16
    };
    (Bf16) => {
        crate::isa::half::Bf16
    };
}
pub(super) use rust;

/// `lanes!(|a: u32, b: u32| -> u32 { a ^ b })`: a [`LaneFn`] from a formula.
macro_rules! lanes {
    (@read $src:ident $i:ident $n:expr;) => {};
    (@read $src:ident $i:ident $n:expr; $x:ident : $t:ty $(, $xs:ident : $ts:ty)*) => {
        let $x = <$t as $crate::isa::lanes::Lane>::from_lane($src[$n][$i]);
        $crate::isa::lanes::lanes!(@read $src $i $n + 1; $($xs : $ts),*);
    };
    // Two results.
    (|$($x:ident : $t:ty),+| -> ($r:ty, $s:ty) $body:block) => {{
        fn run(
            src: &[&$crate::isa::Lanes; 4],
            out: &mut $crate::isa::Lanes,
            second: &mut $crate::isa::Lanes,
        ) {
            let src = *src;
            for i in 0..$crate::isa::WARP {
                $crate::isa::lanes::lanes!(@read src i 0; $($x : $t),+);
                let value: ($r, $s) = $body;
                out[i] = $crate::isa::lanes::Lane::to_lane(value.0);
                second[i] = $crate::isa::lanes::Lane::to_lane(value.1);
            }
        }
        run as $crate::isa::LaneFn
    }};
    // One.
    (|$($x:ident : $t:ty),+| -> $r:ty $body:block) => {{
        fn run(
            src: &[&$crate::isa::Lanes; 4],
            out: &mut $crate::isa::Lanes,
            _second: &mut $crate::isa::Lanes,
        ) {
            let src = *src;
            for i in 0..$crate::isa::WARP {
                $crate::isa::lanes::lanes!(@read src i 0; $($x : $t),+);
                let value: $r = $body;
                out[i] = $crate::isa::lanes::Lane::to_lane(value);
            }
        }
        run as $crate::isa::LaneFn
    }};
}
pub(super) use lanes;

/// `typed!(format, [U32 S32], |a, b| a.wrapping_add(b))`: the function for one of the formats,
/// with `T` as its type; leaves the row (`None`) for any other format. With `-> R`, the result is
/// of type `R` instead of `T`.
macro_rules! typed {
    (@match $format:expr, [$($F:ident)+], $xs:tt, $r:tt, $body:expr) => {
        match $format {
            $($crate::base::Format::$F => $crate::isa::lanes::typed!(@one $F, $xs, $r, $body),)+
            _ => return None,
        }
    };
    (@one $F:ident, ($($x:ident),+), $r:tt, $body:expr) => {{
        #[allow(dead_code)]
        type T = $crate::isa::lanes::rust!($F);
        $crate::isa::lanes::lanes!(|$($x: T),+| -> $r { $body })
    }};
    ($format:expr, $formats:tt, |$($x:ident),+| -> $r:tt $body:expr) => {
        $crate::isa::lanes::typed!(@match $format, $formats, ($($x),+), $r, $body)
    };
    ($format:expr, $formats:tt, |$($x:ident),+| $body:expr) => {
        $crate::isa::lanes::typed!(@match $format, $formats, ($($x),+), T, $body)
    };
}
pub(super) use typed;

/// A pure instruction as a row's action.
pub(super) fn pure(concrete: LaneFn, meaning: Meaning, dst: Format, src: &[Format]) -> Option<Action> {
    Some(Action::Effect(Effect::Lanewise(lanewise(concrete, meaning, dst, src))))
}

/// The same with a bit pattern for opaque operands.
pub(super) fn patterned(
    concrete: LaneFn,
    meaning: Meaning,
    pattern: Pattern,
    dst: Format,
    src: &[Format],
) -> Option<Action> {
    Some(Action::Effect(Effect::Lanewise(Lanewise { pattern, ..lanewise(concrete, meaning, dst, src) })))
}

/// A pure function that only moves the bits of its first `moves` sources.
pub(super) fn moving(
    concrete: LaneFn,
    meaning: Meaning,
    dst: Format,
    src: &[Format],
    moves: u8,
) -> Option<Action> {
    Some(Action::Effect(Effect::Lanewise(Lanewise { moves, ..lanewise(concrete, meaning, dst, src) })))
}

/// An integer division or remainder.
pub(super) fn dividing(concrete: LaneFn, meaning: Meaning, format: Format) -> Option<Action> {
    let op = lanewise(concrete, meaning, format, &[format, format]);
    Some(Action::Effect(Effect::Lanewise(Lanewise { divides: true, ..op })))
}

/// Applies a function of one element to both elements of packed registers; `number` tells it apart.
pub(super) fn packed(element: &Lanewise, number: u32) -> Action {
    let (count, each) = (element.sources, element.dst.bits() as u8);
    let mut element = *element;
    element.operation = 0x4000_0000 | number;
    let mut steps = Vec::new();
    for source in 0..count {
        steps.push(Step {
            effect: Effect::Unpack { bits: 2 * u32::from(each) },
            dst: vec![Arg::Temp(2 * source, each), Arg::Temp(2 * source + 1, each)],
            src: vec![Arg::In(source)],
        });
    }
    for side in 0..2 {
        steps.push(Step {
            effect: Effect::Lanewise(element),
            dst: vec![Arg::Temp(8 + side, each)],
            src: (0..count).map(|source| Arg::Temp(2 * source + side, each)).collect(),
        });
    }
    steps.push(Step {
        effect: Effect::Pack { bits: 2 * u32::from(each) },
        dst: vec![Arg::Out(0)],
        src: vec![Arg::Temp(8, each), Arg::Temp(9, each)],
    });
    Action::Steps(steps)
}

/// A pure function with one destination.
pub(super) fn lanewise(concrete: LaneFn, meaning: Meaning, dst: Format, src: &[Format]) -> Lanewise {
    let mut formats = [Format::B64; 4];
    formats[..src.len()].copy_from_slice(src);
    let pattern = match meaning {
        Meaning::Bits(op) => Pattern::of(op),
        _ => Pattern::OTHER,
    };
    Lanewise {
        concrete,
        meaning,
        dst,
        src: formats,
        sources: src.len() as u8,
        destinations: 1,
        pattern,
        moves: 0,
        divides: false,
        operation: 0,
    }
}

/// Predicates in a [`Lanewise`].
pub(super) const PRED: Format = Format::B8;
