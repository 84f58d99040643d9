"""Evaluators of any kind behind one interface: evaluating boards, choosing plays, looking ahead.

May import `nets`, `boards` and what lies below them. `cube`, `rollouts` and `play` call it.
"""

from tavli_fast.evaluation.evaluate import BestPlays, Evaluation, best_plays, evaluate
from tavli_fast.evaluation.evaluator import Evaluator, PolicyLike, from_features

__all__ = [
    "BestPlays",
    "Evaluation",
    "Evaluator",
    "PolicyLike",
    "best_plays",
    "evaluate",
    "from_features",
]
