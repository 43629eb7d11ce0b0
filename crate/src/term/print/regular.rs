//! Do the members of a sum follow a pattern?
//!
//! Members 0 and 1 give a template: where they are the same term, it stands; where they are
//! elements of one tensor, the step from one to the other; everything else must be built alike.
//! Member `k` follows if it fits the template with `k` steps. Operands are compared in their
//! stored order: members built in another order are simply not recognised.

use crate::term::eval::operands;
use crate::term::{Elements, Node, Term, Terms};

/// Members larger than this are not looked at.
const LARGEST: usize = 256;

/// One step of a template, in preorder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    /// This very term.
    Same(Term),
    /// An element, and the distance to that of the next member.
    Element(u32, i64),
    /// A node like this one, its operands following.
    Like(Node),
}

/// What two consecutive members have in common.
#[derive(Debug)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// The template of two consecutive members.
    pub(super) fn of(terms: &Terms, first: &[Term], second: &[Term]) -> Option<Template> {
        let mut pieces = Vec::new();
        let mut waiting: Vec<(Term, Term)> =
            first.iter().copied().zip(second.iter().copied()).rev().collect();
        while let Some((a, b)) = waiting.pop() {
            if pieces.len() == LARGEST {
                return None;
            }
            if a == b {
                pieces.push(Piece::Same(a));
                continue;
            }
            if let (Some(x), Some(y)) = (a.as_element(), b.as_element()) {
                pieces.push(Piece::Element(x, i64::from(y) - i64::from(x)));
                continue;
            }
            let (x, y) = (terms.node(a), terms.node(b));
            if a.as_node().is_none() || b.as_node().is_none() || shape(&x) != shape(&y) {
                return None;
            }
            pieces.push(Piece::Like(shape(&x)));
            let pairs = operands(&x).into_iter().flatten().zip(operands(&y).into_iter().flatten());
            let at = waiting.len();
            waiting.extend(pairs);
            waiting[at..].reverse();
        }
        (first.len() == second.len()).then_some(Template { pieces })
    }

    /// Whether anything changes from member to member.
    pub(super) fn varies(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Element(..)))
    }

    /// Whether `member` is the one after `steps` steps, every index moving evenly.
    pub(super) fn fits(&self, terms: &Terms, elements: &Elements, member: &[Term], steps: i64) -> bool {
        let mut waiting: Vec<Term> = member.iter().copied().rev().collect();
        for piece in &self.pieces {
            let Some(term) = waiting.pop() else { return false };
            match *piece {
                Piece::Same(same) if same == term => {}
                Piece::Same(_) => return false,
                Piece::Element(first, step) => {
                    let Some(element) = term.as_element() else { return false };
                    if i64::from(element) != i64::from(first) + steps * step
                        || !moves_evenly(elements, first, step, steps)
                    {
                        return false;
                    }
                }
                Piece::Like(expected) => {
                    let node = terms.node(term);
                    if term.as_node().is_none() || shape(&node) != expected {
                        return false;
                    }
                    let at = waiting.len();
                    waiting.extend(operands(&node).into_iter().flatten());
                    waiting[at..].reverse();
                }
            }
        }
        waiting.is_empty()
    }

    /// Whether two templates move alike, wherever they start.
    pub(super) fn moves_like(&self, other: &Template) -> bool {
        self.pieces.len() == other.pieces.len()
            && self.pieces.iter().zip(&other.pieces).all(|pair| match pair {
                (Piece::Element(_, a), Piece::Element(_, b)) => a == b,
                (Piece::Same(_), Piece::Same(_)) => true,
                (Piece::Like(a), Piece::Like(b)) => a == b,
                _ => false,
            })
    }
}

/// A node without its operands.
fn shape(node: &Node) -> Node {
    crate::term::eval::with_operands(node, |_| Term::ZERO)
}

/// Whether every index of the element after `steps` steps is what even steps make it.
fn moves_evenly(elements: &Elements, first: u32, step: i64, steps: i64) -> bool {
    let at = |count: i64| {
        let element = u32::try_from(i64::from(first) + count * step).ok()?;
        coordinates(elements, element)
    };
    let (Some((block, start)), Some((next_block, next)), Some((last_block, last))) =
        (at(0), at(1), at(steps))
    else {
        return false;
    };
    block == next_block
        && block == last_block
        && start.iter().zip(&next).zip(&last).all(|((a, b), c)| a + steps * (b - a) == *c)
}

/// The first element of its tensor, and its indices.
pub(super) fn coordinates(elements: &Elements, element: u32) -> Option<(u32, Vec<i64>)> {
    let block = elements.block_of(element)?;
    let mut rest = i64::from(element - block.first);
    let mut indices = vec![0; block.shape.len()];
    for (index, extent) in indices.iter_mut().zip(&block.shape).rev() {
        let extent = i64::try_from(*extent).ok().filter(|extent| *extent > 0)?;
        *index = rest % extent;
        rest /= extent;
    }
    if rest != 0 {
        return None;
    }
    Some((block.first, indices))
}
