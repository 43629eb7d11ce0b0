//! What to define, in which order, and what each term is.
//!
//! Operands have smaller numbers than their users, so definitions follow the numbers. A link of a
//! sum (or, where the language has n-ary extremes, of a maximum) that nothing else uses is merged
//! into its user: a chain of a thousand additions is one definition of a thousand summands, which
//! other programs read in linear time where a thousand nested sums cost them the square.

use super::Language;
use super::axioms::{self, Split};
use crate::base::{Budget, Exhausted};
use crate::decide::Meaning;
use crate::term::eval::{Reach, operands};
use crate::term::{BitOp, Node, Term, Terms, Unary};
use std::collections::BTreeSet;

/// What a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Real,
    Condition,
    Bits,
}

/// A summand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Summand {
    /// A term.
    Whole(Term),
    /// The product inside a multiply-add.
    Product(Term, Term),
}

/// One kernel's terms, made ready to be written.
pub(super) struct Plan<'a> {
    pub(super) terms: &'a Terms,
    pub(super) meanings: &'a [Meaning],
    /// Nodes to define, ascending.
    pub(super) nodes: Vec<u32>,
    /// All nodes that occur, ascending.
    pub(super) reached: Vec<u32>,
    /// Elements that occur, ascending.
    pub(super) elements: Vec<u32>,
    /// Constants that occur, ascending.
    pub(super) constants: Vec<usize>,
    /// Exponents and how they fall into parts (SMT-LIB only), by node of the exponential.
    pub(super) splits: Vec<(u32, Split)>,
    /// By node: whether it is written inside its only user.
    merged: Vec<bool>,
    sorts: Vec<Sort>,
}

impl<'a> Plan<'a> {
    pub(super) fn of(
        language: Language,
        terms: &'a Terms,
        roots: &[Term],
        meanings: &'a [Meaning],
        budget: &Budget,
    ) -> Result<Plan<'a>, Exhausted> {
        let reach = Reach::of(terms, roots, budget)?;
        let (mut elements, mut constants) = (BTreeSet::new(), BTreeSet::new());
        let mut uses = vec![0u8; terms.len()];
        let mut sorts = vec![Sort::Real; terms.len()];
        let mut splits = Vec::new();
        let mut count = |term: Term, times: u8| {
            if let Some(node) = term.as_node() {
                uses[node] = uses[node].saturating_add(times);
            } else if let Some(element) = term.as_element() {
                elements.insert(element);
            } else if let Some(constant) = term.as_constant() {
                constants.insert(constant);
            }
        };
        // A root and the parts of an exponent are named, however few use them.
        roots.iter().for_each(|root| count(*root, 2));
        for (seen, at) in reach.nodes().enumerate() {
            if seen.is_multiple_of(8192) {
                budget.poll()?;
            }
            let node = terms.node_at(at);
            operands(&node).into_iter().flatten().for_each(|operand| count(operand, 1));
            sorts[at] = match node {
                Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => Sort::Condition,
                Node::Bits(op, ..) if op.is_condition() => Sort::Condition,
                Node::Bits(..) | Node::BitsOf(..) | Node::BitConstant(_) => Sort::Bits,
                Node::Select(_, a, _) => a.as_node().map_or_else(|| leaf_sort(a), |node| sorts[node]),
                _ => Sort::Real,
            };
            if language == Language::Smt2
                && let Node::Unary(function @ (Unary::Exp | Unary::Exp2), argument) = node
                && let Some(split) = axioms::split(terms, meanings, function, argument)
            {
                split.terms().for_each(|part| count(part, 2));
                splits.push((at as u32, split));
            }
        }
        let mut merged = vec![false; terms.len()];
        let mut nodes = Vec::new();
        let mut merge = |term: Term, fits: fn(&Node) -> bool| {
            if let Some(node) = term.as_node()
                && uses[node] == 1
                && fits(&terms.node_at(node))
            {
                merged[node] = true;
            }
        };
        let extremes = language == Language::Sympy;
        for at in reach.nodes() {
            nodes.push(at as u32);
            match terms.node_at(at) {
                Node::Add(a, b) | Node::Sub(a, b) => [a, b].map(|term| merge(term, is_sum)),
                Node::Fma(_, _, c) => [c, c].map(|term| merge(term, is_sum)),
                Node::Max(a, b) if extremes => [a, b].map(|term| merge(term, is_max)),
                Node::Min(a, b) if extremes => [a, b].map(|term| merge(term, is_min)),
                _ => [(), ()],
            };
        }
        let reached = nodes.clone();
        nodes.retain(|node| !merged[*node as usize]);
        Ok(Plan {
            terms,
            meanings,
            nodes,
            reached,
            elements: elements.into_iter().collect(),
            constants: constants.into_iter().collect(),
            splits,
            merged,
            sorts,
        })
    }

    /// What a term stands for.
    pub(super) fn sort(&self, term: Term) -> Sort {
        term.as_node().map_or_else(|| leaf_sort(term), |node| self.sorts[node])
    }

    fn is_merged(&self, term: Term) -> bool {
        term.as_node().is_some_and(|node| self.merged[node])
    }

    /// The summands of a sum in the order they were added, each with whether it is subtracted.
    pub(super) fn summands(&self, sum: Term) -> Vec<(bool, Summand)> {
        let mut summands = Vec::new();
        let mut waiting = vec![(false, Summand::Whole(sum))];
        while let Some((negative, summand)) = waiting.pop() {
            let open = match summand {
                Summand::Whole(term) if term == sum || self.is_merged(term) => self.terms.node(term),
                _ => {
                    summands.push((negative, summand));
                    continue;
                }
            };
            match open {
                Node::Add(a, b) => {
                    waiting.extend([(negative, Summand::Whole(b)), (negative, Summand::Whole(a))])
                }
                Node::Sub(a, b) => {
                    waiting.extend([(!negative, Summand::Whole(b)), (negative, Summand::Whole(a))])
                }
                Node::Fma(a, b, c) => {
                    waiting.extend([(negative, Summand::Product(a, b)), (negative, Summand::Whole(c))])
                }
                other => unreachable!("{other:?} is no sum"),
            }
        }
        summands
    }

    /// The members of a maximum (or minimum) in order.
    pub(super) fn members(&self, extreme: Term) -> Vec<Term> {
        let mut members = Vec::new();
        let mut waiting = vec![extreme];
        while let Some(term) = waiting.pop() {
            match self.terms.node(term) {
                Node::Max(a, b) | Node::Min(a, b) if term == extreme || self.is_merged(term) => {
                    waiting.extend([b, a]);
                }
                _ => members.push(term),
            }
        }
        members
    }
}

fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Add(..) | Node::Sub(..) | Node::Fma(..))
}

fn is_max(node: &Node) -> bool {
    matches!(node, Node::Max(..))
}

fn is_min(node: &Node) -> bool {
    matches!(node, Node::Min(..))
}

fn leaf_sort(term: Term) -> Sort {
    if term == Term::TRUE || term == Term::FALSE { Sort::Condition } else { Sort::Real }
}

/// How many operands a bit operation has; the others are placeholders.
pub(super) fn arity(op: BitOp) -> usize {
    match op {
        BitOp::Not | BitOp::Negate | BitOp::PopCount | BitOp::LeadingZeros | BitOp::Reverse => 1,
        BitOp::Other => 3,
        _ => 2,
    }
}

/// The name of a bit operation in files.
pub(super) fn bit_name(op: BitOp) -> &'static str {
    match op {
        BitOp::And => "and",
        BitOp::Or => "or",
        BitOp::Xor => "xor",
        BitOp::Not => "not",
        BitOp::ShiftLeft => "shift_left",
        BitOp::ShiftRight => "shift_right",
        BitOp::ShiftRightSigned => "shift_right_signed",
        BitOp::Add => "add",
        BitOp::Sub => "sub",
        BitOp::Mul => "mul",
        BitOp::MulHigh => "mul_high",
        BitOp::Min => "min",
        BitOp::Max => "max",
        BitOp::MinSigned => "min_signed",
        BitOp::MaxSigned => "max_signed",
        BitOp::Negate => "negate",
        BitOp::Concat => "concat",
        BitOp::Slice => "slice",
        BitOp::Extend => "extend",
        BitOp::ExtendSigned => "extend_signed",
        BitOp::PopCount => "population_count",
        BitOp::LeadingZeros => "leading_zeros",
        BitOp::Reverse => "reverse",
        BitOp::Equal => "equal",
        BitOp::Less => "less",
        BitOp::LessSigned => "less_signed",
        BitOp::Other => "other",
    }
}
