"""The command ``rollout``: what a position, or each play of a roll, is worth under random play."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, NamedTuple

import click
import numpy as np

from .._arguments import MAX_PLIES, Int8Array
from ..boards import flip, outcomes
from ..ids import position_id
from ..legal import legal_plays
from ..notation import Play
from ..rollouts import RolloutResult
from ..rollouts import rollout as roll_out
from ..rules import RULES, Rules
from ..view import view
from .options import Roll, json_option, position_option, read_position, roll_option, rules_option
from .output import Column, counted, plus_minus, print_json, print_table, progress_bar

__all__ = ["rollout"]

_SEED_BITS: Final = 53
"""What a fresh seed has: every reader of JSON keeps whole numbers of that size exact."""

_RANDOM: Final = "Both sides play at random: the figures compare positions, and are no advice."


@click.command(short_help="Play a position, or the plays of a roll, to the end many times.")
@position_option
@roll_option
@rules_option
@click.option(
    "--trials",
    type=click.IntRange(1, 10**15),
    default=1296,
    show_default=True,
    help="Games; with a roll, games for each play.",
)
@click.option("--seed", type=click.IntRange(0), help="Repeats a rollout exactly.")
@click.option("--threads", type=click.IntRange(1, 1024), help="All processors if missing.")
@click.option(
    "--max-plies",
    type=click.IntRange(1, 2**62),
    default=MAX_PLIES,
    show_default=True,
    help="Where a game is cut, and has no result.",
)
@click.option("--top", type=click.IntRange(1), help="Show only so many plays, the best.")
@click.option("--board/--no-board", "draw", default=True, help="Draw the position, or do not.")
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
@json_option
def rollout(
    position: str | None,
    roll: Roll | None,
    rules: str,
    trials: int,
    seed: int | None,
    threads: int | None,
    max_plies: int,
    top: int | None,
    draw: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play a position to the end many times, both sides at random, and count the results.

    With a roll each of its legal plays is rolled out, and the best stands first. All figures are
    those of X, the player on roll. The equity is the mean number of points a game; the standard
    error beside it says how far off chance may have put it.
    """
    board, dice = read_position(position, rules)
    dice = roll or dice
    if top is not None and dice is None:
        raise click.UsageError("--top without a roll: expected --roll 31, or an XGID with a roll")
    over, points = outcomes(board, rules)
    plays: tuple[Play, ...] | None = None
    boards = board
    if dice and not over[0]:
        # Where X dances, the one thing to roll out is the board as it stands, O on roll.
        plays = tuple(legal_plays(board, dice, rules)) or (Play((), board, ()),)
        boards = flip(np.stack([play.board for play in plays]))
    began = perf_counter()
    with progress_bar(not quiet and not as_json) as progress:
        result = roll_out(
            boards,
            rules,
            trials=trials,
            seed=secrets.randbits(_SEED_BITS) if seed is None else seed,
            threads=threads,
            max_plies=max_plies,
            progress=progress,
        )
    report = _Report(
        rules=rules,
        board=board,
        dice=dice,
        outcome=int(points[0]) if over[0] else None,
        max_plies=max_plies,
        result=result,
        seconds=perf_counter() - began,
    )
    if as_json:
        print_json(report.document() if plays is None else report.ranking_document(plays, top))
        return
    if draw:
        click.echo(f"{view(board, rules)}\n")
    if plays is None:
        report.print()
    else:
        report.print_ranking(plays, top)


class _Figures(NamedTuple):
    """What a rollout found about one position, as X sees it."""

    counts: tuple[int, ...]
    """Games that ended at -3 to +3 points."""
    trials: int
    equity: float
    std_error: float
    plies: int
    unfinished: int

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


@dataclass(frozen=True)
class _Report:
    """A rollout and what it was of, to be told to a player or as JSON."""

    rules: str
    board: Int8Array
    dice: Roll | None
    outcome: int | None
    """The points of X, if the game is over."""
    max_plies: int
    result: RolloutResult
    seconds: float

    def document(self) -> dict[str, Any]:
        """Return the rollout of the position for JSON."""
        return self._head() | _facts(_figures(self.result, 1)[0], RULES[self.rules])

    def ranking_document(self, plays: Sequence[Play], top: int | None) -> dict[str, Any]:
        """Return the rollout of a roll's plays for JSON, the best play first."""
        ranked = _ranked(plays, self.result)
        best = ranked[0][1].equity
        listed = [
            {
                "play": str(play),
                "moves": play.moves,
                "afterstate": position_id(play.board, self.rules),
                "next": position_id(flip(play.board), self.rules),
                "difference": _number(found.equity - best),
                **_facts(found, RULES[self.rules]),
            }
            for play, found in ranked[:top]
        ]
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
        _print_sides(_figures(self.result, 1)[0], RULES[self.rules])
        self._print_tail()

    def print_ranking(self, plays: Sequence[Play], top: int | None) -> None:
        """Print the rollout of a roll's plays, the best play first."""
        assert self.dice is not None
        self._print_head()
        legal = counted(len(plays), "legal play") if plays[0].moves else "Cannot Move, X dances"
        each = " each" if len(plays) > 1 else ""
        games = counted(int(self.result.trials[0]), "game")
        click.echo(f"roll {self.dice[0]}-{self.dice[1]}: {legal}; {games}{each}\n")
        ranked = _ranked(plays, self.result)
        _print_ranked(ranked[:top], RULES[self.rules])
        if top is not None and top < len(ranked):
            click.echo(f"({len(ranked) - top} more)")
        self._print_tail()

    def _head(self) -> dict[str, Any]:
        """Return what every JSON document begins with."""
        return {
            "rules": self.rules,
            "position": position_id(self.board, self.rules),
            "roll": self.dice,
            "over": self.outcome is not None,
            "outcome": self.outcome,
            "policy": self.result.policy,
            "trials": int(self.result.trials[0]),
            "seed": self.result.seeds[0],
            "max_plies": self.max_plies,
            "seconds": self.seconds,
        }

    def _print_head(self) -> None:
        """Print what it takes to repeat the rollout."""
        seed = "" if self.outcome is not None else f", seed {self.result.seeds[0]}"
        click.echo(f"{self.rules}, position {position_id(self.board, self.rules)}{seed}")

    def _print_tail(self) -> None:
        """Print what the work was, and how to take the figures."""
        games = int(self.result.trials.sum())
        mean = self.result.plies.sum() / games
        speed = f"{self.seconds:.2f} s, {games / max(self.seconds, 1e-9):,.0f} games/s"
        click.echo(f"\n{counted(games, 'game')}, mean {mean:.1f} plies, {speed}")
        cut = int(self.result.unfinished.sum())
        if cut:
            click.echo(f"{counted(cut, 'game')} cut at {self.max_plies:,} plies: not in the equity")
        if "backgammon" in _levels(RULES[self.rules]):
            click.echo("Gammons include backgammons.")
        click.echo(_RANDOM)


def _figures(result: RolloutResult, side: int) -> list[_Figures]:
    """Return a rollout's figures; `side` is 1 if X is on roll in its boards, -1 if O is."""
    return [
        _Figures(tuple(counts), *rest)
        for counts, *rest in zip(
            result.counts[:, ::side].tolist(),
            result.trials.tolist(),
            # A negative zero would show its sign.
            (side * result.equity + 0.0).tolist(),
            result.std_error.tolist(),
            result.plies.tolist(),
            result.unfinished.tolist(),
            strict=True,
        )
    ]


def _ranked(plays: Sequence[Play], result: RolloutResult) -> list[tuple[Play, _Figures]]:
    """Return the plays and their figures, the best first, any without a finished game last."""

    def badness(pair: tuple[Play, _Figures]) -> tuple[bool, float]:
        return math.isnan(pair[1].equity), -pair[1].equity

    return sorted(zip(plays, _figures(result, -1), strict=True), key=badness)


def _levels(rules: Rules) -> dict[str, int]:
    """Return the kinds of win that the rules tell apart, "win" the first, and their points."""
    levels: dict[str, int] = {}
    for name, points in (
        ("win", rules.single_points),
        ("gammon", rules.gammon_points),
        ("backgammon", rules.backgammon_points),
    ):
        if points not in levels.values():
            levels[name] = points
    return levels


def _facts(figures: _Figures, rules: Rules) -> dict[str, Any]:
    """Return the figures for JSON."""
    levels = _levels(rules)
    rates = {name: figures.won(points) for name, points in levels.items()}
    for name, points in levels.items():
        rates["lose" if name == "win" else f"lose_{name}"] = figures.lost(points)
    rates["draw"] = figures.drawn
    return {
        "counts": figures.counts,
        "rates": rates,
        "equity": _number(figures.equity),
        "std_error": _number(figures.std_error),
        "plies": figures.plies,
        "unfinished": figures.unfinished,
    }


def _number(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON has not."""
    return None if math.isnan(value) else value


def _outcome_text(points: int) -> str:
    """Return who has won, and how much."""
    if points == 0:
        return "a draw"
    side = "X" if points > 0 else "O"
    return f"{side} has won {counted(abs(points), 'point')}"


def _print_sides(figures: _Figures, rules: Rules) -> None:
    """Print a row for each side, a column for each kind of win, and the equity."""
    sides = {"X wins": figures.won, "O wins": figures.lost}
    draws = bool(figures.drawn)
    columns = [Column("", [*sides, *["draw"] * draws], left=True)]
    for name, points in _levels(rules).items():
        cells = [_percent(share(points)) for share in sides.values()]
        if draws:
            cells.append(_percent(figures.drawn) if name == "win" else "")
        columns.append(Column("all" if name == "win" else f"{name} ({points})", cells))
    print_table(columns)
    error = "" if math.isnan(figures.std_error) else f" {plus_minus()} {figures.std_error:.4f}"
    click.echo(f"\nequity of X {_signed(figures.equity)}{error} points a game")


def _print_ranked(ranked: Sequence[tuple[Play, _Figures]], rules: Rules) -> None:
    """Print a line for each play, best first."""
    found = [figures for _, figures in ranked]
    differences = [_signed(figures.equity - found[0].equity) for figures in found[1:]]
    errors = [figures.std_error for figures in found]
    columns = [
        Column("", [str(number) for number in range(1, len(ranked) + 1)]),
        Column("play", [str(play) for play, _ in ranked], left=True),
        Column("equity", [_signed(figures.equity) for figures in found]),
        Column("std\nerror", ["" if math.isnan(error) else f"{error:.4f}" for error in errors]),
        Column("to best", ["", *differences]),
    ]
    # High and narrow heads: eleven columns are to fit into eighty characters.
    heads = {"gammon": "\ngammon\n", "backgammon": "\nbackg.\n"}
    for verb, share in (("win", _Figures.won), ("lose", _Figures.lost)):
        for name, points in _levels(rules).items():
            head = f"{verb}{heads[name]}({points})" if name in heads else verb
            cells = [_percent(share(figures, points)) for figures in found]
            columns.append(Column(head, cells, extra=True))
    if any(figures.drawn for figures in found):
        columns.append(Column("draw", [_percent(figures.drawn) for figures in found], extra=True))
    print_table(columns)


def _percent(share: float) -> str:
    """Return a share of the games."""
    return f"{share:.2%}"


def _signed(equity: float) -> str:
    """Return an equity, or a difference of two, with its sign."""
    return "none" if math.isnan(equity) else f"{equity:+.4f}"
