//! What one lane does at one step of a run: the place that its instruction accesses, and the values that it
//! moves or leaves behind.
//!
//! The timeline keeps times and no values. A kernel that is asked about is run again with the recorder of
//! [`super::origins`]; the run ends once the instruction has been executed.
//!
//! Guarantees: what is returned is of the instruction that the question names, executed by that lane at that
//! step; where another one is met there, nothing is returned. Misses: values of lanes that wait for others
//! before they have one, and addresses that depend on data.

use super::bits::as_number;
use super::inspect::Held;
use super::machine::Machine;
use super::memory::{Owner, Spot};
use super::origins::Recorder;
use super::setup::{Options, Setup};
use crate::base::{Budget, Format};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{Access, Effect, Space};
use crate::term::{SymbolKind, Terms, Value};

/// A lane at a step, as the timeline counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Warp, counted over all CTAs run.
    pub warp: u32,
    /// Lane in it.
    pub lane: u32,
    /// The step.
    pub step: u32,
    /// The instruction that the timeline has there.
    pub instr: u32,
}

/// A register, or what is stored, and what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A number, bits or nothing.
    Value(Held),
    /// The address of this place.
    Address(String),
}

/// What happens at a moment.
pub struct Happening {
    /// The terms that values refer to.
    pub terms: Terms,
    /// The place that is accessed, as a person writes it.
    pub place: Option<String>,
    /// Registers by name, with what they hold: written ones afterwards; of a store, those that are stored.
    pub values: Vec<(String, Seen)>,
}

/// The place that is accessed, and the values by register.
type Found = (Option<String>, Vec<(String, Seen)>);

/// A moment that is looked for, and what was found.
pub(super) struct Wanted {
    asked: Moment,
    address: Option<(Access, u64)>,
    found: Option<Found>,
}

/// Runs a kernel up to a moment; `None` where the run does not come by there.
pub fn moment(budget: &Budget, kernel: &Kernel, setup: &Setup, asked: Moment) -> Option<Happening> {
    if super::launch::impossible(kernel, setup).is_some() {
        return None;
    }
    // The recorder hangs on the timeline's switch.
    let options = Options { timeline_events: 1, ..Options::default() };
    let watching = super::Watching { inputs: true, ..super::Watching::default() };
    let mut machine = Machine::new(&options, budget, kernel, setup, watching);
    let wanted = Wanted { asked, address: None, found: None };
    machine.recorder = Some(Box::new(Recorder::of_moment(wanted)));
    machine.launch();
    let (place, values) = machine.recorder.take()?.moment?.found?;
    Some(Happening { terms: machine.terms, place, values })
}

impl<'a> Machine<'a> {
    /// An instruction is about to run: notes its address, which it may overwrite.
    pub(super) fn begin_moment(&self, wanted: &mut Wanted, index: usize, pc: u32, mask: u32) {
        if self.is_at(wanted.asked, index, pc, mask, self.warps[index].step) {
            wanted.address = self.address_of(index, pc, wanted.asked.lane);
        }
    }

    /// The instruction has run: notes what it left, and ends the run.
    pub(super) fn end_moment(&mut self, wanted: &mut Wanted, index: usize, pc: u32, mask: u32, step: u32) {
        let lane = wanted.asked.lane;
        if wanted.found.is_some() || !self.is_at(wanted.asked, index, pc, mask, step) {
            return;
        }
        let waits = matches!(self.waits.get(index * 32 + lane as usize), Some(Some(_)));
        let place = wanted.address.map(|(access, address)| self.place(access, address).text);
        let values = if waits { Vec::new() } else { self.values_at(index, pc, lane) };
        wanted.found = Some((place, values));
        self.fuel = 0;
    }

    fn is_at(&self, asked: Moment, index: usize, pc: u32, mask: u32, step: u32) -> bool {
        let cta = self.first_thread / self.clocks.count();
        let warp = cta * self.warps.len() as u32 + index as u32;
        (asked.warp, asked.step, asked.instr) == (warp, step, pc) && mask >> asked.lane & 1 == 1
    }

    fn address_of(&self, index: usize, pc: u32, lane: u32) -> Option<(Access, u64)> {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (Effect::Load(access) | Effect::Store(access) | Effect::Atomic { access, .. }) = instr.effect
        else {
            return None;
        };
        let base = kernel.src(instr)[0];
        match self.warps[index].get(base, lane) {
            Value::Concrete(word) => Some((access, self.effective(word, instr.offset, base))),
            Value::Symbolic(_) | Value::Undefined(_) => None,
        }
    }

    fn values_at(&mut self, index: usize, pc: u32, lane: u32) -> Vec<(String, Seen)> {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let written = kernel.opcode(pc).split('.').find_map(Format::from_name);
        let (registers, format) = match &instr.effect {
            Effect::Store(access) => (&kernel.src(instr)[1..], Some(access.format)),
            Effect::Load(access) | Effect::Atomic { access, .. } => (kernel.dst(instr), Some(access.format)),
            Effect::Lanewise(op) => (kernel.dst(instr), Some(op.dst)),
            _ => (kernel.dst(instr), written),
        };
        let shown = registers.iter().filter(|reg| kernel.registers[reg.index()] != RegisterKind::Sink);
        shown
            .map(|reg| {
                let constant = matches!(kernel.registers[reg.index()], RegisterKind::Constant(_));
                let name = if constant { String::new() } else { self.register_name(*reg) };
                (name, self.seen(index, *reg, lane, format))
            })
            .collect()
    }

    fn seen(&mut self, index: usize, reg: Reg, lane: u32, format: Option<Format>) -> Seen {
        let value = self.warps[index].get(reg, lane);
        let bits = match self.kernel.registers[reg.index()] {
            RegisterKind::Virtual { bits } => bits,
            _ => format.map_or(64, Format::bits),
        };
        if let (Value::Concrete(address), 64) = (value, bits)
            && let Some(place) = self.points_to(address)
        {
            return Seen::Address(place);
        }
        let unsigned = match bits {
            64 => Format::U64,
            32 => Format::U32,
            16 => Format::U16,
            _ => Format::U8,
        };
        let format = match value {
            Value::Undefined(_) => return Seen::Value(Held::Nothing),
            Value::Symbolic(symbol) => match symbol.kind {
                SymbolKind::Number(held) => held,
                SymbolKind::Condition => Format::U8,
                SymbolKind::Bits => format.unwrap_or(unsigned),
            },
            Value::Concrete(_) if bits == 1 => Format::U8,
            Value::Concrete(_) => format.unwrap_or(unsigned),
        };
        Seen::Value(as_number(&mut self.terms, format, value).map_or(Held::Bits, Held::Number))
    }

    /// The place in a tensor or variable that an address stands for.
    fn points_to(&self, address: u64) -> Option<String> {
        let Spot::Region(region, _) = self.memory.locate(Space::Generic, address) else { return None };
        match self.memory.regions[region].owner {
            Owner::Tensor(_) | Owner::Variable(_) | Owner::Shared(_) => {
                let step = self.memory.regions[region].format.map_or(1, Format::bytes);
                Some(self.memory.place(self.kernel, self.setup, Space::Generic, address, step).text)
            }
            _ => None,
        }
    }
}
