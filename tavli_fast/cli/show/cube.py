"""What a rollout found with the cube, told to a player or as JSON."""

from __future__ import annotations

import math
from typing import Any, Final

import click

from tavli_fast.cli.options.cube import OWNERS
from tavli_fast.cli.show.estimates import error_text, number, signed
from tavli_fast.cli.show.table import Column, plus_minus, print_table
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.rollouts.result import RolloutResult

__all__ = ["STAKE", "cube_document", "print_cube", "setting_document", "setting_text"]

_FIELDS: Final = {"centre": "centred", "player": "owned", "opponent": "opponents"}
"""Who can have the cube, and the field of `CubefulEquities` for it."""
STAKE: Final = "With the cube +1 is a single game won at this stake, -1 one lost."
_LABELS: Final = {"centred": "cube in the middle", "owned": "X's cube", "opponents": "O's cube"}


def setting_document(setting: CubeSetting | None, efficiency: float) -> dict[str, Any] | None:
    """Return the cube, the score and the rules about them, for JSON."""
    if setting is None:
        return None
    return {
        "value": setting.cube,
        "owner": next(name for name, owner in OWNERS.items() if owner == setting.owner),
        "needed": setting.away,
        "post_crawford": setting.post_crawford,
        "cap": setting.cap,
        "jacoby": setting.jacoby,
        "beavers": setting.beavers,
        "efficiency": efficiency,
    }


def cube_document(result: RolloutResult, pending: str | None = None) -> dict[str, Any] | None:
    """Return what a rollout found with the cube, for JSON; None without one."""
    found, setting = result.cubeful, result.cube
    document = setting_document(setting, result.settings.efficiency)
    if found is None or setting is None or document is None:
        return None
    equities, errors = _equities(result)
    chances = None
    if setting.away is not None:
        chances = {
            name: number(float(result.match_chance(value))) for name, value in equities.items()
        }
    return document | {
        "may_double": found.may_double,
        "action": _action(result),
        "answer": _answer(result) if pending else None,
        "equities": {name: number(value) for name, value in equities.items()},
        "std_errors": {name: number(value) for name, value in errors.items()},
        "match_chances": chances,
    }


def print_cube(result: RolloutResult, pending: str | None = None) -> None:
    """Print what a rollout found with the cube, what may be done now first."""
    found, setting = result.cubeful, result.cube
    if found is None or setting is None:
        return
    equities, errors = _equities(result)
    here = _FIELDS[setting.owner]
    labels = _LABELS | {"double_take": "double, take", "double_pass": "double, pass"}
    order = [here, "double_take", "double_pass", *(name for name in _LABELS if name != here)]
    if found.may_double:
        labels[here] = "no double"
    else:
        order = [name for name in order if not name.startswith("double")]
    click.echo(f"\n{setting_text(setting, result.settings.efficiency)}")
    spread = [error_text(errors.get(name, math.nan)) for name in order]
    columns = [
        Column("", [labels[name] for name in order], left=True),
        Column("equity", [signed(equities[name]) for name in order]),
        Column(plus_minus(), spread, extra=True),
    ]
    if setting.away is not None:
        chances = [float(result.match_chance(equities[name])) for name in order]
        cells = ["" if math.isnan(chance) else f"{chance:.2%}" for chance in chances]
        columns.append(Column("match won", cells, extra=True))
    print_table(columns)
    answer = _answer(result) if pending else None
    if answer is not None:
        click.echo(f"X has doubled to {2 * setting.cube}. O should {answer}.")
    elif action := _action(result):
        click.echo(f"best of these: {action}")
    click.echo(STAKE)


def setting_text(setting: CubeSetting, efficiency: float) -> str:
    """Say where the cube was, at which score and by which rules."""
    where = {"centre": "in the middle", "player": "X's", "opponent": "O's"}[setting.owner]
    parts = [f"with the cube at {setting.cube}, {where}"]
    if setting.away is None:
        parts.append("for money")
    else:
        mine, theirs = setting.away
        parts.append(f"X needs {mine} and O needs {theirs}")
        if min(mine, theirs) == 1:
            parts.append(
                "after the Crawford game" if setting.post_crawford else "the Crawford game"
            )
    parts += ["Jacoby"] * setting.jacoby + ["beavers"] * setting.beavers
    if setting.cap is not None:
        parts.append(f"at most {setting.cap}")
    return f"{', '.join(parts)}; efficiency {efficiency:g}"


def _equities(result: RolloutResult) -> tuple[dict[str, float], dict[str, float]]:
    """Return the equities with the cube by name, and their standard errors."""
    found = result.cubeful
    assert found is not None
    names = [*_FIELDS.values(), "double_take"]
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
    stay, taken = equities[_FIELDS[setting.owner]], equities["double_take"]
    if not found.may_double or math.isnan(stay) or math.isnan(taken):
        return None
    if min(taken, 1) > stay:
        return "double, take" if taken <= 1 else "double, pass"
    return "too good" if stay > 1 else "no double"


def _answer(result: RolloutResult) -> str | None:
    """Return what O should answer to a double by these figures; None if nothing is known."""
    found = result.cubeful
    assert found is not None
    taken = float(found.double_take[0])
    if not found.may_double or math.isnan(taken):
        return None
    return "take" if taken <= 1 else "pass"
