//! Under which conditions a term's value is used.
//!
//! A division may be assumed to have a divisor other than 0 only where its quotient is used: behind a
//! `select` (or the other half of an `and`) the kernel has asked first, and what it asked may be just
//! that. So what a file states about the operands of divisions, roots and logarithms that are not used
//! on every input, it states under the condition that they are.
//!
//! Guarantees: a term is *used* whenever some output depends on its value; so every fact that is stated
//! holds wherever the kernels' outputs are defined.

use super::plan::Plan;
use crate::term::eval::operands;
use crate::term::{Node, Term};
use std::collections::BTreeMap;

/// When a node's value is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Used {
    /// On every input.
    Always,
    /// In one of these cases.
    If(Vec<Case>),
}

/// Used by another node, where that is used itself and conditions come out so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Case {
    /// The user, if it is not always used itself.
    pub(super) user: Option<u32>,
    /// A condition and how it has to come out.
    pub(super) guard: Option<(Term, bool)>,
}

/// The nodes of a plan whose value is not used on every input and that a fact is about, or that stand
/// above such a node; users first.
pub(super) fn guarded(plan: &Plan<'_>, roots: &[Term]) -> Vec<(u32, Vec<Case>)> {
    // Whether a fact is about the node or one below it.
    let mut matters: BTreeMap<u32, bool> = BTreeMap::new();
    for at in &plan.reached {
        let node = plan.terms.node_at(*at as usize);
        let below = operands(&node).into_iter().flatten().filter_map(|operand| operand.as_node());
        let any = below.map(|operand| operand as u32).any(|operand| matters.get(&operand) == Some(&true));
        matters.insert(*at, any || has_domain(&node));
    }
    let mut used: BTreeMap<u32, Used> = BTreeMap::new();
    for root in roots.iter().filter_map(|root| root.as_node()) {
        used.insert(root as u32, Used::Always);
    }
    let mut found = Vec::new();
    for at in plan.reached.iter().rev() {
        let cases = match used.remove(at) {
            Some(Used::If(cases)) => Some(cases),
            Some(Used::Always) | None => None,
        };
        let user = cases.is_some().then_some(*at);
        let node = plan.terms.node_at(*at as usize);
        let guards: [Option<(Term, bool)>; 3] = match node {
            Node::Select(condition, ..) => [None, Some((condition, true)), Some((condition, false))],
            Node::And(a, b) => [Some((b, true)), Some((a, true)), None],
            Node::Or(a, b) => [Some((b, false)), Some((a, false)), None],
            _ => [None; 3],
        };
        for (operand, guard) in operands(&node).into_iter().zip(guards) {
            let Some(below) = operand.and_then(|operand| operand.as_node()).map(|node| node as u32) else {
                continue;
            };
            if matters.get(&below) != Some(&true) {
                continue;
            }
            let always = user.is_none() && guard.is_none();
            match used.entry(below).or_insert_with(|| Used::If(Vec::new())) {
                known if always => *known = Used::Always,
                Used::If(cases) => cases.push(Case { user, guard }),
                Used::Always => {}
            }
        }
        if let Some(cases) = cases.filter(|_| matters.get(at) == Some(&true)) {
            found.push((*at, cases));
        }
    }
    found
}

/// Whether the function has a value for some arguments only.
fn has_domain(node: &Node) -> bool {
    match node {
        Node::Div(..) => true,
        Node::Unary(function, _) => function.is_partial(),
        _ => false,
    }
}
