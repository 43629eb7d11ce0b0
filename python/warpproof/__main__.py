"""The command `warpproof`, and ``python -m warpproof``: the command line, in this interpreter.

What it starts (the processes of a batch) is this file again, and what hands a batch over to Ray is `cluster.py`. They
are started as files, because ``-m`` looks for packages in the current folder first.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

if not __package__:
    del sys.path[0]  # this folder, in which modules are no modules of everybody

from warpproof import _engine

OWN = [sys.executable, str(Path(__file__))]
"""Starts this program."""
RAY = [sys.executable, str(Path(__file__).with_name("cluster.py"))]
"""Starts what hands a batch over to Ray."""


def main() -> int:
    """Runs the command line of this process; gives its exit status."""
    # The engine waits for nothing of Python's, so that Python's handler of Ctrl-C would never run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _engine.command_line(["warpproof", *sys.argv[1:]], OWN, RAY, _engine.__file__)


if __name__ == "__main__":
    sys.exit(main())
