//! Copies that run in the background (`cp.async`).
//!
//! A copy may happen at any moment between its start and the wait that covers it. Its bytes are
//! moved when it starts, and until it has ended its shadow entry is nobody's past: any access in
//! between, even by the thread that started it, is a race. What it reads must not be written in
//! between either. A wait turns the copy into accesses of the waiting thread, at the moment of the
//! wait; an arrival at a barrier object turns it into accesses of the thread's agent, which happen
//! before whatever waits for that barrier object, and before what the thread itself does once it has
//! waited for them as well. That they have ended does not say that the arrival has happened, too.
//!
//! What a copy reads is remembered when it starts, as read by its thread, in kernels without such
//! arrivals: its epoch can only be too early, and until the copy has ended the list of flights says
//! so. Where copies may arrive, who has read is known when the copy ends, and is remembered then.

use super::bulk;
use super::clock::{Arrival, NEVER};
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind};
use super::race::{Accessor, Conflict, Hand, lanes};
use super::trace::EventKind;
use crate::base::Format;
use crate::ir::RegisterKind;
use crate::isa::{Access, AtomicOp, Bulk, CopyOp, Space, Strength, WARP};
use crate::term::Value;
use std::collections::VecDeque;
use std::rc::Rc;

/// Bytes of a region.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    region: usize,
    runs: Runs,
}

/// Stretches of bytes: offsets, and how many.
#[derive(Clone, Debug)]
enum Runs {
    One([(u64, u64); 1]),
    Many(Rc<[(u64, u64)]>),
}

impl Extent {
    /// One stretch.
    pub(super) fn one(region: usize, offset: u64, bytes: u64) -> Extent {
        Extent { region, runs: Runs::One([(offset, bytes)]) }
    }

    /// Several, which do not overlap.
    pub(super) fn many(region: usize, runs: Vec<(u64, u64)>) -> Extent {
        Extent { region, runs: Runs::Many(runs.into()) }
    }

    /// Where it is.
    pub(super) fn region(&self) -> usize {
        self.region
    }

    /// The stretches.
    pub(super) fn runs(&self) -> &[(u64, u64)] {
        match &self.runs {
            Runs::One(one) => one,
            Runs::Many(many) => many,
        }
    }

    /// The offsets of its granules.
    pub(super) fn granules(&self, granule: u64) -> impl Iterator<Item = u64> {
        self.runs().iter().flat_map(move |(offset, bytes)| {
            (offset / granule * granule..offset + bytes).step_by(granule as usize)
        })
    }

    fn overlaps(&self, region: usize, offset: u64, bytes: u64) -> bool {
        let meets = |(from, count): &(u64, u64)| *from < offset + bytes && offset < from + count;
        self.region == region && self.runs().iter().any(meets)
    }
}

/// A copy under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    /// What it writes.
    to: Extent,
    /// What it still reads.
    from: Option<Extent>,
    /// The tensor map that it still reads, if the kernel has made that.
    map: Option<Extent>,
    /// What it does with the elements that it finds, if it does not replace them.
    update: Option<(AtomicOp, Format)>,
    instr: u32,
    /// The thread's epoch when it started.
    epoch: u32,
    /// Its warp's step when it started.
    step: u32,
}

impl Flight {
    /// A copy from some bytes of memory to others, started at an instruction in an epoch, at a step of the warp.
    pub(super) fn new(to: Extent, from: Option<Extent>, (instr, epoch, step): (u32, u32, u32)) -> Flight {
        Flight { to, from, map: None, update: None, instr, epoch, step }
    }

    /// The same, by a tensor map of the kernel, changing elements.
    pub(super) fn with(self, map: Option<Extent>, update: Option<(AtomicOp, Format)>) -> Flight {
        Flight { map, update, ..self }
    }

    /// Whether it still reads.
    pub(super) fn reads(&self) -> bool {
        self.sources().next().is_some()
    }

    /// What it still reads.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Extent> {
        self.from.iter().chain(&self.map)
    }

    /// The instruction that started it.
    pub(super) fn instr(&self) -> u32 {
        self.instr
    }

    /// Its step, and its instruction.
    pub(super) fn began(&self) -> (u32, u32) {
        (self.step, self.instr)
    }
}

/// Copies that their thread waits for together.
#[derive(Clone, Default)]
struct Group {
    flights: Vec<Flight>,
    /// The last time that the thread's agent took some of them over.
    taken: Option<Arrival>,
}

/// The copies of each thread of the CTA, in groups.
#[derive(Default)]
pub(super) struct Flights {
    open: Vec<Group>,
    groups: Vec<VecDeque<Group>>,
    /// How many of the groups, the last ones, agents have not seen.
    unseen: Vec<usize>,
}

impl Flights {
    /// None under way.
    pub(super) fn new(threads: u32) -> Flights {
        let count = threads as usize;
        Flights {
            open: vec![Group::default(); count],
            groups: vec![VecDeque::new(); count],
            unseen: vec![0; count],
        }
    }

    /// A group of a thread by its number; the open one behind the others.
    fn group(&mut self, thread: usize, at: usize) -> &mut Group {
        self.groups[thread].get_mut(at).unwrap_or(&mut self.open[thread])
    }

    /// A thread closes its group.
    pub(super) fn commit(&mut self, thread: usize) {
        let group = std::mem::take(&mut self.open[thread]);
        self.groups[thread].push_back(group);
        self.unseen[thread] += 1;
    }

    /// The oldest group of a thread, which forgets it.
    fn oldest(&mut self, thread: usize) -> Option<Group> {
        let group = self.groups[thread].pop_front();
        self.unseen[thread] = self.unseen[thread].min(self.groups[thread].len());
        group
    }

    /// What is under way, with the threads.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (u32, &Flight)> {
        (0..self.open.len()).flat_map(|thread| self.of(thread).map(move |flight| (thread as u32, flight)))
    }

    /// A thread starts a copy.
    pub(super) fn start(&mut self, thread: usize, flight: Flight) {
        self.open[thread].flights.push(flight);
    }

    /// The copies of a thread's groups, but for the newest ones, of which at most so many are `left`. They are
    /// forgotten; or, of those that have read only, what they read is.
    pub(super) fn leave(&mut self, thread: usize, left: usize, reads: bool) -> Vec<Flight> {
        let groups = &mut self.groups[thread];
        let over = groups.len().saturating_sub(left);
        if !reads {
            return groups.drain(..over).flat_map(|group| group.flights).collect();
        }
        let mut found = Vec::new();
        for flight in groups.iter_mut().take(over).flat_map(|group| &mut group.flights) {
            if flight.reads() {
                found.push(flight.clone());
                (flight.from, flight.map) = (None, None);
            }
        }
        found
    }

    fn of(&self, thread: usize) -> impl Iterator<Item = &Flight> {
        self.groups[thread].iter().chain([&self.open[thread]]).flat_map(|group| &group.flights)
    }
}

impl<'a> Machine<'a> {
    /// Executes an instruction about background copies.
    pub(super) fn copy(&mut self, index: usize, pc: u32, mask: u32, op: CopyOp) {
        let first = self.warps[index].first();
        match op {
            CopyOp::Start => self.start_copies(index, pc, mask),
            CopyOp::Commit => {
                for lane in lanes(mask) {
                    self.flights.commit((first + lane) as usize);
                }
            }
            CopyOp::WaitGroups => {
                let reg = self.kernel.src(&self.kernel.code[pc as usize])[0];
                let known = self.concrete_lanes(index, pc, mask, reg, "the number of groups");
                for lane in lanes(known) {
                    let left = self.warps[index].word(reg, lane) as usize;
                    self.land_groups(index, lane, left);
                }
            }
            CopyOp::WaitAll => {
                for lane in lanes(mask) {
                    self.flights.commit((first + lane) as usize);
                    self.land_groups(index, lane, 0);
                }
            }
            CopyOp::Arrive { counted } => self.copies_arrive(index, pc, mask, counted),
            CopyOp::Bulk(bulk) => self.start_bulk_copies(index, pc, mask, bulk, None),
            CopyOp::Update(op, format) => {
                self.start_bulk_copies(index, pc, mask, Bulk::ToGlobal, Some((op, format)));
            }
            CopyOp::Send { update, format, vector } => {
                self.send_registers(index, pc, mask, (update, format), vector)
            }
            CopyOp::Tensor(copy) => self.tensor_copies(index, pc, mask, copy),
            CopyOp::TakeOver { all } => self.ask_for_cluster(index, pc, mask, all),
            CopyOp::Clear(space) => self.clear_in_bulk(index, pc, mask, space),
            CopyOp::Replace(field, space) => self.replace_in_maps(index, pc, mask, field, space),
            CopyOp::Publish => self.publish_map(index, pc, mask),
            CopyOp::AcquireMap => self.acquire_maps(index, pc, mask),
            CopyOp::CommitBulk => {
                for lane in lanes(mask) {
                    self.bulk.commit((first + lane) as usize);
                }
            }
            CopyOp::WaitBulk { reads } => {
                let reg = self.kernel.src(&self.kernel.code[pc as usize])[0];
                let known = self.concrete_lanes(index, pc, mask, reg, "the number of groups");
                for lane in lanes(known) {
                    let left = self.warps[index].word(reg, lane) as usize;
                    self.land_bulk_groups(index, lane, left, reads);
                }
            }
            CopyOp::Prefetch => self.prefetch_bulk(index, pc, mask),
            // Under a condition on data, it may not be executed.
            CopyOp::Fence { shared, global } if self.guards.is_empty() => {
                for lane in lanes(mask) {
                    self.clocks.fence_proxy(first + lane, [shared, global]);
                }
            }
            CopyOp::Fence { .. } => {}
            CopyOp::HalfFence if bulk::has_any(self.kernel) => {
                let why = "proxy fences in one direction order nothing by themselves, and are not followed from thread to thread; use fence.proxy.async";
                self.park(index, mask, pc, FaultKind::Unsupported(why.to_owned()));
            }
            CopyOp::HalfFence => {}
        }
    }

    fn start_copies(&mut self, index: usize, pc: u32, mask: u32) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = self.concrete_lanes(index, pc, mask, src[0], "the address");
        known = self.concrete_lanes(index, pc, known, src[1], "the address");
        for reg in &src[2..] {
            known = self.concrete_lanes(index, pc, known, *reg, "the size of the copy");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let word = |at: usize| src.get(at).map(|reg| self.warps[index].word(*reg, lane));
            let (from, size, further) = (word(1).unwrap_or(0), word(2).unwrap_or(0) as u32, word(3));
            let predicate = RegisterKind::Virtual { bits: 1 };
            let ignored = src.get(3).is_some_and(|reg| kernel.registers[reg.index()] == predicate);
            let read = match further {
                Some(ignore) if ignored => {
                    if ignore & 1 == 1 {
                        0
                    } else {
                        size
                    }
                }
                Some(read) => read as u32,
                None => size,
            };
            if !matches!(size, 4 | 8 | 16) || read > size {
                let why = format!("a copy of {size} bytes of which {read} are read; 4, 8 or 16 are possible");
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            self.start_copy(index, pc, lane, (addresses[lane as usize], from), (size, read));
        }
    }

    fn start_copy(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (to, from): (u64, u64),
        (size, read): (u32, u32),
    ) {
        let (format, step) = match read % 4 {
            0 => (Format::B32, 4),
            2 => (Format::B16, 2),
            _ => (Format::B8, 1),
        };
        let access = |space| Access { space, format, vector: 1, strength: Strength::Weak };
        let target =
            self.aligned_spot(index, pc, lane, access(Space::Shared), AccessKind::Write, to, size, size);
        let Some((shared, to)) = target else { return };
        let mut source = None;
        if read > 0 {
            let spot =
                self.aligned_spot(index, pc, lane, access(Space::Global), AccessKind::Read, from, read, size);
            let Some(spot) = spot else { return };
            source = Some(spot);
        }
        let first = self.warps[index].first();
        let epoch = self.clocks.epoch(first + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        if let Some((region, offset)) = source {
            let read = Extent::one(region, offset, u64::from(read));
            self.read_for_copy(index, pc, lane, &read, !self.agents);
            self.memory.regions[region].flights += 1;
        }
        for at in (0..size).step_by(step as usize) {
            let value = match source {
                Some(spot) if at < read => self.piece(spot, at, step),
                _ => Value::Concrete(0),
            };
            let value = match source {
                Some((region, offset)) => {
                    let place = (Some(region), offset + u64::from(at));
                    self.as_read((index, pc, lane), place, step, value)
                }
                None => value,
            };
            if self.recorder.is_some() {
                self.observe_copy(index, pc, lane, value);
            }
            let cells = &mut self.memory.regions[shared].cells;
            self.changes += u64::from(cells.write(&mut self.terms, to + u64::from(at), step, value));
        }
        let granule = u64::from(self.memory.regions[shared].cells.granule());
        for at in (to..to + u64::from(size)).step_by(granule as usize) {
            let shadow = self.memory.regions[shared].shadow_at(at);
            let conflict = self.detector.write(&self.clocks, shadow, &by, Hand::Copy);
            self.judge(index, pc, (AccessKind::Write, shared, at), &by, None, conflict);
        }
        let step = self.warps[index].step;
        self.trace.event(index as u32, step, 1 << lane, pc, EventKind::Copy);
        let from = source.map(|(region, offset)| Extent::one(region, offset, u64::from(read)));
        let flight = Flight::new(Extent::one(shared, to, size.into()), from, (pc, epoch, step));
        self.flights.open[(first + lane) as usize].flights.push(flight);
    }

    /// A copy reads for a lane's thread, in its present epoch; `noted` for accesses to come.
    pub(super) fn read_for_copy(&mut self, index: usize, pc: u32, lane: u32, read: &Extent, noted: bool) {
        let region = read.region();
        if !self.memory.regions[region].watched {
            return;
        }
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in read.granules(granule) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let conflict = self.detector.before_read(&self.clocks, shadow, &by);
            self.judge_begun(index, pc, (region, at), &by, conflict);
            if noted {
                self.note_read((region, at), &by);
            }
        }
    }

    /// A lane's copies, which arrive at a barrier object, have ended: the thread's agent did it all, one
    /// group after the other, since the thread may wait for the first ones alone. What their reads
    /// conflict with was found when they started.
    pub(super) fn hand_over(&mut self, index: usize, lane: u32) {
        let thread = self.warps[index].first() + lane;
        let of = thread as usize;
        let groups = self.flights.groups[of].len();
        for at in groups - self.flights.unseen[of]..=groups {
            let flights = std::mem::take(&mut self.flights.group(of, at).flights);
            if flights.is_empty() {
                continue;
            }
            self.take_over(index, lane, &flights);
            let arrival = self.clocks.arrive_for(self.block + thread, thread);
            self.flights.group(of, at).taken = Some(arrival);
        }
        self.flights.unseen[of] = 0;
    }

    /// Copies were a thread's agent's doing.
    fn take_over(&mut self, index: usize, lane: u32, flights: &[Flight]) {
        let thread = self.warps[index].first() + lane;
        let agent = self.block + thread;
        let epoch = self.clocks.epoch(agent);
        for flight in flights {
            self.settle(thread, flight, (self.first_thread + agent, epoch, Hand::Thread));
            let Some(read) = &flight.from else { continue };
            let region = read.region();
            if !self.memory.regions[region].watched {
                continue;
            }
            let first = self.block + self.warps[index].first();
            let by = Accessor {
                warp_first: first,
                global_first: self.first_thread + first,
                mask: 1 << lane,
                epoch,
                instr: flight.instr,
                stale: false,
            };
            let granule = u64::from(self.memory.regions[region].cells.granule());
            for at in read.granules(granule) {
                self.note_read((region, at), &by);
            }
        }
    }

    /// The CTA is over. Copies that nobody waited for have read all the same, which other CTAs are
    /// not ordered with.
    pub(super) fn end_copies(&mut self) {
        if !self.agents {
            return;
        }
        for thread in 0..self.block {
            let reads: Vec<_> = self
                .flights
                .of(thread as usize)
                .filter_map(|flight| Some((flight.instr, flight.from.clone()?)))
                .collect();
            for (instr, read) in reads {
                self.read_for_copy(thread as usize / WARP, instr, thread % WARP as u32, &read, true);
            }
        }
    }

    /// A thread has waited for all its groups but the last ones, of which at most so many are `left`.
    fn land_groups(&mut self, index: usize, lane: u32, left: usize) {
        let thread = self.warps[index].first() + lane;
        let mut last = None;
        while self.flights.groups[thread as usize].len() > left {
            let Some(group) = self.flights.oldest(thread as usize) else { break };
            self.land(index, lane, &group.flights);
            last = group.taken.or(last);
        }
        if let Some(taken) = last {
            self.clocks.learn(&[taken], thread);
        }
    }

    /// Copies have ended: the thread that waited for them did it all, now.
    fn land(&mut self, index: usize, lane: u32, flights: &[Flight]) {
        let thread = self.warps[index].first() + lane;
        let epoch = self.clocks.epoch(thread);
        for flight in flights {
            self.settle(thread, flight, (self.first_thread + thread, epoch, Hand::Thread));
            if let Some(read) = &flight.from
                && (self.agents || flight.epoch != epoch)
            {
                self.read_for_copy(index, flight.instr, lane, read, true);
            }
        }
    }

    /// A copy's bytes were written by `writer` in `epoch`.
    pub(super) fn settle(&mut self, thread: u32, flight: &Flight, (writer, epoch, hand): (u32, u32, Hand)) {
        self.trace_flight(thread, flight.step, flight.instr);
        let shared = flight.to.region();
        for read in flight.sources() {
            self.memory.regions[read.region()].flights -= 1;
        }
        if !self.memory.regions[shared].watched {
            return;
        }
        if flight.update.is_some() {
            self.settle_update(thread, flight, (writer, epoch));
            return;
        }
        let granule = u64::from(self.memory.regions[shared].cells.granule());
        for at in flight.to.granules(granule) {
            let shadow = self.memory.regions[shared].shadow_at(at);
            shadow.land(self.first_thread + thread, flight.instr, (writer, epoch, hand));
            self.land_kept((shared, at), (self.first_thread + thread, flight.instr), (writer, epoch));
        }
    }

    /// A copy's bytes were changed by `writer` in `epoch`; other copies of its thread may still be about to change
    /// them.
    fn settle_update(&mut self, thread: u32, flight: &Flight, (writer, epoch): (u32, u32)) {
        let region = flight.to.region();
        let others: Vec<(Extent, u32)> = self
            .bulk
            .of(thread as usize)
            .filter(|other| other.update.is_some())
            .map(|other| (other.to.clone(), other.instr))
            .collect();
        let lane = thread % WARP as u32;
        let by = |first: u32, epoch: u32| Accessor {
            warp_first: first - self.first_thread,
            global_first: first,
            mask: 1 << lane,
            epoch,
            instr: flight.instr,
            stale: false,
        };
        let (before, now) = (by(self.first_thread + thread - lane, NEVER), by(writer - lane, epoch));
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in flight.to.granules(granule) {
            let stays =
                others.iter().find(|(other, _)| other.overlaps(region, at, granule)).map(|(_, instr)| *instr);
            let shadow = self.memory.regions[region].shadow_at(at);
            self.detector.land_update(shadow, &before, &now, stays);
        }
    }

    /// A lane writes where copies under way may read.
    pub(super) fn write_under_copies(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        region: usize,
        offset: u64,
        bytes: u32,
    ) {
        let overlaps =
            |flight: &&Flight| flight.sources().any(|read| read.overlaps(region, offset, bytes.into()));
        let flights = self.flights.under_way().chain(self.bulk.under_way()).chain(self.phasers.under_way());
        let flights = flights.chain(self.tensor_memory.under_way());
        let found = flights.into_iter().find(|(_, flight)| overlaps(flight));
        let found = found.map(|(thread, flight)| (thread, flight.instr));
        if let Some((thread, instr)) = found {
            let conflict = Conflict {
                other: self.first_thread + thread,
                instr,
                kind: AccessKind::Read,
                lane,
                observed: false,
                under_way: true,
                unfenced: false,
            };
            self.with_copy(index, pc, (AccessKind::Write, region, offset), conflict);
        }
    }
}
