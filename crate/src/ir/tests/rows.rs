//! Every row: its example lowers to it, and what is pure is executed by some probe.

use super::probe::{Probe, lowered, module};
use super::{floats, integers, parts};
use crate::isa::{Effect, Support, rows};
use std::collections::BTreeSet;

#[test]
fn examples_lower_to_their_rows() {
    for (at, row) in rows().enumerate() {
        let kernel =
            lowered(&module(row.example)).unwrap_or_else(|why| panic!("{}: {why}", row.example)).kernel;
        let mine = kernel.code.iter().find(|instr| instr.row == at as u32);
        let mine = mine.unwrap_or_else(|| panic!("{} is another row's", row.example));
        let unsupported = matches!(mine.effect, Effect::Unsupported);
        assert_eq!(unsupported, row.support != Support::Full, "{}", row.example);
    }
}

/// Rows of pure instructions whose effect no probe executes would be untested.
#[test]
fn every_pure_row_is_executed() {
    let mut executed: BTreeSet<u32> = BTreeSet::new();
    let mut note = |probe: Probe, _: &dyn Fn(&Probe)| executed.extend(probe.rows());
    integers::probes(&mut note);
    floats::probes(&mut note);
    parts::probes(&mut note);
    for (at, row) in rows().enumerate().filter(|(_, row)| row.support == Support::Full) {
        let kernel = lowered(&module(row.example)).expect("lowers").kernel;
        // Pure are those of which every part is.
        let mut parts = kernel.code.iter().filter(|instr| instr.row == at as u32).peekable();
        let pure = parts.peek().is_some()
            && parts.all(|instr| {
                matches!(
                    instr.effect,
                    Effect::Lanewise(_) | Effect::Pack { .. } | Effect::Unpack { .. } | Effect::Move { .. }
                )
            });
        // What these do is elsewhere: in the function, and in what is taken from the stack.
        let elsewhere = ["call", "stacksave"].contains(&row.name);
        assert!(!pure || elsewhere || executed.contains(&(at as u32)), "{}", row.example);
    }
}
