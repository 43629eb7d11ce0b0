//! Faults under conditions on the inputs, kept until somebody decides whether the condition can hold.
//!
//! Both sides of a branch on data are executed, each under its condition (`predicate`), so a fault met
//! on the way says nothing yet: the condition may never hold. If it contradicts itself in plain sight
//! ([`is_contradictory`]) there is no fault. Otherwise the fault is noted with its condition, and the
//! thread goes on as if nothing had happened: right for all inputs for which the condition does not
//! hold. Whatever the same thread meets later therefore carries the negation as well, so that what only
//! follows from a fault is not taken for another.
//!
//! Guarantees: every fault under a condition is listed, or the run says that there are more.
//! Misses: an access that depends on another thread's fault through memory may be listed beside it.

use super::contradiction::is_contradictory;
use super::machine::Machine;
use super::outcome::{Fault, FaultKind, Place, Race, SameStores, Site, Suspect};
use super::race::lanes;
use crate::term::{Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Suspects that are kept.
const MOST: usize = 1 << 16;

/// A race by its instructions, region, condition and values.
type Listed = (u32, u32, usize, Term, Option<[Term; 2]>);

/// Threads (counted in their CTA) with the conditions under which what they do is beside the point.
pub(super) type Spoiled = FxHashMap<u32, Term>;

/// What may be wrong, depending on the inputs.
#[derive(Default)]
pub(super) struct Suspects {
    pub(super) found: Vec<Suspect>,
    /// More than are kept.
    pub(super) more: bool,
    pub(super) same_stores: Vec<SameStores>,
    /// Faults already listed, by instruction, kind and condition.
    listed: FxHashMap<(u32, std::mem::Discriminant<FaultKind>, Term), usize>,
    /// Races already listed.
    races: FxHashSet<Listed>,
    /// By thread of the running CTA: when it has met a fault before.
    pub(super) spoiled: Spoiled,
}

impl Suspects {
    /// Another CTA begins.
    pub(super) fn begin_cta(&mut self) {
        self.spoiled.clear();
    }

    /// Lists two stores of one value.
    pub(super) fn same(&mut self, first: Site, second: Site, value: Option<Term>, place: Place) {
        let known = self.same_stores.iter_mut().find(|known| {
            (known.first.instr, known.second.instr) == (first.instr, second.instr)
                && known.place.name == place.name
        });
        match known {
            Some(known) => known.count += 1,
            None => self.same_stores.push(SameStores { first, second, place, value, count: 1 }),
        }
    }

    /// Lists something by which a fault hangs, whatever was listed before.
    pub(super) fn ask(&mut self, suspect: Suspect) {
        self.list(suspect);
    }

    fn list(&mut self, suspect: Suspect) {
        if self.found.len() < MOST {
            self.found.push(suspect);
        } else {
            self.more = true;
        }
    }
}

impl<'a> Machine<'a> {
    /// The condition under which a lane of the running warp executes at present, and has met no fault
    /// before.
    pub(super) fn condition(&mut self, index: usize, lane: u32) -> Term {
        let guard = self.guards.last().map_or(Term::TRUE, |guards| guards[lane as usize]);
        let thread = self.warps[index].first() + lane;
        match self.suspects.spoiled.get(&thread) {
            Some(spoiled) => {
                let sound = self.terms.not(*spoiled);
                self.terms.and(guard, sound)
            }
            None => guard,
        }
    }

    /// Lists a fault that lanes meet under a condition. Returns the lanes that stop there all the same,
    /// because what they would go on with is not known.
    #[inline(never)]
    pub(super) fn suspect(&mut self, index: usize, mask: u32, pc: u32, kind: &FaultKind) -> u32 {
        let goes_on = matches!(
            kind,
            FaultKind::OutOfBounds(..)
                | FaultKind::Misaligned(..)
                | FaultKind::UninitializedMemory(_)
                | FaultKind::Abort(_)
        );
        let mut stopping = 0;
        for lane in lanes(mask) {
            let condition = self.condition(index, lane);
            if is_contradictory(&self.terms, condition) {
                continue;
            }
            if !goes_on {
                stopping |= 1 << lane;
                continue;
            }
            self.suspected |= 1 << lane;
            self.suspect_under(index, lane, pc, kind, condition);
        }
        stopping
    }

    /// Lists a fault that a lane meets under a condition, and goes on.
    pub(super) fn suspect_under(
        &mut self,
        index: usize,
        lane: u32,
        pc: u32,
        kind: &FaultKind,
        condition: Term,
    ) {
        let linear = self.warps[index].first() + lane;
        let spoiled = self.suspects.spoiled.get(&linear).copied().unwrap_or(Term::FALSE);
        let spoiled = self.terms.or(spoiled, condition);
        self.suspects.spoiled.insert(linear, spoiled);
        let site = Site { instr: pc, thread: self.thread(linear) };
        self.suspect_at(Some(site), kind, condition);
    }

    /// Lists a fault under a condition.
    pub(super) fn suspect_at(&mut self, site: Option<Site>, kind: &FaultKind, condition: Term) {
        let instr = site.map_or(u32::MAX, |site| site.instr);
        let key = (instr, std::mem::discriminant(kind), condition);
        match (self.suspects.listed.get(&key), site) {
            (Some(at), Some(site)) => self.suspects.found[*at].fault.join(&[site.thread.linear]),
            (Some(_), None) => {}
            (None, _) => {
                let fault = Fault::new(kind.clone(), site);
                self.suspects.listed.insert(key, self.suspects.found.len().min(MOST - 1));
                self.suspects.list(Suspect { fault, condition, values: None });
            }
        }
    }

    /// What a suspect has not loaded is anything, for instance what was there, or else 0.
    pub(super) fn spare(&mut self, index: usize, pc: u32) {
        let kernel = self.kernel;
        let spared = std::mem::take(&mut self.suspected);
        for reg in kernel.dst(&kernel.code[pc as usize]) {
            let undefined = self.warps[index].undefined(*reg) & self.warps[index].special(*reg) & spared;
            for lane in lanes(undefined) {
                self.warps[index].set(*reg, lane, Value::Concrete(0));
            }
        }
        self.suspected = spared;
    }

    /// Lists accesses that are a race if a condition can hold, and if the values differ that they store.
    pub(super) fn suspect_race(
        &mut self,
        region: usize,
        condition: Term,
        values: Option<[Term; 2]>,
        race: impl FnOnce(&mut Self) -> Race,
        instructions: (u32, u32),
    ) {
        let (one, two) = instructions;
        if !self.suspects.races.insert((one.min(two), one.max(two), region, condition, values)) {
            return;
        }
        let race = race(self);
        let site = Some(race.second.site);
        let fault = Fault::new(FaultKind::DataRace(vec![race]), site);
        self.suspects.list(Suspect { fault, condition, values });
    }
}
