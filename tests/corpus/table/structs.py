"""Structs that are passed by value: `structs/layers.<form>`."""

from .build import add

for form, wrong in ((0, 0), (1, 0), (2, 0), (1, 1)):
    add("structs/layers.cu", f"{form}{'.wrong' if wrong else ''}", defines={"FORM": form, "WRONG": wrong}, lines=wrong == 1)
for form in range(3):
    add("structs/layers.cu", f"{form}.cuda13", defines={"FORM": form, "WRONG": 0}, nvrtc=13)
