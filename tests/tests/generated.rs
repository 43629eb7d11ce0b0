//! Random kernels (`generate`): against the independent machine, against rewritten forms of
//! themselves, and against forms with one instruction changed.
//!
//! - The simulator finds no fault, and its terms are what the machine computes.
//! - A kernel and a rewritten form of it are *equivalent* or *unknown*, never anything else.
//! - A kernel and a mutant whose outputs differ in the machine by more than rounding can explain are
//!   never *equivalent*.
//!
//! The short forms have a number of kernels; the long ones (`npm run soak -- generated`) set
//! `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`, and go on until their time is over.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warpproof::base::Budget;
use warpproof::report::{self, Input, RunOptions, Verdict};
use warpproof::sim::Schedule;
use warpproof::spec;
use warpproof_tests::agreement::{Ending, Question, Sample, Tally};
use warpproof_tests::generate::{Kernel, Size, draw, mutate, rewrite};
use warpproof_tests::machine::soft;
use warpproof_tests::program::Dice;

/// Thread-instructions of a generated kernel.
const LIMIT: u64 = 2_000_000;
/// How long a question may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(5);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs a case for each seed on all cores: `count` of them, or as many as the time allows.
fn each(count: u64, case: impl Fn(u64) + Sync) -> (u64, u64) {
    let until = number("WARPPROOF_SOAK_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
    let first = number("WARPPROOF_SOAK_SEED").unwrap_or(1) * 10_000_000;
    if let Some(only) = number("GENERATED_SEED") {
        case(only);
        return (only, only);
    }
    let next = AtomicU64::new(first);
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let over = match until {
                        Some(until) => Instant::now() >= until,
                        None => seed >= first + count,
                    };
                    if over || failed.load(Ordering::Relaxed) {
                        break;
                    }
                    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case(seed)));
                    if let Err(why) = outcome {
                        failed.store(true, Ordering::Relaxed);
                        std::panic::resume_unwind(why);
                    }
                }
            });
        }
    });
    (first, next.into_inner())
}

fn dice(seed: u64, salt: u64) -> Dice {
    let mut dice =
        Dice((seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd134_2543_de82_ef95) | 1);
    (0..8).for_each(|_| {
        dice.below(2);
    });
    dice
}

/// Runs machine and simulator, and gives what the machine wrote.
fn observe(kernel: &Kernel, seeds: &[u64]) -> (Ending, BTreeMap<(u64, usize, usize), Sample>) {
    let (spec, problems) = spec::parse(&kernel.spec());
    assert!(problems.is_empty(), "{problems:?}");
    let mut samples = BTreeMap::new();
    let ending = match Question::new(&kernel.ptx(), &spec, &spec.optimized) {
        Ok(question) => question.compare_and_see(seeds, LIMIT, &mut |seed, sample| {
            samples.insert((seed, sample.tensor, sample.index), sample);
        }),
        Err(why) => Ending::Skipped(why),
    };
    (ending, samples)
}

/// Sums of halves in loops can exceed their range, which real numbers do not have.
fn overflowed(ending: &Ending) -> bool {
    matches!(ending, Ending::Disagrees(why) if why.contains(": NaN (") || why.contains(": inf (") || why.contains(": -inf ("))
}

#[test]
fn kernels_compute_what_the_machine_computes() {
    let total = Mutex::new((Tally::default(), 0u64));
    let overflows = AtomicU64::new(0);
    let (first, last) = each(400, |seed| {
        let kernel = draw(&mut dice(seed, 1), Size::Large);
        let seeds = [seed, seed + 1, seed + 2];
        match observe(&kernel, &seeds).0 {
            Ending::Agrees(tally) => {
                let mut total = total.lock().expect("no thread panics");
                total.0.add(tally);
                total.1 += 1;
            }
            ending if overflowed(&ending) => {
                overflows.fetch_add(1, Ordering::Relaxed);
            }
            other => panic!("seed {seed}: {other:?}\n{}\n{}", kernel.spec(), kernel.ptx()),
        }
    });
    let (tally, kernels) = *total.lock().expect("no thread panics");
    let overflows = overflows.into_inner();
    println!("generated: seeds {first} to {last}, {kernels} kernels, {overflows} overflow: {tally:?}");
    assert!(kernels > 10 * overflows, "too many overflow: {overflows}");
    assert!(tally.tight > 10 * (tally.loose + tally.wide + tally.lost), "the bounds say little: {tally:?}");
}

/// The verdict on two kernels; a question that takes too long is stopped.
fn verdict(reference: &str, optimized: &str, spec: &str) -> (Verdict, String) {
    let budget = Budget::new(LIMIT, 1 << 30);
    let input = Input { reference: Some(reference), optimized, spec: Some(spec), ..Input::default() };
    let options = RunOptions { threads: Some(1), schedule: Schedule::Ascending, ..RunOptions::default() };
    let (done, wait) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let budget = &budget;
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE).is_err() {
                budget.cancel();
            }
        });
        let outcome = report::check(&input, &options, budget);
        done.send(()).ok();
        (outcome.report.verdict, outcome.report.summary.clone())
    })
}

#[test]
fn rewritten_kernels_are_never_different() {
    let verdicts: Mutex<BTreeMap<&'static str, u64>> = Mutex::default();
    let (first, last) = each(150, |seed| {
        let kernel = draw(&mut dice(seed, 2), Size::Small);
        let other = rewrite(&kernel, &mut dice(seed, 3));
        let (verdict, summary) = verdict(&kernel.ptx(), &other.ptx(), &kernel.spec());
        let fine = [Verdict::Equivalent, Verdict::Unknown, Verdict::ResourceLimit, Verdict::Cancelled];
        assert!(
            fine.contains(&verdict),
            "seed {seed}: {verdict:?}, {summary}\n{}\n===\n{}\n===\n{}",
            kernel.spec(),
            kernel.ptx(),
            other.ptx()
        );
        *verdicts.lock().expect("no thread panics").entry(verdict.name()).or_default() += 1;
    });
    let verdicts = verdicts.into_inner().expect("no thread panics");
    println!("generated: rewritten, seeds {first} to {last}: {verdicts:?}");
    let equal = verdicts.get("equivalent").copied().unwrap_or(0);
    assert!(10 * equal > 8 * verdicts.values().sum::<u64>(), "{verdicts:?}");
}

/// Whether two runs differ by more than rounding, and where.
fn difference(
    one: &BTreeMap<(u64, usize, usize), Sample>,
    two: &BTreeMap<(u64, usize, usize), Sample>,
) -> Option<String> {
    one.iter().find_map(|(place, x)| {
        let y = two.get(place)?;
        let differ = if x.format.is_float() {
            let (a, b) = (soft::value(x.format, x.bits), soft::value(y.format, y.bits));
            let bound = 8.0 * (x.error? + y.error?) + 1e-3 * a.abs().max(b.abs()) + 1e-6;
            a.is_finite() && b.is_finite() && (a - b).abs() > bound
        } else {
            x.error == Some(0.0) && y.error == Some(0.0) && x.bits != y.bits
        };
        differ.then(|| format!("{place:?}: {x:?} and {y:?}"))
    })
}

#[test]
fn mutants_that_differ_are_never_equivalent() {
    let counts: Mutex<BTreeMap<(&'static str, &'static str), u64>> = Mutex::default();
    let (first, last) = each(150, |seed| {
        let kernel = draw(&mut dice(seed, 4), Size::Small);
        let seeds = [seed, seed + 1, seed + 2];
        let (ending, original) = observe(&kernel, &seeds);
        if overflowed(&ending) {
            return;
        }
        assert!(
            matches!(ending, Ending::Agrees(_)),
            "seed {seed}: {ending:?}\n{}\n{}",
            kernel.spec(),
            kernel.ptx()
        );
        let mut dice = dice(seed, 5);
        for _ in 0..4 {
            let Some((mutant, what)) = mutate(&kernel, &mut dice) else { continue };
            let (ending, changed) = observe(&mutant, &seeds);
            let both = || format!("\n{}\n===\n{}\n===\n{}", kernel.spec(), kernel.ptx(), mutant.ptx());
            let kind = match ending {
                Ending::Agrees(_) if difference(&original, &changed).is_some() => "differs",
                Ending::Agrees(_) => "alike",
                // A division by zero, whose result is the hardware's business.
                Ending::Skipped(why) if why.starts_with("the machine has no") => continue,
                // The simulator reports a fault; the machine does not know races.
                Ending::Skipped(_) | Ending::NotAsked(_) => "fault",
                ending if overflowed(&ending) => continue,
                Ending::Disagrees(why) => panic!("seed {seed}, {what}: {why}{}", both()),
            };
            let (verdict, summary) = verdict(&kernel.ptx(), &mutant.ptx(), &kernel.spec());
            let found = difference(&original, &changed);
            assert!(
                verdict != Verdict::Equivalent || kind == "alike",
                "FALSE EQUIVALENT, seed {seed}, {what}: {found:?}, {summary}{}",
                both()
            );
            *counts.lock().expect("no thread panics").entry((kind, verdict.name())).or_default() += 1;
        }
    });
    let counts = counts.into_inner().expect("no thread panics");
    println!("generated: mutants, seeds {first} to {last}: {counts:?}");
    let all =
        |kind: &str| counts.iter().filter(|((own, _), _)| *own == kind).map(|(_, count)| count).sum::<u64>();
    assert!(all("differs") > all("fault") && all("differs") > 0, "{counts:?}");
}
