//! Trees without places: what two texts that say the same have in common.
//!
//! `parse ∘ print` gives the same tree at other places. Comparing what [`Module::without_spans`]
//! gives is comparing trees. Every node is taken apart by name, so that a new field cannot be
//! forgotten here.

use super::ast::*;
use crate::base::Span;

impl Module {
    /// The same tree with every span set to `0..0`.
    pub fn without_spans(mut self) -> Module {
        self.items.iter_mut().for_each(item);
        self
    }
}

const NOWHERE: Span = Span { start: 0, end: 0 };

fn item(item: &mut Item) {
    match item {
        Item::Version(Version { span, major: _, minor: _ }) => *span = NOWHERE,
        Item::Target(Target { span, names }) => {
            *span = NOWHERE;
            names.iter_mut().for_each(ident);
        }
        Item::AddressSize(AddressSize { span, bits: _ }) => *span = NOWHERE,
        Item::File(File { span, number: _, path: _, stamp: _ }) => *span = NOWHERE,
        Item::Section(Section { span, name, body: _ }) => {
            *span = NOWHERE;
            ident(name);
        }
        Item::Pragma(it) => pragma(it),
        Item::Variable(it) => variable(it),
        Item::Registers(it) => registers(it),
        Item::Function(it) => function(it),
        Item::Alias(Alias { span, alias, target }) => {
            *span = NOWHERE;
            ident(alias);
            ident(target);
        }
    }
}

fn ident(Ident { name: _, span }: &mut Ident) {
    *span = NOWHERE;
}

fn pragma(Pragma { span, texts }: &mut Pragma) {
    *span = NOWHERE;
    texts.iter_mut().for_each(ident);
}

fn registers(RegisterDeclaration { span, vector: _, ty: _, names }: &mut RegisterDeclaration) {
    *span = NOWHERE;
    for RegisterName { span, name: _, count: _ } in names {
        *span = NOWHERE;
    }
}

fn variable(it: &mut Variable) {
    let Variable {
        span,
        linkage: _,
        space: _,
        attributes,
        align: _,
        vector: _,
        ty: _,
        name,
        count: _,
        dimensions: _,
        initializer: value,
    } = it;
    *span = NOWHERE;
    attributes.iter_mut().for_each(attribute);
    ident(name);
    value.iter_mut().for_each(initializer);
}

fn attribute(Attribute { name, arguments: _ }: &mut Attribute) {
    ident(name);
}

fn initializer(Initializer { span, kind }: &mut Initializer) {
    *span = NOWHERE;
    match kind {
        InitializerKind::Literal(_)
        | InitializerKind::Address { .. }
        | InitializerKind::Generic { .. }
        | InitializerKind::MaskedAddress(_) => {}
        InitializerKind::List(elements) => elements.iter_mut().for_each(initializer),
        InitializerKind::Field(field) => {
            ident(&mut field.0);
            initializer(&mut field.1);
        }
    }
}

fn function(it: &mut Function) {
    let Function { span, linkage: _, is_entry: _, attributes, returns, name, parameters, directives, body } =
        it;
    *span = NOWHERE;
    attributes.iter_mut().for_each(attribute);
    returns.iter_mut().chain(parameters).for_each(parameter);
    ident(name);
    for directive in directives {
        match directive {
            FunctionDirective::Numbers(it) => number_directive(it),
            FunctionDirective::Pragma(it) => pragma(it),
        }
    }
    body.iter_mut().for_each(block);
}

fn number_directive(NumberDirective { span, name: _, numbers: _ }: &mut NumberDirective) {
    *span = NOWHERE;
}

fn parameter(it: &mut Parameter) {
    let Parameter { span, space: _, align: _, vector: _, ty: _, pointer: _, name, dimensions: _ } = it;
    *span = NOWHERE;
    name.iter_mut().for_each(ident);
}

fn block(Block { span, statements }: &mut Block) {
    *span = NOWHERE;
    statements.iter_mut().for_each(statement);
}

fn statement(it: &mut Statement) {
    match it {
        Statement::Instruction(it) => instruction(it),
        Statement::Label(label) => ident(label),
        Statement::Block(it) => block(it),
        Statement::Registers(it) => registers(it),
        Statement::Variable(it) => variable(it),
        Statement::Location(it) => {
            let Location { span, place: _, inlined } = &mut **it;
            *span = NOWHERE;
            if let Some(Inlined { function, offset: _, place: _ }) = inlined {
                ident(function);
            }
        }
        Statement::Pragma(it) => pragma(it),
        Statement::BranchTargets(it) | Statement::CallTargets(it) => {
            let TargetList { span, label, targets } = &mut **it;
            *span = NOWHERE;
            ident(label);
            targets.iter_mut().for_each(ident);
        }
        Statement::CallPrototype(it) => {
            let CallPrototype { span, label, returns, parameters, directives } = &mut **it;
            *span = NOWHERE;
            ident(label);
            returns.iter_mut().chain(parameters).for_each(parameter);
            directives.iter_mut().for_each(number_directive);
        }
        Statement::Contract(it) => {
            let Contract { span, text: _, registers } = &mut **it;
            *span = NOWHERE;
            for (register, part) in registers {
                ident(register);
                part.iter_mut().for_each(ident);
            }
        }
    }
}

fn instruction(Instruction { span, guard, opcode, operands }: &mut Instruction) {
    *span = NOWHERE;
    if let Some(Guard { span, register: _, negated: _ }) = guard {
        *span = NOWHERE;
    }
    let Opcode { name: _, span } = opcode;
    *span = NOWHERE;
    operands.iter_mut().for_each(operand);
}

fn operand(Operand { span, kind }: &mut Operand) {
    *span = NOWHERE;
    match kind {
        OperandKind::Name(_)
        | OperandKind::Component { .. }
        | OperandKind::Offset { .. }
        | OperandKind::Element { .. }
        | OperandKind::Literal(_)
        | OperandKind::Address(_)
        | OperandKind::Not(_)
        | OperandKind::Sink => {}
        OperandKind::Minus(inner) => operand(inner),
        OperandKind::Coordinates(coordinates) => {
            let Coordinates { address: _, rest } = &mut **coordinates;
            rest.iter_mut().for_each(operand);
        }
        OperandKind::Vector(elements) | OperandKind::List(elements) => elements.iter_mut().for_each(operand),
        OperandKind::Pair(pair) => {
            operand(&mut pair.0);
            operand(&mut pair.1);
        }
    }
}
