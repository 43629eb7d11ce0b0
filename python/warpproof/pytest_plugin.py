"""The pytest plugin: the mark `warpproof`, its limits, and a cache of answers and of compiled CUDA source by content.

Safe under pytest-xdist: workers share the cache (`answers`), and each takes its share of the cores.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from . import cuda, testing


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "warpproof(time, fuel, memory, threads, proof): a test that proves kernels, and the limits of its questions",
    )
    cache: Any = getattr(config, "cache", None)  # absent with `-p no:cacheprovider`
    testing.setting.cache = cuda.kept_in = Path(cache.mkdir("warpproof")) if cache else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    threads = max(1, (os.cpu_count() or 1) // int(workers)) if workers else None
    marked: dict[str, Any] = {}
    for mark in item.iter_markers("warpproof"):  # the closest first
        if mark.args:
            pytest.fail(f"limits have names: `@pytest.mark.warpproof(time={mark.args[0]!r})`", pytrace=False)
        marked = {**mark.kwargs, **marked}
    try:
        testing.setting.limits = testing.limits_of(marked, threads)
    except (TypeError, ValueError) as wrong:
        pytest.fail(f"`@pytest.mark.warpproof`: {wrong}", pytrace=False)
