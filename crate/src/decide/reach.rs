//! Inputs for which a condition holds, by repairing one comparison after the other.
//!
//! The points that `witness` tries are alike for all inputs, and a condition such as `i = 37 and x > 41`
//! holds at none of them. So: start at a point, take a comparison that comes out wrong, and move one of
//! the inputs that it depends on to where the difference of its two sides changes its sign, as if that
//! were a straight line; again, until the condition holds or the effort is spent. Conditions on a few
//! inputs are met within a few steps, others by chance.
//!
//! Guarantees: what is found makes the condition hold, over the reals, with values that the inputs'
//! formats have. Deterministic. Misses: nothing is proved by finding none.
//! Source: Selman, Kautz and Cohen, *Noise strategies for improving local search* (WalkSAT).

use super::fingerprint::random;
use super::witness::Kind;
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, Quantity, Reals, Small, evaluate};
use crate::term::{Elements, Node, Relation, Term, Terms};
use num_rational::Ratio;
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// Nodes to evaluate for one condition.
const STEPS: u64 = 400_000;
/// Moves before another start.
const MOVES: u64 = 40;
/// Values stay below this, so that they are exact on the way.
const LARGEST: f64 = 1_099_511_627_776.0;

/// Inputs for which `root`, 1 or 0, is 1; all others are 0.
pub fn reach(
    terms: &Terms,
    constants: &[Quantity],
    elements: &Elements,
    root: Term,
    budget: &Budget,
) -> Result<Option<Vec<(u32, Small)>>, Exhausted> {
    let cone = Cone::of(terms, &[root], budget)?;
    let kind = |element: &u32| {
        elements.block_of(*element).map_or(Kind::Float(Format::F64), |block| Kind::of(block.format))
    };
    let mut search = Search {
        kinds: cone.elements().iter().map(kind).collect(),
        ranks: cone.elements().iter().copied().zip(0..).collect(),
        point: vec![Small::zero(); cone.elements().len()],
        values: Vec::new(),
        cone: &cone,
        constants,
        budget,
        steps: 0,
        draws: 0,
    };
    let mut moves = 0;
    while search.steps < STEPS {
        if search.holds()? {
            let inputs = cone.elements().iter().copied().zip(search.point);
            return Ok(Some(inputs.filter(|(_, value)| !value.is_zero()).collect()));
        }
        moves += 1;
        if moves % MOVES == 0 || !search.step()? {
            search.start_again();
        }
    }
    Ok(None)
}

struct Search<'a> {
    cone: &'a Cone,
    constants: &'a [Quantity],
    budget: &'a Budget,
    ranks: FxHashMap<u32, usize>,
    kinds: Vec<Kind>,
    /// The values of the elements.
    point: Vec<Small>,
    /// Those of the cone's steps.
    values: Vec<Quantity>,
    steps: u64,
    draws: u64,
}

impl Search<'_> {
    fn draw(&mut self, below: usize) -> usize {
        self.draws += 1;
        (random(0x7265_6163, self.draws) % below.max(1) as u64) as usize
    }

    /// Evaluates everything; whether the root is 1.
    fn holds(&mut self) -> Result<bool, Exhausted> {
        let (ranks, point) = (&self.ranks, &self.point);
        let element = |element: u32| {
            ranks.get(&element).map_or(Quantity::Unknown, |rank| Quantity::Exact(point[*rank]))
        };
        let domain = Reals { element: &element, constants: self.constants };
        let roots = evaluate(self.cone, &domain, self.budget, &mut self.values)?;
        self.steps += self.cone.steps().len() as u64 + 10;
        Ok(roots[0] == Quantity::integer(1))
    }

    fn value(&self, term: Term) -> Quantity {
        if let Some(step) = term.as_node() {
            self.values[step]
        } else if let Some(element) = term.as_element() {
            self.ranks.get(&element).map_or(Quantity::Unknown, |rank| Quantity::Exact(self.point[*rank]))
        } else {
            self.constants.get(term.as_constant().unwrap_or(0)).copied().unwrap_or(Quantity::Unknown)
        }
    }

    fn node(&self, term: Term) -> Option<Node> {
        term.as_node().map(|step| self.cone.steps()[step])
    }

    /// Other values everywhere.
    fn start_again(&mut self) {
        for at in 0..self.point.len() {
            let value = Ratio::from_integer(self.draw(17) as i64 - 8);
            self.point[at] = self.kinds[at].admit(value);
        }
    }

    /// Repairs one comparison, if there is one that can be.
    fn step(&mut self) -> Result<bool, Exhausted> {
        let Some((relation, a, b, wanted)) = self.failing() else { return Ok(false) };
        let elements = self.elements_below(&[a, b]);
        if elements.is_empty() {
            return Ok(false);
        }
        let element = elements[self.draw(elements.len())];
        let before = self.point[element];
        let difference = |search: &Self| {
            let (a, b) = (search.value(a).interval()?, search.value(b).interval()?);
            Some(a.low() / 2.0 + a.high() / 2.0 - b.low() / 2.0 - b.high() / 2.0)
        };
        let Some(now) = difference(self) else { return Ok(false) };
        self.point[element] = self.kinds[element].admit(before + Ratio::from_integer(1));
        let moved = as_float(self.point[element]) - as_float(before);
        self.holds()?;
        let slope = difference(self).map_or(0.0, |then| (then - now) / moved);
        let zero = if slope.is_normal() { as_float(before) - now / slope } else { as_float(before) };
        let mut candidates: Vec<f64> = Vec::new();
        for scale in [1.0, 2.0, 1024.0] {
            let near = (zero * scale).round() / scale;
            candidates.extend([near, near + 1.0 / scale, near - 1.0 / scale]);
        }
        // Large floats have no neighbours that near.
        candidates.extend([1.125, 0.875].map(|part: f64| (zero * part * 1024.0).round() / 1024.0));
        candidates.push(self.draw(33) as f64 - 16.0);
        // Of what repairs the comparison, anything but the condition as a whole decides.
        let mut repairs = Vec::new();
        for candidate in candidates {
            let Some(value) = exact(candidate) else { continue };
            self.point[element] = self.kinds[element].admit(value);
            if self.holds()? {
                return Ok(true);
            }
            if self.comes_out(relation, a, b) == Some(wanted) {
                repairs.push(self.point[element]);
            }
        }
        if !repairs.is_empty() {
            self.point[element] = repairs[self.draw(repairs.len())];
        }
        Ok(true)
    }

    fn comes_out(&self, relation: Relation, a: Term, b: Term) -> Option<bool> {
        let (Quantity::Exact(a), Quantity::Exact(b)) = (self.value(a), self.value(b)) else {
            let (a, b) = (self.value(a).interval()?, self.value(b).interval()?);
            return match relation {
                _ if a.high() < b.low() => Some(relation != Relation::Equal),
                _ if b.high() < a.low() => Some(false),
                _ => None,
            };
        };
        Some(match relation {
            Relation::Less => a < b,
            Relation::LessEqual => a <= b,
            Relation::Equal => a == b,
        })
    }

    /// A comparison that comes out as the root does not want it, and how that does.
    fn failing(&mut self) -> Option<(Relation, Term, Term, bool)> {
        let mut term = self.cone.roots()[0];
        let mut wanted = true;
        // A number that is to be 1 is a choice, and so are conditions of conditions.
        for _ in 0..10_000 {
            let is =
                |search: &Self, term: Term, wanted: bool| search.value(term) == Quantity::Condition(wanted);
            match self.node(term)? {
                Node::Not(inner) => (term, wanted) = (inner, !wanted),
                node @ (Node::And(a, b) | Node::Or(a, b)) => {
                    let both = matches!(node, Node::And(..)) == wanted;
                    let first = self.draw(2) == 0;
                    let (a, b) = if first { (a, b) } else { (b, a) };
                    term = if both && is(self, a, wanted) { b } else { a };
                }
                Node::Select(condition, a, b) => {
                    let one = |term: Term| term == Term::ONE || term == Term::TRUE;
                    let zero = |term: Term| term == Term::ZERO || term == Term::FALSE;
                    (term, wanted) = match () {
                        () if one(a) && zero(b) => (condition, wanted),
                        () if zero(a) && one(b) => (condition, !wanted),
                        () if self.draw(2) == 0 => {
                            let holds = is(self, condition, true);
                            if self.draw(2) == 0 {
                                (condition, !holds)
                            } else {
                                (if holds { a } else { b }, wanted)
                            }
                        }
                        () => (if is(self, condition, true) { a } else { b }, wanted),
                    };
                }
                Node::Compare(relation, a, b) => return Some((relation, a, b, wanted)),
                _ => return None,
            }
        }
        None
    }

    /// The ranks of the elements that terms depend on.
    fn elements_below(&self, terms: &[Term]) -> Vec<usize> {
        let mut seen = vec![false; self.cone.steps().len()];
        let mut found = Vec::new();
        let mut open = terms.to_vec();
        while let Some(term) = open.pop() {
            if let Some(element) = term.as_element() {
                found.extend(self.ranks.get(&element));
            } else if let Some(step) = term.as_node()
                && !std::mem::replace(&mut seen[step], true)
            {
                open.extend(crate::term::eval::operands(&self.cone.steps()[step]).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A dyadic number of moderate size.
fn exact(value: f64) -> Option<Small> {
    let scaled = value * 1024.0;
    (value.abs() < LARGEST && scaled.fract() == 0.0).then(|| Ratio::new(scaled as i64, 1024))
}

fn as_float(value: Small) -> f64 {
    *value.numer() as f64 / *value.denom() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_in_several_inputs_are_met() {
        let mut elements = Elements::default();
        let x = Term::element(elements.push("x", vec![2], Format::F32, 2).unwrap());
        let y = Term::element(elements.push("y", vec![1], Format::S32, 1).unwrap());
        let terms = &mut Terms::new();
        let (a, b) = (terms.integer(37), terms.rational(num_rational::BigRational::new(83.into(), 2.into())));
        let sum = terms.add(x, y);
        let (one, two) = (terms.compare(Relation::Equal, y, a), terms.compare(Relation::Equal, sum, b));
        let both = terms.and(one, two);
        let root = terms.select(both, Term::ONE, Term::ZERO);
        let constants: Vec<Quantity> = (0..terms.constants().len()).map(|at| known(terms, at)).collect();
        let found = reach(terms, &constants, &elements, root, &Budget::default()).unwrap().unwrap();
        assert_eq!(found.len(), 2);
        let never = terms.compare(Relation::Less, sum, b);
        let never = terms.and(both, never);
        let root = terms.select(never, Term::ONE, Term::ZERO);
        assert_eq!(reach(terms, &constants, &elements, root, &Budget::default()).unwrap(), None);
    }

    fn known(terms: &Terms, at: usize) -> Quantity {
        terms.as_rational(Term::constant(at)).map_or(Quantity::Unknown, Quantity::rational)
    }
}
