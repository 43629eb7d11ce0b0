"""`warpproof` with a Ray cluster of `WORKERS` cores on this machine, and with simulated workers if `SIMULATED` is set."""

import os
import signal
import sys
from pathlib import Path

HERE = Path(__file__).parent


def cluster() -> int:
    import ray

    import warpproof.cluster

    ray.init(num_cpus=int(os.environ["WORKERS"]), include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    warpproof.cluster._connect = lambda ray, address: None
    if os.environ.get("SIMULATED"):
        import simulated

        warpproof.cluster.answer = simulated.answer
    return warpproof.cluster.main(sys.argv[2:])


if __name__ == "__main__":
    if sys.argv[1] == "cluster":
        sys.exit(cluster())
    from warpproof import _engine

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from warpproof.__main__ import OWN

    own = [sys.executable, str(HERE / "simulated.py")] if os.environ.get("SIMULATED") else OWN
    sys.exit(_engine.command_line(["warpproof", *sys.argv[1:]], own, [sys.executable, __file__, "cluster"]))
