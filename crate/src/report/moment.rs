//! What a lane does at a step of the timeline, in words and expressions: its instruction, the place that it
//! accesses, and the values. The kernel is run again up to there, as in [`super::inspect`].

use super::Input;
use super::expression::{Side, of_held};
use super::model::Expression;
use super::ready::Ready;
use crate::base::{Budget, Source};
use crate::sim::{self, Held, Moment, Seen};
use serde::Serialize;

/// A lane at a step, as the timeline counts them.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MomentQuestion {
    /// The reference kernel, not the optimized one.
    pub reference: bool,
    /// Warp, counted over all CTAs run.
    pub warp: u32,
    /// Lane in it.
    pub lane: u32,
    /// The step.
    pub step: u32,
    /// The instruction that the timeline has there.
    pub instr: u32,
}

/// A value that a lane stores, loads or computes.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MomentValue {
    /// The register that holds it; empty for a constant.
    pub register: String,
    /// The number; absent where there is none.
    pub value: Option<Expression>,
    /// The place that it is the address of, if it is one.
    pub address: Option<String>,
    /// There are bits that are no number.
    pub bits: bool,
}

/// What happens at a step.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MomentReport {
    /// The instruction as written.
    pub instruction: String,
    /// The place that it accesses, if any and if it is known: `x[5]`.
    pub place: Option<String>,
    /// What it stores, else what it leaves in registers.
    pub values: Vec<MomentValue>,
}

/// Runs a kernel again up to a step; `None` for texts that do not run, and where that lane executes another
/// instruction there.
pub fn moment(input: &Input<'_>, question: &MomentQuestion, budget: &Budget) -> Option<MomentReport> {
    let ready = Ready::new(input, budget)?;
    let source = if question.reference { Source::Reference } else { Source::Optimized };
    let (kernel, setup) = ready.side(source)?;
    let instr = kernel.code.get(question.instr as usize)?;
    let MomentQuestion { warp, lane, step, instr: at, .. } = *question;
    if lane > 31 {
        return None;
    }
    let happening = sim::moment(budget, kernel, setup, Moment { warp, lane, step, instr: at })?;
    let side = Side { source, kernel, terms: &happening.terms };
    let held = happening.values.iter().map(|(_, seen)| match seen {
        Seen::Value(held) => (held, None),
        Seen::Address(_) => (&Held::Nothing, None),
    });
    let shown = of_held(input, &ready, side, held, budget).ok()?;
    let value = |((register, seen), value): (&(String, Seen), _)| MomentValue {
        register: register.clone(),
        value,
        address: match seen {
            Seen::Address(place) => Some(place.clone()),
            Seen::Value(_) => None,
        },
        bits: *seen == Seen::Value(Held::Bits),
    };
    let values = happening.values.iter().zip(shown).map(value).collect();
    let text = if question.reference { input.reference? } else { input.optimized };
    let written = instr.span.text(text).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(MomentReport { instruction: written, place: happening.place, values })
}
