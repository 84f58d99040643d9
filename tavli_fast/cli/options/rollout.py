"""How a rollout is done: the options, and the arguments of the library that they come to."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tavli_fast._common.arguments import MAX_PLIES
from tavli_fast.cli.options.policy import DEFAULT, KINDS, read_policy
from tavli_fast.cli.options.position import Roll, positive, whole
from tavli_fast.rollouts.options import CHUNK
from tavli_fast.rules.presets import Rules

__all__ = ["SEED_BITS", "arguments", "method_options", "workers_options"]

_TRIALS: Final = 20_000
"""Enough for a standard error of about 0.01 points, and a few seconds of work."""
_TRIALS_OF_A_PLAY: Final = 5184
"""By nets, for each of some twenty plays: as much work."""
_TRIALS_WITHOUT_LUCK: Final = 1296
"""Enough for 0.005 or less once luck is taken out, whose trials take ten times as long."""

SEED_BITS: Final = 53
"""What a fresh seed has: every reader of JSON keeps whole numbers of that size exact."""

_RANKING: Final = ("candidates", "stop_jsd")
_POSITION: Final = ("opening",)

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _number(name: str, low: int, high: int | None, about: str, **more: Any) -> Any:
    """Return an option that is a whole number."""
    return click.option(name, type=str, callback=whole(low, high), metavar="N", help=about, **more)


_WORKERS: Final = (
    _number("--seed", 0, None, "Repeats it exactly."),
    _number("--threads", 1, 1024, "All processors if missing."),
    _number(
        "--max-plies",
        1,
        2**62,
        f"Where a game is cut, and has no result; {MAX_PLIES:,} if missing.",
        default=str(MAX_PLIES),
    ),
)

_METHOD: Final = (
    click.option(
        "--policy",
        default=DEFAULT,
        metavar="NAME|FILE",
        help=f"How both sides play: {KINDS}; '{DEFAULT}' if missing.",
    ),
    click.option(
        "--opponent", metavar="NAME|FILE", help="How the other side plays; as X if missing."
    ),
    _number(
        "--trials",
        1,
        10**15,
        f"Games, with a roll for each play; {_TRIALS:,} if missing, {_TRIALS_OF_A_PLAY:,} for the "
        f"plays of a net, {_TRIALS_WITHOUT_LUCK:,} with --variance-reduction.",
    ),
    _number("--truncate", 1, 2**31, "Cut games after so many plies, and judge them."),
    click.option(
        "--variance-reduction",
        is_flag=True,
        help="Take the luck of the dice out of each game: some twenty times the work, far less "
        "error.",
    ),
    click.option(
        "--evaluator",
        metavar="NAME|FILE",
        help="Who judges cut games, luck and the cube; the policy if missing.",
    ),
    click.option("--stratified", is_flag=True, help="Share out the first three rolls evenly."),
    click.option("--opening", is_flag=True, help="No double first, as after a contest."),
    click.option(
        "--stop-error",
        type=str,
        callback=positive,
        metavar="E",
        help="Stop early once the standard error is no more; --trials is the most then.",
    ),
    click.option(
        "--stop-jsd",
        type=str,
        callback=positive,
        metavar="D",
        help="Stop early once the best play leads by so many standard errors of the difference.",
    ),
    _number("--candidates", 1, None, "Roll out only so many plays, those the policy likes best."),
    _number(
        "--first-trial",
        0,
        10**15,
        f"Go on with a seed where a rollout ended; a multiple of {CHUNK}.",
        default="0",
    ),
)


def workers_options(command: _Command) -> _Command:
    """Add the options of everything that plays games."""
    return _with(command, _WORKERS)


def method_options(command: _Command) -> _Command:
    """Add the options of a rollout."""
    return _with(command, _METHOD + _WORKERS)


def _with(command: _Command, options: tuple[Any, ...]) -> _Command:
    """Decorate a command, the first option standing first in its help."""
    for option in reversed(options):
        command = option(command)
    return command


def arguments(method: dict[str, Any], rules: Rules, roll: Roll | None) -> dict[str, Any]:
    """Return the arguments of `rollout`, or with a roll those of `rank_plays`."""
    found = dict(method)
    unwanted = _POSITION if roll else _RANKING
    for name in unwanted:
        if found.pop(name):
            which, better = ("with", "without a roll") if roll else ("without", "one such as 31")
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} {which} a roll: expected {better}")
    policy, opponent = found.pop("policy"), found.pop("opponent")
    mine = read_policy(policy, rules, "--policy")
    theirs = mine if opponent is None else read_policy(opponent, rules, "--opponent")
    found["policy"] = (mine, theirs)
    if found["evaluator"] is not None:
        found["evaluator"] = read_policy(found["evaluator"], rules, "--evaluator")
    _check_judges(found)
    if found["trials"] is None:
        at_random = mine.name == theirs.name == "random"
        found["trials"] = _TRIALS if at_random or not roll else _TRIALS_OF_A_PLAY
        if found["variance_reduction"]:
            found["trials"] = _TRIALS_WITHOUT_LUCK
    if found["seed"] is None:
        found["seed"] = secrets.randbits(SEED_BITS)
    if found["first_trial"] % CHUNK:
        message = f"{found['first_trial']}: expected a multiple of {CHUNK}"
        raise click.BadParameter(message, param_hint="'--first-trial'")
    return found


def _check_judges(found: dict[str, Any]) -> None:
    """Refuse what takes an evaluator where there is none, in the words of the command line."""
    players, judge = found["policy"], found["evaluator"]
    mute = (judge or players[0]).name == "random"
    for name in ("truncate", "variance_reduction", "cube"):
        if found.get(name) and mute:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} with random play, which judges nothing: expected --policy or "
                "--evaluator with a net"
            )
    if found["variance_reduction"] and any(each.name == "random" for each in players):
        raise click.UsageError("--variance-reduction with random play: expected nets for policies")
    if judge is not None and not any(map(found.get, ("truncate", "variance_reduction", "cube"))):
        expected = "expected --truncate, --variance-reduction or --cube with it"
        raise click.UsageError(f"--evaluator has nothing to judge: {expected}")
    if found.get("candidates") and players[0].name == "random":
        raise click.UsageError("--candidates with random play, which likes no play best")
