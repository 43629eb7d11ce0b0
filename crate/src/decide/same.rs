//! The fast path: two terms that are built alike are equal.
//!
//! Walks both terms side by side without normalizing anything: chains in the same order meet link
//! by link. Operands of commutative operations are tried both ways; pairs found equal are kept in
//! a small lossy table, so that shared parts are compared once.
//!
//! Guarantees: `true` only for terms that are the same expression up to commutativity, over the
//! same inputs and constants. `false` (different, or too long to tell) says nothing.

use crate::base::{Budget, Exhausted};
use crate::term::eval::operands;
use crate::term::{Node, Number, Term, Terms};

const TABLE: usize = 1 << 14;
/// Steps per node of the larger store; more means that trying both ways got out of hand.
const STEPS_PER_PAIR: u64 = 1 << 24;

/// Compares terms of two stores.
pub(super) struct Same<'a> {
    a: &'a Terms,
    b: &'a Terms,
    /// For each constant of `a` and of `b`, the first of `a` that is the same number.
    constants: &'a [Vec<Option<usize>>; 2],
    equal: Vec<(Term, Term)>,
    /// Pairs that were not found alike, and the depth that was allowed for.
    unlike: Vec<(Term, Term, u32)>,
    steps: u64,
}

impl<'a> Same<'a> {
    pub(super) fn new(a: &'a Terms, b: &'a Terms, constants: &'a [Vec<Option<usize>>; 2]) -> Same<'a> {
        let size = (a.len() + b.len()).next_power_of_two().min(TABLE);
        let equal = vec![(Term::ZERO, Term::ONE); size];
        let unlike = vec![(Term::ZERO, Term::ZERO, 0); size];
        Same { a, b, constants, equal, unlike, steps: 0 }
    }

    /// Which constants of `a` and of `b` are which of `a`.
    pub(super) fn constants(a: &Terms, b: &Terms) -> [Vec<Option<usize>>; 2] {
        // What was never written is nothing that two kernels have in common.
        let numbers = a.constants().iter().enumerate().rev();
        let numbers = numbers.filter(|(_, constant)| constant.number != Number::Unwritten);
        let known: rustc_hash::FxHashMap<_, usize> =
            numbers.map(|(index, constant)| (constant.as_read(), index)).collect();
        let which = |terms: &Terms| {
            terms.constants().iter().map(|constant| known.get(&constant.as_read()).copied()).collect()
        };
        [which(a), which(b)]
    }

    /// Which pairs of terms are built alike.
    ///
    /// Chains of neighbouring outputs lie side by side in memory, so as long as everything beside
    /// the chain is shallow, all pairs go down their chains together.
    pub(super) fn terms(&mut self, budget: &Budget, pairs: &[(Term, Term)]) -> Result<Vec<bool>, Exhausted> {
        let mut at = pairs.to_vec();
        let mut active: Vec<usize> = (0..pairs.len()).collect();
        while !active.is_empty() {
            budget.spend(active.len() as u64)?;
            let mut going_on = Vec::with_capacity(active.len());
            for pair in active {
                if let Some(next) = self.next_link(budget, at[pair])? {
                    at[pair] = next;
                    going_on.push(pair);
                }
            }
            active = going_on;
        }
        let mut same = Vec::with_capacity(pairs.len());
        for (a, b) in at {
            self.steps = 0;
            same.push(self.walk(budget, a, b, 200)?);
        }
        Ok(same)
    }

    /// What remains to be compared of two terms once their shallow operands are found alike.
    #[inline]
    fn next_link(
        &mut self,
        budget: &Budget,
        (a, b): (Term, Term),
    ) -> Result<Option<(Term, Term)>, Exhausted> {
        let (Some(left), Some(right)) = (a.as_node(), b.as_node()) else { return Ok(None) };
        // Nearly every link of a sum of products: two elements are multiplied.
        if let (Some((p, q, c)), Some((r, s, d))) = (self.a.fma_at(left), self.b.fma_at(right))
            && (p, q) == (r, s)
            && p.as_element().is_some()
            && q.as_element().is_some()
        {
            return Ok(Some((c, d)));
        }
        match (self.a.node_at(left), self.b.node_at(right)) {
            (Node::Fma(p, q, c), Node::Fma(r, s, d)) => {
                if self.shallow_factors(budget, (p, q), (r, s))? {
                    return Ok(Some((c, d)));
                }
                if self.shallow(budget, c, d)? {
                    return self.other_operands(budget, (p, q), (r, s));
                }
                // As in `crossed`.
                let (Node::Mul(x, y), Node::Mul(u, v)) = (self.a.node(c), self.b.node(d)) else {
                    return Ok(None);
                };
                if self.shallow_factors(budget, (x, y), (r, s))? {
                    return self.other_operands(budget, (p, q), (u, v));
                }
                if self.shallow_factors(budget, (p, q), (u, v))? {
                    return self.other_operands(budget, (x, y), (r, s));
                }
                Ok(None)
            }
            (Node::Add(p, q), Node::Add(r, s)) | (Node::Mul(p, q), Node::Mul(r, s)) => {
                self.other_operands(budget, (p, q), (r, s))
            }
            _ => Ok(None),
        }
    }

    /// Whether both factors of two products are shallow, and alike.
    #[inline]
    fn shallow_factors(
        &mut self,
        budget: &Budget,
        (p, q): (Term, Term),
        (r, s): (Term, Term),
    ) -> Result<bool, Exhausted> {
        Ok(self.shallow(budget, p, r)? && self.shallow(budget, q, s)?
            || self.shallow(budget, p, s)? && self.shallow(budget, q, r)?)
    }

    /// Beside two operands that are shallow and alike, the other two.
    fn other_operands(
        &mut self,
        budget: &Budget,
        (p, q): (Term, Term),
        (r, s): (Term, Term),
    ) -> Result<Option<(Term, Term)>, Exhausted> {
        for (x, y, others) in [(q, s, (p, r)), (p, r, (q, s)), (q, r, (p, s)), (p, s, (q, r))] {
            if self.shallow(budget, x, y)? {
                return Ok(Some(others));
            }
        }
        Ok(None)
    }

    fn both_shallow(&self, a: Term, b: Term) -> bool {
        is_shallow(self.a, a) && is_shallow(self.b, b)
    }

    /// Whether two operands are shallow, and alike.
    fn shallow(&mut self, budget: &Budget, a: Term, b: Term) -> Result<bool, Exhausted> {
        if a.as_node().is_none() && b.as_node().is_none() {
            return Ok(self.leaf(a, b));
        }
        Ok(self.both_shallow(a, b) && self.walk(budget, a, b, 2)?)
    }

    /// Follows the last operand in a loop and the others by recursion of bounded depth.
    fn walk(&mut self, budget: &Budget, a: Term, b: Term, depth: u32) -> Result<bool, Exhausted> {
        let (mut a, mut b) = (a, b);
        let start = (a, b);
        let same = loop {
            self.steps += 1;
            if self.steps.is_multiple_of(4096) {
                budget.spend(4096)?;
            }
            if self.steps > STEPS_PER_PAIR || depth == 0 {
                return Ok(false);
            }
            let (Some(left), Some(right)) = (a.as_node(), b.as_node()) else {
                break self.leaf(a, b);
            };
            let slot = self.slot(a, b);
            if self.equal[slot] == (a, b) {
                break true;
            }
            let (p, q, tried) = self.unlike[slot];
            if (p, q) == (a, b) && depth <= tried {
                break false;
            }
            let (x, y) = (self.a.node_at(left), self.b.node_at(right));
            let next = match (x, y) {
                (Node::Add(p, q), Node::Add(r, s))
                | (Node::Mul(p, q), Node::Mul(r, s))
                | (Node::Max(p, q), Node::Max(r, s))
                | (Node::Min(p, q), Node::Min(r, s))
                | (Node::And(p, q), Node::And(r, s))
                | (Node::Or(p, q), Node::Or(r, s)) => self.either(budget, (p, q), (r, s), depth)?,
                (Node::Fma(p, q, c), Node::Fma(r, s, d)) => {
                    if !self.factors(budget, (p, q), (r, s), depth)? {
                        break self.crossed(budget, (p, q, c), (r, s, d), depth)?;
                    }
                    Some((c, d))
                }
                (Node::Sub(p, q), Node::Sub(r, s)) | (Node::Div(p, q), Node::Div(r, s)) => {
                    self.walk(budget, q, s, depth - 1)?.then_some((p, r))
                }
                (Node::Unary(f, p), Node::Unary(g, r)) if f == g => Some((p, r)),
                (Node::Select(c, p, q), Node::Select(d, r, s)) => (self.walk(budget, c, d, depth - 1)?
                    && self.walk(budget, p, r, depth - 1)?)
                .then_some((q, s)),
                (Node::Round(m, f, p), Node::Round(n, g, r)) if (m, f) == (n, g) => Some((p, r)),
                (Node::Compare(m, p, q), Node::Compare(n, r, s)) if m == n => {
                    self.walk(budget, q, s, depth - 1)?.then_some((p, r))
                }
                (Node::Not(p), Node::Not(r)) => Some((p, r)),
                (Node::BitsOf(f, p), Node::BitsOf(g, r)) | (Node::FromBits(f, p), Node::FromBits(g, r))
                    if f == g =>
                {
                    Some((p, r))
                }
                (Node::BitConstant(m), Node::BitConstant(n)) => break m == n,
                (Node::Bits(m, v, p, q, c), Node::Bits(n, w, r, s, d)) if (m, v) == (n, w) => {
                    (self.walk(budget, q, s, depth - 1)? && self.walk(budget, c, d, depth - 1)?)
                        .then_some((p, r))
                }
                (Node::Apply(f, p, q), Node::Apply(g, r, s))
                    if self.a.function_name(f) == self.b.function_name(g) =>
                {
                    self.walk(budget, q, s, depth - 1)?.then_some((p, r))
                }
                _ => None,
            };
            match next {
                Some(pair) => (a, b) = pair,
                None => break false,
            }
        };
        if start.0.as_node().is_some() {
            let slot = self.slot(start.0, start.1);
            if same {
                self.equal[slot] = start;
            } else {
                self.unlike[slot] = (start.0, start.1, depth);
            }
        }
        Ok(same)
    }

    /// Of two unordered pairs, compares the operands that look simpler and leaves the others.
    fn either(
        &mut self,
        budget: &Budget,
        (p, q): (Term, Term),
        (r, s): (Term, Term),
        depth: u32,
    ) -> Result<Option<(Term, Term)>, Exhausted> {
        // Operands stand in the order of their numbers: leaves last.
        if self.walk(budget, q, s, depth - 1)? {
            return Ok(Some((p, r)));
        }
        if self.walk(budget, p, s, depth - 1)? {
            return Ok(Some((q, r)));
        }
        Ok(None)
    }

    fn factors(
        &mut self,
        budget: &Budget,
        (p, q): (Term, Term),
        (r, s): (Term, Term),
        depth: u32,
    ) -> Result<bool, Exhausted> {
        Ok((self.walk(budget, p, r, depth - 1)? && self.walk(budget, q, s, depth - 1)?)
            || (self.walk(budget, p, s, depth - 1)? && self.walk(budget, q, r, depth - 1)?))
    }

    /// Compares p·q + c with r·s + d where c and d are products too: of alpha·sum + beta·old, one
    /// compiler run rounds the first product and another the second.
    fn crossed(
        &mut self,
        budget: &Budget,
        (p, q, c): (Term, Term, Term),
        (r, s, d): (Term, Term, Term),
        depth: u32,
    ) -> Result<bool, Exhausted> {
        let (Some(c), Some(d)) = (c.as_node(), d.as_node()) else { return Ok(false) };
        let (Node::Mul(x, y), Node::Mul(u, v)) = (self.a.node_at(c), self.b.node_at(d)) else {
            return Ok(false);
        };
        Ok(self.factors(budget, (x, y), (r, s), depth)? && self.factors(budget, (p, q), (u, v), depth)?)
    }

    fn slot(&self, a: Term, b: Term) -> usize {
        let mixed = u64::from(a.raw()) << 32 | u64::from(b.raw());
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (self.equal.len() - 1)
    }

    fn leaf(&self, a: Term, b: Term) -> bool {
        if a.as_element().is_some() || b.as_element().is_some() {
            return a == b;
        }
        match (a.as_constant(), b.as_constant()) {
            (Some(a), Some(b)) => {
                self.constants[0][a].is_some() && self.constants[0][a] == self.constants[1][b]
            }
            _ => false,
        }
    }
}

/// Whether a term is a leaf or an operation on leaves.
fn is_shallow(terms: &Terms, term: Term) -> bool {
    let leaves =
        |node: usize| operands(&terms.node_at(node)).into_iter().flatten().all(|t| t.as_node().is_none());
    term.as_node().is_none_or(leaves)
}
