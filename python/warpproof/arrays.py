"""The functions of formulas, for references that are Python functions.

    from warpproof.arrays import softmax

    def attention(Q, K, V):
        return softmax(Q @ K.T / 8) @ V

``attention`` runs in NumPy, and as a reference it is a formula: it is called with `Array` objects, which note what
is done to them (`tracing`). The functions, their parameters and their meaning are the engine's table
(docs/formulas.md); what NumPy lacks is defined from the same table. The array API's other names are said with these
(`standard`).

Guaranteed: what cannot be said as a formula raises `TraceError`. Missed: what Python does to plain numbers before
they meet an array or a function from here is done in floating point (``math.sqrt(2)``; ``sqrt(2)`` from here is
exact; a float of 15 or more digits counts as such a rounded number, and is read as constants of kernels are), and a
branch on anything but an array is taken once, while the function is traced.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Set
from functools import lru_cache, partial
from typing import Any

from . import _engine, places, shapes
from .errors import MissingPackage, Place, TraceError

_BY_NAME = ("axis", "correction", "keepdims")
"""Parameters that NumPy takes by name; the others it takes by position."""
_OPERANDS = ("x", "y", "a", "b", "condition", "min", "max", "fill_value")
"""Parameters that are computed with: elsewhere, a whole number is a place or a size."""

_BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult,
    "and": ast.BitAnd,
    "or": ast.BitOr,
    "xor": ast.BitXor,
    "lshift": ast.LShift,
    "rshift": ast.RShift,
}
_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}
_UNARY: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert}
_ATTRIBUTES = ("T", "mT", "shape", "ndim", "size", "dtype")
_METHODS = (
    *("sum", "prod", "mean", "max", "min", "all", "any", "argmax", "argmin", "var", "std", "cumsum"),
    *("reshape", "astype", "take", "clip", "round"),
)


class Unsaid(TraceError, AttributeError):
    """A name of NumPy's that formulas lack: also an `AttributeError`, so that `hasattr` is False."""


class Array:
    """What a traced function is called with, and what the functions here make of it.

    Operators, indices, ``shape``, ``ndim``, ``size``, ``T``, ``mT`` and common methods are noted. What is made of
    numbers alone (``sqrt(2)``, ``arange(4)``) has a value, too: ``float(…)``, ``numpy.asarray(…)``, and by itself
    where it meets an array of NumPy's.
    """

    __array_ufunc__ = None  # NumPy's arrays leave operators to this class

    def __init__(
        self, build: Callable[..., ast.expr], operands: tuple[Any, ...], constant: builtins.bool | None = None
    ) -> None:
        self._build = build
        self._operands = operands
        self._at = places.caller() if operands else None
        self._parts = _arrays(operands)
        self._constant = (
            builtins.all(part._constant for part in self._parts) if constant is None else constant
        )

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        import warpproof.arrays

        return warpproof.arrays

    def __getattr__(self, name: str) -> Any:
        if name in _ATTRIBUTES:
            return Array(lambda base: ast.Attribute(base, name), (self,))
        if name not in _METHODS:
            raise Unsaid(f"the arrays of a formula have no `{name}`")
        if name == "reshape":
            return lambda *shape: _function(name)(self, shape[0] if len(shape) == 1 else list(shape))
        return partial(_function(name), self)

    def __getitem__(self, index: Any) -> Array:
        def build(base: ast.expr, *items: ast.expr) -> ast.expr:
            return ast.Subscript(base, items[0] if len(items) == 1 else ast.Tuple(list(items)))

        return Array(build, (self, *(index if isinstance(index, tuple) else (index,))))

    def __bool__(self) -> builtins.bool:
        return builtins.bool(
            self._value("a formula cannot branch on the values of an array: write `where(condition, a, b)`")
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TraceError("a formula cannot change elements of an array: write the new array, with `where`")

    def __iter__(self) -> Any:
        raise TraceError("a formula cannot go over the elements of an array: write it with axes")

    def __len__(self) -> int:
        raise TraceError("write `x.shape[0]` for the length: sizes are not known while a function is traced")

    def __index__(self) -> int:
        return int(self._value("sizes are not known while a function is traced: use `arange`, not `range`"))

    def __float__(self) -> float:
        return float(self._value("an array has no value while a function is traced"))

    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
        value = self._value("NumPy's functions cannot be traced: use those of `warpproof.arrays`")
        return _numpy().asarray(value, dtype)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        # Constants have a value; for others, `__array__` says what to write.
        return function(*map(_valued, arguments), **{name: _valued(value) for name, value in options.items()})

    def __abs__(self) -> Any:
        return _function("abs")(self)

    def __repr__(self) -> str:
        return f"Array({write({'y': self})!r})"

    def _value(self, otherwise: str) -> Any:
        """What a constant is in NumPy; `otherwise` says why that is not known of others."""
        if not self._constant:
            raise TraceError(otherwise)
        return _run(write({"result": self}), {})


def _valued(value: Any) -> Any:
    """An operand for a function of NumPy's."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(_valued, value))
    return value.__array__() if isinstance(value, Array) else value


def tensor(name: str) -> Array:
    """A tensor or scalar of the kernel."""
    return Array(lambda: ast.Name(name), (), constant=False)


def _arrays(value: Any) -> list[Array]:
    """The arrays of ours in a value."""
    if isinstance(value, slice):
        value = (value.start, value.stop, value.step)
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, Array) else []


def _literal(value: Any) -> ast.expr:
    """A value of Python's as part of a formula."""
    if _is_number(value):
        value = value.item()
    if value is None or value is ... or isinstance(value, (builtins.bool, str)):
        return ast.Constant(value)
    if hasattr(value, "shape") or not hasattr(value, "__float__"):
        raise TraceError(
            f"a formula cannot hold a {type(value).__name__}: make it a parameter, that is a tensor"
        )
    value = value.__index__() if hasattr(value, "__index__") else float(value)
    if math.isnan(value):
        raise TraceError("formulas have no NaN")
    size: ast.expr = ast.Name("inf") if math.isinf(value) else ast.Constant(builtins.abs(value))
    return ast.UnaryOp(ast.USub(), size) if value < 0 else size


def write(results: Mapping[str, Any]) -> str:
    """Arrays as the text of a formula, one assignment each; what is used more than once has a name of its own."""
    return "".join(line for line, _ in lines(results))


def lines(results: Mapping[str, Any], taken: Set[str] = frozenset()) -> list[tuple[str, Place | None]]:
    """The lines of `write`, with where each was computed.

    `taken` has the names of all tensors and scalars: what the formula names of its own is called otherwise, and a
    constant of the language that one of them is called like is a `TraceError`.
    """
    uses: Counter[int] = Counter()
    order: list[Array] = []

    def visit(array: Array) -> None:
        uses[id(array)] += 1
        if uses[id(array)] == 1:
            for part in array._parts:
                visit(part)
            order.append(array)

    for array in _arrays(list(results.values())):
        visit(array)
    leaves = {array._build().id for array in order if not array._operands}  # type: ignore[attr-defined]
    free = itertools.filterfalse(
        (leaves | taken | set(results)).__contains__, (f"t{number}" for number in itertools.count(1))
    )
    given: dict[int, str] = {}

    def expression(value: Any) -> ast.expr:
        if isinstance(value, Array):
            if id(value) in given:
                return ast.Name(given[id(value)])
            if value._operands or not value._constant:
                return built(value)
            return constant(value._build())
        if isinstance(value, (tuple, list)):
            return ast.List([expression(item) for item in value])
        if isinstance(value, slice):
            ends = (value.start, value.stop, value.step)
            return ast.Slice(*(None if end is None else expression(end) for end in ends))
        return constant(_literal(value))

    def constant(literal: ast.expr) -> ast.expr:
        for word in _words(literal):
            if word in taken:
                raise TraceError(
                    f"`{word}` is a tensor or scalar of the kernel here, so the formula cannot mean the constant by "
                    "it: give the kernel's parameter another name (`args`)"
                )
        return literal

    def built(array: Array) -> ast.expr:
        try:
            return array._build(*map(expression, array._operands))
        except TraceError as error:
            error.location = error.location or places.whole(array._at)
            raise

    found: list[tuple[str, Place | None]] = []

    def assign(name: str, value: ast.expr, at: Place | None) -> None:
        found.append((f"{name} = {ast.unparse(value)}\n", at))

    for array in order:
        if uses[id(array)] > 1 and array._operands:
            name = next(free)
            assign(name, built(array), array._at)
            given[id(array)] = name
    values = [
        (name, expression(value), value._at if isinstance(value, Array) else None)
        for name, value in results.items()
    ]
    if len(values) > 1 and not leaves.isdisjoint(results):
        # A line reads what the lines before it have assigned; all outputs are made of what tensors held before.
        for at, (name, value, place) in enumerate(values):
            before = next(free)
            assign(before, value, place)
            values[at] = (name, ast.Name(before), place)
    for name, value, place in values:
        assign(name, value, place)
    return found


def _words(literal: ast.expr) -> list[str]:
    """The names of constants in a literal, which are words that a tensor could have, too."""
    nodes = list(ast.walk(literal))
    named = [node.id for node in nodes if isinstance(node, ast.Name)]
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return named + [str(value) for value in values if value is None or isinstance(value, builtins.bool)]


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as missing:
        raise MissingPackage("this needs NumPy: `pip install numpy`") from missing
    return numpy


@lru_cache(maxsize=None)
def _program(formula: str) -> Any:
    text = _engine.numpy(formula)
    if text is None:
        raise NotImplementedError(f"NumPy has nothing for this formula: {formula.strip()}")
    return compile(text, "<formula>", "exec")


def _run(formula: str, values: dict[str, Any]) -> Any:
    """The `result` of a formula in NumPy."""
    _numpy()
    names = dict(values)
    exec(_program(formula), names)
    return names["result"]


def _flat(values: Any) -> list[Any]:
    """The operands in lists of operands."""
    return [
        item for value in values for item in (_flat(value) if isinstance(value, (tuple, list)) else [value])
    ]


def _is_concrete(values: Any) -> builtins.bool:
    """Whether operands are for NumPy: an array of somebody else's is among them, or a number and no `Array`."""
    flat = _flat(values)
    foreign = [it for it in flat if hasattr(it, "__array__") and not isinstance(it, (Array, type))]
    ours = builtins.any(isinstance(it, Array) for it in flat)
    return builtins.any(not ours or not _is_number(it) for it in foreign)


def _concrete(value: Any) -> Any:
    """An operand for NumPy."""
    if isinstance(value, (tuple, list)):
        return [_concrete(item) for item in value]
    return (
        value._value("a traced array meets one of NumPy's: make that a parameter, too")
        if isinstance(value, Array)
        else value
    )


def _is_number(value: Any) -> builtins.bool:
    """Whether a value is a number of NumPy's: an array without axes."""
    if isinstance(value, (Array, type)) or not hasattr(value, "__array__"):
        return False
    return getattr(value, "shape", None) == () and hasattr(value, "item")


def _typed(value: Any) -> Any:
    """A whole number of NumPy's has a type, as in NumPy; one of Python's has that of what it meets."""
    if _is_number(value) and type(value.item()) is int:
        return _function("astype")(value.item(), value.dtype)
    return value


def _operator(function: Callable[..., Any], build: Callable[..., ast.expr]) -> Callable[..., Any]:
    """An operator of Python's on whatever meets an `Array`."""

    def made(*sides: Any) -> Any:
        if _is_concrete(sides):
            return function(*map(_concrete, sides))
        return Array(build, tuple(map(_typed, sides)))

    return made


def _in_place(sign: type[ast.operator]) -> Callable[..., Any]:
    """NumPy changes the array that an operator such as `+=` stands at, whatever else names it."""

    def refused(self: Array, other: Any) -> Any:
        instead = ast.unparse(ast.BinOp(ast.Name("s"), sign(), ast.Name("v")))
        raise TraceError(f"a formula cannot change an array in place, as NumPy does: write `s = {instead}`")

    return refused


def _add_operators() -> None:
    for name, sign in _BINARY.items():
        made = _operator(getattr(operator, f"__{name}__"), lambda a, b, sign=sign: ast.BinOp(a, sign(), b))
        setattr(Array, f"__{name}__", lambda self, other, made=made: made(self, other))
        setattr(Array, f"__r{name}__", lambda self, other, made=made: made(other, self))
        setattr(Array, f"__i{name}__", _in_place(sign))
    for name, relation in _COMPARISONS.items():
        made = _operator(
            getattr(operator, name), lambda a, b, relation=relation: ast.Compare(a, [relation()], [b])
        )
        setattr(Array, f"__{name}__", lambda self, other, made=made: made(self, other))
    for name, prefix in _UNARY.items():
        made = _operator(getattr(operator, name), lambda a, prefix=prefix: ast.UnaryOp(prefix(), a))
        setattr(Array, f"__{name}__", lambda self, made=made: made(self))


def _dtype_name(dtype: Any) -> str:
    """`float32` of what Python, NumPy, PyTorch and others call a type."""
    name = str(getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or dtype).rpartition(".")[2]
    if not name.isidentifier():
        raise TraceError(f"`{dtype}` is no type of elements")
    return {"float": "float64", "int": "int64"}.get(name, name)


def _made(name: str, parameters: str, help: str) -> Callable[..., Any]:
    """A function of the table: a formula of `Array` objects and plain numbers, NumPy's result of NumPy's arrays."""
    signature = inspect.signature(eval(f"lambda {parameters}: None"))

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TraceError(f"`{name}({parameters})`: {error}") from None
        if _is_concrete(list(bound.arguments.values())):
            return _in_numpy(name, bound)
        for key in bound.arguments.keys() & _OPERANDS:
            bound.arguments[key] = _typed(bound.arguments[key])
        given = {key: bound.arguments[key] for key in kwargs}
        args, kwargs = tuple(bound.arguments.values())[: len(args)], given
        if "dtype" in bound.arguments:
            dtype = bound.arguments["dtype"]
            if not isinstance(dtype, Array):  # a type is a word of the formula
                word = _dtype_name(dtype)
                dtype = Array(lambda: ast.Name(word), (), constant=True)
            args, kwargs = (bound.args[0], dtype), {}

        def build(*operands: ast.expr) -> ast.expr:
            keywords = [ast.keyword(key, value) for key, value in zip(kwargs, operands[len(args) :])]
            return ast.Call(ast.Name(name), list(operands[: len(args)]), keywords)

        return Array(build, (*args, *kwargs.values()))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = shapes.document(name, parameters, help)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _in_numpy(name: str, bound: inspect.BoundArguments) -> Any:
    """A function of the table on NumPy's arrays: as the formula `result = f(a0, a1, axis=axis)`."""
    last = builtins.max(at for at, key in enumerate(bound.signature.parameters) if key in bound.arguments)
    bound.apply_defaults()
    words, values = [], {}
    for at, (key, value) in enumerate(bound.arguments.items()):
        if key in _BY_NAME:
            words.append(f"{key}={key}_")
            values[f"{key}_"] = tuple(value) if isinstance(value, list) else value
        elif key == "dtype":
            words.append(_dtype_name(value))
        elif at <= last:
            words.append(f"a{at}")
            values[f"a{at}"] = _concrete(value)
    return _run(f"result = {name}({', '.join(words)})\n", values)


def _function(name: str) -> Callable[..., Any]:
    return globals()[name]  # type: ignore[no-any-return]


_add_operators()
inf = math.inf
"""Infinity."""
pi = Array(lambda: ast.Name("pi"), (), constant=True)
"""The number, not its nearest float."""
e = Array(lambda: ast.Name("e"), (), constant=True)
"""The number, not its nearest float."""
globals().update({name: _made(name, parameters, help) for name, parameters, help in _engine.functions()})

from .standard import *  # noqa: E402, F403, the array API's other names, which are said with these
from .standard import __all__ as _standard  # noqa: E402


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise Unsaid(f"a formula has no `{name}`: `warpproof.arrays.__all__` lists what there is")


__all__ = ["Array", "e", "inf", "pi", *(name for name, _, _ in _engine.functions()), *_standard]
