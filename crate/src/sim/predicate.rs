//! Predication: control that depends on symbolic data, where it can be followed exactly.
//!
//! A branch on a symbolic condition is executed both ways, from the branch to where control meets
//! again (its immediate post-dominator): first the fall-through under the negated condition, then
//! the jump under the condition, each from the same registers. Registers and memory then hold
//! `if condition then … else …`. This is GPUVerify's predicated execution, run as two passes. A
//! guarded instruction is the same with an empty other side.
//!
//! A loop is a branch within itself: round by round, until no inputs go round once more.
//!
//! What a predicated stretch may not do is meet other threads (barriers, warp collectives) or return (`ways`), or
//! go round more than [`DEPTH`] times; that is *not structured*. Faults met on the way count if
//! their condition can hold (`suspects`), races if both sides' conditions can hold together (`accesses`).
//! A lane that would stop the kernel goes on where the two sides meet, with what the other side made.

use super::bits::choose;
use super::execute::meets_others;
use super::machine::Machine;
use super::outcome::FaultKind;
use super::pivots::is_possible;
use super::race::lanes;
use super::warp::{Group, Snapshot};
use crate::base::Format;
use crate::ir::{Guard, Reg, RegisterKind};
use crate::isa::{Effect, Forbidden, WARP};
use crate::term::{Node, SymbolKind, Term, Value};

/// Predicated stretches inside one another, at most.
const DEPTH: usize = 64;

/// The conditions under which the lanes of a warp execute at present.
pub(super) type Guards = [Term; WARP];

impl<'a> Machine<'a> {
    /// The lanes of `mask` whose guard holds, and those that stay in the group. Lanes whose guard is
    /// a symbolic condition are dealt with here.
    #[inline]
    pub(super) fn guarded(&mut self, index: usize, pc: u32, mask: u32, guard: Guard) -> (u32, u32) {
        let warp = &mut self.warps[index];
        if let Some(Value::Concrete(word)) = warp.uniform(guard.predicate)
            && mask == warp.present
        {
            let holds = word & 1 != u64::from(guard.negated);
            return (if holds { mask } else { 0 }, u32::MAX);
        }
        let special = warp.special(guard.predicate) & mask;
        let words = warp.lanes(guard.predicate);
        let mut holds = 0;
        for (lane, word) in words.iter().enumerate() {
            holds |= ((*word & 1) as u32) << lane;
        }
        if guard.negated {
            holds = !holds;
        }
        if special == 0 {
            return (holds & mask, u32::MAX);
        }
        self.open_tickets(index, guard.predicate, special);
        self.along_the_way(index, guard.predicate, special);
        if self.warps[index].special(guard.predicate) & mask != special {
            return self.guarded(index, pc, mask, guard);
        }
        let undefined = self.warps[index].undefined(guard.predicate) & special;
        if undefined != 0 {
            return self.guarded_in_part(index, pc, (mask, undefined), guard);
        }
        if special != 0 {
            self.predicate(index, pc, special, guard);
        }
        let branch = matches!(self.kernel.code[pc as usize].effect, Effect::Branch);
        let staying = if branch { !special } else { !self.warps[index].faulted };
        (holds & mask & !special, staying)
    }

    /// The same where lanes lack the bit that says so.
    fn guarded_in_part(
        &mut self,
        index: usize,
        pc: u32,
        (mask, undefined): (u32, u32),
        guard: Guard,
    ) -> (u32, u32) {
        let done = self.guarded_by_nothing(index, pc, undefined, guard);
        let rest = mask & !done;
        let (holds, staying) = if rest == 0 { (0, u32::MAX) } else { self.guarded(index, pc, rest, guard) };
        (holds, staying & !self.warps[index].faulted)
    }

    /// Executes the instruction at `pc` for lanes whose guard is a symbolic condition. Afterwards
    /// branching lanes stand where the two sides meet; the others have executed the instruction.
    pub(super) fn predicate(&mut self, index: usize, pc: u32, mask: u32, guard: Guard) {
        let instr = &self.kernel.code[pc as usize];
        let branch = matches!(instr.effect, Effect::Branch);
        let what = if branch { "the branch condition" } else { "the guard" };
        let blocks = matches!(
            instr.effect,
            Effect::BranchIndexed | Effect::Forbidden(Forbidden::Extern | Forbidden::Call)
        ) || meets_others(&instr.effect);
        let meet = self.kernel.reconverge.get(pc as usize).copied().unwrap_or(u32::MAX);
        let unfit = blocks || branch && meet == u32::MAX || self.guards.len() >= DEPTH;
        if unfit {
            if blocks || branch && meet == u32::MAX {
                let condition = self.conditions(index, mask, guard)[mask.trailing_zeros() as usize];
                self.part(condition);
            }
            let why = self.dependence(index, guard.predicate, mask, what);
            self.park(index, mask, pc, FaultKind::NotStructured(why));
            let going_on = mask & !self.warps[index].faulted;
            if branch && going_on != 0 {
                self.warps[index].resume(pc + 1, going_on);
            }
            return;
        }
        let target = instr.target;
        let conditions = self.conditions(index, mask, guard);
        if branch && let Some(jumps) = self.near(index, pc, mask, &conditions) {
            self.warps[index].resume(if jumps { target } else { pc + 1 }, mask);
            return;
        }
        let negated = conditions.map(|condition| self.terms.not(condition));
        // A loop ends where no inputs go round once more.
        if branch && self.inside.contains(&pc) {
            for (never, next) in [(&conditions, pc + 1), (&negated, target)] {
                let taken = self.is_taken(index, mask, never);
                if self.out_of_steps() {
                    self.halt(index, mask);
                    return;
                }
                if !taken {
                    self.warps[index].resume(next, mask);
                    return;
                }
            }
        }
        let before = self.warps[index].snapshot();
        let outside = std::mem::take(&mut self.vanished);
        if !branch {
            let arrived = self.arrived;
            let done = self.under(index, mask, &conditions, |machine| {
                machine.execute(index, pc, mask);
                mask
            });
            (self.vanished, self.arrived) = (outside, arrived);
            self.merge(index, done, &conditions, &before);
            return;
        }
        self.inside.push(pc);
        let fell = self.under(index, mask, &negated, |machine| machine.run_side(index, pc + 1, meet, mask));
        let gone = std::mem::take(&mut self.vanished);
        let after = self.warps[index].snapshot();
        self.warps[index].restore(&before, fell);
        let jumped =
            self.under(index, fell, &conditions, |machine| machine.run_side(index, target, meet, fell));
        let gone_too = std::mem::replace(&mut self.vanished, outside);
        self.inside.pop();
        // The choices between the two sides are the branch's.
        if self.recorder.is_some() {
            self.observe(index, pc, jumped);
        }
        self.merge(index, jumped & !gone & !gone_too, &conditions, &after);
        self.warps[index].restore(&after, jumped & gone_too & !gone);
        self.vanish(index, jumped & gone & gone_too);
        self.warps[index].resume(meet, jumped & !(gone & gone_too));
    }

    /// Whether for some lane there may be inputs that lead here and make its condition hold.
    fn is_taken(&mut self, index: usize, mask: u32, conditions: &Guards) -> bool {
        lanes(mask).any(|lane| {
            let guard = self.condition(index, lane);
            let both = self.terms.and(guard, conditions[lane as usize]);
            is_possible(&mut self.terms, &self.setup.bounds, both, self.budget)
        })
    }

    /// Lanes for which the kernel stops here, in what they are executing under a condition.
    pub(super) fn vanish(&mut self, index: usize, mask: u32) {
        if mask == 0 {
            return;
        }
        if self.guards.is_empty() {
            // On both sides of a branch, so whatever the data: the faults noted there are the reason.
            self.halt(index, mask);
            return;
        }
        self.vanished |= mask;
        self.arrived |= mask;
    }

    /// The condition under which each lane executes a guarded instruction.
    fn conditions(&mut self, index: usize, mask: u32, guard: Guard) -> Guards {
        let mut conditions = [Term::FALSE; WARP];
        for lane in lanes(mask) {
            let value = self.warps[index].get(guard.predicate, lane);
            let condition = super::bits::as_condition(&mut self.terms, value).unwrap_or(Term::FALSE);
            conditions[lane as usize] = if guard.negated { self.terms.not(condition) } else { condition };
        }
        conditions
    }

    /// Runs something under further conditions; returns the lanes that did not stop at a fault.
    pub(super) fn under(
        &mut self,
        index: usize,
        mask: u32,
        conditions: &Guards,
        run: impl FnOnce(&mut Self) -> u32,
    ) -> u32 {
        if mask == 0 {
            return 0;
        }
        self.matter = true;
        let mut guards = *conditions;
        if let Some(outer) = self.guards.last().copied() {
            for lane in lanes(mask) {
                guards[lane as usize] = self.terms.and(outer[lane as usize], guards[lane as usize]);
            }
        }
        self.guards.push(guards);
        let done = run(self);
        self.guards.pop();
        done & !self.warps[index].faulted
    }

    /// Runs lanes from `pc` until all of them stand at `meet`; returns those that do.
    pub(super) fn run_side(&mut self, index: usize, pc: u32, meet: u32, mask: u32) -> u32 {
        let groups = std::mem::take(&mut self.warps[index].groups);
        let (stop, arrived) = (self.stop, self.arrived);
        self.stop = meet;
        self.arrived = 0;
        self.warps[index].parted = true;
        self.warps[index].resume(pc, mask);
        let mut quantum = u64::MAX;
        while let Some(group) = self.warps[index].groups.pop() {
            if let Some(Group { pc, mask }) = self.run_group(index, group, &mut quantum, false) {
                self.warps[index].resume(pc, mask);
                if self.is_exhausted() {
                    break;
                }
            }
        }
        let came = self.arrived;
        (self.stop, self.arrived) = (stop, arrived);
        self.warps[index].groups = groups;
        came
    }

    /// Registers become `if condition then present else other`, on the lanes of `mask`.
    pub(super) fn merge(&mut self, index: usize, mask: u32, conditions: &Guards, other: &Snapshot) {
        for at in 0..self.warps[index].register_count() {
            let reg = Reg(at as u32);
            let differ = self.warps[index].differs(other, reg) & mask;
            if differ == 0 {
                continue;
            }
            let format = match &self.kernel.registers[at] {
                RegisterKind::Virtual { bits: 1 } => {
                    self.merge_predicate(index, differ, conditions, other, reg);
                    continue;
                }
                RegisterKind::Constant(_) | RegisterKind::Special(_) | RegisterKind::Sink => continue,
                kind => format_of(kind),
            };
            for lane in lanes(differ) {
                let (now, then) = (self.warps[index].get(reg, lane), other.get(reg, lane));
                let value = choose(&mut self.terms, conditions[lane as usize], now, then, format);
                self.warps[index].set(reg, lane, value);
            }
        }
    }

    fn merge_predicate(&mut self, index: usize, mask: u32, conditions: &Guards, other: &Snapshot, reg: Reg) {
        for lane in lanes(mask) {
            let (now, then) = (self.warps[index].get(reg, lane), other.get(reg, lane));
            let condition = conditions[lane as usize];
            let as_condition = super::bits::as_condition;
            let value = match (as_condition(&mut self.terms, now), as_condition(&mut self.terms, then)) {
                (Some(now), Some(then)) => {
                    let yes = self.terms.and(condition, now);
                    let not = self.terms.not(condition);
                    let no = self.terms.and(not, then);
                    super::bits::predicate(self.terms.or(yes, no))
                }
                _ => choose(&mut self.terms, condition, now, then, Format::B8),
            };
            self.warps[index].set(reg, lane, value);
        }
    }

    /// What a guarded write leaves: the new value where the lane's guard holds, else the old one.
    #[inline]
    pub(super) fn guarded_value(&mut self, lane: u32, new: Value, old: Value, format: Format) -> Value {
        match self.guards.last() {
            None => new,
            Some(guards) => {
                let condition = guards[lane as usize];
                // A condition that a lane stores is stored as a number.
                let plain = |value: Value| match value {
                    Value::Symbolic(symbol) => !matches!(symbol.kind, SymbolKind::Condition),
                    Value::Concrete(_) | Value::Undefined(_) => true,
                };
                debug_assert!(plain(new) && plain(old));
                choose(&mut self.terms, condition, new, old, format)
            }
        }
    }
}

impl Machine<'_> {
    /// What a value is where the lane does what it does: of choices by conditions that its guard decides, one side.
    pub(super) fn found_under_guard(&self, lane: u32, value: Value) -> Value {
        let (Some(guards), Value::Symbolic(mut symbol)) = (self.guards.last(), value) else { return value };
        let mut known = Vec::new();
        let mut open = vec![(guards[lane as usize], true)];
        while let Some((condition, holds)) = open.pop() {
            match self.terms.node(condition) {
                Node::Not(inner) => open.push((inner, !holds)),
                Node::And(a, b) if holds => open.extend([(a, true), (b, true)]),
                Node::Or(a, b) if !holds => open.extend([(a, false), (b, false)]),
                _ => known.push((condition, holds)),
            }
        }
        while let Node::Select(condition, a, b) = self.terms.node(symbol.term)
            && let Some((_, holds)) = known.iter().find(|(own, _)| *own == condition)
        {
            symbol.term = if *holds { a } else { b };
        }
        Value::Symbolic(symbol)
    }
}

/// The bits of a register, as a format.
pub(super) fn format_of(kind: &RegisterKind) -> Format {
    match kind {
        RegisterKind::Virtual { bits: 64 } => Format::B64,
        RegisterKind::Virtual { bits: 16 } => Format::B16,
        RegisterKind::Virtual { bits: 1 | 8 } => Format::B8,
        RegisterKind::Virtual { .. } => Format::B32,
        RegisterKind::Constant(_) | RegisterKind::Special(_) | RegisterKind::Sink => Format::B64,
    }
}
