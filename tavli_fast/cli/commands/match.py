"""The command ``match``: one policy against another."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from time import perf_counter
from typing import Any, Final

import click

from tavli_fast._common.arguments import MAX_PLIES, workers
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
from tavli_fast.cli.show.estimates import Estimate, number, win_levels
from tavli_fast.cli.show.progress import watched
from tavli_fast.cli.show.table import Column, counted, plus_minus, print_json, print_table
from tavli_fast.evaluation.evaluator import Player, player
from tavli_fast.play.arena import GAMES, MATCHES, MatchResult, arena
from tavli_fast.rollouts.arena import ArenaResult
from tavli_fast.rules.presets import Rules

__all__ = ["match"]

GNUBG: Final = "gnubg"
"""The policy that is an installed GNU Backgammon."""


@click.command(short_help="Let two policies play each other.")
@click.argument("first", metavar="[A]", required=False)
@click.argument("second", metavar="[B]", required=False)
@rules_option
@set_option
@click.option(
    "--games",
    type=Whole(2, 10**15),
    help="How many games, or matches.",
    show_default=f"{GAMES:,}; {MATCHES} with --target or --cube",
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
def match(  # noqa: PLR0913 (one for each option)
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
    """Let policy A play policy B: 'net' (the net that comes with the rules), 'random', an .npz file
    of weights, or 'gnubg', an installed GNU Backgammon (ten games or matches, if --games
    does not say otherwise). Without B it plays the net; without A too, the net plays 'random'.

    Every dice sequence is played twice, each side starting once, so that neither has the luck.
    Without --target and --cube the games are played in the compiled core, some ten thousand a
    second; with them game by game in Python, hundreds of times slower. Ctrl-C ends the work and
    shows what has been found so far.
    """
    choice = find_rules(rules, changes)
    with_cube = target is not None or cube
    if cube:
        require_cube(choice)
    if with_cube and max_plies != MAX_PLIES:
        message = (
            "--max-plies with --target or --cube: expected none, as those are played to the end"
        )
        raise click.UsageError(message)
    usual = MATCHES if with_cube else GAMES
    games = games or (10 if GNUBG in (first, second) else usual)
    if games % 2:
        message = f"{games}: expected an even number, as games come in pairs"
        raise click.BadParameter(message, param_hint="'--games'")
    players = (
        _player(first, choice.rules, "A"),
        _player(second or (None if first else "random"), choice.rules, "B"),
    )
    began = perf_counter()
    with watched(not quiet and not as_json, "playing") as watch:
        try:
            result = arena(
                *players,
                choice.rules,
                games,
                fresh_seed() if seed is None else seed,
                workers(threads),
                max_plies=max_plies,
                progress=watch.progress,
                target=target,
                cube=cube or None,
            )
        except KeyboardInterrupt as stop:
            found: ArenaResult | MatchResult | None = getattr(stop, "partial", None)
            if found is None or not found.games:
                raise
            result = found
        except MemoryError:
            raise
        except BrokenExecutor as error:
            raise click.ClickException("a process that played games has died") from error
        except (ConnectionError, RuntimeError) as error:
            # GNU Backgammon has died; or a game freezes, as some house rules allow.
            raise click.ClickException(str(error)) from error
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    seconds = perf_counter() - began
    if as_json:
        print_json(_document(result, choice, seconds))
    else:
        _print(result, choice, games, seconds)
    if result.partial:
        raise KeyboardInterrupt


def _player(text: str | None, rules: Rules, option: str) -> Player:
    """Return the player that a text names; GNU Backgammon too."""
    if text != GNUBG:
        return read_policy(text, rules, option)
    from tavli_fast.connect.gnubg import Gnubg, require_playable

    try:
        require_playable(rules)
        return player(Gnubg(), rules, option)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=f"'{option}'") from error


def _print(
    result: ArenaResult | MatchResult, choice: RuleChoice, wanted: int, seconds: float
) -> None:
    """Print what it takes to repeat the games, and how they went."""
    click.echo(f"{choice}, seed {result.seed}")
    click.echo(f"A: {result.first}")
    click.echo(f"B: {result.second}\n")
    if isinstance(result, MatchResult):
        done = result.matches
        _print_matches(result, seconds)
    else:
        done = result.games + 2 * result.unfinished
        _print_games(result, choice, seconds)
    if result.partial:
        click.echo(f"Interrupted after {done:,} of {wanted:,}.")


def _print_games(result: ArenaResult, choice: RuleChoice, seconds: float) -> None:
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
        _print_mean(result.points, result.std_error, result.interval, "points a game")
    plies = f", mean {result.plies / result.games:.1f} plies" if result.games else ""
    _print_work(result.games, seconds, plies)
    if result.unfinished:
        cut = counted(result.unfinished, "pair")
        click.echo(f"{cut} with a game cut at {result.max_plies:,} plies: not counted")


def _print_matches(result: MatchResult, seconds: float) -> None:
    """Print how matches, or games with a cube, went."""
    low, high = result.interval
    if result.target is None:
        unit = "points a game, the cube included"
        _print_mean(result.mean, result.std_error, result.interval, unit)
        _print_work(result.games, seconds, "")
        return
    click.echo(
        f"A wins {result.mean:.1%} {plus_minus()} {result.std_error:.1%} of the matches to "
        f"{counted(result.target, 'point')} (95 %: {max(low, 0):.1%} to {min(high, 1):.1%})"
    )
    _print_work(result.games, seconds, f" in {counted(result.matches, 'match', 'matches')}")


def _print_mean(mean: float, error: float, interval: tuple[float, float], unit: str) -> None:
    """Print what A gains, with its error and interval."""
    low, high = interval
    click.echo(
        f"A gains {mean:+.4f} {plus_minus()} {error:.4f} {unit} (95 %: {low:+.4f} to {high:+.4f})"
    )


def _print_work(games: int, seconds: float, more: str) -> None:
    """Print what the work was."""
    speed = f"{seconds:.2f} s, {games / max(seconds, 1e-9):,.0f} games/s"
    click.echo(f"{counted(games, 'game')}{more}, {speed}")
    click.echo(f"In pairs of the same dice; {plus_minus()} is one standard error, of the pairs.")


def _sides(result: ArenaResult) -> Estimate:
    """Return the shares of games in the form of a rollout's estimate."""
    shares = (
        *(result.won(points) for points in (1, 2, 3)),
        *(result.lost(points) for points in (2, 3)),
        result.drawn,
    )
    return Estimate(shares, (), result.points, result.std_error)


def _document(
    result: ArenaResult | MatchResult, choice: RuleChoice, seconds: float
) -> dict[str, Any]:
    head = {
        "rules": choice.name,
        "set": choice.changes,
        "first": result.first,
        "second": result.second,
        "seed": result.seed,
        "partial": result.partial,
        "version": result.version,
        "seconds": seconds,
    }
    if isinstance(result, MatchResult):
        single = result.target is None
        return head | {
            "target": result.target,
            "games" if single else "matches": result.matches,
            "games_played": result.games,
            "points" if single else "matches_won": result.mean,
            "std_error": number(result.std_error),
            "interval": [*map(number, result.interval)],
        }
    return head | {
        "games": result.games,
        "unfinished_pairs": result.unfinished,
        "opening": result.opening,
        "max_plies": result.max_plies,
        "points": number(result.points),
        "std_error": number(result.std_error),
        "interval": [*map(number, result.interval)],
        "won_std_error": number(result.won_error),
        "rates": _sides(result).document(choice.rules)["rates"],
        "counts": result.counts.tolist(),
        "plies": result.plies,
    }
