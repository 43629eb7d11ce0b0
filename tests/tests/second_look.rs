//! Looking again at a kernel: its memory at a barrier, and barriers that remove its races.

use warpproof::base::Budget;
use warpproof::report::{
    self, Input, MemoryQuestion, MemoryReport, RepairAnswer, RepairQuestion, RunOptions, TextSource, Verdict,
};
use warpproof_tests::corpus::{self, Texts};

fn texts(name: &str) -> Texts {
    let case = corpus::cases().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("no case {name}")).read().expect("readable")
}

fn look(texts: &Texts, barrier: Option<u64>, name: &str) -> MemoryReport {
    let question = MemoryQuestion { barrier, name: Some(name.to_owned()), ..MemoryQuestion::default() };
    report::inspect(&texts.input(), &question, &Budget::default()).expect("it runs")
}

fn first(report: &MemoryReport) -> Option<&str> {
    Some(report.cells.first()?.first()?.value.as_ref()?.text.as_str())
}

#[test]
fn shared_memory_is_seen_as_it_grows_from_barrier_to_barrier() {
    let texts = texts("equivalent/softmax/n128_naive_precise_vs_online_fast");
    let at = |barrier| look(&texts, barrier, "_ZZ14softmax_onlineE3row");
    let before = at(Some(1));
    assert!(before.reached);
    assert_eq!(before.names[before.chosen.expect("chosen") as usize].name, "_ZZ14softmax_onlineE3row");
    assert_eq!(first(&before), Some("x[0]"));
    assert_eq!((before.rows, before.columns), (8, 16));
    assert_eq!(before.cells[1][3].place, "_ZZ14softmax_onlineE3row[19]");
    assert_eq!(before.cells[1][3].value.as_ref().map(|value| value.text.as_str()), Some("x[19]"));
    // The output is not there yet, and is at the end.
    assert_eq!(first(&look(&texts, Some(1), "y")), None);
    let end = look(&texts, None, "y");
    let value = end.cells[0][0].value.as_ref().expect("y[0]");
    assert!(value.text.contains("max") && value.text.contains("2^"), "{}", value.text);
    assert!(value.stored_at.is_some() && value.mathml.starts_with("<math"));
    assert!(!at(Some(99)).reached);
}

#[test]
fn constants_are_shown_as_the_spec_reads_them() {
    let mut texts = texts("equivalent/softmax/n128_naive_precise_vs_online_fast");
    let shown = |texts: &Texts| look(texts, None, "y").cells[0][0].value.clone().expect("y[0]").text;
    assert!(shown(&texts).contains("log₂ e"));
    texts.spec.push_str("\n[options]\nexact_constants = true\n");
    let exact = shown(&texts);
    assert!(!exact.contains("log₂ e") && exact.contains("1.44269"), "{exact}");
}

#[test]
fn a_window_of_a_large_tensor_is_shown() {
    let texts = texts("data_race/matmul/one_barrier");
    let question = MemoryQuestion { name: Some("A".to_owned()), row: 30, column: 60, ..Default::default() };
    let report = report::inspect(&texts.input(), &question, &Budget::default()).expect("it runs");
    assert_eq!((report.rows, report.columns, report.row, report.column), (32, 64, 30, 60));
    assert_eq!(report.cells.len(), 2);
    assert!(report.cells.iter().all(|row| row.len() == 4));
    assert_eq!(report.cells[1][3].place, "A[31][63]");
    assert_eq!(report.cells[1][3].value.as_ref().map(|value| value.text.as_str()), Some("A[31][63]"));
}

/// What is offered is applied here, and the whole question asked again.
#[test]
fn an_offered_barrier_really_removes_the_race() {
    for (name, lines) in [
        ("data_race/softmax/n128_buffer_reuse", 1),
        ("data_race/matmul/one_barrier", 1),
        // Copies that are still under way; a barrier well before the access that was noticed.
        ("data_race/attention/flash2_wait_count", 1),
        ("data_race/tilelang/plain_wait_count", 1),
        ("data_race/gemm/tiled_no_barrier_after_load", 1),
    ] {
        repaired(name, lines);
    }
}

/// A line a level where a reduction or scan trusts the warp, or forgot its barriers; and waits for copies.
#[test]
fn several_lines_are_offered_where_one_does_not_do() {
    for (name, lines) in [
        ("data_race/field/bucket_positions_before", 2),
        ("data_race/tilelang/wait_count", 2),
        ("data_race/tensor/copies_groups_no_barrier", 3),
        ("data_race/scan/in_place_one_barrier", 7),
        ("data_race/harris/v5_unrolled_warp", 10),
    ] {
        repaired(name, lines);
    }
}

#[test]
fn nothing_is_offered_where_no_barrier_helps() {
    for name in [
        "data_race/histogram/plain_increment",
        "data_race/reduction/all_threads_write",
        "data_race/reduction/blocks_collide",
    ] {
        let answer = ask_repair(&texts(name).input());
        assert!(answer.repair.is_none() && answer.tried > 0 && !answer.cut_short, "{name}: {answer:?}");
    }
}

/// Applies what is offered against the first race of a case, and asks the whole question again.
fn repaired(name: &str, lines: usize) {
    let texts = texts(name);
    let input = texts.input();
    let answer = ask_repair(&input);
    let repair = answer.repair.unwrap_or_else(|| panic!("{name}: nothing was found in {}", answer.tried));
    assert_eq!(repair.lines.len(), lines, "{name}: {:?}", repair.lines);
    for line in &repair.lines {
        assert!(repair.text.contains(&line.inserted));
    }
    let repaired = match repair.side {
        TextSource::Reference => Input { reference: Some(&repair.text), ..input },
        _ => Input { optimized: &repair.text, ..input },
    };
    let after = ask(&repaired);
    assert!(after.races.is_empty() && after.waits.is_empty(), "{name}: {}", after.summary);
    assert!(
        matches!(
            after.verdict,
            Verdict::Equivalent
                | Verdict::EqualUpToRounding
                | Verdict::RaceFree
                | Verdict::NotEquivalent
                | Verdict::Unknown
        ),
        "{name}: {}",
        after.summary
    );
}

fn ask(input: &Input<'_>) -> report::Report {
    report::check(input, &RunOptions::default(), &Budget::default()).report
}

fn ask_repair(input: &Input<'_>) -> RepairAnswer {
    let racy = ask(input);
    let race = racy.races.first().expect("a race");
    let reference = race.side == TextSource::Reference;
    let question = RepairQuestion { reference, first: race.first.instr, second: race.second.instr };
    report::repair(input, question, &Budget::default())
}

/// A copied test that is *unknown*: concrete numbers are computed as the machine does, and what it may be off by for a
/// maximum that begins with -10^30 hides all differences.
const MISSED: &str = "not_equivalent/softmax/n9_guarded_values_not_rescaled";

/// What *copy as test* gives is accepted, and shows the difference again. Missed besides: inputs so far out that
/// concrete f32 values overflow or vanish (`math/exp2_halved_is_not_exp2` at x = -758).
#[test]
fn a_counterexample_copied_as_a_test_fails_as_a_test() {
    let mut replayed = 0;
    for case in corpus::cases().into_iter().filter(|case| {
        ["softmax/", "transpose/", "saxpy/", "scan/"]
            .iter()
            .any(|family| case.name.starts_with(&format!("not_equivalent/{family}")))
    }) {
        let texts = case.read().expect("readable");
        let ask = |input: &Input<'_>| report::check(input, &RunOptions::default(), &Budget::default()).report;
        let Some(example) = ask(&texts.input()).counterexample else { continue };
        let again = ask(&Input { spec: Some(&example.spec), ..texts.input() });
        let expected = if case.name == MISSED { Verdict::Unknown } else { Verdict::NotEquivalent };
        assert_eq!(again.verdict, expected, "{}: {}\n{}", case.name, again.summary, example.spec);
        replayed += 1;
    }
    assert!(replayed >= 4, "{replayed}");
}
