//! The domain of reals: what nodes mean, on [`Quantity`] values.

use super::bits;
use super::{Domain, Interval, Quantity, Small};
use crate::term::{Node, Relation, Term, Unary};
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// Evaluation over the reals.
pub struct Reals<'a> {
    /// The values of tensor elements.
    pub element: &'a dyn Fn(u32) -> Quantity,
    /// The values of the store's constants, in the order of its table.
    pub constants: &'a [Quantity],
}

impl Domain for Reals<'_> {
    type Value = Quantity;

    fn element(&self, element: u32) -> Quantity {
        (self.element)(element)
    }

    fn constant(&self, constant: usize) -> Quantity {
        self.constants.get(constant).copied().unwrap_or(Quantity::Unknown)
    }

    #[inline(always)]
    fn node(&self, node: &Node, value: impl Fn(Term) -> Quantity) -> Quantity {
        match *node {
            Node::Element(element) => self.element(element),
            Node::Constant(constant) => self.constant(constant),
            Node::Add(a, b) => value(a).plus(value(b)),
            Node::Sub(a, b) => value(a).plus(value(b).negated()),
            Node::Mul(a, b) => value(a).times(value(b)),
            Node::Fma(a, b, c) => value(a).times(value(b)).plus(value(c)),
            Node::Div(a, b) => value(a).times(value(b).reciprocal()),
            Node::Unary(function, a) => unary(function, value(a)),
            Node::Max(a, b) => value(a).extreme(value(b), true),
            Node::Min(a, b) => value(a).extreme(value(b), false),
            Node::Select(condition, a, b) => select(value(condition), value(a), value(b)),
            Node::Round(mode, format, a) => bits::round(mode, format, value(a)),
            // Asks whether it is a number.
            Node::Compare(Relation::Equal, a, b) if a == b => match value(a) {
                Quantity::NotANumber => Quantity::Condition(false),
                Quantity::Undefined | Quantity::Unknown => missing(value(a)),
                _ => Quantity::Condition(true),
            },
            Node::Compare(relation, a, b) => compare(relation, value(a), value(b)),
            Node::And(a, b) => junction(value(a), value(b), false),
            Node::Or(a, b) => junction(value(a), value(b), true),
            Node::Not(a) => match value(a) {
                Quantity::Condition(holds) => Quantity::Condition(!holds),
                other => missing(other),
            },
            Node::BitsOf(format, a) => bits::bits_of(format, value(a)),
            Node::BitConstant(bits) => Quantity::Bits(bits),
            Node::Bits(op, width, a, b, c) => bits::operate(op, width, [value(a), value(b), value(c)]),
            Node::FromBits(format, a) => match value(a) {
                Quantity::Bits(word) => bits::from_bits(format, word),
                other => missing(other),
            },
            Node::Apply(_, a, b) => {
                if value(a) == Quantity::Undefined || value(b) == Quantity::Undefined {
                    Quantity::Undefined
                } else {
                    Quantity::Unknown
                }
            }
        }
    }
}

/// What becomes of a value that should have been of another kind.
fn missing(value: Quantity) -> Quantity {
    if value == Quantity::Undefined { Quantity::Undefined } else { Quantity::Unknown }
}

fn select(condition: Quantity, a: Quantity, b: Quantity) -> Quantity {
    match condition {
        Quantity::Condition(true) => a,
        Quantity::Condition(false) => b,
        // Even where both branches are close, the condition itself may have no value.
        other => missing(other),
    }
}

fn compare(relation: Relation, a: Quantity, b: Quantity) -> Quantity {
    match a.order(b) {
        Ok(order) => Quantity::Condition(match relation {
            Relation::Less => order == Ordering::Less,
            Relation::LessEqual => order != Ordering::Greater,
            Relation::Equal => order == Ordering::Equal,
        }),
        // Intervals that touch in one point decide a few more.
        Err(gap) => match (relation, a.interval(), b.interval()) {
            (Relation::Less, Some(a), Some(b)) if a.low() >= b.high() => Quantity::Condition(false),
            (Relation::LessEqual, Some(a), Some(b)) if a.high() <= b.low() => Quantity::Condition(true),
            _ => gap,
        },
    }
}

/// Or (`decisive` is true) and and (`decisive` is false) of three-valued conditions.
fn junction(a: Quantity, b: Quantity, decisive: bool) -> Quantity {
    match (a, b) {
        (Quantity::Condition(x), _) if x == decisive => a,
        (_, Quantity::Condition(y)) if y == decisive => b,
        (Quantity::Condition(_), Quantity::Condition(_)) => a,
        (Quantity::Undefined, _) | (_, Quantity::Undefined) => Quantity::Undefined,
        _ => Quantity::Unknown,
    }
}

fn unary(function: Unary, a: Quantity) -> Quantity {
    match function {
        Unary::Neg => a.negated(),
        Unary::Recip => a.reciprocal(),
        Unary::Sqrt => a.root(),
        Unary::Rsqrt => a.root().reciprocal(),
        Unary::Exp => match a {
            Quantity::Exact(zero) if zero.is_zero() => Quantity::integer(1),
            Quantity::Infinity => Quantity::Infinity,
            Quantity::MinusInfinity => Quantity::ZERO,
            _ => a.through(Interval::exp),
        },
        Unary::Exp2 => match a {
            Quantity::Exact(power) if power.is_integer() && power.numer().unsigned_abs() <= 62 => {
                let scale = Ratio::from_integer(1i64 << power.numer().unsigned_abs());
                Quantity::Exact(if *power.numer() < 0 { scale.recip() } else { scale })
            }
            Quantity::Infinity => Quantity::Infinity,
            Quantity::MinusInfinity => Quantity::ZERO,
            _ => a.through(Interval::exp2),
        },
        Unary::Log | Unary::Log2 => logarithm(function, a),
        Unary::Sin => zero_to(a, 0, Interval::sin),
        Unary::Cos => zero_to(a, 1, Interval::cos),
        Unary::Tanh => saturating(a, Interval::tanh),
        Unary::Erf => saturating(a, Interval::erf),
        Unary::Atan => match a {
            Quantity::Exact(zero) if zero.is_zero() => Quantity::ZERO,
            Quantity::Infinity => Quantity::Within(Interval::HALF_PI),
            Quantity::MinusInfinity => Quantity::Within(Interval::HALF_PI.negated()),
            _ => a.through(Interval::atan),
        },
        Unary::Cbrt => cube_root(a),
        Unary::Abs => a.abs(),
        Unary::Floor => a.to_integer(Ratio::floor, f64::floor),
        Unary::Ceil => a.to_integer(Ratio::ceil, f64::ceil),
        Unary::Trunc => a.to_integer(Ratio::trunc, f64::trunc),
        Unary::RoundEven => a.to_integer(round_even, f64::round_ties_even),
    }
}

/// To the nearest integer, ties to even.
fn round_even(value: &Small) -> Small {
    let floor = value.floor().to_integer();
    let above = match (value - Ratio::from_integer(floor)).cmp(&Ratio::new(1, 2)) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => floor.is_odd(),
    };
    Ratio::from_integer(floor + i64::from(above))
}

/// A function of the reals whose value at 0 is exact, and which has no limit at ±∞.
fn zero_to(a: Quantity, at_zero: i64, function: fn(Interval) -> Interval) -> Quantity {
    match a {
        Quantity::Exact(zero) if zero.is_zero() => Quantity::integer(at_zero),
        Quantity::Infinity | Quantity::MinusInfinity => Quantity::NotANumber,
        _ => a.through(function),
    }
}

/// An odd function with limits ±1.
fn saturating(a: Quantity, function: fn(Interval) -> Interval) -> Quantity {
    match a {
        Quantity::Exact(zero) if zero.is_zero() => Quantity::ZERO,
        Quantity::Infinity => Quantity::integer(1),
        Quantity::MinusInfinity => Quantity::integer(-1),
        _ => a.through(function),
    }
}

fn logarithm(function: Unary, a: Quantity) -> Quantity {
    match a {
        Quantity::Exact(one) if one.is_one() => Quantity::ZERO,
        Quantity::Exact(value) if value <= Ratio::zero() => Quantity::Undefined,
        Quantity::Within(interval) | Quantity::Fixed(_, interval) if interval.high() <= 0.0 => {
            Quantity::Undefined
        }
        Quantity::Infinity => Quantity::Infinity,
        Quantity::MinusInfinity | Quantity::NotANumber => Quantity::NotANumber,
        Quantity::Exact(value) if function == Unary::Log2 && is_power_of_two(value) => {
            let (up, down) = (value.numer().trailing_zeros(), value.denom().trailing_zeros());
            Quantity::integer(i64::from(up) - i64::from(down))
        }
        Quantity::Exact(_) | Quantity::Within(_) | Quantity::Fixed(..) => {
            let ln = a.interval().and_then(Interval::ln);
            let scaled = if function == Unary::Log2 { ln.map(|ln| ln.times(Interval::LOG2_E)) } else { ln };
            scaled.map_or(Quantity::Unknown, Quantity::Within)
        }
        other => missing(other),
    }
}

fn is_power_of_two(value: Small) -> bool {
    value.numer().count_ones() == 1 && value.denom().count_ones() == 1
}

fn cube_root(a: Quantity) -> Quantity {
    if let Quantity::Exact(value) = a {
        let root = |n: i64| {
            let near = (n as f64).cbrt().round() as i64;
            (near.checked_mul(near).and_then(|square| square.checked_mul(near)) == Some(n)).then_some(near)
        };
        if let (Some(above), Some(below)) = (root(*value.numer()), root(*value.denom())) {
            return Quantity::Exact(Ratio::new_raw(above, below));
        }
    }
    match a {
        Quantity::Infinity | Quantity::MinusInfinity => a,
        _ => a.through(Interval::cbrt),
    }
}
