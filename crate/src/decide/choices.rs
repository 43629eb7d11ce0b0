//! Choices by a comparison of what is chosen, or of what goes with it: maxima, minima, contests.
//!
//! `if x > m then x else m` is the maximum of x and m. `if x > m then i else k`, where k is the payload
//! of a contest whose largest score is m, is a contest with one candidate more (`forms/contests.rs`).
//! The condition may say more than the comparison: what it says above, below and at a tie is read off
//! by putting those three cases into it.
//!
//! Guarantees: the form equals the choice.
//! Misses: conditions of more than [`COMPARISONS`] comparisons; payloads that are sums; scores that
//! are long sums.

use super::forms::{Forms, Poly, Step};
use super::normalize::{Normalizer, Value};
use crate::term::{Node, Term};

/// Comparisons of a condition that are looked at.
const COMPARISONS: usize = 4;
/// Conditions of more terms are not looked at.
const TERMS: usize = 16;
/// Scores of more terms are not put into contests: maxima of long sums cost more than they may save.
const LONG: usize = 256;

/// What a condition says where u > v and where u < v, and its form where u = v.
struct Outcomes {
    above: bool,
    below: bool,
    tied: Poly,
}

impl Normalizer<'_> {
    /// `if condition then a else b`.
    pub(super) fn chosen(
        &mut self,
        side: usize,
        (term, condition): (Term, Poly),
        a: Poly,
        b: Poly,
    ) -> Step<Poly> {
        if condition == Poly::ONE || condition == Poly::ZERO || a == b {
            return self.forms.choose(condition, a, b);
        }
        match self.choice(side, (term, condition), a, b)? {
            Some(value) => Ok(value),
            None => self.forms.choose(condition, a, b),
        }
    }

    /// The same, if it is a maximum, a minimum or a contest.
    fn choice(
        &mut self,
        side: usize,
        (term, condition): (Term, Poly),
        a: Poly,
        b: Poly,
    ) -> Step<Option<Poly>> {
        if self.forms.len(condition) > TERMS {
            return Ok(None);
        }
        for (u, v) in self.compared(side, term) {
            let (Some(Value::Finite(u)), Some(Value::Finite(v))) =
                (self.look_up(side, u)?, self.look_up(side, v)?)
            else {
                continue;
            };
            let Some(outcomes) = outcomes(&mut self.forms, condition, u, v)? else { continue };
            let found = match (outcomes.above, outcomes.below) {
                (true, false) => decided(&mut self.forms, (u, a), (v, b), outcomes.tied)?,
                (false, true) => decided(&mut self.forms, (v, a), (u, b), outcomes.tied)?,
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The pairs that a condition compares.
    fn compared(&self, side: usize, condition: Term) -> Vec<(Term, Term)> {
        let mut pairs = Vec::new();
        let mut open = vec![condition];
        while let Some(term) = open.pop() {
            match self.sides[side].terms.node(term) {
                Node::Compare(_, a, b) if !pairs.contains(&(a, b)) && !pairs.contains(&(b, a)) => {
                    pairs.push((a, b));
                }
                Node::And(a, b) | Node::Or(a, b) => open.extend([b, a]),
                Node::Not(a) => open.push(a),
                _ => {}
            }
            if pairs.len() + open.len() > COMPARISONS {
                break;
            }
        }
        pairs
    }
}

/// What a condition says in the three ways in which u and v can compare; `None` if above and below
/// leave something open.
fn outcomes(forms: &mut Forms<'_>, condition: Poly, u: Poly, v: Poly) -> Step<Option<Outcomes>> {
    let lead = forms.minus(u, v)?;
    let lag = forms.negated(lead)?;
    let (above, below, tied) = (forms.positive(lead)?, forms.positive(lag)?, forms.zero(lead)?);
    let (Some(above), Some(below)) = (forms.as_indicator(above), forms.as_indicator(below)) else {
        return Ok(None);
    };
    let tied = forms.as_indicator(tied);
    let mut put = |sign: i32| {
        let mut known = vec![(above, sign > 0), (below, sign < 0)];
        known.extend(tied.map(|tied| (tied, sign == 0)));
        forms.given(condition, &known)
    };
    let (greater, less, tied) = (put(1)?, put(-1)?, put(0)?);
    let known = |poly| match poly {
        Poly::ONE => Some(true),
        Poly::ZERO => Some(false),
        _ => None,
    };
    Ok(known(greater).zip(known(less)).map(|(above, below)| Outcomes { above, below, tied }))
}

/// The value that is `a` where u > v, `b` where u < v, and between them what `tied` says.
fn decided(
    forms: &mut Forms<'_>,
    (u, a): (Poly, Poly),
    (v, b): (Poly, Poly),
    tied: Poly,
) -> Step<Option<Poly>> {
    if (a, b) == (u, v) {
        return forms.max_of(&[u, v]).map(Some);
    }
    if (a, b) == (v, u) {
        return forms.min_of(&[u, v]).map(Some);
    }
    if forms.len(u) + forms.len(v) > LONG {
        return Ok(None);
    }
    let (Some(first), Some(second)) = (forms.candidates(a, u), forms.candidates(b, v)) else {
        return Ok(None);
    };
    let joined = match tied {
        Poly::ONE => Some([first, second].concat()),
        Poly::ZERO => Some([second, first].concat()),
        _ => match smaller_wins(forms, a, b, tied)? {
            Some(ascending) => forms.by_payload(&first, &second, ascending),
            None => None,
        },
    };
    let Some(joined) = joined else { return Ok(None) };
    let best = forms.max_of(&[u, v])?;
    forms.contest(joined, best)
}

/// Whether a condition chooses the smaller of a and b (`true`) or the larger, for `a`.
fn smaller_wins(forms: &mut Forms<'_>, a: Poly, b: Poly, condition: Poly) -> Step<Option<bool>> {
    let gain = forms.minus(b, a)?;
    let loss = forms.negated(gain)?;
    let (smaller, larger) = (forms.positive(gain)?, forms.positive(loss)?);
    let (not_smaller, not_larger) = (forms.not(smaller)?, forms.not(larger)?);
    Ok(if condition == smaller || condition == not_larger {
        Some(true)
    } else if condition == larger || condition == not_smaller {
        Some(false)
    } else {
        None
    })
}
