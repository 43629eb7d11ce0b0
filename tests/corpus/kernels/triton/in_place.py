"""Triton kernels that write over what they read, with fewer elements than threads.

Triton gives an element to several threads then: all of them load it, one of them stores. Nothing orders a load of
the others with that store, and nothing uses what they load.
"""

import triton
import triton.language as tl


@triton.jit
def rotated(q, cosines, sines, HEADS: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    """Rotary embedding: each program turns the halves of all heads of one token."""
    token = tl.program_id(0)
    places = tl.arange(0, BLOCK)
    inside = places < HALF
    cosine = tl.load(cosines + token * HALF + places, mask=inside, other=0.0)
    sine = tl.load(sines + token * HALF + places, mask=inside, other=0.0)
    for head in tl.static_range(HEADS):
        first = q + (token * HEADS + head) * 2 * HALF + places
        left = tl.load(first, mask=inside, other=0.0)
        right = tl.load(first + HALF, mask=inside, other=0.0)
        if MUTANT == 1:  # wrong: turned the other way
            tl.store(first, left * cosine + right * sine, mask=inside)
        else:
            tl.store(first, left * cosine - right * sine, mask=inside)
        if MUTANT == 2:  # wrong: the left half is read again, after it was written
            left = tl.load(first, mask=inside, other=0.0)
        tl.store(first + HALF, right * cosine + left * sine, mask=inside)


@triton.jit
def moved(x, N: tl.constexpr):
    """Missing: a barrier. Each element is stored over its left neighbour, which another thread may not have read."""
    places = tl.arange(0, N)
    values = tl.load(x + places + 1)
    tl.store(x + places, values)


@triton.jit
def ordered(x, N: tl.constexpr, MUTANT: tl.constexpr):
    """Sorts a row in place."""
    row = x + tl.program_id(0) * N + tl.arange(0, N)
    if MUTANT == 1:  # wrong: the other way round
        tl.store(row, tl.sort(tl.load(row), descending=True))
    else:
        tl.store(row, tl.sort(tl.load(row)))


@triton.jit
def largest(x, y, N: tl.constexpr, K: tl.constexpr):
    """The K largest of a row, the largest first."""
    values = tl.load(x + tl.program_id(0) * N + tl.arange(0, N))
    tl.store(y + tl.program_id(0) * K + tl.arange(0, K), tl.topk(values, K))
