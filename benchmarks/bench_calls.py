"""What one call costs, and one import."""

import json
import subprocess
import sys

import numpy as np
import pytest
from rows import Bar, check_afterstates, check_counts

import tavli_fast as tf

RULES = "backgammon"
CALLS = 1_000
CHECKED = 100


@pytest.fixture(scope="module")
def turns(boards, dice):
    """Boards and rolls, each as a bot would have them."""
    rolls = [(int(die1), int(die2)) for die1, die2 in dice[:CALLS]]
    return list(zip(boards, rolls, strict=False))


def each(call, turns):
    """Return what calls once for each turn."""

    def all_of_them():
        for board, roll in turns:
            call(board, roll, RULES)

    return all_of_them


def test_afterstates_of_one_board(timed, note, boards, dice, turns):
    after = [tf.afterstates(board, roll, RULES).boards for board, roll in turns]
    offsets = np.cumsum([0, *map(len, after)])
    boards, dice = boards[:CALLS], dice[:CALLS]
    check_afterstates(np.concatenate(after), offsets, boards, dice, RULES, CHECKED)
    times = timed("afterstates, one board", CALLS, each(tf.afterstates, turns), unit="call")
    if times:
        bar = Bar(4, 1.5, of="µs")
        note("afterstates, one board", figure=times.seconds * 1e6, of="µs", bar=bar)


def test_count_plays_of_one_board(timed, boards, dice, turns):
    counts = np.concatenate([tf.count_plays(board, roll, RULES) for board, roll in turns])
    check_counts(counts, boards[:CALLS], dice[:CALLS], RULES, CHECKED)
    timed("count_plays, one board", CALLS, each(tf.count_plays, turns), unit="call")


def test_plays_of_one_board(timed, boards, dice, turns):
    found = [tf.plays(board, roll, RULES) for board, roll in turns]
    after = np.concatenate([plays.boards for plays in found])
    offsets = np.cumsum([0, *(len(plays.boards) for plays in found)])
    check_afterstates(after, offsets, boards[:CALLS], dice[:CALLS], RULES, CHECKED)
    timed("plays, one board", CALLS, each(tf.plays, turns), unit="call")


def test_legal_plays_of_one_board(timed, turns):
    for board, roll in turns[:CHECKED]:
        legal = tf.legal_plays(board, roll, RULES)
        assert len(legal) == tf.count_plays(board, roll, RULES)[0]
    timed("legal_plays, one board", CALLS, each(tf.legal_plays, turns), unit="call")


# The time of this thread alone: NumPy's linear algebra starts others, which spin for a while.
_IMPORT = """
import json, time
began = time.thread_time()
import numpy
numpy_only = time.thread_time()
import tavli_fast
both = time.thread_time()
assert tavli_fast.count_plays(tavli_fast.start(), (3, 1))[0] == 16
print(json.dumps([numpy_only - began, both - numpy_only]))
"""


def fresh(program, tmp_path, **environment):
    """Return what a program prints as JSON in a fresh interpreter, away from the source tree."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=environment or None,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_import(note, request, tmp_path):
    rounds = 1 if request.config.getoption("--benchmark-disable") else 7
    numpy_only, ours = np.min([fresh(_IMPORT, tmp_path) for _ in range(rounds)], axis=0) * 1e3
    if rounds > 1:
        bar = Bar(150, 50, of="ms")
        note("import of tavli_fast, beyond NumPy's", figure=float(ours), of="ms", bar=bar)
        note("import of NumPy, for comparison", figure=float(numpy_only), of="ms")


_MEMORY = """
import json, resource, numpy, tavli_fast
boards = tavli_fast.random_boards(100_000, "backgammon", seed=1)
dice = numpy.random.default_rng(1).integers(1, 7, (100_000, 2)).astype(numpy.int8)
tavli_fast.afterstates(boards[:1000], dice[:1000], "backgammon")

with open("/proc/self/statm") as file:
    before = int(file.read().split()[1]) * resource.getpagesize()
result = tavli_fast.afterstates(boards, dice, "backgammon")
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
counts = tavli_fast.count_plays(boards, dice, "backgammon")
assert (numpy.diff(result.offsets) == counts).all()
print(json.dumps([grown, result.boards.nbytes + result.offsets.nbytes]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's peak memory")
def test_memory(note, request, tmp_path):
    grown, size = fresh(_MEMORY, tmp_path)
    if not request.config.getoption("--benchmark-disable"):
        note(
            "afterstates of 100,000 boards: peak memory",
            figure=grown / size,
            of="of the result",
            bar=Bar(1.2, of="of the result"),
        )
