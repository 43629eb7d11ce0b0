//! Instructions about tensor memory (`tcgen05`), whose addresses are registers of 32 bits in brackets.

use super::instruction::Operands;
use super::operand::{Base, Want};
use super::{Code, Context, Emit, Lowering, Try};
use crate::ir::kernel::Reg;
use crate::isa::tensor_memory::TensorShape;
use crate::isa::{self, Effect, Shape, Space, TensorMemoryOp};
use crate::syntax::ast::Operand;

impl<'m> Lowering<'m> {
    pub(super) fn tensor_memory(
        &mut self,
        context: Context,
        mut op: TensorMemoryOp,
        operands: &Operands<'_>,
    ) -> Try<()> {
        let word = Want::bits(32);
        let (mut dst, mut src, mut offset) = (Vec::new(), Vec::new(), 0);
        match &mut op {
            TensorMemoryOp::Allocate { .. } | TensorMemoryOp::Commit { .. } => {
                let Some(address) = operands.address else { return Ok(()) };
                let place = self.place_of(address)?;
                // Without a state space the address is generic, and a shared one all the same.
                let (_, base, at) = self.address(Space::Shared, place, address)?;
                src.push(base);
                offset = at;
            }
            TensorMemoryOp::Load(_)
            | TensorMemoryOp::Store(_)
            | TensorMemoryOp::Multiply(_)
            | TensorMemoryOp::Copy(_) => {
                let Some(address) = operands.address else { return Ok(()) };
                src.push(self.tensor_address(context, address)?);
            }
            TensorMemoryOp::Deallocate { .. }
            | TensorMemoryOp::Relinquish { .. }
            | TensorMemoryOp::WaitLoads
            | TensorMemoryOp::WaitStores
            | TensorMemoryOp::Before
            | TensorMemoryOp::After => {}
        }
        let source = operands.source.as_slice();
        match &mut op {
            TensorMemoryOp::Allocate { .. } | TensorMemoryOp::Deallocate { .. } => {
                for operand in source {
                    src.push(self.source(context, operand, word)?);
                }
            }
            TensorMemoryOp::Commit { .. } => {
                for operand in source {
                    src.push(self.source(context, operand, Want::bits(16))?);
                }
            }
            TensorMemoryOp::Load(moved) => {
                dst = self.destinations(operands.out[0], moved.registers, word)?;
                for operand in source {
                    src.push(self.source(context, operand, word)?);
                }
            }
            TensorMemoryOp::Store(moved) => {
                let split = usize::from(moved.shape == TensorShape::L16B32X2);
                for operand in &source[..split] {
                    src.push(self.source(context, operand, word)?);
                }
                src.extend(self.sources(context, source[split], moved.registers, word)?);
            }
            TensorMemoryOp::Multiply(product) => {
                let mut rest = source;
                let further = [operands.from, operands.counter, operands.further];
                let scales = &further[usize::from(product.held)..][..if product.blocks > 0 { 2 } else { 0 }];
                match operands.from.filter(|_| product.held) {
                    Some(held) => src.push(self.tensor_address(context, held)?),
                    None => {
                        src.push(self.source(context, rest[0], Want::bits(64))?);
                        rest = &rest[1..];
                    }
                }
                src.push(self.source(context, rest[0], Want::bits(64))?);
                src.push(self.source(context, rest[1], word)?);
                rest = &rest[2..];
                if product.masked {
                    src.extend(self.sources(context, rest[0], 4, word)?);
                    rest = &rest[1..];
                }
                src.push(self.source(context, rest[0], Want::bits(1))?);
                product.scaled = rest.len() > 1;
                for operand in &rest[1..] {
                    src.push(self.source(context, operand, word)?);
                }
                for address in scales.iter().flatten() {
                    src.push(self.tensor_address(context, address)?);
                }
            }
            TensorMemoryOp::Copy(_) => src.push(self.source(context, source[0], Want::bits(64))?),
            TensorMemoryOp::Relinquish { .. }
            | TensorMemoryOp::WaitLoads
            | TensorMemoryOp::WaitStores
            | TensorMemoryOp::Before
            | TensorMemoryOp::After => {}
        }
        let effect = Effect::TensorMemory(op);
        self.emit(context, Emit { effect, dst: &dst, src: &src, offset, target: 0 });
        Ok(())
    }

    /// A register that holds an address in tensor memory.
    fn tensor_address(&mut self, context: Context, operand: &Operand) -> Try<Reg> {
        let place = self.place_of(operand)?;
        let base = match place.base {
            Base::Register(base) => base,
            Base::Absolute => return Ok(self.registers.bits(u64::from(place.offset as u32))),
            Base::Variable(_) | Base::Argument(_) | Base::Parameter(_) => {
                let why = "an address in tensor memory is a register, which tcgen05.alloc has given";
                return Err(self.error_at(Code::V002, operand.span, why));
            }
        };
        let shapes = [Shape::Scalar; 3];
        match isa::find("add", &["s32"], &shapes) {
            Ok(isa::Resolved { action: isa::Action::Effect(add), .. }) if place.offset != 0 => {
                let moved = self.registers.fresh(32, "");
                let by = self.registers.bits(u64::from(place.offset as u32));
                self.plain(context, add, &[moved], &[base, by]);
                Ok(moved)
            }
            _ => Ok(base),
        }
    }
}
