"""Workers that wait in the place of computing: what is left is what a batch itself takes.

`python simulated.py worker …` is such a worker; `answer` is one on a Ray cluster.
"""

import json
import os
import sys
import time

SECONDS = float(os.environ.get("SIMULATED_SECONDS", "0.1"))
# About as long as a usual report.
REPLY = json.dumps(
    {
        "verdict": ["equivalent", 0],
        "summary": "simulated",
        "died": None,
        "time": SECONDS * 1000,
        "report": {"assumptions": [{"text": "x" * 100, "count": at} for at in range(60)]},
        "last": False,
    }
)


def answer(question: str, arguments: tuple[str, ...], patience: int, version: str) -> str:
    time.sleep(SECONDS)
    return REPLY


if __name__ == "__main__":
    for line in sys.stdin:
        time.sleep(SECONDS)
        print(REPLY, flush=True)
