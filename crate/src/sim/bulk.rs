//! Bulk copies (`cp.async.bulk`, `cp.reduce.async.bulk`; PTX ISA 9.0, 9.7.9.25.4 and 9.7.9.25.6).
//!
//! Like other copies in the background they may happen at any moment between their start and the wait
//! that covers them; their bytes are moved when they start, and until they have ended any access to
//! what they write, and any write to what they read, is a race. One that a barrier object counts has
//! ended for whoever knows of the end of its phase: the object is its writer and reader then. One of a
//! bulk group has ended for its thread once that has waited for the group; with `.read` only its
//! reading has. The thread's agent is its writer and reader.
//!
//! They work through the asynchronous proxy (8.9.5, 9.7.9.25.2): what threads have written themselves, a
//! later bulk copy reads or overwrites only behind a proxy fence that is on the way from one to the other,
//! in whichever thread; otherwise that is a race, although the two are in order. The end of a copy
//! comes with such a fence. The manual asks for one as well where a copy overwrites what threads have read;
//! since they have what they read, and libraries leave it out (CUTLASS where registers are filled from
//! shared memory), that is an assumption.
//!
//! Copies that change elements of global memory do that with each in one step, as `red` does: they do not
//! conflict with one another, and add up in any order. Until one has ended for somebody it is an update that
//! is in nobody's past. An atomic of a thread is one through another proxy, so the two do not exclude each other
//! (8.9.2: morally strong operations go through the same proxy).
//!
//! Registers that are sent to a CTA of the cluster (`st.async`, `red.async`; 9.7.9.12 and 9.7.13.7) are such copies without
//! a source. The manual names no other proxy for them, so they need no fence.
//!
//! Guarantees: a copy that has ended for nobody when its CTA does, of which nothing is promised, is *not
//! structured*, unless only its writes to global memory are left.
//! Misses: byte masks, which are unsupported.

use super::access::fit;
use super::accesses::Stored;
use super::atomics::{is_bulk_update, update_present};
use super::clock::{GLOBAL, SHARED};
use super::copies::{Extent, Flight};
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind, Misuse, Site};
use super::race::{Accessor, Conflict, Everybody, Hand, lanes};
use super::trace::EventKind;
use super::transactions::Counted;
use crate::base::Format;
use crate::ir::Kernel;
use crate::isa::{
    Access, AtomicOp, Bulk, CopyOp, Effect, MatrixOp, PhaserOp, Space, Strength, TensorMemoryOp, WARP,
};
use crate::term::Value;

/// What sizes and addresses are multiples of.
const UNIT: u32 = 16;
/// Bytes that are moved at once.
const STEP: u32 = 4;

/// What the size of a `st.bulk` and its address are multiples of.
const CLEARED: u64 = 8;
/// The most bytes that it stores.
const MOST_CLEARED: u64 = 16_777_216;

/// What the ledger says of copies that count at objects without such a fence.
const ANNOUNCED: &str = "bulk copies know of barrier objects that threads have initialized, although the kernel has neither \
                         `fence.mbarrier_init` nor a proxy fence";

/// What the ledger says of copies that overwrite what was read without a proxy fence.
const READ_BEFORE: &str =
    "a read is over before a bulk copy behind it overwrites the place, without a proxy fence";

/// Whether a kernel has bulk copies, or products of warpgroups or in tensor memory, and with them a second proxy.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.code.iter().any(|instr| starts_bulk_copy(&instr.effect))
        || super::warpgroup::has_any(kernel)
        || super::tensor_memory::has_any(kernel)
}

/// Whether a kernel makes barrier objects known to the other proxy anywhere.
pub(super) fn announces(kernel: &Kernel) -> bool {
    (0..kernel.code.len() as u32).any(|at| {
        let opcode = kernel.opcode(at);
        opcode.starts_with("fence.") && (opcode.contains("mbarrier_init") || opcode.contains("proxy"))
    })
}

fn starts_bulk_copy(effect: &Effect) -> bool {
    matches!(effect, Effect::Copy(op) if op.bulk().is_some())
}

/// Whether what this starts goes through the asynchronous proxy: bulk copies do, registers that are sent do not.
fn goes_through_other_proxy(effect: &Effect) -> bool {
    starts_bulk_copy(effect) && !matches!(effect, Effect::Copy(CopyOp::Send { .. }))
}

/// What a copy moves.
pub(super) struct Transfer {
    /// What it writes.
    pub(super) target: Extent,
    /// What it reads.
    pub(super) source: Option<Extent>,
    /// The tensor map that it reads, if the kernel has made that.
    pub(super) map: Option<Extent>,
    /// From where to where, in these two regions.
    pub(super) moves: Vec<Move>,
    /// Bytes that are moved at once.
    pub(super) step: u32,
    /// What it does with what it finds, instead of replacing it.
    pub(super) update: Option<(AtomicOp, Format)>,
}

/// Where bytes come from.
pub(super) enum From {
    /// A place in the source's region.
    Place(u64),
    /// A register.
    Register(Value),
    /// Nowhere: they are zeros.
    Zeros,
}

/// Bytes of a copy that lie one after the other.
pub(super) struct Move {
    pub(super) from: From,
    pub(super) to: u64,
    pub(super) bytes: u64,
}

impl<'a> Machine<'a> {
    /// Starts a bulk copy of each lane.
    pub(super) fn start_bulk_copies(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        bulk: Bulk,
        update: Option<(AtomicOp, Format)>,
    ) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the bulk copy");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let word = |at: usize| src.get(at).map(|reg| self.warps[index].word(*reg, lane));
            let (from, size, counter) = (word(1).unwrap_or(0), word(2).unwrap_or(0) as u32, word(3));
            let ranks = word(4);
            if !size.is_multiple_of(UNIT) {
                let what = format!("copies {size} bytes; the size of a bulk copy is a multiple of {UNIT}");
                self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Transactions, what));
                continue;
            }
            if size == 0 {
                continue; // it moves and brings nothing
            }
            let places = ((addresses[lane as usize], counter), false);
            for (to, counter) in self.destinations(index, pc, lane, places, ranks) {
                let counter = match counter {
                    None => None,
                    Some(counter) => match self.object(index, pc, lane, PhaserOp::Expect, counter) {
                        None => continue,
                        address => address,
                    },
                };
                let Some(flight) = self.start_bulk_copy(index, pc, lane, (bulk, update), (to, from), size)
                else {
                    continue;
                };
                self.let_fly(index, pc, lane, flight, counter.map(|counter| (counter, size)));
            }
        }
    }

    /// Where a lane's copy goes and what counts it: of several CTAs of the cluster, the same place in each. A `paired` copy
    /// may be counted in the other CTA of a pair: in each pair in the one whose rank is even or odd like that of the
    /// object named.
    pub(super) fn destinations(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        ((to, counter), paired): ((u64, Option<u64>), bool),
        ranks: Option<u64>,
    ) -> Vec<(u64, Option<u64>)> {
        let here = self.memory.rank_at(to) as u32;
        let counted = counter.map_or(here, |counter| self.memory.rank_at(counter) as u32);
        let Some(ranks) = ranks else {
            if counted == here || paired && counted == here ^ 1 {
                return vec![(to, counter)];
            }
            let why = format!(
                "its bytes go to CTA {here} of the cluster and are counted in CTA {counted}, so what it does is undefined"
            );
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return Vec::new();
        };
        let ranks = ranks as u32 & 0xffff;
        let counts = |rank: u32| if paired && (rank ^ counted) & 1 == 1 { rank ^ 1 } else { rank };
        if lanes(ranks).any(|rank| rank.max(counts(rank)) as usize >= self.ranks as usize) {
            let why = format!("a copy to the CTAs {ranks:#06x} of a cluster that has {}", self.ranks);
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return Vec::new();
        }
        let there = |address: u64, rank: u32| {
            let (_, own) = self.memory.window_of(address);
            self.memory.in_window(rank.into(), own)
        };
        lanes(ranks)
            .map(|rank| (there(to, rank), counter.map(|counter| there(counter, counts(rank)))))
            .collect()
    }

    /// Where nothing makes initialized barrier objects known to the other proxy, copies are taken to know them all the same.
    fn note_announcement(&mut self, pc: u32) {
        if !self.announces {
            self.granted.entry(ANNOUNCED).or_insert((0, pc)).0 += 1;
        }
    }

    /// A copy of a lane is under way, and a barrier object counts so many bytes, or it belongs to a group.
    pub(super) fn let_fly(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        flight: Flight,
        counter: Option<(u64, u32)>,
    ) {
        let thread = self.warps[index].first() + lane;
        match counter {
            Some((address, size)) => {
                self.note_announcement(pc);
                self.count_bytes(index, pc, lane, address, (size, Some(flight)));
            }
            None => self.bulk.start(thread as usize, flight),
        }
    }

    /// Each lane sends registers to shared memory, and a barrier object there counts their bytes.
    pub(super) fn send_registers(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        (update, format): (Option<AtomicOp>, Format),
        vector: u8,
    ) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let known = self.concrete_lanes(index, pc, mask, src[1], "the address of the barrier object");
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        let (bytes, access) =
            (format.bytes(), Access { space: Space::Shared, format, vector, strength: Strength::Weak });
        let size = bytes * u32::from(vector);
        let kind = if update.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        for lane in lanes(known) {
            let counter = self.warps[index].word(src[1], lane);
            let Some(counter) = self.object(index, pc, lane, PhaserOp::Expect, counter) else { continue };
            let to = addresses[lane as usize];
            let Some((region, to)) = self.aligned_spot(index, pc, lane, access, kind, to, size, size) else {
                continue;
            };
            let there = self.memory.address(region, to as i64);
            if self.memory.window_of(there).0 != self.memory.window_of(counter).0 {
                let why = "registers that are sent to one CTA and counted in another";
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why.to_owned()));
                continue;
            }
            let mut moves = Vec::with_capacity(vector.into());
            for (reg, to) in src[2..].iter().zip((to..).step_by(bytes as usize)) {
                let value = fit(&mut self.terms, self.warps[index].get(*reg, lane), format.bits());
                moves.push(Move { from: From::Register(value), to, bytes: bytes.into() });
            }
            let transfer = Transfer {
                target: Extent::one(region, to, size.into()),
                source: None,
                map: None,
                moves,
                step: bytes,
                update: update.map(|op| (op, format)),
            };
            let flight = self.start_transfer(index, pc, lane, transfer);
            self.let_fly(index, pc, lane, flight, Some((counter, size)));
        }
    }

    fn start_bulk_copy(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (bulk, update): (Bulk, Option<(AtomicOp, Format)>),
        (to, from): (u64, u64),
        size: u32,
    ) -> Option<Flight> {
        let (into, outof) = match bulk {
            Bulk::ToShared => (Space::Shared, Space::Global),
            Bulk::Across => (Space::Shared, Space::Shared),
            Bulk::ToGlobal => (Space::Global, Space::Shared),
        };
        let format = update.map_or(Format::B32, |(_, format)| format);
        let access = |space| Access { space, format, vector: 1, strength: Strength::Weak };
        let changed = if update.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        let (region, to) = self.aligned_spot(index, pc, lane, access(into), changed, to, size, UNIT)?;
        let target = Extent::one(region, to, size.into());
        let (region, from) =
            self.aligned_spot(index, pc, lane, access(outof), AccessKind::Read, from, size, UNIT)?;
        let source = Some(Extent::one(region, from, size.into()));
        let moves = vec![Move { from: From::Place(from), to, bytes: size.into() }];
        let step = update.map_or(STEP, |(_, format)| format.bytes());
        Some(self.start_transfer(
            index,
            pc,
            lane,
            Transfer { target, source, map: None, moves, step, update },
        ))
    }

    /// Bytes are moved by a lane's copy, whose places are checked and ready.
    pub(super) fn start_transfer(&mut self, index: usize, pc: u32, lane: u32, transfer: Transfer) -> Flight {
        let Transfer { target, source, map, moves, step, update } = transfer;
        let (epoch, now) = (self.clocks.epoch(self.warps[index].first() + lane), self.warps[index].step);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        let changed = if update.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        if let Some(source) = &source {
            self.read_for_copy(index, pc, lane, source, false);
            for (at, conflict) in self.unfenced(&by, AccessKind::Read, source) {
                self.judge(index, pc, (AccessKind::Read, source.region(), at), &by, None, Some(conflict));
            }
        }
        let asynchronous = goes_through_other_proxy(&self.kernel.code[pc as usize].effect);
        let unfenced = if asynchronous { self.unfenced(&by, changed, &target) } else { Vec::new() };
        let region = target.region();
        if self.memory.regions[region].flights > 0 {
            for (at, bytes) in target.runs() {
                self.write_under_copies(index, pc, lane, region, *at, *bytes as u32);
            }
        }
        for piece in moves {
            self.charge(piece.bytes.div_ceil(u64::from(step)));
            for at in (0..piece.bytes).step_by(step as usize) {
                let there = piece.to + at;
                let value = match (&piece.from, &source) {
                    (From::Register(value), _) => *value,
                    (From::Place(from), Some(source)) => {
                        let here = (source.region(), from + at);
                        let value = self.piece(here, 0, step);
                        self.as_read((index, pc, lane), (Some(here.0), here.1), step, value)
                    }
                    (From::Place(_) | From::Zeros, _) => Value::Concrete(0),
                };
                if self.recorder.is_some() {
                    self.observe_copy(index, pc, lane, value);
                }
                let value = match update {
                    None => value,
                    Some(update) => {
                        match self.updated_in_bulk(index, pc, lane, (region, there), update, value) {
                            Some(value) => value,
                            None => continue,
                        }
                    }
                };
                self.note_stored((index, pc, lane), (region, there), value);
                let cells = &mut self.memory.regions[region].cells;
                self.changes += u64::from(cells.write(&mut self.terms, there, step, value));
            }
        }
        self.note_transfer(index, pc, &by, &target, update);
        for (at, conflict) in unfenced {
            self.judge(index, pc, (changed, region, at), &by, None, Some(conflict));
        }
        let flight = Flight::new(target, source, (pc, epoch, now)).with(map, update);
        flight.sources().for_each(|source| self.memory.regions[source.region()].flights += 1);
        self.trace.event(index as u32, now, 1 << lane, pc, EventKind::Copy);
        flight
    }

    /// The new value of an element that a copy changes; `None` after stopping the lane.
    fn updated_in_bulk(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (region, offset): (usize, u64),
        (op, format): (AtomicOp, Format),
        operand: Value,
    ) -> Option<Value> {
        let bytes = format.bytes();
        let old = self.piece((region, offset), 0, bytes);
        let old = self.as_read((index, pc, lane), (Some(region), offset), bytes, old);
        let new = update_present(&mut self.terms, op, format, old, &[operand]);
        if new.is_none() {
            let why = "the outcome of this reduction depends on input data".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
        }
        self.symbolic_uses[pc as usize] +=
            u64::from(format.is_float() && matches!(new, Some(Value::Symbolic(_))));
        new
    }

    /// What a copy that starts writes or updates is under way.
    fn note_transfer(
        &mut self,
        index: usize,
        pc: u32,
        by: &Accessor,
        target: &Extent,
        update: Option<(AtomicOp, Format)>,
    ) {
        let (region, kernel) = (target.region(), self.kernel);
        if !self.memory.regions[region].watched {
            return;
        }
        let alone = self.setup.launch.ctas.len() == 1;
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in target.granules(granule) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let Some(update) = update else {
                let conflict = self.detector.write(&self.clocks, shadow, by, Hand::Copy);
                self.judge(index, pc, (AccessKind::Write, region, at), by, None, conflict);
                continue;
            };
            let itself = is_bulk_update(kernel, by.instr);
            let elsewhere = |instr: u32| is_bulk_update(kernel, instr) != itself;
            let other = self.detector.of_other_proxy(&self.clocks, shadow, by, elsewhere);
            let everybody = alone.then_some(Everybody { threads: self.block, returned: &self.returned });
            let how = (false, false, true);
            let conflict = self.detector.atomic(
                &self.clocks,
                shadow,
                by,
                (update.0, update.1, update.1.bytes() as u8),
                how,
                everybody,
            );
            let conflict = other.or(conflict);
            if let Some(conflict) = conflict.filter(|conflict| conflict.observed) {
                let place = self.region_place(region, at, granule as u32);
                let other = self.global_thread(conflict.other);
                let why =
                    format!("what this copy makes of {} depends on whether {other} comes first", place.text);
                self.list(index, by.mask, pc, FaultKind::DependsOnSchedule(why));
                return;
            }
            self.judge(index, pc, (AccessKind::Atomic, region, at), by, None, conflict);
        }
    }

    /// Where a bulk copy comes after accesses through the generic proxy, and no proxy fence between them.
    fn unfenced(&mut self, by: &Accessor, kind: AccessKind, extent: &Extent) -> Vec<(u64, Conflict)> {
        let mut found = Vec::new();
        let region = extent.region();
        if !self.memory.regions[region].watched {
            return found;
        }
        let memory = if self.memory.regions[region].space == Space::Shared { SHARED } else { GLOBAL };
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let kernel = self.kernel;
        let generic = |instr: u32| {
            let effect = &kernel.code[instr as usize].effect;
            !goes_through_other_proxy(effect)
                && !matches!(
                    effect,
                    Effect::Matrix(MatrixOp::Warpgroup(_))
                        | Effect::TensorMemory(TensorMemoryOp::Multiply(_) | TensorMemoryOp::Copy(_))
                )
        };
        let mut read = false;
        for at in extent.granules(granule) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let conflict = self.detector.unfenced(&self.clocks, shadow, by, memory, generic);
            if kind != AccessKind::Read && conflict.is_none() {
                read |= self.detector.read_unfenced(&self.clocks, shadow, by, memory, generic);
            }
            found.extend(conflict.map(|conflict| (at, conflict)));
        }
        if read {
            self.granted.entry(READ_BEFORE).or_insert((0, by.instr)).0 += 1;
        }
        found
    }

    /// A lane's thread has waited for all its bulk groups but the newest ones, of which at most so many are
    /// `left`; or until those have read.
    pub(super) fn land_bulk_groups(&mut self, index: usize, lane: u32, left: usize, reads: bool) {
        let thread = self.warps[index].first() + lane;
        let flights = self.bulk.leave(thread as usize, left, reads);
        if flights.is_empty() {
            return;
        }
        let agent = self.block + thread;
        let epoch = self.clocks.epoch(agent);
        let now = self.clocks.stamp(thread);
        for flight in flights {
            self.has_read(thread, &flight, agent, epoch);
            self.clocks.stand_for(agent, Some(&now));
            if reads {
                flight.sources().for_each(|source| self.memory.regions[source.region()].flights -= 1);
            } else {
                self.settle(thread, &flight, (self.first_thread + agent, epoch, Hand::Bulk));
            }
            self.clocks.stand_for(agent, None);
        }
        let arrival = self.clocks.arrive_for(agent, thread);
        self.clocks.learn(&[arrival], thread);
    }

    /// A phase has ended that surely waited for a copy.
    pub(super) fn land_counted(&mut self, copy: &Counted, clock: u32, epoch: u32) {
        let Some((thread, flight)) = &copy.flight else { return };
        self.starters.insert((self.first_thread + clock, flight.instr()), *thread);
        self.has_read(*thread, flight, clock, epoch);
        self.clocks.stand_for(clock, Some(&copy.start));
        self.settle(*thread, flight, (self.first_thread + clock, epoch, Hand::Bulk));
        self.clocks.stand_for(clock, None);
    }

    /// A copy has read its sources, which `reader` stands for.
    pub(super) fn has_read(&mut self, thread: u32, flight: &Flight, reader: u32, epoch: u32) {
        let lane = thread % WARP as u32;
        let warp_first = reader.wrapping_sub(lane);
        let global_first = self.first_thread + reader - lane;
        let instr = flight.instr();
        let by = Accessor { warp_first, global_first, mask: 1 << lane, epoch, instr, stale: false };
        for source in flight.sources() {
            let region = source.region();
            if !self.memory.regions[region].watched {
                continue;
            }
            let granule = u64::from(self.memory.regions[region].cells.granule());
            for at in source.granules(granule) {
                self.note_read((region, at), &by);
            }
        }
    }

    /// The CTA is over, and bulk copies of it are not.
    pub(super) fn end_bulk_copies(&mut self) {
        let over = self.warps.iter().all(|warp| warp.alive() == 0 && warp.faulted == 0)
            && self.races.found.is_empty();
        let grouped = self.bulk.under_way().filter(|(_, flight)| flight.reads());
        let left: Vec<(u32, u32)> = self
            .phasers
            .under_way()
            .chain(grouped)
            .map(|(thread, flight)| (thread, flight.instr()))
            .collect();
        for (thread, instr) in left.into_iter().filter(|_| over) {
            let why = "what becomes of a bulk copy that nobody has waited for when its CTA ends, which gives its shared memory back, depends on the schedule";
            let site = Site { instr, thread: self.thread(thread) };
            self.list_at(Some(site), FaultKind::DependsOnSchedule(why.to_owned()));
        }
    }

    /// The thread behind an access: of several that have started copies at one instruction which a phase waits for,
    /// one.
    pub(super) fn thread_behind(&self, number: u32, instr: u32) -> super::outcome::Thread {
        match self.starters.get(&(number, instr)) {
            Some(thread) => {
                let first = number / self.clocks.count() * self.clocks.count();
                self.global_thread(first + thread)
            }
            None => self.global_thread(number),
        }
    }

    /// Each lane writes zeros, as by stores (`st.bulk`).
    pub(super) fn clear_in_bulk(&mut self, index: usize, pc: u32, mask: u32, space: Space) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the store");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        let access = Access { space, format: Format::B32, vector: 1, strength: Strength::Weak };
        for lane in lanes(known) {
            let (size, value) = (self.warps[index].word(src[1], lane), self.warps[index].word(src[2], lane));
            if !size.is_multiple_of(CLEARED) || size > MOST_CLEARED || value != 0 {
                let what = format!(
                    "stores {size} bytes of {value}; `st.bulk` stores zeros, a multiple of {CLEARED} bytes and up to {MOST_CLEARED}"
                );
                self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Transactions, what));
                continue;
            }
            let (kind, at) = (AccessKind::Write, addresses[lane as usize]);
            let spot = self.aligned_spot(index, pc, lane, access, kind, at, size as u32, CLEARED as u32);
            let Some((region, start)) = spot.filter(|_| size > 0) else { continue };
            if self.memory.regions[region].space != Space::Shared {
                let why = "`st.bulk` writes shared memory alone".to_owned();
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            self.charge(size / u64::from(STEP));
            if self.memory.regions[region].flights > 0 {
                self.write_under_copies(index, pc, lane, region, start, size as u32);
            }
            let value = Value::Concrete(0);
            for at in (start..start + size).step_by(STEP as usize) {
                let cells = &mut self.memory.regions[region].cells;
                self.changes += u64::from(cells.write(&mut self.terms, at, STEP, value));
            }
            let by = self.accessor(index, pc, 1 << lane, self.clocks.epoch(self.warps[index].first() + lane));
            let granule = u64::from(self.memory.regions[region].cells.granule());
            for at in (start..start + size).step_by(granule as usize) {
                let shadow = self.memory.regions[region].shadow_at(at);
                let conflict = self.detector.write(&self.clocks, shadow, &by, Hand::Thread);
                let stored = Stored { value, start: at, bytes: granule as u32, format: Format::B32 };
                self.judge(index, pc, (kind, region, at), &by, Some(stored), conflict);
            }
        }
    }

    /// Asks for memory to be cached.
    pub(super) fn prefetch_bulk(&mut self, index: usize, pc: u32, mask: u32) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the prefetch");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        let access =
            Access { space: Space::Global, format: Format::B32, vector: 1, strength: Strength::Weak };
        for lane in lanes(known) {
            let size = self.warps[index].word(src[1], lane) as u32;
            if !size.is_multiple_of(UNIT) {
                let what =
                    format!("prefetches {size} bytes; the size of a bulk copy is a multiple of {UNIT}");
                self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Transactions, what));
                continue;
            }
            let at = addresses[lane as usize];
            self.aligned_spot(index, pc, lane, access, AccessKind::Read, at, size, UNIT);
        }
    }
}
