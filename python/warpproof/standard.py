"""The array API's names (https://data-apis.org/array-api/latest/) that are said with others: operators, and formulas.

What each computes stands in it. They work on what `warpproof.arrays` works on: traced arrays, numbers, and NumPy's
arrays. Names of the array API that are neither here nor in the engine's table cannot be said in a formula.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from . import arrays as xp

# fmt: off
__all__ = [
    "add", "asarray", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "count_nonzero", "cumulative_sum", "diff", "divide",
    "equal", "eye", "floor_divide", "full_like", "greater", "greater_equal", "hypot", "less",
    "less_equal", "linspace", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "matrix_transpose", "multiply", "negative", "newaxis", "not_equal", "positive", "remainder",
    "repeat", "roll", "squeeze", "subtract", "tril", "triu", "vecdot",
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
]
# fmt: on

newaxis = None
"""A new axis of length 1, as an index."""

bool = "bool"
int8, int16, int32, int64 = "int8", "int16", "int32", "int64"
uint8, uint16, uint32, uint64 = "uint8", "uint16", "uint32", "uint64"
float16, bfloat16, float32, float64 = "float16", "bfloat16", "float32", "float64"


def _two(name: str, of: Callable[[Any, Any], Any], sign: str) -> Callable[[Any, Any], Any]:
    def function(x1: Any, x2: Any) -> Any:
        return of(x1, x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``x1 {sign} x2``. The shape is that of `x1` and `x2`, broadcast."
    return function


add = _two("add", operator.add, "+")
subtract = _two("subtract", operator.sub, "-")
multiply = _two("multiply", operator.mul, "*")
divide = _two("divide", operator.truediv, "/")
floor_divide = _two("floor_divide", operator.floordiv, "//")
remainder = _two("remainder", operator.mod, "%")
equal = _two("equal", operator.eq, "==")
not_equal = _two("not_equal", operator.ne, "!=")
less = _two("less", operator.lt, "<")
less_equal = _two("less_equal", operator.le, "<=")
greater = _two("greater", operator.gt, ">")
greater_equal = _two("greater_equal", operator.ge, ">=")
bitwise_and = _two("bitwise_and", operator.and_, "&")
bitwise_or = _two("bitwise_or", operator.or_, "|")
bitwise_xor = _two("bitwise_xor", operator.xor, "^")
bitwise_left_shift = _two("bitwise_left_shift", operator.lshift, "<<")
bitwise_right_shift = _two("bitwise_right_shift", operator.rshift, ">>")


def positive(x: Any) -> Any:
    """``+x``. The shape is that of `x`."""
    return +x


def negative(x: Any) -> Any:
    """``-x``. The shape is that of `x`."""
    return -x


def bitwise_invert(x: Any) -> Any:
    """``~x``. The shape is that of `x`."""
    return ~x


def logical_and(x1: Any, x2: Any) -> Any:
    """Whether both are other than 0. The shape is that of `x1` and `x2`, broadcast."""
    return (x1 != 0) & (x2 != 0)


def logical_or(x1: Any, x2: Any) -> Any:
    """Whether one is other than 0. The shape is that of `x1` and `x2`, broadcast."""
    return (x1 != 0) | (x2 != 0)


def logical_xor(x1: Any, x2: Any) -> Any:
    """Whether exactly one is other than 0. The shape is that of `x1` and `x2`, broadcast."""
    return (x1 != 0) ^ (x2 != 0)


def logical_not(x: Any) -> Any:
    """Whether it is 0. The shape is that of `x`."""
    return x == 0


def hypot(x1: Any, x2: Any) -> Any:
    """``sqrt(x1 * x1 + x2 * x2)``. The shape is that of `x1` and `x2`, broadcast."""
    return xp.sqrt(x1 * x1 + x2 * x2)


def logaddexp(x1: Any, x2: Any) -> Any:
    """``log(exp(x1) + exp(x2))``. The shape is that of `x1` and `x2`, broadcast."""
    return xp.log(xp.exp(x1) + xp.exp(x2))


def count_nonzero(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """How many elements are other than 0. `axis` and `keepdims` are those of `sum`."""
    return xp.sum(x != 0, axis=axis, keepdims=keepdims)


def cumulative_sum(x: Any, axis: Any = None) -> Any:
    """The running sum, its own element included: `cumsum`. The shape is that of `x`."""
    return xp.cumsum(x, axis=axis)


def diff(x: Any, axis: int = -1) -> Any:
    """Each element less the one before. `axis` is shorter by 1."""
    return x[_along(axis, slice(1, None))] - x[_along(axis, slice(None, -1))]


def vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    """The sum of products along an axis. The shape is that of `x1` and `x2`, broadcast, without it."""
    return xp.sum(x1 * x2, axis=axis)


def matrix_transpose(x: Any) -> Any:
    """The last two axes exchanged: (…, n, m) gives (…, m, n)."""
    return x.mT


def squeeze(x: Any, axis: int) -> Any:
    """Without an axis, whose length is 1."""
    return xp.reshape(x, x[_along(axis, 0)].shape)


def repeat(x: Any, repeats: int, axis: int) -> Any:
    """Each element along an axis several times. `axis` is as many times as long."""
    return xp.take(x, xp.arange(x.shape[axis] * repeats) // repeats, axis=axis)


def roll(x: Any, shift: int, axis: int | None = None) -> Any:
    """Moved by `shift` along an axis, and from its end to its start; all elements in their order without an axis. The
    shape is that of `x`."""
    if axis is None:
        return xp.reshape(roll(xp.reshape(x, -1), shift, 0), x.shape)
    length = x.shape[axis]
    return xp.take(x, (xp.arange(length) - shift) % length, axis=axis)


def tril(x: Any, k: int = 0) -> Any:
    """0 above diagonal `k` of the last two axes. The shape is that of `x`."""
    return xp.where(xp.arange(x.shape[-2])[:, None] + k >= xp.arange(x.shape[-1]), x, 0)


def triu(x: Any, k: int = 0) -> Any:
    """0 below diagonal `k` of the last two axes. The shape is that of `x`."""
    return xp.where(xp.arange(x.shape[-2])[:, None] + k <= xp.arange(x.shape[-1]), x, 0)


def eye(n_rows: int, n_cols: int | None = None, k: int = 0) -> Any:
    """1 on diagonal `k`, 0 elsewhere. The shape is (`n_rows`, `n_cols`), by default square."""
    columns = n_rows if n_cols is None else n_cols
    return xp.where(xp.arange(n_rows)[:, None] + k == xp.arange(columns), 1.0, 0.0)


def linspace(start: Any, stop: Any, num: int) -> Any:
    """`num` numbers, at least 2, in equal steps from `start` to `stop`, which is the last."""
    return start + xp.arange(num) * (stop - start) / (num - 1)


def asarray(x: Any) -> Any:
    """The array, or the number, itself."""
    return x


def full_like(x: Any, fill_value: Any) -> Any:
    """One value everywhere, in the type and the shape of `x`."""
    return xp.astype(xp.full(x.shape, fill_value), x.dtype)


def _along(axis: int, index: Any) -> tuple[Any, ...]:
    """An index for one axis of all."""
    rest = (slice(None),) * (axis if axis >= 0 else -1 - axis)
    return (*rest, index) if axis >= 0 else (..., index, *rest)
