//! Canonical PTX: a syntax tree as text that parses to the same tree.
//!
//! The layout is nvcc's: one statement a line, tabs, `[base+-4]` for negative offsets. What the tree
//! does not hold is not printed (comments, the spelling of numbers); debugging sections are printed
//! as they were written. Numbers come out exactly: integers in decimal with `U` where unsigned,
//! floats as the hexadecimal bits.
//!
//! Everything prints in the order in which it parses, so that names get the same numbers again.

use std::fmt::{self, Display, Formatter, Write as _};

use super::ast::*;

/// Writes a module as PTX.
pub fn print(module: &Module) -> String {
    let mut printer = Printer { names: &module.names, out: String::new(), depth: 0 };
    for item in &module.items {
        printer.item(item);
    }
    printer.out
}

/// One instruction as PTX, without its line end: what reports and dumps quote.
pub fn print_instruction(module: &Module, instruction: &Instruction) -> String {
    let mut printer = Printer { names: &module.names, out: String::new(), depth: 0 };
    printer.instruction(instruction);
    printer.out
}

struct Printer<'m> {
    names: &'m Names,
    out: String,
    depth: usize,
}

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($format:tt)*) => {
        write!($printer.out, $($format)*).expect("writing to a string")
    };
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn put_name(&mut self, name: Name) {
        self.out.push_str(&self.names[name]);
    }

    /// Things between commas.
    fn commas<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        for (at, element) in list.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            one(self, element);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Version(version) => put!(self, ".version {}.{}", version.major, version.minor),
            Item::Target(target) => {
                self.put(".target ");
                self.commas(&target.names, |this, ident| this.put_name(ident.name));
            }
            Item::AddressSize(size) => put!(self, ".address_size {}", size.bits),
            Item::File(file) => {
                put!(self, ".file {} \"{}\"", file.number, &self.names[file.path]);
                if let Some((time, size)) = file.stamp {
                    put!(self, ", {time}, {size}");
                }
            }
            Item::Section(section) => {
                put!(self, ".section {}\n{{{}}}", &self.names[section.name.name], &self.names[section.body]);
            }
            Item::Pragma(pragma) => self.pragma(pragma),
            Item::Variable(variable) => self.variable(variable),
            Item::Registers(registers) => self.registers(registers),
            Item::Function(function) => self.function(function),
            Item::Alias(alias) => {
                put!(self, ".alias {}, {};", &self.names[alias.alias.name], &self.names[alias.target.name]);
            }
        }
        self.put("\n");
    }

    fn pragma(&mut self, pragma: &Pragma) {
        self.put(".pragma ");
        self.commas(&pragma.texts, |this, text| put!(this, "\"{}\"", &this.names[text.name]));
        self.put(";");
    }

    fn linkage(&mut self, linkage: Option<Linkage>) {
        if let Some(linkage) = linkage {
            put!(self, ".{} ", linkage.name());
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        if attributes.is_empty() {
            return;
        }
        self.put(".attribute(");
        self.commas(attributes, |this, attribute| {
            put!(this, ".{}", &this.names[attribute.name.name]);
            if !attribute.arguments.is_empty() {
                this.put("(");
                this.commas(&attribute.arguments, |this, argument| put!(this, "{argument}"));
                this.put(")");
            }
        });
        self.put(") ");
    }

    /// `.align 8 .v2 .b32 `
    fn shape(&mut self, align: Option<u64>, vector: Option<u8>, ty: Type) {
        if let Some(align) = align {
            put!(self, ".align {align} ");
        }
        if let Some(vector) = vector {
            put!(self, ".v{vector} ");
        }
        put!(self, ".{} ", ty.name());
    }

    fn dimensions(&mut self, dimensions: &[Option<u64>]) {
        for extent in dimensions {
            match extent {
                Some(extent) => put!(self, "[{extent}]"),
                None => self.put("[]"),
            }
        }
    }

    fn registers(&mut self, registers: &RegisterDeclaration) {
        self.put(".reg ");
        self.shape(None, registers.vector, registers.ty);
        self.commas(&registers.names, |this, register| {
            this.put_name(register.name);
            this.range(register.count);
        });
        self.put(";");
    }

    fn range(&mut self, count: Option<u32>) {
        if let Some(count) = count {
            put!(self, "<{count}>");
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.linkage(variable.linkage);
        put!(self, ".{} ", variable.space.name());
        self.attributes(&variable.attributes);
        self.shape(variable.align, variable.vector, variable.ty);
        self.put_name(variable.name.name);
        self.range(variable.count);
        self.dimensions(&variable.dimensions);
        if let Some(initializer) = &variable.initializer {
            self.put(" = ");
            self.initializer(initializer);
        }
        self.put(";");
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match &initializer.kind {
            InitializerKind::Literal(literal) => put!(self, "{literal}"),
            InitializerKind::Address { symbol, offset } => {
                self.put_name(*symbol);
                self.offset(*offset);
            }
            InitializerKind::Generic { symbol, offset } => {
                put!(self, "generic({})", &self.names[*symbol]);
                self.offset(*offset);
            }
            InitializerKind::MaskedAddress(masked) => {
                put!(self, "0x{:X}(", masked.mask);
                if masked.generic {
                    put!(self, "generic({})", &self.names[masked.symbol]);
                } else {
                    self.put_name(masked.symbol);
                }
                self.offset(masked.offset);
                self.put(")");
            }
            InitializerKind::List(elements) => {
                self.put("{");
                self.commas(elements, Self::initializer);
                self.put("}");
            }
            InitializerKind::Field(field) => {
                put!(self, "{} = ", &self.names[field.0.name]);
                self.initializer(&field.1);
            }
        }
    }

    /// `+8`, `+-8`, or nothing.
    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            put!(self, "+{offset}");
        }
    }

    fn function(&mut self, function: &Function) {
        self.linkage(function.linkage);
        self.put(if function.is_entry { ".entry " } else { ".func " });
        self.attributes(&function.attributes);
        if !function.returns.is_empty() {
            self.parameters(&function.returns);
            self.put(" ");
        }
        self.put_name(function.name.name);
        self.parameters(&function.parameters);
        for directive in &function.directives {
            self.put("\n");
            match directive {
                FunctionDirective::Numbers(directive) => self.number_directive(directive),
                FunctionDirective::Pragma(pragma) => self.pragma(pragma),
            }
        }
        match &function.body {
            Some(body) => {
                self.put("\n");
                self.block(body);
            }
            None => self.put(";"),
        }
    }

    fn number_directive(&mut self, directive: &NumberDirective) {
        put!(self, ".{}", &self.names[directive.name]);
        if !directive.numbers.is_empty() {
            self.put(" ");
            self.commas(&directive.numbers, |this, number| put!(this, "{number}"));
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        self.put("(");
        self.commas(parameters, Self::parameter);
        self.put(")");
    }

    fn parameter(&mut self, parameter: &Parameter) {
        put!(self, ".{} ", parameter.space.name());
        self.shape(parameter.align, parameter.vector, parameter.ty);
        if let Some(pointer) = parameter.pointer {
            self.put(".ptr ");
            if let Some(space) = pointer.space {
                put!(self, ".{} ", space.name());
            }
            if let Some(align) = pointer.align {
                put!(self, ".align {align} ");
            }
            if let Some(object) = pointer.object {
                put!(self, ".{} ", object.name());
            }
        }
        match parameter.name {
            Some(name) => self.put_name(name.name),
            None => self.put("_"),
        }
        self.dimensions(&parameter.dimensions);
    }

    fn block(&mut self, block: &Block) {
        self.put("{\n");
        self.depth += 1;
        for statement in &block.statements {
            let outdent = usize::from(matches!(statement, Statement::Label(_)));
            self.indent(self.depth - outdent);
            self.statement(statement);
            self.put("\n");
        }
        self.depth -= 1;
        self.indent(self.depth);
        self.put("}");
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n('\t', depth));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Label(label) => put!(self, "{}:", &self.names[label.name]),
            Statement::Block(block) => self.block(block),
            Statement::Registers(registers) => self.registers(registers),
            Statement::Variable(variable) => self.variable(variable),
            Statement::Location(location) => self.location(location),
            Statement::Pragma(pragma) => self.pragma(pragma),
            Statement::BranchTargets(list) => self.targets("branchtargets", list),
            Statement::CallTargets(list) => self.targets("calltargets", list),
            Statement::Contract(contract) => put!(self, "// warpproof: {}", &self.names[contract.text]),
            Statement::CallPrototype(prototype) => {
                put!(self, "{}: .callprototype ", &self.names[prototype.label.name]);
                if !prototype.returns.is_empty() {
                    self.parameters(&prototype.returns);
                    self.put(" ");
                }
                self.put("_ ");
                self.parameters(&prototype.parameters);
                for directive in &prototype.directives {
                    self.put(" ");
                    self.number_directive(directive);
                }
                self.put(";");
            }
        }
    }

    fn targets(&mut self, directive: &str, list: &TargetList) {
        put!(self, "{}: .{directive} ", &self.names[list.label.name]);
        self.commas(&list.targets, |this, target| this.put_name(target.name));
        self.put(";");
    }

    fn location(&mut self, location: &Location) {
        put!(self, ".loc {}", location.place);
        if let Some(inlined) = location.inlined {
            put!(self, ", function_name {}", &self.names[inlined.function.name]);
            self.offset(inlined.offset);
            put!(self, ", inlined_at {}", inlined.place);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(guard) = instruction.guard {
            let not = if guard.negated { "!" } else { "" };
            put!(self, "@{not}{} ", &self.names[guard.register]);
        }
        self.put_name(instruction.opcode.name);
        if !instruction.operands.is_empty() {
            self.put(" ");
            self.commas(&instruction.operands, Self::operand);
        }
        self.put(";");
    }

    fn operand(&mut self, operand: &Operand) {
        match &operand.kind {
            OperandKind::Name(name) => self.put_name(*name),
            OperandKind::Component { name, component } => {
                put!(self, "{}.{}", &self.names[*name], &self.names[*component]);
            }
            OperandKind::Element { name, index: None, offset } => {
                put!(self, "{}[{offset}]", &self.names[*name])
            }
            OperandKind::Element { name, index: Some(index), offset } => {
                put!(self, "{}[{}+{offset}]", &self.names[*name], &self.names[*index])
            }
            OperandKind::Offset { name, offset } => put!(self, "{}+{offset}", &self.names[*name]),
            OperandKind::Literal(literal) => put!(self, "{literal}"),
            OperandKind::Address(address) => self.address(*address, &[]),
            OperandKind::Coordinates(coordinates) => self.address(coordinates.address, &coordinates.rest),
            OperandKind::Minus(inner) => {
                put!(self, "-");
                self.operand(inner);
            }
            OperandKind::Not(name) => put!(self, "!{}", &self.names[*name]),
            OperandKind::Sink => self.put("_"),
            OperandKind::Vector(elements) => {
                self.put("{");
                self.commas(elements, Self::operand);
                self.put("}");
            }
            OperandKind::Pair(pair) => {
                self.operand(&pair.0);
                self.put("|");
                self.operand(&pair.1);
            }
            OperandKind::List(elements) => {
                self.put("(");
                self.commas(elements, Self::operand);
                self.put(")");
            }
        }
    }

    fn address(&mut self, address: Address, rest: &[Operand]) {
        self.put("[");
        match address.base {
            Some(base) => {
                self.put_name(base);
                self.offset(address.offset);
            }
            None => put!(self, "{}", address.offset),
        }
        for operand in rest {
            self.put(", ");
            self.operand(operand);
        }
        self.put(if address.unified { "].unified" } else { "]" });
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Literal::Integer { bits, unsigned: true } => write!(f, "{bits}U"),
            Literal::Integer { bits, unsigned: false } => write!(f, "{}", bits as i64),
            Literal::F32(bits) => write!(f, "0f{bits:08X}"),
            Literal::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

impl Display for SourcePlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.file, self.line, self.column)
    }
}
