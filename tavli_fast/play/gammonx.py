"""Records of games of the GammonX server: Portes, Plakoto, backgammon and Tavla.

A record is a head of ``;[Key 'value']`` lines, then ``White Roll 3 5`` and ``White Move 0/3``, one
move a line, in an absolute frame from 0 that White runs upwards and Black downwards. Its Fevga
starts with the checkers beside the board, which is another game than this package plays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from tavli_fast._common.arguments import BAR, OFF, shown
from tavli_fast.errors import NotationError
from tavli_fast.play.mat.grammar import Cell, Judge, MatText, Part
from tavli_fast.play.mat.reader import MatMatch
from tavli_fast.play.mat.replay import Replay
from tavli_fast.rules.presets import BACKGAMMON, PLAKOTO, PORTES, TAVLA, Rules

__all__ = ["is_gammonx", "read_gammonx"]

_HEAD: Final = re.compile(r";\[([A-Za-z0-9 ]+?) '(.*)'\]\s*")
_LINE: Final = re.compile(r"(White|Black) (Roll|Move) (.*)")
_STEP: Final = re.compile(r"(bar|[0-9]{1,2})/(off|[0-9]{1,2})")
_DICE: Final = re.compile(r"([1-6]) ([1-6])(?: \1 \2)?")
_SIDES: Final = {"White": 0, "Black": 1}
_GAMES: Final = {
    "portes": PORTES,
    "plakoto": PLAKOTO,
    "backgammon": BACKGAMMON,
    "tavla": TAVLA,
}
_KIND: Final = "GammonX record"


@dataclass
class _Turn:
    """A roll, and the moves that follow it."""

    line: int
    player: int
    dice: tuple[int, int]
    steps: list[str] = field(default_factory=list)


def is_gammonx(text: str) -> bool:
    """Return whether a text is such a record."""
    return ";[Game Modus '" in text[:4000]


def read_gammonx(text: str, *, strict: bool = False) -> MatMatch:
    """Read the record of one game by replaying it.

    Args:
        text: the text.
        strict: as in `read_mat`.

    Raises:
        NotationError: it is no such record, of another game, or of several games; or as in
            `read_mat`.
    """
    judge = Judge(bool(strict), _KIND)
    tags: dict[str, str] = {}
    turns: list[_Turn] = []
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.fullmatch(line):
            if head[1] == "Game Modus" and "Game Modus" in tags:
                refused = "a match of several games: expected the record of one game"
                raise NotationError(f"{_KIND}, line {number}: {refused}")
            tags[head[1]] = head[2]
        elif line.strip():
            _add(turns, number, line.strip(), judge)
    rules = _rules(tags.get("Game Modus", ""))
    part = Part(1)
    part.cells = [
        Cell(turn.line, 1, turn.player, "roll", turn.dice, " ".join(turn.steps)) for turn in turns
    ]
    players = tuple(tags.get(f"Player {side} {colour} Checkers", "?") for side, colour in _COLOURS)
    if tags.get("Winner") in players and tags.get("Points", "").isdigit():
        winner = players.index(tags["Winner"])
        last = turns[-1].line if turns else 1
        part.cells.append(Cell(last, 1, winner, "wins", value=int(tags["Points"][:6])))
    session = Replay(MatText(0, {}, [part]), replace(rules, target=None), judge).session
    return MatMatch(session, (players[0], players[1]), tags, tuple(judge.mended))


_COLOURS: Final = ((1, "White"), (2, "Black"))


def _rules(name: str) -> Rules:
    """Return the rules of a game by its name.

    Raises:
        NotationError: another game.
    """
    if name.lower() not in _GAMES:
        expected = f"expected one of {', '.join(_GAMES)}"
        why = "; its Fevga starts with the checkers beside the board" * (name.lower() == "fevga")
        raise NotationError(f"{_KIND}, Game Modus {shown(name)}: {expected}{why}")
    return _GAMES[name.lower()]


def _add(turns: list[_Turn], number: int, line: str, judge: Judge) -> None:
    """Add a line to the turns."""
    found = _LINE.fullmatch(line)
    dice = _DICE.fullmatch(found[3]) if found and found[2] == "Roll" else None
    step = _STEP.fullmatch(found[3]) if found and found[2] == "Move" else None
    if found and dice:
        turns.append(_Turn(number, _SIDES[found[1]], (int(dice[1]), int(dice[2]))))
    elif found and step and turns and turns[-1].player == _SIDES[found[1]]:
        player = turns[-1].player
        turns[-1].steps.append(f"{_point(step[1], player)}/{_point(step[2], player)}")
    else:
        expected = "expected a line such as 'White Roll 3 5' or 'White Move 0/3'"
        judge.doubt(number, 1, line, expected, "left out")


def _point(text: str, player: int) -> int:
    """Return a player's number of a point; one that is none is left to the game to refuse."""
    if text in ("bar", "off"):
        return BAR if text == "bar" else OFF
    return 24 - int(text) if player == 0 else int(text) + 1
