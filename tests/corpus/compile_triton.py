#!/usr/bin/env python3
"""Compiles the Triton kernels of the corpus to PTX.

    python3 tests/corpus/compile_triton.py            write every .ptx of the table
    python3 tests/corpus/compile_triton.py matmul     only outputs whose name contains one of the words
    python3 tests/corpus/compile_triton.py --check    write nothing: compile again, compare with the
                                                      committed files, assemble each with ptxas

What it computes: for each row of TABLE, the PTX that Triton makes of a function of
`kernels/triton/kernels.py`, `library.py`, `operators.py` or `in_place.py` for compute capability 8.0, and of
`descriptors.py` for 9.0; a few products of matrices for 10.0.
Why this way: Triton's compiler needs no GPU and no PyTorch. Two releases are pinned, and installed
into .venv-triton-<version> the first time (about 600 MB each): they differ in who stores a warp's
share of a reduction, one lane (3.5) or all lanes (3.9).
Guarantees: the output holds no path of the machine it was made on; `--check` fails if a committed
file differs or ptxas rejects it.
Misses: most debug sections. Triton writes the folder of the source into them, so all are cut but
`.debug_str`, which the lines (`.loc`) refer to.
"""

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "kernels" / "triton"
OLDER, NEWER = "3.5.1", "3.9.0"
# Files beside kernels.py; the names of their outputs begin with theirs.
FILES = ("library.", "operators.", "descriptors.", "in_place.")
# Compute capability, where a row does not say another (`target`).
TARGET = 80

# (name of the output, function, signature by parameter, constants, release of Triton, options).
TABLE: list[tuple[str, str, dict[str, str], dict[str, object], str, dict[str, int]]] = []


def add(output: str, function: str, signature: dict[str, str], constants: dict[str, object],
        release: str = NEWER, **options) -> None:
    TABLE.append((output, function, signature, constants, release, {"num_warps": 4} | options))


def target_of(options: dict[str, int]) -> int:
    return options.get("target", TARGET)


ROW = {"x": "*fp32", "y": "*fp32"}
add("softmax.n128", "softmax", ROW, {"COLUMNS": 128, "BLOCK": 128, "MUTANT": 0}, OLDER)
add("softmax.n128_every_lane_stores", "softmax", ROW, {"COLUMNS": 128, "BLOCK": 128, "MUTANT": 0})
add("softmax.n128_one_warp", "softmax", ROW, {"COLUMNS": 128, "BLOCK": 128, "MUTANT": 0}, num_warps=1)
add("softmax.n100", "softmax", ROW, {"COLUMNS": 100, "BLOCK": 128, "MUTANT": 0}, OLDER)
add("softmax.n1000", "softmax", ROW, {"COLUMNS": 1000, "BLOCK": 1024, "MUTANT": 0}, OLDER)
add("softmax_online.n512", "softmax_online", ROW, {"COLUMNS": 512, "BLOCK": 128, "MUTANT": 0}, OLDER)
for mutant in range(1, 7):
    add(f"softmax.n100_mutant{mutant}", "softmax", ROW, {"COLUMNS": 100, "BLOCK": 128, "MUTANT": mutant}, OLDER)
for mutant in range(1, 6):
    add(f"softmax_online.n64_mutant{mutant}", "softmax_online", ROW,
        {"COLUMNS": 64, "BLOCK": 32, "MUTANT": mutant}, num_warps=1)
for mutant in range(6):
    name = f"_mutant{mutant}" if mutant else ""
    add(f"layer_norm.n100{name}", "layer_norm", ROW | {"w": "*fp32", "b": "*fp32"},
        {"COLUMNS": 100, "BLOCK": 64, "MUTANT": mutant}, OLDER, num_warps=2)
    add(f"rms_norm.n100{name}", "rms_norm", ROW | {"w": "*fp32"},
        {"COLUMNS": 100, "BLOCK": 128, "MUTANT": mutant}, OLDER)
MAP = ROW | {"n": "i32"}
for function, mutants in (("gelu_erf", 5), ("gelu_tanh", 5), ("silu", 5)):
    for mutant in range(mutants + 1):
        add(function + (f".mutant{mutant}" if mutant else ""), function, MAP, {"BLOCK": 256, "MUTANT": mutant})
GATED = {"gate": "*fp32", "up": "*fp32", "y": "*fp32", "n": "i32"}
for mutant in range(6):
    add("swiglu" + (f".mutant{mutant}" if mutant else ""), "swiglu", GATED, {"BLOCK": 256, "MUTANT": mutant})
add("swiglu.half", "swiglu", GATED | {"gate": "*fp16", "up": "*fp16", "y": "*fp16"}, {"BLOCK": 256, "MUTANT": 0})

FLOAT = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
HALF = {"a": "*fp16", "b": "*fp16", "c": "*fp32"}
SMALL = {"M": 32, "N": 32, "K": 64, "BM": 32, "BN": 32, "BK": 16, "MUTANT": 0}
add("matmul.f32", "matmul", FLOAT, SMALL | {"PRECISION": "ieee"}, num_stages=1)
add("matmul.tf32", "matmul", FLOAT, SMALL | {"PRECISION": "tf32"}, num_stages=2)
for stages in (1, 2, 3, 4):
    add(f"matmul.f16_stages{stages}", "matmul", HALF, SMALL | {"PRECISION": "tf32"}, num_stages=stages)
add("matmul.f16_64", "matmul", HALF | {"c": "*fp16"},
    {"M": 128, "N": 128, "K": 256, "BM": 64, "BN": 64, "BK": 32, "PRECISION": "tf32", "MUTANT": 0}, num_stages=3)
TENSOR_MEMORY = {"M": 128, "N": 64, "K": 128, "BM": 128, "BN": 64, "BK": 64, "PRECISION": "tf32", "MUTANT": 0}
for stages in (1, 3):
    add(f"matmul.f16_tensor_memory{stages}", "matmul", HALF, TENSOR_MEMORY, target=100, num_stages=stages)
for mutant in (2, 3):
    add(f"matmul.f16_tensor_memory_mutant{mutant}", "matmul", HALF, TENSOR_MEMORY | {"MUTANT": mutant}, target=100, num_stages=1)
for mutant in range(1, 6):
    add(f"matmul.f16_mutant{mutant}", "matmul", HALF, SMALL | {"PRECISION": "tf32", "MUTANT": mutant}, num_stages=2)

ATTENTION = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "o": "*fp32"}
SIZE = {"KEYS": 32, "DIM": 16, "ROWS": 16, "TILE": 16, "SCALE": 0.25, "CAUSAL": 0, "START": 0, "MUTANT": 0}
CAUSAL = {"CAUSAL": 1, "START": 8}
add("flash.small", "flash", ATTENTION, SIZE, num_warps=1, num_stages=2)
add("flash.small_causal", "flash", ATTENTION, SIZE | CAUSAL, num_warps=1, num_stages=2)
for mutant in (1, 3, 4, 5):
    add(f"flash.small_mutant{mutant}", "flash", ATTENTION, SIZE | {"MUTANT": mutant}, num_warps=1, num_stages=2)
for mutant in (2, 4, 6, 7, 8):
    add(f"flash.small_causal_mutant{mutant}", "flash", ATTENTION, SIZE | CAUSAL | {"MUTANT": mutant}, num_warps=1, num_stages=2)
FULL = {"KEYS": 512, "DIM": 64, "ROWS": 16, "TILE": 64, "SCALE": 0.125}
add("flash.full", "flash", ATTENTION, SIZE | FULL, OLDER, num_warps=4, num_stages=2)
add("flash.full_causal", "flash", ATTENTION, SIZE | FULL | {"CAUSAL": 1, "START": 240}, OLDER, num_warps=4, num_stages=2)
LIBRARY = ("erf", "sin", "cos", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "erfc", "normcdf", "tan", "sinh", "cosh", "asinh", "cbrt", "rcbrt", "round")
for function in LIBRARY:
    add(f"library.{function}", "library", ROW, {"BLOCK": 32, "FUNCTION": function}, num_warps=1)
for function in ("pow", "fmod", "hypot"):
    add(f"library.{function}", "library_of_two", ROW | {"z": "*fp32"}, {"BLOCK": 32, "FUNCTION": function}, num_warps=1)

# A kernel with claims of its author.
for mutant in range(2):
    add(f"claimed{'_mutant1' if mutant else ''}", "claimed", ROW | {"n": "i32"}, {"BLOCK": 128, "MUTANT": mutant})

# Operators of deep learning, for docs/operators.md.
for of in ("negative", "reciprocal", "exp", "sin", "cos", "log", "abs", "rsqrt", "tanh", "relu", "leaky_relu",
           "squared_relu", "gelu", "sigmoid", "silu"):
    add(f"operators.{of}", "elementwise", MAP, {"BLOCK": 256, "OF": of})
for of in ("plus", "minus", "times", "over", "swiglu"):
    add(f"operators.{of}", "elementwise_of_two", {"a": "*fp32", "b": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 256, "OF": of})
add("operators.zeros", "zeros", {"y": "*fp32", "n": "i32"}, {"BLOCK": 256})
add("operators.cat", "cat", {"a": "*fp32", "b": "*fp32", "y": "*fp32"}, {"LEFT": 384, "RIGHT": 640, "BLOCK": 1024})
for of in ("sum", "max"):
    add(f"operators.{of}", "reduce", ROW, {"COLUMNS": 1024, "OF": of})
add("operators.softmax", "softmax", ROW, {"COLUMNS": 1024, "LOG": 0})
add("operators.log_softmax", "softmax", ROW, {"COLUMNS": 1024, "LOG": 1})
add("operators.softmax_online", "softmax_online", ROW, {"COLUMNS": 1024, "BLOCK": 256})
NORM = {"x": "*fp32", "w": "*fp32", "b": "*fp32", "y": "*fp32"}
add("operators.layer_norm", "layer_norm", NORM, {"COLUMNS": 1024})
add("operators.rms_norm", "rms_norm", ROW | {"w": "*fp32"}, {"COLUMNS": 1024})
add("operators.group_norm", "group_norm", NORM, {"CHANNELS": 16, "GROUP": 4, "PIXELS": 256})
for of in ("gelu", "silu"):
    add(f"operators.{of}_and_multiply", "gated", ROW, {"COLUMNS": 512, "OF": of})
add("operators.cross_entropy", "cross_entropy", {"x": "*fp32", "target": "*i64", "loss": "*fp32"}, {"COLUMNS": 1024})
add("operators.rotary", "rotary", ROW | {"cosines": "*fp32", "sines": "*fp32"}, {"DIM": 128})
add("operators.adam", "adam", {"p": "*fp32", "m": "*fp32", "v": "*fp32", "g": "*fp32", "rate": "fp32", "one": "fp32",
                               "two": "fp32", "n": "i32"}, {"BLOCK": 256})
add("operators.softmax_gradient", "softmax_gradient", {"y": "*fp32", "dy": "*fp32", "dx": "*fp32"}, {"COLUMNS": 1024})
add("operators.layer_norm_gradient", "layer_norm_gradient",
    {name: "*fp32" for name in ("x", "w", "mean", "scale", "dy", "dx")}, {"COLUMNS": 1024})
TILED = {"K": 256, "N": 64, "TILE": 64, "STEP": 32}
PACKED = {"a": "*fp16", "scale": "*fp32", "c": "*fp32"}
add("operators.product", "product", HALF, TILED, num_stages=2)
add("operators.product_int8", "product_int8", PACKED | {"b": "*i8"}, TILED, num_stages=2)
add("operators.product_int4", "product_int4", PACKED | {"b": "*u8"}, TILED, num_stages=2)
add("operators.convolution", "convolution", {"x": "*fp16", "w": "*fp16", "y": "*fp32"},
    {"IN": 16, "OUT": 32, "SIDE": 16, "PIXELS": 64}, num_stages=1)
HEAD = {"ROWS": 16, "KEYS": 128, "DIM": 64, "TILE": 64, "SCALE": 0.125}
ONE_HEAD = HEAD | {"CAUSAL": 0, "HEADS": 1}
add("operators.attention", "attention", ATTENTION, ONE_HEAD, num_warps=1, num_stages=2)
add("operators.attention_causal", "attention", ATTENTION, ONE_HEAD | {"ROWS": 64, "KEYS": 64, "TILE": 32, "CAUSAL": 1}, num_stages=1)
add("operators.attention_grouped", "attention", ATTENTION, ONE_HEAD | {"HEADS": 2}, num_warps=1, num_stages=2)
BACKWARD = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "go": "*fp16", "l": "*fp32", "d": "*fp32"}
add("operators.attention_gradient_queries", "attention_gradient_queries", BACKWARD | {"dq": "*fp32"}, HEAD, num_warps=1, num_stages=1)
add("operators.attention_gradient_keys", "attention_gradient_keys", BACKWARD | {"dk": "*fp32", "dv": "*fp32"}, HEAD, num_stages=1)
BOXES = {"x": "tensordesc<fp32[64,32]>", "y": "tensordesc<fp32[64,32]>"}
for mutant in (0, 1):
    name = f"_mutant{mutant}" if mutant else ""
    add(f"descriptors.scaled{name}", "scaled", BOXES, {"ROWS": 64, "COLS": 32, "MUTANT": mutant}, target=90)
    add(f"descriptors.row_sums{name}", "row_sums", {"x": "tensordesc<fp16[32,64]>", "y": "*fp32", "n": "i32"},
        {"ROWS": 32, "COLS": 64, "TILES": 3, "MUTANT": mutant}, target=90, num_stages=2)
ROTARY = {"q": "*fp32", "cosines": "*fp32", "sines": "*fp32"}
for mutant in range(3):
    name = f"_mutant{mutant}" if mutant else ""
    add(f"in_place.rotated{name}", "rotated", ROTARY, {"HEADS": 3, "HALF": 12, "BLOCK": 16, "MUTANT": mutant})
add("in_place.rotated_one_warp", "rotated", ROTARY, {"HEADS": 3, "HALF": 12, "BLOCK": 16, "MUTANT": 0}, num_warps=1)
add("in_place.moved", "moved", {"x": "*fp32"}, {"N": 64}, num_warps=2)
for mutant in (0, 1):
    name = f"_mutant{mutant}" if mutant else ""
    add(f"in_place.ordered{name}", "ordered", {"x": "*fp32"}, {"N": 8, "MUTANT": mutant}, num_warps=1)
add("in_place.largest", "largest", ROW, {"N": 16, "K": 4}, num_warps=1)
for mutant in (0, 1):
    name = f".mutant{mutant}" if mutant else ""
    add(f"clamped{name}", "clamped", MAP, {"BLOCK": 64, "MUTANT": mutant}, target=90)
    add(f"gate{name}", "gate", {"x": "*fp32", "weight": "*fp32", "expert": "*i32"}, {"EXPERTS": 4, "MUTANT": mutant}, num_warps=1)
add("descriptors.added", "added", BOXES, {"ROWS": 64, "COLS": 32}, target=90)
add("descriptors.made", "made", {"x": "*fp32", "y": "*fp32", "m": "i32", "n": "i32"}, {"ROWS": 64, "COLS": 32}, target=90)


def python_with(release: str) -> Path:
    """A Python that has this release of Triton."""
    folder = HERE / f".venv-triton-{release}"
    stamp = folder / "wheels.txt"
    if not stamp.exists():
        print(f"installing Triton {release} from PyPI into {folder} (about 600 MB, once)", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", f"triton=={release}", "setuptools"], check=True)
        stamp.write_text(release)
    return folder / "bin" / "python"


def make(row) -> str:
    """The text of one .ptx file."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    sys.path.insert(0, str(FOLDER))
    output, function, signature, constants, release, options = row
    assert triton.__version__ == release
    file = importlib.import_module(output.split(".")[0] if output.startswith(FILES) else "kernels")
    kernel = getattr(file, function)
    types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    # Pointers and sizes are multiples of 16, as Triton finds them at run time.
    positions = {(i,): [["tt.divisibility", 16]] for i, t in enumerate(types.values()) if t.startswith("*")}
    source = ASTSource(kernel, types, constexprs=constants, attrs=positions)
    target = GPUTarget("cuda", target_of(options), 32)
    compiled = triton.compile(source, target=target, options={k: v for k, v in options.items() if k != "target"})
    ptx = compiled.asm["ptx"]
    ptx = re.sub(r"^\t\.section\t\.debug_(?!str)\w+\n\t\{\n.*?^\t\}\n", "", ptx, flags=re.M | re.S)
    ptx = ptx.replace(f'"{FOLDER}/', '"triton/')
    ptx = re.sub(r'"/[^"\n]*/(triton/[^"\n]*\.py)"', r'"\1"', ptx)  # the library's own files
    numbers = re.findall(r"^\.b8 (\d+)", ptx, re.M)
    if any(str(path) in text for path in (HERE, Path.home()) for text in (ptx, "".join(chr(int(n)) for n in numbers))):
        raise SystemExit(f"{output}: holds a path of this machine")
    constants = " ".join(f"{name}={value}" for name, value in (constants | options).items())
    return (f"// triton/{file.__name__}.py: {function}, Triton {release}, {constants}; "
            f"{compiled.metadata.shared} bytes of dynamic shared memory\n"
            f"// python3 tests/corpus/compile_triton.py {output}\n") + ptx.rstrip() + "\n"


def assemble(path: Path, target: int) -> str | None:
    """What Triton's ptxas has against the file, or None."""
    import triton

    found = list(Path(triton.__file__).parent.rglob("bin/ptxas"))
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([found[0], f"-arch=sm_{target}a" if target >= 90 else f"-arch=sm_{target}", "-o", f"{folder}/x", path], capture_output=True, text=True)
    return None if run.returncode == 0 else run.stderr.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only outputs whose name contains one of these")
    parser.add_argument("--check", action="store_true", help="compare and assemble, write nothing")
    parser.add_argument("--release", help=argparse.SUPPRESS)  # the environment this runs in
    arguments = parser.parse_args()
    if not arguments.release:
        # Multiplications and additions are fused, as Triton does unless told otherwise.
        environment = os.environ | {"TRITON_DEFAULT_FP_FUSION": "1"}
        faults = 0
        for release in (OLDER, NEWER):
            command = [python_with(release), __file__, "--release", release, *sys.argv[1:]]
            faults |= subprocess.run(command, env=environment).returncode
        sys.exit(faults)
    rows = [row for row in TABLE if row[4] == arguments.release]
    rows = [row for row in rows if not arguments.words or any(w in row[0] for w in arguments.words)]
    faults = 0
    for row in rows:
        path = FOLDER / f"{row[0]}.ptx"
        ptx = make(row)
        if not arguments.check:
            path.write_text(ptx)
            continue
        same = path.exists() and path.read_text() == ptx
        complaint = assemble(path, target_of(row[5])) if same else "differs from the committed file"
        if complaint:
            faults += 1
            print(f"{row[0]}: {complaint}")
    if not arguments.words:
        for path in sorted(set(FOLDER.glob("*.ptx")) - {FOLDER / f"{row[0]}.ptx" for row in TABLE}):
            if "compile_triton.py" not in path.read_text()[:500]:
                continue
            faults += 1
            print(f"{path.name}: not in the table")
    print(f"{len(rows)} builds {'checked' if arguments.check else 'written'}, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
