//! Calls: device functions are inlined, known math is one instruction, the rest is a verdict.
//!
//! Inlining walks the callee's body again with fresh registers and local variables; its `.shared`
//! and `.global` variables are the same for all calls. Recursion is *forbidden* when executed.

use super::scope::Binding;
use super::{Code, Context, Diagnostic, Frame, Lowering, MAX_INSTRUCTIONS, Try};
use crate::ir::Guard;
use crate::ir::kernel::Reg;
use crate::isa::{self, Effect, Forbidden, Lanewise};
use crate::syntax::ast::{Function, Instruction, Name, Operand, OperandKind, Parameter, StateSpace};

/// Calls that may be inlined into one kernel.
const MAX_CALLS: usize = 1_000_000;

/// Functions that may be inlined into one another.
const MAX_DEPTH: usize = 64;

/// The parts of a call as written.
pub(super) struct Parts<'i> {
    pub(super) results: &'i [Operand],
    callee: &'i Operand,
    pub(super) arguments: &'i [Operand],
    /// The label of a `.calltargets` or `.callprototype`.
    pub(super) signature: Option<&'i Operand>,
}

impl<'m> Lowering<'m> {
    /// Lowers a call.
    pub(super) fn call(&mut self, context: Context, instruction: &'m Instruction) -> Try<()> {
        let Some(parts) = parts(&instruction.operands) else {
            let message = "a call is written `call (results), function, (arguments)`";
            return Err(self.error_at(Code::V002, instruction.span, message));
        };
        let OperandKind::Name(name) = parts.callee.kind else {
            return Err(self.error_at(Code::V002, parts.callee.span, "a function is wanted here"));
        };
        let Some(function) = self.functions.get(&name).copied() else {
            if let Some(Binding::Register { bits: 64, reg }) = self.bound(name) {
                return self.indirect(context, reg, &parts, instruction);
            }
            if self.bound(name).is_some() {
                self.plain(context, Effect::Forbidden(Forbidden::Call), &[], &[]);
                return Ok(());
            }
            return Err(self.unknown(name, parts.callee.span, "function"));
        };
        if function.body.is_some() {
            return self.inline(context, function, &parts, instruction);
        }
        // Whatever is said about this call names the function, not `call`.
        let context = Context { opcode: self.opcode_number(name), ..context };
        let text = self.text(name);
        if let Some(lanes) = isa::known_function(text)
            && parts.results.len() == 1
            && parts.arguments.len() == usize::from(lanes.sources)
            && parts.arguments.iter().chain(parts.results).all(|operand| self.passes(operand, lanes.dst))
        {
            return self.known_math(context, lanes, &parts);
        }
        let what = match text {
            "__assertfail" | "__assert_fail" | "__trap" | "abort" => Forbidden::Assertion,
            "vprintf" | "printf" => Forbidden::Print,
            _ => Forbidden::Extern,
        };
        self.plain(context, Effect::Forbidden(what), &[], &[]);
        Ok(())
    }

    /// A known function: arguments in, one instruction, the result out.
    fn known_math(&mut self, context: Context, lanes: Lanewise, parts: &Parts<'_>) -> Try<()> {
        let mut src = Vec::with_capacity(3);
        for (at, operand) in parts.arguments.iter().enumerate() {
            let format = lanes.src[at];
            src.push(match self.object(operand) {
                Some(argument) => {
                    let value = self.registers.fresh(format.bits(), "");
                    self.load_argument(context, argument, 0, format, value, operand.span)?;
                    value
                }
                None => self.source(context, operand, super::operand::Want::format(format))?,
            });
        }
        let result = &parts.results[0];
        match self.object(result) {
            Some(argument) => {
                let value = self.registers.fresh(lanes.dst.bits(), "");
                self.plain(context, Effect::Lanewise(lanes), &[value], &src);
                self.store_argument(context, argument, 0, lanes.dst, value, result.span)
            }
            None => {
                let dst = self.destination(result, super::operand::Want::format(lanes.dst))?;
                self.plain(context, Effect::Lanewise(lanes), &[dst], &src);
                Ok(())
            }
        }
    }

    /// Whether an operand of a call can hold a value of that format: a function that only shares
    /// its name with known math takes something else.
    fn passes(&mut self, operand: &Operand, format: crate::base::Format) -> bool {
        self.object(operand).is_none_or(|object| self.argument_shape(object).0 == u64::from(format.bytes()))
    }

    /// The `.param` object that an operand of a call names.
    pub(super) fn object(&mut self, operand: &Operand) -> Option<u32> {
        let OperandKind::Name(name) = operand.kind else { return None };
        match self.bound(name) {
            Some(Binding::Argument(argument)) => Some(argument),
            _ => None,
        }
    }

    pub(super) fn inline(
        &mut self,
        context: Context,
        function: &'m Function,
        parts: &Parts<'_>,
        instruction: &Instruction,
    ) -> Try<()> {
        let name = function.name.name;
        if self.frames.iter().any(|frame| frame.function == name) || self.frames.len() >= MAX_DEPTH {
            self.plain(context, Effect::Forbidden(Forbidden::Call), &[], &[]);
            return Ok(());
        }
        // Functions that only call one another double with every level and emit nothing.
        self.inlined += 1;
        if self.code.len() > MAX_INSTRUCTIONS || self.inlined > MAX_CALLS {
            let message = format!("inlining {} makes the kernel too large", self.text(name));
            return Err(self.error_at(Code::B001, instruction.span, message));
        }
        for (given, taken, what) in [
            (parts.results, &function.returns, "results"),
            (parts.arguments, &function.parameters, "arguments"),
        ] {
            if given.len() != taken.len() {
                let message =
                    format!("{} has {} {what}, {} are given", self.text(name), taken.len(), given.len());
                let diagnostic = Diagnostic::error(Code::V002, message)
                    .at(self.source, instruction.span)
                    .related(self.source, function.name.span, "declared here");
                return Err(self.error(diagnostic));
            }
        }
        let after = self.new_label();
        // A guarded call is a jump around the body.
        if let Some(guard) = context.guard {
            let around = Context { guard: Some(Guard { negated: !guard.negated, ..guard }), ..context };
            self.jump(around, after);
        }
        let inside = Context { guard: None, ..context };
        let arguments = self.bind_arguments(inside, function, &function.parameters, parts.arguments, true)?;
        let results = self.bind_arguments(inside, function, &function.returns, parts.results, false)?;
        let location = self.location;
        let stack = self.enter_stack(inside);
        let done = self.new_label();
        let caller = self.scopes.open_function();
        for (formal, binding, _) in arguments.iter().chain(&results) {
            self.scopes.bind(*formal, *binding);
        }
        self.frames.push(Frame { function: name, after: Some(done) });
        if let Some(body) = &function.body {
            self.block(body);
        }
        self.frames.pop();
        self.scopes.close_function(caller);
        self.place(done);
        self.location = location;
        if let Some(before) = stack {
            self.give_back(inside, before);
        }
        for (_, binding, actual) in results {
            self.take_result(inside, binding, actual)?;
        }
        self.place(after);
        Ok(())
    }

    /// What the formal parameters stand for: the caller's objects, or new ones for values.
    fn bind_arguments<'i>(
        &mut self,
        context: Context,
        function: &Function,
        formals: &[Parameter],
        actuals: &'i [Operand],
        arguments: bool,
    ) -> Try<Vec<(Name, Binding, Option<&'i Operand>)>> {
        let mut bound = Vec::with_capacity(formals.len());
        for (formal, actual) in formals.iter().zip(actuals) {
            let Some(name) = &formal.name else { continue };
            let object = self.object(actual);
            let format = Self::scalar_format(formal.ty);
            if formal.space == StateSpace::Param {
                let size = self.parameter_size(formal);
                if let Some(argument) = object {
                    if self.argument_shape(argument).0 < size {
                        let message = format!("{} takes {size} bytes here", self.text(function.name.name));
                        return Err(self.error_at(Code::V002, actual.span, message));
                    }
                    bound.push((name.name, Binding::Argument(argument), None));
                    continue;
                }
                let argument =
                    self.new_argument(self.text(name.name), formal.ty, formal.align, size, formal.span);
                if let (true, Some(format)) = (arguments, format) {
                    let value = self.source(context, actual, Self::argument_want(format))?;
                    self.store_argument(context, argument, 0, format, value, actual.span)?;
                }
                bound.push((name.name, Binding::Argument(argument), Some(actual)));
                continue;
            }
            let given = arguments.then_some(actual);
            if let Some(binding) = self.vector_parameter(context, formal, name.name, given)? {
                bound.push((name.name, binding, Some(actual)));
                continue;
            }
            let Some(bits) = super::scope::register_bits(formal.ty) else { continue };
            let reg = self.registers.fresh(bits, self.text(name.name));
            if arguments {
                let value = match (object, format) {
                    (Some(argument), Some(format)) => {
                        self.load_argument(context, argument, 0, format, reg, actual.span)?;
                        None
                    }
                    _ => Some(self.source(context, actual, super::operand::Want::bits(bits))?),
                };
                if let Some(value) = value {
                    self.plain(context, Effect::Move { bits }, &[reg], &[value]);
                }
            }
            bound.push((name.name, Binding::Register { bits, reg }, Some(actual)));
        }
        Ok(bound)
    }

    /// Copies a result to where the caller wants it.
    fn take_result(&mut self, context: Context, binding: Binding, actual: Option<&Operand>) -> Try<()> {
        let Some(actual) = actual else { return Ok(()) };
        match binding {
            Binding::Argument(argument) => {
                let (_, format) = self.argument_shape(argument);
                let to = self.destination(actual, Self::argument_want(format))?;
                self.load_argument(context, argument, 0, format, to, actual.span)
            }
            Binding::Register { bits, reg } => {
                if let Some(argument) = self.object(actual) {
                    let (_, format) = self.argument_shape(argument);
                    return self.store_argument(context, argument, 0, format, reg, actual.span);
                }
                let to: Reg = self.destination(actual, super::operand::Want::bits(bits))?;
                self.plain(context, Effect::Move { bits }, &[to], &[reg]);
                Ok(())
            }
            Binding::Vector { bits, first, count } => {
                self.vector_result(context, (bits, first, count), actual)
            }
            _ => Ok(()),
        }
    }
}

/// `(results), callee, (arguments), prototype`, of which only the callee must be there.
fn parts(operands: &[Operand]) -> Option<Parts<'_>> {
    let (results, rest) = match operands {
        [Operand { kind: OperandKind::List(results), .. }, rest @ ..] => (&results[..], rest),
        rest => (&[][..], rest),
    };
    let (callee, rest) = rest.split_first()?;
    let (arguments, rest) = match rest {
        [Operand { kind: OperandKind::List(arguments), .. }, rest @ ..] => (&arguments[..], rest),
        rest => (&[][..], rest),
    };
    Some(Parts { results, callee, arguments, signature: rest.first() })
}
