//! Divisors that a kernel has itself said to be zero.
//!
//! That divisors are not zero is assumed where a kernel divides without having asked. In `m == 0 ? (x · m) / m : 1` it
//! has asked, and divides there: what comes out is NaN, and no assumption makes it x. Such a pair is not equal,
//! however its normal forms look.
//!
//! Guarantees: a branch is looked at with what its condition says of values put in their place ([`zeros`](super::zeros)),
//! and a divisor, or the argument of a logarithm or an inverse root, that folds to zero in each way in which the condition
//! may hold is found.
//! Misses: conditions that say so in other ways; divisors that are zero then without folding.

use super::split::copied;
use super::zeros::{Seen, where_holds};
use crate::base::{Budget, Exhausted};
use crate::term::eval::Reach;
use crate::term::{Node, Term, Terms};

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
            if divides(terms, branch, (condition, holds), budget)? {
                bad.push(node);
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

/// Whether a branch divides by zero in each way in which a condition holds, or does not.
fn divides(
    terms: &Terms,
    branch: Term,
    (condition, holds): (Term, bool),
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let (mut new, mut seen) = (Terms::beside(terms), Seen::default());
    let roots = copied(&mut new, &mut seen, terms, &[condition, branch], budget)?;
    let ways = where_holds(&new, &mut seen, roots[0], holds);
    if ways.is_empty() {
        return Ok(false);
    }
    for mut way in ways {
        if !way.follow(&mut new, &roots[1..], budget)?.1.is_zero {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Relation, Unary};

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
