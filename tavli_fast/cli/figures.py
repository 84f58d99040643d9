"""What a rollout found, as numbers: shares, equities, differences, what they tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ..notation import Play
from ..rollouts import RolloutResult
from ..rules import Rules

__all__ = ["POINTS", "Figures", "figures", "levels", "ranked"]

POINTS: Final = tuple(range(-3, 4))
"""What a game can end at for X; `Figures.counts` counts the games of each."""


class Figures(NamedTuple):
    """What a rollout found about one position, as X sees it."""

    counts: tuple[int, ...]
    """Games that ended at -3 to +3 points."""
    trials: int
    std_error: float
    plies: int
    unfinished: int

    @property
    def total(self) -> int:
        """The sum of the points."""
        return sum(count * points for count, points in zip(self.counts, POINTS, strict=True))

    @property
    def equity(self) -> float:
        """The mean points of a finished game; NaN if none is."""
        finished = sum(self.counts)
        return self.total / finished if finished else math.nan

    def won(self, points: int) -> float:
        """Return the share of games that X won by at least so many points."""
        return sum(self.counts[3 + points :]) / self.trials

    def lost(self, points: int) -> float:
        """Return the share of games that X lost by at least so many points."""
        return sum(self.counts[: 4 - points]) / self.trials

    @property
    def drawn(self) -> float:
        """The share of games that nobody won."""
        return self.counts[3] / self.trials

    def minus(self, other: Figures) -> tuple[float, float]:
        """Return the difference of the equities, and its standard error.

        The error is that of independent games: each position is rolled out with dice of its own. A
        position differs from itself by nothing.
        """
        mine, theirs = sum(self.counts), sum(other.counts)
        if mine and self is other:
            return 0.0, 0.0
        if not mine or not theirs:
            return math.nan, math.nan
        # Of whole numbers up to the last division: two rounded equities would show their rounding.
        difference = (self.total * theirs - other.total * mine) / (mine * theirs)
        return difference, math.hypot(self.std_error, other.std_error)

    def document(self, rules: Rules) -> dict[str, Any]:
        """Return the figures for JSON."""
        rates = {}
        for verb, share in (("win", self.won), ("lose", self.lost)):
            for name, points in levels(rules).items():
                rates[f"{verb}_{name}" if name else verb] = share(points)
        rates["draw"] = self.drawn
        return {
            "counts": self.counts,
            "rates": rates,
            "equity": number(self.equity),
            "std_error": number(self.std_error),
            "plies": self.plies,
            "unfinished": self.unfinished,
        }


def figures(result: RolloutResult, side: int) -> list[Figures]:
    """Return a rollout's figures; `side` is 1 if X is on roll in its boards, -1 if O is."""
    return [
        Figures(tuple(counts), *rest)
        for counts, *rest in zip(
            result.counts[:, ::side].tolist(),
            result.trials.tolist(),
            result.std_error.tolist(),
            result.plies.tolist(),
            result.unfinished.tolist(),
            strict=True,
        )
    ]


def ranked(plays: Sequence[Play], result: RolloutResult) -> list[tuple[Play, Figures]]:
    """Return the plays and their figures, the best first, any without a finished game last."""

    def badness(pair: tuple[Play, Figures]) -> tuple[bool, float]:
        return math.isnan(pair[1].equity), -pair[1].equity

    return sorted(zip(plays, figures(result, -1), strict=True), key=badness)


def levels(rules: Rules) -> dict[str, int]:
    """Return the kinds of win that the rules tell apart, and their points, the least first.

    That one is every win and has no name. Kinds of the same points are one, by the first's name.
    """
    kinds = [
        ("single", rules.single_points),
        ("gammon", rules.gammon_points),
        ("backgammon", rules.backgammon_points),
    ]
    if rules.mother.startswith("lose"):
        kinds.append(("mother", rules.mother_points))
    found: dict[int, str] = {}
    for name, points in sorted(kinds, key=lambda kind: kind[1]):
        found.setdefault(points, name)
    least = min(found)
    return {name if points != least else "": points for points, name in found.items()}


def is_tied(difference: float, error: float) -> bool:
    """Return whether chance may have made a difference: it is within two standard errors."""
    return abs(difference) <= 2 * error


def number(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON has not."""
    return None if math.isnan(value) else value
