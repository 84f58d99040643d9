"""Fewer sweeps to the same values: each begins from a combination of what the last ones found.

For given plays a sweep is an affine map, and what it finds follows from the values of positions
with the mover on the bar, as only hits lead back to those. So these are combined, as in Anderson's
mixing: with weights that would have made the last changes least. One value in eight is enough to
find the weights.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray
from tavli_fast._core.positions import Positions

__all__ = ["OutcomeMixing", "ValueMixing"]

_DEPTH: Final = 5
"""How many differences of values are combined; each takes a tenth of the memory of all values."""

_OUTCOME_DEPTH: Final = 4
"""The same for outcomes, whose differences take a twentieth of their memory."""

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
            weights = _weights([column for _, column in self._differences], changes)
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
    """The combination of the chances of the outcomes.

    Chances to win and to lose change places with each ply, so that errors of their sum and of their
    difference decay in other ways, and each have weights of their own. Differences are kept in
    single precision: they only show the way.
    """

    def __init__(self, positions: Positions, parts: FloatArray) -> None:
        """Take the chances that the next sweep will change, float64[size, 8]."""
        self._rows = bar_rows(positions)
        self._parts = parts
        self._found = [parts[row].copy() for row in self._rows]
        self._begun = self._sample()
        self._changes: tuple[FloatArray, FloatArray] | None = None
        self._differences: list[list[npt.NDArray[np.float32]]] = []
        self._columns: list[tuple[FloatArray, FloatArray]] = []

    def mix(self) -> None:
        """Replace what a sweep has found by the combination."""
        changes = _even_and_odd(self._sample() - self._begun)
        even = odd = np.zeros(0)
        if self._changes is not None:
            before = self._changes
            self._columns.append((changes[0] - before[0], changes[1] - before[1]))
            self._differences.append([])
            del self._columns[:-_OUTCOME_DEPTH], self._differences[:-_OUTCOME_DEPTH]
            even = _weights([column for column, _ in self._columns], changes[0])
            odd = _weights([column for _, column in self._columns], changes[1])
        for at, (row, last) in enumerate(zip(self._rows, self._found, strict=True)):
            now = self._parts[row]
            if self._differences:
                self._differences[-1].append((now - last).astype(np.float32))
            last[:] = now
            if not self._differences:
                continue
            differences = [difference[at] for difference in self._differences]
            evens, odds = _added(even, differences), _added(odd, differences)
            sums = (evens[:, :3] + evens[:, 3:6]) / 2
            contrasts = (odds[:, :3] - odds[:, 3:6]) / 2
            now[:, :3] -= sums + contrasts
            now[:, 3:6] -= sums - contrasts
            now[:, 6:] -= evens[:, 6:]
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


def _weights(columns: list[FloatArray], changes: FloatArray) -> FloatArray:
    """Return with which weights what the columns add up to comes nearest to the changes.

    Products and sums are formed element by element: BLAS would give other bits with other threads.
    """
    sizes = np.array([max(float(np.abs(column).max(initial=0)), 1e-300) for column in columns])
    scaled = [column / size for column, size in zip(columns, sizes, strict=True)]
    products = np.array([[(a * b).sum() for a in scaled] for b in scaled])
    sums = np.array([(a * changes).sum() for a in scaled])
    found: FloatArray = np.linalg.lstsq(products, sums, rcond=1e-12)[0] / sizes
    return found


def _added(weights: FloatArray, arrays: list[npt.NDArray[np.float32]]) -> FloatArray:
    """Return the sum of arrays by their weights."""
    found: FloatArray = weights[0] * arrays[0].astype(np.float64)
    for weight, array in zip(weights[1:], arrays[1:], strict=True):
        found += weight * array
    return found
