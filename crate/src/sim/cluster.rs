//! The CTAs of a cluster: their barrier, and addresses in one another's shared memory.
//!
//! They run together, as one block whose threads belong to several CTAs: each has barriers and a shared memory of its own, and all of
//! them reach all of it. An address of shared memory names the CTA whose it is, first that of the thread that makes it; `mapa` makes
//! one that names another.
//!
//! The barrier of the cluster (`barrier.cluster`) comes in two halves: a thread arrives, and waits later. It opens when all threads
//! that have not returned have arrived. Arriving releases, unless it is `.relaxed`, and waiting acquires.
//!
//! Shared memory is there from when a thread of its CTA has begun until all have returned. So an access to another CTA's must come
//! behind something that one of that CTA's threads did, and before the end of one; otherwise it may not be there, and
//! that is *depends on the schedule*.
//!
//! Guarantees: a second arrival before the wait, and a wait without an arrival, are faults.
//! Misses: that all threads of a warp execute an aligned barrier together is not asked; an arrival at a barrier object of
//! another CTA orders whatever its scope is, as libraries have it.

use super::barrier::Wait;
use super::clock::Arrival;
use super::machine::{Flow, Machine};
use super::memory::window;
use super::outcome::{FaultKind, Misuse, Site, WaitKind};
use super::race::lanes;
use super::trace::SegmentKind;
use crate::ir::Kernel;
use crate::isa::{ClusterOp, Effect, Space, WARP};
use crate::term::Value;
use std::collections::BTreeMap;

/// The cluster's barrier.
#[derive(Default)]
pub(super) struct ClusterBarrier {
    /// Those of the present phase, by thread.
    arrived: BTreeMap<u32, Arrival>,
    /// Those of the last phase, which threads have yet to wait for.
    last: Vec<Arrival>,
    /// Threads that have not waited for the last phase.
    unaware: Vec<u32>,
}

impl ClusterBarrier {
    /// What threads wait for.
    pub(super) fn waits(&self) -> WaitKind {
        WaitKind::Cluster { arrived: self.arrived.len() as u32 }
    }
}

/// Whether a kernel has anything to do with clusters.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.required_cluster.is_some()
        || kernel.code.iter().any(|instr| matches!(instr.effect, Effect::Cluster(_)))
}

impl<'a> Machine<'a> {
    /// Executes an instruction about the cluster.
    pub(super) fn of_cluster(&mut self, index: usize, pc: u32, mask: u32, op: ClusterOp) -> Flow {
        match op {
            ClusterOp::Address { generic, .. } => self.map_address(index, pc, mask, generic),
            ClusterOp::Rank { generic, .. } => self.rank_of_address(index, pc, mask, generic),
            ClusterOp::Arrive { relaxed } => self.arrive_at_cluster(index, pc, mask, relaxed),
            ClusterOp::Wait => return self.wait_for_cluster(index, pc, mask),
        }
        Flow::Next
    }

    fn map_address(&mut self, index: usize, pc: u32, mask: u32, generic: bool) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr)[0], kernel.src(instr));
        let known = self.concrete_lanes(index, pc, mask, src[0], "the address");
        let known = self.concrete_lanes(index, pc, known, src[1], "the rank of the CTA");
        let base = if generic { window(Space::Shared) } else { 0 };
        for lane in lanes(known) {
            let (address, rank) =
                (self.warps[index].word(src[0], lane), self.warps[index].word(src[1], lane));
            let rank = rank & 0xffff_ffff;
            if rank >= u64::from(self.ranks) {
                let why = format!("CTA {rank} of a cluster that has {}", self.ranks);
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let (_, own) = self.memory.window_of(address.wrapping_sub(base));
            let mapped = base + self.memory.in_window(rank, own);
            self.warps[index].set(dst, lane, Value::Concrete(mapped));
        }
    }

    fn rank_of_address(&mut self, index: usize, pc: u32, mask: u32, generic: bool) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        let known = self.concrete_lanes(index, pc, mask, src, "the address");
        let base = if generic { window(Space::Shared) } else { 0 };
        for lane in lanes(known) {
            let (rank, _) = self.memory.window_of(self.warps[index].word(src, lane).wrapping_sub(base));
            self.warps[index].set(dst, lane, Value::Concrete(rank as u64));
        }
    }

    fn arrive_at_cluster(&mut self, index: usize, pc: u32, mask: u32, relaxed: bool) {
        let first = self.warps[index].first();
        for thread in lanes(mask).map(|lane| first + lane) {
            if self.at_cluster.arrived.contains_key(&thread) || self.at_cluster.unaware.contains(&thread) {
                self.misuses_cluster(
                    index,
                    pc,
                    thread - first,
                    "arrives at the barrier of the cluster a second time, without having waited in between",
                );
                continue;
            }
            let arrival = match relaxed {
                true => self.clocks.arrive_relaxed(thread),
                false => self.clocks.arrive(thread),
            };
            self.at_cluster.arrived.insert(thread, arrival);
        }
        self.complete_cluster();
    }

    fn wait_for_cluster(&mut self, index: usize, pc: u32, mask: u32) -> Flow {
        let first = self.warps[index].first();
        let (mut going, since) = (0, self.warps[index].step);
        for lane in lanes(mask) {
            let thread = first + lane;
            if self.at_cluster.arrived.contains_key(&thread) {
                self.waits[thread as usize] = Some(Wait::Cluster { pc, since });
                continue;
            }
            let Some(at) = self.at_cluster.unaware.iter().position(|other| *other == thread) else {
                self.misuses_cluster(
                    index,
                    pc,
                    lane,
                    "waits at the barrier of the cluster without having arrived there",
                );
                continue;
            };
            self.at_cluster.unaware.swap_remove(at);
            let last = std::mem::take(&mut self.at_cluster.last);
            self.clocks.learn(&last, thread);
            self.at_cluster.last = last;
            going |= 1 << lane;
        }
        if going == mask {
            return Flow::Next;
        }
        self.warps[index].resume(pc + 1, going);
        Flow::Leave
    }

    fn misuses_cluster(&mut self, index: usize, pc: u32, lane: u32, what: &str) {
        self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Cluster, what.to_owned()));
    }

    /// Opens the cluster's barrier if all that have not returned have arrived.
    pub(super) fn complete_cluster(&mut self) {
        let alive: u32 = self.warps.iter().map(|warp| warp.alive().count_ones()).sum();
        let arrived = self.at_cluster.arrived.keys();
        let present = arrived.filter(|thread| {
            self.warps[(**thread / WARP as u32) as usize].alive() >> (**thread % WARP as u32) & 1 == 1
        });
        if self.at_cluster.arrived.is_empty() || (present.count() as u32) < alive {
            return;
        }
        let arrived = std::mem::take(&mut self.at_cluster.arrived);
        let threads: Vec<u32> = arrived.keys().copied().collect();
        let last: Vec<Arrival> = arrived.into_values().chain(self.returned.iter().cloned()).collect();
        self.at_cluster.unaware.clear();
        for thread in threads {
            let (warp, lane) = ((thread / WARP as u32) as usize, thread % WARP as u32);
            let Some(Wait::Cluster { pc, since }) = self.waits[thread as usize] else {
                self.at_cluster.unaware.push(thread);
                continue;
            };
            self.waits[thread as usize] = None;
            self.clocks.learn(&last, thread);
            let step = self.warps[warp].step;
            self.trace.segment(warp as u32, (since, step), 1 << lane, SegmentKind::WaitBarrier, pc);
            self.warps[warp].resume(pc + 1, 1 << lane);
        }
        self.at_cluster.last = last;
    }

    // ---- the end of shared memory ------------------------------------------------------------

    /// Lanes access another CTA's shared memory.
    pub(super) fn note_remote(&mut self, index: usize, pc: u32, mask: u32, rank: u32) {
        let first = self.warps[index].first();
        for thread in lanes(mask).map(|lane| first + lane) {
            let before = self.remote.insert((thread, rank), (self.clocks.epoch(thread), pc));
            if before.is_some() {
                continue;
            }
            let mut others = rank * self.own..(rank + 1) * self.own;
            if !others.any(|other| self.clocks.ordered(self.first_thread + other, 1, thread)) {
                let why = format!(
                    "whether CTA {rank} of the cluster has begun when its shared memory is accessed depends on the schedule: nothing that one of its threads did is known here (a barrier.cluster before it is missing)"
                );
                self.list(index, 1 << (thread - first), pc, FaultKind::DependsOnSchedule(why));
            }
        }
    }

    /// The cluster is over: was another CTA's shared memory there when it was accessed?
    pub(super) fn end_remote(&mut self) {
        if self.remote.is_empty() || self.warps.iter().any(|warp| warp.alive() != 0 || warp.faulted != 0) {
            return;
        }
        let mut late: Vec<(u32, u32, u32)> = Vec::new();
        for ((thread, rank), (epoch, pc)) in &self.remote {
            let number = self.first_thread + thread;
            let own = rank * self.own..(rank + 1) * self.own;
            let knows = |other: u32| self.clocks.ordered(number, *epoch, other);
            if !own.clone().any(knows) {
                late.push((*pc, *thread, *rank));
            }
        }
        late.sort_unstable();
        if let Some((pc, thread, rank)) = late.first().copied() {
            let why = format!(
                "whether CTA {rank} of the cluster is still there when its shared memory is accessed depends on the schedule: none of its threads knows of the access before it returns (a barrier.cluster behind it is missing)"
            );
            let site = Site { instr: pc, thread: self.thread(thread) };
            self.list_at(Some(site), FaultKind::DependsOnSchedule(why));
        }
    }
}
