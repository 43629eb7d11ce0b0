//! Where values come from: which instruction made a term, and which first brought an input in.
//!
//! Nothing is kept while verifying. A kernel that is asked about is run again with a recorder: terms
//! are appended and never changed, so what the store gained while an instruction ran was made by it;
//! and since the store forgets who makes the same again, the destinations of instructions that
//! compute are looked at, too. The second run builds the same terms under the same numbers, because
//! nothing in a run depends on anything but its setup; each number is compared with the first run's
//! all the same, and one that does not fit has no origin.
//!
//! Guarantees: an instruction that is named ran, and made or moved this very term. Of several that
//! did, those of the thread that stored the element come first, then those of its CTA, then the
//! earliest. A whole warp is named where the recorder has not seen the value in a lane (the steps
//! inside a matrix product).
//! Misses: constants (they are everywhere); an input that was read as part of something wider than a
//! pair of elements; how a value went through shared memory.

use super::machine::Machine;
use super::memory::{Spot, memory_element};
use super::moment::Wanted;
use super::outcome::Thread;
use super::race::lanes;
use super::setup::{Options, Setup};
use super::ways::in_each_way;
use crate::base::Budget;
use crate::ir::{Instr, Kernel, Reg};
use crate::isa::{Effect, MatrixOp, Space, TensorMemoryOp, WARP};
use crate::term::{BitOp, Node, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Sightings kept, at most.
const KEPT: usize = 1 << 16;
/// A register holds at most this many levels of pairs of narrow inputs.
const DEEPEST: u32 = 4;

/// An instruction, and who executed it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Index into `Kernel::code`.
    pub instr: u32,
    /// A thread that did; of a warp that acted together its first.
    pub thread: Thread,
    /// It was the warp as a whole.
    pub whole_warp: bool,
}

/// Where the terms asked for come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    /// For each term: of a node the instruction that made it; of an input the one that first read
    /// it from memory, and the one by which the storing thread got it, if that is another.
    pub of: Vec<Vec<Origin>>,
    /// The thread that stored the element.
    pub storer: Option<Thread>,
}

/// Runs a kernel again and looks for the origins of some of its `terms`. The element that they end
/// up in tells which thread's instructions are meant where several make the same.
pub fn origins(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    (terms, wanted): (&Terms, &[Term]),
    (tensor, element): (usize, u64),
) -> Origins {
    if super::launch::impossible(kernel, setup).is_some() {
        return Origins { of: vec![Vec::new(); wanted.len()], storer: None };
    }
    // The recorder hangs on the timeline's switch, so that a run without either tests one thing.
    let options = Options { timeline_events: 1, stop_at_barrier: None, ..*options };
    let asked = Asked { terms: wanted.into(), element: (tensor, element) };
    let watching = super::Watching { inputs: true, asked: Some(asked.clone()), ..super::Watching::default() };
    let mut machine = Machine::new(&options, budget, kernel, setup, watching);
    machine.launch();
    let (mut found, built) = match machine.parting {
        None => (machine.found().unwrap_or_default(), machine.terms),
        // What the ways make is numbered after what the first run has made.
        Some(_) => {
            let first = super::follow(&options, budget, kernel, setup, super::Watching::default());
            let run = in_each_way(&options, budget, kernel, setup, (first, Some(&asked)));
            (run.origins.unwrap_or_default(), run.terms)
        }
    };
    found.of.resize(wanted.len(), Vec::new());
    for (term, origins) in wanted.iter().zip(&mut found.of) {
        let same = term
            .as_node()
            .is_none_or(|node| node < built.len() && built.node_at(node) == terms.node_at(node));
        if !same {
            origins.clear();
        }
    }
    found
}

/// Terms whose origins a run looks for, and the element that they end up in.
#[derive(Clone)]
pub(super) struct Asked {
    terms: Arc<[Term]>,
    element: (usize, u64),
}

impl Origins {
    /// Takes over what another run tells of terms of which this one tells nothing.
    pub(super) fn complete(&mut self, other: Origins) {
        self.storer = self.storer.or(other.storer);
        self.of.resize(other.of.len(), Vec::new());
        for (own, more) in self.of.iter_mut().zip(other.of).filter(|(own, _)| own.is_empty()) {
            *own = more;
        }
    }
}

/// Global number of the thread that stored an element last.
fn storer(machine: &Machine<'_>, tensor: usize, element: u64) -> Option<u32> {
    let region = machine.memory.regions.get(tensor + 2)?;
    let step = u64::from(region.format?.bytes());
    let offset = memory_element(&machine.setup.tensors[tensor], element) * step;
    region.history(offset)?.last_thread()
}

/// Lanes of a warp that had a term in their hands after an instruction.
#[derive(Clone, Copy)]
struct Sighting {
    wanted: u32,
    instr: u32,
    cta: u32,
    warp: u32,
    lanes: u32,
    /// The lanes are those that executed; in which of them the value was is not known.
    roughly: bool,
    /// It came from global memory.
    global: bool,
}

/// What the run is watched for, and what was seen.
#[derive(Default)]
pub(super) struct Recorder {
    /// What is wanted, and its places in the list.
    names: FxHashMap<Term, Vec<u32>>,
    sightings: Vec<Sighting>,
    /// By what is wanted, instruction, CTA and warp.
    known: FxHashMap<(u32, u32, u32, u32), usize>,
    /// What is asked of the run.
    pub(super) asked: Option<Asked>,
    /// A moment that is looked for, of a run that is made for nothing else.
    pub(super) moment: Option<Wanted>,
    /// The instruction that runs: warp, program counter, lanes, and the step at which it began.
    running: Option<(usize, u32, u32, u32)>,
    /// Nodes there were when it began.
    built: usize,
}

impl Recorder {
    pub(super) fn new(asked: Asked) -> Recorder {
        let mut recorder = Recorder::default();
        for (at, term) in asked.terms.iter().enumerate() {
            recorder.names.entry(*term).or_default().push(at as u32);
        }
        recorder.asked = Some(asked);
        recorder
    }

    /// One that looks for a moment alone.
    pub(super) fn of_moment(moment: Wanted) -> Recorder {
        Recorder { moment: Some(moment), ..Recorder::default() }
    }

    fn see(&mut self, term: Term, sighting: Sighting) {
        let Some(wanted) = self.names.get(&term) else { return };
        for wanted in wanted {
            let sighting = Sighting { wanted: *wanted, ..sighting };
            let key = (sighting.wanted, sighting.instr, sighting.cta, sighting.warp);
            match self.known.get(&key) {
                Some(at) => {
                    let known = &mut self.sightings[*at];
                    match (known.roughly, sighting.roughly) {
                        (true, false) => (known.lanes, known.roughly) = (sighting.lanes, false),
                        (false, true) => {}
                        _ => known.lanes |= sighting.lanes,
                    }
                }
                None if self.sightings.len() < KEPT => {
                    self.known.insert(key, self.sightings.len());
                    self.sightings.push(sighting);
                }
                None => {}
            }
        }
    }

    /// The best of the sightings of a term, given who stored the element that is asked about.
    fn chosen(&self, wanted: u32, machine: &Machine<'_>, storer: Option<u32>) -> Vec<Origin> {
        let count = machine.clocks.count();
        let home = storer.map(|number| (number / count, number % count % machine.block));
        let lane_of_storer = |s: &Sighting| {
            let (cta, linear) = home?;
            let lane = linear % WARP as u32;
            let here = (s.cta, s.warp) == (cta, linear / WARP as u32) && s.lanes >> lane & 1 == 1;
            here.then_some(lane)
        };
        let in_its_cta = |s: &Sighting| home.is_some_and(|(cta, _)| s.cta == cta);
        let best = |among: &[Sighting]| -> Option<Sighting> {
            let own = among.iter().find(|s| lane_of_storer(s).is_some());
            own.or_else(|| among.iter().find(|s| in_its_cta(s))).or(among.first()).copied()
        };
        let all: Vec<Sighting> = self.sightings.iter().filter(|s| s.wanted == wanted).copied().collect();
        let (global, near): (Vec<Sighting>, Vec<Sighting>) = all.iter().partition(|s| s.global);
        let mut chosen: Vec<Sighting> = best(&global).or_else(|| best(&near)).into_iter().collect();
        if let Some(first) = chosen.first()
            && first.global
            && lane_of_storer(first).is_none()
        {
            // It came to the storing thread by way of shared memory.
            chosen.extend(near.iter().find(|s| lane_of_storer(s).is_some()));
        }
        let origin = |s: &Sighting| {
            let lane = lane_of_storer(s).filter(|_| !s.roughly).unwrap_or(s.lanes.trailing_zeros());
            let thread = machine.thread_of(s.cta, s.warp * WARP as u32 + lane);
            Origin { instr: s.instr, thread, whole_warp: s.roughly }
        };
        chosen.iter().map(origin).collect()
    }
}

/// What an instruction does to what its destinations hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It makes it.
    Computes,
    /// It reads it from memory; `global`: where inputs are at first.
    Reads { global: bool },
    /// It moves it between registers, or writes none.
    Moves,
}

impl<'a> Machine<'a> {
    /// What the recorder has seen of the terms that were asked for.
    pub(super) fn found(&mut self) -> Option<Origins> {
        let recorder = self.recorder.take()?;
        let Asked { terms, element: (tensor, element) } = recorder.asked.as_ref()?;
        let storer = storer(self, *tensor, *element);
        let of = (0..terms.len() as u32).map(|at| recorder.chosen(at, self, storer)).collect();
        Some(Origins { of, storer: storer.map(|number| self.global_thread(number)) })
    }

    /// An instruction is about to run for some lanes.
    #[cold]
    pub(super) fn observe(&mut self, index: usize, pc: u32, mask: u32) {
        self.observe_end();
        let lanes = self.acting(index, pc, mask);
        let Some(mut recorder) = self.recorder.take() else { return };
        if let Some(wanted) = &mut recorder.moment {
            self.begin_moment(wanted, index, pc, lanes);
        }
        recorder.running = Some((index, pc, lanes, self.warps[index].step));
        recorder.built = self.terms.len();
        self.recorder = Some(recorder);
    }

    /// The running instruction has ended: what it left behind is looked at.
    pub(super) fn observe_end(&mut self) {
        let Some(mut recorder) = self.recorder.take() else { return };
        if let Some((index, pc, mask, step)) = recorder.running.take() {
            match &mut recorder.moment {
                Some(wanted) => self.end_moment(wanted, index, pc, mask, step),
                None => self.look(&mut recorder, index, pc, mask),
            }
        }
        self.recorder = Some(recorder);
    }

    /// Bytes of a background copy have been moved.
    pub(super) fn observe_copy(&mut self, index: usize, pc: u32, lane: u32, value: Value) {
        let sighting = self.sighting(index, pc, 1 << lane, true);
        let Some(mut recorder) = self.recorder.take() else { return };
        if let Value::Symbolic(Symbol { term, .. }) = value {
            self.inputs(term, 0, &mut |input| recorder.see(input, sighting));
        }
        self.recorder = Some(recorder);
    }

    fn sighting(&self, index: usize, instr: u32, lanes: u32, global: bool) -> Sighting {
        let cta = self.first_thread / self.clocks.count();
        Sighting { wanted: 0, instr, cta, warp: index as u32, lanes, roughly: false, global }
    }

    /// The lanes whose guard does not keep them from executing.
    fn acting(&self, index: usize, pc: u32, mask: u32) -> u32 {
        let Some(guard) = self.kernel.code[pc as usize].guard else { return mask };
        let warp = &self.warps[index];
        let acts = |lane: &u32| match warp.get(guard.predicate, *lane) {
            Value::Concrete(word) => (word & 1 == 1) != guard.negated,
            Value::Symbolic(_) | Value::Undefined(_) => true,
        };
        lanes(mask).filter(acts).fold(0, |all, lane| all | 1 << lane)
    }

    fn look(&self, recorder: &mut Recorder, index: usize, pc: u32, mask: u32) {
        if mask == 0 {
            return;
        }
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let rough = Sighting { roughly: true, ..self.sighting(index, pc, mask, false) };
        for node in recorder.built..self.terms.len() {
            recorder.see(Term::from_node(node), rough);
        }
        let (warp, dst, src) = (&self.warps[index], kernel.dst(instr), kernel.src(instr));
        let term_of = |reg: &Reg, lane: u32| match warp.get(*reg, lane) {
            Value::Symbolic(symbol) => Some(symbol.term),
            Value::Concrete(_) | Value::Undefined(_) => None,
        };
        let role = self.role(index, instr, mask);
        for reg in dst {
            for lane in lanes(warp.symbolic(*reg) & mask) {
                let Some(term) = term_of(reg, lane) else { continue };
                match role {
                    Role::Moves => {}
                    Role::Reads { global } => {
                        let sighting = self.sighting(index, pc, 1 << lane, global);
                        self.inputs(term, 0, &mut |input| recorder.see(input, sighting));
                    }
                    // What an operand held already was not made here, and inputs are not made.
                    Role::Computes => {
                        let held = |from: &Reg| !dst.contains(from) && term_of(from, lane) == Some(term);
                        if term.as_node().is_some() && !src.iter().any(held) {
                            recorder.see(term, self.sighting(index, pc, 1 << lane, false));
                        }
                    }
                }
            }
        }
    }

    fn role(&self, index: usize, instr: &Instr, mask: u32) -> Role {
        let far = |space: Space| {
            let Some(base) = self.kernel.src(instr).first() else { return false };
            let address = self.warps[index].word(*base, mask.trailing_zeros());
            match self.memory.locate(space, address) {
                Spot::Region(region, _) => self.memory.regions[region].space != Space::Shared,
                Spot::Local(_) | Spot::Nowhere => false,
            }
        };
        match instr.effect {
            Effect::Load(access) => Role::Reads { global: far(access.space) },
            Effect::Fetch(_) => Role::Reads { global: true },
            Effect::Matrix(MatrixOp::Load(stored)) => Role::Reads { global: far(stored.space) },
            Effect::Matrix(MatrixOp::LoadTiles(_)) => Role::Reads { global: false },
            Effect::Lanewise(_) | Effect::Atomic { .. } | Effect::Redux { .. } => Role::Computes,
            Effect::Matrix(op) if op.product().is_some() => Role::Computes,
            Effect::TensorMemory(TensorMemoryOp::Multiply(_)) => Role::Computes,
            _ => Role::Moves,
        }
    }

    /// The inputs that a register or cell holds: one, or several narrow ones side by side.
    fn inputs(&self, term: Term, depth: u32, found: &mut impl FnMut(Term)) {
        if term.as_element().is_some() {
            return found(term);
        }
        let inner = match self.terms.node(term) {
            Node::BitsOf(_, a) => [Some(a), None],
            Node::Bits(BitOp::Concat, _, a, b, _) => [Some(a), Some(b)],
            _ => return,
        };
        if depth < DEEPEST {
            inner.into_iter().flatten().for_each(|term| self.inputs(term, depth + 1, found));
        }
    }
}
