"""Uniformly random games from the start."""

import time

import pytest
from rows import Bar

import tavli_fast as tf

TRIALS = {"gul_bara": 40}
"""Games in a round, where it is not the usual number."""
USUAL = 2_000
MEAN_PLIES = {"backgammon": 95.9, "portes": 95.9}
"""Of a random game whose first roll may be doubles. GNU Backgammon's generator, driven from Python,
gave 95.92 ± 0.19 (and 96.74 ± 0.20 where the first roll is none)."""


def checked_rollout(rules, trials):
    """Return a rollout of one thread; assert that two give the same, and that all games ended."""
    board = tf.start(rules)
    result = tf.rollout(board, "random", rules=rules, trials=trials, seed=1, threads=2)
    alone = tf.rollout(board, "random", rules=rules, trials=trials, seed=1, threads=1)
    assert result.counts.tolist() == alone.counts.tolist()
    assert result.plies.tolist() == alone.plies.tolist()
    assert result.counts.sum() == trials
    if rules in MEAN_PLIES:
        assert result.plies[0] / trials == pytest.approx(MEAN_PLIES[rules], abs=4)
    return alone


def playing(rules, trials, threads=1):
    """Return what plays so many games."""
    board = tf.start(rules)
    return lambda: tf.rollout(board, "random", rules=rules, trials=trials, seed=1, threads=threads)


@pytest.mark.parametrize("rules", [name for name in tf.RULES if name != "portes_cube"])
def test_random_games(timed, note, rules):
    trials = TRIALS.get(rules, USUAL)
    plies = int(checked_rollout(rules, trials).plies[0])
    bar = Bar(165_000, 330_000, of="norm", at_least=True) if rules in MEAN_PLIES else None
    times = timed(
        f"random games, {rules}",
        trials,
        playing(rules, trials),
        unit="game",
        bar=bar,
        about={"rules": rules},
    )
    if times:
        ply = times.seconds * trials / plies
        note(f"  one ply, {rules}", unit="ply", seconds=ply, x=times.x, about={"rules": rules})


@pytest.mark.parametrize("rules", ["plakoto", "fevga"])
def test_ply_against_portes(timed, note, rules):
    # Side by side, for the ratio of the two is the figure.
    here, portes = checked_rollout(rules, USUAL), checked_rollout("portes", USUAL)
    beside = (playing("portes", USUAL),)
    times = timed(
        f"random games, {rules}, beside Portes",
        USUAL,
        playing(rules, USUAL),
        unit="game",
        beside=beside,
    )
    if times:
        ratio = times.seconds * USUAL / here.plies[0] / (times.beside[0] / portes.plies[0])
        what = f"random games: a ply of {rules} to one of portes"
        note(what, figure=float(ratio), of="times", bar=Bar(2, 1.3, of="times"))


SMALL, LARGE = 1_296, 20_000
"""What `rollout` and the command line play if nobody says how many games."""


@pytest.mark.benchmark(timer=time.perf_counter)
@pytest.mark.parametrize("games", [SMALL, LARGE])
def test_two_threads_against_one(timed, note, games):
    checked_rollout("backgammon", games)
    times = timed(
        f"random games, backgammon, {games:,}, 2 threads",
        games,
        playing("backgammon", games, threads=2),
        unit="game",
        beside=(playing("backgammon", games),),
        budget=1.5,
    )
    if times:
        ratio = times.beside[0] / (times.seconds * games)
        bar = Bar(1.8, 1.95, of="times", at_least=True) if games == LARGE else None
        what = f"two threads against one, {games:,} random games"
        about = {"scaling": "sizes"}
        note(what, figure=ratio, of="times", bar=bar, about=about)


def test_work_of_two_threads(timed, note):
    # What does not depend on how many processors are free: the work that sharing adds.
    games = LARGE
    checked_rollout("backgammon", games)
    times = timed(
        "random games, backgammon, the work of 2 threads",
        games,
        playing("backgammon", games, threads=2),
        unit="game",
        beside=(playing("backgammon", games),),
    )
    if times:
        ratio = times.seconds * games / times.beside[0]
        note("random games: work of two threads to that of one", figure=ratio, of="times")
        what = "random games: the most that two free processors can give"
        note(what, figure=2 / ratio, of="times")


def test_perft_3(timed):
    board = tf.start("backgammon")
    nodes = 116_154_993
    assert tf.perft(board, 3, "backgammon") == nodes
    # A tenth of what GNU Backgammon's generator takes: 5.7 s where 1e9 iterations take 1.45 s.
    bar = Bar(5.7 / 1.45 * 1e9 / nodes / 10)
    timed("perft 3", nodes, lambda: tf.perft(board, 3, "backgammon"), unit="node", bar=bar)
