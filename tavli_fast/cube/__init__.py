"""The doubling cube: match equity, the model of cubeful equities, decisions, exact endings.

May import `evaluation` and what lies below it. `rollouts` and `play` call it.
"""

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

__all__ = [
    "CubeDecision",
    "CubeEquities",
    "CubePoints",
    "CubeQuestion",
    "CubeSetting",
    "MatchEquityTable",
    "cube_decision",
    "cube_equities",
    "cube_points",
    "exact_cube",
]
