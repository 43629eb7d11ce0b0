"""Assertions about kernels, for pytest and any other test runner.

Under pytest (the plugin is there once the package is installed) unchanged kernels cost nothing: answers are kept in
pytest's cache, by content. ``@pytest.mark.warpproof(time=30)`` gives a test's questions their limits, and
``pytest -m warpproof`` runs the tests that are marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

from .kernels import KernelLike
from .questions import Limits, ReferenceLike, check
from .reports import Report
from .specs import SpecLike


@dataclass
class _Setting:
    """What the plugin sets for the test that runs."""

    cache: Path | None = None
    limits: Limits = Limits()


setting = _Setting()


def assert_equivalent(
    optimized: KernelLike | None = None,
    reference: ReferenceLike | None = None,
    *,
    tensors: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Any] | None = None,
    launch: Mapping[str, Any] | None = None,
    options: Mapping[str, bool] | None = None,
    spec: SpecLike = None,
    limits: Limits | None = None,
    cache: str | PathLike[str] | None = None,
) -> Report:
    """Fails unless the kernel is proved to compute what its reference computes; gives the report.

    Arguments are those of `warpproof.check`; without ``limits`` and ``cache``, the test's mark and pytest's cache count.
    *Unknown* fails, too, and so does every limit. The message is the report as the terminal shows it.
    """
    __tracebackhide__ = True
    report = check(
        optimized,
        reference,
        tensors=tensors,
        scalars=scalars,
        launch=launch,
        options=options,
        spec=spec,
        limits=setting.limits if limits is None else limits,
        cache=setting.cache if cache is None else cache,
    )
    if not report.holds:
        raise AssertionError(f"\n{report}")
    return report


def limits_of(marked: dict[str, Any], threads: int | None) -> Limits:
    """The limits that a mark gives; `threads` where it says nothing of them. Raises `ValueError` for others."""
    names = [field.name for field in fields(Limits)]
    if strange := [name for name in marked if name not in names]:
        raise ValueError(f"there is no limit {', '.join(strange)}: there are {', '.join(names)}")
    return replace(Limits(threads=threads), **marked)
