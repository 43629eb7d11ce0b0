//! Loads from and stores into tensor memory, by whole warps (PTX ISA 9.0, 9.7.16.8).
//!
//! The warp of number w in its CTA reaches the lanes from 32 · (w mod 4) on. Where its registers lie there, `TensorMove`
//! says. A register of two halves (`.pack::16b`, `.unpack::16b`) is the lower half of two columns; the upper halves of
//! columns that a store of halves writes are undefined afterwards, because the manual does not say what is there.

use super::TensorMemory;
use super::order::{Kind, Spot};
use crate::isa::WARP;
use crate::isa::tensor_memory::{LANES, TensorMove, TensorPlace, TensorShape};
use crate::sim::gaps::{concat, slice};
use crate::sim::machine::Machine;
use crate::sim::outcome::{AccessKind, FaultKind, Misuse, Site, Unwritten};
use crate::term::{Terms, Value};

/// Lanes that a warp reaches.
const REACH: u32 = LANES / 4;

/// Where a load or store begins.
#[derive(Clone, Copy)]
struct From {
    lane: u32,
    column: u32,
    /// Columns from there to the second half.
    split: u32,
    halves: bool,
}

impl From {
    /// The first of the one or two places of a register.
    fn spot(self, place: TensorPlace) -> Spot {
        let scale = if self.halves { 2 } else { 1 };
        let split = if place.second { self.split } else { 0 };
        (self.lane + place.lane, self.column + split + place.column * scale)
    }
}

impl<'a> Machine<'a> {
    /// Where a warp's load or store goes, entered as an operation that touches it; `None` after a fault.
    fn start_move(&mut self, index: usize, pc: u32, moved: TensorMove, kind: Kind) -> Option<From> {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let address = self.common(index, pc, src[0], "the address")? as u32;
        let split = match moved.shape {
            TensorShape::L16B32X2 => self.common(index, pc, src[1], "the offset of the second half")? as u32,
            _ => 0,
        };
        let from = From { lane: address >> 16, column: address & 0xffff, split, halves: moved.halves };
        let lanes = moved.shape.lanes();
        let (_, warps) = self.rank_of(index);
        let warp = (index % warps) as u32;
        let mine = warp % 4 * REACH;
        if from.lane < mine || from.lane + lanes > mine + REACH {
            let what = format!(
                "executes `{}` on the lanes {} to {} of tensor memory; warp {warp} reaches {mine} to {}",
                kernel.opcode(pc),
                from.lane,
                from.lane + lanes - 1,
                mine + REACH - 1
            );
            self.park(index, u32::MAX, pc, FaultKind::Misuse(Misuse::Columns, what));
            return None;
        }
        if !(from.lane - mine).is_multiple_of(lanes) {
            let why = format!(
                "`{}` from lane {} on, between those that it begins at",
                kernel.opcode(pc),
                from.lane
            );
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return None;
        }
        if split > 0xffff {
            let why = "an offset of the second half that is no number of columns".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return None;
        }
        let operation = self.start_operation(index, pc, u32::MAX, kind);
        let mut spots: Vec<Spot> = Vec::with_capacity(WARP * usize::from(moved.registers) * 2);
        for number in 0..u32::from(moved.registers) {
            for lane in 0..WARP as u32 {
                let (lane, column) = from.spot(moved.place(lane, number));
                spots.push((lane, column));
                if moved.halves {
                    spots.push((lane, column + 1));
                }
            }
        }
        let columns = spots.iter().map(|(_, column)| *column);
        let (least, most) = (columns.clone().min()?, columns.max()?);
        let width = most + 1 - split - least;
        let halves = if split > 0 { 2 } else { 1 };
        for first in [least, least + split].into_iter().take(halves) {
            if !self.columns_are_taken(index, operation, u32::MAX, first..first + width, from.lane) {
                return None;
            }
        }
        let (which, access) = match kind {
            Kind::Load => (0, AccessKind::Read),
            _ => (1, AccessKind::Write),
        };
        self.touch_tensor(index, operation, spots.into_iter(), access);
        self.tensor_memory.moving[index][which].push(operation);
        Some(from)
    }

    pub(super) fn load_tensor(&mut self, index: usize, pc: u32, moved: TensorMove) {
        let kernel = self.kernel;
        let Some(from) = self.start_move(index, pc, moved, Kind::Load) else { return };
        for (number, reg) in kernel.dst(&kernel.code[pc as usize]).iter().enumerate() {
            for lane in 0..WARP as u32 {
                let spot = from.spot(moved.place(lane, number as u32));
                let value = match moved.halves {
                    false => self.cell(index, pc, lane, spot),
                    true => {
                        let [low, high] = [0, 1].map(|next| {
                            let cell = self.cell(index, pc, lane, (spot.0, spot.1 + next));
                            slice(&mut self.terms, cell, 32, 0, 16)
                        });
                        concat(&mut self.terms, low, high, 32)
                    }
                };
                self.warps[index].set(*reg, lane, value);
            }
        }
    }

    pub(super) fn store_tensor(&mut self, index: usize, pc: u32, moved: TensorMove) {
        let kernel = self.kernel;
        let Some(from) = self.start_move(index, pc, moved, Kind::Store) else { return };
        let src = kernel.src(&kernel.code[pc as usize]);
        let regs = &src[src.len() - usize::from(moved.registers)..];
        for (number, reg) in regs.iter().enumerate() {
            for lane in 0..WARP as u32 {
                let spot = from.spot(moved.place(lane, number as u32));
                let value = self.warps[index].get(*reg, lane);
                if !moved.halves {
                    self.set_cell(index, spot, value);
                    continue;
                }
                for next in 0..2 {
                    let half = slice(&mut self.terms, value, 32, next * 16, 16);
                    let spot = (spot.0, spot.1 + next);
                    let cell = self.lower_half(half);
                    self.set_cell(index, spot, cell);
                }
            }
        }
    }

    /// What a column holds whose lower half was written alone.
    pub(super) fn lower_half(&mut self, half: Value) -> Value {
        let nothing = match self.tensor_memory.nothing {
            Some(nothing) => nothing,
            None => {
                let nothing = self.nothing_from(Unwritten::Register("an upper half".to_owned()));
                *self.tensor_memory.nothing.insert(nothing)
            }
        };
        let upper = slice(&mut self.terms, nothing, 32, 0, 16);
        concat(&mut self.terms, half, upper, 32)
    }

    /// What is in a place of tensor memory, as a lane reads it: what nobody has written is missing from here on.
    pub(super) fn cell(&mut self, index: usize, pc: u32, lane: u32, spot: Spot) -> Value {
        let there = self.own_tensor_memory(index).cells[TensorMemory::index(spot.0, spot.1)];
        let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
        let unwritten = Unwritten::Column(spot.0, spot.1, site);
        let Some(there) = there else { return self.nothing_from(unwritten) };
        let Value::Undefined(_) = there else { return there };
        let origin = |terms: &Terms, value: Value| terms.missing(value).first().map(|missing| missing.origin);
        let upper = self.tensor_memory.nothing.and_then(|nothing| origin(&self.terms, nothing));
        let mut missing = self.terms.missing(there).to_vec();
        if missing.iter().all(|missing| Some(missing.origin) != upper) {
            return there;
        }
        let nothing = self.nothing_from(unwritten);
        let read = origin(&self.terms, nothing);
        for one in missing.iter_mut().filter(|one| Some(one.origin) == upper) {
            one.origin = read.unwrap_or(one.origin);
        }
        let present = self.terms.present(there);
        self.terms.incomplete(present, missing)
    }

    pub(super) fn set_cell(&mut self, index: usize, spot: Spot, value: Value) {
        self.own_tensor_memory(index).cells[TensorMemory::index(spot.0, spot.1)] = Some(value);
    }
}
