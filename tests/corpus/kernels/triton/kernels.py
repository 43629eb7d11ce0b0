"""Triton kernels of the corpus, written the way Triton's tutorials write them.

`compile_triton.py` compiles them; the sizes are its constants. Every program (CTA) of a row-wise
kernel handles one row.
"""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < COLUMNS
    if MUTANT == 1:  # wrong: the lanes behind the end count as zeros
        values = tl.load(x + row * COLUMNS + columns, mask=inside, other=0.0)
    elif MUTANT == 2:  # wrong: the rows are BLOCK apart
        values = tl.load(x + row * BLOCK + columns, mask=inside, other=-float("inf"))
    else:
        values = tl.load(x + row * COLUMNS + columns, mask=inside, other=-float("inf"))
    if MUTANT == 3:  # wrong: base 2
        numerator = tl.exp2(values - tl.max(values, axis=0))
    elif MUTANT == 4:  # no fault over the reals: without the maximum the floats may overflow
        numerator = tl.exp(values)
    else:
        numerator = tl.exp(values - tl.max(values, axis=0))
    if MUTANT == 5:  # wrong: divided by the largest instead of the sum
        result = numerator / tl.max(numerator, axis=0)
    else:
        result = numerator / tl.sum(numerator, axis=0)
    if MUTANT == 6:  # missing: the mask of the store
        tl.store(y + row * COLUMNS + columns, result)
    else:
        tl.store(y + row * COLUMNS + columns, result, mask=inside)


@triton.jit
def softmax_online(x, y, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    """Pass one keeps a running maximum and sum per lane, pass two divides."""
    row = tl.program_id(0)
    largest = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        values = tl.load(x + row * COLUMNS + start + tl.arange(0, BLOCK))
        most = tl.maximum(largest, values)
        if MUTANT == 1:  # missing: the lane's sum is not rescaled
            total = total + tl.exp(values - most)
        elif MUTANT == 2:  # wrong: rescaled the other way round
            total = total * tl.exp(most - largest) + tl.exp(values - most)
        else:
            total = total * tl.exp(largest - most) + tl.exp(values - most)
        if MUTANT == 3:  # wrong: the maximum moves on to the last value only
            largest = values
        else:
            largest = most
    most = tl.max(largest, axis=0)
    if MUTANT == 4:  # missing: the lanes' sums refer to different maxima
        whole = tl.sum(total, axis=0)
    else:
        whole = tl.sum(total * tl.exp(largest - most), axis=0)
    for start in range(0, COLUMNS - BLOCK if MUTANT == 5 else COLUMNS, BLOCK):  # mutant 5: the last block is not written
        places = row * COLUMNS + start + tl.arange(0, BLOCK)
        tl.store(y + places, tl.exp(tl.load(x + places) - most) / whole)


@triton.jit
def layer_norm(x, y, w, b, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    row = tl.program_id(0)
    x += row * COLUMNS
    y += row * COLUMNS
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + columns, mask=columns < COLUMNS, other=0.0)
    mean = tl.sum(total, axis=0) / COLUMNS
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + columns, mask=columns < COLUMNS, other=0.0)
        if MUTANT == 1:  # wrong: the padding takes part with (0 - mean)^2
            centred = values - mean
        else:
            centred = tl.where(columns < COLUMNS, values - mean, 0.0)
        squares += centred * centred
    variance = tl.sum(squares, axis=0) / COLUMNS
    if MUTANT == 2:  # wrong: epsilon outside the root
        scale = 1 / (tl.sqrt(variance) + 1e-5)
    elif MUTANT == 3:  # wrong: the sample variance
        scale = 1 / tl.sqrt(variance * (COLUMNS / (COLUMNS - 1)) + 1e-5)
    else:
        scale = 1 / tl.sqrt(variance + 1e-5)
    for start in range(0, COLUMNS, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        inside = columns < COLUMNS
        weight = tl.load(w + columns, mask=inside)
        bias = tl.load(b + columns, mask=inside)
        values = tl.load(x + columns, mask=inside, other=0.0)
        if MUTANT == 4:  # wrong: the bias is scaled too
            tl.store(y + columns, ((values - mean) * scale + bias) * weight, mask=inside)
        elif MUTANT == 5:  # missing: the mask of the store
            tl.store(y + columns, (values - mean) * scale * weight + bias)
        else:
            tl.store(y + columns, (values - mean) * scale * weight + bias, mask=inside)


@triton.jit
def rms_norm(x, y, w, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < COLUMNS
    values = tl.load(x + row * COLUMNS + columns, mask=inside, other=0.0)
    if MUTANT == 1:  # wrong: the mean over the block, not over the row
        mean_square = tl.sum(values * values, axis=0) / BLOCK
    elif MUTANT == 2:  # wrong: the square of the mean
        mean_square = tl.sum(values, axis=0) * tl.sum(values, axis=0) / (COLUMNS * COLUMNS)
    else:
        mean_square = tl.sum(values * values, axis=0) / COLUMNS
    if MUTANT == 3:  # missing: epsilon
        scale = tl.rsqrt(mean_square)
    elif MUTANT == 4:  # wrong: the root, not its reciprocal
        scale = tl.sqrt(mean_square + 1e-6)
    else:
        scale = tl.rsqrt(mean_square + 1e-6)
    if MUTANT == 5:  # wrong: the weight of the row, not of the column
        weight = tl.load(w + row)
    else:
        weight = tl.load(w + columns, mask=inside)
    tl.store(y + row * COLUMNS + columns, values * scale * weight, mask=inside)


@triton.jit
def gelu_erf(x, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    if MUTANT == 1:  # wrong: sqrt(2) where 1/sqrt(2) belongs
        tl.store(y + i, 0.5 * v * (1.0 + tl.math.erf(v * 1.4142135623730951)), mask=i < n)
    else:  # 2: the half is missing; 3: 1 is subtracted; 4: the argument's sign; 5: the last element is left out
        tl.store(y + i, (1.0 if MUTANT == 2 else 0.5) * v * ((-1.0 if MUTANT == 3 else 1.0) + tl.math.erf((0.0 - v if MUTANT == 4 else v) * 0.7071067811865476)), mask=i < (n - 1 if MUTANT == 5 else n))


@triton.jit
def gelu_tanh(x, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    """tanh(u) as 2 sigmoid(2u) - 1: Triton's language has no tanh of its own."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    if MUTANT == 1:  # wrong: the cube's factor is missing
        inner = 0.7978845608028654 * (v + v * v * v)
    elif MUTANT == 3:  # wrong: the square instead of the cube
        inner = 0.7978845608028654 * (v + 0.044715 * v * v)
    elif MUTANT == 4:  # wrong: 2/pi instead of its root
        inner = 0.6366197723675814 * (v + 0.044715 * v * v * v)
    else:
        inner = 0.7978845608028654 * (v + 0.044715 * v * v * v)
    if MUTANT == 2:  # wrong: sigmoid(u) where sigmoid(2u) belongs
        tanh = 2.0 * tl.sigmoid(inner) - 1.0
    else:
        tanh = 2.0 * tl.sigmoid(2.0 * inner) - 1.0
    if MUTANT == 5:  # missing: the half
        tl.store(y + i, v * (1.0 + tanh), mask=i < n)
    else:
        tl.store(y + i, 0.5 * v * (1.0 + tanh), mask=i < n)


@triton.jit
def silu(x, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if MUTANT == 4:  # wrong: programs overlap by half a block
        i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    if MUTANT == 3:  # missing: the mask of the load
        v = tl.load(x + i)
    else:
        v = tl.load(x + i, mask=i < n)
    if MUTANT == 1:  # wrong: the sign of the exponent
        tl.store(y + i, v / (1.0 + tl.exp(v)), mask=i < n)
    elif MUTANT == 2:  # missing: the factor v
        tl.store(y + i, tl.sigmoid(v), mask=i < n)
    elif MUTANT == 5:  # wrong: the last element is left out
        tl.store(y + i, v * tl.sigmoid(v), mask=i < n - 1)
    else:
        tl.store(y + i, v * tl.sigmoid(v), mask=i < n)


@triton.jit
def swiglu(gate, up, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < n).to(tl.float32)
    u = tl.load(up + i, mask=i < n).to(tl.float32)
    if MUTANT == 1:  # wrong: gate and up are swapped
        result = u * tl.sigmoid(u) * g
    elif MUTANT == 2:  # wrong: the gate is not multiplied by itself
        result = tl.sigmoid(g) * u
    elif MUTANT == 3:  # wrong: the sigmoid of the product
        result = g * tl.sigmoid(g * u)
    elif MUTANT == 4:  # wrong: the sigmoid twice
        result = g * tl.sigmoid(tl.sigmoid(g)) * u
    else:
        result = g * tl.sigmoid(g) * u
    if MUTANT == 5:  # wrong: one element further
        tl.store(y + i + 1, result.to(y.dtype.element_ty), mask=i < n)
    else:
        tl.store(y + i, result.to(y.dtype.element_ty), mask=i < n)


@triton.jit
def matmul(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr, MUTANT: tl.constexpr):
    """C = A B, row-major; one BM x BN tile per program."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    if MUTANT == 1:  # wrong: the stride of the other matrix
        pa = a + rows[:, None] * N + depth[None, :]
    else:
        pa = a + rows[:, None] * K + depth[None, :]
    pb = b + depth[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K - BK if MUTANT == 2 else K, BK):  # mutant 2: the last tile is skipped
        if MUTANT == 3:  # wrong: the sum starts over with every tile
            total = tl.dot(tl.load(pa), tl.load(pb), input_precision=PRECISION)
        else:
            total = tl.dot(tl.load(pa), tl.load(pb), total, input_precision=PRECISION)
        pa += BK
        if MUTANT == 4:  # wrong: one row of B further instead of a tile
            pb += N
        else:
            pb += BK * N
    if MUTANT == 5:  # wrong: the tile is stored transposed
        places = c + columns[None, :] * N + rows[:, None]
    else:
        places = c + rows[:, None] * N + columns[None, :]
    tl.store(places, total.to(c.dtype.element_ty))


@triton.jit
def flash(q, k, v, o, KEYS: tl.constexpr, DIM: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr,
          SCALE: tl.constexpr, CAUSAL: tl.constexpr, START: tl.constexpr, MUTANT: tl.constexpr):
    """FlashAttention-2, as in Triton's tutorial: exp2, the scale folded in, one division at the end."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    dims = tl.arange(0, DIM)
    keys = tl.arange(0, TILE)
    queries = tl.load(q + rows[:, None] * DIM + dims[None, :])
    largest = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, DIM], tl.float32)
    factor: tl.constexpr = SCALE * 1.4426950408889634
    for first in range(0, KEYS - TILE if MUTANT == 1 else KEYS, TILE):  # mutant 1: the last tile is skipped
        kt = tl.load(k + (first + keys)[None, :] * DIM + dims[:, None])
        score = tl.dot(queries, kt)
        if CAUSAL:
            if MUTANT == 2:  # wrong: the row's own key is masked
                seen = (START + rows)[:, None] > (first + keys)[None, :]
            elif MUTANT == 6:  # wrong: the rows begin at 0
                seen = rows[:, None] >= (first + keys)[None, :]
            elif MUTANT == 7:  # wrong: the key's place in the tile, not in K
                seen = (START + rows)[:, None] >= keys[None, :]
            else:
                seen = (START + rows)[:, None] >= (first + keys)[None, :]
            if MUTANT == 8:  # wrong: masked keys count as zero
                score = tl.where(seen, score, 0.0)
            else:
                score = tl.where(seen, score, -float("inf"))
        most = tl.maximum(largest, tl.max(score, 1) * factor)
        p = tl.math.exp2(score * (SCALE if MUTANT == 3 else factor) - most[:, None])  # mutant 3: log2(e) is missing
        rescale = tl.math.exp2(largest - most)
        if MUTANT == 4:  # missing: the old sum is not rescaled
            total = total + tl.sum(p, 1)
        else:
            total = total * rescale + tl.sum(p, 1)
        if MUTANT != 5:  # mutant 5: the old output is not rescaled
            out = out * rescale[:, None]
        vt = tl.load(v + (first + keys)[:, None] * DIM + dims[None, :])
        out = tl.dot(p.to(tl.float16), vt, out)
        largest = most
    out = out / total[:, None]
    tl.store(o + rows[:, None] * DIM + dims[None, :], out.to(o.dtype.element_ty))


@triton.jit
def claimed(x, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    """Twice a vector, backwards, with what its author claims of the places in comments of inline assembly."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    if MUTANT == 1:  # wrong: one behind the end for the first element
        place = n - at
    else:
        place = n - 1 - at
    place = tl.where(inside, place, 0)
    place = tl.inline_asm_elementwise("// warpproof: assert 0 <= $1 and $1 < n\nmov.b32 $0, $1;", "=r,r", [place], tl.int32, False, 1)
    tl.store(y + place, 2.0 * tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def clamped(x, y, n, BLOCK: tl.constexpr, MUTANT: tl.constexpr):
    """Scaled into the range of fp8 (e4m3). For Hopper, Triton clamps by the smaller magnitude with both signs."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + places, mask=places < n, other=0.0) * 16.0
    if MUTANT == 1:  # wrong: the range of another format
        values = tl.clamp(values, -240.0, 240.0)
    else:
        values = tl.clamp(values, -448.0, 448.0)
    tl.store(y + places, values, mask=places < n)


@triton.jit
def gate(x, weight, expert, EXPERTS: tl.constexpr, MUTANT: tl.constexpr):
    """The expert of the largest probability, and that."""
    row = tl.program_id(0)
    logits = tl.load(x + row * EXPERTS + tl.arange(0, EXPERTS))
    powers = tl.exp(logits - tl.max(logits, axis=0))
    if MUTANT == 1:  # wrong: the smallest
        powers = 1.0 - powers
    largest, place = tl.max(powers / tl.sum(powers, axis=0), axis=0, return_indices=True)
    tl.store(weight + row, largest)
    tl.store(expert + row, place)
