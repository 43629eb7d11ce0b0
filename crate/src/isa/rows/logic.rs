//! Logic and shifts (PTX ISA 9.0, 9.7.8).
//!
//! Shift amounts are unsigned 32-bit and clamp at the width: a shift by 32 or more leaves zeros
//! (or the sign).

use super::compare::{comparison, logic, step};
use crate::base::Format;
use crate::isa::bits::picks_of_funnel;
use crate::isa::lanes::{PRED, lanes, lanewise, moving, pure, typed};
use crate::isa::table::{Action, Arg, Row, Step, Support};
use crate::isa::{Effect, Lanewise, Meaning, real, word};
use crate::term::BitOp;

macro_rules! logic_row {
    ($name:literal, $section:literal, $summary:literal, $op:tt, $bits:expr, $logic:path, $example:literal) => {
        Row {
            name: $name,
            forms: &[concat!($name, ".type d, {!}a, {!}b; .type = .pred"), concat!($name, ".type d, a, b; .type = .b16 .b32 .b64")],
            build: |m| {
                if m.get("type") == Some("pred") {
                    let run = lanes!(|a: bool, b: bool| -> bool { a $op b });
                    return pure(run, Meaning::Logic($logic), PRED, &[PRED, PRED]);
                }
                let f = m.format("type")?;
                let run = typed!(f, [B16 B32 B64], |a, b| a $op b);
                pure(run, Meaning::Bits($bits), f, &[f, f])
            },
            real: "predicates: the condition; else a bit pattern",
            section: $section,
            summary: $summary,
            example: $example,
            support: Support::Full,
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    logic_row!("and", "9.7.8.1", "Bitwise and.", &, BitOp::And, real::logic_and, "and.b32 %r1, %r2, %r3;"),
    logic_row!("or", "9.7.8.2", "Bitwise or.", |, BitOp::Or, real::logic_or, "or.b32 %r1, %r2, %r3;"),
    logic_row!("xor", "9.7.8.3", "Bitwise exclusive or.", ^, BitOp::Xor, real::logic_xor, "xor.b32 %r1, %r2, %r3;"),
    Row {
        name: "not",
        forms: &["not.type d, {!}a; .type = .pred", "not.type d, a; .type = .b16 .b32 .b64"],
        build: |m| {
            if m.get("type") == Some("pred") {
                return pure(
                    lanes!(|a: bool| -> bool { !a }),
                    Meaning::Logic(real::logic_not),
                    PRED,
                    &[PRED],
                );
            }
            let f = m.format("type")?;
            pure(typed!(f, [B16 B32 B64], |a| !a), Meaning::Bits(BitOp::Not), f, &[f])
        },
        real: "predicates: the condition; else a bit pattern",
        section: "9.7.8.4",
        summary: "Bitwise complement.",
        example: "not.b32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "cnot",
        forms: &["cnot.type d, a; .type = .b16 .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let unsigned = match f {
                Format::B16 => Format::U16,
                Format::B32 => Format::U32,
                _ => Format::U64,
            };
            let meaning = Meaning::Real(word::Word::<{ Format::U64 as usize }>::is_zero);
            pure(typed!(f, [B16 B32 B64], |a| (a == 0) as T), meaning, unsigned, &[unsigned])
        },
        real: "1 where a = 0, else 0",
        section: "9.7.8.5",
        summary: "1 for 0, 0 for everything else (C's !).",
        example: "cnot.b32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "lop3",
        forms: &["lop3.b32 d, a, b, c, table"],
        build: |_| {
            let b = Format::B32;
            pure(crate::isa::bits::LOP3, Meaning::Table, b, &[b, b, b, b])
        },
        real: "a bit pattern",
        section: "9.7.8.6",
        summary: "Any logical function of three operands, given by its truth table.",
        example: "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        support: Support::Full,
    },
    Row {
        name: "lop3",
        forms: &["lop3.join.b32 d|p, a, b, c, table, {!}q; .join = .and .or"],
        build: |m| {
            let b = Format::B32;
            let (word, not_zero) = (Arg::Temp(0, 32), Arg::Temp(1, 1));
            let table = lanewise(crate::isa::bits::LOP3, Meaning::Table, b, &[b, b, b, b]);
            let moved =
                |bits, to, from| Step { effect: Effect::Move { bits }, dst: vec![to], src: vec![from] };
            Some(Action::Steps(vec![
                step(
                    Lanewise { operation: 0x7200_0000, ..table },
                    &[word],
                    &[Arg::In(0), Arg::In(1), Arg::In(2), Arg::In(3)],
                ),
                step(comparison("ne", b, false, 1)?, &[not_zero], &[word, Arg::Bits(0)]),
                step(logic(m.get("join")?)?, &[not_zero], &[not_zero, Arg::In(4)]),
                moved(32, Arg::Out(0), word),
                moved(1, Arg::Out(1), not_zero),
            ]))
        },
        real: "d: a bit pattern; p: (d ≠ 0) op q",
        section: "9.7.8.6",
        summary: "Any logical function of three operands, and whether it is not zero, combined with a predicate.",
        example: "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, %p2;",
        support: Support::Full,
    },
    Row {
        name: "shf",
        forms: &["shf.dir.mode.b32 d, a, b, c; .dir = .l .r; .mode = .clamp .wrap"],
        build: |m| {
            let run = match (m.get("dir")?, m.get("mode")?) {
                ("l", "clamp") => lanes!(|a: u32, b: u32, c: u32| -> u32 { funnel_left(a, b, c.min(32)) }),
                ("l", _) => lanes!(|a: u32, b: u32, c: u32| -> u32 { funnel_left(a, b, c & 31) }),
                (_, "clamp") => lanes!(|a: u32, b: u32, c: u32| -> u32 { funnel_right(a, b, c.min(32)) }),
                _ => lanes!(|a: u32, b: u32, c: u32| -> u32 { funnel_right(a, b, c & 31) }),
            };
            let b = Format::B32;
            let meaning = match (m.get("dir")?, m.get("mode")?) {
                ("l", "clamp") => Meaning::Rearrange(
                    |known| picks_of_funnel(true, known[2]?.min(32)),
                    word::funnel_left_clamp,
                ),
                ("l", _) => {
                    Meaning::Rearrange(|known| picks_of_funnel(true, known[2]? & 31), word::funnel_left_wrap)
                }
                (_, "clamp") => Meaning::Rearrange(
                    |known| picks_of_funnel(false, known[2]?.min(32)),
                    word::funnel_right_clamp,
                ),
                _ => Meaning::Rearrange(
                    |known| picks_of_funnel(false, known[2]? & 31),
                    word::funnel_right_wrap,
                ),
            };
            moving(run, meaning, b, &[b, b, Format::U32], 2)
        },
        real: "whole bytes as they are; else a bit pattern",
        section: "9.7.8.7",
        summary: "Shifts the 64 bits b:a; keeps the upper (left) or lower (right) half.",
        example: "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "shl",
        forms: &["shl.type d, a, b; .type = .b16 .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let run = match f {
                Format::B16 => lanes!(|a: u16, b: u32| -> u16 { if b > 15 { 0 } else { a << (b & 15) } }),
                Format::B32 => lanes!(|a: u32, b: u32| -> u32 { if b > 31 { 0 } else { a << (b & 31) } }),
                _ => lanes!(|a: u64, b: u32| -> u64 { if b > 63 { 0 } else { a << (b & 63) } }),
            };
            moving(run, Meaning::Bits(BitOp::ShiftLeft), f, &[f, Format::U32], 1)
        },
        real: "a bit pattern",
        section: "9.7.8.8",
        summary: "Shifts left.",
        example: "shl.b32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "shr",
        forms: &["shr.type d, a, b; .type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = match f {
                Format::B16 | Format::U16 => {
                    lanes!(|a: u16, b: u32| -> u16 { if b > 15 { 0 } else { a >> (b & 15) } })
                }
                Format::B32 | Format::U32 => {
                    lanes!(|a: u32, b: u32| -> u32 { if b > 31 { 0 } else { a >> (b & 31) } })
                }
                Format::B64 | Format::U64 => {
                    lanes!(|a: u64, b: u32| -> u64 { if b > 63 { 0 } else { a >> (b & 63) } })
                }
                Format::S16 => lanes!(|a: i16, b: u32| -> i16 { a >> b.min(15) }),
                Format::S32 => lanes!(|a: i32, b: u32| -> i32 { a >> b.min(31) }),
                _ => lanes!(|a: i64, b: u32| -> i64 { a >> b.min(63) }),
            };
            let signed = matches!(f, Format::S16 | Format::S32 | Format::S64);
            let op = if signed { BitOp::ShiftRightSigned } else { BitOp::ShiftRight };
            moving(run, Meaning::Bits(op), f, &[f, Format::U32], 1)
        },
        real: "a bit pattern",
        section: "9.7.8.9",
        summary: "Shifts right; signed types fill with the sign.",
        example: "shr.u32 %r1, %r2, %r3;",
        support: Support::Full,
    },
];

#[inline(always)]
fn funnel_left(low: u32, high: u32, by: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) << by >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, by: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> by) as u32
}
