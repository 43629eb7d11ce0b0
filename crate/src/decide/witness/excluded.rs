//! Inputs at which one side has a value, and the other one divides by zero, or leaves the range of a root or a
//! logarithm.
//!
//! That no kernel does so is assumed where neither has asked. A kernel that guards its division is defined where
//! one that does not is infinite, or not a number: two outputs that people see.
//!
//! Guarantees: a difference is one on the machine; of two values that are both no numbers none is claimed.
//! Misses: values that only rounding keeps from being zero.

use super::unlike;
use crate::base::{Budget, Exhausted};
use crate::term::Terms;
use crate::term::eval::{Cone, Formats, Interval, Machine, Quantity, Reals, Seen, evaluate};

/// Numbers closer than this part of the larger one are not told apart here.
const NOTICEABLE: f64 = super::NOTICEABLE;

/// What the machine has for both sides of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excluded(pub(crate) [Seen; 2]);

/// Whether two values, of which a machine has one where reals have none, are certainly different.
pub(crate) fn are_unlike(values: [Quantity; 2]) -> bool {
    match values.map(|value| value.interval().filter(|interval| interval.is_bounded())) {
        [Some(a), Some(b)] => gap(a, b) > NOTICEABLE,
        [None, None] => false,
        _ => unlike(values),
    }
}

fn gap(a: Interval, b: Interval) -> f64 {
    let gap = (a.low() - b.high()).max(b.low() - a.high());
    if gap > 0.0 { gap / a.abs().high().max(b.abs().high()) } else { 0.0 }
}

impl Excluded {
    /// Both values.
    pub(crate) fn values(&self) -> [Quantity; 2] {
        self.0.map(|seen| seen.value)
    }

    /// Whether they are certainly different, and the side that has a number has asked, or does nothing that has no
    /// real result: what a maximum makes of 0 / 0 is what nobody has asked for.
    pub(crate) fn differs(&self) -> bool {
        let asked = |side: usize| self.0[side].done.is_asked();
        are_unlike(self.values()) && self.defined().map_or_else(|| asked(0) || asked(1), asked)
    }

    /// Whether both are numbers.
    pub(crate) fn are_numbers(&self) -> bool {
        self.values().into_iter().all(Quantity::is_finite)
    }

    /// Which side has a number, if the other one has none.
    fn defined(&self) -> Option<usize> {
        match self.values().map(Quantity::is_finite) {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        }
    }

    /// Whether the side that has a number leaves something out that has no real result.
    pub(crate) fn is_avoided(&self) -> bool {
        self.differs() && self.defined().is_some_and(|side| self.0[side].done.any())
    }

    /// What tells the two apart, in words.
    pub(crate) fn sentence(&self) -> String {
        const NAMES: [&str; 2] = ["the reference", "the optimized kernel"];
        match self.defined() {
            Some(side) => {
                let (this, other) = (NAMES[side], NAMES[1 - side]);
                format!("{other} {} at these inputs, and {this} does not", self.0[1 - side].done.words())
            }
            None => {
                let all = self.0[0].done.or(self.0[1].done);
                format!("a kernel {} at these inputs, and the other one has another value", all.words())
            }
        }
    }
}

/// What the machine has for the first root of two cones, if that is certain of both sides: what overflows on the way
/// shows nothing.
pub(crate) fn where_excluded(
    terms: [&Terms; 2],
    cones: &[Cone; 2],
    constants: &[Vec<Quantity>; 2],
    formats: &[Option<Formats>; 2],
    element: &dyn Fn(u32) -> Quantity,
    budget: &Budget,
) -> Result<Option<Excluded>, Exhausted> {
    let mut seen = Vec::with_capacity(2);
    for side in 0..2 {
        let reals = || Reals { element, constants: &constants[side] };
        let found =
            evaluate(&cones[side], &Machine { reals: reals(), terms: terms[side] }, budget, &mut Vec::new())?
                [0];
        if let Some(formats) = &formats[side]
            && found.value.is_finite()
            && formats.evaluate(&cones[side], &reals(), budget, &mut Vec::new())?[0] != found.value
        {
            return Ok(None);
        }
        seen.push(found);
    }
    Ok(Some(Excluded([seen[0], seen[1]])))
}
