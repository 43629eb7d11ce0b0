//! Functions of an argument that is limited.
//!
//! `logf(x)` asks whether x is 0, and whether it is so small that a float has fewer digits for it. Of
//! `logf(fmaxf(x, 1))` a compiler leaves these questions out, and what they choose. So for every interval between the
//! numbers with which a shape compares an argument, there is a shape of what it is there.
//!
//! Guarantees: such a shape is used only where what it is bound to lies in the interval. One that has lost more than
//! half of its steps is none: what a library makes of small arguments may be `2·x`, which says nothing.
//! Misses: limits that are not seen in the argument itself ([`Terms::ends`]), and on two arguments at once.

use super::{Class, Finder, Found, Shape, kind};
use crate::term::eval::{operands, with_operands};
use crate::term::{Node, Relation, Term, Terms, Unary};
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

/// Numbers with which a shape may compare an argument.
const NUMBERS: usize = 6;

/// A shape of what a function is in an interval.
pub(super) struct Limited {
    shape: Shape,
    argument: usize,
    ends: (f64, f64),
}

/// Whether there are limits among so many nodes.
pub(super) fn occur(terms: &Terms, count: usize) -> bool {
    let mut reader = terms.reader();
    (0..count).any(|at| match reader.node_at(at) {
        Node::Max(a, b) | Node::Min(a, b) => a.as_constant().is_some() || b.as_constant().is_some(),
        Node::Unary(Unary::Abs, _) => true,
        _ => false,
    })
}

/// A comparison of an argument, or of its magnitude, with a number: the relation, the argument, whether it is the
/// magnitude, the number, and whether that stands first.
fn compared(terms: &Terms, node: &Node) -> Option<(Relation, usize, bool, f64, bool)> {
    let Node::Compare(relation, a, b) = *node else { return None };
    [(a, b, false), (b, a, true)].into_iter().find_map(|(of, number, swapped)| {
        let number = terms.as_rational(number)?.to_f64()?;
        let (of, size) = match terms.node(of) {
            Node::Unary(Unary::Abs, inner) => (inner, true),
            _ => (of, false),
        };
        Some((relation, of.as_element()? as usize, size, number, swapped))
    })
}

/// Whether a comparison holds for all of an interval, or for none of it.
fn decided((relation, swapped): (Relation, bool), number: f64, (low, high): (f64, f64)) -> Option<bool> {
    match (relation, swapped) {
        (Relation::Equal, _) => (high < number || number < low).then_some(false),
        (Relation::Less, false) | (Relation::LessEqual, true) => {
            // t < number, or number ≤ t turned round.
            let (below, above) = (high < number, low >= number);
            (below || above).then_some(below != swapped)
        }
        (Relation::LessEqual, false) | (Relation::Less, true) => {
            let (below, above) = (high <= number, low > number);
            (below || above).then_some(below != swapped)
        }
    }
}

fn steps_below(terms: &Terms, root: Term) -> Vec<usize> {
    let (mut open, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if let Some(step) = term.as_node()
            && seen.insert(step)
        {
            open.extend(operands(&terms.node_at(step)).into_iter().flatten());
        }
    }
    let mut steps: Vec<usize> = seen.into_iter().collect();
    steps.sort_unstable();
    steps
}

/// A shape with what is known of its conditions where an argument lies in an interval.
fn within(terms: &mut Terms, steps: &[usize], argument: usize, ends: (f64, f64)) -> Option<Term> {
    let (low, high) = ends;
    let size = (low.max(-high).max(0.0), high.max(-low));
    let mut new: FxHashMap<Term, Term> = FxHashMap::default();
    let mut changed = false;
    for step in steps {
        let node = terms.node_at(*step);
        let known = compared(terms, &node).filter(|(_, of, ..)| *of == argument).and_then(
            |(relation, _, is_size, number, swapped)| {
                decided((relation, swapped), number, if is_size { size } else { ends })
            },
        );
        let own = match known {
            Some(holds) => {
                changed = true;
                if holds { Term::TRUE } else { Term::FALSE }
            }
            None => {
                let node = with_operands(&node, |operand| new.get(&operand).copied().unwrap_or(operand));
                terms.made(&node)
            }
        };
        new.insert(Term::from_node(*step), own);
    }
    changed.then(|| new.get(&Term::from_node(*steps.last()?)).copied()).flatten()
}

/// The shapes of all functions in all intervals, by kind.
pub(super) fn all(terms: &mut Terms, by_kind: &[Vec<Shape>]) -> Vec<Vec<Limited>> {
    let mut all: Vec<Vec<Limited>> = by_kind.iter().map(|_| Vec::new()).collect();
    let mut seen: FxHashSet<(usize, Term, usize, [u64; 2])> = FxHashSet::default();
    for shape in by_kind.iter().flatten() {
        let steps = steps_below(terms, shape.root);
        let asks: Vec<_> = steps.iter().filter_map(|step| compared(terms, &terms.node_at(*step))).collect();
        for argument in 0..shape.arguments {
            let mut numbers: Vec<f64> = Vec::new();
            for (.., number, _) in asks.iter().filter(|(_, of, ..)| *of == argument) {
                numbers.extend([*number, -*number].iter().filter(|own| **own == *number || *number > 0.0));
            }
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            if numbers.is_empty() || numbers.len() > 2 * NUMBERS {
                continue;
            }
            let lows = std::iter::once(f64::NEG_INFINITY).chain(numbers.iter().copied());
            let pairs: Vec<(f64, f64)> = lows
                .flat_map(|low| {
                    let highs = numbers.iter().copied().chain(std::iter::once(f64::INFINITY));
                    highs.filter(move |high| low < *high).map(move |high| (low, high))
                })
                .collect();
            for ends in pairs {
                let Some(root) = within(terms, &steps, argument, ends) else { continue };
                let left = steps_below(terms, root);
                let key = (shape.row, root, argument, [ends.0.to_bits(), ends.1.to_bits()]);
                if 2 * left.len() <= steps.len() || !seen.insert(key) {
                    continue;
                }
                let last = terms.node(root);
                let [first, second, _] = operands(&last);
                let operands = [first, second].map(|term| Class::of(terms, term));
                let Shape { row, word, arguments, .. } = *shape;
                let list: &mut Vec<Limited> = &mut all[kind(&last)];
                // The same in a wider interval is there for both.
                let is_in = |one: (f64, f64), other: (f64, f64)| other.0 <= one.0 && one.1 <= other.1;
                let same = |other: &Limited| {
                    (other.shape.row, other.shape.root, other.argument) == (row, root, argument)
                };
                if list.iter().any(|other| same(other) && is_in(ends, other.ends)) {
                    continue;
                }
                list.retain(|other| !(same(other) && is_in(other.ends, ends)));
                let shape = Shape { row, root, last, operands, word, arguments };
                list.push(Limited { shape, argument, ends });
            }
        }
    }
    all
}

impl Finder<'_> {
    /// A function of an argument that lies where some of its questions are not asked.
    pub(super) fn find_limited(&mut self, at: usize, node: &Node) -> Option<Found> {
        if !self.limits {
            return None;
        }
        let [first, second, _] = operands(node);
        let [x, y] = [first, second].map(|term| Class::of(self.terms, term));
        let shapes = self.shapes;
        let mut fitting = shapes.limited[kind(node)].iter().filter(|limited| limited.shape.admits([x, y]));
        fitting.find_map(|Limited { shape, argument, ends }| {
            let found = self.found_as(shape, at, node)?;
            let (low, high) = self.terms.ends(found.bindings[*argument]?)?;
            let is_whole = found.bindings.iter().flatten().count() == shape.arguments;
            (is_whole && ends.0 <= low && high <= ends.1).then_some(found)
        })
    }
}
