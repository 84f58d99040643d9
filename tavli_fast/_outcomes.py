"""Outcomes: the six chances of a position, checked, and asked of an evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import Int8Array, shown
from ._cube_model import FloatArray
from ._players import player
from .boards import flip
from .rules import Rules


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
    except (TypeError, ValueError) as error:
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


def outcomes_by(evaluator: Any, boards: Int8Array, rules: Rules) -> FloatArray:
    """Return the outcomes ``float64[N, 6]`` of boards before the roll, by an evaluator.

    Evaluators judge afterstates, for the player who has just moved: here that is the opponent, and
    his losses are the wins of the player on roll.

    Raises:
        ValueError: no evaluator, or one that returns no outcomes.
    """
    judge = player(evaluator, rules, "evaluator")
    afterstates = flip(boards)
    if judge.weights is not None:
        found = np.asarray(judge.weights(afterstates, rules), np.float64)
    elif judge.function is not None:
        found = np.asarray(judge.function(afterstates), np.float64)
    else:
        raise ValueError(f"evaluator={shown(evaluator)}: expected one that tells outcomes")
    if found.shape == (len(boards), 5):
        found = np.column_stack([found, np.zeros(len(boards))])
    if found.shape != (len(boards), 6):
        expected = f"outcome probabilities [{len(boards)}, 6] or [{len(boards)}, 5]"
        raise ValueError(f"the evaluator returned an array {found.shape}: expected {expected}")
    theirs = outcome_batch(found, judged=True)
    win = np.maximum(0.0, 1 - theirs[:, 0] - theirs[:, 5])
    mirrored: FloatArray = np.column_stack([win, theirs[:, [3, 4, 1, 2, 5]]])
    return mirrored
