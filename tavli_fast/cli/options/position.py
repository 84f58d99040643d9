"""What a call asks about: a position and a roll, each with or without its option."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any, Final

import click

from tavli_fast._common.arguments import OFF, Int8Array
from tavli_fast.boards.positions import start
from tavli_fast.boards.tfid import game_of, is_tfid
from tavli_fast.cli.options.rules import RuleChoice, find_rules
from tavli_fast.cli.options.types import Dice, Roll
from tavli_fast.errors import NotationError
from tavli_fast.notation.position_id import XGID, any_id, read_position, read_xgid

__all__ = ["Request", "position_option", "read_request", "roll_option", "take_words"]

_LIKE_A_ROLL: Final = re.compile(r"(?=.*[0-9])[0-9 ,-]{1,5}")


@dataclass(frozen=True)
class Request:
    """The position that a call is about, and what its text tells besides."""

    choice: RuleChoice
    board: Int8Array
    roll: Roll | None
    xgid: XGID | None = None
    """The XGID, if the position is one: it tells the cube and the score."""
    match_id: bool = False
    """Whether the position has a Match ID, of which only the roll is read."""

    @property
    def id(self) -> str:
        """The ID of the position."""
        return any_id(self.board, self.choice.rules)

    @property
    def pending(self) -> str | None:
        """The double that waits for O's answer, if the XGID has one."""
        return None if self.xgid is None or self.roll is not None else self.xgid.pending

    def head(self) -> dict[str, Any]:
        """Return the first fields of a JSON document about it."""
        return {"rules": self.choice.name, "set": self.choice.changes, "position": self.id}


position_option = click.option(
    "--position",
    metavar="ID",
    help="A Position ID, an XGID or a TFID; - reads it from standard input.",
    show_default="the start",
)
roll_option = click.option(
    "--roll",
    type=Dice(),
    help="The dice to play: 31, 3-1 or 3,1.",
    show_default="the dice of the XGID or TFID",
)


def take_words(
    words: Sequence[str], position: str | None, roll: Roll | None
) -> tuple[str | None, Roll | None]:
    """Tell apart the position and the roll among arguments that have no option's name."""
    for word in words:
        if _LIKE_A_ROLL.fullmatch(word):
            if roll is not None:
                raise click.UsageError(f"two rolls, {roll[0]}{roll[1]} and {word}: expected one")
            roll = Dice(", or a position").convert(word, None, None)
        elif position is not None:
            raise click.UsageError(f"two positions, {position} and {word}: expected one")
        else:
            position = word
    return position, roll


def read_request(
    position: str | None, rules: str | None, changes: dict[str, str], roll: Roll | None = None
) -> Request:
    """Read the position, under the rules that --rules or its text names."""
    if position is None:
        choice = find_rules(rules, changes)
        return Request(choice, start(choice.rules), roll)
    text = _first_line() if position.strip() == "-" else position
    try:
        choice = find_rules(rules or _game_of(text), changes)
        board, _, told = read_position(text, choice.rules)
        xgid = read_xgid(text, choice.rules)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="'--position'") from error
    if xgid is not None and roll is None and xgid.pending not in (None, "double"):
        message = f"the XGID waits for the answer to a {xgid.pending}: expected 00, D or a roll"
        raise click.BadParameter(message, param_hint="'--position'")
    if not is_tfid(text):
        _warn_of_few_checkers(board)
    return Request(choice, board, roll or told, xgid, xgid is None and text.count(":") == 1)


def _game_of(text: str) -> str | None:
    """Return the game that a text is of, if it tells one: of a match or a cube, backgammon."""
    if is_tfid(text):
        return game_of(text)
    xgid = read_xgid(text, None)
    if xgid is None:
        return None
    turned = xgid.cube > 1 or xgid.cube_owner or xgid.jacoby or xgid.beavers
    return "backgammon" if xgid.match_length or xgid.pending or turned else None


def _first_line() -> str:
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # by a character that no ID has
    text = sys.stdin.readline().strip() if sys.stdin else ""
    if not text:
        raise click.UsageError("standard input has no first line: expected a position")
    return text


def _warn_of_few_checkers(board: Int8Array) -> None:
    """Say that an ID may be of a game with fewer checkers: it does not tell the game."""
    mine, theirs = board[:, OFF].tolist()
    if min(mine, theirs) > 9:
        note = f"{mine} checkers of X and {theirs} of O are taken as borne off"
        click.echo(f"note: {note}; for three a side: --rules hypergammon", err=True)
