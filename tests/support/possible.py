"""Which results boards can still have, and outcomes in order, in plain NumPy."""

from typing import Any

import numpy as np

from tavli_fast.rules.presets import Rules


def possible_points(boards: Any, rules: Rules) -> tuple[Any, Any]:
    """Return the results that unfinished boards can still have.

    Returns:
        ``bool[N, 2, 4]``, whether each side can win exactly so many points, and ``bool[N]``,
        whether nobody can.
    """
    found = np.zeros((len(boards), 2, 4), bool)
    last = np.array([[np.flatnonzero(plane[1:]) for plane in board] for board in boards], object)
    rear = np.array([[1 + max(p, default=-1) for p in sides] for sides in last]).reshape(-1, 2)
    apart = rear.sum(1) < 25
    for winner in (0, 1):
        loser = boards[:, 1 - winner]
        found[:, winner, rules.single_points] = True
        none_off = loser[:, 0] == 0
        found[none_off, winner, rules.gammon_points] = True
        # The winner's home in the loser's numbers.
        home = loser[:, 13:19] if rules.parallel else loser[:, 19:25]
        behind = loser[:, 25] > 0
        if rules.backgammon_needs == "home_or_bar":
            behind |= (home != 0).any(1)
        if rules.contact == "hit":
            behind |= ~apart
        found[none_off & behind, winner, rules.backgammon_points] = True
        if rules.mother in ("lose_always", "lose_unless_own_start"):
            found[loser[:, 24] != 0, winner, rules.mother_points] = True
    draw = (boards[:, :, 24] != 0).all(1) & (rules.mother != "none") & rules.mother_draw
    return found, draw


def in_order(outcomes: Any, boards: Any, rules: Rules) -> Any:
    """Return outcomes ``float64[N, 6]`` of unfinished boards, brought in order."""
    found = np.array(outcomes, np.float64)
    can, drawn = possible_points(boards, rules)
    found[:, 5] = np.where(drawn, np.minimum(found[:, 5], 1 - found[:, 0]), 0)
    for side, win, columns in ((0, found[:, 0], (1, 2)), (1, 1 - found[:, [0, 5]].sum(1), (3, 4))):
        for points, column in enumerate(columns, 2):
            more = can[:, side, points:].any(1)
            only = ~can[:, side, points - 1]  # who wins less wins this much
            found[:, column] = np.minimum(found[:, column], win)
            found[only, column] = win[only]
            found[~more, column] = 0
            win = found[:, column]
    return found
