//! Pairs of the corpus, changed so that the verdict follows: never *equivalent* where the change makes
//! them differ, never *not equivalent* and never a fault where it does not. Pairs that differ are changed
//! in ways that change nothing: they still differ.
//!
//! A sample of cases runs in `npm test`. The long form (`npm run soak -- metamorphic`) sets
//! `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::{Duration, Instant};
use warpproof::report::{Report, Verdict};
use warpproof::sim::Schedule;
use warpproof_tests::corpus::{Case, cases};
use warpproof_tests::metamorphic::{Kind, Truth, question};
use warpproof_tests::program::Dice;

/// Thread-instructions a kernel of a sampled case may execute.
const FUEL: u64 = 2_000_000;
/// Cases of the sample.
const SAMPLE: usize = 40;
/// Those of them that differ as they are.
const DIFFERING: usize = 32;

/// Kinds that are answered wrongly today: which verdict comes out, and why.
const KNOWN_MISSES: &[(Kind, &str, &str)] = &[];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What is wrong with an answer, if anything is.
fn wrong(truth: Truth, report: &Report) -> bool {
    let verdict = report.verdict;
    match truth {
        // Nothing that was put in is a fault, and nothing differs.
        Truth::Same => !matches!(verdict, Verdict::Equivalent | Verdict::Unknown | Verdict::ResourceLimit),
        // What is put into the section of a lock may depend on who takes it first.
        Truth::Differs => match verdict {
            Verdict::NotEquivalent | Verdict::Unknown | Verdict::ResourceLimit => false,
            Verdict::NotStructured => !report.summary.contains("takes the lock"),
            _ => true,
        },
        Truth::Unknowable => {
            verdict == Verdict::Equivalent && !format!("{:?}", report.assumptions).contains("address")
        }
    }
}

#[derive(Default)]
struct Tally {
    /// By kind and verdict.
    answers: BTreeMap<(Kind, &'static str), u32>,
    wrong: BTreeMap<(Kind, &'static str), Vec<String>>,
    /// Known misses that were seen.
    missed: BTreeSet<(Kind, &'static str)>,
}

fn ask(case: &Case, kind: Kind, number: usize, tally: &mut Tally) {
    let Ok(texts) = case.read() else { return };
    let Some(question) = question(&texts, kind, number) else { return };
    let report = question.texts.run_within(FUEL, 1, Schedule::Ascending).report;
    let verdict = report.verdict;
    *tally.answers.entry((kind, verdict.name())).or_default() += 1;
    if wrong(kind.truth(), &report) {
        let known = KNOWN_MISSES.iter().any(|(other, name, _)| *other == kind && *name == verdict.name());
        if known {
            tally.missed.insert((kind, verdict.name()));
            return;
        }
        let list = tally.wrong.entry((kind, verdict.name())).or_default();
        list.push(format!("{} ({number}): {}", case.name, report.summary));
    }
}

#[test]
fn the_verdict_follows_from_the_change() {
    let until = number("WARPPROOF_SOAK_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
    let seed = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let mut dice = Dice(0x5eed_0016_u64.wrapping_mul(2 * seed + 1));
    let good: Vec<Case> = cases().into_iter().filter(|case| case.name.starts_with("equivalent/")).collect();
    let mut tally = Tally::default();
    loop {
        for _ in 0..SAMPLE {
            let case = &good[dice.below(good.len() as u64) as usize];
            // As it is it must be answered in time, or there is nothing to compare with.
            let plain =
                case.read().map(|texts| texts.run_within(FUEL, 1, Schedule::Ascending).report.verdict);
            if plain != Ok(Verdict::Equivalent) {
                continue;
            }
            for kind in Kind::ALL {
                ask(case, kind, dice.below(64) as usize, &mut tally);
            }
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    println!("metamorphic: seed {seed}: {:?}", tally.answers);
    let mut message = String::new();
    for ((kind, name), cases) in &tally.wrong {
        let _ = writeln!(message, "{kind:?} is {:?} and was {name} in {}:", kind.truth(), cases.len());
        cases.iter().take(5).for_each(|case| {
            let _ = writeln!(message, "    {case}");
        });
    }
    assert!(message.is_empty(), "{message}");
    for kind in Kind::ALL {
        let asked: u32 =
            tally.answers.iter().filter(|((of, _), _)| *of == kind).map(|(_, count)| count).sum();
        assert!(asked >= 10, "{kind:?} was asked {asked} times");
        // A miss that is none any more has to leave the list.
        for (_, name, why) in KNOWN_MISSES.iter().filter(|(of, ..)| *of == kind) {
            let missed = tally.missed.contains(&(kind, *name));
            assert!(missed, "{kind:?} is no longer {name}, take it off the list: {why}");
        }
    }
}

#[test]
fn a_pair_that_differs_stays_so() {
    let until = number("WARPPROOF_SOAK_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
    let seed = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let mut dice = Dice(0x5eed_0116_u64.wrapping_mul(2 * seed + 1));
    let has_kernels = |case: &Case| case.read().is_ok_and(|texts| texts.reference.is_some());
    let differing =
        |case: &Case| case.name.starts_with("not_equivalent/") && case.today.is_none() && has_kernels(case);
    let differing: Vec<Case> = cases().into_iter().filter(differing).collect();
    let (mut asked, mut found, mut wrongs) = (0, 0, Vec::new());
    loop {
        for _ in 0..DIFFERING {
            let case = &differing[dice.below(differing.len() as u64) as usize];
            let Ok(texts) = case.read() else { continue };
            let plain = texts.run_within(FUEL, 1, Schedule::Ascending).report;
            // A guard reads an input, and would race where a kernel writes its inputs.
            let writes_inputs = plain
                .diagnostics
                .iter()
                .any(|said| said.message.contains("declared as an input, but is written"));
            if plain.verdict != Verdict::NotEquivalent || writes_inputs {
                continue;
            }
            for kind in Kind::ALL.into_iter().filter(|kind| kind.truth() == Truth::Same) {
                let number = dice.below(64) as usize;
                let Some(question) = question(&texts, kind, number) else { continue };
                let report = question.texts.run_within(FUEL, 1, Schedule::Ascending).report;
                asked += 1;
                found += u32::from(report.verdict == Verdict::NotEquivalent);
                if wrong(Truth::Differs, &report) {
                    let case = &case.name;
                    wrongs.push(format!("{case}, {kind:?} ({number}): {}", report.summary));
                }
            }
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    println!("metamorphic: seed {seed}: {asked} changed pairs that differ, {found} found to");
    assert!(wrongs.is_empty(), "{} answers are wrong:\n{}", wrongs.len(), wrongs.join("\n"));
    assert!(found >= 10, "only {found} of {asked} differ");
}
