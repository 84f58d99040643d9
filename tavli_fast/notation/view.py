"""A board as a player sees it: the ASCII picture, and pip counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import BoardLike, Int8Array
from tavli_fast.boards.id_text import rules_argument
from tavli_fast.boards.tfid import is_tfid
from tavli_fast.notation.picture import draw
from tavli_fast.notation.position_id import any_id, board_and_rules
from tavli_fast.rules.presets import RULES, Rules, RulesLike

__all__ = ["BoardView", "pip_counts", "view"]


def pip_counts(boards: BoardLike) -> npt.NDArray[np.int64]:
    """Return how many pips each side still has to move.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1. They are
            not checked against any rules.

    Returns:
        ``int64[N, 2]``: the pips of the player on roll and of the opponent. A checker on the bar
        counts 25, a pinned one the number of its point.

    Raises:
        ValueError: `boards` does not hold integers, or has another shape.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.pip_counts(tf.start())
        array([[167, 167]])
    """
    array = np.asarray(boards)
    if array.dtype.kind not in "iu" or array.ndim not in (2, 3) or array.shape[-2:] != (2, 26):
        raise ValueError(
            f"boards has shape {array.shape} and dtype {array.dtype}:"
            " expected integers of shape [2, 26] or [N, 2, 26]"
        )
    pips: npt.NDArray[np.int64] = abs(array.reshape(-1, 2, 26).astype(np.int64)) @ np.arange(26)
    return pips


@dataclass(frozen=True, eq=False, repr=False)
class BoardView:
    """A board to look at: ``str`` draws it, ``repr`` is a call of `view` that gives it again."""

    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, the player on roll first."""
    rules: Rules
    """The rules of the board."""

    def __repr__(self) -> str:
        """Return the ID, and the rules where it does not tell them, as the call that leads here."""
        text = any_id(self.board, self.rules)
        told = is_tfid(text) and self.rules in RULES.values()
        return f"view({text!r}{'' if told else rules_argument(self.rules)})"

    def __str__(self) -> str:
        """Draw the board: X is the player on roll and moves from 24 (top right) to 1, then off.

        A checker on the bar stands in the half of the board in which it enters; a stack of more
        than five shows its number. A pinned checker is a small letter at the edge, under those
        that pin it; a number is theirs alone. Beside the board are the checkers borne off and the
        pips. Where both sides run the same way round, O's numbers stand outside.
        """
        pips, *_ = pip_counts(self.board).tolist()
        return draw(self.board, pips, self.rules)


def view(board: BoardLike, rules: RulesLike | None = None) -> BoardView:
    """Return a board to look at: ``print(tf.view(board))`` draws it.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first; or an `XGID`, or the
            text of an ID.
        rules: the rules of the board; None for those of the XGID or TFID, else Portes.

    Returns:
        The `BoardView`; the README shows one.

    Raises:
        BoardError: the board is not a possible position.
        NotationError: the text is not the ID of a position.
        ValueError: another argument is invalid.
    """
    position, checked = board_and_rules(board, rules)
    position = position.copy()
    position.setflags(write=False)
    return BoardView(position, checked)
