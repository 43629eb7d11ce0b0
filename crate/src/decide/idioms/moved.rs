//! Functions whose choice stands after what is computed of them.
//!
//! `logf` ends with `x == 0 ? -∞ : core`. Of `-logf(x)` a compiler makes `x == 0 ? ∞ : -core`, and of
//! `logf(x)/3 + 1` what you expect: it does to both arms what is done to the function, and folds the arm
//! that is a constant. Whatever was moved, the constant arm tells: it is what the other arm would be with
//! the constant of the function's own choice in place of the core.
//!
//! Guarantees: where a shape is `c ? b : core` (or the arms the other way round) and the term is
//! `c ? g(b) : g(core)`, with g(b) worked out exactly, the term is g of the function.
//! Misses: functions none of whose arms is a constant; cores further than [`STEPS`] steps inside.

use super::{Finder, Found, kind};
use crate::term::eval::{Domain, Quantity, Reals, operands};
use crate::term::{Node, Number, Term, Unary};
use rustc_hash::FxHashMap;

/// Steps of an arm that are looked at.
const STEPS: usize = 64;

/// What a compiler moved inside a choice.
pub(super) struct Moved {
    /// What stands in place of the function.
    pub(super) core: Term,
    /// The steps around it, ascending.
    pub(super) steps: Vec<usize>,
}

impl Finder<'_> {
    /// An idiom in one arm of a choice, with something around it, and what that makes of the idiom's own
    /// constant in the other.
    pub(super) fn find_moved(&mut self, node: &Node) -> Option<Found> {
        let Node::Select(condition, first, second) = *node else { return None };
        let arms = [(first, second), (second, first)];
        if arms.iter().all(|(constant, _)| constant.as_constant().is_none()) {
            return None;
        }
        let shapes = self.shapes;
        for shape in &shapes.by_kind[kind(node)] {
            let Node::Select(own, one, other) = shape.last else { continue };
            for (at, (own_constant, own_core)) in [(one, other), (other, one)].into_iter().enumerate() {
                let (constant, arm) = arms[at];
                if own_constant.as_constant().is_none() || constant.as_constant().is_none() {
                    continue;
                }
                if self.matcher.run(|it| it.matches(own, condition)).is_none() {
                    continue;
                }
                for core in self.inside(arm) {
                    let Some(bindings) =
                        self.matcher.run(|it| it.matches(own, condition) && it.matches(own_core, core))
                    else {
                        continue;
                    };
                    let steps = self.around(arm, core);
                    let start = &shapes.terms.constant_at(own_constant.as_constant()?).number;
                    let folded = &self.terms.constant_at(constant.as_constant()?).number;
                    if self.folds(&steps, core, start, folded) {
                        let (row, word, moved) = (shape.row, shape.word, Some(Moved { core, steps }));
                        let (negated, addend, guard, negative) = (false, None, None, Default::default());
                        return Some(Found { row, bindings, negative, word, negated, addend, moved, guard });
                    }
                }
            }
        }
        None
    }

    /// The steps that an arm is made of, the nearest first.
    pub(super) fn inside(&self, arm: Term) -> Vec<Term> {
        let mut found = vec![arm];
        let mut next = 0;
        while next < found.len() && found.len() < STEPS {
            let term = found[next];
            next += 1;
            if !is_passable(&self.terms.node(term)) {
                continue;
            }
            for operand in operands(&self.terms.node(term)).into_iter().flatten() {
                if operand.as_node().is_some() && !found.contains(&operand) {
                    found.push(operand);
                }
            }
        }
        // The arm itself would have been found as a whole.
        found.split_off(1)
    }

    /// The steps from `core` up to `arm`, ascending.
    pub(super) fn around(&self, arm: Term, core: Term) -> Vec<usize> {
        let mut steps: Vec<usize> = vec![];
        let mut below = self.inside(arm);
        below.push(arm);
        below.sort_by_key(|term| term.as_node());
        for term in below {
            let Some(step) = term.as_node().filter(|_| term != core) else { continue };
            let node = self.terms.node_at(step);
            let stands_on = |operand: Term| {
                operand == core || operand.as_node().is_some_and(|node| steps.contains(&node))
            };
            if is_passable(&node) && operands(&node).into_iter().flatten().any(stands_on) {
                steps.push(step);
            }
        }
        steps
    }

    /// Whether the steps around a core make `folded` of `start` in its place.
    pub(super) fn folds(&self, steps: &[usize], core: Term, start: &Number, folded: &Number) -> bool {
        let mut last = self.quantity(start);
        let mut values = FxHashMap::from_iter([(core, last)]);
        let domain = Reals { element: &|_| Quantity::Unknown, constants: &[] };
        for step in steps {
            let value = |term: Term| match (values.get(&term), term.as_constant()) {
                (Some(value), _) => *value,
                (None, Some(constant)) => self.quantity(&self.terms.constant_at(constant).number),
                (None, None) => Quantity::Unknown,
            };
            last = domain.node(&self.terms.node_at(*step), value);
            values.insert(Term::from_node(*step), last);
        }
        last != Quantity::Unknown && last == self.quantity(folded)
    }

    fn quantity(&self, number: &Number) -> Quantity {
        match number {
            Number::Rational(value) => Quantity::rational(value),
            Number::Infinity => Quantity::Infinity,
            Number::MinusInfinity => Quantity::MinusInfinity,
            Number::NotANumber | Number::Unwritten => Quantity::Undefined,
            Number::Named(_) | Number::True | Number::False => Quantity::Unknown,
        }
    }
}

/// What may have been moved: what is computed of real numbers, or chosen among them.
fn is_passable(node: &Node) -> bool {
    match node {
        Node::Unary(function, _) => {
            !matches!(function, Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven)
        }
        Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Fma(..) => true,
        Node::Div(..) | Node::Max(..) | Node::Min(..) | Node::Select(..) => true,
        _ => false,
    }
}
