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
