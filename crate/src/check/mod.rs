//! A second opinion on every answer of `decide`, by evaluation instead of normal forms.
//!
//! *Equal* is confirmed for terms that were called the same expression by comparing structural
//! hashes ([`shape`]), and for all others by evaluating both sides: in a prime field, where equal
//! rational and exponential expressions have equal values and unequal ones practically never do
//! (degree / 2^61), and at a few points of the reals in enclosures. *Different* is confirmed by
//! evaluating both sides at the witness, in enclosures that must lie apart.
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
use crate::decide::idioms::{self, Rewritten};
use crate::decide::{Decision, Equality, Group, Meanings, Method, Options, Problem, Reason, Witness};
use crate::diag::Ledger;
use crate::term::eval::Reach;
use crate::term::{Term, Terms};
use rayon::prelude::*;

/// Pairs evaluated together.
const BATCH: usize = 64;
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
    fn merge(&mut self, other: Checked) {
        self.confirmed += other.confirmed;
        self.by_points += other.by_points;
        self.open += other.open;
        self.skipped += other.skipped;
        self.refuted.extend(other.refuted);
    }
}

/// Both kernels' terms as `decide` read them.
struct Reading<'a> {
    terms: [&'a Terms; 2],
    meanings: &'a Meanings,
}

/// A pair under its number, in the reading's terms.
#[derive(Clone, Copy)]
struct Claim {
    pair: u32,
    terms: (Term, Term),
}

/// Confirms or refutes every answer of a decision.
pub fn decision(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    decision: &Decision,
) -> Result<Checked, Exhausted> {
    let mut checked = Checked::default();
    // Pairs read as written, and those whose constants and idioms had to be read first.
    let mut alike: Vec<Claim> = Vec::new();
    let mut open: Vec<(Claim, Option<&Witness>, bool)> = Vec::new();
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
                Equality::Equal(_) => open.push((claim, None, look)),
                Equality::Different(witness) => open.push((claim, Some(witness), at == 0)),
                Equality::Unknown(_) => open.push((claim, None, false)),
            }
            let is_claim = !matches!(group.equality, Equality::Unknown(_));
            checked.skipped += u64::from(is_claim && !look);
        }
    }
    checked.merge(same_expression(budget, problem, &alike)?);
    if !open.is_empty() {
        checked.merge(read_and_check(options, budget, problem, open)?);
    }
    checked.refuted.sort_by_key(|refutation| refutation.pair);
    Ok(checked)
}

/// Takes back the answers that were refuted: what cannot be confirmed is a mistake of this tool,
/// and neither good nor bad news about the kernels.
pub fn withdraw(decision: &mut Decision, refuted: &[Refutation]) {
    let mut taken_back = Vec::new();
    for group in &mut decision.groups {
        let wrong = |pair: &u32| refuted.iter().find(|refutation| refutation.pair == *pair);
        let Some(refutation) = group.members.iter().find_map(wrong) else { continue };
        let message = format!(
            "tool error: the answer could not be confirmed: {}; this is a mistake of Warpproof, please report it",
            refutation.message
        );
        let equality = Equality::Unknown(Reason { message, hint: None });
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

/// Every how many members of a group are looked at.
fn sampling(budget: &Budget, problem: &Problem<'_>, members: &[u32]) -> Result<usize, Exhausted> {
    let Some(first) = members.first() else { return Ok(1) };
    let (a, b) = problem.pairs[*first as usize];
    if problem.reference.len() + problem.optimized.len() < MOST_NODES / 64 {
        return Ok(1);
    }
    let nodes = Reach::of(problem.reference, &[a], budget)?.nodes().count()
        + Reach::of(problem.optimized, &[b], budget)?.nodes().count();
    let most = (MOST_NODES / nodes.max(1)).max(LEAST_MEMBERS);
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

/// Reads constants and idioms as `decide` does, over the same pairs, and evaluates.
fn read_and_check(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    open: Vec<(Claim, Option<&Witness>, bool)>,
) -> Result<Checked, Exhausted> {
    let mut roots = [
        open.iter().map(|(claim, ..)| claim.terms.0).collect::<Vec<_>>(),
        open.iter().map(|(claim, ..)| claim.terms.1).collect::<Vec<_>>(),
    ];
    let (left, right) = rayon::join(
        || idioms::rewrite(problem.reference, &roots[0], budget),
        || idioms::rewrite(problem.optimized, &roots[1], budget),
    );
    let rewritten: [Option<Rewritten>; 2] = [left?, right?];
    let mut terms = [problem.reference, problem.optimized];
    for (side, rewritten) in rewritten.iter().enumerate() {
        if let Some(rewritten) = rewritten {
            terms[side] = &rewritten.terms;
            roots[side].clone_from(&rewritten.roots);
        }
    }
    let sides = [(terms[0], roots[0].as_slice()), (terms[1], roots[1].as_slice())];
    let meanings = Meanings::of(options, budget, sides, &mut Ledger::default())?;
    let reading = Reading { terms, meanings: &meanings };
    let mut equal: Vec<Claim> = Vec::new();
    let mut different: Vec<(Claim, &Witness)> = Vec::new();
    for (at, (claim, witness, look)) in open.into_iter().enumerate() {
        let claim = Claim { pair: claim.pair, terms: (roots[0][at], roots[1][at]) };
        match witness {
            Some(witness) if look => different.push((claim, witness)),
            None if look => equal.push(claim),
            _ => {}
        }
    }
    let mut checked = Checked::default();
    let batches: Result<Vec<Checked>, Exhausted> =
        equal.par_chunks(BATCH).map(|claims| equal_values(budget, &reading, claims)).collect();
    batches?.into_iter().for_each(|batch| checked.merge(batch));
    let batches: Result<Vec<Checked>, Exhausted> = different
        .par_chunks(BATCH)
        .map(|claims| {
            let mut checked = Checked::default();
            for (claim, witness) in claims {
                match points::refute_witness(&reading, claim.terms, witness, budget)? {
                    None => checked.confirmed += 1,
                    Some(message) => checked.refuted.push(Refutation { pair: claim.pair, message }),
                }
            }
            Ok(checked)
        })
        .collect();
    batches?.into_iter().for_each(|batch| checked.merge(batch));
    Ok(checked)
}

/// Both sides have the same values in a prime field and in enclosures.
fn equal_values(budget: &Budget, reading: &Reading<'_>, claims: &[Claim]) -> Result<Checked, Exhausted> {
    let (a, b): (Vec<Term>, Vec<Term>) = claims.iter().map(|claim| claim.terms).unzip();
    let mut checked = Checked::default();
    let mut open: Vec<usize> = (0..claims.len()).collect();
    let refute = |checked: &mut Checked, at: usize, message: String| {
        checked.refuted.push(Refutation { pair: claims[at].pair, message });
    };
    // The field first: around two random points, so that conditions come out differently.
    let mut by_field = vec![false; claims.len()];
    for seed in [0x0c4e_c401, 0x0c4e_c402] {
        let left = fingerprints(reading.terms[0], &a, reading.meanings.side(0), seed, budget)?;
        let right = fingerprints(reading.terms[1], &b, reading.meanings.side(1), seed, budget)?;
        open.retain(|at| match compare(left[*at], right[*at]) {
            Some(true) => {
                by_field[*at] = true;
                true
            }
            None => true,
            Some(false) => {
                refute(&mut checked, *at, "the two sides have different values in a prime field".to_owned());
                false
            }
        });
    }
    let agreement = points::agreement(reading, &a, &b, budget)?;
    for at in open {
        match &agreement[at] {
            points::Agreement::Apart(message) => refute(&mut checked, at, message.clone()),
            points::Agreement::Everywhere(_) | points::Agreement::Nowhere if by_field[at] => {
                checked.confirmed += 1;
            }
            points::Agreement::Everywhere(_) => checked.by_points += 1,
            points::Agreement::Nowhere => checked.open += 1,
        }
    }
    Ok(checked)
}

fn compare(a: Option<Fingerprint>, b: Option<Fingerprint>) -> Option<bool> {
    Some(a? == b?)
}

#[cfg(test)]
mod tests;
