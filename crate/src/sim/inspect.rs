//! Memory as it stands at a barrier: runs a kernel up to there and reads what is asked for.
//!
//! By confluence every schedule that has released the same barriers of one CTA holds the same values
//! in what its threads may read next without a race; with a race, it is one of the possible ones.

use super::bits::as_number;
use super::machine::Machine;
use super::memory::{Owner, Region, memory_element};
use super::setup::{Options, Setup};
use crate::base::{Budget, Format};
use crate::ir::Kernel;
use crate::isa::Space;
use crate::term::{Term, Terms, Value};

/// A tensor, variable or array of shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Holding {
    /// Its name.
    pub name: String,
    /// Shared or global.
    pub space: Space,
    /// Extents; one where no shape is known.
    pub shape: Vec<u64>,
    /// How its elements are stored, as far as the run has shown.
    pub format: Format,
}

/// One element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Nothing is there yet.
    Nothing,
    /// A number.
    Number(Term),
    /// Bits that are no number of this format.
    Bits,
}

/// What a run holds at a barrier.
pub struct Standstill {
    /// The terms that the elements refer to.
    pub terms: Terms,
    /// Everything that could be asked for.
    pub holdings: Vec<Holding>,
    /// The elements asked for, with the instructions that wrote them last.
    pub elements: Vec<(Held, Option<u32>)>,
    /// The barrier was reached.
    pub reached: bool,
}

/// Runs until `barrier` CTA barriers have been released (`None`: to the end), and reads elements of
/// the holding that `choose` picks, by number.
pub fn inspect(
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    barrier: Option<u64>,
    choose: impl FnOnce(&[Holding]) -> Option<(usize, Vec<u64>)>,
) -> Standstill {
    let options = Options { timeline_events: 0, stop_at_barrier: barrier, ..Options::default() };
    if super::launch::impossible(kernel, setup).is_some() {
        return Standstill {
            terms: Terms::new(),
            holdings: Vec::new(),
            elements: Vec::new(),
            reached: false,
        };
    }
    let mut machine = Machine::new(
        &options,
        budget,
        kernel,
        setup,
        super::Watching { inputs: true, ..super::Watching::default() },
    );
    machine.launch();
    let regions: Vec<usize> = (0..machine.memory.regions.len()).filter(|at| worth(&machine, *at)).collect();
    let holdings: Vec<Holding> = regions.iter().map(|at| holding(&machine, *at)).collect();
    let mut elements = Vec::new();
    if let Some((at, wanted)) = choose(&holdings)
        && let Some(region) = regions.get(at)
    {
        elements =
            wanted.iter().map(|element| held(&mut machine, *region, holdings[at].format, *element)).collect();
    }
    let reached = barrier.is_none_or(|barrier| machine.trace.releases() >= barrier);
    Standstill { terms: machine.terms, holdings, elements, reached }
}

/// Parameters, constants and empty shared memory are nothing to look at.
fn worth(machine: &Machine<'_>, at: usize) -> bool {
    let region = &machine.memory.regions[at];
    matches!(region.space, Space::Shared | Space::Global) && extent(region) > 0
}

/// Bytes: declared, or up to the last that was reached.
fn extent(region: &Region) -> u64 {
    region.size.unwrap_or(region.reached)
}

fn holding(machine: &Machine<'_>, at: usize) -> Holding {
    let region = &machine.memory.regions[at];
    let address = machine.memory.address(at, 0);
    let place = machine.memory.place(machine.kernel, machine.setup, region.space, address, 1);
    let declared = match region.owner {
        Owner::Variable(variable) | Owner::Shared(Some(variable)) => {
            Some(machine.kernel.variables[variable].format).filter(|format| format.bytes() > 1)
        }
        _ => None,
    };
    let format = region.format.or(declared).unwrap_or(Format::F32);
    let count = extent(region) / u64::from(format.bytes());
    let shape = match region.owner {
        Owner::Tensor(tensor) => machine.setup.tensors[tensor].shape.clone(),
        _ => None,
    };
    Holding { name: place.name, space: region.space, shape: shape.unwrap_or_else(|| vec![count]), format }
}

fn held(machine: &mut Machine<'_>, at: usize, format: Format, element: u64) -> (Held, Option<u32>) {
    let step = u64::from(format.bytes());
    let position = match machine.memory.regions[at].owner {
        Owner::Tensor(tensor) => memory_element(&machine.setup.tensors[tensor], element),
        _ => element,
    };
    let offset = position * step;
    if offset + step > extent(&machine.memory.regions[at]) {
        return (Held::Nothing, None);
    }
    machine.memory.touch(machine.kernel, machine.setup, &mut machine.terms, at, [offset].into_iter());
    let region = &machine.memory.regions[at];
    let granule = u64::from(region.cells.granule());
    let writer = (offset..offset + step)
        .step_by(granule.max(1) as usize)
        .filter_map(|byte| region.history(byte)?.last_writer())
        .max();
    // A finer read than the cells hold is taken out of the whole; here only whole elements count.
    if granule > step {
        return (Held::Bits, writer);
    }
    let value = machine.memory.regions[at].cells.read(&mut machine.terms, offset, step as u32);
    let held = match (value, as_number(&mut machine.terms, format, value)) {
        (Value::Undefined(_), _) => Held::Nothing,
        (_, Some(term)) => Held::Number(term),
        (_, None) => Held::Bits,
    };
    (held, writer)
}
