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
from tavli_fast.cube.setting import CubeSetting, ladder_of

__all__ = ["OWNERS", "cube_arguments", "cube_options", "require_cube"]

OWNERS: Final = {"centre": "centre", "X": "player", "O": "opponent"}
"""Who has the cube: as --cube-owner names him, and as a `CubeSetting` does."""

_NAMES: Final = ("target", "score", "post_crawford", "cube_value", "cube_owner", "efficiency")
"""The options that say how the cube is, each of which asks for it."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--cube/--no-cube",
        default=None,
        help="Take the doubling cube into account: as the XGID has it, or the options below.",
        show_default="on for an XGID of a match",
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
    XGID. An option takes precedence over the XGID. The score of an XGID, and a double in it that
    waits for its answer, ask for the cube by themselves.
    """
    given = {name: options.pop(name) for name in _NAMES}
    wanted, xgid = options.pop("cube"), request.xgid
    said = any(each is not None and each is not False for each in given.values())
    if wanted is False:
        if said:
            raise click.UsageError("--no-cube beside an option of the cube: expected one of them")
        return {}
    if not wanted and not said:
        if xgid is None or not (xgid.match_length or request.pending):
            return {}
        if not request.choice.rules.cube and not request.pending:
            note = f"note: the rules of {request.choice} have no cube: the XGID's score is left out"
            click.echo(note, err=True)
            return {}
    require_cube(request.choice)
    if request.match_id and not said:
        note = "note: --cube does not read the cube and the score of a Match ID; see --target"
        click.echo(note, err=True)
    try:
        setting = CubeSetting(**_cube(given, request), **_match(given, request))
        if request.pending and (setting.owner == "opponent" or not ladder_of(setting).mine[0]):
            raise ValueError("the XGID waits for the answer to a double, but X may not double here")
    except ValueError as error:
        raise click.UsageError(f"--cube: {error}") from error
    efficiency = given["efficiency"]
    return {"cube": setting, "efficiency": EFFICIENCY if efficiency is None else efficiency}


def _cube(given: dict[str, Any], request: Request) -> dict[str, Any]:
    """Return the cube and the rules about it, as fields of a setting."""
    rules, xgid = request.choice.rules, request.xgid
    fields: dict[str, Any] = {
        "jacoby": rules.jacoby,
        "beavers": rules.beavers,
        "beaver_refusable": rules.beaver_refusable,
        "cap": rules.cube_cap,
    }
    if xgid is not None:
        owner = {1: "player", -1: "opponent"}.get(xgid.cube_owner, "centre")
        fields |= {"cube": xgid.cube, "owner": owner}
        for name in ("jacoby", "beavers"):
            if name not in request.choice.changes:
                fields[name] = getattr(xgid, name)
        if rules.cube_cap is None or xgid.max_cube < rules.cube_cap:
            fields["cap"] = xgid.max_cube
    if given["cube_value"] is not None:
        fields["cube"] = given["cube_value"]
    if given["cube_owner"] is not None:
        fields["owner"] = OWNERS[given["cube_owner"]]
    return fields


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
    if max(mine, theirs) == target - 1:
        after = after or not request.choice.rules.crawford
    elif after:
        message = f"--post-crawford at {mine}-{theirs} to {target}: expected a side that needs 1"
        raise click.UsageError(message)
    return {"score": (mine, theirs), "target": target, "post_crawford": after}
