//! Matrices that a warp holds together: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.
//!
//! Products are summed in f64 (integers exactly) and rounded once; the manual leaves order and
//! precision of the sum open. The layout of `mma` fragments is the manual's; that of `wmma`, which
//! it leaves open, is element `lane · slots + slot` in row-major order, over again where a fragment
//! has more slots than elements.
//! `m8n8k4` of f16 is four products side by side, each of a quad and the one 16 lanes further on.
//! Misses: sparse products are refused.
//!
//! Source: PTX ISA 9.0, 9.7.14.4 and 9.7.14.5.

use super::integer::{cut, number};
use super::memory::Space;
use super::op::{Class, Op, Type};
use super::program::Arg;
use super::run::{Machine, Stop};
use super::soft;
use rustc_apfloat::Round;
use warpproof::base::Format;

/// How the elements of a matrix are stored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Element {
    Float(Format),
    Integer(Type),
}

impl Element {
    pub(super) fn named(name: &str) -> Option<Element> {
        Some(match name {
            "tf32" => Element::Float(Format::Tf32),
            "e4m3" => Element::Float(Format::E4m3),
            "e5m2" => Element::Float(Format::E5m2),
            "e2m3" => Element::Float(Format::E2m3),
            "e3m2" => Element::Float(Format::E3m2),
            "e2m1" => Element::Float(Format::E2m1),
            "b1" => Element::Integer(Type { class: Class::Unsigned, bits: 1 }),
            "u4" => Element::Integer(Type { class: Class::Unsigned, bits: 4 }),
            "s4" => Element::Integer(Type { class: Class::Signed, bits: 4 }),
            _ => {
                let ty = Type::named(name)?;
                match ty.float() {
                    Some(format) => Element::Float(format),
                    None => Element::Integer(ty),
                }
            }
        })
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Element::Float(format) => format.bits(),
            Element::Integer(ty) => ty.bits,
        }
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Element::Float(format) => soft::value(format, cut(bits, format.bits())),
            Element::Integer(ty) => number(ty, bits) as f64,
        }
    }
}

/// `m16n8k16`
pub(super) fn shape(op: &Op) -> Option<(usize, usize, usize)> {
    op.suffixes.iter().find_map(|suffix| {
        let (rows, rest) = suffix.strip_prefix('m')?.split_once('n')?;
        let (cols, depth) = rest.split_once('k')?;
        Some((rows.parse().ok()?, cols.parse().ok()?, depth.parse().ok()?))
    })
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Part {
    A,
    B,
    C,
}

/// Row and column of a slot of an `mma` fragment.
fn place(part: Part, element: Element, rows: usize, lane: usize, slot: usize) -> (usize, usize) {
    let (group, member) = (lane / 4, lane % 4);
    if part == Part::C {
        return (group + slot / 2 * 8, 2 * member + slot % 2);
    }
    let each = (32 / element.bits()).max(1) as usize;
    let (register, at) = (slot / each, slot % each);
    match part {
        Part::A if rows == 16 => (group + register % 2 * 8, register / 2 * 4 * each + member * each + at),
        Part::A => (group, register * 4 * each + member * each + at),
        _ => (register * 4 * each + member * each + at, group),
    }
}

/// Row and column of a slot of the sum of a quad pair.
fn quad_place(element: Element, lane: usize, slot: usize) -> (usize, usize) {
    let low = lane / 16 * 4;
    match element {
        Element::Float(Format::F16) => (lane % 4 + low, slot),
        _ => ((lane & 1) + (slot & 2) + low, (slot & 4) + (lane & 2) + (slot & 1)),
    }
}

#[derive(Clone)]
pub(super) struct Grid {
    cols: usize,
    pub(super) values: Vec<u64>,
}

impl Grid {
    pub(super) fn new(rows: usize, cols: usize) -> Grid {
        Grid { cols, values: vec![0; rows * cols] }
    }

    pub(super) fn at(&mut self, (row, col): (usize, usize)) -> &mut u64 {
        &mut self.values[row * self.cols + col]
    }
}

impl Machine<'_> {
    pub(super) fn matrix(&mut self, op: &Op, members: &[usize]) -> Result<(), Stop> {
        let refused = || Stop::Refused(op.text.clone());
        let members: &[usize; 32] = members
            .try_into()
            .map_err(|_| Stop::Fault(format!("`{}` without all lanes of its warp", op.base)))?;
        match (op.base.as_str(), op.suffixes[0].as_str()) {
            ("ldmatrix", _) => self.tiles(op, members, true),
            ("stmatrix", _) => self.tiles(op, members, false),
            ("movmatrix", _) => {
                let values = self.lanes(members, 1)?;
                for (lane, thread) in members.iter().enumerate() {
                    let pick = |j: usize| {
                        let (row, col) = (2 * (lane % 4) + j, lane / 4);
                        values[row * 4 + col / 2] >> (16 * (col % 2)) & 0xffff
                    };
                    self.set(*thread, &self.operand(*thread, 0), pick(0) | pick(1) << 16)?;
                }
                Ok(())
            }
            ("mma", "sync") => {
                let (m, n, k) = shape(op).ok_or_else(refused)?;
                let at = op
                    .suffixes
                    .iter()
                    .position(|suffix| suffix.starts_with('m') && shape_of(suffix))
                    .ok_or_else(refused)?;
                let names: Vec<Element> =
                    op.suffixes[at + 1..].iter().filter_map(|name| Element::named(name)).collect();
                let [d, a, b, c] = names[..] else { return Err(refused()) };
                if (m, n, k) == (8, 8, 4) && a == Element::Float(Format::F16) {
                    return self.quad_pairs(op, members, &op.suffixes[at + 1..at + 3], [d, a, b, c]);
                }
                let one = |machine: &Self, arg, part, element, rows, cols| {
                    machine.gather(members, arg, element, rows, cols, |lane, slot| {
                        place(part, element, m.max(if part == Part::A { rows } else { 0 }), lane, slot)
                    })
                };
                let bytes = op.has("kind::f8f6f4") || op.has("kind::mxf8f6f4");
                let held = |element| if bytes { BYTE } else { element };
                let mut a_grid = one(self, 1, Part::A, held(a), m, k)?;
                let mut b_grid = one(self, 2, Part::B, held(b), k, n)?;
                if bytes {
                    a_grid.values.iter_mut().for_each(|value| *value = out_of_byte(a, *value));
                    b_grid.values.iter_mut().for_each(|value| *value = out_of_byte(b, *value));
                }
                let c_grid = one(self, 3, Part::C, c, m, n)?;
                let mut sum = match op.has("block_scale") {
                    true => {
                        let scales =
                            [self.scales(op, members, 4, true)?, self.scales(op, members, 6, false)?];
                        scaled_product([a, b], (m, n, k), [a_grid, b_grid, c_grid], scales)
                    }
                    false => product(op, [d, a, b, c], (m, n, k), a_grid, b_grid, c_grid),
                };
                self.scatter(members, 0, d, |lane, slot| *sum.at(place(Part::C, d, m, lane, slot)))
            }
            ("wmma", kind @ ("load" | "store")) => {
                let (m, n, k) = shape(op).ok_or_else(refused)?;
                let element = op.suffixes.last().and_then(|name| Element::named(name)).ok_or_else(refused)?;
                let (rows, cols) = match op.suffixes[1].as_str() {
                    "a" => (m, k),
                    "b" => (k, n),
                    _ => (m, n),
                };
                let column = op.has("col");
                let (memory, fragment) = if kind == "load" { (1, 0) } else { (0, 1) };
                let leader = members[0];
                let stride = match self.operand(leader, 2) {
                    Arg::Sink => {
                        if column {
                            rows
                        } else {
                            cols
                        }
                    }
                    arg => self.value(leader, &arg, None)? as usize & 0xffff_ffff,
                };
                let Arg::Memory(base, offset) = self.operand(leader, memory) else { return Err(refused()) };
                let base = self.value(leader, &base, None)?.wrapping_add_signed(offset);
                // Elements narrower than a byte lie in it from its low end upward.
                let bytes = element.bits().div_ceil(8) as usize;
                let place = |row: usize, col: usize| {
                    let at = if column { col * stride + row } else { row * stride + col };
                    let bit = at as u64 * u64::from(element.bits());
                    (base + bit / 8, (bit % 8) as u32)
                };
                let space = op.space().unwrap_or(Space::Generic);
                if kind == "load" {
                    let mut values = Vec::new();
                    for row in 0..rows {
                        for col in 0..cols {
                            let (address, shift) = place(row, col);
                            let value = self.load(leader, space, address, bytes)?;
                            values.push(cut(value >> shift, element.bits()));
                        }
                    }
                    let slots = self.slots(leader, fragment, element);
                    self.scatter(members, fragment, element, |lane, slot| {
                        values[(lane * slots + slot) % values.len()]
                    })
                } else {
                    let slots = self.slots(leader, fragment, element);
                    let mut grid = self.gather(members, fragment, element, rows, cols, |lane, slot| {
                        let at = (lane * slots + slot) % (rows * cols);
                        (at / cols, at % cols)
                    })?;
                    for row in 0..rows {
                        for col in 0..cols {
                            let value = *grid.at((row, col));
                            self.store(leader, space, place(row, col).0, bytes, value)?;
                        }
                    }
                    Ok(())
                }
            }
            ("wmma", "mma") => {
                let (m, n, k) = shape(op).ok_or_else(refused)?;
                let names: Vec<Element> =
                    op.suffixes.iter().filter_map(|name| Element::named(name)).collect();
                let half = Element::Float(Format::F16);
                let [d, a, b, c] = match names[..] {
                    [d, c] => [d, half, half, c],
                    [d, a, b, c] => [d, a, b, c],
                    _ => return Err(refused()),
                };
                let grid = |machine: &Self, arg: usize, element: Element, rows: usize, cols: usize| {
                    let slots = machine.slots(members[0], arg, element);
                    machine.gather(members, arg, element, rows, cols, |lane, slot| {
                        let at = (lane * slots + slot) % (rows * cols);
                        (at / cols, at % cols)
                    })
                };
                let a_grid = grid(self, 1, a, m, k)?;
                let b_grid = grid(self, 2, b, k, n)?;
                let c_grid = grid(self, 3, c, m, n)?;
                let sum = product(op, [d, a, b, c], (m, n, k), a_grid, b_grid, c_grid);
                let slots = self.slots(members[0], 0, d);
                self.scatter(members, 0, d, |lane, slot| sum.values[(lane * slots + slot) % (m * n)])
            }
            _ => Err(refused()),
        }
    }

    /// The scales of the rows of A, or of the columns of B, block by block: out of the byte and the lane of each
    /// group of four that the selectors name; for A, of two neighbouring lanes the first gives the upper rows.
    fn scales(&self, op: &Op, members: &[usize; 32], at: usize, rows: bool) -> Result<Vec<Vec<f64>>, Stop> {
        let data = self.lanes(members, at)?;
        let Arg::Vector(selectors) = self.operand(members[0], at + 1) else {
            return Err(Stop::Refused(op.text.clone()));
        };
        let byte = self.value(members[0], &selectors[0], None)? as usize & 0xffff;
        let giver = self.value(members[0], &selectors[1], None)? as usize & 0xffff;
        let blocks = match () {
            _ if op.has("scale_vec::4X") => 4,
            _ if op.has("scale_vec::2X") || op.has("kind::mxf4") => 2,
            _ => 1,
        };
        let format = if op.has("ue4m3") { Format::E4m3 } else { Format::Ue8m0 };
        let lane = |line: usize| match rows {
            true => line % 8 * 4 + 2 * giver + line / 8,
            false => 4 * line + giver,
        };
        let scale =
            |line: usize, block: usize| soft::value(format, data[lane(line)] >> (8 * (byte + block)) & 0xff);
        Ok((0..if rows { 16 } else { 8 })
            .map(|line| (0..blocks).map(|at| scale(line, at)).collect())
            .collect())
    }

    /// Four products of 8 × 4 by 4 × 8, as the layouts of both factors (`row`, `col`) say.
    fn quad_pairs(
        &mut self,
        op: &Op,
        members: &[usize; 32],
        layouts: &[String],
        [d, a, b, c]: [Element; 4],
    ) -> Result<(), Stop> {
        let by_row = |at: usize| layouts[at] == "row";
        let mut sums = Vec::new();
        for quad in 0..4 {
            let own = move |lane: usize| lane % 16 / 4 == quad;
            // What other quads hold lies in a row of its own, behind the matrix.
            let grid = |at: usize,
                        element: Element,
                        (rows, cols): (usize, usize),
                        place: &dyn Fn(usize, usize) -> (usize, usize)| {
                self.gather(members, at, element, rows + 1, cols, |lane, slot| {
                    if own(lane) { place(lane, slot) } else { (rows, 0) }
                })
            };
            let left = grid(1, a, (8, 4), &|lane, slot| match by_row(0) {
                true => (lane % 4 + lane / 16 * 4, slot),
                false => (slot + lane / 16 * 4, lane % 4),
            })?;
            let right = grid(2, b, (4, 8), &|lane, slot| match by_row(1) {
                true => (lane % 4, slot + lane / 16 * 4),
                false => (slot, lane % 4 + lane / 16 * 4),
            })?;
            let start = grid(3, c, (8, 8), &|lane, slot| quad_place(c, lane, slot))?;
            sums.push(product(op, [d, a, b, c], (8, 8, 4), left, right, start));
        }
        self.scatter(members, 0, d, |lane, slot| *sums[lane % 16 / 4].at(quad_place(d, lane, slot)))
    }

    fn operand(&self, thread: usize, at: usize) -> Arg {
        self.program.code[self.threads[thread].pc].args.get(at).cloned().unwrap_or(Arg::Sink)
    }

    fn lanes(&self, members: &[usize; 32], at: usize) -> Result<Vec<u64>, Stop> {
        members.iter().map(|thread| self.value(*thread, &self.operand(*thread, at), None)).collect()
    }

    fn registers(&self, thread: usize, at: usize) -> Vec<Arg> {
        match self.operand(thread, at) {
            Arg::Vector(parts) => parts,
            arg => vec![arg],
        }
    }

    /// Elements a lane holds.
    fn slots(&self, thread: usize, at: usize, element: Element) -> usize {
        self.registers(thread, at).len() * (32 / element.bits()).max(1) as usize
    }

    fn gather(
        &self,
        members: &[usize; 32],
        at: usize,
        element: Element,
        rows: usize,
        cols: usize,
        place: impl Fn(usize, usize) -> (usize, usize),
    ) -> Result<Grid, Stop> {
        let mut grid = Grid::new(rows, cols);
        let each = (32 / element.bits()).max(1) as usize;
        for (lane, thread) in members.iter().enumerate() {
            for (register, arg) in self.registers(*thread, at).iter().enumerate() {
                let value = self.value(*thread, arg, None)?;
                for part in 0..each {
                    let bits = cut(value >> (part as u32 * element.bits()), element.bits());
                    *grid.at(place(lane, register * each + part)) = bits;
                }
            }
        }
        Ok(grid)
    }

    fn scatter(
        &mut self,
        members: &[usize; 32],
        at: usize,
        element: Element,
        mut value: impl FnMut(usize, usize) -> u64,
    ) -> Result<(), Stop> {
        let each = (32 / element.bits()).max(1) as usize;
        for (lane, thread) in members.iter().enumerate() {
            for (register, arg) in self.registers(*thread, at).iter().enumerate() {
                let bits = (0..each).fold(0, |bits, part| {
                    bits | value(lane, register * each + part) << (part as u32 * element.bits())
                });
                self.set(*thread, arg, bits)?;
            }
        }
        Ok(())
    }

    fn tiles(&mut self, op: &Op, members: &[usize; 32], load: bool) -> Result<(), Stop> {
        let refused = || Stop::Refused(op.text.clone());
        let count =
            ["x1", "x2", "x4"].iter().position(|name| op.has(name)).map(|at| 1 << at).ok_or_else(refused)?;
        let own = match () {
            _ if op.has("b4x16_p64") => 4,
            _ if op.has("b6x16_p32") => 6,
            _ => 0,
        };
        if own == 0 && (!op.has("b16") || !op.has("m8n8")) {
            return Err(refused());
        }
        let (memory, fragment) = if load { (1, 0) } else { (0, 1) };
        let space = op.space().unwrap_or(Space::Generic);
        let mut rows = Vec::new();
        for thread in &members[..8 * count] {
            let Arg::Memory(base, offset) = self.operand(*thread, memory) else { return Err(refused()) };
            rows.push(self.value(*thread, &base, None)?.wrapping_add_signed(offset));
        }
        for tile in 0..count {
            for (lane, thread) in members.iter().enumerate() {
                let arg = self.registers(*thread, fragment).get(tile).cloned().ok_or_else(refused)?;
                if own > 0 {
                    // Sixteen elements side by side from the low end of a row, each into a byte of its own.
                    let mut bits = 0u128;
                    for byte in 0..16 {
                        let part = self.load(*thread, space, rows[tile * 8 + lane / 4] + byte, 1)?;
                        bits |= u128::from(part) << (8 * byte);
                    }
                    let element = |at: usize| (bits >> ((lane % 4 * 4 + at) as u32 * own)) as u64;
                    let word = (0..4).fold(0, |word, at| word | cut(element(at), own) << (8 * at));
                    self.set(*thread, &arg, word)?;
                    continue;
                }
                let place = |j: usize| {
                    let (row, col) = (lane / 4, 2 * (lane % 4) + j);
                    let (row, col) = if op.has("trans") { (col, row) } else { (row, col) };
                    rows[tile * 8 + row] + 2 * col as u64
                };
                if load {
                    let low = self.load(*thread, space, place(0), 2)?;
                    let high = self.load(*thread, space, place(1), 2)?;
                    self.set(*thread, &arg, low | high << 16)?;
                } else {
                    let value = self.value(*thread, &arg, None)?;
                    self.store(*thread, space, place(0), 2, value & 0xffff)?;
                    self.store(*thread, space, place(1), 2, value >> 16 & 0xffff)?;
                }
            }
        }
        Ok(())
    }
}

fn shape_of(suffix: &str) -> bool {
    suffix.contains('n') && suffix.contains('k')
}

/// What a register holds where elements have a byte each.
const BYTE: Element = Element::Integer(Type { class: Class::Unsigned, bits: 8 });

/// The element in a byte: four bits lie in its middle, six at its lower end.
pub(super) fn out_of_byte(element: Element, byte: u64) -> u64 {
    match element.bits() {
        4 => byte >> 2 & 0xf,
        bits => cut(byte, bits),
    }
}

/// A product of scaled factors in f32: the scales of each row and column, for blocks of equal length.
pub(super) fn scaled_product(
    [a, b]: [Element; 2],
    (m, n, k): (usize, usize, usize),
    [mut left, mut right, mut start]: [Grid; 3],
    [rows, cols]: [Vec<Vec<f64>>; 2],
) -> Grid {
    let mut out = Grid::new(m, n);
    for (row, of_row) in rows.iter().enumerate() {
        for (col, of_col) in cols.iter().enumerate() {
            let mut sum = soft::value(Format::F32, *start.at((row, col)));
            for at in 0..k {
                let block = at * of_row.len() / k;
                let x = a.value(*left.at((row, at))) * of_row[block];
                sum += x * (b.value(*right.at((at, col))) * of_col[block]);
            }
            *out.at((row, col)) = soft::from_value(Format::F32, sum, Round::NearestTiesToEven);
        }
    }
    out
}

pub(super) fn product(
    op: &Op,
    [d, a, b, c]: [Element; 4],
    (m, n, k): (usize, usize, usize),
    mut left: Grid,
    mut right: Grid,
    mut start: Grid,
) -> Grid {
    let mut out = Grid::new(m, n);
    for row in 0..m {
        for col in 0..n {
            let first = *start.at((row, col));
            let pairs: Vec<(u64, u64)> =
                (0..k).map(|at| (*left.at((row, at)), *right.at((at, col)))).collect();
            *out.at((row, col)) = match d {
                Element::Integer(ty) => {
                    let signed = |element: Element, bits: u64| match element {
                        Element::Integer(ty) => number(ty, bits),
                        Element::Float(_) => 0,
                    };
                    let sum = pairs.iter().fold(signed(c, first), |sum, (x, y)| {
                        sum + match () {
                            _ if op.has("xor") => i128::from(x ^ y),
                            _ if op.has("and") => i128::from(x & y),
                            _ => signed(a, *x) * signed(b, *y),
                        }
                    });
                    if op.has("satfinite") {
                        super::integer::clamp(ty, sum)
                    } else {
                        cut(sum as u64, ty.bits)
                    }
                }
                Element::Float(Format::F64) => pairs
                    .iter()
                    .fold(first, |sum, (x, y)| soft::fma(Format::F64, *x, *y, sum, Round::NearestTiesToEven)),
                Element::Float(format) => {
                    let sum =
                        pairs.iter().fold(c.value(first), |sum, (x, y)| sum + a.value(*x) * b.value(*y));
                    soft::from_value(format, sum, Round::NearestTiesToEven)
                }
            };
        }
    }
    out
}
