"""The grammar of play text: moves written as a player reads them, text taken apart into legs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from tavli_fast._common.arguments import BAR, OFF, shown
from tavli_fast.errors import NotationError

CANNOT_MOVE: Final = "Cannot Move"
"""How a turn without a legal play is written, here as in match files."""

Move = tuple[int, int]
Leg = tuple[int, int]
"""What stands between two written points: one move, or more with the stops left out."""


def written(moves: Iterable[Move], marks: Mapping[int, str]) -> str:
    """Return moves in standard notation, given the marks of the points that they hit or pin."""
    left = sorted(moves, reverse=True)
    chains: list[tuple[int, ...]] = []
    while left:
        chain = list(left.pop(0))
        # Sorted by falling source, so what follows on from a move always stands after it.
        while follows := next((move for move in left if move[0] == chain[-1]), None):
            left.remove(follows)
            if chain[-1] not in marks:
                chain.pop()
            chain.append(follows[1])
        chains.append(tuple(chain))
    unmarked = dict(marks)
    words = []
    for stops, count in Counter(chains).items():
        first, *others = stops
        points = [name(first), *(name(point) + unmarked.pop(point, "") for point in others)]
        words.append("/".join(points) + (f"({count})" if count > 1 else ""))
    return " ".join(words) or CANNOT_MOVE


def name(point: int) -> str:
    """Return a point as it is written."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


_NO_PLAY: Final = frozenset({"", "cannot move", "pass", "dance", "no move"})
_ROLL: Final = re.compile(r"\s*([0-9])[-/, ]?([0-9])\s*:")
_POINT: Final = r"(?:bar|off|[0-9]+)"
_CHAIN: Final = re.compile(rf"({_POINT}(?:/{_POINT})+)(?:\(([0-9]{{1,2}})\))?")
_POINTS: Final = re.compile(rf"{_POINT}(?: {_POINT})*")


def legs_of(text: str, dice: tuple[int, int], most: int) -> list[Leg]:
    """Return the legs that a text names, in its order; none if it says that there is no play.

    Raises:
        NotationError: not a text, one that cannot be read, or one of more than `most` moves.
    """
    if not isinstance(text, str):
        raise NotationError(f"play {shown(text)}: expected a str such as '24/18 13/11'")
    rest = text
    if roll := _ROLL.match(text):
        if sorted(map(int, roll.groups())) != sorted(dice):
            raise NotationError(
                f"play {shown(text)} names another roll: expected {dice[0]}{dice[1]}:"
            )
        rest = text[roll.end() :]
    rest = re.sub(r"[*^]", "", rest.lower()).replace(",", " ")
    rest = re.sub(r"\s*[-/]\s*", "/", rest)
    rest = re.sub(r"\s+\(", "(", rest)
    rest = " ".join(rest.split())
    if rest in _NO_PLAY:
        return []
    pairs = _POINTS.fullmatch(rest)
    legs = list(_in_pairs(text, rest) if pairs else _in_chains(text, rest, most))
    if len(legs) > most:
        raise NotationError(f"play {shown(text)} has {len(legs)} moves: expected at most {most}")
    return legs


def _in_pairs(text: str, rest: str) -> Iterator[Leg]:
    """Read points that alternate between from and to: ``8 5 6 5``."""
    points = rest.split(" ")
    if len(points) % 2:
        raise NotationError(f"play {shown(text)}: expected moves such as 8/5, or pairs of points")
    for source, target in zip(points[::2], points[1::2], strict=True):
        yield _leg(text, source, target)


def _in_chains(text: str, rest: str, most: int) -> Iterator[Leg]:
    """Read chains of points with their counts: ``24/18/13 6/4(2)``."""
    for word in rest.split(" "):
        chain = _CHAIN.fullmatch(word)
        if chain is None:
            raise NotationError(
                f"play {shown(text)}: {shown(word)} is no move; expected points 1 to 24, bar or "
                "off with / between them, such as 24/18, bar/20 or 6/off(2)"
            )
        count = int(chain[2] or 1)
        if not 1 <= count <= most:
            expected = f"expected 1 to {most}"
            raise NotationError(
                f"play {shown(text)}: {shown(word)} has a count of {count}: {expected}"
            )
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
    raise NotationError(f"play {shown(text)}: {source}/{target} cannot be: {why}")


def _point(text: str, word: str) -> int:
    """Return the number of a point as written."""
    if word in ("bar", "off"):
        return BAR if word == "bar" else OFF
    if len(word) > 2 or int(word) > BAR:
        raise NotationError(
            f"play {shown(text)}: no point {shown(word)[1:-1]}: expected 1 to 24, bar or off"
        )
    return int(word)
