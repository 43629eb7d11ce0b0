"""Assertions about kernels, for pytest and any other test runner.

Under pytest (the plugin is there once the package is installed) unchanged kernels cost nothing: answers are kept in
pytest's cache, by content. ``@pytest.mark.warpproof(time=30)`` gives a test's questions their limits, and
``pytest -m warpproof`` runs the tests that are marked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .kernels import KernelLike
from .questions import Limits, ReferenceLike, check
from .reports import Report


@dataclass
class _Setting:
    """What the plugin sets for the test that runs."""

    cache: Path | None = None
    limits: Limits = Limits()


setting = _Setting()


def assert_equivalent(
    optimized: KernelLike | None = None, reference: ReferenceLike | None = None, **question: Any
) -> Report:
    """Fails unless the kernel is proved to compute what its reference computes; gives the report.

    Arguments are those of `warpproof.check`. *Unknown* fails, too, and so does every limit. The message is the
    report as the terminal shows it.
    """
    __tracebackhide__ = True
    question.setdefault("limits", setting.limits)
    question.setdefault("cache", setting.cache)
    report = check(optimized, reference, **question)
    if not report.holds:
        raise AssertionError(f"\n{report}")
    return report


def limits_of(marked: dict[str, Any], threads: int | None) -> Limits:
    """The limits that a mark gives; `threads` where it says nothing of them."""
    return replace(Limits(threads=threads), **marked)
