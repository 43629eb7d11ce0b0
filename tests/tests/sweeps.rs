//! Sweeps: every combination of a spec's sizes is asked, each as a question of its own; the smallest that fails is
//! found, and what was not asked is said to be so. What was measured is printed (`-- --nocapture`).

use std::time::Instant;
use warpproof::base::{Budget, Exhausted};
use warpproof::report::{self, Input, RunOptions, SweepReport, Sweeping, Verdict};
use warpproof::spec;
use warpproof_tests::corpus::Texts;
use warpproof_tests::sweeps::{ask, texts};

/// The answers, and what they took.
fn measured(name: &str) -> SweepReport {
    let begun = Instant::now();
    let report = ask(&texts(name), &RunOptions::default(), &Budget::default());
    println!("{name}: {} combinations in {:.1} s", report.combinations.len(), begun.elapsed().as_secs_f64());
    report
}

/// `n = 1 … 31: equivalent`, by row.
fn rows(report: &SweepReport) -> Vec<String> {
    let verdict = |verdict: Option<Verdict>| verdict.map_or("not asked", Verdict::name);
    report.rows.iter().map(|row| format!("{}: {}", row.title, verdict(row.verdict))).collect()
}

#[test]
fn a_softmax_row_is_proved_for_256_sizes() {
    let report = measured("softmax_row.toml");
    assert_eq!((report.verdict, report.combinations.len()), (Verdict::Equivalent, 256));
    assert!(report.combinations.iter().all(|one| one.verdict == Some(Verdict::Equivalent)));
    assert_eq!(rows(&report), ["n = 1 … 256: equivalent"]);
    assert!(report.shown.is_none());
    // Each size computes one element for each column: 1 + … + 256 quotients, by both kernels.
    let quotients = report.assumptions.iter().find(|one| one.text.starts_with("`div.rn.f32`"));
    assert_eq!(quotients.map(|one| one.count), Some(2 * 256 * 257 / 2));
}

#[test]
fn a_defect_at_ragged_sizes_is_found_at_the_smallest() {
    let report = measured("softmax_row_one_too_far.toml");
    assert_eq!(report.verdict, Verdict::OutOfBounds);
    assert_eq!(report.combinations.len(), 256);
    for one in &report.combinations {
        // Lane n - 32 (or 64 columns on) finds its second column right behind the row.
        let expected = if one.values[0] % 64 < 32 { Verdict::Equivalent } else { Verdict::OutOfBounds };
        assert_eq!(one.verdict, Some(expected), "{:?}", one.values);
    }
    let shown = report.shown.as_ref().expect("one that is not fine");
    assert_eq!((shown.title.as_str(), shown.report.verdict), ("n = 32", Verdict::OutOfBounds));
    assert_eq!(rows(&report).len(), 9);
    assert_eq!(rows(&report)[1], "n = 32 … 63: out_of_bounds");

    let report = measured("softmax_row_left_over.toml");
    assert_eq!(report.shown.as_ref().map(|shown| shown.title.as_str()), Some("n = 33"));
    assert_eq!(
        rows(&report),
        [
            "n = 1 … 32: equivalent",
            "n = 33 … 63: not_equivalent",
            "n = 64: equivalent",
            "n = 65 … 96: not_equivalent"
        ]
    );
}

/// One combination has the answer that it has when it is asked alone, by its text or by settings.
#[test]
fn a_combination_is_asked_as_if_it_were_alone() {
    let texts = texts("saxpy.toml");
    let input = texts.input();
    let asked = report::combinations(&input).expect("a sweep");
    let report = ask(&texts, &RunOptions::default(), &Budget::default());
    assert_eq!(asked.names, ["n", "block"]);
    let mut verdicts = Vec::new();
    for (combination, answer) in asked.combinations.iter().zip(&report.combinations) {
        let [n, block] = combination.values[..] else { panic!("two names") };
        // The kernel asks nothing about n, so it stays within only where the blocks are full.
        let expected = if n % block == 0 { Verdict::Equivalent } else { Verdict::OutOfBounds };
        assert_eq!((&answer.values, answer.verdict), (&combination.values, Some(expected)));
        if n % 16 != 0 {
            continue;
        }
        let by_text = Input { spec: Some(&combination.spec), ..input };
        let over = spec::parse(&format!("[scalars]\nn = {n}\nblock = {block}")).0;
        let by_settings = Input { overrides: Some(&over), ..input };
        // And the spec that anybody would write who never heard of sweeps.
        let plain = texts.spec.split("[sweep]").next().unwrap_or_default();
        let plain =
            plain.replace("\"(n + block - 1) // block\"", &(n + block - 1).div_euclid(block).to_string());
        let plain =
            plain.replace("\"block\"", &block.to_string()).replace("shape = \"n\"", &format!("shape = {n}"));
        let plain = format!("{plain}n = {n}\n");
        let by_hand = Input { spec: Some(&plain), ..input };
        for question in [by_text, by_settings, by_hand] {
            let alone = report::check(&question, &RunOptions::default(), &Budget::default()).report;
            assert_eq!(
                (Some(alone.verdict), &alone.summary),
                (answer.verdict, &answer.summary),
                "{n}, {block}"
            );
        }
        verdicts.push(expected);
    }
    assert!(verdicts.contains(&Verdict::Equivalent) && verdicts.contains(&Verdict::OutOfBounds));
    assert_eq!(report.shown.map(|shown| shown.title), Some("n = 30, block = 32".to_owned()));
}

#[test]
fn the_report_does_not_depend_on_threads() {
    let texts = texts("saxpy.toml");
    let json = |threads| {
        let options = RunOptions { threads: Some(threads), ..RunOptions::default() };
        ask(&texts, &options, &Budget::default()).to_json()
    };
    let one = json(1);
    assert!(one.contains("\"verdict\": \"out_of_bounds\""), "{one}");
    for threads in [2, 5] {
        assert!(json(threads) == one, "{threads} threads");
    }
}

#[test]
fn what_was_not_asked_is_said_and_is_never_fine() {
    let texts = texts("softmax_row.toml");
    for (why, verdict) in
        [(Exhausted::Time, Verdict::ResourceLimit), (Exhausted::Cancelled, Verdict::Cancelled)]
    {
        let budget = Budget::default();
        budget.stop(why);
        let report = ask(&texts, &RunOptions::default(), &budget);
        assert_eq!((report.verdict, rows(&report)), (verdict, vec!["n = 1 … 256: not asked".to_owned()]));
        assert!(
            report.summary.starts_with("Of 256 combinations, 0 were asked: 256 not asked."),
            "{}",
            report.summary
        );
    }
    // Stopped in the middle: what was asked before keeps its answer.
    let budget = Budget::default();
    let input = texts.input();
    let sweeping = Sweeping::new(&input, report::combinations(&input).expect("a sweep"));
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            while sweeping.progress().0 < 5 {
                std::thread::yield_now();
            }
            budget.stop(Exhausted::Time);
        });
        sweeping.ask(&RunOptions { threads: Some(2), ..RunOptions::default() }, &budget)
    });
    let asked = report.combinations.iter().filter(|one| one.verdict.is_some()).count();
    assert!((5..256).contains(&asked), "{asked}");
    // What each of the two threads was asking then has none.
    let answered = report.combinations.iter().filter(|one| one.verdict == Some(Verdict::Equivalent)).count();
    assert!((5..=asked).contains(&answered) && asked - answered <= 2, "{answered} of {asked}");
    assert_eq!(report.verdict, Verdict::ResourceLimit);
    assert!(report.summary.contains("Then the time was up."), "{}", report.summary);
}

#[test]
fn fuel_is_that_of_each_combination() {
    let texts = texts("softmax_row.toml");
    let large = Budget::new(400_000, 480 << 20);
    let report = ask(&texts, &RunOptions::default(), &large);
    let verdicts: Vec<_> = report.combinations.iter().map(|one| one.verdict).collect();
    let fine = verdicts.iter().take_while(|verdict| **verdict == Some(Verdict::Equivalent)).count();
    assert!((20..250).contains(&fine), "{fine}");
    assert!(verdicts[fine..].iter().all(|verdict| *verdict == Some(Verdict::ResourceLimit)));
    assert_eq!(report.verdict, Verdict::ResourceLimit);
    assert_eq!(report.shown.map(|shown| shown.at as usize), Some(fine));
}

/// One question about a spec that asks many is none, whoever asks it.
#[test]
fn a_sweep_is_never_taken_for_its_first_combination() {
    let texts = texts("softmax_row.toml");
    let outcome = report::check(&texts.input(), &RunOptions::default(), &Budget::default());
    assert_eq!(outcome.report.verdict, Verdict::InvalidSpec);
    assert!(outcome.report.summary.contains("asks 256 questions"), "{}", outcome.report.summary);
    let told =
        report::tell(&Input { single: true, ..texts.input() }, &RunOptions::default(), &Budget::default());
    assert_eq!(told.report.verdict, Verdict::InvalidSpec);
}

/// A kernel's formula is proved at other sizes too, and for a combination of a sweep these are the sizes that it says.
#[test]
fn a_formula_is_told_for_the_sizes_that_were_asked() {
    let texts = texts("softmax_row.toml");
    let input = texts.input();
    let asked = report::combinations(&input).expect("a sweep");
    let input = Input { single: true, reference: None, spec: Some(&asked.combinations[9].spec), ..input };
    let told = report::tell(&input, &RunOptions::default(), &Budget::default());
    assert_eq!(told.formula.as_deref(), Some("y = softmax(x, axis=-1)"));
    let sizes: Vec<&str> = told.checked.iter().map(|checked| checked.sizes.as_str()).collect();
    assert_eq!(sizes, ["n = 10, x[10], y[10]", "n = 5, x[5], y[5]", "n = 15, x[15], y[15]"]);
}

#[test]
fn inference_keeps_what_is_swept() {
    let texts = texts("saxpy.toml");
    let inferred = report::infer(&texts.input(), &Budget::default());
    let (before, after) = (spec::parse(&texts.spec).0, spec::parse(&inferred.spec).0);
    let combinations = |spec: &spec::Spec| spec.sweep.as_ref().map(|sweep| sweep.combinations.clone());
    assert_eq!(combinations(&before), combinations(&after));
    for part in
        ["grid = [\"(n + block - 1) // block\", 1, 1]", "block = [\"block\", 1, 1]", "shape = [\"n\"]"]
    {
        assert!(inferred.spec.contains(part), "{part}: {}", inferred.spec);
    }
    // What a formula says of shapes is said of one size only.
    let formula = texts.spec.replace("shape = \"n\"\nrole = \"inout\"", "role = \"inout\"");
    let formula = format!("{formula}\n[formula]\ncode = \"y = a * x + y\"\n");
    let input = Input { reference: None, spec: Some(&formula), ..texts.input() };
    let inferred = report::infer(&input, &Budget::default());
    assert_eq!(inferred.spec.matches("shape").count(), 1, "{}", inferred.spec);
}

/// Every mistake in a sweep is an invalid spec that points at its line.
#[test]
fn hostile_sweeps_are_refused() {
    let base = texts("saxpy.toml");
    let many = (0..40).map(|at| format!("v{at} = [1, 2]\n")).collect::<String>();
    let long = format!("\"{}n > 0\", ", "n > 0 and ".repeat(70));
    let cases = [
        ("n = \"1..1000000000\"\nblock = 32".to_owned(), "999999999 values"),
        ("n = \"1..60000\"\nblock = \"1..60000\"".to_owned(), "combinations"),
        (format!("n = 3\nblock = 32\n{many}"), "combinations"),
        ("n = \"-5..5\"\nblock = 32".to_owned(), "`n` is -5"),
        ("n = \"1..9\"\nblock = [0]".to_owned(), "divides by zero"),
        ("n = \"1..9\"\nblock = 2000".to_owned(), "`block` is 2000"),
        ("n = \"1..9\"".to_owned(), "`block` is not the name"),
        ("n = \"1..9\"\nblock = 32\nwhen = \"n > 9\"".to_owned(), "none of the 8 combinations"),
        ("n = \"1..9\"\nblock = 32\nwhen = \"n\"".to_owned(), "a condition is needed"),
        ("n = \"1..9\"\nblock = 32\nwhen = 3".to_owned(), "`when` must be a string"),
        ("n = \"1..9\"\nblock = 32\nwhen = \"\"".to_owned(), "empty"),
        (format!("n = \"1..30000\"\nblock = 32\nwhen = [{}]", long.repeat(8)), "too long"),
        (format!("n = \"1..9\"\nblock = 32\nwhen = \"{}\"", "(".repeat(5000)), "large expression"),
    ];
    for (sweep, message) in cases {
        let spec = format!("{}[sweep]\n{sweep}\n", base.spec.split("[sweep]").next().unwrap_or_default());
        let texts = Texts { spec, reference: base.reference.clone(), optimized: base.optimized.clone() };
        assert!(report::combinations(&texts.input()).is_none(), "{sweep}");
        let begun = Instant::now();
        let report = report::check(&texts.input(), &RunOptions::default(), &Budget::default()).report;
        assert_eq!(report.verdict, Verdict::InvalidSpec, "{sweep}: {}", report.summary);
        let found = report.diagnostics.iter().find(|one| one.message.contains(message));
        assert!(found.is_some_and(|one| one.primary.is_some()), "{sweep}: {:?}", report.diagnostics);
        assert!(begun.elapsed().as_secs() < 20, "{sweep}");
    }
}

/// Specs that sweep, changed at random: none panics or takes long, and what can be used is the same spec after it was
/// printed and read again.
#[test]
fn changed_sweeps_are_refused_or_printed_as_they_are() {
    const PARTS: [&str; 40] = [
        "n",
        "block",
        "K",
        "M",
        "1..",
        "..=",
        "..",
        " step ",
        "//",
        "%",
        "*",
        "-",
        "+",
        "**",
        "0",
        "1",
        "-1",
        "7",
        "64",
        "9223372036854775807",
        "\"",
        "'",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        "=",
        "==",
        "<",
        " and ",
        " not ",
        " if ",
        " else ",
        "min(",
        "when",
        "\n",
        "#",
    ];
    const RICH: &str = "[launch]\ngrid = [\"(n + block - 1) // block\", \"K\"]\nblock = \"block\"\nctas = [[\"n % 2\", 0]]\n\
        dynamic_shared = \"4 * M\"\n[optimized]\nargs = [\"n\", { tensor = \"x\", offset = \"n % 3\" }, \"2 * n\", 5]\n\
        [tensors.x]\nshape = [\"n\", \"2 * K\"]\nstrides = [\"2 * K\", 1]\n[scalars]\nK = 2\nM = \"n * K\"\n\
        [sweep]\nn = \"30..41 step 2\"\nblock = [64, 32]\nwhen = [\"n % block != 0\", \"n > K\"]\n";
    let bases = [RICH.to_owned(), texts("saxpy.toml").spec, texts("softmax_row.toml").spec];
    let mut state = 20_251_125u64;
    let mut dice = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let (mut usable, mut refused) = (0, 0);
    let begun = Instant::now();
    for _ in 0..8_000 {
        let mut text = bases[dice(bases.len())].clone();
        for _ in 0..=dice(3) {
            let at = dice(text.len());
            let end = at + if dice(2) == 0 { 0 } else { dice(4).min(text.len() - at) };
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, PARTS[dice(PARTS.len())]);
            }
        }
        let (read, complaints) = spec::parse(&text);
        if !complaints.is_empty() {
            refused += 1;
            continue;
        }
        usable += 1;
        let printed = spec::print(&read);
        let (again, complaints) = spec::parse(&printed);
        assert!(complaints.is_empty(), "{text}\n---\n{printed}\n{complaints:?}");
        let combinations = |spec: &spec::Spec| spec.sweep.as_ref().map(|sweep| sweep.combinations.clone());
        assert_eq!(combinations(&read), combinations(&again), "{text}\n---\n{printed}");
        assert_eq!(spec::print(&again), printed, "{text}");
        // Another combination too, so that expressions are the same and not only their values.
        for (first, second) in read.sweep.iter().zip(&again.sweep) {
            let Some(values) = first.combinations.last() else { continue };
            let [one, two] = [first.text_of(&text, values), second.text_of(&printed, values)];
            let [one, two] = [one, two].map(|text| spec::print(&spec::parse(&text).0.frozen()));
            assert_eq!(one, two, "{text}\n---\n{printed}");
        }
    }
    println!("{usable} usable, {refused} refused, in {:.1} s", begun.elapsed().as_secs_f64());
    assert!(usable > 500 && refused > 500, "{usable} usable, {refused} refused");
}
