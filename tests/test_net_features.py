"""Features, against a slow account of what the documentation says of them."""

from typing import Any

import numpy as np
import pytest
from boards import other_number
from sample_nets import FAMILIES, in_a_race, some_boards

import tavli_fast as tf
from tavli_fast._core import evaluate as core
from tavli_fast.nets.features import scalar_scales
from tavli_fast.nets.packing import _MOST_LEVELS
from tavli_fast.nets.scalars import expert_phases, scalar_levels
from tavli_fast.rules.presets import Rules

PRESETS = sorted(tf.RULES)


def longest_run(points: set[int]) -> int:
    """Return how many points in a row are in the set."""
    return max(
        (n for p in points for n in range(1, 25) if set(range(p, p + n)) <= points), default=0
    )


def closed_points(board: Any, rules: Rules, side: int) -> set[int]:
    """Return the points that a side holds with two checkers, or with one on top of an enemy's."""
    return {
        p
        for p in range(1, 25)
        if board[side][p] >= 2
        or (board[side][p] == 1 and board[1 - side][other_number(p, rules)] == -1)
    }


def hitting_numbers(board: Any, rules: Rules, side: int) -> int:
    """Return how many numbers of a die bring an enemy directly to a lone checker of a side."""
    closed = closed_points(board, rules, side)
    lone = {p for p in range(1, 25) if board[side][p] == 1 and p not in closed}
    return sum(
        any(
            board[1 - side][from_] > 0 and 25 - (from_ - die) in lone
            for from_ in range(die + 1, 26)
        )
        for die in range(1, 7)
    )


def slow_features(board: Any, rules: Rules) -> list[float]:
    """Return the features of a board as the documentation has them."""
    found: list[float] = []
    for side in board.tolist():
        for cell, checkers in enumerate(side):
            found += [checkers >= 1, checkers >= 2, checkers >= 3]
            found.append(max(0, checkers - 3) / (8 if cell == 0 else 2))
    if rules.contact == "pin":
        found += [board[side][p] == -1 for side in (0, 1) for p in range(1, 25)]
    if in_a_race(board, rules):
        return found + [0] * (12 if rules.contact == "none" else 20)
    if rules.contact == "none":
        for side in (0, 1):
            run = longest_run({p for p in range(1, 25) if board[side][p] > 0})
            found += [run >= length for length in (2, 3, 4, 5, 6)]
        for side in (0, 1):
            gate = rules.runner_gate or 25
            found.append(rules.runner_gate is not None and not any(board[side][: gate + 1] > 0))
        return found
    for side in (0, 1):
        run = longest_run(closed_points(board, rules, side))
        found += [run >= length for length in (3, 4, 5, 6)]
    for side in (0, 1):
        numbers = hitting_numbers(board, rules, side)
        found += [numbers > k for k in range(6)]
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_features_are_what_the_documentation_says(name: str) -> None:
    boards = some_boards(name, 250)
    found = tf.features(boards, name)
    assert found.dtype == np.float32
    slow = np.array([slow_features(board, tf.RULES[name]) for board in boards], np.float32)
    np.testing.assert_array_equal(found, slow)
    races = np.zeros(len(boards), np.int8)
    core.phases(boards, tf.RULES[name], races)
    assert races.tolist() == [in_a_race(board, tf.RULES[name]) for board in boards]
    assert 0 < races.sum() < len(races)


@pytest.mark.parametrize("name", PRESETS)
def test_scalars_and_experts_are_those_of_the_plain_account(name: str) -> None:
    rules = tf.RULES[name]
    boards = some_boards(name, 250, seed=2)
    races = np.array([in_a_race(board, rules) for board in boards])
    plain = tf.features(boards, name)
    found = tf.features(boards, name, scalars=True)
    np.testing.assert_array_equal(found[:, : plain.shape[1]], plain)
    levels = np.where(races[:, None], 0, scalar_levels(boards, rules))
    side = levels.shape[1] // 2
    assert (levels <= 2 * _MOST_LEVELS[:side]).all()  # else sums of weights would not be exact
    scales = scalar_scales(tf.encoding(name, scalars=True))
    np.testing.assert_array_equal(found[:, plain.shape[1] :], (levels * scales).astype(np.float32))
    experts = np.where(races, 4, expert_phases(boards, rules))
    np.testing.assert_array_equal(tf.phases(boards, name, experts=True), experts)
    np.testing.assert_array_equal(tf.phases(boards, name), races)


@pytest.mark.parametrize("name", ["backgammon", "plakoto", "fevga"])
def test_every_scalar_and_every_expert_comes_up(name: str) -> None:
    boards = some_boards(name, 500)
    scalars = tf.features(boards, name, scalars=True)[:, tf.features(boards, name).shape[1] :]
    assert (np.ptp(scalars, axis=0) > 0.25).all()
    assert set(tf.phases(boards, name, experts=True)) == {0, 1, 2, 3, 4}


def side(**checkers: int) -> list[int]:
    """Return a plane of a board from its checkers, as p6=2, and the bar as p25."""
    plane = [0] * 26
    for point, count in checkers.items():
        plane[int(point[1:])] = count
    plane[0] = 15 - sum(plane)
    return plane


SCALAR_CASES: dict[str, tuple[str, list[int], list[int], dict[int, float]]] = {
    # The scalars of plane 0 by number, each worked out by hand.
    "nothing in the way": (
        "backgammon",
        side(p24=1),
        side(p24=1),
        {0: 36 / 32, 1: 36 / 32, 5: 36 / 32, 8: 24 / 32},
    ),
    # All six points before the checker on 24 are closed, five of the home that one would enter.
    "behind a full prime": (
        "backgammon",
        side(p24=1),
        side(p2=2, p3=2, p4=2, p5=2, p6=2, p7=2, p24=1),
        {0: 0, 2: 0, 4: 0, 5: 11 / 32},
    ),
    # 11 rolls with a four, 1-3 either way, 2-2 and 1-1; each costs the enemy 6 pips.
    "a blot four pips away": (
        "backgammon",
        side(p10=1),
        side(p19=1),
        {11: 15 / 32, 12: (15 * 6 // 8) / 64},
    ),
    # A pinned checker has 19 pips to go.
    "to be pinned": (
        "plakoto",
        side(p10=1),
        side(p19=1),
        {11: 15 / 32, 12: (15 * 19 // 8) / 64},
    ),
    # 11 rolls with a four, whose other die enters, and 2-2.
    "one on the bar": (
        "backgammon",
        side(p25=1, p10=1),
        side(p19=1),
        {11: 12 / 32, 12: (12 * 6 // 8) / 64},
    ),
    # Only the 11 rolls that enter on the blot.
    "two on the bar": ("backgammon", side(p25=2, p10=2), side(p19=1, p1=1), {11: 11 / 32}),
    "anchors": (
        "backgammon",
        side(p20=2, p23=3),
        side(p10=2),
        {9: 3 / 8, 10: 6 / 8, 8: 23 / 32},
    ),
    # One enemy is on the mover's 5: the checker on 8 has 3 pips to break contact, the other none.
    "a checker past all": (
        "backgammon",
        side(p8=1, p3=1),
        side(p20=1, p1=1),
        {6: (3 // 2) / 128, 7: (3 // 2) / 128},
    ),
    # Only the runner may move. The enemy's start, 12, is closed: to 6-6 from 24, and to 1-1 and 2-2
    # from 14.
    "before the runner has left": ("fevga", side(p24=15), side(p24=15), {0: 35 / 32, 1: 36 / 32}),
    "behind the gate": ("fevga", side(p24=14, p14=1), side(p24=15), {0: 0, 1: 34 / 32}),
}


@pytest.mark.parametrize("case", SCALAR_CASES)
def test_scalars_by_hand(case: str) -> None:
    name, mine, theirs, expected = SCALAR_CASES[case]
    board = np.array([mine, theirs], np.int8)
    first = tf.features(board, name).shape[1]
    found = tf.features(board, name, scalars=True)[0, first:]
    assert {k: float(found[k]) for k in expected} == expected


def test_features_of_each_kind_come_up() -> None:
    # A flag that no board of the test raises would be tested by nothing.
    for name in FAMILIES:
        assert np.any(tf.features(some_boards(name, 1500), name)[:, -12:], axis=0).all()


def test_encodings() -> None:
    names = {name: tf.encoding(name) for name in PRESETS}
    assert {names[name] for name in ("portes", "backgammon", "tavla", "hypergammon")} == {"hit-1"}
    assert {names[name] for name in ("plakoto", "tapa")} == {"pin-1"}
    assert {names[name] for name in ("fevga", "moultezim", "narde", "gul_bara")} == {"block-1"}
    sizes = {tf.encoding(name): tf.features(tf.start(name), name).shape[1] for name in PRESETS}
    assert sizes == {"hit-1": 228, "pin-1": 276, "block-1": 220}
