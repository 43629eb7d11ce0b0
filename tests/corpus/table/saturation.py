"""What conversions do with numbers that have no place in their format: `saturation/formats.<n>`."""

from .build import add

WRONG = (4, 5, 11, 16, 19)
for form in range(20):
    add("saturation/formats.cu", str(form), defines={"FORM": form}, lines=form in WRONG, arch="compute_90")
