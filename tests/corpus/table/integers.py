"""Integers of every width: `integers/natural_words.{plain,clever,mutant<n>}`."""

from .build import add

add("integers/natural_words.cu", "plain")
add("integers/natural_words.cu", "clever", defines={"CLEVER": 1})
for fault in range(1, 9):
    add("integers/natural_words.cu", f"mutant{fault}", defines={"CLEVER": 1, "MUTANT": fault}, lines=True)
add("integers/rotations.cu", "plain")
add("integers/rotations.cu", "clever", defines={"CLEVER": 1})
for fault in range(1, 3):
    add("integers/rotations.cu", f"mutant{fault}", defines={"CLEVER": 1, "MUTANT": fault}, lines=True)
for divisor in (7, 10, 641):
    add("integers/quotient.cu", f"by{divisor}", defines={"FORM": 0, "DIVISOR": divisor, "WRONG": 0})
add("integers/quotient.cu", "by_parameter", defines={"FORM": 1, "WRONG": 0})
add("integers/quotient.cu", "rounded_down", defines={"FORM": 1, "WRONG": 1}, lines=True)
for form, wrong in ((0, 0), (1, 0), (2, 0), (2, 1)):
    add("integers/philox.cu", f"{form}{'.wrong' if wrong else ''}", defines={"FORM": form, "WRONG": wrong}, lines=wrong == 1)

# Quotients by a negative number, and quotients rounded down.
add("integers/quotient.cu", "by_minus_7", defines={"FORM": 0, "DIVISOR": -7, "WRONG": 0})
for name, type, divisor, forms in (("int", "int", 7, 5), ("long", "long long", 1000, 2)):
    for form in range(forms):
        defines = {"TYPE": type, "FORM": form, "DIVISOR": divisor, "WRONG": 0}
        add("integers/floor.cu", f"{name}.{form}", defines=defines)
add("integers/floor.cu", "int.4.wrong", defines={"TYPE": "int", "FORM": 4, "DIVISOR": 7, "WRONG": 1}, lines=True)

# Rounds of hashes and of generators of random numbers.
for form, wrong in ((0, 0), (1, 0), (1, 1)):
    name = f"{form}{'.wrong' if wrong else ''}"
    add("integers/rounds.cu", name, defines={"FORM": form, "WRONG": wrong}, lines=wrong == 1)

# Bytes at all their values, wide products from halves, fields whose place is data.
for kernel in ("blend", "halves", "fields"):
    for form, wrong in ((0, 0), (1, 0), (1, 1)):
        name = f"{form}{'.wrong' if wrong else ''}"
        add(f"integers/{kernel}.cu", name, defines={"FORM": form, "WRONG": wrong}, lines=wrong == 1)
add("integers/narrow_shift.cu", "0", defines={"FORM": 0})
add("integers/narrow_shift.cu", "1", defines={"FORM": 1, "WRONG": 0})
add("integers/narrow_shift.cu", "1.wrong", defines={"FORM": 1, "WRONG": 1})
