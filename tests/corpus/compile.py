#!/usr/bin/env python3
"""Compiles the CUDA kernels of the corpus to PTX.

    python3 tests/corpus/compile.py                 write every .ptx of the table
    python3 tests/corpus/compile.py saxpy softmax   only outputs whose path contains one of the words
    python3 tests/corpus/compile.py --check         write nothing: compile again, compare with the
                                                    committed files, assemble each with ptxas
    python3 tests/corpus/compile.py --list          print the table

What it computes: for each row of `table/`, the PTX that NVRTC makes of a `.cu` file, stored as
`kernels/<family>/<output>.ptx` under two comment lines that say how it was made.
Why this way: NVRTC from PyPI needs no GPU, no driver and no host compiler, and pinned wheels give
the same bytes everywhere. The PTX is committed, so nothing but a change of kernels needs this.
Guarantees: the output holds no path of the machine it was made on (checked, debug sections
included), and `--check` fails if a committed file differs or ptxas rejects it.
Misses: that the kernels run as intended on a GPU; nothing here runs them.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from table import TABLE, Build

HERE = Path(__file__).resolve().parent
KERNELS = HERE / "kernels"
VENV = HERE / ".venv"

# Pinned: another release would change the committed bytes.
WHEELS = {
    "nvidia-cuda-nvrtc-cu12": "12.9.86",  # the compiler of most of the corpus, PTX ISA 8.8
    "nvidia-cuda-runtime-cu12": "12.9.79",  # math_constants.h, cuda_fp16.h
    "nvidia-cuda-nvcc-cu12": "12.9.86",  # crt/mma.h, which mma.h includes
    "nvidia-cuda-cccl-cu12": "12.9.27",  # nv/target, which cuda_fp16.h includes
    "nvidia-cuda-nvrtc": "13.0.88",  # the newer compiler, for a sample, PTX ISA 9.0
    "nvidia-cuda-nvcc": "13.0.88",  # ptxas, for --check
}
NVRTC_VERSION = {12: WHEELS["nvidia-cuda-nvrtc-cu12"], 13: WHEELS["nvidia-cuda-nvrtc"]}
NVRTC_FOLDER = {12: "cuda_nvrtc/lib", 13: "cu13/lib"}
INCLUDES = ("cuda_runtime/include", "cuda_nvcc/include", "cuda_cccl/include")


def nvidia_folder() -> Path:
    """The folder that holds the unpacked wheels; makes the virtual environment when needed."""
    stamp = VENV / "wheels.txt"
    wanted = "\n".join(f"{name}=={version}" for name, version in WHEELS.items())
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing NVRTC and ptxas from PyPI into {VENV} (about 300 MB, once)", file=sys.stderr)
        venv.create(VENV, with_pip=True, clear=True)
        pip = [str(VENV / "bin" / "pip"), "install", "--quiet", "--no-deps"]
        subprocess.run(pip + wanted.split("\n"), check=True)
        stamp.write_text(wanted)
    return next((VENV / "lib").glob("python3*/site-packages/nvidia"))


class Nvrtc:
    """One release of the NVRTC library."""

    def __init__(self, nvidia: Path, major: int):
        folder = nvidia / NVRTC_FOLDER[major]
        for builtins in sorted(folder.glob("libnvrtc-builtins.so*")):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(folder / f"libnvrtc.so.{major}"))

    def _text(self, program, size_call: str, text_call: str) -> str:
        size = ctypes.c_size_t()
        getattr(self.library, size_call)(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, text_call)(program, text)
        return text.value.decode()

    def compile(self, source: str, name: str, options: list[str]) -> str:
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        failed = self.library.nvrtcCompileProgram(program, len(options), array)
        log = self._text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").strip()
        if failed or log:
            raise SystemExit(f"{name}: {' '.join(options)}\n{log}")
        ptx = self._text(program, "nvrtcGetPTXSize", "nvrtcGetPTX")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx


def debug_bytes(ptx: str) -> str:
    """The bytes of the debug sections as text: a path can hide there as numbers."""
    sections = "\n".join(re.findall(r"\.section[^{]*\{(.*?)\n\}", ptx, re.S))
    numbers = re.findall(r"\d+", " ".join(re.findall(r"\.b8 ([\d, ]+)", sections)))
    return bytes(int(n) & 255 for n in numbers).decode("latin-1")


def make(build: Build, compiler: Nvrtc, includes: list[str]) -> str:
    """The text of one .ptx file."""
    source = KERNELS / build.source
    shown = build.options()
    hidden = [f"--include-path={folder}" for folder in [str(source.parent), *includes]]
    # NVRTC puts the current folder before the name in `.file`: the caller has made that "/".
    ptx = compiler.compile(source.read_text(), build.source, shown + hidden)
    ptx = ptx.replace(f'"/{build.source}"', f'"{build.source}"')
    for folder in [str(KERNELS), *includes]:  # headers whose inlined code has lines
        ptx = ptx.replace(f'"{folder}/', '"')
    for machine_path in {str(HERE), str(Path.home())} - {"/"}:
        if machine_path in ptx or machine_path in debug_bytes(ptx):
            raise SystemExit(f"{build.output}: holds the path {machine_path}")
    head = (
        f"// {build.source}: NVRTC {NVRTC_VERSION[build.nvrtc]} {' '.join(shown)}\n"
        f"// python3 tests/corpus/compile.py {build.output}\n"
    )
    return head + ptx.rstrip() + "\n"


def assemble(ptxas: Path, path: Path) -> str | None:
    """What ptxas has against the file, or None."""
    arch, debug = re.search(r"^\.target (sm_\w+)(, debug)?", path.read_text(), re.M).groups()
    with tempfile.TemporaryDirectory() as folder:
        # -c: external functions stay open
        command = [ptxas, "-c", f"-arch={arch}", *(["-g"] if debug else []), "-o", f"{folder}/x", path]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return None if run.returncode == 0 else run.stderr.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only outputs whose path contains one of these")
    parser.add_argument("--check", action="store_true", help="compare and assemble, write nothing")
    parser.add_argument("--list", action="store_true", help="print the table")
    arguments = parser.parse_args()

    builds = [b for b in TABLE
              if not arguments.words or any(w in b.output for w in arguments.words)]
    if arguments.list:
        for b in builds:
            print(b.output, f"nvrtc{b.nvrtc}", *b.options())
        return

    nvidia = nvidia_folder()
    includes = [str(nvidia / folder) for folder in INCLUDES]
    os.chdir("/")
    compilers: dict[int, Nvrtc] = {}
    faults = 0
    for b in builds:
        compiler = compilers.setdefault(b.nvrtc, None) or Nvrtc(nvidia, b.nvrtc)
        compilers[b.nvrtc] = compiler
        ptx, path = make(b, compiler, includes), KERNELS / f"{b.output}.ptx"
        if not arguments.check:
            path.write_text(ptx)
            continue
        complaint = None
        if not path.exists() or path.read_text() != ptx:
            complaint = "differs from the committed file"
        else:
            complaint = assemble(nvidia / "cu13/bin/ptxas", path)
        if complaint:
            faults += 1
            print(f"{b.output}: {complaint}")

    if not arguments.words:
        known = {KERNELS / f"{b.output}.ptx" for b in TABLE}
        for path in sorted(KERNELS.rglob("*.ptx")):
            # compile_triton.py and the like know their own files.
            if path not in known and path.parent.name != "handwritten" and "corpus/compile_" not in path.read_text()[:500]:
                faults += 1
                print(f"{path.relative_to(KERNELS)}: not in the table")
    print(f"{len(builds)} builds {'checked' if arguments.check else 'written'}, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
