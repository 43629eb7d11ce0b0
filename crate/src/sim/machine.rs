//! The CTA machine: scheduling, divergence, faults.
//!
//! One schedule stands for all: each warp runs until its lanes wait or end, warps in ascending
//! order (other orders exist for tests). A thread that commits a fault stops there, and everybody
//! else goes on as far as they get without it; so every access that is not ordered after the
//! fault is still seen. Deciding by what nobody wrote stops nobody ([`super::undefined`]), so that a
//! race that explains it is found too.

use super::accesses::{Accesses, Places};
use super::atomics::is_bulk_update;
use super::barrier::{Barriers, Wait};
use super::bulk;
use super::cells::Cells;
use super::claims::Claims;
use super::clock::{Arrival, Clocks};
use super::cluster::ClusterBarrier;
use super::collective::{Came, Rendezvous};
use super::copies::Flights;
use super::drafts::Drafts;
use super::locks::Locks;
use super::memory::Memory;
use super::origins::Recorder;
use super::outcome::{Fault, FaultKind, Site, Stats, Thread};
use super::overtaken::Overtaken;
use super::phaser::{self, Phasers};
use super::predicate::Guards;
use super::race::Detector;
use super::repeats::Repeats;
use super::rounding::Roundings;
use super::rounds::Rounds;
use super::setup::{Initial, Options, Schedule, Setup, TensorSetup};
use super::signals::{self, Signals};
use super::spin::Watch;
use super::straight::{self, Step};
use super::stretches::Stretches;
use super::suspects::Suspects;
use super::tensor_memory::TensorMemory;
use super::tickets::{Plan, Tickets};
use super::trace::{Stretch, Trace};
use super::undefined::Unknowns;
use super::updates::Updates;
use super::warp::{Group, Warp};
use super::warpgroup::{self, Warpgroups};
use super::ways::Way;
use super::{Ended, Watching, ends, harvest, races::Races};
use crate::base::{Budget, Exhausted};
use crate::ir::{Kernel, Reg, RegisterKind, SpecialReg};
use crate::isa::{CopyOp, Effect, Lanes, WARP};
use crate::term::eval::operands;
use crate::term::{Symbol, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

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

/// Warp-instructions executed in one call of [`Machine::run_slice`].
const SLICE: u32 = 1 << 10;

/// A group that runs, and what it has run in one go.
struct Going {
    group: Group,
    stretch: Stretch,
}

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
    /// What collective each thread came to last.
    pub(super) came: Vec<Option<Came>>,
    /// Open warp-level meetings, by warp.
    pub(super) meetings: Vec<Vec<Rendezvous>>,
    /// Threads that have returned, as arrivals at every later barrier.
    pub(super) returned: Vec<Arrival>,
    /// The running CTA's coordinates.
    /// Which one it is of those that are run.
    pub(super) cta_index: u32,
    /// What threads say to one another through memory, where some may wait for it.
    pub(super) signals: Option<Box<Signals>>,
    /// The locks of a run that follows them.
    pub(super) locks: Option<Box<Locks>>,
    /// Results of updates that are used, where it is to be found out whether their order matters.
    pub(super) tickets: Option<Tickets>,
    /// Whether it does may have to be found out.
    pub(super) wants_tickets: bool,
    /// Clusters whose work others do.
    pub(super) overtaken: Overtaken,
    /// Threads may wait for what others store.
    pub(super) waits_through_memory: bool,
    /// Bytes held for CTAs that do not run now.
    pub(super) away: u64,
    /// Copies that are under way.
    pub(super) flights: Flights,
    /// The same of bulk copies that threads wait for in groups.
    pub(super) bulk: Flights,
    /// For barrier objects that stand for bulk copies, by instruction, a thread that started them.
    pub(super) starters: BTreeMap<(u32, u32), u32>,
    /// Barrier objects in shared memory.
    pub(super) phasers: Phasers,
    /// Tensor maps that the kernel has made.
    pub(super) drafts: Drafts,
    /// Copies may arrive at barrier objects: threads have agents with clocks of their own.
    pub(super) agents: bool,
    /// Bulk copies update memory.
    pub(super) updates_in_bulk: bool,
    /// Some instruction makes barrier objects known to bulk copies.
    pub(super) announces: bool,
    /// Barrier objects are used with `.relaxed` somewhere, or by bulk copies: to know is not to rely on.
    pub(super) relaxed: bool,
    /// Global number of the CTA's thread 0.
    pub(super) first_thread: u32,
    /// Threads that run together: of a block, or of a cluster.
    pub(super) block: u32,
    /// Of those, how many each CTA has, the places of missing lanes of its last warp included.
    pub(super) own: u32,
    /// CTAs of a cluster.
    pub(super) ranks: u32,
    /// The barrier of the cluster.
    pub(super) at_cluster: ClusterBarrier,
    /// Accesses to shared memory of other CTAs: the last of each thread to each rank.
    pub(super) remote: FxHashMap<(u32, u32), (u32, u32)>,
    pub(super) faults: Vec<Fault>,
    /// Faults at further instructions, which are not listed.
    pub(super) unlisted: u64,
    /// What nobody wrote, and where it went.
    pub(super) unknowns: Unknowns,
    pub(super) races: Races,
    /// What is a fault only under a condition.
    pub(super) suspects: Suspects,
    /// What threads have at the assertions of the kernel's author.
    pub(super) claims: Claims,
    /// Accesses to the places that are watched one by one.
    pub(super) accesses: Option<Accesses>,
    /// Loads that race with stores.
    pub(super) idle: Option<Box<super::idle::Idle>>,
    /// Where accesses are unordered.
    pub(super) conflicts: Places,
    /// Conditions or values may make a difference there.
    pub(super) matter: bool,
    watches_inputs: bool,
    pub(super) stats: Stats,
    pub(super) trace: Trace,
    /// Looks for origins, where somebody asks for them.
    pub(super) recorder: Option<Box<Recorder>>,
    /// For each instruction, lanes that executed it on symbolic values.
    pub(super) symbolic_uses: Vec<u64>,
    /// How often comparisons found that something computed is neither infinite nor undefined, because nothing is.
    pub(super) asked_finite: Vec<u64>,
    /// For each branch, how often a warp went back by it.
    pub(super) backs: Vec<u64>,
    /// What was taken for granted: how often, and where first.
    pub(super) granted: BTreeMap<&'static str, (u64, u32)>,
    /// The same in other words: for library code that is left out ([`super::far`]), and for textures.
    pub(super) granted_far: BTreeMap<String, (u64, u32)>,
    /// Branches that were asked about, and whether they are a library's own.
    pub(super) libraries: BTreeMap<u32, bool>,
    /// For each unknowable value read so far, the instruction that read it.
    pub(super) unknowable: Vec<u32>,
    pub(super) updates: Updates,
    /// Stores that were alike with another lane's ([`Machine::alike`]), and where the last was.
    pub(super) alike: (u64, u32),
    /// Registers that some instruction reads for more than a register that nobody reads.
    pub(super) is_read: Vec<bool>,
    /// Bytes of dynamic shared memory that addresses have reached, where its size is left open.
    pub(super) dynamic_reached: u64,
    /// Products of warpgroups, and instructions that touch their registers.
    pub(super) warpgroups: Warpgroups,
    /// Tensor memory, and what works on it.
    pub(super) tensor_memory: TensorMemory,
    pub(super) near_products: Vec<bool>,
    /// The instructions, decoded for straight stretches.
    pub(super) steps: Vec<Step>,
    /// What is known on the way that this run takes.
    pub(super) way: Way,
    /// Where ways part.
    pub(super) parting: Option<Term>,
    /// Conditions of the predicated stretches that the running warp is in, innermost last.
    pub(super) guards: Vec<Guards>,
    /// Their branches.
    pub(super) inside: Vec<u32>,
    /// Where the running side of a predicated branch ends.
    pub(super) stop: u32,
    /// Lanes that have come there.
    pub(super) arrived: u32,
    /// Lanes that do not go on with the running side: under its condition the kernel stops.
    pub(super) vanished: u32,
    /// The last instruction that reads a texture.
    pub(super) fetching: u32,
    /// Lanes that the present load has made suspects.
    pub(super) suspected: u32,
    /// Results that warps may share.
    pub(super) repeats: Repeats,
    /// The same for straight stretches.
    pub(super) stretches: Stretches,
    /// There are several.
    pub(super) many: bool,
    /// How far concrete floats may be from what they stand for.
    pub(super) roundings: Roundings,
    /// In which rounds of loops lanes are.
    pub(super) rounds: Rounds,
    /// Second results of an instruction.
    pub(super) scratch: Lanes,
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
    pub(super) reported: u64,
    /// Term nodes when the bytes held were last counted.
    pub(super) counted: usize,
    pub(super) exhausted: Option<Exhausted>,
    random: u64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        options: &'a Options,
        budget: &'a Budget,
        kernel: &'a Kernel,
        setup: &'a Setup,
        watching: Watching,
    ) -> Self {
        let waits_through_memory = signals::may_wait(kernel);
        let follows = watching.tickets.is_some() || watching.locks.is_some();
        let waits = waits_through_memory || follows && signals::may_order(kernel);
        // What is waited for is written, whatever the spec calls it.
        let watching = Watching { inputs: watching.inputs || waits, ..watching };
        let Watching { inputs, places, idle, tickets, locks, way, asked, mut terms, spent } = watching;
        if options.open_inputs {
            terms.open_elements();
        }
        let memory = Memory::new(kernel, setup, &mut terms, inputs, options.world);
        let unknowns = Unknowns::new(&mut terms, &kernel.registers);
        let threads: u32 = setup.launch.block.iter().product();
        let ranks: u32 = setup.launch.cluster.iter().product();
        // In a cluster, each CTA begins with a warp of its own.
        let own = if ranks > 1 { threads.next_multiple_of(WARP as u32) } else { threads };
        let block = own * ranks;
        let is_read = super::needed::anywhere(kernel);
        let near_products = warpgroup::near(kernel);
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
            clocks: if waits {
                Clocks::of_launch(setup.launch.ctas.len() as u32, block)
            } else {
                Clocks::new(0, block)
            },
            warps: Vec::new(),
            locals: Vec::new(),
            barriers: Barriers::default(),
            waits: Vec::new(),
            came: Vec::new(),
            meetings: Vec::new(),
            returned: Vec::new(),
            cta_index: 0,
            signals: waits.then(Box::default),
            matter: locks.is_some(),
            locks: locks.map(|plan| Box::new(Locks::new(kernel, plan))),
            tickets: tickets.filter(|_| waits).map(Tickets::new),
            wants_tickets: false,
            overtaken: Overtaken::default(),
            waits_through_memory,
            away: 0,
            flights: Flights::new(0),
            bulk: Flights::new(0),
            starters: BTreeMap::new(),
            phasers: Phasers::default(),
            drafts: Drafts::new(),
            announces: bulk::announces(kernel),
            updates_in_bulk: (0..kernel.code.len() as u32).any(|instr| is_bulk_update(kernel, instr)),
            agents: bulk::has_any(kernel)
                || kernel
                    .code
                    .iter()
                    .any(|instr| matches!(instr.effect, Effect::Copy(CopyOp::Arrive { .. }))),
            relaxed: bulk::has_any(kernel)
                || kernel.code.iter().any(|instr| phaser::is_relaxed(&instr.effect)),
            first_thread: 0,
            block,
            own,
            ranks,
            at_cluster: ClusterBarrier::default(),
            remote: FxHashMap::default(),
            faults: Vec::new(),
            unlisted: 0,
            unknowns,
            races: Races::default(),
            suspects: Suspects::default(),
            claims: Claims::default(),
            accesses: places.map(Accesses::new),
            idle,
            conflicts: Places::default(),
            watches_inputs: inputs,
            stats: Stats::default(),
            trace: Trace::new(options.timeline_events),
            recorder: asked.map(|asked| Box::new(Recorder::new(asked))),
            symbolic_uses: vec![0; kernel.code.len()],
            asked_finite: vec![0; kernel.code.len()],
            backs: vec![0; kernel.code.len()],
            granted: BTreeMap::new(),
            unknowable: Vec::new(),
            updates: Updates::new(kernel),
            granted_far: BTreeMap::new(),
            libraries: BTreeMap::new(),
            alike: (0, 0),
            is_read,
            steps: straight::decode(kernel, &near_products),
            near_products,
            dynamic_reached: 0,
            warpgroups: Warpgroups::default(),
            tensor_memory: TensorMemory::default(),
            way,
            parting: None,
            guards: Vec::new(),
            inside: Vec::new(),
            stop: u32::MAX,
            arrived: 0,
            vanished: 0,
            fetching: 0,
            suspected: 0,
            repeats: Repeats::default(),
            stretches: Stretches::default(),
            many: block > WARP as u32,
            roundings: Roundings::new(kernel),
            rounds: Rounds::default(),
            scratch: [0; WARP],
            released: false,
            parked: false,
            changes: 0,
            watch: Watch::default(),
            input_written: false,
            fuel: budget.fuel.saturating_sub(spent),
            reported: 0,
            counted: 0,
            exhausted: None,
            random,
        }
    }

    /// Runs all CTAs of the launch and gathers what they leave behind. That does not count if the
    /// kernel writes where it was taken only to read, because races may have been missed, nor if there
    /// are conflicts for which conditions or values may matter.
    pub(super) fn run(mut self) -> Ended {
        self.launch();
        let plan = self.tickets.as_ref().map(|tickets| tickets.plan.clone());
        let burnt = self.budget.fuel - self.fuel;
        let along = self.way.known.is_some();
        let spent = if plan.is_some() || along || self.locks.is_some() { burnt } else { 0 };
        // What is known on a way is said with the terms of the runs before.
        let (way, terms) = match along {
            true => (std::mem::take(&mut self.way), std::mem::take(&mut self.terms)),
            false => (Way::default(), Terms::new()),
        };
        let asked = self.recorder.as_ref().and_then(|recorder| recorder.asked.clone());
        let again = |inputs: bool, places: Option<Places>, tickets: Option<Plan>, way, terms| {
            let more = Watching { inputs, places, tickets, way, asked, terms, spent, ..Watching::default() };
            Ended::Again(Box::new(more))
        };
        if self.exhausted.is_none()
            && let Some(locks) = &self.locks
            && let Some(plan) = locks.next_plan(!self.conflicts.is_empty())
        {
            let mut places = self.accesses.map(Accesses::places).unwrap_or_default();
            places.extend(self.conflicts);
            let Ended::Again(mut more) = again(true, Some(places), None, way, terms) else {
                unreachable!("it says so")
            };
            more.locks = Some(plan);
            return Ended::Again(more);
        }
        if self.input_written {
            return again(true, None, plan, way, terms);
        }
        if self.exhausted.is_none() && self.locks.is_none() {
            if self.wants_tickets && plan.is_none() && signals::may_order(self.kernel) {
                return again(true, None, Some(Plan::default()), way, terms);
            }
            if self.matter && !self.conflicts.is_empty() && self.accesses.is_none() {
                return again(self.watches_inputs, Some(self.conflicts), plan, way, terms);
            }
        }
        if along {
            (self.way, self.terms) = (way, terms);
        }
        let (run, verdict) = harvest::harvest(self);
        Ended::Whole(Box::new(run), verdict, burnt)
    }

    /// Runs all CTAs of the launch, as far as they get.
    pub(super) fn launch(&mut self) {
        let mut waiting = Vec::new();
        let ctas = &self.setup.launch.ctas;
        let first = self.tickets.as_ref().map_or(0, |tickets| tickets.plan.first);
        let clusters = ctas.len() / self.ranks as usize;
        self.overtaken = Overtaken::of(self.kernel, clusters);
        for index in (0..clusters).map(|turn| (first + turn) % clusters) {
            if !self.overtaken.begins(index) {
                continue;
            }
            self.begin_cta(index);
            if self.exhausted.is_some() {
                self.out_of_fuel(0, 0, 1);
                break;
            }
            self.run_cta();
            if self.waits_for_memory() && !self.is_over() {
                waiting.push(self.leave());
                continue;
            }
            self.end_cta();
            if self.is_over() {
                break;
            }
        }
        self.take_turns(waiting);
        self.judge_signals();
        self.judge_locks();
    }

    /// A CTA begins, or all CTAs of a cluster do, which run as one.
    fn begin_cta(&mut self, index: usize) {
        let count = self.block.div_ceil(WARP as u32);
        let teams = if self.near_products.is_empty() { 0 } else { Warpgroups::clocks(self.own) * self.ranks };
        let members = if self.agents { self.block * 2 + teams } else { self.block };
        let proxies = bulk::has_any(self.kernel);
        // Barrier objects write and read in the name of bulk copies.
        let objects = match self.setup.launch.dynamic_shared {
            Some(dynamic) => self.kernel.shared_bytes + dynamic,
            None => super::launch::SHARED,
        };
        let objects = objects as u32 / phaser::BYTES;
        let stride = if proxies { members + objects } else { members };
        self.cta_index = index as u32;
        self.first_thread = index as u32 * stride;
        if self.signals.is_none() {
            self.clocks = match self.relaxed {
                true => Clocks::with_sight(self.first_thread, members),
                false => Clocks::new(self.first_thread, members),
            };
            if proxies {
                self.clocks.add_proxies(stride);
            }
        }
        self.clocks.divide(self.block, self.own);
        self.at_cluster = ClusterBarrier::default();
        self.remote.clear();
        self.clocks.enter(if self.signals.is_some() { index as u32 } else { 0 });
        self.flights = Flights::new(self.block);
        self.bulk = Flights::new(self.block);
        self.phasers = Phasers::default();
        self.warpgroups = Warpgroups::new(if teams > 0 { count as usize } else { 0 }, teams);
        self.tensor_memory = TensorMemory::new(self.ranks, self.block, self.kernel);
        self.barriers = Barriers::default();
        self.waits = vec![None; self.block as usize];
        self.came = vec![None; self.block as usize];
        self.meetings = (0..count).map(|_| Vec::new()).collect();
        self.rounds = Rounds::default();
        self.returned.clear();
        self.locals = vec![Cells::of_thread(self.kernel.local_bytes); self.block as usize];
        self.memory.reset_shared(self.setup.launch.dynamic_shared);
        self.suspects.begin_cta();
        self.forget_shared();
        self.trace.begin_cta(index, count, self.ranks);
        self.charge(u64::from(count) * self.kernel.registers.len() as u64);
        self.warps = Vec::new();
        let mut held = self.bytes();
        for index in 0..count {
            self.memory.run_in(self.rank_of(index as usize).0);
            let warp = self.new_warp(index);
            held += warp.bytes();
            self.warps.push(warp);
            if held > self.budget.memory {
                self.exhausted = Some(Exhausted::Memory);
                return;
            }
        }
    }

    fn new_warp(&self, index: u32) -> Warp {
        let first = index * WARP as u32;
        let threads: u32 = self.setup.launch.block.iter().product();
        let lanes = (threads - first % self.own).min(WARP as u32);
        let present = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let mut warp = Warp::new(index, present, self.unknowns.registers());
        for (at, kind) in self.kernel.registers.iter().enumerate() {
            let words = match kind {
                RegisterKind::Virtual { .. } | RegisterKind::Sink => continue,
                RegisterKind::Constant(constant) => [self.memory.constant(self.kernel, constant); WARP],
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
            SpecialReg::Ctaid(axis) => self.thread(linear).cta[usize::from(axis)],
            SpecialReg::Nctaid(axis) => launch.grid[usize::from(axis)],
            SpecialReg::ClusterId(axis) => {
                self.thread(linear).cta[usize::from(axis)] / launch.cluster[usize::from(axis)]
            }
            SpecialReg::Nclusterid(axis) => {
                launch.grid[usize::from(axis)] / launch.cluster[usize::from(axis)]
            }
            SpecialReg::ClusterCtaid(axis) => {
                self.thread(linear).cta[usize::from(axis)] % launch.cluster[usize::from(axis)]
            }
            SpecialReg::ClusterNctaid(axis) => launch.cluster[usize::from(axis)],
            SpecialReg::ClusterCtarank => linear / self.own,
            SpecialReg::ClusterNctarank => self.ranks,
            SpecialReg::IsExplicitCluster => {
                u32::from(self.ranks > 1 || self.kernel.required_cluster.is_some())
            }
            SpecialReg::LaneId => lane,
            SpecialReg::LaneMaskEq => 1 << lane,
            SpecialReg::LaneMaskLt => (1 << lane) - 1,
            SpecialReg::LaneMaskLe => ((1u64 << (lane + 1)) - 1) as u32,
            SpecialReg::LaneMaskGt => !(((1u64 << (lane + 1)) - 1) as u32),
            SpecialReg::LaneMaskGe => !((1 << lane) - 1),
            SpecialReg::DynamicSharedSize => launch.dynamic_shared.unwrap_or(0) as u32,
        };
        u64::from(word)
    }

    /// A thread of the running CTA by its linear number.
    pub(super) fn thread(&self, linear: u32) -> Thread {
        self.thread_of(self.cta_index, linear)
    }

    /// A thread of a CTA, or of a cluster, by its number in the launch.
    pub(super) fn thread_of(&self, index: u32, number: u32) -> Thread {
        // A block's last warp may have lanes that are no threads.
        let (rank, linear) = match self.ranks {
            1 => (0, number),
            _ => (number / self.own, number % self.own),
        };
        let cta = self.setup.launch.ctas[(index * self.ranks + rank) as usize];
        let [x, y, _] = self.setup.launch.block;
        Thread { cta, tid: [linear % x, linear / x % y, linear / (x * y)], linear }
    }

    /// The number among those run of the CTA that a thread belongs to, by its global number.
    pub(super) fn cta_behind(&self, number: u32) -> u32 {
        let local = number % self.clocks.count() % self.block;
        number / self.clocks.count() * self.ranks + local / self.own
    }

    /// The rank of a warp's CTA in its cluster, and the number of warps of a CTA.
    pub(super) fn rank_of(&self, index: usize) -> (u32, usize) {
        let warps = self.own.div_ceil(WARP as u32) as usize;
        ((index / warps) as u32, warps)
    }

    /// A thread by its global number, over all CTAs run; for an agent, the thread it works for.
    pub(super) fn global_thread(&self, number: u32) -> Thread {
        let local = number % self.clocks.count();
        // Behind threads and their agents come warpgroups.
        let linear = match local.checked_sub(self.block * 2) {
            Some(team) if !self.near_products.is_empty() => {
                let teams = Warpgroups::clocks(self.own);
                (team / teams * self.own + team % teams * 128) % self.block
            }
            _ => local % self.block,
        };
        self.thread_of(number / self.clocks.count(), linear)
    }

    // ---- scheduling ------------------------------------------------------------------------

    pub(super) fn run_cta(&mut self) {
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
            if !ran && !self.wake_polling() && !self.wake_spinning() && !self.end_counted_phase() {
                break;
            }
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
        self.memory.run_in(self.rank_of(index).0);
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

    /// Lets one group look at memory, now that nobody else can go on.
    fn wake_polling(&mut self) -> bool {
        let warp = self.warps.iter_mut().find(|warp| !warp.polling.is_empty());
        let Some(warp) = warp else { return false };
        let group = warp.polling.remove(0);
        warp.resume(group.pc, group.mask);
        true
    }

    /// Lets groups go on that wait for memory to change, if it has.
    pub(super) fn wake_spinning(&mut self) -> bool {
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
    pub(super) fn report_spinning(&mut self) -> bool {
        let found = self.warps.iter().find_map(|warp| Some((warp.index, warp.spinning.first()?.0)));
        let Some((warp, group)) = found.filter(|_| !self.is_exhausted()) else { return false };
        if self.is_waiting_load(group.pc) {
            // Whoever stopped at a fault might have ended the wait.
            if !self.is_over() {
                self.report_waiting();
            }
            return true;
        }
        let linear = warp * WARP as u32 + group.mask.trailing_zeros();
        let site = Site { instr: group.pc, thread: self.thread(linear) };
        let kind = FaultKind::EndlessLoop(self.enclosing_loop(group.pc));
        self.faults.push(Fault::new(kind, Some(site)));
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
        let stretch = Stretch::new(self.warps[index].step, group.pc, group.mask);
        let mut going = Going { group, stretch };
        self.watch.begin(self.stats.warp_instructions);
        let left = loop {
            if let ControlFlow::Break(left) = self.run_slice(index, &mut going, quantum, alone) {
                break left;
            }
        };
        self.trace.stretch(index as u32, going.stretch);
        left
    }

    /// Runs a group for a slice, or to its end here, and says what is left of it then. A function of
    /// its own, never inlined: WebAssembly engines start with quickly made, slow code, and take up
    /// the optimized one where a function is called, not while it runs.
    #[inline(never)]
    fn run_slice(
        &mut self,
        index: usize,
        going: &mut Going,
        quantum: &mut u64,
        alone: bool,
    ) -> ControlFlow<Option<Group>> {
        let kernel = self.kernel;
        let Going { group: Group { mut pc, mut mask }, mut stretch } = *going;
        let mut rest = SLICE;
        let end = loop {
            if rest == 0 {
                break ControlFlow::Continue(());
            }
            if pc == self.stop {
                self.arrived |= mask;
                break ControlFlow::Break(None);
            }
            let mut warp = &mut self.warps[index];
            let mut free = if pc < self.stop { self.stop - pc } else { u32::MAX };
            if let Some(next) = warp.groups.last().copied()
                && !alone
            {
                if pc > next.pc {
                    break ControlFlow::Break(Some(Group { pc, mask }));
                }
                if pc == next.pc {
                    warp.groups.pop();
                    mask |= next.mask;
                    continue;
                }
                free = free.min(next.pc - pc);
            }
            if *quantum == 0 {
                break ControlFlow::Break(Some(Group { pc, mask }));
            }
            if self.trace.on() {
                if !stretch.goes_on(warp.step, pc, mask) {
                    self.trace.stretch(index as u32, stretch);
                    stretch = Stretch::new(warp.step, pc, mask);
                }
                if self.recorder.is_some() {
                    self.observe(index, pc, mask);
                    warp = &mut self.warps[index];
                }
            }
            let active = u64::from(if mask == warp.present { warp.threads } else { mask.count_ones() });
            let most = self.steps[pc as usize].rest.min(rest).min(free);
            if most > 1
                && u64::from(most) <= *quantum
                && self.fuel.saturating_sub(ends::spent(&self.stats))
                    >= active.max(ends::FEWEST) * u64::from(most)
                && self.recorder.is_none()
            {
                let count = self.straight_on(index, pc, mask, most);
                stretch.ran += count;
                rest -= count;
                *quantum -= u64::from(count);
                pc += count;
                let polls = self.count(u64::from(count), active);
                if self.parked {
                    self.parked = false;
                    mask &= !self.warps[index].faulted;
                    if mask == 0 {
                        break ControlFlow::Break(None);
                    }
                }
                if polls && self.poll() {
                    self.out_of_fuel(index, pc, mask);
                    break ControlFlow::Break(Some(Group { pc, mask }));
                }
                continue;
            }
            rest -= 1;
            *quantum -= 1;
            stretch.ran += 1;
            warp.step += 1;
            let polls = self.count(1, active);
            if ends::spent(&self.stats) > self.fuel || polls && self.poll() {
                self.out_of_fuel(index, pc, mask);
                break ControlFlow::Break(Some(Group { pc, mask }));
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
                    break ControlFlow::Break(None);
                }
            }
            if let Flow::Jump(target) = flow
                && target <= pc
            {
                self.backs[pc as usize] += 1;
                if !kernel.rounds.is_empty() {
                    self.rounds.back(kernel, index, pc, acting & mask, self.warps[index].alive());
                }
            }
            match flow {
                Flow::Next => pc += 1,
                Flow::Jump(target) if acting == mask => {
                    let (now, changes) = (self.stats.warp_instructions, self.changes);
                    if target <= pc
                        && self.watch.repeats(kernel, &self.warps[index], (target, mask), changes, now)
                    {
                        let spinning = (Group { pc: target, mask }, changes);
                        self.warps[index].spinning.push(spinning);
                        break ControlFlow::Break(None);
                    }
                    pc = target;
                }
                Flow::Jump(target) => {
                    self.warps[index].parted = true;
                    self.warps[index].resume(target, acting & mask);
                    mask &= !acting;
                    pc += 1;
                }
                Flow::Leave => {
                    mask &= !acting;
                    pc += 1;
                    if mask == 0 {
                        break ControlFlow::Break(None);
                    }
                }
            }
            if mask == 0 {
                break ControlFlow::Break(None);
            }
        };
        *going = Going { group: Group { pc, mask }, stretch };
        end
    }

    /// Counts executed instructions; whether it is time to [`Machine::poll`].
    #[inline]
    fn count(&mut self, instructions: u64, active: u64) -> bool {
        let before = self.stats.warp_instructions;
        self.stats.thread_instructions += active * instructions;
        self.stats.warp_instructions += instructions;
        (before ^ self.stats.warp_instructions) >> 10 != 0 || self.memory.fresh > ends::FRESH
    }

    /// "the branch condition depends on input data".
    pub(super) fn dependence(&self, index: usize, reg: Reg, lanes: u32, what: &str) -> String {
        let lane = lanes.trailing_zeros();
        match self.warps[index].get(reg, lane) {
            Value::Symbolic(_) => {
                let name = self.register_name(reg);
                match self.unknowable_in(reg, index, lane) {
                    Some(source) => {
                        format!("{what} ({name}) depends on {source}, which differs from run to run")
                    }
                    None => {
                        let contents = self.inputs_of(index, reg, lane);
                        format!("{what} ({name}) depends on input data{contents}")
                    }
                }
            }
            Value::Concrete(_) | Value::Undefined(_) => format!("{what} is not known"),
        }
    }

    /// ", the contents of `index`": the tensors that a symbolic value is made of, as far as they are few.
    #[cold]
    fn inputs_of(&self, index: usize, reg: Reg, lane: u32) -> String {
        const NODES: usize = 1 << 12;
        const NAMED: usize = 3;
        let Value::Symbolic(Symbol { term, .. }) = self.warps[index].get(reg, lane) else {
            return String::new();
        };
        let (mut open, mut seen) = (vec![term], FxHashSet::default());
        let mut found = std::collections::BTreeSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > NODES {
                return String::new();
            }
            if let Some(element) = term.as_element() {
                let holds = |tensor: &TensorSetup| {
                    let Initial::Symbolic { first } = tensor.initial else { return false };
                    (u64::from(first)..u64::from(first) + tensor.reserved).contains(&u64::from(element))
                };
                found.extend(self.setup.tensors.iter().position(holds));
            }
            if term.as_node().is_some() {
                open.extend(operands(&self.terms.node(term)).into_iter().flatten());
            }
        }
        let names: Vec<String> =
            found.into_iter().take(NAMED).map(|at| format!("`{}`", self.setup.tensors[at].name)).collect();
        if names.is_empty() { String::new() } else { format!(", the contents of {}", names.join(" and ")) }
    }

    pub(super) fn register_name(&self, reg: Reg) -> String {
        match self.kernel.register_names.get(reg.index()) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => match self.kernel.registers[reg.index()] {
                RegisterKind::Special(_)
                | RegisterKind::Virtual { .. }
                | RegisterKind::Constant(_)
                | RegisterKind::Sink => reg.to_string(),
            },
        }
    }

    /// Bytes held by terms, memory and registers.
    pub(super) fn bytes(&self) -> u64 {
        let warps: u64 = self.warps.iter().map(Warp::bytes).sum();
        let locals: u64 = self.locals.iter().map(Cells::bytes).sum();
        let accesses = self.accesses.as_ref().map_or(0, Accesses::bytes)
            + self.idle.as_ref().map_or(0, |idle| idle.bytes())
            + self.conflicts.capacity() as u64 * 24;
        let detector = self.detector.parties.bytes() + accesses;
        let signals = self.away + self.signals.as_ref().map_or(0, |signals| signals.bytes());
        signals + self.terms.bytes() + self.memory.bytes() + self.claims.bytes() + detector + warps + locals
    }
}
