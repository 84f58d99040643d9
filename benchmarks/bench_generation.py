"""Legal plays: batches of 10,000 random-game boards with random rolls, and single calls."""

import numpy as np

import tavli_fast as tf

RULES = "backgammon"
CHECKED = 300
"""Boards whose answer is compared with the reference's before the batch is timed."""


def check_offsets(offsets, boards, dice):
    """Assert a batch's answer: the same numbers from two paths, and the reference's for some."""
    counts = np.diff(offsets)
    np.testing.assert_array_equal(counts, tf.count_plays(boards, dice, RULES))
    slow = tf.reference.count_plays(boards[:CHECKED], dice[:CHECKED], RULES)
    np.testing.assert_array_equal(counts[:CHECKED], slow)


def check_afterstates(after, offsets, boards, dice):
    """Assert a batch's afterstates, the reference's for some."""
    check_offsets(offsets, boards, dice)
    slow = tf.reference.afterstates(boards[:CHECKED], dice[:CHECKED], RULES).boards
    mine = after[: len(slow)]
    assert sorted(map(bytes, mine)) == sorted(map(bytes, slow))


def test_count_plays(timed, boards, dice):
    check_offsets(tf.afterstates(boards, dice, RULES).offsets, boards, dice)
    timed(len(boards), tf.count_plays, boards, dice, RULES)


def test_afterstates(timed, boards, dice):
    result = tf.afterstates(boards, dice, RULES)
    check_afterstates(*result, boards, dice)
    timed(len(boards), tf.afterstates, boards, dice, RULES)


def test_afterstates_mixed(timed, boards, dice):
    chosen = dice[:, 0] != dice[:, 1]
    boards, dice = boards[chosen], dice[chosen]
    check_afterstates(*tf.afterstates(boards, dice, RULES), boards, dice)
    timed(len(boards), tf.afterstates, boards, dice, RULES)


def test_afterstates_doubles(timed, boards, dice):
    dice = np.repeat(dice[:, :1], 2, axis=1)
    check_afterstates(*tf.afterstates(boards, dice, RULES), boards, dice)
    timed(len(boards), tf.afterstates, boards, dice, RULES)


def test_plays(timed, boards, dice):
    moves, after, offsets = tf.plays(boards, dice, RULES)
    check_afterstates(after, offsets, boards, dice)
    of = np.repeat(np.arange(len(boards)), np.diff(offsets))[:5000]
    np.testing.assert_array_equal(tf.apply(boards[of], moves[:5000], dice[of], RULES), after[:5000])
    timed(len(boards), tf.plays, boards, dice, RULES)


def test_validate(timed, boards):
    tf.validate(boards, RULES)
    timed(len(boards), tf.validate, boards, RULES)


def test_copy_of_the_afterstates(timed, boards, dice):
    # The limit: writing the same bytes without thinking.
    after = tf.afterstates(boards, dice, RULES).boards
    np.testing.assert_array_equal(after.copy(), after)
    timed(len(boards), after.copy)


def test_single_board_calls(timed, boards, dice):
    after = [tf.afterstates(b, d, RULES).boards for b, d in zip(boards, dice, strict=True)]
    together = tf.afterstates(boards, dice, RULES).boards
    np.testing.assert_array_equal(np.concatenate(after), together)

    def one_by_one():
        for board, roll in zip(boards, dice, strict=True):
            tf.afterstates(board, roll, RULES)

    timed(len(boards), one_by_one)


def test_reference_plays(timed, boards, dice):
    boards, dice = boards[:CHECKED], dice[:CHECKED]
    mine, slow = tf.plays(boards, dice, RULES), tf.reference.plays(boards, dice, RULES)
    np.testing.assert_array_equal(mine.offsets, slow.offsets)
    timed(len(boards), tf.reference.plays, boards, dice, RULES)
