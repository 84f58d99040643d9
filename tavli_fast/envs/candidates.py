"""The afterstates of many games, padded to one shape, and their features in buffers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import flag, new_array, shown, whole_number
from tavli_fast.envs.buffers import buffer_of
from tavli_fast.envs.engine import Engine
from tavli_fast.envs.steps import Padded
from tavli_fast.nets.features import encoding, width

_MOST_WIDTH: Final = 1 << 20


def padded(engine: Engine, room: int, clip: bool) -> Padded:
    """Return the afterstates with the same room for each game; see `VectorGame.padded`."""
    after, counts = engine.afterstates(), _counts(engine, room, clip)
    boards = new_array((engine.n, room, 2, 26), np.int8, "the padded afterstates")
    mask = np.empty((engine.n, room), np.uint8)

    def work(first: int, end: int, _: int) -> None:
        offsets = engine.offsets[first : end + 1]
        _core.vector_game.pad(after, offsets, boards[first:end], mask[first:end])

    engine.share(work)
    return Padded(boards, mask.view(np.bool_), counts)


def features(
    engine: Engine,
    out: Any,
    room: int | None,
    clip: bool,
    games: slice | None,
    dtype: npt.DTypeLike,
) -> npt.NDArray[Any]:
    """Write the features of the afterstates to a buffer; see `VectorGame.features`."""
    after = engine.afterstates()
    first, end = _range(engine, games)
    offsets = engine.offsets[first : end + 1]
    columns = width(encoding(engine.rules))
    dtypes = _dtypes(dtype) if out is None else (np.float32, np.uint8)
    if room is None:
        some = after[offsets[0] : offsets[-1]]
        rows = buffer_of(out, (len(some), columns), dtypes, "the features")

        def work(low: int, high: int, _: int) -> None:
            part = slice(len(some) * low // engine.n, len(some) * high // engine.n)
            _core.evaluate.features(some[part], engine.rules, rows[part])

        engine.share(work)
        return rows
    _counts(engine, room, clip)
    result = buffer_of(out, (end - first, room, columns), dtypes, "the padded features")
    flat = result.reshape(-1, columns)

    def pad(low: int, high: int, _: int) -> None:
        low, high = (end - first) * low // engine.n, (end - first) * high // engine.n
        to = flat[low * room : high * room]
        _core.evaluate.features(after, engine.rules, to, offsets=offsets[low : high + 1], room=room)

    engine.share(pad)
    return result


def _counts(engine: Engine, room: int, clip: bool) -> npt.NDArray[np.int32]:
    """Return how many plays each game has, checked against the room."""
    whole_number(room, "width", 1, _MOST_WIDTH)
    counts = np.diff(engine.offsets).astype(np.int32)
    most = int(counts.max())
    if most > room and not flag(clip, "clip"):
        raise ValueError(
            f"width={room}: game {counts.argmax()} has {most} plays; expected more room, or "
            "clip=True to leave some out"
        )
    return counts


def _range(engine: Engine, games: slice | None) -> tuple[int, int]:
    """Return the first of the games and the one behind the last."""
    if games is None:
        return 0, engine.n
    if not isinstance(games, slice) or games.step not in (None, 1):
        raise ValueError(f"games={shown(games)}: expected a slice of neighbouring games")
    first, end, _ = games.indices(engine.n)
    return first, max(first, end)


def _dtypes(dtype: npt.DTypeLike) -> tuple[Any, ...]:
    """Return the type of new features.

    Raises:
        ValueError: neither float32 nor uint8.
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in (np.dtype(np.float32), np.dtype(np.uint8)):
        raise ValueError(f"dtype={shown(dtype)}: expected float32 or uint8")
    return (found,)
