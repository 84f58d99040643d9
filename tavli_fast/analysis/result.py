"""The analysis of a match: its decisions, and what they add up to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from tavli_fast._common.arguments import shown, whole_number
from tavli_fast.analysis.page import board_of, page, totals_table
from tavli_fast.analysis.records import Decision
from tavli_fast.analysis.totals import ROWS, GameSummary, Totals, cells_of, totals_of

__all__ = ["MatchAnalysis"]


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

    def html(self) -> str:
        """Return the analysis as one page of HTML that needs nothing else: totals, the course of
        the match, all decisions in a table to sort, and a board with arrows for each error."""
        return page(self)

    def _repr_html_(self) -> str:
        """Return the totals and the three worst errors, for a notebook."""
        worst = "".join(
            f"<p>Game {each.game}, turn {each.turn}, {escape(self.players[each.player])}: "
            f"{escape(each.played.text)} costs {each.error:.3f}; best {escape(each.best.text)}</p>"
            + board_of(each, self.players)
            for each in self.worst(3)
        )
        return totals_table(self) + worst

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


def _table(totals: Sequence[Totals]) -> list[str]:
    """Return the lines of the table of totals."""
    lines = [["", *(each.player for each in totals)]]
    lines += [[label, *(cells_of(each, name) for each in totals)] for label, name in ROWS]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return [
        f"{line[0]:<{widths[0]}}  {line[1]:>{widths[1]}}  {line[2]:>{widths[2]}}".rstrip()
        for line in lines
    ]
