//! Timelines cross as typed arrays, copied out of the engine's memory: an object for every event
//! would take longer than the run.

use crate::base::Source;
use crate::report::FlatTimeline;
use js_sys::{Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** One kernel's timeline: rows of numbers; columns as in the Rust type of this name. */
export interface FlatTimeline {
    side: "reference" | "optimized";
    warps: number;
    steps: number;
    truncated: boolean;
    segments: Uint32Array;
    barriers: Uint32Array;
    accesses: Uint32Array;
    instructions: Uint32Array;
}

export type Stage = "parse" | "simulate" | "decide" | "check" | "done";
"#;

pub(super) fn to_js(timeline: &FlatTimeline) -> JsValue {
    let object = Object::new();
    let side = match timeline.side {
        Source::Reference => "reference",
        _ => "optimized",
    };
    let fields: [(&str, JsValue); 8] = [
        ("side", side.into()),
        ("warps", timeline.warps.into()),
        ("steps", timeline.steps.into()),
        ("truncated", timeline.truncated.into()),
        ("segments", copy(&timeline.segments)),
        ("barriers", copy(&timeline.barriers)),
        ("accesses", copy(&timeline.accesses)),
        ("instructions", copy(&timeline.instructions)),
    ];
    for (name, value) in fields {
        // A fresh plain object takes every property.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}

fn copy(numbers: &[u32]) -> JsValue {
    Uint32Array::from(numbers).into()
}
