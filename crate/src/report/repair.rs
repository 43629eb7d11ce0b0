//! A barrier that removes the races of a kernel: tried out, not guessed.
//!
//! Candidates are the places from which one `bar.sync` could order the two accesses of a race:
//! before either of them, at the beginnings of the blocks between them, and, for a race around a
//! loop, at the loop's ends. Each is put into the text and the kernel is run again; it is offered
//! only if that run has no fault at all: no race, no deadlock, nothing out of bounds.
//!
//! Guarantees: what is returned has been run, in this launch. Missed: repairs that need several
//! barriers, or another number of threads at the barrier; and races between CTAs, which no barrier
//! orders.

use super::Input;
use super::model::{Location, TextSource};
use super::ready::Ready;
use super::texts::Texts;
use crate::base::{Budget, Exhausted, Source, Span};
use crate::ir::Kernel;
use crate::isa::Effect;
use crate::sim;
use serde::Serialize;

/// Places that are tried.
const TRIED: usize = 16;
/// What is put in.
const BARRIER: &str = "bar.sync 0;";

/// A race, and which kernel it is in.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct RepairQuestion {
    /// In the reference kernel, not the optimized one.
    pub reference: bool,
    /// Index of the instruction that accessed first.
    pub first: u32,
    /// Index of the other.
    pub second: u32,
}

/// A barrier that makes the kernel run without any fault.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct Repair {
    /// Which kernel.
    pub side: TextSource,
    /// The instruction that the barrier comes before.
    pub before: Location,
    /// The new line, without its indentation.
    pub inserted: String,
    /// The whole text with the barrier in it.
    pub text: String,
    /// Places that were tried, this one included.
    pub tried: u32,
}

/// Looks for one barrier that removes the race and every other fault of its kernel.
pub fn repair(input: &Input<'_>, question: RepairQuestion, budget: &Budget) -> Option<Repair> {
    let source = if question.reference { Source::Reference } else { Source::Optimized };
    let ready = Ready::new(input)?;
    let (kernel, _) = ready.side(source)?;
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let text = texts.text(source);
    let places = candidates(kernel, question.first, question.second);
    for (tried, instr) in places.into_iter().enumerate() {
        let span = kernel.code[instr as usize].span;
        let repaired = insert(text, span)?;
        match is_sound(input, source, &repaired, budget) {
            Ok(false) => continue,
            Err(_) => return None,
            Ok(true) => {
                return Some(Repair {
                    side: source.into(),
                    before: texts.location(source, span),
                    inserted: BARRIER.to_owned(),
                    text: repaired,
                    tried: tried as u32 + 1,
                });
            }
        }
    }
    None
}

/// Instructions before which a barrier may help, the likeliest first.
fn candidates(kernel: &Kernel, first: u32, second: u32) -> Vec<u32> {
    let (low, high) = (first.min(second), first.max(second));
    let last = kernel.code.len() as u32 - 1;
    let mut places = Vec::new();
    if first < second {
        places.extend([second, first + 1]);
    }
    let target = |at: u32| {
        let instr = &kernel.code[at as usize];
        matches!(instr.effect, Effect::Branch).then_some(instr.target)
    };
    // Where blocks begin between the two.
    let starts = |from: u32, to: u32| {
        let mut starts: Vec<u32> =
            (0..=last).filter_map(target).filter(|at| (from..=to).contains(at)).collect();
        starts.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
        starts
    };
    places.extend(starts(low + 1, high));
    // Loops around both, the innermost first: at their ends, the order carries into the next round.
    let mut loops: Vec<(u32, u32)> = (0..=last)
        .filter_map(|at| Some((target(at)?, at)))
        .filter(|(target, branch)| *target <= low && high <= *branch)
        .collect();
    loops.sort_by_key(|(target, branch)| branch - target);
    for (target, branch) in loops {
        places.extend([branch, target]);
        places.extend(starts(high + 1, branch));
    }
    places.extend([high, low, high + 1, low + 1]);
    let mut kept = Vec::new();
    for place in places {
        if place <= last && !kept.contains(&place) && kept.len() < TRIED {
            kept.push(place);
        }
    }
    kept
}

/// The text with a barrier before an instruction, on a line of its own.
fn insert(text: &str, span: Span) -> Option<String> {
    let at = span.start as usize;
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
    let indentation: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    Some(format!("{before}{BARRIER}\n{indentation}{after}"))
}

/// Whether a kernel in place of the one asked about runs without any fault.
fn is_sound(input: &Input<'_>, source: Source, text: &str, budget: &Budget) -> Result<bool, Exhausted> {
    let input = match source {
        Source::Reference => Input { reference: Some(text), ..*input },
        Source::Optimized | Source::Spec => Input { optimized: text, ..*input },
    };
    let Some(ready) = Ready::new(&input) else { return Ok(false) };
    let Some((kernel, setup)) = ready.side(source) else { return Ok(false) };
    let options = sim::Options { timeline_events: 0, ..sim::Options::default() };
    let run = sim::simulate(&options, budget, kernel, setup);
    budget.poll()?;
    Ok(run.faults.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_gets_a_line_with_the_same_indentation() {
        let text = "{\n\t$L: ld.a;\n\tst.b;\n}";
        let span = |of: &str| {
            let start = text.find(of).unwrap_or_default() as u32;
            Span { start, end: start + of.len() as u32 }
        };
        assert_eq!(insert(text, span("st.b;")).as_deref(), Some("{\n\t$L: ld.a;\n\tbar.sync 0;\n\tst.b;\n}"));
        assert_eq!(insert(text, span("ld.a;")).as_deref(), Some("{\n\t$L: bar.sync 0;\n\tld.a;\n\tst.b;\n}"));
    }
}
