//! Gathering what a finished run leaves behind.

use super::machine::Machine;
use super::memory::{Owner, logical_elements};
use super::outcome::{Fault, FaultKind, Misuse, Run, TensorState};
use super::suspects::Suspects;
use super::tickets::Verdict;
use super::written::Written;
use crate::base::Format;
use crate::diag::{Assumption, Label, Ledger};
use crate::ir::WORKSPACE;
use crate::spec::Role;
use crate::term::{Term, Value};

/// Turns a machine that has stopped into its outcome.
pub(super) fn harvest(mut machine: Machine<'_>) -> (Run, Verdict) {
    let held = machine.bytes();
    let origins = machine.found();
    let mut ledger = super::notes::ledger(&machine);
    own_tables(&mut machine, &mut ledger);
    let tensors: Vec<TensorState> =
        (0..machine.setup.tensors.len()).map(|at| tensor_state(&mut machine, at)).collect();
    let mut verdict = machine.judge_tickets(&tensors);
    machine.judge_left_behind(&tensors);
    if let Verdict::Depends(site, why) = &verdict {
        machine.list_at(Some(*site), FaultKind::DependsOnSchedule(why.clone()));
    }
    if let Some(locks) = &machine.locks {
        let is_stuck = machine.faults.iter().any(|fault| matches!(fault.kind, FaultKind::Deadlock(_)));
        match &locks.lost {
            Some((site, why)) => verdict = Verdict::Lost((Some(*site), why.clone(), true)),
            None if !locks.any_shared() && !is_stuck => verdict = Verdict::Lost((None, String::new(), false)),
            None => {}
        }
    }
    machine.note_idle(&mut ledger);
    let mut faults = Vec::new();
    let races = std::mem::take(&mut machine.races.found);
    if let Some(first) = races.first() {
        let site = Some(first.second.site);
        faults.push(Fault::new(FaultKind::DataRace(races), site));
    }
    // Nothing may be told of a run that did not come to its end.
    let told = |fault: &Fault| matches!(fault.kind, FaultKind::Exhausted(_) | FaultKind::EndlessLoop(_));
    if let Some(why) = machine.exhausted
        && machine.options.stop_at_barrier.is_none()
        && !machine.faults.iter().any(told)
    {
        machine.faults.push(Fault::new(FaultKind::Exhausted(why), None));
    }
    machine.faults.sort_by_key(|fault| rank(&fault.kind));
    faults.append(&mut machine.faults);
    let unlisted = machine.unlisted + machine.races.unlisted;
    let mut stats = machine.stats;
    stats.bytes = held;
    stats.terms = machine.terms.len() as u64;
    let unordered = machine.unordered_words();
    let unnumbered = machine.memory.unnumbered;
    let unknowable = machine.unknowable;
    let Suspects { found: suspects, more: more_suspects, same_stores, .. } = machine.suspects;
    let run = Run {
        terms: machine.terms,
        faults,
        unlisted,
        suspects,
        more_suspects,
        same_stores,
        observations: machine.claims.found,
        tensors,
        unknowable,
        stats,
        timeline: machine.trace.finish(),
        ledger,
        unnumbered,
        unordered,
        parting: machine.parting,
        dynamic_reached: machine.dynamic_reached,
        origins,
    };
    (run, verdict)
}

/// Variables that no host can name hold what the PTX declares. Where the kernel itself writes one, an
/// earlier launch may have left something else there.
fn own_tables(machine: &mut Machine<'_>, ledger: &mut Ledger) {
    for region in machine.memory.regions.iter().filter(|region| region.read || region.written) {
        let Owner::Variable(variable) = region.owner else { continue };
        let name = &machine.kernel.variables[variable].name;
        let span = machine.kernel.variables[variable].span;
        let first = Label { source: machine.kernel.source, span, text: String::new() };
        if machine.setup.views.iter().any(|view| view.variable == Some(variable)) {
            continue; // The spec says what it holds.
        }
        if name == WORKSPACE {
            let what = "the launch is a cooperative one: `%envreg1` and `%envreg2` hold the address of memory for \
                        its barrier over the grid, which begins with 0";
            ledger.note(Assumption::Environment(what.to_owned()), 1, Some(first));
        } else if region.written {
            let why = format!(
                "`{name}` is written, so that a launch finds what the one before it has left: declare it under \
                 [tensors], with `contents` or `initial`"
            );
            machine.faults.push(Fault::new(FaultKind::NotStructured(why), None));
        } else {
            let what = format!("`{name}` holds what the PTX declares: no host can name it");
            ledger.note(Assumption::Environment(what), 1, Some(first));
        }
    }
}

/// Worst first: what explains the others stands before them.
fn rank(kind: &FaultKind) -> u32 {
    match kind {
        FaultKind::Launch(_) => 0,
        FaultKind::DataRace(_) => 1,
        FaultKind::Deadlock(_) => 2,
        FaultKind::OutOfBounds(..) | FaultKind::Misuse(Misuse::Columns, _) => 4,
        FaultKind::BarrierDivergence(..) | FaultKind::Misuse(..) => 3,
        FaultKind::Misaligned(..) => 5,
        FaultKind::Uninitialized(..) | FaultKind::UninitializedMemory(_) => 6,
        FaultKind::Abort(_) | FaultKind::Broken(..) | FaultKind::Forbidden(_) => 7,
        FaultKind::NotStructured(_) | FaultKind::DependsOnSchedule(_) | FaultKind::WaitsForOthers(_) => 8,
        FaultKind::Unsupported(_) => 9,
        FaultKind::EndlessLoop(_) => 10,
        FaultKind::Exhausted(_) => 11,
    }
}

fn tensor_state(machine: &mut Machine<'_>, at: usize) -> TensorState {
    let setup = &machine.setup.tensors[at];
    let index = at + 2;
    let region = &machine.memory.regions[index];
    debug_assert_eq!(region.owner, Owner::Tensor(at));
    let format = region.format.unwrap_or(Format::F32);
    let step = u64::from(format.bytes());
    let (read, written) = (region.read, region.written);
    let reached = region.reached.div_ceil(step);
    let mut elements = Written::default();
    // Strides lay elements out in another order than the logical one.
    let mut strided: Vec<(u64, Term, u32)> = Vec::new();
    let (count, stretches) = match written {
        true => (setup.shape.as_ref().map(|shape| shape.iter().product::<u64>()), region.cells.stretches()),
        false => (None, Vec::new()),
    };
    for stretch in stretches {
        let end = machine.memory.regions[index].size.unwrap_or(u64::MAX).min(stretch.end);
        for position in stretch.start / step..end / step {
            let offset = position * step;
            let region = &machine.memory.regions[index];
            let granule = region.cells.granule();
            let histories =
                (offset..offset + step).step_by(granule as usize).filter_map(|byte| region.history(byte));
            let (touched, writer) = histories
                .filter(|shadow| shadow.written())
                .fold((false, None), |(_, writer), shadow| (true, writer.max(shadow.last_writer())));
            if !touched {
                continue;
            }
            let value = region.cells.read(&mut machine.terms, offset, step as u32);
            let (value, unwritten) = match value {
                // What is left in an input is nobody's business.
                Value::Undefined(_) if matches!(setup.role, Some(Role::In | Role::Scratch)) => continue,
                Value::Undefined(_) => machine.left(index, offset, step as u32, value),
                whole => (whole, None),
            };
            let Some(mut term) = machine.number(format, value) else { continue };
            if let Some(unwritten) = unwritten {
                let nothing = machine.terms.never_written();
                term = machine.terms.select(unwritten, nothing, term);
            }
            let writer = writer.unwrap_or(u32::MAX);
            match setup.strides {
                Some(_) => logical_elements(setup, position, &mut |at| strided.push((at, term, writer))),
                None if count.is_none_or(|count| position < count) => elements.push(position, term, writer),
                None => {}
            }
        }
    }
    strided.sort_unstable_by_key(|(element, ..)| *element);
    for (element, term, writer) in strided {
        elements.push(element, term, writer);
    }
    TensorState { tensor: at, format, read, written, reached, elements }
}
