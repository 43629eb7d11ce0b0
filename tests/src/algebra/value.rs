//! Values of expressions in intervals of 192-bit floats, rounded outwards.
//!
//! The elementary functions are those of `astro-float` with 320 bits, widened by far more than they
//! can be off; all of those used rise, so an interval's ends are the values at its ends. erf is summed here, with a bound of what is
//! left. Where an argument may leave a function's domain, a divisor may be 0 or a choice may go both
//! ways, there is no value.
//!
//! Guarantees: the real value lies in the interval. Two intervals that are apart prove a difference.

use super::{E, Expr, Fraction, Op};
use astro_float_num::{BigFloat, Consts, RoundingMode};
use std::collections::HashMap;
use std::rc::Rc;

const BITS: usize = 192;
/// Of the elementary functions, which are then widened: demanding correct rounding of them does
/// not end where a value is exact.
const WORK: usize = 320;
const NEAR: RoundingMode = RoundingMode::None;
const DOWN: RoundingMode = RoundingMode::Down;
const UP: RoundingMode = RoundingMode::Up;

/// An enclosure.
#[derive(Clone, Debug)]
pub struct Enclosure {
    low: BigFloat,
    high: BigFloat,
}

/// What an expression evaluates to.
#[derive(Clone, Debug)]
enum Value {
    Real(Enclosure),
    Condition(bool),
}

/// Evaluates expressions.
pub struct Evaluator {
    constants: Consts,
}

impl Enclosure {
    fn new(low: BigFloat, high: BigFloat) -> Option<Enclosure> {
        let finite = |end: &BigFloat| !end.is_nan() && !end.is_inf();
        (finite(&low) && finite(&high)).then_some(Enclosure { low, high })
    }

    /// Of a fraction.
    pub fn of(value: &Fraction) -> Enclosure {
        let (above, below) =
            (BigFloat::from_i128(*value.numer(), BITS), BigFloat::from_i128(*value.denom(), BITS));
        Enclosure { low: above.div(&below, BITS, DOWN), high: above.div(&below, BITS, UP) }
    }

    /// Of a float.
    pub fn of_float(value: f64) -> Enclosure {
        let value = BigFloat::from_f64(value, BITS);
        Enclosure { low: value.clone(), high: value }
    }

    /// No number lies in both.
    pub fn is_apart(&self, other: &Enclosure) -> bool {
        below(&self.high, &other.low) || below(&other.high, &self.low)
    }

    /// All of it lies above (or below) the other one.
    pub fn is_beyond(&self, other: &Enclosure, above: bool) -> bool {
        if above { below(&other.high, &self.low) } else { below(&self.high, &other.low) }
    }

    fn is_positive(&self) -> bool {
        self.low.is_positive() && !self.low.is_zero()
    }

    fn is_negative(&self) -> bool {
        self.high.is_negative() && !self.high.is_zero()
    }

    fn negated(&self) -> Enclosure {
        Enclosure { low: self.high.neg(), high: self.low.neg() }
    }

    fn plus(&self, other: &Enclosure) -> Option<Enclosure> {
        Enclosure::new(self.low.add(&other.low, BITS, DOWN), self.high.add(&other.high, BITS, UP))
    }

    fn times(&self, other: &Enclosure) -> Option<Enclosure> {
        let corners = [
            (&self.low, &other.low),
            (&self.low, &other.high),
            (&self.high, &other.low),
            (&self.high, &other.high),
        ];
        let product = |mode| corners.map(|(a, b)| a.mul(b, BITS, mode));
        let low = product(DOWN).into_iter().reduce(|a, b| if below(&b, &a) { b } else { a })?;
        let high = product(UP).into_iter().reduce(|a, b| if below(&a, &b) { b } else { a })?;
        Enclosure::new(low, high)
    }

    fn inverse(&self) -> Option<Enclosure> {
        if !self.is_positive() && !self.is_negative() {
            return None;
        }
        let one = BigFloat::from_i128(1, BITS);
        Enclosure::new(one.div(&self.high, BITS, DOWN), one.div(&self.low, BITS, UP))
    }
}

/// A rising function of an interval: of its ends, each made wider by 2^-200 of itself.
fn rising(a: &Enclosure, mut function: impl FnMut(&BigFloat) -> BigFloat) -> Option<Enclosure> {
    let mut end = |end: &BigFloat, mode| {
        let value = function(end);
        let mut part = value.abs();
        part.set_exponent(part.exponent().unwrap_or(0) - 200);
        let part = if value.is_zero() { value.clone() } else { part };
        if mode == DOWN { value.sub(&part, BITS, DOWN) } else { value.add(&part, BITS, UP) }
    };
    Enclosure::new(end(&a.low, DOWN), end(&a.high, UP))
}

fn below(a: &BigFloat, b: &BigFloat) -> bool {
    a.cmp(b).is_some_and(|order| order < 0)
}

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator { constants: Consts::new().expect("memory for constants") }
    }
}

impl Evaluator {
    /// The value at a point, if there certainly is one.
    pub fn at(&mut self, expression: &E, point: &dyn Fn(u32) -> Fraction) -> Option<Enclosure> {
        match self.value(expression, point, &mut HashMap::new())? {
            Value::Real(value) => Some(value),
            Value::Condition(_) => None,
        }
    }

    /// Shared parts are evaluated once: they are known by address.
    fn value(
        &mut self,
        expression: &E,
        point: &dyn Fn(u32) -> Fraction,
        known: &mut HashMap<*const Expr, Option<Value>>,
    ) -> Option<Value> {
        let Expr::Op(op, operands) = &**expression else {
            return Some(Value::Real(self.leaf(expression, point)));
        };
        let key = Rc::as_ptr(expression);
        if let Some(value) = known.get(&key) {
            return value.clone();
        }
        let value = self.operation(*op, operands, point, known);
        known.insert(key, value.clone());
        value
    }

    fn leaf(&mut self, leaf: &Expr, point: &dyn Fn(u32) -> Fraction) -> Enclosure {
        let ln2 = Enclosure { low: self.constants.ln_2(BITS, DOWN), high: self.constants.ln_2(BITS, UP) };
        match leaf {
            Expr::X(index) => Enclosure::of(&point(*index)),
            Expr::C(value) => Enclosure::of(value),
            Expr::Ln2 => ln2,
            _ => ln2.inverse().expect("ln 2 is positive"),
        }
    }

    fn operation(
        &mut self,
        op: Op,
        operands: &[E],
        point: &dyn Fn(u32) -> Fraction,
        known: &mut HashMap<*const Expr, Option<Value>>,
    ) -> Option<Value> {
        if op == Op::Select {
            // Only the branch taken needs a value.
            let Value::Condition(holds) = self.value(&operands[0], point, known)? else { return None };
            return self.value(&operands[if holds { 1 } else { 2 }], point, known);
        }
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.value(operand, point, known)?);
        }
        Some(match (op, values.as_slice()) {
            (Op::Not, [Value::Condition(a)]) => Value::Condition(!a),
            (Op::And, [Value::Condition(a), Value::Condition(b)]) => Value::Condition(*a && *b),
            (Op::Or, [Value::Condition(a), Value::Condition(b)]) => Value::Condition(*a || *b),
            (Op::Less | Op::LessEqual, [Value::Real(a), Value::Real(b)]) => {
                let certain = |yes: bool, no: bool| (yes || no).then_some(yes);
                let at_most = |a: &BigFloat, b: &BigFloat| !below(b, a);
                Value::Condition(if op == Op::Less {
                    certain(below(&a.high, &b.low), at_most(&b.high, &a.low))?
                } else {
                    certain(at_most(&a.high, &b.low), below(&b.high, &a.low))?
                })
            }
            (Op::Fma, [Value::Real(a), Value::Real(b), Value::Real(c)]) => Value::Real(a.times(b)?.plus(c)?),
            (_, [Value::Real(a)]) => Value::Real(self.unary(op, a)?),
            (_, [Value::Real(a), Value::Real(b)]) => Value::Real(binary(op, a, b)?),
            _ => return None,
        })
    }

    fn unary(&mut self, op: Op, a: &Enclosure) -> Option<Enclosure> {
        let huge = BigFloat::from_i128(1 << 20, BITS);
        let ln2 = self.leaf(&Expr::Ln2, &|_| Fraction::from_integer(0));
        let cc = &mut self.constants;
        match op {
            Op::Neg => Some(a.negated()),
            Op::Recip => a.inverse(),
            // Values beyond any machine's are of no interest, and take long.
            Op::Exp if below(&huge, &a.high) || below(&a.low, &huge.neg()) => None,
            Op::Exp => rising(a, |end| end.exp(WORK, NEAR, cc)),
            Op::Exp2 => self.unary(Op::Exp, &a.times(&ln2)?),
            Op::Log if a.is_positive() => rising(a, |end| end.ln(WORK, NEAR, cc)),
            Op::Log2 => self.unary(Op::Log, a)?.times(&ln2.inverse()?),
            Op::Sqrt if !a.low.is_negative() || a.low.is_zero() => rising(a, |end| end.sqrt(WORK, NEAR)),
            Op::Rsqrt if a.is_positive() => self.unary(Op::Sqrt, a)?.inverse(),
            Op::Tanh => rising(a, |end| end.tanh(WORK, NEAR, cc)),
            Op::Erf => self.erf(a),
            Op::Abs if a.low.is_negative() && a.high.is_positive() => {
                let other = a.low.neg();
                let high = if below(&other, &a.high) { a.high.clone() } else { other };
                Enclosure::new(BigFloat::from_i128(0, BITS), high)
            }
            Op::Abs => Some(if a.high.is_negative() { a.negated() } else { a.clone() }),
            _ => None,
        }
    }

    /// 2/√π · Σ (−1)ⁿ x^(2n+1) / (n! (2n+1)), for |x| < 8; what is left is below the last summand
    /// once summands fall.
    fn erf(&mut self, a: &Enclosure) -> Option<Enclosure> {
        let bound = Enclosure::of_float(8.0);
        if !below(&a.high, &bound.low) || !below(&bound.low.neg(), &a.low) {
            return None;
        }
        let square = a.times(a)?;
        let (mut power, mut sum) = (a.clone(), a.clone());
        for n in 1..400i128 {
            power = power.times(&square)?.times(&Enclosure::of(&Fraction::new(-1, n)))?;
            let summand = power.times(&Enclosure::of(&Fraction::new(1, 2 * n + 1)))?;
            sum = sum.plus(&summand)?;
        }
        let last =
            power.times(&Enclosure::new(BigFloat::from_i128(-1, BITS), BigFloat::from_i128(1, BITS))?)?;
        let cc = &mut self.constants;
        let pi = Enclosure { low: cc.pi(BITS, DOWN), high: cc.pi(BITS, UP) };
        let factor = self.unary(Op::Rsqrt, &pi)?.times(&Enclosure::of_float(2.0))?;
        sum.plus(&last)?.times(&factor)
    }
}

fn binary(op: Op, a: &Enclosure, b: &Enclosure) -> Option<Enclosure> {
    let larger = |a: &BigFloat, b: &BigFloat| if below(a, b) { b.clone() } else { a.clone() };
    match op {
        Op::Add => a.plus(b),
        Op::Sub => a.plus(&b.negated()),
        Op::Mul => a.times(b),
        Op::Div => a.times(&b.inverse()?),
        Op::Max => Enclosure::new(larger(&a.low, &b.low), larger(&a.high, &b.high)),
        Op::Min => Some(binary(Op::Max, &a.negated(), &b.negated())?.negated()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{c, erf, exp, less, log2, select, tanh};
    use super::*;

    #[test]
    fn values_enclose_known_digits_and_little_else() {
        let mut evaluator = Evaluator::default();
        for (expression, digits) in [
            (exp(&c(1, 1)), "2.71828182845904523536028747135266249775724709369995957496696763"),
            (tanh(&c(1, 2)), "0.46211715726000975850231848364367254873028928033011303855273181"),
            (erf(&c(1, 1)), "0.84270079294971486934122063508260925929606699796630290845993789"),
            (erf(&c(-3, 1)), "-0.99997790950300141455862722387041767962015229291260075034275901"),
            (log2(&c(3, 1)), "1.58496250072115618145373894394781650875981440769248106045575265"),
            (
                select(&less(&c(1, 1), &c(2, 1)), &c(1, 3), &recip_of_zero()),
                "0.33333333333333333333333333333333333333333333333333333333333333",
            ),
        ] {
            let found = evaluator.at(&expression, &|_| Fraction::from_integer(0)).expect("a value");
            let mut constants = Consts::new().expect("memory");
            let known = BigFloat::parse(digits, astro_float_num::Radix::Dec, BITS, DOWN, &mut constants);
            let (from, to) = (known.sub(&found.low, BITS, UP), found.high.sub(&known, BITS, UP));
            let tiny = BigFloat::from_f64(1e-50, BITS);
            assert!(below(&from.abs(), &tiny) && below(&to.abs(), &tiny), "{expression}: {found:?}");
        }
        assert!(evaluator.at(&recip_of_zero(), &|_| Fraction::from_integer(0)).is_none());
    }

    fn recip_of_zero() -> E {
        super::super::recip(&super::super::sub(&c(1, 2), &c(1, 2)))
    }
}
