#!/usr/bin/env python3
"""Compares this tool's verdicts with SymPy, SymEngine and Z3: `agree.py FOLDER`.

What it computes: for every question in FOLDER/list.tsv, what each engine says of the exported
conditions, and whether that contradicts the verdict beside it. A contradiction is: an engine proves
equal what is called different; or, of what is called equal, SymPy's numbers (50 digits, at random
points) differ, or Z3 has a counterexample that these numbers confirm.
Why this way: the engines prove less than the tool does, so silence is no contradiction; numbers
refute without proving.
Guarantees: each question has its own process and time, so one that hangs costs that much. Misses:
engines that share a mistake; pairs that differ where no point lies.
"""

import json
import multiprocessing
import random
import re
import sys
import time
from pathlib import Path

import decide

SECONDS = 10
POINTS = 12


def load(path: Path, engine: str):
    """The names of an exported program: `pairs`, and the elements as symbols."""
    text = path.read_text().replace("from sympy import", f"from {engine} import", 1)
    at = text.index("\n", text.index("tanh,\n)")) + 2
    names = {"__name__": "conditions"}
    exec(compile(text[:at], str(path), "exec"), names)
    return names, compile(text[at:], str(path), "exec")


def proves(path: Path, engine: str) -> str:
    names, body = load(path, engine)
    names["exp"] = decide.products_of_powers(names)
    exec(body, names)
    expand = names["expand"]
    equal = all(
        expand(f - g) == 0 or decide.numerator(f - g, engine, expand) == 0 for _, f, g in names["pairs"]
    )
    return "equal" if equal else "silent"


def number(expression, point):
    """The value with 50 digits; None where there is none."""
    value = expression.subs(point).evalf(50, maxn=400)
    return value if value.is_number and value.is_real and value.is_finite else None


def apart(f, g, point) -> bool:
    a, b = number(f, point), number(g, point)
    return a is not None and b is not None and abs(a - b) > 1e-25 * (1 + abs(a) + abs(b))


def numbers(path: Path) -> str:
    names, body = load(path, "sympy")
    exec(body, names)
    dice = random.Random(path.name)
    from sympy import Rational

    seen = False
    for _ in range(POINTS):
        for _, f, g in names["pairs"]:
            symbols = sorted(f.free_symbols | g.free_symbols, key=str)
            scale = dice.choice([1, 2, 8])
            point = {s: Rational(dice.randint(-24, 24), scale * 2) for s in symbols}
            if apart(f, g, point):
                return "different"
            seen = seen or number(f, point) is not None
    return "agree" if seen else "silent"


def z3(path: Path, exact: bool) -> str:
    import z3 as engine

    text = path.read_text()
    if not exact:
        text = re.sub(r"\(define-fun (real\.(?:max|min)) \(\(a Real\) \(b Real\)\) Real .*\)",
                      r"(declare-fun \1 (Real Real) Real)", text)
    solver = engine.Solver()
    solver.set("timeout", SECONDS * 400)
    solver.from_string(text)
    answer = str(solver.check())
    if answer == "unsat":
        return "equal"
    # Only where every function has its meaning is a model one of the question's.
    functions = [d for d in solver.model().decls() if d.arity() > 0] if answer == "sat" else []
    if answer != "sat" or functions or not exact:
        return "silent"
    return "model " + json.dumps({d.name(): str(solver.model()[d]) for d in solver.model().decls()})


def confirmed(path: Path, model: str) -> str:
    """Z3 gives any value to a quotient by zero; SymPy's numbers decide."""
    from sympy import Rational

    names, body = load(path, "sympy")
    exec(body, names)
    values = json.loads(model.removeprefix("model "))
    for _, f, g in names["pairs"]:
        point = {}
        for symbol in f.free_symbols | g.free_symbols:
            text = values.get(str(symbol), "0")
            if not re.fullmatch(r"-?\d+(/\d+)?", text):
                return "silent"
            point[symbol] = Rational(text)
        if apart(f, g, point):
            return "different"
    return "silent"


def ask(question, *arguments) -> str:
    """The answer of a function, from a process of its own that has so much time."""
    receiver, sender = multiprocessing.Pipe(False)

    def run():
        decide.resource.setrlimit(decide.resource.RLIMIT_AS, (4 << 30, 4 << 30))
        sys.setrecursionlimit(100_000)
        try:
            sender.send(question(*arguments))
        except (MemoryError, RecursionError, ZeroDivisionError, OverflowError, ArithmeticError) as error:
            sender.send(type(error).__name__)
        except Exception as error:  # an engine's own complaint is no verdict
            sender.send(f"error {type(error).__name__}: {str(error)[:80]}")

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    answer = receiver.recv() if receiver.poll(SECONDS) else "over"
    process.kill()
    process.join()
    return answer


def main() -> None:
    import symengine  # noqa: F401 (loaded once, for all processes)
    import sympy  # noqa: F401
    import z3 as engine  # noqa: F401

    folder = Path(sys.argv[1])
    until = time.monotonic() + float(sys.argv[2]) if len(sys.argv) > 2 else None
    counts: dict[str, dict[str, int]] = {}
    wrong = []
    asked = 0
    for line in (folder / "list.tsv").read_text().splitlines():
        if until and time.monotonic() > until:
            break
        name, verdict, text = line.split("\t")
        program, script = folder / f"{name}.py", folder / f"{name}.smt2"
        answers = {}
        if program.exists():
            answers["SymEngine"] = ask(proves, program, "symengine")
            answers["SymPy"] = ask(proves, program, "sympy")
            answers["numbers"] = ask(numbers, program)
        if script.exists():
            answers["Z3"] = ask(z3, script, False)
            if answers["Z3"] != "equal":
                answers["Z3"] = ask(z3, script, True)
            if answers["Z3"].startswith("model"):
                answers["Z3"] = ask(confirmed, program, answers["Z3"]) if program.exists() else "silent"
        asked += 1
        for who, answer in answers.items():
            if answer not in ("equal", "different", "agree"):
                answer = "over" if answer == "over" else "silent"
            row = counts.setdefault(f"{verdict}, {who}", {})
            row[answer] = row.get(answer, 0) + 1
            opposite = {"equal": "different", "different": "equal"}.get(verdict)
            if answer == opposite:
                wrong.append(f"{name}: called {verdict}, and {who} says {answer}: {text}")
    print(f"{asked} questions")
    for title, row in sorted(counts.items()):
        print(f"  called {title}: " + ", ".join(f"{count} {answer}" for answer, count in sorted(row.items())))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
