"""Many games from a position: rollouts, plays ranked by them, policy against policy.

May import `cube`, `evaluation` and what lies below them. `training` and the command line call it.
"""

from tavli_fast.rollouts.arena import ArenaResult
from tavli_fast.rollouts.ranked import RankedPlay, RankedPlays
from tavli_fast.rollouts.ranking import rank_plays
from tavli_fast.rollouts.result import CubefulEquities, RolloutResult
from tavli_fast.rollouts.rollout import rollout

__all__ = [
    "ArenaResult",
    "CubefulEquities",
    "RankedPlay",
    "RankedPlays",
    "RolloutResult",
    "rank_plays",
    "rollout",
]
