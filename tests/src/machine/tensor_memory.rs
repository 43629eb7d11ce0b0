//! Tensor memory: `tcgen05`.
//!
//! Words of 128 lanes and 512 columns. Loads and stores happen at once; a product runs at some moment between its start
//! and the arrival of the next commit behind it, those of a thread one after the other.
//! A pair of CTAs is the thread that starts something and one of the other CTA, which stands for that: each with its
//! own memories. Scales of blocks are read out of a copy chosen by dice: all four have to be there.
//! Misses: what the manual has beyond dense products is refused by name; so are sums of integers that
//! saturate.
//!
//! Source: PTX ISA 9.0, 9.7.16.

use super::integer::cut;
use super::matrix::{Element, Grid, product, scaled_product};
use super::op::Op;
use super::program::Arg;
use super::run::{Background, Machine, Pending, Stop};
use super::soft;
use std::rc::Rc;
use warpproof::base::Format;

const LANES: usize = 128;
const COLUMNS: usize = 512;

/// Tensor memory of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// Lane by lane; nothing before the first use.
    words: Vec<u32>,
    /// What is taken: the first column, and how many.
    taken: Vec<(usize, usize)>,
    closed: bool,
}

impl Words {
    fn is_taken(&self, column: usize) -> bool {
        self.taken.iter().any(|(first, count)| (*first..first + count).contains(&column))
    }
}

/// A register of one lane of the warp: lane and column of tensor memory, counted from the address.
fn place(shape: &str, lane: usize, number: usize) -> Option<(usize, usize)> {
    let (quad, in_quad) = (lane / 4, lane % 4);
    Some(match shape {
        "32x32b" => (lane, number),
        "16x64b" => (quad + if in_quad % 2 == 1 { 8 } else { 0 }, number * 2 + in_quad / 2),
        "16x128b" => (quad + if number % 2 == 1 { 8 } else { 0 }, number / 2 * 4 + in_quad),
        "16x256b" => (quad + if number % 4 >= 2 { 8 } else { 0 }, number / 4 * 8 + in_quad * 2 + number % 2),
        "16x32bx2" => (lane % 16, number),
        _ => return None,
    })
}

impl Machine<'_> {
    /// What a whole warp does.
    pub(super) fn on_tensor_memory(&mut self, op: &Rc<Op>, members: &[usize]) -> Result<(), Stop> {
        if members.len() < 32 {
            return Err(Stop::Fault(format!("`{}` without all lanes of its warp", op.text)));
        }
        let leader = members[0];
        let cta = self.threads[leader].cta;
        let args = self.program.code[self.threads[leader].pc].args.clone();
        match op.suffixes[0].as_str() {
            "alloc" => {
                let count = cut(self.value(leader, &args[1], None)?, 32) as usize;
                let to = self.address(leader, &args[0])?;
                if self.ctas[cta].tensor.closed
                    || !count.is_power_of_two()
                    || !(32..=COLUMNS).contains(&count)
                {
                    return Err(Stop::Fault(format!("`{}` of {count} columns", op.text)));
                }
                let start = self.dice.below(16) as usize;
                // The second of a pair takes what the first has got.
                let other = self.other_of(leader);
                let tensor = &self.ctas[cta].tensor;
                let pair = op.has("cta_group::2");
                let is_free = |first: &usize| {
                    let free = |at: usize| !(tensor.is_taken(at) || pair && other.is_taken(at));
                    (*first..first + count).all(|at| at < COLUMNS && free(at))
                };
                let before = other.taken.iter().find(|taken| !tensor.taken.contains(taken)).filter(|_| pair);
                let first = match before {
                    Some((first, _)) => Some(*first),
                    None => (0..16).map(|turn| (start + turn) % 16 * 32).find(is_free),
                };
                let Some(first) = first else {
                    return Err(Stop::Fault("deadlock: a warp waits for columns".to_owned()));
                };
                if self.ctas[cta].tensor.words.is_empty() {
                    let garbage = (0..LANES * COLUMNS).map(|_| self.dice.below(1 << 32) as u32).collect();
                    self.ctas[cta].tensor.words = garbage;
                }
                self.ctas[cta].tensor.taken.push((first, count));
                let (space, own) = match op.space() {
                    Some(space) => (space, to),
                    None => super::memory::resolve(to),
                };
                self.store(leader, space, own, 4, first as u64)
            }
            "dealloc" => {
                let first = cut(self.value(leader, &args[0], None)?, 32) as usize;
                let count = cut(self.value(leader, &args[1], None)?, 32) as usize;
                let taken = &mut self.ctas[cta].tensor.taken;
                let at = taken.iter().position(|taken| *taken == (first, count));
                let at = at.ok_or(Stop::Fault("columns that are not taken".to_owned()))?;
                taken.remove(at);
                Ok(())
            }
            "relinquish_alloc_permit" => {
                self.ctas[cta].tensor.closed = true;
                Ok(())
            }
            "ld" => self.move_words(op, members, &args, true),
            "st" => self.move_words(op, members, &args, false),
            "wait::ld" | "wait::st" => Ok(()),
            _ => Err(Stop::Refused(op.text.clone())),
        }
    }

    fn move_words(&mut self, op: &Op, members: &[usize], args: &[Arg], loads: bool) -> Result<(), Stop> {
        let refused = || Stop::Refused(op.text.clone());
        let shape = op.suffixes.iter().find(|suffix| suffix.contains('x') && suffix.ends_with(['b', '2']));
        let shape = shape.ok_or_else(refused)?.as_str();
        if op.has("red") {
            return Err(refused());
        }
        let leader = members[0];
        let address = self.address(leader, &args[usize::from(loads)])?;
        let (mut registers, mut split) = (&args[1 - usize::from(loads)], 0);
        if shape == "16x32bx2" {
            split = self.value(leader, &args[if loads { 2 } else { 1 }], None)? as usize;
            registers = if loads { &args[0] } else { &args[2] };
        }
        let one = [registers.clone()];
        let registers: &[Arg] = match registers {
            Arg::Vector(registers) => registers,
            _ => &one,
        };
        let (first, column) = ((address >> 16 & 0xffff) as usize, (address & 0xffff) as usize);
        let warp = self.threads[leader].linear as usize / 32;
        let halves = op.has("pack::16b") || op.has("unpack::16b");
        for (number, register) in registers.iter().enumerate() {
            for (lane, thread) in members.iter().enumerate() {
                let (row, at) = place(shape, lane, number).ok_or_else(refused)?;
                let apart = if shape == "16x32bx2" && lane >= 16 { split } else { 0 };
                let row = first + row;
                if row / 32 != warp % 4 {
                    return Err(Stop::Fault("lanes of tensor memory that are another warp's".to_owned()));
                }
                let start = column + apart + if halves { at * 2 } else { at };
                match (loads, halves) {
                    (true, false) => {
                        let word = self.word(*thread, row, start)?;
                        self.set(*thread, register, word.into())?;
                    }
                    (true, true) => {
                        let (low, high) =
                            (self.word(*thread, row, start)?, self.word(*thread, row, start + 1)?);
                        self.set(*thread, register, u64::from(low & 0xffff | high << 16))?;
                    }
                    (false, false) => {
                        let value = self.value(*thread, register, None)? as u32;
                        self.set_word(*thread, row, start, value)?;
                    }
                    (false, true) => {
                        let value = self.value(*thread, register, None)? as u32;
                        for (next, half) in [value & 0xffff, value >> 16].into_iter().enumerate() {
                            let garbage = (self.dice.below(1 << 16) as u32) << 16;
                            self.set_word(*thread, row, start + next, garbage | half)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn word(&self, thread: usize, lane: usize, column: usize) -> Result<u32, Stop> {
        let tensor = &self.ctas[self.threads[thread].cta].tensor;
        match lane < LANES && tensor.is_taken(column) {
            true => Ok(tensor.words[lane * COLUMNS + column]),
            false => Err(Stop::Fault(format!("column {column} of tensor memory, which is not taken"))),
        }
    }

    fn set_word(&mut self, thread: usize, lane: usize, column: usize, word: u32) -> Result<(), Stop> {
        self.word(thread, lane, column)?;
        let cta = self.threads[thread].cta;
        self.ctas[cta].tensor.words[lane * COLUMNS + column] = word;
        Ok(())
    }

    /// What one thread does.
    pub(super) fn in_tensor_memory(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        self.bulk = true;
        let what = match op.suffixes[0].as_str() {
            "fence::before_thread_sync" | "fence::after_thread_sync" => return Ok(()),
            "commit" => {
                let object = self.address(thread, &args[0])?;
                let ranks = match args.get(1) {
                    Some(arg) => Some(self.value(thread, arg, None)? & 0xffff),
                    None => None,
                };
                Background::Commit(object, ranks)
            }
            "cp" if !op.has("b8x16") => Background::Image {
                shape: op.suffixes[2..].join("."),
                address: self.address(thread, &args[0])?,
                descriptor: self.value(thread, &args[1], None)?,
                pair: op.has("cta_group::2"),
            },
            "mma" if !op.has("sp") && !op.has("ws") => {
                let mut given = Vec::new();
                for arg in args {
                    match arg {
                        Arg::Memory(..) => given.push(self.address(thread, arg)?),
                        Arg::Vector(parts) => {
                            for part in parts.iter() {
                                given.push(self.value(thread, part, None)?);
                            }
                        }
                        arg => given.push(self.value(thread, arg, None)?),
                    }
                }
                let held = matches!(args[1], Arg::Memory(..));
                let masked = args.iter().any(|arg| matches!(arg, Arg::Vector(_)));
                let kind = op.suffixes.iter().find_map(|suffix| suffix.strip_prefix("kind::"));
                let kind = kind.ok_or_else(|| Stop::Refused(op.text.clone()))?.to_owned();
                let blocks = match kind.as_str() {
                    _ if !op.has("block_scale") => 0,
                    _ if op.has("scale_vec::4X") || op.has("block16") => 4,
                    "mxf8f6f4" => 1,
                    _ => 2,
                };
                Background::Product { kind, held, masked, blocks, pair: op.has("cta_group::2"), given }
            }
            _ => return Err(Stop::Refused(op.text.clone())),
        };
        self.threads[thread].pending.push(Pending { group: None, what });
        Ok(())
    }

    pub(super) fn run_in_tensor_memory(
        &mut self,
        thread: usize,
        (kind, held, masked, blocks, pair): (&str, bool, bool, usize, bool),
        given: &[u64],
    ) -> Result<(), Stop> {
        let refused = |what: &str| Stop::Refused(format!("tcgen05.mma with {what}"));
        let idesc = given[3] as u32;
        let field = |low: u32, width: u32| (idesc >> low & ((1 << width) - 1)) as usize;
        let names = match kind {
            "f16" => ["f16", "bf16", "", "", "", ""],
            "tf32" => ["", "", "tf32", "", "", ""],
            "f8f6f4" | "mxf8f6f4" => ["e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1"],
            "mxf4" | "mxf4nvf4" => ["", "e2m1", "", "", "", ""],
            "i8" => ["u8", "s8", "", "", "", ""],
            _ => return Err(refused("such a kind")),
        };
        let element = |code: usize| names.get(code).and_then(|name| Element::named(name));
        let nibbles = kind.starts_with("mxf4");
        let (Some(a), Some(b)) = (element(field(7, 3)), element(field(10, 3) & if nibbles { 3 } else { 7 }))
        else {
            return Err(refused("such elements"));
        };
        let of_d = if blocks > 0 { 1 } else { field(4, 2) };
        let d = ["f16", "f32", "s32"].get(of_d).and_then(|name| Element::named(name));
        let d = d.ok_or_else(|| refused("such sums"))?;
        let k = match kind {
            "tf32" => 8,
            "f16" => 16,
            _ => {
                if nibbles {
                    64
                } else {
                    32
                }
            }
        };
        let (m, n) = (field(24, 5) * 16, field(17, 6) * 8);
        // Elements of a line of sixteen bytes.
        let in_line = if k == 32 { 16 } else { k / 2 };
        let sides = if pair { self.pair_of(thread) } else { vec![thread] };
        let m = m / sides.len();
        if field(2, 2) != 0 || !matches!(m, 64 | 128) || pair && m == 64 {
            return Err(refused("a descriptor of other products"));
        }
        let mut columns = Grid::new(0, k);
        for side in &sides {
            let each =
                self.matrix_of(*side, given[2], (b, in_line), (n / sides.len(), k), field(16, 1) == 1)?;
            columns.values.extend(each.values);
        }
        for side in sides {
            self.rows_of_product(
                side,
                columns.clone(),
                (m, n, k, in_line),
                [a, b, d],
                (held, masked, blocks),
                given,
            )?;
        }
        Ok(())
    }

    /// What a product does in one CTA, given the columns of B one after the other.
    fn rows_of_product(
        &mut self,
        thread: usize,
        mut columns: Grid,
        (m, n, k, in_line): (usize, usize, usize, usize),
        [a, b, d]: [Element; 3],
        (held, masked, blocks): (bool, bool, usize),
        given: &[u64],
    ) -> Result<(), Stop> {
        let refused = |what: &str| Stop::Refused(format!("tcgen05.mma with {what}"));
        let idesc = given[3] as u32;
        let field = |low: u32, width: u32| (idesc >> low & ((1 << width) - 1)) as usize;
        let row_of = |address: u64, row: usize| {
            (address >> 16) as usize + if m == 64 { row / 16 * 32 + row % 16 } else { row }
        };
        let mut left = Grid::new(m, k);
        if held && a.bits() < 8 && in_line == 16 {
            return Err(refused("bytes of less in tensor memory"));
        }
        if held {
            let each = 32 / a.bits() as usize;
            for row in 0..m {
                for col in 0..k {
                    let column = (given[1] & 0xffff) as usize + col / each;
                    let word = self.word(thread, row_of(given[1], row), column)?;
                    *left.at((row, col)) = cut(u64::from(word) >> (col % each * a.bits() as usize), a.bits());
                }
            }
        } else {
            left = self.matrix_of(thread, given[1], (a, in_line), (m, k), field(15, 1) == 1)?;
        }
        let mut right = Grid::new(k, n);
        for row in 0..k {
            for col in 0..n {
                *right.at((row, col)) = *columns.at((col, row));
            }
        }
        for (grid, bits, flag) in [(&mut left, a.bits(), field(13, 1)), (&mut right, b.bits(), field(14, 1))]
        {
            if flag == 1 {
                grid.values.iter_mut().for_each(|value| *value ^= 1 << (bits - 1));
            }
        }
        let rest = &given[if masked {
            8
        } else if blocks > 0 {
            6
        } else {
            4
        }..];
        let mut start = Grid::new(m, n);
        let scale = rest.get(1).copied().unwrap_or(0);
        for row in (0..m).filter(|_| rest[0] & 1 == 1) {
            for col in 0..n {
                let word = self.word(thread, row_of(given[0], row), (given[0] & 0xffff) as usize + col)?;
                let bits = cut(u64::from(word), d.bits());
                *start.at((row, col)) = match scale {
                    0 => bits,
                    _ if d.bits() == 32 => {
                        u64::from((f32::from_bits(bits as u32) / (1u32 << scale) as f32).to_bits())
                    }
                    _ => return Err(refused("a scale of sums of f16")),
                };
            }
        }
        let op = Op::new("tcgen05.mma");
        let mut sum = match blocks {
            0 => product(&op, [d, a, b, d], (m, n, k), left, right, start),
            _ => {
                let scale = if field(23, 1) == 1 { Format::Ue8m0 } else { Format::E4m3 };
                let of_a = self.scales_of(thread, given[4], m, (scale, field(29, 2), blocks))?;
                let of_b = self.scales_of(thread, given[5], n, (scale, field(4, 2), blocks))?;
                scaled_product([a, b], (m, n, k), [left, right, start], [of_a, of_b])
            }
        };
        for row in 0..m {
            let lane = row_of(given[0], row);
            if masked && given[4 + lane / 32] >> (lane % 32) & 1 == 1 {
                continue;
            }
            for col in 0..n {
                let garbage = if d.bits() == 16 { (self.dice.below(1 << 16) as u32) << 16 } else { 0 };
                let word = *sum.at((row, col)) as u32 | garbage;
                self.set_word(thread, lane, (given[0] & 0xffff) as usize + col, word)?;
            }
        }
        Ok(())
    }

    /// The matrix of a descriptor (9.7.16.4.1): that of a warpgroup's products but for the code of the swizzle, which
    /// is one bit longer.
    fn matrix_of(
        &self,
        thread: usize,
        descriptor: u64,
        element: (Element, usize),
        extent: (usize, usize),
        turned: bool,
    ) -> Result<Grid, Stop> {
        if descriptor >> 46 & 7 != 1 || descriptor >> 52 & 0x3ff != 0 {
            return Err(Stop::Refused("such a descriptor of a matrix".to_owned()));
        }
        self.lines(thread, descriptor, element, extent, turned)
    }

    /// What the other CTA of a thread's pair has taken.
    fn other_of(&self, thread: usize) -> Words {
        let own = self.threads[thread].cta;
        let others = self.pair_of(thread).into_iter().map(|one| self.threads[one].cta);
        let taken = others.filter(|cta| *cta != own).flat_map(|cta| self.ctas[cta].tensor.taken.clone());
        Words { taken: taken.collect(), ..Words::default() }
    }

    /// A thread of the CTA of even rank of a thread's pair, and one of the other.
    pub(super) fn pair_of(&self, thread: usize) -> Vec<usize> {
        let (all, rank) = self.cluster(self.threads[thread].cta);
        let of = |rank: usize| all.get(rank).map_or(thread, |cta| self.ctas[*cta].first);
        vec![of(rank & !1), of(rank | 1)]
    }

    /// The scales of so many lines: bytes of a column, 32 lines a column.
    fn scales_of(
        &mut self,
        thread: usize,
        address: u64,
        lines: usize,
        (format, byte, blocks): (Format, usize, usize),
    ) -> Result<Vec<Vec<f64>>, Stop> {
        let mut scales = Vec::new();
        for line in 0..lines {
            let copy = self.dice.below(4) as usize;
            let word = self.word(thread, copy * 32 + line % 32, address as usize + line / 32)?;
            let scale = |at: usize| soft::value(format, u64::from(word) >> (8 * (byte + at)) & 0xff);
            scales.push((0..blocks).map(scale).collect());
        }
        Ok(scales)
    }

    /// Rows of shared memory into lanes.
    pub(super) fn copy_image(
        &mut self,
        thread: usize,
        shape: &str,
        address: u64,
        descriptor: u64,
    ) -> Result<(), Stop> {
        let (size, _) = shape.split_once('b').unwrap_or((shape, ""));
        let (rows, bits) = size.split_once('x').ok_or_else(|| Stop::Refused(shape.to_owned()))?;
        let (rows, bits): (usize, usize) = match (rows.parse(), bits.parse()) {
            (Ok(rows), Ok(bits)) => (rows, bits),
            _ => return Err(Stop::Refused(shape.to_owned())),
        };
        let word = Element::named("b32").ok_or_else(|| Stop::Refused(shape.to_owned()))?;
        let mut image = self.matrix_of(thread, descriptor, (word, 4), (rows, bits / 32), false)?;
        let (first, column) = ((address >> 16) as usize, (address & 0xffff) as usize);
        for lane in first..LANES {
            // Which row a lane gets, by its warp.
            let (warp, within) = ((lane - first) / 32, (lane - first) % 32);
            let row = match shape {
                "4x256b" if within > 0 => continue,
                "4x256b" => warp,
                "64x128b.warpx2::02_13" => warp % 2 * 32 + within,
                "64x128b.warpx2::01_23" => warp / 2 * 32 + within,
                "32x128b.warpx4" => within,
                _ => lane - first,
            };
            for at in 0..bits / 32 {
                let word = *image.at((row, at)) as u32;
                self.set_word(thread, lane, column + at, word)?;
            }
        }
        Ok(())
    }

    /// Arrival at a barrier object, or at those at the same place in several CTAs.
    pub(super) fn commit(&mut self, thread: usize, object: u64, ranks: Option<u64>) -> Result<(), Stop> {
        let own = if object >> 32 == 0 { object } else { super::memory::resolve(object).1 };
        let cta = self.threads[thread].cta;
        let (there, place) = self.in_cluster(cta, own);
        let Some(ranks) = ranks else { return self.arrive(there, place, 1).map(|_| ()) };
        let (all, _) = self.cluster(cta);
        let named = all.into_iter().enumerate().filter(|(rank, _)| ranks >> rank & 1 == 1);
        named
            .map(|(_, cta)| cta)
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|cta| self.arrive(cta, place, 1).map(|_| ()))
    }
}

/// Whether something in the background comes after what its thread has started in tensor memory.
pub(super) fn is_in_order(what: &Background) -> bool {
    matches!(what, Background::Product { .. } | Background::Image { .. } | Background::Commit(..))
}
