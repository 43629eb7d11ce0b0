"""Reviews: the GitHub Action's steps, run as a workflow runs them, with a local server in GitHub's place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from warpproof import review

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/actions/check/action.yml"
CORPUS = ROOT / "tests/corpus"
EQUAL = CORPUS / "equivalent/saxpy"
DIFFERENT = CORPUS / "not_equivalent/softmax/n4_no_rescale.toml"
RACE = CORPUS / "data_race/attention/flash1_deferred_factor_barrier_missing.toml"
CHEAT = CORPUS / "kernels/cheating/centred.constant.ptx"
TOKEN = "a token"
OWN = {"login": "github-actions[bot]"}
OTHER = {"login": "mallory"}


class GitHub(HTTPServer):
    """Comments of one pull request, and who asked what."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: list[dict[str, Any]] = [
            {"id": at, "body": f"talk {at}", "user": OTHER} for at in range(130)
        ]
        self.calls: list[str] = []
        self.forbidden = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: GitHub

    def answer(self, status: int, value: Any) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def body(self) -> str:
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        assert isinstance(text, str) and len(text) <= 65_536
        return text

    def shown(self, one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "html_url": f"https://github.com/o/r/pull/7#issuecomment-{one['id']}"}

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        assert path == "/repos/o/r/issues/7/comments"
        values = dict(pair.split("=") for pair in query.split("&"))
        size, page = int(values["per_page"]), int(values["page"])
        self.server.calls.append("list")
        self.answer(200, self.server.comments[(page - 1) * size : page * size])

    def do_POST(self) -> None:
        if self.path == "/graphql":
            query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert query == {"query": "{ viewer { login } }"}
            return self.answer(200, {"data": {"viewer": OWN}})
        assert self.path == "/repos/o/r/issues/7/comments"
        self.server.calls.append("write")
        if self.server.forbidden:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        self.server.comments.append({"id": 1000 + len(self.server.comments), "body": self.body(), "user": OWN})
        self.answer(201, self.shown(self.server.comments[-1]))

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/o/r/issues/comments/"))
        self.server.calls.append("edit")
        one = next(one for one in self.server.comments if one["id"] == number)
        one["body"] = self.body()
        self.answer(200, self.shown(one))

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def manifest(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "kernels.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


class Workflow:
    """Runs the action's own steps; what other actions do is left out, and noted."""

    def __init__(self, folder: Path, github: GitHub, event: dict[str, Any]) -> None:
        self.folder, self.github = folder, github
        self.event = folder / "event.json"
        self.event.write_text(json.dumps(event))
        self.summary = folder / "summary.md"

    def run(self, inputs: dict[str, str]) -> tuple[int, dict[str, dict[str, str]], list[str]]:
        yaml = pytest.importorskip("yaml")
        action = yaml.safe_load(ACTION.read_text())
        assert set(inputs) <= set(action["inputs"])
        values = {
            f"inputs.{name}": inputs.get(name, str(given.get("default", "")))
            for name, given in action["inputs"].items()
        }
        values["inputs.token"] = TOKEN
        # What the first step installs is what is being tested.
        outputs: dict[str, dict[str, str]] = {"install": {"python": sys.executable}}
        used: list[str] = []

        def fill(text: str) -> str:
            def value(found: re.Match[str]) -> str:
                name = found[1]
                if name.startswith("steps."):
                    _, step, _, output = name.split(".")
                    return outputs[step].get(output, "")
                return values[name]

            return re.sub(r"\$\{\{ *([a-z_.]+) *\}\}", value, text)

        def holds(condition: str) -> bool:
            words = condition.removeprefix("${{").removesuffix("}}").strip()
            terms = [re.fullmatch(r"([a-z_.]+) (==|!=) '(.*)'", term) for term in words.split(" && ")]
            return all(
                (fill(f"${{{{ {term[1]} }}}}") == term[3]) == (term[2] == "==") for term in terms if term is not None
            ) and None not in terms

        for step in action["runs"]["steps"][1:]:
            if not holds(step.get("if", "inputs.manifest != ''")):
                continue
            if "uses" in step:
                used.append(step["uses"].partition("@")[0])
                outputs[step["id"]] = {key: fill(text) for key, text in step["with"].items()}
                continue
            output = self.folder / "output.txt"
            output.write_text("")
            environment = {
                "PATH": os.environ["PATH"],
                "RUNNER_TEMP": str(self.folder),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_EVENT_PATH": str(self.event),
                "GITHUB_API_URL": self.github.address,
                "GITHUB_STEP_SUMMARY": str(self.summary),
                **{key: fill(text) for key, text in step.get("env", {}).items()},
            }
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            outputs[step["id"]] = dict(line.split("=", 1) for line in output.read_text().splitlines())
            outputs[step["id"]]["said"] = done.stderr
            if done.returncode:
                return done.returncode, outputs, used
        return 0, outputs, used


PULL = {"pull_request": {"number": 7}, "repository": {"full_name": "o/r"}}


def equal() -> dict[str, Any]:
    return {"id": "saxpy", "spec": str(sorted(EQUAL.glob("*.toml"))[0])}


def ours(github: GitHub) -> list[str]:
    return [one["body"] for one in github.comments if one["body"].startswith("<!-- warpproof: ")]


def test_a_pull_request_is_reviewed_by_the_actions_steps(tmp_path: Path, github: GitHub) -> None:
    workflow = Workflow(tmp_path, github, PULL)
    manifest(tmp_path, equal(), {"id": "no *rescale*", "spec": str(DIFFERENT)}, {"id": "flash", "spec": str(RACE)})
    inputs = {"manifest": "kernels.jsonl", "page": "https://page.example/", "arguments": "--time 60 --jobs 2"}
    status, outputs, used = workflow.run(inputs)
    assert status == 1 and outputs["check"]["status"] == "1"
    [body] = ours(github)
    assert "2 of 3 questions not fine" in body
    assert "not equivalent" in body and "data race" in body and "Counterexample at" in body
    assert re.search(r"grid .*block", body) and "Assumptions:" in body
    assert len(re.findall(r"\(https://page\.example/#1[\w-]+\)", body)) == 3
    # Names are names, not Markdown.
    assert "*rescale*" not in body and "no &#42;rescale&#42;" in body
    assert workflow.summary.read_text().startswith(body[:200])
    # Findings go to the upload of another action, and stand at lines.
    assert used == ["github/codeql-action/upload-sarif"]
    [run] = json.loads(Path(outputs["upload"]["sarif_file"]).read_text())["runs"]
    rules = {result["ruleId"] for result in run["results"]}
    assert any(rule.startswith("R") for rule in rules) and any(rule.startswith("Q") for rule in rules)
    assert all(result["locations"][0]["physicalLocation"]["region"]["startLine"] > 1 for result in run["results"])

    # Once more, after a repair: the same comment is edited, and the check passes.
    manifest(tmp_path, equal(), {"id": "flash", "spec": str(RACE), "expect": ["data_race"]})
    status, outputs, _ = workflow.run(inputs)
    assert status == 0
    [body] = ours(github)
    assert "✓ Warpproof: 2 questions, all fine" in body and "expects <code>data&#95;race</code>" in body
    assert github.calls == ["list", "list", "write", "list", "list", "edit"]
    # A comment of another name is another comment.
    workflow.run({**inputs, "name": "nightly"})
    assert len(ours(github)) == 2


def test_a_marker_of_somebody_else_is_not_edited(tmp_path: Path, github: GitHub) -> None:
    forged = {"id": 500, "body": f"{review.marker('kernels')}\nall fine", "user": OTHER}
    github.comments.append(dict(forged))
    workflow = Workflow(tmp_path, github, PULL)
    manifest(tmp_path, equal())
    for _ in range(2):
        assert workflow.run({"manifest": "kernels.jsonl"})[0] == 0
    assert forged in github.comments and len(ours(github)) == 2
    assert [call for call in github.calls if call != "list"] == ["write", "edit"]


def test_without_a_page_there_are_no_links(tmp_path: Path, github: GitHub) -> None:
    manifest(tmp_path, equal())
    assert Workflow(tmp_path, github, PULL).run({"manifest": "kernels.jsonl"})[0] == 0
    [body] = ours(github)
    assert "Assumptions:" in body and "](" not in body and "http" not in body


def test_links_open_what_was_asked(tmp_path: Path) -> None:
    import zlib
    from base64 import urlsafe_b64decode

    from warpproof import links

    kernel = CHEAT.with_name("centred.ptx")
    spec = '[optimized]\nargs = ["x", "y", "old"]\n[tensors.x]\nshape = ["n"]\n'
    path = manifest(
        tmp_path,
        {
            "id": "q",
            "ask": "analyze",
            "optimized": str(kernel),
            "spec_text": spec,
            "block": [64, 1, 1],
            "set": {"n": 64},
        },
    )
    out = tmp_path / "r.jsonl"
    subprocess.run([Path(sys.executable).with_name("warpproof"), "batch", path, "--out", out], check=False)
    [row] = review.rows(path, out, "https://page.example/")
    assert row.link is not None
    packed = row.link.partition("#1")[2]
    whole = zlib.decompressobj(-zlib.MAX_WBITS, zdict=links.dictionary()).decompress(
        urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    )
    # What wins over the spec is in the spec that the link has.
    assert b"block = [64, 1, 1]" in whole and b"n = 64" in whole


def test_what_kernels_say_is_no_markup() -> None:
    words = "@somebody <img src=x> `a|b` [x](http://y) **bold** `"
    shown = review.text(words)
    assert "<img" not in shown and "](" not in shown and "**" not in shown and "@somebody" not in shown
    assert "<code>a&#124;b</code>" in shown


def test_long_comments_keep_what_matters() -> None:
    link = "https://page.example/#1" + "x" * 900
    found = [
        review.Row(f"q{at}", at % 10 != 0, "equivalent" if at % 10 else "data race", "grid 1", ["words"], link)
        for at in range(300)
    ]
    body = review.markdown(found)
    assert len(body) <= review.ROOM
    assert all(f"✗ | <code>q{at}</code>" in body for at in range(0, 300, 10))
    assert "A comment has no room for" in body
    many = [review.Row(f"q{at}", False, "data race", "", ["words " * 50], link) for at in range(5000)]
    body = review.markdown(many)
    assert len(body) <= review.ROOM and "5000 of 5000 questions not fine" in body and "rows" in body


def test_a_fork_may_not_write_and_the_verdict_stands(tmp_path: Path, github: GitHub) -> None:
    github.forbidden = True
    manifest(tmp_path, equal())
    status, outputs, _ = Workflow(tmp_path, github, PULL).run({"manifest": "kernels.jsonl"})
    assert status == 0 and "::warning" in outputs["comment"]["said"]
    assert ours(github) == []


def test_a_push_has_a_summary_and_no_comment(tmp_path: Path, github: GitHub) -> None:
    manifest(tmp_path, {"id": "flash", "spec": str(RACE)})
    workflow = Workflow(tmp_path, github, {"repository": {"full_name": "o/r"}, "ref": "refs/heads/main"})
    status, _, _ = workflow.run({"manifest": "kernels.jsonl"})
    assert status == 1 and github.calls == []
    assert "data race" in workflow.summary.read_text()


def test_a_manifest_that_cannot_be_read_fails(tmp_path: Path, github: GitHub) -> None:
    (tmp_path / "kernels.jsonl").write_text('{"id": "a", "colour": 1}')
    status, outputs, used = Workflow(tmp_path, github, PULL).run({"manifest": "kernels.jsonl"})
    assert status == 3 and "colour" in outputs["check"]["said"] and used == []
