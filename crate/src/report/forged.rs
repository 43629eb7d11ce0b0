//! Answers about real kernels, spoilt in one place: the second opinion must not share any of them.
//!
//! For one case in six of the corpus, by name, and for all in the long form (`npm run soak -- forged`), if they are
//! small enough: proofs for outputs that differ, witnesses for
//! outputs that do not, witnesses with exchanged or altered values, outputs compared with their
//! neighbours, and outputs left without an answer.

use super::Input;
use super::compare::collect;
use super::ranges;
use super::ready::Ready;
use crate::base::Budget;
use crate::check::{Ahead, Checked, decision};
use crate::decide::{
    Certificate, Decision, Equality, Group, Method, Options, Problem, Reading, Witness, decide,
};
use crate::diag::Ledger;
use crate::sim::{self, Run};
use crate::spec;
use crate::term::Term;
use num_rational::BigRational;
use num_traits::One;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Thread-instructions of one kernel, and outputs of a case that are looked at.
const SMALL: u64 = 400_000;
const OUTPUTS: usize = 8;

const DIFFERING: &str = "a proof for outputs that differ";

const METHODS: [Method; 6] = [
    Method::SameExpression,
    Method::NormalForm { terms: 3 },
    Method::CommonDenominator { terms: 3 },
    Method::Cases { cases: 2 },
    Method::Evaluation { points: 4, bits: 160 },
    Method::EveryValue { values: 256 },
];

/// What hardly any input shows is beyond a second look at a few points: one key of 160 that is an end of
/// their range only now and then, a rounding that shows at few triples of bytes.
const BEYOND: [&str; 2] =
    ["not_equivalent/field/range_last_key_skipped_ends", "not_equivalent/integers/blend_off_by_half"];

type Pairs = Vec<(Term, Term)>;

/// By what was spoilt: how often it was refuted, and which cases' it was not.
type Tally = BTreeMap<&'static str, (u64, Vec<String>)>;

fn specs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            specs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

/// A question's terms.
struct Subject<'a> {
    name: String,
    ready: &'a Ready,
    runs: &'a [Run],
}

impl Subject<'_> {
    fn problem<'p>(&'p self, pairs: &'p [(Term, Term)]) -> Problem<'p> {
        let [reference, optimized] = self.runs else { unreachable!("two kernels") };
        let elements = &self.ready.bound.elements;
        Problem { reference: &reference.terms, optimized: &optimized.terms, elements, pairs }
    }

    /// The answer to a question about these pairs, with the options that it was given under.
    fn honest(&self, pairs: &[(Term, Term)]) -> (Decision, Options) {
        let (options, budget) = (Options::default(), Budget::default());
        let nothing = |_: &Reading<'_>, _: &AtomicBool| ();
        let (decided, options) =
            ranges::decide(options, &budget, &self.problem(pairs), nothing).expect("within the budget");
        (decided.decision, options)
    }

    fn checked(&self, options: &Options, pairs: &[(Term, Term)], groups: Vec<Group>) -> Checked {
        let forged = Decision { groups, ledger: Ledger::default() };
        let problem = self.problem(pairs);
        decision(options, &Budget::default(), &problem, &forged, Ahead::default()).expect("within the budget")
    }

    /// Claims that all of these pairs are equal, or different by one witness each; how many are taken back.
    fn refuted(&self, options: &Options, pairs: &[(Term, Term)], equality: &Equality) -> usize {
        let group = |pair: u32| Group { members: vec![pair], equality: equality.clone() };
        let checked = self.checked(options, pairs, (0..pairs.len() as u32).map(group).collect());
        checked.refuted.len() + checked.unfounded.len()
    }

    fn count(&self, tally: &mut Tally, what: &'static str, all: usize, refuted: usize) {
        let (count, passed) = tally.entry(what).or_default();
        *count += refuted as u64;
        if refuted < all {
            passed.push(self.name.clone());
        }
    }

    /// Pairs that differ are claimed to be equal, in all ways there are.
    fn claim_equal(&self, tally: &mut Tally, what: &'static str, options: &Options, pairs: &[(Term, Term)]) {
        if pairs.is_empty() {
            return;
        }
        for method in METHODS {
            let claim = Equality::Equal(Certificate { summary: String::new(), method });
            self.count(tally, what, pairs.len(), self.refuted(options, pairs, &claim));
        }
    }

    fn spoil(&self, all: &[(Term, Term)], tally: &mut Tally) {
        let step = all.len().div_ceil(OUTPUTS).max(1);
        let pairs: Pairs = all.iter().copied().step_by(step).collect();
        let (honest, options) = self.honest(&pairs);
        let options = &options;
        let (equal, different) = sorted(&honest, &pairs);
        self.claim_equal(tally, DIFFERING, options, &different);
        if options.in_range {
            // Where conversions saturate they do differ.
            let strict = Options::default();
            let asked =
                decide(&strict, &Budget::default(), &self.problem(&pairs)).expect("within the budget");
            self.claim_equal(tally, DIFFERING, &strict, &sorted(&asked, &pairs).1);
        }
        if !equal.is_empty() {
            let made_up = Equality::Different(Witness {
                point: None,
                inputs: Vec::new(),
                default: BigRational::one(),
                values: [(1.0, 1.0), (2.0, 2.0)],
                difference: String::new(),
            });
            self.count(
                tally,
                "a witness for outputs that do not differ",
                equal.len(),
                self.refuted(options, &equal, &made_up),
            );
            let shifted: Pairs =
                equal.iter().zip(equal.iter().cycle().skip(1)).map(|(one, next)| (one.0, next.1)).collect();
            let (honest, under) = self.honest(&shifted);
            let (_, apart) = sorted(&honest, &shifted);
            self.claim_equal(tally, "outputs exchanged with their neighbours", &under, &apart);
            let method = METHODS[1];
            let equality = Equality::Equal(Certificate { summary: String::new(), method });
            let members = (1..equal.len() as u32).collect();
            let checked = self.checked(options, &equal, vec![Group { members, equality }]);
            self.count(tally, "an output left out", 1, usize::from(!checked.refuted.is_empty()));
        }
        for group in &honest.groups {
            let Equality::Different(witness) = &group.equality else { continue };
            let pair = [pairs[group.members[0] as usize]];
            let mut spoilt = witness.clone();
            spoilt.values.swap(0, 1);
            self.count(
                tally,
                "a witness with its sides exchanged",
                1,
                self.refuted(options, &pair, &Equality::Different(spoilt)),
            );
            let mut spoilt = witness.clone();
            let high = spoilt.values[1].1;
            let other = if high.is_finite() { high.abs() * 2.0 + 1.0 } else { 0.0 };
            spoilt.values[1] = (other, other);
            self.count(
                tally,
                "a witness with a value altered",
                1,
                self.refuted(options, &pair, &Equality::Different(spoilt)),
            );
        }
    }
}

/// The pairs that were found equal, and those that were found different.
fn sorted(decision: &Decision, pairs: &[(Term, Term)]) -> (Pairs, Pairs) {
    let (mut equal, mut different) = (Vec::new(), Vec::new());
    for group in &decision.groups {
        let list = match group.equality {
            Equality::Equal(_) => &mut equal,
            Equality::Different(_) => &mut different,
            Equality::Close(_) | Equality::Unknown(_) => continue,
        };
        list.extend(group.members.iter().map(|member| pairs[*member as usize]));
    }
    (equal, different)
}

/// How a case is called: its path in the corpus.
fn name_of(path: &Path) -> String {
    let name = path.with_extension("").display().to_string();
    name.rsplit_once("corpus/").map_or(name.clone(), |(_, name)| name.to_owned())
}

/// Whether a case is asked about in the short form.
fn is_drawn(name: &str) -> bool {
    name.bytes().fold(0, |sum: u32, byte| sum + u32::from(byte)) % 6 == 0
}

/// What came of one case; `None` for those that are too large or do not come to a comparison.
fn judge(path: &Path) -> Option<Tally> {
    let text = std::fs::read_to_string(path).ok()?;
    let (parsed, _) = spec::parse(&text);
    let ptx = |name: &Option<String>| std::fs::read_to_string(path.parent()?.join(name.as_ref()?)).ok();
    let (reference, optimized) = (ptx(&parsed.reference.ptx)?, ptx(&parsed.optimized.ptx)?);
    let input =
        Input { reference: Some(&reference), optimized: &optimized, spec: Some(&text), ..Input::default() };
    let budget = Budget::new(SMALL, 1 << 28);
    let ready = Ready::new(&input, &budget)?;
    let run = |at: usize| {
        sim::simulate(&sim::Options::default(), &budget, &ready.kernels[at].1, &ready.bound.setups[at])
    };
    let mut runs = [run(0), run(1)];
    if runs.iter().any(|run| !run.faults.is_empty()) {
        return None;
    }
    let kernels = [&ready.kernels[0].1, &ready.kernels[1].1];
    let comparison = collect(&ready.bound, &mut runs.iter_mut().collect::<Vec<_>>(), &kernels);
    if comparison.pairs.is_empty() {
        return None;
    }
    let mut tally = Tally::new();
    Subject { name: name_of(path), ready: &ready, runs: &runs }.spoil(&comparison.pairs, &mut tally);
    Some(tally)
}

#[test]
fn spoilt_answers_about_the_corpus_are_refuted() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut paths = Vec::new();
    for folder in ["equivalent", "not_equivalent"] {
        specs(&corpus.join(folder), &mut paths);
    }
    let all = std::env::var_os("WARPPROOF_SOAK_SECONDS").is_some();
    paths.retain(|path| all || is_drawn(&name_of(path)));
    let tallies: Vec<Tally> = paths.par_iter().filter_map(|path| judge(path)).collect();
    let mut total = Tally::new();
    for tally in &tallies {
        for (what, (count, passed)) in tally {
            let entry = total.entry(what).or_default();
            entry.0 += count;
            entry.1.extend(passed.iter().cloned());
        }
    }
    println!("{} cases of {}", tallies.len(), paths.len());
    for (what, (count, passed)) in &total {
        println!("{what}: {count} refuted, {} not", passed.len());
        let passed: BTreeSet<&str> = passed.iter().map(String::as_str).collect();
        let known = BEYOND.into_iter().filter(|name| *what == DIFFERING && (all || is_drawn(name)));
        assert_eq!(passed, known.collect::<BTreeSet<&str>>(), "{what} passed");
    }
    assert!(tallies.len() > 150, "only {} cases were small enough", tallies.len());
    assert_eq!(total.len(), 6, "something was never spoilt");
}
