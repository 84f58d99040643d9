"""Batches in stages (`generate/stages.c`): the same plays in the same order as board by board, for
every kind of roll and wherever a board stands in its block."""

import dataclasses
import itertools

import differential
import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import BoardError, Rules

BLOCK = 64
"""Boards that go through the stages together."""

HITTING = [
    *differential.all_rules(),
    dataclasses.replace(tf.PORTES, bearoff_oversize=False),
    dataclasses.replace(tf.TAVLA, max_dice=False, bearoff_oversize=False),
]
OTHERS = [rules for rules in tf.RULES.values() if rules.contact != "hit" and not rules.cascade]


def one_by_one(boards: np.ndarray, dice: np.ndarray, rules: Rules) -> list[tf.Plays]:
    """Return each board's plays, asked for alone: the stages have no part in that."""
    return [
        tf.plays(board, tuple(roll), rules)
        for board, roll in zip(boards, dice.tolist(), strict=True)
    ]


def assert_same(boards: np.ndarray, dice: np.ndarray, rules: Rules) -> None:
    """Compare the answers for a batch with those for each board alone."""
    alone = one_by_one(boards, dice, rules)
    moves, after, offsets = tf.plays(boards, dice, rules)
    counts = [len(plays.boards) for plays in alone]
    np.testing.assert_array_equal(np.diff(offsets), counts)
    np.testing.assert_array_equal(tf.count_plays(boards, dice, rules), counts)
    np.testing.assert_array_equal(after, np.concatenate([plays.boards for plays in alone]))
    np.testing.assert_array_equal(moves, np.concatenate([plays.moves for plays in alone]))
    listed = tf.afterstates(boards, dice, rules)
    np.testing.assert_array_equal(listed.boards, after)
    np.testing.assert_array_equal(listed.offsets, offsets)


def board(mine: dict[int, int], theirs: dict[int, int]) -> np.ndarray:
    """Return a board of 15 checkers a side; who is not named is borne off."""
    result = np.zeros((2, 26), np.int8)
    for plane, points in zip(result, (mine, theirs), strict=True):
        for point, checkers in points.items():
            plane[point] = checkers
        plane[0] = 15 - plane[1:].sum()
    return result


def with_every_roll(boards: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return each board with each of the 36 rolls."""
    rolls = np.array(list(itertools.product(range(1, 7), repeat=2)), np.int8)
    return np.repeat(np.stack(boards), 36, axis=0), np.tile(rolls, (len(boards), 1))


@pytest.mark.parametrize("rules", [*HITTING, *OTHERS], ids=repr)
def test_a_batch_has_the_plays_of_its_boards_in_their_order(rules: Rules) -> None:
    boards, dice = differential.pairs(300, rules, seed=31)
    assert_same(boards, dice, rules)


@pytest.mark.parametrize("rules", HITTING, ids=repr)
def test_all_doubles_and_all_ordered_rolls(rules: Rules) -> None:
    # The recurrence counts sixteen doubles of one die at a time, and what is left at the end.
    boards, dice = differential.pairs(400, rules, seed=32)
    dice[:, 1] = dice[:, 0]
    assert_same(boards, dice, rules)
    # Bearing off: the order of the dice matters, and large dice bear off the farthest checkers.
    boards, dice = differential.pairs(3_000, rules, seed=33)
    near = boards[:, 0, 13:].sum(1) == 0
    assert_same(boards[near][:600], dice[near][:600], rules)


EXTREMES = [
    board({24: 15}, {24: 15}),  # all on one point
    board({25: 15}, {25: 15}),  # all on the bar
    board({25: 4, 6: 11}, {25: 1, 3: 7, 5: 7}),  # exactly four enter with doubles
    board({25: 1, 13: 14}, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 9}),  # entering hits
    board({25: 2, 13: 13}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}),  # nobody can enter
    board(dict.fromkeys(range(9, 24), 1), {0: 14, 1: 1}),  # more than eight sources
    board(dict.fromkeys(range(7, 22), 1), {25: 15}),  # more than sixteen sources with doubles
    board(dict.fromkeys(range(2, 25, 2), 1) | {1: 3}, dict.fromkeys(range(2, 24, 2), 1)),
    board({6: 1, 5: 1, 4: 1, 2: 1, 1: 1}, {22: 1, 25: 1}),  # home, a blot behind
    board({6: 2, 5: 1}, {25: 2}),
    board({8: 1, 2: 1}, {20: 1, 25: 1}),  # one outside: comes home, then bears off
    board({1: 1}, {1: 1}),
    board({7: 1, 6: 1}, {12: 1, 13: 1}),
]


@pytest.mark.parametrize("name", ["portes", "tavla", "backgammon_zh"])
def test_extreme_boards(name: str) -> None:
    boards, dice = with_every_roll(EXTREMES)
    assert_same(boards, dice, tf.RULES[name])
    assert_same(np.ascontiguousarray(boards[:, ::-1]), dice, tf.RULES[name])


def test_games_that_are_over_have_no_plays_wherever_they_stand() -> None:
    boards, dice = differential.pairs(3 * BLOCK, tf.PORTES, seed=34)
    lost, won = board({24: 15}, {}), board({}, {24: 15})
    for place in (0, 1, 7, 8, BLOCK - 1, BLOCK, 2 * BLOCK + 5, 3 * BLOCK - 1):
        for ended in (lost, won):
            for roll in ((3, 1), (4, 4)):
                some, rolls = boards.copy(), dice.copy()
                some[place], rolls[place] = ended, roll
                listed = tf.afterstates(some, rolls)
                assert listed.offsets[place] == listed.offsets[place + 1]
                assert tf.count_plays(some, rolls)[place] == 0
                rest = np.arange(len(some)) != place
                np.testing.assert_array_equal(
                    listed.boards, tf.afterstates(some[rest], rolls[rest]).boards
                )


@pytest.mark.parametrize("name", ["backgammon", "backgammon_zh", "plakoto"])
def test_batches_of_any_size(name: str) -> None:
    rules = tf.RULES[name]
    boards, dice = differential.pairs(3 * BLOCK, rules, seed=35)
    moves, after, offsets = tf.plays(boards, dice, rules)
    counts = tf.count_plays(boards, dice, rules)
    for n in (0, 1, 2, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1):
        first = 3 * BLOCK - n if n % 2 else 0
        part, rolls, of = boards[first : first + n], dice[first : first + n], offsets[first:]
        np.testing.assert_array_equal(tf.count_plays(part, rolls, rules), counts[first : first + n])
        places = slice(int(of[0]), int(of[n]))
        listed, played = tf.afterstates(part, rolls, rules), tf.plays(part, rolls, rules)
        np.testing.assert_array_equal(listed.offsets, of[: n + 1] - of[0])
        np.testing.assert_array_equal(listed.boards, after[places])
        np.testing.assert_array_equal(played.boards, after[places])
        np.testing.assert_array_equal(played.moves, moves[places])


@pytest.mark.parametrize("name", ["tavla", "backgammon_zh", "tapa", "narde"])
def test_not_a_byte_beside_the_result(name: str) -> None:
    rules = tf.RULES[name]
    boards, dice = differential.pairs(3 * BLOCK + 1, rules, seed=36)
    expected = tf.afterstates(boards, dice, rules)
    size = len(expected.boards)
    room = np.full((size + 8, 2, 26), 77, np.int8)
    found = tf.afterstates(boards, dice, rules, out=room[4 : size + 4])
    np.testing.assert_array_equal(found.boards, expected.boards)
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    assert np.shares_memory(found.boards, room)
    assert (room[:4] == 77).all()
    assert (room[size + 4 :] == 77).all()
    with pytest.raises(
        ValueError, match=rf"out is int8\[{size - 1}, 2, 26\].*int8\[{size}, 2, 26\]"
    ):
        tf.afterstates(boards, dice, rules, out=room[4 : size + 3])
    assert (room[:4] == 77).all()
    assert (room[size + 4 :] == 77).all()


def test_a_result_where_the_boards_are() -> None:
    boards, dice = differential.pairs(BLOCK, tf.PORTES, seed=37)
    counts, after = tf.count_plays(boards, dice), tf.afterstates(boards, dice)
    memory = np.zeros((len(after.boards) + BLOCK, 2, 26), np.int8)
    for first in (0, 3, len(after.boards) - 10):
        memory[first : first + BLOCK] = boards
        found = tf.afterstates(memory[first : first + BLOCK], dice, out=memory)
        np.testing.assert_array_equal(found.boards, after.boards)
    memory[:BLOCK] = boards
    words = memory.reshape(-1).view(np.int32)
    np.testing.assert_array_equal(tf.count_plays(memory[:BLOCK], dice, out=words), counts)


SPOILED = [
    (0, 24, 1, "16 checkers"),
    (1, 24, 1, "16 checkers"),
    (0, 5, -1, "holds -1 at"),
    (1, 25, -1, "holds -1 at"),
    (1, 0, 120, "checkers"),
]


@pytest.mark.parametrize(("plane", "point", "added", "words"), SPOILED)
def test_a_wrong_board_is_found_wherever_it_stands(
    plane: int, point: int, added: int, words: str
) -> None:
    start = tf.start()
    boards = np.repeat(start[np.newaxis], 2 * BLOCK + 3, axis=0)
    room = np.zeros((40 * len(boards), 2, 26), np.int8)
    for place in (0, 1, 30, BLOCK - 1, BLOCK, 2 * BLOCK + 2):
        spoiled = boards.copy()
        spoiled[place, plane, point] += added
        before = spoiled.copy()
        for call in (tf.count_plays, tf.afterstates, tf.plays):
            with pytest.raises(BoardError, match=rf"boards\[{place}\]: .*{words}"):
                call(spoiled, (3, 1))
        with pytest.raises(BoardError, match=rf"boards\[{place}\]: .*{words}"):
            tf.afterstates(spoiled, (3, 1), out=room)
        np.testing.assert_array_equal(spoiled, before)


def test_both_sides_on_one_point_and_two_winners_are_found() -> None:
    boards = np.repeat(tf.start()[np.newaxis], BLOCK, axis=0)
    boards[40] = board({24: 2, 13: 13}, {1: 2, 13: 13})
    with pytest.raises(BoardError, match=r"boards\[40\]: both sides hold"):
        tf.count_plays(boards, (3, 1))
    boards[40] = board({}, {})
    with pytest.raises(BoardError, match=r"boards\[40\]: both sides have borne off"):
        tf.afterstates(boards, (3, 1))
