"""Work spread over an executor: pieces handed over as it has room, results taken in order."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import shown, workers
from tavli_fast._common.sending import Missing, Parcel, Sender, run

Task = TypeVar("Task", bound=tuple[Any, ...])
Result = TypeVar("Result")

_IN_FLIGHT: Final = 4
"""Pieces waiting for each worker: enough to keep it busy, few enough that memory does not grow."""
_KEPT: Final = 4
"""Results that are kept until those before them are there, for each piece that may be under way."""


def in_order(
    executor: Executor,
    work: Callable[..., Result],
    tasks: Iterator[Task],
    take: Callable[[Task, Result], object],
    stop: npt.NDArray[np.uint8] | None,
    pieces_in_flight: int | None = None,
    known: Callable[[Task], Result | None] | None = None,
) -> None:
    """Call `work` with each task in a worker, and `take` here with the task and what came of it.

    In the order of the tasks, so that sums of floats are the same for any workers. If anything
    fails, `stop[0]` is set and nothing is left running.

    Args:
        executor: hands the tasks to its workers.
        work: does a task.
        tasks: the tasks, taken from it as there is room.
        take: takes a result, in this thread.
        stop: set to 1 if anything fails.
        pieces_in_flight: how many tasks may wait or run at a time; None for four a worker.
        known: returns the result of a task that is not to be done any more, or None.

    Raises:
        ValueError: the executor does not take work.
    """
    queue = _Queue(executor, work)
    running: deque[_Piece] = deque()
    room = _Room(executor, pieces_in_flight)
    try:
        while True:
            # Results that wait for one before them take no room, or a slow worker would hold up all
            # others; but there is an end to what is kept for them.
            pieces = room.pieces()
            free = min(pieces - queue.under_way, _KEPT * pieces - len(running))
            for task in islice(tasks, max(0, free)):
                found = None if known is None else known(task)
                running.append(queue.hand_over(task) if found is None else _done(task, found))
            if not running:
                return
            queue.look_at_done(wait=not running[0].ready)
            while running and (piece := running[0]).ready:
                take(piece.task, piece.result())
                running.popleft()
    except CancelledError as error:
        if stop is not None:
            stop[0] = 1
        raise BrokenExecutor(
            f"executor={shown(executor)} has cancelled what was under way: it has been shut down, "
            "or its scheduler is lost"
        ) from error
    except BrokenExecutor:  # nobody is at work, and what is still to be done will not be
        raise
    except BaseException:
        if stop is not None:
            stop[0] = 1
        # Wait for what is being played only: a future that somebody has cancelled, we or an
        # executor that was shut down, may never be done in the eyes of `wait`.
        futures = [piece.future for piece in running if piece.future is not None]
        wait([future for future in futures if not future.cancel() and not future.done()])
        raise


@dataclass(eq=False)
class _Piece:
    """A task under way."""

    task: Any
    future: Future[Any] | None
    """None while it is held back until its worker has been sent what it takes."""
    parcel: Parcel | None = None
    """How it is sent, if anything in it is large."""
    sent_for: str | None = None
    """The worker for whom what is large came along; None if it did not."""

    @property
    def ready(self) -> bool:
        """Whether its result is there."""
        if self.future is None or not self.future.done():
            return False
        return self.parcel is None or not isinstance(self.future.result(), Missing)

    def result(self) -> Any:
        """Return its result, or raise what came instead."""
        assert self.future is not None
        found = self.future.result()
        return found if self.parcel is None else found.value


def _done(task: Any, found: Any) -> _Piece:
    """Return a task whose result is known."""
    future: Future[Any] = Future()
    future.set_result(found)
    return _Piece(task, future)


class _Queue:
    """Hands tasks over. What is large in them goes to each worker of another process once.

    A task is sent without it. A worker that lacks it says so, and the task is sent once more, with
    it; meanwhile that worker's other tasks that came back are held. Which worker gets a task is for
    the executor to say, so another may get it: then the first asks again. A worker that dies takes
    nothing with it that the client does not have.
    """

    def __init__(self, executor: Executor, work: Callable[..., Any]) -> None:
        self.executor, self.work = executor, work
        self._sender = None if isinstance(executor, ThreadPoolExecutor) else Sender()
        self._pending: dict[str, _Piece] = {}
        """By worker, the task that brings it what it asked for."""
        self._held: list[_Piece] = []
        self._pieces: dict[Future[Any], _Piece] = {}
        """Whose each future is that nobody has looked at yet."""
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        """Those of them that are done."""
        self.under_way = 0
        """How many tasks the executor has, or are held."""

    def hand_over(self, task: Any) -> _Piece:
        """Hand a task over."""
        piece = _Piece(
            task, None, None if self._sender is None else self._sender.pack(self.work, task)
        )
        if piece.parcel is None:
            self._submit(piece, self.work, task)
        else:
            self._send(piece, None)
        self.under_way += 1
        return piece

    def _submit(self, piece: _Piece, work: Callable[..., Any], task: tuple[Any, ...]) -> None:
        piece.future = _submit(self.executor, work, task)
        self._pieces[piece.future] = piece
        # Nothing that holds the piece: with its future it would stay until a cycle is collected.
        piece.future.add_done_callback(self._done.put)

    def _send(self, piece: _Piece, worker: str | None) -> None:
        """Hand a task over, with what is large in it if a worker has asked for that."""
        assert piece.parcel is not None
        lean, large = piece.parcel
        piece.sent_for = worker
        if worker is not None:
            self._pending[worker] = piece
        message = lean, tuple(large), large if worker is not None else {}
        self._submit(piece, run, message)

    def look_at_done(self, *, wait: bool) -> None:
        """Look at the tasks that are done with, and see that those are sent whose workers ask."""
        with suppress(Empty):
            if wait:
                # Not without a timeout: not everywhere does a signal such as Ctrl-C end it.
                self._look_at(self._done.get(timeout=0.5))
            while True:
                self._look_at(self._done.get_nowait())
        if self._held and not self._pending:
            held, self._held = self._held, []
            for piece in held:
                self._send(piece, None)

    def _look_at(self, future: Future[Any]) -> None:
        """Send a task once more if its worker lacked something; note who has been sent it."""
        piece = self._pieces.pop(future)
        if piece.sent_for is not None:  # he has it now, or another has, and he will ask again
            if self._pending.get(piece.sent_for) is piece:
                del self._pending[piece.sent_for]
            piece.sent_for = None
        failed = future.cancelled() or future.exception() is not None
        answer = None if failed else future.result()
        if not isinstance(answer, Missing):
            self.under_way -= 1
        elif answer.worker in self._pending:
            piece.future = None
            self._held.append(piece)
        else:
            self._send(piece, answer.worker)


class _Room:
    """How many tasks may be under way at a time."""

    def __init__(self, executor: Executor, pieces_in_flight: int | None) -> None:
        self.executor, self._fixed = executor, pieces_in_flight
        self._found, self._looked = 0, -math.inf

    def pieces(self) -> int:
        """Return how many. A cluster that grows or shrinks is asked again every second."""
        if self._fixed is not None:
            return self._fixed
        if time.monotonic() - self._looked > 1:
            self._looked = time.monotonic()
            self._found = _IN_FLIGHT * max(workers(None), workers_of(self.executor))
        return self._found


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


def workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it says: 1 if it does not.

    The pools of the standard library and loky say `_max_workers`, mpi4py's `num_workers`; Dask's
    executor has a client, which knows the threads of each worker.
    """
    client = getattr(executor, "_client", None)
    if client is not None and callable(getattr(client, "nthreads", None)):
        with suppress(Exception):  # a scheduler that does not answer now
            return int(sum(client.nthreads().values()))
    for name in ("_max_workers", "num_workers"):
        with suppress(Exception):  # mpi4py asks its manager
            found = getattr(executor, name, None)
            if type(found) is int:
                return found
    return 1


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
