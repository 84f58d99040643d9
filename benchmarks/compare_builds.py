"""Two installed builds against each other: ratios of processor time, new / old.

    python benchmarks/compare_builds.py OLD_PYTHON NEW_PYTHON [--seconds 150] [--only count,mixed]

OLD_PYTHON and NEW_PYTHON are the interpreters of two environments, each with a build of tavli_fast
installed. Run it from a folder without a checkout in it, which Python would import instead:

    python -m venv /somewhere/old && /somewhere/old/bin/pip install tavli_fast==0.1.0
    python ~/tavli_fast/benchmarks/compare_builds.py /somewhere/old/bin/python ~/new/bin/python

One process of each build lives through the whole run, and the two take turns of some milliseconds,
one operation after the other, the order changing each time: so both meet the same neighbours,
caches and clock. A turn's figure is the processor time of its process. Each operation's ratio is
given twice: the least time of the new build by the least of the old one, and the median over the
turns of new / old. Before trusting a ratio compare a build with itself (`--self PYTHON`): that
comes to about 1 even on a machine that others use as well, where whole runs, one after the other,
differ by 30 %.

Operations that a build lacks are left out. The exit status is 1 if both figures of an operation are
above its floor: the part of the old time that the change which this tool was written for may take.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLOORS = {
    "count": 0.50,
    "afterstates": 0.75,
    "mixed": 0.66,
    "doubles": 0.80,
    "out": 0.55,
    "plays": 0.85,
    "games": 0.50,
    "plakoto games": 0.50,
    "fevga games": 0.70,
    "narde games": 0.70,
    "moultezim games": 0.50,
    "gul_bara games": 0.50,
    "candidates": 0.75,
    "net games": 0.62,
    "luck-adjusted": 0.65,
    "evaluate plies=1": 0.75,
    "evaluate plies=2": 0.75,
    "self-play": 0.75,
}
"""The most of the old time that each operation may take; the keys are the operations."""

WORKER = r"""
import sys, time
import numpy as np
import tavli_fast as tf

boards = tf.random_boards(10_000, rules="backgammon", seed=7)
dice = np.random.default_rng(1).integers(1, 7, (len(boards), 2)).astype(np.int8)
mixed = dice[:, 0] != dice[:, 1]
two, two_dice = boards[mixed], dice[mixed]
four, four_dice = boards[~mixed], dice[~mixed]
room = tf.afterstates(boards, dice, rules="backgammon").boards.copy()
net = tf.Net.load(sys.argv[1])

def games(rules, trials):
    start = tf.start(rules)
    return lambda: tf.rollout(
        start, rules=rules, policy="random", trials=trials, seed=1, threads=1)

def net_games(trials, **options):
    start = tf.start("backgammon")
    return lambda: tf.rollout(
        start, rules="backgammon", policy=net, trials=trials, seed=1, threads=1, **options)

def self_play():
    # So many that what a training costs besides its games is a small part.
    tf.train("backgammon", games=1_000, hidden=128, seed=1, threads=1, measured=0)

OPERATIONS = {
    "count": lambda: tf.count_plays(boards, dice, rules="backgammon"),
    "afterstates": lambda: tf.afterstates(boards, dice, rules="backgammon"),
    "mixed": lambda: tf.afterstates(two, two_dice, rules="backgammon"),
    "doubles": lambda: tf.afterstates(four, four_dice, rules="backgammon"),
    "out": lambda: tf.afterstates(boards, dice, rules="backgammon", out=room),
    "plays": lambda: tf.plays(boards, dice, rules="backgammon"),
    "games": games("backgammon", 640),
    "plakoto games": games("plakoto", 640),
    "fevga games": games("fevga", 640),
    "narde games": games("narde", 640),
    "moultezim games": games("moultezim", 128),
    "gul_bara games": games("gul_bara", 1),
    "candidates": lambda: tf.best_plays(
        boards[:1_000], dice[:1_000], evaluator=net, rules="backgammon"),
    "net games": net_games(128),
    "luck-adjusted": net_games(4, variance_reduction=True),
    "evaluate plies=1": lambda: tf.evaluate(
        boards[:50], evaluator=net, rules="backgammon", plies=1),
    "evaluate plies=2": lambda: tf.evaluate(
        boards[:1], evaluator=net, rules="backgammon", plies=2),
    "self-play": self_play,
}
able = []
for name in sys.argv[2:]:
    try:
        OPERATIONS[name]()
    except (AttributeError, TypeError):
        continue
    able.append(name)
print(",".join(able), flush=True)
for line in sys.stdin:
    operation = OPERATIONS[line.rstrip("\n")]
    started = time.process_time()
    operation()
    print(time.process_time() - started, flush=True)
"""
"""What each of the two processes runs: it warms up, says what it can do, then answers each name
with the seconds of processor time that the operation took."""


SAVE = """
import sys
import tavli_fast as tf
tf.load_net("backgammon").save(sys.argv[1])
"""
"""Both builds judge by the net that is bundled with the old one: other nets cost other times."""


class Worker:
    """A process of one build that does operations on demand."""

    def __init__(self, python: str, net: str, operations: list[str]) -> None:
        self._process = subprocess.Popen(
            [python, "-c", WORKER, net, *operations],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.able = self._line().split(",")

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of {self._process.args!r} has ended")
        return line.strip()

    def seconds(self, operation: str) -> float:
        """Return the processor time of doing the operation once."""
        assert self._process.stdin is not None
        self._process.stdin.write(operation + "\n")
        self._process.stdin.flush()
        return float(self._line())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(
    old: str, new: str, operations: list[str], seconds: float
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the processor times of each operation's turns, of the old build and of the new one.

    There are at least eight turns of each operation, however long they take.
    """
    with tempfile.TemporaryDirectory() as folder:
        net = str(Path(folder, "net.npz"))
        subprocess.run([old, "-c", SAVE, net], check=True)
        workers = Worker(old, net, operations), Worker(new, net, operations)
    able = [name for name in operations if all(name in worker.able for worker in workers)]
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in able}
    end, turn = time.monotonic() + seconds, 0
    while time.monotonic() < end or turn < 8:
        for name in able:
            for side in (0, 1) if turn % 2 else (1, 0):
                times[name][side].append(workers[side].seconds(name))
        turn += 1
    for worker in workers:
        worker.close()
    return times


def main(arguments: list[str] | None = None) -> int:
    """Compare two builds and print a table; return 1 if an operation misses its floor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("old", nargs="?", help="the old environment's interpreter")
    parser.add_argument("new", nargs="?", help="the new environment's interpreter")
    parser.add_argument("--self", metavar="PYTHON", dest="itself", help="a build against itself")
    parser.add_argument("--seconds", type=float, default=150.0, help="how long (default 150)")
    parser.add_argument("--only", help="operations, separated by commas (default all)")
    options = parser.parse_args(arguments)
    old, new = (options.itself,) * 2 if options.itself else (options.old, options.new)
    if old is None or new is None:
        parser.error("two interpreters are needed, or --self with one")
    operations = options.only.split(",") if options.only else list(FLOORS)
    for name in operations:
        if name not in FLOORS:
            parser.error(f"no operation {name!r}: expected some of {', '.join(FLOORS)}")
    missed = False
    print(f"{'operation':<18} {'old ms':>9} {'new ms':>9} {'least':>6} {'median':>6} {'floor':>6}")
    for name, (before, after) in compare(old, new, operations, options.seconds).items():
        least = min(after) / min(before)
        median = statistics.median(b / a for a, b in zip(before, after, strict=True))
        above = min(least, median) > FLOORS[name] and not options.itself
        missed |= above
        print(
            f"{name:<18} {1e3 * min(before):>9.3f} {1e3 * min(after):>9.3f} {least:>6.3f} "
            f"{median:>6.3f} {FLOORS[name]:>6.2f}{'  missed' if above else ''}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
