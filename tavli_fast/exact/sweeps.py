"""Policy iteration over all positions of a game of few checkers, in threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, NamedTuple, Self

from tavli_fast import _core
from tavli_fast._common.arguments import FloatArray
from tavli_fast._core.positions import Positions
from tavli_fast.exact.extrapolation import OutcomeMixing, ValueMixing

__all__ = ["Place", "Solver"]

_PARTS: Final = 4
"""Parts of a step for each thread."""

_CLOSER: Final = 0.1
"""Values are followed until they change by so much less than when plays were chosen, or less: as in
Newton's method, the next change will be of the order of the square of this one."""

_CLOSED: Final = range(25)
"""No closed point, or one of 24."""


class Place(NamedTuple):
    """The cube in one place: what it is called, the values, and those of the cube's next places."""

    name: str
    values: _core.solve.Values
    then: _core.solve.Values
    """For the opponent, whose turn is next."""
    doubled: _core.solve.Values | None = None
    """For the player on roll once the opponent has taken his double; None if he may not double."""


class Solver:
    """Sweeps until nothing changes any more."""

    def __init__(
        self,
        positions: Positions,
        threads: int,
        cash: float,
        tolerance: float,
        progress: Callable[[str, float], object] | None,
    ) -> None:
        """Take what all sweeps share; `cash` are the points of a double that is passed."""
        self.positions, self.cash = positions, cash
        self.tolerance, self.progress = tolerance, progress
        self.sweeps = _core.solve.Sweeps(positions)
        self.parts = _PARTS * threads if threads > 1 else 1
        self.pool = ThreadPoolExecutor(threads, "tavli_fast")

    def __enter__(self) -> Self:
        """Begin."""
        if self.sweeps.listed:
            list(self.pool.map(self.sweeps.list_plays, _CLOSED))
        return self

    def __exit__(self, *error: object) -> None:
        """End the threads."""
        self.pool.shutdown()

    def solve(self, places: list[Place]) -> float:
        """Solve for places of the cube that lead to each other; return the last change."""
        change, first = 1.0, True
        while change > self.tolerance:
            change = self._sweep(places, True, first)
            first = False
            left = change
            # For given plays and without doubles values follow from each other linearly.
            alone = places[0].values if places[0].doubled is None and len(places) == 1 else None
            mixing = None if alone is None else ValueMixing(self.positions, alone.rolled)
            while left > max(self.tolerance / 2, change * min(_CLOSER, change / 3)):
                left = self._sweep(places, False, False)
                if alone is not None and mixing is not None:
                    alone.end_sweep(mixing.mix())
        return change

    def find_outcomes(self, values: _core.solve.Values) -> FloatArray:
        """Return the chances by the plays that were chosen for these values, float64[size, 8]."""
        sweeps = _core.solve_outcomes.OutcomeSweeps(self.positions, values.plays)
        mixing, left = None, 1.0
        while left > self.tolerance:
            left = 0.0
            first = mixing is None
            for pips in range(self.positions.most_pips + 1):
                for second in (False, True):
                    part = partial(self._outcome_part, sweeps, pips, second, first)
                    left = max(left, *self.pool.map(part, range(self.parts)))
                    if not second:
                        sweeps.commit(pips, first)
            if mixing is None:
                mixing = OutcomeMixing(self.positions, sweeps.parts)
            elif left > self.tolerance:
                mixing.mix()
            self._say("outcomes", left)
        return sweeps.parts

    def _outcome_part(
        self,
        sweeps: _core.solve_outcomes.OutcomeSweeps,
        pips: int,
        second: bool,
        all_of: bool,
        part: int,
    ) -> float:
        return sweeps.sweep(pips, second, part, self.parts, all_of)

    def _sweep(self, places: list[Place], improve: bool, all_of: bool) -> float:
        """Sweep all positions once; return the largest change of a value."""
        changes = [0.0] * len(places)
        for pips in range(self.positions.most_pips + 1):
            for second in (False, True):
                for at, place in enumerate(places):
                    part = partial(self._part, place, pips, second, improve, all_of)
                    changes[at] = max(changes[at], *self.pool.map(part, range(self.parts)))
                    if not second:
                        self.sweeps.commit(place.values, place.doubled, self.cash, pips, all_of)
        for place, change in zip(places, changes, strict=True):
            # Plays are chosen by the values of the next place, which move as far as any here.
            place.values.end_sweep(max(changes))
            self._say(f"{'plays' if improve else 'values'}, {place.name}", change)
        return max(changes)

    def _part(
        self, place: Place, pips: int, second: bool, improve: bool, all_of: bool, part: int
    ) -> float:
        return self.sweeps.sweep(
            place.values,
            place.then,
            place.doubled,
            self.cash,
            pips,
            second,
            part,
            self.parts,
            improve,
            all_of,
        )

    def _say(self, what: str, change: float) -> None:
        """Tell of a sweep, if anyone wants to know."""
        if self.progress is not None:
            self.progress(what, change)
