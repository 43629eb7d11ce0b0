//! Where control meets again: immediate post-dominators of branches.
//!
//! Basic blocks, their successors, and the post-dominator tree by Cooper, Harvey and Kennedy (*A
//! Simple, Fast Dominance Algorithm*, 2001) on the reversed graph with one virtual exit. Blocks
//! that reach no exit (endless loops) hang off the virtual exit: a branch there meets nowhere. A branch that closes
//! a loop meets behind the loop.

use super::kernel::Kernel;
use crate::isa::{Effect, Forbidden};

/// For each instruction, the index where a branch there meets again, or `u32::MAX`.
pub(super) fn reconvergence(kernel: &Kernel) -> Vec<u32> {
    let blocks = Blocks::new(kernel);
    let parents = blocks.post_dominators();
    let mut meets = vec![u32::MAX; kernel.code.len()];
    for (block, parent) in parents.iter().enumerate() {
        let last = blocks.end(block) - 1;
        let branches = match kernel.code[last].effect {
            Effect::Branch => kernel.code[last].guard.is_some(),
            Effect::BranchIndexed => true,
            _ => false,
        };
        if branches && let Some(parent) = parent {
            meets[last] = blocks.starts[*parent] as u32;
        }
    }
    meets
}

/// Basic blocks in code order.
pub(super) struct Blocks {
    starts: Vec<usize>,
    length: usize,
    pub(super) successors: Vec<Vec<usize>>,
    /// The block leaves the kernel (also).
    exits: Vec<bool>,
    /// The kernel stops here, or behind it in any case.
    doomed: Vec<bool>,
}

/// How control goes on after an instruction: does it fall through, may it leave?
fn ends(effect: &Effect) -> bool {
    matches!(effect, Effect::Branch | Effect::BranchIndexed | Effect::Exit) || stops(effect)
}

/// Whether the kernel stops there, and nothing follows.
fn stops(effect: &Effect) -> bool {
    matches!(effect, Effect::Forbidden(what) if *what != Forbidden::Print)
}

impl Blocks {
    pub(super) fn new(kernel: &Kernel) -> Blocks {
        let length = kernel.code.len();
        let mut leads = vec![false; length + 1];
        leads[0] = true;
        for (at, instr) in kernel.code.iter().enumerate() {
            if ends(&instr.effect) {
                leads[at + 1] = true;
            }
            match instr.effect {
                Effect::Branch => leads[instr.target as usize] = true,
                Effect::BranchIndexed => {
                    for target in &kernel.tables[instr.target as usize] {
                        leads[*target as usize] = true;
                    }
                }
                _ => {}
            }
        }
        let starts: Vec<usize> = (0..length).filter(|at| leads[*at]).collect();
        let block_of = |at: usize| starts.partition_point(|start| *start <= at) - 1;
        let mut successors = Vec::with_capacity(starts.len());
        let mut exits = Vec::with_capacity(starts.len());
        let mut doomed = Vec::with_capacity(starts.len());
        for (block, _) in starts.iter().enumerate() {
            let end = starts.get(block + 1).copied().unwrap_or(length);
            let instr = &kernel.code[end - 1];
            let mut next = Vec::new();
            let falls = !ends(&instr.effect) || instr.guard.is_some();
            if falls && end < length {
                next.push(block_of(end));
            }
            match instr.effect {
                Effect::Branch => next.push(block_of(instr.target as usize)),
                Effect::BranchIndexed => {
                    next.extend(kernel.tables[instr.target as usize].iter().map(|t| block_of(*t as usize)));
                }
                _ => {}
            }
            next.sort_unstable();
            next.dedup();
            exits.push(matches!(instr.effect, Effect::Exit) || stops(&instr.effect) || next.is_empty());
            doomed.push(stops(&instr.effect) && next.is_empty());
            successors.push(next);
        }
        // Blocks from which the kernel stops whichever way it goes.
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..starts.len()).rev() {
                let all = !successors[block].is_empty() && successors[block].iter().all(|next| doomed[*next]);
                if all && !doomed[block] && !exits[block] {
                    (doomed[block], changed) = (true, true);
                }
            }
        }
        Blocks { starts, length, successors, exits, doomed }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The block that an instruction is in.
    pub(super) fn block_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// The instruction behind a block's last.
    pub(super) fn end(&self, block: usize) -> usize {
        self.starts.get(block + 1).copied().unwrap_or(self.length)
    }

    /// The immediate post-dominator of each block; `None` is the virtual exit.
    ///
    /// Nobody waits for threads at which the kernel stops: ways that lead only there do not count.
    ///
    /// A block whose only way out besides going on is to leave the kernel (`@p exit`) meets at
    /// what post-dominates the ways that stay: threads that have left need not be waited for.
    fn post_dominators(&self) -> Vec<Option<usize>> {
        let count = self.starts.len();
        let exit = count;
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        let mut after: Vec<Vec<usize>> = self.successors.clone();
        for block in (0..count).filter(|block| !self.doomed[*block]) {
            after[block].retain(|next| !self.doomed[*next]);
        }
        for (block, exits) in self.exits.iter().enumerate() {
            if *exits && after[block].is_empty() {
                after[block].push(exit);
            }
        }
        after.push(Vec::new());
        for (block, next) in after.iter().enumerate() {
            for successor in next {
                before[*successor].push(block);
            }
        }
        // Endless loops reach no exit: tie their last block in code order to it.
        let mut reached = vec![false; count + 1];
        flood(exit, &before, &mut reached);
        for block in (0..count).rev() {
            if !reached[block] {
                after[block].push(exit);
                before[exit].push(block);
                flood(block, &before, &mut reached);
            }
        }
        let mut parent = parents(exit, &before, &after);
        parent.truncate(count);
        parent.into_iter().map(|meet| meet.filter(|block| *block != exit)).collect()
    }
}

/// The immediate dominator of each node in a graph that is walked from `root`, whose own is itself; `None` where
/// nothing leads. `back` are the edges the other way round.
pub fn parents(root: usize, edges: &[Vec<usize>], back: &[Vec<usize>]) -> Vec<Option<usize>> {
    let count = edges.len();
    let order = postorder(root, edges, count);
    let mut number = vec![0; count];
    for (at, block) in order.iter().enumerate() {
        number[*block] = at;
    }
    let mut parent: Vec<Option<usize>> = vec![None; count];
    parent[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().filter(|block| **block != root) {
            let known = back[*block].iter().filter(|next| parent[**next].is_some());
            let meet = known.copied().reduce(|mut a, mut b| {
                while a != b {
                    while number[a] < number[b] {
                        a = parent[a].unwrap_or(root);
                    }
                    while number[b] < number[a] {
                        b = parent[b].unwrap_or(root);
                    }
                }
                a
            });
            if parent[*block] != meet {
                parent[*block] = meet;
                changed = true;
            }
        }
    }
    parent
}

/// Marks everything that `edges` lead to.
pub fn flood(from: usize, edges: &[Vec<usize>], reached: &mut [bool]) {
    let mut open = vec![from];
    reached[from] = true;
    while let Some(block) = open.pop() {
        for next in &edges[block] {
            if !reached[*next] {
                reached[*next] = true;
                open.push(*next);
            }
        }
    }
}

/// Blocks in postorder of a walk along `edges`.
fn postorder(from: usize, edges: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut reached = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut stack = vec![(from, 0)];
    reached[from] = true;
    while let Some((block, at)) = stack.pop() {
        match edges[block].get(at) {
            Some(next) => {
                stack.push((block, at + 1));
                if !reached[*next] {
                    reached[*next] = true;
                    stack.push((*next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}
