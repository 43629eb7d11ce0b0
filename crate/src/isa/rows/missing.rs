//! Instructions whose meaning is still missing, so that the coverage table is honest: they parse
//! and lower, and are *unsupported* if a thread executes them.

use crate::isa::table::{Row, Support};

macro_rules! missing {
    ($($name:literal $section:literal $family:literal $form:literal $summary:literal $example:literal;)*) => {
        pub(super) const ROWS: &[Row] = &[$(Row {
            name: $name,
            forms: &[$form],
            build: |_| None,
            real: "",
            section: $section,
            summary: $summary,
            example: $example,
            support: Support::Missing($family),
        }),*];
    };
}

missing! {
    "cp" "9.7.9.25.4.2" "clusters of thread blocks" "cp.reduce.async.bulk ..."
        "Adds to the shared memory of the cluster in the background." "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], 1024, [%r3];";
    "cp" "9.7.9.25.5" "tensor copies of pixels with their halos (Blackwell)" "cp.bulk.tensor.mode ...; .mode = .im2col::w .im2col::w::128"
        "Copies pixels along the rows of images in the background." "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r3, %r4, %r5}], [%r6], {%rs1, %rs2};";
    "cp" "9.7.9.25.4" "bulk copies of masked bytes (Blackwell)" "cp.async.bulk ..."
        "Copies masked bytes in the background." "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r2], 16, %rs1;";
    "tcgen05" "9.7.16.10.9" "sparse and weight-stationary products in tensor memory (Blackwell)" "tcgen05.mma.way ...; .way = .sp .ws"
        "Starts a product of a sparse matrix, or one that keeps B." "tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r3], %r2, %p1;";
    "tcgen05" "9.7.16.10.9" "operands of products that the tensor core keeps (Blackwell)" "tcgen05.mma.use ...; .use = .collector::a::use .collector::a::lastuse .ashift"
        "Starts a product with a matrix that is there already, or that is shifted." "tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r1], %rd1, %rd2, %r2, %p1;";
    "tcgen05" "9.7.16.9" "copies into tensor memory that make bytes of less: where in its byte a number lands is a figure (Blackwell)" "tcgen05.cp.unpack ...; .unpack = .b8x16"
        "Copies floats of four or six bits from shared into tensor memory, as bytes." "tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32 [%r1], %rd1;";
    "tcgen05" "9.7.16.9" "shifts in tensor memory: which way rows go is a figure (Blackwell)" "tcgen05.shift ..."
        "Shifts rows of tensor memory by a lane." "tcgen05.shift.cta_group::1.down [%r1];";
    "tcgen05" "9.7.16.8.3" "loads from tensor memory that reduce (Blackwell)" "tcgen05.ld.red ..."
        "Loads from tensor memory, and reduces each lane." "tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%r1, %r2}, %r4, [%r3];";
    "multimem" "9.7.9.14" "several GPUs" "multimem ..."
        "Accesses memory of several devices." "multimem.red.add.u32 [%rd1], %r1;";
    "st" "9.7.9.12" "stores to global memory in the background (Blackwell)" "st.async.global ..."
        "Stores to global memory in the background." "st.async.release.gpu.global.b32 [%rd1], %r2;";
    "red" "9.7.13.7" "stores to global memory in the background (Blackwell)" "red.async.global ..."
        "Changes global memory in the background." "red.async.release.gpu.global.add.u32 [%rd1], %r2;";
    "atom" "9.7.13.5" "atomics of 128 bits" "atom.b128 ..."
        "Exchanges 128 bits in one step." "atom.global.exch.b128 %rd1, [%rd2], %rd3;";
    "fma" "9.7.4.4" "NaNs that stand for what lies out of bounds (Hopper copies)" "fma.oob ..."
        "Multiplies and adds halves, and treats elements out of bounds as zeros." "fma.rn.oob.f16 %rs1, %rs2, %rs3, %rs4;";
    "cvt" "9.7.9.21" "stochastic rounding (Blackwell)" "cvt.rs ..."
        "Converts with bits that decide how to round." "cvt.rs.f16x2.f32 %r1, %f2, %f3, %r4;";
    "mma" "9.7.14.6.3" "sparse products with scales of blocks (Blackwell)" "mma.spvariant.block_scale ...; .spvariant = .sp .sp::ordered_metadata"
        "Multiplies matrices whose blocks have scales, the left one without its zeros." "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0x0, %r1, {0, 0}, %r2, {0, 0};";
    "ldmatrix" "9.7.14.5.15" "transposed matrices of bytes, whose fragments are figures (Blackwell)" "ldmatrix.shape ...; .shape = .m16n16"
        "Loads matrices of bytes into the lanes of a warp." "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];";
    "stmatrix" "9.7.14.5.16" "transposed matrices of bytes, whose fragments are figures (Blackwell)" "stmatrix.shape ...; .shape = .m16n8"
        "Stores matrices of bytes from the lanes of a warp." "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};";
}
