//! Words as integers: what is lost when one wraps around, and what a shift drops, as quotients rounded down.
//!
//! A product of two wide words is put together from products of halves in many ways, with carries between them.
//! Bit by bit there is no following that, and as sums of bits it has a thousand products. As polynomials over
//! the integers it is short: a word of n bits is `v - 2ⁿ·⌊v/2ⁿ⌋`, its upper half `⌊v/2^k⌋`, a mask of low bits
//! `v - 2^k·⌊v/2^k⌋`, a condition `a < b` is `-⌊(a - b)/2^k⌋` for a k that is large enough. So there is one kind
//! of atom beside elements, a quotient by a power of two rounded down, with these laws:
//! - `⌊(2^k·u + r)/2^k⌋ = u + ⌊r/2^k⌋`, with coefficients of r between -2^(k-1) and 2^(k-1): what is congruent
//!   modulo 2^k has one r;
//! - `⌊(⌊r/2^m⌋ + s)/2^k⌋ = ⌊(r + 2^m·s)/2^(m+k)⌋` for integers s;
//! - it is a number where both ends of r's range have that quotient, and `⌊r/2^j⌋` where r lies between -2^j
//!   and 2^j and j is less than k;
//! - one that is 0 or -1 is minus its square, one that is 0 or 1 is its square.
//!
//! Each value has a range beside its polynomial, which says where a word does not wrap around.
//!
//! Guarantees: two integers that are the same by this are equal at all inputs: their difference is the zero
//! polynomial, or divisible by more than it can be. All that is done is done to integers of any size.
//! Misses: what is no sum, product, shift, mask, choice or comparison is an atom that is equal for equal operands
//! only; nothing is said about squares of bits beyond the above, so that sums of many bits do not meet.
//! Source: the two laws are (3.10) and (3.11) of Graham, Knuth and Patashnik, *Concrete Mathematics*, §3.2.

use crate::base::{Format, FormatClass};
use crate::decide::normalize::Normalizer;
use crate::term::{BitOp, Node, Relation, Term, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Terms in terms: each is a call or two on the stack.
const DEEPEST: u32 = 200;
/// Monomials of one polynomial, those that one question may touch, and those that questions of one portion may
/// touch to no end.
const LONGEST: usize = 2048;
const WORK: usize = 400_000;
const IN_VAIN: usize = 1_000_000;
/// Quotients that are worked out within one another: each is a call or two on the stack.
const NESTED: u32 = 64;
/// Bits that a value may have.
const WIDEST: u64 = 1024;
/// Runs of ones in a mask.
const RUNS: usize = 8;

/// Atoms, ascending, as often as they are factors.
type Mono = Vec<u32>;

/// A polynomial with integer coefficients, none of which is 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Poly(BTreeMap<Mono, BigInt>);

/// Least and greatest value.
type Range = (BigInt, BigInt);

/// What is no polynomial.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    Element(u32),
    /// A polynomial divided by 2 to the power of this, rounded down.
    Floor(Poly, u32),
    /// One that is not negative divided by a number, rounded down.
    Quotient(Poly, BigInt),
    /// An operation on words of that width.
    Word(BitOp, u8, [Poly; 2]),
}

/// An integer: a polynomial, and where it lies.
#[derive(Clone, PartialEq, Debug)]
struct Value {
    poly: Poly,
    range: Range,
}

fn power(exponent: u32) -> BigInt {
    BigInt::one() << exponent
}

fn shifted(range: &Range, by: u32) -> Range {
    let unit = power(by);
    (range.0.div_floor(&unit), range.1.div_floor(&unit))
}

fn product(a: &Range, b: &Range) -> Range {
    let ends = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
    let [first, rest @ ..] = ends;
    rest.into_iter().fold((first.clone(), first), |(low, high), end| (low.min(end.clone()), high.max(end)))
}

impl Poly {
    fn constant(value: BigInt) -> Poly {
        let mut poly = Poly::default();
        poly.add(Mono::new(), value);
        poly
    }

    fn add(&mut self, mono: Mono, coefficient: BigInt) {
        if coefficient.is_zero() {
            return;
        }
        match self.0.entry(mono) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(coefficient);
            }
            std::collections::btree_map::Entry::Occupied(mut held) => {
                *held.get_mut() += coefficient;
                if held.get().is_zero() {
                    held.remove();
                }
            }
        }
    }

    fn plus(&self, other: &Poly, factor: &BigInt) -> Poly {
        let mut sum = self.clone();
        for (mono, coefficient) in &other.0 {
            sum.add(mono.clone(), coefficient * factor);
        }
        sum
    }

    fn scaled(&self, factor: &BigInt) -> Poly {
        Poly::default().plus(self, factor)
    }

    /// `(u, r)` with `2^k·u + r` for this, and coefficients of r above -2^(k-1) and at most 2^(k-1).
    fn split(&self, k: u32) -> (Poly, Poly) {
        let (unit, half) = (power(k), if k == 0 { BigInt::zero() } else { power(k - 1) });
        let (mut upper, mut rest) = (Poly::default(), Poly::default());
        for (mono, coefficient) in &self.0 {
            let (mut above, mut below) = coefficient.div_mod_floor(&unit);
            if below > half {
                above += 1;
                below -= &unit;
            }
            upper.add(mono.clone(), above);
            rest.add(mono.clone(), below);
        }
        (upper, rest)
    }

    fn as_constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::zero()),
            1 => self.0.get(&Mono::new()).cloned(),
            _ => None,
        }
    }

    /// Whether 2^k divides it.
    fn is_multiple(&self, k: u32) -> bool {
        let unit = power(k);
        self.0.values().all(|coefficient| coefficient.is_multiple_of(&unit))
    }
}

impl Value {
    fn constant(value: BigInt) -> Value {
        Value { poly: Poly::constant(value.clone()), range: (value.clone(), value) }
    }

    fn lies_in(&self, low: &BigInt, high: &BigInt) -> bool {
        *low <= self.range.0 && self.range.1 <= *high
    }

    fn is_word(&self, bits: u32) -> bool {
        self.lies_in(&BigInt::zero(), &(power(bits) - 1))
    }
}

/// All that one question knows.
struct Floors<'n, 'a> {
    normalizer: &'n mut Normalizer<'a>,
    ranges: Vec<Range>,
    atoms: Vec<Atom>,
    ids: FxHashMap<Atom, u32>,
    numbers: FxHashMap<(usize, Term), Option<Value>>,
    words: FxHashMap<(usize, Term), Option<(Value, u32)>>,
    work: usize,
    nested: u32,
}

impl Normalizer<'_> {
    /// Whether two integers, one of each side, are the same by quotients rounded down.
    pub(in crate::decide) fn same_in_floors(&mut self, a: Term, b: Term) -> bool {
        if self.integers.in_vain > IN_VAIN {
            return false;
        }
        let mut floors = Floors::new(self);
        let same = floors.same(a, b).unwrap_or(false);
        let work = floors.work;
        if !same {
            self.integers.in_vain += work;
        }
        same
    }
}

impl Value {
    /// Whether the two are the same: they are less than 2^n apart, and a multiple of that.
    fn is_same(&self, other: &Value) -> bool {
        let difference = self.poly.plus(&other.poly, &BigInt::from(-1));
        let high = self.range.1.clone().max(other.range.1.clone());
        let span = high - self.range.0.clone().min(other.range.0.clone());
        difference.is_multiple(span.bits() as u32)
    }
}

impl<'n, 'a> Floors<'n, 'a> {
    fn new(normalizer: &'n mut Normalizer<'a>) -> Floors<'n, 'a> {
        Floors {
            normalizer,
            ranges: Vec::new(),
            atoms: Vec::new(),
            ids: FxHashMap::default(),
            numbers: FxHashMap::default(),
            words: FxHashMap::default(),
            work: 0,
            nested: 0,
        }
    }
}

impl Floors<'_, '_> {
    fn same(&mut self, a: Term, b: Term) -> Option<bool> {
        Some(self.number(0, a, DEEPEST)?.is_same(&self.number(1, b, DEEPEST)?))
    }

    // ---- polynomials -----------------------------------------------------------------------

    fn atom(&mut self, atom: Atom, range: Range) -> Value {
        let next = self.atoms.len() as u32;
        let id = *self.ids.entry(atom.clone()).or_insert(next);
        if id == next {
            self.atoms.push(atom);
            self.ranges.push(range);
        } else {
            // Both hold.
            let known = &mut self.ranges[id as usize];
            *known = (known.0.clone().max(range.0), known.1.clone().min(range.1));
        }
        let range = self.ranges[id as usize].clone();
        let mut poly = Poly::default();
        poly.add(vec![id], BigInt::one());
        Value { poly, range }
    }

    fn count(&mut self, monomials: usize) -> Option<()> {
        self.work += monomials;
        (self.work <= WORK).then_some(())
    }

    /// A polynomial, and where its atoms let it lie.
    fn free(&mut self, poly: Poly) -> Option<Value> {
        self.count(poly.0.len() + 1)?;
        if poly.0.len() > LONGEST {
            return None;
        }
        let mut range = (BigInt::zero(), BigInt::zero());
        for (mono, coefficient) in &poly.0 {
            let part = mono.iter().fold((coefficient.clone(), coefficient.clone()), |part, atom| {
                product(&part, &self.ranges[*atom as usize])
            });
            range = (range.0 + part.0, range.1 + part.1);
        }
        (range.0.bits().max(range.1.bits()) <= WIDEST).then_some(Value { poly, range })
    }

    /// The same of one that is known to lie in a range.
    fn value(&mut self, poly: Poly, range: Range) -> Option<Value> {
        let Value { poly, range: own } = self.free(poly)?;
        Some(Value { poly, range: (own.0.max(range.0), own.1.min(range.1)) })
    }

    fn plus(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let range = (&a.range.0 + &b.range.0, &a.range.1 + &b.range.1);
        self.value(a.poly.plus(&b.poly, &BigInt::one()), range)
    }

    fn minus(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let range = (&a.range.0 - &b.range.1, &a.range.1 - &b.range.0);
        self.value(a.poly.plus(&b.poly, &BigInt::from(-1)), range)
    }

    fn scaled(&mut self, a: &Value, factor: &BigInt) -> Option<Value> {
        let range = product(&a.range, &(factor.clone(), factor.clone()));
        self.value(a.poly.scaled(factor), range)
    }

    fn times(&mut self, a: &Value, b: &Value) -> Option<Value> {
        self.count(a.poly.0.len() * b.poly.0.len())?;
        let mut poly = Poly::default();
        for (x, c) in &a.poly.0 {
            for (y, d) in &b.poly.0 {
                let mut mono = [x.as_slice(), y.as_slice()].concat();
                mono.sort_unstable();
                let coefficient = c * d * self.squares_of(&mut mono);
                poly.add(mono, coefficient);
            }
            if poly.0.len() > LONGEST {
                return None;
            }
        }
        self.value(poly, product(&a.range, &b.range))
    }

    /// Takes away squares of what is 0 or 1, or 0 or -1; gives the sign that is left.
    fn squares_of(&self, mono: &mut Mono) -> i32 {
        let mut sign = 1;
        let mut at = 1;
        while at < mono.len() {
            let (low, high) = &self.ranges[mono[at] as usize];
            let (zero, one) = (BigInt::zero(), BigInt::one());
            let positive = *low >= zero && *high <= one;
            let negative = *low >= -one && *high <= zero;
            if mono[at] == mono[at - 1] && (positive || negative) {
                mono.remove(at);
                if !positive {
                    sign = -sign;
                }
            } else {
                at += 1;
            }
        }
        sign
    }

    /// `⌊v/2^k⌋`.
    fn floor(&mut self, v: &Value, k: u32) -> Option<Value> {
        if k == 0 {
            return Some(v.clone());
        }
        if u64::from(k) > WIDEST || self.nested == NESTED {
            return None;
        }
        let whole = shifted(&v.range, k);
        let (upper, rest) = v.poly.split(k);
        let upper = self.free(upper)?;
        let unit = power(k);
        let of_rest = (&v.range.0 - &unit * &upper.range.1, &v.range.1 - &unit * &upper.range.0);
        let rest = self.value(rest, of_rest)?;
        self.nested += 1;
        let below = self.floor_of_rest(&rest, k);
        self.nested -= 1;
        let below = below?;
        let sum = upper.poly.plus(&below.poly, &BigInt::one());
        self.value(sum, whole)
    }

    /// The same of what has no multiples of 2^k in it.
    fn floor_of_rest(&mut self, rest: &Value, k: u32) -> Option<Value> {
        let range = shifted(&rest.range, k);
        if range.0 == range.1 {
            return Some(Value::constant(range.0));
        }
        // A quotient inside of a quotient.
        for (mono, coefficient) in &rest.poly.0 {
            let [atom] = mono[..] else { continue };
            let Atom::Floor(of, m) = &self.atoms[atom as usize] else { continue };
            if !coefficient.is_one() {
                continue;
            }
            let (of, m) = (of.clone(), *m);
            let mut others = rest.poly.clone();
            others.0.remove(mono);
            let unit = power(m);
            let joined = of.plus(&others, &unit);
            // ⌊of/2^m⌋ + others lies in the range, so that of + 2^m·others lies in this one.
            let range = (&rest.range.0 * &unit, &rest.range.1 * &unit + &unit - 1);
            let joined = self.value(joined, range)?;
            return self.floor(&joined, m + k);
        }
        // Only its sign counts.
        let bits = |end: &BigInt| if end.is_negative() { (-end - 1u32).bits() } else { end.bits() };
        let least = bits(&rest.range.0).max(bits(&rest.range.1)) as u32;
        if least < k {
            return self.floor(rest, least);
        }
        Some(self.atom(Atom::Floor(rest.poly.clone(), k), range))
    }

    /// What is left modulo 2^n, as a word.
    fn wrapped(&mut self, v: &Value, n: u32) -> Option<Value> {
        if v.is_word(n) {
            return Some(v.clone());
        }
        let floor = self.floor(v, n)?;
        let poly = v.poly.plus(&floor.poly, &-power(n));
        self.value(poly, (BigInt::zero(), power(n) - 1))
    }

    /// A word of n bits, read with a sign.
    fn signed(&mut self, word: &Value, n: u32) -> Option<Value> {
        if n == 0 || word.is_word(n - 1) {
            return Some(word.clone());
        }
        let top = self.floor(word, n - 1)?;
        let poly = word.poly.plus(&top.poly, &-power(n));
        self.value(poly, (-power(n - 1), power(n - 1) - 1))
    }

    /// `if condition then a else b`, of a condition that is 0 or 1.
    fn choice(&mut self, condition: &Value, a: &Value, b: &Value) -> Option<Value> {
        let apart = self.minus(a, b)?;
        let part = self.times(condition, &apart)?;
        let poly = part.poly.plus(&b.poly, &BigInt::one());
        let range = (a.range.0.clone().min(b.range.0.clone()), a.range.1.clone().max(b.range.1.clone()));
        self.value(poly, range)
    }

    /// 1 where `a < b`, and 0 elsewhere.
    fn less(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let apart = self.minus(a, b)?;
        let bits = apart.range.0.bits().max(apart.range.1.bits()) as u32 + 1;
        let sign = self.floor(&apart, bits)?;
        let poly = sign.poly.scaled(&BigInt::from(-1));
        self.value(poly, (BigInt::zero(), BigInt::one()))
    }

    // ---- terms -----------------------------------------------------------------------------

    fn number(&mut self, side: usize, term: Term, left: u32) -> Option<Value> {
        if let Some(element) = term.as_element() {
            let format = self.normalizer.forms.integer_format(element)?;
            let (low, high) = super::integers_of(format);
            return Some(self.atom(Atom::Element(element), (low.into(), high.into())));
        }
        if term.as_constant().is_some() {
            return self.normalizer.known_integer(side, term).map(Value::constant);
        }
        if let Some(known) = self.numbers.get(&(side, term)) {
            return known.clone();
        }
        let value = self.fresh_number(side, term, left.checked_sub(1)?);
        self.numbers.insert((side, term), value.clone());
        value
    }

    fn fresh_number(&mut self, side: usize, term: Term, left: u32) -> Option<Value> {
        let terms = self.normalizer.sides[side].terms;
        match terms.node(term) {
            Node::Add(a, b) => {
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                self.plus(&a, &b)
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                self.minus(&a, &b)
            }
            Node::Mul(a, b) => {
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                self.times(&a, &b)
            }
            Node::Fma(a, b, c) => {
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                let (product, c) = (self.times(&a, &b)?, self.number(side, c, left)?);
                self.plus(&product, &c)
            }
            Node::Unary(Unary::Neg, a) => {
                let a = self.number(side, a, left)?;
                self.scaled(&a, &BigInt::from(-1))
            }
            Node::Unary(Unary::Trunc, quotient) => {
                let Node::Div(a, b) = terms.node(quotient) else { return None };
                let divisor = self.number(side, b, left)?.poly.as_constant().filter(BigInt::is_positive)?;
                let a = self.number(side, a, left)?;
                if a.range.0.is_negative() {
                    return None;
                }
                let zeros = divisor.trailing_zeros().unwrap_or(0);
                if divisor == BigInt::one() << zeros {
                    return self.floor(&a, zeros as u32);
                }
                let range = (a.range.0.div_floor(&divisor), a.range.1.div_floor(&divisor));
                Some(self.atom(Atom::Quotient(a.poly, divisor), range))
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition(side, condition, left)?;
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                self.choice(&holds, &a, &b)
            }
            Node::FromBits(format, a) if !format.is_float() => {
                let (word, _) = self.word(side, a, left)?;
                let word = self.wrapped(&word, format.bits())?;
                match format.class() {
                    FormatClass::Signed => self.signed(&word, format.bits()),
                    _ => Some(word),
                }
            }
            _ => None,
        }
    }

    /// A condition as 0 or 1.
    fn condition(&mut self, side: usize, term: Term, left: u32) -> Option<Value> {
        let one = Value::constant(BigInt::one());
        match term {
            Term::TRUE => return Some(one),
            Term::FALSE => return Some(Value::constant(BigInt::zero())),
            _ => {}
        }
        let left = left.checked_sub(1)?;
        match self.normalizer.sides[side].terms.node(term) {
            Node::Compare(relation, a, b) => {
                let (a, b) = (self.number(side, a, left)?, self.number(side, b, left)?);
                match relation {
                    Relation::Less => self.less(&a, &b),
                    Relation::LessEqual => {
                        let above = self.less(&b, &a)?;
                        self.minus(&one, &above)
                    }
                    Relation::Equal => self.equal(&a, &b),
                }
            }
            Node::Not(a) => {
                let a = self.condition(side, a, left)?;
                self.minus(&one, &a)
            }
            Node::And(a, b) => {
                let (a, b) = (self.condition(side, a, left)?, self.condition(side, b, left)?);
                self.times(&a, &b)
            }
            Node::Or(a, b) => {
                let (a, b) = (self.condition(side, a, left)?, self.condition(side, b, left)?);
                let (a, b) = (self.minus(&one, &a)?, self.minus(&one, &b)?);
                let neither = self.times(&a, &b)?;
                self.minus(&one, &neither)
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition(side, condition, left)?;
                let (a, b) = (self.condition(side, a, left)?, self.condition(side, b, left)?);
                self.choice(&holds, &a, &b)
            }
            Node::Bits(op @ (BitOp::Less | BitOp::LessSigned | BitOp::Equal), width, a, b, _) => {
                let n = u32::from(width);
                let [a, b] = [self.operand(side, a, n, left)?, self.operand(side, b, n, left)?];
                match op {
                    BitOp::Less => self.less(&a, &b),
                    BitOp::Equal => self.equal(&a, &b),
                    _ => {
                        let (a, b) = (self.signed(&a, n)?, self.signed(&b, n)?);
                        self.less(&a, &b)
                    }
                }
            }
            _ => None,
        }
    }

    /// 1 where two are equal: neither is less.
    fn equal(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let (below, above) = (self.less(a, b)?, self.less(b, a)?);
        let apart = self.plus(&below, &above)?;
        let one = Value::constant(BigInt::one());
        let same = self.minus(&one, &apart)?;
        self.value(same.poly, (BigInt::zero(), BigInt::one()))
    }

    /// A pattern as an integer without a sign, and how many bits it has.
    fn word(&mut self, side: usize, term: Term, left: u32) -> Option<(Value, u32)> {
        if let Some(known) = self.words.get(&(side, term)) {
            return known.clone();
        }
        let word = self.fresh_word(side, term, left.checked_sub(1)?);
        self.words.insert((side, term), word.clone());
        word
    }

    /// An operand of an operation on n bits.
    fn operand(&mut self, side: usize, term: Term, n: u32, left: u32) -> Option<Value> {
        let (word, _) = self.word(side, term, left)?;
        self.wrapped(&word, n)
    }

    fn fresh_word(&mut self, side: usize, term: Term, left: u32) -> Option<(Value, u32)> {
        match self.normalizer.sides[side].terms.node(term) {
            Node::BitConstant(bits) => Some((Value::constant(bits.into()), Format::U64.bits())),
            Node::BitsOf(format, a) if !format.is_float() => {
                let number = self.number(side, a, left)?;
                Some((self.wrapped(&number, format.bits())?, format.bits()))
            }
            Node::Select(condition, a, b) => {
                let holds = self.condition(side, condition, left)?;
                let ((a, n), (b, m)) = (self.word(side, a, left)?, self.word(side, b, left)?);
                Some((self.choice(&holds, &a, &b)?, n.max(m)))
            }
            Node::Bits(op, width, a, b, _) => {
                let word = self.operation(side, op, width, (a, b), left)?;
                Some((word, width.into()))
            }
            _ => None,
        }
    }

    fn operation(
        &mut self,
        side: usize,
        op: BitOp,
        width: u8,
        (a, b): (Term, Term),
        left: u32,
    ) -> Option<Value> {
        let n = u32::from(width);
        let zero = Value::constant(BigInt::zero());
        let constant = match self.normalizer.sides[side].terms.node(b) {
            Node::BitConstant(bits) => u32::try_from(bits).ok(),
            _ => None,
        };
        if op == BitOp::Slice {
            let (whole, _) = self.word(side, a, left)?;
            let part = self.floor(&whole, constant?)?;
            return self.wrapped(&part, n);
        }
        let x = self.operand(side, a, n, left)?;
        match (op, constant) {
            (BitOp::Not, _) => {
                let all = Value::constant(power(n) - 1);
                return self.minus(&all, &x);
            }
            (BitOp::Negate, _) => {
                let negative = self.scaled(&x, &BigInt::from(-1))?;
                return self.wrapped(&negative, n);
            }
            (BitOp::ShiftLeft | BitOp::ShiftRight, Some(by)) if by >= n => return Some(zero),
            (BitOp::ShiftLeft, Some(by)) => {
                let moved = self.scaled(&x, &power(by))?;
                return self.wrapped(&moved, n);
            }
            (BitOp::ShiftRight, Some(by)) => return self.floor(&x, by),
            (BitOp::ShiftRightSigned, Some(by)) => {
                let x = self.signed(&x, n)?;
                let moved = self.floor(&x, by.min(n - 1))?;
                return self.wrapped(&moved, n);
            }
            (BitOp::Extend, Some(narrow)) if narrow <= n => return self.wrapped(&x, narrow),
            (BitOp::ExtendSigned, Some(narrow)) if narrow <= n => {
                let low = self.wrapped(&x, narrow)?;
                let low = self.signed(&low, narrow)?;
                return self.wrapped(&low, n);
            }
            (BitOp::PopCount | BitOp::LeadingZeros | BitOp::Reverse, _) => {
                let range = (BigInt::zero(), power(n) - 1);
                return Some(self.atom(Atom::Word(op, width, [x.poly, Poly::default()]), range));
            }
            _ => {}
        }
        let y = self.operand(side, b, n, left)?;
        match op {
            BitOp::Add => {
                let sum = self.plus(&x, &y)?;
                self.wrapped(&sum, n)
            }
            BitOp::Sub => {
                let difference = self.minus(&x, &y)?;
                self.wrapped(&difference, n)
            }
            BitOp::Mul => {
                let product = self.times(&x, &y)?;
                self.wrapped(&product, n)
            }
            BitOp::MulHigh => {
                let product = self.times(&x, &y)?;
                self.floor(&product, n)
            }
            BitOp::Concat => {
                let (low, high) = (self.wrapped(&x, n / 2)?, self.wrapped(&y, n - n / 2)?);
                let high = self.scaled(&high, &power(n / 2))?;
                self.plus(&low, &high)
            }
            BitOp::And => self.both(&x, &y, n),
            BitOp::Or | BitOp::Xor => {
                let both = self.both(&x, &y, n)?;
                let twice = self.scaled(&both, &BigInt::from(if op == BitOp::Or { 1 } else { 2 }))?;
                let sum = self.plus(&x, &y)?;
                let poly = self.minus(&sum, &twice)?.poly;
                self.value(poly, (BigInt::zero(), power(n) - 1))
            }
            BitOp::Min | BitOp::Max | BitOp::MinSigned | BitOp::MaxSigned => {
                let signed = matches!(op, BitOp::MinSigned | BitOp::MaxSigned);
                let less = match signed {
                    true => {
                        let (x, y) = (self.signed(&x, n)?, self.signed(&y, n)?);
                        self.less(&x, &y)?
                    }
                    false => self.less(&x, &y)?,
                };
                match op {
                    BitOp::Min | BitOp::MinSigned => self.choice(&less, &x, &y),
                    _ => self.choice(&less, &y, &x),
                }
            }
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => {
                let range = (BigInt::zero(), power(n) - 1);
                Some(self.atom(Atom::Word(op, width, [x.poly, y.poly]), range))
            }
            _ => None,
        }
    }

    /// The bits that two words of n bits have in common.
    fn both(&mut self, x: &Value, y: &Value, n: u32) -> Option<Value> {
        for (word, other) in [(x, y), (y, x)] {
            if let Some(mask) = word.poly.as_constant() {
                return self.masked(other, mask.to_u64()?);
            }
            // One has only zeros where the other has bits.
            let length = u32::try_from(other.range.1.bits()).ok()?;
            if word.poly.is_multiple(length) {
                return Some(Value::constant(BigInt::zero()));
            }
            // All bits are the sign.
            let sign = self.signed(word, n)?;
            if sign.lies_in(&BigInt::from(-1), &BigInt::zero()) {
                let sign = self.scaled(&sign, &BigInt::from(-1))?;
                let part = self.times(&sign, other)?;
                return self.value(part.poly, (BigInt::zero(), other.range.1.clone()));
            }
        }
        let range = (BigInt::zero(), x.range.1.clone().min(y.range.1.clone()));
        let mut sides = [x.poly.clone(), y.poly.clone()];
        if sides[0].0 > sides[1].0 {
            sides.swap(0, 1);
        }
        Some(self.atom(Atom::Word(BitOp::And, n as u8, sides), range))
    }

    /// The bits of a word where a mask has ones: of each run of them, what is below its end less what is below its
    /// start.
    fn masked(&mut self, word: &Value, mask: u64) -> Option<Value> {
        let mut sum = Value::constant(BigInt::zero());
        let (mut rest, mut runs) = (mask, 0);
        while rest != 0 {
            runs += 1;
            let from = rest.trailing_zeros();
            let length = (rest >> from).trailing_ones();
            rest = if from + length >= 64 { 0 } else { rest >> (from + length) << (from + length) };
            let (high, low) = (self.wrapped(word, from + length)?, self.wrapped(word, from)?);
            let part = self.minus(&high, &low)?;
            let poly = part.poly;
            let part = self.value(poly, (BigInt::zero(), power(from + length) - 1))?;
            sum = self.plus(&sum, &part)?;
            if runs > RUNS {
                return None;
            }
        }
        let range = (BigInt::zero(), sum.range.1.clone().min(word.range.1.clone()).min(mask.into()));
        self.value(sum.poly, range)
    }
}

#[cfg(test)]
mod tests;
