"""A board as a player sees it: the ASCII picture, and pip counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ._arguments import BAR, OFF, Int8Array, one_board
from .ids import parse_position, position_id
from .rules import RULES, Rules, resolve_rules, rules_name

__all__ = ["BoardView", "pip_counts", "view"]

_ROWS: Final = 5
"""The checkers of a stack that are drawn; a higher one ends in its number instead."""

_LEFT: Final = 6
"""How many points stand left of the bar in each half of the picture."""


def pip_counts(boards: Any) -> npt.NDArray[np.int64]:
    """Return how many pips each side has still to go.

    Args:
        boards: ``int8[N, 2, 26]`` (other integers too), or one board ``[2, 26]``, as N = 1. They
            are not checked against any rules.

    Returns:
        ``int64[N, 2]``: the player on roll's pips and the opponent's. A checker on the bar has
        25 to go.

    Raises:
        ValueError: not integers, or not of shape ``[2, 26]`` or ``[N, 2, 26]``.
    """
    array = np.asarray(boards)
    if array.dtype.kind not in "iu" or array.ndim not in (2, 3) or array.shape[-2:] != (2, 26):
        raise ValueError(
            f"boards has shape {array.shape} and dtype {array.dtype}:"
            " expected integers of shape [2, 26] or [N, 2, 26]"
        )
    pips: npt.NDArray[np.int64] = array.reshape(-1, 2, 26).astype(np.int64) @ np.arange(26)
    return pips


@dataclass(frozen=True, eq=False, repr=False)
class BoardView:
    """A board to look at: ``str`` draws it, ``repr`` is a call of `view` that gives it again."""

    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, the player on roll first."""
    rules: Rules
    """The rules of the board."""

    def __repr__(self) -> str:
        """Return the Position ID and the rules, as the call that leads here."""
        name = rules_name(self.rules)
        rules = repr(name) if name in RULES else name
        return f"view({position_id(self.board, self.rules)!r}, rules={rules})"

    def __str__(self) -> str:
        """Draw the board: X is the player on roll and moves from 24 (top right) to 1, then off.

        A checker on the bar stands in the half of the board in which it enters; a stack of more
        than five shows its number. Right of the board are the checkers borne off and the pips.
        """
        mine, theirs = self.board.tolist()
        (mine_pips, theirs_pips), *_ = pip_counts(self.board).tolist()
        top = _half(range(13, 25), mine, theirs, ("X", mine[BAR]), ("O", theirs[OFF]))
        bottom = _half(range(12, 0, -1), mine, theirs, ("O", theirs[BAR]), ("X", mine[OFF]))
        lines = [
            f" +13-14-15-16-17-18------19-20-21-22-23-24-+-OFF-+  O: {theirs_pips} pips",
            *top,
            f" |{' ' * 18}|BAR|{' ' * 18}|     |",
            *reversed(list(bottom)),
            f" +12-11-10--9--8--7-------6--5--4--3--2--1-+-OFF-+  X: {mine_pips} pips, on roll",
        ]
        return "\n".join(lines)


def view(board: Any, rules: Rules | str = "portes") -> BoardView:
    """Return a board to look at: ``print(view(board))``.

    Args:
        board: one position, ``int8[2, 26]``, the player on roll first; or its Position ID or
            XGID, as a str.
        rules: the rules of the board.

    Raises:
        BoardError: a board that cannot be.
        NotationError: a text that is no Position ID and no XGID.
        ValueError: a board of another kind, or rules that are no preset's.
    """
    checked = resolve_rules(rules)
    if isinstance(board, str):
        board, _ = parse_position(board, checked)
    position = one_board(board, checked).copy()
    position.setflags(write=False)
    return BoardView(position, checked)


def _half(
    points: range, mine: list[int], theirs: list[int], bar: tuple[str, int], off: tuple[str, int]
) -> Iterator[str]:
    """Draw the rows of one half of the board, from its edge to the middle."""
    stacks = [("X", mine[point]) if mine[point] else ("O", theirs[BAR - point]) for point in points]
    for row in range(_ROWS):
        cells = [_cell(side, height, row) for side, height in stacks]
        # Checkers on the bar stand against the middle, so they fill the rows from the other end.
        middle = _cell(*bar, _ROWS - 1 - row)
        # Checkers off are a number at once: a tray of fifteen is nobody's to count.
        tray = f"{off[0]} {off[1]}" if row == 0 and off[1] else ""
        yield f" |{''.join(cells[:_LEFT])}|{middle}|{''.join(cells[_LEFT:])}|{tray:^5}|"


def _cell(side: str, height: int, row: int) -> str:
    """Return what a stack shows on one row, counted from where the stack begins."""
    if row == _ROWS - 1 and height > _ROWS:
        return f"{height:^3}"
    return f" {side} " if row < height else "   "
