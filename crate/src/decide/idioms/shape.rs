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

use crate::term::{BitOp, Node, Relation, Term, Terms};

/// The most placeholders that a shape has.
pub(super) const PLACEHOLDERS: usize = 2;

/// What the placeholders stand for.
pub(super) type Bindings = [Option<Term>; PLACEHOLDERS];

/// One attempt to match.
pub(super) struct Matcher<'a> {
    shapes: &'a Terms,
    /// For each constant of `shapes`, the first that is the same number.
    same: &'a [usize],
    terms: &'a Terms,
    /// For each constant of `terms`, the first of `shapes` that is the same number.
    numbers: &'a [Option<usize>],
    pub(super) bindings: Bindings,
    /// Pairs that are known to match under the bindings so far.
    matched: Vec<(Term, Term)>,
}

impl<'a> Matcher<'a> {
    /// Shapes and terms, each with the numbers that their constants are.
    pub(super) fn new(
        (shapes, same): (&'a Terms, &'a [usize]),
        (terms, numbers): (&'a Terms, &'a [Option<usize>]),
    ) -> Self {
        let matched = Vec::with_capacity(32);
        Matcher { shapes, same, terms, numbers, bindings: [None; PLACEHOLDERS], matched }
    }

    /// Whether `term` is an instance of `shape`; extends the bindings if so.
    pub(super) fn matches(&mut self, shape: Term, term: Term) -> bool {
        if let Some(placeholder) = shape.as_element() {
            let binding = &mut self.bindings[placeholder as usize];
            return *binding.get_or_insert(term) == term;
        }
        if let Some(constant) = shape.as_constant() {
            return term.as_constant().is_some_and(|id| self.numbers[id] == Some(self.same[constant]));
        }
        if term.as_node().is_none() {
            return false;
        }
        if self.matched.contains(&(shape, term)) {
            return true;
        }
        let fits = self.node_matches(&self.shapes.node(shape), &self.terms.node(term));
        if fits {
            self.matched.push((shape, term));
        }
        fits
    }

    fn node_matches(&mut self, shape: &Node, term: &Node) -> bool {
        match (*shape, *term) {
            (Node::Add(a, b), Node::Add(x, y))
            | (Node::Mul(a, b), Node::Mul(x, y))
            | (Node::Max(a, b), Node::Max(x, y))
            | (Node::Min(a, b), Node::Min(x, y))
            | (Node::And(a, b), Node::And(x, y))
            | (Node::Or(a, b), Node::Or(x, y)) => self.either_order((a, b), (x, y)),
            (Node::Fma(a, b, c), Node::Fma(x, y, z)) => {
                self.attempt(|this| this.either_order((a, b), (x, y)) && this.matches(c, z))
            }
            (Node::Sub(a, b), Node::Sub(x, y)) | (Node::Div(a, b), Node::Div(x, y)) => {
                self.both((a, b), (x, y))
            }
            // Adding a constant is subtracting its negative.
            (Node::Add(a, b), Node::Sub(x, y)) => {
                self.opposite(b, y) && self.matches(a, x) || self.opposite(a, y) && self.matches(b, x)
            }
            (Node::Unary(f, a), Node::Unary(g, x)) => f == g && self.matches(a, x),
            (Node::Select(a, b, c), Node::Select(x, y, z)) => {
                self.attempt(|this| this.matches(a, x) && this.matches(b, y) && this.matches(c, z))
            }
            (Node::Round(m, f, a), Node::Round(n, g, x)) => (m, f) == (n, g) && self.matches(a, x),
            (Node::Compare(r, a, b), Node::Compare(s, x, y)) => {
                r == s
                    && if r == Relation::Equal {
                        self.either_order((a, b), (x, y))
                    } else {
                        self.both((a, b), (x, y))
                    }
            }
            (Node::Not(a), Node::Not(x)) => self.matches(a, x),
            (Node::BitsOf(f, a), Node::BitsOf(g, x)) | (Node::FromBits(f, a), Node::FromBits(g, x)) => {
                f == g && self.matches(a, x)
            }
            (Node::BitConstant(bits), Node::BitConstant(other)) => bits == other,
            (Node::Bits(op, width, a, b, c), Node::Bits(other, wide, x, y, z)) => {
                let commutes = matches!(op, BitOp::And | BitOp::Or | BitOp::Xor | BitOp::Add | BitOp::Mul);
                (op, width) == (other, wide)
                    && self.attempt(|this| {
                        let two = if commutes {
                            this.either_order((a, b), (x, y))
                        } else {
                            this.both((a, b), (x, y))
                        };
                        two && this.matches(c, z)
                    })
            }
            _ => false,
        }
    }

    /// Whether both are constants, one the negative of the other.
    fn opposite(&self, shape: Term, term: Term) -> bool {
        match (self.shapes.as_rational(shape), self.terms.as_rational(term)) {
            (Some(expected), Some(found)) => *expected == -found,
            _ => false,
        }
    }

    /// Both operands, in order.
    fn both(&mut self, (a, b): (Term, Term), (x, y): (Term, Term)) -> bool {
        self.attempt(|this| this.matches(a, x) && this.matches(b, y))
    }

    /// Both operands, in either order.
    pub(super) fn either_order(&mut self, shape: (Term, Term), (x, y): (Term, Term)) -> bool {
        self.both(shape, (x, y)) || self.both(shape, (y, x))
    }

    /// Runs a step; if it fails, forgets what it bound.
    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> bool) -> bool {
        let (bindings, matched) = (self.bindings, self.matched.len());
        let fits = step(self);
        if !fits {
            self.bindings = bindings;
            self.matched.truncate(matched);
        }
        fits
    }
}
