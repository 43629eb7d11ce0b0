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
    except tomllib.TOMLDecodeError:
        return {}  # the engine says what is wrong with it


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
        **{side: _of_kernel(kernel, table.get(side, {})) for side, kernel in sides.items() if kernel},
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
    for section, values in over.items():
        if values:
            whole[section] = {**table.get(section, {}), **values}
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
        return {"type": _FORMATS[name], "shape": list(value.shape)}
    return {"shape": list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]}


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
    return value.__index__() if hasattr(value, "__index__") else float(value)


def write(table: Mapping[str, Any]) -> str:
    """A spec as TOML: a header for each section and each tensor, and the rest in lines."""
    lines = []
    for section, values in table.items():
        if section == "tensors":
            parts = {f"tensors.{_key(name)}": tensor for name, tensor in values.items()}
        else:
            parts = {_key(section): values}
        for header, part in parts.items():
            lines += [f"[{header}]", *(f"{_key(key)} = {_value(value)}" for key, value in part.items()), ""]
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
    return _table(text).get("tensors", {}).get(tensor, {}).get("contents")
