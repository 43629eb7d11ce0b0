"""Floats of four and six bits, scales of blocks, and products of them by a warp."""

from .build import add

ARCH = {"arch": "compute_100a", "nvrtc": 13}
for kind in range(1, 6):
    add("narrow/convert.cu", f"{kind}", defines={"KIND": kind}, **ARCH)
for fault, kind in ((1, 1), (2, 1), (1, 2), (3, 2), (5, 3), (4, 4), (3, 5)):
    add("narrow/convert.cu", f"{kind}.wrong{fault}", defines={"KIND": kind, "WRONG": fault}, lines=True, **ARCH)
ARCH = {"arch": "compute_120a", "nvrtc": 13}
PAIRS = (("e4m3", "e2m1"), ("e2m1", "e5m2"), ("e2m3", "e3m2"), ("e3m2", "e2m3"), ("e2m1", "e2m1"))
for kind in (1, 2):
    for a, b in PAIRS:
        add("narrow/multiply.cu", f"{kind}.{a}.{b}", defines={"KIND": kind, "TA": a, "TB": b}, **ARCH)
for kind in (3, 4):
    add("narrow/multiply.cu", f"{kind}", defines={"KIND": kind}, **ARCH)
for fault, kind in ((5, 1), (1, 2), (2, 2), (4, 2)):
    defines = {"KIND": kind, "TA": "e4m3", "TB": "e5m2", "WRONG": fault}
    add("narrow/multiply.cu", f"{kind}.wrong{fault}", defines=defines, lines=True, **ARCH)
add("narrow/tiles.cu", "four", defines={"FOUR": 1}, **ARCH)
add("narrow/tiles.cu", "six", **ARCH)
for fault in (1, 2):
    add("narrow/tiles.cu", f"wrong{fault}", defines={"FOUR": 1, "WRONG": fault}, lines=True, **ARCH)
