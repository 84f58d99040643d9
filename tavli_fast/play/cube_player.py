"""A policy that decides about the cube by `cube_equities`, whoever chooses its plays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np

from tavli_fast._common.arguments import Int8Array, number
from tavli_fast.cube.decisions import CubeEquities, cube_equities
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.evaluation.outcomes import outcomes_by
from tavli_fast.play.policies import CubeQuestion, OpeningPolicy, Policy
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules

__all__ = ["CubePlayer"]


class CubePlayer:
    """A `Policy` and `CubePolicy`: plays as another policy does, and doubles by the model.

    Args:
        policy: chooses the plays, and whether to throw the opening dice anew.
        evaluator: what judges boards: a `Net`, a `Linear`, or a callable from afterstates to
            outcome probabilities, as the player who has just moved has them.
        efficiency: how live the cube is, 0 to 1; see `cube_equities`.
        table: the chances to win a match; None for `MatchEquityTable.compute`'s.

    Raises:
        ValueError: `efficiency` is out of its range.
    """

    def __init__(
        self,
        policy: Policy,
        evaluator: Any,
        *,
        efficiency: float = EFFICIENCY,
        table: MatchEquityTable | None = None,
    ) -> None:
        """Keep the arguments."""
        self.policy, self.evaluator, self.table = policy, evaluator, table
        self.efficiency = number(efficiency, "efficiency", 0, 1)

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the afterstate that the other policy chooses."""
        return self.policy(board, dice, afterstates, rules)

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether the other policy throws anew."""
        policy = self.policy
        return isinstance(policy, OpeningPolicy) and policy.reroll(board, dice, afterstates, rules)

    def double(self, question: CubeQuestion, /) -> bool:
        """Return whether to double."""
        return bool(self._equities(question).double[0])

    def answer(self, question: CubeQuestion, /) -> str:
        """Return the answer to a double, or as the doubler to a beaver."""
        equities = self._equities(question)
        if question.beavered:
            # The doubler loses the present stake, or plays on for twice as much.
            return "take" if equities.double_take[0] >= -1 else "drop"
        if not equities.take[0]:
            return "drop"
        return "beaver" if question.may_beaver and equities.beaver[0] else "take"

    def _equities(self, question: CubeQuestion) -> CubeEquities:
        """Return what the position of a question is worth."""
        setting = CubeSetting.of(question, self.table)
        if question.beavered:
            setting = replace(setting, owner="centre", beavers=False, jacoby=False)
        outcomes = outcomes_by(self.evaluator, question.board[np.newaxis], question.rules)
        return cube_equities(outcomes, setting, efficiency=self.efficiency)
