"""The command ``rollout``: what a position, or each play of a roll, is worth over many games."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import click
import numpy as np

from tavli_fast.boards.positions import outcomes
from tavli_fast.cli.options.cube import cube_arguments, cube_options
from tavli_fast.cli.options.output import board_option, json_option, quiet_option
from tavli_fast.cli.options.position import (
    Request,
    position_option,
    read_request,
    roll_option,
    take_words,
)
from tavli_fast.cli.options.rollout import method_options, rollout_arguments
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Roll, Whole
from tavli_fast.cli.show.chart import Chart
from tavli_fast.cli.show.progress import Watch, watched
from tavli_fast.cli.show.report import Report, ranking_lines
from tavli_fast.cli.show.table import print_board, print_json
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.view import view
from tavli_fast.rollouts.ranked import RankedPlays
from tavli_fast.rollouts.ranking import rank_plays as rank
from tavli_fast.rollouts.result import RolloutResult
from tavli_fast.rollouts.rollout import rollout as roll_out

__all__ = ["rollout"]


@click.command(short_help="Roll out a position, or rank the plays of a roll.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@position_rules_option
@set_option
@method_options
@cube_options
@click.option("--top", type=Whole(1), help="Show only the N best plays.")
@click.option("--plot", metavar="FILE", help="Draw equity against trials (PNG, SVG, PDF).")
@board_option
@quiet_option
@json_option
def rollout(
    words: Sequence[str],
    position: str | None,
    roll: Roll | None,
    rules: str | None,
    changes: dict[str, str],
    top: int | None,
    plot: str | None,
    draw: bool,
    quiet: bool,
    as_json: bool,
    **method: Any,
) -> None:
    """Roll out a position, or rank the plays of a roll.

    Without a roll the position is played to the end many times. With a roll its plays are ranked,
    all with the same dice: those that the net finds close are rolled out for a few plies, the luck
    of the dice subtracted, until the best is clear. The last line says how it was done.

    All figures are those of X, the player on roll. The equity is the mean number of points a game;
    the standard error beside it says how far off it may be by chance (two of them cover 95 of 100
    cases). Ctrl-C ends the work and shows what has been found so far.

    Position and roll may stand without their options.
    """
    position, roll = take_words(words, position, roll)
    request = read_request(position, rules, changes, roll)
    choice, board, dice = request.choice, request.board, request.roll
    if top is not None and dice is None:
        expected = "expected one such as 31, or an XGID or a TFID with a roll"
        raise click.UsageError(f"--top without a roll: {expected}")
    over, points = outcomes(board, choice.rules)
    arguments = rollout_arguments(method | cube_arguments(method, request), request)
    chart = None if plot is None else Chart(plot)
    if chart is not None and over[0]:
        raise click.UsageError("--plot: the game is over, expected a position with games to play")
    began = perf_counter()
    with watched(not quiet and not as_json, "rolling out") as watch:
        try:
            result = _rolled(request, bool(over[0]), arguments, watch, chart, top)
        except MemoryError:
            raise
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    report = Report(
        request=request,
        outcome=int(points[0]) if over[0] else None,
        legal=0 if dice is None or over[0] else len(legal_plays(board, dice, choice.rules)),
        result=result,
        arguments=arguments,
        seconds=perf_counter() - began,
    )
    if chart is not None:
        chart.take(result)
        chart.draw(f"{choice}, {request.id}{'' if dice is None else f', roll {dice[0]}-{dice[1]}'}")
    if as_json:
        print_json(report.document(top))
    else:
        if draw:
            print_board(view(board, choice.rules))
        report.print(top)
    if result.partial:
        raise KeyboardInterrupt


def _rolled(
    request: Request,
    over: bool,
    arguments: dict[str, Any],
    watch: Watch,
    chart: Chart | None,
    top: int | None,
) -> RolloutResult | RankedPlays:
    """Roll out the position, or the plays of its roll: after Ctrl-C as far as it has come."""

    def note(found: RolloutResult | RankedPlays) -> None:
        if chart is not None:
            chart.take(found)
        if watch.show is not None and isinstance(found, RankedPlays):
            watch.show(ranking_lines(found, top))

    board, dice, rules = request.board, request.roll, request.choice.rules
    seen = chart is not None or (watch.show is not None and dice is not None)
    shared = {"rules": rules, "progress": watch.progress, **arguments}
    shared["interim"] = note if seen else None
    try:
        if dice is not None and not over:
            return rank(board, dice, **shared)
        for name in ("candidates", "stop_jsd"):
            shared.pop(name, None)
        return roll_out(board, **shared)
    except KeyboardInterrupt as stop:
        found: RolloutResult | RankedPlays | None = getattr(stop, "partial", None)
        if found is None or not np.any(found.trials):
            raise
        return found
