"""The command ``rollout``: what a position, or each play of a roll, is worth over many games."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import click

from tavli_fast.boards.positions import outcomes
from tavli_fast.cli.options.cube import cube_options, take_cube
from tavli_fast.cli.options.position import (
    Roll,
    Table,
    json_option,
    position_option,
    read_table,
    roll_option,
    rules_option,
    set_option,
    take_words,
    whole,
)
from tavli_fast.cli.options.rollout import arguments, method_options
from tavli_fast.cli.show.chart import Chart
from tavli_fast.cli.show.report import Report, ranking_lines
from tavli_fast.cli.show.table import Watch, print_board, print_json, watched
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.view import view
from tavli_fast.rollouts.ranking import RankedPlays
from tavli_fast.rollouts.ranking import rank_plays as rank
from tavli_fast.rollouts.rollout import RolloutResult
from tavli_fast.rollouts.rollout import rollout as roll_out

__all__ = ["rollout"]


@click.command(short_help="Play a position, or the plays of a roll, to the end many times.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@rules_option
@set_option
@method_options
@cube_options
@click.option(
    "--top", type=str, callback=whole(1), metavar="N", help="Show only so many plays, the best."
)
@click.option("--plot", metavar="FILE", help="Draw equity against trials (PNG, SVG, PDF).")
@click.option("--board/--no-board", "draw", default=True, help="Draw the position, or do not.")
@click.option("--quiet", is_flag=True, help="Show nothing on the way.")
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
    """Play a position to the end many times, both sides by a policy.

    Position and roll may stand without their options. With a roll each of its legal plays is rolled
    out, all with the same dice, and the best stands first. All figures are those of X, the player
    on roll. The equity is the mean number of points a game; beside it stands one standard error,
    which says how far off chance may have put it: two of them cover 95 in 100 cases.
    """
    position, roll = take_words(words, position, roll)
    table = read_table(position, rules, changes, roll)
    game, board, dice = table[:3]
    if top is not None and dice is None:
        expected = "expected one such as 31, or an XGID or a TFID with a roll"
        raise click.UsageError(f"--top without a roll: {expected}")
    cube = take_cube(method, table)
    wanted = arguments(method | cube, game.rules, dice)
    over, points = outcomes(board, game.rules)
    chart = None if plot is None else Chart(plot)
    if chart is not None and over[0]:
        raise click.UsageError("--plot: the game is over, expected a position with games to play")
    began = perf_counter()
    with watched(not quiet and not as_json, "rolling out") as watch:
        try:
            result = _rolled(table, bool(over[0]), wanted, watch, chart, top)
        except MemoryError:
            raise
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    report = Report(
        table=table,
        outcome=int(points[0]) if over[0] else None,
        legal=0 if dice is None or over[0] else len(legal_plays(board, dice, game.rules)),
        result=result,
        seconds=perf_counter() - began,
    )
    if chart is not None:
        chart.take(result)
        chart.draw(f"{game}, {table.id}{'' if dice is None else f', roll {dice[0]}-{dice[1]}'}")
    if as_json:
        print_json(report.document(top))
        return
    if draw:
        print_board(view(board, game.rules))
    report.print(top)


def _rolled(
    table: Table,
    over: bool,
    wanted: dict[str, Any],
    watch: Watch,
    chart: Chart | None,
    top: int | None,
) -> RolloutResult | RankedPlays:
    """Roll out the position, or the plays of its roll."""
    game, board, dice = table[:3]
    if dice is None or over:
        interim = None if chart is None else chart.take
        for name in ("candidates", "stop_jsd"):
            wanted.pop(name, None)
        return roll_out(board, game.rules, progress=watch.progress, interim=interim, **wanted)

    def looked(ranking: RankedPlays) -> None:
        if chart is not None:
            chart.take(ranking)
        if watch.show is not None:
            watch.show(ranking_lines(ranking, top))

    seen = chart is not None or watch.show is not None
    return rank(
        board,
        dice,
        game.rules,
        progress=watch.progress,
        interim=looked if seen else None,
        **wanted,
    )
