//! Integer arithmetic, and carry chains (PTX ISA 9.0, 9.7.1 and 9.7.2).
//!
//! Division by zero is unspecified in the manual; as hardware does, quotients are all ones and
//! remainders are the dividend. The most negative number divided by -1 wraps.

use crate::base::Format;
use crate::isa::bits::{picks_of_extract, picks_of_insert};
use crate::isa::lanes::{dividing, lanes, lanewise, moving, patterned, pure, typed};
use crate::isa::table::{Action, Row, Support};
use crate::isa::word::{Word, dot2_of, mask_clamp, mask_wrap};
use crate::isa::{Meaning, Pattern, real};
use crate::term::{BitOp, Term, Terms, Unary};

/// The format twice as wide.
fn wide(format: Format) -> Option<Format> {
    Some(match format {
        Format::U16 => Format::U32,
        Format::U32 => Format::U64,
        Format::S16 => Format::S32,
        Format::S32 => Format::S64,
        _ => return None,
    })
}

/// The format without its sign: where signedness makes no difference, a symbolic operand keeps its
/// own.
fn bits(format: Format) -> Format {
    match format.bits() {
        16 => Format::B16,
        32 => Format::B32,
        _ => Format::B64,
    }
}

/// Bits read without a sign.
fn unsigned(format: Format) -> Format {
    if format.bits() == 64 { Format::U64 } else { Format::U32 }
}

fn is_signed(format: Format) -> bool {
    matches!(format, Format::S8 | Format::S16 | Format::S32 | Format::S64)
}

/// A function of [`Word`] for a format.
macro_rules! word {
    ($format:expr, [$($F:ident)*], $name:ident) => {
        match $format {
            $(Format::$F => Word::<{ Format::$F as usize }>::$name,)*
            _ => return None,
        }
    };
}

/// A carry-chain link: `|a, b, …, carry| -> (result, carry)`. The sources but the carry have those formats.
fn carry(
    lanes: crate::isa::LaneFn,
    meaning: fn(&mut Terms, &[Term]) -> (Term, Term),
    format: Format,
    sources: &[Format],
    reads: bool,
    writes: bool,
) -> Option<Action> {
    let mut src = [Format::U32; 4];
    src[..sources.len()].copy_from_slice(sources);
    let count = sources.len() + usize::from(reads);
    let mut lanes = lanewise(lanes, Meaning::Carry(meaning), format, &src[..count]);
    lanes.destinations = 1 + u8::from(writes);
    Some(Action::Carry { lanes, reads, writes })
}

/// The link of a chain of products: halves with the sign of the type, all else without.
fn product_carry(m: &crate::isa::form::Choice<'_>, lanes: crate::isa::LaneFn, reads: bool) -> Option<Action> {
    let f = m.format("type")?;
    let meaning = match m.get("mode")? {
        "lo" => word!(f, [U32 S32 U64 S64], mad_lo_carry),
        _ => word!(f, [U32 S32 U64 S64], mad_hi_carry),
    };
    carry(lanes, meaning, f, &[f, f, unsigned(f)], reads, !reads || m.has("cc"))
}

/// Sum of three with carry out; generic over the chain's types.
macro_rules! chain {
    ($format:expr, |$($x:ident),+| $body:expr) => {
        match $format {
            Format::U32 | Format::S32 => {
                type T = u32;
                type W = u64;
                lanes!(|$($x: u64),+| -> (u32, u32) {
                    $(let $x = $x as T as W;)+
                    let sum: W = $body;
                    (sum as T, ((sum >> 32) & 1) as u32)
                })
            }
            Format::U64 | Format::S64 => {
                type T = u64;
                type W = u128;
                lanes!(|$($x: u64),+| -> (u64, u32) {
                    $(let $x = $x as T as W;)+
                    let sum: W = $body;
                    (sum as T, ((sum >> 64) & 1) as u32)
                })
            }
            _ => return None,
        }
    };
}

/// The high half of a 32- or 64-bit product plus addend, in the type `chain!` works in.
macro_rules! mad_chain {
    ($m:expr, |$a:ident, $b:ident, $c:ident, $carry:ident|) => {
        match ($m.get("mode")?, $m.format("type")?) {
            ("lo", Format::U32 | Format::S32) => {
                lanes!(|$a: u32, $b: u32, $c: u32, $carry: u32| -> (u32, u32) {
                    let sum = u64::from($a.wrapping_mul($b)) + u64::from($c) + u64::from($carry & 1);
                    (sum as u32, (sum >> 32) as u32)
                })
            }
            ("hi", Format::U32) => lanes!(|$a: u32, $b: u32, $c: u32, $carry: u32| -> (u32, u32) {
                let high = (u64::from($a) * u64::from($b)) >> 32;
                let sum = high + u64::from($c) + u64::from($carry & 1);
                (sum as u32, (sum >> 32) as u32)
            }),
            ("hi", Format::S32) => lanes!(|$a: i32, $b: i32, $c: u32, $carry: u32| -> (u32, u32) {
                let high = ((i64::from($a) * i64::from($b)) >> 32) as u32;
                let sum = u64::from(high) + u64::from($c) + u64::from($carry & 1);
                (sum as u32, (sum >> 32) as u32)
            }),
            ("lo", Format::U64 | Format::S64) => {
                lanes!(|$a: u64, $b: u64, $c: u64, $carry: u32| -> (u64, u32) {
                    let sum = u128::from($a.wrapping_mul($b)) + u128::from($c) + u128::from($carry & 1);
                    (sum as u64, (sum >> 64) as u32)
                })
            }
            ("hi", Format::U64) => lanes!(|$a: u64, $b: u64, $c: u64, $carry: u32| -> (u64, u32) {
                let high = (u128::from($a) * u128::from($b)) >> 64;
                let sum = high + u128::from($c) + u128::from($carry & 1);
                (sum as u64, (sum >> 64) as u32)
            }),
            ("hi", Format::S64) => lanes!(|$a: i64, $b: i64, $c: u64, $carry: u32| -> (u64, u32) {
                let high = ((i128::from($a) * i128::from($b)) >> 64) as u64;
                let sum = u128::from(high) + u128::from($c) + u128::from($carry & 1);
                (sum as u64, (sum >> 64) as u32)
            }),
            _ => return None,
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "add",
        forms: &["add{.sat}.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            if m.has("sat") {
                let run = typed!(f, [S32], |a, b| a.saturating_add(b));
                return pure(run, Meaning::Real(word!(f, [S32], add_sat)), f, &[f, f]);
            }
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| a.wrapping_add(b));
            let f = bits(f);
            patterned(run, Meaning::Real(real::add), Pattern::of(BitOp::Add), f, &[f, f])
        },
        real: "a + b modulo 2ⁿ",
        section: "9.7.1.1",
        summary: "Adds two integers.",
        example: "add.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "sub",
        forms: &["sub{.sat}.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            if m.has("sat") {
                let run = typed!(f, [S32], |a, b| a.saturating_sub(b));
                return pure(run, Meaning::Real(word!(f, [S32], sub_sat)), f, &[f, f]);
            }
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| a.wrapping_sub(b));
            let f = bits(f);
            patterned(run, Meaning::Real(real::sub), Pattern::of(BitOp::Sub), f, &[f, f])
        },
        real: "a - b modulo 2ⁿ",
        section: "9.7.1.2",
        summary: "Subtracts two integers.",
        example: "sub.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "mul",
        forms: &["mul.mode.type d, a, b; .mode = .hi .lo .wide; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            match m.get("mode")? {
                "lo" => {
                    let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| a.wrapping_mul(b));
                    let f = bits(f);
                    patterned(run, Meaning::Real(real::mul), Pattern::of(BitOp::Mul), f, &[f, f])
                }
                "wide" => {
                    let run = match f {
                        Format::U16 => lanes!(|a: u16, b: u16| -> u32 { u32::from(a) * u32::from(b) }),
                        Format::S16 => lanes!(|a: i16, b: i16| -> i32 { i32::from(a) * i32::from(b) }),
                        Format::U32 => lanes!(|a: u32, b: u32| -> u64 { u64::from(a) * u64::from(b) }),
                        Format::S32 => lanes!(|a: i32, b: i32| -> i64 { i64::from(a) * i64::from(b) }),
                        _ => return None,
                    };
                    pure(run, Meaning::Real(real::mul), wide(f)?, &[f, f])
                }
                _ => {
                    let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| {
                        ((a as i128).wrapping_mul(b as i128) >> T::BITS) as T
                    });
                    pure(run, Meaning::Real(word!(f, [U16 U32 U64 S16 S32 S64], mul_hi)), f, &[f, f])
                }
            }
        },
        real: "lo: a · b modulo 2ⁿ; wide: a · b; hi: its upper half",
        section: "9.7.1.3",
        summary: "Multiplies two integers; keeps the low half, the high half or the whole product.",
        example: "mul.wide.s32 %rd1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "mad",
        forms: &[
            "mad.mode.type d, a, b, c; .mode = .hi .lo .wide; .type = .u16 .u32 .u64 .s16 .s32 .s64",
            "mad.hi.sat.type d, a, b, c; .type = .s32",
        ],
        build: |m| {
            let f = m.format("type")?;
            if m.has("sat") {
                let run = lanes!(|a: i32, b: i32, c: i32| -> i32 {
                    (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
                });
                return pure(run, Meaning::Real(word!(f, [S32], mad_hi_sat)), f, &[f, f, f]);
            }
            match m.get("mode")? {
                "lo" => {
                    let run =
                        typed!(f, [U16 U32 U64 S16 S32 S64], |a, b, c| a.wrapping_mul(b).wrapping_add(c));
                    let f = bits(f);
                    pure(run, Meaning::Real(real::fma), f, &[f, f, f])
                }
                "wide" => {
                    let run = match f {
                        Format::U16 => {
                            lanes!(|a: u16, b: u16, c: u32| -> u32 {
                                (u32::from(a) * u32::from(b)).wrapping_add(c)
                            })
                        }
                        Format::S16 => {
                            lanes!(|a: i16, b: i16, c: i32| -> i32 {
                                (i32::from(a) * i32::from(b)).wrapping_add(c)
                            })
                        }
                        Format::U32 => {
                            lanes!(|a: u32, b: u32, c: u64| -> u64 {
                                (u64::from(a) * u64::from(b)).wrapping_add(c)
                            })
                        }
                        Format::S32 => {
                            lanes!(|a: i32, b: i32, c: i64| -> i64 {
                                (i64::from(a) * i64::from(b)).wrapping_add(c)
                            })
                        }
                        _ => return None,
                    };
                    let w = wide(f)?;
                    pure(run, Meaning::Real(real::fma), w, &[f, f, w])
                }
                _ => {
                    let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b, c| {
                        (((a as i128).wrapping_mul(b as i128) >> T::BITS) as T).wrapping_add(c)
                    });
                    pure(run, Meaning::Real(word!(f, [U16 U32 U64 S16 S32 S64], mad_hi)), f, &[f, f, f])
                }
            }
        },
        real: "a · b + c modulo 2ⁿ; hi: with the upper half of the product",
        section: "9.7.1.4",
        summary: "Multiplies two integers and adds a third.",
        example: "mad.lo.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "mul24",
        forms: &["mul24.mode.type d, a, b; .mode = .hi .lo; .type = .u32 .s32"],
        build: |m| {
            let f = m.format("type")?;
            let run = match (m.get("mode")?, f) {
                ("lo", Format::U32) => {
                    lanes!(|a: u32, b: u32| -> u32 { (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff) })
                }
                ("lo", _) => lanes!(|a: i32, b: i32| -> i32 { (a << 8 >> 8).wrapping_mul(b << 8 >> 8) }),
                (_, Format::U32) => {
                    lanes!(|a: u64, b: u64| -> u32 { (((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16) as u32 })
                }
                _ => lanes!(|a: i32, b: i32| -> i32 {
                    ((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32
                }),
            };
            let meaning = match m.get("mode")? {
                "lo" => Meaning::Real(word!(f, [U32 S32], mul24_lo)),
                _ => Meaning::Real(word!(f, [U32 S32], mul24_hi)),
            };
            pure(run, meaning, f, &[f, f])
        },
        real: "a · b of the low 24 bits; hi: its bits 16 to 47",
        section: "9.7.1.5",
        summary: "Multiplies the low 24 bits; keeps bits 0–31 or 16–47 of the product.",
        example: "mul24.lo.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "mad24",
        forms: &["mad24.mode{.sat}.type d, a, b, c; .mode = .hi .lo; .type = .u32 .s32"],
        build: |m| {
            let f = m.format("type")?;
            let run = match (m.get("mode")?, f, m.has("sat")) {
                ("lo", Format::U32, false) => {
                    lanes!(|a: u32, b: u32, c: u32| -> u32 {
                        (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
                    })
                }
                ("lo", Format::S32, false) => {
                    lanes!(|a: i32, b: i32, c: i32| -> i32 {
                        (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c)
                    })
                }
                ("hi", Format::U32, false) => lanes!(|a: u64, b: u64, c: u32| -> u32 {
                    ((((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16) as u32).wrapping_add(c)
                }),
                ("hi", Format::S32, false) => lanes!(|a: i32, b: i32, c: i32| -> i32 {
                    (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32).wrapping_add(c)
                }),
                ("hi", Format::S32, true) => lanes!(|a: i32, b: i32, c: i32| -> i32 {
                    (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32).saturating_add(c)
                }),
                _ => return None,
            };
            let meaning = match (m.get("mode")?, m.has("sat")) {
                ("lo", _) => Meaning::Real(word!(f, [U32 S32], mad24_lo)),
                (_, false) => Meaning::Real(word!(f, [U32 S32], mad24_hi)),
                _ => Meaning::Real(word!(f, [S32], mad24_hi_sat)),
            };
            pure(run, meaning, f, &[f, f, f])
        },
        real: "a · b + c modulo 2ⁿ, of the low 24 bits of a and b",
        section: "9.7.1.6",
        summary: "Multiplies the low 24 bits and adds.",
        example: "mad24.lo.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "sad",
        forms: &["sad.type d, a, b, c; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b, c| c.wrapping_add(if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) }));
            pure(run, Meaning::Real(real::sad), f, &[f, f, f])
        },
        real: "c + |a - b| modulo 2ⁿ",
        section: "9.7.1.7",
        summary: "Adds the absolute difference of two integers to a third.",
        example: "sad.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "div",
        forms: &["div.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run =
                typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| if b == 0 { !0 } else { a.wrapping_div(b) });
            dividing(run, Meaning::Real(real::int_div), f)
        },
        real: "trunc(a / b)",
        section: "9.7.1.8",
        summary: "Divides two integers, towards zero.",
        example: "div.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "rem",
        forms: &["rem.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| if b == 0 { a } else { a.wrapping_rem(b) });
            dividing(run, Meaning::Real(real::int_rem), f)
        },
        real: "a - b · trunc(a / b)",
        section: "9.7.1.9",
        summary: "The remainder of integer division, with the sign of the dividend.",
        example: "rem.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "abs",
        forms: &["abs.type d, a; .type = .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [S16 S32 S64], |a| a.wrapping_abs());
            pure(run, Meaning::Real(real::unary::<{ Unary::Abs as usize }>), f, &[f])
        },
        real: "|a|",
        section: "9.7.1.10",
        summary: "The absolute value of an integer.",
        example: "abs.s32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "neg",
        forms: &["neg.type d, a; .type = .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [S16 S32 S64], |a| a.wrapping_neg());
            patterned(run, Meaning::Real(real::neg), Pattern::of(BitOp::Negate), f, &[f])
        },
        real: "-a",
        section: "9.7.1.11",
        summary: "Negates an integer.",
        example: "neg.s32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "min",
        forms: &["min{.relu}.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            if m.has("relu") {
                let run = typed!(f, [S32], |a, b| a.min(b).max(0));
                return pure(run, Meaning::Real(word!(f, [S32], min_relu)), f, &[f, f]);
            }
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| if a < b { a } else { b });
            let op = if is_signed(f) { BitOp::MinSigned } else { BitOp::Min };
            patterned(run, Meaning::Real(real::min), Pattern::of(op), f, &[f, f])
        },
        real: "min(a, b)",
        section: "9.7.1.12",
        summary: "The smaller of two integers.",
        example: "min.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "max",
        forms: &["max{.relu}.type d, a, b; .type = .u16 .u32 .u64 .s16 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            if m.has("relu") {
                let run = typed!(f, [S32], |a, b| a.max(b).max(0));
                return pure(run, Meaning::Real(word!(f, [S32], max_relu)), f, &[f, f]);
            }
            let run = typed!(f, [U16 U32 U64 S16 S32 S64], |a, b| if a > b { a } else { b });
            let op = if is_signed(f) { BitOp::MaxSigned } else { BitOp::Max };
            patterned(run, Meaning::Real(real::max), Pattern::of(op), f, &[f, f])
        },
        real: "max(a, b)",
        section: "9.7.1.13",
        summary: "The larger of two integers.",
        example: "max.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "popc",
        forms: &["popc.type d, a; .type = .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [B32 B64], |a| -> u32 a.count_ones());
            let unsigned = unsigned(f);
            pure(run, Meaning::Real(word!(unsigned, [U32 U64], popc)), Format::U32, &[unsigned])
        },
        real: "how many there are",
        section: "9.7.1.14",
        summary: "Counts the bits that are one.",
        example: "popc.b32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "clz",
        forms: &["clz.type d, a; .type = .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [B32 B64], |a| -> u32 a.leading_zeros());
            let unsigned = unsigned(f);
            pure(run, Meaning::Real(word!(unsigned, [U32 U64], clz)), Format::U32, &[unsigned])
        },
        real: "how many there are",
        section: "9.7.1.15",
        summary: "Counts the zero bits above the highest one.",
        example: "clz.b32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "bfind",
        forms: &["bfind{.shiftamt}.type d, a; .type = .u32 .u64 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = if m.has("shiftamt") {
                typed!(f, [U32 U64 S32 S64], |a| -> u32 {
                    #[allow(unused_comparisons, clippy::absurd_extreme_comparisons)]
                    let bits = if a < 0 { !a } else { a };
                    if bits == 0 { u32::MAX } else { bits.leading_zeros() }
                })
            } else {
                typed!(f, [U32 U64 S32 S64], |a| -> u32 {
                    #[allow(unused_comparisons, clippy::absurd_extreme_comparisons)]
                    let bits = if a < 0 { !a } else { a };
                    if bits == 0 { u32::MAX } else { T::BITS - 1 - bits.leading_zeros() }
                })
            };
            let meaning = match m.has("shiftamt") {
                true => Meaning::Real(word!(f, [U32 U64 S32 S64], bfind_shift)),
                false => Meaning::Real(word!(f, [U32 U64 S32 S64], bfind)),
            };
            pure(run, meaning, Format::U32, &[f])
        },
        real: "the place of the bit; all ones if there is none",
        section: "9.7.1.16",
        summary: "Finds the most significant non-sign bit.",
        example: "bfind.u32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "fns",
        forms: &["fns.b32 d, mask, base, offset"],
        build: |_| {
            let run = lanes!(|a: u32, b: u32, c: i32| -> u32 { nth_set(a, b, c) });
            pure(run, Meaning::None, Format::U32, &[Format::B32, Format::B32, Format::S32])
        },
        real: "none",
        section: "9.7.1.17",
        summary: "Finds the n-th set bit.",
        example: "fns.b32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "brev",
        forms: &["brev.type d, a; .type = .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let run = typed!(f, [B32 B64], |a| a.reverse_bits());
            let unsigned = unsigned(f);
            moving(run, Meaning::Real(word!(unsigned, [U32 U64], brev)), unsigned, &[unsigned], 1)
        },
        real: "the bits in the opposite order",
        section: "9.7.1.18",
        summary: "Reverses the order of the bits.",
        example: "brev.b32 %r1, %r2;",
        support: Support::Full,
    },
    Row {
        name: "bfe",
        forms: &["bfe.type d, a, b, c; .type = .u32 .u64 .s32 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let run = match f {
                Format::U32 => {
                    lanes!(|a: u32, b: u8, c: u8| -> u32 { extract_unsigned(u64::from(a), b, c, 32) as u32 })
                }
                Format::U64 => lanes!(|a: u64, b: u8, c: u8| -> u64 { extract_unsigned(a, b, c, 64) }),
                Format::S32 => {
                    lanes!(|a: i32, b: u8, c: u8| -> i32 { extract_signed(i64::from(a), b, c, 32) as i32 })
                }
                Format::S64 => lanes!(|a: i64, b: u8, c: u8| -> i64 { extract_signed(a, b, c, 64) }),
                _ => return None,
            };
            // Signed fields spread their sign; only unsigned ones are bytes as they are.
            let field = word!(f, [U32 U64 S32 S64], bfe);
            let meaning = match is_signed(f) {
                false => Meaning::Rearrange(picks_of_extract, field),
                true => Meaning::Partial(field),
            };
            moving(run, meaning, f, &[f, Format::U32, Format::U32], 1)
        },
        real: "the field",
        section: "9.7.1.19",
        summary: "Extracts a field of c bits from bit b on.",
        example: "bfe.u32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "bfi",
        forms: &["bfi.type d, a, b, c, n; .type = .b32 .b64"],
        build: |m| {
            let f = m.format("type")?;
            let run = match f {
                Format::B32 => lanes!(|a: u32, b: u32, c: u8, d: u8| -> u32 {
                    insert(u64::from(a), u64::from(b), c, d, 32) as u32
                }),
                _ => lanes!(|a: u64, b: u64, c: u8, d: u8| -> u64 { insert(a, b, c, d, 64) }),
            };
            let field = word!(unsigned(f), [U32 U64], bfi);
            moving(run, Meaning::Rearrange(picks_of_insert, field), f, &[f, f, Format::U32, Format::U32], 2)
        },
        real: "the field",
        section: "9.7.1.20",
        summary: "Inserts the low n bits of a into b at bit c.",
        example: "bfi.b32 %r1, %r2, %r3, %r4, %r5;",
        support: Support::Full,
    },
    Row {
        name: "szext",
        forms: &["szext.mode.type d, a, b; .mode = .clamp .wrap; .type = .u32 .s32"],
        build: |m| {
            let f = m.format("type")?;
            let run = match (m.get("mode")?, f) {
                ("clamp", Format::U32) => lanes!(|a: u32, b: u32| -> u32 { keep_unsigned(a, b.min(32)) }),
                ("wrap", Format::U32) => lanes!(|a: u32, b: u32| -> u32 { keep_unsigned(a, b & 31) }),
                ("clamp", _) => lanes!(|a: u32, b: u32| -> u32 { keep_signed(a, b.min(32)) }),
                _ => lanes!(|a: u32, b: u32| -> u32 { keep_signed(a, b & 31) }),
            };
            let meaning = match m.get("mode")? {
                "clamp" => Meaning::Partial(word!(f, [U32 S32], szext_clamp)),
                _ => Meaning::Partial(word!(f, [U32 S32], szext_wrap)),
            };
            moving(run, meaning, f, &[f, Format::U32], 1)
        },
        real: "the low b bits of a",
        section: "9.7.1.21",
        summary: "Extends the low b bits of a.",
        example: "szext.clamp.s32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "bmsk",
        forms: &["bmsk.mode.b32 d, a, b; .mode = .clamp .wrap"],
        build: |m| {
            let run = match m.get("mode")? {
                "clamp" => lanes!(|a: u32, b: u32| -> u32 { mask(a.min(32), b.min(32)) }),
                _ => lanes!(|a: u32, b: u32| -> u32 { mask(a & 31, b & 31) }),
            };
            let meaning = match m.get("mode")? {
                "clamp" => mask_clamp,
                _ => mask_wrap,
            };
            pure(run, Meaning::Real(meaning), Format::U32, &[Format::U32, Format::U32])
        },
        real: "ones, shifted",
        section: "9.7.1.22",
        summary: "A mask of b ones from bit a on.",
        example: "bmsk.clamp.b32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "dp4a",
        forms: &["dp4a.atype.btype d, a, b, c; .atype = .u32 .s32; .btype = .u32 .s32"],
        build: |m| {
            let (fa, fb) = (m.format("atype")?, m.format("btype")?);
            let run = match (is_signed(fa), is_signed(fb)) {
                (false, false) => lanes!(|a: u32, b: u32, c: u32| -> u32 { dot4(a, b, c, false, false) }),
                (false, true) => lanes!(|a: u32, b: u32, c: u32| -> u32 { dot4(a, b, c, false, true) }),
                (true, false) => lanes!(|a: u32, b: u32, c: u32| -> u32 { dot4(a, b, c, true, false) }),
                (true, true) => lanes!(|a: u32, b: u32, c: u32| -> u32 { dot4(a, b, c, true, true) }),
            };
            let fd = if is_signed(fa) || is_signed(fb) { Format::S32 } else { Format::U32 };
            let signed = [is_signed(fa), is_signed(fb)];
            pure(run, Meaning::Dot { signed }, fd, &[Format::B32, Format::B32, fd])
        },
        real: "a · b + c over the bytes, modulo 2ⁿ",
        section: "9.7.1.23",
        summary: "The dot product of four bytes each, plus c.",
        example: "dp4a.s32.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "dp2a",
        forms: &["dp2a.mode.atype.btype d, a, b, c; .mode = .lo .hi; .atype = .u32 .s32; .btype = .u32 .s32"],
        build: |m| {
            let (fa, fb) = (m.format("atype")?, m.format("btype")?);
            macro_rules! dot2 {
                ($sa:literal, $sb:literal) => {
                    if m.get("mode")? == "lo" {
                        lanes!(|a: u32, b: u32, c: u32| -> u32 { dot2(a, b, c, $sa, $sb) })
                    } else {
                        lanes!(|a: u32, b: u32, c: u32| -> u32 { dot2(a, b >> 16, c, $sa, $sb) })
                    }
                };
            }
            let run = match (is_signed(fa), is_signed(fb)) {
                (false, false) => dot2!(false, false),
                (false, true) => dot2!(false, true),
                (true, false) => dot2!(true, false),
                (true, true) => dot2!(true, true),
            };
            let fd = if is_signed(fa) || is_signed(fb) { Format::S32 } else { Format::U32 };
            let high = m.get("mode")? == "hi";
            let function = match (is_signed(fa), is_signed(fb), high) {
                (false, false, false) => dot2_of::<false, false, false>,
                (false, false, true) => dot2_of::<false, false, true>,
                (false, true, false) => dot2_of::<false, true, false>,
                (false, true, true) => dot2_of::<false, true, true>,
                (true, false, false) => dot2_of::<true, false, false>,
                (true, false, true) => dot2_of::<true, false, true>,
                (true, true, false) => dot2_of::<true, true, false>,
                (true, true, true) => dot2_of::<true, true, true>,
            };
            pure(run, Meaning::Real(function), fd, &[fa, fb, fd])
        },
        real: "a · b + c over two halfwords and bytes, modulo 2ⁿ",
        section: "9.7.1.24",
        summary: "The dot product of two halfwords with two bytes, plus c.",
        example: "dp2a.lo.s32.s32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    // ---- 9.7.2: the condition code holds the carry of additions and the borrow of subtractions.
    Row {
        name: "add",
        forms: &["add.cc.type d, a, b; .type = .u32 .s32 .u64 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let u = unsigned(f);
            carry(chain!(f, |a, b| a + b), word!(u, [U32 U64], add_carry), f, &[u, u], false, true)
        },
        real: "a + b modulo 2ⁿ",
        section: "9.7.2.1",
        summary: "Adds and keeps the carry.",
        example: "add.cc.u32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "addc",
        forms: &["addc{.cc}.type d, a, b; .type = .u32 .s32 .u64 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let u = unsigned(f);
            let run = chain!(f, |a, b, cc| a + b + (cc & 1));
            carry(run, word!(u, [U32 U64], add_carry), f, &[u, u], true, m.has("cc"))
        },
        real: "a + b + carry modulo 2ⁿ",
        section: "9.7.2.2",
        summary: "Adds with the carry of the chain.",
        example: "addc.cc.u32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "sub",
        forms: &["sub.cc.type d, a, b; .type = .u32 .s32 .u64 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let u = unsigned(f);
            let run = chain!(f, |a, b| a.wrapping_sub(b));
            carry(run, word!(u, [U32 U64], sub_borrow), f, &[u, u], false, true)
        },
        real: "a - b modulo 2ⁿ",
        section: "9.7.2.3",
        summary: "Subtracts and keeps the borrow.",
        example: "sub.cc.u32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "subc",
        forms: &["subc{.cc}.type d, a, b; .type = .u32 .s32 .u64 .s64"],
        build: |m| {
            let f = m.format("type")?;
            let u = unsigned(f);
            let run = chain!(f, |a, b, cc| a.wrapping_sub(b).wrapping_sub(cc & 1));
            carry(run, word!(u, [U32 U64], sub_borrow), f, &[u, u], true, m.has("cc"))
        },
        real: "a - b - borrow modulo 2ⁿ",
        section: "9.7.2.4",
        summary: "Subtracts with the borrow of the chain.",
        example: "subc.cc.u32 %r1, %r2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "mad",
        forms: &["mad.mode.cc.type d, a, b, c; .mode = .hi .lo; .type = .u32 .s32 .u64 .s64"],
        build: |m| {
            // A chain begins here: the fourth source is a zero lane.
            product_carry(m, mad_chain!(m, |a, b, c, cc|), false)
        },
        real: "a half of a · b, plus c modulo 2ⁿ",
        section: "9.7.2.5",
        summary: "Multiplies and adds, and keeps the carry.",
        example: "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "madc",
        forms: &["madc.mode{.cc}.type d, a, b, c; .mode = .hi .lo; .type = .u32 .s32 .u64 .s64"],
        build: |m| product_carry(m, mad_chain!(m, |a, b, c, cc|), true),
        real: "a half of a · b, plus c and carry modulo 2ⁿ",
        section: "9.7.2.6",
        summary: "Multiplies and adds with the carry of the chain.",
        example: "madc.hi.cc.u32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
];

/// The place of the n-th set bit from a base on, up or down; all ones if there is none.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let above = mask & (u64::from(u32::MAX) << base.min(32)) as u32;
    let below = mask & low_ones(base.saturating_add(1)) as u32;
    let nth = |mut bits: u32, skipped: u32, take: fn(u32) -> u32| {
        for _ in 0..skipped.min(32) {
            bits &= !take(bits);
        }
        if bits == 0 { u32::MAX } else { take(bits).trailing_zeros() }
    };
    let lowest = |bits: u32| bits & bits.wrapping_neg();
    let highest = |bits: u32| bits.checked_ilog2().map_or(0, |at| 1 << at);
    match offset {
        0 => nth(above & below, 0, lowest),
        1.. => nth(above, offset.unsigned_abs() - 1, lowest),
        _ => nth(below, offset.unsigned_abs() - 1, highest),
    }
}

#[inline(always)]
fn low_ones(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Position and length count modulo 256; bits above the operand are zero.
#[inline(always)]
fn extract_unsigned(a: u64, position: u8, length: u8, width: u32) -> u64 {
    let position = u32::from(position);
    if position >= width { 0 } else { (a >> position) & low_ones(u32::from(length)) }
}

/// Bits above the operand are its sign.
#[inline(always)]
fn extract_signed(a: i64, position: u8, length: u8, width: u32) -> i64 {
    if length == 0 {
        return 0;
    }
    let field = a >> u32::from(position).min(width - 1);
    let length = u32::from(length).min(64);
    field << (64 - length) >> (64 - length)
}

#[inline(always)]
fn insert(a: u64, b: u64, position: u8, length: u8, width: u32) -> u64 {
    let position = u32::from(position);
    if position >= width {
        return b;
    }
    let field = low_ones(u32::from(length)) << position;
    (b & !field) | ((a << position) & field)
}

#[inline(always)]
fn keep_unsigned(a: u32, bits: u32) -> u32 {
    (u64::from(a) & low_ones(bits)) as u32
}

#[inline(always)]
fn keep_signed(a: u32, bits: u32) -> u32 {
    if bits == 0 { 0 } else { ((a << (32 - bits)) as i32 >> (32 - bits)) as u32 }
}

#[inline(always)]
fn mask(first: u32, count: u32) -> u32 {
    (low_ones(count) << first) as u32
}

#[inline(always)]
fn field(word: u32, at: u32, bits: u32, signed: bool) -> i64 {
    let part = u64::from(word >> at) & low_ones(bits);
    if signed { (part << (64 - bits)) as i64 >> (64 - bits) } else { part as i64 }
}

#[inline(always)]
fn dot4(a: u32, b: u32, c: u32, signed_a: bool, signed_b: bool) -> u32 {
    let products = (0..4).map(|i| field(a, 8 * i, 8, signed_a) * field(b, 8 * i, 8, signed_b));
    (i64::from(c) + products.sum::<i64>()) as u32
}

#[inline(always)]
fn dot2(a: u32, b: u32, c: u32, signed_a: bool, signed_b: bool) -> u32 {
    let products = (0..2).map(|i| field(a, 16 * i, 16, signed_a) * field(b, 8 * i, 8, signed_b));
    (i64::from(c) + products.sum::<i64>()) as u32
}
