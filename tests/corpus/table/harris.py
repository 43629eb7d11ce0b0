"""Builds of Harris's seven reductions, and of the last three repaired."""

from .build import add

SOURCE = "harris/reduce.cu"
REPAIRS = {0: "", 1: "_syncwarp", 2: "_shuffle"}


def version(number: int, n: int, repair: int = 0, mutant: int = 0) -> None:
    """One version for n values; the last one reads 2 * 2 values per thread where n allows."""
    tag = f"v{number}{REPAIRS[repair]}" + ("" if n == 128 else f"_n{n}") + (f"_mutant{mutant}" if mutant else "")
    defines = {"VERSION": number, "N": n}
    if number == 7:
        defines["ROUNDS"] = 1 if n == 128 else 2
    if repair:
        defines["REPAIR"] = repair
    if mutant:
        defines["MUTANT"] = mutant
    add(SOURCE, tag, defines=defines, lines=bool(mutant) or (number > 4 and not repair))


for number in range(8):
    version(number, 128)
for n in (256, 512):
    version(1, n)
for number, wide in ((5, 256), (6, 256), (7, 512)):
    version(number, wide)
    for repair in (1, 2):
        version(number, 128, repair)
        version(number, wide, repair)

# (version, repair, values): the faults
MUTANTS = {
    (1, 0, 128): (4, 5, 6, 7, 40, 41, 42),
    (2, 0, 128): (4, 5, 6, 7, 8, 9, 40, 41, 42),
    (3, 0, 128): (4, 5, 6, 7, 8, 9, 40, 41, 42),
    (4, 0, 128): (1, 2, 3, 5, 6, 7, 9, 40, 41),
    (5, 1, 128): (1, 5, 10, 11, 12, 13, 14, 15, 16),
    (5, 1, 256): (4, 8, 9, 40),
    (5, 2, 128): (3, 5, 20, 21, 22, 23, 24, 25, 43),
    (6, 1, 128): (2, 10, 11),
    (6, 1, 256): (30, 31, 32),
    (6, 2, 128): (20, 21, 25),
    (6, 2, 256): (30, 31, 32),
    (7, 1, 512): (1, 2, 3, 4, 11, 31),
    (7, 2, 512): (1, 2, 4, 22, 31),
}
for (number, repair, n), mutants in MUTANTS.items():
    for mutant in mutants:
        version(number, n, repair, mutant)
