//! Which numbers a term may be because of the formats that it went through.
//!
//! An element of a narrow float format, what is read out of its bits, and what a conversion that saturates
//! gives lie in the format's finite range (that no value is infinite or NaN is in the ledger). So a clamp at
//! the ends of that range, or beyond them, is nothing, and a comparison with such a number is decided.
//! Choices, signs and clamps of what lies in a range are followed to a small depth.
//!
//! Guarantees: a term lies in the range that is given for it wherever it has a finite value. f32 and f64 are
//! not looked at: who compares with their largest numbers asks about infinities, which kernels also write. Only
//! where a register of such a format holds a maximum with its least number ([`Terms::held`]), which is how sums up to
//! the largest begin, is that number nothing.
//! Misses: sums and products; ranges that conditions imply.

use super::beyond::Beyond;
use super::{BitOp, Node, Relation, Term, Terms, Unary};
use crate::base::Format;
use num_traits::{Signed, ToPrimitive};

/// Terms that are looked at.
const MOST: u32 = 12;
/// Words put together by `or` of which each is asked whether it is 0.
const MOST_PARTS: usize = 64;

/// The largest number of a float format.
pub fn largest(format: Format) -> f64 {
    match format {
        Format::E4m3 => 448.0,
        Format::E5m2 => 57_344.0,
        Format::E2m3 => 7.5,
        Format::E3m2 => 28.0,
        Format::E2m1 => 6.0,
        Format::Ue8m0 => 127f64.exp2(),
        Format::F16 => 65_504.0,
        Format::Bf16 => f64::from(f32::from_bits(0x7f7f_0000)),
        Format::Tf32 => f64::from(f32::from_bits(0x7f7f_e000)),
        Format::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// A constant, if it is one of those that are not special.
fn constant(terms: &Terms, term: Term) -> Option<f64> {
    term.as_constant().filter(|id| *id >= FIXED)?;
    terms.as_rational(term)?.to_f64()
}

/// 0, 1, −1, the infinities and the truth values are no limits.
const FIXED: usize = 7;

/// The other operand of a maximum or a minimum, if one is a number at which nothing is limited.
#[inline]
pub(super) fn limited(terms: &Terms, a: Term, b: Term, maximum: bool) -> Option<Term> {
    if a.as_constant().is_none() && b.as_constant().is_none() {
        return None;
    }
    without_limit(terms, a, b, maximum).or_else(|| without_limit(terms, b, a, maximum))
}

fn without_limit(terms: &Terms, limit: Term, kept: Term, maximum: bool) -> Option<Term> {
    let at = constant(terms, limit)?;
    let (low, high) = range(terms, kept, &mut { MOST })?;
    (if maximum { at <= low } else { high <= at }).then_some(kept)
}

/// Whether a comparison with a number comes out the same for all that the other side may be.
pub(super) fn decided(terms: &Terms, relation: Relation, a: Term, b: Term) -> Option<bool> {
    if a.as_constant().is_none_or(|id| id < FIXED) && b.as_constant().is_none_or(|id| id < FIXED) {
        return None;
    }
    let ((a_low, a_high), (b_low, b_high)) =
        (range(terms, a, &mut { MOST })?, range(terms, b, &mut { MOST })?);
    match relation {
        Relation::Less if a_high < b_low => Some(true),
        Relation::Less if a_low >= b_high => Some(false),
        Relation::LessEqual if a_high <= b_low => Some(true),
        Relation::LessEqual if a_low > b_high => Some(false),
        Relation::Equal if a_high < b_low || a_low > b_high => Some(false),
        _ => None,
    }
}

impl Terms {
    /// Whether a term is seen to lie in the finite range of a float format.
    pub fn lies_within(&self, format: Format, term: Term) -> bool {
        let most = largest(format);
        range(self, term, &mut { MOST }).is_some_and(|(low, high)| -most <= low && high <= most)
    }
}

impl Terms {
    /// What a register of a float format holds of a maximum with its least number, or a minimum with its largest:
    /// the other operand, which is finite there, unless a kernel's own infinity or a division may be in it.
    pub fn held(&self, format: Format, term: Term) -> Term {
        let (a, b, least) = match self.node(term) {
            Node::Max(a, b) => (a, b, true),
            Node::Min(a, b) => (a, b, false),
            _ => return term,
        };
        let end = if least { -largest(format) } else { largest(format) };
        let is_end = |term: Term| constant(self, term) == Some(end);
        let other = match (is_end(a), is_end(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return term,
        };
        let finite = self.beyond(other) == Beyond::NEVER && !self.is_partial(other);
        if finite { other } else { term }
    }
}

impl Terms {
    /// The infinity that comes after the largest or before the least number of a float format, if a term is that.
    pub fn infinity_after(&self, format: Format, term: Term) -> Option<Term> {
        let value = constant(self, term)?;
        match value.abs() == largest(format) {
            true if value > 0.0 => Some(Term::INFINITY),
            true => Some(Term::MINUS_INFINITY),
            false => None,
        }
    }
}

/// The numbers that a format bounds: of narrow ones only, the others bound what infinities are.
fn of_format(format: Format) -> Option<(f64, f64)> {
    let most = largest(format);
    match format {
        Format::Ue8m0 => Some((1.0 / most, most)),
        Format::F64 | Format::F32 | Format::Tf32 => None,
        _ => format.is_float().then_some((-most, most)),
    }
}

/// Between what a float lies.
pub(super) fn range(terms: &Terms, term: Term, fuel: &mut u32) -> Option<(f64, f64)> {
    if let Some(element) = term.as_element() {
        return terms.element_format(element).and_then(of_format);
    }
    if let Some(value) = terms.as_rational(term) {
        let value = value.to_f64()?;
        return Some((value, value));
    }
    *fuel = fuel.checked_sub(1)?;
    let mut of = |term: Term| range(terms, term, fuel);
    const ALL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let found = match terms.node(term) {
        Node::FromBits(format, _) => of_format(format)?,
        Node::Unary(Unary::Neg, a) => of(a).map(|(low, high)| (-high, -low))?,
        Node::Unary(Unary::Abs, a) => {
            let (low, high) = of(a)?;
            (low.max(-high).max(0.0), high.max(-low))
        }
        // One of them limits the other, on one side.
        node @ (Node::Max(a, b) | Node::Min(a, b)) => {
            let ((a, b), (c, d)) = (of(a).unwrap_or(ALL), of(b).unwrap_or(ALL));
            if matches!(node, Node::Max(..)) { (a.max(c), b.max(d)) } else { (a.min(c), b.min(d)) }
        }
        Node::Select(_, a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            (a.min(c), b.max(d))
        }
        _ => return None,
    };
    (found != ALL).then_some(found)
}

/// Whether a number is not negative by what it is made of, of which `is` says that.
pub fn never_negative(node: &Node, mut is: impl FnMut(Term) -> bool) -> bool {
    match *node {
        Node::Mul(a, b) => a == b || is(a) && is(b),
        Node::Fma(a, b, c) => (a == b || is(a) && is(b)) && is(c),
        Node::Add(a, b) | Node::Div(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => is(a) && is(b),
        Node::Max(a, b) => is(a) || is(b),
        Node::Unary(Unary::Recip, a) => is(a),
        Node::Unary(Unary::Abs | Unary::Exp | Unary::Exp2 | Unary::Sqrt | Unary::Rsqrt, _) => true,
        _ => false,
    }
}

impl Terms {
    /// Whether a number is seen not to be negative, looking at no more nodes than that.
    pub fn is_not_negative(&self, term: Term, fuel: &mut u32) -> bool {
        if let Some(known) = self.as_rational(term) {
            return !known.is_negative();
        }
        let (Some(left), Some(_)) = (fuel.checked_sub(1), term.as_node()) else { return false };
        *fuel = left;
        never_negative(&self.node(term), |term| self.is_not_negative(term, fuel))
    }

    /// Whether an integer is 0 that is put together from others by `or`: all of those are.
    pub(super) fn nothing_set(&mut self, integer: Term) -> Option<Term> {
        let Node::FromBits(format, bits) = self.node(integer) else { return None };
        if format.is_float() || !matches!(self.node(bits), Node::Bits(BitOp::Or, ..)) {
            return None;
        }
        let (mut open, mut parts) = (vec![bits], Vec::new());
        while let Some(bits) = open.pop() {
            match self.node(bits) {
                Node::Bits(BitOp::Or, _, a, b, _) => open.extend([b, a]),
                _ => parts.push(bits),
            }
            if open.len() + parts.len() > MOST_PARTS {
                return None;
            }
        }
        let none = parts.into_iter().fold(Term::TRUE, |all, part| {
            let own = match self.node(part) {
                Node::BitsOf(own, _) if !own.is_float() && own.bits() == format.bits() => own,
                _ => format,
            };
            let part = self.from_bits(own, part);
            let none = self.compare(Relation::Equal, part, Term::ZERO);
            self.and(all, none)
        });
        Some(none)
    }
}
