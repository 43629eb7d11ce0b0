//! Memory that a thread takes as it runs (`alloca`), and bytes that it gives up (`discard`).
//!
//! The stack is one local variable, as large as a thread's local memory can be, behind all others, and a
//! register that says where it ends. It grows upwards: the manual leaves the direction open. What is taken
//! ends at a multiple of [`UNIT`], so that what is given back, by `stackrestore` or at a function's end, can be
//! overwritten unit by unit with a value that nobody knows.
//!
//! Guarantees: what was taken and not given back does not overlap; what was given back has no value; a thread
//! that takes more than there is faults where it does. Misses: an access behind the end of what one `alloca`
//! took, inside the stack.
//!
//! Source: PTX ISA 9.0, 9.7.17, 9.7.9.17; CUDA C++ programming guide, "Technical specifications per compute
//! capability" (local memory of a thread).

use super::instruction::Operands;
use super::operand::Want;
use super::{Code, Context, Emit, Lowering, Try};
use crate::base::{Format, Span};
use crate::ir::Guard;
use crate::ir::kernel::{Constant, Reg, Variable};
use crate::isa::{Access, Effect, Space, StackOp, Strength};
use crate::syntax::ast::{Literal, Operand, OperandKind};

/// Local memory of a thread.
const BYTES: u64 = 512 << 10;
/// The stack ends at multiples of this.
const UNIT: u64 = 8;

impl<'m> Lowering<'m> {
    /// Makes the stack of a kernel in whose module something is taken from one.
    pub(super) fn open_stack(&mut self, context: Context) {
        let names = ["alloca", "stacksave", "stackrestore"];
        let used = |name: &&str| {
            [".u64", ".u32"].iter().any(|ty| self.module.names.get(&format!("{name}{ty}")).is_some())
        };
        if !names.iter().any(used) {
            return;
        }
        let variable = self.variables.len() as u32;
        self.variables.push(Variable {
            name: "stack".to_owned(),
            space: Space::Local,
            format: Format::B8,
            align: 256,
            size: Some(BYTES),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: false,
            exported: false,
            is_function: false,
            view: None,
            settings: Vec::new(),
            pointee: None,
            span: Span::default(),
        });
        let end = self.registers.fresh(64, "%stack");
        let base = self.registers.constant(Constant::Address { variable, offset: 0, generic: false });
        self.plain(context, Effect::Move { bits: 64 }, &[end], &[base]);
        self.stack = Some((variable, end));
    }

    /// Lowers an instruction on the stack.
    pub(super) fn stack(&mut self, context: Context, op: StackOp, operands: &Operands<'_>) -> Try<()> {
        let Some((_, end)) = self.stack else { return Ok(()) };
        let done = self.new_label();
        if let Some(guard) = context.guard {
            let around = Context { guard: Some(Guard { negated: !guard.negated, ..guard }), ..context };
            self.jump(around, done);
        }
        let context = Context { guard: None, ..context };
        match op {
            StackOp::Save => {
                let to = self.destination(operands.out[0], Want::bits(64).or_wider())?;
                self.plain(context, Effect::Move { bits: 64 }, &[to], &[end]);
            }
            StackOp::Restore => {
                let from = self.source(context, operands.source[0], Want::bits(64))?;
                self.give_back(context, from);
            }
            StackOp::Allocate => {
                let align = match operands.source.get(1) {
                    None => UNIT,
                    Some(operand) => self.power_of_two(operand)?,
                };
                let to = self.destination(operands.out[0], Want::bits(64))?;
                let size = self.source(context, operands.source[0], Want::bits(64))?;
                let start = self.aligned(context, end, align.max(UNIT));
                // The size first: destination and size may be one register.
                let next = self.checked_end(context, start, size);
                self.plain(context, Effect::Move { bits: 64 }, &[to], &[start]);
                self.plain(context, Effect::Move { bits: 64 }, &[end], &[next]);
            }
        }
        self.place(done);
        Ok(())
    }

    /// The next multiple of a power of two.
    fn aligned(&mut self, context: Context, from: Reg, align: u64) -> Reg {
        let (above, mask) = (self.registers.bits(align - 1), self.registers.bits(!(align - 1)));
        let sum = self.made(context, "add", &["u64"], 64, &[from, above]);
        self.made(context, "and", &["b64"], 64, &[sum, mask])
    }

    /// Where `size` bytes from `start` end. Their last word is read, which faults where there is none; a size
    /// too large for any stack counts as one byte more than there are.
    fn checked_end(&mut self, context: Context, start: Reg, size: Reg) -> Reg {
        let most = self.registers.bits(BYTES + 1);
        let size = self.made(context, "min", &["u64"], 64, &[size, most]);
        let next = self.made(context, "add", &["u64"], 64, &[start, size]);
        let zero = self.registers.bits(0);
        let some = self.compared(context, "ne", size, zero);
        let guard = Some(Guard { predicate: some, negated: false });
        let end = self.aligned(context, next, UNIT);
        let access = Access { space: Space::Local, format: Format::B32, vector: 1, strength: Strength::Weak };
        let word = self.registers.fresh(32, "");
        let load = Emit { effect: Effect::Load(access), dst: &[word], src: &[end], offset: -4, target: 0 };
        self.emit(Context { guard, ..context }, load);
        end
    }

    /// Where a function's part of the stack begins, if anything in the module takes from one.
    pub(super) fn enter_stack(&mut self, context: Context) -> Option<Reg> {
        let (_, end) = self.stack?;
        let before = self.registers.fresh(64, "");
        self.plain(context, Effect::Move { bits: 64 }, &[before], &[end]);
        Some(before)
    }

    /// The stack ends at `from` again: what lay behind it has no value any more.
    pub(super) fn give_back(&mut self, context: Context, from: Reg) {
        let Some((_, end)) = self.stack else { return };
        let (again, done) = (self.new_label(), self.new_label());
        let (at, nothing) = (self.registers.fresh(64, ""), self.registers.fresh(32, "what was given back"));
        self.plain(context, Effect::Move { bits: 64 }, &[at], &[from]);
        self.place(again);
        let behind = self.compared(context, "ge", at, end);
        let guard = Some(Guard { predicate: behind, negated: false });
        self.jump(Context { guard, ..context }, done);
        let access = Access { space: Space::Local, format: Format::B32, vector: 2, strength: Strength::Weak };
        let (store, src) = (Effect::Store(access), [at, nothing, nothing]);
        self.emit(context, Emit { effect: store, dst: &[], src: &src, offset: 0, target: 0 });
        let unit = self.registers.bits(UNIT);
        let next = self.made(context, "add", &["u64"], 64, &[at, unit]);
        self.plain(context, Effect::Move { bits: 64 }, &[at], &[next]);
        self.jump(context, again);
        self.place(done);
        self.plain(context, Effect::Move { bits: 64 }, &[end], &[from]);
    }

    fn power_of_two(&mut self, operand: &Operand) -> Try<u64> {
        match operand.kind {
            OperandKind::Literal(Literal::Integer { bits, .. }) if bits.is_power_of_two() => Ok(bits),
            _ => Err(self.error_at(Code::V002, operand.span, "an alignment is a power of two")),
        }
    }

    /// `discard`: bytes are written with a value that nobody knows.
    pub(super) fn discard(&mut self, context: Context, space: Space, operands: &Operands<'_>) -> Try<()> {
        let Some(address) = operands.address else { return Ok(()) };
        let bytes = match operands.source.first().map(|operand| &operand.kind) {
            Some(OperandKind::Literal(Literal::Integer { bits: 128, .. })) => 128,
            _ => return Err(self.error_at(Code::V002, address.span, "discard takes 128 bytes")),
        };
        let place = self.place_in(context, address)?;
        let (space, base, offset) = self.address(space, place, address)?;
        let nothing: Reg = self.registers.fresh(64, "what discard leaves");
        let vector = (bytes / 8) as u8;
        let access = Access { space, format: Format::B64, vector, strength: Strength::Weak };
        let mut src = vec![base];
        src.resize(1 + usize::from(vector), nothing);
        self.emit(context, Emit { effect: Effect::Store(access), dst: &[], src: &src, offset, target: 0 });
        Ok(())
    }
}
