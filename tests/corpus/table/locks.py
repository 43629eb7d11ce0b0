"""Builds of kernels that take locks."""

from .build import add

add("locks/sums.cu", "one", defines={"FORM": 0}, lines=True)
for form, wrongs in ((1, (0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), (2, (0, 3)), (3, (0, 1)), (4, (0,)), (5, (0, 11))):
    for wrong in wrongs:
        tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
        add("locks/sums.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=True)
for most in range(3):
    add("locks/turns.cu", f"one{most}", defines={"FORM": 0, "MOST": most}, lines=True)
for form, wrongs in ((1, (0, 1, 2, 3)), (2, (0,)), (3, (0,)), (4, (0,)), (5, (0, 2, 4))):
    for wrong in wrongs:
        tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
        add("locks/turns.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=True)
add("locks/accounts.cu", "one", defines={"FORM": 0}, lines=True)
for wrong in range(3):
    tag = f"1.wrong{wrong}" if wrong else "1"
    add("locks/accounts.cu", tag, defines={"FORM": 1, "WRONG": wrong}, lines=True)
add("locks/ticket.cu", "", lines=True)
