"""Builds of kernels that order memory by flags, counters and semaphores."""

from .build import add

add("signals/flag.cu", "one", defines={"FORM": 3, "WRONG": 0, "FIRST": 0}, lines=True)
for form, wrongs in ((0, (0, 1, 2, 4, 5)), (1, (0, 3)), (2, (0, 1, 2))):
    for wrong in wrongs:
        tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
        add("signals/flag.cu", tag, defines={"FORM": form, "WRONG": wrong, "FIRST": 0}, lines=True)
for form in (0, 1, 2):
    add("signals/flag.cu", f"{form}.back", defines={"FORM": form, "WRONG": 0, "FIRST": 1}, lines=True)
for source, reference, wrongs in (
    ("semaphore", {"SPLIT": 0}, {"SPLIT": 1}),
    ("look_back", {"PASSES": 0, "TILES": 4, "TILE": 32}, {"PASSES": 1, "TILES": 4, "TILE": 32}),
    ("ring", {"FORM": 1}, {"FORM": 0}),
    ("grid_barrier", {"FORM": 2, "PARTS": 4}, {"FORM": 0}),
    ("grid_barrier", None, {"FORM": 1}),
):
    stem = f"signals/{source}.cu"
    if reference:
        add(stem, "one", defines={**reference, "WRONG": 0}, lines=True)
    tag = f"{wrongs['FORM']}" if source == "grid_barrier" else "many"
    for wrong in range(5 if source == "look_back" else 6):
        name = f"{tag}.wrong{wrong}" if wrong else tag
        add(stem, name, defines={**wrongs, "WRONG": wrong}, lines=True)
add("signals/last.cu", "one", defines={"FORM": 0, "WRONG": 0, "ROWS": 2, "PARTS": 4}, lines=True)
for form, wrongs in ((1, range(8)), (2, (0,)), (3, (0,))):
    for wrong in wrongs:
        tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
        add("signals/last.cu", tag, defines={"FORM": form, "WRONG": wrong, "ROWS": 2, "PARTS": 4}, lines=True)
for wrong in range(4):
    add("signals/grid_flip.cu", f"wrong{wrong}" if wrong else "", defines={"WRONG": wrong}, lines=True)
add("signals/queue.cu", "1", defines={"FORM": 1}, lines=True)
for fence, wrongs in ((0, range(5)), (1, (0,)), (2, (0,)), (3, (0,))):
    for wrong in wrongs:
        tag = f"{fence}.wrong{wrong}" if wrong else f"{fence}"
        add("signals/met.cu", tag, defines={"FENCE": fence, "WRONG": wrong}, lines=True)
add("signals/turned.cu", "", lines=True)
for wrong in range(4):
    tag = f"wrong{wrong}" if wrong else ""
    add("signals/cooperative.cu", tag, defines={"WRONG": wrong, "PLAIN": 0}, lines=wrong > 0)
add("signals/cooperative.cu", "plain", defines={"WRONG": 0, "PLAIN": 1})
