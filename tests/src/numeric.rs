//! Terms evaluated at a point, with a running error analysis.
//!
//! A value is an `f64` and a bound on how far a machine that rounds may be from it. Every node adds
//! what one or two roundings of the kernel's coarsest format can add and passes on what its operands
//! bring (first-order analysis as in Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1
//! and 3.3, with the second-order part of products kept). Results that the coarsest format holds
//! exactly add nothing, so integers and sums of small integers stay exact.
//! A choice by a comparison that the error could turn is the hull of both sides. Where no bound can
//! be given (a floor next to an integer, the bits of an inexact number) a value is *lost*, with a
//! reason, and its element is not compared.
//!
//! The bound does not trust the tool: it uses the node list of a term and nothing else.

use crate::machine::integer;
use crate::machine::op::{Class, Op, Type};
use crate::machine::soft;
use rustc_apfloat::Round;
use warpproof::base::Format;
use warpproof::term::eval::Domain;
use warpproof::term::{
    BitOp, Constant, Interval, Named, Node, Number, Relation, Rounding, Term, Terms, Unary,
};

/// From here on, an `f64` does not hold every integer.
const LARGEST: f64 = 9e15;

/// What a term is at a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// A number, and how far a rounding machine may be away.
    Real(f64, f64),
    /// A condition, if the error cannot turn it.
    Condition(Option<bool>),
    /// Bits.
    Bits(u64),
    /// No bound can be given, and why.
    Lost(&'static str),
}

/// How a kernel rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Precision {
    /// The coarsest float format that its arithmetic uses.
    pub format: Format,
    /// Half a unit in the last place of 1, doubled where values are narrowed on the way.
    pub unit: f64,
    /// What underflow can cost.
    pub tiny: f64,
    /// Conversions round values without a node of their own.
    pub narrows: bool,
    /// How far a constant that the kernel computed may be from the simulator's: so many times its bound, and so much.
    pub computed: [f64; 2],
    /// Sums and products that a float holds are computed exactly.
    pub exact: bool,
}

/// Half a unit in the last place of 1.
pub fn unit(format: Format) -> f64 {
    match format {
        Format::F64 => 2f64.powi(-53),
        Format::F32 => 2f64.powi(-24),
        // Tensor cores may cut instead of round.
        Format::Tf32 => 2f64.powi(-10),
        Format::F16 => 2f64.powi(-11),
        Format::Bf16 => 2f64.powi(-8),
        Format::E4m3 => 2f64.powi(-4),
        Format::E5m2 | Format::E3m2 => 2f64.powi(-3),
        Format::E2m3 => 2f64.powi(-4),
        Format::E2m1 => 2f64.powi(-2),
        Format::Ue8m0 => 1.0,
        _ => 0.0,
    }
}

/// What underflow can cost in a format.
pub fn tiny(format: Format) -> f64 {
    match format {
        Format::F64 => 2f64.powi(-1022),
        Format::F16 => 2f64.powi(-24),
        Format::E4m3 => 2f64.powi(-9),
        Format::E5m2 => 2f64.powi(-16),
        Format::E2m3 => 2f64.powi(-3),
        Format::E3m2 => 2f64.powi(-4),
        Format::E2m1 => 2f64.powi(-1),
        _ if format.is_float() => 2f64.powi(-126),
        _ => 0.0,
    }
}

/// The evaluation of one kernel's terms at one point.
pub struct Point<'a> {
    pub terms: &'a Terms,
    /// The value of each element.
    pub elements: &'a [f64],
    pub precision: Precision,
}

impl Point<'_> {
    /// Whether the coarsest format holds a number exactly.
    fn holds(&self, value: f64) -> bool {
        let format = self.precision.format;
        if !format.is_float() {
            return value == value.trunc() && value.abs() < LARGEST;
        }
        soft::value(format, soft::from_value(format, value, Round::NearestTiesToEven)) == value
    }

    /// A result of that error before rounding; `exact` says that the f64 is the very result.
    fn rounded(&self, value: f64, error: f64, exact: bool, weight: f64) -> Value {
        if value.is_nan() {
            return Value::Lost("an undefined operation");
        }
        if value.is_infinite() {
            return Value::Real(value, 0.0);
        }
        if error == 0.0 && exact && self.precision.exact && self.holds(value) {
            return Value::Real(value, 0.0);
        }
        if !self.precision.format.is_float() && value.abs() >= LARGEST {
            return Value::Lost("an integer that floats do not hold");
        }
        Value::Real(value, error + self.precision.unit * weight + self.precision.tiny)
    }

    fn sum(&self, (a, ea): (f64, f64), (b, eb): (f64, f64)) -> Value {
        let sum = a + b;
        let exact = two_sum_is_exact(a, b);
        self.rounded(sum, ea + eb, exact, a.abs() + b.abs())
    }

    fn product(&self, (a, ea): (f64, f64), (b, eb): (f64, f64)) -> (f64, f64, bool) {
        let product = a * b;
        let exact = a.mul_add(b, -product) == 0.0;
        // A factor 0 stays 0 whatever the other's error, unless that is infinite.
        let part = |x: f64, e: f64| if x == 0.0 || e == 0.0 { 0.0 } else { x.abs() * e };
        (product, part(a, eb) + part(b, ea) + ea * eb, exact)
    }

    fn unary(&self, function: Unary, x: f64, e: f64) -> Value {
        // Library functions are right to a few units; eight covers every one of them.
        let library = |value: f64, error: f64| self.rounded(value, error, false, 8.0 * value.abs());
        let (low, high) = (x - e, x + e);
        match function {
            Unary::Neg => Value::Real(-x, e),
            Unary::Abs => Value::Real(x.abs(), e),
            Unary::Recip => self.quotient((1.0, 0.0), (x, e)),
            Unary::Sqrt => match () {
                _ if x < 0.0 => Value::Lost("a root of a negative number"),
                _ if low > 0.0 => self.rounded(x.sqrt(), e / (2.0 * low.sqrt()), false, 2.0 * x.sqrt()),
                _ => self.rounded(x.sqrt(), high.sqrt(), x.sqrt().powi(2) == x, 2.0 * x.sqrt()),
            },
            Unary::Rsqrt if low > 0.0 => library(1.0 / x.sqrt(), e / (2.0 * low.powf(1.5))),
            Unary::Exp => library(x.exp(), if e == 0.0 { 0.0 } else { x.exp() * e.exp_m1() }),
            Unary::Exp2 => library(x.exp2(), if e == 0.0 { 0.0 } else { x.exp2() * (e * 0.7).exp_m1() }),
            Unary::Log if low > 0.0 => self.rounded(x.ln(), e / low, false, 8.0 * x.ln().abs().max(0.1)),
            Unary::Log2 if low > 0.0 => {
                self.rounded(x.log2(), 1.5 * e / low, false, 8.0 * x.log2().abs().max(0.1))
            }
            Unary::Sin => self.rounded(x.sin(), e, false, 8.0),
            Unary::Cos => self.rounded(x.cos(), e, false, 8.0),
            Unary::Tanh => library(x.tanh(), e),
            Unary::Erf => library(libm::erf(x), 1.2 * e),
            Unary::Atan => library(x.atan(), e),
            Unary::Cbrt if low > 0.0 || high < 0.0 => {
                let near = low.abs().min(high.abs());
                library(x.cbrt(), e / (3.0 * near.powf(2.0 / 3.0)))
            }
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven => {
                let whole = |x: f64| match function {
                    Unary::Floor => x.floor(),
                    Unary::Ceil => x.ceil(),
                    Unary::Trunc => x.trunc(),
                    _ => x.round_ties_even(),
                };
                match whole(low) == whole(high) {
                    true => Value::Real(whole(x), 0.0),
                    false => Value::Lost("a rounding to an integer next to its step"),
                }
            }
            Unary::Rsqrt | Unary::Log | Unary::Log2 | Unary::Cbrt => {
                Value::Lost("a function next to its pole")
            }
        }
    }

    fn quotient(&self, (a, ea): (f64, f64), (b, eb): (f64, f64)) -> Value {
        if b.abs() <= eb || b == 0.0 {
            return Value::Lost("a denominator next to zero");
        }
        let value = a / b;
        let exact = value.mul_add(b, -a) == 0.0;
        self.rounded(value, (ea + value.abs() * eb) / (b.abs() - eb), exact, 4.0 * value.abs())
    }

    fn round(&self, mode: Rounding, format: Format, x: f64, e: f64) -> Value {
        let round = match mode {
            Rounding::NearestEven => Round::NearestTiesToEven,
            Rounding::Zero => Round::TowardZero,
            Rounding::Down => Round::TowardNegative,
            Rounding::Up => Round::TowardPositive,
        };
        let to = |x: f64| soft::value(format, soft::from_value(format, x, round));
        if to(x - e) == to(x + e) {
            return Value::Real(to(x), 0.0);
        }
        Value::Real(to(x), e + 2.0 * unit(format) * x.abs())
    }

    fn compare(&self, relation: Relation, (a, ea): (f64, f64), (b, eb): (f64, f64)) -> Value {
        if (a - b).abs() <= ea + eb && ea + eb > 0.0 {
            return Value::Condition(None);
        }
        // What is too large for its format may have become infinite.
        let format = self.precision.format;
        let beyond = |value: f64, error: f64| {
            format.is_float()
                && value.is_finite()
                && value.abs() + error > soft::value(format, soft::infinity(format) - 1)
        };
        if a.is_infinite() && beyond(b, eb) || b.is_infinite() && beyond(a, ea) {
            return Value::Condition(None);
        }
        Value::Condition(Some(match relation {
            Relation::Less => a < b,
            Relation::LessEqual => a <= b,
            Relation::Equal => a == b,
        }))
    }

    fn bits(&self, format: Format, x: f64, e: f64) -> Value {
        if e > 0.0 {
            return Value::Lost("the bits of an inexact number");
        }
        if !format.is_float() {
            return Value::Bits(integer::cut(x as i128 as u64, format.bits()));
        }
        let bits = soft::from_value(format, x, Round::NearestTiesToEven);
        if soft::value(format, bits) == x {
            Value::Bits(bits)
        } else {
            Value::Lost("the bits of an inexact number")
        }
    }
}

fn two_sum_is_exact(a: f64, b: f64) -> bool {
    let sum = a + b;
    let back = sum - a;
    (a - (sum - back)) + (b - back) == 0.0
}

pub(crate) fn pattern(op: BitOp, width: u8, a: u64, b: u64) -> Value {
    let bits = u32::from(width);
    let run = |name: &str, class: Class| {
        let ty = Type { class, bits };
        match integer::run(&Op::new(name), ty, &[a, b], &mut false) {
            Some(value) => Value::Bits(value),
            None => Value::Lost("a pattern"),
        }
    };
    let (signed, unsigned) = (Type { class: Class::Signed, bits }, Type { class: Class::Unsigned, bits });
    let number = integer::number;
    match op {
        BitOp::And => run("and", Class::Bits),
        BitOp::Or => run("or", Class::Bits),
        BitOp::Xor => run("xor", Class::Bits),
        BitOp::Not => run("not", Class::Bits),
        BitOp::ShiftLeft => run("shl", Class::Bits),
        BitOp::ShiftRight => run("shr", Class::Unsigned),
        BitOp::ShiftRightSigned => run("shr", Class::Signed),
        BitOp::Add => run("add", Class::Unsigned),
        BitOp::Sub => run("sub", Class::Unsigned),
        BitOp::Mul => run("mul.lo", Class::Unsigned),
        BitOp::MulHigh => run("mul.hi", Class::Unsigned),
        BitOp::Min => run("min", Class::Unsigned),
        BitOp::Max => run("max", Class::Unsigned),
        BitOp::MinSigned => run("min", Class::Signed),
        BitOp::MaxSigned => run("max", Class::Signed),
        BitOp::Negate => run("neg", Class::Signed),
        BitOp::Concat => Value::Bits(integer::cut(a, bits / 2) | integer::cut(b, bits / 2) << (bits / 2)),
        BitOp::Slice => Value::Bits(integer::cut(a.checked_shr(b as u32).unwrap_or(0), bits)),
        BitOp::Extend => Value::Bits(integer::cut(a, b as u32)),
        BitOp::ExtendSigned => {
            let narrow = Type { class: Class::Signed, bits: b as u32 };
            Value::Bits(integer::cut(number(narrow, integer::cut(a, b as u32)) as u64, bits))
        }
        BitOp::PopCount => run("popc", Class::Bits),
        BitOp::LeadingZeros => run("clz", Class::Bits),
        BitOp::Reverse => run("brev", Class::Bits),
        BitOp::Equal => Value::Condition(Some(number(unsigned, a) == number(unsigned, b))),
        BitOp::Less => Value::Condition(Some(number(unsigned, a) < number(unsigned, b))),
        BitOp::LessSigned => Value::Condition(Some(number(signed, a) < number(signed, b))),
        BitOp::Other => Value::Lost("an operation on bits without a name"),
    }
}

/// Whether an operation on patterns has one operand.
pub(crate) fn alone(op: BitOp) -> bool {
    use BitOp::{LeadingZeros, Negate, Not, PopCount, Reverse};
    matches!(op, Not | Negate | PopCount | LeadingZeros | Reverse)
}

/// The value of an entry of the constant table.
fn value_of(constant: &Constant) -> Value {
    match &constant.number {
        Number::Rational(exact) => {
            let near = Interval::of_rational(exact);
            let middle = near.low() / 2.0 + near.high() / 2.0;
            Value::Real(near.as_point().unwrap_or(middle), near.high() - near.low())
        }
        Number::Named(name) => Value::Real(
            match name {
                Named::Pi => std::f64::consts::PI,
                Named::Ln2 => std::f64::consts::LN_2,
                Named::Log2E => std::f64::consts::LOG2_E,
                Named::Ln10 => std::f64::consts::LN_10,
            },
            1e-15,
        ),
        Number::Infinity => Value::Real(f64::INFINITY, 0.0),
        Number::MinusInfinity => Value::Real(f64::NEG_INFINITY, 0.0),
        Number::NotANumber => Value::Lost("not a number"),
        Number::Unwritten => Value::Lost("never written"),
        Number::True => Value::Condition(Some(true)),
        Number::False => Value::Condition(Some(false)),
    }
}

fn lost(values: &[Value]) -> Value {
    let found = values.iter().find(|value| matches!(value, Value::Lost(_)));
    found.copied().unwrap_or(Value::Lost("operands of another kind"))
}

impl Domain for Point<'_> {
    type Value = Value;

    fn element(&self, element: u32) -> Value {
        let value = self.elements[element as usize];
        let error = if self.precision.narrows && !self.holds(value) {
            self.precision.unit * value.abs() + self.precision.tiny
        } else {
            0.0
        };
        Value::Real(value, error)
    }

    fn constant(&self, at: usize) -> Value {
        let constant = self.terms.constant_at(at);
        match value_of(constant) {
            Value::Real(value, error) if constant.error() > 0.0 => {
                let [times, more] = self.precision.computed;
                Value::Real(value, error + times * constant.error() + more)
            }
            other => other,
        }
    }

    fn node(&self, node: &Node, value: impl Fn(Term) -> Value) -> Value {
        use Value::{Bits, Condition, Lost, Real};
        match *node {
            Node::Element(element) => self.element(element),
            Node::Constant(at) => self.constant(at),
            Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Max(a, b)
            | Node::Min(a, b) => {
                let (Real(x, ex), Real(y, ey)) = (value(a), value(b)) else {
                    return lost(&[value(a), value(b)]);
                };
                match node {
                    Node::Add(..) => self.sum((x, ex), (y, ey)),
                    Node::Sub(..) => self.sum((x, ex), (-y, ey)),
                    Node::Mul(..) => {
                        let (product, error, exact) = self.product((x, ex), (y, ey));
                        self.rounded(product, error, exact, product.abs())
                    }
                    Node::Div(..) => self.quotient((x, ex), (y, ey)),
                    Node::Max(..) => Real(
                        x.max(y),
                        if x - ex > y + ey {
                            ex
                        } else if y - ey > x + ex {
                            ey
                        } else {
                            ex.max(ey)
                        },
                    ),
                    _ => Real(
                        x.min(y),
                        if x + ex < y - ey {
                            ex
                        } else if y + ey < x - ex {
                            ey
                        } else {
                            ex.max(ey)
                        },
                    ),
                }
            }
            Node::Fma(a, b, c) => {
                let (Real(x, ex), Real(y, ey), Real(z, ez)) = (value(a), value(b), value(c)) else {
                    return lost(&[value(a), value(b), value(c)]);
                };
                let (product, error, exact) = self.product((x, ex), (y, ey));
                // Compilers split multiply-adds and tensor cores sum in any order: both parts count.
                let weight = product.abs() + z.abs();
                let sum = product + z;
                self.rounded(
                    sum,
                    error + ez,
                    exact && self.holds(product) && two_sum_is_exact(product, z),
                    weight,
                )
            }
            Node::Unary(function, a) => match value(a) {
                Real(x, e) => self.unary(function, x, e),
                other => lost(&[other]),
            },
            Node::Select(condition, a, b) => match (value(condition), value(a), value(b)) {
                (Condition(Some(holds)), a, b) => {
                    if holds {
                        a
                    } else {
                        b
                    }
                }
                (Condition(None), Real(x, ex), Real(y, ey)) => Real(x, ex.max(ey + (x - y).abs())),
                (Condition(None), ..) => Lost("a choice that the error can turn"),
                (other, ..) => lost(&[other]),
            },
            Node::Round(mode, format, a) => match value(a) {
                Real(x, e) => self.round(mode, format, x, e),
                other => lost(&[other]),
            },
            Node::Compare(relation, a, b) => match (value(a), value(b)) {
                (Real(x, ex), Real(y, ey)) => self.compare(relation, (x, ex), (y, ey)),
                (a, b) => lost(&[a, b]),
            },
            Node::And(a, b) => match (value(a), value(b)) {
                (Condition(a), Condition(b)) => Condition(match (a, b) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }),
                (a, b) => lost(&[a, b]),
            },
            Node::Or(a, b) => match (value(a), value(b)) {
                (Condition(a), Condition(b)) => Condition(match (a, b) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }),
                (a, b) => lost(&[a, b]),
            },
            Node::Not(a) => match value(a) {
                Condition(a) => Condition(a.map(|a| !a)),
                other => lost(&[other]),
            },
            Node::BitsOf(format, a) => match value(a) {
                // An integer of any size, as far as floats hold it: its remainder.
                Real(x, 0.0) if !format.is_float() && x.fract() == 0.0 && x.abs() < LARGEST => {
                    Bits(integer::cut(x as i64 as u64, format.bits()))
                }
                Real(x, e) => self.bits(format, x, e),
                other => lost(&[other]),
            },
            Node::BitConstant(bits) => Bits(bits),
            Node::Bits(op, width, a, b, _) => match (value(a), value(b)) {
                (Bits(x), Bits(y)) => pattern(op, width, x, y),
                (Bits(x), _) if alone(op) => pattern(op, width, x, 0),
                (a, b) => lost(&[a, b]),
            },
            Node::FromBits(format, a) => match value(a) {
                Bits(bits) => {
                    let number = soft::value(format, integer::cut(bits, format.bits()));
                    if number.is_nan() { Lost("not a number") } else { Real(number, 0.0) }
                }
                other => lost(&[other]),
            },
            Node::Apply(..) => Lost("a function without a meaning"),
        }
    }
}
