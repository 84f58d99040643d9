"""What the commands share in writing: tables and boards that fit the terminal, numbers, JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tavli_fast.notation.view import BoardView

__all__ = [
    "Column",
    "counted",
    "plain_terminal",
    "plus_minus",
    "print_board",
    "print_json",
    "print_table",
    "print_text",
    "table_lines",
]

_UNLIMITED: Final = 10_000
"""The width without a screen: a pipe gets the same from every window."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    head: str
    """May have several lines."""
    cells: Sequence[str]
    left: bool = False
    """Whether the cells are words: they stand on the left, and may be broken between words."""
    extra: bool = False
    """Whether a screen that is too narrow for all goes without it."""


def print_table(columns: Sequence[Column]) -> None:
    """Print a table that fits the screen."""
    seen = sys.stdout is not None and sys.stdout.isatty()
    for line in table_lines(columns, bold=seen and not plain_terminal()):
        click.echo(line)


def table_lines(columns: Sequence[Column], bold: bool = False) -> list[str]:
    """Lay out a table for the screen, as lines.

    On a narrow screen the columns stand closer, then words go on lines of their own, then the last
    extra columns are left out. What is still too wide, the terminal breaks: no figure is ever cut.
    """
    width = screen_width()
    console = Console(
        width=width, color_system="standard" if bold else None, force_terminal=bold, no_color=True
    )
    shown, gap = list(columns), 2
    if _measured(console, shown, gap)[1] > width:
        gap = 1
    for column in reversed(columns):
        if column.extra and _measured(console, shown, gap)[0] > width:
            shown = [other for other in shown if other is not column]
    # As wide as it must be at least: rich would cut the figures of a narrower table.
    console.width = max(width, _measured(console, shown, gap)[0])
    with console.capture() as capture:
        console.print(_table(shown, gap))
    lines = [line.rstrip() for line in capture.get().splitlines()]
    if len(shown) < len(columns):
        lines.append("(a wider terminal shows more columns)")
    return lines


def _measured(console: Console, columns: Sequence[Column], gap: int) -> tuple[int, int]:
    """Return how wide a table is at least, and unbroken."""
    room = console.options.update(width=_UNLIMITED)
    found = console.measure(_table(columns, gap), options=room)
    return found.minimum, found.maximum


def _table(columns: Sequence[Column], gap: int) -> Table:
    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
    high = max(len(column.head.splitlines()) for column in columns)
    for column in columns:
        lower = "\n" * (high - max(1, len(column.head.splitlines())))
        table.add_column(
            Text(lower + column.head),
            justify="left" if column.left else "right",
            no_wrap=not column.left,
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    return table


def print_text(text: str) -> None:
    """Print a sentence, broken between words where the screen ends."""
    click.echo(fill(text, screen_width(), break_long_words=False, break_on_hyphens=False))


def print_board(board: BoardView) -> None:
    """Draw a board, unless the screen is too narrow for it."""
    picture = str(board)
    if max(map(len, picture.splitlines())) > screen_width():
        click.echo("(a wider terminal shows the board)\n")
    else:
        click.echo(f"{picture}\n")


def screen_width() -> int:
    """Return the width of the terminal; without one, more than anything needs."""
    return shutil.get_terminal_size((_UNLIMITED, 0)).columns


def plain_terminal() -> bool:
    """Tell whether the terminal is to get no escape codes."""
    return os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))


def print_json(document: object) -> None:
    """Print one JSON document, on one line."""
    click.echo(json.dumps(document, allow_nan=False))


def plus_minus() -> str:
    """Return ±, or what stands for it where the output cannot show it."""
    output = getattr(sys.stdout, "rich_proxied_file", sys.stdout)  # below a progress bar
    try:
        "±".encode(getattr(output, "encoding", None) or "ascii")
    except (LookupError, UnicodeEncodeError):
        return "+/-"
    return "±"


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return "1 game", "2,000 games"; a plural that takes more than an s is given."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
