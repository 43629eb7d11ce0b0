//! The report as data: what JSON holds and the page receives.
//!
//! Everything is owned, plain and in a fixed order, so the same inputs serialize to the same
//! bytes. Positions are cooked here: byte span, line and column together. Numbers of lines and
//! columns count from 1. Large arrays (the timeline) are not here; see
//! [`Recording`](super::Recording).

use serde::{Deserialize, Serialize};

/// Declares report types: serializable both ways, comparable, and TypeScript types for the page.
macro_rules! data {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident { $($body:tt)* })*) => {
        $(
            #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
            #[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
            $(#[$meta])*
            pub $kind $name { $($body)* }
        )*
    };
}

data! {
    /// The answer to a question, and its evidence.
    pub struct Report {
        /// Version of this shape.
        pub format: u32,
        /// Version of Warpproof.
        pub version: String,
        /// The answer.
        pub verdict: Verdict,
        /// The answer in one plain sentence.
        pub summary: String,
        /// What to try when the answer is not final.
        pub hint: Option<String>,
        /// The kernels: reference and optimized, or the only one.
        pub kernels: Vec<KernelReport>,
        /// Tensors and how they were understood.
        pub tensors: Vec<TensorReport>,
        /// Output tensors, compared (of a single kernel: its symbolic outputs).
        pub outputs: Vec<OutputReport>,
        /// What the second opinion came to; absent where nothing was compared.
        pub checked: Option<CheckedReport>,
        /// Where outputs are equal up to the rounding of constants: with the constants as written, no
        /// coefficient differs by more than this part of the largest beside it.
        pub rounding_bound: Option<f64>,
        /// Concrete inputs that tell the kernels apart.
        pub counterexample: Option<Counterexample>,
        /// Inputs that reach the fault, where it is met only under a condition.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reached_by: Option<ReachedBy>,
        /// What the spec and the kernels' authors claim.
        pub contracts: Vec<ContractReport>,
        /// Data races.
        pub races: Vec<RaceReport>,
        /// Threads that wait for ever, or disagree about a barrier.
        pub waits: Vec<WaitReport>,
        /// Everything found, worst first.
        pub diagnostics: Vec<DiagnosticReport>,
        /// What the answer rests on beyond exact real arithmetic.
        pub assumptions: Vec<AssumptionReport>,
        /// How long it took; absent where nobody measured.
        pub timings: Option<Timings>,
    }

    /// A contract and what became of it.
    pub struct ContractReport {
        /// `requires`, `ensures`, `assert`, …
        pub word: String,
        /// The condition as written.
        pub text: String,
        /// What became of it.
        pub state: ContractState,
        /// Why that is not known.
        pub reason: Option<String>,
        /// Where it stands.
        pub at: Location,
    }

    /// What became of a contract.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ContractState {
        /// It holds; of a requirement of inputs: it was taken to hold.
        Holds,
        /// There are inputs for which it does not hold.
        Broken,
        /// Nobody can tell, or nobody asked.
        Unknown,
    }

    /// The possible answers.
    #[derive(Copy, Eq, PartialOrd, Ord, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// Proved: all outputs are the same functions of the inputs.
        Equivalent,
        /// Proved: the outputs differ by no more than the rounding of constants explains; not proved
        /// equivalent.
        EqualUpToRounding,
        /// A single kernel without faults.
        RaceFree,
        /// There are inputs on which the outputs differ.
        NotEquivalent,
        /// Unordered conflicting accesses.
        DataRace,
        /// Threads wait for one another for ever, or one never leaves a loop.
        Deadlock,
        /// Threads disagree about a barrier.
        BarrierDivergence,
        /// An access leaves its tensor or variable.
        OutOfBounds,
        /// An address is not aligned to its access.
        Misaligned,
        /// A value is used that nothing has written.
        UninitializedRead,
        /// A contract does not hold, or the kernel stops itself: an assertion fails, or it traps.
        ContractViolated,
        /// Control or an address depends on input data.
        NotStructured,
        /// An instruction has no meaning here.
        Unsupported,
        /// The PTX does not parse or resolve.
        InvalidPtx,
        /// The spec is wrong or incomplete.
        InvalidSpec,
        /// The run needed more than its budget.
        ResourceLimit,
        /// Someone stopped it.
        Cancelled,
        /// Neither proof nor counterexample was found.
        Unknown,
    }

    /// Which text.
    #[derive(Copy, Eq, PartialOrd, Ord, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum TextSource {
        /// The reference kernel's PTX.
        Reference,
        /// The optimized kernel's PTX, or the only kernel's.
        Optimized,
        /// The spec.
        Spec,
    }

    /// A place in a text.
    pub struct Location {
        /// Which text.
        pub source: TextSource,
        /// First byte.
        pub start: u32,
        /// One past the last byte.
        pub end: u32,
        /// Line of the first byte.
        pub line: u32,
        /// Column of the first byte, in characters.
        pub column: u32,
        /// The text of that line.
        pub excerpt: String,
    }

    /// A place in the CUDA source, from `.loc`.
    pub struct CudaLocation {
        /// File.
        pub file: String,
        /// Line.
        pub line: u32,
        /// Column; 0 if unknown.
        pub column: u32,
        /// The calls that were inlined, innermost first: a copy or a fragment's load stands in a
        /// function of its own, and which one it is only its callers tell.
        pub inlined_at: Vec<CudaCall>,
    }

    /// The place of a call in the CUDA source.
    pub struct CudaCall {
        /// File.
        pub file: String,
        /// Line.
        pub line: u32,
        /// Column; 0 if unknown.
        pub column: u32,
    }

    /// One kernel and its run.
    pub struct KernelReport {
        /// Which.
        pub side: TextSource,
        /// The entry's name.
        pub name: String,
        /// The same as its author wrote it: `softmax<float, 256>`.
        pub title: String,
        /// CTAs along x, y, z.
        pub grid: [u32; 3],
        /// Threads along x, y, z.
        pub block: [u32; 3],
        /// CTAs run.
        pub ctas: u32,
        /// Executed thread-instructions.
        pub thread_instructions: u64,
        /// Executed warp-instructions.
        pub warp_instructions: u64,
        /// Completed CTA barriers.
        pub barriers: u64,
        /// Completed warp-level synchronizations and collectives.
        pub warp_syncs: u64,
        /// Bytes of terms, memory and shadow state.
        pub bytes: u64,
        /// Term nodes.
        pub terms: u64,
        /// Milliseconds of simulation; absent where nobody measured.
        pub time: Option<f64>,
    }

    /// How a tensor was understood.
    pub struct TensorReport {
        /// Its name.
        pub name: String,
        /// Element format in the reference kernel, if it uses the tensor.
        pub reference_format: Option<String>,
        /// Element format in the optimized kernel, if it uses the tensor.
        pub optimized_format: Option<String>,
        /// Extents; for a tensor without a declared shape: the elements reached, and none if that is none.
        pub shape: Vec<u64>,
        /// Whether the shape was declared.
        pub declared_shape: bool,
        /// `in`, `out`, `inout` or `scratch`.
        pub role: String,
        /// Whether the role was declared.
        pub declared_role: bool,
    }

    /// One output tensor.
    pub struct OutputReport {
        /// Its name.
        pub tensor: String,
        /// Extents.
        pub shape: Vec<u64>,
        /// Elements that some kernel writes.
        pub elements: u64,
        /// Of these, proved equal.
        pub equal: u64,
        /// Of these, equal up to the rounding of constants.
        pub close: u64,
        /// Of these, shown different.
        pub different: u64,
        /// Of these, not decided.
        pub unknown: u64,
        /// Elements that neither kernel writes.
        pub unwritten: u64,
        /// Elements with the same answer for the same reason; differing ones first.
        pub groups: Vec<OutputGroup>,
        /// Groups left out of the list for its length.
        pub more_groups: u64,
    }

    /// How the answers were confirmed by `check`, which shares no search with `decide`.
    #[derive(Copy, Eq)]
    pub struct CheckedReport {
        /// Answers confirmed by structure, in prime fields, or at a witness.
        pub confirmed: u64,
        /// Of these, in prime fields, other than those of the decision.
        pub by_field: u64,
        /// Equalities confirmed only by enclosures at points.
        pub by_points: u64,
        /// Equalities without any point where both sides are defined.
        pub open: u64,
        /// Elements not looked at, because others with the same answer were.
        pub skipped: u64,
        /// Answers that were taken back.
        pub refuted: u64,
    }

    /// The answer for one element.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum Answer {
        /// Proved equal.
        Equal,
        /// Equal up to the rounding of constants.
        Close,
        /// Shown different.
        Different,
        /// Not decided.
        Unknown,
        /// Nothing to compare with (a single kernel).
        Single,
    }

    /// Elements of one tensor with the same answer.
    pub struct OutputGroup {
        /// The answer.
        pub answer: Answer,
        /// How many elements.
        pub elements: u64,
        /// The first of them, as `C[3][5]`.
        pub sample: String,
        /// Its flat index.
        pub index: u64,
        /// All of them, as `C[i][j]`, where the reason is told with these letters.
        pub pattern: Option<String>,
        /// Why, in one sentence.
        pub reason: String,
        /// What to try, if undecided.
        pub hint: Option<String>,
        /// The reference kernel's expression for the sample.
        pub reference: Option<Expression>,
        /// The optimized kernel's expression for the sample.
        pub optimized: Option<Expression>,
    }

    /// A symbolic value made readable.
    pub struct Expression {
        /// One line of text; long sums are shortened with `…`.
        pub text: String,
        /// Byte ranges of `text` that the other side does not have.
        pub marks: Vec<[u32; 2]>,
        /// The same as presentation MathML (a `<math>` element).
        pub mathml: String,
        /// The instruction that stored it.
        pub stored_at: Option<Location>,
        /// The CUDA line of that instruction.
        pub cuda: Option<CudaLocation>,
    }

    /// Where the differing parts of a counterexample come from.
    pub struct Origins {
        /// In the reference kernel.
        pub reference: Vec<PartOrigin>,
        /// In the optimized kernel.
        pub optimized: Vec<PartOrigin>,
    }

    /// Where a part of an expression comes from.
    pub struct PartOrigin {
        /// Which of the expression's marks it is; absent: all of the expression.
        pub mark: Option<u32>,
        /// Its number among the marked parts of the formula, in the order of the MathML.
        pub formula: Option<u32>,
        /// The part as text.
        pub text: String,
        /// The instructions that it comes from.
        pub steps: Vec<OriginStep>,
    }

    /// An instruction that a part comes from.
    pub struct OriginStep {
        /// What it did.
        pub role: OriginRole,
        /// What it read or made, as text; empty for a store.
        pub of: String,
        /// Where it stands.
        pub at: Location,
        /// Its CUDA line.
        pub cuda: Option<CudaLocation>,
        /// Its opcode.
        pub opcode: String,
        /// Who executed it: `thread 3`, `warp 2`.
        pub thread: String,
    }

    /// What an instruction had to do with a part.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum OriginRole {
        /// It read this input.
        Reads,
        /// It made this very part.
        Makes,
        /// No instruction made the part alone; this made the nearest part around it.
        MakesAround,
        /// Nothing nearer was found; it stored the whole.
        Stores,
    }

    /// Concrete inputs that tell the kernels apart.
    pub struct Counterexample {
        /// The output tensor.
        pub tensor: String,
        /// The element, as `C[3][5]`.
        pub element: String,
        /// Its flat index.
        pub index: u64,
        /// The inputs that matter; all elements not listed have their tensor's `rest`.
        pub inputs: Vec<InputValues>,
        /// What the reference kernel computes, in decimal.
        pub reference_value: String,
        /// What the optimized kernel computes, in decimal.
        pub optimized_value: String,
        /// What differs, in words.
        pub difference: String,
        /// The reference kernel's expression.
        pub reference: Option<Expression>,
        /// The optimized kernel's expression.
        pub optimized: Option<Expression>,
        /// Where what differs comes from; left out unless it was asked for
        /// ([`RunOptions::origins`](super::RunOptions)).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub origins: Option<Origins>,
        /// The spec with these inputs as contents: a test to keep.
        pub spec: String,
    }

    /// Inputs that reach a fault.
    pub struct ReachedBy {
        /// The inputs that matter; all elements not listed have their tensor's `rest`.
        pub inputs: Vec<InputValues>,
        /// The spec with these inputs as contents: a test to keep.
        pub spec: String,
    }

    /// Values of one input tensor or scalar.
    pub struct InputValues {
        /// Its name.
        pub name: String,
        /// Whether it is a scalar parameter.
        pub scalar: bool,
        /// Whether the spec gives its contents.
        pub given: bool,
        /// Extents; empty for a scalar, and for a tensor whose extents nobody gave.
        pub shape: Vec<u64>,
        /// Element format.
        pub format: String,
        /// Elements with a value of their own; none where the contents are given.
        pub entries: Vec<InputValue>,
        /// The value of all other elements; empty where the contents are given and not all the same.
        pub rest: String,
        /// All values in row-major order, where there are at most 64 and the extents are known.
        pub dense: Option<Vec<String>>,
    }

    /// One input element.
    pub struct InputValue {
        /// `A[3][5]`.
        pub place: String,
        /// Flat index.
        pub index: u64,
        /// An integer, a fraction or a decimal.
        pub value: String,
    }

    /// A thread.
    pub struct ThreadReport {
        /// The CTA.
        pub cta: [u32; 3],
        /// Its coordinates in the block.
        pub tid: [u32; 3],
        /// Its linear number in the block.
        pub linear: u32,
        /// "thread 33 (1,2,0)".
        pub text: String,
    }

    /// One side of a race.
    pub struct AccessReport {
        /// Who.
        pub thread: ThreadReport,
        /// `reads`, `writes` or `updates atomically`.
        pub action: String,
        /// The instruction.
        pub at: Location,
        /// The instruction as written.
        pub instruction: String,
        /// Index into the kernel's code, as on the timeline.
        pub instr: u32,
        /// Where the CUDA source has it.
        pub cuda: Option<CudaLocation>,
    }

    /// Two accesses that nothing orders.
    pub struct RaceReport {
        /// Which kernel.
        pub side: TextSource,
        /// The access that the run executed first.
        pub first: AccessReport,
        /// The other.
        pub second: AccessReport,
        /// `tile[3]`, `A[1][2]`.
        pub place: String,
        /// `shared` or `global`.
        pub space: String,
        /// What orders each side, and that nothing orders these two.
        pub ordering: String,
        /// Schedules that run the two in either order.
        pub schedule: Vec<String>,
        /// `options.collectives_order_memory` would hide it.
        pub hidden_by_collectives: bool,
    }

    /// Threads that wait at one place for the same thing.
    pub struct WaitReport {
        /// Which kernel.
        pub side: TextSource,
        /// Whether they wait for ever or disagree: `deadlock` or `barrier_divergence`.
        pub fault: Verdict,
        /// Who, ascending linear numbers.
        pub threads: Vec<u32>,
        /// "threads 0–15, 32".
        pub threads_text: String,
        /// Where.
        pub at: Location,
        /// The instruction as written.
        pub instruction: String,
        /// Index into the kernel's code.
        pub instr: u32,
        /// Where the CUDA source has it.
        pub cuda: Option<CudaLocation>,
        /// "barrier 0: 16 of 32 have arrived".
        pub waits_at: String,
        /// For whom, linear numbers; none where no thread can end it.
        pub waits_for: Vec<u32>,
        /// "threads 16–31"; empty where there are none.
        pub waits_for_text: String,
    }

    /// How bad a finding is.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum Level {
        /// Bad news.
        Error,
        /// Worth knowing.
        Warning,
        /// What was inferred.
        Info,
    }

    /// One finding.
    pub struct DiagnosticReport {
        /// Row of the code table.
        pub code: String,
        /// How bad.
        pub severity: Level,
        /// One sentence.
        pub message: String,
        /// The place it is about.
        pub primary: Option<LabelReport>,
        /// Other places that matter.
        pub related: Vec<LabelReport>,
        /// What to do, what else to know.
        pub notes: Vec<String>,
    }

    /// A place and what happens there.
    pub struct LabelReport {
        /// Where.
        pub at: Location,
        /// What; may be empty.
        pub text: String,
        /// Where the CUDA source has it.
        pub cuda: Option<CudaLocation>,
    }

    /// One assumption.
    pub struct AssumptionReport {
        /// Machine-readable kind: `rounding_ignored`, …
        pub kind: String,
        /// One sentence.
        pub text: String,
        /// How often it was made.
        pub count: u64,
        /// Where it was made first.
        pub first: Option<Location>,
    }

    /// Milliseconds.
    #[derive(Copy, Default)]
    pub struct Timings {
        /// Parsing and lowering.
        pub parse: f64,
        /// Executing both kernels.
        pub simulate: f64,
        /// Comparing outputs.
        pub decide: f64,
        /// Re-checking.
        pub check: f64,
        /// Everything.
        pub total: f64,
    }

    /// One combination of a sweep.
    pub struct Combination {
        /// The values of the names.
        pub values: Vec<i64>,
        /// The spec with these values.
        pub spec: String,
    }

    /// What a sweep asks.
    pub struct Asked {
        /// The names, in file order.
        pub names: Vec<String>,
        /// The combinations, smallest first.
        pub combinations: Vec<Combination>,
    }

    /// The answers to all combinations of a spec with `[sweep]`.
    pub struct SweepReport {
        /// Version of this shape.
        pub format: u32,
        /// Version of Warpproof.
        pub version: String,
        /// The answer: of a combination that is not fine, if there is one (`shown`).
        pub verdict: Verdict,
        /// The answer in plain sentences.
        pub summary: String,
        /// The names that are swept.
        pub names: Vec<String>,
        /// The combinations in the order in which they were asked, smallest first.
        pub combinations: Vec<CombinationReport>,
        /// The same with neighbours of equal verdicts put together.
        pub rows: Vec<SweepRow>,
        /// The smallest combination that is not fine.
        pub shown: Option<ShownCombination>,
        /// What is proved for every size, where a range has no end: the combinations are samples then.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sizes: Option<SizesReport>,
        /// What all these answers rest on, added up.
        pub assumptions: Vec<AssumptionReport>,
        /// Milliseconds that everything took.
        pub time: Option<f64>,
    }

    /// What is proved for every size.
    pub struct SizesReport {
        /// No data race, no access out of bounds and no barrier divergence in any kernel, for any size.
        pub proved: bool,
        /// Which sizes: `every N ≥ 1`.
        pub every: String,
        /// Each kernel; each for each combination of the names that are not open.
        pub kernels: Vec<KernelSizes>,
    }

    /// What is proved of one kernel for every size.
    pub struct KernelSizes {
        /// Which kernel.
        pub side: TextSource,
        /// Its name as its author wrote it.
        pub kernel: String,
        /// The names that are not open: `block = 32`; empty if all are.
        pub case: String,
        /// Whether it is proved.
        pub proved: bool,
        /// Why it is not.
        pub reason: Option<String>,
        /// The instruction that it is about.
        pub at: Option<Location>,
        /// The other one, of a pair.
        pub other: Option<Location>,
        /// Where the CUDA source has the instruction.
        pub cuda: Option<CudaLocation>,
    }

    /// The answer to one combination of a sweep.
    pub struct CombinationReport {
        /// The values of the names.
        pub values: Vec<i64>,
        /// Its verdict; absent if it was not asked.
        pub verdict: Option<Verdict>,
        /// Its verdict in one sentence; empty if it was not asked.
        pub summary: String,
        /// Milliseconds that it took.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub time: Option<f64>,
    }

    /// Neighbouring combinations with one verdict.
    pub struct SweepRow {
        /// Which ones: `N = 33 … 63, block = 64`.
        pub title: String,
        /// The verdict of all of them; absent if they were not asked.
        pub verdict: Option<Verdict>,
        /// How many they are.
        pub count: u32,
        /// The place of the first in `combinations`.
        pub first: u32,
    }

    /// A combination that is not fine, in full.
    pub struct ShownCombination {
        /// Its place in `combinations`.
        pub at: u32,
        /// `N = 33, block = 64`
        pub title: String,
        /// Its report.
        pub report: Report,
    }

    /// What a kernel computes, as a formula that was proved.
    pub struct Telling {
        /// The formula, in the language of formulas; absent where no short one was found.
        pub formula: Option<String>,
        /// The same for other readers.
        pub forms: Option<FormulaForms>,
        /// The outputs, and which of them the formula gives.
        pub outputs: Vec<ToldOutput>,
        /// What was proved: at the sizes that were asked about, then at others. Empty without a formula.
        pub checked: Vec<CheckedFormula>,
        /// The analysis of the kernel; its assumptions are those of the proof, where there is a formula.
        pub report: Report,
    }

    /// A formula in other languages.
    pub struct FormulaForms {
        /// For NumPy: a program that defines what NumPy lacks; absent where that cannot be written.
        pub numpy: Option<String>,
        /// For PyTorch, likewise.
        pub torch: Option<String>,
        /// For LaTeX: an `align*`.
        pub latex: Option<String>,
    }

    /// One output of a kernel that tells its formula.
    pub struct ToldOutput {
        /// Its name.
        pub tensor: String,
        /// Its assignment; absent where none was found.
        pub formula: Option<String>,
    }

    /// A proof that a kernel computes a formula.
    pub struct CheckedFormula {
        /// The scalars and shapes it is for: `n = 64, x[64], y[64]`.
        pub sizes: String,
        /// Elements that were compared.
        pub elements: u64,
        /// Elements that this launch does not write.
        pub unwritten: u64,
    }

    /// What the PTX shows before anything runs: the page's launch strip.
    pub struct Inference {
        /// The kernels: reference and optimized, or the only one.
        pub kernels: Vec<InferredKernel>,
        /// Values that only the user can give, as the spec would have them: `optimized.entry`, `launch.block`,
        /// `scalars.n`.
        pub missing: Vec<String>,
        /// The spec with everything inferred written out.
        pub spec: String,
        /// What is wrong so far.
        pub diagnostics: Vec<DiagnosticReport>,
        /// The reference is a formula.
        pub formula: bool,
    }

    /// One `.entry` of a module.
    pub struct NamedEntry {
        /// As in PTX.
        pub name: String,
        /// The same as its author wrote it: `softmax<float, 256>`.
        pub title: String,
    }

    /// One kernel of an [`Inference`].
    pub struct InferredKernel {
        /// Which.
        pub side: TextSource,
        /// All entries of the module.
        pub entries: Vec<NamedEntry>,
        /// The entry that will run, if it could be chosen.
        pub entry: Option<String>,
        /// The same as its author wrote it: `softmax<float, 256>`.
        pub title: Option<String>,
        /// CTAs along x, y, z.
        pub grid: [u32; 3],
        /// Threads along x, y, z; 1 each where neither PTX nor spec says it.
        pub block: [u32; 3],
        /// Whether one of them says it.
        pub block_known: bool,
        /// Blocks to try where neither says it, the likeliest first: two-dimensional ones for a kernel that reads
        /// `%tid.y`.
        pub proposed_blocks: Vec<[u32; 3]>,
        /// Whether the block is given by the PTX itself.
        pub required_block: Option<[u32; 3]>,
        /// Static shared memory, bytes.
        pub shared_bytes: u64,
        /// Whether the kernel uses dynamic shared memory.
        pub dynamic_shared: bool,
        /// Its parameters, in order; then the module variables that the host may set.
        pub parameters: Vec<InferredParameter>,
    }

    /// One kernel parameter.
    pub struct InferredParameter {
        /// As in PTX.
        pub name: String,
        /// `pointer`, `integer`, `float`, `struct`, `tensor map`.
        pub kind: String,
        /// Declared type.
        pub declared: String,
        /// The name it is bound to: a tensor or scalar of the spec. Empty for literals.
        pub bound: String,
        /// Element type of what it points to, or the scalar's type; empty if not known.
        pub element: String,
        /// Extents from the spec, if a tensor with a shape.
        pub shape: Vec<u64>,
        /// Role from the spec; empty if left to the run.
        pub role: String,
        /// Its value, if a concrete number.
        pub value: String,
        /// Whether only the user can say its value.
        pub needs_value: bool,
    }
}

impl Verdict {
    /// The spelling in JSON and of the corpus folders.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Equivalent => "equivalent",
            Verdict::EqualUpToRounding => "equal_up_to_rounding",
            Verdict::RaceFree => "race_free",
            Verdict::NotEquivalent => "not_equivalent",
            Verdict::DataRace => "data_race",
            Verdict::Deadlock => "deadlock",
            Verdict::BarrierDivergence => "barrier_divergence",
            Verdict::OutOfBounds => "out_of_bounds",
            Verdict::Misaligned => "misaligned",
            Verdict::UninitializedRead => "uninitialized_read",
            Verdict::ContractViolated => "contract_violated",
            Verdict::NotStructured => "not_structured",
            Verdict::Unsupported => "unsupported",
            Verdict::InvalidPtx => "invalid_ptx",
            Verdict::InvalidSpec => "invalid_spec",
            Verdict::ResourceLimit => "resource_limit",
            Verdict::Cancelled => "cancelled",
            Verdict::Unknown => "unknown",
        }
    }

    /// Whether a kernel did what is undefined or not supported, which may be because of where arrays lie.
    pub(super) const fn is_undefined(self) -> bool {
        matches!(self, Verdict::Unsupported | Verdict::OutOfBounds | Verdict::Misaligned)
    }

    /// Exit status of the command line: 0 the property holds, 1 it does not, 2 no answer,
    /// 3 unusable input.
    pub const fn exit_status(self) -> u8 {
        match self {
            Verdict::Equivalent | Verdict::EqualUpToRounding | Verdict::RaceFree => 0,
            Verdict::NotEquivalent
            | Verdict::DataRace
            | Verdict::Deadlock
            | Verdict::BarrierDivergence
            | Verdict::OutOfBounds
            | Verdict::Misaligned
            | Verdict::UninitializedRead
            | Verdict::ContractViolated => 1,
            Verdict::NotStructured
            | Verdict::Unsupported
            | Verdict::ResourceLimit
            | Verdict::Cancelled
            | Verdict::Unknown => 2,
            Verdict::InvalidPtx | Verdict::InvalidSpec => 3,
        }
    }
}

impl From<crate::base::Source> for TextSource {
    fn from(source: crate::base::Source) -> Self {
        match source {
            crate::base::Source::Reference => TextSource::Reference,
            crate::base::Source::Optimized => TextSource::Optimized,
            crate::base::Source::Spec => TextSource::Spec,
        }
    }
}

impl From<crate::diag::Severity> for Level {
    fn from(severity: crate::diag::Severity) -> Self {
        match severity {
            crate::diag::Severity::Error => Level::Error,
            crate::diag::Severity::Warning => Level::Warning,
            crate::diag::Severity::Info => Level::Info,
        }
    }
}
