"""The command ``solve``: a game of few checkers solved whole, and kept in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import click
import numpy as np
from rich.console import Console

from tavli_fast.boards.positions import start
from tavli_fast.cli.options.output import json_option, quiet_option
from tavli_fast.cli.options.rules import find_rules, preset_argument, set_option
from tavli_fast.cli.options.types import NewFile, Whole
from tavli_fast.cli.show.estimates import signed
from tavli_fast.cli.show.progress import can_show_bar
from tavli_fast.cli.show.table import print_json
from tavli_fast.errors import ResultTooLargeError
from tavli_fast.exact.solved import SolvedGame
from tavli_fast.exact.solved import solve as solved

__all__ = ["solve"]


@click.command(short_help="Solve a game of at most three checkers a side exactly.")
@preset_argument
@set_option
@click.option("--out", type=NewFile(), help="Where to save the solved game.")
@click.option("--cube", is_flag=True, help="Solve it for money too, with the cube in each place.")
@click.option("--threads", type=Whole(1, 256), help="Threads at work.", show_default="all")
@click.option(
    "--most-bytes", type=Whole(1, 2**50), help="The most memory to take.", show_default="1.5 GiB"
)
@quiet_option
@json_option
def solve(
    name: str | None,
    changes: dict[str, str],
    out: str | None,
    cube: bool,
    threads: int | None,
    most_bytes: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the exact value of every position of a game with at most three checkers a side.

    NAME is a game such as hypergammon, or another one that --set makes small enough:
    ``solve fevga --set checkers=2 --set start=24:2``. The file of --out is there as a whole or not
    at all, and has a checksum; `tf.SolvedGame.load` checks it and maps it into memory.
    """
    choice = find_rules(name or "hypergammon", changes)
    began = perf_counter()
    limit: dict[str, Any] = {} if most_bytes is None else {"most_bytes": most_bytes}
    try:
        with _shown(not quiet and not as_json and can_show_bar(), began) as show:
            game = solved(choice.rules, cube=cube, threads=threads, progress=show, **limit)
    except ResultTooLargeError as error:
        raise click.UsageError(str(error)) from error
    seconds = perf_counter() - began
    if out is not None:
        game.save(out)
    board = start(choice.rules)[np.newaxis]
    equities = {place: float(game.equity(board, place)[0]) for place in game.cubes}
    if as_json:
        print_json(
            {
                "rules": choice.name,
                "set": choice.changes,
                "positions": game.positions,
                "bound": game.bound,
                "start": {
                    "equities": equities,
                    "outcomes": game.outcomes(board)[0].tolist(),
                    "plies": float(game.plies(board)[0]),
                },
                "seconds": seconds,
                "out": out,
            }
        )
        return
    _print(game, str(choice), equities, seconds, out)


@contextmanager
def _shown(wanted: bool, began: float) -> Iterator[Callable[[str, float], object] | None]:
    """Show the last sweep, if it is wanted."""
    if not wanted:
        yield None
        return
    with Console(stderr=True).status("listing the positions") as status:

        def show(what: str, change: float) -> None:
            seconds = perf_counter() - began
            status.update(f"{seconds:.0f} s, {what}: changed by at most {change:.1e}")

        yield show


def _print(
    game: SolvedGame, rules: str, equities: dict[str, float], seconds: float, out: str | None
) -> None:
    click.echo(f"{rules}: {game.positions:,} positions in {seconds:.1f} s")
    click.echo(f"equities without a cube are within {game.bound:.1g}")
    for place, equity in equities.items():
        click.echo(f"the start for the player on roll, cube {place}: {signed(equity)}")
    if out is not None:
        click.echo(f"saved in {out}")
