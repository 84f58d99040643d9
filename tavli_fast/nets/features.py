"""What evaluators see: the features of a board, by family of games, under a versioned name."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import BoardLike, board_batch, new_array
from tavli_fast._core import constants
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["encoding", "features"]

CELLS: Final = constants.CELLS
"""The cells of a board: off, 24 points and the bar, of plane 0 and then of plane 1."""
UNITS: Final = 4
"""The features of a cell: it holds 1, 2, 3 checkers or more, and how many above 3."""
PINS: Final = 48
"""In pin games, whether a checker is pinned on each point of plane 0, then of plane 1."""

FLAGS: Final = {"hit-1": 20, "pin-1": 20, "block-1": 12}
"""The encodings, and how many flags each has."""

_BY_CONTACT: Final = {"hit": "hit-1", "pin": "pin-1", "none": "block-1"}


def encoding(rules: RulesLike | None = None) -> str:
    """Return the name of the encoding of a game: ``hit-1``, ``pin-1`` or ``block-1``.

    Nets are for an encoding. A later version with other features would have another name.
    """
    return _BY_CONTACT[resolve_rules(rules).contact]


def width(name: str) -> int:
    """Return how many features the encoding has."""
    return CELLS * UNITS + PINS * (name == "pin-1") + FLAGS[name]


def cell_scales() -> npt.NDArray[np.float32]:
    """Return ``float32[52]``: what a checker above the third of each cell adds to its feature."""
    scales = np.full(CELLS, 0.5, np.float32)
    scales[[0, CELLS // 2]] = 0.125
    return scales


def features(boards: BoardLike, rules: RulesLike | None = None) -> npt.NDArray[np.float32]:
    """Return what an evaluator sees of each board, as the player who has just moved.

    Plane 0 is that player, as in what `afterstates` returns. Columns, in this order:

    - 4 for each of the 52 cells (off, points 1-24, bar of plane 0, then of plane 1): it holds 1, 2,
      3 checkers or more (0 or 1 each), and half the number above 3 (an eighth of it for those
      borne off);
    - pin games: 48, a checker is pinned on point 1-24 of plane 0, then of plane 1;
    - hitting and pinning games, 20 flags: the longest run of closed points of plane 0 reaches 3, 4,
      5, 6; that of plane 1; more than 0, 1, … 5 numbers of a die bring a checker of plane 1 to a
      lone one of plane 0; the same the other way round. A point is closed by two checkers, or by
      one on top of an enemy's;
    - blocking games, 12 flags: the longest run of points of plane 0 reaches 2, 3, 4, 5, 6; that of
      plane 1; plane 0's runner has not yet come far enough for the others to move; plane 1's.

    All flags are 0 in a race: in opposed games once the sides have passed each other, where both
    run the same way once all are in their second half.

    Args:
        boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one; who has just moved first.
        rules: a `Rules` or the name of a preset.

    Returns:
        ``float32[N, F]``; F is 228 for hitting, 276 for pinning, 220 for blocking games.

    Raises:
        BoardError: a board that cannot be a position.
        ValueError: another bad argument.
    """
    rules = resolve_rules(rules, boards)
    boards = board_batch(boards, rules)
    out = new_array((len(boards), width(encoding(rules))), np.float32, "the features")
    _core.evaluate.features(boards, rules, out)
    return out
