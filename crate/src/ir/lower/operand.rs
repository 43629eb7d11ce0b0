//! Operands to registers: names, literals, addresses, vectors, special registers.

use super::registers::{Predefined, predefined};
use super::scope::{Binding, Found, register_bits};
use super::{Code, Context, Diagnostic, Lowering, Try};
use crate::base::{Format, FormatClass, Span};
use crate::ir::kernel::{Constant, Reg, SpecialReg};
use crate::isa::{self, BarrierOp, ClusterOp, Effect, Lanewise, ReduceOp, VoteMode};
use crate::syntax::ast::{Address, Instruction, Literal, Name, Operand, OperandKind, Type};

/// What an instruction wants in an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Want {
    /// Width; 1 is a predicate.
    pub(super) bits: u32,
    /// Wider registers will do (loads, stores, conversions).
    pub(super) wider: bool,
    /// A float of this format: integer literals do not fit.
    pub(super) float: Option<Format>,
}

impl Want {
    pub(super) fn bits(bits: u32) -> Want {
        Want { bits, wider: false, float: None }
    }

    pub(super) fn format(format: Format) -> Want {
        Want { bits: format.bits(), wider: false, float: format.is_float().then_some(format) }
    }

    /// An operand of a [`Lanewise`]: B8 is a predicate there.
    fn lane(format: Format) -> Want {
        if format == Format::B8 { Want::bits(1) } else { Want::format(format) }
    }

    pub(super) fn or_wider(self) -> Want {
        Want { wider: true, ..self }
    }
}

/// What destination `at` of an effect with `count` of them is.
pub(super) fn wanted_destination(effect: &Effect, at: usize, count: usize) -> Want {
    match effect {
        Effect::Lanewise(lanes) if at == 0 => Want::lane(lanes.dst),
        Effect::Lanewise(_) => Want::bits(1),
        Effect::Move { bits } | Effect::Pack { bits } => Want::bits(*bits),
        Effect::Unpack { bits } => Want::bits(bits / count.max(1) as u32),
        Effect::Load(access) => Want::format(access.format).or_wider(),
        Effect::Atomic { access, .. } => Want::format(access.format),
        Effect::Shuffle(_) | Effect::Match { .. } | Effect::Elect => Want::bits(if at == 0 { 32 } else { 1 }),
        Effect::Cluster(ClusterOp::Address { bits, .. }) => Want::bits(*bits),
        Effect::Vote(VoteMode::Ballot) => Want::bits(32),
        Effect::Vote(_) | Effect::IsSpace(_) | Effect::IsView(_) => Want::bits(1),
        Effect::Barrier { op: BarrierOp::Reduce { op, .. }, .. } if *op != ReduceOp::Popc => Want::bits(1),
        Effect::ToGeneric(_) | Effect::FromGeneric(_) => Want::bits(32).or_wider(),
        Effect::Redux { .. }
        | Effect::Barrier { .. }
        | Effect::ActiveMask
        | Effect::ReadClock
        | Effect::Response(_)
        | Effect::Fetch(_)
        | Effect::Inquire(_)
        | Effect::SurfacePlace(_)
        | Effect::Store(_)
        | Effect::Branch
        | Effect::BranchIndexed
        | Effect::Exit
        | Effect::Forbidden(_)
        | Effect::WarpSync
        | Effect::Matrix(_)
        | Effect::TensorMemory(_)
        | Effect::Copy(_)
        | Effect::Phaser(_)
        | Effect::Cluster(_)
        | Effect::Fence(..)
        | Effect::Claim(_)
        | Effect::Nothing
        | Effect::Unsupported => Want::bits(32),
    }
}

/// What source `at` of an effect with `count` of them is (memory operands count from the address).
pub(super) fn wanted_source(effect: &Effect, at: usize, count: usize) -> Want {
    match effect {
        Effect::Lanewise(Lanewise { src, .. }) => Want::lane(src[at.min(3)]),
        Effect::Move { bits } | Effect::Unpack { bits } => Want::bits(*bits),
        Effect::Pack { bits } => Want::bits(bits / count.max(1) as u32),
        Effect::Load(_) => Want::bits(32).or_wider(),
        Effect::Store(access) => Want::format(access.format).or_wider(),
        Effect::Atomic { access, .. } => Want::format(access.format),
        Effect::Vote(_) => Want::bits(if at == 0 { 1 } else { 32 }),
        Effect::Match { bits, .. } => Want::bits(if at == 0 { *bits } else { 32 }),
        Effect::Barrier { op: BarrierOp::Reduce { .. }, .. } => {
            Want::bits(if at + 1 == count { 1 } else { 32 })
        }
        Effect::IsSpace(_) | Effect::ToGeneric(_) | Effect::FromGeneric(_) => Want::bits(32).or_wider(),
        Effect::Cluster(ClusterOp::Address { bits, .. } | ClusterOp::Rank { bits, .. }) if at == 0 => {
            Want::bits(*bits)
        }
        Effect::Redux { .. }
        | Effect::Barrier { .. }
        | Effect::Shuffle(_)
        | Effect::Elect
        | Effect::ActiveMask
        | Effect::ReadClock
        | Effect::Response(_)
        | Effect::Fetch(_)
        | Effect::Inquire(_)
        | Effect::SurfacePlace(_)
        | Effect::IsView(_)
        | Effect::Branch
        | Effect::BranchIndexed
        | Effect::Exit
        | Effect::Forbidden(_)
        | Effect::WarpSync
        | Effect::Matrix(_)
        | Effect::TensorMemory(_)
        | Effect::Copy(_)
        | Effect::Phaser(_)
        | Effect::Cluster(_)
        | Effect::Fence(..)
        | Effect::Claim(_)
        | Effect::Nothing
        | Effect::Unsupported => Want::bits(32),
    }
}

/// An address operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) base: Base,
    pub(super) offset: i64,
}

/// What an address starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// A register's value.
    Register(Reg),
    /// Nothing: the offset is the address.
    Absolute,
    /// A variable.
    Variable(u32),
    /// A `.param` local.
    Argument(u32),
    /// A parameter of the kernel.
    Parameter(u32),
}

impl<'m> Lowering<'m> {
    /// What a name is bound to, if anything; gives a declared register its id.
    pub(super) fn bound(&mut self, name: Name) -> Option<Binding> {
        match self.scopes.find(&self.module.names, name) {
            Found::Bound(binding) => Some(binding),
            Found::Declared { scope, ty, vector } => {
                let bits = register_bits(ty)?;
                let text = self.text(name);
                let binding = match vector {
                    // 128 bits are two registers of 64.
                    None if ty == Type::B128 => {
                        let first = self.registers.fresh(64, &format!("{text}.low"));
                        self.registers.fresh(64, &format!("{text}.high"));
                        Binding::Vector { bits: 64, first, count: 2 }
                    }
                    None => Binding::Register { bits, reg: self.registers.fresh(bits, text) },
                    Some(count) => {
                        let parts = ["x", "y", "z", "w"];
                        let regs: Vec<Reg> = (0..usize::from(count))
                            .map(|at| {
                                let part = parts.get(at).copied().unwrap_or("?");
                                self.registers.fresh(bits, &format!("{text}.{part}"))
                            })
                            .collect();
                        Binding::Vector { bits, first: *regs.first()?, count }
                    }
                };
                self.scopes.bind_in(scope, name, binding);
                Some(binding)
            }
            Found::Nothing => self.module_variable(name),
        }
    }

    /// Reports a name that stands for nothing.
    #[cold]
    pub(super) fn unknown(&mut self, name: Name, span: Span, what: &str) -> super::Reported {
        let text = self.text(name);
        let mut diagnostic = Diagnostic::error(Code::V001, format!("{what} {text} is not declared here"))
            .at(self.source, span);
        if let Some(near) = self.scopes.nearest(&self.module.names, text) {
            diagnostic = diagnostic.note(format!("did you mean {near}?"));
        }
        self.error(diagnostic)
    }

    /// Checks a register's width against what is wanted.
    fn check_width(&mut self, name: &str, bits: u32, want: Want, span: Span) -> Try<()> {
        if bits == want.bits || want.wider && bits > want.bits && want.bits > 1 {
            return Ok(());
        }
        let message = match (bits, want.bits) {
            (1, wanted) => format!("{name} is a predicate; the instruction takes {wanted} bits here"),
            (_, 1) => format!("{name} is no predicate; the instruction takes one here"),
            (bits, wanted) => format!("{name} has {bits} bits; the instruction takes {wanted} here"),
        };
        Err(self.error_at(Code::V002, span, message))
    }

    /// A destination.
    pub(super) fn destination(&mut self, operand: &Operand, want: Want) -> Try<Reg> {
        match &operand.kind {
            OperandKind::Sink => Ok(self.registers.sink()),
            OperandKind::Name(name) => match self.bound(*name) {
                Some(Binding::Register { bits, reg }) => {
                    self.check_width(self.text(*name), bits, want, operand.span)?;
                    Ok(reg)
                }
                Some(_) => {
                    let message = format!("{} is no register; a result needs one", self.text(*name));
                    Err(self.error_at(Code::V002, operand.span, message))
                }
                None if predefined(self.text(*name), None).is_some() => {
                    let message = format!("{} cannot be written", self.text(*name));
                    Err(self.error_at(Code::V002, operand.span, message))
                }
                None => Err(self.unknown(*name, operand.span, "register")),
            },
            OperandKind::Component { name, component } => {
                let (text, part) = (self.text(*name), self.text(*component));
                if self.bound(*name).is_none() && predefined(text, Some(part)).is_some() {
                    let message = format!("{text}.{part} cannot be written");
                    return Err(self.error_at(Code::V002, operand.span, message));
                }
                let reg = self.component(*name, *component, operand.span)?;
                let bits = self.registers.width(reg).unwrap_or(32);
                self.check_width(text, bits, want, operand.span)?;
                Ok(reg)
            }
            _ => Err(self.error_at(Code::V002, operand.span, "a result needs a register")),
        }
    }

    /// An element of a vector register.
    fn component(&mut self, name: Name, component: Name, span: Span) -> Try<Reg> {
        let at = match self.text(component) {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => u32::MAX,
        };
        match self.bound(name) {
            Some(Binding::Vector { first, count, .. }) if at < u32::from(count) => Ok(Reg(first.0 + at)),
            Some(_) => {
                let message = format!("{} has no part .{}", self.text(name), self.text(component));
                Err(self.error_at(Code::V002, span, message))
            }
            None => Err(self.unknown(name, span, "vector register")),
        }
    }

    /// A source.
    pub(super) fn source(&mut self, context: Context, operand: &Operand, want: Want) -> Try<Reg> {
        match &operand.kind {
            OperandKind::Name(name) => self.named_source(context, *name, None, want, operand.span),
            OperandKind::Component { name, component } => {
                let text = self.text(*name);
                let part = self.text(*component);
                if self.bound(*name).is_none() && predefined(text, Some(part)).is_some() {
                    return self.predefined_source(context, text, Some(part), want, operand.span);
                }
                let reg = self.component(*name, *component, operand.span)?;
                let bits = self.registers.width(reg).unwrap_or(32);
                self.check_width(text, bits, want, operand.span)?;
                Ok(reg)
            }
            OperandKind::Offset { name, offset } => {
                self.named_source(context, *name, Some(*offset), want, operand.span)
            }
            OperandKind::Element { .. } => self.element_source(context, operand, want),
            OperandKind::Literal(literal) => {
                let bits = self.literal(*literal, want, operand.span)?;
                Ok(self.registers.bits(bits))
            }
            OperandKind::Not(name) => {
                let inner = Operand { span: operand.span, kind: OperandKind::Name(*name) };
                let positive = self.source(context, &inner, Want::bits(1))?;
                if want.bits != 1 {
                    let message = "`!` negates predicates only";
                    return Err(self.error_at(Code::V002, operand.span, message));
                }
                Ok(self.negation(context, positive))
            }
            OperandKind::Sink
            | OperandKind::Minus(_)
            | OperandKind::Address(_)
            | OperandKind::Coordinates(_)
            | OperandKind::Vector(_)
            | OperandKind::Pair(_)
            | OperandKind::List(_) => {
                Err(self.error_at(Code::V002, operand.span, "the instruction takes a single value here"))
            }
        }
    }

    /// A predicate's negation in a new register.
    pub(super) fn negation(&mut self, context: Context, predicate: Reg) -> Reg {
        let negated = self.registers.fresh(1, "");
        let resolved = isa::find("not", &["pred"], &[isa::Shape::Scalar, isa::Shape::Scalar]);
        if let Ok(isa::Resolved { action: isa::Action::Effect(effect), .. }) = resolved {
            self.plain(context, effect, &[negated], &[predicate]);
        }
        negated
    }

    fn named_source(
        &mut self,
        context: Context,
        name: Name,
        offset: Option<i64>,
        want: Want,
        span: Span,
    ) -> Try<Reg> {
        let text = self.text(name);
        let constant = match (self.bound(name), offset) {
            (Some(Binding::Register { bits, reg }), None) => {
                self.check_width(text, bits, want, span)?;
                return Ok(reg);
            }
            (Some(Binding::Register { bits, reg }), Some(offset)) if want.float.is_none() => {
                self.check_width(text, bits, want, span)?;
                return self.sum(context, reg, bits, offset, span);
            }
            (Some(Binding::Variable(variable)), _) => {
                Constant::Address { variable, offset: offset.unwrap_or(0), generic: false }
            }
            (Some(Binding::Argument(argument)), _) => {
                let variable = self.argument_in_memory(argument);
                Constant::Address { variable, offset: offset.unwrap_or(0), generic: false }
            }
            (Some(Binding::Parameter(parameter)), _) => {
                let start = i64::from(self.parameters[parameter as usize].offset);
                Constant::ParameterAddress(start.wrapping_add(offset.unwrap_or(0)) as u32)
            }
            (Some(Binding::Register { .. }), Some(_)) => {
                // ptxas takes it.
                self.unsupported(context, format!("what {text} and a number added to it are is not known"));
                return Err(super::Reported);
            }
            (None, _) if predefined(text, None).is_some() => {
                let reg = self.predefined_source(context, text, None, want, span)?;
                return match offset {
                    None | Some(0) => Ok(reg),
                    Some(offset) => self.sum(context, reg, want.bits, offset, span),
                };
            }
            (None, _) if self.functions.contains_key(&name) => {
                let variable = self.function_variable(name);
                Constant::Address { variable, offset: offset.unwrap_or(0), generic: false }
            }
            (None, _) => return Err(self.unknown(name, span, "name")),
            (Some(_), _) => {
                let message = format!("{text} cannot stand as a value here");
                return Err(self.error_at(Code::V002, span, message));
            }
        };
        if want.bits < 32 || want.float.is_some() {
            let message = format!("the address of {text} does not fit an operand of {} bits", want.bits);
            return Err(self.error_at(Code::V002, span, message));
        }
        Ok(self.registers.constant(constant))
    }

    /// `%r1+4` as a value: the sum in a new register, as `add` would make it.
    fn sum(&mut self, context: Context, reg: Reg, bits: u32, offset: i64, span: Span) -> Try<Reg> {
        let ty = match bits {
            16 => "u16",
            32 => "u32",
            64 => "u64",
            _ => {
                let message = format!("a register of {bits} bits cannot stand in a sum");
                return Err(self.error_at(Code::V002, span, message));
            }
        };
        let sum = self.registers.fresh(bits, "");
        let other =
            self.registers.bits(if bits == 64 { offset as u64 } else { offset as u64 & ((1 << bits) - 1) });
        let resolved = isa::find("add", &[ty], &[isa::Shape::Scalar; 3]);
        if let Ok(isa::Resolved { action: isa::Action::Effect(effect), row, .. }) = resolved {
            self.plain(Context { row, ..context }, effect, &[sum], &[reg, other]);
        }
        Ok(sum)
    }

    fn predefined_source(
        &mut self,
        context: Context,
        name: &str,
        part: Option<&str>,
        want: Want,
        span: Span,
    ) -> Try<Reg> {
        let full = part.map_or_else(|| name.to_owned(), |part| format!("{name}.{part}"));
        let narrow = |bits: u32| want.bits == bits || want.bits == 16 || want.wider || want.bits == 64;
        match predefined(name, part) {
            Some(Predefined::Special(special))
                if narrow(32) && want.bits > 1 || special == SpecialReg::IsExplicitCluster =>
            {
                Ok(self.registers.special(special, &full))
            }
            // One half alone is no address.
            Some(Predefined::Workspace(upper))
                if want.bits > 1
                    && ["%envreg1", "%envreg2"].iter().all(|half| self.module.names.get(half).is_some()) =>
            {
                let variable = self.workspace(span);
                Ok(self.registers.constant(Constant::AddressHalf { variable, upper }))
            }
            Some(Predefined::Workspace(_)) if want.bits > 1 => {
                let reg = self.registers.fresh(32, &full);
                self.plain(context, Effect::ReadClock, &[reg], &[]);
                Ok(reg)
            }
            Some(Predefined::Unknowable(bits)) if want.bits > 1 => {
                let reg = self.registers.fresh(bits, &full);
                self.plain(context, Effect::ReadClock, &[reg], &[]);
                Ok(reg)
            }
            _ => {
                let message = format!("{full} does not fit an operand of {} bits", want.bits);
                Err(self.error_at(Code::V002, span, message))
            }
        }
    }

    /// A constant that is moved is one of the type that the instruction names, as assemblers want it.
    pub(super) fn check_constant(&mut self, instruction: &Instruction, operand: &Operand) -> Try<()> {
        let OperandKind::Literal(literal) = operand.kind else { return Ok(()) };
        let format = self.module.opcode(instruction.opcode).suffixes().find_map(Format::from_name);
        let Some(format) = format else { return Ok(()) };
        match (literal, format.class()) {
            (Literal::Integer { .. }, FormatClass::Float) => {
                self.literal(literal, Want::format(format), operand.span).map(|_| ())
            }
            (Literal::F32(_) | Literal::F64(_), FormatClass::Signed | FormatClass::Unsigned) => {
                let message = format!("a float stands where an .{format} is wanted");
                Err(self.error_at(Code::V002, operand.span, message))
            }
            _ => Ok(()),
        }
    }

    /// A literal's bits in an operand of that width.
    fn literal(&mut self, literal: Literal, want: Want, span: Span) -> Try<u64> {
        let mask = if want.bits >= 64 { u64::MAX } else { (1 << want.bits) - 1 };
        match (literal, want.float, want.bits) {
            (Literal::Integer { .. }, Some(format @ (Format::F32 | Format::F64)), _) => {
                let example = if format == Format::F32 { "0f3F800000" } else { "0d3FF0000000000000" };
                let message = format!("an integer stands where an .{format} is wanted");
                let diagnostic = Diagnostic::error(Code::V002, message)
                    .at(self.source, span)
                    .note(format!("write the number with a decimal point or as bits, like {example}"));
                Err(self.error(diagnostic))
            }
            (Literal::Integer { bits, .. }, ..) => Ok(bits & mask),
            (Literal::F32(bits), _, 32) => Ok(bits.into()),
            (Literal::F32(bits), _, 64) => Ok(f64::from(f32::from_bits(bits)).to_bits()),
            (Literal::F64(bits), _, 64) => Ok(bits),
            (Literal::F64(bits), _, 32) => Ok((f64::from_bits(bits) as f32).to_bits().into()),
            (Literal::F32(_) | Literal::F64(_), ..) => {
                let message = format!("a float literal does not fit {} bits", want.bits);
                Err(self.error_at(Code::V002, span, message))
            }
        }
    }

    /// The registers of a vector register, if the operand names one.
    pub(super) fn vector_register(&mut self, operand: &Operand, want: Want) -> Try<Option<Vec<Reg>>> {
        let OperandKind::Name(name) = &operand.kind else { return Ok(None) };
        let Some(Binding::Vector { bits, first, count }) = self.bound(*name) else { return Ok(None) };
        self.check_width(self.text(*name), bits, want, operand.span)?;
        Ok(Some((0..u32::from(count)).map(|at| Reg(first.0 + at)).collect()))
    }

    /// The `count` destinations of a vector operand, a vector register or a single operand.
    pub(super) fn destinations(&mut self, operand: &Operand, count: u8, want: Want) -> Try<Vec<Reg>> {
        let regs = match (&operand.kind, self.vector_register(operand, want)?) {
            (_, Some(regs)) => regs,
            (OperandKind::Vector(parts), None) => {
                parts.iter().map(|part| self.destination(part, want)).collect::<Try<Vec<Reg>>>()?
            }
            _ => vec![self.destination(operand, want)?],
        };
        self.check_count(regs, count, operand.span)
    }

    /// The `count` sources of a vector operand, a vector register or a single operand.
    pub(super) fn sources(
        &mut self,
        context: Context,
        operand: &Operand,
        count: u8,
        want: Want,
    ) -> Try<Vec<Reg>> {
        let regs = match (&operand.kind, self.vector_register(operand, want)?) {
            (_, Some(regs)) => regs,
            (OperandKind::Vector(parts), None) => {
                parts.iter().map(|part| self.source(context, part, want)).collect::<Try<Vec<Reg>>>()?
            }
            // `%tid` whole; its fourth element is 0.
            (OperandKind::Name(name), None)
                if count == 4
                    && self.bound(*name).is_none()
                    && predefined(self.text(*name), Some("x")).is_some() =>
            {
                let text = self.text(*name);
                let mut regs = Vec::with_capacity(4);
                for part in ["x", "y", "z"] {
                    regs.push(self.predefined_source(context, text, Some(part), want, operand.span)?);
                }
                regs.push(self.registers.bits(0));
                regs
            }
            _ => vec![self.source(context, operand, want)?],
        };
        self.check_count(regs, count, operand.span)
    }

    fn check_count(&mut self, regs: Vec<Reg>, count: u8, span: Span) -> Try<Vec<Reg>> {
        if regs.len() == usize::from(count) {
            return Ok(regs);
        }
        let message = format!("{count} elements are wanted here, not {}", regs.len());
        Err(self.error_at(Code::V002, span, message))
    }

    /// Bytes of an element of the array that a name stands for.
    fn element_bytes(&mut self, name: Name, span: Span) -> Try<i64> {
        let format = match self.bound(name) {
            Some(Binding::Variable(variable)) => self.variables[variable as usize].format,
            Some(Binding::Argument(argument)) => self.argument_shape(argument).1,
            Some(Binding::Parameter(parameter)) => self.parameters[parameter as usize].format,
            Some(_) => {
                let message = format!("{} is no array", self.text(name));
                return Err(self.error_at(Code::V002, span, message));
            }
            None => return Err(self.unknown(name, span, "array")),
        };
        Ok(format.bytes().into())
    }

    /// `array[%r1+2]` as a value: the address of the element.
    fn element_source(&mut self, context: Context, operand: &Operand, want: Want) -> Try<Reg> {
        let OperandKind::Element { name, index, offset } = operand.kind else {
            return Err(self.error_at(Code::V002, operand.span, "an element of an array is wanted here"));
        };
        let bytes = self.element_bytes(name, operand.span)?;
        let start = self.named_source(context, name, Some(offset.wrapping_mul(bytes)), want, operand.span)?;
        let Some(index) = index else { return Ok(start) };
        // As ptxas makes it: the index counts bytes in 32 bits, without a sign.
        let bits = match self.bound(index) {
            Some(Binding::Register { bits, .. }) => bits,
            _ => 32,
        };
        let given = self.named_source(context, index, None, Want::bits(bits), operand.span)?;
        let index = match bits {
            16 => self.made(context, "cvt", &["u32", "u16"], 32, &[given]),
            64 => self.made(context, "cvt", &["u32", "u64"], 32, &[given]),
            _ => given,
        };
        let bytes = self.registers.bits(bytes as u64);
        let by = self.made(context, "mul", &["lo", "u32"], 32, &[index, bytes]);
        if want.bits != 64 {
            return Ok(self.made(context, "add", &["u32"], 32, &[start, by]));
        }
        let by = self.made(context, "cvt", &["u64", "u32"], 64, &[by]);
        Ok(self.made(context, "add", &["u64"], 64, &[start, by]))
    }

    /// The result of an ordinary instruction in a new register.
    pub(super) fn made(
        &mut self,
        context: Context,
        base: &str,
        suffixes: &[&str],
        bits: u32,
        src: &[Reg],
    ) -> Reg {
        let result = self.registers.fresh(bits, "");
        let shapes = [isa::Shape::Scalar; 4];
        if let Ok(isa::Resolved { action: isa::Action::Effect(effect), row, .. }) =
            isa::find(base, suffixes, &shapes[..=src.len()])
        {
            self.plain(Context { row, ..context }, effect, &[result], src);
        }
        result
    }

    /// An address, which may be that of an element: `array[2]`.
    pub(super) fn place_in(&mut self, context: Context, operand: &Operand) -> Try<Place> {
        let OperandKind::Element { name, index, offset } = operand.kind else {
            return self.place_of(operand);
        };
        if index.is_some() {
            let reg = self.element_source(context, operand, Want::bits(64))?;
            return Ok(Place { base: Base::Register(reg), offset: 0 });
        }
        let offset = offset.wrapping_mul(self.element_bytes(name, operand.span)?);
        let address = Address { base: Some(name), offset, unified: false };
        self.place_of(&Operand { span: operand.span, kind: OperandKind::Address(address) })
    }

    /// An address.
    pub(super) fn place_of(&mut self, operand: &Operand) -> Try<Place> {
        let OperandKind::Address(address) = &operand.kind else {
            return Err(self.error_at(Code::V002, operand.span, "an address in brackets is wanted here"));
        };
        let Some(name) = address.base else {
            return Ok(Place { base: Base::Absolute, offset: address.offset });
        };
        let base = match self.bound(name) {
            Some(Binding::Register { bits: 32 | 64, reg }) => Base::Register(reg),
            Some(Binding::Register { bits, .. }) => {
                let message = format!("{} has {bits} bits; an address has 32 or 64", self.text(name));
                return Err(self.error_at(Code::V002, operand.span, message));
            }
            Some(Binding::Variable(variable)) => Base::Variable(variable),
            Some(Binding::Argument(argument)) => Base::Argument(argument),
            Some(Binding::Parameter(parameter)) => Base::Parameter(parameter),
            Some(_) => {
                let message = format!("{} is no address", self.text(name));
                return Err(self.error_at(Code::V002, operand.span, message));
            }
            None => return Err(self.unknown(name, operand.span, "name")),
        };
        Ok(Place { base, offset: address.offset })
    }

    /// Whether a type is a scalar that `.param` objects of calls can hold in a register.
    pub(super) fn scalar_format(ty: Type) -> Option<Format> {
        match ty {
            Type::Scalar(format) => Some(format),
            Type::F16x2 | Type::Bf16x2 => Some(Format::B32),
            Type::Predicate | Type::B128 | Type::Texref | Type::Samplerref | Type::Surfref => None,
        }
    }
}
