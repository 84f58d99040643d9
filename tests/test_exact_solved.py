"""Solved games against a solver in plain Python, GNU Backgammon's figures, tables and rollouts."""

from __future__ import annotations

import dataclasses
import os
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tf


@cache
def few(name: str, checkers: int) -> tf.Rules:
    """The rules of a preset with fewer checkers."""
    start = ((24, 1), (23, 1), (22, 1))[:checkers] if name == "hypergammon" else ((24, checkers),)
    return dataclasses.replace(tf.RULES[name], checkers=checkers, start=start)


@cache
def solved(name: str, checkers: int) -> tf.SolvedGame:
    return tf.solve(few(name, checkers), cube=name == "hypergammon" and checkers == 1)


def boards_of(rules: tf.Rules, count: int = 500) -> np.ndarray:
    return tf.random_boards(count, rules=rules, seed=11)


def test_one_checker_a_side_as_a_solver_over_the_reference_has_it() -> None:
    rules = few("hypergammon", 1)
    rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    boards = [
        board
        for mine in range(26)
        for theirs in range(26)
        if (board := _board(mine, theirs)) is not None
    ]
    index = {board.tobytes(): at for at, board in enumerate(boards)}
    over, points = tf.reference.outcomes(np.array(boards), rules)
    plays = []
    for at, board in enumerate(boards):
        if over[at]:
            continue
        after = [tf.reference.afterstates(board, roll, rules=rules).boards for roll in rolls]
        plays.append(
            (
                at,
                [
                    [index[one[::-1].tobytes()] for one in (group if len(group) else [board])]
                    for group in after
                ],
            )
        )
    values = np.where(over, points, 0).astype(float)
    weights = np.array([1 if high == low else 2 for high, low in rolls]) / 36
    for _ in range(200):
        for at, groups in plays:
            values[at] = weights @ [max(-values[group]) for group in groups]
    found = solved("hypergammon", 1).equity(np.array(boards))
    np.testing.assert_allclose(found, values, atol=1e-9)
    assert solved("hypergammon", 1).positions == len(boards)


def _board(mine: int, theirs: int) -> np.ndarray | None:
    """The board with one checker of each side, or None if there is none."""
    if (mine + theirs == 25 and 0 < mine < 25) or mine == theirs == 0:
        return None
    board = np.zeros((2, 26), np.int8)
    board[0, mine] = board[1, theirs] = 1
    return board


def test_hypergammon_of_one_and_two_checkers() -> None:
    one, two = solved("hypergammon", 1), solved("hypergammon", 2)
    start = tf.start(one.rules)
    assert one.equity(start)[0] == pytest.approx(0.4527731370418782, abs=1e-10)
    assert two.equity(tf.start(two.rules))[0] == pytest.approx(0.1522439, abs=5e-8)
    # GNU Backgammon's builder of such tables stops at changes of 1e-5: for the cube owned, in the
    # middle, in the middle with Jacoby's rule, and the opponent's.
    for cube, equity in (
        ("own", 0.5882762),
        ("centred", 0.5393156),
        ("jacoby", 0.4556764),
        ("other", 0.3863552),
    ):
        assert one.equity(start, cube)[0] == pytest.approx(equity, abs=1e-5)
    probabilities = [0.6015828, 0.6015829, 0.0795881, 0.3984172, 0.0331458, 0]
    np.testing.assert_allclose(one.outcomes(start)[0], probabilities, atol=1e-6)
    probabilities = [0.5354742, 0.4183961, 0.0416776, 0.3491110, 0.0296671, 0]
    np.testing.assert_allclose(two.outcomes(tf.start(two.rules))[0], probabilities, atol=3e-5)


GAMES = [
    ("hypergammon", 2),
    ("plakoto", 2),
    ("fevga", 2),
    *(pytest.param(name, 2, marks=pytest.mark.slow) for name in ("tapa", "narde", "tavla")),
]


@pytest.mark.parametrize(("name", "checkers"), GAMES)
def test_a_solved_game_solves_bellmans_equation(name: str, checkers: int) -> None:
    game = solved(name, checkers)
    boards = boards_of(game.rules)
    equity, outcomes = game.equity(boards), game.outcomes(boards)
    for plies in (0, 1):
        found = tf.evaluate(boards, evaluator=game, rules=game.rules, plies=plies)
        np.testing.assert_allclose(found.equity, equity, atol=1e-9)
    win, win2, win3, lose2, lose3, draw = outcomes.T
    lose = 1 - win - draw
    np.testing.assert_allclose(win + win2 + win3 - lose - lose2 - lose3, equity, atol=1e-9)
    for more, fewer in pairwise((win3, win2, win)):
        assert (more <= fewer + 1e-12).all()
    assert game.bound < 1e-8


@pytest.mark.parametrize(("name", "checkers"), GAMES[:3])
def test_rollouts_by_a_solved_game_come_to_its_equities(name: str, checkers: int) -> None:
    game = solved(name, checkers)
    boards = boards_of(game.rules, 3)
    result = tf.rollout(boards, policy=game, rules=game.rules, trials=720, seed=5)
    assert (np.abs(result.equity - game.equity(boards)) < 4.5 * result.std_error + 1e-9).all()


def test_a_race_is_worth_what_the_two_sided_table_says() -> None:
    rules = dataclasses.replace(few("hypergammon", 2), jacoby=False)
    game, table = solved("hypergammon", 2), tf.two_sided(rules)
    sides = [(a, b) for a in range(7) for b in range(a, 7) if b]
    boards = []
    for mine in sides:
        for theirs in sides:
            board = np.zeros((2, 26), np.int8)
            for plane, side in enumerate((mine, theirs)):
                for point in side:
                    board[plane, point] += 1
            boards.append(board)
    batch = np.array(boards)
    found = table.equity(batch[:, 0, 1:7], batch[:, 1, 1:7])
    np.testing.assert_allclose(game.equity(batch), found, atol=1e-9)


def test_any_number_of_threads_finds_the_same_bits() -> None:
    rules = few("plakoto", 1)
    games = [tf.solve(rules, threads=threads) for threads in (1, 2, 5)]
    boards = boards_of(rules, 100)
    for game in games[1:]:
        np.testing.assert_array_equal(game.equity(boards), games[0].equity(boards))
        np.testing.assert_array_equal(game.outcomes(boards), games[0].outcomes(boards))


def test_threads_do_not_matter_where_checkers_are_hit() -> None:
    one = solved("hypergammon", 1)
    two = solved("hypergammon", 2)
    games = [
        (one, tf.solve(one.rules, threads=3, cube=True)),
        (two, tf.solve(two.rules, threads=1 if os.cpu_count() != 1 else 3)),
    ]
    for expected, game in games:
        boards = boards_of(game.rules, 5000)
        for cube in game.cubes:
            np.testing.assert_array_equal(game.equity(boards, cube), expected.equity(boards, cube))
        np.testing.assert_array_equal(game.outcomes(boards), expected.outcomes(boards))
        np.testing.assert_array_equal(game.plies(boards), expected.plies(boards))


def test_plays_that_depend_on_blots_are_not_looked_up_in_lists() -> None:
    # Whoever hits at home must stop there, so that one checker has fewer plays than in the lists.
    free = few("hypergammon", 1)
    bound = dataclasses.replace(free, hit_and_run_home=False)
    game = tf.solve(bound)
    boards = boards_of(bound)
    found = tf.evaluate(boards, evaluator=game, rules=bound, plies=1)
    np.testing.assert_allclose(found.equity, game.equity(boards), atol=1e-9)
    assert np.abs(game.equity(boards) - solved("hypergammon", 1).equity(boards)).max() > 1e-3


def test_a_file_gives_the_same_game_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    game, path = solved("hypergammon", 1), tmp_path / "one.solved"
    game.save(path)
    read = tf.SolvedGame.load(path)
    boards = boards_of(game.rules, 100)
    assert read.rules == game.rules
    assert read.cubes == game.cubes == ("none", "own", "other", "centred", "jacoby")
    for cube in game.cubes:
        for best in (False, True):
            np.testing.assert_array_equal(
                read.equity(boards, cube, best_action=best),
                game.equity(boards, cube, best_action=best),
            )
    whole = path.read_bytes()
    generator = np.random.default_rng(3)
    for at in [0, 5, 30, len(whole) - 100, *generator.integers(1000, len(whole) - 64, 20)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 64]) + whole[at + 1 :])
        with pytest.raises(ValueError, match=r"is (no|a damaged) solved game"):
            tf.SolvedGame.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(ValueError, match=r"is (no|a damaged) solved game"):
            tf.SolvedGame.load(path)


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "one.solved"
    path.write_text("old")
    with pytest.raises(OSError, match="No such file"):
        solved("hypergammon", 1).save(tmp_path / "missing" / "one.solved")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["one.solved"]


def test_games_that_do_not_fit_are_refused_with_their_size() -> None:
    with pytest.raises(tf.ResultTooLargeError, match=r"15 checkers a side have up to [\d,]+ posi"):
        tf.solve("portes")
    with pytest.raises(tf.ResultTooLargeError, match=r"10,732,176 positions take [\d,]+ bytes"):
        tf.solve("hypergammon", most_bytes=10**6)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="tolerance"):
        tf.solve(few("hypergammon", 1), tolerance=0)
    with pytest.raises(ValueError, match="threads"):
        tf.solve(few("hypergammon", 1), threads=0)
    game = solved("hypergammon", 1)
    with pytest.raises(ValueError, match="cube='mine': expected one of none, own"):
        game.equity(tf.start(game.rules), "mine")
    with pytest.raises(tf.BoardError, match="checkers"):
        game.equity(tf.start("portes"))
    with pytest.raises(ValueError, match="cube='own': expected one of none"):
        solved("plakoto", 2).equity(tf.start(solved("plakoto", 2).rules), "own")
