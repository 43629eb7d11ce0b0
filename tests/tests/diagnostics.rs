//! Every row of the code table that has an example: running it gives that code.

use warpproof::base::Budget;
use warpproof::diag::CODES;
use warpproof::report::{self, Input, Report, RunOptions};

/// A PTX module on its own, or a spec for a kernel without parameters.
fn run(example: &str) -> Report {
    const KERNEL: &str =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n.reqntid 1\n{\n    ret;\n}\n";
    let ptx = !example.starts_with('[');
    let input = match ptx {
        true => Input { optimized: example, ..Input::default() },
        false => Input { optimized: KERNEL, spec: Some(example), ..Input::default() },
    };
    report::analyze(&input, &RunOptions::default(), &Budget::new(10_000_000, 1 << 28)).report
}

#[test]
fn every_example_shows_its_code() {
    let mut wrong = Vec::new();
    for (_, row) in CODES.iter().filter(|(_, row)| !row.example.is_empty()) {
        let report = run(row.example);
        let found: Vec<_> = report.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
        if !report.diagnostics.iter().any(|d| d.code == row.name) {
            wrong.push(format!("{}: {} gives {found:?}", row.name, report.verdict.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Codes about a pair of kernels, about several CTAs, or about textures, which need a spec beside them, are shown
/// by corpus cases; all others have an example.
#[test]
fn every_code_of_a_single_kernel_has_an_example() {
    const SHOWN_BY_CASES: [&str; 9] =
        ["V012", "M005", "Q001", "Q002", "B001", "B002", "R003", "R005", "U005"];
    for (_, row) in CODES {
        assert!(!row.example.is_empty() || SHOWN_BY_CASES.contains(&row.name), "{} has no example", row.name);
    }
}
