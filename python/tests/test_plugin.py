"""The pytest plugin: assertions, limits, and answers that are kept."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import warpproof
from warpproof import cuda
from warpproof.testing import assert_equivalent

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


def test_marks_of_classes_and_functions_merge(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from warpproof.testing import setting

        pytestmark = pytest.mark.warpproof(time=7, memory=100)

        @pytest.mark.warpproof(time=5, threads=1)
        class TestAll:
            @pytest.mark.warpproof(fuel=10)
            def test_merged(self):
                limits = setting.limits
                assert (limits.time, limits.fuel, limits.memory, limits.threads) == (5, 10, 100, 1)
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("5", "*limits have names*time=5*"),
        ("tme=5", "*no limit tme*"),
        ("time=-1", "*`time` is a whole number*"),
    ],
)
def test_a_mark_that_means_nothing_fails(pytester: pytest.Pytester, mark: str, told: str) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.warpproof({mark})\ndef test(): pass\n")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([told])
    assert "Traceback" not in result.stdout.str()


def test_unchanged_source_is_not_compiled_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cuda.folder_of("nvidia.cuda_nvrtc") is None:
        pytest.skip("nvidia-cuda-nvrtc-cu12 is not installed")
    pytester.makepyfile(
        """
        import os
        import warpproof
        from warpproof import cuda
        from warpproof.testing import assert_equivalent

        SOURCE = 'extern "C" __global__ void k(const float *x, float *y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }'

        def test_kernel(monkeypatch):
            if os.environ.get("AGAIN"):
                monkeypatch.delattr(cuda, "_nvrtc")
            sizes = {"x": 8, "y": 8}
            for kernel in (SOURCE, warpproof.from_cuda(SOURCE, options=["--use_fast_math"])):
                assert_equivalent(kernel, "y = 2 * x", tensors=sizes, launch={"block": 8})
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    monkeypatch.setenv("AGAIN", "1")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_assertions_take_what_check_takes() -> None:
    taken = [inspect.signature(function).parameters for function in (assert_equivalent, warpproof.check)]
    assert [(it.name, it.kind) for it in taken[0].values()] == [
        (it.name, it.kind) for it in taken[1].values()
    ]
