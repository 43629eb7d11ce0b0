//! Loops that can never end, recognised before the budget is spent.
//!
//! A group of lanes that comes back to the same branch with the same registers, while nobody has
//! changed memory, will do so for ever unless somebody else changes memory. Such a group is set
//! aside; it goes on when memory has changed, and when nobody else can run it is an endless loop.
//! Symbolic values may differ: they steer nothing, so a loop whose integers come back goes on as it is,
//! and the terms that it piles up would only fill memory.
//! Snapshots are taken at exponentially growing intervals (Brent's cycle detection), so ordinary
//! long loops pay next to nothing: most comparisons end at the register that differed last time.
//! Loops whose registers keep changing (a counter that nobody tests) are left to the budget.

use super::race::lanes;
use super::warp::Warp;
use crate::ir::Reg;
use crate::isa::Lanes;

/// Warp-instructions that a group executes in one go before it is watched.
const PATIENCE: u64 = 1 << 14;

/// What a long-running group looked like at a branch.
#[derive(Default)]
pub(super) struct Watch {
    pc: u32,
    mask: u32,
    changes: u64,
    /// Watch from this count of the run's warp-instructions on.
    from: u64,
    interval: u64,
    /// Words, with those of symbolic lanes left out, and which lanes those are.
    registers: Vec<(Lanes, u32)>,
    differed: usize,
}

impl Watch {
    /// A group begins to run, at this count of warp-instructions.
    pub(super) fn begin(&mut self, now: u64) {
        self.from = now + PATIENCE;
        self.interval = PATIENCE;
        self.registers.clear();
    }

    /// The group jumps back to `pc`. Whether it has been here before in exactly this state.
    #[inline]
    pub(super) fn repeats(&mut self, warp: &Warp, pc: u32, mask: u32, changes: u64, now: u64) -> bool {
        if now < self.from {
            return false;
        }
        self.compare(warp, pc, mask, changes, now)
    }

    fn compare(&mut self, warp: &Warp, pc: u32, mask: u32, changes: u64, now: u64) -> bool {
        let known = self.registers.len() == warp.register_count();
        if !known || self.changes != changes || now >= self.from + self.interval {
            self.registers.clear();
            self.registers.extend((0..warp.register_count()).map(|at| known_words(warp, at)));
            (self.pc, self.mask, self.changes) = (pc, mask, changes);
            if known && now >= self.from + self.interval {
                self.from = now;
                self.interval *= 2;
            }
            return false;
        }
        if (self.pc, self.mask) != (pc, mask) {
            return false;
        }
        let same = |at: usize| self.registers.get(at).is_none_or(|old| *old == known_words(warp, at));
        if !same(self.differed) {
            return false;
        }
        match (0..self.registers.len()).find(|at| !same(*at)) {
            Some(at) => {
                self.differed = at;
                false
            }
            None => true,
        }
    }
}

/// The words of a register but for symbolic lanes, and which lanes those are.
fn known_words(warp: &Warp, at: usize) -> (Lanes, u32) {
    let reg = Reg(at as u32);
    let symbolic = warp.symbolic(reg);
    let mut words = warp.words(reg);
    for lane in lanes(symbolic) {
        words[lane as usize] = 0;
    }
    (words, symbolic)
}
