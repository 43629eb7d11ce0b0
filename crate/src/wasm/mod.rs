//! The browser binding: the engine as the page's worker calls it. No logic of its own.
//!
//! What crosses: questions as objects, reports as objects (serde-wasm-bindgen, types by tsify),
//! timelines as typed arrays. While a run is busy its worker hears nothing, so a run also lays
//! open where its counters stand in memory: a page that shares the memory reads progress there,
//! stops the run by setting a byte, and finds the message of a panic (`trouble`). A page that
//! shares nothing is told of each stage by callback and stops a run by ending the worker.
//!
//! Help with what one reads and types (`reading`), and what is asked after a verdict, is left out without
//! the feature `afterwards`.

#[cfg(feature = "afterwards")]
mod reading;
mod timeline;
mod trouble;

use crate::base::{Budget, Source, Stage};
use crate::report::{self, FlatTimeline, Recording, RunOptions};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[cfg(feature = "threads")]
pub use wasm_bindgen_rayon::init_thread_pool;

/// Thread-instructions that one kernel may execute in a tab.
const FUEL: u64 = 2_000_000_000;
/// Bytes that one kernel may hold: two kernels and the comparison share 4 GiB of address space.
const MEMORY: u64 = 480 << 20;
/// Timeline events kept for each kernel: 16 or 20 bytes each.
const TIMELINE_EVENTS: usize = 3 << 20;

/// A question, as the page asks it.
#[derive(serde::Deserialize, tsify::Tsify)]
pub struct Input {
    /// The reference kernel's PTX.
    reference: String,
    /// The optimized kernel's PTX, or the only kernel's.
    optimized: String,
    /// The spec.
    spec: String,
    /// Only the optimized kernel is analyzed.
    single: bool,
    /// All CTAs run where the spec leaves open which run.
    #[serde(default)]
    #[tsify(optional)]
    all_ctas: Option<bool>,
    /// Seconds that the question may take; without it, as long as it takes.
    #[serde(default)]
    #[tsify(optional)]
    seconds: Option<u32>,
}

impl Input {
    fn texts(&self) -> report::Input<'_> {
        report::Input {
            reference: (!self.single).then_some(&self.reference),
            optimized: &self.optimized,
            spec: Some(&self.spec),
            single: self.single,
            all_ctas: self.all_ctas.unwrap_or_default(),
            ..report::Input::default()
        }
    }

    /// The budget of this question, which no thread beside it watches over.
    fn limited(&self, budget: Budget) -> Budget {
        match self.seconds {
            Some(seconds) => budget.until(js_sys::Date::now, seconds.into()),
            None => budget,
        }
    }

    fn budget(&self) -> Budget {
        self.limited(Budget::new(FUEL, MEMORY))
    }
}

/// Byte addresses in the engine's memory.
#[derive(Serialize, tsify::Tsify)]
pub struct Addresses {
    /// u8: set to 1 to stop the run.
    cancel: usize,
    /// u32: the stage as a number.
    stage: usize,
    /// u64: executed thread-instructions.
    executed: usize,
    /// u64: decided output elements.
    decided: usize,
    /// u64: output elements to decide.
    elements: usize,
    /// u32: bytes of the panic message; 0 as long as nothing panicked.
    panic_length: usize,
    /// The panic message, UTF-8.
    panic_text: usize,
    /// u32: 1 once an allocation has failed.
    out_of_memory: usize,
}

thread_local! {
    /// Whom to tell of stages; set while a run is on this thread.
    static ON_STAGE: RefCell<Option<js_sys::Function>> = const { RefCell::new(None) };
}

/// Runs once when the module is loaded.
#[wasm_bindgen(start)]
pub fn start() {
    trouble::install();
}

/// The engine's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// What PTX and spec show before anything runs.
#[wasm_bindgen(unchecked_return_type = "Inference")]
pub fn infer(#[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    Ok(serde_wasm_bindgen::to_value(&report::infer(&input.texts(), &input.budget()))?)
}

/// The combinations that a spec with `[sweep]` asks about; nothing if it asks one question.
#[cfg(feature = "afterwards")]
#[wasm_bindgen(unchecked_return_type = "Asked | undefined")]
pub fn combinations(
    #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    Ok(serde_wasm_bindgen::to_value(&report::combinations(&input.texts()))?)
}

/// What a tensor or shared array holds at a barrier.
#[cfg(feature = "afterwards")]
#[wasm_bindgen(unchecked_return_type = "MemoryReport | undefined")]
pub fn inspect(
    #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
    #[wasm_bindgen(unchecked_param_type = "MemoryQuestion")] question: JsValue,
) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    let question = serde_wasm_bindgen::from_value(question)?;
    let report = report::inspect(&input.texts(), &question, &input.budget());
    Ok(serde_wasm_bindgen::to_value(&report)?)
}

/// Lines that remove a race, tried out.
#[cfg(feature = "afterwards")]
#[wasm_bindgen(unchecked_return_type = "RepairAnswer")]
pub fn repair(
    #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
    #[wasm_bindgen(unchecked_param_type = "RepairQuestion")] question: JsValue,
) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    let question = serde_wasm_bindgen::from_value(question)?;
    let found = report::repair(&input.texts(), question, &input.budget());
    Ok(serde_wasm_bindgen::to_value(&found)?)
}

/// Where the differing parts of an element's expressions come from in both kernels.
#[cfg(feature = "afterwards")]
#[wasm_bindgen(unchecked_return_type = "Origins | undefined")]
pub fn origins(
    #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
    #[wasm_bindgen(unchecked_param_type = "OriginQuestion")] question: JsValue,
) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    let question: report::OriginQuestion = serde_wasm_bindgen::from_value(question)?;
    let found = report::origins(&input.texts(), &question, &input.budget());
    Ok(serde_wasm_bindgen::to_value(&found)?)
}

/// What a lane does at a step of the timeline; nothing where the kernel, run again, does not come by there.
#[cfg(feature = "afterwards")]
#[wasm_bindgen(unchecked_return_type = "MomentReport | undefined")]
pub fn moment(
    #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
    #[wasm_bindgen(unchecked_param_type = "MomentQuestion")] question: JsValue,
) -> Result<JsValue, JsError> {
    let input: Input = serde_wasm_bindgen::from_value(input)?;
    let question: report::MomentQuestion = serde_wasm_bindgen::from_value(question)?;
    Ok(serde_wasm_bindgen::to_value(&report::moment(&input.texts(), &question, &input.budget()))?)
}

/// The message of the panic that ended this instance; empty if none did.
#[wasm_bindgen(js_name = panicMessage)]
pub fn panic_message() -> String {
    trouble::panic_message()
}

/// Whether an allocation has failed.
#[wasm_bindgen(js_name = outOfMemory)]
pub fn out_of_memory() -> bool {
    trouble::out_of_memory()
}

/// The instance's memory; shared in the threaded package.
#[wasm_bindgen(js_name = engineMemory, unchecked_return_type = "WebAssembly.Memory")]
pub fn engine_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// One question on its way to an answer.
#[wasm_bindgen]
pub struct Run {
    budget: Budget,
    timelines: Vec<Recording>,
    /// The same summed up, once that has been prepared.
    outlines: Vec<FlatTimeline>,
}

#[wasm_bindgen]
impl Run {
    /// A run that has not begun.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)] // JavaScript calls it
    pub fn new() -> Self {
        Run {
            budget: Budget::new(FUEL, MEMORY).observed(tell_stage),
            timelines: Vec::new(),
            outlines: Vec::new(),
        }
    }

    /// Where the run's counters stand in memory.
    #[wasm_bindgen(unchecked_return_type = "Addresses")]
    pub fn addresses(&self) -> Result<JsValue, JsError> {
        let progress = self.budget.progress();
        let addresses = Addresses {
            cancel: address(self.budget.stop_flag()),
            stage: address(&progress.stage),
            executed: address(&progress.executed),
            decided: address(&progress.decided),
            elements: address(&progress.elements),
            panic_length: address(&trouble::PANIC_LENGTH),
            panic_text: address(&trouble::PANIC_TEXT),
            out_of_memory: address(&trouble::OUT_OF_MEMORY),
        };
        Ok(serde_wasm_bindgen::to_value(&addresses)?)
    }

    /// Answers a question; `on_stage` is called with each stage that begins.
    #[wasm_bindgen(unchecked_return_type = "Report")]
    pub fn verify(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(stage: Stage) => void")] on_stage: js_sys::Function,
    ) -> Result<JsValue, JsError> {
        let input: Input = serde_wasm_bindgen::from_value(input)?;
        let options =
            RunOptions { timeline_events: TIMELINE_EVENTS, clock: Some(&now), ..RunOptions::default() };
        ON_STAGE.set(Some(on_stage));
        self.budget = input.limited(self.budget.clone());
        let outcome = report::check(&input.texts(), &options, &self.budget);
        ON_STAGE.set(None);
        self.timelines = outcome.timelines;
        Ok(serde_wasm_bindgen::to_value(&outcome.report)?)
    }

    /// The kernels that ran and left a timeline.
    #[wasm_bindgen(unchecked_return_type = "(\"reference\" | \"optimized\")[]")]
    pub fn recorded(&self) -> js_sys::Array {
        self.timelines.iter().map(|recording| JsValue::from(side_name(recording.side))).collect()
    }

    /// Sums the timelines up, so that they are there when somebody looks.
    pub fn prepare(&mut self) {
        if self.outlines.is_empty() {
            self.outlines = self.timelines.iter().map(Recording::flatten).collect();
        }
    }

    /// A kernel's timeline summed up; nothing if it left none.
    #[wasm_bindgen(unchecked_return_type = "TimelineOutline | undefined")]
    pub fn outline(&mut self, side: &str) -> JsValue {
        self.prepare();
        let outline = self.outlines.iter().find(|outline| side_name(outline.side) == side);
        outline.map_or(JsValue::UNDEFINED, timeline::outline)
    }

    /// A kernel's timeline one by one.
    #[wasm_bindgen(unchecked_return_type = "TimelineDetail | undefined")]
    pub fn detail(&self, side: &str) -> JsValue {
        self.recording(side).map_or(JsValue::UNDEFINED, |recording| timeline::detail(&recording.detail()))
    }
}

#[cfg(feature = "afterwards")]
#[wasm_bindgen]
impl Run {
    /// Finds the formula of a kernel, the reference or the optimized one, and proves it; `on_stage` is called
    /// with each stage that begins.
    #[wasm_bindgen(unchecked_return_type = "Telling")]
    pub fn tell(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Input")] input: JsValue,
        reference: bool,
        #[wasm_bindgen(unchecked_param_type = "(stage: Stage) => void")] on_stage: js_sys::Function,
    ) -> Result<JsValue, JsError> {
        let input: Input = serde_wasm_bindgen::from_value(input)?;
        let mut texts = input.texts();
        let spec = reference.then(|| texts.spec_of_reference());
        if let Some(spec) = &spec {
            texts =
                report::Input { optimized: &input.reference, spec: Some(spec), ..report::Input::default() };
        }
        ON_STAGE.set(Some(on_stage));
        self.budget = input.limited(self.budget.clone());
        let telling = report::tell(&texts, &RunOptions::default(), &self.budget);
        ON_STAGE.set(None);
        Ok(serde_wasm_bindgen::to_value(&telling)?)
    }
}

fn side_name(side: Source) -> &'static str {
    match side {
        Source::Reference => "reference",
        _ => "optimized",
    }
}

impl Run {
    fn recording(&self, side: &str) -> Option<&Recording> {
        self.timelines.iter().find(|recording| side_name(recording.side) == side)
    }
}

fn address<T: ?Sized>(of: &T) -> usize {
    std::ptr::from_ref(of).cast::<u8>() as usize
}

/// Passes a stage on to the page; pool threads have nobody to tell.
fn tell_stage(stage: Stage) {
    ON_STAGE.with_borrow(|listener| {
        if let (Some(listener), Ok(stage)) = (listener, serde_wasm_bindgen::to_value(&stage)) {
            // A listener that throws must not stop the run.
            let _ = listener.call1(&JsValue::NULL, &stage);
        }
    });
}

/// Milliseconds since the worker started.
fn now() -> f64 {
    let scope: web_sys::WorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |performance| performance.now())
}
