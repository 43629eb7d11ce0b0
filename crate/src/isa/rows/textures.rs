//! Textures and surfaces (PTX ISA 9.0, 9.7.10 and 9.7.11).
//!
//! A texture is read through coordinates, a sampler says how; a surface is memory with coordinates. What both view
//! is for the spec to say. Depth comparisons, samples of multi-sampled textures and numbers for formats are *unsupported*.

use crate::base::Format;
use crate::isa::form::Choice;
use crate::isa::table::{Action, Row, Support, SurfaceAccess, ViewOp};
use crate::isa::{AtomicOp, Fetch, Geometry, Inquiry, Level, Outside, SurfacePlace, ViewKind};

fn geometry(m: &Choice<'_>) -> Option<Geometry> {
    let (axes, layered, cube) = match m.get("geom")? {
        "1d" => (1, false, false),
        "2d" => (2, false, false),
        "3d" => (3, false, false),
        "a1d" => (1, true, false),
        "a2d" => (2, true, false),
        "cube" => (2, false, true),
        "acube" => (2, true, true),
        _ => return None,
    };
    Some(Geometry { axes, layered, cube })
}

fn fetch(m: &Choice<'_>) -> Option<Action> {
    let samples = matches!(m.get("geom"), Some("2dms" | "a2dms"));
    let integers = m.get("ctype") == Some("s32");
    if samples {
        return integers.then_some(Action::View(ViewOp::Samples));
    }
    let geometry = geometry(m)?;
    if geometry.cube && integers {
        return None;
    }
    let packed = m.has("f16x2");
    let level = match m.get("lod") {
        Some("level") => Level::Number,
        Some("grad") => Level::Gradient,
        _ => Level::Base,
    };
    let result = if packed { Format::F16 } else { m.format("dtype")? };
    let (offset, resident) = (false, false);
    let fetch = Fetch { geometry, integers, result, packed, level, offset, resident, gather: None };
    Some(Action::View(ViewOp::Fetch(fetch)))
}

fn gather(m: &Choice<'_>) -> Option<Action> {
    let component = ["r", "g", "b", "a"].iter().position(|name| m.get("comp") == Some(name))? as u8;
    Some(Action::View(ViewOp::Fetch(Fetch {
        geometry: geometry(m)?,
        integers: false,
        result: m.format("dtype")?,
        packed: false,
        level: Level::Base,
        offset: false,
        resident: false,
        gather: Some(component),
    })))
}

fn inquire(m: &Choice<'_>) -> Option<Action> {
    let what = match m.get("query")? {
        "width" => Inquiry::Width,
        "height" => Inquiry::Height,
        "depth" => Inquiry::Depth,
        "array_size" => Inquiry::ArraySize,
        "normalized_coords" => Inquiry::NormalizedCoordinates,
        "num_mipmap_levels" => Inquiry::Levels,
        "num_samples" => Inquiry::Samples,
        _ => return Some(Action::View(ViewOp::InquireFormat)),
    };
    Some(Action::View(ViewOp::Inquire(what)))
}

fn surface(m: &Choice<'_>, access: SurfaceAccess) -> Option<Action> {
    let outside = match m.get("clamp") {
        None | Some("trap") => Outside::Trap,
        Some("clamp") => Outside::Clamp,
        Some("zero") => Outside::Zero,
        _ => return None,
    };
    let (format, vector) = (m.format("type")?, m.vector());
    let place = SurfacePlace {
        geometry: geometry(m)?,
        outside,
        formatted: m.has("p"),
        bytes: format.bytes() * u32::from(vector),
        reads: access == SurfaceAccess::Load,
    };
    Some(Action::View(ViewOp::Surface { place, format, vector, access }))
}

fn reduce(m: &Choice<'_>) -> Option<Action> {
    let op = match m.get("op")? {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        _ => return None,
    };
    let legal = match (m.get("type")?, op) {
        _ if m.has("p") && m.get("type") == Some("b64") => matches!(op, AtomicOp::Min | AtomicOp::Max),
        _ if m.has("p") => true,
        ("u32" | "s32" | "u64", AtomicOp::Add) => true,
        ("b32", AtomicOp::And | AtomicOp::Or) => true,
        ("u32" | "s32" | "u64" | "s64", AtomicOp::Min | AtomicOp::Max) => true,
        _ => false,
    };
    if legal { surface(m, SurfaceAccess::Reduce(op)) } else { None }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "tex",
        forms: &[
            "tex{.lod}.geom.v4.dtype.ctype {d..}{|p}, [a, c]{, lod}{, dPdx}{, dPdy}{, offset}{, compare}; .lod = .base .level .grad; .geom = .1d .2d .3d .a1d .a2d .cube .acube .2dms .a2dms; .dtype = .u32 .s32 .f16 .f32; .ctype = .s32 .f32",
            "tex{.lod}.geom.v2.f16x2.ctype {d..}{|p}, [a, c]{, lod}{, dPdx}{, dPdy}{, offset}{, compare}; .lod = .base .level .grad; .geom = .1d .2d .3d .a1d .a2d .cube .acube .2dms .a2dms; .ctype = .s32 .f32",
        ],
        build: fetch,
        real: "the texel at the coordinates, or a mean of those around them weighted by distance",
        section: "9.7.10.3",
        summary: "Reads a texture.",
        example: "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
        support: Support::Full,
    },
    Row {
        name: "tld4",
        forms: &[
            "tld4.comp.geom.v4.dtype.f32 {d..}{|p}, [a, c]{, offset}{, compare}; .comp = .r .g .b .a; .geom = .2d .a2d .cube .acube; .dtype = .u32 .s32 .f32",
        ],
        build: gather,
        real: "one channel of the four texels around the coordinates",
        section: "9.7.10.4",
        summary: "Gathers four texels.",
        example: "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
        support: Support::Full,
    },
    Row {
        name: "txq",
        forms: &[
            "txq.query.b32 d, [a]; .query = .width .height .depth .channel_data_type .channel_order .normalized_coords .array_size .num_mipmap_levels .num_samples",
            "txq.level.query.b32 d, [a], lod; .query = .width .height .depth",
            "txq.query.b32 d, [a]; .query = .force_unnormalized_coords .filter_mode .addr_mode_0 .addr_mode_1 .addr_mode_2",
        ],
        build: inquire,
        real: "an extent",
        section: "9.7.10.5",
        summary: "Asks about a texture.",
        example: "txq.width.b32 %r1, [%rd1];",
        support: Support::Full,
    },
    Row {
        name: "istypep",
        forms: &["istypep.type p, a; .type = .texref .samplerref .surfref"],
        build: |m| {
            Some(Action::View(ViewOp::Is(match m.get("type")? {
                "texref" => ViewKind::Texture,
                "samplerref" => ViewKind::Sampler,
                _ => ViewKind::Surface,
            })))
        },
        real: "",
        section: "9.7.10.7",
        summary: "Asks what an address is of: a texture, a sampler or a surface.",
        example: "istypep.texref %p1, %rd1;",
        support: Support::Full,
    },
    Row {
        name: "suld",
        forms: &[
            "suld.b.geom{.cop}{.vec}.type{.clamp} {d..}, [a, c]; .geom = .1d .2d .3d .a1d .a2d; .cop = .ca .cg .cs .cv; .vec = .v2 .v4; .type = .b8 .b16 .b32 .b64; .clamp = .trap .clamp .zero",
        ],
        build: |m| surface(m, SurfaceAccess::Load),
        real: "what is stored there",
        section: "9.7.11.1",
        summary: "Reads a surface.",
        example: "suld.b.2d.b32.trap {%r1}, [%rd1, {%r2, %r3}];",
        support: Support::Full,
    },
    Row {
        name: "sust",
        forms: &[
            "sust.b.geom{.cop}{.vec}.type{.clamp} [a, c], {b..}; .geom = .1d .2d .3d .a1d .a2d; .cop = .wb .cg .cs .wt; .vec = .v2 .v4; .type = .b8 .b16 .b32 .b64; .clamp = .trap .clamp .zero",
            "sust.p.geom{.vec}.type{.clamp} [a, c], {b..}; .geom = .1d .2d .3d; .vec = .v2 .v4; .type = .b32; .clamp = .trap .clamp .zero",
        ],
        build: |m| surface(m, SurfaceAccess::Store),
        real: "stores the value",
        section: "9.7.11.2",
        summary: "Writes a surface.",
        example: "sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};",
        support: Support::Full,
    },
    Row {
        name: "sured",
        forms: &[
            "sured.b.op.geom.type{.clamp} [a, c], {b..}; .op = .add .min .max .and .or; .geom = .1d .2d .3d; .type = .u32 .u64 .s32 .b32 .s64; .clamp = .trap .clamp .zero",
            "sured.p.op.geom.type{.clamp} [a, c], {b..}; .op = .add .min .max .and .or; .geom = .1d .2d .3d; .type = .b32 .b64; .clamp = .trap .clamp .zero",
        ],
        build: reduce,
        real: "add, min, max: accumulated",
        section: "9.7.11.3",
        summary: "Changes an element of a surface in one step.",
        example: "sured.b.add.2d.u32.trap [%rd1, {%r2, %r3}], {%r1};",
        support: Support::Full,
    },
    Row {
        name: "suq",
        forms: &[
            "suq.query.b32 d, [a]; .query = .width .height .depth .channel_data_type .channel_order .array_size .memory_layout",
        ],
        build: inquire,
        real: "an extent",
        section: "9.7.11.4",
        summary: "Asks about a surface.",
        example: "suq.width.b32 %r1, [%rd1];",
        support: Support::Full,
    },
];
