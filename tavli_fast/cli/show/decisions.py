"""Decisions told to a player: the choices with their equities, and the board."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tavli_fast.analysis.records import Choice, Decision
from tavli_fast.cli.show.estimates import signed
from tavli_fast.cli.show.table import Column, print_board, print_table
from tavli_fast.notation.view import view

__all__ = ["cube_line", "decision_line", "print_choices", "print_worst"]

_WORDS = {"centre": "centred cube", "player": "X's cube", "opponent": "O's cube"}


def print_choices(decision: Decision) -> None:
    """Print what could be done, the best first."""
    best, choices = decision.best, decision.choices
    columns = [
        Column("", [f"{number}." for number in range(1, len(choices) + 1)]),
        Column(
            "play" if decision.kind == "play" else "cube",
            [each.text for each in choices],
            left=True,
        ),
        Column("equity", [signed(each.equity) for each in choices]),
        Column("", ["" if each is best else signed(each.equity - best.equity) for each in choices]),
    ]
    outcomes = [each.outcomes for each in choices]
    if all(outcomes):
        columns += _chances(choices)
    print_table(columns)


def _chances(choices: Sequence[Choice]) -> list[Column]:
    """Return the columns of the chances to win and lose."""
    names = ("win", "gammon", "backg.", "lose g.", "lose bg.")
    return [
        Column(name, [f"{100 * each.outcomes[at]:.1f}%" for each in choices], extra=True)
        for at, name in enumerate(names)
        if any(each.outcomes[at] > 0 for each in choices)
    ]


def print_worst(decisions: Sequence[Decision], players: tuple[str, str], draw: bool) -> None:
    """Print decisions that cost something, with their boards."""
    for number, each in enumerate(decisions, 1):
        click.echo(f"\n{number}. {decision_line(each, players)}")
        if draw:
            print_board(view(each.board, each.rules))
        if each.stage is not None:
            click.echo(cube_line(each))
        print_choices(each)


def decision_line(decision: Decision, players: tuple[str, str]) -> str:
    """Say who did what, and what it cost."""
    roll = "" if decision.dice is None else f"{decision.dice[0]}{decision.dice[1]}: "
    mark = f", {decision.mark}" if decision.mark else ""
    return (
        f"Game {decision.game}, turn {decision.turn}, {players[decision.player]}: "
        f"{roll}{decision.played.text} costs {decision.error:.3f}{mark}; best {decision.best.text}"
    )


def cube_line(decision: Decision) -> str:
    """Say where the cube is, and how the match stands; X is the player on roll."""
    stage = decision.stage
    if stage is None:
        return ""
    cube = "" if stage.cube == 1 and stage.owner == "centre" else f" at {stage.cube}"
    away = ""
    if stage.away is not None:
        crawford = ""
        if min(stage.away) == 1:
            crawford = ", after Crawford" if stage.post_crawford else ", Crawford game"
        away = f"; X needs {stage.away[0]}, O {stage.away[1]}{crawford}"
    return f"{_WORDS[stage.owner]}{cube}{away}"
