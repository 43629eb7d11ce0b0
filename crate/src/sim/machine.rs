//! The CTA machine: scheduling, divergence, faults.
//!
//! One schedule stands for all: each warp runs until its lanes wait or end, warps in ascending
//! order (other orders exist for tests). A thread that commits a fault stops there, and everybody
//! else goes on as far as they get without it; so every access that is not ordered after the
//! fault is still seen, and a race that explains an uninitialized read is found too.

use super::barrier::{Barriers, Wait};
use super::cells::Cells;
use super::clock::{Arrival, Clocks};
use super::collective::Rendezvous;
use super::copies::Flights;
use super::memory::Memory;
use super::outcome::{Fault, FaultKind, Run, Site, Stats, Thread};
use super::phaser::Phasers;
use super::predicate::Guards;
use super::race::{Detector, lanes};
use super::setup::{Options, Schedule, Setup};
use super::spin::Watch;
use super::trace::{EventKind, Stretch, Trace};
use super::warp::{Group, Warp};
use super::{harvest, races::Races};
use crate::base::{Budget, Exhausted};
use crate::ir::{Kernel, Reg, RegisterKind, SpecialReg};
use crate::isa::{CopyOp, Effect, Lanes, WARP};
use crate::term::{Terms, Value};
use std::collections::BTreeMap;

/// How control goes on after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// All lanes go to the next instruction.
    Next,
    /// The executing lanes jump.
    Jump(u32),
    /// The executing lanes left the group (they wait, have ended, or were sent elsewhere).
    Leave,
}

/// Threads of a fault that are listed beside the first.
const OTHERS: usize = 64;
/// Different faults that are kept.
const FAULTS: usize = 16;

/// Everything a run holds.
pub(super) struct Machine<'a> {
    pub(super) options: &'a Options,
    pub(super) budget: &'a Budget,
    pub(super) kernel: &'a Kernel,
    pub(super) setup: &'a Setup,
    pub(super) terms: Terms,
    pub(super) memory: Memory,
    pub(super) detector: Detector,
    pub(super) clocks: Clocks,
    pub(super) warps: Vec<Warp>,
    /// Local memory of each thread, empty until used.
    pub(super) locals: Vec<Cells>,
    pub(super) barriers: Barriers,
    /// What each thread waits for.
    pub(super) waits: Vec<Option<Wait>>,
    /// Open warp-level meetings, by warp.
    pub(super) meetings: Vec<Vec<Rendezvous>>,
    /// Threads that have returned, as arrivals at every later barrier.
    pub(super) returned: Vec<Arrival>,
    /// The running CTA's coordinates.
    pub(super) cta: [u32; 3],
    /// Copies that are under way.
    pub(super) flights: Flights,
    /// Barrier objects in shared memory.
    pub(super) phasers: Phasers,
    /// Copies may arrive at barrier objects: threads have agents with clocks of their own.
    pub(super) agents: bool,
    /// Global number of the CTA's thread 0.
    pub(super) first_thread: u32,
    /// Threads in a block.
    pub(super) block: u32,
    pub(super) faults: Vec<Fault>,
    pub(super) races: Races,
    pub(super) stats: Stats,
    pub(super) trace: Trace,
    /// For each instruction, lanes that executed it on symbolic values.
    pub(super) symbolic_uses: Vec<u64>,
    /// What was taken for granted of arguments far out: how often, and where first.
    pub(super) far: BTreeMap<&'static str, (u64, u32)>,
    /// Stores that were alike with another lane's ([`Machine::alike`]), and where the last was.
    pub(super) alike: (u64, u32),
    /// Registers that some instruction reads.
    pub(super) is_read: Vec<bool>,
    /// Conditions of the predicated stretches that the running warp is in, innermost last.
    pub(super) guards: Vec<Guards>,
    /// Where the running side of a predicated branch ends.
    pub(super) stop: u32,
    /// Lanes that have come there.
    pub(super) arrived: u32,
    pub(super) scratch: [Lanes; 2],
    /// A CTA barrier has let its threads go.
    pub(super) released: bool,
    /// A lane of the running warp was stopped by a fault.
    pub(super) parked: bool,
    /// Memory contents that have changed so far.
    pub(super) changes: u64,
    watch: Watch,
    /// An input was written to, which nobody watched until then: the run is void.
    pub(super) input_written: bool,
    pub(super) fuel: u64,
    /// Thread-instructions that the progress counter knows of.
    reported: u64,
    exhausted: Option<Exhausted>,
    random: u64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        options: &'a Options,
        budget: &'a Budget,
        kernel: &'a Kernel,
        setup: &'a Setup,
        watch_inputs: bool,
    ) -> Self {
        let mut terms = Terms::new();
        let memory = Memory::new(kernel, setup, &mut terms, watch_inputs);
        let block = setup.launch.block.iter().product();
        let mut is_read = vec![false; kernel.registers.len()];
        for instr in &kernel.code {
            for reg in kernel.src(instr) {
                is_read[reg.index()] = true;
            }
            if let Some(guard) = instr.guard {
                is_read[guard.predicate.index()] = true;
            }
        }
        let random = match options.schedule {
            Schedule::Random(seed) => seed ^ 0x9e37_79b9_7f4a_7c15,
            Schedule::Ascending | Schedule::Descending => 0,
        };
        Machine {
            options,
            budget,
            kernel,
            setup,
            terms,
            memory,
            detector: Detector::default(),
            clocks: Clocks::new(0, block),
            warps: Vec::new(),
            locals: Vec::new(),
            barriers: Barriers::default(),
            waits: Vec::new(),
            meetings: Vec::new(),
            returned: Vec::new(),
            cta: [0; 3],
            flights: Flights::new(0),
            phasers: Phasers::default(),
            agents: kernel
                .code
                .iter()
                .any(|instr| matches!(instr.effect, Effect::Copy(CopyOp::Arrive { .. }))),
            first_thread: 0,
            block,
            faults: Vec::new(),
            races: Races::default(),
            stats: Stats::default(),
            trace: Trace::new(options.timeline_events),
            symbolic_uses: vec![0; kernel.code.len()],
            far: BTreeMap::new(),
            alike: (0, 0),
            is_read,
            guards: Vec::new(),
            stop: u32::MAX,
            arrived: 0,
            scratch: [[0; WARP]; 2],
            released: false,
            parked: false,
            changes: 0,
            watch: Watch::default(),
            input_written: false,
            fuel: budget.fuel,
            reported: 0,
            exhausted: None,
            random,
        }
    }

    /// Runs all CTAs of the launch and gathers what they leave behind. And whether that counts: not
    /// if the kernel writes where it was taken only to read, because races may have been missed.
    pub(super) fn run(mut self) -> (Run, bool) {
        self.launch();
        let counts = !self.input_written;
        (harvest::harvest(self), counts)
    }

    /// Runs all CTAs of the launch, as far as they get.
    pub(super) fn launch(&mut self) {
        for (index, cta) in self.setup.launch.ctas.iter().enumerate() {
            self.begin_cta(index, *cta);
            self.run_cta();
            self.trace_end();
            if self.exhausted.is_some() || !self.faults.is_empty() {
                break;
            }
        }
    }

    fn begin_cta(&mut self, index: usize, cta: [u32; 3]) {
        let count = self.block.div_ceil(WARP as u32);
        self.cta = cta;
        let stride = if self.agents { self.block * 2 } else { self.block };
        self.first_thread = index as u32 * stride;
        self.clocks = Clocks::new(self.first_thread, stride);
        self.flights = Flights::new(self.block);
        self.phasers = Phasers::default();
        self.barriers = Barriers::default();
        self.waits = vec![None; self.block as usize];
        self.meetings = (0..count).map(|_| Vec::new()).collect();
        self.returned.clear();
        self.locals = vec![Cells::undefined(0, 4); self.block as usize];
        self.memory.reset_shared(self.setup.launch.dynamic_shared);
        self.trace.begin_cta(index, count);
        self.warps = (0..count).map(|warp| self.new_warp(warp)).collect();
    }

    fn new_warp(&self, index: u32) -> Warp {
        let first = index * WARP as u32;
        let lanes = (self.block - first).min(WARP as u32);
        let present = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let mut warp = Warp::new(index, present, self.kernel.registers.len());
        for (at, kind) in self.kernel.registers.iter().enumerate() {
            let words = match kind {
                RegisterKind::Virtual { .. } | RegisterKind::Sink => continue,
                RegisterKind::Constant(constant) => [self.memory.constant(self.kernel, constant); WARP],
                RegisterKind::Special(SpecialReg::Unmodelled) => continue,
                RegisterKind::Special(special) => {
                    std::array::from_fn(|lane| self.special(*special, first + lane as u32))
                }
            };
            warp.set_concrete(Reg(at as u32), u32::MAX, &words);
            if words == [words[0]; WARP] {
                warp.mark_uniform(Reg(at as u32));
            }
        }
        warp
    }

    fn special(&self, special: SpecialReg, linear: u32) -> u64 {
        let launch = &self.setup.launch;
        let lane = linear % WARP as u32;
        let word = match special {
            SpecialReg::Tid(axis) => self.thread(linear).tid[usize::from(axis)],
            SpecialReg::Ntid(axis) => launch.block[usize::from(axis)],
            SpecialReg::Ctaid(axis) => self.cta[usize::from(axis)],
            SpecialReg::Nctaid(axis) => launch.grid[usize::from(axis)],
            SpecialReg::LaneId => lane,
            SpecialReg::WarpId => linear / WARP as u32,
            SpecialReg::NWarpId => self.block.div_ceil(WARP as u32),
            SpecialReg::LaneMaskEq => 1 << lane,
            SpecialReg::LaneMaskLt => (1 << lane) - 1,
            SpecialReg::LaneMaskLe => ((1u64 << (lane + 1)) - 1) as u32,
            SpecialReg::LaneMaskGt => !(((1u64 << (lane + 1)) - 1) as u32),
            SpecialReg::LaneMaskGe => !((1 << lane) - 1),
            SpecialReg::DynamicSharedSize => launch.dynamic_shared as u32,
            SpecialReg::TotalSharedSize => (self.kernel.shared_bytes + launch.dynamic_shared) as u32,
            SpecialReg::Unmodelled => 0,
        };
        u64::from(word)
    }

    /// A thread of the running CTA by its linear number.
    pub(super) fn thread(&self, linear: u32) -> Thread {
        let [x, y, _] = self.setup.launch.block;
        Thread { cta: self.cta, tid: [linear % x, linear / x % y, linear / (x * y)], linear }
    }

    /// A thread by its global number, over all CTAs run; for an agent, the thread it works for.
    pub(super) fn global_thread(&self, number: u32) -> Thread {
        let linear = number % self.clocks.count() % self.block;
        let cta = self.setup.launch.ctas[(number / self.clocks.count()) as usize];
        Thread { cta, ..self.thread(linear) }
    }

    // ---- scheduling ------------------------------------------------------------------------

    fn run_cta(&mut self) {
        loop {
            let mut ran = false;
            for turn in 0..self.warps.len() {
                let warp = self.pick(turn);
                if !self.warps[warp].groups.is_empty() {
                    ran = true;
                    self.run_warp(warp);
                }
                if self.exhausted.is_some() {
                    return;
                }
                if std::mem::take(&mut self.released) && self.options.schedule == Schedule::Ascending {
                    break; // every phase begins with warp 0, so that phases look alike
                }
            }
            if !ran && !self.wake_spinning() {
                break;
            }
        }
        if self.report_spinning() {
            return;
        }
        let stuck = self.warps.iter().any(|warp| warp.alive() != 0);
        if stuck && self.faults.is_empty() {
            self.report_deadlock();
        }
    }

    fn pick(&mut self, turn: usize) -> usize {
        let count = self.warps.len();
        match self.options.schedule {
            Schedule::Ascending => turn,
            Schedule::Descending => count - 1 - turn,
            Schedule::Random(_) => {
                let start = self.draw() as usize % count;
                let runnable = |at: &usize| !self.warps[*at].groups.is_empty();
                (start..start + count).map(|at| at % count).find(runnable).unwrap_or(start)
            }
        }
    }

    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Runs a warp until no lane of it can go on (or, under a random schedule, for a while).
    fn run_warp(&mut self, index: usize) {
        let random = matches!(self.options.schedule, Schedule::Random(_));
        let mut quantum = if random { 1 + self.draw() % 40 } else { u64::MAX };
        if random && self.warps[index].groups.len() > 1 {
            // Any group may go first; it stays ahead only while it runs.
            let at = self.draw() as usize % self.warps[index].groups.len();
            let group = self.warps[index].groups.remove(at);
            let left = self.run_group(index, group, &mut quantum, true);
            if let Some(group) = left {
                self.warps[index].resume(group.pc, group.mask);
            }
            return;
        }
        while let Some(group) = self.warps[index].groups.pop() {
            if let Some(group) = self.run_group(index, group, &mut quantum, false) {
                self.warps[index].resume(group.pc, group.mask);
                if quantum == 0 || self.exhausted.is_some() {
                    return;
                }
            }
            if self.released {
                return;
            }
        }
    }

    /// Lets groups go on that wait for memory to change, if it has.
    fn wake_spinning(&mut self) -> bool {
        let mut woken = false;
        for warp in &mut self.warps {
            for at in (0..warp.spinning.len()).rev() {
                if warp.spinning[at].1 != self.changes {
                    let (group, _) = warp.spinning.remove(at);
                    warp.resume(group.pc, group.mask);
                    woken = true;
                }
            }
        }
        woken
    }

    /// Groups that still repeat themselves when nobody else can run never end.
    fn report_spinning(&mut self) -> bool {
        let found = self.warps.iter().find_map(|warp| Some((warp.index, warp.spinning.first()?.0)));
        let Some((warp, group)) = found else { return false };
        let linear = warp * WARP as u32 + group.mask.trailing_zeros();
        let site = Site { instr: group.pc, thread: self.thread(linear) };
        let kind = FaultKind::EndlessLoop(self.enclosing_loop(group.pc));
        self.faults.push(Fault { kind, site: Some(site), others: Vec::new() });
        true
    }

    /// Runs one group. Returns it where it must yield to another group, or to another warp.
    pub(super) fn run_group(
        &mut self,
        index: usize,
        group: Group,
        quantum: &mut u64,
        alone: bool,
    ) -> Option<Group> {
        let kernel = self.kernel;
        let Group { mut pc, mut mask } = group;
        let mut stretch = Stretch::new(self.warps[index].step, pc, mask);
        self.watch.begin(self.stats.warp_instructions);
        let left = loop {
            if pc == self.stop {
                self.arrived |= mask;
                break None;
            }
            let warp = &mut self.warps[index];
            if let Some(next) = warp.groups.last().copied()
                && !alone
                && pc >= next.pc
            {
                if pc > next.pc {
                    break Some(Group { pc, mask });
                }
                warp.groups.pop();
                mask |= next.mask;
            }
            if *quantum == 0 {
                break Some(Group { pc, mask });
            }
            *quantum -= 1;
            if self.trace.on() && !stretch.goes_on(warp.step, pc, mask) {
                self.trace.stretch(index as u32, stretch);
                stretch = Stretch::new(warp.step, pc, mask);
            }
            stretch.ran += 1;
            let active = u64::from(mask.count_ones());
            self.stats.thread_instructions += active;
            self.stats.warp_instructions += 1;
            warp.step += 1;
            if self.stats.thread_instructions > self.fuel
                || self.stats.warp_instructions & 0x3ff == 0 && self.poll()
            {
                self.out_of_fuel(index, pc, mask);
                break Some(Group { pc, mask });
            }
            let instr = &kernel.code[pc as usize];
            let acting = match instr.guard {
                None => mask,
                Some(guard) => {
                    let (acting, staying) = self.guarded(index, pc, mask, guard);
                    mask &= staying;
                    acting
                }
            };
            let flow = if acting == 0 { Flow::Next } else { self.execute(index, pc, acting) };
            if self.parked {
                self.parked = false;
                mask &= !self.warps[index].faulted;
                if mask == 0 {
                    break None;
                }
            }
            match flow {
                Flow::Next => pc += 1,
                Flow::Jump(target) if acting == mask => {
                    let (now, changes) = (self.stats.warp_instructions, self.changes);
                    if target <= pc && self.watch.repeats(&self.warps[index], target, mask, changes, now) {
                        let spinning = (Group { pc: target, mask }, changes);
                        self.warps[index].spinning.push(spinning);
                        break None;
                    }
                    pc = target;
                }
                Flow::Jump(target) => {
                    self.warps[index].resume(target, acting & mask);
                    mask &= !acting;
                    pc += 1;
                }
                Flow::Leave => {
                    mask &= !acting;
                    pc += 1;
                    if mask == 0 {
                        break None;
                    }
                }
            }
            if mask == 0 {
                break None;
            }
        };
        self.trace.stretch(index as u32, stretch);
        left
    }

    /// The lanes of `mask` whose guard holds, and those that stay in the group. Lanes whose guard is
    /// a symbolic condition are dealt with here.
    fn guarded(&mut self, index: usize, pc: u32, mask: u32, guard: crate::ir::Guard) -> (u32, u32) {
        let warp = &self.warps[index];
        if let Some(Value::Concrete(word)) = warp.uniform(guard.predicate)
            && mask == warp.present
        {
            let holds = word & 1 != u64::from(guard.negated);
            return (if holds { mask } else { 0 }, u32::MAX);
        }
        let special = warp.special(guard.predicate) & mask;
        let words = warp.lanes(guard.predicate);
        let mut holds = 0;
        for (lane, word) in words.iter().enumerate() {
            holds |= ((*word & 1) as u32) << lane;
        }
        if guard.negated {
            holds = !holds;
        }
        if special == 0 {
            return (holds & mask, u32::MAX);
        }
        let undefined = warp.undefined(guard.predicate) & special;
        if undefined != 0 {
            let name = self.register_name(guard.predicate);
            self.park(index, undefined, pc, FaultKind::UninitializedRegister(name));
        }
        let symbolic = special & !undefined;
        if symbolic != 0 {
            self.predicate(index, pc, symbolic, guard);
        }
        let branch = matches!(self.kernel.code[pc as usize].effect, Effect::Branch);
        let staying = if branch { !special } else { !self.warps[index].faulted };
        (holds & mask & !special, staying)
    }

    /// "the branch condition depends on input data".
    pub(super) fn dependence(&self, index: usize, reg: Reg, lanes: u32, what: &str) -> String {
        let lane = lanes.trailing_zeros();
        match self.warps[index].get(reg, lane) {
            Value::Symbolic(_) => {
                format!("{what} ({}) depends on input data", self.register_name(reg))
            }
            Value::Concrete(_) | Value::Undefined => format!("{what} is not known"),
        }
    }

    pub(super) fn register_name(&self, reg: Reg) -> String {
        match self.kernel.register_names.get(reg.index()) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => match self.kernel.registers[reg.index()] {
                RegisterKind::Special(_) => "a special register that is not modelled".to_owned(),
                RegisterKind::Virtual { .. } | RegisterKind::Constant(_) | RegisterKind::Sink => {
                    reg.to_string()
                }
            },
        }
    }

    // ---- ends ------------------------------------------------------------------------------

    /// Lanes return: they count as arrived wherever others wait for them.
    pub(super) fn exit(&mut self, index: usize, mask: u32) {
        let first = self.warps[index].first();
        for lane in lanes(mask) {
            let arrival = self.clocks.arrive(first + lane);
            self.returned.push(arrival);
        }
        self.warps[index].exited |= mask;
        self.complete_barriers();
        self.complete_meetings(index);
    }

    /// Stops lanes at a fault.
    pub(super) fn park(&mut self, index: usize, mask: u32, pc: u32, kind: FaultKind) {
        let first = self.warps[index].first();
        self.warps[index].faulted |= mask;
        self.parked = true;
        self.trace.event(index as u32, self.warps[index].step, mask, pc, EventKind::Fault);
        let threads: Vec<u32> = lanes(mask).map(|lane| first + lane).collect();
        let same = |fault: &&mut Fault| {
            fault.site.is_some_and(|site| site.instr == pc)
                && std::mem::discriminant(&fault.kind) == std::mem::discriminant(&kind)
        };
        if let Some(fault) = self.faults.iter_mut().find(same) {
            let room = OTHERS.saturating_sub(fault.others.len());
            fault.others.extend(threads.into_iter().take(room));
        } else if self.faults.len() < FAULTS {
            let site = Site { instr: pc, thread: self.thread(threads[0]) };
            self.faults.push(Fault { kind, site: Some(site), others: threads[1..].to_vec() });
        }
    }

    /// Stops lanes without a fault of their own: one of those they act with has it.
    pub(super) fn halt(&mut self, index: usize, mask: u32) {
        self.warps[index].faulted |= mask;
        self.parked = true;
    }

    /// Whether the run must stop: cancelled, or too much memory.
    fn poll(&mut self) -> bool {
        let progress = self.budget.progress();
        let delta = self.stats.thread_instructions - self.reported;
        self.reported = self.stats.thread_instructions;
        progress.executed.fetch_add(delta, std::sync::atomic::Ordering::Relaxed);
        if let Err(why) = self.budget.poll() {
            self.exhausted = Some(why);
        } else if self.stats.warp_instructions & 0xffff == 0 && self.bytes() > self.budget.memory {
            self.exhausted = Some(Exhausted::Memory);
        }
        self.exhausted.is_some()
    }

    fn out_of_fuel(&mut self, index: usize, pc: u32, mask: u32) {
        let why = *self.exhausted.get_or_insert(Exhausted::Fuel);
        let kind = match why {
            Exhausted::Fuel => FaultKind::EndlessLoop(self.enclosing_loop(pc)),
            Exhausted::Cancelled | Exhausted::Memory => FaultKind::Exhausted(why),
        };
        let lane = mask.trailing_zeros();
        let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
        self.faults.push(Fault { kind, site: Some(site), others: Vec::new() });
    }

    /// The smallest backward branch around an instruction: (target, branch).
    fn enclosing_loop(&self, pc: u32) -> Option<(u32, u32)> {
        let backward = self.kernel.code.iter().enumerate().filter_map(|(at, instr)| {
            let at = at as u32;
            let back = matches!(instr.effect, Effect::Branch) && instr.target <= at;
            (back && instr.target <= pc && pc <= at).then_some((instr.target, at))
        });
        backward.min_by_key(|(target, branch)| branch - target)
    }

    /// A CTA barrier has been released; the run may be asked to end here.
    pub(super) fn after_release(&mut self) {
        if self.options.stop_at_barrier == Some(self.trace.releases()) {
            self.exhausted = Some(Exhausted::Cancelled);
        }
    }

    /// Whether the run must end.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.is_some()
    }

    /// Bytes held by terms, memory and registers.
    pub(super) fn bytes(&self) -> u64 {
        let warps: u64 = self.warps.iter().map(Warp::bytes).sum();
        let locals: u64 = self.locals.iter().map(Cells::bytes).sum();
        self.terms.bytes() + self.memory.bytes() + self.detector.parties.bytes() + warps + locals
    }
}
