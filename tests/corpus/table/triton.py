"""Builds of the CUDA references for the Triton kernels, which compile_triton.py builds."""

from .build import PRECISE, add

for n in (64, 100, 128, 512, 1000):
    add("triton/softmax_rows.cu", f"n{n}", PRECISE, defines={"COLUMNS": n})
for kernel in ("layer_norm_rows", "rms_norm_rows"):
    add(f"triton/{kernel}.cu", "n100", PRECISE, defines={"COLUMNS": 100})
for kind in ("gelu_erf", "gelu_tanh", "silu"):
    add("triton/activation.cu", kind, PRECISE, defines={kind.upper(): 1})
add("triton/gated.cu", modes=PRECISE)
add("triton/product.cu", "small", defines={"COLUMNS": 32, "DEPTH": 64})
add("triton/product.cu", "large", defines={"COLUMNS": 128, "DEPTH": 256})
HEAD16 = {"ROWS": 16, "KEYS": 32, "DIM": 16, "SCALE": "0.25f"}
add("attention/attention_plain.cu", "", PRECISE, output="triton/attention_plain", defines=HEAD16)
add("attention/attention_plain.cu", "causal", PRECISE, output="triton/attention_plain",
    defines=HEAD16 | {"CAUSAL": 1, "START": 8})
add("triton/in_place.cu", "rotated", output="triton/in_place_cuda", defines={"ROTATED": 1, "HEADS": 3, "HALF": 12})
add("triton/in_place.cu", "ordered", output="triton/in_place_cuda", defines={"ORDERED": 1, "N": 8})
add("triton/in_place.cu", "largest", output="triton/in_place_cuda", defines={"LARGEST": 1, "N": 16, "K": 4})
add("triton/clamped.cu", "", output="triton/clamped_cuda")
add("triton/gate.cu", "four", output="triton/gate_cuda", defines={"EXPERTS": 4})
