"""Weights of nets in the core's order: rounded so that sums are exact, packed in one block."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._core import constants
from tavli_fast._core.constants import (
    FLAG_ROWS,
    LANES,
    LEVELS,
    OUTPUTS,
    PINNED,
    SCALAR_ROOM,
    SIDE_SCALARS,
)
from tavli_fast.nets import features

Floats = npt.NDArray[np.float32]

PHASES: Final = features.PHASES
_MOST_LEVELS: Final = (36, 36, 36, 36, 255, 36, 187, 187, 25, 7, 7, 36, 108)
"""Of each of a side's scalars."""
_LINE: Final = 64
"""Bytes of a cache line."""


def rounded(weights: Floats, biases: Floats, name: str) -> tuple[Floats, Floats]:
    """Round each unit's weights so that float32 adds up any board's without an error."""
    scales = np.ones((weights.shape[1], 1))
    cells = features.CELLS * features.UNITS
    scales[features.UNITS - 1 : cells : features.UNITS, 0] = features.cell_scales()
    flags = cells + features.pin_count(name)
    scalars = flags + features.flag_count(name)
    scales[scalars:, 0] = features.scalar_scales(name)
    levels = weights * scales
    # A side has at most 15 checkers; on the way from board to board some count twice.
    most = 50 * np.abs(levels[:, :flags]).max(axis=1) + np.abs(levels[:, flags:scalars]).sum(axis=1)
    levels_at_most = np.array(2 * _MOST_LEVELS[: features.side_scalars(name)])
    most += (levels_at_most[:, np.newaxis] * np.abs(levels[:, scalars:])).sum(axis=1)
    _, exponents = np.frexp(most + np.abs(biases))
    grid = np.ldexp(1.0, exponents - 24)
    levels = np.round(levels / grid[:, np.newaxis]) * grid[:, np.newaxis]
    return (levels / scales).astype(np.float32), (np.round(biases / grid) * grid).astype(np.float32)


class Rows(NamedTuple):
    """Weights by rows of W units, as the core adds them up."""

    levels: Floats
    """``float32[P, 52, 5, W]``."""
    flags: Floats
    """``float32[P, 32, W]``."""
    biases: Floats
    """``float32[P, W]``."""
    out: Floats
    """``float32[P, 6, W]``."""
    scalars: Floats
    """``float32[P, 32, W]``, or ``float32[P, 0, W]`` without any."""
    out_biases: Floats
    """``float32[P, 8]``."""


def rows_of(
    name: str, weights: Floats, biases: Floats, out: Floats | None, out_biases: Floats, columns: int
) -> Rows:
    """Return the rows of a net for an encoding; without a hidden layer `out` is None."""
    levels, flags, row, scalars = _first_rows(name, weights, biases, columns)
    rows = np.zeros((len(weights), OUTPUTS, columns), np.float32)
    if out is not None:
        rows[:, : out.shape[2], : out.shape[1]] = out.transpose(0, 2, 1)
    last = np.zeros((len(weights), LANES), np.float32)
    last[:, : out_biases.shape[1]] = out_biases
    return Rows(levels, flags, row, rows, scalars, last)


def _scalar_rows(name: str) -> npt.NDArray[np.intp]:
    """Return in which of their rows the encoding's scalars lie: those of blocking games are the
    first ones of a side."""
    one = np.arange(features.side_scalars(name))
    return np.concatenate([one, SIDE_SCALARS + one])


def _first_rows(
    name: str, weights: Floats, biases: Floats, columns: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the rows of levels, flags, biases and scalars of the first layer."""
    phases, _, units = weights.shape
    sizes = (features.CELLS * features.UNITS, features.pin_count(name), features.flag_count(name))
    cells, pins, flags, scalars = np.split(weights, np.cumsum(sizes), axis=1)
    levels = np.zeros((phases, features.CELLS, LEVELS, columns), np.float32)
    levels[:, :, : features.UNITS, :units] = cells.reshape(
        phases, features.CELLS, features.UNITS, units
    )
    levels[:, :, features.UNITS - 1] *= features.cell_scales()[:, np.newaxis]
    if pins.size:
        levels[:, _on_points(), PINNED, :units] = pins
    flag_rows = np.zeros((phases, FLAG_ROWS, columns), np.float32)
    flag_rows[:, : flags.shape[1], :units] = flags
    row = np.zeros((phases, columns), np.float32)
    row[:, :units] = biases
    scaled = np.zeros((phases, SCALAR_ROOM * (scalars.size > 0), columns), np.float32)
    if scalars.size:
        scaled[:, _scalar_rows(name), :units] = (
            scalars * features.scalar_scales(name)[:, np.newaxis]
        )
    return levels, flag_rows, row, scaled


def packed(rows: Rows) -> Floats:
    """Return all weights in one block, as `tf_net` in the core has it."""
    phases = len(rows.biases)
    parts = (*rows[:4], np.zeros_like(rows.biases), *rows[4:])
    block = aligned(np.concatenate([part.reshape(phases, -1) for part in parts], axis=1).ravel())
    form = form_of(phases, rows.scalars.size > 0)
    assert block.size == _core.evaluate.block_floats(rows.biases.shape[1], form)
    block.flags.writeable = False
    return block


def with_sieve(
    block: Floats, sieve: Floats, kind: int, columns: int, outputs: int, kept: int
) -> Floats:
    """Return a net's block with its sieve's behind it, as `tf_open_net` in the core has them."""
    head = np.zeros(constants.SIEVE_HEAD, np.float32)
    head[:4] = kind, columns, outputs, kept
    both = aligned(np.concatenate([block, head, sieve]))
    both.flags.writeable = False
    return both


def form_of(phases: int, scalars: bool) -> int:
    """Return what a net has, as bits of a kind."""
    experts = constants.EXPERTS if phases == constants.MOST_PHASES else 0
    return experts | (constants.SCALARS if scalars else 0)


def aligned(block: Floats) -> Floats:
    """Return a copy that begins with a cache line, so that no register is read from two of them,
    which takes a sixth more time."""
    room = np.empty(block.nbytes + _LINE, np.uint8)
    first = -room.ctypes.data % _LINE
    copy: Floats = room[first : first + block.nbytes].view(block.dtype)
    copy[:] = block
    return copy


def unpacked(
    block: Floats, name: str, columns: int, outputs: int, experts: bool = False
) -> dict[str, Floats]:
    """Return the weights of a net, by the names that `Net` has for them, from a block of `packed`
    for an encoding."""
    phases = PHASES[experts]
    all_rows = block.reshape(phases, -1)
    scalar_room = SCALAR_ROOM * (features.side_scalars(name) > 0)
    sizes = (features.CELLS * LEVELS, FLAG_ROWS, 1, OUTPUTS, 1, scalar_room)
    ends = np.cumsum(np.array(sizes) * columns)
    levels, flags, biases, out, _, scalars, last = np.split(all_rows, ends, axis=1)
    levels = levels.reshape(phases, features.CELLS, LEVELS, columns)
    plain = levels[:, :, : features.UNITS].copy()
    plain[:, :, features.UNITS - 1] /= features.cell_scales()[:, np.newaxis]
    parts = [plain.reshape(phases, -1, columns)]
    if features.pin_count(name):
        parts.append(levels[:, _on_points(), PINNED])
    parts.append(flags.reshape(phases, -1, columns)[:, : features.flag_count(name)])
    if scalar_room:
        scaled = scalars.reshape(phases, -1, columns)[:, _scalar_rows(name)]
        parts.append(scaled / features.scalar_scales(name)[:, np.newaxis])
    return {
        "hidden_weights": np.concatenate(parts, axis=1),
        "hidden_biases": biases,
        "output_weights": out.reshape(phases, -1, columns)[:, :outputs].transpose(0, 2, 1),
        "output_biases": last[:, :outputs],
    }


def _on_points() -> npt.NDArray[np.bool_]:
    """Return which of the cells are points, as ``bool[52]``."""
    places = np.arange(features.CELLS) % 26
    return (places >= 1) & (places <= 24)
