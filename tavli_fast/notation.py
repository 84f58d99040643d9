"""Play notation: a `Play`, writing moves as text a player reads, and reading such text back.

Written as GNU Backgammon's ``hint`` writes: ``24/18 13/11``, ``bar/20*/15``, ``6/off(2)``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nsmallest
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ._arguments import BAR, OFF, Int8Array, one_board, one_pair
from .errors import IllegalMoveError, NotationError
from .generation import plays as generate_plays
from .rules import Rules, resolve_rules

__all__ = ["Play", "format_play", "parse_play"]

CANNOT_MOVE: Final = "Cannot Move"
"""How a turn without a legal play is written, here as in match files."""

MAX_MOVES: Final = 4

Move = tuple[int, int]
Leg = tuple[int, int]
"""What stands between two written points: one move, or more with the stops left out."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Play:
    """One legal play of a roll: its moves, and the position that they leave.

    A play's identity is its afterstate: two plays are equal if they leave the same position.
    ``str`` is standard notation, with ``*`` for a hit.
    """

    moves: tuple[Move, ...]
    """(from, to) pairs in the mover's numbers, as legally played; 25 is the bar, 0 is off."""
    board: Int8Array
    """The afterstate, ``int8[2, 26]``, read-only and not flipped."""
    hits: tuple[int, ...]
    """The points, in the mover's numbers, on which the play hits, highest first."""

    def __str__(self) -> str:
        """Return the play in standard notation; ``Cannot Move`` if it has no moves."""
        return _text(self.moves, self.hits)

    def __repr__(self) -> str:
        """Return the notation in angle brackets."""
        return f"<Play {self}>"

    def __eq__(self, other: object) -> bool:
        """Return whether the other is a play that leaves the same position."""
        if not isinstance(other, Play):
            return NotImplemented
        return self.board.tobytes() == other.board.tobytes()

    def __hash__(self) -> int:
        """Return a hash of the afterstate."""
        return hash(self.board.tobytes())


def format_play(moves: Any, board: Any, rules: Rules | str = "portes") -> str:
    """Return moves in standard notation.

    The moves stand by falling source, then falling destination. Moves that follow on from one
    another are joined, and the stop between them is named only if it hits; equal ones are
    counted, ``13/11(2)``. ``*`` marks a hit, once, where its point is first named. No moves at
    all are ``Cannot Move``.

    Args:
        moves: up to four (from, to) pairs in the mover's numbers, in any order: 25 is the bar,
            0 is off, and pairs of ``-1`` are padding.
        board: the position before them, ``int8[2, 26]``; it tells where the moves hit.
        rules: the rules of the board.

    Raises:
        ValueError: moves of another shape, or that no checker can make.
        BoardError: a board that cannot be.

    Source: GNU Backgammon 1.07, as observed on the output of ``hint``.
    """
    theirs = one_board(board, resolve_rules(rules))[1].tolist()
    pairs = np.asarray(moves)
    if pairs.size == 0:
        return CANNOT_MOVE
    if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"moves={moves!r}: expected (from, to) pairs of integers")
    made = [(int(source), int(target)) for source, target in pairs if (source, target) != (-1, -1)]
    if len(made) > MAX_MOVES:
        raise ValueError(f"moves has {len(made)} moves: expected at most {MAX_MOVES}")
    for source, target in made:
        if not OFF <= target < source <= BAR:
            raise ValueError(f"moves has {(source, target)}: expected 25 >= from > to >= 0")
    return _text(made, [target for _, target in made if _is_blot(theirs, target)])


def parse_play(text: str, board: Any, dice: Any, rules: Rules | str = "portes") -> Play:
    """Return the legal play that a text means.

    Reads what programs and people write: ``24/18 13/11``, ``24-18, 13-11``, ``BAR/20*/15``,
    ``25/20 6/0``, ``6/4(2)``, pairs of points ``8 5 6 5``, and a leading roll ``31: 8/5 6/5``.
    Stops may be left out, ``13/5``; marks for hits and pins may stand or be missing. A text may
    be read in more than one way, by the stops left out: a reading that leaves out a hit counts
    only if there is no other.

    An empty text, ``Cannot Move``, ``pass``, ``dance`` and ``no move`` mean that there is no
    legal play, and give a play without moves.

    Args:
        text: the play as written.
        board: the position before it, ``int8[2, 26]``, the player on roll first.
        dice: the roll, two integers 1 to 6.
        rules: the rules played.

    Returns:
        The play of `legal_plays` with that afterstate. Its moves may be in another order.

    Raises:
        NotationError: a text that cannot be read, or that can mean several legal plays.
        IllegalMoveError: a text that means no legal play; the message names the closest ones.
        BoardError: a board that cannot be.
        ValueError: dice or a board of another kind.
    """
    checked = resolve_rules(rules)
    position = one_board(board, checked)
    pair = one_pair(dice)
    return find_play(text, position, pair, plays_of(position, pair, checked))


def plays_of(board: Int8Array, dice: tuple[int, int], rules: Rules) -> tuple[Play, ...]:
    """Return the legal plays of a checked board and roll."""
    moves, afterstates, _ = generate_plays(board, dice, rules=rules)
    afterstates.setflags(write=False)
    # Between two positions an enemy's point changes only by a hit.
    hit = board[1, 1:BAR] != afterstates[:, 1, 1:BAR]
    return tuple(
        Play(
            tuple((source, target) for source, target in made if source >= 0),
            afterstate,
            tuple(BAR - 1 - int(index) for index in np.flatnonzero(points)),
        )
        for made, afterstate, points in zip(moves.tolist(), afterstates, hit, strict=True)
    )


def find_play(text: str, board: Int8Array, dice: tuple[int, int], plays: Collection[Play]) -> Play:
    """Return the one of the legal `plays` that a text means; see `parse_play` for the errors."""
    legs = _read(text, dice)
    roll = f"{dice[0]}-{dice[1]}"
    if not legs:
        if plays:
            closest = _some(nsmallest(3, plays, key=str))
            raise IllegalMoveError(f"play {text!r}: {roll} can be played, for example {closest}")
        stays = board.copy()
        stays.setflags(write=False)
        return Play((), stays, ())
    if not plays:
        raise IllegalMoveError(f"play {text!r}: there is no legal play of {roll}")

    legal = {play.board.tobytes(): play for play in plays}
    named = {point for leg in legs for point in leg}
    theirs = board[1].tolist()
    found: dict[bool, list[Play]] = {False: [], True: []}
    readings = list(_readings(legs, _moves_in(dice), theirs))
    for moves in readings:
        play = legal.get(_after(board, moves))
        hides = any(_is_blot(theirs, target) and target not in named for _, target in moves)
        if play is not None and play not in found[hides]:
            found[hides].append(play)
    meant = found[False] or found[True]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise NotationError(
            f"play {text!r} is ambiguous: with {roll} it can mean {_some(meant)};"
            " name the stops to choose"
        )
    why = "is not legal" if readings else "cannot be played"
    raise IllegalMoveError(
        f"play {text!r} {why} with {roll}; closest legal plays: {_some(_closest(legs, plays))}"
    )


# Writing


def _text(moves: Iterable[Move], hits: Collection[int]) -> str:
    """Return moves in standard notation, given the points on which they hit."""
    left = sorted(moves, reverse=True)
    chains: list[tuple[int, ...]] = []
    while left:
        chain = list(left.pop(0))
        # Sorted by falling source, so what follows on from a move always stands after it.
        while follows := next((move for move in left if move[0] == chain[-1]), None):
            left.remove(follows)
            if chain[-1] not in hits:
                chain.pop()
            chain.append(follows[1])
        chains.append(tuple(chain))
    unmarked = set(hits)
    words = []
    for stops, count in Counter(chains).items():
        points = []
        for index, point in enumerate(stops):
            marked = index > 0 and point in unmarked
            unmarked -= {point} if marked else set()
            points.append(_name(point) + "*" * marked)
        words.append("/".join(points) + (f"({count})" if count > 1 else ""))
    return " ".join(words) or CANNOT_MOVE


def _name(point: int) -> str:
    """Return a point as it is written."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


def _some(plays: Iterable[Play]) -> str:
    """Return plays as a list for a message."""
    return ", ".join(f"'{play}'" for play in plays)


# Reading

_NO_PLAY: Final = frozenset({"", "cannot move", "pass", "dance", "no move"})
_ROLL: Final = re.compile(r"\s*([0-9])[-/, ]?([0-9])\s*:")
_POINT: Final = r"(?:bar|off|[0-9]+)"
_CHAIN: Final = re.compile(rf"({_POINT}(?:/{_POINT})+)(?:\(([0-9])\))?")
_POINTS: Final = re.compile(rf"{_POINT}(?: {_POINT})*")


def _read(text: str, dice: tuple[int, int]) -> list[Leg]:
    """Return the legs that a text names, in its order; none if it says that there is no play.

    Raises:
        NotationError: not a text, or none that can be read.
    """
    if not isinstance(text, str):
        raise NotationError(f"play {text!r}: expected a str such as '24/18 13/11'")
    rest = text
    if roll := _ROLL.match(text):
        if sorted(map(int, roll.groups())) != sorted(dice):
            raise NotationError(f"play {text!r} names another roll: expected {dice[0]}{dice[1]}:")
        rest = text[roll.end() :]
    rest = re.sub(r"[*^]", "", rest.lower()).replace(",", " ")
    rest = re.sub(r"\s*[-/]\s*", "/", rest)
    rest = re.sub(r"\s+\(", "(", rest)
    rest = " ".join(rest.split())
    if rest in _NO_PLAY:
        return []
    legs = list(_read_pairs(text, rest) if _POINTS.fullmatch(rest) else _read_chains(text, rest))
    if len(legs) > MAX_MOVES:
        raise NotationError(f"play {text!r} has {len(legs)} moves: expected at most {MAX_MOVES}")
    return legs


def _read_pairs(text: str, rest: str) -> Iterator[Leg]:
    """Read points that alternate between from and to: ``8 5 6 5``."""
    points = rest.split(" ")
    if len(points) % 2:
        raise NotationError(f"play {text!r}: expected moves such as 8/5, or pairs of points")
    for source, target in zip(points[::2], points[1::2], strict=True):
        yield _leg(text, source, target)


def _read_chains(text: str, rest: str) -> Iterator[Leg]:
    """Read chains of points with their counts: ``24/18/13 6/4(2)``."""
    for word in rest.split(" "):
        chain = _CHAIN.fullmatch(word)
        if chain is None:
            raise NotationError(
                f"play {text!r}: {word!r} is no move; expected points 1 to 24, bar or off with /"
                " between them, such as 24/18, bar/20 or 6/off(2)"
            )
        count = int(chain[2] or 1)
        if not 1 <= count <= MAX_MOVES:
            raise NotationError(f"play {text!r}: {word!r} has a count of {count}: expected 1 to 4")
        legs = [_leg(text, source, target) for source, target in pairwise(chain[1].split("/"))]
        for _ in range(count):
            yield from legs


def _leg(text: str, source: str, target: str) -> Leg:
    """Return one leg, refused if no checker can ever go that way."""
    here, there = (_point(text, word) for word in (source, target))
    if here == OFF:
        why = "a checker that is off does not move"
    elif there == BAR:
        why = "no checker moves to the bar"
    elif there >= here:
        why = "checkers move to lower points"
    else:
        return here, there
    raise NotationError(f"play {text!r}: {source}/{target} cannot be: {why}")


def _point(text: str, word: str) -> int:
    """Return the number of a point as written."""
    if word in ("bar", "off"):
        return BAR if word == "bar" else OFF
    if len(word) > 2 or int(word) > BAR:
        raise NotationError(f"play {text!r}: no point {word}: expected 1 to 24, bar or off")
    return int(word)


# Resolving


def _moves_in(dice: tuple[int, int]) -> tuple[int, ...]:
    """Return the dice to play: doubles are four."""
    return dice * 2 if dice[0] == dice[1] else dice


def _readings(
    legs: Sequence[Leg], dice: tuple[int, ...], theirs: Sequence[int]
) -> Iterator[tuple[Move, ...]]:
    """Return every way to make the legs, one after another, out of moves of the dice."""
    if not legs:
        yield ()
        return
    for way, left in _ways(*legs[0], dice, theirs):
        for others in _readings(legs[1:], left, theirs):
            yield (*way, *others)


def _ways(
    source: int, target: int, dice: tuple[int, ...], theirs: Sequence[int]
) -> Iterator[tuple[tuple[Move, ...], tuple[int, ...]]]:
    """Return every way from one point to another over open points, each with the dice left."""
    for index, die in enumerate(dice):
        stop = max(source - die, OFF)
        if die in dice[:index] or stop < target or (stop and theirs[BAR - stop] > 1):
            continue
        left = dice[:index] + dice[index + 1 :]
        if stop == target:
            yield ((source, stop),), left
            continue
        for way, rest in _ways(stop, target, left, theirs):
            yield ((source, stop), *way), rest


def _is_blot(theirs: Sequence[int], point: int) -> bool:
    """Return whether a lone enemy checker stands on the mover's `point`."""
    return point != OFF and theirs[BAR - point] == 1


def _after(board: Int8Array, moves: Iterable[Move]) -> bytes:
    """Return the bytes of the position after moves, whether or not they are legal."""
    after = board.copy()
    mine, theirs = after
    for source, target in moves:
        mine[source] -= 1
        mine[target] += 1
        if target != OFF and theirs[BAR - target]:
            theirs[BAR - target] -= 1
            theirs[BAR] += 1
    return after.tobytes()


def _closest(legs: Sequence[Leg], plays: Iterable[Play]) -> list[Play]:
    """Return the three legal plays that share most with what was written."""
    written = Counter(legs)
    text = " ".join(f"{_name(source)}/{_name(target)}" for source, target in legs)

    def distance(play: Play) -> tuple[int, float]:
        shared = (Counter(play.moves) & written).total()
        return -shared, -SequenceMatcher(None, text, str(play)).ratio()

    return nsmallest(3, plays, key=distance)
