"""Labels that a net makes for itself: self-play with a look at all 21 rolls at every turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import four_words
from tavli_fast._common.workers import in_order
from tavli_fast.boards.positions import start
from tavli_fast.nets.net import OUTCOMES, Net

CHUNK: Final = 1024
"""Labels that one worker makes at once, from dice of their own. A change of it changes the results
of every seed."""

UNIT: Final = 65535
"""Labels are whole numbers: outcomes in units of 1 / UNIT."""


class Labels(NamedTuple):
    """Afterstates and what they are to be worth to who has just moved."""

    boards: npt.NDArray[np.int8]
    """``int8[N, 2, 26]``."""
    outcomes: npt.NDArray[np.uint16]
    """``uint16[N, 6]``: the six outcomes in units of 1 / UNIT."""

    def first(self, count: int) -> Labels:
        """Return the first so many."""
        return Labels(self.boards[:count], self.outcomes[:count])


@dataclass(frozen=True)
class Labelling:
    """How labels are made."""

    trace: float = 0.8
    """How much of the next turn's correction counts (lambda)."""
    explore: float = 0.25
    """How often one of the four next best plays is tried, where the trace is then cut."""
    scatter: float = 0.3
    """How many games begin with random plies."""
    random_plies: int = 30
    """How many random plies there are at most."""


def label_chunk(
    net: Net,
    how: Labelling,
    words: npt.NDArray[np.uint64],
    count: int,
    stop: npt.NDArray[np.uint8],
) -> Labels:
    """Return `count` labels; fewer if somebody sets ``stop[0]``."""
    found = Labels(np.empty((count, 2, 26), np.int8), np.empty((count, len(OUTCOMES)), np.uint16))
    done = _core.label.label_games(
        start(net.rules),
        net.rules,
        net.rules.opening != "fresh_roll",
        net.packed,
        net.kind,
        net.columns,
        net.outputs,
        words,
        how.trace,
        how.explore,
        how.scatter,
        how.random_plies,
        *found,
        stop,
    )
    return found.first(done)


def make_labels(
    executor: Executor,
    net: Net,
    how: Labelling,
    seed: int,
    number: int,
    room: Labels,
    done: int,
    take: Callable[[int], object],
) -> None:
    """Fill `room` with labels from place `done` on, a multiple of `CHUNK`, and tell `take` how many
    there are after each chunk. They depend on the net, the seed and the set's `number` alone."""
    stop = np.zeros(1, np.uint8)
    total = len(room.boards)

    def tasks() -> Iterator[tuple[Any, ...]]:
        for first in range(done, total, CHUNK):
            words = four_words(seed, (2, number, first // CHUNK))
            yield net, how, words, min(CHUNK, total - first), stop

    at = done

    def take_chunk(_: object, found: Labels) -> None:
        nonlocal at
        room.boards[at : at + len(found.boards)] = found.boards
        room.outcomes[at : at + len(found.boards)] = found.outcomes
        at += len(found.boards)
        take(at)

    in_order(executor, label_chunk, tasks(), take_chunk, stop)


def room_for(count: int) -> Labels:
    """Return places for labels."""
    return Labels(np.empty((count, 2, 26), np.int8), np.empty((count, len(OUTCOMES)), np.uint16))


def joined(sets: list[Labels]) -> Labels:
    """Return several sets as one."""
    return Labels(
        np.concatenate([each.boards for each in sets]),
        np.concatenate([each.outcomes for each in sets]),
    )
