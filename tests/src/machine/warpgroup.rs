//! Products of four warps that run beside them: `wgmma`.
//!
//! A product begins when each of its four warps has executed it, and runs as a whole at some moment between that and
//! the end of a wait for its group: then it reads its matrices and its accumulators, and writes these. Products of a
//! warpgroup run in order.
//! Misses: sparse products are refused.
//!
//! Source: PTX ISA 9.0, 9.7.15.

use super::integer::cut;
use super::matrix::{Element, Grid, product, shape};
use super::memory::Space;
use super::op::Op;
use super::program::Arg;
use super::run::{Machine, Stop};
use std::rc::Rc;

/// A product that some of the four warps have executed.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// The first thread of the warpgroup.
    first: usize,
    pc: usize,
    /// The operands behind D, as numbers; of A in registers 0.
    given: Vec<u64>,
    /// Of each warp the group that it belongs to, counted from 0, once the warp has executed it.
    groups: [Option<u64>; 4],
}

impl Machine<'_> {
    pub(super) fn warpgroup(&mut self, op: &Rc<Op>, members: &[usize]) -> Result<(), Stop> {
        let refused = || Stop::Refused(op.text.clone());
        if members.len() < 32 {
            return Err(Stop::Fault(format!("`{}` without all lanes of its warp", op.text)));
        }
        let leader = members[0];
        let cta = self.threads[leader].cta;
        let warp = (leader - self.ctas[cta].first) / 32;
        match op.suffixes[0].as_str() {
            "fence" => Ok(()),
            "commit_group" => {
                self.threads[leader].product_groups += 1;
                let waiting: Vec<usize> = (0..4).map(|other| leader - warp % 4 * 32 + other * 32).collect();
                for thread in waiting.into_iter().filter(|thread| *thread != leader) {
                    self.try_collective(thread)?;
                }
                Ok(())
            }
            "wait_group" => {
                while let Some(at) =
                    self.ctas[cta].products.iter().position(|begun| self.is_due(leader, begun))
                {
                    let begun = self.ctas[cta].products.remove(at);
                    self.run_product(&begun)?;
                }
                Ok(())
            }
            "mma_async" => {
                if op.has("sp") {
                    return Err(refused());
                }
                let (first, pc) = (leader - warp % 4 * 32, self.threads[leader].pc);
                let args = &self.program.code[pc].args;
                let given: Vec<u64> = args[1..]
                    .iter()
                    .map(|arg| match arg {
                        Arg::Vector(_) => Ok(0),
                        arg => self.value(leader, arg, None),
                    })
                    .collect::<Result<_, _>>()?;
                let group = self.threads[leader].product_groups;
                let products = &mut self.ctas[cta].products;
                let open = products
                    .iter_mut()
                    .find(|begun| begun.first == first && begun.groups[warp % 4].is_none());
                match open {
                    Some(begun) if (begun.pc, &begun.given) == (pc, &given) => {
                        begun.groups[warp % 4] = Some(group)
                    }
                    Some(_) => {
                        return Err(Stop::Fault(
                            "warps of a warpgroup execute different products".to_owned(),
                        ));
                    }
                    None => {
                        let mut groups = [None; 4];
                        groups[warp % 4] = Some(group);
                        products.push(Begun { first, pc, given, groups });
                    }
                }
                // Now and then it runs at once.
                if self.dice.below(2) == 0 {
                    let of_mine = |begun: &Begun| begun.first == first;
                    let complete = |begun: &Begun| begun.groups.iter().all(Option::is_some);
                    while let Some(at) = self.ctas[cta].products.iter().position(of_mine)
                        && complete(&self.ctas[cta].products[at])
                    {
                        let begun = self.ctas[cta].products.remove(at);
                        self.run_product(&begun)?;
                    }
                }
                Ok(())
            }
            _ => Err(refused()),
        }
    }

    /// Whether a warp's wait is for a product.
    fn is_due(&self, leader: usize, begun: &Begun) -> bool {
        let thread = &self.threads[leader];
        let warp = (leader - self.ctas[thread.cta].first) / 32;
        let left = match self.program.code[thread.pc].args.first() {
            Some(arg) => self.value(leader, arg, None).unwrap_or(0),
            None => 0,
        };
        let mine = begun.first == leader - warp % 4 * 32;
        mine && begun.groups[warp % 4].is_some_and(|group| group + left < thread.product_groups)
    }

    /// Whether a warp that waits for products has to wait for others of its warpgroup: to execute a product, or to
    /// close its group.
    pub(super) fn lacks_others(&self, leader: usize) -> bool {
        let cta = &self.ctas[self.threads[leader].cta];
        cta.products.iter().filter(|begun| self.is_due(leader, begun)).any(|begun| {
            (0..4).any(|warp| {
                let thread = begun.first + warp * 32;
                begun.groups[warp].is_none_or(|group| group >= self.threads[thread].product_groups)
            })
        })
    }

    fn run_product(&mut self, begun: &Begun) -> Result<(), Stop> {
        let inst = &self.program.code[begun.pc];
        let (op, args) = (inst.op.clone(), inst.args.clone());
        let refused = || Stop::Refused(op.text.clone());
        let (_, n, k) = shape(&op).ok_or_else(refused)?;
        let at = op.suffixes.iter().position(|suffix| suffix.starts_with("m64n")).ok_or_else(refused)?;
        let names: Vec<Element> =
            op.suffixes[at + 1..].iter().filter_map(|name| Element::named(name)).collect();
        let [d, a, b] = names[..] else { return Err(refused()) };
        let signs = begun.given.get(3..5).map_or(1, |signs| signs[0] as u32 as i32 * signs[1] as u32 as i32);
        let turned = |at: usize| begun.given.get(at).is_some_and(|flag| *flag != 0);
        let registers = matches!(args[1], Arg::Vector(_));
        let b_grid = self.lines(
            begun.first,
            begun.given[1],
            (b, 128 / b.bits() as usize),
            (n, k),
            turned(if registers { 5 } else { 6 }),
        )?;
        for warp in 0..4 {
            let thread = |lane: usize| begun.first + warp * 32 + lane;
            let mut left = Grid::new(16, k);
            if registers {
                let each = (32 / a.bits()) as usize;
                let Arg::Vector(parts) = &args[1] else { return Err(refused()) };
                for lane in 0..32 {
                    for (register, arg) in parts.iter().enumerate() {
                        let value = self.value(thread(lane), arg, None)?;
                        for part in 0..each {
                            let row = lane / 4 + register % 2 * 8;
                            let col = register / 2 * 4 * each + lane % 4 * each + part;
                            *left.at((row, col)) = cut(value >> (part as u32 * a.bits()), a.bits());
                        }
                    }
                }
            } else {
                let mut whole = self.lines(
                    begun.first,
                    begun.given[0],
                    (a, 128 / a.bits() as usize),
                    (64, k),
                    turned(5),
                )?;
                for row in 0..16 {
                    for col in 0..k {
                        *left.at((row, col)) = *whole.at((warp * 16 + row, col));
                    }
                }
            }
            if signs < 0 {
                left.values.iter_mut().for_each(|bits| *bits ^= 1 << (a.bits() - 1));
            }
            let mut right = Grid::new(k, n);
            let mut columns = b_grid.clone();
            for row in 0..k {
                for col in 0..n {
                    *right.at((row, col)) = *columns.at((col, row));
                }
            }
            let Arg::Vector(sums) = &args[0] else { return Err(refused()) };
            let each = (32 / d.bits()) as usize;
            let place = |lane: usize, slot: usize| {
                (lane / 4 + slot % 4 / 2 * 8, slot / 4 * 8 + lane % 4 * 2 + slot % 2)
            };
            let mut start = Grid::new(16, n);
            for lane in (0..32).filter(|_| begun.given[2] & 1 == 1) {
                for (register, arg) in sums.iter().enumerate() {
                    let value = self.value(thread(lane), arg, None)?;
                    for part in 0..each {
                        let bits = cut(value >> (part as u32 * d.bits()), d.bits());
                        *start.at(place(lane, register * each + part)) = bits;
                    }
                }
            }
            let mut sum = product(&op, [d, a, b, d], (16, n, k), left, right, start);
            for lane in 0..32 {
                for (register, arg) in sums.iter().enumerate() {
                    let bits = (0..each).fold(0, |bits, part| {
                        bits | *sum.at(place(lane, register * each + part)) << (part as u32 * d.bits())
                    });
                    self.set(thread(lane), arg, bits)?;
                }
            }
        }
        Ok(())
    }

    /// The matrix of a descriptor, row by row of A or column by column of B (9.7.15.5.1.2): in units of 16 bytes, where
    /// the first index runs along memory. Eight units of the other direction follow one another at the width of the
    /// swizzle; the offsets lead on from there.
    pub(super) fn lines(
        &self,
        thread: usize,
        descriptor: u64,
        (element, in_unit): (Element, usize),
        (outer, depth): (usize, usize),
        turned: bool,
    ) -> Result<Grid, Stop> {
        let field = |from: u32| (descriptor >> from & 0x3fff) << 4;
        let (start, leading, stride) = (field(0), field(16), field(32));
        if descriptor >> 49 & 7 != 0 {
            return Err(Stop::Refused("a base offset".to_owned()));
        }
        let width: u64 = match descriptor >> 62 {
            0 => 16,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        let units = width / 16;
        let mut grid = Grid::new(outer, depth);
        for row in 0..outer {
            for col in 0..depth {
                let (along, across) = if turned { (row, col) } else { (col, row) };
                let (unit, inside) = ((along / in_unit) as u64, along % in_unit);
                let (eight, of_eight) = (across as u64 / 8, across as u64 % 8);
                let offset = match (turned, units) {
                    (false, 1) => unit * leading + eight * stride,
                    (true, 1) => unit * stride + eight * leading,
                    (false, _) => unit * 16 + eight * stride,
                    (true, _) => unit / units * leading + unit % units * 16 + eight * stride,
                };
                let linear = start + offset + of_eight * width;
                // Lines of 128 bytes, and which unit of one it is.
                let (line, place) = (linear / 128, linear / 16 % 8);
                let address = line * 128 + (place ^ (line % 8 % units)) * 16;
                let bit = inside as u32 * element.bits();
                // Side by side from the low end of the unit.
                let mut value = 0;
                for byte in 0..(bit % 8 + element.bits()).div_ceil(8) {
                    let at = address + u64::from(bit / 8 + byte);
                    value |= self.load(thread, Space::Shared, self.own_shared(thread, at), 1)? << (8 * byte);
                }
                *grid.at((row, col)) = cut(value >> (bit % 8), element.bits());
            }
        }
        Ok(grid)
    }
}
