//! A second opinion on every answer of `decide`, by evaluation instead of normal forms.
//!
//! *Equal* is confirmed for terms that were called the same expression by comparing structural
//! hashes ([`shape`]), and for all others by evaluating both sides again, by other code than
//! `decide`'s and modulo other primes ([`evaluation`]): around two real inputs, which say how maxima and
//! conditions come out. What that does not follow is tried at points of the reals in enclosures, and so
//! are small terms in any case: 6 points, up to 48 for small terms, and up to 8 at which a comparison in the
//! terms is a tie, where there are such ([`points`]).
//! *Equal up to rounding* is looked at there too, with every constant as wide as its rounding: the two sides
//! must meet. *Different* is confirmed by evaluating both sides at the witness, in enclosures that must lie
//! apart, with constants as wide as their rounding, and with what a machine has where a side has no real value.
//! Every pair has exactly one answer.
//!
//! Guarantees: a refutation is a mistake of `decide`, with three exceptions that cannot be told
//! apart from here: points where a denominator vanishes or a root's argument is negative are
//! skipped, never refuted. Misses: an equality that fails only where no point was tried, nor a neighbourhood of
//! a random one. When outputs are many and large, members of a group are sampled ([`Checked::skipped`]).
//!
//! What is shared with `decide`: the reading of constants and library idioms, which is part of the
//! question. Its evaluator, the normal form, its arena, case splits and the search for witnesses are not.

mod evaluation;
mod exact;
mod field;
mod points;
mod shape;

use crate::base::{Budget, Exhausted};
use crate::decide::witness::plain;
use crate::decide::{
    Certificate, Decision, Equality, Group, Method, Options, Problem, Reading, Reason, Witness,
};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Quantity, Reach, Reals, Slots, evaluate};
use crate::term::{Elements, Term};
use evaluation::{Meeting, Value};
use points::{Agreement, Probe};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Random real inputs around which both sides are evaluated in prime fields.
const AROUND: u64 = 2;
/// Pairs evaluated together, at least.
const BATCH: usize = 64;
/// Pairs that differ at a plain point evaluated together.
const PLAIN: usize = 16;
/// Bytes that evaluating a node takes: the step, and where its value is kept.
const NODE_BYTES: u64 = 32;
/// Nodes to evaluate before members are sampled.
const MOST_NODES: usize = 40_000_000;
/// Members of a group that are looked at however large.
const LEAST_MEMBERS: usize = 16;

/// An answer that the second opinion does not share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// Index into [`Problem::pairs`].
    pub pair: u32,
    /// What was found instead.
    pub message: String,
}

/// What the second opinion came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Answers confirmed: by structure, in prime fields, or at a witness.
    pub confirmed: u64,
    /// Of these, in prime fields.
    pub by_field: u64,
    /// Equalities confirmed only by enclosures at points.
    pub by_points: u64,
    /// Equalities without any point where both sides are defined.
    pub open: u64,
    /// Members not looked at, because others of their group were.
    pub skipped: u64,
    /// Answers that are wrong.
    pub refuted: Vec<Refutation>,
    /// Equalities of which, at all points tried, one side is defined at most.
    pub unfounded: Vec<u32>,
}

impl Checked {
    /// Counts a claim, which is wrong if there is a message.
    fn judge(&mut self, claim: Claim, refuted: Option<String>) {
        match refuted {
            None => self.confirmed += 1,
            Some(message) => self.refuted.push(Refutation { pair: claim.pair, message }),
        }
    }

    fn merge(&mut self, other: Checked) {
        self.confirmed += other.confirmed;
        self.by_field += other.by_field;
        self.by_points += other.by_points;
        self.open += other.open;
        self.skipped += other.skipped;
        self.refuted.extend(other.refuted);
        self.unfounded.extend(other.unfounded);
    }
}

/// A pair under its number, in the reading's terms.
#[derive(Clone, Copy)]
struct Claim {
    pair: u32,
    terms: (Term, Term),
}

impl Claim {
    fn side(self, side: usize) -> Term {
        if side == 0 { self.terms.0 } else { self.terms.1 }
    }
}

/// What was answered about a pair that is not alike as it stands.
#[derive(Clone, Copy)]
enum Claimed<'a> {
    /// Equal (or nothing, and then it is not looked at).
    Equal,
    /// Equal at every value of the integers that both sides depend on.
    EveryValue,
    /// Equal up to the rounding of constants.
    Close,
    /// Different, with inputs.
    Different(&'a Witness),
}

/// What came with a decision: how its pairs were read, and values worked out meanwhile.
#[derive(Default)]
pub struct Ahead<'a> {
    /// How the pairs were read that are not alike as they stand.
    pub reading: Option<&'a Reading<'a>>,
    /// [`values_ahead`] of that reading.
    pub values: Option<SeenAhead>,
}

/// What was seen of all pairs of a reading, in its order, and the steps that it took.
pub struct SeenAhead(Vec<Seen>, u64);

/// What [`decision`] will want to know if all pairs turn out equal; `None` if there is no room or time, or once
/// it is known that they do not, and it is `unwanted`: then it will be worked out when it is wanted.
pub fn values_ahead(
    budget: &Budget,
    elements: &Elements,
    reading: &Reading<'_>,
    unwanted: &AtomicBool,
) -> Option<SeenAhead> {
    let claims: Vec<Claim> = (0..).zip(reading.pairs()).map(|(pair, terms)| Claim { pair, terms }).collect();
    let budget = &budget.apart();
    let size = batch(budget, reading, &claims).ok()?;
    let alone = claims.len() <= size;
    let mut seen = Vec::with_capacity(claims.len());
    for claims in claims.chunks(size) {
        if unwanted.load(Ordering::Relaxed) {
            return None;
        }
        seen.extend(look(budget, elements, reading, claims, alone).ok()?);
    }
    Some(SeenAhead(seen, budget.spent()))
}

/// Confirms or refutes every answer of a decision.
pub fn decision(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    decision: &Decision,
    ahead: Ahead<'_>,
) -> Result<Checked, Exhausted> {
    let mut checked = Checked::default();
    // Pairs read as written, and those whose constants and idioms had to be read first.
    let mut alike: Vec<Claim> = Vec::new();
    let mut open: Vec<(Claim, Claimed<'_>, bool)> = Vec::new();
    let claim = |pair: u32| Claim { pair, terms: problem.pairs[pair as usize] };
    for group in &decision.groups {
        let step = match &group.equality {
            Equality::Equal(certificate) if certificate.method == Method::SameExpression => {
                alike.extend(group.members.iter().map(|pair| claim(*pair)));
                continue;
            }
            _ => sampling(budget, problem, &group.members)?,
        };
        for (at, pair) in group.members.iter().enumerate() {
            let claim = claim(*pair);
            let look = at.is_multiple_of(step);
            match &group.equality {
                Equality::Equal(Certificate { method: Method::EveryValue { .. }, .. }) => {
                    open.push((claim, Claimed::EveryValue, look));
                }
                Equality::Equal(_) => open.push((claim, Claimed::Equal, look)),
                Equality::Close(_) => open.push((claim, Claimed::Close, look)),
                Equality::Different(witness) => open.push((claim, Claimed::Different(witness), at == 0)),
                Equality::Unknown(_) => open.push((claim, Claimed::Equal, false)),
            }
            let is_claim = !matches!(group.equality, Equality::Unknown(_));
            checked.skipped += u64::from(is_claim && !look);
        }
    }
    checked.refuted.extend(unanswered(problem, decision));
    checked.merge(same_expression(budget, problem, &alike)?);
    if !open.is_empty() {
        checked.merge(read_and_check(options, budget, problem, open, ahead)?);
    }
    checked.refuted.sort_by_key(|refutation| refutation.pair);
    Ok(checked)
}

/// Pairs without an answer, and with more than one.
fn unanswered(problem: &Problem<'_>, decision: &Decision) -> Vec<Refutation> {
    let mut answers = vec![0u8; problem.pairs.len()];
    for pair in decision.groups.iter().flat_map(|group| &group.members) {
        let count = &mut answers[*pair as usize];
        *count = count.saturating_add(1);
    }
    let message = |count: u8| if count == 0 { "there is no answer" } else { "there is more than one answer" };
    (0..)
        .zip(answers)
        .filter(|(_, count)| *count != 1)
        .map(|(pair, count)| Refutation { pair, message: message(count).to_owned() })
        .collect()
}

/// Takes back the answers that were refuted: what cannot be confirmed is a mistake of this tool,
/// and neither good nor bad news about the kernels.
pub fn withdraw(decision: &mut Decision, refuted: &[Refutation]) {
    if refuted.is_empty() {
        return;
    }
    let mut taken_back = Vec::new();
    let answered: BTreeSet<u32> = decision.groups.iter().flat_map(|group| &group.members).copied().collect();
    for refutation in refuted.iter().filter(|refutation| !answered.contains(&refutation.pair)) {
        taken_back.push(Group { members: vec![refutation.pair], equality: withdrawn(refutation) });
    }
    for group in &mut decision.groups {
        let wrong = |pair: &u32| refuted.iter().find(|refutation| refutation.pair == *pair);
        let Some(refutation) = group.members.iter().find_map(wrong) else { continue };
        let equality = withdrawn(refutation);
        if matches!(group.equality, Equality::Different(_)) {
            // One witness stands for all members.
            group.equality = equality;
            continue;
        }
        let (back, kept) =
            std::mem::take(&mut group.members).into_iter().partition(|pair| wrong(pair).is_some());
        group.members = kept;
        taken_back.push(Group { members: back, equality });
    }
    decision.groups.extend(taken_back);
    decision.groups.retain(|group| !group.members.is_empty());
    decision.groups.sort_by_key(|group| group.members[0]);
}

/// Takes back equalities for which no input was found where both sides are defined, though one of them is:
/// ln x and ln(-x) are equal wherever both are defined.
pub fn withdraw_unfounded(decision: &mut Decision, unfounded: &[u32]) {
    for group in &mut decision.groups {
        if group.members.iter().any(|pair| unfounded.contains(pair))
            && matches!(group.equality, Equality::Equal(_) | Equality::Close(_))
        {
            let message =
                "at each of the inputs tried, a side is undefined, and at some of them the other one is not"
                    .to_owned();
            group.equality = Equality::Unknown(Reason { message, hint: None });
        }
    }
}

fn withdrawn(refutation: &Refutation) -> Equality {
    let message = format!(
        "tool error: the answer could not be confirmed: {}; this is a mistake of Warpproof, please report it",
        refutation.message
    );
    Equality::Unknown(Reason { message, hint: None })
}

/// Steps up to which points are looked for at which both sides are defined, and how many.
const FURTHER: usize = 20_000;
const FURTHER_POINTS: u64 = 256;

/// Every how many members of a group are looked at.
fn sampling(budget: &Budget, problem: &Problem<'_>, members: &[u32]) -> Result<usize, Exhausted> {
    if problem.reference.len() + problem.optimized.len() < MOST_NODES / 64 {
        return Ok(1);
    }
    let nodes = |members: &[u32]| {
        let (left, right): (Vec<Term>, Vec<Term>) =
            members.iter().map(|pair| problem.pairs[*pair as usize]).unzip();
        Ok::<_, Exhausted>(
            Reach::of(problem.reference, &left, budget)?.nodes().count()
                + Reach::of(problem.optimized, &right, budget)?.nodes().count(),
        )
    };
    // Batches share what neighbours have in common.
    if nodes(members)? <= MOST_NODES / 4 {
        return Ok(1);
    }
    let most = (MOST_NODES / nodes(&members[..1])?.max(1)).max(LEAST_MEMBERS);
    Ok(members.len().div_ceil(most).max(1))
}

/// Structural hashes of both sides agree.
fn same_expression(budget: &Budget, problem: &Problem<'_>, claims: &[Claim]) -> Result<Checked, Exhausted> {
    let (a, b): (Vec<Term>, Vec<Term>) = claims.iter().map(|claim| claim.terms).unzip();
    let (left, right) = rayon::join(
        || shape::hashes(problem.reference, &a, budget),
        || shape::hashes(problem.optimized, &b, budget),
    );
    let mut checked = Checked::default();
    for ((claim, left), right) in claims.iter().zip(left?).zip(right?) {
        if left == right {
            checked.confirmed += 1;
        } else {
            let message = "the two sides are not the same expression".to_owned();
            checked.refuted.push(Refutation { pair: claim.pair, message });
        }
    }
    Ok(checked)
}

/// Reads constants and idioms as `decide` does, over the same pairs, and evaluates. Where what came
/// with the decision has them all, that is how they are read.
fn read_and_check(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    mut open: Vec<(Claim, Claimed<'_>, bool)>,
    ahead: Ahead<'_>,
) -> Result<Checked, Exhausted> {
    let pairs: Vec<(Term, Term)> = open.iter().map(|(claim, ..)| claim.terms).collect();
    let all = |read: &&Reading<'_>| pairs.iter().all(|pair| read.of_pair(*pair).is_some());
    let anew;
    // Values worked out ahead are those of the pairs that were read ahead, and of no others.
    let (reading, values) = match ahead.reading.filter(all) {
        Some(read) => (read, ahead.values),
        None => {
            anew = Reading::of(options, budget, problem, &pairs, &mut Ledger::default())?;
            (&anew, None)
        }
    };
    for (claim, ..) in &mut open {
        claim.terms = reading.of_pair(claim.terms).unwrap_or(claim.terms);
    }
    let mut equal: Vec<Claim> = Vec::new();
    let mut different: Vec<(Claim, &Witness)> = Vec::new();
    let mut plain: Vec<(Claim, &Witness)> = Vec::new();
    let mut close: Vec<Claim> = Vec::new();
    let mut everywhere: Vec<Claim> = Vec::new();
    for (claim, claimed, look) in open {
        match claimed {
            _ if !look => {}
            Claimed::Equal => equal.push(claim),
            Claimed::EveryValue => everywhere.push(claim),
            Claimed::Close => close.push(claim),
            Claimed::Different(witness) if witness.point.is_some() => plain.push((claim, witness)),
            Claimed::Different(witness) => different.push((claim, witness)),
        }
    }
    let mut checked = Checked::default();
    let mut seen = exact::Everywhere::default();
    for claim in everywhere {
        checked.judge(claim, seen.refute(reading, problem.elements, claim.terms, budget)?);
    }
    let same = || equal.iter().map(|claim| claim.terms).eq(reading.pairs());
    match values {
        Some(SeenAhead(seen, steps)) if same() => {
            budget.spend(steps)?;
            checked.merge(judged(&equal, seen));
        }
        _ => {
            let size = batch(budget, reading, &equal)?;
            let alone = equal.len() <= size;
            let agree = |claims: &[Claim]| {
                Ok(judged(claims, look(budget, problem.elements, reading, claims, alone)?))
            };
            let batches: Result<Vec<Checked>, Exhausted> = equal.par_chunks(size).map(agree).collect();
            batches?.into_iter().for_each(|batch| checked.merge(batch));
        }
    }
    let batches: Result<Vec<Checked>, Exhausted> =
        close.par_chunks(BATCH).map(|claims| close_values(budget, problem, reading, claims)).collect();
    batches?.into_iter().for_each(|batch| checked.merge(batch));
    let batches: Result<Vec<Checked>, Exhausted> = different
        .par_chunks(BATCH)
        .map(|claims| {
            let mut checked = Checked::default();
            for (claim, witness) in claims {
                checked.judge(*claim, points::refute_witness(reading, claim.terms, witness, budget)?);
            }
            Ok(checked)
        })
        .collect();
    batches?.into_iter().for_each(|batch| checked.merge(batch));
    let batches: Result<Vec<Checked>, Exhausted> =
        plain.par_chunks(PLAIN).map(|claims| different_values(budget, problem, reading, claims)).collect();
    batches?.into_iter().for_each(|batch| checked.merge(batch));
    Ok(checked)
}

/// Both sides meet at points of the reals, with every constant as wide as its rounding.
fn close_values(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    claims: &[Claim],
) -> Result<Checked, Exhausted> {
    let (cones, slots) = cones_of(budget, reading, claims)?;
    let constants = [reading.meanings.enclosures(0), reading.meanings.enclosures(1)];
    let mut agreement = vec![Agreement::Nowhere; claims.len()];
    for point in 0..points::count(cones[0].steps().len() + cones[1].steps().len()) as u64 {
        let values = |side: usize| {
            let probe = Probe { point, moved: &[] };
            let own = (&cones[side], &slots[side]);
            points::values(own, problem.elements, &constants[side], probe, budget)
        };
        for (agreement, (a, b)) in agreement.iter_mut().zip(values(0)?.into_iter().zip(values(1)?)) {
            agreement.meet(a, b);
        }
    }
    let mut checked = Checked::default();
    for (claim, agreement) in claims.iter().zip(agreement) {
        match agreement {
            Agreement::Apart(message) => checked.refuted.push(Refutation { pair: claim.pair, message }),
            Agreement::Everywhere(_) => checked.by_points += 1,
            Agreement::OneSided => checked.unfounded.push(claim.pair),
            Agreement::Nowhere => checked.open += 1,
        }
    }
    Ok(checked)
}

/// Both sides have the values that were claimed at plain points, and those are apart.
fn different_values(
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    claims: &[(Claim, &Witness)],
) -> Result<Checked, Exhausted> {
    let cone = |side: usize| {
        let roots: Vec<Term> = claims.iter().map(|(claim, _)| claim.side(side)).collect();
        Cone::of(reading.terms(side), &roots, budget)
    };
    let cones = [cone(0)?, cone(1)?];
    let constants = [reading.meanings.enclosures(0), reading.meanings.enclosures(1)];
    let points: BTreeSet<u64> = claims.iter().filter_map(|(_, witness)| witness.point).collect();
    let mut checked = Checked::default();
    for point in points {
        let element = |element: u32| plain(problem.elements, point, element);
        let values = |side: usize| {
            let domain = Reals { element: &element, constants: &constants[side] };
            evaluate(&cones[side], &domain, budget, &mut Vec::new())
        };
        for ((claim, witness), values) in claims.iter().zip(values(0)?.into_iter().zip(values(1)?)) {
            if witness.point == Some(point) {
                checked.judge(*claim, points::refute_values(values.into(), witness));
            }
        }
    }
    Ok(checked)
}

/// How many claims to evaluate together: all, if all terms fit a quarter of the budget; otherwise twice
/// as many while that costs hardly more, because they share most of what they are made of, and fewer while
/// they do not fit.
fn batch(budget: &Budget, reading: &Reading<'_>, claims: &[Claim]) -> Result<usize, Exhausted> {
    let nodes = |size: usize| {
        let claims = &claims[..size.min(claims.len())];
        let count = |side: usize| {
            let roots: Vec<Term> = claims.iter().map(|claim| claim.side(side)).collect();
            Ok::<_, Exhausted>(Reach::of(reading.terms(side), &roots, budget)?.nodes().count())
        };
        Ok::<_, Exhausted>(count(0)? + count(1)?)
    };
    let most = (budget.memory / 4 / NODE_BYTES) as usize;
    if reading.terms(0).len() + reading.terms(1).len() <= most {
        return Ok(claims.len().max(1));
    }
    let mut size = BATCH;
    let mut cost = nodes(size)?;
    while cost > most && size > 1 {
        size /= 2;
        cost = nodes(size)?;
    }
    if cost > most {
        return Err(Exhausted::Memory);
    }
    while size >= BATCH && size < claims.len() {
        let more = nodes(2 * size)?;
        if more > most || more > cost + cost / 2 {
            break;
        }
        (size, cost) = (2 * size, more);
    }
    Ok(size)
}

/// What was seen of one claim of equality.
struct Seen {
    /// In prime fields.
    field: Meeting,
    /// At points of the reals, where those were asked.
    points: Agreement,
}

/// Both sides of each claim in prime fields around real inputs, and at points of the reals where that
/// is cheap, or the fields say nothing. A batch that is `alone` is evaluated on all threads; of several,
/// each thread has its own.
fn look(
    budget: &Budget,
    elements: &Elements,
    reading: &Reading<'_>,
    claims: &[Claim],
    alone: bool,
) -> Result<Vec<Seen>, Exhausted> {
    let (cones, slots) = cones_of(budget, reading, claims)?;
    let nodes = cones[0].steps().len() + cones[1].steps().len();
    let small = nodes <= points::SMALL;
    let seeds: Vec<u64> = (0..AROUND).map(|point| evaluation::seed_of(&cones, point)).collect();
    let tasks = 2 * seeds.len();
    let values: Result<Vec<Vec<Value>>, Exhausted> = (0..tasks)
        .into_par_iter()
        .with_min_len(if alone { 1 } else { tasks })
        .map(|at| {
            // Enclosures of everything are dear: once, and not again.
            let (side, look) = (at % 2, (seeds[at / 2], small || at < 2));
            evaluation::values(reading, side, (&cones[side], &slots[side]), elements, look, budget)
        })
        .collect();
    let mut seen: Vec<Seen> =
        claims.iter().map(|_| Seen { field: Meeting::Open, points: Agreement::Nowhere }).collect();
    for sides in values?.chunks(2) {
        for (at, seen) in seen.iter_mut().enumerate() {
            match (&seen.field, sides[0][at].meet(&sides[1][at])) {
                (Meeting::Apart(_), _) | (_, Meeting::Open) => {}
                (_, meeting) => seen.field = meeting,
            }
        }
    }
    let is_open = |at: &usize| seen[*at].field == Meeting::Open;
    let (open, rest): (Vec<usize>, Vec<usize>) = (0..claims.len()).partition(|at| small || is_open(at));
    // Borders of all, plain points where that is cheap, or the fields say nothing.
    for (places, plain) in [(open, true), (rest, false)] {
        let (chosen, own);
        let both = match places.len() {
            0 => continue,
            all if all == claims.len() => (&cones, &slots),
            _ => {
                chosen = places.iter().map(|at| claims[*at]).collect::<Vec<Claim>>();
                own = cones_of(budget, reading, &chosen)?;
                (&own.0, &own.1)
            }
        };
        let agreements = at_points(budget, elements, reading, both, (plain, alone))?;
        for (at, agreement) in places.into_iter().zip(agreements) {
            seen[at].points = agreement;
        }
    }
    Ok(seen)
}

/// Both sides' cones, and where their values are kept.
type Cones = ([Cone; 2], [Slots; 2]);

fn cones_of(budget: &Budget, reading: &Reading<'_>, claims: &[Claim]) -> Result<Cones, Exhausted> {
    let cone = |side: usize| {
        let roots: Vec<Term> = claims.iter().map(|claim| claim.side(side)).collect();
        let cone = Cone::of(reading.terms(side), &roots, budget)?;
        let slots = Slots::of(&cone);
        Ok::<_, Exhausted>((cone, slots))
    };
    let (left, right) = rayon::join(|| cone(0), || cone(1));
    let ((left, first), (right, second)) = (left?, right?);
    Ok(([left, right], [first, second]))
}

/// Both sides in enclosures: on borders that conditions name, and at random points if those are asked for.
fn at_points(
    budget: &Budget,
    elements: &Elements,
    reading: &Reading<'_>,
    (cones, slots): (&[Cone; 2], &[Slots; 2]),
    (plain, alone): (bool, bool),
) -> Result<Vec<Agreement>, Exhausted> {
    let constants = [reading.meanings.quantities(0), reading.meanings.quantities(1)];
    let border =
        |side: usize| points::borders(reading.terms(side), &cones[side], elements, &constants[side], budget);
    let moves = [points::moves(&border(0)?), points::moves(&border(1)?)];
    let mut moved: Vec<&[(u32, Quantity)]> = Vec::new();
    for each in moves.iter().flatten() {
        if !moved.contains(&each.as_slice()) {
            moved.push(each);
        }
    }
    let mut probes: Vec<Probe<'_>> =
        moved.iter().flat_map(|moved| [0, 1].map(|point| Probe { point, moved })).collect();
    if plain {
        let most = points::count(cones[0].steps().len() + cones[1].steps().len()) as u64;
        probes.extend((0..most).map(|point| Probe { point, moved: &[] }));
    }
    let tasks = (2 * probes.len()).max(1);
    let values: Result<Vec<Vec<Quantity>>, Exhausted> = (0..2 * probes.len())
        .into_par_iter()
        .with_min_len(if alone { 1 } else { tasks })
        .map(|at| {
            let side = (&cones[at % 2], &slots[at % 2]);
            points::values(side, elements, &constants[at % 2], probes[at / 2], budget)
        })
        .collect();
    let mut agreement = vec![Agreement::Nowhere; cones[0].roots().len()];
    for sides in values?.chunks(2) {
        for (at, agreement) in agreement.iter_mut().enumerate() {
            agreement.meet(sides[0][at], sides[1][at]);
        }
    }
    // Functions with small domains are defined together at few points.
    let met_seldom = |seen: &Agreement| match seen {
        Agreement::Nowhere | Agreement::OneSided => true,
        Agreement::Everywhere(points) => *points < points::LEAST,
        Agreement::Apart(_) => false,
    };
    let nodes = cones[0].steps().len() + cones[1].steps().len();
    let further = if plain && nodes <= FURTHER { points::count(nodes) as u64..FURTHER_POINTS } else { 0..0 };
    for point in further {
        if !agreement.iter().any(met_seldom) {
            break;
        }
        let probe = Probe { point, moved: &[] };
        let values = |side: usize| {
            points::values((&cones[side], &slots[side]), elements, &constants[side], probe, budget)
        };
        for ((agreement, a), b) in agreement.iter_mut().zip(values(0)?).zip(values(1)?) {
            agreement.meet(a, b);
        }
    }
    Ok(agreement)
}

/// Both sides have the same values in prime fields and in enclosures.
fn judged(claims: &[Claim], seen: Vec<Seen>) -> Checked {
    let mut checked = Checked::default();
    for (claim, seen) in claims.iter().zip(seen) {
        match (seen.field, seen.points) {
            (Meeting::Apart(message), _) | (_, Agreement::Apart(message)) => {
                checked.refuted.push(Refutation { pair: claim.pair, message });
            }
            (Meeting::Same, _) => {
                checked.confirmed += 1;
                checked.by_field += 1;
            }
            (Meeting::Open, Agreement::Everywhere(_)) => checked.by_points += 1,
            (Meeting::Open, Agreement::OneSided) => checked.unfounded.push(claim.pair),
            (Meeting::Open, Agreement::Nowhere) => checked.open += 1,
        }
    }
    checked
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_everywhere;
