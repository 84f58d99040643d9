"""Evaluators for tests, and the slow, obvious recursion that looking ahead is held against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import tavli_fast as tf
from tavli_fast.rules.presets import Rules

Floats = npt.NDArray[np.float64]
Judge = Callable[[Any], Any]

POINTS_OF = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0] * 5 + [1]])
"""The outcomes of a game won with 3, 2, 1 points, and drawn."""


def by_cells(seed: int = 1, outputs: int = 6) -> Judge:
    """Return a callable: each outcome the logistic function of random weights of the cells."""
    weights = np.random.default_rng(seed).normal(0, 0.15, (52, outputs))
    most = np.array([0.9, 0.4, 0.1, 0.4, 0.1, 0.1])[:outputs]

    def judge(boards: Any) -> Any:
        cells = boards.reshape(-1, 52).astype(np.float64)
        # Not a matrix product: that would not add up in the same order for other numbers of boards.
        return most / (1 + np.exp(-(cells[:, :, np.newaxis] * weights).sum(axis=1)))

    return judge


def equity_of(outcomes: Any) -> Any:
    """Return the mean points of outcomes ``[..., 6]``."""
    win, win2, win3, lose2, lose3, draw = np.moveaxis(np.asarray(outcomes, np.float64), -1, 0)
    return win + win2 + win3 - (1 - win - draw) - lose2 - lose3


def turned(outcomes: Any) -> Any:
    """Return outcomes ``[..., 6]`` as the other player has them."""
    win, win2, win3, lose2, lose3, draw = np.moveaxis(np.asarray(outcomes, np.float64), -1, 0)
    return np.stack([1 - win - draw, lose2, lose3, win2, win3, draw], axis=-1)


def result_of(points: int) -> Floats:
    """Return the outcomes of a game that has ended at these points."""
    if points >= 0:
        return POINTS_OF[3 - points].astype(np.float64)
    return turned(POINTS_OF[3 + points])


def slow_judged(after: Any, judge: Judge, rules: Rules, plies: int, width: int = 10**9) -> Floats:
    """Return the outcomes of an afterstate for the player who has just moved."""
    over, points = tf.reference.outcomes(after, rules)
    if over[0]:
        return result_of(int(points[0]))
    if plies == 0:
        return np.asarray(judge(after[np.newaxis])[0], np.float64)
    return turned(slow_value(after[::-1], judge, rules, plies, width))


def slow_value(board: Any, judge: Judge, rules: Rules, plies: int, width: int = 10**9) -> Floats:
    """Return the outcomes for the player on roll: by the judge, or the mean over all rolls of the
    best play. Of the plays only the `width` best by the judge's own view are looked at further."""
    over, points = tf.reference.outcomes(board, rules)
    if over[0]:
        return result_of(int(points[0]))
    if plies == 0:
        return turned(slow_judged(board[::-1], judge, rules, 0))
    total = np.zeros(6)
    for die1 in range(1, 7):
        for die2 in range(1, 7):
            total += max(
                slow_plays(board, (die1, die2), judge, rules, plies - 1, width), key=equity_of
            )
    return total / 36


def slow_plays(
    board: Any, dice: Any, judge: Judge, rules: Rules, plies: int, width: int = 10**9
) -> list[Floats]:
    """Return the outcomes of all plays of a roll, or of standing still."""
    after = list(tf.reference.afterstates(board, dice, rules).boards) or [board]
    if plies > 0 and len(after) > width:
        after.sort(key=lambda one: -equity_of(slow_judged(one, judge, rules, 0)))
        after = after[:width]
    return [slow_judged(one, judge, rules, plies, width) for one in after]


def few_checkers(rules: Rules | str, mine: dict[int, int], theirs: dict[int, int]) -> Any:
    """Return a board of the given checkers, each side in its own numbers; the others are off."""
    rules = tf.RULES[rules] if isinstance(rules, str) else rules
    board = np.zeros((2, 26), np.int8)
    for plane, side in zip(board, (mine, theirs), strict=True):
        for point, checkers in side.items():
            plane[point] = checkers
        plane[0] = rules.checkers - abs(plane).sum()
    return board
