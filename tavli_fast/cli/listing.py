"""The commands that need no rollout: ``plays``, ``perft`` and ``rules``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from time import perf_counter
from typing import Final

import click

from .._arguments import Int8Array
from ..boards import flip, outcomes
from ..generation import afterstates
from ..generation import perft as count_nodes
from ..ids import position_id
from ..legal import legal_plays
from ..notation import CANNOT_MOVE
from ..rules import RULES, Rules
from .options import Roll, json_option, position_option, read_position, roll_option, rules_option
from .output import Column, counted, print_json, print_table

__all__ = ["perft", "plays", "rules"]


@click.command(short_help="List the legal plays of a roll.")
@position_option
@roll_option
@rules_option
@json_option
def plays(position: str | None, roll: Roll | None, rules: str, as_json: bool) -> None:
    """List the legal plays of a roll.

    Plays that leave the same position count once. In JSON "afterstate" is the position that a play
    leaves, and "next" the same with the opponent on roll, as --position takes it.
    """
    board, dice = read_position(position, rules)
    dice = roll or dice
    if dice is None:
        raise click.UsageError("no roll: expected --roll 31, or an XGID with a roll")
    legal = legal_plays(board, dice, rules)
    over = bool(outcomes(board, rules)[0][0])
    if as_json:
        print_json(
            {
                "rules": rules,
                "position": position_id(board, rules),
                "roll": dice,
                "over": over,
                "dance": not over and not legal,
                "plays": [
                    {
                        "play": str(play),
                        "moves": play.moves,
                        "afterstate": position_id(play.board, rules),
                        "next": position_id(flip(play.board), rules),
                    }
                    for play in legal
                ],
            }
        )
        return
    count = counted(len(legal), "legal play")
    click.echo(f"{rules}, position {position_id(board, rules)}, roll {dice[0]}-{dice[1]}: {count}")
    if over:
        click.echo("The game is over.")
    elif not legal:
        click.echo(f"{CANNOT_MOVE}: X dances.")
    for number, play in enumerate(legal, start=1):
        click.echo(f"{number:4d}  {play}")


@click.command(short_help="Count the positions some plies on.")
@click.option("--depth", type=click.IntRange(1, 20), required=True, help="How many plies.")
@position_option
@rules_option
@click.option("--split", is_flag=True, help="Count for each first roll.")
@json_option
def perft(depth: int, position: str | None, rules: str, split: bool, as_json: bool) -> None:
    """Count the positions some plies on, over all 21 rolls: a test of move generators.

    A dance counts as one play, a finished game has no children, and positions that come up twice
    count twice. A roll in the XGID plays no part.
    """
    board, _ = read_position(position, rules)
    began = perf_counter()
    by_roll = dict(_split(board, depth, rules)) if split else {}
    nodes = sum(by_roll.values()) if split else count_nodes(board, depth, rules)
    seconds = perf_counter() - began
    speed = round(nodes / max(seconds, 1e-9))
    if as_json:
        document: dict[str, object] = {
            "rules": rules,
            "position": position_id(board, rules),
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "nodes_per_second": speed,
        }
        if split:
            document["split"] = by_roll
        print_json(document)
        return
    click.echo(f"{rules}, position {position_id(board, rules)}, {counted(depth, 'ply', 'plies')}")
    for roll, count in by_roll.items():
        click.echo(f"{roll}: {count:,}")
    click.echo(f"{counted(nodes, 'node')}, {seconds:.3f} s, {speed:,} nodes/s")


def _split(board: Int8Array, depth: int, rules: str) -> Iterator[tuple[str, int]]:
    """Give each roll, the higher die first, and its part of the nodes."""
    over = bool(outcomes(board, rules)[0][0])
    for high in range(1, 7):
        for low in range(1, high + 1):
            after = afterstates(board, (high, low), rules).boards
            if not len(after) and not over:
                after = board[None]  # a dance: the board stays
            children = flip(after)
            yield f"{high}-{low}", sum(count_nodes(child, depth - 1, rules) for child in children)


_ABOUT: Final = {
    "portes": "the Greek game: a win counts 1, or 2 if the loser has borne off none",
    "portes_cube": "Portes in Greek online rooms: koks (backgammon) counts 3",
    "backgammon": "the international game: win 1, gammon 2, backgammon 3",
    "backgammon_zh": "backgammon by the Chinese text: no duty to play both dice or the higher one",
    "hypergammon": "backgammon with three checkers a side, on 24, 23 and 22",
    "nackgammon": "backgammon from Nack Ballard's start, with four checkers back",
    "longgammon": "backgammon with all fifteen checkers on the 24-point",
    "tavla": "the Turkish game: Portes, but a checker that hits at home may not move on",
}


@click.command(short_help="List the rule sets, or show one.")
@click.argument("name", required=False, type=click.Choice(list(RULES), case_sensitive=False))
@json_option
def rules(name: str | None, as_json: bool) -> None:
    """List the rule sets; with NAME show what that one says.

    A star marks what differs from portes.
    """
    if name is None:
        if as_json:
            print_json([{"name": preset, "about": _about(preset)} for preset in RULES])
            return
        width = max(map(len, RULES))
        for preset in RULES:
            click.echo(f"{preset:{width}}  {_about(preset)}")
        return
    chosen = RULES[name]
    differs = _differing(chosen)
    if as_json:
        document = {"name": name, "about": _about(name), "fields": asdict(chosen)}
        print_json({**document, "differs": differs})
        return
    click.echo(f"{name}: {_about(name)}\n")
    names = [field.name for field in fields(Rules)]
    default = Rules()
    columns = [
        Column("", ["*" if field in differs else "" for field in names]),
        Column("rule", names, left=True),
        Column("value", [_value(getattr(chosen, field)) for field in names], left=True),
    ]
    if differs:
        usual = [_value(getattr(default, field)) if field in differs else "" for field in names]
        columns.append(Column("portes has", usual, left=True))
    print_table(columns)


def _about(name: str) -> str:
    """Return a line about a preset; of a new one what makes it differ."""
    if name in _ABOUT:
        return _ABOUT[name]
    chosen = RULES[name]
    return ", ".join(f"{field} {_value(getattr(chosen, field))}" for field in _differing(chosen))


def _differing(chosen: Rules) -> list[str]:
    """Return the names of the fields whose values are not the default ones."""
    default = Rules()
    names = [field.name for field in fields(Rules)]
    return [name for name in names if getattr(chosen, name) != getattr(default, name)]


def _value(value: object) -> str:
    """Return a field's value as a player reads it; pairs are points and the checkers there."""
    if isinstance(value, tuple):
        return " ".join(f"{point}:{checkers}" for point, checkers in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
