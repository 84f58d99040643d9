"""Who plays: the names and files of policies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from tavli_fast.evaluation.evaluator import Player, player
from tavli_fast.nets import files
from tavli_fast.nets.bundled import borrowed, lender
from tavli_fast.nets.linear import Linear
from tavli_fast.nets.net import Net
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["policy_option", "read_judge", "read_policy"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_KINDS: Final = "'net', 'random', or an .npz file of weights"


def policy_option(who: str) -> Callable[[_Command], _Command]:
    """Make the option ``--policy``; `who` plays by it."""
    return click.option(
        "--policy",
        metavar="NAME|FILE",
        help=f"How {who}: 'net' (the net that comes with the rules), 'random', or an .npz file.",
        show_default="net; random where no net knows the game",
    )


def read_judge(text: str | None, rules: Rules) -> Any:
    """Return the evaluator that --policy names.

    Raises:
        click.UsageError: it evaluates nothing.
    """
    found = read_policy(text, rules, "--policy")
    if not found.judges:
        expected = "expected a net, or an .npz file of one"
        raise click.UsageError(f"--policy with random play, which evaluates nothing: {expected}")
    return found


def read_policy(text: str | None, rules: Rules, option: str) -> Player:
    """Return the player that a text names; without one, by the net if one plays these rules."""
    hint = f"'{option}'"
    given: Any = text
    if text is None:
        try:
            lender(rules)
            given = text = "net"
        except ValueError:
            note = f"note: no net in the package knows {rules_name(rules)}: random play"
            click.echo(note, err=True)
            given = text = "random"
    try:
        if text not in ("net", "random") and (text.endswith(".npz") or Path(text).is_file()):
            kind, *_ = files.read(text)
            given = Linear.load(text) if kind == "Linear" else Net.load(text)
        elif text not in ("net", "random"):
            raise ValueError(f"{text!r}: expected {_KINDS}")
        found = player(given, rules, option.strip("-"))
    except OSError as error:
        raise click.BadParameter(f"{text}: {error.strerror}", param_hint=hint) from error
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=hint) from error
    if text == "net" and borrowed(rules):
        note = f"note: {rules_name(rules)} has no net of its own and borrows that of"
        click.echo(f"{note} {lender(rules)}", err=True)
    return found
