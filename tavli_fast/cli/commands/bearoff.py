"""The command ``bearoff``: how many rolls both sides of a race need, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click
import numpy as np

from tavli_fast.boards.positions import outcomes
from tavli_fast.cli.options.output import board_option, json_option
from tavli_fast.cli.options.position import position_option, read_request, take_words
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Whole
from tavli_fast.cli.show.estimates import signed
from tavli_fast.cli.show.exact import PLACES, exact_document, sides_document
from tavli_fast.cli.show.table import Column, print_board, print_json, print_table
from tavli_fast.exact.bearoff import OneSidedBearoff, one_sided
from tavli_fast.exact.race import MOST_POINTS, bearoff_sides, farthest_point
from tavli_fast.notation.view import view

__all__ = ["bearoff"]

_POINTS: Final = 8
"""The most points that a table is built for unless asked: 228 MB, some seconds."""
_LIKELY: Final = 5e-5
"""Chances below this are not printed."""


@click.command(short_help="Analyse a bear-off: rolls needed, chances, exact equities.")
@click.argument("words", nargs=-1, metavar="[POSITION]")
@position_option
@position_rules_option
@set_option
@click.option(
    "--points",
    type=Whole(1, MOST_POINTS),
    help="Build the table for so many points; 10 take 4.3 GB.",
    show_default=f"as many as needed, 6 to {_POINTS}",
)
@board_option
@json_option
def bearoff(
    words: Sequence[str],
    position: str | None,
    rules: str | None,
    changes: dict[str, str],
    points: int | None,
    draw: bool,
    as_json: bool,
) -> None:
    """Analyse a position in which the two sides have passed each other.

    For both sides: the mean number of rolls to bear off the last checker, the effective pip count
    and the chances of each number of rolls, by the plays that make the mean least. From these
    follow the chances of the race. With up to six checkers a side, all on their first six points,
    the equities are exact, without a cube and with it (for money, without a limit).

    A roll in the ID is ignored. The position may stand without its option.
    """
    position, roll = take_words(words, position, None)
    if roll is not None:
        raise click.UsageError(f"{roll[0]}{roll[1]} is a roll: expected a position alone")
    request = read_request(position, rules, changes)
    board, played = request.board, request.choice.rules
    if outcomes(board, played)[0][0]:
        raise click.UsageError("the game is over: expected a position before a roll")
    farthest = farthest_point(board)
    most = _POINTS if points is None else points
    if farthest > most or (board < 0).any():
        what = "a checker is pinned" if (board < 0).any() else f"a checker is on point {farthest}"
        more = f", or --points {farthest}" if most < farthest <= MOST_POINTS else ""
        raise click.UsageError(f"{what}: expected both sides on their first {most} points{more}")
    try:
        table = one_sided(played, max(6, farthest) if points is None else points, most_bytes=2**33)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    _, sides = bearoff_sides(board[np.newaxis], table.points)
    race = table.race(sides[:, 0], sides[:, 1])[0]
    chances = table.distribution(sides[0])
    exact = exact_document(board, played)
    if as_json:
        print_json(
            {
                **request.head(),
                "sides": sides_document(table, sides[0], chances),
                "race": {"outcomes": race.tolist(), "equity": _equity(race)},
                "exact": exact,
            }
        )
        return
    if draw:
        print_board(view(board, played))
    click.echo(f"{request.choice}, position {request.id}, X on roll")
    _print_sides(table, sides[0])
    _print_chances(chances)
    names = ("win", "win 2+", "win 3", "lose 2+", "lose 3")
    shown = ", ".join(
        f"{name} {100 * chance:.2f} %"
        for name, chance in zip(names, race, strict=False)
        if chance > 0 or name == "win"
    )
    click.echo(f"\nboth by these tables: {shown}, equity {signed(_equity(race))}")
    if exact is not None:
        click.echo("\nexact, for money, before X doubles and with his best action:")
        _print_exact(exact)


def _equity(outcomes_of: Any) -> float:
    """Return the mean points of six outcomes."""
    win, win2, win3, lose2, lose3, draw = map(float, outcomes_of)
    return win + win2 + win3 - (1 - win - draw) - lose2 - lose3


def _print_sides(table: OneSidedBearoff, sides: Any) -> None:
    pips = (sides * np.arange(1, table.points + 1)).sum(axis=1)
    effective = table.effective_pips(sides)
    print_table(
        [
            Column("", ["X", "O"], left=True),
            Column("checkers", [str(int(side.sum())) for side in sides]),
            Column("pips", [str(int(count)) for count in pips]),
            Column("mean rolls", [f"{mean:.4f}" for mean in table.mean(sides)]),
            Column("effective pips", [f"{count:.2f}" for count in effective]),
            Column("wastage", [f"{count:.2f}" for count in effective - pips], extra=True),
        ]
    )


def _print_chances(chances: Any) -> None:
    likely = np.flatnonzero((chances >= _LIKELY).any(axis=0))
    rolls = range(int(likely[0]), int(likely[-1]) + 1)
    columns = [Column("rolls", [str(k) for k in rolls])]
    for name, row in zip(("X", "O"), chances, strict=True):
        columns.append(Column(name, [f"{100 * row[k]:.2f} %" for k in rolls]))
        by_then = np.cumsum(row)
        columns.append(
            Column(f"{name}, at most", [f"{100 * by_then[k]:.2f} %" for k in rolls], extra=True)
        )
    click.echo()
    print_table(columns)


def _print_exact(exact: dict[str, Any]) -> None:
    columns = [Column("", list(PLACES.values()), left=True)]
    for head, key in (("no double", "no_double"), ("best action", "best_action")):
        columns.append(Column(head, [signed(exact[key][name]) for name in PLACES]))
    print_table(columns)
