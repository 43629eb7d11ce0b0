"""The CUDA kernel."""

from pathlib import Path

import pytest
import warpproof
from warpproof.testing import assert_equivalent

import references

SOURCE = (Path(__file__).parents[1] / "kernels/rms_norm.cu").read_text()
QUESTION = {
    "tensors": {"x": (2, 128), "weight": 128, "y": (2, 128)},
    "scalars": {"eps": {"type": "f32"}},
    "launch": {"grid": 2, "block": 128, "ctas": "all"},
}


def compiled(source, *options):
    try:
        return warpproof.from_cuda(source, options=options, name="rms_norm.cu")
    except warpproof.MissingPackage as missing:
        pytest.skip(str(missing))


@pytest.mark.warpproof
@pytest.mark.parametrize("options", [(), ("--use_fast_math",)])
def test_every_element_whatever_the_weights(options):
    assert_equivalent(compiled(SOURCE, *options), references.rms_norm, **QUESTION)


@pytest.mark.warpproof
def test_the_barrier_is_needed():
    report = warpproof.check(
        compiled(SOURCE.replace("__syncthreads();", "")), references.rms_norm, **QUESTION
    )
    assert report.verdict == "data_race"
    assert report.races[0].place.startswith("partial")
