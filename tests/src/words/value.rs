//! Terms of integers evaluated exactly: rationals of 128 bits, bit patterns, conditions.
//!
//! The tool's own evaluators are not used: this one is the test's idea of what the nodes mean. What does
//! not fit (a rational of more bits, a function) is *lost*.

use crate::machine::{integer, soft};
use crate::numeric;
use num_rational::Ratio;
use rustc_apfloat::Round;
use warpproof::base::{Format, FormatClass};
use warpproof::term::eval::Domain;
use warpproof::term::{Node, Number, Relation, Rounding, Term, Terms, Unary};

/// A number.
pub type Fraction = Ratio<i128>;

/// What a term is at a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Number(Fraction),
    Bits(u64),
    Condition(bool),
    Lost(&'static str),
}

use Value::{Bits, Condition, Lost};

/// The integer that bits are in a format.
pub fn integer(format: Format, bits: u64) -> i128 {
    let bits = integer::cut(bits, format.bits());
    let negative = format.class() == FormatClass::Signed && bits >> (format.bits() - 1) & 1 == 1;
    i128::from(bits) - if negative { 1i128 << format.bits() } else { 0 }
}

/// Whether a stored word is a value: integers exactly, floats to the rounding of their format.
pub fn same(format: Format, stored: u64, value: Value) -> Option<bool> {
    match value {
        Value::Number(value) if !format.is_float() => {
            Some(value.is_integer() && integer::cut(value.to_integer() as u64, format.bits()) == stored)
        }
        Value::Number(value) => {
            let got = exact(soft::value(format, stored))?;
            let off = if got > value { got - value } else { value - got };
            let size = if value < Ratio::from_integer(0) { -value } else { value };
            Some(off * Ratio::from_integer(1 << 23) <= size)
        }
        Bits(bits) => Some(integer::cut(bits, format.bits()) == stored),
        Condition(_) => Some(false),
        Lost(_) => None,
    }
}

fn exact(value: f64) -> Option<Fraction> {
    let mut below = 1i128;
    let mut value = value;
    while value.fract() != 0.0 {
        value *= 2.0;
        below = below.checked_mul(2)?;
    }
    (value.abs() < 1e37).then(|| Ratio::new(value as i128, below))
}

/// The evaluation of a kernel's terms at one point.
pub struct Point<'a> {
    pub terms: &'a Terms,
    pub elements: &'a [i128],
}

fn number(value: Option<Fraction>) -> Value {
    value.map_or(Lost("a number of more than 128 bits"), Value::Number)
}

impl Point<'_> {
    fn arithmetic(&self, node: &Node, a: Fraction, b: Fraction) -> Value {
        use checked::{plus, times};
        number(match node {
            Node::Add(..) => plus(a, b),
            Node::Sub(..) => plus(a, -b),
            Node::Mul(..) => times(a, b),
            Node::Div(..) if *b.numer() == 0 => return Lost("a division by zero"),
            Node::Div(..) => times(a, b.recip()),
            Node::Max(..) => Some(a.max(b)),
            _ => Some(a.min(b)),
        })
    }
}

/// Sums and products that say when they do not fit.
mod checked {
    use super::Fraction;

    pub(super) fn plus(a: Fraction, b: Fraction) -> Option<Fraction> {
        let above = a.numer().checked_mul(*b.denom())?.checked_add(b.numer().checked_mul(*a.denom())?)?;
        Some(Fraction::new(above, a.denom().checked_mul(*b.denom())?))
    }

    pub(super) fn times(a: Fraction, b: Fraction) -> Option<Fraction> {
        Some(Fraction::new(a.numer().checked_mul(*b.numer())?, a.denom().checked_mul(*b.denom())?))
    }
}

/// A function of patterns that has one operand.
fn pattern(op: warpproof::term::BitOp, width: u8, a: u64, b: u64) -> Value {
    match numeric::pattern(op, width, a, b) {
        numeric::Value::Bits(bits) => Bits(bits),
        numeric::Value::Condition(Some(holds)) => Condition(holds),
        _ => Lost("an operation on bits without a name"),
    }
}

fn lost(values: &[Value]) -> Value {
    let found = values.iter().find(|value| matches!(value, Lost(_)));
    found.copied().unwrap_or(Lost("operands of another kind"))
}

impl Domain for Point<'_> {
    type Value = Value;

    fn element(&self, element: u32) -> Value {
        Value::Number(Ratio::from_integer(self.elements[element as usize]))
    }

    fn constant(&self, at: usize) -> Value {
        match &self.terms.constant_at(at).number {
            Number::Rational(value) => {
                let part = |value: &num_bigint::BigInt| i128::try_from(value).ok();
                let both = part(value.numer()).zip(part(value.denom()));
                number(both.map(|(above, below)| Ratio::new(above, below)))
            }
            Number::True => Condition(true),
            Number::False => Condition(false),
            _ => Lost("a constant that is no rational"),
        }
    }

    fn node(&self, node: &Node, value: impl Fn(Term) -> Value) -> Value {
        use Value::Number;
        match *node {
            Node::Element(element) => self.element(element),
            Node::Constant(at) => self.constant(at),
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Max(a, b)
            | Node::Min(a, b) => match (value(a), value(b)) {
                (Number(a), Number(b)) => self.arithmetic(node, a, b),
                (a, b) => lost(&[a, b]),
            },
            Node::Fma(a, b, c) => match (value(a), value(b), value(c)) {
                (Number(a), Number(b), Number(c)) => {
                    number(checked::times(a, b).and_then(|product| checked::plus(product, c)))
                }
                (a, b, c) => lost(&[a, b, c]),
            },
            Node::Unary(function, a) => match (function, value(a)) {
                (Unary::Neg, Number(a)) => Number(-a),
                (Unary::Abs, Number(a)) => Number(if *a.numer() < 0 { -a } else { a }),
                (Unary::Floor, Number(a)) => Number(a.floor()),
                (Unary::Ceil, Number(a)) => Number(a.ceil()),
                (Unary::Trunc, Number(a)) => Number(a.trunc()),
                (Unary::RoundEven, Number(a)) => {
                    let (down, twice) = (a.floor(), (a - a.floor()) * 2);
                    let up = twice > Ratio::from_integer(1)
                        || twice == Ratio::from_integer(1) && down.to_integer() % 2 != 0;
                    Number(if up { down + 1 } else { down })
                }
                (_, Number(_)) => Lost("a function"),
                (_, other) => lost(&[other]),
            },
            Node::Select(condition, a, b) => match value(condition) {
                Condition(true) => value(a),
                Condition(false) => value(b),
                other => lost(&[other]),
            },
            Node::Round(mode, format, a) => {
                let round = match mode {
                    Rounding::NearestEven => Round::NearestTiesToEven,
                    Rounding::Zero => Round::TowardZero,
                    Rounding::Down => Round::TowardNegative,
                    Rounding::Up => Round::TowardPositive,
                };
                match value(a) {
                    Number(a) => match as_float(a) {
                        Some(a) => {
                            let bits = soft::convert(Format::F64, format, a.to_bits(), round);
                            number(exact(soft::value(format, bits)))
                        }
                        None => Lost("a number that no float holds"),
                    },
                    other => lost(&[other]),
                }
            }
            Node::Compare(relation, a, b) => match (value(a), value(b)) {
                (Number(a), Number(b)) => Condition(match relation {
                    Relation::Less => a < b,
                    Relation::LessEqual => a <= b,
                    Relation::Equal => a == b,
                }),
                (a, b) => lost(&[a, b]),
            },
            Node::And(a, b) | Node::Or(a, b) => match (value(a), value(b)) {
                (Condition(a), Condition(b)) => {
                    Condition(if matches!(node, Node::And(..)) { a && b } else { a || b })
                }
                (a, b) => lost(&[a, b]),
            },
            Node::Not(a) => match value(a) {
                Condition(a) => Condition(!a),
                other => lost(&[other]),
            },
            Node::BitsOf(format, a) => match value(a) {
                Number(a) if !format.is_float() && a.is_integer() => {
                    Bits(integer::cut(a.to_integer() as u64, format.bits()))
                }
                Number(a) if format.is_float() => match as_float(a) {
                    Some(a) => {
                        let bits = soft::from_value(format, a, Round::NearestTiesToEven);
                        if soft::value(format, bits) == a { Bits(bits) } else { Lost("rounded bits") }
                    }
                    None => Lost("a number that no float holds"),
                },
                other => lost(&[other]),
            },
            Node::BitConstant(bits) => Bits(bits),
            Node::Bits(op, width, a, b, _) => match (value(a), value(b)) {
                (Bits(a), Bits(b)) => pattern(op, width, a, b),
                (Bits(a), _) if numeric::alone(op) => pattern(op, width, a, 0),
                (a, b) => lost(&[a, b]),
            },
            Node::FromBits(format, a) => match value(a) {
                Bits(bits) if !format.is_float() => Number(Ratio::from_integer(integer(format, bits))),
                Bits(bits) => number(exact(soft::value(format, integer::cut(bits, format.bits())))),
                other => lost(&[other]),
            },
            Node::Apply(..) => Lost("a function without a meaning"),
        }
    }
}

/// The f64 that a rational is.
fn as_float(value: Fraction) -> Option<f64> {
    let (above, below) = (*value.numer(), *value.denom());
    let fits = above.unsigned_abs() < 1 << 53 && below.count_ones() == 1;
    fits.then(|| above as f64 / below as f64)
}
