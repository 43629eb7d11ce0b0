//! Textures, samplers and surfaces: what reads them, what asks about them, and accesses to surfaces, which are
//! the address of a place and an ordinary access there.
//!
//! A reference is the address of an opaque variable or what a kernel gets in its place (`cudaTextureObject_t`): a word
//! that nothing but these instructions can use. Which tensor it views is for the spec to say.
//!
//! Source: PTX ISA 9.0, 5.3, 9.7.10, 9.7.11.

use super::instruction::Operands;
use super::operand::{Base, Want};
use super::{Code, Context, Emit, Lowering, Try};
use crate::base::{Format, Span};
use crate::ir::Guard;
use crate::ir::kernel::{Reg, Variable};
use crate::isa::{
    Access, AtomicOp, Effect, Fetch, Level, Outside, Scope, Space, Strength, SurfaceAccess, SurfacePlace,
    ViewKind, ViewOp,
};
use crate::syntax::ast::{
    self, Coordinates, Initializer, InitializerKind, Literal, Operand, OperandKind, StateSpace, Type,
};

/// What an opaque variable is; `.tex` is an older word for a texture.
pub(super) fn view_kind(ty: Type, space: StateSpace) -> Option<ViewKind> {
    match ty {
        Type::Texref => Some(ViewKind::Texture),
        Type::Samplerref => Some(ViewKind::Sampler),
        Type::Surfref => Some(ViewKind::Surface),
        _ => (space == StateSpace::Tex).then_some(ViewKind::Texture),
    }
}

impl<'m> Lowering<'m> {
    /// An opaque variable's index in the kernel.
    pub(super) fn view(
        &mut self,
        (name, span): (ast::Name, Span),
        kind: ViewKind,
        initializer: Option<&Initializer>,
    ) -> u32 {
        if let Some(id) = self.variable_ids.get(&span.start) {
            return *id;
        }
        let mut settings = Vec::new();
        if let Some(initializer) = initializer {
            self.settings(initializer, &mut settings);
        }
        let id = self.variables.len() as u32;
        self.variable_ids.insert(span.start, id);
        self.variables.push(Variable {
            name: self.text(name).to_owned(),
            space: Space::Global,
            format: Format::B64,
            align: 8,
            size: Some(0),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: initializer.is_some(),
            exported: false,
            is_function: false,
            view: Some(kind),
            settings,
            pointee: None,
            span,
        });
        id
    }

    /// `{ addr_mode_0 = clamp_to_edge, width = 16 }`
    fn settings(&self, initializer: &Initializer, found: &mut Vec<(String, String)>) {
        match &initializer.kind {
            InitializerKind::List(all) => all.iter().for_each(|each| self.settings(each, found)),
            InitializerKind::Field(field) => {
                let value = match &field.1.kind {
                    InitializerKind::Address { symbol, .. } => self.text(*symbol).to_owned(),
                    InitializerKind::Literal(Literal::Integer { bits, .. }) => bits.to_string(),
                    _ => return,
                };
                found.push((self.text(field.0.name).to_owned(), value));
            }
            _ => {}
        }
    }

    /// Lowers an instruction about a texture or a surface.
    pub(super) fn view_op(&mut self, context: Context, op: ViewOp, operands: &Operands<'_>) -> Try<()> {
        match op {
            ViewOp::Fetch(fetch) => self.fetch(context, fetch, operands),
            ViewOp::Samples => {
                self.unsupported(context, "samples of a multi-sampled texture are not supported".to_owned());
                Ok(())
            }
            ViewOp::InquireFormat => {
                let why =
                    "what this asks is a number of the source language's own, which the manual leaves open";
                self.unsupported(context, why.to_owned());
                Ok(())
            }
            ViewOp::Inquire(what) => {
                let Some(address) = operands.address else { return Ok(()) };
                let place = self.place_of(address)?;
                let (_, reg, offset) = self.address(Space::Global, place, address)?;
                let mut src = vec![reg];
                if let Some(level) = operands.source.first() {
                    src.push(self.source(context, level, Want::bits(32))?);
                }
                let dst = [self.destination(operands.out[0], Want::bits(32))?];
                self.emit(
                    context,
                    Emit { effect: Effect::Inquire(what), dst: &dst, src: &src, offset, target: 0 },
                );
                Ok(())
            }
            ViewOp::Is(kind) => {
                let src = self.source(context, operands.source[0], Want::bits(64))?;
                let dst = self.destination(operands.out[0], Want::bits(1))?;
                self.plain(context, Effect::IsView(kind), &[dst], &[src]);
                Ok(())
            }
            ViewOp::Surface { place, format, vector, access } => {
                self.surface(context, place, (format, vector), access, operands)
            }
        }
    }

    /// The reference and what else stands in the brackets: `[a, {x, y}]`, `[a, sampler, {x, y}]`.
    fn bracketed<'o>(
        &mut self,
        context: Context,
        operand: &'o Operand,
    ) -> Try<(Reg, Option<Reg>, &'o Operand)> {
        let OperandKind::Coordinates(coordinates) = &operand.kind else {
            return Err(self.error_at(
                Code::V002,
                operand.span,
                "a reference with coordinates is wanted here",
            ));
        };
        let Coordinates { address, rest } = &**coordinates;
        let inside = Operand { span: operand.span, kind: OperandKind::Address(*address) };
        let place = self.place_of(&inside)?;
        if place.offset != 0 || !matches!(place.base, Base::Register(_) | Base::Variable(_)) {
            let message = "a texture or a surface is named by a register or a variable, with nothing added";
            return Err(self.error_at(Code::V002, operand.span, message));
        }
        let (_, reference, _) = self.address(Space::Global, place, &inside)?;
        match &rest[..] {
            [at] => Ok((reference, None, at)),
            [sampler, at] => {
                let sampler = self.source(context, sampler, Want::bits(64))?;
                Ok((reference, Some(sampler), at))
            }
            _ => {
                let message =
                    "a texture, a sampler if there is one, and the coordinates in braces are wanted here";
                Err(self.error_at(Code::V002, operand.span, message))
            }
        }
    }

    /// The elements of an operand that is a vector, a vector register, or a single one.
    fn elements(
        &mut self,
        context: Context,
        operand: &Operand,
        want: &dyn Fn(usize) -> Want,
    ) -> Try<Vec<Reg>> {
        if let Some(all) = self.vector_register(operand, want(usize::MAX))? {
            return Ok(all);
        }
        match &operand.kind {
            OperandKind::Vector(parts) => {
                parts.iter().enumerate().map(|(at, part)| self.source(context, part, want(at))).collect()
            }
            _ => Ok(vec![self.source(context, operand, want(0))?]),
        }
    }

    /// The layer and the coordinates, without what only fills the vector.
    fn coordinates(
        &mut self,
        context: Context,
        operand: &Operand,
        geometry: crate::isa::Geometry,
        integers: bool,
    ) -> Try<Vec<Reg>> {
        let wanted = geometry.words();
        let want = |at: usize| match integers || geometry.layered && at == 0 || at >= wanted {
            true => Want::bits(32),
            false => Want::format(Format::F32),
        };
        let mut all = self.elements(context, operand, &want)?;
        let full = if wanted == 3 { 4 } else { wanted };
        if all.len() != wanted && all.len() != full {
            let message = format!("{wanted} coordinates are wanted here, not {}", all.len());
            return Err(self.error_at(Code::V002, operand.span, message));
        }
        all.truncate(wanted);
        Ok(all)
    }

    fn fetch(&mut self, context: Context, mut fetch: Fetch, operands: &Operands<'_>) -> Try<()> {
        let Some(address) = operands.map else { return Ok(()) };
        let (reference, sampler, at) = self.bracketed(context, address)?;
        let mut src = vec![reference, sampler.unwrap_or(reference)];
        src.extend(self.coordinates(context, at, fetch.geometry, fetch.integers)?);
        let mut rest = operands.source.iter();
        let float = |_| Want::format(Format::F32);
        let levels = match fetch.level {
            Level::Base => 0,
            Level::Number => 1,
            Level::Gradient => 2,
        };
        for _ in 0..levels {
            let Some(operand) = rest.next() else {
                return Err(self.error_at(Code::V002, address.span, "the level of detail is missing"));
            };
            src.extend(match fetch.level {
                // Integer coordinates come with an integer level.
                Level::Number if fetch.integers => vec![self.source(context, operand, Want::bits(32))?],
                Level::Number => vec![self.source(context, operand, Want::format(Format::F32))?],
                Level::Base | Level::Gradient => self.elements(context, operand, &float)?,
            });
        }
        for operand in rest {
            let vector = matches!(operand.kind, OperandKind::Vector(_))
                || self.vector_register(operand, Want::bits(32)).is_ok_and(|found| found.is_some());
            if !vector || fetch.offset || fetch.geometry.cube {
                self.unsupported(
                    context,
                    "comparisons with a texture of depths are not supported".to_owned(),
                );
                return Ok(());
            }
            let mut offsets = self.elements(context, operand, &|_| Want::bits(32))?;
            let axes = usize::from(fetch.geometry.axes);
            if offsets.len() < axes {
                let message = format!("{axes} offsets are wanted here, not {}", offsets.len());
                return Err(self.error_at(Code::V002, operand.span, message));
            }
            offsets.truncate(axes);
            src.extend(offsets);
            fetch.offset = true;
        }
        let want = match fetch.packed {
            true => Want::bits(32),
            false => Want::format(fetch.result),
        };
        let mut dst = self.destinations(operands.out[0], if fetch.packed { 2 } else { 4 }, want)?;
        if let Some(resident) = operands.out.get(1)
            && !matches!(resident.kind, OperandKind::Sink)
        {
            dst.push(self.destination(resident, Want::bits(1))?);
            fetch.resident = true;
        }
        self.plain(context, Effect::Fetch(fetch), &dst, &src);
        Ok(())
    }

    fn surface(
        &mut self,
        context: Context,
        place: SurfacePlace,
        (format, vector): (Format, u8),
        access: SurfaceAccess,
        operands: &Operands<'_>,
    ) -> Try<()> {
        if place.formatted && matches!(access, SurfaceAccess::Reduce(AtomicOp::Min | AtomicOp::Max)) {
            let why = "whether this compares numbers with a sign is for the surface's format to say";
            self.unsupported(context, why.to_owned());
            return Ok(());
        }
        let Some(address) = operands.map else { return Ok(()) };
        let (reference, sampler, at) = self.bracketed(context, address)?;
        if sampler.is_some() {
            return Err(self.error_at(Code::V002, address.span, "a surface has no sampler"));
        }
        let mut src = vec![reference];
        src.extend(self.coordinates(context, at, place.geometry, true)?);
        let wide = Want::bits(format.bits()).or_wider();
        let values = match operands.source.first() {
            Some(operand) => self.sources(context, operand, vector, wide)?,
            None => Vec::new(),
        };
        let dst = match (access, operands.out.first()) {
            (SurfaceAccess::Load, Some(out)) => self.destinations(out, vector, wide)?,
            _ => Vec::new(),
        };
        let target = self.registers.fresh(64, "");
        let mut places = vec![target];
        let always = Context { guard: None, ..context };
        if context.guard.is_some() {
            // Where the guard does not hold there is an address all the same, which nobody uses.
            let nowhere = self.registers.bits(0);
            self.plain(always, Effect::Move { bits: 64 }, &[target], &[nowhere]);
        }
        let mut inside = context;
        if place.outside == Outside::Zero {
            let flag = self.registers.fresh(1, "");
            let no = self.registers.bits(0);
            self.plain(always, Effect::Move { bits: 1 }, &[flag], &[no]);
            places.push(flag);
            inside.guard = Some(Guard { predicate: flag, negated: false });
        }
        self.plain(context, Effect::SurfacePlace(place), &places, &src);
        if place.outside == Outside::Zero {
            let zero = self.registers.bits(0);
            for reg in &dst {
                let bits = self.registers.width(*reg).unwrap_or(64);
                self.plain(context, Effect::Move { bits }, &[*reg], &[zero]);
            }
        }
        let shape = |strength| Access { space: Space::Global, format, vector, strength };
        let (effect, mut src) = match access {
            SurfaceAccess::Load => (Effect::Load(shape(Strength::Texture)), vec![target]),
            SurfaceAccess::Store => (Effect::Store(shape(Strength::Surface)), vec![target]),
            SurfaceAccess::Reduce(op) => {
                let strength = Strength::Strong(Scope::Gpu, crate::isa::Order::Relaxed);
                (Effect::Atomic { op, access: shape(strength) }, vec![target])
            }
        };
        src.extend(values);
        self.emit(inside, Emit { effect, dst: &dst, src: &src, offset: 0, target: 0 });
        Ok(())
    }
}
