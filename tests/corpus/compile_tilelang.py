#!/usr/bin/env python3
"""Compiles the TileLang kernels of the corpus to CUDA and PTX.

    python3 tests/corpus/compile_tilelang.py            write every .cu and .ptx of the table
    python3 tests/corpus/compile_tilelang.py tensor     only outputs whose name contains one of the words
    python3 tests/corpus/compile_tilelang.py --check    write nothing: compile again, compare with the
                                                        committed files, assemble each with ptxas

What it computes: for each row of TABLE, the CUDA that TileLang makes of a function of
`kernels/tilelang/kernels.py`, and the PTX that NVRTC makes of that with TileLang's templates.
Why this way: TileLang needs no GPU to write CUDA, but PyTorch to run at all: its wheels take 5.7 GB,
go to .venv-tilelang the first time, and nothing but a change of these kernels needs them. NVRTC is
compile.py's: TileLang has such a path of its own, with the same prelude and options.
Guarantees: the output holds no path of the machine it was made on; `--check` fails if a committed
file differs or ptxas rejects it.
Misses: constants of the C++ library that NVRTC writes out in this mode although no instruction names
them are cut, about 45 kB a file.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "kernels" / "tilelang"
VENV = HERE / ".venv-tilelang"
TILELANG = "0.1.15"

# Faults made in TileLang's CUDA: (text, what takes its place), once each.
EDITS = {
    "wait": ("  tl::cp_async_wait<1>();\n", "  tl::cp_async_wait<2>();  // wrong: one group too many may be open\n"),
    "barrier": ("    __syncthreads();\n", "    // missing: __syncthreads();\n"),
}

# (name of the output, function, sizes, edit).
TABLE: list[tuple[str, str, dict[str, int], str]] = []
TILES = {"32x32x32": (32, 32, 32), "64x32x32": (64, 32, 32), "64x64x32": (64, 64, 32)}
DEPTH = 128


def add(output: str, function: str, tile: str, stages: int, mutant: int = 0, edit: str = "") -> None:
    rows, columns, depth = TILES[tile]
    sizes = {"M": rows, "N": columns, "K": DEPTH, "BM": rows, "BN": columns, "BK": depth,
             "stages": stages, "threads": 128, "mutant": mutant}
    TABLE.append((output, function, sizes, edit))


for tile in TILES:
    add(f"plain_{tile}", "plain", tile, 0)
    for stages in (0, 2, 3):
        add(f"tensor_{tile}_stages{stages}", "tensor", tile, stages)
add("plain_32x32x32_stages2", "plain", "32x32x32", 2)
for mutant in (1, 2, 3, 4):
    add(f"plain_32x32x32_mutant{mutant}", "plain", "32x32x32", 0, mutant)
for mutant in (1, 2, 3, 4):
    add(f"tensor_32x32x32_mutant{mutant}", "tensor", "32x32x32", 2, mutant)
for edit in ("wait", "barrier"):
    add(f"tensor_32x32x32_{edit}", "tensor", "32x32x32", 2, 0, edit)
add("tensor_32x32x32_plain_barrier", "tensor", "32x32x32", 0, 0, "barrier")
add("plain_32x32x32_barrier", "plain", "32x32x32", 0, 0, "barrier")
add("plain_32x32x32_wait", "plain", "32x32x32", 2, 0, "wait")


def lower_all(names: list[str]) -> None:
    """Runs inside TileLang's environment: prints nothing, writes NAME.cu into the folder given last."""
    sys.path.insert(0, str(FOLDER))
    import kernels
    import tilelang
    from tilelang import tvm

    *names, folder = names
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    for output, function, sizes, _ in TABLE:
        if output in names:
            with target:
                source = tilelang.lower(getattr(kernels, function)(**sizes), target=target).kernel_source
            Path(folder, f"{output}.cu").write_text(source)


def python_with_tilelang() -> Path:
    stamp = VENV / "wheels.txt"
    if not stamp.exists() or stamp.read_text() != TILELANG:
        print(f"installing TileLang {TILELANG} from PyPI into {VENV} (5.7 GB, once)", file=sys.stderr)
        venv.create(VENV, with_pip=True, clear=True)
        subprocess.run([VENV / "bin" / "python", "-m", "pip", "install", "--quiet", f"tilelang=={TILELANG}"], check=True)
        stamp.write_text(TILELANG)
    return VENV / "bin" / "python"


def without_unused_constants(ptx: str) -> str:
    """Cuts `.global` definitions that nothing else names."""
    definition = re.compile(r"^\.(?:visible |weak )*global [^;]*?\b(_Z\w+)[^;]*;\n", re.M)
    words = re.findall(r"[\w$]+", ptx)
    once = {word for word in set(words) if words.count(word) == 1} if len(words) < 400_000 else set()
    return definition.sub(lambda found: "" if found[1] in once else found[0], ptx)


def cuda(row, raw: str) -> str:
    """The text of one .cu file."""
    output, function, sizes, edit = row
    if edit:
        text, other = EDITS[edit]
        if text not in raw:
            raise SystemExit(f"{output}: nothing to edit")
        raw = raw.replace(text, other, 1)
    shown = " ".join(f"{name}={value}" for name, value in sizes.items())
    return (f"// tilelang/kernels.py: {function}, TileLang {TILELANG}, {shown}{'; edited: ' + edit if edit else ''}\n"
            f"// python3 tests/corpus/compile_tilelang.py {output}\n") + raw.strip() + "\n"


def ptx(row, source: str, compiler, includes: list[str]) -> str:
    """The text of one .ptx file."""
    output, _, sizes, edit = row
    lines = ["--generate-line-info"] if edit or sizes["mutant"] else []
    shown = ["--gpu-architecture=compute_80", "--std=c++17", "--device-as-default-execution-space", *lines]
    hidden = ["--disable-warnings", *(f"--include-path={folder}" for folder in includes)]
    prelude = "#include <tl_templates/cuda/nvrtc_std.h>\n#line 1\n"
    text = compiler.compile(prelude + source, f"tilelang/{output}.cu", shown + hidden)
    text = without_unused_constants(text)
    text = text.replace(f'"/tilelang/{output}.cu"', f'"tilelang/{output}.cu"')
    for folder in includes:
        text = text.replace(f'"{folder}/', '"')
    if str(HERE) in text or str(Path.home()) + "/" in text:
        raise SystemExit(f"{output}: holds a path of this machine")
    return (f"// tilelang/{output}.cu: NVRTC 12.9.86 {' '.join(shown)}\n"
            f"// python3 tests/corpus/compile_tilelang.py {output}\n") + text.rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only outputs whose name contains one of these")
    parser.add_argument("--check", action="store_true", help="compare and assemble, write nothing")
    parser.add_argument("--lower", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.lower:
        return lower_all(arguments.words)

    import compile as nvrtc  # compile.py beside this file

    rows = [row for row in TABLE if not arguments.words or any(w in row[0] for w in arguments.words)]
    python = python_with_tilelang()
    library = next((VENV / "lib").glob("python3*/site-packages/tilelang"))
    nvidia = nvrtc.nvidia_folder()
    includes = [str(library / "src"), str(library / "3rdparty/cutlass/include")]
    includes += [str(nvidia / folder) for folder in nvrtc.INCLUDES]
    compiler = nvrtc.Nvrtc(nvidia, 12)
    os.chdir("/")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        command = [python, __file__, "--lower", *(row[0] for row in rows), folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for row in rows:
            source = cuda(row, Path(folder, f"{row[0]}.cu").read_text())
            made = {f"{row[0]}.cu": source, f"{row[0]}.ptx": ptx(row, source, compiler, includes)}
            for name, text in made.items():
                path = FOLDER / name
                if not arguments.check:
                    path.write_text(text)
                elif not path.exists() or path.read_text() != text:
                    faults += 1
                    print(f"{name}: differs from the committed file")
                elif name.endswith(".ptx"):
                    complaint = nvrtc.assemble(nvidia / "cu13/bin/ptxas", path)
                    if complaint:
                        faults += 1
                        print(f"{name}: {complaint}")
    print(f"{len(rows)} builds {'checked' if arguments.check else 'written'}, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
