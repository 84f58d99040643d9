"""Bear-offs without contact, with a cube, solved over the dice: slow, obvious, of the tests' own.

A side is a tuple of six counts, on its points 1 to 6. Worths are those of player 0 throughout, who
wants much, where player 1 wants little. Nothing here is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

Side = tuple[int, ...]
ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))


def after_die(side: Side, die: int) -> set[Side]:
    """Return the sides after one die, which can always be played."""
    results = set()
    for point in range(1, 7):
        if not side[point - 1]:
            continue
        left = list(side)
        left[point - 1] -= 1
        if point > die:
            left[point - die - 1] += 1
        elif point < die and any(side[point:]):  # a farther checker must use the die
            continue
        results.add(tuple(left))
    return results


@lru_cache(None)
def after_roll(side: Side, first: int, second: int) -> frozenset[Side]:
    """Return the sides after a roll."""
    dice = (first,) * 4 if first == second else (first, second)
    results: set[Side] = set()
    for order in {dice, dice[::-1]}:
        sides = {side}
        for die in order:
            sides = {later for one in sides for later in (after_die(one, die) or {one})}
        results |= sides
    return frozenset(results)


@dataclass(frozen=True)
class Table:
    """The rules of the table. `settle(points)` is the worth of what player 0 gains."""

    settle: Callable[[int], Any]
    needs: tuple[int, int] | None = None
    """In a match, the points that the players need: with a cube that suffices nobody doubles."""
    doubling: bool = True
    cap: int = 2**30
    jacoby: bool = False
    beavers: bool = False
    refusable: bool = False
    checkers: tuple[int, int] = (15, 15)

    def may_double(self, who: int, cube: int, owner: int | None) -> bool:
        """Return whether a player may double."""
        if not self.doubling or owner == 1 - who or cube * 2 > self.cap:
            return False
        return self.needs is None or cube < self.needs[who]

    def rolled(self, who: int, sides: tuple[Side, Side], cube: int, owner: int | None) -> Any:
        """Return the worth if `who` rolls now."""
        return self._rolled(who, sides, cube, owner)

    def turn(self, who: int, sides: tuple[Side, Side], cube: int, owner: int | None) -> Any:
        """Return the worth at the beginning of a turn of `who`, who may double first."""
        best, worst = (max, min) if who == 0 else (min, max)
        value = self.rolled(who, sides, cube, owner)
        if self.may_double(who, cube, owner):
            reply = worst(self.taken(who, sides, cube), self.won(who, cube))
            value = best(value, reply)
        return value

    def taken(self, who: int, sides: tuple[Side, Side], cube: int) -> Any:
        """Return the worth of a double from `cube` by `who` that is not passed."""
        best, worst = (max, min) if who == 0 else (min, max)
        value = self.rolled(who, sides, 2 * cube, 1 - who)
        if self.beavers and self.may_double(1 - who, 2 * cube, 1 - who):
            beavered = self.rolled(who, sides, 4 * cube, 1 - who)
            if self.refusable:
                beavered = best(beavered, self.won(1 - who, 2 * cube))
            value = worst(value, beavered)
        return value

    def won(self, who: int, cube: int, size: int = 1) -> Any:
        """Return the worth of a game that `who` wins."""
        return self.settle(size * cube if who == 0 else -size * cube)

    def _rolled(self, who: int, sides: tuple[Side, Side], cube: int, owner: int | None) -> Any:
        key = who, sides, cube, owner
        if key not in _memory(self):
            best = max if who == 0 else min
            total = 0
            for dice in ROLLS:
                values = []
                for side in after_roll(sides[who], *dice):
                    if any(side):
                        later = (side, sides[1]) if who == 0 else (sides[0], side)
                        values.append(self.turn(1 - who, later, cube, owner))
                    else:
                        gammon = sum(sides[1 - who]) == self.checkers[1 - who]
                        single = not gammon or (self.jacoby and owner is None)
                        values.append(self.won(who, cube, 1 if single else 2))
                total += best(values) * (1 if dice[0] == dice[1] else 2)
            _memory(self)[key] = total / 36
        return _memory(self)[key]


@lru_cache(None)
def _memory(table: Table) -> dict[Any, Any]:
    """Return where a table keeps what it has found."""
    return {}


def board_of(sides: tuple[Side, Side]) -> np.ndarray:
    """Return the board, player 0 on roll."""
    board = np.zeros((2, 26), np.int8)
    for plane, side in zip(board, sides, strict=True):
        plane[1:7] = side
        plane[0] = 15 - sum(side)
    return board
