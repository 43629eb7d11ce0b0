//! Clusters: CTAs whose threads meet, and reach one another's shared memory.
//!
//! An address in shared memory has its CTA's rank above its lowest 24 bits, as CUTLASS relies on.
//!
//! Source: PTX ISA 9.0, 9.7.9.23, 9.7.9.24, 9.7.13.3.

use super::memory::{self, Space};
use super::op::Op;
use super::program::Arg;
use super::run::{Machine, State, Stop};
use super::step::Flow;

const OWN: u32 = 24;

/// The same place in the shared memory of the CTA of a rank.
pub(super) fn in_cta(rank: u64, address: u64) -> u64 {
    rank << OWN | address & ((1 << OWN) - 1)
}

/// The rank that a shared address names.
pub(super) fn rank_in(address: u64) -> u64 {
    address >> OWN
}

impl Machine<'_> {
    /// The CTAs of a CTA's cluster, by rank, and its own rank.
    pub(super) fn cluster(&self, cta: usize) -> (Vec<usize>, usize) {
        let extent = self.launch.cluster;
        let of = |id: [u32; 3]| [id[0] / extent[0], id[1] / extent[1], id[2] / extent[2]];
        let mine = of(self.ctas[cta].id);
        let mut all: Vec<usize> =
            (0..self.ctas.len()).filter(|other| of(self.ctas[*other].id) == mine).collect();
        all.sort_by_key(|other| {
            let [x, y, z] = self.ctas[*other].id;
            (z, y, x)
        });
        let rank = all.iter().position(|other| *other == cta).unwrap_or(0);
        (all, rank)
    }

    /// The CTA that a shared address leads into, and the address there.
    pub(super) fn in_cluster(&self, cta: usize, address: u64) -> (usize, u64) {
        if self.launch.cluster == [1; 3] {
            return (cta, address);
        }
        let (all, _) = self.cluster(cta);
        (all.get((address >> OWN) as usize).copied().unwrap_or(cta), address & ((1 << OWN) - 1))
    }

    /// The shared address of a place in a thread's own CTA.
    pub(super) fn own_shared(&self, thread: usize, own: u64) -> u64 {
        if self.launch.cluster == [1; 3] {
            return own;
        }
        in_cta(self.cluster(self.threads[thread].cta).1 as u64, own)
    }

    pub(super) fn special_of_cluster(&self, cta: usize, stem: &str, axis: usize) -> Option<u64> {
        let (extent, id) = (self.launch.cluster, self.ctas[cta].id);
        let (all, rank) = self.cluster(cta);
        Some(match (stem, axis) {
            ("%clusterid", 0..3) => u64::from(id[axis] / extent[axis]),
            ("%nclusterid", 0..3) => u64::from(self.launch.grid[axis] / extent[axis]),
            ("%cluster_ctaid", 0..3) => u64::from(id[axis] % extent[axis]),
            ("%cluster_nctaid", 0..3) => u64::from(extent[axis]),
            ("%cluster_ctarank", _) => rank as u64,
            ("%cluster_nctarank", _) => all.len() as u64,
            ("%is_explicit_cluster", _) => u64::from(all.len() > 1),
            _ => return None,
        })
    }

    /// `mapa` and `getctarank`.
    pub(super) fn map(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let address = match &args[1] {
            arg @ Arg::Memory(..) => self.address(thread, arg)?,
            arg => self.value(thread, arg, None)?,
        };
        let base = if op.has("shared::cluster") { 0 } else { memory::generic(Space::Shared, 0) };
        let own = address.wrapping_sub(base);
        let cta = self.threads[thread].cta;
        if op.base == "getctarank" {
            let (_, rank) = self.cluster(self.in_cluster(cta, own).0);
            return self.set(thread, &args[0], rank as u64);
        }
        let rank = self.value(thread, &args[2], None)? & 0xffff_ffff;
        if rank as usize >= self.cluster(cta).0.len() {
            return Err(Stop::Fault(format!("CTA {rank} is not in the cluster")));
        }
        self.set(thread, &args[0], base + in_cta(rank, own))
    }

    /// `barrier.cluster`: each phase ends when all threads of the cluster that have not returned have arrived.
    pub(super) fn cluster_barrier(&mut self, thread: usize, op: &Op) -> Result<Flow, Stop> {
        let (all, _) = self.cluster(self.threads[thread].cta);
        let first = self.ctas[all[0]].first;
        let lead = &mut self.threads[first];
        let phase = lead.cluster_phase;
        if op.has("arrive") {
            if self.threads[thread].cluster_arrived.is_some_and(|at| at >= phase) {
                return Err(Stop::Fault("a second arrival at the barrier of the cluster".to_owned()));
            }
            self.threads[thread].cluster_arrived = Some(phase);
            self.end_cluster_phase(&all);
            return Ok(Flow::Next);
        }
        match self.threads[thread].cluster_arrived {
            Some(arrived) if arrived >= phase => {
                self.end_cluster_phase(&all);
                let now = self.threads[first].cluster_phase;
                Ok(if arrived < now { Flow::Next } else { Flow::Again })
            }
            Some(_) => Ok(Flow::Next),
            None => Err(Stop::Fault("a wait at the barrier of the cluster without an arrival".to_owned())),
        }
    }

    fn end_cluster_phase(&mut self, all: &[usize]) {
        let first = self.ctas[all[0]].first;
        let phase = self.threads[first].cluster_phase;
        let block = self.block();
        let everybody = all.iter().flat_map(|cta| self.ctas[*cta].first..self.ctas[*cta].first + block);
        let complete = everybody.into_iter().all(|thread| {
            let thread = &self.threads[thread];
            thread.state == State::Done || thread.cluster_arrived.is_some_and(|at| at >= phase)
        });
        if complete {
            self.threads[first].cluster_phase += 1;
        }
    }
}
