//! Exported conditions of corpus cases are well formed: parentheses balance, and every name is
//! defined once, before its first use.
//!
//! What the files mean is the business of the exporter's own tests and of `npm run peers`, where
//! SymPy, SymEngine and Z3 read them.

use std::collections::BTreeSet;
use warpproof::base::Budget;
use warpproof::report::export::Language;
use warpproof::report::{self, RunOptions};
use warpproof_tests::corpus::{Case, cases};

/// Folders whose cases are small, and single cases of the others.
const SAMPLE: [&str; 12] = [
    "equivalent/math/",
    "equivalent/reduction/",
    "equivalent/scan/",
    "equivalent/saxpy/",
    "equivalent/instructions/",
    "equivalent/layernorm/",
    "equivalent/memory/",
    "equivalent/pattern/",
    "equivalent/softmax/n4_",
    "equivalent/attention/small_",
    "equivalent/triton/gelu_",
    "not_equivalent/softmax/n4_",
];

/// The conditions, or why there are none.
fn export(case: &Case, language: Language) -> Result<String, String> {
    let texts = case.read().expect("a case of the corpus");
    let options = RunOptions { export: Some(language), ..RunOptions::default() };
    let outcome = report::check(&texts.input(), &options, &Budget::default());
    assert_eq!(outcome.report.verdict.name(), "unknown", "{}: nothing was decided", case.name);
    outcome.conditions.ok_or(outcome.report.summary)
}

fn sample() -> Vec<Case> {
    let found: Vec<Case> =
        cases().into_iter().filter(|case| SAMPLE.iter().any(|start| case.name.starts_with(start))).collect();
    assert!(found.len() > 100, "{} cases", found.len());
    found
}

/// Words of SMT-LIB and its theories that the files use.
const KNOWN: &str = "set-logic ALL declare-sort declare-fun define-fun assert check-sat \
    Real Bool Int + - * / = < <= > >= and or not ite true false to_int to_real mod";

/// Walks the script's tokens and complains about the first thing that is wrong.
fn smt2(text: &str) -> Result<(), String> {
    let mut known: BTreeSet<&str> = KNOWN.split_whitespace().collect();
    for (number, line) in text.lines().enumerate() {
        let complain = |what: &str| Err(format!("line {}: {what}: {line}", number + 1));
        if line.starts_with(';') {
            continue;
        }
        let code = line.split(" ; ").next().unwrap_or_default();
        let mut tokens = Vec::new();
        let mut rest = code.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '(' | ')' => 1,
                '|' => 2 + rest[1..].find('|').ok_or("an open |")?,
                _ => rest.find([' ', '(', ')']).unwrap_or(rest.len()),
            };
            tokens.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
        let depth = |tokens: &[&str]| {
            tokens
                .iter()
                .fold(0i64, |depth, token| depth + i64::from(*token == "(") - i64::from(*token == ")"))
        };
        // Every command is a line of its own, but for the last assertion.
        let open = depth(&tokens);
        let expected = match code {
            "(assert (or false" => 2,
            "))" => -2,
            _ => 0,
        };
        if open != expected {
            return complain("unbalanced");
        }
        let (defined, mut used) = match tokens.as_slice() {
            ["(", "define-fun" | "declare-fun" | "declare-sort", name, used @ ..] => {
                (Some(*name), used.to_vec())
            }
            all => (None, all.to_vec()),
        };
        // The two functions with parameters name them a and b.
        if ["real.max", "real.min"].map(Some).contains(&defined) {
            used.retain(|token| *token != "a" && *token != "b");
        }
        for token in used {
            let literal = token.starts_with(|c: char| c.is_ascii_digit());
            if !literal && token != "(" && token != ")" && !known.contains(token) {
                return complain(&format!("`{token}` is not defined"));
            }
        }
        if let Some(name) = defined
            && !known.insert(name)
        {
            return complain("defined twice");
        }
    }
    if text.trim_end().ends_with("(check-sat)") { Ok(()) } else { Err("asks nothing".to_owned()) }
}

/// The same for the program: names of steps and elements.
fn python(text: &str) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let complain = |what: String| Err(format!("line {}: {what}: {line}", number + 1));
        let (defined, value) = match line.split_once(" = ") {
            Some((name, value)) if !name.starts_with(' ') => (Some(name), value),
            _ => (None, line),
        };
        if value.matches('(').count() != value.matches(')').count()
            && !value.contains("import")
            && value != ")"
        {
            return complain("unbalanced".to_owned());
        }
        // Outside strings, every other piece.
        let code: String = value.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
        for word in code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let step = word.starts_with("r_") || word.starts_with("o_");
            let element = word.strip_prefix('e').is_some_and(|number| number.parse::<u32>().is_ok());
            if (step || element) && !known.contains(word) {
                return complain(format!("`{word}` is not defined"));
            }
        }
        if let Some(name) = defined
            && !known.insert(name)
        {
            return complain("defined twice".to_owned());
        }
    }
    if text.contains("\npairs = [\n    ('") { Ok(()) } else { Err("no pairs".to_owned()) }
}

#[test]
fn conditions_are_well_formed() {
    let mut refused = Vec::new();
    for case in sample() {
        match export(&case, Language::Smt2) {
            Ok(text) => smt2(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", case.name)),
            Err(why) => {
                assert!(why.contains("an infinity") || why.contains("a NaN"), "{}: {why}", case.name);
                refused.push(case.name.clone());
            }
        }
        let text = export(&case, Language::Sympy).unwrap_or_else(|why| panic!("{}: {why}", case.name));
        python(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", case.name));
    }
    assert!(refused.len() < 20, "too many have no SMT-LIB: {refused:?}");
}

#[test]
fn files_grow_with_the_terms() {
    // Attention shares its exponentials; written out, its sums would have millions of summands.
    let lines = |name: &str, language| {
        let case = cases().into_iter().find(|case| case.name == name).expect("a case");
        export(&case, language).expect("conditions").len()
    };
    for language in [Language::Smt2, Language::Sympy] {
        let small = lines("equivalent/attention/small_plain_vs_flash1", language);
        let large = lines("equivalent/attention/four_tiles_plain_vs_flash1", language);
        assert!(large < small * 3 / 2, "{small} bytes for 24 keys, {large} for 32");
    }
}

#[test]
fn an_element_that_one_kernel_writes_is_no_pair() {
    let name = "not_equivalent/saxpy/last_element_missing";
    let case = cases().into_iter().find(|case| case.name == name).expect("a case");
    let why = export(&case, Language::Smt2).expect_err("no conditions");
    assert!(why.contains("only the reference kernel writes `"), "{why}");
}
