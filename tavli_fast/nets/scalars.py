"""The scalars of `features` and the experts of `phases` once more in plain NumPy, for readers and
tests; `net/scalars.h` of the core has them compiled."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array
from tavli_fast.rules.presets import Rules

__all__ = ["expert_phases", "scalar_levels"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

MOST_LEVEL: Final = 255
"""Of a scalar: what is more counts as this."""
BAR: Final = 25
_ROLLS: Final = tuple(product(range(1, 7), repeat=2))


def _escapes() -> Ints:
    """Return, for each set of closed points among the twelve before a checker, how many of the 36
    rolls carry it the sum of both dice further on. Bit k of the set is the point k + 1 pips on."""
    table = np.zeros(1 << 12, np.int64)
    for closed in range(1 << 12):
        for one, other in _ROLLS:
            last = closed >> (one + other - 1) & 1
            stops = closed >> (one - 1) & closed >> (other - 1) & 1
            table[closed] += not (last or stops)
    return table


ESCAPES: Final = _escapes()


class Side(NamedTuple):
    """A side of N boards; all points are numbered as this side numbers them."""

    free: Ints
    """``[N, 26]``: its checkers on each point that are not pinned; the bar is 25."""
    all: Ints
    """``[N, 26]``: with pinned ones; none counts as borne off."""
    held: Bools
    """``[N, 26]``: the points that it has closed."""
    closed: Bools
    """``[N, 26]``: those that the enemy has closed."""
    blots: Bools
    """``[N, 26]``: the enemy's checkers that can be hit or pinned."""
    foremost: Ints
    """``[N]``: the point of the enemy's checker that is nearest to this side's home; 25 if none is
    left, and 0 for one on the bar."""
    behind_gate: Bools
    """``[N]``: whether only the foremost of its checkers may move."""


def _seen_by_other(cells: npt.NDArray[Any], rules: Rules) -> npt.NDArray[Any]:
    """Return what a side has on points 1 to 24, by the numbers of the other side."""
    seen = np.zeros_like(cells)
    points = cells[:, 1:25]
    seen[:, 1:25] = np.roll(points, 12, axis=1) if rules.parallel else points[:, ::-1]
    return seen


def _sides(boards: Int8Array, rules: Rules) -> tuple[Side, Side]:
    """Return both sides of boards, that of plane 0 first."""
    free = np.maximum(boards.astype(np.int64), 0)
    free[:, :, 0] = 0
    pinned = boards < 0
    every = free + pinned
    on_top = [_seen_by_other(pinned[:, 1 - side], rules).astype(bool) for side in (0, 1)]
    held: list[Bools] = [
        (free[:, side] >= 1)
        if rules.contact == "none"
        else (free[:, side] >= 2) | (on_top[side] & (free[:, side] >= 1))
        for side in (0, 1)
    ]
    for closed in held:
        closed[:, BAR] = False
    found = []
    for side, enemy in ((0, 1), (1, 0)):
        lone = (free[:, enemy] >= 1) & ~held[enemy]
        enemies = _seen_by_other(every[:, enemy], rules)
        enemies[:, 0] = every[:, enemy, BAR]
        anywhere = enemies > 0
        gate: Bools = np.zeros(len(boards), bool)
        if rules.runner_gate is not None:
            gate[:] = (boards[:, side, : rules.runner_gate + 1] <= 0).all(axis=1)
        found.append(
            Side(
                free[:, side],
                every[:, side],
                held[side],
                _seen_by_other(held[enemy], rules).astype(bool),
                _seen_by_other(lone, rules).astype(bool),
                np.where(anywhere.any(axis=1), anywhere.argmax(axis=1), BAR),
                gate,
            )
        )
    return found[0], found[1]


def _highest(points: Bools) -> Ints:
    """Return the highest point of each set of ``[N, 26]``, 0 if it is empty."""
    found: Ints = np.where(points.any(axis=1), 25 - points[:, ::-1].argmax(axis=1), 0)
    return found


def _lowest(points: Bools) -> Ints:
    """Return the lowest point of each set of ``[N, 26]``, 0 if it is empty."""
    found: Ints = points.argmax(axis=1)
    return found


def _escapes_from(side: Side) -> Ints:
    """Return ``[N, 26]``: how many rolls carry a checker from each point past what is closed."""
    ahead = np.zeros((len(side.closed), 26), np.int64)
    for point in range(1, 26):
        for pips in range(1, 13):
            if point - pips >= 1:
                ahead[:, point] |= side.closed[:, point - pips].astype(np.int64) << (pips - 1)
    found: Ints = ESCAPES[ahead]
    return found


def _hits(side: Side, pins: bool) -> tuple[Ints, Ints]:
    """Return how many of the 36 rolls hit or pin one of the enemy's checkers, and the sum over all
    rolls of the most that one of these costs him.

    A roll hits with either die, or with one checker by both, or up to four times a double, stepping
    on points that are not closed. A checker on the bar enters first, and any may go on; of two on
    the bar both enter.
    """
    rolls, loss = (np.zeros(len(side.free), np.int64) for _ in range(2))
    for board in np.flatnonzero(side.blots.any(axis=1)):
        have = {int(p) for p in np.flatnonzero(side.free[board])}
        on_bar = int(side.free[board, BAR])
        blots = {int(p) for p in np.flatnonzero(side.blots[board])}
        open_points = {int(p) for p in range(1, 25) if not side.closed[board, p]}
        for one, other in _ROLLS:
            orders = [(one,) * 4] if one == other else [(one, other), (other, one)]
            reached: set[int] = set()
            for dice in orders:
                movers = {BAR} if on_bar else have
                for k, die in enumerate(dice):
                    landed = {p - die for p in movers}
                    reached |= landed
                    movers = landed & open_points
                    if k == 0 and on_bar:
                        movers = (movers | (have - {BAR})) if movers else set()
                        if on_bar > 1:
                            movers = set()
            hit = reached & blots
            rolls[board] += bool(hit)
            if hit:
                loss[board] += 25 - min(hit) if pins else max(hit)
    return rolls, loss


def _side_levels(side: Side, rules: Rules) -> Ints:
    """Return the levels of a side's scalars as ``[N, 13]``, or ``[N, 11]`` in blocking games."""
    escapes = _escapes_from(side)
    points = np.arange(26)
    there = side.all > 0
    held_back, held_middle = escapes[:, 15:25].min(axis=1), escapes[:, 9:15].min(axis=1)
    foremost_own = _lowest(there)
    stuck = side.behind_gate[:, None] & (points != foremost_own[:, None])
    escapes = np.where(stuck, 0, escapes)
    rear = _highest(there)
    others = there & (points != rear[:, None])
    second = _highest(others)
    rows = np.arange(len(escapes))
    closed_home = side.closed[:, 19:25].sum(axis=1)
    beyond = points - side.foremost[:, None]
    deep = side.held & (points >= 18) & (points <= 24)
    levels = [
        np.where(there.any(axis=1), escapes[rows, rear], 36),
        np.where(others.any(axis=1), escapes[rows, second], 36),
        held_back,
        held_middle,
        (side.free * escapes * np.maximum(points - 6, 0)).sum(axis=1) // 32,
        36 - closed_home**2,
        (side.all * np.maximum(beyond, 0)).sum(axis=1) // 2,
        (side.all * points * (beyond < 0)).sum(axis=1) // 2,
        rear,
        np.maximum(_lowest(deep) - 17, 0),
        np.maximum(_highest(deep) - 17, 0),
    ]
    if rules.contact != "none":
        rolls, loss = _hits(side, rules.contact == "pin")
        levels += [rolls, loss // 8]
    found: Ints = np.minimum(np.stack(levels, axis=1), MOST_LEVEL)
    return found


def scalar_levels(boards: Int8Array, rules: Rules) -> Ints:
    """Return the level of each scalar of boards ``int8[N, 2, 26]``, none of them a race.

    A feature is a level times its scale. The columns are those of `features`: the scalars of plane
    0, then those of plane 1.
    """
    return np.concatenate([_side_levels(side, rules) for side in _sides(boards, rules)], axis=1)


def expert_phases(boards: Int8Array, rules: Rules) -> Ints:
    """Return which of the four experts for contact judges each board of ``int8[N, 2, 26]``."""
    points = np.arange(26)
    back = [
        (side.all * ((points >= 17) & (points > side.foremost[:, None]))).sum(axis=1) >= 2
        for side in _sides(boards, rules)
    ]
    found: Ints = back[0] + 2 * back[1].astype(np.int64)
    return found
