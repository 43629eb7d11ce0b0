"""Builds of kernels that pass a test without doing the work."""

from .build import add

add("cheating/centred_plain.cu")
add("cheating/centred.cu")
for number, name in enumerate(("half_unwritten", "zeros", "constant", "stale", "input_modified", "quarter_skipped",
                               "uninitialized", "one_input", "small_skipped", "answer_left_there"), start=1):
    add("cheating/centred.cu", name, defines={"CHEAT": number}, lines=True)
