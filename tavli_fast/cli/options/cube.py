"""The cube in rollouts: its options, the setting that they come to, what is told of the result."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from tavli_fast.cli.options.position import Game, Table, whole
from tavli_fast.cli.show.estimates import error_text, number, signed
from tavli_fast.cli.show.table import Column, plus_minus, print_table
from tavli_fast.cube.match_equity import LONGEST
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.rollouts.rollout import RolloutResult

__all__ = ["cube_document", "cube_options", "print_cube", "require_cube", "take_cube"]

_PLACES: Final = {"centre": "centred", "player": "owned", "opponent": "opponents"}
"""Where the cube can be, and the field of `CubefulEquities` for it."""
_OWNERS: Final = {"centre": "centre", "X": "player", "O": "opponent"}
_LABELS: Final = {"centred": "cube in the middle", "owned": "X's cube", "opponents": "O's cube"}
_SCORE: Final = re.compile(r"([0-9]{1,4})[-:, ]([0-9]{1,4})")

_NAMES: Final = ("target", "score", "post_crawford", "cube_value", "cube_owner", "efficiency")
"""The options that say how the cube is, each of which asks for it."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _read_score(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the points of X and O."""
    if value is None:
        return None
    found = _SCORE.fullmatch(value.strip())
    if not found:
        raise click.BadParameter(f"{value!r}: expected the points of X and O, such as 2-4")
    return int(found[1]), int(found[2])


def _read_share(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return a number from 0 to 1."""
    try:
        found = None if value is None else float(value)
    except ValueError:
        found = math.nan
    if found is not None and not 0 <= found <= 1:
        raise click.BadParameter(f"{value!r}: expected a number, 0 to 1")
    return found


_OPTIONS: Final = (
    click.option(
        "--cube",
        is_flag=True,
        help="Follow each game with the doubling cube too; how it is, an XGID tells, or the options"
        " that follow.",
    ),
    click.option(
        "--target",
        type=str,
        callback=whole(1, LONGEST),
        metavar="N",
        help="In a match to so many points; for money if missing.",
    ),
    click.option(
        "--score",
        callback=_read_score,
        metavar="X-O",
        help="The points that X and O have in it; 0-0 if missing.",
    ),
    click.option("--post-crawford", is_flag=True, help="The Crawford game is over."),
    click.option(
        "--cube-value",
        type=str,
        callback=whole(1, 2**30),
        metavar="N",
        help="What it shows; 1 if missing.",
    ),
    click.option(
        "--cube-owner",
        type=click.Choice(list(_OWNERS), case_sensitive=False),
        metavar="X|O|centre",
        help="Who has the cube; nobody (centre) if missing.",
    ),
    click.option(
        "--efficiency",
        callback=_read_share,
        metavar="E",
        help=f"How live both sides take the cube to be, 0 to 1; {EFFICIENCY:g} if missing.",
    ),
)


def cube_options(command: _Command) -> _Command:
    """Add the options of a rollout with the cube."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def require_cube(game: Game) -> None:
    """Refuse --cube in a game that has none."""
    if not game.rules.cube:
        expected = "expected a game with it, or --set cube=yes"
        raise click.UsageError(f"--cube: the rules of {game} have none, {expected}")


def take_cube(given: dict[str, Any], table: Table) -> dict[str, Any]:
    """Take the options of the cube out of all that are given; return the arguments of `rollout`.

    Jacoby's rule, beavers, the cap and Crawford's rule are those of the rules (`--set`), or of an
    XGID. What an option says goes before what an XGID says.
    """
    options = {name: given.pop(name) for name in _NAMES}
    said = any(each is not None and each is not False for each in options.values())
    if not given.pop("cube") and not said:
        return {}
    require_cube(table.game)
    if table.roll is not None:
        raise click.UsageError("--cube with a roll: expected without a roll, as before the dice")
    rules, xgid = table.game.rules, table.xgid
    fields: dict[str, Any] = {name: getattr(rules, name) for name in ("jacoby", "beavers")}
    fields["cap"] = rules.cube_cap
    if xgid is not None:
        fields |= {"cube": xgid.cube, "owner": _owner(xgid.cube_owner)}
        fields |= {
            name: getattr(xgid, name)
            for name in ("jacoby", "beavers")
            if name not in table.game.changes
        }
        if rules.cube_cap is None or xgid.max_cube < rules.cube_cap:
            fields["cap"] = xgid.max_cube
    elif table.match_id and not said:
        click.echo("note: of a Match ID --cube takes no cube and no score; see --target", err=True)
    if options["cube_value"] is not None:
        fields["cube"] = options["cube_value"]
    if options["cube_owner"] is not None:
        fields["owner"] = _OWNERS[options["cube_owner"]]
    try:
        setting = CubeSetting(
            **fields, **_match(options, table), beaver_refusable=rules.beaver_refusable
        )
    except ValueError as error:
        raise click.UsageError(f"--cube: {error}") from error
    efficiency = options["efficiency"]
    return {"cube": setting, "efficiency": EFFICIENCY if efficiency is None else efficiency}


def _owner(sign: int) -> str:
    """Return whose cube it is, as a setting says it."""
    return {1: "player", -1: "opponent"}.get(sign, "centre")


def _match(options: dict[str, Any], table: Table) -> dict[str, Any]:
    """Return how the match stands, as fields of a setting: nothing for money."""
    target, score, xgid = options["target"], options["score"], table.xgid
    after = options["post_crawford"]
    if target is None and xgid is not None and xgid.match_length:
        target = xgid.match_length
        if score is None:
            score = xgid.scores
            after = after or (not xgid.crawford and max(score) == target - 1)
    if target is None:
        for name in ("score", "post_crawford"):
            if options[name]:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} without a match: expected --target with it")
        return {}
    mine, theirs = score or (0, 0)
    if max(mine, theirs) >= target:
        message = f"{mine}-{theirs}: expected less than the {target} points that win the match"
        raise click.BadParameter(message, param_hint="'--score'")
    needed = target - mine, target - theirs
    if min(needed) == 1:
        after = after or not table.game.rules.crawford
    elif after:
        message = f"--post-crawford at {mine}-{theirs} to {target}: expected a side that needs 1"
        raise click.UsageError(message)
    return {"score": needed, "post_crawford": after}


def cube_document(result: RolloutResult) -> dict[str, Any] | None:
    """Return what a rollout found with the cube, for JSON; None without one."""
    found, setting = result.cubeful, result.cube
    if found is None or setting is None:
        return None
    equities, errors = _equities(result)
    document: dict[str, Any] = {
        "value": setting.cube,
        "owner": next(name for name, owner in _OWNERS.items() if owner == setting.owner),
        "needed": setting.score,
        "post_crawford": setting.post_crawford,
        "cap": setting.cap,
        "jacoby": setting.jacoby,
        "beavers": setting.beavers,
        "efficiency": result.settings.efficiency,
        "may_double": found.may_double,
        "action": _action(result),
        "equities": {name: number(value) for name, value in equities.items()},
        "std_errors": {name: number(value) for name, value in errors.items()},
        "match_chances": None,
    }
    if setting.score is not None:
        document["match_chances"] = {
            name: number(float(result.match_chance(value))) for name, value in equities.items()
        }
    return document


def print_cube(result: RolloutResult) -> None:
    """Print what a rollout found with the cube, what may be done first."""
    found, setting = result.cubeful, result.cube
    if found is None or setting is None:
        return
    equities, errors = _equities(result)
    here = _PLACES[setting.owner]
    labels = _LABELS | {"double_take": "double, take", "double_pass": "double, pass"}
    order = [here, "double_take", "double_pass", *(name for name in _LABELS if name != here)]
    if found.may_double:
        labels[here] = "no double"
    else:
        order = [name for name in order if not name.startswith("double")]
    click.echo(f"\n{_told(result)}")
    spread = [error_text(errors.get(name, math.nan)) for name in order]
    columns = [
        Column("", [labels[name] for name in order], left=True),
        Column("equity", [signed(equities[name]) for name in order]),
        Column(plus_minus(), spread, extra=True),
    ]
    if setting.score is not None:
        chances = [float(result.match_chance(equities[name])) for name in order]
        cells = ["" if math.isnan(chance) else f"{chance:.2%}" for chance in chances]
        columns.append(Column("match won", cells, extra=True))
    print_table(columns)
    action = _action(result)
    if action is not None:
        click.echo(f"best of these: {action}")
    click.echo("With the cube +1 is a single game won at this stake, -1 one lost.")


def _told(result: RolloutResult) -> str:
    """Return a line that says what cube was followed."""
    setting = result.cube
    assert setting is not None
    where = {"centre": "in the middle", "player": "X's", "opponent": "O's"}[setting.owner]
    parts = [f"with the cube at {setting.cube}, {where}"]
    if setting.score is None:
        parts.append("for money")
    else:
        mine, theirs = setting.score
        parts.append(f"X needs {mine} and O needs {theirs}")
        if min(mine, theirs) == 1:
            parts.append(
                "after the Crawford game" if setting.post_crawford else "the Crawford game"
            )
    parts += ["Jacoby"] * setting.jacoby + ["beavers"] * setting.beavers
    if setting.cap is not None:
        parts.append(f"at most {setting.cap}")
    return f"{', '.join(parts)}; efficiency {result.settings.efficiency:g}"


def _equities(result: RolloutResult) -> tuple[dict[str, float], dict[str, float]]:
    """Return the equities with the cube by name, and their standard errors."""
    found = result.cubeful
    assert found is not None
    names = [*_PLACES.values(), "double_take"]
    equities = {name: float(getattr(found, name)[0]) for name in names}
    errors = {name: float(getattr(found, f"{name}_error")[0]) for name in names}
    if not found.may_double:
        equities["double_take"] = errors["double_take"] = math.nan
    equities["double_pass"] = 1.0 if found.may_double else math.nan
    return equities, errors


def _action(result: RolloutResult) -> str | None:
    """Return what is best by these figures, in the words of `CubeDecision`; None if X has no
    choice, or nothing is known."""
    found, setting = result.cubeful, result.cube
    assert found is not None
    assert setting is not None
    equities, _ = _equities(result)
    stay, taken = equities[_PLACES[setting.owner]], equities["double_take"]
    if not found.may_double or math.isnan(stay) or math.isnan(taken):
        return None
    if min(taken, 1) > stay:
        return "double, take" if taken <= 1 else "double, pass"
    return "too good" if stay > 1 else "no double"
