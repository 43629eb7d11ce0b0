//! Asynchronous products of a warpgroup (`wgmma`; PTX ISA 9.0, 9.7.15).
//!
//! A warpgroup is four warps, the first of which has a number that is a multiple of 4. Each starts its part of a
//! product, sixteen rows, and the product runs once all four have started it; so a wait for a group of products does not
//! end before all four have closed that group. They must start the same products, one after the other.
//!
//! A product is computed when a warp starts its part, and may run until a warp has waited for its group:
//!
//! - what it reads in shared memory it reads through the asynchronous proxy, like bulk copies (`bulk`): what threads have
//!   written there themselves needs a proxy fence on the way, and who overwrites it must come after the wait of
//!   *some* warp, because the four parts are one operation. The warpgroup has a clock of its own, which stands
//!   for that: its epochs are the groups;
//! - that it has ended says that all four warps have come so far as to close its group, which tells phases of barrier
//!   objects apart, and nothing of what they have written;
//! - its accumulators may not be touched until then, except by the next products of the same shape, nor may registers
//!   that it takes A from be written. Copies of registers are no accesses: compilers put them anywhere, and the value that
//!   is copied is in flight as well;
//! - what has been written to its registers before must lie behind a `wgmma.fence`. Constants that are moved to them
//!   may lie behind the last fence, where compilers put them; some fence there must be.
//!
//! Each of these is a race with both ends.
//!
//! Guarantees: values, and races on memory and registers, as above.
//! Misses: reading registers of A while a product takes them, and registers of the sum before it without a fence, which
//! the manual forbids, too.

use super::barrier::Wait;
use super::bits::{concat, slice};
use super::clock::{Arrival, GLOBAL, SHARED};
use super::descriptor::{Descriptor, LINE};
use super::machine::Machine;
use super::matrix::{Factor, Matrix};
use super::outcome::{AccessKind, FaultKind, Misuse, Place, Race, RaceSide, Site, WaitGroup, WaitKind};
use super::race::{Accessor, lanes};
use super::trace::{EventKind, SegmentKind};
use crate::base::Format;
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{
    self, Access, Effect, Fragment, MatrixOp, Space, Strength, Swizzle, WARP, WarpgroupOp, WarpgroupProduct,
};
use crate::term::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Warps of a warpgroup.
const WARPS: usize = 4;

/// What the ledger says of swizzled matrices in variables of smaller alignment.
const ALIGNED: &str =
    "shared memory begins at a multiple of 1024 bytes, and its variables lie in it as they are declared";

/// What the ledger says of waits for products.
const TOGETHER: &str = "a product of a warpgroup ends for all four warps at once: who has waited for it knows that all of it has read its matrices";

/// Stands for a region in the list of races.
const REGISTERS: usize = usize::MAX;

/// A product.
fn product(effect: &Effect) -> Option<&WarpgroupProduct> {
    match effect {
        Effect::Matrix(MatrixOp::Warpgroup(WarpgroupOp::Multiply(product))) => Some(product),
        _ => None,
    }
}

/// How many rows of A or columns of B a matrix has, how deep it is, and how many elements a line has.
fn extent(fragment: Fragment) -> (u64, u64, u64) {
    let (outer, depth) = match fragment.part {
        isa::Part::B => (fragment.cols, fragment.rows),
        isa::Part::A | isa::Part::Sum => (fragment.rows, fragment.cols),
    };
    (outer.into(), depth.into(), LINE * 8 / u64::from(fragment.bits))
}

/// Whether a kernel has such products.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.code.iter().any(|instr| product(&instr.effect).is_some())
}

/// Instructions other than products that touch registers which products use, or copies of those; empty if there are no
/// products.
pub(super) fn near(kernel: &Kernel) -> Vec<bool> {
    if !has_any(kernel) {
        return Vec::new();
    }
    let used = used(kernel);
    let touches = |reg: &Reg| used[reg.index()];
    let near = kernel.code.iter().map(|instr| {
        product(&instr.effect).is_none() && kernel.dst(instr).iter().chain(kernel.src(instr)).any(touches)
    });
    near.collect()
}

/// Registers that products use, and registers that are copied to or from them.
fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.registers.len()];
    let mut open: Vec<Reg> = Vec::new();
    for instr in &kernel.code {
        let Some(op) = product(&instr.effect) else { continue };
        open.extend_from_slice(kernel.dst(instr));
        open.extend(registers_of_a(op, kernel.src(instr)));
    }
    let mut copies: FxHashMap<Reg, Vec<Reg>> = FxHashMap::default();
    for instr in kernel.code.iter().filter(|instr| matches!(instr.effect, Effect::Move { .. })) {
        let (to, from) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        copies.entry(to).or_default().push(from);
        copies.entry(from).or_default().push(to);
    }
    while let Some(reg) = open.pop() {
        let is_register = matches!(kernel.registers[reg.index()], RegisterKind::Virtual { .. });
        if is_register && !std::mem::replace(&mut used[reg.index()], true) {
            open.extend(copies.get(&reg).into_iter().flatten());
        }
    }
    used
}

/// The registers that a product takes A from.
fn registers_of_a<'r>(op: &WarpgroupProduct, src: &'r [Reg]) -> &'r [Reg] {
    let sum = usize::from(op.product.c.registers);
    if op.shared { &[] } else { &src[sum..sum + usize::from(op.product.a.registers)] }
}

/// How a product uses a register.
#[derive(Clone, Copy)]
struct Use {
    /// The group, counted among those of the warp.
    group: u32,
    pc: u32,
    /// It is an accumulator; otherwise A is taken from it.
    writes: bool,
    /// Columns of the accumulator.
    cols: u16,
}

/// What a warp has to do with products.
#[derive(Default)]
struct Part {
    /// Registers that products under way use.
    in_flight: FxHashMap<Reg, Use>,
    /// Registers that were touched since the last fence: by which instruction, and whether it moved a constant.
    unfenced: FxHashMap<Reg, (u32, bool)>,
    /// There has been a fence.
    fenced: bool,
    /// Products started.
    started: u64,
    /// Of each group that is closed, the products started up to its end, and how far the warp's threads had come.
    closes: Vec<(u64, Vec<Arrival>)>,
    /// Groups closed, and groups waited for.
    closed: u32,
    ended: u32,
    /// Products under way: their group, step and instruction.
    running: VecDeque<(u32, u32, u32)>,
}

/// A product as the first of the four warps has started it.
struct Started {
    pc: u32,
    /// What it was given.
    given: Vec<u64>,
    /// B, which is the same for all four, and where it lies.
    b: Option<(Rc<Factor>, Rc<Spots>)>,
}

/// Region and offset of each line of a matrix.
type Spots = [(usize, u64)];

/// The warpgroups of a CTA.
#[derive(Default)]
pub(super) struct Warpgroups {
    parts: Vec<Part>,
    /// Of each warpgroup, products that not all four warps have started, and the number of the first.
    started: Vec<(u64, VecDeque<Started>)>,
}

impl Warpgroups {
    /// Those of a block of so many warps.
    pub(super) fn new(warps: usize, teams: u32) -> Warpgroups {
        let fresh = |count: usize| (0..count).map(|_| Default::default());
        Warpgroups {
            parts: (0..warps).map(|_| Part::default()).collect(),
            started: fresh(teams as usize).collect(),
        }
    }

    /// A product that not all warps have started.
    fn started(&mut self, team: usize, number: u64) -> Option<&mut Started> {
        let (first, started) = &mut self.started[team];
        started.get_mut((number - *first) as usize)
    }

    /// How many clocks of their own they have.
    pub(super) fn clocks(block: u32) -> u32 {
        block.div_ceil(WARP as u32 * WARPS as u32)
    }
}

impl<'a> Machine<'a> {
    /// All lanes of a warp execute an instruction about products.
    pub(super) fn warpgroup(&mut self, index: usize, pc: u32, op: WarpgroupOp) {
        if self.warpgroups.parts.len() <= index {
            return;
        }
        match op {
            WarpgroupOp::Fence => {
                let part = &mut self.warpgroups.parts[index];
                part.unfenced.clear();
                part.fenced = true;
            }
            WarpgroupOp::Multiply(op) => self.start_product(index, pc, &op),
            WarpgroupOp::Commit => self.close_group(index, pc),
            WarpgroupOp::Wait => {
                let reg = self.kernel.src(&self.kernel.code[pc as usize])[0];
                let Some(left) = self.common(index, pc, reg, "the number of groups") else { return };
                let since = self.warps[index].step;
                let groups = self.warpgroups.parts[index].closed.saturating_sub(left as u32);
                let first = self.warps[index].first() as usize;
                self.waits[first..first + WARP].fill(Some(Wait::Products { groups, pc, since }));
                self.end_waits(self.team_of(index));
            }
        }
    }

    /// A warp closes its group, which has as many products as that of the others.
    fn close_group(&mut self, index: usize, pc: u32) {
        let first = self.warps[index].first();
        let came: Vec<Arrival> =
            (first..first + WARP as u32).map(|thread| self.clocks.arrive(thread)).collect();
        let part = &mut self.warpgroups.parts[index];
        let (group, started) = (part.closed as usize, part.started);
        part.closed += 1;
        part.closes.push((started, came));
        let team = self.team_of(index);
        let other = self.warps_of(team).find_map(|warp| {
            let theirs = self.warpgroups.parts[warp].closes.get(group)?.0;
            (theirs != started).then_some((warp, theirs))
        });
        if let Some((warp, theirs)) = other {
            let what = format!(
                "closes a group of products after {started} of them, and warp {warp} of its warpgroup after {theirs}"
            );
            self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Warp, what));
            return;
        }
        self.end_waits(team);
    }

    /// What a register holds, if it is the same in all lanes; `None` after a fault.
    pub(super) fn common(&mut self, index: usize, pc: u32, reg: Reg, what: &str) -> Option<u64> {
        if self.concrete_lanes(index, pc, u32::MAX, reg, what) != u32::MAX {
            return None;
        }
        let words = self.warps[index].lanes(reg);
        let word = words[0];
        if words.iter().any(|other| *other != word) {
            let why = format!(
                "executes `{}`, for which {what} must be the same in all threads",
                self.kernel.opcode(pc)
            );
            self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Warp, why));
            return None;
        }
        Some(word)
    }

    // ---- waiting -----------------------------------------------------------------------------

    /// Lets the warps of a warpgroup go on that wait for groups which all four have closed.
    fn end_waits(&mut self, team: usize) {
        let warps = self.warps_of(team);
        let closed = warps.clone().map(|warp| self.warpgroups.parts[warp].closed).min().unwrap_or(0);
        for warp in warps {
            let first = self.warps[warp].first() as usize;
            let Some(Wait::Products { groups, pc, since }) = self.waits[first] else { continue };
            if groups > closed {
                continue;
            }
            self.waits[first..first + WARP].fill(None);
            self.end_products(warp, pc, groups);
            let step = self.warps[warp].step;
            if step > since {
                self.trace.segment(warp as u32, (since, step), u32::MAX, SegmentKind::WaitWarp, pc);
            }
            self.warps[warp].resume(pc + 1, u32::MAX);
        }
    }

    /// A warp knows that its first groups have ended.
    fn end_products(&mut self, index: usize, pc: u32, groups: u32) {
        let part = &mut self.warpgroups.parts[index];
        if groups <= part.ended {
            return;
        }
        part.ended = groups;
        part.in_flight.retain(|_, used| used.group >= groups);
        let over = part.running.iter().take_while(|(group, ..)| *group < groups).count();
        let over: Vec<_> = part.running.drain(..over).collect();
        let first = self.warps[index].first();
        if self.trace.on() {
            for (_, since, product) in over {
                (first..first + WARP as u32).for_each(|thread| self.trace_flight(thread, since, product));
            }
        }
        self.granted.entry(TOGETHER).or_insert((0, pc)).0 += 1;
        let team = self.team_of(index);
        let warps = self.warps_of(team);
        let came: Vec<Arrival> = warps
            .clone()
            .filter_map(|warp| self.warpgroups.parts[warp].closes.get(groups as usize - 1))
            .flat_map(|(_, came)| came.iter().cloned())
            .collect();
        // Nobody asks any more for what all four have waited for.
        let over = warps.clone().map(|warp| self.warpgroups.parts[warp].ended).min().unwrap_or(0) as usize;
        for warp in warps {
            let closes = &mut self.warpgroups.parts[warp].closes;
            let past = over.min(closes.len());
            closes[..past].iter_mut().rev().take_while(|(_, came)| !came.is_empty()).for_each(|(_, came)| {
                *came = Vec::new();
            });
        }
        let ended = self.clocks.mark(self.first_thread + self.stand_in(team), groups);
        for thread in first..first + WARP as u32 {
            self.clocks.learn(std::slice::from_ref(&ended), thread);
            self.clocks.notice(&came, thread);
        }
    }

    /// The warpgroup of a warp: no warpgroup has warps of two CTAs.
    pub(super) fn team_of(&self, index: usize) -> usize {
        let (rank, warps) = self.rank_of(index);
        rank as usize * warps.div_ceil(WARPS) + index % warps / WARPS
    }

    /// The warps of a warpgroup.
    fn warps_of(&self, team: usize) -> std::ops::Range<usize> {
        let (_, warps) = self.rank_of(0);
        let (rank, first) = (team / warps.div_ceil(WARPS), team % warps.div_ceil(WARPS) * WARPS);
        rank * warps + first..rank * warps + (first + WARPS).min(warps)
    }

    /// The number of a warpgroup's clock in the CTA.
    fn stand_in(&self, team: usize) -> u32 {
        self.block * 2 + team as u32
    }

    /// Who waits for whom, where warps wait for products that others of their warpgroup have not started.
    pub(super) fn waiting_for_products(&self, pc: u32, groups: u32, threads: Vec<u32>) -> WaitGroup {
        let team = self.team_of(threads[0] as usize / WARP);
        let late = self.warps_of(team).filter(|warp| self.warpgroups.parts[*warp].closed < groups);
        let late: Vec<u32> = late.map(|warp| warp as u32).collect();
        let waits_for = late.iter().flat_map(|warp| {
            lanes(self.warps[*warp as usize].alive()).map(move |lane| warp * WARP as u32 + lane)
        });
        let waits_for = waits_for.collect();
        let site = Site { instr: pc, thread: self.thread(threads[0]) };
        WaitGroup { threads, site, kind: WaitKind::Products { late }, waits_for }
    }

    // ---- products ----------------------------------------------------------------------------

    fn start_product(&mut self, index: usize, pc: u32, op: &WarpgroupProduct) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let team = self.team_of(index);
        let full = |warp: usize| self.warps.get(warp).is_some_and(|warp| warp.present == u32::MAX);
        if self.warps_of(team).len() < WARPS || !self.warps_of(team).all(full) {
            let what = format!(
                "executes `{}`, which needs a warpgroup: four whole warps, the first of a number that is a multiple of 4",
                kernel.opcode(pc)
            );
            self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Warp, what));
            return;
        }
        let sum = &src[..usize::from(op.product.c.registers)];
        let a = &src[sum.len()..][..if op.shared { 1 } else { op.product.a.registers.into() }];
        let rest = &src[sum.len() + a.len()..];
        let mut given = Vec::with_capacity(7);
        let described = if op.shared { a } else { &[] };
        for reg in described.iter().chain(&rest[..6]) {
            let Some(word) = self.common(index, pc, *reg, "an operand of the product") else { return };
            given.push(word);
        }
        let &[.., of_b, adds, sign_a, sign_b, turned_a, turned_b] = given.as_slice() else { return };
        self.check_registers(index, pc, op, dst, registers_of_a(op, src));
        let of_a = op.shared.then(|| given[0]);
        let Some(number) = self.start_with_others(index, pc, given) else { return };
        let product = &op.product;
        let row = (index - self.warps_of(team).start) * usize::from(product.a.rows);
        let a = match of_a {
            Some(of_a) => {
                self.described(index, pc, of_a, product.a, row as u64, turned_a != 0).map(|(a, _)| a)
            }
            None => self.gather(index, pc, product.a, a),
        };
        let Some(mut a) = a else { return };
        let read = self.warpgroups.started(team, number).and_then(|started| started.b.clone());
        let b = match read {
            // What another warp has read is there: if somebody has overwritten it since, that is a race.
            Some((b, spots)) => {
                self.read_by_product(index, pc, &spots);
                b
            }
            None => {
                let Some((b, spots)) = self.described(index, pc, of_b, product.b, 0, turned_b != 0) else {
                    return;
                };
                let b = Rc::new(Factor::new(self, b));
                if let Some(started) = self.warpgroups.started(team, number) {
                    started.b = Some((Rc::clone(&b), spots.into()));
                }
                b
            }
        };
        let c = match adds & 1 {
            1 => self.gather(index, pc, product.c, sum),
            _ => Some(Matrix::zeros(product.c)),
        };
        let Some(c) = c else { return };
        let columns = match (product.sparsity, &rest[6..]) {
            (Some(sparsity), [metadata, selector]) => {
                match self.columns(index, pc, product.a, sparsity.ordered, *metadata, *selector) {
                    None => return,
                    columns => columns,
                }
            }
            _ => None,
        };
        if (sign_a as u32 as i32) * (sign_b as u32 as i32) < 0 {
            a.negate(self);
        }
        let a = Factor::new(self, a);
        let result = self.product(pc, product, (&a, &b), c, columns.as_deref());
        self.scatter(index, product.d, dst, &result);
        let part = &mut self.warpgroups.parts[index];
        let (group, cols) = (part.closed, product.d.cols);
        part.running.push_back((group, self.warps[index].step, pc));
        let accumulators = dst.iter().map(|reg| (*reg, Use { group, pc, writes: true, cols }));
        let taken =
            registers_of_a(op, src).iter().map(|reg| (*reg, Use { group, pc, writes: false, cols: 0 }));
        part.in_flight.extend(taken.chain(accumulators));
        let step = self.warps[index].step;
        self.trace.event(index as u32, step, u32::MAX, pc, EventKind::Copy);
    }

    /// A warp starts its part of a product: its number, unless another of the four has started another one instead.
    fn start_with_others(&mut self, index: usize, pc: u32, given: Vec<u64>) -> Option<u64> {
        let team = self.team_of(index);
        let number = self.warpgroups.parts[index].started;
        self.warpgroups.parts[index].started += 1;
        let least = self.warps_of(team).map(|warp| self.warpgroups.parts[warp].started).min();
        let (first, started) = &mut self.warpgroups.started[team];
        // All have started those, and read what they needed.
        while *first + 1 < least.unwrap_or(0) {
            started.pop_front();
            *first += 1;
        }
        let Some(other) = started.get((number - *first) as usize) else {
            started.push_back(Started { pc, given, b: None });
            return Some(number);
        };
        if (other.pc, &other.given) == (pc, &given) {
            return Some(number);
        }
        let what = match other.pc == pc {
            true => format!(
                "executes `{}` with other descriptors than another warp of its warpgroup",
                self.kernel.opcode(pc)
            ),
            false => format!(
                "executes `{}` where another warp of its warpgroup executes another product",
                self.kernel.opcode(pc)
            ),
        };
        self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Warp, what));
        None
    }

    /// The matrix that a descriptor says: of A the rows from `first` on. Enters it as read.
    fn described(
        &mut self,
        index: usize,
        pc: u32,
        bits: u64,
        fragment: Fragment,
        first: u64,
        turned: bool,
    ) -> Option<(Matrix, Vec<(usize, u64)>)> {
        let descriptor = Descriptor::new(bits);
        if descriptor.base != 0 {
            let why = "a matrix descriptor with a base offset".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return None;
        }
        let spots = self.lines((index, pc, u32::MAX), &descriptor, fragment, first, turned)?;
        self.read_by_product(index, pc, &spots);
        let matrix = self.elements((index, pc, 0), fragment, &spots, turned)?;
        Some((matrix, spots))
    }

    /// The lines of a matrix, of A from the row `first` on, for lanes that will read them.
    pub(super) fn lines(
        &mut self,
        by: (usize, u32, u32),
        descriptor: &Descriptor,
        fragment: Fragment,
        first: u64,
        turned: bool,
    ) -> Option<Vec<(usize, u64)>> {
        let (outer, depth, in_line) = extent(fragment);
        // Lines side by side, and one after the other.
        let (across, along) = if turned { (outer / in_line, depth) } else { (outer, depth / in_line) };
        let from = if turned { first / in_line } else { first };
        let mut spots = Vec::with_capacity((across * along) as usize);
        for line in from..from + across {
            for at in 0..along {
                spots.push(self.line(by, descriptor, descriptor.line(!turned, line, at))?);
            }
        }
        Some(spots)
    }

    /// The elements of a matrix whose lines lie there.
    pub(super) fn elements(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        fragment: Fragment,
        spots: &Spots,
        turned: bool,
    ) -> Option<Matrix> {
        let (_, depth, in_line) = extent(fragment);
        let along = if turned { depth } else { depth / in_line };
        let width = u64::from(fragment.bits);
        let (rows, cols) = (usize::from(fragment.rows), usize::from(fragment.cols));
        let bytes = fragment.bits.div_ceil(8).into();
        let mut values = Vec::with_capacity(rows * cols);
        for row in 0..rows as u64 {
            for col in 0..cols as u64 {
                let (outer, depth) = if fragment.part == isa::Part::B { (col, row) } else { (row, col) };
                let (line, at, inside) = match turned {
                    true => (outer / in_line, depth, outer % in_line),
                    false => (outer, depth / in_line, depth % in_line),
                };
                let spot = spots[(line * along + at) as usize];
                if fragment.format.is_below_byte() {
                    values.push(self.below_byte(
                        (index, pc, lane),
                        spot,
                        fragment.format.bits(),
                        inside as u32,
                    ));
                    continue;
                }
                let bit = (inside * width) as u32;
                let mut value = self.piece_read((index, pc, lane), spot, bit / 8, bytes);
                if width < 8 {
                    let Value::Concrete(byte) = value else {
                        let why = "symbolic bits have no meaning in products yet; give the tensor contents in the spec";
                        self.park(index, u32::MAX, pc, FaultKind::Unsupported(why.to_owned()));
                        return None;
                    };
                    value = Value::Concrete(byte >> (bit % 8) & 1);
                }
                values.push(value);
            }
        }
        Some(Matrix::new(rows, cols, fragment.format, values))
    }

    /// So many bits of a line, fewer than a byte: they lie side by side, also where a line has only as many as bytes, and
    /// zeros behind them (`b4x16_p64`, `b6x16_p32`).
    pub(super) fn below_byte(
        &mut self,
        by: (usize, u32, u32),
        spot: (usize, u64),
        own: u32,
        number: u32,
    ) -> Value {
        let first = number * own;
        let mut value = self.piece_read(by, spot, first / 8, 1);
        if first % 8 + own <= 8 {
            return slice(&mut self.terms, value, 8, first % 8, own);
        }
        let next = self.piece_read(by, spot, first / 8 + 1, 1);
        value = concat(&mut self.terms, value, next, 16);
        slice(&mut self.terms, value, 16, first % 8, own)
    }

    /// Region and offset of a line of a matrix.
    fn line(
        &mut self,
        (index, pc, mask): (usize, u32, u32),
        descriptor: &Descriptor,
        bits: u64,
    ) -> Option<(usize, u64)> {
        let access =
            Access { space: Space::Shared, format: Format::B32, vector: 4, strength: Strength::Weak };
        let Some(address) = self.memory.described(bits) else {
            let why = "a matrix descriptor where no shared memory is, or where it has too many variables"
                .to_owned();
            self.park(index, mask, pc, FaultKind::Unsupported(why));
            return None;
        };
        let (line, lane) = (LINE as u32, mask.trailing_zeros());
        let spot = self.aligned_spot(index, pc, lane, access, AccessKind::Read, address, line, line);
        let Some((region, _)) = spot else {
            self.halt(index, mask);
            return None;
        };
        let swizzle = descriptor.swizzle;
        if swizzle != Swizzle::None
            && self.memory.declared_align(self.kernel, region) < swizzle.period().into()
        {
            self.granted.entry(ALIGNED).or_insert((0, pc)).0 += 1;
        }
        spot
    }

    /// A product reads lines of shared memory, from now until its group has ended.
    fn read_by_product(&mut self, index: usize, pc: u32, spots: &Spots) {
        let first = self.warps[index].first();
        self.clocks.align(first..first + WARP as u32);
        let by = self.accessor(index, pc, u32::MAX, self.clocks.epoch(first));
        let number = self.stand_in(self.team_of(index));
        let lane = number % WARP as u32;
        let reader = Accessor {
            warp_first: number - lane,
            global_first: self.first_thread + number - lane,
            mask: 1 << lane,
            epoch: self.warpgroups.parts[index].closed + 1,
            instr: pc,
            stale: false,
        };
        let now = self.clocks.stamp(first);
        self.clocks.stand_for(number, Some(&now));
        let kernel = self.kernel;
        let generic = |instr: u32| !super::atomics::is_bulk_update(kernel, instr);
        // Who wrote last is the same for many lines.
        let mut harmless = None;
        for (region, offset) in spots {
            if !self.memory.regions[*region].watched {
                continue;
            }
            let granule = u64::from(self.memory.regions[*region].cells.granule());
            let memory = if self.memory.regions[*region].space == Space::Shared { SHARED } else { GLOBAL };
            for at in (*offset..offset + LINE).step_by(granule as usize) {
                let shadow = self.memory.regions[*region].shadow_at(at);
                let key = shadow.write_key();
                if key.is_some() && key == harmless && self.accesses.is_none() {
                    self.detector.note_read(&self.clocks, shadow, &reader);
                    continue;
                }
                let conflict = self.detector.before_read(&self.clocks, shadow, &by);
                let unfenced = self.clocks.differently_handed(first, memory).find_map(|lane| {
                    let by = Accessor { mask: 1 << lane, ..by };
                    self.detector.unfenced(&self.clocks, shadow, &by, memory, generic)
                });
                harmless = key.filter(|_| conflict.is_none() && unfenced.is_none());
                let conflict = conflict.or(unfenced);
                self.judge_begun(index, pc, (*region, at), &by, conflict);
                self.note_read((*region, at), &reader);
            }
        }
        self.clocks.stand_for(number, None);
    }

    // ---- registers ---------------------------------------------------------------------------

    /// A product comes to its registers.
    fn check_registers(&mut self, index: usize, pc: u32, op: &WarpgroupProduct, dst: &[Reg], a: &[Reg]) {
        let part = &self.warpgroups.parts[index];
        let cols = op.product.d.cols;
        let busy = |reg: &Reg, may: &dyn Fn(&Use) -> bool| {
            part.in_flight.get(reg).filter(|used| !may(used)).map(|used| (*reg, *used))
        };
        let of_sum = dst.iter().find_map(|reg| busy(reg, &|used| used.writes && used.cols == cols));
        let found = of_sum.or_else(|| a.iter().find_map(|reg| busy(reg, &|used| !used.writes)));
        let fenced = part.fenced;
        let counts = |reg: &Reg| part.unfenced.get(reg).filter(|(_, constant)| !constant || !fenced);
        let touched = dst.iter().chain(a).find_map(|reg| Some((*reg, counts(reg)?.0)));
        if let Some((reg, used)) = found {
            self.register_race(index, pc, reg, (used.pc, used.writes), true, RUNNING);
        } else if let Some((reg, touched)) = touched {
            self.register_race(index, pc, reg, (touched, true), true, UNFENCED);
        } else if !fenced {
            let what = format!("executes `{}` without a wgmma.fence before it", self.kernel.opcode(pc));
            self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Warp, what));
        }
    }

    /// An instruction comes to registers that products use, or to copies of them.
    pub(super) fn near_product(&mut self, index: usize, pc: u32) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let part = &mut self.warpgroups.parts[index];
        if let (Effect::Move { .. }, [to], [from]) = (&instr.effect, dst, src) {
            let (held, touched) = (part.in_flight.get(from).copied(), part.unfenced.get(from).copied());
            let lost = part.in_flight.remove(to).filter(|_| held.is_none());
            match kernel.registers[from.index()] {
                RegisterKind::Virtual { .. } if held.is_some() || touched.is_none() => {
                    part.unfenced.remove(to)
                }
                _ => part.unfenced.insert(*to, touched.unwrap_or((pc, true))),
            };
            part.in_flight.extend(held.map(|held| (*to, held)));
            if let Some(used) = lost {
                self.register_race(index, pc, *to, (used.pc, used.writes), true, RUNNING);
            }
            return;
        }
        let read =
            src.iter().find_map(|reg| Some((*reg, *part.in_flight.get(reg).filter(|used| used.writes)?)));
        let written = dst.iter().find_map(|reg| Some((*reg, *part.in_flight.get(reg)?)));
        for reg in dst {
            part.unfenced.insert(*reg, (pc, false));
        }
        if let Some((reg, used)) = read {
            self.register_race(index, pc, reg, (used.pc, true), false, RUNNING);
        } else if let Some((reg, used)) = written {
            self.register_race(index, pc, reg, (used.pc, used.writes), true, RUNNING);
        }
    }

    /// The present instruction and an earlier one touch a register, and nothing orders them.
    fn register_race(
        &mut self,
        index: usize,
        pc: u32,
        reg: Reg,
        (earlier, wrote): (u32, bool),
        writes: bool,
        ordering: &str,
    ) {
        let kind = |writes: bool| if writes { AccessKind::Write } else { AccessKind::Read };
        let thread = self.thread(self.warps[index].first());
        let side = |instr: u32, writes: bool| RaceSide { site: Site { instr, thread }, kind: kind(writes) };
        let (first, second) = (side(earlier, wrote), side(pc, writes));
        let name = self.register_name(reg);
        let race = move |_: &mut Self| {
            Race {
            first,
            second,
            place: Place {
                space: Space::Local,
                text: format!("register {name}"),
                name,
                offset: 0,
                size: None,
                unit: 4,
            },
            ordering: ordering.to_owned(),
            schedule: vec![
                "a product runs beside the threads that started it, and uses its registers at any moment until wgmma.wait_group has waited for its group;".to_owned(),
                "so the two may come in either order".to_owned(),
            ],
            hidden_by_collectives: false,
            unfenced: false,
        }
        };
        self.list_race_here(index, (earlier, pc), REGISTERS, race);
    }
}

/// Why a register that a product uses may not be touched.
const RUNNING: &str = "the product may still be running: no wgmma.wait_group has waited for its group";

/// Why a product may not yet use a register.
const UNFENCED: &str = "a wgmma.fence is missing between the two: without one the product may come first";
