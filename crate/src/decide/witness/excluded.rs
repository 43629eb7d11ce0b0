//! Inputs at which one side has a value, and the other one divides by zero, or leaves the range of a root or a
//! logarithm.
//!
//! That no kernel does so is assumed where neither has asked. A kernel that guards its division is defined where
//! one that does not is infinite, or not a number: two outputs that people see.
//!
//! Guarantees: a difference is one on the machine; of two values that are both no numbers none is claimed.
//! Misses: values that only rounding keeps from being zero.

use super::{NOTICEABLE, plain, unlike};
use crate::base::{Budget, Exhausted};
use crate::term::eval::{Cone, Domain, Formats, Machine, Quantity, Reals, Seen, evaluate};
use crate::term::{Elements, Node, Term, Terms, Unary};
use std::cmp::Ordering;

/// What the machine has for both sides of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excluded([Seen; 2]);

/// Whether two values, of which a machine has one where reals have none, are certainly different.
pub(crate) fn are_unlike(values: [Quantity; 2]) -> bool {
    match values.map(|value| value.interval().filter(|interval| interval.is_bounded())) {
        [Some(a), Some(b)] => a.gap(b) > NOTICEABLE,
        [None, None] => false,
        _ => unlike(values),
    }
}

impl Excluded {
    /// Both values.
    pub(crate) fn values(&self) -> [Quantity; 2] {
        self.0.map(|seen| seen.value)
    }

    /// Whether they are certainly different, and the side that has a number does nothing that has no real result, or
    /// has asked: what a maximum makes of 0 / 0 is what nobody has asked for.
    pub(crate) fn differs(&self) -> bool {
        let [a, b] = &self.0;
        let clean = self.defined().map_or(a.is_clean() || b.is_clean(), |side| self.0[side].is_clean());
        clean && are_unlike(self.values())
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

    /// Whether the side that has a number leaves out what the other one does.
    pub(crate) fn is_avoided(&self) -> bool {
        self.defined().is_some_and(|side| self.0[side].avoids())
    }

    /// Whether one has no number there, and the other one leaves nothing out.
    pub(crate) fn is_assumed_away(&self) -> bool {
        !self.is_avoided() && !self.are_numbers()
    }

    /// What tells the two apart, in words; nothing if nobody does anything without a real result.
    pub(crate) fn sentence(&self) -> Option<String> {
        const NAMES: [&str; 2] = ["the reference", "the optimized kernel"];
        let does = |side: usize| Some((NAMES[side], self.0[side].done.words()?));
        match (does(0), does(1)) {
            (Some((_, what)), Some(_)) => {
                Some(format!("both kernels compute what has no real value at these inputs: one {what}"))
            }
            (Some((name, what)), None) => {
                Some(format!("{name} {what} at these inputs, and {} does not", NAMES[1]))
            }
            (None, Some((name, what))) => {
                Some(format!("{name} {what} at these inputs, and {} does not", NAMES[0]))
            }
            (None, None) => None,
        }
    }
}

/// Ways that choices go: the first branch, or what is limited is larger, or is positive; the other.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
/// Plain points at which is looked which ways choices usually go.
const PLAIN: u64 = 4;

/// Both sides of pairs: stores, cones of their roots, and what constants are.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) terms: [&'a Terms; 2],
    pub(crate) cones: &'a [Cone; 2],
    pub(crate) constants: &'a [Vec<Quantity>; 2],
}

impl Sides<'_> {
    /// What the machine has for each pair of roots, if that is certain of both sides: what overflows on the way shows
    /// nothing.
    pub(crate) fn where_excluded(
        &self,
        formats: &[Option<Formats>; 2],
        element: &dyn Fn(u32) -> Quantity,
        budget: &Budget,
    ) -> Result<Vec<Option<Excluded>>, Exhausted> {
        let seen = |side: usize| {
            let (cone, constants) = (&self.cones[side], &self.constants[side]);
            let machine = Machine { reals: Reals { element, constants }, terms: self.terms[side] };
            let seen = evaluate(cone, &machine, budget, &mut Vec::new())?;
            let held = match &formats[side] {
                Some(formats) => Some(formats.evaluate(cone, &machine.reals, budget, &mut Vec::new())?),
                None => None,
            };
            let certain = |(at, seen): (usize, Seen)| {
                let held = held.as_ref().map_or(seen.value, |held| held[at]);
                (!seen.value.is_finite() || held == seen.value).then_some(seen)
            };
            Ok::<Vec<Option<Seen>>, Exhausted>(seen.into_iter().enumerate().map(certain).collect())
        };
        let both = seen(0)?.into_iter().zip(seen(1)?);
        Ok(both.map(|(reference, optimized)| Some(Excluded([reference?, optimized?]))).collect())
    }

    /// What the machine has for the only pair, if that tells its sides apart and no assumption leaves these inputs out: one
    /// does where a kernel divides, or takes a root or logarithm, without having asked, and the other has not asked
    /// either.
    pub(crate) fn told_apart(
        &self,
        formats: &[Option<Formats>; 2],
        element: &dyn Fn(u32) -> Quantity,
        elements: &Elements,
        budget: &Budget,
    ) -> Result<Option<Excluded>, Exhausted> {
        let found = self.where_excluded(formats, element, budget)?.into_iter().next().flatten();
        let Some(found) = found.filter(Excluded::differs) else { return Ok(None) };
        let counts = !found.is_assumed_away() || self.is_asked_about(element, elements, budget)?;
        Ok(counts.then_some(found))
    }

    /// Whether a choice goes a way at some inputs that it goes at none of a few plain ones where both sides are numbers;
    /// or there are no such.
    fn is_asked_about(
        &self,
        element: &dyn Fn(u32) -> Quantity,
        elements: &Elements,
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let both = |element: &dyn Fn(u32) -> Quantity| {
            let [(a, mut ways), (b, other)] =
                [self.ways(0, element, budget)?, self.ways(1, element, budget)?];
            ways.extend(other);
            Ok::<_, Exhausted>((a.is_finite() && b.is_finite(), ways))
        };
        let there = both(element)?.1;
        let mut usual: Option<Vec<u8>> = None;
        for point in 1..=PLAIN {
            let (numbers, ways) = both(&|element: u32| plain(elements, point, element))?;
            if numbers {
                let before = usual.get_or_insert_with(|| vec![0; ways.len()]);
                before.iter_mut().zip(ways).for_each(|(before, way)| *before |= way);
            }
        }
        Ok(usual.is_none_or(|usual| there.iter().zip(usual).any(|(there, usual)| there & !usual != 0)))
    }

    /// The value of a side, and which ways its choices go.
    fn ways(
        &self,
        side: usize,
        element: &dyn Fn(u32) -> Quantity,
        budget: &Budget,
    ) -> Result<(Quantity, Vec<u8>), Exhausted> {
        let cone = &self.cones[side];
        let reals = Reals { element, constants: &self.constants[side] };
        let mut values = Vec::new();
        let root = evaluate(cone, &reals, budget, &mut values)?[0];
        let of = |term: Term| match (term.as_node(), term.as_element()) {
            (Some(step), _) => values[step],
            (_, Some(element)) => reals.element(element),
            _ => reals.constant(term.as_constant().unwrap_or(0)),
        };
        let known = |term: Term| term.as_constant().is_some();
        let sign = |order| match order {
            Ok(Ordering::Greater) => FIRST,
            Ok(Ordering::Less) => SECOND,
            _ => 0,
        };
        let way = |step: &Node| match *step {
            Node::Select(condition, ..) => match of(condition) {
                Quantity::Condition(holds) => [SECOND, FIRST][usize::from(holds)],
                _ => 0,
            },
            // A limit, or the size of something.
            Node::Max(a, b) | Node::Min(a, b) if known(a) || known(b) => sign(of(a).order(of(b))),
            Node::Unary(Unary::Abs, a) => sign(of(a).order(Quantity::ZERO)),
            _ => 0,
        };
        Ok((root, cone.steps().iter().map(way).collect()))
    }
}
