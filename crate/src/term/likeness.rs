//! Which terms of a store are built alike.
//!
//! A store finds what was built lately, and builds the rest twice ([`super::recent`]): two terms with one number are
//! the same expression, but not the other way round.
//!
//! Guarantees: terms are alike exactly if they are the same expression, up to the order of operands that commute.

use super::eval::{operands, with_operands};
use super::{Node, Term, Terms};
use rustc_hash::FxHashMap;

/// The first of all terms met that is built like each.
#[derive(Default)]
pub struct Likeness {
    first: FxHashMap<Term, Term>,
    built: FxHashMap<Node, Term>,
}

impl Likeness {
    /// Whether two terms are built alike.
    pub fn alike(&mut self, terms: &Terms, one: Term, other: Term) -> bool {
        one == other || self.first(terms, one) == self.first(terms, other)
    }

    fn first(&mut self, terms: &Terms, root: Term) -> Term {
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
            let node = with_operands(&node, |operand| self.first.get(&operand).copied().unwrap_or(operand));
            let first = *self.built.entry(in_order(node)).or_insert(term);
            self.first.insert(term, first);
        }
        self.first.get(&root).copied().unwrap_or(root)
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
        Node::And(a, b) => Node::And(two(a, b).0, two(a, b).1),
        Node::Or(a, b) => Node::Or(two(a, b).0, two(a, b).1),
        node => node,
    }
}
