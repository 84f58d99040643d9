"""Evaluators with tables: exact where the table knows, as before elsewhere, and games end there."""

import pickle
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._core import evaluate as core
from tavli_fast.exact.bearoff import has_table

STANDARD = [name for name in sorted(tf.RULES) if has_table(tf.RULES[name])]


def bearoffs(count: int, seed: int, most: int = 6, points: int = 6, checkers: int = 15) -> Any:
    """Return boards whose sides have 1 to `most` checkers left, all on their first points."""
    rng = np.random.default_rng(seed)
    boards = np.zeros((count, 2, 26), np.int8)
    for board in boards:
        for side in board:
            where = rng.integers(1, points + 1, rng.integers(1, most + 1))
            np.add.at(side, where, 1)
            side[0] = checkers - side[1:].sum()
    return boards


def exact_equities(boards: Any) -> Any:
    return tf.two_sided().equity(boards[:, 0, 1:7], boards[:, 1, 1:7])


def by_pips(boards: Any) -> Any:
    """Judge by the difference of the pip counts."""
    lead = (boards[:, 1] - boards[:, 0]).astype(float) @ np.arange(26)
    out = np.zeros((len(boards), 5))
    out[:, 0] = 1 / (1 + np.exp(-lead / 20))
    return out


@pytest.mark.parametrize("name", STANDARD)
def test_plays_of_a_bearoff_are_the_same_in_all_games(name: str) -> None:
    """What lets one table serve them all."""
    rules = tf.RULES[name]
    off = 15 - rules.checkers
    boards = bearoffs(60, 1, min(6, rules.checkers - 1))
    theirs = boards.copy()
    theirs[:, :, 0] -= off
    dice = np.random.default_rng(2).integers(1, 7, (len(boards), 2))
    expected, starts = tf.afterstates(boards, dice, "backgammon")
    found, offsets = tf.afterstates(theirs, dice, rules)
    np.testing.assert_array_equal(offsets, starts)
    found = found.copy()
    found[:, :, 0] += off
    for begin, end in pairwise(starts):
        one, other = (
            sorted(each.tobytes() for each in some[begin:end]) for some in (found, expected)
        )
        assert one == other


@pytest.mark.parametrize("name", STANDARD)
def test_the_exact_values_of_every_game(name: str) -> None:
    rules = tf.RULES[name]
    boards = bearoffs(300, 3, min(6, rules.checkers - 1))
    expected = exact_equities(boards)
    boards[:, :, 0] -= 15 - rules.checkers
    net = tf.with_tables("net", name)
    for plies in (0, 1):
        found = tf.evaluate(boards[: 300 if plies == 0 else 30], net, name, plies)
        np.testing.assert_allclose(found.equity, expected[: len(found.equity)], atol=3e-7)
        assert not found.outcomes[:, 1:].any()


def test_every_pair_of_sides_is_found_where_it_is() -> None:
    """All 851,929 of them, in the core's look-up."""
    sides = np.array([side for side in np.ndindex(*[7] * 6) if 0 < sum(side) <= 6], np.int8)
    boards = np.zeros((len(sides), 2, 26), np.int8)
    table = tf.two_sided()
    net: Any = tf.with_tables("net", "backgammon")
    out = np.empty((len(sides), 6), np.float32)
    for other in sides[:: 1 if len(sides) < 100 else 12]:
        boards[:, 0, 1:7], boards[:, 1, 1:7] = other, sides
        boards[:, :, 0] = 15 - boards[:, :, 1:].sum(axis=2)
        core.outcomes(boards, net.rules, net.packed, net.kind, net.columns, net.outputs, out)
        win = (1 - table.equity(sides, other)) / 2
        np.testing.assert_allclose(out[:, 0], win, atol=1e-7)


def test_elsewhere_the_net_is_as_it_was() -> None:
    net = tf.load_net("backgammon")
    both: Any = tf.with_tables(net)
    assert both.name == f"{net.name} with tables"
    random = tf.random_boards(500, "backgammon", seed=1)
    near = [bearoffs(50, 4, 9), bearoffs(50, 5, 6, 9)]
    boards = np.concatenate([random, *near])
    left, last = boards[:, :, 1:].sum(axis=2), boards[:, :, 7:].any(axis=(1, 2))
    known = ~last & (left <= 6).all(axis=1) & (left > 0).all(axis=1)
    assert known.any()
    for evaluator in (both, tf.with_tables(lambda after: net(after), "backgammon")):
        found, bare = tf.evaluate(boards, evaluator), tf.evaluate(boards, net)
        np.testing.assert_array_equal(found.outcomes[~known], bare.outcomes[~known])
        np.testing.assert_allclose(found.equity[known], exact_equities(boards[known]), atol=3e-7)
    dice = np.random.default_rng(1).integers(1, 7, (len(boards), 2))
    changed = tf.best_plays(boards, dice, both, top=3)
    there = changed.boards[:, :, 0, 0] >= 0
    np.testing.assert_array_equal(changed.outcomes[there], both(changed.boards[there]))


def test_best_plays_in_the_table_are_the_best() -> None:
    boards = bearoffs(400, 6)
    dice = np.random.default_rng(3).integers(1, 7, (len(boards), 2))
    after, offsets = tf.afterstates(boards, dice, "backgammon")
    over = tf.outcomes(after, "backgammon")[0]
    worth = np.ones(len(after))
    worth[~over] = -exact_equities(after[~over, ::-1])
    best = np.maximum.reduceat(worth, offsets[:-1])
    for evaluator in (tf.with_tables("net", "backgammon"), tf.with_tables(by_pips, "backgammon")):
        found = tf.best_plays(boards, dice, evaluator, "backgammon")
        np.testing.assert_allclose(found.equity[:, 0], best, atol=3e-7)


def test_equities_alone_and_other_answers() -> None:
    boards = bearoffs(20, 7, 8)
    left = boards[:, :, 1:].sum(axis=2)
    known = (left <= 6).all(axis=1)
    judge = tf.with_tables(lambda after: np.full(len(after), 0.25), "backgammon")
    found = tf.evaluate(boards, judge).equity
    np.testing.assert_array_equal(found[~known], -0.25)
    np.testing.assert_allclose(found[known], exact_equities(boards[known]), atol=1e-12)
    with pytest.raises(tf.EvaluatorError, match="returned shape"):
        tf.evaluate(boards, tf.with_tables(lambda after: np.zeros((len(after), 3)), "backgammon"))
    with pytest.raises(tf.EvaluatorError, match="raised"):
        tf.evaluate(boards, tf.with_tables(lambda after: 1 / 0, "backgammon"))


def test_other_bearoffs_have_no_table() -> None:
    with pytest.raises(ValueError, match="cascade=False"):
        tf.with_tables("net", "gul_bara")
    for bad in (5, "random", None, int):
        with pytest.raises(ValueError, match="evaluator="):
            tf.with_tables(bad, "backgammon")
    rules = replace(tf.BACKGAMMON, bearoff_internal=False)
    boards, net = bearoffs(50, 8), tf.load_net("backgammon")
    for evaluator in (net, lambda after: net(after, rules)):
        found = tf.evaluate(boards, tf.with_tables(evaluator, "backgammon"), rules)
        np.testing.assert_array_equal(found.outcomes, tf.evaluate(boards, net, rules).outcomes)
    ended = tf.rollout(boards[:1], tf.with_tables(net), rules, trials=10, seed=1)
    assert ended.truncated[0] == 0


def test_it_can_be_sent_and_the_net_saved(tmp_path: Any) -> None:
    net = tf.load_net("backgammon")
    both: Any = tf.with_tables(net)
    assert id(tf.with_tables(both)) == id(both)
    again: Any = pickle.loads(pickle.dumps(both))
    np.testing.assert_array_equal(again.packed, both.packed)
    assert again.name == both.name
    both.save(tmp_path / "net.npz")
    assert tf.Net.load(tmp_path / "net.npz").name == net.name


# --- rollouts -------------------------------------------------------------------------------------


def test_a_rollout_ends_in_the_table_without_bias() -> None:
    boards = bearoffs(100, 9, 9)
    boards = boards[(boards[:, :, 1:].sum(axis=2) > 6).any(axis=1)][:30]
    net = tf.with_tables("net", "backgammon")
    options: dict[str, Any] = {"rules": "backgammon", "trials": 640, "seed": 3}
    ended = tf.rollout(boards, net, **options)
    played = tf.rollout(boards, (net, tf.load_net("backgammon")), **options)
    assert ended.settings.tables
    assert not played.settings.tables
    assert ended.truncated.sum() > 320 * len(boards)
    assert (ended.counts.sum(axis=1) + ended.truncated == 640).all()
    assert played.truncated.sum() == 0
    assert ended.plies.sum() < played.plies.sum()
    assert ended.std_error.mean() < 0.7 * played.std_error.mean()


@pytest.mark.parametrize("variance_reduction", [False, True])
def test_the_mean_is_exact(variance_reduction: bool) -> None:
    """Of positions one roll or two before the table, whose values a full search knows."""
    boards = bearoffs(60, 10)
    net = tf.with_tables("net", "backgammon")
    found = tf.rollout(
        boards, net, "backgammon", trials=360, seed=4, variance_reduction=variance_reduction
    )
    off = np.abs(found.equity - exact_equities(boards))
    assert (off <= 4 * found.std_error + 1e-6).all()
    assert (found.plies <= 360).all()  # the first afterstate is in it already


@pytest.mark.slow
def test_two_hundred_positions_within_four_errors() -> None:
    boards = bearoffs(200, 11)
    net = tf.load_net("backgammon")
    for policy in (tf.with_tables(net), tf.with_tables(lambda after: net(after), "backgammon")):
        found = tf.rollout(boards, policy, "backgammon", trials=1296, seed=5)
        off = np.abs(found.equity - exact_equities(boards))
        assert (off <= 4 * found.std_error + 1e-6).all()


def test_callables_end_their_games_there_too() -> None:
    boards = bearoffs(12, 12, 8)
    net = tf.load_net("backgammon").with_sieve(None)  # a callable judges all plays
    fast = tf.rollout(boards, tf.with_tables(net), "backgammon", trials=256, seed=6)
    judge = tf.with_tables(lambda after: net(after), "backgammon")
    slow = tf.rollout(boards, judge, "backgammon", trials=256, seed=6)
    assert slow.settings.tables
    np.testing.assert_allclose(fast.equity, slow.equity, atol=1e-6)
    np.testing.assert_allclose(fast.std_error, slow.std_error, atol=1e-5)


def test_the_cube_and_the_arena_play_on() -> None:
    net = tf.with_tables("net", "backgammon")
    found = tf.rollout(bearoffs(2, 13), net, "backgammon", trials=64, seed=1, cube=True)
    assert found.truncated.sum() == 0
    games = tf.arena(net, tf.load_net("backgammon"), games=20, seed=1)
    assert games.counts.sum() == 20


def test_exact_cube_reads_the_table() -> None:
    boards, table = bearoffs(40, 14, 6), tf.two_sided()
    setting = tf.CubeSetting(cap=None)
    for board in boards[:20]:
        found = tf.exact_cube(board, setting, "backgammon", limit=1)
        mine, theirs = board[:, 1:7]
        for field, place in (("cubeless", "none"), ("centred", "centred"), ("owned", "own")):
            assert getattr(found, field) == table.equity(mine, theirs, place)[0]
        best = table.equity(mine, theirs, "centred", best_action=True)[0]
        doubled = min(found.double_take, 1.0)
        assert max(found.no_double, doubled) == pytest.approx(best, abs=1e-12)
    # One roll before the table: the search goes no further than to it.
    board = boards[0]
    board[0] = 0
    board[0, :3] = 8, 4, 3
    assert tf.exact_cube(board, setting, "backgammon", limit=200).cubeless == pytest.approx(
        tf.evaluate(board, tf.with_tables("net", "backgammon"), plies=1).equity[0], abs=1e-6
    )


def test_exact_cube_reads_it_only_where_it_is_right() -> None:
    board = bearoffs(1, 16, 2)[0]
    for setting in (
        tf.CubeSetting(cap=2),
        tf.CubeSetting(beavers=True),
        tf.CubeSetting(away=(2, 3)),
        tf.CubeSetting(jacoby=True),
    ):
        with pytest.raises(ValueError, match="limit=1"):
            tf.exact_cube(board, setting, "backgammon", limit=1)
