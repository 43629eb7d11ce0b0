//! Atoms: free variables for what is no sum, product, quotient or exponential.
//!
//! An atom is known by a key, and two atoms with one key are one. Keys are made of residues of
//! arguments in all lanes: arguments that are the same function have the same residues, so what is
//! one function of them gets one atom, whichever kernel it comes from.
//!
//! Numbers that differ by a rational factor belong to one *class*: for them `max(c·d, 0)` is
//! `c·max(d, 0)`, `[c·d > 0]` is `[d > 0]` and `√(c·d)` is `√c·√d`, with signs minded. The class is
//! found by the ratios of the residues between lanes, which a common factor does not change, and the
//! factor by writing the ratio to the first member as a small fraction, the same in all lanes and
//! modulo all three primes (modulo one, √2 or a large fraction may look like a small one, of either
//! sign).

use super::conditions::Conditions;
use super::constants::{ATOM, NEGATIVE, POSITIVE};
use super::demands::ALL;
use super::field::{self, LANES, LEVELS, Residue, ZERO};
use super::lattice::{Key, Lattice, Place};
use super::products::Bases;
use super::roots::Roots;
use super::sets::{Set, Sets};
use super::value::{Kind, Levels, Sign, Value, by_level};
use super::walk::worlds::Border;
use rustc_hash::{FxHashMap, FxHashSet};

/// A number's class, and its ratio to the class's first member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) class: u32,
    pub(super) ratio: (i64, i64),
}

/// What a residue says of a number's sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Classified {
    /// A rational constant of that sign.
    Constant(i64),
    Member(Member),
}

/// What relates a choice by the sign of d to max(d, 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Nothing: each is a variable.
    Apart,
    /// max(d, 0) = q·d, where q is 1 if d > 0 and 0 if d < 0 (see `walk/orders`).
    Linked,
    /// The same, and choices that are maxima of minima are known as such (`walk/exchanges`).
    Exchanged,
    /// The same, and what several comparisons choose is known by orders of candidates (`walk/ranks`).
    Ranked,
}

pub(super) struct Atoms {
    pub(super) seed: [u64; 2],
    pub(super) way: Way,
    keys: FxHashMap<Box<[u64]>, u32>,
    classes: FxHashMap<Residue, Vec<u32>>,
    /// The first member of each class.
    first: Vec<[Residue; LEVELS]>,
    /// Candidates of maxima, by their residues.
    candidates: FxHashMap<(Residue, Place), u32>,
    values: Vec<(Value, Levels)>,
    /// Where each of them is there.
    present: Vec<Place>,
    /// Candidates that are each other's negatives.
    opposites: FxHashMap<u32, u32>,
    /// Sets with a magnitude among their candidates, as far as that was seen.
    never_negative: FxHashSet<Set>,
    /// For `Way::Linked`, by class: 1 where its first member is positive, 0 where that is negative.
    shares: FxHashMap<u32, Value>,
    /// Choices by the sign of a class's first member: what is chosen above, below and at the border.
    pub(super) choices: FxHashMap<(u32, [Residue; 2], Border), (Value, Levels)>,
    /// Where something is chosen, by a candidate and a function of what stands beside it.
    indicators: FxHashMap<Key, Value>,
    /// Conditions that are no comparisons of candidates, by their residues.
    apart: FxHashMap<Residue, u32>,
    pub(super) sets: Sets,
    pub(super) lattice: Lattice,
    pub(super) conditions: Conditions,
    pub(super) bases: Bases,
    pub(super) roots: Roots,
}

impl Atoms {
    pub(super) fn new(seed: [u64; 2], way: Way) -> Atoms {
        Atoms {
            seed,
            way,
            keys: FxHashMap::default(),
            classes: FxHashMap::default(),
            first: Vec::new(),
            candidates: FxHashMap::default(),
            values: Vec::new(),
            present: Vec::new(),
            opposites: FxHashMap::default(),
            never_negative: FxHashSet::default(),
            shares: FxHashMap::default(),
            choices: FxHashMap::default(),
            indicators: FxHashMap::default(),
            apart: FxHashMap::default(),
            sets: Sets::default(),
            lattice: match way {
                Way::Exchanged | Way::Ranked => Lattice::hurried(),
                Way::Apart | Way::Linked => Lattice::default(),
            },
            conditions: Conditions::default(),
            bases: Bases::default(),
            roots: Roots::new(seed),
        }
    }

    fn free(&self, levels: Levels, name: u64) -> Value {
        let at = by_level!(levels, L => field::random_residue(self.seed, L, name));
        Value::unknown(at, field::random_real(self.seed, name))
    }

    /// How many keys were told apart.
    pub(super) fn count(&self) -> usize {
        self.keys.len()
            + self.apart.len()
            + self.first.len()
            + self.values.len()
            + self.bases.count()
            + self.roots.count()
    }

    /// The free variable with a key.
    pub(super) fn atom(&mut self, levels: Levels, key: Vec<u64>) -> Value {
        let next = self.keys.len() as u32;
        let id = *self.keys.entry(key.into_boxed_slice()).or_insert(next);
        self.free(levels, ATOM | u64::from(id))
    }

    /// The class of a number; `None` if a residue is 0 by chance.
    pub(super) fn classify(&mut self, number: &[Residue; LEVELS]) -> Option<Classified> {
        if number[0] == ZERO {
            return Some(Classified::Constant(0));
        }
        if let Some((above, _)) = field::rational(number) {
            return Some(Classified::Constant(above.signum()));
        }
        // Every lane over the first.
        let inverse = field::invert(0, [number[0][0]; LANES])?;
        let ratios = field::multiply(0, number[0], inverse);
        let known = self.classes.entry(ratios).or_default();
        for class in known.iter() {
            let mut turned = [ZERO; LEVELS];
            for (level, turned) in turned.iter_mut().enumerate() {
                let first = field::invert(level, self.first[*class as usize][level])?;
                *turned = field::multiply(level, number[level], first);
            }
            if let Some(ratio) = field::rational(&turned) {
                return Some(Classified::Member(Member { class: *class, ratio }));
            }
        }
        let class = self.first.len() as u32;
        known.push(class);
        self.first.push(*number);
        Some(Classified::Member(Member { class, ratio: (1, 1) }))
    }

    /// `|number|` of a number of a class: a root of its square.
    pub(super) fn magnitude(&mut self, member: Member, levels: Levels) -> Value {
        let first = Value::unknown(self.first[member.class as usize], 0.0);
        let size = self.roots.magnitude(member.class, first, levels);
        let Some(factor) = Value::ONE.scaled((member.ratio.0.abs(), member.ratio.1), 7).checked() else {
            return Value::LOST;
        };
        Value { sign: Sign::NOT_NEGATIVE, ..self.roots.times(size, factor, levels) }
    }

    /// `max(number, 0) = (number + |number|) / 2` of a number of a class. It does not carry the root: a sum of
    /// thousands of these is an ordinary one.
    pub(super) fn above_zero(&mut self, member: Member, number: Value, levels: Levels) -> Value {
        if self.way != Way::Apart {
            return self.share(member).times(number, levels).with_sign(Sign::NOT_NEGATIVE);
        }
        let twice = number.plus(self.magnitude(member, levels), levels);
        twice.scaled((1, 2), levels).with_sign(Sign::NOT_NEGATIVE)
    }

    /// `[number > 0]` of a number of a class.
    pub(super) fn is_above(&mut self, member: Member, levels: Levels) -> Value {
        if self.way != Way::Apart {
            let apart = Value::ONE.minus(self.is_border(member.class), ALL);
            return self.share(member).times(apart, levels).with_sign(Sign::NOT_NEGATIVE);
        }
        let side = if member.ratio.0 > 0 { POSITIVE } else { NEGATIVE };
        let condition = self.free(levels, side | u64::from(member.class));
        Value { chosen: true, ..condition.with_sign(Sign::NOT_NEGATIVE) }
    }

    /// For a number of a class: 1 where it is positive, 0 where it is negative, and unknown where it is 0.
    pub(super) fn share(&mut self, member: Member) -> Value {
        let free = self.free(ALL, POSITIVE | u64::from(member.class));
        let free = Value { chosen: true, ..free.with_sign(Sign::NOT_NEGATIVE) };
        let share = *self.shares.entry(member.class).or_insert(free);
        if member.ratio.0 > 0 { share } else { Value::ONE.minus(share, ALL).with_sign(Sign::NOT_NEGATIVE) }
    }

    /// Says what [`Atoms::share`] is, unless that was asked before.
    pub(super) fn set_share(&mut self, member: Member, share: Value) {
        let share = if member.ratio.0 > 0 { share } else { Value::ONE.minus(share, ALL) };
        let share = Value { chosen: true, parts: 0, ..share.with_sign(Sign::NOT_NEGATIVE) };
        self.shares.entry(member.class).or_insert(share);
    }

    pub(super) fn has_share(&self, class: u32) -> bool {
        self.shares.contains_key(&class)
    }

    /// `[number = 0]` of a number of a class, for `Way::Linked`.
    pub(super) fn is_border(&self, class: u32) -> Value {
        let border = self.free(ALL, NEGATIVE | u64::from(class));
        Value { chosen: true, ..border.with_sign(Sign::NOT_NEGATIVE) }
    }

    /// The first member of a class, which has residues at all levels.
    pub(super) fn first(&self, class: u32) -> [Residue; LEVELS] {
        self.first[class as usize]
    }

    /// A set of one candidate of a maximum.
    pub(super) fn candidate(&mut self, value: Value, levels: Levels) -> Set {
        self.candidate_where(Place::ALWAYS, value, levels)
    }

    /// The same of a candidate that there is only where a condition holds.
    pub(super) fn candidate_where(&mut self, place: Place, value: Value, levels: Levels) -> Set {
        let next = self.values.len() as u32;
        let id = *self.candidates.entry((value.at[0], place)).or_insert(next);
        if id == next {
            self.present.push(place);
            self.values.push((value, levels));
            let opposite = (value.negated(1).at[0], place);
            if let Some(opposite) = self.candidates.get(&opposite).copied().filter(|other| *other != id) {
                self.opposites.extend([(id, opposite), (opposite, id)]);
            }
        } else {
            let (known, have) = &mut self.values[id as usize];
            for level in (0..LEVELS).filter(|level| (levels & !*have) >> level & 1 == 1) {
                known.at[level] = value.at[level];
            }
            *have |= levels;
        }
        self.sets.of(id)
    }

    /// A set of one candidate that is a magnitude.
    pub(super) fn magnitude_alone(&mut self, value: Value, levels: Levels) -> Set {
        let set = self.candidate(value, levels);
        self.never_negative.insert(set);
        set
    }

    /// The candidates of two maxima together, which are always there: a number and its negative are its
    /// magnitude, and beside that 0 is none.
    pub(super) fn together(&mut self, a: Set, b: Set, levels: Levels) -> Set {
        let mut all = self.sets.union(a, b);
        if !self.opposites.is_empty() {
            let few = if self.sets.len(a) < self.sets.len(b) { a } else { b };
            for member in self.sets.members(few) {
                let Some(opposite) = self.opposites.get(&member).copied() else { continue };
                if !(self.sets.contains(all, member) && self.sets.contains(all, opposite)) {
                    continue;
                }
                let Some(size) = self.size_of(member, levels) else { continue };
                let size = self.magnitude_alone(size, levels);
                let rest = self.sets.without(all, member);
                let rest = rest.and_then(|rest| self.sets.without(rest, opposite));
                all = rest.map_or(size, |rest| self.sets.union(rest, size));
                self.never_negative.insert(all);
            }
        }
        if self.never_negative.contains(&a) || self.never_negative.contains(&b) {
            self.never_negative.insert(all);
        }
        let zero = self.candidates.get(&(ZERO, Place::ALWAYS)).copied();
        if let Some(zero) = zero.filter(|_| self.never_negative.contains(&all))
            && let Some(rest) = self.sets.without(all, zero)
        {
            all = rest;
            self.never_negative.insert(all);
        }
        all
    }

    /// The magnitude of a candidate.
    fn size_of(&mut self, candidate: u32, levels: Levels) -> Option<Value> {
        let (value, have) = self.values[candidate as usize];
        match self.classify(&value.at).filter(|_| have == ALL)? {
            Classified::Member(member) => self.magnitude(member, levels).checked(),
            Classified::Constant(_) => None,
        }
    }

    /// The maximum of a set of candidates, which have residues at those levels.
    pub(super) fn maximum(&mut self, set: Set, levels: Levels) -> Value {
        match self.sets.len(set) {
            1 => self.values[self.sets.members(set)[0] as usize].0,
            2 if !self.absent_in(set) => {
                let members = self.sets.members(set);
                let [a, b] = [0, 1].map(|at| self.values[members[at] as usize].0);
                self.larger(a, b, levels)
            }
            _ => {
                let value = self.free(levels, ATOM | 1 << 36 | u64::from(set.number()));
                Value { chosen: self.way != Way::Apart, ..value }
            }
        }
    }

    /// Whether some candidate is there in some places only.
    pub(super) fn absent_in(&self, set: Set) -> bool {
        self.sets.members(set).iter().any(|member| self.present[*member as usize] != Place::ALWAYS)
    }

    /// The candidates of one set where a condition holds, and of the other elsewhere.
    pub(super) fn set_where(&mut self, place: Place, sets: [Option<Set>; 2]) -> Option<Set> {
        let (mut all, own) = match sets {
            [Some(one), Some(two)] => self.sets.apart(one, two),
            _ => (None, sets.map(|set| set.map_or(Vec::new(), |set| self.sets.members(set)))),
        };
        // What is there in different places is one candidate.
        let mut found: Vec<(Residue, u32, Place)> = Vec::new();
        for (members, first) in own.into_iter().zip([true, false]) {
            for member in members {
                let present = self.present[member as usize];
                let at = if first { self.both(present, place)? } else { self.without(present, place)? };
                found.push((self.values[member as usize].0.at[0], member, at));
            }
        }
        found.sort_by_key(|(residue, member, _)| (*residue, *member));
        let mut next = found.into_iter().peekable();
        while let Some((residue, member, mut at)) = next.next() {
            while let Some((_, _, other)) = next.next_if(|other| other.0 == residue) {
                at = self.either(at, other)?;
            }
            if at == Place::NEVER {
                continue;
            }
            let (value, levels) = self.values[member as usize];
            let set = self.candidate_where(at, value, levels);
            all = Some(all.map_or(set, |all| self.sets.union(all, set)));
        }
        all
    }

    /// The value of a candidate.
    pub(super) fn value_of(&self, candidate: u32) -> Value {
        self.values[candidate as usize].0
    }

    /// What maxima and minima make of candidates, if it is neither.
    pub(super) fn between(&self, place: Place) -> Value {
        let value = self.free(ALL, ATOM | 1 << 37 | u64::from(place.number()));
        Value { chosen: true, ..value }
    }

    /// 1 where something is chosen, of which each of the keys says where that is, and 0 elsewhere, if that
    /// is known.
    pub(super) fn known_indicator(&self, keys: &[Key]) -> Option<Value> {
        keys.iter().find_map(|key| match key.place {
            Place::NEVER => Some(Value::ZERO),
            Place::ALWAYS => Some(Value::ONE),
            _ => self.indicators.get(key).copied(),
        })
    }

    /// The same; what is not known yet is a free variable.
    pub(super) fn indicator(&mut self, keys: &[Key]) -> Value {
        let next = self.free(ALL, ATOM | 1 << 38 | self.indicators.len() as u64);
        let value = self.known_indicator(keys).unwrap_or(next);
        self.set_indicator(keys, value);
        value
    }

    pub(super) fn set_indicator(&mut self, keys: &[Key], value: Value) {
        let value = Value { chosen: true, parts: 0, ..value.with_sign(Sign::NOT_NEGATIVE) };
        for key in keys {
            self.indicators.entry(*key).or_insert(value);
        }
    }

    /// A condition that is no comparison of candidates.
    pub(super) fn apart(&mut self, holds: &Value) -> Option<Place> {
        let next = self.apart.len() as u32;
        let number = *self.apart.entry(holds.at[0]).or_insert(next);
        self.lattice.apart(number)
    }

    /// `max(a, b)`, at all levels.
    fn larger(&mut self, a: Value, b: Value, levels: Levels) -> Value {
        let difference = a.minus(b, levels);
        match self.classify(&difference.at) {
            None => Value::LOST,
            Some(Classified::Constant(sign)) => {
                if sign > 0 {
                    a
                } else {
                    b
                }
            }
            Some(Classified::Member(member)) => {
                let gain = self.above_zero(member, difference, levels);
                Value { kind: Kind::Finite, ..b.plus(gain, levels) }
            }
        }
    }
}
