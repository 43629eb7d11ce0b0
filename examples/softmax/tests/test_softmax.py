"""The Triton kernel."""

import pytest
import warpproof
from warpproof.testing import assert_equivalent

import references

pytest.importorskip("triton")

from kernels.softmax import softmax  # noqa: E402


def question(columns, masked=True, target=80):
    kernel = warpproof.from_triton(
        softmax,
        signature={"x": "*fp32", "y": "*fp32", "columns": "i32"},
        constants={"BLOCK": 128, "MASKED": masked},
        grid=3,
        target=target,
    )
    sizes = {"x": (3, columns), "y": (3, columns)}
    return {"optimized": kernel, "tensors": sizes, "scalars": {"columns": columns}, "launch": {"ctas": "all"}}


@pytest.mark.warpproof
@pytest.mark.parametrize("target", [80, 90])
@pytest.mark.parametrize("columns", [128, 100, 1])
def test_every_element_of_every_row(columns, target):
    assert_equivalent(reference=references.softmax, **question(columns, target=target))


@pytest.mark.warpproof
def test_a_missing_mask_is_found():
    report = warpproof.check(reference=references.softmax, **question(100, masked=False))
    assert report.verdict == "not_equivalent"
    numpy = pytest.importorskip("numpy")
    # The counterexample can be given to the real kernel, and to the reference.
    x = report.inputs()["x"]
    assert numpy.allclose(references.softmax(x).sum(axis=-1), 1)
