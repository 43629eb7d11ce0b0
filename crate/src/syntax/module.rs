//! The top level of a module: its header, sections, variables and functions.
//!
//! Source: PTX ISA 9.0, §11.1 (module directives), §11.2 (kernels and functions), §11.4 (performance
//! tuning), §11.5 (debugging), §11.7 (linking).

use super::ast::{
    AddressSize, Alias, File, Function, FunctionDirective, Ident, Item, Linkage, NumberDirective, Section,
    Target, Version,
};
use super::grammar::Grammar;
use super::lex::{self, Input, Step};
use super::recover::{Fault, Problem};

impl<'a> Grammar<'a> {
    /// Everything to the end of the text, with recovery.
    pub(super) fn items(&mut self, input: Input<'a>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut rest = self.advance(input);
        while !rest.is_empty() && !self.gave_up() {
            rest = match self.item(rest, &mut items) {
                Ok((rest, ())) => rest,
                Err(error) => {
                    let fault = Fault::of(error, rest);
                    self.report(fault);
                    self.after_item(rest, fault)
                }
            };
        }
        items
    }

    fn item(&mut self, input: Input<'a>, out: &mut Vec<Item>) -> Step<'a, ()> {
        if let Some(rest) = self.take(input, b';') {
            return Ok((rest, ()));
        }
        let expected = Fault::expected(input, "a directive such as `.visible .entry`");
        let Some(word) = self.peek_directive(input) else { return Err(expected) };
        let (rest, item) = match word {
            "version" => self.version(input)?,
            "target" => self.target(input)?,
            "address_size" => self.address_size(input)?,
            "file" => self.file(input)?,
            "section" => self.section(input)?,
            "alias" => self.alias(input)?,
            "pragma" => {
                let (rest, pragma) = self.pragma(input)?;
                (rest, Item::Pragma(pragma))
            }
            "reg" => {
                let (rest, registers) = self.registers(input)?;
                (rest, Item::Registers(registers))
            }
            _ => return self.linked(input, out),
        };
        out.push(item);
        Ok((rest, ()))
    }

    /// `.version 9.0`
    fn version(&mut self, input: Input<'a>) -> Step<'a, Item> {
        const WHAT: &str = "a version such as `9.0`";
        let rest = self.advance(&input[".version".len()..]);
        let digits = |input: Input<'a>| input.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let major = digits(rest);
        let Some(after) = rest[major..].strip_prefix(b".") else { return Err(Fault::expected(rest, WHAT)) };
        let minor = digits(after);
        let number = |text: &str| text.parse::<u32>().map_err(|_| Fault::expected(rest, WHAT));
        let (major, minor_number) = (number(self.text(rest, major))?, number(self.text(after, minor))?);
        let rest = self.advance(&after[minor..]);
        Ok((rest, Item::Version(Version { span: self.span(input), major, minor: minor_number })))
    }

    /// `.target sm_90a, debug`
    fn target(&mut self, input: Input<'a>) -> Step<'a, Item> {
        let rest = self.advance(&input[".target".len()..]);
        let mut names = Vec::new();
        let (rest, ()) = self.commas(rest, |this, input| {
            let (rest, name) = this.ident(input, "a target such as `sm_80`")?;
            names.push(name);
            Ok((rest, ()))
        })?;
        Ok((rest, Item::Target(Target { span: self.span(input), names })))
    }

    /// `.address_size 64`
    fn address_size(&mut self, input: Input<'a>) -> Step<'a, Item> {
        let rest = self.advance(&input[".address_size".len()..]);
        let (after, bits) = self.small(rest, "`32` or `64`")?;
        if bits != 32 && bits != 64 {
            return Err(Fault::expected(rest, "`32` or `64`"));
        }
        Ok((after, Item::AddressSize(AddressSize { span: self.span(input), bits })))
    }

    /// `.file 1 "kernel.cu", 1700000000, 4096`
    fn file(&mut self, input: Input<'a>) -> Step<'a, Item> {
        let rest = self.advance(&input[".file".len()..]);
        let (rest, number) = self.plain(rest, "a file number")?;
        let (rest, path) = self.string(rest)?;
        let (rest, stamp) = match self.take(rest, b',') {
            Some(next) => {
                let (rest, time) = self.plain(next, "a modification time")?;
                let (rest, ()) = self.punctuation(rest, b',', "`,` and the file's size")?;
                let (rest, size) = self.plain(rest, "the file's size")?;
                (rest, Some((time, size)))
            }
            None => (rest, None),
        };
        Ok((rest, Item::File(File { span: self.span(input), number, path: path.name, stamp })))
    }

    /// `.section .debug_str { … }`
    fn section(&mut self, input: Input<'a>) -> Step<'a, Item> {
        let rest = self.advance(&input[".section".len()..]);
        let length = lex::suffixes(rest);
        if length == 0 {
            return Err(Fault::expected(rest, "a section such as `.debug_str`"));
        }
        let name = self.names.intern(self.text(rest, length));
        let open = self.advance(&rest[length..]);
        let name = Ident { name, span: self.span(rest) };
        let Some(inside) = open.strip_prefix(b"{") else { return Err(Fault::expected(open, "`{`")) };
        let (after, body) = lex::section_body(open, inside)?;
        let body = self.names.intern(self.text(inside, body.len()));
        let rest = self.advance(after);
        Ok((rest, Item::Section(Section { span: self.span(input), name, body })))
    }

    /// `.alias f, g;`
    fn alias(&mut self, input: Input<'a>) -> Step<'a, Item> {
        let rest = self.advance(&input[".alias".len()..]);
        let (rest, alias) = self.ident(rest, "a function")?;
        let (rest, ()) = self.punctuation(rest, b',', "`,`")?;
        let (rest, target) = self.ident(rest, "a function")?;
        let (rest, ()) = self.semicolon(rest, "`;`")?;
        Ok((rest, Item::Alias(Alias { span: self.span(input), alias, target })))
    }

    /// What may start with a linkage directive: a function or a variable.
    fn linked(&mut self, input: Input<'a>, out: &mut Vec<Item>) -> Step<'a, ()> {
        let (rest, linkage) = self.linkage(input);
        match self.peek_directive(rest) {
            Some(kind @ ("entry" | "func")) => {
                let after = self.advance(&rest[1 + kind.len()..]);
                let (rest, function) = self.function(input, after, linkage, kind == "entry")?;
                out.push(Item::Function(function));
                Ok((rest, ()))
            }
            Some("const" | "global" | "local" | "shared" | "param" | "tex") => {
                self.variables(input, rest, linkage, |variable| out.push(Item::Variable(variable)))
            }
            _ if linkage.is_some() => Err(Fault::expected(rest, "`.entry`, `.func` or a state space")),
            _ => Err(Fault::expected(input, "a directive such as `.visible .entry`")),
        }
    }

    /// A function after `.entry` or `.func`.
    fn function(
        &mut self,
        start: Input<'a>,
        input: Input<'a>,
        linkage: Option<Linkage>,
        is_entry: bool,
    ) -> Step<'a, Function> {
        let mut rest = input;
        let mut attributes = Vec::new();
        while self.peek_directive(rest) == Some("attribute") {
            let inside = self.advance(&rest[".attribute".len()..]);
            (rest, ()) = self.attributes(inside, &mut attributes)?;
        }
        let returns;
        (rest, returns) = if is_entry { (rest, Vec::new()) } else { self.parameters(rest)? };
        let (rest, name) = self.ident(rest, "a function name")?;
        let (mut rest, parameters) = self.parameters(rest)?;
        let mut directives = Vec::new();
        while rest.starts_with(b".") {
            let directive;
            (rest, directive) = self.function_directive(rest)?;
            directives.push(directive);
        }
        let span = self.span(start);
        let (rest, body) = match rest {
            [b'{', ..] => {
                let (rest, body) = self.block(rest)?;
                (rest, Some(body))
            }
            [b';', ..] => (self.advance(&rest[1..]), None),
            _ => return Err(nom::Err::Error(Fault::new(rest, Problem::Expected("`{` or `;`")))),
        };
        Ok((
            rest,
            Function { span, linkage, is_entry, attributes, returns, name, parameters, directives, body },
        ))
    }

    fn function_directive(&mut self, input: Input<'a>) -> Step<'a, FunctionDirective> {
        if self.peek_directive(input) == Some("pragma") {
            let (rest, pragma) = self.pragma(input)?;
            return Ok((rest, FunctionDirective::Pragma(pragma)));
        }
        let (rest, directive) = self.number_directive(input)?;
        Ok((rest, FunctionDirective::Numbers(directive)))
    }

    /// `.maxntid 256, 1, 1`, `.noreturn`: known or not, a word and perhaps numbers.
    pub(super) fn number_directive(&mut self, input: Input<'a>) -> Step<'a, NumberDirective> {
        let Some((rest, word)) = self.directive(input) else {
            return Err(Fault::expected(input, "a directive, `{` or `;`"));
        };
        let name = self.names.intern(word);
        let (rest, numbers) = match rest {
            [b'0'..=b'9', ..] => self.numbers(rest)?,
            _ => (rest, Vec::new()),
        };
        Ok((rest, NumberDirective { span: self.span(input), name, numbers }))
    }
}
