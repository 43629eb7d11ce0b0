//! Loads and stores: bytes to values and back, definedness, races; local memory.

use super::accesses::Stored;
use super::batch::Batch;
use super::bits::{as_bits, as_number, mask as low_bits, resized, slice};
use super::cells::granule_of;
use super::clock::NEVER;
use super::gaps::{extended, fitted};
use super::machine::Machine;
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind};
use super::race::{Accessor, Hand, lanes};
use super::signals;
use crate::base::{Format, FormatClass};
use crate::ir::{Reg, RegisterKind};
use crate::isa::{Access, Lanes, Space, Strength, WARP};
use crate::term::{Symbol, SymbolKind, Terms, Value};
use std::ops::Range;

impl<'a> Machine<'a> {
    /// Executes a load.
    pub(super) fn load(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        self.own_contents(index, pc, mask, access);
        let step = u64::from(access.format.bytes());
        if self.idle.is_none() && self.uniform_load(index, pc, mask, access) {
            return;
        }
        let mask = self.at_each_address(index, pc, mask, access, Machine::load);
        if mask == 0 {
            return;
        }
        self.suspected = 0;
        self.for_each_batch(index, pc, mask, access, AccessKind::Read, |machine, batch| {
            machine.touch_reads(index, pc, batch, step * u64::from(access.vector), access.strength);
            for element in 0..access.vector {
                machine.load_element(index, pc, batch, access, element);
                machine.forget_idle(index, pc, batch, access, element);
            }
        });
        if self.suspected != 0 {
            self.spare(index, pc);
        }
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
        let anywhere = access.strength == Strength::Texture;
        let aligned = anywhere || !total.is_power_of_two() || offset & u64::from(total - 1) == 0;
        let Some(epoch) = self.clocks.common_epoch(warp.first()) else { return false };
        let reachable = limit <= self.memory.reach(state.space);
        if offset > last || !aligned || !reachable || self.holds_objects(region) {
            return false;
        }
        self.prepare_at(region, offset, total, access, AccessKind::Read);
        if let Some(rank) = self.memory.other_rank(region) {
            self.note_remote(index, pc, mask, rank);
        }
        self.trace_access(index, pc, region, mask, AccessKind::Read);
        if self.memory.regions[region].watched {
            let by = self.reader(index, pc, (mask, epoch), access.strength);
            self.touch_read(index, pc, region, offset..offset + u64::from(total), &by);
        }
        let bytes = access.format.bytes();
        for element in 0..access.vector {
            let at = offset + u64::from(element) * u64::from(bytes);
            let dst = kernel.dst(instr)[usize::from(element)];
            let value = match self.memory.regions[region].cells.read(&mut self.terms, at, bytes) {
                symbol @ Value::Symbolic(_) => {
                    let width = register_bits(&kernel.registers[dst.index()]);
                    extend_symbol(&mut self.terms, symbol, access.format, width)
                }
                value => {
                    let width = register_bits(&kernel.registers[dst.index()]);
                    let reader = (index, pc, mask.trailing_zeros());
                    let value = self.as_read(reader, (Some(region), at), bytes, value);
                    extended(&mut self.terms, value, access.format, width)
                }
            };
            self.warps[index].fill(dst, value);
        }
        true
    }

    /// Executes a store.
    #[inline(never)]
    pub(super) fn store(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        self.own_contents(index, pc, mask, access);
        let mask = self.at_each_address(index, pc, mask, access, Machine::store);
        if mask == 0 {
            return;
        }
        self.for_each_batch(index, pc, mask, access, AccessKind::Write, |machine, batch| {
            for element in 0..access.vector {
                machine.store_element(index, pc, batch, access, element);
            }
        });
    }

    // ---- reading ---------------------------------------------------------------------------

    /// Race detection for the reads of a batch, `bytes` bytes a lane.
    fn touch_reads(&mut self, index: usize, pc: u32, batch: &Batch, bytes: u64, strength: Strength) {
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
            let by = self.reader(index, pc, (together, epoch), strength);
            self.touch_read(index, pc, region, offset..offset + bytes, &by);
        }
    }

    /// Race detection for a read of some bytes by one party.
    pub(super) fn touch_read(
        &mut self,
        index: usize,
        pc: u32,
        region: usize,
        bytes: Range<u64>,
        by: &Accessor,
    ) {
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in bytes.step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let before = *shadow;
            // A strong load is in the history of its place: it must not stand for weak ones before it.
            let strong = self.signals.is_some() && signals::scope_of(self.kernel, pc).is_some();
            let conflict = match strong {
                true => self.detector.before_read(&self.clocks, shadow, by),
                false => self.detector.read(&self.clocks, shadow, by),
            };
            let conflict = self.sift(pc, &before, by, AccessKind::Read, conflict);
            self.judge(index, pc, (AccessKind::Read, region, at), by, None, conflict);
        }
    }

    pub(super) fn accessor(&self, index: usize, pc: u32, mask: u32, epoch: u32) -> Accessor {
        let warp_first = self.warps[index].first();
        let global_first = self.first_thread + warp_first;
        Accessor { warp_first, global_first, mask, epoch, instr: pc, stale: false }
    }

    /// Who reads through a path of that strength, in an epoch of its threads.
    pub(super) fn reader(
        &self,
        index: usize,
        pc: u32,
        (mask, epoch): (u32, u32),
        strength: Strength,
    ) -> Accessor {
        // The cache that `.nc` reads through never learns of writes, before it or after it.
        let epoch = if strength == Strength::NonCoherent { NEVER } else { epoch };
        Accessor { stale: strength == Strength::Texture, ..self.accessor(index, pc, mask, epoch) }
    }

    fn load_element(&mut self, index: usize, pc: u32, batch: &Batch, access: Access, element: u8) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let dst = kernel.dst(instr)[usize::from(element)];
        let bytes = access.format.bytes();
        let at = u64::from(element) * u64::from(bytes);
        let width = register_bits(&kernel.registers[dst.index()]);
        let cells = &self.memory.regions[batch.region].cells;
        let warp = &mut self.warps[index];
        // What is widened has to be looked at.
        let fills = width <= access.format.bits();
        if fills && bytes == cells.granule() && cells.symbols(batch.mask, &batch.offsets, at, warp.waiting())
        {
            warp.take(dst, batch.mask, true);
            return;
        }
        let (mut words, mut codes): (Lanes, Lanes) = ([0; WARP], [0; WARP]);
        let (mut concrete, mut symbolic) = (0, 0);
        let mut incomplete = Vec::new();
        for lane in lanes(batch.mask) {
            match cells.read(&mut self.terms, batch.offsets[lane as usize] + at, bytes) {
                Value::Concrete(bits) => {
                    words[lane as usize] = extend(bits, access.format, width);
                    concrete |= 1 << lane;
                }
                symbol @ Value::Symbolic(_) => {
                    if let Value::Symbolic(symbol) =
                        extend_symbol(&mut self.terms, symbol, access.format, width)
                    {
                        codes[lane as usize] = symbol.encode();
                        symbolic |= 1 << lane;
                    }
                }
                gap @ Value::Undefined(_) => incomplete.push((lane, gap)),
            }
        }
        let warp = &mut self.warps[index];
        if concrete != 0 {
            warp.set_concrete(dst, concrete, &words);
        }
        if symbolic != 0 {
            warp.set_symbolic(dst, symbolic, &codes);
        }
        for (lane, gap) in incomplete {
            let offset = batch.offsets[lane as usize] + at;
            let value = self.as_read((index, pc, lane), (Some(batch.region), offset), bytes, gap);
            let value = extended(&mut self.terms, value, access.format, width);
            self.warps[index].set(dst, lane, value);
        }
    }

    /// Gives an element of a load to a lane as if this lay in memory.
    pub(super) fn fill_element(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset): (usize, u64),
        access: Access,
        element: u8,
        value: Value,
    ) {
        let kernel = self.kernel;
        let dst = kernel.dst(&kernel.code[pc as usize])[usize::from(element)];
        let width = register_bits(&kernel.registers[dst.index()]);
        let value = match value {
            Value::Concrete(bits) => Value::Concrete(extend(bits, access.format, width)),
            symbol @ Value::Symbolic(_) => extend_symbol(&mut self.terms, symbol, access.format, width),
            gap @ Value::Undefined(_) => {
                let bytes = access.format.bytes();
                let value = self.as_read((index, pc, lane), (Some(region), offset), bytes, gap);
                extended(&mut self.terms, value, access.format, width)
            }
        };
        self.warps[index].set(dst, lane, value);
    }

    /// The place of an offset in a thread's local memory.
    pub(super) fn local_place(&self, offset: u64, bytes: u32) -> super::outcome::Place {
        self.memory.place(self.kernel, self.setup, Space::Local, offset, bytes)
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
            let mut value = fit(&mut self.terms, value, bytes * 8);
            let stored = Stored { value, start: offset, bytes, format: access.format };
            if !self.guards.is_empty() {
                let old = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
                value = self.guarded_value(lane, value, old, access.format);
            }
            self.note_stored((index, pc, lane), (region, offset), value);
            self.signal_place(region, offset, bytes, access.strength);
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
                    let shadow = self.memory.regions[region].shadow_at(at);
                    let before = *shadow;
                    let conflict = self.detector.write(&self.clocks, shadow, &by, hand);
                    if !self.guards.is_empty() && before.is_under_way() {
                        *shadow = before; // where the condition does not hold, the copy goes on
                    }
                    let conflict = self.sift(pc, &before, &by, AccessKind::Write, conflict);
                    self.judge(index, pc, (AccessKind::Write, region, at), &by, Some(stored), conflict);
                }
            }
            self.signal_write((index, pc, lane), (region, offset, bytes), access.strength, None);
        }
    }

    /// The lanes that store the same value as `lane` to the same place with the present
    /// instruction. In whatever order they do it, memory holds that value afterwards; CUDA's
    /// programming guide says so (one of them is performed), and compilers rely on it.
    fn alike(&self, index: usize, batch: &Batch, src: Reg, lane: u32, doubled: bool) -> u32 {
        let alone = 1 << lane;
        if !doubled || !self.guards.is_empty() || self.options.same_value_stores_race {
            return alone;
        }
        let warp = &self.warps[index];
        let offset = batch.offsets[lane as usize];
        let same = lanes(batch.mask).filter(|other| batch.offsets[*other as usize] == offset);
        let same = same.fold(0, |lanes, other| lanes | 1 << other);
        let value = warp.get(src, lane);
        // What nobody wrote is never the same.
        let known = !matches!(value, Value::Undefined(_));
        if known && lanes(same).all(|other| warp.get(src, other) == value) { same } else { alone }
    }

    // ---- local memory ----------------------------------------------------------------------

    #[allow(clippy::too_many_arguments)]
    pub(super) fn local(
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
        cells.reach(offset as u64, kernel.local_bytes);
        cells.refine(&mut self.terms, granule_of(access.format));
        for element in 0..access.vector {
            let at = offset as u64 + u64::from(element) * u64::from(bytes);
            match kind {
                AccessKind::Read => {
                    let dst = kernel.dst(instr)[usize::from(element)];
                    let width = register_bits(&kernel.registers[dst.index()]);
                    let value = self.locals[thread].read(&mut self.terms, at, bytes);
                    let value = self.as_read((index, pc, lane), (None, at), bytes, value);
                    let value = extended(&mut self.terms, value, access.format, width);
                    self.warps[index].set(dst, lane, value);
                }
                AccessKind::Write => {
                    let src = kernel.src(instr)[1 + usize::from(element)];
                    let value = self.warps[index].get(src, lane);
                    let value = fit(&mut self.terms, value, bytes * 8);
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

/// A loaded symbol in a register: in a wider one it is what the load's own format makes of its bits.
pub(super) fn extend_symbol(terms: &mut Terms, value: Value, format: Format, width: u32) -> Value {
    let Value::Symbolic(symbol) = value else { return value };
    if width <= format.bits() {
        return value;
    }
    let signed = format.class() == FormatClass::Signed;
    let extends_alike = match symbol.kind {
        SymbolKind::Number(held) => signed == (held.class() == FormatClass::Signed),
        SymbolKind::Bits | SymbolKind::Condition => !signed,
    };
    if extends_alike || format.is_float() {
        return value;
    }
    let narrow = Format::ALL.into_iter().find(|narrow| {
        let class = if signed { FormatClass::Signed } else { FormatClass::Unsigned };
        narrow.class() == class && narrow.bits() == format.bits()
    });
    let Some(narrow) = narrow else { return value };
    match as_number(terms, narrow, value) {
        Some(number) => Value::Symbolic(Symbol::number(narrow, number)),
        None => Value::NEVER,
    }
}

/// A register's value as the low `bits` bits that a store moves.
pub(super) fn fit(terms: &mut Terms, value: Value, bits: u32) -> Value {
    let Value::Symbolic(symbol) = value else {
        return match value {
            Value::Concrete(word) => Value::Concrete(low_bits(word, bits)),
            incomplete => fitted(terms, incomplete, bits),
        };
    };
    match symbol.kind {
        SymbolKind::Number(format) if format.bits() == bits => value,
        SymbolKind::Number(format) if format.bits() > bits => slice(terms, value, format.bits(), 0, bits),
        SymbolKind::Number(format) if !format.is_float() => {
            let wide = resized(format, bits).unwrap_or(format);
            Value::Symbolic(Symbol::number(wide, terms.wrapped(format, symbol.term)))
        }
        SymbolKind::Number(_) | SymbolKind::Condition => match as_bits(terms, value, bits) {
            Some(pattern) => Value::Symbolic(Symbol::bits(pattern)),
            None => Value::NEVER,
        },
        SymbolKind::Bits => match super::bits::pattern_width(terms, symbol.term) {
            Some(width) if width > bits => slice(terms, value, width, 0, bits),
            _ => value,
        },
    }
}
