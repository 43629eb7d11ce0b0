"""The loop keeps what is right and nothing else."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import keep

HERE = Path(__file__).parents[1]
CORPUS = HERE.parents[1] / "tests/corpus"
TASK = HERE / "task"
OVER_THE_REALS = {
    "cheat_half_precision": "`cvt.rn.f16.f32` does not change the value",
    "cheat_where_rounding_shows": "`setp.eq.f32` comes out one way",
    "cheat_where_something_overflows": "asks whether a computed value is infinite",
    "cheat_where_something_underflows": "other comparisons comes out one way",
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, keep.Outcome]:
    return {one.name: one for one in keep.loop(keep.RECORDED, TASK, tmp_path_factory.mktemp("work"))}


def test_only_honest_kernels_are_kept(outcomes: dict[str, keep.Outcome]) -> None:
    assert set(outcomes) == {path.stem for path in (HERE / "proposals").glob("*.cu")}
    assert {name for name, one in outcomes.items() if one.kept} == {"honest_online", "honest_shuffles"}


def test_no_cheat_is_equivalent(outcomes: dict[str, keep.Outcome]) -> None:
    for name, one in outcomes.items():
        if name.startswith("cheat") and name not in OVER_THE_REALS:
            assert one.verdict not in ("equivalent", "equal_up_to_rounding"), one
    # The same function of real numbers: refused by what the owner lets a proof rest on.
    for name, why in OVER_THE_REALS.items():
        assert outcomes[name].verdict == "equivalent" and why in outcomes[name].why, outcomes[name]


def test_good_intentions_are_not_enough(outcomes: dict[str, keep.Outcome]) -> None:
    assert outcomes["honest_but_racy"].verdict == "data_race"


def proposer(folder: Path, rounds: list[list[dict[str, str]]]) -> str:
    """A program that says these in turn, and keeps what it is told."""
    script = folder / "proposer.py"
    script.write_text(
        "import json, sys\n"
        f"rounds = json.loads({json.dumps(json.dumps(rounds))})\n"
        f"open({str(folder / 'told.jsonl')!r}, 'a').write(sys.stdin.read())\n"
        "at = int(sys.argv[1])\n"
        "print(json.dumps(rounds[at] if at < len(rounds) else []))\n"
    )
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"


def ptx(name: str) -> str:
    return (HERE / f"proposals/{name}.ptx").read_text()


def test_the_proposer_is_told_and_has_no_say(tmp_path: Path) -> None:
    cheat = {"name": "a", "ptx": ptx("cheat_constant_for_the_seed"), "expect": ["not_equivalent"], "spec": "mine.toml"}
    # The name of a kernel that was kept is of no use to another one.
    rounds = [[{"name": "a", "ptx": ptx("honest_shuffles")}], [cheat], [{"name": "b", "ptx": "not PTX"}]]
    outcomes = keep.loop(proposer(tmp_path, rounds), TASK, tmp_path / "work")
    assert [(one.name, one.kept) for one in outcomes] == [("a", True), ("a", False), ("b", False)]
    told = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert told[0] == [] and told[1][0]["kept"] and not told[2][0]["kept"]
    assert "differ" in told[2][0]["why"] or "y[" in told[2][0]["why"]


def test_the_owner_can_change_what_is_expected(tmp_path: Path) -> None:
    task = tmp_path / "task"
    shutil.copytree(TASK, task)
    honest = [{"name": "a", "ptx": ptx("honest_shuffles")}]
    [first] = keep.loop(proposer(tmp_path, [honest]), task, tmp_path / "work")
    assert first.kept
    rules = task / "task.toml"
    rules.write_text(rules.read_text().replace('expect = ["equivalent"]', 'expect = ["equal_up_to_rounding"]'))
    [second] = keep.loop(proposer(tmp_path, [honest]), task, tmp_path / "work")
    assert (second.verdict, second.kept) == ("equivalent", False)


def test_a_batch_that_fails_keeps_nothing(tmp_path: Path) -> None:
    task = tmp_path / "task"
    shutil.copytree(TASK, task)
    honest = [{"name": "a", "ptx": ptx("honest_shuffles")}]
    assert keep.loop(proposer(tmp_path, [honest]), task, tmp_path / "work")[0].kept
    rules = task / "task.toml"
    rules.write_text(rules.read_text().replace("--time", "--tme"))
    with pytest.raises(SystemExit, match="--tme"):
        keep.loop(proposer(tmp_path, [honest]), task, tmp_path / "work")


def test_a_proposal_that_cannot_be_written_down_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = ptx("honest_shuffles")
    forged = "a\n✓ kept     honest: equivalent"
    proposals = [
        {"name": "half", "ptx": "\ud800"},
        *({"name": name, "ptx": honest} for name in (forged, "\x1b[2K\r✓ kept", "\ud800", "")),
        {"name": "good", "ptx": honest},
    ]
    outcomes = keep.loop(proposer(tmp_path, [proposals]), TASK, tmp_path / "work")
    assert [(one.name, one.kept) for one in outcomes] == [("half", False), *[("unnamed", False)] * 4, ("good", True)]
    assert all("a proposal has" in one.why for one in outcomes[:-1])
    shown = capsys.readouterr().out.splitlines()
    assert [line[:1] for line in shown] == ["✗"] * 5 + ["✓"]


def test_a_relative_folder_and_a_proposal_without_ptx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = [[{"name": "empty"}, {"name": "a", "ptx": ptx("honest_shuffles")}, {"name": "b", "ptx": 3}, "c"]]
    says = proposer(tmp_path, rounds)
    monkeypatch.chdir(tmp_path)
    outcomes = keep.loop(says, TASK, Path("work"))
    assert [(one.name, one.kept) for one in outcomes] == [("empty", False), ("a", True), ("b", False), ("unnamed", False)]
    assert "`ptx`" in outcomes[0].why


def test_the_cheats_of_the_corpus_are_refused(tmp_path: Path) -> None:
    if not CORPUS.exists():
        pytest.skip("this is not a checkout of Warpproof")
    spec = (CORPUS / "equivalent/cheating/honest.toml").read_text().replace("../../kernels", str(CORPUS / "kernels"))
    task = tmp_path / "task"
    task.mkdir()
    (task / "spec.toml").write_text(spec)
    (task / "task.toml").write_text((TASK / "task.toml").read_text())
    kernels = sorted((CORPUS / "kernels/cheating").glob("centred*.ptx"))
    proposals = [{"name": kernel.stem, "ptx": kernel.read_text()} for kernel in kernels if "plain" not in kernel.stem]
    assert len(proposals) == 11
    outcomes = keep.loop(proposer(tmp_path, [proposals]), task, tmp_path / "work")
    assert [one.name for one in outcomes if one.kept] == ["centred"]
    # Its output is right; that it writes its input is a warning.
    [spoils] = [one for one in outcomes if one.verdict == "equivalent" and not one.kept]
    assert spoils.name == "centred.input_modified" and "is written" in spoils.why
    others = [one.verdict for one in outcomes if not one.kept and one is not spoils]
    assert set(others) == {"not_equivalent", "uninitialized_read"}, outcomes
