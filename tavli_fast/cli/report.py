"""A rollout told to a player, or as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import click

from ..boards import flip
from ..ids import any_id
from ..notation import Play
from ..rollouts import RolloutResult
from ..rules import Rules
from .figures import POINTS, Figures, figures, is_tied, levels, number, ranked
from .options import Table
from .output import Column, counted, plus_minus, print_table

__all__ = ["Report"]

_RANDOM: Final = "Both sides play at random: the figures compare positions, and are no advice."

_TIED: Final = "~"
"""What marks a play that is not told apart from the best."""


@dataclass(frozen=True)
class Report:
    """A rollout and what it was of."""

    table: Table
    outcome: int | None
    """The points of X, if the game is over."""
    max_plies: int
    result: RolloutResult
    seconds: float

    @property
    def rules(self) -> Rules:
        """The rules played."""
        return self.table.game.rules

    def document(self) -> dict[str, Any]:
        """Return the rollout of the position for JSON."""
        return self._head() | figures(self.result, 1)[0].document(self.rules)

    def ranking_document(self, plays: Sequence[Play], top: int | None) -> dict[str, Any]:
        """Return the rollout of a roll's plays for JSON, the best play first."""
        listed = []
        order = ranked(plays, self.result)
        for play, found in order[:top]:
            difference, error = found.minus(order[0][1])
            listed.append(
                {
                    "play": str(play),
                    "moves": play.moves,
                    "afterstate": any_id(play.board, self.rules),
                    "next": any_id(flip(play.board), self.rules),
                    "difference": number(difference),
                    "difference_std_error": number(error),
                    "tied_with_best": None if math.isnan(error) else is_tied(difference, error),
                    **found.document(self.rules),
                }
            )
        dance = not plays[0].moves
        count = 0 if dance else len(plays)
        return self._head() | {"dance": dance, "legal_plays": count, "plays": listed}

    def print(self) -> None:
        """Print the rollout of the position."""
        self._print_head()
        if self.outcome is not None:
            click.echo(f"The game is over: {_outcome_text(self.outcome)}.")
            return
        click.echo()
        _print_sides(figures(self.result, 1)[0], self.rules)
        self._print_tail("")

    def print_ranking(self, plays: Sequence[Play], top: int | None) -> None:
        """Print the rollout of a roll's plays, the best play first."""
        dice = self.table.roll
        assert dice is not None
        self._print_head()
        legal = counted(len(plays), "legal play") if plays[0].moves else "Cannot Move, X dances"
        each = " each" if len(plays) > 1 else ""
        games = counted(int(self.result.trials[0]), "game")
        click.echo(f"roll {dice[0]}-{dice[1]}: {legal}; {games}{each}\n")
        order = ranked(plays, self.result)
        tied = _print_ranked(order[:top], self.rules)
        if top is not None and top < len(order):
            click.echo(f"({len(order) - top} more)")
        self._print_tail(f"; {_TIED} is within two of them of the best" if tied else "")

    def _head(self) -> dict[str, Any]:
        """Return what every JSON document begins with."""
        return {
            **self.table.head(),
            "roll": self.table.roll,
            "over": self.outcome is not None,
            "outcome": self.outcome,
            "policy": self.result.policy,
            "trials": int(self.result.trials[0]),
            "seed": self.result.seeds[0],
            "max_plies": self.max_plies,
            "seconds": self.seconds,
            "points": POINTS,
        }

    def _print_head(self) -> None:
        """Print what it takes to repeat the rollout."""
        seed = "" if self.outcome is not None else f", seed {self.result.seeds[0]}"
        click.echo(f"{self.table.game}, position {self.table.id}{seed}")

    def _print_tail(self, on_marks: str) -> None:
        """Print what the work was, and how to take the figures and their marks."""
        games = int(self.result.trials.sum())
        mean = self.result.plies.sum() / games
        speed = f"{self.seconds:.2f} s, {games / max(self.seconds, 1e-9):,.0f} games/s"
        click.echo(f"\n{counted(games, 'game')}, mean {mean:.1f} plies, {speed}")
        cut = int(self.result.unfinished.sum())
        if cut:
            click.echo(f"{counted(cut, 'game')} cut at {self.max_plies:,} plies: not in the equity")
        for line in _about_columns(self.rules):
            click.echo(line)
        click.echo(f"{plus_minus()} is one standard error{on_marks}.")
        click.echo(_RANDOM)


def _about_columns(rules: Rules) -> list[str]:
    """Say what the columns of wins count, where their heads do not."""
    found = levels(rules)
    lines = [
        f"{lower.capitalize()}s include {upper}s." for lower, upper in pairwise(list(found)[1:])
    ]
    if rules.mother.startswith("lose") and "mother" not in found:
        names = {points: name or "single win" for name, points in found.items()}
        lines.append(f"A game lost by the mother counts as a {names[rules.mother_points]}.")
    return lines


def _outcome_text(points: int) -> str:
    """Return who has won, and how much."""
    if points == 0:
        return "a draw"
    side = "X" if points > 0 else "O"
    return f"{side} has won {counted(abs(points), 'point')}"


def _print_sides(found: Figures, rules: Rules) -> None:
    """Print a row for each side, a column for each kind of win, and the equity."""
    sides = {"X wins": found.won, "O wins": found.lost}
    draws = bool(found.drawn)
    columns = [Column("", [*sides, *["draw"] * draws], left=True)]
    for name, points in levels(rules).items():
        cells = [f"{share(points):.2%}" for share in sides.values()]
        if draws:
            cells.append("" if name else f"{found.drawn:.2%}")
        columns.append(Column(f"{name} ({points})" if name else "all", cells))
    print_table(columns)
    error = "" if math.isnan(found.std_error) else f" {plus_minus()} {found.std_error:.4f}"
    click.echo(f"\nequity of X {_signed(found.equity)}{error} points a game")


def _print_ranked(order: Sequence[tuple[Play, Figures]], rules: Rules) -> bool:
    """Print a line for each play, best first; return whether some may be as good as the best."""
    found = [each for _, each in order]
    differences = [each.minus(found[0]) for each in found[1:]]
    marks = [_TIED if is_tied(*difference) else "" for difference in differences]
    columns = [
        Column("", [str(place) for place in range(1, len(order) + 1)]),
        Column("play", [str(play) for play, _ in order], left=True),
        Column("equity", [_signed(each.equity) for each in found]),
        Column(plus_minus(), [_error(each.std_error) for each in found], extra=True),
        Column("to best", ["", *(_signed(difference) for difference, _ in differences)]),
        Column(plus_minus(), ["", *(_error(error) for _, error in differences)], extra=True),
        Column("", ["", *marks]),
    ]
    # High and narrow heads: a dozen columns are to fit into eighty characters.
    heads = {"gammon": "gam.", "backgammon": "bg."}
    for verb, share in (("win", Figures.won), ("lose", Figures.lost)):
        for name, points in levels(rules).items():
            cells = [f"{share(each, points):.1%}" for each in found]
            head = f"{verb}\n{heads.get(name, name)}\n({points})" if name else verb
            columns.append(Column(head, cells, extra=True))
    if any(each.drawn for each in found):
        columns.append(Column("draw", [f"{each.drawn:.1%}" for each in found], extra=True))
    print_table(columns)
    return any(marks)


def _error(error: float) -> str:
    """Return a standard error, nothing if there is none."""
    return "" if math.isnan(error) else f"{error:.4f}"


def _signed(equity: float) -> str:
    """Return an equity, or a difference of two, with its sign."""
    return "none" if math.isnan(equity) else f"{equity:+.4f}"
