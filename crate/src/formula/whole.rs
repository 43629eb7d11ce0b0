//! Whole numbers that a spec writes as expressions: `(N + block - 1) // block`, and conditions on them.
//!
//! The text is read by the parser of formulas, so there is one language; what is evaluated is the part of it
//! that makes integers of integers: `+ - * // % **`, `min`, `max`, `abs`, comparisons, `and`, `or`, `not`,
//! `a if c else b`. Division and remainder round down, as in Python. Values have 64 bits, and one that does not
//! fit is a [`Problem`], as is a division by zero: no text panics, and the time is that of the text's length.

use super::Problem;
use super::parse::{BEFORE, condition};
use super::tree::{Argument, Expression, Kind, Operator, Program, Sign};
use crate::base::{Span, nearest};
use num_traits::ToPrimitive;

/// What names stand for.
pub type Names<'a> = &'a [(String, i64)];

/// An expression over integers.
#[derive(Clone, Debug)]
pub struct Whole {
    program: Program,
}

#[derive(Clone, Copy)]
enum Value {
    Number(i64),
    Truth(bool),
}

impl Whole {
    /// Reads an expression.
    pub fn parse(text: &str) -> Result<Whole, Problem> {
        if text.trim().is_empty() {
            return Err(Problem::new(Span::default(), "the expression is empty"));
        }
        let (program, problems) = condition(text);
        match problems.into_iter().next() {
            Some(problem) => {
                let message = problem.message.replace("a contract is one condition", "it is one expression");
                Err(Problem { message: message.replace("the condition", "the expression"), ..problem })
            }
            None if program.statements.is_empty() => {
                Err(Problem::new(Span::default(), "the expression is empty"))
            }
            None => Ok(Whole { program }),
        }
    }

    /// The names that it mentions.
    pub fn names(&self) -> Vec<&str> {
        self.program.mentions()
    }

    /// How many steps its evaluation takes at most.
    pub fn steps(&self) -> usize {
        let mut open = vec![self.expression()];
        let mut count = 0;
        while let Some(expression) = open.pop() {
            count += 1;
            open.extend(expression.parts());
        }
        count
    }

    /// Its value.
    pub fn number(&self, names: Names<'_>) -> Result<i64, Problem> {
        number(self.expression(), names)
    }

    /// Whether it holds.
    pub fn holds(&self, names: Names<'_>) -> Result<bool, Problem> {
        truth(self.expression(), names)
    }

    /// What it is made of.
    pub fn expression(&self) -> &Expression {
        &self.program.statements[0].value
    }
}

fn number(expression: &Expression, names: Names<'_>) -> Result<i64, Problem> {
    match value(expression, names)? {
        Value::Number(number) => Ok(number),
        Value::Truth(_) => Err(problem(expression, "a number is needed here, and this is true or false")),
    }
}

fn truth(expression: &Expression, names: Names<'_>) -> Result<bool, Problem> {
    match value(expression, names)? {
        Value::Truth(truth) => Ok(truth),
        Value::Number(_) => Err(problem(expression, "a condition is needed here, and this is a number")
            .note("compare it: `N % 4 == 0`")),
    }
}

#[cold]
fn problem(expression: &Expression, message: impl Into<String>) -> Problem {
    let to = |at: u32| at.saturating_sub(BEFORE.len() as u32);
    Problem::new(Span { start: to(expression.span.start), end: to(expression.span.end) }, message)
}

#[cold]
fn unknown(expression: &Expression, name: &str, names: Names<'_>) -> Problem {
    let problem = problem(expression, format!("`{name}` is not the name of a known integer"));
    let known = names.iter().map(|(name, _)| name.as_str());
    match nearest(name, known.clone()) {
        Some(near) => problem.note(format!("did you mean `{near}`?")),
        None if names.is_empty() => problem.note(format!(
            "give it a value: `{name} = 64` under [scalars], or `{name} = \"1..65\"` under [sweep]"
        )),
        None => {
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            problem.note(format!(
                "known are {}: the names under [sweep] and the integers under [scalars]",
                known.join(", ")
            ))
        }
    }
}

fn value(expression: &Expression, names: Names<'_>) -> Result<Value, Problem> {
    let number_of = |expression: &Expression| number(expression, names);
    let truth_of = |expression: &Expression| truth(expression, names);
    let checked = |value: Option<i64>| {
        value.map(Value::Number).ok_or_else(|| problem(expression, "the value does not fit in 64 bits"))
    };
    match &expression.kind {
        Kind::Number(number, true) => checked(number.to_integer().to_i64()),
        Kind::Number(..) => Err(problem(expression, "only whole numbers have a meaning here")),
        Kind::Name(name) => match names.iter().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(Value::Number(*value)),
            None => Err(unknown(expression, name, names)),
        },
        Kind::Unary(Sign::Not, inner) => Ok(Value::Truth(!truth_of(inner)?)),
        Kind::Unary(Sign::Minus, inner) => checked(number_of(inner)?.checked_neg()),
        Kind::Unary(Sign::Plus, inner) => number_of(inner).map(Value::Number),
        Kind::If(condition, yes, no) => value(if truth_of(condition)? { yes } else { no }, names),
        Kind::Binary(Operator::And, a, b) => Ok(Value::Truth(truth_of(a)? && truth_of(b)?)),
        Kind::Binary(Operator::Or, a, b) => Ok(Value::Truth(truth_of(a)? || truth_of(b)?)),
        Kind::Binary(operator, a, b) => {
            let (a, b) = (number_of(a)?, number_of(b)?);
            let divides = matches!(operator, Operator::FloorDivide | Operator::Remainder);
            if divides && b == 0 {
                return Err(problem(expression, "this divides by zero"));
            }
            match operator {
                Operator::Add => checked(a.checked_add(b)),
                Operator::Subtract => checked(a.checked_sub(b)),
                Operator::Multiply => checked(a.checked_mul(b)),
                Operator::FloorDivide => checked(floor_divide(a, b)),
                Operator::Remainder => {
                    let rest = i128::from(a).rem_euclid(i128::from(b).abs());
                    // It has the divisor's sign.
                    let rest = if b < 0 && rest != 0 { rest + i128::from(b) } else { rest };
                    checked(i64::try_from(rest).ok())
                }
                Operator::Power => checked(u32::try_from(b).ok().and_then(|power| a.checked_pow(power))),
                Operator::Divide => {
                    Err(problem(expression, "`/` makes fractions; whole numbers are divided by `//`"))
                }
                Operator::Less => Ok(Value::Truth(a < b)),
                Operator::LessEqual => Ok(Value::Truth(a <= b)),
                Operator::Greater => Ok(Value::Truth(a > b)),
                Operator::GreaterEqual => Ok(Value::Truth(a >= b)),
                Operator::Equal => Ok(Value::Truth(a == b)),
                Operator::NotEqual => Ok(Value::Truth(a != b)),
                _ => Err(unusable(expression)),
            }
        }
        Kind::Call(function, arguments) => call(expression, &function.text, arguments, names),
        _ => Err(unusable(expression)),
    }
}

#[cold]
fn unusable(expression: &Expression) -> Problem {
    problem(expression, "this makes no whole number").note(
        "expressions have `+ - * // % **`, `min`, `max`, `abs`, comparisons, `and`, `or`, `not` and `a if c else b`",
    )
}

fn call(
    expression: &Expression,
    function: &str,
    arguments: &[Argument],
    names: Names<'_>,
) -> Result<Value, Problem> {
    if arguments.iter().any(|argument| argument.name.is_some()) {
        return Err(unusable(expression));
    }
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        values.push(number(&argument.value, names)?);
    }
    let value = match (function, &values[..]) {
        ("min", [_, ..]) => values.iter().copied().min(),
        ("max", [_, ..]) => values.iter().copied().max(),
        ("abs", [value]) => value.checked_abs(),
        _ => return Err(unusable(expression)),
    };
    value.map(Value::Number).ok_or_else(|| problem(expression, "the value does not fit in 64 bits"))
}

fn floor_divide(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let exact = quotient.wrapping_mul(b) == a;
    Some(if !exact && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<(String, i64)> {
        [("N", 100), ("block", 32), ("zero", 0)].map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn number(text: &str) -> Result<i64, String> {
        Whole::parse(text).and_then(|whole| whole.number(&names())).map_err(|problem| problem.message)
    }

    fn holds(text: &str) -> Result<bool, String> {
        Whole::parse(text).and_then(|whole| whole.holds(&names())).map_err(|problem| problem.message)
    }

    #[test]
    fn integers_are_those_of_python() {
        let cases = [
            ("(N + block - 1) // block", 4),
            ("2*N", 200),
            ("-7 // 2", -4),
            ("-7 % 2", 1),
            ("7 % -2", -1),
            ("-8 // 2", -4),
            ("7 // -2", -4),
            ("6 % -2", 0),
            ("2 ** 10", 1024),
            ("min(N, block, 7)", 7),
            ("max(N, 128)", 128),
            ("abs(-5)", 5),
            ("1 if N % block == 0 else 2", 2),
            ("1_000", 1000),
        ];
        for (text, value) in cases {
            assert_eq!(number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn conditions_stop_where_they_are_decided() {
        assert_eq!(holds("zero != 0 and N % zero == 0"), Ok(false));
        assert_eq!(holds("zero == 0 or N % zero == 0"), Ok(true));
        assert_eq!(holds("0 < block <= 32 and not N < 100"), Ok(true));
    }

    #[test]
    fn what_has_no_value_says_why() {
        let cases = [
            ("M + 1", "`M` is not the name of a known integer"),
            ("N // zero", "this divides by zero"),
            ("N % zero", "this divides by zero"),
            ("9223372036854775807 + 1", "the value does not fit in 64 bits"),
            ("(-9223372036854775807 - 1) // -1", "the value does not fit in 64 bits"),
            ("10 ** 40", "the value does not fit in 64 bits"),
            ("2 ** -1", "the value does not fit in 64 bits"),
            ("99999999999999999999", "the value does not fit in 64 bits"),
            ("N / 2", "`/` makes fractions; whole numbers are divided by `//`"),
            ("N > 2", "a number is needed here, and this is true or false"),
            ("0.5", "only whole numbers have a meaning here"),
            ("sum(N)", "this makes no whole number"),
            ("min()", "this makes no whole number"),
            ("", "the expression is empty"),
            ("N +", "expected a value, found the end of the expression"),
            ("N = 3", "expected `)`, found `=`"),
        ];
        for (text, message) in cases {
            assert_eq!(number(text), Err(message.to_owned()), "{text}");
        }
        assert_eq!(holds("N"), Err("a condition is needed here, and this is a number".to_owned()));
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(100_000), "9".repeat(100_000)] {
            assert!(number(&text).is_err());
        }
    }
}
