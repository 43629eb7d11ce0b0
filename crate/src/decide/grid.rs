//! Conditions that compare inputs with numbers, each input by itself: decided by looking everywhere.
//!
//! Where each comparison has one input in it, linearly, such a condition does not change between the
//! numbers at which its comparisons turn. So it is enough to evaluate it at each of these numbers, at one
//! between any two neighbours, and at one on either side; of integers, those that lie there. All
//! combinations for all inputs are tried.
//!
//! Guarantees: an answer is right for all inputs, of integers of their formats' ranges; what is found
//! makes the condition hold. Misses: sums of several inputs, products, functions; more than [`MOST`]
//! combinations.

use super::witness::Kind;
use crate::term::eval::Small;
use crate::term::{Elements, Node, Relation, Term, Terms};
use num_rational::{BigRational, Ratio};
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Combinations that are tried.
const MOST: usize = 1 << 14;
/// Parts of a condition.
const LARGEST: usize = 1 << 10;

/// Whether a condition can hold.
pub enum Held {
    /// For these inputs; all others are 0.
    At(Vec<(u32, Small)>),
    /// Never.
    Never,
}

/// A comparison of an input with a number: `sign·(input − number) relation 0`.
#[derive(Clone, Copy)]
struct Turn {
    element: u32,
    number: Small,
    relation: Relation,
    positive: bool,
}

/// Whether a condition can hold, if it is one of those that this is about.
pub fn look_everywhere(terms: &Terms, elements: &Elements, condition: Term) -> Option<Held> {
    let mut turns = BTreeMap::new();
    let mut order = Vec::new();
    collect(terms, condition, &mut turns, &mut order)?;
    let mut numbers: BTreeMap<u32, Vec<Small>> = BTreeMap::new();
    for turn in turns.values() {
        numbers.entry(turn.element).or_default().push(turn.number);
    }
    let mut combinations = 1usize;
    let mut inputs: Vec<(u32, Vec<Small>)> = Vec::new();
    for (element, mut turning) in numbers {
        turning.sort_unstable();
        turning.dedup();
        let kind = elements.block_of(element).map(|block| Kind::of(block.format))?;
        let places = places(kind, &turning)?;
        combinations = combinations.checked_mul(places.len()).filter(|count| *count <= MOST)?;
        inputs.push((element, places));
    }
    let mut point: BTreeMap<u32, Small> = BTreeMap::new();
    let mut values: BTreeMap<Term, bool> = BTreeMap::new();
    for combination in 0..combinations {
        let mut rest = combination;
        for (element, places) in &inputs {
            point.insert(*element, places[rest % places.len()]);
            rest /= places.len();
        }
        values.clear();
        for part in &order {
            let value = holds(terms, *part, &turns, &point, &values);
            values.insert(*part, value);
        }
        if values.get(&condition).copied().unwrap_or(condition == Term::TRUE) {
            return Some(Held::At(point.into_iter().filter(|(_, value)| !value.is_zero()).collect()));
        }
    }
    Some(Held::Never)
}

/// The parts of a condition, operands first, and its comparisons.
fn collect(
    terms: &Terms,
    condition: Term,
    turns: &mut BTreeMap<Term, Turn>,
    order: &mut Vec<Term>,
) -> Option<()> {
    let mut open = vec![(condition, false)];
    let mut seen = std::collections::BTreeSet::new();
    while let Some((part, below)) = open.pop() {
        if below {
            order.push(part);
            continue;
        }
        if part == Term::TRUE || part == Term::FALSE || !seen.insert(part) {
            continue;
        }
        if seen.len() > LARGEST {
            return None;
        }
        open.push((part, true));
        match terms.node(part) {
            Node::And(a, b) | Node::Or(a, b) => open.extend([(a, false), (b, false)]),
            Node::Not(a) => open.push((a, false)),
            Node::Select(a, b, c) => open.extend([(a, false), (b, false), (c, false)]),
            Node::Compare(relation, a, b) => {
                turns.insert(part, turn(terms, relation, a, b)?);
            }
            _ => return None,
        }
    }
    Some(())
}

/// A comparison, solved for its only input.
fn turn(terms: &Terms, relation: Relation, a: Term, b: Term) -> Option<Turn> {
    let ((one, first, more), (other, second, less)) = (linear(terms, a, 0)?, linear(terms, b, 0)?);
    let element = match (one, other) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other)?,
    };
    let factor = first - second;
    if factor.is_zero() {
        return None;
    }
    let number = (less - more) / &factor;
    let small = Ratio::new(number.numer().to_i64()?, number.denom().to_i64()?);
    let moderate = small.numer().unsigned_abs() < 1 << 40 && *small.denom() < 1 << 20;
    let positive = factor > BigRational::zero();
    moderate.then_some(Turn { element, number: small, relation, positive })
}

/// A term as an input times a number, and a number more.
fn linear(terms: &Terms, term: Term, depth: u32) -> Option<(Option<u32>, BigRational, BigRational)> {
    if let Some(element) = term.as_element() {
        return Some((Some(element), BigRational::one(), BigRational::zero()));
    }
    if let Some(number) = terms.as_rational(term) {
        return Some((None, BigRational::zero(), number.clone()));
    }
    if depth > 16 {
        return None;
    }
    let part = |term: Term| linear(terms, term, depth + 1);
    let sum = |a: Term, b: Term, sign: i64| {
        let ((one, x, u), (other, y, v)) = (part(a)?, part(b)?);
        if one.is_some() && other.is_some() && one != other {
            return None;
        }
        let sign = BigRational::from_integer(sign.into());
        Some((one.or(other), x + &sign * y, u + &sign * v))
    };
    match terms.node(term) {
        Node::Add(a, b) => sum(a, b, 1),
        Node::Sub(a, b) => sum(a, b, -1),
        Node::Unary(crate::term::Unary::Neg, a) => {
            let (element, factor, more) = part(a)?;
            Some((element, -factor, -more))
        }
        Node::Mul(a, b) => match (part(a)?, part(b)?) {
            ((None, _, number), (element, factor, more)) | ((element, factor, more), (None, _, number)) => {
                Some((element, factor * &number, more * number))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The numbers themselves, and one in each gap between and around them.
fn places(kind: Kind, numbers: &[Small]) -> Option<Vec<Small>> {
    let one = Ratio::from_integer(1);
    let mut places = vec![numbers.first()? - one, numbers.last()? + one];
    for (at, number) in numbers.iter().enumerate() {
        places.push(*number);
        if let Some(next) = numbers.get(at + 1) {
            places.push((number + next) / 2);
        }
    }
    if !matches!(kind, Kind::Float(_)) {
        // The integers next to each number stand for the gaps as well.
        let around =
            |number: &Small| [number.floor() - one, number.floor(), number.ceil(), number.ceil() + one];
        places = numbers.iter().flat_map(around).collect();
        places.retain(|place| kind.admit(*place) == *place);
    }
    places.push(kind.admit(Ratio::zero()));
    places.sort_unstable_by_key(|place| (place.numer().unsigned_abs(), *place.denom(), *place));
    places.dedup();
    Some(places)
}

fn holds(
    terms: &Terms,
    part: Term,
    turns: &BTreeMap<Term, Turn>,
    point: &BTreeMap<u32, Small>,
    values: &BTreeMap<Term, bool>,
) -> bool {
    let value = |term: Term| match term {
        Term::TRUE => true,
        Term::FALSE => false,
        _ => values.get(&term).copied().unwrap_or(false),
    };
    match terms.node(part) {
        Node::And(a, b) => value(a) && value(b),
        Node::Or(a, b) => value(a) || value(b),
        Node::Not(a) => !value(a),
        Node::Select(a, b, c) => {
            if value(a) {
                value(b)
            } else {
                value(c)
            }
        }
        _ => turns.get(&part).is_some_and(|turn| {
            let input = point[&turn.element];
            let (a, b) = if turn.positive { (input, turn.number) } else { (turn.number, input) };
            match turn.relation {
                Relation::Less => a < b,
                Relation::LessEqual => a <= b,
                Relation::Equal => a == b,
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Format;

    #[test]
    fn integers_have_nothing_between_neighbours_and_reals_have() {
        let mut elements = Elements::default();
        let m = Term::element(elements.push("m", vec![1], Format::S32, 1).unwrap());
        let x = Term::element(elements.push("x", vec![1], Format::F32, 1).unwrap());
        let terms = &mut Terms::new();
        for (input, never) in [(m, true), (x, false)] {
            let four = terms.integer(4);
            let doubled = terms.add(input, input);
            let (from, to) = (
                terms.compare(Relation::LessEqual, Term::ZERO, input),
                terms.compare(Relation::Less, input, four),
            );
            let mut all = terms.and(from, to);
            for number in 0..4 {
                let number = terms.integer(2 * number);
                let equal = terms.compare(Relation::Equal, doubled, number);
                let apart = terms.not(equal);
                all = terms.and(all, apart);
            }
            match look_everywhere(terms, &elements, all) {
                Some(Held::Never) => assert!(never),
                Some(Held::At(inputs)) => assert!(!never && inputs.len() == 1),
                None => panic!("this is what it is about"),
            }
        }
        let both = terms.compare(Relation::Less, m, x);
        assert!(look_everywhere(terms, &elements, both).is_none());
    }
}
