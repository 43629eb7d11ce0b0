//! Moves, packing, address spaces (PTX ISA 9.0, 9.7.9 without memory accesses and `cvt`).

use crate::base::Format;
use crate::isa::bits::{permute_mode, picks_of_mode, picks_of_permute};
use crate::isa::form::Choice;
use crate::isa::lanes::{lanes, moving};
use crate::isa::table::{Action, Row, Support};
use crate::isa::{ClusterOp, Effect, Meaning, Space, word};

/// Width of a `mov` type.
fn width(name: &str) -> Option<u32> {
    match name {
        "pred" => Some(1),
        "f16x2" | "bf16x2" => Some(32),
        "b128" => Some(128),
        other => Some(Format::from_name(other)?.bits()),
    }
}

fn of_cluster(op: fn(u32, bool) -> ClusterOp, m: &Choice<'_>) -> Option<Action> {
    Some(Action::Effect(Effect::Cluster(op(m.format("type")?.bits(), !m.has("space")))))
}

/// The state space of a suffix; the `::cta` window of shared memory lies in the `::cluster` window.
pub(super) fn space(name: Option<&str>) -> Option<Space> {
    Some(match name {
        None => Space::Generic,
        Some("global") => Space::Global,
        Some("shared" | "shared::cta" | "shared::cluster") => Space::Shared,
        Some("local") => Space::Local,
        Some("const") => Space::Const,
        Some("param" | "param::entry" | "param::func") => Space::Param,
        Some(_) => return None,
    })
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "mov",
        forms: &[
            "mov.type d, a; .type = .pred .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .f16 .bf16 .f16x2 .bf16x2",
        ],
        build: |m| Some(Action::Effect(Effect::Move { bits: width(m.get("type")?)? })),
        real: "a",
        section: "9.7.9.3",
        summary: "Copies a register, a constant or the address of a variable.",
        example: "mov.u32 %r1, %tid.x;",
        support: Support::Full,
    },
    Row {
        name: "mov",
        forms: &[
            "mov.type d, {a, b}; .type = .b16 .b32 .b64 .u32 .u64 .s32 .s64 .f64",
            "mov.type d, {a, b, c, x}; .type = .b32 .b64 .u32 .u64",
        ],
        build: |m| Some(Action::Effect(Effect::Pack { bits: width(m.get("type")?)? })),
        real: "the parts",
        section: "9.7.9.4",
        summary: "Packs parts into a register, the first lowest.",
        example: "mov.b64 %rd1, {%r2, %r3};",
        support: Support::Full,
    },
    Row {
        name: "mov",
        forms: &[
            "mov.type {d, e}, a; .type = .b16 .b32 .b64 .u32 .u64 .s32 .s64 .f64",
            "mov.type {d, e, f, g}, a; .type = .b32 .b64 .u32 .u64",
        ],
        build: |m| Some(Action::Effect(Effect::Unpack { bits: width(m.get("type")?)? })),
        real: "the parts",
        section: "9.7.9.4",
        summary: "Unpacks a register into its parts, the lowest first.",
        example: "mov.b64 {%r1, %r2}, %rd3;",
        support: Support::Full,
    },
    Row {
        name: "prmt",
        forms: &["prmt.type{.mode} d, a, b, c; .type = .b32; .mode = .f4e .b4e .rc8 .ecl .ecr .rc16"],
        build: |m| {
            let b = Format::B32;
            let meaning = match m.get("mode") {
                None => Meaning::Rearrange(picks_of_permute, word::permute),
                Some("f4e") => Meaning::Rearrange(picks_of_mode::<0>, word::permute_by_mode::<0>),
                Some("b4e") => Meaning::Rearrange(picks_of_mode::<1>, word::permute_by_mode::<1>),
                Some("rc8") => Meaning::Rearrange(picks_of_mode::<2>, word::permute_by_mode::<2>),
                Some("ecl") => Meaning::Rearrange(picks_of_mode::<3>, word::permute_by_mode::<3>),
                Some("ecr") => Meaning::Rearrange(picks_of_mode::<4>, word::permute_by_mode::<4>),
                Some(_) => Meaning::Rearrange(picks_of_mode::<5>, word::permute_by_mode::<5>),
            };
            moving(permute_mode(m.get("mode"))?, meaning, b, &[b, b, b], 2)
        },
        real: "bytes in another order",
        section: "9.7.9.7",
        summary: "Picks four bytes of two registers.",
        example: "prmt.b32 %r1, %r2, %r3, %r4;",
        support: Support::Full,
    },
    Row {
        name: "cvta",
        forms: &[
            "cvta.to.space.size d, a; .space = .global .shared .shared::cta .shared::cluster .local .const .param .param::entry; .size = .u32 .u64",
        ],
        build: |m| Some(Action::Effect(Effect::FromGeneric(space(m.get("space"))?))),
        real: "an address",
        section: "9.7.9.20",
        summary: "Turns a generic address into one of a state space.",
        example: "cvta.to.global.u64 %rd1, %rd2;",
        support: Support::Full,
    },
    Row {
        name: "cvta",
        forms: &[
            "cvta.space.size d, a; .space = .global .shared .shared::cta .shared::cluster .local .const .param .param::entry; .size = .u32 .u64",
        ],
        build: |m| Some(Action::Effect(Effect::ToGeneric(space(m.get("space"))?))),
        real: "an address",
        section: "9.7.9.20",
        summary: "Turns an address of a state space into a generic one.",
        example: "cvta.shared.u64 %rd1, %rd2;",
        support: Support::Full,
    },
    Row {
        name: "isspacep",
        forms: &[
            "isspacep.space p, a; .space = .global .shared .shared::cta .shared::cluster .local .const .param .param::entry",
        ],
        build: |m| Some(Action::Effect(Effect::IsSpace(space(m.get("space"))?))),
        real: "an address",
        section: "9.7.9.19",
        summary: "Asks whether a generic address lies in a state space.",
        example: "isspacep.shared %p1, %rd2;",
        support: Support::Full,
    },
    Row {
        name: "mapa",
        forms: &["mapa{.space}.type d, a, b; .space = .shared::cluster; .type = .u32 .u64"],
        build: |m| of_cluster(|bits, generic| ClusterOp::Address { bits, generic }, m),
        real: "an address",
        section: "9.7.9.23",
        summary: "Maps a shared address to another CTA of the cluster.",
        example: "mapa.u64 %rd1, %rd2, %r3;",
        support: Support::Full,
    },
    Row {
        name: "getctarank",
        forms: &["getctarank{.space}.type d, a; .space = .shared::cluster; .type = .u32 .u64"],
        build: |m| of_cluster(|bits, generic| ClusterOp::Rank { bits, generic }, m),
        real: "a number",
        section: "9.7.9.24",
        summary: "The CTA of the cluster that a shared address belongs to.",
        example: "getctarank.u64 %r1, %rd2;",
        support: Support::Full,
    },
    Row {
        name: "createpolicy",
        forms: &[
            "createpolicy.fractional.primary{.secondary}.b64 d{, a}; .primary = .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged; .secondary = .L2::evict_first .L2::evict_unchanged",
            "createpolicy.range{.global}.primary{.secondary}.b64 d, [a], b, c; .primary = .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged; .secondary = .L2::evict_first .L2::evict_unchanged",
            "createpolicy.cvt.L2.b64 d, a",
        ],
        build: |_| {
            let zero = lanes!(|_a: u64| -> u64 { 0 });
            let mut lanes = crate::isa::lanes::lanewise(zero, Meaning::None, Format::B64, &[Format::B64]);
            lanes.operation = 0x7200_0000;
            Some(Action::Steps(vec![crate::isa::table::Step {
                effect: Effect::Lanewise(lanes),
                dst: vec![crate::isa::table::Arg::Out(0)],
                src: vec![crate::isa::table::Arg::Bits(0)],
            }]))
        },
        real: "nothing: caches have no meaning",
        section: "9.7.9.18",
        summary: "Makes a cache policy, which nothing here observes.",
        example: "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;",
        support: Support::Full,
    },
];
