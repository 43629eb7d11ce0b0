//! The larger and the smaller of two floats by atomics that compare integers:
//!
//! ```text
//! v >= 0 ? atomicMax((int*)p, __float_as_int(v)) : atomicMin((unsigned*)p, __float_as_uint(v))
//! ```
//!
//! As signed integers the words of floats that are not negative are in the floats' order, behind those of negative
//! ones; as unsigned integers those of negative floats are in the reverse order, behind the others. So whichever of
//! the two a thread executes, it leaves the larger float of what is there and `v`. Here the two become one atomic
//! maximum of floats (with minimum and maximum exchanged, one minimum), which no instruction says.
//!
//! Guarantees: what is joined does the same for all floats but -0 and NaN, which who executes it has to say.
//! Misses: atomics whose results are used, and signs that are not asked for in the block before them.

use super::kernel::{Constant, Instr, Kernel, Reg, RegisterKind};
use crate::base::{Format, FormatClass};
use crate::isa::{Access, AtomicOp, Effect, Lanewise, Meaning};
use crate::term::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Joins all such pairs of a kernel.
pub(super) fn join(kernel: &mut Kernel) {
    let is_ordered = |instr: &Instr| ordered(instr).is_some();
    if !kernel.code.iter().any(is_ordered) {
        return;
    }
    let targets = targets(kernel);
    for pc in 0..kernel.code.len() as u32 {
        if let Some((atomic, then)) = joined(kernel, &targets, pc) {
            let next = Instr { span: kernel.code[pc as usize].span, ..then };
            kernel.code[pc as usize] = atomic;
            kernel.code[pc as usize + 1] = next;
        }
    }
}

/// Where branches lead.
fn targets(kernel: &Kernel) -> FxHashSet<u32> {
    let mut targets: FxHashSet<u32> = kernel.tables.iter().flatten().copied().collect();
    let branches = kernel.code.iter().filter(|instr| matches!(instr.effect, Effect::Branch));
    targets.extend(branches.map(|instr| instr.target));
    targets
}

/// An atomic maximum or minimum of integers: which of the two, and whether they have a sign.
fn ordered(instr: &Instr) -> Option<(bool, bool, Access)> {
    let Effect::Atomic { op, access } = instr.effect else { return None };
    let larger = match op {
        AtomicOp::Max => true,
        AtomicOp::Min => false,
        _ => return None,
    };
    match access.format.class() {
        FormatClass::Signed => Some((larger, true, access)),
        FormatClass::Unsigned => Some((larger, false, access)),
        _ => None,
    }
}

/// The instruction that stands for a pair whose branch, or whose first atomic, is at `pc`, and the one after it.
fn joined(kernel: &Kernel, targets: &FxHashSet<u32>, pc: u32) -> Option<(Instr, Instr)> {
    let instr = &kernel.code[pc as usize];
    let guard = instr.guard?;
    if targets.contains(&(pc + 1)) || pc as usize + 1 >= kernel.code.len() {
        return None;
    }
    // What is executed where the predicate is true and where it is false.
    let (pair, then) = match instr.effect {
        Effect::Branch => {
            let (jumps, meet) = alone(kernel, instr.target)?;
            let (falls, other) = alone(kernel, pc + 1)?;
            let then = Instr {
                effect: Effect::Branch,
                guard: None,
                dst: 0..0,
                src: 0..0,
                target: meet,
                ..instr.clone()
            };
            ((meet == other).then_some([jumps, falls])?, then)
        }
        Effect::Atomic { .. } => {
            let next = &kernel.code[pc as usize + 1];
            let turned = next
                .guard
                .is_some_and(|other| other.predicate == guard.predicate && other.negated != guard.negated);
            let then = Instr { effect: Effect::Nothing, guard: None, dst: 0..0, src: 0..0, ..next.clone() };
            (turned.then_some([pc, pc + 1])?, then)
        }
        _ => return None,
    };
    let [holds, fails] = if guard.negated { [pair[1], pair[0]] } else { pair };
    let [one, other] = [holds, fails].map(|at| &kernel.code[at as usize]);
    let (larger, signed, access) = ordered(one)?;
    let (smaller, unsigned, second) = ordered(other)?;
    let same = kernel.src(one) == kernel.src(other)
        && one.offset == other.offset
        && access.format.bits() == second.format.bits()
        && (access.space, access.strength, access.vector) == (second.space, second.strength, second.vector);
    if !same || larger == smaller || signed == unsigned || is_used(kernel, one) || is_used(kernel, other) {
        return None;
    }
    // The signed one is for what is not negative.
    if asked(kernel, targets, pc, guard.predicate, kernel.src(one)[1])? != signed {
        return None;
    }
    let by_sign = if signed { one } else { other };
    let largest = if signed { larger } else { smaller };
    let format = if access.format.bits() == 64 { Format::F64 } else { Format::F32 };
    (access.format.bits() == format.bits()).then(|| {
        let op = if largest { AtomicOp::Max } else { AtomicOp::Min };
        let effect = Effect::Atomic { op, access: Access { format, ..access } };
        (Instr { effect, guard: None, dst: 0..0, ..by_sign.clone() }, then)
    })
}

/// The atomic that is all that is executed from there on, and where control is after it.
fn alone(kernel: &Kernel, mut at: u32) -> Option<(u32, u32)> {
    let (mut found, mut steps) = (None, 0);
    loop {
        let instr = kernel.code.get(at as usize)?;
        steps += 1;
        match instr.effect {
            _ if steps > 8 => return None,
            Effect::Branch if instr.guard.is_none() => at = instr.target,
            _ if found.is_some() => return Some((found?, at)),
            Effect::Atomic { .. } if instr.guard.is_none() => {
                found = Some(at);
                at += 1;
            }
            _ => return None,
        }
    }
}

/// Whether an atomic's result is read by anything.
fn is_used(kernel: &Kernel, atomic: &Instr) -> bool {
    kernel.dst(atomic).iter().any(|result| {
        !matches!(kernel.registers[result.index()], RegisterKind::Sink)
            && kernel.code.iter().any(|instr| {
                kernel.src(instr).contains(result)
                    || instr.guard.is_some_and(|guard| guard.predicate == *result)
            })
    })
}

/// What a register holds: what it held as the block began, or what an instruction has left there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Old(Reg),
    New(u32, usize),
}

/// Whether a predicate says at `pc` that the float in a register is not negative (`true`), or that it is (`false`).
fn asked(kernel: &Kernel, targets: &FxHashSet<u32>, pc: u32, predicate: Reg, word: Reg) -> Option<bool> {
    let leaves = |at: u32| matches!(kernel.code[at as usize].effect, Effect::Branch | Effect::BranchIndexed);
    let begins = (0..=pc).rev().find(|at| targets.contains(at) || *at == 0 || leaves(*at - 1))?;
    let mut now: FxHashMap<Reg, Holds> = FxHashMap::default();
    let mut tests: Vec<(Holds, bool, Holds)> = Vec::new();
    for at in begins..pc {
        let instr = &kernel.code[at as usize];
        let of = |reg: Reg| now.get(&reg).copied().unwrap_or(Holds::Old(reg));
        let mut copied = None;
        match &instr.effect {
            Effect::Move { .. } if instr.guard.is_none() => copied = Some(of(kernel.src(instr)[0])),
            Effect::Lanewise(op) if instr.guard.is_none() => {
                if let Some((source, says)) = sign(kernel, op, kernel.src(instr)) {
                    let value = of(kernel.src(instr)[source]);
                    tests.push((Holds::New(at, 0), says, value));
                    tests.push((Holds::New(at, 1), !says, value));
                }
            }
            _ => {}
        }
        for (which, reg) in kernel.dst(instr).iter().enumerate() {
            now.insert(*reg, copied.unwrap_or(Holds::New(at, which)));
        }
    }
    let of = |reg: Reg| now.get(&reg).copied().unwrap_or(Holds::Old(reg));
    let test = tests.iter().find(|(result, ..)| *result == of(predicate));
    test.filter(|(.., value)| *value == of(word)).map(|(_, says, _)| *says)
}

/// Of a comparison that asks for the sign of a number, or of a word: which source, and whether it holds for those that
/// are not negative.
fn sign(kernel: &Kernel, op: &Lanewise, src: &[Reg]) -> Option<(usize, bool)> {
    let Meaning::Compare(holds) = op.meaning else { return None };
    let formats = op.src[..2]
        .iter()
        .all(|format| matches!(format, Format::F32 | Format::F64 | Format::S32 | Format::S64));
    if op.sources != 2 || !formats {
        return None;
    }
    let constant = |at: usize| match kernel.registers[src[at].index()] {
        RegisterKind::Constant(Constant::Bits(bits)) => Some(bits),
        _ => None,
    };
    let (value, with) = match (constant(0), constant(1)) {
        (None, Some(bits)) => (0, bits),
        (Some(bits), None) => (1, bits),
        _ => return None,
    };
    let mut terms = Terms::new();
    let with = terms.number(op.src[1 - value], with);
    let answers = [-1, 0, 1].map(|number| {
        let number = terms.integer(number);
        holds(&mut terms, &if value == 0 { [number, with] } else { [with, number] })
    });
    match answers {
        [Term::FALSE, Term::TRUE, Term::TRUE] => Some((value, true)),
        [Term::TRUE, Term::FALSE, Term::FALSE] => Some((value, false)),
        _ => None,
    }
}
