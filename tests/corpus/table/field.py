"""Builds of kernels of OpenMM, Apex and Megatron-LM whose races were found and repaired."""

from .build import BOTH, add

# name: (sizes, builds, mutants); integer kernels compile one way only
KERNELS = {
    "bucket_positions": ({"BUCKETS": 160, "THREADS": 64}, ("",), range(1, 14)),
    "bucket_sort": ({"N": 64, "BUCKETS": 8}, ("",), range(1, 11)),
    "range": ({"N": 160, "THREADS": 64}, BOTH, (1, 2, 3, 4, 5, 7, 8, 9)),
    "reduce_value": ({"N": 80, "THREADS": 64}, BOTH, range(1, 12)),
    "layernorm_rows": ({"ROWS": 3, "N": 96, "WARPS": 4}, BOTH, range(1, 13)),
    "layernorm_grad_input": ({"ROWS": 3, "N": 160, "WARPS": 4}, BOTH, range(1, 12)),
}


def builds(name: str, sizes: dict[str, int], modes: tuple[str, ...], tag: str = "") -> None:
    """The serial kernel, the one with the race and the repaired one."""
    source = f"field/{name}.cu"
    for version, define in (("serial", "SERIAL"), ("before", "BEFORE"), ("after", "AFTER")):
        add(source, f"{version}{tag}", modes, defines=sizes | {define: 1}, lines=version == "before")


for name, (sizes, modes, mutants) in KERNELS.items():
    builds(name, sizes, modes)
    for mutant in mutants:
        add(f"field/{name}.cu", f"mutant{mutant}", modes[:1], defines=sizes | {"MUTANT": mutant}, lines=True)

# No race was found in this one; it runs beside the others.
GAMMA = {"ROWS": 40, "N": 40, "WARPS": 4}
for version, define in (("serial", "SERIAL"), ("warps", "WARPED")):
    add("field/layernorm_grad_gamma.cu", version, BOTH, defines=GAMMA | {define: 1})
for mutant in range(1, 14):
    add("field/layernorm_grad_gamma.cu", f"mutant{mutant}", ("precise",), defines=GAMMA | {"MUTANT": mutant}, lines=True)

# One piece: the race needs a second one.
builds("bucket_positions", {"BUCKETS": 50, "THREADS": 64}, ("",), "_one_piece")
# Only thread 0 stores the ends of the range.
ENDS = {"N": 160, "THREADS": 64, "ENDS": 1}
builds("range", ENDS, ("",), "_ends")
for mutant in (2, 6):
    add("field/range.cu", f"mutant{mutant}_ends", defines=ENDS | {"MUTANT": mutant}, lines=True)
