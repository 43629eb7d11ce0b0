//! Functions behind a guard that knows what their own choices ask.
//!
//! `powf(x, y)` asks whether x is 1. Of `x == 1 ? f : powf(x, y)` a compiler makes one choice that asks
//! once, and what is left of the function in the other arm is no shape any more. There the condition of
//! the guard is known, and a choice of the shape by it is the arm that it takes.
//!
//! Only the arm in which most of a function stands is looked for: what a library makes of small arguments
//! may be `2·x`, which says nothing.
//!
//! Guarantees: where the guard takes that arm, what stands in it is the function; elsewhere the function is
//! not used. What else is in both arms stays.
//! Misses: code that has lost all numbers that few other functions have; a second function in the same arm;
//! conditions that follow from others in more than one step; cores further than `moved` looks.

use super::moved::Moved;
use super::shape::PLACEHOLDERS;
use super::{Finder, Found, Shape, kind};
use crate::term::eval::operands;
use crate::term::{Node, Relation, Term, Terms};
use num_rational::BigRational;
use std::cmp::Ordering;

/// Conditions that one guard is taken apart into.
const FACTS: usize = 8;

/// A choice around what was found.
pub(super) struct Guard {
    pub(super) condition: Term,
    /// The arm without the function.
    pub(super) other: Term,
    /// Whether the function stands where the condition holds.
    pub(super) holds: bool,
}

/// A condition that is known.
pub(super) struct Fact {
    pub(super) condition: Term,
    pub(super) holds: bool,
    /// What it says about a term that it compares with a number.
    pub(super) interval: Option<(Term, Interval)>,
}

/// A comparison with a number, what is known of it, and what kind of step is compared.
pub(super) type Asked = (Relation, Term, bool, bool, Option<usize>);

/// What a comparison with a number says: the orders to it that are possible (less, equal, greater).
pub(super) struct Interval {
    number: BigRational,
    possible: [bool; 3],
}

impl Interval {
    /// Whether `t relation value` (or `value relation t`, if `swapped`) holds for all or for no t.
    pub(super) fn decides(&self, relation: Relation, value: &BigRational, swapped: bool) -> Option<bool> {
        // The orders of t to `value` that are possible.
        let [less, equal, greater] = self.possible;
        let possible = match self.number.cmp(value) {
            Ordering::Equal => self.possible,
            // t below the number lies below `value`; above it anything is possible.
            Ordering::Less => [less | equal | greater, greater, greater],
            Ordering::Greater => [less, less, less | equal | greater],
        };
        let holds = of(relation, swapped);
        let (mut all, mut none) = (true, true);
        for (possible, holds) in possible.into_iter().zip(holds) {
            all &= !possible || holds;
            none &= !possible || !holds;
        }
        match (all, none) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}

/// For which orders of t to a number `t relation number` holds; `number relation t` if `swapped`.
fn of(relation: Relation, swapped: bool) -> [bool; 3] {
    match (relation, swapped) {
        (Relation::Equal, _) => [false, true, false],
        (Relation::Less, false) => [true, false, false],
        (Relation::Less, true) => [false, false, true],
        (Relation::LessEqual, false) => [true, true, false],
        (Relation::LessEqual, true) => [false, true, true],
    }
}

impl Fact {
    /// What is known where a condition holds, or where it does not.
    fn all(terms: &Terms, condition: Term, holds: bool) -> Vec<Fact> {
        let (mut found, mut open) = (Vec::new(), vec![(condition, holds)]);
        while let Some((condition, holds)) = open.pop().filter(|_| found.len() < FACTS) {
            match (terms.node(condition), holds) {
                (Node::Not(inner), _) => open.push((inner, !holds)),
                (Node::And(a, b), true) | (Node::Or(a, b), false) => open.extend([(b, holds), (a, holds)]),
                (node, _) => {
                    found.push(Fact { condition, holds, interval: interval(terms, &node, holds) });
                }
            }
        }
        found
    }
}

fn interval(terms: &Terms, node: &Node, holds: bool) -> Option<(Term, Interval)> {
    let Node::Compare(relation, a, b) = *node else { return None };
    [(b, a, false), (a, b, true)].into_iter().find_map(|(number, other, swapped)| {
        let number = terms.as_rational(number)?.clone();
        let possible = of(relation, swapped).map(|may| may == holds);
        Some((other, Interval { number, possible }))
    })
}

/// The comparisons in shapes, each with the shapes (kind and place) that it is in.
pub(super) fn conditions(terms: &Terms, by_kind: &[Vec<Shape>]) -> Vec<(Term, Vec<(usize, usize)>)> {
    let mut found: Vec<(Term, Vec<(usize, usize)>)> = Vec::new();
    for (kind, shapes) in by_kind.iter().enumerate() {
        for (at, shape) in shapes.iter().enumerate() {
            let (mut open, mut seen) = (vec![shape.root], vec![false; terms.len()]);
            while let Some(term) = open.pop() {
                let Some(step) = term.as_node() else { continue };
                if std::mem::replace(&mut seen[step], true) {
                    continue;
                }
                let node = terms.node_at(step);
                open.extend(operands(&node).into_iter().flatten());
                if !matches!(node, Node::Compare(..)) {
                    continue;
                }
                match found.iter_mut().find(|(known, _)| *known == term) {
                    Some((_, users)) => users.push((kind, at)),
                    None => found.push((term, vec![(kind, at)])),
                }
            }
        }
    }
    found
}

impl Finder<'_> {
    /// A function in an arm of a choice, less the choices of its own that the arm knows.
    pub(super) fn find_guarded(&mut self, node: &Node) -> Option<Found> {
        let Node::Select(condition, a, b) = *node else { return None };
        [(a, b, true), (b, a, false)].into_iter().find_map(|(arm, other, holds)| {
            arm.as_node()?;
            self.matcher.facts = Fact::all(self.terms, condition, holds);
            let users = self.users_of_facts();
            let found = if users.is_empty() { None } else { self.find_by_facts(arm, &users) };
            self.matcher.facts.clear();
            let guard = Some(Guard { condition, other, holds });
            Some(Found { guard, ..found? })
        })
    }

    /// The shapes that ask what is known.
    fn users_of_facts(&mut self) -> Vec<(usize, usize)> {
        let shapes = self.shapes;
        let mut candidates: Vec<usize> = Vec::new();
        for fact in &self.matcher.facts {
            let (Node::Compare(relation, a, b), Some((of, interval))) =
                (self.terms.node(fact.condition), &fact.interval)
            else {
                continue;
            };
            let (number, swapped) = if *of == a { (b, false) } else { (a, true) };
            let step = of.as_node().map(|at| kind(&self.terms.node_at(at)));
            let may_decide = |(condition, _): &(Term, Vec<(usize, usize)>)| {
                let Node::Compare(relation, a, b) = shapes.terms.node(*condition) else { return false };
                [(b, a, false), (a, b, true)].into_iter().any(|(number, other, swapped)| {
                    let fits = other.as_node().is_none_or(|at| Some(kind(&shapes.terms.node_at(at))) == step);
                    let number = shapes.terms.as_rational(number);
                    fits && number.is_some_and(|number| interval.decides(relation, number, swapped).is_some())
                })
            };
            let asked = self.asked.entry((relation, number, swapped, fact.holds, step));
            candidates.extend(&*asked.or_insert_with(|| {
                let all = shapes.conditions.iter().enumerate();
                all.filter(|(_, condition)| may_decide(condition)).map(|(at, _)| at).collect()
            }));
        }
        let mut users: Vec<(usize, usize)> = Vec::new();
        for at in candidates {
            let (condition, of) = &shapes.conditions[at];
            let mut known = false;
            self.matcher.run(|it| {
                known = it.known(*condition).is_some();
                known
            });
            if known {
                users.extend(of);
            }
        }
        users.sort_unstable();
        users.dedup();
        users.retain(|(kind, at)| {
            let numbers = &shapes.by_kind[*kind][*at].numbers;
            numbers.is_empty() || numbers.iter().any(|number| self.present.contains(number))
        });
        users
    }

    fn find_by_facts(&mut self, arm: Term, users: &[(usize, usize)]) -> Option<Found> {
        let shapes = self.shapes;
        let mut inside = self.inside(arm);
        inside.insert(0, arm);
        inside.into_iter().find_map(|core| {
            let (row, word, bindings) = users.iter().find_map(|(kind, at)| {
                let Shape { row, root, word, .. } = shapes.by_kind[*kind][*at];
                let bindings = self.matcher.run(|it| it.matches(root, core))?;
                // What is the function as it stands is found where it stands.
                let facts = std::mem::take(&mut self.matcher.facts);
                let plain = self.matcher.run(|it| it.matches(root, core));
                self.matcher.facts = facts;
                if plain.is_some() {
                    return None;
                }
                // An arm that is a number or an argument says nothing about the function.
                let bound = bindings.iter().flatten().count();
                let asked = placeholders(&shapes.terms, root);
                (bound == asked && Some(core) != bindings[0]).then_some((row, word, bindings))
            })?;
            let steps = self.around(arm, core);
            let (negated, addend, moved) = (false, None, Some(Moved { core, steps }));
            let negative = Default::default();
            Some(Found { row, bindings, negative, word, negated, addend, moved, guard: None })
        })
    }
}

/// How many arguments a shape has.
pub(super) fn placeholders(terms: &Terms, root: Term) -> usize {
    let (mut open, mut seen) = (vec![root], vec![false; terms.len()]);
    let mut found = [false; PLACEHOLDERS];
    while let Some(term) = open.pop() {
        if let Some(placeholder) = term.as_element() {
            found[placeholder as usize] = true;
        }
        let Some(step) = term.as_node() else { continue };
        if !std::mem::replace(&mut seen[step], true) {
            open.extend(operands(&terms.node_at(step)).into_iter().flatten());
        }
    }
    found.iter().filter(|found| **found).count()
}
