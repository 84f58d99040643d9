"""The command ``perft``: how many positions there are some plies on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Final

import click

from tavli_fast._common.arguments import Int8Array
from tavli_fast.boards.plays import afterstates
from tavli_fast.boards.plays import perft as count_nodes
from tavli_fast.boards.positions import flip, outcomes
from tavli_fast.cli.options.output import json_option
from tavli_fast.cli.options.position import position_option, read_request, take_words
from tavli_fast.cli.options.rules import position_rules_option, set_option
from tavli_fast.cli.options.types import Whole, whole_number
from tavli_fast.cli.show.table import counted, print_json
from tavli_fast.rules.presets import Rules

__all__ = ["perft"]

_DEPTH: Final = Whole(1, 20)


@click.command(short_help="Count positions to a depth: a test of move generators.")
@click.argument("words", nargs=-1, metavar="[DEPTH] [POSITION]")
@click.option("--depth", type=_DEPTH, help="How many plies.")
@position_option
@position_rules_option
@set_option
@click.option("--split", is_flag=True, help="Show the count for each first roll.")
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
    """Count the positions that can arise after DEPTH plies, over all 21 rolls (perft).

    This checks move generators against each other. A roll that cannot be played counts as one play,
    a finished game has no children, and a position reached in two ways counts twice. A roll in the
    ID is ignored.

    Depth and position may stand without their options.
    """
    for word in words:
        if whole_number(word) is None:
            position, dice = take_words([word], position, None)
            if dice:
                raise click.UsageError(f"{word!r} is a roll: expected a depth, or a position")
        elif depth is None:
            depth = _DEPTH.convert(word, None, None)
        else:
            raise click.UsageError(f"two depths, {depth} and {word}: expected one")
    if depth is None:
        raise click.UsageError("no depth: expected a number of plies, such as 3, or --depth 3")
    request = read_request(position, rules, changes)
    board, played = request.board, request.choice.rules
    over = bool(outcomes(board, played)[0][0])
    began = perf_counter()
    by_roll = dict(_split(board, depth, played)) if split else {}
    nodes = sum(by_roll.values()) if split else count_nodes(board, depth, played)
    seconds = perf_counter() - began
    speed = round(nodes / max(seconds, 1e-9))
    if as_json:
        document: dict[str, object] = {
            **request.head(),
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
    click.echo(f"{request.choice}, position {request.id}, {counted(depth, 'ply', 'plies')}")
    if over:
        click.echo("The game is over: it has no children.")
        return
    for roll, count in by_roll.items():
        click.echo(f"{roll}: {count:,}")
    click.echo(f"{counted(nodes, 'node')}, {seconds:.3f} s, {speed:,} nodes/s")


def _split(board: Int8Array, depth: int, rules: Rules) -> Iterator[tuple[str, int]]:
    """Yield each roll, the higher die first, and its part of the nodes."""
    over = bool(outcomes(board, rules)[0][0])
    for high in range(1, 7):
        for low in range(1, high + 1):
            after = afterstates(board, (high, low), rules).boards
            if not len(after) and not over:
                after = board[None]  # a dance: the board stays
            children = flip(after)
            yield f"{high}-{low}", sum(count_nodes(child, depth - 1, rules) for child in children)
