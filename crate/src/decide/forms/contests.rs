//! Contests: of several candidates, the payload of the first with the largest score.
//!
//! The index of a maximum is a contest, whatever tree of comparisons finds it. A contest is its list
//! of candidates: where scores tie, the earlier one wins, so that the list says everything, and two
//! trees that agree have one list. Candidates that can never win are dropped, and neighbours with one
//! payload are one. Of two candidates it is a choice, of more an atom.
//!
//! Which list a choice by a comparison has is remembered with the maximum of its scores, in the form in
//! which kernels hold it: the next comparison of a tree finds it there.
//!
//! Guarantees: identities of reals.
//! Misses: ties that are not won by a place in a list; more than [`MOST`] candidates.

use super::{Atom, Forms, Mono, Poly, Power, Product, Rational, Sign, Step};
use rustc_hash::FxHashSet;

/// A score and a payload.
pub(in crate::decide) type Candidate = (Poly, Poly);

/// Candidates of a contest.
const MOST: usize = 4096;
/// So many candidates are compared with each other.
const COMPARED: usize = 8;

impl Forms<'_> {
    /// The payload of the first candidate with the largest score (of at least one); `best` is the
    /// largest score. `None` if there are too many candidates.
    pub(in crate::decide) fn contest(
        &mut self,
        candidates: Vec<Candidate>,
        best: Poly,
    ) -> Step<Option<Poly>> {
        if candidates.len() > MOST {
            return Ok(None);
        }
        let candidates = self.who_may_win(candidates)?;
        let winner = self.first_of(&candidates)?;
        if candidates.len() > 1 {
            self.tick(candidates.len() as u64)?;
            self.contest_size += candidates.len();
            self.contests.insert((winner, best), candidates);
        }
        Ok(Some(winner))
    }

    /// The candidates of which a value is known to be the winner's payload, where `best` is the largest
    /// of their scores; otherwise it is alone, unless it is a sum.
    pub(in crate::decide) fn candidates(&self, payload: Poly, best: Poly) -> Option<Vec<Candidate>> {
        let alone = || (self.len(payload) <= 1).then(|| vec![(best, payload)]);
        self.contests.get(&(payload, best)).cloned().or_else(alone)
    }

    /// The same contest, without those who never win.
    pub(in crate::decide) fn who_may_win(&mut self, candidates: Vec<Candidate>) -> Step<Vec<Candidate>> {
        let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
        let mut scores = FxHashSet::default();
        for (score, payload) in candidates {
            // One with the same score comes before.
            if !scores.insert(score) {
                continue;
            }
            match kept.last_mut() {
                Some((joint, same)) if *same == payload => *joint = self.max_of(&[*joint, score])?,
                _ => kept.push((score, payload)),
            }
        }
        if kept.len() > COMPARED {
            return Ok(kept);
        }
        let scores: Vec<Poly> = kept.iter().map(|(score, _)| *score).collect();
        let left = self.unbeaten(&scores, true, |forms, lead, strict| {
            let sign = forms.sign(lead);
            Ok(if strict { sign == Sign::Positive } else { sign.is_non_negative() })
        })?;
        Ok(left.into_iter().map(|at| kept[at]).collect())
    }

    /// The places of the scores left when those go that another one, still there, `leads`: its
    /// difference is positive, or at least not negative if it wins a tie (`in_order`: only the earlier does).
    pub(in crate::decide) fn unbeaten(
        &mut self,
        scores: &[Poly],
        in_order: bool,
        mut leads: impl FnMut(&mut Self, Poly, bool) -> Step<bool>,
    ) -> Step<Vec<usize>> {
        let mut left: Vec<usize> = (0..scores.len()).collect();
        let mut at = 0;
        while at < left.len() {
            let mut beaten = false;
            for other in 0..left.len() {
                if other != at && !beaten {
                    let lead = self.minus(scores[left[other]], scores[left[at]])?;
                    beaten = leads(self, lead, in_order && other > at)?;
                }
            }
            if beaten {
                left.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(left)
    }

    /// The payload of the first candidate with the largest score.
    pub(in crate::decide) fn first_of(&mut self, candidates: &[Candidate]) -> Step<Poly> {
        match candidates {
            [(_, payload)] => Ok(*payload),
            [(first, payload), (second, other)] => {
                let lead = self.minus(*second, *first)?;
                let later = self.positive(lead)?;
                self.choose(later, *other, *payload)
            }
            _ => {
                let scores = self.ranked(candidates.iter().map(|(score, _)| *score).collect())?;
                let ranked: Vec<Candidate> = scores
                    .into_iter()
                    .zip(candidates)
                    .map(|(score, (_, payload))| (score, *payload))
                    .collect();
                let atom = self.contest_atom(&ranked);
                self.atom_poly(atom)
            }
        }
    }

    /// Scores of the same order as these: without what all of them share, terms and positive factors; exponents
    /// instead of powers of e.
    fn ranked(&mut self, mut scores: Vec<Poly>) -> Step<Vec<Poly>> {
        loop {
            let shared = self.shared_terms(&scores)?;
            for score in &mut scores {
                *score = self.minus(*score, shared)?;
            }
            let factor = self.shared_factor(&scores)?;
            let inverse = self.inverse(&factor)?;
            for score in &mut scores {
                *score = self.times_product(*score, &inverse)?;
            }
            match self.exponents(&scores) {
                Some((true, exponents)) => scores = exponents,
                _ => return Ok(scores),
            }
        }
    }

    /// Of two ascending lists of payloads, or descending ones, one; `None` if they are no such lists.
    pub(in crate::decide) fn by_payload(
        &self,
        a: &[Candidate],
        b: &[Candidate],
        ascending: bool,
    ) -> Option<Vec<Candidate>> {
        let numbered = |list: &[Candidate]| -> Option<Vec<(Rational, Candidate)>> {
            let numbers = list.iter().map(|candidate| Some((self.constant(candidate.1)?, *candidate)));
            let numbers: Vec<_> = numbers.collect::<Option<_>>()?;
            let sorted = numbers.is_sorted_by(|x, y| if ascending { x.0 < y.0 } else { x.0 > y.0 });
            sorted.then_some(numbers)
        };
        let mut both = numbered(a)?;
        both.append(&mut numbered(b)?);
        both.sort_by(|x, y| if ascending { x.0.cmp(&y.0) } else { y.0.cmp(&x.0) });
        Some(both.into_iter().map(|(_, candidate)| candidate).collect())
    }

    /// The condition where these indicators are known.
    pub(in crate::decide) fn given(&mut self, condition: Poly, known: &[(Atom, bool)]) -> Step<Poly> {
        let mut terms = Vec::with_capacity(self.len(condition));
        for at in 0..self.len(condition) {
            let term = self.term(condition, at);
            let mut left = Product { coefficient: term.coefficient, mono: self.exp_mono_of(term.mono) };
            let mut vanishes = false;
            for index in 0..self.factor_count(term.mono) {
                let (atom, power) = self.factor(term.mono, index);
                match known.iter().find(|(other, _)| *other == atom) {
                    Some((_, holds)) => vanishes |= !holds,
                    None => {
                        let factor = self.atom_power(atom, power)?;
                        left = self.product(&left, &factor)?;
                    }
                }
            }
            if !vanishes {
                terms.push(left);
            }
        }
        self.sum_of(&terms)
    }

    /// The atom whose value the polynomial is, if it is an indicator.
    pub(in crate::decide) fn as_indicator(&self, poly: Poly) -> Option<Atom> {
        let term = self.single(poly).filter(|term| term.coefficient.is_one())?;
        if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
            return None;
        }
        let (atom, power) = self.factor(term.mono, 0);
        (power == Power::ONE && self.is_indicator(atom)).then_some(atom)
    }

    /// The exponential in a monomial.
    fn exp_mono_of(&mut self, mono: Mono) -> Mono {
        let exponent = self.exponent(mono);
        self.exp_mono(exponent)
    }
}
