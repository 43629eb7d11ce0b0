//! Evaluation of terms at a point.
//!
//! [`Cone`] collects what some roots are built from; [`evaluate`] walks it once, operands first,
//! in a flat vector: no recursion, so a term may be a million nodes deep. What the values are is a
//! [`Domain`]'s business: [`Reals`] gives exact rationals where that is possible and rigorous
//! enclosures elsewhere, [`Machine`] what machines compute where reals have no value; `decide` has one over prime fields.

mod bits;
mod cone;
mod formats;
mod interval;
mod machine;
mod partial;
mod quantity;
mod reals;
mod slots;
#[cfg(test)]
mod tests;

pub use bits::from_bits as number_of;
pub use cone::{Cone, Ranks, Reach, operands, with_operands};
pub use formats::Formats;
pub use interval::Interval;
pub use machine::{Machine, Seen};
pub use partial::{applied, lone_unknown};
pub use quantity::{Quantity, Small};
pub use reals::Reals;
pub use slots::Slots;

use super::{Node, Term};
use crate::base::{Budget, Exhausted};

/// What terms evaluate to, and how.
pub trait Domain {
    /// Steps that a node counts for.
    const EFFORT: u64 = 8;
    /// A value.
    type Value: Copy;
    /// The value of a tensor element.
    fn element(&self, element: u32) -> Self::Value;
    /// The value of an entry of the store's constant table.
    fn constant(&self, constant: usize) -> Self::Value;
    /// The value of a node, given those of its operands.
    fn node(&self, node: &Node, value: impl Fn(Term) -> Self::Value) -> Self::Value;
}

/// Evaluates a cone; `values` (cleared first) receives one value for each step, the result one for
/// each root.
pub fn evaluate<D: Domain>(
    cone: &Cone,
    domain: &D,
    budget: &Budget,
    values: &mut Vec<D::Value>,
) -> Result<Vec<D::Value>, Exhausted> {
    values.clear();
    values.reserve(cone.steps().len());
    for (at, step) in cone.steps().iter().enumerate() {
        if at.is_multiple_of(4096) {
            budget.spend_block(at, cone.steps().len(), 4096, D::EFFORT)?;
        }
        let value = domain.node(step, |operand| value_of(domain, values, operand));
        values.push(value);
    }
    Ok(cone.roots().iter().map(|root| value_of(domain, values, *root)).collect())
}

/// The same for the roots alone: what no step needs any more is not kept.
pub fn evaluate_roots<D: Domain>(
    cone: &Cone,
    slots: &Slots,
    domain: &D,
    budget: &Budget,
) -> Result<Vec<D::Value>, Exhausted> {
    let mut values: Vec<D::Value> = Vec::with_capacity(slots.count());
    let of = |values: &[D::Value], operand: Term| match (operand.as_node(), operand.as_element()) {
        (Some(step), _) => values[slots.at(step)],
        (_, Some(element)) => domain.element(element),
        _ => domain.constant(operand.as_constant().unwrap_or(0)),
    };
    for (at, step) in cone.steps().iter().enumerate() {
        if at.is_multiple_of(4096) {
            budget.spend_block(at, cone.steps().len(), 4096, D::EFFORT)?;
        }
        let value = domain.node(step, |operand| of(&values, operand));
        // Places are taken into use in order.
        match values.get_mut(slots.at(at)) {
            Some(place) => *place = value,
            None => values.push(value),
        }
    }
    Ok(cone.roots().iter().map(|root| of(&values, *root)).collect())
}

/// The value of an operand of an evaluated step.
#[inline]
fn value_of<D: Domain>(domain: &D, values: &[D::Value], operand: Term) -> D::Value {
    if let Some(step) = operand.as_node() {
        values[step]
    } else if let Some(element) = operand.as_element() {
        domain.element(element)
    } else {
        domain.constant(operand.as_constant().unwrap_or(0))
    }
}
