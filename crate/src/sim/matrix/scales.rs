//! Scales of blocks: what a product with `.block_scale` multiplies its factors with.
//!
//! Of a row of A, or a column of B, each block of elements along k has a factor. `mma` takes them out of a register
//! of each lane: for a column of B out of one lane of its group of four, for a row of A out of one of a pair of lanes,
//! the first of which gives row g, the second row g + 8. Over the reals the elements are multiplied with their factors
//! first, so that a product is the same chain of multiply-adds as any other.
//!
//! Guarantees: a factor is exact. Misses: E4M3 as a factor has no sign (UE4M3); that symbolic ones are not negative is
//! in the ledger.
//!
//! Source: PTX ISA 9.0, 9.7.14.3; which lane gives what is a figure there, and in numbers in CUTLASS's
//! `mma_traits_sm120.hpp` (`SFALayout`, `SFBLayout`).

use super::{Factor, Machine, Matrix};
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::{self, Part, Scales, WARP};
use crate::sim::bits::slice;
use crate::sim::outcome::FaultKind;
use crate::term::Value;

/// What the ledger says of factors without a sign.
const UNSIGNED: &str = "scales of blocks that a product reads as UE4M3 are not negative";

impl Machine<'_> {
    /// The scales that a warp holds for one factor, line by line: a register of data, which byte is the first, which
    /// lanes give it. `None` after a fault.
    pub(super) fn held_scales(
        &mut self,
        (index, pc): (usize, u32),
        scales: Scales,
        part: Part,
        [data, byte, lane]: [Reg; 3],
    ) -> Option<Matrix> {
        let all = u32::MAX;
        let mut chosen = [0; 2];
        for (chosen, reg) in chosen.iter_mut().zip([byte, lane]) {
            if self.concrete_lanes(index, pc, all, reg, "the selector of scales") != all {
                return None;
            }
            let words = self.warps[index].lanes(reg).map(|word| word as u16);
            *chosen = u32::from(words[0]);
            if words.iter().any(|word| *word != words[0]) {
                *chosen = u32::MAX;
            }
        }
        let [byte, giver] = chosen;
        let (lines, givers) = if part == Part::A { (16, 2) } else { (8, 4) };
        let blocks = u32::from(scales.blocks);
        if byte > 4 - blocks || byte % blocks != 0 || giver >= givers {
            let why =
                "a selector of scales that is undefined for this instruction, or not the same in all lanes";
            self.park(index, all, pc, FaultKind::Unsupported(why.to_owned()));
            return None;
        }
        let mut values = Vec::with_capacity(WARP);
        for line in 0..lines {
            let lane = match part {
                Part::A => line % 8 * 4 + giver * 2 + line / 8,
                Part::B | Part::Sum => line * 4 + giver,
            };
            let word = self.warps[index].get(data, lane);
            for block in 0..blocks {
                values.push(slice(&mut self.terms, word, 32, (byte + block) * 8, 8));
            }
        }
        self.scales(index, pc, all, scales, values)
    }

    /// Scales in the bytes of these values, line by line; `None` after a fault.
    pub(in crate::sim) fn scales(
        &mut self,
        index: usize,
        pc: u32,
        lanes: u32,
        scales: Scales,
        values: Vec<Value>,
    ) -> Option<Matrix> {
        if scales.format == Format::E4m3 {
            if values.iter().any(|value| matches!(value, Value::Concrete(bits) if bits & 0x80 != 0)) {
                let why = "a scale of a block in UE4M3 whose highest bit is set".to_owned();
                self.park(index, lanes, pc, FaultKind::Unsupported(why));
                return None;
            }
            if values.iter().any(|value| matches!(value, Value::Symbolic(_))) {
                self.granted.entry(UNSIGNED).or_insert((0, pc)).0 += 1;
            }
        }
        let blocks = usize::from(scales.blocks);
        Some(Matrix::new(values.len() / blocks, blocks, scales.format, values))
    }
}

impl Factor {
    /// A factor whose lines, rows of A or columns of B, have scales for their blocks.
    pub(in crate::sim) fn scaled(
        machine: &mut Machine<'_>,
        matrix: Matrix,
        mut scales: Matrix,
        part: Part,
    ) -> Factor {
        let mut factor = Factor::new(machine, matrix);
        let (rows, cols, blocks) = (factor.matrix.rows, factor.matrix.cols, scales.cols);
        // The first element of a block; what it lacks, all of its line lacks.
        let (step, depth) = if part == Part::A { (1, cols) } else { (cols, rows) };
        let start =
            |line: usize, at: usize| if part == Part::A { line * cols + at } else { line + at * step };
        for (at, missing) in scales.complete(&machine.terms) {
            factor.lacks.push((start(at / blocks, at % blocks * (depth / blocks)), missing));
        }
        let numbers = scales.numbers(machine);
        for line in 0..scales.rows {
            for at in 0..depth {
                let number = &mut factor.numbers[start(line, at)];
                *number = machine.terms.mul(*number, numbers[line * blocks + at * blocks / depth]);
            }
        }
        factor.scales = Some(scales);
        factor
    }
}

/// The factors of the blocks of a row and a column together, if all are known; none where nothing is scaled.
pub(super) fn factors((left, row): (&Factor, usize), (right, column): (&Factor, usize)) -> Option<Vec<f64>> {
    let (Some(a), Some(b)) = (&left.scales, &right.scales) else { return Some(Vec::new()) };
    let value = |scales: &Matrix, line: usize, block: usize| match scales.values[line * scales.cols + block] {
        Value::Concrete(bits) => Some(isa::scale_value(scales.format, bits)),
        _ => None,
    };
    (0..a.cols).map(|block| Some(value(a, row, block)? * value(b, column, block)?)).collect()
}
