//! Tensor memory and its products (`tcgen05`; PTX ISA 9.0, 9.7.16).
//!
//! Of one CTA (`.cta_group::1`) or a pair (`.cta_group::2`), dense. Sparse and weight-stationary products, shifts and
//! loads that reduce are not supported, nor copies that make bytes of floats of four and six bits: where in its byte such a float
//! lands is a figure.

use crate::isa::Effect;
use crate::isa::form::Choice;
use crate::isa::table::Action;
use crate::isa::tensor_memory::{
    ProductKind, TensorImage, TensorMemoryOp, TensorMove, TensorProduct, TensorShape,
};

fn does(op: TensorMemoryOp) -> Option<Action> {
    Some(Action::Effect(Effect::TensorMemory(op)))
}

/// Registers between lanes of a warp and tensor memory.
fn moved(m: &Choice<'_>, op: fn(TensorMove) -> TensorMemoryOp) -> Option<Action> {
    let shape = TensorShape::named(m.get("shape")?)?;
    let repetitions: u32 = m.get("num")?.strip_prefix('x')?.parse().ok()?;
    let registers = shape.registers() * repetitions;
    let halves = m.has("pack::16b") || m.has("unpack::16b");
    (registers <= 128).then_some(())?;
    does(op(TensorMove { shape, registers: registers as u8, halves }))
}

/// Whether it is about a pair of CTAs.
fn pair(m: &Choice<'_>) -> bool {
    m.get("group") == Some("cta_group::2")
}

fn product(m: &Choice<'_>) -> Option<Action> {
    let kind = ProductKind::named(m.get("kind")?)?;
    let (held, masked) = (m.addresses() == 2, m.gives_fragment());
    does(TensorMemoryOp::Multiply(TensorProduct {
        kind,
        held,
        masked,
        scaled: false,
        blocks: 0,
        pair: pair(m),
    }))
}

/// A product with scales: how many blocks a row has is said, or follows.
fn scaled(m: &Choice<'_>) -> Option<Action> {
    let kind = ProductKind::named(m.get("kind")?)?;
    let blocks = match (kind, m.get("svec")) {
        (ProductKind::MxF8F6F4, None | Some("scale_vec::1X" | "block32")) => 1,
        (ProductKind::MxF4, None | Some("scale_vec::2X" | "block32")) => 2,
        (ProductKind::MxF4NvF4, Some("scale_vec::2X" | "block32")) => 2,
        (ProductKind::MxF4NvF4, Some("scale_vec::4X" | "block16")) => 4,
        _ => return None,
    };
    let held = m.addresses() == 4;
    does(TensorMemoryOp::Multiply(TensorProduct {
        kind,
        held,
        masked: false,
        scaled: false,
        blocks,
        pair: pair(m),
    }))
}

rows! {
    "tcgen05" "9.7.16.7.1"
        ["tcgen05.alloc.group.sync.aligned{.ss}.b32 [a], b; .group = .cta_group::1 .cta_group::2; .ss = .shared::cta"]
        |m| does(TensorMemoryOp::Allocate { pair: pair(m) }), "", "Takes b columns of tensor memory, and writes their address to shared memory.",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;";
    "tcgen05" "9.7.16.7.1" ["tcgen05.dealloc.group.sync.aligned.b32 a, b; .group = .cta_group::1 .cta_group::2"]
        |m| does(TensorMemoryOp::Deallocate { pair: pair(m) }), "", "Gives b columns of tensor memory back.",
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;";
    "tcgen05" "9.7.16.7.1" ["tcgen05.relinquish_alloc_permit.group.sync.aligned; .group = .cta_group::1 .cta_group::2"]
        |m| does(TensorMemoryOp::Relinquish { pair: pair(m) }), "", "Says that the thread block takes no more columns.",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";
    "tcgen05" "9.7.16.8.3"
        ["tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 {d..}, [a]; .shape = .32x32b .16x64b .16x128b .16x256b; .num = .x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128",
         "tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 {d..}, [a], b; .shape = .16x32bx2; .num = .x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128"]
        |m| moved(m, TensorMemoryOp::Load), "", "Loads from tensor memory into the lanes of a warp.",
        "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];";
    "tcgen05" "9.7.16.8.4"
        ["tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a], {b..}; .shape = .32x32b .16x64b .16x128b .16x256b; .num = .x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128",
         "tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a], b, {c..}; .shape = .16x32bx2; .num = .x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128"]
        |m| moved(m, TensorMemoryOp::Store), "", "Stores from the lanes of a warp into tensor memory.",
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r3], {%r1, %r2};";
    "tcgen05" "9.7.16.8.5" ["tcgen05.wait::ld.sync.aligned"] |_| does(TensorMemoryOp::WaitLoads), "",
        "Waits for the warp's loads from tensor memory.", "tcgen05.wait::ld.sync.aligned;";
    "tcgen05" "9.7.16.8.5" ["tcgen05.wait::st.sync.aligned"] |_| does(TensorMemoryOp::WaitStores), "",
        "Waits for the warp's stores into tensor memory.", "tcgen05.wait::st.sync.aligned;";
    "tcgen05" "9.7.16.10.9.1"
        ["tcgen05.mma.group.kind{.collector} [a], b, c, x, {!}y{, z}; .group = .cta_group::1 .cta_group::2; .kind = .kind::f16 .kind::tf32; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], b, c, x, {m..}, {!}y{, z}; .group = .cta_group::1 .cta_group::2; .kind = .kind::f16 .kind::tf32; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], [b], c, x, {!}y{, z}; .group = .cta_group::1 .cta_group::2; .kind = .kind::f16 .kind::tf32; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], [b], c, x, {m..}, {!}y{, z}; .group = .cta_group::1 .cta_group::2; .kind = .kind::f16 .kind::tf32; .collector = .collector::a::fill .collector::a::discard"]
        product, "A · B + D · 2⁻ᶻ", "Starts a product of matrices into tensor memory.",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;";
    "tcgen05" "9.7.16.10.9.1"
        ["tcgen05.mma.group.kind{.collector} [a], b, c, x, {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::f8f6f4 .kind::i8; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], b, c, x, {m..}, {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::f8f6f4 .kind::i8; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], [b], c, x, {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::f8f6f4 .kind::i8; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind{.collector} [a], [b], c, x, {m..}, {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::f8f6f4 .kind::i8; .collector = .collector::a::fill .collector::a::discard"]
        product, "A · B + D (integers: no overflow)", "Starts a product of matrices of bytes into tensor memory.",
        "tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r2, %p1;";
    "tcgen05" "9.7.16.10.9.1"
        ["tcgen05.mma.group.kind.block_scale{.svec}{.collector} [a], b, c, x, [s], [t], {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4; .svec = .scale_vec::1X .scale_vec::2X .scale_vec::4X .block16 .block32; .collector = .collector::a::fill .collector::a::discard",
         "tcgen05.mma.group.kind.block_scale{.svec}{.collector} [a], [b], c, x, [s], [t], {!}y; .group = .cta_group::1 .cta_group::2; .kind = .kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4; .svec = .scale_vec::1X .scale_vec::2X .scale_vec::4X .block16 .block32; .collector = .collector::a::fill .collector::a::discard"]
        scaled, "(A · scale A) · (B · scale B) + D", "Starts a product of matrices whose blocks have scales in tensor memory.",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;";
    "tcgen05" "9.7.16.9.2"
        ["tcgen05.cp.group.shape [a], b; .group = .cta_group::1 .cta_group::2; .shape = .128x256b .128x128b .4x256b",
         "tcgen05.cp.group.shape.spread [a], b; .group = .cta_group::1 .cta_group::2; .shape = .64x128b .32x128b; .spread = .warpx2::02_13 .warpx2::01_23 .warpx4"]
        |m| does(TensorMemoryOp::Copy(TensorImage::named(m.get("shape")?, m.get("spread"), pair(m))?)), "",
        "Starts a copy from shared into tensor memory.",
        "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd1;";
    "tcgen05" "9.7.16.11.1" ["tcgen05.fence::before_thread_sync"] |_| does(TensorMemoryOp::Before), "",
        "Orders what the thread has started before what others do after a synchronization.",
        "tcgen05.fence::before_thread_sync;";
    "tcgen05" "9.7.16.11.1" ["tcgen05.fence::after_thread_sync"] |_| does(TensorMemoryOp::After), "",
        "Orders what the thread is about to start after what others have done before a synchronization.",
        "tcgen05.fence::after_thread_sync;";
    "tcgen05" "9.7.16.12.1"
        ["tcgen05.commit.group.mbarrier::arrive::one{.ss}.b64 [a]; .group = .cta_group::1 .cta_group::2; .ss = .shared::cluster",
         "tcgen05.commit.group.mbarrier::arrive::one{.ss}.multicast::cluster.b64 [a], b; .group = .cta_group::1 .cta_group::2; .ss = .shared::cluster"]
        |m| does(TensorMemoryOp::Commit { multicast: m.has("multicast::cluster"), pair: pair(m) }), "", "Arrives at a barrier object, or at those of several thread blocks, once the thread's products so far are over.",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];";
}
