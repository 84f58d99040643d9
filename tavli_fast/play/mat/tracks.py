"""The turns of a match text found and checked together: many times faster than one by one.

The plays of hitting games are followed in plain Python, then all of them are looked up in one list
of the legal plays of all positions. What is unclear or not legal is left to `Game`, which says why.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import BAR, Int8Array
from tavli_fast.boards.plays import plays
from tavli_fast.boards.positions import start
from tavli_fast.play.mat.grammar import Part, Roll
from tavli_fast.play.records import Moves
from tavli_fast.rules.presets import Rules

Step = tuple[int, int]

_POINTS: Final = {
    **{str(point): point for point in range(BAR + 1)},
    **dict.fromkeys(("bar", "Bar", "BAR"), BAR),
    **dict.fromkeys(("off", "Off", "OFF"), 0),
}
_DANCED: Final = frozenset({"", "Cannot Move"})
_THEIRS: Final = 26
"""Where the opponent's plane begins in the bytes of a board."""
_WORDS: Final = 13
"""The 32-bit words of a board."""


class Track(NamedTuple):
    """A turn that is legal."""

    board: Int8Array
    """The position before it, the roller first."""
    moves: Moves
    """Its moves; none for a dance."""
    after: Int8Array
    """The position after it, not flipped."""
    points: int | None
    """What it wins, if the game is over."""


def tracks_of(parts: list[Part], rules: Rules) -> dict[tuple[int, int], Track]:
    """Return the turns of all games that are legal as they stand, by game and cell.

    Only those that follow from the start of a game without a gap are found, and none in games
    without hits.
    """
    if rules.contact != "hit":
        return {}
    keys: list[tuple[int, int]] = []
    boards: list[bytes] = []
    afters: list[bytes] = []
    rolls: list[Roll] = []
    begin = start(rules).tobytes()
    for game, part in enumerate(parts):
        board, mover = bytearray(begin), -1
        for place, cell in enumerate(part.cells):
            if cell.kind != "roll":
                continue
            if cell.player == mover:  # twice in a row
                break
            before = bytes(board)
            steps = () if cell.text in _DANCED else _steps(cell.text, cell.dice, board)
            if steps is None or not _step(board, steps):
                break
            keys.append((game, place))
            boards.append(before)
            afters.append(bytes(board))
            rolls.append(cell.dice)
            mover = cell.player
            board = board[_THEIRS:] + board[:_THEIRS]
            if board[_THEIRS] == rules.checkers:
                break
    return _checked(keys, _array(boards), _array(afters), rolls, rules)


def _array(boards: list[bytes]) -> Int8Array:
    """Return the boards of so many bytes."""
    return np.frombuffer(b"".join(boards), np.int8).reshape(-1, 2, 26)


def _checked(
    keys: list[tuple[int, int]],
    boards: Int8Array,
    afters: Int8Array,
    rolls: list[Roll],
    rules: Rules,
) -> dict[tuple[int, int], Track]:
    """Return those turns that are legal, up to the first of each game that is not."""
    if not keys or _core.batch.first_bad_board(boards, rules) is not None:
        return {}
    listed = plays(boards, np.array(rolls, np.int8), rules)
    counts = np.diff(listed.offsets)
    words = listed.boards.reshape(-1, 2 * BAR + 2).view(np.int32)
    reached = afters.reshape(-1, 2 * BAR + 2).view(np.int32)
    equal = (words == np.repeat(reached, counts, axis=0)).all(axis=1)
    hits = np.flatnonzero(equal)
    row_of = np.repeat(np.arange(len(keys)), counts)[hits]
    found = np.full(len(keys), -1)
    found[row_of] = hits
    dances = (counts == 0) & (boards == afters).all(axis=(1, 2))
    good = ((found >= 0) | dances).tolist()
    moves = listed.moves[np.maximum(found, 0)].tolist() if len(listed.moves) else []
    over, points = (each.tolist() for each in _core.batch.outcomes(afters.copy(), rules))
    tracks: dict[tuple[int, int], Track] = {}
    failed: set[int] = set()
    for row, key in enumerate(keys):
        if not good[row] or key[0] in failed:
            failed.add(key[0])
            continue
        made = () if found[row] < 0 else tuple((a, b) for a, b in moves[row] if a >= 0)
        result = points[row] if over[row] else None
        tracks[key] = Track(boards[row], made, afters[row], result)
    return tracks


def _steps(text: str, dice: Roll, board: bytearray) -> list[Step] | None:
    """Return the moves of a play as written, one for each die; None if that takes more thought."""
    legs: list[Step] = []
    for word in text.split():
        count = 1
        if word[-1] == ")":
            word, _, number = word[:-1].partition("(")
            if number not in ("2", "3", "4"):
                return None
            count = int(number)
        try:
            points = [_POINTS[point] for point in word.replace("*", "").split("/")]
        except KeyError:
            return None
        legs += [*pairwise(points)] * count
    if dice[0] == dice[1]:
        return _doubles(legs, dice[0])
    if len(legs) == 1:
        return _mixed(*legs[0], dice, board)
    return legs if len(legs) == 2 else None


def _doubles(legs: list[Step], die: int) -> list[Step] | None:
    """Return legs cut into moves of one die."""
    steps = []
    for here, target in legs:
        while here > target:
            stop = max(here - die, 0)
            if stop < target:
                return None
            steps.append((here, stop))
            here = stop
    return steps


def _mixed(here: int, target: int, dice: Roll, board: bytearray) -> list[Step] | None:
    """Return the one leg of two dice as one move, or as two if it is clear over which point."""
    if here - target in dice or (target == 0 and here <= max(dice)):
        return [(here, target)]
    ways = []
    for first, second in (dice, dice[::-1]):
        stop = here - first
        lands = stop - second == target or (target == 0 and stop <= second)
        enemies = board[_THEIRS + BAR - stop] if 0 < stop < BAR else 2
        if lands and enemies < 2:
            ways.append((stop, enemies))
    if not ways or ({enemies for _, enemies in ways} != {0} and len(ways) > 1):
        return None
    return [(here, ways[0][0]), (ways[0][0], target)]


def _step(board: bytearray, steps: list[Step] | tuple[()]) -> bool:
    """Move the mover's checkers, and send those that are hit to the bar; tell whether it can be."""
    for here, target in steps:
        if not board[here] or not here > target:
            return False
        board[here] -= 1
        board[target] += 1
        if target:
            enemies = board[_THEIRS + BAR - target]
            if enemies > 1:
                return False
            if enemies:
                board[_THEIRS + BAR - target] = 0
                board[_THEIRS + BAR] += 1
    return True
