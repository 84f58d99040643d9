"""What rollouts, rankings and arenas share: how trials are played, and how much work there is."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final

from tavli_fast._common.arguments import MAX_PLIES, seed_entropy, shown, whole_number, workers
from tavli_fast._common.workers import check_workers
from tavli_fast.cube.model import EFFICIENCY
from tavli_fast.cube.setting import CubeSetting

CHUNK: Final = 128
"""Trials of random play that are played together, their streams drawn from one stream of the chunk.
A change of it changes the results of every seed."""
MAX_TRIALS: Final = 10**15
"""More games than anybody can wait for, few enough that their sums fit in 64 bits."""
PLAIN_TRIALS: Final = 1296
"""Trials if nobody says how many: as many as there are pairs of rolls."""
ROUND: Final = 10 * CHUNK
"""Trials between two looks at the standard error: a fixed number, so that where a rollout stops
depends on nothing but its seed."""


@dataclass(frozen=True)
class PlayOptions:
    """How trials are to be played, as a caller says it; see `rollout` for each."""

    truncate: int | None = None
    variance_reduction: bool = False
    evaluator: Any = None
    stratified: bool = False
    opening: bool | None = False
    same_dice: bool = False
    max_plies: int = MAX_PLIES
    cube: CubeSetting | None = None
    efficiency: float = EFFICIENCY


@dataclass(frozen=True)
class Workload:
    """How many trials to play, with which workers, and whom to inform; checked."""

    trials: int
    first: int
    """The number of the first trial."""
    entropy: int
    threads: int
    executor: Executor | None
    progress: Callable[[int, int], object] | None
    interim: Callable[[Any], object] | None
    pieces_in_flight: int | None = None
    """How many pieces of work the executor has at a time; None for four a worker."""


def workload(
    trials: int,
    seed: int | None,
    threads: int | None,
    executor: Executor | None,
    progress: Callable[[int, int], object] | None,
    *,
    first_trial: int = 0,
    interim: Callable[[Any], object] | None = None,
    pieces_in_flight: int | None = None,
) -> Workload:
    """Return the arguments of that name, checked.

    Raises:
        ValueError: one of them is none.
    """
    trials = whole_number(trials, "trials", 1, MAX_TRIALS)
    entropy = seed_entropy(seed)
    check_workers(executor, progress)
    first = whole_number(first_trial, "first_trial", 0, MAX_TRIALS)
    if interim is not None and not callable(interim):
        raise ValueError(f"interim={shown(interim)}: expected a callable or None")
    if pieces_in_flight is not None:
        pieces_in_flight = whole_number(pieces_in_flight, "pieces_in_flight", 1, 2**31)
    return Workload(
        trials, first, entropy, workers(threads), executor, progress, interim, pieces_in_flight
    )


@dataclass(frozen=True)
class Settings:
    """How trials are played; results of different settings do not add.

    Attributes:
        truncate: plies after which a game is cut and judged by the evaluator; None for none.
        variance_reduction: whether each result is freed from the luck of its dice.
        stratified: whether successive trials share out the first three rolls evenly.
        opening: whether the first roll is no double, as after a contest of one die each.
        same_dice: whether all boards have the same dice.
        evaluator: who judges cut games and luck; the empty string if nobody does.
        max_plies: where a game is cut and counted as unfinished.
        cube: the cube, the score and the rules of the table; the empty string without a cube.
        efficiency: of the cube.
        tables: whether a game ends where the bear-off tables of both players have its value.
    """

    truncate: int | None = None
    variance_reduction: bool = False
    stratified: bool = False
    opening: bool = False
    same_dice: bool = False
    evaluator: str = ""
    max_plies: int = MAX_PLIES
    cube: str = ""
    efficiency: float = 0.0
    tables: bool = False

    @property
    def exact(self) -> bool:
        """Whether each trial's result is a number of points, and no estimate."""
        return self.truncate is None and not self.variance_reduction and not self.tables

    def __str__(self) -> str:
        """Describe the settings that differ from the defaults."""
        parts = [] if self.truncate is None else [f"truncated at {self.truncate}"]
        flags = ("variance_reduction", "stratified", "opening", "same_dice")
        parts += [name.replace("_", " ") for name in flags if getattr(self, name)]
        if self.tables:
            parts.append("ended by tables")
        if self.evaluator:
            parts.append(f"judged by {self.evaluator}")
        if self.max_plies != MAX_PLIES:
            parts.append(f"at most {self.max_plies} plies")
        if self.cube:
            parts.append(f"{self.cube}, efficiency {self.efficiency:g}")
        return ", ".join(parts)
