//! Order through memory: flags, semaphores and barriers over a grid, by release and acquire.
//!
//! A kernel that loads in a loop with `.acquire`, `.relaxed` or `.volatile` may wait there for what another thread
//! stores. Every place that is accessed like that, or by an atomic, has its history: all that was written to it, in
//! one order. A strong load may see whatever its thread does not know to be overwritten, and here it sees the
//! *oldest* of that. If the thread comes back to the load with nothing changed (the registers that are still needed
//! are as before, and it has done nothing in between), the load only waited: it is forgotten, with what it acquired,
//! and the next value is tried. So every value that some schedule shows is tried by whoever may see it, and where
//! none is left the thread waits for another. Where it has met others of its CTA on the way (`__syncthreads_and`,
//! `__any_sync`), all of them have to stand as before, and what it saw next must give what they know by then.
//!
//! One schedule stands for all as long as nothing else depends on who comes first:
//! - whatever else is written to a place after a value that let a thread go on is written after that load
//!   in every schedule (`history`);
//! - writes to a place are in order, or they are updates that may change places;
//! - of updates in no order that somebody goes on with in between, all add the same, so that the values in
//!   between are the same in every order.
//!
//! Anything else is *depends on the schedule*. What orders: a release (or a fence before a strong
//! write), carried on by updates, and an acquire that sees it (or a strong load before a fence), where
//! the scope of each holds the other's thread (PTX ISA 9.0, 8.8 and 8.9). An update acquires nothing but by a
//! special ticket: whose it sees is for the schedule to say.
//!
//! CTAs take turns: one that only waits leaves the machine to the others (`residents`). Updates that are not alike
//! (`atomicAdd` by different amounts) may stand in any order as long as whoever goes on with the sum of all would
//! have waited with the sum of any fewer.
//!
//! `fence.sc` (`membar`, `__threadfence()`) orders more: of two, the one that a thread has behind it when it writes
//! what another thread sees before its own comes first, and who comes later knows what the earlier knew, also where
//! the earlier thread only met the one that writes (`__threadfence(); __syncthreads(); if (t == 0) …`).
//!
//! Guarantees: where nothing is reported, all schedules end alike. Misses (and says so): several places that one loop
//! waits for at once, kernels with barrier objects. Results of updates are for `tickets`, loops that wait with updates
//! for `locks`.

use super::asked::Question;
use super::bits::mask as low_bits;
use super::bulk;
use super::clock::Arrival;
use super::execute::meets_own;
use super::history::{Key, Place, Progress, Read, Release, Released, Update, Write};
use super::machine::{Flow, Machine};
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind, Site};
use super::race::{Accessor, Conflict, Shadow, commutes, lanes};
use super::tickets::Tickets;
use super::warp::Group;
use crate::base::FormatClass;
use crate::ir::{Constant, Instr, Kernel, Reg, RegisterKind};
use crate::isa::{Access, AtomicOp, Effect, Scope, Space, Strength};
use crate::term::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a kernel is taken to have where threads of several CTAs wait for one another.
pub(super) const RESIDENT: &str =
    "all CTAs that are run are on the device at the same time: they wait for one another through memory";
/// Words that updates in no order may leave, at most.
const MOST: usize = 1 << 12;
/// Bytes of the widest element.
const WIDEST: u64 = 16;

/// Everything that threads know of one another through memory.
#[derive(Default)]
pub(super) struct Signals {
    pub(super) places: BTreeMap<Key, Place>,
    /// The last releasing fence of each thread, by its global number.
    pub(super) fenced: FxHashMap<u32, Release>,
    /// The last `fence.sc` of each CTA's threads that each thread has behind it.
    pub(super) sequential: FxHashMap<u32, Released>,
    /// Those that come before the next `fence.sc` of each thread, by what those have seen whom it has met.
    pub(super) told: FxHashMap<u32, Released>,
    /// What threads have seen by strong loads that do not acquire, until a fence does; with the load.
    pub(super) seen: FxHashMap<u32, Vec<(u32, Scope, Released)>>,
    /// The strong load that each warp (by CTA and number) executed last.
    visits: FxHashMap<(u32, usize), Visit>,
    /// For each strong load, the registers that are needed there, and what is asked of its value.
    needed: FxHashMap<u32, Rc<[Reg]>>,
    questions: FxHashMap<u32, Option<Rc<Question>>>,
    /// For each strong load, whether threads of its CTA meet on the way back to it.
    meets: FxHashMap<u32, bool>,
    /// For each strong write, the fence right before it.
    pub(super) fences: FxHashMap<u32, Option<Scope>>,
    /// What threads have done to others so far, and how much of it each of them.
    acts: u64,
    own_acts: FxHashMap<u32, u64>,
    /// How often threads of a CTA have met.
    meetings: u64,
}

/// A strong load that a group has executed, to compare with when it comes back.
struct Visit {
    pc: u32,
    mask: u32,
    acts: u64,
    meetings: u64,
    /// Where the other threads of the CTA stood, if threads meet on the way back.
    others: Option<Vec<Standing>>,
    lanes: Vec<LaneVisit>,
}

/// Where a thread stands, and what it has that is still needed.
#[derive(PartialEq)]
struct Standing {
    thread: u32,
    pc: u32,
    barrier: Option<u32>,
    needed: Vec<Value>,
}

struct LaneVisit {
    lane: u32,
    needed: Vec<Value>,
    acts: u64,
    /// What the thread knew before, and what it had seen.
    before: Arrival,
    seen: usize,
    sequential: Option<Released>,
    told: Option<Released>,
    /// The places it loaded and what it saw there.
    loaded: Vec<(Key, usize)>,
}

impl Signals {
    /// Threads, by their global numbers, do something to others.
    pub(super) fn act(&mut self, threads: impl Iterator<Item = u32>) {
        self.acts += 1;
        threads.for_each(|thread| *self.own_acts.entry(thread).or_default() += 1);
    }

    fn acts_of(&self, thread: u32) -> u64 {
        self.own_acts.get(&thread).copied().unwrap_or_default()
    }

    /// Threads of a CTA meet.
    pub(super) fn meet(&mut self) {
        self.meetings += 1;
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let places = self.places.values();
        places.map(|place| 96 * (place.writes.len() + place.reads.len()) as u64 + 128).sum()
    }
}

/// Whether the order through memory is followed. Barrier objects and bulk copies have an order of their own,
/// which is not combined with this.
pub(super) fn may_order(kernel: &Kernel) -> bool {
    !bulk::has_any(kernel)
        && !kernel.code.iter().any(|instr| matches!(instr.effect, Effect::Phaser(_)))
        && !super::cluster::has_any(kernel)
}

/// Whether a kernel may wait through memory: a strong load stands in a loop.
pub(super) fn may_wait(kernel: &Kernel) -> bool {
    if !may_order(kernel) {
        return false;
    }
    let loads = (0..kernel.code.len()).filter(|at| looked(kernel, &kernel.code[*at]).is_some());
    loads
        .into_iter()
        .any(|at| super::spin::cycle(kernel, at as u32).iter().filter(|inside| **inside).count() > 1)
}

/// The load that an update is which leaves what it finds, whatever that is: `atomicAdd(flag, 0)`, by which kernels
/// look at flags. It is no race with what only reads, because nobody can tell whether it happened. What it releases as
/// an update is not followed: there is a schedule in which it comes too late to be seen.
pub(super) fn polled(kernel: &Kernel, instr: &Instr) -> Option<Access> {
    let Effect::Atomic { op, access } = instr.effect else { return None };
    let sources = kernel.src(instr);
    let width = access.format.bits();
    let constant = |at: usize| match kernel.registers[sources.get(at)?.index()] {
        RegisterKind::Constant(Constant::Bits(bits)) => Some(low_bits(bits, width)),
        _ => None,
    };
    let is = |word: u64| constant(1) == Some(word);
    let leaves = match op {
        AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor => is(0) && !access.format.is_float(),
        AtomicOp::Max => is(0) && access.format.class() == FormatClass::Unsigned,
        AtomicOp::And => is(low_bits(u64::MAX, width)),
        AtomicOp::CompareSwap => sources.get(1) == sources.get(2) || constant(2).is_some_and(is),
        AtomicOp::Multiply | AtomicOp::Min | AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Exchange => false,
    };
    let kept = |reg: &Reg| !matches!(kernel.registers[reg.index()], RegisterKind::Sink);
    let looks = leaves && access.vector == 1 && kernel.dst(instr).first().is_some_and(kept);
    match access.strength {
        Strength::Strong(_, order) if looks && !order.releases() && is_strong(access) => Some(access),
        _ => None,
    }
}

/// A load by which a thread may wait: a strong one, or an update that only looks.
pub(super) fn looked(kernel: &Kernel, instr: &Instr) -> Option<Access> {
    match instr.effect {
        Effect::Load(access) => is_strong(access).then_some(access),
        _ => polled(kernel, instr),
    }
}

pub(super) fn is_strong(access: Access) -> bool {
    matches!(access.strength, Strength::Strong(..))
        && matches!(access.space, Space::Generic | Space::Global | Space::Shared)
}

/// The scope of a strong access.
pub(super) fn scope_of(kernel: &Kernel, pc: u32) -> Option<Scope> {
    let (Effect::Load(access) | Effect::Store(access) | Effect::Atomic { access, .. }) =
        kernel.code.get(pc as usize)?.effect
    else {
        return None;
    };
    match access.strength {
        Strength::Strong(scope, _) => Some(scope),
        Strength::Weak | Strength::Surface | Strength::NonCoherent | Strength::Texture => None,
    }
}

impl<'a> Machine<'a> {
    // ---- hooks of the machine --------------------------------------------------------------

    /// What is left of a conflict where two strong accesses may be in no order: of two that nothing
    /// orders, one is not strong, or not for the other's thread.
    #[inline]
    pub(super) fn sift(
        &self,
        pc: u32,
        before: &Shadow,
        by: &Accessor,
        kind: AccessKind,
        conflict: Option<Conflict>,
    ) -> Option<Conflict> {
        let conflict = conflict?;
        let is_strong = |conflict: &Conflict| self.both_strong(pc, (conflict.other, conflict.instr));
        if self.signals.is_none() || conflict.under_way || !is_strong(&conflict) {
            return Some(conflict);
        }
        let (reads, counts) = (kind == AccessKind::Read, |conflict: &Conflict| !is_strong(conflict));
        self.detector.conflict_that_counts(&self.clocks, before, by, reads, counts)
    }

    /// Whether two accesses that nothing orders may be so: both are strong, for each other's threads.
    pub(super) fn both_strong(&self, pc: u32, (other, instr): (u32, u32)) -> bool {
        if self.signals.is_none() {
            return false;
        }
        let scopes = (scope_of(self.kernel, pc), scope_of(self.kernel, instr));
        let (Some(one), Some(two)) = scopes else { return false };
        self.clocks.same_cta(other, self.first_thread) || wide(one) && wide(two)
    }

    /// Lanes have written some bytes of memory, which now hold what they hold.
    pub(super) fn signal_write(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset, bytes): (usize, u64, u32),
        strength: Strength,
        update: Option<Update>,
    ) {
        if self.lock_write((index, pc, lane), (region, offset, bytes), (strength, update.is_some())) {
            return;
        }
        let Some(signals) = &self.signals else { return };
        let cta = self.cta_of(region);
        let strong = matches!(strength, Strength::Strong(..));
        let touched: Vec<(Key, u32)> = signals
            .places
            .range((cta, region, offset.saturating_sub(WIDEST))..(cta, region, offset + u64::from(bytes)))
            .filter(|((.., at), place)| at + u64::from(place.bytes) > offset)
            .map(|(key, place)| (*key, place.bytes))
            .collect();
        let whole = [((cta, region, offset), bytes)];
        let touched = match touched[..] {
            [] if !strong => return,
            [] => whole.to_vec(),
            _ => touched,
        };
        if strong && touched[..] != whole {
            let why = "strong accesses of different sizes meet in memory".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return;
        }
        for (key, bytes) in touched {
            self.write_place((index, pc, lane), key, bytes, strength, update);
        }
    }

    fn write_place(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        key: Key,
        bytes: u32,
        strength: Strength,
        update: Option<Update>,
    ) {
        let thread = self.warps[index].first() + lane;
        let global = self.first_thread + thread;
        let value = self.memory.regions[key.1].cells.read(&mut self.terms, key.2, bytes);
        let by = self.clocks.stamp(thread);
        let scope = match strength {
            Strength::Strong(scope, _) => Some(scope),
            Strength::Weak | Strength::Surface | Strength::NonCoherent | Strength::Texture => None,
        };
        let acquires = match strength {
            Strength::Strong(_, order) => order.acquires(),
            Strength::Weak | Strength::Surface | Strength::NonCoherent | Strength::Texture => false,
        };
        let own = self.own_releases(pc, thread, strength);
        let Some(signals) = &mut self.signals else { return };
        let Some(place) = signals.places.get_mut(&key) else { return };
        let carried = match (update, place.writes.last()) {
            (Some(_), Some(before)) => Rc::clone(&before.released),
            _ => Rc::new([]),
        };
        // Whoever is last in every schedule in which it gets this number has all others before it.
        let before = place.writes.last().map(|write| write.value);
        let special = self.tickets.as_ref().and_then(|tickets| tickets.plan.special.get(&key));
        let last = special.filter(|special| special.last && before == Some(Value::Concrete(special.number)));
        let sure = self.tickets.as_ref().is_some_and(Tickets::next_is_sure) || last.is_some();
        let learned = scope.filter(|_| update.is_some() && !carried.is_empty() && sure);
        // What the writer itself knows of, it hands on with its own.
        let handed_on = |earlier: &Release| {
            let all = |own: &Release| {
                wide(own.scope)
                    && wide(earlier.scope)
                    && Release { scope: own.scope, ..earlier.clone() }.is_within(own)
            };
            own.iter().any(all)
        };
        let released: Released = match own[..] {
            [] => Rc::clone(&carried),
            _ => carried.iter().filter(|earlier| !handed_on(earlier)).chain(&own).cloned().collect(),
        };
        let strong_for = |other: u32, theirs: Option<Scope>| match (scope, theirs) {
            (Some(own), Some(theirs)) => self.clocks.same_cta(other, global) || wide(own) && wide(theirs),
            _ => false,
        };
        let (mut last, mut race, mut depends) = (true, None, None);
        for before in place.writes.iter().rev() {
            let known = before.by.as_ref().is_none_or(|before| self.clocks.relies(before, thread));
            if let Some(by) = before.by.as_ref().filter(|_| !known) {
                last = false;
                let alike = matches!((before.update, update), (Some(a), Some(b)) if are_alike(a, b));
                if !strong_for(by.thread, before.scope) {
                    race.get_or_insert((by.thread, before.pc, AccessKind::Write));
                } else if !alike {
                    depends.get_or_insert(by.thread);
                }
            }
            if before.last && known {
                break;
            }
        }
        for (other, (epoch, instr)) in &place.readers {
            let theirs = scope_of(self.kernel, *instr);
            if !strong_for(*other, theirs) && !self.clocks.ordered(*other, *epoch, thread) {
                race.get_or_insert((*other, *instr, AccessKind::Read));
            }
        }
        place.writes.push(Write { value, by: Some(by), pc, scope, update, released, last });
        if let Some(locks) = &mut self.locks {
            locks.standoff.write(global, key, place.writes.len() - 1);
        }
        if let Some(scope) = learned {
            let rest = match acquires {
                true => self.learn_released(pc, thread, scope, false, &carried),
                false => carried,
            };
            self.look_later(global, (pc, scope, rest));
        }
        if let Some((other, instr, kind)) = race {
            let conflict =
                Conflict { other, instr, kind, lane, observed: false, under_way: false, unfenced: false };
            let own = if update.is_some() { AccessKind::Atomic } else { AccessKind::Write };
            self.record_race(index, pc, own, key.1, key.2, conflict);
        }
        if let Some(other) = depends {
            let text = self.region_place(key.1, key.2, bytes).text;
            let other = self.global_thread(other);
            let why = format!("what {text} holds depends on whether {other} writes it first");
            self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
        }
    }

    /// Loads through which threads may wait.
    pub(super) fn signal_load(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> Flow {
        if let Some(flow) = self.lock_look(index, pc, mask, access) {
            return flow;
        }
        if !self.guards.is_empty() {
            let why = "a strong load is reached under a condition that depends on input data".to_owned();
            self.park(index, mask, pc, FaultKind::NotStructured(why));
            return Flow::Next;
        }
        let meets = self.meets_on_the_way_back(pc);
        if meets && self.others_can_run() {
            self.warps[index].polling.push(Group { pc, mask });
            return Flow::Leave;
        }
        let others = if meets { self.standing(index, mask) } else { None };
        let waits = self.come_back(index, pc, mask, (meets, others.as_ref()));
        if waits == mask {
            self.warps[index].spinning.push((Group { pc, mask }, self.changes));
            return Flow::Leave;
        }
        let needed = self.needed_at(pc);
        let (acts, meetings) =
            self.signals.as_ref().map_or((0, 0), |signals| (signals.acts, signals.meetings));
        let mut visit = Visit { pc, mask, acts, meetings, others, lanes: Vec::new() };
        for lane in lanes(mask) {
            let thread = self.warps[index].first() + lane;
            let global = self.first_thread + thread;
            let Some(signals) = &self.signals else { break };
            let seen = signals.seen.get(&global);
            let (sequential, told) = (signals.sequential.get(&global), signals.told.get(&global));
            let (sequential, told) = (sequential.cloned(), told.cloned());
            visit.lanes.push(LaneVisit {
                lane,
                needed: needed.iter().map(|reg| self.warps[index].get(*reg, lane)).collect(),
                acts: signals.acts_of(global),
                before: self.clocks.stamp(thread),
                seen: seen.map_or(0, Vec::len),
                sequential,
                told,
                loaded: Vec::new(),
            });
        }
        let step = access.format.bytes();
        let spots = self.spots(index, pc, mask, access);
        self.load(index, pc, mask, access);
        for (lane, region, offset) in spots {
            if self.warps[index].faulted >> lane & 1 == 1 {
                continue;
            }
            for element in 0..access.vector {
                let at = offset + u64::from(element) * u64::from(step);
                let key = (self.cta_of(region), region, at);
                if let Some(saw) = self.see((index, pc, lane), key, access, element)
                    && let Some(own) = visit.lanes.iter_mut().find(|own| own.lane == lane)
                {
                    own.loaded.push((key, saw));
                }
            }
        }
        let cta = self.cta_index;
        if let Some(signals) = &mut self.signals {
            signals.visits.insert((cta, index), visit);
        }
        Flow::Next
    }

    // ---- loads -----------------------------------------------------------------------------

    /// Lanes that come back to a load with nothing changed only wait: what they loaded is forgotten, and
    /// they go on to the next value. Those for which there is none yet.
    fn come_back(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        (meets, others): (bool, Option<&Vec<Standing>>),
    ) -> u32 {
        let cta = self.cta_index;
        let Some(signals) = &mut self.signals else { return 0 };
        let (acts, meetings) = (signals.acts, signals.meetings);
        let visit = signals.visits.remove(&(cta, index));
        let Some(visit) = visit.filter(|visit| visit.pc == pc && mask & !visit.mask == 0) else { return 0 };
        // Where threads have met, what one has seen others know: nothing is taken back, and all of them have
        // to be where they were, and to have done nothing.
        let met = meets && visit.meetings != meetings;
        if met && (visit.acts != acts || others.is_none() || visit.others.as_ref() != others) {
            return 0;
        }
        let needed = self.needed_at(pc);
        let mut idle = 0;
        for before in &visit.lanes {
            let lane = before.lane;
            let same = |(reg, old): (&Reg, &Value)| self.warps[index].get(*reg, lane) == *old;
            let thread = self.warps[index].first() + lane;
            let global = self.first_thread + thread;
            let acts = self.signals.as_ref().map_or(0, |signals| signals.acts_of(global));
            let unchanged = acts == before.acts && needed.iter().zip(&before.needed).all(same);
            if mask >> lane & 1 == 0 || !unchanged {
                continue;
            }
            if !met {
                self.clocks.forget(thread, &before.before);
            }
            let Some(signals) = &mut self.signals else { break };
            if !met {
                if let Some(seen) = signals.seen.get_mut(&global) {
                    seen.truncate(before.seen);
                }
                for (now, then) in
                    [(&mut signals.sequential, &before.sequential), (&mut signals.told, &before.told)]
                {
                    match then {
                        Some(then) => now.insert(global, Rc::clone(then)),
                        None => now.remove(&global),
                    };
                }
            }
            let mut newer = false;
            for (key, saw) in &before.loaded {
                let Some(place) = signals.places.get_mut(key) else { continue };
                let own = |read: &Read| read.thread == global && read.pc == pc && read.at == *saw;
                if let Some(at) = place.reads.iter().rposition(own) {
                    place.reads.swap_remove(at);
                }
                if met {
                    place.told.insert(global, *saw);
                }
                let progress = place.progress.entry(global).or_default();
                progress.last = progress.passed;
                if saw + 1 < place.writes.len() {
                    progress.tried = saw + 1;
                    newer = true;
                }
            }
            // Of several places, any may be the one that changes: all that they hold would have to be tried.
            if before.loaded.len() > 1 && newer {
                let why = "what this thread sees of several places that it waits for depends on the schedule";
                self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why.to_owned()));
            }
            idle |= u32::from(!newer) << lane;
        }
        idle
    }

    /// Whether threads of the CTA meet on the way back to a load.
    fn meets_on_the_way_back(&mut self, pc: u32) -> bool {
        let kernel = self.kernel;
        let Some(signals) = &mut self.signals else { return false };
        let meets = || {
            let inside = super::spin::cycle(kernel, pc);
            kernel.code.iter().zip(inside).any(|(instr, inside)| inside && meets_own(&instr.effect))
        };
        *signals.meets.entry(pc).or_insert_with(meets)
    }

    /// Whether other threads of the CTA can go on.
    fn others_can_run(&self) -> bool {
        let runnable = |warp: &super::warp::Warp| !warp.groups.is_empty();
        self.warps.iter().any(runnable)
    }

    /// Where all threads of the CTA but some lanes of a warp stand; `None` while others can run.
    fn standing(&mut self, index: usize, mask: u32) -> Option<Vec<Standing>> {
        let mut found = Vec::new();
        for warp in 0..self.warps.len() {
            if !self.warps[warp].groups.is_empty() {
                return None;
            }
            let gone = self.warps[warp].exited | if warp == index { mask } else { 0 };
            for lane in lanes(self.warps[warp].present & !gone) {
                let thread = self.warps[warp].first() + lane;
                let stays = self.warps[warp].spinning.iter().map(|(group, _)| group);
                let stays = stays.chain(&self.warps[warp].polling);
                let (pc, barrier) = match self.waits[thread as usize] {
                    Some(wait) => wait.at_barrier()?,
                    None => (stays.into_iter().find(|group| group.mask >> lane & 1 == 1)?.pc, None),
                };
                let needed = self.needed_at(pc);
                let needed = needed.iter().map(|reg| self.warps[warp].get(*reg, lane)).collect();
                found.push(Standing { thread, pc, barrier, needed });
            }
        }
        Some(found)
    }

    /// Where the lanes of a strong load look.
    pub(super) fn spots(&self, index: usize, pc: u32, mask: u32, access: Access) -> Vec<(u32, usize, u64)> {
        let instr = &self.kernel.code[pc as usize];
        let base = self.kernel.src(instr)[0];
        let spot = |lane: u32| {
            let Value::Concrete(word) = self.warps[index].get(base, lane) else { return None };
            match self.memory.locate(access.space, self.effective(word, instr.offset, base)) {
                Spot::Region(region, offset) => Some((lane, region, u64::try_from(offset).ok()?)),
                Spot::Local(_) | Spot::Nowhere => None,
            }
        };
        lanes(mask).filter_map(spot).collect()
    }

    /// What a lane sees of a place: the oldest that it may.
    fn see(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        key: Key,
        access: Access,
        element: u8,
    ) -> Option<usize> {
        let thread = self.warps[index].first() + lane;
        let global = self.first_thread + thread;
        let bytes = access.format.bytes();
        let Strength::Strong(scope, order) = access.strength else { return None };
        if !self.know_place(key, bytes) {
            let why = "strong accesses of different sizes meet in memory".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let kernel = self.kernel;
        let questions = &mut self.signals.as_mut()?.questions;
        let question = questions.entry(pc).or_insert_with(|| Question::of(kernel, pc).map(Rc::new)).clone();
        let place = self.signals.as_mut()?.places.get_mut(&key)?;
        let before = place.progress.get(&global).copied().unwrap_or_default();
        let known = |write: &&Write| write.by.as_ref().is_none_or(|by| self.clocks.relies(by, thread));
        // Behind the last write that all earlier ones are before, updates may change places: it counts how
        // many of them the thread has seen or knows.
        let settled = place.writes.iter().rposition(|write| write.last && known(&write)).unwrap_or(0);
        let tail = &place.writes[settled.max(1).min(place.writes.len())..];
        let like = |write: &Write| write.update == tail[0].update && write.adds_known();
        // Who comes after all of them in every schedule sees what they leave together.
        let after_all = tail.iter().all(|write| known(&write));
        let unlike = tail.iter().any(|write| !write.last) && !tail.iter().all(like) && !after_all;
        if unlike && question.is_none() {
            let text = self.region_place(key.1, key.2, bytes).text;
            let why =
                format!("what this load sees of {text} depends on the order of updates, which are not alike");
            self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
            return None;
        }
        let later = place.writes.iter().enumerate().skip(settled + 1);
        let later = later.filter(|(at, write)| *at <= before.last || known(write)).map(|(at, _)| at);
        // Updates that are not alike stay in this order; others are tried at the end.
        let known = if unlike { later.max().unwrap_or(settled) } else { settled + later.count() };
        let known = known.max(before.tried);
        let knows = after_all && known + 1 == place.writes.len();
        let of = place.writes.len();
        // What is not strong for this thread is in order with its load, or it is a race.
        let loose = place.writes[known..].iter().find_map(|write| {
            let by = write.by.as_ref().filter(|by| !self.clocks.relies(by, thread))?;
            let near = self.clocks.same_cta(by.thread, global);
            let strong = write.scope.is_some_and(|other| near || wide(scope) && wide(other));
            (!strong).then_some((by.thread, write.pc))
        });
        // What was told on the way here counts in schedules that show only what is seen now.
        let lost = place.told.get(&global).is_some_and(|told| !place.gives(*told, &place.writes[known]));
        let (value, released) = (place.writes[known].value, Rc::clone(&place.writes[known].released));
        place.progress.insert(global, Progress { passed: before.last, tried: before.tried, last: known });
        if let Some((other, instr)) = loose {
            let conflict = Conflict {
                other,
                instr,
                kind: AccessKind::Write,
                lane,
                observed: false,
                under_way: false,
                unfenced: false,
            };
            self.record_race(index, pc, AccessKind::Read, key.1, key.2, conflict);
        }
        if lost {
            let text = self.region_place(key.1, key.2, bytes).text;
            let why = format!(
                "what this thread and those that it meets know by {text} depends on how often it looks"
            );
            self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
            return None;
        }
        if let Some(locks) = &mut self.locks {
            locks.standoff.see(global, key, known);
        }
        let epoch = self.clocks.epoch(thread);
        let site = Site { instr: pc, thread: self.thread(thread) };
        let asked = question.map(|question| self.ask(&question, index, lane));
        let place = self.signals.as_mut()?.places.get_mut(&key)?;
        place.readers.insert(global, (epoch, pc));
        place.reads.push(Read { at: known, of, thread: global, epoch, pc, site, asked, knows });
        self.fill_element((index, pc, lane), (key.1, key.2), access, element, value);
        let rest = match order.acquires() {
            true => self.learn_released(pc, thread, scope, false, &released),
            false => released,
        };
        self.look_later(global, (pc, scope, rest));
        Some(known)
    }

    /// A place is about to be written.
    pub(super) fn signal_place(&mut self, region: usize, offset: u64, bytes: u32, strength: Strength) {
        let of_lock =
            self.is_lock(region, offset) || self.locks.as_ref().is_some_and(|locks| locks.is_taking());
        if self.signals.is_some() && matches!(strength, Strength::Strong(..)) && !of_lock {
            self.know_place((self.cta_of(region), region, offset), bytes);
        }
    }

    /// Makes a place known. Whether it has this size.
    fn know_place(&mut self, key: Key, bytes: u32) -> bool {
        let (_, region, offset) = key;
        let Some(signals) = &mut self.signals else { return false };
        if let Some(place) = signals.places.get(&key) {
            return place.bytes == bytes;
        }
        let near = (key.0, region, offset.saturating_sub(WIDEST))..(key.0, region, offset + u64::from(bytes));
        if signals.places.range(near).any(|((.., at), place)| at + u64::from(place.bytes) > offset) {
            return false;
        }
        let value = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
        let written = self.memory.regions[region].shadow_at(offset).last_write();
        let pc = written.map_or(u32::MAX, |(.., instr)| instr);
        let by = written.map(|(writer, epoch, _)| self.clocks.mark(writer, epoch));
        let first = Write { value, by, pc, scope: None, update: None, released: Rc::new([]), last: true };
        let place = Place {
            bytes,
            writes: vec![first],
            reads: Vec::new(),
            progress: FxHashMap::default(),
            readers: FxHashMap::default(),
            told: FxHashMap::default(),
        };
        if let Some(signals) = &mut self.signals {
            signals.places.insert(key, place);
        }
        true
    }

    pub(super) fn cta_of(&self, region: usize) -> u32 {
        if self.memory.regions[region].space == Space::Shared { self.cta_index + 1 } else { 0 }
    }

    pub(super) fn needed_at(&mut self, pc: u32) -> Rc<[Reg]> {
        let kernel = self.kernel;
        let Some(signals) = &mut self.signals else { return Rc::new([]) };
        Rc::clone(signals.needed.entry(pc).or_insert_with(|| super::needed::at(kernel, pc)))
    }

    // ---- the end ---------------------------------------------------------------------------

    /// All threads have done what they do. What else some schedule could have shown to a load?
    pub(super) fn judge_signals(&mut self) {
        let Some(signals) = self.signals.take() else { return };
        for (key, place) in signals.places.iter().filter(|(_, place)| !place.readers.is_empty()) {
            let text = self.region_place(key.1, key.2, place.bytes).text;
            let spans = place.spans();
            for read in &place.reads {
                let late: Vec<usize> = place.late(read).map(|(at, _)| at).collect();
                let Some(by) = late.first().and_then(|at| place.writes[*at].by.as_ref()) else { continue };
                // Whoever sees more goes the same way, and relies on as much at least.
                let covered = |at: &usize| {
                    let write = &place.writes[*at];
                    place.are_before(read, (*at, write)) && place.gives(read.at, write)
                };
                let words = place.shown(read.at, &late, &spans, MOST).filter(|_| late.iter().all(covered));
                let way = |machine: &mut Self| machine.way_of_all(read.asked.as_ref()?, &words?);
                if way(self).is_some() {
                    continue;
                }
                let writer = self.global_thread(by.thread);
                let why = format!(
                    "what this load sees of {text} depends on whether {writer} has written it, and the thread goes on with either"
                );
                self.list_at(Some(read.site), FaultKind::DependsOnSchedule(why));
            }
            for span in spans.iter().filter(|span| !place.are_like(**span) && span[0] < span[1]) {
                self.judge_unlike(place, *span, &text);
            }
        }
        self.signals = Some(signals);
    }

    /// Updates that are not alike leave different words in between, by their order: with all of those a thread has to
    /// wait that goes on with what they leave together.
    fn judge_unlike(&mut self, place: &Place, [from, to]: [usize; 2], text: &str) {
        let partly = place.partial_sums([from, to], MOST);
        // Each thread's first load that may come after one of them.
        let mut first: BTreeMap<u32, &Read> = BTreeMap::new();
        for read in place.reads.iter().filter(|read| read.at >= from) {
            let own = first.entry(read.thread).or_insert(read);
            if read.at < own.at {
                *own = read;
            }
        }
        let own = |machine: &mut Self, read: &Read| {
            if read.knows && read.at >= to {
                return true;
            }
            let (Some(partly), Some(asked), Value::Concrete(passed)) =
                (&partly, &read.asked, place.writes[read.at].value)
            else {
                return false;
            };
            let way = machine.way_of_all(asked, partly);
            read.at >= to && way.is_some() && way != machine.way_of_all(asked, &[passed])
        };
        let wrong = first.into_values().find(|read| !own(self, read));
        if let Some(read) = wrong {
            let why = format!(
                "what {text} holds in between depends on the order of its updates, which are not alike"
            );
            self.list_at(Some(read.site), FaultKind::DependsOnSchedule(why));
        }
    }
}

/// Whether it leaves the same which of two updates is made first.
fn are_alike(one: Update, other: Update) -> bool {
    let same = one.operand == other.operand && matches!(one.operand, Some(Value::Concrete(_)));
    one.kind == other.kind && (commutes(one.kind.0) || same)
}

/// Whether a scope holds the threads of other CTAs.
pub(super) fn wide(scope: Scope) -> bool {
    scope >= Scope::Gpu
}
