"""Tensor memory and its products (tcgen05), by hand."""

from .build import add

ARCH = {"arch": "compute_100a", "nvrtc": 13}
for span in (128, 64, 32, 16):
    add("blackwell/product.cu", f"span{span}", defines={"SPAN": span, "COLS": 64 if span == 128 else 32}, **ARCH)
for span in (128, 16):
    add("blackwell/product.cu", f"turned{span}", defines={"SPAN": span, "TURNED": 1}, **ARCH)
add("blackwell/product.cu", "rows64", defines={"ROWS": 64}, **ARCH)
for fault in range(1, 27):
    add("blackwell/product.cu", f"wrong{fault}", defines={"WRONG": fault, "COLS": 32}, lines=True, **ARCH)
add("blackwell/product.cu", "pair", defines={"PAIR": 1, "COLS": 32}, **ARCH)
for fault in (27, 28):
    add("blackwell/product.cu", f"wrong{fault}", defines={"WRONG": fault, "PAIR": 1, "COLS": 32}, lines=True, **ARCH)
for shape in range(1, 6):
    add("blackwell/moves.cu", f"{shape}", defines={"SHAPE": shape}, **ARCH)
    add("blackwell/moves.cu", f"back{shape}", defines={"SHAPE": shape, "BACK": 1}, **ARCH)
for fault in (1, 2):
    add("blackwell/moves.cu", f"wrong{fault}", defines={"SHAPE": 2, "WRONG": fault}, lines=True, **ARCH)
for kind in range(1, 9):
    add("blackwell/types.cu", f"{kind}", defines={"KIND": kind}, **ARCH)
for kind in range(1, 7):
    add("blackwell/types.cu", f"held{kind}", defines={"KIND": kind, "HELD": 1}, **ARCH)
for fault, kind, held in ((1, 1, 0), (2, 1, 1), (3, 4, 0), (4, 1, 1), (5, 5, 0)):
    defines = {"KIND": kind, "HELD": held, "WRONG": fault}
    add("blackwell/types.cu", f"wrong{fault}", defines=defines, lines=True, **ARCH)
add("blackwell/pipeline.cu", **ARCH)
for fault in range(1, 12):
    add("blackwell/pipeline.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, **ARCH)
for kind in range(1, 6):
    add("blackwell/scaled.cu", f"{kind}", defines={"KIND": kind}, **ARCH)
for fault, kind in ((1, 2), (2, 1), (3, 3), (4, 3), (5, 3), (6, 4), (7, 1), (8, 1)):
    add("blackwell/scaled.cu", f"wrong{fault}.{kind}", defines={"KIND": kind, "WRONG": fault}, lines=True, **ARCH)
for shape in range(1, 7):
    add("blackwell/images.cu", f"{shape}", defines={"SHAPE": shape}, **ARCH)
add("blackwell/images.cu", "swizzled", defines={"SHAPE": 1, "SWIZZLED": 1}, **ARCH)
for fault, shape in ((1, 5), (2, 1), (3, 1), (4, 1)):
    add("blackwell/images.cu", f"wrong{fault}", defines={"SHAPE": shape, "WRONG": fault}, lines=True, **ARCH)
for kind in (1, 2):
    add("blackwell/twins.cu", f"{kind}", defines={"KIND": kind}, **ARCH)
for fault in range(1, 9):
    add("blackwell/twins.cu", f"wrong{fault}", defines={"KIND": 1, "WRONG": fault}, lines=True, **ARCH)
add("blackwell/steal.cu", arch="compute_100a")
add("blackwell/steal.cu", "cluster", defines={"CLUSTER": 1}, arch="compute_100a")
for fault in range(1, 8):
    add("blackwell/steal.cu", f"wrong{fault}", defines={"WRONG": fault}, lines=True, arch="compute_100a")
