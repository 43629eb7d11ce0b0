"""The questions: what is asked, put into the engine's words, and what comes back.

A question runs in this process, on threads of its own and without Python's lock; Ctrl-C stops it. What is asked of
the engine are texts: kernels as PTX, everything else as the text of one spec.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Union

from . import _engine, answers, kernels, model, specs, tracing
from .errors import InvalidPtx, InvalidSpec, Place
from .kernels import Kernel, KernelLike
from .reports import Report, Telling, read
from .specs import SpecLike

ReferenceLike = Union[KernelLike, Callable[..., Any]]
"""A kernel, the text of a formula, the path of either, or a Python function over arrays."""


@dataclass(frozen=True)
class Limits:
    """How much a question may take."""

    time: int = 120
    """Seconds."""
    fuel: int | None = None
    """Thread-instructions that each kernel may execute; None for the command line's."""
    memory: int | None = None
    """MiB that each kernel's run may hold; None for the command line's."""
    threads: int | None = None
    """Threads to use; None for one for each core."""
    proof: Literal["any", "exact"] = "any"
    """What a proof may rest on: "exact" leaves out evaluation at random points."""

    def __post_init__(self) -> None:
        if self.proof not in ("any", "exact"):
            raise ValueError(f"`proof` is 'any' or 'exact', not {self.proof!r}")
        for name in ("time", "fuel", "memory", "threads"):
            value = getattr(self, name)
            whole = hasattr(value, "__index__") and 0 <= value < 1 << 64
            if not whole and (value is not None or name == "time"):
                raise ValueError(f"`{name}` is a whole number from 0 on, not {value!r}")

    @property
    def exact(self) -> bool:
        return self.proof == "exact"


@dataclass(frozen=True)
class Question:
    """The texts that the engine is asked about."""

    optimized: str
    """PTX."""
    reference: str | None
    """PTX; None where the spec has a formula, or there is none."""
    spec: str
    """TOML."""
    single: bool
    """Only the optimized kernel is looked at."""
    optimized_name: str = "optimized.ptx"
    reference_name: str = "reference.ptx"
    spec_name: str = "spec.toml"


def check(
    optimized: KernelLike | None = None,
    reference: ReferenceLike | None = None,
    *,
    tensors: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Any] | None = None,
    launch: Mapping[str, Any] | None = None,
    options: Mapping[str, bool] | None = None,
    spec: SpecLike = None,
    limits: Limits = Limits(),
    cache: str | PathLike[str] | None = None,
) -> Report:
    """Whether a kernel computes what its reference computes, for all inputs.

    ``optimized``
        The kernel: PTX text, a path (``.ptx``, ``.cu``), CUDA source, a compiled kernel with ``asm["ptx"]``, or
        what `from_triton` and `from_cuda` give. May be left out if ``spec`` is a file that names the PTX.
    ``reference``
        Another kernel, in the same forms; the text of a formula (``"y = softmax(x)"``) or the path of one
        (``.py``); or a Python function whose parameters are tensors and scalars and that returns one array, or a
        dict of outputs (`warpproof.arrays`). May be left out if ``spec`` has it.
    ``tensors``
        From names to shapes (``(4, 128)``, also with expressions:
        ``("n", 128)``), to arrays of NumPy or PyTorch, of which shape and type count, or to what a spec says under
        ``[tensors.NAME]`` (``{"type": "f16", "shape": [4, 128], "role": "out"}``). Row-major. The names are those of
        the kernel's parameters, in any order, where it has some: Triton, TileLang, CUDA source and PTX that does not
        number its parameters. Where it has none, they are yours, in the order of its pointers.
    ``scalars``
        From names, likewise, to numbers, expressions (``"2 * n"``), or what a spec
        says (``{"type": "f32"}`` for one that may have any value).
    ``launch``
        ``grid``, ``block`` (a number, or up to three), ``ctas`` ("all", or a list of CTAs), ``dynamic_shared``.
    ``options``
        Those of the spec: ``collectives_order_memory``, ``exact_constants``, ``same_value_stores_race``,
        ``tensor_fences_implied``.
    ``spec``
        A spec as TOML text, as a path (``.toml``) or as a dict; the other arguments win over it (docs/spec.md).
    ``limits``
        How much the question may take.
    ``cache``
        A folder that keeps answers, and what CUDA source is compiled to: what is there is not asked for again.

    Every verdict is a value. Raises `InvalidPtx` and `InvalidSpec` with code and place for what cannot be used,
    and what `kernels.read` and `tracing.trace` raise.
    """
    arguments: dict[str, Any] = {"tensors": tensors, "scalars": scalars, "launch": launch, "options": options}
    specs.require_dicts(**arguments)
    text, table, folder = specs.load(spec)
    kernel = _kernel(optimized, "optimized", table, folder, cache)
    if reference is None and "formula" not in table:
        reference = _file("reference", table, folder)
        if reference is None:
            raise TypeError("check compares: give a `reference`, or use `analyze`")
    other, formula = _reference(reference, cache)
    sides = _named({"optimized": kernel, "reference": other}, table, tensors, scalars, limits)
    traced: tuple[Callable[..., Any], list[Place | None]] | None = None
    if callable(formula):
        alone = specs.lay_over(text, table, sides={"optimized": sides["optimized"]}, **arguments)
        names = _formula_names(_question(kernel, None, alone, True, spec), table, tensors, scalars, limits)
        function = formula
        formula, places = tracing.trace_with_places(function, names)
        traced = (function, places)
    written = specs.lay_over(text, table, formula=formula, sides=sides, **arguments)
    question = _question(kernel, other, written, False, spec)
    try:
        return ask(question, limits, cache)
    except InvalidSpec as error:
        if traced:
            raise _in_python(error, written, *traced) from None
        raise


def _in_python(
    error: InvalidSpec, spec: str, function: Callable[..., Any], places: list[Place | None]
) -> InvalidSpec:
    """The same error, with its place in the Python function that the formula was traced from."""
    first, lines = error.location, spec.splitlines()
    start = next((at for at, line in enumerate(lines, 1) if line.startswith('code = """')), None)
    if start is None or first is None or not 1 <= first.line - start <= len(places):
        return error
    place = places[first.line - start - 1]
    if place is None:
        return error
    name = getattr(function, "__name__", "the function")
    note = f"this line of the formula was traced from `{name}`, {place}: {place.excerpt.strip()}"
    told = InvalidSpec(f"{error}\n{note}", None, error.report)
    told.code, told.message, told.location, told.notes = error.code, error.message, place, [*error.notes, note]
    return told


def analyze(
    kernel: KernelLike | None = None,
    *,
    tensors: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Any] | None = None,
    launch: Mapping[str, Any] | None = None,
    options: Mapping[str, bool] | None = None,
    spec: SpecLike = None,
    limits: Limits = Limits(),
) -> Report:
    """Races, deadlocks and stray accesses of one kernel, and what it computes. Arguments as for `check`."""
    return ask(
        _single(kernel, spec, limits, tensors=tensors, scalars=scalars, launch=launch, options=options), limits
    )


def explain_kernel(
    kernel: KernelLike | None = None,
    *,
    tensors: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Any] | None = None,
    launch: Mapping[str, Any] | None = None,
    options: Mapping[str, bool] | None = None,
    spec: SpecLike = None,
    limits: Limits = Limits(),
) -> Telling:
    """What a kernel computes, as a formula that was proved: ``.formula``, and ``.forms`` for NumPy, PyTorch and
    LaTeX; None where no short one was found. Arguments as for `check`.

    Where the time is up, the verdict of ``.report`` is "resource_limit", and there is no formula. Raises `TimeoutError`
    if the engine does not even stop then."""
    question = _single(kernel, spec, limits, tensors=tensors, scalars=scalars, launch=launch, options=options)
    answer = _engine.tell(question, limits)
    if answer is None:
        raise TimeoutError(f"no formula within {limits.time} seconds")
    found, shown, status = answer
    values = json.loads(found)
    report = read(Report, values.pop("report"), text=shown, exit_status=status, question=question)
    _raise_unusable(report)
    return read(Telling, values, report=report, text=shown)


def infer(
    optimized: KernelLike,
    reference: ReferenceLike | None = None,
    *,
    spec: SpecLike = None,
    limits: Limits = Limits(),
) -> model.Inference:
    """What kernels and spec show before anything runs: ``.spec`` with everything filled in, ``.missing`` names,
    ``.kernels`` with parameters. Raises `InvalidPtx` where no kernel can be read."""
    text, table, folder = specs.load(spec)
    kernel = _kernel(optimized, "optimized", table, folder)
    other, formula = _reference(reference)
    if callable(formula):
        raise TypeError(
            "infer reads kernels and formulas: a Python function shows nothing before it is traced"
        )
    sides = {"optimized": kernel, "reference": other}
    if not _has_names(table):
        sides = {
            side: it and _with_own_names(it, specs.section(table, side), limits) for side, it in sides.items()
        }
    written = specs.lay_over(text, table, formula=formula, sides=sides)
    return _inference(_question(kernel, other, written, other is None and formula is None, spec), limits)


def ask(question: Question, limits: Limits = Limits(), cache: str | PathLike[str] | None = None) -> Report:
    """Asks what `check` and `analyze` ask, given as texts."""
    found, text, status = answers.ask(question, limits, cache)
    report = read(Report, json.loads(found), text=text, exit_status=status, question=question)
    _raise_unusable(report)
    return report


def _single(kernel: KernelLike | None, spec: SpecLike, limits: Limits, **arguments: Any) -> Question:
    """A question about one kernel."""
    specs.require_dicts(**arguments)
    text, table, folder = specs.load(spec)
    chosen = _kernel(kernel, "optimized", table, folder)
    given = (arguments.get("tensors"), arguments.get("scalars"))
    sides = _named({"optimized": chosen}, table, *given, limits)
    written = specs.lay_over(text, table, sides=sides, **arguments)
    return _question(chosen, None, written, True, spec)


def _named(
    kernels: Mapping[str, Kernel | None],
    table: Mapping[str, Any],
    tensors: Mapping[str, Any] | None,
    scalars: Mapping[str, Any] | None,
    limits: Limits,
) -> dict[str, Kernel | None]:
    """Kernels whose parameters have the names of the arguments: their own where they have some, which the arguments
    have to use; else, in the order of the arguments, pointers by the tensors and the others by the scalars. As they
    are where a spec has names, or where there are not as many, of which the engine knows what to say.

    Raises `InvalidSpec` for a tensor that is no parameter."""
    sides = dict(kernels)
    if _has_names(table) or not tensors:
        return sides
    own: dict[str, list[str]] = {}
    numbered = False
    taken = [name for name, value in tensors.items() if not _has_contents(value)]
    for side, kernel in kernels.items():
        written = specs.section(table, side)
        if kernel is None:
            continue
        parameters = [] if "args" in written else _parameters(kernel, written, limits)
        declared = _declared(parameters)
        names = _names(kernel, declared)
        if names is None:
            numbered = True
            if declared:
                args = _in_order(declared, tensors, scalars or {})
                sides[side] = replace(kernel, args=args) if args else kernel
            continue
        own[side] = names + [it.bound for it in parameters[len(declared) :]]
        if kernel.args is None and all(name in own[side] for name in taken):
            sides[side] = replace(kernel, args=tuple(names))
    for name in taken:
        if own and not numbered and all(name not in names for names in own.values()):
            raise _no_parameter(name, own)
    return sides


def _has_names(table: Mapping[str, Any]) -> bool:
    """Whether a spec names tensors or scalars, which the engine then matches with parameters."""
    return bool(table.get("tensors") or table.get("scalars"))


def _with_own_names(kernel: Kernel, written: Mapping[str, Any], limits: Limits) -> Kernel:
    """The kernel with the names that its source has for parameters that the PTX only numbers."""
    if kernel.args is not None or kernel.names is None or "args" in written:
        return kernel
    names = _names(kernel, _declared(_parameters(kernel, written, limits)))
    return replace(kernel, args=tuple(names)) if names else kernel


def _declared(parameters: list[model.InferredParameter]) -> list[model.InferredParameter]:
    """Without the module's variables."""
    return [it for it in parameters if not it.declared.startswith((".global", ".const"))]


def _names(kernel: Kernel, declared: list[model.InferredParameter]) -> list[str] | None:
    """What a kernel's author calls its parameters, if that is known."""
    if kernel.args is not None:
        return [it.bound for it in declared if it.bound] or [it for it in kernel.args if isinstance(it, str)]
    if not declared or any(it.kind not in ("pointer", "integer", "float") for it in declared):
        return None
    if kernel.names is not None and len(kernel.names) == len(declared):
        return list(kernel.names)
    names = [it.name for it in declared]
    return None if any(re.search(r"param_\d+$", name) for name in names) else names


def _in_order(
    declared: list[model.InferredParameter], tensors: Mapping[str, Any], scalars: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """Names of arguments for parameters that have none; None where there are not as many."""
    pointers = sum(it.kind == "pointer" for it in declared)
    # What nothing reads may be either.
    unread = [it for it in declared if it.kind == "integer" and not it.needs_value and "64" in it.declared]
    more = len(tensors) - pointers
    if more not in (0, len(unread)) or len(tensors) + len(scalars) != len(declared):
        return None
    if any(it.kind not in ("pointer", "integer", "float") for it in declared):
        return None
    names = {True: iter(tensors), False: iter(scalars)}
    return tuple(next(names[it.kind == "pointer" or (more > 0 and it in unread)]) for it in declared)


def _parameters(
    kernel: Kernel, written: Mapping[str, Any], limits: Limits
) -> list[model.InferredParameter]:
    """What a kernel takes; nothing where its PTX cannot be read, which is told where it is asked about."""
    known = {"entry": kernel.entry or written.get("entry"), "args": kernel.args and list(kernel.args)}
    spec = specs.write({"optimized": {key: value for key, value in known.items() if value}})
    try:
        return _inference(_question(kernel, None, spec, True, None), limits).kernels[0].parameters
    except InvalidPtx:
        return []


def _no_parameter(name: str, own: Mapping[str, list[str]]) -> InvalidSpec:
    message = f"no kernel has a parameter `{name}`, which `tensors` names"
    notes = [f"the {side} kernel has {', '.join(f'`{it}`' for it in names)}" for side, names in own.items()]
    notes.append(
        "name tensors and scalars as the kernel does, in any order; or give its parameters your names, in their order: "
        "`from_cuda(…, args=[…])`, or `spec={\"optimized\": {\"args\": […]}}`"
    )
    found = model.DiagnosticReport(
        code="V010", severity="error", message=message, primary=None, related=[], notes=notes
    )
    return InvalidSpec("\n".join([message, *notes]), found)


def _raise_unusable(report: Report) -> None:
    kinds = {"invalid_ptx": InvalidPtx, "invalid_spec": InvalidSpec}
    if report.verdict in kinds:
        first = next((found for found in report.diagnostics if found.severity == "error"), None)
        raise kinds[report.verdict](report.text, first, report)


def _inference(question: Question, limits: Limits) -> model.Inference:
    inference = read(model.Inference, json.loads(_engine.infer(question, limits)))
    if not inference.kernels or any(kernel.entry is None for kernel in inference.kernels):
        first = next((found for found in inference.diagnostics if found.severity == "error"), None)
        raise InvalidPtx(first.message if first else "there is no kernel in the PTX", first)
    return inference


def _question(kernel: Kernel, other: Kernel | None, spec: str, single: bool, given: SpecLike) -> Question:
    names = {"optimized_name": kernel.name}
    if other:
        names["reference_name"] = other.name
    if isinstance(given, PathLike) or kernels.is_path(given):
        names["spec_name"] = str(given)
    return Question(kernel.ptx, other.ptx if other else None, spec, single, **names)


def _file(side: str, table: Mapping[str, Any], folder: Path | None) -> Path | None:
    """The PTX that a spec file names."""
    ptx = specs.section(table, side).get("ptx")
    return folder / ptx if folder is not None and isinstance(ptx, str) else None


def _kernel(
    kernel: KernelLike | None,
    side: str,
    table: Mapping[str, Any],
    folder: Path | None,
    cache: str | PathLike[str] | None = None,
) -> Kernel:
    chosen = kernel if kernel is not None else _file(side, table, folder)
    if chosen is None:
        raise TypeError("which kernel? Give one, or the path of a spec that names its PTX")
    return kernels.read(chosen, cache)


def _reference(
    reference: ReferenceLike | None, cache: str | PathLike[str] | None = None
) -> tuple[Kernel | None, str | Callable[..., Any] | None]:
    """A reference as a kernel, or as a formula: its text, or the function."""
    if reference is None:
        return None, None
    if callable(reference) and not hasattr(reference, "asm") and not kernels.is_triton(reference):
        return None, reference
    path = Path(reference) if isinstance(reference, PathLike) or kernels.is_path(reference) else None
    if path and path.suffix == ".py":
        return None, path.read_text(encoding="utf-8")
    if isinstance(reference, str) and not path and not kernels.is_kernel(reference):
        return None, reference
    return kernels.read(reference, cache), None


def _formula_names(
    question: Question,
    table: Mapping[str, Any],
    tensors: Mapping[str, Any] | None,
    scalars: Mapping[str, Any] | None,
    limits: Limits,
) -> tracing.Names:
    """What a formula can name: what kernel, spec and arguments call tensors and scalars."""
    try:
        found = _inference(question, limits).kernels
    except InvalidPtx:
        ask(question, limits)  # says it, and what else is wrong
        raise
    parameters = [it for kernel in found for it in kernel.parameters if it.bound]
    given = {**specs.section(table, "tensors"), **(tensors or {})}
    role = {name: value.get("role", "") for name, value in given.items() if isinstance(value, Mapping)}
    inputs = {name for name in given if role.get(name) in ("in", "scratch") or _has_contents(given[name])}
    pointers = [it.bound for it in parameters if it.kind not in ("integer", "float")]
    known = {*given, *specs.section(table, "scalars"), *(scalars or {}), *(it.bound for it in parameters)}
    return tracing.Names(
        known=frozenset(known),
        tensors=frozenset([*given, *pointers]),
        unnamed=tuple(name for name in given or pointers if name not in inputs),
        outputs=frozenset(name for name in given if role.get(name) in ("out", "inout")),
    )


def _has_contents(value: Any) -> bool:
    """Whether numbers of a spec are meant, whoever takes them."""
    return isinstance(value, Mapping) and "contents" in value
