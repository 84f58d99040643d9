"""What the commands share in reading their input: the game, the position, the roll, numbers."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from tavli_fast._common.arguments import OFF, Int8Array
from tavli_fast.boards.positions import start
from tavli_fast.boards.tfid import game_of, is_tfid
from tavli_fast.cli.options.rules import changed_rules, set_option
from tavli_fast.errors import NotationError
from tavli_fast.notation.position_id import XGID, any_id, read_position, read_xgid
from tavli_fast.rules.presets import RULES, Rules

__all__ = [
    "Game",
    "Roll",
    "Table",
    "find_rules",
    "json_option",
    "new_file",
    "position_option",
    "positive",
    "read_number",
    "read_table",
    "require_writable",
    "roll_option",
    "rules_option",
    "set_option",
    "take_words",
    "whole",
    "whole_number",
]

Roll = tuple[int, int]

_DEFAULT: Final = "portes"

_ROLL: Final = re.compile(r"\s*([1-6])[-, ]?([1-6])\s*")
_EXPECTED_ROLL: Final = "expected two dice 1 to 6, such as 31, 3-1 or 3,1"
_LIKE_A_ROLL: Final = re.compile(r"(?=.*[0-9])[0-9 ,-]{1,5}")

_NUMBER: Final = re.compile(r"[0-9]{1,3}(,[0-9]{3})+|[0-9_]+|[0-9]+(\.[0-9]+)?[eE]\+?[0-9]{1,2}")


@dataclass(frozen=True)
class Game:
    """The game that a call asks for: a preset, and what --set changes of it."""

    name: str
    rules: Rules
    changes: dict[str, str]
    """The fields that --set names, and their values as written."""

    def __str__(self) -> str:
        """Return the game as the first line of an output names it."""
        house = ", ".join(f"{field}={value}" for field, value in self.changes.items())
        return f"{self.name} with {house}" if house else self.name


class Table(NamedTuple):
    """What a call is about."""

    game: Game
    board: Int8Array
    roll: Roll | None
    xgid: XGID | None = None
    """What the position's text tells besides, if it is an XGID."""
    match_id: bool = False
    """Whether the position has a Match ID, of which only the roll is read."""

    @property
    def id(self) -> str:
        """The ID of the position."""
        return any_id(self.board, self.game.rules)

    def head(self) -> dict[str, Any]:
        """Return what every JSON document begins with."""
        return {"rules": self.game.name, "set": self.game.changes, "position": self.id}


_Reader = Callable[[click.Context, click.Parameter, str | None], int | None]


def whole(low: int, high: int | None = None) -> _Reader:
    """Return what reads an option that is a whole number from `low` to `high` (None: no end)."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        return None if value is None else read_number(value, low, high)

    return read


def positive(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return the number above 0 that the value of an option names."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise click.BadParameter(f"{value!r}: expected a number above 0")
    return number


def read_number(text: str, low: int, high: int | None = None, hint: str | None = None) -> int:
    """Return a whole number from `low` to `high`, written 10000, 10,000, 10_000 or 1e4."""
    number = whole_number(text)
    if number is None or number < low or (high is not None and number > high):
        end = " or more" if high is None else f" to {high:,}"
        message = f"{text!r}: expected a whole number, {low:,}{end}"
        raise click.BadParameter(message, param_hint=hint)
    return number


def new_file(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the value of an option that names a file to write, once that can be done."""
    if value is not None:
        require_writable(value)
    return value


def require_writable(file: str, hint: str | None = None) -> None:
    """Refuse a file that cannot be written, before the work that it is to keep.

    Raises:
        click.BadParameter: it cannot.
    """
    path = Path(file)
    try:
        new = not path.exists()
        if new or path.is_file() or path.is_dir():  # opening and closing would end a pipe
            with open(file, "ab"):
                pass
        if new:
            path.unlink()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.BadParameter(f"{file!r}: {why}", param_hint=hint) from error


def whole_number(text: str) -> int | None:
    """Return the number that a text names, None if it is no whole number of at least 0."""
    text = text.strip()
    if not _NUMBER.fullmatch(text) or not text[0].isdigit():
        return None
    number = Decimal(text.replace(",", "").replace("_", ""))
    whole = int(number)
    return whole if whole == number else None


def _read_roll(ctx: click.Context, param: click.Parameter, value: Roll | str | None) -> Roll | None:
    """Return the dice that the value of --roll names."""
    if not isinstance(value, str):
        return value
    found = _ROLL.fullmatch(value)
    if not found:
        raise click.BadParameter(f"{value!r}: {_EXPECTED_ROLL}", ctx, param)
    return int(found[1]), int(found[2])


rules_option = click.option(
    "--rules",
    type=click.Choice(list(RULES), case_sensitive=False),
    metavar="NAME",
    help=f"The game, as 'tavli-fast rules' lists it; if missing, that of the TFID, or {_DEFAULT}.",
)
position_option = click.option(
    "--position",
    metavar="ID",
    help="Position ID, XGID or TFID; - reads it from stdin; the start if missing.",
)
roll_option = click.option(
    "--roll",
    callback=_read_roll,
    metavar="DICE",
    help="31, 3-1 or 3,1; if missing, the roll of the XGID or TFID.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def take_words(
    words: Sequence[str], position: str | None, roll: Roll | None
) -> tuple[str | None, Roll | None]:
    """Return the position and the roll, of which each may stand without its option."""
    for word in words:
        if _LIKE_A_ROLL.fullmatch(word):
            if roll is not None:
                raise click.UsageError(f"two rolls, {roll[0]}{roll[1]} and {word}: expected one")
            found = _ROLL.fullmatch(word)
            if not found:
                raise click.UsageError(f"{word!r}: {_EXPECTED_ROLL}, or a position")
            roll = int(found[1]), int(found[2])
        elif position is not None:
            raise click.UsageError(f"two positions, {position} and {word}: expected one")
        else:
            position = word
    return position, roll


def find_rules(name: str | None, changes: dict[str, str]) -> Game:
    """Return the game of that name, with its house rules."""
    name = name or _DEFAULT
    return Game(name, changed_rules(RULES[name], changes), changes)


def read_table(
    position: str | None, rules: str | None, changes: dict[str, str], roll: Roll | None = None
) -> Table:
    """Return the game and the board that a call asks for, and the roll if there is one."""
    if position is None:
        game = find_rules(rules, changes)
        return Table(game, start(game.rules), roll)
    text = position
    if position.strip() == "-":
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # by a character that no ID has
        text = sys.stdin.readline().strip() if sys.stdin else ""
        if not text:
            raise click.UsageError("stdin has no first line: expected a position")
    try:
        game = find_rules(rules or (game_of(text) if is_tfid(text) else None), changes)
        board, _, told = read_position(text, game.rules)
        xgid = read_xgid(text, game.rules)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="'--position'") from error
    if not is_tfid(text):
        _doubt(board)
    return Table(game, board, roll or told, xgid, text.count(":") == 1)


def _doubt(board: Int8Array) -> None:
    """Say on stderr that an ID may be of a game with fewer checkers, which it cannot tell."""
    mine, theirs = board[:, OFF].tolist()
    if min(mine, theirs) > 9:
        note = f"{mine} checkers of X and {theirs} of O are taken as borne off"
        click.echo(f"note: {note}; for three a side: --rules hypergammon", err=True)
