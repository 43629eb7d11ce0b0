//! Conditions that contradict themselves in plain sight.
//!
//! What a machine would meet only under such a condition it never meets: an address that data choose
//! and that the guard around the access rules out, the other writer of `if (c)` and `if (!c)`. Looked
//! at is a conjunction: a condition beside its negation, comparisons of one term with constants that
//! leave it no value, two terms ordered both ways, an alternative all of whose sides are ruled out.
//!
//! Guarantees: `true` only if no inputs make the condition hold (over numbers, as everywhere).
//! Misses: everything that needs arithmetic; that is asked of `decide` once the run is over.

use crate::term::{Node, Relation, Term, Terms};
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts of a condition that are looked at; a longer one is left to `decide`.
const MOST: usize = 512;

/// Whether a condition cannot hold.
pub(super) fn is_contradictory(terms: &Terms, condition: Term) -> bool {
    if condition == Term::TRUE {
        return false;
    }
    let mut known = Known::default();
    if !known.add(terms, condition, true) {
        return true;
    }
    // An alternative that is left with one side says that this side holds.
    let mut open = std::mem::take(&mut known.alternatives);
    loop {
        let before = open.len();
        let mut rest = Vec::new();
        for (a, b, holds) in open {
            match (known.excludes(terms, a, holds, 0), known.excludes(terms, b, holds, 0)) {
                (true, true) => return true,
                (true, false) if !known.add(terms, b, holds) => return true,
                (false, true) if !known.add(terms, a, holds) => return true,
                (false, false) => rest.push((a, b, holds)),
                _ => {}
            }
        }
        rest.append(&mut known.alternatives);
        if rest.len() >= before || known.looked > MOST {
            return false;
        }
        open = rest;
    }
}

/// The terms that a condition bounds by numbers, and between which they lie where it holds, ends included.
pub(super) fn bounded(terms: &Terms, condition: Term) -> Vec<(Term, [Option<BigRational>; 2])> {
    let mut known = Known::default();
    known.add(terms, condition, true);
    let mut found: Vec<_> = known
        .ranges
        .into_iter()
        .map(|(term, range)| (term, range.map(|end| end.map(|end| end.at))))
        .collect();
    found.sort_by_key(|(term, _)| *term);
    found
}

/// How far a term may go in one direction: up to this number, or not quite.
#[derive(Clone, PartialEq, Debug)]
struct Bound {
    at: BigRational,
    strict: bool,
}

/// What a conjunction says.
#[derive(Default)]
struct Known {
    /// Conditions, and how each comes out.
    literals: FxHashMap<Term, bool>,
    /// Lower and upper bounds of terms.
    ranges: FxHashMap<Term, [Option<Bound>; 2]>,
    /// `a ≤ b`; `true`: `a < b`.
    orders: FxHashMap<(Term, Term), bool>,
    /// Pairs that differ.
    apart: FxHashSet<(Term, Term)>,
    /// At least one of two comes out so.
    alternatives: Vec<(Term, Term, bool)>,
    looked: usize,
}

impl Known {
    /// Takes in that a condition comes out so. `false` if that contradicts what is known.
    fn add(&mut self, terms: &Terms, condition: Term, holds: bool) -> bool {
        let mut open = vec![(condition, holds)];
        while let Some((condition, holds)) = open.pop() {
            self.looked += 1;
            if self.looked > MOST {
                return true;
            }
            match condition {
                Term::TRUE | Term::FALSE => {
                    if (condition == Term::TRUE) != holds {
                        return false;
                    }
                    continue;
                }
                _ => {}
            }
            match self.literals.insert(condition, holds) {
                Some(before) if before != holds => return false,
                Some(_) => continue,
                None => {}
            }
            match terms.node(condition) {
                Node::Not(inner) => open.push((inner, !holds)),
                Node::And(a, b) if holds => open.extend([(a, true), (b, true)]),
                Node::Or(a, b) if !holds => open.extend([(a, false), (b, false)]),
                Node::Or(a, b) | Node::And(a, b) => self.alternatives.push((a, b, holds)),
                Node::Compare(relation, a, b) if !self.compare(terms, relation, a, b, holds) => return false,
                _ => {}
            }
        }
        true
    }

    fn compare(&mut self, terms: &Terms, relation: Relation, a: Term, b: Term, holds: bool) -> bool {
        match (relation, holds) {
            (Relation::Less, true) => self.order(terms, a, b, true),
            (Relation::LessEqual, true) => self.order(terms, a, b, false),
            (Relation::Less, false) => self.order(terms, b, a, false),
            (Relation::LessEqual, false) => self.order(terms, b, a, true),
            (Relation::Equal, true) => self.order(terms, a, b, false) && self.order(terms, b, a, false),
            (Relation::Equal, false) => {
                self.apart.insert((a.min(b), a.max(b)));
                !(self.orders.contains_key(&(a, b)) && self.orders.contains_key(&(b, a)))
            }
        }
    }

    /// `a ≤ b`, or `a < b`.
    fn order(&mut self, terms: &Terms, a: Term, b: Term, strict: bool) -> bool {
        let known = self.orders.entry((a, b)).or_insert(strict);
        *known |= strict;
        let strict = *known;
        if let Some(back) = self.orders.get(&(b, a))
            && (strict || *back || self.apart.contains(&(a.min(b), a.max(b))))
        {
            return false;
        }
        match (terms.as_rational(a), terms.as_rational(b)) {
            (None, Some(high)) => self.bound(a, 1, Bound { at: high.clone(), strict }),
            (Some(low), None) => self.bound(b, 0, Bound { at: low.clone(), strict }),
            _ => true,
        }
    }

    /// A term has a bound below (0) or above (1). Whether there is room left.
    fn bound(&mut self, term: Term, side: usize, bound: Bound) -> bool {
        let range = self.ranges.entry(term).or_default();
        let tighter = match &range[side] {
            None => true,
            Some(known) if known.at == bound.at => bound.strict,
            Some(known) => (known.at < bound.at) == (side == 0),
        };
        if tighter {
            range[side] = Some(bound);
        }
        match range {
            [Some(low), Some(high)] => low.at < high.at || low.at == high.at && !low.strict && !high.strict,
            _ => true,
        }
    }

    /// Whether what is known rules out that a condition comes out so.
    fn excludes(&mut self, terms: &Terms, condition: Term, holds: bool, depth: u32) -> bool {
        self.looked += 1;
        if depth > 16 || self.looked > MOST {
            return false;
        }
        if (condition == Term::TRUE || condition == Term::FALSE) && (condition == Term::TRUE) != holds {
            return true;
        }
        if let Some(known) = self.literals.get(&condition) {
            return *known != holds;
        }
        match terms.node(condition) {
            Node::Not(inner) => self.excludes(terms, inner, !holds, depth + 1),
            Node::And(a, b) if holds => {
                self.excludes(terms, a, true, depth + 1) || self.excludes(terms, b, true, depth + 1)
            }
            Node::And(a, b) => {
                self.excludes(terms, a, false, depth + 1) && self.excludes(terms, b, false, depth + 1)
            }
            Node::Or(a, b) if !holds => {
                self.excludes(terms, a, false, depth + 1) || self.excludes(terms, b, false, depth + 1)
            }
            Node::Or(a, b) => {
                self.excludes(terms, a, true, depth + 1) && self.excludes(terms, b, true, depth + 1)
            }
            Node::Compare(relation, a, b) => {
                let mut more = Known { orders: FxHashMap::default(), ..Known::default() };
                for (term, range) in self.ranges.iter().filter(|(term, _)| **term == a || **term == b) {
                    more.ranges.insert(*term, range.clone());
                }
                for pair in [(a, b), (b, a)] {
                    if let Some(strict) = self.orders.get(&pair) {
                        more.orders.insert(pair, *strict);
                    }
                }
                if self.apart.contains(&(a.min(b), a.max(b))) {
                    more.apart.insert((a.min(b), a.max(b)));
                }
                !more.compare(terms, relation, a, b, holds)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
        terms.compare(Relation::Less, a, b)
    }

    #[test]
    fn contradictions_in_plain_sight_are_seen() {
        let terms = &mut Terms::new();
        let (x, y) = (Term::element(0), Term::element(1));
        let positive = less(terms, Term::ZERO, x);
        let above = less(terms, x, y);
        let below = less(terms, y, x);
        let one = terms.compare(Relation::Equal, x, Term::ONE);
        let not_positive = terms.not(positive);
        let negative = less(terms, x, Term::ZERO);
        let either = terms.or(negative, below);
        let cases = [
            (vec![positive, not_positive], true),
            (vec![positive, negative], true),
            (vec![one, negative], true),
            (vec![one, positive], false),
            (vec![above, below], true),
            (vec![above, not_positive], false),
            (vec![positive, above, either], true),
            (vec![positive, either], false),
            (vec![above, either], false),
        ];
        for (conditions, contradictory) in cases {
            let all = conditions.iter().fold(Term::TRUE, |all, condition| terms.and(all, *condition));
            assert_eq!(is_contradictory(terms, all), contradictory, "{conditions:?}");
        }
    }

    #[test]
    fn an_equation_and_its_negation_contradict_through_orders() {
        let terms = &mut Terms::new();
        let (x, y) = (Term::element(0), Term::element(1));
        let equal = terms.compare(Relation::Equal, x, y);
        let apart = terms.not(equal);
        let (one, other) =
            (terms.compare(Relation::LessEqual, x, y), terms.compare(Relation::LessEqual, y, x));
        let both = terms.and(one, other);
        let all = terms.and(apart, both);
        assert!(is_contradictory(terms, all));
        assert!(!is_contradictory(terms, both));
        let strict = less(terms, x, y);
        let all = terms.and(equal, strict);
        assert!(is_contradictory(terms, all));
    }
}
