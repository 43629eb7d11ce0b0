#!/usr/bin/env python3
"""One peer on one file of exported verification conditions: `decide.py ENGINE FILE`.

What it computes: whether SymPy, SymEngine or Z3 shows every pair of expressions in FILE equal
(`warpproof check … --export sympy`, for Z3 `--export smt2`), and how long each stage takes.
Why this way: each engine is asked as someone who knows it would. SymPy and SymEngine get
exponentials as products of powers, which leaves rational functions and suits them better than their
own `exp`; they expand the difference of a pair, and where that is not 0, its numerator over a common
denominator. Z3 gets the file with maxima and minima left open: with their definition it is lost in
cases at four elements, and `unsat` proves the same without.
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


def products_of_powers(names):
    """`e^(a + c·b)` as `A · B^c` over a positive symbol for each summand, so that what is left are
    rational functions."""
    expand, integer, symbol = names["expand"], names["Integer"], names["Symbol"]
    bases = {}

    def exponential(argument):
        argument = expand(argument)
        product = integer(1)
        for summand in argument.args if type(argument).__name__ == "Add" else (argument,):
            coefficient, rest = integer(1), summand
            if type(summand).__name__ == "Mul" and summand.args[0].is_Number:
                coefficient = summand.args[0]
                rest = summand / coefficient
            if rest == 0:
                continue
            base = bases.setdefault(rest, None) or symbol(f"e^{len(bases)}", positive=True)
            bases[rest] = base
            product *= base**coefficient
        return product

    return exponential


def numerator(difference, engine: str, expand):
    """The expanded numerator over a common denominator. SymEngine joins one level of quotients at a
    time, so it is asked until nothing changes."""
    if engine == "sympy":
        from sympy import fraction, together

        return expand(fraction(together(difference))[0])
    while True:
        above = expand(difference.as_numer_denom()[0])
        if above == 0 or above == difference:
            return above
        difference = above


def algebra(engine: str, path: str) -> None:
    begun = time.perf_counter()
    text = open(path).read().replace("from sympy import", f"from {engine} import", 1)
    __import__(engine)
    # Elements and steps stand behind the import.
    at = text.index("\n", text.index("tanh,\n)")) + 2
    code = {"head": compile(text[:at], path, "exec"), "body": compile(text[at:], path, "exec")}
    say("read", begun)
    begun = time.perf_counter()
    names = {"__name__": "conditions"}
    exec(code["head"], names)
    names["exp"] = products_of_powers(names)
    exec(code["body"], names)
    say("build", begun)
    begun = time.perf_counter()
    pairs, expand = names["pairs"], names["expand"]
    equal = all(
        expand(f - g) == 0 or numerator(f - g, engine, expand) == 0 for _, f, g in pairs
    )  # one pair that is not shown is enough not to know
    say("decide", begun, answer="equal" if equal else "not shown", pairs=len(pairs))


def z3(path: str) -> None:
    import z3 as engine

    begun = time.perf_counter()
    text = open(path).read()
    text = re.sub(r"\(define-fun (real\.(?:max|min)) \(\(a Real\) \(b Real\)\) Real .*\)",
                  r"(declare-fun \1 (Real Real) Real)", text)
    solver = engine.Solver()
    solver.from_string(text)
    say("read", begun)
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


if __name__ == "__main__":
    main()
