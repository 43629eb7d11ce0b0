"""What a report holds, as the engine writes it. Made by `generate.py` from `crate/src/report/model.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Report:
    """The answer to a question, and its evidence."""

    format: int
    """Version of this shape."""
    version: str
    """Version of Warpproof."""
    verdict: Verdict
    """The answer."""
    summary: str
    """The answer in one plain sentence."""
    hint: str | None = None
    """What to try when the answer is not final."""
    kernels: list[KernelReport]
    """The kernels: reference and optimized, or the only one."""
    tensors: list[TensorReport]
    """Tensors and how they were understood."""
    outputs: list[OutputReport]
    """Output tensors, compared (of a single kernel: its symbolic outputs)."""
    checked: CheckedReport | None = None
    """What the second opinion came to; absent where nothing was compared."""
    rounding_bound: float | None = None
    """Where outputs are equal up to the rounding of constants: with the constants as written, no coefficient differs by more than this part of the largest beside it."""
    counterexample: Counterexample | None = None
    """Concrete inputs that tell the kernels apart."""
    reached_by: ReachedBy | None = None
    """Inputs that reach the fault, where it is met only under a condition."""
    contracts: list[ContractReport]
    """What the spec and the kernels' authors claim."""
    races: list[RaceReport]
    """Data races."""
    waits: list[WaitReport]
    """Threads that wait for ever, or disagree about a barrier."""
    diagnostics: list[DiagnosticReport]
    """Everything found, worst first."""
    assumptions: list[AssumptionReport]
    """What the answer rests on beyond exact real arithmetic."""
    timings: Timings | None = None
    """How long it took; absent where nobody measured."""


@dataclass(frozen=True, kw_only=True)
class ContractReport:
    """A contract and what became of it."""

    word: str
    """`requires`, `ensures`, `assert`, …"""
    text: str
    """The condition as written."""
    state: ContractState
    """What became of it."""
    reason: str | None = None
    """Why that is not known."""
    at: Location
    """Where it stands."""


ContractState = Literal[
    "holds",
    "broken",
    "unknown",
]
"""What became of a contract."""


Verdict = Literal[
    "equivalent",
    "equal_up_to_rounding",
    "race_free",
    "not_equivalent",
    "data_race",
    "deadlock",
    "barrier_divergence",
    "out_of_bounds",
    "misaligned",
    "uninitialized_read",
    "contract_violated",
    "not_structured",
    "unsupported",
    "invalid_ptx",
    "invalid_spec",
    "resource_limit",
    "cancelled",
    "unknown",
]
"""The possible answers."""


TextSource = Literal[
    "reference",
    "optimized",
    "spec",
]
"""Which text."""


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in a text."""

    source: TextSource
    """Which text."""
    start: int
    """First byte."""
    end: int
    """One past the last byte."""
    line: int
    """Line of the first byte."""
    column: int
    """Column of the first byte, in characters."""
    excerpt: str
    """The text of that line."""


@dataclass(frozen=True, kw_only=True)
class CudaLocation:
    """A place in the CUDA source, from `.loc`."""

    file: str
    """File."""
    line: int
    """Line."""
    column: int
    """Column; 0 if unknown."""
    inlined_at: list[CudaCall]
    """The calls that were inlined, innermost first: a copy or a fragment's load stands in a function of its own, and which one it is only its callers tell."""


@dataclass(frozen=True, kw_only=True)
class CudaCall:
    """The place of a call in the CUDA source."""

    file: str
    """File."""
    line: int
    """Line."""
    column: int
    """Column; 0 if unknown."""


@dataclass(frozen=True, kw_only=True)
class KernelReport:
    """One kernel and its run."""

    side: TextSource
    """Which."""
    name: str
    """The entry's name."""
    title: str
    """The same as its author wrote it: `softmax<float, 256>`."""
    grid: list[int]
    """CTAs along x, y, z."""
    block: list[int]
    """Threads along x, y, z."""
    ctas: int
    """CTAs run."""
    thread_instructions: int
    """Executed thread-instructions."""
    warp_instructions: int
    """Executed warp-instructions."""
    barriers: int
    """Completed CTA barriers."""
    warp_syncs: int
    """Completed warp-level synchronizations and collectives."""
    bytes: int
    """Bytes of terms, memory and shadow state."""
    terms: int
    """Term nodes."""
    time: float | None = None
    """Milliseconds of simulation; absent where nobody measured."""


@dataclass(frozen=True, kw_only=True)
class TensorReport:
    """How a tensor was understood."""

    name: str
    """Its name."""
    reference_format: str | None = None
    """Element format in the reference kernel, if it uses the tensor."""
    optimized_format: str | None = None
    """Element format in the optimized kernel, if it uses the tensor."""
    shape: list[int]
    """Extents; for a tensor without a declared shape: the elements reached, and none if that is none."""
    declared_shape: bool
    """Whether the shape was declared."""
    role: str
    """`in`, `out`, `inout` or `scratch`."""
    declared_role: bool
    """Whether the role was declared."""


@dataclass(frozen=True, kw_only=True)
class OutputReport:
    """One output tensor."""

    tensor: str
    """Its name."""
    shape: list[int]
    """Extents."""
    elements: int
    """Elements that some kernel writes."""
    equal: int
    """Of these, proved equal."""
    close: int
    """Of these, equal up to the rounding of constants."""
    different: int
    """Of these, shown different."""
    unknown: int
    """Of these, not decided."""
    unwritten: int
    """Elements that neither kernel writes."""
    groups: list[OutputGroup]
    """Elements with the same answer for the same reason; differing ones first."""
    more_groups: int
    """Groups left out of the list for its length."""


@dataclass(frozen=True, kw_only=True)
class CheckedReport:
    """How the answers were confirmed by `check`, which shares no search with `decide`."""

    confirmed: int
    """Answers confirmed by structure, in prime fields, or at a witness."""
    by_field: int
    """Of these, in prime fields, other than those of the decision."""
    by_points: int
    """Equalities confirmed only by enclosures at points."""
    open: int
    """Equalities without any point where both sides are defined."""
    skipped: int
    """Elements not looked at, because others with the same answer were."""
    refuted: int
    """Answers that were taken back."""


Answer = Literal[
    "equal",
    "close",
    "different",
    "unknown",
    "single",
]
"""The answer for one element."""


@dataclass(frozen=True, kw_only=True)
class OutputGroup:
    """Elements of one tensor with the same answer."""

    answer: Answer
    """The answer."""
    elements: int
    """How many elements."""
    sample: str
    """The first of them, as `C[3][5]`."""
    index: int
    """Its flat index."""
    pattern: str | None = None
    """All of them, as `C[i][j]`, where the reason is told with these letters."""
    reason: str
    """Why, in one sentence."""
    hint: str | None = None
    """What to try, if undecided."""
    reference: Expression | None = None
    """The reference kernel's expression for the sample."""
    optimized: Expression | None = None
    """The optimized kernel's expression for the sample."""


@dataclass(frozen=True, kw_only=True)
class Expression:
    """A symbolic value made readable."""

    text: str
    """One line of text; long sums are shortened with `…`."""
    marks: list[list[int]]
    """Byte ranges of `text` that the other side does not have."""
    mathml: str
    """The same as presentation MathML (a `<math>` element)."""
    stored_at: Location | None = None
    """The instruction that stored it."""
    cuda: CudaLocation | None = None
    """The CUDA line of that instruction."""


@dataclass(frozen=True, kw_only=True)
class Origins:
    """Where the differing parts of a counterexample come from."""

    reference: list[PartOrigin]
    """In the reference kernel."""
    optimized: list[PartOrigin]
    """In the optimized kernel."""


@dataclass(frozen=True, kw_only=True)
class PartOrigin:
    """Where a part of an expression comes from."""

    mark: int | None = None
    """Which of the expression's marks it is; absent: all of the expression."""
    formula: int | None = None
    """Its number among the marked parts of the formula, in the order of the MathML."""
    text: str
    """The part as text."""
    steps: list[OriginStep]
    """The instructions that it comes from."""


@dataclass(frozen=True, kw_only=True)
class OriginStep:
    """An instruction that a part comes from."""

    role: OriginRole
    """What it did."""
    of: str
    """What it read or made, as text; empty for a store."""
    at: Location
    """Where it stands."""
    cuda: CudaLocation | None = None
    """Its CUDA line."""
    opcode: str
    """Its opcode."""
    thread: str
    """Who executed it: `thread 3`, `warp 2`."""


OriginRole = Literal[
    "reads",
    "makes",
    "makes_around",
    "stores",
]
"""What an instruction had to do with a part."""


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Concrete inputs that tell the kernels apart."""

    tensor: str
    """The output tensor."""
    element: str
    """The element, as `C[3][5]`."""
    index: int
    """Its flat index."""
    inputs: list[InputValues]
    """The inputs that matter; all elements not listed have their tensor's `rest`."""
    reference_value: str
    """What the reference kernel computes, in decimal."""
    optimized_value: str
    """What the optimized kernel computes, in decimal."""
    difference: str
    """What differs, in words."""
    reference: Expression | None = None
    """The reference kernel's expression."""
    optimized: Expression | None = None
    """The optimized kernel's expression."""
    origins: Origins | None = None
    """Where what differs comes from; left out unless it was asked for (`RunOptions::origins`)."""
    spec: str
    """The spec with these inputs as contents: a test to keep."""


@dataclass(frozen=True, kw_only=True)
class ReachedBy:
    """Inputs that reach a fault."""

    inputs: list[InputValues]
    """The inputs that matter; all elements not listed have their tensor's `rest`."""
    spec: str
    """The spec with these inputs as contents: a test to keep."""


@dataclass(frozen=True, kw_only=True)
class InputValues:
    """Values of one input tensor or scalar."""

    name: str
    """Its name."""
    scalar: bool
    """Whether it is a scalar parameter."""
    given: bool
    """Whether the spec gives its contents."""
    shape: list[int]
    """Extents; empty for a scalar, and for a tensor whose extents nobody gave."""
    format: str
    """Element format."""
    entries: list[InputValue]
    """Elements with a value of their own; none where the contents are given."""
    rest: str
    """The value of all other elements; empty where the contents are given and not all the same."""
    dense: list[str] | None = None
    """All values in row-major order, where there are at most 64 and the extents are known."""


@dataclass(frozen=True, kw_only=True)
class InputValue:
    """One input element."""

    place: str
    """`A[3][5]`."""
    index: int
    """Flat index."""
    value: str
    """An integer, a fraction or a decimal."""


@dataclass(frozen=True, kw_only=True)
class ThreadReport:
    """A thread."""

    cta: list[int]
    """The CTA."""
    tid: list[int]
    """Its coordinates in the block."""
    linear: int
    """Its linear number in the block."""
    text: str
    """"thread 33 (1,2,0)"."""


@dataclass(frozen=True, kw_only=True)
class AccessReport:
    """One side of a race."""

    thread: ThreadReport
    """Who."""
    action: str
    """`reads`, `writes` or `updates atomically`."""
    at: Location
    """The instruction."""
    instruction: str
    """The instruction as written."""
    instr: int
    """Index into the kernel's code, as on the timeline."""
    cuda: CudaLocation | None = None
    """Where the CUDA source has it."""


@dataclass(frozen=True, kw_only=True)
class RaceReport:
    """Two accesses that nothing orders."""

    side: TextSource
    """Which kernel."""
    first: AccessReport
    """The access that the run executed first."""
    second: AccessReport
    """The other."""
    place: str
    """`tile[3]`, `A[1][2]`."""
    space: str
    """`shared` or `global`."""
    ordering: str
    """What orders each side, and that nothing orders these two."""
    schedule: list[str]
    """Schedules that run the two in either order."""
    hidden_by_collectives: bool
    """`options.collectives_order_memory` would hide it."""


@dataclass(frozen=True, kw_only=True)
class WaitReport:
    """Threads that wait at one place for the same thing."""

    side: TextSource
    """Which kernel."""
    fault: Verdict
    """Whether they wait for ever or disagree: `deadlock` or `barrier_divergence`."""
    threads: list[int]
    """Who, ascending linear numbers."""
    threads_text: str
    """"threads 0–15, 32"."""
    at: Location
    """Where."""
    instruction: str
    """The instruction as written."""
    instr: int
    """Index into the kernel's code."""
    cuda: CudaLocation | None = None
    """Where the CUDA source has it."""
    waits_at: str
    """"barrier 0: 16 of 32 have arrived"."""
    waits_for: list[int]
    """For whom, linear numbers; none where no thread can end it."""
    waits_for_text: str
    """"threads 16–31"; empty where there are none."""


Level = Literal[
    "error",
    "warning",
    "info",
]
"""How bad a finding is."""


@dataclass(frozen=True, kw_only=True)
class DiagnosticReport:
    """One finding."""

    code: str
    """Row of the code table."""
    severity: Level
    """How bad."""
    message: str
    """One sentence."""
    primary: LabelReport | None = None
    """The place it is about."""
    related: list[LabelReport]
    """Other places that matter."""
    notes: list[str]
    """What to do, what else to know."""


@dataclass(frozen=True, kw_only=True)
class LabelReport:
    """A place and what happens there."""

    at: Location
    """Where."""
    text: str
    """What; may be empty."""
    cuda: CudaLocation | None = None
    """Where the CUDA source has it."""


@dataclass(frozen=True, kw_only=True)
class AssumptionReport:
    """One assumption."""

    kind: str
    """Machine-readable kind: `rounding_ignored`, …"""
    text: str
    """One sentence."""
    count: int
    """How often it was made."""
    first: Location | None = None
    """Where it was made first."""


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Milliseconds."""

    parse: float
    """Parsing and lowering."""
    simulate: float
    """Executing both kernels."""
    decide: float
    """Comparing outputs."""
    check: float
    """Re-checking."""
    total: float
    """Everything."""


@dataclass(frozen=True, kw_only=True)
class Combination:
    """One combination of a sweep."""

    values: list[int]
    """The values of the names."""
    spec: str
    """The spec with these values."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a sweep asks."""

    names: list[str]
    """The names, in file order."""
    combinations: list[Combination]
    """The combinations, smallest first."""


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """The answers to all combinations of a spec with `[sweep]`."""

    format: int
    """Version of this shape."""
    version: str
    """Version of Warpproof."""
    verdict: Verdict
    """The answer: of a combination that is not fine, if there is one (`shown`)."""
    summary: str
    """The answer in plain sentences."""
    names: list[str]
    """The names that are swept."""
    combinations: list[CombinationReport]
    """The combinations in the order in which they were asked, smallest first."""
    rows: list[SweepRow]
    """The same with neighbours of equal verdicts put together."""
    shown: ShownCombination | None = None
    """The smallest combination that is not fine."""
    sizes: SizesReport | None = None
    """What is proved for every size, where a range has no end: the combinations are samples then."""
    assumptions: list[AssumptionReport]
    """What all these answers rest on, added up."""
    time: float | None = None
    """Milliseconds that everything took."""


@dataclass(frozen=True, kw_only=True)
class SizesReport:
    """What is proved for every size."""

    proved: bool
    """No data race, no access out of bounds and no barrier divergence in any kernel, for any size."""
    every: str
    """Which sizes: `every N ≥ 1`."""
    kernels: list[KernelSizes]
    """Each kernel; each for each combination of the names that are not open."""


@dataclass(frozen=True, kw_only=True)
class KernelSizes:
    """What is proved of one kernel for every size."""

    side: TextSource
    """Which kernel."""
    kernel: str
    """Its name as its author wrote it."""
    case: str
    """The names that are not open: `block = 32`; empty if all are."""
    proved: bool
    """Whether it is proved."""
    reason: str | None = None
    """Why it is not."""
    at: Location | None = None
    """The instruction that it is about."""
    other: Location | None = None
    """The other one, of a pair."""
    cuda: CudaLocation | None = None
    """Where the CUDA source has the instruction."""


@dataclass(frozen=True, kw_only=True)
class CombinationReport:
    """The answer to one combination of a sweep."""

    values: list[int]
    """The values of the names."""
    verdict: Verdict | None = None
    """Its verdict; absent if it was not asked."""
    summary: str
    """Its verdict in one sentence; empty if it was not asked."""
    time: float | None = None
    """Milliseconds that it took."""


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """Neighbouring combinations with one verdict."""

    title: str
    """Which ones: `N = 33 … 63, block = 64`."""
    verdict: Verdict | None = None
    """The verdict of all of them; absent if they were not asked."""
    count: int
    """How many they are."""
    first: int
    """The place of the first in `combinations`."""


@dataclass(frozen=True, kw_only=True)
class ShownCombination:
    """A combination that is not fine, in full."""

    at: int
    """Its place in `combinations`."""
    title: str
    """`N = 33, block = 64`"""
    report: Report
    """Its report."""


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What a kernel computes, as a formula that was proved."""

    formula: str | None = None
    """The formula, in the language of formulas; absent where no short one was found."""
    forms: FormulaForms | None = None
    """The same for other readers."""
    outputs: list[ToldOutput]
    """The outputs, and which of them the formula gives."""
    checked: list[CheckedFormula]
    """What was proved: at the sizes that were asked about, then at others. Empty without a formula."""
    report: Report
    """The analysis of the kernel; its assumptions are those of the proof, where there is a formula."""


@dataclass(frozen=True, kw_only=True)
class FormulaForms:
    """A formula in other languages."""

    numpy: str | None = None
    """For NumPy: a program that defines what NumPy lacks; absent where that cannot be written."""
    torch: str | None = None
    """For PyTorch, likewise."""
    latex: str | None = None
    """For LaTeX: an `align*`."""


@dataclass(frozen=True, kw_only=True)
class ToldOutput:
    """One output of a kernel that tells its formula."""

    tensor: str
    """Its name."""
    formula: str | None = None
    """Its assignment; absent where none was found."""


@dataclass(frozen=True, kw_only=True)
class CheckedFormula:
    """A proof that a kernel computes a formula."""

    sizes: str
    """The scalars and shapes it is for: `n = 64, x[64], y[64]`."""
    elements: int
    """Elements that were compared."""
    unwritten: int
    """Elements that this launch does not write."""


@dataclass(frozen=True, kw_only=True)
class Inference:
    """What the PTX shows before anything runs: the page's launch strip."""

    kernels: list[InferredKernel]
    """The kernels: reference and optimized, or the only one."""
    missing: list[str]
    """Values that only the user can give, as the spec would have them: `optimized.entry`, `launch.block`, `scalars.n`."""
    spec: str
    """The spec with everything inferred written out."""
    diagnostics: list[DiagnosticReport]
    """What is wrong so far."""
    formula: bool
    """The reference is a formula."""


@dataclass(frozen=True, kw_only=True)
class NamedEntry:
    """One `.entry` of a module."""

    name: str
    """As in PTX."""
    title: str
    """The same as its author wrote it: `softmax<float, 256>`."""


@dataclass(frozen=True, kw_only=True)
class InferredKernel:
    """One kernel of an `Inference`."""

    side: TextSource
    """Which."""
    entries: list[NamedEntry]
    """All entries of the module."""
    entry: str | None = None
    """The entry that will run, if it could be chosen."""
    title: str | None = None
    """The same as its author wrote it: `softmax<float, 256>`."""
    grid: list[int]
    """CTAs along x, y, z."""
    block: list[int]
    """Threads along x, y, z; 1 each where neither PTX nor spec says it."""
    block_known: bool
    """Whether one of them says it."""
    proposed_blocks: list[list[int]]
    """Blocks to try where neither says it, the likeliest first: two-dimensional ones for a kernel that reads `%tid.y`."""
    required_block: list[int] | None = None
    """Whether the block is given by the PTX itself."""
    shared_bytes: int
    """Static shared memory, bytes."""
    dynamic_shared: bool
    """Whether the kernel uses dynamic shared memory."""
    parameters: list[InferredParameter]
    """Its parameters, in order; then the module variables that the host may set."""


@dataclass(frozen=True, kw_only=True)
class InferredParameter:
    """One kernel parameter."""

    name: str
    """As in PTX."""
    kind: str
    """`pointer`, `integer`, `float`, `struct`, `tensor map`."""
    declared: str
    """Declared type."""
    bound: str
    """The name it is bound to: a tensor or scalar of the spec. Empty for literals."""
    element: str
    """Element type of what it points to, or the scalar's type; empty if not known."""
    shape: list[int]
    """Extents from the spec, if a tensor with a shape."""
    role: str
    """Role from the spec; empty if left to the run."""
    value: str
    """Its value, if a concrete number."""
    needs_value: bool
    """Whether only the user can say its value."""
