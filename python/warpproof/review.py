"""A batch's answers as one comment on a pull request: ``python -m warpproof.review MANIFEST RESULTS``.

The comment says of each question its verdict, its launch, what the verdict rests on, and the link that opens the page
with it. It is Markdown, printed; in a GitHub workflow (``--comment``) it also becomes the job's summary and a comment on
the pull request of the event. There is one comment of a name: its author and a marker in its first line find it again, and
it is edited.

Texts that come from kernels and manifests are shown as they are, never read as Markdown or HTML. Guaranteed: a comment
that a review takes, whose head counts what is not fine. What has no room is left out from the end, of what is fine
first (links, then explanations, then rows), and the comment says so. `github` is all that talks to anybody.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from . import _engine, links

ROOM = 65_000
"""Characters of a comment: GitHub takes 65,536."""

SHOWN = 5
"""Findings of a question; the results and SARIF have all."""

_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+\-.!|~:$]")


@dataclass(frozen=True)
class Row:
    """A question with its answer."""

    id: str
    fine: bool
    verdict: str
    """The verdict in words, or why there is none."""
    launch: str
    lines: list[str]
    """Markdown: what there is to say beyond that."""
    link: str | None


def rows(manifest: str | PathLike[str], results: str | PathLike[str], page: str | None = None) -> list[Row]:
    """The questions of a manifest with their last answers, in the manifest's order. Links lead to ``page``, or to what
    ``WARPPROOF_PAGE`` says; without either there are none."""
    answers = {}
    with open(results, encoding="utf-8") as lines:
        for line in lines:
            answer = json.loads(line)
            answers[answer["id"]] = answer
    asked = json.loads(_engine.questions(manifest))
    address = page or os.environ.get("WARPPROOF_PAGE") or None
    return [_row(question, answers.get(question["id"]), address) for question in asked]


def _row(question: Mapping[str, Any], answer: Mapping[str, Any] | None, page: str | None) -> Row:
    if answer is None:
        return Row(question["id"], False, "not asked", "", [], None)
    status, report = answer["exit_status"], answer.get("report") or {}
    expected = question["expect"]
    fine = answer["verdict"] in expected if expected else status == 0
    verdict = answer["verdict"].replace("_", " ") if answer["verdict"] else f"no answer ({answer['died']})"
    shown = report.get("shown")
    full = shown["report"] if shown else report
    lines = [text(answer["summary"])]
    if shown:
        lines.append(f"{text(shown['title'])}: {text(full['summary'])}")
    if expected:
        named = ", ".join(code(verdict) for verdict in expected)
        lines.append(f"The manifest expects {named}.")
    errors = [_finding(finding) for finding in full.get("diagnostics", []) if finding["severity"] == "error"]
    lines += errors[:SHOWN] + ([f"… and {len(errors) - SHOWN} more findings"] if len(errors) > SHOWN else [])
    lines += _counterexample(full.get("counterexample"))
    lines += _assumptions(report.get("assumptions", []))
    link = None
    if page and "refused" not in question and report:
        link = page + links.fragment(
            question["reference"] or "",
            question["optimized"],
            question["spec"],
            question["single"],
            f"{answer['verdict']} {report['version']}",
        )
    return Row(question["id"], fine, verdict, _launch(report, full), lines, link)


def _launch(report: Mapping[str, Any], full: Mapping[str, Any]) -> str:
    """Of the kernels that ran; of a sweep, which combinations."""
    if "rows" in report:
        return "; ".join(row["title"] for row in report["rows"])
    each = [
        f"grid {_extents(kernel['grid'])}, block {_extents(kernel['block'])}, "
        f"{kernel['ctas']} of {_product(kernel['grid'])} CTAs"
        for kernel in full.get("kernels", [])
    ]
    if len(set(each)) > 1:
        return "; ".join(f"{kernel['side']}: {one}" for kernel, one in zip(full["kernels"], each))
    return each[0] if each else ""


def _product(extents: Sequence[int]) -> int:
    x, y, z = extents
    return x * y * z


def _extents(extents: Sequence[int]) -> str:
    used = list(extents)
    while len(used) > 1 and used[-1] == 1:
        used.pop()
    return "×".join(map(str, used))


def _finding(finding: Mapping[str, Any]) -> str:
    place = finding["primary"]
    where = ""
    if place:
        line, source = place["at"]["line"], place.get("cuda")
        where = f" ({code(source['file'])} line {source['line']})" if source else f" (PTX line {line})"
    return f"{code(finding['code'])} {text(finding['message'])}{where}"


def _counterexample(example: Mapping[str, Any] | None) -> list[str]:
    if not example:
        return []
    sides = f"{code(example['reference_value'])} in the reference, {code(example['optimized_value'])} in the kernel"
    return [f"Counterexample at {code(example['element'])}: {sides}."]


def _assumptions(assumptions: Iterable[Mapping[str, Any]]) -> list[str]:
    each = [f"{made['count']:,}× {text(made['text'])}" for made in assumptions]
    if not each:
        return []
    return ["Assumptions:\n" + "".join(f"  - {line}\n" for line in each).rstrip()]


def text(words: str) -> str:
    """Words as they are in Markdown; what stands between backquotes is code."""
    parts = " ".join(words.split()).split("`")
    if len(parts) % 2 == 0:  # one quote is left over
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(code(part) if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(words: str) -> str:
    escaped = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", html.escape(words, quote=False).replace("&", "\0"))
    # Nobody is called by what a kernel says.
    return escaped.replace("\0", "&").replace("@", "@<!-- -->")


def code(words: str) -> str:
    """A piece of code, whatever is in it."""
    inner = html.escape(" ".join(words.split()), quote=False).replace("&", "\0")
    return "<code>" + _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", inner).replace("\0", "&") + "</code>"


def marker(name: str) -> str:
    """What the first line of a comment is."""
    return f"<!-- warpproof: {re.sub('[^A-Za-z0-9_. -]', '', name).replace('--', '-')} -->"


def markdown(found: Sequence[Row], name: str = "kernels", room: int = ROOM) -> str:
    """The comment, of at most ``room`` characters."""
    order = [row for row in reversed(found) if row.fine] + [row for row in reversed(found) if not row.fine]
    # What is left out, in this order: links, then what else there is to say, then the row itself.
    without: dict[str, int] = {row.id: 0 for row in found}
    excess = len(_markdown(found, name, without)) - room
    for level in (1, 2, 3):
        for row in order:
            if excess <= 0:
                break
            before = len(_details(row, level - 1)) + len(_line(row, level - 1))
            without[row.id] = level
            excess -= before - len(_details(row, level)) - len(_line(row, level))
            if excess <= 0:  # the line that says so counts, too
                excess = len(_markdown(found, name, without)) - room
    return _markdown(found, name, without)


def _markdown(found: Sequence[Row], name: str, without: Mapping[str, int]) -> str:
    bad = sum(not row.fine for row in found)
    word = "question" if len(found) == 1 else "questions"
    title = (
        f"✗ Warpproof: {bad} of {len(found)} {word} not fine" if bad else f"✓ Warpproof: {len(found)} {word}, all fine"
    )
    parts = [marker(name), f"### {title}", ""]
    table = [line for row in found if (line := _line(row, without[row.id]))]
    if table:
        parts += ["| | | verdict | launch |", "| --- | --- | --- | --- |", *table]
    parts += ["", *(details for row in found if (details := _details(row, without[row.id])))]
    counts = [sum(level >= least for level in without.values()) for least in (1, 2, 3)]
    names = ("links", "explanations", "rows")
    left_out = [f"{count} {what}" for count, what in zip(counts, names) if count]
    if left_out:
        parts.append(f"A comment has no room for {', '.join(left_out)}; the results have them.")
    return "\n".join(parts) + "\n"


def _line(row: Row, level: int) -> str:
    if level >= 3:
        return ""
    sign = "✓" if row.fine else "✗"
    return f"| {sign} | {code(row.id)} | {text(row.verdict)} | {text(row.launch)} |"


def _details(row: Row, level: int) -> str:
    if level >= 2 or not row.lines:
        return ""
    sign = "✓" if row.fine else "✗"
    lines = [f"- {line}" for line in row.lines]
    if row.link and level < 1:
        lines.append(f"- [open the page with this question]({row.link}), which answers it again")
    head = f"<details{'' if row.fine else ' open'}><summary>{sign} {code(row.id)}: {text(row.verdict)}</summary>"
    return "\n".join([head, "", *lines, "", "</details>", ""])


def github(method: str, address: str, token: str, body: Mapping[str, Any] | None = None) -> Any:
    """Asks GitHub's API; what it answers, as JSON."""
    request = urllib.request.Request(
        address,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "User-Agent": "warpproof",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def pull_request(event: Mapping[str, Any]) -> int | None:
    """The number of the pull request that an event is about; None if it is about none."""
    runs = event.get("workflow_run", {}).get("pull_requests", [])
    found = event.get("pull_request") or (runs[0] if runs else None)
    issue = event.get("issue", {})
    if found is None and "pull_request" in issue:
        found = issue
    return None if found is None else int(found["number"])


def comment(body: str, event: Mapping[str, Any], api: str, token: str) -> str | None:
    """Writes the comment, or edits our own with this marker; gives its address, None where there is no pull request."""
    number = pull_request(event)
    if number is None:
        return None
    repository = f"{api}/repos/{event['repository']['full_name']}"
    mark = body.partition("\n")[0]
    # Of a workflow's token, too, which may not ask for `/user`.
    graph = os.environ.get("GITHUB_GRAPHQL_URL", f"{api}/graphql")
    own = github("POST", graph, token, {"query": "{ viewer { login } }"})["data"]["viewer"]["login"]
    for page in range(1, 1000):
        listed = github("GET", f"{repository}/issues/{number}/comments?per_page=100&page={page}", token)
        for one in listed:
            marked = (one.get("body") or "").partition("\n")[0].strip() == mark
            if marked and (one.get("user") or {}).get("login") == own:  # anybody can write a marker
                edited = github("PATCH", f"{repository}/issues/comments/{one['id']}", token, {"body": body})
                return str(edited["html_url"])
        if len(listed) < 100:
            break
    return str(github("POST", f"{repository}/issues/{number}/comments", token, {"body": body})["html_url"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the comment and, if asked, writes it where the workflow runs."""
    parser = argparse.ArgumentParser(prog="python -m warpproof.review", description=__doc__)
    parser.add_argument("manifest")
    parser.add_argument("results")
    parser.add_argument("--name", default="kernels", help="which comment: one of each name")
    parser.add_argument("--page", help="where the page is served")
    parser.add_argument("--comment", action="store_true", help="write it, in a GitHub workflow")
    given = parser.parse_args(arguments)
    found = rows(given.manifest, given.results, given.page)
    body = markdown(found, given.name)
    print(body)
    if not given.comment:
        return 0
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(markdown(found, given.name, 1_000_000) + "\n")
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    try:
        api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
        where = comment(body, event, api, os.environ["GITHUB_TOKEN"])
    except (urllib.error.URLError, TimeoutError) as refused:
        # A workflow of a fork may not write. The answers are in the summary, and it is they that decide.
        print(f"::warning title=Warpproof::the comment could not be written: {refused}", file=sys.stderr)
        return 0
    print(where or "This event is about no pull request, so there is no comment.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
