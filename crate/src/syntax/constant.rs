//! Constant expressions: numbers, and what PTX can compute from them while assembling.
//!
//! Compilers write plain numbers, at most with a minus; that path is short. The general one is
//! precedence climbing over C's operators. Integers are 64-bit two's complement, signed unless
//! marked otherwise; an operation is unsigned if one side is (shifts: if the left side is; `~ & ^ |`:
//! always), comparisons and logic give signed 0 or 1. Arithmetic with a float is in f64.
//!
//! `WARP_SZ` is the number 32.
//!
//! Misses: the value of overflowing signed division (wraps here).
//!
//! Source: PTX ISA 9.0, §4.5.3–4.5.6.

use super::ast::Literal;
use super::grammar::Grammar;
use super::lex::{self, Input, Step};
use super::recover::{Fault, Problem};

/// Binary operators with their precedence, longest spelling first.
const OPERATORS: [(&str, u8, Operator); 18] = [
    ("<<", 8, Operator::ShiftLeft),
    (">>", 8, Operator::ShiftRight),
    ("<=", 7, Operator::LessEqual),
    (">=", 7, Operator::GreaterEqual),
    ("==", 6, Operator::Equal),
    ("!=", 6, Operator::NotEqual),
    ("&&", 2, Operator::And),
    ("||", 1, Operator::Or),
    ("*", 10, Operator::Multiply),
    ("/", 10, Operator::Divide),
    ("%", 10, Operator::Remainder),
    ("+", 9, Operator::Add),
    ("-", 9, Operator::Subtract),
    ("<", 7, Operator::Less),
    (">", 7, Operator::Greater),
    ("&", 5, Operator::BitAnd),
    ("^", 4, Operator::BitXor),
    ("|", 3, Operator::BitOr),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl<'a> Grammar<'a> {
    /// A number or an expression over numbers, as its value.
    #[inline]
    pub(super) fn constant(&mut self, input: Input<'a>) -> Step<'a, Literal> {
        let (rest, literal) = self.primary(input)?;
        match rest {
            [b',' | b';' | b']' | b'}' | b')', ..] => Ok((rest, literal)),
            _ => self.climb(rest, literal, 0),
        }
    }

    /// A whole number as an offset or extent: the bits of a 64-bit integer.
    pub(super) fn integer(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, u64> {
        match self.constant(input) {
            Ok((rest, Literal::Integer { bits, .. })) => Ok((rest, bits)),
            Ok(_) => Err(Fault::expected(input, what)),
            Err(nom::Err::Error(fault)) if fault.at.len() == input.len() => {
                let problem = match fault.problem {
                    Problem::Expected(_) => Problem::Expected(what),
                    other => other,
                };
                Err(nom::Err::Error(Fault::new(input, problem)))
            }
            Err(error) => Err(error),
        }
    }

    /// A number with its signs, a cast, or parentheses.
    #[inline]
    fn primary(&mut self, input: Input<'a>) -> Step<'a, Literal> {
        match input {
            [b'-', after @ ..] => {
                let after = self.advance(after);
                let (rest, literal) = self.operand_of_unary(after)?;
                Ok((rest, negate(literal)))
            }
            [b'+', after @ ..] => {
                let after = self.advance(after);
                self.operand_of_unary(after)
            }
            [b'~' | b'!', after @ ..] => {
                let after = self.advance(after);
                let (rest, literal) = self.operand_of_unary(after)?;
                let Literal::Integer { bits, .. } = literal else {
                    return Err(Fault::expected(after, "a whole number"));
                };
                let value = if input[0] == b'~' { unsigned(!bits) } else { truth(bits == 0) };
                Ok((rest, value))
            }
            [b'(', after @ ..] => {
                let after = self.advance(after);
                self.parentheses(input, after)
            }
            _ => self.number_or_warp_size(input),
        }
    }

    fn number_or_warp_size(&mut self, input: Input<'a>) -> Step<'a, Literal> {
        match warp_size(input) {
            Some(rest) => Ok((self.advance(rest), Literal::Integer { bits: 32, unsigned: false })),
            None => self.number(input),
        }
    }

    fn operand_of_unary(&mut self, input: Input<'a>) -> Step<'a, Literal> {
        match input {
            [b'-' | b'+' | b'~' | b'!' | b'(', ..] => self.deeper(input, |this| this.primary(input)),
            _ => self.number_or_warp_size(input),
        }
    }

    /// What stands after an opening parenthesis: `.s64) 5`, `.u64) 5` or `1 + 2)`.
    fn parentheses(&mut self, open: Input<'a>, input: Input<'a>) -> Step<'a, Literal> {
        if let Some((rest, ty)) = self.directive(input) {
            let signed = match ty {
                "s64" => true,
                "u64" => false,
                _ => return Err(Fault::expected(input, "`.s64` or `.u64`")),
            };
            let (rest, ()) = self.punctuation(rest, b')', "`)`")?;
            let (after, literal) = self.operand_of_unary(rest)?;
            let Literal::Integer { bits, .. } = literal else {
                return Err(Fault::expected(rest, "a whole number"));
            };
            return Ok((after, Literal::Integer { bits, unsigned: !signed }));
        }
        let (rest, literal) = self.deeper(open, |this| this.constant(input))?;
        let (rest, ()) = self.punctuation(rest, b')', "`)`")?;
        Ok((rest, literal))
    }

    /// Operators of at least the given precedence after `left`.
    fn climb(&mut self, input: Input<'a>, left: Literal, least: u8) -> Step<'a, Literal> {
        let (mut rest, mut left) = (input, left);
        while let Some((spelling, precedence, operator)) = operator_at(rest, least) {
            let after = self.advance(&rest[spelling.len()..]);
            let (mut next, mut right) = self.primary(after)?;
            if operator_at(next, precedence + 1).is_some() {
                (next, right) = self.deeper(rest, |this| this.climb(next, right, precedence + 1))?;
            }
            left = match apply(operator, left, right) {
                Ok(value) => value,
                Err(problem) => return Err(nom::Err::Error(Fault::new(after, problem))),
            };
            rest = next;
        }
        if least > 0 || !rest.starts_with(b"?") {
            return Ok((rest, left));
        }
        let yes = self.advance(&rest[1..]);
        let (colon, yes) = self.deeper(rest, |this| this.constant(yes))?;
        let (no, ()) = self.punctuation(colon, b':', "`:`")?;
        let (rest, no) = self.deeper(rest, |this| this.constant(no))?;
        match left {
            Literal::Integer { bits, .. } => Ok((rest, if bits != 0 { yes } else { no })),
            _ => Err(Fault::expected(input, "a whole number before `?`")),
        }
    }
}

/// What stands behind `WARP_SZ`, if that stands here.
pub(super) fn warp_size(input: Input<'_>) -> Option<Input<'_>> {
    input.strip_prefix(b"WARP_SZ").filter(|rest| !rest.first().is_some_and(|byte| lex::continues_word(*byte)))
}

/// The binary operator that stands here, if it binds at least as tightly as `least`.
fn operator_at(input: Input<'_>, least: u8) -> Option<(&'static str, u8, Operator)> {
    // `5 %r1`: a register where a comma is missing, not a remainder.
    if let [b'%', byte, ..] = input
        && lex::starts_word(*byte)
    {
        return None;
    }
    let found = OPERATORS.iter().find(|(spelling, ..)| input.starts_with(spelling.as_bytes()))?;
    (found.1 >= least).then_some(*found)
}

/// The number with the other sign.
fn negate(literal: Literal) -> Literal {
    match literal {
        // 2⁶³ fits only unsigned, its negation only signed.
        Literal::Integer { bits, unsigned } => {
            Literal::Integer { bits: bits.wrapping_neg(), unsigned: unsigned && bits != i64::MIN as u64 }
        }
        Literal::F32(bits) => Literal::F32(bits ^ 1 << 31),
        Literal::F64(bits) => Literal::F64(bits ^ 1 << 63),
    }
}

fn unsigned(bits: u64) -> Literal {
    Literal::Integer { bits, unsigned: true }
}

fn truth(value: bool) -> Literal {
    Literal::Integer { bits: u64::from(value), unsigned: false }
}

fn apply(operator: Operator, left: Literal, right: Literal) -> Result<Literal, Problem> {
    match (left, right) {
        (
            Literal::Integer { bits: a, unsigned: left_unsigned },
            Literal::Integer { bits: b, unsigned: right_unsigned },
        ) => integers(operator, a, b, left_unsigned, left_unsigned || right_unsigned),
        _ => floats(operator, float(left), float(right)),
    }
}

fn float(literal: Literal) -> f64 {
    match literal {
        Literal::Integer { bits, unsigned: true } => bits as f64,
        Literal::Integer { bits, unsigned: false } => bits as i64 as f64,
        Literal::F32(bits) => f64::from(f32::from_bits(bits)),
        Literal::F64(bits) => f64::from_bits(bits),
    }
}

fn floats(operator: Operator, a: f64, b: f64) -> Result<Literal, Problem> {
    use Operator::*;
    let value = match operator {
        Multiply => a * b,
        Divide => a / b,
        Add => a + b,
        Subtract => a - b,
        Less => return Ok(truth(a < b)),
        LessEqual => return Ok(truth(a <= b)),
        Greater => return Ok(truth(a > b)),
        GreaterEqual => return Ok(truth(a >= b)),
        Equal => return Ok(truth(a == b)),
        NotEqual => return Ok(truth(a != b)),
        Remainder | ShiftLeft | ShiftRight | BitAnd | BitXor | BitOr | And | Or => {
            return Err(Problem::Expected("whole numbers on both sides of this operator"));
        }
    };
    Ok(Literal::F64(value.to_bits()))
}

/// `left_unsigned` decides shifts, `wide` (one side is unsigned) everything else.
fn integers(operator: Operator, a: u64, b: u64, left_unsigned: bool, wide: bool) -> Result<Literal, Problem> {
    use Operator::*;
    let (signed_a, signed_b) = (a as i64, b as i64);
    let ordering = if wide { a.cmp(&b) } else { signed_a.cmp(&signed_b) };
    let bits = match operator {
        Multiply => a.wrapping_mul(b),
        Divide | Remainder if b == 0 => return Err(Problem::Division),
        Divide if wide => a / b,
        Divide => signed_a.wrapping_div(signed_b) as u64,
        Remainder if wide => a % b,
        Remainder => signed_a.wrapping_rem(signed_b) as u64,
        Add => a.wrapping_add(b),
        Subtract => a.wrapping_sub(b),
        BitAnd => return Ok(unsigned(a & b)),
        BitXor => return Ok(unsigned(a ^ b)),
        BitOr => return Ok(unsigned(a | b)),
        ShiftLeft => {
            let bits = if b < 64 { a << b } else { 0 };
            return Ok(Literal::Integer { bits, unsigned: left_unsigned });
        }
        ShiftRight if left_unsigned => return Ok(unsigned(if b < 64 { a >> b } else { 0 })),
        ShiftRight => (signed_a >> b.min(63)) as u64,
        Less => return Ok(truth(ordering.is_lt())),
        LessEqual => return Ok(truth(ordering.is_le())),
        Greater => return Ok(truth(ordering.is_gt())),
        GreaterEqual => return Ok(truth(ordering.is_ge())),
        Equal => return Ok(truth(a == b)),
        NotEqual => return Ok(truth(a != b)),
        And => return Ok(truth(a != 0 && b != 0)),
        Or => return Ok(truth(a != 0 || b != 0)),
    };
    let unsigned = if operator == ShiftRight { false } else { wide };
    Ok(Literal::Integer { bits, unsigned })
}
