"""The command ``hint``: the best plays of a roll, or what to do with the cube."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click

from tavli_fast.analysis.hints import hint as hints
from tavli_fast.boards.positions import outcomes
from tavli_fast.cli.options.analysis import judge_option, plies_option
from tavli_fast.cli.options.cube import cube_arguments, cube_options
from tavli_fast.cli.options.output import board_option, json_option
from tavli_fast.cli.options.policy import read_judge
from tavli_fast.cli.options.position import position_option, read_request, roll_option, take_words
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Roll, Whole
from tavli_fast.cli.show.decisions import cube_line, print_choices
from tavli_fast.cli.show.estimates import signed
from tavli_fast.cli.show.table import print_board, print_json
from tavli_fast.cube.advice import cube_decision
from tavli_fast.evaluation.evaluate import evaluate
from tavli_fast.notation.view import view

__all__ = ["hint"]


@click.command(short_help="Show the best plays of a roll, or what to do with the cube.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@position_rules_option
@set_option
@plies_option
@judge_option
@cube_options
@click.option("--top", type=Whole(1, 1000), default=5, help="Show so many plays.")
@board_option
@json_option
def hint(
    words: Sequence[str],
    position: str | None,
    roll: Roll | None,
    rules: str | None,
    changes: dict[str, str],
    plies: int | Literal["rollout"],
    policy: str | None,
    top: int,
    draw: bool,
    as_json: bool,
    **cube: Any,
) -> None:
    """Show the best plays of a roll, by the net; without a roll, what the position is worth, and
    with a cube whether to double.

    Position and roll may stand without their options. The cube and the score are those of an XGID
    of a match, or of --cube and the options below it.
    """
    position, roll = take_words(words, position, roll)
    request = read_request(position, rules, changes, roll)
    choice, board, dice = request.choice, request.board, request.roll
    if outcomes(board, choice.rules)[0][0]:
        raise click.UsageError("the game is over: expected a position in which somebody is to play")
    if cube["efficiency"] is not None:
        raise click.UsageError("--efficiency with hint: expected none, as it uses the default")
    setting = cube_arguments(cube, request).get("cube")
    judge = read_judge(policy, choice.rules)
    found = hints(board, dice, choice.rules, setting, judge, plies, top)
    deep = 0 if plies == "rollout" else plies
    here = evaluate(board, judge, choice.rules, deep)
    if as_json:
        print_json(
            {
                **request.head(),
                "roll": dice,
                "plies": plies,
                "equity": float(here.equity[0]),
                "outcomes": here.outcomes[0].tolist(),
                "choices": [
                    {"text": each.text, "equity": each.equity, "outcomes": each.outcomes}
                    for decision in found
                    for each in decision.choices
                ],
            }
        )
        return
    if draw:
        print_board(view(board, choice.rules))
    rolled = "before the roll" if dice is None else f"roll {dice[0]}-{dice[1]}"
    click.echo(f"{choice}, position {request.id}, {rolled}")
    if found and found[0].stage is not None:
        click.echo(cube_line(found[0]))
    if dice is None:
        names = ("win", "gammon", "backgammon", "lose gammon", "lose backgammon", "draw")
        chances = [
            f"{name} {100 * chance:.1f}%"
            for name, chance in zip(names, here.outcomes[0].tolist(), strict=True)
            if chance > 0
        ]
        click.echo(f"Equity without a cube {signed(float(here.equity[0]))}: {', '.join(chances)}")
        if setting is not None and found:
            cube_action = cube_decision(here.outcomes[0], setting)
            if request.pending:
                answer = "take" if cube_action.take else "pass"
                values = signed(-cube_action.double_take), signed(-cube_action.double_pass)
                click.echo(f"O's answer: {answer} (take {values[0]}, pass {values[1]}); and X:")
            click.echo(f"{cube_action.action}:")
    for decision in found:
        print_choices(decision)
