"""A position in plain Python: how many checkers each side has on each of its points."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

OFF: Final = 0
BAR: Final = 25


class Position(NamedTuple):
    """Both sides' checkers, each side's in its own numbers.

    Index 0 is borne off, 1 to 24 are the points counted from that side's own bear-off edge, and
    25 is the bar. "Mine" is the player on roll.
    """

    mine: tuple[int, ...]
    theirs: tuple[int, ...]


def position_of(board: npt.NDArray[np.int8]) -> Position:
    """Return the board ``int8[2, 26]`` as a `Position`."""
    mine, theirs = board.tolist()
    return Position(tuple(mine), tuple(theirs))


def other_number(point: int) -> int:
    """Return the number that the other side gives to this point.

    RULES 5: the sides travel in opposite directions, so one side's 1-point is the other's 24.
    """
    return 25 - point
