//! The address space: regions for tensors and variables, windows for the state spaces.
//!
//! Tensors and global/const variables each own a 64 GiB stretch of generic addresses, far apart,
//! so that an access outside its region is recognised as such and named after the region it came
//! from. Shared, local and parameter memory have windows of their own below them.
//!
//! Every static shared variable is a region too, far from the others: where a compiler puts them is
//! its own affair, so an index that runs from one array into the next is out of bounds, whatever
//! lies there today. All dynamic arrays are one region, as in CUDA.

use super::cells::{Cells, granule_of};
use super::outcome::Place;
use super::race::Shadow;
use super::setup::{Binding, Initial, Setup, TensorSetup};
use crate::base::Format;
use crate::ir::{Constant, Kernel};
use crate::isa::Space;
use crate::spec::Role;
use crate::term::{Symbol, Term, Terms, Value, index_name};

const SHARED_WINDOW: u64 = 1 << 32;
const LOCAL_WINDOW: u64 = 2 << 32;
const PARAM_WINDOW: u64 = 3 << 32;
const WINDOW_END: u64 = 4 << 32;
const STRETCH: u32 = 36;

/// Index of dynamic shared memory in [`Memory::regions`].
const DYNAMIC: usize = 0;
/// Index of the parameter block in [`Memory::regions`].
pub(super) const PARAMETERS: usize = 1;

/// What a region stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// Dynamic shared memory, or a static shared variable.
    Shared(Option<usize>),
    Parameters,
    Tensor(usize),
    Variable(usize),
}

/// A tensor, a global or const variable, shared memory, or the parameter block.
pub(super) struct Region {
    pub(super) owner: Owner,
    pub(super) space: Space,
    /// Bytes; `None` while it may grow.
    pub(super) size: Option<u64>,
    /// Bytes that an open region may grow to.
    pub(super) limit: u64,
    pub(super) cells: Cells,
    /// Races are looked for here. Not in const memory and parameters; and not, at first, in what is
    /// only read according to the spec ([`Memory::new`]).
    pub(super) watched: bool,
    pub(super) shadow: Vec<Shadow>,
    pub(super) format: Option<Format>,
    pub(super) read: bool,
    pub(super) written: bool,
    pub(super) reached: u64,
    /// Copies under way that read from here.
    pub(super) flights: u32,
}

/// Where an address leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// Offset in a region; may lie outside it.
    Region(usize, i64),
    /// Offset in the thread's local memory.
    Local(i64),
    /// Nowhere.
    Nowhere,
}

/// All memory but registers and local memory.
pub(super) struct Memory {
    pub(super) regions: Vec<Region>,
    /// Where the regions of static shared variables begin.
    statics: usize,
    /// log₂ of the distance between shared variables in their window.
    stretch: u32,
}

impl Memory {
    /// Lays out parameters, tensors and variables of a run. Where nobody writes there is no race, so
    /// inputs are not watched, unless a run before this one wrote to some: then `all` is true.
    pub(super) fn new(kernel: &Kernel, setup: &Setup, terms: &mut Terms, all: bool) -> Memory {
        let shared = region(Owner::Shared(None), Space::Shared, Some(0), 4);
        let parameters = region(Owner::Parameters, Space::Param, Some(u64::from(kernel.parameter_bytes)), 1);
        let statics =
            |variable: &&crate::ir::Variable| variable.space == Space::Shared && variable.size.is_some();
        let slots = kernel.variables.iter().filter(statics).count() as u64 + 2;
        let stretch = (32 - (64 - slots.leading_zeros())).min(24);
        let mut memory = Memory { regions: vec![shared, parameters], statics: 0, stretch };
        for (index, tensor) in setup.tensors.iter().enumerate() {
            let watched = all || tensor.role != Some(Role::In);
            memory.regions.push(Region { watched, ..tensor_region(terms, index, tensor) });
        }
        for (index, variable) in kernel.variables.iter().enumerate() {
            if !matches!(variable.space, Space::Global | Space::Const) {
                continue;
            }
            let size = variable.size.unwrap_or(0);
            let mut made =
                region(Owner::Variable(index), variable.space, Some(size), granule_of(variable.format));
            if variable.initialised || variable.space == Space::Const {
                made.cells.refine(terms, 1);
                for at in 0..size {
                    let byte = variable.init.get(at as usize).copied().unwrap_or(0);
                    made.cells.write(terms, at, 1, Value::Concrete(u64::from(byte)));
                }
            } else if variable.space == Space::Global {
                // Device memory starts zeroed (CUDA: variables without initialiser are zero).
                for at in (0..size).step_by(made.cells.granule() as usize) {
                    made.cells.write(terms, at, made.cells.granule(), Value::Concrete(0));
                }
            }
            memory.regions.push(made);
        }
        memory.statics = memory.regions.len();
        for (index, variable) in kernel.variables.iter().enumerate() {
            if let (Space::Shared, Some(size)) = (variable.space, variable.size) {
                memory.regions.push(region(Owner::Shared(Some(index)), Space::Shared, Some(size), 4));
            }
        }
        for (index, variable) in kernel.variables.iter().enumerate() {
            for (at, constant) in &variable.relocations {
                let address = memory.constant(kernel, constant);
                if let Some(region) =
                    memory.regions.iter_mut().find(|region| region.owner == Owner::Variable(index))
                {
                    region.cells.write(terms, *at, 8, Value::Concrete(address));
                }
            }
            let format = granule_of(variable.format);
            if let Some(region) =
                memory.regions.iter_mut().find(|region| region.owner == Owner::Variable(index))
                && format > region.cells.granule()
                && variable.relocations.is_empty()
            {
                region.coarsen(terms, format);
            }
        }
        memory.bind(setup, terms);
        memory
    }

    fn bind(&mut self, setup: &Setup, terms: &mut Terms) {
        for parameter in &setup.parameters {
            let value = match parameter.binding {
                Binding::Bits(bits) => Value::Concrete(bits),
                Binding::Symbolic(format, term) => Value::Symbolic(Symbol::number(format, term)),
                Binding::Pointer { tensor, offset } => {
                    let format = setup.tensors[tensor].format.unwrap_or(Format::F32);
                    Value::Concrete(base(tensor + 2) + offset * u64::from(format.bytes()))
                }
            };
            let cells = &mut self.regions[PARAMETERS].cells;
            cells.grow(u64::from(parameter.offset + parameter.size));
            cells.write(terms, u64::from(parameter.offset), parameter.size, value);
        }
        let parameters = &mut self.regions[PARAMETERS];
        parameters.size = Some(parameters.cells.len());
    }

    /// Fresh shared memory for the next CTA, `dynamic` bytes of it beside the variables.
    pub(super) fn reset_shared(&mut self, dynamic: u64) {
        self.regions[DYNAMIC] = region(Owner::Shared(None), Space::Shared, Some(dynamic), 4);
        for at in self.statics..self.regions.len() {
            let Region { owner, space, size, .. } = self.regions[at];
            self.regions[at] = region(owner, space, size, 4);
        }
    }

    /// The region of a shared variable.
    fn shared_region(&self, variable: usize) -> usize {
        let owner = Owner::Shared(Some(variable));
        self.regions.iter().position(|region| region.owner == owner).unwrap_or(DYNAMIC)
    }

    /// The address of an offset in a region, in the region's own space.
    pub(super) fn address(&self, region: usize, offset: i64) -> u64 {
        let start = match self.regions[region].space {
            Space::Shared if region == DYNAMIC => 1 << self.stretch,
            Space::Shared => ((region - self.statics + 2) as u64) << self.stretch,
            Space::Param => 0,
            Space::Generic | Space::Global | Space::Local | Space::Const => base(region),
        };
        start.wrapping_add(offset as u64)
    }

    /// How far into a region addresses lead there and nowhere else.
    #[inline]
    pub(super) fn reach(&self, space: Space) -> u64 {
        match space {
            Space::Shared => 1 << (self.stretch - 1),
            Space::Param => 1 << 31,
            Space::Generic | Space::Global | Space::Local | Space::Const => 1 << (STRETCH - 1),
        }
    }

    /// Where an address of shared memory leads.
    #[inline]
    fn locate_shared(&self, address: u64) -> Spot {
        let half = 1 << (self.stretch - 1);
        let slot = (address.wrapping_add(half) >> self.stretch) as usize;
        let region = match slot {
            0 => return Spot::Nowhere,
            1 => DYNAMIC,
            slot => slot - 2 + self.statics,
        };
        if region >= self.regions.len() {
            return Spot::Nowhere;
        }
        Spot::Region(region, address.wrapping_sub((slot as u64) << self.stretch) as i64)
    }

    /// The bits that a constant register holds.
    pub(super) fn constant(&self, kernel: &Kernel, constant: &Constant) -> u64 {
        match constant {
            Constant::Bits(bits) => *bits,
            Constant::ParameterAddress(offset) => u64::from(*offset),
            Constant::Address { variable, offset, generic } => {
                let declared = &kernel.variables[*variable as usize];
                let address = match declared.space {
                    Space::Shared => {
                        let window = if *generic { window(Space::Shared) } else { 0 };
                        window + self.address(self.shared_region(*variable as usize), 0)
                    }
                    Space::Local | Space::Param => {
                        let window = if *generic { window(declared.space) } else { 0 };
                        window + declared.offset
                    }
                    _ => {
                        let owner = Owner::Variable(*variable as usize);
                        let index = self.regions.iter().position(|region| region.owner == owner);
                        index.map_or(0, base)
                    }
                };
                address.wrapping_add(*offset as u64)
            }
        }
    }

    /// Where an address of a space leads.
    #[inline]
    pub(super) fn locate(&self, space: Space, address: u64) -> Spot {
        match space {
            Space::Shared => self.locate_shared(address),
            Space::Local => Spot::Local(small_offset(address)),
            Space::Param => Spot::Region(PARAMETERS, small_offset(address)),
            Space::Global | Space::Const | Space::Generic => {
                let index = (address.wrapping_add(1 << (STRETCH - 1)) >> STRETCH) as usize;
                if index >= 3 && index - 1 < self.statics {
                    return Spot::Region(index - 1, address.wrapping_sub(base(index - 1)) as i64);
                }
                if space != Space::Generic {
                    return Spot::Nowhere;
                }
                match address {
                    SHARED_WINDOW..LOCAL_WINDOW => self.locate_shared(address - SHARED_WINDOW),
                    LOCAL_WINDOW..PARAM_WINDOW => Spot::Local((address - LOCAL_WINDOW) as i64),
                    PARAM_WINDOW..WINDOW_END => Spot::Region(PARAMETERS, (address - PARAM_WINDOW) as i64),
                    _ => Spot::Nowhere,
                }
            }
        }
    }

    /// Whether a generic address lies in a space.
    pub(super) fn lies_in(&self, space: Space, address: u64) -> bool {
        match self.locate(Space::Generic, address) {
            Spot::Local(_) => space == Space::Local,
            Spot::Region(index, _) => {
                self.regions[index].space == space || space == Space::Global && index > PARAMETERS
            }
            Spot::Nowhere => false,
        }
    }

    /// The place of an access, as a person writes it. `bytes` is the access's element size.
    pub(super) fn place(
        &self,
        kernel: &Kernel,
        setup: &Setup,
        space: Space,
        address: u64,
        bytes: u32,
    ) -> Place {
        match self.locate(space, address) {
            Spot::Region(PARAMETERS, offset) => {
                let parameter = kernel.parameters.iter().find(|parameter| {
                    (i64::from(parameter.offset)..i64::from(parameter.offset + parameter.size))
                        .contains(&offset)
                });
                let name = parameter.map_or("parameter block".to_owned(), |parameter| parameter.name.clone());
                let text = format!("{name} (parameter byte {offset})");
                Place {
                    space: Space::Param,
                    name,
                    offset,
                    size: Some(u64::from(kernel.parameter_bytes)),
                    text,
                }
            }
            Spot::Region(index, offset) => {
                let region = &self.regions[index];
                let (name, shape, format) = match region.owner {
                    Owner::Tensor(tensor) => {
                        let tensor = &setup.tensors[tensor];
                        let shape = tensor.shape.clone().filter(|_| tensor.strides.is_none());
                        (tensor.name.clone(), shape, region.format)
                    }
                    Owner::Variable(variable) => {
                        let variable = &kernel.variables[variable];
                        let format = Some(variable.format).filter(|format| format.bytes() > 1);
                        (variable.name.clone(), None, format)
                    }
                    Owner::Shared(Some(variable)) => {
                        let variable = &kernel.variables[variable];
                        let format = Some(variable.format).filter(|format| format.bytes() > 1);
                        (variable.name.clone(), None, format)
                    }
                    Owner::Shared(None) => {
                        let dynamic = |variable: &&crate::ir::Variable| {
                            variable.space == Space::Shared && variable.size.is_none()
                        };
                        let name = kernel.variables.iter().find(dynamic);
                        let format = name.map(|variable| variable.format).filter(|format| format.bytes() > 1);
                        (
                            name.map_or("dynamic shared memory", |variable| &variable.name).to_owned(),
                            None,
                            format,
                        )
                    }
                    Owner::Parameters => (String::new(), None, None),
                };
                let text = element_text(&name, shape.as_deref(), offset, format.map_or(bytes, Format::bytes));
                Place { space: region.space, name, offset, size: region.size, text }
            }
            Spot::Local(offset) => {
                let variable = kernel.variables.iter().find(|variable| {
                    variable.space == Space::Local
                        && (variable.offset as i64..(variable.offset + variable.size.unwrap_or(0)) as i64)
                            .contains(&offset)
                });
                let name = variable.map_or("local memory".to_owned(), |variable| variable.name.clone());
                let from = variable.map_or(0, |variable| variable.offset as i64);
                let text = element_text(&name, None, offset - from, bytes);
                Place {
                    space: Space::Local,
                    name,
                    offset: offset - from,
                    size: Some(kernel.local_bytes),
                    text,
                }
            }
            Spot::Nowhere => {
                let name = match space {
                    Space::Shared => format!("shared memory address {address:#x}"),
                    _ => format!("address {address:#x}"),
                };
                Place { space, text: name.clone(), name, offset: 0, size: None }
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let one =
            |region: &Region| region.cells.bytes() + (region.shadow.capacity() * size_of::<Shadow>()) as u64;
        self.regions.iter().map(one).sum()
    }
}

impl Region {
    /// Makes sure that bytes up to `end` exist in an open region, with their initial contents.
    pub(super) fn open_to(&mut self, terms: &mut Terms, setup: &Setup, end: u64, format: Format) {
        let Owner::Tensor(index) = self.owner else { return };
        let tensor = &setup.tensors[index];
        let format = *self.format.get_or_insert(format);
        let from = self.cells.len();
        if from == 0 {
            self.cells = Cells::undefined(0, granule_of(format));
        }
        if end <= from {
            return;
        }
        // Grow geometrically: neighbouring lanes and iterations ask for a little more each time.
        let step = u64::from(format.bytes());
        let to = end.max(from + from / 2).next_multiple_of(step).min(self.limit.max(end));
        self.cells.grow(to);
        let to = self.cells.len();
        for element in from / step..to / step {
            let value = initial_value(&tensor.initial, format, element);
            self.cells.write(terms, element * step, format.bytes(), value);
        }
    }

    /// Shadow entries for every granule.
    pub(super) fn shadowed(&mut self) {
        let granules = (self.cells.len() / u64::from(self.cells.granule())) as usize;
        if self.shadow.len() < granules {
            self.shadow.resize(granules, Shadow::default());
        }
    }

    /// Makes granules no larger than `bytes`, in cells and shadow alike.
    pub(super) fn refine(&mut self, terms: &mut Terms, bytes: u32) {
        let factor = self.cells.refine(terms, bytes);
        if factor > 1 && !self.shadow.is_empty() {
            let old = std::mem::take(&mut self.shadow);
            self.shadow =
                old.into_iter().flat_map(|entry| std::iter::repeat_n(entry, factor as usize)).collect();
        }
    }

    /// Rebuilds the cells in granules of `bytes` bytes (they must be concrete or undefined).
    fn coarsen(&mut self, terms: &mut Terms, bytes: u32) {
        let mut coarse = Cells::undefined(self.cells.len(), bytes);
        for at in (0..self.cells.len() / u64::from(bytes) * u64::from(bytes)).step_by(bytes as usize) {
            let value = self.cells.read(terms, at, bytes);
            coarse.write(terms, at, bytes, value);
        }
        if self.cells.len().is_multiple_of(u64::from(bytes)) {
            self.cells = coarse;
        }
    }
}

/// The generic address of a region's first byte.
pub(super) fn base(region: usize) -> u64 {
    (region as u64 + 1) << STRETCH
}

/// The generic address of a space's offset 0; 0 for spaces whose addresses are generic already.
pub(super) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Generic | Space::Global | Space::Const => 0,
    }
}

/// Addresses of small spaces are offsets; 32-bit ones below zero wrapped around.
fn small_offset(address: u64) -> i64 {
    if (1 << 31..1 << 32).contains(&address) { i64::from(address as u32 as i32) } else { address as i64 }
}

fn region(owner: Owner, space: Space, size: Option<u64>, granule: u32) -> Region {
    Region {
        owner,
        space,
        size,
        limit: size.unwrap_or(0),
        cells: Cells::undefined(size.unwrap_or(0), granule),
        watched: matches!(space, Space::Shared | Space::Global),
        shadow: Vec::new(),
        format: None,
        read: false,
        written: false,
        reached: 0,
        flights: 0,
    }
}

/// Elements from a tensor's first to its last in memory.
fn span(shape: &[u64], strides: Option<&[u64]>) -> u64 {
    let count: u64 = shape.iter().product();
    match strides {
        Some(strides) if count > 0 => {
            1 + shape.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride).sum::<u64>()
        }
        _ => count,
    }
}

/// Bytes that the tensors and variables of a run hold from the beginning.
pub(super) fn laid_out(kernel: &Kernel, setup: &Setup) -> u64 {
    let tensors = setup.tensors.iter().filter_map(|tensor| {
        let format = tensor.format?;
        let elements = span(tensor.shape.as_ref()?, tensor.strides.as_deref());
        Some(Cells::held(elements.saturating_mul(u64::from(format.bytes())), granule_of(format)))
    });
    let variables = kernel.variables.iter().filter_map(|variable| match variable.space {
        Space::Global | Space::Const => Some(Cells::held(variable.size?, granule_of(variable.format))),
        _ => None,
    });
    tensors.chain(variables).fold(0, u64::saturating_add)
}

fn tensor_region(terms: &mut Terms, index: usize, tensor: &TensorSetup) -> Region {
    let (Some(format), Some(shape)) = (tensor.format, &tensor.shape) else {
        let mut open = region(Owner::Tensor(index), Space::Global, None, 4);
        open.format = tensor.format;
        let bytes = tensor.format.map_or(8, Format::bytes);
        open.limit = tensor.reserved * u64::from(bytes);
        return open;
    };
    let step = u64::from(format.bytes());
    let count: u64 = shape.iter().product();
    let span = span(shape, tensor.strides.as_deref());
    let mut made = region(Owner::Tensor(index), Space::Global, Some(span * step), granule_of(format));
    made.format = Some(format);
    made.reached = span;
    for element in 0..count {
        let value = initial_value(&tensor.initial, format, element);
        let at = memory_element(tensor, element);
        made.cells.write(terms, at * step, format.bytes(), value);
    }
    made
}

fn initial_value(initial: &Initial, format: Format, element: u64) -> Value {
    match initial {
        Initial::Symbolic { first } => {
            Value::Symbolic(Symbol::number(format, Term::element(first + element as u32)))
        }
        Initial::Undefined => Value::Undefined,
        Initial::Concrete(list) => match list.get(element as usize).or(list.last()) {
            Some(bits) => Value::Concrete(*bits),
            None => Value::Undefined,
        },
    }
}

/// The memory position, in elements, of a tensor's logical element.
pub(super) fn memory_element(tensor: &TensorSetup, logical: u64) -> u64 {
    let (Some(shape), Some(strides)) = (&tensor.shape, &tensor.strides) else { return logical };
    let mut rest = logical;
    let mut at = 0;
    for (extent, stride) in shape.iter().zip(strides).rev() {
        at += rest % extent * stride;
        rest /= extent;
    }
    at
}

/// Whether reading before writing is allowed at the start.
pub(super) fn starts_defined(tensor: &TensorSetup) -> bool {
    tensor.role != Some(Role::Out)
}

fn element_text(name: &str, shape: Option<&[u64]>, offset: i64, bytes: u32) -> String {
    let step = i64::from(bytes.max(1));
    if offset < 0 || offset % step != 0 {
        return format!("{name} + {offset} bytes");
    }
    let element = (offset / step) as u64;
    match shape {
        Some(shape) if element < shape.iter().product() => format!("{name}{}", index_name(shape, element)),
        _ => format!("{name}[{element}]"),
    }
}
