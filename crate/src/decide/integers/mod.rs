//! Integers and bit patterns: words modulo 2ⁿ as polynomials over integers, and as functions of bits.
//!
//! A pattern of n bits has the form of an integer that is congruent to it modulo 2ⁿ: sums, differences and products
//! of words are those of their forms. Coefficients are taken modulo 2ⁿ in the basis of falling factorials, where
//! `2^31·x·(x + 1)` is 0 as it should be (Singmaster 1974; Hungerbühler and Specker 2006): a polynomial is zero at
//! all integers modulo 2ⁿ if and only if each coefficient of `Π x(x-1)…(x-k+1)` times `Π k!` is. Evaluation at
//! random points would prove less: the ring has divisors of zero.
//!
//! Where a pattern is read as a number, the reader gets its form if its range shows that it does not wrap around,
//! and otherwise an atom for the value modulo 2ⁿ. Operations on bits (masks, shifts to the right, counts) work on
//! decision diagrams of the bits ([`diagrams`]) and return a sum over bits; a difference that remains at the end is
//! examined bit by bit as well ([`Normalizer::vanishes_in_bits`]). Quotients by constants have one form however
//! they are computed: `⌊x·m/2^k⌋` depends only on the largest fraction below `m/2^k` with a denominator in the
//! range of x, and that is 1/d for the multipliers that compilers write. Pairs that this does not decide are
//! written as integers with quotients rounded down ([`floors`]), for wide products that are computed from halves.
//!
//! Guarantees: the form equals the term at all inputs; operations that have no form here are atoms that are equal
//! for equal operands only. Complete for sums and products of words modulo 2ⁿ, and for functions of bits with small
//! diagrams.
//! Misses: bits of products of two wide words.

mod bits;
mod bitwise;
mod circuits;
pub(super) mod diagrams;
mod divisible;
mod fitted;
mod floors;
mod overflow;
mod paths;
mod quotients;
mod reduce;
mod sweep;

use super::forms::{Accumulator, Atom, Forms, Kind, Mono, Poly, Product, Step, unknown};
use super::normalize::{Normalizer, finite};
use super::rational::Rational;
use crate::base::{Format, FormatClass};
use crate::term::{BitOp, Node, Term};
use diagrams::{Bit, Diagrams, Word};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;
pub(super) use paths::Point;
pub(super) use quotients::fraction;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names of atoms: the bits of a float, as `BitsOf` names them.
const FLOAT: u32 = 1;
/// A bit of an element.
const BIT: u32 = 6;
/// What is left of a polynomial modulo 2ⁿ, with a sign or without.
pub(super) const WRAP: u32 = 10;
/// Bits of a polynomial, from one on, so many.
pub(super) const PART: u32 = 11;
/// Atoms of a divisor that are looked through for integers.
const LOOKED_THROUGH: usize = 4096;

/// A fraction of a polynomial that is not negative, rounded down.
pub(super) const QUOTIENT: u32 = 12;
/// A function of bits, by its diagram.
const FUNCTION: u32 = 13;
/// A bit of an atom.
const LEAF_BIT: u32 = 14;

/// Ways through a diagram that are written out as products of bits.
const SHORT: u32 = 48;
/// Bits that one question may know.
const MOST_BITS: usize = 4096;
/// Bits of factors of which products are looked at bit by bit.
const NARROW: u32 = 8;

/// Least and greatest value.
type Range = (i128, i128);

/// Whose bits diagrams ask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Leaf {
    /// An element as a word of a format ([`Format::of_bits`]).
    Element(u32, Format),
    Atom(Atom),
    Product(Mono),
    /// A bit of a product of two words, by the number of these and the bit.
    ProductBit(u32),
    /// What is known by its class in a sweep alone.
    Class(u32),
}

/// What is known about integers in all questions of one portion.
#[derive(Clone)]
pub(super) struct Integers {
    pub(super) diagrams: Diagrams,
    leaves: Vec<Leaf>,
    leaf_ids: FxHashMap<Leaf, u32>,
    asked: usize,
    /// Polynomials whose bits are being worked out within one another.
    depth: usize,
    atoms: FxHashMap<Atom, Option<Word>>,
    /// The ranges of quotients, which may be nested as deep as a kernel's loop is long.
    quotients: FxHashMap<Atom, Range>,
    circuits: circuits::Circuits,
    sweep: sweep::Sweep,
    known: Known,
    /// Work on quotients rounded down that showed nothing.
    in_vain: usize,
}

impl Integers {
    pub(super) fn new() -> Integers {
        Integers {
            diagrams: Diagrams::new(),
            leaves: Vec::new(),
            leaf_ids: FxHashMap::default(),
            asked: 0,
            depth: 0,
            atoms: FxHashMap::default(),
            quotients: FxHashMap::default(),
            circuits: circuits::Circuits::default(),
            sweep: sweep::Sweep::default(),
            known: Known::default(),
            in_vain: 0,
        }
    }
}

/// What was found out about polynomials. They may be nested in one another as often as there are ways through
/// a kernel's choices, and as deep as its loops are long: each is looked at once, the innermost first. A lock,
/// because threads copy what one has begun.
#[derive(Default)]
struct Known(Mutex<Facts>);

/// Ranges that atoms were taken to have.
type Taken = Vec<(Atom, Range)>;

#[derive(Clone, Default)]
struct Facts {
    integers: FxHashMap<Poly, bool>,
    ranges: FxHashMap<Poly, Option<Range>>,
    /// With the ranges that some atoms were taken to have.
    split: FxHashMap<(Poly, Taken), Option<Range>>,
    /// Polynomials that are being looked at within one another.
    depth: usize,
}

/// Facts under ranges that were taken to hold, which are forgotten when there are more.
const MOST_SPLIT: usize = 1 << 20;
/// So deep within one another, polynomials have the ranges that hold whatever others are taken to have, and
/// the bits of what lies further inside are worked out first.
const DEEP: usize = 32;

impl Known {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An atom has another range than it had.
    fn forget_ranges(&self) {
        let mut facts = self.facts();
        facts.ranges.clear();
        facts.split.clear();
    }
}

impl Clone for Known {
    fn clone(&self) -> Known {
        Known(Mutex::new(self.facts().clone()))
    }
}

fn power_of_two(exponent: u32) -> Rational {
    Rational::from_big(&BigRational::from_integer(BigInt::one() << exponent))
}

fn integer(value: i128) -> Rational {
    Rational::from_big(&BigRational::from_integer(value.into()))
}

/// Least and greatest integer of so many bits.
fn range_of(signed: bool, bits: u32) -> Range {
    match signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// Least and greatest integer of a format.
pub(super) fn integers_of(format: Format) -> Range {
    range_of(format.class() == FormatClass::Signed, format.bits())
}

impl Normalizer<'_> {
    /// The form of a pattern, or of the integer that a pattern is read as; `None` while parts are missing.
    pub(super) fn word(&mut self, side: usize, node: Node, missing: &mut Vec<Term>) -> Step<Option<Poly>> {
        match node {
            Node::BitConstant(bits) => self.forms.rational(integer(bits.into())).map(Some),
            Node::BitsOf(format, a) => {
                let Some(value) = self.get(side, a, missing)? else { return Ok(None) };
                self.reduced(finite(value)?, format.bits()).map(Some)
            }
            Node::FromBits(format, a) => {
                // The integer that the pattern is of may have a place as it is.
                let a = match self.sides[side].terms.node(a) {
                    Node::BitsOf(from, whole) if !from.is_float() && from.bits() == format.bits() => whole,
                    _ => a,
                };
                let Some(value) = self.get(side, a, missing)? else { return Ok(None) };
                let pattern = self.widened(side, a, format.bits(), finite(value)?)?;
                let signed = format.class() == FormatClass::Signed;
                self.fitted(signed, format.bits(), pattern).map(Some)
            }
            Node::Bits(op, width, a, b, c) => {
                let mut operands = [Poly::ZERO; 3];
                let mut complete = true;
                for (poly, term) in operands.iter_mut().zip([a, b, c]) {
                    match self.get(side, term, missing)? {
                        Some(value) => *poly = finite(value)?,
                        None => complete = false,
                    }
                }
                if !complete {
                    return Ok(None);
                }
                let (n, from) = (u32::from(width), self.width_of(side, a));
                let read = match op {
                    BitOp::Slice => from.max(n),
                    BitOp::Concat => n / 2,
                    BitOp::Extend | BitOp::ExtendSigned => match self.forms.constant(operands[1]) {
                        Some(narrow) => narrow.as_small().map_or(n, |(narrow, _)| narrow.clamp(0, 64) as u32),
                        None => n,
                    },
                    _ => n,
                };
                for (poly, term) in operands.iter_mut().zip([a, b, c]) {
                    *poly = self.widened(side, term, read, *poly)?;
                }
                match self.operation(op, n, from, operands)? {
                    Some(poly) => Ok(Some(poly)),
                    None => self.unread(op, width, operands).map(Some),
                }
            }
            _ => unknown("this is no pattern"),
        }
    }

    /// A pattern that is read as one of `n` bits: what it is narrower by are zeros.
    fn widened(&mut self, side: usize, pattern: Term, n: u32, poly: Poly) -> Step<Poly> {
        let own = self.width_of(side, pattern);
        if own >= n || self.forms.constant(poly).is_some() || !self.is_integer(poly) {
            return Ok(poly);
        }
        self.fitted(false, own, poly)
    }

    /// An operation that is equal for equal operands only.
    fn unread(&mut self, op: BitOp, width: u8, mut operands: [Poly; 3]) -> Step<Poly> {
        for operand in &mut operands {
            *operand = self.reduced(*operand, 64)?;
        }
        let name = [3, op as u32, u32::from(width)];
        if matches!(op, BitOp::And | BitOp::Or | BitOp::Xor) {
            return self.unread_together(op, &name, operands);
        }
        if op.commutes() {
            operands[..2].sort_unstable();
        }
        let atom = self.forms.opaque(op.is_condition(), &name, &operands);
        self.forms.atom_poly(atom)
    }

    /// Whether an atom is that operation on words.
    fn is_word_of(&self, atom: Atom, name: &[u32; 3]) -> bool {
        self.forms.kind(atom) == Kind::Opaque && self.forms.opaque_parts(atom).0 == name
    }

    /// The same of bits taken together, whatever the order: what occurs twice counts once, or cancels.
    fn unread_together(&mut self, op: BitOp, name: &[u32; 3], [a, b, _]: [Poly; 3]) -> Step<Poly> {
        let mut parts = Vec::new();
        for operand in [a, b] {
            match self.forms.as_atom(operand) {
                Some((atom, true)) if self.is_word_of(atom, name) => {
                    parts.extend(self.forms.opaque_parts(atom).1);
                }
                _ => parts.push(operand),
            }
        }
        parts.sort_unstable();
        if op == BitOp::Xor {
            let mut odd: Vec<Poly> = Vec::with_capacity(parts.len());
            for part in parts {
                if odd.last() == Some(&part) {
                    odd.pop();
                } else {
                    odd.push(part);
                }
            }
            parts = odd;
        } else {
            parts.dedup();
        }
        match parts[..] {
            [] => Ok(Poly::ZERO),
            [one] => Ok(one),
            _ => {
                let atom = self.forms.opaque(false, name, &parts);
                self.forms.atom_poly(atom)
            }
        }
    }

    /// How many bits a pattern has.
    fn width_of(&self, side: usize, pattern: Term) -> u32 {
        let mut pattern = pattern;
        loop {
            match self.sides[side].terms.node(pattern) {
                Node::BitsOf(format, _) => return format.bits(),
                Node::Bits(_, width, ..) => return width.into(),
                Node::Select(_, a, b) => {
                    pattern = match self.sides[side].terms.node(a) {
                        Node::BitConstant(_) => b,
                        _ => a,
                    }
                }
                _ => return 64,
            }
        }
    }

    fn operation(&mut self, op: BitOp, n: u32, from: u32, [a, b, _]: [Poly; 3]) -> Step<Option<Poly>> {
        let known = self.forms.constant(b).and_then(|value| value.as_small()).map(|(value, _)| value);
        let count = known.and_then(|value| u32::try_from(value).ok());
        if [a, b].iter().any(|poly| !self.is_integer(*poly)) {
            return Ok(None);
        }
        let result = match op {
            BitOp::Add => self.forms.plus(a, b)?,
            BitOp::Sub => self.forms.minus(a, b)?,
            BitOp::Mul => self.forms.times(a, b)?,
            BitOp::Negate => self.forms.negated(a)?,
            BitOp::Not => {
                let turned = self.forms.plus(a, Poly::ONE)?;
                self.forms.negated(turned)?
            }
            BitOp::ShiftLeft => match count {
                Some(by) if by < n => self.forms.scaled(a, &power_of_two(by))?,
                Some(_) => Poly::ZERO,
                None => return Ok(None),
            },
            BitOp::ShiftRight => match count {
                Some(by) if by < n => return self.part(a, by, n - by).map(Some),
                Some(_) => Poly::ZERO,
                None => return Ok(None),
            },
            BitOp::ShiftRightSigned => {
                let Some(by) = count else { return Ok(None) };
                let by = by.min(n - 1);
                let part = self.part_of_any_size(a, by, n - by)?;
                self.fitted(true, n - by, part)?
            }
            BitOp::MulHigh => {
                let (a, b) = (self.fitted(false, n, a)?, self.fitted(false, n, b)?);
                let product = self.forms.times(a, b)?;
                return self.part(product, n, n).map(Some);
            }
            BitOp::Min | BitOp::Max | BitOp::MinSigned | BitOp::MaxSigned => {
                let signed = matches!(op, BitOp::MinSigned | BitOp::MaxSigned);
                let both = [self.fitted(signed, n, a)?, self.fitted(signed, n, b)?];
                match op {
                    BitOp::Min | BitOp::MinSigned => self.forms.min_of(&both)?,
                    _ => self.forms.max_of(&both)?,
                }
            }
            BitOp::Equal | BitOp::Less | BitOp::LessSigned => {
                let signed = op == BitOp::LessSigned;
                let (a, b) = (self.fitted(signed, n, a)?, self.fitted(signed, n, b)?);
                let difference = self.forms.minus(b, a)?;
                let holds = match op {
                    BitOp::Equal => self.zero(difference)?,
                    _ => self.positive(difference)?,
                };
                return Ok(Some(holds));
            }
            BitOp::Concat => {
                let low = self.fitted(false, n / 2, a)?;
                let high = self.forms.scaled(b, &power_of_two(n / 2))?;
                self.forms.plus(low, high)?
            }
            BitOp::Slice => match count {
                // Who reads it as a number may find that the whole of it has a place.
                Some(0) => return Ok(Some(a)),
                Some(at) if at + n <= from => return self.part_of_any_size(a, at, n).map(Some),
                Some(at) if at < from => return self.part(a, at, from - at).map(Some),
                _ => return Ok(None),
            },
            BitOp::Extend | BitOp::ExtendSigned => match count {
                Some(0) => Poly::ZERO,
                Some(narrow) if narrow <= n => self.fitted(op == BitOp::ExtendSigned, narrow, a)?,
                _ => return Ok(None),
            },
            BitOp::And | BitOp::Or | BitOp::Xor => return self.bitwise(op, n, a, b),
            BitOp::PopCount | BitOp::LeadingZeros | BitOp::Reverse => return self.counted(op, n, a),
            BitOp::Other => return Ok(None),
        };
        self.reduced(result, n).map(Some)
    }

    /// Bits of a form from `at` on, `length` of them, as an integer that is not negative.
    pub(super) fn part(&mut self, poly: Poly, at: u32, length: u32) -> Step<Poly> {
        if at == 0 {
            return self.fitted(false, length, poly);
        }
        let n = at + length;
        let poly = self.as_divided(n, poly)?.unwrap_or(poly);
        if let Some(floor) = self.without_low_bits(poly, at)? {
            return self.fitted(false, length, floor);
        }
        let reduced = self.reduced(poly, n)?;
        if let Some(upper) = self.upper_part(reduced, at)? {
            return self.fitted(false, length, upper);
        }
        if n <= 64
            && let Some(word) = self.bits(reduced, n)?
        {
            return self.of_bits(&word[at as usize..]);
        }
        if let Some(sum) = self.across(reduced, at, length)? {
            return self.fitted(false, length, sum);
        }
        let atom = self.forms.opaque(false, &[PART, at, length], &[reduced]);
        self.forms.atom_poly(atom)
    }

    /// The same, of any size: what counts is its remainder modulo 2 to the length.
    fn part_of_any_size(&mut self, poly: Poly, at: u32, length: u32) -> Step<Poly> {
        match self.without_low_bits(poly, at)? {
            Some(floor) => Ok(floor),
            None => self.part(poly, at, length),
        }
    }

    /// A part of two words side by side, of which it takes the upper end of one and the lower end of the other:
    /// a rotation.
    fn across(&mut self, poly: Poly, at: u32, length: u32) -> Step<Option<Poly>> {
        for middle in at + 1..at + length {
            let Some(upper) = self.upper_part(poly, middle)? else { continue };
            let above = self.forms.scaled(upper, &power_of_two(middle))?;
            let lower = self.forms.minus(poly, above)?;
            let (low, high) =
                (self.part(lower, at, middle - at)?, self.forms.scaled(upper, &power_of_two(middle - at))?);
            return self.forms.plus(low, high).map(Some);
        }
        Ok(None)
    }

    /// `h`, if a form is `h·2^at` and something that lies between 0 and 2^at. What of a coefficient belongs to
    /// which has the sign of both or none: minima stand as negative maxima.
    fn upper_part(&mut self, poly: Poly, at: u32) -> Step<Option<Poly>> {
        let unit = BigInt::one() << at;
        let negative =
            (0..self.forms.len(poly)).any(|index| self.forms.coefficient_at(poly, index).is_negative());
        for towards_zero in [false, true] {
            if towards_zero && !negative {
                break;
            }
            let (mut upper, mut lower) = (Accumulator::default(), Accumulator::default());
            for index in 0..self.forms.len(poly) {
                let Product { coefficient, mono } = self.forms.term(poly, index);
                let whole = coefficient.to_big().to_integer();
                let (above, below) =
                    if towards_zero { whole.div_rem(&unit) } else { whole.div_mod_floor(&unit) };
                let big = |value: BigInt| Rational::from_big(&BigRational::from_integer(value));
                upper.add(&Product { coefficient: big(above), mono });
                lower.add(&Product { coefficient: big(below), mono });
            }
            let (upper, lower) = (self.forms.finish(upper)?, self.forms.finish(lower)?);
            let inside = |(low, high): Range| low >= 0 && high < 1 << at.min(120);
            if self.range_of_form(lower).is_some_and(inside) {
                return Ok(Some(upper));
            }
        }
        Ok(None)
    }

    // ---- bits ------------------------------------------------------------------------------

    fn leaf(&mut self, leaf: Leaf, place: u32) -> Option<Bit> {
        let integers = &mut self.integers;
        let id = match integers.leaf_ids.get(&leaf) {
            Some(id) => *id,
            None => {
                let id = integers.leaves.len() as u32;
                integers.leaves.push(leaf);
                integers.leaf_ids.insert(leaf, id);
                id
            }
        };
        integers.asked += 1;
        if integers.leaves.len() > MOST_BITS {
            return None;
        }
        integers.diagrams.variable(id, place)
    }

    /// The integer that bits are, without a sign.
    fn of_bits(&mut self, word: &[Bit]) -> Step<Poly> {
        let mut sum = Poly::ZERO;
        let mut at = 0;
        while at < word.len() {
            let (poly, length) = match self.whole_leaf(&word[at..])? {
                Some(whole) => whole,
                None => (self.of_bit(word[at])?, 1),
            };
            let part = self.forms.scaled(poly, &power_of_two(at as u32))?;
            sum = self.forms.plus(sum, part)?;
            at += length;
        }
        Ok(sum)
    }

    /// An element whose bits these begin with, as an integer without a sign, or the bits of a float.
    fn whole_leaf(&mut self, word: &[Bit]) -> Step<Option<(Poly, usize)>> {
        let Some(((leaf, 0), Bit::ZERO, Bit::ONE)) = self.integers.diagrams.asks(word[0]) else {
            return Ok(None);
        };
        let (element, format) = match self.integers.leaves[leaf as usize] {
            Leaf::Element(element, format) => (Some(element), format),
            Leaf::Atom(atom) => match self.float_of(atom) {
                Some((format, _)) => (None, format),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let bits = format.bits();
        let length = bits as usize;
        let all = |bit: (usize, &Bit)| {
            self.integers.diagrams.asks(*bit.1) == Some(((leaf, bit.0 as u32), Bit::ZERO, Bit::ONE))
        };
        if word.len() < length || !word[..length].iter().enumerate().all(all) {
            return Ok(None);
        }
        let (Some(element), false) = (element, format.is_float()) else {
            let atom = match (element, self.integers.leaves[leaf as usize]) {
                (None, Leaf::Atom(atom)) => atom,
                (Some(element), _) => {
                    let own = self.forms.atom(Kind::Element(element));
                    let number = self.forms.atom_poly(own)?;
                    self.forms.opaque(false, &[FLOAT, format as u32], &[number])
                }
                _ => return Ok(None),
            };
            return self.forms.atom_poly(atom).map(|poly| Some((poly, length)));
        };
        let atom = self.forms.atom(Kind::Element(element));
        let mut number = self.forms.atom_poly(atom)?;
        if self.range_of_form(number).is_none_or(|(low, _)| low < 0) {
            let top = self.of_bit(word[length - 1])?;
            let turn = self.forms.scaled(top, &power_of_two(bits))?;
            number = self.forms.plus(number, turn)?;
        }
        Ok(Some((number, length)))
    }

    /// The float whose bits an atom is.
    fn float_of(&self, atom: Atom) -> Option<(Format, Poly)> {
        if self.forms.kind(atom) != Kind::Opaque {
            return None;
        }
        match self.forms.opaque_parts(atom) {
            (name, parts) if name.len() == 2 && name[0] == FLOAT && parts.len() == 1 => {
                Some((Format::ALL[name[1] as usize], parts[0]))
            }
            _ => None,
        }
    }

    /// The float of a format that a word's form is all bits of.
    pub(super) fn float_of_word(&self, format: Format, word: Poly) -> Option<Poly> {
        let (atom, plain) = self.forms.as_atom(word)?;
        let (own, number) = self.float_of(atom).filter(|_| plain)?;
        (own == format).then_some(number)
    }

    /// A function of bits as a sum of products of bits, or as an atom if that is long.
    fn of_bit(&mut self, bit: Bit) -> Step<Poly> {
        let mut left = SHORT;
        match self.written_out(bit, &mut left)? {
            Some(poly) => Ok(poly),
            None => {
                let atom = self.forms.opaque(true, &[FUNCTION, bit.0], &[]);
                self.forms.atom_poly(atom)
            }
        }
    }

    /// A bit of an element as a word of a format. The highest one of an integer says on which side of a number it lies, and is
    /// written so.
    pub(super) fn bit_of_element(&mut self, element: u32, place: u32, held: Format) -> Step<Poly> {
        let held = held.of_bits();
        if place + 1 == held.bits()
            && let Some(format) = self.forms.integer_format(element).filter(|own| own.of_bits() == held)
        {
            let atom = self.forms.atom(Kind::Element(element));
            let number = self.forms.atom_poly(atom)?;
            let above = match format.class() {
                FormatClass::Signed => self.forms.negated(number)?,
                _ => {
                    let most = self.forms.rational(integer(1 - (1i128 << place)))?;
                    self.forms.plus(number, most)?
                }
            };
            return self.forms.positive(above);
        }
        let atom = self.forms.opaque(true, &[BIT, element, place, held as u32], &[]);
        self.forms.atom_poly(atom)
    }

    fn written_out(&mut self, bit: Bit, left: &mut u32) -> Step<Option<Poly>> {
        let Some(((leaf, place), low, high)) = self.integers.diagrams.asks(bit) else {
            return Ok(Some(if bit == Bit::ONE { Poly::ONE } else { Poly::ZERO }));
        };
        let Some(less) = left.checked_sub(1) else { return Ok(None) };
        *left = less;
        let (Some(low), Some(high)) = (self.written_out(low, left)?, self.written_out(high, left)?) else {
            return Ok(None);
        };
        let atom = match self.integers.leaves[leaf as usize] {
            Leaf::Element(element, format) => {
                let indicator = self.bit_of_element(element, place, format)?;
                return self.forms.choose(indicator, high, low).map(Some);
            }
            Leaf::Atom(atom) if self.forms.kind(atom) == Kind::Condition => atom,
            Leaf::Atom(atom) => {
                let of = self.forms.atom_poly(atom)?;
                self.forms.opaque(true, &[LEAF_BIT, place], &[of])
            }
            Leaf::Product(mono) => {
                let of = self.forms.poly(&Product { coefficient: Rational::ONE, mono })?;
                self.forms.opaque(true, &[LEAF_BIT, place], &[of])
            }
            Leaf::ProductBit(_) | Leaf::Class(_) => return Ok(None),
        };
        let indicator = self.forms.atom_poly(atom)?;
        self.forms.choose(indicator, high, low).map(Some)
    }

    // ---- the end ---------------------------------------------------------------------------

    /// Whether a difference of forms is zero at all values of the bits that its integers have: each sum
    /// that goes with one product of reals is. Nothing is said where bits decide whether that product has a value:
    /// a quotient by a count, which is 0 for some bits, is none of the sums that are 0 there.
    pub(super) fn vanishes_in_bits(&mut self, difference: Poly) -> Step<bool> {
        let mut groups: Vec<(Poly, Accumulator)> = Vec::new();
        let mut undefined = Vec::new();
        let mut any = false;
        for at in 0..self.forms.len(difference) {
            let Product { coefficient, mono } = self.forms.term(difference, at);
            let (reals, integers) = self.split(mono)?;
            any |= integers.mono != Mono::ONE;
            let place = match groups.iter().position(|(key, _)| *key == reals) {
                Some(place) => place,
                None => {
                    if groups.len() > 256 {
                        return Ok(false);
                    }
                    groups.push((reals, Accumulator::default()));
                    undefined.push(self.bits_may_undo(mono)?);
                    groups.len() - 1
                }
            };
            let coefficient = coefficient.times(&integers.coefficient);
            groups[place].1.add(&Product { coefficient, mono: integers.mono });
        }
        if !any {
            return Ok(false);
        }
        for ((_, sum), undefined) in groups.into_iter().zip(undefined) {
            let sum = self.forms.finish(sum)?;
            if undefined && sum != Poly::ZERO {
                return Ok(false);
            }
            let mut unit = BigInt::one();
            for at in 0..self.forms.len(sum) {
                unit = unit.lcm(self.forms.coefficient_at(sum, at).to_big().denom());
            }
            let sum = self.forms.scaled(sum, &Rational::from_big(&BigRational::from_integer(unit)))?;
            let Some(range) = self.range_of_form(sum) else { return Ok(false) };
            let Some(word) = self.bits(sum, width(range))? else { return Ok(false) };
            if word.iter().any(|bit| *bit != Bit::ZERO) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a product may have no value for some values of the bits: they decide about a divisor or the argument
    /// of a logarithm.
    fn bits_may_undo(&mut self, mono: Mono) -> Step<bool> {
        for at in 0..self.forms.factor_count(mono) {
            let (atom, power) = self.forms.factor(mono, at);
            if power.above > 0 && !matches!(self.forms.kind(atom), Kind::Log(_)) {
                continue;
            }
            let never_zero = power.above < 0
                && self.is_integer_atom(atom)
                && match self.range_of_atom(atom) {
                    Some((low, high)) if low > 0 || high < 0 => true,
                    _ => match self.bits_of_atom(atom)? {
                        Some(word) => {
                            let any = |any, bit| self.integers.diagrams.or(any, bit);
                            word.into_iter().try_fold(Bit::ZERO, any) == Some(Bit::ONE)
                        }
                        None => false,
                    },
                };
            if !never_zero && self.has_integers(atom) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether integers or conditions are among what an atom is made of.
    fn has_integers(&self, atom: Atom) -> bool {
        let mut seen = FxHashSet::from_iter([atom]);
        let mut open = vec![atom];
        while let Some(atom) = open.pop() {
            if self.is_integer_atom(atom) || seen.len() > LOOKED_THROUGH {
                return true;
            }
            let parts = match self.forms.kind(atom) {
                Kind::Log(p) | Kind::Function(_, p) => vec![p],
                _ => self.parts_of(atom),
            };
            let below = parts.into_iter().flat_map(|poly| self.atoms_in(poly));
            open.extend(below.filter(|atom| seen.insert(*atom)));
        }
        false
    }

    /// A product as one of reals and one of integers.
    fn split(&mut self, mono: Mono) -> Step<(Poly, Product)> {
        let mut integers = Product::ONE;
        let mut reals = match self.forms.exponent(mono) {
            Poly::ZERO => Product::ONE,
            exponent => self.forms.exp(exponent)?,
        };
        for at in 0..self.forms.factor_count(mono) {
            let (atom, power) = self.forms.factor(mono, at);
            let factor = self.forms.atom_power(atom, power)?;
            let whole = power.below == 1 && power.above > 0 && self.is_integer_atom(atom);
            let side = if whole { &mut integers } else { &mut reals };
            *side = self.forms.product(side, &factor)?;
        }
        Ok((self.forms.poly(&reals)?, integers))
    }
}

/// How many bits integers in a range have, with a sign.
fn width((low, high): Range) -> u32 {
    let bits = |value: i128| 129 - if value < 0 { (!value).leading_zeros() } else { value.leading_zeros() };
    bits(low).max(bits(high))
}

/// Bits with a sign, as `n` of them.
fn fill(word: &[Bit], n: u32) -> Word {
    let sign = word.last().copied().unwrap_or(Bit::ZERO);
    (0..n as usize).map(|at| word.get(at).copied().unwrap_or(sign)).collect()
}

impl Forms<'_> {
    /// The format of an element that is an integer.
    pub(super) fn integer_format(&self, element: u32) -> Option<Format> {
        self.element_format(element).filter(|format| !format.is_float())
    }
}
