"""What is raised: questions that cannot be asked. Verdicts are values and never raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import model

if TYPE_CHECKING:
    from .reports import Report


@dataclass(frozen=True)
class Place:
    """A place in a file of the user's."""

    source: str
    """The file."""
    line: int
    """From 1."""
    excerpt: str = ""
    """The text of that line."""
    column: int = 1
    """From 1."""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"


class WarpproofError(Exception):
    """The base of everything that this package raises of its own."""

    location: model.Location | Place | None = None
    """The place that it is about, where that is known."""


class MissingPackage(WarpproofError, ImportError):
    """Something needs another package (NVRTC, Triton, NumPy), which is not installed."""


class CompileError(WarpproofError, ValueError):
    """CUDA source does not compile; the text is the compiler's. ``location`` is the place of its first error."""

    location: Place | None = None


class TraceError(WarpproofError, TypeError):
    """A Python function does something that a formula cannot say. ``location`` is the line that does."""

    location: Place | None = None


class Unusable(WarpproofError, ValueError):
    """PTX, spec or formula cannot be used. The text is what the terminal shows.

    ``code`` is the diagnostic's (``P001``, see ``warpproof explain``), ``message`` its sentence, ``location`` its
    place (``location.source``, ``.line``, ``.column``, ``.excerpt``) or None, ``notes`` what to do, and ``report``
    the whole report (of ``infer``: None). Where a formula is a Python function, the place is in that function's file.
    """

    def __init__(
        self, text: str, diagnostic: model.DiagnosticReport | None = None, report: Report | None = None
    ) -> None:
        super().__init__(text)
        self.code: str = diagnostic.code if diagnostic else ""
        self.message: str = diagnostic.message if diagnostic else text
        self.location: model.Location | Place | None = (
            diagnostic.primary.at if diagnostic and diagnostic.primary else None
        )
        self.notes: list[str] = diagnostic.notes if diagnostic else []
        self.report = report


class InvalidPtx(Unusable):
    """The PTX does not parse or resolve."""


class InvalidSpec(Unusable):
    """The spec, or a formula, is wrong or incomplete."""
