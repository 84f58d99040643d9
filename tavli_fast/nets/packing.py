"""Weights of nets in the core's order: rounded so that sums are exact, packed in one block."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._core import constants
from tavli_fast._core.constants import FLAG_ROWS, LANES, LEVELS, OUTPUTS, PINNED
from tavli_fast.nets import features

Floats = npt.NDArray[np.float32]

PHASES: Final = constants.PHASES
"""Contact and race: a net has weights of its own for each; `features` says when a race begins."""
_LINE: Final = 64
"""Bytes of a cache line."""


def rounded(weights: Floats, biases: Floats, name: str) -> tuple[Floats, Floats]:
    """Round each unit's weights so that float32 adds up any board's without an error."""
    scales = np.ones((weights.shape[1], 1))
    cells = features.CELLS * features.UNITS
    scales[features.UNITS - 1 : cells : features.UNITS, 0] = features.cell_scales()
    levels = weights * scales
    flags = cells + features.PINS * (name == "pin-1")
    # A side has at most 15 checkers; on the way from board to board some count twice.
    most = 50 * np.abs(levels[:, :flags]).max(axis=1) + np.abs(levels[:, flags:]).sum(axis=1)
    _, exponents = np.frexp(most + np.abs(biases))
    grid = np.ldexp(1.0, exponents - 24)
    levels = np.round(levels / grid[:, np.newaxis]) * grid[:, np.newaxis]
    return (levels / scales).astype(np.float32), (np.round(biases / grid) * grid).astype(np.float32)


class Rows(NamedTuple):
    """Weights by rows of W units, as the core adds them up."""

    levels: Floats
    """``float32[2, 52, 5, W]``."""
    flags: Floats
    """``float32[2, 32, W]``."""
    biases: Floats
    """``float32[2, W]``."""
    out: Floats
    """``float32[2, 6, W]``."""
    out_biases: Floats
    """``float32[2, 8]``."""


def rows_of(
    name: str, weights: Floats, biases: Floats, out: Floats | None, out_biases: Floats, columns: int
) -> Rows:
    """Return the rows of a net for an encoding; without a hidden layer `out` is None."""
    first = _first_rows(name, weights, biases, columns)
    rows = np.zeros((PHASES, OUTPUTS, columns), np.float32)
    if out is not None:
        rows[:, : out.shape[2], : out.shape[1]] = out.transpose(0, 2, 1)
    last = np.zeros((PHASES, LANES), np.float32)
    last[:, : out_biases.shape[1]] = out_biases
    return Rows(*first, rows, last)


def _first_rows(
    name: str, weights: Floats, biases: Floats, columns: int
) -> tuple[Floats, Floats, Floats]:
    """Return the rows of levels, flags and biases of the first layer."""
    units = weights.shape[2]
    cells = features.CELLS * features.UNITS
    levels = np.zeros((PHASES, features.CELLS, LEVELS, columns), np.float32)
    levels[:, :, : features.UNITS, :units] = weights[:, :cells].reshape(
        PHASES, features.CELLS, features.UNITS, units
    )
    levels[:, :, features.UNITS - 1] *= features.cell_scales()[:, np.newaxis]
    if name == "pin-1":
        levels[:, _on_points(), PINNED, :units] = weights[:, cells : cells + features.PINS]
    flags = np.zeros((PHASES, FLAG_ROWS, columns), np.float32)
    flags[:, : features.FLAGS[name], :units] = weights[:, -features.FLAGS[name] :]
    row = np.zeros((PHASES, columns), np.float32)
    row[:, :units] = biases
    return levels, flags, row


def packed(rows: Rows) -> Floats:
    """Return all weights in one block, as `tf_net` in the core has it."""
    parts = (*rows[:4], np.zeros_like(rows.biases), rows.out_biases)
    block = aligned(np.concatenate([part.reshape(PHASES, -1) for part in parts], axis=1).ravel())
    assert block.size == _core.evaluate.block_floats(rows.biases.shape[1])
    block.flags.writeable = False
    return block


def aligned(block: Floats) -> Floats:
    """Return a copy that begins with a cache line, so that no register is read from two of them,
    which takes a sixth more time."""
    room = np.empty(block.nbytes + _LINE, np.uint8)
    first = -room.ctypes.data % _LINE
    copy: Floats = room[first : first + block.nbytes].view(block.dtype)
    copy[:] = block
    return copy


def unpacked(block: Floats, name: str, columns: int, outputs: int) -> dict[str, Floats]:
    """Return the weights of a net, by the names that `Net` has for them, from a block of `packed`
    for an encoding."""
    both = block.reshape(PHASES, -1)
    sizes = (features.CELLS * LEVELS, FLAG_ROWS, 1, OUTPUTS, 1)
    ends = np.cumsum(np.array(sizes) * columns)
    levels, flags, biases, out, _, last = np.split(both, ends, axis=1)
    levels = levels.reshape(PHASES, features.CELLS, LEVELS, columns)
    plain = levels[:, :, : features.UNITS].copy()
    plain[:, :, features.UNITS - 1] /= features.cell_scales()[:, np.newaxis]
    parts = [plain.reshape(PHASES, -1, columns)]
    if name == "pin-1":
        parts.append(levels[:, _on_points(), PINNED])
    parts.append(flags.reshape(PHASES, -1, columns)[:, : features.FLAGS[name]])
    return {
        "hidden_weights": np.concatenate(parts, axis=1),
        "hidden_biases": biases,
        "output_weights": out.reshape(PHASES, -1, columns)[:, :outputs].transpose(0, 2, 1),
        "output_biases": last[:, :outputs],
    }


def _on_points() -> npt.NDArray[np.bool_]:
    """Return which of the cells are points, as ``bool[52]``."""
    places = np.arange(features.CELLS) % 26
    return (places >= 1) & (places <= 24)
