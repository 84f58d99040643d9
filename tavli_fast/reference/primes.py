"""Primes that a side may not hold: its own start, the opponent's, one with no enemy past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tavli_fast.reference.position import OFF, Position, other_number
from tavli_fast.rules.presets import Rules

OWN_START: Final = range(19, 25)
OPPONENTS_START: Final = range(7, 13)


def why_not_land(after: Position, target: int, rules: Rules) -> str:
    """Return why the move that has led to `after` may not land on `target`; empty if it may."""
    # F6: the bans are tested after each die, or, in another reading, at the end of the turn.
    if rules.prime_check == "submove":
        return _why_barred(after, {target}, rules)
    return ""


def why_not_end(start: Position, end: Position, rules: Rules) -> str:
    """Return why a turn that began in `start` may not end in `end`; empty if it may."""
    if rules.prime_check == "turn_end":
        gained = {point for point in range(1, 25) if end.mine[point] > start.mine[point]}
        return _why_barred(end, gained, rules)
    return ""


def _why_barred(position: Position, gained: set[int], rules: Rules) -> str:
    """Return why the mover may not have brought checkers to the points `gained`.

    Section 9: only moves that add to the points in question are forbidden, so that a position that
    has arisen in another way does not freeze.
    """
    # F4: the six points of the player's own start quadrant may not all be held.
    most = 5 if rules.own_start_prime == "forbidden" else 6
    if gained.intersection(OWN_START) and _points_held(position, OWN_START) > most:
        return "the six points of the own start quadrant may not all be held"

    # F5: nor, in another reading, those of the opponent's. Section 4.6: or only some of them.
    most = 5 if rules.opp_start_prime == "forbidden" else 6
    most = min(most, rules.opp_start_max)
    if gained.intersection(OPPONENTS_START) and _points_held(position, OPPONENTS_START) > most:
        return f"no more than {most} points of the opponent's start quadrant may be held"

    # Section 4.7: a prime needs an enemy checker past it (one borne off is past it, too).
    if rules.trap == "need_ahead":
        gained = {other_number(point, rules) for point in gained}
        for prime in primes(position, rules):
            if gained.intersection(prime) and not any(position.theirs[OFF : prime.start]):
                return "a prime needs an enemy checker past it"
    return ""


def _points_held(position: Position, points: range) -> int:
    """Return how many of the points the mover holds."""
    return sum(position.mine[point] > 0 for point in points)


def primes(position: Position, rules: Rules) -> Iterator[range]:
    """Yield the mover's primes, as ranges of the opponent's numbers.

    F10: a prime is counted along the opponent's path, on which the opponent's own numbers go down
    by one. So the mover's 3 2 1 24 23 22 is a prime, and 15 14 13 12 11 10 is not.
    """
    held = {other_number(point, rules) for point in range(1, 25) if position.mine[point] > 0}
    for lowest in range(1, 25):
        prime = range(lowest, lowest + rules.prime_len)
        if held.issuperset(prime):
            yield prime
