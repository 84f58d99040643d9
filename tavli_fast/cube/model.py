"""The doubling cube as a function of the winning chance: dead cube, live cube, and between them.

A *ladder* holds what a game is worth at each height of the cube. The live cube is the limit in
which the winning chance moves in steps as small as one likes, so that every double is given exactly
at the point where the other side may as well pass (Keeler and Spencer 1975 for money without
gammons; Zadeh 1977 for matches; Janowski 1993 for money with gammons). With a dead cube nobody
doubles again. A real game lies between: (1 - x) dead + x live, x the cube's efficiency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tavli_fast._common.arguments import FloatArray

EFFICIENCY: Final = 0.68
"""How live the cube is by default. Janowski measured about two thirds; 0.68 is also what GNU
Backgammon takes for positions in contact."""


@dataclass(frozen=True)
class Ladder:
    """What the points of a game are worth to the player on roll, at each height of the cube."""

    values: FloatArray
    """``float64[J, 7]``: the worth of -3 to +3 times the cube, at the present cube, twice, four
    times as much."""
    centre: FloatArray
    """``float64[7]``: the same at the present cube as long as it is in the middle (Jacoby)."""
    mine: tuple[bool, ...]
    """At each height, whether the player on roll may double if the cube allows him."""
    theirs: tuple[bool, ...]
    """The same of the opponent."""
    endless: bool = False
    """Whether the one height stands for all: twice the cube is the same game at twice the worth."""

    def turned(self) -> Ladder:
        """Return the ladder as the opponent sees it."""
        return Ladder(
            -self.values[:, ::-1], -self.centre[::-1], self.theirs, self.mine, self.endless
        )

    def single(self, height: int, sign: int) -> float:
        """Return the worth of one game, won (+1) or lost (-1), at a height."""
        return float(self.values[height, 3 + sign])

    def open(self) -> bool:
        """Return whether somebody may double from the present height."""
        return self.mine[0] or self.theirs[0]

    def raised(self) -> Ladder:
        """Return the ladder with the cube turned once; only where somebody may double."""
        if self.endless:
            return Ladder(2 * self.values, 2 * self.values[0], self.mine, self.theirs, True)
        values = self.values[1:]
        return Ladder(values, values[0], self.mine[1:], self.theirs[1:])

    def free(self) -> bool:
        """Return whether the one side that may double loses nothing more by it.

        So it is where the loss of the game as it stands already loses the match: that side doubles
        at its first chance, and the other side has no use for the cube.
        """
        if self.endless or self.mine[0] == self.theirs[0] or len(self.values) < 2:
            return False
        lost, more = (self.values[:2, 2]) if self.mine[0] else (self.values[:2, 4])
        return bool(lost == more)


class Shares(NamedTuple):
    """How games end: the chance to win one that is not drawn, and what wins and losses are."""

    win: FloatArray
    """``float64[N]``: the chance to win, of the games that are not drawn."""
    wins: FloatArray
    """``float64[N, 3]``: of the games won, those of 1, 2 and 3 points."""
    losses: FloatArray
    """``float64[N, 3]``: of the games lost, those of 3, 2 and 1 points."""
    drawn: FloatArray
    """``float64[N]``: the chance of a draw."""


def shares_of(outcomes: FloatArray) -> Shares:
    """Take outcomes ``float64[N, 6]`` apart; a side that never wins wins single games."""
    win, drawn = outcomes[:, 0], outcomes[:, 5]
    lose = np.maximum(0.0, 1 - win - drawn)
    wins = -np.diff(outcomes[:, :3], append=0.0)
    losses = -np.diff(np.column_stack([lose, outcomes[:, 3:5]]), append=0.0)
    return Shares(
        _part(win, win + lose, 0.5),
        _parts(wins, win),
        _parts(losses, lose)[:, ::-1],
        drawn,
    )


def _part(part: FloatArray, whole: FloatArray, otherwise: float) -> FloatArray:
    """Return part / whole, and where there is nothing `otherwise`."""
    return np.divide(part, whole, out=np.full_like(whole, otherwise), where=whole > 0)


def _parts(parts: FloatArray, whole: FloatArray) -> FloatArray:
    """Return rows of parts as shares of their whole; single games where there are none."""
    shares = np.zeros_like(parts)
    shares[:, 0] = 1
    np.divide(parts, whole[:, None], out=shares, where=whole[:, None] > 0)
    return shares


class Heights(NamedTuple):
    """The live cube's knots at each height of a ladder, each ``float64[J, N]``."""

    won: FloatArray
    """The worth of a game that is won for sure."""
    lost: FloatArray
    """The worth of a game that is lost for sure."""
    take: FloatArray
    """The winning chance at which the player may as well pass; 0 if nobody can double him."""
    cash: FloatArray
    """The winning chance at which the opponent may as well pass; 1 if nobody can double him."""


def heights_of(ladder: Ladder, shares: Shares) -> Heights:
    """Find the knots, from the highest cube down."""
    won = ladder.values[:, 4:] @ shares.wins.T
    lost = ladder.values[:, :3] @ shares.losses.T
    take, cash = np.zeros_like(won), np.ones_like(won)
    if ladder.endless:
        # Where a double may as well be passed, the game at twice the stake, with the taker's cube,
        # is worth what the pass is; and so on for his own double: two linear equations (Janowski).
        half = ladder.single(0, 1) / 2
        span = won[0] - lost[0] + half
        take[0], cash[0] = (-lost[0] - half) / span, 1 - (won[0] - half) / span
        return Heights(won, lost, take, cash)
    for height in range(len(won) - 2, -1, -1):
        above = height + 1
        whole = won[above] - lost[above]
        if ladder.theirs[height]:
            # The taker will own the cube: from a loss the worth rises to his own cash point, or
            # straight to a win where that is more.
            rise = whole
            if ladder.mine[above]:
                rise = np.maximum(rise, _slope(ladder.single(above, 1) - lost[above], cash[above]))
            take[height] = _ratio(ladder.single(height, -1) - lost[above], rise)
        if ladder.mine[height]:
            fall = whole
            if ladder.theirs[above]:
                down = won[above] - ladder.single(above, -1)
                fall = np.maximum(fall, _slope(down, 1 - take[above]))
            cash[height] = 1 - _ratio(won[above] - ladder.single(height, 1), fall)
    return Heights(won, lost, take, cash)


def _slope(rise: FloatArray, run: FloatArray) -> FloatArray:
    """Return how steep a line is, infinitely so where it does not run at all."""
    return np.divide(rise, run, out=np.full_like(run, np.inf), where=run > 0)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part / whole within 0 to 1, and 0 where the whole is nothing."""
    ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return np.clip(ratio, 0.0, 1.0)


class Worth(NamedTuple):
    """What a game is worth to the player on roll, for each place of the cube, ``float64[N]``."""

    centred: FloatArray
    """With the cube in the middle."""
    owned: FloatArray
    """With his own cube."""
    opponents: FloatArray
    """With the opponent's cube."""


def worth(ladder: Ladder, shares: Shares, efficiency: float) -> Worth:
    """Return what a game is worth at the present height, the cube being so efficient."""
    heights = heights_of(ladder, shares)
    won, lost, take, cash = (part[0] for part in heights)
    low, high = (take, ladder.single(0, -1)), (cash, ladder.single(0, 1))

    def one(mine: bool, theirs: bool, top: FloatArray, bottom: FloatArray) -> FloatArray:
        dead = _through(shares.win, bottom, None, None, top)
        live = dead
        if mine and ladder.mine[0]:
            live = np.maximum(live, _through(shares.win, bottom, None, high, top))
        if theirs and ladder.theirs[0]:
            # Each side doubles at its knot only if that is more to it than never to double.
            passed = _through(shares.win, bottom, low, None, top)
            if mine and ladder.mine[0]:
                passed = np.maximum(passed, _through(shares.win, bottom, low, high, top))
            live = np.minimum(live, passed)
        value = (1 - efficiency) * dead + efficiency * live
        if ladder.free():
            # Who has nothing to lose can double at once, and the cube is dead then.
            doubled = _through(shares.win, heights.lost[1], None, None, heights.won[1])
            if mine and ladder.mine[0]:
                value = np.maximum(value, np.minimum(doubled, high[1]))
            elif theirs and ladder.theirs[0]:
                value = np.minimum(value, np.maximum(doubled, low[1]))
        drawn = shares.drawn * ladder.values[0, 3]
        mean: FloatArray = (1 - shares.drawn) * value + drawn
        return mean

    centre = shares.wins @ ladder.centre[4:], shares.losses @ ladder.centre[:3]
    return Worth(one(True, True, *centre), one(True, False, won, lost), one(False, True, won, lost))


def _through(
    win: FloatArray,
    bottom: FloatArray,
    low: tuple[FloatArray, float] | None,
    high: tuple[FloatArray, float] | None,
    top: FloatArray,
) -> FloatArray:
    """Return, at each winning chance, the line through a loss, the knots there are, and a win."""
    nothing = np.zeros_like(win)
    low_at, low_worth = (nothing, bottom) if low is None else low
    high_at, high_worth = (nothing + 1, top) if high is None else high
    below = bottom + (low_worth - bottom) * _ratio(win, low_at)
    above = top - (top - high_worth) * _ratio(1 - win, 1 - high_at)
    between = low_worth + (high_worth - low_worth) * _ratio(win - low_at, high_at - low_at)
    return np.where(win < low_at, below, np.where(win > high_at, above, between))
