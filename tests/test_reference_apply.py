"""What the reference's `apply` plays, what it refuses, and how it says so."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from boards import Int8Array, start_board

from tavli_fast import reference
from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules.presets import BACKGAMMON_ZH, PORTES, TAVLA, Rules

START = start_board(PORTES)


def board(mine: dict[int, int], theirs: dict[int, int]) -> Int8Array:
    """Return a board, each side in its own numbers, the rest borne off."""
    result = np.zeros((2, 26), np.int8)
    for plane, points in zip(result, (mine, theirs), strict=True):
        plane[list(points)] = list(points.values())
        plane[0] = 15 - plane.sum()
    return result


# Mover's 24 8 6 against points 20 19 18 16 4: the worked case EN-04.
BOTH_DICE = board({24: 1, 8: 1, 6: 13}, {5: 4, 6: 4, 7: 3, 9: 2, 21: 2})
# Mover's 10 against point 1: the worked case EN-05.
ONE_DIE = board({10: 1}, {24: 2})
# Three left at home against a point far away.
AT_HOME = board({5: 1, 2: 2}, {1: 2})
DANCE = board({25: 1, 6: 14}, {1: 2, 3: 2})


def test_a_batch_takes_a_play_for_each_board_or_one_for_all() -> None:
    boards = np.stack([START, START])
    moves = np.array([[(8, 5), (6, 5), (-1, -1)], [(24, 21), (24, 23), (-1, -1)]])
    found = reference.apply(boards, moves, dice=(3, 1))
    assert found.shape == (2, 2, 26)
    assert found.dtype == np.int8
    assert (found[0, 0, [8, 6, 5]] == [2, 4, 2]).all()
    assert (found[1, 0, [24, 23, 21]] == [0, 1, 1]).all()
    assert (reference.apply(boards, moves[0], dice=(3, 1)) == found[:1]).all()


def test_a_hit_goes_to_the_bar() -> None:
    after = reference.apply(board({8: 2}, {20: 1, 1: 14}), [(8, 5)], dice=None)[0]
    assert after[1, 25] == 1
    assert after[1, 20] == 0


def test_no_moves_are_the_play_of_a_roll_that_cannot_be_played() -> None:
    none = np.full((4, 2), -1)
    assert (reference.apply(DANCE, none, dice=(3, 1))[0] == DANCE).all()
    assert (reference.apply(START, none)[0] == START).all()


@pytest.mark.parametrize(
    ("start", "moves", "dice", "rules", "message"),
    [
        # Without dice: each move for itself.
        (START, [(23, 22)], None, PORTES, "23/22: there is no checker to move"),
        (START, [(24, 19)], None, PORTES, "24/19: two enemy checkers close that point"),
        (START, [(13, 6)], None, PORTES, "13/6: no die moves a checker that far"),
        (START, [(8, 13)], None, PORTES, "8/13: a move goes from 25 (the bar) towards 0 (off)"),
        (START, [(26, 24)], None, PORTES, "26/24: a move goes from 25 (the bar) towards 0 (off)"),
        (START, [(6, 0)], None, PORTES, "6/off: not all checkers are home"),
        (DANCE, [(6, 5)], None, PORTES, "6/5: the checkers on the bar must enter first"),
        (DANCE, [(25, 24)], None, PORTES, "bar/24: two enemy checkers close that point"),
        (board({}, {1: 3}), [(6, 5)], None, PORTES, "6/5: the game is over"),
        (START, [(-1, -1), (6, 5)], None, PORTES, "6/5: a move stands after the padding"),
        (
            board({8: 2}, {20: 1, 1: 2}),
            [(8, 5), (5, 2)],
            None,
            TAVLA,
            "5/2: a checker that hits at home may not move on in the same turn",
        ),
        # With dice: the moves as a play of the roll.
        (START, [(24, 18)], (5, 1), PORTES, "24/18: no die of the roll makes that move"),
        (START, [(8, 5), (8, 5)], (3, 1), PORTES, "8/5: no die of the roll makes that move"),
        (START, [(8, 5), (6, 5), (6, 5)], (3, 1), PORTES, "6/5: no die is left for it"),
        (START, [(8, 5)], (3, 1), PORTES, "8/5: the 1 can still be played, and so it must be"),
        (START, [], (3, 1), PORTES, "no move: the roll can be played, and so it must be"),
        (
            AT_HOME,
            [(2, 0), (5, 4)],
            (6, 1),
            PORTES,
            "2/off: a larger die bears off from the farthest point only",
        ),
        (BOTH_DICE, [(8, 6)], (6, 2), PORTES, "8/6: 2 dice can be played, and so they must be"),
        (
            ONE_DIE,
            [(10, 7)],
            (6, 3),
            PORTES,
            "10/7: either die can be played but not both, so it must be the 6",
        ),
    ],
)
def test_refusals_name_the_board_the_move_and_the_reason(
    start: Int8Array, moves: Any, dice: tuple[int, int] | None, rules: Rules, message: str
) -> None:
    play = np.array(moves, np.int8).reshape(-1, 2)
    with pytest.raises(IllegalMoveError, match=f"^{re.escape('boards[0]: ' + message)}$"):
        reference.apply(start, play, dice=dice, rules=rules)


def test_refusals_name_the_board_in_a_batch() -> None:
    boards = np.stack([START, START[::-1], DANCE])
    with pytest.raises(IllegalMoveError, match=r"^boards\[2\]: 8/5: there is no checker"):
        reference.apply(boards, [(8, 5), (6, 5)], dice=(3, 1))


def test_house_rules_allow_what_the_duties_forbid() -> None:
    assert reference.apply(BOTH_DICE, [(8, 6)], (6, 2), BACKGAMMON_ZH)[0, 0, 6] == 14
    assert reference.apply(ONE_DIE, [(10, 7)], (6, 3), BACKGAMMON_ZH)[0, 0, 7] == 1
