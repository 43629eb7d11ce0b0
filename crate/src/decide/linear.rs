//! Whether linear constraints contradict each other.
//!
//! Fourier–Motzkin elimination over exact rationals. A variable is any monomial: products of
//! elements and exponentials count as independent unknowns, with at most their sign known.
//!
//! Guarantees: `true` only if no real values satisfy all constraints. `false` when satisfiable, or
//! when elimination would make too many constraints.
//! Source: Dantzig and Eaves, *Fourier–Motzkin elimination and its dual*.

use super::rational::Rational;
use std::collections::{BTreeMap, BTreeSet};

/// `Σ coefficient·variable + constant ≥ 0`, or `> 0` if strict.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Constraint {
    pub(super) terms: BTreeMap<u32, Rational>,
    pub(super) constant: Rational,
    pub(super) strict: bool,
}

/// More constraints than this at any moment end the elimination.
const MOST: usize = 400;

impl Constraint {
    /// Whether it fails on its own, having no variables.
    fn is_false(&self) -> bool {
        self.terms.is_empty() && (self.constant.is_negative() || (self.strict && self.constant.is_zero()))
    }

    /// `self·a + other·b` for positive a, b.
    fn combined(&self, a: &Rational, other: &Constraint, b: &Rational) -> Constraint {
        let mut terms: BTreeMap<u32, Rational> = BTreeMap::new();
        for (source, scale) in [(self, a), (other, b)] {
            for (variable, coefficient) in &source.terms {
                let entry = terms.entry(*variable).or_insert(Rational::ZERO);
                *entry = entry.plus(&coefficient.times(scale));
            }
        }
        terms.retain(|_, coefficient| !coefficient.is_zero());
        let constant = self.constant.times(a).plus(&other.constant.times(b));
        Constraint { terms, constant, strict: self.strict || other.strict }
    }

    /// Scaled so that the first coefficient is 1 or -1: equal constraints look equal.
    fn scaled(mut self) -> Constraint {
        if let Some(size) = self.terms.values().next().map(|first| first.magnitude().reciprocal()) {
            for coefficient in self.terms.values_mut() {
                *coefficient = coefficient.times(&size);
            }
            self.constant = self.constant.times(&size);
        }
        self
    }
}

/// Whether the constraints have no solution.
pub(super) fn contradictory(constraints: Vec<Constraint>) -> bool {
    let mut open: BTreeSet<Constraint> = constraints.into_iter().map(Constraint::scaled).collect();
    loop {
        if open.iter().any(Constraint::is_false) {
            return true;
        }
        if open.len() > MOST {
            return false;
        }
        // The variable whose elimination makes the fewest constraints.
        let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for constraint in &open {
            for (variable, coefficient) in &constraint.terms {
                let count = counts.entry(*variable).or_default();
                if coefficient.is_positive() { count.0 += 1 } else { count.1 += 1 }
            }
        }
        let Some((variable, (up, down))) =
            counts.into_iter().min_by_key(|(variable, (up, down))| (up * down, *variable))
        else {
            return false;
        };
        if up * down > MOST {
            return false;
        }
        let (with, without): (Vec<Constraint>, Vec<Constraint>) =
            open.into_iter().partition(|constraint| constraint.terms.contains_key(&variable));
        open = without.into_iter().collect();
        let (up, down): (Vec<&Constraint>, Vec<&Constraint>) =
            with.iter().partition(|constraint| constraint.terms[&variable].is_positive());
        for above in &up {
            for below in &down {
                let (a, b) = (&above.terms[&variable], &below.terms[&variable]);
                open.insert(above.combined(&b.magnitude(), below, a).scaled());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(terms: &[(u32, i64)], constant: i64, strict: bool) -> Constraint {
        Constraint {
            terms: terms.iter().map(|(variable, c)| (*variable, Rational::new(*c, 1))).collect(),
            constant: Rational::new(constant, 1),
            strict,
        }
    }

    #[test]
    fn cycles_of_strict_order_contradict() {
        // x < y, y < z, z < x; but x ≤ y ≤ z ≤ x is fine.
        let cycle = |strict| {
            vec![
                at_least(&[(0, -1), (1, 1)], 0, strict),
                at_least(&[(1, -1), (2, 1)], 0, strict),
                at_least(&[(2, -1), (0, 1)], 0, strict),
            ]
        };
        assert!(contradictory(cycle(true)));
        assert!(!contradictory(cycle(false)));
        let mut mixed = cycle(false);
        mixed[1].strict = true;
        assert!(contradictory(mixed));
    }

    #[test]
    fn constants_matter() {
        // x ≥ 3 and 2x ≤ 5.
        assert!(contradictory(vec![at_least(&[(0, 1)], -3, false), at_least(&[(0, -2)], 5, false)]));
        assert!(!contradictory(vec![at_least(&[(0, 1)], -2, false), at_least(&[(0, -2)], 5, false)]));
        assert!(!contradictory(Vec::new()));
        assert!(contradictory(vec![at_least(&[], 0, true)]));
    }
}
