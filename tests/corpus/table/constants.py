"""One function with its constants written in several ways: `constants/forms.<n>`, `constants/dft.<n>`."""

from .build import add

WRONG = (2, 5, 9, 14)
for form in range(15):
    add("constants/forms.cu", str(form), defines={"FORM": form}, lines=form in WRONG, arch="compute_90")
for form in range(3):
    add("constants/dft.cu", str(form), defines={"FORM": form})
add("constants/dft.cu", "wrong", defines={"FORM": 1, "WRONG": 1}, lines=True)
