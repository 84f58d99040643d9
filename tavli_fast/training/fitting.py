"""Fitting a net to labels: Adam on minibatches, each phase's weights by themselves."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._core import constants
from tavli_fast._core.constants import LANES
from tavli_fast.nets.net import Net
from tavli_fast.nets.packing import Floats, aligned
from tavli_fast.training.labels import Labels

BATCH: Final = 64
"""Boards of a minibatch."""
_PIECE: Final = 64 * BATCH
"""Boards whose features are in memory at once."""


@dataclass(frozen=True)
class Fitting:
    """How a net is fitted."""

    epochs: int = 4
    """How many times every label is used."""
    first_rate: float = 1e-3
    """The rate of the first minibatch; it falls on a straight line to that of the last."""
    last_rate: float = 2e-5
    """The rate of the last minibatch."""


def fit(
    net: Net,
    labels: Labels,
    how: Fitting,
    seed: int,
    number: int,
    threads: int,
    tell: Callable[[float], object],
) -> tuple[Net, float]:
    """Return the net fitted to labels, and the root of the mean squared difference between its
    equities and theirs during the last epoch, each board's before the step that it had a part in.

    The phases have no weight in common, so that each is fitted by itself, by whichever thread: the
    result depends on the net, the labels, the seed and the fit's `number` alone. `tell` hears how
    much of the work is done, 0 to 1.
    """
    phases = np.empty(len(labels.boards), np.int8)
    _core.evaluate.phases(labels.boards, net.rules, phases, net.experts)
    blocks = _blocks(net)
    fits = [
        _Fit(net, labels, np.flatnonzero(phases == phase), how, (seed, number, phase), block)
        for phase, block in enumerate(blocks)
    ]
    total = sum(each.total for each in fits)
    with ThreadPoolExecutor(threads, "tavli_fast") as pool:
        stop = Event()
        running = [pool.submit(each.run, stop) for each in fits]
        try:
            while wait(running, timeout=0.2).not_done:
                tell(sum(each.done for each in fits) / total)
        except BaseException:
            stop.set()
            raise
    squares = sum(future.result() for future in running)
    error = float(np.sqrt(squares / len(labels.boards)))
    return _net_of(net, blocks), error


class _Fit:
    """The fit of one phase's weights."""

    def __init__(
        self,
        net: Net,
        labels: Labels,
        places: npt.NDArray[np.int64],
        how: Fitting,
        key: tuple[int, int, int],
        block: Floats,
    ) -> None:
        self.net, self.labels, self.places, self.how = net, labels, places, how
        self.key, self.block = key, block
        self.activation = constants.CLIPPED if net.activation == "clipped" else constants.SIGMOID
        self.total = how.epochs * len(places)
        self.done = 0

    def run(self, stop: Event) -> float:
        """Change the weights; return the sum of the squared differences of the last epoch."""
        mean, square, gradient = (aligned(np.zeros_like(self.block)) for _ in range(3))
        parts = np.ones(2)
        rates = self._rates()
        step = 0
        squares = 0.0
        for epoch in range(self.how.epochs):
            seed, number, phase = self.key
            shuffle = np.random.default_rng([seed, 3, number, phase, epoch])
            order = self.places[shuffle.permutation(len(self.places))]
            squares = 0.0
            for first in range(0, len(order), _PIECE):
                if stop.is_set():
                    return squares
                some = order[first : first + _PIECE]
                steps = -(-len(some) // BATCH)
                squares += _core.fit.fit(
                    self.block,
                    mean,
                    square,
                    gradient,
                    parts,
                    self._features(some),
                    self.labels.outcomes[some],
                    rates[step : step + steps],
                    self.net.columns,
                    self.net.outputs,
                    self.activation,
                    BATCH,
                )
                step += steps
                self.done += len(some)
        return squares

    def _features(self, places: npt.NDArray[np.int64]) -> Floats:
        out = np.empty((len(places), self.net.hidden_weights.shape[1]), np.float32)
        _core.evaluate.features(self.labels.boards[places], self.net.rules, out, self.net.scalars)
        return out

    def _rates(self) -> Floats:
        """Return the rate of each minibatch."""
        steps = self.how.epochs * -(-len(self.places) // BATCH)
        at = np.arange(steps) / max(steps - 1, 1)
        rates = self.how.first_rate + at * (self.how.last_rate - self.how.first_rate)
        return rates.astype(np.float32)


def _blocks(net: Net) -> list[Floats]:
    """Return the weights of each phase as one block: a row of units for each feature, one of
    biases, one for each output, and the outputs' biases."""
    phases = net.phases
    first = np.zeros((phases, net.hidden_weights.shape[1] + 1 + net.outputs, net.columns))
    last = np.zeros((phases, LANES))
    first[:, : -1 - net.outputs, : net.hidden] = net.hidden_weights
    first[:, -1 - net.outputs, : net.hidden] = net.hidden_biases
    first[:, -net.outputs :, : net.hidden] = net.output_weights.transpose(0, 2, 1)
    last[:, : net.outputs] = net.output_biases
    whole = np.concatenate([first.reshape(phases, -1), last], axis=1).astype(np.float32)
    return [aligned(block) for block in whole]


def _net_of(net: Net, blocks: list[Floats]) -> Net:
    """Return the net with other weights."""
    whole = np.stack(blocks)
    rows = whole[:, :-LANES].reshape(len(blocks), -1, net.columns)[:, :, : net.hidden]
    return net.changed(
        hidden_weights=rows[:, : -1 - net.outputs],
        hidden_biases=rows[:, -1 - net.outputs],
        output_weights=rows[:, -net.outputs :].transpose(0, 2, 1),
        output_biases=whole[:, -LANES:][:, : net.outputs],
    )
