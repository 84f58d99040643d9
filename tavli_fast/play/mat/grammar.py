"""The grammar of .mat match texts: tags, games, and their cells in the order of play.

A text is a few ``; [Key "value"]`` tags, ``7 point match``, and for each game a heading, a line
with the score, and numbered rows of two cells, the left one of player 0. What a cell means for the
game is for `reader` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tavli_fast._common.arguments import shown
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
    r"|(Doubles|Beavers|Wins|Losses|Loses)(?:\s*=+>)?\s*([0-9]{1,9})(?: points?)?( and the match)?"
    r"|(Takes|Drops|Resigned Match|Resigned Game|Resigns|Forfeits|Lost on time))(?!\S)",
    re.I,
)
_WORDS: Final = {
    "resigned game": "resigns",
    "resigned match": "gives up",
    "forfeits": "resigns",
    "lost on time": "resigns",
    "loses": "losses",
}
_SHOWN: Final = 50


class Mended(NamedTuple):
    """A place in a text that was read otherwise than it stands, or left out."""

    line: int
    """The number of the line, from 1."""
    what: str
    """What stands there, and how it was read."""

    def __str__(self) -> str:
        """Return both as a message."""
        return f"line {self.line}: {self.what}"


@dataclass(frozen=True)
class Cell:
    """What a player did, as written."""

    line: int
    """The number of its line in the text, from 1."""
    column: int
    """The number of its first character in the line, from 1."""
    player: int
    """0 in the left column, 1 in the right."""
    kind: str
    """``"roll"``, or a word: ``"doubles"``, ``"takes"``, ``"drops"``, ``"beavers"``, ``"wins"``,
    ``"losses"``, ``"resigns"``, ``"gives up"``."""
    dice: Roll = (0, 0)
    """Of a roll."""
    text: str = ""
    """Of a roll, the play."""
    value: int = 0
    """The stake that a double or beaver offers, the points that are won or lost."""
    match: bool = False
    """Whether a win is that of the match, as it says."""
    alone: bool = False
    """Whether it stands on a line without a number, whose column means little."""

    def __str__(self) -> str:
        """Return the cell as it may be written."""
        if self.kind == "roll":
            return f"{self.dice[0]}{self.dice[1]}: {self.text}".strip()
        return f"{self.kind.capitalize()} {self.value or ''}".strip()


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


class Judge:
    """What becomes of a place that is not as it should be: an error, or a note of how it is read.

    Args:
        strict: whether it is an error.
        kind: what the text is called in messages.
    """

    def __init__(self, strict: bool, kind: str = ".mat text") -> None:
        """Begin with no notes."""
        self.strict = strict
        self.mended: list[Mended] = []
        self.kind = kind
        self.refusal: NotationError | None = None

    def doubt(self, line: int, column: int, stands: str, expected: str, done: str) -> None:
        """Refuse a place, or note what was done about it.

        Raises:
            NotationError: places are refused.
        """
        if self.strict:
            self.refusal = broken(self.kind, line, column, stands, expected)
            raise self.refusal
        self.note(line, f"{_short(stands)}: {done}")

    def note(self, line: int, what: str) -> None:
        """Note how a place was read."""
        self.mended.append(Mended(line, what))


def broken(kind: str, line: int, column: int, stands: str, expected: str) -> NotationError:
    """Return the error of a place that cannot be read, in a text of some kind."""
    return NotationError(f"{kind}, line {line}, column {column}, {_short(stands)}: {expected}")


def _short(text: str) -> str:
    """Return what stands somewhere, on one line and not too long."""
    text = " ".join(text.split())
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def parsed(text: str, judge: Judge) -> MatText:
    """Take a text apart.

    Raises:
        NotationError: it has no games; or, if `judge` is strict, no length, or a line that belongs
            nowhere.
    """
    mat = _Lines(judge)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not mat.add(number, line.expandtabs()):
            break
    mat.sort_rows()
    if mat.length is None or not mat.parts:
        raise NotationError(
            f".mat text {shown(text)}: expected a length such as '7 point match', and games"
        )
    return MatText(mat.length, mat.tags, mat.parts)


class _Lines:
    """A text as far as it has been taken apart, line by line."""

    def __init__(self, judge: Judge) -> None:
        """Begin with nothing."""
        self.judge = judge
        self.tags: dict[str, str] = {}
        self.length: int | None = None
        self.parts: list[Part] = []
        self.rows: list[tuple[int, str]] = []

    def add(self, number: int, line: str) -> bool:
        """Add a line; return whether those that follow belong to the match."""
        if line.startswith(";") or not line.strip():
            if tag := _TAG.fullmatch(line):
                self.tags[tag[1].strip()] = tag[2]
        elif found := _LENGTH.match(line):
            if self.length is not None:
                self._doubt(number, line, "expected one match", _SECOND)
                return False
            self.length = int(found[1] or found[2])
        elif heading := _GAME.fullmatch(line):
            self._begin_game(number, line, int(heading[1]))
        elif not self.parts:
            wanted = _EXPECTED_LENGTH if self.length is None else "expected 'Game 1'"
            self._doubt(number, line, wanted, "left out")
        elif self.parts[-1].names[0] or self.rows:
            self.rows.append((number, line))
        elif score := _SCORE.fullmatch(line):
            self.parts[-1].names = score[1] or "?", score[3].strip() or "?"
            self.parts[-1].score = int(score[2]), int(score[4])
        else:
            self._doubt(number, line, "expected a score such as 'A : 0    B : 0'", "left out")
            if _ROW.match(line):
                self.rows.append((number, line))
        return True

    def sort_rows(self) -> None:
        """Give the rows that have been collected, as cells, to the last game."""
        if self.rows:
            self.parts[-1].cells += _sorted_cells(self.rows, self.judge)
            self.rows.clear()

    def _begin_game(self, number: int, line: str, counted: int) -> None:
        """Begin a game with its heading."""
        if self.length is None:
            self._doubt(number, line, _EXPECTED_LENGTH, "read as a match for money")
            self.length = 0
        self.sort_rows()
        due = len(self.parts) + 1
        if counted != due:
            self._doubt(number, line, f"expected Game {due}", f"read as Game {due}")
        self.parts.append(Part(number))

    def _doubt(self, number: int, line: str, expected: str, done: str) -> None:
        """Refuse a line, or note what is done about it."""
        column = len(line) - len(line.lstrip()) + 1
        self.judge.doubt(number, column, line, expected, done)


_SECOND: Final = "a second match begins here, which is left out"
_EXPECTED_LENGTH: Final = "expected a length such as '7 point match'"


def _sorted_cells(rows: list[tuple[int, str]], judge: Judge) -> Iterator[Cell]:
    """Yield the cells of the rows of a game."""
    found = [(number, line, *_cells_of(number, line, judge)) for number, line in rows]
    # Where the right column begins differs between programs; its cells are well right of the left.
    second = [cells[1].start() for _, _, cells, _ in found if len(cells) == 2]
    middle = min([*second, 36]) // 2
    for number, line, cells, alone in found:
        if len(cells) > 2:
            stands, done = line[cells[2].start() :], "read by where the cells stand"
            expected = "expected two cells, one for each player"
            judge.doubt(number, cells[2].start() + 1, stands, expected, done)
        for index, cell in enumerate(cells):
            end = cells[index + 1].start() if index + 1 < len(cells) else len(line)
            player = index if len(cells) == 2 else int(cell.start() >= middle)
            yield _cell(number, line, player, cell, end, alone, judge)


def _cells_of(number: int, line: str, judge: Judge) -> tuple[list[re.Match[str]], bool]:
    """Return where the cells of a row begin, and whether it is a line without a number."""
    row = _ROW.match(line)
    begin = row.end() if row else 0
    cells = list(_CELL.finditer(line, begin))
    before = line[begin : cells[0].start() if cells else None]
    if before.strip():
        column = begin + len(before) - len(before.lstrip()) + 1
        expected = "expected cells such as '31: 8/5 6/5', 'Doubles => 2', 'Takes'"
        judge.doubt(number, column, before, expected, "left out")
    return cells, row is None


def _cell(
    number: int,
    line: str,
    player: int,
    found: re.Match[str],
    end: int,
    alone: bool,
    judge: Judge,
) -> Cell:
    """Return one cell; what stands behind its first words is the play, or nothing."""
    rest = line[found.end() : end].strip()
    column = found.start() + 1
    if found[1]:
        return Cell(number, column, player, "roll", (int(found[1]), int(found[2])), rest)
    if rest:
        expected = f"expected nothing after {found[0]!r}"
        judge.doubt(number, line.index(rest, found.end()) + 1, rest, expected, "left out")
    word = (found[3] or found[6]).lower()
    value, match = int(found[4] or 0), found[5] is not None
    return Cell(
        number, column, player, _WORDS.get(word, word), value=value, match=match, alone=alone
    )
