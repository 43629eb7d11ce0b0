//! Structural hashes: equal for the same expression up to commutativity. A fused multiplication and
//! addition is hashed as the two that it is, because compilers fuse either product of a·b + c·d.
//!
//! One pass over the whole store, used or not: what no root needs was built all the same, and
//! looking for it costs more than hashing it. Hashes are kept by rows of 2^16 nodes, each as long as a later row
//! needs it.
//!
//! Guarantees: terms that are the same expression have the same hash. Different expressions share
//! one with a chance of about 2^-64 for each pair of nodes, and nobody chose them to.

use crate::base::{Budget, Exhausted};
use crate::term::eval::operands;
use crate::term::{Node, Term, Terms};
use std::hash::{Hash, Hasher};

/// Nodes whose hashes are kept together.
const ROW: usize = 1 << Terms::PIECE;

/// The hashes of some roots.
pub(super) fn hashes(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Vec<u64>, Exhausted> {
    let constants = terms
        .constants()
        .iter()
        .map(|constant| {
            let mut hasher = rustc_hash::FxHasher::default();
            constant.as_read().hash(&mut hasher);
            mix(hasher.finish(), 1)
        })
        .collect();
    let shape = Shape { terms, constants };
    let nodes = roots.iter().filter_map(|root| root.as_node()).max().map_or(0, |most| most + 1);
    let mut places: Vec<usize> = (0..roots.len()).filter(|at| roots[*at].as_node().is_some()).collect();
    places.sort_unstable_by_key(|at| std::cmp::Reverse(roots[*at]));
    let mut found = vec![0; roots.len()];
    // Rows that go when a row is done.
    let mut gone: Vec<Vec<usize>> = vec![Vec::new(); nodes.div_ceil(ROW)];
    for (row, last) in terms.last_needed().into_iter().enumerate().take(gone.len()) {
        let last = (last as usize).min(gone.len() - 1);
        gone[last].push(row);
    }
    let (mut rows, mut free): (Vec<Vec<u64>>, Vec<Vec<u64>>) = (Vec::new(), Vec::new());
    let leaf = |term: Term| match term.as_constant() {
        Some(constant) => shape.constant(constant),
        _ => shape.element(term.as_element().unwrap_or_default()),
    };
    let mut reader = terms.reader();
    for (row, gone) in gone.iter().enumerate() {
        budget.spend_block(row * ROW, nodes, ROW, 1)?;
        let mut own = free.pop().unwrap_or_default();
        own.clear();
        own.try_reserve_exact(ROW.min(nodes)).map_err(|_| Exhausted::Memory)?;
        for node in row * ROW..nodes.min((row + 1) * ROW) {
            let hash = |term: Term| match term.as_node() {
                Some(node) if node / ROW == row => own[node % ROW],
                Some(node) => rows[node / ROW][node % ROW],
                None => leaf(term),
            };
            let value = match reader.fma_at(node) {
                Some((a, b, c)) => fused(hash(a), hash(b), hash(c)),
                None => shape.node(&reader.node_at(node), hash),
            };
            own.push(value);
        }
        while let Some(at) = places.pop_if(|at| roots[*at].as_node().is_some_and(|node| node / ROW == row)) {
            found[at] = own[roots[at].as_node().unwrap_or(0) % ROW];
        }
        rows.push(own);
        gone.iter().for_each(|row| free.push(std::mem::take(&mut rows[*row])));
    }
    for (root, found) in roots.iter().zip(&mut found).filter(|(root, _)| root.as_node().is_none()) {
        *found = leaf(*root);
    }
    Ok(found)
}

const ADD: u64 = 3;
const MUL: u64 = 5;

struct Shape<'a> {
    terms: &'a Terms,
    constants: Vec<u64>,
}

impl Shape<'_> {
    fn element(&self, element: u32) -> u64 {
        mix(element.into(), 2)
    }

    fn constant(&self, constant: usize) -> u64 {
        self.constants.get(constant).copied().unwrap_or(0)
    }

    fn node(&self, node: &Node, value: impl Fn(Term) -> u64) -> u64 {
        // Which operation: everything that a node says beside its operands.
        let operation: u64 = match *node {
            Node::Element(element) => return self.element(element),
            Node::Constant(constant) => return self.constant(constant),
            Node::Add(..) | Node::Fma(..) => ADD,
            Node::Sub(..) => 4,
            Node::Mul(..) => MUL,
            Node::Div(..) => 7,
            Node::Max(..) => 8,
            Node::Min(..) => 9,
            Node::Select(..) => 10,
            Node::And(..) => 11,
            Node::Or(..) => 12,
            Node::Not(..) => 13,
            Node::Unary(function, _) => 14 | (function as u64) << 8,
            Node::Round(mode, format, _) => 15 | (mode as u64) << 8 | (format as u64) << 16,
            Node::Compare(relation, ..) => 16 | (relation as u64) << 8,
            Node::BitsOf(format, _) => 17 | (format as u64) << 8,
            Node::FromBits(format, _) => 18 | (format as u64) << 8,
            Node::BitConstant(bits) => return mix(bits, 19),
            Node::Bits(op, width, ..) => 20 | (op as u64) << 8 | u64::from(width) << 16,
            Node::Apply(function, ..) => {
                let mut hasher = rustc_hash::FxHasher::default();
                self.terms.function_name(function).hash(&mut hasher);
                mix(hasher.finish(), 21)
            }
        };
        let [a, b, c] = operands(node).map(|operand| operand.map(&value).unwrap_or(0));
        if let Node::Fma(..) = node {
            return fused(a, b, c);
        }
        match node {
            Node::Add(..) | Node::Mul(..) | Node::Max(..) | Node::Min(..) | Node::And(..) | Node::Or(..) => {
                unordered(operation, a, b)
            }
            _ => mix(mix(mix(operation, a), b), c),
        }
    }
}

/// Of `a · b + c`.
fn fused(a: u64, b: u64, c: u64) -> u64 {
    unordered(ADD, unordered(MUL, a, b), c)
}

/// Of an operation whose two operands may change places.
fn unordered(operation: u64, a: u64, b: u64) -> u64 {
    mix(mix(operation, a.min(b)), a.max(b))
}

fn mix(state: u64, word: u64) -> u64 {
    let mut x = (state.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(state);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 29
}
