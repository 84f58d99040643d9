"""How far the work is, on stderr, for somebody at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tavli_fast.cli.show.table import plain_terminal

__all__ = ["Watch", "can_show_bar", "staged", "watched"]


class Watch(NamedTuple):
    """What shows how far the work is."""

    progress: Callable[[int, int], object] | None
    """Takes what is done and all there is to do; None if nobody looks."""
    show: Callable[[Sequence[str]], object] | None
    """Takes the lines of a table, which replace the last ones; None if nobody looks."""


def can_show_bar() -> bool:
    """Tell whether somebody looks at a terminal that can draw."""
    streams = (sys.stdout, sys.stderr)
    seen = all(stream is not None and stream.isatty() for stream in streams)
    return seen and not plain_terminal()


@contextmanager
def watched(wanted: bool, doing: str, things: str = "games") -> Iterator[Watch]:
    """Show a bar, and tables below it, if it is wanted and somebody sees it."""
    if not wanted or not can_show_bar():
        yield Watch(None, None)
        return
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn(f"{{task.completed:,.0f}} of {{task.total:,.0f}} {things}"),
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


@contextmanager
def staged(wanted: bool, doing: str) -> Iterator[Callable[[float, str], object] | None]:
    """Show a bar for work whose state is told in words: yields what takes the fraction that is done
    and the words, or None if nobody looks."""
    if not wanted or not can_show_bar():
        yield None
        return
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=1.0, state="")
        yield lambda fraction, state: bar.update(task, completed=fraction, state=state)
