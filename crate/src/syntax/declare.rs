//! Declarations: registers, variables, parameters and what variables start as.
//!
//! All of them begin with the same run of dotted words (`.align 8 .v2 .b32`), which compilers write
//! in different orders; [`Prefix`] reads that run once for all. What each kind of declaration does
//! not allow in it is a fault at the word.
//!
//! Source: PTX ISA 9.0, §5.1 (state spaces), §5.2 (types), §5.4 (variables), §11.7 (linking).

use super::ast::{
    Attribute, Ident, Initializer, InitializerKind, Linkage, Literal, MaskedAddress, Parameter, Pointer,
    RegisterDeclaration, RegisterName, StateSpace, Type, Variable,
};
use super::constant::warp_size;
use super::grammar::Grammar;
use super::lex::{self, Input, Step};
use super::recover::Fault;

/// The dotted words before a declared name.
#[derive(Default)]
struct Prefix {
    space: Option<StateSpace>,
    attributes: Vec<Attribute>,
    align: Option<u64>,
    vector: Option<u8>,
    ty: Option<Type>,
    pointer: Option<Pointer>,
}

impl<'a> Grammar<'a> {
    /// `.extern`, `.visible`, `.weak` or `.common`, if one stands here.
    pub(super) fn linkage(&mut self, input: Input<'a>) -> (Input<'a>, Option<Linkage>) {
        let word = self.peek_directive(input);
        let found = Linkage::ALL.into_iter().find(|linkage| Some(linkage.name()) == word);
        match found {
            Some(linkage) => (self.advance(&input[1 + linkage.name().len()..]), Some(linkage)),
            None => (input, None),
        }
    }

    /// The dotted words before a name. After `.ptr`, a space and an alignment are the pointer's.
    fn prefix(&mut self, input: Input<'a>) -> Step<'a, Prefix> {
        let mut prefix = Prefix::default();
        let mut rest = input;
        while let Some((next, word)) = self.directive(rest) {
            let space = StateSpace::ALL.into_iter().find(|space| space.name() == word);
            rest = match word {
                "align" => {
                    let (after, align) = self.plain(next, "an alignment in bytes")?;
                    match &mut prefix.pointer {
                        Some(pointer) => pointer.align = Some(align),
                        None => prefix.align = Some(align),
                    }
                    after
                }
                "ptr" if prefix.pointer.is_none() => {
                    prefix.pointer = Some(Pointer { space: None, align: None, object: None });
                    next
                }
                "attribute" => self.attributes(next, &mut prefix.attributes)?.0,
                "v2" | "v4" | "v8" if prefix.vector.is_none() => {
                    prefix.vector = Some(word.as_bytes()[1] - b'0');
                    next
                }
                _ => match (space, &mut prefix.pointer) {
                    (Some(space), Some(pointer)) if pointer.space.is_none() => {
                        pointer.space = Some(space);
                        next
                    }
                    (Some(space), None) if prefix.space.is_none() && prefix.ty.is_none() => {
                        prefix.space = Some(space);
                        next
                    }
                    (_, Some(pointer))
                        if pointer.object.is_none()
                            && matches!(word, "texref" | "samplerref" | "surfref") =>
                    {
                        pointer.object = Type::from_name(word);
                        next
                    }
                    _ => match Type::from_name(word) {
                        Some(ty) if prefix.ty.is_none() => {
                            prefix.ty = Some(ty);
                            next
                        }
                        _ => {
                            let what = if prefix.ty.is_none() { "a type" } else { "a name" };
                            return Err(Fault::expected(rest, what));
                        }
                    },
                },
            };
        }
        Ok((rest, prefix))
    }

    /// `(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self, input: Input<'a>, out: &mut Vec<Attribute>) -> Step<'a, ()> {
        let (rest, ()) = self.punctuation(input, b'(', "`(`")?;
        let (rest, ()) = self.commas(rest, |this, input| {
            let Some((rest, word)) = this.directive(input) else {
                return Err(Fault::expected(input, "an attribute such as `.managed`"));
            };
            let name = Ident { name: this.names.intern(word), span: this.span(input) };
            let mut arguments = Vec::new();
            let mut rest = rest;
            if let Some(inside) = this.take(rest, b'(') {
                (rest, ()) = this.commas(inside, |this, input| {
                    let (rest, argument) = this.constant(input)?;
                    arguments.push(argument);
                    Ok((rest, ()))
                })?;
                (rest, ()) = this.punctuation(rest, b')', "`,` or `)`")?;
            }
            out.push(Attribute { name, arguments });
            Ok((rest, ()))
        })?;
        self.punctuation(rest, b')', "`,` or `)`")
    }

    /// `.reg .b32 %r<10>, a, b;`
    pub(super) fn registers(&mut self, input: Input<'a>) -> Step<'a, RegisterDeclaration> {
        let (rest, prefix) = self.prefix(input)?;
        if !prefix.attributes.is_empty() {
            return Err(Fault::expected(input, "registers, which have no attributes"));
        }
        let Some(ty) = prefix.ty else { return Err(Fault::expected(rest, "a type")) };
        let mut names = Vec::new();
        let (rest, ()) = self.commas(rest, |this, input| {
            let (rest, name) = this.name(input, "a register name")?;
            let (rest, count) = this.range(rest)?;
            names.push(RegisterName { span: this.span(input), name, count });
            Ok((rest, ()))
        })?;
        let (rest, ()) = self.semicolon(rest, "`,` or `;`")?;
        Ok((rest, RegisterDeclaration { span: self.span(input), vector: prefix.vector, ty, names }))
    }

    /// `<10>` or `<WARP_SZ>` after a name, if it stands here.
    fn range(&mut self, input: Input<'a>) -> Step<'a, Option<u32>> {
        let Some(inside) = self.take(input, b'<') else { return Ok((input, None)) };
        let (rest, count) = match warp_size(inside) {
            Some(rest) => (self.advance(rest), 32),
            None => self.small(inside, "a number of registers")?,
        };
        let (rest, ()) = self.punctuation(rest, b'>', "`>`")?;
        Ok((rest, Some(count)))
    }

    /// A variable declaration from its state space on; one variable for each name.
    pub(super) fn variables(
        &mut self,
        start: Input<'a>,
        input: Input<'a>,
        linkage: Option<Linkage>,
        mut push: impl FnMut(Variable),
    ) -> Step<'a, ()> {
        let (rest, prefix) = self.prefix(input)?;
        let (Some(space), None) = (prefix.space, prefix.pointer) else {
            return Err(Fault::expected(input, "a state space such as `.global`"));
        };
        let Some(ty) = prefix.ty else { return Err(Fault::expected(rest, "a type")) };
        let mut first = Some(start);
        let (rest, ()) = self.commas(rest, |this, input| {
            let (rest, name) = this.ident(input, "a variable name")?;
            let (rest, count) = this.range(rest)?;
            let (rest, dimensions) = this.dimensions(rest)?;
            let (rest, initializer) = match this.take(rest, b'=') {
                Some(next) => {
                    let (rest, initializer) = this.initializer(next)?;
                    (rest, Some(initializer))
                }
                None => (rest, None),
            };
            push(Variable {
                span: this.span(first.take().unwrap_or(input)),
                linkage,
                space,
                attributes: prefix.attributes.clone(),
                align: prefix.align,
                vector: prefix.vector,
                ty,
                name,
                count,
                dimensions,
                initializer,
            });
            Ok((rest, ()))
        })?;
        self.semicolon(rest, "`,` or `;`")
    }

    /// `[4][8]`, `[]`
    fn dimensions(&mut self, input: Input<'a>) -> Step<'a, Vec<Option<u64>>> {
        let mut dimensions = Vec::new();
        let mut rest = input;
        while let Some(inside) = self.take(rest, b'[') {
            let (next, extent) = match inside {
                [b']', ..] => (inside, None),
                _ => {
                    let (next, extent) = self.integer(inside, "a number of elements or `]`")?;
                    (next, Some(extent))
                }
            };
            dimensions.push(extent);
            (rest, ()) = self.punctuation(next, b']', "`]`")?;
        }
        Ok((rest, dimensions))
    }

    /// What stands after `=`.
    fn initializer(&mut self, input: Input<'a>) -> Step<'a, Initializer> {
        let (rest, kind) = match input {
            [b'{', ..] => self.initializer_list(input)?,
            [byte, ..] if lex::starts_word(*byte) => self.named_initializer(input)?,
            [b'0'..=b'9' | b'-' | b'+' | b'~' | b'!' | b'(' | b'.', ..] => {
                let (rest, literal) = self.constant(input)?;
                match literal {
                    Literal::Integer { bits, .. } if rest.starts_with(b"(") => {
                        self.masked_address(rest, bits)?
                    }
                    _ => (rest, InitializerKind::Literal(literal)),
                }
            }
            _ => return Err(Fault::expected(input, "a number, a symbol or `{`")),
        };
        Ok((rest, Initializer { span: self.span(input), kind }))
    }

    /// `{1, 2}`, `{}`
    fn initializer_list(&mut self, input: Input<'a>) -> Step<'a, InitializerKind> {
        let inside = self.advance(&input[1..]);
        if let Some(rest) = self.take(inside, b'}') {
            return Ok((rest, InitializerKind::List(Box::default())));
        }
        let mut elements = Vec::new();
        let (rest, ()) = self.deeper(input, |this| {
            this.commas(inside, |this, input| {
                let (rest, element) = this.initializer(input)?;
                elements.push(element);
                Ok((rest, ()))
            })
        })?;
        let (rest, ()) = self.punctuation(rest, b'}', "`,` or `}`")?;
        Ok((rest, InitializerKind::List(elements.into_boxed_slice())))
    }

    /// `symbol+4`, `generic(symbol)+4`, `field = value`
    fn named_initializer(&mut self, input: Input<'a>) -> Step<'a, InitializerKind> {
        if let Some(inside) = self.generic(input) {
            let (rest, symbol) = self.name(inside, "a symbol")?;
            let (rest, ()) = self.punctuation(rest, b')', "`)`")?;
            let (rest, offset) = self.offset_of_name(rest)?;
            return Ok((rest, InitializerKind::Generic { symbol, offset }));
        }
        let (rest, name) = self.ident(input, "a symbol")?;
        if let Some(next) = self.take(rest, b'=') {
            let (rest, value) = self.deeper(input, |this| this.initializer(next))?;
            return Ok((rest, InitializerKind::Field(Box::new((name, value)))));
        }
        let (rest, offset) = self.offset_of_name(rest)?;
        Ok((rest, InitializerKind::Address { symbol: name.name, offset }))
    }

    /// Past `generic(`, if it stands here.
    fn generic(&mut self, input: Input<'a>) -> Option<Input<'a>> {
        let after = lex::trivia(input.strip_prefix(b"generic")?);
        self.take(after, b'(')
    }

    /// `(symbol+4)` or `(generic(symbol)+4)` after a mask.
    fn masked_address(&mut self, input: Input<'a>, mask: u64) -> Step<'a, InitializerKind> {
        let inside = self.advance(&input[1..]);
        let generic = self.generic(inside);
        let (rest, symbol) = self.name(generic.unwrap_or(inside), "a symbol")?;
        let rest = match generic {
            Some(_) => self.punctuation(rest, b')', "`)`")?.0,
            None => rest,
        };
        let (rest, offset) = self.offset_of_name(rest)?;
        let (rest, ()) = self.punctuation(rest, b')', "`)`")?;
        let masked = MaskedAddress { mask, generic: generic.is_some(), symbol, offset };
        Ok((rest, InitializerKind::MaskedAddress(Box::new(masked))))
    }

    /// `(.param .u64 a, .param .align 8 .b8 s[16])`, `()`, or nothing at all.
    pub(super) fn parameters(&mut self, input: Input<'a>) -> Step<'a, Vec<Parameter>> {
        let mut parameters = Vec::new();
        let Some(inside) = self.take(input, b'(') else { return Ok((input, parameters)) };
        if let Some(rest) = self.take(inside, b')') {
            return Ok((rest, parameters));
        }
        let (rest, ()) = self.commas(inside, |this, input| {
            let (rest, parameter) = this.parameter(input)?;
            parameters.push(parameter);
            Ok((rest, ()))
        })?;
        let (rest, ()) = self.punctuation(rest, b')', "`,` or `)`")?;
        Ok((rest, parameters))
    }

    fn parameter(&mut self, input: Input<'a>) -> Step<'a, Parameter> {
        let (rest, prefix) = self.prefix(input)?;
        let (Some(space @ (StateSpace::Param | StateSpace::Reg)), true) =
            (prefix.space, prefix.attributes.is_empty())
        else {
            return Err(Fault::expected(input, "a parameter such as `.param .u64 name`"));
        };
        let Some(ty) = prefix.ty else { return Err(Fault::expected(rest, "a type")) };
        let (rest, name) = match rest {
            [b'_', after @ ..] if !after.first().is_some_and(|byte| lex::continues_word(*byte)) => {
                (self.advance(after), None)
            }
            _ => {
                let (rest, name) = self.ident(rest, "a parameter name")?;
                (rest, Some(name))
            }
        };
        let (rest, dimensions) = self.dimensions(rest)?;
        let Prefix { align, vector, pointer, .. } = prefix;
        let span = self.span(input);
        Ok((rest, Parameter { span, space, align, vector, ty, pointer, name, dimensions }))
    }

    /// The numbers of a directive: `256, 1, 1`.
    pub(super) fn numbers(&mut self, input: Input<'a>) -> Step<'a, Vec<u64>> {
        let mut numbers = Vec::new();
        let (rest, ()) = self.commas(input, |this, input| {
            let (rest, number) = this.plain(input, "a whole number")?;
            numbers.push(number);
            Ok((rest, ()))
        })?;
        Ok((rest, numbers))
    }
}
