"""What comes back: reports, formulas told, and what was inferred, as typed values.

The fields are those of the engine's JSON (`model`), read as they are; here they get a text, HTML, a link, and
inputs as NumPy arrays.
"""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from . import links, model, specs
from .errors import MissingPackage

if TYPE_CHECKING:
    from .questions import Question

PAGE = "http://localhost:4173/"
"""Where `npm start` serves the page."""

T = TypeVar("T")


@lru_cache(maxsize=None)
def _hints(kind: type) -> dict[str, Any]:
    """The types of the fields that the engine writes."""
    return get_type_hints(next(base for base in kind.__mro__ if base.__module__ == model.__name__))


def read(kind: type[T], value: Mapping[str, Any], **more: Any) -> T:
    """A value of `model`, or of a class made of one, from JSON; `more` are its other fields."""
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    return kind(**{key: _read(hints[key], item) for key, item in value.items()}, **more)


def _read(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(hint) in (Union, UnionType):
        return _read(next(part for part in get_args(hint) if part is not type(None)), value)
    if get_origin(hint) is list:
        return [_read(get_args(hint)[0], item) for item in value]
    return read(hint, value) if isinstance(value, dict) else value


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(model.Report):
    """The answer to a question, and its evidence. ``str()`` is what the terminal shows.

    Verdicts are values: look at ``verdict``, or ``holds``.
    """

    text: str
    """The report as the terminal shows it."""
    exit_status: int
    """0 the property holds, 1 it does not, 2 no answer."""
    question: Question
    """What was asked."""

    @property
    def holds(self) -> bool:
        """Whether the property holds; False where there is no answer, too."""
        return self.exit_status == 0

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Report {self.verdict}: {self.summary}>"

    def link(self, page: str | None = None) -> str:
        """The address that opens the page with this question, to have the verdict recomputed.

        ``page`` is where the page is served; by default what ``WARPPROOF_PAGE`` says, else `PAGE`. Everything is in
        the fragment, which no server sees.
        """
        asked = self.question
        address = page or os.environ.get("WARPPROOF_PAGE") or PAGE
        verdict = f"{self.verdict} {self.version}"
        return address + links.fragment(
            asked.reference or "", asked.optimized, asked.spec, asked.single, verdict
        )

    def inputs(self) -> dict[str, Any]:
        """The inputs of the counterexample, or those that reach the fault: arrays of each tensor's shape and type.

        A tensor without a shape in the spec has as many elements as matter. Numbers of types that NumPy lacks
        (bf16, tf32, e4m3, e5m2, ue8m0) are float32. Scalars are numbers. What holds what the PTX declares is left out.
        Empty where the report has no inputs. Raises `MissingPackage` without NumPy.
        """
        found = self.counterexample or self.reached_by
        arrays = {values.name: _array(values, found.spec) for values in found.inputs} if found else {}
        return {name: array for name, array in arrays.items() if array is not None}

    def _repr_html_(self) -> str:
        tone = {0: "#1a7f37", 1: "#cf222e"}.get(self.exit_status, "#9a6700")
        word = html.escape(self.verdict.replace("_", " "))
        parts = [f'<p><b style="color:{tone}">{word}</b>. {html.escape(self.summary)}</p>']
        if differs := self.counterexample:
            values = {"reference": differs.reference_value, "optimized": differs.optimized_value}
            parts.append(_table([(f"{side} {differs.element}", value) for side, value in values.items()]))
        if found := (self.counterexample or self.reached_by):
            parts.append(_table([(inputs.name, _shown(inputs)) for inputs in found.inputs]))
        for race in self.races:
            parts.append(_table([_access(access, race.place) for access in (race.first, race.second)]))
        parts.append(f"<details><summary>report</summary><pre>{html.escape(self.text)}</pre></details>")
        parts.append(
            f'<p><a href="{html.escape(self.link())}" target="_blank" rel="noopener">open the page with it</a></p>'
        )
        return "\n".join(parts)


@dataclass(frozen=True, kw_only=True, repr=False)
class Telling(model.Telling):
    """What a kernel computes, as a formula that was proved. ``str()`` is what the terminal shows."""

    report: Report
    """The analysis of the kernel; its assumptions are those of the proof, where there is a formula."""
    text: str
    """The answer as the terminal shows it."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Telling {self.formula!r}>"


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th>{html.escape(head)}</th><td><code>{html.escape(value)}</code></td></tr>"
        for head, value in rows
    )
    return f"<table>{cells}</table>"


def _access(access: model.AccessReport, place: str) -> tuple[str, str]:
    return f"{access.thread.text} {access.action} {place}", f"line {access.at.line}: {access.instruction}"


def _shown(values: model.InputValues) -> str:
    """An input in a line."""
    if values.dense is not None:
        return ", ".join(values.dense)
    entries = [f"{entry.place} = {entry.value}" for entry in values.entries[:16]]
    more = [f"… ({len(values.entries) - 16} more)"] if len(values.entries) > 16 else []
    rest = [f"all others {values.rest}" if entries else values.rest] if values.rest else []
    return ", ".join([*entries, *more, *rest])


_NUMPY = {
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"s{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"{kind}{bits}": f"uint{bits}" for kind in "ub" for bits in (8, 16, 32, 64)},
}


def _number(text: str, whole: bool) -> int | float:
    text = text.replace("≈", "").replace("−", "-").replace("∞", "inf").replace(",", "").strip()
    if whole:
        return int(Fraction(text))
    return float(Fraction(text)) if "/" in text else float(text)


def _array(values: model.InputValues, spec: str) -> Any:
    """The values of an input, None if the spec does not have them."""
    try:
        import numpy
    except ImportError as missing:
        raise MissingPackage("inputs as arrays need NumPy: `pip install numpy`") from missing
    kind = numpy.dtype(_NUMPY.get(values.format, "float32"))
    whole = kind.kind in "iu"
    if values.scalar:
        return _number(values.entries[0].value if values.entries else values.rest, whole)
    shape = values.shape or [max((entry.index for entry in values.entries), default=0) + 1]
    size = int(numpy.prod(shape))
    if values.given and not values.rest:
        given = specs.contents(spec, values.name)
        if given is None:  # the PTX says what it holds
            return None
        flat = numpy.arange(size) if given == "iota" else numpy.array(given).reshape(-1)
        return flat.astype(kind).reshape(shape)
    array = numpy.full(size, _number(values.rest or "0", whole), kind)
    for entry in values.entries:
        array[entry.index] = _number(entry.value, whole)
    return array.reshape(shape)
