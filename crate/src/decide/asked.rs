//! Divisors that a kernel has itself said to be zero.
//!
//! That divisors are not zero is assumed where a kernel divides without having asked. In `m == 0 ? (x · m) / m : 1` it
//! has asked, and divides there: what comes out is NaN, and no assumption makes it x. Such a pair is not equal,
//! however its normal forms look.
//!
//! Guarantees: a choice whose condition makes two terms equal is looked at with one of them in the other's place, and
//! with that a divisor, or the argument of a logarithm or an inverse root, that folds to zero is found.
//! Misses: conditions that say so in other ways; divisors that are zero then without folding.

use super::split::{bare, copied, is_zero_if_not_positive};
use crate::base::{Budget, Exhausted};
use crate::term::eval::Reach;
use crate::term::{Node, Relation, Term, Terms, Unary};
use rustc_hash::FxHashMap;

/// Parts of a condition that are looked at.
const MOST: usize = 64;

/// Which of the roots have such a divisor below them.
pub(super) fn divide_where_zero(
    terms: &Terms,
    roots: &[Term],
    budget: &Budget,
) -> Result<Vec<bool>, Exhausted> {
    let mut found = vec![false; roots.len()];
    if !roots.iter().any(|root| terms.is_partial(*root)) {
        return Ok(found);
    }
    let mut bad = Vec::new();
    for node in Reach::of(terms, roots, budget)?.nodes() {
        let Node::Select(condition, then, otherwise) = terms.node_at(node) else { continue };
        let ways = [(then, true), (otherwise, false)];
        for (branch, holds) in ways.into_iter().filter(|(branch, _)| terms.is_partial(*branch)) {
            for same in equations(terms, condition, holds) {
                if divides(terms, branch, same, budget)? {
                    bad.push(node);
                }
            }
        }
    }
    if bad.is_empty() {
        return Ok(found);
    }
    for (root, found) in roots.iter().zip(&mut found) {
        *found = Reach::of(terms, &[*root], budget)?.nodes().any(|node| bad.contains(&node));
    }
    Ok(found)
}

/// Terms that are equal where a condition holds, or where it does not.
fn equations(terms: &Terms, condition: Term, holds: bool) -> Vec<(Term, Term)> {
    let (mut found, mut open) = (Vec::new(), vec![(condition, holds)]);
    let mut left = MOST;
    while let Some((condition, holds)) = open.pop() {
        let Some(less) = left.checked_sub(1) else { break };
        left = less;
        match (terms.node(condition), holds) {
            (Node::Not(inner), _) => open.push((inner, !holds)),
            (Node::And(a, b), true) | (Node::Or(a, b), false) => open.extend([(a, holds), (b, holds)]),
            (Node::Compare(Relation::Equal, a, b), true) => found.push((a, b)),
            (Node::Compare(Relation::LessEqual, a, Term::ZERO), true)
            | (Node::Compare(Relation::Less, Term::ZERO, a), false)
                if is_zero_if_not_positive(terms, a) =>
            {
                found.push((a, Term::ZERO));
            }
            _ => {}
        }
    }
    found
}

/// Whether a branch divides by zero where two terms are equal.
fn divides(
    terms: &Terms,
    branch: Term,
    (one, other): (Term, Term),
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let mut new = Terms::beside(terms);
    let roots = copied(&mut new, terms, &[one, other, branch], budget)?;
    let mut known = FxHashMap::default();
    match (roots[0].as_constant(), roots[1].as_constant()) {
        (Some(_), Some(_)) => return Ok(false),
        _ if roots[1] == Term::ZERO => zeros(&new, roots[0], &mut known),
        _ if roots[0] == Term::ZERO => zeros(&new, roots[1], &mut known),
        (Some(_), None) => _ = known.insert(roots[1], roots[0]),
        (None, _) => _ = known.insert(roots[0], roots[1]),
    }
    let branch = new.replaced(roots[2], &mut known);
    let zero = |term: Term| term == Term::ZERO || matches!(new.node(term), Node::Sub(a, b) if a == b);
    let found = Reach::of(&new, &[branch], budget)?.nodes().any(|node| match new.node_at(node) {
        Node::Div(_, below) => zero(below),
        Node::Unary(Unary::Recip | Unary::Rsqrt | Unary::Log | Unary::Log2, of) => zero(of),
        _ => false,
    });
    Ok(found)
}

/// What is zero where a value is: it without its sign and factors that are known, what it is the square or the root of,
/// and what it is the sum or the maximum of, if none of that is negative.
fn zeros(terms: &Terms, value: Term, known: &mut FxHashMap<Term, Term>) {
    let mut open = vec![value];
    while let Some(value) = open.pop().map(|value| bare(terms, value)) {
        if value.as_constant().is_some() || known.len() >= MOST || known.insert(value, Term::ZERO).is_some() {
            continue;
        }
        let positive = |term: Term| is_zero_if_not_positive(terms, term);
        match terms.node(value) {
            Node::Mul(a, b) if a == b => open.push(a),
            Node::Unary(Unary::Sqrt, a) => open.push(a),
            Node::Add(a, b) | Node::Max(a, b) if positive(a) && positive(b) => open.extend([a, b]),
            Node::Fma(a, b, c) if a == b && positive(c) => open.extend([a, c]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of x and y: a condition, and what is computed where it holds and where not.
    type Form = fn(&mut Terms, Term, Term) -> [Term; 3];

    fn found(form: Form) -> bool {
        let mut terms = Terms::new();
        let [condition, then, otherwise] = form(&mut terms, Term::element(0), Term::element(1));
        let chosen = terms.select(condition, then, otherwise);
        let root = terms.add(chosen, Term::element(2));
        divide_where_zero(&terms, &[Term::element(0), root], &Budget::default()).expect("small")
            == [false, true]
    }

    fn is_zero(terms: &mut Terms, value: Term) -> Term {
        terms.compare(Relation::Equal, value, Term::ZERO)
    }

    #[test]
    fn divisors_that_a_condition_makes_zero_are_found() {
        let forms: [Form; 7] = [
            |t, x, y| [is_zero(t, x), t.div(y, x), Term::ONE],
            |t, x, y| {
                let (square, part) = (t.mul(x, x), t.div(y, x));
                [is_zero(t, square), part, Term::ONE]
            },
            |t, x, y| {
                let size = t.unary(Unary::Abs, x);
                [t.compare(Relation::Less, Term::ZERO, size), Term::ONE, t.div(y, x)]
            },
            |t, x, y| {
                let (a, b) = (t.unary(Unary::Abs, x), t.unary(Unary::Abs, y));
                let (most, part) = (t.max(a, b), t.div(x, b));
                [is_zero(t, most), part, Term::ONE]
            },
            |t, x, y| {
                let square = t.mul(y, y);
                let sum = t.fma(x, x, square);
                let root = t.unary(Unary::Sqrt, sum);
                [is_zero(t, root), t.unary(Unary::Rsqrt, sum), Term::ONE]
            },
            |t, x, y| {
                let difference = t.sub(x, y);
                [t.compare(Relation::Equal, x, y), t.div(x, difference), Term::ONE]
            },
            |t, x, y| {
                let (other, zero) = (is_zero(t, y), is_zero(t, x));
                let both = t.and(zero, other);
                [both, t.unary(Unary::Log, y), Term::ONE]
            },
        ];
        for (at, form) in forms.into_iter().enumerate() {
            assert!(found(form), "{at}");
        }
    }

    #[test]
    fn guards_that_guard_are_left_alone() {
        let forms: [Form; 5] = [
            |t, x, y| [is_zero(t, x), y, t.div(y, x)],
            |t, x, y| {
                let more = t.add(x, Term::ONE);
                [is_zero(t, x), t.div(y, more), t.div(y, x)]
            },
            |t, x, y| [is_zero(t, x), t.div(x, y), Term::ONE],
            |t, x, y| {
                let (inner, part) = (is_zero(t, x), t.div(y, x));
                let guarded = t.select(inner, Term::ZERO, part);
                [inner, guarded, part]
            },
            |t, x, y| [t.compare(Relation::Less, Term::ZERO, x), t.div(y, x), Term::ONE],
        ];
        for (at, form) in forms.into_iter().enumerate() {
            assert!(!found(form), "{at}");
        }
    }
}
