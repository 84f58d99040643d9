"""The core against the reference: random-game boards, made boards, every rule switch."""

import differential
import numpy as np
import pytest
from boards import boards_and_rules, rolls
from hypothesis import given, settings

import tavli_fast as tf
from tavli_fast import Rules
from tavli_fast._core import games as _games

ALL_RULES = differential.all_rules()
PAIRS = 20_000


@pytest.mark.parametrize("number", range(len(ALL_RULES)))
def test_core_and_reference_agree(number: int) -> None:
    rules = ALL_RULES[number]
    boards, dice = differential.pairs(PAIRS // len(ALL_RULES) + 1, rules, seed=1000 + number)
    assert differential.check(boards, dice, rules) > 0


def core_plays(made: tuple[np.ndarray, Rules]) -> bool:
    """Whether the compiled core plays these rules."""
    _, rules = made
    return not rules.cascade and rules.bearoff_oversize and rules.bearoff_internal


@settings(max_examples=300)
@given(boards_and_rules(("hit",)).filter(core_plays), rolls())
def test_core_and_reference_agree_on_any_board(
    made: tuple[np.ndarray, Rules], roll: tuple[int, int]
) -> None:
    board, rules = made
    differential.check(board[np.newaxis], np.array([roll], np.int8), rules)


@pytest.mark.parametrize("number", range(len(ALL_RULES)))
def test_the_random_policy_draws_from_exactly_the_listed_plays(number: int) -> None:
    rules = ALL_RULES[number]
    boards, dice = differential.pairs(400, rules, seed=2000 + number)
    over, _ = tf.outcomes(boards, rules)
    for board, roll in zip(boards[~over], dice[~over], strict=True):
        listed = tf.afterstates(board, roll, rules).boards
        drawn = _games.chosen_plays(board, int(roll[0]), int(roll[1]), rules)
        assert sorted(map(bytes, drawn)) == sorted(map(bytes, listed))
