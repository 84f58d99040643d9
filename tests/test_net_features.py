"""Features, against a slow account of what the documentation says of them."""

from typing import Any

import numpy as np
import pytest
from boards import other_number
from sample_nets import FAMILIES, in_a_race, some_boards

import tavli_fast as tf
from tavli_fast._core import evaluate as core
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
