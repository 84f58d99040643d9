"""GNU Backgammon's analyses in tests/data/gnubg_analysis.zip, and its evaluator if it is there."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

_FILE = Path(__file__).parent.parent / "data" / "gnubg_analysis.zip"

Boards = npt.NDArray[np.int8]


@cache
def analysis(name: str) -> Any:
    """Return one of its files."""
    with ZipFile(_FILE) as found:
        return json.loads(found.read(f"analysis_{name}.json"))


def totals(match: str, plies: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the totals of players 0 and 1, X and O."""
    found = next(
        each
        for each in analysis("totals")
        if each["mat"] == f"{match}.mat" and each["plies"] == plies
    )
    return found["players"]["X"], found["players"]["O"]


def rows(match: str, plies: int) -> list[dict[str, Any]]:
    """Return all decisions of a match, in their order."""
    return [row for game in analysis(f"{match}_{plies}ply")["games"] for row in game["rows"]]


def by_gnubg(afterstates: Boards) -> npt.NDArray[np.float64]:
    """Evaluate afterstates with the package gnubg-nn, at 0 plies."""
    import gnubg_nn

    # As the opponent sees them, who is on roll: gnubg has the other side first.
    seen = [gnubg_nn.probabilities(planes, 0) for planes in afterstates[:, :, 1:].tolist()]
    win, gammon, backgammon, lose, worse = np.array(seen).reshape(-1, 5).T
    return np.column_stack([1 - win, lose, worse, gammon, backgammon])


def its_efficiency(boards: Boards) -> npt.NDArray[np.float64]:
    """Return the cube efficiency that its analyses show for positions before the roll: 0.68 with
    contact; in a race 0.55 and 0.00125 for each pip, from 0.6 to 0.7; 0.6 with both sides at home;
    none in its two-sided bear-off table."""
    planes = boards.astype(np.int64)
    rears = np.where(planes[:, :, 1:] > 0, np.arange(1, 26), 0).max(axis=2)
    home = (rears <= 6).all(axis=1)
    few = home & (planes[:, :, 1:].sum(axis=2) <= 6).all(axis=1)
    race = np.clip(0.55 + 0.00125 * (planes[:, 0] @ np.arange(26)), 0.6, 0.7)
    return np.select([few, home, rears.sum(axis=1) < 25], [0.0, 0.6, race], 0.68)
