"""The texts of match equity tables: this project's CSV, and GNU Backgammon's XML layout."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from tavli_fast.errors import NotationError

_Floats: TypeAlias = npt.NDArray[np.float64]
_Parts: TypeAlias = tuple[list[list[float]], list[list[float]], str, str]
"""The rows before the Crawford game, one or two after it, the name and the description."""

_POST: Final = ("post", "post-opponent")


def written_csv(pre: _Floats, post: _Floats, name: str, description: str) -> str:
    """Return a table as CSV, every number exact."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", name])
    writer.writerow(["description", description])
    writer.writerow(["away", *range(1, len(pre) + 1)])
    for away, row in enumerate(pre.tolist(), 1):
        writer.writerow([away, *map(repr, row)])
    for label, row in zip(_POST, _distinct(post), strict=False):
        writer.writerow([label, *map(repr, row)])
    return out.getvalue()


def read_csv(text: str) -> _Parts:
    """Return the parts of a table written as CSV; see `written_csv`."""
    texts = {"name": "", "description": ""}
    pre: list[list[float]] = []
    post: list[list[float]] = []
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise NotationError(f"match equity table: no CSV ({error})") from error
    for number, (label, *cells) in ((at, line) for at, line in enumerate(lines, 1) if line):
        where = f"match equity table, line {number}"
        label = label.strip()
        if label in texts:
            texts[label] = cells[0] if cells else ""
        elif label == "away":
            continue
        elif label == str(len(pre) + 1) and not post:
            pre.append(_numbers(cells, where))
        elif label == _POST[min(len(post), 1)] and pre:
            post.append(_numbers(cells, where))
        else:
            expected = f"the row {len(pre) + 1}, or {_POST[min(len(post), 1)]!r}"
            raise NotationError(f"{where} begins with {label[:20]!r}: expected {expected}")
    if not post:
        raise NotationError("match equity table: no row 'post'")
    _same_length(pre + post, len(pre))
    return pre, post, texts["name"], texts["description"]


def written_xml(pre: _Floats, post: _Floats, name: str, description: str) -> str:
    """Return a table in GNU Backgammon's XML layout, every number exact."""
    rows = _distinct(post)
    players = ["both"] if len(rows) == 1 else ["0", "1"]
    before = "".join(_row(row) for row in pre.tolist())
    after = "".join(
        f'  <post-crawford-table type="explicit" player="{player}">\n{_row(row)}'
        "  </post-crawford-table>\n"
        for player, row in zip(players, rows, strict=True)
    )
    return (
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">\n'
        f"<met>\n  <info>\n    <name>{html.escape(name, quote=False)}</name>\n"
        f"    <description>{html.escape(description, quote=False)}</description>\n"
        f"    <length>{len(pre)}</length>\n  </info>\n"
        f'  <pre-crawford-table type="explicit">\n{before}  </pre-crawford-table>\n'
        f"{after}</met>\n"
    )


def read_xml(text: str) -> _Parts:
    """Return the parts of a table in GNU Backgammon's XML layout."""
    if "<!ENTITY" in text:  # no table needs one, and nested ones can fill any memory
        raise NotationError("match equity table: entity declarations are not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise NotationError(f"match equity table: no XML ({error})") from error
    except ValueError as error:  # a str that declares an encoding, characters that cannot be
        raise NotationError(f"match equity table: {error}") from error
    if root.tag != "met":
        raise NotationError(f"match equity table: <{root.tag}>: expected <met>")
    pre = [rows for table in root.findall("pre-crawford-table") for rows in _rows(table)]
    tables = root.findall("post-crawford-table")
    players = [table.get("player", "both") for table in tables]
    if sorted(players) not in (["both"], ["0", "1"]):
        expected = "one for both, or one for each of 0 and 1"
        raise NotationError(f"post-crawford-table for {players}: expected {expected}")
    tables.sort(key=lambda table: table.get("player", "both"))
    post = [rows[0] for rows in map(_rows, tables) if len(rows) == 1]
    if not pre or len(post) != len(tables):
        raise NotationError("match equity table: expected rows before and one row after Crawford")
    # The length that is written may be that of the table, or of what a program makes of it.
    _same_length(pre, len(pre))
    length = min([len(pre), *map(len, post)])
    return (
        [row[:length] for row in pre[:length]],
        [row[:length] for row in post],
        _text(root, "info/name"),
        _text(root, "info/description"),
    )


def _text(root: ElementTree.Element, path: str) -> str:
    """Return the text of an element, empty if it is missing."""
    return " ".join((root.findtext(path) or "").split())


def _rows(table: ElementTree.Element) -> list[list[float]]:
    """Return the rows of an explicit table."""
    kind = table.get("type", "explicit")
    if kind != "explicit":
        raise NotationError(f"{table.tag} of type {kind[:20]!r}: expected 'explicit', with chances")
    return [
        _numbers([me.text or "" for me in row.findall("me")], f"{table.tag}, row {number}")
        for number, row in enumerate(table.findall("row"), 1)
    ]


def _row(row: Sequence[float]) -> str:
    """Return a row of a table as XML."""
    cells = "".join(f"      <me>{value!r}</me>\n" for value in row)
    return f"    <row>\n{cells}    </row>\n"


def _numbers(cells: Iterable[str], where: str) -> list[float]:
    """Return a row of numbers."""
    row = []
    for cell in cells:
        try:
            row.append(float(cell))
        except ValueError:
            message = f"{where}: {cell.strip()[:20]!r} is no number: expected a chance, 0 to 1"
            raise NotationError(message) from None
    return row


def _same_length(rows: Sequence[Sequence[float]], length: int) -> None:
    """Refuse rows of other lengths."""
    for number, row in enumerate(rows, 1):
        if len(row) != length:
            expected = f"expected {length}, as many as there are rows"
            raise NotationError(f"match equity table, row {number} has {len(row)}: {expected}")


def _distinct(post: _Floats) -> list[list[float]]:
    """Return the rows after the Crawford game: one, if both sides' are the same."""
    rows: list[list[float]] = post.tolist()
    return rows[:1] if rows[0] == rows[1] else rows
