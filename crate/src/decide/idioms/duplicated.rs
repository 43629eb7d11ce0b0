//! Code behind a function that a compiler has put into each of the function's own branches.
//!
//! `x - logf(s)` becomes `if bits > 0x7f7fffff { x - (s == 0 ? -∞ : ∞·s + ∞) } else if s == 0 { x + ∞ } else { x - core }`,
//! in a loop with all that stands behind it. Here what the branches have in common is taken out of them again: a choice
//! between two steps that differ in one operand is that step of a choice.
//!
//! Words that are chosen and then read as a float are floats that are chosen, here as well.
//!
//! Guarantees: the new terms are the old ones at all inputs, on floats as well.
//! Misses: branches that compilers went on to simplify, beyond what becomes of ±∞ in a sum.

use super::build;
use crate::base::{Budget, Exhausted};
use crate::term::eval::{Reach, operands, with_operands};
use crate::term::{Node, Number, Relation, Term, Terms};
use num_rational::BigRational;
use num_traits::One;

/// Steps among which an infinity is looked for.
const NEAR: usize = 48;
/// Steps within one another that are taken out.
const DEEPEST: u32 = 32;
/// Steps that one choice may take: what is chosen may be shared by many ways to it.
const STEPS: u32 = 1 << 10;

/// A store in which that is done, where each old node of the roots' cone is in it, and where constants are.
pub(super) struct Undone {
    pub(super) terms: Terms,
    pub(super) places: Vec<Term>,
    constants: Vec<Term>,
    /// Whether words were chosen that are floats.
    pub(super) words: bool,
}

impl Undone {
    /// Where an old term is.
    pub(super) fn place(&self, term: Term) -> Term {
        match (term.as_node(), term.as_constant()) {
            (Some(step), _) => self.places.get(step).copied().unwrap_or(Term::ZERO),
            (_, Some(constant)) => self.constants[constant],
            _ => term,
        }
    }
}

/// That store; none if there is nothing to do.
pub(super) fn undone(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Option<Undone>, Exhausted> {
    let is_one = |number: &Number| matches!(number, Number::Infinity | Number::MinusInfinity);
    let infinite = terms.constants().iter().any(|constant| is_one(&constant.number));
    let reach = Reach::of(terms, roots, budget)?;
    let (mut any, mut words) = (false, false);
    for at in reach.nodes() {
        let node = terms.node_at(at);
        any |= infinite && is_candidate(terms, &node);
        words |= chooses_words(terms, &node);
    }
    if !any && !words {
        return Ok(None);
    }
    let mut new = Terms::beside(terms);
    let constants: Vec<Term> =
        terms.constants().iter().map(|constant| new.constant(constant.clone())).collect();
    let mut places = vec![Term::ZERO; terms.len()];
    for (turn, at) in reach.nodes().enumerate() {
        if turn.is_multiple_of(8192) {
            budget.spend(8192)?;
        }
        let old = terms.node_at(at);
        let node = with_operands(&old, |operand| match (operand.as_node(), operand.as_constant()) {
            (Some(step), _) => places[step],
            (_, Some(constant)) => constants[constant],
            _ => operand,
        });
        places[at] = match node {
            Node::Select(condition, a, b) if infinite && is_candidate(&new, &node) => {
                let choice = new.select(condition, a, b);
                let mut left = STEPS;
                let choice = simplified(&mut new, choice, &mut Vec::new(), &mut left);
                joined(&mut new, choice, 0, &mut left)
            }
            _ => build(&mut new, terms, &node),
        };
        new.note_through(places[at], terms, Term::from_node(at));
    }
    Ok(Some(Undone { terms: new, places, constants, words }))
}

/// Whether a float is read from a word that is chosen among those of floats.
fn chooses_words(terms: &Terms, node: &Node) -> bool {
    let Node::FromBits(format, word) = *node else { return false };
    let is_chosen = |term: Term| matches!(terms.node(term), Node::Select(..));
    let is_float = |term: Term| matches!(terms.node(term), Node::BitsOf(of, _) if of == format);
    match terms.node(word) {
        Node::Select(_, a, b) => {
            format.is_float() && [a, b].iter().any(|arm| is_float(*arm) || is_chosen(*arm))
        }
        _ => false,
    }
}

/// Whether a choice is one that libraries make, between what may be infinite.
fn is_candidate(terms: &Terms, node: &Node) -> bool {
    let Node::Select(condition, a, b) = *node else { return false };
    let is_step = |term: Term| term.as_node().is_some();
    (is_step(a) || is_step(b))
        && (is_step(a) || is_infinite(a))
        && (is_step(b) || is_infinite(b))
        && asks_bits_or_zero(terms, condition)
        && [a, b].iter().any(|arm| is_infinite(*arm) || nears_infinity(terms, *arm))
}

/// Whether a condition asks for the bits of a float, or whether something is 0.
fn asks_bits_or_zero(terms: &Terms, condition: Term) -> bool {
    let is_word = |term: Term| {
        matches!(terms.node(term), Node::FromBits(format, word)
            if !format.is_float() && matches!(terms.node(word), Node::BitsOf(..) | Node::Bits(..)))
    };
    match terms.node(condition) {
        Node::Not(a) => asks_bits_or_zero(terms, a),
        Node::And(a, b) | Node::Or(a, b) => asks_bits_or_zero(terms, a) && asks_bits_or_zero(terms, b),
        Node::Compare(Relation::Equal, a, b) => a == Term::ZERO || b == Term::ZERO,
        Node::Compare(_, a, b) => is_word(a) || is_word(b),
        Node::Bits(op, ..) => op.is_condition(),
        _ => false,
    }
}

fn nears_infinity(terms: &Terms, term: Term) -> bool {
    let (mut near, mut next) = (vec![term], 0);
    while next < near.len() {
        for operand in operands(&terms.node(near[next])).into_iter().flatten() {
            if is_infinite(operand) {
                return true;
            }
            if near.len() < NEAR && operand.as_node().is_some() && !near.contains(&operand) {
                near.push(operand);
            }
        }
        next += 1;
    }
    false
}

/// A choice, with what both arms have in common around it.
fn chosen(terms: &mut Terms, condition: Term, [a, b]: [Term; 2], depth: u32, left: &mut u32) -> Term {
    let [a, b] = [(a, true), (b, false)]
        .map(|(arm, holds)| simplified(terms, arm, &mut vec![(condition, holds)], left));
    if a == b || depth == DEEPEST || *left == 0 {
        return by_words(terms, condition, a, b);
    }
    let mut inner = |terms: &mut Terms, a: Term, b: Term| chosen(terms, condition, [a, b], depth + 1, left);
    let (x, y) = (terms.node(a), terms.node(b));
    match (x, y) {
        (Node::Select(own, p, q), Node::Select(other, r, s)) if own == other && (p == r || q == s) => {
            let p = if p == r { p } else { inner(terms, p, r) };
            let q = if q == s { q } else { inner(terms, q, s) };
            return terms.select(own, p, q);
        }
        // A difference with an infinity in it is one.
        (_, Node::Sub(p, q)) if let Some((first, infinity)) = swallowed(terms, a, [p, q]) => {
            let part = inner(terms, infinity, if first { p } else { q });
            return if first { terms.sub(part, q) } else { terms.sub(p, part) };
        }
        (Node::Sub(p, q), _) if let Some((first, infinity)) = swallowed(terms, b, [p, q]) => {
            let part = inner(terms, if first { p } else { q }, infinity);
            return if first { terms.sub(part, q) } else { terms.sub(p, part) };
        }
        // What an infinity was subtracted from.
        (Node::Add(..), Node::Sub(p, q)) if let Some(infinity) = beside(&x, p) => {
            let part = inner(terms, opposite(infinity), q);
            return terms.sub(p, part);
        }
        (Node::Sub(p, q), Node::Add(..)) if let Some(infinity) = beside(&y, p) => {
            let part = inner(terms, q, opposite(infinity));
            return terms.sub(p, part);
        }
        _ => {}
    }
    if std::mem::discriminant(&x) != std::mem::discriminant(&y) || matches!(x, Node::Select(..)) {
        return by_words(terms, condition, a, b);
    }
    // The operand in which they differ, if it is one.
    let (first, second) = (operands(&x), operands(&y));
    let commutes = matches!(x, Node::Add(..) | Node::Mul(..) | Node::Fma(..) | Node::Max(..) | Node::Min(..));
    let mut second_order = second;
    if commutes
        && first[0] != second[0]
        && first[1] != second[1]
        && (first[0] == second[1] || first[1] == second[0])
    {
        second_order.swap(0, 1);
    }
    let differ: Vec<usize> = (0..3).filter(|at| first[*at] != second_order[*at]).collect();
    let ([at], Some(p), Some(q)) = (
        &differ[..],
        differ.first().and_then(|at| first[*at]),
        differ.first().and_then(|at| second_order[*at]),
    ) else {
        return by_words(terms, condition, a, b);
    };
    // Nothing but that operand differs: the same step with a choice in its place is the first step again.
    let mut place = 0;
    let marked = with_operands(&x, |operand| {
        place += 1;
        if place - 1 == *at { q } else { operand }
    });
    if marked != y && !(commutes && second_order != second) {
        return by_words(terms, condition, a, b);
    }
    let part = inner(terms, p, q);
    let mut place = 0;
    let joined = with_operands(&x, |operand| {
        place += 1;
        if place - 1 == *at { part } else { operand }
    });
    terms.made(&joined)
}

/// A choice, by a word that is below a number where it asks whether it is above the one before.
fn by_words(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Term {
    if let Node::Compare(Relation::Less, number, word) = terms.node(condition)
        && let Node::FromBits(format, _) = terms.node(word)
        && !format.is_float()
        && let Some(number) = terms.as_rational(number).filter(|number| number.is_integer())
    {
        let next = number + BigRational::one();
        let next = terms.rational(next);
        let below = terms.compare(Relation::Less, word, next);
        return terms.select(below, b, a);
    }
    terms.select(condition, a, b)
}

/// A choice whose inner choices are not asked again what the outer ones say: what a branch leaves under its condition
/// has the others' contraries in it, and what was there before where all of them fail.
fn simplified(terms: &mut Terms, term: Term, known: &mut Vec<(Term, bool)>, left: &mut u32) -> Term {
    let Node::Select(condition, a, b) = terms.node(term) else { return term };
    if known.len() as u32 >= DEEPEST || *left == 0 {
        return term;
    }
    *left -= 1;
    let condition = match rest_of(terms, condition, known, left) {
        Term::TRUE => return simplified(terms, a, known, left),
        Term::FALSE => return simplified(terms, b, known, left),
        rest => rest,
    };
    let [a, b] = [(a, true), (b, false)].map(|(arm, holds)| {
        known.push((condition, holds));
        let arm = simplified(terms, arm, known, left);
        known.pop();
        arm
    });
    terms.select(condition, a, b)
}

/// What is left of a condition where others are known.
fn rest_of(terms: &mut Terms, condition: Term, known: &[(Term, bool)], left: &mut u32) -> Term {
    if *left == 0 {
        return condition;
    }
    *left -= 1;
    for (at, (other, holds)) in known.iter().enumerate() {
        if *other == condition {
            return if *holds { Term::TRUE } else { Term::FALSE };
        }
        // Of two that do not hold together, one that holds excludes the other.
        if let (Node::And(a, b), false) = (terms.node(*other), *holds) {
            for (one, two) in [(a, b), (b, a)] {
                if two == condition && rest_of(terms, one, &known[..at], left) == Term::TRUE {
                    return Term::FALSE;
                }
            }
        }
    }
    match terms.node(condition) {
        Node::Not(a) => {
            let a = rest_of(terms, a, known, left);
            terms.not(a)
        }
        Node::And(a, b) => {
            let (a, b) = (rest_of(terms, a, known, left), rest_of(terms, b, known, left));
            terms.and(a, b)
        }
        Node::Or(a, b) => {
            let (a, b) = (rest_of(terms, a, known, left), rest_of(terms, b, known, left));
            terms.or(a, b)
        }
        _ => condition,
    }
}

/// Choices within one another with what their arms have in common around them, the inner ones first.
fn joined(terms: &mut Terms, term: Term, depth: u32, left: &mut u32) -> Term {
    match terms.node(term) {
        Node::Select(condition, a, b)
            if depth < DEEPEST && *left > 0 && is_candidate(terms, &Node::Select(condition, a, b)) =>
        {
            *left -= 1;
            let [a, b] = [a, b].map(|arm| joined(terms, arm, depth + 1, left));
            chosen(terms, condition, [a, b], 0, left)
        }
        _ => term,
    }
}

/// Which side of a difference was infinite where that is an infinity: the one that a function's last step may be; and
/// what it was.
fn swallowed(terms: &Terms, infinity: Term, [p, q]: [Term; 2]) -> Option<(bool, Term)> {
    if !is_infinite(infinity) {
        return None;
    }
    let is_last = |term: Term| matches!(terms.node(term), Node::Fma(..) | Node::Select(..));
    // It comes out from under the choice, so it has to be a number there, too.
    let is_number =
        |term: Term| !terms.may_be_infinite(term) && terms.is_defined(term) && !terms.is_partial(term);
    match (is_last(p), is_last(q)) {
        (true, false) if is_number(q) => Some((true, infinity)),
        (false, true) if is_number(p) => Some((false, opposite(infinity))),
        _ => None,
    }
}

/// The infinity that is added to a term.
fn beside(sum: &Node, term: Term) -> Option<Term> {
    match *sum {
        Node::Add(a, b) if a == term && is_infinite(b) => Some(b),
        Node::Add(a, b) if b == term && is_infinite(a) => Some(a),
        _ => None,
    }
}

fn is_infinite(term: Term) -> bool {
    term == Term::INFINITY || term == Term::MINUS_INFINITY
}

fn opposite(infinity: Term) -> Term {
    if infinity == Term::INFINITY { Term::MINUS_INFINITY } else { Term::INFINITY }
}
