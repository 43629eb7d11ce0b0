//! Variables and parameters: sizes, initial bytes, where they lie.
//!
//! Only variables that the kernel mentions (directly, or through the address in another one's
//! initial bytes) become part of it. Static shared and local variables are laid out in the order
//! of first mention, dynamic shared memory behind the static part, as the driver does.

use super::scope::Binding;
use super::views::view_kind;
use super::{Code, Lowering};
use crate::base::{Format, Span};
use crate::ir::kernel::{Constant, Parameter, Variable, WORKSPACE};
use crate::isa::Space;
use crate::syntax::ast::{
    self, Function, Initializer, InitializerKind, Item, Linkage, Literal, Name, StateSpace, Type,
};

/// Bytes of a variable.
const MAX_BYTES: u64 = 1 << 32;

/// Bytes of a variable that an initializer may reach.
const MAX_INITIAL: u64 = 1 << 28;

/// Sizes of the spaces that are laid out here.
pub(super) struct Layout {
    pub(super) shared: u64,
    pub(super) local: u64,
}

/// Format and bytes of one element.
fn element(ty: Type, vector: Option<u8>) -> Option<(Format, u64)> {
    let (format, bytes) = match ty {
        Type::Scalar(format) => (format, u64::from(format.bytes())),
        Type::F16x2 | Type::Bf16x2 => (Format::B32, 4),
        Type::B128 => (Format::B64, 16),
        Type::Predicate | Type::Texref | Type::Samplerref | Type::Surfref => return None,
    };
    Some((format, bytes * u64::from(vector.unwrap_or(1))))
}

impl<'m> Lowering<'m> {
    /// A module-scope variable, made part of the kernel at its first mention.
    pub(super) fn module_variable(&mut self, name: Name) -> Option<Binding> {
        if self.module_names.is_empty() {
            for item in &self.module.items {
                if let Item::Variable(variable) = item {
                    self.module_names.entry(variable.name.name).or_insert(variable);
                }
            }
        }
        let variable = *self.module_names.get(&name)?;
        let binding = match view_kind(variable.ty, variable.space) {
            Some(kind) => {
                let initializer = variable.initializer.as_ref();
                Binding::Variable(self.view((name, variable.span), kind, initializer))
            }
            None => Binding::Variable(self.variable(variable)?),
        };
        self.scopes.bind_in(0, name, binding);
        Some(binding)
    }

    /// Bytes of a declared object; reports one that has none.
    pub(super) fn size_of(&mut self, variable: &ast::Variable) -> Option<u64> {
        let Some((_, bytes)) = element(variable.ty, variable.vector) else {
            let message = format!("a variable cannot be .{}", variable.ty.name());
            self.error_at(Code::V002, variable.span, message);
            return None;
        };
        let mut size = Some(bytes);
        for dimension in &variable.dimensions {
            let extent = dimension.or_else(|| self.open_extent(variable));
            size = extent.and_then(|extent| size?.checked_mul(extent));
        }
        let size = size.filter(|size| *size <= MAX_BYTES);
        if size.is_none() {
            let message = format!("{} has no size, or one beyond 4 GiB", self.text(variable.name.name));
            self.error_at(Code::V002, variable.name.span, message);
        }
        size
    }

    /// The extent of `x[]` from its initializer.
    fn open_extent(&self, variable: &ast::Variable) -> Option<u64> {
        match &variable.initializer.as_ref()?.kind {
            InitializerKind::List(elements) => Some(elements.len() as u64),
            _ => None,
        }
    }

    /// A variable's index in the kernel; declared shared, global and const variables exist once.
    pub(super) fn variable(&mut self, variable: &'m ast::Variable) -> Option<u32> {
        let space = match variable.space {
            StateSpace::Const => Space::Const,
            StateSpace::Global => Space::Global,
            StateSpace::Local => Space::Local,
            StateSpace::Shared => Space::Shared,
            StateSpace::Reg | StateSpace::Param | StateSpace::Tex => return None,
        };
        let once = variable.span.start;
        if space != Space::Local
            && let Some(id) = self.variable_ids.get(&once)
        {
            return Some(*id);
        }
        let open = variable.dimensions.first() == Some(&None) && variable.initializer.is_none();
        let dynamic = open && space == Space::Shared;
        let size = if dynamic {
            None
        } else if open && variable.linkage == Some(Linkage::Extern) {
            // Declared elsewhere: nothing is known about it, so nothing of it can be accessed.
            Some(0)
        } else {
            Some(self.size_of(variable)?)
        };
        let (format, bytes) = element(variable.ty, variable.vector)?;
        let align = variable.align.and_then(|align| u32::try_from(align).ok());
        let align = align.filter(|align| align.is_power_of_two()).unwrap_or(bytes as u32);
        let name = match self.frames.len() {
            0 | 1 => self.text(variable.name.name).to_owned(),
            _ => {
                let function = self.frames.last().map_or("", |frame| self.text(frame.function));
                format!("{function}::{}", self.text(variable.name.name))
            }
        };
        let id = self.variables.len() as u32;
        self.variable_ids.insert(once, id);
        self.variables.push(Variable {
            name,
            space,
            format,
            align,
            size,
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: variable.initializer.is_some(),
            exported: variable.linkage.is_some(),
            is_function: false,
            view: None,
            settings: Vec::new(),
            pointee: None,
            span: variable.span,
        });
        if let Some(initializer) = &variable.initializer {
            let mut bytes = Bytes { bytes: Vec::new(), relocations: Vec::new() };
            let extents: Vec<u64> = variable.dimensions.iter().map(|extent| extent.unwrap_or(0)).collect();
            self.fill(&mut bytes, format, variable.vector.unwrap_or(1).into(), &extents, initializer, 0);
            let filled = &mut self.variables[id as usize];
            bytes.bytes.truncate(size.unwrap_or(0) as usize);
            filled.init = bytes.bytes;
            filled.relocations = bytes.relocations;
        }
        Some(id)
    }

    /// The memory of a cooperative launch: a word that the driver uses, and the barrier over the grid.
    pub(super) fn workspace(&mut self, span: Span) -> u32 {
        if let Some(at) = self.variables.iter().position(|variable| variable.name == WORKSPACE) {
            return at as u32;
        }
        self.variables.push(Variable {
            name: WORKSPACE.to_owned(),
            space: Space::Global,
            format: Format::U32,
            align: 8,
            size: Some(8),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialized: true,
            exported: false,
            is_function: false,
            view: None,
            settings: Vec::new(),
            pointee: None,
            span,
        });
        self.variables.len() as u32 - 1
    }

    /// `.shared .b32 x<4>;`: four variables x0 … x3.
    pub(super) fn declare_numbered(&mut self, variable: &'m ast::Variable, count: u32) {
        let prefix = self.text(variable.name.name);
        for at in 0..count.min(1 << 16) {
            let Some(name) = self.module.names.get(&format!("{prefix}{at}")) else { continue };
            if let Some(id) = self.variable(variable) {
                // The declaration's place stands for all of them, so each is a variable of its own.
                self.variable_ids.remove(&variable.span.start);
                self.variables[id as usize].name = format!("{prefix}{at}");
                self.scopes.bind(name, Binding::Variable(id));
            }
        }
    }

    /// Writes an initializer's bytes from element `at` on; `extents` are the array's, outermost
    /// first, `vector` the elements of a vector.
    fn fill(
        &mut self,
        bytes: &mut Bytes,
        format: Format,
        vector: u64,
        extents: &[u64],
        initializer: &Initializer,
        at: u64,
    ) {
        let width = u64::from(format.bytes());
        match &initializer.kind {
            InitializerKind::List(elements) => {
                let inner = extents.get(1..).unwrap_or(&[]);
                let step = if extents.is_empty() { 1 } else { inner.iter().product::<u64>().max(1) * vector };
                for (number, element) in elements.iter().enumerate() {
                    self.fill(bytes, format, vector, inner, element, at + number as u64 * step);
                }
            }
            InitializerKind::Literal(literal) => bytes.put(at * width, literal_bits(*literal, format), width),
            InitializerKind::Address { symbol, offset } => {
                self.relocate(bytes, at * width, *symbol, *offset, false, initializer)
            }
            InitializerKind::Generic { symbol, offset } => {
                self.relocate(bytes, at * width, *symbol, *offset, true, initializer)
            }
            // Structures with pointers are written byte by byte; the lowest byte stands for all.
            InitializerKind::MaskedAddress(masked) => {
                if masked.mask == 0xff {
                    self.relocate(
                        bytes,
                        at * width,
                        masked.symbol,
                        masked.offset,
                        masked.generic,
                        initializer,
                    );
                }
            }
            InitializerKind::Field(_) => {}
        }
    }

    fn relocate(
        &mut self,
        bytes: &mut Bytes,
        place: u64,
        symbol: Name,
        offset: i64,
        generic: bool,
        initializer: &Initializer,
    ) {
        bytes.put(place, 0, 8);
        match self.module_variable(symbol) {
            Some(Binding::Variable(variable)) => {
                bytes.relocations.push((place, Constant::Address { variable, offset, generic }));
            }
            _ if self.functions.contains_key(&symbol) => {
                let variable = self.function_variable(symbol);
                bytes.relocations.push((place, Constant::Address { variable, offset, generic }));
            }
            _ => {
                self.unknown(symbol, initializer.span, "variable");
            }
        }
    }

    /// The parameter block of the kernel.
    pub(super) fn declare_parameters(&mut self, function: &'m Function) {
        for parameter in &function.parameters {
            let Some(name) = &parameter.name else { continue };
            if let Some(kind) = view_kind(parameter.ty, StateSpace::Param) {
                let id = self.view((name.name, parameter.span), kind, None);
                self.scopes.bind(name.name, Binding::Variable(id));
                continue;
            }
            let Some((format, bytes)) = element(parameter.ty, parameter.vector) else {
                self.scopes.bind(name.name, Binding::Opaque);
                continue;
            };
            let size = self.parameter_size(parameter);
            if size == 0 {
                let message = format!("{} has no size; a kernel's parameter needs one", self.text(name.name));
                self.error_at(Code::V002, parameter.span, message);
                return;
            }
            let align = parameter.align.filter(|align| align.is_power_of_two()).unwrap_or(bytes).max(1);
            let offset = u64::from(self.parameter_bytes).next_multiple_of(align);
            let end = offset.saturating_add(size);
            if end > 1 << 20 {
                let message =
                    format!("{} makes the parameters larger than any kernel's", self.text(name.name));
                self.error_at(Code::V002, parameter.span, message);
                return;
            }
            self.parameter_bytes = end as u32;
            let at = self.parameters.len() as u32;
            self.parameters.push(Parameter {
                name: self.text(name.name).to_owned(),
                offset: offset as u32,
                size: size as u32,
                format,
                aggregate: !parameter.dimensions.is_empty(),
                fields: Vec::new(),
                pointer: parameter.pointer.is_some_and(|pointer| pointer.object.is_none()),
                pointee: None,
                view: None,
                written: None,
                declared: None,
                reading: None,
                pointee_align: parameter
                    .pointer
                    .as_ref()
                    .and_then(|pointer| u32::try_from(pointer.align?).ok())
                    .filter(|align| align.is_power_of_two())
                    .unwrap_or(1),
                span: parameter.span,
            });
            if !self.scopes.bind(name.name, Binding::Parameter(at)) {
                let message = format!("two parameters are called {}", self.text(name.name));
                self.error_at(Code::V004, name.span, message);
            }
        }
    }

    /// Bytes of a parameter.
    pub(super) fn parameter_size(&self, parameter: &ast::Parameter) -> u64 {
        let Some((_, bytes)) = element(parameter.ty, parameter.vector) else { return 0 };
        parameter.dimensions.iter().fold(bytes, |size, extent| size.saturating_mul(extent.unwrap_or(0)))
    }

    /// Gives shared and local variables their offsets.
    pub(super) fn lay_out_variables(&mut self) -> Layout {
        let mut layout = Layout { shared: 0, local: 0 };
        let stack = self.stack.map(|(variable, _)| variable as usize);
        for (at, variable) in self.variables.iter_mut().enumerate() {
            if stack == Some(at) {
                continue;
            }
            let end = match variable.space {
                Space::Shared => &mut layout.shared,
                Space::Local => &mut layout.local,
                _ => continue,
            };
            let Some(size) = variable.size else { continue };
            variable.offset = end.next_multiple_of(u64::from(variable.align.max(1)));
            *end = variable.offset.saturating_add(size);
        }
        // Behind all others: of local memory, only what is used up to its end is there.
        if let Some(stack) = stack {
            let stack = &mut self.variables[stack];
            stack.offset = layout.local.next_multiple_of(u64::from(stack.align));
            layout.local = stack.offset + stack.size.unwrap_or(0);
        }
        // All dynamic arrays begin at one place, aligned for the strictest of them.
        let dynamic = self.variables.iter_mut().filter(|variable| variable.size.is_none());
        let mut dynamic: Vec<&mut Variable> = dynamic.collect();
        if let Some(align) = dynamic.iter().map(|variable| variable.align).max() {
            layout.shared = layout.shared.next_multiple_of(u64::from(align.max(1)));
            for variable in &mut dynamic {
                variable.offset = layout.shared;
            }
        }
        layout
    }
}

/// Initial bytes under construction.
struct Bytes {
    bytes: Vec<u8>,
    relocations: Vec<(u64, Constant)>,
}

impl Bytes {
    /// Writes `width` bytes of a value; a place far out of any sensible variable is ignored.
    fn put(&mut self, place: u64, value: u64, width: u64) {
        if place.saturating_add(width) > MAX_INITIAL {
            return;
        }
        let (place, width) = (place as usize, width as usize);
        if self.bytes.len() < place + width {
            self.bytes.resize(place + width, 0);
        }
        self.bytes[place..place + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
}

/// A literal as an element of a variable.
fn literal_bits(literal: Literal, format: Format) -> u64 {
    match (literal, format) {
        (Literal::Integer { bits, unsigned }, Format::F32) => {
            let value = if unsigned { bits as f32 } else { bits as i64 as f32 };
            value.to_bits().into()
        }
        (Literal::Integer { bits, unsigned }, Format::F64) => {
            if unsigned {
                (bits as f64).to_bits()
            } else {
                (bits as i64 as f64).to_bits()
            }
        }
        (Literal::Integer { bits, .. }, _) => bits,
        (Literal::F32(bits), Format::F64 | Format::B64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Literal::F32(bits), _) => bits.into(),
        (Literal::F64(bits), Format::F32 | Format::B32) => (f64::from_bits(bits) as f32).to_bits().into(),
        (Literal::F64(bits), _) => bits,
    }
}
