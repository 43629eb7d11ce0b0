"""Builds of kernels with mangled names: what their signatures say, and how reports read."""

from .build import add

for kernel, forms, wrong in (
    ("stencil", 3, 2),
    ("rms_norm", 3, 2),
    ("embed", 2, 2),
    ("endless", 2, 0),
    ("copy4", 2, 1),
    ("pointwise", 6, 3),
):
    for form in range(forms):
        add(f"signatures/{kernel}.cu", f"{form}", defines={"FORM": form}, lines=form >= wrong)
add("signatures/handover.cu", lines=True)

# One function with its parameters in two orders.
add("inference/order.cu", lines=True)
