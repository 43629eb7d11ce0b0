//! Questions that want more time or memory than they are worth: each ends by what is counted, at the same
//! place on every machine.
//!
//! A question's own count (instructions, barriers, steps) is held against its budget wherever it is printed;
//! where all that can be seen is that it ends, it is one that did not within minutes before it was mended,
//! and [`SOON`] is wide enough for a busy machine. What a face counts (seconds, the memory of the process)
//! is tested beside the command line.

use std::fmt::Write;
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Exhausted};
use warpproof::report::{self, Input, Report, RunOptions, Verdict};

/// What takes seconds, and took minutes.
const SOON: Duration = Duration::from_secs(60);

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
const MEMORY: u64 = 480 << 20;

/// An entry with pointers `x` and `o` as parameters.
fn kernel(body: &str) -> String {
    let registers = ".reg .pred %p<9>; .reg .b32 %r<2000>; .reg .b64 %rd<99>; .reg .f32 %f<99>;";
    let pointers = "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [o];";
    format!(
        "{HEAD}.visible .entry k(.param .u64 x, .param .u64 o)\n{{\n{registers}\n{pointers}\n{body}\nret;\n}}\n"
    )
}

fn spec(threads: u32, kind: &str, inputs: u64, outputs: u64) -> String {
    format!(
        "[launch]\nblock = [{threads}, 1, 1]\n\
         [tensors.x]\ntype = \"{kind}\"\nshape = [{inputs}]\nrole = \"in\"\n\
         [tensors.o]\ntype = \"{kind}\"\nshape = [{outputs}]\nrole = \"out\"\n"
    )
}

fn ask(reference: Option<&str>, optimized: &str, spec: &str, budget: &Budget) -> Report {
    let input = Input { reference, optimized, spec: Some(spec), ..Input::default() };
    let begun = Instant::now();
    let report =
        report::check(&input, &RunOptions { threads: Some(2), ..RunOptions::default() }, budget).report;
    let took = begun.elapsed();
    assert!(took < SOON, "{took:.0?}: {}", report.summary);
    report
}

/// A loop around a body that never ends as far as anybody sees, and what its kernel executed before it was
/// stopped.
fn endless(threads: u32, before: &str, body: &str) -> report::KernelReport {
    let text = kernel(&format!(
        "{before}\nmov.u32 %r1, 0;\nL: {body}\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 2000000000;\n@%p1 bra L;"
    ));
    let budget = Budget::new(FUEL, MEMORY);
    let mut report = ask(None, &text, &spec(threads, "f32", 1024, 1024), &budget);
    assert_eq!(report.verdict, Verdict::ResourceLimit, "{}", report.summary);
    assert!(report.summary.contains("does not leave this loop within"), "{}", report.summary);
    assert!(report.hint.is_some());
    let place = report.diagnostics[0].primary.as_ref().expect("a place");
    assert!(place.at.line > 1);
    assert!(report.diagnostics[0].notes.iter().any(|note| note.contains("`--fuel`")));
    let kernel = report.kernels.remove(0);
    // The rounds that it names are those that it made: four instructions each, whatever the warps.
    let rounds = report.summary.split_once(" rounds of it").expect("rounds").0;
    let rounds = rounds.rsplit_once('(').expect("a number").1.replace(',', "");
    let rounds: u64 = rounds.parse().expect("a number");
    let ran = kernel.thread_instructions / u64::from(threads.min(32));
    assert!(rounds * 4 <= ran && ran < rounds * 4 + 400, "{rounds} rounds, {ran} instructions of warps");
    kernel
}

const FUEL: u64 = 20_000_000;

#[test]
fn what_takes_longer_counts_for_more() {
    // What one round counts for: that of each lane's barrier, barrier object, atomic.
    let rounds = |kernel: &report::KernelReport, threads: u64, each: u64| {
        let most = FUEL / each / threads + 2;
        let ran = kernel.thread_instructions / threads;
        assert!(ran < most * 6, "{ran} instructions of a thread, for {most} rounds");
        assert!(ran > most / 2, "{ran} instructions of a thread, for {most} rounds");
    };
    rounds(&endless(1024, "", "bar.sync 0;"), 1024, 20);
    let object = ".shared .align 8 .b64 m;\nmov.u32 %r2, m;\nmbarrier.init.shared.b64 [%r2], 1;";
    rounds(&endless(1, object, "mbarrier.arrive.shared.b64 %rd3, [%r2];"), 1, 224);
    let counter = ".shared .align 4 .b32 c;\nmov.u32 %r2, c;\nst.shared.u32 [%r2], 0;\nbar.sync 0;";
    rounds(&endless(32, counter, "red.shared.add.u32 [%r2], 1;"), 32, 12);
    // Plain arithmetic counts as instructions.
    let plain = endless(32, "", "xor.b32 %r3, %r1, 5;");
    assert!(plain.thread_instructions > FUEL - 1000, "{}", plain.thread_instructions);
}

#[test]
fn registers_that_do_not_fit_are_refused_before_they_are_made() {
    let mut body = "ld.global.f32 %f1, [%rd1];\n".to_owned();
    let declared = ".reg .f32 %g<40001>;";
    let _ = writeln!(body, "{declared}\nmov.f32 %g0, %f1;");
    for at in 0..40_000 {
        let _ = writeln!(body, "add.f32 %g{}, %g{at}, %f1;", at + 1);
    }
    body += "st.global.f32 [%rd2], %g40000;";
    let report = ask(None, &kernel(&body), &spec(1024, "f32", 1, 1), &Budget::new(FUEL, 64 << 20));
    assert_eq!(report.verdict, Verdict::ResourceLimit, "{}", report.summary);
    assert!(report.kernels[0].bytes < 80 << 20, "{} bytes", report.kernels[0].bytes);
}

/// Branches back over each other, with barriers between them: as many loops as there are branches.
#[test]
fn many_loops_around_barriers_are_told_apart_soon() {
    let mut body = "mov.u32 %r1, 0;\n".to_owned();
    for at in 0..6000u32 {
        let back = at.saturating_sub(5);
        let _ = writeln!(
            body,
            "L{at}: add.u32 %r1, %r1, 1;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, {at};\n@%p1 bra L{back};"
        );
    }
    let report = ask(None, &kernel(&body), &spec(64, "f32", 1, 1), &Budget::new(200_000_000, MEMORY));
    assert_eq!(report.verdict, Verdict::RaceFree, "{}", report.summary);
}

/// A linear congruential generator: the coefficients of its normal form grow by 21 bits a round.
#[test]
fn long_coefficients_count_for_their_length() {
    let round = "mad.lo.u32 %r2, %r2, 1664525, 1013904223;\n";
    let text = |rounds: u32, each: &str| {
        let rest = format!("add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, {rounds};\n@%p1 bra L;\n");
        kernel(&format!(
            "ld.global.u32 %r2, [%rd1];\nmov.u32 %r1, 0;\nL: {each}{rest}st.global.u32 [%rd2], %r2;"
        ))
    };
    let (reference, optimized) = (text(20_000, round), text(10_000, &round.repeat(2)));
    let report = ask(Some(&reference), &optimized, &spec(1, "u32", 1, 1), &Budget::default());
    assert!(matches!(report.verdict, Verdict::Equivalent | Verdict::Unknown), "{}", report.summary);
}

/// An edit distance: minima of minima, with as many ways through them as there are paths through the table.
#[test]
fn nested_minima_are_looked_at_once() {
    const SIZE: usize = 24;
    let distance = |first: &str, second: &str| {
        let mut body = String::new();
        for at in 0..SIZE {
            let (a, b) = (100 + at, 200 + at);
            let _ = writeln!(
                body,
                "ld.global.s32 %r{a}, [%rd1+{}];\nld.global.s32 %r{b}, [%rd1+{}];",
                4 * at,
                4 * (SIZE + at)
            );
        }
        (0..=SIZE).for_each(|at| {
            let _ = writeln!(body, "mov.u32 %r{}, {at};", 300 + at);
        });
        for i in 0..SIZE {
            let _ = writeln!(body, "mov.u32 %r10, %r300;\nmov.u32 %r300, {};", i + 1);
            for j in 1..=SIZE {
                let (a, b, here, left) = (100 + i, 199 + j, 300 + j, 299 + j);
                let _ = writeln!(
                    body,
                    "setp.ne.s32 %p1, %r{a}, %r{b};\nselp.s32 %r11, 1, 0, %p1;\nadd.s32 %r12, %r10, %r11;\n\
                     mov.u32 %r10, %r{here};\nadd.s32 %r13, %r{here}, 1;\nadd.s32 %r14, %r{left}, 1;\n\
                     min.s32 %r15, %r{first}, %r{second};\nmin.s32 %r{here}, %r15, %r{};",
                    12 + 13 + 14 - first.parse::<u32>().unwrap_or(0) - second.parse::<u32>().unwrap_or(0)
                );
            }
        }
        let _ = writeln!(body, "st.global.s32 [%rd2], %r{};", 300 + SIZE);
        kernel(&body)
    };
    let (reference, optimized) = (distance("12", "13"), distance("14", "12"));
    let report = ask(Some(&reference), &optimized, &spec(1, "s32", 2 * SIZE as u64, 1), &Budget::default());
    assert!(matches!(report.verdict, Verdict::Equivalent | Verdict::Unknown), "{}", report.summary);
}

/// Absolute values within one another, where both kernels differ: what values stand for them.
#[test]
fn absolute_values_are_valued_as_deep_as_a_loop_is_long() {
    let text = |at: u32| {
        kernel(&format!(
            "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+{at}];\nmov.u32 %r1, 0;\n\
             L: sub.f32 %f1, %f1, %f2;\nabs.f32 %f1, %f1;\nadd.u32 %r1, %r1, 1;\n\
             setp.ne.u32 %p1, %r1, 20000;\n@%p1 bra L;\nst.global.f32 [%rd2], %f1;"
        ))
    };
    let report = ask(Some(&text(4)), &text(8), &spec(1, "f32", 4, 1), &Budget::default());
    assert!(matches!(report.verdict, Verdict::NotEquivalent | Verdict::Unknown), "{}", report.summary);
}

/// Conditions within one another, on a register that nothing has written where none of them holds.
#[test]
fn conditions_of_what_was_never_written_nest() {
    let mut body = "ld.global.u32 %r1, [%rd1];\n".to_owned();
    for at in 0..3000 {
        let _ = writeln!(body, "setp.eq.u32 %p1, %r1, {at};\n@%p1 bra M{at};\nadd.u32 %r2, %r2, 1;\nM{at}:");
    }
    body += "st.global.u32 [%rd2], %r2;";
    let report = ask(None, &kernel(&body), &spec(1, "u32", 1, 1), &Budget::default());
    assert_eq!(report.verdict, Verdict::UninitializedRead, "{}", report.summary);
}

/// A loop that comes back as it was is told from one that is long.
#[test]
fn what_never_ends_is_no_matter_of_budgets() {
    let text = kernel("L: add.u32 %r1, %r2, 1;\nbra L;");
    let report = ask(None, &text, &spec(32, "f32", 1, 1), &Budget::default());
    assert_eq!(report.verdict, Verdict::Deadlock, "{}", report.summary);
    assert!(report.summary.contains("never leaves this loop"), "{}", report.summary);
    assert!(report.kernels[0].thread_instructions < FUEL);
}

/// A count of rounds that the budget ends takes seconds with one thread, too.
#[test]
fn one_thread_counts_for_a_warp() {
    let kernel = endless(1, "", "xor.b32 %r3, %r1, 5;");
    assert!(kernel.thread_instructions < FUEL / 32 + 100, "{}", kernel.thread_instructions);
}

/// What a comparison takes is counted, on all threads together, and the same whatever their number.
#[test]
fn a_comparison_ends_by_its_own_count() {
    let sum = |first: u32, second: u32| {
        let mut body = "ld.global.f32 %f1, [%rd1];\nmov.f32 %f2, 0f3F800000;\n".to_owned();
        for at in 1..=14 {
            let _ = writeln!(body, "ld.global.f32 %f3, [%rd1+{}];", 4 * at);
            let _ = writeln!(body, "ld.global.f32 %f4, [%rd1+{}];", 4 * (at + first) % 64);
            let _ = writeln!(body, "max.f32 %f5, %f3, %f1;\nadd.f32 %f4, %f4, %f5;");
            let _ = writeln!(body, "mul.f32 %f2, %f2, %f4;\nadd.f32 %f1, %f1, %f{second};");
        }
        kernel(&(body + "st.global.f32 [%rd2], %f2;"))
    };
    let (reference, optimized) = (sum(3, 3), sum(5, 4));
    let spec = spec(1, "f32", 16, 1);
    let enough = Budget::default();
    let whole = ask(Some(&reference), &optimized, &spec, &enough);
    assert_ne!(whole.verdict, Verdict::ResourceLimit, "{}", whole.summary);
    let taken = enough.spent();
    let fuel = |steps: u64| steps / (enough.steps() / enough.fuel);
    // The last steps go into marks, for which no verdict is given up.
    let short = Budget::new(fuel(taken) / 2, MEMORY);
    let report = ask(Some(&reference), &optimized, &spec, &short);
    assert_eq!(report.verdict, Verdict::ResourceLimit, "{} for {taken} steps", report.summary);
    assert!(report.summary.contains("takes more than the"), "{}", report.summary);
    assert!(report.summary.contains("steps allowed"), "{}", report.summary);
    assert!(report.hint.is_some());
    let input =
        Input { reference: Some(&reference), optimized: &optimized, spec: Some(&spec), ..Input::default() };
    for threads in [1, 3] {
        let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
        let again = Budget::new(short.fuel, MEMORY);
        assert_eq!(report::check(&input, &options, &again).report.to_json(), report.to_json());
        let enough = Budget::new(fuel(taken) + 1, MEMORY);
        let report = report::check(&input, &options, &enough).report;
        assert_eq!((report.verdict, enough.spent()), (whole.verdict, taken));
    }
}

#[test]
fn inference_is_stopped_like_everything_else() {
    let text = kernel("st.global.f32 [%rd2], %f1;");
    let input = Input { reference: None, optimized: &text, spec: None, ..Input::default() };
    for (why, words) in [
        (Exhausted::Time, "takes more time than the 7 seconds allowed"),
        (Exhausted::Cancelled, "was stopped"),
    ] {
        let budget = Budget::default().within(7);
        budget.stop(why);
        let inference = report::infer(&input, &budget);
        assert!(inference.kernels.is_empty());
        let message = &inference.diagnostics[0].message;
        assert!(message.contains(words) && message.contains("texts were read"), "{message}");
    }
    let budget = Budget::default().until(|| 5.0, 0);
    assert!(report::infer(&input, &budget).kernels.is_empty());
    assert!(!report::infer(&input, &Budget::default()).kernels.is_empty());
}

#[test]
fn time_that_is_up_is_no_cancellation() {
    let text = kernel("L: bar.sync 0;\nadd.u32 %r1, %r1, 1;\nbra L;");
    for (why, words) in [
        (Exhausted::Time, "takes more time than the 7 seconds allowed"),
        (Exhausted::Memory, "needs more memory"),
    ] {
        let budget = Budget::new(u64::MAX, MEMORY).within(7);
        budget.stop(why);
        budget.cancel();
        let report = ask(None, &text, &spec(64, "f32", 1, 1), &budget);
        assert_eq!(report.verdict, Verdict::ResourceLimit, "{}", report.summary);
        assert!(report.summary.contains(words), "{}", report.summary);
        assert!(report.hint.is_some());
    }
}

/// Integers that a long loop nests in one another: absolute values and clamps.
#[test]
fn integers_are_nested_as_deep_as_a_loop_is_long() {
    let nested = |round: &str| {
        kernel(&format!(
            "ld.global.s32 %r2, [%rd1];\nld.global.s32 %r3, [%rd1+4];\nmov.u32 %r1, 0;\nL: {round}\n\
             add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 5000;\n@%p1 bra L;\nst.global.s32 [%rd2], %r2;"
        ))
    };
    let clamped = |first: &str, last: &str| {
        nested(&format!("add.s32 %r2, %r2, %r3;\n{first}.s32 %r2, %r2, %r4;\n{last}.s32 %r2, %r2, %r5;"))
    };
    let limits = |text: String| {
        text.replace("mov.u32 %r1, 0;", "mov.u32 %r4, -128;\nmov.u32 %r5, 127;\nmov.u32 %r1, 0;")
    };
    let other = clamped("min", "max")
        .replace("mov.u32 %r1, 0;", "mov.u32 %r5, -128;\nmov.u32 %r4, 127;\nmov.u32 %r1, 0;");
    let pairs = [
        (
            nested("sub.s32 %r2, %r2, %r3;\nabs.s32 %r2, %r2;"),
            nested("sub.s32 %r2, %r3, %r2;\nabs.s32 %r2, %r2;"),
        ),
        (limits(clamped("max", "min")), other),
    ];
    for (reference, optimized) in pairs {
        let report = ask(Some(&reference), &optimized, &spec(1, "s32", 2, 1), &Budget::default());
        assert!(matches!(report.verdict, Verdict::Equivalent | Verdict::Unknown), "{}", report.summary);
    }
}
