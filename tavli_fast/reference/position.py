"""A position in plain Python: the number of checkers of each side on each of its points."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast.rules.presets import Rules

OFF: Final = 0
BAR: Final = 25
START: Final = 24

PINNED: Final = -1
"""The count of a lone checker under enemy checkers: it is on its point but cannot move."""


class Position(NamedTuple):
    """Both sides' checkers, each in its own side's numbering.

    Index 0 is borne off, 1 to 24 are the points counted from that side's own bear-off edge, and
    25 is the bar. "Mine" is the player on roll. A pinned checker counts -1.
    """

    mine: tuple[int, ...]
    theirs: tuple[int, ...]


def position_of(board: npt.NDArray[np.int8]) -> Position:
    """Return the board ``int8[2, 26]`` as a `Position`."""
    mine, theirs = board.tolist()
    return Position(tuple(mine), tuple(theirs))


def other_number(point: int, rules: Rules) -> int:
    """Return the number that the other side gives to this point."""
    # Section 0, parallel games: both move in the same direction, half a board apart: the opponent
    # starts on my 12-point, reaches my 1 and then my 24, and bears off past my 13.
    if rules.parallel:
        return (point + 11) % 24 + 1

    # RULES 5: the sides travel in opposite directions, so one side's 1-point is the other's 24.
    return 25 - point
