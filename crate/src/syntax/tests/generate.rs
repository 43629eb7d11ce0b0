//! Generated trees print to text that parses to the same tree.
//!
//! Proptest chooses a tape of numbers, and [`Tape`] builds a module by reading it: each choice takes
//! the next number, and an empty tape chooses the simplest. So proptest shrinks a failing tree by
//! shortening the tape. Names are interned in the order in which they print, as a parser would.

use proptest::prelude::*;

use super::super::ast::*;
use crate::base::{Format, Source, Span};
use crate::syntax::{parse, print};

const NOWHERE: Span = Span { start: 0, end: 0 };

struct Tape {
    choices: Vec<u32>,
    at: usize,
    names: Names,
    depth: u32,
}

impl Tape {
    fn below(&mut self, limit: u32) -> u32 {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice % limit
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    fn maybe<T>(&mut self, some: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flag() { Some(some(self)) } else { None }
    }

    fn list<T>(&mut self, least: u32, most: u32, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| one(self)).collect()
    }

    fn wide(&mut self) -> u64 {
        match self.below(4) {
            0 => u64::from(self.below(100)),
            1 => u64::MAX - u64::from(self.below(3)),
            2 => (i64::MAX as u64) - 1 + u64::from(self.below(4)),
            _ => u64::from(self.below(u32::MAX)) << 32 | u64::from(self.below(u32::MAX)),
        }
    }

    fn name(&mut self) -> Name {
        const NAMES: [&str; 10] =
            ["a", "%r1", "%tid", "$L__BB0_2", "s$1", "$str$3", "__x", "generic_", "_Z3fooPf", "%p"];
        let name = self.of(&NAMES);
        self.names.intern(name)
    }

    fn ident(&mut self) -> Ident {
        Ident { name: self.name(), span: NOWHERE }
    }

    fn text(&mut self) -> Ident {
        let text = self.of(&["", "nounroll", "used_bytes_mask 61695", "C:\\\\k.cu", "ä \\\" //"]);
        Ident { name: self.names.intern(text), span: NOWHERE }
    }

    fn literal(&mut self) -> Literal {
        match self.below(4) {
            0 => Literal::Integer { bits: u64::from(self.below(100)), unsigned: false },
            1 => Literal::F32(self.below(u32::MAX)),
            2 => Literal::F64(self.wide()),
            _ => Literal::Integer { bits: self.wide(), unsigned: self.flag() },
        }
    }

    fn offset(&mut self) -> i64 {
        self.wide() as i64
    }

    fn ty(&mut self) -> Type {
        let scalar = Type::Scalar;
        self.of(&[
            scalar(Format::B32),
            scalar(Format::F64),
            scalar(Format::Bf16),
            scalar(Format::S8),
            Type::Predicate,
            Type::B128,
            Type::F16x2,
            Type::Bf16x2,
            Type::Texref,
            Type::Samplerref,
            Type::Surfref,
        ])
    }

    fn module(mut self) -> Module {
        let items = self.list(0, 12, Self::item);
        Module { names: self.names, items }
    }

    fn item(&mut self) -> Item {
        let span = NOWHERE;
        match self.below(10) {
            0 => Item::Version(Version { span, major: self.below(10), minor: self.below(10) }),
            1 => Item::Target(Target { span, names: self.list(1, 3, Self::ident) }),
            2 => Item::AddressSize(AddressSize { span, bits: self.of(&[32, 64]) }),
            3 => {
                let number = self.wide();
                let path = self.text().name;
                let stamp = self.maybe(|tape| (tape.wide(), tape.wide()));
                Item::File(File { span, number, path, stamp })
            }
            4 => {
                let name = Ident { name: self.names.intern(".debug_str"), span };
                let body =
                    self.of(&["", " ", "\n.b8 1 // }\n$L__x:\n.b32 .debug_info+4\n", " \"}\" /* } */ "]);
                Item::Section(Section { span, name, body: self.names.intern(body) })
            }
            5 => Item::Pragma(self.pragma()),
            6 => Item::Variable(self.variable(true)),
            7 => Item::Registers(self.registers()),
            8 => Item::Alias(Alias { span, alias: self.ident(), target: self.ident() }),
            _ => Item::Function(self.function()),
        }
    }

    fn pragma(&mut self) -> Pragma {
        Pragma { span: NOWHERE, texts: self.list(1, 2, Self::text) }
    }

    fn registers(&mut self) -> RegisterDeclaration {
        let vector = self.maybe(|tape| tape.of(&[2, 4]));
        let ty = self.ty();
        let names = self.list(1, 3, |tape| RegisterName {
            span: NOWHERE,
            name: tape.name(),
            count: tape.maybe(|tape| tape.below(u32::MAX)),
        });
        RegisterDeclaration { span: NOWHERE, vector, ty, names }
    }

    fn attribute(&mut self) -> Attribute {
        let name = self.of(&["managed", "unified"]);
        let name = Ident { name: self.names.intern(name), span: NOWHERE };
        Attribute { name, arguments: self.list(0, 2, Self::literal) }
    }

    fn variable(&mut self, top: bool) -> Variable {
        use StateSpace::*;
        let linkage = self.maybe(|tape| tape.of(&Linkage::ALL));
        let space =
            if top { self.of(&[Global, Const, Shared, Tex]) } else { self.of(&[Local, Shared, Param]) };
        Variable {
            span: NOWHERE,
            linkage,
            space,
            attributes: self.list(0, 2, Self::attribute),
            align: self.maybe(Self::wide),
            vector: self.maybe(|tape| tape.of(&[2, 4, 8])),
            ty: self.ty(),
            name: self.ident(),
            count: self.maybe(|tape| tape.below(100)),
            dimensions: self.list(0, 2, |tape| tape.maybe(Self::wide)),
            initializer: self.maybe(Self::initializer),
        }
    }

    fn initializer(&mut self) -> Initializer {
        let kinds = if self.depth < 4 { 6 } else { 4 };
        self.depth += 1;
        let kind = match self.below(kinds) {
            0 => InitializerKind::Literal(self.literal()),
            1 => InitializerKind::Address { symbol: self.name(), offset: self.offset() },
            2 => InitializerKind::Generic { symbol: self.name(), offset: self.offset() },
            3 => InitializerKind::MaskedAddress(Box::new(MaskedAddress {
                mask: self.wide(),
                generic: self.flag(),
                symbol: self.name(),
                offset: self.offset(),
            })),
            4 => InitializerKind::List(self.list(0, 3, Self::initializer).into()),
            _ => InitializerKind::Field(Box::new((self.ident(), self.initializer()))),
        };
        self.depth -= 1;
        Initializer { span: NOWHERE, kind }
    }

    fn parameter(&mut self, named: bool) -> Parameter {
        Parameter {
            span: NOWHERE,
            space: self.of(&[StateSpace::Param, StateSpace::Reg]),
            align: self.maybe(Self::wide),
            vector: self.maybe(|tape| tape.of(&[2, 4])),
            ty: self.ty(),
            pointer: self.maybe(|tape| Pointer {
                space: tape
                    .maybe(|tape| tape.of(&[StateSpace::Global, StateSpace::Const, StateSpace::Shared])),
                align: tape.maybe(Self::wide),
                object: tape.maybe(|tape| tape.of(&[Type::Texref, Type::Samplerref, Type::Surfref])),
            }),
            name: if named { Some(self.ident()) } else { self.maybe(Self::ident) },
            dimensions: self.list(0, 2, |tape| tape.maybe(Self::wide)),
        }
    }

    fn number_directive(&mut self) -> NumberDirective {
        let name = self.of(&["maxntid", "noreturn", "made_up"]);
        NumberDirective { span: NOWHERE, name: self.names.intern(name), numbers: self.list(0, 3, Self::wide) }
    }

    fn function(&mut self) -> Function {
        let is_entry = self.flag();
        Function {
            span: NOWHERE,
            linkage: self.maybe(|tape| tape.of(&Linkage::ALL)),
            is_entry,
            attributes: self.list(0, 1, Self::attribute),
            returns: if is_entry { Vec::new() } else { self.list(0, 1, |tape| tape.parameter(true)) },
            name: self.ident(),
            parameters: self.list(0, 3, |tape| tape.parameter(true)),
            directives: self.list(0, 2, |tape| match tape.flag() {
                false => FunctionDirective::Numbers(tape.number_directive()),
                true => FunctionDirective::Pragma(tape.pragma()),
            }),
            body: self.maybe(Self::block),
        }
    }

    fn block(&mut self) -> Block {
        self.depth += 1;
        let statements = self.list(0, 6, Self::statement);
        self.depth -= 1;
        Block { span: NOWHERE, statements }
    }

    fn targets(&mut self) -> Box<TargetList> {
        Box::new(TargetList { span: NOWHERE, label: self.ident(), targets: self.list(1, 3, Self::ident) })
    }

    fn statement(&mut self) -> Statement {
        match self.below(if self.depth < 4 { 14 } else { 13 }) {
            0 => Statement::Label(self.ident()),
            1 => Statement::Registers(Box::new(self.registers())),
            2 => Statement::Variable(Box::new(self.variable(false))),
            3 => {
                let place = self.place();
                let inlined = self.maybe(|tape| Inlined {
                    function: tape.ident(),
                    offset: tape.offset(),
                    place: tape.place(),
                });
                Statement::Location(Box::new(Location { span: NOWHERE, place, inlined }))
            }
            4 => Statement::Pragma(Box::new(self.pragma())),
            5 => Statement::BranchTargets(self.targets()),
            6 => Statement::CallTargets(self.targets()),
            7 => Statement::CallPrototype(Box::new(CallPrototype {
                span: NOWHERE,
                label: self.ident(),
                returns: self.list(0, 1, |tape| tape.parameter(false)),
                parameters: self.list(0, 2, |tape| tape.parameter(false)),
                directives: self.list(0, 1, Self::number_directive),
            })),
            8 => {
                let text = format!("assert %r{} < {}", self.below(9), self.below(99));
                let name = self.names.intern(&text);
                let register = text.split(' ').nth(1).map(|name| self.names.intern(name));
                let registers = register.map(|name| (Ident { name, span: NOWHERE }, None));
                Statement::Contract(Box::new(Contract {
                    span: NOWHERE,
                    text: name,
                    registers: registers.into_iter().collect(),
                }))
            }
            13 => Statement::Block(Box::new(self.block())),
            _ => Statement::Instruction(self.instruction()),
        }
    }

    fn place(&mut self) -> SourcePlace {
        SourcePlace { file: self.below(9), line: self.below(u32::MAX), column: self.below(99) }
    }

    fn instruction(&mut self) -> Instruction {
        let guard = self.maybe(|tape| Guard { span: NOWHERE, register: tape.name(), negated: tape.flag() });
        let opcode = self.of(&[
            "ret",
            "add.s32",
            "call",
            "call.uni",
            "cp.async.L2::128B",
            "m.mbarrier::complete_tx::bytes",
        ]);
        let is_call = opcode.starts_with("call");
        let opcode = Opcode { name: self.names.intern(opcode), span: NOWHERE };
        let operands = self.list(0, 4, |tape| tape.operand(is_call));
        Instruction { span: NOWHERE, guard, opcode, operands }
    }

    fn operand(&mut self, is_call: bool) -> Operand {
        let kind = match self.below(10) {
            0 => {
                let first = self.single(is_call);
                let second = self.single(is_call);
                OperandKind::Pair(Box::new((first, second)))
            }
            _ => return self.single(is_call),
        };
        Operand { span: NOWHERE, kind }
    }

    fn single(&mut self, is_call: bool) -> Operand {
        self.depth += 1;
        let kind = match self.below(if self.depth < 5 { 10 } else { 7 }) {
            0 => OperandKind::Name(self.name()),
            1 => OperandKind::Component { name: self.name(), component: self.names.intern("x") },
            2 if self.below(4) == 0 => {
                let kind = OperandKind::Name(self.name());
                OperandKind::Minus(Box::new(Operand { span: NOWHERE, kind }))
            }
            2 if self.below(2) == 0 => OperandKind::Element {
                name: self.name(),
                index: (self.below(2) == 0).then(|| self.name()),
                offset: self.offset(),
            },
            2 => OperandKind::Offset { name: self.name(), offset: self.offset() },
            3 => OperandKind::Literal(self.literal()),
            4 => OperandKind::Address(self.address()),
            5 => OperandKind::Not(self.name()),
            6 => OperandKind::Sink,
            7 => {
                let address = self.address();
                let rest = self.list(1, 2, |tape| tape.operand(false));
                OperandKind::Coordinates(Box::new(Coordinates { address, rest }))
            }
            8 if is_call => OperandKind::List(self.list(0, 3, |tape| tape.operand(true)).into()),
            _ => OperandKind::Vector(self.list(1, 3, |tape| tape.operand(is_call)).into()),
        };
        self.depth -= 1;
        Operand { span: NOWHERE, kind }
    }

    fn address(&mut self) -> Address {
        Address { base: self.maybe(Self::name), offset: self.offset(), unified: self.flag() }
    }
}

/// A literal in front of `|` would go on as a constant expression: no instruction has such a pair.
fn has_literal_pair(printed: &str) -> bool {
    let bytes = printed.as_bytes();
    let number = |word: &str| word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'|').any(|(at, _)| {
        let before = printed[..at].rsplit([' ', ',', '{', '(', '|', '+']).next().unwrap_or("");
        number(before)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_trees_round_trip(choices in proptest::collection::vec(any::<u32>(), 0..1500)) {
        let module = Tape { choices, at: 0, names: Names::default(), depth: 0 }.module();
        let printed = print(&module);
        prop_assume!(!has_literal_pair(&printed));
        let parsed = parse(Source::Reference, &printed);
        prop_assert!(parsed.diagnostics.is_empty(), "{}\n{:#?}", printed, parsed.diagnostics);
        let again = parsed.module.without_spans();
        prop_assert!(again == module, "{}\n{:#?}\n{:#?}", printed, again, module);
    }
}
