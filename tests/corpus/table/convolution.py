"""Builds of 2-D convolution: direct, and as an implicit matrix product on tensor cores."""

from .build import add

SMALL = {"H": 4, "W": 8, "C": 8, "F": 16, "R": 3, "S": 2, "PAD": 1}
FULL = {"H": 8, "W": 16, "C": 32, "F": 128, "R": 3, "S": 3, "PAD": 1}
# The small product has a depth of 48 in three steps, the full one 288 in nine.
SMALL_TILE = {"BM": 32, "BN": 16, "BK": 16, "WARPS_M": 1, "WARPS_N": 1}
FULL_TILE = {"BM": 128, "BN": 128, "BK": 32, "WARPS_M": 2, "WARPS_N": 4}
SQUARE = SMALL | {"S": 3, "C": 16}

add("convolution/conv_direct.cu", "small", defines=SMALL)
add("convolution/conv_direct.cu", "square", defines=SQUARE)
add("convolution/conv_direct.cu", "full", defines=FULL)
add("convolution/conv_gemm.cu", "small", defines=SMALL | SMALL_TILE)
add("convolution/conv_gemm.cu", "square", defines=SQUARE | SMALL_TILE)
add("convolution/conv_gemm.cu", "full", defines=FULL | FULL_TILE)
for mutant in (1, 2, 3, 4, 5, 6, 9, 10, 11, 12):
    add("convolution/conv_gemm.cu", f"small_mutant{mutant}", defines=SMALL | SMALL_TILE | {"MUTANT": mutant}, lines=True)
add("convolution/conv_gemm.cu", "table_first", defines=SMALL | SMALL_TILE | {"TABLE_FIRST": 1})
for mutant in (1, 2, 4, 6, 9, 10):
    add("convolution/conv_gemm.cu", f"table_first_mutant{mutant}",
        defines=SMALL | SMALL_TILE | {"TABLE_FIRST": 1, "MUTANT": mutant}, lines=True)
for mutant in (4, 7, 8, 9, 10):
    add("convolution/conv_gemm.cu", f"square_mutant{mutant}", defines=SQUARE | SMALL_TILE | {"MUTANT": mutant}, lines=True)
add("convolution/conv_gemm.cu", "square.cuda13", defines=SQUARE | SMALL_TILE, nvrtc=13, arch="compute_90")
