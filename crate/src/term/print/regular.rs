//! Do the members of a sum follow a pattern?
//!
//! Members 0 and 1 give a template: where they are the same term, it stands; where they are
//! elements of one tensor, the step from one to the other; everything else must be built alike.
//! Member `k` follows if it fits the template with `k` steps. Operands are compared in their
//! stored order: members built in another order are simply not recognized.

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
    pub(super) fn of(terms: &Terms, first: [Option<Term>; 2], second: [Option<Term>; 2]) -> Option<Template> {
        if first.map(|term| term.is_some()) != second.map(|term| term.is_some()) {
            return None;
        }
        let mut pieces = Vec::new();
        let pairs = first.into_iter().flatten().zip(second.into_iter().flatten());
        let mut waiting: Vec<(Term, Term)> = pairs.collect();
        waiting.reverse();
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
        Some(Template { pieces })
    }

    /// Whether anything changes from member to member.
    pub(super) fn varies(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Element(..)))
    }

    /// Whether all indices move evenly for so many steps, and so for fewer.
    pub(super) fn is_even(&self, elements: &Elements, steps: i64) -> bool {
        self.pieces.iter().all(|piece| match piece {
            Piece::Element(first, step) => moves_evenly(elements, *first, *step, steps),
            Piece::Same(_) | Piece::Like(_) => true,
        })
    }

    /// Whether `member` is the one after `steps` steps. `waiting` is for its own use, and lent
    /// because there are many members.
    pub(super) fn fits(
        &self,
        terms: &Terms,
        member: [Option<Term>; 2],
        steps: i64,
        waiting: &mut Vec<Term>,
    ) -> bool {
        waiting.clear();
        waiting.extend(member.into_iter().rev().flatten());
        for piece in &self.pieces {
            let Some(term) = waiting.pop() else { return false };
            match *piece {
                Piece::Same(same) if same == term => {}
                Piece::Same(_) => return false,
                Piece::Element(first, step) => {
                    let Some(element) = term.as_element() else { return false };
                    if i64::from(element) != i64::from(first) + steps * step {
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
    let Some(block) = elements.block_of(first) else { return false };
    // How far into the block: the first, the next, and the one in question.
    let mut rest = [0, 1, steps].map(|count| i64::from(first) + count * step - i64::from(block.first));
    for extent in block.shape.iter().rev() {
        let Some(extent) = i64::try_from(*extent).ok().filter(|extent| *extent > 0) else { return false };
        let [a, b, c] = rest.map(|rest| rest.rem_euclid(extent));
        if a + steps * (b - a) != c {
            return false;
        }
        rest = rest.map(|rest| rest.div_euclid(extent));
    }
    rest == [0; 3] // or one lies outside
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
