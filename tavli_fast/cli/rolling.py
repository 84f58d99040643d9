"""The command ``rollout``: what a position, or each play of a roll, is worth under random play."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from time import perf_counter
from typing import Final

import click
import numpy as np

from .._arguments import MAX_PLIES
from ..boards import flip, outcomes
from ..legal import legal_plays
from ..notation import Play
from ..rollouts import rollout as roll_out
from ..view import view
from .options import (
    Roll,
    json_option,
    position_option,
    read_table,
    roll_option,
    rules_option,
    set_option,
    take_words,
    whole,
)
from .output import print_board, print_json, progress_bar
from .report import Report

__all__ = ["rollout"]

_TRIALS: Final = 20_000
"""Enough for a standard error of about 0.01 points, and a second or two of work."""

_SEED_BITS: Final = 53
"""What a fresh seed has: every reader of JSON keeps whole numbers of that size exact."""


@click.command(short_help="Play a position, or the plays of a roll, to the end many times.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@rules_option
@set_option
@click.option(
    "--trials",
    type=str,
    callback=whole(1, 10**15),
    default=str(_TRIALS),
    metavar="N",
    help=f"Games, with a roll for each play; {_TRIALS:,} if missing.",
)
@click.option("--seed", type=str, callback=whole(0), metavar="N", help="Repeats a rollout exactly.")
@click.option(
    "--threads", type=str, callback=whole(1, 1024), metavar="N", help="All processors if missing."
)
@click.option(
    "--max-plies",
    type=str,
    callback=whole(1, 2**62),
    default=str(MAX_PLIES),
    metavar="N",
    help=f"Where a game is cut, and has no result; {MAX_PLIES:,} if missing.",
)
@click.option(
    "--top", type=str, callback=whole(1), metavar="N", help="Show only so many plays, the best."
)
@click.option("--board/--no-board", "draw", default=True, help="Draw the position, or do not.")
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
@json_option
def rollout(
    words: Sequence[str],
    position: str | None,
    roll: Roll | None,
    rules: str | None,
    changes: dict[str, str],
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

    Position and roll may stand without their options. With a roll each of its legal plays is rolled
    out, and the best stands first. All figures are those of X, the player on roll. The equity is
    the mean number of points a game; beside it stands one standard error, which says how far off
    chance may have put it: two of them cover 95 in 100 cases.
    """
    position, roll = take_words(words, position, roll)
    table = read_table(position, rules, changes, roll)
    game, board, dice = table
    if top is not None and dice is None:
        expected = "expected one such as 31, or an XGID or a TFID with a roll"
        raise click.UsageError(f"--top without a roll: {expected}")
    over, points = outcomes(board, game.rules)
    plays: tuple[Play, ...] | None = None
    boards = board
    if dice and not over[0]:
        # Where X dances, the one thing to roll out is the board as it stands, O on roll.
        plays = tuple(legal_plays(board, dice, game.rules)) or (Play((), board),)
        boards = flip(np.stack([play.board for play in plays]))
    began = perf_counter()
    with progress_bar(not quiet and not as_json) as progress:
        result = roll_out(
            boards,
            game.rules,
            trials=trials,
            seed=secrets.randbits(_SEED_BITS) if seed is None else seed,
            threads=threads,
            max_plies=max_plies,
            progress=progress,
        )
    report = Report(
        table=table,
        outcome=int(points[0]) if over[0] else None,
        max_plies=max_plies,
        result=result,
        seconds=perf_counter() - began,
    )
    if as_json:
        print_json(report.document() if plays is None else report.ranking_document(plays, top))
        return
    if draw:
        print_board(view(board, game.rules))
    if plays is None:
        report.print()
    else:
        report.print_ranking(plays, top)
