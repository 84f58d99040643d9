"""Play notation: a `Play`, writing moves as text a player reads, and reading such text back.

Written as GNU Backgammon's ``hint`` writes: ``24/18 13/11``, ``bar/20*/15``, ``6/off(2)``; a pin is
marked like a hit, ``10/7^``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from heapq import nsmallest
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import (
    BAR,
    OFF,
    BoardLike,
    DiceLike,
    Int8Array,
    most_moves,
    one_pair,
    shown,
)
from tavli_fast.boards.plays import plays as generate_plays
from tavli_fast.errors import IllegalMoveError, NotationError
from tavli_fast.notation.grammar import CANNOT_MOVE, Leg, Move, legs_of, name, written
from tavli_fast.notation.position_id import board_and_rules
from tavli_fast.rules.fields import other_side
from tavli_fast.rules.presets import Rules, RulesLike

__all__ = ["Play", "format_play", "parse_play"]

_MARKS: Final = {"hit": "*", "pin": "^"}

_NEAR: Final = 200
"""How many plays are compared by their text with one that is not legal."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Play:
    """One legal play of a roll: its moves, and the position that they leave.

    A play's identity is its afterstate: two plays are equal if they leave the same position.
    ``str`` is standard notation, with ``*`` for a hit and ``^`` for a pin.
    """

    moves: tuple[Move, ...]
    """(from, to) pairs in the mover's numbers, as legally played; 25 is the bar, 0 is off."""
    board: Int8Array
    """The afterstate, ``int8[2, 26]``, read-only and not flipped."""
    hits: tuple[int, ...] = ()
    """The points, in the mover's numbers, on which the play hits, highest first."""
    pins: tuple[int, ...] = ()
    """The points, in the mover's numbers, on which a checker lands that pins a free one, highest
    first. It may go on in the same turn, and then nothing is pinned there in the end."""

    def __str__(self) -> str:
        """Return the play in standard notation; ``Cannot Move`` if it has no moves."""
        return written(self.moves, dict.fromkeys(self.hits, "*") | dict.fromkeys(self.pins, "^"))

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


def format_play(moves: npt.ArrayLike, board: BoardLike, rules: RulesLike | None = None) -> str:
    """Return moves in standard notation.

    The moves are written in descending order of their source, then of their destination. Moves of
    one checker are joined, and the point between is written only if a checker is hit or pinned
    there; equal moves are counted, as in ``13/11(2)``. ``*`` marks a hit and ``^`` a pin, once for
    each point, where the point is first written: a landing on a lone enemy checker that is free
    when the turn begins, also if the checker moves on. No moves give ``Cannot Move``.

    Args:
        moves: up to four (from, to) pairs in the mover's numbering, in any order; 25 is the bar,
            0 is off, and pairs of -1 are ignored. Up to 24 if doubles cascade.
        board: the position before the moves, integers ``[2, 26]``; or an `XGID`, or the text of an
            ID. It decides where the moves hit or pin.
        rules: the rules of the board; None for those of the XGID or TFID, else Portes.

    Returns:
        The text. The notation is that of GNU Backgammon 1.07's ``hint``; ``^`` is this project's.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: the moves have another shape, or no checker can make them.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.format_play([(8, 5), (6, 5)], tf.start())
        '8/5 6/5'
    """
    position, checked = board_and_rules(board, rules)
    lone = _facing(position, checked)[1]
    pairs = np.asarray(moves)
    if pairs.size == 0:
        return CANNOT_MOVE
    if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"moves={shown(moves)}: expected (from, to) pairs of integers")
    made = [(int(source), int(target)) for source, target in pairs if (source, target) != (-1, -1)]
    most = most_moves(checked)
    if len(made) > most:
        raise ValueError(f"moves has {len(made)} moves: expected at most {most}")
    for source, target in made:
        if not OFF <= target < source <= BAR:
            raise ValueError(f"moves has {(source, target)}: expected 25 >= from > to >= 0")
    return written(made, {point: lone[point] for _, point in made if point in lone})


def parse_play(text: str, board: BoardLike, dice: DiceLike, rules: RulesLike | None = None) -> Play:
    """Return the legal play that a text means.

    Reads what programs and people write: ``24/18 13/11``, ``24-18, 13-11``, ``BAR/20*/15``,
    ``25/20 6/0``, ``6/4(2)``, pairs of points ``8 5 6 5``, and a leading roll ``31: 8/5 6/5``.
    Intermediate points may be left out, as in ``13/5``, and so may the marks of hits and pins. If
    a text can be read in several ways, a reading that leaves out a hit counts only if there is no
    other.

    An empty text, ``Cannot Move``, ``pass``, ``dance`` and ``no move`` mean that there is no legal
    play; the result is then a play without moves.

    Args:
        text: the play as written.
        board: the position before it, integers ``[2, 26]``, the player on roll first; or an
            `XGID`, or the text of an ID.
        dice: the roll, two integers 1 to 6.
        rules: the rules played; None for those of the XGID or TFID, else Portes.

    Returns:
        The `Play` of `legal_plays` with that afterstate. Its moves may be in another order.

    Raises:
        NotationError: the text cannot be read, or can mean several legal plays.
        IllegalMoveError: the text means no legal play; the message names the closest ones.
        BoardError: the board is not a possible position.
        ResultTooLargeError: a cascade of doubles has too many plays to list.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.parse_play("13/5", tf.start(), (6, 2)).moves
        ((13, 7), (7, 5))
    """
    position, checked = board_and_rules(board, rules)
    turn = Turn(position, one_pair(dice), checked)
    index = find_play(text, turn)
    if index is None:
        stays = turn.board.copy()
        stays.setflags(write=False)
        return Play((), stays)
    return turn.play(index)


class Turn:
    """A roll to play on a checked board: its legal plays, each a `Play` only when it is wanted."""

    __slots__ = ("_contacts", "afterstates", "board", "dice", "moves", "rules")

    def __init__(
        self,
        board: Int8Array,
        dice: tuple[int, int],
        rules: Rules,
        found: tuple[Int8Array, Int8Array] | None = None,
    ) -> None:
        """Find the legal plays, unless their moves and afterstates have been found."""
        self.board, self.dice, self.rules = board, dice, rules
        self.moves, self.afterstates = found or generate_plays(board, dice, rules=rules)[:2]
        self.afterstates.setflags(write=False)
        self._contacts: tuple[frozenset[int], Mapping[int, str]] | None = None

    @property
    def closed(self) -> frozenset[int]:
        """Where the mover cannot land."""
        return self._facing()[0]

    @property
    def lone(self) -> Mapping[int, str]:
        """The mark of a landing on each lone enemy checker."""
        return self._facing()[1]

    def _facing(self) -> tuple[frozenset[int], Mapping[int, str]]:
        """Return what `_facing` says of the board; few turns ask."""
        if self._contacts is None:
            self._contacts = _facing(self.board, self.rules)
        return self._contacts

    def __len__(self) -> int:
        """Return the number of distinct plays."""
        return len(self.moves)

    def play(self, index: int) -> Play:
        """Return one of the plays."""
        made = tuple(
            (source, target) for source, target in self.moves[index].tolist() if source > 0
        )
        landings = {target for _, target in made}
        points = tuple(sorted(landings.intersection(self.lone), reverse=True))
        hits, pins = (points, ()) if self.rules.contact == "hit" else ((), points)
        return Play(made, self.afterstates[index], hits, pins)

    def index(self, mine: Any, theirs: Any = None) -> int | None:
        """Return which play leaves these checkers, the mover's alone or both sides', if any."""
        found = (self.afterstates[:, 0] == mine).all(1)
        if theirs is not None:
            found &= (self.afterstates[:, 1] == theirs).all(1)
        return int(found.argmax()) if found.any() else None

    def is_blot(self, point: int) -> bool:
        """Return whether a landing on the mover's `point` hits."""
        return self.lone.get(point) == "*"


def find_play(text: str, turn: Turn) -> int | None:
    """Return which legal play a text means, None for no play; see `parse_play` for the errors."""
    dice = turn.dice
    legs = legs_of(text, dice, most_moves(turn.rules))
    roll = f"{dice[0]}-{dice[1]}"
    if not legs:
        if len(turn):
            closest = _some(nsmallest(3, map(turn.play, range(min(_NEAR, len(turn)))), key=str))
            raise IllegalMoveError(
                f"play {shown(text)}: {roll} can be played, for example {closest}"
            )
        return None
    if not len(turn):
        raise IllegalMoveError(f"play {shown(text)}: there is no legal play of {roll}")
    if turn.rules.contact == "hit":
        meant, possible = _meant_with_hits(legs, turn)
    else:
        meant, possible = _meant_without_hits(legs, turn)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise NotationError(
            f"play {shown(text)} is ambiguous: with {roll} it can mean "
            f"{_some(map(turn.play, meant))}; name the stops to choose"
        )
    why = "is not legal" if possible else "cannot be played"
    raise IllegalMoveError(
        f"play {shown(text)} {why} with {roll}; closest legal plays: {_some(_closest(legs, turn))}"
    )


# Resolving


def _facing(board: Int8Array, rules: Rules) -> tuple[frozenset[int], Mapping[int, str]]:
    """Return where the mover cannot land, and the mark of a landing on each lone enemy checker.

    Both hold for the whole turn: the mover's own moves close no point and open none.
    """
    mine, theirs = board.tolist()
    closed, lone = set(), {}
    for point in range(1, BAR):
        enemies = theirs[other_side(point, rules)]
        if enemies >= rules.block_at or mine[point] < 0:  # his, or he has one of the mover's pinned
            closed.add(point)
        elif enemies == 1:
            lone[point] = _MARKS[rules.contact]
    return frozenset(closed), lone


def _dice_of(turn: Turn) -> tuple[int, ...]:
    """Return the dice to play: doubles are four, and go on to the sixes in a cascade."""
    high, low = turn.dice
    if high != low:
        return turn.dice
    last = 6 if turn.rules.cascade else low
    return tuple(die for die in range(low, last + 1) for _ in range(4))


def _meant_without_hits(legs: Sequence[Leg], turn: Turn) -> tuple[list[int], bool]:
    """Return the play that legs lead to, if any, and whether the dice can make them.

    Without hits the position is told by where the mover's checkers end, whatever their stops.
    """
    if not _can_be_made(legs, _dice_of(turn), turn.closed):
        return [], False
    index = turn.index(_moved(turn.board[0], legs))
    return [] if index is None else [index], True


def _can_be_made(legs: Sequence[Leg], dice: tuple[int, ...], closed: frozenset[int]) -> bool:
    """Return whether the dice can make the legs, one after another, over open points."""

    @cache
    def rest(index: int, here: int, left: tuple[int, ...]) -> bool:
        target = legs[index][1]
        if here == target:
            return index + 1 == len(legs) or rest(index + 1, legs[index + 1][0], left)
        return any(rest(index, stop, others) for stop, others in _stops(here, target, left, closed))

    return rest(0, legs[0][0], dice)


def _meant_with_hits(legs: Sequence[Leg], turn: Turn) -> tuple[list[int], bool]:
    """Return the plays that legs can mean, and whether the dice can make them at all."""
    named = {point for leg in legs for point in leg}
    found: dict[bool, list[int]] = {False: [], True: []}
    readings = list(_readings(legs, _dice_of(turn), turn.closed))
    for moves in readings:
        mine, theirs = _moved(turn.board[0], moves), turn.board[1].copy()
        hits = {target for _, target in moves if turn.is_blot(target)}
        for point in hits:
            theirs[other_side(point, turn.rules)] -= 1
            theirs[BAR] += 1
        index, hides = turn.index(mine, theirs), not hits <= named
        if index is not None and index not in found[hides]:
            found[hides].append(index)
    return found[False] or found[True], bool(readings)


def _readings(
    legs: Sequence[Leg], dice: tuple[int, ...], closed: frozenset[int]
) -> Iterator[tuple[Move, ...]]:
    """Return every way to make the legs, one after another, out of moves of the dice."""
    if not legs:
        yield ()
        return
    for way, left in _ways(*legs[0], dice, closed):
        for others in _readings(legs[1:], left, closed):
            yield (*way, *others)


def _ways(
    source: int, target: int, dice: tuple[int, ...], closed: frozenset[int]
) -> Iterator[tuple[tuple[Move, ...], tuple[int, ...]]]:
    """Return every way from one point to another over open points, each with the dice left."""
    if source == target:
        yield (), dice
        return
    for stop, left in _stops(source, target, dice, closed):
        for way, rest in _ways(stop, target, left, closed):
            yield ((source, stop), *way), rest


def _stops(
    source: int, target: int, dice: tuple[int, ...], closed: frozenset[int]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Return each open point on the way that one die leads to, with the dice left."""
    for index, die in enumerate(dice):
        stop = max(source - die, OFF)
        if die not in dice[:index] and stop >= target and stop not in closed:
            yield stop, dice[:index] + dice[index + 1 :]


def _moved(mine: Int8Array, legs: Iterable[Leg]) -> Int8Array:
    """Return a side's checkers after legs, whether or not they are legal."""
    after = mine.copy()
    for source, target in legs:
        after[source] -= 1
        after[target] += 1
    return after


def _closest(legs: Sequence[Leg], turn: Turn) -> list[Play]:
    """Return the three legal plays that share most with what was written."""
    # Of very many plays only those are looked at that end nearly as the text does.
    differences = abs(turn.afterstates[:, 0] - _moved(turn.board[0], legs)).sum(1)
    nearest = np.argsort(differences, kind="stable")[:_NEAR].tolist()
    legs_written = Counter(legs)
    text = " ".join(f"{name(source)}/{name(target)}" for source, target in legs)

    def distance(play: Play) -> tuple[int, float]:
        shared = (Counter(play.moves) & legs_written).total()
        return -shared, -SequenceMatcher(None, text, str(play)).ratio()

    return nsmallest(3, map(turn.play, nearest), key=distance)


def _some(plays: Iterable[Play]) -> str:
    """Return plays as a list for a message."""
    return ", ".join(f"'{play}'" for play in plays)
