//! Straight stretches: pure, unconditional instructions, run together.
//!
//! What such instructions have in common is looked at once for all of them: nothing but values
//! changes, so control, budgets and the timeline can wait until the end of the stretch. Operands are
//! decoded to fixed places beforehand, and what an earlier warp has computed is taken over without
//! leaving the loop ([`super::repeats`]).
//!
//! Guarantees: the same values, counts and timeline as one instruction at a time.

use super::machine::Machine;
use super::race::lanes;
use super::repeats::Repeats;
use super::stretches::{LONGEST, Looked};
use super::warp::{Kinds, Sources, Warp};
use crate::ir::{Kernel, Reg};
use crate::isa::Effect;

/// What a stretch does with an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A function with one result, which warps may share.
    Shared,
    /// A copy of a register.
    Copied,
    /// Another pure function.
    Alone,
    /// None: it ends the stretch.
    Not,
}

/// An instruction of a stretch, decoded.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) dst: Reg,
    pub(super) src: Sources,
    way: Way,
    /// Instructions of the stretch from this one on.
    pub(super) rest: u32,
}

impl Step {
    /// Whether warps may share the result.
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.way == Way::Shared
    }

    /// Whether what it does to what all lanes have in common may be taken over.
    pub(super) fn is_taken_over(&self) -> bool {
        matches!(self.way, Way::Shared | Way::Copied)
    }
}

/// All instructions of a kernel, decoded; those that are `watched` are in no stretch.
pub(super) fn decode(kernel: &Kernel, watched: &[bool]) -> Vec<Step> {
    let mut rest = 0;
    let mut steps: Vec<Step> = Vec::with_capacity(kernel.code.len());
    for (pc, instr) in kernel.code.iter().enumerate().rev() {
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        let way = match &instr.effect {
            _ if watched.get(pc).is_some_and(|watched| *watched) => Way::Not,
            Effect::Lanewise(op) if !op.divides && dst.len() == 1 => Way::Shared,
            Effect::Lanewise(_) => Way::Alone,
            Effect::Move { .. } => Way::Copied,
            _ => Way::Not,
        };
        rest = if way == Way::Not || instr.guard.is_some() { 0 } else { rest + 1 };
        debug_assert!(way == Way::Not || !src.is_empty(), "a pure instruction without sources");
        let dst = dst.first().copied().unwrap_or(Reg(0));
        steps.push(Step { dst, src: Sources::new(src), way, rest });
    }
    steps.reverse();
    steps
}

impl<'a> Machine<'a> {
    /// Executes up to `count` instructions of a stretch, as many as go well; returns how many were
    /// executed.
    #[inline(never)]
    pub(super) fn straight_on(&mut self, index: usize, pc: u32, mask: u32, count: u32) -> u32 {
        let kernel = self.kernel;
        let whole = mask == self.warps[index].present;
        let (mut count, mut ticket) = (count, None);
        if whole && self.many {
            count = count.min(LONGEST);
            let warp = &mut self.warps[index];
            match self.stretches.look(warp, (kernel, &self.steps), pc, count, &self.symbolic_uses) {
                Looked::Taken(symbolic) => {
                    let uses = &mut self.symbolic_uses[pc as usize..];
                    for at in lanes(symbolic) {
                        uses[at as usize] += u64::from(warp.threads);
                    }
                    return count;
                }
                Looked::Runs(here) => ticket = Some(here),
                Looked::Alone => {}
            }
        }
        let end = pc + count;
        let mut at = pc;
        loop {
            let (warp, steps) = (&mut self.warps[index], &self.steps[..end as usize]);
            let (next, kinds) = take_over(warp, &self.repeats, steps, at, whole, &mut self.symbolic_uses);
            if next == end {
                if let Some(ticket) = ticket {
                    self.stretches.keep(ticket, &self.warps[index], pc, &self.symbolic_uses);
                }
                return count;
            }
            self.warps[index].step += 1;
            let instr = &kernel.code[next as usize];
            match &instr.effect {
                Effect::Lanewise(op) if kinds.uniform && whole => self.uniform(index, next, mask, op),
                Effect::Lanewise(op) => self.mixed(index, next, mask, op, kinds),
                _ => self.warps[index].copy(kernel.dst(instr)[0], kernel.src(instr)[0], mask),
            }
            at = next + 1;
            if self.parked {
                return at - pc;
            }
        }
    }
}

/// Executes instructions from `pc` to the end of `steps` that work on the same in all lanes, if those
/// are the lanes that act, as long as their results are known. Returns the first that is left, and what
/// its sources hold.
#[inline]
fn take_over(
    warp: &mut Warp,
    repeats: &Repeats,
    steps: &[Step],
    pc: u32,
    whole: bool,
    uses: &mut [u64],
) -> (u32, Kinds) {
    for (at, step) in (pc..).zip(&steps[pc as usize..]) {
        let kinds = warp.kinds(&step.src);
        if !kinds.uniform || !whole {
            return (at, kinds);
        }
        let question = warp.question(at, &step.src);
        match step.way {
            Way::Shared => {
                let Some(answer) = repeats.find(warp.uniforms, &question) else { return (at, kinds) };
                warp.take_over(step.dst, answer);
                if question.symbolic != 0 {
                    uses[at as usize] += u64::from(warp.threads);
                }
            }
            Way::Copied => warp.fill_word(step.dst, question.words[0], question.symbolic != 0),
            Way::Alone | Way::Not => return (at, kinds),
        }
        warp.step += 1;
    }
    (steps.len() as u32, Kinds { special: 0, uniform: true })
}
