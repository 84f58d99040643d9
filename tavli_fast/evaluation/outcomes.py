"""Outcomes: the six chances of a position, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tavli_fast._common.arguments import FloatArray


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
