//! The types of the lowered kernel.

use crate::base::{Declared, Format, FormatClass, Source, Span, id, readable};
use crate::isa::{Effect, Geometry, Space, ViewKind};
use std::ops::Range;

id!(
    /// A register of the kernel; constants and special registers included.
    Reg, "r"
);

/// What a register is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisterKind {
    /// Declared in PTX (or made by inlining); starts undefined.
    Virtual {
        /// Width in bits; 1 for predicates.
        bits: u32,
    },
    /// Holds a constant.
    Constant(Constant),
    /// Holds a special register that is fixed while a CTA runs.
    Special(SpecialReg),
    /// Written and never read (`_`).
    Sink,
}

/// What a constant register holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// These bits.
    Bits(u64),
    /// The address of `Kernel::variables[index]` in its own space, plus an offset.
    Address {
        /// Index into [`Kernel::variables`].
        variable: u32,
        /// Added to it.
        offset: i64,
        /// As a generic address (initializers and `generic(x)`).
        generic: bool,
    },
    /// Half of the address of `Kernel::variables[index]`, the upper 32 bits or the lower ones.
    AddressHalf {
        /// Index into [`Kernel::variables`].
        variable: u32,
        /// Which half.
        upper: bool,
    },
    /// The address of the kernel parameter block's byte (parameter space).
    ParameterAddress(u32),
}

/// Special registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum SpecialReg {
    /// Axis 0, 1, 2 = x, y, z.
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    ClusterId(u8),
    Nclusterid(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    DynamicSharedSize,
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate register.
    pub predicate: Reg,
    /// Execute where it is false.
    pub negated: bool,
}

/// One lowered instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    /// What it does.
    pub effect: Effect,
    /// Which lanes do it.
    pub guard: Option<Guard>,
    /// Destinations in [`Kernel::operands`].
    pub dst: Range<u32>,
    /// Sources in [`Kernel::operands`].
    pub src: Range<u32>,
    /// Added to the address of memory instructions, in bytes.
    pub offset: i64,
    /// Branch target: an index into [`Kernel::code`] (for `BranchIndexed`: into
    /// [`Kernel::tables`]).
    pub target: u32,
    /// The instruction as written.
    pub span: Span,
    /// Index into [`Kernel::locations`], or `u32::MAX`.
    pub location: u32,
    /// Index into the instruction table, or `u32::MAX` where there is no row.
    pub row: u32,
    /// Index into [`Kernel::opcodes`], or `u32::MAX` for what the lowering added.
    pub opcode: u32,
}

/// A place in the source that the PTX was compiled from (`.loc`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// Index into [`Kernel::files`], or `u32::MAX`.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// The call that the compiler inlined: an index into [`Kernel::locations`], or `u32::MAX`.
    pub caller: u32,
}

/// A kernel parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// As in PTX.
    pub name: String,
    /// Byte offset in the parameter block.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Declared element type.
    pub format: Format,
    /// A `.b8 name[N]` struct or array.
    pub aggregate: bool,
    /// What the kernel reads of a struct, ascending; empty where it reads at places that it works out.
    pub fields: Vec<Field>,
    /// Whether the kernel uses (part of) it as a pointer, as far as the PTX shows.
    pub pointer: bool,
    /// The element format of the accesses made through it, as far as the PTX shows.
    pub pointee: Option<Format>,
    /// The PTX uses it as a texture, a sampler or a surface, and as one of what kind.
    pub view: Option<(ViewKind, Option<Geometry>)>,
    /// As what instructions take its bits, whatever it is declared as; `None` where nothing shows, or both do.
    pub reading: Option<Reading>,
    /// Whether an instruction writes through it; `None` where the PTX does not show where some instruction writes.
    pub written: Option<bool>,
    /// What the source declares, where the kernel's mangled name says it.
    pub declared: Option<Declared>,
    /// What it points at is aligned so (`.ptr .align`), in bytes; 1 where nothing is said.
    pub pointee_align: u32,
    /// Where it is declared.
    pub span: Span,
}

/// As what a number's bits are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As a float.
    Float(Format),
    /// As an integer.
    Integer,
}

impl Parameter {
    /// As what its number is taken: as declared, and of bits as the instructions show; `None` where it may be either.
    pub fn number(&self) -> Option<Reading> {
        match self.format.class() {
            FormatClass::Float if !self.aggregate => Some(Reading::Float(self.format)),
            FormatClass::Signed | FormatClass::Unsigned if !self.aggregate => {
                self.reading.or(Some(Reading::Integer))
            }
            _ => self.reading,
        }
    }
}

/// A part of a struct that is passed by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Byte offset in the struct.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// As what it is read, as far as the PTX shows.
    pub format: Format,
    /// Whether it is used as a pointer, as far as the PTX shows.
    pub pointer: bool,
    /// The element format of the accesses made through it, as far as the PTX shows.
    pub pointee: Option<Format>,
    /// The PTX uses it as a texture, a sampler or a surface, and as one of what kind.
    pub view: Option<(ViewKind, Option<Geometry>)>,
    /// Whether an instruction writes through it; `None` where the PTX does not show where some instruction writes.
    pub written: Option<bool>,
    /// Several bytes that are read one by one, as compilers copy padding.
    pub bytewise: bool,
}

impl Field {
    /// As what its number is taken; `None` where it may be either.
    pub fn number(&self) -> Option<Reading> {
        match self.format.class() {
            FormatClass::Float => Some(Reading::Float(self.format)),
            FormatClass::Signed | FormatClass::Unsigned => Some(Reading::Integer),
            FormatClass::Bits => None,
        }
    }

    /// Whether it is a flag or padding: it may hold anything where nothing is said of it.
    pub fn is_any(&self) -> bool {
        self.bytewise || self.size <= 2
    }
}

/// The name of the memory that a driver gives each cooperative launch, for its barrier over the grid; no PTX can
/// call a variable so.
pub const WORKSPACE: &str = "grid.workspace";

/// A variable in shared, local, global or constant memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// As in PTX; inlined functions' locals carry their function's name.
    pub name: String,
    /// Shared, Local, Global or Const.
    pub space: Space,
    /// Declared element format.
    pub format: Format,
    /// Alignment in bytes.
    pub align: u32,
    /// Bytes; `None` for `.extern .shared x[]` (dynamic shared memory).
    pub size: Option<u64>,
    /// Offset in shared or local space (laid out by the lowering; dynamic shared memory begins
    /// behind the static part); unused for global and const.
    pub offset: u64,
    /// Initial bytes of global and const variables (shorter than `size`: the rest is zero).
    pub init: Vec<u8>,
    /// Addresses stored in the initial bytes: byte offset, and what stands there.
    pub relocations: Vec<(u64, Constant)>,
    /// Whether it has an initializer.
    pub initialized: bool,
    /// Other modules can name it (`.visible`, `.weak`, `.common`, `.extern`).
    pub exported: bool,
    /// It stands for a function: it has an address and no bytes.
    pub is_function: bool,
    /// It is a texture, a sampler or a surface (`.texref`, …): it has an address and no bytes.
    pub view: Option<ViewKind>,
    /// The fields that such a variable is declared with, `addr_mode_0` and `clamp_to_edge`.
    pub settings: Vec<(String, String)>,
    /// The element format of the accesses made to it, as far as the PTX shows.
    pub pointee: Option<Format>,
    /// Where it is declared.
    pub span: Span,
}

/// A kernel, ready to execute.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The entry's name.
    pub name: String,
    /// In order.
    pub parameters: Vec<Parameter>,
    /// Bytes of the parameter block.
    pub parameter_bytes: u32,
    /// What each register is, by id.
    pub registers: Vec<RegisterKind>,
    /// Names for messages, by id; empty for constants.
    pub register_names: Vec<String>,
    /// The instructions. Execution begins at 0 and never runs off the end (an Exit is appended).
    pub code: Vec<Instr>,
    /// Operand pool.
    pub operands: Vec<Reg>,
    /// Jump tables of indexed branches.
    pub tables: Vec<Vec<u32>>,
    /// All variables the kernel can reach.
    pub variables: Vec<Variable>,
    /// Global and const variables that its module declares, whether or not the kernel reaches them.
    pub module_variables: Vec<String>,
    /// Bytes of statically laid out shared memory.
    pub shared_bytes: u64,
    /// Bytes of local memory a thread has.
    pub local_bytes: u64,
    /// Opcodes with their suffixes, as written.
    pub opcodes: Vec<String>,
    /// Which text it was lowered from.
    pub source: Source,
    /// It stands for a formula: its instructions are statements, and nothing executes them.
    pub formula: bool,
    /// Source locations.
    pub locations: Vec<Location>,
    /// Source files.
    pub files: Vec<String>,
    /// `.reqntid`, where given.
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`, where given.
    pub max_block: Option<[u32; 3]>,
    /// Several CTAs may form a cluster.
    pub clustered: bool,
    /// `.reqnctapercluster`, where given.
    pub required_cluster: Option<[u32; 3]>,
    /// Why an instruction is unsupported: instruction index and reason, ascending.
    pub notes: Vec<(u32, String)>,
    /// For each instruction, where control meets again after a branch there (immediate
    /// post-dominator), or `u32::MAX`.
    pub reconverge: Vec<u32>,
    /// Loops around aligned barriers.
    pub rounds: Vec<Round>,
    /// What its author claims in comments.
    pub claims: Vec<Claim>,
}

/// What a contract of the kernel's author is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimKind {
    /// Holds of the inputs, the scalars and the launch.
    Requires,
    /// Holds of the outputs.
    Ensures,
    /// Holds whenever a thread comes by.
    Assert,
}

/// A contract that the kernel's author has written into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What it is.
    pub kind: ClaimKind,
    /// The word that it begins with: `invariant` is another word for `assert`, `config` for `requires`.
    pub word: String,
    /// The condition, as written.
    pub text: String,
    /// Where that stands.
    pub span: Span,
    /// The registers in it as they are written there, the format in which each is read (`None`: a predicate),
    /// and whether the author says so; in the order of the instruction's sources.
    pub registers: Vec<(String, Option<Format>, bool)>,
    /// It speaks of other threads, too.
    pub others: bool,
}

/// A loop around aligned barriers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The branches back to its head.
    pub branches: Vec<u32>,
    /// The aligned barriers in it, ascending; none where lanes cannot be compared.
    pub barriers: Vec<u32>,
    /// Which others lie within it.
    pub within: Vec<usize>,
}

impl Kernel {
    /// What stands in a kernel's place where the reference is a formula: statements, which are places in the
    /// text as instructions are.
    pub fn of_formula(source: Source, statements: impl Iterator<Item = Span>) -> Kernel {
        let statement = |span: Span| Instr {
            effect: Effect::Exit,
            guard: None,
            dst: 0..0,
            src: 0..0,
            offset: 0,
            target: u32::MAX,
            span,
            location: u32::MAX,
            row: u32::MAX,
            opcode: u32::MAX,
        };
        let code: Vec<Instr> = statements.map(statement).collect();
        Kernel {
            name: "formula".to_owned(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            registers: Vec::new(),
            register_names: Vec::new(),
            reconverge: vec![u32::MAX; code.len()],
            code,
            operands: Vec::new(),
            tables: Vec::new(),
            variables: Vec::new(),
            module_variables: Vec::new(),
            shared_bytes: 0,
            local_bytes: 0,
            opcodes: Vec::new(),
            source,
            formula: true,
            locations: Vec::new(),
            files: Vec::new(),
            required_block: None,
            max_block: None,
            clustered: false,
            required_cluster: None,
            notes: Vec::new(),
            rounds: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// The name as its author wrote it, for people.
    pub fn title(&self) -> std::borrow::Cow<'_, str> {
        readable(&self.name)
    }

    /// Destinations of an instruction.
    #[inline]
    pub fn dst(&self, instr: &Instr) -> &[Reg] {
        &self.operands[instr.dst.start as usize..instr.dst.end as usize]
    }

    /// The opcode of the instruction at `pc` as written, for a call of a function without a body
    /// the function's name; empty for what the lowering added.
    pub fn opcode(&self, pc: u32) -> &str {
        self.opcodes.get(self.code[pc as usize].opcode as usize).map_or("", String::as_str)
    }

    /// Why the instruction at `pc` is unsupported.
    pub fn note(&self, pc: u32) -> &str {
        let at = self.notes.binary_search_by_key(&pc, |(instr, _)| *instr);
        at.map_or("this instruction is not supported", |at| &self.notes[at].1)
    }

    /// Sources of an instruction.
    #[inline]
    pub fn src(&self, instr: &Instr) -> &[Reg] {
        &self.operands[instr.src.start as usize..instr.src.end as usize]
    }
}
