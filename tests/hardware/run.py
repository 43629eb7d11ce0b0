"""Executes jobs on a GPU through the driver API. Needs Python 3 and NVIDIA's driver, nothing else.

    python3 run.py FOLDER

FOLDER has a folder for each job (crate `warpproof-tests`, agreement/hardware.rs says what is in it). The
driver compiles the very PTX. What comes out is written beside it: `0.out`, `1.out`, ...,
`refused.txt` if the driver does not take it, `failed.txt` if it does not end well.

A job that breaks the context (an address out of range) or takes more than PATIENCE seconds costs its
process: the next one begins behind it.
"""

import ctypes
import os
import select
import subprocess
import sys

PATIENCE = 60
LOG_BYTES = 8192
REFUSED, FAILED = "refused.txt", "failed.txt"

# Of cuda.h.
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6
MAX_DYNAMIC_SHARED = 8
CLUSTER = 4
# Elements of tensor maps: by their types, and of those that it does not know, by their bytes.
TYPES = {"u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11}
UNSIGNED = {1: 0, 2: 1, 4: 2, 8: 4}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
MAP = 128


class Attribute(ctypes.Structure):
    """Of a launch: the shape of a cluster."""

    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Launch(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    ]


class Refused(Exception):
    """The driver does not take a job; the context is as good as before."""


class Driver:
    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            sys.exit("libcuda.so.1 is missing: this needs a machine with an NVIDIA GPU and its driver")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name = f"{name.value.decode()}, driver for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def status(self, function, *arguments):
        return getattr(self.library, function)(*arguments)

    def call(self, function, *arguments):
        status = self.status(function, *arguments)
        if status != 0:
            raise RuntimeError(f"{function}: {self.error(status)}")

    def error(self, status):
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(status, ctypes.byref(text))
        return text.value.decode() if text.value else status

    def module(self, ptx):
        log = ctypes.create_string_buffer(LOG_BYTES)
        options = (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), LOG_BYTES)
        module = ctypes.c_void_p()
        status = self.status("cuModuleLoadDataEx", ctypes.byref(module), ptx + b"\0", 2, options, values)
        if status != 0:
            raise Refused(log.value.decode(errors="replace").strip() or f"cuModuleLoadDataEx: {status}")
        return module

    def run(self, folder):
        job = read_job(folder)
        with open(os.path.join(folder, "kernel.ptx"), "rb") as file:
            module = self.module(file.read())
        function = ctypes.c_void_p()
        if self.status("cuModuleGetFunction", ctypes.byref(function), module, job["entry"].encode()) != 0:
            raise Refused(f"no entry {job['entry']}")
        if job["shared"] > 0:
            status = self.status("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, ctypes.c_int(job["shared"]))
            if status != 0:
                raise Refused(f"{job['shared']} bytes of dynamic shared memory")
        places = []
        for image in job["images"]:
            place = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(1, len(image))))
            self.call("cuMemcpyHtoD_v2", place, image, ctypes.c_size_t(len(image)))
            places.append(place)
        parameters = bytearray(job["parameters"])
        for at, tensor, offset in job["pointers"]:
            parameters[at : at + 8] = (places[tensor].value + offset).to_bytes(8, "little")
        maps = [self.tensor_map(places[int(words[0])].value, words) for words in job["maps"]]
        for at, first, count in job["mapped"]:
            described = b"".join(maps[first : first + max(1, count)])
            if count == 0:
                parameters[at : at + MAP] = described
            else:
                place = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(len(described)))
                self.call("cuMemcpyHtoD_v2", place, described, ctypes.c_size_t(len(described)))
                parameters[at : at + 8] = place.value.to_bytes(8, "little")
        # One by one: in one piece, those that are aligned to more than 16 bytes are not found.
        pieces = [bytes(parameters[at : at + count]) for at, count in job["pieces"]]
        kept = [ctypes.create_string_buffer(piece, max(1, len(piece))) for piece in pieces]
        pointers = (ctypes.c_void_p * max(1, len(kept)))(*(ctypes.addressof(piece) for piece in kept))
        launch = Launch(tuple(job["grid"]), tuple(job["block"]), job["shared"], None, None, 0)
        if job["cluster"] != [1, 1, 1]:
            launch.attributes = ctypes.pointer(Attribute(CLUSTER, 0, tuple(job["cluster"])))
            launch.count = 1
        status = self.status("cuLaunchKernelEx", ctypes.byref(launch), function, pointers, None)
        if status != 0:
            raise Refused(f"cuLaunchKernelEx: {self.error(status)}")
        self.call("cuCtxSynchronize")
        for at, (place, image) in enumerate(zip(places, job["images"])):
            after = ctypes.create_string_buffer(max(1, len(image)))
            self.call("cuMemcpyDtoH_v2", after, place, ctypes.c_size_t(len(image)))
            with open(os.path.join(folder, f"{at}.out"), "wb") as file:
                file.write(after.raw[: len(image)])
            self.call("cuMemFree_v2", place)
        self.call("cuModuleUnload", module)


    def tensor_map(self, place, words):
        """The 128 bytes that say how a tensor at `place` is cut into boxes; the words are those of a line `map`."""
        _, offset, name, width, swizzle, *numbers = words
        sizes, strides, box, steps = (
            [int(number) for number in numbers[at :: 4]] for at in range(4)
        )
        rank = len(sizes)
        store = ctypes.create_string_buffer(2 * MAP)
        aligned = ctypes.addressof(store) + -ctypes.addressof(store) % MAP
        status = self.status(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(aligned),
            TYPES.get(name, UNSIGNED[int(width)]),
            rank,
            ctypes.c_uint64(place + int(offset)),
            (ctypes.c_uint64 * rank)(*sizes),
            (ctypes.c_uint64 * rank)(*strides[1:]),
            (ctypes.c_uint32 * rank)(*box),
            (ctypes.c_uint32 * rank)(*steps),
            0,
            SWIZZLES[swizzle],
            0,
            0,
        )
        if status != 0:
            raise Refused(f"cuTensorMapEncodeTiled: {self.error(status)}")
        return ctypes.string_at(aligned, MAP)


def read_job(folder):
    job = {"pieces": [], "pointers": [], "maps": [], "mapped": [], "images": [], "parameters": b""}
    with open(os.path.join(folder, "job.txt"), encoding="utf-8") as file:
        for line in file:
            fact, _, rest = line.rstrip("\n").partition(" ")
            if fact == "entry":
                job[fact] = rest
            elif fact == "parameters":
                job[fact] = bytes.fromhex(rest)
            elif fact == "pointer":
                job["pointers"].append([int(number) for number in rest.split()])
            elif fact == "parameter":
                job["pieces"].append([int(number) for number in rest.split()])
            elif fact == "map":
                job["maps"].append(rest.split())
            elif fact == "mapped":
                job["mapped"].append([int(number) for number in rest.split()])
            elif fact == "shared":
                job[fact] = int(rest)
            else:
                job[fact] = [int(number) for number in rest.split()]
    while os.path.exists(path := os.path.join(folder, f"{len(job['images'])}.in")):
        with open(path, "rb") as file:
            job["images"].append(file.read())
    return job


def note(folder, name, why):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(why.strip() + "\n")


def work(folders):
    """Executes jobs and says after each that it is done; ends at the first that breaks the context."""
    driver = Driver()
    print(f"on {driver.name}", flush=True)
    for folder in folders:
        try:
            driver.run(folder)
        except Refused as why:
            note(folder, REFUSED, str(why))
        print("done", flush=True)


def main(root):
    if not os.path.isdir(root):
        sys.exit(f"there is no folder {root}")
    folders = sorted(entry.path for entry in os.scandir(root) if entry.is_dir())
    for folder in folders:
        for name in os.listdir(folder):
            if name.endswith(".out") or name in (REFUSED, FAILED):
                os.remove(os.path.join(folder, name))
    at, said = 0, False
    while at < len(folders):
        process = subprocess.Popen(
            [sys.executable, __file__, "--work", *folders[at:]],
            bufsize=0,  # what has come is seen at once
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        why = None
        while why is None:
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
            line = process.stdout.readline().decode() if ready else None
            if line is None:
                why = f"no end within {PATIENCE} s"
            elif line == "done\n":
                at += 1
            elif line != "":
                if not said:
                    print(line.strip(), flush=True)
                said = True
            else:
                why = ""
        process.kill()
        errors = process.stderr.read().decode(errors="replace").strip()
        process.wait()
        if not said:
            sys.exit(errors or why)
        if at < len(folders):
            note(folders[at], FAILED, why or (errors or "its process ended").splitlines()[-1])
            at += 1
    refused, failed = (
        sum(os.path.exists(os.path.join(folder, name)) for folder in folders) for name in (REFUSED, FAILED)
    )
    print(f"{len(folders)} jobs, {refused} refused, {failed} failed")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--work":
        work(sys.argv[2:])
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        sys.exit(__doc__)
