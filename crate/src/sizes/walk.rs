//! A walk through a part of the kernel: states at blocks, joined where ways meet, and loops.
//!
//! Where ways meet, a register with several values is an unknown, and the path says under which conditions it has
//! which; what all ways have in common stays as it is, and what nothing behind speaks of is dropped. Of data only the scope
//! is known, so that what all ways have of them may still differ from thread to thread.

use super::Stop;
use super::graph::{Part, Way};
use super::poly::{Condition, Poly, Unknown};
use super::prover::{Prover, State, Value};
use super::unknowns::Scope;
use crate::ir::RegisterKind;
use crate::isa::{Effect, Forbidden};
use std::collections::{BTreeMap, BTreeSet};

/// An edge, and how a thread is when it takes it.
pub(super) type Leaving = (usize, usize, State);

impl Prover<'_> {
    /// Walks through a part, and notes what it sees.
    pub(super) fn walk(&mut self, part: &Part, state: State, through: bool) -> Result<(), Stop> {
        self.blocks(part, None, part.entry, state, through).map(drop)
    }

    /// Walks through the blocks of a loop, or of none; gives the ways out of them and back to the loop's head.
    pub(super) fn blocks(
        &mut self,
        part: &Part,
        around: Option<usize>,
        entry: usize,
        state: State,
        through: bool,
    ) -> Result<Vec<Leaving>, Stop> {
        let inside = |block: usize| around.is_none_or(|at| part.loops[at].blocks.contains(&block));
        // The outermost loop below this one that a block is in.
        let below = |block: usize| {
            let from = around.map_or(0, |at| at + 1);
            let holds = |at: &usize| {
                let one = &part.loops[*at];
                one.blocks.contains(&block) && around.is_none_or(|own| one.head != part.loops[own].head)
            };
            (from..part.loops.len()).find(holds)
        };
        let mut waiting: BTreeMap<usize, Vec<State>> = BTreeMap::from([(entry, vec![state])]);
        let mut leaving = Vec::new();
        for block in part.order.iter().copied().filter(|block| inside(*block)) {
            let ways = match below(block) {
                Some(at) if part.loops[at].head != block => continue,
                Some(at) => match waiting.remove(&block) {
                    Some(states) => {
                        let state = self.join(part, block, states);
                        self.rounds(part, at, state, through)?
                    }
                    None => continue,
                },
                None => match waiting.remove(&block) {
                    Some(states) => {
                        let state = self.join(part, block, states);
                        self.block(block, state, through)?
                    }
                    None => continue,
                },
            };
            for (from, to, state) in ways {
                let back = around.is_some_and(|at| part.loops[at].head == to);
                match inside(to) && !back {
                    true => waiting.entry(to).or_default().push(state),
                    false => leaving.push((from, to, state)),
                }
            }
        }
        Ok(leaving)
    }

    /// Executes a block.
    fn block(&mut self, block: usize, mut state: State, through: bool) -> Result<Vec<Leaving>, Stop> {
        let range = self.graph.instructions(block);
        let last = range.end - 1;
        let ends = |effect: &Effect| match effect {
            Effect::Forbidden(what) => *what != Forbidden::Print,
            other => matches!(other, Effect::Branch | Effect::Exit),
        };
        for pc in range {
            self.budget()?;
            if pc != last || !ends(&self.kernel.code[pc].effect) {
                self.step(&mut state, pc as u32)?;
            }
        }
        let instr = &self.kernel.code[last];
        if let Effect::Barrier { .. } = instr.effect {
            if instr.guard.is_some() {
                return Err(self.stop(last as u32, "a barrier under a condition of its own"));
            }
            if !through {
                return Ok(Vec::new());
            }
            self.seen.behind.insert(block, state.clone());
        }
        let taken = match ends(&instr.effect) {
            true => self.guard(&mut state, instr),
            false => Condition::True,
        };
        if ends(&instr.effect) && instr.guard.is_some() {
            self.seen.branches.insert(block, (taken.clone(), state.path.clone()));
        }
        let mut ways = Vec::new();
        for (to, way) in self.graph.next[block].clone() {
            let condition = match way {
                Way::Always => Condition::True,
                Way::Taken => taken.clone(),
                Way::Passed => taken.not().unwrap_or(Condition::True),
            };
            let mut state = state.clone();
            match condition {
                Condition::True => {}
                Condition::False => continue,
                Condition::All(parts) => state.path.extend(parts),
                condition => state.path.push(condition),
            }
            ways.push((block, to, state));
        }
        Ok(ways)
    }

    /// One state for several, at a block's beginning. Which of them it is, is as the conditions decide that lead there, also those
    /// of which nothing is left in the paths.
    fn join(&mut self, part: &Part, block: usize, mut states: Vec<State>) -> State {
        for state in &mut states {
            let own = self.kernel.registers.iter().zip(&self.live[block]).zip(&mut state.registers);
            for ((kind, live), value) in own {
                if !live && matches!(kind, RegisterKind::Virtual { .. }) {
                    *value = Value::Undefined;
                }
            }
        }
        if states.len() == 1 {
            return states.remove(0);
        }
        let common = (0..states[0].path.len())
            .take_while(|at| states.iter().all(|state| state.path.get(*at) == Some(&states[0].path[*at])))
            .count();
        let mut ways: Vec<Vec<Condition>> =
            states.iter().map(|state| state.path[common..].to_vec()).collect();
        let branches = part.deciding[block].iter().filter_map(|at| self.seen.branches.get(at));
        let conditions = branches.map(|(condition, _)| condition).chain(ways.iter().flatten());
        let apart = conditions.map(|condition| self.table.scope_of(condition)).max();
        let apart = apart.unwrap_or(Scope::Launch);
        let mut registers = Vec::with_capacity(states[0].registers.len());
        for at in 0..states[0].registers.len() {
            let values: Vec<Value> = states.iter().map(|state| state.registers[at].clone()).collect();
            registers.push(self.joined(&values, apart, &mut ways));
        }
        let mut path = states.swap_remove(0).path;
        path.truncate(common);
        let dead = self.dead(&registers, &path, &ways);
        for condition in ways.iter_mut().flatten() {
            *condition = condition.put_in(&|_| None, &|unknown| dead.contains(&unknown));
        }
        match Condition::any(ways.into_iter().map(Condition::all)) {
            Condition::True => {}
            Condition::All(parts) => path.extend(parts),
            condition => path.push(condition),
        }
        State { registers, path }
    }

    /// Unknowns of the ways that nothing behind them speaks of.
    fn dead(&self, registers: &[Value], path: &[Condition], ways: &[Vec<Condition>]) -> BTreeSet<Unknown> {
        let mut live: BTreeSet<Unknown> = BTreeSet::new();
        let mut open: Vec<Unknown> = path.iter().flat_map(Condition::unknowns).collect();
        for value in registers {
            match value {
                Value::Number(poly) => open.extend(poly.unknowns()),
                Value::Truth(condition) => open.extend(condition.unknowns()),
                Value::Data(_) | Value::Undefined => {}
            }
        }
        // What is said of one of them together with others is worth knowing.
        let equal = |condition: &Condition| match condition {
            Condition::Zero(poly) => poly.unknowns().collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let equations: Vec<Vec<Unknown>> = ways.iter().flatten().map(equal).collect();
        loop {
            while let Some(unknown) = open.pop() {
                if live.insert(unknown) {
                    open.extend(self.table.get(unknown).facts.unknowns());
                }
            }
            let more = equations.iter().filter(|own| own.iter().any(|unknown| live.contains(unknown)));
            open.extend(more.flatten().filter(|unknown| !live.contains(unknown)));
            if open.is_empty() {
                break;
            }
        }
        let all = ways.iter().flatten().flat_map(|condition| condition.unknowns());
        all.filter(|unknown| !live.contains(unknown) && !self.sizes.contains(unknown)).collect()
    }

    /// One value for several; the ways say which of them it is.
    fn joined(&mut self, values: &[Value], apart: Scope, ways: &mut [Vec<Condition>]) -> Value {
        let known: Vec<&Value> = values.iter().filter(|value| **value != Value::Undefined).collect();
        let Some(first) = known.first() else { return Value::Undefined };
        // Of data only the scope is known: two may differ.
        if known.iter().all(|value| value == first) && !matches!(first, Value::Data(_)) {
            return (*first).clone();
        }
        let scope = known.iter().fold(apart, |scope, value| match value {
            Value::Number(poly) => scope.max(self.table.scope(poly)),
            Value::Truth(condition) => scope.max(self.table.scope_of(condition)),
            Value::Data(own) => scope.max(*own),
            Value::Undefined => scope,
        });
        if known.len() < values.len() {
            return Value::Data(Scope::Thread);
        }
        let numbers: Option<Vec<&Poly>> = values
            .iter()
            .map(|value| if let Value::Number(poly) = value { Some(poly) } else { None })
            .collect();
        if let Some(numbers) = numbers {
            return self.joined_number(&numbers, scope, ways).unwrap_or(Value::Data(scope));
        }
        let truths: Option<Vec<&Condition>> = values
            .iter()
            .map(|value| if let Value::Truth(condition) = value { Some(condition) } else { None })
            .collect();
        let Some(truths) = truths else { return Value::Data(scope) };
        let Condition::AtLeast(poly) = self.any_truth(scope) else { return Value::Data(scope) };
        let holds = Condition::AtLeast(poly);
        let Some(fails) = holds.not() else { return Value::Data(scope) };
        for (way, truth) in ways.iter_mut().zip(truths) {
            let Some(not) = truth.not() else { continue };
            way.push(Condition::any([
                Condition::all([holds.clone(), truth.clone()]),
                Condition::all([fails.clone(), not]),
            ]));
        }
        Value::Truth(holds)
    }

    fn joined_number(
        &mut self,
        numbers: &[&Poly],
        scope: Scope,
        ways: &mut [Vec<Condition>],
    ) -> Option<Value> {
        let base = numbers[0].unknowns().find(|unknown| self.bases.contains(unknown));
        let base = base.map(Poly::unknown).unwrap_or_default();
        let offsets: Vec<Poly> =
            numbers.iter().map(|number| number.plus(&base, -1)).collect::<Option<Vec<_>>>()?;
        if offsets.iter().any(|poly| poly.unknowns().any(|unknown| self.bases.contains(&unknown))) {
            return None;
        }
        let (mut low, mut high) = (Some(i128::MAX), Some(i128::MIN));
        for poly in &offsets {
            let (least, most) = self.table.interval(poly);
            low = low.zip(least).map(|(a, b)| a.min(b));
            high = high.zip(most).map(|(a, b)| a.max(b));
        }
        let unknown = Poly::unknown(self.table.add(scope, low, high));
        for (way, offset) in ways.iter_mut().zip(&offsets) {
            way.push(Condition::equal(&unknown, offset)?);
        }
        Some(Value::Number(unknown.plus(&base, 1)?))
    }

    pub(super) fn budget(&mut self) -> Result<(), Stop> {
        if self.budget.poll().is_err() {
            return Err(Stop { pc: None, reason: "the proof was stopped".to_owned() });
        }
        match self.work.left {
            0 => Err(Stop { pc: None, reason: "the proof takes more work than it may".to_owned() }),
            left => {
                self.work.left = left.saturating_sub(self.kernel.registers.len() as u64);
                Ok(())
            }
        }
    }
}
