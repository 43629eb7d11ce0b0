//! Tokens: the words, numbers and strings of PTX, and what stands between them.
//!
//! Nom parsers over byte slices. There is no token stream: each parser looks at the bytes where a
//! token may start and gives back what is left, so a token costs no allocation and no second look.
//! The rest of the grammar calls [`trivia`] after each token, so every parser here starts at a
//! token's first byte.
//!
//! [`trivia`] stops *before* a comment that never ends; whatever is expected next then fails there,
//! and the report (`recover`) recognizes the comment. So no parser needs to say that comments end.
//!
//! Source: PTX ISA 9.0, §4.1 (source format), §4.4 (identifiers), §4.5 (constants).

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while_m_n, take_while1};
use nom::character::complete::{digit0, digit1, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::pair;
use nom::{IResult, Parser};

use super::ast::Literal;
use super::recover::{Fault, Problem};

/// What is left of the text.
pub(super) type Input<'a> = &'a [u8];

/// A parser's result: what is left and what was read, or where it failed and why.
pub(super) type Step<'a, T> = IResult<Input<'a>, T, Fault<'a>>;

const START: u8 = 1;
const CONTINUE: u8 = 2;
const SUFFIX: u8 = 4;

/// What each byte may be in a word.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let at = byte as u8;
        if at.is_ascii_alphabetic() || at == b'_' || at == b'$' {
            classes[byte] = START | CONTINUE | SUFFIX;
        } else if at.is_ascii_digit() {
            classes[byte] = CONTINUE | SUFFIX;
        } else if at == b'%' {
            classes[byte] = START;
        }
        byte += 1;
    }
    classes
};

/// Whether a word can start with this byte: `a`, `_`, `$`, `%`.
#[inline]
pub(super) fn starts_word(byte: u8) -> bool {
    CLASSES[byte as usize] & START != 0
}

/// Whether a word can go on with this byte.
#[inline]
pub(super) fn continues_word(byte: u8) -> bool {
    CLASSES[byte as usize] & CONTINUE != 0
}

/// Skips spaces, comments and preprocessor lines.
#[inline]
pub(super) fn trivia(mut input: Input<'_>) -> Input<'_> {
    loop {
        match input {
            [b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, rest @ ..] => input = rest,
            [b'/', b'/' | b'*', ..] | [b'#', ..] => match comment(input) {
                Ok((rest, _)) => input = rest,
                Err(_) => return input,
            },
            _ => return input,
        }
    }
}

/// One comment or preprocessor line.
#[inline(never)]
pub(super) fn comment(input: Input<'_>) -> Step<'_, ()> {
    let line = recognize(pair(alt((tag("//"), tag("#"))), take_till(|byte| byte == b'\n')));
    let block = recognize((tag("/*"), take_until("*/"), tag("*/")));
    let (rest, _) = alt((line, block)).parse(input)?;
    Ok((rest, ()))
}

/// An identifier: `%rd1`, `$L__BB0_2`, `s$1`, `_Z3fooPf`, or the sink `_`.
#[inline]
pub(super) fn word(input: Input<'_>) -> Option<(Input<'_>, usize)> {
    let first = *input.first()?;
    if !starts_word(first) {
        return None;
    }
    let length = 1 + input[1..].iter().take_while(|byte| continues_word(**byte)).count();
    if length == 1 && first == b'%' {
        return None;
    }
    Some((&input[length..], length))
}

/// What follows an opcode's or directive's base name without a space: `.async.cg.L2::128B`.
/// Gives the number of bytes; stops before anything that is not a whole suffix.
#[inline]
pub(super) fn suffixes(input: Input<'_>) -> usize {
    let mut length = 0;
    while let [b'.', byte, ..] = input[length..] {
        if CLASSES[byte as usize] & SUFFIX == 0 {
            break;
        }
        length += 2;
        loop {
            length += input[length..].iter().take_while(|byte| continues_word(**byte)).count();
            match input[length..] {
                [b':', b':', byte, ..] if continues_word(byte) => length += 3,
                _ => break,
            }
        }
    }
    length
}

/// An unsigned number in any of the spellings of PTX. A word right after it is a fault.
pub(super) fn number(input: Input<'_>) -> Step<'_, Literal> {
    let (rest, literal) = match input {
        [b'0', b'f' | b'F', ..] => {
            let (rest, bits) = exact_bits(input, 8, "`0f` and 8 hexadecimal digits")?;
            (rest, Literal::F32(bits as u32))
        }
        [b'0', b'd' | b'D', ..] => {
            let (rest, bits) = exact_bits(input, 16, "`0d` and 16 hexadecimal digits")?;
            (rest, Literal::F64(bits))
        }
        [b'0', b'x' | b'X' | b'b' | b'B', ..] => integer(input)?,
        [b'0'..=b'9' | b'.', ..] => {
            if is_float(input) {
                float(input)?
            } else {
                integer(input)?
            }
        }
        _ => return Err(Fault::expected(input, "a number")),
    };
    match rest {
        [byte, ..] if continues_word(*byte) => Err(Fault::expected(input, "a number")),
        _ => Ok((rest, literal)),
    }
}

/// The bits of a float: exactly `count` hexadecimal digits after two bytes of prefix.
fn exact_bits<'a>(input: Input<'a>, count: usize, what: &'static str) -> Step<'a, u64> {
    let digits = take_while_m_n::<_, _, Fault<'_>>(count, count, |byte: u8| byte.is_ascii_hexdigit());
    match { digits }.parse(&input[2..]) {
        Ok((rest, digits)) if !rest.first().is_some_and(|byte| continues_word(*byte)) => {
            Ok((rest, value(digits, 16).unwrap_or(0)))
        }
        _ => Err(Fault::expected(input, what)),
    }
}

/// Whether a decimal point or an exponent follows the leading digits.
fn is_float(input: Input<'_>) -> bool {
    let digits = input.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match input[digits..] {
        [b'.', ..] => true,
        [b'e' | b'E', byte, ..] => byte.is_ascii_digit() || byte == b'+' || byte == b'-',
        _ => false,
    }
}

/// `1.0`, `.5`, `2.`, `1e-3`
fn float(input: Input<'_>) -> Step<'_, Literal> {
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let mantissa = alt((recognize((digit1, opt(pair(tag("."), digit0)))), recognize(pair(tag("."), digit1))));
    let (rest, text) = recognize(pair(mantissa, opt(exponent)))
        .parse(input)
        .map_err(|_: nom::Err<Fault<'_>>| Fault::expected(input, "a number"))?;
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    match number {
        Some(number) if number.is_finite() => Ok((rest, Literal::F64(number.to_bits()))),
        _ => Err(nom::Err::Error(Fault::new(input, Problem::Range("a 64-bit float")))),
    }
}

/// `12`, `0x1F`, `0b101`, `017`, each with an optional `U`.
fn integer(input: Input<'_>) -> Step<'_, Literal> {
    let (radix, digits) = match input {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', b'b' | b'B', digits @ ..] => (2, digits),
        [b'0', b'0'..=b'9', ..] => (8, &input[1..]),
        _ => (10, input),
    };
    let (rest, digits) = take_while1(|byte: u8| (byte as char).is_digit(radix))
        .parse(digits)
        .map_err(|_: nom::Err<Fault<'_>>| Fault::expected(input, "a number"))?;
    let Some(bits) = value(digits, radix) else {
        return Err(nom::Err::Error(Fault::new(input, Problem::Range("64 bits"))));
    };
    let (rest, suffix) = match rest {
        [b'U', rest @ ..] => (rest, true),
        _ => (rest, false),
    };
    Ok((rest, Literal::Integer { bits, unsigned: suffix || i64::try_from(bits).is_err() }))
}

/// The value of some digits; `None` beyond 64 bits.
fn value(digits: Input<'_>, radix: u32) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, byte| {
        let digit = (*byte as char).to_digit(radix)?;
        value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}

/// A string; gives what stands between the quotes, as written. Strings end on the line they start.
pub(super) fn string(input: Input<'_>) -> Step<'_, Input<'_>> {
    let Ok((inside, _)) = tag::<_, _, Fault<'_>>("\"").parse(input) else {
        return Err(Fault::expected(input, "a string"));
    };
    let mut length = 0;
    loop {
        match inside[length..] {
            [b'"', ..] => return Ok((&inside[length + 1..], &inside[..length])),
            [b'\\', byte, ..] if byte != b'\n' => length += 2,
            [] | [b'\n', ..] => return Err(nom::Err::Error(Fault::new(input, Problem::OpenString))),
            _ => length += 1,
        }
    }
}

/// Past the `}` that ends a section of debugging data, and what stands before it, as written;
/// comments and strings may hold braces. `open` is where the section's `{` stands.
pub(super) fn section_body<'a>(open: Input<'a>, input: Input<'a>) -> Step<'a, Input<'a>> {
    let mut rest = input;
    loop {
        rest = match rest {
            [] => return Err(nom::Err::Error(Fault::new(open, Problem::OpenBrace))),
            [b'}', ..] => return Ok((&rest[1..], &input[..input.len() - rest.len()])),
            [b'"', ..] => string(rest)?.0,
            [b'/', b'/' | b'*', ..] => match comment(rest) {
                Ok((after, ())) => after,
                Err(_) => return Err(nom::Err::Error(Fault::new(rest, Problem::OpenBrace))),
            },
            _ => &rest[1..],
        }
    }
}

/// Past the token that stands here, or past one byte; for skipping after an error.
pub(super) fn skip_token(input: Input<'_>) -> Input<'_> {
    if let Some((rest, _)) = word(input) {
        return rest;
    }
    match input {
        [b'"', ..] => string(input).map_or_else(|_| line_end(input), |(rest, _)| rest),
        [b'.', ..] => &input[suffixes(input).max(1)..],
        [b'0'..=b'9', ..] => {
            let length = input.iter().take_while(|byte| continues_word(**byte) || **byte == b'.').count();
            &input[length..]
        }
        _ => input.get(1..).unwrap_or(&[]),
    }
}

/// From the end of the line on.
pub(super) fn line_end(input: Input<'_>) -> Input<'_> {
    &input[input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len())..]
}
