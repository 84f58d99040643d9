"""The grammar of .mat match texts: tags, games, and their cells in the order of play.

A text is a few ``; [Key "value"]`` tags, ``7 point match``, and for each game a heading, a line
with the score, and numbered rows of two cells, the left one of player 0. What a cell means for the
game is for `mat` to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tavli_fast.errors import NotationError

Roll = tuple[int, int]

_TAG: Final = re.compile(r';\s*\[([^"\]]*)"(.*)"\s*\]\s*')
_LENGTH: Final = re.compile(
    r"\s*(?:([0-9]{1,6}) points? match|match of ([0-9]{1,6}) points?)", re.I
)
_GAME: Final = re.compile(r"\s*Game ([0-9]{1,6})\s*", re.I)
_SCORE: Final = re.compile(r"\s*(.*?)\s*:\s*([0-9]{1,6})\s\s+(.*)\s*:\s*([0-9]{1,6})\s*")
_ROW: Final = re.compile(r"\s*[0-9]{1,6}\)")
_CELL: Final = re.compile(
    r"(?<!\S)(?:([1-6])([1-6]):"
    r"|(Doubles|Beavers|Wins)(?:\s*=>)?\s*([0-9]{1,9})(?: points?)?( and the match)?"
    r"|(Takes|Drops|Resigns|Resigned Game|Forfeits|Lost on time))(?!\S)",
    re.I,
)
_WORDS: Final = {"resigned game": "resigns", "forfeits": "resigns", "lost on time": "resigns"}


@dataclass(frozen=True)
class Cell:
    """What a player did, as written."""

    line: int
    """The number of its line in the text, from 1."""
    player: int
    """0 in the left column, 1 in the right."""
    kind: str
    """``"roll"``, or a word: ``"doubles"``, ``"takes"``, ``"drops"``, ``"beavers"``, ``"wins"``,
    ``"resigns"``."""
    dice: Roll = (0, 0)
    """Of a roll."""
    text: str = ""
    """Of a roll, the play."""
    value: int = 0
    """The stake that a double or beaver offers, the points that are won."""


@dataclass
class Part:
    """One game of a text."""

    line: int
    """The number of the line of its heading."""
    names: tuple[str, str] = ("", "")
    """The names in the score line."""
    score: tuple[int, int] = (0, 0)
    """The points before the game."""
    cells: list[Cell] = field(default_factory=list)
    """What was done, in order."""


@dataclass
class MatText:
    """A text taken apart."""

    length: int
    """The points that win the match, 0 for money."""
    tags: dict[str, str]
    """The values of the tags, as written."""
    parts: list[Part]
    """The games."""


def parsed(text: str) -> MatText:
    """Take a text apart.

    Raises:
        NotationError: it has no length or no games, or a line that belongs nowhere.
    """
    if not isinstance(text, str):
        raise NotationError(f".mat text {text!r:.60}: expected a str")
    tags: dict[str, str] = {}
    length = None
    parts: list[Part] = []
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.rstrip("\r").expandtabs()
        if line.startswith(";") or not line.strip():
            if tag := _TAG.fullmatch(line):
                tags[tag[1].strip()] = tag[2]
            continue
        if length is None:
            if not (found := _LENGTH.match(line)):
                raise broken(number, line, "expected a length such as '7 point match'")
            length = int(found[1] or found[2])
        elif heading := _GAME.fullmatch(line):
            _sort_rows(parts, rows)
            if int(heading[1]) != len(parts) + 1:
                raise broken(number, line, f"expected Game {len(parts) + 1}")
            parts.append(Part(number))
        elif not parts:
            raise broken(number, line, "expected 'Game 1'")
        elif not parts[-1].names[0] and not rows:
            if not (score := _SCORE.fullmatch(line)):
                raise broken(number, line, "expected a score such as 'A : 0    B : 0'")
            parts[-1].names = score[1] or "?", score[3].strip() or "?"
            parts[-1].score = int(score[2]), int(score[4])
        else:
            rows.append((number, line))
    _sort_rows(parts, rows)
    if length is None or not parts:
        raise NotationError(".mat text: expected a length such as '7 point match', and games")
    return MatText(length, tags, parts)


def broken(number: int, line: str, expected: str) -> NotationError:
    """Return the error of a line that cannot be read."""
    shown = " ".join(line.split())
    shown = shown if len(shown) <= 50 else shown[:47] + "…"
    return NotationError(f".mat text, line {number}, {shown!r}: {expected}")


def _sort_rows(parts: list[Part], rows: list[tuple[int, str]]) -> None:
    """Give the rows that have been collected, as cells, to the last game."""
    if not rows:
        return
    found = [(number, line, _cells_of(number, line)) for number, line in rows]
    # Where the right column begins differs between programs; its cells are well right of the left.
    second = [cells[1].start() for _, _, cells in found if len(cells) == 2]
    middle = min([*second, 36]) // 2
    for number, line, cells in found:
        if len(cells) > 2:
            raise broken(number, line, "expected two cells, one for each player")
        for index, cell in enumerate(cells):
            end = cells[index + 1].start() if index + 1 < len(cells) else len(line)
            player = index if len(cells) == 2 else int(cell.start() >= middle)
            parts[-1].cells.append(_cell(number, line, player, cell, end))
    rows.clear()


def _cells_of(number: int, line: str) -> list[re.Match[str]]:
    """Return where the cells of a row begin."""
    row = _ROW.match(line)
    begin = row.end() if row else 0
    cells = list(_CELL.finditer(line, begin))
    if line[begin : cells[0].start() if cells else None].strip():
        raise broken(number, line, "expected cells such as '31: 8/5 6/5', 'Doubles => 2', 'Takes'")
    return cells


def _cell(number: int, line: str, player: int, found: re.Match[str], end: int) -> Cell:
    """Return one cell; what stands behind its first words is the play, or nothing."""
    rest = line[found.end() : end].strip()
    if found[1]:
        return Cell(number, player, "roll", (int(found[1]), int(found[2])), rest)
    if rest:
        raise broken(number, line, f"expected nothing after {found[0]!r}")
    word = (found[3] or found[6]).lower()
    return Cell(number, player, _WORDS.get(word, word), value=int(found[4] or 0))
