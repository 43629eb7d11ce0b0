//! Conditions that a proof takes for settled because numbers are real, by the lines that they stand in.
//!
//! Guarantees and misses: those of `decide/one_way`. Asked are both kernels, not formulas, and only where all outputs are
//! proved.

use super::expression::Side;
use crate::base::{Budget, Exhausted};
use crate::decide::{self, Decision, Equality, OneWay, Options, Reading, What};
use crate::diag::{Assumption, Label, Ledger};
use crate::term::Elements;

/// Notes them, if every pair was proved.
pub(super) fn note(
    options: &Options,
    budget: &Budget,
    reading: &Reading<'_>,
    sides: &[Side<'_>; 2],
    (elements, decision): (&Elements, &Decision),
    ledger: &mut Ledger,
) -> Result<(), Exhausted> {
    let is_proved = |equality: &Equality| matches!(equality, Equality::Equal(_) | Equality::Close(_));
    if !decision.groups.iter().all(|group| is_proved(&group.equality)) {
        return Ok(());
    }
    for (at, side) in sides.iter().enumerate().filter(|(_, side)| !side.kernel.formula) {
        for OneWay { instruction, what } in decide::one_way(options, budget, reading, at, elements)? {
            let opcode = side.kernel.opcode(instruction);
            let assumption = match what {
                What::Finite => Assumption::AskedFinite(opcode.to_owned()),
                What::Alone => Assumption::OneWay(format!("`{opcode}`")),
                What::Together => Assumption::OneWay(format!("a choice by `{opcode}` and other comparisons")),
            };
            let span = side.kernel.code[instruction as usize].span;
            let first = Label { source: side.source, span, text: String::new() };
            ledger.note(assumption, 1, Some(first));
        }
    }
    Ok(())
}
