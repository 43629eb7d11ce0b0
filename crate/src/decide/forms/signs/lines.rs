//! Conditions on one line as a linear combination, and choices that meet on a border as one.

use super::super::{Accumulator, Atom, Forms, Kind, Poly, Power, Product, Sign, Step, Stop};
use super::LONGEST;
use std::collections::BTreeSet;

impl Forms<'_> {
    /// Conditions on one line as a linear combination, and what stands beside `[p < 0]` reduced modulo p.
    pub(super) fn on_lines(&mut self, poly: Poly) -> Step<Poly> {
        let poly = self.with_one_each(poly)?;
        self.reduced(poly)
    }

    /// A term with two conditions on one line, as a sum of terms with one.
    fn joined(&mut self, term: &Product) -> Step<Option<Poly>> {
        let mut conditions: Vec<(Atom, Poly)> = Vec::new();
        for at in 0..self.factor_count(term.mono) {
            let (atom, _) = self.factor(term.mono, at);
            if let Kind::Positive(p) = self.kind(atom) {
                conditions.push((atom, p));
            }
        }
        for (at, (one, p)) in conditions.iter().enumerate() {
            for (two, q) in &conditions[at + 1..] {
                let difference = self.minus(*p, *q)?;
                let order = self.sign(difference);
                if order != Sign::Unknown {
                    // p > 0 follows from q > 0 where p ≥ q.
                    let weaker = if order.is_non_negative() { *one } else { *two };
                    let mono = self.without(term.mono, weaker);
                    return self.poly(&Product { mono, ..term.clone() }).map(Some);
                }
                let sum = self.plus(*p, *q)?;
                let sum = self.sign(sum);
                if matches!(sum, Sign::Zero | Sign::NonPositive | Sign::Negative) {
                    return Ok(Some(Poly::ZERO));
                }
                if sum == Sign::Positive {
                    // One of p > 0 and p < gap always holds.
                    let [without_one, without_two] = [*one, *two].map(|atom| self.without(term.mono, atom));
                    let neither = self.without(without_one, *two);
                    let mut parts = Vec::with_capacity(3);
                    for (mono, turned) in [(without_one, false), (without_two, false), (neither, true)] {
                        let coefficient =
                            if turned { term.coefficient.negated() } else { term.coefficient.clone() };
                        parts.push(Product { coefficient, mono });
                    }
                    return self.sum_of(&parts).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The same with what stands beside `[p < 0]` reduced modulo p, where p can be solved for an element.
    fn reduced(&mut self, poly: Poly) -> Step<Poly> {
        let mut poly = poly;
        let mut done: BTreeSet<Atom> = BTreeSet::new();
        loop {
            let mut next = None;
            for at in 0..self.len(poly) {
                let mono = self.mono_at(poly, at);
                for index in 0..self.factor_count(mono) {
                    let (atom, _) = self.factor(mono, index);
                    if let Kind::Positive(p) = self.kind(atom)
                        && !done.contains(&atom)
                        && next.is_none_or(|(known, _)| known < atom)
                    {
                        next = Some((atom, p));
                    }
                }
            }
            let Some((atom, p)) = next else { return Ok(poly) };
            done.insert(atom);
            self.tick(self.len(poly) as u64)?;
            let lead = self.leading(p);
            if !self.coefficient_at(p, lead).is_negative() {
                continue;
            }
            let Some((element, value)) = self.solved_for(p)? else { continue };
            let (mut with, mut others) = (Accumulator::default(), Accumulator::default());
            for at in 0..self.len(poly) {
                let mut term = self.term(poly, at);
                if self.power_of(term.mono, atom).is_some() {
                    term.mono = self.without(term.mono, atom);
                    with.add(&term);
                } else {
                    others.add(&term);
                }
            }
            let beside = self.finish(with)?;
            if !self.atoms_below(beside).contains(&element) {
                continue;
            }
            let put = self.rewrite(beside, &mut |_, other| Ok((other == element).then_some(value)));
            let at_border = match put {
                Err(Stop::Unknown(_)) => continue,
                put => put?,
            };
            if at_border == beside {
                continue;
            }
            let turned = self.negated(p)?;
            let above = self.positive(turned)?;
            let apart = self.minus(Poly::ONE, above)?;
            let gain = self.minus(beside, at_border)?;
            let gain = self.times(gain, apart)?;
            let own = self.atom_poly(atom)?;
            let kept = self.times(at_border, own)?;
            let others = self.finish(others)?;
            let sum = self.plus(others, gain)?;
            poly = self.plus(sum, kept)?;
            poly = self.with_one_each(poly)?;
        }
    }

    /// Terms with one condition on each line.
    pub(super) fn with_one_each(&mut self, poly: Poly) -> Step<Poly> {
        let mut poly = poly;
        // Each round takes one condition out of each product.
        for _ in 0..LONGEST {
            self.tick(self.len(poly) as u64)?;
            let mut sum = Accumulator::default();
            let one = Product::ONE;
            let mut changed = false;
            for at in 0..self.len(poly) {
                let term = self.term(poly, at);
                match self.joined(&term)? {
                    Some(joined) => {
                        changed = true;
                        self.accumulate(&mut sum, joined, &one)?;
                    }
                    None => sum.add(&term),
                }
            }
            if !changed {
                break;
            }
            poly = self.finish(sum)?;
        }
        Ok(poly)
    }

    /// An element in which p is linear, and what it is where p is 0.
    pub(in crate::decide) fn solved_for(&mut self, p: Poly) -> Step<Option<(Atom, Poly)>> {
        for at in 0..self.len(p) {
            let term = self.term(p, at);
            if self.factor_count(term.mono) != 1 || self.exponent(term.mono) != Poly::ZERO {
                continue;
            }
            let (atom, power) = self.factor(term.mono, 0);
            if power != Power::ONE || !matches!(self.kind(atom), Kind::Element(_)) {
                continue;
            }
            let own = self.poly(&term)?;
            let rest = self.minus(p, own)?;
            if self.atoms_below(rest).contains(&atom) {
                continue;
            }
            let value = self.scaled(rest, &term.coefficient.reciprocal().negated())?;
            return Ok(Some((atom, value)));
        }
        Ok(None)
    }
}
