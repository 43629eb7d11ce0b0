//! Loops around aligned barriers, so that a machine can tell in which round of them a lane is.
//!
//! A loop is natural: its head dominates the branch back to it, and its body is what reaches that branch
//! without passing the head (Aho, Lam, Sethi, Ullman, *Compilers*, 9.6.6). Branches back to one head whose
//! bodies hold a barrier and are not nested close one loop (`continue`); where one body lies within another,
//! the text does not say whether there are two loops or one, and lanes are not compared there.
//!
//! Guarantees: a lane's count of the branches back since it last went round a larger loop says its round.
//! Misses: kernels with cycles that are not natural loops, or that close by falling through or by a jump
//! table; they have no loops here. Nor have those whose loops hold millions of blocks together.

use super::flow::{Blocks, parents};
use super::kernel::{Kernel, Round};
use crate::isa::Effect;

/// Blocks that all loops may hold together: kernels with more have no loops here.
const MOST: usize = 1 << 26;

/// A loop: its head, the branch that closes it, its blocks, ascending.
struct Natural {
    head: u32,
    branch: u32,
    body: Vec<u32>,
}

/// The loops around aligned barriers of a kernel.
pub(super) fn rounds(kernel: &Kernel) -> Vec<Round> {
    let aligned = |effect: &Effect| matches!(effect, Effect::Barrier { aligned: true, .. });
    let back = |(at, effect): (usize, &Effect), target: u32| {
        matches!(effect, Effect::BranchIndexed) || matches!(effect, Effect::Branch) && target as usize <= at
    };
    let goes_back = kernel.code.iter().enumerate().any(|(at, instr)| back((at, &instr.effect), instr.target));
    if !goes_back || !kernel.code.iter().any(|instr| aligned(&instr.effect)) {
        return Vec::new();
    }
    let blocks = Blocks::new(kernel);
    let mut barriers: Vec<Vec<u32>> = vec![Vec::new(); blocks.count()];
    for (at, _) in kernel.code.iter().enumerate().filter(|(_, instr)| aligned(&instr.effect)) {
        barriers[blocks.block_of(at)].push(at as u32);
    }
    let Some(mut loops) = natural_loops(kernel, &blocks) else { return Vec::new() };
    loops.retain(|one| one.body.iter().any(|block| !barriers[*block as usize].is_empty()));
    loops.sort_by_key(|one| (one.head, one.body.len(), one.branch));
    let mut rounds: Vec<Round> = Vec::new();
    let mut bodies: Vec<Vec<u32>> = Vec::new();
    let mut heads: Vec<u32> = Vec::new();
    for own in loops.chunk_by(|a, b| a.head == b.head) {
        let size: usize = own.iter().map(|one| one.body.len()).sum();
        let nested = own.len() * size > MOST
            || own.iter().any(|one| own.iter().any(|other| one.body != other.body && is_within(one, other)));
        let mut body: Vec<u32> = own.iter().flat_map(|one| one.body.iter().copied()).collect();
        body.sort_unstable();
        body.dedup();
        let mut held: Vec<u32> = match nested {
            true => Vec::new(),
            false => body.iter().flat_map(|block| barriers[*block as usize].iter().copied()).collect(),
        };
        held.sort_unstable();
        let mut branches: Vec<u32> = own.iter().map(|one| one.branch).collect();
        branches.sort_unstable();
        rounds.push(Round { branches, barriers: held, within: Vec::new() });
        heads.push(own[0].head);
        bodies.push(body);
    }
    // Loops with different heads lie apart or one within the other, which then holds its head.
    let mut headed = vec![usize::MAX; blocks.count()];
    heads.iter().enumerate().for_each(|(at, head)| headed[*head as usize] = at);
    for (outer, body) in bodies.iter().enumerate() {
        let inner = body.iter().map(|block| headed[*block as usize]);
        rounds[outer].within = inner.filter(|at| *at != usize::MAX && *at != outer).collect();
    }
    rounds
}
/// Whether all blocks of one loop are in the other.
fn is_within(small: &Natural, large: &Natural) -> bool {
    small.body.iter().all(|block| large.body.binary_search(block).is_ok())
}

/// All natural loops; `None` if some cycle is not one that a branch closes, or they are too large.
fn natural_loops(kernel: &Kernel, blocks: &Blocks) -> Option<Vec<Natural>> {
    let count = blocks.count();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (block, next) in blocks.successors.iter().enumerate() {
        next.iter().for_each(|successor| before[*successor].push(block));
    }
    let dominators = Dominators::new(&blocks.successors, &before);
    let mut loops: Vec<Natural> = Vec::new();
    let (mut seen, mut held) = (vec![usize::MAX; count], 0);
    for (from, head) in returning(blocks) {
        if !dominators.dominates(head, from) {
            return None;
        }
        let last = blocks.end(from) - 1;
        let instr = &kernel.code[last];
        let falls = blocks.end(from) < kernel.code.len() && blocks.block_of(blocks.end(from)) == head;
        if !matches!(instr.effect, Effect::Branch) || falls {
            return None;
        }
        let mark = loops.len();
        let (mut body, mut open) = (vec![head as u32], vec![from]);
        seen[head] = mark;
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], mark) != mark {
                body.push(block as u32);
                open.extend(&before[block]);
            }
        }
        held += body.len();
        if held > MOST {
            return None;
        }
        body.sort_unstable();
        loops.push(Natural { head: head as u32, branch: last as u32, body });
    }
    Some(loops)
}

/// Which blocks one cannot come to without passing another.
struct Dominators {
    /// When a walk of the tree of dominators comes to a block, and when it leaves it.
    spans: Vec<(u32, u32)>,
}

impl Dominators {
    fn new(edges: &[Vec<usize>], back: &[Vec<usize>]) -> Dominators {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
        for (block, parent) in parents(0, edges, back).iter().enumerate().skip(1) {
            if let Some(parent) = parent {
                below[*parent].push(block);
            }
        }
        let (mut spans, mut now) = (vec![(0, 0); edges.len()], 0);
        let mut open = vec![(0, 0)];
        while let Some((block, at)) = open.pop() {
            now += 1;
            if at == 0 {
                spans[block].0 = now;
            }
            match below[block].get(at) {
                Some(next) => open.extend([(block, at + 1), (*next, 0)]),
                None => spans[block].1 = now,
            }
        }
        Dominators { spans }
    }

    fn dominates(&self, above: usize, below: usize) -> bool {
        let (outer, inner) = (self.spans[above], self.spans[below]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }
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
