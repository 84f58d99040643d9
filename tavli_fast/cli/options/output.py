"""Options about what a command prints: as JSON, with a board, with progress."""

from __future__ import annotations

import click

__all__ = ["board_option", "json_option", "quiet_option"]

board_option = click.option(
    "--board/--no-board", "draw", default=True, help="Draw the board first, or do not."
)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
