"""What the commands share in reading their input: rules, position, roll, JSON."""

from __future__ import annotations

import re
from typing import Final

import click

from .._arguments import Int8Array
from ..boards import start
from ..errors import NotationError
from ..ids import parse_position
from ..rules import RULES

__all__ = ["Roll", "json_option", "position_option", "read_position", "roll_option", "rules_option"]

Roll = tuple[int, int]

_ROLL: Final = re.compile(r"\s*([1-6])[-, ]?([1-6])\s*")


def _read_roll(ctx: click.Context, param: click.Parameter, value: Roll | str | None) -> Roll | None:
    """Return the dice that the value of --roll names."""
    if not isinstance(value, str):
        return value
    found = _ROLL.fullmatch(value)
    if not found:
        expected = "expected two dice 1 to 6, such as 31, 3-1 or 3,1"
        raise click.BadParameter(f"{value!r}: {expected}", ctx, param)
    return int(found[1]), int(found[2])


rules_option = click.option(
    "--rules",
    type=click.Choice(list(RULES), case_sensitive=False),
    default="portes",
    show_default=True,
    metavar="NAME",
    help="The game; 'tavli-fast rules' lists them.",
)
position_option = click.option(
    "--position", metavar="ID", help="Position ID or XGID; the start if missing."
)
roll_option = click.option(
    "--roll",
    callback=_read_roll,
    metavar="DICE",
    help="31, 3-1 or 3,1; if missing, the roll of the XGID.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def read_position(text: str | None, rules: str) -> tuple[Int8Array, Roll | None]:
    """Return the board of an ID, or the start, and the roll if the ID has one."""
    if text is None:
        return start(rules), None
    try:
        return parse_position(text, rules)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="'--position'") from error
