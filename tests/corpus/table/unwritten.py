"""Builds of kernels that move what nobody wrote: used nowhere, or where it decides."""

from .build import add

for kernel in ("padding", "records", "prefetch", "guarded", "tail"):
    add(f"unwritten/{kernel}.cu")
    add(f"unwritten/{kernel}.cu", "cuda13", nvrtc=13, arch="compute_90")
    add(f"unwritten/{kernel}.cu", "used", defines={"MUT": 1}, lines=True)
add("unwritten/warp_half.cu", lines=True)
