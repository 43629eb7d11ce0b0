//! Library functions, recognised in the code that compilers inline for them.
//!
//! `expf` in a precise build is thirteen instructions with a rounding trick and a shift of float
//! bits; over the reals that means nothing until it is seen as a whole. This pass finds the shapes
//! of [`IDIOMS`] in the terms of a kernel and rebuilds the cone with the real functions in their
//! place. It works on terms, not on instructions, so neither register allocation nor scheduling
//! matters; a product that a compiler fused into a following addition or negated is found too.
//!
//! Guarantees: only shapes of the table are replaced, constants equal to the last bit; operands
//! stand before the terms that use them, as in every store; what is replaced is counted. A store
//! without idioms is not copied.
//! Misses: shapes that an optimizer rearranged across the function's border.

mod shape;
mod table;

pub use table::{IDIOMS, Idiom};

use crate::base::{Budget, Exhausted};
use crate::term::eval::{operands, with_operands};
use crate::term::{Node, Term, Terms, Unary};
use rustc_hash::FxHashMap;
use shape::{Bindings, Matcher};

/// A store in which idioms were replaced.
pub struct Rewritten {
    /// The new store: the cone of the roots, nothing else.
    pub terms: Terms,
    /// The roots in the new store, in the order given.
    pub roots: Vec<Term>,
    /// How often each idiom (by name, in the order of the table) was replaced.
    pub recognised: Vec<(&'static str, u64)>,
}

/// An idiom found at a node: `±meaning(bindings) + addend`.
struct Found {
    row: usize,
    bindings: Bindings,
    negated: bool,
    addend: Option<Term>,
}

/// Replaces the idioms below `roots`; `None` if there are none.
pub fn rewrite(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Option<Rewritten>, Exhausted> {
    let mut shapes = Terms::new();
    let placeholders = [0, 1].map(Term::element);
    let rows: Vec<Term> = IDIOMS.iter().map(|idiom| (idiom.shape)(&mut shapes, &placeholders)).collect();
    let finder = Finder { terms, shapes: &shapes, rows: &rows };
    let (needed, found) = finder.search(roots, budget)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mut new = Terms::new();
    let mut recognised = vec![0u64; IDIOMS.len()];
    let mut places: Vec<Term> = vec![Term::ZERO; needed.len() * 64];
    let mut copied = FxHashMap::default();
    for node in 0..needed.len() * 64 {
        if node.is_multiple_of(8192) {
            budget.poll()?;
        }
        if needed[node / 64] >> (node % 64) & 1 == 0 {
            continue;
        }
        let mut map = |new: &mut Terms, term: Term| match (term.as_node(), term.as_constant()) {
            (Some(node), _) => places[node],
            (_, Some(constant)) => {
                *copied.entry(constant).or_insert_with(|| new.constant(terms.constant_at(constant).clone()))
            }
            _ => term,
        };
        places[node] = match found.get(&node) {
            Some(found) => {
                let mut values = [Term::ZERO; shape::PLACEHOLDERS];
                for (value, binding) in values.iter_mut().zip(found.bindings) {
                    *value = binding.map_or(Term::ZERO, |term| map(&mut new, term));
                }
                recognised[found.row] += 1;
                let mut result = (IDIOMS[found.row].meaning)(&mut new, &values);
                if found.negated {
                    result = new.neg(result);
                }
                match found.addend {
                    Some(addend) => {
                        let addend = map(&mut new, addend);
                        new.add(result, addend)
                    }
                    None => result,
                }
            }
            None => {
                let old = terms.node_at(node);
                let node = with_operands(&old, |operand| map(&mut new, operand));
                build(&mut new, terms, &node)
            }
        };
    }
    let roots = roots
        .iter()
        .map(|root| match (root.as_node(), root.as_constant()) {
            (Some(node), _) => places[node],
            (_, Some(constant)) => new.constant(terms.constant_at(constant).clone()),
            _ => *root,
        })
        .collect();
    let mut names: Vec<(&'static str, u64)> = Vec::new();
    for (idiom, count) in IDIOMS.iter().zip(recognised).filter(|(_, count)| *count > 0) {
        match names.iter_mut().find(|(name, _)| *name == idiom.name) {
            Some((_, total)) => *total += count,
            None => names.push((idiom.name, count)),
        }
    }
    Ok(Some(Rewritten { terms: new, roots, recognised: names }))
}

struct Finder<'a> {
    terms: &'a Terms,
    shapes: &'a Terms,
    rows: &'a [Term],
}

impl Finder<'_> {
    /// From the roots down: which nodes are needed once idioms are replaced, and the idioms.
    fn search(
        &self,
        roots: &[Term],
        budget: &Budget,
    ) -> Result<(Vec<u64>, FxHashMap<usize, Found>), Exhausted> {
        let count = roots.iter().filter_map(|root| root.as_node()).max().map_or(0, |most| most + 1);
        let mut needed = vec![0u64; count.div_ceil(64)];
        let mut found = FxHashMap::default();
        let mark = |needed: &mut Vec<u64>, term: Term| {
            if let Some(node) = term.as_node() {
                needed[node / 64] |= 1 << (node % 64);
            }
        };
        roots.iter().for_each(|root| mark(&mut needed, *root));
        // Users stand behind their operands, so one pass backwards sees every user first.
        for at in (0..count).rev() {
            if at.is_multiple_of(8192) {
                budget.poll()?;
            }
            if needed[at / 64] >> (at % 64) & 1 == 0 {
                continue;
            }
            let node = self.terms.node_at(at);
            match self.find(at, &node) {
                Some(idiom) => {
                    idiom.bindings.into_iter().flatten().for_each(|term| mark(&mut needed, term));
                    idiom.addend.into_iter().for_each(|term| mark(&mut needed, term));
                    found.insert(at, idiom);
                }
                None => operands(&node).into_iter().flatten().for_each(|term| mark(&mut needed, term)),
            }
        }
        Ok((needed, found))
    }

    fn find(&self, at: usize, node: &Node) -> Option<Found> {
        let term = Term::from_node(at);
        (0..self.rows.len()).find_map(|row| {
            let (bindings, negated, addend) = match (self.shapes.node(self.rows[row]), *node) {
                (Node::Mul(a, b), Node::Mul(x, y)) => {
                    let (bindings, negated) = self.product((a, b), (x, y))?;
                    (bindings, negated, None)
                }
                (Node::Mul(a, b), Node::Fma(x, y, z)) => {
                    let (bindings, negated) = self.product((a, b), (x, y))?;
                    (bindings, negated, Some(z))
                }
                _ => (self.whole(self.rows[row], term)?, false, None),
            };
            Some(Found { row, bindings, negated, addend })
        })
    }

    fn whole(&self, shape: Term, term: Term) -> Option<Bindings> {
        let mut matcher = Matcher::new(self.shapes, self.terms);
        matcher.matches(shape, term).then_some(matcher.bindings)
    }

    /// A product of two factors, either of which may have been negated.
    fn product(&self, shape: (Term, Term), (x, y): (Term, Term)) -> Option<(Bindings, bool)> {
        let positive = |term| match self.terms.node(term) {
            Node::Unary(Unary::Neg, inner) => (inner, true),
            _ => (term, false),
        };
        let ((x, x_negated), (y, y_negated)) = (positive(x), positive(y));
        let mut matcher = Matcher::new(self.shapes, self.terms);
        matcher.either_order(shape, (x, y)).then_some((matcher.bindings, x_negated != y_negated))
    }
}

/// The node again, in another store; operands are already there.
fn build(new: &mut Terms, old: &Terms, node: &Node) -> Term {
    match *node {
        Node::Element(element) => Term::element(element),
        Node::Constant(constant) => new.constant(old.constant_at(constant).clone()),
        Node::Add(a, b) => new.add(a, b),
        Node::Sub(a, b) => new.sub(a, b),
        Node::Mul(a, b) => new.mul(a, b),
        Node::Fma(a, b, c) => new.fma(a, b, c),
        Node::Div(a, b) => new.div(a, b),
        Node::Unary(function, a) => new.unary(function, a),
        Node::Max(a, b) => new.max(a, b),
        Node::Min(a, b) => new.min(a, b),
        Node::Select(condition, a, b) => new.select(condition, a, b),
        Node::Round(mode, format, a) => new.round(mode, format, a),
        Node::Compare(relation, a, b) => new.compare(relation, a, b),
        Node::And(a, b) => new.and(a, b),
        Node::Or(a, b) => new.or(a, b),
        Node::Not(a) => new.not(a),
        Node::BitsOf(format, a) => new.bits_of(format, a),
        Node::BitConstant(bits) => new.bit_constant(bits),
        Node::Bits(op, width, a, b, c) => new.bits(op, width, a, b, c),
        Node::FromBits(format, bits) => new.from_bits(format, bits),
        Node::Apply(function, a, b) => new.apply(old.function_name(function), a, b),
    }
}

#[cfg(test)]
mod tests;
