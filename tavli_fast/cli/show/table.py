"""What the commands share in writing: tables and boards that fit the terminal, JSON, a bar."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Final, NamedTuple

import click
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from tavli_fast.notation.view import BoardView

__all__ = [
    "Column",
    "Watch",
    "can_show_bar",
    "counted",
    "plus_minus",
    "print_board",
    "print_json",
    "print_table",
    "table_lines",
    "watched",
]

_UNLIMITED: Final = 10_000
"""The width where nobody looks at a screen: what a pipe gets depends on nobody's window."""


@dataclass(frozen=True)
class Column:
    """A column of a table, all of it ASCII."""

    head: str
    """May have several lines."""
    cells: Sequence[str]
    left: bool = False
    """Whether the cells are words: they stand on the left, and may be broken between words."""
    extra: bool = False
    """Whether a screen that is too narrow for all goes without it."""

    @property
    def widest(self) -> int:
        """The width that it takes unbroken."""
        return max(1, *map(len, (*self.head.splitlines(), *self.cells)))

    @property
    def narrowest(self) -> int:
        """The width that it takes at least."""
        if not self.left:
            return self.widest
        words = (word for cell in self.cells for word in cell.split())
        return max(1, *map(len, (*self.head.splitlines(), *words)))


def print_table(columns: Sequence[Column]) -> None:
    """Print a table that fits the screen."""
    for line in table_lines(columns, not _plain()):
        click.echo(line)


def table_lines(columns: Sequence[Column], bold: bool = False) -> list[str]:
    """Return the lines of a table that fits the screen.

    On a narrow screen it stands closer, then words go on lines of their own, then the last extra
    columns are left out. What is still too wide, the terminal breaks: no figure is ever cut.
    """
    room = _room()
    shown, gap = list(columns), 2
    if sum(column.widest + gap for column in shown) - gap > room:
        gap = 1
    for column in reversed(columns):
        if column.extra and sum(other.narrowest + gap for other in shown) - gap > room:
            shown = [other for other in shown if other is not column]
    widths = [column.widest for column in shown]
    for index, column in enumerate(shown):
        excess = sum(width + gap for width in widths) - gap - room
        widths[index] = max(column.narrowest, widths[index] - max(0, excess))

    heads = [column.head.splitlines() for column in shown]
    high = max(map(len, heads))
    lines = _row([[""] * (high - len(head)) + head for head in heads], shown, widths, gap)
    if bold:
        lines = [click.style(line, bold=True) for line in lines]
    for cells in zip(*(column.cells for column in shown), strict=True):
        wrapped = [
            wrap(cell, width, break_long_words=False, break_on_hyphens=False)
            for cell, width in zip(cells, widths, strict=True)
        ]
        lines += _row(wrapped, shown, widths, gap)
    if len(shown) < len(columns):
        lines.append("(a wider terminal shows more columns)")
    return lines


def _row(
    cells: Sequence[Sequence[str]], columns: Sequence[Column], widths: Sequence[int], gap: int
) -> list[str]:
    """Return the lines of a row of cells, each of them lines."""
    lines = []
    for line in zip_longest(*cells, fillvalue=""):
        texts = [
            text.ljust(width) if column.left else text.rjust(width)
            for text, column, width in zip(line, columns, widths, strict=True)
        ]
        lines.append((" " * gap).join(texts).rstrip())
    return lines


def print_board(board: BoardView) -> None:
    """Draw a board, unless the screen is too narrow for it."""
    picture = str(board)
    if max(map(len, picture.splitlines())) > _room():
        click.echo("(a wider terminal shows the board)\n")
    else:
        click.echo(f"{picture}\n")


def _room() -> int:
    """Return the width of the screen."""
    return shutil.get_terminal_size((_UNLIMITED, 0)).columns


def _plain() -> bool:
    """Return whether the terminal is to get no escape codes."""
    return os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))


def print_json(document: object) -> None:
    """Print one JSON document, on one line."""
    click.echo(json.dumps(document, allow_nan=False))


def plus_minus() -> str:
    """Return the sign, or what stands for it where the output cannot show it."""
    try:
        "±".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (LookupError, UnicodeEncodeError):
        return "+/-"
    return "±"


def can_show_bar() -> bool:
    """Return whether somebody looks at a terminal that can draw."""
    streams = (sys.stdout, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams) and not _plain()


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return "1 game", "2,000 games"; a plural that takes more than an s is given."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


class Watch(NamedTuple):
    """What shows somebody at the screen how far the work is."""

    progress: Callable[[int, int], object] | None
    """Takes what is done and all there is to do; None if nobody looks."""
    show: Callable[[Sequence[str]], object] | None
    """Takes the lines of a table, which replace the last ones; None if nobody looks."""


@contextmanager
def watched(wanted: bool, doing: str) -> Iterator[Watch]:
    """Show a bar, and tables below it, on stderr, if it is wanted and somebody sees it."""
    if not wanted or not can_show_bar():
        yield Watch(None, None)
        return
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
    )
    task = bar.add_task("", total=None, visible=False)
    table = Text()
    with Live(Group(bar, table), console=bar.console, transient=True, refresh_per_second=8):

        def show(lines: Sequence[str]) -> None:
            table.plain = "\n".join(("", *lines))

        yield Watch(
            lambda done, total: bar.update(task, completed=done, total=total, visible=True), show
        )
