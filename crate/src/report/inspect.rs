//! What a tensor or a shared array holds at a barrier, as expressions.
//!
//! The kernel is run again up to the barrier, so nothing has to be kept while verifying. A window of
//! the elements is printed, not all: a person looks at a grid.

use super::Input;
use super::expression::{Side, of_held};
use super::model::{Expression, TextSource};
use super::ready::Ready;
use crate::base::{Budget, Source};
use crate::isa::Space;
use crate::sim::{self, Held, Holding, Setup, TensorSetup};
use serde::Serialize;

/// Rows and columns of the window, at most.
const WINDOW: u64 = 16;
/// Columns of an array that has only one extent.
const COLUMNS: u64 = 16;

/// What is asked for.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MemoryQuestion {
    /// The reference kernel, not the optimized one.
    pub reference: bool,
    /// CTA barriers to let go before looking; absent: run to the end.
    pub barrier: Option<u64>,
    /// The tensor or shared array; absent or unknown: the first shared one, or the first.
    pub name: Option<String>,
    /// First row of the window.
    pub row: u64,
    /// First column of the window.
    pub column: u64,
}

/// A name that can be asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MemoryName {
    /// As in the spec or the PTX.
    pub name: String,
    /// Whether it is shared memory.
    pub shared: bool,
    /// Extents.
    pub shape: Vec<u64>,
    /// Element format.
    pub format: String,
}

/// An element.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MemoryCell {
    /// `tile[3]`.
    pub place: String,
    /// Its value; absent where nothing is there, or bits that are no number.
    pub value: Option<Expression>,
    /// Something is there that is no number of the element's format.
    pub bits: bool,
}

/// A window of a tensor or array.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct MemoryReport {
    /// Everything that can be asked for.
    pub names: Vec<MemoryName>,
    /// Which of them this is; absent if there is none.
    pub chosen: Option<u32>,
    /// Rows and columns of the whole.
    pub rows: u64,
    /// Columns of the whole.
    pub columns: u64,
    /// First row shown.
    pub row: u64,
    /// First column shown.
    pub column: u64,
    /// The elements shown, row by row.
    pub cells: Vec<Vec<MemoryCell>>,
    /// The run got there.
    pub reached: bool,
}

/// Looks at memory; `None` for texts that do not run.
pub fn inspect(input: &Input<'_>, question: &MemoryQuestion, budget: &Budget) -> Option<MemoryReport> {
    let ready = Ready::new(input, budget)?;
    let source = if question.reference { Source::Reference } else { Source::Optimized };
    let (kernel, setup) = ready.side(source)?;
    let setup = &whole(&ready, setup, question, budget);
    let mut window = Window::default();
    let still = sim::inspect(budget, kernel, setup, question.barrier, |holdings| {
        let named = |holding: &Holding| question.name.as_deref() == Some(&holding.name);
        let shared = |holding: &Holding| holding.space == Space::Shared;
        let at = holdings.iter().position(named).or_else(|| holdings.iter().position(shared));
        let at = at.or(if holdings.is_empty() { None } else { Some(0) })?;
        window = Window::new(&holdings[at].shape, question);
        window.chosen = Some(at);
        Some((at, window.elements()))
    });
    let side = Side { source, kernel, terms: &still.terms };
    let held = still.elements.iter().map(|(held, writer)| (held, *writer));
    let mut values = of_held(input, &ready, side, held, budget).ok()?.into_iter();
    let holding = window.chosen.map(|at| &still.holdings[at]);
    let mut cells = Vec::new();
    let mut elements = window.elements().into_iter().zip(&still.elements);
    for _ in 0..window.high {
        let row = elements.by_ref().take(window.wide as usize).map(|(element, (held, _))| MemoryCell {
            place: holding.map_or_else(String::new, |holding| {
                format!("{}{}", holding.name, crate::term::index_name(&holding.shape, element))
            }),
            value: values.next().flatten(),
            bits: *held == Held::Bits,
        });
        cells.push(row.collect());
    }
    let name = |holding: &Holding| MemoryName {
        name: holding.name.clone(),
        shared: holding.space == Space::Shared,
        shape: holding.shape.clone(),
        format: holding.format.to_string(),
    };
    Some(MemoryReport {
        names: still.holdings.iter().map(name).collect(),
        chosen: window.chosen.map(|at| at as u32),
        rows: window.rows,
        columns: window.columns,
        row: window.row,
        column: window.column,
        cells,
        reached: still.reached,
    })
}

/// The setup with tensors of open sizes as large as the kernels come to reach: at a barrier, they have not yet.
fn whole(ready: &Ready, setup: &Setup, question: &MemoryQuestion, budget: &Budget) -> Setup {
    let mut setup = setup.clone();
    let is_open = |tensor: &TensorSetup| tensor.shape.is_none() && tensor.format.is_some();
    if question.barrier.is_none() && ready.kernels.len() < 2 || !setup.tensors.iter().any(is_open) {
        return setup;
    }
    for ((_, kernel), own) in ready.kernels.iter().zip(&ready.bound.setups) {
        sim::inspect(budget, kernel, own, None, |holdings| {
            for holding in holdings.iter().filter(|holding| holding.space != Space::Shared) {
                let reached: u64 = holding.shape.iter().product();
                let own =
                    own.tensors.iter().position(|tensor| is_open(tensor) && tensor.name == holding.name);
                if let Some(at) = own {
                    let known = setup.tensors[at].shape.as_ref().map_or(0, |shape| shape[0]);
                    setup.tensors[at].shape = Some(vec![known.max(reached)]);
                }
            }
            None
        });
    }
    setup
}

/// The part of an array that is shown.
#[derive(Default)]
struct Window {
    chosen: Option<usize>,
    count: u64,
    rows: u64,
    columns: u64,
    row: u64,
    column: u64,
    high: u64,
    wide: u64,
}

impl Window {
    fn new(shape: &[u64], question: &MemoryQuestion) -> Window {
        let count: u64 = shape.iter().product();
        let root = count.isqrt();
        let columns = match shape {
            [.., _, last] => (*last).max(1),
            // A tile is mostly square.
            _ if root * root == count && (2..=64).contains(&root) => root,
            _ => COLUMNS.min(count.max(1)),
        };
        let rows = count.div_ceil(columns);
        let row = question.row.min(rows.saturating_sub(1));
        let column = question.column.min(columns - 1);
        let (high, wide) = (WINDOW.min(rows - row.min(rows)), WINDOW.min(columns - column));
        Window { chosen: None, count, rows, columns, row, column, high, wide }
    }

    fn elements(&self) -> Vec<u64> {
        let row = |row: u64| (self.column..self.column + self.wide).map(move |at| row * self.columns + at);
        (self.row..self.row + self.high).flat_map(row).filter(|element| *element < self.count).collect()
    }
}

impl MemoryQuestion {
    /// The kernel that is asked about.
    pub fn side(&self) -> TextSource {
        if self.reference { TextSource::Reference } else { TextSource::Optimized }
    }
}
