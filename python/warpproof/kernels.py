"""Kernels in the forms that authors have them in, as PTX with what is known of their launch.

PTX text, a path to PTX or CUDA, CUDA source (compiled by NVRTC, if its package is installed), a compiled Triton
kernel (or whatever else has ``asm["ptx"]``), Triton functions (`from_triton`), and TileLang programs
(`from_tilelang`). No GPU and no driver is used.

Guaranteed: what is proved is the PTX that the compiler gave. Missed: that a run on a GPU uses the same PTX, for
which target, constants and specializations have to be the ones used there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard, Union

from . import cuda
from .errors import MissingPackage

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


def read(kernel: KernelLike, cache: str | PathLike[str] | None = None) -> Kernel:
    """A kernel in any form as a `Kernel`; what CUDA source is compiled to is kept in `cache`.

    Raises `CompileError`, `MissingPackage`, `OSError` for a file that cannot be read, and `TypeError` for what is
    no kernel.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and not is_path(kernel):
        return from_cuda(kernel, cache=cache) if _is_cuda(kernel) else Kernel(kernel)
    if isinstance(kernel, (str, PathLike)):
        path = Path(kernel)
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".cu":
            return from_cuda(text, name=str(path), include=[path.parent], cache=cache)
        return Kernel(text, str(path))
    assembly = getattr(kernel, "asm", None)
    if isinstance(assembly, Mapping) or hasattr(assembly, "__getitem__"):
        return _compiled(kernel)
    if is_triton(kernel):
        raise TypeError(
            f"`{getattr(_jitted(kernel), '__name__', kernel)}` is a Triton function: say for which types and constants "
            "it is compiled, with `warpproof.from_triton(function, signature=…, constants=…)`"
        )
    if type(kernel).__module__.partition(".")[0] in ("tvm", "tilelang"):
        raise TypeError("a TileLang program needs a target: `warpproof.from_tilelang(program, target=80)`")
    raise TypeError(f"a kernel is PTX, a path, CUDA source or a compiled kernel, not {type(kernel).__name__}")


def is_path(value: object) -> TypeGuard[str]:
    """Whether this is a text that names a file, rather than a kernel, a formula or a spec."""
    return isinstance(value, str) and "\n" not in value and value.endswith((".ptx", ".cu", ".py", ".toml"))


def is_kernel(text: str) -> bool:
    """Whether a text is PTX or CUDA source, rather than a formula."""
    return any(word in cuda.without_comments(text) for word in (".version", ".entry", "__global__"))


def _is_cuda(text: str) -> bool:
    """Whether a kernel's text is CUDA source, rather than PTX."""
    code = cuda.without_comments(text)
    return "__global__" in code and not re.search(r"^\s*\.version\b", code, re.M)


_KEYWORDS = set("void bool char short int long float double signed unsigned const volatile auto half".split())


def parameter_names(source: str, entry: str | None) -> tuple[str, ...] | None:
    """What CUDA source calls the parameters of its kernel, which PTX only numbers; None where that is not plain:
    several kernels, or parameters that macros make."""
    found = set()
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', cuda.without_comments(source))
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


def _jitted(function: Any) -> Any:
    """What a function that is tuned tunes; itself if it is none."""
    while is_triton(function) and is_triton(getattr(function, "fn", None)):
        function = function.fn
    return function


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
    the ``tl.constexpr`` parameters, also of a function that is tuned (``@triton.autotune``, ``@triton.heuristics``):
    no configuration of it is chosen. Triton compiles for pointers and integers that are multiples of 16 if they are
    so at a call: name these in ``divisible_by_16`` to get that kernel. ``options`` are Triton's (``num_warps=4``).

    Raises `MissingPackage` without Triton, `TypeError` for names that are no parameters, and what Triton raises.
    """
    try:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    except ImportError as missing:
        raise MissingPackage("Triton is not installed: `pip install triton`") from missing
    jitted = _jitted(function)
    if not isinstance(jitted, triton.JITFunction):
        raise TypeError(f"a Triton function is needed, under `@triton.jit`, not {function!r}")
    constants, divisible = dict(constants or {}), list(divisible_by_16)
    names = list(jitted.arg_names)
    for where, given in {"signature": signature, "constants": constants, "divisible_by_16": divisible}.items():
        if strange := [name for name in given if name not in names]:
            raise TypeError(
                f"`{jitted.__name__}` has no parameter {', '.join(map(repr, strange))}, which `{where}` names: it has "
                f"{', '.join(names)}"
            )
    if needed := [name for name in names if name not in signature and name not in constants]:
        raise TypeError(f"`{jitted.__name__}` also needs {', '.join(needed)} in `signature` or `constants`")
    types = {name: "constexpr" if name in constants else signature[name] for name in names}
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in divisible}
    source = ASTSource(fn=jitted, signature=types, constexprs=constants, attrs=attributes)
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
    parameters are its tensors and scalars by their names, and the tensor maps that its host code makes (from target 90
    on). `ValueError` for a program of several kernels, or with a map that a spec cannot say.

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
            "TileLang, or a version that can be used here, is not installed: `pip install tilelang`"
        ) from missing
    chosen = determine_target({"kind": "cuda", "arch": f"sm_{target}"}, return_object=True)
    with chosen:
        lowered = lower(program, target=chosen)
    kernels = {name.name_hint: function for name, function in lowered.device_mod.functions.items()}
    if len(kernels) != 1:
        raise ValueError(f"one kernel is needed, and the program has {len(kernels)}: {', '.join(kernels)}")
    [(name, function)] = kernels.items()
    folder = cuda.folder_of("nvidia.cu13")  # where PyPI's CUDA is that TileLang depends on
    headers = discover_cuda_include_paths(tilelang.env.CUDA_HOME or str(folder))
    folders = [tilelang.env.TILELANG_TEMPLATE_PATH, tilelang.env.CUTLASS_INCLUDE_DIR, *headers]
    flags = [*(f"-I{folder}" for folder in folders), f"-D__CUDACC_VER_MAJOR__={get_nvrtc_version()[0]}"]
    ptx = bytes(compile_cuda(lowered.kernel_source, target_format="ptx", arch=target, options=flags))
    maps: dict[str, Any] = {}
    for host in lowered.host_mod.functions.values():
        for descriptor, made in (host.attrs.get("tma_descriptor_args") or {}).items():
            maps[str(descriptor.name)] = _tensor_map(list(made))
    extents = {axis: int(extent) for axis, extent in function.attrs["thread_extent"].items()}
    return Kernel(
        ptx=ptx.rstrip(b"\0").decode(),
        name=f"{name}.ptx",
        entry=name,
        args=tuple(maps.get(str(it.name), str(it.name)) for it in function.params),
        grid=tuple(extents.get(f"blockIdx.{axis}", 1) for axis in "xyz"),
        block=tuple(extents.get(f"threadIdx.{axis}", 1) for axis in "xyz"),
        dynamic_shared=int(function.attrs.get("dyn_shared_memory_buf", 0)),
    )


_SWIZZLES = {0: "none", 1: "32B", 2: "64B", 3: "128B", 4: "128B atom 32B", 6: "128B atom 64B"}
"""`CUtensorMapSwizzle`, in the words of a spec."""
_ELEMENTS = {1: "u16", 2: "u32", 3: "s32", 4: "u64", 5: "s64", 6: "f16", 7: "f32", 8: "f64", 9: "bf16", 11: "tf32"}
"""`CUtensorMapDataType` likewise; of bytes it does not say what they mean."""


def _tensor_map(made: list[Any]) -> dict[str, Any]:
    """What a spec says of a tensor map that TileLang's host code makes: `cuTensorMapEncodeTiled` with these arguments.

    They are the function, the map, the type, the rank, the tensor, `globalDim`, `globalStrides` in bytes from that of
    an element on, `boxDim`, `elementStrides`, interleave, swizzle, L2 promotion and what is read outside.
    """
    if str(getattr(made[0], "value", made[0])) != "__tvm_tensormap_create_tiled":
        raise ValueError(f"a tensor map that `{made[0]}` makes cannot be said in a spec")
    try:
        element, rank, tensor = int(made[2]), int(made[3]), str(made[4].name)
        numbers = [int(number) for number in made[5:]]
    except TypeError as symbolic:
        raise ValueError("the sizes of a tensor map are symbolic: compile the program for given sizes") from symbolic
    # The driver's arrays have the innermost dimension first.
    shape, strides, box, steps = (numbers[at * rank : (at + 1) * rank][::-1] for at in range(4))
    interleave, swizzle, _, outside = numbers[4 * rank :]
    if swizzle not in _SWIZZLES:
        raise ValueError(f"a tensor map with the swizzle {swizzle} cannot be said in a spec")
    return {
        "tensor_map": tensor,
        **({"type": _ELEMENTS[element]} if element in _ELEMENTS else {}),
        "shape": shape,
        "strides": [stride // strides[-1] for stride in strides],
        "box": box,
        "element_strides": steps,
        "interleave": ("none", "16B", "32B")[interleave],
        "swizzle": _SWIZZLES[swizzle],
        "oob": ("zeros", "nan")[outside],
    }


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
    cache: str | PathLike[str] | None = None,
) -> Kernel:
    """Compiles CUDA source with NVRTC, without a GPU.

    ``options`` are NVRTC's (``--use_fast_math``), ``include`` folders of headers. Templates have to be
    instantiated in the source. ``args`` names the parameters, in their order, where the source's own names are not
    the ones that tensors and scalars are to have. ``cache`` is a folder that keeps what was compiled; under pytest, the
    plugin has one.

    Raises `MissingPackage` without ``nvidia-cuda-nvrtc-cu12``, and `CompileError` with what the compiler says.
    """
    flags = [f"--gpu-architecture={arch}", "--generate-line-info", *options]
    folders = [Path(folder) for folder in [*include, *_headers()]]
    ptx = cuda.ptx(source, Path(name).name, flags, folders, cache)
    arguments = None if args is None else tuple(args)
    names = parameter_names(source, entry) if args is None else None
    ptx_name = str(Path(name).with_suffix(".ptx"))
    return Kernel(ptx, ptx_name, entry, arguments, grid, block, dynamic_shared, names)


def _headers() -> list[Path]:
    """Those of CUDA (`cuda_fp16.h`), if they are installed."""
    folder = cuda.folder_of("nvidia.cuda_runtime")
    return [folder / "include"] if folder else []
