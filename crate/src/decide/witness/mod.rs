//! Witnesses: concrete inputs on which two terms differ.
//!
//! Both sides are evaluated at a bounded number of points (see `points`), exactly where that is possible and in
//! rigorous intervals elsewhere; a point counts only if both sides are defined and their enclosures are disjoint, or,
//! of outputs, if the machine has something else where a side has no real value (`excluded`).
//! The point found is then simplified: as many elements as possible get a common default, and the others the
//! smallest integers that still show the difference.
//!
//! Guarantees: a witness's two sides certainly differ, whatever number a rounded constant stands for: the one as
//! which it was recognized, the one that its bits are, or another within a unit of it ([`Meanings::enclosures`]). A
//! number that a kernel computed from known ones counts as every value that hardware may have rounded it to; if a
//! term contains such numbers, a difference of less than [`NOTICEABLE`] of the larger side is not accepted, because
//! not every way to compute such a number is followed. Deterministic for a seed.
//! The sides also differ on hardware, where f16 overflows to infinity and integers are clamped ([`Formats`]).
//! Misses: differences at none of the points tried; terms with uninterpreted parts.
//! Cost: about [`STEPS`] evaluated nodes, and at least [`LEAST`] points however large the terms.

mod contrast;
mod excluded;
mod extremes;
mod points;
mod shrink;
#[cfg(test)]
mod tests;
mod thresholds;

pub use contrast::{Contrast, Shown, contrast};
pub(crate) use excluded::{Excluded, Sides, are_unlike};
pub(super) use extremes::extremes;

use super::Witness;
use super::constants::{Computed, Meanings};
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, Formats, Quantity, Reals, Small, evaluate};
use crate::term::{Elements, Node, Term, Terms};
use num_rational::{BigRational, Ratio};
use num_traits::Zero;
pub(super) use points::{Kind, admits};
use rustc_hash::FxHashMap;
pub(super) use thresholds::thresholds;

/// Differences smaller than this part of the larger side are not believed where a side computes numbers
/// from known ones.
pub const NOTICEABLE: f64 = 1e-6;
/// Whole numbers up to this have a place in every format of 32 bits and more.
const UNROUNDED: i64 = 1 << 24;
/// A difference of this part ends the search.
const CLEAR: f64 = 1e-3;
/// Nodes to evaluate, about.
const STEPS: usize = 20_000_000;
/// Points to try whatever they cost.
const LEAST: usize = 6;

/// Two kernels' terms and what their leaves mean.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The pairs are outputs: where a side has no real value, what a machine has there counts
    /// ([`Options::outputs`](super::Options::outputs)).
    pub outputs: bool,
    /// The stores of (reference, optimized).
    pub terms: [&'a Terms; 2],
    /// What their constants mean.
    pub meanings: &'a Meanings,
    /// The shared numbering of inputs.
    pub elements: &'a Elements,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub enum Search {
    /// The two sides differ here.
    Different(Witness),
    /// They differ at most by this part of the larger side, which rounding could explain.
    Close(f64),
    /// They differ as computed, but not for certain: numbers that the kernels compute from concrete
    /// ones alone are rounded.
    Rounded(Rounded),
    /// They agree, as far as can be told.
    Alike {
        /// At so many points: those at which both sides are known to have a value.
        defined: u32,
        /// Of so many.
        tried: u32,
    },
}

/// A difference that the rounding of computed constants may explain.
#[derive(Clone, PartialEq, Debug)]
pub struct Rounded {
    /// The largest difference as computed, as a part of the larger side.
    pub part: f64,
    /// The numbers that may be farthest off for their size.
    pub numbers: Vec<Computed>,
}

/// How many of them are named.
const NAMED: usize = 2;

/// The computed constants below the roots of both cones that may be farthest off for their size.
pub(super) fn roughest(cones: &[Cone; 2], meanings: &Meanings) -> Vec<Computed> {
    let used = |side: usize| {
        let constants = cones[side].constants();
        let is_used = |known: &&Computed| constants.binary_search(&(known.constant as u32)).is_ok();
        meanings.computed(side).iter().filter(is_used).copied()
    };
    let mut found: Vec<Computed> = used(0).chain(used(1)).collect();
    let part = |known: &Computed| known.error / known.value.abs();
    found.sort_by(|a, b| part(b).total_cmp(&part(a)).then(b.value.total_cmp(&a.value)));
    found.dedup_by(|a, b| a.value.abs() == b.value.abs());
    found.truncate(NAMED);
    found
}

/// A value for each element at one of a few plain points: small whole numbers, positive at the
/// first point.
pub fn plain(elements: &Elements, point: u64, element: u32) -> Quantity {
    let mixed = (u64::from(element) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * point + 1));
    let size = (mixed >> 40) as i64 % 6 + 1;
    let value = if point > 1 && mixed >> 60 < 6 { -size } else { size };
    let kind = elements.block_of(element).map_or(Kind::Float(Format::F64), |block| Kind::of(block.format));
    Quantity::Exact(kind.admit(Ratio::from_integer(value)))
}

/// Looks for inputs on which the two terms of a pair differ; adds the nodes evaluated to `spent`.
pub fn search(
    question: &Question<'_>,
    pair: (Term, Term),
    budget: &Budget,
    seed: u64,
    spent: &mut u64,
) -> Result<Search, Exhausted> {
    let mut arena = Arena::new(question, pair, budget)?;
    // Values that f32 has a place for tell more than others, whatever the difference.
    let mut best: Option<(bool, f64, Vec<Small>)> = None;
    let (mut defined, mut tried, mut as_computed) = (0, 0, 0.0f64);
    for attempt in 0..points::tries(&arena.thresholds, &arena.kinds) {
        if attempt >= LEAST && arena.is_spent() {
            break;
        }
        let point = points::point(seed, attempt, &arena.kinds, &arena.lone, &arena.thresholds);
        tried += 1;
        let difference = arena.difference(&point)?;
        if as_computed < CLEAR && difference.is_none_or(|difference| difference < CLEAR) {
            as_computed = as_computed.max(arena.difference_as_computed(&point)?);
        }
        let Some(difference) = difference else { continue };
        defined += 1;
        let fits = arena.fits;
        // Of those that it has no place for, the first that is clear.
        let rank = |fits: bool, difference: f64| match fits && difference >= NOTICEABLE {
            true => (true, difference),
            false => (false, difference.min(CLEAR)),
        };
        let better = |best: &(bool, f64, Vec<Small>)| rank(fits, difference) > rank(best.0, best.1);
        if difference > 0.0 && best.as_ref().is_none_or(better) {
            best = Some((fits, difference, point));
        }
        if difference >= CLEAR && fits {
            break;
        }
    }
    *spent += arena.steps as u64;
    let certain = best.as_ref().map_or(0.0, |best| best.1);
    let least = if arena.as_computed.is_some() { NOTICEABLE } else { 0.0 };
    if certain <= least && as_computed > certain {
        let numbers = roughest(&arena.cones, question.meanings);
        return Ok(Search::Rounded(Rounded { part: as_computed, numbers }));
    }
    let Some((fits, difference, point)) = best else { return Ok(Search::Alike { defined, tried }) };
    if difference <= least {
        return Ok(Search::Close(difference));
    }
    let before = arena.steps;
    let (default, point) = shrink::shrink(&mut arena, point, difference.min(CLEAR), fits)?;
    let values = arena.values(&point)?;
    let excluded = match arena.outputs && values.contains(&Quantity::Undefined) {
        true => arena.excluded_at(&point)?,
        false => None,
    };
    let [reference, optimized] = match &excluded {
        Some(found) => found.values(),
        None => arena.values_in_formats(&point)?.unwrap_or(values),
    };
    let difference = match excluded.as_ref().and_then(Excluded::sentence) {
        Some(sentence) => sentence,
        None => contrast(question, pair, budget)?.sentence,
    };
    let inputs = arena.elements.iter().zip(&point).filter(|(_, value)| **value != default);
    *spent += (arena.steps - before) as u64;
    Ok(Search::Different(Witness {
        point: None,
        inputs: inputs.map(|(element, value)| (*element, big(*value))).collect(),
        default: big(default),
        values: [ends(reference), ends(optimized)],
        difference,
    }))
}

impl Witness {
    /// Lists the inputs of a plain point, as far as the pair depends on them.
    pub(super) fn list(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        point: u64,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let elements = Arena::new(question, pair, budget)?.elements;
        let value = |element: &u32| match plain(question.elements, point, *element) {
            Quantity::Exact(value) => big(value),
            _ => BigRational::zero(),
        };
        self.inputs = elements.iter().map(|element| (*element, value(element))).collect();
        self.point = None;
        Ok(())
    }
}

pub(super) fn big(value: Small) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

/// Whether one of two values is infinite or not a number, for certain, and the other is not the same.
pub(super) fn unlike(values: [Quantity; 2]) -> bool {
    let beyond = |value: Quantity| {
        matches!(value, Quantity::Infinity | Quantity::MinusInfinity | Quantity::Pole | Quantity::NotANumber)
    };
    let [a, b] = values;
    // Floats are infinite where reals are large: that is the same overflow.
    let small =
        |value: Quantity| value.interval().is_some_and(|within| within.abs().high() <= f64::from(f32::MAX));
    let seen = |value: Quantity, other: Quantity| {
        beyond(value) || small(value) || other == Quantity::NotANumber && value.is_finite()
    };
    a != b && (beyond(a) || beyond(b)) && seen(a, b) && seen(b, a)
}

/// The ends of where a value is.
pub(super) fn ends(value: Quantity) -> (f64, f64) {
    match value {
        Quantity::Infinity => (f64::INFINITY, f64::INFINITY),
        Quantity::MinusInfinity => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        Quantity::NotANumber => (f64::NAN, f64::NAN),
        // ∞ or -∞.
        Quantity::Pole => (f64::NEG_INFINITY, f64::INFINITY),
        _ => value.interval().map_or((f64::NEG_INFINITY, f64::INFINITY), |i| (i.low(), i.high())),
    }
}

/// Both sides, ready to be evaluated at points.
struct Arena<'a> {
    budget: &'a Budget,
    cones: [Cone; 2],
    constants: [Vec<Quantity>; 2],
    /// Which terms went through formats without a place for large numbers.
    formats: [Option<Formats>; 2],
    /// The constants as the hardware computes them, where that is not for certain.
    as_computed: Option<[Vec<Quantity>; 2]>,
    /// The elements of either cone, ascending; points list values in this order.
    elements: Vec<u32>,
    /// Those of the question.
    all: &'a Elements,
    kinds: Vec<Kind>,
    /// Which of them occur on one side only.
    lone: Vec<bool>,
    /// Numbers that the terms compare with.
    thresholds: Vec<Small>,
    /// The pair is an output of the two kernels.
    outputs: bool,
    terms: [&'a Terms; 2],
    /// Every difference counts.
    whole: bool,
    ranks: FxHashMap<u32, u32>,
    scratch: Vec<Quantity>,
    steps: usize,
    /// Whether f32 has a place for both values of which the difference was asked last.
    fits: bool,
}

impl<'a> Arena<'a> {
    fn new(question: &Question<'a>, pair: (Term, Term), budget: &'a Budget) -> Result<Self, Exhausted> {
        let cones = [
            Cone::of(question.terms[0], &[pair.0], budget)?,
            Cone::of(question.terms[1], &[pair.1], budget)?,
        ];
        let mut elements = [cones[0].elements(), cones[1].elements()].concat();
        elements.sort_unstable();
        elements.dedup();
        let kind = |element: &u32| {
            question
                .elements
                .block_of(*element)
                .map_or(Kind::Float(Format::F64), |block| Kind::of(block.format))
        };
        let on = |side: usize, element: &u32| cones[side].elements().binary_search(element).is_ok();
        let lone = elements.iter().map(|element| on(0, element) != on(1, element)).collect();
        let constants = [question.meanings.enclosures(0), question.meanings.enclosures(1)];
        let as_computed = as_computed(&cones, question.meanings);
        Ok(Arena {
            budget,
            thresholds: thresholds(
                &cones,
                &[question.meanings.quantities(0), question.meanings.quantities(1)],
            ),
            whole: are_whole(&cones, &constants)
                || question.terms[0].is_integer(pair.0) && question.terms[1].is_integer(pair.1),
            outputs: question.outputs,
            all: question.elements,
            terms: question.terms,
            constants,
            formats: Formats::of(question.terms, &cones),
            as_computed,
            lone,
            kinds: elements.iter().map(kind).collect(),
            ranks: elements.iter().zip(0..).map(|(element, rank)| (*element, rank)).collect(),
            elements,
            cones,
            scratch: Vec::new(),
            steps: 0,
            fits: true,
        })
    }

    /// Whether the usual number of nodes has been evaluated.
    fn is_spent(&self) -> bool {
        self.steps > STEPS
    }

    fn values(&mut self, point: &[Small]) -> Result<[Quantity; 2], Exhausted> {
        self.values_with(point, false)
    }

    fn values_with(&mut self, point: &[Small], as_computed: bool) -> Result<[Quantity; 2], Exhausted> {
        let constants = self.as_computed.as_ref().filter(|_| as_computed).unwrap_or(&self.constants);
        let element = |element: u32| match self.ranks.get(&element) {
            Some(rank) => Quantity::Exact(point[*rank as usize]),
            None => Quantity::Unknown,
        };
        let mut values = [Quantity::Unknown; 2];
        for (side, value) in values.iter_mut().enumerate() {
            let domain = Reals { element: &element, constants: &constants[side] };
            *value = evaluate(&self.cones[side], &domain, self.budget, &mut self.scratch)?[0];
            self.steps += self.cones[side].steps().len() + 100;
        }
        Ok(values)
    }

    /// The values where large numbers are what the formats make of them that they go through, if they do.
    fn values_in_formats(&mut self, point: &[Small]) -> Result<Option<[Quantity; 2]>, Exhausted> {
        if self.formats.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut values = self.values(point)?;
        let element = |element: u32| match self.ranks.get(&element) {
            Some(rank) => Quantity::Exact(point[*rank as usize]),
            None => Quantity::Unknown,
        };
        for (side, value) in values.iter_mut().enumerate() {
            let Some(formats) = &self.formats[side] else { continue };
            let reals = Reals { element: &element, constants: &self.constants[side] };
            *value = formats.evaluate(&self.cones[side], &reals, self.budget, &mut self.scratch)?[0];
        }
        Ok(Some(values))
    }

    /// By what part of the larger side the two certainly differ; `None` where one has no value. They have to
    /// differ on the machine as well, where formats have no place for large numbers.
    fn difference(&mut self, point: &[Small]) -> Result<Option<f64>, Exhausted> {
        let values = self.values(point)?;
        if self.outputs && values.contains(&Quantity::Undefined) {
            self.fits = true;
            // Inputs that show two numbers tell more.
            return Ok(self.excluded_at(point)?.map(|_| CLEAR / 4.0));
        }
        self.fits = values.into_iter().all(has_place);
        let Some(difference) = self.apart(values).filter(|difference| *difference > 0.0) else {
            return Ok(self.apart(values));
        };
        match self.values_in_formats(point)? {
            Some(values) => Ok(self.apart(values).map(|other| other.min(difference))),
            None => Ok(Some(difference)),
        }
    }

    /// What the machine has where a side has no real value, if that tells the two apart.
    fn excluded_at(&mut self, point: &[Small]) -> Result<Option<Excluded>, Exhausted> {
        let element = |element: u32| match self.ranks.get(&element) {
            Some(rank) => Quantity::Exact(point[*rank as usize]),
            None => Quantity::Unknown,
        };
        let sides = Sides { terms: self.terms, cones: &self.cones, constants: &self.constants };
        sides.told_apart(&self.formats, &element, self.all, self.budget)
    }

    /// The same with constants as the hardware computes them, where that may make a difference.
    fn difference_as_computed(&mut self, point: &[Small]) -> Result<f64, Exhausted> {
        if self.as_computed.is_none() {
            return Ok(0.0);
        }
        let values = self.values_with(point, true)?;
        Ok(self.apart(values).unwrap_or(0.0))
    }

    fn apart(&self, values: [Quantity; 2]) -> Option<f64> {
        match values {
            [Quantity::Undefined | Quantity::Unknown, _] | [_, Quantity::Undefined | Quantity::Unknown] => {
                None
            }
            [a, b] if a == b => Some(0.0),
            // Inputs that show two numbers tell more.
            [a, b] if unlike([a, b]) => Some(CLEAR / 2.0),
            [Quantity::Exact(x), Quantity::Exact(y)] => {
                let (x, y) = (as_float(x), as_float(y));
                let difference = (x - y).abs() / x.abs().max(y.abs());
                Some(if self.whole { difference.max(CLEAR) } else { difference })
            }
            [a, b] if self.whole && a.order(b).is_ok_and(std::cmp::Ordering::is_ne) => Some(1.0),
            [a, b] => match (a.interval(), b.interval()) {
                (Some(a), Some(b)) if a.is_bounded() && b.is_bounded() => Some(a.gap(b)),
                (Some(_), Some(_)) => None,
                // One side is infinite, the other finite or infinite the other way. Floats are
                // infinite where reals are large: that is the same overflow.
                (Some(finite), None) | (None, Some(finite)) if finite.abs().high() > f64::from(f32::MAX) => {
                    None
                }
                _ => Some(1.0),
            },
        }
    }
}

/// Whether f32 has a place for a value, one of its smallest numbers at least.
fn has_place(value: Quantity) -> bool {
    let least = 2f64.powi(-149);
    value.interval().is_none_or(|within| {
        let size = within.abs().high();
        size == 0.0 || (least..=f64::from(f32::MAX)).contains(&size)
    })
}

/// The constants as the hardware computes them, if that is not for certain for one of those that occur.
pub(super) fn as_computed(cones: &[Cone; 2], meanings: &Meanings) -> Option<[Vec<Quantity>; 2]> {
    let any = !roughest(cones, meanings).is_empty();
    any.then(|| [meanings.quantities(0), meanings.quantities(1)])
}

/// Whether both sides are made of small whole constants by sums, products and choices alone, so that
/// nothing in them stands for something near it.
fn are_whole(cones: &[Cone; 2], constants: &[Vec<Quantity>; 2]) -> bool {
    cones.iter().zip(constants).all(|(cone, constants)| {
        let whole = |constant: &u32| match constants.get(*constant as usize) {
            Some(Quantity::Exact(value)) => value.is_integer() && value.numer().abs() <= UNROUNDED,
            _ => false,
        };
        let mut steps = cone.steps().iter();
        cone.constants().iter().all(whole)
            && steps.all(|step| {
                use Node::{Add, And, Compare, Element, Fma, Max, Min, Mul, Not, Or, Select, Sub};
                matches!(
                    step,
                    Element(_)
                        | Add(..)
                        | Sub(..)
                        | Mul(..)
                        | Fma(..)
                        | Max(..)
                        | Min(..)
                        | Select(..)
                        | Compare(..)
                        | And(..)
                        | Or(..)
                        | Not(_)
                )
            })
    })
}

fn as_float(value: Small) -> f64 {
    *value.numer() as f64 / *value.denom() as f64
}

/// Whether a value is the default of a witness.
fn is_zero(value: &Small) -> bool {
    *value == Ratio::zero()
}
