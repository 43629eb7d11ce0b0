//! Mixed maxima and minima of candidates, each kept once.
//!
//! What maxima and minima make of candidates is known by the thresholds that it exceeds: it is above t
//! if and only if a monotone function of "candidate i is above t" holds, where a maximum is an *or*
//! and a minimum an *and*. Two such expressions are one value for all candidates if and only if the
//! functions are one (the principle of zeros and ones), and a function has one reduced ordered
//! decision diagram. The candidate met last is asked first: an element inserted into a sorted row
//! adds one node to each place of it.
//!
//! Guarantees: expressions with one number are equal for all values of the candidates.
//! Misses: what needs more than [`MOST`] nodes or [`STEPS`] steps, and that sums of several may be equal.
//! Source: Knuth, *The Art of Computer Programming* 3, §5.3.4, Theorem Z; Bryant 1986.

use rustc_hash::FxHashMap;

/// Nodes that are kept.
const MOST: usize = 1 << 20;
/// Steps that all functions together may take.
const STEPS: u32 = 1 << 23;

/// Variables that are no candidates: "at least" and "above" a candidate, and other conditions.
const SIDES: u32 = 1 << 30;
const APART: u32 = 1 << 31;

/// A function of candidates, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const NEVER: Place = Place(0);
    pub(super) const ALWAYS: Place = Place(1);

    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// What candidates are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Beside {
    /// Each other, where all of them are 0 or 1.
    Bits,
    /// The largest of them, or the smallest.
    Top,
    Bottom,
    One(u32),
}

/// Where something is chosen, by the states of candidates beside one, which is the largest or smallest
/// `among` some.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) at: Beside,
    pub(super) among: Place,
    pub(super) place: Place,
}

/// How two functions are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum How {
    Either,
    Both,
    /// The first and not the second.
    Without,
}

/// Candidates by number: what follows if it is not above the threshold, and if it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Fork {
    candidate: u32,
    below: Place,
    above: Place,
}

#[derive(Default)]
pub(super) struct Lattice {
    /// Steps taken.
    steps: u32,
    forks: Vec<Fork>,
    known: FxHashMap<Fork, Place>,
    joined: FxHashMap<(How, Place, Place), Place>,
}

impl Lattice {
    pub(super) fn fork(&mut self, candidate: u32, below: Place, above: Place) -> Option<Place> {
        if below == above {
            return Some(below);
        }
        let fork = Fork { candidate, below, above };
        if let Some(known) = self.known.get(&fork) {
            return Some(*known);
        }
        if self.forks.len() >= MOST {
            return None;
        }
        self.forks.push(fork);
        let place = Place(self.forks.len() as u32 + 1);
        self.known.insert(fork, place);
        Some(place)
    }

    fn at(&self, place: Place) -> Option<Fork> {
        self.forks.get((place.0 as usize).checked_sub(2)?).copied()
    }

    pub(super) fn of(&mut self, candidate: u32) -> Option<Place> {
        self.fork(candidate, Place::NEVER, Place::ALWAYS)
    }

    /// The larger or smaller of two: either function holds, or both do.
    pub(super) fn join(&mut self, largest: bool, a: Place, b: Place) -> Option<Place> {
        self.combine(if largest { How::Either } else { How::Both }, a, b)
    }

    /// No recursion: diagrams may be as deep as there are candidates.
    pub(super) fn combine(&mut self, how: How, a: Place, b: Place) -> Option<Place> {
        let simple = |a: Place, b: Place| match (how, a, b) {
            (How::Either, Place::ALWAYS, _) | (How::Either, _, Place::ALWAYS) => Some(Place::ALWAYS),
            (How::Either, Place::NEVER, other) | (How::Either, other, Place::NEVER) => Some(other),
            (How::Both, Place::NEVER, _) | (How::Both, _, Place::NEVER) => Some(Place::NEVER),
            (How::Both, Place::ALWAYS, other) | (How::Both, other, Place::ALWAYS) => Some(other),
            (How::Without, Place::NEVER, _) | (How::Without, _, Place::ALWAYS) => Some(Place::NEVER),
            (How::Without, other, Place::NEVER) => Some(other),
            (How::Without, ..) if a == b => Some(Place::NEVER),
            (How::Either | How::Both, ..) if a == b => Some(a),
            _ => None,
        };
        let key = |a: Place, b: Place| match how {
            How::Without => (how, a, b),
            How::Either | How::Both => (how, a.min(b), a.max(b)),
        };
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.last().copied() {
            self.steps += 1;
            if self.steps > STEPS {
                self.steps = STEPS;
                return None;
            }
            if simple(a, b).is_some() || self.joined.contains_key(&key(a, b)) {
                open.pop();
                continue;
            }
            let forks = [self.at(a), self.at(b)];
            let candidate = forks.iter().flatten().map(|fork| fork.candidate).max()?;
            let part = |fork: Option<Fork>, own: Place| match fork {
                Some(fork) if fork.candidate == candidate => [fork.below, fork.above],
                _ => [own; 2],
            };
            let (x, y) = (part(forks[0], a), part(forks[1], b));
            let found = [0, 1]
                .map(|at| simple(x[at], y[at]).or_else(|| self.joined.get(&key(x[at], y[at])).copied()));
            if let [Some(below), Some(above)] = found {
                let place = self.fork(candidate, below, above)?;
                self.joined.insert(key(a, b), place);
                open.pop();
            } else {
                open.extend([0, 1].into_iter().filter(|at| found[*at].is_none()).map(|at| (x[at], y[at])));
            }
        }
        simple(a, b).or_else(|| self.joined.get(&key(a, b)).copied())
    }

    /// One that may take a fraction of the steps.
    pub(super) fn hurried() -> Lattice {
        Lattice { steps: STEPS - STEPS / 8, ..Lattice::default() }
    }

    /// Whether it has taken all steps that it may.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps >= STEPS
    }

    /// A function made anew from its forks, those that are asked last first.
    fn rebuilt(
        &mut self,
        place: Place,
        mut make: impl FnMut(&mut Lattice, u32, Place, Place) -> Option<Place>,
    ) -> Option<Place> {
        let mut seen = self.reached(place);
        // What a fork leads to is older than it.
        seen.sort_unstable();
        let mut made: FxHashMap<Place, Place> = FxHashMap::default();
        for own in seen {
            self.steps += 1;
            if self.steps > STEPS {
                self.steps = STEPS;
                return None;
            }
            let Fork { candidate, below, above } = self.at(own)?;
            let [below, above] = [below, above].map(|part| made.get(&part).copied().unwrap_or(part));
            let new = make(self, candidate, below, above)?;
            made.insert(own, new);
        }
        Some(made.get(&place).copied().unwrap_or(place))
    }

    fn reached(&self, place: Place) -> Vec<Place> {
        let (mut open, mut seen) = (vec![place], FxHashMap::default());
        while let Some(place) = open.pop() {
            if let Some(fork) = self.at(place)
                && seen.insert(place, ()).is_none()
            {
                open.extend([fork.below, fork.above]);
            }
        }
        seen.into_keys().collect()
    }

    /// The candidates that a function asks for, ascending.
    pub(super) fn support(&self, place: Place) -> Vec<u32> {
        let mut asked: Vec<u32> =
            self.reached(place).into_iter().filter_map(|own| Some(self.at(own)?.candidate)).collect();
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Where a function holds with the same or fewer candidates above the threshold (or, contrary, the
    /// same or more): at a threshold that is not lower (not higher).
    pub(super) fn reachable(&mut self, place: Place, contrary: bool) -> Option<Place> {
        self.rebuilt(place, |lattice, candidate, below, above| {
            let either = lattice.combine(How::Either, below, above)?;
            let (below, above) = if contrary { (either, above) } else { (below, either) };
            lattice.fork(candidate, below, above)
        })
    }

    /// Where what is known by `place` is at least a threshold, and where it is above it, by where each
    /// candidate is; one of them may be the threshold.
    pub(super) fn beside(&mut self, place: Place, pivot: Option<u32>) -> Option<[Place; 2]> {
        let at_least = self.rebuilt(place, |lattice, candidate, below, above| {
            if Some(candidate) == pivot {
                return Some(above);
            }
            lattice.fork(SIDES | (2 * candidate + 1), below, above)
        })?;
        let above = self.rebuilt(place, |lattice, candidate, below, above| {
            if Some(candidate) == pivot {
                return Some(below);
            }
            let above = lattice.fork(SIDES | (2 * candidate), below, above)?;
            lattice.fork(SIDES | (2 * candidate + 1), below, above)
        })?;
        Some([at_least, above])
    }

    /// Another condition, which is no order of candidates.
    pub(super) fn apart(&mut self, number: u32) -> Option<Place> {
        self.fork(APART | number, Place::NEVER, Place::ALWAYS)
    }

    /// Whether a function asks for candidates being above a threshold alone.
    pub(super) fn is_of_candidates(&self, place: Place) -> bool {
        self.support(place).last().is_none_or(|last| *last < SIDES)
    }

    /// Whether it holds wherever it holds for fewer.
    pub(super) fn is_monotone(&mut self, place: Place) -> bool {
        self.reachable(place, false) == Some(place)
    }

    /// Each function so far by number, from the third: what it asks, and what follows.
    pub(super) fn forks(&self, from: usize) -> Vec<(u32, [usize; 2])> {
        let numbers = |fork: &Fork| (fork.candidate, [fork.below.0 as usize, fork.above.0 as usize]);
        self.forks[from..].iter().map(numbers).collect()
    }

    /// The candidates, if it is the largest of them, or the smallest.
    pub(super) fn plain(&self, place: Place, largest: bool) -> Option<Vec<u32>> {
        let mut members = Vec::new();
        let mut place = place;
        while let Some(fork) = self.at(place) {
            members.push(fork.candidate);
            let (end, next) = if largest { (fork.above, fork.below) } else { (fork.below, fork.above) };
            if end != if largest { Place::ALWAYS } else { Place::NEVER } {
                return None;
            }
            place = next;
        }
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_for_one_function() {
        // Against truth tables of six candidates.
        let mut lattice = Lattice::default();
        let mut pool: Vec<(u64, Place)> = (0..6u32)
            .map(|at| {
                let table = (0..64u64).filter(|row| row >> at & 1 == 1).fold(0, |all, row| all | 1 << row);
                (table, lattice.of(at).expect("small"))
            })
            .collect();
        let mut known: std::collections::BTreeMap<u64, Place> = pool.iter().copied().collect();
        let mut word = 7u64;
        let mut next = |most: usize| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) as usize % most
        };
        for _ in 0..3000 {
            let (a, b) = (pool[next(pool.len())], pool[next(pool.len())]);
            let largest = next(2) == 0;
            let table = if largest { a.0 | b.0 } else { a.0 & b.0 };
            let place = lattice.join(largest, a.1, b.1).expect("small");
            assert_eq!(*known.entry(table).or_insert(place), place);
            assert_eq!(known.iter().filter(|(_, other)| **other == place).count(), 1);
            pool.push((table, place));
        }
    }
}
