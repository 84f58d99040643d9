"""Batches: threads, and memory of the caller's own, give the same results."""

from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._common import arguments

N = 10_003  # odd, and no multiple of a thread's part


@pytest.fixture(scope="module", params=["portes", "plakoto", "fevga"])
def batch(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, str]:
    boards = tf.random_boards(N, request.param, seed=8)
    return boards, np.random.default_rng(8).integers(1, 7, (N, 2)), request.param


@pytest.mark.parametrize("threads", [2, 4, 7, None])
def test_threads_do_not_change_a_result(
    batch: tuple[np.ndarray, np.ndarray, str], threads: int | None
) -> None:
    for call in (tf.afterstates, tf.plays):
        for one, other in zip(call(*batch), call(*batch, threads=threads), strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(tf.count_plays(*batch), tf.count_plays(*batch, threads=threads))


def test_counting_first_and_growing_memory_list_the_same(
    batch: tuple[np.ndarray, np.ndarray, str],
) -> None:
    grown = tf.afterstates(*batch)
    counted = tf.afterstates(*batch, threads=2)
    np.testing.assert_array_equal(grown.boards, counted.boards)
    np.testing.assert_array_equal(grown.offsets, counted.offsets)
    for i in range(20):
        alone = tf.afterstates(batch[0][i], batch[1][i], batch[2]).boards
        first, end = grown.offsets[i : i + 2]
        np.testing.assert_array_equal(alone, grown.boards[first:end])


@pytest.mark.parametrize("rules", sorted(set(tf.RULES) - {"gul_bara"}))
def test_a_bots_call_finds_what_a_batch_does(rules: str) -> None:
    boards = tf.random_boards(200, rules, seed=9)
    dice = np.random.default_rng(9).integers(1, 7, (len(boards), 2))
    dice[::4, 1] = dice[::4, 0]
    moves, after, offsets = tf.plays(boards, dice, rules)
    for i, (board, roll) in enumerate(zip(boards, dice.tolist(), strict=True)):
        of = slice(offsets[i], offsets[i + 1])
        found, one = tf.afterstates(board, tuple(roll), rules), tf.plays(board, tuple(roll), rules)
        np.testing.assert_array_equal(found.boards, after[of])
        np.testing.assert_array_equal(one.boards, after[of])
        np.testing.assert_array_equal(one.moves, moves[of])
        counted = tf.count_plays(board, tuple(roll), rules)
        assert counted.dtype == np.int32
        assert counted.tolist() == [len(found.boards)]
        for result in (found, one):
            assert result.offsets.dtype == np.int64
            assert result.offsets.tolist() == [0, len(found.boards)]
            assert result.boards.flags.writeable


def test_a_board_with_very_many_plays() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, 9:24] = 1
    board[1, [0, 1]] = 14, 1
    alone, batch = tf.plays(board, (1, 1)), tf.plays(board[np.newaxis], [[1, 1]])
    assert len(alone.boards) > 500
    for one, other in zip(alone, batch, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(set(map(bytes, alone.boards))) == len(alone.boards)


def test_a_batch_of_boards_with_more_plays_than_expected() -> None:
    # The boards that are counted beforehand have few plays, the others many.
    board = np.zeros((2, 26), np.int8)
    board[0, 9:24] = 1
    board[1, [0, 1]] = 14, 1
    boards = np.repeat(board[np.newaxis], 1_500, axis=0)
    dice = np.ones((len(boards), 2), np.int8)
    dice[::17, 1] = 2
    found = tf.afterstates(boards, dice)
    counts = tf.count_plays(boards, dice)
    np.testing.assert_array_equal(np.diff(found.offsets), counts)
    assert counts[1] > 5 * counts[0]
    for i in (0, 1, 17, len(boards) - 1):
        alone = tf.afterstates(board, tuple(dice[i].tolist()))
        of = slice(found.offsets[i], found.offsets[i + 1])
        np.testing.assert_array_equal(found.boards[of], alone.boards)


@pytest.mark.parametrize("roll", [(0, 1), (1, 7), (1.0, 1), (1, 2**70), (1,), (1, 2, 3)])
def test_a_bots_bad_roll_is_refused(roll: Any) -> None:
    for call in (tf.count_plays, tf.afterstates, tf.plays):
        with pytest.raises(ValueError, match="dice"):
            call(tf.start(), roll)


def test_memory_of_the_callers_own(batch: tuple[np.ndarray, np.ndarray, str]) -> None:
    moves, after, offsets = tf.plays(*batch)
    counts = np.full(N + 5, -7, np.int32)
    assert np.shares_memory(tf.count_plays(*batch, out=counts), counts)
    np.testing.assert_array_equal(counts[:N], np.diff(offsets))
    assert (counts[N:] == -7).all()
    room = np.full((len(after) + 3, 2, 26), 99, np.int8)
    found = tf.afterstates(*batch, out=room)
    assert np.shares_memory(found.boards, room)
    np.testing.assert_array_equal(found.boards, after)
    assert (room[len(after) :] == 99).all()  # not a byte beyond the result
    rooms = np.zeros((len(after), 4, 2), np.int8), np.zeros((len(after), 2, 26), np.int8)
    again = tf.plays(*batch, out=rooms, threads=2)
    assert np.shares_memory(again.moves, rooms[0])
    np.testing.assert_array_equal(again.moves, moves)
    np.testing.assert_array_equal(again.boards, after)


ROOM = np.zeros(832, np.int8)


@pytest.mark.parametrize(
    ("call", "out", "words"),
    [
        (tf.count_plays, [0], "out=[0]: expected a writable"),
        (tf.count_plays, np.zeros(1, np.int64), "int64[1]"),
        (tf.count_plays, np.zeros(0, np.int32), "int32[0]"),
        (tf.count_plays, np.zeros(4, np.int32)[::2], "C-contiguous"),
        (tf.afterstates, np.zeros((15, 2, 26), np.int8), "int8[16, 2, 26], or longer"),
        (tf.afterstates, np.zeros((16, 2, 25), np.int8), "int8[16, 2, 25]"),
        (tf.afterstates, np.zeros((16, 52), np.int8), "int8[16, 52]"),
        (tf.afterstates, np.broadcast_to(np.int8(0), (16, 2, 26)), "writable False"),
        (tf.plays, np.zeros((16, 2, 26), np.int8), "no pair"),
        (tf.plays, (np.zeros((16, 3, 2), np.int8),) * 2, "out[0] is int8[16, 3, 2]"),
        (tf.plays, (ROOM[:128].reshape(16, 4, 2), ROOM[:832].reshape(16, 2, 26)), "overlap"),
    ],
)
def test_memory_that_does_not_fit_is_refused(call: Any, out: object, words: str) -> None:
    with pytest.raises(ValueError, match="out") as error:
        call(tf.start(), (3, 1), out=out)
    assert words in str(error.value)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 2000])
def test_threads_that_are_none_are_refused(threads: Any) -> None:
    for call in (tf.count_plays, tf.afterstates, tf.plays):
        with pytest.raises(ValueError, match="threads="):
            call(tf.start(), (3, 1), threads=threads)


def test_memory_limit_is_this_machines() -> None:
    assert 2**24 < arguments.memory_limit() < 2**63
