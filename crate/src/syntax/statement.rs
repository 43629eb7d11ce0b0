//! Statements: bodies, scopes, labels, instructions and the directives among them.
//!
//! A body never fails as a whole: a statement that does is reported and skipped (`recover`), so a
//! block always gives what could be read of it.
//!
//! Source: PTX ISA 9.0, §4.3 (statements), §9.1 (instructions), §11.3–11.5 (directives).

use super::ast::{
    Block, CallPrototype, Contract, Guard, Ident, Inlined, Instruction, Location, Opcode, Pragma,
    SourcePlace, Statement, TargetList,
};
use super::grammar::Grammar;
use super::lex::{self, Input, Step};
use super::operand::Form;
use super::recover::{Fault, Problem, opens_item};
use crate::base::Span;

impl<'a> Grammar<'a> {
    /// `{ … }`, with recovery inside.
    pub(super) fn block(&mut self, input: Input<'a>) -> Step<'a, Block> {
        let inside = self.advance(&input[1..]);
        let mut statements = Vec::new();
        self.contracts(inside, inside, &mut statements);
        let (rest, ()) = self.deeper(input, |this| {
            let mut rest = inside;
            while !rest.is_empty() && rest[0] != b'}' && !this.gave_up() {
                if rest[0] == b'.' && opens_item(rest) && this.opens_function(rest) {
                    break;
                }
                let before = rest;
                rest = match this.statement(rest, &mut statements) {
                    Ok((rest, ())) => rest,
                    Err(error) => {
                        let fault = Fault::of(error, rest);
                        this.report(fault);
                        this.after_statement(rest, fault)
                    }
                };
                this.contracts(before, rest, &mut statements);
            }
            Ok((rest, ()))
        })?;
        let rest = match self.take(rest, b'}') {
            Some(rest) => rest,
            None => {
                if !self.gave_up() && !self.comment_is_open() {
                    self.report(Fault::new(input, Problem::OpenBrace));
                }
                rest
            }
        };
        Ok((rest, Block { span: self.span(input), statements }))
    }

    /// Pushes the contracts in the comments between the last token and this place. Where a way to read
    /// the statement before was given up, the last token may lie behind; all since `before` counts then.
    #[inline]
    fn contracts(&mut self, before: Input<'a>, input: Input<'a>, out: &mut Vec<Statement>) {
        const SHORTEST: usize = "//warpproof:".len();
        let (last, end) = (self.end(), self.offset(input));
        let start = if last <= end { last } else { self.offset(before).min(end) };
        let between = self.source.get(start..end).unwrap_or_default();
        if between.len() > SHORTEST && between.contains("warpproof:") {
            self.contracts_between(start, end, out);
        }
    }

    #[cold]
    fn contracts_between(&mut self, start: usize, end: usize, out: &mut Vec<Statement>) {
        let mut at = start;
        while at < end {
            let rest = &self.source.as_bytes()[at..end];
            let length = match lex::comment(rest) {
                Ok((after, ())) => rest.len() - after.len(),
                Err(_) => 1,
            };
            let comment = self.source.get(at..at + length).and_then(|text| text.strip_prefix("//"));
            let promise = comment.and_then(|text| text.trim_start().strip_prefix("warpproof:"));
            if let Some(promise) = promise {
                let text = promise.trim_start();
                let from = at + length - text.len();
                let text = text.trim_end().trim_end_matches(';').trim_end();
                let (name, registers) = (self.names.intern(text), self.registers_in(text, from));
                let span = Span::new(from, from + text.len());
                out.push(Statement::Contract(Box::new(Contract { span, text: name, registers })));
            }
            at += length;
        }
    }

    /// The registers that a text names, which stands at an offset.
    fn registers_in(&mut self, text: &str, offset: usize) -> Vec<(Ident, Option<Ident>)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find('%') {
            at += next;
            let Some((rest, length)) = lex::word(&text.as_bytes()[at..]) else {
                at += 1;
                continue;
            };
            let mut ident = |from: usize, length: usize| Ident {
                name: self.names.intern(&text[from..from + length]),
                span: Span::new(offset + from, offset + from + length),
            };
            let register = ident(at, length);
            at += length;
            let mut part = None;
            if let Some(suffix) = rest.strip_prefix(b".")
                && let Some((_, length)) = lex::word(suffix)
            {
                part = Some(ident(at + 1, length));
                at += 1 + length;
            }
            found.push((register, part));
        }
        found
    }

    /// Whether a function starts here, which cannot be inside another one; a linkage directive alone
    /// may start a variable.
    fn opens_function(&self, input: Input<'a>) -> bool {
        let Some(first) = self.peek_directive(input) else { return false };
        match first {
            "visible" | "weak" | "extern" | "common" => {
                let next = lex::trivia(&input[1 + first.len()..]);
                matches!(self.peek_directive(next), Some("entry" | "func"))
            }
            _ => true,
        }
    }

    /// One statement; pushes what it declares or does (an empty statement: nothing).
    fn statement(&mut self, input: Input<'a>, out: &mut Vec<Statement>) -> Step<'a, ()> {
        match input[0] {
            b'@' => {
                let (rest, guard) = self.guard(input)?;
                let (rest, instruction) = self.instruction(input, rest, Some(guard))?;
                out.push(Statement::Instruction(instruction));
                Ok((rest, ()))
            }
            b'{' => {
                let (rest, block) = self.block(input)?;
                out.push(Statement::Block(Box::new(block)));
                Ok((rest, ()))
            }
            b'.' => self.directive_statement(input, out),
            b';' => Ok((self.advance(&input[1..]), ())),
            byte if lex::starts_word(byte) => self.label_or_instruction(input, out),
            _ => Err(Fault::expected(input, "a statement")),
        }
    }

    /// `@p` or `@!p`
    fn guard(&mut self, input: Input<'a>) -> Step<'a, Guard> {
        let rest = self.advance(&input[1..]);
        let negated = self.take(rest, b'!');
        let (rest, register) = self.name(negated.unwrap_or(rest), "a predicate after `@`")?;
        Ok((rest, Guard { span: self.span(input), register, negated: negated.is_some() }))
    }

    #[inline]
    fn label_or_instruction(&mut self, input: Input<'a>, out: &mut Vec<Statement>) -> Step<'a, ()> {
        if let Some((after, length)) = lex::word(input)
            && !after.starts_with(b".")
            && let [b':', ..] = lex::trivia(after)
        {
            let span = self.word_span(input, length);
            let name = self.names.intern(self.text(input, length));
            let colon = lex::trivia(after);
            let rest = self.advance(&colon[1..]);
            return self.labelled(input, rest, Ident { name, span }, out);
        }
        let (rest, instruction) = self.instruction(input, input, None)?;
        out.push(Statement::Instruction(instruction));
        Ok((rest, ()))
    }

    /// An instruction; `start` is where its guard or opcode stands, `input` its opcode.
    fn instruction(
        &mut self,
        start: Input<'a>,
        input: Input<'a>,
        guard: Option<Guard>,
    ) -> Step<'a, Instruction> {
        let (rest, opcode, form) = self.opcode(input)?;
        let bare = rest;
        let (rest, operands) = self.operands(rest, form).map_err(|error| match error {
            // Right after the opcode the statement could also have ended.
            nom::Err::Error(Fault { at, problem: Problem::Expected("an operand") })
                if at.len() == bare.len() =>
            {
                nom::Err::Error(Fault::new(at, Problem::End("an operand or `;`")))
            }
            other => other,
        })?;
        let (rest, ()) = self.semicolon(rest, "`,` or `;`")?;
        Ok((rest, Instruction { span: self.span(start), guard, opcode, operands }))
    }

    /// An opcode with its suffixes.
    #[inline]
    fn opcode(&mut self, input: Input<'a>) -> Result<(Input<'a>, Opcode, Form), nom::Err<Fault<'a>>> {
        let Some((after, base)) = lex::word(input) else {
            return Err(Fault::expected(input, "an instruction"));
        };
        let length = base + lex::suffixes(after);
        let text = self.text(input, length);
        let form = if &text[..base] == "call" { Form::Call } else { Form::Other };
        let rest = self.advance(&input[length..]);
        let name = match rest {
            [b'.', byte, ..] if lex::continues_word(*byte) && self.goes_on(rest) => {
                return self.spaced_opcode(input, rest, text, form);
            }
            _ => self.names.intern(text),
        };
        Ok((rest, Opcode { name, span: self.span(input) }, form))
    }

    /// An opcode whose suffixes stand apart: `ld .global .f32`. Suffixes stay on the opcode's line, but for
    /// types, so that a directive after a missing semicolon is not taken for one.
    #[cold]
    fn spaced_opcode(
        &mut self,
        input: Input<'a>,
        rest: Input<'a>,
        first: &'a str,
        form: Form,
    ) -> Result<(Input<'a>, Opcode, Form), nom::Err<Fault<'a>>> {
        let mut text = first.to_string();
        let mut rest = rest;
        while rest.starts_with(b".") && self.goes_on(rest) {
            let length = lex::suffixes(rest);
            if length == 0 {
                break;
            }
            text.push_str(self.text(rest, length));
            rest = self.advance(&rest[length..]);
        }
        let name = self.names.intern(&text);
        Ok((rest, Opcode { name, span: self.span(input) }, form))
    }

    /// Whether what begins with a dot here belongs to the opcode before it.
    fn goes_on(&self, input: Input<'a>) -> bool {
        let names_type = || {
            let length = lex::suffixes(input);
            let first = self.text(input, length).split('.').nth(1).unwrap_or("");
            crate::base::Format::from_name(first).is_some()
                || matches!(first, "pred" | "b128" | "f16x2" | "bf16x2" | "v2" | "v4" | "v8")
        };
        self.same_line(input) || names_type()
    }

    /// Whether no line ended between the last token and this place.
    fn same_line(&self, input: Input<'a>) -> bool {
        !self.source.as_bytes()[self.end()..self.offset(input)].contains(&b'\n')
    }

    /// What follows `label:`: a list or prototype that the label names, or nothing.
    fn labelled(
        &mut self,
        start: Input<'a>,
        input: Input<'a>,
        label: Ident,
        out: &mut Vec<Statement>,
    ) -> Step<'a, ()> {
        match self.peek_directive(input) {
            Some(word @ ("branchtargets" | "calltargets")) => {
                let rest = self.advance(&input[1 + word.len()..]);
                let mut targets = Vec::new();
                let what = if word == "branchtargets" { "a label" } else { "a function" };
                let (rest, ()) = self.commas(rest, |this, input| {
                    let (rest, target) = this.ident(input, what)?;
                    targets.push(target);
                    Ok((rest, ()))
                })?;
                let (rest, ()) = self.semicolon(rest, "`,` or `;`")?;
                let list = Box::new(TargetList { span: self.span(start), label, targets });
                out.push(match word {
                    "branchtargets" => Statement::BranchTargets(list),
                    _ => Statement::CallTargets(list),
                });
                Ok((rest, ()))
            }
            Some("callprototype") => self.call_prototype(start, input, label, out),
            _ => {
                out.push(Statement::Label(label));
                Ok((input, ()))
            }
        }
    }

    /// `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
    fn call_prototype(
        &mut self,
        start: Input<'a>,
        input: Input<'a>,
        label: Ident,
        out: &mut Vec<Statement>,
    ) -> Step<'a, ()> {
        let rest = self.advance(&input[".callprototype".len()..]);
        let (rest, returns) = self.parameters(rest)?;
        let (rest, parameters) = match self.word(rest) {
            Some((rest, "_")) => self.parameters(rest)?,
            // A prototype may consist of directives alone.
            _ if returns.is_empty() && !rest.starts_with(b"(") => (rest, Vec::new()),
            _ => return Err(Fault::expected(rest, "`_` in the place of the function's name")),
        };
        let mut rest = rest;
        let mut directives = Vec::new();
        while rest.starts_with(b".") {
            let (next, directive) = self.number_directive(rest)?;
            directives.push(directive);
            rest = next;
        }
        let (rest, ()) = self.semicolon(rest, "`;`")?;
        let span = self.span(start);
        let prototype = CallPrototype { span, label, returns, parameters, directives };
        out.push(Statement::CallPrototype(Box::new(prototype)));
        Ok((rest, ()))
    }

    /// A statement that starts with a dot.
    fn directive_statement(&mut self, input: Input<'a>, out: &mut Vec<Statement>) -> Step<'a, ()> {
        match self.peek_directive(input) {
            Some("reg") => {
                let (rest, declaration) = self.registers(input)?;
                out.push(Statement::Registers(Box::new(declaration)));
                Ok((rest, ()))
            }
            Some("loc") => {
                let (rest, location) = self.location(input)?;
                out.push(Statement::Location(Box::new(location)));
                Ok((rest, ()))
            }
            Some("pragma") => {
                let (rest, pragma) = self.pragma(input)?;
                out.push(Statement::Pragma(Box::new(pragma)));
                Ok((rest, ()))
            }
            Some(
                "local" | "shared" | "param" | "const" | "global" | "tex" | "extern" | "visible" | "weak"
                | "common",
            ) => {
                let (rest, linkage) = self.linkage(input);
                self.variables(input, rest, linkage, |variable| {
                    out.push(Statement::Variable(Box::new(variable)));
                })
            }
            Some("branchtargets" | "calltargets" | "callprototype") => {
                Err(Fault::expected(input, "a label before this directive"))
            }
            _ => Err(Fault::expected(input, "a statement")),
        }
    }

    /// `.pragma "nounroll", …;`
    pub(super) fn pragma(&mut self, input: Input<'a>) -> Step<'a, Pragma> {
        let rest = self.advance(&input[".pragma".len()..]);
        let mut texts = Vec::new();
        let (rest, ()) = self.commas(rest, |this, input| {
            let (rest, text) = this.string(input)?;
            texts.push(text);
            Ok((rest, ()))
        })?;
        let (rest, ()) = self.semicolon(rest, "`;`")?;
        Ok((rest, Pragma { span: self.span(input), texts }))
    }

    /// `.loc 1 17 26, function_name $L__info_string0+4, inlined_at 1 20 5`
    fn location(&mut self, input: Input<'a>) -> Step<'a, Location> {
        let rest = self.advance(&input[".loc".len()..]);
        let (rest, place) = self.source_place(rest)?;
        let Some(next) = self.take(rest, b',') else {
            return Ok((rest, Location { span: self.span(input), place, inlined: None }));
        };
        let (rest, ()) = self.keyword(next, "function_name", "`function_name`")?;
        let (rest, function) = self.ident(rest, "a label of `.debug_str`")?;
        let (rest, offset) = self.offset_of_name(rest)?;
        let (rest, ()) = self.punctuation(rest, b',', "`,` and `inlined_at`")?;
        let (rest, ()) = self.keyword(rest, "inlined_at", "`inlined_at`")?;
        let (rest, inlined_at) = self.source_place(rest)?;
        let inlined = Some(Inlined { function, offset, place: inlined_at });
        Ok((rest, Location { span: self.span(input), place, inlined }))
    }

    fn source_place(&mut self, input: Input<'a>) -> Step<'a, SourcePlace> {
        let (rest, file) = self.small(input, "a file number")?;
        let (rest, line) = self.small(rest, "a line number")?;
        let (rest, column) = self.small(rest, "a column number")?;
        Ok((rest, SourcePlace { file, line, column }))
    }

    fn keyword(&mut self, input: Input<'a>, keyword: &str, what: &'static str) -> Step<'a, ()> {
        match self.word(input) {
            Some((rest, word)) if word == keyword => Ok((rest, ())),
            _ => Err(Fault::expected(input, what)),
        }
    }
}
