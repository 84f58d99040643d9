"""How a rollout is done: the options, and the arguments of the library that they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tavli_fast.cli.options.games import (
    fresh_seed,
    max_plies_option,
    seed_option,
    threads_option,
)
from tavli_fast.cli.options.policy import policy_option, read_policy
from tavli_fast.cli.options.position import Request
from tavli_fast.cli.options.types import Positive, Roll, Whole
from tavli_fast.evaluation.evaluator import Player
from tavli_fast.rollouts.options import CHUNK
from tavli_fast.rollouts.ranking import CLEAR, MOST, TRUNCATE, WITHIN

__all__ = ["method_options", "rollout_arguments"]

_TRIALS: Final = 20_000
"""Enough for a standard error of about 0.01 points, and a few seconds of work."""
_TRIALS_OF_A_PLAY: Final = 5120
"""For each play of a roll, by nets: four looks at whether the best is clear."""
_TRIALS_WITHOUT_LUCK: Final = 1296
"""Enough for 0.005 or less once luck is taken out, whose trials take ten times as long."""

_RANKING: Final = ("candidates", "stop_jsd", "plain")
_POSITION: Final = ("opening",)

_Command = TypeVar("_Command", bound=Callable[..., Any])

_METHOD: Final = (
    policy_option("both sides play"),
    click.option(
        "--opponent",
        metavar="NAME|FILE",
        help="How O plays, if not as X does.",
        show_default="--policy",
    ),
    click.option(
        "--plain",
        is_flag=True,
        help="With a roll: play whole games of every play, without the defaults marked 'with a "
        "roll'.",
    ),
    click.option(
        "--trials",
        type=Whole(1, 10**15),
        help="Games, for each play of a roll.",
        show_default=f"{_TRIALS:,}; with a roll at most {_TRIALS_OF_A_PLAY:,}; "
        f"{_TRIALS_WITHOUT_LUCK:,} with --variance-reduction alone",
    ),
    click.option(
        "--truncate",
        type=Whole(1, 2**31),
        help="Stop each game after so many plies and take the net's estimate.",
        show_default=f"with a roll {TRUNCATE}",
    ),
    click.option(
        "--variance-reduction/--no-variance-reduction",
        default=None,
        help="Subtract the luck of the dice from each game: far smaller errors, about twenty times "
        "the work a game.",
        show_default="with a roll on",
    ),
    click.option(
        "--candidates",
        type=Whole(1),
        help="Roll out only the N plays of a roll that the net likes best.",
        show_default=f"with a roll those within {WITHIN:g} of the best, {MOST} at most",
    ),
    click.option(
        "--stop-jsd",
        type=Positive(),
        help="Stop once the best play leads each other one by X standard errors of their "
        "difference.",
        show_default=f"with a roll {CLEAR:g}",
    ),
    click.option(
        "--stop-error",
        type=Positive(),
        help="Stop once the standard error is X or less.",
    ),
    click.option(
        "--evaluator",
        metavar="NAME|FILE",
        help="What estimates positions for --truncate, --variance-reduction and --cube.",
        show_default="--policy",
    ),
    click.option(
        "--stratified",
        is_flag=True,
        help="Spread the first three rolls evenly over the trials.",
    ),
    click.option("--opening", is_flag=True, help="The first roll is no double, as in the opening."),
    click.option(
        "--first-trial",
        type=Whole(0, 10**15),
        default=0,
        help=f"Continue a rollout of the same seed from this trial on; a multiple of {CHUNK}.",
    ),
    seed_option,
    threads_option,
    max_plies_option,
)


def method_options(command: _Command) -> _Command:
    """Add the options of a rollout, in this order in the help."""
    for option in reversed(_METHOD):
        command = option(command)
    return command


def rollout_arguments(options: dict[str, Any], request: Request) -> dict[str, Any]:
    """Turn the options into the arguments of `rollout`, or with a roll into those of `rank_plays`.

    `options` is what the call says, with `cube` and `efficiency` if there is a cube.
    """
    found, roll, rules = dict(options), request.roll, request.choice.rules
    _refuse_foreign(found, roll)
    plain, policy, opponent = found.pop("plain"), found.pop("policy"), found.pop("opponent")
    mine = read_policy(policy, rules, "--policy")
    theirs = mine if opponent is None else read_policy(opponent, rules, "--opponent")
    found["policy"] = (mine, theirs)
    if found["evaluator"] is not None:
        found["evaluator"] = read_policy(found["evaluator"], rules, "--evaluator")
    at_random = mine.at_random or theirs.at_random
    if roll and not plain and not at_random:
        quick: dict[str, Any] = {
            "truncate": TRUNCATE,
            "variance_reduction": True,
            "stop_jsd": CLEAR,
        }
        if policy in (None, "net") and opponent is None:
            found["policy"] = None  # for whom the library knows which plays are close
            quick["candidates"] = "auto"
        else:
            quick["candidates"] = MOST
        found |= {name: value for name, value in quick.items() if found[name] is None}
    found["variance_reduction"] = bool(found["variance_reduction"])
    _check_judges(found, (mine, theirs))
    if found["trials"] is None:
        luckless = found["variance_reduction"] and not roll
        found["trials"] = _TRIALS_WITHOUT_LUCK if luckless else _TRIALS
        if roll and not at_random:
            found["trials"] = _TRIALS_OF_A_PLAY
    if found["seed"] is None:
        found["seed"] = fresh_seed()
    if found["first_trial"] % CHUNK:
        message = f"{found['first_trial']}: expected a multiple of {CHUNK}"
        raise click.BadParameter(message, param_hint="'--first-trial'")
    for name in _POSITION if roll else ("candidates", "stop_jsd"):
        del found[name]
    return found


def _refuse_foreign(found: dict[str, Any], roll: Roll | None) -> None:
    """Refuse options that belong to a roll where there is none, and the other way round."""
    for name in _POSITION if roll else _RANKING:
        if found[name]:
            which, better = ("with", "without a roll") if roll else ("without", "one such as 31")
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} {which} a roll: expected {better}")


def _check_judges(found: dict[str, Any], players: tuple[Player, Player]) -> None:
    """Refuse what takes an evaluator where there is none, in the words of the command line."""
    judge = found["evaluator"]
    mute = (judge or players[0]).at_random
    for name in ("truncate", "variance_reduction", "cube"):
        if found.get(name) and mute:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} with random play, which evaluates nothing: expected --policy or "
                f"--evaluator with a net{', or --no-cube' if name == 'cube' else ''}"
            )
    if found["variance_reduction"] and any(each.at_random for each in players):
        raise click.UsageError("--variance-reduction with random play: expected nets for policies")
    if judge is not None and not any(map(found.get, ("truncate", "variance_reduction", "cube"))):
        expected = "expected --truncate, --variance-reduction or --cube with it"
        raise click.UsageError(f"--evaluator has nothing to evaluate: {expected}")
    if found["candidates"] and players[0].at_random:
        raise click.UsageError("--candidates with random play, which likes no play best")
