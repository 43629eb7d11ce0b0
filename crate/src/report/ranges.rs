//! Decides as the kernels are written, and if that does not prove them equal, as if no conversion saturated.
//!
//! A conversion to fp8 saturates whether its author wants that or not. So kernels that differ only where one of
//! them saturates by itself (and the other does not convert, say) are equal under an assumption, which the
//! ledger names; what a kernel clamps or tests by itself is never left out.

use crate::base::{Budget, Exhausted};
use crate::decide::{self, Decided, Decision, Equality, Options, Problem, Reading};
use crate::term::Constant;
use std::sync::atomic::AtomicBool;

/// A decision and the options that it was made with: [`Options::in_range`] only where nothing else decides.
pub(super) fn decide<'a, R: Send>(
    options: Options,
    budget: &Budget,
    problem: &Problem<'a>,
    meanwhile: impl Fn(&Reading<'a>, &AtomicBool) -> R + Send + Sync,
) -> Result<(Decided<'a, R>, Options), Exhausted> {
    let decided = decide::decide_while(&options, budget, problem, &meanwhile)?;
    let in_range = Options { in_range: true, ..options };
    if saturates(problem)
        && !all_equal(&decided.decision)
        && let Ok(again) = decide::decide_while(&in_range, budget, problem, &meanwhile)
        && all_equal(&again.decision)
    {
        return Ok((again, in_range));
    }
    Ok((decided, options))
}

/// Whether a conversion saturates by itself in what is compared.
fn saturates(problem: &Problem<'_>) -> bool {
    [problem.reference, problem.optimized]
        .iter()
        .any(|terms| terms.constants().iter().any(Constant::is_limit))
}

fn all_equal(decision: &Decision) -> bool {
    decision.groups.iter().all(|group| matches!(group.equality, Equality::Equal(_)))
}
