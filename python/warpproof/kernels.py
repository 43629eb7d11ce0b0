"""Kernels in the forms that authors have them in, as PTX with what is known of their launch.

PTX text, a path to PTX or CUDA, CUDA source (compiled by NVRTC, if its package is installed), a compiled Triton
kernel (or whatever else has ``asm["ptx"]``), Triton functions (`from_triton`), and TileLang programs
(`from_tilelang`). No GPU and no driver is used.

Guaranteed: what is proved is the PTX that the compiler gave. Missed: that a run on a GPU uses the same PTX, for
which target, constants and specializations have to be the ones used there.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard, Union

from .errors import CompileError, MissingPackage, Place

Extents = Union[int, Sequence[int]]
"""Numbers along x, y and z; one number means along x."""

KernelLike = Union["Kernel", str, "PathLike[str]", Any]
"""Everything that `read` takes."""


@dataclass(frozen=True)
class Kernel:
    """A kernel as PTX, and what is known of its launch: what is None is left to the spec."""

    ptx: str
    """The PTX of its module."""
    name: str = "kernel.ptx"
    """What excerpts call the text."""
    entry: str | None = None
    """The kernel in the module: the name in PTX, or in the source."""
    args: tuple[Any, ...] | None = None
    """What the parameters are, in order: names of tensors and scalars, or numbers."""
    grid: Extents | None = None
    """CTAs."""
    block: Extents | None = None
    """Threads of a CTA."""
    dynamic_shared: int | None = None
    """Bytes of dynamic shared memory."""
    names: tuple[str, ...] | None = None
    """What the source calls the parameters, where the PTX only numbers them."""


def read(kernel: KernelLike) -> Kernel:
    """A kernel in any form as a `Kernel`.

    Raises `CompileError`, `MissingPackage`, `OSError` for a file that cannot be read, and `TypeError` for what is
    no kernel.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and not is_path(kernel):
        return from_cuda(kernel) if _is_cuda(kernel) else Kernel(kernel)
    if isinstance(kernel, (str, PathLike)):
        path = Path(kernel)
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".cu":
            return from_cuda(text, name=str(path), include=[path.parent])
        return Kernel(text, str(path))
    assembly = getattr(kernel, "asm", None)
    if isinstance(assembly, Mapping) or hasattr(assembly, "__getitem__"):
        return _compiled(kernel)
    if is_triton(kernel):
        raise TypeError(
            f"`{kernel.__name__}` is a Triton function: say for which types and constants it is compiled, with "
            "`warpproof.from_triton(function, signature=…, constants=…)`"
        )
    if type(kernel).__module__.partition(".")[0] in ("tvm", "tilelang"):
        raise TypeError("a TileLang program needs a target: `warpproof.from_tilelang(program, target=80)`")
    raise TypeError(f"a kernel is PTX, a path, CUDA source or a compiled kernel, not {type(kernel).__name__}")


def is_path(value: object) -> TypeGuard[str]:
    """Whether this is a text that names a file, rather than a kernel, a formula or a spec."""
    return isinstance(value, str) and "\n" not in value and value.endswith((".ptx", ".cu", ".py", ".toml"))


def is_kernel(text: str) -> bool:
    """Whether a text is PTX or CUDA source, rather than a formula."""
    return any(word in _without_comments(text) for word in (".version", ".entry", "__global__"))


def _is_cuda(text: str) -> bool:
    """Whether a kernel's text is CUDA source, rather than PTX."""
    code = _without_comments(text)
    return "__global__" in code and not re.search(r"^\s*\.version\b", code, re.M)


def _without_comments(code: str) -> str:
    """C without its comments; what stands in quotes stays."""
    pattern = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, lambda found: found[0] if found[0][0] == '"' else " ", code, flags=re.S)


_KEYWORDS = set("void bool char short int long float double signed unsigned const volatile auto half".split())


def parameter_names(source: str, entry: str | None) -> tuple[str, ...] | None:
    """What CUDA source calls the parameters of its kernel, which PTX only numbers; None where that is not plain:
    several kernels, or parameters that macros make."""
    found = set()
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', _without_comments(source))
    for after in re.split(r"\b__global__\b", code)[1:]:
        # Attributes have brackets, too: `__launch_bounds__(128)`.
        head = re.match(r"(?:\s*(?:__\w+__\s*\((?:[^()]|\([^()]*\))*\)|[\w:<>*&]+))*?\s*\b(?!__)(\w+)\s*\(([^()]*)\)", after)
        if head is None:
            return None
        if entry is None or head[1] in entry:
            found.add(tuple(_parameter(part) for part in head[2].split(",") if part.strip()))
    names = found.pop() if len(found) == 1 else ("",)
    return names if "" not in names and len(set(names)) == len(names) else None


def _parameter(declaration: str) -> str:
    """The name that a declaration ends with; empty if it has none."""
    words = re.findall(r"\w+", re.sub(r"=.*|\[.*", "", declaration, flags=re.S))
    return words[-1] if len(words) > 1 and words[-1] not in _KEYWORDS else ""


def is_triton(function: object) -> bool:
    """Whether this is a function under ``@triton.jit``, or one that is tuned."""
    return any(base.__module__.partition(".")[0] == "triton" for base in type(function).__mro__)


def from_triton(
    function: Any,
    signature: Mapping[str, str],
    constants: Mapping[str, Any] | None = None,
    *,
    grid: Extents | None = None,
    target: int = 80,
    divisible_by_16: Iterable[str] = (),
    **options: Any,
) -> Kernel:
    """Compiles a function under ``@triton.jit`` for a compute capability, without a GPU.

    ``signature`` gives each parameter's type as Triton writes it (``{"x": "*fp32", "n": "i32"}``), ``constants``
    the ``tl.constexpr`` parameters. Triton compiles for pointers and integers that are multiples of 16 if they are
    so at a call: name these in ``divisible_by_16`` to get that kernel. ``options`` are Triton's (``num_warps=4``).

    Raises `MissingPackage` without Triton, and what Triton raises.
    """
    try:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    except ImportError as missing:
        raise MissingPackage("Triton is not installed: `pip install warpproof[triton]`") from missing
    function = getattr(function, "fn", function) if not hasattr(function, "arg_names") else function
    constants = dict(constants or {})
    names = list(function.arg_names)
    unknown = [name for name in names if name not in signature and name not in constants]
    if unknown:
        raise TypeError(
            f"`{function.__name__}` also needs {', '.join(unknown)} in `signature` or `constants`"
        )
    types = {name: "constexpr" if name in constants else signature[name] for name in names}
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in divisible_by_16}
    source = ASTSource(fn=function, signature=types, constexprs=constants, attrs=attributes)
    compiled = triton.compile(source, target=GPUTarget("cuda", target, 32), options=options)
    return _compiled(compiled, tuple(name for name in names if name not in constants), grid)


def _compiled(kernel: Any, args: tuple[str, ...] | None = None, grid: Extents | None = None) -> Kernel:
    """What has ``asm["ptx"]``, and perhaps ``metadata`` as Triton's kernels have."""
    ptx = kernel.asm["ptx"]
    ptx = ptx if isinstance(ptx, str) else ptx.decode()
    metadata = getattr(kernel, "metadata", None)
    name = getattr(metadata, "name", None)
    return Kernel(
        ptx=ptx,
        name=f"{name or 'kernel'}.ptx",
        entry=name,
        args=None if args is None else (*args, *[0] * (_parameters(ptx, name) - len(args))),
        grid=grid,
        dynamic_shared=getattr(metadata, "shared", None),
    )


def _parameters(ptx: str, entry: str | None) -> int:
    """How many parameters a kernel has: Triton adds pointers to scratch memory of its own behind the author's."""
    declared = re.search(rf"\.entry\s+{re.escape(entry or '')}\s*\(([^)]*)\)", ptx)
    return declared[1].count(".param") if declared else 0


def from_tilelang(program: Any, *, target: int = 80) -> Kernel:
    """Compiles a TileLang program (``@T.prim_func``) for a compute capability, without a GPU.

    TileLang writes CUDA, and the NVRTC that it is installed with makes PTX of it. The launch is the program's, the
    parameters are its tensors and scalars by their names. A program of several kernels is refused: `ValueError`.

    Raises `MissingPackage` without TileLang, and what TileLang raises.
    """
    try:
        import tilelang.env
        from tilelang.backend.target import determine_target
        from tilelang.contrib.nvrtc import compile_cuda, get_nvrtc_version
        from tilelang.engine.lower import lower
        from tilelang.jit.adapter.nvrtc.include_paths import discover_cuda_include_paths
    except ImportError as missing:
        raise MissingPackage(
            "TileLang, or a version that can be used here, is not installed: `pip install warpproof[tilelang]`"
        ) from missing
    chosen = determine_target({"kind": "cuda", "arch": f"sm_{target}"}, return_object=True)
    with chosen:
        lowered = lower(program, target=chosen)
    kernels = {name.name_hint: function for name, function in lowered.device_mod.functions.items()}
    if len(kernels) != 1:
        raise ValueError(f"one kernel is needed, and the program has {len(kernels)}: {', '.join(kernels)}")
    [(name, function)] = kernels.items()
    folder = _folder("nvidia.cu13")  # where PyPI's CUDA is that TileLang depends on
    headers = discover_cuda_include_paths(tilelang.env.CUDA_HOME or str(folder))
    folders = [tilelang.env.TILELANG_TEMPLATE_PATH, tilelang.env.CUTLASS_INCLUDE_DIR, *headers]
    flags = [*(f"-I{folder}" for folder in folders), f"-D__CUDACC_VER_MAJOR__={get_nvrtc_version()[0]}"]
    ptx = bytes(compile_cuda(lowered.kernel_source, target_format="ptx", arch=target, options=flags))
    extents = {axis: int(extent) for axis, extent in function.attrs["thread_extent"].items()}
    return Kernel(
        ptx=ptx.rstrip(b"\0").decode(),
        name=f"{name}.ptx",
        entry=name,
        args=tuple(str(parameter.name) for parameter in function.params),
        grid=tuple(extents.get(f"blockIdx.{axis}", 1) for axis in "xyz"),
        block=tuple(extents.get(f"threadIdx.{axis}", 1) for axis in "xyz"),
        dynamic_shared=int(function.attrs.get("dyn_shared_memory_buf", 0)),
    )


def from_cuda(
    source: str,
    *,
    entry: str | None = None,
    arch: str = "sm_80",
    options: Sequence[str] = (),
    include: Iterable[str | PathLike[str]] = (),
    name: str = "kernel.cu",
    grid: Extents | None = None,
    block: Extents | None = None,
    dynamic_shared: int | None = None,
    args: Sequence[Any] | None = None,
) -> Kernel:
    """Compiles CUDA source with NVRTC, without a GPU.

    ``options`` are NVRTC's (``--use_fast_math``), ``include`` folders of headers. Templates have to be
    instantiated in the source. ``args`` names the parameters, in their order, where the source's own names are not
    the ones that tensors and scalars are to have.

    Raises `MissingPackage` without ``nvidia-cuda-nvrtc-cu12``, and `CompileError` with what the compiler says.
    """
    flags = [f"--gpu-architecture={arch}", "--generate-line-info", *options]
    flags += [f"--include-path={folder}" for folder in [*include, *_headers()]]
    ptx = _nvrtc(source, Path(name).name, flags)
    arguments = None if args is None else tuple(args)
    names = parameter_names(source, entry) if args is None else None
    ptx_name = str(Path(name).with_suffix(".ptx"))
    return Kernel(ptx, ptx_name, entry, arguments, grid, block, dynamic_shared, names)


def _folder(package: str) -> Path | None:
    """Where an installed package lies."""
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        return None
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def _headers() -> list[Path]:
    """Those of CUDA (`cuda_fp16.h`), if they are installed."""
    folder = _folder("nvidia.cuda_runtime")
    return [folder / "include"] if folder else []


def _first_error(log: str, source: str) -> Place | None:
    """Where the compiler's first error is: `kernel.cu(3): error: …`."""
    found = re.search(r"^(.+)\((\d+)\): (?:catastrophic )?error", log, re.M)
    if not found:
        return None
    line, lines = int(found[2]), source.splitlines()
    return Place(found[1], line, lines[line - 1] if line <= len(lines) else "")


def _nvrtc(source: str, name: str, flags: Sequence[str]) -> str:
    folder = _folder("nvidia.cuda_nvrtc")
    pattern = "bin/nvrtc64_*.dll" if sys.platform == "win32" else "lib/libnvrtc.so.*"
    library = next(iter(sorted(folder.glob(pattern))), None) if folder else None
    if library is None:
        raise MissingPackage("CUDA source needs NVRTC: `pip install warpproof[cuda]`")
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
