//! A walk through a part of the kernel: states at blocks, joined where ways meet, and loops.
//!
//! Where ways meet, a register with several values is an unknown, and the path says under which conditions it has
//! which; what all ways have in common stays as it is. A loop is walked with an unknown number `k` of rounds behind
//! it: a register that each round changes by one amount is its first value and `k` times that amount, and what a
//! round ended with holds of the round before. Any other register that a round changes is an unknown; bounds of it
//! are tried that hold at first and, if they do in one round, in the next.

use super::Stop;
use super::graph::{Part, Way};
use super::poly::{Condition, Poly, Unknown};
use super::prover::{Prover, State, Value};
use super::solve::ASIDE;
use super::unknowns::Scope;
use crate::ir::{Reg, RegisterKind};
use crate::isa::{Effect, Forbidden};
use std::collections::{BTreeMap, BTreeSet};

/// An edge, and how a thread is when it takes it.
pub(super) type Leaving = (usize, usize, State);

/// Times that a loop is walked to find what holds in it.
const ROUNDS: usize = 12;
/// Values that a register may run through.
const VALUES: usize = 72;

/// What a loop makes of a register.
#[derive(Clone, PartialEq, Debug)]
enum Plan {
    /// Its first value, and each round this much more.
    Steps(Poly),
    /// One of these.
    OneOf(Vec<i128>, Scope),
    /// A number; a truth; anything.
    Number(Scope),
    Truth(Scope),
    Data,
}

/// What is thought of a loop, until a walk through it says otherwise.
struct Guess {
    plans: BTreeMap<Reg, Plan>,
    /// The number of rounds is the same for all threads of a CTA.
    together: bool,
    /// What holds of the round before, in terms of `k`.
    before: Condition,
    /// What holds in each round.
    bounds: Vec<Bound>,
}

/// A condition on the registers at a loop's head and the rounds behind it, by their placeholders.
type Bound = Condition;

/// A loop's head as it was guessed.
struct Head {
    state: State,
    rounds: Unknown,
    fresh: BTreeMap<Reg, Unknown>,
    /// Unknowns from here on are of one round.
    mark: u32,
}

impl Prover<'_> {
    /// Walks through a part, and notes what it sees.
    pub(super) fn walk(&mut self, part: &Part, state: State, through: bool) -> Result<(), Stop> {
        self.blocks(part, None, part.entry, state, through).map(drop)
    }

    /// Walks through the blocks of a loop, or of none; gives the ways out of them and back to the loop's head.
    fn blocks(
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
                        let state = self.join(block, states);
                        self.rounds(part, at, state, through)?
                    }
                    None => continue,
                },
                None => match waiting.remove(&block) {
                    Some(states) => {
                        let state = self.join(block, states);
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

    /// One state for several, at a block's beginning.
    fn join(&mut self, block: usize, mut states: Vec<State>) -> State {
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
        let apart = ways.iter().flatten().map(|condition| self.table.scope_of(condition)).max();
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
        if known.iter().all(|value| value == first) {
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

    /// Walks a loop until what is guessed of it holds, and gives the ways out of it.
    fn rounds(
        &mut self,
        part: &Part,
        at: usize,
        entering: State,
        through: bool,
    ) -> Result<Vec<Leaving>, Stop> {
        let one = &part.loops[at];
        let changed: BTreeSet<Reg> =
            one.blocks.iter().flat_map(|block| self.written[*block].iter().copied()).collect();
        // A loop around barriers is one in which all threads go round together.
        let barriers = one.blocks.iter().any(|block| self.graph.barrier[*block]);
        let plan = |value: &Value| match value {
            Value::Number(_) => Plan::Number(Scope::Launch),
            Value::Truth(_) => Plan::Truth(Scope::Launch),
            Value::Data(_) | Value::Undefined => Plan::Data,
        };
        let plans = changed.iter().map(|reg| (*reg, plan(&entering.registers[reg.0 as usize]))).collect();
        let mut guess = Guess { plans, together: through, before: Condition::True, bounds: Vec::new() };
        let noted = self.seen.accesses.len();
        let (mut first, mut tried) = (true, false);
        for _ in 0..ROUNDS {
            self.seen.accesses.truncate(noted);
            let head = self.head(&entering, &guess);
            self.quick += u32::from(!tried);
            let ways = self.blocks(part, Some(at), one.head, head.state.clone(), through)?;
            self.quick -= u32::from(!tried);
            let back: Vec<&State> =
                ways.iter().filter(|(_, to, _)| *to == one.head).map(|(.., state)| state).collect();
            let mut changed = false;
            if first {
                changed |= self.find_steps(&entering, &head, &back, &mut guess);
                first = false;
            }
            let uniform = one.blocks.iter().all(|block| {
                let branch = self.seen.branches.get(block);
                branch.is_none_or(|(condition, _)| self.table.scope_of(condition) <= Scope::Cta)
            });
            if !barriers && guess.together && !uniform {
                (guess.together, changed) = (false, true);
            }
            changed |= self.widen(&entering, &head, &back, &mut guess, uniform);
            if !changed && !tried {
                (tried, changed) = (true, true);
                self.propose(&entering, &head, &back, &mut guess);
            } else if !changed {
                changed = self.drop_bounds(&entering, &head, &back, &mut guess);
            }
            if !changed {
                return Ok(ways.into_iter().filter(|(_, to, _)| *to != one.head).collect());
            }
        }
        // Nothing but what is safe.
        guess.before = Condition::True;
        guess.bounds.clear();
        guess.together = barriers && guess.together;
        for plan in guess.plans.values_mut() {
            *plan = match plan {
                Plan::Number(_) | Plan::Steps(_) | Plan::OneOf(..) => Plan::Number(Scope::Thread),
                Plan::Truth(_) => Plan::Truth(Scope::Thread),
                Plan::Data => Plan::Data,
            };
        }
        self.seen.accesses.truncate(noted);
        let head = self.head(&entering, &guess);
        let ways = self.blocks(part, Some(at), one.head, head.state, through)?;
        Ok(ways.into_iter().filter(|(_, to, _)| *to != one.head).collect())
    }

    /// The state at a loop's head, behind an unknown number of rounds.
    fn head(&mut self, entering: &State, guess: &Guess) -> Head {
        let mark = self.table.len();
        let scope = if guess.together { Scope::Cta } else { Scope::Thread };
        let rounds = self.table.add(scope, Some(0), None);
        let times = Poly::unknown(rounds);
        let mut state = entering.clone();
        let mut fresh = BTreeMap::new();
        for (reg, plan) in &guess.plans {
            let own = &mut state.registers[reg.0 as usize];
            *own = match (plan, &*own) {
                (Plan::Steps(step), Value::Number(value)) => {
                    let more = step.times(&times).and_then(|more| value.plus(&more, 1));
                    more.map_or(Value::Data(Scope::Thread), Value::Number)
                }
                (Plan::OneOf(values, scope), _) => {
                    let (low, high) = (values.iter().min().copied(), values.iter().max().copied());
                    let unknown = self.table.add(*scope, low, high);
                    let is = |value: &i128| Some(Condition::zero(Poly::unknown(unknown).offset(-value)?));
                    let cases: Option<Vec<Condition>> = values.iter().map(is).collect();
                    self.table.set_facts(unknown, Condition::any(cases.unwrap_or_default()));
                    Value::Number(Poly::unknown(unknown))
                }
                (Plan::Number(scope), Value::Number(value)) => {
                    let base = value.unknowns().find(|unknown| self.bases.contains(unknown));
                    let unknown = self.table.add(*scope, None, None);
                    fresh.insert(*reg, unknown);
                    let base = base.map(Poly::unknown).unwrap_or_default();
                    let number = Poly::unknown(unknown).plus(&base, 1);
                    number.map_or(Value::Data(Scope::Thread), Value::Number)
                }
                (Plan::Truth(scope), _) => Value::Truth(self.any_truth(*scope)),
                _ => Value::Data(Scope::Thread),
            };
        }
        let mut known =
            vec![guess.before.put_in(&|unknown| (unknown == ROUND).then(|| times.clone()), &|_| false)];
        known.extend(guess.bounds.iter().filter_map(|bound| bound_at(bound, &state, &times)));
        for condition in known {
            match condition {
                Condition::True => {}
                Condition::All(parts) => state.path.extend(parts),
                condition => state.path.push(condition),
            }
        }
        Head { state, rounds, fresh, mark }
    }

    /// Registers that each round changes by one amount, and those that run through few values.
    fn find_steps(&mut self, entering: &State, head: &Head, back: &[&State], guess: &mut Guess) -> bool {
        let mut found = false;
        for (reg, plan) in &mut guess.plans {
            let at = reg.0 as usize;
            let (Plan::Number(_), Value::Number(own)) = (&*plan, &head.state.registers[at]) else { continue };
            let ends: Option<Vec<&Poly>> = back
                .iter()
                .map(|state| if let Value::Number(poly) = &state.registers[at] { Some(poly) } else { None })
                .collect();
            let Some(ends) = ends else {
                (*plan, found) = (Plan::Data, true);
                continue;
            };
            let Some(first) = ends.first() else { continue };
            if ends.iter().any(|end| end != first) {
                continue;
            }
            let step = first.plus(own, -1).map(|step| step.modulo(self.bits(*reg)));
            if let Some(step) = step
                && step.unknowns().all(|unknown| unknown.0 < head.mark)
            {
                (*plan, found) = (Plan::Steps(step), true);
                continue;
            }
            let (Value::Number(start), Some(unknown)) =
                (&entering.registers[at], head.fresh.get(reg).copied())
            else {
                continue;
            };
            let bits = self.bits(*reg);
            let modulus = 1i128 << bits.min(64);
            let mut values: Vec<i128> = Vec::new();
            let mut next = start.value();
            while let Some(value) = next {
                // As the number without a sign that it is.
                let value = value.rem_euclid(modulus);
                if values.contains(&value) || values.len() > VALUES {
                    break;
                }
                values.push(value);
                next = self.table.evaluate(first, &|other| (other == unknown).then_some(value));
            }
            if next.is_some() && values.len() <= VALUES {
                (*plan, found) = (Plan::OneOf(values, Scope::Launch), true);
            }
        }
        found
    }

    fn bits(&self, reg: Reg) -> u32 {
        match self.kernel.registers[reg.0 as usize] {
            RegisterKind::Virtual { bits } => bits,
            _ => 64,
        }
    }

    /// Takes back what is not the same for all threads, and what is no number.
    fn widen(
        &mut self,
        entering: &State,
        head: &Head,
        back: &[&State],
        guess: &mut Guess,
        uniform: bool,
    ) -> bool {
        let mut changed = false;
        for (reg, plan) in &mut guess.plans {
            let at = reg.0 as usize;
            let ends = || back.iter().map(|state| &state.registers[at]);
            let own = match plan {
                Plan::Number(scope) | Plan::Truth(scope) | Plan::OneOf(_, scope) => *scope,
                Plan::Steps(step) => {
                    let value = &head.state.registers[at];
                    let is = |end: &Value| match (value, end) {
                        (Value::Number(own), Value::Number(end)) => {
                            end.plus(own, -1).map(|more| more.modulo(self.bits(*reg))).as_ref() == Some(step)
                        }
                        _ => false,
                    };
                    if !ends().all(is) {
                        (*plan, changed) = (Plan::Number(Scope::Launch), true);
                    }
                    continue;
                }
                Plan::Data => continue,
            };
            let same = |end: &Value| {
                let (truth, number) = (matches!(end, Value::Truth(_)), matches!(end, Value::Number(_)));
                if matches!(plan, Plan::Truth(_)) { truth } else { number }
            };
            if !ends().all(same) {
                (*plan, changed) = (Plan::Data, true);
                continue;
            }
            let mut scope = Scope::Launch;
            for end in ends().chain([&entering.registers[at]]) {
                scope = scope.max(match end {
                    Value::Number(poly) => self.table.scope(poly),
                    Value::Truth(condition) => self.table.scope_of(condition),
                    Value::Data(_) | Value::Undefined => Scope::Thread,
                });
            }
            let several = back.windows(2).any(|pair| pair[0].registers[at] != pair[1].registers[at]);
            if !guess.together || several && !uniform {
                scope = Scope::Thread;
            }
            if scope > own {
                changed = true;
                match plan {
                    Plan::Number(own) | Plan::Truth(own) | Plan::OneOf(_, own) => *own = scope,
                    Plan::Steps(_) | Plan::Data => {}
                }
            }
        }
        changed
    }

    /// What may hold in each round: what the round before ended with, and bounds.
    fn propose(&mut self, entering: &State, head: &Head, back: &[&State], guess: &mut Guess) {
        let known = head.state.path.len();
        let of_round = |unknown: Unknown| unknown.0 >= head.mark && unknown != head.rounds;
        let earlier = Poly::unknown(ROUND).offset(-1);
        let ends = back.iter().map(|state| {
            let rest = Condition::all(state.path[known..].iter().cloned());
            rest.put_in(&|unknown| if unknown == head.rounds { earlier.clone() } else { None }, &of_round)
        });
        let ended = Condition::any(ends);
        let some = Poly::unknown(ROUND).offset(-1).map(Condition::at_least);
        guess.before = Condition::any([
            Condition::zero(Poly::unknown(ROUND)),
            Condition::all([some.unwrap_or(Condition::True), ended]),
        ]);
        guess.bounds = self.bounds(entering, head, back, guess);
    }

    /// Bounds that may hold in each round.
    fn bounds(&self, entering: &State, head: &Head, back: &[&State], guess: &Guess) -> Vec<Bound> {
        let mut bounds = Vec::new();
        // Registers about whose values nothing is known, with the first and the next one.
        let mut open: Vec<(Poly, &Poly, Option<Poly>)> = Vec::new();
        for (reg, plan) in &guess.plans {
            let at = reg.0 as usize;
            let (Plan::Number(_) | Plan::OneOf(..), Value::Number(first)) = (plan, &entering.registers[at])
            else {
                continue;
            };
            let own = Poly::unknown(place(*reg));
            let base = first.unknowns().find(|unknown| self.bases.contains(unknown));
            let base = base.map(Poly::unknown).unwrap_or_default();
            let most = (1 << (self.bits(*reg).clamp(2, 64) - 1)) - 1;
            bounds.extend(Condition::at_most(first, &own));
            bounds.extend(Condition::at_most(&own, first));
            bounds.extend(Condition::at_most(&base, &own));
            bounds.extend(Condition::less(&base, &own));
            bounds.extend(base.offset(most).and_then(|most| Condition::at_most(&own, &most)));
            let mut ends = back.iter().map(|state| match &state.registers[at] {
                Value::Number(end) => Some(self.table.unwrapped(end)),
                _ => None,
            });
            let next = ends.next().flatten();
            let next = next.filter(|next| ends.all(|end| end.as_ref() == Some(next)));
            open.push((own, first, next));
        }
        // What two of them have together, or apart, stays as it is.
        for (at, (own, first, _)) in open.iter().enumerate() {
            for (other, its, _) in &open[at + 1..] {
                for sign in [1, -1] {
                    let both = own.plus(other, sign).zip(first.plus(its, sign));
                    bounds.extend(both.and_then(|(now, before)| Condition::equal(&now, &before)));
                }
            }
        }
        let known = head.state.path.len();
        let (zero, round) = (Condition::zero(Poly::unknown(ROUND)), Poly::unknown(ROUND));
        let of_round = |poly: &Poly| {
            poly.unknowns()
                .any(|unknown| unknown.0 >= head.mark && unknown != head.rounds && !is_place(unknown))
        };
        let now = |unknown: Unknown| (unknown == head.rounds).then(|| round.clone());
        let earlier = |unknown: Unknown| (unknown == head.rounds).then(|| round.offset(-1)).flatten();
        for condition in back.iter().flat_map(|state| &state.path[known..]) {
            let condition = self.unwrapped(condition);
            // Loops that end where two numbers are equal.
            if let Condition::Any(parts) = &condition
                && let [Condition::AtLeast(above), Condition::AtLeast(below)] = &parts[..]
                && above.plus(below, 1).and_then(|sum| sum.value()) == Some(-2)
            {
                let least = [above, below].into_iter().filter(|poly| !of_round(poly));
                let least = least.filter_map(|poly| poly.offset(1)?.put_in(&now)).map(Condition::at_least);
                bounds.extend(least);
            }
            // What the round before ended with.
            let mut inside = false;
            condition.visit(&mut |poly| inside |= of_round(poly));
            if !inside && back.len() == 1 {
                let before = condition.put_in(&earlier, &|_| false);
                bounds.push(Condition::any([zero.clone(), before]));
            }
            // The same of a register that has its next value by then.
            if let Condition::AtLeast(poly) = &condition {
                for (own, _, next) in &open {
                    let Some(next) = next.as_ref().filter(|next| next.value().is_none()) else { continue };
                    let own_part = next.terms().find(|(monomial, _)| {
                        let round = |unknown: &Unknown| unknown.0 >= head.mark && *unknown != head.rounds;
                        monomial.iter().any(round)
                    });
                    let Some((monomial, times)) = own_part else { continue };
                    let Some((_, coefficient)) = poly.terms().find(|(own, _)| *own == monomial) else {
                        continue;
                    };
                    // So many times the condition has the next value so many times.
                    let scale = (times / num_integer::gcd(times, coefficient)).abs();
                    let factor = scale * coefficient / times;
                    let rest = poly.scaled(scale).and_then(|poly| poly.plus(next, -factor));
                    let rest = rest.filter(|rest| !of_round(rest));
                    let Some(bound) = rest.and_then(|rest| rest.plus(own, factor)?.put_in(&earlier)) else {
                        continue;
                    };
                    let bound = Condition::at_least(bound);
                    bounds.push(Condition::any([zero.clone(), bound.clone()]));
                    bounds.push(bound);
                }
            }
        }
        bounds.retain(|bound| *bound != Condition::True && *bound != Condition::False);
        bounds.sort();
        bounds.dedup();
        bounds.truncate(BOUNDS);
        bounds
    }

    /// With what numbers are congruent to in their place.
    fn unwrapped(&self, condition: &Condition) -> Condition {
        match condition {
            Condition::True | Condition::False => condition.clone(),
            Condition::AtLeast(poly) => Condition::at_least(self.table.unwrapped(poly)),
            Condition::Zero(poly) => Condition::zero(self.table.unwrapped(poly)),
            Condition::All(parts) => Condition::all(parts.iter().map(|part| self.unwrapped(part))),
            Condition::Any(parts) => Condition::any(parts.iter().map(|part| self.unwrapped(part))),
        }
    }

    /// Takes back the bounds that do not hold at first, or in the next round.
    fn drop_bounds(&mut self, entering: &State, head: &Head, back: &[&State], guess: &mut Guess) -> bool {
        let (zero, now) = (Poly::default(), Poly::unknown(head.rounds));
        let next = now.offset(1).unwrap_or_default();
        let before = guess.bounds.len();
        let mut kept = Vec::new();
        // A register that is one of few values is congruent to what a round makes of it, and has to be the same.
        let mut wraps = BTreeSet::new();
        for (reg, plan) in &guess.plans {
            let Plan::OneOf(values, _) = plan else { continue };
            let (low, high) = (values.iter().min().copied(), values.iter().max().copied());
            let Some(within) = low.zip(high).map(|(low, high)| [low, high]) else { continue };
            let fits = back.iter().all(|state| match &state.registers[reg.0 as usize] {
                Value::Number(end) => self.lies(&end.clone(), within, &state.path, ASIDE),
                _ => false,
            });
            if !fits {
                wraps.insert(place(*reg));
            }
        }
        for bound in std::mem::take(&mut guess.bounds) {
            if bound.unknowns().iter().any(|unknown| wraps.contains(unknown)) {
                continue;
            }
            let places = std::iter::once((entering, &zero)).chain(back.iter().map(|state| (*state, &next)));
            let mut holds = true;
            for (state, rounds) in places {
                let fails = bound_at(&bound, state, rounds).and_then(|condition| condition.not());
                let Some(fails) = fails else {
                    holds = false;
                    break;
                };
                let mut all = vec![fails];
                all.extend_from_slice(&state.path);
                if !self.excludes(&all, ASIDE) {
                    holds = false;
                    break;
                }
            }
            if holds {
                kept.push(bound);
            }
        }
        guess.bounds = kept;
        guess.bounds.len() < before
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

/// Stands for the number of rounds in what is guessed.
const ROUND: Unknown = Unknown(u32::MAX);
/// Bounds that are tried of one loop.
const BOUNDS: usize = 80;
/// From here on unknowns stand for registers at a loop's head.
const PLACES: u32 = 1 << 31;

/// Stands for a register at a loop's head.
fn place(reg: Reg) -> Unknown {
    Unknown(PLACES | reg.0)
}

fn is_place(unknown: Unknown) -> bool {
    unknown.0 >= PLACES
}

/// A bound in a state at a loop's head, behind so many rounds.
fn bound_at(bound: &Bound, state: &State, rounds: &Poly) -> Option<Condition> {
    let numbers = bound.unknowns().into_iter().filter(|unknown| is_place(*unknown) && *unknown != ROUND);
    let number = |unknown: Unknown| match state.registers.get((unknown.0 - PLACES) as usize) {
        Some(Value::Number(poly)) => Some(poly.clone()),
        _ => None,
    };
    for unknown in numbers {
        number(unknown)?;
    }
    let value = |unknown: Unknown| match unknown {
        ROUND => Some(rounds.clone()),
        other if is_place(other) => number(other),
        _ => None,
    };
    let mut fits = true;
    bound.visit(&mut |poly| fits &= poly.put_in(&value).is_some());
    fits.then(|| bound.put_in(&value, &|_| false))
}
