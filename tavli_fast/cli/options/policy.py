"""What the commands share about who plays: names and files of policies, and playing by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, SupportsIndex

import click
import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.evaluation.evaluate import afterstate_equities
from tavli_fast.evaluation.player import Player, player
from tavli_fast.nets import files
from tavli_fast.nets.bundled import borrowed, lender
from tavli_fast.nets.net import Linear, Net
from tavli_fast.play.cube_player import CubePlayer
from tavli_fast.play.policies import Policy, RandomPolicy
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["DEFAULT", "KINDS", "advice", "at_table", "read_policy"]

DEFAULT: Final = "net"
"""Who plays if the call does not say: the one place that decides it."""

KINDS: Final = "'net', 'random', or an .npz file of weights"


def read_policy(text: str, rules: Rules, option: str) -> Player:
    """Return the player that a text names: ``random``, ``net``, or an .npz file with a net."""
    hint = f"'{option}'"
    given: Any = text
    try:
        if text not in ("net", "random") and (text.endswith(".npz") or Path(text).is_file()):
            kind, *_ = files.read(text)
            given = Linear.load(text) if kind == "Linear" else Net.load(text)
        elif text not in ("net", "random"):
            raise ValueError(f"{text!r}: expected {KINDS}")
        found = player(given, rules, option.strip("-"))
    except OSError as error:
        raise click.BadParameter(f"{text}: {error.strerror}", param_hint=hint) from error
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=hint) from error
    if text == "net" and borrowed(rules):
        note = f"note: {rules_name(rules)} has no net of its own and borrows that of"
        click.echo(f"{note} {lender(rules)}", err=True)
    return found


def advice(policy: str) -> str:
    """Return how far figures of this policy can be trusted, the empty string if they speak for
    themselves."""
    if policy == "random":
        return "Both sides play at random: the figures compare positions, and are no advice."
    return ""


def at_table(who: Player, seed: int) -> Policy:
    """Return how a player plays at a table: with the cube too, if he can judge positions."""
    plays = _AtTable(who, seed)
    judge = who.weights if who.weights is not None else who.function
    return plays if judge is None else CubePlayer(plays, judge)


class _AtTable:
    """The plays of a player: the best afterstate by his evaluator, or any at random."""

    def __init__(self, who: Player, seed: int) -> None:
        """Keep what judges the afterstates."""
        self.who, self.at_random = who, RandomPolicy(seed)

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the chosen afterstate."""
        if self.who.weights is None and self.who.function is None:
            return self.at_random(board, dice, afterstates, rules)
        return int(afterstate_equities(np.ascontiguousarray(afterstates), self.who, rules).argmax())
