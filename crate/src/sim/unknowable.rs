//! Values that nobody knows before the run: clocks, multiprocessor and warp slots, what a driver sets.
//!
//! Each read gives a symbolic integer of its own, a number in a range that the other kernel does not
//! use, so that it is equal to nothing but itself. Copied to a profile buffer it does no harm; an address
//! or a branch that it decides is *not structured*, and an output that depends on it has no answer; all
//! three name the register. Source: PTX ISA 9.0, chapter 10.

use super::machine::Machine;
use super::outcome::FaultKind;
use super::race::lanes;
use super::tickets::uses_results;
use crate::base::Format;
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::Effect;
use crate::term::eval::operands;
use crate::term::{Node, Symbol, Term, Terms, Value};
use rustc_hash::FxHashSet;

/// Values that one run may read.
const MOST: u32 = 1 << 20;

/// Numbers that a kernel needs for them.
pub fn unknowables(kernel: &Kernel) -> u32 {
    let reads = kernel.code.iter().any(|instr| matches!(instr.effect, Effect::ReadClock));
    if reads || uses_results(kernel) { MOST } else { 0 }
}

/// The name of what an instruction reads, `%clock64`.
pub fn source_of(kernel: &Kernel, pc: u32) -> &str {
    let reg = kernel.dst(&kernel.code[pc as usize])[0];
    &kernel.register_names[reg.index()]
}

/// The lowest of the numbers `first..first + count` that terms depend on. `seen` holds terms that are known
/// to depend on none.
pub fn lowest(
    terms: &Terms,
    root: Term,
    (first, count): (u32, u32),
    seen: &mut FxHashSet<Term>,
) -> Option<u32> {
    let mut open = vec![root];
    let mut found: Option<u32> = None;
    let mut visited = Vec::new();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        visited.push(term);
        let node = terms.node(term);
        if let Node::Element(number) = node {
            if (first..first + count).contains(&number) {
                found = Some(found.map_or(number, |known| known.min(number)));
            }
            continue;
        }
        open.extend(operands(&node).into_iter().flatten());
    }
    if found.is_some() {
        visited.iter().for_each(|term| {
            seen.remove(term);
        });
    }
    found
}

impl Machine<'_> {
    /// Reads such a value on each lane.
    pub(super) fn read_unknowable(&mut self, index: usize, pc: u32, mask: u32) {
        let reg = self.kernel.dst(&self.kernel.code[pc as usize])[0];
        let format = match self.kernel.registers[reg.index()] {
            RegisterKind::Virtual { bits: 64 } => Format::U64,
            _ => Format::U32,
        };
        let (first, count) = self.setup.unknowable;
        for lane in lanes(mask) {
            let at = self.unknowable.len() as u32;
            if at >= count {
                let why = format!("more than {MOST} reads of `{}`", source_of(self.kernel, pc));
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            self.unknowable.push(pc);
            let value = Value::Symbolic(Symbol::number(format, Term::element(first + at)));
            self.warps[index].set(reg, lane, value);
        }
    }

    /// The name of an unknowable value that a register depends on.
    #[cold]
    pub(super) fn unknowable_in(&self, reg: Reg, index: usize, lane: u32) -> Option<&str> {
        let Value::Symbolic(symbol) = self.warps[index].get(reg, lane) else { return None };
        let (first, _) = self.setup.unknowable;
        let numbers = (first, self.unknowable.len() as u32);
        let number = lowest(&self.terms, symbol.term, numbers, &mut FxHashSet::default())?;
        Some(source_of(self.kernel, self.unknowable[(number - first) as usize]))
    }
}
