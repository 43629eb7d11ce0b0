"""Runs the programs that Warpproof writes for NumPy, and puts what they give into told.txt.

    UPDATE_EXPECT=1 cargo test -p warpproof-tests --test told numpy     # writes today's programs (`:`) into told.txt
    python3 -m venv v && v/bin/pip install numpy && v/bin/python told.py   # runs them

A case of told.txt is a formula (`|`), its program (`:`), inputs (`<`) and outputs (`>`): name, type, shape, values.
Only names and shapes are written by hand. tests/tests/told.rs compares the programs, formulas.rs the values.
"""

import math
import os
import numpy as np

rng = np.random.default_rng(11)
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "told.txt")


def shape_of(text):
    return tuple(int(extent) for extent in text.strip("()").split(",") if extent)


def row(mark, name, array):
    array = np.asarray(array)
    shape = ",".join(str(extent) for extent in array.shape)
    kind = "f64" if array.dtype.kind == "f" else "i64"
    return f"{mark} {name} {kind} ({shape}) " + " ".join(repr(float(value)) for value in array.ravel())


cases = []
for case in open(path).read().strip().split("\n\n"):
    lines = case.split("\n")
    program = "\n".join(line[2:] for line in lines if line.startswith(":"))
    values, rows = {}, [line for line in lines if line[0] in "|:"]
    for line in lines:
        if line.startswith("<"):
            _, name, _, shape = line.split(" ")[:4]
            values[name] = rng.integers(1, 25, shape_of(shape)) / 8 * rng.choice([-1, 1], shape_of(shape))
            rows.append(row("<", name, values[name]))
    exec(program, values)
    for line in lines:
        if line.startswith(">"):
            _, name, _, shape = line.split(" ")[:4]
            assert np.shape(values[name]) == shape_of(shape), (name, np.shape(values[name]))
            rows.append(row(">", name, values[name]))
    cases.append("\n".join(rows))
open(path, "w").write("\n\n".join(cases) + "\n")
