//! An instruction counts as supported only if a kernel that a case of the corpus runs has it.
//!
//! Misses: whether a thread gets to it there.

use std::collections::BTreeSet;
use warpproof::base::Source;
use warpproof::isa::{Support, rows};
use warpproof::{ir, syntax};
use warpproof_tests::corpus::{cases, root};

#[test]
fn every_supported_row_is_in_a_kernel_that_a_case_runs() {
    let kernels = cases().into_iter().filter_map(|case| case.read().ok()).flat_map(|texts| {
        let reference = texts.reference.map(|(text, _)| text);
        reference.into_iter().chain([texts.optimized.0])
    });
    let texts: BTreeSet<String> = kernels.collect();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for text in texts {
        let parsed = syntax::parse(Source::Optimized, &text);
        for entry in ir::entries(&parsed.module) {
            if let Ok(lowered) = ir::lower(Source::Optimized, &parsed.module, Some(entry)) {
                seen.extend(lowered.kernel.code.iter().map(|instr| instr.row));
            }
        }
    }
    let missing: Vec<&str> = rows()
        .enumerate()
        .filter(|(at, row)| row.support == Support::Full && !seen.contains(&(*at as u32)))
        .map(|(_, row)| row.example)
        .collect();
    assert!(missing.is_empty(), "no kernel under {} has {missing:#?}", root().display());
}
