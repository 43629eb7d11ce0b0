//! Products of a warpgroup (`wgmma`; PTX ISA 9.0, 9.7.15).
//!
//! Every shape and type of sm_90a, dense and sparse, A in registers or in shared memory.

use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::fragment::{Fragment, Part};
use crate::isa::table::Action;
use crate::isa::{Effect, MatrixOp, Pairing, Product, Sparsity, WarpgroupOp, WarpgroupProduct};

fn warpgroup(op: WarpgroupOp) -> Option<Action> {
    Some(Action::Effect(Effect::Matrix(MatrixOp::Warpgroup(op))))
}

/// A product of such elements of so many bits each; `m64n8k16` is a warp's `m16n8k16`.
fn multiply(m: &Choice<'_>, a: Format, b: Format, bits: u8) -> Option<Action> {
    let (_, extent) = m.get("shape")?.split_once('n')?;
    let (cols, depth) = extent.split_once('k')?;
    let (cols, depth): (u16, u16) = (cols.parse().ok()?, depth.parse().ok()?);
    let sparse = m.has("sp");
    let d = m.format("dtype").unwrap_or(Format::S32);
    let sum = Fragment::mma(Part::Sum, (16, cols, depth), d);
    let held = if sparse { depth / 2 } else { depth };
    warpgroup(WarpgroupOp::Multiply(WarpgroupProduct {
        product: Product {
            a: Fragment::narrow(Part::A, (16, cols, held), a, bits),
            b: Fragment::narrow(Part::B, (16, cols, depth), b, bits),
            c: sum,
            d: sum,
            saturate: m.has("satfinite"),
            pairing: if bits == 1 { Pairing::And } else { Pairing::Multiply },
            sparsity: sparse.then_some(Sparsity { ordered: false }),
            scales: None,
        },
        shared: !m.gives_fragment(),
    }))
}

fn same(m: &Choice<'_>, format: Format) -> Option<Action> {
    multiply(m, format, format, format.bits() as u8)
}

/// The types of A and B as written.
fn named(m: &Choice<'_>) -> Option<Action> {
    multiply(m, m.format("atype")?, m.format("btype")?, 8)
}

/// The shapes of 64 rows and every number of columns that is a multiple of 8.
macro_rules! floats {
    ($depth:literal) => {
        columns!($depth 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208 216
            224 232 240 248 256)
    };
}

/// The same for integers, whose columns are multiples of 16 from 32 on.
macro_rules! integers {
    ($depth:literal) => {
        columns!($depth 8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256)
    };
}

macro_rules! columns {
    ($depth:literal $($cols:literal)*) => { concat!("; .shape =", $(" .m64n", $cols, $depth),*) };
}

const MULTIPLY: &str = "Starts a product of a warpgroup.";

rows! {
    "wgmma" "9.7.15.7.1" ["wgmma.fence.sync.aligned"] |_| warpgroup(WarpgroupOp::Fence), "",
        "Orders what the warp has done with registers before the products to come.", "wgmma.fence.sync.aligned;";
    "wgmma" "9.7.15.7.2" ["wgmma.commit_group.sync.aligned"] |_| warpgroup(WarpgroupOp::Commit), "",
        "Makes the products since the last group a group.", "wgmma.commit_group.sync.aligned;";
    "wgmma" "9.7.15.7.3" ["wgmma.wait_group.sync.aligned a"] |_| warpgroup(WarpgroupOp::Wait), "",
        "Waits until at most the newest a groups still run.", "wgmma.wait_group.sync.aligned 0;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape.dtype.f16.f16 {d..}, a, b, c, x, y, z, w; .dtype = .f16 .f32", floats!("k16")),
         concat!("wgmma.mma_async.sync.aligned.shape.dtype.f16.f16 {d..}, {a..}, b, c, x, y, w; .dtype = .f16 .f32", floats!("k16")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16 {d..}, a, b, m, s, c, x, y, z, w; .dtype = .f16 .f32", floats!("k32")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16 {d..}, {a..}, b, m, s, c, x, y, w; .dtype = .f16 .f32", floats!("k32"))]
        |m| same(m, Format::F16), "A · B + D", MULTIPLY,
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape.dtype.bf16.bf16 {d..}, a, b, c, x, y, z, w; .dtype = .f32", floats!("k16")),
         concat!("wgmma.mma_async.sync.aligned.shape.dtype.bf16.bf16 {d..}, {a..}, b, c, x, y, w; .dtype = .f32", floats!("k16")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.bf16.bf16 {d..}, a, b, m, s, c, x, y, z, w; .dtype = .f32", floats!("k32")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.bf16.bf16 {d..}, {a..}, b, m, s, c, x, y, w; .dtype = .f32", floats!("k32"))]
        |m| same(m, Format::Bf16), "A · B + D", MULTIPLY,
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %rd2, %p1, 1, 1, 0;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape.dtype.tf32.tf32 {d..}, a, b, c, x, y; .dtype = .f32", floats!("k8")),
         concat!("wgmma.mma_async.sync.aligned.shape.dtype.tf32.tf32 {d..}, {a..}, b, c, x, y; .dtype = .f32", floats!("k8")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.tf32.tf32 {d..}, a, b, m, s, c, x, y; .dtype = .f32", floats!("k16")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.tf32.tf32 {d..}, {a..}, b, m, s, c, x, y; .dtype = .f32", floats!("k16"))]
        |m| same(m, Format::Tf32), "A · B + D", MULTIPLY,
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, -1;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape.dtype.atype.btype {d..}, a, b, c, x, y; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2", floats!("k32")),
         concat!("wgmma.mma_async.sync.aligned.shape.dtype.atype.btype {d..}, {a..}, b, c, x, y; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2", floats!("k32")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype {d..}, a, b, m, s, c, x, y; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2", floats!("k64")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype {d..}, {a..}, b, m, s, c, x, y; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2", floats!("k64"))]
        named, "A · B + D", MULTIPLY,
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype {d..}, a, b, c; .atype = .s8 .u8; .btype = .s8 .u8", integers!("k32")),
         concat!("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype {d..}, {a..}, b, c; .atype = .s8 .u8; .btype = .s8 .u8", integers!("k32")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype {d..}, a, b, m, s, c; .atype = .s8 .u8; .btype = .s8 .u8", integers!("k64")),
         concat!("wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype {d..}, {a..}, b, m, s, c; .atype = .s8 .u8; .btype = .s8 .u8", integers!("k64"))]
        named, "A · B + D (no overflow)", MULTIPLY,
        "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1;";
    "wgmma" "9.7.15.5.2"
        [concat!("wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc {d..}, a, b, c", integers!("k256")),
         concat!("wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc {d..}, {a..}, b, c", integers!("k256"))]
        |m| multiply(m, Format::U8, Format::U8, 1), "set bits of A and B, + D (concrete A and B, no overflow)",
        "Starts a product of bit matrices of a warpgroup.",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1;";
}
