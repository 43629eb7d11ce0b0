//! Integer instructions on halfwords and bytes of registers: packed arithmetic (PTX ISA 9.0, 9.7.1),
//! `cvt.pack` (9.7.9.22) and video instructions (9.7.18).
//!
//! All are made of instructions on whole registers, so that they read over symbolic words as these do.

use crate::isa::form::Choice;
use crate::isa::table::{Action, Arg, Row, Step, Support};
use crate::isa::video::{Second, Video, VideoOp, scalar};
use crate::isa::{Effect, Lanewise};

fn lane(lanes: Lanewise, to: Arg, src: &[Arg]) -> Step {
    Step { effect: Effect::Lanewise(lanes), dst: vec![to], src: src.to_vec() }
}

/// Both halves by the instruction of that name on 16 bits.
fn pairs(m: &Choice<'_>, name: &str) -> Option<Action> {
    let ty = m.get("type")?.strip_suffix("x2")?;
    let one = scalar(name, &[ty], 2)?;
    let unpack = |source, low| Step {
        effect: Effect::Unpack { bits: 32 },
        dst: vec![Arg::Temp(low, 16), Arg::Temp(low + 1, 16)],
        src: vec![Arg::In(source)],
    };
    let mut steps = vec![unpack(0, 0), unpack(1, 2)];
    for side in 0..2 {
        let result = Arg::Temp(4 + side, 16);
        steps.push(lane(one, result, &[Arg::Temp(side, 16), Arg::Temp(2 + side, 16)]));
        if m.has("relu") {
            if ty != "s16" {
                return None;
            }
            steps.push(lane(scalar("max", &[ty], 2)?, result, &[result, Arg::Bits(0)]));
        }
    }
    let src = vec![Arg::Temp(4, 16), Arg::Temp(5, 16)];
    steps.push(Step { effect: Effect::Pack { bits: 32 }, dst: vec![Arg::Out(0)], src });
    Some(Action::Steps(steps))
}

/// Two integers clamped to a narrower type, side by side: the first in the upper place.
fn pack(m: &Choice<'_>) -> Option<Action> {
    let ty = m.get("type")?;
    let clamp = scalar("cvt", &["sat", ty, "s32"], 1)?;
    let bits: u8 = ty[1..].parse().ok()?;
    let narrow = |source: u8| lane(clamp, Arg::Temp(source, bits), &[Arg::In(source)]);
    let mut steps = vec![narrow(0), narrow(1)];
    let join = |bits: u32, to: Arg, src: [Arg; 2]| Step {
        effect: Effect::Pack { bits },
        dst: vec![to],
        src: src.to_vec(),
    };
    let both = [Arg::Temp(1, bits), Arg::Temp(0, bits)];
    if bits == 16 {
        steps.push(join(32, Arg::Out(0), both));
        return Some(Action::Steps(steps));
    }
    // What was there moves up by two places.
    let (low, rest) = (Arg::Temp(2, 16), Arg::Temp(3, 16));
    steps.push(join(16, low, both));
    steps.push(Step {
        effect: Effect::Unpack { bits: 32 },
        dst: vec![rest, Arg::Temp(4, 16)],
        src: vec![Arg::In(2)],
    });
    steps.push(join(32, Arg::Out(0), [low, rest]));
    Some(Action::Steps(steps))
}

/// The same for parts of four and two bits.
fn pack_bits(m: &Choice<'_>) -> Option<Action> {
    let (least, most, bits): (i32, i32, u64) = match m.get("type")? {
        "u4" => (0, 15, 4),
        "s4" => (-8, 7, 4),
        "u2" => (0, 3, 2),
        _ => (-2, 1, 2),
    };
    let constant = |value: i32| Arg::Bits(u64::from(value as u32));
    let (above, below) = (scalar("max", &["s32"], 2)?, scalar("min", &["s32"], 2)?);
    let insert = scalar("bfi", &["b32"], 4)?;
    let mut steps = Vec::new();
    for source in 0..2 {
        let to = Arg::Temp(source, 32);
        steps.push(lane(above, to, &[Arg::In(source), constant(least)]));
        steps.push(lane(below, to, &[to, constant(most)]));
    }
    let (first, second) = (Arg::Temp(2, 32), Arg::Temp(3, 32));
    steps.push(lane(scalar("shl", &["b32"], 2)?, first, &[Arg::In(2), Arg::Bits(2 * bits)]));
    steps.push(lane(insert, second, &[Arg::Temp(0, 32), first, Arg::Bits(bits), Arg::Bits(bits)]));
    steps.push(lane(insert, Arg::Out(0), &[Arg::Temp(1, 32), second, Arg::Bits(0), Arg::Bits(bits)]));
    Some(Action::Steps(steps))
}

/// A video instruction on as many parts.
fn video(m: &Choice<'_>, op: VideoOp, parts: u8) -> Option<Action> {
    let op = match op {
        VideoOp::Product { .. } => VideoOp::Product {
            shift: match m.get("scale") {
                Some("shr7") => 7,
                Some(_) => 15,
                None => 0,
            },
            plus_one: m.has("po"),
        },
        VideoOp::Set(_) => VideoOp::Set(m.get("cmp")?),
        other => other,
    };
    let signed = |key: &str| m.get(key) == Some("s32");
    let second = match m.get("second") {
        None => m.has("add").then_some(Second::Add),
        Some("add") => Some(Second::Add),
        Some("min") => Some(Second::Min),
        Some(_) => Some(Second::Max),
    };
    Some(Action::Video(Video {
        op,
        signed: [signed("dtype"), signed("atype"), signed("btype")],
        saturate: m.has("sat"),
        second,
        parts,
        wrap: m.get("mode") == Some("wrap"),
    }))
}

macro_rules! rows {
    ($($name:literal $section:literal $form:expr, $build:expr, $real:literal, $summary:literal, $example:literal;)*) => {
        pub(super) const ROWS: &[Row] = &[$(Row {
            name: $name,
            forms: &[$form],
            build: $build,
            real: $real,
            section: $section,
            summary: $summary,
            example: $example,
            support: Support::Full,
        }),*];
    };
}

macro_rules! scalar_form {
    ($name:literal) => {
        concat!($name, ".dtype.atype.btype{.sat}{.second} d, a, b{, c}; .dtype = .u32 .s32; .atype = .u32 .s32; .btype = .u32 .s32; .second = .add .min .max")
    };
    ($name:literal shift) => {
        concat!($name, ".dtype.atype.u32{.sat}.mode{.second} d, a, b{, c}; .dtype = .u32 .s32; .atype = .u32 .s32; .mode = .clamp .wrap; .second = .add .min .max")
    };
}

macro_rules! parallel_form {
    ($name:literal) => {
        concat!($name, ".dtype.atype.btype{.sat}{.add} d, a, b, c; .dtype = .u32 .s32; .atype = .u32 .s32; .btype = .u32 .s32")
    };
    ($name:literal set) => {
        concat!($name, ".atype.btype.cmp{.add} d, a, b, c; .atype = .u32 .s32; .btype = .u32 .s32; .cmp = .eq .ne .lt .le .gt .ge")
    };
}

rows! {
    "add" "9.7.1.1" "add.type d, a, b; .type = .u16x2 .s16x2",
        |m| pairs(m, "add"), "a + b modulo 2ⁿ in each half", "Adds two pairs of halfwords.", "add.u16x2 %r1, %r2, %r3;";
    "min" "9.7.1.12" "min{.relu}.type d, a, b; .type = .u16x2 .s16x2",
        |m| pairs(m, "min"), "min(a, b) in each half", "The smaller of two halfwords, twice.", "min.s16x2 %r1, %r2, %r3;";
    "max" "9.7.1.13" "max{.relu}.type d, a, b; .type = .u16x2 .s16x2",
        |m| pairs(m, "max"), "max(a, b) in each half", "The larger of two halfwords, twice.", "max.s16x2 %r1, %r2, %r3;";
    "cvt" "9.7.9.22" "cvt.pack.sat.type.s32 d, a, b; .type = .u16 .s16",
        pack, "both, clamped", "Clamps two integers into the halves of a register, the first into the upper half.", "cvt.pack.sat.s16.s32 %r1, %r2, %r3;";
    "cvt" "9.7.9.22" "cvt.pack.sat.type.s32.b32 d, a, b, c; .type = .u8 .s8",
        pack, "both, clamped, below the low half of c", "Clamps two integers into the low bytes of a register, above them the low half of another.", "cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;";
    "cvt" "9.7.9.22" "cvt.pack.sat.type.s32.b32 d, a, b, c; .type = .u4 .s4 .u2 .s2",
        pack_bits, "both, clamped, below the low bits of c", "Clamps two integers into the low bits of a register, above them those of another.", "cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;";
    "vadd" "9.7.18.1.1" scalar_form!("vadd"),
        |m| video(m, VideoOp::Add, 1), "a + b of the parts", "Adds parts of registers.", "vadd.s32.s32.s32 %r1, %r2, %r3;";
    "vsub" "9.7.18.1.1" scalar_form!("vsub"),
        |m| video(m, VideoOp::Sub, 1), "a - b of the parts", "Subtracts parts of registers.", "vsub.s32.s32.s32 %r1, %r2, %r3;";
    "vabsdiff" "9.7.18.1.1" scalar_form!("vabsdiff"),
        |m| video(m, VideoOp::Distance, 1), "|a - b| of the parts", "The absolute difference of parts of registers.", "vabsdiff.s32.s32.s32 %r1, %r2, %r3;";
    "vmin" "9.7.18.1.1" scalar_form!("vmin"),
        |m| video(m, VideoOp::Min, 1), "min(a, b) of the parts", "The smaller of parts of registers.", "vmin.s32.s32.s32 %r1, %r2, %r3;";
    "vmax" "9.7.18.1.1" scalar_form!("vmax"),
        |m| video(m, VideoOp::Max, 1), "max(a, b) of the parts", "The larger of parts of registers.", "vmax.s32.s32.s32 %r1, %r2, %r3;";
    "vshl" "9.7.18.1.2" scalar_form!("vshl" shift),
        |m| video(m, VideoOp::ShiftLeft, 1), "a bit pattern", "Shifts a part of a register left.", "vshl.u32.u32.u32.clamp %r1, %r2, %r3;";
    "vshr" "9.7.18.1.2" scalar_form!("vshr" shift),
        |m| video(m, VideoOp::ShiftRight, 1), "a bit pattern", "Shifts a part of a register right.", "vshr.u32.u32.u32.wrap %r1, %r2, %r3;";
    "vmad" "9.7.18.1.3" "vmad.dtype.atype.btype{.po}{.sat}{.scale} d, {-}a, {-}b, {-}c; .dtype = .u32 .s32; .atype = .u32 .s32; .btype = .u32 .s32; .scale = .shr7 .shr15",
        |m| video(m, VideoOp::Product { shift: 0, plus_one: false }, 1), "a · b + c of the parts", "Multiplies parts of registers and adds.", "vmad.s32.s32.u32 %r1, %r2, %r3, %r4;";
    "vset" "9.7.18.1.4" "vset.atype.btype.cmp{.second} d, a, b{, c}; .atype = .u32 .s32; .btype = .u32 .s32; .cmp = .eq .ne .lt .le .gt .ge; .second = .add .min .max",
        |m| video(m, VideoOp::Set("eq"), 1), "1 if a ? b, else 0", "Compares parts of registers.", "vset.s32.u32.lt %r1, %r2, %r3;";
    "vadd2" "9.7.18.2.1" parallel_form!("vadd2"), |m| video(m, VideoOp::Add, 2), "a + b in each half", "Adds halfwords side by side.", "vadd2.s32.s32.s32.sat %r1, %r2, %r3, %r4;";
    "vsub2" "9.7.18.2.1" parallel_form!("vsub2"), |m| video(m, VideoOp::Sub, 2), "a - b in each half", "Subtracts halfwords side by side.", "vsub2.s32.s32.s32.sat %r1, %r2, %r3, %r4;";
    "vavrg2" "9.7.18.2.1" parallel_form!("vavrg2"), |m| video(m, VideoOp::Average, 2), "(a + b) / 2 in each half, rounded away from zero", "Averages halfwords side by side.", "vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;";
    "vabsdiff2" "9.7.18.2.1" parallel_form!("vabsdiff2"), |m| video(m, VideoOp::Distance, 2), "|a - b| in each half", "Absolute differences of halfwords.", "vabsdiff2.u32.u32.u32.add %r1, %r2, %r3, %r4;";
    "vmin2" "9.7.18.2.1" parallel_form!("vmin2"), |m| video(m, VideoOp::Min, 2), "min(a, b) in each half", "The smaller halfwords.", "vmin2.s32.s32.s32 %r1, %r2, %r3, %r4;";
    "vmax2" "9.7.18.2.1" parallel_form!("vmax2"), |m| video(m, VideoOp::Max, 2), "max(a, b) in each half", "The larger halfwords.", "vmax2.s32.s32.s32 %r1, %r2, %r3, %r4;";
    "vset2" "9.7.18.2.2" parallel_form!("vset2" set), |m| video(m, VideoOp::Set("eq"), 2), "1 if a ? b, else 0, in each half", "Compares halfwords side by side.", "vset2.s32.u32.lt %r1, %r2, %r3, %r4;";
    "vadd4" "9.7.18.3.1" parallel_form!("vadd4"), |m| video(m, VideoOp::Add, 4), "a + b in each byte", "Adds bytes side by side.", "vadd4.s32.s32.s32.sat %r1, %r2, %r3, %r4;";
    "vsub4" "9.7.18.3.1" parallel_form!("vsub4"), |m| video(m, VideoOp::Sub, 4), "a - b in each byte", "Subtracts bytes side by side.", "vsub4.s32.s32.s32.sat %r1, %r2, %r3, %r4;";
    "vavrg4" "9.7.18.3.1" parallel_form!("vavrg4"), |m| video(m, VideoOp::Average, 4), "(a + b) / 2 in each byte, rounded away from zero", "Averages bytes side by side.", "vavrg4.u32.u32.u32 %r1, %r2, %r3, %r4;";
    "vabsdiff4" "9.7.18.3.1" parallel_form!("vabsdiff4"), |m| video(m, VideoOp::Distance, 4), "|a - b| in each byte", "Absolute differences of bytes.", "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;";
    "vmin4" "9.7.18.3.1" parallel_form!("vmin4"), |m| video(m, VideoOp::Min, 4), "min(a, b) in each byte", "The smaller bytes.", "vmin4.s32.s32.s32 %r1, %r2, %r3, %r4;";
    "vmax4" "9.7.18.3.1" parallel_form!("vmax4"), |m| video(m, VideoOp::Max, 4), "max(a, b) in each byte", "The larger bytes.", "vmax4.s32.s32.s32 %r1, %r2, %r3, %r4;";
    "vset4" "9.7.18.3.2" parallel_form!("vset4" set), |m| video(m, VideoOp::Set("eq"), 4), "1 if a ? b, else 0, in each byte", "Compares bytes side by side.", "vset4.u32.u32.ne %r1, %r2, %r3, %r4;";
}
