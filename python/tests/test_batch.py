"""Batches by the package's command: here, and on a Ray cluster of two machines of which one goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests/corpus"
SWEEP = ROOT / "tests/sweeps/softmax_row_one_too_far.toml"
DIFFERENT = CORPUS / "not_equivalent/softmax/n4_no_rescale.toml"
EQUAL = CORPUS / "equivalent/softmax/n128_naive_precise_vs_online_fast.toml"
LARGE = CORPUS / "equivalent/gemm/mma_tf32_vs_mma_f16.toml"
COMMAND = [Path(sys.executable).with_name("warpproof")]


def manifest(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "m.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def batch(path: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, "batch", path, "--out", out, *more], capture_output=True, text=True)


def answers(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()]


def whole(spec: Path, *more: str) -> Any:
    """The report of one process on one machine."""
    done = subprocess.run(
        [*COMMAND, "check", "--spec", spec, "--format", "json", "--no-times", *more], capture_output=True, text=True
    )
    return json.loads(done.stdout)


def wait_for_lines(path: Path, count: int, running: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while not path.exists() or path.read_text().count("\n") < count:
        assert running.poll() is None and time.monotonic() < until, running.communicate()
        time.sleep(0.01)


def test_the_command_comes_with_the_package() -> None:
    for command in (COMMAND, [sys.executable, "-m", "warpproof"]):
        done = subprocess.run([*command, "check", "--spec", DIFFERENT], capture_output=True, text=True, cwd="/")
        assert done.returncode == 1 and "not equivalent" in done.stdout
    done = subprocess.run([*COMMAND, "analyse"], capture_output=True, text=True)
    assert done.returncode == 3 and "analyze" in done.stderr


def test_parts_of_a_sweep_make_the_report_of_the_whole(tmp_path: Path) -> None:
    spec = str(SWEEP)
    path = manifest(tmp_path, {"id": "sweep", "spec": spec}, {"id": "one", "spec": spec, "set": {"n": 33}})
    out = tmp_path / "r.jsonl"
    done = batch(path, out, "--no-times", "--jobs", "2")
    assert done.returncode == 1, done.stderr
    found = {answer["id"]: answer for answer in answers(out)}
    # Dicts keep their order: the same bytes but for white space.
    assert json.dumps(found["sweep"]["report"]) == json.dumps(whole(SWEEP))
    assert found["sweep"]["verdict"] == "out_of_bounds" and found["one"]["verdict"] == "out_of_bounds"
    assert not out.with_name("r.jsonl.parts").exists()


def test_parts_that_are_answered_are_not_asked_again(tmp_path: Path) -> None:
    path, out = manifest(tmp_path, {"id": "sweep", "spec": str(SWEEP)}), tmp_path / "r.jsonl"
    parts = out.with_name("r.jsonl.parts")
    running = subprocess.Popen(
        [*COMMAND, "batch", path, "--out", out, "--no-times", "--jobs", "1"], stdout=subprocess.PIPE, text=True
    )
    wait_for_lines(parts, 1, running)
    running.kill()
    running.communicate()
    assert answers(out) == []
    # An answer that is kept is believed: this one is changed by hand.
    first, *others = parts.read_text().splitlines()
    parts.write_text("\n".join([first.replace("equivalent", "equal_up_to_rounding"), *others, '{"key":']))
    batch(path, out, "--no-times")
    [answer] = answers(out)
    verdicts = [one["verdict"] for one in answer["report"]["combinations"]]
    assert len(verdicts) == 256 and verdicts[0] == "equal_up_to_rounding" and verdicts[100] == "out_of_bounds"
    assert not parts.exists()


def test_a_kernel_does_not_say_for_which_inputs_it_is_compared(tmp_path: Path) -> None:
    ptx = """.version 8.0
.target sm_80
.address_size 64
.visible .entry relu(.param .u64 x, .param .u64 y)
{
    .reg .f32 %f<2>;
    .reg .b64 %rd<3>;
    // warpproof: requires all(x >= 0)
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.global.f32 %f1, [%rd1];
    st.global.f32 [%rd2], %f1;
    ret;
}
"""
    spec = '[launch]\nblock = 1\n[formula]\ncode = "y = maximum(x, 0)"\n[tensors.x]\nshape = [1]\n[tensors.y]\nshape = [1]\n'
    path = manifest(
        tmp_path,
        {"id": "taken", "spec_text": spec + "[options]\noptimized_may_require = true\n", "optimized_text": ptx},
        {"id": "by default", "spec_text": spec, "optimized_text": ptx},
    )
    out = tmp_path / "r.jsonl"
    batch(path, out)
    found = {answer["id"]: answer for answer in answers(out)}
    assert found["taken"]["verdict"] == "equivalent"
    assert found["by default"]["verdict"] == "not_equivalent"
    [contract] = found["by default"]["report"]["contracts"]
    assert contract["state"] == "unknown" and "the spec may require it" in contract["reason"]


def test_the_plain_command_says_what_ray_needs(tmp_path: Path) -> None:
    path = manifest(tmp_path, {"id": "a", "spec": str(DIFFERENT)})
    without = tmp_path / "ray.py"
    without.write_text("raise ImportError('no Ray here')\n")
    done = subprocess.run(
        [*COMMAND, "batch", path, "--out", tmp_path / "r.jsonl", "--ray", "local"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 3 and "pip install ray" in done.stderr


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    yield found
    found.shutdown()


def test_a_machine_that_goes_takes_no_answer_along(tmp_path: Path, cluster: Any) -> None:
    second = cluster.add_node(num_cpus=1)
    count = 60
    asked = [{"id": f"q{at}", "spec": str(EQUAL)} for at in range(count)]
    divided = {"id": "portions", "spec": str(LARGE), "portions": 8}
    path = manifest(
        tmp_path, *asked, {"id": "sweep", "spec": str(SWEEP)}, {"id": "none", "spec": "none.toml"}, divided
    )
    out = tmp_path / "r.jsonl"
    running = subprocess.Popen(
        [*COMMAND, "batch", path, "--out", out, "--no-times", "--ray", cluster.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_lines(out, 6, running)
    cluster.remove_node(second, allow_graceful=False)
    said, errors = running.communicate(timeout=300)
    assert running.returncode == 1, errors
    found = {answer["id"]: answer for answer in answers(out)}
    assert len(answers(out)) == len(found) == count + 3, "something was lost, or asked twice"
    assert {found[f"q{at}"]["verdict"] for at in range(count)} == {"equivalent"}
    assert found["none"]["died"] == "input"
    assert json.dumps(found["sweep"]["report"]) == json.dumps(whole(SWEEP))
    assert json.dumps(found["portions"]["report"]) == json.dumps(whole(LARGE, "--portions", "8"))
    assert f"{count + 1} equivalent" in said


def test_a_batch_on_a_cluster_goes_on_where_it_was_killed(tmp_path: Path, cluster: Any) -> None:
    path = manifest(tmp_path, *({"id": f"q{at}", "spec": str(EQUAL)} for at in range(30)))
    out = tmp_path / "r.jsonl"
    running = subprocess.Popen(
        [*COMMAND, "batch", path, "--out", out, "--ray", cluster.address, "--jobs", "2"], stdout=subprocess.PIPE, text=True
    )
    wait_for_lines(out, 3, running)
    running.kill()
    running.communicate()
    before = len(answers(out))
    done = batch(path, out, "--ray", cluster.address)
    assert done.returncode == 0, done.stderr
    assert f"{before} answered before" in done.stdout
    assert sorted(answer["id"] for answer in answers(out)) == sorted(f"q{at}" for at in range(30))
    # Here, nothing is left to ask.
    assert batch(path, out).stdout.startswith("0 questions asked")


def test_a_question_that_needs_too_much_is_a_line(tmp_path: Path, cluster: Any) -> None:
    path = manifest(tmp_path, {"id": "large", "spec": str(EQUAL)}, {"id": "small", "spec": str(DIFFERENT)})
    out = tmp_path / "r.jsonl"
    done = batch(path, out, "--ray", cluster.address, "--time", "1", "--fuel", "1000")
    found = {answer["id"]: answer for answer in answers(out)}
    assert found["large"]["verdict"] == "resource_limit", done.stderr
    assert len(found) == 2


def test_there_is_no_cluster_at_that_address(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path = manifest(tmp_path, {"id": "a", "spec": str(DIFFERENT)})
    done = batch(path, tmp_path / "r.jsonl", "--ray", "127.0.0.1:1")
    assert done.returncode == 3 and "no Ray at `127.0.0.1:1`" in done.stderr, done.stderr
