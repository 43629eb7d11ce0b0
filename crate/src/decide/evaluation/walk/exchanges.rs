//! A choice between maxima of minima that is one itself: insertion, exchange, the second largest by branches.
//!
//! For candidates that are 0 or 1 the choice is a Boolean function of them, f. Let g be what maxima and minima
//! make of candidates where f says so; the choice is g if it is g in every order.
//! For `a < b ? u : v`: g is v wherever a ≥ b, for if v and g were on different sides of a threshold s, the
//! row of zeros and ones that says what is above s would be a row with a ≥ b where v and f differ. Where
//! a < b, some threshold t has a ≤ t < b; a row in which u and g are on different sides of s gives two rows of
//! zeros and ones, that of t and that of s, of which one is below the other; no such pair exists if and
//! only if the choice is g, and then f is monotone, since g is a number with thresholds.
//! `c and d ? u : v` is `c ? (d ? u : v) : v`, and so on.
//!
//! Guarantees: what is found is the choice for all values of the candidates.
//! Misses: conditions of which no part alone makes such a choice.
//! Source: the principle of zeros and ones (Knuth 3, §5.3.4).

use super::ranks::MOST_PARTS;
use super::*;
use crate::decide::evaluation::lattice::How;

impl Walk<'_> {
    /// A choice between maxima of minima that is one itself.
    pub(super) fn exchanged(
        &mut self,
        own: Term,
        condition: Term,
        then: Term,
        otherwise: Term,
    ) -> Option<Value> {
        if !matches!(self.atoms.way, Way::Exchanged | Way::Ranked) {
            return None;
        }
        let [then, otherwise] = [self.side_of(then)??, self.side_of(otherwise)??];
        let place = self.exchange(condition, [then, otherwise], &mut { MOST_PARTS })?;
        self.known_by(own, place)
    }

    fn exchange(&mut self, condition: Term, [u, v]: [Place; 2], left: &mut usize) -> Option<Place> {
        *left = left.checked_sub(1)?;
        if u == v {
            return Some(u);
        }
        match self.cone.steps()[condition.as_node()?] {
            Node::Not(a) => self.exchange(a, [v, u], left),
            Node::And(a, b) => [(a, b), (b, a)].into_iter().find_map(|(a, b)| {
                let inner = self.exchange(b, [u, v], left)?;
                self.exchange(a, [inner, v], left)
            }),
            Node::Or(a, b) => [(a, b), (b, a)].into_iter().find_map(|(a, b)| {
                let inner = self.exchange(b, [u, v], left)?;
                self.exchange(a, [u, inner], left)
            }),
            Node::Compare(relation, a, b) => {
                let [x, y] = [self.side_of(a)??, self.side_of(b)??];
                let lattice = &mut self.atoms.lattice;
                // Where some threshold lies between both, and what is chosen then and otherwise.
                let (between, [u, v]) = match relation {
                    Relation::Less => (lattice.combine(How::Without, y, x)?, [u, v]),
                    Relation::LessEqual => (lattice.combine(How::Without, x, y)?, [v, u]),
                    Relation::Equal => {
                        let (one, two) =
                            (lattice.combine(How::Without, y, x)?, lattice.combine(How::Without, x, y)?);
                        (lattice.combine(How::Either, one, two)?, [v, u])
                    }
                };
                let (one, two) =
                    (lattice.combine(How::Both, between, u)?, lattice.combine(How::Without, v, between)?);
                let place = lattice.combine(How::Either, one, two)?;
                let (one, two) =
                    (lattice.combine(How::Without, place, u)?, lattice.combine(How::Without, u, place)?);
                let apart = lattice.combine(How::Either, one, two)?;
                for contrary in [false, true] {
                    let near = lattice.reachable(between, contrary)?;
                    if lattice.combine(How::Both, near, apart)? != Place::NEVER {
                        return None;
                    }
                }
                Some(place)
            }
            _ => None,
        }
    }
}
