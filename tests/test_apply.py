"""Making given moves: with a roll they must be a play of it, without each must be possible."""

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import IllegalMoveError


def board_of(mine: dict[int, int], theirs: dict[int, int]) -> np.ndarray:
    """Return a board from counts by point, each side's own numbers; the rest is borne off."""
    board = np.zeros((2, 26), np.int8)
    for plane, side in zip(board, (mine, theirs), strict=True):
        for point, checkers in side.items():
            plane[point] = checkers
        plane[0] = 15 - plane.sum()
    return board


def test_one_play_for_all_boards_and_a_play_each() -> None:
    board = tf.start()
    two = np.stack([board, board])
    after = tf.apply(two, [(8, 5), (6, 5)])
    assert after.shape == (2, 2, 26)
    np.testing.assert_array_equal(after[0], tf.apply(board, [(8, 5), (6, 5)], (3, 1))[0])
    each = np.array([[(8, 5), (6, 5)], [(24, 21), (-1, -1)]])
    assert tf.apply(two, each)[1, 0, 21] == 1


def test_a_legal_play_in_another_order_is_legal_if_each_move_is() -> None:
    board = tf.start()
    np.testing.assert_array_equal(
        tf.apply(board, [(8, 5), (6, 5)], (1, 3)), tf.apply(board, [(6, 5), (8, 5)], (1, 3))
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "moves", "dice", "why"),
    [
        ({6: 2}, {24: 1}, [(5, 2)], None, "5/2 is illegal: no checker"),
        ({6: 2, 25: 1}, {20: 1}, [(6, 2)], None, "on the bar must enter first"),
        ({6: 2}, {22: 2}, [(6, 3)], None, "6/3 is illegal: the landing point is closed"),
        ({6: 1, 8: 1}, {11: 1}, [(6, 0)], None, "6/off is illegal: no checker may be borne off"),
        ({6: 1}, {11: 1}, [(6, 7)], None, "a from of 1 to 25"),
        ({13: 1}, {11: 1}, [(13, 6)], None, "one die can join"),
        ({13: 1}, {11: 1}, [(26, 20)], None, "a from of 1 to 25"),
        ({13: 1}, {11: 1}, [(0, -2)], None, "a from of 1 to 25"),
        ({13: 1}, {11: 1}, [(13, 9)], (3, 2), "13/9 with 3-2 is illegal: no die"),
        ({13: 1}, {11: 1}, [(13, 10)], (3, 2), "is not a legal play"),
        ({13: 1}, {11: 1}, [], (3, 2), "a move can be made"),
        ({6: 1, 2: 1}, {11: 1}, [(2, 0), (6, 5)], (4, 1), "farther out"),
        ({6: 1, 4: 1}, {11: 1}, [(4, 0), (6, 0)], (6, 5), "farther out"),
        (
            {13: 1, 6: 1},
            {11: 1},
            [(13, 10), (13, 11)],
            (3, 2),
            "13/11 with 3-2 is illegal: no chec",
        ),
        ({13: 3}, {11: 1}, [(13, 10), (13, 11), (13, 12)], (3, 2), "no die of the roll is left"),
        ({}, {11: 1}, [(13, 10)], None, "the game is over"),
    ],
)
def test_illegal_moves_are_refused_with_the_reason(
    mine: dict[int, int],
    theirs: dict[int, int],
    moves: list[tuple[int, int]],
    dice: tuple[int, int] | None,
    why: str,
) -> None:
    board = board_of(mine, theirs)
    before = board.copy()
    with pytest.raises(IllegalMoveError) as error:
        tf.apply(board, moves, dice)
    assert why in str(error.value)
    np.testing.assert_array_equal(board, before)
    with pytest.raises(IllegalMoveError):
        tf.reference.apply(board, moves, dice)


def test_no_move_is_a_play_only_where_none_is_legal() -> None:
    dancing = board_of({25: 1}, {6: 2, 5: 2})
    np.testing.assert_array_equal(tf.apply(dancing, [], (6, 5))[0], dancing)
    with pytest.raises(IllegalMoveError, match="a move can be made"):
        tf.apply(dancing, [], (6, 4))
    finished = board_of({}, {11: 1})
    np.testing.assert_array_equal(tf.apply(finished, [], (6, 5))[0], finished)


def test_the_message_names_the_board_of_a_batch() -> None:
    boards = np.stack([tf.start(), tf.start()])
    moves = np.array([[(8, 5), (6, 5)], [(8, 5), (7, 6)]])
    with pytest.raises(IllegalMoveError, match=r"moves\[1\]: 7/6 with 3-1"):
        tf.apply(boards, moves, (3, 1))


def test_a_hitter_at_home_may_not_move_on_in_tavla() -> None:
    board = board_of({8: 1, 6: 1}, {20: 1})
    tf.apply(board, [(8, 5), (5, 3)], (3, 2), "portes")
    with pytest.raises(IllegalMoveError, match="may not move on"):
        tf.apply(board, [(8, 5), (5, 3)], (3, 2), "tavla")


def test_a_play_serves_as_moves_and_a_batch_of_one_as_a_board() -> None:
    board = tf.start()
    play = tf.parse_play("8/5 6/5", board, (3, 1))
    after = tf.apply(board, play, (3, 1))
    assert after.shape == (1, 2, 26)
    np.testing.assert_array_equal(after[0], play.board)
    assert len(tf.legal_plays(tf.flip(after), (6, 6))) > 0
