//! Loads, stores and atomics: addresses to bytes, bounds, alignment, definedness, races.

use super::bits::{as_bits, as_number, mask as low_bits, operate, slice};
use super::cells::granule_of;
use super::machine::Machine;
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind};
use super::race::{Accessor, Hand, lanes};
use super::trace::EventKind;
use crate::base::{Format, FormatClass};
use crate::ir::{Reg, RegisterKind};
use crate::isa::{Access, AtomicOp, Lanes, Space, WARP};
use crate::term::{BitOp, Symbol, SymbolKind, Term, Terms, Value};
use std::ops::Range;

/// The lanes of one instruction that access one region, and where.
struct Batch {
    region: usize,
    mask: u32,
    offsets: Lanes,
}

impl<'a> Machine<'a> {
    /// Executes a load.
    pub(super) fn load(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        let step = u64::from(access.format.bytes());
        if self.uniform_load(index, pc, mask, access) {
            return;
        }
        self.for_each_batch(index, pc, mask, access, AccessKind::Read, |machine, batch| {
            machine.touch_reads(index, pc, &batch, step * u64::from(access.vector));
            for element in 0..access.vector {
                machine.load_element(index, pc, &batch, access, element);
            }
        });
    }

    /// Executes a load of all lanes from one good address, once for all. Whether it was one.
    fn uniform_load(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> bool {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let base = kernel.src(instr)[0];
        let warp = &self.warps[index];
        let Some(Value::Concrete(word)) = warp.uniform(base) else { return false };
        if mask != warp.present {
            return false;
        }
        let address = self.effective(word, instr.offset, base);
        let Spot::Region(region, offset) = self.memory.locate(access.space, address) else { return false };
        let state = &self.memory.regions[region];
        let total = access.format.bytes() * u32::from(access.vector);
        let limit = state.size.unwrap_or(state.limit);
        let (Ok(offset), Some(last)) = (u64::try_from(offset), limit.checked_sub(u64::from(total))) else {
            return false;
        };
        let aligned = !total.is_power_of_two() || offset & u64::from(total - 1) == 0;
        let epochs = self.clocks.epochs(warp.first(), warp.present.count_ones());
        let epoch = epochs[0];
        let reachable = limit <= self.memory.reach(state.space);
        if offset > last || !aligned || !reachable || epochs.iter().any(|other| *other != epoch) {
            return false;
        }
        let batch = Batch { region, mask, offsets: [offset; WARP] };
        self.begin_batch(index, pc, &batch, offset + u64::from(total), access, AccessKind::Read);
        if self.memory.regions[region].watched {
            let by = self.accessor(index, pc, mask, epoch);
            self.touch_read(index, pc, region, offset..offset + u64::from(total), &by);
        }
        let bytes = access.format.bytes();
        for element in 0..access.vector {
            let at = offset + u64::from(element) * u64::from(bytes);
            let dst = kernel.dst(instr)[usize::from(element)];
            let value = match self.memory.regions[region].cells.read(&mut self.terms, at, bytes) {
                Value::Concrete(bits) => {
                    let width = register_bits(&kernel.registers[dst.index()]);
                    Value::Concrete(extend(bits, access.format, width))
                }
                Value::Undefined => {
                    let place = self.region_place(region, at, bytes);
                    self.park(index, mask, pc, FaultKind::UninitializedMemory(place));
                    continue;
                }
                symbol => symbol,
            };
            self.warps[index].fill(dst, value);
        }
        true
    }

    /// An address register's value plus the instruction's offset.
    #[inline]
    fn effective(&self, word: u64, offset: i64, base: Reg) -> u64 {
        let address = word.wrapping_add(offset as u64);
        if self.is_narrow(base) { address & 0xffff_ffff } else { address }
    }

    /// Executes a store.
    pub(super) fn store(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        self.for_each_batch(index, pc, mask, access, AccessKind::Write, |machine, batch| {
            for element in 0..access.vector {
                machine.store_element(index, pc, &batch, access, element);
            }
        });
    }

    /// Splits the lanes by region, stops those whose address is bad, prepares the regions, and
    /// hands each batch on. Local memory is served here.
    fn for_each_batch(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        access: Access,
        kind: AccessKind,
        mut then: impl FnMut(&mut Self, Batch),
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let base = kernel.src(instr)[0];
        let known = self.concrete_lanes(index, pc, mask, base, "the address");
        let mut addresses = *self.warps[index].lanes(base);
        let narrow = self.is_narrow(base);
        for address in &mut addresses {
            *address = address.wrapping_add(instr.offset as u64);
            if narrow {
                *address &= 0xffff_ffff;
            }
        }
        let total = access.format.bytes() * u32::from(access.vector);
        let align = if total.is_power_of_two() { total } else { 1 };
        if let Some((batch, end)) = self.whole_batch(known, access, kind, &addresses, total, align) {
            self.begin_batch(index, pc, &batch, end, access, kind);
            then(self, batch);
            return;
        }
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
                        then(self, batch);
                    }
                }
            }
        }
    }

    /// The common case, without a look at each lane: all are inside one region, and aligned. With
    /// the end of what they access.
    #[inline]
    fn whole_batch(
        &self,
        known: u32,
        access: Access,
        kind: AccessKind,
        addresses: &Lanes,
        total: u32,
        align: u32,
    ) -> Option<(Batch, u64)> {
        let leader = addresses[known.trailing_zeros() as usize % WARP];
        let Spot::Region(region, offset) = self.memory.locate(access.space, leader) else { return None };
        let state = &self.memory.regions[region];
        let limit = state.size.unwrap_or(state.limit);
        let writable = kind == AccessKind::Read || !matches!(state.space, Space::Const | Space::Param);
        if known == 0 || !writable || limit > self.memory.reach(state.space) {
            return None;
        }
        let base = leader.wrapping_sub(offset as u64);
        let last = limit.checked_sub(u64::from(total))?;
        let mut offsets = [0; WARP];
        let (mut farthest, mut any) = (0, 0);
        for lane in 0..WARP {
            let keep = u64::from(known >> lane & 1).wrapping_neg();
            offsets[lane] = addresses[lane].wrapping_sub(base) & keep;
            farthest = offsets[lane].max(farthest);
            any |= offsets[lane];
        }
        let good = farthest <= last && any & u64::from(align - 1) == 0;
        good.then(|| (Batch { region, mask: known, offsets }, farthest + u64::from(total)))
    }

    fn begin_batch(
        &mut self,
        index: usize,
        pc: u32,
        batch: &Batch,
        end: u64,
        access: Access,
        kind: AccessKind,
    ) {
        self.prepare(batch.region, end, access, kind);
        let space = self.memory.regions[batch.region].space;
        if matches!(space, Space::Shared | Space::Global) {
            let step = self.warps[index].step;
            let event = EventKind::access(kind, space == Space::Shared);
            self.trace.event(index as u32, step, batch.mask, pc, event);
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

    pub(super) fn place(&self, access: Access, address: u64) -> super::outcome::Place {
        self.memory.place(self.kernel, self.setup, access.space, address, access.format.bytes())
    }

    /// Makes a region ready for an access: grown, fine enough, with shadow state.
    pub(super) fn prepare(&mut self, region: usize, end: u64, access: Access, kind: AccessKind) {
        let state = &mut self.memory.regions[region];
        if state.size.is_none() && end > state.cells.len() {
            state.open_to(&mut self.terms, self.setup, end, access.format);
        }
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

    // ---- reading ---------------------------------------------------------------------------

    /// Race detection for the reads of a batch, `bytes` bytes a lane.
    fn touch_reads(&mut self, index: usize, pc: u32, batch: &Batch, bytes: u64) {
        let region = batch.region;
        if !self.memory.regions[region].watched {
            return;
        }
        let mut rest = batch.mask;
        while rest != 0 {
            let leader = rest.trailing_zeros();
            let offset = batch.offsets[leader as usize];
            let epoch = self.clocks.epoch(self.warps[index].first() + leader);
            // Lanes that read the same bytes in the same epoch count as one party.
            let mut together = 0;
            for lane in lanes(rest) {
                let same = batch.offsets[lane as usize] == offset
                    && self.clocks.epoch(self.warps[index].first() + lane) == epoch;
                together |= u32::from(same) << lane;
                if !same && together == 1 << leader {
                    break; // distinct addresses: the ordinary, coalesced case
                }
            }
            rest &= !together;
            let by = self.accessor(index, pc, together, epoch);
            self.touch_read(index, pc, region, offset..offset + bytes, &by);
        }
    }

    /// Race detection for a read of some bytes by one party.
    fn touch_read(&mut self, index: usize, pc: u32, region: usize, bytes: Range<u64>, by: &Accessor) {
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in bytes.step_by(granule as usize) {
            let shadow = &mut self.memory.regions[region].shadow[(at / granule) as usize];
            if let Some(conflict) = self.detector.read(&self.clocks, shadow, by) {
                self.record_race(index, pc, AccessKind::Read, region, at, conflict);
            }
        }
    }

    pub(super) fn accessor(&self, index: usize, pc: u32, mask: u32, epoch: u32) -> Accessor {
        let warp_first = self.warps[index].first();
        Accessor { warp_first, global_first: self.first_thread + warp_first, mask, epoch, instr: pc }
    }

    fn load_element(&mut self, index: usize, pc: u32, batch: &Batch, access: Access, element: u8) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let dst = kernel.dst(instr)[usize::from(element)];
        let bytes = access.format.bytes();
        let at = u64::from(element) * u64::from(bytes);
        let width = register_bits(&kernel.registers[dst.index()]);
        let (mut words, mut codes): (Lanes, Lanes) = ([0; WARP], [0; WARP]);
        let (mut concrete, mut symbolic, mut undefined) = (0, 0, 0);
        let cells = &self.memory.regions[batch.region].cells;
        if bytes == cells.granule() && cells.symbols(batch.mask, &batch.offsets, at, &mut codes) {
            self.warps[index].set_symbolic(dst, batch.mask, &codes);
            return;
        }
        for lane in lanes(batch.mask) {
            match cells.read(&mut self.terms, batch.offsets[lane as usize] + at, bytes) {
                Value::Concrete(bits) => {
                    words[lane as usize] = extend(bits, access.format, width);
                    concrete |= 1 << lane;
                }
                Value::Symbolic(symbol) => {
                    codes[lane as usize] = symbol.encode();
                    symbolic |= 1 << lane;
                }
                Value::Undefined => undefined |= 1 << lane,
            }
        }
        let warp = &mut self.warps[index];
        if concrete != 0 {
            warp.set_concrete(dst, concrete, &words);
        }
        if symbolic != 0 {
            warp.set_symbolic(dst, symbolic, &codes);
        }
        for lane in lanes(undefined) {
            let offset = batch.offsets[lane as usize] + at;
            let place = self.region_place(batch.region, offset, bytes);
            self.park(index, 1 << lane, pc, FaultKind::UninitializedMemory(place));
        }
    }

    /// The place of an offset in a region.
    pub(super) fn region_place(&self, region: usize, offset: u64, bytes: u32) -> super::outcome::Place {
        let space = self.memory.regions[region].space;
        let address = self.memory.address(region, offset as i64);
        self.memory.place(self.kernel, self.setup, space, address, bytes)
    }

    // ---- writing ---------------------------------------------------------------------------

    fn store_element(&mut self, index: usize, pc: u32, batch: &Batch, access: Access, element: u8) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let src = kernel.src(instr)[1 + usize::from(element)];
        let bytes = access.format.bytes();
        let region = batch.region;
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let watched = self.memory.regions[region].watched;
        let read_by_copies = self.memory.regions[region].flights > 0;
        let doubled = watched && may_double(batch);
        let mut fellows = 0;
        for lane in lanes(batch.mask) {
            let offset = batch.offsets[lane as usize] + u64::from(element) * u64::from(bytes);
            if read_by_copies {
                self.write_under_copies(index, pc, lane, region, offset, bytes);
            }
            let value = self.warps[index].get(src, lane);
            if value == Value::Undefined {
                let name = self.register_name(src);
                self.park(index, 1 << lane, pc, FaultKind::UninitializedRegister(name));
                continue;
            }
            let mut value = fit(&mut self.terms, value, bytes * 8);
            if !self.guards.is_empty() {
                let old = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
                value = self.guarded_value(lane, value, old, access.format);
            }
            self.changes +=
                u64::from(self.memory.regions[region].cells.write(&mut self.terms, offset, bytes, value));
            if watched && fellows & (1 << lane) == 0 {
                let together = self.alike(index, batch, src, lane, doubled);
                let hand = if together == 1 << lane { Hand::Thread } else { Hand::Warp };
                if hand == Hand::Warp {
                    fellows |= together;
                    let threads = self.warps[index].first();
                    self.clocks.align(threads..(threads + WARP as u32).min(self.block));
                    self.alike.0 += u64::from(together.count_ones()) - 1;
                    self.alike.1 = pc;
                }
                let epoch = self.clocks.epoch(self.warps[index].first() + lane);
                let by = self.accessor(index, pc, together, epoch);
                for at in (offset..offset + u64::from(bytes)).step_by(granule as usize) {
                    let shadow = &mut self.memory.regions[region].shadow[(at / granule) as usize];
                    if let Some(conflict) = self.detector.write(&self.clocks, shadow, &by, hand) {
                        self.record_race(index, pc, AccessKind::Write, region, at, conflict);
                    }
                }
            }
        }
    }

    /// The lanes that store the same value as `lane` to the same place with the present
    /// instruction. In whatever order they do it, memory holds that value afterwards; CUDA's
    /// programming guide says so (one of them is performed), and compilers rely on it.
    fn alike(&self, index: usize, batch: &Batch, src: Reg, lane: u32, doubled: bool) -> u32 {
        let alone = 1 << lane;
        if !doubled || !self.guards.is_empty() {
            return alone;
        }
        let warp = &self.warps[index];
        let offset = batch.offsets[lane as usize];
        let same = lanes(batch.mask).filter(|other| batch.offsets[*other as usize] == offset);
        let same = same.fold(0, |lanes, other| lanes | 1 << other);
        let value = warp.get(src, lane);
        if lanes(same).all(|other| warp.get(src, other) == value) { same } else { alone }
    }

    // ---- local memory ----------------------------------------------------------------------

    #[allow(clippy::too_many_arguments)]
    fn local(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        access: Access,
        offset: i64,
        kind: AccessKind,
        address: u64,
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let bytes = access.format.bytes();
        let total = u64::from(bytes) * u64::from(access.vector);
        let inside = offset >= 0 && offset as u64 + total <= kernel.local_bytes;
        if !inside || !(offset as u64).is_multiple_of(total) {
            let place = self.place(access, address);
            let fault = if inside {
                FaultKind::Misaligned(kind, place, total as u32)
            } else {
                FaultKind::OutOfBounds(kind, place)
            };
            self.park(index, 1 << lane, pc, fault);
            return;
        }
        let thread = (self.warps[index].first() + lane) as usize;
        let cells = &mut self.locals[thread];
        cells.grow(kernel.local_bytes);
        cells.refine(&mut self.terms, granule_of(access.format));
        for element in 0..access.vector {
            let at = offset as u64 + u64::from(element) * u64::from(bytes);
            match kind {
                AccessKind::Read => {
                    let dst = kernel.dst(instr)[usize::from(element)];
                    let width = register_bits(&kernel.registers[dst.index()]);
                    let value = match self.locals[thread].read(&mut self.terms, at, bytes) {
                        Value::Concrete(bits) => Value::Concrete(extend(bits, access.format, width)),
                        Value::Undefined => {
                            let place = self.place(access, address);
                            self.park(index, 1 << lane, pc, FaultKind::UninitializedMemory(place));
                            return;
                        }
                        symbolic => symbolic,
                    };
                    self.warps[index].set(dst, lane, value);
                }
                AccessKind::Write => {
                    let src = kernel.src(instr)[1 + usize::from(element)];
                    // A spilled undefined register stays undefined: spilling is copying.
                    let value = match self.warps[index].get(src, lane) {
                        Value::Undefined => Value::Undefined,
                        value => fit(&mut self.terms, value, bytes * 8),
                    };
                    let old = self.locals[thread].read(&mut self.terms, at, bytes);
                    let value = self.guarded_value(lane, value, old, access.format);
                    self.changes += u64::from(self.locals[thread].write(&mut self.terms, at, bytes, value));
                }
                AccessKind::Atomic => {
                    let why = "atomics on local memory are not supported".to_owned();
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                    return;
                }
            }
        }
    }

    // ---- atomics ---------------------------------------------------------------------------

    /// Executes an atomic or a reduction.
    pub(super) fn atomic(&mut self, index: usize, pc: u32, mask: u32, op: AtomicOp, access: Access) {
        self.for_each_batch(index, pc, mask, access, AccessKind::Atomic, |machine, batch| {
            for lane in lanes(batch.mask) {
                machine.atomic_lane(index, pc, lane, op, access, batch.region, batch.offsets[lane as usize]);
            }
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic_lane(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        op: AtomicOp,
        access: Access,
        region: usize,
        offset: u64,
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr).first().copied(), kernel.src(instr));
        let bytes = access.format.bytes();
        let observed = dst.is_some_and(|reg| {
            self.is_read[reg.index()] && !matches!(kernel.registers[reg.index()], RegisterKind::Sink)
        });
        if self.memory.regions[region].flights > 0 {
            self.write_under_copies(index, pc, lane, region, offset, bytes);
        }
        let old = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
        if old == Value::Undefined {
            let place = self.region_place(region, offset, bytes);
            self.park(index, 1 << lane, pc, FaultKind::UninitializedMemory(place));
            return;
        }
        let operands: Vec<Value> = src[1..].iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        if operands.contains(&Value::Undefined) {
            let name = self.register_name(src[1]);
            self.park(index, 1 << lane, pc, FaultKind::UninitializedRegister(name));
            return;
        }
        let Some(new) = update(&mut self.terms, op, access.format, old, &operands) else {
            let why = "the outcome of this atomic depends on input data".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
            return;
        };
        let new = self.guarded_value(lane, new, old, access.format);
        self.symbolic_uses[pc as usize] += u64::from(matches!(new, Value::Symbolic(_)));
        self.changes +=
            u64::from(self.memory.regions[region].cells.write(&mut self.terms, offset, bytes, new));
        if let Some(dst) = dst {
            self.warps[index].set(dst, lane, old);
        }
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        for at in (offset..offset + u64::from(bytes)).step_by(granule as usize) {
            let shadow = &mut self.memory.regions[region].shadow[(at / granule) as usize];
            let Some(conflict) = self.detector.atomic(&self.clocks, shadow, &by, op, observed) else {
                continue;
            };
            if conflict.observed {
                let place = self.region_place(region, at, bytes);
                let other = self.global_thread(conflict.other);
                let why = format!(
                    "the value of this atomic on {} depends on whether {other} comes first",
                    place.text
                );
                self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
                return;
            }
            self.record_race(index, pc, AccessKind::Atomic, region, at, conflict);
        }
    }
}

/// Whether several lanes may have the same offset; distinct neighbours are told at once.
fn may_double(batch: &Batch) -> bool {
    let mut seen = [0u64; 8];
    lanes(batch.mask).any(|lane| {
        let at = batch.offsets[lane as usize] >> 2;
        let (word, bit) = ((at >> 6 & 7) as usize, 1 << (at & 63));
        let known = seen[word] & bit != 0;
        seen[word] |= bit;
        known
    })
}

/// The width of a register in bits.
pub(super) fn register_bits(kind: &RegisterKind) -> u32 {
    match kind {
        RegisterKind::Virtual { bits } => *bits,
        RegisterKind::Constant(_) | RegisterKind::Special(_) | RegisterKind::Sink => 64,
    }
}

/// Loaded bits in a register: signed formats extend their sign to the register's width.
fn extend(bits: u64, format: Format, width: u32) -> u64 {
    if format.class() == FormatClass::Signed && width > format.bits() {
        let unused = 64 - format.bits();
        low_bits(((bits << unused) as i64 >> unused) as u64, width)
    } else {
        bits
    }
}

/// A register's value as the low `bits` bits that a store moves.
fn fit(terms: &mut Terms, value: Value, bits: u32) -> Value {
    let Value::Symbolic(symbol) = value else {
        return match value {
            Value::Concrete(word) => Value::Concrete(low_bits(word, bits)),
            other => other,
        };
    };
    match symbol.kind {
        SymbolKind::Number(format) if format.bits() == bits => value,
        SymbolKind::Number(format) if format.bits() > bits => slice(terms, value, format.bits(), 0, bits),
        SymbolKind::Number(format) if !format.is_float() => {
            // Loads and conversions extended it when it entered the wide register.
            let wide = Format::ALL
                .into_iter()
                .find(|wide| wide.class() == format.class() && wide.bits() == bits)
                .unwrap_or(format);
            Value::Symbolic(Symbol::number(wide, symbol.term))
        }
        SymbolKind::Number(_) | SymbolKind::Condition => match as_bits(terms, value, bits) {
            Some(pattern) => Value::Symbolic(Symbol::bits(pattern)),
            None => Value::Undefined,
        },
        SymbolKind::Bits => match super::bits::pattern_width(terms, symbol.term) {
            Some(width) if width > bits => slice(terms, value, width, 0, bits),
            _ => value,
        },
    }
}

/// The new value of an atomic; `None` where it depends on symbolic data in a way that terms do
/// not express.
fn update(terms: &mut Terms, op: AtomicOp, format: Format, old: Value, operands: &[Value]) -> Option<Value> {
    let operand = *operands.first()?;
    if op == AtomicOp::Exchange {
        return Some(fit(terms, operand, format.bits()));
    }
    if let (Value::Concrete(old), Value::Concrete(operand)) = (old, operand)
        && operands.iter().all(|value| matches!(value, Value::Concrete(_)))
        && (!format.is_float() || matches!(format, Format::F32 | Format::F64))
    {
        let other = match operands.get(1) {
            Some(Value::Concrete(bits)) => *bits,
            _ => 0,
        };
        return Some(Value::Concrete(low_bits(update_bits(op, format, old, operand, other), format.bits())));
    }
    // Adding does not care about signedness: the sum is of the kind that memory holds.
    let held = |value: Value| match value {
        Value::Symbolic(Symbol { kind: SymbolKind::Number(held), .. })
            if !held.is_float() && !format.is_float() && held.bits() == format.bits() =>
        {
            Some(held)
        }
        _ => None,
    };
    let format = match op {
        AtomicOp::Add => held(old).or(held(operand)).unwrap_or(format),
        _ => format,
    };
    let number = |terms: &mut Terms, f: fn(&mut Terms, Term, Term) -> Term| {
        let old = as_number(terms, format, old)?;
        let operand = as_number(terms, format, operand)?;
        let term = f(terms, old, operand);
        Some(Value::Symbolic(Symbol::number(format, term)))
    };
    match op {
        AtomicOp::Add => number(terms, Terms::add),
        AtomicOp::Min => number(terms, Terms::min),
        AtomicOp::Max => number(terms, Terms::max),
        AtomicOp::And => Some(operate(terms, BitOp::And, format.bits(), &[old, operand])),
        AtomicOp::Or => Some(operate(terms, BitOp::Or, format.bits(), &[old, operand])),
        AtomicOp::Xor => Some(operate(terms, BitOp::Xor, format.bits(), &[old, operand])),
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::CompareSwap | AtomicOp::Exchange => None,
    }
}

fn update_bits(op: AtomicOp, format: Format, old: u64, operand: u64, other: u64) -> u64 {
    let signed = |bits: u64| {
        let unused = 64 - format.bits();
        (bits << unused) as i64 >> unused
    };
    let (old, operand) = (low_bits(old, format.bits()), low_bits(operand, format.bits()));
    match (op, format) {
        (AtomicOp::Add, Format::F32) => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(operand as u32)).to_bits())
        }
        (AtomicOp::Add, Format::F64) => (f64::from_bits(old) + f64::from_bits(operand)).to_bits(),
        (AtomicOp::Add, _) => old.wrapping_add(operand),
        (AtomicOp::Min, _) if format.class() == FormatClass::Signed => {
            signed(old).min(signed(operand)) as u64
        }
        (AtomicOp::Max, _) if format.class() == FormatClass::Signed => {
            signed(old).max(signed(operand)) as u64
        }
        (AtomicOp::Min, _) => old.min(operand),
        (AtomicOp::Max, _) => old.max(operand),
        (AtomicOp::And, _) => old & operand,
        (AtomicOp::Or, _) => old | operand,
        (AtomicOp::Xor, _) => old ^ operand,
        (AtomicOp::Inc, _) => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        (AtomicOp::Dec, _) => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        (AtomicOp::Exchange, _) => operand,
        (AtomicOp::CompareSwap, _) => {
            if old == operand {
                other
            } else {
                old
            }
        }
    }
}
