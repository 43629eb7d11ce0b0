//! Proofs for every size: no data race, no access out of bounds and no barrier divergence, whatever the sizes and
//! the grid are.
//!
//! One thread stands for all. It is executed on polynomials over its indices, the sizes and the rounds of loops
//! ([`walk`], [`loops`], [`execute`], [`words`]); branches on data are taken both ways. Two copies of it are two arbitrary
//! threads: of one CTA between two barriers ([`graph`] says who comes to a barrier together), and of two CTAs at any
//! time ([`pairs`]). That they touch the same byte, or that an access leaves its tensor, is a question of integer
//! arithmetic ([`solve`]).
//!
//! Guarantees: *proved* means that no launch with sizes of the question has such a fault, as far as nothing that was
//! never written is read, loops end, and the assumptions hold that the answer names. Misses: what is not polynomial,
//! which is *unknown*, with the instruction and the reason; memory order other than that of barriers, so that
//! accesses that a flag orders count as unordered; and everything that is not asked: misaligned and uninitialized
//! reads, traps, collectives of warps, the end of loops.
//! Sources: Collingbourne, Donaldson, Ketema, Qadeer, *Interleaving and Lock-Step Semantics for Analysis and
//! Verification of GPU Kernels* (two threads, barrier intervals); Pugh, *The Omega test*.

mod execute;
mod graph;
mod loops;
mod pairs;
mod poly;
mod prover;
mod setup;
mod solve;
mod unknowns;
mod walk;
mod words;

use crate::base::Budget;
use crate::formula::Whole;
use crate::ir::Kernel;

/// An integer of the question.
#[derive(Clone, Debug)]
pub enum Extent {
    /// This one.
    Known(i64),
    /// What an expression over the names comes to.
    Written(Whole),
}

/// A name of the question.
#[derive(Clone, Debug)]
pub struct Name {
    /// As expressions mention it.
    pub name: String,
    /// What it is.
    pub value: Named,
}

/// What a name is.
#[derive(Clone, Debug)]
pub enum Named {
    /// This number, or what an expression over earlier names comes to.
    Is(Extent),
    /// Any of `from`, `from + step`, … up to [`LARGEST`].
    Open {
        /// The least.
        from: i64,
        /// The distance.
        step: i64,
    },
}

/// The largest value of a name about which all is asked: sizes are `int`s.
pub const LARGEST: i64 = i32::MAX as i64;

/// What a kernel parameter is.
#[derive(Clone, Debug)]
pub enum Given {
    /// The address of a tensor's element, counted in elements of so many bytes.
    Pointer {
        /// Which tensor.
        tensor: usize,
        /// Which element.
        offset: Extent,
        /// Bytes of an element.
        bytes: u32,
    },
    /// An integer.
    Integer(Extent),
    /// A float, or any bits.
    Any,
}

/// A tensor.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Bytes of an element.
    pub bytes: u32,
    /// Its extents; `None` if nobody said.
    pub shape: Option<Vec<Extent>>,
    /// Strides in elements, where it is not dense.
    pub strides: Option<Vec<Extent>>,
    /// The kernel's variable that it is.
    pub variable: Option<usize>,
}

/// What is asked of a kernel.
#[derive(Clone, Debug)]
pub struct Question {
    /// The names that expressions mention, in order.
    pub names: Vec<Name>,
    /// Conditions on them.
    pub when: Vec<Whole>,
    /// CTAs along x, y, z.
    pub grid: [Extent; 3],
    /// Threads along x, y, z.
    pub block: [Extent; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: Extent,
    /// All tensors.
    pub tensors: Vec<Tensor>,
    /// By byte offset and size.
    pub parameters: Vec<(u32, u32, Given)>,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No launch has a fault, as far as the integers computed by these instructions fit their formats.
    Proved {
        /// The instructions, ascending.
        assumed: Vec<u32>,
    },
    /// It may have.
    Unknown(Unproved),
}

/// What could not be excluded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unproved {
    /// What, and why, as a sentence without a full stop.
    pub reason: String,
    /// The instruction.
    pub pc: Option<u32>,
    /// The other instruction of a pair.
    pub other: Option<u32>,
    /// It is a fault that may happen, and not something that cannot be followed.
    pub possible: bool,
}

/// Why a walk ended.
struct Stop {
    pc: Option<u32>,
    reason: String,
}

/// Asks a kernel.
pub fn prove(kernel: &Kernel, question: &Question, work: u64, budget: &Budget) -> Answer {
    match pairs::prove(kernel, question, work, budget) {
        Ok(assumed) => Answer::Proved { assumed },
        Err(unproved) => Answer::Unknown(unproved),
    }
}

/// Whether a fault that was not excluded may happen where the open names have these values: the same question about
/// them alone is not answered by a proof.
pub fn may_fail(
    kernel: &Kernel,
    question: &Question,
    values: &[(String, i64)],
    work: u64,
    budget: &Budget,
) -> bool {
    let mut question = question.clone();
    for name in &mut question.names {
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name.name) {
            name.value = Named::Is(Extent::Known(*value));
        }
    }
    !matches!(prove(kernel, &question, work, budget), Answer::Proved { .. })
}
