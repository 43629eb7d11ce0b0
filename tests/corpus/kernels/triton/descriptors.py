"""Kernels with tensor descriptors, whose tiles Triton copies as boxes (compute capability 9.0)."""

import triton
import triton.language as tl


@triton.jit
def scaled(x, y, ROWS: tl.constexpr, COLS: tl.constexpr, MUTANT: tl.constexpr):
    """Twice a matrix, tile by tile."""
    row, col = tl.program_id(0) * ROWS, tl.program_id(1) * COLS
    tile = x.load([col, row] if MUTANT == 1 else [row, col])
    y.store([row, col], tile * 2.0)


@triton.jit
def row_sums(x, y, n, ROWS: tl.constexpr, COLS: tl.constexpr, TILES: tl.constexpr, MUTANT: tl.constexpr):
    """The sums of rows, whose last tile reaches over the edge."""
    row = tl.program_id(0) * ROWS
    sums = tl.zeros((ROWS,), tl.float32)
    for tile in range(TILES - 1 if MUTANT == 1 else TILES):
        sums += tl.sum(x.load([row, tile * COLS]).to(tl.float32), 1)
    rows = row + tl.arange(0, ROWS)
    tl.store(y + rows, sums, rows < n)


@triton.jit
def added(x, y, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Adds tiles of several programs into one."""
    y.atomic_add([0, 0], x.load([tl.program_id(0) * ROWS, 0]))


@triton.jit
def made(x, y, m, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Twice a matrix, by descriptors that the kernel makes itself."""
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [ROWS, COLS])
    target = tl.make_tensor_descriptor(y, [m, n], [n, 1], [ROWS, COLS])
    at = [tl.program_id(0) * ROWS, tl.program_id(1) * COLS]
    target.store(at, source.load(at) * 2.0)
