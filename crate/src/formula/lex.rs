//! Tokens of a formula: numbers, names, quoted words, marks and line ends.
//!
//! Lines end statements, but not inside brackets. Nom parsers over the text; nothing here fails: what is no
//! token is a problem with its place, and reading goes on behind it.

use super::Problem;
use crate::base::Span;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{not, opt, peek, recognize};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, pow};

/// Digits that a number may have, and the largest power of ten.
const DIGITS: usize = 400;

/// One token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A decimal number, and whether it is written as a whole one.
    Number(BigRational, bool),
    Name(&'a str),
    Text(&'a str),
    Mark(&'static str),
    Line,
    End,
}

/// A token and its place.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed<'a> {
    pub(super) token: Token<'a>,
    pub(super) span: Span,
}

/// Longer marks first.
const MARKS: [&str; 37] = [
    "...", "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "..", "+", "-", "*", "/",
    "%", "@", "<", ">", "=", "(", ")", "[", "]", ",", ":", ";", ".", "&", "|", "^", "~", "{", "}",
];

/// All tokens of a text; the last is [`Token::End`].
pub(super) fn lex(text: &str) -> (Vec<Placed<'_>>, Vec<Problem>) {
    let (mut tokens, mut problems) = (Vec::new(), Vec::new());
    let mut rest = text;
    let mut depth = 0usize;
    loop {
        rest = skip(rest);
        let start = text.len() - rest.len();
        if rest.is_empty() {
            tokens.push(Placed { token: Token::End, span: Span::new(start, start) });
            return (tokens, problems);
        }
        let (after, token) = match token(rest) {
            Ok(found) => found,
            Err(_) => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                let shown = &rest[..length];
                let problem = match shown {
                    "'" | "\"" => "this text is never closed".to_owned(),
                    _ => format!("`{shown}` has no meaning in a formula"),
                };
                problems.push(Problem::new(Span::new(start, start + length), problem));
                rest = &rest[length..];
                continue;
            }
        };
        let span = Span::new(start, text.len() - after.len());
        rest = after;
        match token {
            Token::Mark("(" | "[" | "{") => depth += 1,
            Token::Mark(")" | "]" | "}") => depth = depth.saturating_sub(1),
            Token::Line if depth > 0 => continue,
            _ => {}
        }
        if let Token::Number(..) = token
            && (span.end - span.start) as usize > DIGITS
        {
            problems.push(Problem::new(span, format!("a number has at most {DIGITS} digits")));
        }
        tokens.push(Placed { token, span });
    }
}

/// Skips blanks, comments, and line ends behind a backslash.
fn skip(mut text: &str) -> &str {
    loop {
        let next = text.trim_start_matches([' ', '\t', '\r', '\u{a0}', '\u{feff}']);
        let next = match next.strip_prefix('#') {
            Some(comment) => comment.trim_start_matches(|c| c != '\n'),
            None => next,
        };
        let next = next.strip_prefix("\\\n").or_else(|| next.strip_prefix("\\\r\n")).unwrap_or(next);
        if next.len() == text.len() {
            return next;
        }
        text = next;
    }
}

fn token(text: &str) -> IResult<&str, Token<'_>> {
    alt((line, number, name, quoted, mark)).parse(text)
}

fn line(text: &str) -> IResult<&str, Token<'_>> {
    char('\n').map(|_| Token::Line).parse(text)
}

fn name(text: &str) -> IResult<&str, Token<'_>> {
    let start = |c: char| c.is_alphabetic() || c == '_';
    let more = |c: char| c.is_alphanumeric() || c == '_';
    recognize(pair(take_while1(start), take_while(more))).map(Token::Name).parse(text)
}

fn quoted(text: &str) -> IResult<&str, Token<'_>> {
    let within =
        |quote: char| delimited(char(quote), take_till(move |c| c == quote || c == '\n'), char(quote));
    alt((within('\''), within('"'))).map(Token::Text).parse(text)
}

fn mark(text: &str) -> IResult<&str, Token<'_>> {
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(found) => Ok((&text[found.len()..], Token::Mark(found))),
        None => tag("+").map(|_| Token::Mark("+")).parse(text),
    }
}

fn digits(text: &str) -> IResult<&str, &str> {
    recognize(pair(digit1, take_while(|c: char| c.is_ascii_digit() || c == '_'))).parse(text)
}

/// `12`, `1_000`, `0.5`, `.5`, `2.`, `1e-5`; of `0..3` only the 0.
fn number(text: &str) -> IResult<&str, Token<'_>> {
    let fraction = || preceded(pair(char('.'), peek(not(char('.')))), opt(digits));
    let (rest, (whole, part, point)) = alt((
        pair(digits, opt(fraction())).map(|(whole, part)| (whole, part.flatten(), part.is_some())),
        preceded(char('.'), digits).map(|part| ("0", Some(part), true)),
    ))
    .parse(text)?;
    let exponent = preceded(one_of("eE"), pair(opt(one_of("+-")), digits));
    let (rest, exponent) = opt(exponent).parse(rest)?;
    let is_whole = !point && exponent.is_none();
    Ok((rest, Token::Number(value(whole, part.unwrap_or(""), exponent), is_whole)))
}

fn value(whole: &str, part: &str, exponent: Option<(Option<char>, &str)>) -> BigRational {
    let clean = |text: &str| text.replace('_', "");
    let (whole, part) = (clean(whole), clean(part));
    // Too many digits are refused by whoever sees the length; their value does not matter.
    let kept: String = whole.chars().chain(part.chars()).take(DIGITS).collect();
    let digits = BigInt::from_str_radix(&kept, 10).unwrap_or_default();
    let mut power = -(part.len().min(DIGITS) as i64);
    if let Some((sign, text)) = exponent {
        let size = clean(text).parse::<i64>().unwrap_or(i64::MAX).min(DIGITS as i64);
        power += if sign == Some('-') { -size } else { size };
    }
    let scale = pow(BigInt::from(10), power.unsigned_abs() as usize);
    match power < 0 {
        true => BigRational::new(digits, scale),
        false => BigRational::from_integer(digits * scale),
    }
}

/// A number as people write it: the shortest decimal that stands for it.
pub fn decimal(value: f64) -> Option<super::Number> {
    if value.is_infinite() {
        return Some(if value > 0.0 { super::Number::Infinity } else { super::Number::MinusInfinity });
    }
    let text = format!("{:e}", value.abs());
    let (_, Token::Number(size, _)) = number(&text).ok()? else { return None };
    Some(super::Number::Rational(if value < 0.0 { -size } else { size }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        let numbers = lex(text).0.into_iter().filter_map(|placed| match placed.token {
            Token::Number(value, _) => Some(value.to_string()),
            _ => None,
        });
        numbers.collect()
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(
            numbers("12 1_000 0.5 .25 2. 1e-5 1.5E+2"),
            ["12", "1000", "1/2", "1/4", "2", "1/100000", "150"]
        );
        assert_eq!(numbers("0..3"), ["0", "3"]);
    }

    #[test]
    fn lines_end_statements_outside_brackets() {
        let lines = |text: &str| lex(text).0.iter().filter(|placed| placed.token == Token::Line).count();
        assert_eq!(lines("a = (1 +\n 2)\nb = 3 \\\n + 1\n# a comment\n"), 3);
    }

    #[test]
    fn what_is_no_token_is_named() {
        let problems =
            |text: &str| -> Vec<String> { lex(text).1.into_iter().map(|problem| problem.message).collect() };
        assert_eq!(problems("a = b ? c"), ["`?` has no meaning in a formula"]);
        assert_eq!(problems("a = 'b"), ["this text is never closed"]);
        assert_eq!(problems("a ≤ b"), ["`≤` has no meaning in a formula"]);
    }
}
