"""Builds of kernels for any size, and of their mutants."""

from .build import add

MUTANTS = {
    "saxpy": 4, "stride": 2, "transpose": 4, "matmul": 4, "unrolled": 2, "scan": 4, "stencil": 4,
    "softmax": 3, "histogram": 4, "matvec": 2, "divergence": 2,
}

for kernel, count in MUTANTS.items():
    for mutant in range(count + 1):
        tag = f"mutant{mutant}" if mutant else ""
        add(f"sizes/{kernel}.cu", tag, defines={"MUTANT": mutant} if mutant else {}, lines=mutant > 0)
for version, mutants in {1: (0, 2), 2: (0, 2), 3: (0, 1, 2, 3), 4: (0, 4, 5)}.items():
    for mutant in mutants:
        tag = f"v{version}" + (f"_mutant{mutant}" if mutant else "")
        add("sizes/reduce.cu", tag, defines={"VERSION": version, "MUTANT": mutant}, lines=mutant > 0)
add("sizes/transpose.cu", "unpadded", defines={"PAD": 0})
add("sizes/transpose.cu", "tile32", defines={"TILE": 32})
add("sizes/matvec.cu", "warps", defines={"WARPS": 1})
add("sizes/matvec.cu", "warps_mutant3", defines={"WARPS": 1, "MUTANT": 3}, lines=True)
add("sizes/saxpy.cu", "cuda13", nvrtc=13, arch="compute_90")
add("sizes/matmul.cu", "cuda13", nvrtc=13, arch="compute_90")
add("sizes/counted.cu")
