"""What conversions do with numbers that have no place in their format (`saturation/formats.<n>`), and rows as bytes."""

from .build import add

WRONG = (4, 5, 11, 16, 19)
for form in range(20):
    add("saturation/formats.cu", str(form), defines={"FORM": form}, lines=form in WRONG, arch="compute_90")
for form in range(3):
    add("saturation/absmax.cu", f"n64.{form}", defines={"FORM": form, "COLUMNS": 64, "WRONG": 0})
add("saturation/absmax.cu", "n64.wrong", defines={"FORM": 1, "COLUMNS": 64, "WRONG": 1}, lines=True)
