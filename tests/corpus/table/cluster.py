"""Clusters: CTAs that run together and reach one another's shared memory."""

from .build import add

FAULTS = {"sums": 5, "exchange": 3, "counts": 2, "pushed": 1, "sent": 5}
for name, faults in FAULTS.items():
    add(f"cluster/{name}.cu", arch="compute_90")
    for fault in range(1, faults + 1):
        add(f"cluster/{name}.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90")
add("cluster/exchange.cu", "signal", defines={"SIGNAL": 1}, arch="compute_90")
add("cluster/exchange.cu", "wrong4", defines={"SIGNAL": 1, "WRONG": 4}, lines=True, arch="compute_90")
add("cluster/multicast.cu", arch="compute_90")
add("cluster/multicast.cu", "across", defines={"ACROSS": 1}, arch="compute_90")
for fault in (1, 2, 3):
    add("cluster/multicast.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90")
