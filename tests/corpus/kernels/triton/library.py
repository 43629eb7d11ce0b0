"""Triton kernels of one function of the math library each: what its inlined code looks like."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def library(x, y, BLOCK: tl.constexpr, FUNCTION: tl.constexpr):
    """One function of the math library that Triton links (libdevice), or of its language."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if FUNCTION == "erf":
        v = tl.math.erf(v)
    elif FUNCTION == "sin":
        v = tl.math.sin(v)
    elif FUNCTION == "cos":
        v = tl.math.cos(v)
    elif FUNCTION == "exp":
        v = libdevice.exp(v)
    elif FUNCTION == "exp2":
        v = libdevice.exp2(v)
    elif FUNCTION == "expm1":
        v = libdevice.expm1(v)
    elif FUNCTION == "log":
        v = libdevice.log(v)
    elif FUNCTION == "log2":
        v = libdevice.log2(v)
    elif FUNCTION == "log10":
        v = libdevice.log10(v)
    elif FUNCTION == "log1p":
        v = libdevice.log1p(v)
    elif FUNCTION == "tanh":
        v = libdevice.tanh(v)
    elif FUNCTION == "erfc":
        v = libdevice.erfc(v)
    elif FUNCTION == "normcdf":
        v = libdevice.normcdf(v)
    elif FUNCTION == "tan":
        v = libdevice.tan(v)
    elif FUNCTION == "sinh":
        v = libdevice.sinh(v)
    elif FUNCTION == "cosh":
        v = libdevice.cosh(v)
    elif FUNCTION == "asinh":
        v = libdevice.asinh(v)
    elif FUNCTION == "cbrt":
        v = libdevice.cbrt(v)
    elif FUNCTION == "rcbrt":
        v = libdevice.rcbrt(v)
    elif FUNCTION == "round":
        v = libdevice.round(v)
    tl.store(y + i, v)


@triton.jit
def library_of_two(x, y, z, BLOCK: tl.constexpr, FUNCTION: tl.constexpr):
    """The same for functions of two numbers."""
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(y + i)
    if FUNCTION == "pow":
        c = libdevice.pow(a, b)
    elif FUNCTION == "fmod":
        c = libdevice.fmod(a, b)
    elif FUNCTION == "hypot":
        c = libdevice.hypot(a, b)
    tl.store(z + i, c)
