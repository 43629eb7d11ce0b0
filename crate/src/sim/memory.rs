//! The address space: regions for tensors and variables, windows for the state spaces.
//!
//! Tensors and global/const variables each own a stretch of 64 GiB of generic addresses (more where
//! one is declared larger), far apart, so that an access outside its region is recognized as such and
//! named after the region it came from. Shared, local and parameter memory have windows of their own
//! below them. What a region holds at the start is made when it is touched, a page at a time, so that
//! declared sizes cost nothing.
//!
//! Every static shared variable is a region too, far from the others: where a compiler puts them is
//! its own affair, so an index that runs from one array into the next is out of bounds, whatever
//! lies there today. All dynamic arrays are one region, as in CUDA.

mod shared;

use super::cells::{Cells, granule_of, grow};
use super::looks::{self, ALLOCATION, World};
use super::outcome::Place;
use super::pages::PAGE_BYTES;
use super::race::Shadow;
use super::setup::{Binding, Initial, Setup, TensorSetup};
use crate::base::Format;
use crate::ir::{Constant, Kernel};
use crate::isa::Space;

use crate::spec::Role;
use crate::term::{Symbol, Terms, Value, index_name};
pub(super) use shared::{RANK, rank_bit};
use std::ops::Range;

const SHARED_WINDOW: u64 = 1 << 32;
const LOCAL_WINDOW: u64 = 2 << 32;
const PARAM_WINDOW: u64 = 3 << 32;
const WINDOW_END: u64 = 4 << 32;
/// log₂ of the least distance between tensors.
const STRETCH: u32 = 36;
/// Regions up to this size are there whole, from the beginning.
const SMALL: u64 = 1 << 14;

/// Index of dynamic shared memory in [`Memory::regions`].
pub(super) const DYNAMIC: usize = 0;
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
    /// A texture, a sampler or a surface: a place of no bytes, which stands for it.
    View(usize),
    /// Tensor maps, by their index in [`super::setup::Maps::stored`].
    Maps(usize),
}

/// Bytes of a tensor map.
pub(super) const MAP_BYTES: u64 = 128;

/// A tensor, a global or const variable, shared memory, or the parameter block.
pub(super) struct Region {
    pub(super) owner: Owner,
    pub(super) space: Space,
    /// Bytes; `None` while it may grow.
    pub(super) size: Option<u64>,
    /// Bytes that an open region may have.
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
    /// Addresses that a variable holds from the beginning, by their offsets.
    relocations: Vec<(u64, u64)>,
}

/// Bits of a shared address that matrix descriptors can say (PTX ISA 9.0, 9.7.15.5.1.2.2).
pub(super) const DESCRIBED: u32 = 18;

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
    /// Where the places of textures and surfaces begin.
    views: usize,
    /// Where the regions of static shared variables begin.
    statics: usize,
    /// Where global and const variables lie, by their number in the kernel.
    homes: Vec<Option<usize>>,
    /// log₂ of the distance between shared variables in their window.
    stretch: u32,
    /// log₂ of the distance between tensors.
    wide: u32,
    /// Bytes of pages made since somebody last asked what is held.
    pub(super) fresh: u64,
    /// An element was touched that has no number yet ([`TensorSetup::number`]).
    pub(super) unnumbered: bool,
    /// The addresses of the regions' first bytes, in their own spaces.
    starts: Vec<u64>,
    /// CTAs that share their memories, the one that runs, and log₂ of the bytes of their windows.
    ranks: usize,
    rank: usize,
    window: u32,
    /// Static shared variables of one CTA.
    per_cta: usize,
    /// Matrix descriptors hold the lowest bits of shared addresses ([`Memory::described`]).
    describes: bool,
    /// Regions of global memory lie in descending order.
    reversed: bool,
    /// Regions begin somewhere behind the beginning of their stretch.
    shifted: bool,
    /// What dynamic shared memory is taken to begin at a multiple of, though the PTX does not say so.
    pub(super) assumed: Option<u32>,
}

impl Memory {
    /// Lays out parameters, tensors and variables of a run. Where nobody writes there is no race, so
    /// inputs are not watched, unless a run before this one wrote to some: then `all` is true.
    pub(super) fn new(kernel: &Kernel, setup: &Setup, terms: &mut Terms, all: bool, world: World) -> Memory {
        let shared = region(Owner::Shared(None), Space::Shared, Some(0), 4);
        let parameters = region(Owner::Parameters, Space::Param, Some(u64::from(kernel.parameter_bytes)), 1);
        let ranks = setup.launch.cluster.iter().product::<u32>() as usize;
        let stretch = match ranks {
            1 => (32 - (64 - shared::slots(kernel).leading_zeros())).min(24),
            _ => shared::STRETCH,
        };
        let sizes = setup.tensors.iter().filter_map(|tensor| Some(elements_in_memory(tensor)? * 8));
        let largest = sizes.chain(kernel.variables.iter().filter_map(|variable| variable.size)).max();
        let wide = STRETCH.max(66 - largest.unwrap_or(0).leading_zeros());
        let mut memory = Memory {
            regions: vec![shared, parameters],
            views: 0,
            statics: 0,
            homes: vec![None; kernel.variables.len()],
            stretch,
            wide,
            fresh: 0,
            unnumbered: false,
            starts: Vec::new(),
            ranks,
            rank: 0,
            window: if ranks > 1 { shared::rank_bit(kernel) } else { 63 },
            per_cta: 0,
            describes: stretch > DESCRIBED + 1
                && (super::warpgroup::has_any(kernel) || super::tensor_memory::has_any(kernel)),
            reversed: world.choice == 1,
            shifted: world.choice > 0,
            assumed: looks::assumed_alignment(kernel, setup),
        };
        for (index, tensor) in setup.tensors.iter().enumerate() {
            let mut made = tensor_region(index, tensor, memory.reach(Space::Global));
            let variable = tensor.variable.and_then(|variable| kernel.variables.get(variable));
            let space = variable.map_or(made.space, |variable| variable.space);
            let watched = space == Space::Global && (all || tensor.role != Some(Role::In));
            if let Some(index) = tensor.variable {
                memory.homes[index] = Some(memory.regions.len());
            }
            if tensor.initial == Initial::Declared
                && variable.is_some_and(|variable| !variable.relocations.is_empty())
            {
                made.cells.refine(terms, 1);
            }
            memory.regions.push(Region { watched, space, ..made });
        }
        for (index, variable) in kernel.variables.iter().enumerate() {
            if !matches!(variable.space, Space::Global | Space::Const) {
                continue;
            }
            if memory.homes[index].is_some() || variable.view.is_some() {
                continue;
            }
            memory.homes[index] = Some(memory.regions.len());
            let held = setup.views.iter().any(|view| view.variable == Some(index));
            let granule = match variable.relocations.is_empty() && !held {
                true => granule_of(variable.format),
                false => 1,
            };
            let owner = Owner::Variable(index);
            memory.regions.push(region(owner, variable.space, Some(variable.size.unwrap_or(0)), granule));
        }
        for (index, (_, count)) in setup.maps.stored.iter().enumerate() {
            let bytes = MAP_BYTES * *count as u64;
            memory.regions.push(region(Owner::Maps(index), Space::Global, Some(bytes), 4));
        }
        memory.views = memory.regions.len();
        for (index, view) in setup.views.iter().enumerate() {
            if let Some(variable) = view.variable.filter(|at| kernel.variables[*at].view.is_some()) {
                memory.homes[variable] = Some(memory.regions.len());
            }
            memory.regions.push(region(Owner::View(index), Space::Global, Some(0), 8));
        }
        memory.statics = memory.regions.len();
        for (index, variable) in kernel.variables.iter().enumerate() {
            if let (Space::Shared, Some(size)) = (variable.space, variable.size) {
                memory.regions.push(region(Owner::Shared(Some(index)), Space::Shared, Some(size), 4));
            }
        }
        memory.per_cta = memory.regions.len() - memory.statics;
        for _ in 1..ranks {
            memory.regions.push(region(Owner::Shared(None), Space::Shared, Some(0), 4));
            for at in memory.statics..memory.statics + memory.per_cta {
                let Region { owner, space, size, .. } = memory.regions[at];
                memory.regions.push(region(owner, space, size, 4));
            }
        }
        memory.starts = (0..memory.regions.len())
            .map(|region| {
                if memory.describes && memory.regions[region].space == Space::Shared {
                    // The bits that descriptors hold are those of the layout, wherever that begins.
                    let beyond = 1 << DESCRIBED;
                    return memory.start(region)
                        + layout_offset(kernel, &memory.regions[region])
                        + shift(world, beyond, memory.room(Space::Shared));
                }
                let own = alignment(kernel, setup, &memory.regions[region], world);
                let align = own.max(memory.assumed.filter(|_| region == DYNAMIC).unwrap_or(1).into());
                memory.start(region) + shift(world, align, memory.room(memory.regions[region].space))
            })
            .collect();
        for at in 2..memory.statics {
            if let Some(variable) = declared(setup, memory.regions[at].owner) {
                let relocations = &kernel.variables[variable].relocations;
                let mut held: Vec<(u64, u64)> =
                    relocations.iter().map(|(at, to)| (*at, memory.constant(kernel, to))).collect();
                for (index, view) in setup.views.iter().enumerate() {
                    if view.variable == Some(variable) {
                        held.push((0, memory.starts[memory.views + index]));
                    }
                }
                memory.regions[at].relocations = held;
            }
            if !memory.regions[at].cells.is_paged() {
                let bytes = 0..memory.regions[at].cells.len();
                memory.fill(kernel, setup, terms, at, bytes);
            }
        }
        memory.bind(setup, terms);
        memory
    }

    fn bind(&mut self, setup: &Setup, terms: &mut Terms) {
        for parameter in &setup.parameters {
            let value = match parameter.binding {
                Binding::Map(_) => {
                    let end = u64::from(parameter.offset + parameter.size);
                    self.regions[PARAMETERS].cells.grow(end);
                    continue;
                }
                Binding::Maps(index) => {
                    let region = self.regions.iter().position(|region| region.owner == Owner::Maps(index));
                    Value::Concrete(region.map_or(0, |region| self.starts[region]))
                }
                Binding::Bits(bits) => Value::Concrete(bits),
                Binding::Symbolic(format, term) => {
                    if let Some(element) = term.as_element() {
                        terms.note_elements(element, format);
                    }
                    Value::Symbolic(Symbol::number(format, term))
                }
                Binding::View(view) => Value::Concrete(self.starts[self.views + view]),
                Binding::Pointer { tensor, offset } => {
                    let format = setup.tensors[tensor].format.unwrap_or(Format::F32);
                    Value::Concrete(self.starts[tensor + 2] + offset * u64::from(format.bytes()))
                }
            };
            let cells = &mut self.regions[PARAMETERS].cells;
            cells.grow(u64::from(parameter.offset + parameter.size));
            cells.write(terms, u64::from(parameter.offset), parameter.size, value);
        }
        let parameters = &mut self.regions[PARAMETERS];
        parameters.size = Some(parameters.cells.len());
    }

    /// The region of a tensor.
    pub(super) fn tensor(&self, tensor: usize) -> usize {
        tensor + 2
    }

    /// The address of an offset in a region, in the region's own space.
    pub(super) fn address(&self, region: usize, offset: i64) -> u64 {
        self.starts[region].wrapping_add(offset as u64)
    }

    /// The texture, sampler or surface that a word stands for.
    pub(super) fn view_at(&self, word: u64) -> Option<usize> {
        match self.locate(Space::Global, word) {
            Spot::Region(region, 0) if (self.views..self.statics).contains(&region) => {
                Some(region - self.views)
            }
            _ => None,
        }
    }

    /// The region of a tensor.
    pub(super) fn tensor_region(tensor: usize) -> usize {
        PARAMETERS + 1 + tensor
    }

    /// Where a region's stretch of addresses begins.
    fn start(&self, region: usize) -> u64 {
        match self.regions[region].space {
            Space::Shared => {
                let (rank, slot) = self.slot_of(region);
                self.in_window(rank as u64, (slot as u64 + 1) << self.stretch)
            }
            Space::Param => 0,
            Space::Generic | Space::Global | Space::Local | Space::Const => {
                let slot = if self.reversed { self.mirror(region) } else { region };
                (slot as u64 + 1) << self.wide
            }
        }
    }

    /// Regions of global memory in the opposite order.
    fn mirror(&self, region: usize) -> usize {
        self.statics + 1 - region
    }

    /// How far behind the beginning of its stretch a region may begin.
    fn room(&self, space: Space) -> u64 {
        match space {
            Space::Shared => 1 << (self.stretch - 2),
            Space::Param => 0,
            Space::Generic | Space::Global | Space::Local | Space::Const => 1 << (self.wide - 2),
        }
    }

    /// How far into a region addresses lead there and nowhere else.
    #[inline]
    pub(super) fn reach(&self, space: Space) -> u64 {
        let half = match space {
            Space::Shared => 1 << (self.stretch - 1),
            Space::Param => return 1 << 31,
            Space::Generic | Space::Global | Space::Local | Space::Const => 1 << (self.wide - 1),
        };
        if self.shifted { half >> 1 } else { half }
    }

    /// The bits that a constant register holds in a thread of the running CTA.
    pub(super) fn constant(&self, kernel: &Kernel, constant: &Constant) -> u64 {
        match constant {
            Constant::Bits(bits) => *bits,
            Constant::ParameterAddress(offset) => u64::from(*offset),
            Constant::AddressHalf { variable, upper } => {
                let whole = Constant::Address { variable: *variable, offset: 0, generic: true };
                let address = self.constant(kernel, &whole);
                if *upper { address >> 32 } else { address & 0xffff_ffff }
            }
            Constant::Address { variable, offset, generic } => {
                let declared = &kernel.variables[*variable as usize];
                let address = match declared.space {
                    Space::Shared => {
                        let window = if *generic { window(Space::Shared) } else { 0 };
                        let own = self.own_start(self.shared_region(*variable as usize));
                        window + self.in_window(self.rank as u64, own)
                    }
                    Space::Local | Space::Param => {
                        let window = if *generic { window(declared.space) } else { 0 };
                        window + declared.offset
                    }
                    _ => self.homes[*variable as usize].map_or(0, |region| self.starts[region]),
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
                let index = (address.wrapping_add(1 << (self.wide - 1)) >> self.wide) as usize;
                if index >= 3 && index - 1 < self.statics {
                    let region = if self.reversed { self.mirror(index - 1) } else { index - 1 };
                    return Spot::Region(region, address.wrapping_sub(self.starts[region]) as i64);
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
                    unit: 1,
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
                    Owner::View(view) => (setup.views[view].name.clone(), None, None),
                    Owner::Maps(_) => ("tensor maps".to_owned(), None, None),
                    Owner::Parameters => (String::new(), None, None),
                };
                let unit = format.map_or(bytes, Format::bytes);
                let text = element_text(&name, shape.as_deref(), offset, unit);
                Place { space: region.space, name, offset, size: region.size, unit, text }
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
                    unit: bytes,
                    text,
                }
            }
            Spot::Nowhere => {
                let name = match space {
                    Space::Shared => format!("shared memory address {address:#x}"),
                    _ => format!("address {address:#x}"),
                };
                Place { space, text: name.clone(), name, offset: 0, size: None, unit: 1 }
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

impl Memory {
    /// Makes sure that the bytes which lanes access are there, each within a page, with their initial
    /// contents.
    #[inline]
    pub(super) fn touch(
        &mut self,
        kernel: &Kernel,
        setup: &Setup,
        terms: &mut Terms,
        at: usize,
        offsets: impl Iterator<Item = u64>,
    ) {
        if !self.regions[at].cells.is_paged() {
            return;
        }
        let mut last = u64::MAX;
        for offset in offsets {
            let start = offset & !(PAGE_BYTES - 1);
            if start != last && !self.regions[at].cells.has(start) {
                self.make_page(kernel, setup, terms, at, start);
            }
            last = start;
        }
        if self.regions[at].watched {
            self.regions[at].shadowed();
        }
    }

    #[cold]
    fn make_page(&mut self, kernel: &Kernel, setup: &Setup, terms: &mut Terms, at: usize, start: u64) {
        let region = &mut self.regions[at];
        region.cells.add_page(start);
        let granule = size_of::<Shadow>() as u64 * u64::from(region.watched) + 8;
        self.fresh += PAGE_BYTES / u64::from(region.cells.granule()) * granule;
        let end = region.size.unwrap_or(u64::MAX).min(start + PAGE_BYTES);
        self.fill(kernel, setup, terms, at, start..end);
        if self.unnumbered {
            // The run is void: let it be looked at at once.
            self.fresh = u64::MAX / 2;
        }
    }

    /// Writes a tensor's or a variable's initial contents.
    fn fill(&mut self, kernel: &Kernel, setup: &Setup, terms: &mut Terms, at: usize, bytes: Range<u64>) {
        let region = &mut self.regions[at];
        let variable = declared(setup, region.owner);
        match (region.owner, variable) {
            (Owner::Tensor(tensor), None) => {
                let tensor = &setup.tensors[tensor];
                let Some(format) = region.format else { return };
                if tensor.initial == Initial::Undefined {
                    return;
                }
                let mut next = None;
                let step = u64::from(format.bytes());
                for position in bytes.start / step..bytes.end / step {
                    let Some(element) = logical_element(tensor, position) else { continue };
                    let value = initial_value(tensor, format, element);
                    // Numbers run on within a page.
                    if let Some(Value::Symbolic(symbol)) = value
                        && let Some(number) = symbol.term.as_element()
                    {
                        if next != Some(number) {
                            terms.note_elements(number, format);
                        }
                        next = Some(number + 1);
                    }
                    self.unnumbered |= value.is_none();
                    region.cells.write(terms, position * step, format.bytes(), value.unwrap_or(Value::NEVER));
                }
            }
            (_, Some(variable)) => {
                // Device memory starts zeroed (CUDA: variables without initializer are zero).
                let init = &kernel.variables[variable].init;
                let byte = |at: u64| u64::from(init.get(at as usize).copied().unwrap_or(0));
                let granule = region.cells.granule();
                for at in bytes.clone().step_by(granule as usize) {
                    let word = (at..at + u64::from(granule)).rev().fold(0, |word, at| word << 8 | byte(at));
                    region.cells.write(terms, at, granule, Value::Concrete(word));
                }
                for (at, address) in &region.relocations {
                    for part in (0..8).filter(|part| bytes.contains(&(at + part))) {
                        let byte = Value::Concrete(address >> (8 * part) & 0xff);
                        region.cells.write(terms, at + part, 1, byte);
                    }
                }
            }
            (
                Owner::Shared(_) | Owner::Parameters | Owner::Variable(_) | Owner::View(_) | Owner::Maps(_),
                None,
            ) => {}
        }
    }
}

/// The variable whose declared contents a region holds at the start.
fn declared(setup: &Setup, owner: Owner) -> Option<usize> {
    match owner {
        Owner::Variable(variable) => Some(variable),
        Owner::Tensor(tensor) => {
            setup.tensors[tensor].variable.filter(|_| setup.tensors[tensor].initial == Initial::Declared)
        }
        Owner::Shared(_) | Owner::Parameters | Owner::View(_) | Owner::Maps(_) => None,
    }
}

impl Region {
    /// The format of an open region is that of its first access.
    pub(super) fn settle(&mut self, setup: &Setup, format: Format) {
        if let (None, None, Owner::Tensor(tensor)) = (self.size, self.format, self.owner) {
            self.format = Some(format);
            self.cells = Cells::paged(granule_of(format));
            self.size =
                elements_in_memory(&setup.tensors[tensor]).map(|span| span * u64::from(format.bytes()));
            self.limit = self.size.unwrap_or(self.limit);
        }
    }

    /// Shadow entries for every granule that is there.
    pub(super) fn shadowed(&mut self) {
        let granules = self.cells.granules();
        if self.shadow.len() < granules {
            let more = granules - self.shadow.len();
            grow(&mut self.shadow, more, Shadow::default());
        }
    }

    /// The shadow entry of an offset whose bytes are there.
    #[inline]
    pub(super) fn shadow_at(&mut self, offset: u64) -> &mut Shadow {
        let at = self.cells.place(offset);
        &mut self.shadow[at]
    }

    /// The shadow entry of an offset, if it was ever watched.
    pub(super) fn history(&self, offset: u64) -> Option<&Shadow> {
        if !self.cells.has(offset) {
            return None;
        }
        self.shadow.get(self.cells.place(offset))
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
}

/// What PTX says the address of a region's first byte is a multiple of.
fn alignment(kernel: &Kernel, setup: &Setup, region: &Region, world: World) -> u64 {
    let align = match region.owner {
        Owner::Tensor(tensor) => {
            let setup_of = &setup.tensors[tensor];
            let elements = setup_of.format.map_or(8, Format::bytes);
            let pointers = setup.parameters.iter().filter_map(|bound| match bound.binding {
                Binding::Pointer { tensor: to, offset: 0 } if to == tensor => {
                    let parameter =
                        kernel.parameters.iter().find(|parameter| parameter.offset == bound.offset);
                    parameter.map(|parameter| parameter.pointee_align)
                }
                _ => None,
            });
            let declared = setup_of.variable.map(|variable| kernel.variables[variable].align);
            let allocated = world.allocated.then_some(ALLOCATION);
            pointers.chain(declared).chain(allocated).fold(elements, u32::max)
        }
        Owner::Variable(variable) => kernel.variables[variable].align,
        Owner::Shared(Some(variable)) => kernel.variables[variable].align.max(16),
        Owner::Shared(None) => {
            let dynamic = kernel.variables.iter().filter(|v| v.space == Space::Shared && v.size.is_none());
            dynamic.map(|variable| variable.align).fold(16, u32::max)
        }
        Owner::View(_) => 8,
        // As `cuTensorMapEncodeTiled` wants it.
        Owner::Maps(_) => 64,
        Owner::Parameters => 1,
    };
    u64::from(align.next_power_of_two())
}

/// Where a shared variable lies, dynamic memory behind the others.
fn layout_offset(kernel: &Kernel, region: &Region) -> u64 {
    match region.owner {
        Owner::Shared(Some(variable)) => kernel.variables[variable].offset,
        _ => kernel
            .variables
            .iter()
            .find(|v| v.space == Space::Shared && v.size.is_none())
            .map_or(0, |v| v.offset),
    }
}

/// How far a region is moved: every second bit from its alignment on, and in another world the others.
fn shift(world: World, align: u64, room: u64) -> u64 {
    let bits = match world.choice {
        0 => 0,
        1 => 0x5555_5555_5555_5555,
        _ => 0xaaaa_aaaa_aaaa_aaaa,
    };
    if room == 0 { 0 } else { u64::wrapping_mul(bits, align) & (room - 1) }
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
    let here = size.filter(|size| *size <= SMALL || matches!(space, Space::Shared | Space::Param));
    Region {
        owner,
        space,
        size,
        limit: size.unwrap_or(0),
        cells: here.map_or_else(|| Cells::paged(granule), |size| Cells::undefined(size, granule)),
        watched: matches!(space, Space::Shared | Space::Global),
        shadow: Vec::new(),
        format: None,
        read: false,
        written: false,
        reached: 0,
        flights: 0,
        relocations: Vec::new(),
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

/// Bytes of a tensor whose format and shape are known.
fn tensor_bytes(tensor: &TensorSetup) -> Option<u64> {
    Some(elements_in_memory(tensor)? * u64::from(tensor.format?.bytes()))
}

/// Elements from a tensor's first to its last in memory, if its shape is known.
fn elements_in_memory(tensor: &TensorSetup) -> Option<u64> {
    Some(span(tensor.shape.as_ref()?, tensor.strides.as_deref()))
}

/// A tensor's region; `most` bytes where nobody says how large it is.
fn tensor_region(index: usize, tensor: &TensorSetup, most: u64) -> Region {
    let size = tensor_bytes(tensor);
    let mut made = region(Owner::Tensor(index), Space::Global, size, tensor.format.map_or(4, granule_of));
    made.format = tensor.format;
    made.limit = size.or(elements_in_memory(tensor).map(|span| span * 8)).unwrap_or(most);
    made
}

/// What an element holds at the start; `None` where it has no number yet.
fn initial_value(tensor: &TensorSetup, format: Format, element: u64) -> Option<Value> {
    match &tensor.initial {
        Initial::Symbolic { .. } => {
            let term = tensor.number(element)?;
            Some(Value::Symbolic(Symbol::number(format, term)))
        }
        // What is declared is laid out by bytes.
        Initial::Undefined | Initial::Declared => Some(Value::NEVER),
        Initial::Concrete(_) => Some(tensor.initial.bits(element).map_or(Value::NEVER, Value::Concrete)),
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

/// The logical element at a memory position, in elements; of several the last.
fn logical_element(tensor: &TensorSetup, position: u64) -> Option<u64> {
    let mut last = None;
    logical_elements(tensor, position, &mut |element| last = last.max(Some(element)));
    last
}

/// All logical elements at a memory position, in elements. Strides may be zero and may overlap.
pub(super) fn logical_elements(tensor: &TensorSetup, position: u64, found: &mut dyn FnMut(u64)) {
    let (Some(shape), Some(strides)) = (&tensor.shape, &tensor.strides) else { return found(position) };
    let mut axes: Vec<(u64, u64, u64)> = Vec::new();
    let mut inner = 1;
    for (extent, stride) in shape.iter().zip(strides).rev() {
        axes.push((*stride, *extent, inner));
        inner *= extent;
    }
    // The largest strides first: without overlap each then has one index that is possible.
    axes.sort_unstable_by_key(|axis| std::cmp::Reverse(*axis));
    solve(&axes, position, 0, found);
}

fn solve(axes: &[(u64, u64, u64)], rest: u64, element: u64, found: &mut dyn FnMut(u64)) {
    let Some(((stride, extent, inner), others)) = axes.split_first() else {
        if rest == 0 {
            found(element);
        }
        return;
    };
    let reach: u64 = others.iter().map(|(stride, extent, _)| stride * (extent - 1)).sum();
    let (least, most) = match stride {
        0 => (0, extent - 1),
        _ => (rest.saturating_sub(reach).div_ceil(*stride), (rest / stride).min(extent - 1)),
    };
    for index in least..=most {
        solve(others, rest - index * stride, element + index * inner, found);
    }
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
