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
- evaluators: `features`, `encoding`, `Net`, `Linear`, `from_features`, `OnnxEvaluator`;
  what they say: `evaluate`, `best_plays`;
- nets that come with the package: `load_net`; training by self-play: `train`;
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
    from tavli_fast._core import ruleset as _compiled_rules  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"the compiled core of tavli_fast is not in {__path__[0]}: this looks like the source "
        "tree, which hides the installed package; run from another folder, or install it with -e"
    ) from error

from tavli_fast._core import build_info
from tavli_fast.boards.plays import afterstates, apply, count_plays, perft, plays
from tavli_fast.boards.positions import flip, outcomes, random_boards, start, validate
from tavli_fast.boards.results import Afterstates, Plays
from tavli_fast.boards.tfid import from_tfid, tfid
from tavli_fast.cube.decisions import (
    CubeDecision,
    CubeEquities,
    CubePoints,
    cube_decision,
    cube_equities,
    cube_points,
)
from tavli_fast.cube.exact import exact_cube
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.errors import (
    BoardError,
    EvaluatorError,
    IllegalMoveError,
    NotationError,
    ResultTooLargeError,
)
from tavli_fast.evaluation.callables import from_features
from tavli_fast.evaluation.evaluate import BestPlays, Evaluation, best_plays, evaluate
from tavli_fast.nets.bundled import net_for as load_net
from tavli_fast.nets.features import encoding, features
from tavli_fast.nets.net import Linear, Net
from tavli_fast.notation.legal import LegalPlays, legal_plays
from tavli_fast.notation.play import Play, format_play, parse_play
from tavli_fast.notation.position_id import (
    XGID,
    from_position_id,
    from_xgid,
    parse_position,
    position_id,
    to_xgid,
)
from tavli_fast.notation.view import BoardView, pip_counts, view
from tavli_fast.play.cube_player import CubePlayer
from tavli_fast.play.cube_state import Cube, CubeTerms
from tavli_fast.play.game import Game
from tavli_fast.play.policies import CubePolicy, CubeQuestion, OpeningPolicy, Policy, RandomPolicy
from tavli_fast.play.records import Call, GameRecord, Turn
from tavli_fast.play.session import TRIO, Session
from tavli_fast.rollouts.arena import ArenaResult, arena
from tavli_fast.rollouts.ranking import RankedPlay, RankedPlays, rank_plays
from tavli_fast.rollouts.result import CubefulEquities, RolloutResult
from tavli_fast.rollouts.rollout import rollout
from tavli_fast.rules.presets import (
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

if _TYPE_CHECKING:
    from tavli_fast import reference
    from tavli_fast.nets.onnx import OnnxEvaluator
    from tavli_fast.play.mat.reader import MatMatch, read_mat, write_mat
    from tavli_fast.training.trainer import train

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
    "MatMatch": ".play.mat.reader",
    "OnnxEvaluator": ".nets.onnx",
    "read_mat": ".play.mat.reader",
    "train": ".training.trainer",
    "write_mat": ".play.mat.reader",
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
