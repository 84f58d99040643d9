"""Rollouts by the net that comes with backgammon: games, ways to have less error, threads."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from rows import Bar

import tavli_fast as tf

RULES = "backgammon"
NET = tf.load_net(RULES)
START = tf.start(RULES)

METHODS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stratified": {"stratified": True},
    "variance reduction": {"variance_reduction": True},
    "truncated at 7": {"truncate": 7},
    "truncated at 7, variance reduction": {"truncate": 7, "variance_reduction": True},
    "truncated at 11, variance reduction": {"truncate": 11, "variance_reduction": True},
}
TRIALS = {name: 64 if "reduction" in name else 512 for name in METHODS}
"""Enough for the standard deviations that the figures need, over 16 positions."""


def contact_positions(count: int = 16, seed: int = 2026) -> np.ndarray:
    """Return positions of games between nets, all with contact, after 4 to 30 plies."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < count:
        board = START
        for _ in range(4 + 26 * len(found) // count):
            board = tf.flip(tf.best_plays(board, rng.integers(1, 7, 2), NET, RULES).boards[0, 0])
        mine, theirs = (np.flatnonzero(plane[1:]).max(initial=0) + 1 for plane in board)
        if not tf.outcomes(board, RULES)[0][0] and mine + theirs > 25:
            found.append(board)
    return np.stack(found)


def deviation(result: tf.RolloutResult) -> float:
    """Return the standard deviation of a trial, the root mean square over the boards."""
    return float(np.sqrt(np.mean(result.std_error**2 * result.trials)))


def rolling(boards, method, trials, threads=1):
    """Return what rolls boards out."""
    return lambda: tf.rollout(
        boards, NET, RULES, trials, seed=1, threads=threads, **METHODS[method]
    )


def test_games_from_the_start(timed):
    games = 1000

    def rolled():
        return tf.rollout(START, NET, RULES, games, seed=1, threads=1)

    result = rolled()
    assert result.counts.sum() == games
    assert 45 < result.plies[0] / games < 65
    bar = Bar(11_900, 24_800, of="norm", at_least=True)
    timed("0-ply games from the start, clipped", games, rolled, unit="game", bar=bar)


def test_variance_from_the_start(note, benchmark):
    plain = rolling(START, "plain", 2000)()
    reduced = rolling(START, "variance reduction", 100)()
    benchmark.pedantic(rolling(START, "plain", 10))
    together = np.hypot(plain.std_error[0], reduced.std_error[0])
    assert abs(plain.equity[0] - reduced.equity[0]) < 4 * together
    ratio = (deviation(plain) / deviation(reduced)) ** 2
    bar = Bar(8, 16, of="times", at_least=True)
    note("plain variance to reduced variance, from the start", figure=ratio, of="times", bar=bar)


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    return contact_positions()


@pytest.fixture(scope="module")
def usual(positions) -> dict[str, float]:
    """What the first method has come to: all others are compared with it."""
    return {}


@pytest.mark.parametrize("method", METHODS)
def test_methods(timed, note, positions, usual, method):
    trials = TRIALS[method]
    result = rolling(positions, method, trials)()
    assert (result.trials == trials).all()
    few = max(8, trials // 8)
    call = rolling(positions, method, few)
    times = timed(f"{method}, 16 positions", 16 * few, call, unit="trial")
    if not times:
        return
    spread = deviation(result)
    usual.setdefault("variance", spread**2)
    usual.setdefault("seconds", times.seconds)
    ratio = usual["variance"] / spread**2
    gain = ratio * usual["seconds"] / times.seconds
    about = {"rollouts": method, "deviation": spread, "us": times.seconds * 1e6}
    note("  standard deviation of a trial", figure=spread, of="points", about=about)
    note("  variance of plain rollouts to this", figure=ratio, of="times", about=about)
    note("  net gain for the same time", figure=gain, of="times", about=about)


def test_what_the_cube_costs(timed, note):
    games = 1000

    def with_cube():
        return tf.rollout(START, NET, RULES, games, seed=1, threads=1, cube=True)

    alone = rolling(START, "plain", games)
    found = with_cube()
    assert found.equity == alone().equity  # the same games
    assert found.cubeful.owned[0] > found.cubeful.opponents[0]
    times = timed("games followed with four cubes", games, with_cube, unit="game", beside=(alone,))
    if times:
        ratio = times.seconds * games / times.beside[0]
        note(
            "a game with the cube to one without",
            figure=ratio,
            of="times",
            bar=Bar(1.5, 1.1, of="times"),
        )


@pytest.mark.benchmark(timer=time.perf_counter)
@pytest.mark.parametrize("method", ["plain", "truncated at 7, variance reduction"])
def test_two_threads_against_one(timed, note, method):
    trials = 2000 if method == "plain" else 200
    work = {1: float("inf"), 2: float("inf")}

    def threads(count):
        call = rolling(START, method, trials, count)

        def worked():
            began = time.process_time()
            result = call()
            work[count] = min(work[count], time.process_time() - began)
            return result

        return worked

    alone, two = threads(1), threads(2)
    assert alone() == two()
    times = timed(f"{method}, 2 threads", trials, two, unit="trial", beside=(alone,))
    if times:
        ratio = times.beside[0] / (times.seconds * trials)
        bar = Bar(1.8, 1.95, of="times", at_least=True)
        note(f"{method}: 2 threads against one", figure=ratio, of="times", bar=bar)
        # Elapsed time needs two processors with nothing else to do; the work does not.
        note("  2 threads' work to one's", figure=work[2] / work[1], of="times")
