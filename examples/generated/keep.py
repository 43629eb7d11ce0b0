"""A loop that asks for kernels and keeps only those that are proved.

    python keep.py                                   # the recorded proposals, in rounds of five
    python keep.py --proposer "python my_model.py"   # whatever writes kernels

A proposer is a program. In each round it gets a line of JSON on standard input, what became of its last proposals
(`[{"name": …, "kept": false, "why": …}]`), and prints a list `[{"name": …, "ptx": …}]`; an empty list ends the loop.
What a proposal has to be is in `task/`, which is the owner's: `spec.toml` (the launch, the tensors, the formula) and
`task.toml` (which verdicts are fine, and what a proof may rest on). Of a proposal, its PTX is taken and nothing else:
it becomes a line of a manifest whose other words are the owner's, and `warpproof batch` answers it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NO_PROPOSAL = "a proposal has a `name`, in a line, and its `ptx`, a text"
HERE = Path(__file__).parent
RECORDED = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'recorded.py'))}"


@dataclass(frozen=True)
class Outcome:
    """What became of a proposal."""

    name: str
    verdict: str
    kept: bool
    why: str


def ask(proposals: list, task: Path, work: Path) -> list[Outcome]:
    """Has a round's proposals answered, all at once."""
    # A manifest's paths are relative to its folder.
    task, work = task.resolve(), work.resolve()
    texts = [(task / name).read_text() for name in ("spec.toml", "task.toml")]
    rules = tomllib.loads(texts[1])
    lines: dict[str, str] = {}
    marks: list[tuple[str, str | None]] = []
    for proposal in proposals:
        name, ptx = [proposal.get(key) for key in ("name", "ptx")] if isinstance(proposal, dict) else (None, None)
        named = isinstance(name, str) and name != "" and name.isprintable()
        name = name if named else "unnamed"
        if not named or not is_text(ptx):
            marks.append((name, None))
            continue
        # Named by its content and the owner's, so that no answer is taken to another question.
        mark = hashlib.sha256("\0".join([ptx, *texts]).encode()).hexdigest()[:16]
        kernel = work / f"{mark}.ptx"
        kernel.write_text(ptx, encoding="utf-8")
        question = {"id": mark, "spec": str(task / "spec.toml"), "optimized": str(kernel)}
        lines[mark] = json.dumps({**question, "expect": rules["expect"]})
        marks.append((name, mark))
    answers = batch("\n".join(lines.values()), work, rules["arguments"]) if lines else {}
    return [judge(name, answers.get(mark), rules) for name, mark in marks]


def is_text(ptx: object) -> bool:
    """Whether this can be written to a file: half a surrogate pair cannot."""
    try:
        return isinstance(ptx, str) and ptx.encode() is not None
    except UnicodeEncodeError:
        return False


def batch(questions: str, work: Path, arguments: list[str]) -> dict[str, dict]:
    """The answers by id; ends the loop where there are none to these questions, whatever lies there of earlier ones."""
    manifest, results = work / "manifest.jsonl", work / "results.jsonl"
    manifest.write_text(questions)
    command = [sys.executable, "-m", "warpproof", "batch", manifest, "--out", results, *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    # 0: all are as expected; 1: some are not.
    if done.returncode not in (0, 1):
        raise SystemExit(f"the batch failed, and nothing of this round is kept:\n{done.stderr.strip()}")
    # Of several lines the last one counts.
    return {answer["id"]: answer for answer in map(json.loads, results.read_text().splitlines())}


def judge(name: str, answer: dict | None, rules: dict) -> Outcome:
    """Keeps what is as the owner expects, warns of nothing, and rests on nothing else than the owner allows."""
    if answer is None:
        return Outcome(name, "not asked", False, NO_PROPOSAL)
    verdict = answer["verdict"] or f"no answer ({answer['died']})"
    # What the owner expects now, whatever the line says that it was when it was written.
    if answer["verdict"] not in rules["expect"]:
        return Outcome(name, verdict, False, answer["summary"])
    warnings = [found["message"] for found in answer["report"]["diagnostics"] if found["severity"] == "warning"]
    if warnings:
        return Outcome(name, verdict, False, f"the owner is warned: {'; '.join(warnings)}")
    others = [made["text"] for made in answer["report"]["assumptions"] if made["kind"] not in rules["rests_on"]]
    if others:
        return Outcome(name, verdict, False, f"the proof rests on: {'; '.join(others)}")
    return Outcome(name, verdict, True, answer["summary"])


def loop(proposer: str, task: Path, work: Path, most: int = 100) -> list[Outcome]:
    """Goes on until there are no more proposals."""
    work.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    last: list[Outcome] = []
    for number in range(most):
        feedback = [{"name": one.name, "kept": one.kept, "why": one.why} for one in last]
        said = subprocess.run(
            [*shlex.split(proposer), str(number)],
            input=json.dumps(feedback) + "\n",
            capture_output=True,
            text=True,
            check=True,
        )
        proposals = json.loads(said.stdout)
        if not isinstance(proposals, list):
            raise SystemExit("the proposer printed no list of proposals")
        if not proposals:
            break
        last = ask(proposals, task, work)
        outcomes += last
        for one in last:
            # In one line, whatever a kernel calls things.
            why = " ".join(one.why.split())
            print(f"{'✓ kept   ' if one.kept else '✗ refused'}  {one.name}: {one.verdict}. {why}", flush=True)
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proposer", default=RECORDED)
    parser.add_argument("--task", type=Path, default=HERE / "task")
    parser.add_argument("--work", type=Path, default=HERE / ".work")
    given = parser.parse_args()
    outcomes = loop(given.proposer, given.task, given.work)
    print(f"{sum(one.kept for one in outcomes)} of {len(outcomes)} proposals kept")


if __name__ == "__main__":
    main()
