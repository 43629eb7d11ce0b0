//! The decision procedure and its second opinion on random pairs whose answer is known.
//!
//! Expressions with the shapes of machine-learning kernels are rewritten by chains of sound laws:
//! such pairs must be *equal* or *unknown*, and rarely unknown. Expressions changed in one place must
//! be *different*, with a witness that 192-bit intervals confirm, or *unknown*; *equal* only where
//! those intervals find no difference at many points either. Every answer, and every answer spoilt
//! in one place, goes through `check`, which must confirm the first and reject the second.
//!
//! Evaluation at random points is asked about changed pairs on its own, too.
//!
//! `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED` make it long (`npm run soak -- decisions`); a
//! failure names the pair's number, which together with the seed gives the pair again
//! (`WARPPROOF_SOAK_ONLY`). The laws are checked by the intervals as well, at every pair.

use num_rational::BigRational;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Format};
use warpproof::check::{self, Checked};
use warpproof::decide::{
    Certificate, Decision, Equality, Group, Method, Options, Problem, Witness, decide, equal_by_evaluation,
};
use warpproof::diag::Ledger;
use warpproof::term::{Elements, Term, Terms};
use warpproof_tests::algebra::build::{as_floats, build};
use warpproof_tests::algebra::draw::{INPUTS, KERNELS, SHAPES, draw};
use warpproof_tests::algebra::mutate::{KINDS, mutated};
use warpproof_tests::algebra::rewrite::{FAMILIES, rewritten};
use warpproof_tests::algebra::value::{Enclosure, Evaluator};
use warpproof_tests::algebra::{E, Fraction};
use warpproof_tests::program::Dice;

/// Of a thousand pairs rewritten by the laws of a family, so many may be unknown. Maxima of
/// minima of maxima nest until every case split gives up; nothing else is to be hard.
const UNKNOWN: [(&str, u64); 11] = [
    ("order", 0),
    ("distribution", 0),
    ("constants", 0),
    ("quotients", 5),
    ("rescaling", 5),
    ("exp and log", 20),
    ("base two", 0),
    ("maxima", 90),
    ("choices", 5),
    ("roots", 25),
    ("all", 50),
];

/// A question in the tool's terms.
struct Pair {
    stores: [Terms; 2],
    elements: Elements,
    pairs: Vec<(Term, Term)>,
}

impl Pair {
    fn new(dice: &mut Dice, a: &E, b: &E) -> Pair {
        let mut stores = [Terms::new(), Terms::new()];
        let floats = [as_floats(dice), as_floats(dice)];
        let pairs = vec![(build(&mut stores[0], a, floats[0]), build(&mut stores[1], b, floats[1]))];
        let mut elements = Elements::default();
        elements.push("x", vec![INPUTS.into()], Format::F32, INPUTS.into());
        Pair { stores, elements, pairs }
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            reference: &self.stores[0],
            optimized: &self.stores[1],
            elements: &self.elements,
            pairs: &self.pairs,
        }
    }

    fn decided(&self) -> Decision {
        decide(&Options::default(), &Budget::default(), &self.problem()).expect("the budget is ample")
    }

    fn checked(&self, decision: &Decision) -> Checked {
        check::decision(
            &Options::default(),
            &Budget::default(),
            &self.problem(),
            decision,
            check::Ahead::default(),
        )
        .expect("the budget is ample")
    }
}

/// Counts by name, what went wrong, and the slowest pair.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, BTreeMap<&'static str, u64>>,
    wrong: Vec<String>,
    notes: Vec<String>,
    slowest: (Duration, u64),
}

impl Tally {
    fn count(&mut self, name: &str, what: &'static str) {
        *self.counts.entry(name.to_owned()).or_default().entry(what).or_default() += 1;
    }

    /// How many in a thousand of those counted under a name came out as `what`.
    fn share(&self, name: &str, what: &str) -> u64 {
        let counts = &self.counts[name];
        counts.get(what).copied().unwrap_or(0) * 1000 / counts.values().sum::<u64>().max(1)
    }

    fn note(&mut self, text: String) {
        // A long pair can be had again by its number.
        let short = |line: &str| line.chars().take(300).collect::<String>();
        let shortened = text.lines().map(short).collect::<Vec<_>>().join("\n");
        self.notes.push(if number("WARPPROOF_SOAK_ONLY").is_some() { text } else { shortened });
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Runs `each` on numbered pairs on all cores, and prints what it counted.
fn soak(title: &str, short: u64, each: impl Fn(u64, &mut Dice, &Mutex<Tally>) + Sync) -> Tally {
    let until = number("WARPPROOF_SOAK_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let seed = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let only = number("WARPPROOF_SOAK_ONLY");
    let next = AtomicU64::new(only.unwrap_or(0));
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    let over = until.map_or(pair >= short, |until| Instant::now() >= until);
                    if only.map_or(over, |only| pair > only) || tally.lock().unwrap().wrong.len() >= 20 {
                        break;
                    }
                    let mut dice = Dice((seed << 40 ^ pair).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                    for _ in 0..8 {
                        dice.below(2);
                    }
                    let begun = Instant::now();
                    let run = || each(pair, &mut dice, &tally);
                    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
                    let mut tally = tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    tally.slowest = tally.slowest.max((begun.elapsed(), pair));
                    if panicked {
                        tally.wrong.push(format!("pair {pair} panicked"));
                    }
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!("{title}, seed {seed}:");
    for (name, counts) in &tally.counts {
        let counts: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        println!("  {name}: {}", counts.join(", "));
    }
    for note in &tally.notes {
        println!("  {note}");
    }
    println!("  slowest: {:.1?}, pair {}", tally.slowest.0, tally.slowest.1);
    assert!(tally.wrong.is_empty(), "seed {seed}:\n{}", tally.wrong.join("\n"));
    tally
}

/// A point: whole numbers with many ties, fractions, all the same, positive, or far apart.
fn point(dice: &mut Dice) -> Vec<Fraction> {
    let kind = dice.below(6);
    let same = dice.below(9) as i128 - 4;
    (0..INPUTS)
        .map(|_| match kind {
            0 => Fraction::from_integer(dice.below(5) as i128 - 2),
            1 => Fraction::from_integer(same),
            2 => Fraction::new(dice.below(64) as i128 + 1, 16),
            3 => Fraction::from_integer(dice.below(25) as i128 - 12),
            _ => Fraction::new(dice.below(193) as i128 - 96, 32),
        })
        .collect()
}

/// Whether both sides have values at a point, and these are apart.
fn apart_at(evaluator: &mut Evaluator, a: &E, b: &E, at: &dyn Fn(u32) -> Fraction) -> Option<bool> {
    Some(evaluator.at(a, at)?.is_apart(&evaluator.at(b, at)?))
}

/// A point of `tries` where the two are apart; and at how many both have values.
fn apart(dice: &mut Dice, a: &E, b: &E, tries: u32) -> (Option<Vec<Fraction>>, u32) {
    let mut evaluator = Evaluator::default();
    let mut defined = 0;
    for _ in 0..tries {
        let at = point(dice);
        match apart_at(&mut evaluator, a, b, &|index| at[index as usize]) {
            Some(true) => return (Some(at), defined),
            Some(false) => defined += 1,
            None => {}
        }
    }
    (None, defined)
}

fn fraction(value: &BigRational) -> Fraction {
    let part = |part: &num_bigint::BigInt| part.try_into().expect("witnesses are small");
    Fraction::new(part(value.numer()), part(value.denom()))
}

/// Whether the intervals confirm a witness, and the values that it states; `None` where they see no
/// value.
fn confirmed(pair: &Pair, witness: &Witness, a: &E, b: &E) -> Option<bool> {
    let at = |index: u32| match witness.point {
        Some(point) => match warpproof::decide::witness::plain(&pair.elements, point, index) {
            warpproof::term::eval::Quantity::Exact(value) => {
                Fraction::new((*value.numer()).into(), (*value.denom()).into())
            }
            _ => Fraction::from_integer(0),
        },
        None => {
            let listed = witness.inputs.iter().find(|(element, _)| *element == index);
            fraction(listed.map_or(&witness.default, |(_, value)| value))
        }
    };
    let mut evaluator = Evaluator::default();
    let values = [evaluator.at(a, &at)?, evaluator.at(b, &at)?];
    let stated = values.iter().zip(witness.values).all(|(value, (low, high))| {
        let above = low.is_finite() && Enclosure::of_float(low).is_beyond(value, true);
        let below = high.is_finite() && Enclosure::of_float(high).is_beyond(value, false);
        !above && !below
    });
    Some(values[0].is_apart(&values[1]) && stated)
}

fn answer(decision: &Decision) -> &Equality {
    assert_eq!(decision.groups.len(), 1);
    &decision.groups[0].equality
}

/// An expression, and an equal one.
fn equals(dice: &mut Dice, shape: &str, family: &str, most: u64) -> (E, E) {
    let start = draw(dice, shape);
    let steps = 5 + dice.below(most - 4);
    let (other, _) = rewritten(dice, &start, family, steps);
    (start, other)
}

#[test]
fn rewritten_expressions_are_equal() {
    let tally = soak("rewritten pairs", 2_000, |number, dice, tally| {
        let family = FAMILIES[number as usize % FAMILIES.len()];
        let shape = SHAPES[number as usize / FAMILIES.len() % SHAPES.len()];
        let (a, b) = equals(dice, shape, family, 50);
        if let (Some(at), _) = apart(dice, &a, &b, 3) {
            tally
                .lock()
                .unwrap()
                .wrong
                .push(format!("pair {number}: a law is wrong at {at:?}\n  {a}\n  {b}"));
            return;
        }
        let pair = Pair::new(dice, &a, &b);
        let begun = Instant::now();
        let decision = pair.decided();
        let time = begun.elapsed();
        let checked = pair.checked(&decision);
        let mut tally = tally.lock().unwrap();
        let what = match answer(&decision) {
            Equality::Equal(_) if checked.open > 0 => "equal, open",
            Equality::Equal(_) if checked.by_points > 0 => "equal by points",
            Equality::Equal(_) => "equal",
            Equality::Unknown(reason) => {
                let note = format!(
                    "pair {number} ({family}, {shape}, {time:.1?}): {}\n    {a}\n    {b}",
                    reason.message
                );
                tally.note(note);
                "unknown"
            }
            Equality::Close(_) => "equal up to rounding",
            Equality::Different(witness) => {
                let note = format!("pair {number} is said to differ at {:?}\n  {a}\n  {b}", witness.inputs);
                tally.wrong.push(note);
                "different"
            }
        };
        if !checked.refuted.is_empty() {
            tally.wrong.push(format!("pair {number}: {:?}\n  {a}\n  {b}", checked.refuted));
        }
        tally.count(&format!("laws {family}"), what);
        tally.count(&format!("shape {shape}"), what);
    });
    for (family, most) in UNKNOWN {
        let share = tally.share(&format!("laws {family}"), "unknown");
        assert!(share <= most, "{family}: {share} in a thousand are unknown");
    }
}

#[test]
fn changed_expressions_are_never_equal() {
    let tally = soak("changed pairs", 2_000, |number, dice, tally| {
        let kind = KINDS[number as usize % KINDS.len()];
        let shape = SHAPES[number as usize / KINDS.len() % SHAPES.len()];
        let (start, rewritten) = equals(dice, shape, "all", 25);
        let (a, b) = if dice.below(2) == 0 { (start.clone(), start) } else { (start, rewritten) };
        let Some(b) = mutated(dice, &b, kind) else { return };
        let pair = Pair::new(dice, &a, &b);
        let decision = pair.decided();
        let checked = pair.checked(&decision);
        let (mut wrong, mut unknown) = (Vec::new(), None);
        let what = match answer(&decision) {
            Equality::Equal(_) => match apart(dice, &a, &b, 60) {
                (Some(at), _) => {
                    wrong.push(format!(
                        "pair {number} is said to be equal, and differs at {at:?}\n  {a}\n  {b}"
                    ));
                    "falsely equal"
                }
                (None, 0) => "equal, no value seen",
                (None, _) => "equal indeed",
            },
            Equality::Close(_) => "equal up to rounding",
            Equality::Different(witness) => match confirmed(&pair, witness, &a, &b) {
                Some(true) => "different",
                Some(false) => {
                    wrong.push(format!("pair {number}: {witness:?} is no witness\n  {a}\n  {b}"));
                    "falsely different"
                }
                None => "different, no value seen",
            },
            Equality::Unknown(reason) => match apart(dice, &a, &b, 40) {
                (Some(at), _) => {
                    let at: Vec<String> = at.iter().map(ToString::to_string).collect();
                    let at = at.join(" ");
                    unknown = Some(format!(
                        "pair {number} ({kind}, {shape}) differs at {at}: {}\n    {a}\n    {b}",
                        reason.message
                    ));
                    "unknown, different"
                }
                (None, _) => "unknown, no difference seen",
            },
        };
        if !checked.refuted.is_empty() {
            wrong.push(format!("pair {number}: {:?}\n  {a}\n  {b}", checked.refuted));
        }
        let mut tally = tally.lock().unwrap();
        tally.wrong.extend(wrong);
        unknown.into_iter().for_each(|text| tally.note(text));
        tally.count(kind, what);
    });
    for kind in KINDS {
        for what in ["unknown, different", "different, no value seen"] {
            let share = tally.share(kind, what);
            assert!(
                share <= if kind == "relation" { 200 } else { 30 },
                "{kind}: {share} in a thousand {what}"
            );
        }
    }
}

/// The heart of it alone: of what was changed in one place, evaluation at random points proves nothing
/// that exact intervals see to differ, at ties too. Fast, so there are many.
#[test]
fn evaluation_proves_no_changed_expression() {
    let shapes: Vec<&str> = SHAPES.iter().chain(&KERNELS).copied().collect();
    let tally = soak("changed pairs, by evaluation alone", 6_000, |number, dice, tally| {
        let kind = KINDS[number as usize % KINDS.len()];
        let shape = shapes[number as usize / KINDS.len() % shapes.len()];
        let start = draw(dice, shape);
        let other = if dice.below(3) > 0 { start.clone() } else { rewritten(dice, &start, "all", 12).0 };
        let Some(changed) = mutated(dice, &other, kind) else { return };
        let pair = Pair::new(dice, &start, &changed);
        let equal = equal_by_evaluation(&Options::default(), &Budget::default(), &pair.problem())
            .expect("the budget is ample")[0];
        let what = match equal {
            false => "not proved",
            true => match apart(dice, &start, &changed, 60) {
                (Some(at), _) => {
                    let text = format!(
                        "pair {number} ({kind}, {shape}) is proved, and differs at {at:?}\n  {start}\n  {changed}"
                    );
                    tally.lock().unwrap().wrong.push(text);
                    "falsely proved"
                }
                (None, 0) => "proved, no value seen",
                (None, _) => "equal indeed",
            },
        };
        tally.lock().unwrap().count(shape, what);
    });
    // The change is one: most pairs differ, and the test would notice if nothing were proved at all.
    let all = |what: &str| tally.counts.values().filter_map(|counts| counts.get(what)).sum::<u64>();
    assert!(all("not proved") > 20 * all("proved, no value seen") && all("equal indeed") > 0);
}

/// The certificates that a forger can write: what they carry is a method and a count.
const METHODS: [Method; 6] = [
    Method::SameExpression,
    Method::NormalForm { terms: 3 },
    Method::CommonDenominator { terms: 3 },
    Method::Cases { cases: 2 },
    Method::Evaluation { points: 4, bits: 160 },
    Method::EveryValue { values: 256 },
];

fn forged(members: Vec<u32>, equality: Equality) -> Decision {
    Decision { groups: vec![Group { members, equality }], ledger: Ledger::default() }
}

fn certificate(method: Method) -> Equality {
    Equality::Equal(Certificate { summary: String::new(), method })
}

/// A witness with one number of it changed, and what was changed.
fn spoilt(dice: &mut Dice, witness: &Witness) -> (Witness, &'static str) {
    let mut spoilt = witness.clone();
    let integer = |value: u64| BigRational::from_integer(value.into());
    // Inputs of a plain point are not listed, and its number is what can be changed.
    let inputs = spoilt.inputs.len() as u64;
    let what = match dice.below(5) {
        0 if spoilt.point.is_none() && inputs > 0 => {
            spoilt.inputs[dice.below(inputs) as usize].1 += integer(1 + dice.below(3));
            "an input"
        }
        1 if spoilt.point.is_none() && inputs > 0 => {
            spoilt.inputs[dice.below(inputs) as usize].0 ^= 1;
            "the number of an input"
        }
        2 if spoilt.point.is_none() => {
            spoilt.default += integer(1);
            "the default"
        }
        3 => {
            spoilt.values.swap(0, 1);
            "the sides"
        }
        _ => {
            let [(low, high), _] = spoilt.values;
            let other = if low.is_finite() { high.abs() * 2.0 + 1.0 } else { 0.0 };
            spoilt.values[0] = (other, other);
            "a value"
        }
    };
    (spoilt, what)
}

/// Answers spoilt in one place, and answers to other questions, do not pass.
#[test]
fn spoilt_answers_are_refuted() {
    let tally = soak("spoilt answers", 800, |number, dice, tally| {
        let shape = SHAPES[number as usize % SHAPES.len()];
        let kind = KINDS[number as usize / SHAPES.len() % KINDS.len()];
        let (a, b) = equals(dice, shape, "all", 20);
        let Some(changed) = mutated(dice, &b, kind) else { return };
        let (Some(at), _) = apart(dice, &a, &changed, 20) else { return };
        let judge = |what: &str, refuted: bool, note: &dyn Fn() -> String| {
            let mut tally = tally.lock().unwrap();
            tally.count(what, if refuted { "refuted" } else { "passed" });
            if !refuted {
                tally.note(format!("pair {number}: {what} ({kind}, {shape}) passed: {}", note()));
            }
        };
        let at: Vec<String> = at.iter().map(ToString::to_string).collect();
        let text = || format!("at {}\n    {a}\n    {changed}", at.join(" "));
        // Every proof of another pair.
        let wrong = Pair::new(dice, &a, &changed);
        for method in METHODS {
            let checked = wrong.checked(&forged(vec![0], certificate(method)));
            let what = if method == Method::SameExpression {
                "an equal pair's proof, same expression"
            } else {
                "an equal pair's proof"
            };
            judge(what, checked.refuted.len() == 1 && checked.confirmed + checked.by_points == 0, &text);
        }
        // A witness of another pair, and a witness with one number changed.
        let decision = wrong.decided();
        let right = Pair::new(dice, &a, &b);
        if let Equality::Different(witness) = answer(&decision) {
            let other = right.checked(&forged(vec![0], Equality::Different(witness.clone())));
            judge("a witness against an equal pair", other.refuted.len() == 1, &text);
            let (spoilt, what) = spoilt(dice, witness);
            // What is still true may pass, and so may what the intervals have no value for.
            if confirmed(&wrong, &spoilt, &a, &changed) == Some(false) {
                let checked = wrong.checked(&forged(vec![0], Equality::Different(spoilt)));
                judge(&format!("a witness with {what} changed"), checked.refuted.len() == 1, &text);
            }
        }
        // Two elements with their optimized sides exchanged, and one left out.
        let honest = right.decided();
        if matches!(answer(&honest), Equality::Equal(_)) {
            let mut both = Pair::new(dice, &a, &b);
            let second =
                [build(&mut both.stores[0], &changed, false), build(&mut both.stores[1], &changed, false)];
            let first = both.pairs[0];
            both.pairs = vec![(first.0, second[1]), (second[0], first.1)];
            let checked = both.checked(&forged(vec![0, 1], certificate(METHODS[1])));
            judge("two elements exchanged", checked.refuted.len() == 2, &text);
            both.pairs = vec![first, (second[0], second[1])];
            let mut dropped = forged(vec![0], certificate(METHODS[1]));
            let checked = both.checked(&dropped);
            judge("an element left out", checked.refuted.len() == 1, &text);
            check::withdraw(&mut dropped, &checked.refuted);
            let answered = dropped.groups.iter().map(|group| group.members.len()).sum::<usize>();
            judge("an element left out, taken back", answered == 2 && dropped.groups.len() == 2, &text);
        }
    });
    for name in tally.counts.keys() {
        // A difference that hardly any input shows is beyond a second look at 48 of them.
        let most = if name.contains("proof") || name.contains("exchanged") { 10 } else { 0 };
        let share = tally.share(name, "passed");
        assert!(share <= most, "{name}: {share} in a thousand passed");
        assert!(most > 0 || !tally.counts[name].contains_key("passed"), "{name} passed");
    }
}
