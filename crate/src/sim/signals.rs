//! Order through memory: flags, semaphores and barriers over a grid, by release and acquire.
//!
//! A kernel that loads in a loop with `.acquire`, `.relaxed` or `.volatile` may wait there for what
//! another thread stores. Every place that is accessed like that, or by an atomic, has its history: all
//! that was written to it, in one order. A strong load may see whatever its thread does not know to be
//! overwritten, and here it sees the *oldest* of that. If the thread comes back to the load with nothing
//! changed (the registers that are still needed are as before, and it has done nothing in between), the
//! load only waited: it is forgotten, with what it acquired, and the next value is tried. So every value
//! that some schedule shows is tried by whoever may see it, and where none is left the thread waits for
//! another.
//!
//! One schedule stands for all as long as nothing else depends on who comes first:
//! - whatever else is written to a place after a value that let a thread go on is written after that load
//!   in every schedule ([`Place::late`]);
//! - writes to a place are in order, or they are updates that may change places;
//! - of updates in no order that somebody loads in between, all add the same, so that the values in
//!   between are the same in every order.
//!
//! Anything else is *depends on the schedule*. What orders: a release (or a fence before a strong
//! write), carried on by updates, and an acquire that sees it (or a strong load before a fence), where
//! the scope of each holds the other's thread (PTX ISA 9.0, 8.8 and 8.9). An update acquires nothing: whose
//! it sees is for the schedule to say, but for what is in order anyway.
//!
//! CTAs take turns: one that only waits leaves the machine to the others (`residents`).
//!
//! Guarantees: where nothing is reported, all schedules end alike. Misses (and says so): loops that wait with
//! atomics (locks), values of updates that are used (tickets), several places that one loop waits for at once,
//! kernels with barrier objects.

use super::clock::{Arrival, Clocks};
use super::machine::{Flow, Machine};
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind, Site};
use super::race::{Accessor, Conflict, Shadow, lanes};
use super::warp::Group;
use crate::base::Format;
use crate::ir::{Kernel, Reg};
use crate::isa::{Access, AtomicOp, Effect, Order, Scope, Space, Strength};
use crate::term::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a kernel is taken to have where threads of several CTAs wait for one another.
const RESIDENT: &str =
    "all CTAs that are run are on the device at the same time: they wait for one another through memory";
/// Bytes of the widest element.
const WIDEST: u64 = 16;

/// A place: the CTA for shared memory (0 for global), region and offset.
type Key = (u32, usize, u64);

/// What is released, and to which scope.
type Released = Rc<[(Arrival, Scope)]>;

/// Everything that threads know of one another through memory.
#[derive(Default)]
pub(super) struct Signals {
    places: BTreeMap<Key, Place>,
    /// The last releasing fence of each thread, by its global number.
    fenced: FxHashMap<u32, (Arrival, Scope)>,
    /// What threads have seen by strong loads that do not acquire, until a fence does; with the load.
    seen: FxHashMap<u32, Vec<(u32, Scope, Released)>>,
    /// The strong load that each warp (by CTA and number) executed last.
    visits: FxHashMap<(u32, usize), Visit>,
    /// Registers that are needed at a strong load.
    needed: FxHashMap<u32, Rc<[Reg]>>,
    /// What threads have done to others so far.
    acts: u64,
}

/// The history of a place.
struct Place {
    bytes: u32,
    writes: Vec<Write>,
    reads: Vec<Read>,
    /// How far threads that load have got.
    progress: FxHashMap<u32, Progress>,
    /// Who has loaded here, or tried, and when last.
    readers: FxHashMap<u32, (u32, u32)>,
}

/// How far a thread has got in the history of a place.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// It went on with so many writes.
    passed: usize,
    /// With fewer than so many it only waits.
    tried: usize,
    /// What it has loaded, of which it will show whether it goes on with that.
    last: usize,
}

struct Write {
    value: Value,
    /// Who, with what it knew; `None` for what was there before the kernel.
    by: Option<Arrival>,
    pc: u32,
    scope: Option<Scope>,
    /// For an update, what it does.
    update: Option<(AtomicOp, Format, Option<Value>)>,
    released: Released,
    /// All earlier writes are before this one.
    last: bool,
}

/// A load that let its thread go on.
struct Read {
    /// What it saw, and how many writes there were.
    at: usize,
    of: usize,
    thread: u32,
    epoch: u32,
    pc: u32,
    site: Site,
}

/// A strong load that a group has executed, to compare with when it comes back.
struct Visit {
    pc: u32,
    mask: u32,
    acts: u64,
    lanes: Vec<LaneVisit>,
}

struct LaneVisit {
    lane: u32,
    needed: Vec<Value>,
    /// What the thread knew before, and what it had seen.
    before: Arrival,
    seen: usize,
    /// The places it loaded and what it saw there.
    loaded: Vec<(Key, usize)>,
}

impl Signals {
    /// Somebody does something to others.
    pub(super) fn act(&mut self) {
        self.acts += 1;
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let places = self.places.values();
        places.map(|place| 96 * (place.writes.len() + place.reads.len()) as u64 + 128).sum()
    }
}

/// Whether a kernel may wait through memory: a strong load stands in a loop. Barrier objects have an order
/// of their own, which is not combined with this.
pub(super) fn may_wait(kernel: &Kernel) -> bool {
    let objects = |effect: &Effect| matches!(effect, Effect::Phaser(_));
    if kernel.code.iter().any(|instr| objects(&instr.effect)) {
        return false;
    }
    let strong = |instr: &crate::ir::Instr| matches!(instr.effect, Effect::Load(access) if is_strong(access));
    let loads = (0..kernel.code.len()).filter(|at| strong(&kernel.code[*at]));
    loads
        .into_iter()
        .any(|at| super::spin::cycle(kernel, at as u32).iter().filter(|inside| **inside).count() > 1)
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
        Strength::Weak | Strength::NonCoherent => None,
    }
}

impl Write {
    /// An update by a value that is the same wherever it says so.
    fn adds_known(&self) -> bool {
        matches!(self.update, Some((.., Some(Value::Concrete(_)))))
    }
}

impl Place {
    /// The first write after what a load saw that some schedule puts before the load.
    fn late(&self, read: &Read) -> Option<&Write> {
        let later = self.writes.iter().enumerate().skip(read.at + 1);
        let mut late = later.filter(|(at, write)| {
            let after = |by| Clocks::precedes(read.thread, read.epoch, by);
            *at < read.of || !write.by.as_ref().is_some_and(after)
        });
        late.next().map(|(_, write)| write)
    }

    /// Two updates in no order that do not add the same.
    fn unlike(&self) -> Option<&Write> {
        let ordered = |one: &Write, other: &Write| match (&one.by, &other.by) {
            (Some(one), Some(other)) => Clocks::precedes(one.thread, one.epoch(), other),
            _ => true,
        };
        self.writes.iter().enumerate().find_map(|(at, write)| {
            let earlier = self.writes[..at].iter().rev();
            // What all earlier ones are before settles those.
            let mut open = earlier.scan(write.last, |done, other| {
                let was = std::mem::replace(done, *done || other.last);
                (!was).then_some(other)
            });
            let unlike = |other: &Write| {
                !ordered(other, write) && !(other.update == write.update && write.adds_known())
            };
            open.any(unlike).then_some(write)
        })
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

    /// A thread executes a fence.
    pub(super) fn signal_fence(&mut self, index: usize, pc: u32, mask: u32, scope: Scope, order: Order) {
        if self.signals.is_none() {
            return;
        }
        for lane in lanes(mask) {
            let thread = self.warps[index].first() + lane;
            let global = self.first_thread + thread;
            let Some(signals) = &mut self.signals else { return };
            if order.acquires() {
                let seen = signals.seen.remove(&global).unwrap_or_default();
                for (_, loaded, released) in seen {
                    self.learn_released(pc, thread, loaded.min(scope), &released);
                }
            }
            let Some(signals) = &mut self.signals else { return };
            if order.releases() {
                signals.fenced.insert(global, (self.clocks.arrive(thread), scope));
            }
        }
    }

    /// Lanes have written some bytes of memory, which now hold what they hold.
    pub(super) fn signal_write(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset, bytes): (usize, u64, u32),
        strength: Strength,
        update: Option<(AtomicOp, Format, Option<Value>)>,
    ) {
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
        update: Option<(AtomicOp, Format, Option<Value>)>,
    ) {
        let thread = self.warps[index].first() + lane;
        let global = self.first_thread + thread;
        let value = self.memory.regions[key.1].cells.read(&mut self.terms, key.2, bytes);
        let by = self.clocks.stamp(thread);
        let scope = match strength {
            Strength::Strong(scope, _) => Some(scope),
            Strength::Weak | Strength::NonCoherent => None,
        };
        let releases = matches!(strength, Strength::Strong(_, order) if order.releases());
        let own = match scope {
            Some(scope) if releases => Some((self.clocks.arrive(thread), scope)),
            // A fence before a strong write releases what came before the fence.
            Some(scope) => {
                let fenced = self.signals.as_ref().and_then(|signals| signals.fenced.get(&global));
                fenced.map(|(arrival, fence)| (arrival.clone(), scope.min(*fence)))
            }
            None => None,
        };
        let Some(signals) = &mut self.signals else { return };
        let Some(place) = signals.places.get_mut(&key) else { return };
        let carried = match (update, place.writes.last()) {
            (Some(_), Some(before)) => Rc::clone(&before.released),
            _ => Rc::new([]),
        };
        let released: Released = match own {
            Some(own) => carried.iter().cloned().chain([own]).collect(),
            None => carried,
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
                let alike = matches!((before.update, update), (Some(a), Some(b)) if (a.0, a.1) == (b.0, b.1));
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
        if let Some((other, instr, kind)) = race {
            let conflict = Conflict { other, instr, kind, lane, observed: false, under_way: false };
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
        if !self.guards.is_empty() {
            let why = "a strong load is reached under a condition that depends on input data".to_owned();
            self.park(index, mask, pc, FaultKind::NotStructured(why));
            return Flow::Next;
        }
        let waits = self.come_back(index, pc, mask);
        if waits == mask {
            self.warps[index].spinning.push((Group { pc, mask }, self.changes));
            return Flow::Leave;
        }
        let needed = self.needed_at(pc);
        let acts = self.signals.as_ref().map_or(0, |signals| signals.acts);
        let mut visit = Visit { pc, mask, acts, lanes: Vec::new() };
        for lane in lanes(mask) {
            let thread = self.warps[index].first() + lane;
            let seen = self.signals.as_ref().and_then(|s| s.seen.get(&(self.first_thread + thread)));
            visit.lanes.push(LaneVisit {
                lane,
                needed: needed.iter().map(|reg| self.warps[index].get(*reg, lane)).collect(),
                before: self.clocks.stamp(thread),
                seen: seen.map_or(0, Vec::len),
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
    fn come_back(&mut self, index: usize, pc: u32, mask: u32) -> u32 {
        let cta = self.cta_index;
        let Some(signals) = &mut self.signals else { return 0 };
        let acts = signals.acts;
        let visit = signals.visits.remove(&(cta, index));
        let visit = visit.filter(|visit| visit.pc == pc && visit.acts == acts && mask & !visit.mask == 0);
        let Some(visit) = visit else { return 0 };
        let needed = self.needed_at(pc);
        let mut idle = 0;
        for before in &visit.lanes {
            let lane = before.lane;
            let same = |(reg, old): (&Reg, &Value)| self.warps[index].get(*reg, lane) == *old;
            if mask >> lane & 1 == 0 || !needed.iter().zip(&before.needed).all(same) {
                continue;
            }
            let thread = self.warps[index].first() + lane;
            let global = self.first_thread + thread;
            self.clocks.forget(thread, &before.before);
            let Some(signals) = &mut self.signals else { break };
            if let Some(seen) = signals.seen.get_mut(&global) {
                seen.truncate(before.seen);
            }
            let mut newer = false;
            for (key, saw) in &before.loaded {
                let Some(place) = signals.places.get_mut(key) else { continue };
                let own = |read: &Read| read.thread == global && read.pc == pc && read.at == *saw;
                if let Some(at) = place.reads.iter().rposition(own) {
                    place.reads.swap_remove(at);
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
        let place = self.signals.as_mut()?.places.get_mut(&key)?;
        let before = place.progress.get(&global).copied().unwrap_or_default();
        let known = |write: &&Write| write.by.as_ref().is_none_or(|by| self.clocks.relies(by, thread));
        // Behind the last write that all earlier ones are before, updates may change places: it counts how
        // many of them the thread has seen or knows.
        let settled = place.writes.iter().rposition(|write| write.last && known(&write)).unwrap_or(0);
        let tail = &place.writes[settled.max(1).min(place.writes.len())..];
        let like = |write: &Write| write.update == tail[0].update && write.adds_known();
        if tail.iter().any(|write| !write.last) && !tail.iter().all(like) {
            let text = self.region_place(key.1, key.2, bytes).text;
            let why =
                format!("what this load sees of {text} depends on the order of updates, which are not alike");
            self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
            return None;
        }
        let later = place.writes.iter().enumerate().skip(settled + 1);
        let known = settled + later.filter(|(at, write)| *at <= before.last || known(write)).count();
        let known = known.max(before.tried);
        let of = place.writes.len();
        // What is not strong for this thread is in order with its load, or it is a race.
        let loose = place.writes[known..].iter().find_map(|write| {
            let by = write.by.as_ref().filter(|by| !self.clocks.relies(by, thread))?;
            let near = self.clocks.same_cta(by.thread, global);
            let strong = write.scope.is_some_and(|other| near || wide(scope) && wide(other));
            (!strong).then_some((by.thread, write.pc))
        });
        let (value, released) = (place.writes[known].value, Rc::clone(&place.writes[known].released));
        place.progress.insert(global, Progress { passed: before.last, tried: before.tried, last: known });
        if let Some((other, instr)) = loose {
            let conflict =
                Conflict { other, instr, kind: AccessKind::Write, lane, observed: false, under_way: false };
            self.record_race(index, pc, AccessKind::Read, key.1, key.2, conflict);
        }
        let epoch = self.clocks.epoch(thread);
        let site = Site { instr: pc, thread: self.thread(thread) };
        let place = self.signals.as_mut()?.places.get_mut(&key)?;
        place.readers.insert(global, (epoch, pc));
        place.reads.push(Read { at: known, of, thread: global, epoch, pc, site });
        self.fill_element((index, pc, lane), (key.1, key.2), access, element, value);
        if order.acquires() {
            self.learn_released(pc, thread, scope, &released);
        } else if !released.is_empty() {
            let seen = self.signals.as_mut()?.seen.entry(global).or_default();
            seen.push((pc, scope, released));
        }
        Some(known)
    }

    /// What was released is before what the thread does from now on, where the scopes hold each other.
    fn learn_released(&mut self, pc: u32, thread: u32, scope: Scope, released: &Released) {
        let global = self.first_thread + thread;
        let holds = |(arrival, other): &&(Arrival, Scope)| {
            self.clocks.same_cta(arrival.thread, global) || wide(scope) && wide(*other)
        };
        let arrivals: Vec<Arrival> =
            released.iter().filter(holds).map(|(arrival, _)| arrival.clone()).collect();
        if arrivals.is_empty() {
            return;
        }
        if arrivals.iter().any(|arrival| !self.clocks.same_cta(arrival.thread, global)) {
            self.granted.entry(RESIDENT).or_insert((0, pc)).0 += 1;
        }
        self.clocks.learn(&arrivals, thread);
    }

    /// A place is about to be written.
    pub(super) fn signal_place(&mut self, region: usize, offset: u64, bytes: u32, strength: Strength) {
        if self.signals.is_some() && matches!(strength, Strength::Strong(..)) {
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
        };
        if let Some(signals) = &mut self.signals {
            signals.places.insert(key, place);
        }
        true
    }

    fn cta_of(&self, region: usize) -> u32 {
        if self.memory.regions[region].space == Space::Shared { self.cta_index + 1 } else { 0 }
    }

    fn needed_at(&mut self, pc: u32) -> Rc<[Reg]> {
        let kernel = self.kernel;
        let Some(signals) = &mut self.signals else { return Rc::new([]) };
        Rc::clone(signals.needed.entry(pc).or_insert_with(|| super::needed::at(kernel, pc)))
    }

    // ---- the end ---------------------------------------------------------------------------

    /// All threads have done what they do. What else some schedule could have shown to a load?
    pub(super) fn judge_signals(&mut self) {
        let Some(signals) = self.signals.take() else { return };
        for (key, place) in &signals.places {
            let text = |machine: &Self| machine.region_place(key.1, key.2, place.bytes).text;
            for read in &place.reads {
                let Some(late) = place.late(read) else { continue };
                let Some(by) = &late.by else { continue };
                let (writer, text) = (self.global_thread(by.thread), text(self));
                let why = format!(
                    "what this load sees of {text} depends on whether {writer} has written it, and the thread goes on with either"
                );
                self.list_at(Some(read.site), FaultKind::DependsOnSchedule(why));
            }
            if !place.readers.is_empty()
                && let Some(write) = place.unlike()
                && let Some(by) = &write.by
            {
                let why = format!(
                    "what {} holds in between depends on the order of its updates, which are not alike",
                    text(self)
                );
                let site = Site { instr: write.pc, thread: self.global_thread(by.thread) };
                self.list_at(Some(site), FaultKind::DependsOnSchedule(why));
            }
        }
        self.signals = Some(signals);
    }
}

/// Whether a scope holds the threads of other CTAs.
fn wide(scope: Scope) -> bool {
    scope >= Scope::Gpu
}
