"""A kernel of `test_kernels`, in a file of its own, since it can be imported only where Triton is installed."""

import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr, FACTOR: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, FACTOR * tl.load(x + at, mask=at < n), mask=at < n)
