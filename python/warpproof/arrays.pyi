# What `arrays.py` makes of the table of functions. Made by `generate.py` from `crate/src/formula/functions.rs`.

from collections.abc import Callable, Mapping
from typing import Any

class Array:
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, index: Any) -> Array: ...
    def __float__(self) -> float: ...
    def __index__(self) -> int: ...
    def __abs__(self) -> Any: ...
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __eq__(self, other: Any) -> Any: ...
    def __ne__(self, other: Any) -> Any: ...
    def __lt__(self, other: Any) -> Any: ...
    def __le__(self, other: Any) -> Any: ...
    def __gt__(self, other: Any) -> Any: ...
    def __ge__(self, other: Any) -> Any: ...
    def __add__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __floordiv__(self, other: Any) -> Any: ...
    def __mod__(self, other: Any) -> Any: ...
    def __pow__(self, other: Any) -> Any: ...
    def __matmul__(self, other: Any) -> Any: ...
    def __and__(self, other: Any) -> Any: ...
    def __or__(self, other: Any) -> Any: ...
    def __xor__(self, other: Any) -> Any: ...
    def __lshift__(self, other: Any) -> Any: ...
    def __rshift__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __rfloordiv__(self, other: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Any: ...
    def __rpow__(self, other: Any) -> Any: ...
    def __rmatmul__(self, other: Any) -> Any: ...
    def __rand__(self, other: Any) -> Any: ...
    def __ror__(self, other: Any) -> Any: ...
    def __rxor__(self, other: Any) -> Any: ...
    def __rlshift__(self, other: Any) -> Any: ...
    def __rrshift__(self, other: Any) -> Any: ...

inf: float
pi: Array
e: Array

def tensor(name: str) -> Array: ...
def write(results: Mapping[str, Any]) -> str: ...
def trace(function: Callable[..., Any], outputs: Callable[[list[str]], str]) -> str: ...
def exp(x: Any) -> Any:
    """E to the power x."""
def exp2(x: Any) -> Any:
    """2 to the power x."""
def expm1(x: Any) -> Any:
    """Exp(x) - 1."""
def log(x: Any) -> Any:
    """Natural logarithm."""
def log2(x: Any) -> Any:
    """Logarithm to base 2."""
def log10(x: Any) -> Any:
    """Logarithm to base 10."""
def log1p(x: Any) -> Any:
    """Log(1 + x)."""
def sqrt(x: Any) -> Any:
    """Square root."""
def cbrt(x: Any) -> Any:
    """Cube root."""
def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
def reciprocal(x: Any) -> Any:
    """1 / x."""
def square(x: Any) -> Any:
    """X * x."""
def pow(x: Any, y: Any) -> Any:
    """X to the power y."""
def abs(x: Any) -> Any:
    """Absolute value."""
def neg(x: Any) -> Any:
    """-x."""
def sign(x: Any) -> Any:
    """-1, 0 or 1."""
def floor(x: Any) -> Any:
    """The next whole number below."""
def ceil(x: Any) -> Any:
    """The next whole number above."""
def round(x: Any) -> Any:
    """The nearest whole number, ties to even."""
def trunc(x: Any) -> Any:
    """The next whole number towards 0."""
def sin(x: Any) -> Any:
    """Sine."""
def cos(x: Any) -> Any:
    """Cosine."""
def tan(x: Any) -> Any:
    """Tangent."""
def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
def atan(x: Any) -> Any:
    """Inverse of the tangent."""
def asinh(x: Any) -> Any:
    """Inverse of the hyperbolic sine."""
def acosh(x: Any) -> Any:
    """Inverse of the hyperbolic cosine."""
def atanh(x: Any) -> Any:
    """Inverse of the hyperbolic tangent."""
def erf(x: Any) -> Any:
    """Error function."""
def maximum(a: Any, b: Any) -> Any:
    """The larger of two."""
def minimum(a: Any, b: Any) -> Any:
    """The smaller of two."""
def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """X, not below min and not above max."""
def where(condition: Any, a: Any, b: Any) -> Any:
    """A where the condition holds, b elsewhere."""
def astype(x: Any, dtype: Any) -> Any:
    """The same numbers in another type."""
def relu(x: Any) -> Any:
    """X where it is positive, 0 elsewhere."""
def relu6(x: Any) -> Any:
    """X between 0 and 6."""
def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """X where it is positive, a part of it elsewhere."""
def elu(x: Any, alpha: Any = 1) -> Any:
    """X where it is positive, alpha (exp(x) - 1) elsewhere."""
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
def silu(x: Any) -> Any:
    """X sigmoid(x)."""
def mish(x: Any) -> Any:
    """X tanh(softplus(x))."""
def softplus(x: Any, beta: Any = 1) -> Any:
    """Log(1 + exp(beta x)) / beta."""
def softsign(x: Any) -> Any:
    """X / (1 + |x|)."""
def hardtanh(x: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    """X between two limits."""
def hardsigmoid(x: Any) -> Any:
    """A line between 0 and 1."""
def hardswish(x: Any) -> Any:
    """X hardsigmoid(x)."""
def gelu(x: Any, approximate: Any = 'none') -> Any:
    """X times the normal distribution's cumulative function, or its approximation by 'tanh'."""
def sum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Sum along axes."""
def prod(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Product along axes."""
def mean(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Mean along axes."""
def max(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Largest along axes."""
def min(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Smallest along axes."""
def all(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Whether all hold."""
def any(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Whether some holds."""
def argmax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The place of the largest; of several, the first."""
def argmin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The place of the smallest; of several, the first."""
def var(x: Any, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Any:
    """Variance: the mean of squared deviations."""
def std(x: Any, axis: Any = None, correction: Any = 0, keepdims: Any = False) -> Any:
    """Standard deviation."""
def distinct(x: Any) -> Any:
    """Whether no two elements are equal."""
def count(x: Any, axis: Any = None) -> Any:
    """How many elements lie along axes."""
def cumsum(x: Any, axis: Any = None) -> Any:
    """Running sum, its own element included."""
def logsumexp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Log of the sum of exponentials."""
def softmax(x: Any, axis: Any = -1) -> Any:
    """Exp(x) / sum of exp(x)."""
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Log of softmax."""
def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """X with mean 0 and variance 1 along the last axis, scaled and shifted."""
def rms_norm(x: Any, weight: Any = None, eps: Any = 0) -> Any:
    """X with mean square 1 along the last axis, scaled."""
def group_norm(x: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """X with mean 0 and variance 1 in each group of channels (axis 1), scaled and shifted."""
def cross_entropy(x: Any, target: Any, axis: Any = -1) -> Any:
    """-log_softmax(x) at the target, for each row; classes are the last axis."""
def mse_loss(x: Any, y: Any) -> Any:
    """Mean of squared differences."""
def reshape(x: Any, shape: Any) -> Any:
    """The same elements, row by row, in another shape."""
def permute_dims(x: Any, axes: Any) -> Any:
    """Axes in another order."""
def expand_dims(x: Any, axis: Any = 0) -> Any:
    """With one more axis of length 1."""
def concat(arrays: Any, axis: Any = 0) -> Any:
    """Arrays behind one another along an axis."""
def stack(arrays: Any, axis: Any = 0) -> Any:
    """Arrays behind one another along a new axis."""
def broadcast_to(x: Any, shape: Any) -> Any:
    """Repeated to a shape."""
def flip(x: Any, axis: Any = None) -> Any:
    """In the opposite order."""
def arange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """0, 1, 2, …."""
def zeros(shape: Any) -> Any:
    """Zeros."""
def ones(shape: Any) -> Any:
    """Ones."""
def full(shape: Any, fill_value: Any) -> Any:
    """One value everywhere."""
def zeros_like(x: Any) -> Any:
    """Zeros in the shape of x."""
def ones_like(x: Any) -> Any:
    """Ones in the shape of x."""
def take(x: Any, indices: Any, axis: Any = 0) -> Any:
    """The elements at indices along an axis."""
def matmul(a: Any, b: Any) -> Any:
    """Matrix product."""
def einsum(subscripts: Any, a: Any, b: Any = None, c: Any = None) -> Any:
    """Sum of products over the letters that the result lacks."""
def conv1d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """Convolution of (batch, channels, length)."""
def conv2d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """Convolution of (batch, channels, height, width)."""
def max_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any:
    """Largest in each window."""
def avg_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any:
    """Mean of each window, what is padded counted."""
