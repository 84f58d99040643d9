"""The core against the reference: random-game boards, made boards, every rule switch and field."""

import dataclasses
from typing import Any

import differential
import numpy as np
import pytest
from boards import boards_and_rules, house_rules, made_boards, rolls
from hypothesis import given, settings
from hypothesis import strategies as st

import tavli_fast as tf
from tavli_fast import Rules
from tavli_fast._core import testing

HITTING = differential.all_rules()
PAIRS = 20_000
"""For all rules of the hitting games together, and for each preset of the others."""

FAMILY = [name for name, rules in tf.RULES.items() if rules.contact != "hit"]
PART = 1_000
PARTS_AT_ONCE = 2
"""Parts of a preset that every run compares; the others are slow."""


def parts_of(name: str) -> list[Any]:
    """Return the parts of a preset's pairs; all of them with --run-slow.

    Tapa moves exactly as Plakoto does (the next test holds the two together), so one part is
    enough for it.
    """
    parts = range(1 if name == "tapa" else PAIRS // PART)
    slow = pytest.mark.slow
    return [pytest.param(name, part, marks=slow if part >= PARTS_AT_ONCE else ()) for part in parts]


@pytest.mark.parametrize("number", range(len(HITTING)))
def test_core_and_reference_agree_on_hitting_games(number: int) -> None:
    rules = HITTING[number]
    boards, dice = differential.pairs(PAIRS // len(HITTING) + 1, rules, seed=1000 + number)
    assert differential.check(boards, dice, rules) > 0


@pytest.mark.parametrize(("name", "part"), [each for name in FAMILY for each in parts_of(name)])
def test_core_and_reference_agree_on_the_family(name: str, part: int) -> None:
    rules = tf.RULES[name]
    boards, dice = differential.pairs(PART, rules, seed=3000 + part)
    assert differential.check(boards, dice, rules) > 0


def test_tapa_plays_as_plakoto_does() -> None:
    """A pinned mother ends Plakoto alone; in every other position the two have the same plays."""
    boards, dice = differential.pairs(PAIRS, tf.PLAKOTO, seed=3000)
    over = tf.outcomes(boards, tf.PLAKOTO)[0] | tf.outcomes(boards, tf.TAPA)[0]
    assert not over.all()
    boards, dice = boards[~over], dice[~over]
    for one, other in zip(
        tf.plays(boards, dice, tf.PLAKOTO), tf.plays(boards, dice, tf.TAPA), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("preset", [tf.GUL_BARA, tf.PLAKOTO, tf.LONGGAMMON])
def test_core_and_reference_agree_on_cascades(preset: Rules) -> None:
    rules = dataclasses.replace(preset, checkers=3, start=((24, 3),), cascade=True)
    boards, dice = differential.pairs(300, rules, seed=1)
    dice[:, 1] = dice[:, 0]
    assert differential.check(boards, dice, rules) > 0


@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("prime_check", ["submove", "turn_end"])
@pytest.mark.parametrize("trap", ["none", "single_point", "immobile", "need_ahead"])
def test_core_and_reference_agree_on_primes_however_they_are_read(
    trap: Any, prime_check: Any, count: int
) -> None:
    for preset, trap_first in ((tf.FEVGA, True), (tf.MOULTEZIM, False), (tf.NARDE, True)):
        rules = dataclasses.replace(
            preset, trap=trap, prime_check=prime_check, trap_first=trap_first, prime_len=5
        )
        pairs = differential.pairs(count, rules, seed=5 if count == 300 else 6)
        assert differential.check(*pairs, rules) > 0


@settings(max_examples=400)
@given(boards_and_rules(), rolls())
def test_core_and_reference_agree_on_any_board(
    made: tuple[np.ndarray, Rules], roll: tuple[int, int]
) -> None:
    board, rules = made
    differential.check(board[np.newaxis], np.array([roll], np.int8), rules)


@settings(max_examples=300)
@given(house_rules(), st.integers(0, 2**32))
def test_core_and_reference_agree_under_any_rules(rules: Rules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dice = rng.integers(1, 7, (10, 2)).astype(np.int8)
    differential.check(made_boards(rng, 10, rules), dice, rules)


@pytest.mark.parametrize("rules", [*HITTING, *map(tf.RULES.get, FAMILY)], ids=repr)
def test_the_random_policy_draws_from_exactly_the_listed_plays(rules: Rules) -> None:
    boards, dice = differential.pairs(300, rules, seed=2000)
    over, _ = tf.outcomes(boards, rules)
    for board, roll in zip(boards[~over], dice[~over], strict=True):
        listed = tf.afterstates(board, roll, rules).boards
        drawn = testing.chosen_plays(board, int(roll[0]), int(roll[1]), rules)
        assert sorted(map(bytes, drawn)) == sorted(map(bytes, listed))
