"""Evaluators with a bear-off table: exact where it knows a position, and as before elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray, Int8Array, board_batch
from tavli_fast._core.constants import WITH_BEAROFF
from tavli_fast.evaluation.outcomes import EQUITY, equities
from tavli_fast.exact.bearoff import has_table
from tavli_fast.exact.lookup import CHECKERS, POINTS, table_sides, win_chances
from tavli_fast.exact.race import bearoff_sides
from tavli_fast.nets.net import Weights
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["TabledFunction", "TabledNet", "known_outcomes", "tabled"]


class TabledNet(Weights):
    """A net and a bear-off table; see `with_tables`."""

    tables: Final = True

    def __init__(self, net: Weights) -> None:
        """Put the table behind the weights, where the core looks for it."""
        self.net = net
        self.rules, self.encoding, self.info = net.rules, net.encoding, net.info
        self.columns, self.outputs = net.columns, net.outputs
        self.kind = net.kind | WITH_BEAROFF
        self.packed = np.concatenate([net.packed, win_chances().astype(np.float32).ravel()])
        self.packed.flags.writeable = False

    @property
    def name(self) -> str:
        """What results call it: as the net, with tables."""
        return f"{self.net.name} with tables"

    def weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the weights of the net."""
        return self.net.weights()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the net to a file, without the table.

        Raises:
            OSError: the file cannot be written.
            ValueError: no path, or notes in `info` that JSON does not have.
        """
        self.net.save(path)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the net; the table is built where it is needed."""
        return TabledNet, (self.net,)

    def __repr__(self) -> str:
        """Return the net's, and that it has tables."""
        return f"<{self.net!r} with tables>"


class TabledFunction:
    """A callable that is asked only where the table does not know; see `with_tables`."""

    tables: Final = True

    def __init__(self, function: Callable[..., Any], rules: RulesLike | None) -> None:
        """Keep the evaluator and the rules that it is for."""
        self.function = function
        self.rules = resolve_rules(rules, function)

    @property
    def name(self) -> str:
        """What results call it: as the evaluator, with tables."""
        given = getattr(self.function, "name", None) or getattr(self.function, "__name__", None)
        return f"{given or type(self.function).__name__} with tables"

    def __call__(self, afterstates: npt.ArrayLike) -> Any:
        """Return exact outcomes, or equities, where the table has them, else the evaluator's.

        Args:
            afterstates: integers ``[N, 2, 26]``, the player who has just moved first.

        Raises:
            BoardError: a board that cannot be.
            ValueError: not integers, or of another shape.
        """
        boards = board_batch(afterstates, self.rules, "afterstates")
        known, exact = known_outcomes(boards, self.rules)
        if known.all():
            return exact
        answer = np.asarray(self.function(boards[~known]))
        if not known.any() or answer.dtype.kind not in "fiu" or len(answer) != (~known).sum():
            return answer
        found = np.empty((len(boards), *answer.shape[1:]))
        found[~known] = answer
        found[known] = equities(exact) if answer.ndim == 1 else exact[:, : answer.shape[1]]
        return found


@cache
def tabled(net: Weights) -> TabledNet:
    """Return a net with a table; for the same net the same one, so only for those that are kept."""
    return TabledNet(net)


def known_outcomes(boards: Int8Array, rules: Rules) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    """Return which checked boards the table knows, and the outcomes of these.

    Args:
        boards: ``int8[N, 2, 26]``, as the player who has just moved, plane 0, leaves them.
        rules: what is played.

    Returns:
        ``bool[N]``, and ``float64[M, 6]`` for the M known ones, for the player who has just moved.
    """
    near, sides = bearoff_sides(boards, POINTS)
    left = sides.sum(axis=2, dtype=int)
    known = near & ((left >= 1) & (left <= CHECKERS) & (left < rules.checkers)).all(axis=1)
    if not has_table(rules):
        known[:] = False
    # The other side is on roll.
    lose = win_chances()[table_sides(sides[known, 1]), table_sides(sides[known, 0])]
    exact = np.zeros((len(lose), EQUITY))
    exact[:, 0] = 1 - lose
    for points in range(2, rules.single_points + 1):
        exact[:, points - 1] = 1 - lose
        exact[:, points + 1] = lose
    return known, exact
