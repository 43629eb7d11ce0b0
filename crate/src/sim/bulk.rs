//! Bulk copies (`cp.async.bulk`; PTX ISA 9.0, 9.7.9.25.4 and 9.7.9.25.6).
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
//! Guarantees: a copy that has ended for nobody when its CTA does, of which nothing is promised, is *not
//! structured*, unless only its writes to global memory are left.
//! Misses: copies between the CTAs of a cluster, multicast and masks, which are unsupported.

use super::clock::{GLOBAL, SHARED};
use super::copies::Flight;
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind, Misuse, Site};
use super::race::{Accessor, Conflict, Hand, lanes};
use super::trace::EventKind;
use super::transactions::Counted;
use crate::base::Format;
use crate::ir::Kernel;
use crate::isa::{Access, Bulk, CopyOp, Effect, MatrixOp, PhaserOp, Space, Strength, WARP};

/// What sizes and addresses are multiples of.
const UNIT: u32 = 16;
/// Bytes that are moved at once.
const STEP: u32 = 4;

/// What the ledger says of copies that overwrite what was read without a proxy fence.
const READ_BEFORE: &str =
    "a read is over before a bulk copy behind it overwrites the place, without a proxy fence";

/// Whether a kernel has bulk copies or products of warpgroups, and with them a second proxy.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    let bulk = |effect: &Effect| matches!(effect, Effect::Copy(CopyOp::Bulk(_)));
    kernel.code.iter().any(|instr| bulk(&instr.effect)) || super::warpgroup::has_any(kernel)
}

impl<'a> Machine<'a> {
    /// Starts a bulk copy of each lane.
    pub(super) fn start_bulk_copies(&mut self, index: usize, pc: u32, mask: u32, bulk: Bulk) {
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
            if !size.is_multiple_of(UNIT) {
                let what = format!("copies {size} bytes; the size of a bulk copy is a multiple of {UNIT}");
                self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Transactions, what));
                continue;
            }
            if size == 0 {
                continue; // it moves and brings nothing
            }
            let counter = match counter {
                None => None,
                Some(counter) => match self.object(index, pc, lane, PhaserOp::Expect, counter) {
                    None => continue,
                    address => address,
                },
            };
            let Some(flight) =
                self.start_bulk_copy(index, pc, lane, bulk, (addresses[lane as usize], from), size)
            else {
                continue;
            };
            let thread = self.warps[index].first() + lane;
            match counter {
                Some(address) => {
                    self.count_bytes(index, pc, lane, address, (size, Some(flight)));
                }
                None => self.bulk.start(thread as usize, flight),
            }
        }
    }

    fn start_bulk_copy(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        bulk: Bulk,
        (to, from): (u64, u64),
        size: u32,
    ) -> Option<Flight> {
        let (into, outof) = match bulk {
            Bulk::ToShared => (Space::Shared, Space::Global),
            Bulk::ToGlobal => (Space::Global, Space::Shared),
        };
        let access = |space| Access { space, format: Format::B32, vector: 1, strength: Strength::Weak };
        let spot = |machine: &mut Self, space, kind, address| {
            machine.aligned_spot(index, pc, lane, access(space), kind, address, size, UNIT)
        };
        let target = spot(self, into, AccessKind::Write, to)?;
        let source = spot(self, outof, AccessKind::Read, from)?;
        let (epoch, step) = (self.clocks.epoch(self.warps[index].first() + lane), self.warps[index].step);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        self.charge(u64::from(size / STEP));
        self.read_for_copy(index, pc, lane, (source.0, source.1, size.into()), false);
        let unfenced = self.unfenced(&by, AccessKind::Read, source, size);
        for (at, conflict) in unfenced {
            self.judge(index, pc, (AccessKind::Read, source.0, at), &by, None, Some(conflict));
        }
        let unfenced = self.unfenced(&by, AccessKind::Write, target, size);
        if self.memory.regions[target.0].flights > 0 {
            self.write_under_copies(index, pc, lane, target.0, target.1, size);
        }
        for at in (0..size).step_by(STEP as usize) {
            let (here, there) = (source.1 + u64::from(at), target.1 + u64::from(at));
            let value = self.piece(source, at, STEP);
            let value = self.as_read((index, pc, lane), (Some(source.0), here), STEP, value);
            if self.recorder.is_some() {
                self.observe_copy(index, pc, lane, value);
            }
            self.note_stored((index, pc, lane), (target.0, there), value);
            let cells = &mut self.memory.regions[target.0].cells;
            self.changes += u64::from(cells.write(&mut self.terms, there, STEP, value));
        }
        if self.memory.regions[target.0].watched {
            let granule = u64::from(self.memory.regions[target.0].cells.granule());
            for at in (target.1..target.1 + u64::from(size)).step_by(granule as usize) {
                let shadow = self.memory.regions[target.0].shadow_at(at);
                let conflict = self.detector.write(&self.clocks, shadow, &by, Hand::Copy);
                self.judge(index, pc, (AccessKind::Write, target.0, at), &by, None, conflict);
            }
        }
        for (at, conflict) in unfenced {
            self.judge(index, pc, (AccessKind::Write, target.0, at), &by, None, Some(conflict));
        }
        self.memory.regions[source.0].flights += 1;
        self.trace.event(index as u32, step, 1 << lane, pc, EventKind::Copy);
        Some(Flight::new(target, (source.0, source.1, size.into()), pc, epoch, step))
    }

    /// Where a bulk copy comes after accesses through the generic proxy, and no proxy fence between them.
    fn unfenced(
        &mut self,
        by: &Accessor,
        kind: AccessKind,
        (region, offset): (usize, u64),
        size: u32,
    ) -> Vec<(u64, Conflict)> {
        let mut found = Vec::new();
        if !self.memory.regions[region].watched {
            return found;
        }
        let memory = if self.memory.regions[region].space == Space::Shared { SHARED } else { GLOBAL };
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let kernel = self.kernel;
        let generic = |instr: u32| {
            let effect = &kernel.code[instr as usize].effect;
            !matches!(effect, Effect::Copy(CopyOp::Bulk(_)) | Effect::Matrix(MatrixOp::Warpgroup(_)))
        };
        let mut read = false;
        for at in (offset..offset + u64::from(size)).step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let conflict = self.detector.unfenced(&self.clocks, shadow, by, memory);
            if kind == AccessKind::Write && conflict.is_none() {
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
            match flight.source() {
                Some((region, ..)) if reads => self.memory.regions[region].flights -= 1,
                _ => self.settle(thread, &flight, (self.first_thread + agent, epoch, Hand::Bulk)),
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

    /// A copy has read its source, which `reader` stands for.
    fn has_read(&mut self, thread: u32, flight: &Flight, reader: u32, epoch: u32) {
        let Some((region, offset, bytes)) = flight.source() else { return };
        if !self.memory.regions[region].watched {
            return;
        }
        let lane = thread % WARP as u32;
        let warp_first = reader.wrapping_sub(lane);
        let global_first = self.first_thread + reader - lane;
        let by = Accessor {
            warp_first,
            global_first,
            mask: 1 << lane,
            epoch,
            instr: flight.instr(),
            stale: false,
        };
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in (offset..offset + bytes).step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            self.detector.note_read(&self.clocks, shadow, &by);
        }
    }

    /// The CTA is over, and bulk copies of it are not.
    pub(super) fn end_bulk_copies(&mut self) {
        let over = self.warps.iter().all(|warp| warp.alive() == 0 && warp.faulted == 0)
            && self.races.found.is_empty();
        let grouped = self.bulk.under_way().filter(|(_, flight)| flight.source().is_some());
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
