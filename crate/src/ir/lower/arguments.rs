//! `.param` locals: how functions pass arguments and results.
//!
//! A `.param` object is written before a call and read inside (or the other way round), almost
//! always whole. Objects whose accesses are all at fixed places that do not overlap partly become
//! registers, one for each place; an object whose address is taken, or that is read at other
//! places than it is written, becomes a local variable. Formal parameters are other names for the
//! caller's objects: nothing writes an argument after the call.

use super::operand::Want;
use super::{Code, Context, Emit, Lowering, Try};
use crate::base::{Format, FormatClass, Span};
use crate::ir::kernel::{Constant, Reg, Variable};
use crate::isa::{Access, Effect, Space, Strength};
use crate::syntax::ast::Type;
use rustc_hash::FxHashMap;

/// All `.param` locals so far.
#[derive(Default)]
pub(super) struct Arguments {
    objects: Vec<Object>,
}

struct Object {
    name: String,
    format: Format,
    align: u32,
    size: u64,
    span: Span,
    /// The variable that it is, once it must be in memory.
    variable: Option<u32>,
    accesses: Vec<Touch>,
}

/// One access to an object at a fixed place.
#[derive(Clone, Copy)]
struct Touch {
    instr: u32,
    offset: u64,
    format: Format,
    store: bool,
}

impl<'m> Lowering<'m> {
    /// A new object of `size` bytes.
    pub(super) fn new_argument(
        &mut self,
        name: &str,
        ty: Type,
        align: Option<u64>,
        size: u64,
        span: Span,
    ) -> u32 {
        let format = Self::scalar_format(ty).unwrap_or(Format::B8);
        let align = align.and_then(|align| u32::try_from(align).ok()).unwrap_or(format.bytes());
        self.arguments.objects.push(Object {
            name: name.to_owned(),
            format,
            align,
            size,
            span,
            variable: None,
            accesses: Vec::new(),
        });
        self.arguments.objects.len() as u32 - 1
    }

    /// Size in bytes and element format of an object.
    pub(super) fn argument_shape(&self, argument: u32) -> (u64, Format) {
        let object = &self.arguments.objects[argument as usize];
        (object.size, object.format)
    }

    /// The local variable that an object is, because its address is needed.
    pub(super) fn argument_in_memory(&mut self, argument: u32) -> u32 {
        let object = &mut self.arguments.objects[argument as usize];
        if let Some(variable) = object.variable {
            return variable;
        }
        let variable = self.variables.len() as u32;
        object.variable = Some(variable);
        self.variables.push(Variable {
            name: object.name.clone(),
            space: Space::Local,
            format: object.format,
            align: object.align.max(8),
            size: Some(object.size),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: false,
            exported: false,
            is_function: false,
            view: None,
            settings: Vec::new(),
            pointee: None,
            span: object.span,
        });
        variable
    }

    /// Reads an element at a fixed place.
    pub(super) fn load_argument(
        &mut self,
        context: Context,
        argument: u32,
        offset: i64,
        format: Format,
        to: Reg,
        span: Span,
    ) -> Try<()> {
        let access = Access { space: Space::Local, format, vector: 1, strength: Strength::Weak };
        self.touch(context, argument, offset, span, Effect::Load(access), &[to], &[])
    }

    /// Writes an element at a fixed place.
    pub(super) fn store_argument(
        &mut self,
        context: Context,
        argument: u32,
        offset: i64,
        format: Format,
        from: Reg,
        span: Span,
    ) -> Try<()> {
        let access = Access { space: Space::Local, format, vector: 1, strength: Strength::Weak };
        self.touch(context, argument, offset, span, Effect::Store(access), &[], &[from])
    }

    #[allow(clippy::too_many_arguments)]
    fn touch(
        &mut self,
        context: Context,
        argument: u32,
        offset: i64,
        span: Span,
        effect: Effect,
        dst: &[Reg],
        values: &[Reg],
    ) -> Try<()> {
        let format = match effect {
            Effect::Load(access) | Effect::Store(access) => access.format,
            _ => Format::B32,
        };
        let size = self.arguments.objects[argument as usize].size;
        let place = u64::try_from(offset).ok().filter(|at| at + u64::from(format.bytes()) <= size);
        let Some(place) = place else {
            let name = &self.arguments.objects[argument as usize].name;
            let message = format!("offset {offset} lies outside {name} ({size} bytes)");
            return Err(self.error_at(Code::V002, span, message));
        };
        // The address is filled in once it is known whether there is one.
        let mut src = vec![self.registers.sink()];
        src.extend_from_slice(values);
        let instr = self.emit(context, Emit { effect, dst, src: &src, offset, target: 0 });
        let store = matches!(effect, Effect::Store(_));
        self.arguments.objects[argument as usize].accesses.push(Touch {
            instr,
            offset: place,
            format,
            store,
        });
        Ok(())
    }

    /// Decides for each object whether it is registers or memory, and rewrites its accesses.
    pub(super) fn settle_arguments(&mut self) {
        for at in 0..self.arguments.objects.len() {
            let accesses = std::mem::take(&mut self.arguments.objects[at].accesses);
            if self.arguments.objects[at].variable.is_none() && is_whole(&accesses) {
                self.settle_in_registers(at, &accesses);
            } else if !accesses.is_empty() {
                let variable = self.argument_in_memory(at as u32);
                let address = Constant::Address { variable, offset: 0, generic: false };
                let base = self.registers.constant(address);
                for touch in accesses {
                    let src = self.code[touch.instr as usize].src.start;
                    self.operands[src as usize] = base;
                }
            }
        }
    }

    fn settle_in_registers(&mut self, at: usize, accesses: &[Touch]) {
        let mut cells: FxHashMap<u64, Reg> = FxHashMap::default();
        for touch in accesses {
            let name = &self.arguments.objects[at].name;
            let bits = touch.format.bits();
            let cell = match cells.get(&touch.offset) {
                Some(cell) => *cell,
                None => {
                    let full =
                        if touch.offset == 0 { name.clone() } else { format!("{name}+{}", touch.offset) };
                    let cell = self.registers.fresh(bits, &full);
                    cells.insert(touch.offset, cell);
                    cell
                }
            };
            let instr = &mut self.code[touch.instr as usize];
            let (dst, src) = (instr.dst.clone(), instr.src.clone());
            instr.offset = 0;
            if touch.store {
                let value = self.operands[src.end as usize - 1];
                // [address, value] becomes [cell] ← [value].
                self.operands[src.start as usize] = cell;
                let effect = self.copy_effect(touch.format, value, bits, true);
                let instr = &mut self.code[touch.instr as usize];
                instr.dst = src.start..src.start + 1;
                instr.src = src.start + 1..src.end;
                instr.effect = effect;
            } else {
                self.operands[src.start as usize] = cell;
                let to = self.operands[dst.start as usize];
                let effect = self.copy_effect(touch.format, to, bits, false);
                self.code[touch.instr as usize].effect = effect;
            }
        }
    }

    /// A move between a cell of `bits` bits and a register, which may be wider.
    fn copy_effect(&self, format: Format, reg: Reg, bits: u32, store: bool) -> Effect {
        let width = self.registers.width(reg).unwrap_or(bits);
        let plain = Effect::Move { bits };
        if width <= bits {
            return plain;
        }
        let sign = if format.class() == FormatClass::Signed { 's' } else { 'u' };
        let (wide, narrow) = (format!("{sign}{width}"), format!("{sign}{bits}"));
        let suffixes = if store { [&*narrow, &*wide] } else { [&*wide, &*narrow] };
        let scalar = crate::isa::Shape::Scalar;
        match crate::isa::find("cvt", &suffixes, &[scalar, scalar]) {
            Ok(crate::isa::Resolved { action: crate::isa::Action::Effect(effect), .. }) => effect,
            _ => plain,
        }
    }

    /// What a value of an object's type wants in a register.
    pub(super) fn argument_want(format: Format) -> Want {
        Want::format(format).or_wider()
    }
}

/// Whether accesses touch equal or disjoint places only.
fn is_whole(accesses: &[Touch]) -> bool {
    let mut places: Vec<(u64, u64)> =
        accesses.iter().map(|touch| (touch.offset, touch.offset + u64::from(touch.format.bytes()))).collect();
    places.sort_unstable();
    places.dedup();
    places.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}
