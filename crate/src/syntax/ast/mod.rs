//! The syntax tree of one PTX module: what the text says, with nothing resolved.
//!
//! The tree keeps everything a reader of the kernel could mean by the text and drops only layout,
//! comments, preprocessor lines and the spelling of numbers. Names are not resolved: registers,
//! variables, labels and functions are all [`Name`]s, and opcodes stand as written, known or not
//! (`ir` decides). Two shorthands are expanded while parsing: `.shared .b32 a, b;` becomes two
//! variables, and constant expressions become their value (64-bit two's complement).
//!
//! Sizes matter: files reach a million lines. Names and spans take four and eight bytes, an operand
//! 32, and what is rare is boxed.
//!
//! Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types and variables), 6 (operands) and
//! 11 (directives).

mod body;

pub use self::body::*;
pub use super::names::{Name, Names};
use crate::base::{Format, Span};

/// A name where it is mentioned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// One PTX file.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Module {
    /// The texts of all names below.
    pub names: Names,
    /// What stands at the top level, in source order.
    pub items: Vec<Item>,
}

impl Module {
    /// All functions and kernels, with and without bodies, in source order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// All module-scope variables in source order.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            _ => None,
        })
    }

    /// The `.version` that opens the module.
    pub fn version(&self) -> Option<&Version> {
        self.items.iter().find_map(|item| match item {
            Item::Version(version) => Some(version),
            _ => None,
        })
    }

    /// Base name and suffixes of an opcode.
    pub fn opcode(&self, opcode: Opcode) -> OpcodeParts<'_> {
        OpcodeParts::new(&self.names[opcode.name])
    }
}

/// Something at the top level of a module.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    Version(Version),
    Target(Target),
    AddressSize(AddressSize),
    File(File),
    Section(Section),
    Pragma(Pragma),
    Variable(Variable),
    /// Registers at module scope (allowed where the ABI is not used).
    Registers(RegisterDeclaration),
    Function(Function),
    Alias(Alias),
}

/// `.version 9.0`
#[derive(Clone, PartialEq, Debug)]
pub struct Version {
    pub span: Span,
    pub major: u32,
    pub minor: u32,
}

/// `.target sm_90a, debug`
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    pub span: Span,
    pub names: Vec<Ident>,
}

/// `.address_size 64`
#[derive(Clone, PartialEq, Debug)]
pub struct AddressSize {
    pub span: Span,
    pub bits: u32,
}

/// `.file 1 "kernel.cu", 1700000000, 4096`
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    pub span: Span,
    /// The number that `.loc` refers to.
    pub number: u64,
    /// The text between the quotes, as written.
    pub path: Name,
    /// Modification time and size.
    pub stamp: Option<(u64, u64)>,
}

/// `.section .debug_str { … }`: debugging data, kept as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    pub span: Span,
    /// With its leading dot.
    pub name: Ident,
    /// The text between the braces, as written.
    pub body: Name,
}

/// `.pragma "nounroll", …;`
#[derive(Clone, PartialEq, Debug)]
pub struct Pragma {
    pub span: Span,
    /// The texts between the quotes, as written.
    pub texts: Vec<Ident>,
}

/// `.alias f, g;`
#[derive(Clone, PartialEq, Debug)]
pub struct Alias {
    pub span: Span,
    pub alias: Ident,
    pub target: Ident,
}

/// Who can see a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Linkage {
    Extern,
    Visible,
    Weak,
    Common,
}

impl Linkage {
    /// All of them.
    pub const ALL: [Linkage; 4] = [Linkage::Extern, Linkage::Visible, Linkage::Weak, Linkage::Common];

    /// The directive without its dot.
    pub const fn name(self) -> &'static str {
        match self {
            Linkage::Extern => "extern",
            Linkage::Visible => "visible",
            Linkage::Weak => "weak",
            Linkage::Common => "common",
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StateSpace {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
    /// Deprecated: `.tex .u32 t;`
    Tex,
}

impl StateSpace {
    /// All of them.
    pub const ALL: [StateSpace; 7] = [
        StateSpace::Reg,
        StateSpace::Const,
        StateSpace::Global,
        StateSpace::Local,
        StateSpace::Param,
        StateSpace::Shared,
        StateSpace::Tex,
    ];

    /// The directive without its dot.
    pub const fn name(self) -> &'static str {
        match self {
            StateSpace::Reg => "reg",
            StateSpace::Const => "const",
            StateSpace::Global => "global",
            StateSpace::Local => "local",
            StateSpace::Param => "param",
            StateSpace::Shared => "shared",
            StateSpace::Tex => "tex",
        }
    }
}

/// The type of a register, variable or parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A single number: `.b8` … `.f64`.
    Scalar(Format),
    /// `.pred`
    Predicate,
    /// `.b128`
    B128,
    /// `.f16x2`
    F16x2,
    /// `.bf16x2`
    Bf16x2,
    /// `.texref`, `.samplerref`, `.surfref`
    Texref,
    #[allow(missing_docs)]
    Samplerref,
    #[allow(missing_docs)]
    Surfref,
}

impl Type {
    /// The spelling without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Scalar(format) => format.name(),
            Type::Predicate => "pred",
            Type::B128 => "b128",
            Type::F16x2 => "f16x2",
            Type::Bf16x2 => "bf16x2",
            Type::Texref => "texref",
            Type::Samplerref => "samplerref",
            Type::Surfref => "surfref",
        }
    }

    /// The type with that spelling.
    pub fn from_name(name: &str) -> Option<Type> {
        let rare = [
            Type::Predicate,
            Type::B128,
            Type::F16x2,
            Type::Bf16x2,
            Type::Texref,
            Type::Samplerref,
            Type::Surfref,
        ];
        rare.into_iter().find(|ty| ty.name() == name).or_else(|| match Format::from_name(name)? {
            format if is_declared(format) => Some(Type::Scalar(format)),
            _ => None,
        })
    }
}

/// Whether registers and variables have that type: not those that only instructions know.
fn is_declared(format: Format) -> bool {
    format != Format::Tf32 && !(format.is_float() && format.bytes() == 1)
}

/// `.reg .v2 .b32 %r<10>, a, b;`
#[derive(Clone, PartialEq, Debug)]
pub struct RegisterDeclaration {
    pub span: Span,
    /// Elements of a vector register (`.v2`, `.v4`).
    pub vector: Option<u8>,
    pub ty: Type,
    pub names: Vec<RegisterName>,
}

/// One name of a register declaration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RegisterName {
    pub span: Span,
    /// The name, or the prefix of a range.
    pub name: Name,
    /// `%r<10>` declares `%r0` … `%r9`; ranges are never expanded here.
    pub count: Option<u32>,
}

/// A variable of any space but `.reg`, at module or function scope.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub space: StateSpace,
    pub attributes: Vec<Attribute>,
    /// `.align`, in bytes.
    pub align: Option<u64>,
    /// Elements of a vector (`.v2`, `.v4`, `.v8`).
    pub vector: Option<u8>,
    pub ty: Type,
    pub name: Ident,
    /// `name<10>` declares `name0` … `name9`.
    pub count: Option<u32>,
    /// Array extents, outermost first; `None` is `[]`.
    pub dimensions: Vec<Option<u64>>,
    pub initializer: Option<Initializer>,
}

/// `.attribute(.managed)`, `.attribute(.unified(1, 2))`
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Without its dot.
    pub name: Ident,
    pub arguments: Vec<Literal>,
}

/// The initial value of a variable or of one of its elements.
#[derive(Clone, PartialEq, Debug)]
pub struct Initializer {
    pub span: Span,
    pub kind: InitializerKind,
}

/// What an [`Initializer`] says.
#[derive(Clone, PartialEq, Debug)]
pub enum InitializerKind {
    /// `1`, `0f3F800000`
    Literal(Literal),
    /// `symbol+offset`: the address in the symbol's own space.
    Address { symbol: Name, offset: i64 },
    /// `generic(symbol)+offset`
    Generic { symbol: Name, offset: i64 },
    /// `0xFF00(symbol+offset)`: the masked byte of an address.
    MaskedAddress(Box<MaskedAddress>),
    /// `{ … }`
    List(Box<[Initializer]>),
    /// `addr_mode_0 = clamp_to_border`, `width = 1` in a texture, sampler or surface.
    Field(Box<(Ident, Initializer)>),
}

/// `0xFF00(symbol+offset)` or `0xFF00(generic(symbol)+offset)`
#[derive(Clone, PartialEq, Debug)]
pub struct MaskedAddress {
    pub mask: u64,
    pub generic: bool,
    pub symbol: Name,
    pub offset: i64,
}

/// A function or kernel, or the prototype of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// From the first directive to the end of the signature (not of the body).
    pub span: Span,
    pub linkage: Option<Linkage>,
    /// `.entry`, as against `.func`.
    pub is_entry: bool,
    pub attributes: Vec<Attribute>,
    pub returns: Vec<Parameter>,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub directives: Vec<FunctionDirective>,
    /// `None` for a prototype.
    pub body: Option<Block>,
}

/// A directive between a function's signature and its body.
#[derive(Clone, PartialEq, Debug)]
pub enum FunctionDirective {
    /// `.maxntid 256, 1, 1`, `.noreturn`, `.minnctapersm 2`, …, known or not.
    Numbers(NumberDirective),
    Pragma(Pragma),
}

/// `.maxntid 256, 1, 1`
#[derive(Clone, PartialEq, Debug)]
pub struct NumberDirective {
    pub span: Span,
    /// Without its dot.
    pub name: Name,
    pub numbers: Vec<u64>,
}

/// A parameter or return value.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub span: Span,
    /// `.param`, or `.reg` in a `.func`.
    pub space: StateSpace,
    /// `.align` before or after the type, in bytes.
    pub align: Option<u64>,
    pub vector: Option<u8>,
    pub ty: Type,
    /// `.ptr .global .align 16`
    pub pointer: Option<Pointer>,
    /// `None` is `_` (call prototypes).
    pub name: Option<Ident>,
    /// Array extents, outermost first; `None` is `[]`.
    pub dimensions: Vec<Option<u64>>,
}

/// What a pointer parameter points to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pointer {
    /// `None` is generic.
    pub space: Option<StateSpace>,
    /// In bytes.
    pub align: Option<u64>,
    /// A texture, sampler or surface.
    pub object: Option<Type>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_as_small_as_promised() {
        assert_eq!(size_of::<Operand>(), 32);
        assert!(size_of::<Instruction>() <= 72, "{}", size_of::<Instruction>());
        assert!(size_of::<Statement>() <= 72, "{}", size_of::<Statement>());
        assert!(size_of::<Initializer>() <= 32);
    }

    #[test]
    fn an_opcode_comes_apart_at_its_dots() {
        let opcode = OpcodeParts::new("cp.async.cg.shared.global.L2::128B");
        assert_eq!(opcode.base(), "cp");
        assert_eq!(opcode.suffixes().collect::<Vec<_>>(), ["async", "cg", "shared", "global", "L2::128B"]);
        assert_eq!(opcode.suffix_span(Span::new(10, 44), 4), Span::new(36, 44));
        assert_eq!(opcode.suffix_span(Span::new(10, 45), 4), Span::new(10, 45));
    }

    #[test]
    fn types_are_spelled_as_they_are_read() {
        for format in Format::ALL {
            let declared = is_declared(format).then_some(Type::Scalar(format));
            assert_eq!(Type::from_name(format.name()), declared);
        }
        assert_eq!(Type::from_name("pred"), Some(Type::Predicate));
        assert_eq!(Type::from_name("q32"), None);
    }
}
