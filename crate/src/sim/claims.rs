//! What the author of a kernel claims about its registers: the values, each time that threads come by.
//!
//! Guarantees: every value that an assertion speaks of is kept, with the condition under which a thread has it;
//! what is the same is kept once, unless the assertion compares threads.

use super::bits;
use super::machine::Machine;
use super::outcome::{FaultKind, Observation, Site};
use super::race::lanes;
use crate::base::Format;
use crate::ir::Reg;
use crate::term::{SymbolKind, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What has been seen so far.
#[derive(Default)]
pub(super) struct Claims {
    pub(super) found: Vec<Observation>,
    known: FxHashSet<(u32, Term, Vec<Term>)>,
    visits: FxHashMap<(u32, u32), u32>,
}

impl Claims {
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let one = std::mem::size_of::<Observation>() as u64 + 32;
        self.found.capacity() as u64 * one + self.known.capacity() as u64 * 48
    }
}

impl Machine<'_> {
    /// Keeps what lanes have at an assertion.
    #[cold]
    pub(super) fn note_claim(&mut self, index: usize, pc: u32, mask: u32, claim: u32) {
        let kernel = self.kernel;
        let registers = kernel.src(&kernel.code[pc as usize]);
        let mut mask = mask;
        for reg in registers {
            mask &= !self.decide(index, pc, mask, *reg, "a contract");
        }
        for lane in lanes(mask) {
            let linear = self.warps[index].first() + lane;
            let mut values = Vec::with_capacity(registers.len());
            for (reg, (name, format, said)) in registers.iter().zip(&kernel.claims[claim as usize].registers)
            {
                match self.claimed(index, lane, *reg, (*format, *said)) {
                    Some(value) => values.push(value),
                    None => {
                        let why = format!(
                            "`{name}` holds a float in a register of bits: write `{name}.f32` in the contract"
                        );
                        return self.park(index, mask, pc, FaultKind::Unsupported(why));
                    }
                }
            }
            let condition = self.condition(index, lane);
            let others = kernel.claims[claim as usize].others;
            if !others && !self.claims.known.insert((claim, condition, values.clone())) {
                continue;
            }
            let visits = self.claims.visits.entry((claim, self.first_thread + linear)).or_insert(0);
            let visit = *visits;
            *visits += 1;
            let site = Site { instr: pc, thread: self.thread(linear) };
            self.claims.found.push(Observation { claim, site, visit, condition, values });
        }
    }

    /// What a lane holds as an assertion reads it; `None` if that is a float and nobody says so.
    fn claimed(&mut self, index: usize, lane: u32, reg: Reg, read: (Option<Format>, bool)) -> Option<Term> {
        let value = self.warps[index].get(reg, lane);
        let Some(format) = read.0 else {
            return Some(match value {
                Value::Symbolic(symbol) if symbol.kind == SymbolKind::Condition => symbol.term,
                Value::Concrete(0) => Term::FALSE,
                _ => Term::TRUE,
            });
        };
        if let Value::Symbolic(symbol) = value
            && let SymbolKind::Number(held) = symbol.kind
            && held.is_float()
            && !format.is_float()
            && !read.1
        {
            return None;
        }
        bits::as_number(&mut self.terms, format, value)
    }
}
