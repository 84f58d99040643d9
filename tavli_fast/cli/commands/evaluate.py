"""The command ``evaluate``: what a position is worth, without playing it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click
import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.boards.positions import outcomes
from tavli_fast.cli.options.cube import cube_arguments, cube_options
from tavli_fast.cli.options.output import board_option, json_option
from tavli_fast.cli.options.policy import policy_option, read_policy
from tavli_fast.cli.options.position import Request, position_option, read_request, take_words
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Whole
from tavli_fast.cli.show.cube import setting_document, setting_text
from tavli_fast.cli.show.estimates import number, signed
from tavli_fast.cli.show.exact import PLACES, exact_document, sides_document
from tavli_fast.cli.show.table import Column, counted, print_board, print_json, print_table
from tavli_fast.cube.decisions import CubeDecision, cube_equities, decision_of
from tavli_fast.evaluation.evaluate import Evaluation
from tavli_fast.evaluation.evaluate import evaluate as evaluated
from tavli_fast.exact.bearoff import one_sided
from tavli_fast.exact.race import bearoff_sides
from tavli_fast.notation.view import view
from tavli_fast.rules.presets import Rules

__all__ = ["evaluate"]

_MOST_PLIES: Final = 3
_DEFAULT_PLIES: Final = 2
_HOME: Final = 6
_COLUMNS: Final = ("win", "win 2+", "win 3", "lose 2+", "lose 3", "draw")
_DOUBLES: Final = {
    "no double": "no_double",
    "double, take": "double_take",
    "double, pass": "double_pass",
}
_FIELDS: Final = {
    **_DOUBLES,
    "cube in the middle": "centred",
    "X's cube": "owned",
    "O's cube": "opponents",
}
"""What is printed of a cube decision, and its fields."""


@click.command(short_help="Evaluate a position: chances, equity, cube, race.")
@click.argument("words", nargs=-1, metavar="[POSITION]")
@position_option
@position_rules_option
@set_option
@policy_option("positions are judged")
@click.option(
    "--plies",
    type=Whole(0, _MOST_PLIES),
    default=_DEFAULT_PLIES,
    help="How many plies to look ahead at most.",
)
@cube_options
@board_option
@json_option
def evaluate(
    words: Sequence[str],
    position: str | None,
    rules: str | None,
    changes: dict[str, str],
    policy: str | None,
    plies: int,
    draw: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Evaluate a position before the roll: chances and equity at 0 plies, 1 ply, 2 plies.

    With n plies, the value is the mean over all rolls of the best play, judged n - 1 plies deep.
    Where both sides have passed each other and are home, the rolls that they need are shown too; up
    to six checkers a side the equities are exact. In games with a cube, its equities and the best
    action follow from the deepest chances.

    A roll in the ID is ignored. The position may stand without its option.
    """
    position, roll = take_words(words, position, None)
    if roll is not None:
        raise click.UsageError(f"{roll[0]}{roll[1]} is a roll: expected a position alone")
    request = read_request(position, rules, changes)
    board, played = request.board, request.choice.rules
    over, points = outcomes(board, played)
    if options["cube"] is None and played.cube:
        options["cube"] = True
    cube = cube_arguments(options, request)
    judge: Any = read_policy(policy, played, "--policy")
    if not judge.judges:
        raise click.UsageError("--policy: random play judges nothing, expected a net")
    found: list[Evaluation] = []
    if not over[0]:
        found = [evaluated(board, judge, played, depth) for depth in range(plies + 1)]
    decision, may_double = None, False
    if cube and found:
        equities = cube_equities(found[-1].outcomes, cube["cube"], efficiency=cube["efficiency"])
        decision, may_double = decision_of(equities), equities.may_double
    race = None if over[0] else _race(board, played)
    exact = None if over[0] else exact_document(board, played)
    if as_json:
        document = {
            **request.head(),
            "over": bool(over[0]),
            "policy": judge.name,
            "plies": [
                {
                    "plies": depth,
                    "outcomes": [*map(number, each.outcomes[0].tolist())],
                    "equity": float(each.equity[0]),
                }
                for depth, each in enumerate(found)
            ],
            "race": race,
            "exact": exact,
            "cube": _cube_document(decision, cube),
        }
        print_json(document)
        return
    if draw:
        print_board(view(board, played))
    _print_head(request, judge.name)
    if over[0]:
        click.echo(f"The game is over: X has {counted(int(points[0]), 'point')}.")
        return
    _print_plies(found)
    _print_race(race)
    if exact is not None:
        click.echo("\nexact, for money, before X doubles:")
        equities_of = [signed(exact["no_double"][place]) for place in PLACES]
        print_table([Column("", [*PLACES.values()], left=True), Column("equity", equities_of)])
    if decision is not None:
        click.echo(f"\n{setting_text(cube['cube'], cube['efficiency'])}, from the deepest chances:")
        _print_cube(decision, may_double)


def _print_head(request: Request, judge: str) -> None:
    click.echo(f"{request.choice}, position {request.id}, X on roll, judged by {judge}")


def _print_plies(found: Sequence[Evaluation]) -> None:
    shown = [k for k in range(len(_COLUMNS)) if any(each.outcomes[0, k] > 0 for each in found)]
    columns = [Column("plies", [str(depth) for depth in range(len(found))])]
    for k in shown:
        cells = [f"{100 * each.outcomes[0, k]:.2f} %" for each in found]
        columns.append(Column(_COLUMNS[k], cells))
    columns.append(Column("equity", [signed(float(each.equity[0])) for each in found]))
    print_table(columns)


def _print_cube(decision: CubeDecision, may_double: bool) -> None:
    names = [name for name in _FIELDS if may_double or name not in _DOUBLES]
    equities = [signed(getattr(decision, _FIELDS[name])) for name in names]
    print_table([Column("", names, left=True), Column("equity", equities)])
    if may_double:
        click.echo(f"best: {decision.action}")


def _race(board: Int8Array, rules: Rules) -> dict[str, Any] | None:
    """Return what both sides need in a bear-off, for JSON; None in any other position."""
    apart, sides = bearoff_sides(board[np.newaxis], _HOME)
    if not apart[0]:
        return None
    try:
        table = one_sided(rules)
    except ValueError:  # rules of another bear-off
        return None
    return sides_document(table, sides[0], table.distribution(sides[0]))


def _print_race(race: dict[str, Any] | None) -> None:
    if race is None:
        return
    click.echo()
    for name, side in race.items():
        click.echo(
            f"{name} needs {side['mean_rolls']:.3f} rolls on average: effective pip count "
            f"{side['effective_pips']:.2f}, pip count {side['pips']}"
        )


def _cube_document(decision: CubeDecision | None, cube: dict[str, Any]) -> dict[str, Any] | None:
    """Return a cube decision for JSON."""
    if decision is None:
        return None
    return {
        **(setting_document(cube["cube"], cube["efficiency"]) or {}),
        "action": decision.action,
        "cubeless": decision.cubeless,
        "equities": {field: getattr(decision, field) for field in _FIELDS.values()},
        "match_chance": decision.match_chance,
    }
