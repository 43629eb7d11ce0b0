//! Operations on one operand that is not known, all others known.

use super::cone::operands;
use super::{Domain, Quantity, Reals};
use crate::term::{Node, Term};

/// The operand of a node that is not known, if it is the only one.
pub fn lone_unknown(node: &Node, known: impl Fn(Term) -> Option<Quantity>) -> Option<Term> {
    let mut unknown = operands(node).into_iter().flatten().filter(|operand| known(*operand).is_none());
    match (unknown.next(), unknown.next()) {
        (Some(operand), None) => Some(operand),
        _ => None,
    }
}

/// What a node gives where its operand `on` has a value, the others being known.
pub fn applied(node: &Node, on: Term, value: Quantity, known: impl Fn(Term) -> Option<Quantity>) -> Quantity {
    let operand = |term| if term == on { value } else { known(term).unwrap_or(Quantity::Unknown) };
    Reals { element: &|_| Quantity::Unknown, constants: &[] }.node(node, operand)
}
