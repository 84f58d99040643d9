"""Whoever plays as a policy; and one that decides about the cube by `cube_equities`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np

from tavli_fast._common.arguments import FloatArray, Int8Array, number, seed_entropy, shown
from tavli_fast.cube.decisions import CubeEquities, cube_equities
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.evaluation.evaluate import afterstate_equities, evaluate, outcomes_by
from tavli_fast.evaluation.evaluator import Evaluator, Player, PolicyLike, is_policy, player
from tavli_fast.evaluation.outcomes import outcome_batch
from tavli_fast.play.policies import OpeningPolicy, Policy, RandomPolicy
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["CubePlayer", "as_policy"]


class EvaluatorPolicy:
    """A policy that plays the afterstate of the highest equity, the first of equals.

    It leaves the cube alone; `as_policy` makes one that handles the cube too.

    Args:
        evaluator: ``"net"`` for the net that comes with the rules of each game, a `Net`, a
            `Linear`, or a callable from afterstates to equities or outcome probabilities.

    A game of rules that the evaluator is not for raises a ValueError.
    """

    def __init__(self, evaluator: Evaluator | Player) -> None:
        """Keep what judges the afterstates."""
        self.evaluator = evaluator
        self._known: tuple[Rules, Player] | None = None

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> int:
        """Return the index of the best afterstate; see `Policy`."""
        if self._known is None or self._known[0] is not rules:
            self._known = rules, player(self.evaluator, rules, "evaluator")
        boards = np.ascontiguousarray(afterstates)
        return int(afterstate_equities(boards, self._known[1], rules).argmax())


class CubePlayer:
    """A policy that plays as another one does and makes cube decisions by the model.

    Args:
        policy: chooses the plays, and whether to reroll the opening dice; anything that `as_policy`
            takes.
        evaluator: evaluates boards for the cube: ``"net"``, a `Net`, a `Linear`, or a callable from
            afterstates to outcome probabilities of the player who has just moved; None for the
            policy itself.
        efficiency: the cube efficiency, 0 to 1; see `cube_equities`.
        table: the match equity table; None for `MatchEquityTable.compute`'s.

    Raises:
        ValueError: `efficiency` is out of range, or there is nothing to evaluate boards with.
    """

    def __init__(
        self,
        policy: PolicyLike,
        evaluator: Evaluator | None = None,
        *,
        efficiency: float = EFFICIENCY,
        table: MatchEquityTable | None = None,
    ) -> None:
        """Keep the arguments."""
        judge: Any = policy if evaluator is None else evaluator
        if judge == "random" or is_policy(judge):
            raise ValueError(
                f"evaluator={shown(evaluator)}: expected a Net or another evaluator, as "
                f"policy={shown(policy)} judges no boards"
            )
        self.policy = _plays_of(policy, None)
        self.evaluator, self.table = judge, table
        self.efficiency = number(efficiency, "efficiency", 0, 1)

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the afterstate that the other policy chooses."""
        return self.policy(board, dice, afterstates, rules)

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether the policy rerolls."""
        policy = self.policy
        return isinstance(policy, OpeningPolicy) and policy.reroll(board, dice, afterstates, rules)

    def double(self, question: CubeQuestion, /) -> bool:
        """Return whether to double."""
        equities = self._equities(question)
        return equities is not None and bool(equities.double[0])

    def answer(self, question: CubeQuestion, /) -> str:
        """Return the answer to a double, or as the doubler to a beaver."""
        equities = self._equities(question)
        if equities is None:
            return "take"
        if question.beavered:
            # The doubler loses the present stake, or plays on for twice as much.
            return "take" if equities.double_take[0] >= -1 else "drop"
        if not equities.take[0]:
            return "drop"
        return "beaver" if question.may_beaver and equities.beaver[0] else "take"

    def _equities(self, question: CubeQuestion) -> CubeEquities | None:
        """Return what the position of a question is worth."""
        setting = CubeSetting.of(question, self.table)
        if question.beavered:
            setting = replace(setting, owner="centre", beavers=False, jacoby=False)
        outcomes = self._outcomes(question)
        if outcomes is None:
            return None
        return cube_equities(outcomes, setting, efficiency=self.efficiency)

    def _outcomes(self, question: CubeQuestion) -> FloatArray | None:
        """Return the outcomes of a question's position by the evaluator."""
        return outcomes_by(self.evaluator, question.board[np.newaxis], question.rules)


class _EvaluatorPlayer(CubePlayer):
    """An evaluator as a policy. One of equities alone never doubles, and takes every double."""

    def _outcomes(self, question: CubeQuestion) -> FloatArray | None:
        """Return the outcomes of a question's position; None if the evaluator gives equities."""
        boards = question.board[np.newaxis]
        found = evaluate(boards, self.evaluator, question.rules).outcomes
        return None if np.isnan(found).any() else outcome_batch(found, judged=True)


def as_policy(
    policy: PolicyLike, rules: RulesLike | None = None, seed: int | None = None
) -> Policy:
    """Return anything that can choose plays as a `Policy`, to use in a loop of your own.

    `Game.play_out` and `Session.play_out` call this function themselves.

    - A `Policy` is returned as it is.
    - An evaluator (``"net"``, a `Net`, a `Linear`, or a callable from afterstates to equities or
      outcome probabilities) plays the afterstate with the highest equity, and makes cube decisions
      as `CubePlayer` does. If it returns equities only, it never doubles and takes every double.
    - ``"random"`` is a `RandomPolicy`.

    A callable that takes four arguments counts as a `Policy`. (In `rollout`, `rank_plays` and
    `arena` one that also takes one argument counts as an evaluator.)

    Args:
        policy: one of these.
        rules: the rules that it must be able to play; None leaves that to be found out in play.
        seed: for ``"random"``, an integer of 0 or more; None for a fresh one.

    Returns:
        The `Policy`.

    Raises:
        ValueError: `policy` is none of these, or an evaluator for other rules.

    Examples:
        >>> import tavli_fast as tf
        >>> policy = tf.as_policy("net", "portes")
        >>> game = tf.Session("portes", seed=1).game
        >>> dice = game.roll()
        >>> game.play(policy(game.board, dice, game.afterstates, game.rules))
    """
    if rules is not None:
        player(policy, resolve_rules(rules))
    return _policy(policy, seed_entropy(seed), ())


def policies_of(
    first: PolicyLike, second: PolicyLike, seed: int | None, key: tuple[int, ...]
) -> tuple[Policy, Policy]:
    """Return who plays for players 0 and 1; random ones draw from streams of the seed's own."""
    entropy = seed_entropy(seed)
    return _policy(first, entropy, (*key, 0)), _policy(second, entropy, (*key, 1))


def _policy(policy: Any, entropy: int, key: tuple[int, ...]) -> Policy:
    """Return whoever plays as a policy, with the cube."""
    plays = _plays_of(policy, (entropy, key))
    return _EvaluatorPlayer(plays, policy) if isinstance(plays, EvaluatorPolicy) else plays


def _plays_of(policy: Any, stream: tuple[int, tuple[int, ...]] | None) -> Policy:
    """Return whoever plays as a policy that leaves the cube alone, unless it is one itself."""
    if is_policy(policy, expected=True):
        found: Policy = policy
        return found
    if isinstance(policy, Player):
        if policy.policy is not None:
            return policy.policy
        policy = policy if policy.judges else "random"
    if isinstance(policy, str) and policy == "random":
        entropy, key = stream or (None, ())
        return RandomPolicy(entropy, key=key)
    if not isinstance(policy, Player) and not (isinstance(policy, str) and policy == "net"):
        player(policy, resolve_rules(None, policy))  # says what is wrong with it
    return EvaluatorPolicy(policy)
