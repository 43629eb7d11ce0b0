"""Builds of choices that are taken before or after what is made of them."""

from .build import BOTH, PRECISE, add

for kernel in ("logaddexp_sum", "logaddexp_size", "logaddexp_branch"):
    add(f"choices/{kernel}.cu", "n8", BOTH, defines={"N": 8})
add("choices/logaddexp_branch.cu", "n8.cuda13", BOTH, defines={"N": 8}, nvrtc=13, arch="compute_90")
add("choices/logaddexp_size.cu", "n8.wrong", PRECISE, defines={"N": 8, "SCALE": "1.5f"})
for kernel in ("log_softmax_three", "log_softmax_branch"):
    add(f"choices/{kernel}.cu", "n13", BOTH, defines={"N": 13})
add("choices/log_softmax_branch.cu", "n13.cuda13", BOTH, defines={"N": 13}, nvrtc=13, arch="compute_90")
for kernel in ("softplus_size", "softplus_log", "softplus_threshold"):
    add(f"choices/{kernel}.cu", "n3", BOTH, defines={"N": 3})
