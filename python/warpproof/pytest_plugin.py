"""The pytest plugin: the mark `warpproof`, its limits, and a cache of answers by content.

Safe under pytest-xdist: workers share the cache (`answers`), and each takes its share of the cores.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from . import testing


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "warpproof(time, fuel, memory, threads, proof): a test that proves kernels, and the limits of its questions",
    )
    cache: Any = getattr(config, "cache", None)  # absent with `-p no:cacheprovider`
    testing.setting.cache = Path(cache.mkdir("warpproof")) if cache else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    threads = max(1, (os.cpu_count() or 1) // int(workers)) if workers else None
    mark = item.get_closest_marker("warpproof")
    testing.setting.limits = testing.limits_of(dict(mark.kwargs) if mark else {}, threads)
