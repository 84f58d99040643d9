"""The table that evaluators look up: the chances of bear-offs of up to six checkers a side."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray, Int8Array
from tavli_fast._core import bearoff
from tavli_fast.exact.bearoff import two_sided
from tavli_fast.exact.cache import cached

__all__ = ["CHECKERS", "POINTS", "table_sides", "win_chances"]

POINTS: Final = 6
CHECKERS: Final = 6
"""What the core looks up (`net/tables.h`): up to six checkers a side, on the first six points."""

_STANDARD: Final = "backgammon"
"""Any rules of the usual bear-off whose sides have borne one off by then: wins are single ones."""


@cache
def win_chances() -> FloatArray:
    """Return the chance to win of the side on roll, for all pairs of sides ``float64[S, S]``.

    It is read from the cache folder, or computed and kept there (`cached`).
    """
    count = bearoff.count_sides(POINTS, CHECKERS)

    def computed() -> FloatArray:
        chances: FloatArray = (1 + two_sided(_STANDARD).worth_without_cube()) / 2
        return chances

    found = cached(f"bearoff-{POINTS}-{CHECKERS}-1.table", (count, count), computed)
    found.flags.writeable = False
    return found


def table_sides(sides: Int8Array) -> npt.NDArray[np.int32]:
    """Return the numbers of sides ``int8[N, 6]`` of at most six checkers, ``int32[N]``."""
    numbers = np.empty(len(sides), np.int32)
    bearoff.side_indices(np.ascontiguousarray(sides), CHECKERS, numbers)
    return numbers
