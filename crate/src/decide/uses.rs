//! How often each node of a store is used.

use crate::base::{Budget, Exhausted};
use crate::term::eval::operands;
use crate::term::{Term, Terms};

/// Uses of each node by other nodes and by `roots`, counted up to 2.
pub(super) fn count(budget: &Budget, terms: &Terms, roots: &[Term]) -> Result<Vec<u8>, Exhausted> {
    let mut uses = vec![0u8; terms.len()];
    let mut note = |term: Term| {
        if let Some(index) = term.as_node() {
            uses[index] = (uses[index] + 1).min(2);
        }
    };
    let mut reader = terms.reader();
    for index in 0..terms.len() {
        if index % (1 << 16) == 0 {
            budget.spend_block(index, terms.len(), 1 << 16, 1)?;
        }
        operands(&reader.node_at(index)).into_iter().flatten().for_each(&mut note);
    }
    roots.iter().copied().for_each(note);
    Ok(uses)
}
