"""Work spread over an executor: pieces handed over as it has room, results taken in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import shown, workers

Task = TypeVar("Task", bound=tuple[Any, ...])
Result = TypeVar("Result")

_IN_FLIGHT: Final = 4
"""Pieces waiting for each worker: enough to keep it busy, few enough that memory does not grow."""


def in_order(
    executor: Executor,
    work: Callable[..., Result],
    tasks: Iterator[Task],
    take: Callable[[Task, Result], object],
    stop: npt.NDArray[np.uint8] | None,
) -> None:
    """Call `work` with each task in a worker, and `take` here with the task and what came of it.

    In the order of the tasks, so that sums of floats are the same for any workers. If anything
    fails, `stop[0]` is set and nothing is left running.

    Raises:
        ValueError: the executor does not take work.
    """
    running: deque[tuple[Task, Future[Result]]] = deque()
    limit = _IN_FLIGHT * max(workers(None), _workers_of(executor))
    try:
        while True:
            for task in islice(tasks, limit - len(running)):
                running.append((task, _submit(executor, work, task)))
            if not running:
                return
            # Not without a timeout: `wait` does not hear of futures cancelled by a shutdown.
            wait([running[0][1]], timeout=0.5)
            while running and running[0][1].done():
                task, future = running.popleft()
                take(task, future.result())
    except BrokenExecutor:  # nobody is at work, and what is still to be done will not be
        raise
    except BaseException:
        if stop is not None:
            stop[0] = 1
        # Wait for what is being played only: a future that somebody has cancelled, we or an
        # executor that was shut down, may never be done in the eyes of `wait`.
        wait([future for _, future in running if not future.cancel() and not future.done()])
        raise


def share(
    work: Callable[[slice], Result],
    parts: Sequence[slice],
    take: Callable[[slice, Result], object],
    threads: int,
) -> None:
    """Call `work` with each part of a batch, in so many threads, and `take` here with the part and
    what came of it, in their order. If there is one thread, it is this one."""
    threads = min(threads, len(parts))
    if threads <= 1:
        for part in parts:
            take(part, work(part))
        return

    def take_one(task: tuple[slice], found: Result) -> None:
        take(task[0], found)

    with ThreadPoolExecutor(threads, "tavli_fast") as pool:
        in_order(pool, work, ((part,) for part in parts), take_one, None)


def _workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it says."""
    found = getattr(executor, "_max_workers", 1)
    return found if type(found) is int else 1


def _submit(
    executor: Executor, work: Callable[..., Result], task: tuple[Any, ...]
) -> Future[Result]:
    """Hand a task over.

    Raises:
        ValueError: the executor does not take it.
    """
    try:
        future = executor.submit(work, *task)
    except RuntimeError as error:  # it has been shut down, or a worker has died
        raise ValueError(f"executor={shown(executor)} takes no work: {error}") from error
    if not isinstance(future, Future):
        kind = type(future).__name__
        raise ValueError(f"executor={shown(executor)} returned a {kind}: expected a Future")
    return future


def check_workers(executor: Any, progress: Any) -> None:
    """Check two arguments that all rollouts have.

    Raises:
        ValueError: one is none.
    """
    if executor is not None and not isinstance(executor, Executor):
        raise ValueError(
            f"executor={shown(executor)}: expected a concurrent.futures.Executor or None"
        )
    if progress is not None and not callable(progress):
        raise ValueError(f"progress={shown(progress)}: expected a callable or None")


def executor_of(executor: Executor | None, pool_size: int, total: int) -> Any:
    """Return a context with the caller's executor, left running, or with a pool of threads."""
    if executor is not None or not total:
        return nullcontext(executor)
    return ThreadPoolExecutor(pool_size, "tavli_fast")
