"""Who plays or judges: what `policy=` and `evaluator=` may be, resolved for the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import shown
from tavli_fast.nets.bundled import lends, load_net
from tavli_fast.nets.net import Linear, Net, Weights
from tavli_fast.rules.fields import misplaced_rules
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["Evaluator", "Player", "PolicyLike", "is_policy", "player"]


@dataclass(frozen=True)
class Player:
    """One side's way to choose plays: by a compiled evaluator, a callable, a `Policy` of Python's,
    or at random."""

    name: str
    weights: Weights | None = None
    function: Callable[..., Any] | None = None
    policy: Callable[..., Any] | None = None

    @property
    def judges(self) -> bool:
        """Whether he has an evaluator."""
        return self.weights is not None or self.function is not None

    @property
    def at_random(self) -> bool:
        """Whether he chooses uniformly."""
        return not self.judges and self.policy is None

    @property
    def compiled(self) -> bool:
        """Whether the core can play for him."""
        return self.function is None and self.policy is None


Evaluator: TypeAlias = Net | Linear | Literal["net"] | Callable[[npt.NDArray[np.int8]], Any]
"""What judges positions: ``"net"``, a `Net`, a `Linear`, or a callable from afterstates
``int8[M, 2, 26]`` to equities ``[M]`` or outcome probabilities ``[M, 5]`` or ``[M, 6]``, as the
player who has just moved has them."""

PolicyLike: TypeAlias = Evaluator | Literal["random"] | Callable[..., Any] | Player
"""Who plays: an `Evaluator`, which plays the afterstate of the highest equity, ``"random"``, or a
`Policy`, which chooses by itself."""


def is_policy(value: object, *, expected: bool = False) -> bool:
    """Return whether a callable is a `Policy`, which takes the board, the dice, the afterstates and
    the rules, rather than an evaluator, which takes afterstates alone.

    One that takes either is what is `expected` of the place where it is passed.
    """
    if not callable(value) or isinstance(value, type | Weights):
        return False
    try:
        found = signature(value)
    except (TypeError, ValueError):  # a builtin that does not tell
        return False

    def takes(count: int) -> bool:
        try:
            found.bind(*range(count))
        except TypeError:
            return False
        return True

    return takes(4) and (expected or not takes(1))


def player(policy: Any, rules: Rules, name: str = "policy") -> Player:
    """Return the player that a policy means.

    Args:
        policy: ``"random"``, ``"net"`` for the net that `load_net` has for the rules, a `Net`, a
            `Linear`, a callable from afterstates to equities or outcome probabilities, or a
            `Policy`.
        rules: what is played.
        name: the argument, for messages.

    Raises:
        ValueError: none of these, or an evaluator for other games.
    """
    if isinstance(policy, Player):
        return policy
    if type(policy) is str and policy == "random":
        return Player("random")
    if type(policy) is str and policy == "net":
        net = load_net(rules)
        return Player(net.name, weights=net)
    own = getattr(policy, "rules", None)
    if type(own) is Rules and not lends(own, rules):
        raise ValueError(
            f"{name}={shown(policy)} is for the rules {rules_name(own)}: expected one for "
            f"{rules_name(rules)}, such as tf.load_net returns, or rules= to play by its own"
        )
    if isinstance(policy, Weights):
        return Player(policy.name, weights=policy)
    if callable(policy) and not isinstance(policy, type):
        title = getattr(policy, "name", None) or getattr(policy, "__name__", None)
        title = str(title or type(policy).__name__)
        if is_policy(policy):
            return Player(title, policy=policy)
        # The name tells the random player from all others.
        return Player("random()" if title == "random" else title, function=policy)
    raise ValueError(
        misplaced_rules(policy, name)
        or f"{name}={shown(policy)}: expected 'net', 'random', a Net, a Linear, a Policy, or a "
        "callable from afterstates to equities or outcome probabilities"
    )
