//! Calls through registers, and the addresses of functions.
//!
//! A function's address is that of a variable without bytes: no two functions have the same, nothing can be
//! read there, and a kernel that looks at it (compares, stores it) asks where memory lies, as with any other
//! address. A call through a register asks for one after the other of the functions that it can mean, each
//! inlined: those that `.calltargets` lists, or else those of the module whose address something takes and
//! that have such arguments and results. Any other value of the register is an unknown call.
//!
//! Guarantees: a call goes where the register points, lane by lane, where it depends on input data as a
//! branch does. Misses: addresses of 32 bits.
//!
//! Source: PTX ISA 9.0, 9.7.12.5, 11.2.3, 11.2.4.

use super::call::Parts;
use super::scope::Binding;
use super::{Context, Lowering, Try};
use crate::ir::Guard;
use crate::ir::kernel::{Constant, Reg, Variable};
use crate::isa::{self, Effect, Forbidden, Shape, Space};
use crate::syntax::ast::{
    Block, Function, Initializer, InitializerKind, Instruction, Item, Name, Operand, OperandKind, StateSpace,
    Statement,
};
use rustc_hash::FxHashSet;

impl<'m> Lowering<'m> {
    /// The variable whose address is that of a function.
    pub(super) fn function_variable(&mut self, name: Name) -> u32 {
        let function = self.functions[&name];
        if let Some(variable) = self.function_variables.get(&function.name.name) {
            return *variable;
        }
        let variable = self.variables.len() as u32;
        self.function_variables.insert(function.name.name, variable);
        self.variables.push(Variable {
            name: self.text(function.name.name).to_owned(),
            space: Space::Global,
            format: crate::base::Format::B8,
            align: 16,
            size: Some(0),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: true,
            exported: false,
            is_function: true,
            view: None,
            settings: Vec::new(),
            pointee: None,
            span: function.name.span,
        });
        variable
    }

    /// Lowers a call of the function that a register points to.
    pub(super) fn indirect(
        &mut self,
        context: Context,
        callee: Reg,
        parts: &Parts<'_>,
        instruction: &Instruction,
    ) -> Try<()> {
        let candidates = self.candidates(parts);
        let done = self.new_label();
        if let Some(guard) = context.guard {
            let around = Context { guard: Some(Guard { negated: !guard.negated, ..guard }), ..context };
            self.jump(around, done);
        }
        let inside = Context { guard: None, ..context };
        for function in candidates {
            let variable = self.function_variable(function.name.name);
            let address = Constant::Address { variable, offset: 0, generic: false };
            let address = self.registers.constant(address);
            let meant = self.compared(inside, "eq", callee, address);
            let next = self.new_label();
            let guard = Some(Guard { predicate: meant, negated: true });
            self.jump(Context { guard, ..inside }, next);
            self.inline(inside, function, parts, instruction)?;
            self.jump(inside, done);
            self.place(next);
        }
        self.plain(inside, Effect::Forbidden(Forbidden::Call), &[], &[]);
        self.place(done);
        Ok(())
    }

    /// A comparison of 64 bits, as a part of another instruction.
    pub(super) fn compared(&mut self, context: Context, cmp: &str, a: Reg, b: Reg) -> Reg {
        let result = self.registers.fresh(1, "");
        let found = isa::find("setp", &[cmp, "u64"], &[Shape::Scalar; 3]);
        if let Ok(isa::Resolved { action: isa::Action::Effect(Effect::Lanewise(compare)), .. }) = found {
            let compare = Effect::Lanewise(isa::Lanewise { destinations: 1, ..compare });
            self.plain(context, compare, &[result], &[a, b]);
        }
        result
    }

    /// The functions that a call through a register can mean.
    fn candidates(&mut self, parts: &Parts<'_>) -> Vec<&'m Function> {
        let listed = parts.signature.and_then(|operand| match operand.kind {
            OperandKind::Name(name) => self.bound(name),
            _ => None,
        });
        let names: Vec<Name> = match listed {
            Some(Binding::Targets(list)) => {
                self.target_lists[list as usize].iter().map(|ident| ident.name).collect()
            }
            _ => self.taken(),
        };
        let mut found: Vec<&'m Function> = Vec::new();
        for name in names {
            let Some(function) = self.functions.get(&name).copied() else { continue };
            let twice = found.iter().any(|other| other.name.name == function.name.name);
            if function.body.is_some() && !twice && self.fits(function, parts) {
                found.push(function);
            }
        }
        found
    }

    /// Whether a function has arguments and results like those that a call gives.
    fn fits(&mut self, function: &Function, parts: &Parts<'_>) -> bool {
        for (given, taken) in [(parts.results, &function.returns), (parts.arguments, &function.parameters)] {
            if given.len() != taken.len() {
                return false;
            }
            for (operand, formal) in given.iter().zip(taken) {
                let object = self.object(operand);
                if formal.space != StateSpace::Param {
                    continue;
                }
                let size = self.parameter_size(formal);
                if object.is_some_and(|object| size > 0 && self.argument_shape(object).0 != size) {
                    return false;
                }
            }
        }
        true
    }

    /// The functions of the module whose address something takes, in the order of the text.
    fn taken(&mut self) -> Vec<Name> {
        if let Some(taken) = &self.taken {
            return taken.clone();
        }
        let mut seen = FxHashSet::default();
        let mut mentioned = Vec::new();
        for item in &self.module.items {
            match item {
                Item::Variable(variable) => {
                    variable.initializer.iter().for_each(|it| in_initializer(it, &mut mentioned));
                }
                Item::Function(function) => {
                    function.body.iter().for_each(|body| self.in_block(body, &mut mentioned));
                }
                _ => {}
            }
        }
        mentioned.retain(|name| self.functions.contains_key(name) && seen.insert(*name));
        self.taken = Some(mentioned.clone());
        mentioned
    }

    fn in_block(&self, block: &Block, found: &mut Vec<Name>) {
        for statement in &block.statements {
            match statement {
                Statement::Block(inner) => self.in_block(inner, found),
                Statement::Variable(variable) => {
                    variable.initializer.iter().for_each(|it| in_initializer(it, found));
                }
                Statement::Instruction(instruction) => {
                    let calls = self.module.opcode(instruction.opcode).base() == "call";
                    for operand in &instruction.operands {
                        // What a call names is called, what it passes is taken.
                        if !calls || matches!(operand.kind, OperandKind::List(_)) {
                            in_operand(operand, found);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

fn in_operand(operand: &Operand, found: &mut Vec<Name>) {
    match &operand.kind {
        OperandKind::Name(name) | OperandKind::Offset { name, .. } => found.push(*name),
        OperandKind::Vector(parts) | OperandKind::List(parts) => {
            parts.iter().for_each(|part| in_operand(part, found));
        }
        _ => {}
    }
}

fn in_initializer(initializer: &Initializer, found: &mut Vec<Name>) {
    match &initializer.kind {
        InitializerKind::Address { symbol, .. } | InitializerKind::Generic { symbol, .. } => {
            found.push(*symbol);
        }
        InitializerKind::MaskedAddress(masked) => found.push(masked.symbol),
        InitializerKind::List(elements) => elements.iter().for_each(|it| in_initializer(it, found)),
        InitializerKind::Literal(_) | InitializerKind::Field(_) => {}
    }
}
