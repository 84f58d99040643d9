"""Rows as an HTML table for notebooks: attributes on the elements, no style that could leak."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

__all__ = ["OUTCOME_NAMES", "html_table", "outcome_row"]

OUTCOME_NAMES: Final = ("win", "win2", "win3", "lose2", "lose3", "draw")
"""The columns of outcomes in tables: to win, to win 2 points or more, 3, to lose 2 or more, 3, and
to draw."""


def outcome_row(outcomes: Sequence[float]) -> dict[str, float]:
    """Return outcomes as columns of a table."""
    return dict(zip(OUTCOME_NAMES, map(float, outcomes), strict=True))


def html_table(rows: Sequence[Mapping[str, Any]], caption: str = "") -> str:
    """Return rows with the same columns as a table of HTML; floats with four digits."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else ()))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row.values())}</tr>"
        for row in rows
    )
    title = f'<caption align="bottom">{escape(caption)}</caption>' if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    """Return a value as a cell shows it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
