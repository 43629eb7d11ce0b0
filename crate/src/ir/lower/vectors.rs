//! Vector registers that stand whole in `mov` and `call`.
//!
//! `mov.v4.f32 v, w` moves element by element; `mov.b64 d, v` and `mov.b64 v, a` are what they are with
//! the elements in braces. All elements are read before one is written, so that `{a, b}` from `{b, a}`
//! exchanges the two.
//!
//! Source: PTX ISA 9.0, §6.4.3 (vectors as operands), §9.7.9.3 and §9.7.9.4 (`mov`).

use super::operand::Want;
use super::scope::{Binding, register_bits};
use super::{Code, Context, Lowering, Try};
use crate::ir::kernel::Reg;
use crate::isa::{self, Action, Effect, Resolved, Shape};
use crate::syntax::ast::{Instruction, Name, Operand, OperandKind, Parameter};

impl<'m> Lowering<'m> {
    /// Lowers a `mov` of whole vectors; `false` for any other instruction.
    pub(super) fn vector_move(&mut self, context: Context, instruction: &Instruction) -> Try<bool> {
        let [to, from] = instruction.operands.as_slice() else { return Ok(false) };
        let parts = self.module.opcode(instruction.opcode);
        if parts.base() != "mov" {
            return Ok(false);
        }
        let suffixes: Vec<&str> = parts.suffixes().collect();
        if suffixes == ["b128"] {
            return self.move_128(context, to, from);
        }
        let (count, ty) = match suffixes.as_slice() {
            ["v2", ty] => (2, *ty),
            ["v4", ty] => (4, *ty),
            [ty] if self.is_vector(to) || self.is_vector(from) => (1, *ty),
            _ => return Ok(false),
        };
        let find = |shapes: &[Shape]| isa::find("mov", &[ty], shapes);
        if count > 1 {
            let Ok(Resolved { action: Action::Effect(effect), row, .. }) = find(&[Shape::Scalar; 2]) else {
                return Ok(false);
            };
            let Effect::Move { bits } = effect else { return Ok(false) };
            let context = Context { row, ..context };
            let sources = self.sources(context, from, count, Want::bits(bits))?;
            let targets = self.destinations(to, count, Want::bits(bits))?;
            self.move_all(context, bits, &targets, &sources);
            return Ok(true);
        }
        let vector = if self.is_vector(to) { to } else { from };
        let elements = self.width_of(vector);
        let shape = Shape::Vector(elements);
        let shapes = if self.is_vector(to) { [shape, Shape::Scalar] } else { [Shape::Scalar, shape] };
        let Ok(Resolved { action: Action::Effect(effect), row, .. }) = find(&shapes) else {
            let message = format!("mov.{ty} does not take a vector of {elements} elements");
            return Err(self.error_at(Code::V002, instruction.span, message));
        };
        let context = Context { row, ..context };
        match effect {
            Effect::Pack { bits } => {
                let sources =
                    self.sources(context, from, elements, Want::bits(bits / u32::from(elements)))?;
                let target = self.destination(to, Want::bits(bits))?;
                self.plain(context, effect, &[target], &sources);
            }
            Effect::Unpack { bits } => {
                let source = self.source(context, from, Want::bits(bits))?;
                let targets = self.destinations(to, elements, Want::bits(bits / u32::from(elements)))?;
                self.plain(context, effect, &targets, &[source]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `mov.b128` among registers of 128 bits, pairs of 64 and quadruples of 32.
    fn move_128(&mut self, context: Context, to: &Operand, from: &Operand) -> Try<bool> {
        let find = |shapes: &[Shape]| match isa::find("mov", &["b64"], shapes) {
            Ok(Resolved { action: Action::Effect(effect), row, .. }) => Some((effect, row)),
            _ => None,
        };
        let Some((pack, row)) = find(&[Shape::Scalar, Shape::Vector(2)]) else { return Ok(false) };
        let Some((unpack, _)) = find(&[Shape::Vector(2), Shape::Scalar]) else { return Ok(false) };
        let context = Context { row, ..context };
        let quarters =
            |operand: &Operand| matches!(&operand.kind, OperandKind::Vector(parts) if parts.len() == 4);
        let halves: Vec<Reg> = match quarters(from) {
            false => self.sources(context, from, 2, Want::bits(64))?,
            true => {
                let parts = self.sources(context, from, 4, Want::bits(32))?;
                let halves = [(); 2].map(|()| self.registers.fresh(64, ""));
                for (half, parts) in halves.iter().zip(parts.chunks(2)) {
                    self.plain(context, pack, &[*half], parts);
                }
                halves.to_vec()
            }
        };
        if quarters(to) {
            let parts = self.destinations(to, 4, Want::bits(32))?;
            let held = [(); 2].map(|()| self.registers.fresh(64, ""));
            self.move_all(context, 64, &held, &halves);
            for (half, parts) in held.iter().zip(parts.chunks(2)) {
                self.plain(context, unpack, parts, &[*half]);
            }
        } else {
            let targets = self.destinations(to, 2, Want::bits(64))?;
            self.move_all(context, 64, &targets, &halves);
        }
        Ok(true)
    }

    fn is_vector(&mut self, operand: &Operand) -> bool {
        self.width_of(operand) > 0
    }

    /// How many elements the vector register has that an operand names; 0 if it names none.
    fn width_of(&mut self, operand: &Operand) -> u8 {
        let OperandKind::Name(name) = &operand.kind else { return 0 };
        match self.bound(*name) {
            Some(Binding::Vector { count, .. }) => count,
            _ => 0,
        }
    }

    /// Moves as if all at once.
    fn move_all(&mut self, context: Context, bits: u32, targets: &[Reg], sources: &[Reg]) {
        let held: Vec<Reg> = sources.iter().map(|_| self.registers.fresh(bits, "")).collect();
        for (held, source) in held.iter().zip(sources) {
            self.plain(context, Effect::Move { bits }, &[*held], &[*source]);
        }
        for (target, held) in targets.iter().zip(&held) {
            self.plain(context, Effect::Move { bits }, &[*target], &[*held]);
        }
    }

    /// New registers for a vector parameter of a function, with what the caller gives.
    pub(super) fn vector_parameter(
        &mut self,
        context: Context,
        formal: &Parameter,
        name: Name,
        actual: Option<&Operand>,
    ) -> Try<Option<Binding>> {
        let (count, bits) = match (formal.vector, register_bits(formal.ty)) {
            (None, Some(128)) => (2, 64),
            (Some(count), Some(bits)) => (count, bits),
            _ => return Ok(None),
        };
        let text = self.text(name);
        let regs: Vec<Reg> = (0..count).map(|_| self.registers.fresh(bits, text)).collect();
        if let Some(actual) = actual {
            let sources = self.sources(context, actual, count, Want::bits(bits))?;
            self.move_all(context, bits, &regs, &sources);
        }
        let Some(first) = regs.first().copied() else { return Ok(None) };
        Ok(Some(Binding::Vector { bits, first, count }))
    }

    /// Copies a vector result to where the caller wants it.
    pub(super) fn vector_result(
        &mut self,
        context: Context,
        (bits, first, count): (u32, Reg, u8),
        actual: &Operand,
    ) -> Try<()> {
        let targets = self.destinations(actual, count, Want::bits(bits))?;
        let sources: Vec<Reg> = (0..u32::from(count)).map(|at| Reg(first.0 + at)).collect();
        self.move_all(context, bits, &targets, &sources);
        Ok(())
    }
}
