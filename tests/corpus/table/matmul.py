"""Builds of a 64 x 64 matrix product in the steps of Boehm's tutorial."""

from .build import add

SMALL, FULL = {"DEPTH": 64}, {"DEPTH": 4096}
BK16 = {"BK": 16}
TUNED = {"BK": 16, "TM": 4, "TN": 4}

# name: source, defines, ragged depth (None: no guards), faults, faults that need the ragged depth
KERNELS = {
    "coalesced": ("naive", {"COALESCED": 1}, 61, (1, 2, 3, 5, 6), ()),
    "shared": ("shared", BK16, 61, (1, 2, 3, 4, 5, 6, 7, 8), (9, 10, 11)),
    "1d": ("tiling_1d", {}, 61, (1, 2, 3, 4, 5, 6, 7), (8,)),
    "2d": ("tiling_2d", {}, 61, (1, 2, 3, 4, 5, 6, 8), (7,)),
    "vectorised": ("vectorised", {"LAYOUT": 0}, 60, (1, 2, 3, 4, 5, 6, 7, 8), (9,)),
    "linear": ("vectorised", {"LAYOUT": 1}, 60, (1, 2, 3, 11, 12, 14, 15), ()),
    "padded": ("vectorised", {"LAYOUT": 2}, 60, (1, 2, 3, 10, 14, 15), ()),
    "autotuned": ("autotuned", TUNED, None, (1, 2, 3, 4, 5, 6, 7, 8), ()),
    "warp_tiled": ("warp_tiled", {}, 60, (1, 2, 3, 4, 5, 6, 7), (8,)),
    "double_buffered": ("double_buffered", {}, 60, (1, 2, 3, 4, 5, 6, 7, 8, 10), (9,)),
    "specialised": ("specialised", {}, None, (1, 2, 4, 5, 6, 7, 8, 9, 10, 11), ()),
}

add("sgemm/naive.cu", output="sgemm/naive", defines=SMALL)
add("sgemm/naive.cu", output="sgemm/naive_full", defines=FULL)
for depth in (40, 60, 61):
    add("sgemm/naive.cu", output=f"sgemm/naive_k{depth}", defines={"DEPTH": depth})
for name, (source, defines, ragged, faults, ragged_faults) in KERNELS.items():
    source = f"sgemm/{source}.cu"
    add(source, output=f"sgemm/{name}", defines=SMALL | defines)
    add(source, output=f"sgemm/{name}_full", defines=FULL | defines)
    if ragged:
        add(source, output=f"sgemm/{name}_k{ragged}", defines={"DEPTH": ragged} | defines)
    for fault in faults:
        add(source, output=f"sgemm/{name}_mutant{fault}", defines=SMALL | defines | {"MUTANT": fault}, lines=True)
    for fault in ragged_faults:
        add(source, output=f"sgemm/{name}_k{ragged}_mutant{fault}",
            defines={"DEPTH": ragged} | defines | {"MUTANT": fault}, lines=True)
for tm, tn, bk in ((8, 4, 8), (4, 8, 16), (8, 8, 32), (2, 4, 16)):
    add("sgemm/autotuned.cu", output=f"sgemm/autotuned_{tm}x{tn}x{bk}",
        defines=SMALL | {"BK": bk, "TM": tm, "TN": tn})
# An eighth of the full depth: `npm run bench` compares the two.
add("sgemm/naive.cu", output="sgemm/naive_k512", defines={"DEPTH": 512})
add("sgemm/tiling_2d.cu", output="sgemm/2d_k512", defines={"DEPTH": 512})
# Three tiles: the odd buffer has nothing in the last round.
add("sgemm/double_buffered.cu", output="sgemm/double_buffered_k40", defines={"DEPTH": 40})
add("sgemm/double_buffered.cu", output="sgemm/double_buffered_k40_mutant11", defines={"DEPTH": 40, "MUTANT": 11}, lines=True)
# A sum that goes on through eight elements is eight times as long: at depth 16 that is soon compared.
add("sgemm/naive.cu", output="sgemm/naive_k16", defines={"DEPTH": 16})
add("sgemm/naive.cu", output="sgemm/coalesced_k16_mutant4", defines={"DEPTH": 16, "COALESCED": 1, "MUTANT": 4}, lines=True)
