"""What NumPy says of formulas: writes cases.txt, which tests/tests/formulas.rs compares with Warpproof.

    python3 -m venv v && v/bin/pip install numpy && v/bin/python numpy_cases.py

A case is the formula, the inputs, and what NumPy computes in float64. Where NumPy has the functions by the same
names, the formula itself is run as Python; where it has not, the textbook's formula stands beside it.
"""

import math
import numpy as np

rng = np.random.default_rng(7)
erf = np.vectorize(math.erf)


def reals(*shape):
    return rng.integers(-24, 25, shape) / 8


def positive(*shape):
    return rng.integers(1, 33, shape) / 8


def whole(*shape, low=-20, high=21, dtype=np.int32):
    return rng.integers(low, high, shape).astype(dtype)


def words():
    """Tensors of six integer types, all of their values likely."""
    types = dict(u=np.uint8, s=np.int8, t=np.int16, v=np.uint16, m=np.int32, n=np.uint32, k=np.int64)
    return {name: rng.integers(*(np.iinfo(t).min // 4, np.iinfo(t).max) if t is np.int64 else (np.iinfo(t).min, np.iinfo(t).max + 1), 6).astype(t) for name, t in types.items()}


def softmax(x, axis=-1):
    t = np.exp(x - x.max(axis=axis, keepdims=True))
    return t / t.sum(axis=axis, keepdims=True)


def layer_norm(x, w=1, b=0, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * w + b


def conv2d(x, w, b=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    n, c, h, q = x.shape
    o, per, r, s = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    oh = (x.shape[2] - dilation[0] * (r - 1) - 1) // stride[0] + 1
    ow = (x.shape[3] - dilation[1] * (s - 1) - 1) // stride[1] + 1
    y = np.zeros((n, o, oh, ow))
    for f in range(o):
        first = f // (o // groups) * per
        for i in range(oh):
            for j in range(ow):
                for k in range(r):
                    for m in range(s):
                        patch = x[:, first : first + per, i * stride[0] + k * dilation[0], j * stride[1] + m * dilation[1]]
                        y[:, f, i, j] += (patch * w[f, :, k, m]).sum(1)
    return y if b is None else y + b[:, None, None]


def pool(x, size, stride, padding, fold, fill):
    x = np.pad(x, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2), constant_values=fill)
    oh, ow = ((x.shape[2 + a] - size) // stride + 1 for a in range(2))
    rows = [[fold(x[:, :, i * stride : i * stride + size, j * stride : j * stride + size]) for j in range(ow)] for i in range(oh)]
    return np.array(rows).transpose(2, 3, 0, 1)


# The formula, the inputs, and how to work it out where running it as Python does not.
TYPES = [
    ("u - 8.0", "u"), ("(u - 128) * 0.5", "u"), ("u * 2", "u"), ("u * 2.0", "u"), ("u * (4 / 2)", "u"), ("u + 1e0", "u"),
    ("u + s", "us"), ("u * s", "us"), ("u + t", "ut"), ("v + t", "vt"), ("s * m", "sm"), ("n + m", "nm"), ("u * v", "uv"), ("m - n", "mn"),
    ("arange(6) * 100 + u", "u"), ("(u > 100) * 255 + u", "u"), ("(u > 100) + (s > 3)", "us"), ("(u > 100) * (s > 3)", "us"),
    ("sum(u) + u", "u"), ("sum(s)", "s"), ("prod(s)", "s"), ("sum(u > 100) + u", "u"), ("sum(s[None, :] < s[:, None], axis=1) * 30 + u", "us"),
    ("max(u) - u", "u"), ("max(u > 100)", "u"), ("min(s > -100)", "s"), ("mean(u)", "u"), ("cumsum(u)", "u"), ("cumsum(u > 9)", "u"),
    ("where(u > 100, u, s)", "us"), ("where(u > 100, 7, 9) * u", "u"), ("where(u > 100, u, 0) * 2", "u"),
    ("maximum(u, s)", "us"), ("maximum(u, 200) + 100", "u"), ("minimum(s, 0) * 2", "s"), ("abs(s)", "s"), ("-s", "s"), ("-u", "u"), ("~u", "u"), ("~s", "s"),
    ("ones(6) * u", "u"), ("zeros(6) + s", "s"), ("full(6, 100) + u", "u"), ("u // 7", "u"), ("s // 7", "s"), ("s % 7", "s"), ("s // -7", "s"), ("u % 7", "u"),
    ("m // 1000 + m % 1000", "m"), ("u / 2", "u"), ("u ** 2", "u"), ("s ** 3", "s"), ("u & 15", "u"), ("u & ((1 << 4) - 1)", "u"), ("u >> 3", "u"), ("s >> 3", "s"),
    ("u << 3", "u"), ("astype(arange(6) * 40, uint8) << 2", ""), ("astype(arange(6) * 20, int8) << 2", ""), ("(astype(arange(6) * 40, uint8) << 2) >> 2", ""), ("u | s", "us"), ("~5 + s", "s"), ("(5 & 3 | 8 ^ 1) + s", "s"), ("u @ u", "u"), ("s @ s", "s"), ("astype(u, int32) @ astype(s, int32)", "us"),
    ("u[:, None] @ u[None, :]", "u"), ("einsum('i,i', s, s)", "s"), ("astype(s, uint8)", "s"), ("astype(m, int8)", "m"), ("astype(u, bool)", "u"), ("astype(s > 0, uint8) * 200 + u", "us"),
    ("astype(u, float32) * 2", "u"), ("astype(2, int64) * u", "u"), ("sign(s) * s", "s"), ("clip(s, -5, 5) * 30", "s"), ("zeros_like(u) + 200 + u", "u"), ("ones_like(s) * 2", "s"),
    ("concat([u, s])", "us"), ("argmax(u) * u", "u"), ("floor(u)", "u"), ("(u > 9) + 1", "u"), ("(u > 9) * 1.5", "u"), ("u == s", "us"), ("u.T + u.size", "u"),
    ("abs(s.astype(int16)) + u.sum()", "us"),
]

CASES = [
    ("y = a + b * 2 - a / 4", dict(a=reals(3, 4), b=reals(4)), None),
    ("y = -a ** 2 + (-a) ** 3", dict(a=reals(5)), None),
    ("y = a ** -2 + a ** 0.5 + a ** 1.5", dict(a=positive(5)), None),
    ("y = 2 ** a + 3 ** a + a ** a", dict(a=positive(4)), lambda a: 2.0**a + 3.0**a + a**a),
    ("y = a // 3 + a % 3", dict(a=reals(8)), None),
    ("y = a @ b", dict(a=reals(3, 4), b=reals(4, 5)), None),
    ("y = a @ b", dict(a=reals(4), b=reals(4, 5)), None),
    ("y = a @ b", dict(a=reals(3, 4), b=reals(4)), None),
    ("y = a @ b", dict(a=reals(4), b=reals(4)), None),
    ("y = a @ b", dict(a=reals(2, 1, 3, 4), b=reals(5, 4, 2)), None),
    ("y = a.T @ a", dict(a=reals(3, 2)), None),
    ("y = a[1:, ::-1] + a[:-1, :]", dict(a=reals(3, 4)), None),
    ("y = a[::-2]", dict(a=reals(7)), None),
    ("y = a[-3:-1, None, ..., 1]", dict(a=reals(4, 3, 2)), None),
    ("y = a[5:1:-2]", dict(a=reals(7)), None),
    ("y = a[1]", dict(a=reals(3, 4)), None),
    ("y = sum(a) + mean(a, axis=0) + prod(a, axis=(0,), keepdims=True)", dict(a=reals(3, 4)),
     lambda a: a.sum() + a.mean(0) + a.prod(0, keepdims=True)),
    ("y = max(a, axis=1) - min(a, axis=-1)", dict(a=reals(3, 4)), lambda a: a.max(1) - a.min(1)),
    ("y = sum(a, axis=(0, 2))", dict(a=reals(2, 3, 4)), lambda a: a.sum((0, 2))),
    ("y = var(a, axis=1) + std(a, axis=1, correction=1)", dict(a=reals(3, 4)),
     lambda a: a.var(1) + a.std(1, ddof=1)),
    ("y = argmax(a, axis=1) + 10 * argmin(a, axis=1)", dict(a=reals(5, 6)),
     lambda a: a.argmax(1) + 10 * a.argmin(1)),
    ("y = argmax(a)", dict(a=reals(5, 6)), lambda a: a.argmax()),
    ("y = cumsum(a, axis=0) + cumsum(a, axis=1)", dict(a=reals(3, 4)), lambda a: a.cumsum(0) + a.cumsum(1)),
    ("y = where(a > 0, a, b)\nz = a >= b\nw = (a == b) | (a < 0) & ~(b != 1)", dict(a=reals(6), b=reals(6)),
     lambda a, b: (np.where(a > 0, a, b), a >= b, (a == b) | (a < 0) & ~(b != 1))),
    ("y = a if sum(a) > 0 else b", dict(a=reals(3), b=reals(3)), lambda a, b: a if a.sum() > 0 else b),
    ("y = 0 <= a < 1", dict(a=reals(9)), lambda a: (0 <= a) & (a < 1)),
    ("y = maximum(a, 0) - minimum(a, b) + clip(a, -1, 1) + abs(b)", dict(a=reals(6), b=reals(6)),
     lambda a, b: np.maximum(a, 0) - np.minimum(a, b) + np.clip(a, -1, 1) + abs(b)),
    ("y = exp(a) + exp2(a) + expm1(a) + sin(a) + cos(a) + tan(a) + tanh(a) + sinh(a) + cosh(a)", dict(a=reals(6)),
     lambda a: np.exp(a) + 2.0**a + np.expm1(a) + np.sin(a) + np.cos(a) + np.tan(a) + np.tanh(a) + np.sinh(a) + np.cosh(a)),
    ("y = log(a) + log2(a) + log10(a) + log1p(a) + sqrt(a) + rsqrt(a) + reciprocal(a) + square(a)", dict(a=positive(6)),
     lambda a: np.log(a) + np.log2(a) + np.log10(a) + np.log1p(a) + np.sqrt(a) + 1 / np.sqrt(a) + 1 / a + a * a),
    ("y = floor(a) + 10 * ceil(a) + 100 * round(a) + 1000 * trunc(a) + 10000 * sign(a)", dict(a=reals(12)),
     lambda a: np.floor(a) + 10 * np.ceil(a) + 100 * np.round(a) + 1000 * np.trunc(a) + 10000 * np.sign(a)),
    ("y = relu(a) + leaky_relu(a) + elu(a) + sigmoid(a) + silu(a) + softplus(a) + mish(a)", dict(a=reals(6)),
     lambda a: np.maximum(a, 0) + np.where(a > 0, a, 0.01 * a) + np.where(a > 0, a, np.expm1(a)) + 1 / (1 + np.exp(-a))
     + a / (1 + np.exp(-a)) + np.log1p(np.exp(a)) + a * np.tanh(np.log1p(np.exp(a)))),
    ("y = relu6(a) + softsign(a) + hardtanh(a) + hardsigmoid(a) + hardswish(a)", dict(a=reals(6)),
     lambda a: np.clip(a, 0, 6) + a / (1 + abs(a)) + np.clip(a, -1, 1) + np.clip(a + 3, 0, 6) / 6 + a * np.clip(a + 3, 0, 6) / 6),
    ("y = gelu(a) + gelu(a, approximate='tanh')", dict(a=reals(6)),
     lambda a: a * (1 + erf(a / 2**0.5)) / 2 + a / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (a + 0.044715 * a**3)))),
    ("y = erf(a) + pow(b, 3) + neg(a) * ones_like(a) + count(a)", dict(a=reals(6), b=positive(6)),
     lambda a, b: erf(a) + b**3 - a + 6),
    ("y = np.sum(a, axis=1) + a.sum(-1) + torch.sum(a, dim=1) + a.mean(axis=1, keepdims=True)[:, 0] + np.pi", dict(a=reals(3, 4)),
     lambda a: 3 * a.sum(1) + a.mean(1) + np.pi),
    ("y = a.reshape(4, 3) + a.t() + np.concatenate([a[:, :1], a[:, 1:]], axis=1).permute(1, 0) + a.view((4, -1))", dict(a=reals(3, 4)),
     lambda a: 2 * a.reshape(4, 3) + 2 * a.T),
    ("y = torch.nn.functional.softmax(F, dim=-1) + F.exp() + F.T.std(correction=1) + np.var(F, ddof=1)", dict(F=reals(3, 4)),
     lambda F: softmax(F) + np.exp(F) + F.std(ddof=1) + F.var(ddof=1)),
    ("y = matmul(a, b) / count(a, axis=1)", dict(a=reals(3, 4), b=reals(4, 2)), lambda a, b: a @ b / 4),
    ("y = softmax(a) + softmax(a, axis=0) + exp(log_softmax(a, axis=1))", dict(a=reals(3, 4)),
     lambda a: softmax(a) + softmax(a, 0) + softmax(a, 1)),
    ("y = logsumexp(a, axis=1)", dict(a=reals(3, 4)), lambda a: np.log(np.exp(a).sum(1))),
    ("y = layer_norm(a) + layer_norm(a, w, b, eps=0.5)", dict(a=reals(3, 4), w=reals(4), b=reals(4)),
     lambda a, w, b: layer_norm(a) + layer_norm(a, w, b, 0.5)),
    ("y = rms_norm(a, w, eps=0.25)", dict(a=reals(3, 4), w=reals(4)),
     lambda a, w: a / np.sqrt((a * a).mean(-1, keepdims=True) + 0.25) * w),
    ("y = atan(a) + arctan(a / 7) + asinh(a) + acosh(b + 1) + atanh(a / 30)", dict(a=reals(5), b=positive(5)),
     lambda a, b: np.arctan(a) + np.arctan(a / 7) + np.arcsinh(a) + np.arccosh(b + 1) + np.arctanh(a / 30)),
    ("y = cbrt(a) + b ** (1 / 3) + b ** 1.5 + b ** (2 / 3)", dict(a=reals(5), b=positive(5)),
     lambda a, b: np.cbrt(a) + b ** (1 / 3) + b**1.5 + b ** (2 / 3)),
    ("import numpy as np\ny = np.where(a > 0, a, float('-inf')).max() + clamp(a, -1, 1) + swish(a)", dict(a=positive(5)),
     lambda a: a.max() + np.clip(a, -1, 1) + a / (1 + np.exp(-a))),
    ("y = group_norm(a, 2, w, b)", dict(a=reals(2, 4, 3), w=reals(4), b=reals(4)),
     lambda a, w, b: layer_norm(a.reshape(2, 2, 6)).reshape(2, 4, 3) * w[:, None] + b[:, None]),
    ("y = cross_entropy(a, t)", dict(a=reals(3, 4), t=whole(3, low=0, high=4)),
     lambda a, t: np.log(np.exp(a).sum(1)) - a[np.arange(3), t]),
    ("y = mse_loss(a, b)", dict(a=reals(3, 4), b=reals(3, 4)), lambda a, b: ((a - b) ** 2).mean()),
    ("y = reshape(a, (4, -1)) + permute_dims(reshape(a, (3, 4)), [1, 0])", dict(a=reals(2, 6)),
     lambda a: a.reshape(4, -1) + a.reshape(3, 4).T),
    ("y = concat([a, b], axis=1)\nz = stack([a, 2 * a], axis=-1)", dict(a=reals(2, 3), b=reals(2, 1)),
     lambda a, b: (np.concatenate([a, b], 1), np.stack([a, 2 * a], -1))),
    ("y = broadcast_to(a, (2, 3)) + zeros((2, 3)) + ones(3) + full((2, 1), 7)", dict(a=reals(3)),
     lambda a: np.broadcast_to(a, (2, 3)) + 1 + np.full((2, 1), 7)),
    ("y = flip(a) + flip(a, axis=0) + expand_dims(a, 0)[0] + zeros_like(a)", dict(a=reals(2, 3)),
     lambda a: np.flip(a) + np.flip(a, 0) + a),
    ("y = arange(4) * a + arange(1, 9, 2) - arange(4, 0, -1)", dict(a=reals(4)), None),
    ("y = take(a, t, axis=1)\nz = a[t]\nw = a[:, t[:, None]]\nv = a[t, 1]", dict(a=reals(3, 3), t=whole(2, low=0, high=3)),
     lambda a, t: (a[:, t], a[t], a[:, t[:, None]], a[t, 1])),
    ("y = a[t, :, t]", dict(a=reals(3, 2, 3), t=whole(2, low=0, high=3)), lambda a, t: a[t, :, t]),
    ("y = a[:, t, t]", dict(a=reals(2, 3, 3), t=whole(2, low=0, high=3)), lambda a, t: a[:, t, t]),
    ("y = einsum('ij,jk->ki', a, b)\nz = einsum('ii->i', a[:, :3])\nw = einsum('ij,ij', a, a)\nv = einsum('i,j,k->kji', a[0], a[1], a[2])",
     dict(a=reals(3, 4), b=reals(4, 2)),
     lambda a, b: ((a @ b).T, np.diagonal(a[:, :3]), (a * a).sum(), np.einsum("i,j,k->kji", a[0], a[1], a[2]))),
    ("y = conv2d(a, w)", dict(a=reals(2, 3, 5, 4), w=reals(4, 3, 3, 2)), lambda a, w: conv2d(a, w)),
    ("y = conv2d(a, w, b, stride=(2, 1), padding=(1, 2), dilation=2, groups=2)",
     dict(a=reals(1, 4, 6, 5), w=reals(6, 2, 2, 3), b=reals(6)),
     lambda a, w, b: conv2d(a, w, b, (2, 1), (1, 2), (2, 2), 2)),
    ("y = conv1d(a, w, b, stride=2, padding=1)", dict(a=reals(2, 2, 7), w=reals(3, 2, 3), b=reals(3)),
     lambda a, w, b: conv2d(a[:, :, None], w[:, :, None], b, (1, 2), (0, 1))[:, :, 0]),
    ("y = max_pool2d(a, 2)\nz = max_pool2d(a, 3, stride=1, padding=1)\nw = avg_pool2d(a, 3, stride=2, padding=1)",
     dict(a=reals(2, 2, 4, 6)),
     lambda a: (pool(a, 2, 2, 0, lambda p: p.max((2, 3)), 0), pool(a, 3, 1, 1, lambda p: p.max((2, 3)), -np.inf),
                pool(a, 3, 2, 1, lambda p: p.mean((2, 3)), 0))),
    ("y[i, j] = sum(k: a[i, k] * b[k, j])", dict(a=reals(3, 4), b=reals(4, 2)), lambda a, b: a @ b),
    ("y[i] = sum(k in 0..3: a[i + k] * w[k])", dict(a=reals(8), w=reals(3), y=np.zeros(6)),
     lambda a, w, y: np.convolve(a, w[::-1], "valid")),
    ("y[i] = a[i - 1] + 1 if i > 0 else a[0]", dict(a=reals(5), y=np.zeros(5)), lambda a, y: np.where(np.arange(5) > 0, np.roll(a, 1) + 1, a)),
    ("y[i] = sum(j: a[i, j] if j <= i else 0) + max(j: a[j, i]) - mean(j: a[i, j])", dict(a=reals(4, 4)),
     lambda a: np.tril(a).sum(1) + a.max(0) - a.mean(1)),
    ("y[j, i] = sum(softmax(a[i] * b[:, j]))  + prod(k in range(1, 4): k + i)", dict(a=reals(2, 3), b=reals(3, 4)),
     lambda a, b: np.array([[1 + np.prod([k + i for k in (1, 2, 3)]) for i in range(2)] for j in range(4)])),
    ("y[i] = sum(j: a[j]) + 0 * b[i]", dict(a=reals(4), b=reals(3)), lambda a, b: a.sum() + 0 * b),
    ("y[i] = sum(j in 0..5: 1)\nz[i] = all(j: a[i] >= a[j])", dict(a=reals(3), y=np.zeros(3)),
     lambda a, y: (np.full(3, 5), np.array([np.all(x >= a) for x in a]))),
    ("s = q @ k.T / sqrt(4) + where(arange(5)[:, None] >= arange(3)[None, :], 0, -inf)\no = softmax(s, axis=-1) @ v",
     dict(q=reals(5, 4), k=reals(3, 4), v=reals(3, 2)),
     lambda q, k, v: softmax(q @ k.T / 2 + np.where(np.arange(5)[:, None] >= np.arange(3), 0, -np.inf)) @ v),
    ("n = a\nn += 1\nn *= a\ny = n", dict(a=reals(3)), lambda a: (a + 1) * a),
    ("y = any(a > 2, axis=0)\nz = sum(a > 0)", dict(a=reals(3, 4)), lambda a: (np.any(a > 2, 0), (a > 0).sum())),
    ("y = distinct(a)\nz = distinct(b)\nw = distinct(m)",
     dict(a=np.array([0.5, -1.0, 2.0]), b=np.array([[1.0, 2.0], [2.0, 3.0]]), m=np.array([3, -3, 3, 0], np.int32)),
     lambda **tensors: tuple(np.unique(x).size == x.size for x in tensors.values())),
    ("y = m * m\nz = m + 2000000000\nw = m @ m\nv = m // 7\nu = m % 7", dict(m=whole(3, 3, low=-50000, high=50000)),
     lambda m: (m * m, m + np.int32(2000000000), m @ m, m // 7, m % 7)),
    ("y = m & n\nz = m | 5\nw = m ^ n\nv = ~m\nu = m << 3\nt = n >> 2", dict(m=whole(6), n=whole(6)),
     lambda m, n: (m & n, m | 5, m ^ n, ~m, m << 3, n >> 2)),
    ("y = astype(m, int8)\nz = astype(a, int32)\nw = astype(m, float32) / 2\nv = sum(astype(m, int8))",
     dict(m=whole(6, low=-500, high=500), a=reals(6)),
     lambda m, a: (m.astype(np.int8), a.astype(np.int32), m / 2, m.astype(np.int8).sum())),
    # Types, as NumPy 2 promotes them; also which type comes out.
    *((f"y = {code}", {name: array for name, array in words().items() if name in names}, None) for code, names in TYPES),
    ("y = e * pi + inf * 0 if False else e - pi", dict(a=reals(1)), lambda a: np.e - np.pi),
]


def written(name, array, checked=True):
    """A line; of an output whose type does not matter, the type is `any`."""
    array = np.asarray(array)
    kind = {"b": "bool", "i": f"i{8 * array.itemsize}", "u": f"u{8 * array.itemsize}", "f": "f64"}[array.dtype.kind]
    numbers = " ".join(repr(float(v)) if kind == "f64" else str(int(v)) for v in array.ravel())
    kind = kind if checked else "any"
    return f"{name} {kind} ({','.join(map(str, array.shape))}) {numbers}"


NAMES = """exp arange where maximum minimum mean prod cumsum ones zeros full einsum sign clip zeros_like ones_like argmax floor
int8 uint8 int16 int32 int64 float32""".split()


def astype(x, dtype):
    return np.asarray(x).astype(dtype)


def main():
    with np.errstate(all="ignore"), open("cases.txt", "w") as out:
        for code, inputs, work_out in CASES:
            targets = [line.split("=")[0].split("[")[0].strip() for line in code.splitlines()]
            if work_out:
                values = work_out(**inputs)
                values = values if isinstance(values, tuple) else (values,)
                named = dict(zip([t for t in targets if t in "yzwvuto" and len(t) == 1 and t not in inputs or t == "y"], values))
            else:
                scope = {name: getattr(np, name) for name in NAMES} | dict(astype=astype, abs=np.abs, concat=np.concatenate, max=np.max, min=np.min, sum=np.sum) | inputs
                exec(code, scope)
                named = {target: scope[target] for target in targets}
            out.write("".join(f"| {line}\n" for line in code.splitlines()))
            out.write("".join(f"< {written(name, array)}\n" for name, array in inputs.items()))
            out.write("".join(f"> {written(name, array, not work_out)}\n" for name, array in named.items()) + "\n")


main()
