"""Builds of tensor-core tiles, fragment moves and background copies, one instruction form each."""

from .build import add

# kind: shape, types of A, B and the sum, as the plain product holds them
MMA = {
    1: ("f16", 16, 8, 16, "float", "float"),
    2: ("f16_k8", 16, 8, 8, "float", "float"),
    3: ("tf32", 16, 8, 8, "float", "float"),
    4: ("tf32_k4", 16, 8, 4, "float", "float"),
    5: ("f64", 8, 8, 4, "double", "double"),
    6: ("s8", 16, 8, 32, "signed char", "int"),
    7: ("u8", 8, 8, 16, "signed char", "int"),
    8: ("f16_sums", 16, 8, 16, "float", "float"),
    9: ("bf16", 16, 8, 16, "float", "float"),
    10: ("s8_k16", 16, 8, 16, "signed char", "int"),
    11: ("fp8", 16, 8, 32, "float", "float"),
    12: ("f64_k8", 16, 8, 8, "double", "double"),
}
for kind, (name, m, n, k, inputs, sums) in MMA.items():
    arch = {11: "compute_89", 12: "compute_90"}.get(kind, "compute_80")
    add("tensor/mma.cu", name, defines={"KIND": kind}, arch=arch)
SHAPES = sorted({(m, n, k, inputs, sums) for _, m, n, k, inputs, sums in MMA.values()})
SHAPES += [(16, 16, 16, "float", "float"), (32, 8, 16, "float", "float")]
for m, n, k, inputs, sums in SHAPES:
    left = "unsigned char" if (m, k) == (8, 16) else inputs
    add("tensor/plain_product.cu", f"m{m}n{n}k{k}_{sums}",
        defines={"M": m, "N": n, "K": k, "IN_A": left, "IN_B": inputs, "SUM": sums})
add("tensor/plain_product.cu", "m16n16k16_float.columns",
    defines={"M": 16, "N": 16, "K": 16, "IN_A": "float", "IN_B": "float", "SUM": "float", "COLUMNS": 1})
for kind in (1, 2, 3, 4):
    add("tensor/moves.cu", str(kind), defines={"KIND": kind}, arch="compute_90")
add("tensor/plain_moves.cu")
add("tensor/plain_moves.cu", "transposed", defines={"TRANSPOSED": 1})
for kind in (1, 2, 3, 4):
    add("tensor/wmma.cu", str(kind), defines={"KIND": kind})
COPIES = {1: (0, 1, 2, 3), 2: (0, 4), 3: (0, 5, 6, 7), 4: (0, 8)}
for kind, mutants in COPIES.items():
    for mutant in mutants:
        tag = str(kind) + (f".mutant{mutant}" if mutant else "")
        add("tensor/copies.cu", tag, lines=bool(mutant), arch="compute_90" if kind == 3 else "compute_80",
            defines={"KIND": kind, "TILES": 6, "MUTANT": mutant})
add("tensor/plain_copies.cu", "128", defines={"TILES": 6, "WIDTH": 128})
add("tensor/plain_copies.cu", "96", defines={"TILES": 6, "WIDTH": 96})
add("tensor/plain_copies.cu", "128.forward", defines={"TILES": 6, "WIDTH": 128, "FORWARD": 1})
add("tensor/between.cu", lines=True)
add("tensor/between.cu", "syncwarp", defines={"SYNC": 1})
for kind in (1, 2):
    for mutant in (0, 1):
        add("tensor/fp8.cu", f"{kind}.mutant{mutant}" if mutant else str(kind), arch="compute_89",
            defines={"KIND": kind, "MUTANT": mutant})
add("tensor/plain_copy.cu")
for a, b, halves, mutant in [(0, 1, 0, 0), (0, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 1, 0), (0, 1, 0, 1)]:
    tag = ("col" if a else "row") + "_" + ("col" if b else "row") + ("_halves" if halves else "")
    add("tensor/quads.cu", tag + (f".mutant{mutant}" if mutant else ""), lines=bool(mutant),
        defines={"A_COL": a, "B_COL": b, "HALVES": halves, "SUM": "half_bits" if halves else "float", "MUTANT": mutant})
add("tensor/plain_quads.cu")
# kind: rows, depth, bits, signs of A and B, and what two elements make together
NARROW = {
    1: ("s4_k32", 8, 32, 4, 1, 1, "*"),
    2: ("u4_k32", 16, 32, 4, 0, 1, "*"),
    3: ("s4_k64", 16, 64, 4, 1, 0, "*"),
    4: ("xor_k128", 8, 128, 1, 0, 0, "^"),
    5: ("and_k128", 16, 128, 1, 0, 0, "&"),
    6: ("xor_k256", 16, 256, 1, 0, 0, "^"),
}
for kind, (name, _, k, bits, a, b, op) in NARROW.items():
    for mutant in (0, 1) if kind in (3, 6) else (0,):
        tag = name + (f".mutant{mutant}" if mutant else "")
        add("tensor/narrow.cu", tag, lines=bool(mutant), defines={"KIND": kind, "MUTANT": mutant})
    add("tensor/plain_narrow.cu", name,
        defines={"K": k, "BITS": bits, "A_SIGNED": a, "B_SIGNED": b, "OP": op})
# kind: depth, elements stored of a chunk, types of A, B and the sum as the plain product holds them
SPARSE = {
    1: ("f16_k16", 16, 2, "float", "float", "float"),
    2: ("f16_sums_k32", 32, 2, "float", "float", "float"),
    3: ("bf16_k32", 32, 2, "float", "float", "float"),
    4: ("tf32_k8", 8, 1, "float", "float", "float"),
    5: ("tf32_k16", 16, 1, "float", "float", "float"),
    6: ("s8_k32", 32, 2, "signed char", "signed char", "int"),
    7: ("u8_k64", 64, 2, "unsigned char", "signed char", "int"),
    8: ("fp8_k64", 64, 2, "float", "float", "float"),
    9: ("s4_k128", 128, 4, "word", "word", "int"),
}
for kind, (name, k, stored, left, right, sums) in SPARSE.items():
    for mutant in {1: (0, 1, 2), 7: (0, 1)}.get(kind, (0,)):
        add("tensor/sparse.cu", name + (f".mutant{mutant}" if mutant else ""), lines=bool(mutant),
            arch="compute_89" if kind == 8 else "compute_80", defines={"KIND": kind, "MUTANT": mutant})
for k, stored, left, right, sums in dict.fromkeys(row[1:] for row in SPARSE.values()):
    name = f"k{k}_{left.split()[0]}_{stored}"
    add("tensor/plain_sparse.cu", name, defines={"K": k, "STORED": stored, "IN_A": left, "IN_B": right, "SUM": sums})
