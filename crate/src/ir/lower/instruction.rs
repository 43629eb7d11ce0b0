//! One instruction as written to the effects it has.

use super::operand::{Base, Place, Want, wanted_destination, wanted_source};
use super::scope::Binding;
use super::{Code, Context, Diagnostic, Emit, Lowering, Try};
use crate::ir::Guard;
use crate::ir::kernel::{Constant, Reg};
use crate::isa::{
    self, Access, Action, Arg, Effect, Lanewise, Problem, Resolved, Shape, SlotKind, Space, Step,
};
use crate::syntax::ast::{Instruction, Name, Operand, OperandKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Opcodes with operand shapes that were looked up before: a module repeats a few hundred.
pub(super) type Cache = FxHashMap<(Name, u64), Rc<Result<Resolved, Problem>>>;

/// Destinations and sources of an instruction, in the order written.
pub(super) struct Operands<'i> {
    /// The halves of a pair are separate entries; a missing half is not there.
    pub(super) out: Vec<&'i Operand>,
    pub(super) source: Vec<&'i Operand>,
    pub(super) address: Option<&'i Operand>,
    /// Where a copy reads.
    pub(super) from: Option<&'i Operand>,
    /// Where the bytes of a bulk copy are counted.
    pub(super) counter: Option<&'i Operand>,
    /// A fourth address.
    pub(super) further: Option<&'i Operand>,
    /// The tensor map and the coordinates of a tensor copy.
    pub(super) map: Option<&'i Operand>,
}

impl<'m> Lowering<'m> {
    /// Lowers one instruction.
    pub(super) fn instruction(&mut self, instruction: &'m Instruction) -> Try<()> {
        let guard = match &instruction.guard {
            None => None,
            Some(guard) => match self.bound(guard.register) {
                Some(Binding::Register { bits: 1, reg }) => {
                    Some(Guard { predicate: reg, negated: guard.negated })
                }
                Some(_) => {
                    let message = format!("{} is no predicate register", self.text(guard.register));
                    return Err(self.error_at(Code::V002, guard.span, message));
                }
                None => return Err(self.unknown(guard.register, guard.span, "predicate")),
            },
        };
        let opcode = self.opcode(instruction);
        let mut context = Context { guard, span: instruction.span, row: u32::MAX, opcode };
        self.note_addresses(instruction);
        if self.vector_move(context, instruction)? {
            return Ok(());
        }
        let resolved = self.resolve(instruction);
        let resolved = match resolved.as_ref() {
            Ok(resolved) => resolved,
            Err(problem) => return self.problem(context, instruction, problem),
        };
        context.row = resolved.row;
        let operands = split(resolved, &instruction.operands);
        match &resolved.action {
            Action::Effect(effect) => self.single(context, resolved, effect, &operands, instruction),
            Action::Carry { lanes, reads, writes } => self.carry(context, *lanes, *reads, *writes, &operands),
            Action::Steps(steps) => {
                // Scalar conversions read the low bits of wider registers.
                let loose = resolved.form.text.starts_with("cvt") && resolved.form.slots.len() == 2;
                self.steps(context, steps, &operands, loose)
            }
            Action::Video(video) => self.video(context, video, &operands),
            Action::Stack(op) => self.stack(context, *op, &operands),
            Action::Discard(space) => self.discard(context, *space, &operands),
            Action::View(op) => self.view_op(context, *op, &operands),
            Action::Call => self.call(context, instruction),
            Action::Return => {
                match self.frames.last().and_then(|frame| frame.after) {
                    Some(after) => self.jump(context, after),
                    None => {
                        self.plain(context, Effect::Exit, &[], &[]);
                    }
                }
                Ok(())
            }
        }
    }

    /// Remembers registers whose values are global or generic addresses here, also of instructions that
    /// do nothing in this machine (`prefetch`) or that it does not know.
    fn note_addresses(&mut self, instruction: &Instruction) {
        if !instruction.operands.iter().any(|operand| address_of(operand).is_some()) {
            return;
        }
        let parts = self.module.opcode(instruction.opcode);
        // `cp.async.cg.shared.global [to], [from]`: spaces stand in the order of the addresses.
        let spaces: Vec<bool> = parts
            .suffixes()
            .filter_map(|suffix| match suffix.split("::").next()? {
                "global" | "const" => Some(true),
                "shared" | "local" | "param" => Some(false),
                _ => None,
            })
            .collect();
        let named = instruction.operands.iter().filter_map(address_of);
        for (at, name) in named.enumerate() {
            let outside = spaces.get(at).or(spaces.last()).copied().unwrap_or(true);
            if outside && let Some(Binding::Register { bits: 64, reg }) = self.bound(name) {
                self.addresses.push(reg);
            }
        }
    }

    fn resolve(&mut self, instruction: &Instruction) -> Rc<Result<Resolved, Problem>> {
        let shapes: Vec<Shape> = instruction.operands.iter().map(shape).collect();
        let key = (instruction.opcode.name, encode(&shapes));
        if shapes.len() <= 8
            && let Some(known) = self.resolved.get(&key)
        {
            return known.clone();
        }
        let parts = self.module.opcode(instruction.opcode);
        let suffixes: Vec<&str> = parts.suffixes().collect();
        let resolved = Rc::new(isa::find(parts.base(), &suffixes, &shapes));
        if shapes.len() <= 8 {
            self.resolved.insert(key, resolved.clone());
        }
        resolved
    }

    /// The number of an opcode in the kernel's opcodes.
    fn opcode(&mut self, instruction: &Instruction) -> u32 {
        self.opcode_number(instruction.opcode.name)
    }

    /// The number of an opcode, or of a function that stands for one.
    pub(super) fn opcode_number(&mut self, name: Name) -> u32 {
        let next = self.opcodes.len() as u32;
        let number = *self.opcode_ids.entry(name).or_insert(next);
        if number == next {
            self.opcodes.push(self.text(name).to_owned());
        }
        number
    }

    /// Opcodes that nothing here knows are unsupported when executed; known ones with impossible
    /// operands are errors.
    fn problem(&mut self, mut context: Context, instruction: &Instruction, problem: &Problem) -> Try<()> {
        let parts = self.module.opcode(instruction.opcode);
        let (text, base) = (parts.text(), parts.base());
        match problem {
            Problem::UnknownName => {
                let near = isa::rows()
                    .map(|row| row.name)
                    .min_by_key(|name| strsim::damerau_levenshtein(name, base))
                    .filter(|name| strsim::damerau_levenshtein(name, base) <= 1 + base.len() / 4);
                let hint = near.map_or_else(String::new, |name| format!(" (did you mean {name}?)"));
                self.unsupported(context, format!("the instruction {text} is not known{hint}"));
            }
            Problem::UnknownSuffixes(Some(suffix)) => {
                self.unsupported(context, format!("{base} with .{suffix} is not supported"));
            }
            Problem::UnknownSuffixes(None) => {
                self.unsupported(context, format!("{text}: this combination of suffixes is not supported"));
            }
            Problem::Mismatch(why) => self.unsupported(context, why.clone()),
            Problem::Missing(row, family) => {
                context.row = *row;
                self.unsupported(context, format!("{text} is not supported yet; it belongs to: {family}"));
            }
            Problem::Operands { at, reason, form } => {
                let operand = at.and_then(|at| instruction.operands.get(at));
                let span = operand.map_or(instruction.span, |operand| operand.span);
                let diagnostic = Diagnostic::error(Code::V002, reason.clone())
                    .at(self.source, span)
                    .note(format!("the form is `{form}`"));
                return Err(self.error(diagnostic));
            }
        }
        Ok(())
    }

    /// An instruction with one effect.
    fn single(
        &mut self,
        context: Context,
        resolved: &Resolved,
        effect: &Effect,
        operands: &Operands<'_>,
        instruction: &'m Instruction,
    ) -> Try<()> {
        match effect {
            Effect::Branch => self.branch(context, operands),
            Effect::BranchIndexed => self.branch_indexed(context, operands),
            Effect::Load(access) => self.load(context, *access, operands),
            Effect::Store(access) => self.store(context, *access, operands),
            Effect::Atomic { .. } => self.atomic(context, effect, operands, resolved.vector),
            Effect::Matrix(op) => self.matrix(context, *op, operands),
            Effect::TensorMemory(op) => self.tensor_memory(context, *op, operands),
            Effect::Copy(op) => self.copy(context, *op, operands),
            Effect::Response(answer) => self.response(context, *answer, operands),
            Effect::Phaser(op) => self.phaser(context, *op, operands),
            Effect::Nothing | Effect::Fence(..) => {
                self.plain(context, *effect, &[], &[]);
                Ok(())
            }
            Effect::Lanewise(lanes) if resolved.form.text.starts_with("cvt") => {
                self.conversion(context, *lanes, operands)
            }
            Effect::Pack { .. } => {
                let parts = self.sources_of_vector(context, effect, operands.source[0])?;
                let dst = self.destination(operands.out[0], wanted_destination(effect, 0, 1))?;
                self.plain(context, *effect, &[dst], &parts);
                Ok(())
            }
            Effect::Unpack { .. } => {
                let OperandKind::Vector(parts) = &operands.out[0].kind else { return Ok(()) };
                let count = parts.len() as u8;
                let want = wanted_destination(effect, 0, parts.len());
                let src = self.source(context, operands.source[0], wanted_source(effect, 0, 1))?;
                let dst = self.destinations(operands.out[0], count, want)?;
                self.plain(context, *effect, &dst, &[src]);
                Ok(())
            }
            _ => self.straight(context, effect, operands, instruction),
        }
    }

    fn sources_of_vector(&mut self, context: Context, effect: &Effect, operand: &Operand) -> Try<Vec<Reg>> {
        let OperandKind::Vector(parts) = &operand.kind else {
            return Err(self.error_at(Code::V002, operand.span, "a vector in braces is wanted here"));
        };
        let want = wanted_source(effect, 0, parts.len());
        self.sources(context, operand, parts.len() as u8, want)
    }

    /// Destinations and sources in the order written.
    fn straight(
        &mut self,
        context: Context,
        effect: &Effect,
        operands: &Operands<'_>,
        instruction: &Instruction,
    ) -> Try<()> {
        if matches!(effect, Effect::Move { .. }) {
            self.check_constant(instruction, operands.source[0])?;
        }
        let count = operands.source.len();
        let mut src = Vec::with_capacity(count);
        for (at, operand) in operands.source.iter().enumerate() {
            src.push(self.source(context, operand, wanted_source(effect, at, count))?);
        }
        let mut dst = Vec::with_capacity(2);
        for (at, out) in operands.out.iter().enumerate() {
            // A second destination that nobody reads is no destination.
            if at > 0 && matches!(out.kind, OperandKind::Sink) {
                continue;
            }
            dst.push(self.destination(out, wanted_destination(effect, at, operands.out.len()))?);
        }
        let mut effect = *effect;
        if let Effect::Lanewise(lanes) = &mut effect {
            lanes.destinations = dst.len() as u8;
        }
        self.plain(context, effect, &dst, &src);
        Ok(())
    }

    /// Conversions read the low bits of wider registers and extend into wider ones.
    fn conversion(&mut self, context: Context, lanes: Lanewise, operands: &Operands<'_>) -> Try<()> {
        let effect = Effect::Lanewise(lanes);
        let from = narrow(lanes.src[0]).or_wider();
        let to = narrow(lanes.dst).or_wider();
        let src = self.source(context, operands.source[0], from)?;
        let dst = self.destination(operands.out[0], to)?;
        let width = self.registers.width(dst).unwrap_or(lanes.dst.bits());
        let signed = matches!(lanes.dst.class(), crate::base::FormatClass::Signed);
        if width == lanes.dst.bits() || !signed {
            // Results are zero-extended as they are.
            self.plain(context, effect, &[dst], &[src]);
            return Ok(());
        }
        let narrow = self.registers.fresh(lanes.dst.bits(), "");
        self.plain(context, effect, &[narrow], &[src]);
        self.extend(context, lanes.dst, dst, narrow);
        Ok(())
    }

    /// Sign- or zero-extends a narrow register into a wider one.
    pub(super) fn extend(&mut self, context: Context, format: crate::base::Format, dst: Reg, src: Reg) {
        let width = self.registers.width(dst).unwrap_or(32);
        let signed = matches!(format.class(), crate::base::FormatClass::Signed);
        let sign = if signed { 's' } else { 'u' };
        let (to, from) = (format!("{sign}{width}"), format!("{sign}{}", format.bits()));
        if let Ok(Resolved { action: Action::Effect(effect), .. }) =
            isa::find("cvt", &[&to, &from], &[Shape::Scalar, Shape::Scalar])
        {
            self.plain(context, effect, &[dst], &[src]);
        }
    }

    fn carry(
        &mut self,
        context: Context,
        mut lanes: Lanewise,
        reads: bool,
        writes: bool,
        operands: &Operands<'_>,
    ) -> Try<()> {
        let effect = Effect::Lanewise(lanes);
        let count = operands.source.len();
        let mut src = Vec::with_capacity(4);
        for (at, operand) in operands.source.iter().enumerate() {
            src.push(self.source(context, operand, wanted_source(&effect, at, count))?);
        }
        let mut dst = vec![self.destination(operands.out[0], wanted_destination(&effect, 0, 1))?];
        let carry = self.registers.carry();
        if reads {
            src.push(carry);
        }
        if writes {
            dst.push(carry);
        }
        lanes.destinations = dst.len() as u8;
        self.plain(context, Effect::Lanewise(lanes), &dst, &src);
        Ok(())
    }

    /// Several effects in a row.
    pub(super) fn steps(
        &mut self,
        mut context: Context,
        steps: &[Step],
        operands: &Operands<'_>,
        loose: bool,
    ) -> Try<()> {
        let mut out: Vec<Option<Reg>> = vec![None; operands.out.len()];
        let mut source: Vec<Option<Reg>> = vec![None; operands.source.len()];
        let mut temps: Vec<Option<Reg>> = Vec::new();
        let mut plan = Vec::with_capacity(steps.len());
        for step in steps {
            let loose = loose && matches!(step.effect, Effect::Lanewise(_));
            let wider = |want: Want| if loose { want.or_wider() } else { want };
            let mut src = Vec::with_capacity(step.src.len());
            for (at, arg) in step.src.iter().enumerate() {
                let want = wider(wanted_source(&step.effect, at, step.src.len()));
                src.push(match *arg {
                    Arg::In(n) => match source[usize::from(n)] {
                        Some(reg) => reg,
                        None => {
                            let reg = self.source(context, operands.source[usize::from(n)], want)?;
                            *source[usize::from(n)].insert(reg)
                        }
                    },
                    Arg::Out(n) => out[usize::from(n)].unwrap_or_else(|| self.registers.sink()),
                    Arg::Temp(n, bits) => self.temp(&mut temps, n, bits),
                    Arg::Bits(bits) => self.registers.bits(bits),
                });
            }
            let mut dst = Vec::with_capacity(step.dst.len());
            for (at, arg) in step.dst.iter().enumerate() {
                let want = wider(wanted_destination(&step.effect, at, step.dst.len()));
                dst.push(match *arg {
                    Arg::Out(n) => {
                        let reg = self.destination(operands.out[usize::from(n)], want)?;
                        *out[usize::from(n)].insert(reg)
                    }
                    Arg::Temp(n, bits) => self.temp(&mut temps, n, bits),
                    Arg::In(_) | Arg::Bits(_) => self.registers.sink(),
                });
            }
            plan.push((step.effect, dst, src));
        }
        // A step must not change the guard of the next one.
        if let Some(guard) = context.guard
            && out.contains(&Some(guard.predicate))
        {
            let saved = self.registers.fresh(1, "");
            let always = Context { guard: None, ..context };
            self.plain(always, Effect::Move { bits: 1 }, &[saved], &[guard.predicate]);
            context.guard = Some(Guard { predicate: saved, ..guard });
        }
        for (effect, dst, src) in plan {
            self.plain(context, effect, &dst, &src);
        }
        Ok(())
    }

    fn temp(&mut self, temps: &mut Vec<Option<Reg>>, n: u8, bits: u8) -> Reg {
        let at = usize::from(n);
        if temps.len() <= at {
            temps.resize(at + 1, None);
        }
        *temps[at].get_or_insert_with(|| self.registers.fresh(bits.into(), ""))
    }

    fn branch(&mut self, context: Context, operands: &Operands<'_>) -> Try<()> {
        let label = self.label(operands.source[0])?;
        self.jump(context, label);
        Ok(())
    }

    fn label(&mut self, operand: &Operand) -> Try<u32> {
        let OperandKind::Name(name) = &operand.kind else {
            return Err(self.error_at(Code::V002, operand.span, "a label is wanted here"));
        };
        match self.bound(*name) {
            Some(Binding::Label(label)) => Ok(label),
            Some(_) => {
                let message = format!("{} is no label", self.text(*name));
                Err(self.error_at(Code::V002, operand.span, message))
            }
            None => Err(self.unknown(*name, operand.span, "label")),
        }
    }

    fn branch_indexed(&mut self, context: Context, operands: &Operands<'_>) -> Try<()> {
        let index = self.source(context, operands.source[0], Want::bits(32))?;
        let list = match &operands.source[1].kind {
            OperandKind::Name(name) => self.bound(*name),
            _ => None,
        };
        let Some(Binding::Targets(list)) = list else {
            let message = "brx.idx takes the label of a .branchtargets list here";
            return Err(self.error_at(Code::V002, operands.source[1].span, message));
        };
        let mut table = Vec::new();
        for ident in self.target_lists[list as usize] {
            let operand = Operand { span: ident.span, kind: OperandKind::Name(ident.name) };
            table.push(self.label(&operand)?);
        }
        self.tables.push(table);
        let target = self.tables.len() as u32 - 1;
        self.emit(
            context,
            Emit { effect: Effect::BranchIndexed, dst: &[], src: &[index], offset: 0, target },
        );
        Ok(())
    }

    // ---- memory ----------------------------------------------------------------------------

    /// The address register of a place in a space, and what is added to it.
    pub(super) fn address(
        &mut self,
        space: Space,
        place: Place,
        operand: &Operand,
    ) -> Try<(Space, Reg, i64)> {
        match place.base {
            Base::Register(reg) => {
                // Inside a function, parameters live in the thread's own memory.
                let inside = self.frames.len() > 1 && space == Space::Param;
                Ok((if inside { Space::Local } else { space }, reg, place.offset))
            }
            Base::Absolute => Ok((space, self.registers.bits(0), place.offset)),
            Base::Variable(variable) => {
                let lives = self.variables[variable as usize].space;
                if space != Space::Generic && space != lives {
                    let message = format!(
                        "{} lives in .{}, not in .{}",
                        self.variables[variable as usize].name,
                        lives.name(),
                        space.name()
                    );
                    return Err(self.error_at(Code::V002, operand.span, message));
                }
                let reg = self.registers.constant(Constant::Address { variable, offset: 0, generic: false });
                Ok((lives, reg, place.offset))
            }
            Base::Argument(argument) => {
                let variable = self.argument_in_memory(argument);
                let reg = self.registers.constant(Constant::Address { variable, offset: 0, generic: false });
                Ok((Space::Local, reg, place.offset))
            }
            Base::Parameter(parameter) => {
                if !matches!(space, Space::Param | Space::Generic) {
                    let message = format!("a parameter lives in .param, not in .{}", space.name());
                    return Err(self.error_at(Code::V002, operand.span, message));
                }
                let start = self.parameters[parameter as usize].offset;
                Ok((Space::Param, self.registers.constant(Constant::ParameterAddress(start)), place.offset))
            }
        }
    }

    fn load(&mut self, context: Context, access: Access, operands: &Operands<'_>) -> Try<()> {
        let Some(address) = operands.address else { return Ok(()) };
        let want = wanted_destination(&Effect::Load(access), 0, 1);
        let dst = self.destinations(operands.out[0], access.vector, want)?;
        let place = self.place_in(context, address)?;
        if let Base::Argument(argument) = place.base {
            for (at, reg) in dst.iter().enumerate() {
                let offset = place.offset.wrapping_add(at as i64 * i64::from(access.format.bytes()));
                self.load_argument(context, argument, offset, access.format, *reg, address.span)?;
            }
            return Ok(());
        }
        let (space, base, offset) = self.address(access.space, place, address)?;
        let effect = Effect::Load(Access { space, ..access });
        self.emit(context, Emit { effect, dst: &dst, src: &[base], offset, target: 0 });
        Ok(())
    }

    fn store(&mut self, context: Context, access: Access, operands: &Operands<'_>) -> Try<()> {
        let Some(address) = operands.address else { return Ok(()) };
        let want = wanted_source(&Effect::Store(access), 1, 2);
        if let OperandKind::Vector(parts) = &operands.source[0].kind
            && parts.iter().any(|part| matches!(part.kind, OperandKind::Sink))
            && parts.len() == usize::from(access.vector)
        {
            return self.store_parts(context, access, address, parts);
        }
        let values = self.sources(context, operands.source[0], access.vector, want)?;
        let place = self.place_in(context, address)?;
        match place.base {
            Base::Argument(argument) => {
                for (at, reg) in values.iter().enumerate() {
                    let offset = place.offset.wrapping_add(at as i64 * i64::from(access.format.bytes()));
                    self.store_argument(context, argument, offset, access.format, *reg, address.span)?;
                }
                return Ok(());
            }
            Base::Parameter(_) => {
                let message = "a kernel's parameters cannot be written";
                return Err(self.error_at(Code::V002, address.span, message));
            }
            Base::Register(_) | Base::Absolute | Base::Variable(_) => {}
        }
        let (space, base, offset) = self.address(access.space, place, address)?;
        let effect = Effect::Store(Access { space, ..access });
        let mut src = vec![base];
        src.extend(values);
        self.emit(context, Emit { effect, dst: &[], src: &src, offset, target: 0 });
        Ok(())
    }

    /// A store of some elements of a vector of 256 bits; the others stay as they are.
    fn store_parts(
        &mut self,
        context: Context,
        access: Access,
        address: &Operand,
        parts: &[Operand],
    ) -> Try<()> {
        let bytes = i64::from(access.format.bytes());
        if bytes * parts.len() as i64 != 32 {
            return Err(self.error_at(
                Code::V002,
                address.span,
                "only vectors of 256 bits can have `_` here",
            ));
        }
        let place = self.place_in(context, address)?;
        let (space, base, offset) = self.address(access.space, place, address)?;
        let effect = Effect::Store(Access { space, vector: 1, ..access });
        for (at, part) in parts.iter().enumerate() {
            if !matches!(part.kind, OperandKind::Sink) {
                let value = self.source(context, part, wanted_source(&effect, 1, 2))?;
                let offset = offset.wrapping_add(at as i64 * bytes);
                self.emit(context, Emit { effect, dst: &[], src: &[base, value], offset, target: 0 });
            }
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        context: Context,
        effect: &Effect,
        operands: &Operands<'_>,
        registers: u8,
    ) -> Try<()> {
        let (Some(address), Effect::Atomic { op, access }) = (operands.address, *effect) else {
            return Ok(());
        };
        if access.vector > 1 {
            return self.atomic_elements(context, op, access, operands, registers);
        }
        let count = if op == isa::AtomicOp::CompareSwap { 2 } else { 1 };
        let mut src = vec![Reg(0)];
        for operand in operands.source.iter().take(count) {
            src.push(self.source(context, operand, wanted_source(effect, 1, 2))?);
        }
        let mut dst = Vec::new();
        if let Some(out) = operands.out.first()
            && !matches!(out.kind, OperandKind::Sink)
        {
            dst.push(self.destination(out, wanted_destination(effect, 0, 1))?);
        }
        let place = self.place_of(address)?;
        let (space, base, offset) = self.address(access.space, place, address)?;
        src[0] = base;
        let effect = Effect::Atomic { op, access: Access { space, ..access } };
        self.emit(context, Emit { effect, dst: &dst, src: &src, offset, target: 0 });
        Ok(())
    }

    /// An atomic on a vector or on packed halves: on each element by itself, as the manual says. The first
    /// says how the whole has to lie.
    fn atomic_elements(
        &mut self,
        context: Context,
        op: isa::AtomicOp,
        access: Access,
        operands: &Operands<'_>,
        registers: u8,
    ) -> Try<()> {
        let Some(address) = operands.address else { return Ok(()) };
        let elements = access.vector;
        let bits = access.format.bits();
        let packed = elements / registers.max(1);
        let want = if packed > 1 { Want::bits(32) } else { Want::bits(bits) };
        let whole = self.sources(context, operands.source[0], registers, want)?;
        let mut values = Vec::with_capacity(elements.into());
        for reg in whole {
            if packed == 1 {
                values.push(reg);
                continue;
            }
            let halves = [(); 2].map(|()| self.registers.fresh(bits, ""));
            self.plain(context, Effect::Unpack { bits: 32 }, &halves, &[reg]);
            values.extend(halves);
        }
        let out = operands.out.first().filter(|out| !matches!(out.kind, OperandKind::Sink));
        let targets = match out {
            Some(out) => self.destinations(out, registers, want)?,
            None => Vec::new(),
        };
        let place = self.place_of(address)?;
        let (space, base, offset) = self.address(access.space, place, address)?;
        let mut old = Vec::with_capacity(elements.into());
        for (at, value) in values.iter().enumerate() {
            let vector = if at == 0 { elements } else { 1 };
            let effect = Effect::Atomic { op, access: Access { space, vector, ..access } };
            let dst = out.map(|_| self.registers.fresh(bits, ""));
            let offset = offset.wrapping_add(at as i64 * i64::from(access.format.bytes()));
            self.emit(context, Emit { effect, dst: dst.as_slice(), src: &[base, *value], offset, target: 0 });
            old.extend(dst);
        }
        for (target, parts) in targets.iter().zip(old.chunks(packed.into())) {
            let effect = if packed > 1 { Effect::Pack { bits: 32 } } else { Effect::Move { bits } };
            self.plain(context, effect, &[*target], parts);
        }
        Ok(())
    }
}

/// 8-bit operands of conversions are numbers, not predicates.
fn narrow(format: crate::base::Format) -> Want {
    Want::format(format)
}

/// The name in an operand's brackets.
fn address_of(operand: &Operand) -> Option<Name> {
    match &operand.kind {
        OperandKind::Address(address) => address.base,
        OperandKind::Coordinates(coordinates) => coordinates.address.base,
        _ => None,
    }
}

fn shape(operand: &Operand) -> Shape {
    match &operand.kind {
        OperandKind::Name(_)
        | OperandKind::Component { .. }
        | OperandKind::Offset { .. }
        | OperandKind::Literal(_) => Shape::Scalar,
        OperandKind::Address(_) => Shape::Address,
        OperandKind::Element { .. } => Shape::Element,
        OperandKind::Not(_) => Shape::Not,
        OperandKind::Sink => Shape::Sink,
        OperandKind::Vector(parts) => Shape::Vector(parts.len().min(255) as u8),
        OperandKind::Pair(_) => Shape::Pair,
        OperandKind::Minus(_) => Shape::Minus,
        OperandKind::Coordinates(_) => Shape::Coordinates,
        OperandKind::List(_) => Shape::Other,
    }
}

/// Up to eight shapes as one number.
fn encode(shapes: &[Shape]) -> u64 {
    shapes.iter().take(8).fold(0, |code, shape| {
        let byte = match shape {
            Shape::Scalar => 1,
            Shape::Sink => 2,
            Shape::Not => 3,
            Shape::Address => 4,
            Shape::Pair => 5,
            Shape::Other => 6,
            Shape::Element => 7,
            Shape::Minus => 8,
            Shape::Coordinates => 9,
            Shape::Vector(n) => 10 + u64::from(*n).min(245),
        };
        code << 8 | byte
    })
}

/// Sorts the operands into destinations, sources and the address.
fn split<'i>(resolved: &Resolved, operands: &'i [Operand]) -> Operands<'i> {
    let mut sorted = Operands {
        out: Vec::with_capacity(2),
        source: Vec::with_capacity(4),
        address: None,
        from: None,
        counter: None,
        further: None,
        map: None,
    };
    for (kind, operand) in isa::assign(resolved.form, operands.len()).into_iter().zip(operands) {
        match (kind, &operand.kind) {
            (SlotKind::OutPair { .. } | SlotKind::OutVectorPair, OperandKind::Pair(halves)) => {
                sorted.out.push(&halves.0);
                sorted.out.push(&halves.1);
            }
            (
                SlotKind::Out
                | SlotKind::OutPair { .. }
                | SlotKind::OutVector(_)
                | SlotKind::OutVectorPair
                | SlotKind::OutFragment,
                _,
            ) => sorted.out.push(operand),
            (
                SlotKind::In
                | SlotKind::Predicate
                | SlotKind::Signed
                | SlotKind::InVector(_)
                | SlotKind::InFragment
                | SlotKind::Loose,
                _,
            ) => {
                sorted.source.push(operand);
            }
            (SlotKind::Address, _) if sorted.address.is_none() => sorted.address = Some(operand),
            (SlotKind::Address, _) if sorted.from.is_none() => sorted.from = Some(operand),
            (SlotKind::Address, _) if sorted.counter.is_none() => sorted.counter = Some(operand),
            (SlotKind::Address, _) => sorted.further = Some(operand),
            (SlotKind::Coordinates, _) => sorted.map = Some(operand),
            (SlotKind::Rest, _) => {}
        }
    }
    sorted
}
