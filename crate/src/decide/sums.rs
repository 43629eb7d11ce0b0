//! Sums of products of inputs that are added in another order.
//!
//! Each side is listed as its products, one 64-bit word each, and the lists are sorted: a matrix
//! product in slices, with partial sums or by another path through its tiles takes some nanoseconds
//! a product instead of the microsecond that a normal form takes.
//!
//! Guarantees: `Some` only where both sides add up the same products of one or two inputs with the
//! same signs, so they are equal by commutativity and associativity. Misses: constants other than a
//! zero that is added, longer products, products that cancel, and sums whose parts are shared so
//! often that listing them costs more than the nodes there are.

use crate::base::{Budget, Exhausted};
use crate::term::{Node, Term, Terms, Unary};

/// Products between two looks at the budget.
const POLL: u64 = 1 << 16;

/// Lists the sums of two stores.
pub(super) struct Sums<'a> {
    terms: [&'a Terms; 2],
    /// Nodes that may still be visited.
    work: u64,
    /// By side and sign.
    lists: [[Vec<u64>; 2]; 2],
    waiting: Vec<(bool, Term)>,
}

impl<'a> Sums<'a> {
    /// For sums of which `work` nodes may be visited altogether.
    pub(super) fn new(a: &'a Terms, b: &'a Terms, work: u64) -> Sums<'a> {
        Sums { terms: [a, b], work, lists: Default::default(), waiting: Vec::new() }
    }

    /// How many products both sides add up, if they are the same ones.
    pub(super) fn same(&mut self, budget: &Budget, a: Term, b: Term) -> Result<Option<usize>, Exhausted> {
        for (side, root) in [a, b].into_iter().enumerate() {
            if !self.list(budget, side, root)? {
                return Ok(None);
            }
        }
        let [left, right] = &mut self.lists;
        if left.iter().zip(right.iter()).any(|(a, b)| a.len() != b.len()) {
            return Ok(None);
        }
        left.iter_mut().chain(right.iter_mut()).for_each(|list| list.sort_unstable());
        Ok((left == right).then(|| left.iter().map(Vec::len).sum()))
    }

    /// Lists the products of a sum; `false` where it is none, or too long.
    fn list(&mut self, budget: &Budget, side: usize, root: Term) -> Result<bool, Exhausted> {
        let terms = self.terms[side];
        let lists = &mut self.lists[side];
        lists.iter_mut().for_each(Vec::clear);
        self.waiting.clear();
        self.waiting.push((false, root));
        while let Some((negative, term)) = self.waiting.pop() {
            let Some(left) = self.work.checked_sub(1) else { return Ok(false) };
            self.work = left;
            if left.is_multiple_of(POLL) {
                budget.spend(POLL)?;
            }
            if term == Term::ZERO {
                continue;
            }
            let list = &mut lists[usize::from(negative)];
            if let Some(element) = term.as_element() {
                list.push(word(element, u32::MAX));
                continue;
            }
            if term.as_node().is_none() {
                return Ok(false);
            }
            let product = match terms.node(term) {
                Node::Fma(p, q, rest) => {
                    self.waiting.push((negative, rest));
                    Some((p, q))
                }
                Node::Mul(p, q) => Some((p, q)),
                Node::Add(p, q) => {
                    self.waiting.extend([(negative, p), (negative, q)]);
                    None
                }
                Node::Sub(p, q) => {
                    self.waiting.extend([(negative, p), (!negative, q)]);
                    None
                }
                Node::Unary(Unary::Neg, p) => {
                    self.waiting.push((!negative, p));
                    None
                }
                _ => return Ok(false),
            };
            if let Some((p, q)) = product {
                let (Some(p), Some(q)) = (p.as_element(), q.as_element()) else { return Ok(false) };
                list.push(word(p, q));
            }
        }
        Ok(true)
    }
}

/// A product of two elements, in either order; an element alone stands with a number that none has.
fn word(p: u32, q: u32) -> u64 {
    u64::from(p.min(q)) << 32 | u64::from(p.max(q))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `same` says of two sums, given as signed products; a factor may be missing.
    fn same(a: &[(bool, u32, Option<u32>)], b: &[(bool, u32, Option<u32>)]) -> Option<usize> {
        let build = |parts: &[(bool, u32, Option<u32>)]| {
            let mut terms = Terms::new();
            let mut sum = Term::ZERO;
            for (negative, p, q) in parts {
                let p = Term::element(*p);
                let part = q.map_or(p, |q| terms.mul(p, Term::element(q)));
                sum = if *negative { terms.sub(sum, part) } else { terms.add(sum, part) };
            }
            (terms, sum)
        };
        let ((left, a), (right, b)) = (build(a), build(b));
        Sums::new(&left, &right, 1000).same(&Budget::default(), a, b).unwrap()
    }

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let plus = |p, q| (false, p, Some(q));
        let sum = [plus(1, 2), plus(3, 4), (false, 5, None), (true, 1, Some(4))];
        let other = [(true, 4, Some(1)), plus(4, 3), (false, 5, None), plus(2, 1)];
        assert_eq!(same(&sum, &other), Some(4));
        for wrong in [
            [(false, 4, Some(1)), plus(4, 3), (false, 5, None), plus(2, 1)],
            [(true, 4, Some(1)), plus(4, 3), (true, 5, None), plus(2, 1)],
            [(true, 4, Some(1)), plus(4, 4), (false, 5, None), plus(2, 1)],
            [(true, 4, Some(1)), plus(4, 3), (false, 6, None), plus(2, 1)],
            [(true, 4, Some(1)), plus(4, 3), plus(5, 5), plus(2, 1)],
        ] {
            assert_eq!(same(&sum, &wrong), None, "{wrong:?}");
        }
        assert_eq!(same(&[plus(1, 2), plus(1, 2), plus(3, 4)], &[plus(1, 2), plus(3, 4), plus(3, 4)]), None);
        assert_eq!(same(&[plus(1, 2)], &[plus(1, 2), plus(1, 2)]), None);
    }

    #[test]
    fn sums_shared_over_and_over_are_left_to_others() {
        let mut terms = Terms::new();
        let mut sum = terms.mul(Term::element(1), Term::element(2));
        for at in 0..60 {
            let part = terms.mul(Term::element(at), Term::element(at + 1));
            let more = terms.add(sum, part);
            sum = terms.add(more, sum);
        }
        let answer = Sums::new(&terms, &terms, 10_000).same(&Budget::default(), sum, sum).unwrap();
        assert_eq!(answer, None);
    }

    #[test]
    fn other_factors_are_left_to_others() {
        let mut terms = Terms::new();
        let two = terms.add(Term::ONE, Term::ONE);
        let constant = terms.mul(two, Term::element(1));
        let nested = terms.mul(Term::element(1), Term::element(2));
        let cube = terms.mul(nested, Term::element(3));
        for term in [constant, cube, Term::ONE] {
            let answer = Sums::new(&terms, &terms, 1000).same(&Budget::default(), term, term).unwrap();
            assert_eq!(answer, None);
        }
    }
}
