"""Softmax of each row, one program a row."""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    if MASKED:
        values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    else:  # what a hurried author writes
        values = tl.load(x + row * columns + at, mask=inside, other=0.0)
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * columns + at, numerator / tl.sum(numerator, axis=0), mask=inside)
