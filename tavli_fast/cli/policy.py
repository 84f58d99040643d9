"""What the commands share about who plays: names and files of policies."""

from __future__ import annotations

from typing import Any, Final

import click

from .. import _netfile
from .._players import Player, player
from ..nets import Linear, Net
from ..rules import Rules

__all__ = ["DEFAULT", "KINDS", "advice", "read_policy"]

DEFAULT: Final = "random"
"""Who plays if the call does not say: the one place that decides it."""

KINDS: Final = "'random', 'net', or an .npz file of weights"


def read_policy(text: str, rules: Rules, option: str) -> Player:
    """Return the player that a text names: ``random``, ``net``, or an .npz file with a net."""
    hint = f"'{option}'"
    given: Any = text
    if text.endswith(".npz"):
        try:
            kind, *_ = _netfile.read(text)
            given = Linear.load(text) if kind == "Linear" else Net.load(text)
        except OSError as error:
            raise click.BadParameter(f"{text}: {error.strerror}", param_hint=hint) from error
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint=hint) from error
    try:
        return player(given, rules, option.strip("-"))
    except ValueError as error:
        known = text == "net" or given is not text
        message = str(error) if known else f"{text!r}: expected {KINDS}"
        raise click.BadParameter(message, param_hint=hint) from error


def advice(policy: str) -> str:
    """Return how far figures of this policy can be trusted, the empty string if they speak for
    themselves."""
    if policy == "random":
        return "Both sides play at random: the figures compare positions, and are no advice."
    return ""
