//! Linear constraints over the integers: whether they have a solution, and one.
//!
//! Equations are solved for a variable of coefficient ±1, after a change of variables where there is none.
//! Inequalities are divided by what their coefficients have in common, and their constants rounded. Eliminating a
//! variable from them leaves its *shadow*: exactly, where all of its coefficients on one side are ±1. Elsewhere, no
//! solution of the shadow means none at all, a solution of the *dark shadow* (which leaves room for an integer
//! between each pair of bounds) is one, and what lies between the two is looked at plane by plane.
//!
//! Shadows alone ([`Constraints::excluded`]) exclude most of what has no solution, at a fraction of the work.
//!
//! Guarantees: *none* means that no integers satisfy the constraints; a point satisfies them. Complete, but for its
//! limits: work, and coefficients of 127 bits.
//! Source: Pugh, *The Omega test: a fast and practical integer programming algorithm for dependence analysis*, 1991.

use num_integer::Integer;
use std::collections::BTreeMap;

/// `Σ coefficient·variable + constant`.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Linear {
    terms: BTreeMap<u32, i128>,
    constant: i128,
}

/// Equations (`= 0`) and inequalities (`≥ 0`).
#[derive(Clone, Default, Debug)]
pub struct Constraints {
    equal: Vec<Linear>,
    at_least: BTreeMap<Vec<(u32, i128)>, i128>,
    /// One of them, alone, cannot hold.
    fail: bool,
}

/// Values of variables; what is not listed may have any.
pub type Point = BTreeMap<u32, i128>;

/// No answer within the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfReach;

type Found<T> = Result<T, OutOfReach>;

fn fits(value: Option<i128>) -> Found<i128> {
    value.filter(|value| value.unsigned_abs() < 1 << 126).ok_or(OutOfReach)
}

impl Linear {
    /// A constant.
    pub fn constant(constant: i128) -> Linear {
        Linear { terms: BTreeMap::new(), constant }
    }

    /// A variable, so many times.
    pub fn variable(variable: u32, coefficient: i128) -> Linear {
        Linear { terms: BTreeMap::from([(variable, coefficient)]), constant: 0 }
    }

    /// `self + other·scale`.
    pub fn plus(&self, other: &Linear, scale: i128) -> Found<Linear> {
        let mut sum = self.clone();
        let scaled = |value: i128| fits(value.checked_mul(scale));
        sum.constant = fits(sum.constant.checked_add(scaled(other.constant)?))?;
        for (variable, coefficient) in &other.terms {
            let own = sum.terms.entry(*variable).or_default();
            *own = fits(own.checked_add(scaled(*coefficient)?))?;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        Ok(sum)
    }

    /// The same, so many times.
    pub fn times(&self, scale: i128) -> Found<Linear> {
        Linear::default().plus(self, scale)
    }

    /// Its value, if it has no variables.
    pub fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn coefficient(&self, variable: u32) -> i128 {
        self.terms.get(&variable).copied().unwrap_or_default()
    }

    /// The value at a point, where what is not listed is 0.
    pub fn at(&self, point: &Point) -> Found<i128> {
        self.terms.iter().try_fold(self.constant, |sum, (variable, coefficient)| {
            let value = point.get(variable).copied().unwrap_or_default();
            fits(value.checked_mul(*coefficient).and_then(|product| sum.checked_add(product)))
        })
    }

    fn common(&self) -> i128 {
        self.terms.values().fold(0, |common, coefficient| common.gcd(coefficient))
    }
}

impl Constraints {
    /// `linear = 0`.
    pub fn zero(&mut self, mut linear: Linear) {
        let common = linear.common();
        if common == 0 {
            self.fail |= linear.constant != 0;
            return;
        }
        if linear.constant % common != 0 {
            self.fail = true;
            return;
        }
        linear.terms.values_mut().for_each(|coefficient| *coefficient /= common);
        linear.constant /= common;
        self.equal.push(linear);
    }

    /// `linear ≥ 0`.
    pub fn at_least(&mut self, linear: &Linear) {
        let common = linear.common();
        if common == 0 {
            self.fail |= linear.constant < 0;
            return;
        }
        let terms: Vec<(u32, i128)> =
            linear.terms.iter().map(|(variable, coefficient)| (*variable, coefficient / common)).collect();
        let constant = Integer::div_floor(&linear.constant, &common);
        let opposite: Vec<(u32, i128)> =
            terms.iter().map(|(variable, coefficient)| (*variable, -coefficient)).collect();
        let tightest = self.at_least.get(&terms).map_or(constant, |known| constant.min(*known));
        // A sum between two bounds that meet has one value.
        if let Some(other) = self.at_least.get(&opposite) {
            if tightest + other < 0 {
                self.fail = true;
                return;
            }
            if tightest + other == 0 {
                self.at_least.remove(&opposite);
                self.at_least.remove(&terms);
                self.equal.push(Linear { terms: terms.into_iter().collect(), constant: tightest });
                return;
            }
        }
        self.at_least.insert(terms, tightest);
    }

    fn inequalities(&self) -> Vec<Linear> {
        let linear = |(terms, constant): (&Vec<(u32, i128)>, &i128)| Linear {
            terms: terms.iter().copied().collect(),
            constant: *constant,
        };
        self.at_least.iter().map(linear).collect()
    }

    /// A point at which all of them hold; `None` if there is none.
    ///
    /// `work` counts coefficients that are looked at.
    ///
    /// # Errors
    /// `work` is used up, or coefficients become too large.
    pub fn solve(self, work: &mut u64) -> Result<Option<Point>, OutOfReach> {
        self.named(work, false)
    }

    /// Whether shadows alone show that nothing satisfies them: cheaper, and `false` says nothing.
    ///
    /// # Errors
    /// `work` is used up, or coefficients become too large.
    pub fn excluded(self, work: &mut u64) -> Result<bool, OutOfReach> {
        Ok(self.named(work, true)?.is_none())
    }

    /// Where it is `rough`, a point says only that shadows have one.
    fn named(self, work: &mut u64, rough: bool) -> Found<Option<Point>> {
        let mut names: Vec<u32> = self.at_least.keys().flatten().map(|(variable, _)| *variable).collect();
        names.extend(self.equal.iter().flat_map(|linear| linear.terms.keys()));
        names.sort_unstable();
        names.dedup();
        // By their places, so that those beyond are free for new ones.
        let place = |variable: &u32| names.partition_point(|name| name < variable) as u32;
        let moved = |terms: &BTreeMap<u32, i128>| {
            terms.iter().map(|(variable, coefficient)| (place(variable), *coefficient)).collect()
        };
        let mut inner = Constraints { fail: self.fail, ..Constraints::default() };
        for linear in &self.equal {
            inner.equal.push(Linear { terms: moved(&linear.terms), constant: linear.constant });
        }
        for linear in self.inequalities() {
            inner.at_least(&Linear { terms: moved(&linear.terms), constant: linear.constant });
        }
        let point = inner.search(work, &mut (names.len() as u32), DEEPEST, rough)?;
        let named = |(at, value): (u32, i128)| Some((*names.get(at as usize)?, value));
        Ok(point.map(|point| point.into_iter().filter_map(named).collect()))
    }

    fn search(self, work: &mut u64, fresh: &mut u32, left: u32, rough: bool) -> Found<Option<Point>> {
        let left = left.checked_sub(1).ok_or(OutOfReach)?;
        let cost = self.equal.iter().map(|linear| linear.terms.len()).sum::<usize>()
            + self.at_least.keys().map(Vec::len).sum::<usize>();
        *work = work.checked_sub(cost as u64 + 1).ok_or(OutOfReach)?;
        if self.fail {
            return Ok(None);
        }
        match self.equal.first() {
            Some(_) => self.by_equation(work, fresh, left, rough),
            None => self.by_elimination(work, fresh, left, rough),
        }
    }

    /// With `variable = value` put in.
    fn put_in(&self, variable: u32, value: &Linear) -> Found<Constraints> {
        let mut rest = Constraints { fail: self.fail, ..Constraints::default() };
        let put = |linear: &Linear| {
            let coefficient = linear.coefficient(variable);
            let mut without = linear.clone();
            without.terms.remove(&variable);
            without.plus(value, coefficient)
        };
        for linear in &self.equal {
            rest.zero(put(linear)?);
        }
        for linear in self.inequalities() {
            rest.at_least(&put(&linear)?);
        }
        Ok(rest)
    }

    /// Solves the equation with the smallest coefficient.
    fn by_equation(self, work: &mut u64, fresh: &mut u32, left: u32, rough: bool) -> Found<Option<Point>> {
        let smallest = |linear: &Linear| {
            let sizes = linear.terms.iter().map(|(variable, coefficient)| (coefficient.abs(), *variable));
            sizes.min().unwrap_or_default()
        };
        let Some(equation) = self.equal.iter().min_by_key(|linear| smallest(linear)) else { return Ok(None) };
        let (size, variable) = smallest(equation);
        let sign = equation.coefficient(variable).signum();
        let mut rest = equation.clone();
        rest.terms.remove(&variable);
        let value = match size {
            1 => rest.times(-sign)?,
            _ => {
                // With m = size + 1: the remainders modulo m of all coefficients, the variable's own being -sign,
                // and m times a new variable.
                let m = size + 1;
                let remainder = |value: i128| {
                    let rest = Integer::mod_floor(&value, &m);
                    if 2 * rest >= m { rest - m } else { rest }
                };
                let mut value = Linear::variable(*fresh, -sign * m);
                *fresh += 1;
                for (other, coefficient) in &rest.terms {
                    value = value.plus(&Linear::variable(*other, sign * remainder(*coefficient)), 1)?;
                }
                value.plus(&Linear::constant(sign * remainder(rest.constant)), 1)?
            }
        };
        let rest = self.put_in(variable, &value)?;
        let Some(mut point) = rest.search(work, fresh, left, rough)? else { return Ok(None) };
        if rough {
            return Ok(Some(point));
        }
        point.insert(variable, value.at(&point)?);
        Ok(Some(point))
    }

    fn by_elimination(self, work: &mut u64, fresh: &mut u32, left: u32, rough: bool) -> Found<Option<Point>> {
        let all = self.inequalities();
        let mut bounds: BTreeMap<u32, (Vec<&Linear>, Vec<&Linear>)> = BTreeMap::new();
        for linear in &all {
            for (variable, coefficient) in &linear.terms {
                let (below, above) = bounds.entry(*variable).or_default();
                if *coefficient > 0 { below.push(linear) } else { above.push(linear) }
            }
        }
        let largest = |variable: u32, of: &[&Linear]| {
            of.iter().map(|linear| linear.coefficient(variable).abs()).max().unwrap_or_default()
        };
        // How much is left to look at afterwards, and how many constraints there are.
        let cost = |(variable, (below, above)): (&u32, &(Vec<&Linear>, Vec<&Linear>))| {
            let (a, b) = (largest(*variable, above), largest(*variable, below));
            let planes = if a.min(b) <= 1 { 0 } else { a.saturating_mul(b) };
            (planes, below.len() * above.len(), *variable)
        };
        let Some((planes, pairs, variable)) = bounds.iter().map(cost).min() else {
            return Ok(Some(Point::new()));
        };
        *work = work.checked_sub(pairs as u64).ok_or(OutOfReach)?;
        let (below, above) = &bounds[&variable];
        let rest: Vec<&Linear> = all.iter().filter(|linear| linear.coefficient(variable) == 0).collect();
        let shadow = |dark: bool| -> Found<Constraints> {
            let mut shadow = Constraints::default();
            rest.iter().for_each(|linear| shadow.at_least(linear));
            for low in below {
                for high in above {
                    let (a, b) = (low.coefficient(variable), -high.coefficient(variable));
                    let both = low.times(b)?.plus(high, a)?;
                    let room = if dark { fits((a - 1).checked_mul(b - 1))? } else { 0 };
                    shadow.at_least(&both.plus(&Linear::constant(room), -1)?);
                }
            }
            Ok(shadow)
        };
        if rough {
            return shadow(false)?.search(work, fresh, left, rough);
        }
        let found = match planes {
            0 => shadow(false)?.search(work, fresh, left, rough)?,
            _ => {
                // The larger of the two shadows costs little and says most.
                if shadow(false)?.search(work, fresh, left, true)?.is_none() {
                    return Ok(None);
                }
                shadow(true)?.search(work, fresh, left, rough)?
            }
        };
        if let Some(mut point) = found {
            let value = between(variable, below, above, &point)?;
            point.insert(variable, value);
            return Ok(Some(point));
        }
        if planes == 0 {
            return Ok(None);
        }
        // Elsewhere, some bound from below is nearly met.
        let most = largest(variable, above);
        for low in below {
            let own = low.coefficient(variable);
            let ways = Integer::div_floor(&(fits(most.checked_mul(own))? - most - own), &most);
            for more in 0..=ways {
                let mut plane = self.clone();
                plane.zero(low.plus(&Linear::constant(more), -1)?);
                if let Some(point) = plane.search(work, fresh, left, rough)? {
                    return Ok(Some(point));
                }
            }
        }
        Ok(None)
    }
}

/// Eliminations within one another.
const DEEPEST: u32 = 200;

/// The integer nearest to 0 between bounds.
fn between(variable: u32, below: &[&Linear], above: &[&Linear], point: &Point) -> Found<i128> {
    let without = |linear: &Linear| {
        let mut rest = linear.clone();
        rest.terms.remove(&variable);
        rest.at(point)
    };
    let (mut least, mut most) = (None, None);
    for low in below {
        let bound = Integer::div_ceil(&-without(low)?, &low.coefficient(variable));
        least = least.max(Some(bound));
    }
    for high in above {
        let bound = Integer::div_floor(&without(high)?, &-high.coefficient(variable));
        most = Some(most.map_or(bound, |most: i128| most.min(bound)));
    }
    let value = least.map_or(0, |least| least.max(0));
    Ok(most.map_or(value, |most| most.min(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % end
        }

        fn within(&mut self, most: i128) -> i128 {
            i128::from(self.below(2 * most as u64 + 1)) - most
        }
    }

    fn linear(terms: &[(u32, i128)], constant: i128) -> Linear {
        let sum = terms.iter().try_fold(Linear::constant(constant), |sum, (variable, coefficient)| {
            sum.plus(&Linear::variable(*variable, *coefficient), 1)
        });
        sum.expect("small")
    }

    /// Every point of a box, against the answer.
    #[test]
    fn points_in_a_box_are_found_and_no_others() {
        let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
        let (mut some, mut none, mut seen) = (0, 0, 0);
        for _ in 0..4_000 {
            let (variables, reach) = (1 + draw.below(3) as u32, 6i128);
            let size = [2, 5, 30][draw.below(3) as usize];
            let mut equal = Vec::new();
            let mut at_least = Vec::new();
            for _ in 0..1 + draw.below(4) {
                let terms: Vec<(u32, i128)> =
                    (0..variables).map(|variable| (variable, draw.within(size))).collect();
                let one = linear(&terms, draw.within(3 * size));
                if draw.below(4) == 0 { equal.push(one) } else { at_least.push(one) }
            }
            for variable in 0..variables {
                at_least.push(linear(&[(variable, 1)], reach));
                at_least.push(linear(&[(variable, -1)], reach));
            }
            let holds = |point: &Point| {
                let value = |linear: &Linear| linear.at(point).expect("small");
                equal.iter().all(|one| value(one) == 0) && at_least.iter().all(|one| value(one) >= 0)
            };
            let side = 2 * reach + 1;
            let any = (0..side.pow(variables)).any(|number| {
                let value = |variable: u32| number / side.pow(variable) % side - reach;
                holds(&(0..variables).map(|variable| (variable, value(variable))).collect())
            });
            let mut constraints = Constraints::default();
            equal.iter().for_each(|one| constraints.zero(one.clone()));
            at_least.iter().for_each(|one| constraints.at_least(one));
            let mut work = 1 << 22;
            let excluded = constraints.clone().excluded(&mut work).expect("small");
            assert!(!(excluded && any), "{equal:?} {at_least:?}");
            seen += u32::from(excluded);
            match constraints.solve(&mut work).expect("small") {
                Some(point) => assert!(any && holds(&point), "{equal:?} {at_least:?}: {point:?}"),
                None => assert!(!any, "{equal:?} {at_least:?}"),
            }
            if any { some += 1 } else { none += 1 }
        }
        assert!(some > 500 && none > 500, "{some} with a point, {none} without");
        assert!(seen > 500, "{seen} of {none} without a point are excluded by shadows");
    }

    /// Remainders: no number is 3 modulo 7 and 2 modulo 21, one is 3 modulo 7 and 17 modulo 21.
    #[test]
    fn remainders_belong_together() {
        let ask = |rest: i128| {
            let mut constraints = Constraints::default();
            constraints.zero(linear(&[(0, 1), (1, -7)], -3));
            constraints.zero(linear(&[(0, 1), (2, -21)], -rest));
            constraints.at_least(&linear(&[(0, 1)], -1_000_000));
            constraints.solve(&mut 10_000).expect("small")
        };
        assert!(ask(2).is_none());
        let point = ask(17).expect("there is one");
        assert!(point[&0] >= 1_000_000 && point[&0] % 21 == 17);
    }

    #[test]
    fn what_has_no_bounds_is_no_burden() {
        let mut constraints = Constraints::default();
        (0..60).for_each(|at| constraints.at_least(&linear(&[(at, 3), (at + 1, -2)], -7)));
        let point = constraints.solve(&mut 10_000).expect("within the work").expect("there is one");
        assert!((0..60).all(|at| {
            let value = |at: u32| point.get(&at).copied().unwrap_or_default();
            3 * value(at) - 2 * value(at + 1) >= 7
        }));
    }

    #[test]
    fn limits_are_no_answer() {
        let mut constraints = Constraints::default();
        constraints.at_least(&linear(&[(0, 5), (1, -7)], 0));
        constraints.at_least(&linear(&[(0, -3), (1, 8)], -9));
        assert_eq!(constraints.solve(&mut 1), Err(OutOfReach));
        // Any number is a name.
        let mut constraints = Constraints::default();
        constraints.zero(linear(&[(u32::MAX, 3), (u32::MAX - 1, 5)], -1));
        let point = constraints.solve(&mut 1_000).expect("small").expect("there is one");
        assert_eq!(3 * point[&u32::MAX] + 5 * point[&(u32::MAX - 1)], 1);
        let huge = Linear::variable(0, (1 << 126) - 1);
        assert_eq!(huge.times(2), Err(OutOfReach));
    }
}
