//! Loops that can never end, recognized before the budget is spent.
//!
//! A group of lanes that comes back to the same branch with the same registers, while nobody has
//! changed memory, will do so for ever unless somebody else changes memory. Such a group is set
//! aside; it goes on when memory has changed, and when nobody else can run it is an endless loop.
//! Only registers count that steer something within the loop: a counter that nothing there tests, uses as
//! an address or stores may go on for ever.
//! Symbolic values may differ: they steer nothing, so a loop whose integers come back goes on as it is,
//! and the terms that it piles up would only fill memory.
//! Snapshots are taken at exponentially growing intervals (Brent's cycle detection), so ordinary
//! long loops pay next to nothing: most comparisons end at the register that differed last time.
//! Nor does a counter count that is only asked whether it is equal to something, and never will be
//! ([`missed`](super::missed)). Loops whose registers keep changing otherwise are left to the budget.

use super::missed::Counters;
use super::needed::next;
use super::race::lanes;
use super::warp::Warp;
use crate::ir::{Kernel, Reg};
use crate::isa::{Effect, Lanes};
use std::collections::BTreeMap;
use std::rc::Rc;

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
    /// Words of the registers that steer the loop, with those of symbolic lanes left out, and which lanes
    /// those are; `None` where there is no snapshot.
    registers: Option<Vec<(Lanes, u32)>>,
    differed: usize,
    /// The registers that steer the loop, but for counters that miss what they are compared with.
    steering: Rc<[Reg]>,
    loops: BTreeMap<u32, Loop>,
}

/// A loop, by its head.
struct Loop {
    /// Which instructions are in it.
    inside: Vec<bool>,
    steering: Rc<[Reg]>,
    counters: Counters,
}

impl Watch {
    /// A group begins to run, at this count of warp-instructions.
    pub(super) fn begin(&mut self, now: u64) {
        self.from = now + PATIENCE;
        self.interval = PATIENCE;
        self.registers = None;
    }

    /// The group jumps back to `pc`. Whether it has been here before in exactly this state.
    #[inline]
    pub(super) fn repeats(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (pc, mask): (u32, u32),
        changes: u64,
        now: u64,
    ) -> bool {
        if now < self.from {
            return false;
        }
        self.compare(kernel, warp, (pc, mask), changes, now)
    }

    fn compare(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (pc, mask): (u32, u32),
        changes: u64,
        now: u64,
    ) -> bool {
        let due = now >= self.from + self.interval;
        if self.registers.is_none() || self.changes != changes || due {
            let known = self.loops.entry(pc).or_insert_with(|| Loop::of(kernel, pc));
            self.steering = known.steering.clone();
            if self.registers.is_none() || due {
                let missed = known.counters.missed(kernel, warp, mask);
                if !missed.is_empty() {
                    self.steering = steering(kernel, &known.inside, &missed);
                }
            }
            let mut registers = self.registers.take();
            if registers.is_some() && due {
                self.from = now;
                self.interval *= 2;
            }
            let words = registers.get_or_insert_default();
            words.clear();
            words.extend(self.steering.iter().map(|reg| known_words(warp, *reg)));
            self.registers = registers;
            (self.pc, self.mask, self.changes) = (pc, mask, changes);
            return false;
        }
        if (self.pc, self.mask) != (pc, mask) {
            return false;
        }
        let (Some(registers), steering) = (&self.registers, &self.steering) else { return false };
        let same = |at: usize| registers.get(at).is_none_or(|old| *old == known_words(warp, steering[at]));
        if !same(self.differed) {
            return false;
        }
        match (0..registers.len()).find(|at| !same(*at)) {
            Some(at) => {
                self.differed = at;
                false
            }
            None => true,
        }
    }
}

impl Loop {
    fn of(kernel: &Kernel, head: u32) -> Loop {
        let inside = cycle(kernel, head);
        let steering = steering(kernel, &inside, &[]);
        Loop { steering, counters: Counters::of(kernel, &inside), inside }
    }
}

/// The registers on which it depends what a loop does, but for computing others: what its
/// branches, accesses and the like read, and what that is computed from within it.
/// The instructions of which it is known what they answer ask nothing.
fn steering(kernel: &Kernel, inside: &[bool], answered: &[u32]) -> Rc<[Reg]> {
    let mut steers = vec![false; kernel.registers.len()];
    let mut computed: Vec<usize> = Vec::new();
    for (at, instr) in kernel.code.iter().enumerate().filter(|(at, _)| inside[*at]) {
        if matches!(
            instr.effect,
            Effect::Lanewise(_)
                | Effect::Move { .. }
                | Effect::Pack { .. }
                | Effect::Unpack { .. }
                | Effect::ToGeneric(_)
                | Effect::FromGeneric(_)
        ) {
            computed.push(at);
            continue;
        }
        kernel.src(instr).iter().for_each(|reg| steers[reg.index()] = true);
        instr.guard.iter().for_each(|guard| steers[guard.predicate.index()] = true);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for at in computed.iter().rev() {
            let instr = &kernel.code[*at];
            if !kernel.dst(instr).iter().any(|reg| steers[reg.index()]) {
                continue;
            }
            let asks = answered.binary_search(&(*at as u32)).is_err();
            let sources = if asks { kernel.src(instr) } else { &[] };
            for reg in sources.iter().copied().chain(instr.guard.map(|guard| guard.predicate)) {
                changed |= !std::mem::replace(&mut steers[reg.index()], true);
            }
        }
    }
    (0..steers.len()).filter(|at| steers[*at]).map(|at| Reg(at as u32)).collect()
}

/// The instructions that can be reached from this one and from which it can be reached.
pub(super) fn cycle(kernel: &Kernel, head: u32) -> Vec<bool> {
    let count = kernel.code.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, after) in after.iter_mut().enumerate() {
        after.extend(next(kernel, at as u32).map(|next| next as usize));
        after.iter().for_each(|next| before[*next].push(at));
    }
    let flood = |edges: &[Vec<usize>]| {
        let mut reached = vec![false; count];
        let mut open = vec![head as usize];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                open.extend(edges[at].iter().filter(|next| !reached[**next]));
            }
        }
        reached
    };
    flood(&after).into_iter().zip(flood(&before)).map(|(after, before)| after && before).collect()
}

/// The words of a register but for symbolic lanes, and which lanes those are.
fn known_words(warp: &Warp, reg: Reg) -> (Lanes, u32) {
    let symbolic = warp.symbolic(reg);
    let mut words = warp.words(reg);
    for lane in lanes(symbolic) {
        words[lane as usize] = 0;
    }
    (words, symbolic)
}
