"""Compiles the recorded proposals with NVRTC, without a GPU: writes `NAME.ptx` beside each `NAME.cu`.

    pip install './python[cuda]'
    python examples/generated/compile.py            # or with names: honest_online …

The PTX is committed, so that the example needs no compiler; the same NVRTC gives the same bytes. The shared header is
put in the place of its `#include`, so that no path of the machine is in the PTX.
"""

import sys
from pathlib import Path

import warpproof

PROPOSALS = Path(__file__).parent / "proposals"
OPTIONS = ["--std=c++17"]
ARCH = "sm_80"


def compiled(source: Path) -> str:
    """The PTX of a proposal, with the command that made it at its top."""
    header = (PROPOSALS / "honest.cuh").read_text()
    text = source.read_text()
    lines = text[: text.find('#include "honest.cuh"')].count("\n") + 2
    text = text.replace('#include "honest.cuh"', f'#line 1 "honest.cuh"\n{header}#line {lines} "{source.name}"')
    kernel = warpproof.from_cuda(text, name=source.name, arch=ARCH, options=OPTIONS)
    command = f"python examples/generated/compile.py {source.stem}"
    ptx = kernel.ptx.replace(f'"{Path.cwd()}/', '"')  # NVRTC writes where it ran
    return f"// {source.name}: NVRTC --gpu-architecture={ARCH} {' '.join(OPTIONS)}\n// {command}\n{ptx}"


if __name__ == "__main__":
    for cuda in sorted(PROPOSALS.glob("*.cu")):
        if not sys.argv[1:] or cuda.stem in sys.argv[1:]:
            cuda.with_suffix(".ptx").write_text(compiled(cuda))
