"""The pytest plugin: assertions, limits, and answers that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

BAD = Path(__file__).parents[2] / "tests/corpus/not_equivalent/softmax/n4_no_rescale.toml"
GOOD = sorted((Path(__file__).parents[2] / "tests/corpus/equivalent/softmax").glob("n4_*.toml"))[0]
TESTS = f"""
import pytest
import warpproof
from warpproof.testing import assert_equivalent, setting

@pytest.mark.warpproof(time=30)
@pytest.mark.parametrize("copy", range(4))
def test_good(copy):
    assert setting.limits.time == 30
    assert_equivalent(spec={str(GOOD)!r})

@pytest.mark.warpproof
def test_bad():
    assert_equivalent(spec={str(BAD)!r})

@pytest.mark.warpproof(fuel=1)
def test_limits():
    assert setting.limits.fuel == 1
    assert warpproof.check(spec={str(GOOD)!r}, limits=setting.limits).verdict == "resource_limit"

def test_other():
    assert setting.limits.time == 120
"""


def answers(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".pytest_cache/d/warpproof").iterdir())


@pytest.mark.parametrize("workers", [[], ["-n", "3"]])
def test_kernels_are_proved_once(pytester: pytest.Pytester, workers: list[str]) -> None:
    if workers:
        pytest.importorskip("xdist")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-W", "error::pytest.PytestUnknownMarkWarning", *workers)
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(["*not equivalent*", "*counterexample at y*"])
    first = answers(pytester.path)
    assert len(first) == 2 and all(name.endswith(".json") for name in first)
    # A kept answer is the answer: this one is changed by hand, and believed.
    for name in first:
        path = pytester.path / ".pytest_cache/d/warpproof" / name
        path.write_text(path.read_text().replace("not equivalent", "kept answer"))
    again = pytester.runpytest_subprocess(*workers)
    again.stdout.fnmatch_lines(["*kept answer*"])
    assert answers(pytester.path) == first


def test_marked_tests_can_be_chosen(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("-m", "not warpproof", "-p", "no:cacheprovider").assert_outcomes(
        passed=1, deselected=6
    )
