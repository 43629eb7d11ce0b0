//! Quadratic forms that are never negative: variances that a kernel clamps at zero.
//!
//! `Σ aᵢⱼ·xᵢ·xⱼ` is at least zero where each `aᵢᵢ` is at least the sum of the sizes of the other `aᵢⱼ`
//! of its row, because `xᵢ² ± 2·xᵢ·xⱼ + xⱼ²` is a square. `E[x²] - E[x]²` is such a form. Sums that
//! are kept closed are taken apart for this, not multiplied out: it costs as much as they are long.
//!
//! Guarantees: the sign holds for all real values of the atoms. Misses: forms that are no less than
//! zero for other reasons, and closed sums whose products cancel.

use super::{Atom, Forms, Kind, Mono, Poly, Power, Rational, Sign};
use rustc_hash::FxHashMap;

const SQUARE: Power = Power { above: 2, below: 1 };
/// Variables that are added up, with repetitions: some 50 ms.
const MOST: usize = 1 << 20;

/// A variable of the form; `None` is the number one, so that `x² + 2·x + 1` has one too.
type Variable = Option<Atom>;

/// `Σ weight · variable`, and the sum of the weights' sizes.
struct Line {
    weights: Vec<(Variable, Rational)>,
    size: Rational,
}

/// A row of the matrix: the diagonal, and (at most) the sum of the sizes beside it.
struct Row {
    diagonal: Rational,
    beside: Rational,
}

impl Forms<'_> {
    /// The sign of a quadratic form whose diagonal outweighs the rest.
    pub(super) fn quadratic_sign(&self, poly: Poly) -> Sign {
        if self.has_squares(poly) { self.weighed(poly) } else { Sign::Unknown }
    }

    fn has_squares(&self, poly: Poly) -> bool {
        (0..self.len(poly))
            .map(|at| self.mono_at(poly, at))
            .any(|mono| self.factor_count(mono) == 1 && self.factor(mono, 0).1 == SQUARE)
    }

    // On its own, so that a first visit to the page does not fetch it before its verdict.
    #[inline(never)]
    fn weighed(&self, poly: Poly) -> Sign {
        self.rows(poly).map_or(Sign::Unknown, |rows| {
            let outweighs = |row: &Row, positive: bool| {
                let diagonal = if positive { row.diagonal.clone() } else { row.diagonal.negated() };
                diagonal >= row.beside
            };
            if rows.values().all(|row| outweighs(row, true)) {
                Sign::NonNegative
            } else if rows.values().all(|row| outweighs(row, false)) {
                Sign::NonPositive
            } else {
                Sign::Unknown
            }
        })
    }

    /// The rows of the matrix of a quadratic form; `None` where it is something else.
    fn rows(&self, poly: Poly) -> Option<FxHashMap<Variable, Row>> {
        let mut rows: FxHashMap<Variable, Row> = FxHashMap::default();
        let mut work = 0;
        for at in 0..self.len(poly) {
            let (a, b) = self.two_factors(self.mono_at(poly, at))?;
            let (a, b) = (self.line(a)?, self.line(b)?);
            work += a.weights.len() + b.weights.len();
            if work > MOST {
                return None;
            }
            add_product(&mut rows, self.coefficient_at(poly, at), &a, &b);
        }
        Some(rows)
    }

    /// A monomial of at most the second degree.
    fn two_factors(&self, mono: Mono) -> Option<(Variable, Variable)> {
        if self.exponent(mono) != Poly::ZERO {
            return None;
        }
        let mut factors = (0..self.factor_count(mono)).map(|at| self.factor(mono, at));
        Some(match (factors.next(), factors.next(), factors.next()) {
            (None, ..) => (None, None),
            (Some((a, Power::ONE)), None, _) => (Some(a), None),
            (Some((a, power)), None, _) if power == SQUARE => (Some(a), Some(a)),
            (Some((a, Power::ONE)), Some((b, Power::ONE)), None) => (Some(a), Some(b)),
            _ => return None,
        })
    }

    /// A variable as itself, or a closed sum as what it is a sum of.
    fn line(&self, variable: Variable) -> Option<Line> {
        let sum = match variable.map(|atom| self.kind(atom)) {
            Some(Kind::Sum(sum)) => sum,
            _ => return Some(Line { weights: vec![(variable, Rational::ONE)], size: Rational::ONE }),
        };
        let mut line = Line { weights: Vec::with_capacity(self.len(sum)), size: Rational::ZERO };
        for at in 0..self.len(sum) {
            let mono = self.mono_at(sum, at);
            let variable = match self.factor_count(mono) {
                _ if self.exponent(mono) != Poly::ZERO => return None,
                0 => None,
                1 if self.factor(mono, 0).1 == Power::ONE => Some(self.factor(mono, 0).0),
                _ => return None,
            };
            let weight = self.coefficient_at(sum, at).clone();
            line.size = line.size.plus(&weight.magnitude());
            line.weights.push((variable, weight));
        }
        Some(line)
    }
}

/// Adds `coefficient · a · b`. A variable is in a line at most once.
fn add_product(rows: &mut FxHashMap<Variable, Row>, coefficient: &Rational, a: &Line, b: &Line) {
    // Half of each product of two variables belongs to either row.
    let half = coefficient.magnitude().times(&Rational::new(1, 2));
    for (one, other) in [(a, b), (b, a)] {
        let weights: FxHashMap<Variable, &Rational> =
            other.weights.iter().map(|(variable, weight)| (*variable, weight)).collect();
        for (variable, weight) in &one.weights {
            let same = weights.get(variable).map_or(Rational::ZERO, |same| (*same).clone());
            let others = other.size.plus(&same.magnitude().negated());
            let row =
                rows.entry(*variable).or_insert(Row { diagonal: Rational::ZERO, beside: Rational::ZERO });
            row.beside = row.beside.plus(&half.times(&weight.magnitude()).times(&others));
            // Met from both sides.
            let own = coefficient.times(&Rational::new(1, 2)).times(weight).times(&same);
            row.diagonal = row.diagonal.plus(&own);
        }
    }
}
