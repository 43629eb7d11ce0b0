//! Exact data races: who touched which bytes, and whether anything orders it.
//!
//! Every granule of shared and global memory has a [`Shadow`]: the last write, the reads since
//! it, the atomics since it. An access races with an earlier conflicting one exactly if that one
//! does not happen before it ([`Clocks`]). This is FastTrack's idea: it suffices to keep the last
//! write, and those reads that no later read happens after, because order is transitive; so a
//! race is found if and only if there is one (the paper's Theorems 1 and 2, with transitive
//! order; see `clock`). By confluence one schedule is enough.
//!
//! Deviation: lanes of a warp that store one value to one place with one instruction do not race
//! with each other (whatever their order, memory ends alike); everybody else must be ordered with
//! all of them. Compilers rely on it, Triton's reductions for one. Stores of one value by other
//! threads, and accesses under conditions that exclude each other, are told in `accesses`.
//!
//! Sets of readers are interned, with epochs and lanes relative to those of the set's first
//! reader, and the step "these lanes read too" is memoised: neighbouring elements that neighbouring
//! lanes read share their set, and a loop with a barrier goes through the same sets each time round.
//!
//! A read through the non-coherent path (`.nc`) has an epoch that is in nobody's past, and no write is in
//! its own: it races with every write of the kernel, also of its own thread.
//!
//! Atomics exclude each other only where the scope of each holds the other's thread: one of CTA scope
//! races with those of other CTAs.
//!
//! Atomics of one commutative operation whose results nobody uses do not conflict with each
//! other. An atomic whose result is used conflicts with every unordered atomic: not as a race,
//! but because its value depends on the schedule ([`Conflict::Observed`]).

use super::clock::{Arrival, Clocks, NEVER};
use super::outcome::AccessKind;
use crate::base::Format;
use crate::isa::AtomicOp;
use rustc_hash::FxHashMap;

const NOBODY: u32 = u32::MAX;

/// Who a write is by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hand {
    /// A thread (or the agent that makes its copies).
    Thread,
    /// Lanes of a warp together ([`Shadow::lanes`]): all lanes in a matrix instruction, for which
    /// the manual does not say who writes what; or lanes that store one value with one instruction.
    /// Whoever comes after must come after each of them.
    Warp,
    /// A copy that is still under way: nobody comes after it, not even the thread that started it.
    Copy,
    /// A bulk copy that has ended, by the proxy that makes them.
    Bulk,
}

/// The history of one granule.
#[derive(Clone, Copy)]
pub(super) struct Shadow {
    /// For a warp, its lane 0.
    writer: u32,
    write_epoch: u32,
    write_instr: u32,
    readers: History,
    atomics: History,
    /// Of how many bytes it is one step is in the marks.
    atomic_op: Option<(AtomicOp, Format)>,
    marks: Marks,
    hand: Hand,
    /// The lanes of a [`Hand::Warp`].
    lanes: u32,
}

/// What is remembered of atomics: in one byte, because there is one for each granule of memory.
#[derive(Clone, Copy, Default)]
struct Marks(u8);

impl Marks {
    /// An atomic whose result is used, or atomics of different operations, may still be unordered.
    const OBSERVED: u8 = 1;
    /// An atomic was of CTA scope.
    const NARROW: u8 = 2;
    /// From here on: of how many bytes the last one is one step, as a power of two.
    const BYTES: u8 = 2;

    fn bytes(self) -> u8 {
        1 << (self.0 >> Marks::BYTES)
    }

    fn set_bytes(&mut self, bytes: u8) {
        let below = (1 << Marks::BYTES) - 1;
        self.0 = self.0 & below | (bytes.trailing_zeros() as u8) << Marks::BYTES;
    }

    fn has(self, mark: u8) -> bool {
        self.0 & mark != 0
    }

    fn set(&mut self, mark: u8, on: bool) {
        self.0 = if on { self.0 | mark } else { self.0 & !mark };
    }
}

/// A set of accesses: which set, and the epoch and lane that its parties' are relative to.
#[derive(Clone, Copy)]
struct History {
    set: u32,
    epoch: u32,
    lane: u8,
}

const NOTHING: History = History { set: EMPTY, epoch: 0, lane: 0 };

impl History {
    fn epoch(self, party: &Party) -> u32 {
        self.epoch.wrapping_add_signed(party.later)
    }

    fn mask(self, party: &Party) -> u32 {
        party.mask.rotate_left(u32::from(self.lane))
    }

    fn party(self, by: &Accessor) -> Party {
        Party {
            first: by.global_first,
            mask: by.mask.rotate_right(u32::from(self.lane)),
            later: by.epoch.wrapping_sub(self.epoch) as i32,
            instr: by.instr,
        }
    }
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow {
            writer: NOBODY,
            write_epoch: 0,
            write_instr: NOBODY,
            readers: NOTHING,
            atomics: NOTHING,
            atomic_op: None,
            marks: Marks::default(),
            hand: Hand::Thread,
            lanes: 0,
        }
    }
}

impl Shadow {
    /// The last update.
    fn update(&self) -> Option<Kind> {
        self.atomic_op.map(|(op, format)| (op, format, self.marks.bytes()))
    }

    /// The copy that `thread` started at `instr` has ended: from now on its bytes were written by
    /// `writer` in `epoch`. Nothing changes if somebody else has written since.
    pub(super) fn land(&mut self, thread: u32, instr: u32, (writer, epoch, hand): (u32, u32, Hand)) {
        if self.hand == Hand::Copy && self.writer == thread && self.write_instr == instr {
            (self.hand, self.writer, self.write_epoch) = (hand, writer, epoch);
        }
    }

    /// Whether anything wrote here, an atomic included.
    pub(super) fn written(&self) -> bool {
        self.write_instr != NOBODY || self.atomic_op.is_some()
    }

    /// What decides whether a read conflicts, where nothing has updated the granule atomically.
    pub(super) fn write_key(&self) -> Option<(u32, u32, u32, u32)> {
        let hand = u32::from(self.hand == Hand::Warp) + 2 * u32::from(self.hand == Hand::Copy);
        let own = if self.hand == Hand::Warp { self.lanes } else { 0 };
        (self.atomics.set == EMPTY).then_some((self.writer, self.write_epoch, hand, own))
    }

    /// Whether a copy is on its way there.
    pub(super) fn is_under_way(&self) -> bool {
        self.hand == Hand::Copy
    }

    /// The instruction that wrote last, if any did.
    pub(super) fn last_writer(&self) -> Option<u32> {
        (self.write_instr != NOBODY).then_some(self.write_instr)
    }

    /// Who wrote last, if it was no copy: the first thread's global number, its epoch then, and the
    /// instruction.
    pub(super) fn last_write(&self) -> Option<(u32, u32, u32)> {
        let write = (self.last_thread()?, self.write_epoch, self.write_instr);
        (self.hand != Hand::Copy).then_some(write)
    }

    /// Global number of the thread that wrote last, of several together the first.
    pub(super) fn last_thread(&self) -> Option<u32> {
        let first = if self.hand == Hand::Warp { self.lanes.trailing_zeros() } else { 0 };
        (self.write_instr != NOBODY).then(|| self.writer + first)
    }
}

/// Lanes of one warp in one epoch at one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Party {
    /// Global number of the warp's lane 0.
    first: u32,
    /// The lanes, counted from the history's lane on.
    mask: u32,
    /// Their epoch, less the history's.
    later: i32,
    instr: u32,
}

/// A set of parties, and bounds over it.
struct Set {
    parties: Box<[Party]>,
    latest: i32,
    lowest: u32,
}

const EMPTY: u32 = 0;
const SHORTCUTS: usize = 1 << 12;

/// Interned sets of parties.
pub(super) struct Parties {
    sets: Vec<Set>,
    ids: FxHashMap<Box<[Party]>, u32>,
    steps: FxHashMap<(u32, Party), u32>,
    /// Steps made lately, by a few bits of their hash.
    shortcuts: Vec<(u32, Party, u32)>,
}

/// The lanes that make an access together: the same instruction, address, and epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accessor {
    /// Lane 0 of the warp, counted in the CTA.
    pub(super) warp_first: u32,
    /// Lane 0 of the warp, global number.
    pub(super) global_first: u32,
    /// The lanes.
    pub(super) mask: u32,
    /// Their common epoch.
    pub(super) epoch: u32,
    /// The instruction.
    pub(super) instr: u32,
    /// It reads what no synchronization makes writes of this kernel known to.
    pub(super) stale: bool,
}

impl Accessor {
    /// Whether it may miss what was written before it, whatever the order.
    pub(super) fn is_stale(&self) -> bool {
        self.stale || self.epoch == NEVER
    }
}

/// An earlier access that nothing orders before the present one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// Global number of the other thread.
    pub(super) other: u32,
    /// Its instruction.
    pub(super) instr: u32,
    /// What it did.
    pub(super) kind: AccessKind,
    /// The lane of the present access.
    pub(super) lane: u32,
    /// Both are atomics that do not race, but a result that is used depends on their order.
    pub(super) observed: bool,
    /// The earlier access is a copy that nobody has waited for.
    pub(super) under_way: bool,
    /// The two are in order, and no proxy fence between them says so to the bulk copy that comes second.
    pub(super) unfenced: bool,
}

impl Default for Parties {
    fn default() -> Self {
        let nobody = Party { first: 0, mask: 0, later: 0, instr: NOBODY };
        let mut parties = Parties {
            sets: Vec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            shortcuts: vec![(NOBODY, nobody, EMPTY); SHORTCUTS],
        };
        parties.intern(Vec::new());
        parties
    }
}

impl Parties {
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let sets: usize = self.sets.iter().map(|set| set.parties.len() * size_of::<Party>() * 2 + 64).sum();
        (sets + self.steps.capacity() * 40 + SHORTCUTS * 24) as u64
    }

    fn intern(&mut self, parties: Vec<Party>) -> u32 {
        let parties: Box<[Party]> = parties.into();
        if let Some(id) = self.ids.get(&parties) {
            return *id;
        }
        let id = self.sets.len() as u32;
        let latest = parties.iter().map(|party| party.later).max().unwrap_or(i32::MIN);
        let lowest = parties.iter().map(|party| party.first).min().unwrap_or(u32::MAX);
        self.sets.push(Set { parties: parties.clone(), latest, lowest });
        self.ids.insert(parties, id);
        id
    }

    /// The history with the accessor added, less what happens before it.
    #[inline]
    fn add(&mut self, clocks: &Clocks, history: History, by: &Accessor) -> History {
        if history.set == EMPTY {
            return self.begin(by);
        }
        if by.epoch != history.epoch {
            let thread = by.warp_first + by.mask.trailing_zeros();
            // Just after a synchronization the whole history is in the past.
            if self.settled(clocks, history, thread) {
                return self.begin(by);
            }
            let first = self.sets[history.set as usize].parties[0];
            if past(clocks, history, &first, thread) {
                return self.prune(clocks, history, by, thread);
            }
        }
        History { set: self.step(history.set, history.party(by)), ..history }
    }

    /// The history with one accessor in the place of another; that stays as well, for what another
    /// instruction has done, if one `stays`. As it is if the other is not there. (What a party does in one epoch
    /// stands for all that it does there, whatever the instruction.)
    fn replace(
        &mut self,
        history: History,
        before: &Accessor,
        now: &Accessor,
        stays: Option<u32>,
    ) -> History {
        let mut parties = self.sets[history.set as usize].parties.to_vec();
        let is_it = |party: &Party| {
            let same = party.first == before.global_first && history.epoch(party) == before.epoch;
            same && history.mask(party) & before.mask != 0
        };
        let Some(at) = parties.iter().position(is_it) else { return history };
        parties[at].mask &= !history.party(before).mask;
        parties.retain(|party| party.mask != 0);
        let stays = stays.map(|instr| history.party(&Accessor { instr, ..*before }));
        for party in stays.into_iter().chain([history.party(now)]) {
            if !parties.contains(&party) {
                parties.push(party);
            }
        }
        History { set: self.intern(parties), ..history }
    }

    #[inline]
    fn begin(&mut self, by: &Accessor) -> History {
        let start = History { set: EMPTY, epoch: by.epoch, lane: by.mask.trailing_zeros() as u8 };
        History { set: self.step(EMPTY, start.party(by)), ..start }
    }

    /// Whether everything in a history is in the past of whoever is in the past of all threads.
    #[inline]
    fn settled(&self, clocks: &Clocks, history: History, thread: u32) -> bool {
        let set = &self.sets[history.set as usize];
        set.lowest >= clocks.first()
            && i64::from(history.epoch) + i64::from(set.latest) <= i64::from(clocks.floor(thread))
    }

    /// Whether everything in a history is in the past of a thread.
    fn known(&self, clocks: &Clocks, history: History, thread: u32) -> bool {
        let parties = &self.sets[history.set as usize].parties;
        self.settled(clocks, history, thread)
            || parties.iter().all(|party| past(clocks, history, party, thread))
    }

    fn prune(&mut self, clocks: &Clocks, history: History, by: &Accessor, thread: u32) -> History {
        let mut kept: Vec<Party> = Vec::new();
        for party in &self.sets[history.set as usize].parties {
            if !past(clocks, history, party, thread) {
                kept.push(*party);
            }
        }
        if kept.is_empty() {
            return self.begin(by);
        }
        kept.push(history.party(by));
        History { set: self.intern(kept), ..history }
    }

    #[inline]
    fn step(&mut self, set: u32, party: Party) -> u32 {
        let mixed = (u64::from(set) << 32 | u64::from(party.first ^ party.mask.rotate_left(7)))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ u64::from(party.instr ^ party.later as u32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let slot = (mixed >> 40) as usize & (SHORTCUTS - 1);
        let (from, by, to) = self.shortcuts[slot];
        if from == set && by == party {
            return to;
        }
        let next = self.step_slowly(set, party);
        self.shortcuts[slot] = (set, party, next);
        next
    }

    fn step_slowly(&mut self, set: u32, party: Party) -> u32 {
        if let Some(next) = self.steps.get(&(set, party)) {
            return *next;
        }
        let old = &self.sets[set as usize].parties;
        let known = old.iter().any(|have| {
            have.first == party.first && have.later == party.later && have.mask & party.mask == party.mask
        });
        let next = if known {
            set
        } else {
            let mut grown = old.to_vec();
            let same = grown.iter_mut().find(|have| {
                have.first == party.first && have.later == party.later && have.instr == party.instr
            });
            match same {
                Some(have) => have.mask |= party.mask,
                None => grown.push(party),
            }
            self.intern(grown)
        };
        self.steps.insert((set, party), next);
        next
    }

    /// The first member of a history that is not in the past of every lane of the accessor.
    fn unordered(&self, clocks: &Clocks, history: History, by: &Accessor) -> Option<(u32, u32, u32)> {
        self.unordered_of(clocks, history, by, |_, _| true)
    }

    /// The same of members, by thread and instruction, that count.
    fn unordered_of(
        &self,
        clocks: &Clocks,
        history: History,
        by: &Accessor,
        counts: impl Fn(u32, u32) -> bool,
    ) -> Option<(u32, u32, u32)> {
        for lane in lanes(by.mask) {
            let thread = by.warp_first + lane;
            if self.settled(clocks, history, thread) {
                continue;
            }
            for party in &self.sets[history.set as usize].parties {
                let epoch = history.epoch(party);
                for other in lanes(history.mask(party)) {
                    if !clocks.ordered(party.first + other, epoch, thread)
                        && counts(party.first + other, party.instr)
                    {
                        return Some((party.first + other, party.instr, lane));
                    }
                }
            }
        }
        None
    }
}

/// Whether all lanes of a party are in the past of a thread, or are that thread.
fn past(clocks: &Clocks, history: History, party: &Party, thread: u32) -> bool {
    let epoch = history.epoch(party);
    lanes(history.mask(party)).all(|lane| clocks.ordered(party.first + lane, epoch, thread))
}

/// The set bits of a mask, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane
        })
    })
}

/// The state that all granules share.
#[derive(Default)]
pub(super) struct Detector {
    /// Reader and atomic sets.
    pub(super) parties: Parties,
}

impl Detector {
    fn earlier_write(&self, clocks: &Clocks, shadow: &Shadow, by: &Accessor) -> Option<Conflict> {
        let by_copy = shadow.hand == Hand::Copy;
        if shadow.writer == NOBODY
            || !by_copy
                && !by.is_stale()
                && clocks.ordered_before_all(shadow.writer, shadow.write_epoch, by.warp_first)
        {
            return None;
        }
        let unordered = |other: u32, lane: u32| {
            by.is_stale() || !clocks.ordered(other, shadow.write_epoch, by.warp_first + lane)
        };
        let (other, lane) = match shadow.hand {
            Hand::Thread | Hand::Bulk => {
                (shadow.writer, lanes(by.mask).find(|lane| unordered(shadow.writer, *lane))?)
            }
            Hand::Copy => (shadow.writer, by.mask.trailing_zeros()),
            Hand::Warp => lanes(by.mask).find_map(|lane| {
                let mut writers = lanes(shadow.lanes).map(|other| shadow.writer + other);
                Some((writers.find(|other| unordered(*other, lane))?, lane))
            })?,
        };
        Some(Conflict {
            other,
            instr: shadow.write_instr,
            kind: AccessKind::Write,
            lane,
            observed: false,
            under_way: shadow.hand == Hand::Copy,
            unfenced: false,
        })
    }

    fn earlier(
        &self,
        clocks: &Clocks,
        history: History,
        by: &Accessor,
        kind: AccessKind,
    ) -> Option<Conflict> {
        if history.set == EMPTY {
            return None;
        }
        let (other, instr, lane) = self.parties.unordered(clocks, history, by)?;
        Some(Conflict { other, instr, kind, lane, observed: false, under_way: false, unfenced: false })
    }

    /// The first member of a history that belongs to another CTA.
    fn of_another_cta(&self, clocks: &Clocks, history: History, by: &Accessor) -> Option<Conflict> {
        let party = self.parties.sets[history.set as usize].parties.iter();
        let party = party.into_iter().find(|party| !clocks.same_cta(party.first, by.global_first))?;
        Some(Conflict {
            other: party.first + history.mask(party).trailing_zeros(),
            instr: party.instr,
            kind: AccessKind::Atomic,
            lane: by.mask.trailing_zeros(),
            observed: false,
            under_way: false,
            unfenced: false,
        })
    }

    /// An earlier access that counts and that nothing orders before the present one, which is no copy and
    /// conflicts with reads if it is no read itself.
    pub(super) fn conflict_that_counts(
        &self,
        clocks: &Clocks,
        shadow: &Shadow,
        by: &Accessor,
        reads: bool,
        counts: impl Fn(&Conflict) -> bool,
    ) -> Option<Conflict> {
        let found = |history: History, kind: AccessKind| {
            let conflict = |other, instr, lane| Conflict {
                other,
                instr,
                kind,
                lane,
                observed: false,
                under_way: false,
                unfenced: false,
            };
            let counts = |other, instr| counts(&conflict(other, instr, 0));
            let (other, instr, lane) = self.parties.unordered_of(clocks, history, by, counts)?;
            Some(conflict(other, instr, lane))
        };
        let write = self.earlier_write(clocks, shadow, by).filter(|conflict| counts(conflict));
        let of_reads = || if reads { None } else { found(shadow.readers, AccessKind::Read) };
        write.or_else(of_reads).or_else(|| found(shadow.atomics, AccessKind::Atomic))
    }

    /// Lanes read the granule.
    #[inline]
    pub(super) fn read(&mut self, clocks: &Clocks, shadow: &mut Shadow, by: &Accessor) -> Option<Conflict> {
        let conflict = self.before_read(clocks, shadow, by);
        self.note_read(clocks, shadow, by);
        conflict
    }

    /// What a read by lanes would conflict with.
    #[inline]
    pub(super) fn before_read(&self, clocks: &Clocks, shadow: &Shadow, by: &Accessor) -> Option<Conflict> {
        self.earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic))
            .or_else(|| self.updated(shadow, by))
    }

    /// What a read conflicts with that goes through the non-coherent path where atomics, all of them in
    /// its past, have written.
    fn updated(&self, shadow: &Shadow, by: &Accessor) -> Option<Conflict> {
        let history = shadow.atomics;
        let party = self.parties.sets[history.set as usize].parties.first().filter(|_| by.is_stale())?;
        Some(Conflict {
            other: party.first + history.mask(party).trailing_zeros(),
            instr: party.instr,
            kind: AccessKind::Atomic,
            lane: by.mask.trailing_zeros(),
            observed: false,
            under_way: false,
            unfenced: false,
        })
    }

    /// Whether a bulk copy by a lane's thread comes after reads by the generic proxy without a proxy fence
    /// in between. `generic` says which instructions read through that.
    pub(super) fn read_unfenced(
        &self,
        clocks: &Clocks,
        shadow: &Shadow,
        by: &Accessor,
        memory: usize,
        generic: impl Fn(u32) -> bool,
    ) -> bool {
        let thread = by.warp_first + by.mask.trailing_zeros();
        let history = shadow.readers;
        self.parties.sets[history.set as usize].parties.iter().any(|party| {
            let late = |lane| !clocks.is_handed(party.first + lane, history.epoch(party), thread, memory);
            generic(party.instr) && lanes(history.mask(party)).any(late)
        })
    }

    /// What a bulk copy by a lane's thread, which touches memory of that kind, comes after without a proxy
    /// fence in between: writes by the generic proxy, and updates by instructions that are `generic`.
    pub(super) fn unfenced(
        &self,
        clocks: &Clocks,
        shadow: &Shadow,
        by: &Accessor,
        memory: usize,
        generic: impl Fn(u32) -> bool,
    ) -> Option<Conflict> {
        let lane = by.mask.trailing_zeros();
        // What is in no order is a race without that.
        let late = |other: u32, epoch: u32| {
            let me = by.warp_first + lane;
            clocks.ordered(other, epoch, me) && !clocks.is_handed(other, epoch, me, memory)
        };
        let found = |other, instr, kind| {
            Some(Conflict { other, instr, kind, lane, observed: false, under_way: false, unfenced: true })
        };
        let writers = match shadow.hand {
            _ if shadow.writer == NOBODY => 0,
            Hand::Thread => 1,
            Hand::Warp => shadow.lanes,
            Hand::Copy | Hand::Bulk => 0,
        };
        let mut writers = lanes(writers).map(|other| shadow.writer + other);
        if let Some(other) = writers.find(|other| late(*other, shadow.write_epoch)) {
            return found(other, shadow.write_instr, AccessKind::Write);
        }
        let history = shadow.atomics;
        self.parties.sets[history.set as usize].parties.iter().find_map(|party| {
            let mut others = lanes(history.mask(party)).map(|other| party.first + other);
            let other = others.find(|other| generic(party.instr) && late(*other, history.epoch(party)))?;
            found(other, party.instr, AccessKind::Atomic)
        })
    }

    /// Remembers a read for accesses to come.
    #[inline]
    pub(super) fn note_read(&mut self, clocks: &Clocks, shadow: &mut Shadow, by: &Accessor) {
        shadow.readers = self.parties.add(clocks, shadow.readers, by);
    }

    /// One lane writes the granule, by itself or with a copy; or all lanes of the warp together.
    #[inline]
    pub(super) fn write(
        &mut self,
        clocks: &Clocks,
        shadow: &mut Shadow,
        by: &Accessor,
        hand: Hand,
    ) -> Option<Conflict> {
        let conflict = self
            .earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.readers, by, AccessKind::Read))
            .or_else(|| self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic));
        let writer = if hand == Hand::Warp { 0 } else { by.mask.trailing_zeros() };
        *shadow = Shadow {
            writer: by.global_first + writer,
            write_epoch: by.epoch,
            write_instr: by.instr,
            hand,
            lanes: by.mask,
            ..Shadow::default()
        };
        conflict
    }

    /// A bulk copy that updates the granule has ended: it was the accessor `now`. What was `before`, under
    /// way, goes, unless another such copy of its thread `stays`, by its instruction. Nothing changes if somebody
    /// has written since.
    pub(super) fn land_update(
        &mut self,
        shadow: &mut Shadow,
        before: &Accessor,
        now: &Accessor,
        stays: Option<u32>,
    ) {
        shadow.atomics = self.parties.replace(shadow.atomics, before, now, stays);
    }

    /// An update that nothing orders before the present one and that goes through the other proxy: of those
    /// that `other` tells apart.
    pub(super) fn of_other_proxy(
        &self,
        clocks: &Clocks,
        shadow: &Shadow,
        by: &Accessor,
        other: impl Fn(u32) -> bool,
    ) -> Option<Conflict> {
        let of = |_, instr| other(instr);
        let (other, instr, lane) = self.parties.unordered_of(clocks, shadow.atomics, by, of)?;
        let kind = AccessKind::Atomic;
        Some(Conflict { other, instr, kind, lane, observed: false, under_way: false, unfenced: false })
    }

    /// One lane updates the granule atomically, now or with a bulk copy that is `under_way` from now on. `everybody` is who can reach it, if they are all of the
    /// running CTA.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn atomic(
        &mut self,
        clocks: &Clocks,
        shadow: &mut Shadow,
        by: &Accessor,
        op: Kind,
        (narrow, observed, under_way): (bool, bool, bool),
        everybody: Option<Everybody<'_>>,
    ) -> Option<Conflict> {
        let mut conflict = self
            .earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.readers, by, AccessKind::Read));
        // The history drops atomics that the newest one comes after, while others may still be
        // unordered with them: that one of them was observed, or of another operation, is
        // remembered until all of them are in everybody's past.
        if (shadow.marks.has(Marks::OBSERVED) || shadow.update().is_some_and(|other| !alike(other, op)))
            && (shadow.atomics.set == EMPTY
                || everybody.is_some_and(|everybody| {
                    let past = |thread: u32| self.parties.known(clocks, shadow.atomics, thread);
                    let me = by.warp_first + by.mask.trailing_zeros();
                    (0..everybody.threads).all(|thread| past(thread) || everybody.gone(clocks, thread, me))
                }))
        {
            shadow.marks.set(Marks::OBSERVED, false);
            shadow.atomic_op = None;
        }
        let scopes = narrow || shadow.marks.has(Marks::NARROW);
        shadow.marks.set(Marks::NARROW, scopes);
        if conflict.is_none() && scopes {
            conflict = self.of_another_cta(clocks, shadow.atomics, by);
        }
        let mixed = shadow.update().is_some_and(|other| !alike(other, op));
        if conflict.is_none()
            && let Some(other) = self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic)
        {
            let depends = observed || shadow.marks.has(Marks::OBSERVED) || mixed || !commutes(op.0);
            conflict = depends.then_some(Conflict { observed: true, ..other });
        }
        let by = Accessor { epoch: if under_way { NEVER } else { by.epoch }, ..*by };
        shadow.atomics = self.parties.add(clocks, shadow.atomics, &by);
        shadow.atomic_op = Some((op.0, op.1));
        shadow.marks.set_bytes(op.2);
        let observed = observed || mixed || shadow.marks.has(Marks::OBSERVED);
        shadow.marks.set(Marks::OBSERVED, observed);
        conflict
    }
}

/// Threads that can reach a place.
#[derive(Clone, Copy)]
pub(super) struct Everybody<'a> {
    /// The first so many of the running CTA.
    pub(super) threads: u32,
    /// Those that have returned.
    pub(super) returned: &'a [Arrival],
}

impl Everybody<'_> {
    /// Whether a thread has returned before the present of another.
    fn gone(&self, clocks: &Clocks, thread: u32, me: u32) -> bool {
        self.returned.iter().any(|arrival| clocks.local(arrival) == thread && clocks.relies(arrival, me))
    }
}

/// An update: what it does to which numbers, and of how many bytes it is one step.
pub(super) type Kind = (AtomicOp, Format, u8);

/// Whether two operations that commute with themselves commute with each other. Sums and bits do not
/// care about signs, and the order of numbers does.
fn alike((one, first, bytes): Kind, (two, second, others): Kind) -> bool {
    let same = match one {
        AtomicOp::Min | AtomicOp::Max => first == second,
        _ => first.bits() == second.bits() && first.is_float() == second.is_float(),
    };
    one == two && same && bytes == others
}

/// Whether the order of two such operations never shows in memory.
pub(super) fn commutes(op: AtomicOp) -> bool {
    match op {
        AtomicOp::Add
        | AtomicOp::Multiply
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => true,
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Exchange | AtomicOp::CompareSwap => false,
    }
}
