//! Both ways: what is open is asked again with a condition that both sides ask taken to hold, and not to hold.
//!
//! `n == 0 ? 0 : round(x / n)` and `round(x · (n == 0 ? 0 : 1 / n))` have no common form, because the choice stands
//! outside of a function here and inside of it there. Where the condition holds both are 0, and where it does not
//! both are `round(x / n)`. Conditions are whether a value is zero, or two are equal; a value that cannot be negative
//! is zero where it is not positive, and a multiple of a value where the value is.
//!
//! Guarantees: *equal* only if evaluation proves each way by itself, and every input goes one of them. Where a
//! condition says that a value is zero, nothing is divided by what is made of that value: that such a divisor is not
//! zero would contradict the way it is on.
//! Misses: conditions that only one side asks; order; more than [`CONDITIONS`] conditions at a time.

use super::evaluation::{LEAST_BITS, evaluate};
use super::idioms::build;
use super::{Certificate, Equality, Method, Options, Problem, Reading};
use crate::base::{Budget, Exhausted};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Reach, with_operands};
use crate::term::{Node, Relation, Term, Terms, Unary};
use num_traits::Zero;
use rustc_hash::{FxHashMap, FxHashSet};

/// Conditions of a pair that are taken to hold and not to.
const CONDITIONS: usize = 2;
/// Operands that are looked at for the sign of a value.
const MOST: u32 = 16;

/// Proves pairs of a reading that are open, `chosen` with their answers, by taking conditions of both sides both ways.
pub(super) fn decide_split(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
    equalities: &mut [Equality],
    ledger: &mut Ledger,
) -> Result<(), Exhausted> {
    let open: Vec<usize> =
        (0..chosen.len()).filter(|place| matches!(equalities[*place], Equality::Unknown(_))).collect();
    if open.is_empty() {
        return Ok(());
    }
    let roots =
        |side: usize| open.iter().map(|place| reading.roots(side)[chosen[*place]]).collect::<Vec<_>>();
    let mut terms = Terms::beside(reading.terms(0));
    let left = copied(&mut terms, reading.terms(0), &roots(0), budget)?;
    let right = copied(&mut terms, reading.terms(1), &roots(1), budget)?;
    // The ways of each pair: where they begin among all, and how many there are.
    let (mut ways, mut places) = (Vec::new(), Vec::new());
    for (place, pair) in open.iter().zip(left.into_iter().zip(right)) {
        let begin = ways.len();
        split(&mut terms, pair, budget, &mut ways)?;
        if ways.len() > begin {
            places.push((*place, begin..ways.len()));
        }
    }
    if ways.is_empty() {
        return Ok(());
    }
    let again = Problem { reference: &terms, optimized: &terms, elements: problem.elements, pairs: &ways };
    let own = budget.for_part();
    let mut assumed = Ledger::default();
    let read = Reading::of(options, &own, &again, &ways, &mut assumed)?;
    let evaluated = evaluate(&own, &read, problem.elements)?;
    budget.spend(own.spent())?;
    let mut any = false;
    for (place, ways) in places {
        if let Some(certificate) = together(&evaluated.proved[ways]) {
            equalities[place] = Equality::Equal(certificate);
            any = true;
        }
    }
    if any {
        for assumption in evaluated.notes {
            assumed.note(assumption, 1, None);
        }
        ledger.adopt(&assumed);
    }
    Ok(())
}

/// Roots in another store, which finds what both sides have in common.
pub(super) fn copied(
    new: &mut Terms,
    old: &Terms,
    roots: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Exhausted> {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    let reach = Reach::of(old, roots, budget)?;
    let of = |new: &mut Terms, known: &FxHashMap<Term, Term>, term: Term| match term.as_constant() {
        Some(constant) => new.constant(old.constant_at(constant).clone()),
        None => known.get(&term).copied().unwrap_or(term),
    };
    for node in reach.nodes() {
        budget.spend(1)?;
        if new.bytes() > budget.memory {
            return Err(Exhausted::Memory);
        }
        let own = Term::from_node(node);
        let node = with_operands(&old.node_at(node), |operand| of(new, &known, operand));
        let made = match node {
            Node::Compare(relation, a, b) => compared(new, relation, a, b),
            ref node => build(new, old, node),
        };
        new.note_through(made, old, own);
        known.insert(own, made);
    }
    Ok(roots.iter().map(|root| of(new, &known, *root)).collect())
}

/// A comparison, as whether something is zero if it is that.
fn compared(new: &mut Terms, relation: Relation, a: Term, b: Term) -> Term {
    let (value, is_zero) = match (relation, a, b) {
        (Relation::Equal, value, Term::ZERO) | (Relation::Equal, Term::ZERO, value) => (value, true),
        (Relation::LessEqual, value, Term::ZERO) if new.is_not_negative(value, &mut { MOST }) => {
            (value, true)
        }
        (Relation::Less, Term::ZERO, value)
            if new.is_defined(value) && new.is_not_negative(value, &mut { MOST }) =>
        {
            (value, false)
        }
        _ => return new.compare(relation, a, b),
    };
    let bare = bare(new, value);
    let zero = new.compare(Relation::Equal, bare, Term::ZERO);
    if is_zero { zero } else { new.not(zero) }
}

/// What is zero where a value is: the value without factors that are known, and without its sign.
pub(super) fn bare(terms: &Terms, mut value: Term) -> Term {
    let known = |term: Term| terms.as_rational(term).is_some_and(|factor| !factor.is_zero());
    loop {
        value = match terms.node(value) {
            Node::Mul(a, b) if known(b) => a,
            Node::Mul(a, b) if known(a) => b,
            Node::Div(a, b) if known(b) => a,
            Node::Unary(Unary::Neg | Unary::Abs, a) => a,
            _ => return value,
        };
    }
}

/// Whether a value is seen to be zero where it is not positive.
pub(super) fn is_zero_if_not_positive(terms: &Terms, value: Term) -> bool {
    terms.is_not_negative(value, &mut { MOST })
}

/// The ways of a pair, each a pair by itself; none where both sides ask nothing in common, or nothing is to be gained.
fn split(
    terms: &mut Terms,
    pair: (Term, Term),
    budget: &Budget,
    ways: &mut Vec<(Term, Term)>,
) -> Result<(), Exhausted> {
    let conditions = |terms: &Terms, root: Term| -> Result<Vec<Term>, Exhausted> {
        let reach = Reach::of(terms, &[root], budget)?;
        let asks = |node: &usize| matches!(terms.node_at(*node), Node::Compare(Relation::Equal, ..));
        Ok(reach.nodes().filter(asks).map(Term::from_node).collect())
    };
    let other: FxHashSet<Term> = conditions(terms, pair.1)?.into_iter().collect();
    let common: Vec<Term> =
        conditions(terms, pair.0)?.into_iter().filter(|condition| other.contains(condition)).collect();
    if common.is_empty() {
        return Ok(());
    }
    let begin = ways.len();
    let mut open = vec![(pair, 0)];
    while let Some((pair, at)) = open.pop() {
        let Some(condition) = common.get(at).filter(|_| at < CONDITIONS) else {
            ways.push(pair);
            continue;
        };
        for holds in [Term::TRUE, Term::FALSE] {
            let mut known = FxHashMap::from_iter([(*condition, holds)]);
            let way = (terms.replaced(pair.0, &mut known), terms.replaced(pair.1, &mut known));
            if holds == Term::TRUE && (divides(terms, *condition, way, budget)?) {
                ways.truncate(begin);
                return Ok(());
            }
            open.push((way, at + 1));
        }
    }
    Ok(())
}

/// Whether a pair divides by something that is made of a value which a condition takes to be zero, or takes a root or
/// logarithm of it.
fn divides(terms: &Terms, condition: Term, pair: (Term, Term), budget: &Budget) -> Result<bool, Exhausted> {
    let Node::Compare(_, a, b) = terms.node(condition) else { return Ok(true) };
    let zero: Vec<Term> = [a, b].into_iter().filter(|side| side.as_constant().is_none()).collect();
    let mut below = Vec::new();
    for node in Reach::of(terms, &[pair.0, pair.1], budget)?.nodes() {
        match terms.node_at(node) {
            Node::Div(_, divisor) if divisor.as_constant().is_none() => below.push(divisor),
            Node::Unary(Unary::Recip | Unary::Sqrt | Unary::Rsqrt | Unary::Log | Unary::Log2, of) => {
                below.push(of)
            }
            _ => {}
        }
    }
    if below.is_empty() {
        return Ok(false);
    }
    let elements = Cone::of(terms, &below, budget)?;
    let made_of = Reach::of(terms, &below, budget)?;
    Ok(zero.iter().any(|value| match (value.as_element(), value.as_node()) {
        (Some(element), _) => elements.elements().contains(&element),
        (_, Some(node)) => made_of.nodes().any(|other| other == node),
        _ => true,
    }))
}

/// What the ways of a pair say together; nothing where one of them is open.
fn together(ways: &[Option<Certificate>]) -> Option<Certificate> {
    let mut together: Option<Certificate> = None;
    for way in ways {
        let way = way.clone()?;
        together = Some(match (together, way.method) {
            (
                Some(Certificate { method: Method::Evaluation { points, bits }, .. }),
                Method::Evaluation { bits: own, .. },
            ) => Certificate {
                summary: String::new(),
                method: Method::Evaluation { points, bits: bits.min(own) },
            },
            (Some(before), _) if matches!(before.method, Method::Evaluation { .. }) => before,
            _ => way,
        });
    }
    let Certificate { summary, method } = together?;
    let both = "equal where a condition of both sides holds, and where it does not";
    Some(match method {
        Method::Evaluation { points, bits } => {
            let bits = bits.saturating_sub(CONDITIONS as u32);
            if f64::from(bits) < LEAST_BITS {
                return None;
            }
            let summary = format!("{both}: chance of error < 2^-{bits}");
            Certificate { summary, method: Method::Evaluation { points, bits } }
        }
        method => Certificate { summary: format!("{both}: {summary}"), method },
    })
}

#[cfg(test)]
mod tests {
    use super::super::decide;
    use super::*;
    use crate::base::Format;
    use crate::term::Elements;

    const SIZE: u32 = 4;

    /// The largest size of an element, 0 first.
    fn largest(terms: &mut Terms) -> Term {
        (0..SIZE).fold(Term::ZERO, |most, at| {
            let size = terms.unary(Unary::Abs, Term::element(at));
            terms.max(most, size)
        })
    }

    /// Away from zero at halves, as `roundf` is compiled.
    fn rounded(terms: &mut Terms, value: Term) -> Term {
        let half = terms.rational(num_rational::BigRational::new(1.into(), 2.into()));
        let minus = terms.neg(half);
        let negative = terms.compare(Relation::Less, value, Term::ZERO);
        let more = terms.select(negative, minus, half);
        let sum = terms.add(value, more);
        terms.unary(Unary::Trunc, sum)
    }

    type Form = fn(&mut Terms) -> Term;

    fn answer(one: Form, two: Form) -> Equality {
        let (mut reference, mut optimized) = (Terms::new(), Terms::new());
        let pair = (one(&mut reference), two(&mut optimized));
        let mut elements = Elements::default();
        elements.push("x", vec![SIZE.into()], Format::F32, SIZE.into());
        let problem =
            Problem { reference: &reference, optimized: &optimized, elements: &elements, pairs: &[pair] };
        let mut decision = decide(&Options::default(), &Budget::default(), &problem).expect("small");
        decision.groups.remove(0).equality
    }

    fn outside(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::element(1), most);
        let whole = rounded(terms, part);
        terms.select(none, Term::ZERO, whole)
    }

    fn inside(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::ONE, most);
        let factor = terms.select(none, Term::ZERO, part);
        let product = terms.mul(Term::element(1), factor);
        rounded(terms, product)
    }

    /// By `> 0` of a multiple.
    fn by_sign(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let three = terms.integer(3);
        let size = terms.mul(most, three);
        let some = terms.compare(Relation::Less, Term::ZERO, size);
        let part = terms.div(Term::ONE, most);
        let factor = terms.select(some, part, Term::ZERO);
        let product = terms.mul(factor, Term::element(1));
        rounded(terms, product)
    }

    /// 1 where all are zero.
    fn otherwise(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::element(1), most);
        let factor = terms.select(none, Term::ONE, part);
        rounded(terms, factor)
    }

    /// Divides where the divisor is said to be zero.
    fn divides_there(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let product = terms.mul(Term::element(1), most);
        let part = terms.div(product, most);
        let chosen = terms.select(none, part, Term::ONE);
        rounded(terms, chosen)
    }

    fn does_not_divide(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = rounded(terms, Term::element(1));
        let one = rounded(terms, Term::ONE);
        terms.select(none, part, one)
    }

    #[test]
    fn a_choice_inside_of_a_function_is_one_outside_of_it() {
        let forms: [Form; 3] = [outside, inside, by_sign];
        for one in forms {
            for two in forms {
                let found = answer(one, two);
                assert!(matches!(found, Equality::Equal(_)), "{found:?}");
            }
            assert!(!matches!(answer(one, otherwise), Equality::Equal(_)));
            assert!(!matches!(answer(otherwise, one), Equality::Equal(_)));
        }
    }

    #[test]
    fn nothing_is_divided_by_what_a_condition_takes_to_be_zero() {
        assert!(!matches!(answer(divides_there, does_not_divide), Equality::Equal(_)));
        assert!(!matches!(answer(does_not_divide, divides_there), Equality::Equal(_)));
    }
}
