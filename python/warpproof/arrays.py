"""The functions of formulas, for references that are Python functions.

    from warpproof.arrays import softmax

    def attention(Q, K, V):
        return softmax(Q @ K.T / 8) @ V

``attention`` runs in NumPy, and as a reference it is a formula: it is called with `Array` objects, which note what
is done to them (`trace`). The functions, their parameters and their meaning are the engine's table
(docs/formulas.md); what NumPy lacks is defined from the same table.

Guaranteed: what cannot be said as a formula raises `TraceError`. Missed: what Python does to plain numbers before
they meet an array or a function from here is done in floating point (``math.sqrt(2)``; ``sqrt(2)`` from here is
exact; a float of 15 or more digits counts as such a rounded number, and is read as constants of kernels are), and a branch on anything but an array is taken once, while the function is traced.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import operator
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import FrameType
from typing import Any

from . import _engine
from .errors import MissingPackage, Place, TraceError

_BY_NAME = ("axis", "correction", "keepdims")
"""Parameters that NumPy takes by name; the others it takes by position."""

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


class Array:
    """What a traced function is called with, and what the functions here make of it.

    Operators, indices, ``shape``, ``ndim``, ``size``, ``T``, ``mT`` and common methods are noted. What is made of
    numbers alone (``sqrt(2)``, ``arange(4)``) has a value, too: ``float(…)``, ``numpy.asarray(…)``, and by itself
    where it meets an array of NumPy's.
    """

    __array_ufunc__ = None  # NumPy's arrays leave operators to this class

    def __init__(
        self, build: Callable[..., ast.expr], operands: tuple[Any, ...], constant: bool | None = None
    ) -> None:
        self._build = build
        self._operands = operands
        self._at = _caller()
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
            raise AttributeError(f"the arrays of a formula have no `{name}`")
        if name == "reshape":
            return lambda *shape: _function(name)(self, shape[0] if len(shape) == 1 else list(shape))
        return partial(_function(name), self)

    def __getitem__(self, index: Any) -> Array:
        def build(base: ast.expr, *items: ast.expr) -> ast.expr:
            return ast.Subscript(base, items[0] if len(items) == 1 else ast.Tuple(list(items)))

        return Array(build, (self, *(index if isinstance(index, tuple) else (index,))))

    def __bool__(self) -> bool:
        return bool(
            self._value("a formula cannot branch on the values of an array: write `where(condition, a, b)`")
        )

    def __iter__(self) -> Any:
        raise TraceError("a formula cannot go over the elements of an array: write it with axes")

    def __len__(self) -> int:
        raise TraceError("write `x.shape[0]` for the length: sizes are not known while a function is traced")

    def __index__(self) -> int:
        return int(self._value("sizes are not known while a function is traced: use `arange`, not `range`"))

    def __float__(self) -> float:
        return float(self._value("an array has no value while a function is traced"))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
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
    if value is None or value is ... or isinstance(value, (bool, str)):
        return ast.Constant(value)
    if getattr(value, "shape", ()) or not hasattr(value, "__float__"):
        raise TraceError(
            f"a formula cannot hold a {type(value).__name__}: make it a parameter, that is a tensor"
        )
    value = value.__index__() if hasattr(value, "__index__") else float(value)
    if math.isnan(value):
        raise TraceError("formulas have no NaN")
    size: ast.expr = ast.Name("inf") if math.isinf(value) else ast.Constant(builtins.abs(value))
    return ast.UnaryOp(ast.USub(), size) if value < 0 else size


def _caller() -> Place:
    """The line of somebody else's that is being executed."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno) if frame else Place("", 0)


def _whole(place: Place) -> Place:
    """The same with the text of the line."""
    return replace(place, excerpt=linecache.getline(place.source, place.line).rstrip())


def write(results: Mapping[str, Any]) -> str:
    """Arrays as the text of a formula, one assignment each; what is used more than once has a name of its own."""
    return "".join(line for line, _ in _written(results))


def _written(results: Mapping[str, Any]) -> list[tuple[str, Place | None]]:
    """The lines of `write`, with where each was computed."""
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
    names = {array._build().id for array in order if not array._operands}  # type: ignore[attr-defined]
    free = (
        f"t{number}" for number in range(1, 2 * len(order) + 2) if f"t{number}" not in names | set(results)
    )
    given: dict[int, str] = {}

    def expression(value: Any) -> ast.expr:
        if isinstance(value, Array):
            return ast.Name(given[id(value)]) if id(value) in given else built(value)
        if isinstance(value, (tuple, list)):
            return ast.List([expression(item) for item in value])
        if isinstance(value, slice):
            ends = (value.start, value.stop, value.step)
            return ast.Slice(*(None if end is None else expression(end) for end in ends))
        return _literal(value)

    def built(array: Array) -> ast.expr:
        return array._build(*map(expression, array._operands))

    lines: list[tuple[str, Place | None]] = []
    for array in order:
        if uses[id(array)] > 1 and array._operands:
            name = next(free)
            lines.append((f"{name} = {ast.unparse(built(array))}\n", array._at))
            given[id(array)] = name
    for name, value in results.items():
        at = value._at if isinstance(value, Array) else None
        lines.append((f"{name} = {ast.unparse(expression(value))}\n", at))
    return lines


def trace(function: Callable[..., Any], outputs: Callable[[list[str]], str]) -> str:
    """A Python function as a formula. Its parameters are the names of tensors and scalars.

    It returns a dict from the names of outputs to arrays, or one array, whose name `outputs` gives for the names
    of the parameters. Raises `TraceError` for what a formula cannot say.
    """
    return trace_with_places(function, outputs)[0]


def trace_with_places(
    function: Callable[..., Any], outputs: Callable[[list[str]], str]
) -> tuple[str, list[Place | None]]:
    """The same, and which line of Python's each line of the formula comes from."""
    code = getattr(function, "__code__", None)
    own = _whole(Place(code.co_filename, code.co_firstlineno)) if code else None
    try:
        lines = _written(_results(function, outputs))
    except TraceError as error:
        at = _line_of(error)
        error.location = error.location or (_whole(at) if at else own)
        raise
    return "".join(line for line, _ in lines), [_whole(at) if at else own for _, at in lines]


def _line_of(error: BaseException) -> Place | None:
    """The last line of somebody else's that an error came through."""
    last, at = None, error.__traceback__
    while at is not None:
        module = str(at.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] != __name__.partition(".")[0]:
            last = Place(at.tb_frame.f_code.co_filename, at.tb_lineno)
        at = at.tb_next
    return last


def _results(function: Callable[..., Any], outputs: Callable[[list[str]], str]) -> Mapping[str, Any]:
    """What a function returns for arrays of ours, by the names of outputs."""
    parameters = list(inspect.signature(function).parameters)
    try:
        results = function(*map(tensor, parameters))
    except TypeError as error:
        if "does not support ufuncs" not in str(error):  # NumPy's words
            raise
        told = TraceError("NumPy's functions cannot be traced: use those of `warpproof.arrays`")
        at = _line_of(error)
        told.location = _whole(at) if at else None
        raise told from error
    if not isinstance(results, Mapping):
        if isinstance(results, (tuple, list)):
            raise TraceError("several outputs need names: return a dict, `{'y': …, 'z': …}`")
        results = {outputs(parameters): results}
    return results


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as missing:
        raise MissingPackage("this needs NumPy: `pip install warpproof[numpy]`") from missing
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


def _is_concrete(value: Any) -> bool:
    """Whether a value is, or holds, an array of somebody else's."""
    if isinstance(value, (tuple, list)):
        return builtins.any(map(_is_concrete, value))
    return not isinstance(value, Array) and hasattr(value, "__array__")


def _concrete(value: Any) -> Any:
    """An operand for NumPy."""
    if isinstance(value, (tuple, list)):
        return [_concrete(item) for item in value]
    return (
        value._value("a traced array meets one of NumPy's: make that a parameter, too")
        if isinstance(value, Array)
        else value
    )


def _operator(function: Callable[..., Any], build: Callable[..., ast.expr]) -> Callable[..., Any]:
    """An operator of Python's on whatever meets an `Array`."""

    def made(*sides: Any) -> Any:
        if _is_concrete(sides):
            return function(*map(_concrete, sides))
        return Array(build, sides)

    return made


def _add_operators() -> None:
    for name, sign in _BINARY.items():
        made = _operator(getattr(operator, f"__{name}__"), lambda a, b, sign=sign: ast.BinOp(a, sign(), b))
        setattr(Array, f"__{name}__", lambda self, other, made=made: made(self, other))
        setattr(Array, f"__r{name}__", lambda self, other, made=made: made(other, self))
    for name, relation in _COMPARISONS.items():
        made = _operator(
            getattr(operator, name), lambda a, b, relation=relation: ast.Compare(a, [relation()], [b])
        )
        setattr(Array, f"__{name}__", lambda self, other, made=made: made(self, other))
    for name, prefix in _UNARY.items():
        made = _operator(getattr(operator, name), lambda a, prefix=prefix: ast.UnaryOp(prefix(), a))
        setattr(Array, f"__{name}__", lambda self, made=made: made(self))


def _dtype_name(dtype: Any) -> str:
    """`float32` of what NumPy, PyTorch and others call a type."""
    return str(getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or dtype).rpartition(".")[2]


def _made(name: str, parameters: str, help: str) -> Callable[..., Any]:
    """A function of the table: a formula of `Array` objects and plain numbers, NumPy's result of NumPy's arrays."""
    signature = inspect.signature(eval(f"lambda {parameters}: None"))

    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        if _is_concrete(list(bound.arguments.values())):
            return _in_numpy(name, bound)
        if "dtype" in bound.arguments:
            # A type is a word of the formula.
            word = _dtype_name(bound.arguments["dtype"])
            args, kwargs = (bound.args[0], Array(lambda: ast.Name(word), (), constant=True)), {}

        def build(*operands: ast.expr) -> ast.expr:
            keywords = [ast.keyword(key, value) for key, value in zip(kwargs, operands[len(args) :])]
            return ast.Call(ast.Name(name), list(operands[: len(args)]), keywords)

        return Array(build, (*args, *kwargs.values()))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = help[:1].upper() + help[1:] + "."
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
__all__ = ["Array", "e", "inf", "pi", "trace", *(name for name, _, _ in _engine.functions())]
