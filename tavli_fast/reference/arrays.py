"""The package's functions in plain Python: arrays in, one position at a time, arrays out.

Input is taken to be valid, as the package itself would have checked it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.results import Afterstates, Plays
from tavli_fast.errors import IllegalMoveError
from tavli_fast.reference.moves import HOME, Move, Roll, after, begin, why_not
from tavli_fast.reference.position import BAR, OFF, Position, position_of
from tavli_fast.reference.scoring import is_over, points_for_mine
from tavli_fast.reference.turns import legal_plays, why_no_play
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

Int8Array = npt.NDArray[np.int8]

PADDING: Final = -1


def plays(boards: Any, dice: Any, rules: RulesLike | None = None) -> Plays:
    """Return one representative legal play for each distinct afterstate.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``Plays(moves int8[M, 4, 2], boards int8[M, 2, 26], offsets int64[N + 1])``, with 24 instead
        of 4 if doubles cascade.
    """
    rules = resolve_rules(rules)
    # Doubles are the longest play: four moves, or from 1 to 6 in a cascade.
    longest = 24 if rules.cascade else 4
    found = _legal_plays_of_all(boards, dice, rules)
    moves = [_padded(moves, longest) for ends in found for moves in ends.values()]
    return Plays(
        np.array(moves, np.int8).reshape(-1, longest, 2),
        _board_array(end for ends in found for end in ends),
        _offsets([len(ends) for ends in found]),
    )


def afterstates(boards: Any, dice: Any, rules: RulesLike | None = None) -> Afterstates:
    """Return the distinct positions after each legal play, not flipped.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``Afterstates(boards int8[M, 2, 26], offsets int64[N + 1])``.
    """
    found = _legal_plays_of_all(boards, dice, resolve_rules(rules))
    return Afterstates(
        _board_array(end for ends in found for end in ends),
        _offsets([len(ends) for ends in found]),
    )


def count_plays(boards: Any, dice: Any, rules: RulesLike | None = None) -> npt.NDArray[np.int32]:
    """Return the number of distinct afterstates of each board.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``int32[N]``; 0 where there is no legal play.
    """
    found = _legal_plays_of_all(boards, dice, resolve_rules(rules))
    return np.array([len(ends) for ends in found], np.int32)


def outcomes(
    boards: Any, rules: RulesLike | None = None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int8]]:
    """Return which games are over, and their points.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``(over bool[N], points int8[N])``, the points those of plane 0.
    """
    rules = resolve_rules(rules)
    positions = [position_of(board) for board in _batch(boards)]
    found = [points_for_mine(position, rules) for position in positions]
    over = np.array([points is not None for points in found], np.bool_)
    return over, np.array([points or 0 for points in found], np.int8)


def apply(
    boards: Any, moves: Any, dice: Any | None = None, rules: RulesLike | None = None
) -> Int8Array:
    """Return the boards after the moves, not flipped.

    With `dice` the moves must be a legal play of that roll, in the order in which they are given;
    no moves at all are the play of a roll that cannot be played. Without dice, each move must be
    possible by itself, with a die of its own.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        moves: (from, to) pairs ``[N, K, 2]``, or one play ``[K, 2]`` for all boards, filled up with
            -1 at the end.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards; or None.
        rules: a `Rules` or the name of a preset; None for Portes.

    Returns:
        ``int8[N, 2, 26]``.

    Raises:
        IllegalMoveError: a move, or the play as a whole, is not allowed; the message names the
            board, the move and the reason.
    """
    rules = resolve_rules(rules)
    batch = _batch(boards)
    plays_given = np.asarray(moves)
    if plays_given.shape == (0,):  # no move at all, as an empty list
        plays_given = plays_given.reshape(0, 2)
    if plays_given.ndim == 2:
        plays_given = np.broadcast_to(plays_given, (len(batch), *plays_given.shape))
    rolls = None if dice is None else _rolls(dice, len(batch))
    ends = []
    for index, (board, rows) in enumerate(zip(batch, plays_given.tolist(), strict=True)):
        position, play = position_of(board), _unpadded(rows, index)
        end = _played_out(position, play, index, rules)
        if rolls is not None:
            failure = why_no_play(position, play, rolls[index], rules)
            if failure is not None:
                moves_named = play if failure.move is None else (failure.move,)
                raise _illegal(index, moves_named, failure.why)
        ends.append(end)
    return _board_array(ends)


def _played_out(position: Position, play: tuple[Move, ...], index: int, rules: Rules) -> Position:
    """Return the position after moves that must each be possible in themselves."""
    if play and is_over(position, rules):
        raise _illegal(index, play, "the game is over")
    turn = begin(position, None, rules)
    for move in play:
        if not (OFF <= move.target < move.source <= BAR):
            raise _illegal(index, (move,), "a move goes from 25 (the bar) towards 0 (off)")
        distance = move.source - move.target
        # RULES 19: a move is one die. (The exact die is the one that bears off most freely.)
        if move.target != OFF and distance > HOME.stop - 1:
            raise _illegal(index, (move,), "no die moves a checker that far")
        why = why_not(turn, move.source, distance, rules)
        if why:
            raise _illegal(index, (move,), why)
        turn = after(turn, move, rules)
    return turn.position


def _illegal(index: int, moves: tuple[Move, ...], why: str) -> IllegalMoveError:
    """Return the error that names the board, the move or play, and the reason."""
    text = " ".join(str(move) for move in moves) or "no move"
    return IllegalMoveError(f"boards[{index}]: {text}: {why}")


def _unpadded(rows: list[list[int]], index: int) -> tuple[Move, ...]:
    """Return the moves before the padding."""
    moves = [Move(*row) for row in rows if row != [PADDING, PADDING]]
    if any(row == [PADDING, PADDING] for row in rows[: len(moves)]):
        raise _illegal(index, tuple(moves), "a move stands after the padding")
    return tuple(moves)


def _legal_plays_of_all(
    boards: Any, dice: Any, rules: Rules
) -> list[dict[Position, tuple[Move, ...]]]:
    """Return the legal plays of each board with its roll."""
    batch = _batch(boards)
    return [
        legal_plays(position_of(board), roll, rules)
        for board, roll in zip(batch, _rolls(dice, len(batch)), strict=True)
    ]


def _batch(boards: Any) -> Int8Array:
    """Return one board or many as ``int8[N, 2, 26]``."""
    return np.asarray(boards, np.int8).reshape(-1, 2, 26)


def _rolls(dice: Any, count: int) -> list[Roll]:
    """Return one roll for each of `count` boards."""
    pairs = np.broadcast_to(np.asarray(dice), (count, 2)).tolist()
    return [(one, two) for one, two in pairs]


def _padded(moves: tuple[Move, ...], length: int) -> list[tuple[int, int]]:
    """Return so many (from, to) pairs, the missing ones as padding."""
    return [*moves] + [(PADDING, PADDING)] * (length - len(moves))


def _board_array(positions: Iterable[Position]) -> Int8Array:
    """Return positions as ``int8[M, 2, 26]``."""
    return np.array(list(positions), np.int8).reshape(-1, 2, 26)


def _offsets(counts: list[int]) -> npt.NDArray[np.int64]:
    """Return where each board's rows begin, and at the end how many rows there are."""
    return np.cumsum([0, *counts], dtype=np.int64)
