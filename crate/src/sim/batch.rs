//! Which bytes the lanes of one instruction access: addresses, regions, bounds and alignment.
//!
//! Lanes whose access is bad stop here; the others are handed on in batches, one for each region.

use super::cells::granule_of;
use super::machine::Machine;
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind, Place};
use super::race::lanes;
use super::trace::EventKind;
use super::views::OUTSIDE;
use crate::ir::{Reg, RegisterKind};
use crate::isa::{Access, Lanes, Space, Strength, WARP};

/// The lanes of one instruction that access one region, and where.
pub(super) struct Batch {
    pub(super) region: usize,
    pub(super) mask: u32,
    pub(super) offsets: Lanes,
}

impl<'a> Machine<'a> {
    /// An address register's value plus the instruction's offset.
    #[inline]
    pub(super) fn effective(&self, word: u64, offset: i64, base: Reg) -> u64 {
        let address = word.wrapping_add(offset as u64);
        if self.is_narrow(base) { address & 0xffff_ffff } else { address }
    }

    /// Splits the lanes by region, stops those whose address is bad, prepares the regions, and
    /// hands each batch on. Local memory is served here.
    pub(super) fn for_each_batch(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        access: Access,
        kind: AccessKind,
        mut then: impl FnMut(&mut Self, &Batch),
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let base = kernel.src(instr)[0];
        let known = self.concrete_lanes(index, pc, mask, base, "the address");
        let kept = if self.is_narrow(base) { 0xffff_ffff } else { u64::MAX };
        let words = self.warps[index].lanes(base);
        let addresses = std::array::from_fn(|lane| words[lane].wrapping_add(instr.offset as u64) & kept);
        let mut batch = Batch { region: 0, mask: known, offsets: addresses };
        let (total, align) = extent(access);
        if let Some(end) = self.whole_batch(&mut batch, access, kind, total, align) {
            self.begin_batch(index, pc, &batch, end, access, kind);
            self.off_objects(index, pc, &mut batch, total);
            then(self, &batch);
        } else {
            self.split_batches(index, pc, known, access, kind, &batch.offsets, &mut then);
        }
    }

    /// The same where lanes differ in their regions, or some address may be bad.
    #[allow(clippy::too_many_arguments)]
    #[inline(never)]
    fn split_batches(
        &mut self,
        index: usize,
        pc: u32,
        known: u32,
        access: Access,
        kind: AccessKind,
        addresses: &Lanes,
        then: &mut dyn FnMut(&mut Self, &Batch),
    ) {
        let (total, align) = extent(access);
        let mut rest = known;
        while rest != 0 {
            let leader = rest.trailing_zeros();
            match self.memory.locate(access.space, addresses[leader as usize]) {
                Spot::Nowhere => {
                    let place = self.place(access, addresses[leader as usize]);
                    self.park(index, 1 << leader, pc, FaultKind::OutOfBounds(kind, place));
                    rest &= !(1 << leader);
                }
                Spot::Local(offset) => {
                    self.local(index, pc, leader, access, offset, kind, addresses[leader as usize]);
                    rest &= !(1 << leader);
                }
                Spot::Region(region, _) => {
                    let mut batch = Batch { region, mask: 0, offsets: [0; WARP] };
                    let mut end = 0;
                    for lane in lanes(rest) {
                        let address = addresses[lane as usize];
                        let Spot::Region(other, offset) = self.memory.locate(access.space, address) else {
                            continue;
                        };
                        if other != region {
                            continue;
                        }
                        rest &= !(1 << lane);
                        let spot = (region, offset, address);
                        if !self.fits(index, pc, lane, kind, access, spot, total, align) {
                            continue;
                        }
                        batch.mask |= 1 << lane;
                        batch.offsets[lane as usize] = offset as u64;
                        end = end.max(offset as u64 + u64::from(total));
                    }
                    if batch.mask != 0 {
                        self.begin_batch(index, pc, &batch, end, access, kind);
                        self.off_objects(index, pc, &mut batch, total);
                        then(self, &batch);
                    }
                }
            }
        }
    }

    /// Lanes whose bytes belong to a live barrier object stop.
    #[inline]
    fn off_objects(&mut self, index: usize, pc: u32, batch: &mut Batch, bytes: u32) {
        if self.holds_objects(batch.region) {
            for lane in lanes(batch.mask) {
                let spot = (batch.region, batch.offsets[lane as usize], u64::from(bytes));
                if self.over_object(index, pc, lane, spot) {
                    batch.mask &= !(1 << lane);
                }
            }
        }
    }

    /// The common case, without a look at each lane: all are inside one region, and aligned. Makes the
    /// batch, whose offsets are the addresses still, and says where what they access ends; where it is
    /// not the common case, leaves the addresses.
    #[inline]
    fn whole_batch(
        &self,
        batch: &mut Batch,
        access: Access,
        kind: AccessKind,
        total: u32,
        align: u32,
    ) -> Option<u64> {
        let known = batch.mask;
        let leader = batch.offsets[known.trailing_zeros() as usize % WARP];
        let Spot::Region(region, offset) = self.memory.locate(access.space, leader) else { return None };
        let state = &self.memory.regions[region];
        let limit = state.size.unwrap_or(state.limit);
        let writable = kind == AccessKind::Read || !matches!(state.space, Space::Const | Space::Param);
        if known == 0 || !writable || limit > self.memory.reach(state.space) {
            return None;
        }
        let base = leader.wrapping_sub(offset as u64);
        let last = limit.checked_sub(u64::from(total))?;
        let (mut farthest, mut any) = (0, 0);
        for (lane, address) in batch.offsets.iter().enumerate() {
            let keep = u64::from(known >> lane & 1).wrapping_neg();
            let offset = address.wrapping_sub(base) & keep;
            farthest = offset.max(farthest);
            any |= offset;
        }
        if farthest > last || any & u64::from(align - 1) != 0 {
            return None;
        }
        batch.region = region;
        for offset in &mut batch.offsets {
            *offset = offset.wrapping_sub(base);
        }
        Some(farthest + u64::from(total))
    }

    pub(super) fn begin_batch(
        &mut self,
        index: usize,
        pc: u32,
        batch: &Batch,
        end: u64,
        access: Access,
        kind: AccessKind,
    ) {
        self.prepare(batch.region, end, access, kind);
        let offsets = lanes(batch.mask).map(|lane| batch.offsets[lane as usize]);
        self.memory.touch(self.kernel, self.setup, &mut self.terms, batch.region, offsets);
        if let Some(rank) = self.memory.other_rank(batch.region) {
            self.note_remote(index, pc, batch.mask, rank);
        }
        self.trace_access(index, pc, batch.region, batch.mask, kind);
    }

    pub(super) fn trace_access(&mut self, index: usize, pc: u32, region: usize, mask: u32, kind: AccessKind) {
        let space = self.memory.regions[region].space;
        if matches!(space, Space::Shared | Space::Global) {
            let step = self.warps[index].step;
            let event = EventKind::access(kind, space == Space::Shared);
            self.trace.event(index as u32, step, mask, pc, event);
        }
    }

    /// Whether addresses in a register have 32 bits.
    pub(super) fn is_narrow(&self, reg: Reg) -> bool {
        matches!(self.kernel.registers[reg.index()], RegisterKind::Virtual { bits: 32 })
    }

    /// Whether an access is aligned and inside its region; if not, the lane stops.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn fits(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        kind: AccessKind,
        access: Access,
        (region, offset, address): (usize, i64, u64),
        total: u32,
        align: u32,
    ) -> bool {
        let state = &self.memory.regions[region];
        let limit = state.size.unwrap_or(state.limit);
        let inside = offset >= 0 && (offset as u64).saturating_add(u64::from(total)) <= limit;
        let aligned = offset & i64::from(align - 1) == 0;
        let writable = kind == AccessKind::Read || !matches!(state.space, Space::Const | Space::Param);
        if inside && aligned && writable {
            return true;
        }
        let place = self.place(access, address);
        let fault = if !inside {
            FaultKind::OutOfBounds(kind, place)
        } else if !aligned {
            FaultKind::Misaligned(kind, place, align)
        } else {
            FaultKind::Unsupported(format!("{} is read-only memory", place.text))
        };
        self.park(index, 1 << lane, pc, fault);
        false
    }

    pub(super) fn place(&self, access: Access, address: u64) -> Place {
        let place = self.memory.place(self.kernel, self.setup, access.space, address, access.format.bytes());
        match place.offset >= (OUTSIDE / 2) as i64 && place.size.is_some_and(|size| size < OUTSIDE / 2) {
            true => Place { text: format!("{}(coordinates outside)", place.name), ..place },
            false => place,
        }
    }

    /// Makes a region ready for an access at an offset.
    pub(super) fn prepare_at(
        &mut self,
        region: usize,
        offset: u64,
        bytes: u32,
        access: Access,
        kind: AccessKind,
    ) {
        self.prepare(region, offset + u64::from(bytes), access, kind);
        self.memory.touch(self.kernel, self.setup, &mut self.terms, region, [offset].into_iter());
    }

    /// Makes a region ready for an access: fine enough, with shadow state for what is there; what is
    /// accessed has yet to be touched ([`super::memory::Memory::touch`]).
    fn prepare(&mut self, region: usize, end: u64, access: Access, kind: AccessKind) {
        let state = &mut self.memory.regions[region];
        state.settle(self.setup, access.format);
        state.reached = state.reached.max(end);
        match kind {
            AccessKind::Read => state.read = true,
            AccessKind::Write => state.written = true,
            AccessKind::Atomic => (state.read, state.written) = (true, true),
        }
        let granule = granule_of(access.format);
        if state.cells.granule() > granule {
            state.refine(&mut self.terms, granule);
        }
        if kind != AccessKind::Read && matches!(state.space, Space::Shared | Space::Global) && !state.watched
        {
            state.watched = true;
            self.input_written = true;
            self.fuel = 0;
        }
        if state.watched {
            state.shadowed();
        }
    }
}

/// Bytes that one lane accesses, and what its address must be a multiple of.
fn extent(access: Access) -> (u32, u32) {
    let total = access.format.bytes() * u32::from(access.vector);
    let anywhere = matches!(access.strength, Strength::Texture | Strength::Surface);
    (total, if total.is_power_of_two() && !anywhere { total } else { 1 })
}
