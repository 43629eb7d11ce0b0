"""The kernels of `test_kernels`, in a file of their own, since they can be imported only where Triton is installed."""

import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr, FACTOR: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, FACTOR * tl.load(x + at, mask=at < n), mask=at < n)


tuned = triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=["n"])(scale)
both = triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=["n"])(
    triton.heuristics({"FACTOR": lambda given: 3})(scale)
)
