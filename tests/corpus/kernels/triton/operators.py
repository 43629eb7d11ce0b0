"""Triton kernels of the operators of deep learning, one program a row or a tile, as Triton's tutorials write them.

`compile_triton.py` compiles them; `tests/operators/triton` has their specs.
"""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def elementwise(x, y, n, BLOCK: tl.constexpr, OF: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    if OF == "negative":
        v = -v
    elif OF == "reciprocal":
        v = 1.0 / v
    elif OF == "exp":
        v = tl.exp(v)
    elif OF == "sin":
        v = tl.sin(v)
    elif OF == "cos":
        v = tl.cos(v)
    elif OF == "log":
        v = tl.log(v)
    elif OF == "abs":
        v = tl.abs(v)
    elif OF == "rsqrt":
        v = tl.rsqrt(v)
    elif OF == "tanh":
        v = libdevice.tanh(v)
    elif OF == "relu":
        v = tl.maximum(v, 0.0)
    elif OF == "leaky_relu":
        v = tl.where(v > 0.0, v, 0.01 * v)
    elif OF == "squared_relu":
        v = tl.maximum(v, 0.0)
        v = v * v
    elif OF == "gelu":
        v = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    elif OF == "sigmoid":
        v = tl.sigmoid(v)
    elif OF == "silu":
        v = v * tl.sigmoid(v)
    elif OF == "zeros":
        v = tl.zeros([BLOCK], tl.float32)
    tl.store(y + i, v, mask=i < n)


@triton.jit
def elementwise_of_two(a, b, y, n, BLOCK: tl.constexpr, OF: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(a + i, mask=i < n)
    w = tl.load(b + i, mask=i < n, other=1.0)
    if OF == "plus":
        v = v + w
    elif OF == "minus":
        v = v - w
    elif OF == "times":
        v = v * w
    elif OF == "over":
        v = v / w
    elif OF == "swiglu":
        v = v * tl.sigmoid(v) * w
    tl.store(y + i, v, mask=i < n)


@triton.jit
def zeros(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.zeros([BLOCK], tl.float32), mask=i < n)


@triton.jit
def cat(a, b, y, LEFT: tl.constexpr, RIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    left = tl.load(a + row * LEFT + i, mask=i < LEFT, other=0.0)
    right = tl.load(b + row * RIGHT + i - LEFT, mask=(i >= LEFT) & (i < LEFT + RIGHT), other=0.0)
    tl.store(y + row * (LEFT + RIGHT) + i, tl.where(i < LEFT, left, right), mask=i < LEFT + RIGHT)


@triton.jit
def reduce(x, y, COLUMNS: tl.constexpr, OF: tl.constexpr):
    row = tl.program_id(0)
    values = tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS))
    if OF == "sum":
        tl.store(y + row, tl.sum(values, axis=0))
    else:
        tl.store(y + row, tl.max(values, axis=0))


@triton.jit
def softmax(x, y, COLUMNS: tl.constexpr, LOG: tl.constexpr):
    places = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    values = tl.load(x + places)
    values -= tl.max(values, axis=0)
    total = tl.sum(tl.exp(values), axis=0)
    if LOG:
        tl.store(y + places, values - tl.log(total))
    else:
        tl.store(y + places, tl.exp(values) / total)


@triton.jit
def softmax_online(x, y, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Pass one keeps a running maximum and sum of the whole row, pass two divides."""
    row = tl.program_id(0) * COLUMNS
    i = tl.arange(0, BLOCK)
    largest = -float("inf")
    total = 0.0
    for first in range(0, COLUMNS, BLOCK):
        values = tl.load(x + row + first + i)
        larger = tl.maximum(largest, tl.max(values, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(values - larger), axis=0)
        largest = larger
    for first in range(0, COLUMNS, BLOCK):
        tl.store(y + row + first + i, tl.exp(tl.load(x + row + first + i) - largest) / total)


@triton.jit
def layer_norm(x, w, b, y, COLUMNS: tl.constexpr):
    i = tl.arange(0, COLUMNS)
    row = tl.program_id(0) * COLUMNS
    values = tl.load(x + row + i)
    values -= tl.sum(values, axis=0) / COLUMNS
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / COLUMNS + 1e-5)
    tl.store(y + row + i, values * scale * tl.load(w + i) + tl.load(b + i))


@triton.jit
def rms_norm(x, w, y, COLUMNS: tl.constexpr):
    i = tl.arange(0, COLUMNS)
    row = tl.program_id(0) * COLUMNS
    values = tl.load(x + row + i)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / COLUMNS + 1e-6)
    tl.store(y + row + i, values * scale * tl.load(w + i))


@triton.jit
def group_norm(x, w, b, y, CHANNELS: tl.constexpr, GROUP: tl.constexpr, PIXELS: tl.constexpr):
    group = tl.program_id(0)
    i = tl.arange(0, GROUP * PIXELS)
    values = tl.load(x + group * GROUP * PIXELS + i)
    values -= tl.sum(values, axis=0) / (GROUP * PIXELS)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / (GROUP * PIXELS) + 1e-5)
    channel = group % (CHANNELS // GROUP) * GROUP + i // PIXELS
    tl.store(y + group * GROUP * PIXELS + i, values * scale * tl.load(w + channel) + tl.load(b + channel))


@triton.jit
def gated(x, y, COLUMNS: tl.constexpr, OF: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, COLUMNS)
    v = tl.load(x + row * 2 * COLUMNS + i)
    w = tl.load(x + row * 2 * COLUMNS + COLUMNS + i)
    if OF == "gelu":
        v = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    else:
        v = v * tl.sigmoid(v)
    tl.store(y + row * COLUMNS + i, v * w)


@triton.jit
def cross_entropy(x, target, loss, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    values = tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS))
    largest = tl.max(values, axis=0)
    total = tl.log(tl.sum(tl.exp(values - largest), axis=0)) + largest
    tl.store(loss + row, total - tl.load(x + row * COLUMNS + tl.load(target + row)))


@triton.jit
def rotary(x, cosines, sines, y, DIM: tl.constexpr):
    token = tl.program_id(0)
    half: tl.constexpr = DIM // 2
    i = tl.arange(0, half)
    c = tl.load(cosines + token * half + i)
    s = tl.load(sines + token * half + i)
    a = tl.load(x + token * DIM + i)
    b = tl.load(x + token * DIM + half + i)
    tl.store(y + token * DIM + i, a * c - b * s)
    tl.store(y + token * DIM + half + i, b * c + a * s)


@triton.jit
def adam(p, m, v, g, rate, one, two, n, BLOCK: tl.constexpr):
    """`rate` is the learning rate, `one` and `two` are 1 - beta^t for both moments."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    gradient = tl.load(g + i, mask=inside, other=0.0)
    first = 0.9 * tl.load(m + i, mask=inside, other=0.0) + 0.1 * gradient
    second = 0.999 * tl.load(v + i, mask=inside, other=0.0) + 0.001 * gradient * gradient
    tl.store(m + i, first, mask=inside)
    tl.store(v + i, second, mask=inside)
    step = rate * (first / one) / (tl.sqrt(second / two) + 1e-8)
    tl.store(p + i, tl.load(p + i, mask=inside) - step, mask=inside)


@triton.jit
def softmax_gradient(y, dy, dx, COLUMNS: tl.constexpr):
    places = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    result = tl.load(y + places)
    gradient = tl.load(dy + places)
    tl.store(dx + places, result * (gradient - tl.sum(result * gradient, axis=0)))


@triton.jit
def layer_norm_gradient(x, w, mean, scale, dy, dx, COLUMNS: tl.constexpr):
    """From the mean and the reciprocal deviation that the forward pass kept, as in Triton's tutorial."""
    row = tl.program_id(0)
    i = tl.arange(0, COLUMNS)
    s = tl.load(scale + row)
    normal = (tl.load(x + row * COLUMNS + i) - tl.load(mean + row)) * s
    weighted = tl.load(w + i) * tl.load(dy + row * COLUMNS + i)
    c1 = tl.sum(normal * weighted, axis=0) / COLUMNS
    c2 = tl.sum(weighted, axis=0) / COLUMNS
    tl.store(dx + row * COLUMNS + i, (weighted - (normal * c1 + c2)) * s)


@triton.jit
def product(a, b, c, K: tl.constexpr, N: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """C = A B in half precision, row-major; one TILE x TILE tile a program."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, STEP)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, K, STEP):
        left = tl.load(a + rows[:, None] * K + (first + depth)[None, :])
        right = tl.load(b + (first + depth)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def product_int8(a, b, scale, c, K: tl.constexpr, N: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """The same with bytes in B, and a scale for each column."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, STEP)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, K, STEP):
        left = tl.load(a + rows[:, None] * K + (first + depth)[None, :])
        right = tl.load(b + (first + depth)[:, None] * N + columns[None, :])
        total = tl.dot(left, right.to(tl.float16), total)
    tl.store(c + rows[:, None] * N + columns[None, :], total * tl.load(scale + columns)[None, :])


@triton.jit
def product_int4(a, b, scale, c, K: tl.constexpr, N: tl.constexpr, TILE: tl.constexpr, STEP: tl.constexpr):
    """The same with two rows of B in a byte, the even one in the low half, less 8."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, STEP)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, K, STEP):
        left = tl.load(a + rows[:, None] * K + (first + depth)[None, :])
        both = tl.load(b + ((first + depth) // 2)[:, None] * N + columns[None, :])
        right = ((both >> (depth % 2 * 4)[:, None]) & 15).to(tl.float16) - 8.0
        total = tl.dot(left, right.to(tl.float16), total)
    tl.store(c + rows[:, None] * N + columns[None, :], total * tl.load(scale + columns)[None, :])


@triton.jit
def convolution(x, w, y, IN: tl.constexpr, OUT: tl.constexpr, SIDE: tl.constexpr, PIXELS: tl.constexpr):
    """3 x 3 filters, zeros around the image, as a product: filters by pixels, a step of IN for each place of the filter.

    The filters lie as (row, column, filter, channel), so that a step's are a matrix.
    """
    filters = tl.arange(0, OUT)
    pixels = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    channels = tl.arange(0, IN)
    total = tl.zeros((OUT, PIXELS), tl.float32)
    for place in range(9):
        row = pixels // SIDE + place // 3 - 1
        column = pixels % SIDE + place % 3 - 1
        inside = (row >= 0) & (row < SIDE) & (column >= 0) & (column < SIDE)
        left = tl.load(w + (filters[:, None] * IN + channels[None, :]) * 9 + place)
        right = tl.load(x + channels[:, None] * SIDE * SIDE + (row * SIDE + column)[None, :], mask=inside[None, :], other=0.0)
        total = tl.dot(left, right, total)
    tl.store(y + filters[:, None] * SIDE * SIDE + pixels[None, :], total)


@triton.jit
def attention(q, k, v, o, ROWS: tl.constexpr, KEYS: tl.constexpr, DIM: tl.constexpr, TILE: tl.constexpr, SCALE: tl.constexpr,
              CAUSAL: tl.constexpr, HEADS: tl.constexpr):
    """FlashAttention-2, one program a head, HEADS query heads for each head of keys; CAUSAL: query i sees keys up to i."""
    head = tl.program_id(0)
    rows = tl.arange(0, ROWS)
    dims = tl.arange(0, DIM)
    keys = tl.arange(0, TILE)
    q += head * ROWS * DIM
    o += head * ROWS * DIM
    k += head // HEADS * KEYS * DIM
    v += head // HEADS * KEYS * DIM
    queries = tl.load(q + rows[:, None] * DIM + dims[None, :])
    largest = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, DIM], tl.float32)
    factor: tl.constexpr = SCALE * 1.4426950408889634
    for first in range(0, KEYS, TILE):
        score = tl.dot(queries, tl.load(k + (first + keys)[None, :] * DIM + dims[:, None])) * factor
        if CAUSAL:
            score = tl.where(rows[:, None] >= (first + keys)[None, :], score, -float("inf"))
        larger = tl.maximum(largest, tl.max(score, 1))
        p = tl.math.exp2(score - larger[:, None])
        rescale = tl.math.exp2(largest - larger)
        total = total * rescale + tl.sum(p, 1)
        values = tl.load(v + (first + keys)[:, None] * DIM + dims[None, :])
        out = tl.dot(p.to(tl.float16), values, out * rescale[:, None])
        largest = larger
    tl.store(o + rows[:, None] * DIM + dims[None, :], out / total[:, None])


@triton.jit
def attention_gradient_queries(q, k, v, go, l, d, dq, ROWS: tl.constexpr, KEYS: tl.constexpr, DIM: tl.constexpr,
                               TILE: tl.constexpr, SCALE: tl.constexpr):
    """From the logarithm of each row's sum (`l`) and the product of result and gradient (`d`) that earlier kernels kept."""
    rows = tl.arange(0, ROWS)[:, None]
    dims = tl.arange(0, DIM)
    queries = tl.load(q + rows * DIM + dims[None, :])
    gradients = tl.load(go + rows * DIM + dims[None, :])
    total = tl.zeros([ROWS, DIM], tl.float32)
    for first in range(0, KEYS, TILE):
        keys = (first + tl.arange(0, TILE))[:, None]
        kt = tl.load(k + keys * DIM + dims[None, :])
        vt = tl.load(v + keys * DIM + dims[None, :])
        p = tl.exp(tl.dot(queries, kt.T) * SCALE - tl.load(l + rows))
        change = p * (tl.dot(gradients, vt.T) - tl.load(d + rows))
        total = tl.dot(change.to(tl.float16), kt, total)
    tl.store(dq + rows * DIM + dims[None, :], total * SCALE)


@triton.jit
def attention_gradient_keys(q, k, v, go, l, d, dk, dv, ROWS: tl.constexpr, KEYS: tl.constexpr, DIM: tl.constexpr,
                            TILE: tl.constexpr, SCALE: tl.constexpr):
    """The same for keys and values, one program a tile of keys."""
    rows = tl.arange(0, ROWS)[:, None]
    dims = tl.arange(0, DIM)
    keys = (tl.program_id(0) * TILE + tl.arange(0, TILE))[:, None]
    queries = tl.load(q + rows * DIM + dims[None, :])
    gradients = tl.load(go + rows * DIM + dims[None, :])
    kt = tl.load(k + keys * DIM + dims[None, :])
    vt = tl.load(v + keys * DIM + dims[None, :])
    p = tl.exp(tl.dot(queries, kt.T) * SCALE - tl.load(l + rows))
    change = p * (tl.dot(gradients, vt.T) - tl.load(d + rows))
    tl.store(dv + keys * DIM + dims[None, :], tl.dot(p.to(tl.float16).T, gradients))
    tl.store(dk + keys * DIM + dims[None, :], tl.dot(change.to(tl.float16).T, queries) * SCALE)
