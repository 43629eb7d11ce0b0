"""Questions: the verdicts, what they hold, and what is raised."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import warpproof
from warpproof import (
    CompileError,
    InvalidPtx,
    InvalidSpec,
    Limits,
    MissingPackage,
    Report,
    TraceError,
    WarpproofError,
    arrays,
    specs,
)
from warpproof.errors import Place

CORPUS = Path(__file__).parents[2] / "tests/corpus"
SOFTMAX = CORPUS / "kernels/operators/softmax.ptx"
SIZES = {"x": (4, 1024), "y": (4, 1024)}
LAUNCH = {"grid": 4, "block": 128, "ctas": "all"}
BAD = CORPUS / "not_equivalent/softmax/n4_no_rescale.toml"


def test_a_formula_is_a_reference() -> None:
    report = warpproof.check(SOFTMAX, "y = softmax(x, axis=-1)", tensors=SIZES, launch=LAUNCH)
    assert (report.verdict, report.holds, report.exit_status) == ("equivalent", True, 0)
    assert report.outputs[0].equal == 4096
    assert str(report).startswith("✓ equivalent\n")
    assert "first at softmax.ptx:" in str(report)


def test_a_wrong_formula_is_told_apart() -> None:
    report = warpproof.check(SOFTMAX.read_text(), "y = softmax(2 * x, axis=-1)", tensors=SIZES, launch=LAUNCH)
    assert report.verdict == "not_equivalent" and not report.holds
    assert report.counterexample is not None and report.counterexample.tensor == "y"


@pytest.mark.parametrize(
    "case", ["equivalent/triton/flash_causal", "deadlock", "not_equivalent/softmax/n4_no_rescale"]
)
def test_the_corpus_has_the_verdicts_of_its_folders(case: str) -> None:
    path = CORPUS / f"{case}.toml"
    if not path.exists():
        path = sorted((CORPUS / case).rglob("*.toml"))[0]
    assert warpproof.check(spec=path).verdict == case.split("/")[0]


def test_the_text_is_that_of_the_command_line() -> None:
    program = Path(__file__).parents[2] / "target/debug/warpproof"
    if not program.exists():
        pytest.skip("the command line is not built")
    shown = subprocess.run([program, "check", "--no-times", "--spec", BAD], capture_output=True, text=True)
    assert str(warpproof.check(spec=BAD)) == shown.stdout


def test_a_counterexample_is_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    (x,) = warpproof.check(spec=BAD).inputs().values()
    assert x.dtype == numpy.float32 and x.tolist() == [0, 0, 0, 1]


def test_given_contents_are_inputs_and_declared_ones_are_not() -> None:
    pytest.importorskip("numpy")
    report = warpproof.check(spec=CORPUS / "not_equivalent/memory/constant_table.toml")
    assert report.counterexample is not None and len(report.counterexample.inputs) == 2
    assert list(report.inputs()) == ["x"]


def test_a_race_shows_in_a_notebook() -> None:
    path = sorted((CORPUS / "data_race").rglob("*.toml"))[0]
    report = warpproof.check(spec=path)
    first = report.races[0].first
    page = report._repr_html_()
    assert "data race" in page and f"line {first.at.line}: " in page and "#1" in page


def test_what_users_write_is_text_in_html() -> None:
    report = warpproof.check(spec=BAD)
    shown = Report(**{**vars(report), "summary": "<script>"})._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown


def test_unusable_input_is_raised_with_its_place() -> None:
    with pytest.raises(InvalidSpec) as formula:
        warpproof.check(SOFTMAX, "y = softmax(x", tensors=SIZES)
    assert formula.value.code == "V012" and formula.value.location is not None
    assert formula.value.location.source == "spec"
    with pytest.raises(InvalidPtx) as ptx:
        warpproof.analyze(".version 8.0\nnonsense\n")
    assert ptx.value.code.startswith("P") and ptx.value.location is not None and ptx.value.location.line == 2
    with pytest.raises(InvalidPtx):
        warpproof.infer("nothing")
    with pytest.raises(TypeError, match="reference"):
        warpproof.check(SOFTMAX)
    with pytest.raises(FileNotFoundError):
        warpproof.analyze("no/such.ptx")


def test_one_kernel_is_analysed_and_explained() -> None:
    assert warpproof.analyze(SOFTMAX, tensors=SIZES, launch=LAUNCH).verdict == "race_free"
    told = warpproof.explain_kernel(SOFTMAX, tensors=SIZES, launch=LAUNCH)
    assert told.formula == "y = softmax(x, axis=-1)" and told.report.verdict == "race_free"
    assert told.forms is not None and told.forms.numpy is not None and "np.exp" in told.forms.numpy


def test_what_the_ptx_shows_is_inferred() -> None:
    inference = warpproof.infer(SOFTMAX)
    assert [parameter.kind for parameter in inference.kernels[0].parameters] == ["pointer", "pointer"]
    assert "[tensors." in inference.spec


def test_arguments_win_over_the_spec() -> None:
    spec = {
        "tensors": {"x": {"shape": [4, 1024]}, "y": {"shape": [4, 1024]}},
        "launch": {"grid": [1], "block": [128]},
    }
    report = warpproof.check(SOFTMAX, "y = softmax(x)", spec=spec, launch=LAUNCH)
    assert report.kernels[0].grid == [4, 1, 1] or report.kernels[-1].grid == [4, 1, 1]
    assert report.verdict == "equivalent"


def test_a_kernel_wins_over_the_formula_of_the_spec() -> None:
    tensors = {"x": {"shape": [4, 1024]}, "y": {"shape": [4, 1024], "role": "out"}}
    spec = {"formula": {"code": "y = x"}, "tensors": tensors}
    assert warpproof.check(SOFTMAX, spec=spec, launch=LAUNCH).verdict == "not_equivalent"
    assert warpproof.check(SOFTMAX, SOFTMAX, spec=spec, launch=LAUNCH).verdict == "equivalent"


def test_the_order_of_a_spec_names_no_parameters() -> None:
    spec = {"tensors": {"x": {"shape": [4, 1024]}, "y": {"shape": [4, 1024]}}}
    with pytest.raises(InvalidSpec, match="which parameter"):
        warpproof.analyze(SOFTMAX, spec=spec, launch=LAUNCH)


def test_shapes_and_types_come_from_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    x = numpy.zeros((4, 1024), numpy.float32)
    assert warpproof.check(SOFTMAX, "y = softmax(x)", tensors={"x": x, "y": x}, launch=LAUNCH).holds
    half = numpy.zeros((4, 1024), numpy.float16)
    report = warpproof.check(SOFTMAX, "y = softmax(x)", tensors={"x": half, "y": x}, launch=LAUNCH)
    assert report.verdict == "out_of_bounds"


def test_the_order_of_arguments_is_kept() -> None:
    spec: dict[str, Any] = {
        "scalars": {"a": {"type": "f32"}, "n": 64, "b": "n + 1"},
        "tensors": {"y": {"shape": ["n", 2]}, "x": {"shape": [3]}},
    }
    code = """t = 1\ny = 'a"\\'"""
    text = specs.lay_over("", {}, formula=code, sides={}, **spec)
    read = specs.load(text)[1]
    assert read == {"formula": {"code": code}, **spec}
    assert list(read["scalars"]) == ["a", "n", "b"] and list(read["tensors"]) == ["y", "x"]


def test_reports_are_the_same_and_can_be_sent() -> None:
    first, second = (warpproof.check(spec=BAD, limits=Limits(threads=threads)) for threads in (1, 2))
    assert first == second == pickle.loads(pickle.dumps(first))
    assert repr(first).startswith("<Report not_equivalent: ")


def test_time_and_fuel_end_a_question() -> None:
    assert warpproof.check(spec=BAD, limits=Limits(fuel=1)).verdict == "resource_limit"


SLEEPLESS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry spin()
{
    .reg .b32 %r<3>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
L:
    mad.lo.u32 %r1, %r1, 1664525, 1013904223;
    setp.ne.u32 %p1, %r1, 4;
    @%p1 bra L;
    ret;
}
"""


def test_control_c_stops_a_run(tmp_path: Path) -> None:
    program = f"import warpproof\nprint('asking', flush=True)\nwarpproof.analyze({SLEEPLESS!r}, launch={{'block': 32}}, limits=warpproof.Limits(fuel=10**15))"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        assert run.stdout.readline() == "asking\n"
        time.sleep(0.5)
        begun = time.monotonic()
        run.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in run.stderr.read()
    assert time.monotonic() - begun < 5 and run.returncode != 0


def test_other_threads_go_on() -> None:
    counted = 0
    over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.wait(0.01):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    report = warpproof.analyze(SLEEPLESS, launch={"block": 32}, limits=Limits(fuel=10**15, time=1))
    over.set()
    thread.join()
    assert report.verdict == "resource_limit" and counted > 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_can_ask() -> None:
    assert warpproof.check(spec=BAD).verdict == "not_equivalent"
    child = os.fork()
    if child == 0:
        os._exit(0 if warpproof.check(spec=BAD).verdict == "not_equivalent" else 1)
    for _ in range(200):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


NAMED = """.version 8.0
.target sm_80
.address_size 64
// not CUDA: __global__ stands in a comment
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 s, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f3, [s]; ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4]; mul.f32 %f2, %f1, %f3; st.global.f32 [%rd5], %f2;
DONE:
    ret;
}
"""
NUMBERED = NAMED
for _at, _name in enumerate("xysn"):
    NUMBERED = NUMBERED.replace(f"[{_name}]", f"[k_param_{_at}]").replace(f" {_name},", f" k_param_{_at},")
NUMBERED = NUMBERED.replace("u32 n)", "u32 k_param_3)")


def scaled(ptx: str, *names: str, **scalars: Any) -> Report:
    tensors = {name: 8 for name in names}
    return warpproof.check(ptx, lambda x, s: {"y": x * s}, tensors=tensors, scalars=scalars, launch={"block": 8})


def test_names_are_those_of_the_kernel_or_follow_the_order() -> None:
    symbol = {"type": "f32"}
    for names in (["x", "y"], ["y", "x"]):
        assert scaled(NAMED, *names, s=symbol, n=8).holds
        assert scaled(NAMED, *names, n=8, s=symbol).holds
    assert scaled(NUMBERED, "x", "y", s=symbol, n=8).holds
    assert not scaled(NUMBERED, "y", "x", s=symbol, n=8).holds
    with pytest.raises(InvalidSpec, match="cannot be any f32"):
        scaled(NUMBERED, "x", "y", n=8, s=symbol)
    with pytest.raises(InvalidSpec, match="no kernel has a parameter `z`") as error:
        scaled(NAMED, "x", "z", s=symbol, n=8)
    assert error.value.code == "V010" and "`x`, `y`, `s`, `n`" in error.value.notes[0]
    # Contents are numbers, whoever takes them.
    table = {"x": 8, "y": 8, "t": {"type": "f32", "shape": [8], "contents": [2] * 8}}
    report = warpproof.check(
        NAMED, "y = x * t", tensors=table, scalars={"s": 2, "n": 8}, launch={"block": 8}
    )
    assert report.holds
    renamed = {"optimized": {"args": ["a", "b", "c", "d"]}}
    sizes = {"a": 8, "b": 8}
    report = warpproof.check(
        NAMED, "b = a * c", tensors=sizes, scalars={"c": symbol, "d": 8}, launch={"block": 8}, spec=renamed
    )
    assert report.holds


def test_what_nothing_reads_may_be_a_pointer_or_a_number() -> None:
    ptx = NUMBERED.replace(".u64 k_param_1,", ".u64 k_param_1, .param .u64 k_param_9,")
    assert scaled(ptx, "x", "y", "unused", s=2, n=8).holds
    with pytest.raises(InvalidSpec, match="cannot hold 8.5") as error:
        scaled(ptx, "x", "y", "unused", s=2, n=8.5)
    assert error.value.location is not None
    assert scaled(ptx, "x", "y", unused=3, s=2, n=8).holds


@pytest.mark.parametrize("n", [0.5, 8.5, 8.0, 2**40])
def test_a_number_that_a_parameter_cannot_hold_is_refused(n: float) -> None:
    with pytest.raises(InvalidSpec, match=r"\.u32 and cannot hold") as error:
        scaled(NAMED, "x", "y", s=2, n=n)
    assert error.value.location is not None and error.value.location.source == "spec"


def test_a_float_of_python_is_a_rounded_number() -> None:
    third = NAMED.replace("mul.f32 %f2, %f1, %f3", "div.rn.f32 %f2, %f1, 0f40400000")
    question: dict[str, Any] = {
        "tensors": {"x": 8, "y": 8},
        "scalars": {"s": 1, "n": 8},
        "launch": {"block": 8},
    }
    assert warpproof.check(third, lambda x: x * (1 / 3), **question).verdict == "equivalent"
    assert warpproof.check(third, lambda x: x * 0.333, **question).verdict == "not_equivalent"


def test_errors_of_a_python_function_have_a_place_in_it() -> None:
    def reference(x: Any) -> Any:
        a = x + 1
        return a[:, 3]

    line = reference.__code__.co_firstlineno + 2
    with pytest.raises(InvalidSpec) as error:
        warpproof.check(
            NAMED, reference, tensors={"x": 8, "y": 8}, scalars={"s": 1, "n": 8}, launch={"block": 8}
        )
    at = error.value.location
    assert at is not None and (at.source, at.line) == (__file__, line) and "a[:, 3]" in at.excerpt
    assert error.value.code == "V012" and f"{__file__}:{line}" in str(error.value)


def test_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="exakt"):
        Limits(proof="exakt")  # type: ignore[arg-type]


@pytest.mark.parametrize("kept", ["3", "null", '{"a": 1, "b": 2, "c": 3}', '["{}", "", 0]', '[1, 2, 3]', '["'])
def test_a_file_of_another_shape_is_no_answer(kept: str, tmp_path: Path) -> None:
    def ask() -> Report:
        return warpproof.check(
            NAMED,
            "y = x * s",
            tensors={"x": 8, "y": 8},
            scalars={"s": 2, "n": 8},
            launch={"block": 8},
            cache=tmp_path,
        )

    first = ask()
    (file,) = tmp_path.iterdir()
    file.write_text(kept)
    assert ask() == first == ask()


def test_a_spec_that_is_no_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    question: dict[str, Any] = {"tensors": {"x": 8, "y": 8}, "scalars": {"s": 1, "n": 8}}
    text = "[options]\nexact_constants = tru\n[launch]\nblock = [8]"
    file = tmp_path / "spec.toml"
    file.write_text(text)
    for spec in (text, file, str(file)):
        for ask in (
            lambda: warpproof.check(NAMED, "y = x", spec=spec, **question),
            lambda: warpproof.analyze(NAMED, spec=spec, **question),
            lambda: warpproof.infer(NAMED, spec=spec),
        ):
            with pytest.raises(InvalidSpec, match="not TOML") as error:
                ask()
            at = error.value.location
            assert at is not None and (at.line, at.column, at.excerpt) == (2, 19, "exact_constants = tru")
            assert error.value.code == "V010" and "exact_constants = tru" in str(error.value)
    with pytest.raises(InvalidSpec) as error:
        warpproof.check(NAMED, "y = x", spec='[launch]\nblock = """', **question)
    assert error.value.location is not None and error.value.location.line == 2
    for strange in ({"launch": 3}, {"tensors": 3}, {"tensors": {"x": 3}}, {"optimized": 3}):
        with pytest.raises(InvalidSpec):
            warpproof.check(NAMED, "y = x", spec=strange, **{**question, "tensors": None})


def test_what_is_raised_can_be_sent() -> None:
    place = Place("reference.py", 3, "return x", 2)
    placed: list[WarpproofError] = [TraceError("a"), CompileError("b"), MissingPackage("c"), arrays.Unsaid("d")]
    for error in placed:
        error.location = place
    for wrong in ("y = zz", "y = x["):
        with pytest.raises(InvalidSpec) as spec:
            warpproof.check(NAMED, wrong, tensors={"x": 8, "y": 8}, scalars={"s": 1, "n": 8}, launch={"block": 8})
        placed.append(spec.value)
    with pytest.raises(InvalidSpec) as traced:
        warpproof.check(NAMED, lambda x: x[:, 1], tensors={"x": 8, "y": 8}, scalars={"s": 1, "n": 8}, launch={"block": 8})
    with pytest.raises(InvalidPtx) as ptx:
        warpproof.analyze(".version 8.0\nnonsense\n")
    for error in [*placed, traced.value, ptx.value]:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


def test_arrays_have_strides() -> None:
    numpy = pytest.importorskip("numpy")
    question: dict[str, Any] = {"scalars": {"s": 1, "n": 8}, "launch": {"block": 8}}
    y = numpy.zeros((2, 4), numpy.float32)
    for x in (numpy.zeros((4, 2), numpy.float32).T, numpy.zeros((2, 4), numpy.float32, order="F")):
        tensors = {"x": x, "y": y}
        assert warpproof.check(NAMED, "y = reshape(x.T, [2, 4])", tensors=tensors, **question).holds
        assert not warpproof.check(NAMED, "y = x", tensors=tensors, **question).holds
    every_other = numpy.zeros((8, 2), numpy.float32)[:, 0]
    report = warpproof.check(NAMED, "y = x", tensors={"x": every_other, "y": 8}, **question)
    assert not report.holds and "strides = [2]" in report.question.spec
    # What lies row by row has no word about it: also an axis of length 1, whose stride means nothing.
    for x in (y, numpy.zeros((4, 1, 2), numpy.float32)[:, :1], numpy.zeros((0, 3))[::1]):
        assert "strides" not in specs.lay_over("", {}, tensors={"x": x}, sides={})
    with pytest.raises(TypeError, match="increasing addresses"):
        warpproof.check(NAMED, "y = x", tensors={"x": y[::-1], "y": y}, **question)
    with pytest.raises(TypeError, match="no whole elements"):
        record = numpy.zeros(8, numpy.dtype("f4, i1"))["f0"]
        warpproof.check(NAMED, "y = x", tensors={"x": record, "y": y}, **question)

    class Torch:
        shape, dtype = (2, 4), "torch.float32"

        def stride(self) -> tuple[int, int]:
            return (1, 2)

    assert "strides = [1, 2]" in specs.lay_over("", {}, tensors={"x": Torch()}, sides={})
