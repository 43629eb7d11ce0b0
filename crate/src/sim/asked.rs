//! What a loop that waits asks of the value that it has loaded, to ask it of other values.
//!
//! `while (*counter < n)` goes on with n as with n + 1. Where pure instructions lead from the load to a
//! branch, and nothing that depends on the loaded value is needed behind the branch, then all values that
//! take the same way are as good as one another.

use super::machine::Machine;
use super::needed;
use super::warp::Warp;
use crate::ir::{Kernel, Reg};
use crate::isa::Effect;
use crate::term::Value;
use std::rc::Rc;

/// The instructions from a load to the branch that asks, the branch included.
#[derive(Debug)]
pub(super) struct Question {
    load: u32,
    branch: u32,
    /// Registers that are read there and do not come from the load.
    inputs: Vec<Reg>,
    /// Whether what depends on the value is needed where the branch is taken, and where it is not.
    needed: [bool; 2],
}

/// A question with what one lane had in the registers.
#[derive(Debug)]
pub(super) struct Asked {
    question: Rc<Question>,
    inputs: Vec<Value>,
}

impl Question {
    /// What is asked of the value that the load at `pc` gives, if it is no more than a way to go.
    pub(super) fn of(kernel: &Kernel, pc: u32) -> Option<Question> {
        let (mut tainted, mut inputs) = (kernel.dst(&kernel.code[pc as usize]).to_vec(), Vec::new());
        if tainted.len() != 1 {
            return None;
        }
        let mut at = pc + 1;
        loop {
            let instr = kernel.code.get(at as usize)?;
            let sources = kernel.src(instr).iter().copied().chain(instr.guard.map(|guard| guard.predicate));
            let sources: Vec<Reg> = sources.collect();
            let asks = sources.iter().any(|reg| tainted.contains(reg));
            let known = |reg: &Reg, inputs: &[Reg]| tainted.contains(reg) || inputs.contains(reg);
            for reg in &sources {
                if !known(reg, &inputs) {
                    inputs.push(*reg);
                }
            }
            match instr.effect {
                Effect::Branch if asks => {
                    let needs = |next: u32| {
                        let inside = (next as usize) < kernel.code.len();
                        inside && needed::at(kernel, next).iter().any(|reg| tainted.contains(reg))
                    };
                    let needed = [needs(instr.target), needs(at + 1)];
                    return Some(Question { load: pc, branch: at, inputs, needed });
                }
                Effect::Lanewise(_) | Effect::Move { .. } | Effect::Nothing if instr.guard.is_none() => {
                    for reg in kernel.dst(instr) {
                        if asks {
                            tainted.push(*reg);
                        } else if tainted.contains(reg) || inputs.contains(reg) {
                            // Written again: too much for a list of registers.
                            return None;
                        } else {
                            inputs.push(*reg);
                        }
                    }
                }
                _ => return None,
            }
            at += 1;
        }
    }
}

impl<'a> Machine<'a> {
    /// Where a thread with these registers comes by pure instructions, if the one at `pc` gives it a word, and what it
    /// has then that is still needed.
    pub(super) fn landing(&mut self, pc: u32, registers: &[Value], word: u64) -> Option<(u32, Vec<Value>)> {
        let kernel = self.kernel;
        let mut warp = Warp::new(0, 1, self.unknowns.registers());
        for (at, value) in registers.iter().enumerate() {
            warp.set(Reg(at as u32), 0, *value);
        }
        warp.set(kernel.dst(&kernel.code[pc as usize])[0], 0, Value::Concrete(word));
        let own = std::mem::replace(&mut self.warps, vec![warp]);
        // Loops of nothing but pure instructions are not followed.
        let steps = 0..kernel.code.len();
        let mut at = pc + 1;
        let found = steps.into_iter().find_map(|_| {
            let Some(instr) = kernel.code.get(at as usize) else { return Some(at) };
            let acts = match instr.guard.map(|guard| (self.warps[0].get(guard.predicate, 0), guard.negated)) {
                None => true,
                Some((Value::Concrete(word), negated)) => (word & 1 == 1) != negated,
                Some(_) => return Some(at),
            };
            match instr.effect {
                Effect::Branch if acts => at = instr.target,
                Effect::Branch | Effect::Nothing => at += 1,
                Effect::Lanewise(_) | Effect::Move { .. } => {
                    if acts {
                        self.execute(0, at, 1);
                    }
                    at += 1;
                }
                _ => return Some(at),
            }
            None
        });
        let landing = found.filter(|at| (*at as usize) < kernel.code.len()).map(|at| {
            let needed = self.needed_at(at);
            (at, needed.iter().map(|reg| self.warps[0].get(*reg, 0)).collect())
        });
        self.warps = own;
        landing
    }

    /// A question as a lane that has loaded will put it.
    pub(super) fn ask(&self, question: &Rc<Question>, index: usize, lane: u32) -> Asked {
        let inputs = question.inputs.iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        Asked { question: Rc::clone(question), inputs }
    }

    /// The way that a thread goes with each of these words alike, if it does not need the word there.
    pub(super) fn way_of_all(&mut self, asked: &Asked, words: &[u64]) -> Option<bool> {
        let mut ways = words.iter().map(|word| self.way(asked, *word));
        let first = ways.next()??;
        (ways.all(|way| way == Some(first)) && !asked.question.needed[usize::from(!first)]).then_some(first)
    }

    /// Whether the branch is taken with a value.
    fn way(&mut self, asked: &Asked, word: u64) -> Option<bool> {
        let kernel = self.kernel;
        let Question { load, branch, .. } = *asked.question;
        let mut warp = Warp::new(0, 1, self.unknowns.registers());
        for (reg, value) in asked.question.inputs.iter().zip(&asked.inputs) {
            warp.set(*reg, 0, *value);
        }
        warp.set(kernel.dst(&kernel.code[load as usize])[0], 0, Value::Concrete(word));
        let own = std::mem::replace(&mut self.warps, vec![warp]);
        for pc in load + 1..branch {
            self.execute(0, pc, 1);
        }
        let guard = kernel.code[branch as usize].guard;
        if let Some(guard) = guard {
            self.open_tickets(0, guard.predicate, 1);
        }
        let way = guard.and_then(|guard| match self.warps[0].get(guard.predicate, 0) {
            Value::Concrete(word) => Some((word & 1 == 1) != guard.negated),
            Value::Symbolic(_) | Value::Undefined(_) => None,
        });
        self.warps = own;
        way
    }
}
