//! Integers and patterns as circuits: each bit of a term as a decision diagram, straight from the term.
//!
//! The normal form writes a word as a polynomial, which forgets what the word's bits were: a sum of masked
//! and shifted copies of a word has to be added up again from products of bits. Here every operation is
//! done on the diagrams of its operands' bits, once for each term, so what outputs and sides share is
//! worked out once. Numbers are in two's complement: modulo 2ⁿ where an operation only looks at remainders,
//! and of their full width where it looks at the sign.
//!
//! A bit of a product of two words of more than [`NARROW`] bits is one of its own, known by the bits of both up to its
//! place, which are all that it depends on: so the product's low half is that of the wide one, and a factor that is
//! shifted shifts the product. The lowest bits are worked out.
//!
//! In a sweep ([`sweep`](super::sweep)), what lies a given number of steps below is known by its class alone.
//!
//! Guarantees: words that are the same belong to terms that are equal at all inputs.
//! Misses: what has no circuit (functions of reals, division by what is no power of two), terms nested
//! deeper than [`DEEPEST`], functions of bits with large diagrams.

use super::diagrams::{Bit, Word};
use super::sweep::{Part, Sort, Sweep};
use super::{Leaf, NARROW, fill};
use crate::base::{Format, FormatClass};
use crate::decide::normalize::{Normalizer, Value};
use crate::term::{BitOp, Node, Relation, Term, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms in terms: each is a call or two on the stack.
const DEEPEST: u32 = 300;
/// Bits that a number may have.
const WIDEST: u32 = 128;

/// What was worked out so far.
#[derive(Clone, Default)]
pub(super) struct Circuits {
    widths: FxHashMap<(usize, Term), Option<u32>>,
    numbers: FxHashMap<(usize, Term, u32), Option<Word>>,
    patterns: FxHashMap<(usize, Term), Option<Word>>,
    conditions: FxHashMap<(usize, Term), Option<Bit>>,
    /// Factors of products' bits that are known by them, and their place.
    products: FxHashMap<(Word, Word, u32), u32>,
    /// In a sweep: what is known by its class.
    pub(super) look: Look,
    /// Classes of terms, while they are looked for.
    pub(super) sweep: Option<Sweep>,
}

/// What a look of a sweep does not look into.
#[derive(Clone, Default)]
pub(super) struct Look {
    /// Terms that are known by their classes.
    pub(super) ends: FxHashSet<(usize, Term)>,
    /// Also if they are other names for what they are made of.
    pub(super) whole: bool,
    /// Sums further down are known by their classes wherever they lie, and the bits of products with numbers by the
    /// factors.
    pub(super) opaque: bool,
}

/// A term of one side, and how deep it may still go.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) side: usize,
    pub(super) term: Term,
    left: u32,
    /// Whether terms are known by their classes.
    in_sweep: bool,
    /// It is what is looked at, by this or another name.
    root: bool,
}

impl Place {
    pub(super) fn whole(side: usize, term: Term) -> Place {
        Place { side, term, left: DEEPEST, in_sweep: false, root: true }
    }

    pub(super) fn in_sweep(side: usize, term: Term) -> Place {
        Place { in_sweep: true, ..Place::whole(side, term) }
    }

    pub(super) fn at(self, term: Term) -> Option<Place> {
        Some(Place { term, left: self.left.checked_sub(1)?, root: false, ..self })
    }

    /// An operand whose bits are this term's own.
    fn inside(self, term: Term) -> Option<Place> {
        Some(Place { term, left: self.left.checked_sub(1)?, ..self })
    }
}

/// Whether a term's bits are its operand's, or these turned around.
fn is_renamed(node: &Node) -> bool {
    match node {
        Node::BitsOf(format, _) | Node::FromBits(format, _) => !format.is_float(),
        Node::Bits(op, ..) => {
            use BitOp::{Concat, Extend, ExtendSigned, Not, Reverse, Slice};
            matches!(op, Slice | Concat | Extend | ExtendSigned | Reverse | Not)
        }
        Node::BitConstant(_) => true,
        // Turned around: `-1 - x` is how terms write the complement.
        Node::Sub(a, _) => a.as_constant().is_some(),
        _ => false,
    }
}

fn is_signed(format: Format) -> bool {
    format.class() == FormatClass::Signed
}

/// Bits of a number of a format, with a sign.
fn width_of_format(format: Format) -> u32 {
    format.bits() + u32::from(!is_signed(format))
}

/// So many bits of a pattern, with zeros above it.
fn resized(word: &[Bit], n: u32) -> Word {
    (0..n as usize).map(|at| word.get(at).copied().unwrap_or(Bit::ZERO)).collect()
}

/// The value of bits that are all known.
fn known(word: &[Bit]) -> Option<u128> {
    word.iter().enumerate().try_fold(0, |sum, (at, bit)| match *bit {
        Bit::ZERO => Some(sum),
        Bit::ONE => Some(sum | 1u128 << at),
        _ => None,
    })
}

/// Whether a term's bits depend on all lower bits of its operands.
fn is_sum(node: &Node) -> bool {
    match node {
        Node::Add(..) | Node::Sub(..) | Node::Fma(..) => true,
        Node::Bits(op, ..) => matches!(op, BitOp::Add | BitOp::Sub | BitOp::Negate | BitOp::PopCount),
        _ => false,
    }
}

/// The bits of a word up to a place, without zeros above them.
fn up_to(word: &[Bit], place: usize) -> &[Bit] {
    let word = &word[..word.len().min(place + 1)];
    let zeros = word.iter().rev().take_while(|bit| **bit == Bit::ZERO).count();
    &word[..word.len() - zeros]
}

/// How many different bits a word has that are not known.
fn unknown_bits(word: &[Bit]) -> usize {
    let mut bits: Vec<Bit> = word.iter().copied().filter(|bit| *bit > Bit::ONE).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len()
}

impl Normalizer<'_> {
    /// Whether an integer of either side is the same function of the inputs' bits, if both are seen to be
    /// functions of them.
    pub(in crate::decide) fn same_circuit(&mut self, a: Term, b: Term) -> Option<bool> {
        let places = [Place::whole(0, a), Place::whole(1, b)];
        let width = self.number_width(places[0])?.max(self.number_width(places[1])?);
        let first = self.number_word(places[0], width)?;
        Some(first == self.number_word(places[1], width)?)
    }

    /// The same in a sweep, of words and conditions as well.
    pub(super) fn same_in_sweep(&mut self, a: Place, b: Place) -> Option<bool> {
        if let (Some(x), Some(y)) = (self.number_width(a), self.number_width(b)) {
            let width = x.max(y);
            let first = self.number_word(a, width)?;
            return Some(first == self.number_word(b, width)?);
        }
        if let Some(first) = self.condition_bit(a) {
            return Some(first == self.condition_bit(b)?);
        }
        let (x, y) = (self.pattern_word(a)?, self.pattern_word(b)?);
        let width = x.len().max(y.len()) as u32;
        Some(resized(&x, width) == resized(&y, width))
    }

    /// Bits of an integer whose operands have classes.
    pub(super) fn width_in_sweep(&mut self, side: usize, term: Term) -> Option<u32> {
        self.number_width(Place::in_sweep(side, term))
    }

    /// Bits of a term that is known by its class alone; `None` where it is not.
    fn as_class(&mut self, place: Place) -> Option<(Word, Sort)> {
        let sweep = self.integers.circuits.sweep.as_ref()?;
        let (class, sort) = sweep.class(place.side, place.term)?;
        let n = match sort {
            Sort::Number(bits) | Sort::Pattern(bits) => bits,
            Sort::Condition => 1,
            Sort::Other => return None,
        };
        let Some((pattern, known, set)) = sweep.low_bits(class) else {
            return Some((self.leaf_bits(Leaf::Class(class), n)?, sort));
        };
        let low = resized(&self.leaf_bits(Leaf::Class(pattern), set)?, known);
        let own = self.leaf_bits(Leaf::Class(class), n)?;
        Some((low.into_iter().chain(own.into_iter().skip(known as usize)).take(n as usize).collect(), sort))
    }

    /// Whether a term is to be known by its class.
    fn is_end(&self, place: Place) -> bool {
        let is_sum = || {
            let node = self.sides[place.side].terms.node(place.term);
            is_sum(&node) && !is_renamed(&node)
        };
        place.in_sweep
            && (self.ends_at(place.side, place.term)
                || self.integers.circuits.look.opaque && !place.root && is_sum())
    }

    /// Whether a look does not look into a term.
    pub(super) fn ends_at(&self, side: usize, term: Term) -> bool {
        let look = &self.integers.circuits.look;
        look.ends.contains(&(side, term)) && (look.whole || !is_renamed(&self.sides[side].terms.node(term)))
    }

    pub(super) fn known_integer(&mut self, side: usize, term: Term) -> Option<BigInt> {
        term.as_constant()?;
        let Ok(Some(Value::Finite(poly))) = self.look_up(side, term) else { return None };
        let value = self.forms.constant(poly)?;
        value.is_integer().then(|| value.to_big().to_integer())
    }

    /// Bits of an integer, with its sign.
    pub(super) fn number_width(&mut self, place: Place) -> Option<u32> {
        let Place { side, term, .. } = place;
        if let Some(element) = term.as_element() {
            return self.forms.integer_format(element).map(width_of_format);
        }
        if term.as_constant().is_some() {
            return self.known_integer(side, term).map(|value| value.bits() as u32 + 1);
        }
        if place.in_sweep
            && let Some((_, sort)) = self.integers.circuits.sweep.as_ref()?.class(side, term)
        {
            return match sort {
                Sort::Number(width) => Some(width),
                _ => None,
            };
        }
        if let Some(known) = self.integers.circuits.widths.get(&(side, term)) {
            return *known;
        }
        let width = self.fresh_width(place).filter(|width| *width <= WIDEST);
        self.integers.circuits.widths.insert((side, term), width);
        width
    }

    fn fresh_width(&mut self, place: Place) -> Option<u32> {
        let terms = self.sides[place.side].terms;
        let mut of = |term: Term| self.number_width(place.at(term)?);
        Some(match terms.node(place.term) {
            Node::FromBits(format, _) if !format.is_float() => width_of_format(format),
            Node::Add(a, b) | Node::Sub(a, b) => of(a)?.max(of(b)?) + 1,
            Node::Mul(a, b) => of(a)? + of(b)?,
            Node::Fma(a, b, c) => (of(a)? + of(b)?).max(of(c)?) + 1,
            Node::Unary(Unary::Neg | Unary::Abs, a) => of(a)? + 1,
            Node::Max(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => of(a)?.max(of(b)?),
            Node::Unary(Unary::Trunc, quotient) => match terms.node(quotient) {
                Node::Div(a, _) => of(a)? + 1,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// An integer modulo 2ⁿ.
    pub(super) fn number_word(&mut self, place: Place, n: u32) -> Option<Word> {
        let Place { side, term, .. } = place;
        if let Some(element) = term.as_element() {
            let format = self.forms.integer_format(element)?;
            let word = self.leaf_bits(Leaf::Element(element, format.of_bits()), format.bits())?;
            return Some(if is_signed(format) { fill(&word, n) } else { resized(&word, n) });
        }
        if let Some(value) = self.known_integer(side, term) {
            let rest = value.mod_floor(&(BigInt::one() << n)).to_u128()?;
            return Some((0..n).map(|at| if rest >> at & 1 == 1 { Bit::ONE } else { Bit::ZERO }).collect());
        }
        if let Some(known) = self.integers.circuits.numbers.get(&(side, term, n)) {
            return known.clone();
        }
        let as_class = |this: &mut Self| match this.as_class(place)? {
            (word, Sort::Number(_)) => Some(fill(&word, n)),
            _ => None,
        };
        let word = match self.is_end(place) {
            true => as_class(self),
            false => self.fresh_number(place, n).or_else(|| as_class(self)),
        };
        self.integers.circuits.numbers.insert((side, term, n), word.clone());
        word
    }

    /// The whole of an integer.
    fn exact_word(&mut self, place: Place, least: u32) -> Option<Word> {
        let width = self.number_width(place)?.max(least);
        self.number_word(place, width)
    }

    /// A sum of multiples with a factor in common, where products with numbers are known by their factors.
    fn multiple_of_sum(&mut self, place: Place, n: u32, number: bool) -> Option<Word> {
        if !(place.in_sweep && self.integers.circuits.look.opaque) {
            return None;
        }
        let (parts, factor) = self.common_factor(place, n, number)?;
        let known = |number: u64| -> Word {
            (0..n).map(|at| if number >> at & 1 == 1 { Bit::ONE } else { Bit::ZERO }).collect()
        };
        let mut sum = known(0);
        for Part { term, number, factor } in parts {
            let product = match term {
                None => known(factor),
                Some(term) => {
                    let word = match number {
                        true => self.number_word(place.at(term)?, n)?,
                        false => resized(&self.pattern_word(place.at(term)?)?, n),
                    };
                    self.product_of(word, known(factor))?
                }
            };
            sum = self.sum_of(&sum, &product, false)?;
        }
        self.product_of(sum, known(factor))
    }

    fn fresh_number(&mut self, place: Place, n: u32) -> Option<Word> {
        let node = self.sides[place.side].terms.node(place.term);
        if (is_sum(&node) && !is_renamed(&node) || matches!(node, Node::Mul(..)))
            && let Some(word) = self.multiple_of_sum(place, n, true)
        {
            return Some(word);
        }
        match node {
            Node::FromBits(format, a) if !format.is_float() => {
                let word = resized(&self.pattern_word(place.inside(a)?)?, format.bits());
                Some(if is_signed(format) { fill(&word, n) } else { resized(&word, n) })
            }
            Node::Add(a, b) | Node::Sub(a, b) => {
                let down = |term| if is_renamed(&node) { place.inside(term) } else { place.at(term) };
                let (a, b) = (self.number_word(down(a)?, n)?, self.number_word(down(b)?, n)?);
                self.sum_of(&a, &b, matches!(node, Node::Sub(..)))
            }
            Node::Mul(a, b) | Node::Fma(a, b, _) => {
                let (a, b) = (self.number_word(place.at(a)?, n)?, self.number_word(place.at(b)?, n)?);
                let product = self.product_of(a, b)?;
                match node {
                    Node::Fma(.., c) => {
                        let c = self.number_word(place.at(c)?, n)?;
                        self.sum_of(&product, &c, false)
                    }
                    _ => Some(product),
                }
            }
            Node::Unary(Unary::Neg, a) => {
                let a = self.number_word(place.at(a)?, n)?;
                self.integers.diagrams.negated(&a)
            }
            Node::Unary(Unary::Abs, a) => {
                let word = self.exact_word(place.at(a)?, n)?;
                let (all, sign) = (&mut self.integers.diagrams, *word.last()?);
                let negated = all.negated(&word)?;
                // Of full width, so that only the least number of that width has no negative in it.
                all.choose_words(sign, &negated, &word).map(|word| resized(&word, n))
            }
            Node::Max(a, b) | Node::Min(a, b) => {
                let less = self.less(place.at(a)?, place.at(b)?)?;
                let (a, b) = (self.number_word(place.at(a)?, n)?, self.number_word(place.at(b)?, n)?);
                let all = &mut self.integers.diagrams;
                match node {
                    Node::Max(..) => all.choose_words(less, &b, &a),
                    _ => all.choose_words(less, &a, &b),
                }
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition_bit(place.at(condition)?)?;
                let (a, b) = (self.number_word(place.at(a)?, n)?, self.number_word(place.at(b)?, n)?);
                self.integers.diagrams.choose_words(holds, &a, &b)
            }
            Node::Unary(Unary::Trunc, quotient) => {
                let Node::Div(a, b) = self.sides[place.side].terms.node(quotient) else { return None };
                let divisor = self.known_integer(place.side, b)?.to_u64()?;
                let shift = divisor.is_power_of_two().then(|| divisor.trailing_zeros())?;
                let word = self.exact_word(place.at(a)?, n + shift)?;
                // Towards zero: what is negative is moved up first.
                let sign = *word.last()?;
                let gain: Word =
                    (0..word.len()).map(|at| if (at as u32) < shift { sign } else { Bit::ZERO }).collect();
                let sum = self.integers.diagrams.sum(&word, &gain)?;
                Some(fill(&sum[shift as usize..], n))
            }
            _ => None,
        }
    }

    fn sum_of(&mut self, a: &[Bit], b: &[Bit], minus: bool) -> Option<Word> {
        let all = &mut self.integers.diagrams;
        match minus {
            true => all.negated(b).and_then(|b| all.sum(a, &b)),
            false => all.sum(a, b),
        }
    }

    /// `a · b` modulo 2ⁿ.
    fn product_of(&mut self, a: Word, b: Word) -> Option<Word> {
        for (constant, other) in [(&a, &b), (&b, &a)] {
            if let Some(factor) = known(constant)
                && (!self.integers.circuits.look.opaque || factor.is_power_of_two() || factor == 0)
            {
                return self.integers.diagrams.scaled(other, factor);
            }
        }
        // A sign counts as one more bit.
        let narrow = |word: &[Bit]| unknown_bits(word) <= NARROW as usize + 1;
        if narrow(&a) && narrow(&b) && known(&a).or(known(&b)).is_none() {
            return self.integers.diagrams.product(&a, &b);
        }
        // What both are multiples of stands in front.
        let n = a.len();
        let zeros = |word: &[Bit]| word.iter().take_while(|bit| **bit == Bit::ZERO).count();
        let shift = zeros(&a) + zeros(&b);
        if shift >= n {
            return Some(vec![Bit::ZERO; n]);
        }
        let (a, b) = (&a[zeros(&a)..], &b[zeros(&b)..]);
        let length = n - shift;
        let low = length.min(NARROW as usize);
        let mut product = vec![Bit::ZERO; shift];
        product.extend(self.integers.diagrams.product(&a[..low], &b[..low])?);
        for place in low..length {
            let (a, b) = (up_to(a, place), up_to(b, place));
            if a.len() + b.len() <= place {
                product.push(Bit::ZERO);
                continue;
            }
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            let key = (a.to_vec(), b.to_vec(), place as u32);
            let next = self.integers.circuits.products.len() as u32;
            let number = *self.integers.circuits.products.entry(key).or_insert(next);
            // It is asked along with the other bits of its place, so that sums with it stay small.
            product.push(self.leaf(Leaf::ProductBit(number), place as u32)?);
        }
        Some(product)
    }

    /// Whether one integer is less than another.
    fn less(&mut self, a: Place, b: Place) -> Option<Bit> {
        let n = self.number_width(a)?.max(self.number_width(b)?) + 1;
        let (a, b) = (self.number_word(a, n)?, self.number_word(b, n)?);
        self.sum_of(&a, &b, true)?.last().copied()
    }

    fn is_same(&mut self, a: &[Bit], b: &[Bit]) -> Option<Bit> {
        let mut any = Bit::ZERO;
        for (a, b) in a.iter().zip(b) {
            let all = &mut self.integers.diagrams;
            let differs = all.xor(*a, *b)?;
            any = all.or(any, differs)?;
        }
        self.integers.diagrams.not(any)
    }

    fn condition_bit(&mut self, place: Place) -> Option<Bit> {
        match place.term {
            Term::TRUE => return Some(Bit::ONE),
            Term::FALSE => return Some(Bit::ZERO),
            _ => {}
        }
        let key = (place.side, place.term);
        if let Some(known) = self.integers.circuits.conditions.get(&key) {
            return *known;
        }
        let as_class = |this: &mut Self| match this.as_class(place)? {
            (word, Sort::Condition) => word.first().copied(),
            _ => None,
        };
        let bit = match self.is_end(place) {
            true => as_class(self),
            false => self.fresh_condition(place).or_else(|| as_class(self)),
        };
        self.integers.circuits.conditions.insert(key, bit);
        bit
    }

    fn fresh_condition(&mut self, place: Place) -> Option<Bit> {
        match self.sides[place.side].terms.node(place.term) {
            Node::Compare(relation, a, b) => {
                let (a, b) = (place.at(a)?, place.at(b)?);
                match relation {
                    Relation::Less => self.less(a, b),
                    Relation::LessEqual => {
                        let above = self.less(b, a)?;
                        self.integers.diagrams.not(above)
                    }
                    Relation::Equal => {
                        let n = self.number_width(a)?.max(self.number_width(b)?);
                        let (a, b) = (self.number_word(a, n)?, self.number_word(b, n)?);
                        self.is_same(&a, &b)
                    }
                }
            }
            Node::And(a, b) => {
                let (a, b) = (self.condition_bit(place.at(a)?)?, self.condition_bit(place.at(b)?)?);
                self.integers.diagrams.and(a, b)
            }
            Node::Or(a, b) => {
                let (a, b) = (self.condition_bit(place.at(a)?)?, self.condition_bit(place.at(b)?)?);
                self.integers.diagrams.or(a, b)
            }
            Node::Not(a) => {
                let a = self.condition_bit(place.at(a)?)?;
                self.integers.diagrams.not(a)
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition_bit(place.at(condition)?)?;
                let (a, b) = (self.condition_bit(place.at(a)?)?, self.condition_bit(place.at(b)?)?);
                self.integers.diagrams.choose(holds, a, b)
            }
            Node::Bits(op @ (BitOp::Equal | BitOp::Less | BitOp::LessSigned), width, a, b, _) => {
                let n = u32::from(width);
                let (a, b) = (self.operand(place.at(a)?, n)?, self.operand(place.at(b)?, n)?);
                match op {
                    BitOp::Equal => self.is_same(&a, &b),
                    _ => self.word_less(&a, &b, op == BitOp::LessSigned),
                }
            }
            _ => None,
        }
    }

    fn word_less(&mut self, a: &[Bit], b: &[Bit], signed: bool) -> Option<Bit> {
        let n = a.len() as u32 + 1;
        let wide = |word: &[Bit]| if signed { fill(word, n) } else { resized(word, n) };
        self.sum_of(&wide(a), &wide(b), true)?.last().copied()
    }

    /// The bits of a pattern, of its own width.
    fn pattern_word(&mut self, place: Place) -> Option<Word> {
        let key = (place.side, place.term);
        if let Some(known) = self.integers.circuits.patterns.get(&key) {
            return known.clone();
        }
        let as_class = |this: &mut Self| match this.as_class(place)? {
            (word, Sort::Pattern(_)) => Some(word),
            _ => None,
        };
        let word = match self.is_end(place) {
            true => as_class(self),
            false => self.fresh_pattern(place).or_else(|| as_class(self)),
        };
        self.integers.circuits.patterns.insert(key, word.clone());
        word
    }

    /// An operand of an operation on `n` bits.
    fn operand(&mut self, place: Place, n: u32) -> Option<Word> {
        Some(resized(&self.pattern_word(place)?, n))
    }

    fn fresh_pattern(&mut self, place: Place) -> Option<Word> {
        match self.sides[place.side].terms.node(place.term) {
            Node::BitConstant(bits) => {
                Some((0..64).map(|at| if bits >> at & 1 == 1 { Bit::ONE } else { Bit::ZERO }).collect())
            }
            Node::BitsOf(format, a) if !format.is_float() => {
                self.number_word(place.inside(a)?, format.bits())
            }
            Node::BitsOf(format, a) => {
                let element = a.as_element()?;
                let own = self.forms.element_format(element)?;
                (own == format).then_some(())?;
                self.leaf_bits(Leaf::Element(element, format), format.bits())
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition_bit(place.at(condition)?)?;
                let (a, b) = (self.pattern_word(place.at(a)?)?, self.pattern_word(place.at(b)?)?);
                let n = a.len().max(b.len()) as u32;
                self.integers.diagrams.choose_words(holds, &resized(&a, n), &resized(&b, n))
            }
            Node::Bits(op, width, a, b, _) => self.operation_word(place, op, u32::from(width), (a, b)),
            _ => None,
        }
    }

    fn operation_word(&mut self, place: Place, op: BitOp, n: u32, (a, b): (Term, Term)) -> Option<Word> {
        if matches!(op, BitOp::Add | BitOp::Sub | BitOp::Mul)
            && let Some(word) = self.multiple_of_sum(place, n, false)
        {
            return Some(word);
        }
        let renamed = is_renamed(&self.sides[place.side].terms.node(place.term));
        let operand = |term: Term| if renamed { place.inside(term) } else { place.at(term) };
        let (first, second) = (operand(a)?, operand(b)?);
        let constant = |this: &Self| match this.sides[place.side].terms.node(b) {
            Node::BitConstant(bits) => u32::try_from(bits).ok(),
            _ => None,
        };
        match op {
            BitOp::And | BitOp::Or | BitOp::Xor => {
                let (x, y) = (self.operand(first, n)?, self.operand(second, n)?);
                let all = &mut self.integers.diagrams;
                x.iter()
                    .zip(&y)
                    .map(|(x, y)| match op {
                        BitOp::And => all.and(*x, *y),
                        BitOp::Or => all.or(*x, *y),
                        _ => all.xor(*x, *y),
                    })
                    .collect()
            }
            BitOp::Not => {
                let word = self.operand(first, n)?;
                word.iter().map(|bit| self.integers.diagrams.not(*bit)).collect()
            }
            BitOp::Negate => {
                let word = self.operand(first, n)?;
                self.integers.diagrams.negated(&word)
            }
            BitOp::Add | BitOp::Sub => {
                let (x, y) = (self.operand(first, n)?, self.operand(second, n)?);
                self.sum_of(&x, &y, op == BitOp::Sub)
            }
            BitOp::Mul => {
                let (x, y) = (self.operand(first, n)?, self.operand(second, n)?);
                self.product_of(x, y)
            }
            BitOp::MulHigh => {
                let (x, y) = (self.operand(first, n)?, self.operand(second, n)?);
                let product = self.product_of(resized(&x, 2 * n), resized(&y, 2 * n))?;
                Some(product[n as usize..].to_vec())
            }
            BitOp::Min | BitOp::Max | BitOp::MinSigned | BitOp::MaxSigned => {
                let (x, y) = (self.operand(first, n)?, self.operand(second, n)?);
                let less = self.word_less(&x, &y, matches!(op, BitOp::MinSigned | BitOp::MaxSigned))?;
                let all = &mut self.integers.diagrams;
                match op {
                    BitOp::Min | BitOp::MinSigned => all.choose_words(less, &x, &y),
                    _ => all.choose_words(less, &y, &x),
                }
            }
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => {
                let (word, count) = (self.operand(first, n)?, self.operand(second, n)?);
                self.shifted(op, word, &count)
            }
            BitOp::Concat => {
                let (low, high) = (self.operand(first, n / 2)?, self.operand(second, n / 2)?);
                Some([low, high].concat())
            }
            BitOp::Slice => {
                let at = constant(self)? as usize;
                let word = self.pattern_word(first)?;
                Some(resized(word.get(at..).unwrap_or_default(), n))
            }
            BitOp::Extend | BitOp::ExtendSigned => {
                let narrow = constant(self).filter(|narrow| *narrow <= n)?;
                let word = self.operand(first, narrow)?;
                Some(if op == BitOp::Extend || narrow == 0 { resized(&word, n) } else { fill(&word, n) })
            }
            BitOp::PopCount | BitOp::LeadingZeros => {
                let word = self.operand(first, n)?;
                let (mut sum, mut none) = (vec![Bit::ZERO; n as usize], Bit::ONE);
                for bit in word.into_iter().rev() {
                    let all = &mut self.integers.diagrams;
                    let mut one = bit;
                    if op == BitOp::LeadingZeros {
                        let zero = all.not(bit)?;
                        none = all.and(none, zero)?;
                        one = none;
                    }
                    let mut word = vec![Bit::ZERO; n as usize];
                    word[0] = one;
                    sum = all.sum(&sum, &word)?;
                }
                Some(sum)
            }
            BitOp::Reverse => {
                let mut word = self.operand(first, n)?;
                word.reverse();
                Some(word)
            }
            BitOp::Equal | BitOp::Less | BitOp::LessSigned | BitOp::Other => None,
        }
    }

    /// A word shifted by a count that need not be known: by each power of two in turn, or not.
    fn shifted(&mut self, op: BitOp, word: Word, count: &[Bit]) -> Option<Word> {
        let n = word.len();
        let last = if op == BitOp::ShiftRightSigned { *word.last()? } else { Bit::ZERO };
        let mut word = word;
        for (place, bit) in count.iter().enumerate().filter(|(_, bit)| **bit != Bit::ZERO) {
            let by = if place < 16 { 1usize << place } else { n };
            let moved: Word = (0..n)
                .map(|at| match op {
                    BitOp::ShiftLeft => at.checked_sub(by).map_or(Bit::ZERO, |from| word[from]),
                    _ => word.get(at + by).copied().unwrap_or(last),
                })
                .collect();
            word = self.integers.diagrams.choose_words(*bit, &moved, &word)?;
        }
        Some(word)
    }
}
