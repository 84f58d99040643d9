"""The command ``play``: a match in the terminal against the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click
from click.core import ParameterSource

from tavli_fast.cli.options.games import fresh_seed, seed_option
from tavli_fast.cli.options.output import board_option
from tavli_fast.cli.options.policy import policy_option, read_policy
from tavli_fast.cli.options.rules import RuleChoice, find_rules, rules_option, set_option
from tavli_fast.cli.options.types import NewFile, Whole, require_writable
from tavli_fast.cli.saved_match import (
    SavedMatch,
    can_be_replaced,
    is_json,
    read_match,
    write_match,
)
from tavli_fast.cli.show.table import counted
from tavli_fast.cli.terminal_match import StoppedError, TerminalMatch
from tavli_fast.play.session import Session
from tavli_fast.rules.text import rules_name

__all__ = ["play"]

_TARGET: Final = 3
"""The points of a match where neither the call nor the rules say."""
_SETTLED: Final = ("rules", "changes", "target", "seed")
"""The options that a saved match has settled."""
_JSON: Final = "expected a name that ends in .json"


@click.command(short_help="Play a match against the program.")
@rules_option
@set_option
@click.option(
    "--target",
    type=Whole(0, 10**6),
    help="Points that win the match; 0 for a series without end.",
    show_default=f"that of the rules, or {_TARGET}",
)
@policy_option("the program plays")
@seed_option
@click.option(
    "--save",
    type=NewFile(),
    help="Keep the match in this file, at every turn: as .mat text, or as JSON if it is named so.",
    show_default="the file of --resume",
)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Continue a match that was saved, or the .mat text of another program.",
)
@board_option
@click.pass_context
def play(
    ctx: click.Context,
    rules: str | None,
    changes: dict[str, str],
    target: int | None,
    policy: str | None,
    seed: int | None,
    save: str | None,
    resume: str | None,
    draw: bool,
) -> None:
    """Play a match against the program, in the terminal.

    You are X and see the board from your side. Each line you type is one action: a play such as
    "8/5 6/5" or its number in "list", "roll", "double", "take", "drop"; "help" lists them all. The
    end of the input, or Ctrl-C, stops the match where it is; with --save nothing is lost.
    """
    if resume is None:
        match, title = _new_match(find_rules(rules, changes), target, policy, seed)
        if save is not None:
            _spare_unfinished(save)
    else:
        _refuse_settled(ctx)
        match, title = _resumed_match(resume, policy)
        if save is None and not match.foreign:
            save = resume
            require_writable(save, "'--resume'")
    session = match.session
    players = {one: read_policy(match.policy, one, "--policy") for one in session.games}
    keep = None if save is None else _keeper(save, match)
    click.echo(title)
    click.echo('You are X, the program is O. "help" lists what you can type.')
    table = TerminalMatch(session, players, session.seed or 0, draw, keep)
    try:
        table.play_match()
    except StoppedError:
        click.echo(f"Stopped at {session.score[0]}-{session.score[1]}.")
        if save is not None and can_be_replaced(save):
            click.echo(f"To go on: tavli-fast play --resume {save}")
    if save is not None:
        _write(save, match)


def _new_match(
    choice: RuleChoice, target: int | None, policy: str | None, seed: int | None
) -> tuple[SavedMatch, str]:
    """Begin a match; return it and its title."""
    points = target if target is not None else choice.rules.target or _TARGET
    try:
        session = Session(
            choice.rules, target=points or None, seed=fresh_seed() if seed is None else seed
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    names = ("You", f"tavli-fast {policy or 'net'}")
    return SavedMatch(session, policy, names), f"{choice}, {_length(session)}, seed {session.seed}"


def _resumed_match(file: str, policy: str | None) -> tuple[SavedMatch, str]:
    """Read a match to go on with; return it and its title."""
    try:
        found = read_match(file)
    except OSError as error:
        message = f"{file}: {error.strerror}"
        raise click.BadParameter(message, param_hint="'--resume'") from error
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--resume'") from error
    session = found.session
    seed = "" if session.seed is None else f", seed {session.seed}"
    names = ", ".join(rules_name(one) for one in session.games)
    score = "-".join(map(str, session.score))
    match = SavedMatch(session, policy or found.policy, found.players, found.foreign)
    return match, f"{names}, {_length(session)}{seed}, at {score}"


def _length(session: Session) -> str:
    return "without an end" if session.target is None else f"to {counted(session.target, 'point')}"


def _keeper(file: str, match: SavedMatch) -> Callable[[], object] | None:
    """Write the match for the first time; return what writes it again, if that can be done."""
    automatic = any(one.auto_double_max for one in match.session.games)
    if automatic and not is_json(file):
        raise click.UsageError(f"--save {file}: .mat has no automatic doubles: {_JSON}")
    if not can_be_replaced(file):
        return None
    _write(file, match)
    return lambda: _write(file, match)


def _write(file: str, match: SavedMatch) -> None:
    """Write the match, in the words of the command line if .mat has none for it."""
    try:
        write_match(file, match)
    except ValueError as error:
        raise click.UsageError(f"--save {file}: {error}; {_JSON}") from error


def _spare_unfinished(file: str) -> None:
    """Refuse to write a new match over one that is not over."""
    if not can_be_replaced(file):  # to read from a pipe is to wait for ever
        return
    try:
        found = read_match(file)
    except (OSError, ValueError):  # no match, or no file
        return
    if not found.foreign and found.session.phase != "match_over":
        score = "-".join(map(str, found.session.score))
        message = f"{file} holds a match at {score}: expected another file, or --resume {file}"
        raise click.BadParameter(message, param_hint="'--save'")


def _refuse_settled(ctx: click.Context) -> None:
    """Refuse options beside --resume that the file has settled."""
    for name in _SETTLED:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = "set" if name == "changes" else name
            message = f"--{option} with --resume: expected none, as the file has its settings"
            raise click.UsageError(message)
