//! Which registers are needed from an instruction on: those whose values somebody may still notice.
//!
//! A register is needed where some way leads to an instruction that reads it for more than computing a
//! register that is not needed itself; so a counter that only counts is not. Found backwards over basic
//! blocks until nothing changes.

use crate::ir::{Instr, Kernel, Reg};
use crate::isa::Effect;
use std::rc::Rc;

/// The registers that are needed when an instruction is about to be executed.
pub(super) fn at(kernel: &Kernel, pc: u32) -> Rc<[Reg]> {
    let starts = starts(kernel, pc);
    let block_of = |at: u32| starts.partition_point(|start| *start <= at) - 1;
    let words = kernel.registers.len().div_ceil(64);
    let mut needed = vec![vec![0u64; words]; starts.len()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); starts.len()];
    let end = |block: usize| starts.get(block + 1).copied().unwrap_or(kernel.code.len() as u32);
    let after = |block: usize| -> Vec<usize> {
        let last = end(block) - 1;
        next(kernel, last).map(block_of).collect()
    };
    for block in 0..starts.len() {
        after(block).into_iter().for_each(|next| before[next].push(block));
    }
    let mut open: Vec<usize> = (0..starts.len()).collect();
    while let Some(block) = open.pop() {
        let mut set = vec![0u64; words];
        for next in after(block) {
            set.iter_mut().zip(&needed[next]).for_each(|(own, other)| *own |= other);
        }
        for at in (starts[block]..end(block)).rev() {
            step(kernel, &kernel.code[at as usize], &mut set);
        }
        if set != needed[block] {
            needed[block] = set;
            open.extend(&before[block]);
        }
    }
    let set = &needed[block_of(pc)];
    let registers = (0..kernel.registers.len()).filter(|at| set[at / 64] >> (at % 64) & 1 == 1);
    registers.map(|at| Reg(at as u32)).collect()
}

/// For each register, whether it is needed anywhere.
pub(super) fn anywhere(kernel: &Kernel) -> Vec<bool> {
    let mut needed = vec![false; kernel.registers.len()];
    let mut known = 0;
    loop {
        // Mostly a value is computed before it is used.
        for instr in kernel.code.iter().rev() {
            let wanted = kernel.dst(instr).iter().any(|reg| needed[reg.index()]);
            if matches!(instr.effect, Effect::Nothing | Effect::Fence(..)) || computes(instr) && !wanted {
                continue;
            }
            for reg in kernel.src(instr).iter().copied().chain(instr.guard.map(|guard| guard.predicate)) {
                needed[reg.index()] = true;
            }
        }
        let now = needed.iter().filter(|needed| **needed).count();
        if std::mem::replace(&mut known, now) == now {
            return needed;
        }
    }
}

/// Whether an instruction only computes registers.
fn computes(instr: &Instr) -> bool {
    matches!(
        instr.effect,
        Effect::Lanewise(_)
            | Effect::Move { .. }
            | Effect::Pack { .. }
            | Effect::Unpack { .. }
            | Effect::ToGeneric(_)
            | Effect::FromGeneric(_)
            | Effect::IsSpace(_)
            | Effect::IsView(_)
    )
}

/// Where basic blocks begin; one begins at `pc`.
fn starts(kernel: &Kernel, pc: u32) -> Vec<u32> {
    let mut starts = vec![0, pc];
    for (at, instr) in kernel.code.iter().enumerate() {
        if matches!(instr.effect, Effect::Branch | Effect::BranchIndexed | Effect::Exit) {
            starts.push(at as u32 + 1);
            starts.extend(targets(kernel, instr));
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts.retain(|start| (*start as usize) < kernel.code.len());
    starts
}

fn targets<'k>(kernel: &'k Kernel, instr: &'k Instr) -> &'k [u32] {
    match instr.effect {
        Effect::Branch => std::slice::from_ref(&instr.target),
        Effect::BranchIndexed => &kernel.tables[instr.target as usize],
        _ => &[],
    }
}

/// The instructions that may come next.
pub(super) fn next(kernel: &Kernel, pc: u32) -> impl Iterator<Item = u32> + '_ {
    let instr = &kernel.code[pc as usize];
    let leaves = matches!(instr.effect, Effect::Branch | Effect::BranchIndexed | Effect::Exit);
    let falls = (!leaves || instr.guard.is_some()) && (pc as usize + 1) < kernel.code.len();
    targets(kernel, instr).iter().copied().chain(falls.then_some(pc + 1))
}

/// What is needed before an instruction, from what is needed after it.
fn step(kernel: &Kernel, instr: &Instr, set: &mut [u64]) {
    let bit = |reg: Reg| (reg.index() / 64, 1u64 << (reg.index() % 64));
    let wanted = kernel.dst(instr).iter().any(|reg| set[bit(*reg).0] & bit(*reg).1 != 0);
    if instr.guard.is_none() {
        for reg in kernel.dst(instr) {
            set[bit(*reg).0] &= !bit(*reg).1;
        }
    }
    if matches!(instr.effect, Effect::Nothing | Effect::Fence(..)) || computes(instr) && !wanted {
        return;
    }
    for reg in kernel.src(instr).iter().copied().chain(instr.guard.map(|guard| guard.predicate)) {
        set[bit(reg).0] |= bit(reg).1;
    }
}
