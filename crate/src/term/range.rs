//! Whether an integer is seen to have a place in a format.
//!
//! Sums, differences and products of integers are kept as such and mean their remainders modulo 2ⁿ
//! (`a + b` of two 32-bit registers is right up to multiples of 2³² whatever its size). Where an
//! instruction reads one as a number, it reads the remainder; that is the integer itself if it has a
//! place in the format. Here this is looked for to a small depth, so that terms stay as short as they
//! were written; `decide` looks further.
//!
//! Guarantees: an integer that is said to lie in a format does, at all inputs. What a conversion makes
//! of a float counts as an integer of the format that it was converted to, and of a narrower one, or one with
//! another sign, only if it is clamped: the hardware clamps it, and the ledger says that it is taken to be in
//! range.
//! Misses: deep terms, and facts about operands that are related.

use super::{BitOp, Node, Term, Terms, Unary, bounds};
use crate::base::{Format, FormatClass};

/// Terms that are looked at.
const MOST: u32 = 12;

/// Least and greatest integer of a format; plain bits count as unsigned.
pub fn integers(format: Format) -> (i128, i128) {
    let bits = format.bits();
    match format.class() {
        FormatClass::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

/// Whether an integer lies in a format at all inputs, as far as can be seen.
pub(super) fn lies_in(terms: &Terms, format: Format, term: Term) -> bool {
    let (low, high) = integers(format);
    terms.lies_between(term, low, high)
}

/// What is not limited.
const ALL: (i128, i128) = (i128::MIN, i128::MAX);

/// Between what an integer lies: because of the format that a float was converted to, and of what limits it
/// before or after that, whatever is limited.
fn ends(terms: &Terms, term: Term, fuel: &mut u32) -> (i128, i128) {
    if let Some(known) = range(terms, term, &mut { MOST }) {
        return known;
    }
    let (least, most) = terms.converted.get(&term).copied().unwrap_or(ALL);
    let Some(rest) = fuel.checked_sub(1) else { return (least, most) };
    *fuel = rest;
    let mut of = |term: Term| ends(terms, term, fuel);
    let sum = |low: Option<i128>, high: Option<i128>| low.zip(high).unwrap_or(ALL);
    let (low, high) = match terms.node(term) {
        Node::Max(a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            (a.max(c), b.max(d))
        }
        Node::Min(a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            (a.min(c), b.min(d))
        }
        Node::Select(_, a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            (a.min(c), b.max(d))
        }
        Node::Add(a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            sum(a.checked_add(c), b.checked_add(d))
        }
        Node::Sub(a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            sum(a.checked_sub(d), b.checked_sub(c))
        }
        Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, inner) => {
            let (low, high) =
                bounds::range(terms, inner, &mut { MOST }).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            (low.floor() as i128, high.ceil() as i128)
        }
        _ => ALL,
    };
    (low.max(least), high.min(most))
}

/// Between what an integer is seen to lie.
pub(super) fn ends_of(terms: &Terms, term: Term) -> (i128, i128) {
    ends(terms, term, &mut { MOST })
}

impl Terms {
    /// Notes that a float was `rounded` and converted to an integer of a format, which is `term`.
    pub(crate) fn note_conversion(&mut self, format: Format, term: Term, rounded: Term) {
        let Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, inner) =
            self.node(rounded)
        else {
            return;
        };
        // The quotient of integers is one of them, and no conversion.
        if matches!(self.node(inner), Node::Div(..)) && range(self, rounded, &mut { MOST }).is_some() {
            return;
        }
        let (low, high) = integers(format);
        // Of several formats, any may be meant.
        let known = self.converted.entry(term).or_insert((low, high));
        *known = (known.0.min(low), known.1.max(high));
    }

    /// An integer clamped to a format, where it is not seen to lie there.
    pub fn clamped(&mut self, format: Format, term: Term) -> Term {
        if lies_in(self, format, term) {
            return term;
        }
        let [low, high] = <[i128; 2]>::from(integers(format)).map(|end| self.integer(end));
        let above = self.max(term, low);
        self.min(above, high)
    }

    /// Whether an integer is seen to lie between two others, at all inputs.
    pub fn lies_between(&self, term: Term, low: i128, high: i128) -> bool {
        let (least, most) = ends(self, term, &mut { MOST });
        low <= least && most <= high
    }

    /// Whether a term is seen to be an exact integer, of which each unit counts.
    pub fn is_integer(&self, term: Term) -> bool {
        range(self, term, &mut { MOST }).is_some()
    }
}

/// Keeps the range of what is chosen among integers, so that a chain of maxima that grows by one
/// operand at a time is never looked through again.
pub(super) fn remember(terms: &mut Terms, term: Term) {
    if matches!(terms.node(term), Node::Max(..) | Node::Min(..) | Node::Select(..))
        && let Some(found) = range(terms, term, &mut { MOST })
    {
        terms.ranges.insert(term, found);
    }
}

fn range(terms: &Terms, term: Term, fuel: &mut u32) -> Option<(i128, i128)> {
    if let Some(known) = terms.ranges.get(&term) {
        return Some(*known);
    }
    if let Some(element) = term.as_element() {
        return terms.element_format(element).filter(|format| !format.is_float()).map(integers);
    }
    if let Some(value) = terms.as_rational(term) {
        if term.as_constant().is_some_and(|id| terms.constant_at(id).rounded.is_some()) {
            return None; // a float
        }
        let value = i128::try_from(value.is_integer().then(|| value.numer())?).ok()?;
        return Some((value, value));
    }
    *fuel = fuel.checked_sub(1)?;
    let mut of = |term: Term| range(terms, term, fuel);
    let product = |(a, b): (i128, i128), (c, d): (i128, i128)| {
        let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
        Some((*corners.iter().min()?, *corners.iter().max()?))
    };
    let sum = |(a, b): (i128, i128), (c, d): (i128, i128)| Some((a.checked_add(c)?, b.checked_add(d)?));
    match terms.node(term) {
        Node::FromBits(format, word) if !format.is_float() => {
            let (low, high) = integers(format);
            let most = i128::from(most(terms, word, fuel));
            Some(if most <= high { (0, most) } else { (low, high) })
        }
        Node::Add(a, b) => sum(of(a)?, of(b)?),
        Node::Sub(a, b) => {
            let (low, high) = of(b)?;
            sum(of(a)?, (-high, -low))
        }
        Node::Mul(a, b) => product(of(a)?, of(b)?),
        Node::Fma(a, b, c) => sum(product(of(a)?, of(b)?)?, of(c)?),
        Node::Unary(Unary::Neg, a) => of(a).map(|(low, high)| (-high, -low)),
        Node::Unary(Unary::Abs, a) => of(a).map(|(low, high)| (low.max(-high).max(0), high.max(-low))),
        Node::Unary(Unary::Trunc, a) => match terms.node(a) {
            // Integer division by a constant.
            Node::Div(a, b) => {
                let ((low, high), (least, most)) = (of(a)?, of(b)?);
                let divisor = (least == most && least > 0).then_some(least)?;
                Some((low / divisor, high / divisor))
            }
            _ => None,
        },
        Node::Max(a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Some((a.max(c), b.max(d)))
        }
        Node::Min(a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Some((a.min(c), b.min(d)))
        }
        Node::Select(_, a, b) => {
            let ((a, b), (c, d)) = (of(a)?, of(b)?);
            Some((a.min(c), b.max(d)))
        }
        _ => None,
    }
}

/// What a word of at most 64 bits is at most, read without a sign.
fn most(terms: &Terms, word: Term, fuel: &mut u32) -> u64 {
    let all = |bits: u32| u64::MAX >> 64u32.saturating_sub(bits).min(63);
    let Some(rest) = fuel.checked_sub(1) else { return u64::MAX };
    *fuel = rest;
    let number = |term: Term| match terms.node(term) {
        Node::BitConstant(bits) => Some(bits),
        _ => None,
    };
    match terms.node(word) {
        Node::BitConstant(bits) => bits,
        Node::BitsOf(format, _) => all(format.bits()),
        Node::Bits(BitOp::And, _, a, b, _) => most(terms, a, fuel).min(most(terms, b, fuel)),
        Node::Bits(BitOp::ShiftRight, width, a, by, _) if width <= 64 => {
            let by = number(by).and_then(|by| u32::try_from(by).ok()).unwrap_or(0);
            most(terms, a, fuel).min(all(width.into())).checked_shr(by).unwrap_or(0)
        }
        Node::Bits(BitOp::Extend, _, a, narrow, _) => match number(narrow) {
            Some(narrow) if narrow < 64 => most(terms, a, fuel).min(all(narrow as u32)),
            _ => u64::MAX,
        },
        _ => u64::MAX,
    }
}
