"""The command ``plays``: the legal plays of a roll."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tavli_fast.boards.positions import flip, outcomes
from tavli_fast.cli.options.output import json_option
from tavli_fast.cli.options.position import (
    position_option,
    read_request,
    roll_option,
    take_words,
)
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Roll
from tavli_fast.cli.show.table import counted, print_board, print_json
from tavli_fast.notation.grammar import CANNOT_MOVE
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.position_id import any_id
from tavli_fast.notation.view import view

__all__ = ["plays"]


@click.command(short_help="List the legal plays of a roll.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@position_rules_option
@set_option
@click.option("--board/--no-board", "draw", default=False, help="Draw the board first, or do not.")
@json_option
def plays(
    words: Sequence[str],
    position: str | None,
    roll: Roll | None,
    rules: str | None,
    changes: dict[str, str],
    draw: bool,
    as_json: bool,
) -> None:
    """List the legal plays of a roll.

    Plays that lead to the same position are listed once. In JSON "afterstate" is the position after
    the play, and "next" the same with the opponent on roll, as --position takes it.

    Position and roll may stand without their options.
    """
    position, roll = take_words(words, position, roll)
    request = read_request(position, rules, changes, roll)
    choice, board, dice = request.choice, request.board, request.roll
    if dice is None:
        raise click.UsageError("no roll: expected one such as 31, or an XGID or a TFID with a roll")
    legal = legal_plays(board, dice, choice.rules)
    over = bool(outcomes(board, choice.rules)[0][0])
    if as_json:
        print_json(
            {
                **request.head(),
                "roll": dice,
                "over": over,
                "dance": not over and not legal,
                "plays": [
                    {
                        "play": str(play),
                        "moves": play.moves,
                        "afterstate": any_id(play.board, choice.rules),
                        "next": any_id(flip(play.board), choice.rules),
                    }
                    for play in legal
                ],
            }
        )
        return
    if draw:
        print_board(view(board, choice.rules))
    count = counted(len(legal), "legal play")
    click.echo(f"{choice}, position {request.id}, roll {dice[0]}-{dice[1]}: {count}")
    if over:
        click.echo("The game is over.")
    elif not legal:
        click.echo(f"{CANNOT_MOVE}: X dances.")
    for number, play in enumerate(legal, start=1):
        click.echo(f"{number:4d}  {play}")
