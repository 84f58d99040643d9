"""Batches of 10,000 boards of random backgammon games, with random rolls."""

import numpy as np
from rows import Bar, check_afterstates, check_counts

import tavli_fast as tf

RULES = "backgammon"
CHECKED = 300
"""Boards whose answer is compared with the reference's before the batch is timed."""


def test_count_plays(timed, boards, dice):
    check_counts(tf.count_plays(boards, dice, RULES), boards, dice, RULES, CHECKED)
    bar = Bar(60, 20)
    timed("count_plays", len(boards), lambda: tf.count_plays(boards, dice, RULES), bar=bar)


def test_afterstates(timed, boards, dice):
    check_afterstates(*tf.afterstates(boards, dice, RULES), boards, dice, RULES, CHECKED)
    bar = Bar(85, 30)
    timed("afterstates", len(boards), lambda: tf.afterstates(boards, dice, RULES), bar=bar)


def test_afterstates_into_memory_at_hand(timed, boards, dice):
    out = np.empty((int(tf.count_plays(boards, dice, RULES).sum()), 2, 26), np.int8)

    def call():
        return tf.afterstates(boards, dice, RULES, out=out)

    after, offsets = call()
    check_afterstates(after, offsets, boards, dice, RULES, CHECKED)
    timed("afterstates, out= (counts first)", len(boards), call)


def test_afterstates_mixed(timed, boards, dice):
    chosen = dice[:, 0] != dice[:, 1]
    boards, dice = boards[chosen], dice[chosen]
    check_afterstates(*tf.afterstates(boards, dice, RULES), boards, dice, RULES, CHECKED)
    timed("afterstates, mixed rolls", len(boards), lambda: tf.afterstates(boards, dice, RULES))


def test_afterstates_doubles(timed, note, boards, dice):
    dice = np.repeat(dice[:, :1], 2, axis=1)
    check_afterstates(*tf.afterstates(boards, dice, RULES), boards, dice, RULES, CHECKED)
    out = np.empty((int(tf.count_plays(boards, dice, RULES).sum()), 2, 26), np.int8)
    times = timed(
        "afterstates, doubles",
        len(boards),
        lambda: tf.afterstates(boards, dice, RULES),
        beside=(lambda: tf.afterstates(boards, dice, RULES, out=out),),
    )
    if times:
        each = times.beside[0] / len(boards)
        what = "afterstates, doubles, out= (counts first)"
        note(what, unit="position", seconds=each, x=times.x)


def test_count_plays_doubles(timed, boards, dice):
    dice = np.repeat(dice[:, :1], 2, axis=1)
    check_counts(tf.count_plays(boards, dice, RULES), boards, dice, RULES, CHECKED)
    timed("count_plays, doubles", len(boards), lambda: tf.count_plays(boards, dice, RULES))


def test_plays(timed, boards, dice):
    moves, after, offsets = tf.plays(boards, dice, RULES)
    check_afterstates(after, offsets, boards, dice, RULES, CHECKED)
    of = np.repeat(np.arange(len(boards)), np.diff(offsets))
    np.testing.assert_array_equal(tf.apply(boards[of], moves, dice[of], RULES), after)
    timed("plays", len(boards), lambda: tf.plays(boards, dice, RULES))


def test_validate(timed, boards):
    tf.validate(boards, RULES)
    timed("of these: the check of the boards", len(boards), lambda: tf.validate(boards, RULES))


def test_copy_of_the_afterstates(timed, boards, dice):
    # The limit: writing the same bytes without thinking.
    after = tf.afterstates(boards, dice, RULES).boards
    room = np.empty_like(after)
    np.copyto(room, after)
    np.testing.assert_array_equal(room, after)
    timed("a copy of the afterstates, for comparison", len(boards), lambda: np.copyto(room, after))


def test_reference(timed, note, boards, dice):
    boards, dice = boards[:CHECKED], dice[:CHECKED]
    mine, slow = tf.plays(boards, dice, RULES), tf.reference.plays(boards, dice, RULES)
    np.testing.assert_array_equal(mine.offsets, slow.offsets)
    times = timed(
        "the reference's plays, in plain Python",
        CHECKED,
        lambda: tf.reference.plays(boards, dice, RULES),
        beside=(lambda: tf.plays(boards, dice, RULES),),
    )
    if times:
        ratio = times.seconds * CHECKED / times.beside[0]
        note("plays: the core against the reference", figure=ratio, of="times as fast")
