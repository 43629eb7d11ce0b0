//! Loops around aligned barriers, so that a machine can tell in which round of them a lane is.
//!
//! A loop is natural: its head dominates the branch back to it, and its body is what reaches that branch
//! without passing the head (Aho, Lam, Sethi, Ullman, *Compilers*, 9.6.6). Branches back to one head whose
//! bodies hold a barrier and are not nested close one loop (`continue`); where one body lies within another,
//! the text does not say whether there are two loops or one, and lanes are not compared there.
//!
//! Guarantees: a lane's count of the branches back since it last went round a larger loop says its round.
//! Misses: kernels with cycles that are not natural loops, or that close by falling through or by a jump
//! table; they have no loops here.

use super::flow::{Blocks, flood};
use super::kernel::{Kernel, Round};
use crate::isa::Effect;

/// A loop: its head, the branch that closes it, its blocks.
struct Natural {
    head: usize,
    branch: u32,
    body: Vec<bool>,
}

/// The loops around aligned barriers of a kernel.
pub(super) fn rounds(kernel: &Kernel) -> Vec<Round> {
    let aligned = |effect: &Effect| matches!(effect, Effect::Barrier { aligned: true, .. });
    let barriers: Vec<u32> =
        (0..kernel.code.len() as u32).filter(|pc| aligned(&kernel.code[*pc as usize].effect)).collect();
    let back = |(at, effect): (usize, &Effect), target: u32| {
        matches!(effect, Effect::BranchIndexed) || matches!(effect, Effect::Branch) && target as usize <= at
    };
    let goes_back = kernel.code.iter().enumerate().any(|(at, instr)| back((at, &instr.effect), instr.target));
    if barriers.is_empty() || !goes_back {
        return Vec::new();
    }
    let blocks = Blocks::new(kernel);
    let Some(loops) = natural_loops(kernel, &blocks) else { return Vec::new() };
    let inside = |body: &[bool]| -> Vec<u32> {
        barriers.iter().copied().filter(|pc| body[blocks.block_of(*pc as usize)]).collect()
    };
    let loops: Vec<Natural> = loops.into_iter().filter(|one| !inside(&one.body).is_empty()).collect();
    let within = |small: &[bool], large: &[bool]| {
        small != large && small.iter().zip(large).all(|(small, large)| !small || *large)
    };
    let mut heads: Vec<usize> = loops.iter().map(|one| one.head).collect();
    heads.sort_unstable();
    heads.dedup();
    let mut bodies: Vec<Vec<bool>> = Vec::new();
    let mut rounds: Vec<Round> = Vec::new();
    for head in heads {
        let own: Vec<&Natural> = loops.iter().filter(|one| one.head == head).collect();
        let nested = own.iter().any(|one| own.iter().any(|other| within(&one.body, &other.body)));
        let body = (0..blocks.count()).map(|block| own.iter().any(|one| one.body[block])).collect::<Vec<_>>();
        let barriers = if nested { Vec::new() } else { inside(&body) };
        let branches = own.iter().map(|one| one.branch).collect();
        rounds.push(Round { branches, barriers, within: Vec::new() });
        bodies.push(body);
    }
    for outer in 0..rounds.len() {
        rounds[outer].within =
            (0..bodies.len()).filter(|inner| within(&bodies[*inner], &bodies[outer])).collect();
    }
    rounds
}

/// All natural loops; `None` if some cycle is not one that a branch closes.
fn natural_loops(kernel: &Kernel, blocks: &Blocks) -> Option<Vec<Natural>> {
    let count = blocks.count();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (block, next) in blocks.successors.iter().enumerate() {
        next.iter().for_each(|successor| before[*successor].push(block));
    }
    let mut loops = Vec::new();
    for (from, head) in returning(blocks) {
        let mut reached = vec![false; count];
        reached[head] = true;
        if from != head && head != 0 {
            flood(0, &blocks.successors, &mut reached);
            if reached[from] {
                return None; // the head does not dominate it
            }
        }
        let last = blocks.end(from) - 1;
        let instr = &kernel.code[last];
        let falls = blocks.end(from) < kernel.code.len() && blocks.block_of(blocks.end(from)) == head;
        if !matches!(instr.effect, Effect::Branch) || falls {
            return None;
        }
        let mut body = vec![false; count];
        body[head] = true;
        if from != head {
            flood(from, &before, &mut body);
        }
        loops.push(Natural { head, branch: last as u32, body });
    }
    Some(loops)
}

/// Edges to a block that is open while they are walked, depth first.
fn returning(blocks: &Blocks) -> Vec<(usize, usize)> {
    let mut state = vec![0u8; blocks.count()];
    let mut stack = vec![(0, 0)];
    let mut edges = Vec::new();
    state[0] = 1;
    while let Some((block, at)) = stack.pop() {
        match blocks.successors[block].get(at) {
            Some(next) => {
                stack.push((block, at + 1));
                match state[*next] {
                    0 => {
                        state[*next] = 1;
                        stack.push((*next, 0));
                    }
                    1 => edges.push((block, *next)),
                    _ => {}
                }
            }
            None => state[block] = 2,
        }
    }
    edges
}
