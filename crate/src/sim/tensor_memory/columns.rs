//! Columns of tensor memory: who takes them, and gives them back (PTX ISA 9.0, 9.7.16.7.1).
//!
//! A warp takes as many columns as a power of two says, at least 32, side by side; where not so many are free, it waits
//! until others are given back, and in a pair of CTAs until a warp of the other one takes as many (`pairs`). Which ones it gets is the machine's choice: the lowest, the highest, or the lowest that
//! are not the first ([`super::super::looks`]).
//!
//! Guarantees: takes and gives that nothing orders depend on the schedule, and are told. Misses: whether several warps
//! may take columns, which the manual leaves open: they may, one after the other.

use super::order::Kind;
use super::{NOBODY, Own, UNITS};
use crate::base::Format;
use crate::isa::tensor_memory::{COLUMNS, LANES, UNIT};
use crate::isa::{Access, Space, Strength, WARP};
use crate::sim::barrier::Wait;
use crate::sim::machine::Machine;
use crate::sim::outcome::{AccessKind, FaultKind};
use crate::term::Value;

/// Columns that a warp has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    first: u32,
    count: u32,
    operation: u32,
    is_given: bool,
}

impl Own {
    /// The first of so many free columns side by side, here and in another CTA, as the machine chooses.
    fn free(&self, other: Option<[Option<u32>; UNITS]>, count: u32, world: u32) -> Option<u32> {
        let units = (count / UNIT) as usize;
        let all_free =
            |all: &[Option<u32>; UNITS], at: usize| all[at..at + units].iter().all(Option::is_none);
        let is_free =
            |at: &usize| all_free(&self.units, *at) && other.is_none_or(|other| all_free(&other, *at));
        let mut free = (0..=UNITS - units).filter(is_free);
        let at = match world {
            1 => free.next_back(),
            _ => {
                let lowest = free.next();
                if world == 0 { lowest } else { free.next().or(lowest) }
            }
        };
        at.map(|at| at as u32 * UNIT)
    }
}

impl<'a> Machine<'a> {
    /// How many columns an instruction is about, if it may be so many.
    fn column_count(&mut self, index: usize, pc: u32, at: usize) -> Option<u32> {
        let reg = self.kernel.src(&self.kernel.code[pc as usize])[at];
        let count = self.common(index, pc, reg, "the number of columns")? as u32;
        if count.is_power_of_two() && (UNIT..=COLUMNS).contains(&count) {
            return Some(count);
        }
        let what = format!(
            "executes `{}` for {count} columns; their number is a power of two from {UNIT} to {COLUMNS}",
            self.kernel.opcode(pc)
        );
        self.misuse_columns(index, pc, u32::MAX, what);
        None
    }

    /// A warp takes columns, once enough are free.
    pub(super) fn take_columns(&mut self, index: usize, pc: u32) {
        let Some(wanted) = self.column_count(index, pc, 1) else { return };
        let own = self.own_tensor_memory(index);
        let (relinquished, last) = (own.relinquished, own.taken.last().copied());
        if relinquished.is_some() {
            let what = format!(
                "executes `{}` after its thread block has executed tcgen05.relinquish_alloc_permit",
                self.kernel.opcode(pc)
            );
            self.misuse_columns(index, pc, u32::MAX, what);
            return;
        }
        if let Some(last) = last.filter(|last| last.count < wanted) {
            let what = format!(
                "takes {wanted} columns of tensor memory after its thread block has taken {}: each time at most as many as before",
                last.count
            );
            self.misuse_columns(index, pc, u32::MAX, what);
            return;
        }
        if last.is_some_and(|last| !self.is_before(last.operation, index, u32::MAX)) {
            let why = "which columns tcgen05.alloc gives where nothing orders it with another depends on the schedule";
            self.park(index, u32::MAX, pc, FaultKind::DependsOnSchedule(why.to_owned()));
            return;
        }
        let (first, since) = (self.warps[index].first() as usize, self.warps[index].step);
        self.waits[first..first + WARP].fill(Some(Wait::Columns { wanted, pc, since }));
        self.serve_columns();
    }

    /// Lets warps go on that wait for columns, if those are free.
    fn serve_columns(&mut self) {
        for index in 0..self.warps.len() {
            let first = self.warps[index].first() as usize;
            let Some(Some(Wait::Columns { wanted, pc, .. })) = self.waits.get(first).copied() else {
                continue;
            };
            let world = self.options.world.choice;
            if !self.takes_for_pair(pc) {
                let column = self.own_tensor_memory(index).free(None, wanted, world);
                column.into_iter().for_each(|column| self.resume_with_columns(index, column));
                continue;
            }
            let Some(partner) = self.partner(index, wanted) else { continue };
            let theirs = self.other_tensor_memory(index).units;
            let Some(column) = self.own_tensor_memory(index).free(Some(theirs), wanted, world) else {
                continue;
            };
            self.resume_with_columns(index, column);
            self.resume_with_columns(partner, column);
        }
    }

    /// A warp gets columns; whether their address could be written.
    pub(super) fn grant_columns(&mut self, index: usize, pc: u32, column: u32, count: u32) -> bool {
        let operation = self.start_operation(index, pc, u32::MAX, Kind::Life);
        let own = self.own_tensor_memory(index);
        let number = own.taken.len() as u32;
        own.taken.push(Taken { first: column, count, operation, is_given: false });
        own.units[(column / UNIT) as usize..((column + count) / UNIT) as usize].fill(Some(number));
        for at in column * LANES..(column + count) * LANES {
            own.cells[at as usize] = None;
        }
        // Who waits for the one before it has its columns, too.
        let spots = (column..column + count).flat_map(|column| (0..LANES).map(move |lane| (lane, column)));
        self.touch_tensor(index, operation, spots, AccessKind::Write);
        let rank = self.rank_of(index).0;
        self.memory.run_in(rank);
        let Some(addresses) = self.addresses(index, pc, u32::MAX) else { return false };
        if addresses.iter().any(|address| *address != addresses[0]) {
            let why = "the address that tcgen05.alloc writes to must be the same in all lanes".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return false;
        }
        let space = if addresses[0] >> 32 == 0 { Space::Shared } else { Space::Generic };
        let access = Access { space, format: Format::B32, vector: 1, strength: Strength::Weak };
        let spot = self.aligned_spot(index, pc, 0, access, AccessKind::Write, addresses[0], 4, 4);
        let Some((region, offset)) = spot else {
            self.halt(index, u32::MAX);
            return false;
        };
        if self.memory.regions[region].space != Space::Shared {
            let why = "tcgen05.alloc writes to shared memory alone".to_owned();
            self.park(index, u32::MAX, pc, FaultKind::Unsupported(why));
            return false;
        }
        self.touch(index, pc, AccessKind::Write, region, offset, 4);
        self.put((index, pc, 0), region, offset, 4, Value::Concrete(u64::from(column)));
        true
    }

    /// A warp gives columns back, all that it took with one instruction.
    pub(super) fn give_columns(&mut self, index: usize, pc: u32) {
        let reg = self.kernel.src(&self.kernel.code[pc as usize])[0];
        let Some(address) = self.common(index, pc, reg, "the address") else { return };
        let Some(count) = self.column_count(index, pc, 1) else { return };
        let address = address as u32;
        let own = self.own_tensor_memory(index);
        let there = |taken: &Taken| (taken.first, taken.count) == (address, count);
        let at = own.taken.iter().rposition(|taken| there(taken) && !taken.is_given);
        let was = own.taken.iter().any(there);
        let Some(at) = at else {
            let why = if was {
                "which are given back already"
            } else {
                "which no tcgen05.alloc has given together"
            };
            let what =
                format!("gives back {count} columns of tensor memory from address {address:#010x} on, {why}");
            self.misuse_columns(index, pc, u32::MAX, what);
            return;
        };
        own.taken[at].is_given = true;
        let operation = self.start_operation(index, pc, u32::MAX, Kind::Life);
        let spots = (address..address + count).flat_map(|column| (0..LANES).map(move |lane| (lane, column)));
        self.touch_tensor(index, operation, spots, AccessKind::Write);
        let own = self.own_tensor_memory(index);
        let units = (address / UNIT) as usize..((address + count) / UNIT) as usize;
        own.units[units.clone()].fill(None);
        own.given[units].fill(operation);
        self.serve_columns();
    }

    /// A CTA takes no more columns.
    pub(super) fn relinquish_columns(&mut self, index: usize, pc: u32) {
        let operation = self.start_operation(index, pc, u32::MAX, Kind::Life);
        let own = self.own_tensor_memory(index);
        own.relinquished = Some(operation);
        let last = own.taken.last().map_or(NOBODY, |taken| taken.operation);
        if last != NOBODY && !self.is_before(last, index, u32::MAX) {
            let why = "whether tcgen05.alloc comes before tcgen05.relinquish_alloc_permit, behind which it is illegal, depends on the schedule";
            self.park(index, u32::MAX, pc, FaultKind::DependsOnSchedule(why.to_owned()));
        }
    }

    /// The CTAs have come to their end, and hold columns.
    pub(in crate::sim) fn end_tensor_memory(&mut self) {
        let over = self.warps.iter().all(|warp| warp.alive() == 0 && warp.faulted == 0);
        if !over || !self.races.found.is_empty() {
            return;
        }
        let kept: Vec<Taken> = self
            .tensor_memory
            .own
            .iter()
            .flat_map(|own| own.taken.iter().filter(|taken| !taken.is_given).copied())
            .collect();
        for taken in kept {
            let site = self.site_of(taken.operation);
            let what = format!(
                "takes {} columns of tensor memory that nobody gives back: a tcgen05.dealloc is missing before the thread block ends",
                taken.count
            );
            self.list_at(Some(site), FaultKind::Misuse(crate::sim::outcome::Misuse::Columns, what));
        }
    }
}
