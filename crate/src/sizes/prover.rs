//! The state of a proof: unknowns, memories, what was assumed, and the values of registers.

use super::graph::{Graph, Part};
use super::poly::{Condition, Poly, Unknown};
use super::solve::{self, Found, Work};
use super::unknowns::{Scope, Table};
use super::{Question, Stop};
use crate::base::{Budget, Format};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::Scope as Reach;
use crate::isa::{AtomicOp, Space};
use std::collections::{BTreeMap, BTreeSet};

/// What a register holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Nothing was written yet.
    Undefined,
    /// An integer that is congruent to it modulo 2ⁿ; an address is the base of its memory and an offset.
    Number(Poly),
    /// A predicate.
    Truth(Condition),
    /// A float, or bits that nobody follows; the same for all threads of its scope.
    Data(Scope),
}

/// The registers of a thread at some place, and what holds there.
#[derive(Clone)]
pub(super) struct State {
    pub(super) registers: Vec<Value>,
    pub(super) path: Vec<Condition>,
}

/// A tensor or a variable.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) name: String,
    pub(super) space: Space,
    /// How large it is; `None` if nobody said.
    pub(super) bytes: Option<Poly>,
    /// Its address in its own space, and the generic one.
    pub(super) bases: [Unknown; 2],
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Read,
    Write,
    Update(AtomicOp, Format, Reach),
}

/// An access of the one thread that stands for all.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) pc: u32,
    pub(super) memory: usize,
    pub(super) offset: Poly,
    pub(super) bytes: i128,
    pub(super) kind: Kind,
    /// Through a cache that never learns of writes.
    pub(super) stale: bool,
    /// Where it happens.
    pub(super) path: Vec<Condition>,
}

/// What a walk through a part of the kernel came by.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) accesses: Vec<Access>,
    /// What holds behind the barrier that ends a block.
    pub(super) behind: BTreeMap<usize, State>,
    /// The conditions under which branches are taken, by block, and the path to them.
    pub(super) branches: BTreeMap<usize, (Condition, Vec<Condition>)>,
}

pub(super) struct Prover<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) question: &'a Question,
    pub(super) graph: Graph,
    pub(super) table: Table,
    pub(super) work: Work,
    pub(super) budget: &'a Budget,
    /// The open names and what the launch is made of.
    pub(super) sizes: Vec<Unknown>,
    /// What is always so.
    pub(super) facts: Vec<Condition>,
    pub(super) memories: Vec<Memory>,
    pub(super) bases: BTreeSet<Unknown>,
    /// Special registers that are the same for all threads of a CTA, and this thread's own.
    pub(super) specials: BTreeMap<crate::ir::SpecialReg, Poly>,
    pub(super) parameters: Vec<(u32, u32, Value)>,
    /// The memory of each variable of the kernel.
    pub(super) variables: BTreeMap<u32, usize>,
    /// Polynomials that fit a format where a path begins so.
    pub(super) fits: BTreeMap<(Poly, Format), Vec<Condition>>,
    /// Whether small sizes may lead along a path.
    pub(super) leads_small: BTreeMap<Vec<Condition>, bool>,
    pub(super) numbers: BTreeMap<(Poly, Format), Poly>,
    pub(super) ratios: BTreeMap<(Poly, Poly), Poly>,
    /// Where integers were taken to fit their format.
    pub(super) assumed: BTreeSet<u32>,
    pub(super) seen: Seen,
    /// Loops that are walked to find what may hold in them, before it is looked into.
    pub(super) quick: u32,
    /// Registers that are read behind a block's beginning.
    pub(super) live: Vec<Vec<bool>>,
    /// Registers that a block writes.
    pub(super) written: Vec<BTreeSet<Reg>>,
}

impl Prover<'_> {
    /// Whether conditions can hold together with what is always so.
    pub(super) fn solve(&mut self, conditions: &[Condition]) -> Found {
        let mut all = conditions.to_vec();
        all.extend_from_slice(&self.facts);
        solve::solve(&self.table, &all, &mut self.work, solve::QUESTION)
    }

    /// The same, giving up sooner.
    pub(super) fn excludes(&mut self, conditions: &[Condition], most: u64) -> bool {
        if self.quick > 0 {
            return false;
        }
        let mut all = conditions.to_vec();
        all.extend_from_slice(&self.facts);
        solve::solve(&self.table, &all, &mut self.work, most) == Found::Refuted
    }

    pub(super) fn stop(&self, pc: u32, reason: impl Into<String>) -> Stop {
        Stop { pc: Some(pc), reason: reason.into() }
    }

    /// The registers before the first instruction.
    pub(super) fn first_state(&mut self) -> Result<State, Stop> {
        let mut registers = Vec::with_capacity(self.kernel.registers.len());
        for kind in &self.kernel.registers {
            registers.push(match kind {
                RegisterKind::Constant(constant) => self.constant(constant),
                RegisterKind::Special(special) => match self.specials.get(special) {
                    Some(poly) => Value::Number(poly.clone()),
                    None => Value::Data(Scope::Thread),
                },
                RegisterKind::Virtual { .. } | RegisterKind::Sink => Value::Undefined,
            });
        }
        Ok(State { registers, path: Vec::new() })
    }

    fn constant(&self, constant: &crate::ir::Constant) -> Value {
        use crate::ir::Constant;
        match constant {
            Constant::Bits(bits) => Value::Number(Poly::constant((*bits).into())),
            Constant::Address { variable, offset, generic } => {
                let memory = self.variables.get(variable).map(|memory| &self.memories[*memory]);
                let base = memory.map(|memory| Poly::unknown(memory.bases[usize::from(*generic)]));
                match base.and_then(|base| base.offset((*offset).into())) {
                    Some(address) => Value::Number(address),
                    None => Value::Data(Scope::Launch),
                }
            }
            Constant::AddressHalf { .. } => Value::Data(Scope::Launch),
            Constant::ParameterAddress(at) => Value::Number(Poly::constant((*at).into())),
        }
    }

    pub(super) fn part(&self, entry: usize, through: bool) -> Result<Part, Stop> {
        let first = self.graph.instructions(entry).start as u32;
        self.graph
            .part(entry, through)
            .ok_or_else(|| self.stop(first, "control flow from here on goes round in no natural loop"))
    }
}
