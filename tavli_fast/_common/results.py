"""What the move generators return: afterstates and plays of a whole batch, in CSR form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Afterstates", "Plays"]


class Afterstates(NamedTuple):
    """The distinct positions after each legal play of a batch of boards and rolls.

    Those of board ``i`` are ``boards[offsets[i]:offsets[i + 1]]``: none if it has no legal play.
    """

    boards: npt.NDArray[np.int8]
    """``int8[M, 2, 26]``: the positions, not flipped (plane 0 is the player who has just moved)."""
    offsets: npt.NDArray[np.int64]
    """``int64[N + 1]``: where each board's positions begin; the last entry is M."""


class Plays(NamedTuple):
    """One representative play for each distinct afterstate of a batch of boards and rolls.

    Those of board ``i`` are ``moves[offsets[i]:offsets[i + 1]]``, and ``boards`` holds the
    afterstate of each in the same place.
    """

    moves: npt.NDArray[np.int8]
    """``int8[M, 4, 2]``: (from, to) pairs in the mover's numbers, in the order in which they are
    played; 25 is the bar, 0 is off, and ``-1`` fills the rest. (Where doubles cascade a play has
    up to 24 moves: ``int8[M, 24, 2]``.)"""
    boards: npt.NDArray[np.int8]
    """``int8[M, 2, 26]``: the afterstate of each play, not flipped."""
    offsets: npt.NDArray[np.int64]
    """``int64[N + 1]``: where each board's plays begin; the last entry is M."""
