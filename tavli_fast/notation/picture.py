"""The ASCII picture of a board, one for each kind of game; `view` calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tavli_fast._common.arguments import BAR, OFF, Int8Array
from tavli_fast.rules.fields import Rules, other_side

_ROWS: Final = 5
"""The checkers of a stack that are drawn; a higher one ends in its number instead."""

_LEFT: Final = 6
"""How many points stand left of the bar in each half of the picture."""

_TOP: Final = range(13, 25)
_BOTTOM: Final = range(12, 0, -1)
_TOP_EDGE: Final = "+13-14-15-16-17-18------19-20-21-22-23-24-+"
_BOTTOM_EDGE: Final = "+12-11-10--9--8--7-------6--5--4--3--2--1-+"

_TRAY: Final = 5
"""The width of the place for the checkers borne off."""


class _Stack(NamedTuple):
    """What stands on a point: the checkers of one side, and perhaps a pinned one under them."""

    side: str
    height: int
    under: str = ""


def draw(board: Int8Array, pips: Sequence[int], rules: Rules) -> str:
    """Return the picture of a checked board, given the pips of both sides."""
    mine, theirs = board.tolist()
    stacks = [_stack(mine, theirs, point, rules) for point in range(1, BAR)]
    # A checker on the bar stands in the half in which it enters.
    top = _half([stacks[point - 1] for point in _TOP], _Stack("X", mine[BAR]))
    bottom = _half([stacks[point - 1] for point in _BOTTOM], _Stack("O", theirs[BAR]))[::-1]
    tray_x, tray_o = (
        f"{side} {plane[OFF]}" if plane[OFF] else "" for side, plane in (("X", mine), ("O", theirs))
    )
    label_x, label_o = f"  X: {pips[0]} pips, on roll", f"  O: {pips[1]} pips"
    if rules.parallel:
        return _round(top, bottom, (tray_x, tray_o), (label_x, label_o))
    lines = [
        f" {_TOP_EDGE}-OFF-+{label_o}",
        *(f" {row}{tray:^{_TRAY}}|" for row, tray in _with_tray(top, tray_o, first=True)),
        f" |{' ' * 18}|{'BAR' if rules.contact == 'hit' else '   '}|{' ' * 18}|     |",
        *(f" {row}{tray:^{_TRAY}}|" for row, tray in _with_tray(bottom, tray_x, first=False)),
        f" {_BOTTOM_EDGE}-OFF-+{label_x}",
    ]
    if rules.contact == "pin":
        lines.append(" x, o: pinned under the other side's checkers")
    return "\n".join(lines)


def _round(
    top: Sequence[str], bottom: Sequence[str], trays: tuple[str, str], labels: tuple[str, str]
) -> str:
    """Return the picture of a game in which both sides run the same way round.

    O bears off at the left of the top, where his home is, and has numbers of his own.
    """
    lines = [
        f"        {_numbers(range(1, 13))}  O's numbers",
        f" +-OFF-{_TOP_EDGE}{labels[1]}",
        *(f" |{tray:^{_TRAY}}{row}" for row, tray in _with_tray(top, trays[1], first=True)),
        " +-----+ <--   <--   <--  |   | <--   <--   <--  +-----+",
        "       | -->   -->   -->  |   | -->   -->   -->  |     |",
        *(
            f"       {row}{tray:^{_TRAY}}|"
            for row, tray in _with_tray(bottom, trays[0], first=False)
        ),
        f"       {_BOTTOM_EDGE}-OFF-+{labels[0]}",
        f"        {_numbers(range(24, 12, -1))}  O's numbers",
        " Both sides follow the arrows, each from its own 24 to 1 and off.",
    ]
    return "\n".join(lines)


def _numbers(points: range) -> str:
    """Return numbers over or under their points."""
    cells = [f"{point:>2} " for point in points]
    return f"{''.join(cells[:_LEFT])}{' ' * 5}{''.join(cells[_LEFT:])}"


def _with_tray(rows: Sequence[str], tray: str, *, first: bool) -> list[tuple[str, str]]:
    """Pair the rows with what the tray shows beside them: all of it at the outer edge."""
    outer = 0 if first else len(rows) - 1
    return [(row, tray if index == outer else "") for index, row in enumerate(rows)]


def _stack(mine: list[int], theirs: list[int], point: int, rules: Rules) -> _Stack:
    """Return what stands on one of the mover's points."""
    ours = mine[point]
    others = theirs[other_side(point, rules)]
    if ours > 0:
        return _Stack("X", ours, "o" if others < 0 else "")
    return _Stack("O", others, "x" if ours < 0 else "")


def _half(stacks: Sequence[_Stack], bar: _Stack) -> list[str]:
    """Return the rows of one half of the board, from its edge to the middle."""
    rows = []
    for row in range(_ROWS):
        cells = [_cell(stack, row) for stack in stacks]
        # Checkers on the bar stand against the middle, so they fill the rows from the other end.
        middle = _cell(bar, _ROWS - 1 - row)
        rows.append(f"|{''.join(cells[:_LEFT])}|{middle}|{''.join(cells[_LEFT:])}|")
    return rows


def _cell(stack: _Stack, row: int) -> str:
    """Return what a stack shows on one row, counted from where the stack begins."""
    if row == 0 and stack.under:
        return f" {stack.under} "
    total = stack.height + len(stack.under)
    if row == _ROWS - 1 and total > _ROWS:
        return f"{stack.height:^3}"
    return f" {stack.side} " if row < total else "   "
