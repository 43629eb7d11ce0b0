//! The outputs of one question in portions, so that several machines decide it.
//!
//! A question that says how many portions there are is decided portion by portion, each as if there were no other, and
//! what they came to is put together. So it is the same whether one process decides all of them ([`Portions::Each`]), or
//! many one each ([`Portions::One`]) and another puts them together ([`Portions::Decided`]), which runs the kernels
//! again and decides nothing: both give one report, byte for byte, as long as no clock ended anything. The number of
//! portions is part of the question; a report may depend on it in its words (how certain a proof is, which inputs show a
//! difference), its verdict only where a budget ends something.
//!
//! Guarantees: each pair is decided in exactly one portion, and its answer has been confirmed by `check` there.
//! Misses: what is shared between portions is worked out in each of them.

use super::model::CheckedReport;
use super::ranges;
use crate::base::{Budget, Exhausted};
use crate::check;
use crate::decide::{self, Decision, Group, Problem, Reading};
use crate::diag::Ledger;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// How the outputs of a question are decided.
#[derive(Clone, Copy, Default, Debug)]
pub enum Portions<'a> {
    /// All at once.
    #[default]
    Whole,
    /// In so many portions, one after the other.
    Each(usize),
    /// One portion alone, of how many.
    One(usize, usize),
    /// As others have decided these, in order.
    Decided(&'a [Portion]),
}

/// What was decided of a portion of the outputs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Portion {
    groups: Vec<Group>,
    ledger: Ledger,
    in_range: bool,
    checked: CheckedReport,
}

/// All portions, put together.
pub(super) struct Joined {
    pub(super) decision: Decision,
    pub(super) options: decide::Options,
    pub(super) checked: CheckedReport,
}

/// The pairs of a portion.
fn pairs_of(which: usize, of: usize, pairs: usize) -> Range<usize> {
    let of = of.max(1);
    which * pairs / of..(which + 1) * pairs / of
}

impl Portion {
    /// Decides the pairs of a portion, and confirms that.
    pub(super) fn decide(
        options: decide::Options,
        budget: &Budget,
        problem: &Problem<'_>,
        (which, of): (usize, usize),
    ) -> Result<Portion, Exhausted> {
        let pairs = &problem.pairs[pairs_of(which, of, problem.pairs.len())];
        let problem = Problem { pairs, ..*problem };
        let meanwhile = |reading: &Reading<'_>, unwanted: &AtomicBool| {
            check::values_ahead(budget, problem.elements, reading, unwanted)
        };
        let (mut decided, options) = ranges::decide(options, budget, &problem, meanwhile)?;
        let ahead =
            check::Ahead { reading: decided.reading.as_ref(), values: decided.meanwhile.take().flatten() };
        let checked = confirmed(&options, budget, &problem, &mut decided.decision, ahead)?;
        let Decision { groups, ledger } = decided.decision;
        Ok(Portion { groups, ledger, in_range: options.in_range, checked })
    }

    /// Puts all portions of some pairs together.
    pub(super) fn join(portions: Vec<Portion>, options: decide::Options, pairs: usize) -> Joined {
        let of = portions.len();
        let mut ledger = Ledger::default();
        let mut checked =
            CheckedReport { confirmed: 0, by_field: 0, by_points: 0, open: 0, skipped: 0, refuted: 0 };
        let mut in_range = false;
        let mut groups = Vec::with_capacity(of);
        for (which, portion) in portions.into_iter().enumerate() {
            groups.push((pairs_of(which, of, pairs).start as u32, portion.groups));
            ledger.merge(portion.ledger);
            in_range |= portion.in_range;
            let own = portion.checked;
            checked.confirmed += own.confirmed;
            checked.by_field += own.by_field;
            checked.by_points += own.by_points;
            checked.open += own.open;
            checked.skipped += own.skipped;
            checked.refuted += own.refuted;
        }
        let decision = Decision { groups: decide::joined(groups), ledger };
        Joined { decision, options: decide::Options { in_range, ..options }, checked }
    }
}

/// Confirms every certificate and witness with `check`. What it cannot confirm is an error of this tool and never good
/// or bad news about the kernels.
pub(super) fn confirmed(
    options: &decide::Options,
    budget: &Budget,
    problem: &Problem<'_>,
    decision: &mut Decision,
    ahead: check::Ahead<'_>,
) -> Result<CheckedReport, Exhausted> {
    let checked = check::decision(options, budget, problem, decision, ahead)?;
    check::withdraw(decision, &checked.refuted);
    check::withdraw_unfounded(decision, &checked.unfounded);
    Ok(CheckedReport {
        confirmed: checked.confirmed,
        by_field: checked.by_field,
        by_points: checked.by_points,
        open: checked.open + checked.unfounded.len() as u64,
        skipped: checked.skipped,
        refuted: checked.refuted.len() as u64,
    })
}
