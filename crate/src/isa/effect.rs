//! What an instruction does to the machine, resolved for its types and modifiers.
//!
//! The simulator matches [`Effect`] without a wildcard arm: a new kind of effect cannot be
//! forgotten there. Operands are not here; they belong to the lowered instruction.

use super::fragment::{Fragment, Layout};
use super::tensor_memory::TensorMemoryOp;
use crate::base::Format;
use crate::term::{BitOp, Term, Terms};

/// Lanes of a warp.
pub const WARP: usize = 32;

/// One value for each lane of a warp, as raw bits (narrow values zero-extended).
pub type Lanes = [u64; WARP];

/// Computes an instruction for all lanes at once on concrete bits. `second` is written only by
/// instructions with a second destination (a carry, the second predicate of a comparison).
/// Sources beyond the instruction's own are zero lanes. Sources may carry garbage above their
/// width; results are zero-extended.
pub type LaneFn = fn(src: &[&Lanes; 4], out: &mut Lanes, second: &mut Lanes);

/// What an instruction means for lanes that hold symbolic values.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// A real function: sources are read as numbers in their formats, the result is a number in
    /// the destination's format.
    Real(fn(&mut Terms, &[Term]) -> Term),
    /// The same, but the instruction ignores less than it seems: it may decline (`None`), and
    /// then the result is an opaque function of the operands' bits.
    Partial(fn(&mut Terms, &[Term]) -> Option<Term>),
    /// A link of a carry chain: destination 0 gets the number, destination 1 (if any) the carry, 0 or 1.
    /// Sources are numbers in their formats.
    Carry(fn(&mut Terms, &[Term]) -> (Term, Term)),
    /// A condition over numbers: destination 0 gets it, destination 1 (if any) its negation.
    /// Source 2, if present, is a predicate that the function combines in.
    Compare(fn(&mut Terms, &[Term]) -> Term),
    /// A condition over conditions (and, or, xor, not on predicates).
    Logic(fn(&mut Terms, &[Term]) -> Term),
    /// `if source 2 then source 0 else source 1`, whatever the sources hold.
    Select,
    /// A conversion between formats that reads as the identity over the reals (the ledger says
    /// so when precision changes).
    Convert,
    /// A bit operation that is kept as an opaque pattern over symbolic operands.
    Bits(BitOp),
    /// The logical function of sources 0 to 2 whose table is source 3.
    Table,
    /// Bytes of the sources in another order, where concrete control operands make it that (the
    /// function sees which sources are concrete); else a function of the operands as integers, if it
    /// gives one; else an opaque function of the operands' bits.
    Rearrange(fn(&[Option<u64>; 4]) -> Option<[Pick; 8]>, fn(&mut Terms, &[Term]) -> Option<Term>),
    /// The dot product of four bytes each of sources 0 and 1, plus source 2, where the bytes are
    /// numbers of their own.
    Dot {
        /// Bytes of source 0 and of source 1 are signed.
        signed: [bool; 2],
    },
    /// No meaning over symbolic operands: the instruction is *unsupported* there.
    None,
}

/// Where a byte of a result comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// It is known.
    Known(u8),
    /// Byte `at` of a source.
    Byte {
        /// Which source.
        source: u8,
        /// Which byte, lowest first.
        at: u8,
    },
}

/// How an instruction reads when it meets opaque bit patterns, whatever its [`Meaning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The bit operation; [`BitOp::Other`] for one that only `operation` tells apart.
    pub op: BitOp,
    /// Sources 0 and 1 change places first (`a > b` is `b < a`).
    pub swap: bool,
    /// The resulting condition is negated (`a ≠ b` is not `a = b`).
    pub negate: bool,
}

impl Pattern {
    /// No bit operation of its own.
    pub const OTHER: Pattern = Pattern { op: BitOp::Other, swap: false, negate: false };

    /// That bit operation on the sources as they stand.
    pub const fn of(op: BitOp) -> Pattern {
        Pattern { op, swap: false, negate: false }
    }
}

/// A pure instruction: destinations are functions of the sources, lane by lane.
#[derive(Clone, Copy, Debug)]
pub struct Lanewise {
    /// On concrete bits.
    pub concrete: LaneFn,
    /// On symbolic values.
    pub meaning: Meaning,
    /// Format of destination 0 (B8 for predicates). A `B*` format on a `Real` meaning says that
    /// the instruction does not care about signedness (integer add, sub, mul.lo, mad.lo, eq, ne):
    /// then the result keeps the signedness of the symbolic operand.
    pub dst: Format,
    /// Formats of the sources. Integer operands of another signedness than a `S*`/`U*` format
    /// here are read as opaque bits; `B*` accepts both.
    pub src: [Format; 4],
    /// How many sources.
    pub sources: u8,
    /// How many destinations (1 or 2).
    pub destinations: u8,
    /// How it reads on opaque bit patterns.
    pub pattern: Pattern,
    /// How many of its first sources are moved only: each bit of the result is a bit of theirs or
    /// known, and which one the other sources say (shifts, fields, permutations, integer widths).
    pub moves: u8,
    /// It divides integers by source 1, and the manual leaves open what dividing by zero gives.
    pub divides: bool,
    /// Tells the function apart from every other: two lanewise instructions with equal numbers
    /// compute the same function of their sources' bits (the number to give a [`BitOp::Other`]).
    pub operation: u32,
}

/// State spaces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Any of the others, by address window.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the CTA.
    Shared,
    /// Private memory of a thread.
    Local,
    /// Constant memory.
    Const,
    /// Kernel parameters.
    Param,
}

impl Space {
    /// The name in PTX, without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
        }
    }
}

/// A load's or store's shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// One element's format.
    pub format: Format,
    /// Elements a lane moves (`.v2`, `.v4`, …).
    pub vector: u8,
    /// What may order it with others.
    pub strength: Strength,
}

/// How an access relates to the memory model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// Through a cache that never learns of writes (`.nc`): no synchronization orders it with a write
    /// of this kernel, not even program order.
    NonCoherent,
    /// Through the cache of textures and surfaces: no synchronization makes a write of this kernel known to it;
    /// a write that comes after it in order does no harm.
    Texture,
    /// An ordinary access.
    Weak,
    /// An ordinary write, to a surface: where its rows lie, and so how elements are aligned, is for the driver to say.
    Surface,
    /// `.volatile`, `.relaxed` or stronger. Two of them do not race where the scope of each holds the
    /// other's thread.
    Strong(Scope, Order),
}

/// What a strong access or a fence orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    /// `fence.sc`, which has a place in one order of all its kind.
    Sequential,
}

impl Order {
    /// What others have released can be relied on.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease | Order::Sequential)
    }

    /// Others can rely on what came before.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease | Order::Sequential)
    }
}

/// Threads that a strong access is one step for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    System,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Add,
    /// No instruction: what a loop around a compare-and-swap may do.
    Multiply,
    Min,
    Max,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Exchange,
    CompareSwap,
}

/// How lanes pick their partner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// What a match tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum MatchMode {
    Any,
    All,
}

/// Reductions over predicates (`bar.red`) or lanes (`redux`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Popc,
}

/// What a thread does at a CTA barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierOp {
    /// Arrive and wait. Sources: id, then the thread count if `counted`.
    Sync {
        /// A thread count is given.
        counted: bool,
    },
    /// Arrive and go on. Sources: id, count.
    Arrive,
    /// Arrive, wait, and learn a reduction of a predicate. Sources: id, [count,] predicate.
    Reduce {
        /// And, Or (predicate result) or Popc (u32 result).
        op: ReduceOp,
        /// A thread count is given.
        counted: bool,
    },
}

/// A matrix product `D = A · B + C` of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Product {
    pub a: Fragment,
    pub b: Fragment,
    pub c: Fragment,
    pub d: Fragment,
    /// `.satfinite` on integers: the sum is clamped.
    pub saturate: bool,
    /// What two elements make together.
    pub pairing: Pairing,
    /// `mma.sp`: A holds half of its columns. Two more sources: metadata, selector.
    pub sparsity: Option<Sparsity>,
    /// `.block_scale`: blocks of k have factors. Six more sources: the data, the byte and the lane for A, and for B.
    pub scales: Option<Scales>,
}

/// Factors of blocks of a row of A, or of a column of B.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scales {
    /// The format of a factor: UE8M0, or E4M3 without its sign.
    pub format: Format,
    /// Blocks of k (`.scale_vec::1X`, `2X`, `4X`).
    pub blocks: u8,
}

/// A matrix without its zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sparsity {
    /// Positions must ascend (`mma.sp::ordered_metadata`).
    pub ordered: bool,
}

impl Product {
    /// The column of B for an element of the sum: each of the products of `m8n8k4` has its own.
    pub fn column(&self, row: usize, col: usize) -> usize {
        if matches!(self.b.layout, Layout::Quads { .. }) { row / 8 * 8 + col } else { col }
    }
}

/// What an element of A and one of B make together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairing {
    /// Their product.
    Multiply,
    /// Single bits: 1 where they differ (`.xor.popc`).
    Xor,
    /// Single bits: 1 where both are set (`.and.popc`).
    And,
}

/// 8×8 matrices of 16-bit elements, rows of 16 bytes at addresses that the lanes give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tiles {
    /// Where (shared memory).
    pub space: Space,
    /// 1, 2 or 4.
    pub count: u8,
    /// Rows and columns change places on the way.
    pub transposed: bool,
    /// Rows are sixteen elements of so many bits, of which each becomes a byte; 0 where nothing changes.
    pub unpacked: u8,
}

/// A fragment in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Where.
    pub space: Space,
    /// What the lanes hold.
    pub fragment: Fragment,
    /// Column-major.
    pub column: bool,
}

/// What a warp does with matrices together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatrixOp {
    /// Destinations: D. Sources: A, B, C.
    Multiply(Product),
    /// Destinations: a register for each matrix. Source 0: the address of a row.
    LoadTiles(Tiles),
    /// Source 0: the address of a row; then a register for each matrix.
    StoreTiles(Tiles),
    /// Destination and source: a register of one 8×8 matrix.
    Transpose,
    /// Destinations: the fragment. Sources: the address, [the stride in elements].
    Load(Stored),
    /// Sources: the address, the fragment, [the stride in elements].
    Store(Stored),
    /// What the four warps of a warpgroup do together.
    Warpgroup(WarpgroupOp),
}

impl MatrixOp {
    /// The product of a warp that it computes, or starts.
    pub fn product(&self) -> Option<&Product> {
        match self {
            MatrixOp::Multiply(product)
            | MatrixOp::Warpgroup(WarpgroupOp::Multiply(WarpgroupProduct { product, .. })) => Some(product),
            _ => None,
        }
    }
}

/// A step of an asynchronous product of four warps (`wgmma`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarpgroupOp {
    /// What registers hold is there for the products to come.
    Fence,
    /// Starts a product. Destinations: D. Sources, each present: C (the registers of D), A (registers, or a matrix
    /// descriptor), the matrix descriptor of B, whether C is added, signs of A and B (1 or -1), whether A and B lie
    /// transposed, metadata and selector of a sparse A.
    Multiply(WarpgroupProduct),
    /// The warp's products since the last group become a group.
    Commit,
    /// Waits until at most as many of the newest groups run as source 0 says.
    Wait,
}

/// A product of a warpgroup, of which each warp has sixteen rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarpgroupProduct {
    /// A warp's part.
    pub product: Product,
    /// A lies in shared memory; its rows are those of all four warps.
    pub shared: bool,
}

/// What is done with copies that run in the background.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyOp {
    /// Starts one, from global to shared memory. Sources: destination address, source address,
    /// bytes, [bytes to read, the rest is zero; or a predicate under which all is zero].
    Start,
    /// The thread's copies since the last group become a group.
    Commit,
    /// Waits until at most as many of the newest groups run as source 0 says.
    WaitGroups,
    /// Waits for all.
    WaitAll,
    /// Source 0: the address of an `mbarrier` that all copies so far will arrive at.
    Arrive {
        /// The arrival is one of those that the barrier counts.
        counted: bool,
    },
    /// Starts a bulk copy. Sources: destination address, source address, bytes, [the address of the
    /// `mbarrier` that counts them, [the ranks of the CTAs that get them, as bits]].
    Bulk(Bulk),
    /// Starts a bulk copy that changes elements of global memory, each in one step. Sources as above.
    Update(AtomicOp, Format),
    /// Sends registers to shared memory of the cluster (`st.async`, `red.async`). Sources: the address, the
    /// address of the `mbarrier` that counts their bytes, and the values.
    Send {
        /// What is done with what is found there, instead of replacing it.
        update: Option<AtomicOp>,
        /// What each value is.
        format: Format,
        /// How many there are.
        vector: u8,
    },
    /// Starts a copy of a box of a tensor. Sources: the address in shared memory (none for a prefetch), the
    /// address of the tensor map, the coordinates, the offsets of pixels, [the address of the `mbarrier` that
    /// counts the bytes, [the CTAs that get it]].
    Tensor(TensorCopy),
    /// Asks for a cluster that has not begun, to do its work in its place (`clusterlaunchcontrol.try_cancel`). Sources: the
    /// addresses of the response and of the `mbarrier` that counts its bytes.
    TakeOver {
        /// Each CTA of the asking cluster gets the response.
        all: bool,
    },
    /// Writes zeros (`st.bulk`), at once. Sources: the address, how many bytes, and zero.
    Clear(Space),
    /// Changes a field of a tensor map, or an entry of one. Sources: the address, [which entry,] the value.
    Replace(MapField, Space),
    /// A warp copies a tensor map from shared to global memory, for those who acquire it. Sources: the two
    /// addresses, and how many bytes.
    Publish,
    /// Acquires a tensor map that others have published. Sources: the address, and how many bytes.
    AcquireMap,
    /// The thread's bulk copies since the last group become a group.
    CommitBulk,
    /// Waits until at most as many of the newest groups of bulk copies run as source 0 says.
    WaitBulk {
        /// Or until they have at least read their sources (`.read`).
        reads: bool,
    },
    /// Source 0: an address in global memory; source 1: bytes that are asked for.
    Prefetch,
    /// What the thread has done and knows is handed to the proxy of bulk copies (`fence.proxy.async`).
    Fence {
        /// In shared memory.
        shared: bool,
        /// In global memory.
        global: bool,
    },
    /// One half of such a fence (`fence.proxy.async::generic.release`, `.acquire`), which needs the other in
    /// another thread.
    HalfFence,
}

impl CopyOp {
    /// Where a bulk copy goes that this starts.
    pub fn bulk(self) -> Option<Bulk> {
        match self {
            CopyOp::Bulk(bulk) => Some(bulk),
            CopyOp::Update(..) => Some(Bulk::ToGlobal),
            CopyOp::Send { .. } | CopyOp::TakeOver { .. } => Some(Bulk::Across),
            CopyOp::Tensor(TensorCopy { way, .. }) => match way {
                TensorWay::Load => Some(Bulk::ToShared),
                TensorWay::Store | TensorWay::Update(_) => Some(Bulk::ToGlobal),
                TensorWay::Prefetch => None,
            },
            CopyOp::Start
            | CopyOp::Commit
            | CopyOp::WaitGroups
            | CopyOp::WaitAll
            | CopyOp::Arrive { .. }
            | CopyOp::Clear(_)
            | CopyOp::Replace(..)
            | CopyOp::Publish
            | CopyOp::AcquireMap
            | CopyOp::CommitBulk
            | CopyOp::WaitBulk { .. }
            | CopyOp::Prefetch
            | CopyOp::Fence { .. }
            | CopyOp::HalfFence => None,
        }
    }

    /// What the bulk copy that this starts does with elements of global memory, if it changes them.
    pub fn updates(self) -> Option<AtomicOp> {
        match self {
            CopyOp::Update(op, _) | CopyOp::Tensor(TensorCopy { way: TensorWay::Update(op), .. }) => Some(op),
            _ => None,
        }
    }
}

/// What is asked of the response to a request to take over a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Whether there is such a cluster.
    Taken,
    /// Its first CTA in one dimension.
    Axis(u8),
    /// Its first CTA, and a word that is undefined.
    First,
}

/// A field of a tensor map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum MapField {
    Address,
    Rank,
    Box,
    Size,
    Stride,
    Step,
    Format,
    Interleave,
    Swizzle,
    Atomicity,
    Fill,
}

impl MapField {
    /// Whether it has an entry for each dimension.
    pub fn is_list(self) -> bool {
        matches!(self, MapField::Box | MapField::Size | MapField::Stride | MapField::Step)
    }
}

/// A copy of a box of a tensor that a tensor map describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorCopy {
    /// Dimensions of the tensor.
    pub rank: u8,
    /// What is done.
    pub way: TensorWay,
    /// Which elements are copied.
    pub cut: BoxCut,
    /// The object that counts the bytes may be that of the other CTA of the pair.
    pub paired: bool,
}

impl TensorCopy {
    /// How many coordinates it has.
    pub fn coordinates(&self) -> usize {
        if self.cut == BoxCut::Rows { 1 + GATHERED } else { self.rank.into() }
    }

    /// How many offsets of pixels.
    pub fn offsets(&self) -> usize {
        if self.cut == (BoxCut::Pixels { moved: true }) { usize::from(self.rank) - 2 } else { 0 }
    }
}

/// Rows of a gather or a scatter.
pub const GATHERED: usize = 4;

/// What a box of a tensor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxCut {
    /// What its tensor map says, from the coordinates on.
    Tile,
    /// As many rows as are [`GATHERED`], each with a coordinate of its own.
    Rows,
    /// Pixels of images one after the other, the first at the coordinates.
    Pixels {
        /// Each is moved by offsets, within a filter.
        moved: bool,
    },
}

/// What a tensor copy does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TensorWay {
    /// From global to shared memory; a barrier object counts the bytes.
    Load,
    /// From shared to global memory; its thread waits for its group.
    Store,
    /// The same, and what is in global memory is changed, element by element.
    Update(AtomicOp),
    /// Asks for global memory to be cached.
    Prefetch,
}

/// Where a bulk copy goes, and so how one waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bulk {
    /// From global to shared memory; a barrier object counts its bytes.
    ToShared,
    /// From shared memory to that of another CTA of the cluster; a barrier object there counts its bytes.
    Across,
    /// From shared to global memory; its thread waits for its group.
    ToGlobal,
}

/// What a thread does at a barrier object in shared memory. Source 0 is its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PhaserOp {
    /// Source 1: the arrivals that end a phase.
    Init,
    /// Makes the memory ordinary again.
    Invalidate,
    /// Destination 0, if any: the phase. Source 1, if any: how many arrivals.
    Arrive {
        /// One arrival fewer is expected from the next phase on.
        drop: bool,
        /// `.relaxed`: it counts, and tells nobody what the thread has done before.
        relaxed: bool,
        /// `.expect_tx`: source 1 is no count of arrivals, but of bytes that the phase expects as well.
        expects: bool,
    },
    /// Source 1: bytes that the present phase expects as well.
    Expect,
    /// Source 1: expected bytes that have come.
    Complete,
    /// Destination 0: whether the phase of source 1 (a phase, or a parity) has ended.
    Test {
        /// Source 1 is a parity.
        parity: bool,
        /// `.relaxed`: what others have done before they arrived is not known after it.
        relaxed: bool,
    },
    /// Destination 0: arrivals that the phase of source 0 (no address) lacked.
    Pending,
}

/// What is about the CTAs of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClusterOp {
    /// The address of the same place in another CTA's shared memory. Sources: an address of so many bits, generic unless
    /// it is one of shared memory; the CTA's rank.
    Address {
        /// Width of both addresses.
        bits: u32,
        /// They are generic.
        generic: bool,
    },
    /// The rank of the CTA whose shared memory an address belongs to.
    Rank {
        /// Width of the address.
        bits: u32,
        /// It is generic.
        generic: bool,
    },
    /// Arrives at the cluster's barrier.
    Arrive {
        /// `.relaxed`: it counts, and tells nobody what the thread has done before.
        relaxed: bool,
    },
    /// Waits for all threads of the cluster to have arrived.
    Wait,
}

/// What a texture or a surface is addressed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Coordinates of a texel: 1 to 3; 2 for the faces of a cube, whose coordinates are a direction.
    pub axes: u8,
    /// Textures of a list, one of which a number in front of the coordinates chooses.
    pub layered: bool,
    /// Six faces, chosen by a direction.
    pub cube: bool,
}

impl Geometry {
    /// The words of a coordinate vector that mean something, with the number of the layer.
    pub const fn words(self) -> usize {
        self.layered as usize + if self.cube { 3 } else { self.axes as usize }
    }

    /// The axes that a tensor has for it, without that of the channels: layers and faces are one.
    pub const fn rank(self) -> usize {
        self.axes as usize + (self.layered || self.cube) as usize
    }
}

/// Which level of a texture is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The largest.
    Base,
    /// The one of that number, a source.
    Number,
    /// What derivatives say, sources.
    Gradient,
}

/// What reads a texture. Sources: the texture, the sampler (the texture again if there is none of its own),
/// the layer, the coordinates, [the level's number, or the derivatives], [an offset for each axis].
/// Destinations: the channels, [whether the texel is there].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetch {
    /// What the coordinates are.
    pub geometry: Geometry,
    /// Coordinates are integers.
    pub integers: bool,
    /// What a channel becomes.
    pub result: Format,
    /// Two channels share a register.
    pub packed: bool,
    /// Which level.
    pub level: Level,
    /// Offsets are given.
    pub offset: bool,
    /// Whether a texel is there is asked.
    pub resident: bool,
    /// One channel of the four texels around the place, instead of all channels of the texel (`tld4`).
    pub gather: Option<u8>,
}

/// What is asked about a texture or a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Inquiry {
    Width,
    Height,
    Depth,
    ArraySize,
    NormalizedCoordinates,
    Levels,
    Samples,
}

/// What a surface does with coordinates outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// It is a fault.
    Trap,
    /// The nearest place inside counts.
    Clamp,
    /// Nothing is stored, and zeros are loaded.
    Zero,
}

/// Where an access to a surface goes. Sources: the surface, the layer, the coordinates. Destinations: an
/// address in global memory, [whether it lies inside].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfacePlace {
    /// What the coordinates are.
    pub geometry: Geometry,
    /// What happens outside.
    pub outside: Outside,
    /// The first coordinate counts texels and not bytes (`.p`).
    pub formatted: bool,
    /// Bytes that are accessed there.
    pub bytes: u32,
    /// It is read only.
    pub reads: bool,
}

/// What an opaque variable, or what stands for one, is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum ViewKind {
    Texture,
    Sampler,
    Surface,
}

impl ViewKind {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            ViewKind::Texture => "texture",
            ViewKind::Sampler => "sampler",
            ViewKind::Surface => "surface",
        }
    }
}

/// Calls and traps whose execution is itself a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forbidden {
    /// `__assertfail` and relatives.
    Assertion,
    /// `vprintf`.
    Print,
    /// `trap`, `brkpt`.
    Trap,
    /// A call of a function without a body that is not known math.
    Extern,
    /// A recursive call, or one through a register that points to no function.
    Call,
}

impl Effect {
    /// Whether it reads what no synchronization makes writes of this kernel known to.
    pub fn is_incoherent(&self) -> bool {
        let stale = |access: &Access| matches!(access.strength, Strength::NonCoherent | Strength::Texture);
        self.is_view_read() || matches!(self, Effect::Load(access) if stale(access))
    }

    /// Whether it reads a texture or a surface.
    pub fn is_view_read(&self) -> bool {
        matches!(self, Effect::Fetch(_))
            || matches!(self, Effect::Load(access) if access.strength == Strength::Texture)
    }
}

/// The closed list of effects.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Pure, lane by lane.
    Lanewise(Lanewise),
    /// Copies a value as it is, symbolic or undefined too; `bits` wide.
    Move {
        /// Width.
        bits: u32,
    },
    /// Joins `n` sources (lowest first) into one destination of `bits` bits.
    Pack {
        /// Width of the destination.
        bits: u32,
    },
    /// Splits one source of `bits` bits into `n` destinations (lowest first; `_` destinations are
    /// the sink register).
    Unpack {
        /// Width of the source.
        bits: u32,
    },
    /// State-space address to generic address.
    ToGeneric(Space),
    /// Generic address to state-space address.
    FromGeneric(Space),
    /// Whether a generic address lies in a space (a predicate).
    IsSpace(Space),
    /// Reads memory. Source 0 is the address; destinations are the elements.
    Load(Access),
    /// Writes memory. Source 0 is the address; the others are the elements.
    Store(Access),
    /// Read-modify-write. Source 0 is the address, then the operands; destination 0 is the old
    /// value, absent for `red` and for `atom` into `_`.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// Where and what: one element, of as many that have to lie there together.
        access: Access,
    },
    /// Jumps to the instruction's target.
    Branch,
    /// Jumps to one of the instruction's table of targets, by source 0.
    BranchIndexed,
    /// The thread ends (`ret` of the kernel, `exit`).
    Exit,
    /// Reaching this is a verdict.
    Forbidden(Forbidden),
    /// CTA barrier.
    Barrier {
        /// What the thread does.
        op: BarrierOp,
        /// All threads of the warp execute it together.
        aligned: bool,
    },
    /// Warp barrier; source 0 is the member mask.
    WarpSync,
    /// Exchanges a 32-bit value. Destinations: value, optional in-range predicate. Sources: value,
    /// lane/offset, clamp-and-segment, member mask.
    Shuffle(ShuffleMode),
    /// Sources: predicate, member mask.
    Vote(VoteMode),
    /// Destinations: mask, optional all-equal predicate. Sources: value, member mask.
    Match {
        /// Any or all.
        mode: MatchMode,
        /// Width of the value.
        bits: u32,
    },
    /// Reduces over member lanes. Sources: value, member mask.
    Redux {
        /// The reduction.
        op: ReduceOp,
        /// Format of the value.
        format: Format,
    },
    /// The lanes that execute this together.
    ActiveMask,
    /// Elects a leader. Destinations: leader lane, is-leader predicate. Source 0: member mask.
    Elect,
    /// Matrices that the warp holds together.
    Matrix(MatrixOp),
    /// Tensor memory, and products that run there.
    TensorMemory(TensorMemoryOp),
    /// Copies that run in the background.
    Copy(CopyOp),
    /// A barrier object in shared memory (`mbarrier`).
    Phaser(PhaserOp),
    /// CTAs of a cluster.
    Cluster(ClusterOp),
    /// Memory fence: orders nothing between threads by itself; with `.relaxed` uses of barrier objects
    /// and other strong accesses it does.
    Fence(Scope, Order),
    /// Reads a texture.
    Fetch(Fetch),
    /// Asks about a texture or a surface. Source: it. Destination: a number.
    Inquire(Inquiry),
    /// The address of a place in a surface.
    SurfacePlace(SurfacePlace),
    /// Whether source 0 is such a reference; a predicate.
    IsView(ViewKind),
    /// Reads a value that nobody knows before the run (`%clock`, `%globaltimer`, `%smid`).
    ReadClock,
    /// Reads what a request to take over a cluster was answered (`clusterlaunchcontrol.query_cancel`). Sources: the two
    /// halves of the response.
    Response(Answer),
    /// Values are held against a claim of the kernel's author, by its place among the kernel's.
    Claim(u32),
    /// Nothing that the model sees (prefetch, nanosleep, cache hints, register budgets).
    Nothing,
    /// Unknown or unsupported; executing it is *unsupported*. The instruction's note says why.
    Unsupported,
}
