"""FIBS's board line, ``board:`` and 52 values: as FIBS sends it, and as GNU Backgammon does.

Source: FIBS's interface description; for GNU Backgammon, the lines that version 1.07 sends to an
external player, and its answers as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tavli_fast._common.arguments import BAR, OFF, Int8Array, shown
from tavli_fast.errors import NotationError

__all__ = ["FibsBoard", "read_board", "write_board"]

UNLIMITED: Final = 9999
"""The length of a match without end, as FIBS writes it."""
_FIELDS: Final = 52
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,5}")
_LONGEST_NAME: Final = 100


@dataclass(frozen=True, eq=False)
class FibsBoard:
    """What a board line tells, seen by the player whose line it is ("you")."""

    you: str
    opponent: str
    length: int
    """The points to play to; 0 for an unlimited match, or for money."""
    score: tuple[int, int]
    """Your points and the opponent's."""
    board: Int8Array
    """``int8[2, 26]``: you first, whoever is on roll."""
    turn: int
    """1 if you are on roll, -1 the opponent, 0 nobody: the game is over. (GNU Backgammon's lines
    say which of its two players is, 1 or -1; who is asked depends on the rest.)"""
    your_dice: tuple[int, int] | None
    """Your roll; None for 0 0."""
    opponents_dice: tuple[int, int] | None
    """The opponent's roll; None for 0 0."""
    cube: int
    may_double: tuple[bool, bool]
    """Whether you and the opponent may double."""
    was_doubled: int
    """Not 0 while a double waits for its answer."""
    colour: int
    """1 if your checkers are written as positive numbers, else -1."""
    direction: int
    """-1 if you move from 24 to 1, else 1."""
    flags: tuple[int, int]
    """The last two values: FIBS's did_crawford and redoubles."""


def read_board(line: str, checkers: int | None = None) -> FibsBoard:
    """Read a board line.

    Args:
        line: the text, with or without ``board:``.
        checkers: how many checkers a side has; None for the sum of those on the board and those
            that the line has as borne off, if both sides agree on at most 15, else 15.

    Returns:
        The `FibsBoard`.

    Raises:
        NotationError: it is no board line; the message names the value.
    """
    name = f"board line {shown(line)}"
    values = line.strip().removeprefix("board:").split(":")
    if len(values) != _FIELDS:
        raise NotationError(f"{name} has {len(values)} values: expected {_FIELDS}")
    you, opponent = values[0], values[1]
    if max(len(you), len(opponent)) > _LONGEST_NAME:
        raise NotationError(f"{name}: expected names of at most {_LONGEST_NAME} characters")
    numbers = [_number(text, place, name) for place, text in enumerate(values[2:], start=3)]

    def value(place: int, *allowed: int) -> int:
        found = numbers[place - 3]
        if allowed and found not in allowed:
            expected = " or ".join(map(str, allowed))
            raise NotationError(f"{name}: value {place} is {found}: expected {expected}")
        return found

    length, score = value(3), (value(4), value(5))
    if length < 0 or min(score) < 0:
        raise NotationError(f"{name}: expected a length and scores of 0 or more")
    colour, direction = value(41, 1, -1), value(42, 1, -1)
    slots = np.array(numbers[3:29]) * colour
    if direction == 1:
        slots = slots[::-1]
    mine, theirs = slots.clip(0), -slots.clip(None, 0)[::-1]
    on_bar, their_bar = mine[BAR], theirs[BAR]
    if mine[OFF] or theirs[OFF]:
        raise NotationError(f"{name}: checkers of both sides where only one has its bar")
    counts = [int(mine.sum()), int(theirs.sum())]
    # FIBS repeats the checkers on the bar in values 47 and 48; others leave those at 0.
    for place, there in ((47, on_bar), (48, their_bar)):
        if value(place) not in (0, there):
            raise NotationError(f"{name}: value {place} is {value(place)}: expected {there}")
    if checkers is None:
        totals = {counts[0] + value(45), counts[1] + value(46)}
        checkers = totals.pop() if len(totals) == 1 and 1 <= min(totals) <= 15 else 15
    board = np.zeros((2, 26), np.int16)
    for plane, side, count in zip(board, (mine, theirs), counts, strict=True):
        if count > checkers:
            raise NotationError(f"{name}: {count} checkers: expected at most {checkers}")
        plane[:] = side
        plane[OFF] = checkers - count
    cube = value(37)
    if not 1 <= cube <= 2**15 or cube & (cube - 1):
        raise NotationError(f"{name}: value 37 is {cube}: expected a power of two")
    return FibsBoard(
        you=you,
        opponent=opponent,
        length=0 if length == UNLIMITED else length,
        score=score,
        board=board.astype(np.int8),
        turn=value(32, 0, 1, -1) * colour,
        your_dice=_dice(value(33), value(34), name),
        opponents_dice=_dice(value(35), value(36), name),
        cube=cube,
        may_double=(bool(value(38, 0, 1)), bool(value(39, 0, 1))),
        was_doubled=value(40, 0, 1, -1),
        colour=colour,
        direction=direction,
        flags=(value(51), value(52)),
    )


def write_board(board: FibsBoard, *, checkers: int = 15) -> str:
    """Return the line of a board, as FIBS writes it.

    Args:
        board: what to write.
        checkers: how many checkers a side has.
    """
    mine, theirs = board.board.astype(int)
    slots = np.zeros(26, int)
    slots[1:26] += mine[1:26]
    slots[0:25] -= theirs[1:26][::-1]
    if board.direction == 1:
        slots = slots[::-1]
    slots = slots * board.colour
    forward = board.direction == 1
    values = [
        board.you,
        board.opponent,
        board.length or UNLIMITED,
        *board.score,
        *slots.tolist(),
        board.turn * board.colour,
        *(board.your_dice or (0, 0)),
        *(board.opponents_dice or (0, 0)),
        board.cube,
        *map(int, board.may_double),
        board.was_doubled,
        board.colour,
        board.direction,
        25 if forward else 0,
        0 if forward else 25,
        int(mine[OFF]),
        int(theirs[OFF]),
        int(mine[BAR]),
        int(theirs[BAR]),
        4 if board.your_dice and board.your_dice[0] == board.your_dice[1] else 2,
        0,
        *board.flags,
    ]
    assert mine.sum() == theirs.sum() == checkers
    return "board:" + ":".join(map(str, values))


def _number(text: str, place: int, name: str) -> int:
    """Return a value that has to be a number."""
    if not _NUMBER.fullmatch(text):
        raise NotationError(f"{name}: value {place} is {shown(text)}: expected a whole number")
    return int(text)


def _dice(first: int, second: int, name: str) -> tuple[int, int] | None:
    """Return a roll, None if it is 0 0."""
    if first == second == 0:
        return None
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise NotationError(f"{name}: dice {first} and {second}: expected 1 to 6, or both 0")
    return first, second
