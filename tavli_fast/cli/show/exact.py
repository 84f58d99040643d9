"""What the tables know of a position: bear-offs of one side and of two."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.exact.bearoff import OneSidedBearoff, two_sided
from tavli_fast.exact.race import bearoff_sides
from tavli_fast.rules.presets import Rules

__all__ = ["PLACES", "exact_document", "sides_document"]

PLACES: Final = {
    "none": "no cube",
    "own": "X's cube",
    "centred": "cube in the middle",
    "other": "O's cube",
}
"""Where the cube can be, as the table and a reader call it."""


def exact_document(board: Int8Array, rules: Rules) -> dict[str, Any] | None:
    """Return the exact equities of a bear-off for X, who is on roll, for JSON; None where the
    table does not know them."""
    apart, sides = bearoff_sides(board[np.newaxis], 6)
    if not apart[0] or (sides.sum(axis=2) > 6).any():
        return None
    try:
        table = two_sided(rules)
    except ValueError:  # rules of another bear-off
        return None
    mine, theirs = sides[:, 0], sides[:, 1]
    return {
        key: {
            place: float(table.equity(mine, theirs, place, best_action=best)[0]) for place in PLACES
        }
        for key, best in (("no_double", False), ("best_action", True))
    }


def sides_document(table: OneSidedBearoff, sides: Any, chances: Any) -> dict[str, Any]:
    """Return what each side needs, for JSON."""
    means, effective = table.mean(sides), table.effective_pips(sides)
    return {
        name: {
            "checkers": int(side.sum()),
            "pips": int(side @ np.arange(1, table.points + 1)),
            "mean_rolls": float(means[k]),
            "effective_pips": float(effective[k]),
            "rolls": np.trim_zeros(chances[k], "b").tolist(),
        }
        for k, (name, side) in enumerate(zip(("X", "O"), sides, strict=True))
    }
