//! CTA barriers: arrival, completion, and what it means when nobody can complete.
//!
//! Barriers match by number, not by program counter. A barrier without a count waits for all
//! threads of the CTA; threads that have returned count as arrived, as in the paper (a counted
//! barrier waits for exactly its count). Completing a barrier orders everything before each
//! arrival before everything after each departure.
//!
//! A counted barrier can be reached by more threads than its count. Then who meets whom could
//! depend on the schedule, and one schedule would not stand for all. So an arrival must happen
//! after every arrival of the barrier's previous phase. If not, one could have taken the other's
//! place, and that is reported as barrier divergence.
//!
//! An aligned barrier (`bar.sync` is one) is for whole warps: all threads of a warp must execute the same
//! instruction, and in conditional code the condition must be the same for all of them (PTX ISA 9.0,
//! 9.7.13.1). Lanes that have returned are not asked for, which is an assumption. So where a phase ends, the lanes of a warp that are in it must stand at one instruction if
//! one of them is aligned, and all lanes that have not returned must be in it; of a counted barrier, which
//! does not count those that have returned, all lanes. Whole warps may go different ways. Nor may the
//! lanes of a warp come to it in different rounds of a loop around it ([`super::rounds`]): then the
//! condition was not the same for them, in either round.

use super::bits::{as_condition, predicate};
use super::clock::Arrival;
use super::collective::Rendezvous;
use super::machine::{Flow, Machine};
use super::outcome::{Disagreement, Fault, FaultKind, Site, WaitGroup, WaitKind};
use super::race::lanes;
use super::trace::SegmentKind;
use crate::base::Format;
use crate::isa::{BarrierOp, Effect, ReduceOp, WARP};
use crate::term::{Symbol, Term, Value};
use std::collections::BTreeMap;

/// Hardware barriers of a CTA. Those of a cluster's CTAs are numbered one after the other.
const BARRIERS: u64 = 16;

/// What the ledger says where lanes of a warp at an aligned barrier have returned. Whether they did before the others came, or
/// went around the barrier to do so, is one program.
const RETURNED: &str =
    "lanes that have returned need not come to an aligned barrier with the rest of their warp";

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// This CTA barrier, at this instruction.
    Barrier { id: u32, pc: u32, since: u32 },
    /// Lanes of its warp, at this instruction.
    Lanes { pc: u32, since: u32 },
    /// The end of a phase of the barrier object at this address, at this instruction.
    Phaser { address: u64, pc: u32, since: u32 },
    /// The barrier of the cluster, at this instruction.
    Cluster { pc: u32, since: u32 },
    /// The first so many groups of products of its warpgroup, at this instruction.
    Products { groups: u32, pc: u32, since: u32 },
    /// So many columns of tensor memory, at this instruction.
    Columns { wanted: u32, pc: u32, since: u32 },
}

impl Wait {
    /// Its instruction, and the number of the CTA's barrier, if it is one; nothing where it waits for neither that nor
    /// lanes of its warp.
    pub(super) fn at_barrier(self) -> Option<(u32, Option<u32>)> {
        match self {
            Wait::Barrier { id, pc, .. } => Some((pc, Some(id))),
            Wait::Lanes { pc, .. } => Some((pc, None)),
            Wait::Phaser { .. } | Wait::Products { .. } | Wait::Columns { .. } | Wait::Cluster { .. } => None,
        }
    }
}

/// One barrier in its present phase.
#[derive(Default)]
struct Barrier {
    /// The count that the first to arrive gave; `None`: all threads.
    count: Option<u32>,
    arrivals: Vec<Arrival>,
    waiting: Vec<(u32, u32)>,
    conditions: Vec<Term>,
    places: Vec<Arrived>,
}

/// Lanes of a warp that have arrived with one instruction.
#[derive(Clone)]
struct Arrived {
    warp: usize,
    pc: u32,
    lanes: u32,
    aligned: bool,
    /// In which rounds of the loops around it.
    round: Vec<u32>,
}

/// A finished phase of a counted barrier.
struct Phase {
    arrivals: Vec<Arrival>,
    /// Threads that waited for its end, ascending.
    waited: Vec<u32>,
}

/// All barriers of the CTA that somebody has arrived at.
#[derive(Default)]
pub(super) struct Barriers {
    open: BTreeMap<u32, Barrier>,
    /// For counted barriers, the previous phase.
    previous: BTreeMap<u32, Phase>,
}

impl<'a> Machine<'a> {
    /// Executes a barrier instruction.
    pub(super) fn barrier(&mut self, index: usize, pc: u32, mask: u32, op: BarrierOp, aligned: bool) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let src = kernel.src(instr);
        let (counted, waits) = match op {
            BarrierOp::Sync { counted } | BarrierOp::Reduce { counted, .. } => (counted, true),
            BarrierOp::Arrive => (true, false),
        };
        let mut known = self.concrete_lanes(index, pc, mask, src[0], "the barrier number");
        if counted {
            known = self.concrete_lanes(index, pc, known, src[1], "the barrier's thread count");
        }
        let first = self.warps[index].first();
        let mut left = 0;
        for lane in lanes(known) {
            let id = self.warps[index].word(src[0], lane);
            let count = counted.then(|| self.warps[index].word(src[1], lane) as u32);
            if id >= BARRIERS {
                let why = format!("barrier {id} does not exist: a CTA has barriers 0 to {}", BARRIERS - 1);
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            if let Some(count) = count
                && (count == 0 || !count.is_multiple_of(WARP as u32))
            {
                let why = format!("a barrier's thread count must be a positive multiple of 32, not {count}");
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let id = self.rank_of(index).0 * BARRIERS as u32 + id as u32;
            let condition = match op {
                BarrierOp::Reduce { .. } => {
                    let reg = src[usize::from(counted) + 1];
                    self.decide(index, pc, 1 << lane, reg, "what a barrier reduces");
                    let value = self.warps[index].get(reg, lane);
                    as_condition(&mut self.terms, value)
                }
                BarrierOp::Sync { .. } | BarrierOp::Arrive => None,
            };
            let barrier = self.barriers.open.entry(id).or_default();
            if barrier.arrivals.is_empty() {
                barrier.count = count;
            } else if barrier.count != count {
                let groups = self.disagreement(index, pc, lane, id, count);
                self.park(index, 1 << lane, pc, FaultKind::BarrierDivergence(Disagreement::Party, groups));
                continue;
            }
            if counted && !self.follows_previous_phase(id, first + lane, aligned) {
                let groups = self.disagreement(index, pc, lane, id, count);
                self.park(index, 1 << lane, pc, FaultKind::BarrierDivergence(Disagreement::Party, groups));
                continue;
            }
            let arrival = self.clocks.arrive(first + lane);
            let round = if aligned { self.rounds.of(kernel, index, pc, lane) } else { Vec::new() };
            let barrier = self.barriers.open.entry(id).or_default();
            barrier.arrivals.push(arrival);
            match barrier.places.last_mut() {
                Some(last) if last.warp == index && last.pc == pc && last.round == round => {
                    last.lanes |= 1 << lane;
                }
                _ => barrier.places.push(Arrived { warp: index, pc, lanes: 1 << lane, aligned, round }),
            }
            barrier.conditions.extend(condition);
            if waits {
                barrier.waiting.push((first + lane, pc));
                let since = self.warps[index].step;
                self.waits[(first + lane) as usize] = Some(Wait::Barrier { id, pc, since });
                left |= 1 << lane;
            }
            if self.is_full(id) {
                self.release(id);
            }
        }
        if waits {
            Flow::Leave
        } else {
            debug_assert_eq!(left, 0);
            Flow::Next
        }
    }

    /// Whether an arrival comes after the previous phase of a counted barrier in every schedule.
    fn follows_previous_phase(&self, id: u32, thread: u32, aligned: bool) -> bool {
        let Some(phase) = self.barriers.previous.get(&id) else { return true };
        phase.waited.binary_search(&thread).is_ok()
            || phase.arrivals.iter().all(|arrival| {
                // Aligned arrivals are the whole warp's: its lanes come one after the other only
                // in our bookkeeping.
                let together = aligned && self.clocks.local(arrival) / WARP as u32 == thread / WARP as u32;
                together || self.clocks.follows(arrival, thread)
            })
    }

    /// Completes barriers that a return has filled.
    pub(super) fn complete_barriers(&mut self) {
        let open: Vec<u32> = self.barriers.open.keys().copied().collect();
        for id in open.into_iter().filter(|id| self.is_full(*id)).collect::<Vec<_>>() {
            self.release(id);
        }
    }

    fn release(&mut self, id: u32) {
        let Some(mut barrier) = self.barriers.open.remove(&id) else { return };
        self.stats.cta_barriers += 1;
        self.released = true;
        self.check_alignment(id, &barrier);
        if barrier.count.is_none() {
            barrier.arrivals.extend(self.returned_of(id).cloned());
        }
        let waiting = barrier.waiting.iter().map(|(thread, _)| *thread);
        self.clocks.join(&barrier.arrivals, waiting.clone());
        self.signal_meeting(waiting.clone());
        if self.locks.is_some() {
            let came: Vec<u32> = barrier.arrivals.iter().map(|arrival| self.clocks.local(arrival)).collect();
            self.lock_meeting(came.into_iter(), waiting);
        }
        let warp_of = |thread: u32| (thread / WARP as u32) as usize;
        let step =
            barrier.arrivals.iter().map(|arrival| self.warps[warp_of(self.clocks.local(arrival))].step).max();
        let step = step.unwrap_or(0);
        if let Some((_, pc)) = barrier.waiting.first() {
            self.trace.barrier(id / BARRIERS as u32, step, id % BARRIERS as u32, *pc);
        }
        let mut at = 0;
        while at < barrier.waiting.len() {
            // Threads arrive lane by lane, so a warp's lanes stand together: resume them at once.
            let (thread, pc) = barrier.waiting[at];
            let warp = warp_of(thread);
            let mut mask = 0;
            let mut since = step;
            while let Some((other, other_pc)) = barrier.waiting.get(at)
                && warp_of(*other) == warp
                && *other_pc == pc
            {
                mask |= 1 << (other % WARP as u32);
                if let Some(Wait::Barrier { since: arrived, .. }) = self.waits[*other as usize].take() {
                    since = since.min(arrived);
                }
                at += 1;
            }
            self.trace.segment(warp as u32, (since, step), mask, SegmentKind::WaitBarrier, pc);
            self.deliver_reduction(warp, mask, pc, &barrier.conditions);
            self.warps[warp].step = self.warps[warp].step.max(step);
            self.warps[warp].meet(mask);
            self.warps[warp].resume(pc + 1, mask);
        }
        if barrier.count.is_some() {
            let mut waited: Vec<u32> = barrier.waiting.iter().map(|(thread, _)| *thread).collect();
            waited.sort_unstable();
            self.barriers.previous.insert(id, Phase { arrivals: barrier.arrivals, waited });
        }
        self.after_release();
    }

    /// Reports warps of which some lanes, at an aligned barrier, are not with the others.
    fn check_alignment(&mut self, id: u32, barrier: &Barrier) {
        let warp = |at: &Arrived| (at.lanes, self.warps[at.warp].present & !self.warps[at.warp].exited);
        let whole = |at: &Arrived| {
            let (lanes, live) = warp(at);
            lanes == self.warps[at.warp].present || barrier.count.is_none() && lanes & live == live
        };
        let lacks = |at: &&Arrived| at.aligned && at.lanes != self.warps[at.warp].present;
        if let Some(place) = barrier.places.iter().find(|at| lacks(at) && whole(at)) {
            self.granted.entry(RETURNED).or_insert((0, place.pc)).0 += 1;
        }
        if barrier.places.iter().all(whole) {
            return;
        }
        let mut by_warp: BTreeMap<usize, Vec<Arrived>> = BTreeMap::new();
        for place in &barrier.places {
            let places = by_warp.entry(place.warp).or_default();
            match places.iter_mut().find(|other| other.pc == place.pc && other.round == place.round) {
                Some(other) => other.lanes |= place.lanes,
                None => places.push(place.clone()),
            }
        }
        for (index, mut places) in by_warp {
            let all = places.iter().fold(0, |lanes, place| lanes | place.lanes);
            let apart = barrier.count.is_some() && all != self.warps[index].present;
            if !places.iter().any(|place| place.aligned) || places.len() == 1 && !apart {
                continue;
            }
            places.sort_unstable_by_key(|place| (place.pc, place.lanes.trailing_zeros()));
            let one = !apart && places.iter().all(|place| place.pc == places[0].pc);
            let disagreement = if one { Disagreement::Round } else { Disagreement::Instruction };
            let known = |fault: &Fault| {
                matches!(&fault.kind, FaultKind::BarrierDivergence(about, _) if *about == disagreement)
                    && fault.site.is_some_and(|site| site.instr == places[0].pc)
            };
            if self.faults.iter().any(known) {
                continue;
            }
            let first = self.warps[index].first();
            let away = self.warps[index].present & !all;
            let expected = barrier.count.unwrap_or_else(|| self.of_cta());
            let arrived = barrier.arrivals.len() as u32;
            let group = |place: &Arrived| {
                let threads: Vec<u32> = lanes(place.lanes).map(|lane| first + lane).collect();
                let site = Site { instr: place.pc, thread: self.thread(threads[0]) };
                let kind = WaitKind::Barrier { id: id % BARRIERS as u32, arrived, expected };
                WaitGroup { threads, site, kind, waits_for: lanes(away).map(|lane| first + lane).collect() }
            };
            let groups: Vec<WaitGroup> = places.iter().map(group).collect();
            let site = groups.first().map(|group| group.site);
            let kind = FaultKind::BarrierDivergence(disagreement, groups);
            self.faults.push(Fault::new(kind, site));
        }
    }

    /// Writes the result of a reducing barrier to the lanes that leave it.
    fn deliver_reduction(&mut self, warp: usize, mask: u32, pc: u32, conditions: &[Term]) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let Effect::Barrier { op: BarrierOp::Reduce { op, .. }, .. } = instr.effect else { return };
        let value = match op {
            ReduceOp::And => {
                let all = conditions.iter().fold(Term::TRUE, |all, one| self.terms.and(all, *one));
                predicate(all)
            }
            ReduceOp::Or => {
                let any = conditions.iter().fold(Term::FALSE, |any, one| self.terms.or(any, *one));
                predicate(any)
            }
            ReduceOp::Popc | ReduceOp::Add | ReduceOp::Min | ReduceOp::Max | ReduceOp::Xor => {
                let known = conditions.iter().filter(|one| **one == Term::TRUE).count();
                let open = conditions.iter().filter(|one| !matches!(**one, Term::TRUE | Term::FALSE));
                let open: Vec<Term> = open.copied().collect();
                match open[..] {
                    [] => Value::Concrete(known as u64),
                    _ => {
                        let known = self.terms.integer(known as i128);
                        let count = open.into_iter().fold(known, |count, one| {
                            let counted = self.terms.select(one, Term::ONE, Term::ZERO);
                            self.terms.add(count, counted)
                        });
                        Value::Symbolic(Symbol::number(Format::U32, count))
                    }
                }
            }
        };
        for lane in lanes(mask) {
            self.warps[warp].set(kernel.dst(instr)[0], lane, value);
        }
    }

    fn disagreement(&self, index: usize, pc: u32, lane: u32, id: u32, count: Option<u32>) -> Vec<WaitGroup> {
        let Some(barrier) = self.barriers.open.get(&id) else { return Vec::new() };
        let arrived = barrier.arrivals.len() as u32;
        let mut groups =
            self.waiting_groups(|wait| matches!(wait, Wait::Barrier { id: other, .. } if *other == id));
        let linear = self.warps[index].first() + lane;
        groups.push(WaitGroup {
            threads: vec![linear],
            site: Site { instr: pc, thread: self.thread(linear) },
            kind: WaitKind::Barrier {
                id: id % BARRIERS as u32,
                arrived,
                expected: count.unwrap_or_else(|| self.of_cta()),
            },
            waits_for: Vec::new(),
        });
        groups
    }

    /// Nobody can go on and somebody has not returned.
    pub(super) fn report_deadlock(&mut self) {
        let groups = self.waiting_groups(|_| true);
        let site = groups.first().map(|group| group.site);
        self.faults.push(Fault::new(FaultKind::Deadlock(groups), site));
    }

    /// Waiting threads by what they wait for and where, with whom they wait for.
    pub(super) fn waiting_groups(&self, select: impl Fn(&Wait) -> bool) -> Vec<WaitGroup> {
        let mut groups: BTreeMap<(u32, u64, u32), Vec<u32>> = BTreeMap::new();
        for (thread, wait) in self.waits.iter().enumerate() {
            let Some(wait) = wait.filter(|wait| select(wait)) else { continue };
            let key = match wait {
                Wait::Barrier { id, pc, .. } => (0, u64::from(id), pc),
                Wait::Lanes { pc, .. } => (1, thread as u64 / WARP as u64, pc),
                Wait::Phaser { address, pc, .. } => (2, address, pc),
                Wait::Products { groups, pc, .. } => {
                    (3, (self.team_of(thread / WARP) as u64) << 32 | u64::from(groups), pc)
                }
                Wait::Cluster { pc, .. } => (4, 0, pc),
                Wait::Columns { wanted, pc, .. } => (5, u64::from(wanted), pc),
            };
            groups.entry(key).or_default().push(thread as u32);
        }
        groups
            .into_iter()
            .map(|((kind, which, pc), threads)| self.wait_group(kind, which, pc, threads))
            .collect()
    }

    fn wait_group(&self, kind: u32, which: u64, pc: u32, threads: Vec<u32>) -> WaitGroup {
        let site = Site { instr: pc, thread: self.thread(threads[0]) };
        let live = |thread: &u32| {
            let warp = &self.warps[(*thread / WARP as u32) as usize];
            warp.alive() >> (*thread % WARP as u32) & 1 == 1
        };
        if kind == 2 {
            let here = |thread: &u32| matches!(self.waits[*thread as usize], Some(Wait::Phaser { address, .. }) if address == which);
            let waits_for = (0..self.block).filter(|thread| live(thread) && !here(thread)).collect();
            let (lacks, owed) = (self.phasers.pending(which), self.phasers.owed(which));
            let kind = WaitKind::Phaser { object: self.phaser_name(which), lacks, owed };
            return WaitGroup { threads, site, kind, waits_for };
        }
        let which = which as u32;
        if kind == 4 {
            let here = |thread: &u32| matches!(self.waits[*thread as usize], Some(Wait::Cluster { .. }));
            let waits_for = (0..self.block).filter(|thread| live(thread) && !here(thread)).collect();
            return WaitGroup { threads, site, kind: self.at_cluster.waits(), waits_for };
        }
        if kind == 5 {
            let here = |thread: &u32| matches!(self.waits[*thread as usize], Some(Wait::Columns { .. }));
            let waits_for = (0..self.block).filter(|thread| live(thread) && !here(thread)).collect();
            return WaitGroup { threads, site, kind: WaitKind::Columns { wanted: which }, waits_for };
        }
        if kind == 3 {
            return self.waiting_for_products(pc, which, threads);
        }
        if kind == 0 {
            let barrier = self.barriers.open.get(&which);
            let counts = barrier.is_some_and(|barrier| barrier.count.is_none());
            let returned = if counts { self.returned_of(which).count() } else { 0 };
            let arrived = barrier.map_or(0, |barrier| barrier.arrivals.len()) + returned;
            let expected = barrier.and_then(|barrier| barrier.count).unwrap_or_else(|| self.of_cta());
            let here = |thread: &u32| matches!(self.waits[*thread as usize], Some(Wait::Barrier { id, .. }) if id == which);
            let first = which / BARRIERS as u32 * self.own;
            let own = first..first + self.own;
            let waits_for = own.filter(|thread| live(thread) && !here(thread)).collect();
            let kind = WaitKind::Barrier { id: which % BARRIERS as u32, arrived: arrived as u32, expected };
            return WaitGroup { threads, site, kind, waits_for };
        }
        let meeting = self.meetings[which as usize]
            .iter()
            .find(|meeting| meeting.arrived >> (threads[0] % 32) & 1 == 1);
        let missing = meeting.map_or(0, Rendezvous::missing) & self.warps[which as usize].alive();
        let waits_for = lanes(missing).map(|lane| which * WARP as u32 + lane).collect();
        WaitGroup { threads, site, kind: WaitKind::Lanes { missing }, waits_for }
    }
}

impl Machine<'_> {
    /// Threads of a CTA.
    pub(super) fn of_cta(&self) -> u32 {
        self.setup.launch.block.iter().product()
    }

    /// Threads that have returned of the CTA of a barrier.
    fn returned_of(&self, id: u32) -> impl Iterator<Item = &Arrival> {
        let rank = id / BARRIERS as u32;
        self.returned.iter().filter(move |arrival| self.clocks.local(arrival) / self.own == rank)
    }

    /// Whether all have arrived at a barrier.
    fn is_full(&self, id: u32) -> bool {
        let Some(barrier) = self.barriers.open.get(&id) else { return false };
        match barrier.count {
            Some(count) => barrier.arrivals.len() as u32 >= count,
            None => {
                let returned =
                    if self.ranks == 1 { self.returned.len() } else { self.returned_of(id).count() };
                barrier.arrivals.len() + returned >= self.of_cta() as usize
            }
        }
    }
}
