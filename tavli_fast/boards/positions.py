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
    """Return the starting position.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``int8[2, 26]``, the player on roll first.

    Raises:
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.start("hypergammon")[0].nonzero()[0].tolist()
        [22, 23, 24]
    """
    board = np.zeros((2, 26), np.int8)
    for point, checkers in resolve_rules(rules).start:
        board[:, point] = checkers
    return board


def flip(boards: BoardLike) -> Int8Array:
    """Pass the turn: swap the planes.

    Args:
        boards: integers ``[N, 2, 26]`` or ``[2, 26]``. They are not checked against any rules; see
            `validate`.

    Returns:
        ``int8`` of the same shape, a new C-contiguous array.

    Raises:
        ValueError: `boards` has another shape, or does not hold integers within int8.

    Examples:
        >>> import tavli_fast as tf
        >>> board = tf.start("fevga")
        >>> (tf.flip(board) == board[::-1]).all()
        np.True_
    """
    array = integers(boards, "boards", "integers [2, 26] or [N, 2, 26]")
    if array.shape[-2:] != (2, 26) or array.ndim > 3:
        raise ValueError(f"boards has shape {array.shape}: expected [2, 26] or [N, 2, 26]")
    return own_int8(array[..., ::-1, :], "boards")


def validate(boards: BoardLike, rules: RulesLike | None = None) -> None:
    """Check that boards can be positions under the rules.

    The other functions make the same check, so there is no need to call this one first.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        rules: a `Rules` or the name of a preset; None for Portes.

    Raises:
        BoardError: names the first bad board and the reason: a side's checkers do not add up to
            ``rules.checkers``, a count is negative, both sides hold the same point, or both have
            won.
        ValueError: `boards` has another shape or dtype, or `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> board = tf.start()
        >>> board[0, 6] = 6
        >>> tf.validate(board)
        Traceback (most recent call last):
            ...
        tavli_fast.errors.BoardError: boards: ...
    """
    board_batch(boards, resolve_rules(rules, boards))


def outcomes(
    boards: BoardLike, rules: RulesLike | None = None
) -> tuple[npt.NDArray[np.bool_], Int8Array]:
    """Return which games are over, and what they are worth to the player on roll.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``(over bool[N], points int8[N])``. The points are those of plane 0, from -3 to +3; 0 is a
        draw, or a game that is not over.

    Raises:
        BoardError: a board is not a possible position.
        ValueError: another argument is invalid.
    """
    rules = resolve_rules(rules, boards)
    return _core.batch.outcomes(board_batch(boards, rules), rules)


def random_boards(n: int, rules: RulesLike | None = None, seed: int | None = None) -> Int8Array:
    """Return positions from games of uniformly random plays.

    The games are played from the start with fair dice; each play is chosen uniformly among the
    distinct ones. Every eighth position on average is taken, before its roll, so all phases of the
    game occur as often as they do in such games. No position is over.

    Args:
        n: the number of positions, 0 or more.
        rules: a `Rules` or the name of a preset; None for Portes.
        seed: an integer from 0 to 2**128 - 1, which always gives the same positions; None for a
            new one each time.

    Returns:
        ``int8[n, 2, 26]``, the player on roll first.

    Raises:
        ResultTooLargeError: the boards do not fit in this machine's memory.
        ValueError: `n` or `seed` is not such an integer, or `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.random_boards(1000, "plakoto", seed=1).shape
        (1000, 2, 26)
    """
    rules = resolve_rules(rules)
    n = whole_number(n, "n", 0)
    words = four_words(seed_entropy(seed), ())
    boards = new_array((n, 2, 26), np.int8, f"n={n} boards")
    _core.random_games.random_boards(start(rules), rules, words, boards, MAX_PLIES)
    return boards
