//! Making a witness small: most elements at a common default, the rest at small integers.
//!
//! Halving: groups of elements go to the default together, groups get smaller when none can go
//! (delta debugging). The default is 0, or 1 or -1 where zeros leave one side undefined or both alike.
//! Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*.

use super::points::Kind;
use super::{Arena, is_zero};
use crate::base::Exhausted;
use crate::term::eval::Small;
use num_rational::Ratio;

/// With more entries than this left, another default is tried as well.
const FEW: usize = 4;
/// Evaluations for shrinking whatever they cost, and at most.
const LEAST: usize = 40;
const MOST: usize = 2000;

/// Returns the default and the point, which still differs by `needed`, in values that f32 has a place for if it
/// `fits`.
pub(super) fn shrink(
    arena: &mut Arena<'_>,
    point: Vec<Small>,
    needed: f64,
    fits: bool,
) -> Result<(Small, Vec<Small>), Exhausted> {
    let [zero, one, minus_one] = [0, 1, -1].map(Ratio::from_integer);
    let mut search = Shrinking { arena, needed, fits, evaluations: 0, steps: 0 };
    search.steps = search.arena.steps;
    let mut best = (zero, search.towards(point.clone(), zero)?);
    let left = |(default, point): &(Small, Vec<Small>)| point.iter().filter(|v| *v != default).count();
    for other in [one, minus_one] {
        if left(&best) > FEW {
            let other = (other, search.towards(point.clone(), other)?);
            if left(&other) < left(&best) {
                best = other;
            }
        }
    }
    search.simplify(&mut best.1, best.0)?;
    Ok(best)
}

struct Shrinking<'a, 'b> {
    arena: &'a mut Arena<'b>,
    needed: f64,
    fits: bool,
    evaluations: usize,
    /// Steps at the start.
    steps: usize,
}

impl Shrinking<'_, '_> {
    fn may_go_on(&self) -> bool {
        let cheap = self.arena.steps - self.steps < super::STEPS && self.evaluations < MOST;
        cheap || self.evaluations < LEAST
    }

    fn still_differs(&mut self, point: &[Small]) -> Result<bool, Exhausted> {
        self.evaluations += 1;
        let differs = self.arena.difference(point)?.is_some_and(|difference| difference >= self.needed);
        Ok(differs && (self.arena.fits || !self.fits))
    }

    /// Sends as many values to the default as possible.
    fn towards(&mut self, mut point: Vec<Small>, default: Small) -> Result<Vec<Small>, Exhausted> {
        let mut group = point.len().div_ceil(2).max(1);
        loop {
            let mut progress = false;
            let active: Vec<usize> = (0..point.len()).filter(|at| point[*at] != default).collect();
            for members in active.chunks(group) {
                if !self.may_go_on() {
                    return Ok(point);
                }
                let before: Vec<Small> = members.iter().map(|at| point[*at]).collect();
                members.iter().for_each(|at| point[*at] = default);
                if self.still_differs(&point)? {
                    progress = true;
                } else {
                    members.iter().zip(before).for_each(|(at, value)| point[*at] = value);
                }
            }
            let left = point.iter().filter(|value| **value != default).count();
            if group == 1 && !progress || left == 0 {
                return Ok(point);
            }
            group = (group / 2).min(left.div_ceil(2)).max(1);
        }
    }

    /// Replaces what is left by 1, -1, 2, -2 where that still shows the difference.
    fn simplify(&mut self, point: &mut [Small], default: Small) -> Result<(), Exhausted> {
        for at in 0..point.len() {
            if point[at] == default || is_zero(&point[at]) {
                continue;
            }
            for candidate in [1, -1, 2, -2].map(Ratio::from_integer) {
                let kind = self.arena.kinds[at];
                if candidate == default
                    || matches!(kind, Kind::Unsigned(_)) && candidate < Ratio::from_integer(0)
                {
                    continue;
                }
                if candidate == point[at] || !self.may_go_on() {
                    break;
                }
                let before = std::mem::replace(&mut point[at], candidate);
                if self.still_differs(point)? {
                    break;
                }
                point[at] = before;
            }
        }
        Ok(())
    }
}
