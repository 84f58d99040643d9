"""Scaling: time against the number of positions, of threads, of trials."""

import time
from typing import Any

import numpy as np
import pytest
from rows import check_counts

import tavli_fast as tf

RULES = "backgammon"
CALLS: dict[str, Any] = {"count_plays": tf.count_plays, "afterstates": tf.afterstates}
SIZES = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
ANY = [1, 100, 10_000]
"""Sizes that the short run takes too; all are there with --run-slow."""
THREADS = [1, 2, 4]
TRIALS = [100, 1_000, 10_000, 100_000, 1_000_000]


def mostly_slow(values, short):
    return [
        value if value in short else pytest.param(value, marks=pytest.mark.slow) for value in values
    ]


def batch(n):
    """Return `n` positions of random games, and a random roll for each."""
    dice = np.random.default_rng(2026).integers(1, 7, (n, 2)).astype(np.int8)
    return tf.random_boards(n, RULES, seed=2026), dice


@pytest.mark.parametrize("n", mostly_slow(SIZES, ANY))
@pytest.mark.parametrize("call", CALLS)
def test_positions(timed, boards, dice, call, n):
    many, rolls = (boards, dice) if n <= len(boards) else batch(n)
    check_counts(tf.count_plays(many, rolls, RULES), many, rolls, RULES, 10)
    # One batch after another, so that a small one is not known by heart.
    begins = range(0, min(len(boards), 200 * n), n) if n < 1_000 else [0]
    parts = [(many[i : i + n], rolls[i : i + n]) for i in begins]

    def through():
        for part, its_rolls in parts:
            CALLS[call](part, its_rolls, RULES)

    timed(
        f"{call}, batches of {n:,}",
        n * len(parts),
        through,
        about={"scaling": "positions", "call": call, "n": n},
    )


class Work:
    """The least processor time that a call has taken with each number of threads."""

    def __init__(self, call):
        self.call = call
        self.least = dict.fromkeys(THREADS, float("inf"))

    def with_threads(self, threads):
        def call():
            began = time.process_time()
            result = self.call(threads)
            self.least[threads] = min(self.least[threads], time.process_time() - began)
            return result

        return call

    def note(self, note, times, what, units):
        """Add what several threads are to one: in elapsed time, and in work.

        Elapsed time needs that many processors with nothing else to do. The work does not: if it
        is 1.1 times that of one thread, two free processors can be 2 / 1.1 times as fast at most.
        """
        for threads, seconds in zip(THREADS[1:], times.beside if times else (), strict=False):
            about = {"scaling": "threads", "call": what, "n": threads}
            ratio = times.seconds * units / seconds
            note(f"  {threads} threads against one, {what}", figure=ratio, of="times", about=about)
            ratio = self.least[threads] / self.least[1]
            about = {"scaling": "work", "call": what, "n": threads}
            note(
                f"  {threads} threads' work to one's, {what}", figure=ratio, of="times", about=about
            )


@pytest.mark.slow
@pytest.mark.benchmark(timer=time.perf_counter)
@pytest.mark.parametrize("call", CALLS)
def test_threads_of_a_batch(timed, note, call):
    many, rolls = batch(200_000)

    work = Work(lambda threads: CALLS[call](many, rolls, RULES, threads=threads))
    listing = work.with_threads
    alone, *others = (listing(threads)() for threads in THREADS)
    for other in others:
        assert len(other) == len(alone)
        assert all(map(np.array_equal, other, alone))
    times = timed(
        f"{call}, 200,000 positions, one thread",
        len(many),
        listing(1),
        beside=tuple(map(listing, THREADS[1:])),
    )
    work.note(note, times, call, len(many))


@pytest.mark.slow
@pytest.mark.benchmark(timer=time.perf_counter)
def test_threads_of_games(timed, note):
    board, games = tf.start(RULES), 20_000

    work = Work(lambda n: tf.rollout(board, "random", rules=RULES, trials=games, seed=1, threads=n))
    playing = work.with_threads
    alone, *others = (playing(threads)() for threads in THREADS)
    for other in others:
        assert np.array_equal(other.counts, alone.counts)
    times = timed(
        f"random games, {games:,} trials, one thread",
        games,
        playing(1),
        unit="game",
        beside=tuple(map(playing, THREADS[1:])),
    )
    work.note(note, times, "random games", games)


@pytest.mark.parametrize("trials", mostly_slow(TRIALS, [100, 10_000]))
def test_trials(timed, trials):
    board = tf.start(RULES)
    result = tf.rollout(board, "random", rules=RULES, trials=trials, seed=1, threads=1)
    assert result.counts.sum() == trials
    timed(
        f"random games, {trials:,} trials",
        trials,
        lambda: tf.rollout(board, "random", rules=RULES, trials=trials, seed=1, threads=1),
        unit="game",
        about={"scaling": "trials", "call": "random games", "n": trials},
    )
