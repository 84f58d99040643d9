"""The cube in rollouts: its options, and the `CubeSetting` that they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tavli_fast.cli.options.position import Request
from tavli_fast.cli.options.rules import RuleChoice
from tavli_fast.cli.options.types import Score, Share, Whole
from tavli_fast.cube.match_equity import LONGEST
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting

__all__ = ["OWNERS", "cube_arguments", "cube_options", "require_cube"]

OWNERS: Final = {"centre": "centre", "X": "player", "O": "opponent"}
"""Who has the cube: as --cube-owner names him, and as a `CubeSetting` does."""

_NAMES: Final = ("target", "score", "post_crawford", "cube_value", "cube_owner", "efficiency")
"""The options that say how the cube is, each of which asks for it."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--cube",
        is_flag=True,
        help="Value the position with the doubling cube: as an XGID has it, or as the options "
        "below say.",
    ),
    click.option(
        "--target",
        type=Whole(1, LONGEST),
        help="A match to so many points.",
        show_default="that of the XGID; money play",
    ),
    click.option(
        "--score",
        type=Score(),
        help="The points that X and O have won in the match.",
        show_default="that of the XGID; 0-0",
    ),
    click.option("--post-crawford", is_flag=True, help="The Crawford game has been played."),
    click.option(
        "--cube-value",
        type=Whole(1, 2**30),
        help="The value of the cube.",
        show_default="that of the XGID; 1",
    ),
    click.option(
        "--cube-owner",
        type=click.Choice(list(OWNERS), case_sensitive=False),
        metavar="X|O|centre",
        help="Who owns the cube.",
        show_default="that of the XGID; centre",
    ),
    click.option(
        "--efficiency",
        type=Share(),
        help="Cube efficiency for both sides: 0 is a dead cube, 1 a live one.",
        show_default=f"{EFFICIENCY:g}",
    ),
)


def cube_options(command: _Command) -> _Command:
    """Add the options of a rollout with the cube, in this order in the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def require_cube(choice: RuleChoice) -> None:
    """Refuse --cube in a game that has none."""
    if not choice.rules.cube:
        expected = "expected a game with it, or --set cube=yes"
        raise click.UsageError(f"--cube: the rules of {choice} have none, {expected}")


def cube_arguments(options: dict[str, Any], request: Request) -> dict[str, Any]:
    """Take the options of the cube out of `options`; return the arguments of `rollout` for them.

    Jacoby's rule, beavers, the cap and Crawford's rule are those of the rules (--set), or of an
    XGID. An option takes precedence over the XGID. A double that waits for its answer asks for the
    cube by itself.
    """
    given = {name: options.pop(name) for name in _NAMES}
    said = any(each is not None and each is not False for each in given.values())
    xgid = request.xgid
    doubled = xgid is not None and xgid.pending is not None
    if not options.pop("cube") and not said and not doubled:
        return {}
    require_cube(request.choice)
    if request.roll is not None:
        raise click.UsageError("--cube with a roll: expected without a roll, as before the dice")
    rules = request.choice.rules
    fields: dict[str, Any] = {name: getattr(rules, name) for name in ("jacoby", "beavers")}
    fields["cap"] = rules.cube_cap
    if xgid is not None:
        owner = {1: "player", -1: "opponent"}.get(xgid.cube_owner, "centre")
        fields |= {"cube": xgid.cube, "owner": owner}
        fields |= {
            name: getattr(xgid, name)
            for name in ("jacoby", "beavers")
            if name not in request.choice.changes
        }
        if rules.cube_cap is None or xgid.max_cube < rules.cube_cap:
            fields["cap"] = xgid.max_cube
    elif request.match_id and not said:
        note = "note: --cube does not read the cube and the score of a Match ID; see --target"
        click.echo(note, err=True)
    if given["cube_value"] is not None:
        fields["cube"] = given["cube_value"]
    if given["cube_owner"] is not None:
        fields["owner"] = OWNERS[given["cube_owner"]]
    try:
        setting = CubeSetting(
            **fields, **_match(given, request), beaver_refusable=rules.beaver_refusable
        )
    except ValueError as error:
        raise click.UsageError(f"--cube: {error}") from error
    efficiency = given["efficiency"]
    return {"cube": setting, "efficiency": EFFICIENCY if efficiency is None else efficiency}


def _match(given: dict[str, Any], request: Request) -> dict[str, Any]:
    """Return how the match stands, as fields of a setting: none for money."""
    target, score, xgid = given["target"], given["score"], request.xgid
    after = given["post_crawford"]
    if target is None and xgid is not None and xgid.match_length:
        target = xgid.match_length
        if score is None:
            score = xgid.scores
            after = after or (not xgid.crawford and max(score) == target - 1)
    if target is None:
        for name in ("score", "post_crawford"):
            if given[name]:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} without a match: expected --target with it")
        return {}
    mine, theirs = score or (0, 0)
    if max(mine, theirs) >= target:
        message = f"{mine}-{theirs}: expected less than the {target} points that win the match"
        raise click.BadParameter(message, param_hint="'--score'")
    needed = target - mine, target - theirs
    if min(needed) == 1:
        after = after or not request.choice.rules.crawford
    elif after:
        message = f"--post-crawford at {mine}-{theirs} to {target}: expected a side that needs 1"
        raise click.UsageError(message)
    return {"away": needed, "post_crawford": after}
