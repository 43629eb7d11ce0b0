"""Builds of 32 x 32 matrix products as a code generator writes them, for 512 threads."""

from .build import add

WHOLE = {"M": 32, "N": 32, "K": 64}
DEEP = {"M": 32, "N": 32, "K": 256}

# name: whole sizes, ragged sizes (None: whole tiles only), faults, faults that need the ragged sizes
KERNELS = {
    "tiled": (WHOLE, {"M": 30, "N": 29, "K": 50}, (1, 2, 3, 4, 7, 8), (5, 6, 9)),
    "sliced": (WHOLE, {"M": 29, "N": 28, "K": 52}, (1, 2, 3, 4, 5, 6, 7, 8, 10), (9,)),
    "mma_f16": (DEEP, None, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), ()),
    "mma_tf32": (WHOLE, {"M": 30, "N": 29, "K": 50}, (1, 2, 4, 5, 6, 9, 10), (3, 7, 8)),
}


def tag(sizes: dict[str, int]) -> str:
    return "x".join(str(size) for size in sizes.values())


for sizes, inputs in ((WHOLE, "float"), (DEEP, "float"), (KERNELS["tiled"][1], "float"), (KERNELS["sliced"][1], "float"),
                      ({"M": 32, "N": 32, "K": 50}, "float")):
    add("gemm/naive.cu", output=f"gemm/naive_{tag(sizes)}", defines=sizes | {"INPUT": inputs})
add("gemm/naive.cu", output=f"gemm/naive_f16_{tag(DEEP)}", defines=DEEP | {"INPUT": "half"})
for name, (whole, ragged, faults, ragged_faults) in KERNELS.items():
    for sizes, wrong in ((whole, faults), (ragged, ragged_faults)):
        if sizes:
            add(f"gemm/{name}.cu", output=f"gemm/{name}_{tag(sizes)}", defines=sizes)
        for fault in wrong:
            add(f"gemm/{name}.cu", output=f"gemm/{name}_{tag(sizes)}_mutant{fault}",
                defines=sizes | {"MUTANT": fault}, lines=True)
# With whole rows and columns the values that a missing zero leaves are those of the tile before.
add("gemm/tiled.cu", output="gemm/tiled_32x32x50_mutant6", defines={"M": 32, "N": 32, "K": 50, "MUTANT": 6}, lines=True)
for name in ("tiled", "sliced", "mma_tf32"):
    add(f"gemm/{name}.cu", output=f"gemm/{name}_{tag(DEEP)}", defines=DEEP)
# One tile, for the sizes that `npm run peers` measures.
SHALLOW = WHOLE | {"K": 32}
add("gemm/naive.cu", output=f"gemm/naive_{tag(SHALLOW)}", defines=SHALLOW | {"INPUT": "float"})
add("gemm/sliced.cu", output=f"gemm/sliced_{tag(SHALLOW)}", defines=SHALLOW)
