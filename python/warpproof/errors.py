"""What is raised: questions that cannot be asked. Verdicts are values and never raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import model

if TYPE_CHECKING:
    from .reports import Report


class WarpproofError(Exception):
    """The base of everything that this package raises of its own."""


class MissingPackage(WarpproofError, ImportError):
    """Something needs another package (NVRTC, Triton, NumPy), which is not installed."""


class CompileError(WarpproofError, ValueError):
    """CUDA source does not compile; the text is the compiler's."""


class TraceError(WarpproofError, TypeError):
    """A Python function does something that a formula cannot say."""


class Unusable(WarpproofError, ValueError):
    """PTX, spec or formula cannot be used. The text is what the terminal shows.

    ``code`` is the diagnostic's (``P001``, see ``warpproof explain``), ``message`` its sentence, ``location`` its
    place (``location.source``, ``.line``, ``.column``, ``.excerpt``) or None, ``notes`` what to do, and ``report``
    the whole report (of ``infer``: None).
    """

    def __init__(
        self, text: str, diagnostic: model.DiagnosticReport | None, report: Report | None = None
    ) -> None:
        super().__init__(text)
        self.code: str = diagnostic.code if diagnostic else ""
        self.message: str = diagnostic.message if diagnostic else text
        self.location: model.Location | None = (
            diagnostic.primary.at if diagnostic and diagnostic.primary else None
        )
        self.notes: list[str] = diagnostic.notes if diagnostic else []
        self.report = report


class InvalidPtx(Unusable):
    """The PTX does not parse or resolve."""


class InvalidSpec(Unusable):
    """The spec, or a formula, is wrong or incomplete."""
