"""Answers by content: a question that was answered before is not asked again, and CUDA source that was compiled before
(`cuda`) not compiled.

An answer is a file whose name is the hash of everything that it depends on: the engine itself, the texts, and the
limits that are counted. What a clock or a user stopped is not kept. Files appear whole (written beside, then
renamed), so any number of processes can share a folder; two that ask the same at once both ask.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from . import _engine

if TYPE_CHECKING:
    from .questions import Limits, Question

Answer = tuple[str, str, int]
"""JSON, text, exit status."""


@lru_cache(maxsize=None)
def _engine_hash() -> str:
    return hashlib.sha256(Path(_engine.__file__).read_bytes()).hexdigest()


def key(question: Question, limits: Limits) -> str:
    """What an answer depends on, as a hash."""
    parts = [_engine_hash(), asdict(question), limits.fuel, limits.memory, limits.proof]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _kept(path: Path) -> Answer | None:
    """The answer that a file holds; None where there is none, or the file holds something else."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(kept, list) or [type(part) for part in kept] != [str, str, int]:
            return None
        report = json.loads(kept[0])
    except (OSError, ValueError):
        return None
    return (kept[0], kept[1], kept[2]) if isinstance(report, dict) and "verdict" in report else None


def ask(question: Question, limits: Limits, folder: str | PathLike[str] | None) -> Answer:
    """The answer to a question, from the folder if it is there."""
    if folder is None:
        return _engine.check(question, limits)
    path = Path(folder) / f"{key(question, limits)}.json"
    if kept := _kept(path):
        return kept
    answer = _engine.check(question, limits)
    if json.loads(answer[0])["verdict"] not in ("resource_limit", "cancelled"):
        keep(path, json.dumps(answer))
    return answer


def keep(path: Path, text: str) -> None:
    """Writes a file that appears whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    os.replace(file.name, path)
