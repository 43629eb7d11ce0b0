//! What a kernel reads out of a few bits of an integer, as a sum over those bits.
//!
//! Quantized weights are taken apart in many ways: shifts and masks, a mask and an or that puts four
//! bits into the fraction of a float 1024 ≤ f < 2048, a sign flipped on the way. Each is a function of
//! at most eight bits of one element, and a function of bits is a sum of products of bits in one way
//! only: `Σ c_S · Π b`. Written so, all ways to read the same number meet. The coefficients come from
//! the function's values at all settings of the bits.
//!
//! Guarantees: the sum equals the term at every value of the element. Which bits a pattern depends on
//! is over-estimated, never under-estimated; where a value is not exact, nothing is said.
//! Misses: patterns of several elements, of more than eight bits, and what is chosen by conditions;
//! a number put together again from parts that were read apart (unless it is all of an 8-bit element).

use super::constants::Meaning;
use super::forms::{Kind, Poly, Sign, Step};
use super::normalize::{Normalizer, Side, Value};
use super::rational::Rational;
use super::reading::NO_NEGATIVE_ZERO;
use crate::base::{Format, FormatClass};
use crate::diag::Assumption;
use crate::term::eval::{Domain, Quantity, Reals, number_of};
use crate::term::{BitOp, Node, Term, Terms, Unary};
use num_traits::ToPrimitive;

/// Bits that a function may depend on.
pub(super) const MOST_BITS: u32 = 8;
/// Products that a function may be written with.
const MOST_PRODUCTS: usize = 32;
/// Nodes that are looked at for one pattern.
const MOST_NODES: u32 = 200;
/// Values that a maximum of floats' bits may be taken of.
const MOST_LEAVES: usize = 4096;

/// What a term is at all settings of some bits of one element.
pub(super) struct OfBits {
    pub(super) element: u32,
    /// The format whose bits these are.
    pub(super) format: Format,
    /// The bits, ascending.
    pub(super) bits: Vec<u32>,
    /// What it is at each setting, the first bit the lowest; of a condition, 1 where it holds.
    pub(super) values: Vec<Rational>,
}

impl OfBits {
    /// A number or condition that depends on few bits of one element.
    pub(super) fn of(terms: &Terms, meanings: &[Meaning], term: Term) -> Option<OfBits> {
        let mut origin = Origin { terms, leaf: None, fuel: MOST_NODES };
        let mask = origin.condition(term)?;
        let (element, format) = origin.leaf?;
        if mask.count_ones() > MOST_BITS {
            return None;
        }
        let bits: Vec<u32> = (0..64).filter(|bit| mask >> bit & 1 == 1).collect();
        let mut values = Vec::with_capacity(1 << bits.len());
        for setting in 0..1u64 << bits.len() {
            let word = bits.iter().enumerate().fold(0, |word, (at, bit)| word | (setting >> at & 1) << bit);
            values.push(match at_word(terms, meanings, term, word) {
                Quantity::Exact(value) => Rational::new(*value.numer(), *value.denom()),
                Quantity::Condition(holds) => Rational::new(i64::from(holds), 1),
                _ => return None,
            });
        }
        Some(OfBits { element, format, bits, values })
    }

    /// For each setting, the factor of the product of the bits that are 1 in it: from values at all settings to
    /// coefficients of all products.
    pub(super) fn coefficients(&self) -> Vec<Rational> {
        let mut coefficients = self.values.clone();
        for at in 0..self.bits.len() {
            for setting in (0..coefficients.len()).filter(|setting| setting >> at & 1 == 1) {
                coefficients[setting] =
                    coefficients[setting].plus(&coefficients[setting & !(1 << at)].negated());
            }
        }
        coefficients
    }
}

/// The format of an element that is an integer of few bits.
pub(super) fn narrow(terms: &Terms, element: u32) -> Option<Format> {
    terms.element_format(element).filter(|format| format.integers().is_some() && format.bits() <= MOST_BITS)
}

/// The value of a term where the element that it reads has these bits.
fn at_word(terms: &Terms, meanings: &[Meaning], term: Term, word: u64) -> Quantity {
    if let Some(constant) = term.as_constant() {
        return meanings[constant].quantity();
    }
    if let Some(element) = term.as_element() {
        return narrow(terms, element).map_or(Quantity::Unknown, |format| number_of(format, word));
    }
    let node = terms.node(term);
    if let Node::BitsOf(format, inner) = node
        && let Some((_, turned)) = element_of(terms, format, inner)
    {
        let all = u64::MAX >> (64 - format.bits());
        return Quantity::Bits(if turned { !word & all } else { word });
    }
    let reals = Reals { element: &|_| Quantity::Unknown, constants: &[] };
    reals.node(&node, |operand| at_word(terms, meanings, operand, word))
}

/// Which bits of which element a term is made of.
struct Origin<'a> {
    terms: &'a Terms,
    /// The element, and the format whose bits are taken.
    leaf: Option<(u32, Format)>,
    fuel: u32,
}

impl Origin<'_> {
    /// Looks at an element's bits, if these are the ones that are looked at.
    fn whole(&mut self, element: u32, format: Format) -> Option<()> {
        let (own, held) = *self.leaf.get_or_insert((element, format));
        (own == element && held.of_bits() == format.of_bits()).then_some(())
    }

    /// For each bit of a pattern, the bits of the element that it depends on (at most).
    fn pattern(&mut self, term: Term) -> Option<Vec<u64>> {
        self.fuel = self.fuel.checked_sub(1)?;
        match self.terms.node(term) {
            Node::BitConstant(_) => Some(vec![0; 64]),
            Node::BitsOf(format, inner) => {
                if let Some((element, _)) = element_of(self.terms, format, inner) {
                    self.whole(element, format)?;
                    return Some((0..format.bits()).map(|bit| 1 << bit).collect());
                }
                let all = self.number(inner)?;
                Some(vec![all; format.bits() as usize])
            }
            Node::Bits(op, width, a, b, c) => self.operation(op, usize::from(width), [a, b, c]),
            _ => None,
        }
    }

    fn operation(&mut self, op: BitOp, width: usize, [a, b, _]: [Term; 3]) -> Option<Vec<u64>> {
        let constant = |origin: &Self, term: Term| match origin.terms.node(term) {
            Node::BitConstant(bits) => Some(bits),
            _ => None,
        };
        let at = |bits: &[u64], bit: usize| bits.get(bit).copied().unwrap_or(0);
        let below = |bits: &[u64], bit: usize| (0..=bit).fold(0, |all, bit| all | at(bits, bit));
        let x = self.pattern(a)?;
        let depends: Vec<u64> = match op {
            BitOp::Not => (0..width).map(|bit| at(&x, bit)).collect(),
            BitOp::And | BitOp::Or | BitOp::Xor => {
                let y = self.pattern(b)?;
                let known = constant(self, a).or_else(|| constant(self, b));
                let fixed = |bit: usize| match (op, known) {
                    (BitOp::And, Some(word)) => word >> bit & 1 == 0,
                    (BitOp::Or, Some(word)) => word >> bit & 1 == 1,
                    _ => false,
                };
                (0..width).map(|bit| if fixed(bit) { 0 } else { at(&x, bit) | at(&y, bit) }).collect()
            }
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned | BitOp::Slice => {
                let by = usize::try_from(constant(self, b)?).ok()?;
                let moved = |bit: usize| match op {
                    BitOp::ShiftLeft => bit.checked_sub(by).map_or(0, |from| at(&x, from)),
                    BitOp::ShiftRightSigned => at(&x, bit.saturating_add(by).min(width - 1)),
                    // A shift takes nothing from beyond its width, a slice does.
                    BitOp::ShiftRight if bit.saturating_add(by) >= width => 0,
                    _ => at(&x, bit.saturating_add(by)),
                };
                (0..width).map(moved).collect()
            }
            BitOp::Concat => {
                let y = self.pattern(b)?;
                let half = width / 2;
                (0..width).map(|bit| if bit < half { at(&x, bit) } else { at(&y, bit - half) }).collect()
            }
            // Carries go upwards.
            BitOp::Add | BitOp::Sub | BitOp::Mul => {
                let y = self.pattern(b)?;
                (0..width).map(|bit| below(&x, bit) | below(&y, bit)).collect()
            }
            BitOp::Negate => (0..width).map(|bit| below(&x, bit)).collect(),
            BitOp::Extend => {
                let narrow = usize::try_from(constant(self, b)?).ok()?;
                (0..width).map(|bit| if bit < narrow { at(&x, bit) } else { 0 }).collect()
            }
            BitOp::ExtendSigned => {
                let top = usize::try_from(constant(self, b)?).ok()?.checked_sub(1)?;
                (0..width).map(|bit| at(&x, bit.min(top))).collect()
            }
            _ => return None,
        };
        Some(depends)
    }

    /// The bits that a number depends on (at most), or a comparison.
    fn condition(&mut self, term: Term) -> Option<u64> {
        if term.as_constant().is_some() || term.as_element().is_some() {
            return None;
        }
        match self.terms.node(term) {
            Node::Compare(_, a, b) => Some(self.number(a)? | self.number(b)?),
            Node::Bits(op, _, a, b, _) if op.is_condition() => {
                let (a, b) = (self.pattern(a)?, self.pattern(b)?);
                Some(a.iter().chain(&b).fold(0, |all, bit| all | bit))
            }
            _ => self.number(term),
        }
    }

    /// The bits that a number depends on (at most).
    fn number(&mut self, term: Term) -> Option<u64> {
        self.fuel = self.fuel.checked_sub(1)?;
        if term.as_constant().is_some() {
            return Some(0);
        }
        if let Some(element) = term.as_element() {
            let format = narrow(self.terms, element)?;
            self.whole(element, format)?;
            return Some((1 << format.bits()) - 1);
        }
        match self.terms.node(term) {
            Node::FromBits(format, pattern) => {
                let bits = self.pattern(pattern)?;
                Some(bits.iter().take(format.bits() as usize).fold(0, |all, bit| all | bit))
            }
            Node::Round(_, _, a) | Node::Unary(Unary::Neg | Unary::Abs, a) => self.number(a),
            Node::Unary(function, a) if function.is_rounding() => self.number(a),
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Max(a, b)
            | Node::Min(a, b) => Some(self.number(a)? | self.number(b)?),
            Node::Fma(a, b, c) => Some(self.number(a)? | self.number(b)? | self.number(c)?),
            _ => None,
        }
    }
}

/// The element whose bits in a format are a number's, or those turned (`true`): a signed -1 - x.
fn element_of(terms: &Terms, format: Format, number: Term) -> Option<(u32, bool)> {
    if let Some(element) = number.as_element() {
        return Some((element, false));
    }
    match (terms.node(number), format.class()) {
        (Node::Sub(Term::MINUS_ONE, x), FormatClass::Signed) => Some((x.as_element()?, true)),
        _ => None,
    }
}

impl Normalizer<'_> {
    /// A function of few bits of one element, as a sum of products of bits.
    pub(super) fn of_few_bits(&mut self, side: usize, term: Term) -> Step<Option<Poly>> {
        let Side { terms, meanings, .. } = self.sides[side];
        let Some(found) = OfBits::of(terms, meanings, term) else { return Ok(None) };
        self.forms.tick(found.values.len() as u64)?;
        let coefficients = found.coefficients();
        let OfBits { element, format, bits, .. } = found;
        if let Some(poly) = self.whole_element(element, format, &bits, &coefficients)? {
            return Ok(Some(poly));
        }
        if coefficients.iter().filter(|coefficient| !coefficient.is_zero()).count() > MOST_PRODUCTS {
            return Ok(None);
        }
        let mut sum = Poly::ZERO;
        for (setting, coefficient) in coefficients.iter().enumerate() {
            if coefficient.is_zero() {
                continue;
            }
            let mut product = self.forms.rational(coefficient.clone())?;
            for bit in bits.iter().enumerate().filter(|(at, _)| setting >> at & 1 == 1).map(|(_, bit)| *bit) {
                let indicator = self.bit_of_element(element, bit, format)?;
                product = self.forms.times(product, indicator)?;
            }
            sum = self.forms.plus(sum, product)?;
        }
        Ok(Some(sum))
    }

    /// `c + w·x`, where the bits are all bits of an 8-bit integer `x`, with their weights.
    fn whole_element(
        &mut self,
        element: u32,
        format: Format,
        bits: &[u32],
        coefficients: &[Rational],
    ) -> Step<Option<Poly>> {
        if bits.len() != 8 || format.bits() != 8 || format.is_float() {
            return Ok(None);
        }
        let weight = coefficients[1].clone();
        // The element counts in its own format, whatever its bits were read as.
        let Some(own) = self.forms.integer_format(element).filter(|own| own.bits() == 8) else {
            return Ok(None);
        };
        let expected = |setting: usize| match setting {
            0x80 if own.class() == FormatClass::Signed => weight.times(&Rational::new(-128, 1)),
            _ if setting.is_power_of_two() => weight.times(&Rational::new(setting as i64, 1)),
            _ => Rational::new(0, 1),
        };
        if weight.is_zero() || (1..coefficients.len()).any(|at| coefficients[at] != expected(at)) {
            return Ok(None);
        }
        let atom = self.forms.atom(Kind::Element(element));
        let number = self.forms.atom_poly(atom)?;
        let scaled = self.forms.scaled(number, &weight)?;
        let offset = self.forms.rational(coefficients[0].clone())?;
        self.forms.plus(scaled, offset).map(Some)
    }

    /// The maximum (or minimum) of floats, taken as integers of their bits: floats that are not
    /// negative have the order of their bits. Kernels do so because atomics do not take floats.
    /// `None` while parts are missing; `Some(None)` where it is something else.
    pub(super) fn extremum_of_bits(
        &mut self,
        side: usize,
        (format, pattern): (Format, Term),
        missing: &mut Vec<Term>,
    ) -> Step<Option<Option<Value>>> {
        let terms = self.sides[side].terms;
        let Node::BitsOf(held, number) = terms.node(pattern) else { return Ok(Some(None)) };
        if !format.is_float() || held.is_float() || held.bits() != format.bits() {
            return Ok(Some(None));
        }
        let Some((leaves, is_max)) = extremum_leaves(terms, number) else { return Ok(Some(None)) };
        let (mut floats, before) = (Vec::with_capacity(leaves.len()), missing.len());
        for leaf in leaves {
            if let Some(value) = terms.as_rational(leaf) {
                let small = value.is_integer().then(|| value.numer().to_u64()).flatten();
                // The sign bit would be set in the upper half.
                let bits = small.filter(|bits| bits >> (format.bits() - 1) == 0);
                let Some(Quantity::Exact(float)) = bits.map(|bits| number_of(format, bits)) else {
                    return Ok(Some(None));
                };
                floats.push(self.forms.rational(Rational::new(*float.numer(), *float.denom()))?);
                continue;
            }
            let Node::FromBits(_, bits) = terms.node(leaf) else { return Ok(Some(None)) };
            let Node::BitsOf(own, float) = terms.node(bits) else { return Ok(Some(None)) };
            if own != format {
                return Ok(Some(None));
            }
            match self.get(side, float, missing)? {
                None => {}
                Some(Value::Finite(poly)) => match self.forms.sign(poly) {
                    Sign::Positive | Sign::NonNegative | Sign::Zero => floats.push(poly),
                    Sign::NonPositive | Sign::Negative | Sign::Unknown => return Ok(Some(None)),
                },
                Some(Value::Infinite(_)) => return Ok(Some(None)),
            }
        }
        if missing.len() > before {
            return Ok(None);
        }
        if !is_max {
            for float in &mut floats {
                *float = self.forms.negated(*float)?;
            }
        }
        self.forms.notes.insert(Assumption::Other(NO_NEGATIVE_ZERO.to_owned()));
        let most = self.forms.max_of(&floats)?;
        let value = if is_max { most } else { self.forms.negated(most)? };
        Ok(Some(Some(Value::Finite(value))))
    }
}

/// What a tree of maxima alone, or of minima alone, is taken of; and whether it is one of maxima.
fn extremum_leaves(terms: &Terms, root: Term) -> Option<(Vec<Term>, bool)> {
    let is_max = match terms.node(root) {
        Node::Max(..) => true,
        Node::Min(..) => false,
        _ => return None,
    };
    let (mut open, mut leaves) = (vec![root], Vec::new());
    while let Some(term) = open.pop() {
        match terms.node(term) {
            Node::Max(a, b) if is_max => open.extend([a, b]),
            Node::Min(a, b) if !is_max => open.extend([a, b]),
            _ => leaves.push(term),
        }
        if open.len() + leaves.len() > MOST_LEAVES {
            return None;
        }
    }
    Some((leaves, is_max))
}
