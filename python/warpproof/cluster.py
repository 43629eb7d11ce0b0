"""A batch's questions, handed over to Ray: `warpproof batch --ray ADDRESS` starts this and talks to it.

A line of standard input is ``{"number": 7, "question": {…}}``; as soon as one is answered, ``{"number": 7, "reply":
{…}}`` is a line of standard output. A question is a Ray task, and Ray asks it again elsewhere when its machine or its
process is lost. In a task the question goes to a worker of ours, a process with its own limits, which outlives the
task and answers the next; so a question that needs too much takes nothing of Ray's along.

Guaranteed: a question is asked once, unless what it ran on is gone; then it is asked again, `RETRIES` times, and then
it is a crash with Ray's reason. Missed: the package has to be installed on the cluster's machines, in this version
(`runtime_env` does that); a task that finds another version says so and ends the batch.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if not __package__:  # as `__main__.py` starts it
    del sys.path[0]

from warpproof import _engine
from warpproof.__main__ import OWN

RETRIES = 8
"""How often a question is asked again whose process or machine was lost."""
PATIENCE = 20.0
"""Seconds that a cluster has to answer at its address."""
LOOK = 2.0
"""Seconds between two looks at how large the cluster is."""
GLANCE = 0.2
"""Seconds between two looks for questions, while others run."""
AHEAD = 3
"""Tasks that are handed over for each one that runs, so that nobody waits for the next question."""

_lanes: dict[tuple[str, ...], _engine.Lane] = {}
"""Those of this process of Ray's."""


class OtherVersion(RuntimeError):
    """The cluster's machines have another version of Warpproof."""


def answer(question: str, arguments: tuple[str, ...], patience: int, version: str) -> str:
    """Answers a question on a machine of the cluster."""
    if _engine.VERSION != version:
        raise OtherVersion(f"the cluster has warpproof {_engine.VERSION}, and this batch is of {version}")
    lane = _lanes.get(arguments)
    if lane is None:
        lane = _lanes[arguments] = _engine.Lane([*OWN, *arguments], patience)
    return lane.ask(question)


def _write(number: int, reply: str) -> None:
    sys.stdout.write(f'{{"number":{number},"reply":{reply}}}\n')
    sys.stdout.flush()


def _lines() -> queue.Queue[str | None]:
    """The lines of standard input as they come, and None behind the last; one is read ahead."""
    lines: queue.Queue[str | None] = queue.Queue(maxsize=1)

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _crash(why: str) -> str:
    reply = {"verdict": None, "summary": why, "died": "crash", "time": 0.0, "report": None, "last": False}
    return json.dumps(reply)


def _connect(ray: Any, address: str) -> None:
    # Ray's processes begin in this folder and look there for packages: it is to be the one that they find anyway.
    os.chdir(Path(__file__).parents[1])
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon:  # Ray would wait for minutes
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()
    # Ray writes what it does to standard output and error, where replies and reasons stand here.
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
        ray.init(include_dashboard=False, **quiet)
    else:
        ray.init(address, **quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hands over what standard input says, until it ends and all is answered."""
    parser = argparse.ArgumentParser(prog="cluster.py")
    parser.add_argument("--address", required=True)
    parser.add_argument("--patience", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("worker", nargs="+")
    given = parser.parse_args(arguments)
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        print("`--ray` needs Ray: `pip install ray`", file=sys.stderr)
        return 3
    try:
        _connect(ray, given.address)
    except (OSError, RuntimeError, ValueError) as failed:
        print(f"no Ray at `{given.address}`: {' '.join(str(failed).split())}", file=sys.stderr)
        return 3
    # By its name in the package, which the cluster's machines have, and not as this process's own.
    from warpproof.cluster import answer

    task = ray.remote(num_cpus=given.threads, max_retries=RETRIES)(answer)
    worker, version = tuple(given.worker), _engine.VERSION
    running: dict[Any, int] = {}
    lines = _lines()
    more, at_once, looked = True, 1, -LOOK
    while more or running:
        if time.monotonic() - looked >= LOOK:  # clusters grow and shrink
            looked = time.monotonic()
            room = int(ray.cluster_resources().get("CPU", 1)) // given.threads
            at_once = given.jobs or AHEAD * max(room, 1)
        while more and len(running) < at_once:
            try:  # a question may come of the answers to others
                line = lines.get(block=not running)
            except queue.Empty:
                break
            if line is None:
                more = False
                break
            asked = json.loads(line)
            question = json.dumps(asked["question"])
            running[task.remote(question, worker, given.patience, version)] = asked["number"]
        if not running:
            break
        # One at least, and what else is there.
        ray.wait(list(running), timeout=GLANCE if more else LOOK)
        ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        for one in ready:
            number = running.pop(one)
            try:
                reply = ray.get(one)
            except ray.exceptions.RayTaskError as failed:
                print(" ".join(str(failed.cause).split()), file=sys.stderr)
                return 3
            except ray.exceptions.RayError as lost:
                reply = _crash(f"lost by the cluster {RETRIES + 1} times: {' '.join(str(lost).split())}")
            _write(number, reply)
    return 0


if __name__ == "__main__":
    sys.exit(main())
