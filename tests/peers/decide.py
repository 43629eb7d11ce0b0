#!/usr/bin/env python3
"""One peer on one file of exported verification conditions: `decide.py ENGINE FILE`.

What it computes: whether SymPy, SymEngine or Z3 shows every pair of expressions in FILE equal
(`warpproof check … --export sympy`, for Z3 `--export smt2`), and how long each stage takes.
Why this way: each engine is asked as someone who knows it would. SymPy and SymEngine expand the
difference of a pair; where that is not 0, the numerator of the difference over a common
denominator, with exponents expanded. Z3 gets the file with maxima and minima left open: with their
definition it is lost in cases at four elements, and `unsat` proves the same without.
Guarantees: a pair counts as equal only if the engine says so; stages are printed as they end, one
JSON object a line, so that whoever ends this process knows how far it came.
Misses: better questions than these; a certificate that the engine is right.
"""

import json
import re
import resource
import sys
import time

MEMORY = 12 << 30  # beyond it an engine ends with MemoryError instead of troubling the machine


def say(stage: str, begun: float, **more) -> None:
    print(json.dumps({"stage": stage, "seconds": time.perf_counter() - begun, **more}), flush=True)


def build(code, engine: str, expanded: bool) -> dict:
    """The names of the program, built by the engine."""
    names = {"__name__": "conditions"}
    exec(code["head"], names)
    if expanded:
        exponential, expand = names["exp"], names["expand"]
        names["exp"] = lambda argument: exponential(expand(argument))
    exec(code["body"], names)
    return names


def numerator(difference, engine: str):
    if engine == "sympy":
        from sympy import fraction, together

        return fraction(together(difference))[0]
    return difference.as_numer_denom()[0]


def algebra(engine: str, path: str) -> None:
    begun = time.perf_counter()
    text = open(path).read().replace("from sympy import", f"from {engine} import", 1)
    __import__(engine)
    # Elements and steps stand behind the import.
    at = text.index("\n", text.index("tanh,\n)")) + 2
    code = {"head": compile(text[:at], path, "exec"), "body": compile(text[at:], path, "exec")}
    say("read", begun)
    begun = time.perf_counter()
    names = build(code, engine, expanded=False)
    say("build", begun)
    begun = time.perf_counter()
    pairs, expand = names["pairs"], names["expand"]
    rest = [at for at, (_, f, g) in enumerate(pairs) if expand(f - g) != 0]
    shown = len(pairs) - len(rest)
    if rest:
        pairs = build(code, engine, expanded=True)["pairs"]
        for at in rest:
            _, f, g = pairs[at]
            if expand(numerator(f - g, engine)) != 0:
                break  # one pair is enough not to know
            shown += 1
    say("decide", begun, answer="equal" if shown == len(pairs) else "not shown", pairs=len(pairs))


def z3(path: str) -> None:
    import z3 as engine

    begun = time.perf_counter()
    text = open(path).read()
    text = re.sub(r"\(define-fun (real\.(?:max|min)) \(\(a Real\) \(b Real\)\) Real .*\)",
                  r"(declare-fun \1 (Real Real) Real)", text)
    solver = engine.Solver()
    solver.from_string(text)
    say("read", begun)
    say("build", time.perf_counter())
    begun = time.perf_counter()
    answer = {"unsat": "equal", "sat": "not shown"}.get(str(solver.check()), "unknown")
    say("decide", begun, answer=answer)


def main() -> None:
    engine, path = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(100_000)
    try:
        z3(path) if engine == "z3" else algebra(engine, path)
    except (MemoryError, RecursionError) as error:
        say("failed", time.perf_counter(), answer=type(error).__name__)


main()
