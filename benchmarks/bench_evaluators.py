"""Evaluators: candidates judged, plays chosen, games in lock-step."""

from importlib.metadata import version
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from rows import Bar, to_gnubg

import tavli_fast as tf
from tavli_fast._core import evaluate as core
from tavli_fast.evaluation import outcomes
from tavli_fast.evaluation.tables import TabledNet

RULES = "backgammon"
HIDDEN = 128
FEW = 200
"""Boards for what takes long, or is checked slowly."""


def nets():
    """Return a net of each kind, with the seed that all benchmarks have."""
    clipped = tf.Net.random(RULES, HIDDEN, seed=1, activation="clipped")
    return {
        "sigmoid": tf.Net.random(RULES, HIDDEN, seed=1),
        "clipped": clipped,
    }


NETS = nets()


def choosing(net, boards, dice):
    """Return what chooses the best play of each roll in the core, and the arrays it writes to."""
    places, after = np.empty(len(boards), np.int32), np.empty_like(boards)
    out = np.empty((len(boards), 6), np.float32)
    given = (net.packed, net.kind, net.columns, net.outputs, places, after, out)
    rules = tf.RULES[RULES]
    return lambda: core.best(boards, dice, rules, *given), places, out


def in_numpy(net):
    """Return the net as an evaluator in NumPy, with its weights for contact in every position."""
    first, first_biases, second, second_biases = (
        np.ascontiguousarray(weights[0]) for weights in net.weights().values()
    )

    def numpy_net(seen):
        layer = seen @ first + first_biases
        layer = 1 / (1 + np.exp(-layer))
        return 1 / (1 + np.exp(-(layer @ second[:, :5] + second_biases[:5])))

    return numpy_net


@pytest.mark.parametrize("kind", NETS)
def test_candidates(timed, boards, dice, kind):
    net = NETS[kind]
    call, places, out = choosing(net, boards, dice)
    after, offsets = tf.afterstates(boards, dice, RULES)
    call()
    can_move = places >= 0
    chosen = offsets[:-1][can_move] + places[can_move]
    whole = net(after, RULES)
    np.testing.assert_array_equal(out[can_move], whole[chosen])
    equity = whole[:, :3].sum(axis=1) * 1.0 - (1 - whole[:, 0]) - whole[:, 3:5].sum(axis=1)
    highest = np.maximum.reduceat(equity, offsets[:-1][can_move])
    np.testing.assert_allclose(equity[chosen], highest, atol=1e-6)
    timed(
        f"a play chosen, {HIDDEN} units, {kind}",
        len(after),
        call,
        unit="candidate",
        bar=Bar(100, 50),
    )


@pytest.mark.parametrize("kind", NETS)
def test_whole_boards(timed, boards, kind):
    net = NETS[kind]
    out = np.empty((len(boards), 6), np.float32)
    given = (net.packed, net.kind, net.columns, net.outputs, out)
    rules = tf.RULES[RULES]
    core.outcomes(boards, rules, *given)
    np.testing.assert_array_equal(out, net(boards, RULES))
    timed(
        f"a board from scratch, {HIDDEN} units, {kind}",
        len(boards),
        lambda: core.outcomes(boards, rules, *given),
    )


def test_bearoffs_looked_up(timed):
    """In the table of a net, 10,000 positions of all sizes; 30 ns where X is 1.5 ns."""
    rng = np.random.default_rng(1)
    some = np.zeros((10_000, 2, 26), np.int8)
    for board in some:
        for side in board:
            np.add.at(side, rng.integers(1, 7, rng.integers(1, 7)), 1)
    some[:, :, 0] = 15 - some[:, :, 1:].sum(axis=2)
    net = tf.with_tables(NETS["clipped"])
    assert isinstance(net, TabledNet)
    out = np.empty((len(some), 6), np.float32)
    given = (net.packed, net.kind, net.columns, net.outputs, out)
    rules = tf.RULES[RULES]
    core.outcomes(some, rules, *given)
    exact = tf.two_sided(RULES).equity(some[:, 1, 1:7], some[:, 0, 1:7])
    np.testing.assert_allclose(out[:, 0], (1 - exact) / 2, atol=1e-6)
    timed(
        "a bear-off looked up",
        len(some),
        lambda: core.outcomes(some, rules, *given),
        bar=Bar(20, 10),
    )


def test_features(timed, boards):
    found = tf.features(boards, RULES)
    assert found.shape == (len(boards), 228)
    timed("features", len(boards), lambda: tf.features(boards, RULES))


@pytest.mark.parametrize("top", [1, 5])
def test_best_plays(timed, boards, dice, top):
    net = NETS["sigmoid"]
    found = tf.best_plays(boards, dice, net, RULES, top=top)
    after = tf.apply(boards, found.moves[:, 0], dice, RULES)
    np.testing.assert_array_equal(after, found.boards[:, 0])
    timed(
        f"best_plays, top={top}",
        len(boards),
        lambda: tf.best_plays(boards, dice, net, RULES, top=top),
    )


@pytest.mark.parametrize(("plies", "replies"), [(1, "all"), (2, [(1, 0)]), (2, "all")])
def test_evaluate_ahead(timed, boards, plies, replies):
    net, some = NETS["clipped"], boards[:FEW] if plies == 1 else boards[:4]
    found = tf.evaluate(some, net, RULES, plies, replies=replies)
    if plies == 1:
        pairs, rolls = np.repeat(some, 21, axis=0), np.tile(outcomes.ROLLS, (FEW, 1))
        best = tf.best_plays(pairs, rolls, net, RULES).equity.reshape(FEW, 21)
        np.testing.assert_allclose(best @ outcomes.CHANCES, found.equity, atol=1e-6)
    how = "" if plies == 1 else f", replies={replies}"
    timed(
        f"evaluate, plies={plies}{how}",
        len(some),
        lambda: tf.evaluate(some, net, RULES, plies, replies=replies),
    )


# --- gnubg-nn -------------------------------------------------------------------------------------


FRESH, PART = 60_000, 1_000
"""gnubg remembers what it has evaluated: each round has boards that it has not seen."""


@pytest.fixture(scope="module")
def fresh():
    """Boards and rolls as gnubg has them."""
    boards = tf.random_boards(FRESH, RULES, seed=7)
    dice = np.random.default_rng(7).integers(1, 7, (FRESH, 2)).tolist()
    return [(to_gnubg(board), *roll) for board, roll in zip(boards, dice, strict=True)]


def by_parts(turns, ask):
    """Return what asks for the next part of the turns each time."""
    parts = cycle(range(0, len(turns), PART))

    def call():
        first = next(parts)
        for turn in turns[first : first + PART]:
            ask(turn)

    return call


def test_gnubg_nn_evaluation(timed, note, gnubg, fresh, boards, dice):
    # Its function for one board, called from Python; a net of 250-128-5, or 214-128-5 in a race.
    assert all(0 <= gnubg.probabilities(turn[0], 0)[0] <= 1 for turn in fresh[-FEW:])
    choose = choosing(NETS["sigmoid"], boards, dice)[0]
    times = timed(
        f"gnubg-nn {version('gnubg-nn')}, probabilities(), 0 plies",
        PART,
        by_parts(fresh, lambda turn: gnubg.probabilities(turn[0], 0)),
        beside=(choose,),
    )
    if times:
        candidates = tf.count_plays(boards, dice, RULES).sum()
        ratio = times.seconds / (times.beside[0] / candidates)
        bar = Bar(10, 20, of="times", at_least=True)
        note(
            "candidates evaluated in gnubg-nn's time for one",
            figure=float(ratio),
            of="times",
            bar=bar,
        )


def test_gnubg_nn_choice(timed, note, gnubg, fresh, boards, dice):
    for board, die1, die2 in fresh[-FEW:]:
        mine = np.array([[0, *board[1]], [0, *board[0]]], np.int8)
        mine[:, 0] = 15 - mine.sum(axis=1)
        can_move = bool(tf.count_plays(mine, (die1, die2), RULES)[0])
        assert bool(gnubg.bestmove(board, die1, die2)) == can_move
    boards, dice = boards[:PART], dice[:PART]
    times = timed(
        f"gnubg-nn {version('gnubg-nn')}, bestmove(), 0 plies",
        PART,
        by_parts(fresh, lambda turn: gnubg.bestmove(*turn)),
        beside=(lambda: tf.best_plays(boards, dice, NETS["sigmoid"], RULES),),
    )
    if times:
        ratio = times.seconds * PART / times.beside[0]
        note("plays chosen in gnubg-nn's time for one", figure=float(ratio), of="times")


# --- games of Python evaluators -------------------------------------------------------------------


def game(evaluator, rng, afterstates, one_by_one):
    """Play a game in plain Python, and return its plies: a call for the afterstates of each roll,
    and one of the evaluator for all of them, or for each."""
    board, plies = tf.start(RULES), 0
    while True:
        after = afterstates(board, rng.integers(1, 7, 2), RULES).boards
        plies += 1
        if len(after):
            parts = after[:, np.newaxis] if one_by_one else [after]
            found = np.concatenate([evaluator(part) for part in parts])
            equity = found if found.ndim == 1 else found @ np.array([2, 1, 1, -1, -1])
            over, points = tf.outcomes(after, RULES)
            equity[over] = 9 * points[over]
            board = after[equity.argmax()]
            if over[equity.argmax()]:
                return plies
        board = tf.flip(board)


LOOPS = {
    "afterstates(), a call a roll": (tf.afterstates, False, 4, None),
    "afterstates(), a call a candidate": (tf.afterstates, True, 2, None),
    "Python's moves, a call a candidate": (tf.reference.afterstates, True, 1, 50),
}


def pips_and_blots(after):
    lead = after[:, 1] @ np.arange(26) - after[:, 0] @ np.arange(26)
    return lead / 100 - (after[:, 0, 1:25] == 1).sum(axis=1) / 8


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("what", ["a NumPy net", "pips and blots"])
def test_lock_step(timed, note, loop, what):
    afterstates, one_by_one, games, floor = LOOPS[loop]
    evaluator: Any = pips_and_blots
    if what == "a NumPy net":
        evaluator = tf.from_features(in_numpy(NETS["sigmoid"]), RULES)
    trials = 256
    result = tf.rollout(tf.start(RULES), evaluator, RULES, trials, seed=1, threads=1)
    assert result.unfinished.sum() == 0
    plies: list[Any] = []

    def slow():
        rng = np.random.default_rng(1)
        plies[:] = [game(evaluator, rng, afterstates, one_by_one) for _ in range(games)]

    times = timed(
        f"lock-step, {what}, beside {loop}",
        int(result.plies[0]),
        lambda: tf.rollout(tf.start(RULES), evaluator, RULES, trials, seed=1, threads=1),
        unit="ply",
        beside=(slow,),
    )
    if times:
        ratio = times.beside[0] / sum(plies) / times.seconds
        bar = Bar(floor, of="times", at_least=True) if floor else None
        note(f"lock-step, {what}: {loop}", figure=ratio, of="times", bar=bar)
