"""Games and matches turn by turn: records, policies, the cube's actions, sessions, match files.

May import `rollouts`, `notation`, `cube`, `evaluation` and what lies below them. The command
line calls it.
"""

from tavli_fast.play.arena import MatchResult, arena
from tavli_fast.play.cube_player import CubePlayer, as_policy
from tavli_fast.play.cube_state import Cube, CubeTerms
from tavli_fast.play.game import Game
from tavli_fast.play.policies import CubePolicy, OpeningPolicy, Policy, RandomPolicy
from tavli_fast.play.records import Call, GameRecord, Turn
from tavli_fast.play.session import TRIO, Session

__all__ = [
    "TRIO",
    "Call",
    "Cube",
    "CubePlayer",
    "CubePolicy",
    "CubeTerms",
    "Game",
    "GameRecord",
    "MatchResult",
    "OpeningPolicy",
    "Policy",
    "RandomPolicy",
    "Session",
    "Turn",
    "arena",
    "as_policy",
]
