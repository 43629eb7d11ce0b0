//! Shared memory: of the running CTA, and of all CTAs of a cluster.
//!
//! Each CTA has regions of its own, for dynamic memory and for each variable. An address names the CTA's rank from bit
//! [`RANK`] on, as in today's hardware: kernels that clear the lowest bit of it reach the first CTA of their pair
//! (CUTLASS, `Sm100MmaPeerBitMask`). PTX does not promise it, so the ledger says it of those who look (see `looks`).
//!
//! Guarantees: an address leads to one region or to none. Misses: whether another CTA's shared memory is there when it is
//! accessed, which `cluster` asks; with so many variables that they do not fit below bit [`RANK`], ranks stand higher.

use super::{DESCRIBED, DYNAMIC, Memory, Owner, Region, Spot, region, window};
use crate::ir::{Kernel, Variable};
use crate::isa::Space;

/// The lowest bit of a CTA's rank in an address of shared memory, on today's hardware.
pub(in crate::sim) const RANK: u32 = 24;
/// log₂ of the distance between shared variables in a cluster.
pub(super) const STRETCH: u32 = 20;

/// The lowest bit of a CTA's rank in an address of shared memory of a cluster.
pub(in crate::sim) fn rank_bit(kernel: &Kernel) -> u32 {
    RANK.max(STRETCH + 64 - slots(kernel).leading_zeros())
}

/// Places for shared variables and dynamic memory, and one more.
pub(super) fn slots(kernel: &Kernel) -> u64 {
    let is_static = |variable: &&Variable| variable.space == Space::Shared && variable.size.is_some();
    kernel.variables.iter().filter(is_static).count() as u64 + 2
}

impl Memory {
    /// The regions of a CTA's shared memory: dynamic memory, then the variables.
    pub(in crate::sim) fn shared_of(&self, rank: usize) -> impl Iterator<Item = usize> + use<> {
        let (statics, count) = (self.statics, self.per_cta);
        let first = if rank == 0 { DYNAMIC } else { statics + count + (rank - 1) * (count + 1) };
        let variables = if rank == 0 { statics } else { first + 1 };
        std::iter::once(first).chain(variables..variables + count)
    }

    /// The rank of the CTA whose shared memory a region is, and which of its regions.
    pub(in crate::sim) fn slot_of(&self, region: usize) -> (usize, usize) {
        if region == DYNAMIC {
            return (0, 0);
        }
        let at = region - self.statics;
        match at.checked_sub(self.per_cta) {
            None => (0, at + 1),
            Some(at) => (at / (self.per_cta + 1) + 1, at % (self.per_cta + 1)),
        }
    }

    /// The rank of the CTA whose shared memory a region is, if it is not the running one's.
    #[inline]
    pub(in crate::sim) fn other_rank(&self, region: usize) -> Option<u32> {
        if self.ranks == 1 || self.regions[region].space != Space::Shared {
            return None;
        }
        let (rank, _) = self.slot_of(region);
        (rank != self.rank).then_some(rank as u32)
    }

    /// The CTA of that rank runs.
    #[inline]
    pub(in crate::sim) fn run_in(&mut self, rank: u32) {
        self.rank = rank as usize;
    }

    /// The rank that a shared address names, and the address without it.
    pub(in crate::sim) fn window_of(&self, address: u64) -> (usize, u64) {
        ((address >> self.window) as usize, address & ((1 << self.window) - 1))
    }

    /// The rank of the CTA whose shared memory a shared or generic address leads into.
    pub(in crate::sim) fn rank_at(&self, address: u64) -> usize {
        let base = if address >> 32 == 0 { 0 } else { window(Space::Shared) };
        self.window_of(address.wrapping_sub(base)).0
    }

    /// The shared address of a place in the CTA of that rank.
    pub(in crate::sim) fn in_window(&self, rank: u64, own: u64) -> u64 {
        rank << self.window | own
    }

    /// Fresh dynamic shared memory.
    pub(in crate::sim) fn dynamic(&self, bytes: Option<u64>) -> Region {
        let statics: u64 = self.shared_of(0).skip(1).filter_map(|at| self.regions[at].size).sum();
        let open = super::super::launch::SHARED.saturating_sub(statics);
        let fresh = region(Owner::Shared(None), Space::Shared, bytes, 4);
        Region { limit: bytes.unwrap_or(open), ..fresh }
    }

    /// Bytes of dynamic shared memory that addresses reach.
    pub(in crate::sim) fn dynamic_reached(&self) -> u64 {
        let dynamic = (0..self.ranks).filter_map(|rank| self.shared_of(rank).next());
        dynamic.map(|region| self.regions[region].reached).max().unwrap_or(0)
    }

    /// Fresh shared memory for the next CTA, or for those of the next cluster, `dynamic` bytes of it beside the variables.
    pub(in crate::sim) fn reset_shared(&mut self, dynamic: Option<u64>) {
        for rank in 0..self.ranks {
            for at in self.shared_of(rank) {
                let Region { owner, space, size, .. } = self.regions[at];
                self.regions[at] = match owner {
                    Owner::Shared(None) => self.dynamic(dynamic),
                    _ => region(owner, space, size, 4),
                };
            }
        }
    }

    /// The running CTA's shared memory, of which nothing is left.
    pub(in crate::sim) fn take_shared(&mut self, dynamic: Option<u64>) -> Vec<Region> {
        let places: Vec<usize> = self.shared_of(0).collect();
        let mut taken = Vec::with_capacity(places.len());
        for at in places {
            let Region { owner, space, size, .. } = self.regions[at];
            let fresh = match owner {
                Owner::Shared(None) => self.dynamic(dynamic),
                _ => region(owner, space, size, 4),
            };
            taken.push(std::mem::replace(&mut self.regions[at], fresh));
        }
        taken
    }

    /// The shared memory of a CTA that runs on.
    pub(in crate::sim) fn put_shared(&mut self, taken: Vec<Region>) {
        for (at, region) in self.shared_of(0).zip(taken) {
            self.regions[at] = region;
        }
    }

    /// The region of a shared variable.
    pub(in crate::sim) fn shared_region(&self, variable: usize) -> usize {
        let owner = Owner::Shared(Some(variable));
        self.regions.iter().position(|region| region.owner == owner).unwrap_or(DYNAMIC)
    }

    /// The address of a shared region's first byte, without the rank of its CTA.
    pub(in crate::sim) fn own_start(&self, region: usize) -> u64 {
        self.starts[region] & ((1 << self.window) - 1)
    }

    /// Where an address of shared memory leads.
    #[inline]
    pub(in crate::sim) fn locate_shared(&self, address: u64) -> Spot {
        let (rank, own) = if self.ranks == 1 { (0, address) } else { self.window_of(address) };
        let half = 1 << (self.stretch - 1);
        let slot = (own.wrapping_add(half) >> self.stretch) as usize;
        if slot == 0 || slot > self.per_cta + 1 || rank >= self.ranks {
            return Spot::Nowhere;
        }
        let region = match (rank, slot) {
            (0, 1) => DYNAMIC,
            (0, slot) => slot - 2 + self.statics,
            (rank, slot) => self.statics + self.per_cta + (rank - 1) * (self.per_cta + 1) + slot - 1,
        };
        Spot::Region(region, own.wrapping_sub(self.own_start(region)) as i64)
    }

    /// The address in shared memory whose lowest [`DESCRIBED`] bits these are: in the last variable of the layout
    /// that begins there or before, even if it ends before.
    pub(in crate::sim) fn described(&self, bits: u64) -> Option<u64> {
        let shared = self.shared_of(self.rank);
        let low = |region: &usize| self.starts[*region] & ((1 << DESCRIBED) - 1);
        let here = |region: &usize| low(region) <= bits && self.regions[*region].size != Some(0);
        let region = shared.filter(here).max_by_key(low)?;
        Some(self.starts[region] + (bits - low(&region)))
    }

    /// What a shared variable is declared to begin at a multiple of.
    pub(in crate::sim) fn declared_align(&self, kernel: &Kernel, region: usize) -> u64 {
        let shared = kernel.variables.iter().filter(|variable| variable.space == Space::Shared);
        let align = match self.regions[region].owner {
            Owner::Shared(Some(variable)) => kernel.variables[variable].align,
            _ => shared
                .filter(|variable| variable.size.is_none())
                .map(|variable| variable.align)
                .max()
                .unwrap_or(1),
        };
        align.into()
    }
}
