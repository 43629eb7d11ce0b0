//! Whole questions about texts, with ample budgets.

use warpproof::base::Budget;
use warpproof::report::{self, Input, Report, RunOptions};

/// Compares two kernels.
pub fn check(reference: &str, optimized: &str, spec: &str) -> Report {
    let input = Input { reference: Some(reference), optimized, spec: Some(spec), ..Input::default() };
    report::check(&input, &RunOptions::default(), &Budget::default()).report
}

/// Runs one kernel.
pub fn analyze(ptx: &str, spec: &str) -> Report {
    let input = Input { reference: None, optimized: ptx, spec: Some(spec), ..Input::default() };
    report::analyze(&input, &RunOptions::default(), &Budget::default()).report
}
