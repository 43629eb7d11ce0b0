//! Maxima, minima and absolute values.
//!
//! A maximum is a set: nested maxima flatten, duplicates vanish, what all candidates share (terms
//! and positive factors) moves out, and candidates that differ by a constant leave only the
//! largest. `min(a, b) = -max(-a, -b)`, `max(a, min(a, b))` is `a`, `max(p, -p)` is `|p|`, and the
//! largest power of e is that of the largest exponent.
//!
//! Guarantees: identities of reals.
//! Misses: candidates dominated for reasons of inequality, and sums of maxima; case splits decide
//! those.

use super::{Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Sign, Step};
use rustc_hash::FxHashMap;

/// A nested maximum of more candidates than this stays whole, until [`Forms::flattened`]: a running
/// maximum then costs as much as it is long, and in softmax it cancels whatever it is.
pub(super) const FEW: usize = 32;
/// Flattening ends at this many candidates.
const MOST: usize = 1 << 16;

impl Forms<'_> {
    /// The largest of several values (at least one).
    pub(in crate::decide) fn max_of(&mut self, arguments: &[Poly]) -> Step<Poly> {
        let mut whole: Vec<Poly> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            whole.push(self.canonical(*argument)?);
        }
        whole.sort_unstable();
        whole.dedup();
        // A sum is limited where the candidates of a maximum in it are not.
        let whole = self.largest_by_range(whole)?;
        if let [only] = whole[..] {
            return Ok(only);
        }
        let mut flat: Vec<Poly> = Vec::with_capacity(whole.len());
        for argument in whole {
            self.flatten(argument, &mut flat)?;
        }
        self.tick(flat.len() as u64)?;
        flat.sort_unstable();
        flat.dedup();
        let flat = self.without_absorbed(flat)?;
        let flat = self.largest_constants(flat)?;
        let flat = self.without_lower_limits(flat)?;
        let flat = self.largest_by_range(flat)?;
        if flat.len() == 1 {
            return Ok(flat[0]);
        }
        // Shared terms move out.
        let shared = self.shared_terms(&flat)?;
        let mut rest = flat;
        if shared != Poly::ZERO {
            for argument in &mut rest {
                *argument = self.minus(*argument, shared)?;
            }
        }
        // A positive factor moves out.
        let factor = self.shared_factor(&rest)?;
        if factor != Product::ONE {
            let inverse = self.inverse(&factor)?;
            for argument in &mut rest {
                *argument = self.times_product(*argument, &inverse)?;
            }
        }
        rest.sort_unstable();
        if let Some(power) = self.largest_power(&rest)? {
            let scaled = self.times_product(power, &factor)?;
            return self.plus(scaled, shared);
        }
        let largest = if let [a, b] = rest[..]
            && self.plus(a, b)? == Poly::ZERO
        {
            let atom = self.magnitude_atom(a)?;
            self.atom_poly(atom)?
        } else {
            let atom = self.max_atom(&rest);
            self.atom_poly(atom)?
        };
        let scaled = self.times_product(largest, &factor)?;
        self.plus(scaled, shared)
    }

    /// Of powers of e, or of their opposites, the largest: the power of the largest exponent, or the opposite of that
    /// of the smallest.
    fn largest_power(&mut self, candidates: &[Poly]) -> Step<Option<Poly>> {
        let Some((above, exponents)) = self.exponents(candidates) else { return Ok(None) };
        let exponent = if above { self.max_of(&exponents)? } else { self.min_of(&exponents)? };
        let power = self.exp(exponent)?;
        let power = self.poly(&power)?;
        if above { Ok(Some(power)) } else { self.negated(power).map(Some) }
    }

    /// The exponents, if all candidates are powers of e, or all opposites of such (`false`).
    pub(super) fn exponents(&self, candidates: &[Poly]) -> Option<(bool, Vec<Poly>)> {
        let mut exponents = Vec::with_capacity(candidates.len());
        let (mut above, mut below) = (true, true);
        for candidate in candidates {
            let Product { coefficient, mono } = self.single(*candidate)?;
            above &= coefficient.is_one();
            below &= coefficient == Rational::MINUS_ONE;
            if self.factor_count(mono) != 0 || !above && !below {
                return None;
            }
            exponents.push(self.exponent(mono));
        }
        Some((above, exponents))
    }

    /// The polynomial with all maxima flattened; `None` if there is no maximum inside another.
    pub(in crate::decide) fn flattened(&mut self, poly: Poly) -> Step<Option<Poly>> {
        let is_maximum = |forms: &Self, atom| forms.kind(atom) == Kind::Max;
        let nested = self.atoms_below(poly).into_iter().any(|atom| {
            let mut inside = false;
            if is_maximum(self, atom) {
                self.atom_parts(atom, &mut |part| {
                    inside |= (0..self.len(part)).any(|at| {
                        let mono = self.mono_at(part, at);
                        (0..self.factor_count(mono)).any(|at| is_maximum(self, self.factor(mono, at).0))
                    });
                });
            }
            inside
        });
        if !nested {
            return Ok(None);
        }
        let before = std::mem::replace(&mut self.flatten, MOST);
        let result = self.rewrite(poly, &mut |_, _| Ok(None));
        self.flatten = before;
        result.map(Some)
    }

    /// The smallest of several values.
    pub(in crate::decide) fn min_of(&mut self, arguments: &[Poly]) -> Step<Poly> {
        let mut negated = Vec::with_capacity(arguments.len());
        for argument in arguments {
            negated.push(self.negated(*argument)?);
        }
        let largest = self.max_of(&negated)?;
        self.negated(largest)
    }

    /// `|poly|`.
    pub(in crate::decide) fn magnitude(&mut self, poly: Poly) -> Step<Poly> {
        match self.sign(poly) {
            Sign::Positive | Sign::NonNegative | Sign::Zero => return Ok(poly),
            Sign::Negative | Sign::NonPositive => return self.negated(poly),
            Sign::Unknown => {}
        }
        let Some(product) = self.single(poly) else {
            let negated = self.negated(poly)?;
            return self.max_of(&[poly, negated]);
        };
        // |c·a·b| = |c|·|a|·|b|.
        let exponent = self.exponent(product.mono);
        let mut result =
            Product { coefficient: product.coefficient.magnitude(), mono: self.exp_mono(exponent) };
        for at in 0..self.factor_count(product.mono) {
            let (atom, power) = self.factor(product.mono, at);
            let factor = if self.atom_sign(atom).is_non_negative()
                || power.below.is_multiple_of(2)
                || power.above % 2 == 0
            {
                self.atom_power(atom, power)?
            } else {
                let inner = self.atom_poly(atom)?;
                let magnitude = self.magnitude_atom(inner)?;
                self.atom_power(magnitude, power)?
            };
            result = self.product(&result, &factor)?;
        }
        self.poly(&result)
    }

    /// The atom `|poly|`, of one of `poly` and `-poly`.
    pub(super) fn magnitude_atom(&mut self, poly: Poly) -> Step<Atom> {
        let lead = self.leading(poly);
        let poly = if self.coefficient_at(poly, lead).is_negative() { self.negated(poly)? } else { poly };
        Ok(self.atom(Kind::Abs(poly)))
    }

    /// The only term of a sum that is a multiple of a maximum: two of them are not opened, because that
    /// multiplies their sizes.
    pub(super) fn lone_maximum(&self, poly: Poly) -> Option<(Product, Atom)> {
        let mut found = None;
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            if self.factor_count(mono) == 1 && self.exponent(mono) == Poly::ZERO {
                let (atom, power) = self.factor(mono, 0);
                if power == Power::ONE && self.kind(atom) == Kind::Max {
                    if found.is_some() {
                        return None;
                    }
                    found = Some((at, atom));
                }
            }
        }
        found.map(|(at, atom)| (self.term(poly, at), atom))
    }

    /// Appends the candidates of `argument`: `c·max{…} + rest` opens for positive c.
    fn flatten(&mut self, argument: Poly, flat: &mut Vec<Poly>) -> Step<()> {
        let opened = self.lone_maximum(argument).filter(|(term, _)| term.coefficient.is_positive());
        let Some((term, atom)) = opened else {
            flat.push(argument);
            return Ok(());
        };
        let candidates = self.max_arguments(atom);
        if candidates.len() > self.flatten || flat.len() + candidates.len() > MOST {
            flat.push(argument);
            return Ok(());
        }
        flat.append(&mut self.members(argument, &term, candidates)?);
        Ok(())
    }

    /// What a sum with the maximum in `term` is for each of its candidates.
    pub(super) fn members(&mut self, sum: Poly, term: &Product, candidates: Vec<Poly>) -> Step<Vec<Poly>> {
        let own = self.poly(term)?;
        let rest = self.minus(sum, own)?;
        let mut members = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let candidate = self.scaled(candidate, &term.coefficient)?;
            members.push(self.plus(candidate, rest)?);
        }
        Ok(members)
    }

    /// Of ascending candidates, drops the minima of which another candidate is a member.
    fn without_absorbed(&mut self, mut flat: Vec<Poly>) -> Step<Vec<Poly>> {
        let mut at = 0;
        while at < flat.len() && flat.len() > 1 {
            let candidate = flat[at];
            let minimum = self.lone_maximum(candidate).filter(|(term, _)| term.coefficient.is_negative());
            if let Some((term, atom)) = minimum {
                let members = self.max_arguments(atom);
                self.tick(members.len() as u64)?;
                if members.len() <= FEW {
                    let members = self.members(candidate, &term, members)?;
                    if members.iter().any(|member| flat.binary_search(member).is_ok()) {
                        flat.remove(at);
                        continue;
                    }
                }
            }
            at += 1;
        }
        Ok(flat)
    }

    /// Of candidates that differ by a rational, keeps the largest.
    fn largest_constants(&mut self, flat: Vec<Poly>) -> Step<Vec<Poly>> {
        // The constant monomial sorts first.
        let has_constant =
            |forms: &Self, poly: Poly| forms.len(poly) > 0 && forms.mono_at(poly, 0) == Mono::ONE;
        if !flat.iter().any(|poly| has_constant(self, *poly)) {
            return Ok(flat);
        }
        let mut best: FxHashMap<Poly, (Rational, Poly)> = FxHashMap::default();
        for poly in &flat {
            let constant = if has_constant(self, *poly) {
                self.coefficient_at(*poly, 0).clone()
            } else {
                Rational::ZERO
            };
            let own = self.rational(constant.clone())?;
            let rest = self.minus(*poly, own)?;
            let entry = best.entry(rest).or_insert((constant.clone(), *poly));
            if constant > entry.0 {
                *entry = (constant, *poly);
            }
        }
        let mut kept: Vec<Poly> = best.into_values().map(|(_, poly)| poly).collect();
        kept.sort_unstable();
        Ok(kept)
    }

    /// `max(c, min(h, max(l, x)))` with `l ≤ c` is `max(c, min(h, x))`: a clamp inside a narrower one.
    fn without_lower_limits(&mut self, mut flat: Vec<Poly>) -> Step<Vec<Poly>> {
        let Some(known) = flat.iter().find_map(|poly| self.constant(*poly)) else { return Ok(flat) };
        let mut changed = false;
        for candidate in &mut flat {
            let minimum = self.lone_maximum(*candidate).filter(|(term, _)| term.coefficient.is_negative());
            let Some((term, atom)) = minimum else { continue };
            let arguments = self.max_arguments(atom);
            if arguments.len() > FEW {
                continue;
            }
            let mut branches = self.members(*candidate, &term, arguments)?;
            let mut dropped = false;
            for branch in &mut branches {
                let maximum = self.lone_maximum(*branch).filter(|(term, _)| term.coefficient.is_positive());
                let Some((term, atom)) = maximum else { continue };
                let arguments = self.max_arguments(atom);
                if arguments.len() > FEW {
                    continue;
                }
                let members = self.members(*branch, &term, arguments)?;
                let is_below = |poly: &Poly| self.constant(*poly).is_some_and(|limit| limit <= known);
                let left: Vec<Poly> = members.iter().copied().filter(|poly| !is_below(poly)).collect();
                if !left.is_empty() && left.len() < members.len() {
                    *branch = self.max_of(&left)?;
                    dropped = true;
                }
            }
            if dropped {
                *candidate = self.min_of(&branches)?;
                changed = true;
            }
        }
        if changed {
            flat.sort_unstable();
            flat.dedup();
        }
        Ok(flat)
    }

    /// Of a few candidates with known ranges, drops those below another.
    fn largest_by_range(&mut self, mut flat: Vec<Poly>) -> Step<Vec<Poly>> {
        if flat.len() > 8 {
            return Ok(flat);
        }
        let mut at = 0;
        while at < flat.len() {
            let bounded = self.range(flat[at]).high() < f64::INFINITY;
            let mut dominated = false;
            for other in 0..flat.len() {
                if other == at || dominated || !bounded {
                    continue;
                }
                let difference = self.minus(flat[other], flat[at])?;
                dominated = self.sign(difference).is_non_negative();
            }
            if dominated {
                flat.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(flat)
    }

    /// The terms that all candidates have.
    pub(super) fn shared_terms(&mut self, flat: &[Poly]) -> Step<Poly> {
        let mut shared: Vec<Product> = (0..self.len(flat[0])).map(|at| self.term(flat[0], at)).collect();
        for poly in &flat[1..] {
            if shared.is_empty() {
                break;
            }
            shared.retain(|term| {
                (0..self.len(*poly)).any(|at| {
                    self.mono_at(*poly, at) == term.mono
                        && *self.coefficient_at(*poly, at) == term.coefficient
                })
            });
        }
        self.sum_of(&shared)
    }

    /// A positive factor of all candidates: powers of positive atoms, and the size of the first
    /// coefficient, where all candidates are single terms or share it.
    pub(super) fn shared_factor(&mut self, flat: &[Poly]) -> Step<Product> {
        let mut factor = Product::ONE;
        let Some(first) = flat.iter().copied().find(|poly| *poly != Poly::ZERO) else {
            return Ok(factor);
        };
        let first = self.mono_at(first, 0);
        let exponent = self.exponent(first);
        let mut candidates: Vec<(Atom, Power)> = (0..self.factor_count(first))
            .map(|at| self.factor(first, at))
            .filter(|(atom, _)| self.atom_sign(*atom) == Sign::Positive)
            .collect();
        let mut same_exponent = exponent != Poly::ZERO;
        // The smallest size of a coefficient: scales with the candidates, whatever their order.
        let mut smallest: Option<Rational> = None;
        for poly in flat {
            for at in 0..self.len(*poly) {
                let mono = self.mono_at(*poly, at);
                same_exponent &= self.exponent(mono) == exponent;
                candidates.retain(|(atom, power)| self.power_of(mono, *atom) == Some(*power));
                let size = self.coefficient_at(*poly, at).magnitude();
                if smallest.as_ref().is_none_or(|known| size < *known) {
                    smallest = Some(size);
                }
            }
        }
        if same_exponent {
            factor.mono = self.exp_mono(exponent);
        }
        if let Some(smallest) = smallest {
            factor.coefficient = smallest;
        }
        for (atom, power) in candidates {
            let own = self.atom_power(atom, power)?;
            factor = self.product(&factor, &own)?;
        }
        Ok(factor)
    }
}
