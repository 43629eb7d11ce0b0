//! Where the differing parts of a counterexample come from: the instructions named are those that a
//! reader of the kernels would point at.

use warpproof::base::Budget;
use warpproof::report::{
    self, OriginQuestion, OriginRole, OriginStep, Origins, PartOrigin, Report, RunOptions,
};
use warpproof_tests::corpus::{self, Texts};

fn texts(name: &str) -> Texts {
    let case = corpus::cases().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("no case {name}")).read().expect("readable")
}

/// The report with origins, and the origins by themselves: asked for within a run and after it.
fn traced(name: &str) -> (Report, Origins) {
    let texts = texts(name);
    let options = RunOptions { origins: Some(u64::MAX), ..RunOptions::default() };
    let report = report::check(&texts.input(), &options, &Budget::default()).report;
    let counterexample = report.counterexample.clone().expect("a counterexample");
    let question = OriginQuestion { tensor: counterexample.tensor, index: counterexample.index };
    let after = report::origins(&texts.input(), &question, &Budget::default()).expect("origins");
    assert_eq!(counterexample.origins.as_ref(), Some(&after), "{name}");
    (report, after)
}

fn steps(parts: &[PartOrigin]) -> Vec<&OriginStep> {
    parts.iter().flat_map(|part| &part.steps).collect()
}

/// What the steps with a role and a text say: line, opcode and thread.
fn said(parts: &[PartOrigin], role: OriginRole, of: &str) -> Vec<(String, String)> {
    let fits = |step: &&&OriginStep| step.role == role && step.of == of;
    let found: Vec<_> = steps(parts)
        .iter()
        .filter(fits)
        .map(|step| (step.opcode.clone(), format!("{} at {}", step.thread, step.at.line)))
        .collect();
    assert!(!found.is_empty(), "{role:?} {of}: {parts:#?}");
    found
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(opcode, place)| ((*opcode).to_owned(), (*place).to_owned())).collect()
}

/// Every step's excerpt is the line it names, with the opcode on it.
fn consistent(texts: &Texts, origins: &Origins) {
    // A formula stands in the spec.
    let reference = texts.reference.as_ref().map_or(&texts.spec, |(text, _)| text);
    for (parts, text) in [(&origins.reference, reference), (&origins.optimized, &texts.optimized.0)] {
        assert!(!parts.is_empty());
        for step in steps(parts) {
            let line = text.lines().nth(step.at.line as usize - 1).expect("a line of the text");
            assert_eq!(line, step.at.excerpt);
            assert!(line.contains(&step.opcode), "{step:?}");
        }
    }
}

#[test]
fn a_transposed_tile_leads_to_the_loads_of_both_kernels() {
    let name = "not_equivalent/matmul/transposed_tile";
    let (_, origins) = traced(name);
    consistent(&texts(name), &origins);
    // Thread 0 of the naive kernel loads what it multiplies.
    let reads = said(&origins.reference, OriginRole::Reads, "B[1][0]");
    assert_eq!(reads, pairs(&[("ld.global.f32", "thread 0 at 56")]));
    // In the tiled one a neighbour brings it in, and thread 0 finds it in shared memory.
    let reads = said(&origins.optimized, OriginRole::Reads, "B[0][1]");
    assert_eq!(reads, pairs(&[("ld.global.f32", "thread 1 at 87"), ("ld.shared.f32", "thread 0 at 95")]));
    let read = steps(&origins.optimized).into_iter().find(|step| step.of == "B[0][1]").expect("read");
    assert_eq!(read.cuda.as_ref().map(|cuda| cuda.line), Some(11));
    let made = said(&origins.optimized, OriginRole::Makes, "A[0][1]·B[0][1]");
    assert_eq!(made, pairs(&[("fma.rn.f32", "thread 0 at 97")]));
}

#[test]
fn a_sum_that_is_not_rescaled_leads_to_the_sum() {
    let name = "not_equivalent/softmax/n4_no_rescale";
    let (report, origins) = traced(name);
    consistent(&texts(name), &origins);
    let counterexample = report.counterexample.expect("a counterexample");
    // One mark on each side, and each has its origin.
    for (parts, expression) in [
        (&origins.reference, counterexample.reference.expect("an expression")),
        (&origins.optimized, counterexample.optimized.expect("an expression")),
    ] {
        assert_eq!(parts.len(), expression.marks.len());
        for (part, [from, to]) in parts.iter().zip(&expression.marks) {
            assert_eq!(part.text, expression.text[*from as usize..*to as usize]);
        }
    }
    let sum = &origins.optimized[0];
    assert_eq!(sum.steps[0].role, OriginRole::Makes);
    assert_eq!((sum.steps[0].at.line, sum.steps[0].opcode.as_str()), (118, "fma.rn.f32"));
    assert_eq!(sum.steps[0].cuda.as_ref().map(|cuda| cuda.line), Some(13));
    // The summand without its factor is library code: its last instruction made it.
    let made = said(&origins.optimized, OriginRole::Makes, "e^(x[0] - x[0])");
    assert_eq!(made, pairs(&[("fma.rn.f32", "thread 0 at 67")]));
}

#[test]
fn an_asynchronous_copy_and_a_matrix_product_are_named() {
    let name = "not_equivalent/gemm/mma_f16_not_transposed";
    let (_, origins) = traced(name);
    consistent(&texts(name), &origins);
    let reads = said(&origins.optimized, OriginRole::Reads, "B[0][1]");
    assert_eq!(
        reads,
        pairs(&[
            ("cp.async.cg.shared.global", "thread 256 at 103"),
            ("ldmatrix.sync.aligned.m8n8.x2.shared.b16", "thread 0 at 245"),
        ])
    );
    // The first step inside a product is held by no lane: it is the warp's.
    let made = said(&origins.optimized, OriginRole::Makes, "A[0][1]·B[0][1]");
    assert_eq!(made, pairs(&[("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "warp 0 at 249")]));
}

#[test]
fn a_constant_leads_to_the_instruction_that_uses_it() {
    let name = "not_equivalent/triton/gelu_tanh_half_missing";
    let (_, origins) = traced(name);
    consistent(&texts(name), &origins);
    let half = said(&origins.reference, OriginRole::MakesAround, "1/2·x[0]");
    assert_eq!(half, pairs(&[("mul.f32", "thread 0 at 43")]));
}

#[test]
fn other_blocks_are_told_apart() {
    let name = "not_equivalent/transpose/same_block";
    let (_, origins) = traced(name);
    consistent(&texts(name), &origins);
    let reads = said(&origins.reference, OriginRole::Reads, "in[16][0]");
    assert_eq!(reads, pairs(&[("ld.global.f32", "thread 0 of CTA (0,1,0) at 43")]));
}

#[test]
fn tracing_changes_nothing_else() {
    for name in ["not_equivalent/matmul/transposed_tile", "not_equivalent/softmax/n128_sum_one_short"] {
        let plain = report::check(&texts(name).input(), &RunOptions::default(), &Budget::default()).report;
        assert!(!plain.to_json().contains("\"origins\""));
        let (mut report, _) = traced(name);
        if let Some(counterexample) = &mut report.counterexample {
            counterexample.origins = None;
        }
        assert_eq!(report, plain, "{name}");
    }
}

/// Counterexamples of every kind of kernel have origins, and these are consistent with the texts.
#[test]
fn every_small_counterexample_has_an_origin() {
    let (mut traced, mut parts, mut stored) = (0, 0, Vec::new());
    let wrong = corpus::cases().into_iter().filter(|case| case.expected == "not_equivalent");
    for case in wrong {
        let texts = case.read().expect("readable");
        let options = RunOptions { origins: Some(u64::MAX), ..RunOptions::default() };
        // Larger ones end early.
        let report = report::check(&texts.input(), &options, &Budget::new(4_000_000, 1 << 30)).report;
        let Some(origins) = report.counterexample.and_then(|counterexample| counterexample.origins) else {
            continue;
        };
        consistent(&texts, &origins);
        // A statement of a formula is all there is of it.
        let of_kernel = if texts.reference.is_some() { origins.reference.as_slice() } else { &[] };
        for part in of_kernel.iter().chain(&origins.optimized) {
            parts += 1;
            if part.steps.iter().all(|step| step.role == OriginRole::Stores) {
                stored.push(case.name.clone());
            }
        }
        traced += 1;
    }
    assert!(traced >= 40, "{traced} counterexamples");
    // Hardly any part is left with nothing but its store.
    assert!(stored.len() * 20 <= parts, "{} of {parts}: {stored:?}", stored.len());
}
