"""Outcomes: the six chances of a position, their equity, the other side's view, and the 21 rolls.

`net/outcomes.pxd` has the same in the core, for one position."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray
from tavli_fast._core.constants import OUTPUTS

Values = npt.NDArray[np.float64]
"""``float64[M, 7]``: the six outcomes and the equity, as the player who has just moved has them.
The outcomes are NaN where an evaluator gives equities alone."""

EQUITY: Final = OUTPUTS
"""The column of the equity."""

ROLLS: Final = np.array(
    [(high, low) for high in range(1, 7) for low in range(1, high + 1)], np.int8
)
"""``int8[21, 2]``: all rolls."""

CHANCES: Final = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1, 2) / 36
"""``float64[21]``: the probability of each."""

OPENING_CHANCES: Final = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, 2) / 30
"""``float64[21]``: the same where the first roll is no double."""


def equities(outcomes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the equities of outcomes ``[M, 6]``, added up as the core does it."""
    win, win2, win3, lose2, lose3, draw = outcomes.T
    total: npt.NDArray[Any] = (win + win2 + win3) - ((1 - win - draw) + lose2 + lose3)
    return total


def exact_values(points: npt.NDArray[np.int8]) -> Values:
    """Return the values of games that have ended at these points."""
    values = np.zeros((len(points), EQUITY + 1))
    for column, reached in enumerate(
        (points >= 1, points >= 2, points >= 3, points <= -2, points <= -3, points == 0)
    ):
        values[:, column] = reached
    values[:, EQUITY] = points
    return values


def turned(values: Values) -> Values:
    """Return values as the other player has them."""
    other = values[:, [0, 3, 4, 1, 2, 5, EQUITY]]
    other[:, 0] = 1 - values[:, 0] - values[:, 5]
    other[:, EQUITY] *= -1
    return other


def outcome_batch(outcomes: Any, *, judged: bool = False) -> FloatArray:
    """Return outcomes as a checked ``float64[N, 6]``, each no more than those that hold it.

    `judged` ones come from an evaluator, such as a net whose outputs know nothing of each other:
    they need only be chances, and are cut where they contradict.

    Raises:
        ValueError: another shape, or rows that are no chances; the message names the first.
    """
    expected = "floats [N, 6]: P(>=1), P(>=2), P(>=3), P(<=-2), P(<=-3), P(draw)"
    try:
        array = np.array(outcomes, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"outcomes is no array ({error}): expected {expected}") from error
    if array.ndim not in (1, 2) or array.shape[-1] != 6:
        raise ValueError(f"outcomes has shape {array.shape}: expected {expected}")
    array = array.reshape(-1, 6)
    win, gammon, backgammon, lost_gammon, lost_backgammon, draw = array.T
    slack = 1e-5  # what single precision and a softmax may leave
    with np.errstate(invalid="ignore"):
        good = (array >= -slack).all(1) & (array <= 1 + slack).all(1)
        fit = (gammon <= win + slack) & (backgammon <= gammon + slack)
        fit &= (lost_backgammon <= lost_gammon + slack) & (win + lost_gammon + draw <= 1 + slack)
    good &= fit | judged
    if not good.all():
        index = int(np.argmin(good))
        raise ValueError(f"outcomes[{index}] is {array[index].tolist()}: expected {expected}")
    np.clip(array, 0, 1, out=array)
    np.minimum(array[:, 5], 1 - array[:, 0], out=array[:, 5])
    np.minimum(array[:, 1], array[:, 0], out=array[:, 1])
    np.minimum(array[:, 2], array[:, 1], out=array[:, 2])
    np.minimum(array[:, 3], 1 - array[:, 0] - array[:, 5], out=array[:, 3])
    np.clip(array[:, 3], 0, 1, out=array[:, 3])
    np.minimum(array[:, 4], array[:, 3], out=array[:, 4])
    return array
