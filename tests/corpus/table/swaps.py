"""Builds of kernels that make updates themselves, around a compare-and-swap."""

from .build import add

for op in range(8):
    kind = {"Type": "int"} if op == 5 else {}
    add("swaps/totals.cu", f"one.op{op}", defines={"FORM": 0, "OP": op, **kind}, lines=True)
    add("swaps/totals.cu", f"1.op{op}", defines={"FORM": 1, "OP": op, **kind}, lines=True)
for form in (2, 3, 4, 6, 8, 9, 10):
    add("swaps/totals.cu", f"{form}.op0", defines={"FORM": form, "OP": 0}, lines=True)
for form, op in ((2, 1), (3, 2), (4, 1), (5, 1), (5, 2), (7, 1)):
    add("swaps/totals.cu", f"{form}.op{op}", defines={"FORM": form, "OP": op}, lines=True)
for form in (0, 1):
    add("swaps/totals.cu", f"double.{form}", defines={"FORM": form, "OP": 0, "Type": "double"}, lines=True)
for wrong in range(1, 7):
    add("swaps/totals.cu", f"1.wrong{wrong}", defines={"FORM": 1, "OP": 0, "WRONG": wrong}, lines=True)
for form, wrongs in ((0, (0,)), (1, (0, 1, 2, 3)), (2, (0,)), (3, (0,))):
    for wrong in wrongs:
        tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
        add("swaps/halves.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=True)
for form in range(1, 6):
    add("swaps/told.cu", f"one.{form}", defines={"FORM": 0, "OF": form}, lines=True)
    add("swaps/told.cu", f"{form}", defines={"FORM": form}, lines=True)
for form in (0, 1):
    add("swaps/elsewhere.cu", f"{form}", defines={"FORM": form}, lines=True)
