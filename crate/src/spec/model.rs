//! The spec as data. Positions in the file are kept beside the values, for diagnostics.

use super::view::{NamedView, View};
use crate::base::{Format, Span};
use crate::formula::Whole;
use crate::isa::Swizzle;

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
    /// `[views.*]`: module variables that are textures, samplers or surfaces, in file order.
    pub views: Vec<NamedView>,
    /// `[scalars]`, in file order.
    pub scalars: Vec<Scalar>,
    /// `[options]`.
    pub options: Options,
    /// `[sweep]`. Everything else in the spec is as it is for the first combination.
    pub sweep: Option<Sweep>,
}

/// `[sweep]`: names, each with values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sweep {
    /// The names, in file order.
    pub axes: Vec<Axis>,
    /// The conditions that combinations have to fulfil.
    pub when: Vec<Formula>,
    /// The combinations, in the order in which they are asked; each has a value for every name. None if the sweep
    /// cannot be used, which a diagnostic then says.
    pub combinations: Vec<Vec<i64>>,
}

/// A name of `[sweep]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// The name.
    pub name: String,
    /// Its values, ascending; of an open range, samples.
    pub values: Vec<i64>,
    /// The range has no end: all of it is asked about, and the values are samples.
    pub open: Option<Open>,
    /// The values as TOML.
    pub written: String,
    /// Where the name stands in the spec file.
    pub span: Span,
    /// Where its values stand.
    pub values_span: Span,
}

/// A range without an end: `from`, `from + step`, …
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open {
    /// The first value.
    pub from: i64,
    /// The distance to the next.
    pub step: i64,
}

/// Which integer of a launch, a tensor or a list of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Key {
    /// `grid`, by axis.
    Grid,
    /// `block`, by axis.
    Block,
    /// `cluster`, by axis.
    Cluster,
    /// `ctas`, by CTA and axis.
    Ctas,
    /// `dynamic_shared`.
    DynamicShared,
    /// `shape`, by dimension.
    Shape,
    /// `strides`, by dimension.
    Strides,
    /// A number among `args`, by argument and field.
    Argument,
    /// The `offset` of a pointer among `args`, by argument and field.
    Offset,
    /// The `box` of a tensor map, by argument and dimension.
    Box,
    /// Its `element_strides`.
    Steps,
    /// Its own `shape`.
    MapShape,
    /// Its own `strides`.
    MapStrides,
    /// Its `pixel_box_lower_corner`.
    Lower,
    /// Its `pixel_box_upper_corner`.
    Upper,
    /// Nothing that can be written as an expression.
    #[default]
    Nothing,
}

/// An integer that the spec file writes as an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Which integer.
    pub key: Key,
    /// Its place in lists.
    pub at: [usize; 2],
    /// The expression.
    pub code: String,
    /// What it comes to.
    pub value: i64,
}

/// The expression that stands for an integer, as long as it is still the value of that.
pub fn written_at(all: &[Written], key: Key, at: [usize; 2], value: i64) -> Option<&str> {
    let written = all.iter().find(|written| written.key == key && written.at == at)?;
    (written.value == value).then_some(written.code.as_str())
}

impl Spec {
    /// The names that expressions mention, and those of them that only launches do.
    pub fn calculated(&self) -> (Vec<String>, Vec<String>) {
        let names = |codes: Vec<&str>| -> Vec<String> {
            let wholes = codes.into_iter().filter_map(|code| Whole::parse(code).ok());
            wholes
                .flat_map(|whole| whole.names().into_iter().map(str::to_owned).collect::<Vec<_>>())
                .collect()
        };
        let codes = |all: &[Written]| -> Vec<String> { all.iter().map(|one| one.code.clone()).collect() };
        let sides = [&self.reference, &self.optimized];
        let launches: Vec<String> = [&self.launch]
            .into_iter()
            .chain(sides.iter().map(|side| &side.launch))
            .flat_map(|patch| codes(&patch.written))
            .collect();
        let mut others: Vec<String> = self.tensors.iter().flat_map(|tensor| codes(&tensor.written)).collect();
        others.extend(sides.iter().flat_map(|side| codes(&side.written)));
        let launches = names(launches.iter().map(String::as_str).collect());
        let others = names(others.iter().map(String::as_str).collect());
        let alone = launches.iter().filter(|name| !others.contains(name)).cloned().collect();
        let calculated = self.scalars.iter().filter_map(|scalar| scalar.code.as_deref());
        let conditions = self.sweep.iter().flat_map(|sweep| &sweep.when).map(|when| when.code.as_str());
        let more = names(calculated.chain(conditions).collect());
        (launches.into_iter().chain(others).chain(more).collect(), alone)
    }

    /// The same with numbers in the place of expressions, and for the values that scalars have now alone: whoever
    /// changes a size here changes no other.
    pub fn frozen(&self) -> Spec {
        let mut spec = self.clone();
        spec.tensors.iter_mut().for_each(|tensor| tensor.written.clear());
        for side in [&mut spec.reference, &mut spec.optimized] {
            side.written.clear();
            side.launch.written.clear();
        }
        spec.launch.written.clear();
        for scalar in &mut spec.scalars {
            let Ok(Literal::Integer(value)) = scalar.value else { continue };
            scalar.code = None;
            scalar.written = scalar.written.take().filter(|_| scalar.swept).map(|_| value.to_string());
            let axes = spec.sweep.iter_mut().flat_map(|sweep| &mut sweep.axes);
            for axis in axes.filter(|axis| axis.name == scalar.name) {
                (axis.values, axis.written, axis.open) = (vec![value], value.to_string(), None);
            }
        }
        if let Some(sweep) = &mut spec.sweep {
            sweep.when.clear();
            sweep.combinations =
                vec![sweep.axes.iter().filter_map(|axis| axis.values.first().copied()).collect()];
        }
        spec
    }

    /// Whether the spec says which CTAs run.
    pub fn names_ctas(&self) -> bool {
        let launches = [&self.launch, &self.reference.launch, &self.optimized.launch];
        launches.iter().any(|launch| launch.ctas.is_some())
    }

    /// Lays another spec's launch and scalars over this one: they win, for both kernels.
    pub fn overlay(&mut self, over: &Spec) {
        for patch in [&mut self.launch, &mut self.reference.launch, &mut self.optimized.launch] {
            patch.written.retain(|written| match written.key {
                Key::Grid => over.launch.grid.is_none(),
                Key::Block => over.launch.block.is_none(),
                Key::Cluster => over.launch.cluster.is_none(),
                Key::Ctas => over.launch.ctas.is_none(),
                _ => over.launch.dynamic_shared.is_none(),
            });
            patch.grid = over.launch.grid.or(patch.grid);
            patch.block = over.launch.block.or(patch.block);
            patch.cluster = over.launch.cluster.or(patch.cluster);
            patch.ctas = over.launch.ctas.clone().or(patch.ctas.take());
            patch.dynamic_shared = over.launch.dynamic_shared.or(patch.dynamic_shared);
        }
        for scalar in &over.scalars {
            match self.scalars.iter_mut().find(|known| known.name == scalar.name) {
                Some(known) => {
                    known.value = scalar.value;
                    known.written = known.written.take().filter(|_| known.swept);
                    known.code = None;
                }
                None => self.scalars.push(scalar.clone()),
            }
        }
        // A batch says so where nobody else does.
        let may_require = &mut self.options.optimized_may_require;
        *may_require = may_require.or(over.options.optimized_may_require);
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
    /// CTAs of a cluster along x, y, z.
    pub cluster: Option<[u32; 3]>,
    /// Which CTAs to run.
    pub ctas: Option<Ctas>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Option<u64>,
    /// Where in the spec file, for messages.
    pub span: Option<Span>,
    /// The integers that are written as expressions.
    pub written: Vec<Written>,
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
    /// CTAs of a cluster along x, y, z.
    pub cluster: [u32; 3],
    /// The CTAs to run, in order, those of a cluster one after the other by rank.
    pub ctas: Vec<[u32; 3]>,
    /// Bytes of dynamic shared memory; `None`: as many as the kernel's addresses reach.
    pub dynamic_shared: Option<u64>,
}

impl Launch {
    /// CTAs of the grid.
    pub fn in_grid(&self) -> u64 {
        self.grid.iter().fold(1, |count, extent| count.saturating_mul(u64::from(*extent)))
    }

    /// Whether all CTAs of the grid run.
    pub fn runs_all(&self) -> bool {
        self.ctas.len() as u64 >= self.in_grid()
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
    /// The numbers among the arguments that are written as expressions.
    pub written: Vec<Written>,
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
    /// A texture or a surface.
    View(View),
    /// A number.
    Literal(Literal),
    /// The fields of a struct passed by value: byte offset and argument.
    Struct(Vec<(u32, Argument)>),
    /// A tensor map, or a pointer to some that lie one after the other.
    Maps(Vec<TensorMap>),
}

/// What a tensor map holds. Dimensions are in the order of the tensor's shape, the outermost first.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorMap {
    /// The tensor whose memory it describes.
    pub tensor: String,
    /// Its format here, if another.
    pub format: Option<Format>,
    /// The map begins at this element of its memory.
    pub offset: u64,
    /// Elements that a box spans; of a map for pixels, how many pixels and channels.
    pub span: Vec<u64>,
    /// Of a map for pixels, the corners of the window in an image.
    pub corners: Option<Corners>,
    /// The dimensions, if they are not the tensor's.
    pub shape: Option<Vec<u64>>,
    /// Elements from one to the next, likewise.
    pub strides: Option<Vec<u64>>,
    /// Every so manyth element belongs to a box.
    pub steps: Option<Vec<u64>>,
    /// How boxes lie in shared memory; `None` where that is not supported.
    pub swizzle: Option<Swizzle>,
    /// The layout is interleaved: by 16 or 32 bytes.
    pub interleave: Option<u32>,
    /// What is outside becomes NaN, not zero.
    pub nan: bool,
    /// Where it stands.
    pub span_of: Span,
}

/// The window through which the first pixels of boxes go, in the dimensions of an image (`cuTensorMapEncodeIm2col`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Corners {
    /// Its first position.
    pub lower: Vec<i64>,
    /// Its last one, counted from the last of the image.
    pub upper: Vec<i64>,
}

impl TensorMap {
    /// Dimensions of the tensor.
    pub fn rank(&self) -> usize {
        self.corners.as_ref().map_or(self.span.len(), |corners| corners.lower.len() + 2)
    }

    /// The first part of the places of its integers: it is an argument, or part of one.
    pub fn at(argument: usize, part: usize) -> usize {
        argument | (part + 1) << 20
    }
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
    /// Memory that the kernel works in: undefined at the start, unless `contents` says what it holds; not compared.
    Scratch,
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
    /// The extents and strides that are written as expressions.
    pub written: Vec<Written>,
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
    /// It is a name of `[sweep]`, which gives it its value.
    pub swept: bool,
    /// What `[scalars]` says of it as TOML, where that is not its value.
    pub written: Option<String>,
    /// The expression that it is written as.
    pub code: Option<String>,
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
    /// What works on tensor memory starts when its thread comes to it, without a fence behind what that waited for.
    pub tensor_fences_implied: bool,
    /// What the optimized kernel's own source requires of inputs is taken, unless this says no.
    pub optimized_may_require: Option<bool>,
}
