"""Specs from Python values: what is given as arguments is laid over the spec, and written as TOML.

The engine reads the text; what it may say is in docs/spec.md, and nothing of that is checked here. `write` keeps the
order of tensors and scalars for whoever reads it, which libraries that write TOML do not: they put tables last.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Union

from . import model
from .errors import InvalidSpec, Place
from .kernels import Kernel, is_path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SpecLike = Union[str, "PathLike[str]", Mapping[str, Any], None]
"""A spec as TOML, as the path of a file, or as nested dicts."""

_FORMATS = {
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    **{f"int{bits}": f"s{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "ue8m0",
}
"""What the libraries of arrays call the types of the spec."""


_EXAMPLES = {
    "tensors": 'a dict such as {"x": (4, 128)}',
    "scalars": 'a dict such as {"n": 128}',
    "launch": 'a dict such as {"grid": 4, "block": 128}',
    "options": 'a dict such as {"exact_constants": True}',
}


def load(spec: SpecLike) -> tuple[str, dict[str, Any], Path | None]:
    """A spec as text and as a table, and the folder that paths in it are relative to."""
    if spec is None:
        return "", {}, None
    if isinstance(spec, Mapping):
        return write(_plain(spec)), _plain(spec), None
    if isinstance(spec, str) and not is_path(spec):
        return spec, _table(spec), None
    path = Path(spec)
    text = path.read_text(encoding="utf-8")
    return text, _table(text), path.parent


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(text, str(error)) from None


def require_dicts(**sections: Any) -> None:
    """Raises `TypeError` for an argument that is no dict."""
    for name, values in sections.items():
        if values is not None and not isinstance(values, Mapping):
            raise TypeError(f"`{name}` is {_EXAMPLES[name]}, not {values!r}")


def _not_toml(text: str, words: str) -> InvalidSpec:
    """What TOML's reader says: `Invalid value (at line 2, column 19)`, or `… (at end of document)`."""
    said = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", words, re.S)
    lines = text.split("\n")
    last = (len(lines), len(lines[-1]) + 1)
    line, column = (int(said[2]), int(said[3])) if said and said[2] else last
    message = f"the spec is not TOML: {said[1] if said else words}"
    found = model.DiagnosticReport(code="V010", severity="error", message=message, related=[], notes=[])
    place = Place("spec", line, lines[line - 1], column)
    told = InvalidSpec(f"{message}\n  {place}:{column}: {place.excerpt}", found)
    told.location = place
    return told


def section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A section of a spec; empty where there is none, or something else that the engine refuses."""
    found = table.get(name, {})
    return found if isinstance(found, Mapping) else {}


def lay_over(
    text: str,
    table: dict[str, Any],
    *,
    tensors: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Any] | None = None,
    launch: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    formula: str | None = None,
    sides: Mapping[str, Kernel | None],
) -> str:
    """The text of the spec with arguments and what the kernels know laid over it; itself if there is nothing."""
    over: dict[str, dict[str, Any]] = {
        "launch": {
            key: value if key == "dynamic_shared" else _extents(value)
            for key, value in (launch or {}).items()
        },
        **{side: _of_kernel(kernel, section(table, side)) for side, kernel in sides.items() if kernel},
        "formula": {} if formula is None else {"code": formula},
        "tensors": {name: _tensor(value) for name, value in (tensors or {}).items()},
        "scalars": dict(scalars or {}),
        "options": dict(options or {}),
    }
    whole = {**table}
    if sides.get("reference"):
        whole.pop("formula", None)
    if not any(over.values()) and len(whole) == len(table):
        return text
    for name, values in over.items():
        if values:
            whole[name] = {**section(table, name), **values}
    return write(_plain(whole))


def _of_kernel(kernel: Kernel, written: Mapping[str, Any]) -> dict[str, Any]:
    """What a kernel knows of itself and the spec does not say."""
    known = {
        "entry": kernel.entry,
        "args": None if kernel.args is None else list(kernel.args),
        "grid": None if kernel.grid is None else _extents(kernel.grid),
        "block": None if kernel.block is None else _extents(kernel.block),
        "dynamic_shared": kernel.dynamic_shared,
    }
    return {key: value for key, value in known.items() if value is not None and key not in written}


def _extents(value: Any) -> Any:
    """`128` for `[128]`, where extents are meant."""
    alone = not isinstance(value, Sequence) or (isinstance(value, str) and value != "all")
    return [value] if alone else value


def _tensor(value: Any) -> Any:
    """`[tensors.NAME]` of a shape, of an array (its shape and type), or of what a spec says."""
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        name = str(getattr(value.dtype, "name", value.dtype)).rpartition(".")[2]
        if name not in _FORMATS:
            raise TypeError(f"tensors have no type `{name}`: {', '.join(_FORMATS)}")
        return {"type": _FORMATS[name], "shape": list(value.shape), **_strides(value)}
    return {"shape": list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]}


def _strides(array: Any) -> dict[str, Any]:
    """`strides` of an array whose elements do not lie row by row, in elements."""
    if callable(getattr(array, "stride", None)):  # PyTorch's
        strides = list(array.stride())
    else:
        in_bytes = getattr(array, "strides", None)
        if in_bytes is None:
            return {}
        if any(step % array.itemsize for step in in_bytes):
            raise TypeError(f"strides of {in_bytes} bytes are no whole elements of {array.itemsize} bytes")
        strides = [step // array.itemsize for step in in_bytes]
    if 0 in array.shape:
        return {}
    dense, size = True, 1
    for extent, step in reversed(list(zip(array.shape, strides))):
        dense = dense and (extent == 1 or step == size)
        size *= extent
    if dense:
        return {}
    if min(strides) < 0:
        raise TypeError(
            "a tensor's elements lie at increasing addresses: give a copy of an array that is flipped"
        )
    return {"strides": strides}


def _plain(value: Any) -> Any:
    """The same of Python's own types, as TOML takes them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist()) if getattr(value, "shape", ()) else value.item()
    if hasattr(value, "__index__"):
        return value.__index__()
    if not hasattr(value, "__float__"):
        raise TypeError(f"a spec cannot hold {value!r}")
    return float(value)


def write(table: Mapping[str, Any]) -> str:
    """A spec as TOML: a header for each section and each tensor, and the rest in lines."""
    parts: list[tuple[str, Mapping[str, Any]]] = []
    alone = {}  # no sections, as the engine will say
    for name, values in table.items():
        if not isinstance(values, Mapping):
            alone[name] = values
        elif name == "tensors" and all(isinstance(tensor, Mapping) for tensor in values.values()):
            parts += [(f"[tensors.{_key(tensor)}]", keys) for tensor, keys in values.items()]
        else:
            parts.append((f"[{_key(name)}]", values))
    lines = [f"{_key(name)} = {_value(value)}" for name, value in alone.items()]
    for header, part in parts:
        lines += [header, *(f"{_key(key)} = {_value(value)}" for key, value in part.items()), ""]
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str) and "\n" in value:
        lines = (json.dumps(line, ensure_ascii=False)[1:-1] for line in value.split("\n"))
        return '"""\n' + "\n".join(lines) + '"""'
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, str)) else repr(value)


def contents(text: str, tensor: str) -> Any:
    """What a spec says that a tensor holds, None if nothing."""
    return section(section(_table(text), "tensors"), tensor).get("contents")
