"""What evaluators see: the features of a board, by family of games, under a versioned name."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import BoardLike, board_batch, flag, new_array
from tavli_fast._core import constants
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["encoding", "features", "phases"]

CELLS: Final = constants.CELLS
"""The cells of a board: off, 24 points and the bar, of plane 0 and then of plane 1."""
UNITS: Final = 4
"""The features of a cell: it holds 1, 2, 3 checkers or more, and how many above 3."""
PINS: Final = 48
"""In pin games, whether a checker is pinned on each point of plane 0, then of plane 1."""

PHASES: Final = (constants.PHASES, constants.MOST_PHASES)
"""Contact and race, or four experts for contact and the race: a net has weights of its own for
each; `phases` says which judge a board."""
_FLAGS: Final = {"hit": 20, "pin": 20, "block": 12}
"""The families of encodings, and how many flags each has."""
_SIDE_SCALARS: Final = {"hit": 13, "pin": 13, "block": 11}
"""How many scalars each has for a side, if it has any."""
_PLAIN, _WITH_SCALARS = "1", "2"

_BY_CONTACT: Final = {"hit": "hit", "pin": "pin", "none": "block"}


def encoding(rules: RulesLike | None = None, scalars: bool = False) -> str:
    """Return the name of an encoding of a game: ``hit-1``, ``pin-1`` or ``block-1``; with scalars
    ``hit-2``, ``pin-2`` or ``block-2``.

    A net belongs to an encoding. A version with other features would use another name.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.
        scalars: the one that has scalars beside cells and flags.

    Raises:
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.encoding("tapa")
        'pin-1'
    """
    games = _BY_CONTACT[resolve_rules(rules).contact]
    return f"{games}-{_WITH_SCALARS if flag(scalars, 'scalars') else _PLAIN}"


def family(name: str) -> str:
    """Return what an encoding has in common with those of the same games."""
    return name.rpartition("-")[0]


def flag_count(name: str) -> int:
    """Return how many flags the encoding has."""
    return _FLAGS[family(name)]


def side_scalars(name: str) -> int:
    """Return how many scalars the encoding has for each side: none, 11 or 13."""
    return _SIDE_SCALARS[family(name)] if name.endswith(_WITH_SCALARS) else 0


def pin_count(name: str) -> int:
    """Return how many columns the encoding has for pinned checkers."""
    return PINS * (family(name) == "pin")


def width(name: str) -> int:
    """Return how many features the encoding has."""
    return CELLS * UNITS + pin_count(name) + flag_count(name) + 2 * side_scalars(name)


def scalar_scales(name: str) -> npt.NDArray[np.float32]:
    """Return ``float32[S]``: what one level of each of the encoding's scalars is as a feature."""
    scales = _core.evaluate.scalar_scales()[: side_scalars(name)]
    return np.array([*scales, *scales], np.float32)


def cell_scales() -> npt.NDArray[np.float32]:
    """Return ``float32[52]``: what a checker above the third of each cell adds to its feature."""
    scales = np.full(CELLS, 0.5, np.float32)
    scales[[0, CELLS // 2]] = 0.125
    return scales


def features(
    boards: BoardLike, rules: RulesLike | None = None, scalars: bool = False
) -> npt.NDArray[np.float32]:
    """Return the inputs of an evaluator for each board, seen by the player who has just moved.

    Plane 0 is that player, as in the boards that `afterstates` returns. docs/evaluators.md
    describes the columns. In this order they are:

    - 4 for each of the 52 cells (off, points 1-24 and bar of plane 0, then of plane 1): at least 1,
      2, 3 checkers (0 or 1 each), and half the number above 3 (an eighth of it for checkers borne
      off);
    - pinning games: 48, whether a checker is pinned on point 1-24 of plane 0, then of plane 1;
    - hitting and pinning games: 20 flags, for the longest runs of closed points and for the numbers
      of a die that reach a lone checker;
    - blocking games: 12 flags, for the longest runs of held points and for closed gates;
    - with `scalars`, 13 for each side, 11 in blocking games: how many rolls bring its checkers past
      what the enemy has closed, pips until contact is broken, anchors, shots.

    All flags and scalars are 0 in a race.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1; the player
            who has just moved first.
        rules: a `Rules` or the name of a preset; None for Portes.
        scalars: whether to return the scalars too.

    Returns:
        ``float32[N, F]``; F is 228 for hitting, 276 for pinning and 220 for blocking games; with
        scalars 254, 302 and 242.

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
    scalars = flag(scalars, "scalars")
    out = new_array((len(boards), width(encoding(rules, scalars))), np.float32, "the features")
    _core.evaluate.features(boards, rules, out, scalars)
    return out


def phases(
    boards: BoardLike, rules: RulesLike | None = None, experts: bool = False
) -> npt.NDArray[np.int8]:
    """Return which weights of a net judge each board, seen by the player who has just moved.

    docs/evaluators.md says where a race begins. With experts, contact is divided by how many
    checkers each side has far back, on its points 17 to 24 or on the bar, with an enemy still to
    pass: at most one, or more.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1; the player
            who has just moved first.
        rules: a `Rules` or the name of a preset; None for Portes.
        experts: whether to tell the experts of contact apart.

    Returns:
        ``int8[N]``: 0 contact, 1 race; with experts 4 for a race, and for contact 1 if the player
        who has just moved has more than one checker far back, plus 2 if the other has.

    Raises:
        BoardError: a board is not a possible position.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.phases(tf.start("backgammon"), "backgammon", experts=True)
        array([3], dtype=int8)
    """
    rules = resolve_rules(rules, boards)
    boards = board_batch(boards, rules)
    experts = flag(experts, "experts")
    out = new_array((len(boards),), np.int8, "the phases")
    _core.evaluate.phases(boards, rules, out, experts)
    return out
