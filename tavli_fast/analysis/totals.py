"""What the decisions of a player add up to: error rates, luck, and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import log10, sqrt
from typing import Any, Final, Protocol

from tavli_fast.analysis.records import Decision

__all__ = ["ROWS", "GameSummary", "Judged", "Totals", "cells_of", "totals_of"]

_WORDS: Final = (
    (35, "awful"),
    (26, "beginner"),
    (18, "casual player"),
    (12, "intermediate"),
    (8, "advanced"),
    (5, "expert"),
    (2, "world class"),
)
"""Words for error rates in thousandths from these on, as GNU Backgammon has them."""

_BEST_WORD: Final = "supernatural"


@dataclass(frozen=True, slots=True)
class Totals:
    """The decisions of one player, added up; errors and luck in units of the stake.

    `docs/analysis.md` has the formulas, which are GNU Backgammon's.
    """

    player: str
    """The name."""
    plays: int
    """Rolls, with those that could not be played."""
    unforced: int
    """Plays with a choice."""
    play_error: float
    """What plays cost."""
    cube_decisions: int
    """Decisions about the cube."""
    close: int
    """Those that count; see `Decision.close`."""
    cube_error: float
    """What decisions about the cube cost."""
    play_cost: float
    """What plays cost, as a chance to win the match, or in points for money."""
    cube_cost: float
    """What the cube cost likewise."""
    luck: float
    """The luck of the rolls."""
    luck_worth: float
    """The luck as a chance to win the match, or in points for money."""
    doubtful: int
    """Plays that cost 0.03 to 0.06."""
    bad: int
    """Plays that cost 0.06 to 0.12."""
    very_bad: int
    """Plays that cost 0.12 or more."""
    missed_doubles: int
    wrong_doubles: int
    wrong_takes: int
    wrong_passes: int
    error_rate: float
    """Thousandths of a unit lost in each unforced play and close decision about the cube."""
    snowie_rate: float
    """Thousandths of a unit lost in each play of either side, as Snowie counted."""
    result: float | None
    """What the player has got: a match won is 0.5 and lost -0.5; for money the points; None as long
    as it is not known."""
    luck_adjusted: float | None
    """The result less the luck of the player, and more that of the opponent."""
    luck_rating: float | None
    """The difference of ratings at which the luck-adjusted result of a match is what can be
    expected; None for money, or if no difference would do."""
    fibs: float | None
    """A rating as FIBS would give it, by the errors; None for money."""

    @property
    def pr(self) -> float:
        """Half the error rate: the scale of eXtreme Gammon's performance rating."""
        return self.error_rate / 2

    @property
    def word(self) -> str:
        """The error rate in a word; empty if nothing was decided."""
        if not self.unforced + self.close:
            return ""
        return next((word for least, word in _WORDS if self.error_rate >= least), _BEST_WORD)

    def to_dict(self) -> dict[str, Any]:
        """Return the totals as one flat row."""
        return asdict(self) | {"pr": self.pr, "word": self.word}


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One game of an analysed match."""

    number: int
    """The game, from 1."""
    score: tuple[int, int]
    """The points of players 0 and 1 before it."""
    winner: int | None
    """0 or 1; None for a draw, or a game that is not over."""
    points: int
    """What the winner got."""
    totals: tuple[Totals, Totals]
    """The decisions of both players in it."""


class Judged(Protocol):
    """What of a `MatchAnalysis` pages and charts show; its attributes are described there."""

    @property
    def players(self) -> tuple[str, str]: ...  # noqa: D102
    @property
    def target(self) -> int | None: ...  # noqa: D102
    @property
    def score(self) -> tuple[int, int]: ...  # noqa: D102
    @property
    def decisions(self) -> tuple[Decision, ...]: ...  # noqa: D102
    @property
    def games(self) -> tuple[GameSummary, ...]: ...  # noqa: D102
    @property
    def evaluator(self) -> str: ...  # noqa: D102
    @property
    def partial(self) -> bool: ...  # noqa: D102
    @property
    def mended(self) -> tuple[tuple[int, str], ...]: ...  # noqa: D102
    @property
    def totals(self) -> tuple[Totals, Totals]: ...  # noqa: D102
    def worst(self, count: int = 10) -> list[Decision]: ...  # noqa: D102


def totals_of(
    decisions: Sequence[Decision],
    names: tuple[str, str],
    target: int | None,
    results: tuple[float, float] | None,
) -> tuple[Totals, Totals]:
    """Add up the decisions of both players.

    Args:
        decisions: those of a game, or of a match.
        names: of players 0 and 1.
        target: the length of the match; None for money.
        results: what each has got; None if that is not known.
    """
    both = [_Sum(d for d in decisions if d.player == player) for player in (0, 1)]
    all_plays = sum(each.plays for each in both)
    found = []
    for player, mine in enumerate(both):
        lost = mine.play_error + mine.cube_error
        counted = mine.unforced + mine.close
        result = None if results is None else results[player]
        adjusted = None
        if result is not None:
            adjusted = result - mine.luck_worth + both[1 - player].luck_worth
        found.append(
            Totals(
                player=names[player],
                plays=mine.plays,
                unforced=mine.unforced,
                play_error=mine.play_error,
                cube_decisions=mine.cube_decisions,
                close=mine.close,
                cube_error=mine.cube_error,
                play_cost=mine.play_cost,
                cube_cost=mine.cube_cost,
                luck=mine.luck,
                luck_worth=mine.luck_worth,
                doubtful=mine.marks["doubtful"],
                bad=mine.marks["bad"],
                very_bad=mine.marks["very bad"],
                missed_doubles=mine.wrong["no double"],
                wrong_doubles=mine.wrong["double"],
                wrong_takes=mine.wrong["take"],
                wrong_passes=mine.wrong["pass"],
                error_rate=1000 * lost / counted if counted else 0.0,
                snowie_rate=1000 * lost / all_plays if all_plays else 0.0,
                result=result,
                luck_adjusted=adjusted,
                luck_rating=rating_difference(adjusted, target),
                fibs=_fibs(mine, target),
            )
        )
    return found[0], found[1]


class _Sum:
    """The decisions of one player, counted."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        """Count them."""
        self.plays = self.unforced = self.cube_decisions = self.close = 0
        self.play_error = self.cube_error = self.play_cost = self.cube_cost = 0.0
        self.luck = self.luck_worth = 0.0
        self.marks = {"doubtful": 0, "bad": 0, "very bad": 0}
        self.wrong = {"no double": 0, "double": 0, "take": 0, "pass": 0}
        for decision in decisions:
            if decision.kind == "play":
                self._add_play(decision)
            else:
                self.cube_decisions += 1
                self.close += decision.close
                self.cube_error += decision.error
                self.cube_cost += decision.cost
                if decision.error > 0:
                    what = decision.played.word
                    self.wrong["take" if what == "beaver" else what] += 1

    def _add_play(self, decision: Decision) -> None:
        """Count a play."""
        self.plays += 1
        self.unforced += not decision.forced
        self.play_error += decision.error
        self.play_cost += decision.cost
        if decision.mark:
            self.marks[decision.mark] += 1
        if decision.luck is not None:
            self.luck += decision.luck.value
            self.luck_worth += decision.luck.worth


def _fibs(mine: _Sum, target: int | None) -> float | None:
    """Return a rating by the errors of a match."""
    if not target:
        return None
    move = mine.play_error / mine.unforced if mine.unforced else 0.0
    cube = mine.cube_error / mine.close if mine.close else 0.0
    return 2050 - move * (8798 + 25526 / target) - cube * (863 - 519 / target)


def rating_difference(adjusted: float | None, target: int | None) -> float | None:
    """Return the difference of ratings at which a luck-adjusted result is what can be expected.

    Args:
        adjusted: the result, -0.5 to 0.5; None if it is not known.
        target: the length of the match; None for money.

    Returns:
        The difference; None if the result is beyond any difference.
    """
    chance = 0.0 if adjusted is None else adjusted + 0.5
    if not 0 < chance < 1 or not target:
        return None
    return -2000 / sqrt(target) * log10(1 / chance - 1)


ROWS: Final = (
    ("plays", "plays"),
    ("unforced plays", "unforced"),
    ("errors of plays", "play_error"),
    ("  doubtful, bad, very bad", "marks"),
    ("cube decisions", "cube_decisions"),
    ("close cube decisions", "close"),
    ("errors of the cube", "cube_error"),
    ("  doubles missed, wrong", "doubles"),
    ("  wrong takes, passes", "answers"),
    ("error rate (mEMG)", "error_rate"),
    ("half of it (PR-like)", "pr"),
    ("Snowie's error rate", "snowie_rate"),
    ("in a word", "word"),
    ("luck", "luck"),
    ("result", "result"),
    ("luck-adjusted result", "luck_adjusted"),
    ("FIBS-like rating", "fibs"),
)
"""What the table of totals shows: a label, and a field of `Totals` or several of them."""


def cells_of(totals: Totals, name: str) -> str:
    """Return a cell of the table of totals."""
    if name == "marks":
        return f"{totals.doubtful}, {totals.bad}, {totals.very_bad}"
    if name == "doubles":
        return f"{totals.missed_doubles}, {totals.wrong_doubles}"
    if name == "answers":
        return f"{totals.wrong_takes}, {totals.wrong_passes}"
    value = getattr(totals, name)
    if value is None:
        return "-"
    if isinstance(value, float):
        if name in ("luck", "result", "luck_adjusted"):
            return f"{value:+.3f}"
        digits = {"fibs": 0, "error_rate": 2, "pr": 2, "snowie_rate": 2}.get(name, 3)
        return f"{value:.{digits}f}"
    return str(value)
