"""What a rollout found, as numbers: shares of games, equities, and which plays they tell apart."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from tavli_fast.rules.presets import Rules

__all__ = [
    "POINTS",
    "STD_ERRORS_95",
    "Estimate",
    "error_text",
    "is_tied",
    "number",
    "signed",
    "win_levels",
]

POINTS: Final = tuple(range(-3, 4))
"""What a game can end at for X; the counts of a rollout are of these."""
STD_ERRORS_95: Final = 1.96
"""Standard errors on either side that hold the true value in 95 of 100 cases."""


class Estimate(NamedTuple):
    """What a rollout found about one position, as X sees it."""

    outcomes: tuple[float, ...]
    """The probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more, 3, of a draw."""
    outcome_errors: tuple[float, ...]
    equity: float
    std_error: float

    def won(self, points: int) -> float:
        """Return the share of games that X won by at least so many points."""
        return self.outcomes[points - 1]

    def lost(self, points: int) -> float:
        """Return the share of games that X lost by at least so many points."""
        win, draw = self.outcomes[0], self.drawn
        return 1 - win - draw if points == 1 else self.outcomes[1 + points]

    @property
    def drawn(self) -> float:
        """The share of games that nobody won."""
        return self.outcomes[5]

    def document(self, rules: Rules) -> dict[str, Any]:
        """Return the estimate for JSON."""
        rates = {}
        for verb, share in (("win", self.won), ("lose", self.lost)):
            for name, points in win_levels(rules).items():
                rates[f"{verb}_{name}" if name else verb] = number(share(points))
        rates["draw"] = number(self.drawn)
        return {
            "rates": rates,
            "outcomes": [*map(number, self.outcomes)],
            "outcome_std_errors": [*map(number, self.outcome_errors)],
            "equity": number(self.equity),
            "std_error": number(self.std_error),
        }


def win_levels(rules: Rules) -> dict[str, int]:
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
    """Tell whether chance may have made a difference: it is within two standard errors."""
    return abs(difference) <= 2 * error


def number(value: float) -> float | None:
    """Return None for NaN, which JSON has not."""
    return None if math.isnan(value) else value


def signed(equity: float) -> str:
    """Write an equity, or a difference of two, with its sign."""
    return "none" if math.isnan(equity) else f"{equity:+.4f}"


def error_text(error: float) -> str:
    """Write a standard error, nothing if there is none."""
    return "" if math.isnan(error) else f"{error:.4f}"
