"""Builds of kernels whose addresses depend on indices in memory."""

from .build import add

for form, wrong in ((0, 0), (1, 0), (2, 0), (3, 0), (3, 1)):
    add("indices/table.cu", f"{form}{'.wrong' if wrong else ''}", defines={"FORM": form, "WRONG": wrong}, lines=True)
for form in range(3):
    add("indices/rows.cu", f"{form}", defines={"FORM": form}, lines=True)
add("indices/compaction.cu", "8", lines=True)
for form, wrong in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 2)):
    tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
    add("indices/histogram.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=wrong > 0)
add("indices/embedding_gradient.cu", lines=True)
for form in range(15):
    add("indices/bounded.cu", f"{form}", defines={"FORM": form, "WRONG": 0})
for form, wrong in ((0, 1), (3, 2), (6, 2), (8, 3), (10, 4), (12, 5)):
    add("indices/bounded.cu", f"{form}.wrong{wrong}", defines={"FORM": form, "WRONG": wrong}, lines=True)
for size in (4, 6):
    for form in range(2):
        add("indices/ranks.cu", f"{form}.n{size}", defines={"FORM": form, "WRONG": 0, "N": size})
add("indices/ranks.cu", "0.n4.wrong", defines={"FORM": 0, "WRONG": 1, "N": 4}, lines=True)
for size, form, wrong in ((8, 0, 0), (8, 1, 0), (8, 1, 1), (4, 0, 0), (4, 1, 2)):
    tag = f"{form}.n{size}.wrong{wrong}" if wrong else f"{form}.n{size}"
    add("indices/pack.cu", tag, defines={"FORM": form, "WRONG": wrong, "N": size}, lines=wrong > 0)
for kernel in ("computed", "labels"):
    for form, wrong in ((0, 0), (1, 0), (int(kernel == "computed"), 1)):
        tag = f"{form}.wrong" if wrong else f"{form}"
        add(f"indices/{kernel}.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=True)
