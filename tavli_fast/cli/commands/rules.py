"""The command ``rules``: the games, and the rules of each."""

from __future__ import annotations

from dataclasses import asdict, fields

import click

from tavli_fast.cli.options.output import json_option
from tavli_fast.cli.options.rules import find_rules, preset_argument, set_option
from tavli_fast.cli.show.table import Column, print_json, print_table
from tavli_fast.rules.games import ABOUT
from tavli_fast.rules.presets import RULES, Rules
from tavli_fast.rules.text import value_text

__all__ = ["rules"]


@click.command(short_help="List the games, or show the rules of one.")
@preset_argument
@set_option
@json_option
def rules(name: str | None, changes: dict[str, str], as_json: bool) -> None:
    """List the games; with NAME show the rules of that game, field by field.

    A star marks what differs from portes. Each field can be changed with --set, here and in the
    other commands.
    """
    if name is None:
        if changes:
            raise click.UsageError("--set without a game: expected its NAME too")
        if as_json:
            print_json([{"name": preset, "about": ABOUT[preset]} for preset in RULES])
            return
        width = max(map(len, RULES))
        for preset in RULES:
            click.echo(f"{preset:{width}}  {ABOUT[preset]}")
        return
    choice = find_rules(name, changes)
    chosen = choice.rules
    differs = _differing(chosen)
    if as_json:
        document = {"name": name, "about": ABOUT[name], "set": changes, "fields": asdict(chosen)}
        print_json({**document, "differs": differs})
        return
    click.echo(f"{choice}: {ABOUT[name]}\n")
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
