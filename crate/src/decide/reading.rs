//! What a question about two kernels' terms is: library code recognized, constants understood.
//!
//! `decide`, `check`, the expressions that people are shown and what is exported for other solvers
//! are all about the same reading. It depends on the stores and on the set of roots alone, so it is
//! made once and handed on.

use super::idioms::{self, Rewritten};
use super::{Meanings, Options, Problem};
use crate::base::{Budget, Exhausted};
use crate::diag::{Assumption, Ledger};
use crate::term::eval::{Reach, operands};
use crate::term::{Node, Term, Terms, Unary};
use rustc_hash::FxHashMap;

/// What is assumed of floats whose bits are read, by order or one by one: -0 is not negative, and its bits are.
pub(super) const NO_NEGATIVE_ZERO: &str = "floats whose bits are read as integers are not -0";

/// The terms of both kernels (0: reference, 1: optimized) with library code replaced by the
/// function it computes, and what their constants mean.
pub struct Reading<'a> {
    stores: [&'a Terms; 2],
    rewritten: [Option<Rewritten>; 2],
    roots: [Vec<Term>; 2],
    /// Where a pair, as it was before, stands among the roots.
    places: FxHashMap<(Term, Term), u32>,
    /// What constants mean.
    pub meanings: Meanings,
    /// See [`Options::outputs`].
    pub outputs: bool,
}

impl<'a> Reading<'a> {
    /// Reads the cones of `pairs`, (reference, optimized); what that assumes goes to the ledger.
    pub fn of(
        options: &Options,
        budget: &Budget,
        problem: &Problem<'a>,
        pairs: &[(Term, Term)],
        ledger: &mut Ledger,
    ) -> Result<Reading<'a>, Exhausted> {
        let stores = [problem.reference, problem.optimized];
        let (left, right): (Vec<Term>, Vec<Term>) = pairs.iter().copied().unzip();
        let mut roots = [left, right];
        let rewritten = rayon::join(
            || idioms::rewrite(stores[0], &roots[0], budget),
            || idioms::rewrite(stores[1], &roots[1], budget),
        );
        let rewritten = [rewritten.0?, rewritten.1?];
        for (roots, rewritten) in roots.iter_mut().zip(&rewritten) {
            let Some(rewritten) = rewritten else { continue };
            if rewritten.terms.bytes() > budget.memory {
                return Err(Exhausted::Memory);
            }
            roots.clone_from(&rewritten.roots);
            for (name, count) in &rewritten.recognized {
                ledger.note(Assumption::IdiomRecognized((*name).to_owned()), *count, None);
            }
        }
        let terms = [0, 1].map(|side| read(&stores, &rewritten, side));
        let sides = [(terms[0], roots[0].as_slice()), (terms[1], roots[1].as_slice())];
        for (terms, roots) in sides {
            let reach = Reach::of(terms, roots, budget)?;
            if reach.nodes().any(|node| reads_sign_of_zero(terms, &terms.node_at(node))) {
                ledger.note(Assumption::Other(NO_NEGATIVE_ZERO.to_owned()), 1, None);
            }
        }
        let meanings = Meanings::of(options, budget, sides, ledger)?;
        let places = pairs.iter().copied().zip(0..).collect();
        Ok(Reading { stores, rewritten, roots, places, meanings, outputs: options.outputs })
    }

    /// The terms that one side's roots are made of.
    pub fn terms(&self, side: usize) -> &Terms {
        read(&self.stores, &self.rewritten, side)
    }

    /// One side's roots, in the order of the pairs.
    pub fn roots(&self, side: usize) -> &[Term] {
        &self.roots[side]
    }

    /// The pair with that number, as it is read.
    pub fn pair(&self, at: usize) -> (Term, Term) {
        (self.roots[0][at], self.roots[1][at])
    }

    /// All pairs, as they are read, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (Term, Term)> + '_ {
        self.roots[0].iter().copied().zip(self.roots[1].iter().copied())
    }

    /// How a pair is read, if it is one of those that this is about.
    pub fn of_pair(&self, pair: (Term, Term)) -> Option<(Term, Term)> {
        self.places.get(&pair).map(|at| self.pair(*at as usize))
    }
}

fn read<'b>(stores: &[&'b Terms; 2], rewritten: &'b [Option<Rewritten>; 2], side: usize) -> &'b Terms {
    rewritten[side].as_ref().map_or(stores[side], |rewritten| &rewritten.terms)
}

/// Whether a node reads the bits of what may be computed to -0.
fn reads_sign_of_zero(terms: &Terms, node: &Node) -> bool {
    let Node::BitsOf(format, of) = *node else { return false };
    if !format.is_float() {
        return false;
    }
    match terms.node(of) {
        Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Fma(..) | Node::Div(..) => true,
        Node::Unary(function, _) => !matches!(function, Unary::Abs | Unary::Exp | Unary::Exp2),
        _ => false,
    }
}

/// Whether a word is made of the bits of what may be computed to -0; of words, so many steps are looked at.
pub(super) fn shows_sign_of_zero(terms: &Terms, root: Term) -> bool {
    const MOST: usize = 64;
    let mut open = vec![root];
    for _ in 0..MOST {
        let Some(term) = open.pop() else { return false };
        let node = terms.node(term);
        if reads_sign_of_zero(terms, &node) {
            return true;
        }
        if matches!(node, Node::FromBits(..) | Node::Bits(..) | Node::BitsOf(..) | Node::Select(..)) {
            open.extend(operands(&node).into_iter().flatten());
        }
    }
    false
}
