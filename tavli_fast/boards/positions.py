"""Boards as arrays: the start, passing the turn, checking, scoring, and random positions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    MAX_PLIES,
    BoardLike,
    Int8Array,
    board_batch,
    four_words,
    integers,
    new_array,
    own_int8,
    seed_entropy,
    whole_number,
)
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["flip", "outcomes", "random_boards", "start", "validate"]


def start(rules: RulesLike | None = None) -> Int8Array:
    """Return the starting position, ``int8[2, 26]``, the player on roll first.

    Raises:
        ValueError: `rules` is no rule set.
    """
    board = np.zeros((2, 26), np.int8)
    for point, checkers in resolve_rules(rules).start:
        board[:, point] = checkers
    return board


def flip(boards: BoardLike) -> Int8Array:
    """Pass the turn: return `boards` with the planes swapped, a fresh contiguous array.

    Args:
        boards: integers ``[N, 2, 26]``, or ``[2, 26]``; the shape is kept.

    Raises:
        ValueError: `boards` has another shape or does not hold small integers. Whether the boards
            can be positions is not checked; see `validate`.
    """
    array = integers(boards, "boards", "integers [2, 26] or [N, 2, 26]")
    if array.shape[-2:] != (2, 26) or array.ndim > 3:
        raise ValueError(f"boards has shape {array.shape}: expected [2, 26] or [N, 2, 26]")
    return own_int8(array[..., ::-1, :], "boards")


def validate(boards: BoardLike, rules: RulesLike | None = None) -> None:
    """Check that boards can be positions under the rules; every other function does so itself.

    Args:
        boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one.
        rules: a `Rules` or the name of a preset; None for Portes.

    Raises:
        BoardError: names the first bad board and why: a side's checkers do not add up to
            ``rules.checkers``, a count is negative, both sides hold a point, or both have won.
        ValueError: `boards` has another shape or dtype, or `rules` is no rule set.
    """
    board_batch(boards, resolve_rules(rules, boards))


def outcomes(
    boards: BoardLike, rules: RulesLike | None = None
) -> tuple[npt.NDArray[np.bool_], Int8Array]:
    """Tell which games are over, and what they are worth to the player on roll.

    Args:
        boards: integers ``[N, 2, 26]``, or ``[2, 26]`` for one.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``(over bool[N], points int8[N])``: points from plane 0's side, -3 to +3, 0 if not over.

    Raises:
        BoardError: a board that cannot be a position.
        ValueError: another bad argument.
    """
    rules = resolve_rules(rules, boards)
    return _core.batch.outcomes(board_batch(boards, rules), rules)


def random_boards(n: int, rules: RulesLike | None = None, seed: int | None = None) -> Int8Array:
    """Return positions met in uniformly random games, ``int8[n, 2, 26]``, player on roll first.

    Games are played from the start with fair dice, each play chosen uniformly among the distinct
    ones, and every eighth position on average is taken, before its roll; so all phases come up as
    often as such games have them. No position is over. The same seed gives the same boards.

    Raises:
        ResultTooLargeError: the boards are larger than this machine's memory.
        ValueError: `n` or `seed` is not an integer of 0 or more, or `rules` is no rule set.
    """
    rules = resolve_rules(rules)
    n = whole_number(n, "n", 0)
    words = four_words(seed_entropy(seed), ())
    boards = new_array((n, 2, 26), np.int8, f"n={n} boards")
    _core.random_games.random_boards(start(rules), rules, words, boards, MAX_PLIES)
    return boards
