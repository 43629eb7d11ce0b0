//! Faults under conditions on data: the inputs that a report shows really reach the fault.
//!
//! For each case of the corpus whose report names such inputs, the spec that it offers, with these inputs
//! as contents, is asked again: there are no conditions any more, and the verdict is the same.

use warpproof::report::Verdict;
use warpproof::sim::Schedule;
use warpproof_tests::corpus::{self, Texts};

#[test]
fn inputs_that_reach_a_fault_reach_it() {
    let (mut replayed, mut wrong) = (0, Vec::new());
    for case in corpus::cases().iter().filter(|case| case.name.contains("/guards/")) {
        let texts = case.read().expect("readable");
        let report = texts.run(1, Schedule::Ascending).report;
        let Some(reached) = report.reached_by else { continue };
        let again = Texts { spec: reached.spec, ..texts };
        let found = again.run(1, Schedule::Ascending).report;
        if found.verdict != report.verdict || found.reached_by.is_some() {
            wrong.push(format!("{}: {}\n{}", case.name, found.summary, again.spec));
        }
        replayed += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(replayed >= 60, "only {replayed} cases show inputs");
}

/// The same inputs one step aside of the fault: the condition that was decided is the kernel's own.
#[test]
fn other_inputs_do_not() {
    for (name, contents) in [
        ("out_of_bounds/guards/chosen_index_0_wrong", "1"),
        ("out_of_bounds/guards/compaction_5", "0"),
        ("contract_violated/guards/stops_2_wrong", "2"),
    ] {
        let case = corpus::cases().into_iter().find(|case| case.name == name).expect(name);
        let mut texts = case.read().expect("readable");
        for tensor in ["x", "m"] {
            let section = format!("[tensors.{tensor}]\n");
            texts.spec = texts.spec.replace(&section, &format!("{section}contents = {contents}\n"));
        }
        let found = texts.run(1, Schedule::Ascending).report;
        assert_eq!(found.verdict, Verdict::RaceFree, "{name}: {}", found.summary);
    }
}
