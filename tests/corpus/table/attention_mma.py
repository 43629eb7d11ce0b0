"""Builds of attention on tensor cores: FlashAttention-1 through wmma, FlashAttention-2."""

from .attention import FULL_CAUSAL
from .build import BOTH, PRECISE, add

# DIM is 16 for one warp of wmma, so 1/sqrt(DIM) is 0.25.
REFERENCE16 = {"ROWS": 16, "KEYS": 32, "DIM": 16, "SCALE": "0.25f"}
REFERENCE32 = {"ROWS": 32, "KEYS": 64, "DIM": 16, "SCALE": "0.25f"}
CAUSAL16, CAUSAL32 = {"CAUSAL": 1, "START": 4}, {"CAUSAL": 1, "START": 8}
for tag, size, causal in (("r16", REFERENCE16, CAUSAL16), ("r32", REFERENCE32, CAUSAL32)):
    add("attention/attention_plain.cu", tag, PRECISE, defines=size)
    add("attention/attention_plain.cu", f"{tag}_causal", PRECISE, defines=size | causal)
add("attention/attention_plain.cu", "r16_start0", PRECISE, defines=REFERENCE16 | {"CAUSAL": 1, "START": 0})

ONE = {"WARPS": 1, "KEYS": 32, "TILE": 16, "DIM": 16, "SCALE": "0.25f"}
TWO = {"WARPS": 2, "KEYS": 64, "TILE": 16, "DIM": 16, "SCALE": "0.25f"}
FULL2 = {"WARPS": 1, "KEYS": 512, "TILE": 64, "DIM": 64, "SCALE": "0.125f"}
for tag, size, causal in (("one_warp", ONE, CAUSAL16), ("two_warps", TWO, CAUSAL32), ("full", FULL2, FULL_CAUSAL)):
    add("attention/flash2.cu", tag, BOTH if tag == "one_warp" else ("fast",), defines=size)
    add("attention/flash2.cu", f"{tag}_causal", ("fast",), defines=size | causal)
    add("attention/flash2.cu", f"{tag}_skip", ("fast",), defines=size | causal | {"SKIP": 1})
add("attention/flash2.cu", "two_warps_out32", ("fast",), defines=TWO | {"OUT32": 1})
for mutant in range(1, 16):
    add("attention/flash2.cu", f"one_warp_mutant{mutant}", ("fast",), defines=ONE | {"MUTANT": mutant}, lines=True)
add("attention/flash2.cu", "two_warps_mutant3", ("fast",), defines=TWO | {"MUTANT": 3}, lines=True)
add("attention/flash2.cu", "one_warp_start0_mutant16", ("fast",),
    defines=ONE | {"CAUSAL": 1, "START": 0, "MUTANT": 16}, lines=True)
for mutant in (17, 20):
    add("attention/flash2.cu", f"two_warps_causal_mutant{mutant}", ("fast",),
        defines=TWO | CAUSAL32 | {"MUTANT": mutant}, lines=True)
for mutant in (18, 19):
    add("attention/flash2.cu", f"one_warp_causal_mutant{mutant}", ("fast",),
        defines=ONE | CAUSAL16 | {"MUTANT": mutant}, lines=True)
add("attention/flash2.cu", "one_warp_skip_mutant18", ("fast",),
    defines=ONE | CAUSAL16 | {"SKIP": 1, "MUTANT": 18}, lines=True)
for mutant in (1, 3, 9, 21):
    add("attention/flash2.cu", f"two_warps_skip_mutant{mutant}", ("fast",),
        defines=TWO | CAUSAL32 | {"SKIP": 1, "MUTANT": mutant}, lines=True)

WMMA1 = {"WARPS": 1, "KEYS": 32, "SCALE": "0.25f"}
WMMA4 = {"WARPS": 4, "KEYS": 512, "SCALE": "0.125f"}
WMMA2 = {"WARPS": 2, "KEYS": 64, "SCALE": "0.17677669f"}
add("attention/attention_plain.cu", "d32", PRECISE, defines=REFERENCE32 | {"ROWS": 16, "DIM": 32, "SCALE": "0.17677669f"})
add("attention/flash1_wmma.cu", "two_warps", ("fast",), defines=WMMA2)
add("attention/flash1_wmma.cu", "two_warps_mutant1", ("fast",), defines=WMMA2 | {"MUTANT": 1}, lines=True)
for tag, size, causal in (("one_warp", WMMA1, CAUSAL16), ("full", WMMA4, FULL_CAUSAL)):
    add("attention/flash1_wmma.cu", tag, ("fast",), defines=size)
    add("attention/flash1_wmma.cu", f"{tag}_causal", ("fast",), defines=size | causal)
    add("attention/flash1_wmma.cu", f"{tag}_skip", ("fast",), defines=size | causal | {"SKIP": 1})
for mutant in (1, 2, 3, 4, 5, 6, 7, 8, 10):
    add("attention/flash1_wmma.cu", f"one_warp_mutant{mutant}", ("fast",),
        defines=WMMA1 | {"MUTANT": mutant}, lines=True)
for mutant in (3, 9, 11, 12, 13):
    add("attention/flash1_wmma.cu", f"one_warp_causal_mutant{mutant}", ("fast",),
        defines=WMMA1 | CAUSAL16 | {"MUTANT": mutant}, lines=True)
for mutant in (2, 5, 6, 7, 9):
    add("attention/flash1_wmma.cu", f"one_warp_skip_mutant{mutant}", ("fast",),
        defines=WMMA1 | CAUSAL16 | {"SKIP": 1, "MUTANT": mutant}, lines=True)
add("attention/flash2.cu", "two_warps_skip.cuda13", ("fast",), defines=TWO | CAUSAL32 | {"SKIP": 1}, nvrtc=13, arch="compute_90")
