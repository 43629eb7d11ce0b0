//! In which rounds of the loops around aligned barriers the lanes of a warp are.
//!
//! Only differences matter, so a branch back that all lanes of a warp take together counts for none of
//! them; warps that stay together pay nothing. A branch back of a larger loop begins the rounds of the
//! loops within it anew. Which loops there are: [`crate::ir::Round`].

use super::race::lanes;
use crate::ir::Kernel;
use crate::isa::WARP;
use std::collections::BTreeMap;

/// By warp and loop, rounds of each lane beyond those that all went together.
#[derive(Default)]
pub(super) struct Rounds {
    ahead: BTreeMap<(usize, usize), [u32; WARP]>,
}

impl Rounds {
    /// Lanes of a warp, of which those of `alive` run, take the branch back at `pc`.
    #[cold]
    pub(super) fn back(&mut self, kernel: &Kernel, warp: usize, pc: u32, mask: u32, alive: u32) {
        let Some(at) = kernel.rounds.iter().position(|round| round.branches.contains(&pc)) else { return };
        for inner in &kernel.rounds[at].within {
            if let Some(ahead) = self.ahead.get_mut(&(warp, *inner)) {
                lanes(mask).for_each(|lane| ahead[lane as usize] = 0);
            }
        }
        if mask != alive {
            let ahead = self.ahead.entry((warp, at)).or_insert([0; WARP]);
            lanes(mask).for_each(|lane| ahead[lane as usize] += 1);
        }
    }

    /// The rounds that a lane is in of the loops around an aligned barrier; nothing where no lane of the
    /// warp has been apart from the others.
    pub(super) fn of(&self, kernel: &Kernel, warp: usize, pc: u32, lane: u32) -> Vec<u32> {
        if self.ahead.is_empty() {
            return Vec::new();
        }
        let around = kernel.rounds.iter().enumerate();
        let around = around.filter(|(_, round)| round.barriers.binary_search(&pc).is_ok());
        let counts: Vec<u32> = around
            .map(|(at, _)| self.ahead.get(&(warp, at)).map_or(0, |ahead| ahead[lane as usize]))
            .collect();
        if counts.iter().all(|count| *count == 0) { Vec::new() } else { counts }
    }
}
