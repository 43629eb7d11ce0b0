"""Builds of kernels whose authors claim something."""

from .build import add

NEWER = {"nvrtc": 13, "arch": "compute_90"}

for kernel, forms, wrongs in (("indices", 5, 2), ("outputs", 6, 2), ("loop", 1, 3), ("programs", 4, 2)):
    for form in range(forms):
        for wrong in range(wrongs):
            defines = {"FORM": form, "WRONG": wrong}
            tag = f"{form}.wrong{wrong if wrongs > 2 else ''}" if wrong else f"{form}"
            add(f"contracts/{kernel}.cu", tag, defines=defines, lines=True)
            if form == 0:
                add(f"contracts/{kernel}.cu", f"{tag}.cuda13", defines=defines, lines=True, **NEWER)
