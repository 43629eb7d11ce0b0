//! Conditions as Boolean functions, and what a Boolean function weighs.
//!
//! A class of numbers has two variables, "positive" and "not positive but negative", so that no
//! function asks for both; any other condition is a variable by its residue. A function's weight is
//! its multilinear form at the residues of the conditions: 1 where it holds and 0 where not, whatever
//! the input, and one residue for one function.

use super::atoms::{Atoms, Member};
use super::demands::ALL;
use super::field::Residue;
use super::lattice::{How, Lattice, Place};
use super::value::{Sign, Value};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Conditions {
    pub(super) places: Lattice,
    classes: FxHashMap<u32, u32>,
    others: FxHashMap<Residue, u32>,
    /// What each variable weighs.
    variables: Vec<Value>,
    /// What each function weighs.
    weights: Vec<Value>,
}

impl Conditions {
    /// How many variables were told apart.
    pub(super) fn count(&self) -> usize {
        self.variables.len()
    }
}

impl Atoms {
    /// Where a number of a class is positive.
    pub(super) fn place_above(&mut self, member: Member) -> Option<Place> {
        let next = self.conditions.variables.len() as u32;
        let first = *self.conditions.classes.entry(member.class).or_insert(next);
        if first == next {
            let [above, below] =
                [1, -1].map(|side| self.is_above(Member { class: member.class, ratio: (side, 1) }, ALL));
            let rest = Value::ONE.minus(above, ALL).inverse(ALL);
            self.conditions.variables.extend([below.times(rest, ALL), above]);
        }
        let places = &mut self.conditions.places;
        if member.ratio.0 > 0 {
            return places.fork(first + 1, Place::NEVER, Place::ALWAYS);
        }
        let below = places.fork(first, Place::NEVER, Place::ALWAYS)?;
        places.fork(first + 1, below, Place::NEVER)
    }

    /// Where any other condition holds.
    pub(super) fn place_of(&mut self, holds: Value) -> Option<Place> {
        let next = self.conditions.variables.len() as u32;
        let own = *self.conditions.others.entry(holds.at[0]).or_insert(next);
        if own == next {
            self.conditions.variables.push(holds);
        }
        self.conditions.places.fork(own, Place::NEVER, Place::ALWAYS)
    }

    pub(super) fn both(&mut self, a: Place, b: Place) -> Option<Place> {
        self.conditions.places.combine(How::Both, a, b)
    }

    pub(super) fn either(&mut self, a: Place, b: Place) -> Option<Place> {
        self.conditions.places.combine(How::Either, a, b)
    }

    pub(super) fn without(&mut self, a: Place, b: Place) -> Option<Place> {
        self.conditions.places.combine(How::Without, a, b)
    }

    /// 1 where a function holds, and 0 elsewhere.
    pub(super) fn weight(&mut self, place: Place) -> Value {
        let Conditions { places, variables, weights, .. } = &mut self.conditions;
        if weights.is_empty() {
            weights.extend([Value::ZERO, Value::ONE]);
        }
        if place.number() as usize >= weights.len() {
            for (asked, [below, above]) in places.forks(weights.len() - 2) {
                let (below, above) = (weights[below], weights[above]);
                let gain = variables[asked as usize].times(above.minus(below, ALL), ALL);
                let weight = below.plus(gain, ALL).with_sign(Sign::NOT_NEGATIVE);
                weights.push(Value { chosen: true, ..weight });
            }
        }
        weights[place.number() as usize]
    }
}
