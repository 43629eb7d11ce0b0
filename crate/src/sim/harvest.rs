//! Gathering what a finished run leaves behind.

use super::machine::Machine;
use super::memory::{Owner, memory_element, starts_defined};
use super::outcome::{Cell, Fault, FaultKind, Run, TensorState};
use super::setup::Initial;
use crate::base::Format;
use crate::term::{Term, Value};

/// Turns a machine that has stopped into its outcome.
pub(super) fn harvest(mut machine: Machine<'_>) -> Run {
    let held = machine.bytes();
    let ledger = super::notes::ledger(&machine);
    let mut faults = Vec::new();
    let races = std::mem::take(&mut machine.races.found);
    if let Some(first) = races.first() {
        let site = Some(first.second.site);
        faults.push(Fault { kind: FaultKind::DataRace(races), site, others: Vec::new() });
    }
    machine.faults.sort_by_key(|fault| rank(&fault.kind));
    faults.append(&mut machine.faults);
    let tensors = (0..machine.setup.tensors.len()).map(|at| tensor_state(&mut machine, at)).collect();
    let mut stats = machine.stats;
    stats.bytes = held;
    stats.terms = machine.terms.len() as u64;
    Run { terms: machine.terms, faults, tensors, stats, timeline: machine.trace.finish(), ledger }
}

/// Worst first: what explains the others stands before them.
fn rank(kind: &FaultKind) -> u32 {
    match kind {
        FaultKind::Launch(_) => 0,
        FaultKind::DataRace(_) => 1,
        FaultKind::Deadlock(_) => 2,
        FaultKind::BarrierDivergence(_) => 3,
        FaultKind::OutOfBounds(..) => 4,
        FaultKind::Misaligned(..) => 5,
        FaultKind::UninitializedMemory(_) | FaultKind::UninitializedRegister(_) => 6,
        FaultKind::Forbidden(_) => 7,
        FaultKind::NotStructured(_) => 8,
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
    let mut cells = Vec::new();
    let mut writers = Vec::new();
    if written {
        let count = match &setup.shape {
            Some(shape) => shape.iter().product(),
            None => reached,
        };
        for element in 0..count {
            let offset = memory_element(setup, element) * step;
            let region = &machine.memory.regions[index];
            let granule = u64::from(region.cells.granule());
            let writer = (offset..offset + step)
                .step_by(granule as usize)
                .filter_map(|byte| region.shadow.get((byte / granule) as usize)?.last_writer())
                .max();
            let value = if offset + step <= region.cells.len() {
                region.cells.read(&mut machine.terms, offset, step as u32)
            } else {
                Value::Undefined
            };
            let term = machine.number(format, value);
            let touched = writer.is_some() || !is_initial(&setup.initial, element, term);
            cells.push(match term {
                None => Cell::Unwritten,
                Some(term) if touched => Cell::Written(term),
                Some(term) if starts_defined(setup) => Cell::Initial(term),
                Some(_) => Cell::Unwritten,
            });
            writers.push(writer.unwrap_or(u32::MAX));
        }
    }
    TensorState { tensor: at, format, read, written, reached, cells, writers }
}

fn is_initial(initial: &Initial, element: u64, term: Option<Term>) -> bool {
    match initial {
        Initial::Symbolic { first } => term == Some(Term::element(first + element as u32)),
        Initial::Undefined => term.is_none(),
        Initial::Concrete(_) => true,
    }
}
