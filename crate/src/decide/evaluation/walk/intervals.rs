//! Choices by where one integer lies.
//!
//! A condition that compares an integer e with numbers, or that is put together from such conditions, holds in
//! intervals. [e < t] is the variable [t - e > 0], 0 up to the least integer that e can be and 1 above the greatest;
//! every such condition is a sum of them, and so is everything that is chosen by them: [S]·(v in T, else w) is
//! [S ∩ T]·v + [S \ T]·w. So a table is one formula whether it is a chain of choices, a tree of them or a sum of
//! entries that are each 0 elsewhere.
//!
//! Guarantees: the value of a step is the function that it is, at every integer in range.
//! Misses: conditions on several integers together, products of two choices by one integer, and integers that are
//! neither elements nor words with constant bounds.
//! Cost: choices by single integers are looked up; others are followed through choices and sums, all together no
//! more than a multiple of the cone, beyond which they are multiplied out, which is never wrong.

use super::*;
use crate::base::{Format, FormatClass};
use crate::term::BitOp;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::rc::Rc;

/// Steps that all choices together may visit, for each step of the cone.
const VISITS: usize = 8;
/// Thresholds lie between these; what is outside of them has no end.
const FARTHEST: i64 = 1 << 60;

/// Disjoint intervals of integers, ascending, each with its first and the one after its last: `i64::MIN` and
/// `i64::MAX` where there is none.
type Intervals = Rc<[(i64, i64)]>;

/// What conditions are about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Integer {
    /// A term that is an integer.
    Of(Term),
    /// Some bits of an element as a word of a format, as if there were no others between them.
    Bits { element: u32, held: Format, mask: u64 },
}

/// Where a condition holds.
#[derive(Clone)]
pub(super) struct Place {
    integer: Integer,
    within: Intervals,
}

impl Place {
    pub(super) fn within(integer: Integer, range: (i64, i64), within: &[(i64, i64)]) -> Place {
        Place { integer, within: meet(&[range], within).into() }
    }
}

/// Choices by one integer, each at one place and inside of the next one.
struct Chain {
    integer: Integer,
    /// What is chosen at none of the places.
    end: Term,
    /// What is chosen at a place, and by which of the choices, counted from the inside.
    chosen: FxHashMap<i64, (usize, Term)>,
}

/// What is known of conditions on single integers.
pub(super) struct ByInteger {
    places: FxHashMap<Term, Place>,
    chains: Vec<Chain>,
    /// The chain that a choice is part of, and which of its choices it is.
    links: FxHashMap<Term, (usize, usize)>,
    /// Choices by single integers, and what is made of these: a bit for each integer by which it is chosen. Several
    /// may share one, so that more may be followed than has to be.
    depend: FxHashMap<Term, u64>,
    /// The integers that bits are given to, in order.
    integers: FxHashMap<Integer, u32>,
    /// [integer < threshold], as far as it was asked for.
    below: FxHashMap<(Integer, i64), Value>,
    left: usize,
}

impl ByInteger {
    pub(super) fn new(steps: usize) -> ByInteger {
        ByInteger {
            places: FxHashMap::default(),
            chains: Vec::new(),
            links: FxHashMap::default(),
            depend: FxHashMap::default(),
            integers: FxHashMap::default(),
            below: FxHashMap::default(),
            left: VISITS * steps + 4096,
        }
    }

    fn bit(&mut self, integer: Integer) -> u64 {
        let next = self.integers.len() as u32;
        1 << (*self.integers.entry(integer).or_insert(next) % u64::BITS)
    }

    fn depends(&self, term: Term) -> u64 {
        self.depend.get(&term).copied().unwrap_or(0)
    }
}

/// A multiple of a term, plus a number.
struct Affine {
    of: Option<Term>,
    factor: BigRational,
    number: BigRational,
}

impl Walk<'_> {
    /// Whether conditions are read here: elsewhere orders say what they choose.
    fn reads_integers(&self) -> bool {
        self.atoms.way == Way::Apart && !self.supposed.any()
    }

    /// A comparison, if it is one of an integer with a number.
    pub(super) fn compare_integer(
        &mut self,
        own: Term,
        relation: Relation,
        sides: [Term; 2],
    ) -> Option<Value> {
        if !self.reads_integers() {
            return None;
        }
        let place = self.place_of_bits(own).or_else(|| self.place_of(relation, sides))?;
        self.holds_within(own, place)
    }

    /// A comparison of words, if it is one of few bits.
    pub(super) fn compare_bits(&mut self, own: Term) -> Option<Value> {
        if !self.reads_integers() {
            return None;
        }
        let place = self.place_of_bits(own)?;
        self.holds_within(own, place)
    }

    fn holds_within(&mut self, own: Term, place: Place) -> Option<Value> {
        let value = self.share_of(&place)?;
        self.by_integer.places.insert(own, place);
        Some(value)
    }

    /// The same of conditions put together.
    pub(super) fn combine_integer(&mut self, own: Term, node: &Node) -> Option<Value> {
        if self.by_integer.places.is_empty() || !self.reads_integers() {
            return None;
        }
        let places = &self.by_integer.places;
        let both = |a: &Term, b: &Term| {
            let pair = (places.get(a)?, places.get(b)?);
            (pair.0.integer == pair.1.integer).then_some(pair)
        };
        let (integer, within) = match node {
            Node::Not(a) => {
                let a = places.get(a)?;
                (a.integer, without(&[self.range_of(a.integer)?], &a.within))
            }
            Node::And(a, b) => both(a, b).map(|(a, b)| (a.integer, meet(&a.within, &b.within)))?,
            Node::Or(a, b) => both(a, b).map(|(a, b)| (a.integer, join(&a.within, &b.within)))?,
            _ => return None,
        };
        self.holds_within(own, Place { integer, within: within.into() })
    }

    /// A choice by such a condition.
    pub(super) fn choose_by_integer(
        &mut self,
        own: Term,
        condition: Term,
        a: Term,
        b: Term,
    ) -> Option<Value> {
        if !self.reads_integers() {
            return None;
        }
        let Place { integer, within } = self.by_integer.places.get(&condition)?.clone();
        // The part with fewer ends is put into the other.
        let contrary: Intervals = without(&[self.range_of(integer)?], &within).into();
        let (within, inner, outer) =
            if contrary.len() < within.len() { (contrary, b, a) } else { (within, a, b) };
        let rest = self.get(outer, ALL).checked()?;
        let gain =
            self.shared_out(integer, &within, [(inner, Value::ONE), (outer, Value::ONE.negated(ALL))])?;
        if let [(at, _)] = within[..]
            && is_single(&within)
        {
            self.join_chain(own, integer, at, inner, outer);
        }
        Some(rest.plus(gain, ALL))
    }

    /// Notes that a step is such a choice, or made of some.
    pub(super) fn note_choices(&mut self, own: Term, node: &Node) {
        let known = |term: &Term| self.by_integer.depends(*term);
        let mut by = match node {
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => known(a) | known(b),
            Node::Fma(a, b, c) => known(a) | known(b) | known(c),
            Node::Unary(Unary::Neg, a) => known(a),
            Node::Select(_, a, b) => known(a) | known(b),
            _ => 0,
        };
        if let Node::Select(condition, ..) = node
            && let Some(integer) = self.by_integer.places.get(condition).map(|place| place.integer)
        {
            by |= self.by_integer.bit(integer);
        }
        if by != 0 {
            self.by_integer.depend.insert(own, by);
        }
    }

    /// A choice at one place, outside of those that it leaves the rest to.
    fn join_chain(&mut self, own: Term, integer: Integer, at: i64, chosen: Term, rest: Term) {
        let ByInteger { chains, links, .. } = &mut self.by_integer;
        let open = links.get(&rest).copied().filter(|(chain, place)| {
            let Chain { integer: other, chosen, .. } = &chains[*chain];
            *other == integer && chosen.len() == *place && !chosen.contains_key(&at)
        });
        let (chain, place) = open.unwrap_or_else(|| {
            chains.push(Chain { integer, end: rest, chosen: FxHashMap::default() });
            (chains.len() - 1, 0)
        });
        chains[chain].chosen.insert(at, (place + 1, chosen));
        links.insert(own, (chain, place + 1));
    }

    /// The sum of multiples of terms where an integer lies within some intervals, and 0 elsewhere.
    fn shared_out(
        &mut self,
        integer: Integer,
        within: &Intervals,
        terms: [(Term, Value); 2],
    ) -> Option<Value> {
        let mut open: Vec<(Term, Value, Intervals)> =
            terms.into_iter().map(|(term, factor)| (term, factor, within.clone())).collect();
        let mut sum = Value::ZERO;
        // What no choice by this very integer is part of is as it is: followed all the same, a chain of choices by
        // others would be followed anew for each of its links.
        let bit = self.by_integer.bit(integer);
        while let Some((mut term, factor, within)) = open.pop() {
            let single = is_single(&within).then(|| within[0].0);
            while let Some(at) = single
                && let Some((chain, place)) = self.by_integer.links.get(&term)
                && let Chain { integer: other, end, chosen } = &self.by_integer.chains[*chain]
                && *other == integer
            {
                term = chosen.get(&at).filter(|(own, _)| own <= place).map_or(*end, |(_, chosen)| *chosen);
            }
            self.by_integer.left = self.by_integer.left.saturating_sub(1);
            let chosen_here = |term: Term| self.by_integer.depends(term) & bit != 0;
            let follow = self.by_integer.left > 0 && chosen_here(term);
            let node = term.as_node().filter(|_| follow).map(|step| self.cone.steps()[step]);
            match node {
                Some(Node::Select(condition, a, b))
                    if let Some(place) = self.by_integer.places.get(&condition)
                        && place.integer == integer =>
                {
                    let parts = [(b, without(&within, &place.within)), (a, meet(&within, &place.within))];
                    let parts = parts.into_iter().filter(|(_, within)| !within.is_empty());
                    open.extend(parts.map(|(term, within)| (term, factor, within.into())));
                }
                Some(Node::Select(condition, a, b)) => {
                    let holds = self.get(condition, ALL).checked()?;
                    let fails = Value::ONE.minus(holds, ALL);
                    let parts = [(b, fails), (a, holds)].into_iter().filter(|(_, share)| !share.is_zero());
                    open.extend(parts.map(|(term, share)| (term, factor.times(share, ALL), within.clone())));
                }
                Some(Node::Add(a, b)) => open.extend([(a, factor, within.clone()), (b, factor, within)]),
                Some(Node::Sub(a, b)) => {
                    open.extend([(a, factor, within.clone()), (b, factor.negated(ALL), within)]);
                }
                Some(Node::Unary(Unary::Neg, a)) => open.push((a, factor.negated(ALL), within)),
                Some(Node::Mul(a, b) | Node::Fma(a, b, _)) if !(chosen_here(a) && chosen_here(b)) => {
                    let (chosen, other) = if chosen_here(a) { (a, b) } else { (b, a) };
                    let other = self.get(other, ALL).checked()?;
                    if let Some(Node::Fma(.., c)) = node {
                        open.push((c, factor, within.clone()));
                    }
                    open.push((chosen, factor.times(other, ALL), within));
                }
                _ => {
                    let value = self.get(term, ALL).checked()?;
                    let share = self.share_of(&Place { integer, within })?;
                    sum = sum.plus(share.times(value, ALL).times(factor, ALL), ALL);
                }
            }
        }
        Some(sum)
    }

    /// 1 where a condition holds, and 0 elsewhere.
    fn share_of(&mut self, place: &Place) -> Option<Value> {
        let mut share = Value::ZERO;
        for (first, end) in place.within.iter() {
            share = share
                .plus(self.below(place.integer, *end)?, ALL)
                .minus(self.below(place.integer, *first)?, ALL);
        }
        Some(share.with_sign(Sign::NOT_NEGATIVE))
    }

    /// [integer < threshold]
    fn below(&mut self, integer: Integer, threshold: i64) -> Option<Value> {
        // What is supposed of inputs holds for a while only.
        let kept = !self.supposed.any();
        if let Some(known) = self.by_integer.below.get(&(integer, threshold)).filter(|_| kept) {
            return Some(*known);
        }
        let value = self.is_below(integer, threshold)?;
        if kept {
            self.by_integer.below.insert((integer, threshold), value);
        }
        Some(value)
    }

    fn is_below(&mut self, integer: Integer, threshold: i64) -> Option<Value> {
        let (least, end) = self.range_of(integer)?;
        if threshold <= least {
            return Some(Value::ZERO);
        }
        if threshold >= end {
            return Some(Value::ONE);
        }
        let integer = match integer {
            Integer::Of(integer) => integer,
            Integer::Bits { element, held, mask } if mask.is_power_of_two() => {
                return Some(Value::ONE.minus(self.bit((element, held), mask.trailing_zeros())?, ALL));
            }
            Integer::Bits { element, held, mask } => {
                let below =
                    self.atoms.atom(ALL, vec![49, element.into(), held as u64, mask, threshold as u64]);
                return Some(Value { chosen: true, ..below.with_sign(Sign::NOT_NEGATIVE) });
            }
        };
        let number = if threshold == 0 { Value::ZERO } else { Value::ONE.scaled((threshold, 1), ALL) };
        let gap = number.minus(self.get(integer, ALL).checked()?, ALL).checked()?;
        match self.classify(&gap)? {
            Classified::Constant(_) => None,
            Classified::Member(member) => Some(self.atoms.is_above(member, ALL)),
        }
    }

    /// Where an integer is compared with a number, and the comparison holds.
    fn place_of(&self, relation: Relation, [a, b]: [Term; 2]) -> Option<Place> {
        let (a, b) = (self.affine(a)?, self.affine(b)?);
        let (integer, factor) = match (a.of, b.of) {
            (Some(one), None) => (one, a.factor),
            (None, Some(one)) => (one, -b.factor),
            (Some(one), Some(other)) if one == other => (one, a.factor - b.factor),
            _ => return None,
        };
        if factor.is_zero() {
            return None;
        }
        let integer = Integer::Of(integer);
        let range = self.range_of(integer)?;
        let threshold = (b.number - a.number) / &factor;
        let whole = |value: BigRational| {
            value.to_integer().to_i64().filter(|value| (-FARTHEST..FARTHEST).contains(value))
        };
        let (up, down) = (whole(threshold.ceil())?, whole(threshold.floor())?);
        let (first, end) = match (relation, factor > BigRational::zero()) {
            (Relation::Less, true) => (i64::MIN, up),
            (Relation::LessEqual, true) => (i64::MIN, down + 1),
            (Relation::Less, false) => (down + 1, i64::MAX),
            (Relation::LessEqual, false) => (up, i64::MAX),
            (Relation::Equal, _) => (up, down + 1),
        };
        Some(Place::within(integer, range, &[(first, end)]))
    }

    /// A term as a multiple of another, plus a number.
    fn affine(&self, mut term: Term) -> Option<Affine> {
        let mut all = Affine { of: None, factor: BigRational::one(), number: BigRational::zero() };
        loop {
            if let Some(number) = self.rational(term) {
                all.number += &all.factor * number;
                all.factor = BigRational::zero();
                return Some(all);
            }
            let node = term.as_node().map(|step| self.cone.steps()[step]);
            let (next, factor, number) = match node {
                Some(Node::Add(a, b)) => match (self.rational(a), self.rational(b)) {
                    (_, Some(number)) => (a, None, Some(number)),
                    (Some(number), _) => (b, None, Some(number)),
                    _ => break,
                },
                Some(Node::Sub(a, b)) => match (self.rational(a), self.rational(b)) {
                    (_, Some(number)) => (a, None, Some(-number)),
                    (Some(number), _) => (b, Some(-BigRational::one()), Some(number)),
                    _ => break,
                },
                Some(Node::Mul(a, b)) => match (self.rational(a), self.rational(b)) {
                    (_, Some(factor)) => (a, Some(factor), None),
                    (Some(factor), _) => (b, Some(factor), None),
                    _ => break,
                },
                Some(Node::Unary(Unary::Neg, a)) => (a, Some(-BigRational::one()), None),
                _ => break,
            };
            if let Some(number) = number {
                all.number += &all.factor * number;
            }
            if let Some(factor) = factor {
                all.factor *= factor;
            }
            term = next;
        }
        all.of = Some(term);
        Some(all)
    }

    fn rational(&self, term: Term) -> Option<BigRational> {
        match self.meanings.get(term.as_constant()?)? {
            Meaning::Number(exact) => exact.as_rational().cloned(),
            _ => None,
        }
    }

    /// The least integer that something can be, and the one after the greatest, if it is one.
    pub(super) fn range_of(&self, integer: Integer) -> Option<(i64, i64)> {
        let integer = match integer {
            Integer::Of(integer) => integer,
            Integer::Bits { mask, .. } => return Some((0, 1 << mask.count_ones())),
        };
        let [least, greatest] = match (integer.as_element(), integer.as_node()) {
            (Some(element), _) => self.elements.integers(element)?,
            (_, Some(step)) => match self.cone.steps()[step] {
                Node::FromBits(format, word) => {
                    let [least, greatest] = format.integers()?;
                    match self.word_below(word) {
                        Some(most) if most <= greatest => [0, most],
                        _ => [least, greatest],
                    }
                }
                _ => return None,
            },
            _ => return None,
        };
        let far = |value: i128, instead: i64| {
            i64::try_from(value).ok().filter(|value| (-FARTHEST..FARTHEST).contains(value)).unwrap_or(instead)
        };
        Some((far(least, i64::MIN), far(greatest + 1, i64::MAX)))
    }

    /// The greatest number that a word can be, where other bits are taken away from it.
    fn word_below(&self, word: Term) -> Option<i128> {
        let node = |term: Term| term.as_node().map(|step| self.cone.steps()[step]);
        let bits = |term: Term| match node(term) {
            Some(Node::BitConstant(bits)) => Some(i128::from(bits)),
            _ => None,
        };
        match node(word)? {
            Node::Bits(BitOp::And, _, a, b, _) => bits(a).into_iter().chain(bits(b)).min(),
            Node::Bits(BitOp::ShiftRight, width, _, b, _) => {
                let left = i128::from(width).checked_sub(bits(b)?).filter(|left| (0..64).contains(left))?;
                Some((1 << left) - 1)
            }
            Node::Bits(BitOp::Extend, _, _, b, _) => {
                let kept = bits(b).filter(|kept| (0..64).contains(kept))?;
                Some((1 << kept) - 1)
            }
            Node::BitsOf(format, _) if format.class() == FormatClass::Unsigned => {
                format.integers().map(|[_, most]| most)
            }
            _ => None,
        }
    }
}

fn is_single(within: &[(i64, i64)]) -> bool {
    matches!(within, [(first, end)] if first.checked_add(1) == Some(*end))
}

/// Integers in both.
fn meet(a: &[(i64, i64)], b: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let (mut met, mut a, mut b) = (Vec::new(), a.iter().peekable(), b.iter().peekable());
    while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
        let (first, end) = (one.0.max(two.0), one.1.min(two.1));
        if first < end {
            met.push((first, end));
        }
        if one.1 < two.1 {
            a.next();
        } else {
            b.next();
        }
    }
    met
}

/// Integers in one and not in the other.
fn without(a: &[(i64, i64)], b: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut gaps = Vec::with_capacity(b.len() + 1);
    let mut first = i64::MIN;
    for (next, end) in b {
        gaps.push((first, *next));
        first = *end;
    }
    gaps.push((first, i64::MAX));
    gaps.retain(|(first, end)| first < end);
    meet(a, &gaps)
}

/// Integers in either.
fn join(a: &[(i64, i64)], b: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let all = [(i64::MIN, i64::MAX)];
    without(&all, &meet(&without(&all, a), &without(&all, b)))
}
