"""The mask formulas against the search: two ways to the same plays, each knowing the rules of
docs/rules.md once more (longest play, higher die, bar first, hit and run, head, gate, pins)."""

import dataclasses

import differential
import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import Rules
from tavli_fast._core import testing
from tavli_fast._core.constants import Refusal
from tavli_fast.boards.plays import _WHY

PAIRS = 400

RULES = [
    *differential.all_rules(),
    *(rules for rules in tf.RULES.values() if rules.contact != "hit"),
    dataclasses.replace(tf.NARDE, head_limit=3),
    dataclasses.replace(tf.FEVGA, max_dice=False),
    dataclasses.replace(tf.PLAKOTO, max_dice=False, bearoff_while_pinned=True),
    dataclasses.replace(tf.PORTES, bearoff_oversize=False),
]


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_the_search_finds_the_plays_that_are_listed(rules: Rules) -> None:
    boards, dice = differential.pairs(PAIRS, rules, seed=77)
    over, _ = tf.outcomes(boards, rules)
    for board, roll in zip(boards[~over], dice[~over], strict=True):
        listed = tf.afterstates(board, roll, rules).boards
        found = testing.searched_plays(board, int(roll[0]), int(roll[1]), rules)
        assert sorted(map(bytes, found)) == sorted(map(bytes, listed))


def test_every_reason_has_its_sentence() -> None:
    told_apart = {Refusal.FINE, Refusal.NOT_A_PLAY}
    assert set(_WHY) == set(Refusal) - told_apart


def test_a_cascade_whose_plays_may_stop_anywhere_comes_to_an_end() -> None:
    # All nodes of the search are looked up together at its end, more than at any of its levels.
    rules = dataclasses.replace(
        tf.PORTES, checkers=3, start=((24, 3),), cascade=True, max_dice=False
    )
    board = np.zeros((2, 26), np.int8)
    board[0, [4, 10, 13]] = 1
    board[1, [0, 23]] = 2, 1
    np.testing.assert_array_equal(
        tf.count_plays(board, (1, 1), rules), tf.reference.count_plays(board, (1, 1), rules)
    )
