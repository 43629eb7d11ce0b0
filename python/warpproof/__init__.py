"""Proves that two GPU kernels compute the same thing, or shows the input, the race or the deadlock that says no.

    import warpproof

    report = warpproof.check(
        "kernel.ptx",
        reference="y = softmax(x, axis=-1)",
        tensors={"x": (4, 128), "y": (4, 128)},
        launch={"grid": 4, "block": 128, "ctas": "all"},
    )
    print(report)           # what the terminal shows
    report.verdict          # "equivalent"
    report.inputs()         # of a counterexample, as NumPy arrays
    report.link()           # opens the page with it

`check` compares, `analyze` looks at one kernel, `explain_kernel` says what it computes, `infer` what its PTX shows.
Kernels also come from Triton (`from_triton`), TileLang (`from_tilelang`) and CUDA (`from_cuda`), references also from
Python functions (`warpproof.arrays`). docs/python.md goes through all of it.
"""

from . import arrays, model
from ._engine import VERSION as __version__
from .errors import (
    CompileError,
    InvalidPtx,
    InvalidSpec,
    MissingPackage,
    TraceError,
    Unusable,
    WarpproofError,
)
from .kernels import Kernel, from_cuda, from_tilelang, from_triton
from .questions import Limits, Question, analyze, ask, check, explain_kernel, infer
from .reports import Report, Telling

__all__ = [
    "CompileError",
    "InvalidPtx",
    "InvalidSpec",
    "Kernel",
    "Limits",
    "MissingPackage",
    "Question",
    "Report",
    "Telling",
    "TraceError",
    "Unusable",
    "WarpproofError",
    "__version__",
    "analyze",
    "arrays",
    "ask",
    "check",
    "explain_kernel",
    "from_cuda",
    "from_tilelang",
    "from_triton",
    "infer",
    "model",
]
