"""Writes what Python's type checkers need to see of the engine's definitions.

    python generate.py            writes the files
    python generate.py --check    says whether they are what would be written

`warpproof/model.py`: the report types (`crate/src/report/model.rs`) as dataclasses. What is read is what stands in
`data! { … }`: public structs with public fields, and enums of plain variants, each with its doc comment; anything
else there is an error, not a guess. `warpproof/arrays.pyi`: the functions of formulas
(`crate/src/formula/functions.rs`), with names, parameters and help.
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "warpproof"))  # the package itself needs the engine

import shapes  # noqa: E402

RUST = HERE.parent / "crate/src/report/model.rs"
FUNCTIONS = HERE.parent / "crate/src/formula/functions.rs"

HEADER = '''"""What a report holds, as the engine writes it. Made by `generate.py` from `crate/src/report/model.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
'''
SIMPLE = {"String": "str", "bool": "bool", "f64": "float"}
ITEM = re.compile(r"((?:    (?:///|#\[)[^\n]*\n)+)    pub (struct|enum) (\w+) \{\n(.*?)\n    \}\n", re.S)


def python_type(rust: str) -> str:
    """A Rust type as an annotation."""
    if found := re.fullmatch(r"Option<(.+)>", rust):
        return f"{python_type(found[1])} | None"
    if found := re.fullmatch(r"Vec<(.+)>", rust) or re.fullmatch(r"\[(.+); \d+\]", rust):
        return f"list[{python_type(found[1])}]"
    if re.fullmatch(r"[ui]\d+", rust):
        return "int"
    return SIMPLE.get(rust, rust)


def sentence(lines: list[str]) -> str:
    """Doc comments as one line."""
    text = " ".join(
        line.strip().removeprefix("///").strip() for line in lines if line.strip().startswith("///")
    )
    # Links of rustdoc lead nowhere here.
    return re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", text).replace("\\", "\\\\")


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def enumeration(name: str, doc: str, body: str) -> str:
    variants = re.findall(r"^        (\w+),$", body, re.M)
    values = ",\n    ".join(f'"{snake(variant)}"' for variant in variants)
    return f'{name} = Literal[\n    {values},\n]\n"""{doc}"""\n'


def structure(name: str, doc: str, body: str) -> str:
    lines = [f'@dataclass(frozen=True, kw_only=True)\nclass {name}:\n    """{doc}"""\n']
    comments: list[str] = []
    for line in body.splitlines():
        if found := re.fullmatch(r"        pub (\w+): (.+),", line):
            field, rust = found.groups()
            if keyword.iskeyword(field):
                raise SystemExit(f"{name}.{field} is a keyword of Python")
            # What Rust leaves out of the JSON, or has no value for, is None.
            default = " = None" if rust.startswith("Option<") else ""
            lines.append(f'    {field}: {python_type(rust)}{default}\n    """{sentence(comments)}"""')
            comments = []
        elif line.strip().startswith(("///", "#[")):
            comments.append(line)
        elif line.strip():
            raise SystemExit(f"{RUST.name}: `{name}` has a line that this does not read: {line.strip()}")
    return "\n".join(lines) + "\n"


def model() -> str:
    text = RUST.read_text()
    text = text[text.index("\ndata! {\n") : text.index("\nimpl Verdict {")]
    items = [
        (structure if kind == "struct" else enumeration)(name, sentence(head.splitlines()), body)
        for head, kind, name, body in ITEM.findall(text)
    ]
    if len(items) != text.count("    pub struct ") + text.count("    pub enum "):
        raise SystemExit(f"{RUST.name} has types that this does not read")
    return HEADER + "\n\n" + "\n\n".join(items)


STUB = """# What `arrays.py` makes of the table of functions. Made by `generate.py` from `crate/src/formula/functions.rs`.

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
"""
ARRAYS = {name: "Array" for name in ("x", "y", "a", "b", "condition")} | {"arrays": "Sequence[Array]"}
"""Parameters that are arrays."""
METHODS = (
    "sum prod mean max min all any argmax argmin var std cumsum reshape astype take clip round".split()
)
OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def typed(parts: list[tuple[str, str, str]], kinds: dict[str, str]) -> str:
    """Parameters with their types, which are anything but where `kinds` says."""
    each = (
        f"{name}: {kinds.get(name, 'Any')}" + (f" = {default}" if default else "") for name, _, default in parts
    )
    return ", ".join(each)


def arrays() -> str:
    text = FUNCTIONS.read_text()
    text = text[text.index("\nfunctions! {\n") :]
    rows = re.findall(r'^    "(\w+)"\("([^"]*)"\) .*?, "((?:[^"\\]|\\.)*)";$', text, re.M | re.S)
    if len(rows) != len(re.findall(r'^    "\w+"\("', text, re.M)):
        raise SystemExit(f"{FUNCTIONS.name} has rows that this does not read")
    lines = [STUB]
    for name in ["lt", "le", "gt", "ge", *OPERATORS, *(f"r{name}" for name in OPERATORS)]:
        lines.append(f"    def __{name}__(self, other: Any) -> Array: ...\n")
    for name in METHODS:
        lines.append(f"    def {name}(self, *arguments: Any, **options: Any) -> Array: ...\n")
    lines.append("\ninf: float\npi: Array\ne: Array\n\n")
    lines.append("def tensor(name: str) -> Array: ...\n")
    lines.append("def write(results: Mapping[str, Any]) -> str: ...\n")
    lines.append(
        "def lines(results: Mapping[str, Any], taken: Set[str] = ...) -> list[tuple[str, Place | None]]: ...\n"
    )
    for name, parameters, help in rows:
        doc = f'    """{shapes.document(name, parameters, help)}"""\n'
        parts = [part.partition("=") for part in parameters.split(", ")]
        taken = {it: ARRAYS[it] for it, _, default in parts if it in ARRAYS and not default}
        if not taken:
            # Of numbers alone, it makes an array of ours.
            lines.append(f"def {name}({typed(parts, {})}) -> Array:\n{doc}")
            continue
        # Of an array of ours it makes one; of others what NumPy makes of them.
        for it, kind in taken.items():
            lines.append(f"@overload\ndef {name}({typed(parts, {it: kind})}) -> Array:\n{doc}")
        lines.append(f"@overload\ndef {name}({typed(parts, {})}) -> Any: ...\n")
    return "".join(lines)


if __name__ == "__main__":
    for path, text in {HERE / "warpproof/model.py": model(), HERE / "warpproof/arrays.pyi": arrays()}.items():
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif path.read_text() != text:
            raise SystemExit(f"{path.name} is not what the Rust files say: run `python python/generate.py`")
