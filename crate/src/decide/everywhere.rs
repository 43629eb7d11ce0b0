//! Pairs that depend on few bits of integers: decided by evaluation at every value.
//!
//! What is looked up in tables of 256 entries, divided by a number, or rounded by way of a float need not have a
//! form in which two ways to compute it meet. But a byte has 256 values, and two of them 65,536 pairs of values:
//! both sides are evaluated at all of them.
//!
//! Guarantees: *equal* only if at every value that the elements can have (all those of their formats, or of the
//! bounds that the spec requires) both sides have an exact value, the same one, and one that the formats on the
//! way hold; a side that has none anywhere, or only an enclosure, proves nothing. What `check` evaluates by other
//! code is the same set of nodes ([`is_followed`]). *At* is a value where exact values differ.
//! Misses: elements that are floats, and integers of more than [`VALUES`] values together; terms for which that
//! takes more than a pair's share of half the budget. Pairs that are the same but for the names of their elements
//! are evaluated once.

use super::integers::Point;
use super::witness::Question;
use super::{Certificate, Method};
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, Domain, Formats, Quantity, Reals, evaluate, with_operands};
use crate::term::{BitOp, Elements, Node, Term, Through, Unary};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Values of all elements together.
const VALUES: u64 = 1 << 16;
/// Of the steps of a comparison, the part that all pairs may take here.
const PART: u64 = 2;

/// What evaluation at every value says.
pub(super) enum Everywhere {
    /// Equal at all of them, which are so many.
    Equal(u64),
    /// Different where elements are these integers.
    At(Vec<(u32, i128)>),
    /// There are too many, or a side has no exact value at one.
    Open,
}

/// The same of elements by their ranks.
#[derive(Clone)]
enum Found {
    Equal,
    At(u64),
    Open,
}

/// What a pair is but for the names of its elements: the nodes and the root of each side, through which formats
/// they went, and the integers that its elements can be.
#[derive(PartialEq, Eq, Hash)]
struct Shape {
    sides: [(Vec<Node>, Term, Vec<Option<Through>>); 2],
    ranges: Vec<(i128, u64)>,
}

/// What was found out about pairs of one portion.
pub(super) struct Seen {
    shapes: FxHashMap<Shape, Found>,
    /// Steps that one pair may take.
    share: u64,
}

/// The integers that each of some elements can be, if together they have few enough values.
struct Values {
    /// Each element with its least value and how many there are.
    ranges: Vec<(u32, i128, u64)>,
    count: u64,
}

impl Values {
    /// Of these elements; `None` if one is no integer, or there are more than [`VALUES`].
    fn of(elements: &Elements, own: &[u32]) -> Option<Values> {
        let mut values = Values { ranges: Vec::new(), count: 1 };
        for element in own {
            let [least, most] = elements.integers(*element)?;
            let count = u64::try_from(most - least + 1).ok().filter(|count| *count > 0)?;
            values.count = values.count.checked_mul(count).filter(|count| *count <= VALUES)?;
            values.ranges.push((*element, least, count));
        }
        Some(values)
    }

    /// The elements' integers at one of them, in the elements' order.
    fn at(&self, number: u64) -> Vec<(u32, i128)> {
        let mut rest = number;
        let integer = |(element, least, count): &(u32, i128, u64)| {
            let own = rest % count;
            rest /= count;
            (*element, least + i128::from(own))
        };
        self.ranges.iter().map(integer).collect()
    }
}

/// Whether a node is one of those whose values can be exact: sums, products, quotients, choices, comparisons,
/// roundings and words, and no function that is irrational nearly everywhere.
fn is_followed(node: &Node) -> bool {
    use Unary::{Abs, Ceil, Floor, Neg, Recip, RoundEven, Trunc};
    match node {
        Node::Unary(function, _) => matches!(function, Neg | Recip | Abs | Floor | Ceil | Trunc | RoundEven),
        Node::Bits(op, ..) => *op != BitOp::Other,
        Node::Round(_, format, _) => matches!(format, Format::F32 | Format::F64),
        Node::BitsOf(format, _) => *format != Format::Ue8m0,
        Node::Apply(..) | Node::Element(_) => false,
        Node::Constant(_)
        | Node::Add(..)
        | Node::Sub(..)
        | Node::Mul(..)
        | Node::Fma(..)
        | Node::Div(..)
        | Node::Max(..)
        | Node::Min(..)
        | Node::Select(..)
        | Node::Compare(..)
        | Node::And(..)
        | Node::Or(..)
        | Node::Not(_)
        | Node::BitConstant(_)
        | Node::FromBits(..) => true,
    }
}

impl Seen {
    /// Nothing yet, where so many pairs share the budget.
    pub(super) fn new(budget: &Budget, pairs: usize) -> Seen {
        Seen { shapes: FxHashMap::default(), share: budget.steps() / PART / pairs.max(1) as u64 }
    }

    /// Evaluates both sides of a pair at every value of its elements.
    pub(super) fn look(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        budget: &Budget,
    ) -> Result<Everywhere, Exhausted> {
        let cone = |side: usize, root: Term| Cone::of(question.terms[side], &[root], budget);
        let cones = [cone(0, pair.0)?, cone(1, pair.1)?];
        let mut own = [cones[0].elements(), cones[1].elements()].concat();
        own.sort_unstable();
        own.dedup();
        let Some(values) = Values::of(question.elements, &own) else { return Ok(Everywhere::Open) };
        let nodes = (cones[0].steps().len() + cones[1].steps().len()) as u64;
        if !cones.iter().flat_map(|cone| cone.steps()).all(is_followed)
            || values.count.saturating_mul((nodes + 1) * Reals::EFFORT) > self.share
        {
            return Ok(Everywhere::Open);
        }
        let shape = shape(question, &cones, &values);
        let found = match self.shapes.get(&shape) {
            Some(found) => found.clone(),
            None => {
                let found = evaluated(question, &cones, &values, budget)?;
                self.shapes.insert(shape, found.clone());
                found
            }
        };
        Ok(match found {
            Found::Equal => Everywhere::Equal(values.count),
            Found::At(number) => Everywhere::At(values.at(number)),
            Found::Open => Everywhere::Open,
        })
    }
}

fn shape(question: &Question<'_>, cones: &[Cone; 2], values: &Values) -> Shape {
    let rank = |term: Term| match term.as_element() {
        Some(element) => {
            let at = values.ranges.partition_point(|(own, ..)| *own < element);
            Term::element(at as u32)
        }
        None => term,
    };
    let sides = [0, 1].map(|side| {
        let (cone, terms) = (&cones[side], question.terms[side]);
        let steps: Vec<Node> = cone.steps().iter().map(|step| with_operands(step, rank)).collect();
        let nodes = (0..steps.len()).map(|step| terms.through(cone.node(step)));
        let leaves = values.ranges.iter().map(|(element, ..)| terms.through(Term::element(*element)));
        (steps, rank(cone.roots()[0]), nodes.chain(leaves).collect())
    });
    Shape { sides, ranges: values.ranges.iter().map(|(_, least, count)| (*least, *count)).collect() }
}

fn evaluated(
    question: &Question<'_>,
    cones: &[Cone; 2],
    values: &Values,
    budget: &Budget,
) -> Result<Found, Exhausted> {
    let constants = [question.meanings.quantities(0), question.meanings.quantities(1)];
    let formats = Formats::of(question.terms, cones);
    let mut scratch = Vec::new();
    for number in 0..values.count {
        let point = values.at(number);
        let element = |element: u32| match point.binary_search_by_key(&element, |(own, _)| *own) {
            Ok(at) => i64::try_from(point[at].1).map_or(Quantity::Unknown, Quantity::integer),
            Err(_) => Quantity::Unknown,
        };
        let mut both = [Quantity::Unknown; 2];
        for (side, value) in both.iter_mut().enumerate() {
            let domain = Reals { element: &element, constants: &constants[side] };
            *value = evaluate(&cones[side], &domain, budget, &mut scratch)?[0];
            if let Some(formats) = &formats[side]
                && formats.evaluate(&cones[side], &domain, budget, &mut scratch)?[0] != *value
            {
                return Ok(Found::Open);
            }
        }
        match order(both) {
            Some(Ordering::Equal) => {}
            Some(_) => return Ok(Found::At(number)),
            None => return Ok(Found::Open),
        }
    }
    Ok(Found::Equal)
}

/// How two exact values of one kind compare; `None` if one is not exact.
fn order([a, b]: [Quantity; 2]) -> Option<Ordering> {
    match (a, b) {
        (Quantity::Exact(a), Quantity::Exact(b)) => Some(a.cmp(&b)),
        (Quantity::Exact(_) | Quantity::Large(..), Quantity::Exact(_) | Quantity::Large(..)) => {
            a.order(b).ok()
        }
        (Quantity::Bits(a), Quantity::Bits(b)) => Some(a.cmp(&b)),
        (Quantity::Condition(a), Quantity::Condition(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

impl Everywhere {
    /// Where it differs, if that is known.
    pub(super) fn points(&self) -> Vec<Point> {
        let Everywhere::At(point) = self else { return Vec::new() };
        let number = |value: i128| BigRational::from_integer(value.into());
        vec![point.iter().map(|(element, value)| (*element, number(*value))).collect()]
    }

    /// The certificate, if that is one.
    pub(super) fn certificate(&self) -> Option<Certificate> {
        let Everywhere::Equal(values) = *self else { return None };
        let summary = format!("both sides have the same value at each of all {values} values of the inputs");
        Some(Certificate { summary, method: Method::EveryValue { values: values as u32 } })
    }
}
