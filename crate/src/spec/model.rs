//! The spec as data. Positions in the file are kept beside the values, for diagnostics.

use crate::base::{Format, Span};

/// A whole spec file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spec {
    /// `[launch]`: both kernels.
    pub launch: LaunchPatch,
    /// `[reference]`.
    pub reference: Side,
    /// `[optimized]`.
    pub optimized: Side,
    /// `[formula]`: the reference, in place of a kernel.
    pub formula: Option<Formula>,
    /// `[contracts]`: conditions on inputs, scalars and the launch.
    pub requires: Vec<Formula>,
    /// `[contracts]`: conditions on outputs.
    pub ensures: Vec<Formula>,
    /// `[tensors.*]`, in file order.
    pub tensors: Vec<Tensor>,
    /// `[scalars]`, in file order.
    pub scalars: Vec<Scalar>,
    /// `[options]`.
    pub options: Options,
}

impl Spec {
    /// Lays another spec's launch and scalars over this one: they win, for both kernels.
    pub fn overlay(&mut self, over: &Spec) {
        for patch in [&mut self.launch, &mut self.reference.launch, &mut self.optimized.launch] {
            patch.grid = over.launch.grid.or(patch.grid);
            patch.block = over.launch.block.or(patch.block);
            patch.ctas = over.launch.ctas.clone().or(patch.ctas.take());
            patch.dynamic_shared = over.launch.dynamic_shared.or(patch.dynamic_shared);
        }
        for scalar in &over.scalars {
            match self.scalars.iter_mut().find(|known| known.name == scalar.name) {
                Some(known) => known.value = scalar.value,
                None => self.scalars.push(scalar.clone()),
            }
        }
    }
}

/// `[formula]`, or a condition under `[contracts]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// Its text.
    pub code: String,
    /// Where in the spec file.
    pub span: Span,
}

/// Launch settings that may be left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchPatch {
    /// CTAs along x, y, z.
    pub grid: Option<[u32; 3]>,
    /// Threads along x, y, z.
    pub block: Option<[u32; 3]>,
    /// Which CTAs to run.
    pub ctas: Option<Ctas>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u64>,
    /// Where in the spec file, for messages.
    pub span: Option<Span>,
}

/// Which CTAs of the grid to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ctas {
    /// All of them.
    All,
    /// These.
    List(Vec<[u32; 3]>),
}

/// A complete launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// The CTAs to run, in order.
    pub ctas: Vec<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u64,
}

impl Launch {
    /// Whether all CTAs of the grid run.
    pub fn runs_all(&self) -> bool {
        let grid = self.grid.iter().fold(1u64, |count, extent| count.saturating_mul(u64::from(*extent)));
        self.ctas.len() as u64 >= grid
    }
}

/// `[reference]` or `[optimized]`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Side {
    /// PTX file, relative to the spec file; the command line may give it instead.
    pub ptx: Option<String>,
    /// The kernel's name; optional when the file has one `.entry`.
    pub entry: Option<String>,
    /// Arguments in order; by position and name when left out.
    pub args: Option<Vec<Argument>>,
    /// Overrides of `[launch]`.
    pub launch: LaunchPatch,
    /// Where in the spec file: `args` if given, else the table.
    pub span: Option<Span>,
}

/// One kernel argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A tensor or scalar by name.
    Name(String),
    /// A tensor that this kernel stores in another format, or from an element offset on.
    Tensor {
        /// Which tensor.
        tensor: String,
        /// Its format here, if another.
        format: Option<Format>,
        /// The pointer passed points at this element.
        offset: u64,
    },
    /// A number.
    Literal(Literal),
    /// The fields of a struct passed by value: byte offset and argument.
    Struct(Vec<(u32, Argument)>),
}

/// A number in a spec.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
}

/// What a kernel does with a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read only: symbolic at the start; not compared.
    In,
    /// Written: undefined at the start; compared.
    Out,
    /// Both: symbolic at the start; compared.
    InOut,
}

/// Initial contents.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// 0, 1, 2, …
    Iota,
    /// All the same number.
    Fill(Literal),
    /// These numbers, row-major.
    List(Vec<Literal>),
    /// What the PTX declares (`initial = "as declared"`), for a module variable.
    Declared,
}

/// One tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Element format.
    pub format: Option<Format>,
    /// Extents, row-major.
    pub shape: Option<Vec<u64>>,
    /// Strides in elements, where memory is not row-major and dense.
    pub strides: Option<Vec<u64>>,
    /// Its role.
    pub role: Option<Role>,
    /// Concrete contents; symbolic when left out.
    pub contents: Option<Contents>,
    /// Where in the spec file.
    pub span: Span,
}

/// One scalar.
#[derive(Clone, PartialEq, Debug)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// A number, or symbolic in a format.
    pub value: Result<Literal, Format>,
    /// Where in the spec file.
    pub span: Span,
}

/// `[options]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Collective operations order memory, as the paper has it.
    pub collectives_order_memory: bool,
    /// Float constants are exactly their bits.
    pub exact_constants: bool,
    /// Unordered stores of one value to one place are a race all the same.
    pub same_value_stores_race: bool,
}
