"""Evaluations in order: nothing that cannot be, and no more than all, of nets and of callables."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from boards import made_boards
from possible import in_order, possible_points

import tavli_fast as tf
from tavli_fast.rules.presets import Rules

PRESETS = sorted(tf.RULES)


def of_net_games(name: str, count: int, seed: int) -> Any:
    """Return unfinished positions before the roll of games that the net plays with itself."""
    rng, net = np.random.default_rng(seed), tf.load_net(name)
    games = np.repeat(tf.start(name)[np.newaxis], max(4, count // 40), axis=0)
    found = [games]
    while sum(map(len, found)) < count:
        dice = rng.integers(1, 7, (len(games), 2))
        if name == "gul_bara":  # half a million plays would take a while
            dice[(dice[:, 0] == dice[:, 1]) & (dice[:, 0] < 5), 0] += 1
        games = tf.flip(tf.best_plays(games, dice, net, name).boards[:, 0])
        over = tf.outcomes(games, name)[0]
        games[over] = tf.start(name)
        found.append(games[~over])
    return np.concatenate(found)[:count]


def some_positions(name: str, count: int, seed: int) -> Any:
    """Return unfinished positions: of net games, of random ones, and such as no game leads to."""
    made = made_boards(np.random.default_rng(seed), count // 3, tf.RULES[name])
    random = tf.random_boards(count // 3, name, seed=seed)
    boards = np.concatenate([of_net_games(name, count // 3, seed), random, made])
    return boards[~tf.outcomes(boards, name)[0]]


def require_order(outcomes: Any, equity: Any, boards: Any, rules: Rules) -> None:
    """Hold outcomes of unfinished boards to what can be, without any tolerance."""
    win, win2, win3, lose2, lose3, draw = outcomes.T
    lose = 1 - win - draw
    assert (outcomes >= 0).all()
    assert (outcomes <= 1).all()
    assert (lose >= 0).all()
    can, drawn = possible_points(boards, rules)
    assert not draw[~drawn].any()
    least, most = np.zeros((2, len(boards)))
    for side, columns in enumerate(((win, win2, win3), (lose, lose2, lose3))):
        for points in (2, 3):
            fewer, these = columns[points - 2 : points]
            assert (these <= fewer).all()
            assert not these[~can[:, side, points:].any(1)].any()
            only = ~can[:, side, points - 1]
            np.testing.assert_allclose(these[only], fewer[only], atol=1e-6)
        points = (can[:, side] * np.arange(4)).max(1)
        most = np.where(side == 0, points, most)
        least = np.where(side == 1, -points, least)
    assert (equity <= most + 1e-6).all()
    assert (equity >= least - 1e-6).all()
    tf.cube_equities(outcomes)


def evaluators(name: str) -> list[Any]:
    """Return the net of the game, and one that says anything."""
    rules = tf.RULES[name]
    wild = tf.Net.random(name, 16, seed=1, scale=1.5, activation="clipped")
    return [tf.load_net(rules), wild]


def check(name: str, count: int, seed: int) -> None:
    """Hold evaluations of positions, and of the best plays from them, to what can be."""
    rules, boards = tf.RULES[name], some_positions(name, count, seed)
    dice = np.random.default_rng(seed).integers(1, 7, (len(boards), 2))
    if name == "gul_bara":
        dice[(dice[:, 0] == dice[:, 1]) & (dice[:, 0] < 5), 0] += 1
    for net in evaluators(name):
        found = tf.evaluate(boards, net, name)
        require_order(found.outcomes, found.equity, boards, rules)
        best = tf.best_plays(boards, dice, net, name)
        after = best.boards[:, 0]
        running = ~tf.outcomes(after, name)[0]
        require_order(best.outcomes[running, 0], best.equity[running, 0], after[running], rules)


@pytest.mark.parametrize("name", PRESETS)
def test_no_evaluation_claims_what_cannot_be(name: str) -> None:
    check(name, 240, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_million_positions(name: str) -> None:
    for seed in range(6):
        check(name, 12_000, 100 + seed)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("TFID1:t:1FA2aa12c2baf1:8:1", 1.0),  # the opponent has a checker off
        ("TFID1:b:2CBAaa3a1a1C1B2B1aAgbA:0:1", 1.0),
        ("TFID1:b:1GEdbcaa1Aa3B9c1:0:0", 3.0),
    ],
)
def test_positions_that_were_misjudged(text: str, most: float) -> None:
    board, name = tf.from_tfid(text)
    for plies in (0, 1):
        found = tf.evaluate(board, "net", name, plies)
        require_order(found.outcomes, found.equity, board[np.newaxis], tf.RULES[name])
        assert found.equity[0] <= most + 1e-6
        if most == 1:
            assert not found.outcomes[0, 1:3].any()


HOUSES = [
    replace(tf.PORTES, single_points=2, gammon_points=3, backgammon_points=3),
    replace(tf.BACKGAMMON, gammon_points=3, backgammon_needs="bar_only"),
    replace(tf.PORTES, single_points=3, gammon_points=3, backgammon_points=3),
    replace(tf.PLAKOTO, gammon_points=1, backgammon_points=1, mother="lose_always"),
    replace(tf.PLAKOTO, mother_points=3, mother_draw=False),
    replace(tf.FEVGA, backgammon_points=3),
]


@pytest.mark.parametrize("rules", HOUSES)
def test_other_scoring(rules: Rules) -> None:
    boards = made_boards(np.random.default_rng(3), 400, rules)
    boards = boards[~tf.outcomes(boards, rules)[0]]
    net = tf.Net.random(rules, 16, seed=2, scale=1.5)
    found = tf.evaluate(boards, net, rules)
    require_order(found.outcomes, found.equity, boards, rules)


@pytest.mark.parametrize("name", ["backgammon", "plakoto", "fevga"])
@pytest.mark.parametrize("outputs", [5, 6])
def test_a_callable_is_brought_in_order(name: str, outputs: int) -> None:
    rules, boards = tf.RULES[name], some_positions(name, 300, 5)
    said = np.random.default_rng(1).random((len(boards), outputs))
    wild = tf.coherent(lambda afterstates: said[: len(afterstates)], name)
    found = tf.evaluate(tf.flip(boards), wild)
    require_order(found.outcomes, found.equity, tf.flip(boards), rules)
    whole = said if outputs == 6 else np.pad(said, ((0, 0), (0, 1)))
    np.testing.assert_allclose(wild(boards), in_order(whole, boards, rules), atol=1e-6)
    over = made_boards(np.random.default_rng(2), 300, rules)
    over = over[tf.outcomes(over, name)[0]]
    win, win2, win3, lose2, lose3, draw = wild(over).T
    equity = win + win2 + win3 - (1 - win - draw) - lose2 - lose3
    np.testing.assert_array_equal(equity, tf.outcomes(over, name)[1])


def test_equities_are_cut_to_what_can_be_won() -> None:
    one_off = tf.from_tfid("TFID1:b:2CBAaa3a1a1C1B2B1aAgbA:0:1")[0]
    boards = np.stack([tf.start("backgammon"), one_off])
    for said, expected in ((9, [3, 1]), (-9, [-3, -3]), (0.25, [0.25, 0.25])):
        judge = tf.coherent(lambda after, said=said: np.full(len(after), said), "backgammon")
        np.testing.assert_array_equal(judge(boards), expected)


def test_an_ordered_net_is_left_as_it_is() -> None:
    boards = some_positions("backgammon", 300, 6)
    net = tf.load_net("backgammon")
    judge = tf.coherent(net, "backgammon")
    assert judge.name == net.name
    np.testing.assert_array_equal(judge(boards), net(boards))


def test_what_is_no_evaluator_is_refused() -> None:
    for bad in (5, "net", int, None):
        with pytest.raises(ValueError, match="evaluator="):
            tf.coherent(bad)  # type: ignore[arg-type]
    judge = tf.coherent(lambda after: "much", "portes")
    with pytest.raises(tf.EvaluatorError, match="returned dtype"):
        tf.evaluate(tf.start(), judge)
