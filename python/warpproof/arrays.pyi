# What `arrays.py` makes of the table of functions. Made by `generate.py` from `crate/src/formula/functions.rs`.

from collections.abc import Mapping, Sequence, Set
from typing import Any, overload

from .errors import Place, TraceError
from .standard import *

class Unsaid(TraceError, AttributeError): ...

class Array:
    T: Array
    mT: Array
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, index: Any) -> Array: ...
    def __float__(self) -> float: ...
    def __index__(self) -> int: ...
    def __abs__(self) -> Array: ...
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __lt__(self, other: Any) -> Array: ...
    def __le__(self, other: Any) -> Array: ...
    def __gt__(self, other: Any) -> Array: ...
    def __ge__(self, other: Any) -> Array: ...
    def __add__(self, other: Any) -> Array: ...
    def __sub__(self, other: Any) -> Array: ...
    def __mul__(self, other: Any) -> Array: ...
    def __truediv__(self, other: Any) -> Array: ...
    def __floordiv__(self, other: Any) -> Array: ...
    def __mod__(self, other: Any) -> Array: ...
    def __pow__(self, other: Any) -> Array: ...
    def __matmul__(self, other: Any) -> Array: ...
    def __and__(self, other: Any) -> Array: ...
    def __or__(self, other: Any) -> Array: ...
    def __xor__(self, other: Any) -> Array: ...
    def __lshift__(self, other: Any) -> Array: ...
    def __rshift__(self, other: Any) -> Array: ...
    def __radd__(self, other: Any) -> Array: ...
    def __rsub__(self, other: Any) -> Array: ...
    def __rmul__(self, other: Any) -> Array: ...
    def __rtruediv__(self, other: Any) -> Array: ...
    def __rfloordiv__(self, other: Any) -> Array: ...
    def __rmod__(self, other: Any) -> Array: ...
    def __rpow__(self, other: Any) -> Array: ...
    def __rmatmul__(self, other: Any) -> Array: ...
    def __rand__(self, other: Any) -> Array: ...
    def __ror__(self, other: Any) -> Array: ...
    def __rxor__(self, other: Any) -> Array: ...
    def __rlshift__(self, other: Any) -> Array: ...
    def __rrshift__(self, other: Any) -> Array: ...
    def sum(self, *arguments: Any, **options: Any) -> Array: ...
    def prod(self, *arguments: Any, **options: Any) -> Array: ...
    def mean(self, *arguments: Any, **options: Any) -> Array: ...
    def max(self, *arguments: Any, **options: Any) -> Array: ...
    def min(self, *arguments: Any, **options: Any) -> Array: ...
    def all(self, *arguments: Any, **options: Any) -> Array: ...
    def any(self, *arguments: Any, **options: Any) -> Array: ...
    def argmax(self, *arguments: Any, **options: Any) -> Array: ...
    def argmin(self, *arguments: Any, **options: Any) -> Array: ...
    def var(self, *arguments: Any, **options: Any) -> Array: ...
    def std(self, *arguments: Any, **options: Any) -> Array: ...
    def cumsum(self, *arguments: Any, **options: Any) -> Array: ...
    def reshape(self, *arguments: Any, **options: Any) -> Array: ...
    def astype(self, *arguments: Any, **options: Any) -> Array: ...
    def take(self, *arguments: Any, **options: Any) -> Array: ...
    def clip(self, *arguments: Any, **options: Any) -> Array: ...
    def round(self, *arguments: Any, **options: Any) -> Array: ...

inf: float
pi: Array
e: Array

def tensor(name: str) -> Array: ...
def write(results: Mapping[str, Any]) -> str: ...
def lines(results: Mapping[str, Any], taken: Set[str] = ...) -> list[tuple[str, Place | None]]: ...
@overload
def exp(x: Array) -> Array:
    """e to the power x. The shape is that of `x`."""
@overload
def exp(x: Any) -> Any: ...
@overload
def exp2(x: Array) -> Array:
    """2 to the power x. The shape is that of `x`."""
@overload
def exp2(x: Any) -> Any: ...
@overload
def expm1(x: Array) -> Array:
    """exp(x) - 1. The shape is that of `x`."""
@overload
def expm1(x: Any) -> Any: ...
@overload
def log(x: Array) -> Array:
    """Natural logarithm. The shape is that of `x`."""
@overload
def log(x: Any) -> Any: ...
@overload
def log2(x: Array) -> Array:
    """Logarithm to base 2. The shape is that of `x`."""
@overload
def log2(x: Any) -> Any: ...
@overload
def log10(x: Array) -> Array:
    """Logarithm to base 10. The shape is that of `x`."""
@overload
def log10(x: Any) -> Any: ...
@overload
def log1p(x: Array) -> Array:
    """log(1 + x). The shape is that of `x`."""
@overload
def log1p(x: Any) -> Any: ...
@overload
def sqrt(x: Array) -> Array:
    """Square root. The shape is that of `x`."""
@overload
def sqrt(x: Any) -> Any: ...
@overload
def cbrt(x: Array) -> Array:
    """Cube root. The shape is that of `x`."""
@overload
def cbrt(x: Any) -> Any: ...
@overload
def rsqrt(x: Array) -> Array:
    """1 / sqrt(x). The shape is that of `x`."""
@overload
def rsqrt(x: Any) -> Any: ...
@overload
def reciprocal(x: Array) -> Array:
    """1 / x. The shape is that of `x`."""
@overload
def reciprocal(x: Any) -> Any: ...
@overload
def square(x: Array) -> Array:
    """x * x. The shape is that of `x`."""
@overload
def square(x: Any) -> Any: ...
@overload
def pow(x: Array, y: Any) -> Array:
    """x to the power y. The shape is that of `x` and `y`, broadcast."""
@overload
def pow(x: Any, y: Array) -> Array:
    """x to the power y. The shape is that of `x` and `y`, broadcast."""
@overload
def pow(x: Any, y: Any) -> Any: ...
@overload
def abs(x: Array) -> Array:
    """Absolute value. The shape is that of `x`."""
@overload
def abs(x: Any) -> Any: ...
@overload
def neg(x: Array) -> Array:
    """-x. The shape is that of `x`."""
@overload
def neg(x: Any) -> Any: ...
@overload
def sign(x: Array) -> Array:
    """-1, 0 or 1. The shape is that of `x`."""
@overload
def sign(x: Any) -> Any: ...
@overload
def floor(x: Array) -> Array:
    """The next whole number below. The shape is that of `x`."""
@overload
def floor(x: Any) -> Any: ...
@overload
def ceil(x: Array) -> Array:
    """The next whole number above. The shape is that of `x`."""
@overload
def ceil(x: Any) -> Any: ...
@overload
def round(x: Array) -> Array:
    """The nearest whole number, ties to even. The shape is that of `x`."""
@overload
def round(x: Any) -> Any: ...
@overload
def trunc(x: Array) -> Array:
    """The next whole number towards 0. The shape is that of `x`."""
@overload
def trunc(x: Any) -> Any: ...
@overload
def sin(x: Array) -> Array:
    """Sine. The shape is that of `x`."""
@overload
def sin(x: Any) -> Any: ...
@overload
def cos(x: Array) -> Array:
    """Cosine. The shape is that of `x`."""
@overload
def cos(x: Any) -> Any: ...
@overload
def tan(x: Array) -> Array:
    """Tangent. The shape is that of `x`."""
@overload
def tan(x: Any) -> Any: ...
@overload
def sinh(x: Array) -> Array:
    """Hyperbolic sine. The shape is that of `x`."""
@overload
def sinh(x: Any) -> Any: ...
@overload
def cosh(x: Array) -> Array:
    """Hyperbolic cosine. The shape is that of `x`."""
@overload
def cosh(x: Any) -> Any: ...
@overload
def tanh(x: Array) -> Array:
    """Hyperbolic tangent. The shape is that of `x`."""
@overload
def tanh(x: Any) -> Any: ...
@overload
def atan(x: Array) -> Array:
    """Inverse of the tangent. The shape is that of `x`."""
@overload
def atan(x: Any) -> Any: ...
@overload
def asinh(x: Array) -> Array:
    """Inverse of the hyperbolic sine. The shape is that of `x`."""
@overload
def asinh(x: Any) -> Any: ...
@overload
def acosh(x: Array) -> Array:
    """Inverse of the hyperbolic cosine. The shape is that of `x`."""
@overload
def acosh(x: Any) -> Any: ...
@overload
def atanh(x: Array) -> Array:
    """Inverse of the hyperbolic tangent. The shape is that of `x`."""
@overload
def atanh(x: Any) -> Any: ...
@overload
def erf(x: Array) -> Array:
    """Error function. The shape is that of `x`."""
@overload
def erf(x: Any) -> Any: ...
@overload
def maximum(a: Array, b: Any) -> Array:
    """The larger of two. The shape is that of `a` and `b`, broadcast."""
@overload
def maximum(a: Any, b: Array) -> Array:
    """The larger of two. The shape is that of `a` and `b`, broadcast."""
@overload
def maximum(a: Any, b: Any) -> Any: ...
@overload
def minimum(a: Array, b: Any) -> Array:
    """The smaller of two. The shape is that of `a` and `b`, broadcast."""
@overload
def minimum(a: Any, b: Array) -> Array:
    """The smaller of two. The shape is that of `a` and `b`, broadcast."""
@overload
def minimum(a: Any, b: Any) -> Any: ...
@overload
def clip(x: Array, min: Any = None, max: Any = None) -> Array:
    """x, not below min and not above max. The shape is that of `x`."""
@overload
def clip(x: Any, min: Any = None, max: Any = None) -> Any: ...
@overload
def where(condition: Array, a: Any, b: Any) -> Array:
    """a where the condition holds, b elsewhere. The shape is that of `condition`, `a` and `b`, broadcast."""
@overload
def where(condition: Any, a: Array, b: Any) -> Array:
    """a where the condition holds, b elsewhere. The shape is that of `condition`, `a` and `b`, broadcast."""
@overload
def where(condition: Any, a: Any, b: Array) -> Array:
    """a where the condition holds, b elsewhere. The shape is that of `condition`, `a` and `b`, broadcast."""
@overload
def where(condition: Any, a: Any, b: Any) -> Any: ...
@overload
def astype(x: Array, dtype: Any) -> Array:
    """The same numbers in another type. The shape is that of `x`."""
@overload
def astype(x: Any, dtype: Any) -> Any: ...
@overload
def relu(x: Array) -> Array:
    """x where it is positive, 0 elsewhere. The shape is that of `x`."""
@overload
def relu(x: Any) -> Any: ...
@overload
def relu6(x: Array) -> Array:
    """x between 0 and 6. The shape is that of `x`."""
@overload
def relu6(x: Any) -> Any: ...
@overload
def leaky_relu(x: Array, negative_slope: Any = 0.01) -> Array:
    """x where it is positive, a part of it elsewhere. The shape is that of `x`."""
@overload
def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any: ...
@overload
def elu(x: Array, alpha: Any = 1) -> Array:
    """x where it is positive, alpha (exp(x) - 1) elsewhere. The shape is that of `x`."""
@overload
def elu(x: Any, alpha: Any = 1) -> Any: ...
@overload
def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)). The shape is that of `x`."""
@overload
def sigmoid(x: Any) -> Any: ...
@overload
def silu(x: Array) -> Array:
    """x sigmoid(x). The shape is that of `x`."""
@overload
def silu(x: Any) -> Any: ...
@overload
def mish(x: Array) -> Array:
    """x tanh(softplus(x)). The shape is that of `x`."""
@overload
def mish(x: Any) -> Any: ...
@overload
def softplus(x: Array, beta: Any = 1) -> Array:
    """log(1 + exp(beta x)) / beta. The shape is that of `x`."""
@overload
def softplus(x: Any, beta: Any = 1) -> Any: ...
@overload
def softsign(x: Array) -> Array:
    """x / (1 + |x|). The shape is that of `x`."""
@overload
def softsign(x: Any) -> Any: ...
@overload
def hardtanh(x: Array, min_val: Any = -1, max_val: Any = 1) -> Array:
    """x between two limits. The shape is that of `x`."""
@overload
def hardtanh(x: Any, min_val: Any = -1, max_val: Any = 1) -> Any: ...
@overload
def hardsigmoid(x: Array) -> Array:
    """A line between 0 and 1. The shape is that of `x`."""
@overload
def hardsigmoid(x: Any) -> Any: ...
@overload
def hardswish(x: Array) -> Array:
    """x hardsigmoid(x). The shape is that of `x`."""
@overload
def hardswish(x: Any) -> Any: ...
@overload
def gelu(x: Array, approximate: Any = 'none') -> Array:
    """x times the normal distribution's cumulative function, or its approximation by 'tanh'. The shape is that of `x`."""
@overload
def gelu(x: Any, approximate: Any = 'none') -> Any: ...
@overload
def sum(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Sum along axes. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def sum(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def prod(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Product along axes. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def prod(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def mean(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Mean along axes. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def mean(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def max(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Largest along axes. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def max(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def min(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Smallest along axes. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def min(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def all(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Whether all hold. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def all(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def any(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Whether some holds. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def any(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def argmax(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """The place of the largest; of several, the first. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def argmax(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def argmin(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """The place of the smallest; of several, the first. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def argmin(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def var(x: Array, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Array:
    """Variance: the mean of squared deviations. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def var(x: Any, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Any: ...
@overload
def std(x: Array, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Array:
    """Standard deviation. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def std(x: Any, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Any: ...
@overload
def distinct(x: Array) -> Array:
    """Whether no two elements are equal. Gives one truth value, without axes."""
@overload
def distinct(x: Any) -> Any: ...
@overload
def count(x: Array, axis: Any = None) -> Array:
    """How many elements lie along axes. Gives one whole number, without axes."""
@overload
def count(x: Any, axis: Any = None) -> Any: ...
@overload
def cumsum(x: Array, axis: Any = None) -> Array:
    """Running sum, its own element included. The shape is that of `x`; `axis` may be left out where `x` has one axis."""
@overload
def cumsum(x: Any, axis: Any = None) -> Any: ...
@overload
def logsumexp(x: Array, axis: Any = None, keepdims: Any = False) -> Array:
    """Log of the sum of exponentials. `axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."""
@overload
def logsumexp(x: Any, axis: Any = None, keepdims: Any = False) -> Any: ...
@overload
def softmax(x: Array, axis: Any = -1) -> Array:
    """exp(x) / sum of exp(x). The shape is that of `x`."""
@overload
def softmax(x: Any, axis: Any = -1) -> Any: ...
@overload
def log_softmax(x: Array, axis: Any = -1) -> Array:
    """Log of softmax. The shape is that of `x`."""
@overload
def log_softmax(x: Any, axis: Any = -1) -> Any: ...
@overload
def layer_norm(x: Array, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Array:
    """x with mean 0 and variance 1 along the last axis, scaled and shifted. The shape is that of `x`; `weight` and `bias` have one axis, as long as its last."""
@overload
def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any: ...
@overload
def rms_norm(x: Array, weight: Any = None, eps: Any = 0) -> Array:
    """x with mean square 1 along the last axis, scaled. The shape is that of `x`; `weight` has one axis, as long as its last."""
@overload
def rms_norm(x: Any, weight: Any = None, eps: Any = 0) -> Any: ...
@overload
def group_norm(x: Array, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Array:
    """x with mean 0 and variance 1 in each group of channels (axis 1), scaled and shifted. `x` is (batch, channels, …), and so is the result; `weight` and `bias` are (channels,)."""
@overload
def group_norm(x: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any: ...
@overload
def cross_entropy(x: Array, target: Any, axis: Any = -1) -> Array:
    """-log_softmax(x) at the target, for each row; classes are the last axis. `x` is (…, classes); `target` and the result are (…)."""
@overload
def cross_entropy(x: Any, target: Any, axis: Any = -1) -> Any: ...
@overload
def mse_loss(x: Array, y: Any) -> Array:
    """Mean of squared differences. Gives one number, without axes."""
@overload
def mse_loss(x: Any, y: Array) -> Array:
    """Mean of squared differences. Gives one number, without axes."""
@overload
def mse_loss(x: Any, y: Any) -> Any: ...
@overload
def reshape(x: Array, shape: Any) -> Array:
    """The same elements, row by row, in another shape. The shape is `shape`, of which one length may be -1."""
@overload
def reshape(x: Any, shape: Any) -> Any: ...
@overload
def permute_dims(x: Array, axes: Any) -> Array:
    """Axes in another order. Axis i of the result is axis `axes[i]` of `x`."""
@overload
def permute_dims(x: Any, axes: Any) -> Any: ...
@overload
def expand_dims(x: Array, axis: Any = 0) -> Array:
    """With one more axis of length 1. The new axis is number `axis`: (2, 3) becomes (1, 2, 3)."""
@overload
def expand_dims(x: Any, axis: Any = 0) -> Any: ...
@overload
def concat(arrays: Sequence[Array], axis: Any = 0) -> Array:
    """Arrays behind one another along an axis. Lengths along `axis` are added; the other ones are equal."""
@overload
def concat(arrays: Any, axis: Any = 0) -> Any: ...
@overload
def stack(arrays: Sequence[Array], axis: Any = 0) -> Array:
    """Arrays behind one another along a new axis. All have one shape; the new axis is number `axis`."""
@overload
def stack(arrays: Any, axis: Any = 0) -> Any: ...
@overload
def broadcast_to(x: Array, shape: Any) -> Array:
    """Repeated to a shape. The shape is `shape`."""
@overload
def broadcast_to(x: Any, shape: Any) -> Any: ...
@overload
def flip(x: Array, axis: Any = None) -> Array:
    """In the opposite order. The shape is that of `x`."""
@overload
def flip(x: Any, axis: Any = None) -> Any: ...
def arange(start: Any, stop: Any = None, step: Any = 1) -> Array:
    """0, 1, 2, …. One axis: of `arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`."""
def zeros(shape: Any) -> Array:
    """Zeros. The shape is `shape`: a length, or several."""
def ones(shape: Any) -> Array:
    """Ones. The shape is `shape`: a length, or several."""
def full(shape: Any, fill_value: Any) -> Array:
    """One value everywhere. The shape is `shape`: a length, or several."""
@overload
def zeros_like(x: Array) -> Array:
    """Zeros in the shape of x. The shape is that of `x`."""
@overload
def zeros_like(x: Any) -> Any: ...
@overload
def ones_like(x: Array) -> Array:
    """Ones in the shape of x. The shape is that of `x`."""
@overload
def ones_like(x: Any) -> Any: ...
@overload
def take(x: Array, indices: Any, axis: Any = 0) -> Array:
    """The elements at indices along an axis. The axis is replaced by those of `indices`."""
@overload
def take(x: Any, indices: Any, axis: Any = 0) -> Any: ...
@overload
def matmul(a: Array, b: Any) -> Array:
    """Matrix product. (…, n, k) and (…, k, m) give (…, n, m); a vector has one axis."""
@overload
def matmul(a: Any, b: Array) -> Array:
    """Matrix product. (…, n, k) and (…, k, m) give (…, n, m); a vector has one axis."""
@overload
def matmul(a: Any, b: Any) -> Any: ...
@overload
def einsum(subscripts: Any, a: Array, b: Any = None, c: Any = None) -> Array:
    """Sum of products over the letters that the result lacks. One letter for each axis: `einsum('ik,kj->ij', a, b)`."""
@overload
def einsum(subscripts: Any, a: Any, b: Any = None, c: Any = None) -> Any: ...
@overload
def conv1d(x: Array, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Array:
    """Convolution of (batch, channels, length). `x` is (batch, channels, length), `weight` (outputs, channels / groups, window); gives (batch, outputs, …)."""
@overload
def conv1d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any: ...
@overload
def conv2d(x: Array, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Array:
    """Convolution of (batch, channels, height, width). `x` is (batch, channels, height, width), `weight` (outputs, channels / groups, height and width of the window); gives (batch, outputs, …, …)."""
@overload
def conv2d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any: ...
@overload
def max_pool2d(x: Array, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Array:
    """Largest in each window. `x` is (…, height, width); lengths may be a number or a pair."""
@overload
def max_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any: ...
@overload
def avg_pool2d(x: Array, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Array:
    """Mean of each window, what is padded counted. `x` is (…, height, width); lengths may be a number or a pair."""
@overload
def avg_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any: ...
