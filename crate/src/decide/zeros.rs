//! Tests for zero, written in one way, and what else is known where a value is zero.
//!
//! `s > 0` for a sum of squares, `n >= 1` and `max(n, 1)` for a count, `hi > lo` for the ends of one set: all ask whether
//! something is zero, or two values are equal. Where a sum of squares is zero, each of its elements is; where a count is,
//! no condition holds that is counted; where the largest of a set is the smallest, all are one.
//!
//! Guarantees: tests are what they were wherever they are defined, an integer of a format without signs is not negative,
//! and everything in a [`Way`] holds where its condition does. A way is [solved](Way::solved) if it says all that follows.
//! Misses: sums with summands of both signs, of which only an element that stands alone is solved for; what more than
//! [`WAYS`] choices leave open.

use super::idioms::build;
use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Reach, operands};
use crate::term::{Node, Relation, Term, Terms, Unary, never_negative};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// Ways in which a value may be zero.
const WAYS: usize = 4;
/// Elements whose ends are compared.
const ENDS: usize = 1 << 12;
/// Candidates and factors that are looked at one by one.
const SHARED: usize = 64;

/// What is seen of a value.
#[derive(Clone, Copy, Default)]
struct Sight {
    not_negative: bool,
    positive: bool,
    /// Between which integers it lies, if it is one.
    integer: Option<(i128, i128)>,
}

/// What is seen of values, remembered for a store that only grows.
#[derive(Default)]
pub(super) struct Seen {
    sights: FxHashMap<Term, Sight>,
    /// Something was written in another way than it was.
    pub(super) changed: bool,
}

/// Beyond the integers that anything is.
const MOST: i128 = 1 << 100;

impl Seen {
    fn of(&mut self, terms: &Terms, term: Term) -> Sight {
        let mut open = vec![(term, false)];
        while let Some((term, ready)) = open.pop() {
            if term.as_constant().is_some() || self.sights.contains_key(&term) {
                continue;
            }
            let node = terms.node(term);
            if ready {
                let sight = sight(terms, &node, |operand| self.known(terms, operand));
                self.sights.insert(term, sight);
            } else {
                open.push((term, true));
                let below = operands(&node).into_iter().flatten();
                open.extend(below.map(|operand| (operand, false)));
            }
        }
        self.known(terms, term)
    }

    fn known(&self, terms: &Terms, term: Term) -> Sight {
        match terms.as_rational(term) {
            None => self.sights.get(&term).copied().unwrap_or_default(),
            Some(number) => Sight {
                not_negative: !number.is_negative(),
                positive: number.is_positive(),
                integer: number.is_integer().then(|| number.to_i128()).flatten().map(|value| (value, value)),
            },
        }
    }

    /// Whether a number is seen not to be negative.
    fn is_not_negative(&mut self, terms: &Terms, term: Term) -> bool {
        self.of(terms, term).not_negative
    }

    /// Whether an integer is seen to lie in a format.
    fn fits(&mut self, terms: &Terms, term: Term, format: Format) -> bool {
        match (self.of(terms, term).integer, format.integers()) {
            (Some((low, high)), Some([least, most])) => least <= low && high <= most,
            _ => false,
        }
    }
}

/// What is seen of a node by what is seen of its operands.
fn sight(terms: &Terms, node: &Node, of: impl Fn(Term) -> Sight) -> Sight {
    let format = match *node {
        Node::Element(element) => terms.element_format(element),
        Node::FromBits(format, _) => Some(format),
        _ => None,
    };
    let integer = match (*node, format) {
        (_, Some(format)) => format.integers().map(|[least, most]| (least, most)),
        (Node::Unary(function, a), _) if function.is_rounding() => {
            of(a).integer.or(Some(if of(a).not_negative { (0, MOST) } else { (-MOST, MOST) }))
        }
        _ => terms.integers_of(node, |operand| of(operand).integer),
    };
    let positive = |term: Term| of(term).positive;
    let not_negative = |term: Term| of(term).not_negative;
    let is_positive = match *node {
        Node::Add(a, b) => positive(a) && not_negative(b) || not_negative(a) && positive(b),
        Node::Mul(a, b) | Node::Div(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => {
            positive(a) && positive(b)
        }
        Node::Fma(a, b, c) => (a == b || not_negative(a) && not_negative(b)) && positive(c),
        Node::Max(a, b) => positive(a) || positive(b),
        Node::Unary(Unary::Exp | Unary::Exp2, _) => true,
        Node::Unary(Unary::Recip | Unary::Sqrt | Unary::Rsqrt | Unary::Abs, a) => positive(a),
        _ => false,
    };
    let is_not_negative = match *node {
        Node::Sub(a, b) => is_at_most(terms, b, a),
        ref node => never_negative(node, not_negative),
    };
    let least = integer.map(|(least, _)| least);
    Sight {
        positive: is_positive || least.is_some_and(|least| least > 0),
        not_negative: is_positive || is_not_negative || least.is_some_and(|least| least >= 0),
        integer,
    }
}

/// A node in a store in which its operands are, with tests for zero written in one way, and choices taken out of what
/// divides.
pub(super) fn written(new: &mut Terms, seen: &mut Seen, old: &Terms, node: &Node) -> Term {
    match *node {
        Node::Compare(relation, a, b) => compared(new, seen, relation, a, b),
        Node::Max(a, b) => limited(new, seen, a, b),
        Node::FromBits(format, bits) => match new.node(bits) {
            Node::BitsOf(of, value) if of == format && seen.fits(new, value, format) => {
                seen.changed = true;
                value
            }
            _ => build(new, old, node),
        },
        Node::Div(above, below) => match choice(new, below) {
            Some((condition, a, b)) => {
                seen.changed = true;
                let (a, b) = (new.div(above, a), new.div(above, b));
                new.select(condition, a, b)
            }
            None => new.div(above, below),
        },
        // One choice of both.
        Node::Mul(a, b) => match (new.node(a), new.node(b)) {
            (Node::Select(condition, c, d), Node::Select(other, e, f)) if condition == other => {
                seen.changed = true;
                let (then, otherwise) = (new.mul(c, e), new.mul(d, f));
                new.select(condition, then, otherwise)
            }
            _ => new.mul(a, b),
        },
        Node::Fma(a, b, c) => match (new.node(a), new.node(b)) {
            (Node::Select(condition, ..), Node::Select(other, ..)) if condition == other => {
                let product = written(new, seen, old, &Node::Mul(a, b));
                new.add(product, c)
            }
            _ => new.fma(a, b, c),
        },
        Node::Unary(function, of) if function.is_partial() => match choice(new, of) {
            Some((condition, a, b)) => {
                seen.changed = true;
                let (a, b) = (new.unary(function, a), new.unary(function, b));
                new.select(condition, a, b)
            }
            None => new.unary(function, of),
        },
        _ => build(new, old, node),
    }
}

/// A choice between a number and something else.
fn choice(terms: &Terms, of: Term) -> Option<(Term, Term, Term)> {
    match terms.node(of) {
        Node::Select(condition, a, b) if terms.as_rational(a).or(terms.as_rational(b)).is_some() => {
            Some((condition, a, b))
        }
        _ => None,
    }
}

/// A comparison as whether something is zero, or two values are equal, if it is that.
fn as_test(new: &mut Terms, seen: &mut Seen, relation: Relation, a: Term, b: Term) -> Option<Term> {
    let number = |terms: &Terms, term: Term| terms.as_rational(term).cloned();
    let zero = BigRational::zero();
    let one = BigRational::one();
    // What is zero, and whether the comparison says that it is.
    let found = match (relation, number(new, a), number(new, b)) {
        (Relation::Equal, None, Some(limit)) if limit.is_zero() => Some((a, true)),
        (Relation::Equal, Some(limit), None) if limit.is_zero() => Some((b, true)),
        (Relation::Equal, ..) if a != b => return Some(equal(new, a, b)),
        (Relation::LessEqual, None, Some(limit)) if limit.is_zero() && seen.is_not_negative(new, a) => {
            Some((a, true))
        }
        (Relation::Less, Some(limit), None)
            if limit.is_zero() && new.is_defined(b) && seen.is_not_negative(new, b) =>
        {
            Some((b, false))
        }
        (Relation::Less, None, Some(limit)) if zero < limit && limit <= one && counts(new, seen, a) => {
            Some((a, true))
        }
        (Relation::LessEqual, None, Some(limit)) if zero < limit && limit < one && counts(new, seen, a) => {
            Some((a, true))
        }
        (Relation::LessEqual, Some(limit), None) if zero < limit && limit <= one && counts(new, seen, b) => {
            Some((b, false))
        }
        (Relation::Less, Some(limit), None) if zero < limit && limit < one && counts(new, seen, b) => {
            Some((b, false))
        }
        (Relation::Less, None, None) if is_at_most(new, a, b) && new.is_defined(a) && new.is_defined(b) => {
            let equal = equal(new, a, b);
            return Some(new.not(equal));
        }
        (Relation::LessEqual, None, None) if is_at_most(new, b, a) => return Some(equal(new, a, b)),
        _ => None,
    };
    let (value, is_zero) = found?;
    seen.changed |= relation != Relation::Equal;
    let zero = tested(new, seen, value);
    Some(if is_zero { zero } else { new.not(zero) })
}

/// A comparison as a test for zero if it is that, and one of a number with the largest or smallest of a few values as one
/// with each of them.
fn compared(new: &mut Terms, seen: &mut Seen, relation: Relation, a: Term, b: Term) -> Term {
    if let Some(test) = as_test(new, seen, relation, a, b) {
        return test;
    }
    let value = match (new.as_rational(a).is_some(), new.as_rational(b).is_some(), relation) {
        (true, false, Relation::Less | Relation::LessEqual) => b,
        (false, true, Relation::Less | Relation::LessEqual) => a,
        _ => return new.compare(relation, a, b),
    };
    let largest = match new.node(value) {
        Node::Max(..) => true,
        Node::Min(..) => false,
        _ => return new.compare(relation, a, b),
    };
    let all = candidates(new, value, largest, SHARED);
    let compared = |new: &mut Terms, seen: &mut Seen, one: Term| {
        let (a, b) = if value == a { (one, b) } else { (a, one) };
        as_test(new, seen, relation, a, b).unwrap_or_else(|| new.compare(relation, a, b))
    };
    // What is no number is none of the candidates, and no comparison holds with it.
    let is_number = |one: &Term| new.is_defined(*one) && !new.is_partial(*one);
    let Some((first, rest)) = all.split_first().filter(|_| all.iter().all(is_number)) else {
        return new.compare(relation, a, b);
    };
    seen.changed = true;
    let first = compared(new, seen, *first);
    rest.iter().fold(first, |so_far, one| {
        let own = compared(new, seen, *one);
        // The largest is below a limit if all are.
        if largest == (value == a) { new.and(so_far, own) } else { new.or(so_far, own) }
    })
}

/// A count, which is at least 1 if it is not 0.
fn counts(terms: &Terms, seen: &mut Seen, term: Term) -> bool {
    let sight = seen.of(terms, term);
    sight.not_negative && sight.integer.is_some() && terms.is_defined(term)
}

/// The larger of two values, as a choice by whether a count is zero if it is that.
fn limited(new: &mut Terms, seen: &mut Seen, a: Term, b: Term) -> Term {
    let at_most_one = |terms: &Terms, term: Term| {
        terms.as_rational(term).is_some_and(|limit| limit.is_positive() && *limit <= BigRational::one())
    };
    let (count, limit) = if at_most_one(new, a) { (b, a) } else { (a, b) };
    if !at_most_one(new, limit) || count.as_constant().is_some() || !counts(new, seen, count) {
        return new.max(a, b);
    }
    seen.changed = true;
    let zero = tested(new, seen, count);
    new.select(zero, limit, count)
}

fn equal(new: &mut Terms, a: Term, b: Term) -> Term {
    let (a, b) = if Term::raw(a) <= Term::raw(b) { (a, b) } else { (b, a) };
    new.compare(Relation::Equal, a, b)
}

/// Whether a value is zero: one of its factors is, or what it is a root or a multiple of; a difference says that two
/// values are equal.
fn tested(new: &mut Terms, seen: &mut Seen, value: Term) -> Term {
    let (mut open, mut factors) = (vec![value], Vec::new());
    while let Some(value) = open.pop().map(|value| bare(new, value)) {
        match new.node(value) {
            Node::Mul(a, b) if a == b => open.push(a),
            Node::Mul(a, b) if open.len() + factors.len() < SHARED => open.extend([a, b]),
            Node::Unary(Unary::Sqrt, of) if seen.of(new, of).not_negative => open.push(of),
            _ => factors.push(value),
        }
    }
    factors.into_iter().fold(Term::FALSE, |any, factor| {
        let zero = match new.node(factor) {
            Node::Sub(a, b) => equal(new, a, b),
            _ => new.compare(Relation::Equal, factor, Term::ZERO),
        };
        new.or(any, zero)
    })
}

/// What a pair divides by, and takes roots and logarithms of, that is no constant.
pub(super) fn divisors(terms: &Terms, pair: (Term, Term), budget: &Budget) -> Result<Vec<Term>, Exhausted> {
    let below = |node: usize| match terms.node_at(node) {
        Node::Unary(function, of) if function.is_partial() => Some(of),
        node => node.divisor(),
    };
    let reach = Reach::of(terms, &[pair.0, pair.1], budget)?;
    Ok(reach.nodes().filter_map(below).filter(|of| of.as_constant().is_none()).collect())
}

/// Whether divisors are zero: what is asked of each value for that, once.
pub(super) fn tests(new: &mut Terms, seen: &mut Seen, divisors: &[Term]) -> Vec<Term> {
    let mut open: Vec<Term> = divisors.iter().rev().map(|of| tested(new, seen, *of)).collect();
    let (mut found, mut known) = (Vec::new(), FxHashSet::default());
    while let Some(condition) = open.pop() {
        match new.node(condition) {
            Node::Or(a, b) => open.extend([b, a]),
            _ if condition.as_constant().is_none() && known.insert(condition) => found.push(condition),
            _ => {}
        }
    }
    found
}

/// What is zero where a value is: the value without factors that are known, and without its sign.
fn bare(terms: &Terms, mut value: Term) -> Term {
    let known = |term: Term| terms.as_rational(term).is_some_and(|factor| !factor.is_zero());
    loop {
        value = match terms.node(value) {
            Node::Mul(a, b) if known(b) => a,
            Node::Mul(a, b) if known(a) => b,
            Node::Div(a, b) if known(b) => a,
            Node::Unary(Unary::Neg | Unary::Abs, a) => a,
            _ => return value,
        };
    }
}

/// What a value is the largest (or the smallest) of; itself if it is neither.
fn candidates(terms: &Terms, value: Term, largest: bool, most: usize) -> Vec<Term> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(value) = open.pop() {
        match terms.node(value) {
            Node::Max(a, b) if largest => open.extend([a, b]),
            Node::Min(a, b) if !largest => open.extend([a, b]),
            _ => found.push(value),
        }
        if open.len() + found.len() > most {
            return Vec::new();
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether one value is seen never to be above another: they are the ends of sets that share something.
fn is_at_most(terms: &Terms, low: Term, high: Term) -> bool {
    let (below, above) = (terms.node(low), terms.node(high));
    let ends = matches!(below, Node::Min(..)) || matches!(above, Node::Max(..));
    if !ends || matches!(below, Node::Max(..)) || matches!(above, Node::Min(..)) {
        return false;
    }
    let (low, high) = (candidates(terms, low, false, ENDS), candidates(terms, high, true, ENDS));
    low.iter().take(SHARED).any(|one| high.binary_search(one).is_ok())
}

/// One way in which a condition may hold.
#[derive(Clone)]
pub(super) struct Way {
    /// What terms are there.
    pub(super) known: FxHashMap<Term, Term>,
    /// Whether that is all that follows: with these terms replaced, nothing that is left is known to be anything.
    pub(super) solved: bool,
}

/// What is still to be followed.
#[derive(Clone, Copy)]
enum Fact {
    Zero(Term),
    Equal(Term, Term),
    Holds(Term, bool),
}

/// All ways in which a condition may hold (or not hold): one of them does where it does.
pub(super) fn where_holds(terms: &Terms, seen: &mut Seen, condition: Term, holds: bool) -> Vec<Way> {
    let start = Way { known: FxHashMap::default(), solved: true };
    let (mut open, mut found) = (vec![(start, vec![Fact::Holds(condition, holds)])], Vec::new());
    while let Some((mut way, mut facts)) = open.pop() {
        let mut possible = true;
        while let (true, Some(fact)) = (possible, facts.pop()) {
            let more = match fact {
                Fact::Holds(condition, holds) => hold(terms, &mut way, condition, holds),
                Fact::Equal(a, b) => be_equal(terms, &mut way, a, b),
                Fact::Zero(value) => be_zero(terms, seen, &mut way, value),
            };
            match more {
                None => possible = false,
                Some(More::All(more)) => facts.extend(more),
                Some(More::One([first, second])) if open.len() + found.len() + 1 < WAYS => {
                    let other = facts.iter().copied().chain(second).collect();
                    open.push((way.clone(), other));
                    facts.extend(first);
                }
                Some(More::One(_)) => way.solved = false,
            }
        }
        if possible {
            found.push(way.closed());
        }
    }
    found
}

/// What follows of a fact: all of these, or the ones or the others.
enum More {
    All(Vec<Fact>),
    One([Vec<Fact>; 2]),
}

impl More {
    const NOTHING: More = More::All(Vec::new());
}

/// Notes what a term is; `None` if it is something else.
fn note(way: &mut Way, term: Term, value: Term) -> Option<()> {
    match way.known.insert(term, value) {
        Some(before) if before != value => {
            // Both hold, and what follows of that is not looked at.
            if before.as_constant().is_some() && value.as_constant().is_some() {
                return None;
            }
            way.solved = false;
            Some(())
        }
        _ => Some(()),
    }
}

fn hold(terms: &Terms, way: &mut Way, condition: Term, holds: bool) -> Option<More> {
    if condition.as_constant().is_some() {
        return ((condition == Term::TRUE) == holds).then_some(More::NOTHING);
    }
    let said = if holds { Term::TRUE } else { Term::FALSE };
    note(way, condition, said)?;
    Some(match (terms.node(condition), holds) {
        (Node::Not(inner), _) => More::All(vec![Fact::Holds(inner, !holds)]),
        (Node::And(a, b), true) | (Node::Or(a, b), false) => {
            More::All(vec![Fact::Holds(a, holds), Fact::Holds(b, holds)])
        }
        (Node::And(a, b), false) | (Node::Or(a, b), true) => {
            More::One([vec![Fact::Holds(a, holds)], vec![Fact::Holds(b, holds)]])
        }
        (Node::Compare(Relation::Equal, a, b), true) => More::All(vec![match (a, b) {
            (Term::ZERO, value) | (value, Term::ZERO) => Fact::Zero(value),
            _ => Fact::Equal(a, b),
        }]),
        // Where something is not equal to another value, nothing is known to be anything.
        (Node::Compare(Relation::Equal, ..), false) => More::NOTHING,
        _ => {
            way.solved = false;
            More::NOTHING
        }
    })
}

fn be_equal(terms: &Terms, way: &mut Way, a: Term, b: Term) -> Option<More> {
    let (a, b) = (way.leaf(a), way.leaf(b));
    if a == b {
        return Some(More::NOTHING);
    }
    // Of what is put for an element, elements must be left: only if nothing else is known.
    let alone = way.known.len() <= 1;
    for (element, other) in [(a, b), (b, a)] {
        let Some(number) = element.as_element() else { continue };
        if other.as_node().is_none() || alone && !has_element(terms, other, number) {
            note(way, element, other)?;
            return Some(More::NOTHING);
        }
    }
    if let (Some(a), Some(b)) = (terms.as_rational(a), terms.as_rational(b))
        && a != b
    {
        return None;
    }
    let ends = |high: Term, low: Term| {
        let [high, low] =
            [(high, true), (low, false)].map(|(end, largest)| candidates(terms, end, largest, ENDS));
        (alone && high == low && high.iter().all(|one| one.as_element().is_some())).then_some(high)
    };
    match ends(a, b).or_else(|| ends(b, a)).as_deref() {
        Some([first, rest @ ..]) => {
            for other in rest {
                note(way, *other, *first)?;
            }
        }
        _ => way.solved = false,
    }
    Some(More::NOTHING)
}

fn has_element(terms: &Terms, root: Term, element: u32) -> bool {
    let (mut open, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if term.as_element() == Some(element) {
            return true;
        }
        if term.as_node().is_some() && seen.insert(term) {
            open.extend(operands(&terms.node(term)).into_iter().flatten());
        }
    }
    false
}

fn be_zero(terms: &Terms, seen: &mut Seen, way: &mut Way, value: Term) -> Option<More> {
    let value = way.leaf(bare(terms, value));
    if let Some(known) = terms.as_rational(value) {
        return known.is_zero().then_some(More::NOTHING);
    }
    if value.as_constant().is_some() {
        return None;
    }
    if way.known.get(&value) == Some(&Term::ZERO) {
        return Some(More::NOTHING);
    }
    if seen.of(terms, value).positive {
        return None;
    }
    note(way, value, Term::ZERO)?;
    let mut positive = |term: Term| seen.is_not_negative(terms, term);
    let both = |a: Term, b: Term| More::All(vec![Fact::Zero(a), Fact::Zero(b)]);
    let either = |a: Term, b: Term| More::One([vec![Fact::Zero(a)], vec![Fact::Zero(b)]]);
    Some(match terms.node(value) {
        Node::Element(_) => More::NOTHING,
        Node::Mul(a, b) if a == b => More::All(vec![Fact::Zero(a)]),
        Node::Mul(a, b) => either(a, b),
        Node::Add(a, b) | Node::Max(a, b) if positive(a) && positive(b) => both(a, b),
        Node::Fma(a, b, c) if a == b && positive(c) => both(a, c),
        Node::Fma(a, b, c) if positive(a) && positive(b) && positive(c) => {
            More::One([vec![Fact::Zero(a), Fact::Zero(c)], vec![Fact::Zero(b), Fact::Zero(c)]])
        }
        Node::Unary(Unary::Sqrt, a) => More::All(vec![Fact::Zero(a)]),
        Node::Sub(a, b) => More::All(vec![Fact::Equal(a, b)]),
        Node::Select(condition, a, b) => {
            let known = way.known.get(&condition).copied();
            let mut never = |branch: Term, on: Term| {
                known.is_some_and(|known| known != on)
                    || terms.as_rational(branch).is_some_and(|value| !value.is_zero())
                    || seen.of(terms, branch).positive
            };
            let first = vec![Fact::Holds(condition, true), Fact::Zero(a)];
            let second = vec![Fact::Holds(condition, false), Fact::Zero(b)];
            match (never(a, Term::TRUE), never(b, Term::FALSE)) {
                (true, true) => return None,
                (true, false) => More::All(second),
                (false, true) => More::All(first),
                (false, false) => More::One([first, second]),
            }
        }
        _ => {
            way.solved = false;
            More::NOTHING
        }
    })
}

/// What a root divides by, or takes the root or logarithm of, on a way.
pub(super) struct Divisors {
    /// Something of it is zero there.
    pub(super) is_zero: bool,
    /// Others that the way changes.
    pub(super) changed: Vec<Term>,
    /// So many nodes were looked at.
    pub(super) seen: usize,
}

impl Way {
    /// What an element is known to be, itself if nothing is.
    fn leaf(&self, term: Term) -> Term {
        let mut leaf = term;
        while leaf.as_element().is_some()
            && let Some(next) = self.known.get(&leaf).filter(|next| **next != leaf)
        {
            leaf = *next;
        }
        leaf
    }

    /// Everything that is known, with nothing left of what is known to be something else.
    fn closed(mut self) -> Way {
        let elements: Vec<Term> =
            self.known.keys().copied().filter(|term| term.as_element().is_some()).collect();
        for element in elements {
            let leaf = self.leaf(element);
            self.known.insert(element, leaf);
        }
        self
    }

    /// Elements that are something else: a number, or another element.
    pub(super) fn elements(&self) -> FxHashMap<u32, Term> {
        let changed = |(term, value): (&Term, &Term)| {
            let element = term.as_element().filter(|_| term != value)?;
            value.as_node().is_none().then_some((element, *value))
        };
        self.known.iter().filter_map(changed).collect()
    }

    /// Follows roots on the way: what they become, and what they divide by. (A quotient that a zero is multiplied with
    /// is not to be seen any more in what they become.)
    pub(super) fn follow(
        &mut self,
        terms: &mut Terms,
        roots: &[Term],
        budget: &Budget,
    ) -> Result<(Vec<Term>, Divisors), Exhausted> {
        let before = terms.len();
        let new = roots.iter().map(|root| terms.replaced(*root, &mut self.known)).collect();
        let mut found = Divisors { is_zero: false, changed: Vec::new(), seen: 0 };
        let (mut open, mut seen) = (roots.to_vec(), FxHashSet::default());
        while let Some(term) = open.pop() {
            if term.as_node().is_none() || !seen.insert(term) {
                continue;
            }
            let node = terms.node(term);
            if let Some(of) = node.divisor() {
                let there = self.known.get(&of).copied().unwrap_or(of);
                found.is_zero |= matches!(terms.node(there), Node::Sub(a, b) if a == b)
                    || number(terms, there).is_some_and(|number| number.is_zero());
                if there != of && there.as_constant().is_none() {
                    found.changed.push(there);
                }
            }
            match node {
                Node::Select(condition, a, b) => match self.known.get(&condition) {
                    Some(&Term::TRUE) => open.push(a),
                    Some(&Term::FALSE) => open.push(b),
                    _ => open.extend([condition, a, b]),
                },
                node => open.extend(operands(&node).into_iter().flatten()),
            }
        }
        found.changed.sort_unstable();
        found.changed.dedup();
        found.seen = terms.len() - before + seen.len();
        budget.spend(found.seen as u64)?;
        Ok((new, found))
    }
}

/// The number that a term is which depends on no element, if it is a small one.
fn number(terms: &Terms, term: Term) -> Option<BigRational> {
    let mut known: FxHashMap<Term, BigRational> = FxHashMap::default();
    let (mut open, mut left) = (vec![(term, false)], SHARED);
    while let Some((term, ready)) = open.pop() {
        if let Some(number) = terms.as_rational(term) {
            known.insert(term, number.clone());
            continue;
        }
        term.as_node()?;
        let node = terms.node(term);
        if !ready {
            left = left.checked_sub(1)?;
            open.push((term, true));
            open.extend(operands(&node).into_iter().flatten().map(|operand| (operand, false)));
            continue;
        }
        let of = |operand: Term| known.get(&operand);
        let number = match node {
            Node::Add(a, b) => of(a)? + of(b)?,
            Node::Sub(a, b) => of(a)? - of(b)?,
            Node::Mul(a, b) => of(a)? * of(b)?,
            Node::Fma(a, b, c) => of(a)? * of(b)? + of(c)?,
            Node::Unary(Unary::Neg, a) => -of(a)?,
            Node::Div(a, b) if !of(b)?.is_zero() => of(a)? / of(b)?,
            _ => return None,
        };
        known.insert(term, number);
    }
    known.remove(&term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::split::copied;

    const FORMATS: [Format; 5] = [Format::F32, Format::F32, Format::F32, Format::U8, Format::S32];

    /// Elements 0 to 2 are floats, 3 is a byte, 4 an integer with a sign.
    fn store() -> Terms {
        let mut terms = Terms::new();
        for (element, format) in FORMATS.into_iter().enumerate() {
            terms.note_elements(element as u32, format);
        }
        terms
    }

    type Form = fn(&mut Terms, [Term; 5]) -> Term;

    /// What is known in each way in which a condition holds, and whether that is all.
    fn ways(condition: Form) -> (Terms, Vec<Way>) {
        let mut old = store();
        let root = condition(&mut old, [0, 1, 2, 3, 4].map(Term::element));
        let (mut new, mut seen) = (Terms::beside(&old), Seen::default());
        let root = copied(&mut new, &mut seen, &old, &[root], &Budget::default()).expect("small")[0];
        let ways = where_holds(&new, &mut seen, root, true);
        (new, ways)
    }

    fn zero_elements(way: &Way) -> Vec<u32> {
        let zero = |(term, value): (&Term, &Term)| term.as_element().filter(|_| *value == Term::ZERO);
        let mut found: Vec<u32> = way.known.iter().filter_map(zero).collect();
        found.sort_unstable();
        found
    }

    fn is_zero(terms: &mut Terms, value: Term) -> Term {
        terms.compare(Relation::Equal, value, Term::ZERO)
    }

    #[test]
    fn where_a_sum_is_zero_that_is_not_negative_each_part_is() {
        let forms: [Form; 4] = [
            |t, [x, y, ..]| {
                let square = t.mul(x, x);
                let sum = t.fma(y, y, square);
                is_zero(t, sum)
            },
            |t, [x, y, ..]| {
                let (a, b) = (t.unary(Unary::Abs, x), t.unary(Unary::Abs, y));
                let most = t.max(a, b);
                let positive = t.compare(Relation::Less, Term::ZERO, most);
                t.not(positive)
            },
            |t, [x, y, ..]| {
                let (a, b) = (t.mul(x, x), t.mul(y, y));
                let sum = t.add(a, b);
                let root = t.unary(Unary::Sqrt, sum);
                t.compare(Relation::LessEqual, root, Term::ZERO)
            },
            |t, [x, y, ..]| {
                let (a, b) = (is_zero(t, x), is_zero(t, y));
                t.and(a, b)
            },
        ];
        for (at, form) in forms.into_iter().enumerate() {
            let (_, ways) = ways(form);
            let [way] = ways.as_slice() else { panic!("{at}: {} ways", ways.len()) };
            assert_eq!((zero_elements(way), way.solved), (vec![0, 1], true), "{at}");
        }
    }

    #[test]
    fn where_a_product_is_zero_one_factor_is() {
        let (_, ways) = ways(|t, [x, y, ..]| {
            let product = t.mul(x, y);
            is_zero(t, product)
        });
        let mut found: Vec<Vec<u32>> = ways.iter().map(zero_elements).collect();
        found.sort();
        assert_eq!(found, [[0], [1]]);
    }

    #[test]
    fn what_is_positive_is_never_zero() {
        let forms: [Form; 3] = [
            |t, [x, ..]| {
                let above = t.fma(x, x, Term::ONE);
                is_zero(t, above)
            },
            |t, [x, y, ..]| {
                let power = t.unary(Unary::Exp, x);
                let sum = t.fma(y, y, power);
                is_zero(t, sum)
            },
            |t, [.., byte, _]| {
                let more = t.add(byte, Term::ONE);
                is_zero(t, more)
            },
        ];
        forms.into_iter().for_each(|form| assert!(ways(form).1.is_empty()));
    }

    #[test]
    fn where_a_count_is_zero_nothing_is_counted() {
        let (_, found) = ways(|t, [x, y, _, _, integer]| {
            let conditions = [is_zero(t, x), is_zero(t, integer), t.compare(Relation::Equal, x, y)];
            // As an `if` that counts, and as sums of ones.
            let mut count = Term::ZERO;
            for (at, condition) in conditions.into_iter().enumerate() {
                count = if at == 1 {
                    let more = t.add(count, Term::ONE);
                    t.select(condition, count, more)
                } else {
                    let one = t.select(condition, Term::ONE, Term::ZERO);
                    t.add(count, one)
                };
            }
            t.compare(Relation::Less, count, Term::ONE)
        });
        let [way] = found.as_slice() else { panic!("{} ways", found.len()) };
        assert_eq!((zero_elements(way), way.solved), (vec![4], true));
        // An integer with a sign counts nothing.
        let (_, found) = ways(|t, [.., integer]| t.compare(Relation::Less, integer, Term::ONE));
        assert!(!found[0].solved);
    }

    #[test]
    fn where_the_ends_of_a_set_are_one_all_of_it_is() {
        let (terms, found) = ways(|t, [x, y, z, ..]| {
            let (high, low) = (t.max(x, y), t.min(x, y));
            let (high, low) = (t.max(high, z), t.min(low, z));
            let above = t.compare(Relation::Less, low, high);
            t.not(above)
        });
        let [mut way] = found.try_into().unwrap_or_else(|found: Vec<Way>| panic!("{} ways", found.len()));
        let mut terms = terms;
        let new = [0, 1, 2].map(|element| terms.replaced(Term::element(element), &mut way.known));
        assert!(way.solved && new[0] == new[1] && new[1] == new[2]);
        // Not so of two sets.
        let (_, found) = ways(|t, [x, y, z, ..]| {
            let (high, low) = (t.max(x, y), t.min(y, z));
            let difference = t.sub(high, low);
            is_zero(t, difference)
        });
        assert!(found.iter().all(|way| !way.solved));
    }

    #[test]
    fn numbers_that_add_up_to_zero_are_zero() {
        let mut old = store();
        let x = Term::element(0);
        let difference = old.sub(Term::ONE, x);
        let quotient = old.div(Term::ONE, difference);
        let condition = old.compare(Relation::Equal, Term::ONE, x);
        let mut ways = where_holds(&old, &mut Seen::default(), condition, true);
        let (_, divisors) = ways[0].follow(&mut old, &[quotient], &Budget::default()).expect("small");
        assert!(divisors.is_zero && ways[0].solved);
    }

    #[test]
    fn a_quotient_that_zero_is_multiplied_with_is_seen() {
        let mut old = store();
        let [x, y] = [0, 1].map(Term::element);
        let quotient = old.div(Term::ONE, x);
        let product = old.mul(quotient, y);
        let condition = old.compare(Relation::Equal, x, Term::ZERO);
        let guarded = old.select(condition, Term::ZERO, product);
        let mut seen = Seen::default();
        let mut ways = where_holds(&old, &mut seen, condition, true);
        ways[0].known.insert(y, Term::ZERO);
        let budget = Budget::default();
        let (new, divisors) = ways[0].follow(&mut old, &[product], &budget).expect("small");
        assert!(divisors.is_zero, "{new:?}");
        let (new, divisors) = ways[0].follow(&mut old, &[guarded], &budget).expect("small");
        assert!(!divisors.is_zero && new == [Term::ZERO]);
    }
}
