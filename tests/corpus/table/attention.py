"""Builds of attention on CUDA cores: the plain formula and FlashAttention-1."""

from .build import BOTH, PRECISE, add

# Scales are 1/sqrt(DIM), exact but for DIM = 32. With CAUSAL, row i sees START + i + 1 keys.
SMALL = {"ROWS": 8, "KEYS": 24, "DIM": 4, "SCALE": "0.5f"}
CAUSAL = {"CAUSAL": 1, "START": 12}
FULL = {"ROWS": 16, "KEYS": 512, "DIM": 64, "SCALE": "0.125f"}
FULL_CAUSAL = {"CAUSAL": 1, "START": 240}

for tag, size in (("small", SMALL), ("full", FULL)):
    causal = CAUSAL if tag == "small" else FULL_CAUSAL
    tile = {"TILE": 8 if tag == "small" else 64}
    modes = BOTH if tag == "small" else PRECISE
    add("attention/attention_plain.cu", tag, PRECISE, defines=size)
    add("attention/attention_plain.cu", f"{tag}_causal", PRECISE, defines=size | causal)
    add("attention/flash1.cu", tag, modes, defines=size | tile)
    add("attention/flash1.cu", f"{tag}_causal", modes, defines=size | tile | causal)
    add("attention/flash1.cu", f"{tag}_skip", modes, defines=size | tile | causal | {"SKIP": 1})
    add("attention/flash1.cu", f"{tag}_defer", PRECISE, defines=size | tile | {"DEFER": 1})
add("attention/flash1.cu", "small_defer_skip", ("fast",), defines=SMALL | {"TILE": 8} | CAUSAL | {"DEFER": 1, "SKIP": 1})
# Small enough for general-purpose solvers: `npm run peers` measures them.
for tag, rows, keys, dim, tile, scale in (("two_keys", 1, 2, 1, 1, "1.0f"), ("four_keys", 2, 4, 4, 2, "0.5f"),
                                          ("eight_keys", 4, 8, 4, 4, "0.5f")):
    size = {"ROWS": rows, "KEYS": keys, "DIM": dim, "SCALE": scale}
    add("attention/attention_plain.cu", tag, PRECISE, defines=size)
    add("attention/flash1.cu", tag, PRECISE, defines=size | {"TILE": tile})
FOUR = SMALL | {"KEYS": 32}
add("attention/attention_plain.cu", "four_tiles", PRECISE, defines=FOUR)
add("attention/flash1.cu", "four_tiles", PRECISE, defines=FOUR | {"TILE": 8})

for mutant in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 21):
    add("attention/flash1.cu", f"small_mutant{mutant}", PRECISE,
        defines=SMALL | {"TILE": 8, "MUTANT": mutant}, lines=True)
for mutant in (12, 13, 14, 16):
    add("attention/flash1.cu", f"small_causal_mutant{mutant}", PRECISE,
        defines=SMALL | CAUSAL | {"TILE": 8, "MUTANT": mutant}, lines=True)
# Inverted from position 0, the mask leaves every row but the last something to see in each tile.
START0 = SMALL | {"CAUSAL": 1, "START": 0}
add("attention/attention_plain.cu", "small_start0", PRECISE, defines=START0)
add("attention/flash1.cu", "small_start0_mutant11", PRECISE, defines=START0 | {"TILE": 8, "MUTANT": 11}, lines=True)
for mutant in (1, 5, 9, 12, 15):
    add("attention/flash1.cu", f"small_skip_mutant{mutant}", PRECISE,
        defines=SMALL | CAUSAL | {"TILE": 8, "SKIP": 1, "MUTANT": mutant}, lines=True)
for mutant in (4, 9, 22, 23, 24, 25):
    add("attention/flash1.cu", f"small_defer_mutant{mutant}", PRECISE,
        defines=SMALL | {"TILE": 8, "DEFER": 1, "MUTANT": mutant}, lines=True)
