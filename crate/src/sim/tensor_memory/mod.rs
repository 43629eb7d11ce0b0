//! Tensor memory and the operations on it (`tcgen05`; PTX ISA 9.0, 9.7.16).
//!
//! Each CTA has 128 lanes of 512 columns, of which its warps allocate some (`columns`). Loads, stores and products
//! run asynchronously to the threads that start them (`moves`, `product`, `images`). They are computed when they
//! start; until an operation is known to be over, any other access to its lanes and columns is a race, with both
//! ends (`order` defines what is known and why).
//! In a pair of CTAs (`.cta_group::2`), two of a cluster whose ranks differ in the lowest bit, one thread starts a
//! product or a copy in both: each works on its own shared memory, lanes and columns, and only allocations are made
//! together (`pairs`).
//!
//! Guarantees: values, races on tensor memory and on the matrices that products read in shared memory, and the
//! lifetime of columns: use before allocation or after they were freed, freeing without allocation, columns that
//! are never freed, and allocation after `relinquish_alloc_permit` are faults.
//! Misses: sparse and weight-stationary products and shifts, which are unsupported. Columns of other CTAs on the
//! same multiprocessor, for which `tcgen05.alloc` may have to wait: a deadlock of CTAs that wait for one another
//! while they hold columns may go unnoticed.
//!
//! Sources: 9.7.16.1 (tensor memory), 9.7.16.6 (memory consistency), 9.7.16.7 to 9.7.16.12 (instructions); for what
//! the manual shows only in figures, see `isa/tensor_memory`.

mod columns;
mod images;
mod moves;
mod order;
mod pairs;
mod product;

use super::clock::Arrival;
use super::copies::Flight;
use super::machine::Machine;
use super::outcome::{FaultKind, Misuse};
use super::race::lanes;
use crate::ir::Kernel;
use crate::isa::tensor_memory::{COLUMNS, LANES, UNIT};
use crate::isa::{Effect, TensorMemoryOp, WARP};
use crate::term::Value;
use columns::Taken;
use order::Operation;

/// Whether a kernel uses tensor memory.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    kernel.code.iter().any(|instr| matches!(instr.effect, Effect::TensorMemory(_)))
}

/// Parts of the columns that are taken and given back as wholes.
const UNITS: usize = (COLUMNS / UNIT) as usize;

/// Nobody, among operations.
const NOBODY: u32 = u32::MAX;

/// Who has touched a place in tensor memory.
#[derive(Clone)]
struct Touched {
    /// The operation that wrote last.
    writer: u32,
    /// Those that have read since.
    readers: Vec<u32>,
}

/// Tensor memory of a CTA.
struct Own {
    /// What is there, column by column; empty until it is used.
    cells: Vec<Option<Value>>,
    touched: Vec<Touched>,
    /// Which of `taken` each part belongs to.
    units: [Option<u32>; UNITS],
    /// Which operation has given each part back last.
    given: [u32; UNITS],
    /// What was taken, whether it was given back or not.
    taken: Vec<Taken>,
    /// The operation that says that no more is taken.
    relinquished: Option<u32>,
}

impl Default for Own {
    fn default() -> Own {
        Own {
            cells: Vec::new(),
            touched: Vec::new(),
            units: [None; UNITS],
            given: [NOBODY; UNITS],
            taken: Vec::new(),
            relinquished: None,
        }
    }
}

/// A product or a copy that no commit has covered.
struct Running {
    operation: u32,
    /// What it reads in shared memory.
    reads: Vec<Flight>,
}

/// Tensor memory of all CTAs that run together.
#[derive(Default)]
pub(super) struct TensorMemory {
    own: Vec<Own>,
    operations: Vec<Operation>,
    /// Of each thread.
    running: Vec<Vec<Running>>,
    /// Of each warp, loads and stores that it has not waited for.
    moving: Vec<[Vec<u32>; 2]>,
    /// What each thread saw at its last `fence::after_thread_sync`.
    seen: Vec<Option<Arrival>>,
    /// Of each thread, the epochs that ended with a `fence::before_thread_sync`.
    fences: Vec<Vec<u32>>,
    /// The upper halves of columns of which only the lower one was written.
    nothing: Option<Value>,
    /// What is done is done in the other CTA of the pair.
    in_other: bool,
    /// The kernel has instructions for pairs and others.
    is_mixed: bool,
}

impl TensorMemory {
    /// That of so many CTAs, and threads of them all; nothing in kernels without.
    pub(super) fn new(ranks: u32, threads: u32, kernel: &Kernel) -> TensorMemory {
        if !has_any(kernel) {
            return TensorMemory::default();
        }
        let threads = threads as usize;
        TensorMemory {
            own: (0..ranks).map(|_| Own::default()).collect(),
            operations: Vec::new(),
            running: (0..threads).map(|_| Vec::new()).collect(),
            moving: (0..threads.div_ceil(WARP)).map(|_| Default::default()).collect(),
            seen: vec![None; threads],
            fences: vec![Vec::new(); threads],
            nothing: None,
            in_other: false,
            is_mixed: pairs::is_mixed(kernel),
        }
    }

    /// What products and copies read in shared memory that no commit has covered, with their threads.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (u32, &Flight)> {
        self.running.iter().enumerate().flat_map(|(thread, running)| {
            running.iter().flat_map(|one| &one.reads).map(move |flight| (thread as u32, flight))
        })
    }

    fn index(lane: u32, column: u32) -> usize {
        (column * LANES + lane) as usize
    }
}

impl Own {
    /// Makes room for what is there.
    fn prepare(&mut self) {
        if self.cells.is_empty() {
            let count = (LANES * COLUMNS) as usize;
            self.cells = vec![None; count];
            self.touched = vec![Touched { writer: NOBODY, readers: Vec::new() }; count];
        }
    }
}

impl<'a> Machine<'a> {
    /// Executes an instruction about tensor memory: for all lanes of a warp together, or for each.
    pub(super) fn on_tensor_memory(&mut self, index: usize, pc: u32, mask: u32, op: TensorMemoryOp) {
        if self.signals.is_some() {
            let why = "tensor memory in a kernel whose CTAs wait for one another through memory".to_owned();
            self.park(index, mask, pc, FaultKind::Unsupported(why));
            return;
        }
        if !self.is_paired(index, pc, mask, op) {
            return;
        }
        let first = self.warps[index].first();
        match op {
            TensorMemoryOp::Allocate { .. } => self.take_columns(index, pc),
            TensorMemoryOp::Deallocate { .. } => self.give_columns(index, pc),
            TensorMemoryOp::Relinquish { .. } => self.relinquish_columns(index, pc),
            TensorMemoryOp::Load(moved) => self.load_tensor(index, pc, moved),
            TensorMemoryOp::Store(moved) => self.store_tensor(index, pc, moved),
            TensorMemoryOp::WaitLoads => self.wait_for_moves(index, 0),
            TensorMemoryOp::WaitStores => self.wait_for_moves(index, 1),
            TensorMemoryOp::Before => {
                for thread in lanes(mask).map(|lane| first + lane) {
                    let epoch = self.clocks.step(thread);
                    self.tensor_memory.fences[thread as usize].push(epoch);
                }
            }
            TensorMemoryOp::After => {
                for thread in lanes(mask).map(|lane| first + lane) {
                    self.tensor_memory.seen[thread as usize] = Some(self.clocks.sees(thread));
                }
            }
            TensorMemoryOp::Multiply(product) => {
                for lane in lanes(mask) {
                    self.multiply_in_tensor_memory(index, pc, lane, product);
                }
            }
            TensorMemoryOp::Copy(image) => {
                for lane in lanes(mask) {
                    self.copy_to_tensor_memory(index, pc, lane, image);
                }
            }
            TensorMemoryOp::Commit { .. } => self.commit_products(index, pc, mask),
        }
    }

    /// Tensor memory of a warp's CTA, or of the other one of the pair.
    fn own_tensor_memory(&mut self, index: usize) -> &mut Own {
        let rank = self.rank_of_tensor_memory(index);
        let own = &mut self.tensor_memory.own[rank];
        own.prepare();
        own
    }

    /// Stops lanes that misuse columns.
    fn misuse_columns(&mut self, index: usize, pc: u32, mask: u32, what: String) {
        self.park(index, mask, pc, FaultKind::Misuse(Misuse::Columns, what));
    }
}
