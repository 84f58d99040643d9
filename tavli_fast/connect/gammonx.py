"""GammonX's move and position texts, for the games that both play alike: Portes, Plakoto, Tavla.

GammonX numbers points from 0, the same for both sides: White moves up from 0 to 23, Black down.
Source: the history texts and board JSON of github.com/GammonX (Apache-2.0), as observed. Its Fevga
begins with the checkers off the board, which is another game than `fevga` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import BAR, OFF, BoardLike, Int8Array, one_board, shown
from tavli_fast.boards.id_text import checked_board
from tavli_fast.boards.positions import flip, start
from tavli_fast.errors import NotationError
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.play import Play
from tavli_fast.rules.presets import PLAKOTO, PORTES, TAVLA, Rules

__all__ = ["GammonxGame", "GammonxTurn", "from_gammonx", "read_history", "to_gammonx", "write_turn"]

WHITE: Final = "White"
BLACK: Final = "Black"
_GAMES: Final[Mapping[str, Rules]] = {
    "portes": PORTES,
    "plakoto": replace(PLAKOTO, mother="none"),  # its games go on after a mother is pinned
    "tavla": TAVLA,
}
_TAG: Final = re.compile(r";\[(?P<name>[A-Za-z0-9 ]+?) '(?P<value>[^']*)'\]")
_ROLL: Final = re.compile(r"(White|Black) Roll ((?:[1-6] ?){2,4})")
_MOVE: Final = re.compile(r"(White|Black) Move (bar|[0-9]{1,2})/(off|[0-9]{1,2})")


@dataclass(frozen=True)
class GammonxTurn:
    """One turn of a history, checked against the rules."""

    side: str
    """``"White"`` or ``"Black"``."""
    dice: tuple[int, int]
    play: Play
    """The play, in the mover's own numbering; without moves if there was none."""


@dataclass(frozen=True)
class GammonxGame:
    """One game of a history."""

    rules: Rules
    tags: Mapping[str, str]
    """The tags of the game, such as ``"Winner"`` and ``"Points"``."""
    turns: tuple[GammonxTurn, ...]
    board: Int8Array
    """The last position, ``int8[2, 26]``: the side that has just moved first."""


def point_text(point: int, side: str) -> str:
    """Return one of a side's own points as GammonX writes it."""
    if point in (BAR, OFF):
        return "bar" if point == BAR else "off"
    return str(24 - point if side == WHITE else point - 1)


def own_point(text: str, side: str) -> int:
    """Return a point of GammonX in a side's own numbering.

    Raises:
        NotationError: there is no such point.
    """
    if text in ("bar", "off"):
        return BAR if text == "bar" else OFF
    number = int(text)
    if number > 23:
        raise NotationError(f"point {shown(text)}: expected 0 to 23, bar or off")
    return 24 - number if side == WHITE else number + 1


def write_turn(side: str, dice: tuple[int, int], play: Play) -> str:
    """Return a turn as GammonX's history has it: the roll, then a line for each move.

    Args:
        side: ``"White"`` or ``"Black"``.
        dice: the roll; doubles are written four times.
        play: the play.
    """
    rolled = dice * 2 if dice[0] == dice[1] else dice
    lines = [f"{side} Roll {' '.join(map(str, rolled))}"]
    for source, target in play.moves:
        lines.append(f"{side} Move {point_text(source, side)}/{point_text(target, side)}")
    return "\n".join(lines)


def read_history(text: str) -> list[GammonxGame]:
    """Read a history, and replay its games by the rules.

    Args:
        text: the history of a game, or of a match of several.

    Returns:
        The games.

    Raises:
        NotationError: a line cannot be read, a game is one that is not played alike here, or a play
            is not legal; the message names the line.
    """
    games: list[GammonxGame] = []
    tags: dict[str, str] = {}
    lines: list[tuple[int, str]] = []

    def close() -> None:
        if "Game Modus" in tags:
            games.append(_replayed(dict(tags), lines))

    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip().lstrip("\ufeff")
        if not line:
            continue
        if tag := _TAG.fullmatch(line):
            if tag["name"] == "Game":
                close()
                tags.clear()
                lines.clear()
            tags[tag["name"]] = tag["value"]
        else:
            lines.append((number, line))
    close()
    if not games:
        raise NotationError(
            "the history has no game: expected a tag such as ;[Game Modus 'Portes']"
        )
    return games


def _replayed(tags: dict[str, str], lines: Sequence[tuple[int, str]]) -> GammonxGame:
    """Return one game, every play of which is legal."""
    rules = _GAMES.get(tags["Game Modus"].lower())
    if rules is None:
        raise NotationError(
            f"Game Modus {shown(tags['Game Modus'])}: expected one of {', '.join(_GAMES)}"
        )
    board, turns, last = start(rules), [], ""
    for number, side, dice, moves in _turns(lines):
        if side == last:  # the other side could not move, and nothing was written
            board = flip(board)
        plays = LegalPlays(board, dice, rules)
        play = Play((), board)
        if moves or len(plays):
            text = " ".join(f"{source}/{target}" for source, target in moves)
            try:
                play = plays[text]
            except (ValueError, IndexError) as error:
                raise NotationError(f"line {number}: {error}") from None
        turns.append(GammonxTurn(side, dice, play))
        board, last = flip(play.board), side
    return GammonxGame(rules, tags, tuple(turns), flip(board))


def _turns(
    lines: Sequence[tuple[int, str]],
) -> Iterator[tuple[int, str, tuple[int, int], list[tuple[int, int]]]]:
    """Yield each turn: its line, the side, the roll and the moves in the side's numbering."""
    turn: tuple[int, str, tuple[int, int], list[tuple[int, int]]] | None = None
    for number, line in lines:
        if roll := _ROLL.fullmatch(line):
            if turn is not None:
                yield turn
            dice = [*map(int, roll[2].split())]
            if len(dice) not in (2, 4) or (len(dice) == 4 and len(set(dice)) > 1):
                raise NotationError(f"line {number}: {shown(line)} is no roll")
            turn = number, roll[1], (dice[0], dice[1]), []
        elif (move := _MOVE.fullmatch(line)) and turn is not None and move[1] == turn[1]:
            source, target = own_point(move[2], turn[1]), own_point(move[3], turn[1])
            turn[3].append((source, target))
        else:
            raise NotationError(
                f"line {number}: {shown(line)}: expected a roll, or its mover's move"
            )
    if turn is not None:
        yield turn


def to_gammonx(board: BoardLike, side: str, rules: Rules) -> dict[str, Any]:
    """Return a board as GammonX's JSON has it.

    Args:
        board: integers ``[2, 26]``, the side on roll first.
        side: which side that is, ``"White"`` or ``"Black"``.
        rules: the rules of the board.

    Returns:
        ``fields`` (24 numbers, White negative), ``pinnedFields``, and the checkers on the bar and
        off for each side.

    Raises:
        BoardError: the board is not a possible position.
    """
    checked = one_board(board, rules)
    white, black = checked if side == WHITE else checked[::-1]
    fields, pinned = [0] * 24, [0] * 24
    for plane, sign, name in ((white, -1, WHITE), (black, 1, BLACK)):
        for point in range(1, 25):
            field = int(point_text(point, name))
            if plane[point] < 0:
                pinned[field] = sign
            elif plane[point]:
                fields[field] = sign * int(plane[point])
    return {
        "fields": fields,
        "pinnedFields": pinned,
        "homeBarCountWhite": int(white[BAR]),
        "homeBarCountBlack": int(black[BAR]),
        "bearOffCountWhite": int(white[OFF]),
        "bearOffCountBlack": int(black[OFF]),
    }


def from_gammonx(data: Mapping[str, Any], side: str, rules: Rules) -> Int8Array:
    """Return the board of GammonX's JSON, the given side first.

    Args:
        data: as `to_gammonx` returns it; ``pinnedFields`` may be missing.
        side: the side on roll.
        rules: the rules of the board.

    Raises:
        NotationError: it is no such board, or not a possible position.
    """
    board = np.zeros((2, 26), np.int16)
    fields = _numbers(data, "fields")
    pinned = _numbers(data, "pinnedFields") if "pinnedFields" in data else [0] * 24
    for plane, sign, name in ((0, -1, WHITE), (1, 1, BLACK)):
        for field in range(24):
            point = own_point(str(field), name)
            if fields[field] * sign > 0:
                board[plane, point] = abs(fields[field])
            if pinned[field] * sign > 0:
                board[plane, point] = -1
        for key, place in ((f"homeBarCount{name}", BAR), (f"bearOffCount{name}", OFF)):
            value = data.get(key, 0)
            if type(value) is not int or not 0 <= value <= 15:
                raise NotationError(f"{key}={shown(value)}: expected a number of checkers")
            board[plane, place] = value
    sides = board if side == WHITE else board[::-1]
    return checked_board(sides.tolist(), rules, "the board of GammonX")


def _numbers(data: Mapping[str, Any], key: str) -> list[int]:
    """Return the 24 numbers of a field of the JSON."""
    value = data.get(key)
    if isinstance(value, list) and len(value) == 24:
        numbers = [each for each in value if type(each) is int and -15 <= each <= 15]
        if len(numbers) == 24:
            return numbers
    raise NotationError(f"{key}={shown(value)}: expected 24 numbers of checkers, -15 to 15")
