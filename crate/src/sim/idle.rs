//! Loads that race with stores, and whose values nobody uses.
//!
//! A compiler for tiles gives an element to several threads where it has more threads than elements: all of them load
//! it, and one stores the result. In place, the loads of the others race with that store, and come to nothing. A load
//! that is raced by a store of its own size has one of the values that were there, by the memory model; so if it may
//! have any value, the race cannot be seen.
//!
//! Where all races of a run are between plain loads and plain stores of global memory, the kernel is run twice more.
//! The first of these runs keeps every access to the places concerned and finds all loads that race (not one for each
//! pair of instructions). In the second one they have values that nobody wrote ([`super::undefined`]). If none of
//! these decides anything there and nothing else is wrong, that run counts, and the ledger names the race. Otherwise
//! the run that found the races does.
//!
//! Guarantees: no verdict rests on the value of a load that races, and none is left in global memory, compared or not.
//! Misses: kernels that wait through memory or take locks; copies; loads and stores of different sizes, of whose races
//! the memory model says nothing. Shared memory is left out on purpose: there a barrier was forgotten.

use super::accesses::{Accesses, Places};
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind, Place, Race, Run, Site, Unwritten};
use super::race::lanes;
use super::tickets::Verdict;
use super::ways::Way;
use super::{Ended, Options, Setup, Watching, batch::Batch, locks, signals};
use crate::base::Budget;
use crate::diag::{Assumption, Label};
use crate::ir::Kernel;
use crate::isa::{Access, Effect, Space, Strength};
use crate::term::{Origin, Terms, Value};
use rustc_hash::FxHashSet;

/// A load of a thread (its global number) at an instruction, of a word of a region.
type Load = (u32, u32, usize, u64);

/// What a run leaves behind of accesses that nothing orders.
#[derive(Default)]
pub struct Unordered {
    /// Where they were made, and where they were looked for.
    words: Places,
    /// Something was decided by a load that races.
    used: bool,
}

/// Loads that race.
#[derive(Default)]
pub(super) struct Idle {
    loads: FxHashSet<Load>,
    /// They are known; before, they are looked for.
    known: bool,
    /// The first that was found, and the store.
    first: Option<(Site, Site, Place)>,
    /// What stands for their values.
    origin: Option<Origin>,
    /// Something was decided by one of those.
    pub(super) used: bool,
}

impl Idle {
    /// Whether a load is one of them.
    pub(super) fn holds(&self, load: &Load) -> bool {
        self.loads.contains(load)
    }

    /// Whether loads are still looked for.
    pub(super) fn is_open(&self) -> bool {
        !self.known
    }

    /// Takes over a load that races; `told` says the threads and the place.
    pub(super) fn add(&mut self, load: Load, told: impl FnOnce() -> (Site, Site, Place)) {
        if self.loads.insert(load) && self.first.is_none() {
            self.first = Some(told());
        }
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        (self.loads.capacity() * (size_of::<Load>() + 1)) as u64
    }
}

/// Whether a load and a store are ordinary ones of the same size.
pub(super) fn are_plain(kernel: &Kernel, load: u32, store: u32) -> bool {
    match (&kernel.code[load as usize].effect, &kernel.code[store as usize].effect) {
        (Effect::Load(one), Effect::Store(two)) => {
            (one.strength, two.strength) == (Strength::Weak, Strength::Weak)
                && one.format.bytes() == two.format.bytes()
        }
        _ => false,
    }
}

/// Whether a race is one between such, in global memory.
fn is_plain(kernel: &Kernel, race: &Race) -> bool {
    let [one, two] = [&race.first, &race.second];
    if race.place.space != Space::Global {
        return false;
    }
    match (one.kind, two.kind) {
        (AccessKind::Read, AccessKind::Write) => are_plain(kernel, one.site.instr, two.site.instr),
        (AccessKind::Write, AccessKind::Read) => are_plain(kernel, two.site.instr, one.site.instr),
        _ => false,
    }
}

/// The run that counts of a kernel in whose `run` along a way accesses to some places were unordered.
pub(super) fn without(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    (mut run, way): (Run, &Way),
) -> Run {
    let places = std::mem::take(&mut run.unordered.words);
    let plain = |kind: &FaultKind| match kind {
        FaultKind::DataRace(races) => races.iter().all(|race| is_plain(kernel, race)),
        _ => false,
    };
    let all = run.faults.iter().all(|fault| plain(&fault.kind)) && !run.more_suspects;
    let any = !run.faults.is_empty() || run.suspects.iter().any(|suspect| plain(&suspect.fault.kind));
    let apart = options.same_value_stores_race
        || options.stop_at_barrier.is_some()
        || run.parting.is_some()
        || signals::may_wait(kernel)
        || locks::has_any(kernel);
    if places.is_empty() || !all || !any || apart {
        return run;
    }
    // On a way, all is said with the terms of the runs before, to which each run adds.
    let along = way.known.is_some();
    let mut terms = if along { std::mem::take(&mut run.terms) } else { Terms::new() };
    let watching = |idle: Idle, terms: Terms| {
        let (places, idle, way) = (Some(places.clone()), Some(Box::new(idle)), way.clone());
        Watching { inputs: true, places, idle, way, terms, spent: run.stats.fuel(), ..Watching::default() }
    };
    let (idle, left) = {
        let mut machine = Machine::new(options, budget, kernel, setup, watching(Idle::default(), terms));
        machine.launch();
        let whole = machine.exhausted.is_none() && machine.races.found.is_empty();
        (machine.idle.take().filter(|idle| whole && idle.first.is_some()), machine.terms)
    };
    terms = if along { left } else { Terms::new() };
    if let Some(idle) = idle {
        let watch = watching(Idle { known: true, ..*idle }, terms);
        match Machine::new(options, budget, kernel, setup, watch).run() {
            Ended::Whole(found, Verdict::Stands(_), _)
                if found.faults.is_empty() && !found.unordered.used && found.parting.is_none() =>
            {
                return *found;
            }
            Ended::Whole(found, ..) => terms = found.terms,
            Ended::Again(more) => terms = more.terms,
        }
    }
    if along {
        run.terms = terms;
    }
    run
}

impl<'a> Machine<'a> {
    /// What a load has just given to lanes is forgotten where it races.
    pub(super) fn forget_idle(&mut self, index: usize, pc: u32, batch: &Batch, access: Access, element: u8) {
        let Some(idle) = self.idle.as_deref().filter(|idle| idle.known) else { return };
        let Some((load, _, place)) = &idle.first else { return };
        let bytes = u64::from(access.format.bytes());
        let first = self.first_thread + self.warps[index].first();
        let races = |lane: &u32| {
            let at = batch.offsets[*lane as usize] + u64::from(element) * bytes;
            (at >> 2..=(at + bytes - 1) >> 2).any(|word| idle.holds(&(first + *lane, pc, batch.region, word)))
        };
        let found: Vec<u32> = lanes(batch.mask).filter(races).collect();
        if found.is_empty() {
            return;
        }
        let source = Unwritten::Racing(place.clone(), *load);
        let (origin, value) = self.nothing_again(idle.origin, source);
        if let Some(idle) = &mut self.idle {
            idle.origin = Some(origin);
        }
        let dst = self.kernel.dst(&self.kernel.code[pc as usize])[usize::from(element)];
        for lane in found {
            self.warps[index].set(dst, lane, value);
        }
    }

    /// What is left behind of accesses that nothing orders.
    pub(super) fn unordered_words(&mut self) -> Unordered {
        let mut words = std::mem::take(&mut self.conflicts);
        words.extend(self.accesses.take().into_iter().flat_map(Accesses::places));
        let used = self.idle.as_ref().is_some_and(|idle| idle.used) || self.leaves_idle();
        Unordered { words, used }
    }

    /// Whether global memory is left with what a load has that races.
    fn leaves_idle(&mut self) -> bool {
        let Some(origin) = self.idle.as_ref().and_then(|idle| idle.origin) else { return false };
        let terms = &mut self.terms;
        self.memory.regions.iter().filter(|region| region.space == Space::Global && region.written).any(
            |region| {
                let granule = region.cells.granule();
                let mut places = region
                    .cells
                    .stretches()
                    .into_iter()
                    .flat_map(|stretch| stretch.step_by(granule as usize));
                places.any(|at| match region.cells.read(terms, at, granule) {
                    value @ Value::Undefined(_) => {
                        terms.missing(value).iter().any(|part| part.origin == origin)
                    }
                    _ => false,
                })
            },
        )
    }

    /// Names the races that came to nothing.
    pub(super) fn note_idle(&self, ledger: &mut crate::diag::Ledger) {
        let Some(Idle { loads, first: Some((load, store, place)), known: true, .. }) = self.idle.as_deref()
        else {
            return;
        };
        let what = format!(
            "a load may race with a store if nobody uses what it loads: {} loads `{}`, {} stores it, and nothing orders the two",
            load.thread, place.text, store.thread
        );
        let span = self.kernel.code[load.instr as usize].span;
        let first = Label { source: self.kernel.source, span, text: String::new() };
        let threads: FxHashSet<(u32, u32)> = loads.iter().map(|(thread, pc, ..)| (*thread, *pc)).collect();
        ledger.note(Assumption::Other(what), threads.len() as u64, Some(first));
    }
}
