//! Roots outside of what compares and chooses them: `max(√q, c)` is `√max(q, c²)`.
//!
//! Numbers that are not negative compare as their squares do. So where a root meets a number, another root or a
//! product of such, the maximum, minimum, comparison or choice is made of the squares, and the root is taken of what
//! comes out: a norm is limited in one way, whether the norm is or what it is the root of. So it is with 1/√q, which
//! falls where q grows.
//!
//! Guarantees: the new cone's roots are the old one's wherever these are defined.
//! Misses: radicands that are not seen to be sums, products and quotients of what is not negative; √x², which is
//! |x| by now; and `q > 0 ? q / √q : 0` beside √q.

use crate::decide::Meaning;
use crate::term::eval::{Cone, operands, with_operands};
use crate::term::{Node, Term, Unary, never_negative};

/// Factors within one another.
const DEEPEST: u32 = 8;

struct Squaring<'a> {
    old: &'a Cone,
    meanings: &'a [Meaning],
    steps: Vec<Node>,
    nodes: Vec<u32>,
    /// Which steps are nowhere negative.
    not_negative: Vec<bool>,
    of: usize,
}

impl Squaring<'_> {
    fn push(&mut self, node: Node) -> Term {
        let own = never_negative(&node, |term| self.is_not_negative(term));
        self.steps.push(node);
        self.nodes.push(self.old.node(self.of).raw());
        self.not_negative.push(own);
        Term::from_node(self.steps.len() - 1)
    }

    fn is_not_negative(&self, term: Term) -> bool {
        match (term.as_node(), term.as_constant()) {
            (Some(step), _) => self.not_negative[step],
            (_, Some(constant)) => {
                matches!(&self.meanings[constant], Meaning::Number(exact) if !exact.is_negative())
            }
            _ => false,
        }
    }

    /// Whether a number has a square that is made here, and whether that has a root less.
    fn has_square(&self, term: Term, depth: u32) -> Option<bool> {
        if depth == DEEPEST || !self.is_not_negative(term) {
            return None;
        }
        let both = |a: Term, b: Term| {
            let (a, b) = (self.has_square(a, depth + 1)?, self.has_square(b, depth + 1)?);
            Some(a || b)
        };
        let parts = match term.as_node().map(|step| self.steps[step]) {
            Some(Node::Unary(Unary::Sqrt | Unary::Rsqrt, a)) => self.is_not_negative(a).then_some(true),
            Some(Node::Mul(a, b) | Node::Div(a, b)) => both(a, b),
            Some(Node::Unary(Unary::Recip, a)) => self.has_square(a, depth + 1),
            _ => None,
        };
        Some(parts.unwrap_or(false))
    }

    fn square(&mut self, term: Term, depth: u32) -> Term {
        if self.has_square(term, depth) == Some(true)
            && let Some(step) = term.as_node()
        {
            let node = match self.steps[step] {
                Node::Unary(Unary::Sqrt, a) => return a,
                Node::Unary(Unary::Rsqrt, a) => Node::Unary(Unary::Recip, a),
                Node::Mul(a, b) => Node::Mul(self.square(a, depth + 1), self.square(b, depth + 1)),
                Node::Div(a, b) => Node::Div(self.square(a, depth + 1), self.square(b, depth + 1)),
                Node::Unary(Unary::Recip, a) => Node::Unary(Unary::Recip, self.square(a, depth + 1)),
                node => node,
            };
            return self.push(node);
        }
        match term {
            Term::ZERO | Term::ONE => term,
            _ => self.push(Node::Mul(term, term)),
        }
    }

    fn is_positive_constant(&self, term: Term) -> bool {
        self.is_not_negative(term) && term.as_constant().is_some() && term != Term::ZERO
    }

    /// Whether a number is a constant over a root.
    fn is_over_root(&self, term: Term, depth: u32) -> bool {
        let is_root = |term: Term| self.has_square(term, depth + 1) == Some(true);
        match term.as_node().filter(|_| depth < DEEPEST).map(|step| self.steps[step]) {
            Some(Node::Unary(Unary::Rsqrt, a)) => self.is_not_negative(a),
            Some(Node::Unary(Unary::Recip, a)) => is_root(a) && !self.is_over_root(a, depth + 1),
            Some(Node::Div(a, b)) => {
                self.is_positive_constant(a) && is_root(b) && !self.is_over_root(b, depth + 1)
            }
            Some(Node::Mul(a, b)) => {
                self.is_positive_constant(a) && self.is_over_root(b, depth + 1)
                    || self.is_positive_constant(b) && self.is_over_root(a, depth + 1)
            }
            _ => false,
        }
    }

    /// 1 over the square of such a number, or of a constant.
    fn over_square(&mut self, term: Term, depth: u32) -> Term {
        let by_square = |this: &mut Self, own: Term, constant: Term| {
            if constant == Term::ONE {
                return own;
            }
            let square = this.push(Node::Mul(constant, constant));
            this.push(Node::Div(own, square))
        };
        match term.as_node().map(|step| self.steps[step]) {
            Some(Node::Unary(Unary::Rsqrt, a)) => a,
            Some(Node::Unary(Unary::Recip, a)) => self.square(a, depth + 1),
            Some(Node::Div(a, b)) => {
                let own = self.square(b, depth + 1);
                by_square(self, own, a)
            }
            Some(Node::Mul(a, b)) => {
                let (constant, other) = if a.as_constant().is_some() { (a, b) } else { (b, a) };
                let own = self.over_square(other, depth + 1);
                by_square(self, own, constant)
            }
            _ => by_square(self, Term::ONE, term),
        }
    }

    /// A comparison, extreme or choice of roots, with the root outside of it.
    fn outside(&mut self, node: &Node) -> Option<Term> {
        let (a, b) = match *node {
            Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => (a, b),
            _ => return None,
        };
        let over = [a, b].map(|side| self.is_over_root(side, 0));
        let is_inverse = [a, b].iter().zip(over).all(|(side, over)| over || self.is_positive_constant(*side));
        let (parts, root) = if is_inverse && over.contains(&true) {
            ([a, b].map(|side| self.over_square(side, 0)), Unary::Rsqrt)
        } else {
            let roots = [self.has_square(a, 0)?, self.has_square(b, 0)?];
            if !roots.contains(&true) {
                return None;
            }
            ([a, b].map(|side| self.square(side, 0)), Unary::Sqrt)
        };
        let [x, y] = parts;
        let falls = root == Unary::Rsqrt;
        let inside = match *node {
            Node::Compare(relation, ..) if falls => return Some(self.push(Node::Compare(relation, y, x))),
            Node::Compare(relation, ..) => return Some(self.push(Node::Compare(relation, x, y))),
            Node::Select(condition, ..) => Node::Select(condition, x, y),
            Node::Max(..) if falls => Node::Min(x, y),
            Node::Min(..) if falls => Node::Max(x, y),
            Node::Max(..) => Node::Max(x, y),
            _ => Node::Min(x, y),
        };
        let inside = self.push(inside);
        // What the root asks of it, the list of assumptions says of what the kernel takes the root of.
        let radicand = parts.into_iter().find_map(Term::as_node);
        if let (Some(step), Some(own)) = (radicand, inside.as_node()) {
            self.nodes[own] = self.nodes[step];
        }
        Some(self.push(Node::Unary(root, inside)))
    }
}

/// A cone with roots outside of what compares them; none if there is no such place.
pub(super) fn squared(old: &Cone, meanings: &[Meaning]) -> Option<Cone> {
    let is_root = |node: &Node| matches!(node, Node::Unary(Unary::Sqrt | Unary::Rsqrt, _));
    if !old.steps().iter().any(is_root) {
        return None;
    }
    let count = old.steps().len();
    let mut new = Squaring {
        old,
        meanings,
        steps: Vec::with_capacity(count),
        nodes: Vec::with_capacity(count),
        not_negative: Vec::with_capacity(count),
        of: 0,
    };
    let mut places: Vec<Term> = Vec::with_capacity(count);
    let mut found = false;
    for (at, step) in old.steps().iter().enumerate() {
        new.of = at;
        let node = with_operands(step, |term| term.as_node().map_or(term, |step| places[step]));
        let outside = new.outside(&node);
        found |= outside.is_some();
        let place = outside.unwrap_or_else(|| new.push(node));
        places.push(place);
    }
    let place = |term: &Term| term.as_node().map_or(*term, |step| places[step]);
    let roots = old.roots().iter().map(place).collect();
    let Squaring { steps, nodes, .. } = new;
    // What only stood under a root is not evaluated.
    found.then(|| reached(old, steps, nodes, roots))
}

/// The cone of what roots reach.
fn reached(old: &Cone, steps: Vec<Node>, nodes: Vec<u32>, roots: Vec<Term>) -> Cone {
    let mut needed = vec![false; steps.len()];
    roots.iter().filter_map(|root| root.as_node()).for_each(|step| needed[step] = true);
    for at in (0..steps.len()).rev() {
        if needed[at] {
            for operand in operands(&steps[at]).into_iter().flatten() {
                if let Some(step) = operand.as_node() {
                    needed[step] = true;
                }
            }
        }
    }
    let mut places = vec![Term::ZERO; steps.len()];
    let (mut kept, mut of) = (Vec::new(), Vec::new());
    for (at, node) in steps.iter().enumerate().filter(|(at, _)| needed[*at]) {
        kept.push(with_operands(node, |term| term.as_node().map_or(term, |step| places[step])));
        of.push(nodes[at]);
        places[at] = Term::from_node(kept.len() - 1);
    }
    let roots = roots.iter().map(|root| root.as_node().map_or(*root, |step| places[step])).collect();
    old.rewritten(kept, of, roots, &[Term::ZERO, Term::ONE])
}
