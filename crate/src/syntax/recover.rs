//! Errors: what a parser says when it fails, the diagnostic a person reads, and where to go on.
//!
//! A parser fails with a [`Fault`]: a place and a [`Problem`]. Nothing is formatted there, because
//! a failed alternative may be no error at all. Once a statement or item has failed for good,
//! `Grammar::report` turns the fault into a diagnostic (which alone looks at what was found), and
//! `Grammar::after_statement` or `Grammar::after_item` finds the next place where parsing makes
//! sense:
//! - a line that starts where a `;` was due: the `;` is missing and the line is the next statement;
//! - otherwise the end of the statement: its `;`, or the block's `}`, or the `{` of a nested block;
//! - for an item: the end of its body, or the next line that starts with a module-level directive.
//!
//! Every recovery makes progress and looks at the skipped text a constant number of times; after
//! [`MAX_ERRORS`] errors parsing stops, so junk of any size ends soon.

use nom::error::{ErrorKind, ParseError};

use super::grammar::Grammar;
use super::lex::{self, Input};
use crate::base::Span;
use crate::diag::{Code, Diagnostic};

/// Errors reported for one text before the parser gives up.
pub const MAX_ERRORS: usize = 20;

/// Levels of nested braces, brackets and parentheses that the parser follows.
pub const MAX_DEPTH: u32 = 256;

/// Where a parser failed, and why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault<'a> {
    pub(super) at: Input<'a>,
    pub(super) problem: Problem,
}

/// Why a parser failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    /// Something else should stand here.
    Expected(&'static str),
    /// The statement is complete: only its end is missing.
    End(&'static str),
    /// A number that does not fit what it is for.
    Range(&'static str),
    /// A division by zero in a constant expression.
    Division,
    /// A string without its closing quote.
    OpenString,
    /// A brace without its partner.
    OpenBrace,
    /// Nested beyond [`MAX_DEPTH`].
    Depth,
}

impl<'a> Fault<'a> {
    pub(super) fn new(at: Input<'a>, problem: Problem) -> Self {
        Fault { at, problem }
    }

    /// The usual fault: something else should stand here.
    #[cold]
    pub(super) fn expected(at: Input<'a>, what: &'static str) -> nom::Err<Self> {
        nom::Err::Error(Fault { at, problem: Problem::Expected(what) })
    }

    /// Takes the fault out of nom's wrapping. Nothing here is streaming, so there always is one.
    pub(super) fn of(error: nom::Err<Self>, input: Input<'a>) -> Self {
        match error {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => fault,
            nom::Err::Incomplete(_) => Fault::new(input, Problem::Expected("more text")),
        }
    }
}

impl<'a> ParseError<Input<'a>> for Fault<'a> {
    fn from_error_kind(at: Input<'a>, _: ErrorKind) -> Self {
        Fault { at, problem: Problem::Expected("something else") }
    }

    fn append(_: Input<'a>, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> Grammar<'a> {
    /// Adds the diagnostic for a fault.
    pub(super) fn report(&mut self, fault: Fault<'a>) {
        let at = self.offset(fault.at);
        let found = Span::new(at, self.offset(lex::skip_token(fault.at)).max(at));
        if fault.at.starts_with(b"/*") {
            let span = Span::new(at, at + 2);
            return self.error(Code::P002, "this comment is never closed".into(), span, "close it with `*/`");
        }
        match fault.problem {
            Problem::OpenString => {
                let line = fault.at.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                let span = Span::new(at, at + line.unwrap_or(fault.at.len()));
                self.error(
                    Code::P003,
                    "this string is never closed".into(),
                    span,
                    "close it with `\"` on the same line",
                );
            }
            Problem::OpenBrace => {
                let span = Span::new(at, at + 1);
                self.error(Code::P004, "this `{` is never closed".into(), span, "close it with `}`");
            }
            Problem::Range(what) => {
                let message = format!("{} does not fit {what}", self.describe(found));
                self.error(Code::P005, message, found, "");
            }
            Problem::Division => {
                self.error(Code::P005, "this constant expression divides by zero".into(), found, "");
            }
            Problem::Depth => {
                let message = format!("nested more than {MAX_DEPTH} levels deep");
                self.error(Code::P006, message, found, "no compiler writes this; the part is skipped");
            }
            Problem::End(what) if self.starts_line(at) => {
                let span = Span::new(self.end().saturating_sub(1), self.end());
                let message = format!("expected {what} before the end of the line");
                self.error(Code::P001, message, span, "");
            }
            Problem::Expected(what) | Problem::End(what) => {
                let found = self.printable(found);
                let code = if self.is_text(found) { Code::P001 } else { Code::P007 };
                let message = format!("expected {what}, found {}", self.describe(found));
                self.error(code, message, found, "");
            }
        }
    }

    /// Adds a diagnostic, or says that there are too many.
    #[cold]
    fn error(&mut self, code: Code, message: String, span: Span, note: &str) {
        let mut diagnostic = Diagnostic::error(code, message).at(self.which, span);
        if !note.is_empty() {
            diagnostic = diagnostic.note(note);
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() == MAX_ERRORS {
            let message = format!("more than {MAX_ERRORS} errors: the rest of the text was not read");
            self.diagnostics.push(Diagnostic::error(Code::P008, message).at(self.which, span));
        }
    }

    /// Whether so much is wrong that parsing has ended.
    pub(super) fn gave_up(&self) -> bool {
        self.diagnostics.len() > MAX_ERRORS
    }

    /// Whether the text ended in a comment that never does.
    pub(super) fn comment_is_open(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::P002)
    }

    /// Whether only spaces stand before `at` on its line.
    fn starts_line(&self, at: usize) -> bool {
        at > self.end() && self.source.as_bytes()[self.end()..at].contains(&b'\n')
    }

    /// The span, widened to a whole character.
    fn printable(&self, span: Span) -> Span {
        let mut end = span.end as usize;
        while !self.source.is_char_boundary(end) {
            end += 1;
        }
        Span::new(span.start as usize, end)
    }

    /// Whether what stands at the span can be part of PTX outside comments and strings.
    fn is_text(&self, span: Span) -> bool {
        let text = span.text(self.source);
        text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') || text.starts_with('"')
    }

    /// What stands at the span, in words and without surprises for a terminal.
    fn describe(&self, span: Span) -> String {
        const LONGEST: usize = 40;
        let text = span.text(self.source);
        if text.is_empty() {
            return "the end of the text".into();
        }
        let mut shown = String::new();
        for character in text.chars().take(LONGEST) {
            match character {
                '"' | '\'' | '\\' => shown.push(character),
                _ => shown.extend(character.escape_debug()),
            }
        }
        let more = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
        format!("`{shown}{more}`")
    }

    /// Where to go on after the statement that began at `start` failed with `fault`.
    pub(super) fn after_statement(&self, start: Input<'a>, fault: Fault<'a>) -> Input<'a> {
        let at = self.offset(fault.at);
        if fault.at.starts_with(b"/*") {
            return &[];
        }
        if matches!(fault.problem, Problem::End(_)) && self.starts_line(at) {
            return fault.at;
        }
        if fault.problem == Problem::OpenString {
            return lex::trivia(lex::line_end(fault.at));
        }
        if fault.problem == Problem::Depth && fault.at.starts_with(b"{") {
            return skip_braces(fault.at);
        }
        let mut rest = start;
        let mut block = None;
        let mut depth = 0usize;
        while let Some(byte) = rest.first() {
            let past_fault = rest.len() <= fault.at.len();
            match byte {
                b';' if depth > 0 && block.is_some() => break,
                b';' if past_fault => return lex::trivia(&rest[1..]),
                b'{' => {
                    if depth == 0 && self.first_on_line(rest) {
                        block = Some(rest);
                    }
                    depth += 1;
                }
                b'}' if depth == 0 => return rest,
                b'}' => {
                    depth -= 1;
                    block = None;
                }
                b'.' if rest.len() < start.len() && opens_item(rest) => return rest,
                _ => {}
            }
            rest = lex::trivia(lex::skip_token(rest));
            if rest.starts_with(b"/*") {
                return rest;
            }
        }
        block.unwrap_or(rest)
    }

    /// Whether only spaces stand before a place on its line.
    fn first_on_line(&self, input: Input<'a>) -> bool {
        let before = &self.source.as_bytes()[..self.offset(input)];
        let last = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        last.is_none_or(|byte| *byte == b'\n')
    }

    /// Whether the next item starts here, `depth` braces into a broken one.
    fn opens_next(&self, input: Input<'a>, depth: usize) -> bool {
        opens_item(input) || depth == 0 && self.first_on_line(input) && opens_variable(input)
    }

    /// Where to go on after the item that began at `start` failed with `fault`.
    pub(super) fn after_item(&self, start: Input<'a>, fault: Fault<'a>) -> Input<'a> {
        if fault.at.starts_with(b"/*") {
            return &[];
        }
        if matches!(fault.problem, Problem::End(_)) && self.starts_line(self.offset(fault.at)) {
            return fault.at;
        }
        if fault.problem == Problem::OpenString {
            return lex::trivia(lex::line_end(fault.at));
        }
        let mut rest = start;
        let mut depth = 0usize;
        while let Some(byte) = rest.first() {
            let past_fault = rest.len() <= fault.at.len();
            match byte {
                b';' if depth == 0 && past_fault => return lex::trivia(&rest[1..]),
                b'{' => depth += 1,
                b'}' => {
                    depth = depth.saturating_sub(1);
                    let next = lex::trivia(&rest[1..]);
                    if depth == 0 && past_fault && !next.starts_with(b";") {
                        return next;
                    }
                }
                b'.' if past_fault && rest.len() < start.len() && self.opens_next(rest, depth) => {
                    return rest;
                }
                _ => {}
            }
            rest = lex::trivia(lex::skip_token(rest));
            if rest.starts_with(b"/*") {
                return rest;
            }
        }
        rest
    }
}

/// Past the braces that open here, however deep; nothing inside is looked at.
fn skip_braces(input: Input<'_>) -> Input<'_> {
    let mut rest = input;
    let mut depth = 0usize;
    while let Some(byte) = rest.first() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        rest = lex::trivia(lex::skip_token(rest));
        if depth == 0 || rest.starts_with(b"/*") {
            break;
        }
    }
    rest
}

/// Whether a directive stands here that only makes sense at module level.
pub(super) fn opens_item(input: Input<'_>) -> bool {
    const WORDS: [&[u8]; 10] = [
        b".entry",
        b".func",
        b".visible",
        b".weak",
        b".extern",
        b".common",
        b".version",
        b".target",
        b".address_size",
        b".alias",
    ];
    WORDS.iter().any(|word| starts_with_word(input, word))
}

/// Whether a directive stands here that at module level starts an item, but may also stand in bodies.
fn opens_variable(input: Input<'_>) -> bool {
    const WORDS: [&[u8]; 5] = [b".global", b".const", b".shared", b".file", b".section"];
    WORDS.iter().any(|word| starts_with_word(input, word))
}

fn starts_with_word(input: Input<'_>, word: &[u8]) -> bool {
    input.starts_with(word) && !input.get(word.len()).is_some_and(|byte| lex::continues_word(*byte))
}
