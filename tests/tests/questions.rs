//! Whole questions, small: what is inferred, what has to be said, and which verdict wins.

use warpproof::base::Budget;
use warpproof::report::{self, Input, Report, RunOptions, Verdict};
use warpproof::spec;
use warpproof_tests::ask::{analyze, check};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel of two threads over registers of every kind; `%r0` is the thread, `%rd1` its byte
/// offset into an array of words.
fn kernel(parameters: &str, body: &str) -> String {
    named("k", ".reqntid 2", parameters, body)
}

fn named(name: &str, directives: &str, parameters: &str, body: &str) -> String {
    format!(
        "{HEAD}.visible .entry {name}({parameters})\n{directives}\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n\
         mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n{body}\nret;\n}}\n"
    )
}

/// `y[tid] = f(x[tid])` with `%f1` in and `%f2` out.
fn map(compute: &str) -> String {
    kernel(
        ".param .u64 k_param_0, .param .u64 k_param_1",
        &format!(
            "ld.param.u64 %rd2, [k_param_0]; ld.param.u64 %rd3, [k_param_1];\n\
             add.s64 %rd4, %rd2, %rd1; add.s64 %rd5, %rd3, %rd1;\n\
             ld.global.f32 %f1, [%rd4];\n{compute}\nst.global.f32 [%rd5], %f2;"
        ),
    )
}

/// All messages and notes of a code.
fn said(report: &Report, code: &str) -> String {
    let of_code = report.diagnostics.iter().filter(|d| d.code == code);
    of_code.map(|d| format!("{}; {}", d.message, d.notes.join("; "))).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn expect(report: &Report, verdict: Verdict) {
    assert_eq!(report.verdict, verdict, "{}\n{:#?}", report.summary, report.diagnostics);
}

const TWICE: &str = "add.f32 %f2, %f1, %f1;";
const TIMES_TWO: &str = "mul.f32 %f2, %f1, 0f40000000;";
const TIMES_THREE: &str = "mul.f32 %f2, %f1, 0f40400000;";

#[test]
fn no_spec_is_needed_where_the_ptx_says_everything() {
    let report = check(&map(TWICE), &map(TIMES_TWO), "");
    expect(&report, Verdict::Equivalent);
    assert_eq!(report.outputs.len(), 1);
    assert_eq!((report.outputs[0].tensor.as_str(), report.outputs[0].equal), ("arg1", 2));
    let inferred = said(&report, "V011");
    assert!(inferred.contains("`arg0` (pointer to f32)"), "{inferred}");
    assert!(
        report.assumptions.iter().any(|a| a.text.contains("`arg1` is an output")),
        "{:?}",
        report.assumptions
    );
}

#[test]
fn a_difference_comes_with_inputs_that_show_it_again() {
    let (reference, optimized) = (map(TWICE), map(TIMES_THREE));
    let report = check(&reference, &optimized, "");
    expect(&report, Verdict::NotEquivalent);
    let counterexample = report.counterexample.as_ref().expect("a counterexample");
    assert_ne!(counterexample.reference_value, counterexample.optimized_value);
    assert!(!counterexample.inputs.is_empty());
    let again = check(&reference, &optimized, &counterexample.spec);
    expect(&again, Verdict::NotEquivalent);
}

#[test]
fn an_integer_needs_a_value_and_the_message_says_what_to_write() {
    let body = "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r0, %r1; @!%p1 bra DONE;\nDONE:";
    let ptx = kernel(".param .u32 n", body);
    let report = analyze(&ptx, "");
    expect(&report, Verdict::InvalidSpec);
    assert!(said(&report, "V010").contains("add `n = 128` under [scalars]"), "{}", said(&report, "V010"));
    expect(&analyze(&ptx, "[scalars]\nn = 2"), Verdict::RaceFree);
    let over = spec::parse("[scalars]\nn = 2").0;
    let input =
        Input { reference: None, optimized: &ptx, spec: None, overrides: Some(&over), ..Input::default() };
    let report = report::check(&input, &RunOptions::default(), &Budget::default()).report;
    expect(&report, Verdict::RaceFree);
}

#[test]
fn a_parameter_that_nothing_reads_needs_no_value() {
    expect(&analyze(&kernel(".param .u32 unused", ""), ""), Verdict::RaceFree);
}

#[test]
fn blocks_come_from_the_ptx_or_have_to_be_said() {
    let bare = named("k", "", "", "");
    let report = analyze(&bare, "");
    expect(&report, Verdict::InvalidSpec);
    assert!(said(&report, "V010").contains("add `block = [128, 1, 1]` under [launch]"));
    let report = analyze(&kernel("", ""), "[launch]\nblock = 4");
    expect(&report, Verdict::InvalidSpec);
    assert!(said(&report, "V010").contains("requires blocks of 2×1×1"), "{}", said(&report, "V010"));
}

#[test]
fn wrong_argument_counts_list_the_parameters() {
    let report = analyze(&map(TWICE), "[optimized]\nargs = [\"x\"]");
    expect(&report, Verdict::InvalidSpec);
    let text = said(&report, "V010");
    assert!(text.contains("`args` has 1 entries, `k` has 2 parameters"), "{text}");
    assert!(text.contains("`arg0` (pointer to f32)"), "{text}");
}

#[test]
fn kernels_that_do_not_correspond_are_told_so() {
    let report = check(&map(TWICE), &kernel(".param .u64 only", ""), "");
    expect(&report, Verdict::InvalidSpec);
    let text = said(&report, "V010");
    assert!(text.contains("do not correspond by position (2 and 1)"), "{text}");
    assert!(text.contains("under [reference] `args = [\"arg0\", \"arg1\"]`"), "{text}");
    assert!(text.contains("under [optimized] `args = [\"only\"]`"), "{text}");
}

#[test]
fn an_element_that_one_kernel_leaves_out_is_a_difference() {
    let spec = "[reference]\nargs = [\"x\", \"y\"]\n[tensors.y]\ntype = \"f32\"\nshape = 2\nrole = \"out\"";
    let half = map("add.f32 %f2, %f1, %f1; setp.eq.u32 %p1, %r0, 0; @!%p1 ret;");
    let report = check(&map(TWICE), &half, spec);
    expect(&report, Verdict::NotEquivalent);
    assert!(
        said(&report, "Q003").contains("`y[1]`: only the reference kernel writes it"),
        "{}",
        said(&report, "Q003")
    );
    // Without a declared role the other kernel leaves the initial value, which is any value.
    let report = check(&map(TWICE), &half, "");
    expect(&report, Verdict::NotEquivalent);
    assert!(report.counterexample.is_some());
}

#[test]
fn elements_that_neither_writes_are_reported() {
    let spec = "[reference]\nargs = [\"x\", \"y\"]\n[tensors.y]\ntype = \"f32\"\nshape = 3\nrole = \"out\"";
    let report = check(&map(TWICE), &map(TIMES_TWO), spec);
    expect(&report, Verdict::Equivalent);
    assert!(
        said(&report, "Q003").contains("neither kernel writes the element `y[2]`"),
        "{}",
        said(&report, "Q003")
    );
}

#[test]
fn nothing_to_compare_is_not_equivalent() {
    let report = check(&kernel("", ""), &kernel("", ""), "");
    expect(&report, Verdict::Unknown);
    assert!(report.summary.contains("nothing to compare"), "{}", report.summary);
}

#[test]
fn the_worst_fault_names_the_verdict_and_all_are_listed() {
    let stray = kernel("", ".shared .b32 s;\nst.shared.u32 [s+4], %r0;");
    let racy = kernel("", ".shared .b32 s;\nst.shared.u32 [s], %r0;");
    let report = check(&stray, &racy, "");
    expect(&report, Verdict::DataRace);
    assert!(report.summary.starts_with("Data race in the optimized kernel `k`"), "{}", report.summary);
    assert!(!said(&report, "R001").is_empty() && !said(&report, "M001").is_empty());
    let race = &report.races[0];
    assert_eq!((race.first.at.line, race.first.action.as_str()), (race.second.at.line, "writes"));
    assert_ne!(race.first.thread.linear, race.second.thread.linear);
}

#[test]
fn copies_of_bits_follow_the_kernel_that_shows_floats() {
    let bits = map("")
        .replace("ld.global.f32 %f1", "ld.global.u32 %r1")
        .replace("st.global.f32 [%rd5], %f2", "st.global.u32 [%rd5], %r1");
    let floats = map("mul.f32 %f2, %f1, 0f3F800000;");
    expect(&check(&floats, &bits, ""), Verdict::Equivalent);
    // The sum of two floats is not the sum of their bits.
    let sum = map("")
        .replace("ld.global.f32 %f1", "ld.global.u32 %r1")
        .replace("st.global.f32 [%rd5], %f2", "add.u32 %r2, %r1, %r1; st.global.u32 [%rd5], %r2");
    let report = check(&map(TWICE), &sum, "");
    assert_ne!(report.verdict, Verdict::Equivalent, "{}", report.summary);
}

#[test]
fn index_tensors_have_contents() {
    let gather = kernel(
        ".param .u64 index, .param .u64 x, .param .u64 y",
        "ld.param.u64 %rd2, [index]; ld.param.u64 %rd3, [x]; ld.param.u64 %rd4, [y];\n\
         add.s64 %rd5, %rd2, %rd1; ld.global.u32 %r1, [%rd5]; mul.wide.u32 %rd6, %r1, 4;\n\
         add.s64 %rd6, %rd3, %rd6; ld.global.f32 %f1, [%rd6]; add.s64 %rd4, %rd4, %rd1;\n\
         st.global.f32 [%rd4], %f1;",
    );
    expect(&analyze(&gather, ""), Verdict::NotStructured);
    let spec = "[tensors.index]\ntype = \"s32\"\nshape = 2\nrole = \"in\"\ncontents = [1, 0]";
    let report = analyze(&gather, spec);
    expect(&report, Verdict::RaceFree);
    let output = report.outputs.iter().find(|output| output.tensor == "y").expect("y is written");
    let texts: Vec<_> =
        output.groups.iter().filter_map(|group| Some(group.optimized.as_ref()?.text.as_str())).collect();
    assert_eq!(texts, ["x[1]", "x[0]"]);
}

#[test]
fn structs_are_given_field_by_field() {
    let ptx = kernel(
        ".param .align 8 .b8 args[16]",
        "ld.param.u64 %rd2, [args]; ld.param.u32 %r1, [args+8]; cvt.rn.f32.u32 %f1, %r1;\n\
         add.s64 %rd2, %rd2, %rd1; st.global.f32 [%rd2], %f1;",
    );
    let report = analyze(&ptx, "");
    expect(&report, Verdict::InvalidSpec);
    assert!(
        said(&report, "V010").contains("add `args_8 = 128` under [scalars]"),
        "{}",
        said(&report, "V010")
    );
    let report = analyze(&ptx, "[scalars]\nargs_8 = 7\n[tensors.args_0]\nshape = 2");
    expect(&report, Verdict::RaceFree);
    assert_eq!(report.outputs[0].groups[0].optimized.as_ref().map(|e| e.text.as_str()), Some("7"));
    // Where the kernel works out what it reads, nobody knows what lies there.
    let moved = ptx.replace(
        "ld.param.u64 %rd2, [args];",
        "mov.u64 %rd3, args; add.s64 %rd3, %rd3, %rd1; ld.param.u64 %rd2, [%rd3];",
    );
    let report = analyze(&moved, "");
    expect(&report, Verdict::InvalidSpec);
    assert!(said(&report, "V010").contains("{ fields = "), "{}", said(&report, "V010"));
    let spec = "[optimized]\nargs = [{ fields = [[0, { tensor = \"y\", type = \"f32\" }], [8, 7]] }]\n[tensors.y]\nshape = 2\nrole = \"out\"";
    let report = analyze(&ptx, spec);
    expect(&report, Verdict::RaceFree);
    assert_eq!(report.outputs[0].groups[0].optimized.as_ref().map(|e| e.text.as_str()), Some("7"));
}

#[test]
fn only_the_ctas_that_ran_are_covered() {
    let report = check(&map(TWICE), &map(TIMES_TWO), "[launch]\ngrid = 4");
    expect(&report, Verdict::Equivalent);
    assert!(
        report.assumptions.iter().any(|a| a.text.contains("only CTA (0,0,0) of the 4")),
        "{:?}",
        report.assumptions
    );
}

#[test]
fn a_run_that_was_stopped_says_so() {
    let budget = Budget::default();
    budget.cancel();
    let (reference, optimized) = (map(TWICE), map(TIMES_TWO));
    let input = Input { reference: Some(&reference), optimized: &optimized, spec: None, ..Input::default() };
    expect(&report::check(&input, &RunOptions::default(), &budget).report, Verdict::Cancelled);
}

#[test]
fn several_entries_need_a_name() {
    let two = format!(
        "{}{}",
        named("first", ".reqntid 1", "", ""),
        named("_Z5scaleIfEvv", ".reqntid 1", "", "").replace(HEAD, "")
    );
    let report = analyze(&two, "");
    expect(&report, Verdict::InvalidPtx);
    let text = said(&report, "V003");
    assert!(text.contains("`[optimized]`; the module has `first`, `scale<float>`"), "{text}");
    for name in ["_Z5scaleIfEvv", "scale<float>", "scale< float >"] {
        let report = analyze(&two, &format!("[optimized]\nentry = \"{name}\""));
        expect(&report, Verdict::RaceFree);
        assert_eq!(report.kernels[0].name, "_Z5scaleIfEvv");
    }
    let report = analyze(&two, "[optimized]\nentry = \"scale\"");
    assert!(said(&report, "V003").contains("no kernel scale"), "{}", said(&report, "V003"));

    let ask = |spec| {
        let input = Input { reference: None, optimized: &two, spec: Some(spec), ..Input::default() };
        report::infer(&input, &Budget::default())
    };
    assert_eq!(ask("").missing, ["optimized.entry"]);
    let titles: Vec<String> = ask("").kernels[0].entries.iter().map(|entry| entry.title.clone()).collect();
    assert_eq!(titles, ["first", "scale<float>"]);
    assert!(ask("[optimized]\nentry = \"first\"").missing.is_empty());
}

#[test]
fn a_title_that_two_kernels_share_names_neither() {
    let first = named("_Z5scalei", ".reqntid 1", "", "");
    let second = named("_Z5scalef", ".reqntid 1", "", "").replace(HEAD, "");
    let report = analyze(&format!("{first}{second}"), "[optimized]\nentry = \"scale\"");
    expect(&report, Verdict::InvalidPtx);
    let text = said(&report, "V003");
    assert!(text.contains("several kernels called scale") && text.contains("_Z5scalef"), "{text}");
}

#[test]
fn inference_fills_the_launch_strip() {
    let (reference, optimized) = (
        map(TWICE),
        kernel(".param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a", "ld.param.u32 %r1, [n];"),
    );
    let inference = report::infer(
        &Input { reference: None, optimized: &optimized, spec: None, ..Input::default() },
        &Budget::default(),
    );
    let parameters = &inference.kernels[0].parameters;
    let kinds: Vec<_> =
        parameters.iter().map(|p| (p.bound.as_str(), p.kind.as_str(), p.needs_value)).collect();
    assert_eq!(kinds[2..], [("n", "integer", true), ("a", "float", false)]);
    assert_eq!(inference.missing, ["scalars.n"]);
    assert_eq!(inference.kernels[0].required_block, Some([2, 1, 1]));
    let inference = report::infer(
        &Input { reference: Some(&reference), optimized: &reference, spec: None, ..Input::default() },
        &Budget::default(),
    );
    assert!(inference.missing.is_empty());
    // What it prints is a spec, and says the same again.
    let (_, complaints) = spec::parse(&inference.spec);
    assert!(complaints.is_empty(), "{}\n{complaints:?}", inference.spec);
    let again = report::infer(
        &Input {
            reference: Some(&reference),
            optimized: &reference,
            spec: Some(&inference.spec),
            ..Input::default()
        },
        &Budget::default(),
    );
    assert_eq!(again.spec, inference.spec);
}

#[test]
fn junk_is_refused_politely() {
    for junk in ["", "hello", "\u{7f}ELF\u{1}", "{{{{", ".version 8.0", "extern \"C\" __global__ void k() {}"]
    {
        expect(&analyze(junk, ""), Verdict::InvalidPtx);
        expect(&check(junk, &map(TWICE), "]["), Verdict::InvalidPtx);
    }
}

/// The first step of an online softmax, its running sum (0) rescaled from the running maximum (−∞)
/// by 2^(old − new), or the wrong way round.
fn first_step(scale: &str) -> String {
    map(&format!(
        "mov.f32 %f3, 0fFF800000; mov.f32 %f4, 0f00000000;\n\
         max.f32 %f5, %f3, %f1; {scale} mul.f32 %f6, %f6, 0f3FB8AA3B; ex2.approx.f32 %f6, %f6;\n\
         mul.f32 %f4, %f4, %f6; sub.f32 %f7, %f1, %f5; ex2.approx.f32 %f7, %f7;\n\
         add.f32 %f4, %f4, %f7; add.f32 %f2, %f4, %f1;"
    ))
}

/// Found by the independent machine: 0 · 2^(x + ∞) is NaN on every input, and was read as 0.
#[test]
fn zero_times_infinity_is_undefined() {
    let right = first_step("sub.f32 %f6, %f3, %f5;");
    let wrong = first_step("sub.f32 %f6, %f5, %f3;");
    expect(&check(&right, &right, ""), Verdict::Equivalent);
    for (reference, optimized) in [(&right, &wrong), (&wrong, &right)] {
        let report = check(reference, optimized, "");
        expect(&report, Verdict::NotEquivalent);
        assert!(report.summary.contains("undefined (NaN)"), "{report:#?}");
    }
    expect(&check(&wrong, &wrong, ""), Verdict::Equivalent);
}

#[test]
fn infinity_minus_infinity_is_undefined() {
    let undefined =
        map("mov.f32 %f3, 0f7F800000; sub.f32 %f4, %f3, %f1; sub.f32 %f4, %f4, %f3; add.f32 %f2, %f4, %f1;");
    expect(&check(&map("mov.f32 %f2, %f1;"), &undefined, ""), Verdict::NotEquivalent);
    expect(&check(&map("mov.f32 %f2, 0f00000000;"), &undefined, ""), Verdict::NotEquivalent);
    expect(&check(&map("mov.f32 %f2, 0f7FC00000;"), &undefined, ""), Verdict::Equivalent);
}

#[test]
fn dividing_integers_by_zero_is_taken_for_granted_aloud() {
    let divide = |by: u32| {
        kernel(
            ".param .u64 k_param_0",
            &format!(
                "ld.param.u64 %rd2, [k_param_0]; add.s64 %rd3, %rd2, %rd1;\n\
                 and.b32 %r1, %r0, {by};\ndiv.u32 %r2, 7, %r1;\nst.global.u32 [%rd3], %r2;"
            ),
        )
    };
    let spec = "[launch]\ngrid = 1\nblock = 2\n[reference]\nargs = [\"y\"]\n[optimized]\nargs = [\"y\"]\n\
                [tensors.y]\ntype = \"u32\"\nshape = [2]\nrole = \"out\"\n";
    let assumed = |ptx: &str| {
        let report = check(ptx, ptx, spec);
        expect(&report, Verdict::Equivalent);
        report.assumptions.iter().filter(|a| a.text.contains("divided by zero")).map(|a| a.count).sum::<u64>()
    };
    // Thread 0 divides by zero, in both kernels; thread 1 does not.
    assert_eq!(assumed(&divide(1)), 2);
    let other = divide(1).replace("and.b32", "or.b32");
    assert_eq!(assumed(&other), 0);
}

/// `y[tid] = scale · x[tid]` where `tid < n`; the scale is declared as `.b32`, as some compilers do.
fn scaled(declared: &str) -> String {
    kernel(
        &format!(".param .u64 x, .param .u64 y, .param .{declared} s, .param .u32 n"),
        "ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [y]; ld.param.b32 %r1, [s]; ld.param.u32 %r2, [n];\n\
         setp.ge.s32 %p1, %r0, %r2; @%p1 bra DONE;\n\
         add.s64 %rd4, %rd2, %rd1; add.s64 %rd5, %rd3, %rd1;\n\
         mov.b32 %f3, %r1; ld.global.f32 %f1, [%rd4]; mul.f32 %f2, %f1, %f3; st.global.f32 [%rd5], %f2;\nDONE:",
    )
}

fn of_formula(optimized: &str, spec: &str) -> Report {
    let input = Input { optimized, spec: Some(spec), ..Input::default() };
    report::check(&input, &RunOptions::default(), &Budget::default()).report
}

/// A formula, scalars as `s` and `n`, and more of the spec.
fn of_scalars(declared: &str, code: &str, [s, n]: [&str; 2]) -> Report {
    let spec = format!(
        "[optimized]\nargs = [\"x\", \"y\", \"s\", \"n\"]\n[formula]\ncode = \"{code}\"\n\
         [tensors.x]\nshape = [2]\n[tensors.y]\nshape = [2]\n[scalars]\ns = {s}\nn = {n}\n"
    );
    of_formula(&scaled(declared), &spec)
}

#[test]
fn the_bits_of_a_float_are_no_integer() {
    expect(&of_scalars("f32", "y = 2 * x", ["2", "2"]), Verdict::Equivalent);
    for n in ["0.5", "8.5", "-1.5"] {
        let report = of_scalars("f32", "y = 2 * x", ["2", n]);
        expect(&report, Verdict::InvalidSpec);
        let told = said(&report, "V010");
        assert!(told.contains(&format!("parameter 4 (`n`) of `k` is .u32 and cannot hold {n}")), "{told}");
        assert!(report.diagnostics[0].primary.is_some());
    }
    assert!(said(&of_scalars("f32", "y = 2 * x", ["2", "8.0"]), "V010").contains("write 8"));
    let literal = "[optimized]\nargs = [\"x\", \"y\", 2, 0.5]\n[formula]\ncode = \"y = 2 * x\"\n\
                   [tensors.x]\nshape = [2]\n[tensors.y]\nshape = [2]\n";
    let report = of_formula(&scaled("f32"), literal);
    expect(&report, Verdict::InvalidSpec);
    assert!(report.diagnostics[0].primary.is_some());
}

#[test]
fn a_type_has_to_be_what_the_kernel_takes_a_parameter_for() {
    let report = of_scalars("f32", "y = s * x", ["{ type = \"s32\" }", "2"]);
    assert!(said(&report, "V010").contains("(`s`) of `k` is .f32 and cannot be any s32"));
    let report = of_scalars("f32", "y = 2 * x", ["2", "{ type = \"f32\" }"]);
    assert!(said(&report, "V010").contains("(`n`) of `k` is .u32 and cannot be any f32"));
    // Bits are what instructions take them for.
    for s in ["2", "2.0"] {
        expect(&of_scalars("b32", "y = 2 * x", [s, "2"]), Verdict::Equivalent);
        expect(&of_scalars("u32", "y = 2 * x", [s, "2"]), Verdict::Equivalent);
    }
    expect(&of_scalars("b32", "y = s * x", ["{ type = \"f32\" }", "2"]), Verdict::Equivalent);
    expect(&of_scalars("u32", "y = s * x", ["{ type = \"f32\" }", "2"]), Verdict::Equivalent);
    let report = of_scalars("b32", "y = s * x", ["{ type = \"s32\" }", "2"]);
    assert!(said(&report, "V010").contains("is .b32, which the kernel reads as f32, and cannot be any s32"));
}

#[test]
fn a_formula_speaks_of_tensors_that_the_kernel_takes() {
    let spec = |code: &str, more: &str| {
        format!(
            "[optimized]\nargs = [\"x_ptr\", \"y_ptr\"]\n[formula]\ncode = \"{code}\"\n[tensors.x]\nshape = [2]\n\
             [tensors.y]\nshape = [2]\n{more}"
        )
    };
    for (code, name, how) in
        [("y = y", "y", "assigns"), ("y_ptr = 2 * x", "x", "reads"), ("y = 2 * x_ptr", "y", "assigns")]
    {
        let report = of_formula(&map(TWICE), &spec(code, ""));
        expect(&report, Verdict::InvalidSpec);
        let told = said(&report, "V012");
        assert!(told.contains(&format!("the formula {how} `{name}`, which `k` does not take")), "{told}");
        assert!(told.contains("`x_ptr`, `y_ptr`"), "{told}");
    }
    // Numbers that the spec gives are numbers.
    let table = "[tensors.t]\nshape = [2]\ntype = \"f32\"\ncontents = [2, 2]\n";
    expect(&of_formula(&map(TWICE), &spec("y_ptr = t * x_ptr", table)), Verdict::Equivalent);
}

/// `y[tid] = z[clamped]`, the index `%r1` made of `%r2`, which is `x[tid]`.
fn gather(index: &str) -> String {
    kernel(
        ".param .u64 x, .param .u64 z, .param .u64 y",
        &format!(
            "ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [z]; ld.param.u64 %rd4, [y];\n\
             add.s64 %rd5, %rd2, %rd1; ld.global.s32 %r2, [%rd5];\n{index}\nmul.wide.s32 %rd6, %r1, 4;\n\
             add.s64 %rd7, %rd3, %rd6; ld.global.f32 %f1, [%rd7];\n\
             add.s64 %rd5, %rd4, %rd1; st.global.f32 [%rd5], %f1;"
        ),
    )
}

fn taken(index: &str, code: &str) -> Report {
    let spec = format!(
        "[formula]\ncode = \"{code}\"\n[tensors.x]\ntype = \"s32\"\nshape = [2]\n[tensors.z]\nshape = [4]\n\
         [tensors.y]\nshape = [2]\n"
    );
    of_formula(&gather(index), &spec)
}

#[test]
fn an_index_outside_of_its_axis_is_no_counterexample() {
    let clamped = "max.s32 %r1, %r2, 0; min.s32 %r1, %r1, 3;";
    for code in ["y = take(z, x)", "y = z[x]"] {
        expect(&taken(clamped, code), Verdict::Equivalent);
        // Inside, there is a difference: 2 becomes 1.
        let wrong = taken("max.s32 %r1, %r2, 0; min.s32 %r1, %r1, 1;", code);
        expect(&wrong, Verdict::NotEquivalent);
        let inputs = &wrong.counterexample.as_ref().expect("a counterexample").inputs;
        let x = inputs.iter().find(|values| values.name == "x").expect("the indices");
        let all = x.dense.as_ref().expect("two numbers");
        assert!(all.iter().all(|value| ["0", "1", "2", "3"].contains(&value.as_str())), "{all:?}");
    }
    // Of a choice, the side counts that is taken: below 0 the formula has a value.
    let guarded = "y = where(x >= 0, take(z, x), z[1])";
    expect(&taken(clamped, guarded), Verdict::NotEquivalent);
    let right =
        "setp.lt.s32 %p1, %r2, 0; max.s32 %r1, %r2, 0; min.s32 %r1, %r1, 3; selp.b32 %r1, 1, %r1, %p1;";
    expect(&taken(right, guarded), Verdict::Equivalent);
    // An index of an index.
    expect(&taken(clamped, "y = take(z, take(x, x * 0) * 0 + x)"), Verdict::Equivalent);
}

#[test]
fn a_double_of_a_formula_is_a_rounded_number() {
    let with = |code: &str, compute: &str| {
        of_formula(
            &map(compute),
            &format!("[optimized]\nargs = [\"x\", \"y\"]\n[formula]\ncode = \"{code}\"\n"),
        )
    };
    let third = "div.rn.f32 %f2, %f1, 0f40400000;";
    expect(&with("y = x * 0.3333333333333333", third), Verdict::Equivalent);
    // One unit in the last place beside it.
    expect(&with("y = x * 0.33333333333333337", third), Verdict::EqualUpToRounding);
    // What somebody writes is what it says.
    expect(&with("y = x * 0.333", third), Verdict::NotEquivalent);
    expect(&with("y = x * 0.33333333", third), Verdict::NotEquivalent);
}
