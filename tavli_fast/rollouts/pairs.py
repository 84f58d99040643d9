"""The sums of a ranking under way, and the errors of differences from trials in pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._core.constants import (
    TRIAL_COLUMNS,
    TRIAL_PLIES,
    TRIAL_POINTS,
    TRIAL_VALUES,
    UNFINISHED,
)
from tavli_fast.boards.positions import flip
from tavli_fast.cube.setting import OWNERS, CubeSetting, ladder_of
from tavli_fast.evaluation.outcomes import EQUITY, exact_values, turned
from tavli_fast.notation.play import Play
from tavli_fast.rollouts.ranked import RankedPlay
from tavli_fast.rollouts.result import sample_moments, trial_values
from tavli_fast.rules.presets import Rules

__all__ = ["Pairs"]

Floats = npt.NDArray[np.float64]


class Pairs:
    """The sums of a ranking under way: each play's moments, and the products of pairs.

    A play has one value for the ranking, its points, or with a cube two: what it is worth if the
    opponent rolls, and if he doubles and it is taken. He will do what is better for him, or be
    passed, so which of them counts is not known before the end.
    """

    def __init__(self, plays: tuple[Play, ...], rules: Rules, cube: CubeSetting | None) -> None:
        """Begin with nothing."""
        self.plays = plays
        boards = np.stack([play.board for play in plays])
        over, points = _core.batch.outcomes(boards, rules)
        self.running = np.flatnonzero(~over)
        self.boards = flip(boards)[self.running]
        self.trials = self.games = self.plies = 0
        self.cube = None if cube is None else _CubeValues(cube)
        self.kinds = 1 if cube is None else 2
        count = len(plays)
        self.means = np.zeros((count, EQUITY + 1))
        self.squares = np.zeros((count, EQUITY + 1))
        self.ranks = np.zeros(count * self.kinds)
        """The means of the values for the ranking, those of one kind together."""
        self.products = np.zeros((count * self.kinds, count * self.kinds))
        self.exact = exact_values(points)
        self.exact_ranks = self.exact[:, EQUITY:]
        if self.cube is not None:
            self.exact_ranks = np.repeat(self.cube.of_points(points)[:, np.newaxis], 2, axis=1)

    def take(self, found: Floats) -> None:
        """Add trials ``[running plays, trials, 8 or more]``, as the opponent has them."""
        finished = (found[:, :, TRIAL_POINTS] != UNFINISHED).all(axis=0)
        self.trials += found.shape[1]
        self.plies += int(found[:, :, TRIAL_PLIES].sum())
        n, m = self.games, int(finished.sum())
        if not m:
            return
        values = np.repeat(self.exact[:, np.newaxis], m, axis=1)
        ranks = np.repeat(self.exact_ranks.T[:, :, np.newaxis], m, axis=2)
        for place, rows in zip(self.running.tolist(), found[:, finished], strict=True):
            values[place] = turned(trial_values(rows[:, :TRIAL_VALUES]))
            ranks[:, place] = (
                values[place, :, EQUITY] if self.cube is None else self.cube.of_rows(rows)
            )
        share = m / (n + m)
        flat = ranks.reshape(len(self.ranks), m)
        off_centre = flat - flat.mean(axis=1, keepdims=True)
        shift = flat.mean(axis=1) - self.ranks
        self.products += off_centre @ off_centre.T + np.outer(shift, shift) * n * share
        self.ranks += shift * share
        for place in range(len(self.plays)):
            mean, square = sample_moments(values[place])[0]
            off = mean - self.means[place]
            self.means[place] += off * share
            self.squares[place] += square + off**2 * n * share
        self.games += m

    def ranked(self) -> tuple[RankedPlay, ...]:
        """Return the plays, the best first, the first of equals before the others."""
        means = self.means if len(self.running) else self.exact
        if not self.games:
            means = np.full_like(means, np.nan)
        equity, which = self._equities(means)
        order = np.argsort(-equity, kind="stable")
        best = int(order[0])
        own = np.diag(self.products)
        known = which >= 0
        spread = np.where(known, own[which], 0.0)
        shared = np.where(known & known[best], self.products[which, which[best]], 0.0)
        differences = self._errors(np.maximum(spread + spread[best] - 2 * shared, 0))
        spreads, errors = self._errors(spread), self._errors(self.squares)
        return tuple(
            RankedPlay(
                self.plays[place],
                float(equity[place]),
                float(spreads[place]),
                float(equity[place] - equity[best]),
                float("nan") if place == best else float(differences[place]),
                tuple(map(float, means[place, :EQUITY])),
                tuple(map(float, errors[place, :EQUITY])),
                float(means[place, EQUITY]),
            )
            for place in order
        )

    def _equities(self, means: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return what the plays are worth, and which of the values that is; -1 where it is certain,
        as the opponent's double is passed."""
        count = len(self.plays)
        places = np.arange(count)
        if self.cube is None:
            return means[:, EQUITY], places
        rolls, taken = self.ranks.reshape(2, count) if len(self.running) else self.exact_ranks.T
        if not self.games:
            return np.full(count, np.nan), places
        doubles = self.cube.may_double & np.isin(places, self.running)
        doubled = np.where(doubles, np.maximum(taken, -1.0), np.inf)
        which = np.where(doubled < rolls, np.where(taken < -1.0, -1, places + count), places)
        return np.minimum(rolls, doubled), which

    def _errors(self, squares: Floats) -> Floats:
        """Return standard errors of means from sums of squared deviations."""
        if self.games < 2:
            return np.full_like(squares, np.nan)
        found: Floats = np.sqrt(squares / (self.games - 1) / self.games)
        return found


class _CubeValues:
    """What games are worth with the cube to the player who chooses the play, in units of the
    stake."""

    def __init__(self, setting: CubeSetting) -> None:
        """Keep what the conversion takes."""
        self.ladder, theirs = ladder_of(setting), setting.turned()
        lost, won = self.ladder.single(0, -1), self.ladder.single(0, 1)
        self.level, self.unit = (won + lost) / 2, (won - lost) / 2
        self.centred = setting.owner == "centre"
        self.place = TRIAL_VALUES + OWNERS.index(theirs.owner)
        self.may_double = bool(ladder_of(theirs).mine[0]) and theirs.owner != "opponent"
        """Whether the opponent may double after the play."""

    def of_points(self, points: npt.NDArray[np.int8]) -> Floats:
        """Return what a play that ends the game is worth."""
        values = self.ladder.centre if self.centred else self.ladder.values[0]
        found: Floats = (values[3 + points.astype(np.intp)] - self.level) / self.unit
        return found

    def of_rows(self, rows: Floats) -> Floats:
        """Return ``float64[2, M]``: what trials, as the opponent has them, are worth if he rolls,
        and if he doubles and it is taken."""
        found: Floats = (-rows[:, [self.place, TRIAL_COLUMNS - 1]].T - self.level) / self.unit
        return found
