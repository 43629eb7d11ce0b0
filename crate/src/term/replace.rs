//! Terms in which others stand in the place of some.
//!
//! What does not change keeps its number; what does is made again by the ordinary constructors, so that constants
//! are folded as if the term had been built that way.

use super::eval::{operands, with_operands};
use super::{Node, Term, Terms};
use rustc_hash::FxHashMap;

impl Terms {
    /// The term of a node.
    pub fn made(&mut self, node: &Node) -> Term {
        match *node {
            Node::Element(number) => Term::element(number),
            Node::Constant(number) => Term::constant(number),
            Node::Add(a, b) => self.add(a, b),
            Node::Sub(a, b) => self.sub(a, b),
            Node::Mul(a, b) => self.mul(a, b),
            Node::Fma(a, b, c) => self.fma(a, b, c),
            Node::Div(a, b) => self.div(a, b),
            Node::Unary(function, a) => self.unary(function, a),
            Node::Max(a, b) => self.max(a, b),
            Node::Min(a, b) => self.min(a, b),
            Node::Select(condition, a, b) => self.select(condition, a, b),
            Node::Round(mode, format, a) => self.round(mode, format, a),
            Node::Compare(relation, a, b) => self.compare(relation, a, b),
            Node::And(a, b) => self.and(a, b),
            Node::Or(a, b) => self.or(a, b),
            Node::Not(a) => self.not(a),
            Node::BitsOf(format, a) => self.bits_of(format, a),
            Node::BitConstant(bits) => self.bit_constant(bits),
            Node::Bits(op, width, a, b, c) => self.bits(op, width, a, b, c),
            Node::FromBits(format, a) => self.from_bits(format, a),
            Node::Apply(function, a, b) => {
                let name = self.function_name(function).to_owned();
                self.apply(&name, a, b)
            }
        }
    }

    /// A term with others in the place of those that `known` names, which learns of what lies between.
    pub fn replaced(&mut self, root: Term, known: &mut FxHashMap<Term, Term>) -> Term {
        let mut open = vec![(root, false)];
        while let Some((term, ready)) = open.pop() {
            if known.contains_key(&term) {
                continue;
            }
            if term.as_node().is_none() {
                known.insert(term, term);
                continue;
            }
            let node = self.node(term);
            if !ready {
                open.push((term, true));
                open.extend(operands(&node).into_iter().flatten().map(|operand| (operand, false)));
                continue;
            }
            let same = operands(&node).into_iter().flatten().all(|operand| known[&operand] == operand);
            let new = if same { term } else { self.made(&with_operands(&node, |operand| known[&operand])) };
            known.insert(term, new);
        }
        known[&root]
    }
}
