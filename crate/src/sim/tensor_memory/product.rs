//! Products in tensor memory, which one thread starts (`tcgen05.mma`; PTX ISA 9.0, 9.7.16.10), and their commits.
//!
//! A product is computed when it starts. What it reads in shared memory it reads through the asynchronous proxy, and
//! may read until its thread has committed it and the barrier object's phase has ended: until then that is a copy
//! under way (`copies`), afterwards the thread's agent has read it. A commit arrives at its object at once; whoever
//! waits for that phase knows of the agent.
//!
//! Scales of blocks lie in tensor memory, the byte of a row in lane r mod 32 of column r / 32, and once for each warp's
//! lanes: the manual has a figure of which copy is used where, so that the four have to be the same here.
//!
//! Where D is narrower than a column, the upper half of the column is undefined: the manual says what the lower half
//! is. Lanes of D that stay as they are (`disable-output-lane`) are not touched.
//!
//! Missed: that `tcgen05.commit` may publish what its thread has done in memory itself, which the manual does not
//! promise.

use super::Running;
use super::order::{Accumulator, Kind, Spot};
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::tensor_memory::{LANES, TensorProduct, TensorShapeOfProduct};
use crate::isa::{Fragment, Pairing, Part, PhaserOp, Product, Scales, Space};
use crate::sim::clock::{GLOBAL, SHARED};
use crate::sim::copies::{Extent, Flight};
use crate::sim::descriptor::{Descriptor, LINE};
use crate::sim::gaps::slice;
use crate::sim::machine::Machine;
use crate::sim::matrix::{Factor, Matrix};
use crate::sim::outcome::{AccessKind, FaultKind};
use crate::sim::race::lanes;
use crate::sim::trace::EventKind;
use crate::term::{Symbol, Value};
use num_bigint::BigInt;
use num_rational::BigRational;

/// What the ledger says of sums that saturate.
const IN_RANGE: &str = "sums of integers that tcgen05.mma would keep within 32 bits stay there";

/// Lanes that a warp reaches.
const REACH: u32 = LANES / 4;

/// A thread that starts a product: its warp, the instruction, its lane.
type Starter = (usize, u32, u32);

/// A product that is about to run.
struct Job<'w> {
    by: Starter,
    operation: u32,
    op: TensorProduct,
    shape: TensorShapeOfProduct,
    product: Product,
    /// The addresses of D, and of A in tensor memory.
    words: [u32; 2],
    /// Lanes of D that stay.
    masks: &'w [u64],
    /// D is added.
    adds: bool,
    /// The power of two by which it is divided first.
    scale: u64,
    /// What is read in shared memory.
    reads: Vec<Flight>,
}

impl<'a> Machine<'a> {
    /// What a thread gives a product; `None` after a fault.
    pub(super) fn operand(&mut self, (index, pc, lane): Starter, reg: Reg, what: &str) -> Option<u64> {
        if self.concrete_lanes(index, pc, 1 << lane, reg, what) == 0 {
            return None;
        }
        Some(self.warps[index].word(reg, lane))
    }

    pub(super) fn unsupported(&mut self, (index, pc, lane): Starter, why: String) {
        self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
    }

    /// A thread starts a product.
    pub(super) fn multiply_in_tensor_memory(&mut self, index: usize, pc: u32, lane: u32, op: TensorProduct) {
        self.started_product((index, pc, lane), op);
    }

    fn started_product(&mut self, by: Starter, op: TensorProduct) -> Option<()> {
        let (index, pc, lane) = by;
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut words = Vec::with_capacity(src.len());
        for reg in src {
            words.push(self.operand(by, *reg, "an operand of the product")?);
        }
        let shape = match op.kind.describe(words[3] as u32, op.blocks, op.pair) {
            Ok(shape) => shape,
            Err(why) => {
                self.unsupported(by, why);
                return None;
            }
        };
        if op.held && shape.turned[0] {
            self.unsupported(by, "a transposed A in tensor memory".to_owned());
            return None;
        }
        if op.held && shape.formats[0].is_below_byte() {
            let why = "floats of less than a byte in tensor memory, whose places are a figure";
            self.unsupported(by, why.to_owned());
            return None;
        }
        let rest = &words[4..];
        let (masks, rest) = rest.split_at(if op.masked { if op.pair { 8 } else { 4 } } else { 0 });
        if op.pair && masks.iter().any(|mask| *mask != 0) {
            let why =
                "lanes of D that stay as they are, in a pair of thread blocks: whose they are is not said";
            self.unsupported(by, why.to_owned());
            return None;
        }
        let scale = if op.scaled { rest[1] } else { 0 };
        if scale > 15 {
            self.unsupported(by, format!("a scale of D of 2^-{scale}; it goes from 0 to 15"));
            return None;
        }
        let (m, n, k) = (shape.m, shape.n, shape.k);
        let [a_format, b_format, d_format] = shape.formats;
        let place = |part: Part, n: u32, format: Format| {
            let bits = if part == Part::Sum { format.bits() as u8 } else { shape.place };
            Fragment::narrow(part, (m as u16, n as u16, k as u16), format, bits)
        };
        let product = Product {
            a: place(Part::A, n, a_format),
            b: place(Part::B, n, b_format),
            c: place(Part::Sum, n, d_format),
            d: place(Part::Sum, n, d_format),
            saturate: shape.saturate,
            pairing: Pairing::Multiply,
            sparsity: None,
            scales: None,
        };
        let address = words[0] as u32;
        let accumulator = Accumulator { address, kind: op.kind, shape: (m, n) };
        let operation = self.start_operation(index, pc, 1 << lane, Kind::Product(accumulator));
        let mut job = Job {
            by,
            operation,
            op,
            shape,
            product,
            words: [address, words[1] as u32],
            masks,
            adds: rest[0] & 1 == 1,
            scale,
            reads: Vec::new(),
        };
        let sides: &[bool] = if op.pair { &[false, true] } else { &[false] };
        // Each CTA of a pair has its columns of B.
        let own = place(Part::B, n / sides.len() as u32, b_format);
        let (mut b, mut of_b): (Option<Matrix>, Option<Vec<Value>>) = (None, None);
        for odd in sides {
            let reads = &mut job.reads;
            let half = self.in_side(op.pair, by, *odd, |machine| {
                machine.in_shared_memory(by, words[2], own, shape.turned[1], reads)
            })?;
            b = Some(match b {
                Some(first) => first.beside(half),
                None => half,
            });
            if let (Some((scales, [_, byte])), [.., address]) = (shape.scales, rest) {
                let from = (*address as u32, byte);
                let found = self.in_side(op.pair, by, *odd, |machine| {
                    machine.scales_in_columns(by, operation, scales, from, n)
                })?;
                if of_b.as_ref().is_some_and(|first| *first != found) {
                    let why = "scales of B that differ between the thread blocks of a pair".to_owned();
                    self.unsupported(by, why);
                    return None;
                }
                of_b = Some(found);
            }
        }
        let mut b = b?;
        if shape.negated[1] {
            b.negate(self);
        }
        let b = match (shape.scales, of_b) {
            (Some((scales, _)), Some(of_b)) => {
                let of_b = self.scales(index, pc, 1 << lane, scales, of_b)?;
                Factor::scaled(self, b, of_b, Part::B)
            }
            _ => Factor::new(self, b),
        };
        for odd in sides {
            let from = rest.get(1).copied().unwrap_or(0) as u32;
            let job = &mut job;
            self.in_side(op.pair, by, *odd, |machine| machine.rows_of_product(job, words[1], from, &b))?;
        }
        self.runs_until_committed(by, Running { operation, reads: job.reads });
        self.trace.event(index as u32, self.warps[index].step, 1 << lane, pc, EventKind::Copy);
        Some(())
    }

    /// Does something in a CTA of a product's pair, or in the one that there is.
    fn in_side<T>(&mut self, pair: bool, by: Starter, odd: bool, what: impl FnOnce(&mut Self) -> T) -> T {
        if pair { self.in_pair(by, odd, what) } else { what(self) }
    }

    /// The rows of D that one CTA has.
    fn rows_of_product(&mut self, job: &mut Job<'_>, a: u64, of_a: u32, b: &Factor) -> Option<()> {
        let Job { by, operation, op, shape, product, .. } = *job;
        let (index, pc, lane) = by;
        let d_format = shape.formats[2];
        let [address, held] = job.words;
        let d = self.rectangle(by, operation, &shape, address, shape.n)?;
        let mut a = match op.held {
            true => self.held(by, operation, &shape, (address, held))?,
            false => self.in_shared_memory(by, a, product.a, shape.turned[0], &mut job.reads)?,
        };
        if shape.negated[0] {
            a.negate(self);
        }
        let is_kept = |spot: &Spot| {
            let word = job.masks.get(spot.0 as usize / 32).copied().unwrap_or(0);
            word >> (spot.0 % 32) & 1 == 1
        };
        let a = match shape.scales {
            Some((scales, [byte, _])) => {
                let values = self.scales_in_columns(by, operation, scales, (of_a, byte), shape.m)?;
                let of_a = self.scales(index, pc, 1 << lane, scales, values)?;
                Factor::scaled(self, a, of_a, Part::A)
            }
            None => Factor::new(self, a),
        };
        let touched: Vec<Spot> = d.iter().copied().filter(|spot| !is_kept(spot)).collect();
        self.touch_tensor(index, operation, touched.into_iter(), AccessKind::Write);
        let c = match job.adds {
            true => {
                let scale = job.scale;
                let values =
                    d.iter().map(|spot| self.addend(by, *spot, d_format, scale)).collect::<Option<_>>()?;
                Matrix::new(shape.m as usize, shape.n as usize, d_format, values)
            }
            false => Matrix::zeros(product.c),
        };
        let result = self.product(pc, &product, (&a, b), c, None);
        let symbolic = result.values().iter().any(|value| matches!(value, Value::Symbolic(_)));
        if shape.saturate && symbolic {
            self.granted.entry(IN_RANGE).or_insert((0, pc)).0 += 1;
        }
        for (spot, value) in d.iter().zip(result.values()).filter(|(spot, _)| !is_kept(spot)) {
            let value = match d_format.bits() {
                32 => *value,
                _ => self.lower_half(*value),
            };
            self.set_cell(index, *spot, value);
        }
        Some(())
    }

    /// Something runs beside its thread from now on.
    pub(super) fn runs_until_committed(&mut self, (index, _, lane): Starter, running: Running) {
        for flight in &running.reads {
            flight.sources().for_each(|source| self.memory.regions[source.region()].flights += 1);
        }
        let thread = (self.warps[index].first() + lane) as usize;
        self.tensor_memory.running[thread].push(running);
    }

    /// The scales of so many lines, line by line, from a column on, of which the first of a line is in some byte.
    fn scales_in_columns(
        &mut self,
        by: Starter,
        operation: u32,
        scales: Scales,
        (address, byte): (u32, u32),
        lines: u32,
    ) -> Option<Vec<Value>> {
        let (index, pc, lane) = by;
        let (first, column) = (address >> 16, address & 0xffff);
        if first != 0 {
            self.unsupported(by, format!("scales of blocks from lane {first} of tensor memory on"));
            return None;
        }
        let columns = column..column + lines.div_ceil(REACH);
        if !self.columns_are_taken(index, operation, 1 << lane, columns, 0) {
            return None;
        }
        let place = move |line: u32, copy: u32| (line % REACH + copy * REACH, column + line / REACH);
        let spots = (0..lines).flat_map(|line| (0..LANES / REACH).map(move |copy| place(line, copy)));
        self.touch_tensor(index, operation, spots, AccessKind::Read);
        let mut values = Vec::with_capacity((lines * u32::from(scales.blocks)) as usize);
        for line in 0..lines {
            for block in 0..u32::from(scales.blocks) {
                let copies: [Value; 4] = std::array::from_fn(|copy| {
                    let word = self.cell(index, pc, lane, place(line, copy as u32));
                    slice(&mut self.terms, word, 32, (byte + block) * 8, 8)
                });
                let missing = copies.iter().find(|value| matches!(value, Value::Undefined(_)));
                if missing.is_none() && copies.iter().any(|value| *value != copies[0]) {
                    let why = "scales of blocks that differ between the lanes of the four warps".to_owned();
                    self.unsupported(by, why);
                    return None;
                }
                values.push(*missing.unwrap_or(&copies[0]));
            }
        }
        Some(values)
    }

    /// The places of a matrix in tensor memory with so many columns there, row by row.
    fn rectangle(
        &mut self,
        by: Starter,
        operation: u32,
        shape: &TensorShapeOfProduct,
        address: u32,
        columns: u32,
    ) -> Option<Vec<Spot>> {
        let (index, _, lane) = by;
        let (first, column) = (address >> 16, address & 0xffff);
        let fits = if shape.m == 64 { matches!(first, 0 | 16) } else { first == 0 };
        if !fits || first + shape.lane(shape.m - 1) >= LANES {
            let why = format!("a matrix of {} rows from lane {first} of tensor memory on", shape.m);
            self.unsupported(by, why);
            return None;
        }
        if !self.columns_are_taken(index, operation, 1 << lane, column..column + columns, first) {
            return None;
        }
        let rows = (0..shape.m).map(|row| first + shape.lane(row));
        Some(rows.flat_map(|lane| (column..column + columns).map(move |column| (lane, column))).collect())
    }

    /// A in tensor memory: a row in its lane, elements side by side in the columns.
    fn held(
        &mut self,
        by: Starter,
        operation: u32,
        shape: &TensorShapeOfProduct,
        (d, address): (u32, u32),
    ) -> Option<Matrix> {
        let (index, pc, lane) = by;
        if shape.m == 64 && d >> 16 != address >> 16 {
            let why =
                "matrices of 64 rows, A and D, that begin at different lanes of tensor memory".to_owned();
            self.unsupported(by, why);
            return None;
        }
        let format = shape.formats[0];
        let in_word = 32 / u32::from(shape.place);
        let spots = self.rectangle(by, operation, shape, address, shape.k / in_word)?;
        self.touch_tensor(index, operation, spots.iter().copied(), AccessKind::Read);
        let mut values = Vec::with_capacity(spots.len() * in_word as usize);
        for spot in spots {
            let word = self.cell(index, pc, lane, spot);
            for part in 0..in_word {
                values.push(slice(&mut self.terms, word, 32, part * u32::from(shape.place), format.bits()));
            }
        }
        Some(Matrix::new(shape.m as usize, shape.k as usize, format, values))
    }

    /// The matrix that a descriptor says, and what of shared memory it is.
    pub(super) fn in_shared_memory(
        &mut self,
        by: Starter,
        bits: u64,
        fragment: Fragment,
        turned: bool,
        reads: &mut Vec<Flight>,
    ) -> Option<Matrix> {
        let (index, pc, lane) = by;
        let descriptor = match Descriptor::of_tensor_memory(bits) {
            Ok(descriptor) => descriptor,
            Err(why) => {
                self.unsupported(by, why.to_owned());
                return None;
            }
        };
        let spots = self.lines((index, pc, 1 << lane), &descriptor, fragment, 0, turned)?;
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let mut regions: Vec<usize> = spots.iter().map(|(region, _)| *region).collect();
        regions.sort_unstable();
        regions.dedup();
        for region in regions {
            let here = spots.iter().filter(|(other, _)| *other == region);
            let mut runs: Vec<(u64, u64)> = here.map(|(_, offset)| (*offset, LINE)).collect();
            runs.sort_unstable();
            runs.dedup();
            // Lines side by side are one stretch.
            let mut joined: Vec<(u64, u64)> = Vec::with_capacity(runs.len());
            for (offset, bytes) in runs {
                match joined.last_mut() {
                    Some((from, count)) if *from + *count == offset => *count += bytes,
                    _ => joined.push((offset, bytes)),
                }
            }
            let extent = Extent::many(region, joined);
            self.read_for_product(by, &extent);
            let nothing = Extent::many(region, Vec::new());
            let step = self.warps[index].step;
            reads.push(Flight::new(nothing, Some(extent), (pc, epoch, step)));
        }
        self.elements((index, pc, lane), fragment, &spots, turned)
    }

    /// A product reads shared memory: finds what it is in a race with now. Who overwrites that later meets a copy under
    /// way, or the thread's agent.
    fn read_for_product(&mut self, (index, pc, lane): Starter, extent: &Extent) {
        self.read_for_copy(index, pc, lane, extent, false);
        let region = extent.region();
        if !self.memory.regions[region].watched {
            return;
        }
        let memory = if self.memory.regions[region].space == Space::Shared { SHARED } else { GLOBAL };
        let epoch = self.clocks.epoch(self.warps[index].first() + lane);
        let by = self.accessor(index, pc, 1 << lane, epoch);
        let kernel = self.kernel;
        let generic = |instr: u32| !crate::sim::atomics::is_bulk_update(kernel, instr);
        let granule = u64::from(self.memory.regions[region].cells.granule());
        for at in extent.granules(granule) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let unfenced = self.detector.unfenced(&self.clocks, shadow, &by, memory, generic);
            if let Some(unfenced) = unfenced {
                self.judge(index, pc, (AccessKind::Read, region, at), &by, None, Some(unfenced));
            }
        }
    }

    /// An element of D, as it is added; `None` after a fault.
    fn addend(&mut self, by: Starter, spot: Spot, format: Format, scale: u64) -> Option<Value> {
        let (index, pc, lane) = by;
        let cell = self.cell(index, pc, lane, spot);
        let value = match format.bits() {
            32 => cell,
            bits => slice(&mut self.terms, cell, 32, 0, bits),
        };
        if scale == 0 {
            return Some(value);
        }
        match (value, format) {
            (Value::Symbolic(_), _) => {
                let number = self.number(format, value)?;
                let part = BigRational::new(BigInt::from(1), BigInt::from(1u32 << scale));
                let part = self.terms.rational(part);
                let number = self.terms.mul(number, part);
                Some(Value::Symbolic(Symbol::number(format, number)))
            }
            (Value::Concrete(bits), Format::F32) => {
                let number = f32::from_bits(bits as u32) / (1u32 << scale) as f32;
                Some(Value::Concrete(u64::from(number.to_bits())))
            }
            _ => {
                self.unsupported(
                    by,
                    "a scale of D where D is not all there, or is concrete in f16".to_owned(),
                );
                None
            }
        }
    }

    /// Barrier objects will count an arrival once each lane's products so far are over.
    pub(super) fn commit_products(&mut self, index: usize, pc: u32, mask: u32) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the commit");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let ranks = src.get(1).map(|reg| self.warps[index].word(*reg, lane));
            let targets =
                self.destinations(index, pc, lane, ((addresses[lane as usize], None), false), ranks);
            let count = targets.len();
            let op = PhaserOp::Arrive { drop: false, relaxed: false, expects: false };
            let objects: Vec<u64> = targets
                .into_iter()
                .map_while(|(address, _)| self.object(index, pc, lane, op, address))
                .collect();
            if objects.is_empty() || objects.len() < count {
                continue;
            }
            let thread = self.warps[index].first() + lane;
            let is_late =
                |address: &u64| !self.follows_last_phase(*address, thread) || self.waits_for_bytes(*address);
            if objects.iter().any(is_late) {
                self.depends(index, pc, lane, "which phase this arrival counts for");
                continue;
            }
            let agent = self.block + thread;
            let (epoch, now) = (self.clocks.epoch(agent), self.clocks.stamp(thread));
            let running = std::mem::take(&mut self.tensor_memory.running[thread as usize]);
            for flight in running.iter().flat_map(|one| &one.reads) {
                self.clocks.stand_for(agent, Some(&now));
                self.has_read(thread, flight, agent, epoch);
                self.clocks.stand_for(agent, None);
                flight.sources().for_each(|source| self.memory.regions[source.region()].flights -= 1);
            }
            if let Some(one) = running.first() {
                let (step, instr) = one.reads.first().map_or((self.warps[index].step, pc), Flight::began);
                self.trace_flight(thread, step, instr);
            }
            let arrival = self.clocks.commit_for(agent, thread);
            for one in running {
                self.committed(one.operation, agent, arrival.epoch());
            }
            for address in objects {
                self.arrive_counted(index, pc, lane, address, arrival.clone());
            }
        }
    }
}
