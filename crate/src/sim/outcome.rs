//! What a run leaves behind: memory, faults, counts; the timeline is in [`super::trace`].

use super::origins::Origins;
use super::trace::Timeline;
use super::written::Written;
use crate::base::{Exhausted, Format};
use crate::diag::Ledger;
use crate::isa::Space;
use crate::term::{Term, Terms};

/// A thread by its coordinates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
pub struct Thread {
    /// The CTA.
    pub cta: [u32; 3],
    /// The thread in the block.
    pub tid: [u32; 3],
    /// Its linear number in the block (warp = linear / 32).
    pub linear: u32,
}

impl std::fmt::Display for Thread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "thread {}", self.linear)?;
        if self.tid[1] != 0 || self.tid[2] != 0 {
            write!(f, " (tid {},{},{})", self.tid[0], self.tid[1], self.tid[2])?;
        }
        if self.cta != [0, 0, 0] {
            write!(f, " of CTA ({},{},{})", self.cta[0], self.cta[1], self.cta[2])?;
        }
        Ok(())
    }
}

/// A thread at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Index into `Kernel::code`.
    pub instr: u32,
    /// Who.
    pub thread: Thread,
}

/// A place in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// State space.
    pub space: Space,
    /// Tensor or variable; a hexadecimal address when it is neither.
    pub name: String,
    /// Byte offset in it.
    pub offset: i64,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
    /// The bytes of the elements that `text` counts in.
    pub unit: u32,
    /// The place as a person writes it: `A[3][5]`, `smem[12]`.
    pub text: String,
}

/// How an access touches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one step.
    Atomic,
}

/// One side of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RaceSide {
    /// Who and where.
    pub site: Site,
    /// What it does.
    pub kind: AccessKind,
}

/// Two accesses that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access that this run executed first.
    pub first: RaceSide,
    /// The other.
    pub second: RaceSide,
    /// The bytes both touch.
    pub place: Place,
    /// In words: what orders each side with others, and that nothing orders these two.
    pub ordering: String,
    /// A schedule that executes `first` directly before `second`, and one the other way round,
    /// in words.
    pub schedule: Vec<String>,
    /// Only the option `collectives_order_memory` would hide it.
    pub hidden_by_collectives: bool,
    /// They are in order, and go through different proxies with no proxy fence in between.
    pub unfenced: bool,
}

/// What a set of threads waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitKind {
    /// A CTA barrier: its id, how many have arrived, how many must.
    Barrier {
        /// Barrier number.
        id: u32,
        /// Threads that have arrived.
        arrived: u32,
        /// Threads that must arrive.
        expected: u32,
    },
    /// A warp barrier or collective: these lanes of the warp are missing.
    Lanes {
        /// Lanes that have not come.
        missing: u32,
    },
    /// Memory to change.
    Memory {
        /// The place.
        place: String,
    },
    /// A lock.
    Lock {
        /// Its word.
        place: String,
        /// Where somebody took it who does not free it; `None` if it is never free.
        holder: Option<Site>,
    },
    /// The barrier of the cluster.
    Cluster {
        /// Threads that have arrived.
        arrived: u32,
    },
    /// Products that some warps of their warpgroup have not started, or not closed the group of.
    Products {
        /// The warps.
        late: Vec<u32>,
    },
    /// Columns of tensor memory, of which too few are free.
    Columns {
        /// How many it wants.
        wanted: u32,
    },
    /// A phase of a barrier object (`mbarrier`).
    Phaser {
        /// Its place in shared memory.
        object: String,
        /// Arrivals that its phase lacks.
        lacks: u32,
        /// Bytes that its phase expects and that no copy brings; below zero, those beyond.
        owed: i64,
    },
}

/// Threads that wait at one instruction for the same thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitGroup {
    /// Who, ascending linear numbers.
    pub threads: Vec<u32>,
    /// Where (any one of them).
    pub site: Site,
    /// For what.
    pub kind: WaitKind,
    /// For whom: linear numbers of live threads that could release it and do not come.
    pub waits_for: Vec<u32>,
}

/// What threads disagree about at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disagreement {
    /// Who takes part.
    Party,
    /// Which instruction it is, although it is aligned and they belong to one warp.
    Instruction,
    /// In which round of a loop they come to it, although it is aligned and they belong to one warp.
    Round,
}

/// What is used as it must not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// The member mask of a collective.
    Mask,
    /// A collective of whole warps, or of the warps of a warpgroup.
    Warp,
    /// The bytes of a barrier object.
    Object,
    /// What a barrier object counts, or the size of a bulk copy.
    Transactions,
    /// The barrier of a cluster.
    Cluster,
    /// Columns of tensor memory.
    Columns,
}

/// Where bits come from that nobody wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritten {
    /// A register; its name.
    Register(String),
    /// Memory, and who read it first.
    Memory(Place, Site),
    /// Memory that another thread stores to, unordered, and who loads it.
    Racing(Place, Site),
    /// A shuffle reads a lane that does not take part.
    Lane(u32, Site),
    /// A lane and a column of tensor memory, and who read them.
    Column(u32, u32, Site),
}

/// What bits decide that nobody wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decides {
    /// What the instruction uses them as: "an address", "a branch".
    Use(String),
    /// They are left in this element of an output.
    Output(Place),
}

/// A loop that a run did not leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Around {
    /// Its first instruction.
    pub first: u32,
    /// The branch back there.
    pub last: u32,
    /// How often warps took that.
    pub rounds: u64,
}

/// What went wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum FaultKind {
    /// Races, the first found first.
    DataRace(Vec<Race>),
    /// Nobody can proceed.
    Deadlock(Vec<WaitGroup>),
    /// Threads disagree about a barrier.
    BarrierDivergence(Disagreement, Vec<WaitGroup>),
    /// A barrier, a barrier object or a warp's collective is not used as it must be; who does what, in
    /// words that follow the thread.
    Misuse(Misuse, String),
    /// An access leaves its region.
    OutOfBounds(AccessKind, Place),
    /// An address is not aligned to the bytes it moves.
    Misaligned(AccessKind, Place, u32),
    /// What nobody wrote decides something, or is left in an output.
    Uninitialized(Unwritten, Decides),
    /// A barrier object is used that nobody has initialized.
    UninitializedMemory(Place),
    /// A branch, address or barrier depends on symbolic data; what, in words.
    NotStructured(String),
    /// What follows depends on which thread comes first; what, in words.
    DependsOnSchedule(String),
    /// A thread waits for what CTAs that are not run may do; what, in words.
    WaitsForOthers(String),
    /// An instruction without a meaning here; why.
    Unsupported(String),
    /// The kernel stops itself (`__assertfail`, `trap`); how.
    Abort(String),
    /// What somebody claims does not hold: which of the contracts, and what, in words.
    Broken(u32, String),
    /// A call is reached that cannot be followed; which.
    Forbidden(String),
    /// The instruction budget ran out, or would, in this loop, if it is one.
    EndlessLoop(Option<Around>),
    /// The run stopped early.
    Exhausted(Exhausted),
    /// The launch is impossible (too many threads, too much shared memory, …).
    Launch(String),
}

impl FaultKind {
    /// Whether the threads may go on, and wait for one another later.
    pub(super) fn goes_on(&self) -> bool {
        matches!(
            self,
            FaultKind::BarrierDivergence(Disagreement::Instruction | Disagreement::Round, _)
                | FaultKind::Misuse(Misuse::Mask, _)
        )
    }
}

/// A fault and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where; `None` for faults of the launch.
    pub site: Option<Site>,
    /// More threads with the same fault at the same instruction (linear numbers, capped).
    pub others: Vec<u32>,
    /// How many more there are.
    pub more: u64,
}

impl Fault {
    /// A fault of one thread, or of the launch.
    pub fn new(kind: FaultKind, site: Option<Site>) -> Fault {
        Fault { kind, site, others: Vec::new(), more: 0 }
    }
}

/// What is a fault only if a condition on the inputs can hold. The run went on as if it could not, so
/// whatever followed from the fault is left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// The fault; of races, one.
    pub fault: Fault,
    /// The condition, over the run's terms.
    pub condition: Term,
    /// Two stores that nothing orders are a race only if these values differ.
    pub values: Option<[Term; 2]>,
}

/// Stores of one value to one place that nothing orders, taken not to be a race.
#[derive(Clone, PartialEq, Debug)]
pub struct SameStores {
    /// The store that this run executed first.
    pub first: Site,
    /// The other.
    pub second: Site,
    /// The first place found.
    pub place: Place,
    /// The value that both store there, if it has a term.
    pub value: Option<Term>,
    /// How many pairs, of this pair of instructions.
    pub count: u64,
}

/// What a thread has at an assertion of the kernel's author.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// Index into [`Kernel::claims`](crate::ir::Kernel::claims).
    pub claim: u32,
    /// Who and where; the first of several with the same values.
    pub site: Site,
    /// How often the thread has been there before, where threads are compared.
    pub visit: u32,
    /// Under which condition it comes there.
    pub condition: Term,
    /// The values of the assertion's registers: numbers, of predicates conditions.
    pub values: Vec<Term>,
}

/// Counts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Executed thread-instructions.
    pub thread_instructions: u64,
    /// Executed warp-instructions.
    pub warp_instructions: u64,
    /// Fuel that accesses, barriers and the like took beside that.
    pub charged: u64,
    /// Completed CTA barriers.
    pub cta_barriers: u64,
    /// Completed warp-level synchronizations and collectives.
    pub warp_syncs: u64,
    /// Bytes of terms, memory and shadow state at the end.
    pub bytes: u64,
    /// Term nodes.
    pub terms: u64,
}

/// A tensor after the run.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorState {
    /// Index into the setup's tensors.
    pub tensor: usize,
    /// Format in this kernel (given, or of the first access).
    pub format: Format,
    /// Whether the kernel read it.
    pub read: bool,
    /// Whether the kernel wrote it.
    pub written: bool,
    /// Elements reached (one past the highest), where the size was left open.
    pub reached: u64,
    /// The elements that the kernel wrote.
    pub elements: Written,
}

/// Everything a run leaves behind; by default nothing was executed.
#[derive(Default)]
pub struct Run {
    /// The terms that memory refers to.
    pub terms: Terms,
    /// What went wrong, worst first; empty if nothing did.
    pub faults: Vec<Fault>,
    /// Faults at further instructions, and races of further pairs of instructions, that are not listed.
    pub unlisted: u64,
    /// What may be wrong as well, depending on the inputs, in order of discovery.
    pub suspects: Vec<Suspect>,
    /// There were more suspects than are listed.
    pub more_suspects: bool,
    /// Stores taken not to race because they store one value.
    pub same_stores: Vec<SameStores>,
    /// What threads have at the assertions of the kernel's author.
    pub observations: Vec<Observation>,
    /// Tensors, in the setup's order.
    pub tensors: Vec<TensorState>,
    /// For each unknowable value that was read, in the order of their numbers, the instruction.
    pub unknowable: Vec<u32>,
    /// Counts.
    pub stats: Stats,
    /// What happened when.
    pub timeline: Timeline,
    /// What was assumed while executing.
    pub ledger: Ledger,
    /// The run ended at an element that has no number yet ([`TensorSetup::number`](super::TensorSetup)):
    /// it has to be repeated with numbers given.
    pub unnumbered: bool,
    /// What is known of accesses that nothing orders.
    pub unordered: super::Unordered,
    /// A condition on data keeps threads from meeting others: with it known, the run may come further (`ways`).
    pub parting: Option<Term>,
    /// Bytes of dynamic shared memory that addresses reach, where the launch does not say.
    pub dynamic_reached: u64,
    /// Where the terms come from that the run was asked about.
    pub origins: Option<Origins>,
}

impl Stats {
    /// Of two runs together.
    pub(super) fn and(self, other: Stats) -> Stats {
        Stats {
            thread_instructions: self.thread_instructions + other.thread_instructions,
            warp_instructions: self.warp_instructions + other.warp_instructions,
            charged: self.charged + other.charged,
            cta_barriers: self.cta_barriers + other.cta_barriers,
            warp_syncs: self.warp_syncs + other.warp_syncs,
            bytes: self.bytes.max(other.bytes),
            terms: self.terms.max(other.terms),
        }
    }
}

impl Run {
    /// The races among the faults.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.faults.iter().flat_map(|fault| match &fault.kind {
            FaultKind::DataRace(races) => races.as_slice(),
            _ => &[],
        })
    }

    /// The same, to be marked.
    pub fn races_mut(&mut self) -> impl Iterator<Item = &mut Race> {
        self.faults.iter_mut().flat_map(|fault| match &mut fault.kind {
            FaultKind::DataRace(races) => races.as_mut_slice(),
            _ => &mut [],
        })
    }
}
