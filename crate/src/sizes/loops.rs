//! Loops: what holds behind an unknown number of rounds.
//!
//! A register that each round changes by one amount is its first value and `k` times that amount; one that runs
//! through few values is one of them; any other that a round changes is an unknown. What a round ended with holds of
//! the round before. Bounds are tried (that a register stays above or below its first value, that the condition of
//! the last round holds of the next, that two registers stay as far apart) and kept if they hold at first and, where
//! all of them hold, in the next round.

use super::Stop;
use super::graph::Part;
use super::poly::{Condition, Poly, Unknown};
use super::prover::{Prover, State, Value};
use super::solve::ASIDE;
use super::unknowns::Scope;
use super::walk::Leaving;
use crate::ir::{Reg, RegisterKind};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Walks a loop until what is guessed of it holds, and gives the ways out of it.
    pub(super) fn rounds(
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
                    self.table.set_facts(unknown, cases.map_or(Condition::True, Condition::any));
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

    pub(super) fn bits(&self, reg: Reg) -> u32 {
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
        // A register that is one of few values is congruent to what it is at first and to what a round makes of it, and
        // has to be the same.
        let mut wraps = BTreeSet::new();
        for (reg, plan) in &guess.plans {
            let Plan::OneOf(values, _) = plan else { continue };
            let (low, high) = (values.iter().min().copied(), values.iter().max().copied());
            let Some(within) = low.zip(high).map(|(low, high)| [low, high]) else { continue };
            let fits = std::iter::once(entering).chain(back.iter().copied()).all(|state| {
                match &state.registers[reg.0 as usize] {
                    Value::Number(end) => self.lies(&end.clone(), within, &state.path, ASIDE),
                    _ => false,
                }
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
