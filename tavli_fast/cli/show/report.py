"""A rollout told to a player, or as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

import click

from tavli_fast._common.arguments import MAX_PLIES
from tavli_fast.boards.positions import flip
from tavli_fast.cli.options.position import Request
from tavli_fast.cli.show.cube import (
    STAKE,
    cube_document,
    print_cube,
    setting_document,
    setting_text,
)
from tavli_fast.cli.show.estimates import (
    POINTS,
    Estimate,
    error_text,
    is_tied,
    number,
    signed,
    win_levels,
)
from tavli_fast.cli.show.table import (
    Column,
    counted,
    plus_minus,
    print_table,
    print_text,
    table_lines,
)
from tavli_fast.notation.position_id import any_id
from tavli_fast.rollouts.ranked import RankedPlay, RankedPlays
from tavli_fast.rollouts.result import FEW, RolloutResult
from tavli_fast.rules.presets import Rules

__all__ = ["Report", "ranking_lines"]

_TIED: Final = "~"
"""What marks a play that is not told apart from the best."""


@dataclass(frozen=True)
class Report:
    """A rollout and what it was of: a position, or the plays of a roll."""

    request: Request
    outcome: int | None
    """The points of X, if the game is over."""
    legal: int
    """How many plays the roll has, if there is one: 0 if X dances."""
    result: RolloutResult | RankedPlays
    arguments: dict[str, Any]
    """What the rollout was asked for: `trials`, `stop_jsd`, ..."""
    seconds: float

    @property
    def rules(self) -> Rules:
        """The rules played."""
        return self.request.choice.rules

    @property
    def trials(self) -> int:
        """The games of the position, or of each play."""
        result = self.result
        return result.trials if isinstance(result, RankedPlays) else int(result.trials[0])

    def document(self, top: int | None) -> dict[str, Any]:
        """Return the rollout for JSON, the best play first."""
        result = self.result
        if isinstance(result, RankedPlays):
            listed = [_play_document(play, self.rules) for play in result[:top]]
            return self._head() | {
                "unfinished": result.unfinished,
                "dance": not self.legal,
                "legal_plays": self.legal,
                "cube": setting_document(result.cube, result.settings.efficiency),
                "plays": listed,
            }
        return self._head() | {
            "points": POINTS,
            "counts": result.counts[0].tolist(),
            "plies": int(result.plies[0]),
            "unfinished": int(result.unfinished[0]),
            "truncated": int(result.truncated[0]),
            **_position_estimate(result).document(self.rules),
            "cube": cube_document(result, self.request.pending),
        }

    def print(self, top: int | None) -> None:
        """Print the rollout, the best play first."""
        self._print_head()
        if self.outcome is not None:
            click.echo(f"The game is over: {_outcome_text(self.outcome)}.")
            return
        if isinstance(self.result, RankedPlays):
            self._print_ranking(self.result, top)
            return
        click.echo()
        _print_sides(_position_estimate(self.result), self.rules)
        print_cube(self.result, self.request.pending)
        self._print_tail("")

    def _print_ranking(self, ranking: RankedPlays, top: int | None) -> None:
        dice = ranking.dice
        legal = counted(self.legal, "legal play") if self.legal else "Cannot Move, X dances"
        each = " each" if len(ranking) > 1 else ""
        fewer = f", {len(ranking)} rolled out" if len(ranking) < self.legal else ""
        games = counted(ranking.trials, "game")
        click.echo(f"roll {dice[0]}-{dice[1]}: {legal}{fewer}; {games}{each}\n")
        plays = ranking[:top]
        if ranking.cube is not None:
            click.echo(f"{setting_text(ranking.cube, ranking.settings.efficiency)}\n")
        print_table(_ranking_columns(ranking, top))
        if len(plays) < len(ranking):
            click.echo(f"({len(ranking) - len(plays)} more)")
        tied = any(is_tied(play.difference, play.difference_error) for play in plays[1:])
        self._print_tail(f"; {_TIED} is within two of them of the best" if tied else "")

    def _head(self) -> dict[str, Any]:
        """Return the first fields of a JSON document."""
        result = self.result
        if isinstance(result, RankedPlays):
            first, seed = result.first_trial, result.seed
        else:
            seed, first, _ = result.spans[0]
        settings = asdict(result.settings)
        max_plies = settings.pop("max_plies")
        return {
            **self.request.head(),
            "roll": self.request.roll,
            "over": self.outcome is not None,
            "outcome": self.outcome,
            "partial": self.result.partial,
            "policy": result.policy,
            "settings": settings,
            "trials": self.trials,
            "first_trial": first,
            "seed": seed,
            "max_plies": max_plies,
            "version": result.version,
            "seconds": self.seconds,
        }

    def _print_head(self) -> None:
        result = self.result
        head = f"{self.request.choice}, position {self.request.id}"
        if self.outcome is None:
            seed = result.seed if isinstance(result, RankedPlays) else result.seeds[0]
            head += f", seed {seed}"
        click.echo(head)

    def _print_tail(self, on_marks: str) -> None:
        """Print what the work was, how to read the figures, and last how they were found."""
        result = self.result
        if isinstance(result, RankedPlays):
            games, plies, cut = result.trials * len(result), result.plies, result.unfinished
            lost = counted(cut, "trial") + " with a game"
        else:
            games, plies = int(result.trials.sum()), int(result.plies.sum())
            cut = int(result.unfinished.sum())
            lost = counted(cut, "game")
        speed = f"{self.seconds:.2f} s, {games / max(self.seconds, 1e-9):,.0f} games/s"
        click.echo(f"\n{counted(games, 'game')}, mean {plies / games:.1f} plies, {speed}")
        if cut:
            most = result.settings.max_plies
            click.echo(f"{lost} cut at {most:,} plies: not in the equity")
        if isinstance(result, RankedPlays) and result.cube is not None:
            click.echo(STAKE)
        for line in _about_columns(self.rules):
            click.echo(line)
        click.echo(f"{plus_minus()} is one standard error{on_marks}.")
        print_text(f"How: {self._how()}.")

    def _how(self) -> str:
        """Say how the games were played, which plays were rolled out, and why it stopped."""
        result, settings = self.result, self.result.settings
        first, against, second = result.policy.partition(" against ")
        parts = [f"{first} plays X, {second} O" if against else f"{first} plays both sides"]
        if result.policy == "random":
            parts = ["both sides play at random, so this compares positions, but is no advice"]
        if settings.truncate is None:
            parts.append("whole games")
        else:
            plies = counted(settings.truncate, "ply", "plies")
            parts.append(f"games cut after {plies} at the net's estimate")
        if settings.variance_reduction:
            parts.append("luck of the dice subtracted")
        if result.settings.tables:
            parts.append("exact values of the bear-off table where it has them")
        if settings.evaluator not in ("", result.policy):
            parts.append(f"estimates by {settings.evaluator}")
        if settings.stratified:
            parts.append("first rolls spread evenly")
        if settings.opening:
            parts.append("no double as the first roll")
        if settings.max_plies != MAX_PLIES:
            parts.append(f"at most {settings.max_plies:,} plies a game")
        if isinstance(result, RankedPlays) and len(result) < self.legal:
            which = "those that the net likes best" if len(result) > 1 else "the net's choice"
            parts.append(f"{len(result)} of {self.legal} plays, {which}")
        parts.append(self._end())
        if result.few_trials:
            parts.append(FEW)
        return "; ".join(parts)

    def _end(self) -> str:
        """Say why the rollout stopped where it did."""
        wanted = self.arguments
        each = " each" * (isinstance(self.result, RankedPlays) and len(self.result) > 1)
        done = f"{counted(self.trials, 'game')}{each}"
        if self.result.partial:
            return f"interrupted after {done} of {wanted['trials']:,}"
        if self.trials == wanted["trials"]:
            return done
        jsd, error = wanted.get("stop_jsd"), wanted.get("stop_error")
        result = self.result
        if isinstance(result, RankedPlays) and jsd is not None:
            others = result[1:]
            if all(-play.difference >= jsd * play.difference_error for play in others):
                led = f", until the best led by {jsd:g} standard errors" if others else ""
                return f"{done}{led}"
        return f"{done}, until the standard error was {error:g} or less"


def _position_estimate(result: RolloutResult) -> Estimate:
    """Return what a rollout found about its first board, X on roll."""
    return Estimate(
        tuple(result.outcomes[0].tolist()),
        tuple(result.outcome_errors[0].tolist()),
        float(result.equity[0]),
        float(result.std_error[0]),
    )


def _play_estimate(play: RankedPlay) -> Estimate:
    """Return what a rollout found about a play that X makes."""
    return Estimate(play.outcomes, play.outcome_errors, play.equity, play.std_error)


def ranking_lines(ranking: RankedPlays, top: int | None) -> list[str]:
    """Lay out the table of a ranking under way."""
    lines = table_lines(_ranking_columns(ranking, top))
    return [*lines, counted(ranking.trials, "game") + " each"]


def _play_document(play: RankedPlay, rules: Rules) -> dict[str, Any]:
    difference, error = play.difference, play.difference_error
    if difference == 0 and math.isnan(error):  # the best one, which differs from itself by nothing
        error = 0.0
    return {
        "play": str(play.play),
        "moves": play.play.moves,
        "afterstate": any_id(play.play.board, rules),
        "next": any_id(flip(play.play.board), rules),
        "difference": number(difference),
        "difference_std_error": number(error),
        "tied_with_best": None if math.isnan(error) else is_tied(difference, error),
        "cubeless": number(play.cubeless),
        **_play_estimate(play).document(rules),
    }


def _about_columns(rules: Rules) -> list[str]:
    """Say what the columns of wins count, where their heads do not."""
    found = win_levels(rules)
    lines = [
        f"{lower.capitalize()}s include {upper}s." for lower, upper in pairwise(list(found)[1:])
    ]
    if rules.mother.startswith("lose") and "mother" not in found:
        names = {points: name or "single win" for name, points in found.items()}
        lines.append(f"A game lost by the mother counts as a {names[rules.mother_points]}.")
    return lines


def _outcome_text(points: int) -> str:
    """Say who has won, and how much."""
    if points == 0:
        return "a draw"
    side = "X" if points > 0 else "O"
    return f"{side} has won {counted(abs(points), 'point')}"


def _print_sides(found: Estimate, rules: Rules) -> None:
    """Print a row for each side, a column for each kind of win, and the equity."""
    sides = {"X wins": found.won, "O wins": found.lost}
    draws = found.drawn > 0
    columns = [Column("", [*sides, *["draw"] * draws], left=True)]
    for name, points in win_levels(rules).items():
        cells = [_share(share(points)) for share in sides.values()]
        if draws:
            cells.append("" if name else f"{found.drawn:.2%}")
        columns.append(Column(f"{name} ({points})" if name else "all", cells))
    print_table(columns)
    error = "" if math.isnan(found.std_error) else f" {plus_minus()} {found.std_error:.4f}"
    click.echo(f"\nequity of X {signed(found.equity)}{error} points a game")


def _ranking_columns(ranking: RankedPlays, top: int | None) -> list[Column]:
    """Lay out a line for each play."""
    plays, rules = ranking[:top], ranking.rules
    found = [_play_estimate(play) for play in plays]
    others = plays[1:]
    marks = [_TIED if is_tied(play.difference, play.difference_error) else "" for play in others]
    spread = ["", *(error_text(play.difference_error) for play in others)]
    columns = [
        Column("", [str(place) for place in range(1, len(plays) + 1)]),
        Column("play", [str(play.play) for play in plays], left=True),
        Column("equity", [signed(each.equity) for each in found]),
        Column(plus_minus(), [error_text(each.std_error) for each in found], extra=True),
        Column("to best", ["", *(signed(play.difference) for play in others)]),
        Column(plus_minus(), spread, extra=True),
        Column("", ["", *marks]),
    ]
    if ranking.cube is not None:
        cells = [signed(play.cubeless) for play in plays]
        columns.append(Column("without\ncube", cells, extra=True))
    # High and narrow heads: a dozen columns are to fit into eighty characters.
    heads = {"gammon": "gam.", "backgammon": "bg."}
    for verb, share in (("win", Estimate.won), ("lose", Estimate.lost)):
        for name, points in win_levels(rules).items():
            cells = [_percent(share(each, points)) for each in found]
            head = f"{verb}\n{heads.get(name, name)}\n({points})" if name else verb
            columns.append(Column(head, cells, extra=True))
    if any(each.drawn > 0 for each in found):
        columns.append(Column("draw", [_percent(each.drawn) for each in found], extra=True))
    return columns


def _percent(share: float) -> str:
    """Write a share, nothing if there is none."""
    return "" if math.isnan(share) else f"{share:.1%}"


def _share(share: float) -> str:
    """Write a share to a hundredth of a percent, nothing if there is none."""
    return "" if math.isnan(share) else f"{share:.2%}"
