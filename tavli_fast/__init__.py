"""Fast, exact move generation and rollouts for tavli and backgammon.

A board is ``int8[2, 26]``: plane 0 is the player on roll, plane 1 the opponent, each in its own
player's numbering ([0] borne off, [1..24] the points counted from that player's bear-off edge, [25]
the bar; a pinned checker is -1). A batch is ``int8[N, 2, 26]``. The public names by task:

- rules: `Rules`, the presets and `RULES`, their names;
- boards: `start`, `flip`, `validate`, `outcomes`, `random_boards`, `view`, `pip_counts`;
- plays in batches: `count_plays`, `afterstates`, `plays`, `apply`, `perft`;
- plays of one position as text: `legal_plays`, `Play`, `parse_play`, `format_play`;
- rollouts: `rollout`, `RolloutResult`, `rank_plays`, `RankedPlays`;
- policy against policy: `arena`, `ArenaResult`, `MatchResult`;
- evaluators: `evaluate`, `best_plays`, `features`, `phases`, `encoding`, `Net`, `Linear`,
  `from_features`, `coherent`, `with_tables`, `OnnxEvaluator`;
- bundled nets: `load_net`; training by self-play: `train`, and by lookahead: `improve`;
- games, matches and series, with the cube: `Game`, `Session`, `TRIO`, `Policy`, `RandomPolicy`,
  `as_policy`, `Cube`, `CubePolicy`;
- cube decisions: `cube_decision`, `cube_equities`, `cube_points`, `exact_cube`, `CubeSetting`,
  `CubePlayer`, `MatchEquityTable`;
- exact values: `one_sided` and `two_sided` bear-off tables, `solve` for games of few checkers;
- positions as text: `tfid` and `from_tfid` for every game, `position_id`, `from_position_id`,
  `to_xgid`, `from_xgid` for hitting games, `parse_position`; `gnubg_id`, `from_gnubg_id`,
  `to_fibs`, `from_fibs`, `to_ogid`, `from_ogid`: other programs' texts to an `XGID` and back;
- match analysis: `analyse`, `MatchAnalysis`, `Decision`, `Choice`, `Luck`, `GameSummary`, `Totals`;
- matches as text: `read_match`, `read_mat`, `write_mat`, `read_sgf`, `write_sgf`, `MatMatch`,
  `Mended`, `Note`;
- the same rules in plain Python: `reference`;
- connections to other programs: `connect`;
- environments to learn in: `envs`, with `envs.VectorGame` and others;
- errors, all of them ValueErrors: `BoardError`, `IllegalMoveError`, `NotationError`,
  `EvaluatorError`, `ResultTooLargeError`.

Only these names, `reference`, `connect`, `envs` and the command line are public; modules below may
change.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

try:
    from tavli_fast._core import cpu as _compiled  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"the compiled core of tavli_fast is not in {__path__[0]}: this looks like the source "
        "tree, which hides the installed package; run from another folder, or install it with -e"
    ) from error

_MODULES = {
    "_common.results": ("Afterstates", "Plays"),
    "_core": ("build_info",),
    "analysis.analyse": ("analyse",),
    "analysis.records": ("Choice", "Decision", "Luck"),
    "analysis.result": ("MatchAnalysis",),
    "analysis.totals": ("GameSummary", "Totals"),
    "boards.plays": ("afterstates", "apply", "count_plays", "perft", "plays"),
    "boards.positions": ("flip", "outcomes", "random_boards", "start", "validate"),
    "boards.tfid": ("from_tfid", "tfid"),
    "cube.advice": ("cube_decision",),
    "cube.decisions": (
        "CubeDecision",
        "CubeEquities",
        "CubePoints",
        "cube_equities",
        "cube_points",
    ),
    "cube.exact": ("exact_cube",),
    "cube.match_equity": ("MatchEquityTable",),
    "cube.question": ("CubeQuestion",),
    "cube.setting": ("CubeSetting",),
    "errors": (
        "BoardError",
        "EvaluatorError",
        "IllegalMoveError",
        "NotationError",
        "ResultTooLargeError",
    ),
    "evaluation.coherent": ("coherent",),
    "evaluation.evaluator": ("Evaluator", "PolicyLike", "from_features"),
    "evaluation.evaluate": ("BestPlays", "Evaluation", "best_plays", "evaluate"),
    "evaluation.with_tables": ("with_tables",),
    "exact.bearoff": ("OneSidedBearoff", "TwoSidedBearoff", "one_sided", "two_sided"),
    "exact.solved": ("SolvedGame", "solve"),
    "nets.bundled": ("load_net",),
    "nets.features": ("encoding", "features", "phases"),
    "nets.linear": ("Linear",),
    "nets.net": ("Net",),
    "nets.onnx": ("OnnxEvaluator",),
    "notation.fibs": ("from_fibs", "to_fibs"),
    "notation.legal": ("LegalPlays", "legal_plays"),
    "notation.play": ("Play", "format_play", "parse_play"),
    "notation.ogid": ("from_ogid", "to_ogid"),
    "notation.position_id": (
        "from_gnubg_id",
        "from_position_id",
        "gnubg_id",
        "parse_position",
        "position_id",
    ),
    "notation.view": ("BoardView", "pip_counts", "view"),
    "notation.xgid": ("XGID", "from_xgid", "to_xgid"),
    "play.arena": ("MatchResult", "arena"),
    "play.cube_player": ("CubePlayer", "as_policy"),
    "play.cube_state": ("Cube", "CubeTerms"),
    "play.game": ("Game",),
    "play.mat.reader": ("MatMatch", "Mended", "Note", "read_mat", "write_mat"),
    "play.match_files": ("read_match",),
    "play.policies": ("CubePolicy", "OpeningPolicy", "Policy", "RandomPolicy"),
    "play.records": ("Call", "GameRecord", "Turn"),
    "play.session": ("TRIO", "Session"),
    "play.sgf": ("read_sgf", "write_sgf"),
    "rollouts.arena": ("ArenaResult",),
    "rollouts.ranked": ("RankedPlay", "RankedPlays"),
    "rollouts.ranking": ("rank_plays",),
    "rollouts.result": ("CubefulEquities", "RolloutResult"),
    "rollouts.rollout": ("rollout",),
    "rules.presets": (
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
        "Rules",
        "RulesLike",
    ),
    "training.second_stage": ("improve",),
    "training.trainer": ("train",),
}
"""The public names, by the module that has them: imported when they are first asked for."""

_HOME = {name: module for module, names in _MODULES.items() for name in names}

if _TYPE_CHECKING:
    from tavli_fast import connect, envs, reference
    from tavli_fast._common.results import Afterstates, Plays
    from tavli_fast._core import build_info
    from tavli_fast.analysis.analyse import analyse
    from tavli_fast.analysis.records import Choice, Decision, Luck
    from tavli_fast.analysis.result import MatchAnalysis
    from tavli_fast.analysis.totals import GameSummary, Totals
    from tavli_fast.boards.plays import afterstates, apply, count_plays, perft, plays
    from tavli_fast.boards.positions import flip, outcomes, random_boards, start, validate
    from tavli_fast.boards.tfid import from_tfid, tfid
    from tavli_fast.cube.advice import cube_decision
    from tavli_fast.cube.decisions import (
        CubeDecision,
        CubeEquities,
        CubePoints,
        cube_equities,
        cube_points,
    )
    from tavli_fast.cube.exact import exact_cube
    from tavli_fast.cube.match_equity import MatchEquityTable
    from tavli_fast.cube.question import CubeQuestion
    from tavli_fast.cube.setting import CubeSetting
    from tavli_fast.errors import (
        BoardError,
        EvaluatorError,
        IllegalMoveError,
        NotationError,
        ResultTooLargeError,
    )
    from tavli_fast.evaluation.coherent import coherent
    from tavli_fast.evaluation.evaluate import BestPlays, Evaluation, best_plays, evaluate
    from tavli_fast.evaluation.evaluator import Evaluator, PolicyLike, from_features
    from tavli_fast.evaluation.with_tables import with_tables
    from tavli_fast.exact.bearoff import OneSidedBearoff, TwoSidedBearoff, one_sided, two_sided
    from tavli_fast.exact.solved import SolvedGame, solve
    from tavli_fast.nets.bundled import load_net
    from tavli_fast.nets.features import encoding, features, phases
    from tavli_fast.nets.linear import Linear
    from tavli_fast.nets.net import Net
    from tavli_fast.nets.onnx import OnnxEvaluator
    from tavli_fast.notation.fibs import from_fibs, to_fibs
    from tavli_fast.notation.legal import LegalPlays, legal_plays
    from tavli_fast.notation.ogid import from_ogid, to_ogid
    from tavli_fast.notation.play import Play, format_play, parse_play
    from tavli_fast.notation.position_id import (
        from_gnubg_id,
        from_position_id,
        gnubg_id,
        parse_position,
        position_id,
    )
    from tavli_fast.notation.view import BoardView, pip_counts, view
    from tavli_fast.notation.xgid import XGID, from_xgid, to_xgid
    from tavli_fast.play.arena import MatchResult, arena
    from tavli_fast.play.cube_player import CubePlayer, as_policy
    from tavli_fast.play.cube_state import Cube, CubeTerms
    from tavli_fast.play.game import Game
    from tavli_fast.play.mat.reader import MatMatch, Mended, Note, read_mat, write_mat
    from tavli_fast.play.match_files import read_match
    from tavli_fast.play.policies import CubePolicy, OpeningPolicy, Policy, RandomPolicy
    from tavli_fast.play.records import Call, GameRecord, Turn
    from tavli_fast.play.session import TRIO, Session
    from tavli_fast.play.sgf import read_sgf, write_sgf
    from tavli_fast.rollouts.arena import ArenaResult
    from tavli_fast.rollouts.ranked import RankedPlay, RankedPlays
    from tavli_fast.rollouts.ranking import rank_plays
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
        RulesLike,
    )
    from tavli_fast.training.second_stage import improve
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
    "Choice",
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
    "Decision",
    "Evaluation",
    "Evaluator",
    "EvaluatorError",
    "Game",
    "GameRecord",
    "GameSummary",
    "IllegalMoveError",
    "LegalPlays",
    "Linear",
    "Luck",
    "MatMatch",
    "MatchAnalysis",
    "MatchEquityTable",
    "MatchResult",
    "Mended",
    "Net",
    "NotationError",
    "Note",
    "OneSidedBearoff",
    "OnnxEvaluator",
    "OpeningPolicy",
    "Play",
    "Plays",
    "Policy",
    "PolicyLike",
    "RandomPolicy",
    "RankedPlay",
    "RankedPlays",
    "ResultTooLargeError",
    "RolloutResult",
    "Rules",
    "RulesLike",
    "Session",
    "SolvedGame",
    "Totals",
    "Turn",
    "TwoSidedBearoff",
    "afterstates",
    "analyse",
    "apply",
    "arena",
    "as_policy",
    "best_plays",
    "build_info",
    "coherent",
    "connect",
    "count_plays",
    "cube_decision",
    "cube_equities",
    "cube_points",
    "encoding",
    "envs",
    "evaluate",
    "exact_cube",
    "features",
    "flip",
    "format_play",
    "from_features",
    "from_fibs",
    "from_gnubg_id",
    "from_ogid",
    "from_position_id",
    "from_tfid",
    "from_xgid",
    "gnubg_id",
    "improve",
    "legal_plays",
    "load_net",
    "one_sided",
    "outcomes",
    "parse_play",
    "parse_position",
    "perft",
    "phases",
    "pip_counts",
    "plays",
    "position_id",
    "random_boards",
    "rank_plays",
    "read_mat",
    "read_match",
    "read_sgf",
    "reference",
    "rollout",
    "solve",
    "start",
    "tfid",
    "to_fibs",
    "to_ogid",
    "to_xgid",
    "train",
    "two_sided",
    "validate",
    "view",
    "with_tables",
    "write_mat",
    "write_sgf",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _HOME:
        found = getattr(_import_module(f"tavli_fast.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    if name in ("connect", "envs", "reference"):
        return _import_module(f"tavli_fast.{name}")
    if name == "__version__":
        return _import_module("importlib.metadata").version("tavli-fast")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, imported yet or not, and what the module has beside them."""
    return sorted({*globals(), *__all__})
