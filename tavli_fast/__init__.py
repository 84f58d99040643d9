"""tavli_fast: fast, exact move generation and rollouts for tavli and backgammon."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING

from .boards import flip, outcomes, random_boards, start, validate
from .errors import BoardError, IllegalMoveError, NotationError, ResultTooLargeError
from .generation import afterstates, apply, count_plays, perft, plays
from .ids import XGID, from_position_id, from_xgid, parse_position, position_id, to_xgid
from .legal import LegalPlays, legal_plays
from .notation import Play, format_play, parse_play
from .results import Afterstates, Plays
from .rollouts import RolloutResult, rollout
from .rules import (
    BACKGAMMON,
    BACKGAMMON_ZH,
    FEVGA,
    GUL_BARA,
    HYPERGAMMON,
    LONGGAMMON,
    MOULTEZIM,
    NACKGAMMON,
    NARDE,
    PLAKOTO,
    PORTES,
    PORTES_CUBE,
    RULES,
    TAPA,
    TAVLA,
    Rules,
)
from .view import BoardView, pip_counts, view

if _TYPE_CHECKING:
    from . import reference

__all__ = [
    "BACKGAMMON",
    "BACKGAMMON_ZH",
    "FEVGA",
    "GUL_BARA",
    "HYPERGAMMON",
    "LONGGAMMON",
    "MOULTEZIM",
    "NACKGAMMON",
    "NARDE",
    "PLAKOTO",
    "PORTES",
    "PORTES_CUBE",
    "RULES",
    "TAPA",
    "TAVLA",
    "XGID",
    "Afterstates",
    "BoardError",
    "BoardView",
    "IllegalMoveError",
    "LegalPlays",
    "NotationError",
    "Play",
    "Plays",
    "ResultTooLargeError",
    "RolloutResult",
    "Rules",
    "afterstates",
    "apply",
    "count_plays",
    "flip",
    "format_play",
    "from_position_id",
    "from_xgid",
    "legal_plays",
    "outcomes",
    "parse_play",
    "parse_position",
    "perft",
    "pip_counts",
    "plays",
    "position_id",
    "random_boards",
    "reference",
    "rollout",
    "start",
    "to_xgid",
    "validate",
    "view",
]


def __getattr__(name: str) -> object:
    """Import what few programs need, the reference and the version, when it is asked for."""
    if name == "reference":
        return _import_module(".reference", __name__)
    if name == "__version__":
        return _version("tavli-fast")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
