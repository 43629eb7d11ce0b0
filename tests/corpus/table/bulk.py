"""Kernels of Hopper: bulk copies, barrier objects that count bytes, proxy fences."""

from .build import add

for name, faults in (("copy", 7), ("ring", 6), ("store", 5)):
    add(f"bulk/{name}.cu", arch="compute_90a")
    for fault in range(1, faults + 1):
        add(f"bulk/{name}.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90a")
add("bulk/ring.cu", "fence", defines={"FENCE": 1}, arch="compute_90a")
add("bulk/store.cu", "late", defines={"LATE": 1}, arch="compute_90a")
for rule in range(1, 17):
    add("bulk/rules.cu", f"{rule}", defines={"RULE": rule}, lines=True, arch="compute_90a")
add("bulk/product.cu", arch="compute_90a")
for fault in (1, 2, 3):
    add("bulk/product.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90a")
add("bulk/large.cu", arch="compute_90a")
