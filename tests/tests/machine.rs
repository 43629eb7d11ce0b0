//! The corpus against the independent machine.
//!
//! Every kernel of a case without a fault is run concretely, on random inputs under random legal
//! schedules, and compared with the simulator's terms at those inputs (`agreement` says how). The
//! short form takes kernels of up to [`LIMIT`] units of fuel and two seeds each; the long one
//! (`npm run soak`) sets `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`, takes larger kernels and
//! goes on with new seeds until its time is over. With `WARPPROOF_SOAK_ABOVE`, it takes every kernel of
//! more thread-instructions than that once.
//!
//! `machine.table.txt` names the kernels that the comparison says less of than of others: those it
//! does not run, with the reason, and those some of whose elements have no bound. A kernel that
//! drops out shows there; `UPDATE_EXPECT=1` rewrites it. Kernels whose case says why (no arguments,
//! too large, not followed by the simulator either) are counted and not named: a new case needs
//! a line only if the comparison says little of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use warpproof_tests::agreement::{Ending, TOO_LARGE, Tally};
use warpproof_tests::subjects::{Subject, subjects};

/// Fuel of a kernel in the short form: thread-instructions and what accesses and barriers cost.
const LIMIT: u64 = 1_200_000;
/// The same in the long form, and where all large ones are asked.
const LONG_LIMIT: u64 = 9_000_000;
const LARGEST: u64 = 1_000_000_000;

/// Of 100 kernels, how many are compared at the least.
const SHARE: u64 = 85;

fn compare(subject: &Subject, seeds: &[u64], limit: u64) -> Ending {
    match subject.question() {
        Ok(question) => question.compare(seeds, limit),
        Err(why) => Ending::NotAsked(why),
    }
}

/// All subjects, on all cores; results in order.
fn compare_all(
    subjects: &[Subject],
    seeds: &[u64],
    limit: u64,
    until: Option<Instant>,
) -> Vec<Option<Ending>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; subjects.len()]);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let late = until.is_some_and(|until| Instant::now() >= until);
                    let Some(subject) = subjects.get(at).filter(|_| !late) else { break };
                    let ending = compare(subject, seeds, limit);
                    results.lock().expect("no thread panics")[at] = Some(ending);
                }
            });
        }
    });
    results.into_inner().expect("no thread panics")
}

#[test]
fn the_corpus_computes_what_an_independent_machine_computes() {
    let filter = std::env::var("MACHINE_FILTER").unwrap_or_default();
    let subjects: Vec<Subject> =
        subjects().into_iter().filter(|subject| subject.name.contains(&filter)).collect();
    if let Some(above) = number("WARPPROOF_SOAK_ABOVE") {
        return large(&subjects, above);
    }
    if let Some(seconds) = number("WARPPROOF_SOAK_SECONDS") {
        return soak(&subjects, Duration::from_secs(seconds));
    }
    let endings = compare_all(&subjects, &[1, 2], LIMIT, None);
    let mut total = (0, Tally::default());
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut named: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut wrong = String::new();
    for (subject, ending) in subjects.iter().zip(&endings) {
        match ending {
            Some(Ending::Agrees(tally)) => {
                total.0 += 1;
                total.1.add(*tally);
                if tally.lost > 0 {
                    let line = format!("{}: {}", subject.name, tally.lost);
                    named.entry(LOST).or_default().push(line);
                }
            }
            Some(Ending::NotAsked(why)) => *counts.entry(why).or_default() += 1,
            Some(Ending::Skipped(why)) => named.entry(why).or_default().push(subject.name.clone()),
            Some(Ending::Disagrees(what)) => writeln!(wrong, "{}: {what}", subject.name).expect("memory"),
            None => {}
        }
    }
    println!("machine: {} of {} kernels compared, {:?}\n{counts:#?}", total.0, subjects.len(), total.1);
    assert!(wrong.is_empty(), "machine and simulator disagree:\n{wrong}");
    if filter.is_empty() {
        assert!(total.0 * 100 >= subjects.len() as u64 * SHARE, "few kernels are compared");
        let table = table(&named);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine.table.txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &table).expect("the repository can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(table == expected, "machine.table.txt differs (UPDATE_EXPECT=1 rewrites it)\n{table}");
    }
}

/// What the table says of kernels some of whose elements are not compared.
const LOST: &str = "elements without a bound, and how many in two runs";

fn table(named: &BTreeMap<&str, Vec<String>>) -> String {
    let mut text = String::from(
        "# Kernels of the corpus that the independent machine says less of than of others; written by\n\
         # tests/machine.rs (UPDATE_EXPECT=1).\n",
    );
    for (why, names) in named {
        writeln!(text, "\n{why}").expect("memory");
        for name in names {
            writeln!(text, "  {name}").expect("memory");
        }
    }
    text
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Every kernel beyond a number of thread-instructions, on one input.
fn large(subjects: &[Subject], above: u64) {
    let seed = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let (mut total, mut compared) = (Tally::default(), 0);
    for subject in subjects {
        if compare(subject, &[], above) != Ending::NotAsked(TOO_LARGE.to_owned()) {
            continue;
        }
        let started = Instant::now();
        match compare(subject, &[seed], LARGEST) {
            Ending::Agrees(tally) => {
                println!("machine: {}: {} steps in {:?}", subject.name, tally.steps, started.elapsed());
                total.add(tally);
                compared += 1;
            }
            Ending::Disagrees(what) => panic!("{}, seed {seed}: {what}", subject.name),
            Ending::Skipped(why) | Ending::NotAsked(why) => println!("machine: {}: {why}", subject.name),
        }
    }
    println!("machine: seed {seed}, {compared} kernels above {above}, {total:?}");
    assert!(total.tight > 0, "nothing was compared");
}

/// New seeds until the time is over.
fn soak(subjects: &[Subject], time: Duration) {
    let until = Instant::now() + time;
    let first = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let mut total = Tally::default();
    let mut seed = first;
    let mut round = 0;
    while Instant::now() < until {
        // The first round takes all sizes; later ones, many seeds of what is small.
        let limit = if round % 8 == 0 { LONG_LIMIT } else { LIMIT };
        for (subject, ending) in subjects.iter().zip(compare_all(subjects, &[seed], limit, Some(until))) {
            match ending {
                Some(Ending::Agrees(tally)) => total.add(tally),
                Some(Ending::Disagrees(what)) => panic!("{}, seed {seed}: {what}", subject.name),
                Some(Ending::Skipped(_) | Ending::NotAsked(_)) | None => {}
            }
        }
        (seed, round) = (seed + 1, round + 1);
    }
    println!("machine: seeds {first} to {}, {total:?}", seed - 1);
    assert!(total.tight > 0, "nothing was compared");
}
