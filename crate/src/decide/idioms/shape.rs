//! Matching a shape (a term over placeholders) against a term of a kernel.
//!
//! A shape is built with the same constructors as the terms it should match, so whatever they
//! simplify they simplify on both sides; placeholder `i` is element `i` of the shape's store.
//! Operands of commutative operations stand in the order of their ids, which says nothing here, so
//! both orders are tried. Constants must be equal numbers: one unit in the last place off is
//! another program.
//!
//! Guarantees: a match is the shape with every placeholder replaced by its one binding.
//! Misses: an order that fits at first and fails later is not taken back. Depth is that of the
//! shape, never that of the term.

use super::guarded::Fact;
use crate::term::eval::operands;
use crate::term::{BitOp, Node, Relation, Term, Terms};
use rustc_hash::FxHashSet;

/// The most placeholders that a shape has.
pub(super) const PLACEHOLDERS: usize = 2;

/// What the placeholders stand for.
pub(super) type Bindings = [Option<Term>; PLACEHOLDERS];

/// A step of a shape, made ready for being compared.
pub(super) struct Step {
    /// The operation, and what stands with it, as [`Terms::step_at`] has it.
    pub(super) operation: u32,
    pub(super) operands: [Term; 3],
    pub(super) kind: Kind,
    /// Of a choice: whether most of it stands where its condition holds.
    main: Option<bool>,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// That many operands, in order.
    Ordered(usize),
    /// That many, of which the first two commute.
    Commutative(usize),
    /// A sum: adding a constant is also subtracting its negative.
    Sum,
    /// A function by its name: each store counts its own.
    Named,
    /// No operands: the same bits.
    Literal,
    /// Matches nothing.
    Never,
}

impl Step {
    /// All steps of a store of shapes.
    pub(super) fn all(shapes: &Terms) -> Vec<Step> {
        let step = |at: usize| {
            let kind = match shapes.node_at(at) {
                Node::Add(..) => Kind::Sum,
                Node::Mul(..) | Node::Max(..) | Node::Min(..) | Node::And(..) | Node::Or(..) => {
                    Kind::Commutative(2)
                }
                Node::Compare(Relation::Equal, ..) => Kind::Commutative(2),
                Node::Fma(..) => Kind::Commutative(3),
                Node::Bits(op, ..) => match op {
                    BitOp::And | BitOp::Or | BitOp::Xor | BitOp::Add | BitOp::Mul => Kind::Commutative(3),
                    _ => Kind::Ordered(3),
                },
                Node::Sub(..) | Node::Div(..) | Node::Compare(..) => Kind::Ordered(2),
                Node::Select(..) => Kind::Ordered(3),
                Node::Unary(..) | Node::Round(..) | Node::Not(_) | Node::BitsOf(..) | Node::FromBits(..) => {
                    Kind::Ordered(1)
                }
                Node::BitConstant(_) => Kind::Literal,
                Node::Apply(..) => Kind::Named,
                Node::Element(_) | Node::Constant(_) => Kind::Never,
            };
            let (operation, operands) = shapes.step_at(at);
            let main = match shapes.node_at(at) {
                Node::Select(_, a, b) => {
                    let (a, b) = (size(shapes, a), size(shapes, b));
                    (a != b).then_some(a > b)
                }
                _ => None,
            };
            Step { operation, operands, kind, main }
        };
        (0..shapes.len()).map(step).collect()
    }
}

/// How many steps a term of a shape has.
fn size(shapes: &Terms, term: Term) -> usize {
    let (mut open, mut seen) = (vec![term], FxHashSet::default());
    while let Some(term) = open.pop() {
        if let Some(step) = term.as_node()
            && seen.insert(step)
        {
            open.extend(operands(&shapes.node_at(step)).into_iter().flatten());
        }
    }
    seen.len()
}

/// Matches shapes, one after the other.
pub(super) struct Matcher<'a> {
    pub(super) shapes: &'a Terms,
    pub(super) steps: &'a [Step],
    /// For each constant of `shapes`, the first that is the same number.
    same: &'a [usize],
    pub(super) terms: &'a Terms,
    /// For each constant of `terms`, the first of `shapes` that is the same number.
    numbers: &'a [Option<usize>],
    pub(super) bindings: Bindings,
    /// What is known about conditions where the term stands.
    pub(super) facts: Vec<Fact>,
    /// The placeholders that stand for the negative of what is bound ([`super::signed`]).
    pub(super) negative: [bool; PLACEHOLDERS],
    /// Steps that may still be compared with signs.
    pub(super) left: u32,
    /// For each step of `shapes`, a term that is known to match under the bindings so far, or whose negative
    /// is.
    matched: Vec<Option<(Term, bool)>>,
    /// The steps for which there is one, in the order they were found.
    trail: Vec<u32>,
}

impl<'a> Matcher<'a> {
    /// Shapes (their steps, and the numbers that their constants are) and terms.
    pub(super) fn new(
        (shapes, steps, same): (&'a Terms, &'a [Step], &'a [usize]),
        (terms, numbers): (&'a Terms, &'a [Option<usize>]),
    ) -> Self {
        let matched = vec![None; steps.len()];
        let trail = Vec::with_capacity(steps.len());
        let (bindings, facts) = ([None; PLACEHOLDERS], Vec::new());
        let negative = [false; PLACEHOLDERS];
        Matcher { shapes, steps, same, terms, numbers, bindings, facts, negative, left: 0, matched, trail }
    }

    /// What the placeholders stand for if all of `matches` match, from the beginning.
    pub(super) fn run(&mut self, matches: impl FnOnce(&mut Self) -> bool) -> Option<Bindings> {
        let fits = matches(self);
        let bindings = self.bindings;
        self.undo([None; PLACEHOLDERS], 0);
        fits.then_some(bindings)
    }

    /// Whether `term` is an instance of `shape`; extends the bindings if so.
    pub(super) fn matches(&mut self, shape: Term, term: Term) -> bool {
        self.matches_as_it_is(shape, term) || !self.facts.is_empty() && self.matches_by_facts(shape, term)
    }

    fn matches_as_it_is(&mut self, shape: Term, term: Term) -> bool {
        let Some(at) = shape.as_node() else { return self.leaf_matches(shape, term) };
        let Some(node) = term.as_node() else { return false };
        if self.matched[at] == Some((term, false)) {
            return true;
        }
        let (operation, [x, y, z]) = self.terms.step_at(node);
        let steps = self.steps;
        let Step { operation: expected, operands: [a, b, c], kind, .. } = steps[at];
        let fits = match kind {
            Kind::Named => {
                self.same_name(at, node) && self.attempt(|this| this.matches(a, x) && this.matches(b, y))
            }
            Kind::Sum if operation != expected => self.matches_difference((a, b), node),
            _ if operation != expected => false,
            Kind::Ordered(1) => self.matches(a, x),
            Kind::Ordered(2) => self.attempt(|this| this.matches(a, x) && this.matches(b, y)),
            Kind::Ordered(_) => {
                self.attempt(|this| this.matches(a, x) && this.matches(b, y) && this.matches(c, z))
            }
            Kind::Sum | Kind::Commutative(2) => self.either_order((a, b), (x, y)),
            Kind::Commutative(_) => {
                self.attempt(|this| this.either_order((a, b), (x, y)) && this.matches(c, z))
            }
            Kind::Literal => [a, b, c] == [x, y, z],
            Kind::Never => false,
        };
        if fits {
            self.keep(at, term, false);
        }
        fits
    }

    /// Whether both are the same function's value.
    pub(super) fn same_name(&self, at: usize, node: usize) -> bool {
        match (self.shapes.node_at(at), self.terms.node_at(node)) {
            (Node::Apply(expected, ..), Node::Apply(found, ..)) => {
                self.shapes.function_name(expected) == self.terms.function_name(found)
            }
            _ => false,
        }
    }

    /// A placeholder or a constant.
    pub(super) fn leaf_matches(&mut self, shape: Term, term: Term) -> bool {
        if let Some(placeholder) = shape.as_element() {
            let binding = &mut self.bindings[placeholder as usize];
            return *binding.get_or_insert(term) == term;
        }
        match (shape.as_constant(), term.as_constant()) {
            (Some(expected), Some(found)) => self.numbers[found] == Some(self.same[expected]),
            _ => false,
        }
    }

    /// Adding a constant is subtracting its negative.
    fn matches_difference(&mut self, (a, b): (Term, Term), node: usize) -> bool {
        let Node::Sub(x, y) = self.terms.node_at(node) else { return false };
        self.opposite(b, y) && self.matches(a, x) || self.opposite(a, y) && self.matches(b, x)
    }

    /// Whether both are constants, one the negative of the other.
    pub(super) fn opposite(&self, shape: Term, term: Term) -> bool {
        match (self.shapes.as_rational(shape), self.terms.as_rational(term)) {
            (Some(expected), Some(found)) => *expected == -found,
            _ => false,
        }
    }

    /// Both operands, in either order.
    pub(super) fn either_order(&mut self, (a, b): (Term, Term), (x, y): (Term, Term)) -> bool {
        self.attempt(|this| this.matches(a, x) && this.matches(b, y))
            || self.attempt(|this| this.matches(a, y) && this.matches(b, x))
    }

    /// A choice of the shape whose condition is known, so that one of its arms stands for it; of two
    /// conditions, the one that is not known.
    fn matches_by_facts(&mut self, shape: Term, term: Term) -> bool {
        if shape.as_node().is_none() {
            return false;
        }
        let (first, second, neutral) = match self.shapes.node(shape) {
            Node::Select(condition, a, b) => {
                let main = self.steps[shape.as_node().expect("a step")].main;
                return self.attempt(|this| match this.known(condition) {
                    Some(holds) if Some(holds) == main => this.matches(if holds { a } else { b }, term),
                    _ => false,
                });
            }
            Node::Or(a, b) => (a, b, false),
            Node::And(a, b) => (a, b, true),
            _ => return false,
        };
        [(first, second), (second, first)].into_iter().any(|(known, open)| {
            self.attempt(|this| this.known(known) == Some(neutral) && this.matches(open, term))
        })
    }

    /// Whether a condition of the shape holds, where that is known.
    pub(super) fn known(&mut self, shape: Term) -> Option<bool> {
        match self.shapes.node(shape) {
            Node::Not(inner) => return self.known(inner).map(|holds| !holds),
            Node::Or(a, b) | Node::And(a, b) => {
                let is_or = matches!(self.shapes.node(shape), Node::Or(..));
                let (a, b) = (self.known(a), self.known(b));
                return match (a, b) {
                    (Some(holds), _) | (_, Some(holds)) if holds == is_or => Some(is_or),
                    (Some(_), Some(_)) => Some(!is_or),
                    _ => None,
                };
            }
            _ => {}
        }
        let facts = std::mem::take(&mut self.facts);
        let found = facts.iter().find_map(|fact| {
            let same = self.attempt(|this| this.matches_as_it_is(shape, fact.condition));
            if same { Some(fact.holds) } else { self.implied(shape, fact) }
        });
        self.facts = facts;
        found
    }

    /// Whether a comparison of something with a number holds, by another one of the same.
    fn implied(&mut self, shape: Term, fact: &Fact) -> Option<bool> {
        let Node::Compare(relation, a, b) = self.shapes.node(shape) else { return None };
        let (of, interval) = fact.interval.as_ref()?;
        for (number, other, swapped) in [(b, a, false), (a, b, true)] {
            let Some(value) = self.shapes.as_rational(number) else { continue };
            let Some(holds) = interval.decides(relation, value, swapped) else { continue };
            if self.attempt(|this| this.matches_as_it_is(other, *of)) {
                return Some(holds);
            }
        }
        None
    }

    /// Whether a step is known to match a term, or its negative.
    pub(super) fn is_kept(&self, at: usize, term: Term, minus: bool) -> bool {
        self.matched[at] == Some((term, minus))
    }

    /// Remembers that a step matches a term, or its negative.
    pub(super) fn keep(&mut self, at: usize, term: Term, minus: bool) {
        self.matched[at] = Some((term, minus));
        self.trail.push(at as u32);
    }

    /// Runs a step; if it fails, forgets what it bound.
    #[inline]
    pub(super) fn attempt(&mut self, step: impl FnOnce(&mut Self) -> bool) -> bool {
        let (bindings, known) = (self.bindings, self.trail.len());
        let fits = step(self);
        if !fits {
            self.undo(bindings, known);
        }
        fits
    }

    /// Back to these bindings, and to the first so many steps.
    fn undo(&mut self, bindings: Bindings, known: usize) {
        self.bindings = bindings;
        for at in self.trail.drain(known..) {
            self.matched[at as usize] = None;
        }
    }
}
