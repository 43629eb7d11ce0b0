//! What is read out of few bits of one element.
//!
//! Each bit is a variable, and a function of at most eight bits of an element is a sum of products of these in one
//! way only (`patterns`), so what is read is one function however it is read: by shifts, masks, permutations, divisions
//! or a float's exponent put around it. The highest bit of an integer is what makes the sum of all its bits the
//! integer, so parts that are put together again are it. Conditions on such bits are places ([`intervals`]).
//!
//! Guarantees: the value of a step is the function that it is, at all settings of the bits.
//! Misses: more than eight bits together, and products of two numbers read from one bit.
//! Cost: one look at all settings for each form of reading, and one product for each set of bits that counts.

use super::intervals::{Integer, Place};
use super::*;
use crate::base::{Format, FormatClass};
use crate::decide::patterns::{MOST_BITS, OfBits};
use crate::term::BitOp;
use std::rc::Rc;

/// Nodes that one reading may have.
const MOST_NODES: usize = 200;

/// A way to read a number or a condition out of an element.
struct Reading {
    /// Whose bits these are ([`Format::of_bits`]).
    held: Format,
    bits: Vec<u32>,
    /// Sets of bits, and what their product counts for.
    parts: Vec<(usize, Value)>,
    /// Settings at which a condition holds.
    holds: Vec<bool>,
}

impl Reading {
    /// Bits that a condition is not the same for all settings of.
    fn decisive(&self) -> Vec<u32> {
        let depends = |at: &usize| {
            (0..self.holds.len()).any(|setting| self.holds[setting] != self.holds[setting ^ 1 << at])
        };
        (0..self.bits.len()).filter(depends).map(|at| self.bits[at]).collect()
    }

    /// Whether a condition holds, at all settings of some bits, those among them that it depends on.
    fn at_settings_of(&self, format: Format, bits: &[u32]) -> Vec<bool> {
        let own = |setting: usize| {
            let is_set =
                |bit: &u32| bits.iter().position(|own| own == bit).is_some_and(|at| setting >> at & 1 == 1);
            let set = self
                .bits
                .iter()
                .enumerate()
                .filter(|(_, bit)| source(format, self.held, **bit).is_some_and(|bit| is_set(&bit)));
            set.fold(0, |own, (at, _)| own | 1 << at)
        };
        (0..1usize << bits.len()).map(|setting| self.holds[own(setting)]).collect()
    }
}

/// The bit of an element that a bit of it as a word of another format is; `None` if that is 0. A float's bits have nothing to
/// do with those of other formats.
fn source(format: Format, held: Format, bit: u32) -> Option<u32> {
    match format.class() {
        _ if held.is_float() => Some(bit),
        FormatClass::Signed => Some(bit.min(format.bits() - 1)),
        FormatClass::Unsigned => Some(bit).filter(|bit| *bit < format.bits()),
        FormatClass::Float | FormatClass::Bits => Some(bit),
    }
}

/// What is known of bits.
#[derive(Default)]
pub(super) struct Bits {
    /// Readings by how they are made, the element left out.
    readings: FxHashMap<Vec<u64>, Option<Rc<Reading>>>,
    /// The highest bits of elements.
    highest: FxHashMap<u32, Value>,
}

impl Walk<'_> {
    /// A number that is read out of few bits of one element.
    pub(super) fn of_bits(&mut self, own: Term) -> Option<Value> {
        let (element, reading) = self.reading(own)?;
        let mut sum = Value::ZERO;
        for (set, factor) in &reading.parts {
            let mut product = *factor;
            for bit in
                reading.bits.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, bit)| *bit)
            {
                product = product.times(self.bit((element, reading.held), bit)?, ALL);
            }
            sum = sum.plus(product, ALL);
        }
        Some(sum)
    }

    /// Where a condition on few bits of one element holds.
    pub(super) fn place_of_bits(&mut self, own: Term) -> Option<Place> {
        let (element, reading) = self.reading(own)?;
        let format = self.elements.block_of(element)?.format;
        // A narrow integer counts as a whole; of others, the bits that it depends on.
        let whole = format.integers().is_some() && format.bits() <= MOST_BITS && !reading.held.is_float();
        let bits: Vec<u32> = match whole {
            true => (0..format.bits()).collect(),
            false => {
                let mut bits: Vec<u32> = reading
                    .decisive()
                    .into_iter()
                    .filter_map(|bit| source(format, reading.held, bit))
                    .collect();
                bits.dedup();
                bits
            }
        };
        let mask = bits.iter().fold(0, |mask, bit| mask | 1 << bit);
        let holds = reading.at_settings_of(format, &bits);
        let count = holds.len() as i64;
        let (integer, from) = match whole {
            true if format.class() == FormatClass::Signed => (Integer::Of(Term::element(element)), count / 2),
            true => (Integer::Of(Term::element(element)), 0),
            false => (Integer::Bits { element, held: self.held(element, reading.held)?, mask }, 0),
        };
        let mut within: Vec<(i64, i64)> = Vec::new();
        // From the least integer on: those with the highest bit come first, where it is a sign.
        for step in 0..count {
            let setting = (step + from) % count;
            if !holds[setting as usize] {
                continue;
            }
            let at = step - from;
            match within.last_mut() {
                Some((_, end)) if *end == at => *end += 1,
                _ => within.push((at, at + 1)),
            }
        }
        Some(Place::within(integer, self.range_of(integer)?, &within))
    }

    /// The variable of a bit. What lies above an integer is its sign, or 0.
    pub(super) fn bit(&mut self, (element, held): (u32, Format), bit: u32) -> Option<Value> {
        let format = self.elements.block_of(element)?.format;
        let Some(bit) = source(format, held, bit) else { return Some(Value::ZERO) };
        let held = self.held(element, held)?;
        if bit + 1 < format.bits() || format.integers().is_none() || held.is_float() {
            let value = self.atoms.atom(ALL, vec![48, element.into(), held as u64, bit.into()]);
            return Some(Value { chosen: true, ..value.with_sign(Sign::NOT_NEGATIVE) });
        }
        if let Some(known) = self.bits.highest.get(&element).filter(|_| !self.supposed.any()) {
            return Some(*known);
        }
        let mut rest = self.get(Term::element(element), ALL).checked()?;
        for lower in 0..bit {
            let part = self.bit((element, held), lower)?.scaled((1 << lower, 1), ALL);
            rest = rest.minus(part, ALL);
        }
        let weight = if format.class() == FormatClass::Signed { -1 } else { 1 };
        let inverse = Value::ONE.scaled((1 << bit.min(62), 1), ALL).inverse(ALL);
        let half = if bit == 63 { Value::ONE.scaled((1, 2), ALL) } else { Value::ONE };
        let value = rest.times(inverse, ALL).times(half, ALL).scaled((weight, 1), ALL).checked()?;
        let value = Value { chosen: true, parts: 0, sign: Sign::NOT_NEGATIVE, ..value };
        if !self.supposed.any() {
            self.bits.highest.insert(element, value);
        }
        Some(value)
    }

    /// Whose bits they are: an integer has those of its own width alone.
    fn held(&self, element: u32, held: Format) -> Option<Format> {
        let own = self.elements.block_of(element)?.format;
        Some(if held.is_float() || own.is_float() { held } else { own.of_bits() })
    }

    fn reading(&mut self, own: Term) -> Option<(u32, Rc<Reading>)> {
        let (mut form, mut element) = (Vec::new(), None);
        let root = self.cone.node(own.as_node()?);
        self.form_of(root, &mut form, &mut element)?;
        let element = element?;
        if let Some(known) = self.bits.readings.get(&form) {
            return Some((element, known.clone()?));
        }
        let found = OfBits::of(self.terms, self.meanings, root).map(|found| {
            let coefficients = found.coefficients();
            let parts = coefficients.iter().enumerate().filter(|(_, factor)| !factor.is_zero());
            let value = |factor: &crate::decide::rational::Rational| {
                let factor = Meaning::Number(Exact::rational(factor.to_big()));
                constant_value(self.atoms.seed, &factor)
            };
            let parts = parts.map(|(set, factor)| (set, value(factor))).collect();
            let holds = found.values.iter().map(|value| !value.is_zero()).collect();
            Rc::new(Reading { held: found.format.of_bits(), bits: found.bits, parts, holds })
        });
        self.bits.readings.insert(form, found.clone());
        Some((element, found?))
    }

    /// How a number is read out of an element, in the order of its nodes: the same for two elements if it is.
    fn form_of(&self, term: Term, form: &mut Vec<u64>, element: &mut Option<u32>) -> Option<()> {
        if form.len() > MOST_NODES {
            return None;
        }
        if let Some(constant) = term.as_constant() {
            form.extend([1, constant as u64]);
            return Some(());
        }
        if let Some(own) = term.as_element() {
            form.extend([2, self.terms.element_format(own).map_or(u64::MAX, |format| format as u64)]);
            return (*element.get_or_insert(own) == own).then_some(());
        }
        let node = self.terms.node(term);
        match node {
            Node::BitConstant(bits) => form.extend([3, bits]),
            Node::BitsOf(format, _) => form.extend([4, format as u64]),
            Node::FromBits(format, _) => form.extend([5, format as u64]),
            Node::Bits(BitOp::Other, ..) => return None,
            Node::Bits(op, width, ..) => form.extend([6, op as u64, width.into()]),
            Node::Round(mode, format, _) => form.extend([7, mode as u64, format as u64]),
            Node::Unary(function, _)
                if matches!(function, Unary::Neg | Unary::Abs) || function.is_rounding() =>
            {
                form.extend([8, function as u64]);
            }
            Node::Add(..) => form.push(9),
            Node::Sub(..) => form.push(10),
            Node::Mul(..) => form.push(11),
            Node::Fma(..) => form.push(12),
            Node::Div(..) => form.push(14),
            Node::Max(..) => form.push(15),
            Node::Min(..) => form.push(16),
            Node::Compare(relation, ..) => form.extend([13, relation as u64]),
            _ => return None,
        }
        operands(&node).into_iter().flatten().try_for_each(|operand| self.form_of(operand, form, element))
    }
}
