//! Operands of instructions.
//!
//! One byte of look-ahead decides what an operand is. Only `(` depends on the instruction: a `call`
//! has lists of arguments and results there, everything else a constant expression.
//!
//! Source: PTX ISA 9.0, chapter 6 (operands), §9.7 for the forms of single instructions.

use super::ast::{Address, Coordinates, Name, Operand, OperandKind};
use super::constant::warp_size;
use super::grammar::Grammar;
use super::lex::{self, Input, Step};
use super::recover::Fault;

const OPERAND: &str = "an operand";

/// What an instruction's mnemonic means for its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Parentheses hold lists.
    Call,
    /// Parentheses hold constant expressions.
    Other,
}

impl<'a> Grammar<'a> {
    /// The operands of an instruction, up to its semicolon.
    pub(super) fn operands(&mut self, input: Input<'a>, form: Form) -> Step<'a, Vec<Operand>> {
        if input.starts_with(b";") {
            return Ok((input, Vec::new()));
        }
        let mut operands = Vec::with_capacity(4);
        let (rest, ()) = self.commas(input, |this, input| {
            let (rest, operand) = this.operand(input, form)?;
            operands.push(operand);
            Ok((rest, ()))
        })?;
        Ok((rest, operands))
    }

    /// One operand, or a pair of them: `p|q`.
    #[inline]
    fn operand(&mut self, input: Input<'a>, form: Form) -> Step<'a, Operand> {
        let (rest, first) = self.single(input, form)?;
        let Some(after) = self.take(rest, b'|') else { return Ok((rest, first)) };
        let (rest, second) = self.single(after, form)?;
        let kind = OperandKind::Pair(Box::new((first, second)));
        Ok((rest, Operand { span: self.span(input), kind }))
    }

    fn single(&mut self, input: Input<'a>, form: Form) -> Step<'a, Operand> {
        let (rest, kind) = match input {
            [b'W', ..] if warp_size(input).is_some() => self.literal(input)?,
            [byte, ..] if lex::starts_word(*byte) => self.named(input)?,
            [b'[', ..] => self.address(input)?,
            [b'{', ..] => {
                let (rest, elements) = self.enclosed(input, form, b'}', "`,` or `}`")?;
                (rest, OperandKind::Vector(elements))
            }
            [b'(', ..] if form == Form::Call => {
                let (rest, elements) = self.enclosed(input, form, b')', "`,` or `)`")?;
                (rest, OperandKind::List(elements))
            }
            [b'!', after @ ..] => {
                let after = self.advance(after);
                if after.first().is_some_and(|byte| lex::starts_word(*byte)) {
                    let (rest, name) = self.name(after, "a predicate")?;
                    (rest, OperandKind::Not(name))
                } else {
                    self.literal(input)?
                }
            }
            [b'-', after @ ..] if self.negates_name(after) => {
                let after = self.advance(after);
                let (rest, kind) = self.named(after)?;
                let inner = Operand { span: self.span(after), kind };
                (rest, OperandKind::Minus(Box::new(inner)))
            }
            [b'0'..=b'9' | b'-' | b'+' | b'~' | b'(', ..] | [b'.', b'0'..=b'9', ..] => self.literal(input)?,
            _ => return Err(Fault::expected(input, OPERAND)),
        };
        Ok((rest, Operand { span: self.span(input), kind }))
    }

    /// Whether a register follows a minus, and not a constant.
    fn negates_name(&self, after: Input<'a>) -> bool {
        let after = lex::trivia(after);
        after.first().is_some_and(|byte| lex::starts_word(*byte)) && warp_size(after).is_none()
    }

    #[inline]
    fn literal(&mut self, input: Input<'a>) -> Step<'a, OperandKind> {
        let (rest, literal) = self.constant(input)?;
        Ok((rest, OperandKind::Literal(literal)))
    }

    /// `_`, `%r1`, `%tid.x`, `symbol+8`, `symbol[4]`
    #[inline]
    fn named(&mut self, input: Input<'a>) -> Step<'a, OperandKind> {
        let Some((after, length)) = lex::word(input) else { return Err(Fault::expected(input, OPERAND)) };
        if length == 1 && input[0] == b'_' {
            return Ok((self.advance(after), OperandKind::Sink));
        }
        let name = self.names.intern(self.text(input, length));
        if let [b'.', byte, ..] = after
            && lex::continues_word(*byte)
        {
            let part = &after[1..];
            let length = part.iter().take_while(|byte| lex::continues_word(**byte)).count();
            let component = self.names.intern(self.text(part, length));
            return Ok((self.advance(&part[length..]), OperandKind::Component { name, component }));
        }
        // A space before the bracket is a forgotten comma.
        if after.starts_with(b"[") {
            return self.element(after, name);
        }
        let rest = self.advance(after);
        match rest {
            [b'+' | b'-', ..] => {
                let (rest, offset) = self.offset_of_name(rest)?;
                Ok((rest, OperandKind::Offset { name, offset }))
            }
            _ => Ok((rest, OperandKind::Name(name))),
        }
    }

    /// `[4]`, `[%r1]`, `[%r1+4]` after the name of an array.
    #[cold]
    fn element(&mut self, input: Input<'a>, name: Name) -> Step<'a, OperandKind> {
        let inside = self.advance(&input[1..]);
        let (rest, index, offset) = match inside {
            [byte, ..] if lex::starts_word(*byte) && warp_size(inside).is_none() => {
                let (rest, index) = self.name(inside, "an index")?;
                let (rest, offset) = self.offset_of_name(rest)?;
                (rest, Some(index), offset)
            }
            _ => {
                let (rest, bits) = self.integer(inside, "an index")?;
                (rest, None, bits as i64)
            }
        };
        let (rest, ()) = self.punctuation(rest, b']', "`+` or `]`")?;
        Ok((rest, OperandKind::Element { name, index, offset }))
    }

    /// `+8`, `-8`, `+-8`, `+4*2` after a name; 0 if there is none.
    #[inline]
    pub(super) fn offset_of_name(&mut self, input: Input<'a>) -> Step<'a, i64> {
        let from = match input {
            [b'+', after @ ..] => self.advance(after),
            // The minus is the first term's.
            [b'-', ..] => input,
            _ => return Ok((input, 0)),
        };
        let (rest, bits) = self.integer(from, "an offset in bytes")?;
        Ok((rest, bits as i64))
    }

    /// `[%rd1]`, `[%rd1+8]`, `[symbol]`, `[64]`, `[%rd1, {%r1, %r2}]`, `[%rd1].unified`
    fn address(&mut self, input: Input<'a>) -> Step<'a, OperandKind> {
        let inside = self.advance(&input[1..]);
        let (rest, base, offset) = match inside {
            [byte, ..] if lex::starts_word(*byte) => {
                let (rest, base) = self.name(inside, "an address")?;
                let (rest, offset) = self.offset_of_name(rest)?;
                (rest, Some(base), offset)
            }
            _ => {
                let (rest, bits) = self.integer(inside, "an address")?;
                (rest, None, bits as i64)
            }
        };
        let mut more = Vec::new();
        let mut rest = rest;
        if let Some(next) = self.take(rest, b',') {
            (rest, ()) = self.deeper(input, |this| {
                this.commas(next, |this, input| {
                    let (rest, operand) = this.operand(input, Form::Other)?;
                    more.push(operand);
                    Ok((rest, ()))
                })
            })?;
        }
        let [b']', after @ ..] = rest else {
            let what = if more.is_empty() { "`+`, `,` or `]`" } else { "`,` or `]`" };
            return Err(Fault::expected(rest, what));
        };
        let (after, unified) = match after.strip_prefix(b".unified") {
            Some(next) if !next.first().is_some_and(|byte| lex::continues_word(*byte)) => (next, true),
            _ => (after, false),
        };
        let address = Address { base, offset, unified };
        let kind = match more.is_empty() {
            true => OperandKind::Address(address),
            false => OperandKind::Coordinates(Box::new(Coordinates { address, rest: more })),
        };
        Ok((self.advance(after), kind))
    }

    /// The elements of `{…}` or `(…)`; only a call's list may be empty.
    fn enclosed(
        &mut self,
        input: Input<'a>,
        form: Form,
        close: u8,
        what: &'static str,
    ) -> Step<'a, Box<[Operand]>> {
        let inside = self.advance(&input[1..]);
        if form == Form::Call
            && close == b')'
            && let Some(rest) = self.take(inside, close)
        {
            return Ok((rest, Box::default()));
        }
        let mut elements = Vec::with_capacity(4);
        let (rest, ()) = self.deeper(input, |this| {
            this.commas(inside, |this, input| {
                let (rest, element) = this.operand(input, form)?;
                elements.push(element);
                Ok((rest, ()))
            })
        })?;
        let (rest, ()) = self.punctuation(rest, close, what)?;
        Ok((rest, elements.into_boxed_slice()))
    }
}
