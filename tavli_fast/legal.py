"""The legal plays of one roll as a sequence to read: iterate, index, count, ask with ``in``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, overload

import numpy as np

from ._arguments import Int8Array, one_board, one_pair
from .errors import IllegalMoveError, NotationError
from .notation import CANNOT_MOVE, Play, find_play, plays_of
from .rules import Rules, resolve_rules

__all__ = ["LegalPlays", "legal_plays"]

_SHOWN: Final = 12
"""How many plays a repr shows: all those of an ordinary mixed roll, few of a wild double."""


class LegalPlays(Sequence[Play]):
    """The distinct legal plays of one roll, as `legal_plays` returns them.

    A sequence of `Play`: ``len(plays)``, ``plays[0]``, ``plays[-1]``, ``plays[:3]`` (a tuple),
    ``for play in plays``. ``in`` takes a `Play`, the text of a play (``"24/18 13/11" in plays``;
    a text that cannot be read or means no one legal play is not in it), or an afterstate
    ``[2, 26]``. ``str`` is one play a line, ``Cannot Move`` if there is none.
    """

    __slots__ = ("_plays", "board", "dice", "rules")

    board: Int8Array
    """The position before the play, ``int8[2, 26]``, read-only, the player on roll first."""
    dice: tuple[int, int]
    """The roll, as it was given."""
    rules: Rules
    """The rules played."""

    def __init__(self, board: Any, dice: Any, rules: Rules | str = "portes") -> None:
        """Find the legal plays; see `legal_plays`."""
        self.rules = resolve_rules(rules)
        self.board = one_board(board, self.rules).copy()
        self.board.setflags(write=False)
        self.dice = one_pair(dice)
        self._plays = plays_of(self.board, self.dice, self.rules)

    def __len__(self) -> int:
        """Return the number of distinct plays."""
        return len(self._plays)

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Play, ...]: ...
    def __getitem__(self, index: int | slice) -> Play | tuple[Play, ...]:
        """Return one play, or a tuple of those of a slice."""
        return self._plays[index]

    def __contains__(self, item: object) -> bool:
        """Return whether a play, a play's text or an afterstate is legal here."""
        if isinstance(item, Play):
            return item in self._plays
        if isinstance(item, str):
            try:
                return find_play(item, self.board, self.dice, self._plays) in self._plays
            except (IllegalMoveError, NotationError):
                return False
        if isinstance(item, np.ndarray):
            return any(np.array_equal(item, play.board) for play in self._plays)
        return False

    def __str__(self) -> str:
        """Return the plays in standard notation, one a line."""
        return "\n".join(map(str, self._plays)) or CANNOT_MOVE

    def __repr__(self) -> str:
        """Return the roll and the plays, the first dozen of them."""
        shown = ", ".join(map(str, self._plays[:_SHOWN])) or CANNOT_MOVE
        more = f", … {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return f"<LegalPlays {self.dice[0]}-{self.dice[1]}: {shown}{more}>"


def legal_plays(board: Any, dice: Any, rules: Rules | str = "portes") -> LegalPlays:
    """Return the distinct legal plays of a roll, to read and to search.

    Plays with the same afterstate count once. There are none if the player on roll dances, and
    none if the game is over.

    Args:
        board: one position, ``int8[2, 26]``, the player on roll first.
        dice: the roll, two integers 1 to 6.
        rules: the rules played.

    Raises:
        BoardError: a board that cannot be.
        ValueError: a board that is not integers of shape ``[2, 26]``, dice that are not two
            integers 1 to 6, or rules that are no preset's.
    """
    return LegalPlays(board, dice, rules)
