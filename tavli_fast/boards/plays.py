"""Legal plays for batches of boards: counting, listing as positions or moves, playing, perft."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    BAR,
    BoardLike,
    DiceLike,
    Int8Array,
    board_batch,
    dice_batch,
    memory_limit,
    most_moves,
    move_batch,
    new_array,
    one_board,
    room_in,
    unchecked_boards,
    whole_number,
    workers,
)
from tavli_fast._common.results import Afterstates, Plays
from tavli_fast._core.constants import Refusal
from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

_Result = TypeVar("_Result")


class HasMoves(Protocol):
    """A `Play`: what has moves."""

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """(from, to) pairs in the mover's numbers."""


__all__ = ["afterstates", "apply", "count_plays", "perft", "plays"]


def count_plays(
    boards: BoardLike,
    dice: DiceLike,
    rules: RulesLike | None = None,
    *,
    out: npt.NDArray[np.int32] | None = None,
    threads: int | None = 1,
) -> npt.NDArray[np.int32]:
    """Count the distinct legal plays of each board with its roll.

    Plays with the same afterstate count once.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.
        out: an ``int32[N]`` to write to instead of a new array.
        threads: how many threads share a large batch; None for all processors. The result does
            not depend on it.

    Returns:
        ``int32[N]``; 0 where there is no legal move and where the game is over.

    Raises:
        BoardError: a board is not a possible position.
        ResultTooLargeError: a cascade of doubles reaches too many positions.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.count_plays(tf.start(), (3, 1))
        array([16], dtype=int32)
    """
    rules = resolve_rules(rules, boards)
    if out is None and _is_one(threads):
        one = _core.single.count_of_one(boards, dice, rules)
        if one is not None:
            return one
    batch = unchecked_boards(boards, out)
    dice = dice_batch(dice, len(batch))
    parts = workers(threads)
    if out is not None:
        counts = room_in(out, (len(batch),), np.int32, "out")
    else:
        counts = new_array((len(batch),), np.int32, "the counts")
    if not _count(batch, dice, rules, counts, parts):
        _count(board_batch(boards, rules), dice, rules, counts, parts)
    return counts


def afterstates(
    boards: BoardLike,
    dice: DiceLike,
    rules: RulesLike | None = None,
    *,
    out: Int8Array | None = None,
    threads: int | None = 1,
) -> Afterstates:
    """List the distinct positions after each legal play.

    The boards are not flipped: the player who has just moved is still plane 0.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.
        out: an ``int8[K, 2, 26]`` to write to instead of a new array, with K at least the number
            of plays, which `count_plays` returns. The boards of the result are then its first M.
            If it is too short, what it holds after the error is not defined.
        threads: how many threads share a large batch; None for all processors. The result does
            not depend on it.

    Returns:
        ``Afterstates(boards int8[M, 2, 26], offsets int64[N + 1])``. Those of board i are
        ``boards[offsets[i]:offsets[i + 1]]``: none if there is no legal move or the game is over.

    Raises:
        BoardError: a board is not a possible position.
        ResultTooLargeError: the result does not fit in this machine's memory, or a cascade of
            doubles reaches too many positions.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> boards = tf.random_boards(2, seed=1)
        >>> after, offsets = tf.afterstates(boards, [(3, 1), (6, 5)])
        >>> len(after) == offsets[-1]
        np.True_
        >>> second = after[offsets[1]:offsets[2]]
    """
    rules = resolve_rules(rules, boards)
    if out is None and _is_one(threads):
        one = _core.single.plays_of_one(boards, dice, rules, False)
        if one is not None:
            return Afterstates(one[1], one[2])
    batch = unchecked_boards(boards, out)
    dice = dice_batch(dice, len(batch))
    parts = workers(threads)
    if parts == 1 and _holds_boards(out):
        listed = _list(batch, dice, rules, out)
        if listed is not None:
            return listed
    # Counting first takes longer, but no more memory than the result; and it says how large that
    # would be if it does not fit.
    boards = board_batch(boards, rules)
    offsets = _offsets(boards, dice, rules, parts)
    shape = (int(offsets[-1]), 2, 26)
    if out is not None:
        after = room_in(out, shape, np.int8, "out")
    else:
        after = new_array(shape, np.int8, "the afterstates")
    _fill(boards, dice, rules, offsets, after, None, parts)
    return Afterstates(after, offsets)


def plays(
    boards: BoardLike,
    dice: DiceLike,
    rules: RulesLike | None = None,
    *,
    out: tuple[Int8Array, Int8Array] | None = None,
    threads: int | None = 1,
) -> Plays:
    """List one representative play for each distinct afterstate.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.
        out: a pair of arrays, ``int8[K, 4, 2]`` and ``int8[K, 2, 26]``, to write the moves and the
            afterstates to instead of new arrays; see `afterstates`.
        threads: how many threads share a large batch; None for all processors. The result does
            not depend on it.

    Returns:
        ``Plays(moves int8[M, 4, 2], boards int8[M, 2, 26], offsets int64[N + 1])``: the moves as
        (from, to) pairs in the mover's numbering (25 is the bar, 0 is off), in an order in which
        they can be played, filled up with -1; the afterstates; and where each board's plays begin.
        If doubles cascade, there are up to 24 moves instead of 4.

    Raises:
        BoardError: a board is not a possible position.
        ResultTooLargeError: the result does not fit in this machine's memory, or a cascade of
            doubles reaches too many positions.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.plays(tf.start("plakoto"), (6, 5), "plakoto").moves[:, :2].tolist()
        [[[24, 18], [18, 13]], [[24, 18], [24, 19]]]
    """
    rules = resolve_rules(rules, boards)
    if out is None and _is_one(threads):
        one = _core.single.plays_of_one(boards, dice, rules, True)
        if one is not None and one[0] is not None:
            return Plays(one[0], one[1], one[2])
    boards = board_batch(boards, rules)
    dice = dice_batch(dice, len(boards))
    parts = workers(threads)
    if out is not None and not (isinstance(out, tuple) and len(out) == 2):
        raise ValueError("out is no pair: expected (moves, boards)")
    offsets = _offsets(boards, dice, rules, parts)
    total = int(offsets[-1])
    shapes = (total, most_moves(rules), 2), (total, 2, 26)
    if out is not None:
        moves = room_in(out[0], shapes[0], np.int8, "out[0]")
        after = room_in(out[1], shapes[1], np.int8, "out[1]")
        if np.may_share_memory(moves, after):
            raise ValueError("out[0] and out[1] overlap: expected memory of their own for each")
    else:
        moves = new_array(shapes[0], np.int8, "the moves")
        after = new_array(shapes[1], np.int8, "the afterstates")
    _fill(boards, dice, rules, offsets, after, moves, parts)
    return Plays(moves, after, offsets)


def apply(
    boards: BoardLike,
    moves: npt.ArrayLike | HasMoves,
    dice: DiceLike | None = None,
    rules: RulesLike | None = None,
) -> Int8Array:
    """Return the boards after given moves, not flipped.

    With dice, the moves must be a legal play of that roll, in an order in which they can be
    played; no moves at all are a play only where none is legal. Without dice, each move must be
    possible by itself: there is a checker, the landing point is open, checkers on the bar go
    first, bearing off is allowed, and some die has that distance.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        moves: integers ``[N, K, 2]``, (from, to) pairs as `plays` returns them, with K at most 4
            (24 if doubles cascade) and -1 after the last; or the moves of one play, ``[K, 2]``,
            or a `Play`, for all boards.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards; or None.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``int8[N, 2, 26]``, a new array.

    Raises:
        IllegalMoveError: names the first board on which the moves are illegal, the move and the
            reason.
        BoardError: a board is not a possible position.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> after = tf.apply(tf.start(), [(8, 5), (6, 5)], (3, 1))
        >>> tf.position_id(tf.flip(after)[0])
        'sGfwATDgc/ABMA'
        >>> tf.apply(tf.start(), [(8, 5), (8, 7)], (3, 2))
        Traceback (most recent call last):
            ...
        tavli_fast.errors.IllegalMoveError: ...
    """
    rules = resolve_rules(rules, boards)
    boards = board_batch(boards, rules)
    moves = move_batch(getattr(moves, "moves", moves), len(boards), rules)
    rolls = None if dice is None else dice_batch(dice, len(boards))
    after, refused = _core.batch.apply(boards, moves, rolls, rules)
    if refused is not None:
        raise IllegalMoveError(_refusal(boards, moves, rolls, *refused))
    assert after is not None
    return after


def perft(board: BoardLike, depth: int, rules: RulesLike | None = None) -> int:
    """Count the positions `depth` plies ahead, over all 21 rolls and all distinct plays.

    Each roll counts once, unweighted. A dance counts as one play, a finished game has no children,
    and positions reached in several ways count each time. Known values test any move generator.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first.
        depth: the number of plies, 0 to 20.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        The number of positions.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> [tf.perft(tf.start("backgammon"), depth, "backgammon") for depth in (1, 2)]
        [447, 202782]
    """
    rules = resolve_rules(rules, board)
    depth = whole_number(depth, "depth", 0, 20)
    board = one_board(board, rules)
    return _core.single.perft(board, depth, rules) if depth else 1


_PART: Final = 1024
"""The fewest boards that are worth a thread: a tenth of a millisecond of work."""


def _is_one(threads: int | None) -> bool:
    """Return whether one thread is asked for, in the usual way."""
    return type(threads) is int and threads == 1


def _count(
    boards: Int8Array, dice: Int8Array, rules: Rules, counts: npt.NDArray[np.int32], parts: int
) -> bool:
    """Count each board's plays, the batch shared by threads; return whether all boards can be
    positions. Where not, `board_batch` says what is wrong."""

    def count(part: slice) -> bool:
        return _core.batch.count(boards[part], dice[part], rules, counts[part])

    return all(_share(count, len(boards), parts))


def _offsets(boards: Int8Array, dice: Int8Array, rules: Rules, parts: int) -> npt.NDArray[np.int64]:
    """Return ``int64[N + 1]``: where each board's plays begin in the list of all."""
    counts = np.empty(len(boards), np.int32)
    _count(boards, dice, rules, counts, parts)
    offsets = np.zeros(len(boards) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _fill(
    boards: Int8Array,
    dice: Int8Array,
    rules: Rules,
    offsets: npt.NDArray[np.int64],
    after: Int8Array,
    moves: Int8Array | None,
    parts: int,
) -> None:
    """Write all plays in their places, the batch shared by threads."""

    def fill(part: slice) -> bool:
        places = offsets[part.start : part.stop + 1]
        return _core.batch.fill(boards[part], dice[part], rules, places, after, moves)

    _share(fill, len(boards), parts)


def _holds_boards(out: Any) -> bool:
    """Return whether boards can be written to `out`, however many."""
    return out is None or (
        isinstance(out, np.ndarray)
        and out.dtype == np.int8
        and out.shape[1:] == (2, 26)
        and out.flags.c_contiguous
        and out.flags.writeable
    )


def _list(
    boards: Int8Array, dice: Int8Array, rules: Rules, out: Int8Array | None
) -> Afterstates | None:
    """Return all afterstates, listed without counting them first; None if there is no room for them
    or a board cannot be a position."""
    if out is None:
        listed = _core.batch.afterstates(boards, dice, rules, memory_limit())
        return None if listed is None else Afterstates(*listed)
    offsets = np.empty(len(boards) + 1, np.int64)
    plays = _core.batch.list_into(boards, dice, rules, out, offsets)
    return None if plays is None else Afterstates(out[:plays], offsets)


def _share(work: Callable[[slice], _Result], boards: int, parts: int) -> list[_Result]:
    """Do the work on a batch, in as many parts as there are threads and as pay; return what each
    part returns."""
    parts = min(parts, boards // _PART)
    if parts <= 1:
        return [work(slice(0, boards))]
    ends = [boards * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(parts) as pool:
        return list(pool.map(work, map(slice, ends, ends[1:])))


_WHY: Final = {
    Refusal.NO_MOVE: (
        "expected a from of 1 to 25 (the bar) and a to of 0 (off) to 24 that one die can join"
    ),
    Refusal.NO_CHECKER: "no checker of the player on roll is there",
    Refusal.BAR_FIRST: "a checker on the bar must enter first",
    Refusal.CLOSED: "the landing point is closed",
    Refusal.NOT_HOME: "no checker may be borne off while one is outside the home board",
    Refusal.STOPPED: "a checker that has hit at home may not move on in this turn",
    Refusal.NO_DIE: "no die of the roll is left that makes this move",
    Refusal.NOT_FARTHEST: (
        "a checker stands farther out than this one, so the larger die cannot bear it off"
    ),
    Refusal.GAME_OVER: "the game is over",
    Refusal.IS_PINNED: "a pinned checker cannot move",
    Refusal.GATE: "only the foremost checker may move until it has passed the gate",
    Refusal.HEAD: "no more checkers may leave the head in this turn",
    Refusal.PRIME: "it would make a prime that is barred",
    Refusal.HOME_ONLY: "with all checkers home the dice only bear off",
    Refusal.NOT_WHILE_PINNED: "no checker may be borne off while one is pinned",
    Refusal.NOT_EXACT: "only the exact die bears off",
}
"""Sentences for the core's reasons."""


def _refusal(
    boards: Int8Array, moves: Int8Array, dice: Int8Array | None, index: int, at: int, why: int
) -> str:
    """Say which moves of which board are refused, and why."""
    where = f"moves[{index}]" if len(boards) > 1 else "moves"
    made = [_move_text(move) for move in moves[index] if move[0] != -1]
    roll = "" if dice is None else f" with {dice[index, 0]}-{dice[index, 1]}"
    if why == Refusal.NOT_A_PLAY:
        return (
            f"{where}: {' '.join(made) or 'no move'}{roll} is not a legal play: {_unplayed(made)}"
        )
    return f"{where}: {_move_text(moves[index, at])}{roll} is illegal: {_WHY[Refusal(why)]}"


def _unplayed(made: list[str]) -> str:
    """Say what the dice demand where each of the moves made is possible."""
    if not made:
        return "a move can be made"
    return "more dice, or the higher die, can and must be played"


def _move_text(move: npt.NDArray[np.int8]) -> str:
    """Return a move as text: 13/8, bar/20, 6/off."""
    from_, to = int(move[0]), int(move[1])
    return f"{'bar' if from_ == BAR else from_}/{'off' if to == 0 else to}"
