//! Maxima of two and absolute values, written as choices.
//!
//! `max(a, b) = b + [a > b]·(a - b)` and `|p| = 2·[p > 0]·p - p`. Normal forms keep maxima, which
//! telescope where kernels rescale; next to a choice by the same comparison they have to be opened,
//! and then a sum of any number of them meets its choices without a single case split. Of the two
//! comparisons that say the same, `[p > 0]` and `[-p > 0]`, the one that occurs elsewhere is taken.
//!
//! Guarantees: the result equals the polynomial. Misses: maxima of three and more.

use super::{Atom, Forms, Kind, Poly, Rational, Step};
use std::collections::BTreeSet;

impl Forms<'_> {
    /// The polynomial without maxima of two and absolute values; `None` if it has none.
    pub(in crate::decide) fn unfolded(&mut self, poly: Poly) -> Step<Option<Poly>> {
        let below = self.atoms_below(poly);
        let folded = |forms: &Self, atom: &Atom| match forms.kind(*atom) {
            Kind::Max => forms.max_arguments(*atom).len() == 2,
            Kind::Abs(_) => true,
            _ => false,
        };
        if !below.iter().any(|atom| folded(self, atom)) {
            return Ok(None);
        }
        let known: BTreeSet<Atom> =
            below.into_iter().filter(|atom| matches!(self.kind(*atom), Kind::Positive(_))).collect();
        let unfolded = self.rewrite(poly, &mut |forms, atom| match forms.kind(atom) {
            Kind::Max => {
                let candidates = forms.max_arguments(atom);
                let [a, b] = candidates[..] else { return Ok(None) };
                let difference = forms.minus(a, b)?;
                let above = forms.part_above(difference, &known)?;
                forms.plus(b, above).map(Some)
            }
            Kind::Abs(p) => {
                let above = forms.part_above(p, &known)?;
                let twice = forms.scaled(above, &Rational::new(2, 1))?;
                forms.minus(twice, p).map(Some)
            }
            _ => Ok(None),
        })?;
        Ok(Some(unfolded))
    }

    /// `max(p, 0)`, as a choice by a known comparison if there is one.
    fn part_above(&mut self, p: Poly, known: &BTreeSet<Atom>) -> Step<Poly> {
        let negated = self.negated(p)?;
        let (above, below) = (self.positive(p)?, self.positive(negated)?);
        let is_known = |forms: &Self, condition: Poly| {
            forms.single(condition).is_some_and(|term| {
                forms.factor_count(term.mono) == 1 && known.contains(&forms.factor(term.mono, 0).0)
            })
        };
        let lead = self.leading(p);
        let falling = self.len(p) > 0 && self.coefficient_at(p, lead).is_negative();
        if is_known(self, below) || falling && !is_known(self, above) {
            let gain = self.times(below, p)?;
            return self.minus(p, gain);
        }
        self.times(above, p)
    }
}
