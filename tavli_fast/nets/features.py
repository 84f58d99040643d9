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

    A net belongs to an encoding. A version with other features would use another name.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.

    Raises:
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.encoding("tapa")
        'pin-1'
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
    """Return the inputs of an evaluator for each board, seen by the player who has just moved.

    Plane 0 is that player, as in the boards that `afterstates` returns. docs/evaluators.md
    describes the columns. In this order they are:

    - 4 for each of the 52 cells (off, points 1-24 and bar of plane 0, then of plane 1): at least 1,
      2, 3 checkers (0 or 1 each), and half the number above 3 (an eighth of it for checkers borne
      off);
    - pinning games: 48, whether a checker is pinned on point 1-24 of plane 0, then of plane 1;
    - hitting and pinning games: 20 flags, for the longest runs of closed points and for the numbers
      of a die that reach a lone checker;
    - blocking games: 12 flags, for the longest runs of held points and for closed gates.

    All flags are 0 in a race.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1; the player
            who has just moved first.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``float32[N, F]``; F is 228 for hitting, 276 for pinning and 220 for blocking games.

    Raises:
        BoardError: a board is not a possible position.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.features(tf.start("fevga"), "fevga").shape
        (1, 220)
    """
    rules = resolve_rules(rules, boards)
    boards = board_batch(boards, rules)
    out = new_array((len(boards), width(encoding(rules))), np.float32, "the features")
    _core.evaluate.features(boards, rules, out)
    return out
