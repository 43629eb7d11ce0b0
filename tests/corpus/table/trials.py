"""Kernels as engineers write them, a plain one and a fast one in each file: `trials/<name>[.fast]`.

`MUT` puts a fault into the fast one: `trials/<name>.mutant<n>`.
"""

from .build import add

# name -> faults
TRIALS = {
    "welford": (1, 2, 3),
    "welford_seq": (1, 2),
    "xent": (1, 2, 3),
    "rope_table": (1, 2, 3),
    "segred": (1, 2, 3),
    "int4": (1, 2, 3),
    "quant": (1, 2, 3),
    "absmax": (1, 2),
    "dp4a": (1, 2, 3),
    "bf16_words": (1, 2, 3),
    "mbarrier_ring": (1, 2, 3),
    "named_barriers": (2, 3, 4),
    "three_stages": (1, 2, 3, 4),
    "ldmatrix_swizzle": (1, 2, 3, 4),
    "inverse3": (1, 2),
    "cholesky4": (1, 2),
    "fft8": (1, 2, 3),
    "split_attention": (1, 2, 3, 4),
    "stencil3": (1, 2, 3),
    "clamped_norm": (1, 2, 3),
    "argmax": (1, 2, 3, 4),
    "maxpool_places": (1, 2),
    "chosen_address": (1, 2, 3, 4),
}
FAST = ("xent", "welford", "int4", "quant", "split_attention", "bf16_words")

for name, faults in TRIALS.items():
    add(f"trials/{name}.cu", modes=("", "fast") if name in FAST else ("",))
    for fault in faults:
        add(f"trials/{name}.cu", f"mutant{fault}", defines={"MUT": fault}, lines=True)
