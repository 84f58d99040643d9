"""The arena: pairs of games with the same dice, counted right, the same for any workers."""

from __future__ import annotations

import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._core import net_games
from tavli_fast.play.arena import arena
from tavli_fast.rollouts.arena import ArenaResult
from tavli_fast.rollouts.plan import board_key


def net(rules: str, seed: int) -> tf.Net:
    return tf.Net.random(rules, hidden=8, seed=seed, scale=1.0)


NET, OTHER = net("backgammon", 1), net("backgammon", 2)


def pip_runner(afterstates: np.ndarray) -> np.ndarray:
    """A player of a few lines: fewer blots, and more of his checkers home."""
    mine = afterstates[:, 0].astype(np.float64)
    return mine[:, 1:7].sum(1) + 2 * mine[:, 0] - (mine[:, 1:25] == 1).sum(1) - 3 * mine[:, 25]


def equities(outcomes: np.ndarray) -> np.ndarray:
    return outcomes[:, :3].sum(1) - (1 - outcomes[:, 0] - outcomes[:, 5]) - outcomes[:, 3:5].sum(1)


def game_by_hand(players: Any, rules: str, dice: np.ndarray) -> tuple[int, int]:
    """Play a game move by move; return the points of who began, and the plies."""
    board = tf.start(rules)
    for ply, roll in enumerate(dice):
        after = tf.afterstates(board, roll, rules).boards
        if not len(after):
            after = board[np.newaxis]
        board = after[np.argmax(equities(players[ply % 2](after, rules)))]
        over, points = tf.outcomes(board, rules)
        if over[0]:
            return int(points[0]) * (1 - 2 * (ply % 2)), ply + 1
        board = tf.flip(board)
    raise AssertionError("the dice have run out")


@pytest.mark.parametrize(("rules", "contest"), [("backgammon", True), ("portes", False)])
def test_the_games_are_those_that_the_dice_give(rules: str, contest: bool) -> None:
    pairs = 6
    first, second = net(rules, 1), net(rules, 2)
    found = arena(first, second, rules, games=2 * pairs, seed=5)
    dice = net_games.trial_dice(board_key(5, 0, True), 0, pairs, 0, 500, contest, False)
    counts, plies, points = np.zeros((2, 7), int), 0, np.zeros((2, pairs), int)
    for pair in range(pairs):
        for row, players in enumerate([(first, second), (second, first)]):
            ended, length = game_by_hand(players, rules, dice[pair])
            points[row, pair] = ended * (1 - 2 * row)
            counts[row, 3 + points[row, pair]] += 1
            plies += length
    np.testing.assert_array_equal(found.counts, counts)
    assert (found.pairs, found.plies, found.unfinished) == (pairs, plies, 0)
    assert found.points == pytest.approx(points.mean())
    each = points.mean(axis=0)
    assert found.std_error == pytest.approx(each.std(ddof=1) / pairs**0.5)
    wins = (points > 0).mean(axis=0)
    assert found.won() == pytest.approx(wins.mean())
    assert found.won_error == pytest.approx(wins.std(ddof=1) / pairs**0.5)
    assert found.first_player == pytest.approx((points[0] - points[1]).sum() / (2 * pairs))
    assert found.lost(2) == pytest.approx((points <= -2).mean())


def test_the_first_roll_is_that_of_the_rules() -> None:
    assert arena("random", "random", "backgammon", 20, seed=1).opening
    assert not arena("random", "random", "portes", 20, seed=1).opening
    assert arena("random", NET, "backgammon", 300, seed=1) == arena(
        "random", NET, "backgammon", 300, seed=1, opening=True
    )
    rules = replace(tf.BACKGAMMON, opening="fresh_roll")
    fresh = arena(NET, OTHER, rules, 300, seed=1)
    np.testing.assert_array_equal(
        fresh.counts, arena(NET, OTHER, "backgammon", 300, seed=1, opening=False).counts
    )
    assert not np.array_equal(fresh.counts, arena(NET, OTHER, "backgammon", 300, seed=1).counts)


def test_who_is_named_first_makes_no_difference() -> None:
    one, other = (arena(*pair, "backgammon", 1000, seed=3) for pair in [(NET, OTHER), (OTHER, NET)])
    # A game that the first began as first is one that he began as second.
    np.testing.assert_array_equal(one.counts, other.counts[::-1, ::-1])
    assert one.points == -other.points
    assert one.std_error == other.std_error
    assert one.interval == tuple(-end for end in other.interval[::-1])
    assert (one.first, one.second) == (NET.name, OTHER.name) == (other.second, other.first)


def test_a_policy_against_itself_wins_nothing() -> None:
    cases: list[tuple[tf.PolicyLike, str]] = [(NET, "backgammon"), ("random", "plakoto")]
    for policy, rules in cases:
        found = arena(policy, policy, rules, 400, seed=1)
        assert (found.points, found.std_error) == (0, 0)
        np.testing.assert_array_equal(found.counts[0], found.counts[1, ::-1])


@pytest.fixture(scope="module")
def expected() -> ArenaResult:
    return arena(NET, "random", "backgammon", 1502, seed=2, threads=1)


@pytest.mark.parametrize("threads", [2, 7, None])
def test_threads_do_not_change_a_game(expected: ArenaResult, threads: int | None) -> None:
    assert arena(NET, "random", "backgammon", 1502, seed=2, threads=threads) == expected


def test_nor_does_an_executor(expected: ArenaResult) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert arena(NET, "random", "backgammon", 1502, seed=2, executor=pool) == expected
        assert pool.submit(int).result() == 0  # it is left running
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert arena(NET, "random", "backgammon", 1502, seed=2, executor=pool) == expected
    assert arena(NET, "random", "backgammon", 1502, seed=8) != expected


def test_callables_play_the_same_games_as_their_net(expected: ArenaResult) -> None:
    # Up to a choice in some 100,000, whose candidates are equal but for the order of the sum.
    def called(afterstates: np.ndarray) -> np.ndarray:
        return NET(afterstates)

    found = arena(called, "random", "backgammon", 1502, seed=2)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert found.first == "called"


def test_a_better_player_wins() -> None:
    found = arena(pip_runner, "random", "portes", 1000, seed=1)
    assert found.points > 0.5
    assert found.interval[0] < found.points < found.interval[1]
    assert 0.65 < found.won() < 0.85
    assert found.won() + found.lost() + found.drawn == pytest.approx(1)


def test_the_error_is_that_of_the_pairs() -> None:
    nets = net("hypergammon", 1), net("hypergammon", 2)
    results = [arena(*nets, games=100, seed=seed) for seed in range(200)]
    spread = np.std([each.points for each in results], ddof=1)
    claimed = np.sqrt(np.mean([each.std_error**2 for each in results]))
    assert 0.85 < claimed / spread < 1.15
    # The pairs' games are no independent ones: their dice make them alike, or opposite.
    mean = np.mean([each.points for each in results])
    within = [low <= mean <= high for low, high in (each.interval for each in results)]
    assert 0.9 < np.mean(within) < 0.99


def test_games_that_are_cut() -> None:
    found = arena(NET, "random", "backgammon", 100, seed=1, max_plies=4)
    assert (found.games, found.unfinished, found.plies) == (0, 50, 0)
    assert np.isnan(
        [found.points, found.std_error, found.won(), found.drawn, found.won_error]
    ).all()
    assert np.isnan(found.first_player)
    assert "50 pairs were cut" in repr(found)
    some = arena(NET, "random", "backgammon", 200, seed=1, max_plies=60)
    assert 0 < some.unfinished < 100
    assert some.pairs + some.unfinished == 100
    assert some.counts.sum() == some.games


def test_what_it_prints() -> None:
    found = arena("random", "random", "plakoto", 200, seed=1)
    text = repr(found)
    assert text.startswith(
        "<ArenaResult: random against random, rules plakoto, 200 games, seed 1\n"
        "  points a game +0.0000 ± 0.0000"
    )
    assert "\n  drawn " in text


def test_the_array_is_read_only(expected: ArenaResult) -> None:
    with pytest.raises(ValueError, match="read-only"):
        expected.counts[0, 0] = 1


def test_progress_counts_games_and_may_stop_it() -> None:
    seen: list[tuple[int, int]] = []
    arena("random", "random", games=1000, seed=1, progress=lambda *args: seen.append(args))
    assert seen[-1] == (1000, 1000)
    assert seen == sorted(seen)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        arena("random", "random", games=100_000, seed=1, progress=stop)
    assert threading.active_count() == before


BAD = [
    ({"games": 3}, "games=3: expected an even number"),
    ({"games": 0}, "games=0: expected an integer 2 to"),
    ({"rules": "chess"}, "rules='chess'"),
    ({"first": "gnubg"}, "first='gnubg': expected"),
    ({"second": 3}, "second=3: expected"),
    ({"second": NET, "rules": "fevga"}, "expected one for fevga"),
    ({"opening": 1}, "opening=1: expected True, False or None"),
    ({"seed": -1}, "seed=-1"),
    ({"threads": 0}, "threads=0"),
    ({"executor": 3}, "executor=3"),
    ({"max_plies": 0}, "max_plies=0"),
    ({"progress": 3}, "progress=3"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_arguments(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"first": "random", "second": "random", "games": 2} | changes
    with pytest.raises(ValueError, match=message):
        arena(**arguments)


def test_a_callable_that_fails_stops_it() -> None:
    def broken(afterstates: np.ndarray) -> np.ndarray:
        return np.full(len(afterstates), np.nan)

    before = threading.active_count()
    with pytest.raises(tf.EvaluatorError, match="broken"):
        arena("random", broken, games=200, seed=1)
    assert threading.active_count() == before
