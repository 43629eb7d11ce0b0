"""Builds of kernels whose accesses, races and stops are under conditions on data."""

from .build import add

FORMS = {"chosen_index": 14, "writers": 9, "same_value": 9, "stops": 6}
NEWER = {"nvrtc": 13, "arch": "compute_90"}

for kernel, forms in FORMS.items():
    extern = kernel == "stops"
    for form in range(forms):
        for wrong in (0, 1):
            defines = {"FORM": form, "WRONG": wrong}
            tag = f"{form}.wrong" if wrong else f"{form}"
            if (kernel, form, wrong) == ("stops", 4, 1):
                continue
            add(f"guards/{kernel}.cu", tag, defines=defines, lines=True, extern=extern)
            add(f"guards/{kernel}.cu", f"{tag}.cuda13", defines=defines, lines=True, extern=extern, **NEWER)
for count in (4, 5):
    add("guards/compaction.cu", f"{count}", defines={"COUNT": count}, lines=True)
    add("guards/compaction.cu", f"{count}.cuda13", defines={"COUNT": count}, lines=True, **NEWER)

add("guards/undefined.cu")
for kernel in ("masked", "logs", "rounding", "domains", "cancelled", "zeros"):
    add(f"guards/{kernel}.cu")
    add(f"guards/{kernel}.cu", "cuda13", **NEWER)
add("guards/quantized.cu")
add("guards/quantized.cu", "wrong1", defines={"WRONG": 1})
add("guards/asked.cu")
