"""Starts, turning boards round, checking them, scoring them, and positions from random play."""

import dataclasses
import pickle

import numpy as np
import pytest
from boards import HITTING

import tavli_fast as tf
from tavli_fast import BoardError, Rules


def test_start_is_the_rules_start_for_both_sides() -> None:
    board = tf.start("nackgammon")
    assert board.dtype == np.int8
    assert board.shape == (2, 26)
    for plane in board:
        assert {p: n for p, n in enumerate(plane) if n} == {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}


def test_flip_swaps_planes_into_a_fresh_array_of_the_same_shape() -> None:
    boards = tf.random_boards(10, seed=1)
    turned = tf.flip(boards)
    np.testing.assert_array_equal(turned, boards[:, ::-1])
    assert turned.flags.c_contiguous
    assert not np.shares_memory(turned, boards)
    np.testing.assert_array_equal(tf.flip(boards[0]), boards[0, ::-1])


@pytest.mark.parametrize("name", HITTING)
def test_random_boards_are_positions_of_every_phase(name: str) -> None:
    boards = tf.random_boards(3000, name, seed=5)
    tf.validate(boards, name)
    over, _ = tf.outcomes(boards, name)
    assert not over.any()
    assert (boards[:, 0, 25] > 0).any()  # on the bar
    assert (boards[:, 0, 7:].sum(axis=1) == 0).any()  # bearing off
    assert (boards[:, 0, 0] > 0).any()
    assert len({board.tobytes() for board in boards}) > 2000


def test_random_boards_repeat_with_their_seed_and_start_alike_for_any_number() -> None:
    np.testing.assert_array_equal(tf.random_boards(50, seed=3), tf.random_boards(80, seed=3)[:50])
    assert not np.array_equal(tf.random_boards(50, seed=3), tf.random_boards(50, seed=4))
    assert not np.array_equal(tf.random_boards(50), tf.random_boards(50))
    assert tf.random_boards(0, seed=1).shape == (0, 2, 26)


def test_outcomes_count_from_plane_0_whoever_has_won() -> None:
    won = np.zeros((2, 26), np.int8)
    won[0, 0], won[1, 12], won[1, 20] = 15, 14, 1  # none off, one in the winner's home
    boards = np.stack([won, won[::-1], tf.start()])
    over, points = tf.outcomes(boards, "backgammon")
    assert over.tolist() == [True, True, False]
    assert points.tolist() == [3, -3, 0]
    assert tf.outcomes(boards, "portes")[1].tolist() == [2, -2, 0]
    assert tf.count_plays(boards, (6, 1), "backgammon").tolist()[:2] == [0, 0]


def test_presets_are_found_by_name_and_frozen() -> None:
    assert tf.RULES["portes"] is tf.PORTES
    with pytest.raises(dataclasses.FrozenInstanceError):
        tf.PORTES.checkers = 3  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(tf.TAVLA)) == tf.TAVLA


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"checkers": 0}, "checkers=0: expected 1 to 15"),
        ({"checkers": 16}, "checkers=16: expected 1 to 15"),
        ({"checkers": 15.0}, "checkers=15.0: expected an int"),
        ({"checkers": True}, "checkers=True: expected an int"),
        ({"checkers": 14}, "14 checkers in all, not 15"),
        ({"start": ((25, 15),)}, "points 1 to 24"),
        ({"start": ((0, 15),)}, "points 1 to 24"),
        ({"start": ((24, 16), (23, -1))}, "at least one checker"),
        ({"start": ((24, 14),)}, "15 checkers in all, not 14"),
        ({"start": ((24, 10), (24, 5))}, "each point named once"),
        ({"start": ((24, 10), (1, 5))}, "the opponent's start holds too"),
        ({"start": [(24, 15)]}, "a tuple of"),
        ({"start": "24:15"}, "a tuple of"),
        ({"contact": "pinn"}, "contact='pinn'"),
        ({"max_dice": 1}, "max_dice=1: expected True or False"),
        ({"higher_die": None}, "higher_die=None: expected True or False"),
        ({"single_points": 0}, "single_points=0: expected 1 to 3"),
        ({"gammon_points": 4}, "gammon_points=4: expected 1 (as many as"),
        (
            {"backgammon_points": 1},
            "backgammon_points=1: expected 2 (as many as gammon_points) to 3",
        ),
        ({"backgammon_needs": "home"}, "'home_or_bar' or 'bar_only'"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match="expected") as error:
        dataclasses.replace(tf.PORTES, **change)  # type: ignore[arg-type]
    assert message in str(error.value)
    assert next(iter(change)) in str(error.value) or "start" in str(error.value)


def test_validate_names_the_first_bad_board() -> None:
    boards = tf.random_boards(5, seed=1)
    boards[3, 0, 0] += 1
    boards[4, 0, 0] += 2
    with pytest.raises(BoardError, match=r"boards\[3\]: plane 0 .* 16 checkers: expected 15"):
        tf.validate(boards)
    assert issubclass(BoardError, ValueError)
    tf.validate(boards[:3])
    tf.validate(tf.start(), Rules())
