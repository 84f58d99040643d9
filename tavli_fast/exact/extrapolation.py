"""Fewer sweeps to the same values: each begins from a combination of what the last ones found.

For given plays a sweep is an affine map, and what it finds follows from the values of positions
with the mover on the bar, as only hits lead back to those. So these are combined, as in Anderson's
mixing: with weights that would have made the last changes least. One value in eight is enough to
find the weights.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tavli_fast._common.arguments import FloatArray
from tavli_fast._core.positions import Positions

__all__ = ["OutcomeMixing", "ValueMixing"]

_DEPTH: Final = 5
"""How many differences of values are combined; each takes a tenth of the memory of all values."""

_STEP: Final = 8
"""One in so many values is looked at to find the weights."""


class ValueMixing:
    """The combination of values."""

    def __init__(self, positions: Positions, values: FloatArray) -> None:
        """Begin with the values that the next sweep will change, float64[size]."""
        self._rows = bar_rows(positions)
        self._values = values
        self._begun = self._gathered()
        self._found: FloatArray | None = None
        self._changes = np.zeros(0)
        self._differences: list[tuple[FloatArray, FloatArray]] = []

    def mix(self) -> float:
        """Replace what a sweep has found by the combination; return the largest change."""
        found = self._gathered()
        changes = (found - self._begun)[::_STEP]
        mixed = found
        if self._found is not None:
            self._differences.append((found - self._found, changes - self._changes))
            del self._differences[:-_DEPTH]
            columns = [column for _, column in self._differences]
            # Products and sums element by element: BLAS would give other bits with other threads.
            products = np.array([[(a * b).sum() for a in columns] for b in columns])
            sums = np.array([(a * changes).sum() for a in columns])
            weights = np.linalg.lstsq(products, sums, rcond=1e-12)[0]
            mixed = found.copy()
            for weight, (difference, _) in zip(weights, self._differences, strict=True):
                mixed -= weight * difference
        self._found, self._changes, self._begun = found, changes, mixed
        at = 0
        for row in self._rows:
            end = at + row.stop - row.start
            self._values[row] = mixed[at:end]
            at = end
        return float(np.abs(mixed - found).max(initial=0))

    def _gathered(self) -> FloatArray:
        if not self._rows:
            return np.zeros(0)
        return np.concatenate([self._values[row] for row in self._rows])


class OutcomeMixing:
    """The combination of the chances of the outcomes with those of one sweep before.

    Chances to win and to lose change places with each ply, so that errors of their sum and of their
    difference decay in other ways, and each have a weight of their own.
    """

    def __init__(self, positions: Positions, parts: FloatArray) -> None:
        """Take the chances, float64[size, 8] as the core has them."""
        self._rows = bar_rows(positions)
        self._parts = parts
        self._found = [parts[row].copy() for row in self._rows]
        self._begun = self._sample()
        self._changes: tuple[FloatArray, FloatArray] | None = None

    def mix(self) -> None:
        """Replace what a sweep has found by the combination."""
        changes = _even_and_odd(self._sample() - self._begun)
        even = odd = 0.0
        if self._changes is not None:
            even, odd = (
                _weight(now, now - before)
                for now, before in zip(changes, self._changes, strict=True)
            )
        for row, before in zip(self._rows, self._found, strict=True):
            now = self._parts[row]
            difference = now - before
            before[:] = now
            win, lose = difference[:, :3], difference[:, 3:6]
            sums, differences = even / 2 * (win + lose), odd / 2 * (win - lose)
            now[:, :3] -= sums + differences
            now[:, 3:6] -= sums - differences
            now[:, 6:] -= even * difference[:, 6:]
        self._changes, self._begun = changes, self._sample()

    def _sample(self) -> FloatArray:
        if not self._rows:
            return np.zeros((0, 8))
        return np.concatenate([self._parts[row][::_STEP] for row in self._rows])


def bar_rows(positions: Positions) -> list[slice]:
    """Return where the positions with the mover on the bar are."""
    row = positions.row
    return [
        slice(int(row[side]), int(row[side + 1])) for side in np.flatnonzero(positions.bar >= 0)
    ]


def _even_and_odd(parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what stays and what changes its sign when the players change places."""
    win, lose = parts[:, :3], parts[:, 3:6]
    return np.hstack([win + lose, parts[:, 6:]]), win - lose


def _weight(change: FloatArray, difference: FloatArray) -> float:
    """Return how much of a difference makes a change least."""
    square = float((difference * difference).sum())
    return float((change * difference).sum()) / square if square else 0.0
