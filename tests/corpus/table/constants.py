"""One function with its constants written in several ways: `constants/forms.<n>`, `constants/dft.<n>`,
`constants/folded.<n>`."""

from .build import BOTH, add

WRONG = (2, 5, 9, 14, 16, 18)
for form in range(20):
    add("constants/forms.cu", str(form), defines={"FORM": form}, lines=form in WRONG, arch="compute_90")
for form in range(3):
    add("constants/dft.cu", str(form), defines={"FORM": form})
add("constants/dft.cu", "wrong", defines={"FORM": 1, "WRONG": 1}, lines=True)
for form in range(7):
    add("constants/folded.cu", str(form), modes=BOTH, defines={"FORM": form}, lines=form in (3, 6))
