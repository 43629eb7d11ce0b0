//! Tensor cores: matrices that a warp holds, loads, stores and multiplies together.
//!
//! All 32 lanes execute the same instruction. A matrix that is loaded or stored is an access by the
//! whole warp: the manual does not say which lane touches which byte, so whoever else touches it
//! must be ordered with every lane. By themselves these instructions order nothing, unless the
//! option `collectives_order_memory` asks for the paper's reading (see `collective`).
//!
//! A product over the reals is a chain of multiply-adds in the order of k. On concrete numbers alone
//! it is computed; integers wrap or saturate as the manual says.

mod scales;

use super::bits::{as_operand, concat, extended_to, mask, plain, slice};
use super::ends;
use super::gaps::{lacking, spread};
use super::machine::Machine;
use super::memory::Spot;
use super::outcome::{AccessKind, FaultKind};
use super::pages::PAGE_BYTES;
use super::race::{Hand, lanes};
use super::trace::EventKind;
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::{
    self, Access, CopyOp, Effect, Fragment, Lanes, MatrixOp, Part, Product, Space, Sparsity, Stored,
    Strength, TensorMemoryOp, Tiles, WARP, sparsity,
};
use crate::term::{Missing, Symbol, Term, Terms, Value};

/// Bytes in a row of an 8×8 matrix of 16-bit elements.
const ROW: u32 = 16;

impl<'a> Machine<'a> {
    /// Executes a matrix instruction for all lanes of a warp.
    pub(super) fn matrix(&mut self, index: usize, pc: u32, op: MatrixOp) {
        match op {
            MatrixOp::Multiply(product) => self.multiply(index, pc, &product),
            MatrixOp::LoadTiles(tiles) => self.load_tiles(index, pc, tiles),
            MatrixOp::StoreTiles(tiles) => self.store_tiles(index, pc, tiles),
            MatrixOp::Transpose => self.transpose(index, pc),
            MatrixOp::Load(stored) => self.load_fragment(index, pc, stored),
            MatrixOp::Store(stored) => self.store_fragment(index, pc, stored),
            MatrixOp::Warpgroup(op) => self.warpgroup(index, pc, op),
        }
    }

    // ---- products --------------------------------------------------------------------------

    fn multiply(&mut self, index: usize, pc: u32, product: &Product) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let (left, rest) = src.split_at(product.a.registers.into());
        let (right, rest) = rest.split_at(product.b.registers.into());
        let (sum, rest) = rest.split_at(product.c.registers.into());
        let Some(a) = self.gather(index, pc, product.a, left) else { return };
        let Some(b) = self.gather(index, pc, product.b, right) else { return };
        let Some(c) = self.gather(index, pc, product.c, sum) else { return };
        let mut columns: Option<Vec<usize>> = None;
        if let (Some(Sparsity { ordered }), [metadata, selector]) = (product.sparsity, rest) {
            columns = self.columns(index, pc, product.a, ordered, *metadata, *selector);
            if columns.is_none() {
                return;
            }
        }
        let factors = match (product.scales, rest) {
            (Some(scales), [a_data, a_byte, a_lane, b_data, b_byte, b_lane]) => {
                let by = (index, pc);
                let of_a = self.held_scales(by, scales, Part::A, [*a_data, *a_byte, *a_lane]);
                let Some(of_a) = of_a else { return };
                let of_b = self.held_scales(by, scales, Part::B, [*b_data, *b_byte, *b_lane]);
                let Some(of_b) = of_b else { return };
                [Factor::scaled(self, a, of_a, Part::A), Factor::scaled(self, b, of_b, Part::B)]
            }
            _ => [a, b].map(|matrix| Factor::new(self, matrix)),
        };
        let [a, b] = &factors;
        let result = self.product(pc, product, (a, b), c, columns.as_deref());
        self.scatter(index, product.d, dst, &result);
    }

    /// A · B + C; of a sparse A the columns of the full matrix are given.
    pub(super) fn product(
        &mut self,
        pc: u32,
        product: &Product,
        (left, right): (&Factor, &Factor),
        mut c: Matrix,
        columns: Option<&[usize]>,
    ) -> Matrix {
        let lacks = [&left.lacks, &right.lacks, &c.complete(&self.terms)];
        let (a, b) = (&left.matrix, &right.matrix);
        let (rows, depth, cols) = (c.rows, a.cols, c.cols);
        self.charge((rows * depth * cols) as u64 / ends::PRODUCTS);
        let addends = c.addends(self);
        let concrete = |value: &Value| matches!(value, Value::Concrete(_));
        let rows_known: Vec<bool> =
            a.values.chunks(depth.max(1)).map(|row| row.iter().all(concrete)).collect();
        let some_known = b.values.iter().any(concrete);
        let mut result = Matrix { rows, cols, format: product.d.format, values: Vec::new() };
        let mut symbolic = false;
        for (row, all_known) in rows_known.iter().enumerate() {
            for col in 0..cols {
                let at = row * cols + col;
                let column = product.column(row, col);
                let pairs = (0..depth).map(|k| {
                    let left = row * depth + k;
                    let k = columns.map_or(k, |columns| columns[left]);
                    (left, k * b.cols + column)
                });
                let known = match *all_known && some_known {
                    true => concrete_pairs(a, b, pairs.clone()),
                    false => None,
                };
                if let (Value::Concrete(addend), Some((xs, ys))) = (c.values[at], &known)
                    && let Some(factors) = scales::factors((left, row), (right, column))
                {
                    let element = isa::multiply(product, xs, ys, &factors, addend);
                    result.values.push(Value::Concrete(element));
                    continue;
                }
                symbolic = true;
                if let Some((xs, ys)) = known.filter(|_| !product.d.format.is_float()) {
                    // Narrow elements have no terms; their sum is a constant like any other.
                    let sum = isa::multiply(&Product { saturate: false, ..*product }, &xs, &ys, &[], 0);
                    let sum = self.terms.number(product.d.format, sum);
                    let term = self.terms.add(addends[at], sum);
                    result.values.push(Value::Symbolic(Symbol::number(product.d.format, term)));
                    continue;
                }
                let mut term = addends[at];
                for (x, y) in pairs {
                    term = self.terms.fma(left.numbers[x], right.numbers[y], term);
                }
                self.terms.note_float(product.d.format, term);
                result.values.push(Value::Symbolic(Symbol::number(product.d.format, term)));
            }
        }
        if symbolic {
            self.symbolic_uses[pc as usize] += WARP as u64;
        }
        if lacks.iter().any(|lacks| !lacks.is_empty()) {
            // What one factor lacks, all sums lack that it goes into.
            for at in 0..rows * cols {
                let (row, column) = (at / cols, product.column(at / cols, at % cols));
                let missing = lacks[0].iter().filter(|(place, _)| place / depth == row);
                let missing = missing.chain(lacks[1].iter().filter(|(place, _)| place % b.cols == column));
                let missing = missing.chain(lacks[2].iter().filter(|(place, _)| *place == at));
                let missing: Vec<Missing> = missing.map(|(_, missing)| *missing).collect();
                let missing = spread(&missing, mask(u64::MAX, product.d.format.bits()));
                result.values[at] = lacking(&mut self.terms, result.values[at], missing, product.d.format);
            }
        }
        result
    }

    /// The column of the full matrix for each element of a sparse one; `None` after a fault.
    pub(super) fn columns(
        &mut self,
        index: usize,
        pc: u32,
        a: Fragment,
        ordered: bool,
        metadata: Reg,
        selector: Reg,
    ) -> Option<Vec<usize>> {
        let all = u32::MAX;
        if self.concrete_lanes(index, pc, all, selector, "the sparsity selector") != all {
            return None;
        }
        let selectors = self.warps[index].lanes(selector).map(|lane| lane as u32);
        let (selected, givers) = (selectors[0], sparsity::givers(a));
        if selectors.iter().any(|other| *other != selected) || selected >= 4 / givers {
            let why = format!("the sparsity selector {selected} is undefined for this shape and type");
            self.park(index, all, pc, FaultKind::Unsupported(why));
            return None;
        }
        let first = selected * givers;
        let giving = 0x1111_1111 * (((1 << givers) - 1) << first);
        if self.concrete_lanes(index, pc, giving, metadata, "the metadata of a sparse matrix") != giving {
            return None;
        }
        let words = self.warps[index].lanes(metadata);
        let mut columns = Vec::with_capacity(usize::from(a.rows) * usize::from(a.cols));
        for row in 0..u32::from(a.rows) {
            for col in 0..u32::from(a.cols) {
                let (word, bit) = sparsity::place(a, row, col);
                let lane = row % 8 * 4 + first + word;
                let bits = (words[lane as usize] >> bit) as u32 & 0xf;
                let Some(column) = sparsity::column(a, ordered, bits, col) else {
                    let why = format!("metadata 0b{bits:04b} of row {row} is undefined");
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                    return None;
                };
                columns.push(column as usize);
            }
        }
        Some(columns)
    }

    /// The matrix that the lanes hold; `None` after a fault.
    pub(super) fn gather(
        &mut self,
        index: usize,
        pc: u32,
        fragment: Fragment,
        regs: &[Reg],
    ) -> Option<Matrix> {
        let (rows, cols) = (usize::from(fragment.rows), usize::from(fragment.cols));
        let mut values: Vec<Option<Value>> = vec![None; rows * cols];
        let packed = fragment.packed();
        let width = u32::from(fragment.bits);
        let (low, own) = fragment.within();
        for (number, reg) in regs.iter().enumerate() {
            let warp = &self.warps[index];
            let partly = |lane: &u32| {
                let present = self.terms.present(warp.get(*reg, *lane));
                matches!(present, Value::Symbolic(_))
            };
            let symbolic = warp.symbolic(*reg)
                | lanes(warp.undefined(*reg)).filter(partly).fold(0, |all, lane| all | 1 << lane);
            if width < 8 && !fragment.format.is_float() && symbolic != 0 {
                let why = format!(
                    "symbolic integers of {width} bits have no meaning yet; give the tensor contents in the spec"
                );
                self.park(index, symbolic, pc, FaultKind::Unsupported(why));
                return None;
            }
            for lane in 0..WARP as u32 {
                let value = self.warps[index].get(*reg, lane);
                for within in 0..packed {
                    let part = slice(&mut self.terms, value, packed * width, within * width + low, own);
                    let (row, col) = fragment.place(lane, number as u32 * packed + within);
                    let place = &mut values[row as usize * cols + col as usize];
                    if place.is_some_and(|place| place != part) {
                        let why = "lanes hold different copies of one matrix element: the layout of a wmma fragment is unspecified, so work on it must treat all elements alike";
                        self.park(index, u32::MAX, pc, FaultKind::Unsupported(why.to_owned()));
                        return None;
                    }
                    *place = Some(part);
                }
            }
        }
        let values = values.into_iter().map(|value| value.unwrap_or(Value::NEVER)).collect();
        Some(Matrix { rows, cols, format: fragment.format, values })
    }

    /// Gives the lanes their elements of a matrix.
    pub(super) fn scatter(&mut self, index: usize, fragment: Fragment, regs: &[Reg], matrix: &Matrix) {
        let packed = fragment.packed();
        for (number, reg) in regs.iter().enumerate() {
            for lane in 0..WARP as u32 {
                let mut parts = [Value::NEVER; 4];
                for within in 0..packed {
                    let (row, col) = fragment.place(lane, number as u32 * packed + within);
                    parts[within as usize] = matrix.values[row as usize * matrix.cols + col as usize];
                }
                let value = self.pack_parts(&parts[..packed as usize], fragment.register_bits());
                self.warps[index].set(*reg, lane, value);
            }
        }
    }

    pub(super) fn pack_parts(&mut self, parts: &[Value], width: u32) -> Value {
        match parts {
            [one] => *one,
            _ => {
                let (low, high) = parts.split_at(parts.len() / 2);
                let (low, high) = (self.pack_parts(low, width / 2), self.pack_parts(high, width / 2));
                concat(&mut self.terms, low, high, width)
            }
        }
    }

    // ---- 8×8 tiles -------------------------------------------------------------------------

    fn load_tiles(&mut self, index: usize, pc: u32, tiles: Tiles) {
        let kernel = self.kernel;
        let Some(rows) = self.rows(index, pc, tiles, AccessKind::Read) else { return };
        for (number, reg) in kernel.dst(&kernel.code[pc as usize]).iter().enumerate() {
            for lane in 0..WARP as u32 {
                let (outer, inner) = (lane / 4, lane % 4 * 2);
                let value = if tiles.unpacked > 0 {
                    self.unpacked((index, pc, lane), rows[number * 8 + outer as usize], tiles.unpacked.into())
                } else if tiles.transposed {
                    let [low, high] = [0, 1].map(|next| {
                        self.piece_read(
                            (index, pc, lane),
                            rows[number * 8 + (inner + next) as usize],
                            outer * 2,
                            2,
                        )
                    });
                    concat(&mut self.terms, low, high, 32)
                } else {
                    self.piece_read((index, pc, lane), rows[number * 8 + outer as usize], inner * 2, 4)
                };
                self.warps[index].set(*reg, lane, value);
            }
        }
    }

    /// Four of sixteen elements of a row, each at the low end of a byte.
    fn unpacked(&mut self, by: (usize, u32, u32), row: (usize, u64), own: u32) -> Value {
        let first = by.2 % 4 * 4;
        let bytes: [Value; 4] = std::array::from_fn(|at| {
            let value = self.below_byte(by, row, own, first + at as u32);
            extended_to(&mut self.terms, value, own, 8)
        });
        self.pack_parts(&bytes, 32)
    }

    fn store_tiles(&mut self, index: usize, pc: u32, tiles: Tiles) {
        let kernel = self.kernel;
        let Some(rows) = self.rows(index, pc, tiles, AccessKind::Write) else { return };
        for (number, reg) in kernel.src(&kernel.code[pc as usize])[1..].iter().enumerate() {
            for lane in 0..WARP as u32 {
                let value = self.warps[index].get(*reg, lane);
                let (outer, inner) = (lane / 4, lane % 4 * 2);
                if tiles.transposed {
                    for half in 0..2 {
                        let part = slice(&mut self.terms, value, 32, half * 16, 16);
                        let (region, offset) = rows[number * 8 + (inner + half) as usize];
                        self.put((index, pc, lane), region, offset + u64::from(outer) * 2, 2, part);
                    }
                } else {
                    let (region, offset) = rows[number * 8 + outer as usize];
                    self.put((index, pc, lane), region, offset + u64::from(inner) * 2, 4, value);
                }
            }
        }
    }

    /// Where the rows of the tiles are, checked and entered as accesses of the whole warp.
    fn rows(&mut self, index: usize, pc: u32, tiles: Tiles, kind: AccessKind) -> Option<Vec<(usize, u64)>> {
        let addresses = self.addresses(index, pc, u32::MAX)?;
        let format = if tiles.transposed && kind == AccessKind::Write { Format::B16 } else { Format::B32 };
        let access = Access {
            space: tiles.space,
            format,
            vector: (ROW / format.bytes()) as u8,
            strength: Strength::Weak,
        };
        let count = u32::from(tiles.count) * 8;
        let mut rows = Vec::with_capacity(count as usize);
        for lane in 0..count {
            let address = addresses[lane as usize];
            let Some(spot) = self.spot(index, pc, lane, access, kind, address, ROW) else {
                self.halt(index, u32::MAX);
                return None;
            };
            rows.push(spot);
        }
        self.trace_matrix(index, pc, kind, rows.first()?.0);
        for (region, offset) in &rows {
            self.touch(index, pc, kind, *region, *offset, ROW);
        }
        Some(rows)
    }

    fn transpose(&mut self, index: usize, pc: u32) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        let values: [Value; WARP] = std::array::from_fn(|lane| self.warps[index].get(src, lane as u32));
        for lane in 0..WARP as u32 {
            let (row, col) = (lane / 4, lane % 4 * 2);
            let halves = [0, 1].map(|next| {
                let from = (col + next) * 4 + row / 2;
                slice(&mut self.terms, values[from as usize], 32, row % 2 * 16, 16)
            });
            let value = concat(&mut self.terms, halves[0], halves[1], 32);
            self.warps[index].set(dst, lane, value);
        }
    }

    // ---- wmma fragments in memory ----------------------------------------------------------

    fn load_fragment(&mut self, index: usize, pc: u32, stored: Stored) {
        let kernel = self.kernel;
        let Some(places) = self.fragment_places(index, pc, stored, AccessKind::Read) else { return };
        let fragment = in_memory(stored.fragment);
        let bytes = fragment.format.bytes();
        let mut values = Vec::with_capacity(places.len());
        for (region, offset) in &places {
            values.push(self.piece_read((index, pc, 0), (*region, *offset), 0, bytes));
        }
        let (rows, cols) = (fragment.rows.into(), fragment.cols.into());
        let matrix = Matrix { rows, cols, format: fragment.format, values };
        self.scatter(index, fragment, kernel.dst(&kernel.code[pc as usize]), &matrix);
    }

    fn store_fragment(&mut self, index: usize, pc: u32, stored: Stored) {
        let kernel = self.kernel;
        let regs = &kernel.src(&kernel.code[pc as usize])[1..1 + usize::from(stored.fragment.registers)];
        let Some(matrix) = self.gather(index, pc, stored.fragment, regs) else { return };
        let Some(places) = self.fragment_places(index, pc, stored, AccessKind::Write) else { return };
        for ((region, offset), value) in places.into_iter().zip(matrix.values) {
            self.put((index, pc, 0), region, offset, stored.fragment.format.bytes(), value);
        }
    }

    /// Where the elements of a fragment are, row by row.
    fn fragment_places(
        &mut self,
        index: usize,
        pc: u32,
        stored: Stored,
        kind: AccessKind,
    ) -> Option<Vec<(usize, u64)>> {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let Fragment { rows, cols, format, .. } = in_memory(stored.fragment);
        let (lines, length) = if stored.column { (cols, rows) } else { (rows, cols) };
        let addresses = self.addresses(index, pc, u32::MAX)?;
        let element = u64::from(stored.fragment.bits);
        let mut stride = u64::from(length) * u64::from(format.bits()) / element;
        let registers = if kind == AccessKind::Write { usize::from(stored.fragment.registers) } else { 0 };
        let mut uniform = addresses.iter().all(|address| *address == addresses[0]);
        if let Some(reg) = kernel.src(instr).get(1 + registers).copied() {
            if self.concrete_lanes(index, pc, u32::MAX, reg, "the stride") != u32::MAX {
                return None;
            }
            let strides = self.warps[index].lanes(reg);
            uniform &= strides.iter().all(|other| *other as u32 == strides[0] as u32);
            stride = u64::from(strides[0] as u32);
        }
        if !uniform {
            let why = "address and stride of a wmma fragment must be the same in all lanes".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return None;
        }
        // Strides count elements, also those of less than a byte.
        if stride.wrapping_mul(element) % 8 != 0 {
            let why =
                "the stride of a wmma fragment of narrow elements must be a number of whole bytes".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return None;
        }
        let bytes = u64::from(format.bytes());
        let held = u32::from(stored.fragment.registers) * stored.fragment.register_bits() / 8;
        let total = format.bytes() * u32::from(length);
        let access = Access { space: stored.space, format, vector: 1, strength: Strength::Weak };
        let mut starts = Vec::with_capacity(lines.into());
        for line in 0..u64::from(lines) {
            let address = addresses[0].wrapping_add(line.wrapping_mul(stride).wrapping_mul(element) / 8);
            // The manual wants each line aligned to the fragment's bytes; CUDA promises less for
            // the lines after the first (16 bytes), and real kernels pad by that.
            let align = if line == 0 { held.min(32) } else { held.min(16) };
            let spot = self.aligned_spot(index, pc, 0, access, kind, address, total, align);
            let Some(spot) = spot else {
                self.halt(index, u32::MAX);
                return None;
            };
            starts.push(spot);
        }
        self.trace_matrix(index, pc, kind, starts.first()?.0);
        for (region, offset) in &starts {
            self.touch(index, pc, kind, *region, *offset, total);
        }
        let mut places = Vec::with_capacity(usize::from(rows) * usize::from(cols));
        for row in 0..usize::from(rows) {
            for col in 0..usize::from(cols) {
                let (line, along) = if stored.column { (col, row) } else { (row, col) };
                let (region, offset) = starts[line];
                places.push((region, offset + along as u64 * bytes));
            }
        }
        Some(places)
    }

    // ---- memory ----------------------------------------------------------------------------

    /// The addresses that lanes give in source 0; `None` after a fault.
    pub(super) fn addresses(&mut self, index: usize, pc: u32, mask: u32) -> Option<Lanes> {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let base = kernel.src(instr)[0];
        if self.concrete_lanes(index, pc, mask, base, "the address") != mask {
            return None;
        }
        let narrow = self.is_narrow(base);
        Some(self.warps[index].lanes(base).map(|address| {
            let address = address.wrapping_add(instr.offset as u64);
            if narrow { address & 0xffff_ffff } else { address }
        }))
    }

    #[allow(clippy::too_many_arguments)]
    fn spot(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        access: Access,
        kind: AccessKind,
        address: u64,
        bytes: u32,
    ) -> Option<(usize, u64)> {
        self.aligned_spot(index, pc, lane, access, kind, address, bytes, bytes)
    }

    /// Region and offset of `bytes` bytes at an address; stops the lane where there are none.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn aligned_spot(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        access: Access,
        kind: AccessKind,
        address: u64,
        bytes: u32,
        align: u32,
    ) -> Option<(usize, u64)> {
        let place = self.place(access, address);
        match self.memory.locate(access.space, address) {
            Spot::Region(region, offset) => {
                if !offset.unsigned_abs().is_multiple_of(u64::from(align)) {
                    self.park(index, 1 << lane, pc, FaultKind::Misaligned(kind, place, align));
                    return None;
                }
                if !self.fits(index, pc, lane, kind, access, (region, offset, address), bytes, 1) {
                    return None;
                }
                self.prepare_at(region, offset as u64, bytes, access, kind);
                // Copies may reach over several pages.
                let pages = (offset as u64 + PAGE_BYTES..offset as u64 + u64::from(bytes))
                    .step_by(PAGE_BYTES as usize)
                    .chain([offset as u64 + u64::from(bytes.max(1)) - 1]);
                self.memory.touch(self.kernel, self.setup, &mut self.terms, region, pages);
                let effect = &self.kernel.code[pc as usize].effect;
                let its_own = matches!(
                    effect,
                    Effect::Phaser(_)
                        | Effect::Copy(CopyOp::Arrive { .. })
                        | Effect::TensorMemory(TensorMemoryOp::Commit { .. })
                ) || matches!(effect, Effect::Copy(op) if op.bulk().is_some())
                    && bytes == super::phaser::BYTES
                    && kind == AccessKind::Read;
                if !its_own && self.over_object(index, pc, lane, (region, offset as u64, bytes.into())) {
                    return None;
                }
                if let Some(rank) = self.memory.other_rank(region) {
                    self.note_remote(index, pc, 1 << lane, rank);
                }
                Some((region, offset as u64))
            }
            Spot::Local(_) => {
                let why = "matrices and copies in local memory are not supported".to_owned();
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                None
            }
            Spot::Nowhere => {
                self.park(index, 1 << lane, pc, FaultKind::OutOfBounds(kind, place));
                None
            }
        }
    }

    /// The same as a lane reads it.
    pub(super) fn piece_read(
        &mut self,
        reader: (usize, u32, u32),
        (region, offset): (usize, u64),
        at: u32,
        bytes: u32,
    ) -> Value {
        let value = self.piece((region, offset), at, bytes);
        self.as_read(reader, (Some(region), offset + u64::from(at)), bytes, value)
    }

    /// Part of what is stored from a place on, whatever the granules there.
    pub(super) fn piece(&mut self, (region, offset): (usize, u64), at: u32, bytes: u32) -> Value {
        let cells = &self.memory.regions[region].cells;
        let offset = offset + u64::from(at);
        let granule = cells.granule();
        if granule <= bytes {
            return cells.read(&mut self.terms, offset, bytes);
        }
        let within = (offset % u64::from(granule)) as u32;
        let whole = cells.read(&mut self.terms, offset - u64::from(within), granule);
        slice(&mut self.terms, whole, granule * 8, within * 8, bytes * 8)
    }

    /// Stores a value; the region's granules are fine enough.
    pub(super) fn put(
        &mut self,
        writer: (usize, u32, u32),
        region: usize,
        offset: u64,
        bytes: u32,
        value: Value,
    ) {
        self.note_stored(writer, (region, offset), value);
        let changed = self.memory.regions[region].cells.write(&mut self.terms, offset, bytes, value);
        self.changes += u64::from(changed);
    }

    fn trace_matrix(&mut self, index: usize, pc: u32, kind: AccessKind, region: usize) {
        let shared = self.memory.regions[region].space == Space::Shared;
        let step = self.warps[index].step;
        self.trace.event(index as u32, step, u32::MAX, pc, EventKind::access(kind, shared));
    }

    /// The whole warp accesses bytes of a region.
    pub(super) fn touch(
        &mut self,
        index: usize,
        pc: u32,
        kind: AccessKind,
        region: usize,
        offset: u64,
        bytes: u32,
    ) {
        if !self.memory.regions[region].watched {
            return;
        }
        let first = self.warps[index].first();
        self.clocks.align(first..first + WARP as u32);
        let by = self.accessor(index, pc, u32::MAX, self.clocks.epoch(first));
        if kind == AccessKind::Write && self.memory.regions[region].flights > 0 {
            self.write_under_copies(index, pc, 0, region, offset, bytes);
        }
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let start = offset / granule * granule;
        for at in (start..offset + u64::from(bytes)).step_by(granule as usize) {
            let shadow = self.memory.regions[region].shadow_at(at);
            let conflict = match kind {
                AccessKind::Read => self.detector.read(&self.clocks, shadow, &by),
                AccessKind::Write | AccessKind::Atomic => {
                    self.detector.write(&self.clocks, shadow, &by, Hand::Warp)
                }
            };
            self.judge(index, pc, (kind, region, at), &by, None, conflict);
        }
    }
}

/// A matrix of values, row by row.
pub(super) struct Matrix {
    rows: usize,
    cols: usize,
    format: Format,
    values: Vec<Value>,
}

impl Matrix {
    /// One of such values.
    pub(super) fn new(rows: usize, cols: usize, format: Format, values: Vec<Value>) -> Matrix {
        Matrix { rows, cols, format, values }
    }

    /// With another one's columns behind its own.
    pub(super) fn beside(self, other: Matrix) -> Matrix {
        let rows = self.values.chunks(self.cols).zip(other.values.chunks(other.cols));
        let values = rows.flat_map(|(own, theirs)| own.iter().chain(theirs).copied()).collect();
        Matrix { cols: self.cols + other.cols, values, ..self }
    }

    /// Its values, row by row.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Zeros.
    pub(super) fn zeros(like: Fragment) -> Matrix {
        let (rows, cols) = (usize::from(like.rows), usize::from(like.cols));
        Matrix { rows, cols, format: like.format, values: vec![Value::Concrete(0); rows * cols] }
    }

    /// Changes the sign of each float.
    pub(super) fn negate(&mut self, machine: &mut Machine<'_>) {
        let sign = 1 << (self.format.bits() - 1);
        for value in &mut self.values {
            *value = match machine.number(self.format, *value) {
                _ if matches!(value, Value::Undefined(_)) => *value,
                Some(term) if matches!(value, Value::Symbolic(_)) => {
                    Value::Symbolic(Symbol::number(self.format, machine.terms.neg(term)))
                }
                _ => match *value {
                    Value::Concrete(bits) => Value::Concrete(bits ^ sign),
                    other => other,
                },
            };
        }
    }

    /// Leaves of each element what is there, and says what is missing, and of which element.
    fn complete(&mut self, terms: &Terms) -> Vec<(usize, Missing)> {
        let mut lacks = Vec::new();
        for (at, value) in self.values.iter_mut().enumerate() {
            if let Value::Undefined(_) = value {
                lacks.extend(terms.missing(*value).iter().map(|missing| (at, *missing)));
                *value = terms.present(*value);
            }
        }
        lacks
    }

    /// Values that products are added to: integers of any size, modulo 2ⁿ.
    fn addends(&self, machine: &mut Machine<'_>) -> Vec<Term> {
        if self.format.is_float() {
            return self.numbers(machine);
        }
        let number =
            |value: &Value| as_operand(&mut machine.terms, plain(self.format), *value).unwrap_or(Term::ZERO);
        self.values.iter().map(number).collect()
    }

    /// Its elements as numbers (nothing is undefined).
    fn numbers(&self, machine: &mut Machine<'_>) -> Vec<Term> {
        let number = |value: &Value| machine.number(self.format, *value).unwrap_or(Term::ZERO);
        self.values.iter().map(number).collect()
    }
}

/// A matrix that is multiplied with another.
pub(super) struct Factor {
    matrix: Matrix,
    /// What is missing, and of which element.
    lacks: Vec<(usize, Missing)>,
    numbers: Vec<Term>,
    /// What the blocks of each line are multiplied with, line by line.
    scales: Option<Matrix>,
}

impl Factor {
    /// That of some values.
    pub(super) fn new(machine: &mut Machine<'_>, mut matrix: Matrix) -> Factor {
        let lacks = matrix.complete(&machine.terms);
        let numbers = matrix.numbers(machine);
        Factor { matrix, lacks, numbers, scales: None }
    }
}

/// The factors of one element of a product, if all are concrete.
fn concrete_pairs(
    a: &Matrix,
    b: &Matrix,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut xs, mut ys) = (Vec::with_capacity(32), Vec::with_capacity(32));
    for (x, y) in pairs {
        let (Value::Concrete(x), Value::Concrete(y)) = (a.values[x], b.values[y]) else { return None };
        xs.push(x);
        ys.push(y);
    }
    Some((xs, ys))
}

/// A fragment as memory holds it: elements of less than a byte as words.
fn in_memory(fragment: Fragment) -> Fragment {
    if fragment.bits < 8 { fragment.words() } else { fragment }
}
