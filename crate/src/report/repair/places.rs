//! Where a barrier may help against a race, the likeliest places first.
//!
//! A barrier is for all threads, and executed each time that control comes by. So the best place is one that
//! control cannot avoid from the kernel's beginning to its end; next comes one that it cannot avoid on its way
//! to the later of the two accesses (threads may have left before); last one inside a branch. Among places of
//! one kind, those in the fewest loops come first. Whether control can avoid a place is asked by the definition:
//! the place is taken out of the graph, and what is still reached is looked at.
//!
//! Misses: a loop is taken to be what lies in the text between a branch back and its target.

use crate::ir::Kernel;
use crate::isa::{Effect, Forbidden};

/// Places kept, at most.
pub(super) const MOST: usize = 80;

/// Instructions before which a barrier may help, the likeliest first.
pub(super) fn candidates(kernel: &Kernel, first: u32, second: u32) -> Vec<u32> {
    let (low, high) = (first.min(second), first.max(second));
    let last = kernel.code.len() as u32 - 1;
    let mut places = Vec::new();
    if first < second {
        places.extend([second, first + 1]);
    }
    let target = |at: u32| {
        let instr = &kernel.code[at as usize];
        matches!(instr.effect, Effect::Branch).then_some(instr.target)
    };
    // Where blocks begin between the two.
    let starts = |from: u32, to: u32| {
        let mut starts: Vec<u32> =
            (0..=last).filter_map(target).filter(|at| (from..=to).contains(at)).collect();
        starts.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
        starts
    };
    places.extend(starts(low + 1, high));
    // Loops around both, the innermost first: at their ends, the order carries into the next round.
    let mut loops: Vec<(u32, u32)> = (0..=last)
        .filter_map(|at| Some((target(at)?, at)))
        .filter(|(target, branch)| *target <= low && high <= *branch)
        .collect();
    loops.sort_by_key(|(target, branch)| branch - target);
    for (target, branch) in loops {
        places.extend([branch, target]);
        places.extend(starts(high + 1, branch));
    }
    places.extend([high, low, high + 1, low + 1]);
    // The accesses of one thread may stand before the one that was noticed first.
    places.extend((low + 1..high).rev());
    let mut kept = Vec::new();
    for place in places {
        if place <= last && !kept.contains(&place) && kept.len() < MOST {
            kept.push(place);
        }
    }
    let rounds: Vec<(u32, u32)> = (0..=last)
        .filter_map(|at| Some((target(at)?, at)))
        .filter(|(target, branch)| target <= branch)
        .collect();
    kept.sort_by_cached_key(|place| {
        let depth = rounds.iter().filter(|(target, branch)| target <= place && place <= branch).count();
        (passed(kernel, *place, high), depth)
    });
    kept
}

/// Which threads pass a place; the fewer, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Passed {
    /// All of them, on their way to the end.
    ByAll,
    /// All that come to the later access.
    OnTheWay,
    /// Those that take a branch.
    InABranch,
}

/// Who passes `place`; `access` is the later one of the two that are to be ordered.
fn passed(kernel: &Kernel, place: u32, access: u32) -> Passed {
    let mut reached = vec![false; kernel.code.len()];
    let mut waiting = vec![0];
    let (mut ends, mut comes) = (false, false);
    while let Some(at) = waiting.pop() {
        if at == place || std::mem::replace(&mut reached[at as usize], true) {
            continue;
        }
        comes |= at == access;
        let instr = &kernel.code[at as usize];
        let stops = match instr.effect {
            Effect::Exit => true,
            Effect::Forbidden(what) => what != Forbidden::Print,
            _ => false,
        };
        ends |= matches!(instr.effect, Effect::Exit);
        match instr.effect {
            Effect::Branch => waiting.push(instr.target),
            Effect::BranchIndexed => waiting.extend(&kernel.tables[instr.target as usize]),
            _ => {}
        }
        let leaves = stops || matches!(instr.effect, Effect::Branch | Effect::BranchIndexed);
        if (!leaves || instr.guard.is_some()) && at as usize + 1 < kernel.code.len() {
            waiting.push(at + 1);
        }
    }
    match (ends, comes) {
        (false, _) => Passed::ByAll,
        (true, false) => Passed::OnTheWay,
        (true, true) => Passed::InABranch,
    }
}
