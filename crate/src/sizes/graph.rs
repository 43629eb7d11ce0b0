//! The kernel's blocks, the loops among them, and which threads come to a barrier together.
//!
//! A block ends at a branch, an exit or a barrier, so that what lies between two barriers is a part of the graph of
//! its own ([`Part`]). Loops are natural; a cycle that is none has no [`Part`].
//!
//! *Together*: threads of a CTA take the same way from barrier to barrier if the conditions of branches are the same
//! for all of them, but for branches behind which all of them meet again before any barrier and before any loop
//! around a barrier is entered, left or begun anew, and for those of which only one way leads to another barrier
//! (threads that return count as arrived). Then all threads that are behind the same barrier for the same time have
//! gone round each loop around it equally often.
//! Source: Aho, Lam, Sethi, Ullman, *Compilers*, 9.6.6 (natural loops).

use crate::ir::{Kernel, dominators, flood};
use crate::isa::{Effect, Forbidden};
use std::collections::BTreeSet;

/// How control leaves a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// In any case.
    Always,
    /// Where the last instruction's guard lets it be executed.
    Taken,
    /// Where it does not.
    Passed,
}

pub(super) struct Graph {
    /// The first instruction of each block, ascending, and the end.
    starts: Vec<usize>,
    pub(super) next: Vec<Vec<(usize, Way)>>,
    pub(super) barrier: Vec<bool>,
}

/// What can be reached from a block.
pub(super) struct Part {
    pub(super) entry: usize,
    /// Every block before those that it leads to, but for ways back.
    pub(super) order: Vec<usize>,
    /// Outer loops first.
    pub(super) loops: Vec<Loop>,
    /// For each block, those that decide by which way it is come to: behind the last block that all ways to it have in
    /// common, or that one, with several of these ways before them.
    pub(super) deciding: Vec<Vec<usize>>,
}

pub(super) struct Loop {
    pub(super) head: usize,
    pub(super) blocks: BTreeSet<usize>,
}

impl Graph {
    /// `Err`: the instruction that cannot be followed.
    pub(super) fn new(kernel: &Kernel) -> Result<Graph, u32> {
        let length = kernel.code.len();
        let stops = |effect: &Effect| {
            matches!(effect, Effect::Exit)
                || matches!(effect, Effect::Forbidden(what) if *what != Forbidden::Print)
        };
        let mut leads = vec![false; length + 1];
        (leads[0], leads[length]) = (true, true);
        for (at, instr) in kernel.code.iter().enumerate() {
            match instr.effect {
                Effect::BranchIndexed => return Err(at as u32),
                Effect::Branch => {
                    leads[instr.target as usize] = true;
                    leads[at + 1] = true;
                }
                Effect::Barrier { .. } => leads[at + 1] = true,
                ref effect if stops(effect) => leads[at + 1] = true,
                _ => {}
            }
        }
        let starts: Vec<usize> = (0..=length).filter(|at| leads[*at]).collect();
        let block_of = |at: usize| starts.partition_point(|start| *start <= at) - 1;
        let count = starts.len() - 1;
        let mut next = Vec::with_capacity(count);
        let mut barrier = Vec::with_capacity(count);
        for block in 0..count {
            let end = starts[block + 1];
            let instr = &kernel.code[end - 1];
            let mut ways = Vec::new();
            let guarded = instr.guard.is_some();
            let ends = matches!(instr.effect, Effect::Branch) || stops(&instr.effect);
            if matches!(instr.effect, Effect::Branch) {
                let way = if guarded { Way::Taken } else { Way::Always };
                ways.push((block_of(instr.target as usize), way));
            }
            if end < length && (!ends || guarded) {
                ways.push((block + 1, if ends { Way::Passed } else { Way::Always }));
            }
            barrier.push(matches!(instr.effect, Effect::Barrier { .. }));
            next.push(ways);
        }
        Ok(Graph { starts, next, barrier })
    }

    pub(super) fn count(&self) -> usize {
        self.next.len()
    }

    pub(super) fn instructions(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    pub(super) fn last(&self, block: usize) -> usize {
        self.starts[block + 1] - 1
    }

    /// The blocks that a block leads to, if a way ends at a barrier or not.
    fn onward(&self, block: usize, through: bool) -> Vec<usize> {
        match self.barrier[block] && !through {
            true => Vec::new(),
            false => self.next[block].iter().map(|(to, _)| *to).collect(),
        }
    }

    /// What can be reached from a block, through barriers or up to them; `None` where a cycle is no natural loop.
    pub(super) fn part(&self, entry: usize, through: bool) -> Option<Part> {
        let edges: Vec<Vec<usize>> = (0..self.count()).map(|block| self.onward(block, through)).collect();
        // Depth first: the order backwards, and the edges to a block that is still open.
        let (mut state, mut order) = (vec![0u8; self.count()], Vec::new());
        let (mut stack, mut returning) = (vec![(entry, 0)], Vec::new());
        state[entry] = 1;
        while let Some((block, at)) = stack.pop() {
            match edges[block].get(at) {
                None => {
                    state[block] = 2;
                    order.push(block);
                }
                Some(to) => {
                    stack.push((block, at + 1));
                    match state[*to] {
                        0 => {
                            state[*to] = 1;
                            stack.push((*to, 0));
                        }
                        1 => returning.push((block, *to)),
                        _ => {}
                    }
                }
            }
        }
        order.reverse();
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); self.count()];
        for block in &order {
            edges[*block].iter().for_each(|to| back[*to].push(*block));
        }
        let above = dominators(entry, &edges, &back);
        let dominates = |head: usize, mut block: usize| loop {
            if block == head {
                return true;
            }
            match above[block] {
                Some(parent) if parent != block => block = parent,
                _ => return false,
            }
        };
        let mut loops: Vec<Loop> = Vec::new();
        for (from, head) in returning {
            if !dominates(head, from) {
                return None;
            }
            let mut blocks = BTreeSet::from([head]);
            let mut open = vec![from];
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(&back[block]);
                }
            }
            match loops.iter_mut().find(|known| known.head == head) {
                Some(known) => known.blocks.extend(blocks),
                None => loops.push(Loop { head, blocks }),
            }
        }
        loops.sort_by_key(|one| std::cmp::Reverse(one.blocks.len()));
        let mut deciding = vec![Vec::new(); self.count()];
        for block in order.iter().copied().filter(|block| *block != entry) {
            let mut ways = vec![0u32; self.count()];
            for from in back[block].iter().filter(|from| !dominates(block, **from)) {
                let (mut open, mut seen) = (vec![*from], BTreeSet::new());
                while let Some(at) = open.pop() {
                    if seen.insert(at) && above[block] != Some(at) {
                        open.extend(&back[at]);
                    }
                }
                seen.iter().for_each(|at| ways[*at] += 1);
            }
            deciding[block] = (0..self.count()).filter(|at| ways[*at] > 1 && edges[*at].len() > 1).collect();
        }
        Some(Part { entry, order, loops, deciding })
    }

    /// The registers whose values some way from a block's beginning reads.
    pub(super) fn live(&self, kernel: &Kernel) -> Vec<Vec<bool>> {
        let none = vec![false; kernel.registers.len()];
        let mut live = vec![none.clone(); self.count()];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..self.count()).rev() {
                let mut now = none.clone();
                for (to, _) in &self.next[block] {
                    now.iter_mut().zip(&live[*to]).for_each(|(own, next)| *own |= next);
                }
                for pc in self.instructions(block).rev() {
                    let instr = &kernel.code[pc];
                    if instr.guard.is_none() {
                        kernel.dst(instr).iter().for_each(|reg| now[reg.0 as usize] = false);
                    }
                    let read =
                        kernel.src(instr).iter().copied().chain(instr.guard.map(|guard| guard.predicate));
                    read.for_each(|reg| now[reg.0 as usize] = true);
                }
                if now != live[block] {
                    (live[block], changed) = (now, true);
                }
            }
        }
        live
    }

    /// A branch at which threads of a CTA may part and come to different barriers, if only those of `uniform` blocks
    /// are known to send all of them the same way.
    pub(super) fn parting(&self, all: &Part, uniform: &dyn Fn(usize) -> bool) -> Option<usize> {
        let count = self.count();
        let mut leads: Vec<bool> = self.barrier.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..count {
                if !leads[block] && self.next[block].iter().any(|(to, _)| leads[*to]) {
                    (leads[block], changed) = (true, true);
                }
            }
        }
        let stays = |block: usize| -> Vec<usize> {
            self.next[block].iter().map(|(to, _)| *to).filter(|to| leads[*to]).collect()
        };
        let meets = self.meeting(&leads, &stays);
        let around: Vec<&Loop> =
            all.loops.iter().filter(|one| one.blocks.iter().any(|block| self.barrier[*block])).collect();
        all.order.iter().copied().find(|block| {
            let ways = stays(*block);
            let apart = ways.len() > 1 && ways[0] != ways[1] && !uniform(*block);
            apart && !self.meet_again(*block, meets[*block], &stays, &around)
        })
    }

    /// Whether whoever goes either way from a block comes to `meet` before any barrier, and in the same round of
    /// every loop around barriers.
    fn meet_again(
        &self,
        block: usize,
        meet: Option<usize>,
        stays: &dyn Fn(usize) -> Vec<usize>,
        around: &[&Loop],
    ) -> bool {
        let Some(meet) = meet else { return false };
        let mut seen = BTreeSet::new();
        let mut open = vec![block];
        while let Some(from) = open.pop() {
            for to in stays(from) {
                for one in around {
                    let (inside, outside) = (one.blocks.contains(&from), one.blocks.contains(&to));
                    if inside != outside || inside && to == one.head && to != meet {
                        return false;
                    }
                }
                if to != meet && seen.insert(to) {
                    if self.barrier[to] {
                        return false;
                    }
                    open.push(to);
                }
            }
        }
        true
    }

    /// The block at which all ways from each block that stay among those that lead to barriers meet.
    fn meeting(&self, leads: &[bool], stays: &dyn Fn(usize) -> Vec<usize>) -> Vec<Option<usize>> {
        let (count, exit) = (self.count(), self.count());
        let mut after: Vec<Vec<usize>> =
            (0..count).map(|block| if leads[block] { stays(block) } else { Vec::new() }).collect();
        after.push(Vec::new());
        for block in 0..count {
            if leads[block] && after[block].is_empty() {
                after[block].push(exit);
            }
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        for (block, next) in after.iter().enumerate() {
            next.iter().for_each(|to| before[*to].push(block));
        }
        // Loops that nobody leaves for another barrier: their last block hangs at the end.
        let mut reached = vec![false; count + 1];
        flood(exit, &before, &mut reached);
        for block in (0..count).rev().filter(|block| leads[*block]) {
            if !reached[block] {
                after[block].push(exit);
                before[exit].push(block);
                flood(block, &before, &mut reached);
            }
        }
        let mut meets = dominators(exit, &before, &after);
        meets.truncate(count);
        meets.into_iter().map(|meet| meet.filter(|block| *block != exit)).collect()
    }
}
