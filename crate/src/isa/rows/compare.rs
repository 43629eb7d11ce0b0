//! Comparison and selection, of every type (PTX ISA 9.0, 9.7.6 and 9.7.7).
//!
//! A comparison writes `p` and, if asked, its negation `q`. Combined with a predicate, `setp`
//! means `p = (a ? b) op c` and `q = (not (a ? b)) op c`: that is taken apart into the comparison
//! and the logic. `set` and `slct` are a comparison and a selection. Half pairs are two of each.

use crate::base::Format;
use crate::isa::half::Float;
use crate::isa::lanes::{PRED, lanes, lanewise, pure, typed};
use crate::isa::real::{self, Cmp};
use crate::isa::table::{Action, Arg, Row, Step, Support};
use crate::isa::{Effect, LaneFn, Lanewise, Meaning, Pattern};
use crate::term::BitOp;

/// The operator, and whether it also holds when an operand is NaN. Which type has which operator
/// is in the manual's notes to `set` and `setp`; ptxas 13.0 takes exactly those.
fn operator(name: &str, format: Format) -> Option<(Cmp, bool)> {
    let float = format.is_float();
    let unsigned = matches!(format, Format::U16 | Format::U32 | Format::U64);
    let pattern = matches!(format, Format::B16 | Format::B32 | Format::B64);
    Some(match name {
        "eq" => (Cmp::Eq, false),
        "ne" => (Cmp::Ne, false),
        "lt" if !pattern => (Cmp::Lt, false),
        "le" if !pattern => (Cmp::Le, false),
        "gt" if !pattern => (Cmp::Gt, false),
        "ge" if !pattern => (Cmp::Ge, false),
        "lo" if unsigned => (Cmp::Lt, false),
        "ls" if unsigned => (Cmp::Le, false),
        "hi" if unsigned => (Cmp::Gt, false),
        "hs" if unsigned => (Cmp::Ge, false),
        "equ" if float => (Cmp::Eq, true),
        "neu" if float => (Cmp::Ne, true),
        "ltu" if float => (Cmp::Lt, true),
        "leu" if float => (Cmp::Le, true),
        "gtu" if float => (Cmp::Gt, true),
        "geu" if float => (Cmp::Ge, true),
        "num" if float => (Cmp::Num, false),
        "nan" if float => (Cmp::Nan, false),
        _ => return None,
    })
}

/// What to write instead of a comparison that its type does not have.
pub(in crate::isa) fn instead(base: &str, suffixes: &[&str]) -> Option<String> {
    let (Some(name), Some(format)) = (suffixes.first(), suffixes.last().and_then(|t| Format::from_name(t)))
    else {
        return None;
    };
    if !matches!(base, "set" | "setp") || operator(name, format).is_some() {
        return None;
    }
    let (bits, ty) = (format.bits(), format.name());
    let signed = match *name {
        "lo" | "lt" => "lt",
        "ls" | "le" => "le",
        "hi" | "gt" => "gt",
        "hs" | "ge" => "ge",
        _ => return None,
    };
    let instead = match operator(signed, format) {
        Some(_) if format.is_float() => format!("{base}.{signed} with .{ty}"),
        Some(_) => format!("{base}.{signed} with .{ty}, or with .u{bits} if unsigned numbers are meant"),
        None => format!("{base}.{signed} with .u{bits} or .s{bits}"),
    };
    Some(match *name == signed {
        true => format!("{base}.{name} needs numbers, and .{ty} are bits (eq and ne only): write {instead}"),
        false => format!("{base}.{name} is for unsigned numbers, not for .{ty}: write {instead}"),
    })
}

fn integer_lanes(format: Format, cmp: Cmp) -> Option<LaneFn> {
    macro_rules! compare {
        ($op:tt) => {
            typed!(format, [B16 B32 B64 U16 U32 U64 S16 S32 S64], |a, b| -> (bool, bool) {
                let holds = a $op b;
                (holds, !holds)
            })
        };
    }
    Some(match cmp {
        Cmp::Eq => compare!(==),
        Cmp::Ne => compare!(!=),
        Cmp::Lt => compare!(<),
        Cmp::Le => compare!(<=),
        Cmp::Gt => compare!(>),
        Cmp::Ge => compare!(>=),
        Cmp::Num | Cmp::Nan => return None,
    })
}

/// Flushing subnormals first matters to comparisons too: a subnormal equals zero under `.ftz`.
fn float_lanes(format: Format, cmp: Cmp, unordered: bool, ftz: bool) -> Option<LaneFn> {
    macro_rules! compare {
        (|$a:ident, $b:ident| $holds:expr) => {
            match ftz {
                false => typed!(format, [F32 F64 F16 Bf16], |$a, $b| -> (bool, bool) {
                    let holds = $holds;
                    (holds, !holds)
                }),
                true => typed!(format, [F32 F16], |$a, $b| -> (bool, bool) {
                    let ($a, $b) = ($a.flushed(), $b.flushed());
                    let holds = $holds;
                    (holds, !holds)
                }),
            }
        };
    }
    Some(match (cmp, unordered) {
        (Cmp::Eq, false) => compare!(|a, b| a == b),
        (Cmp::Ne, false) => compare!(|a, b| (a < b) | (a > b)),
        (Cmp::Lt, false) => compare!(|a, b| a < b),
        (Cmp::Le, false) => compare!(|a, b| a <= b),
        (Cmp::Gt, false) => compare!(|a, b| a > b),
        (Cmp::Ge, false) => compare!(|a, b| a >= b),
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        (Cmp::Eq, true) => compare!(|a, b| !((a < b) | (a > b))),
        (Cmp::Ne, true) => compare!(|a, b| a != b),
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        (Cmp::Lt, true) => compare!(|a, b| !(a >= b)),
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        (Cmp::Le, true) => compare!(|a, b| !(a > b)),
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        (Cmp::Gt, true) => compare!(|a, b| !(a <= b)),
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        (Cmp::Ge, true) => compare!(|a, b| !(a < b)),
        (Cmp::Num, _) => compare!(|a, b| !Float::is_nan(a) & !Float::is_nan(b)),
        (Cmp::Nan, _) => compare!(|a, b| Float::is_nan(a) | Float::is_nan(b)),
    })
}

/// How an integer comparison reads on bit patterns.
fn pattern(cmp: Cmp, format: Format) -> Pattern {
    let signed = matches!(format, Format::S16 | Format::S32 | Format::S64);
    let less = if signed { BitOp::LessSigned } else { BitOp::Less };
    let (op, swap, negate) = match cmp {
        Cmp::Eq => (BitOp::Equal, false, false),
        Cmp::Ne => (BitOp::Equal, false, true),
        Cmp::Lt => (less, false, false),
        Cmp::Le => (less, true, true),
        Cmp::Gt => (less, true, false),
        Cmp::Ge => (less, false, true),
        Cmp::Num | Cmp::Nan => return Pattern::OTHER,
    };
    Pattern { op, swap, negate }
}

/// A number that tells comparisons apart when they are part of a longer instruction.
fn comparison_number(format: Format, cmp: Cmp, unordered: bool, ftz: bool) -> u32 {
    0x8000_0000 | (format as u32) << 8 | (cmp as u32) << 4 | u32::from(unordered) << 1 | u32::from(ftz)
}

/// The comparison of two numbers, with `destinations` results.
pub(super) fn comparison(name: &str, format: Format, ftz: bool, destinations: u8) -> Option<Lanewise> {
    let (cmp, unordered) = operator(name, format)?;
    let run = if format.is_float() {
        float_lanes(format, cmp, unordered, ftz)?
    } else {
        integer_lanes(format, cmp)?
    };
    let meaning = Meaning::Compare(match format {
        Format::F32 => real::comparison_held::<false>(cmp, unordered),
        Format::F64 => real::comparison_held::<true>(cmp, unordered),
        _ => real::comparison(cmp, unordered),
    });
    // Whether two integers are equal does not depend on their signedness.
    let read = match (cmp, format.bits()) {
        (Cmp::Eq | Cmp::Ne, 16) if !format.is_float() => Format::B16,
        (Cmp::Eq | Cmp::Ne, 32) if !format.is_float() => Format::B32,
        (Cmp::Eq | Cmp::Ne, 64) if !format.is_float() => Format::B64,
        _ => format,
    };
    let mut lanes = lanewise(run, meaning, PRED, &[read, read]);
    lanes.destinations = destinations;
    lanes.operation = comparison_number(format, cmp, unordered, ftz);
    if !format.is_float() {
        lanes.pattern = pattern(cmp, format);
    }
    Some(lanes)
}

pub(super) fn logic(name: &str) -> Option<Lanewise> {
    let lanes = match name {
        "and" => lanewise(
            lanes!(|a: bool, b: bool| -> bool { a & b }),
            Meaning::Logic(real::logic_and),
            PRED,
            &[PRED, PRED],
        ),
        "or" => lanewise(
            lanes!(|a: bool, b: bool| -> bool { a | b }),
            Meaning::Logic(real::logic_or),
            PRED,
            &[PRED, PRED],
        ),
        "xor" => lanewise(
            lanes!(|a: bool, b: bool| -> bool { a ^ b }),
            Meaning::Logic(real::logic_xor),
            PRED,
            &[PRED, PRED],
        ),
        _ => return None,
    };
    let operation = 0x7000_0000 | u32::from(name.as_bytes()[0]);
    Some(Lanewise { operation, ..lanes })
}

pub(super) fn step(lanes: Lanewise, dst: &[Arg], src: &[Arg]) -> Step {
    Step { effect: Effect::Lanewise(lanes), dst: dst.to_vec(), src: src.to_vec() }
}

/// `if c then a else b` in a format.
pub(crate) fn selection(format: Format) -> Option<Lanewise> {
    let run = match format.bits() {
        8 => lanes!(|a: u8, b: u8, c: bool| -> u8 { if c { a } else { b } }),
        16 => lanes!(|a: u16, b: u16, c: bool| -> u16 { if c { a } else { b } }),
        32 => lanes!(|a: u32, b: u32, c: bool| -> u32 { if c { a } else { b } }),
        _ => lanes!(|a: u64, b: u64, c: bool| -> u64 { if c { a } else { b } }),
    };
    let operation = 0x7100_0000 | format as u32;
    Some(Lanewise { operation, ..lanewise(run, Meaning::Select, format, &[format, format, PRED]) })
}

/// `p{|q} = compare, combined`: the comparison into temporaries, then the logic.
fn combined(compare: Lanewise, op: &str, pair: bool) -> Option<Action> {
    let (t, not_t) = (Arg::Temp(0, 1), Arg::Temp(1, 1));
    let sources = [Arg::In(0), Arg::In(1)];
    let temps = [t, not_t];
    let mut steps = vec![step(compare, &temps[..compare.destinations.into()], &sources)];
    // The results may be written over the sources only after both logic operations have read c.
    let first = if pair { Arg::Temp(2, 1) } else { Arg::Out(0) };
    steps.push(step(logic(op)?, &[first], &[t, Arg::In(2)]));
    if pair {
        steps.push(step(logic(op)?, &[Arg::Out(1)], &[not_t, Arg::In(2)]));
        steps.push(Step { effect: Effect::Move { bits: 1 }, dst: vec![Arg::Out(0)], src: vec![first] });
    }
    Some(Action::Steps(steps))
}

/// `set` of a comparison: all ones or 1.0 where it holds.
fn set(compare: Lanewise, join: Option<&str>, dst: Format) -> Option<Action> {
    let ones = match dst {
        Format::F32 => 0x3f80_0000,
        Format::F16 => 0x3c00,
        Format::Bf16 => 0x3f80,
        Format::U16 | Format::S16 => 0xffff,
        _ => 0xffff_ffff,
    };
    let t = Arg::Temp(0, 1);
    let mut steps = vec![step(compare, &[t], &[Arg::In(0), Arg::In(1)])];
    if let Some(join) = join {
        steps.push(step(logic(join)?, &[t], &[t, Arg::In(2)]));
    }
    steps.push(step(selection(dst)?, &[Arg::Out(0)], &[Arg::Bits(ones), Arg::Bits(0), t]));
    Some(Action::Steps(steps))
}

/// The element format of a packed pair.
fn half(name: Option<&str>) -> Option<Format> {
    match name {
        Some("f16x2") => Some(Format::F16),
        Some("bf16x2") => Some(Format::Bf16),
        _ => None,
    }
}

/// Both operands of a half pair into temporaries 0–3: low a, high a, low b, high b.
fn split_pairs() -> Vec<Step> {
    let unpack = |source, low| Step {
        effect: Effect::Unpack { bits: 32 },
        dst: vec![Arg::Temp(low, 16), Arg::Temp(low + 1, 16)],
        src: vec![Arg::In(source)],
    };
    vec![unpack(0, 0), unpack(1, 2)]
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "setp",
        forms: &[
            "setp.cmp{.ftz}.type p{|q}, a, b; .cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16",
        ],
        build: |m| {
            let f = m.format("type")?;
            Some(Action::Effect(Effect::Lanewise(comparison(m.get("cmp")?, f, m.has("ftz"), 2)?)))
        },
        real: "a ? b; unordered operators hold where a mask's infinities made an operand undefined",
        section: "9.7.6.2",
        summary: "Compares two numbers into a predicate (and its negation).",
        example: "setp.lt.s32 %p1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "setp",
        forms: &[
            "setp.cmp.join{.ftz}.type p, a, b, {!}c; .join = .and .or .xor; .cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16",
            "setp.cmp.join{.ftz}.type p|q, a, b, {!}c; .join = .and .or .xor; .cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16",
        ],
        build: |m| {
            let pair = m.pair();
            let compare = comparison(m.get("cmp")?, m.format("type")?, m.has("ftz"), 1 + u8::from(pair))?;
            combined(compare, m.get("join")?, pair)
        },
        real: "(a ? b) op c, and (not (a ? b)) op c",
        section: "9.7.6.2",
        summary: "Compares two numbers and combines the result with a predicate.",
        example: "setp.lt.and.s32 %p1|%p2, %r2, %r3, !%p3;",
        support: Support::Full,
    },
    Row {
        name: "setp",
        forms: &[
            "setp.cmp{.ftz}.type p|q, a, b; .cmp = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .f16x2 .bf16x2",
            "setp.cmp.join{.ftz}.type p|q, a, b, {!}c; .cmp = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan; .join = .and .or .xor; .type = .f16x2 .bf16x2",
        ],
        build: |m| {
            let compare = comparison(m.get("cmp")?, half(m.get("type"))?, m.has("ftz"), 1)?;
            let mut steps = split_pairs();
            let join = m.get("join");
            // With a third predicate, which may be one of the results, both wait until both are known.
            for low in [0, 1] {
                let to = if join.is_some() { Arg::Temp(4 + low, 1) } else { Arg::Out(low) };
                steps.push(step(compare, &[to], &[Arg::Temp(low, 16), Arg::Temp(low + 2, 16)]));
                if let Some(join) = join {
                    steps.push(step(logic(join)?, &[to], &[to, Arg::In(2)]));
                }
            }
            for low in join.map_or(0..0, |_| 0..2) {
                let (dst, src) = (vec![Arg::Out(low)], vec![Arg::Temp(4 + low, 1)]);
                steps.push(Step { effect: Effect::Move { bits: 1 }, dst, src });
            }
            Some(Action::Steps(steps))
        },
        real: "the comparison of each half",
        section: "9.7.7.2",
        summary: "Compares two pairs of halves into two predicates.",
        example: "setp.lt.f16x2 %p1|%p2, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "set",
        forms: &[
            "set.cmp{.ftz}.dtype.stype d, a, b; .cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan; .dtype = .u32 .s32 .f32 .u16 .s16 .f16 .bf16; .stype = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16",
            "set.cmp.join{.ftz}.dtype.stype d, a, b, {!}c; .join = .and .or .xor; .cmp = .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan; .dtype = .u32 .s32 .f32 .u16 .s16 .f16 .bf16; .stype = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16",
        ],
        build: |m| {
            let compare = comparison(m.get("cmp")?, m.format("stype")?, m.has("ftz"), 1)?;
            set(compare, m.get("join"), m.format("dtype")?)
        },
        real: "1 (or all ones) if a ? b, else 0",
        section: "9.7.6.1",
        summary: "Compares two numbers into all ones or 1.0.",
        example: "set.lt.u32.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "set",
        forms: &[
            "set.cmp{.ftz}.type.stype d, a, b; .cmp = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .f16x2 .bf16x2 .u32 .s32; .stype = .f16x2 .bf16x2",
            "set.cmp.join{.ftz}.type.stype d, a, b, {!}c; .join = .and .or .xor; .cmp = .eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan; .type = .f16x2 .bf16x2 .u32 .s32; .stype = .f16x2 .bf16x2",
        ],
        build: |m| {
            // Into integers, a half of ones.
            let (format, one) = match half(m.get("type")) {
                Some(Format::F16) => (Format::F16, 0x3c00),
                Some(format) => (format, 0x3f80),
                None => (Format::U16, 0xffff),
            };
            let compare = comparison(m.get("cmp")?, half(m.get("stype"))?, m.has("ftz"), 1)?;
            let mut steps = split_pairs();
            for low in [0, 1] {
                let (t, h) = (Arg::Temp(4 + low, 1), Arg::Temp(6 + low, 16));
                steps.push(step(compare, &[t], &[Arg::Temp(low, 16), Arg::Temp(low + 2, 16)]));
                if let Some(op) = m.get("join") {
                    steps.push(step(logic(op)?, &[t], &[t, Arg::In(2)]));
                }
                steps.push(step(selection(format)?, &[h], &[Arg::Bits(one), Arg::Bits(0), t]));
            }
            steps.push(Step {
                effect: Effect::Pack { bits: 32 },
                dst: vec![Arg::Out(0)],
                src: vec![Arg::Temp(6, 16), Arg::Temp(7, 16)],
            });
            Some(Action::Steps(steps))
        },
        real: "1 (or all ones) if a ? b, else 0, in each half",
        section: "9.7.7.1",
        summary: "Compares two pairs of halves into 1.0 or all ones each.",
        example: "set.lt.f16x2.f16x2 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "selp",
        forms: &["selp.type d, a, b, {!}c; .type = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64"],
        build: |m| Some(Action::Effect(Effect::Lanewise(selection(m.format("type")?)?))),
        real: "if c then a else b",
        section: "9.7.6.3",
        summary: "Selects one of two values by a predicate.",
        example: "selp.b32 %r1, %r2, %r3, %p1;",
        support: Support::Full,
    },
    Row {
        name: "slct",
        forms: &[
            "slct{.ftz}.dtype.ctype d, a, b, c; .dtype = .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64; .ctype = .s32 .f32",
        ],
        build: |m| {
            // A NaN selects b, as every ordered comparison with it fails.
            let compare = comparison("ge", m.format("ctype")?, m.has("ftz"), 1)?;
            let t = Arg::Temp(0, 1);
            Some(Action::Steps(vec![
                step(compare, &[t], &[Arg::In(2), Arg::Bits(0)]),
                step(selection(m.format("dtype")?)?, &[Arg::Out(0)], &[Arg::In(0), Arg::In(1), t]),
            ]))
        },
        real: "if c ≥ 0 then a else b",
        section: "9.7.6.4",
        summary: "Selects one of two values by the sign of a third.",
        example: "slct.u32.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "testp",
        forms: &[
            "testp.op.type p, a; .op = .finite .infinite .number .notanumber .normal .subnormal; .type = .f32 .f64",
        ],
        build: |m| {
            let f = m.format("type")?;
            macro_rules! test {
                (|$a:ident| $holds:expr) => { typed!(f, [F32 F64], |$a| -> bool $holds) };
            }
            let run = match m.get("op")? {
                "finite" => test!(|a| a.is_finite()),
                "infinite" => test!(|a| a.is_infinite()),
                "number" => test!(|a| !a.is_nan()),
                "notanumber" => test!(|a| a.is_nan()),
                // Zeros are normal numbers here.
                "normal" => test!(|a| a.is_normal() || a == 0.0),
                _ => test!(|a| a.is_subnormal()),
            };
            let meaning: Meaning = match m.get("op")? {
                "number" => Meaning::Compare(|terms, s| terms.asked_number(s[0])),
                "notanumber" => Meaning::Compare(|terms, s| {
                    let number = terms.asked_number(s[0]);
                    terms.not(number)
                }),
                "infinite" => Meaning::Compare(|terms, s| terms.asked_infinite(s[0])),
                "finite" => Meaning::Compare(|terms, s| {
                    let number = terms.asked_number(s[0]);
                    let infinite = terms.asked_infinite(s[0]);
                    let bounded = terms.not(infinite);
                    terms.and(number, bounded)
                }),
                _ => Meaning::None,
            };
            pure(run, meaning, PRED, &[f])
        },
        real: "finite, number: true; infinite, notanumber: false; but of what a mask made infinite",
        section: "9.7.3.1",
        summary: "Asks what kind of number a float is.",
        example: "testp.finite.f32 %p1, %f2;",
        support: Support::Full,
    },
];
