//! Which terms of a store are built alike.
//!
//! A store finds what was built lately, and builds the rest twice ([`super::recent`]): two terms with one number are
//! the same expression, but not the other way round.
//!
//! Guarantees: terms that are alike are the same expression, up to the order of operands that commute, and to where
//! conditions are negated.
//! Misses: laws of numbers.

use super::eval::{operands, with_operands};
use super::{Node, Relation, Term, Terms};
use rustc_hash::FxHashMap;

/// A term that others are like, or a condition that others are the negation of.
type Like = (Term, bool);

/// What a term is built of.
#[derive(PartialEq, Eq, Hash)]
enum Built {
    Node(Node),
    /// One of two conditions, each as it is or negated.
    Either([Like; 2]),
    /// A choice by a condition, of numbers or of conditions.
    Choice(Term, Like, Like),
}

/// The first of all terms met that is built like each.
#[derive(Default)]
pub struct Likeness {
    first: FxHashMap<Term, Like>,
    built: FxHashMap<Built, Term>,
}

impl Likeness {
    /// Whether two terms are built alike.
    pub fn alike(&mut self, terms: &Terms, one: Term, other: Term) -> bool {
        one == other || self.first(terms, one) == self.first(terms, other)
    }

    fn first(&mut self, terms: &Terms, root: Term) -> Like {
        let mut open = vec![(root, false)];
        while let Some((term, ready)) = open.pop() {
            if term.as_node().is_none() || self.first.contains_key(&term) {
                continue;
            }
            let node = terms.node(term);
            if !ready {
                open.push((term, true));
                open.extend(operands(&node).into_iter().flatten().map(|operand| (operand, false)));
                continue;
            }
            let own = self.of_node(term, &node);
            self.first.insert(term, own);
        }
        self.known(root)
    }

    fn known(&self, term: Term) -> Like {
        self.first.get(&term).copied().unwrap_or((term, false))
    }

    fn of_node(&mut self, term: Term, node: &Node) -> Like {
        let known = |term: Term| self.known(term);
        let opposite = |(term, negated): Like| (term, !negated);
        let (built, negated) = match *node {
            Node::Not(a) => return opposite(known(a)),
            Node::Or(a, b) => (Built::Either([known(a), known(b)]), false),
            Node::And(a, b) => (Built::Either([known(a), known(b)].map(opposite)), true),
            Node::Select(condition, a, b) => {
                let ((condition, negated), a, b) = (known(condition), known(a), known(b));
                let (a, b) = if negated { (b, a) } else { (a, b) };
                (Built::Choice(condition, a, b), false)
            }
            // What is made of a condition in another way is like nothing else.
            ref other if operands(other).into_iter().flatten().any(|operand| known(operand).1) => {
                return (term, false);
            }
            ref other => (Built::Node(in_order(with_operands(other, |operand| known(operand).0))), false),
        };
        let built = match built {
            Built::Either([a, b]) => Built::Either([a.min(b), a.max(b)]),
            node => node,
        };
        (*self.built.entry(built).or_insert(term), negated)
    }
}

/// A node with operands that commute in one order.
fn in_order(node: Node) -> Node {
    let two = |a: Term, b: Term| (a.min(b), a.max(b));
    match node {
        Node::Add(a, b) => Node::Add(two(a, b).0, two(a, b).1),
        Node::Mul(a, b) => Node::Mul(two(a, b).0, two(a, b).1),
        Node::Fma(a, b, c) => Node::Fma(two(a, b).0, two(a, b).1, c),
        Node::Max(a, b) => Node::Max(two(a, b).0, two(a, b).1),
        Node::Min(a, b) => Node::Min(two(a, b).0, two(a, b).1),
        Node::Compare(Relation::Equal, a, b) => Node::Compare(Relation::Equal, two(a, b).0, two(a, b).1),
        Node::Bits(op, width, a, b, c) if op.commutes() => Node::Bits(op, width, two(a, b).0, two(a, b).1, c),
        node => node,
    }
}
