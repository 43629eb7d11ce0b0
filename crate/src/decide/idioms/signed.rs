//! Functions of a negated argument.
//!
//! Of `sinf(-x)` a compiler makes no negation: the sign goes into the constants of the range reduction, into
//! the choices between x and -x, into comparisons with 0, and is lost where x is squared. Here a shape is
//! matched with its placeholder standing for the negative of what is bound: the two sides of a step are equal
//! or opposite, and which of both is worked out from the operands.
//!
//! Guarantees: a match is the shape, as a function of real numbers, with every placeholder replaced by its
//! binding or, where asked for, the negative of its binding. Every rule is an identity of reals: of sums,
//! products and quotients, of odd and even functions, of orders under negation.
//! Misses: signs that went through bit patterns; what takes more than [`MOST`] steps.

use super::shape::{Kind, Matcher};
use crate::term::{Node, Relation, Term, Unary};

/// Steps compared for one shape.
pub(super) const MOST: u32 = 20_000;

impl Matcher<'_> {
    /// Whether `term` is an instance of `shape`, or of its negative if `minus`.
    pub(super) fn matches_signed(&mut self, shape: Term, term: Term, minus: bool) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let Some(at) = shape.as_node() else { return self.leaf_signed(shape, term, minus) };
        let node = self.shapes.node_at(at);
        if let Node::Unary(Unary::Neg, inner) = node {
            return self.matches_signed(inner, term, !minus);
        }
        let other = self.terms.node(term);
        if let Node::Unary(Unary::Neg, inner) = other {
            return self.matches_signed(shape, inner, !minus);
        }
        if self.is_kept(at, term, minus) {
            return true;
        }
        let fits = self.step_signed((at, &node), (term, &other), minus);
        if fits {
            self.keep(at, term, minus);
        }
        fits
    }

    /// A placeholder or a constant.
    fn leaf_signed(&mut self, shape: Term, term: Term, minus: bool) -> bool {
        let Some(placeholder) = shape.as_element().map(|element| element as usize) else {
            return if minus { self.opposite(shape, term) } else { self.leaf_matches(shape, term) };
        };
        if minus == self.negative[placeholder] && !minus {
            return self.leaf_matches(shape, term);
        }
        // What is bound is the argument or its negative, itself without a sign where it is the negative.
        let (inner, negated) = match self.terms.node(term) {
            Node::Unary(Unary::Neg, inner) => (inner, true),
            _ => (term, false),
        };
        let differs = negated ^ minus ^ self.negative[placeholder];
        !differs && self.leaf_matches(shape, inner)
    }

    fn step_signed(&mut self, (at, shape): (usize, &Node), (term, node): (Term, &Node), minus: bool) -> bool {
        match (*shape, *node) {
            (Node::Add(..) | Node::Sub(..), Node::Add(..) | Node::Sub(..)) => {
                let ([a, (b, less)], [x, (y, fewer)]) = (summands(shape), summands(node));
                let (a, x) = (a.0, x.0);
                self.attempt(|it| {
                    it.matches_signed(a, x, minus) && it.matches_signed(b, y, minus ^ less ^ fewer)
                }) || self.attempt(|it| {
                    it.matches_signed(b, x, minus ^ less) && it.matches_signed(a, y, minus ^ fewer)
                })
            }
            (Node::Mul(a, b), Node::Mul(x, y)) => self.product_signed((a, b), (x, y), minus),
            // The addend first: mostly a constant, whose sign is seen at once.
            (Node::Fma(a, b, c), Node::Fma(x, y, z)) => {
                self.attempt(|it| it.matches_signed(c, z, minus) && it.product_signed((a, b), (x, y), minus))
            }
            (Node::Div(a, b), Node::Div(x, y)) => [false, true].into_iter().any(|part| {
                self.attempt(|it| it.matches_signed(a, x, part) && it.matches_signed(b, y, part ^ minus))
            }),
            (Node::Unary(function, a), Node::Unary(other, x)) => {
                function == other
                    && match function {
                        Unary::Abs | Unary::Cos => {
                            !minus && (self.matches_signed(a, x, false) || self.matches_signed(a, x, true))
                        }
                        _ if is_odd(function) => self.matches_signed(a, x, minus),
                        _ => !minus && self.matches_signed(a, x, false),
                    }
            }
            (Node::Max(a, b), Node::Max(x, y)) | (Node::Min(a, b), Node::Min(x, y)) => {
                !minus && self.pair_signed((a, b), (x, y), false)
            }
            // -max(a, b) = min(-a, -b)
            (Node::Max(a, b), Node::Min(x, y)) | (Node::Min(a, b), Node::Max(x, y)) => {
                minus && self.pair_signed((a, b), (x, y), true)
            }
            (Node::Select(condition, a, b), Node::Select(asked, x, y)) => {
                [(false, x, y), (true, y, x)].into_iter().any(|(contrary, x, y)| {
                    self.attempt(|it| {
                        it.condition_signed(condition, asked, contrary)
                            && it.matches_signed(a, x, minus)
                            && it.matches_signed(b, y, minus)
                    })
                })
            }
            (Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..), _) => {
                !minus && self.condition_signed(Term::from_node(at), term, false)
            }
            _ => !minus && self.same_signed(at, term),
        }
    }

    /// A product, whose factors may both have changed their sign.
    pub(super) fn product_signed(&mut self, (a, b): (Term, Term), (x, y): (Term, Term), minus: bool) -> bool {
        [(x, y), (y, x)].into_iter().any(|(x, y)| {
            [false, true].into_iter().any(|part| {
                self.attempt(|it| it.matches_signed(a, x, part) && it.matches_signed(b, y, part ^ minus))
            })
        })
    }

    /// Both operands, in either order.
    fn pair_signed(&mut self, (a, b): (Term, Term), (x, y): (Term, Term), minus: bool) -> bool {
        [(x, y), (y, x)]
            .into_iter()
            .any(|(x, y)| self.attempt(|it| it.matches_signed(a, x, minus) && it.matches_signed(b, y, minus)))
    }

    /// Whether a condition holds where the shape's does, or where that does not if `contrary`.
    fn condition_signed(&mut self, shape: Term, term: Term, contrary: bool) -> bool {
        if let Node::Not(inner) = self.shapes.node(shape) {
            return self.condition_signed(inner, term, !contrary);
        }
        if let Node::Not(inner) = self.terms.node(term) {
            return self.condition_signed(shape, inner, !contrary);
        }
        match (self.shapes.node(shape), self.terms.node(term)) {
            (Node::And(a, b), Node::And(x, y)) | (Node::Or(a, b), Node::Or(x, y)) if !contrary => {
                self.conditions_signed((a, b), (x, y), false)
            }
            (Node::And(a, b), Node::Or(x, y)) | (Node::Or(a, b), Node::And(x, y)) if contrary => {
                self.conditions_signed((a, b), (x, y), true)
            }
            (Node::Compare(Relation::Equal, a, b), Node::Compare(Relation::Equal, x, y)) => {
                !contrary && [false, true].into_iter().any(|minus| self.pair_signed((a, b), (x, y), minus))
            }
            (Node::Compare(relation, a, b), Node::Compare(asked, x, y)) => {
                // Not x < y is y ≤ x.
                let (asked, x, y) = match (asked, contrary) {
                    (Relation::Less, true) => (Relation::LessEqual, y, x),
                    (Relation::LessEqual, true) => (Relation::Less, y, x),
                    _ => (asked, x, y),
                };
                // a < b is -b < -a.
                relation == asked
                    && [(x, y, false), (y, x, true)].into_iter().any(|(x, y, minus)| {
                        self.attempt(|it| it.matches_signed(a, x, minus) && it.matches_signed(b, y, minus))
                    })
            }
            (_, _) => match shape.as_node() {
                Some(at) if !contrary => self.same_signed(at, term),
                _ => false,
            },
        }
    }

    fn conditions_signed(&mut self, (a, b): (Term, Term), (x, y): (Term, Term), contrary: bool) -> bool {
        [(x, y), (y, x)].into_iter().any(|(x, y)| {
            self.attempt(|it| it.condition_signed(a, x, contrary) && it.condition_signed(b, y, contrary))
        })
    }

    /// The same operation on the same operands.
    fn same_signed(&mut self, at: usize, term: Term) -> bool {
        let Some(node) = term.as_node() else { return false };
        let (operation, [x, y, z]) = self.terms.step_at(node);
        let steps = self.steps;
        let step = &steps[at];
        let [a, b, c] = step.operands;
        if operation != step.operation && !matches!(step.kind, Kind::Named) {
            return false;
        }
        match step.kind {
            Kind::Named => {
                self.same_name(at, node)
                    && self.attempt(|it| it.matches_signed(a, x, false) && it.matches_signed(b, y, false))
            }
            Kind::Ordered(count) => self.attempt(|it| {
                let pairs = [(a, x), (b, y), (c, z)];
                pairs.into_iter().take(count).all(|(shape, term)| it.matches_signed(shape, term, false))
            }),
            Kind::Commutative(count) => self.attempt(|it| {
                it.pair_signed((a, b), (x, y), false) && (count < 3 || it.matches_signed(c, z, false))
            }),
            Kind::Literal => [a, b, c] == [x, y, z],
            Kind::Sum | Kind::Never => false,
        }
    }
}

/// The summands of a sum or difference, and which are subtracted.
fn summands(node: &Node) -> [(Term, bool); 2] {
    match *node {
        Node::Sub(a, b) => [(a, false), (b, true)],
        Node::Add(a, b) => [(a, false), (b, false)],
        _ => unreachable!("{node:?} is no sum"),
    }
}

/// Whether `f(-x) = -f(x)` for all x.
fn is_odd(function: Unary) -> bool {
    use Unary::*;
    matches!(function, Recip | Sin | Tanh | Erf | Atan | Cbrt | Trunc | RoundEven)
}
