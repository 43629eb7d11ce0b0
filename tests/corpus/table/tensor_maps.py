"""Copies of boxes of tensors on Hopper, and bulk copies that change what they find."""

from .build import add

ARCH = "compute_90a"
FAULTS = {"copy": 8, "transpose": 4, "halo": 1, "product": 7, "stencil": 1, "split": 4, "stored": 0, "dims": 0, "made": 5, "accumulate": 3}
for name, faults in FAULTS.items():
    add(f"tensor_maps/{name}.cu", arch=ARCH)
    for fault in range(1, faults + 1):
        add(f"tensor_maps/{name}.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch=ARCH)
for kind in range(6):
    add("tensor_maps/reduce.cu", f"{kind}", defines={"KIND": kind}, arch=ARCH)
add("tensor_maps/reduce.cu", "wrong1", defines={"WRONG": 1}, lines=True, arch=ARCH)
add("tensor_maps/reduce.cu", "wrong2", defines={"WRONG": 2, "KIND": 1}, lines=True, arch=ARCH)
add("tensor_maps/zero.cu", arch="compute_100a")
for fault in (1, 2):
    add("tensor_maps/zero.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_100a")
add("tensor_maps/accumulate.cu", "loop", defines={"UNROLL": 1}, arch=ARCH)
add("tensor_maps/accumulate.cu", "loop_wrong1", defines={"UNROLL": 1, "WRONG": 1}, lines=True, arch=ARCH)
FIRST_BLACKWELL = "compute_100a"
add("tensor_maps/rows.cu", arch=FIRST_BLACKWELL)
add("tensor_maps/rows.cu", "table", defines={"TABLE": 1}, arch=FIRST_BLACKWELL)
for fault in range(1, 6):
    add("tensor_maps/rows.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch=FIRST_BLACKWELL)
for kind in range(4):
    add("tensor_maps/pixels.cu", f"{kind}", defines={"KIND": kind}, arch=ARCH)
for fault in range(1, 6):
    add("tensor_maps/pixels.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch=ARCH)
for kind in range(2):
    add("tensor_maps/pairs.cu", f"{kind}", defines={"KIND": kind}, arch=FIRST_BLACKWELL)
    for fault in range(1, 4):
        add("tensor_maps/pairs.cu", f"{kind}_wrong{fault}", defines={"KIND": kind, "WRONG": fault}, lines=True, arch=FIRST_BLACKWELL)
