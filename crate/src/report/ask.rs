//! Questions as they are asked: once, and again where the first answer does not hold for all that may be.
//!
//! Guarantees: good news about a kernel that looks at what the machine chooses were the same whatever that chose; an
//! answer that other CTAs may change is about all CTAs, if they fit the budget.

use super::limits;
use super::model::{Report, Verdict};
use super::pipeline::{Question, diagnostic, empty_report};
use super::portions::Portions;
use super::texts::Texts;
use super::verdicts::capital;
use super::{Input, Outcome, RunOptions, assumptions};
use crate::base::{Budget, Exhausted};
use crate::diag::{Assumption, Code, Diagnostic, Ledger};
use crate::sim::{self, World};

/// Compares two kernels; with no reference, looks at the optimized one alone.
pub fn check(input: &Input<'_>, options: &RunOptions<'_>, budget: &Budget) -> Outcome {
    match options
        .threads
        .and_then(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok())
    {
        Some(pool) => pool.install(|| in_all_worlds(input, options, budget)),
        None => in_all_worlds(input, options, budget),
    }
}

/// Answers a question; where a kernel looks at what the machine chooses, good news only count if they
/// are the same whatever it chooses. What is undefined where arrays lie as PTX lets them is run where allocators put them.
fn in_all_worlds(input: &Input<'_>, options: &RunOptions<'_>, budget: &Budget) -> Outcome {
    let all = Input { all_ctas: true, ..*input };
    let mut question = Question::new(input, options, budget);
    let mut outcome = question.answer();
    let mut input = input;
    if question.wants_all {
        let mut whole = Question::new(&all, options, budget);
        let answer = whole.answer();
        if answer.report.verdict != Verdict::ResourceLimit {
            (input, question, outcome) = (&all, whole, answer);
        } else if !matches!(options.portions, Portions::Whole) {
            // Portions are of the same question, whichever of them meets a limit.
            if whole.ran {
                return answer;
            }
            question = Question::new(input, options, budget);
            question.settled = true;
            outcome = question.answer();
        }
    }
    let good = matches!(outcome.report.verdict, Verdict::Equivalent | Verdict::RaceFree);
    if !question.looks || !good {
        return outcome;
    }
    // Portions were decided in one world; in others, as many are.
    let portions = match options.portions {
        Portions::Decided(portions) => Portions::Each(portions.len()),
        portions => portions,
    };
    let quiet = RunOptions { timeline_events: 0, portions, ..*options };
    let ask = |choice: u32, allocated: bool| {
        let mut other = Question::new(input, &quiet, budget);
        other.world = World { choice, allocated };
        other.answer()
    };
    let mut allocated = false;
    for choice in 1..sim::WORLDS {
        let mut answer = ask(choice, allocated);
        if answer.report.verdict.is_undefined() && !allocated {
            allocated = true;
            answer = ask(choice, allocated);
        }
        if answer.report.verdict != outcome.report.verdict {
            answer.report.summary += " This depends on what PTX leaves to the machine: where memory lies, which \
                                      lanes act together, or which one is elected.";
            answer.timelines = outcome.timelines;
            return answer;
        }
    }
    if allocated {
        let mut ledger = Ledger::default();
        ledger.note(Assumption::Environment(sim::ALLOCATED.to_owned()), 1, None);
        outcome.report.assumptions.extend(assumptions::cook(&question.texts, &ledger));
    }
    outcome
}

/// The report on a question that did not end when it was told to ([`Budget::stop`]), for a face that ends
/// it all the same.
#[cold]
pub fn overdue(input: &Input<'_>, why: Exhausted, budget: &Budget) -> Report {
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let message = limits::overdue(why, budget);
    Report {
        verdict: Verdict::ResourceLimit,
        summary: format!("{}.", capital(&message)),
        hint: Some(
            "ask about a smaller problem that runs the same code, or allow a larger budget".to_owned(),
        ),
        diagnostics: vec![diagnostic(&texts, &[], &Diagnostic::error(Code::B001, message))],
        ..empty_report()
    }
}

/// Looks at one kernel: races, deadlocks, bounds; its outputs are shown, not compared.
pub fn analyze(input: &Input<'_>, options: &RunOptions<'_>, budget: &Budget) -> Outcome {
    check(&Input { reference: None, single: true, ..*input }, options, budget)
}
