"""Which boards are bear-offs: both sides near their ends, and out of each other's way."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array

MOST_POINTS: Final = 12
"""Two sides on their first 12 points are past each other, in opposed and in parallel games."""


def bearoff_sides(boards: Int8Array, points: int) -> tuple[npt.NDArray[np.bool_], Int8Array]:
    """Return which checked boards have all checkers on each side's first points, and the sides.

    Args:
        boards: ``int8[N, 2, 26]``.
        points: how many points, 1 to 12.

    Returns:
        ``bool[N]``, and ``int8[N, 2, points]``: the checkers on the points 1, 2, … of both sides.
    """
    sides = np.ascontiguousarray(boards[:, :, 1 : points + 1])
    apart = (boards[:, :, points + 1 :] == 0).all(axis=(1, 2)) & (sides >= 0).all(axis=(1, 2))
    return apart, sides


def farthest_point(board: Int8Array) -> int:
    """Return the farthest point, 25 for the bar, on which either side still has a checker."""
    return int(np.flatnonzero((board != 0).any(axis=0))[-1])
