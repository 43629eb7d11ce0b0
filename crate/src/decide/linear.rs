//! Whether linear constraints contradict each other, over reals and integers.
//!
//! Reals are eliminated first, after Fourier and Motzkin, over exact rationals; what is left is about integers
//! alone, and goes to the Omega test ([`Constraints`]). A variable is any monomial: products of elements and
//! exponentials count as independent unknowns, with at most their sign known.
//!
//! Guarantees: `true` only if no values satisfy all constraints, reals and integers where they are that. `false`
//! when satisfiable, or when elimination would make too many constraints.
//! Source: Dantzig and Eaves, *Fourier–Motzkin elimination and its dual*.

use super::rational::Rational;
use crate::base::{Constraints, Linear, Point};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
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
/// What the Omega test may spend on one question.
const WORK: u64 = 1 << 14;

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

    /// The same over integers, if its numbers are not too large.
    fn over_integers(&self) -> Option<Linear> {
        let all = || self.terms.values().chain([&self.constant]);
        let unit = all().fold(BigInt::one(), |unit, value| unit.lcm(value.to_big().denom()));
        let whole = |value: &Rational| (value.to_big() * &unit).to_integer().to_i128();
        let least = Linear::constant(whole(&self.constant)? - i128::from(self.strict));
        self.terms.iter().try_fold(least, |sum, (variable, coefficient)| {
            sum.plus(&Linear::variable(*variable, whole(coefficient)?), 1).ok()
        })
    }
}

/// Integers that satisfy constraints, or that there are none, as far as it is found out. Counts the work.
fn solved<'c>(
    constraints: impl IntoIterator<Item = &'c Constraint>,
    work: &mut u64,
) -> Option<Option<Point>> {
    let mut integers = Constraints::default();
    for constraint in constraints {
        integers.at_least(&constraint.over_integers()?);
    }
    let mut left = WORK;
    let point = integers.solve(&mut left).ok();
    *work += WORK - left;
    point
}

/// Integers that satisfy constraints about integers alone, if they are found. Counts the work.
pub(super) fn integers_in(
    constraints: &[Constraint],
    is_whole: &dyn Fn(u32) -> bool,
    work: &mut u64,
) -> Option<Point> {
    let mut named = constraints.iter().flat_map(|constraint| constraint.terms.keys());
    if named.all(|variable| is_whole(*variable)) { solved(constraints, work).flatten() } else { None }
}

/// Whether the constraints have no solution, where `is_whole` says which variables are integers. Counts the work.
pub(super) fn contradictory(
    constraints: Vec<Constraint>,
    is_whole: &dyn Fn(u32) -> bool,
    work: &mut u64,
) -> bool {
    let mut open: BTreeSet<Constraint> = constraints.into_iter().map(Constraint::scaled).collect();
    let mut real = true;
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
            for (variable, coefficient) in
                constraint.terms.iter().filter(|(variable, _)| !real || !is_whole(**variable))
            {
                let count = counts.entry(*variable).or_default();
                if coefficient.is_positive() { count.0 += 1 } else { count.1 += 1 }
            }
        }
        let Some((variable, (up, down))) =
            counts.into_iter().min_by_key(|(variable, (up, down))| (up * down, *variable))
        else {
            if !real || open.is_empty() {
                return false;
            }
            // Integers are left; what they are too many for is asked as if they were reals.
            if let Some(point) = solved(&open, work) {
                return point.is_none();
            }
            real = false;
            continue;
        };
        if up * down > MOST {
            return false;
        }
        let (with, without): (Vec<Constraint>, Vec<Constraint>) =
            open.into_iter().partition(|constraint| constraint.terms.contains_key(&variable));
        open = without.into_iter().collect();
        *work += (with.len() + up * down) as u64;
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

    fn none(constraints: Vec<Constraint>) -> bool {
        contradictory(constraints, &|_| false, &mut 0)
    }

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
        assert!(none(cycle(true)));
        assert!(!none(cycle(false)));
        let mut mixed = cycle(false);
        mixed[1].strict = true;
        assert!(none(mixed));
    }

    #[test]
    fn constants_matter() {
        // x ≥ 3 and 2x ≤ 5.
        assert!(none(vec![at_least(&[(0, 1)], -3, false), at_least(&[(0, -2)], 5, false)]));
        assert!(!none(vec![at_least(&[(0, 1)], -2, false), at_least(&[(0, -2)], 5, false)]));
        assert!(!none(Vec::new()));
        assert!(none(vec![at_least(&[], 0, true)]));
    }

    #[test]
    fn integers_lie_apart() {
        // 0 < 3x - 2y < 1 has reals, and integers where y is real.
        let strip = || vec![at_least(&[(0, 3), (1, -2)], 0, true), at_least(&[(0, -3), (1, 2)], 1, true)];
        assert!(!none(strip()));
        assert!(!contradictory(strip(), &|variable| variable == 0, &mut 0));
        assert!(contradictory(strip(), &|_| true, &mut 0));
    }
}
