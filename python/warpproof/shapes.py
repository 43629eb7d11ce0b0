"""What the functions of formulas say about shapes, for their docstrings: `arrays` and `generate.py` write these.

What each gives is the engine's sentence (`crate/src/formula/functions.rs`); functions that are not here follow from
their parameters.
"""

from __future__ import annotations

import re

_SHAPES = {
    "distinct": "Gives one truth value, without axes.",
    "count": "Gives one whole number, without axes.",
    "cumsum": "The shape is that of `x`; `axis` may be left out where `x` has one axis.",
    "layer_norm": "The shape is that of `x`; `weight` and `bias` have one axis, as long as its last.",
    "rms_norm": "The shape is that of `x`; `weight` has one axis, as long as its last.",
    "group_norm": "`x` is (batch, channels, …), and so is the result; `weight` and `bias` are (channels,).",
    "cross_entropy": "`x` is (…, classes); `target` and the result are (…).",
    "mse_loss": "Gives one number, without axes.",
    "reshape": "The shape is `shape`, of which one length may be -1.",
    "permute_dims": "Axis i of the result is axis `axes[i]` of `x`.",
    "expand_dims": "The new axis is number `axis`: (2, 3) becomes (1, 2, 3).",
    "concat": "Lengths along `axis` are added; the other ones are equal.",
    "stack": "All have one shape; the new axis is number `axis`.",
    "broadcast_to": "The shape is `shape`.",
    "arange": "One axis: of `arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`.",
    "zeros": "The shape is `shape`: a length, or several.",
    "ones": "The shape is `shape`: a length, or several.",
    "full": "The shape is `shape`: a length, or several.",
    "take": "The axis is replaced by those of `indices`.",
    "matmul": "(…, n, k) and (…, k, m) give (…, n, m); a vector has one axis.",
    "einsum": "One letter for each axis: `einsum('ik,kj->ij', a, b)`.",
    "conv1d": "`x` is (batch, channels, length), `weight` (outputs, channels / groups, window); gives (batch, outputs, …).",
    "conv2d": "`x` is (batch, channels, height, width), `weight` (outputs, channels / groups, height and width of the "
    "window); gives (batch, outputs, …, …).",
    "max_pool2d": "`x` is (…, height, width); lengths may be a number or a pair.",
    "avg_pool2d": "`x` is (…, height, width); lengths may be a number or a pair.",
}


def document(name: str, parameters: str, gives: str) -> str:
    """The docstring of a function."""
    names = [part.partition("=")[0] for part in parameters.split(", ")]
    first = re.match(r"\w+", gives)
    # A name of the language stays as it is written there.
    code = (
        first is None
        or (len(first[0]) == 1 and first[0] in (*names, "e"))
        or gives[first.end() :].startswith("(")
    )
    sentence = gives if code else gives[:1].upper() + gives[1:]
    return f"{sentence}. {_SHAPES.get(name) or _shape(parameters, names)}"


def _shape(parameters: str, names: list[str]) -> str:
    if "keepdims" in names:
        return (
            "`axis` is one axis, several, or None for all; they are gone, or have length 1 with `keepdims`."
        )
    operands = [f"`{name}`" for name in names if name in ("condition", "a", "b", "y")]
    if operands and "=" not in parameters:
        both = operands if names[0] != "x" else ["`x`", *operands]
        return f"The shape is that of {', '.join(both[:-1])} and {both[-1]}, broadcast."
    return "The shape is that of `x`."
