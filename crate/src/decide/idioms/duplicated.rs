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
use crate::term::eval::{operands, with_operands};
use crate::term::{Node, Number, Relation, Term, Terms};

/// Steps among which an infinity is looked for.
const NEAR: usize = 48;
/// Steps within one another that are taken out.
const DEEPEST: u32 = 32;

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
    let is_infinite = |number: &Number| matches!(number, Number::Infinity | Number::MinusInfinity);
    let infinite = terms.constants().iter().any(|constant| is_infinite(&constant.number));
    let count = roots.iter().filter_map(|root| root.as_node()).max().map_or(0, |most| most + 1);
    let mut needed = vec![0u64; count.div_ceil(64)];
    for step in roots.iter().filter_map(|root| root.as_node()) {
        needed[step / 64] |= 1 << (step % 64);
    }
    let mut reader = terms.reader();
    let (mut any, mut words) = (false, false);
    for at in (0..count).rev() {
        if at.is_multiple_of(8192) {
            budget.spend(8192)?;
        }
        if needed[at / 64] >> (at % 64) & 1 == 0 {
            continue;
        }
        let node = reader.node_at(at);
        any |= infinite && is_candidate(terms, &node);
        words |= chooses_words(terms, &node);
        for step in operands(&node).into_iter().flatten().filter_map(|operand| operand.as_node()) {
            needed[step / 64] |= 1 << (step % 64);
        }
    }
    if !any && !words {
        return Ok(None);
    }
    let mut new = Terms::new();
    for (first, format) in terms.element_formats() {
        new.note_elements(first, format);
    }
    for leaf in terms.half_leaves() {
        new.note_half(leaf);
    }
    let constants: Vec<Term> =
        terms.constants().iter().map(|constant| new.constant(constant.clone())).collect();
    let mut places = vec![Term::ZERO; needed.len() * 64];
    for at in 0..count {
        if at.is_multiple_of(8192) {
            budget.spend(8192)?;
        }
        if needed[at / 64] >> (at % 64) & 1 == 0 {
            continue;
        }
        let old = terms.node_at(at);
        let node = with_operands(&old, |operand| match (operand.as_node(), operand.as_constant()) {
            (Some(step), _) => places[step],
            (_, Some(constant)) => constants[constant],
            _ => operand,
        });
        places[at] = match node {
            Node::Select(condition, a, b) if is_candidate(&new, &node) => {
                chosen(&mut new, condition, a, b, 0)
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
    let both_steps = a.as_node().is_some() && b.as_node().is_some();
    both_steps
        && asks_bits_or_zero(terms, condition)
        && (nears_infinity(terms, a) || nears_infinity(terms, b))
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
            if operand == Term::INFINITY || operand == Term::MINUS_INFINITY {
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
fn chosen(terms: &mut Terms, condition: Term, a: Term, b: Term, depth: u32) -> Term {
    let a = where_known(terms, condition, true, a);
    let b = where_known(terms, condition, false, b);
    if a == b || depth == DEEPEST {
        return terms.select(condition, a, b);
    }
    let inner = |terms: &mut Terms, a: Term, b: Term| chosen(terms, condition, a, b, depth + 1);
    let (x, y) = (terms.node(a), terms.node(b));
    match (x, y) {
        (Node::Select(own, p, q), Node::Select(other, r, s)) if own == other && (p == r || q == s) => {
            let p = if p == r { p } else { inner(terms, p, r) };
            let q = if q == s { q } else { inner(terms, q, s) };
            return terms.select(own, p, q);
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
        return terms.select(condition, a, b);
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
        return terms.select(condition, a, b);
    };
    // Nothing but that operand differs: the same step with a choice in its place is the first step again.
    let mut place = 0;
    let marked = with_operands(&x, |operand| {
        place += 1;
        if place - 1 == *at { q } else { operand }
    });
    if marked != y && !(commutes && second_order != second) {
        return terms.select(condition, a, b);
    }
    let part = inner(terms, p, q);
    let mut place = 0;
    let joined = with_operands(&x, |operand| {
        place += 1;
        if place - 1 == *at { part } else { operand }
    });
    terms.made(&joined)
}

/// What is chosen where a condition is known to hold, or not to.
fn where_known(terms: &mut Terms, condition: Term, holds: bool, term: Term) -> Term {
    let Node::Select(own, a, b) = terms.node(term) else { return term };
    let is_known = |terms: &Terms, part: Term| match terms.node(part) {
        Node::Not(inner) => !holds && inner == condition,
        _ => holds && part == condition,
    };
    let rest = match terms.node(own) {
        Node::And(p, q) if is_known(terms, p) => q,
        Node::And(p, q) if is_known(terms, q) => p,
        _ => return term,
    };
    terms.select(rest, a, b)
}

/// The infinity that is added to a term.
fn beside(sum: &Node, term: Term) -> Option<Term> {
    let is_infinite = |term: Term| term == Term::INFINITY || term == Term::MINUS_INFINITY;
    match *sum {
        Node::Add(a, b) if a == term && is_infinite(b) => Some(b),
        Node::Add(a, b) if b == term && is_infinite(a) => Some(a),
        _ => None,
    }
}

fn opposite(infinity: Term) -> Term {
    if infinity == Term::INFINITY { Term::MINUS_INFINITY } else { Term::INFINITY }
}
