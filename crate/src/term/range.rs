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
//! Misses: deep terms, and facts about operands that are related. Where it is worth the time, a whole cone is
//! looked through, with what is known of terms in it ([`Terms::ranges_in`]).

use super::{BitOp, Node, Relation, Term, Terms, Unary, bounds};
use crate::base::{Format, FormatClass};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// Least and greatest number that a term may be.
pub type Range = (i128, i128);

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
const ALL: Range = (i128::MIN, i128::MAX);

/// Between what an integer lies: because of the format that a float was converted to, and of what limits it
/// before or after that, whatever is limited.
fn ends(terms: &Terms, term: Term, fuel: &Cell<u32>) -> Range {
    if let Some(known) = range(terms, term, &Cell::new(MOST)) {
        return known;
    }
    let (least, most) = terms.converted.get(&term).copied().unwrap_or(ALL);
    if !spend(fuel) {
        return (least, most);
    }
    let rounded = |inner: Term| {
        let (low, high) =
            bounds::range(terms, inner, &mut { MOST }).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        (low.floor() as i128, high.ceil() as i128)
    };
    let (low, high) = limits_of(&terms.node(term), &mut |term| ends(terms, term, fuel), rounded);
    (low.max(least), high.min(most))
}

/// What limits the operands of a node limits the node.
fn limits_of(node: &Node, of: &mut dyn FnMut(Term) -> Range, rounded: impl FnOnce(Term) -> Range) -> Range {
    // A sum without an end on one side has none there.
    let plus = |a: i128, b: i128, none: i128| {
        if a == none || b == none { none } else { a.checked_add(b).unwrap_or(none) }
    };
    match *node {
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
            (plus(a, c, i128::MIN), plus(b, d, i128::MAX))
        }
        Node::Sub(a, b) => {
            let ((a, b), (c, d)) = (of(a), of(b));
            let negated = |end: i128| end.checked_neg().unwrap_or(i128::MAX);
            let (low, high) = (if d == i128::MAX { i128::MIN } else { negated(d) }, negated(c));
            (plus(a, low, i128::MIN), plus(b, high, i128::MAX))
        }
        Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, inner) => rounded(inner),
        _ => ALL,
    }
}

/// Takes one from what is left.
fn spend(fuel: &Cell<u32>) -> bool {
    match fuel.get().checked_sub(1) {
        Some(rest) => {
            fuel.set(rest);
            true
        }
        None => false,
    }
}

/// Between what an integer is seen to lie.
pub(super) fn ends_of(terms: &Terms, term: Term) -> (i128, i128) {
    ends(terms, term, &Cell::new(MOST))
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
        if matches!(self.node(inner), Node::Div(..)) && range(self, rounded, &Cell::new(MOST)).is_some() {
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
        let (least, most) = ends(self, term, &Cell::new(MOST));
        low <= least && most <= high
    }

    /// Between what a node lies if it is made of integers by operations that keep them, with what is known of its operands.
    pub fn integers_of(&self, node: &Node, mut of: impl FnMut(Term) -> Option<Range>) -> Option<Range> {
        integers_of(self, node, &mut of, &mut |_| (0, u64::MAX.into()))
    }

    /// Whether a term is seen to be an exact integer, of which each unit counts.
    pub fn is_integer(&self, term: Term) -> bool {
        range(self, term, &Cell::new(MOST)).is_some()
    }
}

/// Keeps the range of what is chosen among integers, so that a chain of maxima that grows by one
/// operand at a time is never looked through again.
pub(super) fn remember(terms: &mut Terms, term: Term) {
    if matches!(terms.node(term), Node::Max(..) | Node::Min(..) | Node::Select(..))
        && let Some(found) = range(terms, term, &Cell::new(MOST))
    {
        terms.ranges.insert(term, found);
    }
}

fn range(terms: &Terms, term: Term, fuel: &Cell<u32>) -> Option<Range> {
    if let Some(known) = terms.ranges.get(&term) {
        return Some(*known);
    }
    if term.as_node().is_none() {
        return of_leaf(terms, term);
    }
    if !spend(fuel) {
        return None;
    }
    let word = &mut |word: Term| (0, i128::from(most(terms, word, fuel)));
    integers_of(terms, &terms.node(term), &mut |term| range(terms, term, fuel), word)
}

/// Between what an element or a constant lies, if it is an integer.
fn of_leaf(terms: &Terms, term: Term) -> Option<Range> {
    if let Some(element) = term.as_element() {
        return terms.element_format(element).filter(|format| !format.is_float()).map(integers);
    }
    let value = terms.as_rational(term)?;
    if term.as_constant().is_some_and(|id| terms.constant_at(id).rounded.is_some()) {
        return None; // a float
    }
    let value = i128::try_from(value.is_integer().then(|| value.numer())?).ok()?;
    Some((value, value))
}

fn product((a, b): Range, (c, d): Range) -> Option<Range> {
    let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
    Some((*corners.iter().min()?, *corners.iter().max()?))
}

/// Between what a node over exact integers lies, if it is one. `word` tells of a word, read without a sign.
fn integers_of(
    terms: &Terms,
    node: &Node,
    of: &mut dyn FnMut(Term) -> Option<Range>,
    word: &mut dyn FnMut(Term) -> Range,
) -> Option<Range> {
    let sum = |(a, b): Range, (c, d): Range| Some((a.checked_add(c)?, b.checked_add(d)?));
    match *node {
        Node::FromBits(format, inside) if !format.is_float() => {
            let (low, high) = integers(format);
            let (least, most) = word(inside);
            Some(if most <= high { (least, most) } else { (low, high) })
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
fn most(terms: &Terms, word: Term, fuel: &Cell<u32>) -> u64 {
    let all = |bits: u32| u64::MAX >> 64u32.saturating_sub(bits).min(63);
    if !spend(fuel) {
        return u64::MAX;
    }
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

/// What is known of the terms of a cone.
#[derive(Default)]
pub struct Ranges {
    /// Exact integers and words, these read without a sign.
    integers: FxHashMap<Term, Range>,
    /// The others that are limited: whole numbers around them.
    limited: FxHashMap<Term, Range>,
    /// Those of the others that are whole numbers.
    whole: FxHashSet<Term>,
}

impl Ranges {
    /// Between what a whole number lies, or a word, read without a sign; `None` for other terms.
    pub fn of(&self, term: Term) -> Option<Range> {
        let limited = self.limited.get(&term).copied().unwrap_or(ALL);
        match self.integers.get(&term) {
            Some(own) => Some(meet(*own, limited)),
            None => self.whole.contains(&term).then_some(limited),
        }
    }
}

fn meet((a, b): Range, (c, d): Range) -> Range {
    (a.max(c), b.min(d))
}

impl Terms {
    /// Between what terms lie, given operands before what is made of them, where something
    /// else says of some of them that they lie between two numbers (an end may be open).
    pub fn ranges_in(
        &self,
        cone: impl Iterator<Item = Term>,
        facts: impl Iterator<Item = (Term, [Option<BigRational>; 2])>,
    ) -> Ranges {
        let mut found = Ranges::default();
        for (term, [low, high]) in facts {
            let low = low.and_then(|low| low.floor().to_integer().to_i128()).unwrap_or(i128::MIN);
            let high = high.and_then(|high| high.ceil().to_integer().to_i128()).unwrap_or(i128::MAX);
            let mut fact = Some((term, (low, high)));
            while let Some((term, range)) = fact {
                let known = found.limited.entry(term).or_insert(ALL);
                *known = meet(*known, range);
                fact = within(self, term, range);
            }
        }
        for term in cone {
            self.find_range(&mut found, term);
        }
        found
    }

    fn find_range(&self, found: &mut Ranges, term: Term) {
        let node = self.node(term);
        let leaf = |term: Term| if term.as_node().is_some() { None } else { of_leaf(self, term) };
        let integer = |term: Term| {
            let own = found.integers.get(&term).copied().or_else(|| leaf(term))?;
            Some(found.limited.get(&term).map_or(own, |limited| meet(own, *limited)))
        };
        let any = |term: Term| {
            if let Some(known) = integer(term) {
                return known;
            }
            if let Some(known) = found.limited.get(&term) {
                return *known;
            }
            let constant = self.as_rational(term).and_then(|value| {
                Some((value.floor().to_integer().to_i128()?, value.ceil().to_integer().to_i128()?))
            });
            constant.unwrap_or(ALL)
        };
        let integers = match node {
            Node::BitConstant(_) | Node::BitsOf(..) | Node::Bits(..) => Some(word_of(self, &node, integer)),
            node => integers_of(self, &node, &mut |term| integer(term), &mut |term| {
                integer(term).unwrap_or((0, i128::MAX))
            }),
        };
        let integers = integers.or_else(|| leaf(term));
        let is_whole = |term: Term| {
            integer(term).is_some()
                || found.whole.contains(&term)
                || self.as_rational(term).is_some_and(BigRational::is_integer)
        };
        let whole = match node {
            Node::Unary(function, _) => function.is_rounding(),
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Max(a, b)
            | Node::Min(a, b)
            | Node::Select(_, a, b) => is_whole(a) && is_whole(b),
            _ => false,
        };
        if let Some(range) = integers {
            found.integers.insert(term, range);
            return;
        }
        let (least, most) = self.converted.get(&term).copied().unwrap_or(ALL);
        let limits = match node {
            Node::Mul(a, b) => product(any(a), any(b)).unwrap_or(ALL),
            Node::Fma(a, b, c) => {
                let (a, b) = product(any(a), any(b)).unwrap_or(ALL);
                let (c, d) = any(c);
                a.checked_add(c).zip(b.checked_add(d)).unwrap_or(ALL)
            }
            node => limits_of(&node, &mut |term| any(term), any),
        };
        let limits = match node {
            Node::Select(condition, a, b) => {
                let chosen = |term: Term, holds: bool| meet(any(term), self.told(condition, holds, term));
                let ((a, b), (c, d)) = (chosen(a, true), chosen(b, false));
                meet(limits, (a.min(c), b.max(d)))
            }
            _ => limits,
        };
        let own = meet(limits, (least, most));
        if whole {
            found.whole.insert(term);
        }
        if own != ALL {
            let known = found.limited.entry(term).or_insert(ALL);
            *known = meet(*known, own);
        }
    }
}

impl Terms {
    /// Between what a term lies where a comparison of it with a constant comes out so.
    fn told(&self, condition: Term, holds: bool, term: Term) -> Range {
        let (condition, holds) = match self.node(condition) {
            Node::Not(inner) => (inner, !holds),
            _ => (condition, holds),
        };
        let Node::Compare(relation, a, b) = self.node(condition) else { return ALL };
        let number = |term: Term| self.as_rational(term);
        let floor = |value: &BigRational| value.floor().to_integer().to_i128().unwrap_or(i128::MIN);
        let ceil = |value: &BigRational| value.ceil().to_integer().to_i128().unwrap_or(i128::MAX);
        match (relation, holds, number(a), number(b)) {
            (Relation::Equal, true, _, Some(value)) if a == term => (floor(value), ceil(value)),
            (Relation::Equal, true, Some(value), _) if b == term => (floor(value), ceil(value)),
            (Relation::Equal, ..) => ALL,
            (_, true, _, Some(most)) | (_, false, Some(most), _) if (if holds { a } else { b }) == term => {
                (i128::MIN, ceil(most))
            }
            (_, true, Some(least), _) | (_, false, _, Some(least)) if (if holds { b } else { a }) == term => {
                (floor(least), i128::MAX)
            }
            _ => ALL,
        }
    }
}

/// What follows for the operand of a term from where the term lies, if it is moved, scaled by a whole number, or
/// read with another sign.
fn within(terms: &Terms, term: Term, (low, high): Range) -> Option<(Term, Range)> {
    let number =
        |term: Term| i128::try_from(terms.as_rational(term).filter(|n| n.is_integer())?.numer()).ok();
    // An open end stays open.
    let moved = |end: i128, by: i128| match end {
        i128::MIN | i128::MAX => end,
        _ => end.saturating_add(by),
    };
    let negated = |(low, high): Range| {
        let end = |end: i128| match end {
            i128::MIN => i128::MAX,
            i128::MAX => i128::MIN,
            _ => -end,
        };
        (end(high), end(low))
    };
    let both = |by: i128| (moved(low, by), moved(high, by));
    let (operand, range) = match terms.node(term) {
        Node::Add(a, b) => match (number(a), number(b)) {
            (None, Some(by)) => (a, both(by.checked_neg()?)),
            (Some(by), None) => (b, both(by.checked_neg()?)),
            _ => return None,
        },
        Node::Sub(a, b) => match (number(a), number(b)) {
            (None, Some(by)) => (a, both(by)),
            (Some(by), None) => (b, negated(both(by.checked_neg()?))),
            _ => return None,
        },
        Node::Unary(Unary::Neg, a) => (a, negated((low, high))),
        Node::Mul(a, b) => {
            let (a, by) = match (number(a), number(b)) {
                (None, Some(by)) => (a, by),
                (Some(by), None) => (b, by),
                _ => return None,
            };
            let (low, high) = if by < 0 { negated((low, high)) } else { (low, high) };
            let by = by.checked_abs().filter(|by| *by > 0)?;
            // Outwards: the operand need not be whole.
            let low = if low == i128::MIN { low } else { low.div_euclid(by) };
            let high = if high == i128::MAX { high } else { high.checked_add(by - 1)?.div_euclid(by) };
            (a, (low, high))
        }
        Node::FromBits(format, bits) if !format.is_float() => match terms.node(bits) {
            Node::BitsOf(from, inner) if !from.is_float() && from.bits() == format.bits() => {
                // The operand is the number up to a multiple of 2ⁿ, of which its own ends leave one.
                let whole = 1i128 << format.bits();
                let (least, most) = ends_of(terms, inner);
                let ((low, high), own) =
                    (meet((low, high), integers(format)), (least.checked_sub(high)?, most.checked_sub(low)?));
                let (first, last) =
                    (own.0.checked_add(whole - 1)?.div_euclid(whole), own.1.div_euclid(whole));
                if low > high || first != last {
                    return None;
                }
                (inner, (low + first * whole, high + first * whole))
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((operand, range))
}

/// Between what a word lies, read without a sign.
fn word_of(terms: &Terms, node: &Node, of: impl Fn(Term) -> Option<Range>) -> Range {
    let all = |bits: u32| (0, if bits < 127 { (1i128 << bits) - 1 } else { i128::MAX });
    let number = |term: Term| match terms.node(term) {
        Node::BitConstant(bits) => Some(bits),
        _ => None,
    };
    let within =
        |(low, high): Range, most: Range| if most.0 <= low && high <= most.1 { (low, high) } else { most };
    let of = |term: Term| number(term).map_or_else(|| of(term), |bits| Some((bits.into(), bits.into())));
    let positive = |term: Term, most: Range| within(of(term).unwrap_or(ALL), most);
    match *node {
        Node::BitConstant(bits) => (bits.into(), bits.into()),
        Node::BitsOf(format, inner) if !format.is_float() => positive(inner, all(format.bits())),
        Node::BitsOf(format, _) => all(format.bits()),
        Node::Bits(op, width, a, b, _) => {
            let most = all(width.into());
            let small = |by: Term| number(by).filter(|by| *by < 64);
            match op {
                BitOp::And => (0, positive(a, most).1.min(positive(b, most).1)),
                BitOp::ShiftRight => match small(b) {
                    Some(by) => {
                        let (low, high) = positive(a, most);
                        (low >> by, high >> by)
                    }
                    None => (0, positive(a, most).1),
                },
                BitOp::Extend | BitOp::Slice if small(b).is_some() => match (op, small(b)) {
                    (BitOp::Extend, Some(narrow)) => positive(a, all(narrow as u32)),
                    (_, Some(0)) => positive(a, most),
                    _ => most,
                },
                BitOp::ExtendSigned => match small(b) {
                    Some(narrow) if narrow > 0 => match positive(a, all(64)) {
                        (low, high) if high < 1 << (narrow - 1) => (low, high),
                        _ => most,
                    },
                    _ => most,
                },
                BitOp::Add => {
                    let ((a, b), (c, d)) = (positive(a, most), positive(b, most));
                    within((a + c, b.saturating_add(d)), most)
                }
                BitOp::Min => {
                    let ((a, b), (c, d)) = (positive(a, most), positive(b, most));
                    (a.min(c), b.min(d))
                }
                BitOp::PopCount => (0, (128 - positive(a, all(64)).1.leading_zeros()).into()),
                BitOp::LeadingZeros => (0, width.into()),
                _ => most,
            }
        }
        _ => all(128),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Budget;
    use crate::term::Number;
    use crate::term::eval::{Cone, Quantity, Reals, evaluate};
    use proptest::prelude::*;

    /// Numbers and words made of two integers and a float by a program.
    fn program(terms: &mut Terms, steps: &[(u8, u8, u8, u8)]) -> (Vec<Term>, Vec<Term>) {
        terms.note_elements(0, Format::S32);
        terms.note_elements(1, Format::U8);
        terms.note_elements(2, Format::F32);
        let mut numbers: Vec<Term> = (0..3).map(Term::element).collect();
        numbers.extend([3, -5, 64].map(|value| terms.integer(value)));
        let mut words = vec![terms.bit_constant(0xFC)];
        for (op, a, b, c) in steps {
            let pick = |pool: &[Term], at: u8| pool[pool.len() - 1 - usize::from(at) % pool.len().min(7)];
            let (x, y, z) = (pick(&numbers, *a), pick(&numbers, *b), pick(&numbers, *c));
            let (u, v) = (pick(&words, *a), pick(&words, *b));
            match op % 15 {
                0 => numbers.push(terms.add(x, y)),
                1 => numbers.push(terms.sub(x, y)),
                2 => {
                    let by = terms.integer(i128::from(*b % 7) - 3);
                    numbers.push(terms.mul(x, by));
                }
                3 => numbers.push(terms.max(x, y)),
                4 => numbers.push(terms.min(x, y)),
                5 | 6 => {
                    let relation =
                        [Relation::Less, Relation::LessEqual, Relation::Equal][usize::from(*c) % 3];
                    let mut holds = terms.compare(relation, x, y);
                    if op % 15 == 6 {
                        holds = terms.not(holds);
                    }
                    numbers.push(terms.select(holds, x, z));
                }
                7 => numbers.push(terms.unary(Unary::Trunc, x)),
                8 => numbers.push(terms.unary(Unary::Floor, x)),
                9 => numbers.push(terms.neg(x)),
                10 if terms.is_integer(x) => words.push(terms.bits_of(Format::S32, x)),
                11 => words.push(terms.bits(BitOp::And, 32, u, v, Term::ZERO)),
                12 => {
                    let by = terms.bit_constant(u64::from(*c % 9));
                    words.push(terms.bits(BitOp::ShiftRight, 32, u, by, Term::ZERO));
                }
                13 => numbers.push(terms.from_bits(Format::U32, u)),
                14 => numbers.push(terms.from_bits(Format::S32, u)),
                _ => {}
            }
        }
        (numbers, words)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Wherever the facts hold, each term lies in its range; a comparison with a constant comes out as its
        /// operands say.
        #[test]
        fn values_lie_in_ranges(
            steps in proptest::collection::vec(any::<(u8, u8, u8, u8)>(), 1..14),
            facts in proptest::collection::vec((any::<u8>(), -70i64..70, 0i64..90), 0..3),
            points in proptest::collection::vec((-90i64..90, 0i64..100, -300i64..300), 24),
        ) {
            let terms = &mut Terms::new();
            let (numbers, words) = program(terms, &steps);
            let roots: Vec<Term> = numbers.iter().chain(&words).copied().filter(|term| term.as_node().is_some()).collect();
            let budget = Budget::default();
            let cone = Cone::of(terms, &roots, &budget).unwrap();
            let elements = cone.elements().iter().map(|element| Term::element(*element));
            let nodes: Vec<Term> = elements.chain((0..cone.steps().len()).map(|step| cone.node(step))).collect();
            prop_assume!(!nodes.is_empty());
            let is_number = |term: Term| !matches!(terms.node(term), Node::Bits(..) | Node::BitsOf(..) | Node::BitConstant(_) | Node::Compare(..) | Node::Not(..) | Node::And(..) | Node::Or(..));
            let facts: Vec<(Term, i64, i64)> = facts
                .iter()
                .map(|(at, low, size)| (nodes[usize::from(*at) % nodes.len()], *low, low + size))
                .filter(|(term, ..)| is_number(*term))
                .collect();
            let big = |end: i64| Some(BigRational::from_integer(end.into()));
            let given = facts.iter().map(|(term, low, high)| (*term, [big(*low), big(*high)]));
            let ranges = terms.ranges_in(nodes.iter().copied(), given);
            let constants: Vec<Quantity> = terms
                .constants()
                .iter()
                .map(|constant| match &constant.number {
                    Number::Rational(value) => Quantity::rational(value),
                    _ => Quantity::Unknown,
                })
                .collect();
            for (i, byte, thirds) in points {
                let element = |element: u32| match element {
                    0 => Quantity::integer(i),
                    1 => Quantity::integer(byte),
                    _ => Quantity::rational(&BigRational::new(thirds.into(), 3.into())),
                };
                let domain = Reals { element: &element, constants: &constants };
                let mut values = Vec::new();
                evaluate(&cone, &domain, &budget, &mut values).unwrap();
                let of = |term: Term| match term.as_element() {
                    Some(at) => element(at),
                    None => (0..cone.steps().len()).find(|step| cone.node(*step) == term).map_or(Quantity::Unknown, |step| values[step]),
                };
                let lies = |value: Quantity, low: i128, high: i128| match value {
                    Quantity::Exact(value) => {
                        let (above, below) = (i128::from(*value.numer()), i128::from(*value.denom()));
                        Some(low.saturating_mul(below) <= above && above <= high.saturating_mul(below))
                    }
                    Quantity::Bits(word) => Some(low <= i128::from(word) && i128::from(word) <= high),
                    _ => None,
                };
                if !facts.iter().all(|(term, low, high)| lies(of(*term), (*low).into(), (*high).into()) == Some(true)) {
                    continue;
                }
                for term in &nodes {
                    if let Some((low, high)) = ranges.of(*term) {
                        prop_assert_ne!(lies(of(*term), low, high), Some(false), "{:?} {:?} in {:?}", terms.node(*term), of(*term), (low, high));
                    }
                }
            }
        }
    }
}
