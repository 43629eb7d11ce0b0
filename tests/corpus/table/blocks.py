"""Grids whose blocks work together, or divide their outputs in different ways."""

from .build import add

add("blocks/parts.cu", lines=True)
for wrong in (1, 2):
    add("blocks/parts.cu", f"wrong{wrong}", defines={"WRONG": wrong}, lines=True)
for form in range(4):
    add("blocks/last.cu", f"{form}", defines={"FORM": form}, lines=True)
add("blocks/last.cu", "1.wrong1", defines={"FORM": 1, "WRONG": 1}, lines=True)
for form in range(5):
    add("blocks/extremes.cu", f"{form}", defines={"FORM": form}, lines=True)
for wrong in (1, 2, 3):
    add("blocks/extremes.cu", f"0.wrong{wrong}", defines={"FORM": 0, "WRONG": wrong}, lines=True)
