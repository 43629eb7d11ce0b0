//! Loads, stores, atomics and what only touches caches (PTX ISA 9.0, 9.7.9.8–9.7.9.18, 9.7.13.5–6).
//!
//! Cache operators, eviction priorities and prefetch sizes change no value and are dropped.

use super::moves::space;
use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::table::{Action, Row, Support};
use crate::isa::{Access, AtomicOp, Effect, Order, Scope, Space, Strength};

fn access(m: &Choice<'_>, fallback: Space) -> Option<Access> {
    let space = match m.get("ss") {
        None => fallback,
        some => space(some)?,
    };
    let strength = match m.get("sem") {
        _ if m.has("nc") => Strength::NonCoherent,
        None | Some("weak") => Strength::Weak,
        Some("volatile") => Strength::Strong(Scope::System, Order::Relaxed),
        Some(_) => Strength::Strong(scope(m), order(m)),
    };
    let (format, vector) = match (m.get("type")?, m.vector()) {
        // As two words, which lie where 128 bits have to.
        ("b128", 1) => (Format::B64, 2),
        ("b128", _) => return None,
        (_, vector) => (m.format("type")?, vector),
    };
    Some(Access { space, format, vector, strength })
}

/// Without one nothing is ordered.
pub(super) fn order(m: &Choice<'_>) -> Order {
    match m.get("sem") {
        Some("acquire") => Order::Acquire,
        Some("release") => Order::Release,
        Some("acq_rel") => Order::AcquireRelease,
        Some("sc") => Order::Sequential,
        _ => Order::Relaxed,
    }
}

/// Without one it is the device.
pub(super) fn scope(m: &Choice<'_>) -> Scope {
    match m.get("scope") {
        Some("cta") => Scope::Cta,
        Some("cluster") => Scope::Cluster,
        Some("sys") => Scope::System,
        _ => Scope::Gpu,
    }
}

/// What `.op` does with a memory cell.
pub(super) fn operation(m: &Choice<'_>) -> Option<AtomicOp> {
    Some(match m.get("op")? {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        "exch" => AtomicOp::Exchange,
        "cas" => AtomicOp::CompareSwap,
        _ => return None,
    })
}

fn atomic(m: &Choice<'_>) -> Option<Action> {
    let (format, packed) = match m.get("type")? {
        "f16x2" => (Format::F16, 2),
        "bf16x2" => (Format::Bf16, 2),
        _ => (m.format("type")?, 1),
    };
    let op = operation(m)?;
    if m.has("vec") {
        // The manual's table of vector types; elements of 16 bits alone have minima and maxima.
        let elements = u32::from(m.vector()) * packed;
        let fits = elements * format.bits() <= 128 && matches!(m.get("ss"), None | Some("global"));
        if !fits || op != AtomicOp::Add && format.bits() != 16 || (format.bits() == 16) != m.has("noftz") {
            return None;
        }
    }
    let vector = m.vector() * packed as u8;
    let strength = Strength::Strong(scope(m), order(m));
    let access = Access { space: space(m.get("ss"))?, format, vector, strength };
    Some(Action::Effect(Effect::Atomic { op, access }))
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "ld",
        forms: &[
            "ld{.mmio}{.sem}{.scope}{.ss}{.cop}{.l1}{.l2}{.l2evict}{.pre}{.vec}.type d, [a]{, b}; .sem = .weak .relaxed .acquire .volatile; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster .local .const .param .param::entry .param::func; .cop = .ca .cg .cs .lu .cv; .l1 = .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate; .l2 = .L2::cache_hint; .l2evict = .L2::evict_normal .L2::evict_first .L2::evict_last; .pre = .L2::64B .L2::128B .L2::256B; .vec = .v2 .v4 .v8; .type = .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64",
            "ld{.ss}{.cop}.nc{.l1}{.l2}{.l2evict}{.pre}{.vec}.type d, [a]{, b}; .ss = .global; .cop = .ca .cg .cs; .l1 = .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate; .l2 = .L2::cache_hint; .l2evict = .L2::evict_normal .L2::evict_first .L2::evict_last; .pre = .L2::64B .L2::128B .L2::256B; .vec = .v2 .v4 .v8; .type = .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64",
        ],
        build: |m| Some(Action::Effect(Effect::Load(access(m, Space::Generic)?))),
        real: "what is stored there",
        section: "9.7.9.8",
        summary: "Loads one element or a short vector.",
        example: "ld.global.v2.f32 {%f1, %f2}, [%rd3+8];",
        support: Support::Full,
    },
    Row {
        name: "ldu",
        forms: &[
            "ldu{.ss}{.vec}.type d, [a]; .ss = .global; .vec = .v2 .v4; .type = .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64",
        ],
        build: |m| Some(Action::Effect(Effect::Load(access(m, Space::Generic)?))),
        real: "what is stored there",
        section: "9.7.9.10",
        summary: "Loads from an address that is the same for all threads of the warp.",
        example: "ldu.global.f32 %f1, [%rd2];",
        support: Support::Full,
    },
    Row {
        name: "st",
        forms: &[
            "st{.mmio}{.sem}{.scope}{.ss}{.cop}{.l1}{.l2}{.l2evict}{.vec}.type [a], b{, c}; .sem = .weak .relaxed .release .volatile; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster .local .param .param::func; .cop = .wb .cg .cs .wt; .l1 = .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last .L1::no_allocate; .l2 = .L2::cache_hint; .l2evict = .L2::evict_normal .L2::evict_first .L2::evict_last; .vec = .v2 .v4 .v8; .type = .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64",
        ],
        build: |m| Some(Action::Effect(Effect::Store(access(m, Space::Generic)?))),
        real: "stores the value",
        section: "9.7.9.11",
        summary: "Stores one element or a short vector.",
        example: "st.shared.f32 [%rd1+4], %f2;",
        support: Support::Full,
    },
    Row {
        name: "prefetch",
        forms: &[
            "prefetch{.ss}{.level}{.evict}{.tensormap} [a]; .ss = .global .local .param .const; .level = .L1 .L2; .evict = .L2::evict_last .L2::evict_normal",
        ],
        build: |_| Some(Action::Effect(Effect::Nothing)),
        real: "nothing",
        section: "9.7.9.15",
        summary: "Brings a line into a cache.",
        example: "prefetch.global.L2 [%rd1];",
        support: Support::Full,
    },
    Row {
        name: "prefetchu",
        forms: &["prefetchu.L1 [a]"],
        build: |_| Some(Action::Effect(Effect::Nothing)),
        real: "nothing",
        section: "9.7.9.15",
        summary: "Brings a line into the uniform cache.",
        example: "prefetchu.L1 [%rd1];",
        support: Support::Full,
    },
    Row {
        name: "applypriority",
        forms: &["applypriority{.global}.L2::evict_normal [a], b"],
        build: |_| Some(Action::Effect(Effect::Nothing)),
        real: "nothing",
        section: "9.7.9.16",
        summary: "Changes a line's eviction priority.",
        example: "applypriority.global.L2::evict_normal [%rd1], 128;",
        support: Support::Full,
    },
    Row {
        name: "discard",
        forms: &["discard{.global}.L2 [a], b"],
        build: |m| Some(Action::Discard(if m.has("global") { Space::Global } else { Space::Generic })),
        real: "nothing is known of these bytes any more",
        section: "9.7.9.17",
        summary: "Gives up 128 bytes: until they are written again, they have no value.",
        example: "discard.global.L2 [%rd1], 128;",
        support: Support::Full,
    },
    Row {
        name: "atom",
        forms: &[
            "atom{.sem}{.scope}{.ss}.op{.l2}.type d, [a], b{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .add .min .max .inc .dec; .l2 = .L2::cache_hint; .type = .u32 .s32 .u64 .s64",
            "atom{.sem}{.scope}{.ss}.op{.noftz}{.l2}.type d, [a], b{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .add; .l2 = .L2::cache_hint; .type = .f32 .f64 .f16 .bf16",
            "atom{.sem}{.scope}{.ss}.op{.l2}.type d, [a], b{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .and .or .xor .exch; .l2 = .L2::cache_hint; .type = .b32 .b64",
            "atom{.sem}{.scope}{.ss}.op{.l2}.type d, [a], b, c{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .cas; .l2 = .L2::cache_hint; .type = .b16 .b32 .b64",
        ],
        build: atomic,
        real: "add, min, max: accumulated",
        section: "9.7.13.5",
        summary: "Reads, changes and writes a memory cell in one step; gives the old value.",
        example: "atom.global.add.f32 %f1, [%rd2], %f3;",
        support: Support::Full,
    },
    Row {
        name: "red",
        forms: &[
            "red{.sem}{.scope}{.ss}.op{.l2}.type [a], b{, x}; .sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .add .min .max .inc .dec; .l2 = .L2::cache_hint; .type = .u32 .s32 .u64 .s64",
            "red{.sem}{.scope}{.ss}.op{.noftz}{.l2}.type [a], b{, x}; .sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .add; .l2 = .L2::cache_hint; .type = .f32 .f64 .f16 .bf16",
            "red{.sem}{.scope}{.ss}.op{.l2}.type [a], b{, x}; .sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .op = .and .or .xor; .l2 = .L2::cache_hint; .type = .b32 .b64",
        ],
        build: atomic,
        real: "add, min, max: accumulated",
        section: "9.7.13.6",
        summary: "Changes a memory cell in one step.",
        example: "red.global.add.f32 [%rd1], %f2;",
        support: Support::Full,
    },
    Row {
        name: "atom",
        forms: &[
            "atom{.sem}{.scope}{.ss}.op.noftz{.l2}.type d, [a], b{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .l2 = .L2::cache_hint; .op = .add; .type = .f16x2 .bf16x2",
            "atom{.sem}{.scope}{.ss}.op{.noftz}{.l2}.vec.type d, [a], b{, x}; .sem = .relaxed .acquire .release .acq_rel; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .l2 = .L2::cache_hint; .op = .add .min .max; .vec = .v2 .v4 .v8; .type = .f32 .f16 .bf16 .f16x2 .bf16x2",
        ],
        build: atomic,
        real: "each element by itself: add, min, max: accumulated",
        section: "9.7.13.5",
        summary: "Reads, changes and writes the elements of a short vector, each in one step.",
        example: "atom.global.add.noftz.f16x2 %r1, [%rd2], %r3;",
        support: Support::Full,
    },
    Row {
        name: "red",
        forms: &[
            "red{.sem}{.scope}{.ss}.op.noftz{.l2}.type [a], b{, x}; .sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .l2 = .L2::cache_hint; .op = .add; .type = .f16x2 .bf16x2",
            "red{.sem}{.scope}{.ss}.op{.noftz}{.l2}.vec.type [a], b{, x}; .sem = .relaxed .release; .scope = .cta .cluster .gpu .sys; .ss = .global .shared .shared::cta .shared::cluster; .l2 = .L2::cache_hint; .op = .add .min .max; .vec = .v2 .v4 .v8; .type = .f32 .f16 .bf16 .f16x2 .bf16x2",
        ],
        build: atomic,
        real: "each element by itself: add, min, max: accumulated",
        section: "9.7.13.6",
        summary: "Changes the elements of a short vector, each in one step.",
        example: "red.global.add.v2.f32 [%rd1], {%f2, %f3};",
        support: Support::Full,
    },
];
