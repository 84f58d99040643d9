"""Nets in whole numbers of 16 bits: half the memory to read for each candidate, exact sums."""

from __future__ import annotations

import os
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast.nets.net import Net, _Weights
from tavli_fast.nets.packing import PHASES, Floats, aligned
from tavli_fast.rules.checks import MAX_CHECKERS
from tavli_fast.rules.text import rules_name

__all__ = ["QuantizedNet"]

_KIND: Final = 4
_LARGEST: Final = 32767
_MARGIN: Final = 64
"""Room for what rounding adds to a sum: half a unit for each of at most some hundred rows."""

Doubles = npt.NDArray[np.float64]


class QuantizedNet(_Weights):
    """A clipped `Net` rounded to whole numbers of 16 bits, for speed.

    Each hidden unit has a scale of its own, as fine as the largest sum that 15 checkers a side can
    make of its weights allows; so no board can overflow it. It is used like the net, and its
    outcomes are a little off: docs/evaluators.md has how much. All sums are of whole numbers, the
    same for every order and machine.

    Args:
        net: the net, whose ``activation`` is ``"clipped"``.

    Raises:
        ValueError: another activation.
    """

    net: Net
    """The net that it was made from."""

    def __init__(self, net: Net) -> None:
        """Round the weights."""
        if not isinstance(net, Net) or net.activation != "clipped":
            raise ValueError(f"net={net!r}: expected a Net with activation='clipped'")
        self.net = net
        self.rules, self.encoding, self.info = net.rules, net.encoding, net.info
        self.kind, self.columns, self.outputs = _KIND, net.columns, net.outputs
        self.packed = aligned(np.concatenate([self._phase(phase) for phase in range(PHASES)]))
        assert self.packed.size == _core.evaluate.short_block_floats(self.columns)
        self.packed.flags.writeable = False

    def weights(self) -> dict[str, Floats]:
        """Return the weights of the net that it was made from."""
        return self.net.weights()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the net that it was made from, which `Net.load` reads too; see `Net.save`."""
        self.net.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save`, or that of a clipped net, has written; see `Net.load`."""
        return cls(Net.load(path))

    def __reduce__(self) -> tuple[type[QuantizedNet], tuple[Net]]:
        """Pickle by the net."""
        return type(self), (self.net,)

    def __repr__(self) -> str:
        """Return the rules and the size."""
        return f"<QuantizedNet for {rules_name(self.rules)}: {self.net.hidden} units>"

    def _phase(self, phase: int) -> Floats:
        """Return one phase's weights in one block, as `_net.pxd` describes it."""
        steps, flags, biases, out, out_biases = (
            part[phase].astype(np.float64) for part in self.net.rows()
        )
        # Rules of the same encoding may have more checkers than the net's own.
        most = _most(steps, MAX_CHECKERS) + np.maximum(flags, 0).sum(axis=0) + biases
        least = _most(-steps, MAX_CHECKERS) + np.maximum(-flags, 0).sum(axis=0) - biases
        tops = np.floor((_LARGEST - _MARGIN) / np.maximum(np.maximum(most, least), 1))
        last = out / tops
        # As fine as 16 bits allow, and no sum of the outputs beyond 32 bits.
        finest = np.maximum(
            np.abs(last).max(axis=1) / _LARGEST, (np.abs(last) * tops).sum(axis=1) / 2**30
        )
        scales = np.maximum(finest, 1e-30)
        whole = [
            np.round(steps * tops),
            np.round(flags * tops),
            np.round(biases * tops),
            np.zeros_like(biases),
            tops,
            np.round(last / scales[:, np.newaxis]),
        ]
        shorts = np.concatenate([part.ravel() for part in whole]).astype(np.int16)
        floats = np.zeros((2, 8), np.float32)
        floats[0, : len(scales)] = scales
        floats[1] = out_biases
        return np.concatenate([shorts.view(np.float32), floats.ravel()])


def _most(steps: Doubles, checkers: int) -> Doubles:
    """Return, for each unit, the largest sum that a board of so many checkers a side can have.

    Found side by side and cell by cell: of the cells so far and 0 to all checkers on them.
    """
    total = np.zeros(steps.shape[2])
    for side in np.split(steps, 2):
        best = np.full((checkers + 1, steps.shape[2]), -np.inf)
        best[0] = 0
        for cell in side:
            worth = np.zeros((checkers + 1, steps.shape[2]))
            for count in range(1, checkers + 1):
                worth[count] = worth[count - 1] + cell[min(count - 1, 3)]
            after = best.copy()
            for count in range(1, checkers + 1):
                for held in range(checkers + 1 - count):
                    np.maximum(
                        after[held + count], best[held] + worth[count], out=after[held + count]
                    )
            for held in range(checkers):  # or one that is pinned there
                np.maximum(after[held + 1], best[held] + cell[4], out=after[held + 1])
            best = after
        total += best[checkers]
    return total
