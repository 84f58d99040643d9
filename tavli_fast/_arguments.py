"""Checks of what callers pass in: the one place where shapes, dtypes and ranges are judged."""

from __future__ import annotations

import math
import operator
import os
import secrets
import sys
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ._core import moves as _moves
from .errors import BoardError, ResultTooLargeError
from .rules import Rules

Int8Array = npt.NDArray[np.int8]
_Scalar = TypeVar("_Scalar", bound=np.generic)

BAR: Final = 25
OFF: Final = 0
MAX_PLIES: Final = 10_000
"""Where a game is cut by default: some hundred times the length of a random game."""


def board_batch(boards: Any, rules: Rules, name: str = "boards") -> Int8Array:
    """Return `boards` as a checked, C-contiguous ``int8[N, 2, 26]`` (a copy only where needed).

    Raises:
        ValueError: not integers, not of shape ``[2, 26]`` or ``[N, 2, 26]``, out of int8's range.
        BoardError: a board that cannot be; the message names the first such board and why.
    """
    array = _as_int8(boards, name, "an integer array of shape [2, 26] or [N, 2, 26]")
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or array.shape[1:] != (2, 26):
        raise ValueError(f"{name} has shape {np.shape(boards)}: expected [2, 26] or [N, 2, 26]")
    array = np.ascontiguousarray(array)
    bad = _moves.first_bad_board(array, rules)
    if bad is not None:
        index, why = bad
        raise BoardError(f"{name}[{index}]: {why}" if array.shape[0] > 1 else f"{name}: {why}")
    return array


def one_board(board: Any, rules: Rules, name: str = "board") -> Int8Array:
    """Return `board` as a checked, C-contiguous ``int8[2, 26]``; a batch of one is taken too.

    Raises:
        ValueError: not integers, or not of shape ``[2, 26]``.
        BoardError: a board that cannot be; the message says why.
    """
    array = board_batch(board, rules, name)
    if len(array) != 1:
        raise ValueError(f"{name} has shape {np.shape(board)}: expected one board, [2, 26]")
    result: Int8Array = array[0]
    return result


def dice_batch(dice: Any, count: int) -> Int8Array:
    """Return `dice` as a checked ``int8[count, 2]``; one pair serves for all boards.

    Raises:
        ValueError: not integers, a shape other than ``[2]`` or ``[count, 2]``, a die not in 1..6.
    """
    array = _as_int8(dice, "dice", "a pair of integers 1 to 6, or an array [N, 2] of them")
    if array.shape != (2,) and array.shape != (count, 2):
        raise ValueError(f"dice has shape {array.shape}: expected [2] or [{count}, 2]")
    bad = (array < 1) | (array > 6)
    if bad.any():
        where = np.argwhere(bad)[0]
        value = array[tuple(where)]
        place = f"[{int(where[0])}]" if array.ndim == 2 else ""
        raise ValueError(f"dice{place} has a die of {value}: expected 1 to 6")
    return np.ascontiguousarray(np.broadcast_to(array, (count, 2)))


def most_moves(rules: Rules) -> int:
    """Return how many moves a turn can have: four of a double, or 1-1 going on to four 6-6."""
    return 24 if rules.cascade else 4


def move_batch(moves: Any, count: int, rules: Rules) -> Int8Array:
    """Return `moves` as a checked ``int8[count, most_moves, 2]``; one play's ``[K, 2]`` serves for
    all boards.

    Whether the moves are legal is the core's to say; here only -1 must come last and in pairs.

    Raises:
        ValueError: not integers, another shape, too many moves, a move after the end.
    """
    most = most_moves(rules)
    expected = f"integers [K, 2] or [{count}, K, 2], K at most {most}"
    array = _as_int8(moves, "moves", expected)
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 2)
    if (
        array.ndim not in (2, 3)
        or array.shape[-1] != 2
        or array.shape[-2] > most
        or (array.ndim == 3 and len(array) != count)
    ):
        raise ValueError(f"moves has shape {array.shape}: expected {expected}")
    batch = np.full((count, most, 2), -1, np.int8)
    batch[:, : array.shape[-2]] = array
    end = batch == -1
    if (end[..., 0] != end[..., 1]).any() or (end[:, :-1, 0] & ~end[:, 1:, 0]).any():
        raise ValueError("moves has a move after -1: expected (-1, -1) only at the end of a play")
    return batch


def new_array(shape: tuple[int, ...], dtype: type[_Scalar], what: str) -> npt.NDArray[_Scalar]:
    """Return an empty array for a result.

    Raises:
        ResultTooLargeError: it would take more than the memory of this machine. The system may
            promise such an array all the same, and end the process when it is filled.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    limit = _memory()
    if size > limit:
        raise ResultTooLargeError(
            f"{what} would take {size / 2**30:,.1f} GiB: expected at most the "
            f"{limit / 2**30:,.1f} GiB of this machine's memory; use smaller batches"
        )
    return np.empty(shape, dtype)


def _memory() -> int:
    """Return the bytes of physical memory, or what an address can reach where that is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on this platform
        return sys.maxsize


def seed_entropy(seed: int | None) -> int:
    """Return the seed, or for None a fresh one, short enough to be typed again.

    Raises:
        ValueError: `seed` is neither None nor an integer of 0 or more.
    """
    if seed is None:
        return secrets.randbits(63)
    return whole_number(seed, "seed", 0)


def four_words(entropy: int, key: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Return the first state of the random stream of that seed and spawn key."""
    stream = np.random.SeedSequence(entropy, spawn_key=key)
    return np.asarray(stream.generate_state(4, np.uint64), np.uint64)


def one_pair(dice: Any) -> tuple[int, int]:
    """Return one roll as a pair of ints 1 to 6.

    Raises:
        ValueError: not a pair of integers 1 to 6.
    """
    if np.shape(dice) != (2,):
        raise ValueError(f"dice={dice!r}: expected one pair of integers 1 to 6")
    pair = dice_batch(dice, 1)[0]
    return int(pair[0]), int(pair[1])


def whole_number(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return `value` as an int from `low` to `high` (no upper end if None).

    Raises:
        ValueError: no integer (a bool is none either), or outside the range.
    """
    expected = f"an integer of {low} or more" if high is None else f"an integer {low} to {high}"
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        raise ValueError(f"{name}={value!r}: expected {expected}")
    return number


def _as_int8(value: Any, name: str, expected: str) -> Int8Array:
    """Return `value` as int8 without a silent wrap or truncation."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # ragged nesting
        raise ValueError(f"{name} is not rectangular: expected {expected}") from error
    if array.dtype == np.int8:
        return array
    if array.size == 0 and not isinstance(value, np.ndarray):
        return array.astype(np.int8)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}: expected {expected}")
    if array.size and (array.min() < -128 or array.max() > 127):
        worst = array.max() if array.max() > 127 else array.min()
        raise ValueError(f"{name} holds {worst}: expected {expected}")
    return array.astype(np.int8)
