"""Who plays a rollout: what `policy=` may be, resolved to a player that the engine can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tavli_fast._common.arguments import shown
from tavli_fast.nets.bundled import load_net
from tavli_fast.nets.net import _Weights
from tavli_fast.rules.presets import Rules

__all__ = ["Player", "player"]

Evaluator = Callable[..., Any]
"""Afterstates ``int8[M, 2, 26]`` to equities ``[M]`` or outcome probabilities ``[M, 5]``, ``[M,
6]``, as the player who has just moved has them."""


@dataclass(frozen=True)
class Player:
    """One side's way to choose plays: by a compiled evaluator, by a callable, or at random."""

    name: str
    weights: _Weights | None = None
    function: Evaluator | None = None

    @property
    def at_random(self) -> bool:
        """Whether he has no evaluator, and chooses uniformly."""
        return self.weights is None and self.function is None

    @property
    def compiled(self) -> bool:
        """Whether the core can play for him."""
        return self.function is None


def player(policy: Any, rules: Rules, name: str = "policy") -> Player:
    """Return the player that a policy means.

    Args:
        policy: ``"random"``, ``"net"`` for the net that `load_net` has for the rules, a `Net`, a
            `Linear`, or a callable from afterstates to equities or outcome probabilities.
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
        policy = load_net(rules)
    if isinstance(policy, _Weights):
        policy.fitting(rules)
        return Player(policy.name, weights=policy)
    if callable(policy) and not isinstance(policy, type):
        title = getattr(policy, "name", None) or getattr(policy, "__name__", None)
        title = str(title or type(policy).__name__)
        # The name tells the random player from all others.
        return Player("random()" if title == "random" else title, function=policy)
    raise ValueError(
        f"{name}={shown(policy)}: expected 'net', 'random', a Net, a Linear, or a callable "
        "from afterstates to equities or outcome probabilities"
    )
