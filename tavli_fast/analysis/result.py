"""The analysis of a match: its decisions, and what they add up to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tavli_fast._common.arguments import shown, whole_number
from tavli_fast.analysis.decisions import Decision
from tavli_fast.analysis.totals import Totals, totals_of

__all__ = ["GameSummary", "MatchAnalysis"]


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


@dataclass(frozen=True, eq=False, repr=False)
class MatchAnalysis:
    """A match with all its decisions judged, as `analyse` returns it."""

    players: tuple[str, str]
    """The names of players 0 and 1."""
    target: int | None
    """The length of the match; None for money or a series without an end."""
    score: tuple[int, int]
    """The final score."""
    decisions: tuple[Decision, ...]
    """All decisions, in the order of play."""
    games: tuple[GameSummary, ...]
    """The games."""
    evaluator: str
    """Who judged, and how."""
    partial: bool = False
    """Whether the analysis was interrupted: the decisions after the last one are missing."""
    mended: tuple[tuple[int, str], ...] = field(default=())
    """What of the match text was read otherwise than it stands; see `MatMatch.mended`."""

    @cached_property
    def totals(self) -> tuple[Totals, Totals]:
        """What the decisions of players 0 and 1 add up to."""
        return totals_of(self.decisions, self.players, self.target, self._results())

    def worst(self, count: int = 10, player: int | str | None = None) -> list[Decision]:
        """Return the decisions that cost most, the worst first.

        Args:
            count: how many at most; decisions without an error are left out.
            player: 0, 1, or a name; None for both players.

        Raises:
            ValueError: `player` is neither a player nor the name of one.
        """
        count = whole_number(count, "count", 0)
        who = None if player is None else self.index_of(player)
        found = [d for d in self.decisions if d.error > 0 and who in (None, d.player)]
        return sorted(found, key=lambda decision: -decision.error)[:count]

    def index_of(self, player: int | str) -> int:
        """Return which player is meant, 0 or 1.

        Args:
            player: 0, 1, or a name, in any case.

        Raises:
            ValueError: there is no such player, or both have the name.
        """
        if isinstance(player, str):
            names = [name.casefold() for name in self.players]
            found = [at for at, name in enumerate(names) if name == player.casefold()]
            if len(found) != 1:
                expected = " or ".join(self.players)
                raise ValueError(f"player={shown(player)}: expected {expected}")
            return found[0]
        return whole_number(player, "player", 0, 1)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row for each decision, for a table of pandas or polars."""
        return [
            decision.to_dict() | {"name": self.players[decision.player]}
            for decision in self.decisions
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole analysis as JSON-compatible data."""
        return {
            "players": list(self.players),
            "target": self.target,
            "score": list(self.score),
            "evaluator": self.evaluator,
            "partial": self.partial,
            "totals": [each.to_dict() for each in self.totals],
            "games": [
                {
                    "number": game.number,
                    "score": list(game.score),
                    "winner": game.winner,
                    "points": game.points,
                    "totals": [each.to_dict() for each in game.totals],
                }
                for game in self.games
            ],
            "decisions": self.to_dicts(),
            "mended": [list(each) for each in self.mended],
        }

    def to_json(self) -> str:
        """Return `to_dict` as a text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_csv(self) -> str:
        """Return the rows of `to_dicts` as CSV, with a heading."""
        rows, text = self.to_dicts(), io.StringIO()
        if rows:
            writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return text.getvalue()

    def __str__(self) -> str:
        """Return the totals as a table."""
        return "\n".join(_table(self.totals))

    def __repr__(self) -> str:
        """Return the players, the score and the error rates."""
        first, second = (f"{each.error_rate:.1f}" for each in self.totals)
        score = "-".join(map(str, self.score))
        return (
            f"<MatchAnalysis {self.players[0]} {score} {self.players[1]}: error rates {first} and "
            f"{second}{', partial' if self.partial else ''}>"
        )

    def _results(self) -> tuple[float, float] | None:
        """Return what both players have got: of a match half a win, of money the points."""
        if self.target is None:
            points = float(self.score[0] - self.score[1])
            return points, -points
        if max(self.score) < self.target:
            return None
        won = 0.5 if self.score[0] > self.score[1] else -0.5
        return won, -won


ROWS: tuple[tuple[str, str], ...] = (
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


def _table(totals: Sequence[Totals]) -> list[str]:
    """Return the lines of the table of totals."""
    lines = [["", *(each.player for each in totals)]]
    lines += [[label, *(cells_of(each, name) for each in totals)] for label, name in ROWS]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return [
        f"{line[0]:<{widths[0]}}  {line[1]:>{widths[1]}}  {line[2]:>{widths[2]}}".rstrip()
        for line in lines
    ]
