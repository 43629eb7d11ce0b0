//! Expressions as terms of the tool, the way a kernel would have left them.

use super::{E, Expr, Op};
use crate::program::Dice;
use num_rational::BigRational;
use std::collections::HashMap;
use std::rc::Rc;
use warpproof::base::Format;
use warpproof::term::{Named, Relation, Term, Terms, Unary};

/// Appends an expression to a store. With `floats`, log₂ e and ln 2 are written as the floats that
/// compilers write, which the tool has to recognize.
pub fn build(terms: &mut Terms, expression: &E, floats: bool) -> Term {
    Builder { terms, floats, known: HashMap::new() }.term(expression)
}

/// Whether to write constants as floats, by chance.
pub fn as_floats(dice: &mut Dice) -> bool {
    dice.below(3) == 0
}

struct Builder<'a> {
    terms: &'a mut Terms,
    floats: bool,
    known: HashMap<*const Expr, Term>,
}

impl Builder<'_> {
    fn named(&mut self, name: Named, float: f32) -> Term {
        if self.floats {
            self.terms.number(Format::F32, float.to_bits().into())
        } else {
            self.terms.named(name)
        }
    }

    fn term(&mut self, expression: &E) -> Term {
        match &**expression {
            Expr::X(index) => Term::element(*index),
            Expr::C(value) => {
                self.terms.rational(BigRational::new((*value.numer()).into(), (*value.denom()).into()))
            }
            Expr::Log2E => self.named(Named::Log2E, std::f32::consts::LOG2_E),
            Expr::Ln2 => self.named(Named::Ln2, std::f32::consts::LN_2),
            Expr::Op(op, operands) => {
                let key = Rc::as_ptr(expression);
                if let Some(term) = self.known.get(&key) {
                    return *term;
                }
                let operands: Vec<Term> = operands.iter().map(|operand| self.term(operand)).collect();
                let term = self.operation(*op, &operands);
                self.known.insert(key, term);
                term
            }
        }
    }

    fn operation(&mut self, op: Op, on: &[Term]) -> Term {
        let terms = &mut *self.terms;
        match op {
            Op::Add => terms.add(on[0], on[1]),
            Op::Sub => terms.sub(on[0], on[1]),
            Op::Mul => terms.mul(on[0], on[1]),
            Op::Div => terms.div(on[0], on[1]),
            Op::Fma => terms.fma(on[0], on[1], on[2]),
            Op::Neg => terms.neg(on[0]),
            Op::Recip => terms.unary(Unary::Recip, on[0]),
            Op::Sqrt => terms.unary(Unary::Sqrt, on[0]),
            Op::Rsqrt => terms.unary(Unary::Rsqrt, on[0]),
            Op::Exp => terms.unary(Unary::Exp, on[0]),
            Op::Exp2 => terms.unary(Unary::Exp2, on[0]),
            Op::Log => terms.unary(Unary::Log, on[0]),
            Op::Log2 => terms.unary(Unary::Log2, on[0]),
            Op::Tanh => terms.unary(Unary::Tanh, on[0]),
            Op::Erf => terms.unary(Unary::Erf, on[0]),
            Op::Abs => terms.unary(Unary::Abs, on[0]),
            Op::Max => terms.max(on[0], on[1]),
            Op::Min => terms.min(on[0], on[1]),
            Op::Select => terms.select(on[0], on[1], on[2]),
            Op::Less => terms.compare(Relation::Less, on[0], on[1]),
            Op::LessEqual => terms.compare(Relation::LessEqual, on[0], on[1]),
            Op::And => terms.and(on[0], on[1]),
            Op::Or => terms.or(on[0], on[1]),
            Op::Not => terms.not(on[0]),
        }
    }
}
