//! Writes what other solvers are asked: small random pairs and the corpus's small cases, as SMT-LIB
//! and SymPy, beside the verdict of this tool. `npm run soak -- solvers` sets WARPPROOF_SOLVERS to a
//! folder and compares (`tests/peers/agree.py`); without it, a few pairs show that they can be
//! written.

use std::fmt::Write;
use std::path::PathBuf;
use warpproof::base::{Budget, Format};
use warpproof::decide::{Decision, Equality, Options, Problem, decide};
use warpproof::report::export::{Failure, Language, conditions};
use warpproof::report::{self, RunOptions, Verdict};
use warpproof::term::{Elements, Terms};
use warpproof_tests::algebra::E;
use warpproof_tests::algebra::build::build;
use warpproof_tests::algebra::draw::{INPUTS, SHAPES, draw};
use warpproof_tests::algebra::mutate::{KINDS, mutated};
use warpproof_tests::algebra::rewrite::rewritten;
use warpproof_tests::corpus::cases;
use warpproof_tests::program::Dice;

/// Larger pairs say little about who is right and much about who is fast.
const LARGEST: usize = 70;
const FOLDERS: [&str; 8] = [
    "equivalent/math/",
    "equivalent/saxpy/",
    "equivalent/reduction/",
    "equivalent/scan/",
    "equivalent/softmax/n4_",
    "not_equivalent/math/",
    "not_equivalent/softmax/n4_",
    "not_equivalent/saxpy/",
];

fn verdict(decision: &Decision) -> &'static str {
    match &decision.groups[0].equality {
        Equality::Equal(_) => "equal",
        Equality::Different(_) => "different",
        Equality::Close(_) => "close",
        Equality::Unknown(_) => "unknown",
    }
}

/// A small random pair, equal or with one change.
fn pair(number: u64, seed: u64) -> (E, E) {
    let mut dice = Dice((seed << 40 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    loop {
        let shape = SHAPES[dice.below(SHAPES.len() as u64) as usize];
        let start = draw(&mut dice, shape);
        let steps = 3 + dice.below(8);
        let (mut other, _) = rewritten(&mut dice, &start, "all", steps);
        if number % 2 == 1 {
            let kind = KINDS[dice.below(KINDS.len() as u64) as usize];
            let Some(changed) = mutated(&mut dice, &other, kind) else { continue };
            other = changed;
        }
        if start.size() + other.size() <= LARGEST {
            return (start, other);
        }
    }
}

/// Files of a pair, if it can be said in that language, and its line of the list.
fn write(number: u64, seed: u64) -> (Vec<(String, String)>, String) {
    let (a, b) = pair(number, seed);
    let mut stores = [Terms::new(), Terms::new()];
    let pairs = [(build(&mut stores[0], &a, false), build(&mut stores[1], &b, false))];
    let mut elements = Elements::default();
    elements.push("x", vec![INPUTS.into()], Format::F32, INPUTS.into());
    let problem =
        Problem { reference: &stores[0], optimized: &stores[1], elements: &elements, pairs: &pairs };
    let (options, budget) = (Options::default(), Budget::default());
    let decision = decide(&options, &budget, &problem).expect("the budget is ample");
    let mut files = Vec::new();
    for (language, ending) in [(Language::Smt2, "smt2"), (Language::Sympy, "py")] {
        match conditions(language, &options, &budget, &problem, ["a", "b"], &|_| "y".to_owned()) {
            Ok(text) => files.push((format!("pair{number}.{ending}"), text)),
            Err(Failure::Refused(_)) => {}
            Err(Failure::Exhausted(exhausted)) => panic!("{exhausted:?}"),
        }
    }
    let line = format!("pair{number}\t{}\t{a}  ?  {b}\n", verdict(&decision));
    (files, line)
}

#[test]
fn questions_are_written_for_other_solvers() {
    let Some(folder) = std::env::var_os("WARPPROOF_SOLVERS").map(PathBuf::from) else {
        let written: usize = (0..40).map(|number| write(number, 1).0.len()).sum();
        assert!(written >= 70, "{written} files");
        return;
    };
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let (seed, count) = (number("WARPPROOF_SOAK_SEED", 1), number("WARPPROOF_SOLVERS_PAIRS", 400));
    let save =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder can be written");
    let mut list = String::new();
    for number in 0..count {
        let (files, line) = write(number, seed);
        files.iter().for_each(|(name, text)| save(name, text));
        list += &line;
    }
    for case in cases().into_iter().filter(|case| FOLDERS.iter().any(|start| case.name.starts_with(start))) {
        let texts = case.read().expect("a case of the corpus");
        let verdict =
            report::check(&texts.input(), &RunOptions::default(), &Budget::default()).report.verdict;
        let verdict = match verdict {
            Verdict::Equivalent => "equal",
            Verdict::NotEquivalent => "different",
            _ => continue,
        };
        let name = case.name.replace('/', "_");
        let mut any = false;
        for (language, ending) in [(Language::Smt2, "smt2"), (Language::Sympy, "py")] {
            let options = RunOptions { export: Some(language), ..RunOptions::default() };
            let text = report::check(&texts.input(), &options, &Budget::default()).conditions;
            let Some(text) = text.filter(|text| text.len() < 60_000) else { continue };
            save(&format!("{name}.{ending}"), &text);
            any = true;
        }
        if any {
            writeln!(list, "{name}\t{verdict}\t{}", case.name).expect("a string grows");
        }
    }
    save("list.tsv", &list);
}
