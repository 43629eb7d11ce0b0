"""Kernels from Triton and CUDA, where those are installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

import warpproof
from warpproof import CompileError, MissingPackage, from_cuda, from_triton, kernels

CORPUS = Path(__file__).parents[2] / "tests/corpus"
CUDA = """
extern "C" __global__ void scale(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
"""

needs_nvrtc = pytest.mark.skipif(
    kernels._folder("nvidia.cuda_nvrtc") is None, reason="nvidia-cuda-nvrtc-cu12 is not installed"
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


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_folder", lambda package: None)
    with pytest.raises(MissingPackage, match=r"warpproof\[cuda\]"):
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
