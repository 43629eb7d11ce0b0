"""Products of a warpgroup (wgmma), by hand."""

from .build import add

for span in (128, 64, 32, 16):
    add("warpgroup/product.cu", f"span{span}", defines={"SPAN": span}, arch="compute_90a")
for span in (64, 16):
    add("warpgroup/product.cu", f"turned{span}", defines={"SPAN": span, "TURNED": 1}, arch="compute_90a")
for fault in range(1, 15):
    add("warpgroup/product.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90a")
for kind in range(1, 8):
    add("warpgroup/types.cu", f"{kind}", defines={"KIND": kind}, arch="compute_90a")
for kind in (1, 2, 3, 4, 5, 7):
    add("warpgroup/types.cu", f"registers{kind}", defines={"KIND": kind, "REGISTERS": 1}, arch="compute_90a")
add("warpgroup/types.cu", "wrong1", defines={"KIND": 1, "WRONG": 1}, arch="compute_90a")
add("warpgroup/types.cu", "wrong4", defines={"KIND": 1, "WRONG": 4}, arch="compute_90a")
add("warpgroup/types.cu", "wrong2", defines={"KIND": 2, "WRONG": 2, "REGISTERS": 1}, arch="compute_90a")
add("warpgroup/types.cu", "wrong3", defines={"KIND": 7, "WRONG": 3}, arch="compute_90a")
add("warpgroup/sparse.cu", arch="compute_90a")
add("warpgroup/sparse.cu", "registers", defines={"REGISTERS": 1}, arch="compute_90a")
add("warpgroup/sparse.cu", "wrong1", defines={"WRONG": 1}, arch="compute_90a")
for name, faults in (("pipeline", range(1, 11)), ("attention", range(2, 8))):
    add(f"warpgroup/{name}.cu", arch="compute_90a")
    for fault in faults:
        add(f"warpgroup/{name}.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_90a")
