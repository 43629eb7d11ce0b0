//! The bits of a form, as decision diagrams: of its summands, their atoms, and what those are made of.
//!
//! Guarantees: the bits are those of the form modulo 2ⁿ. Misses: `None` where they are too many or too much.

use super::diagrams::{Bit, Word};
use super::quotients::fraction;
use super::{BIT, DEEP, FLOAT, FUNCTION, LEAF_BIT, Leaf, NARROW, PART, QUOTIENT, WRAP, fill, integer, width};
use crate::base::{Format, FormatClass};
use crate::decide::forms::{Atom, Kind, Mono, Poly, Power, Product, Step};
use crate::decide::normalize::Normalizer;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use rustc_hash::FxHashSet;

impl Normalizer<'_> {
    /// The bits of a form modulo 2ⁿ; `None` if they are too many or too much.
    pub(super) fn bits(&mut self, poly: Poly, n: u32) -> Step<Option<Word>> {
        let depth = self.integers.depth;
        let bits = self.bits_further_in(poly, n, depth + 1);
        self.integers.depth = depth;
        bits
    }

    pub(super) fn bits_further_in(&mut self, poly: Poly, n: u32, depth: usize) -> Step<Option<Word>> {
        if depth == DEEP {
            for atom in self.inner_atoms(poly) {
                self.integers.depth = 0;
                self.bits_of_atom(atom)?;
            }
        }
        self.integers.depth = depth;
        self.bits_of_summands(poly, n)
    }

    pub(super) fn bits_of_summands(&mut self, poly: Poly, n: u32) -> Step<Option<Word>> {
        let mut sum: Word = vec![Bit::ZERO; n as usize];
        if n > 128 || !self.is_integer(poly) {
            return Ok(None);
        }
        for at in 0..self.forms.len(poly) {
            let Product { coefficient, mono } = self.forms.term(poly, at);
            self.forms.tick(u64::from(n))?;
            let factor = coefficient.to_big().to_integer().mod_floor(&(BigInt::one() << 128u32));
            let factor = factor.to_u128().unwrap_or(0);
            let Some(word) = self.bits_of_mono(mono, n)? else { return Ok(None) };
            let all = &mut self.integers.diagrams;
            let Some(next) = all.scaled(&word, factor).and_then(|part| all.sum(&sum, &part)) else {
                return Ok(None);
            };
            sum = next;
        }
        Ok(Some(sum))
    }

    /// The atoms in a polynomial, and in what these are made of, whose bits are not known: the innermost first.
    pub(super) fn inner_atoms(&self, poly: Poly) -> Vec<Atom> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut open: Vec<(Atom, bool)> = self.atoms_in(poly).into_iter().map(|atom| (atom, false)).collect();
        while let Some((atom, done)) = open.pop() {
            if done {
                order.push(atom);
            } else if !self.integers.atoms.contains_key(&atom) && seen.insert(atom) {
                open.push((atom, true));
                let inside = self.parts_of(atom).into_iter().flat_map(|part| self.atoms_in(part));
                open.extend(inside.map(|atom| (atom, false)));
            }
        }
        order
    }

    pub(super) fn atoms_in(&self, poly: Poly) -> Vec<Atom> {
        let mono = |at| self.forms.mono_at(poly, at);
        let factors = |mono| (0..self.forms.factor_count(mono)).map(move |at| self.forms.factor(mono, at).0);
        (0..self.forms.len(poly)).flat_map(|at| factors(mono(at))).collect()
    }

    /// The polynomials that an atom of integers is made of.
    pub(super) fn parts_of(&self, atom: Atom) -> Vec<Poly> {
        match self.forms.kind(atom) {
            Kind::Sum(p) | Kind::Abs(p) | Kind::Positive(p) | Kind::Zero(p) => vec![p],
            Kind::Max => self.forms.max_arguments(atom),
            Kind::Contest => {
                let candidates = self.forms.contest_candidates(atom);
                candidates.into_iter().map(|(_, payload)| payload).collect()
            }
            Kind::Condition | Kind::Opaque => self.forms.opaque_parts(atom).1,
            _ => Vec::new(),
        }
    }

    pub(super) fn bits_of_mono(&mut self, mono: Mono, n: u32) -> Step<Option<Word>> {
        let mut product: Word = vec![Bit::ZERO; n as usize];
        product[0] = Bit::ONE;
        let mut wide = 0;
        for at in 0..self.forms.factor_count(mono) {
            let (atom, power) = self.forms.factor(mono, at);
            let range = self.range_of_atom(atom);
            let narrow = range.is_some_and(|(low, high)| low >= 0 && high < 1 << NARROW);
            wide += if narrow { 0 } else { power.above };
            if wide > 1 && n > 2 * NARROW {
                return Ok(self.leaf_bits(Leaf::Product(mono), n));
            }
            let Some(word) = self.bits_of_atom(atom)? else { return Ok(None) };
            let word = fill(&word, n);
            for _ in 0..power.above {
                let one = product[1..].iter().all(|bit| *bit == Bit::ZERO) && product[0] == Bit::ONE;
                let next = match one {
                    true => Some(word.clone()),
                    false => self.integers.diagrams.product(&word, &product),
                };
                let Some(next) = next else { return Ok(None) };
                product = next;
            }
        }
        Ok(Some(product))
    }

    pub(super) fn leaf_bits(&mut self, leaf: Leaf, n: u32) -> Option<Word> {
        (0..n).map(|place| self.leaf(leaf, place)).collect()
    }

    /// The bits of an atom, the highest of them its sign.
    pub(super) fn bits_of_atom(&mut self, atom: Atom) -> Step<Option<Word>> {
        if let Some(known) = self.integers.atoms.get(&atom) {
            return Ok(known.clone());
        }
        let mut word = self.inner_bits(atom)?;
        if word.is_none()
            && let Some(range) = self.range_of_atom(atom)
        {
            word = self.leaf_bits(Leaf::Atom(atom), width(range));
            if let (Some(word), true) = (&mut word, range.0 >= 0)
                && let Some(sign) = word.last_mut()
            {
                *sign = Bit::ZERO;
            }
        }
        self.integers.atoms.insert(atom, word.clone());
        Ok(word)
    }

    pub(super) fn inner_bits(&mut self, atom: Atom) -> Step<Option<Word>> {
        let unsigned = |bit: Bit| Some(vec![bit, Bit::ZERO]);
        Ok(match self.forms.kind(atom) {
            Kind::Element(element) => {
                let Some(format) = self.forms.integer_format(element) else { return Ok(None) };
                let mut word = self.leaf_bits(Leaf::Element(element, format.of_bits()), format.bits());
                if let (Some(word), false) = (&mut word, format.class() == FormatClass::Signed) {
                    word.push(Bit::ZERO);
                }
                word
            }
            Kind::Positive(p) => {
                let below = self.forms.negated(p)?;
                self.sign_bit(below)?.and_then(unsigned)
            }
            Kind::Zero(p) => {
                let Some(range) = self.range_of_form(p) else { return Ok(None) };
                let Some(word) = self.bits(p, width(range))? else { return Ok(None) };
                self.integers.diagrams.is_zero(&word).and_then(unsigned)
            }
            Kind::Sum(p) => {
                let Some(range) = self.range_of_form(p) else { return Ok(None) };
                self.bits(p, width(range))?
            }
            Kind::Abs(p) => {
                let Some(range) = self.range_of_form(p) else { return Ok(None) };
                let Some(word) = self.bits(p, width(range) + 1)? else { return Ok(None) };
                let all = &mut self.integers.diagrams;
                let sign = word[word.len() - 1];
                all.negated(&word).and_then(|negated| all.choose_words(sign, &negated, &word))
            }
            Kind::Max => {
                let arguments = self.forms.max_arguments(atom);
                let mut best: Option<(Poly, Word)> = None;
                let Some(range) = self.range_of_atom(atom) else { return Ok(None) };
                let mut n = width(range);
                for argument in &arguments {
                    let Some(range) = self.range_of_form(*argument) else { return Ok(None) };
                    n = n.max(width(range));
                }
                for argument in arguments {
                    let Some(word) = self.bits(argument, n + 1)? else { return Ok(None) };
                    best = Some(match best {
                        None => (argument, word),
                        Some((first, known)) => {
                            let all = &mut self.integers.diagrams;
                            let difference = all.negated(&word).and_then(|negated| all.sum(&known, &negated));
                            let Some(difference) = difference else { return Ok(None) };
                            let less = difference[difference.len() - 1];
                            let Some(larger) = all.choose_words(less, &word, &known) else {
                                return Ok(None);
                            };
                            (first, larger)
                        }
                    });
                }
                best.map(|(_, word)| word)
            }
            Kind::Condition | Kind::Opaque => {
                let (name, arguments) = self.forms.opaque_parts(atom);
                match (name.as_slice(), arguments.as_slice()) {
                    ([BIT, element, place, format], _) => {
                        let format = Format::ALL[*format as usize];
                        self.leaf(Leaf::Element(*element, format), *place).and_then(unsigned)
                    }
                    ([FUNCTION, id], _) => unsigned(Bit(*id)),
                    ([LEAF_BIT, place], [of]) => {
                        let Some(of) = self.lone_atom(*of) else { return Ok(None) };
                        self.leaf(of, *place).and_then(unsigned)
                    }
                    ([WRAP, n, signed], [p]) => {
                        let mut word = self.bits(*p, *n)?;
                        if let (Some(word), 0) = (&mut word, signed) {
                            word.push(Bit::ZERO);
                        }
                        word
                    }
                    ([QUOTIENT, ..], [p]) => match fraction(&name) {
                        // Of a denominator that is a power of two, the bits are those of a product.
                        Some((above, below)) if below.is_power_of_two() => {
                            let Some((_, high)) = self.range_of_form(*p) else { return Ok(None) };
                            let product = self.forms.scaled(*p, &integer(above.into()))?;
                            let n = width((0, high)) + (64 - above.leading_zeros());
                            let Some(word) = self.bits(product, n)? else { return Ok(None) };
                            let mut word = word[below.trailing_zeros() as usize..].to_vec();
                            word.push(Bit::ZERO);
                            Some(word)
                        }
                        _ => None,
                    },
                    ([PART, at, length], [p]) => {
                        let Some(word) = self.bits(*p, at + length)? else { return Ok(None) };
                        let mut word = word[*at as usize..].to_vec();
                        word.push(Bit::ZERO);
                        Some(word)
                    }
                    ([FLOAT, format], [p]) => {
                        let format = Format::ALL[*format as usize];
                        let element = self.forms.single(*p).and_then(|product| {
                            let plain = product.coefficient.is_one()
                                && self.forms.factor_count(product.mono) == 1
                                && self.forms.exponent(product.mono) == Poly::ZERO;
                            match plain.then(|| self.forms.factor(product.mono, 0)) {
                                Some((atom, Power::ONE)) => Some(self.forms.kind(atom)),
                                _ => None,
                            }
                        });
                        let leaf = match element {
                            Some(Kind::Element(element)) => Leaf::Element(element, format),
                            _ => Leaf::Atom(atom),
                        };
                        let mut word = self.leaf_bits(leaf, format.bits());
                        if let Some(word) = &mut word {
                            word.push(Bit::ZERO);
                        }
                        word
                    }
                    _ if self.forms.kind(atom) == Kind::Condition => {
                        self.leaf(Leaf::Atom(atom), 0).and_then(unsigned)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The leaf of which [`LEAF_BIT`] names a bit.
    pub(super) fn lone_atom(&self, poly: Poly) -> Option<Leaf> {
        let mono = self.forms.single(poly)?.mono;
        match (self.forms.factor_count(mono), self.forms.factor(mono, 0)) {
            (1, (atom, Power::ONE)) => Some(Leaf::Atom(atom)),
            _ => Some(Leaf::Product(mono)),
        }
    }

    /// Whether a form is negative.
    pub(super) fn sign_bit(&mut self, poly: Poly) -> Step<Option<Bit>> {
        let Some(range) = self.range_of_form(poly) else { return Ok(None) };
        Ok(self.bits(poly, width(range))?.and_then(|word| word.last().copied()))
    }
}
