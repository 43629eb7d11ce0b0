//! What stands inside function bodies: scopes, statements, instructions, operands and numbers.

use super::{Ident, Name, NumberDirective, Parameter, Pragma, RegisterDeclaration, Variable};
use crate::base::Span;

/// `{ … }`: a function body or a nested scope with its own names.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Block {
    /// With both braces.
    pub span: Span,
    pub statements: Vec<Statement>,
}

/// One statement of a body.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    Instruction(Instruction),
    /// `L:`
    Label(Ident),
    Block(Box<Block>),
    Registers(Box<RegisterDeclaration>),
    Variable(Box<Variable>),
    Location(Box<Location>),
    Pragma(Box<Pragma>),
    BranchTargets(Box<TargetList>),
    CallTargets(Box<TargetList>),
    CallPrototype(Box<CallPrototype>),
    Contract(Box<Contract>),
}

/// `// warpproof: assert %r1 < 32`: what the kernel's author promises, in a comment.
#[derive(Clone, PartialEq, Debug)]
pub struct Contract {
    /// Of the text behind the colon.
    pub span: Span,
    pub text: Name,
    /// The registers in it, with what stands behind a dot: `%r1`, `%tid.x`, `%r2.f32`.
    pub registers: Vec<(Ident, Option<Ident>)>,
}

/// `.loc 1 17 26, function_name $L__info_string0, inlined_at 1 20 5`
#[derive(Clone, PartialEq, Debug)]
pub struct Location {
    pub span: Span,
    pub place: SourcePlace,
    pub inlined: Option<Inlined>,
}

/// File number (of `.file`), line and column of a source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct SourcePlace {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// Where the code of a [`Location`] was inlined.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inlined {
    /// A label in `.debug_str` where the function's name stands, and an offset from it.
    pub function: Ident,
    pub offset: i64,
    pub place: SourcePlace,
}

/// `label: .branchtargets L1, L2;` or `label: .calltargets f, g;`
#[derive(Clone, PartialEq, Debug)]
pub struct TargetList {
    pub span: Span,
    pub label: Ident,
    pub targets: Vec<Ident>,
}

/// `label: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
#[derive(Clone, PartialEq, Debug)]
pub struct CallPrototype {
    pub span: Span,
    pub label: Ident,
    pub returns: Vec<Parameter>,
    pub parameters: Vec<Parameter>,
    pub directives: Vec<NumberDirective>,
}

/// `@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];`
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// From the guard to the semicolon.
    pub span: Span,
    pub guard: Option<Guard>,
    pub opcode: Opcode,
    pub operands: Vec<Operand>,
}

/// `@p` or `@!p`
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guard {
    /// With the `@`.
    pub span: Span,
    pub register: Name,
    pub negated: bool,
}

/// An opcode with all its suffixes, as written, as one name: `ld.global.v4.f32`.
///
/// A module has some hundred distinct ones, so a side table indexed by [`Name::index`] resolves each
/// once. [`Module::opcode`] takes it apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opcode {
    pub name: Name,
    pub span: Span,
}

/// An opcode taken apart.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeParts<'n> {
    text: &'n str,
}

impl<'n> OpcodeParts<'n> {
    /// Takes the text of an opcode apart.
    pub fn new(text: &'n str) -> Self {
        OpcodeParts { text }
    }

    /// The whole opcode: `cp.async.cg.shared.global.L2::128B`.
    pub fn text(self) -> &'n str {
        self.text
    }

    /// What stands before the first dot: `cp`.
    pub fn base(self) -> &'n str {
        self.text.split('.').next().unwrap_or("")
    }

    /// What stands between the dots, in the order written: `async`, `cg`, `shared`, `global`,
    /// `L2::128B`.
    pub fn suffixes(self) -> impl Iterator<Item = &'n str> {
        self.text.split('.').skip(1)
    }

    /// Where the given suffix (counted from 0) stands, without its dot; the whole opcode if its
    /// parts are not written together.
    pub fn suffix_span(self, opcode: Span, index: usize) -> Span {
        if (opcode.end - opcode.start) as usize != self.text.len() {
            return opcode;
        }
        let mut start = opcode.start as usize;
        for (at, part) in self.text.split('.').enumerate() {
            if at == index + 1 {
                return Span::new(start, start + part.len());
            }
            start += part.len() + 1;
        }
        opcode
    }
}

/// One operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    pub span: Span,
    pub kind: OperandKind,
}

/// What an [`Operand`] says.
#[derive(Clone, PartialEq, Debug)]
pub enum OperandKind {
    /// A register, special register, variable, label or function.
    Name(Name),
    /// `%tid.x`, `v.y`, `a.b0`: a part of a name.
    Component { name: Name, component: Name },
    /// `symbol+8` without brackets: an address as a value.
    Offset { name: Name, offset: i64 },
    /// `symbol[4]`, `symbol[%r1]`, `symbol[%r1+1]` without brackets around it: an element of an array.
    Element { name: Name, index: Option<Name>, offset: i64 },
    /// A number.
    Literal(Literal),
    /// `[base+offset]`
    Address(Address),
    /// `[base, {x, y}]`, `[texture, sampler, {x}]`: an address with coordinates.
    Coordinates(Box<Coordinates>),
    /// `!p`
    Not(Name),
    /// `-%r1`, `-%r1.h0`: a negated source of a video instruction.
    Minus(Box<Operand>),
    /// `_`
    Sink,
    /// `{a, b}`
    Vector(Box<[Operand]>),
    /// `a|b`
    Pair(Box<(Operand, Operand)>),
    /// `(a, b)`: the arguments or results of a call.
    List(Box<[Operand]>),
}

/// `[base+offset]`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// A register or symbol; `None` for an absolute address.
    pub base: Option<Name>,
    /// In bytes.
    pub offset: i64,
    /// `[base].unified`
    pub unified: bool,
}

/// `[base+offset, rest …]`
#[derive(Clone, PartialEq, Debug)]
pub struct Coordinates {
    pub address: Address,
    /// What follows the address inside the brackets; at least one.
    pub rest: Vec<Operand>,
}

/// A number as PTX means it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// 64-bit two's complement. `unsigned` is the `U` suffix, or a value that only fits unsigned.
    Integer { bits: u64, unsigned: bool },
    /// `0f3F800000`: the bits of an f32.
    F32(u32),
    /// `0d3FF0000000000000` or `1.0`: the bits of an f64.
    F64(u64),
}
