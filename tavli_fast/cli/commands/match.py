"""The command ``match``: one policy against another."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from time import perf_counter
from typing import Any, Final

import click

from tavli_fast._common.arguments import MAX_PLIES, workers
from tavli_fast.cli.match_runner import Score, play_tables
from tavli_fast.cli.options.cube import require_cube
from tavli_fast.cli.options.games import (
    fresh_seed,
    max_plies_option,
    seed_option,
    threads_option,
)
from tavli_fast.cli.options.output import json_option, quiet_option
from tavli_fast.cli.options.policy import read_policy
from tavli_fast.cli.options.rules import RuleChoice, find_rules, rules_option, set_option
from tavli_fast.cli.options.types import Whole
from tavli_fast.cli.show.estimates import STD_ERRORS_95, Estimate, number, win_levels
from tavli_fast.cli.show.progress import watched
from tavli_fast.cli.show.table import Column, counted, plus_minus, print_json, print_table
from tavli_fast.evaluation.player import Player
from tavli_fast.play.arena import arena
from tavli_fast.rollouts.arena import ArenaResult

__all__ = ["match"]

_GAMES: Final = 10_000
"""Enough for a standard error of about 0.01 points."""
_AT_TABLE: Final = 100
"""With a cube or a target, where games are played in Python."""


@click.command(short_help="Let two policies play each other.")
@click.argument("first", metavar="[A]", required=False)
@click.argument("second", metavar="[B]", required=False)
@rules_option
@set_option
@click.option(
    "--games",
    type=Whole(2, 10**15),
    help="How many games, or matches.",
    show_default=f"{_GAMES:,}; {_AT_TABLE} with --target or --cube",
)
@click.option(
    "--target",
    type=Whole(1, 10**6),
    help="Play matches to so many points, with the doubling cube where the rules have one.",
)
@click.option("--cube", is_flag=True, help="Play single games with the doubling cube.")
@seed_option
@threads_option
@max_plies_option
@quiet_option
@json_option
def match(
    first: str | None,
    second: str | None,
    rules: str | None,
    changes: dict[str, str],
    games: int | None,
    target: int | None,
    cube: bool,
    seed: int | None,
    threads: int | None,
    max_plies: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let policy A play policy B: 'net' (the net that comes with the rules), 'random', or an .npz
    file of weights. Without B it plays the net; without A too, the net plays 'random'.

    Every dice sequence is played twice, each side starting once, so that neither has the luck.
    Without --target and --cube the games are played in the compiled core, some ten thousand a
    second; with them game by game in Python, hundreds of times slower. Ctrl-C ends the work and
    shows what has been found so far.
    """
    choice = find_rules(rules, changes)
    at_table = target is not None or cube
    if cube:
        require_cube(choice)
    if at_table and max_plies != MAX_PLIES:
        message = (
            "--max-plies with --target or --cube: expected none, as those are played to the end"
        )
        raise click.UsageError(message)
    games = games or (_AT_TABLE if at_table else _GAMES)
    if games % 2:
        message = f"{games}: expected an even number, as games come in pairs"
        raise click.BadParameter(message, param_hint="'--games'")
    players = (
        read_policy(first, choice.rules, "A"),
        read_policy(second or (None if first else "random"), choice.rules, "B"),
    )
    seed = fresh_seed() if seed is None else seed
    began = perf_counter()
    head = {
        "rules": choice.name,
        "set": choice.changes,
        "first": players[0].name,
        "second": players[1].name,
        "seed": seed,
    }
    with watched(not quiet and not as_json, "playing") as watch:
        try:
            if at_table:
                score = play_tables(
                    choice.rules,
                    target,
                    *players,
                    games // 2,
                    seed,
                    workers(threads),
                    watch.progress,
                )
            else:
                result = arena(
                    *players, choice.rules, games, seed, threads, None, max_plies, watch.progress
                )
        except MemoryError:
            raise
        except BrokenExecutor as error:
            raise click.ClickException("a process that played games has died") from error
        except RuntimeError as error:  # a game that freezes, as some house rules allow
            raise click.ClickException(str(error)) from error
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    seconds = perf_counter() - began
    if as_json:
        found = _score_document(score, target) if at_table else _document(result, choice)
        print_json(head | found | {"seconds": seconds})
        return
    _print_head(choice, players, seed)
    if at_table:
        _print_score(score, target, seconds)
    else:
        _print_result(result, choice, seconds)


def _print_head(choice: RuleChoice, players: tuple[Player, Player], seed: int) -> None:
    """Print what it takes to repeat it."""
    click.echo(f"{choice}, seed {seed}")
    for name, player in zip("AB", players, strict=True):
        click.echo(f"{name}: {player.name}")
    click.echo()


def _print_result(result: ArenaResult, choice: RuleChoice, seconds: float) -> None:
    """Print how games without a cube went."""
    sides = _sides(result)
    columns = [Column("", ["A wins", "B wins", *["draw"] * (result.drawn > 0)], left=True)]
    for name, points in win_levels(choice.rules).items():
        cells = [f"{share(points):.2%}" for share in (sides.won, sides.lost)]
        if result.drawn > 0:
            cells.append("" if name else f"{result.drawn:.2%}")
        columns.append(Column(f"{name} ({points})" if name else "all", cells))
    if result.pairs:
        print_table(columns)
        click.echo()
        _print_mean("A gains", result.points, result.std_error, "points a game")
    plies = f", mean {result.plies / result.games:.1f} plies" if result.games else ""
    _print_work(result.games, "game", seconds, plies)
    if result.unfinished:
        cut = counted(result.unfinished, "pair")
        click.echo(f"{cut} with a game cut at {result.max_plies:,} plies: not counted")


def _print_score(score: Score, target: int | None, seconds: float) -> None:
    """Print how matches, or games with a cube, went."""
    if target is None:
        _print_mean("A gains", score.mean, score.std_error, "points a game, the cube included")
        _print_work(2 * score.pairs, "game", seconds, "")
        return
    low, high = _interval(score.mean, score.std_error)
    click.echo(
        f"A wins {score.mean:.1%} {plus_minus()} {score.std_error:.1%} of the matches to "
        f"{counted(target, 'point')} (95 %: {max(low, 0):.1%} to {min(high, 1):.1%})"
    )
    _print_work(score.games, "game", seconds, f" in {counted(2 * score.pairs, 'match', 'matches')}")


def _print_mean(what: str, mean: float, error: float, unit: str) -> None:
    """Print a mean with its error and interval."""
    low, high = _interval(mean, error)
    click.echo(
        f"{what} {mean:+.4f} {plus_minus()} {error:.4f} {unit} (95 %: {low:+.4f} to {high:+.4f})"
    )


def _print_work(games: int, what: str, seconds: float, more: str) -> None:
    """Print what the work was."""
    speed = f"{seconds:.2f} s, {games / max(seconds, 1e-9):,.0f} games/s"
    click.echo(f"{counted(games, what)}{more}, {speed}")
    click.echo(f"In pairs of the same dice; {plus_minus()} is one standard error, of the pairs.")


def _interval(mean: float, error: float) -> tuple[float, float]:
    """Return the 95 % interval."""
    return mean - STD_ERRORS_95 * error, mean + STD_ERRORS_95 * error


def _sides(result: ArenaResult) -> Estimate:
    """Return the shares of games as a rollout's figures have them."""
    shares = (
        *(result.won(points) for points in (1, 2, 3)),
        *(result.lost(points) for points in (2, 3)),
        result.drawn,
    )
    return Estimate(shares, (), result.points, result.std_error)


def _document(result: ArenaResult, choice: RuleChoice) -> dict[str, Any]:
    """Return games without a cube for JSON."""
    rates = _sides(result).document(choice.rules)["rates"]
    return {
        "games": result.games,
        "unfinished_pairs": result.unfinished,
        "opening": result.opening,
        "max_plies": result.max_plies,
        "version": result.version,
        "points": number(result.points),
        "std_error": number(result.std_error),
        "interval": [*map(number, result.interval)],
        "won_std_error": number(result.won_error),
        "rates": rates,
        "counts": result.counts.tolist(),
        "plies": result.plies,
    }


def _score_document(score: Score, target: int | None) -> dict[str, Any]:
    """Return matches, or games with a cube, for JSON."""
    what = "points" if target is None else "matches_won"
    return {
        "target": target,
        "matches" if target else "games": 2 * score.pairs,
        "games_played": score.games,
        what: score.mean,
        "std_error": number(score.std_error),
        "interval": [*map(number, _interval(score.mean, score.std_error))],
    }
