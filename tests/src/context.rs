//! The race condition of *Equivalence Checking of ML GPU Kernels* (arXiv 2511.12638), plainly.
//!
//! One schedule is followed. For each pair of threads (i, j) the context 𝒳 holds the accesses of i
//! since i and j last synchronized *with each other*; an access of j that conflicts with one of them
//! is a race, and a synchronization of a set of threads empties the context of each pair of that
//! set. Threads that have returned count as having come.
//!
//! Its language: reads, writes, and synchronization of sets of threads; others give `None`.

use crate::program::{At, Op, Program};
use std::collections::BTreeSet;

/// The races that 𝒳 reports along the schedule that runs the lowest agent that can go on.
pub fn races(program: &Program) -> Option<BTreeSet<(At, At)>> {
    let agents = program.code.len();
    let everybody = (1u8 << agents) - 1;
    let mut context: Vec<Vec<Vec<(u8, bool, At)>>> = vec![vec![Vec::new(); agents]; agents];
    let (mut pc, mut exited, mut waits) = (vec![0; agents], vec![false; agents], vec![None; agents]);
    let mut races = BTreeSet::new();
    while let Some(agent) = (0..agents).find(|agent| !exited[*agent] && waits[*agent].is_none()) {
        let at = (agent, pc[agent]);
        match program.code[agent].get(pc[agent]) {
            None => exited[agent] = true,
            Some(op @ (Op::Read(word) | Op::Write(word))) => {
                let writes = matches!(op, Op::Write(_));
                for (other, row) in context.iter().enumerate().filter(|(other, _)| *other != agent) {
                    for (place, wrote, before) in &row[agent] {
                        if place == word && (writes || *wrote) {
                            races.insert((at.min(*before), at.max(*before)));
                        }
                    }
                    debug_assert!(other < agents);
                }
                (0..agents).for_each(|other| context[agent][other].push((*word, writes, at)));
                pc[agent] += 1;
            }
            Some(Op::SyncAll) => waits[agent] = Some((everybody, true)),
            Some(Op::SyncSet(mask)) => waits[agent] = Some((*mask, false)),
            Some(_) => return None,
        }
        for one in 0..agents {
            let Some((mask, all)) = waits[one] else { continue };
            let members = || (0..agents).filter(|agent| mask >> agent & 1 == 1);
            if !members().all(|agent| exited[agent] || waits[agent] == Some((mask, all))) {
                continue;
            }
            for member in members() {
                for other in members() {
                    context[member][other].clear();
                }
                if waits[member].take().is_some() {
                    pc[member] += 1;
                }
            }
        }
    }
    Some(races)
}
