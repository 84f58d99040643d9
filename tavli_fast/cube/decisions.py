"""The doubling cube: whether to double and to take, and what a position is worth with a cube.

Everything starts from *outcomes*, the six chances of the player on roll before his roll: to win
(P(>=1)), to win 2 or more, to win 3 or more, to lose 2 or more, to lose 3 or more, to draw. The
model is Janowski's: between a dead cube and a live one, for money and, through a match equity
table, for matches; docs/cube.md has the formulas. Short endings `exact_cube` solves without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray, number
from tavli_fast.cube.model import EFFICIENCY, Ladder, Shares, Worth, shares_of, worth
from tavli_fast.cube.setting import OWNERS, CubeSetting, ladder_of, setting_of
from tavli_fast.evaluation.outcomes import outcome_batch

__all__ = [
    "CubeDecision",
    "CubeEquities",
    "CubePoints",
    "cube_equities",
    "cube_points",
]


_GRID: Final = 65
"""How finely `cube_points` looks at once."""

TIE: Final = 1e-9
"""Equities that differ by less are equal: the rounding error of a sum over rolls."""

_DEAD_LIVE: Final = ", a dead cube and a live one"


@dataclass(frozen=True)
class CubeEquities:
    """The values of positions with a cube, and what to do with it; each field has shape ``[N]``.

    Equities are in units of the current stake: +1 is the value of winning a single game now, -1
    that of losing one. `match_chance` converts those of a match to chances of winning it.
    """

    cubeless: FloatArray
    """``float64``: if nobody ever doubles; for money without Jacoby, the mean of the points."""
    centred: FloatArray
    """``float64``: with a centred cube, before the roll."""
    owned: FloatArray
    """``float64``: with the cube owned by the player, before the roll."""
    opponents: FloatArray
    """``float64``: with the cube owned by the opponent."""
    no_double: FloatArray
    """``float64``: with the cube where it is, before the roll."""
    double_take: FloatArray
    """``float64``: after a double that is taken (or beavered, if that is better)."""
    double_pass: FloatArray
    """``float64``: after a double that is passed."""
    may_double: bool
    """Whether the player may double."""
    double: npt.NDArray[np.bool_]
    """``bool``: whether the player should double."""
    take: npt.NDArray[np.bool_]
    """``bool``: whether the opponent should take."""
    beaver: npt.NDArray[np.bool_]
    """``bool``: whether the opponent should take and beaver."""
    too_good: npt.NDArray[np.bool_]
    """``bool``: whether playing on is worth more than a pass."""
    _chances: tuple[float, float] | None
    """The chance of winning the match at equity 0, and the value of one unit; None for money."""

    @property
    def best(self) -> FloatArray:
        """``float64``: the equity if both sides decide correctly."""
        return np.where(self.double, np.minimum(self.double_take, self.double_pass), self.no_double)

    def match_chance(self, equity: npt.ArrayLike) -> FloatArray:
        """Convert equities of a match to chances of winning it.

        Args:
            equity: an equity, or an array of them.

        Returns:
            ``float64`` of the same shape.

        Raises:
            ValueError: the equities are not those of a match.
        """
        if self._chances is None:
            raise ValueError("these equities are for money: expected those of a match")
        level, unit = self._chances
        return level + unit * np.asarray(equity, np.float64)


@dataclass(frozen=True)
class CubeDecision:
    """One position's cube decision; its equities are in the units of `CubeEquities`."""

    action: str
    """``"no double"``, ``"double, take"``, ``"double, pass"``, ``"double, beaver"``, or
    ``"too good"``: the opponent would pass, but playing on is worth more. If a double waits for its
    answer: ``"take"``, ``"pass"`` or ``"beaver"``."""
    double: bool
    """Whether the player should double."""
    take: bool
    """Whether the opponent should take, whether or not the double is correct."""
    beaver: bool
    """Whether the opponent should beaver."""
    cubeless: float
    """The equity if nobody ever doubles."""
    centred: float
    """The equity with a centred cube, before the roll."""
    owned: float
    """The equity with the cube owned by the player, before the roll."""
    opponents: float
    """The equity with the cube owned by the opponent."""
    no_double: float
    """The equity with the cube where it is, before the roll."""
    double_take: float
    """The equity after a double that is taken."""
    double_pass: float
    """The equity after a double that is passed."""
    match_chance: float | None
    """The chance of winning the match if both sides decide correctly; None for money."""

    def __str__(self) -> str:
        """Return the action and the three equities that decide it."""
        return (
            f"{self.action} (no double {self.no_double:+.4f}, double and take "
            f"{self.double_take:+.4f}, double and pass {self.double_pass:+.4f})"
        )


class CubePoints(NamedTuple):
    """The winning chances at which decisions change, for the shares of gammons in given outcomes.

    Each is ``float64[N]``, a chance of the player to win the game.
    """

    take: FloatArray
    """From here on the player takes a double."""
    double: FloatArray
    """From here on the player doubles with a centred cube."""
    redouble: FloatArray
    """From here on the player redoubles."""
    cash: FloatArray
    """From here on the opponent passes."""
    too_good: FloatArray
    """From here on the player plays on with an owned cube instead of doubling; 1 if never."""


def cube_equities(
    outcomes: npt.ArrayLike, setting: CubeSetting | None = None, *, efficiency: float = EFFICIENCY
) -> CubeEquities:
    """Return cube equities and decisions for a batch of positions with the same cube and score.

    Args:
        outcomes: floats ``[N, 6]``, or ``[6]`` for one position: the probabilities that the player
            on roll wins, wins 2 or more points, wins 3, loses 2 or more, loses 3, and draws.
        setting: the cube, the score and the rules of the match; None for money, with a centred cube
            at 1.
        efficiency: the cube efficiency, from 0 (a dead cube) to 1 (a live one). A side that has
            nothing more to lose by doubling does so at once; its cube counts as live.

    Returns:
        The `CubeEquities`, in units of the current stake.

    Raises:
        ValueError: `outcomes` are not probabilities, the score is beyond the table, or another
            argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.cube_equities([[0.72, 0.2, 0, 0.1, 0, 0], [0.5, 0.1, 0, 0.1, 0, 0]])
        >>> found.double, found.take
        (array([ True, False]), array([ True,  True]))
    """
    setting = setting_of(setting)
    shares = shares_of(outcome_batch(outcomes))
    ladder = ladder_of(setting)
    x = number(efficiency, "efficiency", 0, 1, _DEAD_LIVE)
    here = worth(ladder, shares, x)
    raised = worth(ladder.raised(), shares, x) if ladder.open() else None
    beavered = beavered_ladder(ladder, setting)
    again = worth(beavered, shares, x).opponents if beavered is not None else None
    cubeless = worth(_without_cube(ladder), shares, 0.0).centred
    return decided(setting, ladder, cubeless, here, raised.opponents if raised else None, again)


def cube_points(
    outcomes: npt.ArrayLike, setting: CubeSetting | None = None, *, efficiency: float = EFFICIENCY
) -> CubePoints:
    """Return the winning chances at which the decisions change, at this cube and score.

    Args:
        outcomes: floats ``[N, 6]`` or ``[6]``, as in `cube_equities`. Only the shares of gammons
            and backgammons among the wins and the losses are used.
        setting: as in `cube_equities`.
        efficiency: as in `cube_equities`; 0 and 1 give the classical dead-cube and live-cube
            points.

    Returns:
        The `CubePoints`, each ``float64[N]``.

    Raises:
        ValueError: as in `cube_equities`; or nobody can double at this score or cube.

    Examples:
        >>> import tavli_fast as tf
        >>> points = tf.cube_points([0.5, 0, 0, 0, 0, 0], efficiency=0)
        >>> points.take, points.cash
        (array([0.25]), array([0.75]))
    """
    setting = setting_of(setting)
    shares, x = (
        shares_of(outcome_batch(outcomes)),
        number(efficiency, "efficiency", 0, 1, _DEAD_LIVE),
    )
    ladder = ladder_of(setting)
    if not ladder.open():
        raise ValueError("nobody can double here: expected a score and a cube with a live double")
    above = ladder.raised()
    lost, won = ladder.single(0, -1), ladder.single(0, 1)

    def where(rises: Callable[[Worth, Worth], FloatArray], low: FloatArray) -> FloatArray:
        """Find where a difference, made of straight lines, becomes positive from `low` on."""
        high = np.ones_like(low)
        for _ in range(4):  # finer and finer, until only one line is left
            grid = low[:, None] + np.multiply.outer(high - low, np.linspace(0, 1, _GRID))
            there = Shares(grid.ravel(), *(np.repeat(part, _GRID, 0) for part in shares[1:]))
            found = rises(worth(ladder, there, x), worth(above, there, x)).reshape(grid.shape)
            over = found > 0
            last = np.where(over.any(1), over.argmax(1), _GRID - 1)
            first = np.maximum(last - 1, 0)
            low, high = grid[rows, first], grid[rows, last]
            before, after = found[rows, first], found[rows, last]
        share = np.divide(-before, after - before, out=np.ones_like(low), where=after > before)
        point: FloatArray = low + (high - low) * share.clip(0, 1)
        return point

    rows = np.arange(len(shares.win))
    zero = np.zeros_like(shares.win)
    take = where(lambda _, up: up.owned - lost, zero)
    cash = where(lambda _, up: up.opponents - won, zero)
    return CubePoints(
        take,
        np.minimum(where(lambda here, up: up.opponents - here.centred, zero), cash),
        np.minimum(where(lambda here, up: up.opponents - here.owned, zero), cash),
        cash,
        where(lambda here, _: here.owned - won - TIE, cash),
    )


def decided(
    setting: CubeSetting,
    ladder: Ladder,
    cubeless: FloatArray,
    here: Worth,
    taken: FloatArray | None,
    beavered: FloatArray | None,
) -> CubeEquities:
    """Return the decisions that follow from what positions are worth, before and after a double.

    Args:
        setting: the cube, the score and the rules of the table.
        ladder: of that setting.
        cubeless: the worth without a cube.
        here: the worth at the present height, the roll coming first.
        taken: the worth after a double that is taken; None if nobody may double.
        beavered: the worth after a beaver; None if there is none.
    """
    lost, won = ladder.single(0, -1), ladder.single(0, 1)
    level, unit = (won + lost) / 2, (won - lost) / 2
    place = OWNERS.index(setting.owner)
    no_double = here[place]
    may = bool(ladder.mine[0]) and setting.owner != "opponent"
    taken = no_double if taken is None else taken
    passed = np.full_like(no_double, won)
    beaver = np.zeros(no_double.shape, np.bool_)
    if beavered is not None:
        if setting.beaver_refusable:
            beavered = np.maximum(beavered, ladder.raised().single(0, -1))
        beaver = beavered < taken - TIE * unit
        taken = np.where(beaver, beavered, taken)
    gain = np.minimum(taken, passed) - no_double
    # A double that costs nothing is given even if it gains nothing either.
    least = -TIE if ladder.free() else TIE
    double = may & (gain > least * unit)
    take = taken <= passed + TIE * unit
    too_good = may & ~double & (no_double > passed + TIE * unit)

    def scaled(values: FloatArray) -> FloatArray:
        return (values - level) / unit

    return CubeEquities(
        cubeless=scaled(cubeless),
        centred=scaled(here.centred),
        owned=scaled(here.owned),
        opponents=scaled(here.opponents),
        no_double=scaled(no_double),
        double_take=scaled(taken),
        double_pass=scaled(passed),
        may_double=may,
        double=double,
        take=take,
        beaver=beaver & take,
        too_good=too_good,
        _chances=None if setting.away is None else ((1 + level) / 2, unit / 2),
    )


def decision_of(equities: CubeEquities) -> CubeDecision:
    """Return the one decision of a batch of one."""
    double, take, beaver = (
        bool(flags[0]) for flags in (equities.double, equities.take, equities.beaver)
    )
    if double:
        action = "double, " + ("beaver" if beaver else "take" if take else "pass")
    else:
        action = "too good" if equities.too_good[0] else "no double"
    chance = None if equities._chances is None else float(equities.match_chance(equities.best)[0])
    return CubeDecision(
        action=action,
        double=double,
        take=take,
        beaver=beaver,
        cubeless=float(equities.cubeless[0]),
        centred=float(equities.centred[0]),
        owned=float(equities.owned[0]),
        opponents=float(equities.opponents[0]),
        no_double=float(equities.no_double[0]),
        double_take=float(equities.double_take[0]),
        double_pass=float(equities.double_pass[0]),
        match_chance=chance,
    )


def beavered_ladder(ladder: Ladder, setting: CubeSetting) -> Ladder | None:
    """Return the ladder after a double and a beaver, if the opponent may beaver."""
    if not setting.beavers or not ladder.open() or not ladder.raised().theirs[0]:
        return None
    return ladder.raised().raised()


def _without_cube(ladder: Ladder) -> Ladder:
    """Return the present height alone, every result counting in full."""
    return Ladder(ladder.values[:1], ladder.values[0], (False,), (False,))
