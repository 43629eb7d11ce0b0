"""Python functions as references: their names, their outputs, and what is refused with its place."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest
from test_check import NAMED, SLEEPLESS

import warpproof
from warpproof import InvalidSpec, Limits, Report, TraceError, arrays, cuda
from warpproof.tracing import Names, trace

LAUNCH = {"block": 8}
IN_PLACE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %r<3>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4]; add.f32 %f2, %f1, 0f3F800000; add.f32 %f3, %f1, %f1;
    st.global.f32 [%rd4], %f2; st.global.f32 [%rd5], %f3;
    ret;
}
"""
"""``y = 2 * x``, and then ``x = x + 1``."""
READS_NEW = IN_PLACE.replace("%f3, %f1, %f1", "%f3, %f2, %f2")
"""``x = x + 1``, and then ``y = 2 * x``."""


def renamed(ptx: str, old: str, new: str) -> str:
    """The kernel with another name for a parameter."""
    assert f"[{old}]" in ptx
    for before, after in ((f"[{old}]", f"[{new}]"), (f" {old},", f" {new},"), (f" {old})", f" {new})")):
        ptx = ptx.replace(before, after)
    return ptx


def scaled(reference: Any, *names: str, ptx: str = NAMED, **scalars: Any) -> Report:
    """`NAMED` against a function."""
    values = {"s": {"type": "f32"}, "n": 8, **scalars}
    return warpproof.check(
        ptx, reference, tensors=dict.fromkeys(names or ("x", "y"), 8), scalars=values, launch=LAUNCH
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_outputs_are_computed_from_what_tensors_held_before(swapped: bool) -> None:
    def reference(x: Any) -> Any:
        outputs = {"x": x + 1, "y": x * 2}
        return dict(reversed(outputs.items())) if swapped else outputs

    question: dict[str, Any] = {"tensors": {"x": {"shape": [8], "role": "inout"}, "y": 8}, "launch": LAUNCH}
    assert warpproof.check(IN_PLACE, reference, **question).verdict == "equivalent"
    assert warpproof.check(READS_NEW, reference, **question).verdict == "not_equivalent"
    again = warpproof.check(READS_NEW, lambda x: {"x": (n := x + 1), "y": n * 2}, **question)
    assert again.verdict == "equivalent"


def test_two_tensors_can_be_exchanged() -> None:
    assert trace(lambda x, y: {"x": y, "y": x}) == "t1 = y\nt2 = x\nx = t1\ny = t2\n"


def test_a_parameter_does_not_capture_a_constant() -> None:
    constants: dict[str, Any] = {"e": arrays.e, "pi": arrays.pi, "inf": -arrays.inf}
    for word, constant in constants.items():
        for old in ("x", "s"):  # a tensor that the function takes, a scalar that it does not
            ptx = renamed(NAMED, old, word)
            names = [word, "y"] if old == "x" else ["x", "y"]
            function = eval(f"lambda {names[0]}: {names[0]} * constant", {"constant": constant})
            values = {"n": 8, **({"s": 1} if old == "x" else {})}
            with pytest.raises(TraceError, match=f"`{word}` is a tensor or scalar") as error:
                warpproof.check(ptx, function, tensors=dict.fromkeys(names, 8), scalars=values, launch=LAUNCH)
            assert error.value.location is not None
    # A type is a word, too, and so is True.
    taken = frozenset({"x", "y", "float32", "True"})
    names_ = Names(known=taken, tensors=taken, unnamed=("y",), outputs=frozenset())
    for function in (lambda x: arrays.astype(x, "float32"), lambda x: arrays.where(x > 0, True, x)):
        with pytest.raises(TraceError, match="cannot mean the constant") as error:
            trace(function, names_)
        assert error.value.location is not None and error.value.location.source == __file__


def test_a_tensor_may_be_called_like_a_function() -> None:
    for word in ("exp", "sum", "where"):
        ptx = renamed(NAMED, "x", word)
        function = eval(f"lambda {word}, s: {word} * s + 0 * f({word})", {"f": arrays.exp})
        assert scaled(function, word, "y", ptx=ptx).holds


def test_a_part_has_no_name_of_the_kernels() -> None:
    def reference(x: Any, s: Any) -> Any:
        part = x * s
        return {"y": part + part - part}

    for old in ("s", "n"):
        ptx = renamed(NAMED, old, "t1")
        function = reference if old == "n" else lambda x, t1: reference(x, t1)
        values = {"t1": 8, "s": 2} if old == "n" else {"t1": 2, "n": 8}
        report = warpproof.check(ptx, function, tensors={"x": 8, "y": 8}, scalars=values, launch=LAUNCH)
        assert report.holds and "t2 = " in report.question.spec


def test_an_output_that_is_no_tensor_is_refused() -> None:
    for key, hint in (("Y", "did you mean `y`"), ("output", "there are `x` and `y`"), ("s", "no tensor")):
        with pytest.raises(TraceError, match=hint) as error:
            scaled(lambda x, s: {"y": x * s, key: x})
        assert error.value.location is not None and error.value.location.source == __file__
    with pytest.raises(TraceError, match="returns nothing for `y`"):
        scaled(lambda x, s: None)


def test_every_declared_output_has_to_be_said() -> None:
    tensors = {"x": {"shape": [8], "role": "inout"}, "y": {"shape": [8], "role": "out"}}
    with pytest.raises(TraceError, match="does not say what `y` holds"):
        warpproof.check(IN_PLACE, lambda x: {"x": x + 1}, tensors=tensors, launch=LAUNCH)
    with pytest.raises(TraceError, match="does not say what `x` holds"):
        warpproof.check(IN_PLACE, lambda x: 2 * x, tensors=tensors, launch=LAUNCH)
    assert warpproof.check(IN_PLACE, lambda x: {"x": x + 1, "y": 2 * x}, tensors=tensors, launch=LAUNCH).holds


def test_the_one_output_is_none_of_the_inputs() -> None:
    tensors = {"x": 8, "y": 8, "t": {"type": "f32", "shape": [8], "contents": [2] * 8}}
    report = warpproof.check(NAMED, lambda x: 2 * x, tensors=tensors, scalars={"s": 2, "n": 8}, launch=LAUNCH)
    assert report.holds
    with pytest.raises(TraceError, match="it could be `V` or `O`"):
        trace(
            lambda Q: Q,
            Names(frozenset("QVO"), frozenset("QVO"), unnamed=("Q", "V", "O"), outputs=frozenset()),
        )


def test_arrays_are_not_changed_in_place() -> None:
    def alias(x: Any, s: Any) -> Any:
        part = x
        part += 1
        return x * s

    with pytest.raises(TraceError, match=r"write `s = s \+ v`") as error:
        scaled(alias)
    assert error.value.location is not None and error.value.location.excerpt.strip() == "part += 1"
    for sign in ("-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="):
        with pytest.raises(TraceError, match="in place"):
            exec(f"x {sign} 2", {"x": arrays.tensor("x")})
    with pytest.raises(TraceError, match="where"):
        arrays.tensor("x")[0] = 1
    # A number is none.
    assert (
        trace(lambda x: functools.reduce(lambda total, at: total + x[at], range(2), 0))
        == "y = 0 + x[0] + x[1]\n"
    )


def test_defaults_are_values_unless_the_kernel_has_the_name() -> None:
    assert scaled(lambda x, s, factor=2: factor * x * s / 2).holds
    assert scaled(lambda x, *, factor=2, s: factor * x * s / 2).holds
    assert scaled(functools.partial(lambda x, s, factor: factor * x * s / 2, factor=2)).holds
    assert scaled(lambda x, s=2: x * s).holds and not scaled(lambda x, s=2: x * s * 0 + x).holds
    assert trace(lambda x, scale=8: x / scale) == "y = x / 8\n"


def test_a_parameter_that_the_kernel_lacks_is_named() -> None:
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.raises(TraceError, match="did you mean `x`") as error:
        scaled(lambda X, s: X * s)
    at = error.value.location
    assert at is not None and (at.source, at.line) == (__file__, line)
    with pytest.raises(TraceError, match=r"`\*tensors` has no names"):
        scaled(lambda *tensors: tensors[0])
    with pytest.raises(TraceError, match="what this function takes is not known"):
        scaled(max)


def test_what_is_returned_as_it_came_has_the_place_of_the_function() -> None:
    def reference(x: Any) -> Any:
        return x

    with pytest.raises(InvalidSpec, match="shape") as error:
        warpproof.check(NAMED, reference, tensors={"x": 8, "y": 4}, scalars={"s": 1, "n": 8}, launch=LAUNCH)
    at = error.value.location
    assert at is not None and (at.source, at.line) == (__file__, reference.__code__.co_firstlineno)


def test_numbers_and_types_of_numpy_are_numbers_and_types() -> None:
    numpy = pytest.importorskip("numpy")
    assert trace(lambda x: x / numpy.sqrt(64)) == "y = x / 8.0\n"
    assert trace(lambda x: numpy.float32(0.5) * x) == "y = 0.5 * x\n"
    assert trace(lambda x: x * numpy.float32(0.1)) == "y = x * 0.10000000149011612\n"
    # Whole numbers of NumPy's have their type, where they are no places or sizes.
    assert trace(lambda x: x[numpy.int64(1) :] * numpy.int64(8)) == "y = x[1:] * astype(8, int64)\n"
    assert trace(lambda x: arrays.maximum(b=numpy.uint8(8), a=x)) == "y = maximum(b=astype(8, uint8), a=x)\n"
    assert trace(lambda x: arrays.where(x > 0, numpy.bool_(True), x)) == "y = where(x > 0, True, x)\n"
    assert trace(lambda x: arrays.sum(x, axis=numpy.int64(0)) + arrays.reshape(x, (numpy.int64(2), -1))) == (
        "y = sum(x, axis=0) + reshape(x, [2, -1])\n"
    )
    assert trace(lambda x: x + numpy.array(2.0)) == "y = x + 2.0\n"
    for dtype in (numpy.float32, numpy.dtype("float32"), "float32", arrays.float32):
        assert trace(lambda x: arrays.astype(x, dtype)) == "y = astype(x, float32)\n"
    for dtype, name in ((float, "float64"), (int, "int64"), (bool, "bool"), (numpy.dtype(bool), "bool")):
        assert trace(lambda x: x.astype(dtype)) == f"y = astype(x, {name})\n"
    with pytest.raises(TraceError, match="no type of elements"):
        trace(lambda x: x.astype("f32, y"))
    # An array is a parameter, and numbers alone are NumPy's affair.
    with pytest.raises(TraceError, match="make that a parameter"):
        trace(lambda x: x + numpy.ones(3))
    assert isinstance(arrays.exp(numpy.float64(1)), numpy.floating)
    assert float(arrays.pi * numpy.float64(2)) == 2 * numpy.pi


def test_a_whole_number_of_numpy_widens_what_it_meets() -> None:
    numpy = pytest.importorskip("numpy")
    if cuda.folder_of("nvidia.cuda_nvrtc") is None:
        pytest.skip("nvidia-cuda-nvrtc-cu12 is not installed")
    source = 'extern "C" __global__ void k(const int *x, long long *y) { y[threadIdx.x] = (long long)VALUE; }'
    tensors = {"x": {"type": "s32", "shape": [8]}, "y": {"type": "s64", "shape": [8]}}
    for value, wide in (("x[threadIdx.x] * 65536", True), ("(x[threadIdx.x] * 65536)", False)):
        for number in (65536, numpy.int32(65536), numpy.int64(65536)):
            widens = numpy.asarray(numpy.zeros(1, numpy.int32) * number).dtype == numpy.int64
            report = warpproof.check(
                source.replace("VALUE", value), lambda x: x * number, tensors=tensors, launch=LAUNCH
            )
            assert report.holds == (widens == wide)


def test_what_formulas_lack_is_told_with_its_place() -> None:
    for function in (
        lambda x: arrays.sort(x),
        lambda x: arrays.tensordot(x, x),
        lambda x: x + arrays.nan,
        lambda x: arrays.linalg.inv(x),
        lambda x: x.foo(),
        lambda x: arrays.sum(x, dim=0),
        lambda x: x + float("nan"),
    ):
        with pytest.raises(TraceError) as error:
            trace(function)
        at = error.value.location
        assert at is not None and (at.source, at.line) == (__file__, function.__code__.co_firstlineno)
    assert not hasattr(arrays, "sort") and not hasattr(arrays.tensor("x"), "foo")
    with pytest.raises(ImportError):
        exec("from warpproof.arrays import sort")
    with pytest.raises(TraceError, match="too deep"):
        trace(lambda x: functools.reduce(lambda total, _: total + x, range(3000), x))


def test_arguments_of_other_kinds_are_named() -> None:
    for name, value in {"tensors": [1], "scalars": 3, "launch": 5, "options": "x"}.items():
        with pytest.raises(TypeError, match=f"`{name}` is a dict such as"):
            warpproof.check(NAMED, "y = x", **{"tensors": {"x": 8, "y": 8}, name: value})
        with pytest.raises(TypeError, match=f"`{name}` is a dict such as"):
            warpproof.analyze(NAMED, **{name: value})
    with pytest.raises(TypeError, match="cannot hold None"):
        warpproof.analyze(NAMED, tensors={"x": None, "y": 8})
    for limits in (
        {"time": -1},
        {"time": 0.5},
        {"time": None},
        {"fuel": -1},
        {"threads": "2"},
        {"memory": 1 << 64},
    ):
        with pytest.raises(ValueError, match="is a whole number from 0"):
            Limits(**limits)  # type: ignore[arg-type]


def test_an_explanation_that_runs_out_of_time_is_a_value() -> None:
    told = warpproof.explain_kernel(SLEEPLESS, launch={"block": 32}, limits=Limits(fuel=10**15, time=1))
    assert told.formula is None and told.report.verdict == "resource_limit"
