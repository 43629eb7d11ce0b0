//! Barrier objects in shared memory (`mbarrier`): phases that end when enough arrivals have come.
//!
//! Arrivals release, and a test that tells the end of a phase acquires, unless they are `.relaxed`: then
//! the phase ends all the same, and accesses are as ordered as without it (see `clock`). Which phase an arrival
//! counts for, and which phase a parity means, must not depend on the schedule: an arrival must
//! come after all arrivals of the phase before its own, and a wait for a phase after all arrivals of
//! the one before it and before the end of the one after it. Copies that arrive as one more than
//! expected must be announced before some arrival that is expected. Otherwise the kernel is *not
//! structured*.
//!
//! A test can fail in one schedule and succeed in another. It tells the truth at once where the
//! thread knows that the phase has ended. Otherwise it fails twice, and the thread must come back
//! to it each time with the same registers and without having acted on memory or on others; it is
//! waiting then, and goes on when the phase ends. A thread that does anything else with a failed
//! test depends on the schedule and is *not structured*.
//!
//! The bytes of a live object belong to it: whatever else touches them, or makes them an object once
//! more, is a fault ([`Machine::over_object`]). `mbarrier.inval` ends its life.
//!
//! A phase that counts bytes as well (`expect_tx`) ends as `transactions` says.
//!
//! Missed: arrivals from other CTAs of a cluster, which are unsupported. That `.noComplete` arrivals
//! must not end a phase is not checked.

use super::accesses::Stored;
use super::barrier::Wait;
use super::clock::{Arrival, Clocks};
use super::copies::Flight;
use super::machine::{Flow, Machine};
use super::outcome::{AccessKind, FaultKind, Misuse};
use super::race::{Hand, lanes};
use super::trace::SegmentKind;
use super::transactions::Transactions;
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::{Access, Effect, PhaserOp, Space, Strength};
use crate::term::Value;
use std::collections::BTreeMap;

/// Bytes of a barrier object.
pub(super) const BYTES: u32 = 8;
/// The largest count (PTX ISA 9.0, 9.7.13.15.2).
pub(super) const MOST: u32 = (1 << 20) - 1;

/// One barrier object.
pub(super) struct Phaser {
    /// Arrivals that end a phase.
    expected: u32,
    /// The warp and the instruction that made it.
    made: (usize, u32),
    /// Arrivals that the present phase still lacks.
    pub(super) pending: u32,
    phase: u32,
    pub(super) arrivals: Vec<Arrival>,
    /// What the present phase counts in bytes.
    pub(super) bytes: Transactions,
    /// Those of them that are not among the expected ones: the thread that announced them, its
    /// epoch then, and its agent's.
    further: Vec<(u32, u32, u32)>,
    /// Arrivals of the phase before, and of the one before that.
    previous: [Vec<Arrival>; 2],
    /// Threads and agents that have waited for the phase before by its parity (an agent does what
    /// its thread starts afterwards), and their epochs then.
    waited: Vec<[(u32, u32); 2]>,
    /// Threads that wait for the present phase: with their instruction, and since when.
    pub(super) waiting: Vec<(u32, u32, u32)>,
}

/// A thread whose tests fail.
#[derive(Clone, Copy)]
struct Refusal {
    pc: u32,
    times: u32,
    registers: u64,
}

/// All barrier objects of the CTA.
#[derive(Default)]
pub(super) struct Phasers {
    /// By address in shared memory.
    pub(super) objects: BTreeMap<u64, Phaser>,
    /// Numbers among the clocks, by address, of those that copies have arrived at; they are kept when an
    /// object is invalidated.
    clocks: BTreeMap<u64, u32>,
    refused: BTreeMap<u32, Refusal>,
}

/// Whether an instruction uses a barrier object without ordering memory.
pub(super) fn is_relaxed(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Phaser(
            PhaserOp::Arrive { relaxed: true, .. }
                | PhaserOp::Test { relaxed: true, .. }
                | PhaserOp::Complete
        )
    )
}

impl Phasers {
    /// The live object that some of these bytes of shared memory belong to.
    #[inline]
    fn covering(&self, address: u64, bytes: u64) -> Option<u64> {
        let from = address.saturating_sub(u64::from(BYTES) - 1);
        self.objects.range(from..address.saturating_add(bytes)).next().map(|(at, _)| *at)
    }

    /// Whether some thread's last test failed.
    #[inline]
    pub(super) fn anyone_refused(&self) -> bool {
        !self.refused.is_empty()
    }

    /// Bulk copies under way that objects count, with their threads.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (u32, &Flight)> {
        let counted = self.objects.values().flat_map(|object| object.bytes.flights());
        counted.map(|(thread, flight)| (*thread, flight))
    }

    /// Bytes that the object at an address still expects.
    pub(super) fn owed(&self, address: u64) -> i64 {
        self.objects.get(&address).map_or(0, |object| object.bytes.owed())
    }

    /// Arrivals that the object at an address still lacks.
    pub(super) fn pending(&self, address: u64) -> u32 {
        self.objects.get(&address).map_or(0, |phaser| phaser.pending)
    }
}

/// What the ledger says of arrivals at objects of other CTAs, and waits for them, of no wider scope than the CTA, which is what
/// they have if they name none. Libraries write them so.
const SCOPE: &str = "barrier objects order what CTAs of a cluster do, although the instruction names no wider scope than the CTA";

impl<'a> Machine<'a> {
    /// Executes an instruction about a barrier object.
    pub(super) fn phaser(&mut self, index: usize, pc: u32, mask: u32, op: PhaserOp) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr).first().copied(), kernel.src(instr));
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the barrier object");
        }
        if op == PhaserOp::Pending {
            let words = self.warps[index].lanes(src[0]).map(|token| token & 0xffff_ffff);
            if let Some(dst) = dst {
                self.warps[index].set_concrete(dst, known, &words);
            }
            return Flow::Next;
        }
        if known == 0 {
            return Flow::Next;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return Flow::Next };
        let (mut going, mut waiting) = (0, false);
        for lane in lanes(known) {
            let Some(address) = self.object(index, pc, lane, op, addresses[lane as usize]) else { continue };
            let operand = src.get(1).map(|reg| self.warps[index].word(*reg, lane));
            match op {
                PhaserOp::Init => self.init(index, pc, lane, address, operand.unwrap_or(0) as u32),
                PhaserOp::Invalidate => {
                    if self.counts_bytes(address) {
                        self.depends(
                            index,
                            pc,
                            lane,
                            "what becomes of the bytes that this object still counts",
                        );
                    }
                    self.phasers.objects.remove(&address);
                }
                PhaserOp::Expect => {
                    let ahead = self.runs_ahead(index, pc, lane, address);
                    self.expect(index, pc, lane, address, operand.unwrap_or(0) as u32, ahead);
                }
                PhaserOp::Complete => self.bring_bytes(index, pc, lane, address, operand.unwrap_or(0) as u32),
                PhaserOp::Arrive { expects, .. } => {
                    let (mut count, word) = (1, operand.map(|word| word as u32));
                    let ahead = self.runs_ahead(index, pc, lane, address);
                    if !expects {
                        count = word.unwrap_or(1);
                    } else if !self.expect(index, pc, lane, address, word.unwrap_or(0), ahead) {
                        continue;
                    }
                    if let Some(token) = self.arrive(index, pc, lane, address, (count, ahead), op)
                        && let Some(dst) = dst
                    {
                        self.warps[index].set(dst, lane, Value::Concrete(token));
                    }
                }
                PhaserOp::Test { .. } => {
                    let Some(dst) = dst else { continue };
                    match self.test(index, pc, lane, address, operand.unwrap_or(0), op) {
                        Some(ended) => {
                            self.warps[index].set(dst, lane, Value::Concrete(u64::from(ended)));
                            going |= 1 << lane;
                        }
                        None => waiting = true,
                    }
                }
                PhaserOp::Pending => {}
            }
        }
        if waiting {
            // Those that know the answer go on by themselves.
            let going = going & !self.warps[index].faulted;
            self.warps[index].resume(pc + 1, going);
            return Flow::Leave;
        }
        Flow::Next
    }

    /// The address of the barrier object that a lane names; using it is an access for races.
    pub(super) fn object(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        op: PhaserOp,
        address: u64,
    ) -> Option<u64> {
        let space = if address >> 32 == 0 { Space::Shared } else { Space::Generic };
        let changes = matches!(op, PhaserOp::Init | PhaserOp::Invalidate);
        let kind = if changes { AccessKind::Write } else { AccessKind::Read };
        let access = Access { space, format: Format::B32, vector: 2, strength: Strength::Weak };
        let (region, offset) = self.aligned_spot(index, pc, lane, access, kind, address, BYTES, BYTES)?;
        if self.memory.regions[region].space != Space::Shared {
            let why = "a barrier object must lie in shared memory".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        // Threads that initialize an object with one count store one value.
        let stored = (op == PhaserOp::Init).then(|| {
            let count = self.warps[index].word(self.kernel.src(&self.kernel.code[pc as usize])[1], lane);
            let value = Value::Concrete(count & 0xffff_ffff);
            Stored { value, start: offset, bytes: BYTES, format: Format::B64 }
        });
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in (offset..offset + u64::from(BYTES)).step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let conflict = if changes {
                self.detector.write(&self.clocks, shadow, &by, Hand::Thread)
            } else {
                self.detector.read(&self.clocks, shadow, &by)
            };
            self.judge(index, pc, (kind, region, at), &by, stored, conflict);
        }
        let address = self.memory.address(region, offset as i64);
        if op != PhaserOp::Init && !self.phasers.objects.contains_key(&address) {
            let place = self.region_place(region, offset, BYTES);
            self.park(index, 1 << lane, pc, FaultKind::UninitializedMemory(place));
            return None;
        }
        Some(address)
    }

    fn init(&mut self, index: usize, pc: u32, lane: u32, address: u64, count: u32) {
        if !(1..=MOST).contains(&count) {
            let why = format!("a barrier object counts 1 to {MOST} arrivals, not {count}");
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return;
        }
        // Lanes of a warp may make one object together.
        let again = self.phasers.objects.get(&address).is_some_and(|object| {
            let fresh = object.phase == 0 && object.pending == object.expected;
            fresh && object.expected == count && object.made == (index, pc)
        });
        if let Some(object) = self.phasers.covering(address, u64::from(BYTES)).filter(|_| !again) {
            let what = format!(
                "initializes the live barrier object `{}` once more; end its life with mbarrier.inval first",
                self.phaser_name(object)
            );
            self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Object, what));
            return;
        }
        let object = Phaser {
            expected: count,
            made: (index, pc),
            pending: count,
            phase: 0,
            arrivals: Vec::new(),
            bytes: Transactions::default(),
            further: Vec::new(),
            previous: [Vec::new(), Vec::new()],
            waited: Vec::new(),
            waiting: Vec::new(),
        };
        self.phasers.objects.insert(address, object);
        self.changes += 1;
    }

    /// A thread arrives; gives the token of the phase.
    fn arrive(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        address: u64,
        (count, ahead): (u32, bool),
        op: PhaserOp,
    ) -> Option<u64> {
        let PhaserOp::Arrive { drop, relaxed, .. } = op else { return None };
        let thread = self.warps[index].first() + lane;
        let follows = ahead || self.follows_last_phase(address, thread);
        if !follows || self.waits_for_bytes(address) {
            self.depends(index, pc, lane, "which phase this arrival counts for");
            return None;
        }
        let object = self.phasers.objects.get_mut(&address)?;
        if count == 0 || count > object.pending {
            let why = format!("{count} arrivals at a barrier object that lacks {}", object.pending);
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let token = u64::from(object.phase) << 32 | u64::from(object.pending);
        object.pending -= count;
        object.expected -= u32::from(drop);
        let arrival = match relaxed {
            true => self.clocks.arrive_relaxed(thread),
            false => self.clocks.arrive(thread),
        };
        if !relaxed && self.memory.window_of(address).0 != self.rank_of(index).0 as usize {
            self.note_scope(pc);
        }
        self.arrived_at(index, pc, lane, address, arrival);
        Some(token)
    }

    /// The copies of each lane's thread so far will arrive.
    pub(super) fn copies_arrive(&mut self, index: usize, pc: u32, mask: u32, counted: bool) {
        let kernel = self.kernel;
        let reg = kernel.src(&kernel.code[pc as usize])[0];
        let known = self.concrete_lanes(index, pc, mask, reg, "the address");
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let op = PhaserOp::Arrive { drop: false, relaxed: false, expects: false };
            let Some(address) = self.object(index, pc, lane, op, addresses[lane as usize]) else { continue };
            let thread = self.warps[index].first() + lane;
            if !self.follows_last_phase(address, thread) || self.waits_for_bytes(address) {
                self.depends(index, pc, lane, "which phase this arrival counts for");
                continue;
            }
            self.hand_over(index, lane);
            let announced = (thread, self.clocks.present(thread), self.clocks.present(self.block + thread));
            let arrival = self.clocks.arrive_for(self.block + thread, thread);
            if counted {
                self.arrive_counted(index, pc, lane, address, arrival);
                continue;
            }
            let Some(object) = self.phasers.objects.get_mut(&address) else { continue };
            object.further.push(announced);
            self.arrived_at(index, pc, lane, address, arrival);
        }
    }

    /// An arrival that an object expects, by somebody in a lane's name.
    pub(super) fn arrive_counted(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        address: u64,
        arrival: Arrival,
    ) {
        let Some(object) = self.phasers.objects.get_mut(&address) else { return };
        if object.pending == 0 {
            let why = "an arrival at a barrier object that lacks none".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return;
        }
        object.pending -= 1;
        self.arrived_at(index, pc, lane, address, arrival);
    }

    fn arrived_at(&mut self, index: usize, pc: u32, lane: u32, address: u64, arrival: Arrival) {
        self.changes += 1;
        let Some(object) = self.phasers.objects.get_mut(&address) else { return };
        object.arrivals.push(arrival);
        if object.pending == 0 && !self.counts_bytes(address) {
            self.end_phase(index, pc, lane, address);
        }
    }

    /// The present phase ends; `pc` of a lane is where that is seen.
    pub(super) fn end_phase(&mut self, index: usize, pc: u32, lane: u32, address: u64) {
        let Some(object) = self.phasers.objects.get_mut(&address) else { return };
        // Whoever waited for the phase before by its parity must have done so before this phase
        // can end; it would see the next one otherwise.
        let known = |waited: &[(u32, u32); 2]| {
            object.arrivals.iter().any(|arrival| {
                waited.iter().any(|(thread, epoch)| Clocks::precedes(*thread, *epoch, arrival))
            })
        };
        let early = !object.waited.iter().all(known);
        // Arrivals beyond the expected ones must be announced before this phase can end.
        let block = self.block;
        let expected = |arrival: &Arrival| {
            !object
                .further
                .iter()
                .any(|(who, _, epoch)| arrival.thread == block + who && arrival.epoch() == *epoch)
        };
        let late = !object.further.iter().all(|(thread, epoch, agents)| {
            object.arrivals.iter().filter(|arrival| expected(arrival)).any(|arrival| {
                Clocks::precedes(*thread, *epoch, arrival)
                    || arrival.thread == block + thread && arrival.epoch() > *agents
            })
        });
        // So must bytes.
        let untold = !object.bytes.told.iter().all(|(thread, epoch)| {
            let mut arrivals = object.arrivals.iter().filter(|arrival| expected(arrival));
            arrivals.any(|arrival| Clocks::precedes(*thread, *epoch, arrival))
        });
        let landed = object.bytes.end_phase();
        object.further.clear();
        object.phase += 1;
        object.pending = object.expected;
        let mut ended = std::mem::take(&mut object.arrivals);
        if !landed.is_empty() || ended.iter().any(|arrival| arrival.thread >= block) {
            let clock = *self.phasers.clocks.entry(address).or_insert_with(|| self.clocks.object());
            let starts: Vec<Arrival> = landed.iter().map(|copy| copy.start.clone()).collect();
            let end = self.clocks.end_phase(clock, &starts);
            landed.iter().for_each(|copy| self.land_counted(copy, clock, end.epoch()));
            ended.push(end);
        }
        let Some(object) = self.phasers.objects.get_mut(&address) else { return };
        let last = std::mem::replace(&mut object.previous[0], ended);
        object.previous[1] = last;
        object.waited.clear();
        let waiting = std::mem::take(&mut object.waiting);
        let ended = object.previous[0].clone();
        self.stats.cta_barriers += 1;
        for (thread, at, since) in waiting {
            self.wake(thread, at, since, address, &ended);
        }
        if early {
            self.depends(index, pc, lane, "whether a thread still sees the phase it waits for");
        }
        if late {
            self.depends(index, pc, lane, "whether this phase still waits for copies that arrive as well");
        }
        if untold {
            let what = "whether this phase waits for bytes that no arrival comes after";
            self.depends(index, pc, lane, what);
        }
    }

    /// A thread that waited for the phase that has just ended goes on.
    fn wake(&mut self, thread: u32, pc: u32, since: u32, address: u64, ended: &[Arrival]) {
        let (warp, lane) = (thread as usize / 32, thread % 32);
        self.acquire(ended, thread, pc);
        self.note_wait(thread, pc, address);
        self.waits[thread as usize] = None;
        self.phasers.refused.remove(&thread);
        let step = self.warps[warp].step;
        self.trace.segment(warp as u32, (since, step), 1 << lane, SegmentKind::WaitBarrier, pc);
        let dst = self.kernel.dst(&self.kernel.code[pc as usize])[0];
        self.warps[warp].set(dst, lane, Value::Concrete(1));
        self.warps[warp].resume(pc + 1, 1 << lane);
    }

    /// Whether the phase that `operand` names has ended; `None` if the thread waits for it now.
    fn test(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        address: u64,
        operand: u64,
        op: PhaserOp,
    ) -> Option<bool> {
        let PhaserOp::Test { parity, relaxed } = op else { return None };
        let thread = self.warps[index].first() + lane;
        let object = self.phasers.objects.get(&address)?;
        let ended = match parity {
            true => u64::from(object.phase) & 1 != operand & 1,
            false => operand >> 32 != u64::from(object.phase),
        };
        if parity {
            // The phase before the one it waits for must be over for sure.
            let before = if ended { &object.previous[1] } else { &object.previous[0] };
            if !before.iter().all(|arrival| self.clocks.follows(arrival, thread)) {
                self.depends(index, pc, lane, "which phase this parity means");
                return Some(true);
            }
        }
        let arrivals = object.previous[0].clone();
        if ended && !relaxed && self.ranks > 1 {
            let rank = thread / self.own;
            if arrivals.iter().any(|arrival| self.clocks.local(arrival) / self.own != rank) {
                self.note_scope(pc);
            }
        }
        if ended && arrivals.iter().all(|arrival| self.clocks.follows(arrival, thread)) {
            if self.relaxed && !relaxed {
                // What it knows it may now rely on.
                self.clocks.learn(&arrivals, thread);
            }
            self.phasers.refused.remove(&thread);
            self.note_wait(thread, pc, address);
            return Some(true);
        }
        if !self.is_waiting(index, pc, lane) {
            return Some(false);
        }
        if ended {
            self.acquire(&arrivals, thread, pc);
            self.phasers.refused.remove(&thread);
            self.note_wait(thread, pc, address);
            return Some(true);
        }
        let since = self.warps[index].step;
        self.phasers.objects.get_mut(&address)?.waiting.push((thread, pc, since));
        self.waits[thread as usize] = Some(Wait::Phaser { address, pc, since });
        None
    }

    /// An arrival or a wait orders what two CTAs of a cluster do.
    fn note_scope(&mut self, pc: u32) {
        let is_scope = |suffix: &str| suffix == "cluster" || suffix == "gpu" || suffix == "sys";
        if !self.kernel.opcode(pc).split('.').any(is_scope) {
            self.granted.entry(SCOPE).or_insert((0, pc)).0 += 1;
        }
    }

    /// A thread's test at `pc` has told it of the end of a phase.
    fn acquire(&mut self, ended: &[Arrival], thread: u32, pc: u32) {
        match is_relaxed(&self.kernel.code[pc as usize].effect) {
            true => self.clocks.see(ended, thread),
            false => self.clocks.learn(ended, thread),
        }
    }

    /// Whether a region has live barrier objects, as far as is known without looking for them.
    #[inline]
    pub(super) fn holds_objects(&self, region: usize) -> bool {
        !self.phasers.objects.is_empty() && self.memory.regions[region].space == Space::Shared
    }

    /// Stops a lane whose access touches a live barrier object with something else than its own
    /// instructions. Whether it did.
    pub(super) fn over_object(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (region, offset, bytes): (usize, u64, u64),
    ) -> bool {
        if !self.holds_objects(region) {
            return false;
        }
        let address = self.memory.address(region, offset as i64);
        let Some(object) = self.phasers.covering(address, bytes) else { return false };
        let what = format!(
            "touches the live barrier object `{}` with `{}`; end its life with mbarrier.inval first",
            self.phaser_name(object),
            self.kernel.opcode(pc)
        );
        self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Object, what));
        true
    }

    /// Remembers who has waited for the last phase by its parity, and when.
    fn note_wait(&mut self, thread: u32, pc: u32, address: u64) {
        let parity = matches!(
            self.kernel.code[pc as usize].effect,
            Effect::Phaser(PhaserOp::Test { parity: true, .. })
        );
        let agent = if self.agents { self.block + thread } else { thread };
        let waited = [thread, agent].map(|who| (who, self.clocks.present(who)));
        if let Some(object) = self.phasers.objects.get_mut(&address).filter(|_| parity) {
            object.waited.push(waited);
        }
    }

    /// Refuses a test until the thread has come back to it twice with nothing changed.
    fn is_waiting(&mut self, index: usize, pc: u32, lane: u32) -> bool {
        let thread = self.warps[index].first() + lane;
        let registers = self.warps[index].digest(lane);
        let before = self.phasers.refused.get(&thread).copied().filter(|before| before.pc == pc);
        let times = before.map_or(0, |before| before.times);
        if let Some(before) = before
            && times >= 2
        {
            if before.registers != registers {
                self.depends(index, pc, lane, "what this thread does while it waits");
            }
            return true;
        }
        self.phasers.refused.insert(thread, Refusal { pc, times: times + 1, registers });
        false
    }

    /// Lanes act though their last test failed: they do not wait.
    pub(super) fn not_waiting(&mut self, index: usize, pc: u32, mask: u32) {
        let first = self.warps[index].first();
        for lane in lanes(mask) {
            if self.phasers.refused.remove(&(first + lane)).is_some() {
                self.depends(index, pc, lane, "that this is reached after a failed test of a barrier object");
            }
        }
    }

    pub(super) fn follows_last_phase(&self, address: u64, thread: u32) -> bool {
        let Some(object) = self.phasers.objects.get(&address) else { return true };
        object.previous[0].iter().all(|arrival| self.clocks.follows(arrival, thread))
    }

    pub(super) fn depends(&mut self, index: usize, pc: u32, lane: u32, what: &str) {
        let why = format!("{what} depends on the schedule");
        self.park(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
    }

    /// The place of a barrier object, in words.
    pub(super) fn phaser_name(&self, address: u64) -> String {
        self.memory.place(self.kernel, self.setup, Space::Shared, address, BYTES).text
    }
}

impl super::warp::Warp {
    /// A number that differs, as good as surely, when any register of a lane does.
    fn digest(&self, lane: u32) -> u64 {
        (0..self.register_count()).fold(0, |digest: u64, at| {
            let word = match self.get(Reg(at as u32), lane) {
                Value::Concrete(bits) => bits,
                Value::Symbolic(symbol) => symbol.encode() | 1 << 62,
                Value::Undefined(gap) => u64::from(gap.raw()) | 1 << 63,
            };
            (digest.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}
