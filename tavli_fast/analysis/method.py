"""How positions are judged: by whom, how far ahead, or by rollouts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.analysis.judging import Judge
from tavli_fast.analysis.values import Valuer
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.evaluation.evaluate import evaluate
from tavli_fast.evaluation.evaluator import Player, player
from tavli_fast.evaluation.outcomes import Values
from tavli_fast.rollouts.rollout import rollout
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

TRIALS: Final = 324
_TOP: Final = 5
_TRUNCATE: Final = 7


@dataclass(frozen=True)
class Method:
    """How positions are judged."""

    evaluator: Any
    plies: int | Literal["rollout"]
    replies: Any
    trials: int
    seed: int

    def judge(self, rules: Rules, valuer: Valuer) -> Judge:
        """Return the judge of a game.

        Raises:
            ValueError: there is no such evaluator for its rules.
        """
        who = player(self.evaluator, rules, "evaluator")
        # Refuses what is no evaluator, and filters that are none.
        evaluate(np.empty((0, 2, 26), np.int8), self.evaluator, rules, replies=self.replies)
        if self.plies == 0:
            return Judge(who, valuer, None, _TOP)
        return Judge(
            who, valuer, self._rolled_out if self.plies == "rollout" else self._ahead, _TOP
        )

    def name(self, judges: dict[Rules, Judge]) -> str:
        """Return who judged, and how."""
        names = sorted({_named(judge.player, rules) for rules, judge in judges.items()})
        how = "rollouts" if self.plies == "rollout" else f"{self.plies} plies"
        return f"{', '.join(names) or 'nobody'}, {how}"

    def _ahead(self, boards: Int8Array, rules: Rules) -> Values:
        """Return what boards are worth before the roll, some plies ahead."""
        assert self.plies != "rollout"
        found = evaluate(boards, self.evaluator, rules, self.plies, replies=self.replies)
        return np.column_stack([found.outcomes, found.equity])

    def _rolled_out(self, boards: Int8Array, rules: Rules) -> Values:
        """Return what boards are worth before the roll, by rollouts with the same dice for all."""
        found = rollout(
            boards,
            self.evaluator,
            rules,
            self.trials,
            seed=self.seed,
            threads=1,
            truncate=_TRUNCATE,
            variance_reduction=True,
            same_dice=True,
        )
        return np.column_stack([found.outcomes, found.equity])


def _named(who: Player, rules: Rules) -> str:
    """Return the name of an evaluator."""
    return (
        f"the net of {rules_name(rules)}" if who.weights is not None and not who.name else who.name
    )


def judge_of(
    evaluator: Any, rules: Rules, plies: int | Literal["rollout"], top: int
) -> tuple[Judge, Valuer]:
    """Return who judges single positions, and what turns outcomes into equities."""
    valuer = Valuer(None, EFFICIENCY)
    method = Method(evaluator, plies, ((1, 0),), TRIALS, 0)
    judge = replace(method.judge(rules, valuer), top=top, most=max(top, 8), within=np.inf)
    return judge, valuer
