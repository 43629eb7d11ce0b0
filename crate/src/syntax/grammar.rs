//! The parser's state and the steps that every part of the grammar is made of.
//!
//! A parser of the grammar is a method `fn(&mut self, input, …) -> Step<T>`: nom's parser type with
//! the state (names, diagnostics, nesting) beside it. It starts at the first byte of its first token
//! and leaves the input at the first byte of the next token, with comments skipped. PTX can be read
//! with one token of look-ahead, so no method undoes anything.
//!
//! Where the last token ended is part of the state: a node's span runs from where its parser started
//! to there.

use super::ast::{Ident, Literal, Name, Names};
use super::lex::{self, Input, Step};
use super::recover::{Fault, MAX_DEPTH, Problem};
use crate::base::{Source, Span};
use crate::diag::Diagnostic;

/// The parser's state.
pub(super) struct Grammar<'a> {
    pub(super) source: &'a str,
    pub(super) which: Source,
    pub(super) names: Names,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Byte offset where the last token ended.
    end: usize,
    depth: u32,
}

impl<'a> Grammar<'a> {
    pub(super) fn new(which: Source, source: &'a str) -> Self {
        Grammar { source, which, names: Names::default(), diagnostics: Vec::new(), end: 0, depth: 0 }
    }

    /// Where some input stands in the source. (Inputs are always ends of the source.)
    #[inline]
    pub(super) fn offset(&self, input: Input<'a>) -> usize {
        self.source.len() - input.len()
    }

    /// Where the last token ended.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// From where `start` stands to the end of the last token.
    #[inline]
    pub(super) fn span(&self, start: Input<'a>) -> Span {
        Span::new(self.offset(start), self.end)
    }

    /// The span of the first `length` bytes here.
    #[inline]
    pub(super) fn word_span(&self, input: Input<'a>, length: usize) -> Span {
        let start = self.offset(input);
        Span::new(start, start + length)
    }

    /// Ends a token: notes where and skips what follows up to the next one.
    #[inline]
    pub(super) fn advance(&mut self, rest: Input<'a>) -> Input<'a> {
        self.end = self.offset(rest);
        lex::trivia(rest)
    }

    /// The next `length` bytes as text; they are a word, a string or a section.
    #[inline]
    pub(super) fn text(&self, input: Input<'a>, length: usize) -> &'a str {
        let start = self.offset(input);
        &self.source[start..start + length]
    }

    /// One byte of punctuation, if it stands here.
    #[inline]
    pub(super) fn take(&mut self, input: Input<'a>, byte: u8) -> Option<Input<'a>> {
        match input {
            [first, rest @ ..] if *first == byte => Some(self.advance(rest)),
            _ => None,
        }
    }

    /// One byte of punctuation, or a fault that names it.
    #[inline]
    pub(super) fn punctuation(&mut self, input: Input<'a>, byte: u8, what: &'static str) -> Step<'a, ()> {
        match self.take(input, byte) {
            Some(rest) => Ok((rest, ())),
            None => Err(Fault::expected(input, what)),
        }
    }

    /// The `;` that ends a statement.
    #[inline]
    pub(super) fn semicolon(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, ()> {
        match self.take(input, b';') {
            Some(rest) => Ok((rest, ())),
            None => Err(nom::Err::Error(Fault::new(input, Problem::End(what)))),
        }
    }

    /// A word as text, if one stands here.
    #[inline]
    pub(super) fn word(&mut self, input: Input<'a>) -> Option<(Input<'a>, &'a str)> {
        let (rest, length) = lex::word(input)?;
        Some((self.advance(rest), self.text(input, length)))
    }

    /// A name, which is a word other than `_`.
    #[inline]
    pub(super) fn name(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, Name> {
        match lex::word(input) {
            Some((rest, length)) if length > 1 || input[0] != b'_' => {
                let name = self.names.intern(self.text(input, length));
                Ok((self.advance(rest), name))
            }
            _ => Err(Fault::expected(input, what)),
        }
    }

    /// A name and where it stands.
    #[inline]
    pub(super) fn ident(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, Ident> {
        let (rest, name) = self.name(input, what)?;
        Ok((rest, Ident { name, span: self.span(input) }))
    }

    /// `.word`, as text without its dot, if one stands here.
    #[inline]
    pub(super) fn directive(&mut self, input: Input<'a>) -> Option<(Input<'a>, &'a str)> {
        let [b'.', after @ ..] = input else { return None };
        let length = after.iter().take_while(|byte| lex::continues_word(**byte)).count();
        if length == 0 {
            return None;
        }
        let text = self.text(after, length);
        Some((self.advance(&after[length..]), text))
    }

    /// What [`Self::directive`] would read, without reading it.
    #[inline]
    pub(super) fn peek_directive(&self, input: Input<'a>) -> Option<&'a str> {
        let [b'.', after @ ..] = input else { return None };
        let length = after.iter().take_while(|byte| lex::continues_word(**byte)).count();
        (length > 0).then(|| self.text(after, length))
    }

    /// A string; its text as written, and the span with the quotes.
    pub(super) fn string(&mut self, input: Input<'a>) -> Step<'a, Ident> {
        let (rest, inside) = lex::string(input)?;
        let name = self.names.intern(self.text(&input[1..], inside.len()));
        let rest = self.advance(rest);
        Ok((rest, Ident { name, span: self.span(input) }))
    }

    /// A number as it stands, without a sign.
    #[inline]
    pub(super) fn number(&mut self, input: Input<'a>) -> Step<'a, Literal> {
        let (rest, literal) = lex::number(input)?;
        Ok((self.advance(rest), literal))
    }

    /// A whole number without signs or operators: what directives have, where a name such as `%r`
    /// may follow (in an expression that would be a remainder).
    pub(super) fn plain(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, u64> {
        match self.number(input) {
            Ok((rest, Literal::Integer { bits, .. })) => Ok((rest, bits)),
            Err(nom::Err::Error(fault @ Fault { problem: Problem::Range(_), .. })) => {
                Err(nom::Err::Error(fault))
            }
            _ => Err(Fault::expected(input, what)),
        }
    }

    /// The same within 32 bits.
    pub(super) fn small(&mut self, input: Input<'a>, what: &'static str) -> Step<'a, u32> {
        let (rest, number) = self.plain(input, what)?;
        match u32::try_from(number) {
            Ok(number) => Ok((rest, number)),
            Err(_) => Err(nom::Err::Error(Fault::new(input, Problem::Range("32 bits")))),
        }
    }

    /// Items between commas, pushed by `item`.
    #[inline]
    pub(super) fn commas<F>(&mut self, input: Input<'a>, mut item: F) -> Step<'a, ()>
    where
        F: FnMut(&mut Self, Input<'a>) -> Step<'a, ()>,
    {
        let (mut rest, ()) = item(self, input)?;
        while let Some(next) = self.take(rest, b',') {
            (rest, ()) = item(self, next)?;
        }
        Ok((rest, ()))
    }

    /// Something one level deeper; a fault at `input` beyond [`MAX_DEPTH`] levels, so that no input
    /// overflows the stack.
    #[inline]
    pub(super) fn deeper<T, F>(&mut self, input: Input<'a>, inner: F) -> Step<'a, T>
    where
        F: FnOnce(&mut Self) -> Step<'a, T>,
    {
        if self.depth == MAX_DEPTH {
            return Err(nom::Err::Error(Fault::new(input, Problem::Depth)));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
