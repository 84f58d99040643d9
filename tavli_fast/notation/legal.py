"""The legal plays of one roll as a sequence to read: iterate, index, count, ask with ``in``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape
from typing import Any, Final, overload

import numpy as np

from tavli_fast import _core
from tavli_fast._common.arguments import BoardLike, DiceLike, Int8Array, one_pair, shown
from tavli_fast.errors import IllegalMoveError, NotationError
from tavli_fast.notation.grammar import CANNOT_MOVE
from tavli_fast.notation.play import Play, Turn, find_play
from tavli_fast.notation.position_id import any_id, board_and_rules
from tavli_fast.notation.view import view
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["LegalPlays", "legal_plays"]

_SHOWN: Final = 12
"""How many plays a repr shows: all those of an ordinary mixed roll, few of a wild double."""


_LISTED: Final = 100
"""How many plays a notebook shows."""


class LegalPlays(Sequence[Play]):
    """The distinct legal plays of one roll, as `legal_plays` returns them.

    A sequence of `Play`: ``len(plays)``, ``plays[0]``, ``plays[-1]``, ``plays[:3]`` (a tuple),
    ``for play in plays``. ``plays["24/18 13/11"]`` is the play that a text means, read as in
    `parse_play`. ``in`` and ``index`` take a `Play`, the text of a play, or an afterstate
    ``[2, 26]``; a text that cannot be read, or does not mean exactly one legal play, is not in the
    sequence. ``str`` gives one play per line, or ``Cannot Move`` if there is none.
    """

    __slots__ = ("_turn", "board", "dice", "rules")

    board: Int8Array
    """The position before the play, ``int8[2, 26]``, read-only, the player on roll first."""
    dice: tuple[int, int]
    """The roll, as it was given."""
    rules: Rules
    """The rules played."""

    def __init__(self, board: BoardLike, dice: DiceLike, rules: RulesLike | None = None) -> None:
        """Find the legal plays; see `legal_plays`."""
        found = None
        if type(board) is np.ndarray:
            # The usual call of a bot: the core checks board and dice, on a copy of our own.
            self.rules = resolve_rules(rules)
            self.board = board.copy()
            found = _core.single.plays_of_one(self.board, dice, self.rules, True)
        if found is None:
            position, self.rules = board_and_rules(board, rules)
            self.board = position.copy()
            self.dice = one_pair(dice)
            self._turn = Turn(self.board, self.dice, self.rules)
        else:
            moves, afterstates, _ = found
            assert isinstance(dice, tuple)
            assert moves is not None
            self.dice = dice
            self._turn = Turn(self.board, self.dice, self.rules, (moves, afterstates))
        self.board.setflags(write=False)

    def __len__(self) -> int:
        """Return the number of distinct plays."""
        return len(self._turn)

    @overload
    def __getitem__(self, index: int | str) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Play, ...]: ...
    def __getitem__(self, index: int | str | slice) -> Play | tuple[Play, ...]:
        """Return one play, by its place or its text, or a tuple of those of a slice.

        Raises:
            IndexError: no such place.
            IllegalMoveError: a text that means no legal play; the message names the closest ones.
            NotationError: a text that cannot be read, or that can mean several legal plays.
        """
        if isinstance(index, str):
            return self._turn.play(self._place_of(index))
        places = range(len(self))[index]
        if isinstance(places, range):
            return tuple(map(self._turn.play, places))
        return self._turn.play(places)

    def __contains__(self, item: object) -> bool:
        """Return whether a play, a play's text or an afterstate is legal here."""
        try:
            self._place_of(item)
        except (IllegalMoveError, NotationError):
            return False
        return True

    def index(self, value: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        """Return the index of a play.

        Args:
            value: a `Play`, the text of a play, or an afterstate ``int8[2, 26]``.
            start: the first index that counts.
            stop: the index after the last that counts.

        Raises:
            IllegalMoveError: it is not a legal play here.
            NotationError: the text cannot be read, or can mean several legal plays.
        """
        place = self._place_of(value)
        if place not in range(*slice(start, stop).indices(len(self))):
            raise IllegalMoveError(f"{shown(value)} is at {place}: not from {start} to {stop}")
        return place

    def count(self, value: Any) -> int:
        """Return 1 if a play is legal here, else 0.

        Args:
            value: a `Play`, the text of a play, or an afterstate ``int8[2, 26]``.
        """
        return int(value in self)

    def __str__(self) -> str:
        """Return the plays in standard notation, one a line."""
        return "\n".join(map(str, self)) or CANNOT_MOVE

    def __repr__(self) -> str:
        """Return the roll and the plays, the first dozen of them."""
        first = ", ".join(map(str, self[:_SHOWN])) or CANNOT_MOVE
        more = f", … {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return f"<LegalPlays {self.dice[0]}-{self.dice[1]}: {first}{more}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row for each play, for a table of pandas or polars: its text, how many
        checkers it hits or pins, and the ID of the position with the opponent on roll."""
        return [
            {
                "play": str(play),
                "hits": len(play.hits),
                "pins": len(play.pins),
                "next": any_id(play.board[::-1].copy(), self.rules),
            }
            for play in self
        ]

    def _repr_html_(self) -> str:
        """Return the board and the plays, for a notebook."""
        picture = view(self.board, self.rules, dice=self.dice).svg()
        rows = self[:_LISTED]
        more = f", the first {_LISTED} of them" if len(self) > _LISTED else ""
        plays = "".join(f"<li>{escape(str(play))}</li>" for play in rows) or CANNOT_MOVE
        roll = f"{self.dice[0]}-{self.dice[1]}"
        return f"{picture}<p>{roll}: {len(self)} legal plays{more}</p><ol>{plays}</ol>"

    def _place_of(self, item: object) -> int:
        """Return the place of a play, of a play's text or of an afterstate; see `index`."""
        roll = f"{self.dice[0]}-{self.dice[1]}"
        if isinstance(item, str):
            place = find_play(item, self._turn)
            if place is None:
                raise IllegalMoveError(f"play {shown(item)}: there is no legal play of {roll}")
            return place
        board = item.board if isinstance(item, Play) else item
        if not isinstance(board, np.ndarray) or board.shape != (2, 26):
            what = f"array {item.shape}" if isinstance(item, np.ndarray) else shown(item)
            expected = "expected a Play, the text of one, or a position int8[2, 26]"
            raise IllegalMoveError(f"no play: {what}; {expected}")
        place = self._turn.index(*board)
        if place is None:
            what = f"play '{item}'" if isinstance(item, Play) else "that position"
            raise IllegalMoveError(f"{what} is none of the {len(self)} legal plays of {roll}")
        return place


def legal_plays(board: BoardLike, dice: DiceLike, rules: RulesLike | None = None) -> LegalPlays:
    """Return the distinct legal plays of a roll as a sequence of `Play`.

    Plays with the same afterstate count once. The sequence is empty if the player on roll dances
    or the game is over.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first; or an `XGID`, or the
            text of an ID.
        dice: the roll, two integers 1 to 6.
        rules: the rules played; None for those of the XGID or TFID, else Portes.

    Returns:
        The `LegalPlays`.

    Raises:
        BoardError: the board is not a possible position.
        NotationError: the text is not the ID of a position.
        ResultTooLargeError: a cascade of doubles has too many plays to list.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> plays = tf.legal_plays(tf.start(), (6, 5))
        >>> len(plays), "24/13" in plays
        (7, True)
    """
    return LegalPlays(board, dice, rules)
