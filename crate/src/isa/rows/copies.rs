//! Copies that run in the background, and the barrier objects that wait for them
//! (PTX ISA 9.0, 9.7.9.25 and 9.7.13.15).
//!
//! Bulk copies and tensor copies go from global to shared memory, of several CTAs of a cluster as well, and back, and from
//! one CTA to another. Copies of masked bytes, and of pixels along rows of images with their halos (`.im2col::w`), are
//! not supported.

use super::memory::operation;
use super::moves::space;
use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::table::{Action, Shape, find};
use crate::isa::{
    Answer, AtomicOp, BoxCut, Bulk, CopyOp, Effect, MapField, PhaserOp, Space, TensorCopy, TensorWay,
};

fn copy(op: CopyOp) -> Option<Action> {
    Some(Action::Effect(Effect::Copy(op)))
}

/// A bulk copy that changes elements of global memory.
fn update(m: &Choice<'_>) -> Option<Action> {
    copy(CopyOp::Update(operation(m)?, m.format("type")?))
}

fn tensor(m: &Choice<'_>, way: TensorWay) -> Option<Action> {
    let rank = m.get("dim")?.strip_suffix('d')?.parse().ok()?;
    let cut = match m.get("mode") {
        None | Some("tile") => BoxCut::Tile,
        Some("im2col") => BoxCut::Pixels { moved: true },
        Some("im2col_no_offs") => BoxCut::Pixels { moved: false },
        Some(_) => BoxCut::Rows,
    };
    copy(CopyOp::Tensor(TensorCopy { rank, way, cut, paired: m.get("group") == Some("cta_group::2") }))
}

/// Registers that are sent to shared memory of the cluster.
fn send(m: &Choice<'_>, update: Option<AtomicOp>) -> Option<Action> {
    let format = m.format("type")?;
    copy(CopyOp::Send { update, format, vector: m.vector() })
}

/// A change of a tensor map. The widths of values are those of the fields.
fn replace(m: &Choice<'_>) -> Option<Action> {
    let field = match m.get("field")? {
        "global_address" => MapField::Address,
        "rank" => MapField::Rank,
        "box_dim" => MapField::Box,
        "global_dim" => MapField::Size,
        "global_stride" => MapField::Stride,
        "element_stride" => MapField::Step,
        "elemtype" => MapField::Format,
        "interleave_layout" => MapField::Interleave,
        "swizzle_mode" => MapField::Swizzle,
        "swizzle_atomicity" => MapField::Atomicity,
        _ => MapField::Fill,
    };
    let wide = matches!(field, MapField::Address | MapField::Stride);
    let space = m.get("ss").map_or(Some(Space::Generic), |name| space(Some(name)))?;
    (wide == (m.get("type") == Some("b64"))).then_some(())?;
    copy(CopyOp::Replace(field, space))
}

/// Whether the manual has a bulk copy that does this with elements of a format; signs do not matter to sums
/// and bits.
pub fn reduces(op: AtomicOp, format: Format) -> bool {
    let name = format!("{op:?}").to_lowercase();
    let whole = matches!(format.bits(), 32 | 64);
    let format = match op {
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor if !format.is_float() && whole => {
            if format.bits() == 64 { Format::B64 } else { Format::B32 }
        }
        AtomicOp::Add if !format.is_float() => format.as_integer(false),
        _ => format,
    };
    let mut suffixes = vec!["reduce", "async", "bulk", "global", "shared::cta", "bulk_group", &name];
    suffixes.extend((op == AtomicOp::Add && format.bits() == 16).then_some("noftz"));
    suffixes.push(format.name());
    find("cp", &suffixes, &[Shape::Address, Shape::Address, Shape::Scalar]).is_ok()
}

/// A barrier object; only those in the CTA's own shared memory are known.
fn phaser(m: &Choice<'_>, op: PhaserOp) -> Option<Action> {
    let near = m.get("ss").is_none_or(|name| space(Some(name)) == Some(Space::Shared));
    near.then_some(Action::Effect(Effect::Phaser(op)))
}

fn arrive(m: &Choice<'_>, drop: bool) -> Option<Action> {
    let relaxed = m.get("sem") == Some("relaxed");
    phaser(m, PhaserOp::Arrive { drop, relaxed, expects: m.has("expect_tx") })
}

rows! {
    "cp" "9.7.9.25.3.1"
        ["cp.async.cop.ss.global{.l2}{.pre} [a], [b], c{, x}{, y}; .cop = .ca .cg; .ss = .shared .shared::cta; .l2 = .L2::cache_hint; .pre = .L2::64B .L2::128B .L2::256B"]
        |_| copy(CopyOp::Start), "Starts a copy from global to shared memory in the background.",
        "cp.async.cg.shared.global [%r1], [%rd2], 16;";
    "cp" "9.7.9.25.3.2" ["cp.async.commit_group"] |_| copy(CopyOp::Commit),
        "Makes the copies since the last group a group.", "cp.async.commit_group;";
    "cp" "9.7.9.25.3.3" ["cp.async.wait_group a"] |_| copy(CopyOp::WaitGroups),
        "Waits until at most the newest a groups still run.", "cp.async.wait_group 1;";
    "cp" "9.7.9.25.3.3" ["cp.async.wait_all"] |_| copy(CopyOp::WaitAll),
        "Waits for all copies of the thread.", "cp.async.wait_all;";
    "cp" "9.7.13.15.17" ["cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [a]; .ss = .shared .shared::cta"]
        |m| copy(CopyOp::Arrive { counted: m.has("noinc") }),
        "Arrives at a barrier object once the thread's copies so far are there.",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];";
    "cp" "9.7.9.25.4.1"
        ["cp.async.bulk.dst.global.mbarrier::complete_tx::bytes{.l2} [a], [b], c, [d]{, x}; .dst = .shared::cta .shared::cluster; .l2 = .L2::cache_hint",
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.l2} [a], [b], c, [d], m{, x}; .l2 = .L2::cache_hint"]
        |_| copy(CopyOp::Bulk(Bulk::ToShared)), "Copies c bytes to shared memory in the background, and counts them at a barrier object.",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 1024, [%r3];";
    "cp" "9.7.9.25.4.1"
        ["cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [b], c, [d]"]
        |_| copy(CopyOp::Bulk(Bulk::Across)), "Copies c bytes to the shared memory of another CTA, and counts them at a barrier object there.",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 1024, [%r3];";
    "cp" "9.7.9.25.4.1"
        ["cp.async.bulk.global.src.bulk_group{.l2} [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint"]
        |_| copy(CopyOp::Bulk(Bulk::ToGlobal)), "Copies c bytes to global memory in the background.",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 1024;";
    "cp" "9.7.9.25.4.2"
        ["cp.reduce.async.bulk.global.src.bulk_group{.l2}.op.type [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint; .op = .and .or .xor; .type = .b32 .b64",
         "cp.reduce.async.bulk.global.src.bulk_group{.l2}.op.type [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint; .op = .add; .type = .u32 .s32 .u64 .f32 .f64",
         "cp.reduce.async.bulk.global.src.bulk_group{.l2}.op.noftz.type [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint; .op = .add; .type = .f16 .bf16"]
        update, "Adds c bytes of elements to global memory in the background, or joins their bits with those there.",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r2], 1024;";
    "cp" "9.7.9.25.4.2"
        ["cp.reduce.async.bulk.global.src.bulk_group{.l2}.op.type [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint; .op = .min .max; .type = .u32 .s32 .u64 .s64 .f16 .bf16",
         "cp.reduce.async.bulk.global.src.bulk_group{.l2}.op.type [a], [b], c{, x}; .src = .shared::cta; .l2 = .L2::cache_hint; .op = .inc .dec; .type = .u32"]
        update, "Leaves the smaller or larger elements in global memory, or counts there, in the background.",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd1], [%r2], 1024;";
    "cp" "9.7.9.25.5.2"
        ["cp.async.bulk.tensor.dim.dst.global{.mode}.mbarrier::complete_tx::bytes{.group}{.l2} [a], [b, {c}], [d]{, x}; .dim = .1d .2d .3d .4d .5d; .dst = .shared::cta .shared::cluster; .mode = .tile; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint",
         "cp.async.bulk.tensor.dim.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes.multicast::cluster{.group}{.l2} [a], [b, {c}], [d], m{, x}; .dim = .1d .2d .3d .4d .5d; .mode = .tile; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Load), "Copies a box of a tensor to shared memory in the background, and counts its bytes at a barrier object.",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r3, %r4}], [%r5];";
    "cp" "9.7.9.25.5.2"
        ["cp.async.bulk.tensor.dim.dst.global.mode.mbarrier::complete_tx::bytes{.group}{.l2} [a], [b, {c}], [d]{, x}; .dst = .shared::cta .shared::cluster; .dim = .2d; .mode = .tile::gather4; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint",
         "cp.async.bulk.tensor.dim.shared::cluster.global.mode.mbarrier::complete_tx::bytes.multicast::cluster{.group}{.l2} [a], [b, {c}], [d], m{, x}; .dim = .2d; .mode = .tile::gather4; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Load), "Copies four rows of a matrix to shared memory in the background, and counts their bytes at a barrier object.",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r3, %r4, %r5, %r6, %r7}], [%r8];";
    "cp" "9.7.9.25.5.2"
        ["cp.async.bulk.tensor.dim.dst.global.mode.mbarrier::complete_tx::bytes{.group}{.l2} [a], [b, {c}], [d], {i..}{, x}; .dim = .3d .4d .5d; .dst = .shared::cta .shared::cluster; .mode = .im2col; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint",
         "cp.async.bulk.tensor.dim.shared::cluster.global.mode.mbarrier::complete_tx::bytes.multicast::cluster{.group}{.l2} [a], [b, {c}], [d], {i..}, m{, x}; .dim = .3d .4d .5d; .mode = .im2col; .group = .cta_group::1 .cta_group::2; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Load), "Copies pixels of images, moved by i, to shared memory in the background, and counts their bytes at a barrier object.",
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r3, %r4, %r5, %r6}], [%r8], {%rs1, %rs2};";
    "cp" "9.7.9.25.5.2"
        ["cp.async.bulk.tensor.dim.global.src{.mode}.bulk_group{.l2} [a, {c}], [b]{, x}; .dim = .1d .2d .3d .4d .5d; .src = .shared::cta; .mode = .tile; .l2 = .L2::cache_hint",
         "cp.async.bulk.tensor.dim.global.src.mode.bulk_group{.l2} [a, {c}], [b]{, x}; .src = .shared::cta; .dim = .2d; .mode = .tile::scatter4; .l2 = .L2::cache_hint",
         "cp.async.bulk.tensor.dim.global.src.mode.bulk_group{.l2} [a, {c}], [b]{, x}; .dim = .3d .4d .5d; .src = .shared::cta; .mode = .im2col_no_offs; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Store), "Copies a box, four rows or pixels from shared memory into a tensor in the background.",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r2, %r3}], [%r4];";
    "cp" "9.7.9.25.5.3"
        ["cp.reduce.async.bulk.tensor.dim.global.src.op{.mode}.bulk_group{.l2} [a, {c}], [b]{, x}; .dim = .1d .2d .3d .4d .5d; .src = .shared::cta; .op = .add .min .max .inc .dec .and .or .xor; .mode = .tile; .l2 = .L2::cache_hint",
         "cp.reduce.async.bulk.tensor.dim.global.src.op.mode.bulk_group{.l2} [a, {c}], [b]{, x}; .dim = .3d .4d .5d; .src = .shared::cta; .op = .add .min .max .inc .dec .and .or .xor; .mode = .im2col_no_offs; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Update(operation(m)?)), "Adds a box to a part of a tensor in the background, or does something else with each two elements.",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r2, %r3}], [%r4];";
    "cp" "9.7.9.25.5.4"
        ["cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.l2} [a, {c}]{, x}; .dim = .1d .2d .3d .4d .5d; .mode = .tile; .l2 = .L2::cache_hint",
         "cp.async.bulk.prefetch.tensor.dim.L2.global.mode{.l2} [a, {c}]{, x}; .dim = .2d; .mode = .tile::gather4; .l2 = .L2::cache_hint",
         "cp.async.bulk.prefetch.tensor.dim.L2.global.mode{.l2} [a, {c}], {i..}{, x}; .dim = .3d .4d .5d; .mode = .im2col; .l2 = .L2::cache_hint"]
        |m| tensor(m, TensorWay::Prefetch), "Asks for a box of a tensor to be cached.",
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r2, %r3}];";
    "st" "9.7.9.12"
        ["st.async{.weak}{.cluster}{.ss}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [c]; .ss = .shared::cluster; .vec = .v2 .v4; .type = .b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64"]
        |m| send(m, None), "Stores to the shared memory of a CTA of the cluster in the background, and counts the bytes at a barrier object there.",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];";
    "red" "9.7.13.7"
        ["red.async{.relaxed}{.cluster}{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]; .ss = .shared::cluster; .op = .add; .type = .u32 .s32 .u64",
         "red.async{.relaxed}{.cluster}{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]; .ss = .shared::cluster; .op = .min .max; .type = .u32 .s32",
         "red.async{.relaxed}{.cluster}{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]; .ss = .shared::cluster; .op = .inc .dec; .type = .u32",
         "red.async{.relaxed}{.cluster}{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [c]; .ss = .shared::cluster; .op = .and .or .xor; .type = .b32"]
        |m| send(m, Some(operation(m)?)), "Changes a number in the shared memory of a CTA of the cluster in the background, and counts its bytes at a barrier object there.",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];";
    "st" "9.7.9.13" ["st.bulk{.weak}{.ss} [a], b, c; .ss = .shared::cta"]
        |m| copy(CopyOp::Clear(m.get("ss").map_or(Some(Space::Generic), |name| space(Some(name)))?)),
        "Writes b bytes of zeros to shared memory.", "st.bulk.weak.shared::cta [%rd1], %rd2, 0;";
    "tensormap" "9.7.9.26"
        ["tensormap.replace.tile.field{.ss}.b1024.type [a], b; .field = .global_address .rank .elemtype .interleave_layout .swizzle_mode .swizzle_atomicity .fill_mode; .ss = .global .shared::cta; .type = .b32 .b64",
         "tensormap.replace.tile.field{.ss}.b1024.type [a], b, c; .field = .box_dim .global_dim .global_stride .element_stride; .ss = .global .shared::cta; .type = .b32 .b64"]
        replace, "Changes a field of a tensor map.",
        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd1], 1;";
    "tensormap" "9.7.13.16"
        ["tensormap.cp_fenceproxy.global.src.tensormap::generic.release.scope.sync.aligned [a], [b], c; .src = .shared::cta; .scope = .cta .cluster .gpu .sys"]
        |_| copy(CopyOp::Publish), "Copies a tensor map to global memory, for those who acquire it.",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;";
    "fence" "9.7.13.4"
        ["fence.proxy.tensormap::generic.acquire.scope [a], b; .scope = .cta .cluster .gpu .sys"]
        |_| copy(CopyOp::AcquireMap), "Acquires a tensor map that a thread has published.",
        "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;";
    "cp" "9.7.9.25.4.3" ["cp.async.bulk.prefetch.L2.global{.l2} [a], b{, x}; .l2 = .L2::cache_hint"]
        |_| copy(CopyOp::Prefetch), "Asks for b bytes to be cached.",
        "cp.async.bulk.prefetch.L2.global [%rd1], 1024;";
    "cp" "9.7.9.25.6.1" ["cp.async.bulk.commit_group"] |_| copy(CopyOp::CommitBulk),
        "Makes the bulk copies since the last group a group.", "cp.async.bulk.commit_group;";
    "cp" "9.7.9.25.6.2" ["cp.async.bulk.wait_group{.read} a"]
        |m| copy(CopyOp::WaitBulk { reads: m.has("read") }),
        "Waits until at most the newest a groups of bulk copies still run, or still read.", "cp.async.bulk.wait_group.read 0;";
    "clusterlaunchcontrol" "9.7.13.17.1"
        ["clusterlaunchcontrol.try_cancel.async{.ss}.mbarrier::complete_tx::bytes{.all}.b128 [a], [b]; .ss = .shared::cta; .all = .multicast::cluster::all"]
        |m| copy(CopyOp::TakeOver { all: m.has("all") }), "Asks for a cluster that has not begun, to do its work in its place; the answer comes in the background.",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];";
    "clusterlaunchcontrol" "9.7.13.17.2" ["clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 d, a"]
        |_| Some(Action::Effect(Effect::Response(Answer::Taken))), "Whether there was such a cluster.",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rq1;";
    "clusterlaunchcontrol" "9.7.13.17.2"
        ["clusterlaunchcontrol.query_cancel.axis.b32.b128 d, a; .axis = .get_first_ctaid::x .get_first_ctaid::y .get_first_ctaid::z"]
        |m| {
            let axis = ["get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"];
            let axis = axis.iter().position(|axis| m.get("axis") == Some(axis))?;
            Some(Action::Effect(Effect::Response(Answer::Axis(axis as u8))))
        }, "One number of that cluster's first thread block.",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %rq1;";
    "clusterlaunchcontrol" "9.7.13.17.2" ["clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {d, e, f, g}, a"]
        |_| Some(Action::Effect(Effect::Response(Answer::First))), "That cluster's first thread block.",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, %r4}, %rq1;";
    "mbarrier" "9.7.13.15.9" ["mbarrier.init{.ss}.b64 [a], b; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Init), "Makes a barrier object for b arrivals.", "mbarrier.init.shared.b64 [%r1], 32;";
    "mbarrier" "9.7.13.15.10" ["mbarrier.inval{.ss}.b64 [a]; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Invalidate), "Ends the life of a barrier object.", "mbarrier.inval.shared.b64 [%r1];";
    "mbarrier" "9.7.13.15.13"
        ["mbarrier.arrive{.noComplete}{.sem}{.scope}{.ss}.b64 d, [a]{, b}; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| arrive(m, false), "Arrives at a barrier object.", "mbarrier.arrive.shared.b64 %rd1, [%r1];";
    "mbarrier" "9.7.13.15.14"
        ["mbarrier.arrive_drop{.noComplete}{.sem}{.scope}{.ss}.b64 d, [a]{, b}; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| arrive(m, true), "Arrives, and takes no part in later phases.",
        "mbarrier.arrive_drop.shared.b64 %rd1, [%r1];";
    "mbarrier" "9.7.13.15.13"
        ["mbarrier.arrive.expect_tx{.sem}{.scope}{.ss}.b64 d, [a], b; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| arrive(m, false), "Expects b more bytes of bulk copies, and arrives.",
        "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 1024;";
    "mbarrier" "9.7.13.15.14"
        ["mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.ss}.b64 d, [a], b; .sem = .release .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| arrive(m, true), "Expects b more bytes of bulk copies, arrives, and takes no part in later phases.",
        "mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [%r1], 1024;";
    "mbarrier" "9.7.13.15.11"
        ["mbarrier.expect_tx{.sem}{.scope}{.ss}.b64 [a], b; .sem = .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| phaser(m, PhaserOp::Expect), "Expects b more bytes of bulk copies in the present phase.",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;";
    "mbarrier" "9.7.13.15.12"
        ["mbarrier.complete_tx{.sem}{.scope}{.ss}.b64 [a], b; .sem = .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta .shared::cluster"]
        |m| phaser(m, PhaserOp::Complete), "Counts b expected bytes as if a bulk copy had brought them.",
        "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;";
    "mbarrier" "9.7.13.15.16"
        ["mbarrier.test_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [a], b; .sem = .acquire .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Test { parity: m.has("parity"), relaxed: m.get("sem") == Some("relaxed") }), "Asks whether a phase has ended.",
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;";
    "mbarrier" "9.7.13.15.16"
        ["mbarrier.try_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [a], b{, c}; .sem = .acquire .relaxed; .scope = .cta .cluster; .ss = .shared .shared::cta"]
        |m| phaser(m, PhaserOp::Test { parity: m.has("parity"), relaxed: m.get("sem") == Some("relaxed") }), "Waits a while for the end of a phase.",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;";
    "mbarrier" "9.7.13.15.18" ["mbarrier.pending_count.b64 d, a"]
        |m| phaser(m, PhaserOp::Pending), "Arrivals that a phase lacked when its token was given.",
        "mbarrier.pending_count.b64 %r1, %rd1;";
}
