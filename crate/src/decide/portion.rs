//! The work on all output elements: equal pairs first, the rest in portions, in parallel.
//!
//! A portion is a run of pairs that share one arena of normal forms, so that what outputs have in
//! common (a row's maximum and sum) is worked out once a portion; what the first pair shares with
//! all others is worked out once altogether, and copied. Portions are cut by the number of pairs
//! alone.

use super::apart::decide_apart;
use super::asked::divide_where_zero;
use super::avoided::avoided;
use super::cases::{Cases, vanishes_by_cases};
use super::closeness::{self, Close};
use super::constants::{Computed, Reread, together};
use super::evaluation::{Evaluated, evaluate};
use super::everywhere::{self, Everywhere};
use super::forms::{BESIDE, Divisors, Forms, Poly, Step, Stop};
use super::left_out::left_out;
use super::normalize::{Normalizer, Side, Value};
use super::reading::{NO_NEGATIVE_ZERO, shows_sign_of_zero};
use super::same::Same;
use super::split::{Round, decide_guarded, decide_split};
use super::sums::Sums;
use super::trials::{AHEAD, Trials, plainly_different};
use super::witness::{Question, Rounded, Search, contrast, plain};
use super::{
    Certificate, Closeness, Decided, Decision, Equality, Group, Meanings, Method, Options, Problem, Reading,
    Reason, Witness, uses,
};
use crate::base::{Budget, Exhausted};
use crate::diag::{Assumption, Ledger};
use crate::term::eval::{Cone, Reach, Reals};
use crate::term::{self, Term, Terms};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::atomic::{AtomicBool, Ordering};

/// At most so many portions: enough to keep threads busy.
const PORTIONS: usize = 32;
/// At most so many where outputs share most of their terms, which every portion works out anew.
const PORTIONS_SHARING: usize = 8;

/// Pairs that differ for which it is said how, at least.
const DESCRIBED: usize = 16;
/// Of more than those, that is said of pairs of fewer nodes.
const SMALL: usize = 256;
/// Nodes of the pairs that are looked at for that.
const DESCRIBED_NODES: usize = 1 << 17;

/// Sums of at most so many summands are left to the normal form, which shows what they are.
const FEW: usize = 8;
/// Nodes visited to list sums, for each node that there is; and at least.
const LISTED: u64 = 4;
const LEAST_LISTED: u64 = 1 << 12;
/// What a step among diagrams counts for.
const DIAGRAMS: u64 = 16;

/// Nodes of a store for each pair above which pairs have most of them for themselves.
const OWN: usize = 64;

/// Inputs at which sides that are equal up to rounding are looked at, and the part of their size by which they
/// may not be apart there: then rounding would be most of what they compute.
const PLAIN_POINTS: u64 = 4;
const FAR_APART: f64 = 0.125;

/// Monomials that case splits may touch before and after inputs were tried.
const QUICK: u64 = 20_000;
const THOROUGH: u64 = 2_000_000;

/// What all portions share: the two kernels' terms with idioms replaced.
struct Shared<'a> {
    budget: &'a Budget,
    problem: &'a Problem<'a>,
    terms: [&'a Terms; 2],
    uses: [Vec<u8>; 2],
    meanings: &'a Meanings,
    /// How many pairs share the budget.
    pairs: usize,
    /// See [`Options::outputs`].
    outputs: bool,
}

impl<'a> Shared<'a> {
    /// Of so many pairs of a reading.
    fn of(
        budget: &'a Budget,
        problem: &'a Problem<'a>,
        reading: &'a Reading<'_>,
        pairs: usize,
    ) -> Result<Shared<'a>, Exhausted> {
        let terms = [reading.terms(0), reading.terms(1)];
        let uses = |side: usize| uses::count(budget, terms[side], reading.roots(side));
        let (uses, meanings, outputs) = ([uses(0)?, uses(1)?], &reading.meanings, reading.outputs);
        Ok(Shared { budget, problem, terms, uses, meanings, pairs, outputs })
    }

    fn question(&'a self) -> Question<'a> {
        let Shared { outputs, terms, meanings, .. } = *self;
        Question { outputs, terms, meanings, elements: self.problem.elements }
    }

    fn side(&'a self, index: usize) -> Side<'a> {
        Side { terms: self.terms[index], uses: &self.uses[index], meanings: self.meanings.side(index) }
    }
}

pub(super) fn decide<'a, R: Send>(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'a>,
    meanwhile: impl FnOnce(&Reading<'a>, &AtomicBool) -> R + Send,
) -> Result<Decided<'a, R>, Exhausted> {
    let progress = budget.progress();
    progress.decided.store(0, Ordering::Relaxed);
    // Pairs that occur twice are decided once, and counted once.
    let mut members: FxHashMap<(Term, Term), u32> = FxHashMap::default();
    let mut unique: Vec<(Term, Term)> = Vec::new();
    let mut which: Vec<u32> = Vec::with_capacity(problem.pairs.len());
    for pair in problem.pairs {
        let next = unique.len() as u32;
        let index = *members.entry(*pair).or_insert(next);
        if index == next {
            unique.push(*pair);
        }
        which.push(index);
    }
    progress.elements.store(unique.len() as u64, Ordering::Relaxed);
    let alike = compare_as_built(budget, problem, &unique)?;
    let mut answers: Vec<Option<Equality>> =
        alike.iter().map(|alike| alike.then(|| Equality::Equal(same_expression()))).collect();
    let mut ledger = Ledger::default();
    let unlike: Vec<usize> = (0..unique.len()).filter(|index| !alike[*index]).collect();
    let sums = compare_as_sums(budget, problem, &unlike, &unique)?;
    for (index, terms) in unlike.iter().zip(&sums) {
        answers[*index] = terms.map(|terms| Equality::Equal(same_sum(terms)));
    }
    let mut answered = (unique.iter().zip(&answers)).filter(|(_, answer)| answer.is_some());
    if answered.any(|((reference, _), _)| shows_sign_of_zero(problem.reference, *reference)) {
        ledger.note(Assumption::Other(NO_NEGATIVE_ZERO.to_owned()), 1, None);
    }
    let rest: Vec<usize> = (0..unique.len()).filter(|index| answers[*index].is_none()).collect();
    if rest.is_empty() && sums.iter().any(Option::is_some) {
        ledger.note(Assumption::FiniteValues, 1, None);
    }
    progress.decided.fetch_add((unique.len() - rest.len()) as u64, Ordering::Relaxed);
    let (mut reading, mut done) = (None, None);
    if !rest.is_empty() {
        let open: Vec<(Term, Term)> = rest.iter().map(|index| unique[*index]).collect();
        let mut read = Reading::of(options, budget, problem, &open, &mut ledger)?;
        // Once it is known that not all pairs are equal.
        let unwanted = AtomicBool::new(false);
        let meanwhile = || done = Some(meanwhile(&read, &unwanted));
        let evaluate = || {
            let evaluated = match options.exact_proof {
                true => Ok(Evaluated::nothing(open.len())),
                false => evaluate(budget, &read, problem.elements),
            };
            let all = |found: &Evaluated| found.proved.iter().all(Option::is_some);
            unwanted.store(!evaluated.as_ref().is_ok_and(all), Ordering::Relaxed);
            evaluated
        };
        let (evaluated, ()) = rayon::join(evaluate, meanwhile);
        let mut evaluated = evaluated?;
        evaluated.notes.insert(Assumption::FiniteValues);
        for assumption in evaluated.notes {
            ledger.note(assumption, 1, None);
        }
        let mut left = Vec::new();
        for (at, certificate) in evaluated.proved.into_iter().enumerate() {
            match certificate {
                Some(certificate) => answers[rest[at]] = Some(Equality::Equal(certificate)),
                None => left.push(at),
            }
        }
        let (mut guarded, mut assumed) = (Vec::new(), Ledger::default());
        if !options.exact_proof {
            let found = decide_guarded(options, budget, problem, &read, &left, &mut assumed)?;
            for (at, equality) in left.iter().zip(found).filter(|(_, equality)| equality.is_some()) {
                guarded.push(rest[*at]);
                answers[rest[*at]] = equality;
            }
            left.retain(|at| answers[rest[*at]].is_none());
        }
        progress.decided.fetch_add((open.len() - left.len()) as u64, Ordering::Relaxed);
        if !left.is_empty() {
            let mut equalities = decide_open(budget, problem, &read, &left, &mut ledger)?;
            match options.exact_proof {
                true => equalities.iter_mut().for_each(say_what_is_missing),
                false => read_together(budget, problem, &mut read, &left, &mut equalities, &mut ledger)?,
            }
            decide_apart(options, budget, problem, &read, &left, &mut equalities, &mut ledger)?;
            for round in [Round::Few, Round::All] {
                if !options.exact_proof {
                    let assumed =
                        decide_split(options, budget, problem, &read, &left, &mut equalities, round)?;
                    ledger.adopt(&assumed);
                }
            }
            for (at, equality) in left.iter().zip(equalities) {
                answers[rest[*at]] = Some(equality);
            }
        }
        take_back(options, budget, problem, &read, &rest, &mut answers, &mut ledger)?;
        // What was assumed for answers that are taken back is not assumed.
        if guarded.iter().any(|at| matches!(answers[*at], Some(Equality::Equal(_)))) {
            ledger.adopt(&assumed);
        }
        reading = Some(read);
    }
    let decision = Decision { groups: group(&which, answers), ledger };
    Ok(Decided { decision, reading, meanwhile: done })
}

/// Pairs that are not equal, whatever was proved, because a side divides by what it has itself said to be zero, or does
/// not leave out a division by zero that the other one does. Different, if inputs show it.
fn take_back(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    rest: &[usize],
    answers: &mut [Option<Equality>],
    ledger: &mut Ledger,
) -> Result<(), Exhausted> {
    let terms = [reading.terms(0), reading.terms(1)];
    let equal = |at: &usize| matches!(answers[rest[*at]], Some(Equality::Equal(_) | Equality::Close(_)));
    let shown: Vec<usize> = (0..rest.len()).filter(equal).collect();
    let asked = [0, 1].map(|side| divide_where_zero(terms[side], reading.roots(side), budget));
    let asked = match asked {
        [Ok(reference), Ok(optimized)] => [reference, optimized],
        [Err(why), _] | [_, Err(why)] => return Err(why),
    };
    let question = Question { outputs: true, terms, meanings: &reading.meanings, elements: problem.elements };
    let pairs: Vec<(Term, Term)> = shown.iter().map(|at| reading.pair(*at)).collect();
    let witnesses = match options.outputs {
        true => {
            let either: Vec<bool> = shown.iter().map(|at| asked[0][*at] || asked[1][*at]).collect();
            avoided(&question, &pairs, &either, budget)?
        }
        false => vec![None; shown.len()],
    };
    if options.outputs {
        let is_open =
            |place: &usize| witnesses[*place].is_none() && !asked.iter().any(|asked| asked[shown[*place]]);
        let open: Vec<usize> = (0..shown.len()).filter(is_open).collect();
        let pairs: Vec<(Term, Term)> = open.iter().map(|place| pairs[*place]).collect();
        let (others, assumed) = left_out(options, &question, &pairs, budget)?;
        ledger.adopt(&assumed);
        for (place, other) in open.into_iter().zip(others) {
            if other.is_some() {
                answers[rest[shown[place]]] = other;
            }
        }
    }
    for (at, witness) in shown.into_iter().zip(witnesses) {
        let side =
            ["the reference", "the optimized kernel"].into_iter().zip(&asked).find(|(_, asked)| asked[at]);
        let answer = match (witness, side) {
            (Some(witness), _) => Equality::Different(witness),
            (None, Some((name, _))) => Equality::Unknown(Reason {
                message: format!(
                    "{name} divides by a number where it has asked whether that is zero, and it is"
                ),
                hint: Some("change the branch that divides by it, or the condition".to_owned()),
            }),
            (None, None) => continue,
        };
        answers[rest[at]] = Some(answer);
    }
    Ok(())
}

/// What is undecided, once more with the constants of both kernels read together: what is then proved
/// is equal up to rounding, if the kernels as they are written give nearly the same at plain points.
fn read_together(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &mut Reading<'_>,
    chosen: &[usize],
    equalities: &mut [Equality],
    ledger: &mut Ledger,
) -> Result<(), Exhausted> {
    if !equalities.iter().any(|equality| matches!(equality, Equality::Unknown(_))) {
        return Ok(());
    }
    let terms = [reading.terms(0), reading.terms(1)];
    let Some((meanings, reread)) = together(&reading.meanings, terms, budget)? else { return Ok(()) };
    let undecided: Vec<usize> =
        (0..chosen.len()).filter(|at| matches!(equalities[*at], Equality::Unknown(_))).collect();
    let first = std::mem::replace(&mut reading.meanings, meanings);
    let pairs: Vec<usize> = undecided.iter().map(|at| chosen[*at]).collect();
    let equal = equal_as_read(budget, problem, reading, &pairs);
    reading.meanings = first;
    let (equal, notes) = equal?;
    let mut any = false;
    for (at, equal) in undecided.into_iter().zip(equal) {
        if equal && let Some(apart) = apart_as_written(budget, problem, reading, chosen[at])? {
            equalities[at] = Equality::Close(closeness_together(&reread, apart));
            any = true;
        }
    }
    if any {
        for assumption in notes {
            ledger.note(assumption, 1, None);
        }
        ledger.note(Assumption::ConstantsRounded(reread.len() as u64), 1, None);
    }
    Ok(())
}

/// Which of the `chosen` pairs of a reading evaluation or normal forms find equal.
fn equal_as_read(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
) -> Result<(Vec<bool>, BTreeSet<Assumption>), Exhausted> {
    let Evaluated { proved, notes, .. } = evaluate(budget, reading, problem.elements)?;
    let mut notes: BTreeSet<Assumption> = notes.into_iter().collect();
    let shared = Shared::of(budget, problem, reading, chosen.len())?;
    let mut normalizer =
        Normalizer::new(Forms::new(budget, problem.elements), [shared.side(0), shared.side(1)]);
    let mut equal = Vec::with_capacity(chosen.len());
    for at in chosen {
        if proved[*at].is_some() {
            equal.push(true);
            continue;
        }
        normalizer.forms.next_question();
        normalizer.integers.diagrams.next_question();
        budget.spend(DIAGRAMS * normalizer.integers.diagrams.take_steps())?;
        match compare(&mut normalizer, reading.pair(*at), &mut true) {
            Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
            Ok(Compared::Equal(_)) => equal.push(true),
            Ok(_) | Err(Stop::Unknown(_)) => equal.push(false),
        }
    }
    notes.append(&mut normalizer.forms.notes);
    Ok((equal, notes))
}

/// How far the sides of a pair are apart at plain points with all constants exactly as they are written, as a
/// part of their size; `None` where that is nowhere little, or can be said of no point.
fn apart_as_written(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    at: usize,
) -> Result<Option<f64>, Exhausted> {
    let mut most: Option<f64> = None;
    for point in 0..PLAIN_POINTS {
        let element = |element: u32| plain(problem.elements, point, element);
        let mut values = [None, None];
        for (side, value) in values.iter_mut().enumerate() {
            let cone = Cone::of(reading.terms(side), &[reading.roots(side)[at]], budget)?;
            let constants = reading.meanings.as_written(side);
            let domain = Reals { element: &element, constants: &constants };
            let found = term::eval::evaluate(&cone, &domain, budget, &mut Vec::new())?;
            *value = found[0].interval();
        }
        let [Some(a), Some(b)] = values else { continue };
        let (apart, size) = (a.minus(b).abs().high(), a.abs().high().max(b.abs().high()));
        let part = if apart == 0.0 { 0.0 } else { apart / size };
        most = Some(most.map_or(part, |most| most.max(part)));
    }
    Ok(most.filter(|part| *part < FAR_APART))
}

fn closeness_together(reread: &[Reread], apart: f64) -> Closeness {
    let part = reread.iter().map(Reread::part).fold(apart, f64::max);
    let read: Vec<String> = reread.iter().map(|one| format!("{} for {}", one.written, one.read)).collect();
    let summary = format!(
        "the two sides are equal if constants stand for numbers that their rounding allows: {}; as they are \
         written, the sides differ by at most {apart:.1e} of their size at plain inputs",
        read.join(", ")
    );
    Closeness { part, summary }
}

/// Without evaluation, what is not decided may well be.
fn say_what_is_missing(equality: &mut Equality) {
    if let Equality::Unknown(reason) = equality {
        reason.message = format!("normal forms alone, as asked for, give up: {}", reason.message);
        let more = "without `--proof exact`, evaluation at random points may decide it".to_owned();
        reason.hint = Some(reason.hint.take().map_or(more.clone(), |hint| format!("{hint}; {more}")));
    }
}

/// Which pairs are built alike.
fn compare_as_built(
    budget: &Budget,
    problem: &Problem<'_>,
    pairs: &[(Term, Term)],
) -> Result<Vec<bool>, Exhausted> {
    let constants = Same::constants(problem.reference, problem.optimized);
    let sharing = problem.reference.len().max(problem.optimized.len()) < OWN * pairs.len();
    let portions: Result<Vec<Vec<bool>>, Exhausted> = pairs
        .par_chunks(pairs.len().div_ceil(if sharing { PORTIONS_SHARING } else { PORTIONS }).max(1))
        .map(|pairs| Same::new(problem.reference, problem.optimized, &constants).terms(budget, pairs))
        .collect();
    Ok(portions?.concat())
}

/// Which of the `chosen` pairs add up the same products, and how many those are.
fn compare_as_sums(
    budget: &Budget,
    problem: &Problem<'_>,
    chosen: &[usize],
    pairs: &[(Term, Term)],
) -> Result<Vec<Option<usize>>, Exhausted> {
    let nodes = (problem.reference.len() + problem.optimized.len()) as u64;
    let work = LISTED * nodes / PORTIONS as u64 + LEAST_LISTED;
    let portions: Result<Vec<Vec<Option<usize>>>, Exhausted> = chosen
        .par_chunks(chosen.len().div_ceil(PORTIONS).max(1))
        .map(|chosen| {
            let mut sums = Sums::new(problem.reference, problem.optimized, work);
            let mut same = |index: &usize| sums.same(budget, pairs[*index].0, pairs[*index].1);
            chosen.iter().map(|index| Ok(same(index)?.filter(|terms| *terms > FEW))).collect()
        })
        .collect();
    Ok(portions?.concat())
}

/// Answers for some pairs of a reading, which are not built alike.
fn decide_open(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
    ledger: &mut Ledger,
) -> Result<Vec<Equality>, Exhausted> {
    let shared = Shared::of(budget, problem, reading, chosen.len())?;
    let pairs: Vec<(Term, Term)> = chosen.iter().map(|at| reading.pair(*at)).collect();
    let own = Reach::of(shared.terms[0], &[pairs[0].0], budget)?.nodes().count();
    let sharing = own * pairs.len() > 4 * shared.terms[0].len();
    let mut normalizer =
        Normalizer::new(Forms::new(budget, problem.elements), [shared.side(0), shared.side(1)]);
    // What the first pair needs, others need as well: it is worked out once, and copied.
    let (first, rest) = pairs.split_at(usize::from(sharing));
    let mut portions = vec![decide_portion(&shared, &mut normalizer, first)?];
    let most = if sharing { PORTIONS_SHARING } else { PORTIONS };
    let others: Result<Vec<Portion>, Exhausted> = rest
        .par_chunks(rest.len().div_ceil(most).max(1))
        .map(|pairs| decide_portion(&shared, &mut normalizer.clone(), pairs))
        .collect();
    portions.extend(others?);
    let mut answers = Vec::with_capacity(pairs.len());
    let mut notes = BTreeSet::new();
    for (equalities, assumed) in portions {
        answers.extend(equalities);
        notes.extend(assumed);
    }
    for assumption in notes {
        ledger.note(assumption, 1, None);
    }
    describe(&shared.question(), &pairs, &mut answers, budget)?;
    Ok(answers)
}

/// Says how pairs differ, where that was left out, as far as they are small; and of at least one, on which inputs.
fn describe(
    question: &Question<'_>,
    pairs: &[(Term, Term)],
    answers: &mut [Equality],
    budget: &Budget,
) -> Result<(), Exhausted> {
    let listed = |answer: &Equality| matches!(answer, Equality::Different(w) if w.point.is_none());
    let mut any_listed = answers.iter().any(listed);
    let different = answers.iter_mut().zip(pairs).filter_map(|(answer, pair)| match answer {
        Equality::Different(witness) => Some((witness, *pair)),
        Equality::Equal(_) | Equality::Close(_) | Equality::Unknown(_) => None,
    });
    let (mut described, mut spent) = (0, 0);
    for (witness, pair) in different {
        described += 1;
        // Inputs that showed another pair's difference say nothing of what this one's is.
        if witness.point.is_none() && !witness.difference.starts_with(BESIDE) {
            continue;
        }
        if described > DESCRIBED {
            let mut nodes = 0;
            for (terms, root) in question.terms.into_iter().zip([pair.0, pair.1]) {
                nodes += Reach::of(terms, &[root], budget)?.nodes().take(SMALL).count();
            }
            spent += nodes;
            if spent >= DESCRIBED_NODES {
                break;
            }
            if nodes >= SMALL {
                continue;
            }
        }
        if let (Some(point), false) = (witness.point, any_listed) {
            witness.list(question, pair, point, budget)?;
            any_listed = true;
        }
        witness.difference = contrast(question, pair, budget)?.sentence;
    }
    Ok(())
}

type Portion = (Vec<Equality>, BTreeSet<Assumption>);

fn decide_portion(
    shared: &Shared<'_>,
    normalizer: &mut Normalizer<'_>,
    pairs: &[(Term, Term)],
) -> Result<Portion, Exhausted> {
    let question = shared.question();
    let uses = [shared.uses[0].as_slice(), shared.uses[1].as_slice()];
    let mut close = closeness::Sums::new(shared.budget, shared.terms, uses, shared.meanings);
    let mut roundings = None;
    let mut trials = Trials::default();
    let mut everywhere = everywhere::Seen::new(shared.budget, shared.pairs);
    let mut equalities = Vec::with_capacity(pairs.len());
    let mut ahead: Vec<Option<Witness>> = Vec::new();
    let mut said = false;
    // Where one pair was shown equal by its words, others are likely to be.
    let mut words_first = false;
    for (at, (a, b)) in pairs.iter().enumerate() {
        if trials.are_costly() && ahead.is_empty() {
            let next = &pairs[at..pairs.len().min(at + AHEAD)];
            ahead = plainly_different(&question, next, shared.budget)?;
            ahead.reverse();
        }
        if let Some(Some(witness)) = ahead.pop() {
            shared.budget.progress().decided.fetch_add(1, Ordering::Relaxed);
            equalities.push(Equality::Different(witness));
            continue;
        }
        normalizer.forms.next_question();
        normalizer.integers.diagrams.next_question();
        shared.budget.spend(DIAGRAMS * normalizer.integers.diagrams.take_steps())?;
        if words_first && normalizer.same_by_words(&question, (*a, *b), shared.budget)? {
            shared.budget.progress().decided.fetch_add(1, Ordering::Relaxed);
            equalities.push(Equality::Equal(same_words()));
            continue;
        }
        let compared = match compare(normalizer, (*a, *b), &mut said) {
            Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stop::Unknown(message)) => Compared::Unknown(message),
            Ok(compared) => compared,
        };
        let compared = match compared {
            Compared::Equal(_) => compared,
            _ => by_circuits(normalizer, (*a, *b)).unwrap_or(compared),
        };
        let at_all = match compared {
            Compared::Equal(_) => Everywhere::Open,
            _ => everywhere.look(&question, (*a, *b), shared.budget)?,
        };
        let compared = at_all.certificate().map_or(compared, Compared::Equal);
        let equality = match compared {
            Compared::Equal(certificate) => Equality::Equal(certificate),
            Compared::Unknown(message) => match trials.search(&question, (*a, *b), shared.budget)? {
                Search::Different(witness) => Equality::Different(witness),
                search => Equality::Unknown(undecided(message, &search)),
            },
            Compared::Unequal(unequal) => {
                match settle(normalizer, unequal, &mut trials, &question, (*a, *b), shared.budget) {
                    Ok(equality) => equality,
                    Err(Stop::Exhausted(exhausted)) => return Err(exhausted),
                    Err(Stop::Unknown(message)) => Equality::Unknown(Reason { message, hint: None }),
                }
            }
        };
        let equality = match equality {
            Equality::Unknown(_) => {
                let mut points = at_all.points();
                points.extend(normalizer.where_circuits_differ(*a, *b));
                let found = trials.at_special(&question, (*a, *b), (points, shared.pairs), shared.budget)?;
                found.map_or(equality, Equality::Different)
            }
            decided => decided,
        };
        let equality = match equality {
            Equality::Unknown(_) if normalizer.same_by_words(&question, (*a, *b), shared.budget)? => {
                words_first = true;
                Equality::Equal(same_words())
            }
            undecided => undecided,
        };
        let equality = match equality {
            Equality::Unknown(_) => match close.of((*a, *b))? {
                Some(found) => {
                    roundings = Some(found.constants);
                    Equality::Close(closeness_of(found))
                }
                None => equality,
            },
            decided => decided,
        };
        shared.budget.progress().decided.fetch_add(1, Ordering::Relaxed);
        equalities.push(equality);
    }
    let mut notes = std::mem::take(&mut normalizer.forms.notes);
    // What nothing was proved by is not assumed.
    if !equalities.iter().any(|answer| matches!(answer, Equality::Equal(_) | Equality::Close(_))) {
        notes.retain(|note| !note.is_of_domain());
    }
    notes.insert(Assumption::FiniteValues);
    if let Some(constants) = roundings {
        notes.insert(Assumption::ConstantsRounded(constants));
    }
    Ok((equalities, notes))
}

/// What comparing normal forms came to.
enum Compared {
    Equal(Certificate),
    Unequal(Unequal),
    Unknown(String),
}

/// Two normal forms that were not shown equal.
struct Unequal {
    forms: [Poly; 2],
    difference: Poly,
}

/// Compares normal forms. One form says what a group of outputs are: unless one was `said`.
fn compare(normalizer: &mut Normalizer<'_>, (a, b): (Term, Term), said: &mut bool) -> Step<Compared> {
    let (x, y) = (normalizer.value(0, a)?, normalizer.value(1, b)?);
    let (x, y) = match (x, y) {
        (Value::Finite(x), Value::Finite(y)) => (x, y),
        (Value::Infinite(x), Value::Infinite(y)) if x == y => {
            let summary = format!("both are {}infinity", if x { "" } else { "minus " });
            return Ok(equal(summary, Method::NormalForm { terms: 0 }));
        }
        _ => return Ok(Compared::Unknown("one side is infinite, the other is not".to_owned())),
    };
    let forms = &mut normalizer.forms;
    let terms = forms.len(x) as u32;
    if x == y {
        let summary = match std::mem::replace(said, true) {
            false => format!("both sides have the normal form {}", forms.render(x)),
            true => String::new(),
        };
        return Ok(equal(summary, Method::NormalForm { terms }));
    }
    let mut difference = forms.minus(x, y)?;
    if forms.vanishes(difference)? {
        let summary = "the difference is zero over a common denominator".to_owned();
        return Ok(equal(summary, Method::CommonDenominator { terms }));
    }
    if let Some(flattened) = forms.flattened(difference)? {
        difference = flattened;
        if forms.vanishes(difference)? {
            let summary = "the difference is zero once nested maxima are joined".to_owned();
            return Ok(equal(summary, Method::CommonDenominator { terms }));
        }
    }
    if forms.vanishes_as_power(difference)? {
        let summary = "both sides are non-negative, and a power of them is the same".to_owned();
        return Ok(equal(summary, Method::CommonDenominator { terms }));
    }
    // Quotients have no bits of their own: what they are of says more.
    let quotients = normalizer.has_quotients(difference);
    if quotients && let Cases::Zero(cases) = vanishes_by_cases(&mut normalizer.forms, difference, QUICK)? {
        return Ok(Compared::Equal(in_cases(cases)));
    }
    if normalizer.vanishes_in_bits(difference)? {
        let summary = "the difference is zero at all values of the bits".to_owned();
        return Ok(equal(summary, Method::CommonDenominator { terms }));
    }
    let forms = &mut normalizer.forms;
    if !quotients && let Cases::Zero(cases) = vanishes_by_cases(forms, difference, QUICK)? {
        return Ok(Compared::Equal(in_cases(cases)));
    }
    if vanishes_unfolded(forms, difference)? {
        let summary = "the difference is zero once maxima are written as choices".to_owned();
        return Ok(equal(summary, Method::CommonDenominator { terms }));
    }
    Ok(Compared::Unequal(Unequal { forms: [x, y], difference }))
}

/// Whether both sides are the same function of the bits that they read, each worked out from its term; or the same
/// integer, with what wraps around taken off.
fn by_circuits(normalizer: &mut Normalizer<'_>, (a, b): (Term, Term)) -> Option<Compared> {
    normalizer.integers.diagrams.next_question();
    let summary = if normalizer.same_circuit(a, b) == Some(true) {
        "every bit of both sides is the same function of the inputs' bits"
    } else if normalizer.same_in_floors(a, b) {
        "both sides are the same integer, with what words lose when they wrap around"
    } else {
        return None;
    };
    Some(equal(summary.to_owned(), Method::NormalForm { terms: 1 }))
}

/// Whether the difference is zero with maxima written as choices, as far as a quick look tells.
fn vanishes_unfolded(forms: &mut Forms<'_>, difference: Poly) -> Step<bool> {
    forms.limit_work(QUICK);
    let vanishes = match forms.unfolded(difference) {
        Ok(Some(unfolded)) => forms.vanishes(unfolded),
        Ok(None) => Ok(false),
        Err(stop) => Err(stop),
    };
    match vanishes {
        Err(Stop::Unknown(_)) => Ok(false),
        vanishes => vanishes,
    }
}

/// Whether the difference is zero with its conditions written as signs of what is simplest, or in each of the
/// cases of those. Not where something is assumed to be defined: a border on which it is not is a place that a
/// kernel may ask about, and signs know of no place that is left out.
fn by_signs(forms: &mut Forms<'_>, difference: Poly) -> Step<Option<Compared>> {
    if forms.notes.iter().any(Assumption::is_of_domain) {
        return Ok(None);
    }
    let terms = forms.len(difference) as u32;
    for divisors in [Divisors::Apart, Divisors::Above, Divisors::Below] {
        forms.limit_work(THOROUGH);
        // What conditions assume was noted when they were read.
        let notes = forms.notes.clone();
        let signed = forms.by_signs(difference, divisors).and_then(|signed| match signed {
            Some(signed) => Ok(Some((signed, forms.vanishes(signed)?))),
            None => Ok(None),
        });
        forms.notes = notes;
        match signed {
            Err(Stop::Unknown(_)) | Ok(None) => return Ok(None),
            Err(stop) => return Err(stop),
            Ok(Some((_, true))) => {
                let summary = "the difference is zero once comparisons are written as signs of their factors"
                    .to_owned();
                return Ok(Some(equal(summary, Method::CommonDenominator { terms })));
            }
            Ok(Some((signed, false))) => {
                if signed != difference
                    && let Cases::Zero(cases) = vanishes_by_cases(forms, signed, QUICK)?
                {
                    return Ok(Some(Compared::Equal(in_cases(cases))));
                }
            }
        }
    }
    Ok(None)
}

/// Whether the difference is zero where sums of converted floats do not wrap around.
fn by_sums_in_words(normalizer: &mut Normalizer<'_>, forms: [Poly; 2]) -> Step<Option<Certificate>> {
    normalizer.forms.limit_work(THOROUGH);
    let notes = normalizer.forms.notes.clone();
    let mut assumed = Vec::new();
    let mut sides = forms;
    for side in &mut sides {
        match normalizer.without_overflow(*side) {
            Err(Stop::Unknown(_)) => return Ok(None),
            without => {
                if let Some((form, notes)) = without? {
                    *side = form;
                    assumed.extend(notes);
                }
            }
        }
    }
    if sides == forms {
        return Ok(None);
    }
    let difference = normalizer.forms.minus(sides[0], sides[1])?;
    let zero = normalizer.forms.vanishes(difference)? || normalizer.vanishes_in_bits(difference)?;
    let shown =
        zero || matches!(vanishes_by_cases(&mut normalizer.forms, difference, THOROUGH)?, Cases::Zero(_));
    normalizer.forms.notes = notes;
    if !shown {
        return Ok(None);
    }
    normalizer.forms.notes.extend(assumed);
    let summary = "the difference is zero where sums with what was converted do not wrap around".to_owned();
    let terms = normalizer.forms.len(difference) as u32;
    Ok(Some(Certificate { summary, method: Method::CommonDenominator { terms } }))
}

fn in_cases(cases: u32) -> Certificate {
    let summary = format!("the difference is zero in each of {cases} cases of the comparisons");
    Certificate { summary, method: Method::Cases { cases } }
}

/// Unequal normal forms: a witness says different, a thorough look at all cases may still say
/// equal.
fn settle(
    normalizer: &mut Normalizer<'_>,
    unequal: Unequal,
    trials: &mut Trials,
    question: &Question<'_>,
    pair: (Term, Term),
    budget: &Budget,
) -> Step<Equality> {
    let search = trials.search(question, pair, budget)?;
    match search {
        Search::Different(mut witness) => {
            if witness.difference.is_empty() {
                witness.difference = normalizer.forms.render_difference(unequal.forms);
            }
            return Ok(Equality::Different(witness));
        }
        Search::Alike { .. } => {
            if let Some(Compared::Equal(certificate)) = by_signs(&mut normalizer.forms, unequal.difference)? {
                return Ok(Equality::Equal(certificate));
            }
            match vanishes_by_cases(&mut normalizer.forms, unequal.difference, THOROUGH)? {
                Cases::Zero(cases) => return Ok(Equality::Equal(in_cases(cases))),
                Cases::Elsewhere(point) => {
                    if let Some(mut witness) = trials.at(question, pair, &point, budget)? {
                        witness.difference = normalizer.forms.render_difference(unequal.forms);
                        return Ok(Equality::Different(witness));
                    }
                }
                Cases::Open => {}
            }
            if let Some(certificate) = by_sums_in_words(normalizer, unequal.forms)? {
                return Ok(Equality::Equal(certificate));
            }
        }
        Search::Close(_) | Search::Rounded(_) => {}
    }
    let message = format!("the normal forms differ: {}", normalizer.forms.render_difference(unequal.forms));
    Ok(Equality::Unknown(undecided(message, &search)))
}

fn undecided(message: String, search: &Search) -> Reason {
    let hint = match search {
        Search::Rounded(rounded) => return only_rounded(rounded),
        Search::Different(_) => None,
        Search::Close(part) => Some(format!(
            "the two sides differ by {part:.1e} of their size, which the rounding of a constant may explain; \
             write both kernels with the same constants"
        )),
        Search::Alike { defined: 0, tried } => Some(format!(
            "at each of the {tried} inputs tried, a side is undefined, or its value is not known"
        )),
        Search::Alike { defined, tried } if defined == tried => {
            Some(format!("the two sides agree at all {tried} inputs tried, which proves nothing"))
        }
        Search::Alike { defined, tried } => Some(format!(
            "the two sides agree at {defined} of the {tried} inputs tried, which proves nothing; at the others a side \
             is undefined, or its value is not known"
        )),
    };
    Reason { message, hint }
}

/// Why a difference is none, if the rounding of numbers that depend on no input may explain it.
fn only_rounded(rounded: &Rounded) -> Reason {
    let message =
        "the difference may be rounding: the kernels compute numbers from known ones alone, as the \
        hardware rounds them, and these may be off by more than the two sides differ"
            .to_owned();
    let numbers: Vec<String> = rounded.numbers.iter().map(Computed::to_string).collect();
    let hint = format!(
        "as computed they differ by {:.1e} of their size; {} may be off by rounding; if they come out of a scalar or \
         of contents that the spec gives, make those symbolic, or give both kernels the same numbers as a tensor",
        rounded.part,
        numbers.join(" and ")
    );
    Reason { message, hint: Some(hint) }
}

fn closeness_of(Close { part, .. }: Close) -> Closeness {
    let summary = format!(
        "the two sides differ by no more than the rounding of constants explains: with the constants exactly \
         as written, no coefficient differs by more than {part:.1e} of the largest beside it"
    );
    Closeness { part, summary }
}

fn equal(summary: String, method: Method) -> Compared {
    Compared::Equal(Certificate { summary, method })
}

fn same_expression() -> Certificate {
    Certificate {
        summary: "both sides compute the same expression".to_owned(),
        method: Method::SameExpression,
    }
}

fn same_words() -> Certificate {
    let summary = "both sides compute the same words, each shown from those before it".to_owned();
    Certificate { summary, method: Method::NormalForm { terms: 1 } }
}

fn same_sum(terms: usize) -> Certificate {
    Certificate {
        summary: Certificate::same_sum(terms as u32, terms as u32),
        method: Method::SameSum { terms: terms as u32, most: terms as u32 },
    }
}

/// Pairs with the same answer together, in the order of their first member.
fn group(which: &[u32], answers: Vec<Option<Equality>>) -> Vec<Group> {
    let mut all = Groups::default();
    let mut of_unique: FxHashMap<u32, usize> = FxHashMap::default();
    for (index, unique) in which.iter().enumerate() {
        if let Some(group) = of_unique.get(unique) {
            all.groups[*group].members.push(index as u32);
            continue;
        }
        let Some(answer) = &answers[*unique as usize] else { continue };
        of_unique.insert(*unique, all.add(answer, [index as u32]));
    }
    all.groups
}

/// What answers have in common that are told together; differences stand alone.
#[derive(PartialEq, Eq, Hash)]
enum Alike {
    // The sizes may differ; the first member's stand for all.
    Equal(std::mem::Discriminant<Method>),
    // With the hint: at how many inputs was tried is not the same for all.
    Unknown(String, Option<String>),
    Close,
}

/// Pairs with the same answer, as they are added.
#[derive(Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    of_answer: FxHashMap<Alike, usize>,
}

impl Groups {
    /// Adds pairs with an answer; gives the number of their group.
    pub(super) fn add(&mut self, answer: &Equality, members: impl IntoIterator<Item = u32>) -> usize {
        let alike = match answer {
            Equality::Equal(certificate) => Some(Alike::Equal(discriminant(&certificate.method))),
            Equality::Unknown(reason) => Some(Alike::Unknown(reason.message.clone(), reason.hint.clone())),
            Equality::Close(_) => Some(Alike::Close),
            Equality::Different(_) => None,
        };
        let next = self.groups.len();
        let group = alike.map_or(next, |alike| *self.of_answer.entry(alike).or_insert(next));
        if group == next {
            self.groups.push(Group { members: Vec::new(), equality: answer.clone() });
        } else {
            self.groups[group].take(answer);
        }
        self.groups[group].members.extend(members);
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_says_what_is_true_of_all_of_its_members() {
        let of = |sizes: &[usize]| {
            let portions = sizes.iter().enumerate().map(|(at, size)| {
                let equality = Equality::Equal(same_sum(*size));
                (at as u32, vec![Group { members: vec![0], equality }])
            });
            let groups = crate::decide::joined(portions);
            let [Group { equality: Equality::Equal(certificate), .. }] = groups.as_slice() else {
                panic!("{groups:?}")
            };
            certificate.of_several("y[0]")
        };
        assert_eq!(of(&[9, 9]), "both sides add up the same 9 summands, in another order");
        assert_eq!(of(&[12, 9, 128, 30]), "both sides add up the same 9 to 128 summands, in another order");
        let form = Certificate {
            summary: "both sides have the normal form x[0]".to_owned(),
            method: Method::NormalForm { terms: 1 },
        };
        assert_eq!(form.of_several("y[0]"), "both sides have the same normal form; that of y[0] is x[0]");
    }

    #[test]
    fn at_how_many_inputs_both_sides_have_values_is_said() {
        let hint = |defined, tried| undecided(String::new(), &Search::Alike { defined, tried }).hint;
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            hint(0, 114),
            said("at each of the 114 inputs tried, a side is undefined, or its value is not known")
        );
        assert_eq!(hint(3, 3), said("the two sides agree at all 3 inputs tried, which proves nothing"));
        let some = "the two sides agree at 100 of the 114 inputs tried, which proves nothing; at the others a side is \
                    undefined, or its value is not known";
        assert_eq!(hint(100, 114), said(some));
    }
}
