//! Timelines cross as typed arrays, copied out of the engine's memory: an object for every event
//! would take longer than the run.

use crate::report::{FlatTimeline, Level, TimelineDetail};
use js_sys::{Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What happened one by one; columns as in the Rust type `FlatTimeline`. */
export interface TimelineDetail {
    segments: Uint32Array;
    segmentStarts: Uint32Array;
    events: Uint32Array;
    eventStarts: Uint32Array;
}

/** One kernel's timeline summed up: rows of numbers; columns as in the Rust type `FlatTimeline`. */
export interface TimelineOutline {
    side: "reference" | "optimized";
    warps: number;
    warpsPerCta: number;
    steps: number;
    truncated: boolean;
    /** Segments and events in the detail. */
    recorded: number;
    flights: Uint32Array;
    barriers: Uint32Array;
    races: Uint32Array;
    lines: Uint32Array;
    classes: Uint32Array;
    levels: TimelineLevel[];
}

/** A timeline summed up in bins of 2^shift steps; four words a bin as in the Rust type `Level`. */
export interface TimelineLevel {
    shift: number;
    bins: number;
    words: Uint32Array;
}

export type Stage = "parse" | "simulate" | "decide" | "check" | "done";
"#;

/// What a first picture needs.
pub(super) fn outline(timeline: &FlatTimeline) -> JsValue {
    let levels: Array = timeline.levels.iter().map(level).collect();
    object(&[
        ("side", super::side_name(timeline.side).into()),
        ("warps", timeline.warps.into()),
        ("warpsPerCta", timeline.warps_per_cta.into()),
        ("steps", timeline.steps.into()),
        ("truncated", timeline.truncated.into()),
        ("recorded", timeline.recorded.into()),
        ("flights", copy(&timeline.flights)),
        ("barriers", copy(&timeline.barriers)),
        ("races", copy(&timeline.races)),
        ("lines", copy(&timeline.lines)),
        ("classes", copy(&timeline.classes)),
        ("levels", levels.into()),
    ])
}

/// The rest, which is large.
pub(super) fn detail(detail: &TimelineDetail) -> JsValue {
    object(&[
        ("segments", copy(&detail.segments)),
        ("segmentStarts", copy(&detail.segment_starts)),
        ("events", copy(&detail.events)),
        ("eventStarts", copy(&detail.event_starts)),
    ])
}

fn level(level: &Level) -> JsValue {
    object(&[("shift", level.shift.into()), ("bins", level.bins.into()), ("words", copy(&level.words))])
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A fresh plain object takes every property.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

fn copy(numbers: &[u32]) -> JsValue {
    Uint32Array::from(numbers).into()
}
