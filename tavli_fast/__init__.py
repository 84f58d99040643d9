"""tavli_fast: fast, exact move generation and rollouts for tavli and backgammon.

A board is ``int8[2, 26]``: plane 0 the player on roll, plane 1 the opponent, each in its own
numbers ([0] borne off, [1..24] points, [25] the bar; -1 a pinned checker); a batch is
``int8[N, 2, 26]``. By task:

- rules: `Rules`, the presets and `RULES`, their names;
- boards: `start`, `flip`, `validate`, `outcomes`, `random_boards`, `view`, `pip_counts`;
- batches of plays: `count_plays`, `afterstates`, `plays`, `apply`, `perft`;
- one position's plays to read: `legal_plays`, `Play`, `parse_play`, `format_play`;
- rollouts: `rollout`, `RolloutResult`, `rank_plays`, `RankedPlays`;
- policy against policy: `arena`, `ArenaResult`;
- evaluators: `features`, `encoding`, `Net`, `QuantizedNet`, `Linear`, `from_features`,
  `OnnxEvaluator`; what they say: `evaluate`, `best_plays`;
- nets that come with the package: `load_net`; training by self-play and by rollouts: `train`,
  `refine`;
- games, matches and series, with the cube: `Game`, `Session`, `TRIO`, `Policy`, `RandomPolicy`,
  `Cube`, `CubePolicy`;
- cube decisions: `cube_decision`, `cube_equities`, `cube_points`, `exact_cube`, `CubeSetting`,
  `CubePlayer`, `MatchEquityTable`;
- texts for positions: `tfid` and `from_tfid` for every game, `position_id`, `from_position_id`,
  `to_xgid`, `from_xgid` for hitting games, `parse_position`;
- texts for matches: `read_mat`, `write_mat`, `MatMatch`;
- the same rules in plain Python, slow and obvious: `reference`;
- errors, all of them ValueErrors: `BoardError`, `IllegalMoveError`, `NotationError`,
  `EvaluatorError`, `ResultTooLargeError`.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

try:
    from . import _rules as _compiled_rules  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"the compiled core of tavli_fast is not in {__path__[0]}: this looks like the source "
        "tree, which hides the installed package; run from another folder, or install it with -e"
    ) from error

from ._callables import from_features
from ._core import build_info
from ._encoding import encoding, features
from .arena import ArenaResult, arena
from .boards import flip, outcomes, random_boards, start, validate
from .cube import (
    CubeDecision,
    CubeEquities,
    CubePoints,
    cube_decision,
    cube_equities,
    cube_points,
)
from .cube_player import CubePlayer
from .cube_setting import CubeSetting
from .cube_state import Cube, CubeTerms
from .embedded import net_for as load_net
from .errors import (
    BoardError,
    EvaluatorError,
    IllegalMoveError,
    NotationError,
    ResultTooLargeError,
)
from .evaluation import BestPlays, Evaluation, best_plays, evaluate
from .exact_cube import exact_cube
from .game import Game
from .generation import afterstates, apply, count_plays, perft, plays
from .ids import XGID, from_position_id, from_xgid, parse_position, position_id, to_xgid
from .legal import LegalPlays, legal_plays
from .match_equity import MatchEquityTable
from .nets import Linear, Net
from .notation import Play, format_play, parse_play
from .policies import CubePolicy, CubeQuestion, OpeningPolicy, Policy, RandomPolicy
from .quantized import QuantizedNet
from .ranking import RankedPlay, RankedPlays, rank_plays
from .records import Call, GameRecord, Turn
from .results import Afterstates, Plays
from .rollout_result import CubefulEquities, RolloutResult
from .rollouts import rollout
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
from .session import TRIO, Session
from .tfid import from_tfid, tfid
from .view import BoardView, pip_counts, view

if _TYPE_CHECKING:
    from . import reference
    from .mat import MatMatch, read_mat, write_mat
    from .onnx import OnnxEvaluator
    from .refining import refine
    from .training import train

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
    "TRIO",
    "XGID",
    "Afterstates",
    "ArenaResult",
    "BestPlays",
    "BoardError",
    "BoardView",
    "Call",
    "Cube",
    "CubeDecision",
    "CubeEquities",
    "CubePlayer",
    "CubePoints",
    "CubePolicy",
    "CubeQuestion",
    "CubeSetting",
    "CubeTerms",
    "CubefulEquities",
    "Evaluation",
    "EvaluatorError",
    "Game",
    "GameRecord",
    "IllegalMoveError",
    "LegalPlays",
    "Linear",
    "MatMatch",
    "MatchEquityTable",
    "Net",
    "NotationError",
    "OnnxEvaluator",
    "OpeningPolicy",
    "Play",
    "Plays",
    "Policy",
    "QuantizedNet",
    "RandomPolicy",
    "RankedPlay",
    "RankedPlays",
    "ResultTooLargeError",
    "RolloutResult",
    "Rules",
    "Session",
    "Turn",
    "afterstates",
    "apply",
    "arena",
    "best_plays",
    "build_info",
    "count_plays",
    "cube_decision",
    "cube_equities",
    "cube_points",
    "encoding",
    "evaluate",
    "exact_cube",
    "features",
    "flip",
    "format_play",
    "from_features",
    "from_position_id",
    "from_tfid",
    "from_xgid",
    "legal_plays",
    "load_net",
    "outcomes",
    "parse_play",
    "parse_position",
    "perft",
    "pip_counts",
    "plays",
    "position_id",
    "random_boards",
    "rank_plays",
    "read_mat",
    "reference",
    "refine",
    "rollout",
    "start",
    "tfid",
    "to_xgid",
    "train",
    "validate",
    "view",
    "write_mat",
]


_LATER = {
    "MatMatch": ".mat",
    "OnnxEvaluator": ".onnx",
    "read_mat": ".mat",
    "refine": ".refining",
    "train": ".training",
    "write_mat": ".mat",
}
"""What few programs need, and where it is: imported when it is asked for."""


def __getattr__(name: str) -> object:
    """Import what few programs need when it is asked for."""
    if name in _LATER:
        found = getattr(_import_module(_LATER[name], __name__), name)
        globals()[name] = found
        return found
    if name == "reference":
        return _import_module(".reference", __name__)
    if name == "__version__":
        return _import_module("importlib.metadata").version("tavli-fast")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
