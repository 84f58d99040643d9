"""Checks of what callers pass in: the one place where shapes, dtypes and ranges are judged."""

from __future__ import annotations

import math
import operator
import os
import sys
from functools import cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast.errors import BoardError, ResultTooLargeError
from tavli_fast.rules.fields import Rules, misplaced_rules


class HoldsBoard(Protocol):
    """What holds one position: an `XGID`, a `BoardView`, a `Play`."""

    @property
    def board(self) -> npt.NDArray[np.int8]:
        """The position, ``int8[2, 26]``."""


BoardLike: TypeAlias = npt.ArrayLike | HoldsBoard
"""One board or a batch of them: integers ``[2, 26]`` or ``[N, 2, 26]``, or what holds one."""
DiceLike: TypeAlias = npt.ArrayLike
"""Rolls: integers 1 to 6, ``[2]`` or ``[N, 2]``."""

Int8Array = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)

BAR: Final = 25
OFF: Final = 0
MAX_SEED: Final = 2**128 - 1
"""The largest seed: as much entropy as NumPy's own seeds have."""
MAX_PLIES: Final = 10_000
"""Where a game is cut by default: some hundred times the length of a random game."""


def board_batch(boards: Any, rules: Rules, name: str = "boards") -> Int8Array:
    """Return `boards` as a checked, C-contiguous ``int8[N, 2, 26]`` of our own.

    It is a copy, always: the core relies on what was checked here, and the caller's array may be
    changed by another thread while the core reads.

    Raises:
        ValueError: not integers, not of shape ``[2, 26]`` or ``[N, 2, 26]``, out of int8's range.
        BoardError: a board that cannot be; the message names the first such board and why.
        ResultTooLargeError: more than this machine's memory.
    """
    copy = own_int8(_board_array(boards, name), name).reshape(-1, 2, 26)
    bad = _core.batch.first_bad_board(copy, rules)
    if bad is not None:
        index, why = bad
        raise BoardError(f"{name}[{index}]: {why}" if len(copy) > 1 else f"{name}: {why}")
    return copy


def unchecked_boards(boards: Any, out: npt.NDArray[Any] | None, name: str = "boards") -> Int8Array:
    """Return `boards` as a C-contiguous ``int8[N, 2, 26]`` for a function of the core that checks
    them itself, and reads each byte once: the caller's own memory if it can be used as it is and
    the result does not go there.

    Raises:
        ValueError: not integers, not of shape ``[2, 26]`` or ``[N, 2, 26]``, out of int8's range.
        ResultTooLargeError: more than this machine's memory.
    """
    array = _board_array(boards, name)
    if array.dtype != np.int8 or not array.flags.c_contiguous or not array.flags.aligned:
        array = own_int8(array, name)
    elif out is not None and np.may_share_memory(array, out):
        array = array.copy()
    return cast("Int8Array", array.reshape(-1, 2, 26))


def _board_array(boards: Any, name: str) -> npt.NDArray[np.integer[Any]]:
    """Return `boards` as an array of integers of the right shape."""
    if type(boards) is not np.ndarray:
        boards = getattr(boards, "board", boards)  # an XGID, a Play or another that holds one
        if isinstance(boards, str):
            hint = "expected an array; tf.parse_position reads the text of an ID"
            raise ValueError(misplaced_rules(boards, name) or f"{name}={shown(boards)}: {hint}")
    array = integers(boards, name, "an integer array of shape [2, 26] or [N, 2, 26]")
    if array.shape[-2:] != (2, 26) or array.ndim > 3:
        raise ValueError(f"{name} has shape {array.shape}: expected [2, 26] or [N, 2, 26]")
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
    """Return `dice` as a checked ``int8[count, 2]`` of our own; one pair serves for all boards.

    Raises:
        ValueError: not integers, a shape other than ``[2]`` or ``[count, 2]``, a die not in 1..6.
    """
    if count == 1 and type(dice) is tuple:
        known = _ROLLS.get(dice)  # a bot's usual call, without the cost of making an array
        if known is not None and type(dice[0]) is int and type(dice[1]) is int:
            return known
    if (misplaced := misplaced_rules(dice, "dice")) is not None:
        raise ValueError(misplaced)
    array = integers(dice, "dice", "a pair of integers 1 to 6, or an array [N, 2] of them")
    if array.shape not in ((2,), (count, 2)):
        raise ValueError(f"dice has shape {array.shape}: expected [2] or [{count}, 2]")
    copy = own_int8(array, "dice", f"a die of {{}}: {_A_DIE}")
    if _core.batch.has_bad_die(copy.reshape(-1, 2)):
        where = tuple(np.argwhere((copy < 1) | (copy > 6))[0])
        place = f"[{int(where[0])}]" if copy.ndim == 2 else ""
        raise ValueError(f"dice{place} has a die of {copy[where]}: {_A_DIE}")
    if copy.ndim == 1:
        copy = np.repeat(copy[np.newaxis], count, axis=0)
    return copy


_A_DIE: Final = "expected 1 to 6"
_ROLLS: Final = {
    (die1, die2): np.array([[die1, die2]], np.int8) for die1 in range(1, 7) for die2 in range(1, 7)
}
"""Every roll as an array, made once."""


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
    array = integers(moves, "moves", expected)
    if array.shape == (0,):
        array = array.reshape(0, 2)
    if (
        array.ndim not in (2, 3)
        or array.shape[-1] != 2
        or array.shape[-2] > most
        or (array.ndim == 3 and len(array) != count)
    ):
        raise ValueError(f"moves has shape {array.shape}: expected {expected}")
    batch = np.full((count, most, 2), -1, np.int8)
    batch[:, : array.shape[-2]] = own_int8(array, "moves")
    end = batch == -1
    if (end[..., 0] != end[..., 1]).any() or (end[:, :-1, 0] & ~end[:, 1:, 0]).any():
        raise ValueError("moves has a move after -1: expected (-1, -1) only at the end of a play")
    return batch


def new_array(shape: tuple[int, ...], dtype: type[_Scalar], what: str) -> npt.NDArray[_Scalar]:
    """Return an empty array for a result.

    Raises:
        ResultTooLargeError: it would take more than the memory of this machine.
    """
    require_room(shape, np.dtype(dtype).itemsize, what)
    try:
        return np.empty(shape, dtype)
    except MemoryError as error:
        raise ResultTooLargeError(f"{what}: {error}; use smaller batches") from error


def room_in(
    out: Any, shape: tuple[int, ...], dtype: type[_Scalar], name: str
) -> npt.NDArray[_Scalar]:
    """Return the part of a caller's array that a result takes, checked.

    Raises:
        ValueError: not a writable, C-contiguous array of that dtype and shape, or one too short.
    """
    expected = f"a writable C-contiguous {np.dtype(dtype)}{[*shape]}, or longer"
    if not isinstance(out, np.ndarray):
        raise ValueError(f"{name}={shown(out)}: expected {expected}")
    fits = out.dtype == dtype and out.ndim == len(shape) and out.shape[1:] == shape[1:]
    if not fits or len(out) < shape[0] or not (out.flags.c_contiguous and out.flags.writeable):
        found = f"{out.dtype}{[*out.shape]}, C-contiguous {out.flags.c_contiguous}"
        writable = out.flags.writeable
        raise ValueError(f"{name} is {found}, writable {writable}: expected {expected}")
    return out[: shape[0]]


def workers(threads: int | None) -> int:
    """Return how many threads to use: as many as asked for, or as this process may.

    Raises:
        ValueError: neither None nor an integer 1 to 1024.
    """
    if threads is not None:
        return whole_number(threads, "threads", 1, 1024)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this platform
        return os.cpu_count() or 1


def require_room(shape: tuple[int, ...], itemsize: int, what: str) -> None:
    """Refuse an array that this machine's memory cannot hold. The system may promise such an array
    all the same, and end the process when it is filled.

    Raises:
        ResultTooLargeError: it would take more than the memory of this machine.
    """
    size, limit = math.prod(shape) * itemsize, memory_limit()
    if size > limit:
        raise ResultTooLargeError(
            f"{what} would take {_gib(size)} GiB: expected at most the {_gib(limit)} GiB of this "
            "machine's memory; use smaller batches"
        )


def _gib(size: int) -> str:
    """Return bytes as GiB, to a tenth, also where they are too many for a float."""
    tenths = size * 10 >> 30
    return f"{tenths // 10}.{tenths % 10}" if tenths < 10**12 else "more than 10**11"


@cache
def memory_limit() -> int:
    """Return the bytes of physical memory, or what an address can reach where that is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on this platform
        return sys.maxsize


def seed_entropy(seed: int | None) -> int:
    """Return the seed, or for None a fresh one, short enough to be typed again.

    Raises:
        ValueError: `seed` is neither None nor an integer of 0 to 2**128 - 1.
    """
    if seed is None:
        return int.from_bytes(os.urandom(8), "little") >> 1  # as secrets would, which loads a lot
    return whole_number(seed, "seed", 0, MAX_SEED)


def four_words(entropy: int, key: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Return the first state of the random stream of that seed and spawn key."""
    stream = np.random.SeedSequence(entropy, spawn_key=key)
    return np.asarray(stream.generate_state(4, np.uint64), np.uint64)


def one_pair(dice: Any) -> tuple[int, int]:
    """Return one roll as a pair of ints 1 to 6.

    Raises:
        ValueError: not a pair of integers 1 to 6.
    """
    pair = dice_batch(dice, 1)[0]
    return int(pair[0]), int(pair[1])


def whole_number(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return `value` as an int from `low` to `high` (no upper end if None).

    Raises:
        ValueError: no integer (a bool is none either), or outside the range.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        upper = "" if high is None else f"{low} to {high if high < 10**16 else _power(high)}"
        expected = f"an integer {upper}" if upper else f"an integer of {low} or more"
        raise ValueError(f"{name}={shown(value)}: expected {expected}")
    return number


def real(value: Any) -> float:
    """Return a real number as a float, and NaN for what is none: a bool, a text, an array."""
    if isinstance(value, bool | np.bool_ | str | bytes | bytearray) or np.ndim(value):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def flag(value: Any, name: str) -> bool:
    """Return `value` as a bool.

    Raises:
        ValueError: neither True nor False.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={shown(value)}: expected True or False")
    return bool(value)


def file_path(value: Any, name: str) -> str:
    """Return the name of a file as a str.

    Raises:
        ValueError: neither a str nor bytes nor a path, or one that no file can have.
    """
    try:
        path = os.fsdecode(value)
    except TypeError:
        path = ""
    if not path or "\0" in path:
        raise ValueError(f"{name}={shown(value)}: expected the path of a file")
    return path


def number(value: Any, name: str, low: float, high: float, hint: str = "") -> float:
    """Return `value` as a float from `low` to `high`; `hint` explains the range in the message.

    Raises:
        ValueError: no number, or outside the range.
    """
    result = real(value)
    if not low <= result <= high:
        expected = f"expected a number, {low:g} to {high:g}{hint}"
        raise ValueError(f"{name}={shown(value)}: {expected}")
    return result


def positive_number(value: Any, name: str) -> float:
    """Return `value` as a float above 0.

    Raises:
        ValueError: no finite number above 0.
    """
    number = real(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name}={shown(value)}: expected a number above 0")
    return number


def _power(number: int) -> str:
    """Return a number just below a power of two, or one, as that power."""
    bits = number.bit_length()
    return f"2**{bits} - 1" if number == 2**bits - 1 else f"2**{bits - 1}"


def shown(value: object) -> str:
    """Return a value for a message: on one line, and short."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an int of more digits than Python prints
        text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else "…"
    return text if len(text) <= 60 else text[:57] + "…"


def integers(value: Any, name: str, expected: str) -> npt.NDArray[np.integer[Any]]:
    """Return `value` as an array of integers, itself if it is one; a list of nothing is int8."""
    if type(value) is np.ndarray:
        array = value
    elif isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array: expected {expected}, without a mask")
    else:
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as error:  # ragged, or an object that will not be an array
            raise ValueError(f"{name} is no array ({error}): expected {expected}") from error
        if array.size == 0 and not isinstance(value, np.ndarray):
            array = array.astype(np.int8)
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"{name}={shown(value)} has dtype {array.dtype}: expected {expected}"
            if array.size < 10
            else f"{name} has dtype {array.dtype}: expected {expected}"
        )
    return array


def own_int8(
    array: npt.NDArray[np.integer[Any]], name: str, beyond: str = "{}: expected counts within int8"
) -> Int8Array:
    """Return a C-contiguous int8 copy, without a silent wrap; `beyond` says what is wrong with a
    value that does not fit."""
    if array.nbytes > 1 << 20:
        require_room(array.shape, array.itemsize, name)
    copy = np.array(array, order="C")
    if copy.dtype == np.int8:
        return copy
    if copy.size and (copy.min() < -128 or copy.max() > 127):
        worst = copy.max() if copy.max() > 127 else copy.min()
        raise ValueError(f"{name} has {beyond.format(worst)}")
    return copy.astype(np.int8)
