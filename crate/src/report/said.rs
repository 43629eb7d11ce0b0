//! Sentences of reports on small kernels, for people who see one for the first time.

use super::model::{AssumptionReport, Report, Verdict};
use super::{Input, RunOptions, analyze, check};
use crate::base::Budget;

/// A module with a kernel of this name, whose first two parameters are pointers.
fn kernel(name: &str, parameters: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry {name}(.param .u64 x, .param .u64 y{parameters})\n\
         {{\n.reg .b64 %a<4>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n\
         ld.param.u64 %a0, [x];\nld.param.u64 %a1, [y];\n{body}\nret;\n}}\n"
    )
}

const BLOCK: &str = "[launch]\nblock = [1]\n";

fn alone(ptx: &str, spec: &str) -> Report {
    let input = Input { optimized: ptx, spec: Some(spec), ..Input::default() };
    analyze(&input, &RunOptions::default(), &Budget::default()).report
}

fn pair(reference: &str, optimized: &str, spec: &str) -> Report {
    let input = Input { reference: Some(reference), optimized, spec: Some(spec), ..Input::default() };
    check(&input, &RunOptions::default(), &Budget::default()).report
}

fn adds(number: &str) -> String {
    kernel(
        "big",
        "",
        &format!("ld.global.u64 %d0, [%a0];\nadd.s64 %d1, %d0, {number};\nst.global.u64 [%a1], %d1;"),
    )
}

#[test]
fn a_counterexample_shows_integers_with_all_digits() {
    let report = pair(&adds("9007199254740993"), &adds("9007199254740992"), BLOCK);
    assert_eq!(report.verdict, Verdict::NotEquivalent);
    let found = report.counterexample.expect("there is one");
    assert_eq!(found.reference_value, "9007199254740993");
    assert_eq!(found.optimized_value, "9007199254740992");
    assert!(found.difference.contains("9007199254740993"), "{}", found.difference);
    assert!(report.summary.starts_with("The two kernels (both `big`) differ: "), "{}", report.summary);
}

#[test]
fn kernels_of_integers_say_nothing_of_reals() {
    let report = pair(&adds("3"), &adds("3"), BLOCK);
    let said = "Both kernels (`big`) compute the same element of `y`. The bounds";
    assert!(report.summary.starts_with(said), "{}", report.summary);
    let finite = |assumption: &&AssumptionReport| assumption.kind == "finite_values";
    assert!(!report.assumptions.iter().any(|assumption| finite(&assumption)));
}

#[test]
fn a_text_without_a_kernel_says_what_it_has() {
    let report = alone("// nothing but this\n", BLOCK);
    assert_eq!(report.summary, "PTX, line 1: the module has no .entry with a body.");
    assert!(report.diagnostics[0].notes[0].contains("nvcc -ptx"));
    let function = ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }\n";
    let report = pair(function, &adds("1"), BLOCK);
    assert_eq!(report.summary, "Reference PTX, line 4: the module has no .entry with a body.");
    assert!(report.diagnostics[0].notes[0].contains("`.func`"));
}

#[test]
fn kernels_are_listed_by_names_that_choose_them() {
    let two = adds("1").replace(" big(", " _Z5scalePKfPfi(")
        + adds("1").split_once(".address_size 64\n").expect("a header").1;
    let note = alone(&two, BLOCK).diagnostics[0].notes[0].clone();
    assert!(note.ends_with("the module has `scale`, `big`"), "{note}");
}

#[test]
fn parameters_that_do_not_correspond_are_named() {
    let other = adds("1")
        .replace(".param .u64 y", ".param .u32 n")
        .replace("ld.param.u64 %a1, [y]", "mov.u64 %a1, 0");
    let report = pair(&adds("1"), &other, BLOCK);
    let said = "parameter 2 is `y` (pointer to u64) in the reference and `n` (.u32) in the optimized";
    assert!(report.summary.contains(said), "{}", report.summary);
}

#[test]
fn what_no_thread_came_to_has_no_number_of_elements() {
    let loops = kernel(
        "spin",
        "",
        "mov.u32 %r0, 0;\nL: setp.lt.u32 %p0, %r0, 1;\n@%p0 bra L;\nld.global.u64 %d0, [%a0];\nst.global.u64 [%a1], %d0;",
    );
    let report = alone(&loops, BLOCK);
    assert!(report.summary.starts_with("Endless loop in `spin`: "), "{}", report.summary);
    assert!(report.tensors.iter().all(|tensor| tensor.shape.is_empty()), "{:?}", report.tensors);
}

#[test]
fn more_errors_than_are_listed_are_not_counted() {
    let lines: String = (0..300).map(|at| format!("add.f32 %q{at}, %f1, %f2;\n")).collect();
    let report = alone(&kernel("many", "", &lines), BLOCK);
    assert!(report.summary.ends_with("(at least 100 more)."), "{}", report.summary);
    let report = alone(&kernel("some", "", "add.f32 %q0, %f1, %f2;\nadd.f32 %q1, %f1, %f2;"), BLOCK);
    assert!(report.summary.ends_with("(1 more)."), "{}", report.summary);
}

#[test]
fn an_aligned_barrier_has_not_had_all_of_its_threads() {
    let body = "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bar.sync 0;\n@!%p0 bar.sync 0;\nld.global.f32 %f0, [%a0];\nst.global.f32 [%a1], %f0;";
    let report = alone(&kernel("odd", "", body), "[launch]\nblock = [64]\n");
    assert_eq!(report.verdict, Verdict::BarrierDivergence);
    for wait in &report.waits {
        let said = "barrier 0, which counts whole warps: this is a part of warp 0, whose threads come to it at different \
                    instructions";
        assert_eq!(wait.waits_at, said);
    }
}

#[test]
fn a_missing_spec_is_asked_for() {
    let report = alone(&adds("1"), "");
    let said = "A spec is needed, because PTX does not say everything. The PTX does not say how many threads run `big`.";
    assert_eq!(report.summary, said);
    let report = alone(&adds("1"), "[options]\n");
    assert_eq!(report.summary, "The PTX does not say how many threads run `big`.");
}

#[test]
fn one_kernel_is_not_called_the_optimized_one() {
    let report = alone(&adds("1"), "[launch]\nblock = [1]\ngrid = [2000]\n");
    let said = "only CTA (0,0,0) of the 2,000 in the grid ran; the others behave alike";
    assert!(report.assumptions.iter().any(|assumption| assumption.text == said), "{:?}", report.assumptions);
}

#[test]
fn what_was_confirmed_adds_up_to_the_elements() {
    // One output that is the same as it stands, two that add up few and many elements in another order.
    let sums = |down: bool| {
        let of = |count: u32, at: u32| {
            let load = |k: u32| {
                let k = if down { count - 1 - k } else { k };
                format!("ld.global.f32 %f0, [%a0+{}];\nadd.f32 %f1, %f1, %f0;\n", 4 * k)
            };
            let all: String = (0..count).map(load).collect();
            format!("mov.f32 %f1, 0f00000000;\n{all}st.global.f32 [%a1+{}], %f1;\n", 4 * at)
        };
        kernel("sums", "", &[of(1, 0), of(3, 1), of(32, 2), of(33, 3)].concat())
    };
    let report = pair(&sums(false), &sums(true), BLOCK);
    assert_eq!(report.verdict, Verdict::Equivalent);
    let checked = report.checked.expect("it was");
    assert_eq!((checked.confirmed, checked.by_field), (4, 3), "{checked:?}");
    let said = "both sides add up the same 32 to 33 summands, in another order";
    assert!(report.outputs[0].groups.iter().any(|group| group.reason == said), "{:?}", report.outputs);
}

#[test]
fn parameters_in_another_order_are_asked_about() {
    let unnamed = |ptx: String| {
        ptx.replace(".u64 x", ".u64 big_param_0")
            .replace(".u64 y", ".u64 big_param_1")
            .replace("[x]", "[big_param_0]")
            .replace("[y]", "[big_param_1]")
    };
    let one = unnamed(adds("3"));
    let turned = one.replace("[%a0]", "[%a2]").replace("[%a1]", "[%a0]").replace("[%a2]", "[%a1]");
    let asked = |reference: &str, optimized: &str| {
        let found = pair(reference, optimized, BLOCK).diagnostics;
        found.iter().any(|diagnostic| diagnostic.message.contains("say so with `args`"))
    };
    assert!(asked(&one, &turned));
    assert!(!asked(&one, &one));
}
