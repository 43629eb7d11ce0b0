"""Python functions as formulas: a function is called with arrays that note what is done to them (`arrays.Array`).

Guaranteed: every output is computed from what the tensors held before the kernel ran, whatever the order of the dict;
no name that the formula needs is one that the kernel has; and what is returned for something that is no tensor is a
`TraceError`, never left out.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from . import arrays, places
from .errors import Place, TraceError


@dataclass(frozen=True)
class Names:
    """What a kernel calls its tensors and scalars."""

    known: frozenset[str]
    """What a formula can name."""
    tensors: frozenset[str]
    """What it can assign."""
    unnamed: tuple[str, ...]
    """Of these, a function may return one without its name: the one that is not among its parameters."""
    outputs: frozenset[str]
    """What the spec declares to be written, so that the formula has to say what it holds."""


def trace(function: Callable[..., Any], names: Names | None = None) -> str:
    """A Python function as a formula.

    Its parameters are the names of tensors and scalars; one that has a default, and a name that the kernel lacks,
    is its default. It returns a dict from the names of outputs to arrays, or one array. Without `names`, parameters
    without defaults have any names, and an output without a name is ``y``.

    Raises `TraceError` for what a formula cannot say.
    """
    return trace_with_places(function, names)[0]


def trace_with_places(
    function: Callable[..., Any], names: Names | None = None
) -> tuple[str, list[Place | None]]:
    """The same, and which line of Python's each line of the formula comes from."""
    code = _code(function)
    own = places.whole(Place(code.co_filename, code.co_firstlineno)) if code else None
    try:
        lines = _lines(_results(function, names), names.known if names else frozenset())
    except TraceError as error:
        error.location = error.location or places.whole(places.line_of(error)) or own
        raise
    return "".join(line for line, _ in lines), [places.whole(at) or own for _, at in lines]


def _lines(results: Mapping[str, Any], taken: Set[str]) -> list[tuple[str, Place | None]]:
    try:
        return arrays.lines(results, taken)
    except RecursionError:
        raise TraceError(
            "this is too deep for a formula: hundreds of steps, each of the one before"
        ) from None


def _code(function: Any) -> Any:
    """What a function executes, None if that is not Python."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    return getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)


def _results(function: Callable[..., Any], names: Names | None) -> Mapping[str, Any]:
    """What a function returns for arrays of ours, by the names of outputs."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError as unknown:
        raise TraceError("what this function takes is not known: call it in one of your own") from unknown
    values = {name: _argument(parameter, names) for name, parameter in parameters.items()}
    by_name = {name for name, parameter in parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY}
    try:
        results = function(
            *(value for name, value in values.items() if name not in by_name),
            **{name: values[name] for name in by_name},
        )
    except TypeError as error:
        if "does not support ufuncs" not in str(error):  # NumPy's words
            raise
        told = TraceError("NumPy's functions cannot be traced: use those of `warpproof.arrays`")
        told.location = places.whole(places.line_of(error))
        raise told from error
    if isinstance(results, (tuple, list)):
        raise TraceError("several outputs need names: return a dict, `{'y': …, 'z': …}`")
    named: Mapping[str, Any] = results if isinstance(results, Mapping) else {}
    if not isinstance(results, Mapping):
        named = {_unnamed(parameters, names) if names else "y": results}
    for name, value in named.items():
        if value is None:
            raise TraceError(f"the function returns nothing for `{name}`")
        if names and name not in names.tensors:
            raise TraceError(
                f"the function returns `{name}`, which is no tensor of the kernel: {_hint(name, names.tensors)}"
            )
    missing = sorted(names.outputs - set(named)) if names else []
    if missing:
        raise TraceError(
            f"the function does not say what {_listed(missing)} holds, which the spec declares to be an output: "
            "return a dict with it"
        )
    return named


def _argument(parameter: Parameter, names: Names | None) -> Any:
    """The tensor or scalar that a parameter names, or the parameter's default."""
    if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
        raise TraceError(f"`{parameter}` has no names of tensors: give each tensor a parameter of its name")
    if names is not None and parameter.name in names.known:
        return arrays.tensor(parameter.name)
    if parameter.default is not Parameter.empty:
        return parameter.default
    if names is not None:
        hint = _hint(parameter.name, names.known)
        raise TraceError(
            f"the parameter `{parameter.name}` is no tensor or scalar of the kernel, and has no default: {hint}"
        )
    return arrays.tensor(parameter.name)


def _unnamed(parameters: Iterable[str], names: Names) -> str:
    """The tensor that a function returns without a name."""
    left = [name for name in names.unnamed if name not in parameters]
    if len(left) != 1:
        found = f"it could be {_listed(left, 'or')}" if left else "no tensor is left"
        raise TraceError(
            f"the function returns one array, and its name is not plain: {found}; return a dict, `{{'y': …}}`"
        )
    return left[0]


def _hint(name: str, known: Iterable[str]) -> str:
    folded = {it.lower(): it for it in sorted(known)}
    near = difflib.get_close_matches(str(name).lower(), folded, 1)
    return f"did you mean `{folded[near[0]]}`?" if near else f"there are {_listed(sorted(known)) or 'none'}"


def _listed(names: list[str], word: str = "and") -> str:
    quoted = [f"`{name}`" for name in names]
    return f" {word} ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
