//! Maxima of minima and minima of maxima: sorting networks, medians, clamps (see `lattice`).
//!
//! What is a maximum alone, or a minimum, stays a set of candidates; only where both meet are
//! functions of thresholds built.

use super::*;

impl Walk<'_> {
    /// The larger or smaller of two of which one is made by the other operation.
    pub(super) fn network(&mut self, own: Term, operands: [Term; 2], largest: bool) -> Option<Value> {
        if self.atoms.way == Way::Apart {
            return None;
        }
        let contrary = if largest { &self.smallest } else { &self.largest };
        let sets = &self.atoms.sets;
        let mixed = |term: &Term| {
            self.places.contains_key(term) || contrary.get(term).is_some_and(|set| sets.len(*set) > 1)
        };
        if !operands.iter().any(mixed) {
            return None;
        }
        let values = operands.map(|operand| self.get(operand, ALL));
        if !values.iter().all(Value::is_finite) {
            return None;
        }
        let [one, two] = operands.map(|operand| self.place(operand));
        let place = self.atoms.lattice.join(largest, one?, two?)?;
        let signs = values.map(|value| if largest { value.sign } else { value.sign.negated() });
        let sign = Sign {
            not_negative: signs.iter().any(|sign| sign.not_negative),
            not_positive: signs.iter().all(|sign| sign.not_positive),
            not_zero: signs.iter().any(|sign| sign.is_positive()) || signs.iter().all(|sign| sign.not_zero),
        };
        let sign = if largest { sign } else { sign.negated() };
        Some(self.known_by(own, place)?.with_sign(sign))
    }

    /// The value of a step that is known by a function of thresholds.
    pub(super) fn known_by(&mut self, own: Term, place: Place) -> Option<Value> {
        // One of the candidates, or a maximum or minimum alone after all.
        for up in [true, false] {
            let Some(members) = self.atoms.lattice.plain(place, up) else { continue };
            let mut all: Option<Set> = None;
            for member in members {
                let value = self.atoms.value_of(member);
                let set = self.atoms.candidate(if up { value } else { value.negated(ALL) }, ALL);
                all = Some(all.map_or(set, |all| self.atoms.sets.union(all, set)));
            }
            let set = all?;
            if up { &mut self.largest } else { &mut self.smallest }.insert(own, set);
            let value = self.atoms.maximum(set, ALL);
            return Some(if up { value } else { value.negated(ALL) });
        }
        self.places.insert(own, place);
        Some(self.atoms.between(place))
    }

    pub(super) fn place(&mut self, term: Term) -> Option<Place> {
        if let Some(place) = self.places.get(&term) {
            return Some(*place);
        }
        for largest in [true, false] {
            let known = if largest { &self.largest } else { &self.smallest };
            let Some(set) = known.get(&term).copied() else { continue };
            // Candidates that there are not always are none of thresholds alone.
            if self.atoms.absent_in(set) {
                break;
            }
            let mut all: Option<Place> = None;
            for member in self.atoms.sets.members(set) {
                let value = self.atoms.value_of(member);
                let own = self.candidate_of(if largest { value } else { value.negated(ALL) });
                let place = self.atoms.lattice.of(own)?;
                all = Some(match all {
                    None => place,
                    Some(all) => self.atoms.lattice.join(largest, all, place)?,
                });
            }
            return all;
        }
        let value = self.get(term, ALL);
        let own = self.candidate_of(value);
        self.atoms.lattice.of(own)
    }

    /// The number of a candidate.
    pub(super) fn candidate_of(&mut self, value: Value) -> u32 {
        self.key_degree = self.key_degree.max(2.0 * (value.degree[0] + value.degree[1]));
        let set = self.atoms.candidate(value, ALL);
        self.atoms.sets.members(set)[0]
    }
}
