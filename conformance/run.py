"""Checks an engine against the corpus:  python run.py ADAPTER [FILE ...] [--show N]

ADAPTER is a Python file, or the name of one in adapters/. It has these functions, of which it may
leave out any but the first; cases that need what it leaves out, or that it answers with None, count
as skipped. Whatever it raises is a failure.

    supports(rules, changes) -> bool        whether the engine plays these rules with these changes
    plays(rules, changes, board, dice)      the boards after each legal play, an iterable of texts
    outcome(rules, changes, board)          the points won by the side on roll (below 0 if lost),
                                            or "" if the game goes on
    position_id(board)                      the Position ID
    value(rules, kind, board)               an exact number: see README.md, "values"

A board is a text of 52 characters (README.md). Needs nothing but Python 3.8.
"""

import argparse
import importlib.util
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).parent
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def load(name):
    path = pathlib.Path(name)
    if path.suffix != ".py":
        path = HERE / "adapters" / (name + ".py")
    spec = importlib.util.spec_from_file_location("adapter", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flipped(board):
    return board[26:] + board[:26]


def perft(engine, rules, changes, board, depth):
    """Count the positions after so many turns, over all rolls; a dance counts as one."""
    if engine.outcome(rules, changes, board) != "":
        return 0
    total = 0
    for roll in ROLLS:
        after = list(engine.plays(rules, changes, board, roll)) or [board]
        if depth == 1:
            total += len(after)
        else:
            total += sum(perft(engine, rules, changes, flipped(each), depth - 1) for each in after)
    return total


NEEDED = {
    "plays": ("plays",),
    "outcome": ("outcome",),
    "perft": ("plays", "outcome"),
    "position_id": ("position_id",),
    "value": ("value",),
}
"""The functions of an adapter that cases of a kind take; for perft, `perft` alone will do."""


def can_answer(engine, case):
    """Return whether an adapter has what a case needs, and its engine plays the rules."""
    kind = case["kind"]
    has = all(hasattr(engine, name) for name in NEEDED[kind])
    if not has and not (kind == "perft" and hasattr(engine, "perft")):
        return False
    return engine.supports(case["rules"], case.get("changes", {}))


def answer(engine, case):
    """Return (found, expected) in a form that can be compared."""
    kind, rules, changes = case["kind"], case["rules"], case.get("changes", {})
    if kind == "plays":
        found = list(engine.plays(rules, changes, case["board"], tuple(case["dice"])))
        return (sorted(found), sorted(case["after"]))
    if kind == "perft":
        own = getattr(engine, "perft", None)
        if own:
            return (own(rules, case["depth"]), case["count"])
        return (perft(engine, rules, changes, case["board"], case["depth"]), case["count"])
    if kind == "outcome":
        return (engine.outcome(rules, changes, case["board"]), case["points"])
    if kind == "position_id":
        return (engine.position_id(case["board"]), case["id_text"])
    if kind == "value":
        found = engine.value(rules, case["of"], case["board"])
        near = found is not None and abs(found - case["value"]) <= case["within"]
        return (case["value"] if near else found, case["value"])
    raise ValueError(f"unknown kind {kind!r}")


def check(engine, cases):
    """Yield (case, "passed" | "failed" | "skipped", what was found)."""
    for case in cases:
        try:
            if not can_answer(engine, case):
                yield case, "skipped", None
                continue
            found, expected = answer(engine, case)
        except Exception as error:
            yield case, "failed", repr(error)
        else:
            skipped = found is None
            yield case, "skipped" if skipped else "passed" if found == expected else "failed", found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("adapter")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--show", type=int, default=3, help="how many failures of a file to show")
    options = parser.parse_args(arguments)
    engine, failed = load(options.adapter), 0
    print(f"{'file':16}{'passed':>8}{'failed':>8}{'skipped':>8} {'seconds':>8}")
    for path in options.files or sorted(HERE.glob("*.jsonl")):
        counts, began, shown = {"passed": 0, "failed": 0, "skipped": 0}, time.time(), 0
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for case, result, found in check(engine, cases):
            counts[result] += 1
            if result == "failed" and shown < options.show:
                shown += 1
                told = f"{case['id']} ({case['source']}): found {str(found)[:300]}"
                print("  failed:", told, file=sys.stderr)
        failed += counts["failed"]
        row = "".join(f"{count:8d}" for count in counts.values())
        print(f"{path.stem:16}{row} {time.time() - began:8.1f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
