"""The commands that need no rollout: ``plays``, ``perft`` and ``rules``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from time import perf_counter
from typing import Final

import click

from tavli_fast._common.arguments import Int8Array
from tavli_fast.boards.plays import afterstates
from tavli_fast.boards.plays import perft as count_nodes
from tavli_fast.boards.positions import flip, outcomes
from tavli_fast.cli.options.position import (
    Roll,
    find_rules,
    json_option,
    position_option,
    read_number,
    read_table,
    roll_option,
    rules_option,
    set_option,
    take_words,
    whole,
    whole_number,
)
from tavli_fast.cli.show.table import Column, counted, print_board, print_json, print_table
from tavli_fast.notation.grammar import CANNOT_MOVE
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.position_id import any_id
from tavli_fast.notation.view import view
from tavli_fast.rules.games import ABOUT
from tavli_fast.rules.presets import RULES, Rules
from tavli_fast.rules.text import value_text

__all__ = ["perft", "plays", "rules"]

_DEPTHS: Final = (1, 20)


@click.command(short_help="List the legal plays of a roll.")
@click.argument("words", nargs=-1, metavar="[POSITION] [ROLL]")
@position_option
@roll_option
@rules_option
@set_option
@click.option("--board/--no-board", "draw", default=False, help="Draw the position, or do not.")
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

    Position and roll may stand without their options. Plays that leave the same position count
    once. In JSON "afterstate" is the position that a play leaves, and "next" the same with the
    opponent on roll, as --position takes it.
    """
    position, roll = take_words(words, position, roll)
    table = read_table(position, rules, changes, roll)
    game, board, dice = table[:3]
    if dice is None:
        raise click.UsageError("no roll: expected one such as 31, or an XGID or a TFID with a roll")
    legal = legal_plays(board, dice, game.rules)
    over = bool(outcomes(board, game.rules)[0][0])
    if as_json:
        print_json(
            {
                **table.head(),
                "roll": dice,
                "over": over,
                "dance": not over and not legal,
                "plays": [
                    {
                        "play": str(play),
                        "moves": play.moves,
                        "afterstate": any_id(play.board, game.rules),
                        "next": any_id(flip(play.board), game.rules),
                    }
                    for play in legal
                ],
            }
        )
        return
    if draw:
        print_board(view(board, game.rules))
    count = counted(len(legal), "legal play")
    click.echo(f"{game}, position {table.id}, roll {dice[0]}-{dice[1]}: {count}")
    if over:
        click.echo("The game is over.")
    elif not legal:
        click.echo(f"{CANNOT_MOVE}: X dances.")
    for number, play in enumerate(legal, start=1):
        click.echo(f"{number:4d}  {play}")


@click.command(short_help="Count the positions some plies on.")
@click.argument("words", nargs=-1, metavar="[DEPTH] [POSITION]")
@click.option(
    "--depth", type=str, callback=whole(*_DEPTHS), metavar="N", help="How many plies, 1 to 20."
)
@position_option
@rules_option
@set_option
@click.option("--split", is_flag=True, help="Count for each first roll.")
@json_option
def perft(
    words: Sequence[str],
    depth: int | None,
    position: str | None,
    rules: str | None,
    changes: dict[str, str],
    split: bool,
    as_json: bool,
) -> None:
    """Count the positions some plies on, over all 21 rolls: a test of move generators.

    Depth and position may stand without their options. A dance counts as one play, a finished game
    has no children, and positions that come up twice count twice. A roll in the ID plays no part.
    """
    for word in words:
        if whole_number(word) is None:
            position, dice = take_words([word], position, None)
            if dice:
                raise click.UsageError(f"{word!r} is a roll: expected a depth, or a position")
        elif depth is None:
            depth = read_number(word, *_DEPTHS, hint="depth")
        else:
            raise click.UsageError(f"two depths, {depth} and {word}: expected one")
    if depth is None:
        raise click.UsageError("no depth: expected a number of plies, such as 3, or --depth 3")
    table = read_table(position, rules, changes)
    board, played = table.board, table.game.rules
    over = bool(outcomes(board, played)[0][0])
    began = perf_counter()
    by_roll = dict(_split(board, depth, played)) if split else {}
    nodes = sum(by_roll.values()) if split else count_nodes(board, depth, played)
    seconds = perf_counter() - began
    speed = round(nodes / max(seconds, 1e-9))
    if as_json:
        document: dict[str, object] = {
            **table.head(),
            "over": over,
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "nodes_per_second": speed,
        }
        if split:
            document["split"] = by_roll
        print_json(document)
        return
    click.echo(f"{table.game}, position {table.id}, {counted(depth, 'ply', 'plies')}")
    if over:
        click.echo("The game is over: it has no children.")
        return
    for roll, count in by_roll.items():
        click.echo(f"{roll}: {count:,}")
    click.echo(f"{counted(nodes, 'node')}, {seconds:.3f} s, {speed:,} nodes/s")


def _split(board: Int8Array, depth: int, rules: Rules) -> Iterator[tuple[str, int]]:
    """Give each roll, the higher die first, and its part of the nodes."""
    over = bool(outcomes(board, rules)[0][0])
    for high in range(1, 7):
        for low in range(1, high + 1):
            after = afterstates(board, (high, low), rules).boards
            if not len(after) and not over:
                after = board[None]  # a dance: the board stays
            children = flip(after)
            yield f"{high}-{low}", sum(count_nodes(child, depth - 1, rules) for child in children)


@click.command(short_help="List the rule sets, or show one.")
@click.argument(
    "name", required=False, type=click.Choice(list(RULES), case_sensitive=False), metavar="[NAME]"
)
@set_option
@json_option
def rules(name: str | None, changes: dict[str, str], as_json: bool) -> None:
    """List the rule sets; with NAME show what that one says.

    A star marks what differs from portes. Each field can be changed with --set, here and in the
    other commands.
    """
    if name is None:
        if changes:
            raise click.UsageError("--set without a rule set: expected its NAME too")
        if as_json:
            print_json([{"name": preset, "about": ABOUT[preset]} for preset in RULES])
            return
        width = max(map(len, RULES))
        for preset in RULES:
            click.echo(f"{preset:{width}}  {ABOUT[preset]}")
        return
    game = find_rules(name, changes)
    chosen = game.rules
    differs = _differing(chosen)
    if as_json:
        document = {"name": name, "about": ABOUT[name], "set": changes, "fields": asdict(chosen)}
        print_json({**document, "differs": differs})
        return
    click.echo(f"{game}: {ABOUT[name]}\n")
    names = [field.name for field in fields(Rules)]
    default = Rules()
    columns = [
        Column("", ["*" if field in differs else "" for field in names]),
        Column("rule", names, left=True),
        Column("value", [value_text(getattr(chosen, field)) for field in names], left=True),
    ]
    if differs:
        usual = [value_text(getattr(default, field)) if field in differs else "" for field in names]
        columns.append(Column("portes has", usual, left=True))
    print_table(columns)


def _differing(chosen: Rules) -> list[str]:
    """Return the names of the fields whose values are not the default ones."""
    default = Rules()
    names = [field.name for field in fields(Rules)]
    return [name for name in names if getattr(chosen, name) != getattr(default, name)]
