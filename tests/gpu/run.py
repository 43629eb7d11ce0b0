"""Runs the corpus on a real GPU and writes what the kernels computed.

    python3 tests/gpu/run.py OUT.json [case ...]

For every case that launches safely (equivalent, not_equivalent, race_free) each kernel runs on
the same random small inputs; the result lists inputs and outputs as raw bits, and says how far
apart the two kernels' outputs are. `cargo run -p warpproof-tests --bin replay OUT.json` then runs
the simulator on the same inputs and compares. Needs only Python 3.11 and the CUDA driver.
"""

import ctypes
import json
import random
import re
import struct
import sys
import tomllib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
CODE = {"f64": "d", "f32": "f", "f16": "e", "s64": "q", "s32": "i", "s16": "h", "s8": "b",
        "u64": "Q", "u32": "I", "u16": "H", "u8": "B", "b64": "Q", "b32": "I", "b16": "H", "b8": "B"}

cuda = ctypes.CDLL("libcuda.so.1")


class CudaError(Exception):
    pass


def call(name, *args):
    status = getattr(cuda, name)(*args)
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise CudaError(f"{name}: {text.value.decode() if text.value else status}")


def parameters(ptx, entry):
    """Sizes of the entry's parameters, in bytes, and whether they are floats."""
    body = re.search(r"\.entry\s+" + re.escape(entry) + r"\s*\((.*?)\)", ptx, re.S)
    found = []
    for text in body.group(1).split(",") if body else []:
        if ".param" not in text:
            continue
        array = re.search(r"\.b8\s+\S+\[(\d+)\]", text)
        kind = re.search(r"\.(u|s|b|f)(8|16|32|64)\b", text)
        found.append((int(array.group(1)) if array else int(kind.group(2)) // 8, bool(kind and kind.group(1) == "f")))
    return found


def entry_of(ptx, side):
    return side.get("entry") or re.search(r"\.entry\s+([\w$]+)", ptx).group(1)


def flat(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def values(tensor, dice):
    count = flat(tensor["shape"])
    contents = tensor.get("contents")
    if contents == "iota":
        return list(range(count))
    if isinstance(contents, list):
        return (contents + contents[-1:] * count)[:count]
    if contents is not None:
        return [contents] * count
    kind = tensor["type"]
    if kind.startswith("f"):
        return [dice.randrange(-24, 25) / 8 for _ in range(count)]
    return [dice.randrange(0 if kind[0] in "ub" else -9, 10) for _ in range(count)]


def pack(kind, numbers):
    code = CODE[kind]
    cast = float if kind.startswith("f") else int
    return struct.pack(f"<{len(numbers)}{code}", *[cast(number) for number in numbers])


def argument_bytes(argument, size, is_float, spec, pointers, scalars):
    """The bytes of one parameter."""
    if isinstance(argument, dict) and "fields" in argument:
        block = bytearray(size)
        for offset, field in argument["fields"]:
            if isinstance(field, str) and field in spec.get("tensors", {}):
                part = struct.pack("<Q", pointers[(field, None)])
            else:
                number = scalars[field] if isinstance(field, str) else field
                declared = spec.get("scalars", {}).get(field) if isinstance(field, str) else None
                real = isinstance(declared, dict) or isinstance(number, float)
                part = struct.pack("<f", number) if real else struct.pack("<i", number)
            block[offset:offset + len(part)] = part
        return bytes(block)
    if isinstance(argument, dict):
        kind = argument.get("type")
        address = pointers[(argument["tensor"], kind)]
        bytes_each = struct.calcsize(CODE[kind or spec["tensors"][argument["tensor"]]["type"]])
        return struct.pack("<Q", address + argument.get("offset", 0) * bytes_each)
    if isinstance(argument, str) and argument in spec.get("tensors", {}):
        return struct.pack("<Q", pointers[(argument, None)])
    number = scalars[argument] if isinstance(argument, str) else argument
    if is_float or isinstance(number, float):
        return struct.pack("<d" if size == 8 else "<f", number)
    return struct.pack("<q", number)[:size]


def launch(case, spec, side, contents, scalars):
    ptx = (case.parent / side["ptx"]).read_text()
    entry = entry_of(ptx, side)
    common = {**spec.get("launch", {}), **{key: side[key] for key in ("grid", "block", "dynamic_shared") if key in side}}
    grid, block = common.get("grid", [1, 1, 1]), common["block"]
    # A run of some CTAs stands for those only: the grid on the device must be just them.
    ctas = common.get("ctas", [[0, 0, 0]])
    if ctas != "all" and flat(grid) != len(ctas):
        raise CudaError("runs a part of its grid")
    pad = lambda extents: (list(extents) + [1, 1, 1])[:3]
    arguments = side.get("args") or side.get("arguments")
    if arguments is None:
        raise CudaError("relies on inferred arguments")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
    call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    pointers, kinds = {}, {}
    try:
        for argument in arguments:
            inner = [field for _, field in argument["fields"]] if isinstance(argument, dict) and "fields" in argument else [argument]
            for one in inner:
                name, kind = (one["tensor"], one.get("type")) if isinstance(one, dict) else (one, None)
                if name in spec.get("tensors", {}) and (name, kind) not in pointers:
                    stored = kind or spec["tensors"][name]["type"]
                    data = pack(stored, contents[name])
                    address = ctypes.c_uint64()
                    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 4)))
                    call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
                    pointers[(name, kind)] = address.value
                    kinds[name] = stored
        sizes = parameters(ptx, entry)
        blocks = [
            ctypes.create_string_buffer(argument_bytes(argument, size, is_float, spec, pointers, scalars), size)
            for argument, (size, is_float) in zip(arguments, sizes, strict=True)
        ]
        table = (ctypes.c_void_p * max(len(blocks), 1))(*[ctypes.addressof(one) for one in blocks])
        shared = common.get("dynamic_shared", 0)
        if shared > 48 << 10:
            call("cuFuncSetAttribute", function, 8, shared)
        call("cuLaunchKernel", function, *pad(grid), *pad(block), shared, None, table, None)
        call("cuCtxSynchronize")
        outputs = {}
        for (name, kind), address in pointers.items():
            if spec["tensors"][name].get("role", "inout") == "in":
                continue
            size = struct.calcsize(CODE[kinds[name]]) * flat(spec["tensors"][name]["shape"])
            data = ctypes.create_string_buffer(size)
            call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
            numbers = struct.unpack(f"<{flat(spec['tensors'][name]['shape'])}{CODE[kinds[name]]}", data.raw)
            outputs[name] = {"type": kinds[name], "values": [repr(number) for number in numbers]}
        return {"entry": entry, "outputs": outputs}
    finally:
        for address in pointers.values():
            call("cuMemFree_v2", ctypes.c_uint64(address))
        call("cuModuleUnload", module)


def distance(one, two):
    """The largest relative difference of two kernels' outputs."""
    worst = 0.0
    for name in one:
        if name not in two:
            continue
        for a, b in zip(one[name]["values"], two[name]["values"]):
            a, b = float(a), float(b)
            if a != b:
                worst = max(worst, abs(a - b) / max(1.0, abs(a), abs(b)) if a - b == a - b else float("inf"))
    return worst


def main():
    out, chosen = Path(sys.argv[1]), sys.argv[2:]
    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    results = []
    for folder in ("equivalent", "not_equivalent", "race_free"):
        for case in sorted((CORPUS / folder).rglob("*.toml")):
            name = str(case.relative_to(CORPUS))
            if chosen and not any(part in name for part in chosen):
                continue
            spec = tomllib.loads(case.read_text())
            result = {"case": name, "kernels": {}}
            results.append(result)
            dice = random.Random(name)
            try:
                contents = {tensor: values(facts, dice) for tensor, facts in spec.get("tensors", {}).items()}
            except KeyError as missing:
                result["skipped"] = f"the spec leaves out {missing}"
                continue
            scalars = {scalar: (dice.randrange(1, 17) / 8 if isinstance(value, dict) else value)
                       for scalar, value in spec.get("scalars", {}).items()}
            result["inputs"] = {tensor: [repr(number) for number in numbers] for tensor, numbers in contents.items()}
            result["scalars"] = {scalar: repr(number) for scalar, number in scalars.items()}
            for side in ("reference", "optimized"):
                if "ptx" not in spec.get(side, {}):
                    continue
                try:
                    result["kernels"][side] = launch(case, spec, spec[side], contents, scalars)
                except CudaError as error:
                    result.setdefault("skipped", f"{side}: {error}")
                    if "address" in str(error) or "launch" in str(error):
                        print("STOP", name, error)
                        out.write_text(json.dumps(results))
                        sys.exit(1)
            if len(result["kernels"]) == 2:
                pair = [result["kernels"][side]["outputs"] for side in ("reference", "optimized")]
                result["distance"] = distance(*pair)
                wrong = (folder == "equivalent") != (result["distance"] < 1e-2)
                if wrong:
                    print("CHECK", name, result["distance"])
    out.write_text(json.dumps(results))
    ran = sum(1 for result in results if result["kernels"])
    print(f"{ran} cases ran, {sum(1 for result in results if 'skipped' in result)} skipped wholly or in part")
    for result in results:
        if "skipped" in result:
            print("  skipped", result["case"], result["skipped"])


main()
