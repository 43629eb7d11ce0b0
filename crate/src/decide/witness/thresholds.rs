//! Where guards and clamps change their mind: the numbers that terms are compared with, and the inputs at
//! which that happens.
//!
//! `max(round(x / 10), -128)` compares with -128, and x says something about it near -1280. From each
//! comparison with a number the way down to the inputs is walked, undoing sums, products and quotients with
//! numbers; a rounding, a conversion or a choice lets the number through as it is, and of two operands that
//! are both no numbers each may be the one.
//!
//! Guarantees: none; these are places to look at.
//! Misses: functions other than those, and what takes more than [`STEPS`] steps.

use crate::term::eval::{Cone, Quantity, Small};
use crate::term::{Node, Term, Unary};
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use std::collections::BTreeSet;

/// Thresholds whose neighbourhood is tried.
const THRESHOLDS: usize = 12;
/// Inputs at which something reaches a threshold, likewise.
const INPUTS: usize = 12;
/// Steps down from one comparison.
const STEPS: usize = 32;

/// The numbers that elements (or anything else) are compared with, ascending, and behind them the inputs for
/// which something computed of them is such a number. Where something is rounded to integers, ties lie at
/// halves.
pub(in crate::decide) fn thresholds(cones: &[Cone; 2], constants: &[Vec<Quantity>; 2]) -> Vec<Small> {
    let mut found = BTreeSet::new();
    let mut inputs = BTreeSet::new();
    for (cone, constants) in cones.iter().zip(constants) {
        for step in cone.steps() {
            if let Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, a) = step {
                let half = Small::new(1, 2);
                found.insert(half);
                if inputs.len() < INPUTS {
                    reach(cone, constants, (*a, half), &mut inputs);
                }
            }
            let (Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b)) = step else { continue };
            for (number, other) in [(a, b), (b, a)] {
                if let Some(value) = number_of(constants, *number)
                    && is_plain(&value)
                {
                    found.insert(value);
                    if inputs.len() < INPUTS {
                        reach(cone, constants, (*other, value), &mut inputs);
                    }
                }
            }
            if found.len() >= THRESHOLDS {
                break;
            }
        }
    }
    let inputs: Vec<Small> = inputs.into_iter().filter(|input| !found.contains(input)).take(INPUTS).collect();
    found.into_iter().chain(inputs).collect()
}

/// Numbers beyond these sizes overflow on the way, and their neighbours mean nothing.
fn is_plain(value: &Small) -> bool {
    value.numer().unsigned_abs() < 1 << 40 && *value.denom() < 1 << 20
}

fn number_of(constants: &[Quantity], term: Term) -> Option<Small> {
    match constants.get(term.as_constant()?) {
        Some(Quantity::Exact(value)) => Some(*value),
        _ => None,
    }
}

/// The values of elements at which a term may be that number.
fn reach(cone: &Cone, constants: &[Quantity], from: (Term, Small), found: &mut BTreeSet<Small>) {
    let mut open = vec![from];
    let number = |term: Term| number_of(constants, term);
    for _ in 0..STEPS {
        let Some((term, value)) = open.pop() else { return };
        if term.as_element().is_some() {
            found.insert(value);
            continue;
        }
        let Some(step) = term.as_node() else { continue };
        // What each operand has to be, if the other is a number or is not looked at.
        let sum = |open: &mut Vec<(Term, Option<Small>)>, a: Term, b: Term, value: Small| match (
            number(a),
            number(b),
        ) {
            (_, Some(known)) => open.push((a, value.checked_sub(&known))),
            (Some(known), _) => open.push((b, value.checked_sub(&known))),
            _ => open.extend([(a, Some(value)), (b, Some(value))]),
        };
        let product = |open: &mut Vec<(Term, Option<Small>)>, a: Term, b: Term, value: Small| match (
            number(a),
            number(b),
        ) {
            (_, Some(known)) if !known.is_zero() => open.push((a, value.checked_div(&known))),
            (Some(known), _) if !known.is_zero() => open.push((b, value.checked_div(&known))),
            _ => open.extend([(a, Some(value)), (b, Some(value))]),
        };
        let mut next: Vec<(Term, Option<Small>)> = Vec::new();
        match cone.steps()[step] {
            Node::Unary(Unary::Neg, a) => next.push((a, Some(-value))),
            Node::Unary(Unary::Recip, a) if !value.is_zero() => next.push((a, Some(value.recip()))),
            Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven | Unary::Abs, a)
            | Node::Round(_, _, a)
            | Node::BitsOf(_, a)
            | Node::FromBits(_, a)
            | Node::Bits(_, _, a, _, _) => next.push((a, Some(value))),
            Node::Add(a, b) => sum(&mut next, a, b, value),
            Node::Sub(a, b) => match (number(a), number(b)) {
                (_, Some(known)) => next.push((a, value.checked_add(&known))),
                (Some(known), _) => next.push((b, known.checked_sub(&value))),
                _ => next.extend([(a, Some(value)), (b, Some(-value))]),
            },
            Node::Mul(a, b) => product(&mut next, a, b, value),
            Node::Fma(a, b, c) => match number(c) {
                Some(known) => {
                    if let Some(value) = value.checked_sub(&known) {
                        product(&mut next, a, b, value);
                    }
                }
                None => {
                    next.push((c, Some(value)));
                    product(&mut next, a, b, value);
                }
            },
            Node::Div(a, b) => match (number(a), number(b)) {
                (_, Some(known)) => next.push((a, value.checked_mul(&known))),
                (Some(known), _) => next.push((b, known.checked_div(&value))),
                _ => next.push((a, Some(value))),
            },
            Node::Max(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => {
                next.extend([(a, Some(value)), (b, Some(value))]);
            }
            _ => {}
        }
        open.extend(next.into_iter().filter_map(|(term, value)| Some((term, value.filter(is_plain)?))));
    }
}
