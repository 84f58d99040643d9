"""What positions are worth with the cube and the score, for many positions in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import FloatArray, Int8Array, number, shown
from tavli_fast.analysis.spot import Stage
from tavli_fast.cube.decisions import CubeEquities, beavered_ladder, decided
from tavli_fast.cube.match_equity import MatchEquityTable
from tavli_fast.cube.model import Ladder, shares_of, worth, worth_with
from tavli_fast.cube.setting import OWNERS, CubeSetting, ladder_of
from tavli_fast.evaluation.outcomes import outcome_batch

__all__ = ["EfficiencyLike", "Scale", "Valuer"]

EfficiencyLike = float | Callable[[Int8Array], Any]
"""The cube efficiency, 0 to 1, or a function of boards ``int8[M, 2, 26]``, the player on roll
first, that returns one for each."""


_OPPONENT: Final = OWNERS.index("opponent")


class Scale(NamedTuple):
    """How equities of a stage turn into points or chances of the match."""

    match: bool
    unit: float
    """What an equity of 1 is worth: in a match its chance to be won, for money the stake."""
    level: float = 0.0
    """What an equity of 0 is worth likewise."""


class _Place(NamedTuple):
    """A stage as its player on roll sees it, taken apart once."""

    setting: CubeSetting
    ladder: Ladder
    scale: Scale


class Valuer:
    """Turns outcomes into equities with the cube.

    Args:
        table: the match equity table; None for the computed one.
        efficiency: the cube efficiency.

    Raises:
        ValueError: `efficiency` is neither a number from 0 to 1 nor callable.
    """

    def __init__(self, table: MatchEquityTable | None, efficiency: EfficiencyLike) -> None:
        """Check the efficiency."""
        self.table = table
        self.efficiency = efficiency
        if not callable(efficiency):
            self.efficiency = number(efficiency, "efficiency", 0, 1, ", or a callable")
        self._places: dict[tuple[Stage, bool], _Place] = {}

    def scale(self, stage: Stage | None) -> Scale:
        """Return what an equity of 1 is worth."""
        return Scale(False, 1.0) if stage is None else self._place(stage, False).scale

    def may_double(self, stage: Stage) -> bool:
        """Return whether the player on roll may double, and it is of use."""
        return stage.owner != "opponent" and self._place(stage, False).ladder.mine[0]

    def on_roll(self, outcomes: FloatArray, boards: Int8Array, stage: Stage) -> CubeEquities:
        """Return the equities of positions before the roll, with one stage.

        Args:
            outcomes: ``float64[M, 6]`` of the player on roll.
            boards: ``int8[M, 2, 26]``, that player first.
            stage: the cube and the score, seen by that player.
        """
        place, shares, x = self._place(stage, False), shares_of(outcomes), self._efficiency(boards)
        setting, ladder = place.setting, place.ladder
        here = worth(ladder, shares, x)
        raised = worth_with(ladder.raised(), shares, x, _OPPONENT) if ladder.open() else None
        beavered = beavered_ladder(ladder, setting)
        again = None if beavered is None else worth_with(beavered, shares, x, _OPPONENT)
        return decided(setting, ladder, here.centred, here, raised, again)

    def moved(
        self,
        values: FloatArray,
        boards: Int8Array,
        stages: Sequence[Stage | None],
        owner: npt.NDArray[np.int64],
    ) -> FloatArray:
        """Return what positions after a play are worth to the player who has just moved.

        Args:
            values: ``float64[M, 7]``: outcomes and equities, as the player who has moved has them.
            boards: ``int8[M, 2, 26]``, not flipped.
            stages: the cube and the score of turns, seen by their players.
            owner: ``int64[M]``: the turn of each position.

        Returns:
            ``float64[M]``: equities in units of the stake.
        """
        found = values[:, 6].copy()
        numbers: dict[Stage | None, int] = {}
        group = np.array([numbers.setdefault(stage, len(numbers)) for stage in stages])[owner]
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(len(numbers) + 1))
        for stage, at in numbers.items():
            rows = order[ends[at] : ends[at + 1]]
            if stage is None or not len(rows):
                continue
            theirs = _turned(outcome_batch(values[rows, :6], judged=True))
            place = self._place(stage, True)
            found[rows] = -self._best(theirs, boards[rows][:, ::-1], place)
        return found

    def _best(self, outcomes: FloatArray, boards: Int8Array, place: _Place) -> FloatArray:
        """Return the equities of positions of one place, if both sides decide correctly: the field
        `best` of `on_roll`, without the others."""
        setting, ladder = place.setting, place.ladder
        shares, x = shares_of(outcomes), self._efficiency(boards)
        lost, won = ladder.single(0, -1), ladder.single(0, 1)
        best = worth_with(ladder, shares, x, OWNERS.index(setting.owner))
        if ladder.mine[0] and setting.owner != "opponent":
            taken = worth_with(ladder.raised(), shares, x, _OPPONENT)
            beavered = beavered_ladder(ladder, setting)
            if beavered is not None:
                again = worth_with(beavered, shares, x, _OPPONENT)
                if setting.beaver_refusable:
                    again = np.maximum(again, ladder.raised().single(0, -1))
                taken = np.minimum(taken, again)
            best = np.maximum(best, np.minimum(taken, won))
        return (best - (won + lost) / 2) / ((won - lost) / 2)

    def _efficiency(self, boards: Int8Array) -> Any:
        """Return the cube efficiency of boards, the player on roll first.

        Raises:
            ValueError: the function of the caller does not return one for each.
        """
        if not callable(self.efficiency):
            return self.efficiency
        x = np.asarray(self.efficiency(np.ascontiguousarray(boards)), np.float64)
        if x.shape != (len(boards),) or not ((x >= 0) & (x <= 1)).all():
            raise ValueError(
                f"efficiency={shown(self.efficiency)} returned {shown(x)}: expected "
                f"{len(boards)} numbers from 0 to 1"
            )
        return x

    def _place(self, stage: Stage, turned: bool) -> _Place:
        """Return a stage taken apart, as its player or the other one sees it."""
        key = stage, turned
        if key not in self._places:
            setting = stage.setting(self.table)
            setting = setting.turned() if turned else setting
            ladder = ladder_of(setting)
            unit = (ladder.single(0, 1) - ladder.single(0, -1)) / 2
            match = stage.away is not None
            middle = (ladder.single(0, 1) + ladder.single(0, -1)) / 2
            scale = Scale(False, float(stage.cube))
            if match:
                scale = Scale(True, unit / 2, (1 + middle) / 2)
            self._places[key] = _Place(setting, ladder, scale)
        return self._places[key]


def _turned(outcomes: FloatArray) -> FloatArray:
    """Return outcomes ``[M, 6]`` as the other player has them."""
    other = outcomes[:, [0, 3, 4, 1, 2, 5]]
    other[:, 0] = np.maximum(1 - outcomes[:, 0] - outcomes[:, 5], 0)
    return other
