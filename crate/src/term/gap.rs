//! Values of which bits are missing, because nobody wrote them.
//!
//! Which bits, under which condition, and where they come from; beside them, a value whose bits are
//! right wherever none is missing. A [`Gap`] is a number, so that it moves like any other word; what
//! it stands for is kept once in the [`Terms`] that hold its conditions.
//!
//! Guarantees: what is present does not depend on what is missing; equal gaps are missing alike, which
//! does not make two values equal. Misses: of many ways to be missing (more than [`MOST`]) only that
//! one of them applies.

use super::{Node, Term, Terms, Value};
use rustc_hash::FxHashMap;

/// Ways to be missing that one value keeps apart.
const MOST: usize = 16;

/// Names a value of which bits are missing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Gap(u32);

impl Gap {
    /// All bits are missing, in a place that was never written.
    pub const NEVER: Gap = Gap(0);

    /// The id as a number, for encodings.
    #[inline]
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The inverse of [`Gap::raw`].
    #[inline]
    pub fn from_raw(raw: u32) -> Gap {
        Gap(raw)
    }
}

/// Where missing bits come from; what the number means is its giver's business.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin(pub u32);

impl Origin {
    /// The place that is looked at was never written, and nobody has read it yet.
    pub const NEVER: Origin = Origin(0);
}

/// Bits that are missing together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Missing {
    /// Where they come from.
    pub origin: Origin,
    /// The condition under which they are missing.
    pub when: Term,
    /// Which.
    pub bits: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Incomplete {
    present: Value,
    missing: Box<[Missing]>,
}

/// What the gaps of a store stand for.
pub(super) struct Gaps {
    all: Vec<Incomplete>,
    known: FxHashMap<Incomplete, Gap>,
    /// How many there were when counting began.
    uncounted: usize,
}

impl Gaps {
    pub(super) fn new() -> Gaps {
        let never = Missing { origin: Origin::NEVER, when: Term::TRUE, bits: u64::MAX };
        let never = Incomplete { present: Value::Concrete(0), missing: Box::new([never]) };
        Gaps { known: FxHashMap::from_iter([(never.clone(), Gap::NEVER)]), all: vec![never], uncounted: 1 }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        // Each is held twice, with one to three ways to be missing.
        ((self.all.len() - self.uncounted) * 2 * (size_of::<Incomplete>() + 2 * size_of::<Missing>())) as u64
    }
}

impl Terms {
    /// Those so far belong to registers, and are counted with them.
    pub fn count_gaps_from_here(&mut self) {
        self.gaps.uncounted = self.gaps.all.len();
    }

    /// The value whose bits are right where none is missing.
    #[inline]
    pub fn present(&self, value: Value) -> Value {
        match value {
            Value::Undefined(gap) => self.gaps.all[gap.0 as usize].present,
            whole => whole,
        }
    }

    /// The bits of a value that are missing.
    #[inline]
    pub fn missing(&self, value: Value) -> &[Missing] {
        match value {
            Value::Undefined(gap) => &self.gaps.all[gap.0 as usize].missing,
            Value::Concrete(_) | Value::Symbolic(_) => &[],
        }
    }

    /// Whether all of the low `bits` bits of a value are missing, whatever the conditions.
    pub fn is_nothing(&self, value: Value, bits: u32) -> bool {
        let all = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let always = self.missing(value).iter().filter(|missing| missing.when == Term::TRUE);
        always.fold(0, |found, missing| found | missing.bits) & all == all
    }

    /// A value that has bits missing; the value itself if there are none.
    pub fn incomplete(&mut self, present: Value, mut missing: Vec<Missing>) -> Value {
        debug_assert!(!matches!(present, Value::Undefined(_)));
        missing.retain(|missing| missing.bits != 0 && missing.when != Term::FALSE);
        if missing.is_empty() {
            return present;
        }
        missing.sort_unstable();
        missing.dedup_by(|next, kept| {
            let same = (next.origin, next.when) == (kept.origin, kept.when);
            if same {
                kept.bits |= next.bits;
            }
            same
        });
        // What is always missing need not be said again, neither for another reason nor under a condition.
        let mut always = 0;
        for found in missing.iter_mut().filter(|found| found.when == Term::TRUE) {
            found.bits &= !always;
            always |= found.bits;
        }
        missing.retain(|found| found.bits != 0 && (found.when == Term::TRUE || found.bits & !always != 0));
        if missing.len() > MOST {
            let (first, rest) = (missing[0], &missing[1..]);
            let bits = rest.iter().fold(first.bits, |bits, missing| bits | missing.bits);
            let when = rest.iter().fold(first.when, |when, missing| self.or(when, missing.when));
            missing = vec![Missing { bits, when, ..first }];
        }
        let made = Incomplete { present, missing: missing.into_boxed_slice() };
        let next = Gap(self.gaps.all.len() as u32);
        let gap = *self.gaps.known.entry(made.clone()).or_insert(next);
        if gap == next {
            self.gaps.all.push(made);
        }
        Value::Undefined(gap)
    }

    /// Both hold; never, where one says the contrary of what the other says.
    pub fn both(&mut self, a: Term, b: Term) -> Term {
        let mut parts = Vec::new();
        self.parts_of(a, &mut parts);
        let known = parts.len();
        self.parts_of(b, &mut parts);
        for at in known..parts.len() {
            let not = self.not(parts[at]);
            if parts[..known].contains(&not) {
                return Term::FALSE;
            }
        }
        if parts[known..].iter().all(|part| parts[..known].contains(part)) { a } else { self.and(a, b) }
    }

    /// The conditions that must all hold for one to hold.
    fn parts_of(&self, condition: Term, parts: &mut Vec<Term>) {
        match self.node(condition) {
            Node::And(a, b) if parts.len() < 64 => {
                self.parts_of(a, parts);
                self.parts_of(b, parts);
            }
            _ => parts.push(condition),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Relation;

    fn missing(bits: u64, when: Term, origin: u32) -> Missing {
        Missing { origin: Origin(origin), when, bits }
    }

    #[test]
    fn a_value_without_missing_bits_is_itself() {
        let mut terms = Terms::new();
        let value = Value::Concrete(7);
        assert_eq!(
            terms.incomplete(value, vec![missing(0, Term::TRUE, 1), missing(1, Term::FALSE, 1)]),
            value
        );
        let gap = terms.incomplete(value, vec![missing(2, Term::TRUE, 1), missing(4, Term::TRUE, 1)]);
        assert_eq!(terms.present(gap), value);
        assert_eq!(terms.missing(gap), [missing(6, Term::TRUE, 1)]);
        assert!(!terms.is_nothing(gap, 3));
        let same = terms.incomplete(value, vec![missing(6, Term::TRUE, 1)]);
        assert_eq!(gap, same);
        assert!(terms.is_nothing(Value::Undefined(Gap::NEVER), 64));
    }

    #[test]
    fn what_excludes_each_other_is_never_both() {
        let mut terms = Terms::new();
        let [a, b, c] = [0, 1, 2].map(Term::element);
        let (p, q) = (terms.compare(Relation::Less, a, b), terms.compare(Relation::Less, b, c));
        let (both, not) = (terms.and(p, q), terms.not(q));
        assert_eq!(terms.both(both, not), Term::FALSE);
        assert_eq!(terms.both(both, q), both);
        assert_eq!(terms.both(p, Term::TRUE), p);
        assert_ne!(terms.both(p, not), Term::FALSE);
    }
}
