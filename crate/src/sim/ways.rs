//! Conditions on data that are the same for all who meet: the launch is run once for each way they come out.
//!
//! Both sides of a branch are executed one after the other (`predicate`), but a barrier, a warp collective or a
//! return on one side meets other threads, who are not there. Where all of them decide alike (`if (n[0] == 0)
//! return;` before a barrier), each way is a launch of its own: from then on the condition is known. What the
//! launches leave is chosen among by what was known in each, and what goes wrong in one is a suspect under it.
//! Where threads decide differently, a way on which they do shows what comes of it.
//!
//! Guarantees: the ways of a run that is put together exclude one another and leave none out.
//! Misses: more than [`MOST`] ways, or more work than all launches together may take; runs in which results of
//! updates decide (`tickets`). Then what could not be followed is listed as before, beside what was found on the
//! ways that were taken.

use super::contradiction::is_contradictory;
use super::machine::Machine;
use super::origins::Asked;
use super::outcome::{FaultKind, Run, Suspect, TensorState};
use super::pivots::{Bounds, is_possible, outcomes};
use super::race::lanes;
use super::setup::{Options, Setup};
use super::written::Written;
use super::{Watching, follow, idle};
use crate::base::Budget;
use crate::ir::{Kernel, Reg};
use crate::spec::Role;
use crate::term::{Node, Term, Terms, Value};
use rustc_hash::FxHashMap;

/// Ways that are taken, and launches that it may take to find them.
const MOST: usize = 64;
const LAUNCHES: usize = 4 * MOST;

/// What is known on a way, and what that says of further conditions.
#[derive(Clone, Default)]
pub(super) struct Way {
    /// All of it.
    pub(super) known: Option<Term>,
    told: FxHashMap<Term, Option<bool>>,
}

impl Way {
    /// The same where one more condition holds, if it can.
    fn with(&self, terms: &mut Terms, bounds: Bounds<'_>, condition: Term, budget: &Budget) -> Option<Way> {
        let known = terms.and(self.known.unwrap_or(Term::TRUE), condition);
        is_possible(terms, bounds, known, budget).then(|| Way { known: Some(known), ..Way::default() })
    }

    /// How a condition comes out on this way, if that is seen.
    fn tells(
        &mut self,
        terms: &mut Terms,
        bounds: Bounds<'_>,
        condition: Term,
        budget: &Budget,
    ) -> Option<bool> {
        let known = self.known?;
        if let Some(told) = self.told.get(&condition) {
            return *told;
        }
        let not = terms.not(condition);
        let (with, without) = (terms.and(known, condition), terms.and(known, not));
        let told = match (is_contradictory(terms, with), is_contradictory(terms, without)) {
            (false, true) => Some(true),
            (true, false) => Some(false),
            _ => match outcomes(terms, (bounds, known), condition, budget) {
                Some([true, false]) => Some(false),
                Some([false, true]) => Some(true),
                _ => None,
            },
        };
        self.told.insert(condition, told);
        told
    }
}

impl Machine<'_> {
    /// Predicates that what is known on this way decides are no conditions any more.
    pub(super) fn along_the_way(&mut self, index: usize, predicate: Reg, mask: u32) {
        if self.way.known.is_none() {
            return;
        }
        for lane in lanes(mask) {
            let value = self.warps[index].get(predicate, lane);
            let Some(condition) = super::bits::as_condition(&mut self.terms, value) else { continue };
            if self.out_of_steps() {
                return;
            }
            if let Some(told) = self.way.tells(&mut self.terms, &self.setup.bounds, condition, self.budget) {
                self.warps[index].set(predicate, lane, Value::Concrete(told.into()));
            }
        }
    }

    /// A condition keeps threads from meeting others: ways part here.
    pub(super) fn part(&mut self, condition: Term) {
        let condition = match self.terms.node(condition) {
            Node::Not(inner) => inner,
            _ => condition,
        };
        if condition != Term::TRUE && condition != Term::FALSE {
            self.parting.get_or_insert(condition);
        }
    }
}

/// What could not be followed: another way may have it otherwise.
fn is_lost(kind: &FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::NotStructured(_)
            | FaultKind::DependsOnSchedule(_)
            | FaultKind::WaitsForOthers(_)
            | FaultKind::Unsupported(_)
            | FaultKind::Exhausted(_)
            | FaultKind::EndlessLoop(_)
            | FaultKind::Launch(_)
    )
}

/// Runs the launch once for each way, where that shows more than a run that has come to where ways part; looks for
/// the origins of what is asked.
pub(super) fn in_each_way(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    (mut first, asked): (Run, Option<&Asked>),
) -> Run {
    let Some(parting) = first.parting.take() else { return first };
    let mut terms = std::mem::take(&mut first.terms);
    let mut open = Vec::new();
    part(&mut terms, (&setup.bounds, budget), &Way::default(), parting, &mut open);
    let (mut done, mut whole): (Vec<(Term, Run)>, bool) = (Vec::new(), true);
    let mut spent = first.stats.fuel();
    for _ in 0..LAUNCHES {
        let Some(way) = open.pop() else { break };
        let known = way.known.unwrap_or(Term::TRUE);
        let (way_on, asked) = (way.clone(), asked.cloned());
        let watch = Watching { terms, way: way_on, asked, spent, ..Watching::default() };
        let run = follow(options, budget, kernel, setup, watch);
        let mut run = idle::without(options, budget, kernel, setup, (run, &way));
        terms = std::mem::take(&mut run.terms);
        spent += run.stats.fuel();
        if let Some(parting) = run.parting {
            part(&mut terms, (&setup.bounds, budget), &way, parting, &mut open);
            continue;
        }
        if budget.poll().is_err() || run.unnumbered {
            first.terms = terms;
            first.unnumbered |= run.unnumbered;
            return first;
        }
        whole &= !run.faults.iter().any(|fault| is_lost(&fault.kind));
        done.push((known, run));
        if done.len() == MOST {
            break;
        }
    }
    whole &= open.is_empty() && !done.is_empty();
    let tensors = if whole { together(options, budget, kernel, setup, &mut terms, &done) } else { None };
    let whole = tensors.is_some();
    let mut all = if whole { Run { tensors: tensors.unwrap_or_default(), ..Run::default() } } else { first };
    let longest = (0..done.len()).max_by_key(|at| done[*at].1.stats.thread_instructions);
    for (at, (known, run)) in done.into_iter().enumerate() {
        let found = run.faults.into_iter().filter(|fault| !is_lost(&fault.kind));
        all.suspects.extend(found.map(|fault| Suspect { fault, condition: known, values: None }));
        for mut suspect in run.suspects {
            suspect.condition = terms.and(known, suspect.condition);
            all.suspects.push(suspect);
        }
        all.more_suspects |= run.more_suspects;
        if let Some(origins) = run.origins {
            all.origins.get_or_insert_default().complete(origins);
        }
        all.stats = all.stats.and(run.stats);
        all.dynamic_reached = all.dynamic_reached.max(run.dynamic_reached);
        if !whole {
            continue;
        }
        all.unlisted += run.unlisted;
        all.same_stores.extend(run.same_stores);
        for mut observation in run.observations {
            observation.condition = terms.and(known, observation.condition);
            all.observations.push(observation);
        }
        if run.unknowable.len() > all.unknowable.len() {
            all.unknowable = run.unknowable;
        }
        all.ledger.merge(run.ledger);
        if longest == Some(at) {
            all.timeline = run.timeline;
        }
    }
    all.stats.terms = terms.len() as u64;
    all.terms = terms;
    all
}

/// The two ways on from a condition.
fn part(
    terms: &mut Terms,
    (bounds, budget): (Bounds<'_>, &Budget),
    way: &Way,
    condition: Term,
    open: &mut Vec<Way>,
) {
    let not = terms.not(condition);
    let both = [not, condition].into_iter();
    open.extend(both.filter_map(|condition| way.with(terms, bounds, condition, budget)));
}

/// What the launches leave together: each element chosen by what is known.
fn together(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    terms: &mut Terms,
    done: &[(Term, Run)],
) -> Option<Vec<TensorState>> {
    // Where one launch leaves an element alone, it holds what was there before.
    let watch = Watching { terms: std::mem::take(terms), ..Watching::default() };
    let mut before = Machine::new(options, budget, kernel, setup, watch);
    let tensors = (0..setup.tensors.len()).map(|at| tensor(&mut before, at, done)).collect();
    *terms = before.terms;
    tensors
}

fn tensor(before: &mut Machine<'_>, at: usize, done: &[(Term, Run)]) -> Option<TensorState> {
    let states: Vec<&TensorState> = done.iter().map(|(_, run)| &run.tensors[at]).collect();
    let used = |state: &&&TensorState| state.read || state.written;
    let format = states.iter().find(used).map_or(states[0].format, |state| state.format);
    if states.iter().filter(used).any(|state| state.format != format) {
        return None;
    }
    let mut indices: Vec<u64> =
        states.iter().flat_map(|state| state.elements.iter().map(|(index, ..)| index)).collect();
    indices.sort_unstable();
    indices.dedup();
    let mut elements = Written::default();
    for index in indices {
        let (mut value, mut writer) = (None, None);
        for ((known, _), state) in done.iter().zip(&states).rev() {
            let own = match state.elements.get(index) {
                Some((term, by)) => {
                    writer = writer.or(Some(by));
                    term
                }
                None => untouched(before, at, format, index)?,
            };
            value = Some(match value {
                Some(others) => before.terms.select(*known, own, others),
                None => own,
            });
        }
        elements.push(index, value?, writer.unwrap_or(u32::MAX));
    }
    Some(TensorState {
        tensor: states[0].tensor,
        format,
        read: states.iter().any(|state| state.read),
        written: states.iter().any(|state| state.written),
        reached: states.iter().map(|state| state.reached).max().unwrap_or(0),
        elements,
    })
}

/// What an element holds before the launch.
fn untouched(before: &mut Machine<'_>, at: usize, format: crate::base::Format, index: u64) -> Option<Term> {
    let setup = &before.setup.tensors[at];
    if setup.strides.is_some() {
        return None;
    }
    let bytes = format.bytes();
    let offset = index * u64::from(bytes);
    before.memory.touch(before.kernel, before.setup, &mut before.terms, at + 2, std::iter::once(offset));
    match before.memory.regions[at + 2].cells.read(&mut before.terms, offset, bytes) {
        Value::Undefined(_) if matches!(setup.role, Some(Role::In | Role::Scratch)) => None,
        Value::Undefined(_) => Some(before.terms.never_written()),
        value => before.number(format, value),
    }
}
