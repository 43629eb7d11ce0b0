//! Blocks and statements: scopes, declarations, labels, source locations.

use super::scope::{Binding, Range, register_bits};
use super::{Code, Diagnostic, Lowering, MAX_ERRORS, MAX_INSTRUCTIONS};
use crate::ir::kernel::Location;
use crate::syntax::ast::{Block, RegisterDeclaration, SourcePlace, StateSpace, Statement, Type};

/// Scopes that may be open at once, those of callers included: the walk is recursive.
const MAX_SCOPES: usize = 512;

impl<'m> Lowering<'m> {
    /// Walks the statements of a function's body in a scope that is open already.
    pub(super) fn block(&mut self, block: &'m Block) {
        self.bind_labels(block);
        for statement in &block.statements {
            if self.code.len() > MAX_INSTRUCTIONS || self.errors.len() > MAX_ERRORS {
                return;
            }
            match statement {
                Statement::Instruction(instruction) => {
                    // A reported error gives up this instruction only.
                    let _ = self.instruction(instruction);
                }
                Statement::Label(label) => {
                    if let Some(Binding::Label(id)) = self.bound(label.name) {
                        self.place(id);
                    }
                }
                Statement::Block(inner) if self.scopes.depth() >= MAX_SCOPES => {
                    let message = "scopes and inlined calls are nested too deeply here";
                    self.error_at(Code::B001, inner.span, message);
                }
                Statement::Block(inner) => {
                    self.scopes.open();
                    self.block(inner);
                    self.scopes.close();
                }
                Statement::Registers(registers) => self.declare_registers(registers),
                Statement::Variable(variable) => self.declare_local(variable),
                Statement::Location(location) => {
                    let caller = location
                        .inlined
                        .as_ref()
                        .map_or(u32::MAX, |inlined| self.inlined_call(&inlined.place));
                    let place = self.source_place(&location.place);
                    self.location = self.intern_location(Location { caller, ..place.clone() });
                    self.calls.insert(place, self.location);
                }
                Statement::Contract(contract) => {
                    let _ = self.contract(contract);
                }
                Statement::Pragma(_)
                | Statement::BranchTargets(_)
                | Statement::CallTargets(_)
                | Statement::CallPrototype(_) => {}
            }
        }
    }

    /// Labels may be used before they stand, so a block's labels are bound when it opens.
    fn bind_labels(&mut self, block: &'m Block) {
        for statement in &block.statements {
            let (ident, binding) = match statement {
                Statement::Label(label) => (label, Binding::Label(self.new_label())),
                Statement::BranchTargets(list) | Statement::CallTargets(list) => {
                    self.target_lists.push(&list.targets);
                    (&list.label, Binding::Targets(self.target_lists.len() as u32 - 1))
                }
                Statement::CallPrototype(prototype) => (&prototype.label, Binding::Signature),
                _ => continue,
            };
            if !self.scopes.bind(ident.name, binding) {
                let message = format!("the label {} stands twice in this block", self.text(ident.name));
                self.error_at(Code::V004, ident.span, message);
            }
        }
    }

    fn source_place(&self, place: &SourcePlace) -> Location {
        let file = self.file_ids.get(&u64::from(place.file)).copied().unwrap_or(u32::MAX);
        Location { file, line: place.line, column: place.column, caller: u32::MAX }
    }

    /// The call at a place. Compilers write the `.loc` of a call before those of what they inlined
    /// there, so a call within an inlined function is the last one seen at its place.
    fn inlined_call(&mut self, place: &SourcePlace) -> u32 {
        let place = self.source_place(place);
        match self.calls.get(&place) {
            Some(id) => *id,
            None => self.intern_location(place),
        }
    }

    fn intern_location(&mut self, location: Location) -> u32 {
        if let Some(id) = self.location_ids.get(&location) {
            return *id;
        }
        let id = self.locations.len() as u32;
        self.locations.push(location.clone());
        self.location_ids.insert(location, id);
        id
    }

    /// Notes registers without giving them ids.
    pub(super) fn declare_registers(&mut self, registers: &RegisterDeclaration) {
        for name in &registers.names {
            if register_bits(registers.ty).is_none() {
                let message = format!("a register cannot be .{}", registers.ty.name());
                self.error_at(Code::V002, name.span, message);
                continue;
            }
            match name.count {
                Some(count) => self.scopes.declare_range(Range {
                    prefix: name.name,
                    count,
                    ty: registers.ty,
                    vector: registers.vector,
                }),
                None => self.scopes.declare(name.name, registers.ty, registers.vector),
            }
        }
    }

    /// A variable declared in a body.
    fn declare_local(&mut self, variable: &'m crate::syntax::ast::Variable) {
        let name = variable.name.name;
        let binding = match variable.space {
            StateSpace::Param => {
                let Some(size) = self.size_of(variable) else { return };
                let id = self.new_argument(self.text(name), variable.ty, variable.align, size, variable.span);
                Binding::Argument(id)
            }
            StateSpace::Reg => {
                let diagnostic = Diagnostic::error(Code::V002, "a register has no initial value or extent");
                let _ = self.error(diagnostic.at(self.source, variable.span));
                return;
            }
            StateSpace::Tex => Binding::Opaque,
            _ if matches!(variable.ty, Type::Texref | Type::Samplerref | Type::Surfref) => Binding::Opaque,
            _ => {
                if let Some(count) = variable.count {
                    return self.declare_numbered(variable, count);
                }
                match self.variable(variable) {
                    Some(id) => Binding::Variable(id),
                    None => return,
                }
            }
        };
        self.scopes.bind(name, binding);
    }
}
