//! Conditions on what a machine rounds that come out one way for all real numbers.
//!
//! `fma(v, v, -(v * v)) == 0` holds for all real v, and on a machine only where nothing is rounded. What a kernel does
//! where it does not hold, no proof over the reals looks at. Such conditions are found here, so that a report can name
//! them. Asked are comparisons by themselves, and what choices make of several (`t != 0 || v == 0` with t = v / 10⁶⁰).
//!
//! What comes out one way whatever the rounded values are (`t < 1 || t > 0`) does so on a machine, too, and is not listed.
//!
//! Guarantees: a condition that is listed comes out one way for all real numbers (with the chance of error of
//! `evaluation`).
//! Misses: comparisons that come out one way only where another one holds, unless a choice asks both at once; what
//! `evaluation` does not follow of one comparison, and `decide` of several.

use super::idioms::{asks_of_extremes, build};
use super::{Equality, Options, Problem, Reading, decide, evaluation, witness};
use crate::base::{Budget, Exhausted};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Quantity, Reach, Reals, evaluate, operands, with_operands};
use crate::term::{Elements, Node, Term, Terms, carried};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points at which a condition of several comparisons is tried before it is asked about.
const POINTS: u64 = 12;
/// Nodes of a condition that are looked at for its comparisons.
const PARTS: usize = 256;

/// A condition that comes out one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OneWay {
    /// The (first) instruction that compares what is rounded.
    pub instruction: u32,
    /// What comes out one way.
    pub what: What,
}

/// What comes out one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A comparison.
    Alone,
    /// A comparison that asks whether something is infinite or no number.
    Finite,
    /// What a choice makes of several comparisons.
    Together,
}

/// What is known of a node's value.
#[derive(Clone, Copy, Default)]
struct Known {
    integer: bool,
    rounded: bool,
    /// A condition that compares what is rounded.
    asks: bool,
}

/// The conditions of one side of a question that come out one way.
pub fn one_way(
    options: &Options,
    budget: &Budget,
    reading: &Reading<'_>,
    side: usize,
    elements: &Elements,
) -> Result<Vec<OneWay>, Exhausted> {
    let terms = reading.terms(side);
    if !terms.compares_floats() {
        return Ok(Vec::new());
    }
    let Asking { single, several, .. } = Asking::of(terms, reading.roots(side), elements, budget)?;
    let mut settled = FxHashSet::default();
    let mut found = Vec::new();
    let rounded: FxHashSet<Term> = single.iter().copied().collect();
    let (asked, single): (Vec<Term>, Vec<Term>) =
        single.into_iter().partition(|comparison| asks_for_infinity(terms, *comparison));
    let finite =
        asked.iter().map(|comparison| (*comparison, What::Finite, !may_be_infinite(terms, *comparison)));
    let met = ask_each(options, budget, terms, elements, &single)?;
    let alone = single.iter().zip(met).map(|(comparison, one_way)| (*comparison, What::Alone, one_way));
    for (comparison, what, _) in finite.chain(alone).filter(|(_, _, one_way)| *one_way) {
        settled.insert(comparison);
        found.extend(terms.compared_by(comparison).map(|instruction| OneWay { instruction, what }));
    }
    // What a comparison makes of a choice by itself, was said of it.
    let is_open =
        |condition: &Term| !comparisons(terms, *condition).iter().any(|part| settled.contains(part));
    let open = several.into_iter().filter(is_open).collect();
    let open = undecided(budget, reading, side, elements, open)?;
    for condition in resting_on_reals(options, budget, terms, elements, open)? {
        let parts = comparisons(terms, condition).into_iter().filter(|part| rounded.contains(part));
        let made = parts.filter_map(|part| terms.compared_by(part)).min();
        found.extend(made.map(|instruction| OneWay { instruction, what: What::Together }));
    }
    Ok(found)
}

/// The conditions that come out one way over the reals, and need not where values are rounded.
pub fn resting_on_reals(
    options: &Options,
    budget: &Budget,
    terms: &Terms,
    elements: &Elements,
    mut conditions: Vec<Term>,
) -> Result<Vec<Term>, Exhausted> {
    let asking = Asking::of(terms, &conditions, elements, budget)?;
    if asking.single.is_empty() {
        return Ok(Vec::new());
    }
    for freed in [false, true] {
        if conditions.is_empty() {
            break;
        }
        let (mut copied, copies) = asking.copied(terms, elements, &conditions, freed);
        let numbers: Vec<Term> =
            copies.iter().map(|condition| copied.select(*condition, Term::ONE, Term::ZERO)).collect();
        let pairs: Vec<(Term, Term)> =
            numbers.iter().flat_map(|number| [(*number, Term::ZERO), (*number, Term::ONE)]).collect();
        let problem = Problem { reference: &copied, optimized: &copied, elements, pairs: &pairs };
        let mut one_way = FxHashSet::default();
        for group in decide(options, budget, &problem)?.groups {
            if matches!(group.equality, Equality::Equal(_)) {
                one_way.extend(group.members.iter().map(|member| *member as usize / 2));
            }
        }
        let mut at = 0..;
        conditions.retain(|_| at.next().is_some_and(|at| one_way.contains(&at)) != freed);
    }
    Ok(conditions)
}

/// Whether a comparison asks if something is infinite or no number.
fn asks_for_infinity(terms: &Terms, comparison: Term) -> bool {
    matches!(terms.node(comparison), Node::Compare(_, a, b) if asks_of_extremes(a, b))
}

/// Whether a kernel's own infinities may be what a comparison asks for.
fn may_be_infinite(terms: &Terms, comparison: Term) -> bool {
    let Node::Compare(_, a, b) = terms.node(comparison) else { return true };
    let asked = [a, b].into_iter().filter(|side| side.as_constant().is_none());
    asked.into_iter().any(|side| terms.may_be_infinite(side) || !terms.is_defined(side))
}

/// What asks about rounded values.
struct Asking {
    /// Comparisons.
    single: Vec<Term>,
    /// What choices make of several of them.
    several: Vec<Term>,
    /// What is known of the nodes that were reached, in order.
    known: Vec<Known>,
    reach: Reach,
}

impl Asking {
    fn of(terms: &Terms, roots: &[Term], elements: &Elements, budget: &Budget) -> Result<Asking, Exhausted> {
        let reach = Reach::of(terms, roots, budget)?;
        let ranks = reach.ranks();
        let mut known: Vec<Known> = Vec::with_capacity(ranks.count());
        let (mut single, mut several, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        for (turn, at) in reach.nodes().enumerate() {
            if turn.is_multiple_of(8192) {
                budget.spend(8192)?;
            }
            let own = Term::from_node(at);
            let node = terms.node_at(at);
            let of = |term: Term| match (term.as_node(), term.as_element()) {
                (Some(step), _) => known[ranks.of(step)],
                (_, Some(element)) => {
                    let block = elements.block_of(element);
                    let integer = block.is_some_and(|block| !block.format.is_float());
                    Known { integer, ..Known::default() }
                }
                _ => Known {
                    integer: terms.as_rational(term).is_some_and(|number| number.is_integer()),
                    ..Known::default()
                },
            };
            let rounded = |term: Term| of(term).rounded;
            let any_rounded = carried(&node).into_iter().flatten().any(rounded);
            let own_known = match node {
                Node::Compare(_, a, b) => {
                    let asks = rounded(a) || rounded(b);
                    if asks {
                        single.push(own);
                    }
                    Known { asks, ..Known::default() }
                }
                Node::And(..) | Node::Or(..) | Node::Not(_) => {
                    let asks = operands(&node).into_iter().flatten().any(|part| of(part).asks);
                    Known { asks, ..Known::default() }
                }
                Node::Unary(function, _) if function.is_rounding() => {
                    Known { integer: true, rounded: any_rounded, asks: false }
                }
                Node::FromBits(format, _) if !format.is_float() => {
                    Known { integer: true, rounded: any_rounded, asks: false }
                }
                _ => {
                    let integer = carried(&node).into_iter().flatten().all(|term| of(term).integer);
                    Known {
                        integer,
                        rounded: any_rounded || !integer && terms.rounds(own, &node),
                        asks: false,
                    }
                }
            };
            if let Node::Select(condition, ..) = node {
                let positive = match terms.node(condition) {
                    Node::Not(inner) => inner,
                    _ => condition,
                };
                let is_made = matches!(terms.node(positive), Node::And(..) | Node::Or(..));
                if is_made && of(positive).asks && seen.insert(positive) {
                    several.push(positive);
                }
            }
            known.push(own_known);
        }
        Ok(Asking { single, several, known, reach })
    }

    /// Conditions in a store of their own; `freed`: with a free number for each value that was rounded.
    fn copied(
        &self,
        terms: &Terms,
        elements: &Elements,
        conditions: &[Term],
        freed: bool,
    ) -> (Terms, Vec<Term>) {
        let mut new = Terms::beside(terms);
        let ranks = self.reach.ranks();
        let mut next = elements.len() as u32;
        let mut places: FxHashMap<Term, Term> = FxHashMap::default();
        let mut open: Vec<(Term, bool)> = conditions.iter().map(|condition| (*condition, false)).collect();
        while let Some((term, ready)) = open.pop() {
            if places.contains_key(&term) {
                continue;
            }
            let (Some(step), node) = (term.as_node(), terms.node(term)) else {
                let place =
                    term.as_constant().map(|constant| new.constant(terms.constant_at(constant).clone()));
                places.insert(term, place.unwrap_or(term));
                continue;
            };
            let Known { integer, rounded, .. } = self.known[ranks.of(step)];
            if freed && rounded && !integer {
                places.insert(term, Term::element(next));
                next += 1;
            } else if ready {
                let node = with_operands(&node, |operand| places[&operand]);
                let place = build(&mut new, terms, &node);
                new.note_through(place, terms, term);
                places.insert(term, place);
            } else {
                open.push((term, true));
                open.extend(operands(&node).into_iter().flatten().map(|operand| (operand, false)));
            }
        }
        let copies = conditions.iter().map(|condition| places[condition]).collect();
        (new, copies)
    }
}

/// The comparisons that a condition is made of.
fn comparisons(terms: &Terms, condition: Term) -> Vec<Term> {
    let (mut open, mut seen, mut found) = (vec![condition], FxHashSet::default(), Vec::new());
    while let Some(part) = open.pop() {
        if part.as_node().is_none() || !seen.insert(part) || seen.len() > PARTS {
            continue;
        }
        match terms.node(part) {
            Node::Compare(..) => found.push(part),
            Node::And(a, b) | Node::Or(a, b) => open.extend([b, a]),
            Node::Not(a) => open.push(a),
            _ => {}
        }
    }
    found
}

/// Those that are not seen both to hold and not to hold at a few points.
fn undecided(
    budget: &Budget,
    reading: &Reading<'_>,
    side: usize,
    elements: &Elements,
    conditions: Vec<Term>,
) -> Result<Vec<Term>, Exhausted> {
    if conditions.is_empty() {
        return Ok(conditions);
    }
    let cone = Cone::of(reading.terms(side), &conditions, budget)?;
    let constants = reading.meanings.enclosures(side);
    let mut seen = vec![[false; 2]; conditions.len()];
    let mut values = Vec::new();
    for point in 1..=POINTS {
        let element = |element: u32| witness::plain(elements, point, element);
        let reals = Reals { element: &element, constants: &constants };
        let at = evaluate(&cone, &reals, budget, &mut values)?;
        for (seen, value) in seen.iter_mut().zip(at) {
            if let Quantity::Condition(holds) = value {
                seen[usize::from(holds)] = true;
            }
        }
        if seen.iter().all(|seen| *seen == [true; 2]) {
            break;
        }
    }
    Ok(conditions.into_iter().zip(seen).filter(|(_, seen)| *seen != [true; 2]).map(|(one, _)| one).collect())
}

/// Which comparisons always hold, or never, whatever others do.
fn ask_each(
    options: &Options,
    budget: &Budget,
    terms: &Terms,
    elements: &Elements,
    comparisons: &[Term],
) -> Result<Vec<bool>, Exhausted> {
    if comparisons.is_empty() {
        return Ok(Vec::new());
    }
    let both = |comparison: &Term| [(*comparison, Term::TRUE), (*comparison, Term::FALSE)];
    let pairs: Vec<(Term, Term)> = comparisons.iter().flat_map(both).collect();
    let problem = Problem { reference: terms, optimized: terms, elements, pairs: &pairs };
    let reading = Reading::of(options, budget, &problem, &pairs, &mut Ledger::default())?;
    let met = evaluation::meets(budget, &reading, elements)?;
    Ok(met.chunks(2).map(|ways| ways.contains(&true)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Format;
    use crate::term::{Relation, Unary};

    /// What is said of `if condition then v else w`, where each comparison is an instruction of its own.
    fn said(condition: impl Fn(&mut Terms, [Term; 2]) -> Term) -> Vec<(u32, What)> {
        let (formula, mut kernel) = (Terms::new(), Terms::new());
        let mut elements = Elements::default();
        elements.push("x", vec![2], Format::F32, 2);
        let [v, w] = [0, 1].map(Term::element);
        let condition = condition(&mut kernel, [v, w]);
        let chosen = kernel.select(condition, v, w);
        let pairs = [(v, chosen)];
        let problem = Problem { reference: &formula, optimized: &kernel, elements: &elements, pairs: &pairs };
        let (options, budget) = (Options::default(), Budget::default());
        let reading = Reading::of(&options, &budget, &problem, &pairs, &mut Ledger::default()).unwrap();
        let found = one_way(&options, &budget, &reading, 1, &elements).unwrap();
        found.into_iter().map(|one| (one.instruction, one.what)).collect()
    }

    fn compare(terms: &mut Terms, by: u32, relation: Relation, a: Term, b: Term) -> Term {
        let first = terms.len();
        let condition = terms.compare(relation, a, b);
        terms.note_comparison(first, by);
        condition
    }

    fn times(terms: &mut Terms, factor: f32, term: Term) -> Term {
        let factor = terms.number(Format::F32, factor.to_bits().into());
        terms.mul(factor, term)
    }

    #[test]
    fn what_rounding_decides_is_named() {
        use Relation::{Equal, Less};
        let square = |terms: &mut Terms, [v, _]: [Term; 2]| {
            let (square, negative) = (terms.mul(v, v), terms.neg(v));
            let rest = terms.fma(v, negative, square);
            compare(terms, 7, Equal, rest, Term::ZERO)
        };
        assert_eq!(said(square), [(7, What::Alone)]);
        let power = |terms: &mut Terms, [v, _]: [Term; 2]| {
            let power = terms.unary(Unary::Exp, v);
            compare(terms, 7, Less, Term::ZERO, power)
        };
        assert_eq!(said(power), [(7, What::Alone)]);
        let large = |terms: &mut Terms, [v, _]: [Term; 2]| {
            let large = times(terms, 1e38, v);
            let size = terms.unary(Unary::Abs, large);
            let infinite = compare(terms, 3, Equal, size, Term::INFINITY);
            terms.not(infinite)
        };
        assert_eq!(said(large), [(3, What::Finite)]);
        let small = |terms: &mut Terms, [v, _]: [Term; 2]| {
            let small = times(terms, 1e-30, v);
            let small = times(terms, 1e-30, small);
            let none = compare(terms, 1, Equal, small, Term::ZERO);
            let zero = compare(terms, 2, Equal, v, Term::ZERO);
            let some = terms.not(none);
            terms.or(some, zero)
        };
        assert_eq!(said(small), [(1, What::Together)]);
    }

    #[test]
    fn what_data_decide_is_not_named() {
        use Relation::{Equal, Less};
        let half = |terms: &mut Terms, [v, _]: [Term; 2]| {
            let half = times(terms, 0.3, v);
            compare(terms, 7, Less, Term::ONE, half)
        };
        assert_eq!(said(half), []);
        let given = |terms: &mut Terms, [v, w]: [Term; 2]| {
            let size = terms.unary(Unary::Abs, w);
            let infinite = compare(terms, 7, Equal, size, Term::INFINITY);
            let one = compare(terms, 8, Equal, v, w);
            let number = terms.not(infinite);
            terms.and(number, one)
        };
        assert_eq!(said(given), []);
        // Whatever a rounded value is, it is below 1 or above 0.
        let covered = |terms: &mut Terms, [v, w]: [Term; 2]| {
            let product = terms.mul(v, w);
            let below = compare(terms, 1, Less, product, Term::ONE);
            let above = compare(terms, 2, Less, Term::ZERO, product);
            terms.or(below, above)
        };
        assert_eq!(said(covered), []);
    }
}
