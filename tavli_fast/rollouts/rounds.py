"""Playing trials round by round: work handed out, sums taken in order, and where to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast._common.workers import executor_of, in_order
from tavli_fast.rollouts.options import ROUND, Workload

__all__ = ["Stop", "play_rounds"]

Stop: TypeAlias = npt.NDArray[np.uint8] | None
"""Set to 1, it stops the games that threads are playing; None for another executor's workers."""


def play_rounds(
    load: Workload,
    total: int,
    work: Callable[..., Any],
    tasks: Callable[[int, int, Stop], Iterator[tuple[Any, ...]]],
    take: Callable[[tuple[Any, ...], Any], int],
    result: Callable[[bool], Any],
    enough: Callable[[], bool] | None = None,
    known: Callable[[tuple[Any, ...]], Any] | None = None,
) -> Any:
    """Play the trials of a workload, and return what they came to.

    Args:
        load: how many trials, who works, who hears of it.
        total: how many games that are, for `progress`.
        work: plays one task, in a worker.
        tasks: cuts the trials from one number to another into tasks.
        take: adds what came of a task; returns how many games that were.
        result: returns the result so far; of a True marked as partial.
        enough: asked after each round whether to stop; None if never.
        known: returns what came of a task that need not be played again, or None.

    Raises:
        BaseException: what interrupted the work (a `KeyboardInterrupt`, what `progress` or
            `interim` raised), with the result so far as its attribute ``partial``.
    """
    stop = np.zeros(1, np.uint8) if load.executor is None else None
    done, at, end = 0, load.first, load.first + load.trials
    in_rounds = enough is not None or load.interim is not None

    def taken(task: tuple[Any, ...], found: Any) -> None:
        nonlocal done
        done += take(task, found)
        if load.progress is not None:
            load.progress(done, total)

    try:
        with executor_of(load.executor, load.threads, total) as pool:
            while total and at < end:
                upto = min(end, at + ROUND) if in_rounds else end
                in_order(
                    pool, work, tasks(at, upto, stop), taken, stop, load.pieces_in_flight, known
                )
                at = upto
                if load.interim is not None:
                    load.interim(result(False))
                if enough is not None and enough():
                    break
    except BaseException as error:
        with suppress(Exception):  # whatever is wrong with it, the first error goes on
            error.partial = result(True)  # type: ignore[attr-defined]
        raise
    return result(False)
