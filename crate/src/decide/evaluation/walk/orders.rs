//! Choices by the sign of a difference, linked to maxima.
//!
//! For each class of numbers d there is a variable q, its share, which is 1 where d > 0, 0 where
//! d < 0, and anything where d = 0; and a variable e, which is [d = 0]. So max(d, 0) = q·d,
//! [d > 0] = q·(1 - e) and [d < 0] = (1 - q)·(1 - e) for all inputs. What d chooses between u and v
//! is v + q·(u - v), if u and v are proved to meet where d = 0 (`borders`): `<` and `≤` are one then.
//! Otherwise e stays in it.
//!
//! - u - v = r·d: it is the larger (r > 0) or smaller of u and v, and known by its candidates, as any
//!   maximum; and where d is the difference of two maxima of more than two candidates, its share is
//!   (M - b)/d, with M the maximum of all of them.
//! - u = v·2^t with t = 0 where d = 0: it is u·2^(-(1-q)·t), a power like any other, so that sums that
//!   are rescaled where a new maximum is met are what they are with the maximum put in.
//!
//! Why the quotient (M - b)/d does no harm: an input where d = 0 is the limit of inputs where no
//! difference vanishes and both kernels take the same branches or ones that meet there; e is kept
//! as it is at the input.

use super::*;
use crate::decide::evaluation::demands::{exponent_scale, inner};

/// Parts of one condition that are looked at.
const MOST_ASKED: usize = 64;

/// A power `2^exponent`, as it was met.
#[derive(Clone, Copy)]
pub(super) struct Met {
    /// The argument, which is 0 where the exponent is.
    argument: Term,
    exponent: [Residue; LEVELS],
    /// At which levels the exponent is known.
    levels: Levels,
    degree: f32,
    natural: bool,
}

/// The power that two values differ by.
pub(super) struct Factor {
    pub(super) argument: Term,
    pub(super) natural: bool,
    /// Whether it is the second over the first.
    pub(super) inverse: bool,
}

impl Walk<'_> {
    pub(super) fn remember_power(&mut self, power: &Value, argument: Term, natural: bool, levels: Levels) {
        if self.atoms.way == Way::Apart || self.supposed.any() || levels & 1 == 0 || !power.is_finite() {
            return;
        }
        let levels = inner(levels) & 6;
        let asked = argument.as_node().map_or(ALL, |step| self.demands.steps[step].levels);
        let known = |met: &Met| met.levels & levels == levels;
        if asked & levels != levels || self.met.get(&power.at[0]).is_some_and(known) {
            return;
        }
        let Some(scale) = exponent_scale(natural, 1) else { return };
        let value = self.exponent(self.get(argument, levels), &scale, levels);
        if !value.is_finite() {
            return;
        }
        let exponent = by_level!(levels, L => field::multiply(L, value.at[L], self.lambda[L]));
        let degree = power.degree[0];
        self.met.insert(power.at[0], Met { argument, exponent, levels, degree, natural });
    }

    /// A comparison of a and b whose difference is of a class, as a condition.
    pub(super) fn linked(
        &mut self,
        relation: Relation,
        [a, b]: [Term; 2],
        member: Member,
        sign: Sign,
        levels: Levels,
    ) -> Value {
        let border = self.atoms.is_border(member.class);
        if relation == Relation::Equal {
            return border;
        }
        let (larger, smaller) = if relation == Relation::Less { (b, a) } else { (a, b) };
        let above = if sign.not_negative {
            Value::ONE.minus(border, levels)
        } else {
            self.link(member, larger, smaller);
            self.atoms.is_above(member, levels)
        };
        let holds = if relation == Relation::Less { above } else { Value::ONE.minus(above, levels) };
        Value { chosen: true, ..holds.with_sign(Sign::NOT_NEGATIVE) }
    }

    /// The share of `larger - smaller`, from the maximum or minimum of all candidates of both.
    pub(super) fn link(&mut self, member: Member, larger: Term, smaller: Term) {
        if self.atoms.has_share(member.class) {
            return;
        }
        let (above, below) = (self.get(larger, ALL), self.get(smaller, ALL));
        for largest in [true, false] {
            let known = if largest { &self.largest } else { &self.smallest };
            let sets = [larger, smaller].map(|term| known.get(&term).copied());
            if sets == [None, None] {
                continue;
            }
            let [one, two] = [(sets[0], above), (sets[1], below)].map(|(set, value)| {
                set.unwrap_or_else(|| {
                    let candidate = if largest { value } else { value.negated(ALL) };
                    self.atoms.candidate(candidate, ALL)
                })
            });
            let all = self.atoms.sets.union(one, two);
            let share = if all == one || all == two {
                if (all == one) == largest { Value::ONE } else { Value::ZERO }
            } else if self.atoms.sets.len(all) > 2 {
                let extreme = self.atoms.maximum(all, ALL);
                let part = if largest { extreme.minus(below, ALL) } else { above.plus(extreme, ALL) };
                part.times(above.minus(below, ALL).inverse(ALL), ALL)
            } else {
                continue;
            };
            if share.is_finite() {
                self.atoms.set_share(member, share);
                return;
            }
        }
    }

    /// The comparison that a condition is, and whether it is the contrary of that.
    fn comparison(&self, mut condition: Term) -> Option<(Relation, [Term; 2], bool)> {
        let mut contrary = false;
        loop {
            match self.cone.steps()[condition.as_node()?] {
                Node::Not(inner) => (condition, contrary) = (inner, !contrary),
                Node::Compare(relation, a, b) => return Some((relation, [a, b], contrary)),
                _ => return None,
            }
        }
    }

    /// A choice by one comparison, if its border is proved to make no difference.
    pub(super) fn choose(
        &mut self,
        own: Term,
        condition: Term,
        then: (Term, Value),
        otherwise: (Term, Value),
    ) -> Option<Value> {
        if let Some(value) = self.choose_by_gain(own, condition, then, otherwise) {
            return Some(value);
        }
        if let Some(value) = self.exchanged(own, condition, then.0, otherwise.0) {
            return Some(value);
        }
        let (relation, [a, b], contrary) = self.comparison(condition)?;
        let (larger, smaller, contrary) = match relation {
            Relation::Less => (b, a, contrary),
            Relation::LessEqual => (a, b, !contrary),
            Relation::Equal => {
                let ranked = self.ranked(own);
                return ranked.or_else(|| self.choose_at_border([a, b], contrary, then, otherwise));
            }
        };
        let (above, below) = if contrary { (otherwise, then) } else { (then, otherwise) };
        let difference = self.get(larger, ALL).minus(self.get(smaller, ALL), ALL);
        if !difference.is_finite() {
            return None;
        }
        let Some(Classified::Member(member)) = self.classify(&difference) else { return None };
        let gain = above.1.minus(below.1, ALL);
        let share = if difference.sign.not_negative { Value::ONE } else { self.atoms.share(member) };
        match self.classify(&gain)? {
            Classified::Constant(0) => return Some(above.1),
            Classified::Constant(_) => return None,
            Classified::Member(gains) if gains.class == member.class => {
                let up = (gains.ratio.0 > 0) == (member.ratio.0 > 0);
                return Some(self.extremum(own, [above.0, below.0], up));
            }
            Classified::Member(_) => {}
        }
        if let Some((value, _)) = self.rescaled([larger, smaller], share, above.1, below.1) {
            return Some(value);
        }
        if let Some(value) = self.ranked(own) {
            return Some(value);
        }
        let meet = self.meet([larger, smaller], above.0, below.0);
        meet.then(|| below.1.plus(share.times(gain, ALL), ALL))
    }

    /// A choice that the sign of `then - otherwise` decides, whatever other conditions say where both are one.
    fn choose_by_gain(
        &mut self,
        own: Term,
        condition: Term,
        then: (Term, Value),
        otherwise: (Term, Value),
    ) -> Option<Value> {
        let gain = then.1.minus(otherwise.1, ALL);
        let Classified::Member(gains) = self.classify(&gain)? else { return None };
        let [above, below] = [true, false].map(|up| self.outcome(condition, gains, up, &mut { MOST_ASKED }));
        match (above?, below?) {
            (true, false) => Some(self.extremum(own, [then.0, otherwise.0], true)),
            (false, true) => Some(self.extremum(own, [then.0, otherwise.0], false)),
            (true, true) => Some(then.1),
            (false, false) => Some(otherwise.1),
        }
    }

    /// How a condition comes out where a number of a class is positive, or negative, if that decides it.
    fn outcome(&mut self, condition: Term, member: Member, up: bool, left: &mut usize) -> Option<bool> {
        *left = left.checked_sub(1)?;
        let holds = self.get(condition, 1);
        if holds.is_finite() && (holds.is_zero() || holds.at[0] == field::ONE) {
            return Some(!holds.is_zero());
        }
        match self.cone.steps()[condition.as_node()?] {
            Node::Not(a) => self.outcome(a, member, up, left).map(|holds| !holds),
            Node::And(a, b) | Node::Or(a, b) => {
                let both = matches!(self.cone.steps()[condition.as_node()?], Node::And(..));
                match (self.outcome(a, member, up, left), self.outcome(b, member, up, left)) {
                    (Some(one), _) | (_, Some(one)) if one != both => Some(one),
                    (Some(_), Some(_)) => Some(both),
                    _ => None,
                }
            }
            Node::Compare(relation, a, b) => {
                let difference = self.get(b, ALL).minus(self.get(a, ALL), ALL);
                if !difference.is_finite() {
                    return None;
                }
                match self.classify(&difference)? {
                    Classified::Member(own) if own.class == member.class => {
                        let positive = ((own.ratio.0 > 0) == (member.ratio.0 > 0)) == up;
                        Some(relation != Relation::Equal && positive)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `a = b ? u : v` is v, if u and v meet where a = b.
    fn choose_at_border(
        &mut self,
        [a, b]: [Term; 2],
        contrary: bool,
        then: (Term, Value),
        otherwise: (Term, Value),
    ) -> Option<Value> {
        let kept = if contrary { then.1 } else { otherwise.1 };
        self.meet([a, b], then.0, otherwise.0).then_some(kept)
    }

    /// `d > 0 ? u : v` where u = v·2^t, and t = 0 where d = 0.
    pub(super) fn rescaled(
        &mut self,
        d: [Term; 2],
        share: Value,
        above: Value,
        below: Value,
    ) -> Option<(Value, Factor)> {
        let ratio = field::multiply(0, above.at[0], field::invert(0, below.at[0])?);
        let (power, inverse) = match self.met.get(&ratio) {
            Some(power) => (*power, false),
            None => (*self.met.get(&field::invert(0, ratio)?)?, true),
        };
        if power.levels & 2 == 0 || !self.is_zero_where(d, power.argument) {
            return None;
        }
        let rest = Value::ONE.minus(share, ALL);
        let mut value = below.plus(share.times(above.minus(below, ALL), ALL), ALL);
        for level in (0..LEVELS - 1).filter(|level| power.levels >> (level + 1) & 1 == 1) {
            let mut exponent = field::multiply(level + 1, rest.at[level + 1], power.exponent[level + 1]);
            if !inverse {
                exponent = field::negate(level + 1, exponent);
            }
            value.at[level] = field::multiply(level, above.at[level], field::power_of_two(level, exponent));
        }
        let added = power.degree + share.degree[0] + share.degree[1];
        value.degree = [above.degree[0] + added, above.degree[1]];
        let Met { argument, natural, .. } = power;
        Some((value, Factor { argument, natural, inverse }))
    }
}
