//! Races where conditions and values matter: every access to a few places, one by one.
//!
//! `race` keeps the last write and what was read since, which is enough to find out whether any two
//! accesses are unordered, but not under which conditions they are made. Where it found such accesses,
//! and a condition on the inputs or the value stored may make a difference, the kernel is run again, and
//! for the places concerned each access is kept with its condition and its value, until an access that
//! stands for it comes after it. Two unordered accesses, one of them a write, then are
//!
//! - nothing, if their conditions contradict each other in plain sight;
//! - nothing but an assumption, if both store the same value: whichever comes last, memory holds it, and
//!   no thread that is ordered after both can tell. One that reads without being ordered with one of
//!   them is in a race with that one, whatever it would see;
//! - a race, if no condition is involved and no value; otherwise a suspect (`suspects`).
//!
//! Guarantees: those of `race`, for each pair. A pair that is left out because a third access stands
//! for it is a race only if that one's is: a store stands for what comes before it only if that stores the same value,
//! because another store of its value is in no conflict with it.
//! Misses: copies under way are told by `race`, with the present access's condition alone.

use super::bits::as_number;
use super::contradiction::is_contradictory;
use super::idle;
use super::machine::Machine;
use super::outcome::{AccessKind, Site};
use super::race::{Accessor, Conflict, lanes};
use crate::base::Format;
use crate::isa::{Space, WARP};
use crate::term::{Symbol, SymbolKind, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Accesses to a place from which on it is looked whether some are over.
const MANY: usize = 64;

/// Aligned words of four bytes, by region and number.
pub(super) type Places = FxHashSet<(usize, u64)>;

/// What a store leaves in a place: the value that it stores, and where that begins and how long it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) value: Value,
    pub(super) start: u64,
    pub(super) bytes: u32,
    pub(super) format: Format,
}

/// One access, or the same one by several lanes.
#[derive(Clone)]
struct Entry {
    kind: AccessKind,
    /// Global number of the warp's lane 0.
    first: u32,
    mask: u32,
    epoch: u32,
    instr: u32,
    /// Which bytes of the word.
    bytes: u8,
    condition: Term,
    stored: Option<Stored>,
    /// It may miss what was written before it, whatever the order.
    stale: bool,
    /// The sections of locks that it is in.
    sections: Rc<[u32]>,
}

/// The accesses to the places that are watched one by one.
pub(super) struct Accesses {
    places: Places,
    kept: FxHashMap<(usize, u64), Vec<Entry>>,
}

impl Accesses {
    pub(super) fn new(places: Places) -> Accesses {
        Accesses { places, kept: FxHashMap::default() }
    }

    /// What is watched.
    pub(super) fn places(self) -> Places {
        self.places
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let entries: usize = self.kept.values().map(Vec::capacity).sum();
        // The sections of locks are those of few kernels, and shared.
        (entries * (size_of::<Entry>() - size_of::<Rc<[u32]>>()) + self.places.capacity() * 48) as u64
    }
}

impl Stored {
    /// Whether two stores leave the same in the `granule` bytes from `at` on.
    fn is(&self, other: &Stored, at: u64, granule: u32) -> bool {
        let concrete = |stored: &Stored| match stored.value {
            Value::Concrete(word) => Some(super::bits::mask(word >> ((at - stored.start) * 8), granule * 8)),
            _ => None,
        };
        match (concrete(self), concrete(other)) {
            (Some(one), Some(two)) => one == two,
            (None, None) => (self.value, self.start, self.bytes) == (other.value, other.start, other.bytes),
            _ => false,
        }
    }

    /// Both values as terms that are equal only if what is stored is.
    fn terms(&self, other: &Stored, terms: &mut Terms) -> Option<[Term; 2]> {
        if (self.start, self.bytes) != (other.start, other.bytes) {
            return None;
        }
        let held = |stored: &Stored| match stored.value {
            Value::Symbolic(Symbol { kind: SymbolKind::Number(format), .. }) => Some(format),
            _ => None,
        };
        let format = held(self).or(held(other)).unwrap_or(self.format);
        Some([as_number(terms, format, self.value)?, as_number(terms, format, other.value)?])
    }
}

impl Entry {
    fn writes(&self) -> bool {
        self.kind != AccessKind::Read
    }

    fn conflicts(&self, other: &Entry) -> bool {
        self.bytes & other.bytes != 0
            && match (self.kind, other.kind) {
                (AccessKind::Read, AccessKind::Read) | (AccessKind::Atomic, AccessKind::Atomic) => false,
                _ => self.writes() || other.writes(),
            }
    }
}

impl<'a> Machine<'a> {
    /// An access was made, and `race` found it in conflict with an earlier one or not.
    #[inline]
    pub(super) fn judge(
        &mut self,
        index: usize,
        pc: u32,
        (kind, region, at): (AccessKind, usize, u64),
        by: &Accessor,
        stored: Option<Stored>,
        conflict: Option<Conflict>,
    ) {
        if conflict.is_some() || self.accesses.is_some() {
            self.judge_slowly(index, pc, (kind, region, at), by, (stored, true), conflict);
        }
    }

    /// The same of a read by a copy that begins: whose it was is noted when it has ended ([`Machine::note_read`]).
    pub(super) fn judge_begun(
        &mut self,
        index: usize,
        pc: u32,
        (region, at): (usize, u64),
        by: &Accessor,
        conflict: Option<Conflict>,
    ) {
        self.judge_slowly(index, pc, (AccessKind::Read, region, at), by, (None, false), conflict);
    }

    #[inline(never)]
    fn judge_slowly(
        &mut self,
        index: usize,
        pc: u32,
        (kind, region, at): (AccessKind, usize, u64),
        by: &Accessor,
        (stored, noted): (Option<Stored>, bool),
        conflict: Option<Conflict>,
    ) {
        let place = (region, at >> 2);
        let conflict = match conflict {
            // Two atomics conflict by their scopes, which are not kept here.
            Some(conflict)
                if conflict.under_way
                    || conflict.unfenced
                    || kind == AccessKind::Atomic && conflict.kind == AccessKind::Atomic =>
            {
                self.with_copy(index, pc, (kind, region, at), conflict);
                None
            }
            conflict => conflict,
        };
        if self.accesses.as_ref().is_some_and(|accesses| accesses.places.contains(&place)) {
            self.compare_and_keep(index, pc, (kind, region, at), by, (stored, noted));
        } else if let Some(conflict) = conflict {
            self.conflicts.insert(place);
            let stores = kind == AccessKind::Write && conflict.kind == AccessKind::Write;
            self.matter |= stores && !self.options.same_value_stores_race;
            self.record_race(index, pc, kind, region, at, conflict);
        }
    }

    /// The present access of a lane meets one whose condition does not matter: a copy under way, for one.
    pub(super) fn with_copy(
        &mut self,
        index: usize,
        pc: u32,
        (kind, region, at): (AccessKind, usize, u64),
        conflict: Conflict,
    ) {
        let condition = self.condition(index, conflict.lane);
        self.unordered(index, pc, kind, region, at, conflict, condition, None);
    }

    /// Two accesses are unordered: a race, or one if a condition can hold and values differ.
    #[allow(clippy::too_many_arguments)]
    fn unordered(
        &mut self,
        index: usize,
        pc: u32,
        kind: AccessKind,
        region: usize,
        at: u64,
        conflict: Conflict,
        condition: Term,
        values: Option<[Term; 2]>,
    ) {
        if condition == Term::TRUE && values.is_none() {
            self.record_race(index, pc, kind, region, at, conflict);
        } else if !is_contradictory(&self.terms, condition) {
            let race = |machine: &mut Self| machine.race(index, pc, kind, region, at, conflict);
            self.suspect_race(region, condition, values, race, (conflict.instr, pc));
        }
    }

    /// Compares an access with those that are kept, and keeps it if it is to be `noted`.
    fn compare_and_keep(
        &mut self,
        index: usize,
        pc: u32,
        (kind, region, at): (AccessKind, usize, u64),
        by: &Accessor,
        (stored, noted): (Option<Stored>, bool),
    ) {
        let granule = self.memory.regions[region].cells.granule();
        let bytes = ((1u32 << granule) - 1) << (at & 3);
        let conditions: Vec<(u32, Term)> =
            lanes(by.mask).map(|lane| (lane, self.condition_of(index, by, lane))).collect();
        let sections: Vec<Rc<[u32]>> =
            conditions.iter().map(|(lane, _)| self.sections_at(by, *lane)).collect();
        if !self.is_followed(pc, (region, at)) {
            let mask = by.mask;
            self.lose((index, pc, mask), "what a lock guards is accessed in a way that is not followed");
        }
        let alike = conditions.iter().all(|(_, condition)| *condition == conditions[0].1)
            && sections.iter().all(|own| *own == sections[0]);
        let parties: Vec<(u32, Term)> = if alike {
            vec![(by.mask, conditions[0].1)]
        } else {
            conditions.into_iter().map(|(lane, condition)| (1 << lane, condition)).collect()
        };
        let place = (region, at >> 2);
        let taken = self.accesses.as_mut().and_then(|accesses| accesses.kept.remove(&place));
        let mut kept = taken.unwrap_or_default();
        for (mask, condition) in parties {
            let nth = lanes(by.mask).position(|lane| lane == mask.trailing_zeros()).unwrap_or(0);
            let entry = Entry {
                kind,
                first: by.global_first,
                mask,
                epoch: by.epoch,
                instr: pc,
                bytes: bytes as u8,
                condition,
                stored,
                stale: kind == AccessKind::Read && by.is_stale(),
                sections: Rc::clone(&sections[nth]),
            };
            for earlier in kept.iter().filter(|earlier| earlier.conflicts(&entry)) {
                if self.is_idle((region, at), earlier, &entry, by) {
                    continue;
                }
                let Some((other, lane)) = self.unordered_lanes(earlier, &entry, by) else { continue };
                if self.both_strong(pc, (other, earlier.instr)) {
                    continue;
                }
                if self.are_excluded(index, (region, at), earlier, &entry, (other, lane)) {
                    continue;
                }
                self.weigh(index, (region, at, granule), earlier, &entry, (other, lane));
            }
            if noted {
                kept.retain(|earlier| !self.stands_for(&entry, earlier, place, by));
                kept.push(entry);
            }
        }
        if kept.len() >= MANY && kept.len().is_power_of_two() {
            kept.retain(|entry| !self.is_past(entry, region));
        }
        if let Some(accesses) = &mut self.accesses {
            accesses.kept.insert(place, kept);
        }
    }

    /// Whether one of the two is a load whose value nobody uses, as far as it is known; where such loads are looked
    /// for, it is one from now on.
    fn is_idle(&mut self, (region, at): (usize, u64), earlier: &Entry, entry: &Entry, by: &Accessor) -> bool {
        let Some(mut idle) = self.idle.take() else { return false };
        let instructions = match (earlier.kind, entry.kind) {
            (AccessKind::Read, AccessKind::Write) => Some((earlier.instr, entry.instr)),
            (AccessKind::Write, AccessKind::Read) => Some((entry.instr, earlier.instr)),
            _ => None,
        };
        // What a loop of updates guesses is not loaded as others are.
        let is_plain = instructions.is_some_and(|(load, store)| {
            self.memory.regions[region].space == Space::Global
                && idle::are_plain(self.kernel, load, store)
                && !self.updates.is_guess(load)
        });
        let mut all = is_plain && {
            let condition = self.terms.and(earlier.condition, entry.condition);
            !is_contradictory(&self.terms, condition)
        };
        for (lane, other) in lanes(entry.mask).flat_map(|one| lanes(earlier.mask).map(move |two| (one, two)))
        {
            let (other, thread) = (earlier.first + other, by.warp_first + lane);
            if !all || self.clocks.ordered(other, earlier.epoch, thread) {
                continue;
            }
            let now = (entry.first + lane, entry.instr);
            let before = (other, earlier.instr);
            let (load, store) = if entry.kind == AccessKind::Read { (now, before) } else { (before, now) };
            let key = (load.0, load.1, region, at >> 2);
            if idle.is_open() {
                let site = |(thread, instr): (u32, u32)| Site { instr, thread: self.global_thread(thread) };
                let place = || self.region_place(region, at, self.memory.regions[region].cells.granule());
                idle.add(key, || (site(load), site(store), place()));
            } else {
                all = idle.holds(&key);
            }
        }
        self.idle = Some(idle);
        all
    }

    /// An agent's copies are made under no condition.
    fn condition_of(&mut self, index: usize, by: &Accessor, lane: u32) -> Term {
        if by.warp_first == self.warps[index].first() { self.condition(index, lane) } else { Term::TRUE }
    }

    /// A copy has read, whose conflicts were told when it began.
    pub(super) fn note_read(&mut self, (region, at): (usize, u64), by: &Accessor) {
        let state = &mut self.memory.regions[region];
        let granule = state.cells.granule();
        self.detector.note_read(&self.clocks, state.shadow_at(at), by);
        let place = (region, at >> 2);
        let Some(accesses) = self.accesses.as_mut().filter(|accesses| accesses.places.contains(&place))
        else {
            return;
        };
        accesses.kept.entry(place).or_default().push(Entry {
            kind: AccessKind::Read,
            first: by.global_first,
            mask: by.mask,
            epoch: by.epoch,
            instr: by.instr,
            bytes: (((1u32 << granule) - 1) << (at & 3)) as u8,
            condition: Term::TRUE,
            stored: None,
            stale: false,
            sections: Rc::default(),
        });
    }

    /// A copy that a thread has started has ended: it was `writer` who wrote there, in `epoch`.
    pub(super) fn land_kept(
        &mut self,
        (region, at): (usize, u64),
        (thread, instr): (u32, u32),
        (writer, epoch): (u32, u32),
    ) {
        let Some(accesses) = &mut self.accesses else { return };
        let Some(kept) = accesses.kept.get_mut(&(region, at >> 2)) else { return };
        let byte = 1 << (at & 3);
        let lane = thread % WARP as u32;
        for entry in kept {
            if (entry.kind, entry.instr) == (AccessKind::Write, instr)
                && entry.bytes & byte != 0
                && (entry.first, entry.mask) == (thread - lane, 1 << lane)
            {
                (entry.first, entry.epoch) = (writer - lane, epoch);
            }
        }
    }

    /// Whether everything that an earlier access may be in conflict with, a later one is as well. A store is not in
    /// conflict with one of the same value, which others may be in conflict with.
    fn stands_for(&self, later: &Entry, earlier: &Entry, (_, word): (usize, u64), by: &Accessor) -> bool {
        if earlier.bytes & !later.bytes != 0 {
            return false;
        }
        let same = || {
            let at = word * 4 + u64::from(earlier.bytes.trailing_zeros());
            let both = earlier.stored.zip(later.stored);
            both.is_some_and(|(one, two)| one.is(&two, at, earlier.bytes.count_ones()))
        };
        let covers = match later.kind {
            AccessKind::Write => self.options.same_value_stores_race || same(),
            kind => kind == earlier.kind,
        };
        // Every load that races is looked for, not one for all.
        let own = (earlier.first, earlier.mask, earlier.instr) == (later.first, later.mask, later.instr);
        covers
            && (own || self.idle.is_none() || later.kind != AccessKind::Read)
            && (later.condition == Term::TRUE || later.condition == earlier.condition)
            && self.unordered_lanes(earlier, later, by).is_none()
            && later.sections.iter().all(|section| earlier.sections.contains(section))
            && (later.sections.is_empty() || (later.first, later.mask) == (earlier.first, earlier.mask))
    }

    /// Whether an access comes before whatever is still to come in its memory.
    fn is_past(&self, entry: &Entry, region: usize) -> bool {
        let alone = self.memory.regions[region].space == Space::Shared || self.setup.launch.ctas.len() == 1;
        let past = |first: u32| {
            let mut own = lanes(entry.mask).map(|lane| entry.first + lane);
            own.all(|thread| self.clocks.ordered_before_all(thread, entry.epoch, first))
        };
        alone
            && !self.agents
            && !entry.stale
            && self.warps.iter().filter(|warp| warp.alive() != 0).all(|warp| past(warp.first()))
    }

    /// The sections of locks that a lane is in.
    fn sections_at(&self, by: &Accessor, lane: u32) -> Rc<[u32]> {
        match &self.locks {
            Some(locks) => locks.sections_of(by.global_first + lane),
            None => Rc::default(),
        }
    }

    /// Whether a lock keeps two unordered accesses apart.
    fn are_excluded(
        &mut self,
        index: usize,
        (region, at): (usize, u64),
        earlier: &Entry,
        entry: &Entry,
        (other, lane): (u32, u32),
    ) -> bool {
        if earlier.sections.is_empty() || entry.sections.is_empty() {
            return false;
        }
        // Of several lanes, one stands for all only if all are in the same sections: each is asked about.
        let pairs: Vec<(u32, u32)> = lanes(earlier.mask)
            .flat_map(|one| lanes(entry.mask).map(move |two| (one, two)))
            .map(|(one, two)| (earlier.first + one, two))
            .filter(|(one, two)| {
                let thread = self.warps[index].first() + two;
                !self.clocks.ordered(*one, earlier.epoch, thread)
            })
            .collect();
        let pairs = if pairs.is_empty() { vec![(other, lane)] } else { pairs };
        let condition = self.terms.and(earlier.condition, entry.condition);
        pairs.into_iter().all(|(other, lane)| {
            let conflict = Conflict {
                other,
                instr: earlier.instr,
                kind: earlier.kind,
                lane,
                observed: false,
                under_way: false,
                unfenced: false,
            };
            let before = (&earlier.sections[..], other, earlier.epoch);
            let now = (&entry.sections[..], entry.first + lane, entry.epoch);
            let race =
                |machine: &mut Self| machine.quiet_race(index, entry.instr, entry.kind, region, at, conflict);
            self.excludes(before, now, (region, at, condition), race)
        })
    }

    /// A thread of an earlier access and a lane of the present one that nothing orders.
    fn unordered_lanes(&self, earlier: &Entry, entry: &Entry, by: &Accessor) -> Option<(u32, u32)> {
        lanes(entry.mask).find_map(|lane| {
            let thread = by.warp_first + lane;
            let mut others = lanes(earlier.mask).map(|other| earlier.first + other);
            others
                .find(|other| {
                    entry.stale && earlier.writes() || !self.clocks.ordered(*other, earlier.epoch, thread)
                })
                .map(|other| (other, lane))
        })
    }

    /// Says what two unordered accesses come to.
    fn weigh(
        &mut self,
        index: usize,
        (region, at, granule): (usize, u64, u32),
        earlier: &Entry,
        entry: &Entry,
        (other, lane): (u32, u32),
    ) {
        let condition = self.terms.and(earlier.condition, entry.condition);
        if is_contradictory(&self.terms, condition) {
            return;
        }
        let values = earlier.stored.zip(entry.stored).filter(|_| !self.options.same_value_stores_race);
        if let Some((one, two)) = values
            && one.is(&two, at, granule)
        {
            let first = Site { instr: earlier.instr, thread: self.global_thread(other) };
            let thread = self.thread(self.warps[index].first() + lane);
            let second = Site { instr: entry.instr, thread };
            let place = self.region_place(region, at, granule);
            let value = one.terms(&two, &mut self.terms).map(|[value, _]| value);
            self.suspects.same(first, second, value, place);
            return;
        }
        let values = values.and_then(|(one, two)| one.terms(&two, &mut self.terms));
        let conflict = Conflict {
            other,
            instr: earlier.instr,
            kind: earlier.kind,
            lane,
            observed: false,
            under_way: false,
            unfenced: false,
        };
        self.unordered(index, entry.instr, entry.kind, region, at, conflict, condition, values);
    }

    /// Another CTA begins, with shared memory of its own.
    pub(super) fn forget_shared(&mut self) {
        let regions = &self.memory.regions;
        if let Some(accesses) = &mut self.accesses {
            accesses.kept.retain(|(region, _), _| regions[*region].space != Space::Shared);
        }
    }
}
