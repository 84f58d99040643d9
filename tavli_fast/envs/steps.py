"""What a `VectorGame` returns of a step: the result of all games, and their afterstates padded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array

Bools = npt.NDArray[np.bool_]


class Padded(NamedTuple):
    """The afterstates of N games, each with room for the same number of them."""

    boards: Int8Array
    """``int8[N, width, 2, 26]``, not flipped; 0 in the places that are not used."""
    mask: Bools
    """``bool[N, width]``: the places that are used."""
    counts: npt.NDArray[np.int32]
    """``int32[N]``: how many plays each game has, also those that do not fit."""


class Steps(NamedTuple):
    """What one step of N games has led to. Games without dice took no part: 0 and False."""

    rewards: npt.NDArray[np.float32]
    """``float32[N]``: the points of the player who has moved, 0 unless the game has ended."""
    done: Bools
    """``bool[N]``: the game has ended, or was cut."""
    truncated: Bools
    """``bool[N]``: it was cut, at `max_plies` or because its plays are too many to list."""
    players: Int8Array
    """``int8[N]``: who has moved, 0 or 1."""
    boards: Int8Array
    """``int8[N, 2, 26]``: the afterstates chosen, not flipped: the player who has moved first. Of a
    game that has ended, its last position."""
