"""Evaluations brought in order: nothing that the rules or the board exclude, and no more than all.

`net/coherent.h` does the same for nets in the core, with the same arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, board_batch, shown
from tavli_fast.evaluation.outcomes import EQUITY, exact_values
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["Coherent", "coherent", "in_order"]

_THEIRS: Final = 3
"""The bit of plane 1's win of a single point; plane 0's is bit 0."""

_DRAW: Final = 1 << 6


class Coherent:
    """An evaluator whose answers are brought in order; see `coherent`."""

    def __init__(self, function: Callable[..., Any], rules: RulesLike | None) -> None:
        """Keep the evaluator and the rules that it is for."""
        if not callable(function) or isinstance(function, type):
            raise ValueError(f"evaluator={shown(function)}: expected a callable")
        self.function = function
        self.rules = resolve_rules(rules, function)

    @property
    def name(self) -> str:
        """What results call it: as the evaluator."""
        given = getattr(self.function, "name", None) or getattr(self.function, "__name__", None)
        return str(given or type(self.function).__name__)

    def __call__(self, afterstates: npt.ArrayLike) -> Any:
        """Return what the evaluator says of boards, in order.

        An answer that is neither equities nor outcomes is returned as it is, for the caller to
        refuse.

        Args:
            afterstates: integers ``[N, 2, 26]``, the player who has just moved first.

        Raises:
            BoardError: a board that cannot be.
            ValueError: not integers, or of another shape.
        """
        boards = board_batch(afterstates, self.rules, "afterstates")
        answer = np.asarray(self.function(boards.copy()))
        if answer.dtype.kind not in "fiu" or answer.shape[:1] != (len(boards),):
            return answer
        if answer.ndim == 1:
            return _limited(answer, boards, self.rules)
        if answer.shape[1:] not in ((EQUITY - 1,), (EQUITY,)):
            return answer
        if answer.shape[1] == EQUITY - 1:
            answer = np.concatenate([answer, np.zeros((len(answer), 1), answer.dtype)], axis=1)
        return in_order(answer, boards, self.rules)


def coherent(evaluator: Callable[..., Any], rules: RulesLike | None = None) -> Coherent:
    """Return an evaluator that says what another one says, brought in order.

    Nets are in order by themselves; for a callable, whose probabilities are otherwise taken as they
    are, it is an option. A win of 2 points or more is made no likelier than a win, and one of 3 no
    likelier than one of 2; what one side wins is cut to what the other leaves; a gammon against a
    side that has borne off a checker is 0, and so is a backgammon if no checker can be left behind,
    and all else that the rules do not pay. Equities alone are cut to the points that can still be
    won and lost.

    Args:
        evaluator: a callable from afterstates ``int8[M, 2, 26]`` to equities ``[M]`` or outcome
            probabilities ``[M, 5]`` or ``[M, 6]``, of the player who has just moved.
        rules: the rules that it is for, a `Rules` or the name of a preset; None for the evaluator's
            own, else Portes.

    Returns:
        The evaluator, a callable.

    Raises:
        ValueError: an argument is invalid.

    Examples:
        >>> import numpy as np
        >>> import tavli_fast as tf
        >>> half = tf.coherent(lambda boards: np.full((len(boards), 5), 0.5), "backgammon")
        >>> board, _ = tf.from_tfid("TFID1:b:2CBAaa3a1a1C1B2B1aAgbA:0:1")  # one is off
        >>> tf.evaluate(board, half).outcomes.round(6)
        array([[0.5, 0. , 0. , 0.5, 0.5, 0. ]])
    """
    return Coherent(evaluator, rules)


def in_order(outcomes: npt.NDArray[Any], boards: Int8Array, rules: Rules) -> npt.NDArray[Any]:
    """Return outcomes ``[N, 6]`` of checked boards in order, of the same precision; those of games
    that are over are their results."""
    outcomes = outcomes if outcomes.dtype.kind == "f" else outcomes.astype(np.float64)
    possible = _possible(boards, rules)
    win, win2, win3, lose2, lose3, draw = np.clip(outcomes, 0, 1).T
    left = 1 - win
    # By what may have been lost in rounding less, so that the sum is never more than 1.
    left = left - left * left.dtype.type(2.0**-22)
    draw = np.where(possible & _DRAW, np.minimum(draw, left), 0)
    left = left - draw
    win2, win3 = _side(win, win2, win3, possible)
    lose2, lose3 = _side(left, lose2, lose3, possible >> _THEIRS)
    found = np.stack([win, win2, win3, lose2, lose3, draw], axis=1).astype(outcomes.dtype)
    over, points = _core.batch.outcomes(boards, rules)
    if over.any():
        found[over] = exact_values(points[over])[:, :EQUITY]
    return found


def _side(
    win: npt.NDArray[Any],
    two: npt.NDArray[Any],
    three: npt.NDArray[Any],
    possible: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return a side's chances to win 2 points or more, and 3, from the bits of its results."""
    two = np.where(possible & 1, np.minimum(two, win), win)
    two = np.where(possible & 6, two, 0)
    three = np.where(possible & 2, np.minimum(three, two), two)
    return two, np.where(possible & 4, three, 0)


def _limited(
    equities: npt.NDArray[Any], boards: Int8Array, rules: Rules
) -> npt.NDArray[np.floating[Any]]:
    """Return equities within the points that can still be lost and won."""
    possible = _possible(boards, rules)
    most = np.zeros((2, len(boards)))
    for side, bits in enumerate((possible, possible >> _THEIRS)):
        for points in (1, 2, 3):
            most[side, (bits >> (points - 1) & 1) == 1] = points
    limited: npt.NDArray[np.floating[Any]] = np.clip(equities, -most[1], most[0])
    return limited


def _possible(boards: Int8Array, rules: Rules) -> npt.NDArray[np.uint8]:
    """Return the bits of the results that boards can still have, ``uint8[N]``."""
    possible = np.empty(len(boards), np.uint8)
    _core.evaluate.possible(boards, rules, possible)
    return possible
