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
use crate::isa::{Access, AtomicOp, Effect, Lanewise, Meaning, Space};
use crate::term::{Term, Terms};
use rustc_hash::FxHashMap;

/// Instructions on one side of a branch, at most.
const MOST: usize = 16;

/// Joins all such pairs of a kernel.
pub(super) fn join(kernel: &mut Kernel) {
    if !kernel.code.iter().any(|instr| ordered(instr).is_some()) {
        return;
    }
    let before = before(kernel);
    for pc in 0..kernel.code.len() as u32 {
        let Some(pair) = pair(kernel, &before, pc) else { continue };
        let branch = &mut kernel.code[pc as usize];
        let left_out = match branch.effect {
            Effect::Branch if branch.target == pair.begins => {
                branch.guard = None;
                None
            }
            Effect::Branch => Some(pc),
            _ => Some(2 * pc + 1 - pair.atomic),
        };
        if let Some(at) = left_out {
            let instr = &mut kernel.code[at as usize];
            (instr.effect, instr.guard, instr.dst, instr.src) = (Effect::Nothing, None, 0..0, 0..0);
        }
        let atomic = &mut kernel.code[pair.atomic as usize];
        (atomic.effect, atomic.guard, atomic.dst) = (pair.effect, None, 0..0);
    }
}

/// For each instruction those after which control may come to it.
fn before(kernel: &Kernel) -> Vec<Vec<u32>> {
    let mut before = vec![Vec::new(); kernel.code.len() + 1];
    for (at, instr) in (0u32..).zip(&kernel.code) {
        match instr.effect {
            Effect::Branch => before[instr.target as usize].push(at),
            Effect::BranchIndexed => {
                kernel.tables[instr.target as usize]
                    .iter()
                    .for_each(|target| before[*target as usize].push(at));
            }
            _ => {}
        }
        let leaves = matches!(instr.effect, Effect::Branch | Effect::BranchIndexed | Effect::Exit);
        if !leaves || instr.guard.is_some() {
            before[at as usize + 1].push(at);
        }
    }
    before
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

/// Of a pair, the side that becomes the one for all: where it begins, and its atomic, which then is that.
struct Pair {
    begins: u32,
    atomic: u32,
    effect: Effect,
}

/// The pair of which the branch, or the first of two atomics, is at `pc`.
fn pair(kernel: &Kernel, before: &[Vec<u32>], pc: u32) -> Option<Pair> {
    let instr = &kernel.code[pc as usize];
    let guard = instr.guard?;
    let begins = (0..=pc).rev().find(|at| before[*at as usize] != [at.wrapping_sub(1)])?;
    let mut values =
        Values { kernel, known: FxHashMap::default(), now: FxHashMap::default(), tests: Vec::new() };
    (begins..pc).for_each(|at| values.execute(at));
    // What is executed where the predicate is true, and where it is false.
    let sides = match instr.effect {
        Effect::Branch => {
            let (jumps, meet) = values.side(before, pc, instr.target)?;
            let (falls, other) = values.side(before, pc, pc + 1)?;
            (meet == other).then_some([jumps, falls])?
        }
        Effect::Atomic { .. } if before.get(pc as usize + 1)? == &[pc] => {
            let next = kernel.code.get(pc as usize + 1)?.guard?;
            let turned = (next.predicate, next.negated) == (guard.predicate, !guard.negated);
            let mut side = |at: u32| Side { begins: at, atomic: at, operands: values.operands(at) };
            turned.then(|| [side(pc), side(pc + 1)])?
        }
        _ => return None,
    };
    let [holds, fails] = sides;
    let [holds, fails] = if guard.negated { [fails, holds] } else { [holds, fails] };
    let [one, other] = [&holds, &fails].map(|side| &kernel.code[side.atomic as usize]);
    let (larger, signed, access) = ordered(one)?;
    let (smaller, unsigned, second) = ordered(other)?;
    let alike = |access: Access| (access.format.bits(), access.space, access.strength, access.vector);
    let same =
        holds.operands == fails.operands && one.offset == other.offset && alike(access) == alike(second);
    let used = |atomic: &Instr| kernel.dst(atomic).iter().any(|result| is_read(kernel, *result, |_| true));
    if !same || larger == smaller || signed == unsigned || used(one) || used(other) {
        return None;
    }
    // The signed one has to be for what is not negative.
    let word = *holds.operands.get(1)?;
    let predicate = values.of(guard.predicate);
    let asked = values.tests.iter().find(|(result, _, value)| (*result, *value) == (predicate, word))?.1;
    if asked != signed {
        return None;
    }
    let format = if access.format.bits() == 64 { Format::F64 } else { Format::F32 };
    let (side, largest) = if signed { (holds, larger) } else { (fails, smaller) };
    (access.format.bits() == format.bits()).then(|| {
        let op = if largest { AtomicOp::Max } else { AtomicOp::Min };
        let effect = Effect::Atomic { op, access: Access { format, ..access } };
        Pair { begins: side.begins, atomic: side.atomic, effect }
    })
}

/// Whether a register is read by an instruction of some.
fn is_read(kernel: &Kernel, reg: Reg, some: impl Fn(u32) -> bool) -> bool {
    let reads = |instr: &Instr| {
        kernel.src(instr).contains(&reg) || instr.guard.is_some_and(|guard| guard.predicate == reg)
    };
    (0u32..).zip(&kernel.code).any(|(at, instr)| some(at) && reads(instr))
}

/// Where control is once jumps that everybody makes are made.
fn behind(kernel: &Kernel, mut at: u32) -> u32 {
    for _ in 0..MOST {
        match kernel.code.get(at as usize) {
            Some(Instr { effect: Effect::Branch, guard: None, target, .. }) => at = *target,
            _ => break,
        }
    }
    at
}

/// One side of a branch that is an atomic and what that needs.
struct Side {
    begins: u32,
    atomic: u32,
    /// The values of its address and its operands.
    operands: Vec<u32>,
}

/// What a value is made of: those of one kind are the same value.
#[derive(PartialEq, Eq, Hash)]
enum Made {
    /// It was in this register before.
    Old(Reg),
    Constant(Constant),
    /// By this function of others.
    Lanewise(u32, usize, Vec<u32>),
    Generic(Space, bool, u32),
    /// By this instruction, in no way that matters.
    At(u32, usize),
}

/// The values of registers, by number, along a piece of code that nothing else leads into.
struct Values<'a> {
    kernel: &'a Kernel,
    known: FxHashMap<Made, u32>,
    now: FxHashMap<Reg, u32>,
    /// Predicates that say whether a value, taken as a float, is negative; whether they hold where it is not.
    tests: Vec<(u32, bool, u32)>,
}

impl Values<'_> {
    fn number(&mut self, made: Made) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(made).or_insert(next)
    }

    fn of(&mut self, reg: Reg) -> u32 {
        if let Some(value) = self.now.get(&reg) {
            return *value;
        }
        match &self.kernel.registers[reg.index()] {
            RegisterKind::Constant(constant) => self.number(Made::Constant(constant.clone())),
            _ => self.number(Made::Old(reg)),
        }
    }

    fn operands(&mut self, at: u32) -> Vec<u32> {
        let kernel = self.kernel;
        kernel.src(&kernel.code[at as usize]).iter().map(|reg| self.of(*reg)).collect()
    }

    fn execute(&mut self, at: u32) {
        let kernel = self.kernel;
        let instr = &kernel.code[at as usize];
        let operands = self.operands(at);
        let results: Vec<u32> = (0..kernel.dst(instr).len())
            .map(|which| match &instr.effect {
                _ if instr.guard.is_some() => self.number(Made::At(at, which)),
                Effect::Move { .. } => operands[0],
                Effect::Lanewise(op) => self.number(Made::Lanewise(op.operation, which, operands.clone())),
                Effect::ToGeneric(space) => self.number(Made::Generic(*space, true, operands[0])),
                Effect::FromGeneric(space) => self.number(Made::Generic(*space, false, operands[0])),
                _ => self.number(Made::At(at, which)),
            })
            .collect();
        if let Effect::Lanewise(op) = &instr.effect
            && let Some((source, says)) = sign(kernel, op, kernel.src(instr))
        {
            let tests =
                results.iter().zip([says, !says]).map(|(result, says)| (*result, says, operands[source]));
            self.tests.extend(tests);
        }
        kernel.dst(instr).iter().zip(results).for_each(|(reg, value)| _ = self.now.insert(*reg, value));
    }

    /// The side of a branch at `pc` that begins at `at`, if it does nothing but an atomic and nothing else leads there;
    /// and where control is after it.
    fn side(&mut self, before: &[Vec<u32>], pc: u32, begins: u32) -> Option<(Side, u32)> {
        let kernel = self.kernel;
        let before_it = self.now.clone();
        let (mut at, mut from, mut path) = (begins, pc, Vec::new());
        while path.len() < MOST && before.get(at as usize)? == &[from] {
            let instr = &kernel.code[at as usize];
            path.push(at);
            from = at;
            at = match instr.effect {
                _ if instr.guard.is_some() => return None,
                Effect::Branch => instr.target,
                Effect::Atomic { .. } => {
                    let operands = self.operands(at);
                    self.now = before_it;
                    let written = path.iter().flat_map(|at| kernel.dst(&kernel.code[*at as usize]));
                    let outside = |at: u32| !path.contains(&at);
                    if written.into_iter().any(|reg| is_read(kernel, *reg, outside)) {
                        return None;
                    }
                    let side = Side { begins, atomic: at, operands };
                    return Some((side, behind(kernel, at + 1)));
                }
                Effect::Move { .. }
                | Effect::Lanewise(_)
                | Effect::ToGeneric(_)
                | Effect::FromGeneric(_)
                | Effect::Nothing => {
                    self.execute(at);
                    at + 1
                }
                _ => return None,
            };
        }
        None
    }
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
