//! Tensor cores: `mma`, `wmma`, and what moves fragments (PTX ISA 9.0, 9.7.14).
//!
//! Every shape and type of sm_80 to sm_90, and the dense ones of sm_120.

use super::moves::space;
use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::fragment::{Fragment, Part};
use crate::isa::table::Action;
use crate::isa::{Effect, MatrixOp, Pairing, Product, Scales, Space, Sparsity, Stored, Tiles};

fn matrix(op: MatrixOp) -> Option<Action> {
    Some(Action::Effect(Effect::Matrix(op)))
}

/// `m16n8k16` → (16, 8, 16).
fn shape(m: &Choice<'_>) -> Option<(u16, u16, u16)> {
    let (rows, rest) = m.get("shape")?[1..].split_once('n')?;
    let (cols, depth) = rest.split_once('k')?;
    Some((rows.parse().ok()?, cols.parse().ok()?, depth.parse().ok()?))
}

/// The formats of D, A, B, C, as far as the form lets one choose.
fn formats(m: &Choice<'_>, fixed: [Option<Format>; 4]) -> Option<[Format; 4]> {
    let keys = ["dtype", "atype", "btype", "ctype"];
    let mut formats = [Format::F32; 4];
    for ((format, key), fixed) in formats.iter_mut().zip(keys).zip(fixed) {
        *format = match fixed {
            Some(fixed) => fixed,
            None => m.format(key)?,
        };
    }
    Some(formats)
}

fn mma(m: &Choice<'_>, fixed: [Option<Format>; 4]) -> Option<Action> {
    let shape = shape(m)?;
    let [d, a, b, c] = formats(m, fixed)?;
    matrix(MatrixOp::Multiply(Product {
        a: Fragment::mma(Part::A, shape, a),
        b: Fragment::mma(Part::B, shape, b),
        c: Fragment::mma(Part::Sum, shape, c),
        d: Fragment::mma(Part::Sum, shape, d),
        saturate: m.has("satfinite"),
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: None,
    }))
}

/// Volta's quad pairs: four products at once.
fn quads(m: &Choice<'_>) -> Option<Action> {
    let [d, a, b, c] = formats(m, [ALL, F16, F16, ALL])?;
    let allowed = c == Format::F16 || d == Format::F32;
    let product = Product {
        a: Fragment::quads(Part::A, a, m.get("alayout")? == "col"),
        b: Fragment::quads(Part::B, b, m.get("blayout")? == "col"),
        c: Fragment::quads(Part::Sum, c, false),
        d: Fragment::quads(Part::Sum, d, false),
        saturate: false,
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: None,
    };
    allowed.then(|| matrix(MatrixOp::Multiply(product)))?
}

/// Elements of four bits.
fn nibbles(m: &Choice<'_>, part: Part, key: &str) -> Option<Fragment> {
    let format = if m.get(key)? == "s4" { Format::S8 } else { Format::U8 };
    Some(Fragment::narrow(part, shape(m)?, format, 4))
}

fn four_bits(m: &Choice<'_>) -> Option<Action> {
    let sum = Fragment::mma(Part::Sum, shape(m)?, Format::S32);
    matrix(MatrixOp::Multiply(Product {
        a: nibbles(m, Part::A, "atype")?,
        b: nibbles(m, Part::B, "btype")?,
        c: sum,
        d: sum,
        saturate: m.has("satfinite"),
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: None,
    }))
}

fn one_bit(m: &Choice<'_>) -> Option<Action> {
    let sum = Fragment::mma(Part::Sum, shape(m)?, Format::S32);
    matrix(MatrixOp::Multiply(Product {
        a: Fragment::narrow(Part::A, shape(m)?, Format::U8, 1),
        b: Fragment::narrow(Part::B, shape(m)?, Format::U8, 1),
        c: sum,
        d: sum,
        saturate: false,
        pairing: if m.get("bitOp")? == "xor" { Pairing::Xor } else { Pairing::And },
        sparsity: None,
        scales: None,
    }))
}

/// Floats of at most eight bits, a byte each (`kind::f8f6f4`).
fn in_bytes(m: &Choice<'_>) -> Option<Product> {
    let shape = shape(m)?;
    let [d, a, b, c] = formats(m, [ALL; 4])?;
    Some(Product {
        a: Fragment::narrow(Part::A, shape, a, 8),
        b: Fragment::narrow(Part::B, shape, b, 8),
        c: Fragment::mma(Part::Sum, shape, c),
        d: Fragment::mma(Part::Sum, shape, d),
        saturate: false,
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: None,
    })
}

/// The factors of blocks, for so many of them where the instruction does not say.
fn scales(m: &Choice<'_>, usual: u8) -> Option<Scales> {
    let blocks = match m.get("svec") {
        Some(name) => name.strip_prefix("scale_vec::")?[..1].parse().ok()?,
        None => usual,
    };
    let format = if m.get("stype")? == "ue8m0" { Format::Ue8m0 } else { Format::E4m3 };
    // E4M3 has blocks of sixteen alone.
    (format == Format::Ue8m0 || blocks == 4).then_some(Scales { format, blocks })
}

/// Scaled floats of at most eight bits (`kind::mxf8f6f4`).
fn scaled_bytes(m: &Choice<'_>) -> Option<Action> {
    matrix(MatrixOp::Multiply(Product { scales: Some(scales(m, 1)?), ..in_bytes(m)? }))
}

/// Scaled floats of four bits, eight a register (`kind::mxf4`, `kind::mxf4nvf4`).
fn scaled_nibbles(m: &Choice<'_>) -> Option<Action> {
    let (shape, sum) = (shape(m)?, Fragment::mma(Part::Sum, shape(m)?, Format::F32));
    matrix(MatrixOp::Multiply(Product {
        a: Fragment::mma(Part::A, shape, Format::E2m1),
        b: Fragment::mma(Part::B, shape, Format::E2m1),
        c: sum,
        d: sum,
        saturate: false,
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: Some(scales(m, 2)?),
    }))
}

/// A left matrix without its zeros: half of the columns.
fn sparse(m: &Choice<'_>, dense: Option<Action>) -> Option<Action> {
    let Action::Effect(Effect::Matrix(MatrixOp::Multiply(mut product))) = dense? else { return None };
    let shape = (product.a.rows, product.b.cols, product.a.cols / 2);
    product.a = Fragment::narrow(Part::A, shape, product.a.format, product.a.bits);
    product.sparsity = Some(Sparsity { ordered: m.get("spvariant")? == "sp::ordered_metadata" });
    matrix(MatrixOp::Multiply(product))
}

fn wmma(m: &Choice<'_>, fixed: [Option<Format>; 4]) -> Option<Action> {
    let shape = shape(m)?;
    let [d, a, b, c] = formats(m, fixed)?;
    matrix(MatrixOp::Multiply(Product {
        a: Fragment::wmma(Part::A, shape, a, m.get("alayout")? == "col")?,
        b: Fragment::wmma(Part::B, shape, b, m.get("blayout")? == "col")?,
        c: Fragment::wmma(Part::Sum, shape, c, false)?,
        d: Fragment::wmma(Part::Sum, shape, d, false)?,
        saturate: m.has("satfinite"),
        pairing: Pairing::Multiply,
        sparsity: None,
        scales: None,
    }))
}

/// `wmma` on elements of four bits or one.
fn wmma_narrow(m: &Choice<'_>) -> Option<Action> {
    let shape = shape(m)?;
    let sum = Fragment::wmma(Part::Sum, shape, Format::S32, false)?;
    if m.get("atype") != m.get("btype") {
        return None;
    }
    let pairing = match m.get("bitOp") {
        None => Pairing::Multiply,
        Some("xor") => Pairing::Xor,
        Some(_) => Pairing::And,
    };
    let narrow = |part, key| match m.get(key) {
        Some("s4") => Fragment::wmma_narrow(part, shape, Format::S8, 4),
        Some(_) => Fragment::wmma_narrow(part, shape, Format::U8, 4),
        None => Fragment::wmma_narrow(part, shape, Format::U8, 1),
    };
    matrix(MatrixOp::Multiply(Product {
        a: narrow(Part::A, "atype")?,
        b: narrow(Part::B, "btype")?,
        c: sum,
        d: sum,
        saturate: m.has("satfinite"),
        pairing,
        sparsity: None,
        scales: None,
    }))
}

fn stored_narrow(m: &Choice<'_>, part: Part) -> Option<Action> {
    let space = m.get("ss").map_or(Some(Space::Generic), |name| space(Some(name)))?;
    let (format, bits) = match m.get("type")? {
        "s4" => (Format::S8, 4),
        "u4" => (Format::U8, 4),
        _ => (Format::U8, 1),
    };
    let fragment = Fragment::wmma_narrow(part, shape(m)?, format, bits)?;
    matrix(MatrixOp::Load(Stored { space, fragment, column: part == Part::B }))
}

fn tiles(m: &Choice<'_>) -> Option<Tiles> {
    let space = m.get("ss").map_or(Some(Space::Generic), |name| space(Some(name)))?;
    let unpacked = match m.get("from") {
        Some("b6x16_p32") => 6,
        Some("b4x16_p64") => 4,
        _ => 0,
    };
    Some(Tiles { space, count: m.get("num")?[1..].parse().ok()?, transposed: m.has("trans"), unpacked })
}

fn stored(m: &Choice<'_>, part: Part) -> Option<Stored> {
    let space = m.get("ss").map_or(Some(Space::Generic), |name| space(Some(name)))?;
    let column = m.get("layout")? == "col";
    Some(Stored { space, fragment: Fragment::wmma(part, shape(m)?, m.format("type")?, column)?, column })
}

const ALL: Option<Format> = None;
const F16: Option<Format> = Some(Format::F16);
const BF16: Option<Format> = Some(Format::Bf16);
const TF32: Option<Format> = Some(Format::Tf32);
const F32: Option<Format> = Some(Format::F32);
const F64: Option<Format> = Some(Format::F64);
const S32: Option<Format> = Some(Format::S32);

rows! {
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.dtype.f16.f16.ctype {d..}, {a..}, {b..}, {c..}; .shape = .m16n8k8 .m16n8k16; .dtype = .f16 .f32; .ctype = .f16 .f32"]
        |m| mma(m, [ALL, F16, F16, ALL]), "A · B + C",
        "Multiplies f16 matrices held by a warp.", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.f32.bf16.bf16.f32 {d..}, {a..}, {b..}, {c..}; .shape = .m16n8k8 .m16n8k16"]
        |m| mma(m, [F32, BF16, BF16, F32]), "A · B + C",
        "Multiplies bf16 matrices held by a warp.", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.f32.tf32.tf32.f32 {d..}, {a..}, {b..}, {c..}; .shape = .m16n8k4 .m16n8k8"]
        |m| mma(m, [F32, TF32, TF32, F32]), "A · B + C",
        "Multiplies tf32 matrices held by a warp.", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col{.rnd}.f64.f64.f64.f64 {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k4 .m16n8k4 .m16n8k8 .m16n8k16; .rnd = .rn .rz .rm .rp"]
        |m| mma(m, [F64, F64, F64, F64]), "A · B + C",
        "Multiplies f64 matrices held by a warp.", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k16 .m16n8k16 .m16n8k32; .atype = .u8 .s8; .btype = .u8 .s8"]
        |m| mma(m, [S32, ALL, ALL, S32]), "A · B + C (no overflow)",
        "Multiplies matrices of bytes held by a warp.", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype {d..}, {a..}, {b..}, {c..}; .shape = .m16n8k16 .m16n8k32; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2; .ctype = .f16 .f32"]
        |m| mma(m, [ALL, ALL, ALL, ALL]), "A · B + C",
        "Multiplies fp8 matrices held by a warp.", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype {d..}, {a..}, {b..}, {c..}; .shape = .m16n8k32; .kind = .kind::f8f6f4; .dtype = .f16 .f32; .atype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .btype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .ctype = .f16 .f32"]
        |m| matrix(MatrixOp::Multiply(in_bytes(m)?)), "A · B + C",
        "Multiplies matrices of floats of four to eight bits, each in a byte, held by a warp.", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.kind.block_scale{.svec}.dtype.atype.btype.ctype.stype {d..}, {a..}, {b..}, {c..}, x, {y, z}, u, {v, w}; .shape = .m16n8k32; .kind = .kind::mxf8f6f4; .svec = .scale_vec::1X; .dtype = .f32; .atype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .btype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .ctype = .f32; .stype = .ue8m0"]
        scaled_bytes, "(A · scale A) · (B · scale B) + C",
        "Multiplies matrices of floats of four to eight bits, each row of A and column of B with a scale.", "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {0, 0}, %r8, {0, 0};";
    "mma" "9.7.14.5.14"
        ["mma.sync.aligned.shape.row.col.kind.block_scale{.svec}.f32.e2m1.e2m1.f32.stype {d..}, {a..}, {b..}, {c..}, x, {y, z}, u, {v, w}; .shape = .m16n8k64; .kind = .kind::mxf4; .svec = .scale_vec::2X; .stype = .ue8m0",
         "mma.sync.aligned.shape.row.col.kind.block_scale.svec.f32.e2m1.e2m1.f32.stype {d..}, {a..}, {b..}, {c..}, x, {y, z}, u, {v, w}; .shape = .m16n8k64; .kind = .kind::mxf4nvf4; .svec = .scale_vec::2X .scale_vec::4X; .stype = .ue8m0 .ue4m3"]
        scaled_nibbles, "(A · scale A) · (B · scale B) + C",
        "Multiplies matrices of 4-bit floats, blocks of 32 or 16 of each row of A and column of B with a scale.", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {0, 0}, %r8, {0, 0};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype {d..}, {a..}, {b..}, {c..}; .alayout = .row .col; .blayout = .row .col; .dtype = .f16 .f32; .ctype = .f16 .f32"]
        quads, "A · B + C, four times",
        "Multiplies four pairs of f16 matrices held by the quad pairs of a warp.", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k32 .m16n8k32 .m16n8k64; .atype = .u4 .s4; .btype = .u4 .s4"]
        four_bits, "A · B + C (concrete A and B, no overflow)",
        "Multiplies matrices of 4-bit integers held by a warp.", "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};";
    "mma" "9.7.14.5.14" ["mma.sync.aligned.shape.row.col.s32.b1.b1.s32.bitOp.popc {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k128 .m16n8k128 .m16n8k256; .bitOp = .xor .and"]
        one_bit, "set bits of A op B, + C (concrete A and B, no overflow)",
        "Counts the bits in which rows and columns of bit matrices differ, or that they share.", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};";
    "mma" "9.7.14.6.3" ["mma.spvariant.sync.aligned.shape.row.col.dtype.f16.f16.ctype {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k16 .m16n8k32; .dtype = .f16 .f32; .ctype = .f16 .f32"]
        |m| sparse(m, mma(m, [ALL, F16, F16, ALL])), "A · B + C (concrete metadata)",
        "Multiplies f16 matrices, the left one without its zeros.", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x0;";
    "mma" "9.7.14.6.3" ["mma.spvariant.sync.aligned.shape.row.col.f32.bf16.bf16.f32 {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k16 .m16n8k32"]
        |m| sparse(m, mma(m, [F32, BF16, BF16, F32])), "A · B + C (concrete metadata)",
        "Multiplies bf16 matrices, the left one without its zeros.", "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x1;";
    "mma" "9.7.14.6.3" ["mma.spvariant.sync.aligned.shape.row.col.f32.tf32.tf32.f32 {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k8 .m16n8k16"]
        |m| sparse(m, mma(m, [F32, TF32, TF32, F32])), "A · B + C (concrete metadata)",
        "Multiplies tf32 matrices, the left one without its zeros.", "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x3;";
    "mma" "9.7.14.6.3"
        ["mma.spvariant.sync.aligned.shape.row.col.dtype.atype.btype.ctype {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k64; .dtype = .f16 .f32; .atype = .e4m3 .e5m2; .btype = .e4m3 .e5m2; .ctype = .f16 .f32",
         "mma.spvariant.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp::ordered_metadata; .shape = .m16n8k64; .kind = .kind::f8f6f4; .dtype = .f16 .f32; .atype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .btype = .e4m3 .e5m2 .e2m3 .e3m2 .e2m1; .ctype = .f16 .f32"]
        |m| sparse(m, matrix(MatrixOp::Multiply(in_bytes(m)?))), "A · B + C (concrete metadata)",
        "Multiplies matrices of floats of four to eight bits, the left one without its zeros.", "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0x0;";
    "mma" "9.7.14.6.3" ["mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k32 .m16n8k64; .atype = .u8 .s8; .btype = .u8 .s8"]
        |m| sparse(m, mma(m, [S32, ALL, ALL, S32])), "A · B + C (concrete metadata, no overflow)",
        "Multiplies matrices of bytes, the left one without its zeros.", "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4}, %r9, 0x0;";
    "mma" "9.7.14.6.3" ["mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 {d..}, {a..}, {b..}, {c..}, m, s; .spvariant = .sp .sp::ordered_metadata; .shape = .m16n8k64 .m16n8k128; .atype = .u4 .s4; .btype = .u4 .s4"]
        |m| sparse(m, four_bits(m)), "A · B + C (concrete A, B and metadata, no overflow)",
        "Multiplies matrices of 4-bit integers, the left one without its zeros.", "mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4}, %r9, 0x0;";
    "ldmatrix" "9.7.14.5.15" ["ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 {d..}, [a]; .num = .x1 .x2 .x4; .ss = .shared .shared::cta"]
        |m| matrix(MatrixOp::LoadTiles(tiles(m)?)), "what is stored there",
        "Loads 8×8 matrices into the lanes of a warp.", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];";
    "ldmatrix" "9.7.14.5.15" ["ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.from {d..}, [a]; .num = .x1 .x2 .x4; .ss = .shared .shared::cta; .from = .b6x16_p32 .b4x16_p64"]
        |m| matrix(MatrixOp::LoadTiles(tiles(m)?)), "what is stored there",
        "Loads 8×16 matrices of four or six bits into the lanes of a warp, each element at the low end of a byte.", "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r1}, [%r2];";
    "stmatrix" "9.7.14.5.16" ["stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], {b..}; .num = .x1 .x2 .x4; .ss = .shared .shared::cta"]
        |m| matrix(MatrixOp::StoreTiles(tiles(m)?)), "stores the values",
        "Stores 8×8 matrices from the lanes of a warp.", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};";
    "movmatrix" "9.7.14.5.17" ["movmatrix.sync.aligned.m8n8.trans.b16 d, a"]
        |_| matrix(MatrixOp::Transpose), "the values",
        "Transposes an 8×8 matrix across a warp.", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;";
    "wmma" "9.7.14.4.3"
        ["wmma.load.a.sync.aligned.layout.shape{.ss}.type {d..}, [a]{, b}; .layout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16 .m16n16k8 .m8n8k4; .ss = .global .shared .shared::cta; .type = .f16 .bf16 .tf32 .f64 .u8 .s8"]
        |m| matrix(MatrixOp::Load(stored(m, Part::A)?)), "what is stored there",
        "Loads the fragment of the left matrix.", "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%fd1}, [%rd1], %r1;";
    "wmma" "9.7.14.4.3"
        ["wmma.load.b.sync.aligned.layout.shape{.ss}.type {d..}, [a]{, b}; .layout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16 .m16n16k8 .m8n8k4; .ss = .global .shared .shared::cta; .type = .f16 .bf16 .tf32 .f64 .u8 .s8"]
        |m| matrix(MatrixOp::Load(stored(m, Part::B)?)), "what is stored there",
        "Loads the fragment of the right matrix.", "wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%fd1}, [%rd1], %r1;";
    "wmma" "9.7.14.4.3"
        ["wmma.load.c.sync.aligned.layout.shape{.ss}.type {d..}, [a]{, b}; .layout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16 .m16n16k8 .m8n8k4 .m8n8k32 .m8n8k128; .ss = .global .shared .shared::cta; .type = .f16 .f32 .f64 .s32"]
        |m| matrix(MatrixOp::Load(stored(m, Part::Sum)?)), "what is stored there",
        "Loads the fragment of the sum.", "wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%fd1, %fd2}, [%rd1], %r1;";
    "wmma" "9.7.14.4.4"
        ["wmma.store.d.sync.aligned.layout.shape{.ss}.type [a], {b..}{, c}; .layout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16 .m16n16k8 .m8n8k4 .m8n8k32 .m8n8k128; .ss = .global .shared .shared::cta; .type = .f16 .f32 .f64 .s32"]
        |m| matrix(MatrixOp::Store(stored(m, Part::Sum)?)), "stores the values",
        "Stores the fragment of the sum.", "wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%rd1], {%fd1, %fd2}, %r1;";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.sync.aligned.alayout.blayout.shape{.satfinite}.dtype.ctype {d..}, {a..}, {b..}, {c..}; .alayout = .row .col; .blayout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16; .dtype = .f16 .f32; .ctype = .f16 .f32"]
        |m| wmma(m, [ALL, F16, F16, ALL]), "A · B + C",
        "Multiplies fragments of f16.", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.sync.aligned.alayout.blayout.shape.f32.atype.btype.f32 {d..}, {a..}, {b..}, {c..}; .alayout = .row .col; .blayout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16 .m16n16k8; .atype = .bf16 .tf32; .btype = .bf16 .tf32"]
        |m| (m.get("atype") == m.get("btype")).then(|| wmma(m, [F32, ALL, ALL, F32]))?, "A · B + C",
        "Multiplies fragments of bf16 or tf32.", "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.f64.f64.f64.f64 {d..}, {a..}, {b..}, {c..}; .alayout = .row .col; .blayout = .row .col; .shape = .m8n8k4; .rnd = .rn .rz .rm .rp"]
        |m| wmma(m, [F64, F64, F64, F64]), "A · B + C",
        "Multiplies fragments of f64.", "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.sync.aligned.alayout.blayout.shape.s32.atype.btype.s32{.satfinite} {d..}, {a..}, {b..}, {c..}; .alayout = .row .col; .blayout = .row .col; .shape = .m16n16k16 .m8n32k16 .m32n8k16; .atype = .u8 .s8; .btype = .u8 .s8"]
        |m| wmma(m, [S32, ALL, ALL, S32]), "A · B + C (no overflow)",
        "Multiplies fragments of bytes.", "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};";
    "wmma" "9.7.14.4.3"
        ["wmma.load.a.sync.aligned.row.shape{.ss}.type {d..}, [a]{, b}; .shape = .m8n8k32 .m8n8k128; .ss = .global .shared .shared::cta; .type = .s4 .u4 .b1"]
        |m| stored_narrow(m, Part::A), "what is stored there",
        "Loads the fragment of a left matrix of 4-bit integers or bits.", "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r1}, [%rd1], %r2;";
    "wmma" "9.7.14.4.3"
        ["wmma.load.b.sync.aligned.col.shape{.ss}.type {d..}, [a]{, b}; .shape = .m8n8k32 .m8n8k128; .ss = .global .shared .shared::cta; .type = .s4 .u4 .b1"]
        |m| stored_narrow(m, Part::B), "what is stored there",
        "Loads the fragment of a right matrix of 4-bit integers or bits.", "wmma.load.b.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%rd1], %r2;";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.sync.aligned.row.col.shape.s32.atype.btype.s32{.satfinite} {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k32; .atype = .u4 .s4; .btype = .u4 .s4"]
        wmma_narrow, "A · B + C (concrete A and B, no overflow)",
        "Multiplies fragments of 4-bit integers.", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};";
    "wmma" "9.7.14.4.5"
        ["wmma.mma.bitOp.popc.sync.aligned.row.col.shape.s32.b1.b1.s32 {d..}, {a..}, {b..}, {c..}; .shape = .m8n8k128; .bitOp = .xor .and"]
        wmma_narrow, "set bits of A op B, + C (concrete A and B, no overflow)",
        "Counts the bits in which rows and columns of bit fragments differ, or that they share.", "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};";
}
