"""Instructions that no other kernel of the corpus executes, each against the same in C.

`ASM` builds hold the instruction itself (inline PTX), the others what the manual says it does.
"""

from .build import add

for name, arch in (("integers", "compute_80"), ("floats", "compute_80"), ("hints", "compute_80"), ("barriers", "compute_80"),
                   ("phases", "compute_80"), ("parts", "compute_90"), ("elements", "compute_90"), ("bytes", "compute_90a"), ("pairs", "compute_100a")):
    add(f"instructions/{name}.cu", "asm", defines={"ASM": 1}, arch=arch)
    add(f"instructions/{name}.cu", "plain", arch=arch)
add("instructions/floats.cu", "asm.newer", defines={"ASM": 1, "NEWER": 1}, arch="compute_100")
add("instructions/floats.cu", "plain.newer", defines={"NEWER": 1}, arch="compute_100")
add("instructions/hints.cu", "asm.newer", defines={"ASM": 1, "NEWER": 1}, arch="compute_90a")
add("instructions/hints.cu", "plain.newer", defines={"NEWER": 1}, arch="compute_90a")
add("instructions/together.cu", "plain")
add("instructions/other_producers.cu")
for kind, name in ((1, "s4"), (2, "b1_xor"), (3, "b1_and")):
    add("instructions/wmma_bits.cu", name, defines={"KIND": kind})
add("instructions/wmma_bits.cu", "4", defines={"BITS": 4})
add("instructions/wmma_bits.cu", "1.differ", defines={"BITS": 1})
add("instructions/wmma_bits.cu", "1.both", defines={"BITS": 1, "BOTH": 1})
for kind in (1, 2, 3):
    add("instructions/wmma_types.cu", str(kind), defines={"KIND": kind})
for m, n, k, inputs, sums in ((16, 16, 8, "float", "float"), (8, 8, 4, "double", "double"), (16, 16, 16, "signed char", "int")):
    add("tensor/plain_product.cu", f"m{m}n{n}k{k}_{sums}.columns",
        defines={"M": m, "N": n, "K": k, "IN_A": inputs, "IN_B": inputs, "SUM": sums, "COLUMNS": 1})
add("instructions/by_index.cu")
