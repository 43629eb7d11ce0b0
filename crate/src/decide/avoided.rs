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
//! number, the other one none, and the side that has one leaves something out there that has no real result
//! ([`Done`](crate::term::eval::Done)). Where nothing is left out (`x / z * z` against `x`; a mean that is updated under
//! a mask, and divides by no count of 0 either), the assumption in the ledger says what has to hold.
//! Misses: divisors whose zeros are not made like that, and more than [`DIVISORS`] of them one by one. Cost: a few
//! evaluations of what divides under a choice, and none where nothing does.

use super::Witness;
use super::trials::smallest;
use super::witness::{Excluded, Kind, Question, admits, ends, plain, thresholds};
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, Formats, Machine, Quantity, Reach, Reals, Small, evaluate};
use crate::term::{Elements, Node, Relation, Term, Terms, Unary};
use num_rational::{BigRational, Ratio};
use num_traits::{One, Zero};
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
/// Pairs whose inputs are made small.
const SHRUNK: usize = 4;

/// Where to look: a value for each element.
enum Point {
    Everywhere(Small),
    /// Elements that make a divisor zero; others have a plain value.
    Zero(FxHashMap<u32, Small>),
}

impl Point {
    fn at(&self, elements: &Elements, element: u32) -> Quantity {
        match self {
            Point::Everywhere(value) => Quantity::Exact(*value),
            Point::Zero(values) => match values.get(&element) {
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
    let mut any = false;
    for (terms, roots) in question.terms.into_iter().zip(&roots) {
        any |= Reach::of(terms, roots, budget)?.nodes().any(|node| match terms.node_at(node) {
            Node::Select(_, a, b) => terms.is_partial(a) || terms.is_partial(b),
            _ => false,
        });
    }
    if !any && !asked.contains(&true) {
        return Ok(found);
    }
    let cones =
        [Cone::of(question.terms[0], &roots[0], budget)?, Cone::of(question.terms[1], &roots[1], budget)?];
    let constants = [question.meanings.enclosures(0), question.meanings.enclosures(1)];
    let formats = Formats::of(question.terms, &cones);
    let compared = thresholds(&cones, &[question.meanings.quantities(0), question.meanings.quantities(1)]);
    let compared = compared.into_iter().filter(|value| value.is_integer() && value.numer().abs() > 1);
    let numbers = [0, 1, -1].map(Ratio::from_integer).into_iter().chain(compared.take(THRESHOLDS));
    let mut points: Vec<Point> =
        numbers.filter(|number| admits(question.elements, &cones, *number)).map(Point::Everywhere).collect();
    points.extend(zeros(question, &roots, budget)?.into_iter().map(Point::Zero));
    let mut shrunk = 0;
    for point in points {
        let seen = |side: usize| {
            let element = |element: u32| point.at(question.elements, element);
            let reals = || Reals { element: &element, constants: &constants[side] };
            let machine = Machine { reals: reals(), terms: question.terms[side] };
            let seen = evaluate(&cones[side], &machine, budget, &mut Vec::new())?;
            // What overflows on the way shows nothing.
            let certain = match &formats[side] {
                None => vec![true; seen.len()],
                Some(formats) => {
                    let held = formats.evaluate(&cones[side], &reals(), budget, &mut Vec::new())?;
                    let certain = |(held, value): (&Quantity, Quantity)| !value.is_finite() || *held == value;
                    held.iter().zip(seen.iter().map(|seen| seen.value)).map(certain).collect()
                }
            };
            Ok::<_, Exhausted>(seen.into_iter().zip(certain))
        };
        for (at, ((a, certain), (b, also))) in places.iter().zip(seen(0)?.zip(seen(1)?)) {
            let both = Excluded([a, b]);
            let counts = both.is_avoided() || both.are_numbers() || asked[*at];
            if found[*at].is_none() && certain && also && counts && both.differs() {
                found[*at] = match point {
                    Point::Everywhere(number) => Some(Witness {
                        point: None,
                        inputs: Vec::new(),
                        default: big(number),
                        values: both.values().map(ends),
                        difference: both.sentence(),
                    }),
                    Point::Zero(_) => {
                        let number = |element: u32| match point.at(question.elements, element) {
                            Quantity::Exact(value) => big(value),
                            _ => BigRational::zero(),
                        };
                        shrunk += 1;
                        smallest(question, pairs[*at], &number, shrunk <= SHRUNK, budget)?
                    }
                };
            }
        }
    }
    Ok(found)
}

fn big(value: Small) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

/// Elements at which divisors below the roots of either side are zero: the first few divisors one by one, then as many
/// as can be zero together.
fn zeros(
    question: &Question<'_>,
    roots: &[Vec<Term>; 2],
    budget: &Budget,
) -> Result<Vec<FxHashMap<u32, Small>>, Exhausted> {
    let mut points: Vec<FxHashMap<u32, Small>> = Vec::new();
    let mut together = FxHashMap::default();
    let mut left = STEPS;
    for (terms, roots) in question.terms.into_iter().zip(roots) {
        let mut divisors = FxHashSet::default();
        for node in Reach::of(terms, roots, budget)?.nodes() {
            let divisor = match terms.node_at(node) {
                Node::Div(_, divisor) => divisor,
                Node::Unary(Unary::Recip | Unary::Rsqrt | Unary::Log | Unary::Log2, divisor) => divisor,
                _ => continue,
            };
            if divisor.as_constant().is_some() || !divisors.insert(divisor) || left == 0 {
                continue;
            }
            let mut zero = Making { terms, elements: question.elements, values: FxHashMap::default(), left };
            let is_zero = zero.make(divisor, Ratio::zero(), 0);
            left = zero.left;
            if !is_zero {
                continue;
            }
            if points.len() < DIVISORS && !points.contains(&zero.values) {
                points.push(zero.values.clone());
            }
            let fits = |(element, value): (&u32, &Small)| {
                together.get(element).is_none_or(|known: &Small| known == value)
            };
            if zero.values.iter().all(fits) {
                together.extend(zero.values);
            }
        }
    }
    if !together.is_empty() && !points.contains(&together) {
        points.push(together);
    }
    Ok(points)
}

/// Elements that make values what they are to be.
struct Making<'a> {
    terms: &'a Terms,
    elements: &'a Elements,
    values: FxHashMap<u32, Small>,
    left: u32,
}

impl Making<'_> {
    /// The one or the other, from where they are now.
    fn either(
        &mut self,
        first: impl FnOnce(&mut Self) -> bool,
        second: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let before = self.values.clone();
        if first(self) {
            return true;
        }
        self.values = before;
        second(self)
    }

    /// An element has a value.
    fn set(&mut self, element: u32, value: Small) -> bool {
        let format = self.elements.block_of(element).map_or(Format::F64, |block| block.format);
        let within = self.elements.integers(element).is_none_or(|[least, most]| {
            value.is_integer() && (least..=most).contains(&i128::from(*value.numer()))
        });
        let can_be = within && Kind::of(format).admit(value) == value;
        can_be && *self.values.entry(element).or_insert(value) == value
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
        let known = |term: Term| {
            let value = Quantity::rational(self.terms.as_rational(term)?);
            if let Quantity::Exact(value) = value { Some(value) } else { None }
        };
        if term.as_constant().is_some() {
            return known(term) == Some(number);
        }
        let depth = depth + 1;
        match self.terms.node(term) {
            Node::Add(a, b) if let Some(less) = known(a) => self.make(b, number - less, depth),
            Node::Add(a, b) | Node::Sub(a, b) if let Some(more) = known(b) => {
                let is_sum = matches!(self.terms.node(term), Node::Add(..));
                self.make(a, if is_sum { number - more } else { number + more }, depth)
            }
            Node::Sub(a, b) if let Some(from) = known(a) => self.make(b, from - number, depth),
            Node::Unary(Unary::Neg, a) => self.make(a, -number, depth),
            Node::Select(condition, a, b) => self.either(
                |own| own.hold(condition, true, depth) && own.make(a, number, depth),
                |own| own.hold(condition, false, depth) && own.make(b, number, depth),
            ),
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
        let known = |term: Term| {
            let value = Quantity::rational(self.terms.as_rational(term)?);
            if let Quantity::Exact(value) = value { Some(value) } else { None }
        };
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
                let (value, number, is_left) = match (known(a), known(b)) {
                    (None, Some(number)) => (a, number, true),
                    (Some(number), None) => (b, number, false),
                    _ => return false,
                };
                // What lies on the border counts as below it for `<=`, and as above it for `<`.
                let below = is_left == holds;
                let wanted = match (relation, holds) {
                    (Relation::Equal, true) => number,
                    (Relation::Equal, false) => number + one,
                    (Relation::Less, true) | (Relation::LessEqual, false) if below => number - one,
                    (Relation::Less, true) | (Relation::LessEqual, false) => number + one,
                    _ => number,
                };
                self.make(value, wanted, depth)
            }
            _ => false,
        }
    }
}
