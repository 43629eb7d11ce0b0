//! Where a formula has a value: where the indices that it takes from data lie in their axes.
//!
//! An index outside of its axis has no value (the ledger says so where one comes from data). Inputs that lead a
//! formula there are no counterexample, so pairs of outputs are compared where the formula's side has a value, and
//! both sides count as 0 elsewhere. Each output has a condition of its own: what another one does with the same index
//! is no matter of this one, and neither is a side of a `where` that is not taken.
//!
//! How: the formula is evaluated once more, over each kernel's terms, with an element that nobody else has in the place
//! of what lies outside; a value is there where it does not depend on that element.

use super::bind::Bound;
use super::compare::Comparison;
use super::contracts::{self, Facts};
use super::formula::Reference;
use crate::base::{Budget, Exhausted};
use crate::sim::Run;
use crate::spec::Spec;
use crate::term::eval::operands;
use crate::term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

/// The element that stands for what lies outside of an axis: no tensor reaches so far.
pub(super) const OUTSIDE: Term = Term::element((1 << 31) - 2);

/// Pairs of outputs under the conditions that concern them: what is required of inputs, and that the formula has a
/// value; where those do not hold, both are 0. `None` where there are none.
pub fn guarded(
    (spec, bound, formula): (&Spec, &Bound, Option<&Reference>),
    required: &[Facts],
    comparison: &Comparison,
    runs: &mut [(Run, Option<f64>)],
    budget: &Budget,
) -> Result<Option<Vec<(Term, Term)>>, Exhausted> {
    let guarded = {
        let mut stores: Vec<&mut Terms> = runs.iter_mut().map(|(run, _)| &mut run.terms).collect();
        contracts::guarded(required, &comparison.pairs, &mut stores, budget)?
    };
    let (Some(formula), [(reference, _), (optimized, _)]) = (formula, runs) else { return Ok(guarded) };
    let places: Vec<(usize, u64)> = comparison
        .places
        .iter()
        .map(|place| (comparison.outputs[place.output].tensor, place.index))
        .collect();
    let mut conditions = Vec::new();
    let tensors = &optimized.tensors;
    let reached =
        |at: usize| tensors.iter().find(|state| state.tensor == at).map_or(0, |state| state.reached);
    for terms in [&mut reference.terms, &mut optimized.terms] {
        let values = formula.values_outside((spec, bound), &reached, &places, terms, budget)?;
        let Some(values) = values else { return Ok(guarded) };
        conditions.push(has_value(terms, &values, budget)?);
    }
    let pairs = guarded.unwrap_or_else(|| comparison.pairs.clone());
    let under = |terms: &mut Terms, side: usize, at: usize, value: Term| match conditions[side][at] {
        Term::TRUE => value,
        condition => terms.select(condition, value, Term::ZERO),
    };
    let each = |(at, (f, g)): (usize, (Term, Term))| {
        (under(&mut reference.terms, 0, at, f), under(&mut optimized.terms, 1, at, g))
    };
    Ok(Some(pairs.into_iter().enumerate().map(each).collect()))
}

/// For each term the condition that it does not depend on [`OUTSIDE`].
fn has_value(terms: &mut Terms, roots: &[Term], budget: &Budget) -> Result<Vec<Term>, Exhausted> {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    known.insert(OUTSIDE, Term::FALSE);
    // A condition that decides is asked where it has a value, and there it does not matter what the element is.
    let mut without: FxHashMap<Term, Term> = FxHashMap::default();
    without.insert(OUTSIDE, Term::ZERO);
    let mut found = Vec::with_capacity(roots.len());
    for root in roots {
        let mut open = vec![(*root, false)];
        while let Some((term, ready)) = open.pop() {
            if known.contains_key(&term) {
                continue;
            }
            if term.as_node().is_none() {
                known.insert(term, Term::TRUE);
                continue;
            }
            let node = terms.node(term);
            let parts = operands(&node).into_iter().flatten();
            if !ready {
                open.push((term, true));
                open.extend(parts.map(|part| (part, false)));
                continue;
            }
            budget.spend(1)?;
            let condition = match node {
                Node::Select(condition, a, b) if known[&a] != known[&b] => {
                    let asked = match known[&condition] {
                        Term::TRUE => condition,
                        _ => terms.replaced(condition, &mut without),
                    };
                    let otherwise = terms.not(asked);
                    let (a, b) = (terms.or(otherwise, known[&a]), terms.or(asked, known[&b]));
                    let sides = terms.and(a, b);
                    terms.and(known[&condition], sides)
                }
                _ => parts.fold(Term::TRUE, |all, part| match known[&part] {
                    part if part == all => all,
                    part => terms.and(all, part),
                }),
            };
            known.insert(term, condition);
        }
        found.push(known[root]);
    }
    Ok(found)
}
