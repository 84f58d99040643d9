"""Many turns judged together: every play of every roll evaluated in one batch, then the close
plays further ahead, then the cube."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tavli_fast._common.arguments import FloatArray, Int8Array, shown
from tavli_fast.analysis.spot import Spot
from tavli_fast.analysis.values import Valuer
from tavli_fast.cube.decisions import CubeEquities
from tavli_fast.evaluation.evaluator import Player, values_of
from tavli_fast.evaluation.outcomes import (
    CHANCES,
    EQUITY,
    ROLLS,
    Values,
    equities,
    outcome_batch,
    turned,
)
from tavli_fast.evaluation.search import Search, flipped, listed, play_counts, weighed
from tavli_fast.rules.presets import Rules

__all__ = ["Candidate", "CubeView", "Found", "Judge"]

Ahead = Callable[[Int8Array, Rules], Values]
"""What boards before the roll are worth to the player on roll, looked at more closely."""


class Candidate(NamedTuple):
    """A play that was looked at."""

    moves: tuple[tuple[int, int], ...]
    board: Int8Array
    """The position that it leaves, not flipped."""
    equity: float
    outcomes: tuple[float, ...]
    deep: bool
    """Whether it was looked at more closely."""


class CubeView(NamedTuple):
    """What a position is worth before the roll, in units of the stake."""

    no_double: float
    double_take: float
    double_pass: float
    cubeless: float
    double: bool
    """Whether a double is right."""
    take: bool
    """Whether a take is right."""
    beaver: bool
    too_good: bool
    outcomes: tuple[float, ...]


@dataclass(slots=True)
class Found:
    """What is known of a turn."""

    candidates: list[Candidate]
    """The best plays, the best first, and the one that was played; empty without a roll."""
    legal: int
    """How many plays the roll has."""
    best: float
    """The equity of the best play."""
    played: float
    """The equity of the play that was made."""
    luck: float | None
    """The luck of the roll."""
    cube: CubeView | None
    """The cube, if the player might double or did."""


@dataclass(frozen=True)
class Judge:
    """Who judges turns, and how closely."""

    player: Player
    valuer: Valuer
    ahead: Ahead | None
    """None for the evaluator alone, without looking ahead."""
    top: int
    """How many plays are kept."""
    most: int = 8
    within: float = 0.16
    """Which plays are looked at more closely: so many, within so much equity of the best (GNU
    Backgammon's normal filter)."""

    def judged(self, spots: Sequence[Spot]) -> list[Found]:
        """Judge turns of the same rules."""
        rules = spots[0].rules
        found = [Found([], 0, 0.0, 0.0, None, None) for _ in spots]
        rolled = [at for at, spot in enumerate(spots) if spot.dice is not None]
        if rolled:
            self._rolls([spots[at] for at in rolled], [found[at] for at in rolled], rules)
        self._cubes(spots, found, rules)
        return found

    def _rolls(self, spots: Sequence[Spot], found: Sequence[Found], rules: Rules) -> None:
        """Judge the plays and the luck of turns with a roll."""
        boards = np.stack([spot.board for spot in spots])
        opening = [at for at, spot in enumerate(spots) if spot.opening]
        # The opponent might have started as well: in an opening, half of the rolls are his.
        everything = np.concatenate([boards, flipped(boards[opening])])
        pairs = np.repeat(everything, len(ROLLS), axis=0)
        dice = np.tile(ROLLS, (len(everything), 1))
        counts = play_counts(pairs, dice, rules)
        some = listed(pairs, dice, rules, counts, slice(0, len(pairs)))
        _, values = weighed(Search(self.player, rules, ()), some, 0, ())
        self._check_outcomes(values, spots)
        sizes = np.diff(some.starts, append=len(some.boards))
        owner = np.repeat(np.repeat(np.arange(len(everything)), len(ROLLS)), sizes)
        stages = [spot.after for spot in spots]
        for at in opening:
            stage = spots[at].after
            stages.append(None if stage is None else stage.turned())
        worth = self.valuer.moved(values, some.boards, stages, owner)
        best = np.maximum.reduceat(worth, some.starts).reshape(len(everything), len(ROLLS))
        means = best @ CHANCES
        mixed = ROLLS[:, 0] != ROLLS[:, 1]
        for place, at in enumerate(opening):
            both = best[at, mixed].sum() - best[len(spots) + place, mixed].sum()
            means[at] = both / (2 * mixed.sum())
        for at, spot in enumerate(spots):
            assert spot.dice is not None
            roll = at * len(ROLLS) + _ROLL_OF[max(spot.dice), min(spot.dice)]
            first = int(some.starts[roll])
            end = int(some.starts[roll + 1]) if roll + 1 < len(some.starts) else len(worth)
            found[at].luck = float(best[at, _ROLL_OF[max(spot.dice), min(spot.dice)]] - means[at])
            found[at].legal = int(counts[roll])
            rows = slice(first, end)
            self._rank(spot, found[at], some.boards[rows], values[rows], worth[rows])
        if self.ahead is not None:
            self._look_ahead(spots, found, rules)
        _name_moves(spots, found, rules)

    def _rank(
        self, spot: Spot, found: Found, boards: Int8Array, values: Values, worth: FloatArray
    ) -> None:
        """Order the plays of a roll; keep the close ones and the one that was made."""
        order = np.argsort(-worth, kind="stable")
        made = int(order[0])
        if spot.played is not None:
            made = int((boards == spot.played).all(axis=(1, 2)).argmax())
        most, within = (self.top, np.inf) if self.ahead is None else (self.most, self.within)
        kept = [int(row) for row in order[:most] if worth[row] >= worth[order[0]] - within]
        if made not in kept:
            kept.append(made)
        found.best, found.played = float(worth[order[0]]), float(worth[made])
        found.candidates = [
            Candidate(
                (), boards[row], float(worth[row]), tuple(values[row, :EQUITY].tolist()), False
            )
            for row in kept
        ]

    def _look_ahead(self, spots: Sequence[Spot], found: Sequence[Found], rules: Rules) -> None:
        """Judge the plays that are close more closely, all of them at once."""
        assert self.ahead is not None
        open_ = [at for at, each in enumerate(found) if len(each.candidates) > 1]
        if not open_:
            return
        owner = np.repeat(np.arange(len(open_)), [len(found[at].candidates) for at in open_])
        boards = np.stack([play.board for at in open_ for play in found[at].candidates])
        values = turned(self.ahead(flipped(boards), rules))
        worth = self.valuer.moved(values, boards, [spots[at].after for at in open_], owner)
        for place, at in enumerate(open_):
            rows = np.flatnonzero(owner == place)
            played = spots[at].played
            plays = [
                play._replace(
                    equity=float(worth[row]),
                    outcomes=tuple(values[row, :EQUITY].tolist()),
                    deep=True,
                )
                for row, play in zip(rows, found[at].candidates, strict=True)
            ]
            made = next(play for play in plays if played is None or (play.board == played).all())
            plays.sort(key=lambda play: -play.equity)
            found[at].best, found[at].played = plays[0].equity, made.equity
            plays = plays[: self.top]
            found[at].candidates = plays if any(p is made for p in plays) else [*plays, made]

    def _cubes(self, spots: Sequence[Spot], found: Sequence[Found], rules: Rules) -> None:
        """Judge the cube where the player might double, or did."""
        asked: dict[object, list[int]] = {}
        for at, spot in enumerate(spots):
            if spot.stage is None or (spot.opening and not spot.doubled):
                continue
            if spot.doubled or self.valuer.may_double(spot.stage):
                asked.setdefault(spot.stage, []).append(at)
        rows = [at for group in asked.values() for at in group]
        if not rows:
            return
        boards = np.stack([spots[at].board for at in rows])
        if self.ahead is None:
            values = turned(values_of(self.player, flipped(boards), rules))
        else:
            values = self.ahead(boards, rules)
        self._check_outcomes(values, spots)
        outcomes = outcome_batch(values[:, :EQUITY], judged=True)
        first = 0
        for group in asked.values():
            part = slice(first, first + len(group))
            stage = spots[group[0]].stage
            assert stage is not None
            equal = self.valuer.on_roll(outcomes[part], boards[part], stage)
            for place, at in enumerate(group):
                found[at].cube = _cube_view(equal, place, outcomes[part][place])
            first += len(group)

    def _check_outcomes(self, values: Values, spots: Sequence[Spot]) -> None:
        """Refuse an evaluator of equities alone where there is a cube."""
        if any(spot.stage is not None for spot in spots) and np.isnan(values[:, 0]).any():
            raise ValueError(
                f"evaluator={shown(self.player.name)} tells equities only: expected outcome "
                "probabilities, [M, 5] or [M, 6], in a game with a cube"
            )


_ROLL_OF: Final = {(int(high), int(low)): place for place, (high, low) in enumerate(ROLLS.tolist())}


def _cube_view(equal: CubeEquities, at: int, outcomes: FloatArray) -> CubeView:
    """Return one position's cube."""
    return CubeView(
        float(equal.no_double[at]),
        float(equal.double_take[at]),
        float(equal.double_pass[at]),
        float(equities(outcomes[None])[0]),
        bool(equal.double[at]),
        bool(equal.take[at]),
        bool(equal.beaver[at]),
        bool(equal.too_good[at]),
        tuple(outcomes.tolist()),
    )


def _name_moves(spots: Sequence[Spot], found: Sequence[Found], rules: Rules) -> None:
    """Find the moves of the plays that are kept."""
    boards = np.stack([spot.board for spot in spots])
    dice = np.array([spot.dice for spot in spots], np.int8)
    counts = play_counts(boards, dice, rules)
    some = listed(boards, dice, rules, counts, slice(0, len(boards)), with_moves=True)
    assert some.moves is not None
    ends = [*some.starts[1:].tolist(), len(some.boards)]
    for at, each in enumerate(found):
        first = int(some.starts[at])
        here = some.boards[first : ends[at]]
        for place, play in enumerate(each.candidates):
            row = first + int((here == play.board).all(axis=(1, 2)).argmax())
            moves = tuple((a, b) for a, b in some.moves[row].tolist() if a >= 0)
            each.candidates[place] = play._replace(moves=moves)
