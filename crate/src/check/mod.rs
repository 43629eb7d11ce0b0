//! A second opinion on every answer of `decide`, by evaluation instead of normal forms.
//!
//! *Equal* is confirmed for terms that were called the same expression by comparing structural
//! hashes ([`shape`]), and for all others by evaluating both sides: in a prime field, where equal
//! rational and exponential expressions have equal values and unequal ones practically never do
//! (degree / 2^61), and at points of the reals in enclosures: 6 of them, up to 48 for small terms.
//! *Equal up to rounding* is looked at there too, with every constant as wide as its rounding: the two sides
//! must meet. *Different* is confirmed by evaluating both sides at the witness, in enclosures that must lie
//! apart, with constants as wide as their rounding. Every pair has exactly one answer.
//!
//! Guarantees: a refutation is a mistake of `decide`, with three exceptions that cannot be told
//! apart from here: points where a denominator vanishes or a root's argument is negative are
//! skipped, never refuted. Misses: an equality that fails only where no point was tried and whose
//! terms have no fingerprint (logarithms, roots of sums); those count as confirmed by enclosures
//! alone ([`Checked::by_points`]). When outputs are many and large, members of a group are
//! sampled ([`Checked::skipped`]).
//!
//! What is shared with `decide`: the reading of constants and library idioms, which is part of the
//! question, and the evaluators. The normal form, its arena, case splits and the search for
//! witnesses are not.

mod points;
mod shape;

use crate::base::{Budget, Exhausted};
use crate::decide::fingerprint::{Fingerprint, fingerprints};
use crate::decide::witness::plain;
use crate::decide::{Decision, Equality, Group, Method, Options, Problem, Reading, Reason, Witness};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Quantity, Reach, Reals, evaluate};
use crate::term::{Elements, Term};
use points::Agreement;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Pairs evaluated together, at least.
const BATCH: usize = 64;
/// Pairs that differ at a plain point evaluated together.
const PLAIN: usize = 16;
/// Nodes of pairs that are evaluated together although they are more than [`BATCH`].
const LARGEST_BATCH: usize = 1_000_000;
/// Nodes of both sides up to which values are worked out ahead of the decision: outputs that turn out
/// different have no use for them.
const MOST_AHEAD: usize = 100_000;
/// Bytes that evaluating a node takes: the step and its value.
const NODE_BYTES: u64 = 96;
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
    /// Answers confirmed: by structure, in a prime field, or at a witness.
    pub confirmed: u64,
    /// Equalities confirmed only by enclosures at points.
    pub by_points: u64,
    /// Equalities without any point where both sides are defined.
    pub open: u64,
    /// Members not looked at, because others of their group were.
    pub skipped: u64,
    /// Answers that are wrong.
    pub refuted: Vec<Refutation>,
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
        self.by_points += other.by_points;
        self.open += other.open;
        self.skipped += other.skipped;
        self.refuted.extend(other.refuted);
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
    pub values: Option<ValuesAhead>,
}

/// The values of all pairs of a reading, in its order.
pub struct ValuesAhead(Vec<Values>);

/// What [`decision`] will want to know if all pairs turn out equal; `None` if that is much, or if
/// there is no time: then it will be worked out when it is wanted.
pub fn values_ahead(budget: &Budget, elements: &Elements, reading: &Reading<'_>) -> Option<ValuesAhead> {
    if reading.terms(0).len() + reading.terms(1).len() > MOST_AHEAD {
        return None;
    }
    let claims: Vec<Claim> = (0..).zip(reading.pairs()).map(|(pair, terms)| Claim { pair, terms }).collect();
    let alone = claims.len() <= batch(budget, reading, &claims).ok()?;
    let values = alone.then(|| values(budget, elements, reading, &claims, true))?;
    values.ok().map(ValuesAhead)
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

fn withdrawn(refutation: &Refutation) -> Equality {
    let message = format!(
        "tool error: the answer could not be confirmed: {}; this is a mistake of Warpproof, please report it",
        refutation.message
    );
    Equality::Unknown(Reason { message, hint: None })
}

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
    let reading = match ahead.reading.filter(all) {
        Some(read) => read,
        None => {
            anew = Reading::of(options, budget, problem, &pairs, &mut Ledger::default())?;
            &anew
        }
    };
    for (claim, ..) in &mut open {
        claim.terms = reading.of_pair(claim.terms).unwrap_or(claim.terms);
    }
    let mut equal: Vec<Claim> = Vec::new();
    let mut different: Vec<(Claim, &Witness)> = Vec::new();
    let mut plain: Vec<(Claim, &Witness)> = Vec::new();
    let mut close: Vec<Claim> = Vec::new();
    for (claim, claimed, look) in open {
        match claimed {
            _ if !look => {}
            Claimed::Equal => equal.push(claim),
            Claimed::Close => close.push(claim),
            Claimed::Different(witness) if witness.point.is_some() => plain.push((claim, witness)),
            Claimed::Different(witness) => different.push((claim, witness)),
        }
    }
    let mut checked = Checked::default();
    let same = || equal.iter().map(|claim| claim.terms).eq(reading.pairs());
    match ahead.values {
        Some(ValuesAhead(values)) if same() => checked.merge(agreement(&equal, values)),
        _ => {
            let size = batch(budget, reading, &equal)?;
            let alone = equal.len() <= size;
            let agree = |claims: &[Claim]| {
                Ok(agreement(claims, values(budget, problem.elements, reading, claims, alone)?))
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
    let cone = |side: usize| {
        let roots: Vec<Term> = claims.iter().map(|claim| claim.side(side)).collect();
        Cone::of(reading.terms(side), &roots, budget)
    };
    let cones = [cone(0)?, cone(1)?];
    let constants = [reading.meanings.enclosures(0), reading.meanings.enclosures(1)];
    let mut agreement = vec![Agreement::Nowhere; claims.len()];
    for point in 0..points::count(cones[0].steps().len() + cones[1].steps().len()) as u64 {
        let values =
            |side: usize| points::values(&cones[side], problem.elements, &constants[side], point, budget);
        for (agreement, (a, b)) in agreement.iter_mut().zip(values(0)?.into_iter().zip(values(1)?)) {
            agreement.meet(a, b);
        }
    }
    let mut checked = Checked::default();
    for (claim, agreement) in claims.iter().zip(agreement) {
        match agreement {
            Agreement::Apart(message) => checked.refuted.push(Refutation { pair: claim.pair, message }),
            Agreement::Everywhere => checked.by_points += 1,
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

/// How many claims to evaluate together: twice as many while that costs hardly more, because they
/// share most of what they are made of; fewer while they do not fit an eighth of the budget.
fn batch(budget: &Budget, reading: &Reading<'_>, claims: &[Claim]) -> Result<usize, Exhausted> {
    let nodes = |size: usize| {
        let claims = &claims[..size.min(claims.len())];
        let count = |side: usize| {
            let roots: Vec<Term> = claims.iter().map(|claim| claim.side(side)).collect();
            Ok::<_, Exhausted>(Reach::of(reading.terms(side), &roots, budget)?.nodes().count())
        };
        Ok::<_, Exhausted>(count(0)? + count(1)?)
    };
    let most = (budget.memory / 8 / NODE_BYTES) as usize;
    let mut size = BATCH;
    if claims.len() <= BATCH && reading.terms(0).len() + reading.terms(1).len() <= most {
        return Ok(size);
    }
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
        if more > LARGEST_BATCH.min(most) || more > cost + cost / 2 {
            break;
        }
        (size, cost) = (2 * size, more);
    }
    Ok(size)
}

/// One way to evaluate both sides.
#[derive(Clone, Copy)]
enum Probe {
    /// In a prime field, around the random point that belongs to a seed.
    Field(u64),
    /// At a point of the reals.
    Point(u64),
}

/// The field around two points, so that conditions come out differently, then the reals.
fn probes(nodes: usize) -> Vec<Probe> {
    let fields = [Probe::Field(0x0c4e_c401), Probe::Field(0x0c4e_c402)];
    fields.into_iter().chain((0..points::count(nodes) as u64).map(Probe::Point)).collect()
}

/// The values of all claims on one side, in their order.
enum Values {
    Field(Vec<Option<Fingerprint>>),
    Point(Vec<Quantity>),
}

/// The values of both sides, left before right, for each probe. A batch that is `alone` is evaluated
/// on all threads; of several, each thread has its own.
fn values(
    budget: &Budget,
    elements: &Elements,
    reading: &Reading<'_>,
    claims: &[Claim],
    alone: bool,
) -> Result<Vec<Values>, Exhausted> {
    let cone = |side: usize| {
        let roots: Vec<Term> = claims.iter().map(|claim| claim.side(side)).collect();
        Cone::of(reading.terms(side), &roots, budget)
    };
    let cones = [cone(0)?, cone(1)?];
    let constants = [reading.meanings.quantities(0), reading.meanings.quantities(1)];
    let probes = probes(cones[0].steps().len() + cones[1].steps().len());
    let both = 2 * probes.len();
    (0..both)
        .into_par_iter()
        .with_min_len(if alone { 1 } else { both })
        .map(|at| {
            let (side, cone) = (at % 2, &cones[at % 2]);
            match probes[at / 2] {
                Probe::Field(seed) => {
                    let meanings = reading.meanings.side(side);
                    fingerprints(reading.terms(side), cone, meanings, seed, budget).map(Values::Field)
                }
                Probe::Point(point) => {
                    points::values(cone, elements, &constants[side], point, budget).map(Values::Point)
                }
            }
        })
        .collect()
}

/// Both sides have the same values in a prime field and in enclosures.
fn agreement(claims: &[Claim], values: Vec<Values>) -> Checked {
    let mut by_field = vec![false; claims.len()];
    let mut agreement = vec![Agreement::Nowhere; claims.len()];
    for sides in values.chunks(2) {
        match sides {
            [Values::Field(left), Values::Field(right)] => {
                for (at, (a, b)) in left.iter().zip(right).enumerate() {
                    match (a, b) {
                        (Some(a), Some(b)) if a == b => by_field[at] = true,
                        (Some(_), Some(_)) => {
                            let message = "the two sides have different values in a prime field";
                            agreement[at] = Agreement::Apart(message.to_owned());
                        }
                        _ => {}
                    }
                }
            }
            [Values::Point(left), Values::Point(right)] => {
                for (at, (a, b)) in left.iter().zip(right).enumerate() {
                    agreement[at].meet(*a, *b);
                }
            }
            _ => {}
        }
    }
    let mut checked = Checked::default();
    for (at, agreement) in agreement.into_iter().enumerate() {
        match agreement {
            Agreement::Apart(message) => {
                checked.refuted.push(Refutation { pair: claims[at].pair, message });
            }
            Agreement::Everywhere | Agreement::Nowhere if by_field[at] => checked.confirmed += 1,
            Agreement::Everywhere => checked.by_points += 1,
            Agreement::Nowhere => checked.open += 1,
        }
    }
    checked
}

#[cfg(test)]
mod tests;
