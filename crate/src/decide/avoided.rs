//! Outputs that were shown equal, though one kernel leaves out a division by zero that the other one makes, or though
//! the two differ where nobody divides.
//!
//! `m ? x / c : 0` divides where the mask lets something through, and then the count c is not zero. `(m ? x : 0) / c`
//! divides everywhere, and where the mask lets nothing through, that is 0 / 0. Evaluation calls the two equal, because
//! it assumes that c is not zero; but the first kernel has asked, in its own way, and the second one has not. And of
//! `any(m) ? x · c / c : y` against x, the case in which c is zero is the one in which they differ.
//!
//! Inputs at which a divisor is zero are made from the divisor: all parts of a sum of what is not negative are zero,
//! one factor of a product is, a choice goes the way that is zero, and an element is what it is compared with.
//!
//! Guarantees: a pair is taken back only with inputs at which both sides are numbers and differ, or at which one has a
//! number, the other one none, and choices leave out what has no real result there, or all that may have none, on the
//! side that has one ([`Seen::avoids`](crate::term::eval::Seen::avoids)): a mean that is updated under a mask divides
//! nothing where the mask lets nothing through; or choices make the divisor zero, which the other side has chosen then
//! (`s / (m ? 1 : 0)`). Where nothing is left out or chosen (`x / z * z` against `x`), the assumption in the ledger says
//! what has to hold.
//! Misses: divisors whose zeros are not made like that, and more than [`DIVISORS`] of them one by one. Cost: a few
//! evaluations of what divides under a choice or by one, and none where nothing does.

use super::Witness;
use super::trials::smallest;
use super::witness::{Kind, Question, Sides, admits, big, contrast, ends, plain, thresholds};
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, Formats, Quantity, Reach, Small, operands};
use crate::term::{Elements, Node, Relation, Term, Terms, Unary};
use num_rational::{BigRational, Ratio};
use num_traits::{CheckedAdd, CheckedSub, One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many of the numbers that the kernels compare with are tried.
const THRESHOLDS: usize = 3;
/// Divisors that are made zero one by one; after that, as many as can be zero together.
const DIVISORS: usize = 8;
/// Steps of a divisor that are looked at.
const STEPS: u32 = 1 << 14;
/// How deep they lie.
const DEEPEST: u32 = 128;
/// Nodes that are looked at for the sign of a value.
const SIGNS: u32 = 64;
/// Pairs whose inputs are made small, and of which it is said how they differ.
const DESCRIBED: usize = 4;

/// Where to look: a value for each element.
enum Point {
    Everywhere(Small),
    /// Elements that make a divisor zero; others have a plain value.
    Zero(Made),
}

/// Elements that make a divisor zero.
#[derive(Clone, Default, PartialEq)]
struct Made {
    values: FxHashMap<u32, Small>,
    /// What makes it zero are choices, so that its kernel has asked.
    chosen: bool,
}

impl Point {
    fn at(&self, elements: &Elements, element: u32) -> Quantity {
        match self {
            Point::Everywhere(value) => Quantity::Exact(*value),
            Point::Zero(zero) => match zero.values.get(&element) {
                Some(value) => Quantity::Exact(*value),
                None => plain(elements, 1, element),
            },
        }
    }
}

/// For each pair, inputs at which one side leaves out what the other one does, or the sides differ, if such were found;
/// or, of those that divide where they have `asked` not to, any at which that tells the sides apart.
pub(super) fn avoided(
    question: &Question<'_>,
    pairs: &[(Term, Term)],
    asked: &[bool],
    budget: &Budget,
) -> Result<Vec<Option<Witness>>, Exhausted> {
    let mut found = vec![None; pairs.len()];
    let partial =
        |(a, b): &(Term, Term)| question.terms[0].is_partial(*a) || question.terms[1].is_partial(*b);
    let places: Vec<usize> = (0..pairs.len()).filter(|at| partial(&pairs[*at])).collect();
    let roots = [
        places.iter().map(|at| pairs[*at].0).collect::<Vec<Term>>(),
        places.iter().map(|at| pairs[*at].1).collect(),
    ];
    // Whether something is divided under a choice, or by what is made of choices.
    let (mut any, mut chosen) = (asked.contains(&true), false);
    for (terms, roots) in question.terms.into_iter().zip(&roots) {
        let mut chooses: FxHashSet<usize> = FxHashSet::default();
        for at in Reach::of(terms, roots, budget)?.nodes() {
            let node = terms.node_at(at);
            let mut below = operands(&node).into_iter().flatten().filter_map(|operand| operand.as_node());
            match node {
                Node::Select(_, a, b) => {
                    any |= terms.is_partial(a) || terms.is_partial(b);
                    chooses.insert(at);
                }
                _ if below.any(|operand| chooses.contains(&operand)) => {
                    chosen |= matches!(node, Node::Div(..))
                        || matches!(node, Node::Unary(function, _) if function == Unary::Recip);
                    chooses.insert(at);
                }
                _ => {}
            }
        }
    }
    if !any && !chosen {
        return Ok(found);
    }
    let mut zeros = zeros(question, &roots, budget)?;
    if !any {
        zeros.retain(|zero| zero.chosen);
        if zeros.is_empty() {
            return Ok(found);
        }
    }
    let cones =
        [Cone::of(question.terms[0], &roots[0], budget)?, Cone::of(question.terms[1], &roots[1], budget)?];
    let constants = [question.meanings.enclosures(0), question.meanings.enclosures(1)];
    let formats = Formats::of(question.terms, &cones);
    let compared = thresholds(&cones, &[question.meanings.quantities(0), question.meanings.quantities(1)]);
    let compared = compared.into_iter().filter(|value| value.is_integer() && value.numer().abs() > 1);
    let numbers = [0, 1, -1].map(Ratio::from_integer).into_iter().chain(compared.take(THRESHOLDS));
    let mut points: Vec<Point> = match any {
        true => {
            let fit = numbers.filter(|number| admits(question.elements, &cones, *number));
            fit.map(Point::Everywhere).collect()
        }
        false => Vec::new(),
    };
    points.extend(zeros.into_iter().map(Point::Zero));
    let sides = Sides { terms: question.terms, cones: &cones, constants: &constants };
    let mut described = 0;
    for point in points {
        let element = |element: u32| point.at(question.elements, element);
        let seen = sides.where_excluded(&formats, &element, budget)?;
        for (at, both) in places.iter().zip(seen) {
            let Some(both) = both.filter(|both| found[*at].is_none() && both.differs()) else { continue };
            let chosen = matches!(&point, Point::Zero(zero) if zero.chosen);
            if both.is_assumed_away() && !asked[*at] && !chosen {
                continue;
            }
            described += 1;
            let describe = described <= DESCRIBED;
            found[*at] = match point {
                Point::Everywhere(number) => {
                    let difference = match both.sentence() {
                        None if describe => contrast(question, pairs[*at], budget)?.sentence,
                        sentence => sentence.unwrap_or_default(),
                    };
                    let (inputs, values) = (Vec::new(), both.values().map(ends));
                    Some(Witness { point: None, inputs, default: big(number), values, difference })
                }
                Point::Zero(_) => {
                    let number = |own: u32| match element(own) {
                        Quantity::Exact(value) => big(value),
                        _ => BigRational::zero(),
                    };
                    smallest(question, pairs[*at], &number, describe, budget)?
                }
            };
        }
    }
    Ok(found)
}

/// Elements at which divisors below the roots of either side are zero: the first few divisors one by one, then as many
/// as can be zero together.
fn zeros(question: &Question<'_>, roots: &[Vec<Term>; 2], budget: &Budget) -> Result<Vec<Made>, Exhausted> {
    let mut points: Vec<Made> = Vec::new();
    let mut together = Made::default();
    let mut left = STEPS;
    for (terms, roots) in question.terms.into_iter().zip(roots) {
        let mut divisors = FxHashSet::default();
        for node in Reach::of(terms, roots, budget)?.nodes() {
            let Some(divisor) = terms.node_at(node).divisor() else { continue };
            if divisor.as_constant().is_some() || !divisors.insert(divisor) || left == 0 {
                continue;
            }
            let found = Made::default();
            let mut making = Making { terms, elements: question.elements, found, order: Vec::new(), left };
            let is_zero = making.make(divisor, Ratio::zero(), 0);
            left = making.left;
            if !is_zero {
                continue;
            }
            let zero = making.found;
            let fits = |(element, value): (&u32, &Small)| {
                together.values.get(element).is_none_or(|known| known == value)
            };
            if zero.values.iter().all(fits) {
                together.values.extend(&zero.values);
                together.chosen |= zero.chosen;
            }
            if points.len() < DIVISORS && !points.contains(&zero) {
                points.push(zero);
            }
        }
    }
    if !together.values.is_empty() && !points.contains(&together) {
        points.push(together);
    }
    Ok(points)
}

/// Elements that make values what they are to be.
struct Making<'a> {
    terms: &'a Terms,
    elements: &'a Elements,
    found: Made,
    /// Elements in the order in which they got a value.
    order: Vec<u32>,
    left: u32,
}

impl Making<'_> {
    /// The one or the other, from where they are now.
    fn either(
        &mut self,
        first: impl FnOnce(&mut Self) -> bool,
        second: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let (before, chosen) = (self.order.len(), self.found.chosen);
        if first(self) {
            return true;
        }
        for element in self.order.drain(before..) {
            self.found.values.remove(&element);
        }
        self.found.chosen = chosen;
        second(self)
    }

    /// An element has a value.
    fn set(&mut self, element: u32, value: Small) -> bool {
        let format = self.elements.block_of(element).map_or(Format::F64, |block| block.format);
        let within = self.elements.integers(element).is_none_or(|[least, most]| {
            value.is_integer() && (least..=most).contains(&i128::from(*value.numer()))
        });
        if !within || Kind::of(format).admit(value) != value {
            return false;
        }
        match self.found.values.get(&element) {
            Some(known) => *known == value,
            None => {
                self.found.values.insert(element, value);
                self.order.push(element);
                true
            }
        }
    }

    /// The number that a term is, if it is a small one.
    fn number(&self, term: Term) -> Option<Small> {
        match Quantity::rational(self.terms.as_rational(term)?) {
            Quantity::Exact(value) => Some(value),
            _ => None,
        }
    }

    /// Values that make a term a number, in most cases zero; `false` if it is not known how.
    fn make(&mut self, term: Term, number: Small, depth: u32) -> bool {
        if self.left == 0 || depth > DEEPEST {
            return false;
        }
        self.left -= 1;
        if let Some(element) = term.as_element() {
            return self.set(element, number);
        }
        let zero = Ratio::zero();
        let sign = |term: Term| self.terms.is_not_negative(term, &mut { SIGNS });
        if number < zero && sign(term) {
            return false;
        }
        if term.as_constant().is_some() {
            return self.number(term) == Some(number);
        }
        let depth = depth + 1;
        match self.terms.node(term) {
            Node::Add(a, b) if let Some(less) = self.number(a) => {
                self.make_some(b, number.checked_sub(&less), depth)
            }
            Node::Add(a, b) if let Some(less) = self.number(b) => {
                self.make_some(a, number.checked_sub(&less), depth)
            }
            Node::Sub(a, b) if let Some(more) = self.number(b) => {
                self.make_some(a, number.checked_add(&more), depth)
            }
            Node::Sub(a, b) if let Some(from) = self.number(a) => {
                self.make_some(b, from.checked_sub(&number), depth)
            }
            Node::Unary(Unary::Neg, a) => self.make_some(a, zero.checked_sub(&number), depth),
            Node::Select(condition, a, b) => {
                let made = self.either(
                    |own| own.hold(condition, true, depth) && own.make(a, number, depth),
                    |own| own.hold(condition, false, depth) && own.make(b, number, depth),
                );
                self.found.chosen |= made;
                made
            }
            Node::Unary(Unary::Exp | Unary::Exp2, a) if number.is_one() => self.make(a, zero, depth),
            _ if !number.is_zero() => false,
            // Differences of elements: both are the same number.
            Node::Sub(a, b) if a.as_element().is_some() && b.as_element().is_some() => {
                self.make(a, Ratio::one(), depth) && self.make(b, Ratio::one(), depth)
            }
            Node::Add(..) | Node::Sub(..) | Node::Max(..) | Node::Fma(..) => {
                self.make_parts_zero(term, depth)
            }
            Node::Mul(a, b) => self.either(|own| own.make(a, zero, depth), |own| own.make(b, zero, depth)),
            Node::Div(a, _) | Node::Unary(Unary::Abs | Unary::Sqrt, a) => self.make(a, zero, depth),
            Node::Min(a, b) => self.either(|own| own.make(a, zero, depth), |own| own.make(b, zero, depth)),
            _ => false,
        }
    }

    /// The same of a number that may be too large to be one.
    fn make_some(&mut self, term: Term, number: Option<Small>, depth: u32) -> bool {
        number.is_some_and(|number| self.make(term, number, depth))
    }

    /// All parts of a sum or a maximum are zero, however many there are.
    fn make_parts_zero(&mut self, whole: Term, depth: u32) -> bool {
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            let Some(left) = self.left.checked_sub(1) else { return false };
            self.left = left;
            let done = match self.terms.node(part) {
                Node::Add(a, b) | Node::Sub(a, b) | Node::Max(a, b) if part.as_node().is_some() => {
                    open.extend([a, b]);
                    true
                }
                Node::Fma(a, b, c) if part.as_node().is_some() => {
                    open.push(c);
                    let zero = Ratio::zero();
                    self.either(|own| own.make(a, zero, depth), |own| own.make(b, zero, depth))
                }
                _ => self.make(part, Ratio::zero(), depth),
            };
            if !done {
                return false;
            }
        }
        true
    }

    /// Values with which a condition holds, or does not.
    fn hold(&mut self, condition: Term, holds: bool, depth: u32) -> bool {
        if self.left == 0 || depth > DEEPEST {
            return false;
        }
        self.left -= 1;
        if condition == Term::TRUE || condition == Term::FALSE {
            return holds == (condition == Term::TRUE);
        }
        let depth = depth + 1;
        let one = Ratio::one();
        match (self.terms.node(condition), holds) {
            (Node::Not(inner), _) => self.hold(inner, !holds, depth),
            (Node::And(a, b), true) | (Node::Or(a, b), false) => {
                self.hold(a, holds, depth) && self.hold(b, holds, depth)
            }
            (Node::And(a, b), false) | (Node::Or(a, b), true) => {
                self.either(|own| own.hold(a, holds, depth), |own| own.hold(b, holds, depth))
            }
            (Node::Compare(relation, a, b), _) => {
                let (value, number, is_left) = match (self.number(a), self.number(b)) {
                    (None, Some(number)) => (a, number, true),
                    (Some(number), None) => (b, number, false),
                    _ => {
                        let [Some(first), Some(second)] = [a, b].map(Term::as_element) else { return false };
                        let known = |element: u32| self.found.values.get(&element).copied();
                        match (known(first), known(second)) {
                            (Some(number), _) => (b, number, false),
                            (None, Some(number)) => (a, number, true),
                            (None, None) if self.set(first, one) => (b, one, false),
                            (None, None) => return false,
                        }
                    }
                };
                // What lies on the border counts as below it for `<=`, and as above it for `<`.
                let below = is_left == holds;
                let wanted = match (relation, holds) {
                    (Relation::Equal, true) => Some(number),
                    (Relation::Equal, false) => number.checked_add(&one),
                    (Relation::Less, true) | (Relation::LessEqual, false) if below => {
                        number.checked_sub(&one)
                    }
                    (Relation::Less, true) | (Relation::LessEqual, false) => number.checked_add(&one),
                    _ => Some(number),
                };
                self.make_some(value, wanted, depth)
            }
            _ => false,
        }
    }
}
