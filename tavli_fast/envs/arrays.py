"""The arrays of many games, to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array
from tavli_fast.envs.engine import Engine, Int64Array
from tavli_fast.envs.steps import Bools


class GameArrays:
    """What N games are now: read-only arrays, which change with every step."""

    _engine: Engine

    @property
    def boards(self) -> Int8Array:
        """``int8[N, 2, 26]``, read-only: the positions now, the player on roll first."""
        return read_only(self._engine.boards)

    @property
    def dice(self) -> Int8Array:
        """``int8[N, 2]``, read-only: the rolls to play, 0 in games that take no part."""
        return read_only(self._engine.dice)

    @property
    def players(self) -> Int8Array:
        """``int8[N]``, read-only: who is on roll, 0 or 1."""
        return read_only(self._engine.players)

    @property
    def plies(self) -> npt.NDArray[np.int32]:
        """``int32[N]``, read-only: the turns that each game has had."""
        return read_only(self._engine.plies)

    @property
    def episodes(self) -> Int64Array:
        """``int64[N]``, read-only: how many games have ended at each place since the reset."""
        return read_only(self._engine.episodes)

    @property
    def over(self) -> Bools:
        """``bool[N]``, read-only: which games have ended; none with ``restart=True``."""
        return read_only(self._engine.over.view(np.bool_))

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the games and the listed afterstates take now."""
        return self._engine.nbytes


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array as one that cannot be written to."""
    view = array.view()
    view.setflags(write=False)
    return view
