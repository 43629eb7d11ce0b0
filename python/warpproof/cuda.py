"""CUDA source as PTX, by NVRTC, once for each content.

What was compiled is kept in a folder (`answers`) under the hash of everything that it depends on: the source and what
it includes, its name, the options, the compiler's file, and the folder that NVRTC runs in, which it writes down.
Guaranteed: where what is included cannot be told (`#include MACRO`, `__has_include`, an option that names files), the
source is compiled each time. Missed: that the compiler's file changed without its size and time.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from . import answers
from .errors import CompileError, MissingPackage, Place

kept_in: Path | None = None
"""The folder where no other is given: the pytest plugin's."""


def ptx(
    source: str, name: str, flags: Sequence[str], include: Sequence[Path], cache: str | PathLike[str] | None
) -> str:
    """The PTX of CUDA source. Raises `MissingPackage` without NVRTC, and `CompileError` with what it says."""
    folder = folder_of("nvidia.cuda_nvrtc")
    pattern = "bin/nvrtc64_*.dll" if sys.platform == "win32" else "lib/libnvrtc.so.*"
    library = next(iter(sorted(folder.glob(pattern))), None) if folder else None
    if library is None:
        raise MissingPackage("CUDA source needs NVRTC: `pip install nvidia-cuda-nvrtc-cu12`")
    whole_flags = [*flags, *(f"--include-path={path}" for path in include)]
    kept = cache or kept_in
    included = _included(source, include) if kept and not any(map(_names_files, flags)) else None
    if kept is None or included is None:
        return _nvrtc(library, source, name, whole_flags)
    compiler = library.stat()
    parts = [
        source,
        included,
        name,
        whole_flags,
        str(library),
        compiler.st_size,
        compiler.st_mtime_ns,
        str(Path.cwd()),
    ]
    path = Path(kept) / f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}.ptx"
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        text = _nvrtc(library, source, name, whole_flags)
        answers.keep(path, text)
        return text


def _names_files(flag: str) -> bool:
    return flag.startswith("-I") or "include" in flag or "file" in flag


def without_comments(code: str) -> str:
    """C without its comments; what stands in quotes stays."""
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda found: found[0] if found[0][0] == '"' else " ", code, flags=re.S)


def _included(source: str, folders: Sequence[Path]) -> list[tuple[str, str]] | None:
    """What source includes, and what that includes: the paths and texts of all files of these names. None where that
    cannot be told."""
    found: dict[Path, str] = {}
    texts = [(source, list(folders))]
    for text, places in texts:  # grows
        code = without_comments(text.replace("\\\n", ""))
        directives = re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', code, re.M)
        if len(directives) != code.count("include"):
            return None
        for path in (place / name for name in directives for place in places):
            if path not in found and path.is_file():
                found[path] = path.read_text(encoding="utf-8", errors="replace")
                texts.append((found[path], [path.parent, *folders]))
    return [(str(path), text) for path, text in found.items()]


def folder_of(package: str) -> Path | None:
    """Where an installed package lies."""
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        return None
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def _first_error(log: str, source: str) -> Place | None:
    """Where the compiler's first error is: `kernel.cu(3): error: …`."""
    found = re.search(r"^(.+)\((\d+)\): (?:catastrophic )?error", log, re.M)
    if not found:
        return None
    line, lines = int(found[2]), source.splitlines()
    return Place(found[1], line, lines[line - 1] if line <= len(lines) else "")


def _nvrtc(library: Path, source: str, name: str, flags: Sequence[str]) -> str:
    nvrtc = ctypes.CDLL(str(library))
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(function: str, *arguments: Any) -> int:
        return int(getattr(nvrtc, function)(*arguments))

    def text(size_of: str, get: str) -> str:
        size = ctypes.c_size_t()
        call(size_of, program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        call(get, program, buffer)
        return buffer.value.decode()

    program = ctypes.c_void_p()
    if status := call(
        "nvrtcCreateProgram", ctypes.byref(program), source.encode(), name.encode(), 0, None, None
    ):
        raise CompileError(nvrtc.nvrtcGetErrorString(status).decode())
    try:
        options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        if status := call("nvrtcCompileProgram", program, len(flags), options):
            log = text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog").strip()
            error = CompileError(log or nvrtc.nvrtcGetErrorString(status).decode())
            error.location = _first_error(log, source)
            raise error
        return text("nvrtcGetPTXSize", "nvrtcGetPTX")
    finally:
        call("nvrtcDestroyProgram", ctypes.byref(program))
