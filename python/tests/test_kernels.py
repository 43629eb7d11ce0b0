"""Kernels from Triton and CUDA, where those are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import warpproof
from warpproof import CompileError, MissingPackage, cuda, from_cuda, from_triton, kernels

CORPUS = Path(__file__).parents[2] / "tests/corpus"
CUDA = """
extern "C" __global__ void scale(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
"""

needs_nvrtc = pytest.mark.skipif(
    cuda.folder_of("nvidia.cuda_nvrtc") is None, reason="nvidia-cuda-nvrtc-cu12 is not installed"
)


def test_what_is_no_kernel_is_refused() -> None:
    with pytest.raises(TypeError, match="a kernel is"):
        kernels.read(3)


def test_compiled_objects_have_ptx() -> None:
    ptx = (CORPUS / "kernels/operators/softmax.ptx").read_text()
    compiled = SimpleNamespace(asm={"ptx": ptx}, metadata=SimpleNamespace(name="softmax", shared=16))
    kernel = kernels.read(compiled)
    assert (kernel.ptx, kernel.entry, kernel.dynamic_shared) == (ptx, "softmax", 16)


@needs_nvrtc
def test_cuda_is_compiled(tmp_path: Path) -> None:
    sizes = {"x": 64, "y": 64}
    scalars = {"a": {"type": "f32"}, "n": 64}
    report = warpproof.check(
        CUDA, "y = a * x", tensors=sizes, scalars=scalars, launch={"grid": 2, "block": 32, "ctas": "all"}
    )
    assert report.verdict == "equivalent"
    (tmp_path / "scale.h").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "scale.cu").write_text('#include "scale.h"\n' + CUDA.replace("a * x", "FACTOR * a * x"))
    report = warpproof.check(
        tmp_path / "scale.cu", CUDA, tensors=sizes, scalars=scalars, launch={"grid": 2, "block": 32}
    )
    assert report.verdict == "not_equivalent"
    with pytest.raises(CompileError, match="error") as error:
        from_cuda("// one\n__global__ void broken( {", name="some/broken.cu")
    at = error.value.location
    assert at is not None and (at.line, at.excerpt) == (2, "__global__ void broken( {")


@needs_nvrtc
def test_the_names_of_cuda_source_count() -> None:
    launch = {"grid": 2, "block": 32, "ctas": "all"}
    scalars = {"n": 64, "a": {"type": "f32"}}
    assert warpproof.check(CUDA, "y = a * x", tensors={"y": 64, "x": 64}, scalars=scalars, launch=launch).holds
    with pytest.raises(warpproof.InvalidSpec, match="no kernel has a parameter `out`"):
        warpproof.check(CUDA, "out = a * x", tensors={"x": 64, "out": 64}, scalars=scalars, launch=launch)
    kernel = from_cuda(CUDA, args=["in_", "out", "a", "n"])
    sizes = {"in_": 64, "out": 64}
    assert warpproof.check(kernel, "out = a * in_", tensors=sizes, scalars=scalars, launch=launch).holds
    # A comment makes no kernel.
    assert warpproof.infer("// __global__\n" + kernel.ptx).kernels


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (CUDA, ("x", "y", "a", "n")),
        ("__global__ void __launch_bounds__(128, 2) k(float* __restrict__ x, int n = 3)", ("x", "n")),
        ("template <class T> __global__ void k(const T *x /* (in, out) */, T y[4]) {}", ("x", "y")),
        ('__global__ static void k(unsigned long n) { printf("__global__ void f(int m)"); }', ("n",)),
        ("__global__ void k(int n); __global__ void k(int n) {}", ("n",)),
        ("__global__ void k(int a) {} __global__ void l(int b) {}", None),
        ("__global__ void k(int) {}", None),
        ("__global__ void k(unsigned int, float x) {}", None),
        ("__global__ void k(PARAMETERS) {}", None),
        ("__global__ void k(void (*f)(int), int n) {}", None),
    ],
)
def test_parameters_have_the_names_of_the_source(source: str, names: tuple[str, ...] | None) -> None:
    assert kernels.parameter_names(source, None) == names


def test_tilelang_programs_are_compiled() -> None:
    pytest.importorskip("tilelang")
    from tilelang_programs import matmul

    program = matmul(64, 64, 64, 32, 32, 32)
    with pytest.raises(TypeError, match="from_tilelang"):
        kernels.read(program)
    kernel = warpproof.from_tilelang(program, target=80)
    assert (kernel.args, kernel.grid, kernel.block) == (("A", "B", "C"), (2, 2, 1), (128, 1, 1))
    sizes = {"A": (64, 64), "B": (64, 64), "C": (64, 64)}
    report = warpproof.check(kernel, lambda A, B: A @ B, tensors=sizes, launch={"ctas": "all"})
    assert report.verdict == "equivalent", report
    report = warpproof.check(kernel, lambda A, B: A @ B.T, tensors=sizes, launch={"ctas": "all"})
    assert report.verdict == "not_equivalent"
    # From target 90 on, tiles are copied through tensor maps, which the host makes.
    kernel = warpproof.from_tilelang(program, target=90)
    assert kernel.args is not None
    assert [it["tensor_map"] for it in kernel.args[:2]] == ["A", "B"] and kernel.args[2] == "C"
    report = warpproof.check(kernel, lambda A, B: A @ B, tensors=sizes, launch={"ctas": "all"})
    assert report.verdict != "not_equivalent", report


def test_tensor_maps_of_tilelang_are_those_of_a_spec() -> None:
    tensor = SimpleNamespace(name="A")
    # A 64×48 tensor of halves in rows of 50, in boxes of 16×32, every other row.
    sizes = [48, 64, 2, 100, 32, 16, 1, 2]
    made = ["__tvm_tensormap_create_tiled", "A_desc", 6, 2, tensor, *sizes, 0, 3, 2, 0]
    assert kernels._tensor_map(made) == {
        "tensor_map": "A",
        "type": "f16",
        "shape": [64, 48],
        "strides": [50, 1],
        "box": [16, 32],
        "element_strides": [2, 1],
        "interleave": "none",
        "swizzle": "128B",
        "oob": "zeros",
    }
    for at, other in ((0, "__tvm_tensormap_create_im2col"), (-3, 5), (5, SimpleNamespace(name="n"))):
        wrong = [*made]
        wrong[at] = other
        with pytest.raises(ValueError, match="cannot be said|symbolic"):
            kernels._tensor_map(wrong)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "folder_of", lambda package: None)
    with pytest.raises(MissingPackage, match="pip install nvidia-cuda-nvrtc-cu12"):
        from_cuda(CUDA)


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
def test_triton_is_compiled() -> None:
    from triton_kernels import scale

    kernel = from_triton(
        scale, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 64, "FACTOR": 3}, grid=2, num_warps=2
    )
    sizes = {"x": 100, "y": 100}
    report = warpproof.check(kernel, "y = 3 * x", tensors=sizes, scalars={"n": 100}, launch={"ctas": "all"})
    assert report.verdict == "equivalent"
    assert (
        warpproof.check(
            kernel, "y = 2 * x", tensors=sizes, scalars={"n": 100}, launch={"ctas": "all"}
        ).verdict
        == "not_equivalent"
    )
    with pytest.raises(TypeError, match="n in `signature`"):
        from_triton(scale, {"x": "*fp32", "y": "*fp32"}, {"BLOCK": 64, "FACTOR": 3})
    with pytest.raises(TypeError, match="from_triton"):
        warpproof.analyze(scale)


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
def test_tuned_functions_are_compiled_with_the_given_constants() -> None:
    from triton_kernels import both, scale, tuned

    types = {"x": "*fp32", "y": "*fp32", "n": "i32"}
    for function in (tuned, both):
        kernel = from_triton(function, types, {"BLOCK": 64, "FACTOR": 3}, grid=1)
        assert kernel.entry == "scale"
        report = warpproof.check(
            kernel, "y = 3 * x", tensors={"x": 64, "y": 64}, scalars={"n": 64}, launch={"ctas": "all"}
        )
        assert report.verdict == "equivalent"
        with pytest.raises(TypeError, match="`scale` is a Triton function"):
            warpproof.analyze(function)
    with pytest.raises(TypeError, match="`scale` has no parameter 'Q', which `constants` names"):
        from_triton(scale, types, {"BLOCK": 64, "FACTOR": 3, "Q": 1})
    with pytest.raises(TypeError, match="`scale` has no parameter 'z', which `signature` names"):
        from_triton(scale, {**types, "z": "i32"}, {"BLOCK": 64, "FACTOR": 3})
    with pytest.raises(TypeError, match="which `divisible_by_16` names"):
        from_triton(scale, types, {"BLOCK": 64, "FACTOR": 3}, divisible_by_16=["z"])
    with pytest.raises(TypeError, match="under `@triton.jit`"):
        from_triton(lambda x: x, types)


@needs_nvrtc
def test_unchanged_source_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    nvrtc = cuda._nvrtc

    def counted(library: Path, source: str, name: str, flags: Sequence[str]) -> str:
        compiled.append(source)
        return nvrtc(library, source, name, flags)

    monkeypatch.setattr(cuda, "_nvrtc", counted)
    monkeypatch.setattr(cuda, "kept_in", None)
    kept, headers = tmp_path / "kept", tmp_path / "headers"
    headers.mkdir()
    (headers / "inner.h").write_text("#define FACTOR 2.0f\n")
    (headers / "outer.h").write_text('#include "inner.h"\n')
    including = '#include "outer.h"\n' + CUDA.replace("a * x", "FACTOR * a * x")

    def times(source: str, **more: Any) -> int:
        compiled.clear()
        first, second = (from_cuda(source, cache=kept, **more) for _ in range(2))
        assert first == second
        return len(compiled)

    assert times(CUDA) == 1 and times(CUDA) == 0
    # All that the PTX depends on: options, name, and what is included, however far down.
    assert times(CUDA, options=["--use_fast_math"]) == 1 and times(CUDA, arch="sm_90") == 1
    assert times(CUDA, name="other.cu") == 1 and times(CUDA + " ") == 1
    assert times(including, include=[headers]) == 1 and times(including, include=[headers]) == 0
    (headers / "inner.h").write_text("#define FACTOR 3.0f\n")
    assert times(including, include=[headers]) == 1
    assert "40400000" in from_cuda(including, include=[headers], cache=kept).ptx  # 3.0f
    # What cannot be told is compiled each time; so is everything without a folder.
    hidden = including.replace('"outer.h"', "NAME")
    assert times('#define NAME "outer.h"\n' + hidden, include=[headers]) == 2
    assert times("#if __has_include(<outer.h>)\n#endif\n" + CUDA, include=[headers]) == 2
    assert times(CUDA, options=[f"-I{headers}"]) == 2
    compiled.clear()
    assert from_cuda(CUDA) == from_cuda(CUDA) and len(compiled) == 2
    # `check` has a folder.
    compiled.clear()
    for _ in range(2):
        warpproof.check(
            CUDA + "// checked",
            "y = a * x",
            tensors={"x": 8, "y": 8},
            scalars={"n": 8},
            launch={"block": 8},
            cache=kept,
        )
    assert len(compiled) == 1


@needs_nvrtc
def test_what_is_inferred_of_source_has_its_names() -> None:
    inference = warpproof.infer(CUDA)
    assert [it.bound for it in inference.kernels[0].parameters] == ["x", "y", "a", "n"]
    assert "[tensors.x]" in inference.spec and inference.missing == ["launch.block", "scalars.n"]
    # Not where a spec has other names.
    inference = warpproof.infer(CUDA, spec='[tensors.input]\nrole = "in"\n[tensors.output]\nrole = "out"\n')
    assert "[tensors.input]" in inference.spec and "[tensors.x]" not in inference.spec
    both = warpproof.infer(CUDA, CUDA.replace("int n", "int count").replace("< n", "< count"))
    assert [[it.bound for it in kernel.parameters][-1] for kernel in both.kernels] == ["count", "n"]
