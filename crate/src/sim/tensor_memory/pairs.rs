//! Pairs of CTAs that work on products together (`.cta_group::2`; PTX ISA 9.0, 9.7.16.5).
//!
//! The CTAs of a cluster whose ranks differ in the lowest bit are a pair. Columns are taken by a warp of each, which wait
//! for one another and get the same ones. What a thread of either starts works in both: with their own shared memory, at
//! the same addresses, and their own lanes and columns.
//!
//! Guarantees: whoever starts something in the other CTA must know that it has begun. Misses: that columns are given back
//! together is not waited for; a CTA that does not is told that it keeps them.

use super::Own;
use crate::ir::Kernel;
use crate::isa::{Effect, TensorMemoryOp, WARP};
use crate::sim::barrier::Wait;
use crate::sim::machine::Machine;
use crate::sim::outcome::FaultKind;

/// Whether some of a kernel's instructions are for pairs and others are not.
pub(super) fn is_mixed(kernel: &Kernel) -> bool {
    let mut said = kernel.code.iter().filter_map(|instr| match instr.effect {
        Effect::TensorMemory(op) => op.is_of_pair(),
        _ => None,
    });
    let first = said.next();
    said.any(|pair| Some(pair) != first)
}

impl Machine<'_> {
    /// Whether a warp has the pair that an instruction is for, if it is for one.
    pub(super) fn is_paired(&mut self, index: usize, pc: u32, mask: u32, op: TensorMemoryOp) -> bool {
        let why = match op.is_of_pair() {
            Some(_) if self.tensor_memory.is_mixed => {
                "instructions with .cta_group::1 and .cta_group::2 in one kernel"
            }
            Some(true) if !self.tensor_memory.own.len().is_multiple_of(2) => {
                "an instruction with .cta_group::2 in a cluster that has no pairs of thread blocks"
            }
            _ => return true,
        };
        self.park(index, mask, pc, FaultKind::Unsupported(why.to_owned()));
        false
    }

    /// The rank of the CTA whose tensor memory a warp works on.
    pub(super) fn rank_of_tensor_memory(&self, index: usize) -> usize {
        self.rank_of(index).0 as usize ^ usize::from(self.tensor_memory.in_other)
    }

    /// Does something in one CTA of a warp's pair: the one of even rank, or the other.
    pub(super) fn in_pair<T>(
        &mut self,
        by: (usize, u32, u32),
        odd: bool,
        what: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (index, pc, lane) = by;
        let own = self.rank_of(index).0;
        let rank = own & !1 | u32::from(odd);
        if rank == own {
            return what(self);
        }
        self.note_remote(index, pc, 1 << lane, rank);
        self.memory.run_in(rank);
        self.tensor_memory.in_other = true;
        let done = what(self);
        self.tensor_memory.in_other = false;
        self.memory.run_in(own);
        done
    }

    /// The warp of the other CTA that waits for as many columns, to take them together.
    pub(super) fn partner(&self, index: usize, wanted: u32) -> Option<usize> {
        let (rank, warps) = self.rank_of(index);
        let first = (rank ^ 1) as usize * warps;
        (first..first + warps).find(|other| {
            let thread = self.warps[*other].first() as usize;
            matches!(self.waits.get(thread), Some(Some(Wait::Columns { wanted: theirs, .. })) if *theirs == wanted)
        })
    }

    /// Whether a warp waits for columns of a pair.
    pub(super) fn takes_for_pair(&self, pc: u32) -> bool {
        matches!(
            self.kernel.code[pc as usize].effect,
            Effect::TensorMemory(TensorMemoryOp::Allocate { pair: true })
        )
    }

    /// Tensor memory of the other CTA of a warp's pair.
    pub(super) fn other_tensor_memory(&mut self, index: usize) -> &mut Own {
        let rank = self.rank_of(index).0 as usize ^ 1;
        let own = &mut self.tensor_memory.own[rank];
        own.prepare();
        own
    }

    /// A warp that waited for columns goes on.
    pub(super) fn resume_with_columns(&mut self, index: usize, column: u32) {
        let first = self.warps[index].first() as usize;
        let Some(Some(Wait::Columns { wanted, pc, since })) = self.waits.get(first).copied() else { return };
        self.waits[first..first + WARP].fill(None);
        let step = self.warps[index].step;
        if step > since {
            let kind = crate::sim::trace::SegmentKind::WaitWarp;
            self.trace.segment(index as u32, (since, step), u32::MAX, kind, pc);
        }
        if self.grant_columns(index, pc, column, wanted) {
            self.warps[index].resume(pc + 1, u32::MAX);
        }
    }
}
