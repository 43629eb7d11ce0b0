//! Operands of video instructions: registers with the names of their parts.
//!
//! `%r1.h0` is written like an element of a vector register; where a vector register of that name exists, it
//! is one.
//!
//! Source: PTX ISA 9.0, §9.7.18.

use super::instruction::Operands;
use super::scope::Binding;
use super::{Context, Lowering, Try};
use crate::isa::Video;
use crate::syntax::ast::{Name, Operand, OperandKind};

impl<'m> Lowering<'m> {
    /// Lowers a video instruction.
    pub(super) fn video(&mut self, context: Context, video: &Video, operands: &Operands<'_>) -> Try<()> {
        let [to] = operands.out[..] else { return Ok(()) };
        let (mut parts, mut negated) = ([None; 3], [false; 3]);
        let mut whole = Vec::with_capacity(4);
        for (at, operand) in [to].iter().chain(&operands.source).enumerate() {
            let operand = match &operand.kind {
                OperandKind::Minus(inner) => {
                    if let Some(minus) = negated.get_mut(at.wrapping_sub(1)) {
                        *minus = true;
                    }
                    &**inner
                }
                _ => *operand,
            };
            let (operand, part) = self.without_part(operand);
            if let (Some(slot), Some(part)) = (parts.get_mut(at), part) {
                *slot = Some(part);
            }
            whole.push(operand);
        }
        let texts = parts.map(|part| part.map(|part| self.text(part)));
        let Some(steps) = video.steps(texts, negated, operands.source.len() > 2) else {
            let opcode = self.opcodes[context.opcode as usize].clone();
            let why =
                format!("{opcode} with operands like these: what it gives is left open or not supported");
            self.unsupported(context, why);
            return Ok(());
        };
        let operands = Operands {
            out: whole[..1].iter().collect(),
            source: whole[1..].iter().collect(),
            address: None,
            from: None,
            counter: None,
            further: None,
            map: None,
        };
        self.steps(context, &steps, &operands, false)
    }

    /// A register and the part of it that an operand names.
    fn without_part(&mut self, operand: &Operand) -> (Operand, Option<Name>) {
        if let OperandKind::Component { name, component } = operand.kind
            && let Some(Binding::Register { .. }) = self.bound(name)
        {
            return (Operand { span: operand.span, kind: OperandKind::Name(name) }, Some(component));
        }
        (operand.clone(), None)
    }
}
