"""Options of the commands in which the program plays against others: who plays, and how well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tavli_fast.cli.options.policy import read_policy
from tavli_fast.cli.options.types import Whole
from tavli_fast.connect.engine import LEVELS, MOST_PLIES, Engine
from tavli_fast.rules.presets import BACKGAMMON, Rules

__all__ = ["engine_options", "host_option", "port_option", "read_engine"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--policy",
        metavar="NAME|FILE",
        help="Who plays: 'net' (the net that comes with the rules), or an .npz file of weights.",
        show_default="net",
    ),
    click.option(
        "--level",
        type=Whole(1, max(LEVELS)),
        help="How well it plays, 1 to 10; docs/strength.md has what each level is worth.",
        show_default="level 9, or by --plies",
    ),
    click.option("--plies", type=Whole(0, MOST_PLIES), help="Plies to look ahead."),
    click.option(
        "--seed", type=Whole(0), help="For the noise of the levels.", show_default="a fresh one"
    ),
)


def engine_options(command: _Command) -> _Command:
    """Add the options of `read_engine`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def host_option(command: _Command) -> _Command:
    """Add ``--host``."""
    return click.option(
        "--host", default="127.0.0.1", help="The address to listen at; 0.0.0.0 for all."
    )(command)


def port_option(default: int) -> Callable[[_Command], _Command]:
    """Make the option ``--port``."""
    return click.option(
        "--port", type=Whole(0, 65535), default=default, help="The port; 0 for a free one."
    )


def read_engine(
    policy: str | None,
    level: int | None,
    plies: int | None,
    seed: int | None,
    rules: Rules | None = None,
) -> Engine:
    """Return the engine that the options ask for."""
    if level is not None and plies is not None:
        raise click.UsageError("--level with --plies: expected one of them")
    evaluator: Any = "net"
    if policy not in (None, "net"):
        evaluator = read_policy(policy, rules or BACKGAMMON, "--policy")
        if not evaluator.judges:
            message = f"{policy!r}: expected 'net' or an .npz file, which judge positions"
            raise click.BadParameter(message, param_hint="'--policy'")
    if level is not None:
        return Engine.of_level(level, evaluator, seed=seed)
    return Engine(evaluator, plies=plies or 0, seed=seed)
