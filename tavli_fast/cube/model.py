"""The doubling cube as a function of the winning chance: dead cube, live cube, and between them.

A *ladder* holds the value of each result at each level (*height*) of the cube; docs/cube.md has the
formulas. The live cube is the limit in which the winning chance moves in arbitrarily small steps,
so that every double is given exactly where the other side is indifferent between taking and passing
(Keeler and Spencer 1975 for money without gammons; Zadeh 1977 for matches; Janowski 1993 for money
with gammons): the take and cash points, here *knots*. With a dead cube nobody doubles again. A real
game lies between: (1 - x) dead + x live, where x is the cube efficiency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tavli_fast._common.arguments import FloatArray

EFFICIENCY: Final = 0.68
"""The default cube efficiency. Janowski estimated about two thirds; GNU Backgammon also uses 0.68
for contact positions."""


@dataclass(frozen=True)
class Ladder:
    """The values of results to the player on roll, at each level of the cube."""

    values: FloatArray
    """``float64[J, 7]``: the values of -3 to +3 points times the cube, at the current cube, twice
    that, four times that, and so on."""
    centre: FloatArray
    """``float64[7]``: the same at the current cube as long as it is centred (Jacoby)."""
    mine: tuple[bool, ...]
    """At each level, whether the player on roll may double if the cube is centred or owned."""
    theirs: tuple[bool, ...]
    """The same for the opponent."""
    endless: bool = False
    """Whether one level stands for all: twice the cube is the same game at twice the value."""

    def turned(self) -> Ladder:
        """Return the ladder seen by the opponent."""
        return Ladder(
            -self.values[:, ::-1], -self.centre[::-1], self.theirs, self.mine, self.endless
        )

    def single(self, height: int, sign: int) -> float:
        """Return the value of a single game, won (+1) or lost (-1), at a level."""
        return float(self.values[height, 3 + sign])

    def open(self) -> bool:
        """Return whether somebody may double at the current level."""
        return self.mine[0] or self.theirs[0]

    def raised(self) -> Ladder:
        """Return the ladder after a double; only where somebody may double."""
        if self.endless:
            return Ladder(2 * self.values, 2 * self.values[0], self.mine, self.theirs, True)
        values = self.values[1:]
        return Ladder(values, values[0], self.mine[1:], self.theirs[1:])

    def free(self) -> bool:
        """Return whether the one side that may double has nothing to lose by it.

        This is so where losing the game at the current stake already loses the match: that side
        doubles at its first chance, and the other side has no use for the cube.
        """
        if self.endless or self.mine[0] == self.theirs[0] or len(self.values) < 2:
            return False
        lost, more = (self.values[:2, 2]) if self.mine[0] else (self.values[:2, 4])
        return bool(lost == more)


class Shares(NamedTuple):
    """How games end: the chance of winning, and the sizes of wins and losses."""

    win: FloatArray
    """``float64[N]``: the chance of winning a game that is not drawn."""
    wins: FloatArray
    """``float64[N, 3]``: the shares of 1, 2 and 3 points among the games won."""
    losses: FloatArray
    """``float64[N, 3]``: the shares of 3, 2 and 1 points among the games lost."""
    drawn: FloatArray
    """``float64[N]``: the chance of a draw."""


def shares_of(outcomes: FloatArray) -> Shares:
    """Split outcomes ``float64[N, 6]``; a side that never wins counts as winning single games."""
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
    """Return part / whole, or `otherwise` where the whole is 0."""
    return np.divide(part, whole, out=np.full_like(whole, otherwise), where=whole > 0)


def _parts(parts: FloatArray, whole: FloatArray) -> FloatArray:
    """Return rows of parts as shares of their whole; single games where the whole is 0."""
    shares = np.zeros_like(parts)
    shares[:, 0] = 1
    np.divide(parts, whole[:, None], out=shares, where=whole[:, None] > 0)
    return shares


class Heights(NamedTuple):
    """The take and cash points of the live cube at each level, each ``float64[J, N]``."""

    won: FloatArray
    """The value of a game that is certainly won."""
    lost: FloatArray
    """The value of a game that is certainly lost."""
    take: FloatArray
    """The winning chance at which the player is indifferent to a pass; 0 without a double."""
    cash: FloatArray
    """The winning chance at which the opponent is indifferent to a pass; 1 without a double."""


def heights_of(ladder: Ladder, shares: Shares) -> Heights:
    """Find the take and cash points, from the highest cube down."""
    won = ladder.values[:, 4:] @ shares.wins.T
    lost = ladder.values[:, :3] @ shares.losses.T
    take, cash = np.zeros_like(won), np.ones_like(won)
    if ladder.endless:
        # At the take point the game at twice the stake, with the cube owned by the taker, has the
        # value of a pass; the same holds at the cash point: two linear equations (Janowski).
        half = ladder.single(0, 1) / 2
        span = won[0] - lost[0] + half
        take[0], cash[0] = (-lost[0] - half) / span, 1 - (won[0] - half) / span
        return Heights(won, lost, take, cash)
    for height in range(len(won) - 2, -1, -1):
        above = height + 1
        whole = won[above] - lost[above]
        if ladder.theirs[height]:
            # The taker will own the cube: from a loss the value rises to the taker's cash point, or
            # straight to a win where that is steeper.
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
    """Return the slope of a line, infinite where the run is 0."""
    return np.divide(rise, run, out=np.full_like(run, np.inf), where=run > 0)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part / whole, clipped to 0..1; 0 where the whole is 0."""
    ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return np.clip(ratio, 0.0, 1.0)


class Worth(NamedTuple):
    """The value of a game to the player on roll, for each owner of the cube, ``float64[N]``."""

    centred: FloatArray
    """With a centred cube."""
    owned: FloatArray
    """With the cube owned by the player."""
    opponents: FloatArray
    """With the cube owned by the opponent."""


def worth(ladder: Ladder, shares: Shares, efficiency: float | FloatArray) -> Worth:
    """Return the value of a game at the current level, with this cube efficiency."""
    heights = heights_of(ladder, shares)
    return Worth(*(_worth_at(ladder, shares, efficiency, heights, owner) for owner in range(3)))


def worth_with(
    ladder: Ladder, shares: Shares, efficiency: float | FloatArray, owner: int
) -> FloatArray:
    """Return one field of `worth`, counted from 0."""
    return _worth_at(ladder, shares, efficiency, heights_of(ladder, shares), owner)


def _worth_at(
    ladder: Ladder,
    shares: Shares,
    efficiency: float | FloatArray,
    heights: Heights,
    owner: int,
) -> FloatArray:
    """Return the value of a game for one owner of the cube, in the order of `Worth`."""
    won, lost, take, cash = (part[0] for part in heights)
    low, high = (take, ladder.single(0, -1)), (cash, ladder.single(0, 1))
    mine, theirs = owner in (0, 1) and ladder.mine[0], owner in (0, 2) and ladder.theirs[0]
    top, bottom = won, lost
    if owner == 0:
        top, bottom = shares.wins @ ladder.centre[4:], shares.losses @ ladder.centre[:3]
    dead = _through(shares.win, bottom, None, None, top)
    live = dead
    if mine:
        live = np.maximum(live, _through(shares.win, bottom, None, high, top))
    if theirs:
        # Each side doubles at its point only if that is better for it than never doubling.
        passed = _through(shares.win, bottom, low, None, top)
        if mine:
            passed = np.maximum(passed, _through(shares.win, bottom, low, high, top))
        live = np.minimum(live, passed)
    value = (1 - efficiency) * dead + efficiency * live
    if ladder.free():
        # A side with nothing to lose can double at once, after which the cube is dead.
        doubled = _through(shares.win, heights.lost[1], None, None, heights.won[1])
        if mine:
            value = np.maximum(value, np.minimum(doubled, high[1]))
        elif theirs:
            value = np.minimum(value, np.maximum(doubled, low[1]))
    drawn = shares.drawn * ladder.values[0, 3]
    mean: FloatArray = (1 - shares.drawn) * value + drawn
    return mean


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
