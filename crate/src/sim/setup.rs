//! What a run starts from: the launch, tensors with their initial contents, the parameter block.

use super::boxes::TensorMap;
use crate::base::Format;
use crate::isa::{Geometry, ViewKind};
use crate::spec::{AddressMode, Filter, Launch, ReadMode, Role};
use crate::term::{Pages, Term};

/// Initial contents of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub enum Initial {
    /// Element `i` is the symbolic element `first + i`.
    Symbolic {
        /// Number of the first element in the shared numbering.
        first: u32,
    },
    /// Nothing is there yet.
    Undefined,
    /// These bits, one entry an element in logical order; shorter lists repeat their last entry.
    Concrete(Vec<u64>),
    /// What the PTX declares, for a module variable.
    Declared,
}

/// One tensor as this kernel sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorSetup {
    /// Its name.
    pub name: String,
    /// Element format in this kernel; `None`: that of the first access.
    pub format: Option<Format>,
    /// Extents; `None`: open, grows with the accesses.
    pub shape: Option<Vec<u64>>,
    /// Strides in elements; `None`: row-major, dense.
    pub strides: Option<Vec<u64>>,
    /// It is this variable of the kernel.
    pub variable: Option<usize>,
    /// Its role; `None`: whatever the accesses show (symbolic at the start).
    pub role: Option<Role>,
    /// What it holds at the start.
    pub initial: Initial,
    /// Elements that have numbers one after the other in the shared numbering.
    pub reserved: u64,
    /// Who numbers the others, when they are touched, and as which tensor of the question.
    pub others: Option<(Pages, u32)>,
}

impl Initial {
    /// The bits of an element of concrete contents.
    pub fn bits(&self, element: u64) -> Option<u64> {
        let Initial::Concrete(list) = self else { return None };
        list.get(element as usize).or(list.last()).copied()
    }
}

impl TensorSetup {
    /// The symbol that an element is at the start; `None` if it has no number, and may get none now.
    pub fn number(&self, element: u64) -> Option<Term> {
        match (&self.initial, &self.others) {
            (Initial::Symbolic { first }, _) if element < self.reserved => {
                Some(Term::element(first + element as u32))
            }
            (_, Some((pages, tensor))) => pages.number(*tensor, element).map(Term::element),
            (_, None) => None,
        }
    }
}

/// A texture, a sampler or a surface as this kernel sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct ViewSetup {
    /// The variable's or the tensor's name, for messages.
    pub name: String,
    /// What it is.
    pub kind: ViewKind,
    /// Which tensor it views; a sampler views none.
    pub tensor: Option<usize>,
    /// It is this variable of the kernel, or what that holds.
    pub variable: Option<usize>,
    /// As what it is used, as far as the PTX shows.
    pub geometry: Option<Geometry>,
    /// Channels of a texel, if the tensor has no axis of them.
    pub channels: Option<u64>,
    /// How it is read.
    pub sampling: Sampling,
}

/// How a texture is read. What the spec does not say is what a `cudaTextureDesc` of zeros says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sampling {
    /// What lies between texels; nothing is said: the nearest.
    pub filter: Option<Filter>,
    /// What lies outside, for each coordinate; one stands for all. Nothing is said: the same again, which is the edge
    /// where coordinates are not normalized.
    pub address: Vec<AddressMode>,
    /// Coordinates go from 0 to 1; nothing is said: they count texels.
    pub normalized: Option<bool>,
    /// What integers are read as; nothing is said: what the instruction makes of them.
    pub read: Option<ReadMode>,
}

/// What bytes of the parameter block hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Binding {
    /// The address of a tensor's element.
    Pointer {
        /// Index into [`Setup::tensors`].
        tensor: usize,
        /// Element offset.
        offset: u64,
    },
    /// A reference to a texture or a surface, an index into [`Setup::views`].
    View(usize),
    /// These bits.
    Bits(u64),
    /// A symbolic number.
    Symbolic(Format, Term),
    /// A tensor map itself, by its index in [`Maps::all`].
    Map(usize),
    /// The address of tensor maps in global memory, one after the other, by an index in [`Maps::stored`].
    Maps(usize),
}

/// A parameter-block entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoundParameter {
    /// Byte offset in the parameter block.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// What is there.
    pub binding: Binding,
}

/// Tensor maps of a launch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Maps {
    /// What they say.
    pub all: Vec<TensorMap>,
    /// Those that lie in global memory, one after the other: the first, and how many.
    pub stored: Vec<(usize, usize)>,
}

/// Everything a run starts from.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// The launch.
    pub launch: Launch,
    /// The tensors.
    pub tensors: Vec<TensorSetup>,
    /// Textures, samplers and surfaces.
    pub views: Vec<ViewSetup>,
    /// The parameter block.
    pub parameters: Vec<BoundParameter>,
    /// The tensor maps.
    pub maps: Maps,
    /// The first of the numbers that stand for unknowable values ([`super::unknowables`]), and how many.
    pub unknowable: (u32, u32),
    /// The same for contents that locks hand on: reals, signed and unsigned integers.
    pub contents: [(u32, u32); 3],
    /// Elements of inputs, ascending, that the spec requires to lie between two integers, both included.
    pub bounds: Vec<(u32, [i64; 2])>,
}

/// The order in which warps run between synchronizations. Verdicts and outputs do not depend on
/// it (confluence); tests vary it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// Each warp runs until it blocks, in ascending order.
    #[default]
    Ascending,
    /// In descending order.
    Descending,
    /// Pseudo-random switches, from a seed.
    Random(u64),
}

/// Choices for a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Tensor-core collectives order memory, as the paper has it.
    pub collectives_order_memory: bool,
    /// Unordered stores of one value to one place are a race all the same.
    pub same_value_stores_race: bool,
    /// What works on tensor memory starts when its thread comes to it, without a fence.
    pub tensor_fences_implied: bool,
    /// Which schedule to follow.
    pub schedule: Schedule,
    /// Timeline events to keep at most; 0 keeps none.
    pub timeline_events: usize,
    /// Stop once so many CTA barriers have been released.
    pub stop_at_barrier: Option<u64>,
    /// What the machine chooses where PTX leaves it open.
    pub world: super::World,
    /// Inputs may be infinite, or no numbers.
    pub open_inputs: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            collectives_order_memory: false,
            same_value_stores_race: false,
            tensor_fences_implied: false,
            schedule: Schedule::Ascending,
            timeline_events: 1 << 20,
            stop_at_barrier: None,
            world: super::World::default(),
            open_inputs: false,
        }
    }
}
