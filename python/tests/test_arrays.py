"""Functions over arrays: one text that is a formula and runs in NumPy."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from test_check import NAMED

import warpproof
from warpproof import TraceError, _engine, arrays, standard
from warpproof.arrays import arange, clip, einsum, exp, pi, softmax, sqrt, stack, var, where
from warpproof.tracing import trace

CORPUS = Path(__file__).parents[2] / "tests/corpus"


def formula(function: Any) -> str:
    return trace(function)


def test_operators_and_functions_are_written() -> None:
    assert formula(lambda Q, K, V: softmax(Q @ K.T / 8) @ V) == "y = softmax(Q @ K.T / 8) @ V\n"
    assert formula(lambda x: -(x**2) + 2 ** (1 - x)) == "y = -x ** 2 + 2 ** (1 - x)\n"
    assert formula(lambda x: (-x) ** 2) == "y = (-x) ** 2\n"
    assert formula(lambda x: x[1:, None, ..., ::-2, -1]) == "y = x[1:, None, ..., ::-2, -1]\n"
    assert formula(lambda x: x.sum(axis=(0, 1), keepdims=True)) == "y = sum(x, axis=[0, 1], keepdims=True)\n"
    assert formula(lambda x: x.reshape(x.shape[0], -1)) == "y = reshape(x, [x.shape[0], -1])\n"
    assert (
        formula(lambda x: where((x > 0) & (1 <= x), x, -float("inf")))
        == "y = where((x > 0) & (x >= 1), x, -inf)\n"
    )
    assert formula(lambda x: x.astype("float16") + 0.1) == "y = astype(x, float16) + 0.1\n"
    assert formula(lambda a, b: einsum("ij,jk->ik", a, b)) == "y = einsum('ij,jk->ik', a, b)\n"


def test_what_is_used_twice_has_a_name() -> None:
    def function(x: Any) -> Any:
        d = exp(x)
        return d / d.sum(axis=-1, keepdims=True)

    assert formula(function) == "t1 = exp(x)\ny = t1 / sum(t1, axis=-1, keepdims=True)\n"
    assert formula(lambda t1: (t1 + 1) * (t1 + 1)).count("t1") == 2  # two sums are two
    # Doubling forty times is forty lines, not 2 ** 40 terms.
    doubled = formula(lambda x: [x := x + x for _ in range(40)][-1])
    assert len(doubled.splitlines()) == 40


def test_several_outputs_are_a_dict() -> None:
    assert formula(lambda x: {"a": x + 1, "b": x}) == "a = x + 1\nb = x\n"
    with pytest.raises(TraceError, match="dict"):
        formula(lambda x: (x, x))


def test_what_a_formula_cannot_say_is_refused() -> None:
    numpy = pytest.importorskip("numpy")
    for function in (
        lambda x: x if x > 0 else -x,
        lambda x: [a for a in x],
        lambda x: numpy.exp(x),
        lambda x: x + numpy.ones(3),
        lambda x: range(x.shape[0]),
        lambda x: x + float("nan"),
        lambda x: len(x),
    ):
        with pytest.raises((TraceError, TypeError)):
            formula(function)


def test_the_line_that_cannot_be_said_is_named() -> None:
    def function(x: Any) -> Any:
        y = exp(x)
        return y if y > 0 else x

    with pytest.raises(TraceError) as error:
        formula(function)
    at = error.value.location
    assert at is not None and (at.source, at.line) == (__file__, function.__code__.co_firstlineno + 2)
    assert at.excerpt.strip() == "return y if y > 0 else x"
    with pytest.raises(TraceError) as error:
        formula(lambda x: (x, x))
    assert error.value.location is not None and error.value.location.source == __file__


def test_numpys_functions_are_told_apart() -> None:
    numpy = pytest.importorskip("numpy")
    for function in (lambda x: numpy.exp(x), lambda x: numpy.sum(x), lambda x: numpy.where(x > 0, x, 0)):
        with pytest.raises(TraceError, match="use those of `warpproof.arrays`"):
            formula(function)


def test_numbers_stay_exact() -> None:
    assert formula(lambda x: x * sqrt(2 / pi)) == "y = x * sqrt(2 / pi)\n"
    assert float(sqrt(16)) == 4 and arange(4)[1:].__array__().tolist() == [1, 2, 3]


def test_every_function_is_a_function_of_ours() -> None:
    stub = (Path(arrays.__file__).parent / "arrays.pyi").read_text()
    for name, parameters, help in _engine.functions():
        function = getattr(arrays, name)
        assert str(inspect.signature(function)) == str(inspect.signature(eval(f"lambda {parameters}: None")))
        assert function.__doc__ and f"def {name}(" in stub


def test_docstrings_say_shapes() -> None:
    assert softmax.__doc__ == "exp(x) / sum of exp(x). The shape is that of `x`."
    assert where.__doc__ and where.__doc__.startswith("a where the condition holds, b elsewhere.")
    for name in arrays.__all__:
        function = getattr(arrays, name)
        if callable(function) and not isinstance(function, type):
            told = ("shape", "axis", "axes", "window", "(…, n, m)", "number")
            assert function.__doc__ and any(word in function.__doc__ for word in told), name


def test_the_same_text_runs_in_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    x = numpy.random.default_rng(1).random((3, 5))
    assert numpy.allclose(softmax(x), numpy.exp(x) / numpy.exp(x).sum(-1, keepdims=True))
    assert numpy.allclose(var(x, axis=1, correction=1), x.var(axis=1, ddof=1))
    assert numpy.allclose(clip(x, 0.2, 0.4), x.clip(0.2, 0.4)) and numpy.allclose(
        clip(x, max=0.4), x.clip(None, 0.4)
    )
    assert numpy.allclose(einsum("ij,kj->ik", x, x), x @ x.T)
    assert numpy.allclose(stack([x, x], axis=1), numpy.stack([x, x], axis=1))
    assert numpy.allclose(arrays.take(x, numpy.array([2, 0])), x[[2, 0]])
    assert numpy.allclose(arrays.astype(x * 9, "int32"), (x * 9).astype(numpy.int32))
    assert numpy.allclose(arrays.gelu(x, approximate="tanh"), arrays.gelu(x), atol=1e-2)
    assert numpy.allclose(x * sqrt(2 / pi), x * (2 / numpy.pi) ** 0.5)
    assert numpy.allclose(sqrt(pi) * x + arange(5), numpy.pi**0.5 * x + numpy.arange(5))
    assert numpy.allclose(where(arange(3)[:, None] >= arange(5), x, 0), numpy.tril(x))
    with pytest.raises(NotImplementedError):
        arrays.conv1d(x, x)


STANDARD: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "hypot", "logaddexp"), ("x", "y")),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), ("x", "y")),
    **dict.fromkeys(("floor_divide", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor"), ("i", "j")),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), ("i", "j")),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("i", "j")),
    **dict.fromkeys(("positive", "negative", "matrix_transpose", "diff", "tril", "triu", "asarray"), ("x",)),
    **dict.fromkeys(("logical_not", "bitwise_invert", "count_nonzero"), ("i",)),
    "cumulative_sum": ("x", {"axis": 1}),
    "vecdot": ("x", "y"),
    "squeeze": ("one", 1),
    "roll": ("x", 4, 1),
    "repeat": ("x", 3, 1),
    "eye": (3, 4, {"k": 1}),
    "linspace": (1, 2, 5),
    "full_like": ("x", 7),
}
"""The array API's names that are said with others, with arguments that NumPy takes, too."""


def test_the_array_apis_other_names_are_numpys() -> None:
    numpy = pytest.importorskip("numpy", minversion="2.1")
    random = numpy.random.default_rng(3)
    values = {"x": random.random((3, 4)), "y": random.random((3, 4)), "one": random.random((2, 1, 3))}
    values |= {name: random.integers(0, 3, (3, 4)) + (name == "j") for name in "ij"}
    words = {name for name in standard.__all__ if callable(getattr(arrays, name))}
    assert words == set(STANDARD)
    for name, given in STANDARD.items():
        options = given[-1] if isinstance(given[-1], dict) else {}
        taken = given[:-1] if options else given
        here = [values.get(it, it) if isinstance(it, str) else it for it in taken]
        expected = getattr(numpy, name)(*here, **options)
        assert numpy.allclose(numpy.asarray(getattr(arrays, name)(*here, **options)), expected), name
        # As a formula, too, which the engine writes for NumPy.
        traced = [arrays.tensor(it) if isinstance(it, str) else it for it in taken]
        text = arrays.write({"result": getattr(arrays, name)(*traced, **options)})
        assert numpy.allclose(arrays._run(text, values), expected), text
    assert numpy.allclose(arrays.roll(values["x"], -5), numpy.roll(values["x"], -5))
    with pytest.raises(ValueError):
        arrays.squeeze(values["x"], 1)


def test_the_array_apis_other_names_mean_that_in_a_proof() -> None:
    xp = arrays
    question: dict[str, Any] = {"tensors": {"x": (2, 4), "y": (2, 4)}, "scalars": {"s": 1, "n": 8}}
    for same in (
        lambda x: xp.roll(xp.roll(x, 7, axis=1), -3, axis=-1),
        lambda x: xp.roll(xp.roll(x, 3), -11),
        lambda x: xp.tril(x) + xp.triu(x, k=1),
        lambda x: xp.squeeze(x[:, None], axis=1) + xp.squeeze(x[..., None], axis=-1) - x,
        lambda x: xp.matrix_transpose(xp.matrix_transpose(x)),
        lambda x: xp.repeat(x, 3, axis=-1)[:, ::3],
        lambda x: xp.concat([x[:, :1], x[:, :1] + xp.cumulative_sum(xp.diff(x), axis=1)], axis=1),
        lambda x: xp.subtract(xp.add(x, 2), 2),
        lambda x: xp.divide(xp.multiply(x, xp.negative(2)), -2),
        lambda x: xp.where(xp.logical_and(xp.less(x, 1), xp.greater_equal(x, 1)), 0, xp.positive(x)),
        lambda x: xp.where(xp.logical_or(xp.equal(x, 0), xp.not_equal(x, 0)), x, 0),
        lambda x: xp.where(xp.logical_not(xp.less_equal(x, 1)) & xp.less_equal(x, 1), 0, x),
        lambda x: x @ xp.eye(4) + xp.vecdot(x[:, None, :], xp.eye(4)) - x,
        lambda x: x * xp.full_like(x, 1) * xp.count_nonzero(xp.ones_like(x), axis=1)[:, None] / 4,
        lambda x: xp.asarray(x) + xp.linspace(0, 3, 4) - xp.arange(4),
        lambda x: xp.logaddexp(x, x) - xp.log(2) + xp.hypot(3, 4) - 5,
        lambda x: x + xp.remainder(xp.floor_divide(xp.arange(4), 2), 1),
        lambda x: xp.astype(x[xp.newaxis], xp.float64)[0],
    ):
        report = warpproof.check(NAMED, same, launch={"block": 8}, **question)
        assert report.verdict == "equivalent", (report.question.spec, str(report))
    with pytest.raises(warpproof.InvalidSpec):
        warpproof.check(NAMED, lambda x: xp.squeeze(x, 0) + x * 0, launch={"block": 8}, **question)


UNARY = [name for name, parameters, _ in _engine.functions() if parameters == "x"]
ALONG = [
    name
    for name, parameters, _ in _engine.functions()
    if parameters.startswith("x, axis=") and name != "count"
]


@pytest.mark.parametrize("name", UNARY + ALONG)
def test_each_function_runs_in_numpy(name: str) -> None:
    numpy = pytest.importorskip("numpy")
    x = numpy.random.default_rng(2).random((3, 5)) / 2 + (1.5 if name == "acosh" else 0.25)
    value = numpy.asarray(
        getattr(arrays, name)(x, axis=1)
        if name in ALONG and name != "expand_dims"
        else getattr(arrays, name)(x)
    )
    assert numpy.isfinite(value.astype(float)).all()


def test_a_function_is_a_reference() -> None:
    def attention(Q: Any, K: Any, V: Any) -> Any:
        scores = Q @ K.T / sqrt(16)
        return softmax(where((arange(16) + 8)[:, None] >= arange(32), scores, -float("inf"))) @ V

    case = CORPUS / "equivalent/triton/flash_causal.toml"
    report = warpproof.check(spec=case, reference=attention)
    assert report.verdict == "equivalent" and "O = softmax(" in report.question.spec
    numpy = pytest.importorskip("numpy")
    assert attention(numpy.ones((16, 16)), numpy.ones((32, 16)), numpy.ones((32, 16))).shape == (16, 16)


def test_the_output_is_the_tensor_that_is_left() -> None:
    ptx = CORPUS / "kernels/operators/softmax.ptx"
    launch = {"grid": 4, "block": 128, "ctas": "all"}
    sizes = {"x": (4, 1024), "y": (4, 1024)}
    assert warpproof.check(ptx, lambda x: softmax(x), tensors=sizes, launch=launch).holds
    with pytest.raises(TraceError, match="`x` or `y`"):
        warpproof.check(ptx, lambda: arange(4), tensors=sizes, launch=launch)
