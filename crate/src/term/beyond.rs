//! What a value may be beside a finite number: ±∞ that a kernel has written itself, and what comes of them.
//!
//! Data are finite, which the ledger states; a mask's -∞ is not. Laws of finite numbers (0 · x = 0, -∞ + x = -∞)
//! are folded only where x is one.
//!
//! Guarantees: a value that is infinite or undefined somewhere, because of an infinity among the constants below it,
//! says so.
//! Whether something that may divide by zero is a number, a kernel that asks does not learn (an uninterpreted
//! condition), except where what it chooses is undefined either way.
//! Misses: what divisors, roots and logarithms make of finite numbers, which has assumptions of its own.

use super::Term;
use super::constant::Number;
use super::eval::Quantity;
use super::node::{BitOp, Node, Relation, Unary};
use super::store::Terms;
use crate::base::Format;

/// What stands for the question whether something that may divide by zero is a number.
const IS_NUMBER: &str = "is_number";
/// And the one whether it is infinite, or which infinity it is.
const IS_INFINITE: &str = "is_infinite";
const IS_INFINITY: &str = "is_infinity";
const IS_MINUS_INFINITY: &str = "is_minus_infinity";
/// So many nodes are looked at for what such a question changes.
const STEPS: u32 = 64;

/// What a value may be beside a finite number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond(pub(super) u8);

impl Beyond {
    pub(super) const NEVER: Beyond = Beyond(0);
    /// +∞.
    pub(super) const UP: Beyond = Beyond(1);
    /// -∞.
    pub(super) const DOWN: Beyond = Beyond(2);
    pub(super) const UNDEFINED: Beyond = Beyond(4);
    const INFINITE: Beyond = Beyond(3);
    const ANY: Beyond = Beyond(7);

    pub(super) const fn or(self, other: Beyond) -> Beyond {
        Beyond(self.0 | other.0)
    }

    const fn and(self, other: Beyond) -> Beyond {
        Beyond(self.0 & other.0)
    }

    /// Whether it may be one of these.
    pub(super) const fn any(self, of: Beyond) -> bool {
        self.0 & of.0 != 0
    }

    fn only_if(self, holds: bool) -> Beyond {
        if holds { self } else { Beyond::NEVER }
    }

    const fn without(self, other: Beyond) -> Beyond {
        Beyond(self.0 & !other.0)
    }

    fn negated(self) -> Beyond {
        let turned =
            Beyond::UP.only_if(self.any(Beyond::DOWN)).or(Beyond::DOWN.only_if(self.any(Beyond::UP)));
        turned.or(self.and(Beyond::UNDEFINED))
    }

    fn plus(self, other: Beyond) -> Beyond {
        let opposite = self.any(Beyond::UP) && other.any(Beyond::DOWN)
            || self.any(Beyond::DOWN) && other.any(Beyond::UP);
        self.or(other).or(Beyond::UNDEFINED.only_if(opposite))
    }

    /// The larger of two, which is the other one where one is undefined, or undefined.
    fn larger(self, other: Beyond) -> Beyond {
        let low = |a: Beyond, b: Beyond| a.any(Beyond::DOWN) && b.any(Beyond::DOWN.or(Beyond::UNDEFINED));
        let down = Beyond::DOWN.only_if(low(self, other) || low(other, self));
        self.or(other).and(Beyond::UP.or(Beyond::UNDEFINED)).or(down)
    }
}

/// ±∞ as a constant.
#[inline]
pub(super) fn is_infinite(a: Term) -> bool {
    a == Term::INFINITY || a == Term::MINUS_INFINITY
}

impl Terms {
    /// What a value may be beside a finite number.
    pub(super) fn beyond(&self, term: Term) -> Beyond {
        match term.as_constant() {
            Some(constant) => match self.constant_at(constant).number {
                Number::Infinity => Beyond::UP,
                Number::MinusInfinity => Beyond::DOWN,
                Number::NotANumber => Beyond::UNDEFINED,
                _ => Beyond::NEVER,
            },
            None => self.beyond_of_node(term),
        }
    }

    /// Whether a kernel's own infinities may make a value infinite.
    pub fn may_be_infinite(&self, term: Term) -> bool {
        self.beyond(term).any(Beyond::INFINITE)
    }

    /// Whether a value is never undefined because of a kernel's own infinities.
    pub fn is_defined(&self, term: Term) -> bool {
        !self.beyond(term).any(Beyond::UNDEFINED)
    }

    /// Whether a value is a number, finite or not: what is undefined is not equal to itself.
    pub fn is_number(&mut self, term: Term) -> Term {
        self.compare(Relation::Equal, term, term)
    }

    /// Whether a value is a number, as the kernel itself asks: what may divide by zero is not taken to be one.
    pub fn asked_number(&mut self, of: Term) -> Term {
        let of = match self.node(of) {
            Node::Unary(Unary::Abs | Unary::Neg, inner) => inner,
            _ => of,
        };
        let number = self.is_number(of);
        if !self.is_partial(of) {
            return number;
        }
        let known = self.apply(IS_NUMBER, of, Term::ZERO);
        let known = self.compare(Relation::Equal, known, Term::ONE);
        self.and(number, known)
    }

    /// Whether a value is ±∞, as a kernel asks: what may divide by zero may be, and nobody learns where.
    pub fn asked_infinite(&mut self, operand: Term) -> Term {
        if self.is_partial(operand) {
            let known = self.apply(IS_INFINITE, operand, Term::ZERO);
            return self.compare(Relation::Equal, known, Term::ONE);
        }
        if !self.may_be_infinite(operand) {
            return Term::FALSE;
        }
        let up = self.compare(Relation::Equal, operand, Term::INFINITY);
        let down = self.compare(Relation::Equal, operand, Term::MINUS_INFINITY);
        self.or(up, down)
    }

    /// Whether a value that may divide by zero is the one infinity.
    pub fn asked_infinity(&mut self, operand: Term, limit: Term) -> Term {
        let name = if limit == Term::INFINITY { IS_INFINITY } else { IS_MINUS_INFINITY };
        match self.node(operand) {
            Node::Unary(Unary::Abs, inner) if limit == Term::INFINITY => self.asked_infinite(inner),
            _ => {
                let known = self.apply(name, operand, Term::ZERO);
                self.compare(Relation::Equal, known, Term::ONE)
            }
        }
    }

    /// The answer to such a question, as a number, about another value.
    pub fn asked_again(&mut self, name: &str, of: Term) -> Term {
        let of = match self.node(of) {
            Node::Unary(Unary::Abs | Unary::Neg, inner) if name == IS_NUMBER => inner,
            _ => of,
        };
        if self.is_partial(of) {
            return self.apply(name, of, Term::ZERO);
        }
        let holds = match name {
            IS_NUMBER => self.is_number(of),
            IS_INFINITE => {
                let size = self.unary(Unary::Abs, of);
                self.compare(Relation::Equal, size, Term::INFINITY)
            }
            IS_INFINITY => self.compare(Relation::Equal, of, Term::INFINITY),
            IS_MINUS_INFINITY => self.compare(Relation::Equal, of, Term::MINUS_INFINITY),
            _ => return self.apply(name, of, Term::ZERO),
        };
        self.select(holds, Term::ONE, Term::ZERO)
    }

    /// The answer of a machine that has this value to such a question, as a number.
    pub(super) fn answered(name: &str, of: Quantity) -> Quantity {
        let beyond = matches!(of, Quantity::Infinity | Quantity::MinusInfinity | Quantity::Pole);
        let holds = match name {
            _ if !beyond && !of.is_finite() && of != Quantity::NotANumber => return Quantity::Unknown,
            IS_NUMBER => of != Quantity::NotANumber,
            IS_INFINITE => beyond,
            IS_INFINITY | IS_MINUS_INFINITY if of == Quantity::Pole => return Quantity::Unknown,
            IS_INFINITY => of == Quantity::Infinity,
            IS_MINUS_INFINITY => of == Quantity::MinusInfinity,
            _ => return Quantity::Unknown,
        };
        Quantity::integer(holds.into())
    }

    /// A comparison whose sides turn out to be such as may divide by zero, or take a logarithm of what has none: where
    /// it asks whether one is a number or infinite, its answer is left open.
    pub fn compare_asked(&mut self, relation: Relation, a: Term, b: Term) -> Term {
        if a == b && relation == Relation::Equal {
            return self.asked_number(a);
        }
        let limit = |term: Term| term == Term::INFINITY || term == Term::MINUS_INFINITY;
        let (operand, limit, is_above) = match (limit(a), limit(b)) {
            (false, true) => (a, b, true),
            (true, false) => (b, a, false),
            _ => return self.compare(relation, a, b),
        };
        if !self.is_partial(operand) {
            return self.compare(relation, a, b);
        }
        let there = self.asked_infinity(operand, limit);
        // Whether everything else lies where the comparison holds.
        let holds = match (relation, is_above == (limit == Term::INFINITY)) {
            (Relation::Equal, _) | (Relation::LessEqual, false) => there,
            (Relation::Less, true) => self.not(there),
            (Relation::LessEqual, true) => Term::TRUE,
            (Relation::Less, false) => Term::FALSE,
        };
        let number = self.asked_number(operand);
        self.and(holds, number)
    }

    /// Whether a condition asks if something is a number, and what is chosen by it is undefined either way where that is.
    pub(super) fn is_idle_question(&self, condition: Term, a: Term, b: Term) -> bool {
        let Some(asked) = self.asked(condition) else { return false };
        let mut left = STEPS;
        self.carries(a, asked, &mut left) && self.carries(b, asked, &mut left)
    }

    /// Of what a condition asks whether it is a number.
    fn asked(&self, condition: Term) -> Option<Term> {
        if let Node::And(a, b) = self.node(condition) {
            let of = self.asked_once(a)?;
            return (self.asked_once(b) == Some(of)).then_some(of);
        }
        self.asked_once(condition)
    }

    fn asked_once(&self, condition: Term) -> Option<Term> {
        let Node::Compare(Relation::Equal, one, other) = self.node(condition) else { return None };
        if one == other {
            return Some(one);
        }
        match (self.node(one), self.node(other)) {
            (Node::Apply(name, of, _), _) | (_, Node::Apply(name, of, _)) => {
                (self.function_name(name) == IS_NUMBER).then_some(of)
            }
            _ => None,
        }
    }

    /// Two words that are joined to a float: the first without a choice by whether that float is a number, as
    /// libraries give their results a sign.
    pub(super) fn without_idle_question(&mut self, word: Term, with: Term) -> Option<Term> {
        let (choice, of) = match self.node(word) {
            Node::BitsOf(format, choice) if !format.is_float() => (choice, Some(format)),
            _ => (word, None),
        };
        let Node::Select(condition, number, _) = self.node(choice) else { return None };
        let asked = self.asked(condition)?;
        if !self.carries(with, asked, &mut { STEPS }) {
            return None;
        }
        Some(match of {
            Some(format) => self.bits_of(format, number),
            None => number,
        })
    }

    /// Whether a value, or the float that a word holds, is undefined wherever another is.
    fn carries(&self, value: Term, undefined: Term, left: &mut u32) -> bool {
        if value == undefined {
            return true;
        }
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let mut of = |term: Term| self.carries(term, undefined, left);
        match self.node(value) {
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Div(a, b) => of(a) || of(b),
            Node::Fma(a, b, c) => of(a) || of(b) || of(c),
            Node::Unary(_, a) | Node::Round(_, _, a) => of(a),
            Node::Select(_, a, b) => of(a) && of(b),
            Node::BitsOf(format, a) | Node::FromBits(format, a) => format == Format::F32 && of(a),
            // All bits but the sign stay set.
            Node::Bits(BitOp::Or, 32, a, b, _) => of(a) || of(b),
            Node::Bits(BitOp::And, 32, a, b, _) => {
                let keeps = |mask: Term| matches!(self.node(mask), Node::BitConstant(bits) if bits & 0x7fff_ffff == 0x7fff_ffff);
                keeps(b) && of(a) || keeps(a) && of(b)
            }
            _ => false,
        }
    }

    /// The larger or smaller of two, or the one that is undefined.
    pub fn extreme_unless_undefined(&mut self, a: Term, b: Term, larger: bool) -> Term {
        let extreme = if larger { self.max(a, b) } else { self.min(a, b) };
        let [one, other] = [a, b].map(|operand| self.is_number(operand));
        let without_a = self.select(other, extreme, b);
        self.select(one, without_a, a)
    }

    /// The same of a node by its operands.
    pub(super) fn beyond_by_operands(&self, node: &Node) -> Beyond {
        let of = |term: Term| self.beyond(term);
        let all = |any: Beyond| Beyond::ANY.only_if(any != Beyond::NEVER);
        match *node {
            Node::Element(_) | Node::Constant(_) | Node::BitConstant(_) => Beyond::NEVER,
            Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => Beyond::NEVER,
            Node::Add(a, b) => of(a).plus(of(b)),
            Node::Sub(a, b) => of(a).plus(of(b).negated()),
            Node::Mul(a, b) => self.beyond_product(a, b),
            Node::Fma(a, b, c) => self.beyond_product(a, b).plus(of(c)),
            Node::Div(a, b) => match (of(a), self.as_rational(b)) {
                (Beyond::NEVER, _) => of(b).and(Beyond::UNDEFINED),
                (above, Some(_)) => self.beyond_multiple(above, b),
                (above, None) => all(above),
            },
            Node::Unary(function, a) => {
                let of = of(a);
                match function {
                    Unary::Neg => of.negated(),
                    Unary::Exp | Unary::Exp2 => of.and(Beyond::UP.or(Beyond::UNDEFINED)),
                    Unary::Recip | Unary::Tanh | Unary::Erf | Unary::Atan => of.and(Beyond::UNDEFINED),
                    Unary::Abs => of.and(Beyond::UNDEFINED).or(Beyond::UP.only_if(of.any(Beyond::INFINITE))),
                    Unary::Sqrt | Unary::Log | Unary::Log2 => of
                        .and(Beyond::UP)
                        .or(Beyond::UNDEFINED.only_if(of.any(Beyond::DOWN.or(Beyond::UNDEFINED)))),
                    Unary::Rsqrt => Beyond::UNDEFINED.only_if(of.any(Beyond::DOWN.or(Beyond::UNDEFINED))),
                    Unary::Sin | Unary::Cos => Beyond::UNDEFINED.only_if(of != Beyond::NEVER),
                    Unary::Cbrt | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven => of,
                }
            }
            Node::Max(a, b) => of(a).larger(of(b)),
            Node::Min(a, b) => of(a).negated().larger(of(b).negated()).negated(),
            Node::Select(condition, a, b) => {
                let known = self.node(condition);
                of(a).without(excluded(&known, a, true)).or(of(b).without(excluded(&known, b, false)))
            }
            Node::Round(.., a) => of(a),
            // Bits are always there, and what integers they are read as.
            Node::FromBits(format, _) if !format.is_float() => Beyond::NEVER,
            Node::FromBits(format, a) if self.writes_no_number(format, a) => Beyond::ANY,
            Node::BitsOf(_, a) | Node::FromBits(_, a) => all(of(a)),
            Node::Apply(_, a, b) => all(of(a).or(of(b))),
            Node::Bits(_, _, a, b, c) => all(of(a).or(of(b)).or(of(c))),
        }
    }

    fn beyond_product(&self, a: Term, b: Term) -> Beyond {
        match self.beyond(a).or(self.beyond(b)) {
            Beyond::NEVER => Beyond::NEVER,
            _ if self.as_rational(b).is_some() => self.beyond_multiple(self.beyond(a), b),
            _ if self.as_rational(a).is_some() => self.beyond_multiple(self.beyond(b), a),
            _ => Beyond::ANY,
        }
    }

    /// A multiple by a known number.
    fn beyond_multiple(&self, of: Beyond, factor: Term) -> Beyond {
        use num_traits::Signed;
        match self.as_rational(factor) {
            Some(factor) if factor.is_positive() => of,
            Some(factor) if factor.is_negative() => of.negated(),
            _ => Beyond::UNDEFINED.only_if(of != Beyond::NEVER),
        }
    }
}

/// What a value is not where a condition holds, or where it does not: `m == -∞ ? 0 : m` is never -∞.
fn excluded(condition: &Node, value: Term, holds: bool) -> Beyond {
    let infinity = |term: Term| match term {
        Term::INFINITY => Beyond::UP,
        Term::MINUS_INFINITY => Beyond::DOWN,
        _ => Beyond::NEVER,
    };
    match *condition {
        Node::Compare(Relation::Equal, a, b) if !holds && a == value => infinity(b),
        Node::Compare(Relation::Equal, a, b) if !holds && b == value => infinity(a),
        // A comparison with what is undefined does not hold.
        Node::Compare(Relation::Less, a, b) if holds && a == value => infinity(b).and(Beyond::UP),
        Node::Compare(Relation::Less, a, b) if holds && b == value => infinity(a).and(Beyond::DOWN),
        Node::Compare(Relation::LessEqual, a, b) if !holds && a == value => infinity(b).and(Beyond::DOWN),
        Node::Compare(Relation::LessEqual, a, b) if !holds && b == value => infinity(a).and(Beyond::UP),
        _ => Beyond::NEVER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is folded for finite numbers stays where a mask wrote an infinity.
    #[test]
    fn laws_of_finite_numbers_are_not_those_of_masks() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(Term::element);
        let masked = |terms: &mut Terms, by: Term, otherwise: Term| {
            let holds = terms.compare(Relation::Less, Term::ZERO, by);
            terms.select(holds, x, otherwise)
        };
        assert_eq!(terms.mul(Term::ZERO, x), Term::ZERO);
        let down = masked(&mut terms, y, Term::MINUS_INFINITY);
        let finite = masked(&mut terms, y, Term::ONE);
        assert_eq!(terms.mul(Term::ZERO, finite), Term::ZERO);
        assert_ne!(terms.mul(Term::ZERO, down), Term::ZERO);
        assert_ne!(terms.fma(Term::ZERO, down, Term::ONE), Term::ONE);
        // e^-∞ is 0, and a maximum with something finite is.
        let power = terms.unary(Unary::Exp, down);
        assert_eq!(terms.mul(Term::ZERO, power), Term::ZERO);
        let larger = terms.max(down, y);
        assert_eq!(terms.mul(Term::ZERO, larger), Term::ZERO);
        let none = terms.compare(Relation::Equal, down, Term::MINUS_INFINITY);
        let guarded = terms.select(none, Term::ZERO, down);
        assert_eq!(terms.mul(Term::ZERO, guarded), Term::ZERO);
        assert_eq!(terms.sub(Term::MINUS_INFINITY, guarded), Term::MINUS_INFINITY);
        let difference = terms.sub(down, down);
        assert!(terms.beyond(difference).any(Beyond::UNDEFINED));
        // -∞ stays -∞ beside what is not +∞.
        assert_eq!(terms.add(Term::MINUS_INFINITY, down), Term::MINUS_INFINITY);
        assert_ne!(terms.sub(Term::MINUS_INFINITY, down), Term::MINUS_INFINITY);
        assert_eq!(terms.sub(Term::MINUS_INFINITY, x), Term::MINUS_INFINITY);
    }
}
